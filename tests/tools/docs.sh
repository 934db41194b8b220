#!/bin/sh
# Print docs/events.md or docs/metrics.md from the tables they describe: docs.sh events|metrics
cd "$(dirname "$0")/../.." || exit 4
case $1 in
events)
	cat <<'EOF'
# Events and fields

Printed from `lib/event/event.def` by `make docs`. These are the kinds that peltier reads fields of, under the
names that `pel_int()`, `pel_real()` and `pel_text()` take; all other events are counted by name. A field is there when the
record carries it. Aliases are names of the same thing in other kernels and vendor trees.

| kind | event names | fields |
|---|---|---|
EOF
	awk -F'"' '
		/^EVENT\(/ { split($1, a, /[(,]/); kind = a[2]; names = $2; fields = "" ; next }
		/^\t(INT|STR|RAW|REAL)\(/ {
			type = /^\tINT/ ? "" : /^\tSTR/ ? " (text)" : /^\tREAL/ ? " (real)" : " (numbers)"
			split($1, a, /[(,] */); f = a[3]
			alias = $2; sub("^" f "\\|", "", alias)
			if (alias != f) { gsub(/\|/, ", ", alias); f = f " [" alias "]" }
			fields = fields (fields == "" ? "" : "; ") f type
			next
		}
		/^END\(/ { gsub(/\|/, ", ", names); print "| " kind " | " names " | " fields " |" }' lib/event/event.def
	;;
metrics)
	cat <<'EOF'
# Metrics

Printed from `lib/metric/metric.def` by `make docs`; also `pelt-analyze --list metrics`.

| metric | unit | definition | needs |
|---|---|---|---|
EOF
	"${BUILD:-build/gcc}/pelt-analyze" --list metrics | awk -F'\t' 'NR > 1 { print "| `" $1 "` | " $2 " | " $4 " | " $5 " |" }'
	;;
esac
