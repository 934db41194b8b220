#!/bin/sh
# Rebuilt utilization against the values that the kernel itself recorded in the same trace: within
# the limits of signals.md 6, and only under the half-life that the kernel had.
. "$(dirname "$0")/lib.sh"

# fits NAME MEAN P95 BIAS AT_LEAST OPTION... FILE: half-life 32 within the limits, for at least so many values
fits() {
	name=$1 mean=$2 p95=$3 bias=$4 n=$5
	shift 5
	"$pa" -q --format json --pelt 32,16,8 "$@" >"$tmp/j" 2>"$tmp/err" || { not_ok "$name" "$(cat "$tmp/err")"; return; }
	is "$name: under 32 as the kernel's" "$(jq -c --argjson mean "$mean" --argjson p95 "$p95" --argjson bias "$bias" --argjson n "$n" '
		.util_fit[] | select(.half_life == 32 and .signal == "task util") |
		if .n >= $n and .mean_abs <= $mean and .p95_abs <= $p95 and (.bias | fabs) <= $bias then "yes" else . end' "$tmp/j")" '"yes"'
	is "$name: not so under 16 and 8" \
		"$(jq -c '[.util_fit[] | select(.half_life != 32 and .signal == "task util") | select(.mean_abs < 20)]' "$tmp/j")" '[]'
}

# fits_best HALF_LIFE OPTION... FILE: of 32, 16 and 8 it is that one which comes nearest to the kernel
fits_best() {
	name="pelt$1 is nearest to its own kernel" want=$1
	shift
	"$pa" -q --format json --pelt 32,16,8 "$@" >"$tmp/j" 2>"$tmp/err"
	is "$name" "$(jq '[.util_fit[] | select(.signal == "task util")] | min_by(.mean_abs).half_life' "$tmp/j")" "$want"
}

# a kernel built with the tables of 16; the tool finds out by itself
is "half-life of pelt16" "$("$pa" -q --format json testdata/arm64-ui/pelt16/iter-01.dat | jq .pelt.half_life)" 16
is "one step of pelt16" "$("$pa" -q --format json testdata/arm64-ui/pelt16/iter-01.dat | jq -c '.one_step | max_by(.inside) | [.half_life, .inside >= .n - 2, .max_abs]')" '[16,true,1]'
fits_best 16 --platform testdata/arm64-ui/platform.yaml testdata/arm64-ui/pelt16/iter-01.dat
t=$SHARED/traces/truth
if [ -d "$t" ]; then
	for k in k61 k612; do
		fits arm64-$k-periodic 2 6 1.5 6500 --platform "$t/arm64-platform.yaml" "$t/arm64-$k-periodic.dat"
		is "arm64-$k-periodic: one step" "$(jq -c '.one_step[2] | [.n > 2500, .inside == .n, .max_abs]' "$tmp/j")" '[true,true,1]'
		is "arm64-$k-periodic: queues" "$(jq -c '[.util_fit[] | select(.half_life == 32 and (.signal | startswith("cpu"))) |
			.n > 3000 and .mean_abs < 2 and .p95_abs < 5]' "$tmp/j")" '[true,true]'
		fits arm64-$k-migrate 6 10 5 2500 --platform "$t/arm64-platform.yaml" "$t/arm64-$k-migrate.dat"
		is "arm64-$k-migrate: one step" "$(jq -c '.one_step[2] | [.n > 900, .inside >= .n - 4]' "$tmp/j")" '[true,true]'
	done
	r=$SHARED/traces/runsets/arm64-ui
	for h in 8 32; do
		"$pa" -q --format json "$r/pelt$h/iter-01.dat" >"$tmp/j"
		is "half-life of pelt$h" "$(jq .pelt.half_life "$tmp/j")" $h
		fits_best $h --platform "$r/platform.yaml" "$r/pelt$h/iter-01.dat"
	done
else
	ok "arm64 # SKIP $t is not there"
fi

# without values of the kernel there is no figure, and it says why
"$pa" -q --format json --pelt 32 testdata/tracedat/v7_zlib.dat >"$tmp/j"
is "nothing to compare with" "$(jq -c '.util_fit[0].n' "$tmp/j")" 0
like "and why" "$(jq -c . "$tmp/j" | grep -o '"util_fit":.*' | head -c 400)" 'sched_pelt_se'

# half-lives say their own order: a busy burst rises faster under a shorter one
"$pa" -q --format json --pelt 32,16,8 testdata/truth/pelt-cpu0-periodic.dat >"$tmp/j"
is "max never falls with a shorter half-life" "$(jq -c '[.tasks[] | select(.util_at_sleep[0].n >= 50) |
	.util_at_sleep | select(.[0].max > .[1].max + 1 or .[1].max > .[2].max + 1)] | length' "$tmp/j")" 0
is "and some task is there" "$(jq -c '[.tasks[] | select(.util_at_sleep[0].n >= 50)] | length > 1' "$tmp/j")" true
done_testing
