#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# reproducible.sh [--self-test] [TARGET...]: build what is committed in two folders of other names, at two times, with another
# language, time zone and umask, and compare every byte of what is made (default: the command, the libraries and the recorders).
# MESON_OPTIONS are added to those of a release. With --self-test a time is planted in a source, which has to be found.
set -eu
cd "$(dirname "$0")/.."
source=$PWD
plant=
if [ "${1:-}" = --self-test ]; then plant=src/core/error.c && shift; fi
targets=${*:-tracelathe libtracelathe.so.0.2.0 libtracelathe.a compat/libipt/libipt.so.2.0.5 \
	recorder/libtracelathe-record.so emulator/libtracelathe-emulate.so emulator/libtracelathe-emulate-aarch64.so}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# make_in FOLDER: a copy of the sources below it, built.
make_in()
{
	mkdir -p "$1"
	git -C "$source" archive HEAD | tar -x -C "$1"
	if [ -d "$source/web/node_modules" ]; then ln -s "$(realpath "$source/web/node_modules")" "$1/web/node_modules"; fi
	if [ -n "$plant" ]; then date '+const char tl_planted[] = "%s";' >>"$1/$plant"; fi
	# Not what a cache has kept of the other folder.
	# shellcheck disable=SC2086
	(cd "$1" && CCACHE_DISABLE=1 && export CCACHE_DISABLE &&
		meson setup build --buildtype=release -Dtests=false ${MESON_OPTIONS:-} &&
		ninja -C build -j "${JOBS:-2}" $targets) >"$work/log" 2>&1 || {
		tail -n 30 "$work/log" >&2
		exit 2
	}
}

(umask 022 && LC_ALL=C && TZ=UTC && export LC_ALL TZ && make_in "$work/a")
# A second later at least: a time in a file has one second at best.
sleep 2
(umask 077 && LC_ALL=C.UTF-8 && TZ=Asia/Tokyo && export LC_ALL TZ && make_in "$work/another/folder/of/a/longer/name")
failed=0
for target in $targets; do
	if ! cmp "$work/a/build/$target" "$work/another/folder/of/a/longer/name/build/$target"; then failed=1; fi
	if grep -q -a -F "$work" "$work/a/build/$target"; then
		echo "$target names the folder of the build"
		failed=1
	fi
done
if [ -n "$plant" ]; then
	[ $failed -eq 1 ] || echo "a planted time was not found"
	exit $((1 - failed))
fi
[ $failed -eq 0 ] && echo "the same bytes: $targets"
exit $failed
