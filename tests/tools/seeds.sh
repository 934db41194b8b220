#!/bin/sh
# Seeds for a fuzz target: seeds.sh TARGET FOLDER
case $1 in
trace_dat)
	cp testdata/tracedat/craft_*.dat testdata/tracedat/v7_zlib.dat testdata/tracedat/v7_inst.dat "$2"
	;;
pages)
	# the pages of synthetic files behind the byte that picks the head
	i=0
	for f in craft_v6_noopt craft_v6_be64 craft_v6_le32 craft_v6_be32; do
		{ printf '%b' "\\0$i"; tail -c +4097 testdata/tracedat/$f.dat; } >"$2/$f"
		i=$((i + 1))
	done
	for f in craft_lost craft_extend craft_padding craft_bad_len_zero craft_lens craft_short_field; do
		{ printf '\000'; tail -c +4097 testdata/tracedat/$f.dat; } >"$2/$f"
	done
	;;
format)
	for f in v7_ipi v7_irq v6_nodata; do
		tr '\0' '\n' <testdata/tracedat/$f.dat | grep -a -A30 '^name: ' | head -c 3000 >"$2/$f"
	done
	printf 'print fmt: "%%s", REC->prev_state ? { 0x1, "S" }, { 0x2, "D" }' >"$2/state"
	printf '\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n\tfield: local_t commit;\toffset:8;\tsize:8;\n\tfield: char data;\toffset:16;\tsize:4080;\n' >"$2/page"
	printf 'a=%%d b=%%s c=%%lx %%5u %%p %%c %%%%' >"$2/bprint"
	;;
perfetto)
	cp testdata/perfetto/craft/*.pftrace testdata/perfetto/small-zstd.pftrace "$2"
	rm -f "$2/zbomb.pftrace"
	;;
bundle)
	# what is behind the cpu of the bundle at offset 107
	for f in ok ok_padnested ev_order ev_nopid cs_ok cs_unpacked cs_twochunks cs_back cs_cutvarint gen_old gen_new st_44 proc; do
		tail -c +116 testdata/perfetto/craft/$f.pftrace >"$2/$f"
	done
	for f in bu_clkglobal bu_clkmonoraw bu_lost bu_error; do
		tail -c +108 testdata/perfetto/craft/$f.pftrace | tail -c +7 >"$2/$f"
	done
	;;
inflate)
	{ printf '\000'; tail -c +113 testdata/perfetto/craft/ok_zlib.pftrace; } >"$2/zlib"
	{ printf '\000'; tail -c +113 testdata/perfetto/craft/ok_gzinner.pftrace; } >"$2/gzip"
	{ printf '\001'; tail -c +114 testdata/perfetto/craft/ok_zstd.pftrace; } >"$2/zstd"
	;;
text)
	cp testdata/text/* "$2"
	head -20 testdata/text/report.txt | sort -r >"$2/unsorted"
	printf '##### CPU 2 buffer started ####\nCPU:1 [LOST 12 EVENTS]\na b:c-4 ( 12) [001] dNh2. 1.5: sched_switch: a b:4 [120] D|K ==> x:5 [98]\n' >"$2/odd"
	;;
platform)
	cp testdata/arm64-ui/platform.yaml testdata/arm64-ui/pelt32/run.yaml "$2"
	printf 'cpus:\n  - {capacity: 283}\ndomains:\n  - {cpus: [0], freqs_khz: [1, 2]}\n' >"$2/long"
	;;
results)
	printf 'configuration,iteration,metric,value,unit,direction\na,1,score,0,score,higher\nb,"2",x,>50,"m""s",lower\n' >"$2/csv"
	printf 'kernel;run;variable;value\nk;1;t;1,5\n' >"$2/semicolon"
	printf 'begin=b ([0-9]+) end=e ([0-9]+) nest=replace\nb 1\nb 1\ne 1\n' >"$2/pair"
	printf 'slice=x deadline=5\nB|7|x 1\nB|7|y\nE|7\nE\n' >"$2/slice"
	printf 'rtapp\nrtapp_loop: event=start\nrtapp_stats: slack=-5 c_period=9 c_run=3\nrtapp_loop: event=end\n' >"$2/rtapp"
	;;
esac
