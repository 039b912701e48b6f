#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# dist.sh [FOLDER]: FOLDER/tracelathe-VERSION.tar.xz of the last commit. The parts of the page of `tracelathe flame` that npm
# brings are in it, so that it builds without git, npm and a network. The same commit gives the same bytes.
set -eu
folder=$(realpath "${1:-.}")
cd "$(dirname "$0")/.."
version=$(sed -n "s/^  version: '\(.*\)',/\1/p" meson.build)
name=tracelathe-$version
if [ ! -f web/node_modules/.taken ]; then
	echo "dist: web/node_modules is not there; \`make deps\` brings it" >&2
	exit 1
fi
[ -z "$(git status --porcelain)" ] || echo "dist: what is not committed is left out" >&2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
date=$(git log -1 --format=%cI)

git archive --format=tar --prefix="$name/" HEAD | tar -x -C "$work"
find web/node_modules \( -name package.json -o -name 'LICENSE*' -o -path '*/dist/*.min.js' -o -name .taken \) -type f |
	while read -r file; do install -D -m 644 "$file" "$work/$name/$file"; done
tar -c -C "$work" --sort=name --mtime="$date" --owner=0 --group=0 --numeric-owner --mode=go=rX,u+rw --format=gnu "$name" |
	xz -6 -T1 >"$folder/$name.tar.xz"
echo "$folder/$name.tar.xz"
