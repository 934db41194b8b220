#!/bin/sh
# Damaged input: no crash, no hang, no silent success, a message; and what an independent reader
# saves from it is saved.
. "$(dirname "$0")/lib.sh"

damaged() {
	for f in "$1"/cut_*.dat "$1"/flip_*.dat "$1"/zero_*.dat "$1"/craft_bad_*.dat "$1"/crash*; do
		[ -e "$f" ] || continue
		b=$(basename "$f")
		timeout 20 "$pa" --format json "$f" >"$tmp/out" 2>"$tmp/err" </dev/null
		code=$?
		case $code,$b in
		0,cut_* | 0,craft_bad*) not_ok "$b" "silent success" ;;
		0,* | [23],*)
			if [ $code != 0 ] && ! grep -q "^pelt-analyze: .*$b" "$tmp/err"; then
				not_ok "$b" "no message that names the file" "$(head -3 "$tmp/err")"
			elif [ $code = 3 ] && [ "$(jq .quality.partial "$tmp/out")" != true ]; then
				not_ok "$b" "exit 3, but JSON does not say partial"
			else
				ok "$b"
			fi
			;;
		*) not_ok "$b" "exit $code" "$(tail -5 "$tmp/err")" ;;
		esac
	done
}

# as many events per buffer and CPU as ref_damaged.tsv has, or more
saved() {
	awk -F'\t' '$4 !~ /^\*/ { n[$1 "\t" $2] += $5 } END { for (k in n) print k "\t" n[k] }' \
		"$1/ref_damaged.tsv" | sort >"$tmp/want"
	while IFS="$(printf '\t')" read -r file buffer want; do
		[ -e "$1/$file" ] || continue
		if [ "$buffer" = - ]; then opt=; else opt="--buffer=$buffer"; fi
		got=$(timeout 20 "$pa" --list events -q ${opt:+"$opt"} "$1/$file" 2>/dev/null </dev/null |
			awk -F'\t' '$1 != "buffer" { n += $4 } END { print n + 0 }')
		if [ "$got" -ge "$want" ]; then ok "$file $buffer: $got events"; else
			not_ok "$file $buffer" "$got events saved, not $want"
		fi
	done <"$tmp/want"
}

damaged testdata/tracedat
saved testdata/tracedat
if [ -d "$SHARED/traces/recorded" ]; then
	damaged "$SHARED/traces/recorded"
	saved "$SHARED/traces/recorded"
	exits ".cpuN files with a head" 3 "$pa" --format json --head "$SHARED/traces/recorded/crash_restored_head.dat" \
		"$SHARED/traces/recorded/crash.dat.cpu0"
	is "all events of the killed recording" "$(jq '[.events[]] | add' "$tmp/out")" \
		"$("$pa" -q --format json "$SHARED/traces/recorded/crash_restored_head.dat" | jq '[.events[]] | add')"
	like "how to read .cpuN files" "$("$pa" "$SHARED/traces/recorded/crash.dat.cpu0" 2>&1)" '--head FILE'
fi

# what a cut takes away must not look like waiting: latencies as in the whole file, or less
f=testdata/arm64-ui/pelt32/iter-02.dat
head -c $(($(wc -c <$f) - 20000)) $f >"$tmp/cut.dat"
whole=$("$pa" -q --format json $f | jq .latency.wakeup.max_ns)
cut=$("$pa" -q --format json "$tmp/cut.dat" 2>/dev/null | jq .latency.wakeup.max_ns)
if [ "$cut" -le "$whole" ]; then ok "no wait across what is cut off"; else not_ok "no wait across what is cut off" "$cut, whole: $whole"; fi

# a cut at every place of a file that holds everything
f=testdata/tracedat/craft_v7z_le32.dat
size=$(wc -c <$f)
bad=
for n in $(seq 1 $((size / 60)) $((size - 1))); do
	head -c "$n" $f >"$tmp/cut.dat"
	timeout 20 "$pa" --format json "$tmp/cut.dat" >"$tmp/out" 2>"$tmp/err"
	case $? in 2 | 3) ;; *) bad="$bad $n" ;; esac
done
is "every cut is noticed" "$bad" ""

# what is not a trace is named for what it is
printf '' >"$tmp/empty"; like "empty" "$("$pa" "$tmp/empty" 2>&1)" 'is empty'
printf 'PERFILE2xxxxxxxxxxxxxx' >"$tmp/p"; like "perf.data" "$("$pa" "$tmp/p" 2>&1)" 'perf.data'
like "ELF" "$("$pa" "$pa" 2>&1)" 'ELF'
printf '# tracer: nop\n#\n' >"$tmp/t"; like "ftrace text" "$("$pa" "$tmp/t" 2>&1)" 'text'
printf '<!DOCTYPE html><html>' >"$tmp/h"; like "HTML" "$("$pa" "$tmp/h" 2>&1)" 'HTML'
printf 'PK\003\004' >"$tmp/z"; like "zip" "$("$pa" "$tmp/z" 2>&1)" 'zip'
like "latency text v6" "$("$pa" testdata/tracedat/craft_v6_text.dat 2>&1)" 'latency tracer'
like "latency text v7" "$("$pa" testdata/tracedat/craft_v7_text.dat 2>&1)" 'latency tracer'
like "no data" "$("$pa" testdata/tracedat/v6_race_nocpudata.dat 2>&1)" 'no trace data'
exits "no data is exit 2" 2 "$pa" testdata/tracedat/v7_nodata.dat
exits "missing file" 2 "$pa" "$tmp/nothing"
like "missing file is named" "$(cat "$tmp/err")" "nothing: No such file"
exits "a folder" 2 "$pa" "$tmp"
done_testing
