#!/bin/sh
# The man pages have every option of --help, and no other; every exit status; they render without a warning.
. "$(dirname "$0")/lib.sh"

for command in pelt-analyze batch-compare; do
	c=$BUILD/$command page=docs/man/$command.1.scd
	"$c" --help | sed -nE 's/^ +(-., )? *(--[a-z][a-z-]+).*/\2/p' | sort -u >"$tmp/help"
	sed 's/\\//g' "$page" | grep -E '^\*-' | grep -oE -- '--[a-z][a-z-]+' | sort -u >"$tmp/man"
	is "$command: options of --help and man page" "$(diff "$tmp/help" "$tmp/man")" ""
	for code in 0 1 2 3 4; do
		like "$command: exit status $code" "$(sed -n '/EXIT STATUS/,/^# [A-DF-Z]/p' "$page")" "\*$code\*"
	done
	is "$command: renders without warnings" "$(man --warnings -l "$BUILD/man/$command.1" 2>&1 >/dev/null)" ""
	like "$command: --help names the exit status" "$("$c" --help)" '[Ee]xit status: 0 good'
	exits "$command --version" 0 "$c" --version
	like "--version says it" "$(cat "$tmp/out")" '^peltier [0-9]+\.[0-9]+'
	"$c" --completion >"$tmp/c"
	bash -n "$tmp/c" 2>"$tmp/err"
	is "$command: completion is sound bash" "$(cat "$tmp/err")" ""
	for o in $(grep -v -e --help -e --usage -e --version "$tmp/help"); do
		grep -q -- "$o" "$tmp/c" || not_ok "completion has $o"
	done
done
"$pa" --list metrics >"$tmp/m"
is "every metric in JSON is listed" "$("$pa" -q -f json testdata/arm64-ui/pelt8/iter-02.dat | jq -r '.metrics[].name' |
	sort -u | while read -r m; do grep -q "^$m	" "$tmp/m" || echo "$m"; done)" ""
for d in events metrics; do
	is "docs/$d.md is current (make docs)" "$(BUILD=$BUILD tests/tools/docs.sh $d | diff - docs/$d.md | head -3)" ""
done
done_testing
