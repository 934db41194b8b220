#!/bin/sh
# Benchmarks as ratios against peers on the same file, in turn; medians of RUNS. Called by make bench.
# BUILD: build folder; SHARED: the shared material.
: "${BUILD:=build/gcc}" "${RUNS:=5}"
dir=${BENCH_DIR:-build/bench}
mkdir -p "$dir"

if [ -e "$SHARED/traces/recorded/big_zstd.dat" ]; then
	zstd_file=$SHARED/traces/recorded/big_zstd.dat
	echo "input: recorded/big_zstd.dat, 3.76 M events (stress-ng --switch, 2 CPUs)"
else
	zstd_file=testdata/arm64-ui/pelt32/iter-02.dat
	echo "input: a bundled trace, repeated (the shared material is not there)"
fi
plain=$dir/plain.dat
[ -e "$plain" ] || trace-cmd convert -i "$zstd_file" -o "$plain" --compression none >/dev/null 2>&1
if [ "$zstd_file" = testdata/arm64-ui/pelt32/iter-02.dat ]; then
	"$BUILD/bench_repeat" "$plain" "$dir/long.dat" 200
	mv "$dir/long.dat" "$plain"
	zstd_file=
fi
[ -e "$dir/x10.dat" ] || "$BUILD/bench_repeat" "$plain" "$dir/x10.dat" 10

# median NAME COMMAND...: seconds and peak RSS of one run, appended
once() {
	name=$1
	shift
	/usr/bin/time -f "%e %M" -o "$dir/time" "$@" >/dev/null 2>&1 || echo "$name failed: $*" >&2
	tail -1 "$dir/time" >>"$dir/$name.runs"
}
median() { sort -n "$dir/$1.runs" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
rss() { awk '$2 > m { m = $2 } END { printf "%.1f", m / 1024 }' "$dir/$1.runs"; }
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", a / b }'; }

rm -f "$dir"/*.runs
for i in $(seq "$RUNS"); do
	once peer "$BUILD/bench_peer" "$plain"
	once report "$BUILD/pelt-analyze" "$plain"
	once walk "$BUILD/bench_walk" "$plain"
	if [ -n "$zstd_file" ]; then
		once peer_z "$BUILD/bench_peer" "$zstd_file"
		once report_z "$BUILD/pelt-analyze" "$zstd_file"
	fi
	once signals "$BUILD/pelt-analyze" -q --pelt 32,16,8 --walt 20 "$plain"
	once x10 "$BUILD/pelt-analyze" "$dir/x10.dat"
	once tracecmd trace-cmd report "$plain"
	[ -e "$dir/text.txt" ] || trace-cmd report "$plain" >"$dir/text.txt" 2>/dev/null
	once text "$BUILD/pelt-analyze" -q "$dir/text.txt"
done
printf '%-44s %8s %9s %10s\n' "plain v7" seconds "peak MB" "x walk"
row() { printf '%-44s %8.3f %9s %10s\n' "$1" "$(median "$2")" "$(rss "$2")" "$(ratio "$(median peer)" "$(median "$2")")"; }
row "libtracecmd, walk of all records (the peer)" peer
row "peltier, decode and merge" walk
row "peltier, default report" report
row "peltier, with --pelt 32,16,8 --walt 20" signals
row "trace-cmd report > /dev/null" tracecmd
row "peltier, what that prints" text
echo "default report: $(ratio "$(median tracecmd)" "$(median report)") times as fast as trace-cmd report"
echo "text: $(ratio "$(median tracecmd)" "$(median text)") times as fast as trace-cmd report prints it"
if [ -n "$zstd_file" ]; then
	echo "zstd: walk $(median peer_z) s, default report $(median report_z) s: $(ratio "$(median peer_z)" "$(median report_z)") times as fast as the walk, $(rss report_z) MB"
fi
echo "10 times longer: $(median x10) s ($(ratio "$(median x10)" "$(median report)") times), $(rss x10) MB"

# ---- Perfetto ----
deflate=$SHARED/traces/recorded/perfetto/large-deflate.pftrace
[ -e "$deflate" ] || exit 0
pf=$dir/large.pftrace
[ -e "$pf" ] || "$BUILD/bench_inflate" -w "$deflate" >"$pf"
rm -f "$dir"/*.runs
for i in $(seq "$RUNS"); do
	once peer "$BUILD/bench_unpack" "$pf"
	once report "$BUILD/pelt-analyze" "$pf"
	once walk "$BUILD/bench_walk" "$pf"
	once deflate "$BUILD/pelt-analyze" "$deflate"
	once inflate "$BUILD/bench_inflate" "$deflate"
done
echo
echo "input: recorded/perfetto/large-deflate.pftrace inflated, 3.49 M events (hackbench, stress-ng, 2 CPUs)"
printf '%-44s %8s %9s %10s\n' "plain Perfetto" seconds "peak MB" "x unpack"
row "protoc-c unpack + free of the bundles" peer
row "peltier, decode and merge" walk
row "peltier, default report" report
echo "deflate: default report $(median deflate) s, $(rss deflate) MB; plain + 1.2 x inflate alone ($(median inflate) s) = $(awk -v a="$(median report)" -v b="$(median inflate)" 'BEGIN { printf "%.2f", a + 1.2 * b }') s"
