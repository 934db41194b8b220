#!/bin/sh
# Text that was printed from a trace gives what the trace gives; text of others is read whole.
. "$(dirname "$0")/lib.sh"

# all but what text cannot tell
books() { "$pa" -q --run none --platform none --format json "$1" | jq 'del(.trace, .quality.overrun, .quality.overrun_reason, .quality.dropped, .quality.dropped_reason, .quality.notes)'; }

if command -v trace-cmd >/dev/null; then
	for f in testdata/arm64-ui/pelt32/iter-02.dat testdata/arm64-ui/pelt8/iter-02.dat; do
		trace-cmd report -t "$f" >"$tmp/t" 2>/dev/null
		books "$f" >"$tmp/a"
		books "$tmp/t" >"$tmp/b"
		is "trace-cmd report -t of $(basename "$(dirname "$f")")" "$(diff "$tmp/a" "$tmp/b" | head -5)" ""
		# without plugins the kernel's own print fmts
		trace-cmd report -t -N "$f" >"$tmp/t" 2>/dev/null
		books "$tmp/t" >"$tmp/b"
		is "without plugins" "$(diff "$tmp/a" "$tmp/b" | head -5)" ""
		gzip -kf "$tmp/t"
		books "$tmp/t.gz" >"$tmp/b"
		is "in gzip" "$(diff "$tmp/a" "$tmp/b" | head -5)" ""
		books - <"$tmp/t" >"$tmp/b"
		is "from a pipe" "$(diff "$tmp/a" "$tmp/b" | head -5)" ""
		# other orders of the same lines
		{ head -1 "$tmp/t"; tail -n +2 "$tmp/t" | sort -t'[' -k2,2 -s; } >"$tmp/by-cpu"
		books "$tmp/by-cpu" | jq 'del(.quality)' >"$tmp/b"
		jq 'del(.quality)' "$tmp/a" >"$tmp/c"
		is "CPU after CPU" "$(diff "$tmp/c" "$tmp/b" | head -5)" ""
	done
else
	echo "# trace-cmd is not there: no texts of bundled traces"
fi

for f in testdata/text/atrace.z testdata/text/systrace.html; do
	is "$(basename $f) as the text in it" "$("$pa" -q --format json $f | jq -c '[.events, .tasks]' | cksum)" \
		"$("$pa" -q --format json testdata/text/atrace.txt | jq -c '[.events, .tasks]' | cksum)"
done
# counts of grep: lines that are events
events() { grep -cE -- '-[0-9]+ +(\([ 0-9-]+\) +)?\[[0-9]+\].* [0-9]+\.[0-9]+: ' "$1"; }
for f in "$SHARED"/traces/public/text/*; do
	[ -e "$f" ] || { echo "# no shared traces: texts of others are not read"; break; }
	got=$("$pa" -q --format json "$f" | jq '[.events[]] | add')
	is "every line of $(basename "$f")" "$got" "$(events "$f")"
	is "sound: $(basename "$f")" "$("$pa" -q --format json "$f" | jq '.quality.partial')" false
done

# cut anywhere it is read in part, and says so when a line is cut
if [ -e "$tmp/t" ]; then
	bad=
	for n in 1000 1003 1010 1025 1040 1060 1080 1100; do
		head -c $n "$tmp/t" >"$tmp/cut"
		timeout 20 "$pa" "$tmp/cut" >/dev/null 2>&1
		case $? in 0 | 3) ;; *) bad="$bad $n" ;; esac
	done
	is "cut texts are read" "$bad" ""
fi
printf 'x-1 [000] 1.5: foo: a=1\nx-1 [000] 1.6' >"$tmp/cut"
printf 'a-1 [000] 1.5: foo: a=1\na-1 [000] 1.6: bar: a=1\nCPU:0 [LOST 5 EVENTS]\na-1 [000] 1.7: baz: a=1\n' >"$tmp/lost"
is "a gap is no event" "$("$pa" -q --format json "$tmp/lost" | jq -c '[.events, .quality.lost_known]')" '[{"bar":1,"baz":1,"foo":1},5]'
printf 'a-1 [000] 1.5: cpu_frequency: state=2188000 cpu_id=0\na-1 [000] 1.6: cpu_frequency: state=21' >"$tmp/cut"
is "a value that is cut is not believed" "$("$pa" -q --format json "$tmp/cut" | jq -c '[.events.cpu_frequency, .quality.partial]')" '[1,true]'
printf 'x-1 [000] 1.5: foo: a=1\nx-1 [000] 1.6' >"$tmp/cut"
exits "cut in a line is exit 3" 3 "$pa" "$tmp/cut"
done_testing
