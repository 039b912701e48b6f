#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# docs.sh [DIRECTORY]: write the reference of include/ to DIRECTORY/html (default: build-docs); a warning is an error. In a
# test, `docs.sh --check` writes it nowhere. Exit status 77: there is no doxygen.
set -eu
cd "$(dirname "$0")/.."
command -v doxygen >/dev/null || { echo "docs: doxygen is not here" >&2; exit 77; }
directory=${1:-build-docs}
if [ "$directory" = --check ]; then
	directory=$(mktemp -d)
	trap 'rm -rf "$directory"' EXIT
fi
mkdir -p "$directory"
{ cat docs/Doxyfile; echo "OUTPUT_DIRECTORY = $directory"; } | doxygen -
