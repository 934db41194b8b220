#!/bin/sh
# Options, windows, input by pipe and wrapper, output, exit codes.
. "$(dirname "$0")/lib.sh"
t=testdata/arm64-ui/pelt32/iter-02.dat
json() { "$pa" -q --format json "$@"; }

exits "no argument" 2 "$pa"
like "says what to do" "$(cat "$tmp/err")" 'no trace given; see --help'
exits "unknown option" 2 "$pa" --nonsense $t
exits "bad format" 2 "$pa" --format xml $t
exits "bad number" 2 "$pa" --top x $t
exits "bad CPU list" 2 "$pa" --cpu 3-1 $t
exits "bad time" 2 "$pa" --from soon $t
exits "no such marker" 2 "$pa" --from text:nowhere $t
exits "no such task" 2 "$pa" --task nobody $t
like "it is named" "$(cat "$tmp/err")" 'no task matches --task "nobody"'
exits "no such CPU" 2 "$pa" --cpu 9 $t
exits "no such buffer" 2 "$pa" --buffer nowhere $t
exits "no such platform file" 2 "$pa" --platform "$tmp/none.yaml" $t
printf 'cpu_capacity: [1, 2]\nfreq_domains: [[0], [0]]\n' >"$tmp/p.yaml"
exits "bad platform file" 2 "$pa" --platform "$tmp/p.yaml" $t
like "line and column" "$(cat "$tmp/err")" 'p.yaml:2:[0-9]+: this CPU is in two domains'
exits "clock without a rate" 2 "$pa" --format json testdata/tracedat/clk_counter.dat
is "but events are counted" "$(jq '.events | length > 0 and .' "$tmp/out" | head -c 4)" "true"
is "and nothing is timed" "$(jq -c '[.cpus, .tasks, .cpus_reason != null]' "$tmp/out")" '[null,null,true]'
exits "clock with a rate" 0 "$pa" --clock-hz 1000000 testdata/tracedat/clk_counter.dat
exits "output cannot be written" 4 sh -c "$pa $t >/dev/full"
exits "output file cannot be made" 2 "$pa" -o "$tmp/no/such/dir" $t

json --run none --platform none $t | jq -S 'del(.trace.path)' >"$tmp/want"
is "standard input" "$(json - <$t | jq -S 'del(.trace.path)' | diff - "$tmp/want")" ""
is "a pipe" "$(cat $t | json - | jq -S 'del(.trace.path)' | diff - "$tmp/want")" ""
gzip -c $t >"$tmp/t.gz"
zstd -qc $t >"$tmp/t.zst"
is "gzip" "$(json "$tmp/t.gz" | jq -S 'del(.trace.path)' | diff - "$tmp/want")" ""
is "zstd" "$(json "$tmp/t.zst" | jq -S 'del(.trace.path)' | diff - "$tmp/want")" ""
head -c $(($(wc -c <"$tmp/t.gz") - 20000)) "$tmp/t.gz" >"$tmp/cut.gz"
exits "a cut wrapper" 3 "$pa" "$tmp/cut.gz"
like "says so" "$(tr '\n' ' ' <"$tmp/out" | tr -s ' ')" 'gzip wrapper: ends early'

all="testdata/arm64-ui/pelt32/iter-02.dat testdata/arm64-ui/pelt8/iter-03.dat testdata/tracedat/v7_zlib.dat"
# shellcheck disable=SC2086
json -j1 $all >"$tmp/1" && json -j8 $all >"$tmp/8"
is "-j1 and -j8 give the same bytes" "$(cmp "$tmp/1" "$tmp/8" 2>&1)" ""
is "an array of reports" "$(jq -c 'map(.trace.path)' "$tmp/1" | tr ',' '\n' | wc -l)" 3
exits "one bad of two: the worse code" 2 "$pa" -q $t "$tmp/nothing"
like "the good one is reported" "$(cat "$tmp/out")" '^FRAMES'
"$pa" -o "$tmp/file" $t
is "-o" "$("$pa" $t | cmp - "$tmp/file" 2>&1)" ""
is "no colour into a file" "$(grep -c "$(printf '\033')" "$tmp/file")" 0

is "a window in seconds" "$(json --from 1 --to 3.5 $t | jq '.window.span_ns')" 2500000000
start=$(jq .trace.start_ns "$tmp/want")
is "absolute times" "$(json --from "@$(awk -v s="$start" 'BEGIN { printf "%.9f", s / 1e9 + 1 }')" --to 3.5 $t | jq '.window.span_ns')" 2500000000
is "halves add up" "$( (json --to 4 $t; json --from 4 $t) | jq -s '[.[].cpus[].busy_ns] | add')" "$(jq '[.cpus[].busy_ns] | add' "$tmp/want")"
is "one task" "$(json --task RenderThread $t | jq -c '[.tasks[].comm]')" '["RenderThread"]'
is "the threads of a process" "$(json --process demo.app $t | jq -c '[.tasks[].comm] | sort')" '["RenderThread","demo.app"]'
is "some CPUs" "$(json --cpu 3-4 $t | jq -c '[.cpus[].cpu]')" '[3,4]'
is "capacities" "$(json --platform testdata/arm64-ui/platform.yaml $t | jq -c '[.cpus[].capacity]')" '[283,283,283,716,716,1024]'
is "domains of the platform" "$(json --platform testdata/arm64-ui/platform.yaml $t | jq -c '[.domains[].cpus]')" '[[0,1,2],[3,4],[5]]'
is "a built-in platform" "$(json --platform hikey960 $t | jq -c '[.cpus[].capacity]')" '[462,462,462,462,1024,1024]'
is "platforms" "$("$pa" --list platforms | awk -F'\t' '$1 == "hikey960" && $5 == 1421000 { print $2, $3, $4, $6 }')" 'A73 4-7 1024 500192'
is "energy, by hand from clocks and powers" \
	"$(json --platform testdata/arm64-ui/platform.yaml $t | jq '
		{"930000": 39292, "1098000": 53802, "1328000": 79763, "1598000": 115455} as $uw |
		(.domains[0].residency | map(.busy_ns * $uw[.khz | tostring]) | add / 1e6) as $nj |
		.energy.domains[0].em_L0.nj / $nj | . > 0.9995 and . < 1.0005')" true
is "a run file, by iteration" "$(json $t | jq -c '[.run.configuration, .run.iteration, .run.pelt_half_life_ms, (.run.boot | length), .run.conflicts]')" '["pelt32","iter-02",32,36,[]]'
is "none" "$(json --run none $t | jq -c '[.run, .run_reason]')" '[null,"no run.yaml beside the trace"]'
printf 'kernel: other\nplatform: p.yaml\n' >"$tmp/run.yaml"
printf 'cpu_capacity: [1, 2, 3, 4, 5, 6]\n' >"$tmp/p.yaml"
is "its platform, a contradiction" "$(json --run "$tmp/run.yaml" $t | jq -c '[[.cpus[].capacity], .run.conflicts]')" '[[1,2,3,4,5,6],["kernel other; the trace says 6.1.192-pelt32"]]'
cp $t "$tmp/copy.dat"
echo 'refresh_hz: quick' >"$tmp/run.yaml"
exits "one that was found is bad" 0 "$pa" "$tmp/copy.dat"
like "is told" "$(cat "$tmp/err")" 'run.yaml:1:13: refresh_hz must be'
like "in the report, too" "$("$pa" -q "$tmp/copy.dat" 2>/dev/null)" 'not used: .*run.yaml:1:13'
exits "one that was named is bad" 2 "$pa" --run "$tmp/run.yaml" $t
is "a timeline" "$("$pa" -q --timeline freq:cpu=3 $t | sed -n '1p;2p')" 't_ns,signal,of,value
17146282320,freq,cpu3,1836000'
is "has every change" "$("$pa" -q --timeline freq:cpu=3 $t | wc -l)" 81
is "at a step" "$("$pa" -q --every 500 --timeline util:task=demo.app:h=16 $t | awk -F, 'NR > 2 && $1 - p != 500000000 { bad++ } { p = $1 } END { print (NR > 15), bad + 0 }')" '1 0'
is "as JSON" "$(json --timeline freq:cpu=3 $t | jq -c '[.schema, (.points | length), .points[0].value]')" '["peltier/timeline/1",80,1836000]'
is "PELT and WALT side by side" "$(json --pelt 32 --walt 20,8 --platform testdata/arm64-ui/platform.yaml $t | jq -c '.tasks[0] |
	[.comm, (.util_at_sleep[0].mean > 50), (.walt_demand | map(.mean_low <= .mean_high and .n > 500))]')" '["demo.app",true,[true,true]]'
is "a step to the end" "$("$pa" -q --timeline freq:cpu=3 --every 4 --from 2 --to 3 $t | wc -l)" 252
is "begins with what holds" "$("$pa" -q --timeline freq:cpu=3 --from 2 --to 3 $t | sed -n 2p)" '19116246960,freq,cpu3,400000'
exits "a timeline of nobody" 2 "$pa" --timeline util:task=nobody $t
like "no such platform" "$("$pa" --platform nosuch $t 2>&1)" 'built-in platforms: --list platforms'
# the first page, and what it stands for
"$pa" -q $t >"$tmp/page"
is "the page fits 60 lines of 100 columns" "$(awk 'length > 100 { wide++ } END { print (NR <= 60 && !wide) ? "good" : NR " lines, " wide " wide" }' "$tmp/page")" good
like "frames by markers" "$(cat "$tmp/page")" '^ duration ms  cpu.ui_rt +11.56 '
like "platform.yaml beside the trace" "$(cat "$tmp/page")" '^cpus +0-2 cap 283, 300-1803 MHz'
like "no platform" "$("$pa" -q --platform none $t)" '^SPEED +cpu sizes unknown'
printf 'cpu_capacity: what\n' >"$tmp/platform.yaml" && cp $t "$tmp/x.dat"
like "a bad platform.yaml is told" "$("$pa" "$tmp/x.dat" 2>&1)" 'platform.yaml:1:15: '
rm -f "$tmp/platform.yaml" "$tmp/x.dat"
is "all tables" "$("$pa" -q --full $t | grep -cE '^(CPUS|CLOCK|IDLE|TASKS|SPEED|BURSTS|LATENCY|MIGRATE|ENERGY) ')" 9
# 48 48 ms: the longest frame of the program's own list
like "frame by frame" "$("$pa" -q --why $t)" '^ +4\.929 +187 +48\.48 +31\.81 '
is "a row per frame" "$("$pa" -q --why $t | wc -l)" 350
is "parts add up" "$("$pa" -q --frame-list $t | awk -F '\t' 'NR > 1 { d = $7; for (i = 9; i <= 17; i++) d -= $i; if (d * d > 1) bad++ } END { print bad + 0 }')" 0
is "which frames there are" "$("$pa" -q -l frames $t | tail -1 | tr '\t' ' ')" 'demo.app 189 markers cpu.ui_rt 348 348 atrace.period'
like "rules of jank" "$("$pa" -l jank)" '^jank.jankbench16'
like "a second rule beside the first" "$("$pa" -q --jank atrace.period,bad16 $t)" 'jank  jank.bad16 32 of 348'
is "the rule in force" "$(json --jank bad16 $t | jq -c '.frames[0] | [.jank, .janky]')" '["jank.bad16",32]'
exits "no such rule" 2 "$pa" --jank ft_missed,nonsense $t
exits "a list that ends early" 2 "$pa" --jank ft_missed, $t
is "slices as frames" "$(json --frames 'slice=Choreographer#doFrame' $t | jq -c '.frames[0] | [.source, .n]')" '["definition",348]'
is "the same by expressions" "$(json --frames 'begin=Choreographer#doFrame end=^E task=demo.app' $t | jq -c '.frames[0] | [.n, .mean_ms]')" "$(json --frames 'slice=Choreographer#doFrame' $t | jq -c '.frames[0] | [.n, .mean_ms]')"
is "from one event to the next" "$(json --frames event=cpu_frequency $t | jq -c '.frames[0] | [.process, .n, .incomplete]')" "[\"any task\",$("$pa" -q -l events $t | awk '$3 == "cpu_frequency" { n += $4 } END { print n }'),1]"
exits "no definition" 2 "$pa" --frames nonsense $t
like "what is wrong with it" "$("$pa" --frames 'begin=a(' $t 2>&1)" 'frames: a\(: '
is "no frames of that source" "$(json --frames timeline $t | jq -c .frames)" null
exits "one list at a time" 2 "$pa" --full --why $t
like "speed of one task has no bands of all" "$("$pa" -q --task demo.app --platform testdata/arm64-ui/platform.yaml $t | grep '^ 5  *1024')" ' - +- +- '
exits "no window" 2 "$pa" --walt 0 $t
exits "no such signal" 2 "$pa" --timeline volts $t
exits "no such key" 2 "$pa" --timeline freq:task=a $t
exits "a step without a timeline" 2 "$pa" --every 5 $t
is "rails" "$(json testdata/perfetto/craft/events.pftrace | jq -c '.energy.rails[] | [.rail, .name, .samples, (.mj * 1e6 | round)]')" '[3,"S4M_VDD_CPUCL0",2,77000]'
is "the same domains without it" "$(json $t | jq -c '[.domains[].cpus]')" '[[0,1,2],[3,4],[5]]'
exits "strict, little unknown" 0 "$pa" --strict $t
exits "strict, too much" 3 "$pa" --strict --max-unknown 0.1 testdata/truth/pelt-cpu0-periodic.dat
is "buffers" "$("$pa" --list buffers testdata/tracedat/craft_insts.dat | cut -f1,4 | tr '\n\t' ';,')" 'buffer,read;-,yes;foo,no;b a:r,no;'
like "analyses" "$("$pa" --list analyses)" '^latency'

cp $t "$tmp/own.dat"
exits "output over the input" 0 "$pa" -o "$tmp/own.dat" "$tmp/own.dat"
like "which was read before" "$(head -1 "$tmp/own.dat")" '^trace '
echo precious >"$tmp/old"
exits "a failed run" 2 "$pa" -o "$tmp/old" "$tmp/nothing"
is "leaves an older result alone" "$(cat "$tmp/old")" precious
is "and no temporary file" "$(ls "$tmp"/old.* 2>/dev/null)" ""
exits "/dev/zero is no trace" 2 timeout 10 "$pa" /dev/zero
exits "reversed window" 2 "$pa" --from 3 --to 1 $t
like "says so" "$(cat "$tmp/err")" 'lies before --from'
exits "empty window" 2 "$pa" --from 2 --to 2 $t

# no clock event in the performance configuration: start markers tell
is "clocks from start markers" "$(json testdata/arm64-ui/performance/iter-02.dat | jq -c '[.cpus[].frequency.residency | length] | unique')" '[1]'
done_testing
