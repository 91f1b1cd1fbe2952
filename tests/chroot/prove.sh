#!/bin/sh
# prove.sh [FOLDER]: runs both README commands in a fresh Debian root, as a stranger would. Needs root and
# debootstrap; takes minutes; not part of `make check`.
#
# The package source is the one this machine uses (its apt configuration); FOLDER (default: a temporary
# one) gets the root and keeps it, so that a second run can look around. The checkout is what git has
# committed, plus ../shared beside it where that exists.
set -eu
cd "$(dirname "$0")/../.."
[ "$(id -u)" = 0 ] || { echo 'prove.sh: needs root' >&2; exit 2; }
command -v debootstrap >/dev/null || { echo 'prove.sh: apt-get install debootstrap' >&2; exit 2; }

suite=bookworm
keep=${1-}
root=${keep:-$(mktemp -d)}

# The first archive that apt knows for the suite, as apt itself prints it.
mirror=$(apt-get indextargets --format '$(RELEASE) $(COMPONENT) $(REPO_URI)' 2>/dev/null |
	awk -v s="$suite" '$1 == s && $2 == "main" { print $3; exit }')
if [ -z "$mirror" ]; then
	mirror=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null |
		awk '/^URIs:/ { print $2; exit } /^deb / { for (i = 2; i <= NF; i++) if ($i ~ /:\/\//) { print $i; exit } }')
fi
[ -n "$mirror" ] || { echo 'prove.sh: apt has no archive configured' >&2; exit 2; }

leave() {
	umount "$root/proc" "$root/dev" 2>/dev/null || :
	[ -n "$keep" ] || rm -rf --one-file-system "$root"
}
trap leave EXIT
trap 'exit 1' INT TERM

echo "== debootstrap $suite"
[ -e "$root/etc/debian_version" ] || debootstrap --variant=minbase "$suite" "$root" "$mirror" >"$root.log" 2>&1 ||
	{ tail -n 20 "$root.log" >&2; exit 1; }

# The fresh root reaches packages the way this machine does.
mkdir -p "$root/work" "$root/etc/apt/apt.conf.d"
cp -a /etc/apt/apt.conf.d/. "$root/etc/apt/apt.conf.d/"
cp -L /etc/resolv.conf /etc/hosts "$root/etc/" 2>/dev/null || :
[ ! -d /usr/local/share/ca-certificates ] || cp -a /usr/local/share/ca-certificates "$root/usr/local/share/"

rm -rf "$root/work/seedc" "$root/work/shared"
git clone -q . "$root/work/seedc"
if [ -d ../shared ]; then
	mkdir "$root/work/shared"
	cp -a ../shared/. "$root/work/shared/"
fi

mount --bind /proc "$root/proc"
mount --bind /dev "$root/dev"

enter() {
	env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 \
		${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
		chroot "$root" sh -c "$1"
}

status=0
for tool in make gcc python3 re2c; do
	enter "command -v $tool" >/dev/null && { echo "prove.sh: $tool is there already" >&2; [ -n "$keep" ] || exit 1; }
done
echo '== as a user without root'
enter 'chown -R nobody /work/seedc; cd /work/seedc && setpriv --reuid nobody --clear-groups ./bootstrap demo; code=$?; chown -R root /work/seedc; exit $code' && code=0 || code=$?
[ "$code" = 2 ] || [ -n "$keep" ] || { echo "prove.sh: exit $code, expected 2" >&2; status=1; }
for what in demo check; do
	echo "== ./bootstrap $what"
	enter "cd /work/seedc && ./bootstrap $what" || { echo "prove.sh: exit $?" >&2; status=1; }
done
exit $status
