#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# deps.sh [GROUP...]: install what scripts/packages.txt lists for the groups (default: all) and is not there yet; for
# building also what web/package-lock.json lists, through npm. Neither npm nor a network for it is needed to go on.
# Says nothing when nothing is missing. Never asks.
set -eu
list=$(dirname "$0")/packages.txt
groups=${*:-build test demo bench docs}

say() { echo "deps: $*" >&2; }
# nodejs of other origins brings an npm of its own, and conflicts with Debian's.
brought() { case $1 in nodejs|npm) command -v npm >/dev/null ;; *) false ;; esac; }
installed() { dpkg-query -W -f='${db:Status-Status}\n' "$1" 2>/dev/null | grep -qx installed; }
offered() { apt-cache policy "$1" 2>/dev/null | grep -q 'Candidate: [^(]'; }

wanted() {
	sed 's/#.*//' "$list" | while read -r package for_whom note; do
		for group in $groups; do
			case ",$for_whom," in *",$group,"*) echo "$package"; break ;; esac
		done
	done | sort -u
}

# What of the wanted packages is to be installed, by what apt knows now.
missing() {
	for entry in $(wanted); do
		case $entry in
		*\>=*) ;;
		\(*) name=${entry#(}; name=${name%)}
			brought "$name" || installed "$name" || { offered "$name" && echo "$name"; } || echo "-$name" ;;
		*/*) first=${entry%/*}; second=${entry#*/}
			installed "$first" || { offered "$first" && echo "$first"; } || installed "$second" || echo "$second" ;;
		*) installed "$entry" || echo "$entry" ;;
		esac
	done
}

# The release that has the package in a version new enough, where the machine's sources have one, as those of backports.
release_with() {
	apt-cache madison "$1" 2>/dev/null | while read -r _ _ version _ _ release _ kind; do
		if [ "$kind" = Packages ] && dpkg --compare-versions "$version" ge "$2"; then
			echo "${release%%/*}"
			break
		fi
	done
}

# "NAME RELEASE" of what is wanted in such a version; nothing of what is there in an older one, which stays.
newer() {
	for entry in $(wanted | sed -n 's/^(\(.*>=.*\))$/\1/p'); do
		name=${entry%%>=*}
		installed "$name" && continue
		release=$(release_with "$name" "${entry#*>=}")
		[ -z "$release" ] || echo "$name $release"
	done
}

# "-name": not offered by the package sources, and nothing to wait for.
without() {
	for name in $(missing | sed -n 's/^-//p'); do
		say "no package $name in this machine's sources: going on without it"
	done
}

# The parts of the page of `tracelathe flame`, as web/package-lock.json names them, into web/node_modules.
web_parts() {
	case " $groups " in *" build "*) ;; *) return 0 ;; esac
	web=$(dirname "$0")/../web
	if ! command -v npm >/dev/null; then
		say "no npm here: \`tracelathe flame\` will write --svg only"
	elif ! cmp -s "$web/package-lock.json" "$web/node_modules/.taken"; then
		say "npm ci in web/"
		if npm_log=$(cd "$web" && npm ci --ignore-scripts --no-audit --no-fund --fetch-retries=1 --fetch-retry-mintimeout=2000 2>&1); then
			cp "$web/package-lock.json" "$web/node_modules/.taken"
		else
			echo "$npm_log" >&2
			say "npm ci failed: \`tracelathe flame\` will write --svg only"
		fi
	fi
}

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
	say "not a Debian machine: install the packages of $list (or their like) by your own means"
	web_parts
	exit 0
fi
offered libc6 && lists=yes || lists=no
if [ $lists = yes ] && [ -z "$(missing | grep -v '^-')$(newer)" ]; then
	without
	web_parts
	exit 0
fi

if [ "$(id -u)" = 0 ]; then
	as_root=
elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
	as_root="sudo -n"
elif [ $lists = yes ] && [ -z "$(missing | grep -v '^-')" ]; then
	without
	web_parts
	exit 0
else
	say "these packages are missing, and there is neither root nor a sudo that needs no password:"
	say "  apt-get install $(missing | grep -v '^-' | tr '\n' ' ')"
	exit 1
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt() { $as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq "$@" >>"$log" 2>&1; }

apt update || say "apt-get update failed; going on with the package lists that are here"
packages=$(missing | grep -v '^-' | tr '\n' ' ')
without
if [ -n "$packages" ]; then
	say "installing $packages"
	# shellcheck disable=SC2086
	if ! apt install -y --no-install-recommends $packages; then
		cat "$log" >&2
		say "apt-get install failed"
		exit 1
	fi
fi
# Only tests need these, which say "skipped" without them.
newer | while read -r name release; do
	say "installing $name of $release"
	apt install -y --no-install-recommends --no-remove -t "$release" "$name" </dev/null ||
		say "apt-get cannot install $name of $release: going on without it"
done
web_parts
