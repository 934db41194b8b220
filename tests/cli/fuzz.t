#!/bin/sh
# Every fuzz target on its seeds and on what fuzzing found; then bit flips and cuts of sound files.
. "$(dirname "$0")/lib.sh"

for t in trace_dat pages format platform perfetto bundle inflate text results; do
	mkdir -p "$tmp/$t"
	tests/tools/seeds.sh $t "$tmp/$t"
	exits "$t: seeds and corpus" 0 "$BUILD/tests/fuzz/replay_$t" "$tmp/$t"/* $(ls tests/fuzz/corpus/$t/* 2>/dev/null)
	is "$t: each was run" "$(grep -c '^not ok' "$tmp/out")" 0
done

# one bit in every n-th byte, and a cut there: flips FILE TARGET
flips() {
	mkdir "$tmp/flips"
	size=$(wc -c <"$1")
	step=$((size / 120 + 1))
	at=0
	while [ $at -lt "$size" ]; do
		cp "$1" "$tmp/flips/$at"
		byte=$(od -An -tu1 -j$at -N1 "$tmp/flips/$at" | tr -d ' ')
		printf '%b' "\\0$(printf %o $((byte ^ (1 << (at % 8)))))" |
			dd of="$tmp/flips/$at" bs=1 seek=$at conv=notrunc 2>/dev/null
		head -c $at "$1" >"$tmp/flips/cut$at"
		at=$((at + step))
	done
	exits "$(basename "$1"): flips and cuts" 0 timeout 120 "$BUILD/tests/fuzz/replay_$2" "$tmp"/flips/*
	rm -r "$tmp/flips"
}
for f in craft_v7z_le32 craft_v7_be64 craft_v6_insts craft_guest; do
	flips testdata/tracedat/$f.dat trace_dat
done
for f in craft/ok craft/cs_ok craft/write_ok craft/bu_clkglobal craft/gen_new craft/ok_zlib small-zstd; do
	flips testdata/perfetto/$f.pftrace perfetto
done
done_testing
