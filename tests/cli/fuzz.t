#!/bin/sh
# Every fuzz target on its seeds and on what fuzzing found; then bit flips and cuts of sound files.
. "$(dirname "$0")/lib.sh"

for t in trace_dat pages format platform; do
	mkdir -p "$tmp/$t"
	tests/tools/seeds.sh $t "$tmp/$t"
	exits "$t: seeds and corpus" 0 "$BUILD/tests/fuzz/replay_$t" "$tmp/$t"/* $(ls tests/fuzz/corpus/$t/* 2>/dev/null)
	is "$t: each was run" "$(grep -c '^not ok' "$tmp/out")" 0
done

# one bit in every n-th byte, and a cut there
for f in craft_v7z_le32 craft_v7_be64 craft_v6_insts craft_guest; do
	mkdir "$tmp/flips"
	size=$(wc -c <testdata/tracedat/$f.dat)
	step=$((size / 120 + 1))
	at=0
	while [ $at -lt "$size" ]; do
		cp testdata/tracedat/$f.dat "$tmp/flips/$at"
		byte=$(od -An -tu1 -j$at -N1 "$tmp/flips/$at" | tr -d ' ')
		printf '%b' "\\0$(printf %o $((byte ^ (1 << (at % 8)))))" |
			dd of="$tmp/flips/$at" bs=1 seek=$at conv=notrunc 2>/dev/null
		head -c $at testdata/tracedat/$f.dat >"$tmp/flips/cut$at"
		at=$((at + step))
	done
	exits "$f: flips and cuts" 0 timeout 120 "$BUILD/tests/fuzz/replay_trace_dat" "$tmp"/flips/*
	rm -r "$tmp/flips"
done
done_testing
