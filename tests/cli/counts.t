#!/bin/sh
# Events per buffer, CPU and name against ref.tsv; first and last stamps against truth.tsv.
. "$(dirname "$0")/lib.sh"

# check FOLDER REF.tsv TRUTH.tsv
check() {
	cut -f1,2 "$2" | grep -v '^#' | sort -u >"$tmp/files"
	while IFS="$(printf '\t')" read -r file buffer; do
		[ -e "$1/$file" ] || continue
		set -- "$1" "$2" "$3"
		if [ "$buffer" = - ]; then opt=; else opt="--buffer=$buffer"; fi
		"$pa" --list events -q ${opt:+"$opt"} "$1/$file" >"$tmp/got" 2>"$tmp/err" </dev/null
		awk -F'\t' -v file="$file" -v buffer="$buffer" '
			FILENAME == ARGV[1] {
				if ($1 == "buffer") next
				got[$2 "\t" $3] = $4
				if (!($2 in first) || $5 < first[$2]) first[$2] = $5
				if (!($2 in last) || $6 > last[$2]) last[$2] = $6
				next
			}
			$1 != file || $2 != buffer { next }
			FILENAME == ARGV[2] && $4 !~ /^\*/ {
				want[$3 "\t" $4] = $5
				if (got[$3 "\t" $4] != $5) print "cpu" $3 " " $4 ": " got[$3 "\t" $4] " not " $5
			}
			FILENAME == ARGV[3] && ($4 == "*first" || $4 == "*last") {
				v = $5; sub(/\./, "", v); sub(/^0+/, "", v)
				g = $4 == "*first" ? first[$3] : last[$3]
				# trace-cmd is wrong about these two; see testdata/README.md
				if (file ~ /chunk_odd|unknown_event/) next
				if (g != v) print "cpu" $3 " " $4 " " g " not " v
			}
			END { for (k in got) if (!(k in want)) print "not in the reference: " k }
		' "$tmp/got" "$2" "$3" >"$tmp/diff"
		if [ -s "$tmp/diff" ]; then
			not_ok "$file $buffer" "$(head -5 "$tmp/diff")" "$(head -3 "$tmp/err")"
		else
			ok "$file $buffer"
		fi
	done <"$tmp/files"
}

check testdata/tracedat testdata/tracedat/ref.tsv testdata/tracedat/truth.tsv
if [ -d "$SHARED/traces/recorded" ]; then
	check "$SHARED/traces/recorded" "$SHARED/traces/recorded/ref.tsv" "$SHARED/traces/recorded/truth.tsv"
	check "$SHARED/traces/public/tracedat" "$SHARED/oracles/public_ref.tsv" /dev/null
else
	echo "# $SHARED is not there: only the bundled files were checked"
fi
done_testing
