#!/bin/sh
# Includes of lib/ against the table of docs/architecture.md; sizes; one library per file; a test
# for each file.
cd "$(dirname "$0")/../.." || exit 4
bad=0
say() { echo "layers: $*"; bad=1; }

may() {
	case $1 in
	base) echo base ;;
	event | metric | timeline | report) echo "$1 base" ;;
	signal) echo "signal base" ;;
	source) echo "source base event" ;;
	replay) echo "replay base event timeline signal" ;;
	frame) echo "frame base event" ;;
	analysis) echo "$1 frame base event replay timeline signal metric report" ;;
	import) echo "import base metric signal" ;;
	compare) echo "compare base metric report" ;;
	*) echo "base event source replay timeline signal metric analysis report import compare" ;;
	esac
}

for f in lib/*/*.[ch] lib/*/*.def; do
	room=$(basename "$(dirname "$f")")
	allowed=" $(may "$room") "
	for inc in $(sed -n 's/^#include "\([a-z_]*\)\/.*/\1/p' "$f"); do
		case $allowed in *" $inc "*) ;; *) say "$f includes $inc/" ;; esac
	done
	lines=$(wc -l <"$f")
	[ "$lines" -le 640 ] || say "$f has $lines lines"
done

# third-party headers: each in one file
for header in zstd.h zlib.h yaml.h cyaml/cyaml.h jansson.h sqlite3.h gsl/ event-parse.h argp.h; do
	n=$(grep -l "#include <$header" lib/*/*.c lib/*/*.h cmd/*.c cmd/*.h 2>/dev/null | wc -l)
	[ "$n" -le 1 ] || say "<$header> is included by $n files"
done

# the library does not print or exit, and report/ gets its FILE from the caller
grep -nE '\b(printf|puts|perror|exit|_exit)\(' lib/*/*.c | grep -vE '\b(f|sn|vsn|asn)printf|fputs' | while read -r l; do
	say "$l"
done
[ -z "$(grep -nE '\b(printf|puts|perror|exit|_exit)\(' lib/*/*.c | grep -vE '(f|sn|vsn)printf|fputs')" ] || bad=1

# a test for each file: tests/ROOM/x.c for lib/ROOM/x.c, or for the family x_*.c
for f in lib/*/*.c; do
	t=tests/${f#lib/}
	[ -e "$t" ] && continue
	stem=${t%.c}
	found=
	while :; do
		case $stem in */*_*) stem=${stem%_*} ;; *) break ;; esac
		[ -e "$stem.c" ] && found=1 && break
	done
	[ -n "$found" ] || say "$f has no test ($t)"
done
exit $bad
