#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# build.sh DIRECTORY [MESON-SETUP-OPTION...]: set the directory up if it is not, and build everything in it.
# The compiler's words are shown when it has any to say that matter: on failure.
set -eu
cd "$(dirname "$0")/.."
directory=$1
shift
log=$(mktemp)
trap 'rm -f "$log"' EXIT

quietly() { "$@" >"$log" 2>&1 || { cat "$log" >&2; echo "build: $directory failed" >&2; exit 1; }; }

[ -f "$directory/build.ninja" ] || quietly meson setup "$directory" "$@"
quietly ninja -C "$directory" ${JOBS:+-j "$JOBS"}
# The page of `tracelathe flame` is left out where its parts are not there; that must not go unsaid.
grep '^flame: ' "$log" || true
