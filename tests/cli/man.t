#!/bin/sh
# The man page has every option of --help, and no other; every exit status; it renders without a warning.
. "$(dirname "$0")/lib.sh"

"$pa" --help | grep -oE -- '--[a-z][a-z-]+' | sort -u >"$tmp/help"
sed 's/\\//g' docs/man/pelt-analyze.1.scd | grep -E '^\*-' | grep -oE -- '--[a-z][a-z-]+' | sort -u >"$tmp/man"
is "options of --help and man page" "$(diff "$tmp/help" "$tmp/man")" ""
for code in 0 1 2 3 4; do
	like "exit status $code" "$(sed -n '/EXIT STATUS/,/PLATFORM/p' docs/man/pelt-analyze.1.scd)" "\*$code\*"
done
is "renders without warnings" "$(man --warnings -l "$BUILD/man/pelt-analyze.1" 2>&1 >/dev/null)" ""
like "--help names the exit status" "$("$pa" --help)" '[Ee]xit status: 0 good'
exits "--version" 0 "$pa" --version
like "--version says it" "$(cat "$tmp/out")" '^peltier [0-9]+\.[0-9]+'
"$pa" --completion >"$tmp/c"
bash -n "$tmp/c" 2>"$tmp/err"
is "completion is sound bash" "$(cat "$tmp/err")" ""
for o in $(grep -v -e --help -e --usage -e --version "$tmp/help"); do
	grep -q -- "$o" "$tmp/c" || not_ok "completion has $o"
done
"$pa" --list metrics >"$tmp/m"
is "every metric in JSON is listed" "$("$pa" -q -f json testdata/arm64-ui/pelt8/iter-02.dat | jq -r '.metrics[].name' |
	sort -u | while read -r m; do grep -q "^$m	" "$tmp/m" || echo "$m"; done)" ""
for d in events metrics; do
	is "docs/$d.md is current (make docs)" "$(BUILD=$BUILD tests/tools/docs.sh $d | diff - docs/$d.md | head -3)" ""
done
done_testing
