#!/bin/sh
# venv.sh REQUIREMENTS: prints the Python of a virtual environment that has these packages, made on first use
# in the cache folder, outside the tree. Another list of versions gets an environment of its own.
set -eu
list=$1
cache=${XDG_CACHE_HOME:-${REAL_HOME:-$HOME}/.cache}/seedc
key=$(sha256sum <"$list" | cut -c 1-16)
venv=$cache/venv-$key
if [ ! -f "$venv/complete" ]; then
	echo "making $venv" >&2
	rm -rf "$venv"
	mkdir -p "$cache"
	"${PYTHON:-python3}" -m venv "$venv" >&2
	"$venv/bin/python" -m pip install --quiet --disable-pip-version-check -r "$list" >&2
	: >"$venv/complete"
fi
echo "$venv/bin/python"
