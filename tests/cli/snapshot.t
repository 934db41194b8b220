#!/bin/sh
# docs/examples/snapshot.sh on the trees of a phone with 4 + 3 + 1 CPUs and of a bare machine, and here.
. "$(dirname "$0")/lib.sh"
snapshot() { sh docs/examples/snapshot.sh "$@"; }
t=testdata/arm64-ui/pelt32/iter-02.dat

# put FILE LINE: a file of the tree
put() { mkdir -p "$tmp/phone/${1%/*}" && printf '%s\n' "$2" >"$tmp/phone/$1"; }
cpu=sys/devices/system/cpu
put proc/sys/kernel/osrelease 6.1.75-android14
put proc/sys/kernel/random/boot_id 1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed
put proc/sys/kernel/sched_pelt_multiplier 2
put proc/sys/kernel/sched_util_clamp_min_rt_default 0
put sys/class/thermal/thermal_zone0/temp 31200
put sys/class/thermal/thermal_zone1/temp 33900
put sys/class/power_supply/battery/status Discharging
for c in 0 1 2 3; do put $cpu/cpu$c/cpu_capacity 284; done
for c in 4 5 6; do put $cpu/cpu$c/cpu_capacity 871; done
put $cpu/cpu7/cpu_capacity 1024
put $cpu/cpu0/cpuidle/state0/name WFI
policy() { # FIRST CPUS CLOCKS
	put "$cpu/cpufreq/policy$1/related_cpus" "$2"
	put "$cpu/cpufreq/policy$1/scaling_available_frequencies" "$3"
	put "$cpu/cpufreq/policy$1/scaling_governor" schedutil
	put "$cpu/cpufreq/policy$1/schedutil/rate_limit_us" 2000
}
policy 0 "0 1 2 3" "300000 930000 1803000"
policy 4 "4 5 6" "400000 2348000"
policy 7 "7" "500000 2850000"
put sys/kernel/debug/energy_model/cpu0/ps:300000/frequency 300000
put sys/kernel/debug/energy_model/cpu0/ps:300000/power 9918
put sys/kernel/debug/energy_model/cpu0/ps:1803000/frequency 1803000
put sys/kernel/debug/energy_model/cpu0/ps:1803000/power 154269

snapshot platform "$tmp/phone" >"$tmp/platform.yaml"
snapshot run "$tmp/phone" >"$tmp/run.yaml"
exits "both are read" 0 "$pa" -q -f json --platform "$tmp/platform.yaml" --run "$tmp/run.yaml" $t
is "capacities" "$(jq -c '[.cpus[].capacity]' "$tmp/out")" '[284,284,284,284,871,871]'
is "domains" "$(jq -c '[.domains[].cpus]' "$tmp/out")" '[[0,1,2,3],[4,5]]'
is "clocks with and without powers" "$(grep -c freqs_khz "$tmp/platform.yaml") $(grep -c power_uw "$tmp/platform.yaml")" "3 1"
like "powers" "$(cat "$tmp/platform.yaml")" 'power_uw: \[9918, 154269\]'
is "run" "$(jq -c '.run | [.kernel, .boot, .signal, .pelt_multiplier, .governor, .rate_limit_us, .uclamp_rt_default, .start_temperature_c, .charging]' "$tmp/out")" \
	'["6.1.75-android14","1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed","pelt",2,"schedutil",2000,0,33,"Discharging"]'
like "contradictions are told" "$(jq -c .run.conflicts "$tmp/out")" 'kernel 6.1.75-android14; the trace says 6.1.192-pelt32'

# before 5.19 the energy model is in mW
put proc/sys/kernel/osrelease 5.10.100
like "milliwatts" "$(snapshot platform "$tmp/phone")" 'power_uw: \[9918000, 154269000\]'
put proc/sys/walt/sched_ravg_window_nr_ticks 4
like "WALT" "$(snapshot run "$tmp/phone")" '^signal: walt'

# nothing can be read: comments, and still YAML
mkdir -p "$tmp/bare/$cpu/cpu0"
snapshot platform "$tmp/bare" >"$tmp/platform.yaml"
snapshot run "$tmp/bare" >"$tmp/run.yaml"
exits "a bare machine" 0 "$pa" -q -f json --platform "$tmp/platform.yaml" --run "$tmp/run.yaml" $t
like "says so" "$(cat "$tmp/platform.yaml")" 'no cpufreq policies'
like "and what is not known" "$(cat "$tmp/run.yaml")" '# start_temperature_c: no thermal zone'
snapshot platform >"$tmp/platform.yaml"
snapshot run >"$tmp/run.yaml"
exits "this machine" 0 "$pa" -q --platform "$tmp/platform.yaml" --run "$tmp/run.yaml" $t
exits "usage" 2 sh docs/examples/snapshot.sh
done_testing
