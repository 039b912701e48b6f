#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# packages.sh [FOLDER]: the Debian packages of the last commit, built of the release's archive in a folder of their own (or those
# that stand in FOLDER), pass lintian, and are all that a bare system of this release needs beside what they depend on: there a
# program is recorded, reported, and shown as a page; one is written in C and one in Python. As root; mmdebstrap makes the system.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "packages: $1" >&2; exit 1; }
for tool in dpkg-buildpackage dpkg-scanpackages lintian mmdebstrap; do
	command -v $tool >/dev/null || { echo "packages: no $tool here" >&2; exit 77; }
done
[ "$(id -u)" -eq 0 ] || { echo "packages: a system is made by root only" >&2; exit 77; }

if [ -z "${1:-}" ] && [ ! -f "$here/web/node_modules/.taken" ]; then
	echo "packages: web/node_modules is not there; \`make deps\` brings it" >&2
	exit 77
fi

# ---- the packages ----

debs=${1:-}
if [ -z "$debs" ]; then
	"$here/scripts/dist.sh" "$work" >/dev/null
	archive=$(cd "$work" && ls tracelathe-*.tar.xz)
	version=${archive#tracelathe-} version=${version%.tar.xz}
	cp "$work/$archive" "$work/tracelathe_$version.orig.tar.xz"
	tar -x -C "$work" -f "$work/$archive"
	(cd "$work/tracelathe-$version" && DEB_BUILD_OPTIONS="nocheck parallel=${JOBS:-2}" dpkg-buildpackage -us -uc -b) >"$work/log" 2>&1 || {
		tail -n 40 "$work/log" >&2
		fail "the packages are not built"
	}
	debs=$work
fi
changes=$(ls "$debs"/tracelathe_*.changes)
lintian --allow-root --pedantic --fail-on error,warning "$changes" || fail "lintian has objections"
for deb in "$debs"/*.deb; do
	case $deb in *dbgsym*) continue ;; esac
	cp "$deb" "$work/"
	echo "$(stat -c %s "$deb") bytes, $(dpkg-deb -f "$deb" Installed-Size) KiB installed: ${deb##*/}"
done

# ---- a bare system ----

# The program is built here: a system that only looks at traces has no compiler.
cat >"$work/program.c" <<'C'
__attribute__((noinline)) int leaf(int n) { __asm__ volatile("" ::: "memory"); return n + 1; }
int main(void) { int n = 0; for (int i = 0; i < 1000; i++) n = leaf(n); return n != 1000; }
C
gcc -g -O1 -finstrument-functions -o "$work/program" "$work/program.c"
cat >"$work/try.sh" <<'SH'
set -eux
cd /try
! command -v gcc
tracelathe --version
tracelathe record -o log -- ./program
tracelathe report --csv log | tee report.csv | grep '^leaf,.*,1000,'
tracelathe stacks log | grep 'main;leaf'
tracelathe view --static -o page.html log
grep -q '<html' page.html
tracelathe query log 'SELECT count(*) FROM calls' | grep 1001
python3 -c 'import tracelathe
with tracelathe.open("log") as trace:
    print(next(row for row in trace.functions if row.name == "leaf"))'
SH
release=$(. /etc/os-release && echo "$VERSION_CODENAME")
mkdir "$work/try"
mv "$work/program" "$work/try.sh" "$work/try/"
# As an archive of their own: what they depend on comes from the release's.
(cd "$work" && dpkg-scanpackages . >Packages 2>/dev/null)
chmod 755 "$work"
mmdebstrap --variant=minbase --include=tracelathe,python3-tracelathe --customize-hook="copy-in '$work/try' /" \
	--customize-hook='chroot "$1" sh /try/try.sh' "$release" /dev/null "deb ${TL_MIRROR:-http://deb.debian.org/debian} $release main" \
	"deb [trusted=yes] copy://$work ./" >"$work/log" 2>&1 || {
	tail -n 40 "$work/log" >&2
	fail "a bare system does not do it"
}
grep -A1 '^+ ' "$work/log" | grep -v '^+ set' | tail -n 30
echo "a bare $release records, reports and shows"
