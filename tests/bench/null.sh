#!/bin/sh
# A against A: iterations of one simulated configuration (seeds, iteration and boot effects), drawn into two groups.
: "${BUILD:=build/gcc}"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/a"
i=0
while [ $i -lt 300 ]; do
	i=$((i + 1))
	"$BUILD/peltier-sim" -S pelt:32 -s $i -i $i -b $i -L 2000 -o "$dir/a/iter-$i.dat" -p "$dir/platform.yaml" -r "$dir/a/run.yaml" -c a tests/sim/scenarios/ui-scroll-60.yaml || exit 1
done
"$BUILD/batch-compare" -q -f csv -m frame.mean_ms,frame.jank_pct "$dir/a" >"$dir/csv"
for m in frame.mean_ms frame.jank_pct; do
	echo "$m of 300 iterations:"
	awk -F, -v m=$m '$3 == m && $6 != "" { print $6 + (m == "frame.jank_pct" ? 1 : 0) }' "$dir/csv" | "$BUILD/bench_null" || bad=1
done
exit ${bad:-0}
