# Shared by the black-box tests. TAP by hand: ok NAME / not_ok NAME, then done_testing.
# BUILD: build folder, SHARED: the shared material (or a path that does not exist).
cd "$(dirname "$0")/../.." || exit 1
: "${BUILD:=build/gcc}" "${SHARED:=/nonexistent}"
pa=$BUILD/pelt-analyze
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
tmp=$top/a/b # run.yaml and platform.yaml are looked for in the folder above, too
mkdir -p "$tmp"
tests=0

ok() { tests=$((tests + 1)); echo "ok $tests - $1"; }
not_ok() {
	tests=$((tests + 1))
	echo "not ok $tests - $1"
	shift
	for line; do echo "$line" | sed 's/^/# /'; done
}
# is NAME GOT WANTED
is() {
	if [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1" "got:    $2" "wanted: $3"; fi
}
# like NAME TEXT PATTERN (grep -E)
like() {
	if printf '%s\n' "$2" | grep -Eq -- "$3"; then ok "$1"; else not_ok "$1" "got: $2" "wanted a match of: $3"; fi
}
# exits NAME CODE COMMAND...: the exit code; output in $tmp/out and $tmp/err
exits() {
	name=$1 want=$2
	shift 2
	"$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	got=$?
	if [ "$got" = "$want" ]; then ok "$name"; else not_ok "$name" "exit $got, not $want: $*" "$(head -c 600 "$tmp/err")"; fi
}
done_testing() { echo "1..$tests"; }
