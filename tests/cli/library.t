#!/bin/sh
# The library from outside: installed in a scratch prefix, the examples compiled against it, and run.
. "$(dirname "$0")/lib.sh"

if [ -n "$SAN" ]; then
	echo "1..0 # SKIP the installed library is tested without sanitizers"
	exit 0
fi
make -s install DESTDIR= prefix="$tmp/usr" CC="${CC:-gcc}" >"$tmp/out" 2>&1 || not_ok "make install" "$(tail -5 "$tmp/out")"
for f in bin/pelt-analyze bin/batch-compare share/man/man1/batch-compare.1 lib/libpeltier.a include/peltier.h lib/pkgconfig/peltier.pc share/man/man1/pelt-analyze.1 \
	share/bash-completion/completions/pelt-analyze; do
	if [ -s "$tmp/usr/$f" ]; then ok "installs $f"; else not_ok "installs $f"; fi
done
export PKG_CONFIG_PATH="$tmp/usr/lib/pkgconfig"
for e in count-events frequency; do
	# shellcheck disable=SC2046
	"${CC:-gcc}" -Wall -Wextra -Werror docs/examples/$e.c -o "$tmp/$e" $(pkg-config --cflags --libs peltier) 2>"$tmp/err"
	is "$e compiles" "$(cat "$tmp/err")" ""
done
t=testdata/arm64-ui/pelt8/iter-02.dat
is "count-events counts what pelt-analyze counts" "$("$tmp/count-events" $t | sort)" \
	"$("$pa" -q -f json $t | jq -r '.events | to_entries[] | "\(.key)\t\(.value)"' | sort)"
"$tmp/frequency" $t 5 >"$tmp/f"
is "clocks of cpu5" "$(cut -f2 "$tmp/f" | grep -v unknown | sort -nu)" \
	"$("$pa" -q -f json $t | jq '.cpus[5].frequency.residency[].khz')"
like "it begins unknown" "$(head -1 "$tmp/f")" '^0.000000	unknown$|^0\.0[0-9]*	[0-9]+$'
like "an error names the file" "$("$tmp/frequency" /nonexistent 0 2>&1)" '/nonexistent: No such file'
printf '#include <peltier.h>\nint main(void) { return pel_version()[0] == 0; }\n' >"$tmp/x.cc"
"${CXX:-g++}" -fsyntax-only -I"$tmp/usr/include" "$tmp/x.cc" 2>"$tmp/err" || true
if command -v "${CXX:-g++}" >/dev/null; then is "the header is C++, too" "$(cat "$tmp/err")" ""; fi
make -s uninstall prefix="$tmp/usr" >/dev/null
is "uninstall leaves nothing" "$(find "$tmp/usr" -type f)" ""
done_testing
