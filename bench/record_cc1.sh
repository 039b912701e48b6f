#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Record a run of the C compiler as an Intel PT trace, with the instructions it executed counted: irregular code, where a
# decoder cannot live on having seen it all before.
#   record_cc1.sh GENERATOR OUTDIR [INSTRUCTIONS]
# GENERATOR is a folder with ptqemu.c (shared/tools/pt-generator). Writes cc1.ret.pt, cc1.time.pt, cc1.img, cc1.map and
# cc1.truth below OUTDIR unless they are there. Needs gcc, Zydis and qemu-user 7.2.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
generator=$1 out=$2 limit=${3:-500000000}
[ -s "$out/cc1.truth" ] && exit 0
for tool in gcc qemu-x86_64; do
	command -v $tool >/dev/null || { echo "skipped: no $tool" >&2; exit 77; }
done
[ -r "$generator/ptqemu.c" ] || { echo "skipped: no generator at $generator" >&2; exit 77; }
mkdir -p "$out"
gcc -O2 -shared -fPIC -w -o "$out/ptqemu.so" "$generator/ptqemu.c" -lZydis
gcc -std=gnu11 -D_GNU_SOURCE -I"$root/include" -I"$root/src" -E "$root/src/callgrind/reader/body_lines.c" -o "$out/body.i"
# The generator leaves without ceremony at the limit: what cc1 would have written is of no interest.
(cd "$out" && qemu-x86_64 -plugin "./ptqemu.so,out=cc1,variants=ret+time,full=1,ips=0,max=$limit" \
	"$(gcc -print-prog-name=cc1)" -quiet -O2 -std=gnu11 body.i -o body.s) >"$out/record.log" 2>&1 || {
	tail -n 3 "$out/record.log" >&2
	exit 1
}
[ -s "$out/cc1.truth" ]
