# The ledger's frames (CSV, -v markers=1: by markers) and then `--frame-list` of pelt-analyze: times to the ns, parts within 2 us
# (work and its losses are sums of fractions, and the hand-over is at an event, each of which takes 0.2 us). The first frame is left out: who draws is not known before.
# The first frame at another rate: a vsync that is told by one edge alone does not tell which
function just_switched(k) { return (k - 1, 7) in v && v[k - 1, 7] != v[k, 7] }
BEGIN {
	FS = "[,\t]"
	n_parts = split("9 10 11 13 14 15 16 17", got, " ")
	split("1 2 3 5 6 7 8 9", want, " ")
}
NR == FNR {
	for (i = 1; i <= NF; i++)
		v[$1, i] = $i
	next
}
FNR > 1 && $3 > 1 && $3 < 1000000 && ($3, 1) in v {
	n++
	if ($5 != v[$3, markers ? 8 : 2] || $6 != v[$3, markers ? 9 : 4])
		bad = bad " time of " $3
	# FrameTimeline has the bits of the ledger; by markers a frame is late when it is longer than its period
	late = markers ? v[$3, 9] - v[$3, 8] > v[$3, 7] : v[$3, 6] == 1
	if (late != $8 && !(markers && just_switched($3)))
		bad = bad " jank of " $3
	for (i = 1; i <= n_parts; i++) {
		d = $got[i] - v[$3, (markers ? 18 : 9) + want[i]]
		if ($got[i] == "" || d > 2000 || d < -2000)
			bad = bad " part " i " of " $3
	}
}
END { print ((n > 50 && bad == "") ? "good" : n " frames:" substr(bad, 1, 200)) }
