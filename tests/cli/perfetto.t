#!/bin/sh
# Perfetto traces: hand-made cases, the same trace in other encodings, cut at every packet, busy time
# against /proc/stat, and the files of others when they are there.
. "$(dirname "$0")/lib.sh"
data=testdata/perfetto
re=$BUILD/reencode

# "busy of the CPUs that ran something; switches" of a report
answer() { jq -r '"\([.cpus[] | select(.busy_ns) | "\(.cpu):\(.busy_ns)"] | join(" ")); \([.cpus[].switches // 0] | add)"'; }

# ---- hand-made cases: exit code, busy and switches, gaps, what must be said ----
while IFS='|' read -r case code want gaps say; do
	f=$data/craft/$case.pftrace
	timeout 10 "$pa" --format json "$f" >"$tmp/out" 2>"$tmp/err" </dev/null
	got=$?
	if [ $got != "$code" ]; then not_ok "$case" "exit $got, not $code" "$(head -2 "$tmp/err")"; continue; fi
	if [ -n "$want" ]; then
		is "$case" "$(answer <"$tmp/out"), $(jq .quality.lost_gaps "$tmp/out") gaps" "$want, $gaps gaps"
	fi
	[ -z "$say" ] || like "$case says it" "$(cat "$tmp/err")" "$say"
done <<'EOF'
ok|0|0:3000; 4|0|
ok_padlen|0|0:3000; 4|0|
ok_padnested|0|0:3000; 4|0|
ok_empty|0|0:3000; 4|0|
ok_topfields|0|0:3000; 4|0|
bad_firstfield|0|0:3000; 4|0|
ok_concat|0|0:6000; 8|0|
cut_tail|2|||cut at offset 262: of the packet at 107, 152 of 172 bytes
cut_len|3|0:3000; 4|0|cut at offset 284
tail_zero|3|0:3000; 4|0|64 bytes of trailing zeros
tail_ff|3|0:3000; 4|0|offset 282: 64 bytes of trailing garbage
tail_text|3|0:3000; 4|0|35 bytes of trailing garbage
mid_ff|3|0:6000; 8|1|goes on at offset 298
bad_inner|3|0:3000; 4|0|packet at offset 107
bad_group|3|0:3000; 4|0|packet at offset 107
bad_hugelen|2|||of 1099511627776 bytes
ok_zlib|0|0:3000; 4|0|
ok_gzinner|0|0:3000; 4|0|
ok_zstd|0|0:3000; 4|0|
bad_rawdeflate|2|||compressed data is damaged
bad_zcut|3|0:3000; 4|0|compressed data is cut
bad_ztail|3|0:3000; 4|0|bytes follow its compressed data
nested_z|2|||another compressed packet in it
zbomb|0|0:3000; 4|0|
ok_gzfile|0|0:3000; 4|0|
ok_gz2|0|0:3000; 4|0|
bad_gzcut|2|||cut at offset 241
zip2|2|||zip archive.*a.pftrace, b.pftrace
ev_nopid|0|0:3000; 4|0|
ev_nots|0|0:3000; 4|0|
ev_nopayload|0|0:3000; 4|0|
ev_order|0|0:1000; 2|0|
bu_nocpu|2|||do not say of which CPU
bu_cpulast|0|3:3000; 4|0|
bu_clkunknown|3|1:3000; 4|0|on a clock that cannot be converted
bu_clkglobal|0|0:9000; 12|0|
bu_clkmonoraw|0|0:3000; 4|0|
bu_lost|0|0:0; 2|1|
bu_prevend|0|0:3000 1:3000; 8|1|has data from 1.000150 s
bu_swapped|0|0:3000; 4|0|
bu_dup|0|0:3000; 4|0|
before_start|0|0:2000; 2|0|
fst_err|3|0:3000; 4|0|error 2
fst_err12|0|0:3000; 4|0|
bu_error|3|0:3000; 4|1|could not parse
cs_ok|0|0:3000; 4|0|
cs_short|3|0:1000; 3|0|arrays do not fit
cs_index|3|0:3000; 4|0|arrays do not fit
cs_unpacked|0|0:3000; 4|0|
cs_twochunks|0|0:3000; 4|0|
cs_cutvarint|3|0:0; 1|0|arrays do not fit
cs_tablelast|0|0:3000; 4|0|
cs_back|0|0:2500; 4|0|
gen_nodesc|0|0:3000; 4|0|
clk_none|2|||holds 2 track events
inc_never|2|||2 packets of sequence 5 are unusable
EOF
is "bu_cpu1024" "$("$pa" --format json $data/craft/bu_cpu1024.pftrace | answer)" "0:0 1024:0; 8"
is "bu_twoseq" "$("$pa" --format json $data/craft/bu_twoseq.pftrace | jq -c .events)" '{"cpu_frequency":2,"sched_switch":4}'
is "bu_dup is told" "$("$pa" --format json $data/craft/bu_dup.pftrace | jq .quality.duplicates)" 1
is "before_start is told" "$("$pa" --format json $data/craft/before_start.pftrace | jq .quality.early_events)" 2
is "--early" "$("$pa" --early --format json $data/craft/before_start.pftrace | answer)" "0:3000; 4"
is "ev_nots is counted" "$("$pa" --format json $data/craft/ev_nots.pftrace | jq .quality.bad_events)" 1
is "cs_back is counted" "$("$pa" --format json $data/craft/cs_back.pftrace | jq .quality.backward_steps)" 1
is "gen_nodesc is counted" "$("$pa" --format json $data/craft/gen_nodesc.pftrace | jq '.events["#65541"]')" 1
is "pid used again" "$("$pa" --format json $data/craft/proc.pftrace | jq -c '[.tasks[] | [.pid, .tgid, .comm, .process]]')" \
	'[[100,100,null,"com.example.app"],[100,100,"zygote64",null],[102,100,"Binder:1","com.example.app"],[200,200,"<pre-initialize",null],[900,null,null,null]]'

# ---- the same in other encodings ----
same() { "$pa" --format json "$1" | jq -S 'del(.trace)' >"$tmp/$2"; }
same $data/small.pftrace plain
for how in deflate zstd; do
	"$re" $how $data/small.pftrace >"$tmp/again"
	same "$tmp/again" $how
	if cmp -s "$tmp/plain" "$tmp/$how"; then ok "small, $how: same JSON"; else not_ok "small, $how" "$(diff "$tmp/plain" "$tmp/$how" | head -5)"; fi
done
"$pa" --format json - <"$tmp/again" | jq -S 'del(.trace)' >"$tmp/pipe"
if cmp -s "$tmp/plain" "$tmp/pipe"; then ok "small, zstd, on standard input"; else not_ok "standard input"; fi
"$re" compact $data/craft/ok.pftrace >"$tmp/again"
is "ok as compact scheduling" "$("$pa" --format json "$tmp/again" | answer)" "0:3000; 4"
"$re" compact $data/small.pftrace >"$tmp/again"
is "small as compact scheduling: same events" "$("$pa" --format json "$tmp/again" | jq -c .events)" "$(jq -c .events "$tmp/plain")"

# ---- busy time against /proc/stat in the same file: 3 % of the span ----
for f in small small-compact small-deflate small-zstd; do
	is "$f: busy time and /proc/stat" "$("$pa" --format json $data/$f.pftrace |
		jq '.trace.span_ns as $s | [.cpus[].proc_stat | (.busy_ns - .rebuilt_ns) | if . < 0 then -. else . end | . <= 0.03 * $s] | all')" true
done
# oracles/lost_switch.tsv: cpu1, ms
for pair in small:295 small-compact:1507 small-deflate:242 small-zstd:1514; do
	is "${pair%:*}: busy time of cpu1 (${pair#*:} ms, within 1 %% of the span)" "$("$pa" --format json $data/${pair%:*}.pftrace |
		jq --argjson w "${pair#*:}" '.trace.span_ns as $s | .cpus[1].busy_ns - $w * 1000000 | if . < 0 then -. else . end | . <= 0.01 * $s')" true
done
is "small-lossy: gaps are unknown time" "$("$pa" --format json $data/small-lossy.pftrace |
	jq -c '[.quality.lost_gaps, .quality.overrun, (.cpus | map(.unknown_ns > 0) | any)]')" '[3,1789,true]'

# ---- cut one byte before, at, and behind the end of packets ----
"$re" offsets $data/small.pftrace >"$tmp/ends"
bad=0 n=0
while read -r end; do
	for cut in $((end - 1)) $end $((end + 1)); do
		[ $cut -lt "$(stat -c %s $data/small.pftrace)" ] || continue
		head -c $cut $data/small.pftrace >"$tmp/cut"
		timeout 5 "$pa" --format json "$tmp/cut" >"$tmp/out" 2>"$tmp/err"
		code=$? n=$((n + 1))
		case $code in
		0) [ $cut = $end ] || bad=$((bad + 1)) ;;
		2 | 3) grep -q "cut at offset $cut\|no kernel events\|not a trace" "$tmp/err" || bad=$((bad + 1)) ;;
		*) bad=$((bad + 1)) ;;
		esac
	done
done <"$tmp/ends"
is "cut in $n places: partial, and says where" $bad 0

# ---- the files of others ----
if [ -d "$SHARED/traces/golden" ]; then
	bad=
	for f in "$SHARED"/traces/golden/*.pb "$SHARED"/traces/public/perfetto/*; do
		timeout 10 "$pa" --format json "$f" >"$tmp/out" 2>"$tmp/err"
		case $? in
		0 | 3) jq -e .trace "$tmp/out" >/dev/null || bad="$bad $f" ;;
		2) grep -q "no kernel events" "$tmp/err" || bad="$bad $f" ;;
		*) bad="$bad $f" ;;
		esac
	done
	is "every golden and public file gives a report or a reason" "$bad" ""
	f=$SHARED/traces/public/perfetto/msperf-android12_cpuschedstack.pftrace
	# not from the start: who runs before a CPU's first switch is what compact cannot say
	"$pa" --from 0.1 --format json "$f" | jq -S 'del(.trace)' >"$tmp/plain"
	"$re" compact "$f" >"$tmp/again"
	"$pa" --from 0.1 --format json "$tmp/again" | jq -S 'del(.trace)' >"$tmp/compact"
	if cmp -s "$tmp/plain" "$tmp/compact"; then ok "android12 as compact scheduling: same JSON"; else
		not_ok "android12 as compact scheduling" "$(diff "$tmp/plain" "$tmp/compact" | head -20)"
	fi
fi

# frames: rows of FrameTimeline as trace_processor has them, and the numbers of its metric
truth=$SHARED/oracles/perfetto_truth.tsv
rows() { "$pa" -q --list frame-rows "$1"; }
for f in nowinandroid-sidky.perfetto-trace msperf-android12_cpuschedstack.pftrace; do
	t=$SHARED/traces/public/perfetto/$f
	[ -e "$t" ] || { echo "# $f is not there"; continue; }
	rows "$t" >"$tmp/rows"
	is "$f: rows, jank, presents, durations of trace_processor" "$(awk -F'\t' -v OFS='\t' '
		NR > 1 { n["frames_" $1 "_rows", $2]++ }
		$1 == "actual" {
			n["frames_" $2 "_jank", $12]++
			if ($2 == "surface") n["frames_surface_present", $9]++
			if ($2 == "surface" && $4 < 0) n["frames_surface_incomplete", "dur=-1"]++
			if ($4 >= 0) { sum[$2] += $4; of[$2]++; if ($4 > max[$2]) max[$2] = $4 }
			if ($8 != "") layer[$8]
		}
		END {
			for (k in sum) {
				n["frames_" k "_dur_mean_ns", "dur>=0"] = sprintf("%.15g", sum[k] / of[k])
				n["frames_" k "_dur_max_ns", "dur>=0"] = max[k]
			}
			n["frames_layers", "distinct layer_name"] = length(layer)
			for (k in n) { split(k, a, SUBSEP); print a[1], a[2], n[k] }
		}' "$tmp/rows" | LC_ALL=C sort)" \
		"$(awk -F'\t' -v OFS='\t' -v f="$f" '$2 == f && $3 ~ /^frames_/ && $3 != "frames_process" { print $3, $4, $5 }' "$truth" | LC_ALL=C sort)"
	for kind in surface display; do
		want=$(awk -F'\t' -v f="$f" -v k=$kind '$2 == f && $3 == "frames_actual_rows" && $4 == k { print $5 }' "$truth")
		if [ $kind = display ]; then pick='endswith("(display)")'; else pick='endswith("(display)") | not'; fi
		is "$f: our frames have all $kind rows" "$("$pa" -q --format json "$t" | jq "[.frames[] | select(.process | $pick) | .rows + .far_rows] | add")" "$want"
	done
done
# doFrame alone: mean and maximum of trace_processor, to the ns; of the large one it leaves out 7 at the start, the app's own record has them
for f in small small-zstd small-deflate small-compact; do
	t=$SHARED/traces/recorded/perfetto/$f.pftrace
	[ -e "$t" ] || continue
	is "$f: doFrame" "$("$pa" -q --frames 'slice=Choreographer#doFrame' -f json "$t" | jq -c '.frames[0] | [.n, (.sum_ns / .n | floor), .max_ns]')" \
		"$(awk -F'\t' -v f=$f.pftrace '$2 == f && $3 ~ /^doframe/ { v[$3] = $5 } END { print "[" v["doframe_n"] "," v["doframe_mean_ns"] "," v["doframe_max_ns"] "]" }' "$truth")"
done
t=$SHARED/traces/recorded/perfetto/large-deflate
if [ -e "$t.pftrace" ]; then
	is "large: every frame of the app's own record" "$("$pa" -q -f json $t.pftrace | jq '.frames[0].n')" "$(($(wc -l <$t.frames.csv) - 1))"
fi
g=$SHARED/traces/golden
if [ -e "$g" ]; then
	f=metrics__frame_timeline__frame_timeline_metric.pb
	"$pa" -q --profile perfetto -f json "$g/$f" >"$tmp/j"
	for i in 0 1; do # the others: tests/frame/rows.c
		is "golden: metric of process $i" "$(jq -c --arg p "process$((i + 1))" '.frames[] | select(.process == $p) | .perfetto | to_entries[] | "\(.key) \(.value)"' "$tmp/j" | tr -d '"' | LC_ALL=C sort)" \
			"$(awk -F'\t' -v f=$f -v i="process[$i]." '$2 == f && $3 == "answer" && (at = index($4, i)) && $4 !~ /_ms_|jank_types|process\[[0-9]\]\.process|name/ { print substr($4, at + length(i)), $5 + 0 }' "$truth" | LC_ALL=C sort)"
	done
	is "golden: frames, missed by the app, dropped" "$(jq -c '[.frames[].perfetto] | [(map(.total_frames) | add), (map(.missed_app_frames) | add), (map(.dropped_frames) | add)]' "$tmp/j")" '[11,3,1]'
	f=parser__graphics__actual_frame_timeline_events.pb
	is "golden: actual rows" "$(rows "$g/$f" | awk -F'\t' '$1 == "actual" { print $3 "|" $4 "|" $5 "|" $6 "|" ($7 ? $7 : "") "|" $8 "|" $9 "|" $10 "|" $11 "|" $12 "|" $13 }' | LC_ALL=C sort)" \
		"$(awk -F'\t' -v f=$f '$2 == f && $3 == "row" { print $5 }' "$truth" | cut -d'|' -f1-11 | LC_ALL=C sort)"
	f=parser__graphics__expected_frame_timeline_events.pb
	is "golden: expected rows" "$(rows "$g/$f" | awk -F'\t' '$1 == "expected" { print $3 "|" $4 "|" $5 "|" $6 "|" ($7 ? $7 : "") "|" $8 }' | LC_ALL=C sort)" \
		"$(awk -F'\t' -v f=$f '$2 == f && $3 == "row" { print $5 }' "$truth" | cut -d'|' -f1-6 | LC_ALL=C sort)"
	# markers and FrameTimeline by token; 160 has no row of its own process
	for f in stdlib__android__android_frame_stats.pb stdlib__android__android_frames_layers.pb metrics__graphics__android_jank_cuj_query.pb; do
		for s in timeline markers; do
			"$pa" -q --frame-list --frames $s "$g/$f" | awk '$1 == 1000 { print $3 }' | sort -n >"$tmp/$s"
		done
		is "$f: the same frames by markers" "$(diff "$tmp/timeline" "$tmp/markers" | tr '\n' ' ')" "13a14 > 160 "
	done
	is "golden: overrun of D11, of the later layer (60), of its own process (160: none)" \
		"$("$pa" -q --why "$g/stdlib__android__android_frame_stats.pb" | awk '$2 ~ /^[0-9]+$/ { printf "%s:%g ", $2, $4 }')" \
		"10:0 20:8 30:5 40:20 60:0 90:3 100:2 110:60 120:41 130:36 140:5.6 145:0 150:-5 1000:480 "
fi
done_testing
