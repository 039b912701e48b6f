#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# cross.sh [-t] MACHINE [MESON-SETUP-OPTION...]: build for another machine in build-MACHINE; with -t also run its tests (unit
# tests, replays of the fuzz targets, the command's cases and golden files), through qemu-user; programs of i386 are run by the
# kernel where it takes them.
#
# MACHINE: aarch64, s390x (big-endian), riscv64, i386 and armhf (32 bits). Libraries are Debian's for that machine, unpacked by mmdebstrap
# into a folder of their own (TL_SYSROOTS, default build-sysroots; nothing of the system changes). s390x has no Zydis, and
# machines of 32 bits have neither libipt.so.2 nor the recorder. `tracelathe --version` says what a build has not.
set -eu
cd "$(dirname "$0")/.."
say() { echo "cross: $*" >&2; }
fail() { say "$*"; exit 1; }

tests=
if [ "${1-}" = -t ]; then
	tests=yes
	shift
fi
[ $# -gt 0 ] || { sed -n 's/^# //p' "$0" | sed -n '2,11p' >&2; exit 2; }
machine=$1
shift

# Words of Debian, of gcc, of meson and of QEMU for each machine.
endian=little
case $machine in
aarch64) architecture=arm64 triplet=aarch64-linux-gnu family=aarch64 ;;
s390x) architecture=s390x triplet=s390x-linux-gnu family=s390x endian=big ;;
i386) architecture=i386 triplet=i686-linux-gnu family=x86 ;;
armhf) architecture=armhf triplet=arm-linux-gnueabihf family=arm ;;
riscv64) architecture=riscv64 triplet=riscv64-linux-gnu family=riscv64 ;;
*) fail "$machine: none of aarch64, s390x, riscv64, i386, armhf" ;;
esac
compiler=$triplet-gcc
qemu=qemu-$family
case $family in arm) qemu=qemu-arm ;; x86) qemu=qemu-i386 ;; esac
command -v "$compiler" >/dev/null || fail "no $compiler here: apt-get install gcc-$triplet"
command -v "$qemu" >/dev/null || fail "no $qemu here: apt-get install qemu-user"

root=$(realpath -m "${TL_SYSROOTS:-build-sysroots}")/$machine
release=$(. /etc/os-release && echo "$VERSION_CODENAME")
# Debian has riscv64 from the release behind bookworm on.
[ "$machine $release" != "riscv64 bookworm" ] || release=trixie
mirror=${TL_MIRROR:-http://deb.debian.org/debian}

# The packages of the other machine: those with a library of it; what is not there is left out one by one.
unpack_packages()
{
	command -v mmdebstrap >/dev/null || fail "no mmdebstrap here: apt-get install mmdebstrap"
	base=libc6-dev,zlib1g-dev,libcmocka-dev,libzstd-dev,liblzma-dev,liblz4-dev,libiberty-dev,libyaml-dev,libsqlite3-dev,libdeflate-dev
	base=$base,libncurses-dev
	for more in ,libzydis-dev ''; do
		rm -rf "$root"
		if mmdebstrap --quiet --variant=extract --architectures="$architecture" --include="$base$more" "$release" "$root" \
			"$mirror" >"$root.log" 2>&1; then
			return
		fi
	done
	cat "$root.log" >&2
	fail "the packages of $architecture cannot be had"
}

# Links from the root of the file system lead to this machine's libraries, or nowhere: the linker would miss libm.so.
relative_links()
{
	find "$root" -lname '/*' | while read -r link; do
		ln -snfr "$root$(readlink "$link")" "$link"
	done
}

if [ ! -f "$root/.complete" ]; then
	mkdir -p "${root%/*}"
	unpack_packages
	# From trixie on the packages have their libraries in /usr alone.
	[ -e "$root/lib" ] || ln -s usr/lib "$root/lib"
	relative_links
	touch "$root/.complete"
fi

# What meson is told of the machine. Debian's name of the folder of i386 is not gcc's.
folder=$triplet link=
if [ "$machine" = i386 ]; then
	folder=i386-linux-gnu
	link=", '-L$root/usr/lib/$folder', '-B$root/usr/lib/$folder'"
fi
file=$root.meson
run="'$qemu', '-L', '$root'"
# A kernel that runs programs of i386 does so itself, which is faster, and QEMU has no signal of a file cut while it is mapped.
if [ "$machine" = i386 ] && "$root/lib/ld-linux.so.2" --version >/dev/null 2>&1; then
	run="'env'"
	link="$link, '-Wl,--dynamic-linker=$root/lib/ld-linux.so.2', '-Wl,--disable-new-dtags'"
	link="$link, '-Wl,-rpath,$root/lib/$folder:$root/usr/lib/$folder'"
fi
cat >"$file" <<MESON
[binaries]
c = '$compiler'
ar = '${compiler%gcc}ar'
strip = '${compiler%gcc}strip'
pkgconfig = 'pkg-config'
exe_wrapper = [$run]
[built-in options]
c_args = ['--sysroot=$root']
c_link_args = ['--sysroot=$root'$link]
[properties]
sys_root = '$root'
pkg_config_libdir = ['$root/usr/lib/$folder/pkgconfig', '$root/usr/share/pkgconfig']
needs_exe_wrapper = true
[host_machine]
system = 'linux'
cpu_family = '$family'
cpu = '$family'
endian = '$endian'
MESON

unset CC CXX CC_LD CXX_LD CFLAGS LDFLAGS
options="-Dmpi=disabled -Dview=disabled -Dedit=disabled"
directory=build-$machine
if [ ! -f "$directory/build.ninja" ]; then
	# shellcheck disable=SC2086
	meson setup "$directory" --cross-file "$file" -Doptimization=1 $options "$@" >"$root.log" 2>&1 || {
		cat "$root.log" >&2
		fail "$directory cannot be set up"
	}
fi
JOBS=${JOBS:-2} scripts/build.sh "$directory"
if [ -x "$directory/tracelathe" ]; then $(echo "$run" | tr -d "',") "$directory/tracelathe" --version; fi
[ -n "$tests" ] || exit 0
meson test -C "$directory" --suite unit --suite cli --suite fuzz --no-rebuild --num-processes "${JOBS:-2}" --timeout-multiplier 10 \
	--print-errorlogs
