#!/bin/sh
# Simulated run sets: build/demo/{walt,pelt8,pelt16,pelt32}/iter-N.dat with run.yaml and platform.yaml, ten iterations of a UI
# workload each. BUILD: build folder.
: "${BUILD:=build/gcc}"
out=${1:-build/demo}
scenario=tests/sim/scenarios/ui-scroll-60.yaml
for c in walt:20 pelt:8 pelt:16 pelt:32; do
	case $c in walt:*) name=walt ;; *) name=pelt${c#*:} ;; esac
	mkdir -p "$out/$name"
	for i in 1 2 3 4 5 6 7 8 9 10; do
		"$BUILD/peltier-sim" -S "$c" -s "$i" -i "$i" -b 1 -L 3000 -o "$out/$name/iter-$i.dat" -F "$out/$name/iter-$i.frames.csv" \
			-r "$out/$name/run.yaml" -c "$name" -p "$out/platform.yaml" "$scenario" || exit 1
	done
done
echo "simulated, not recorded: $out, 4 configurations of 10 iterations ($(du -sh "$out" | cut -f1))"
