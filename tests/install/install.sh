#!/bin/sh
# make install under DESTDIR: the program, its second name, and a runtime library that a stranger's program
# finds with pkg-config and links.
set -eu
cd "$ROOT"
make --no-print-directory install B="$BUILD" PREFIX=/usr DESTDIR="$SCRATCH/d" >"$SCRATCH/log" 2>&1 || { cat "$SCRATCH/log"; exit 1; }
cd "$SCRATCH"
d/usr/bin/seedc --version | grep -q '^seedc [0-9]' || { echo 'seedc does not run'; exit 1; }
[ "$(readlink d/usr/bin/seedance-cli)" = seedc ] || { echo 'no second name'; exit 1; }
for page in "$ROOT"/docs/man/*.1; do
	[ ! -e "$page" ] || [ -f "d/usr/share/man/man1/${page##*/}" ] || { echo "no ${page##*/}"; exit 1; }
done

command -v pkg-config >/dev/null || { echo 'no pkg-config'; exit 77; }
case $BUILD in */san | */stress) exit 0 ;; esac  # its objects link only with a sanitizer's runtime
cat >use.c <<'END'
#include "runtime/base/embed.h"
#include "runtime/base/str.h"
int main(void) { return !str_is(STR("x"), "x") || embed_targets[embed_targets_n].name; }
END
export PKG_CONFIG_SYSROOT_DIR="$PWD/d" PKG_CONFIG_PATH="$PWD/d/usr/lib/pkgconfig"
${CC:-cc} use.c -o use $(pkg-config --cflags --libs --static seedrt)
./use
