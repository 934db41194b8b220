#!/bin/sh
# batch-compare: what it finds in folders, numbers against the programs' own records, tables, bad runs.
. "$(dirname "$0")/lib.sh"
bc=$BUILD/batch-compare
set=testdata/arm64-ui

# ---- numbers ----
"$bc" -q -f json --why --ceiling performance $set/pelt32 $set/pelt16 $set/pelt8 $set/performance >"$tmp/j"
is "four configurations" "$(jq -c '[.configurations[] | [.name, (.runs | length)]]' "$tmp/j")" '[["pelt32",3],["pelt16",4],["pelt8",3],["performance",3]]'
# the program's own clock stands just outside of the markers
for c in pelt32 pelt8 performance; do
	for i in 02 03 04; do
		tail -n +2 $set/$c/iter-$i.frames.csv | awk -F, -v c=$c -v i=$i '{ d = ($6 - $3) / 1e6; s += d; if (d > 50 / 3) late++ } END { print c, "iter-" i, NR, s / NR, 100 * late / NR }'
	done
done >"$tmp/own"
jq -r '.configurations as $c | .rows[] | select(.metric == "frame.used_count" or .metric == "frame.mean_ms" or .metric == "frame.jank_pct") | .metric as $m | .cells[] | .configuration as $n | .values | to_entries[] |
	"\($m) \($n) \(.key) \(.value)"' "$tmp/j" | awk '{ split("", x); print $2, "iter-" sprintf("%02d", $3 + ($2 == "pelt16" ? 1 : 2)), $1, $4 }' >"$tmp/ours"
is "frames, mean and jank of each iteration as the program says" "$(awk 'NR == FNR { n[$1, $2] = $3; mean[$1, $2] = $4; jank[$1, $2] = $5; next }
	!(($1, $2) in n) { next }
	$3 == "frame.used_count" { good += $4 == n[$1, $2] }
	$3 == "frame.mean_ms" { d = $4 - mean[$1, $2]; good += d < .15 && d > -.15 }
	$3 == "frame.jank_pct" { d = $4 - jank[$1, $2]; good += d < .6 && d > -.6 }
	END { print good }' "$tmp/own" "$tmp/ours")" 27
is "rows of why add up to the change of the mean" "$(jq -c '[.why[] | ((.rows[:-1] | map(.ms) | add) - .rows[-1].ms | fabs < 2e-5) and (.to_ms - .from_ms - .rows[-1].ms | fabs < 2e-4)] | unique' "$tmp/j")" '[true]'
like "the way to the ceiling" "$(jq -c '.rows[] | select(.metric == "frame.mean_ms") | [.cells[1:][].of_ceiling_pct]' "$tmp/j")" '^\[[0-9.]+,[0-9.]+,100\]$'

# ---- what must hold ----
same="$set/pelt8"
mkdir -p "$tmp/a" "$tmp/b" && cp $same/*.dat $same/run.yaml "$tmp/a" && cp $same/*.dat $same/run.yaml "$tmp/b" && cp $set/platform.yaml "$tmp"
is "compared with itself: no difference" "$("$bc" -q -f json "$tmp/a" "$tmp/b" | jq -c '[.rows[].cells[1] | .change // 0 | fabs < 1e-9] | unique')" '[true]'
"$bc" -q -f json $set/pelt32 $set/pelt8 | jq -c '[.rows[] | select(.cells[1].change_of == "means, in the unit") | .cells[1] | [.change, .low, .high]]' >"$tmp/1"
"$bc" -q -f json $set/pelt8 $set/pelt32 | jq -c '[.rows[] | select(.cells[1].change_of == "means, in the unit") | .cells[1] | [-.change, -.high, -.low]]' >"$tmp/2"
is "swapped: the signs change" "$(jq -n -c --slurpfile a "$tmp/1" --slurpfile b "$tmp/2" '[$a[0], $b[0]] | transpose | map(transpose | map(.[0] - .[1] | fabs < 1e-3)) | flatten | unique')" '[true]'
"$bc" -q -j1 --why $set >"$tmp/1" && "$bc" -q -j8 --why $set >"$tmp/8"
is "-j1 and -j8 give the same bytes" "$(cmp "$tmp/1" "$tmp/8" 2>&1)" ""
is "another order of folders, the same baseline: the same numbers" \
	"$("$bc" -q -f csv --baseline pelt32 $set/pelt8 $set/pelt16 $set/pelt32 | sort | cksum)" "$("$bc" -q -f csv $set/pelt32 $set/pelt16 $set/pelt8 | sort | cksum)"

# ---- folders ----
mkdir -p "$tmp/mm/base/iter-1" "$tmp/mm/base/iter-2" "$tmp/mm/new/iter-10" "$tmp/mm/new/iter-9" "$tmp/flat"
for d in base/iter-1 base/iter-2 new/iter-10 new/iter-9; do cp $same/iter-02.dat "$tmp/mm/$d/trace.dat"; done
is "a folder per iteration" "$("$bc" --dry-run "$tmp/mm" | tail -n +2 | cut -f1,2 | tr '\t\n' ', ')" "base,iter-1 base,iter-2 new,iter-9 new,iter-10 "
cp $same/iter-02.dat "$tmp/flat/old_1.dat" && cp $same/iter-03.dat "$tmp/flat/old_2.dat" && cp $same/iter-04.dat "$tmp/flat/new_1.dat"
is "names of files tell" "$("$bc" --dry-run --pattern '{config}_{iter}.dat' "$tmp/flat" | tail -n +2 | cut -f1,2 | tr '\t\n' ', ')" "new,1 old,1 old,2 "
like "what is no trace is told" "$("$bc" --dry-run $same)" '^-	-	.*run.yaml$'
exits "an empty folder" 2 "$bc" "$tmp/mm/base/iter-1/.." --pattern 'x{iter}'
mkdir "$tmp/empty"
exits "nothing in it" 2 "$bc" "$tmp/empty"
like "says so" "$(cat "$tmp/err")" 'empty: no trace in it'

mkdir -p "$tmp/x/pelt8" "$tmp/y/pelt8" && cp $same/iter-02.dat "$tmp/x/pelt8" && cp $same/iter-03.dat "$tmp/y/pelt8"
is "two folders of one name are two configurations" "$("$bc" --dry-run "$tmp/x/pelt8" "$tmp/y/pelt8" | tail -n +2 | cut -f1)" "pelt8
$tmp/y/pelt8"
exits "the same folder twice adds nothing" 2 "$bc" "$tmp/x/pelt8" "$tmp/x/pelt8"
like "says so" "$(cat "$tmp/err")" 'no trace in it that is not in an earlier folder'
exits "frames of nobody" 2 "$bc" -q -p nobody $same
like "what is missing is told" "$("$bc" -q "$tmp/x/pelt8")" 'no energy.frame_mj: no powers'

# ---- runs that cannot be used ----
mkdir -p "$tmp/bad" && cp $same/*.dat $same/run.yaml "$tmp/bad" && : >"$tmp/bad/iter-05.dat" && head -c 5000 $same/iter-02.dat >"$tmp/bad/iter-06.dat"
exits "a bad trace is not the end" 3 "$bc" -q -f json $same "$tmp/bad"
is "it is left out, and said" "$(jq -c '[.rows[0].cells[1].n, .rows[0].cells[1].missing]' "$tmp/out")" '[3,2]'
like "which and why" "$(cat "$tmp/err")" 'bad/iter-05.dat: is empty'
like "in the table, too" "$("$bc" -q $same "$tmp/bad" 2>/dev/null)" 'bad: 2 of 5 iterations left out: '

# ---- what is not comparable ----
mkdir "$tmp/other" && cp $same/*.dat "$tmp/other" && sed 's/^workload:.*/workload: another/' $same/run.yaml >"$tmp/other/run.yaml"
exits "another workload" 2 "$bc" -q $same "$tmp/other"
like "is told" "$(cat "$tmp/err")" 'not comparable: workload '
exits "unless it is forced" 0 "$bc" -q --force $same "$tmp/other"

# ---- results of others ----
printf 'configuration,iteration,metric,value,unit,direction\n' >"$tmp/r.csv"
printf '%s\n' 'WALT,1,VideoEditing,0,score,higher' 'PELT8,1,VideoEditing,4291,score,higher' 'WALT,1,WebV2,6202,score,higher' 'PELT8,1,WebV2,6448,score,higher' \
	'WALT,1,janks,>50,,lower' 'PELT8,1,janks,0,,lower' >>"$tmp/r.csv"
"$bc" -q "$tmp/r.csv" >"$tmp/out"
like "a failed run is no 0" "$(cat "$tmp/out")" '^ VideoEditing +score +\^ +failed +4291$'
like "the change of one run, without an interval" "$(cat "$tmp/out")" '^ WebV2 +score +\^ +6202 +6448 +\+4.0%$'
like "a censored cell stays what it was" "$(cat "$tmp/out")" '^ janks +v +>50 +0.00$'
exits "no table of results" 2 "$bc" $same/run.yaml
exits "no such folder" 2 "$bc" "$tmp/nothing"

# ---- Jankbench ----
# 10 20 30 and 5 5 50: mean 20 each, without the last frame 15 and 5
"$bc" -q testdata/jankbench/old testdata/jankbench/new >"$tmp/out"
like "mean of all frames" "$(cat "$tmp/out")" '^ jankbench.mean_ms +ms +v +20.00 +0.0% +19.25 '
like "janky: 1 of 3 in both" "$(cat "$tmp/out")" '^ jankbench.jank_pct +% +v +33.33 '
is "the tables of 2022" "$("$bc" -q --profile seed-2022 testdata/jankbench/old testdata/jankbench/new | grep '^m')" "max_frame_duration,old,2,50
max_frame_duration,new,2,90
mean_duration,old,8.7,0.0%
mean_duration,new,16.7,92.41%"
exits "two runs in a database, a flag that is not by the rule, another database" 3 "$bc" -q -f json testdata/jankbench/odd
is "two runs, and one that failed" "$(jq -c '[.configurations[0].runs[] | [.iteration, .failed != null]]' "$tmp/out")" '[["iter-1 run -7",false],["iter-1 run 3",false],["other",true]]'
like "what is odd is told" "$(cat "$tmp/err")" 'iter-1.db: 2 rows without a duration are left out; the stored flag of 1 '
exits "no database" 2 "$bc" -q --profile seed-2022 $set/pelt8

# ---- forms ----
for f in text list markdown csv json; do exits "as $f" 0 "$bc" -q -f $f $set/pelt32 $set/pelt8; done
is "72 columns for mail" "$("$bc" -q -f list $set | awk 'length > 72' | wc -l)" 0
is "into a file" "$("$bc" -q -o "$tmp/o" -f csv $set/pelt8 && head -1 "$tmp/o")" "configuration,iteration,metric,scope,unit,value,text"
is "some metrics" "$("$bc" -q -f csv -m 'latency.*' $set/pelt8 | cut -d, -f3 | sort -u | tr '\n' ' ')" "latency.preemption_max_us latency.preemption_p99_us latency.wakeup_max_us latency.wakeup_p50_us latency.wakeup_p95_us latency.wakeup_p99_us metric "
like "pairs by name" "$("$bc" -q --paired -f json $set/pelt32 $set/pelt8 | jq -c '[.rows[0].cells[1].pairs, .paired]')" '^\[3,true\]$'
for o in "--format x" "--level 0" "--level 100" "--jank no" "--jobs 0" "--baseline x $set" "--ceiling x $set" "--refresh 0.1 $set"; do
	exits "wrong: $o" 2 "$bc" -q $o $set/pelt8
done
exits "no folder" 2 "$bc"
done_testing
