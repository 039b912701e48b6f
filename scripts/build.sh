#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# build.sh DIRECTORY [MESON-SETUP-OPTION...]: set the directory up if it is not, and build everything in it, or TARGETS,
# or, with WARNINGS=64 or 32, nothing but what is compiled: its compiler is asked for warnings as for a machine of so many
# bits (scripts/syntax.py).
# The compiler's words are shown when it has any to say that matter: on failure.
#
# A directory that was set up before a package of scripts/packages.txt came or went (`make demo`, then `make check`, which
# installs more) is set up anew with the same options: meson keeps what it looked for and did not find.
set -eu
cd "$(dirname "$0")/.."
directory=$1
shift
log=$(mktemp)
trap 'rm -f "$log" "$log.packages"' EXIT

quietly() { "$@" >"$log" 2>&1 || { cat "$log" >&2; echo "build: $directory failed" >&2; exit 1; }; }

# The names of the listed packages that are here; nothing on a machine without dpkg.
packages()
{
	command -v dpkg-query >/dev/null || return 0
	sed 's/#.*//; s/[()]//g; s/>=[^ ]*//' scripts/packages.txt | awk '{ gsub("/", "\n", $1); print $1 }' |
		xargs dpkg-query -W -f='${db:Status-Status} ${Package}\n' 2>/dev/null | sed -n 's/^installed //p' | sort -u
}

packages >"$log.packages"
if [ ! -f "$directory/build.ninja" ]; then
	quietly meson setup "$directory" "$@"
elif [ -f "$directory/.packages" ] && ! cmp -s "$log.packages" "$directory/.packages"; then
	quietly meson setup --wipe "$directory" "$@"
fi
cp "$log.packages" "$directory/.packages"
if [ -n "${WARNINGS:-}" ]; then
	TARGETS=$(ninja -C "$directory" -t targets all | sed -n 's/\.\([ch]\): CUSTOM_COMMAND.*/.\1/p')
fi
quietly ninja -C "$directory" ${JOBS:+-j "$JOBS"} ${TARGETS:-}
if [ -n "${WARNINGS:-}" ]; then
	quietly scripts/syntax.py "$directory" "$WARNINGS"
	quietly ninja -C "$directory" ${JOBS:+-j "$JOBS"} -f syntax.ninja warnings
fi
# The page of `tracelathe flame` is left out where its parts are not there; that must not go unsaid.
grep '^flame: ' "$log" || true
