#!/bin/sh
# What the simulator knows, pelt-analyze finds: every scenario, every format, times to the ns.
. "$(dirname "$0")/lib.sh"
sim=$BUILD/peltier-sim
formats="text dat6 dat7 dat7-zlib dat7-zstd perfetto perfetto-compact perfetto-deflate"

truth='{events, L0: .energy_em_L0_nj, cpus: [.cpus[] | {cpu, busy_ns, idle_ns, offline_ns, switches, residency}],
	tasks: [.tasks[] | select(.pid > 1) | {pid, comm, run_ns, runnable_ns, blocked_ns, switch_in, preempted, wakeups, cpu_ns,
		moved: [.moved_wakeup, .moved_queued, .moved_fork],
		bursts: [.bursts, .to_50_pct, .to_80_pct, .to_top, .to_larger_cpu, .burst_run_ns, .woken, .woken_larger]}] | sort_by(.pid, .comm)}'
found='{events: (.events | del(.cpu_times, .power_rail, .frame_timeline) | with_entries(if .key == "tracing_mark_write" then .key = "print" else . end)), L0: .energy.em_L0.nj,
	cpus: [.cpus[] | {cpu, busy_ns, idle_ns, offline_ns: (.offline_ns // 0), switches, residency: .frequency.residency}],
	tasks: [.tasks[] | select(.pid > 1) | {pid, comm, run_ns, runnable_ns, blocked_ns, switch_in, preempted, wakeups, cpu_ns,
		moved: [.migrations.wakeup, .migrations.queued, .migrations.fork],
		bursts: ([.bursts.n] + (.bursts | [.to_50_pct, .to_80_pct, .to_top, .to_larger_cpu] | map(.arrived // 0)) + [.bursts.run_ns, .bursts.woken, .bursts.woken_on_larger])}] | sort_by(.pid, .comm)}'
analyse() { "$pa" -q --run none --platform "$tmp/p.yaml" --format json "$1"; }

for scenario in tests/sim/scenarios/*.yaml; do
	sc=$(basename "$scenario" .yaml)
	exits "$sc runs" 0 "$sim" -l "$tmp/l" -p "$tmp/p.yaml" "$scenario"
	jq -S "$truth" "$tmp/l" >"$tmp/truth"
	for f in $formats; do
		"$sim" -f "$f" -o "$tmp/t" "$scenario"
		analyse "$tmp/t" | jq -S "$found" >"$tmp/found"
		is "$sc as $f" "$(diff "$tmp/truth" "$tmp/found" | head -6)" ""
	done
	# from the first to the last event of each CPU: the idle state at the very start is not known
	is "$sc: energy with idle CPUs and clusters" "$(analyse "$tmp/t" | jq --slurpfile l "$tmp/l" '$l[0].energy_em_L1_nj as $t | .energy.em_L1 |
		.reason != null or .nj == null or (.low_nj - 1 <= $t and $t <= .high_nj + 1 and .high_nj - .low_nj < 1e-5 * $t)')" true
	# util, live, from half a second on: what was before the trace is not known to the analysis
	for h in 32 8; do
		"$sim" -S pelt:$h -f dat6 -o "$tmp/t" -u "$tmp/u" "$scenario"
		list=$(cut -d, -f2 "$tmp/u" | sort -u | grep -v '^init-' | sed 's/.*-//' | head -30 | sed "s/.*/util:task=&:h=$h/" | paste -sd,)
		"$pa" -q --run none --platform "$tmp/p.yaml" --timeline "$list" "$tmp/t" >"$tmp/line" 2>/dev/null
		# a saturated CPU gives its lost time back a little later here than there: contention
		worst=$(awk -F, -v OFS=, 'NR == FNR { u[$1, $2] = $3; next }
			($1, $3) in u && $4 != "" && $1 > 1500000000 { d = $4 - u[$1, $3]; d = d < 0 ? -d : d; n++; m = d > m ? d : m }
			END { limit = "'"$sc"'" == "contention" ? 5 : 2; fits = (n > 10 && m <= limit); print fits ? "good" : n " values, largest " m }' "$tmp/u" "$tmp/line")
		case $sc in
		empty-cpus | many-cpus) ;; # half a second long
		*) is "$sc: util with half-life $h" "$worst" good ;;
		esac
	done
done

# ---- frames ----
s=tests/sim/scenarios/ui-scroll-60.yaml
"$sim" -f perfetto -o "$tmp/t" -F "$tmp/frames" "$s"
is "frames by FrameTimeline, to the ns" "$("$pa" -q --frame-list "$tmp/t" | awk '$4 == "ft.from_expected" && $3 < 1000000 { print $3 "," $5 "," $6 "," $8 }' | cksum)" \
	"$(tail -n +2 "$tmp/frames" | awk -F, '{ print $1 "," $2 "," $4 "," $6 }' | cksum)"
for f in text dat6 dat7-zstd; do
	"$sim" -f $f -o "$tmp/t" "$s"
	# a marker is written 200 ns after, or before, what it marks
	is "frames by markers as $f" "$("$pa" -q --refresh 60 --frame-list "$tmp/t" | awk '$4 == "cpu.ui_rt" { printf "%s,%.0f,%s\n", $3, $5 - 200, $6 }' | cksum)" \
		"$(tail -n +2 "$tmp/frames" | awk -F, '{ print $1 "," $3 "," $4 }' | cksum)"
done

"$sim" -f dat7 -o "$tmp/t" -l "$tmp/l" -p "$tmp/p.yaml" "$s"
"$pa" -q --platform "$tmp/p.yaml" --frame-list "$tmp/t" >"$tmp/list"
is "the parts of each frame add up to it" "$(awk -F'\t' 'NR > 1 { s = 0; for (i = 9; i <= 17; i++) s += $i; n++; bad += s != $7 } END { enough = (n > 100); print enough ? bad + 0 : "few" }' "$tmp/list")" 0
for sc in ui-scroll-60 ui-scroll-120 gpu-bound ui-sync binder-hop refresh-switch; do
	for f in $formats; do
		"$sim" -f $f -o "$tmp/t" -F "$tmp/frames" -p "$tmp/p.yaml" tests/sim/scenarios/$sc.yaml
		"$pa" -q --run none --platform "$tmp/p.yaml" --frame-list "$tmp/t" >"$tmp/list"
		case $f in
		perfetto*) by=0 ;;
		*) by=1 ;;
		esac
		is "$sc as $f: laid out again without a change, each frame ends as recorded" "$(analyse "$tmp/t" | jq -c '[.frames[] | select(.if_app_janky) | .if_app_janky | [.check_moved, .unchanged >= .top_clock and .top_clock >= .largest_top and .second_size >= .largest and .unchanged >= .no_waiting]] | unique')" '[[0,true]]'
		is "$sc as $f: every part of every frame" "$(awk -v markers=$by -f tests/sim/frames.awk "$tmp/frames" "$tmp/list")" good
	done
done

# ---- meters ----
s=tests/sim/scenarios/ui-scroll-60.yaml
"$sim" -f perfetto -o "$tmp/t" -l "$tmp/l" -p "$tmp/p.yaml" "$s"
analyse "$tmp/t" >"$tmp/j"
is "rails measure what the model used" "$(jq --slurpfile l "$tmp/l" '([.energy.rails[].mj] | add) * 1e6 / $l[0].energy_em_L0_nj - 1 | fabs < 1e-4' "$tmp/j")" true
is "FrameTimeline has four starts and ends of every frame" "$(jq .events.frame_timeline "$tmp/j")" "$(jq '.frames.n * 8' "$tmp/l")"
is "/proc/stat within its step" "$(jq '[.cpus[].proc_stat | .busy_ns - .rebuilt_ns | fabs] | max <= 20000000' "$tmp/j")" true
is "capacities are in the trace" "$("$pa" -q --run none --format json "$tmp/t" | jq -c '[.cpus[].capacity] | unique')" "$(jq -c '[.cpus[].capacity] | unique' "$tmp/j")"

"$sim" -o "$tmp/a.dat" "$s"
"$sim" -o "$tmp/b.dat" "$s"
is "the same seed, the same bytes" "$(cksum <"$tmp/a.dat")" "$(cksum <"$tmp/b.dat")"
"$sim" -s 2 -o "$tmp/b.dat" "$s"
if cmp -s "$tmp/a.dat" "$tmp/b.dat"; then not_ok "another seed, other bytes"; else ok "another seed, other bytes"; fi
like "it says that it is simulated" "$("$pa" -q "$tmp/a.dat" | head -1)" 'simulated'
irq=tests/sim/scenarios/irq-load.yaml
if command -v protoc >/dev/null; then
	decode() { protoc -Iproto -Itests/sim --decode="sim.$1" trace.proto <"$2" 2>&1; }
	"$sim" -f perfetto -o "$tmp/t" -l "$tmp/l" $irq
	is "protoc reads every event" "$(decode Bundles "$tmp/t" | grep -c '^    event {')" "$(jq '[.events[]] | add' "$tmp/l")"
	is "... and every packet of rails, which is one per sample" "$(decode Trace "$tmp/t" | grep -c power_rails)" 21
	"$sim" -f perfetto-compact -o "$tmp/t" $irq
	is "... every switch in the compact form" "$(decode Bundles "$tmp/t" | grep -c switch_timestamp:)" "$(jq .events.sched_switch "$tmp/l")"
	is "... and every waking" "$(decode Bundles "$tmp/t" | grep -c waking_timestamp:)" "$(jq .events.sched_waking "$tmp/l")"
	"$sim" -f perfetto-deflate -o "$tmp/t" $irq
	is "... and packets that are compressed" "$(decode Bundles "$tmp/t" | grep -c '^  compressed_packets')" "$(decode Bundles "$tmp/t" | grep -c '^packet')"
else
	echo "# protoc is not there: it does not read them"
fi
for sc in ui-scroll-60 ui-scroll-120 rt-app-24 thermal-cap; do
	"$sim" -f dat7 -o "$tmp/t" -r "$tmp/run.yaml" -p "$tmp/p.yaml" tests/sim/scenarios/$sc.yaml
	is "$sc: schedutil's requests explain the clock" "$("$pa" -q --run "$tmp/run.yaml" --platform "$tmp/p.yaml" --format json "$tmp/t" |
		jq '.request | .explained / .changes > 0.98 and .changes > 30')" true
done
if command -v trace-cmd >/dev/null; then
	for f in dat6 dat7 dat7-zlib dat7-zstd; do
		if [ $f = dat7-zlib ] && ! trace-cmd report testdata/tracedat/v7_zlib.dat >/dev/null 2>&1; then
			echo "# this trace-cmd does not read zlib"
			continue
		fi
		"$sim" -f $f -o "$tmp/t.dat" -l "$tmp/l" "$s"
		is "trace-cmd report reads all of $f" "$(trace-cmd report "$tmp/t.dat" 2>/dev/null | grep -c '\[0')" "$(jq '[.events[]] | add' "$tmp/l")"
	done
else
	echo "# trace-cmd is not there: it does not read them"
fi

# ---- damage: said, and the rest stays right ----
"$sim" -l "$tmp/l" -p "$tmp/p.yaml" "$s"
others='[.cpus[] | select(.cpu != 2) | {cpu, busy_ns, idle_ns, switches}]'
jq -S "$others" "$tmp/l" >"$tmp/truth"
for f in text dat6 dat7-zstd perfetto perfetto-compact; do
	"$sim" -d lost:2:1000:1300 -f $f -o "$tmp/t" "$s"
	analyse "$tmp/t" >"$tmp/j"
	is "$f: a gap of one CPU leaves the others right" "$(jq -S "$others" "$tmp/j" | diff "$tmp/truth" - | head -4)" ""
	is "$f: the gap is unknown time" "$(jq '.cpus[2].unknown_ns > 200000000 and .cpus[2].unknown_ns < 500000000 and .quality.lost_gaps >= 1' "$tmp/j")" true
done
"$sim" -d lost:2:1000:1300 -f dat6 -o "$tmp/t" "$s"
n=$(($("$sim" -f text -o /dev/stdout "$s" | grep -c '\[002\]') - $("$sim" -d lost:2:1000:1300 -f text -o /dev/stdout "$s" | grep -c '\[002\]')))
is "how many are lost is known" "$(analyse "$tmp/t" | jq .quality.lost_known)" "$n"
"$sim" -d noswitch:97 -f dat7 -o "$tmp/t" "$s"
is "missing switches are inferred" "$(analyse "$tmp/t" | jq '.quality.inferred_switches > 5')" true
"$sim" -d nofreq -f dat7 -o "$tmp/t" "$s"
for f in text perfetto; do
	"$sim" -d suspend:1000:300 -f $f -o "$tmp/t" "$s"
	analyse "$tmp/t" >"$tmp/j"
	is "$f: suspend is said" "$(jq -c '.quality | [.suspends, .suspended_ns, .inferred_switches, .unknown_pct]' "$tmp/j")" '[1,300000000,0,0]'
	is "$f: nothing runs meanwhile" "$(jq -S '[.cpus[] | {cpu, busy_ns, idle: (.idle_ns - .offline_ns), switches}]' "$tmp/j" | cksum)" \
		"$(jq -S '[.cpus[] | {cpu, busy_ns, idle: .idle_ns, switches}]' "$tmp/l" | cksum)"
	is "$f: the times of tasks are as they were" "$(jq -S '[.tasks[] | select(.pid > 1) | {pid, run_ns, runnable_ns, switch_in}] | sort_by(.pid)' "$tmp/j" | cksum)" \
		"$(jq -S '[.tasks[] | select(.pid > 1) | {pid, run_ns, runnable_ns, switch_in}] | sort_by(.pid)' "$tmp/l" | cksum)"
done
is "a clock is unknown before its first event" "$(analyse "$tmp/t" | jq '[.cpus[].frequency | select(. != null) | .unknown_ns] | max > 0')" true
for f in text dat6 perfetto; do
	"$sim" -d clock:2000:-5 -f $f -o "$tmp/t" "$s"
	analyse "$tmp/t" >"$tmp/j"
	is "$f: a clock that is set back is seen" "$(jq '.quality.backward_steps >= 1 and .quality.backward_max_ns <= 5000000 and .quality.backward_max_ns > 4000000' "$tmp/j")" true
done
"$sim" -f text -o "$tmp/t" "$s"
head -c 300000 "$tmp/t" >"$tmp/cut"
analyse "$tmp/cut" >"$tmp/j"
is "a cut file is read to its cut" "$(jq '[.events[]] | add' "$tmp/j")" "$(head -c 300000 "$tmp/t" | sed "\$d" | grep -cE '\[[0-9]+\] \.+ +[0-9]+\.[0-9]+:')"
like "and that it is cut is said" "$(jq -c .quality.notes "$tmp/j")" 'cut'

exits "no such damage" 2 "$sim" -d storm -o "$tmp/t" "$s"
done_testing
