#!/bin/sh
# bootstrap: without root and with packages missing it prints the one apt line and exits 2; so it does for
# a word it does not know.
set -eu
mkdir bin
printf '#!/bin/sh\necho "installed:gcc installed:make installed:libyaml-dev:amd64 config-files:re2c "\n' >bin/dpkg-query
printf '#!/bin/sh\necho 1000\n' >bin/id
chmod +x bin/dpkg-query bin/id
PATH=$PWD/bin:$PATH
code=0
"$ROOT/bootstrap" demo >out 2>err || code=$?
[ "$code" = 2 ] && [ ! -s out ] || { echo "exit $code"; cat out err; exit 1; }
grep -q 'apt-get install .* re2c .*python3 python3-venv$' err || { cat err; exit 1; }
grep -Eq ' (gcc|make|libyaml-dev)( |$)' err && { echo 'asks for what is there'; cat err; exit 1; }

code=0
"$ROOT/bootstrap" chekc >out 2>err || code=$?
[ "$code" = 2 ] && grep -q usage err || { echo "exit $code"; cat out err; exit 1; }
