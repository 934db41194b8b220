#!/bin/sh
# The same recording in all forms gives the same JSON, but for the trace block.
. "$(dirname "$0")/lib.sh"

same() { # NAME FILE...
	name=$1
	first=
	shift
	for f; do
		[ -e "$f" ] || { echo "# $f is not there"; continue; }
		"$pa" -q --run none --platform none --format json "$f" | jq 'del(.trace)' >"$tmp/j"
		if [ -z "$first" ]; then
			first=$f
			mv "$tmp/j" "$tmp/first"
			continue
		fi
		is "$name: $(basename "$f") as $(basename "$first")" "$(diff "$tmp/first" "$tmp/j" | head -5)" ""
	done
}

d=testdata/tracedat
same "v6, v7, v7 zstd" $d/craft_v6_le32.dat $d/craft_v7_le32.dat $d/craft_v7z_le32.dat
same "byte orders and words" $d/craft_v7_le32.dat $d/craft_v7_be32.dat $d/craft_v7z_be64.dat $d/craft_v6_be64.dat $d/craft_v7_le_u32k64.dat
same "sub-buffer size" $d/craft_v7_le_64kpage.dat $d/craft_v7z_le_64kpage.dat $d/craft_v7_be64_64kpage.dat
if command -v trace-cmd >/dev/null; then
	f=testdata/arm64-ui/pelt16/iter-02.dat
	for c in none zstd; do
		trace-cmd convert -i $f -o "$tmp/$c.dat" --compression $c >/dev/null 2>&1
	done
	trace-cmd convert -i $f -o "$tmp/v6.dat" --file-version 6 >/dev/null 2>&1
	same "converted by trace-cmd" $f "$tmp/none.dat" "$tmp/zstd.dat" "$tmp/v6.dat"
else
	echo "# trace-cmd is not there: no conversions"
fi
done_testing
