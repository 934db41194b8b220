#!/bin/sh
# Scheduling answers against sched_truth.tsv (an independent script), to the ns; missing switches
# against lost_switch.tsv; conservation on every trace.
. "$(dirname "$0")/lib.sh"

truth() { # FOLDER FILE (name in the table)
	"$pa" -q --format json "$1/$2" >"$tmp/j" 2>"$tmp/err" || { not_ok "$3" "$(cat "$tmp/err")"; return; }
	jq -r '
		def row(k; i; v): [k, (i | tostring), (v | tostring)] | @tsv;
		row("span_ns"; "-"; .trace.span_ns), row("migrate.total"; "-"; .migrations.explicit),
		(.cpus[] | row("cpu.busy_ns"; .cpu; .busy_ns)),
		(.tasks | group_by(.pid)[] | (.[0].pid as $p |
			row("task.run_ns"; $p; (map(.run_ns) | add)),
			row("task.switch_in"; $p; (map(.switch_in) | add)),
			row("task.migrate"; $p; (map(.migrations.explicit) | add)))),
		row("wake_latency.n"; "-"; .latency.wakeup.n), row("wake_latency.p50"; "-"; .latency.wakeup.p50_ns),
		row("wake_latency.p95"; "-"; .latency.wakeup.p95_ns), row("wake_latency.p99"; "-"; .latency.wakeup.p99_ns),
		row("wake_latency.max"; "-"; .latency.wakeup.max_ns)' "$tmp/j" >"$tmp/got"
	awk -F'\t' -v file="$3" '
		NR == FNR { got[$1 "\t" $2] = $3; next }
		$1 == file && $2 ~ /^(span_ns|migrate.total|cpu.busy_ns|task.run_ns|task.switch_in|task.migrate|wake_latency)/ {
			n++
			if (got[$2 "\t" $3] != $4) print $2 " " $3 ": " got[$2 "\t" $3] " not " $4
		}
		END { if (!n) print "nothing compared" }' "$tmp/got" testdata/truth/sched_truth.tsv >"$tmp/diff"
	if [ -s "$tmp/diff" ]; then not_ok "$3" "$(head -5 "$tmp/diff")"; else ok "$3 as in sched_truth.tsv"; fi
}

truth testdata/truth v6_plain.dat.gz v6_plain.dat
if [ -d "$SHARED/traces" ]; then
	truth "$SHARED/traces/recorded" v7_zstd.dat v7_zstd.dat
	for f in "$SHARED"/traces/public/tracedat/*.dat; do
		grep -q "^$(basename "$f")" testdata/truth/sched_truth.tsv &&
			truth "$SHARED/traces/public/tracedat" "$(basename "$f")" "$(basename "$f")"
	done
fi

# lost_switch.tsv: within 1 %, and as many inferred
"$pa" -q --format json testdata/truth/pelt-cpu0-periodic.dat >"$tmp/j"
near() { # NAME GOT_NS WANT_MS
	if awk -v g="$2" -v w="$3" 'BEGIN { d = g / 1e6 - w; exit !(d <= w / 100 && -d <= w / 100) }'; then ok "$1"; else
		not_ok "$1" "$2 ns, not within 1 % of $3 ms"
	fi
}
near "busy of cpu0" "$(jq '.cpus[0].busy_ns' "$tmp/j")" 4120.745
near "unknown of cpu0" "$(jq '.cpus[0].unknown_ns' "$tmp/j")" 0.159
near "busy of cpu1" "$(jq '.cpus[1].busy_ns' "$tmp/j")" 47.372
near "unknown of cpu1" "$(jq '.cpus[1].unknown_ns' "$tmp/j")" 22.525
is "inferred switches" "$(jq .quality.inferred_switches "$tmp/j")" 269

# conservation: CPUs, tasks, kinds of migrations, run time by CPU; idle and frequency, too
conserve='
	def near(a; b): (a - b) | (. <= 0 and . >= 0);
	.window.span_ns as $w |
	[ (.cpus[]? | select(.busy_ns) | select(.busy_ns + .idle_ns + .unknown_ns != $w) | "cpu \(.cpu) time"),
	  (.cpus[]? | select(.frequency) | select(.frequency.unknown_ns + ([.frequency.residency[].total_ns] | add // 0) != $w) | "cpu \(.cpu) frequency"),
	  (.cpus[]? | select(.frequency and .busy_ns) | select(([.frequency.residency[].busy_ns] | add // 0) > .busy_ns) | "cpu \(.cpu) busy frequency"),
	  (.cpus[]? | select(.idle) | select(.idle.unknown_ns + .idle.active_ns + ([.idle.residency[].ns] | add // 0) != $w) | "cpu \(.cpu) idle"),
	  (select(.cpus | type == "array") | select([.cpus[].busy_ns // 0] | add != null) |
		select(([.cpus[].busy_ns // 0] | add) != ([.tasks[].run_ns // 0] | add // 0)) | "busy is not the sum of run"),
	  (.tasks[]? | select(.run_ns) | select(.lifetime_ns != .run_ns + .runnable_ns + .blocked_ns + .unknown_ns) | "task \(.pid) lifetime"),
	  (.tasks[]? | select(.run_ns) | select(.run_ns != ([.cpu_ns[]] | add // 0)) | "task \(.pid) by cpu"),
	  (.tasks[]? | .migrations | select(.explicit + .implicit != .wakeup + .queued + .running + .fork + .unknown) | "kinds of migration")
	] | .[]'
all=
for f in testdata/*/*.dat testdata/*/*/*.dat testdata/truth/*.gz "$SHARED"/traces/recorded/*.dat "$SHARED"/traces/truth/*.dat \
	"$SHARED"/traces/public/tracedat/*.dat; do
	[ -e "$f" ] || continue
	case $f in */big_zstd.dat | */large*) [ -n "$SAN" ] && continue ;; esac
	timeout 120 "$pa" -q --format json "$f" >"$tmp/j" 2>/dev/null </dev/null
	case $? in
	0 | 3)
		[ -s "$tmp/j" ] || continue
		bad=$(jq -r "$conserve" "$tmp/j" 2>&1 | head -3)
		[ -z "$bad" ] || all="$all$(basename "$f"): $bad; "
		;;
	esac
done
is "conservation on every trace" "$all" ""
for w in '--from 1 --to 3.5' '--from 0.5' '--to 2' '--from text:doFrame --to 4'; do
	# shellcheck disable=SC2086
	"$pa" -q --format json $w testdata/arm64-ui/pelt8/iter-03.dat >"$tmp/j"
	is "conservation in a window: $w" "$(jq -r "$conserve" "$tmp/j" 2>&1 | head -3)" ""
done
done_testing
