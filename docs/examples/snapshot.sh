#!/bin/sh
# What a device is and how it is set, for peltier:
#
#   sh snapshot.sh platform >platform.yaml       adb shell sh -s platform <snapshot.sh >platform.yaml
#   sh snapshot.sh run >run.yaml                 adb shell sh -s run <snapshot.sh >run.yaml
#
# Root is not needed; what cannot be read is left out, and named in a comment. A second argument is put
# before every path. See docs/platform-files.md and docs/run-files.md.
# shellcheck disable=SC2046,SC2086  # lists are words
root=${2:-}
sys=$root/sys/devices/system/cpu
kernel=$root/proc/sys/kernel
debug=$root/sys/kernel/debug

# get FILE: its first line, or nothing; false then
get() { [ -r "$1" ] && head -n 1 "$1" 2>/dev/null; }

release=$(get "$root/proc/sys/kernel/osrelease" || uname -r)

# put KEY FILE...: the first of the files that can be read, as a line of YAML
put() {
	key=$1
	shift
	for file; do
		value=$(get "$file")
		[ -n "$value" ] && { echo "$key: $value"; return 0; }
	done
	echo "# ${key#\# }: not readable ($*)"
}

# list WORD...: [a, b, c]
list() { echo "[$(echo "$@" | sed 's/ \{1,\}/, /g')]"; }

# numbers "0-3,7": 0 1 2 3 7
numbers() {
	echo "$1" | sed 's/[, ]/\n/g' | while IFS=- read -r a b; do
		[ -n "$a" ] || continue
		while [ "$a" -le "${b:-$a}" ]; do
			echo "$a"
			[ "$a" = "${b:-$a}" ] && break
			a=$((a + 1))
		done
	done
}

cpus() { for c in "$sys"/cpu[0-9]*; do echo "${c##*/cpu}"; done | sort -n; }

# ---- platform.yaml ----

# Powers in the energy model are uW from 5.19 on, mW before.
unit=1
major=${release%%.*} minor=${release#*.} minor=${minor%%[!0-9]*}
[ "$major" -gt 5 ] || { [ "$major" = 5 ] && [ "$minor" -ge 19 ]; } || unit=1000

# The energy model of a domain: khz and uW, one row each, by its first CPU.
energy_model() {
	for d in "$debug/energy_model/cpu$1" "$debug/energy_model/pd$1"; do
		for s in "$d"/ps:* "$d"/cs:*; do
			[ -r "$s/power" ] && echo "$(get "$s/frequency") $(($(get "$s/power") * unit))"
		done
	done | sort -n | uniq
}

# The clocks of a policy: what it offers, else what it has statistics of.
clocks() {
	{
		get "$1/scaling_available_frequencies" | tr ' ' '\n'
		[ -r "$1/stats/time_in_state" ] && cut -d' ' -f1 "$1/stats/time_in_state"
	} | grep -E '^[0-9]+$' | sort -n | uniq
}

# One domain: cpus, clocks, powers.
domain() {
	members=$(get "$1/related_cpus")
	members=$(numbers "${members:-$(get "$1/affected_cpus")}")
	first=$(echo "$members" | head -n 1)
	khz=$(clocks "$1")
	model=$(energy_model "$first")
	echo "  - cpus: $(list $members)"
	if [ -n "$model" ]; then
		khz=$(echo "$model" | cut -d' ' -f1)
		echo "    freqs_khz: $(list $khz)"
		echo "    power_uw: $(list $(echo "$model" | cut -d' ' -f2))    # energy_model of the kernel"
	elif [ -n "$khz" ]; then
		echo "    freqs_khz: $(list $khz)    # no energy model readable: no powers"
	else
		echo "    # clocks not readable; $(get "$1/cpuinfo_min_freq")..$(get "$1/cpuinfo_max_freq") kHz"
	fi
	put "    transition_latency_ns" "$1/cpuinfo_transition_latency"
}

platform() {
	name=$(getprop ro.product.device 2>/dev/null || get "$root/proc/device-tree/model" | tr -d '\000')
	echo "name: \"${name:-unknown}\""
	echo "source: snapshot of the device, kernel $release"
	capacities=
	for c in $(cpus); do
		v=$(get "$sys/cpu$c/cpu_capacity")
		[ -n "$v" ] && capacities="$capacities $v"
	done
	if [ -n "$capacities" ]; then
		echo "cpu_capacity: $(list $capacities)"
	else
		echo "# cpu_capacity: not readable: all CPUs of one size, or a kernel that does not tell; 1024 is assumed"
		echo "cpu_capacity: $(list $(cpus | sed 's/.*/1024/'))"
	fi
	any=
	for p in "$sys"/cpufreq/policy[0-9]*; do
		[ -d "$p" ] || continue
		[ -n "$any" ] || echo "domains:"
		any=1
		domain "$p"
	done
	[ -n "$any" ] || echo "# domains: no cpufreq policies"
	for s in "$sys"/cpu0/cpuidle/state[0-9]*; do
		[ -d "$s" ] && echo "# idle state ${s##*state}: $(get "$s/name"), exit $(get "$s/latency") us, residency $(get "$s/residency") us"
	done
}

# ---- run.yaml ----

run() {
	echo "kernel: $release"
	device=$(getprop ro.product.model 2>/dev/null)
	[ -n "$device" ] && echo "device: \"$device\""
	put boot "$root/proc/sys/kernel/random/boot_id"
	if [ -d "$root/proc/sys/walt" ] || [ -r "$kernel/sched_ravg_window_nr_ticks" ]; then
		echo "signal: walt"
		put "# walt, ticks per window" "$root/proc/sys/walt/sched_ravg_window_nr_ticks" "$kernel/sched_ravg_window_nr_ticks"
	else
		echo "signal: pelt"
	fi
	put pelt_multiplier "$kernel/sched_pelt_multiplier"
	echo "# pelt_half_life_ms: 32    # the kernel does not tell: 32 unless its tables were changed; divided by the multiplier"
	put uclamp_rt_default "$kernel/sched_util_clamp_min_rt_default"
	for p in "$sys"/cpufreq/policy[0-9]*; do
		[ -d "$p" ] || continue
		n=${p##*policy}
		[ "$n" = 0 ] && put governor "$p/scaling_governor"
		[ "$n" = 0 ] || put "# governor of policy$n" "$p/scaling_governor"
		put "# policy$n clock now, kHz" "$p/scaling_cur_freq"
		echo "# policy$n: min $(get "$p/scaling_min_freq") max $(get "$p/scaling_max_freq") kHz"
		for g in schedutil sugov_ext walt sched_pixel; do
			[ -d "$p/$g" ] || continue
			[ "$n" = 0 ] && [ -r "$p/$g/rate_limit_us" ] && put rate_limit_us "$p/$g/rate_limit_us"
			[ "$n" = 0 ] && [ -r "$p/$g/up_rate_limit_us" ] && put up_rate_limit_us "$p/$g/up_rate_limit_us"
			[ "$n" = 0 ] && [ -r "$p/$g/down_rate_limit_us" ] && put down_rate_limit_us "$p/$g/down_rate_limit_us"
		done
	done
	[ -d "$sys/cpufreq" ] || echo "# governor: no cpufreq policies"
	config=$(zcat "$root/proc/config.gz" 2>/dev/null | sed -n 's/^CONFIG_HZ=//p')
	[ -n "$config" ] && echo "hz: $config" || echo "# hz: not readable (/proc/config.gz)"
	hottest=$(for z in "$root"/sys/class/thermal/thermal_zone*/temp; do get "$z"; done | sort -n | tail -n 1)
	[ -n "$hottest" ] && echo "start_temperature_c: $((hottest / 1000))    # the hottest zone" || echo "# start_temperature_c: no thermal zone readable"
	for b in "$root"/sys/class/power_supply/*/status; do
		[ -r "$b" ] && echo "charging: \"$(get "$b")\"" && break
	done
	refresh=$(dumpsys SurfaceFlinger 2>/dev/null | sed -n 's/.*refresh-rate *: *\([0-9.]*\).*/\1/p' | head -n 1)
	[ -n "$refresh" ] && echo "refresh_hz: $refresh" || echo "# refresh_hz: not known here (Android: dumpsys SurfaceFlinger)"
	put "# sched_features" "$debug/sched/features" "$debug/sched_features"
}

case $1 in
platform) platform ;;
run) run ;;
*)
	echo "usage: snapshot.sh platform|run [ROOT]" >&2
	exit 2
	;;
esac
