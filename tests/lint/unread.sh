#!/bin/sh
# What a folder holds and cannot be read is a finding and exit 3, never "no findings".
set -eu
mkdir -p w/listed w/closed w/fine
printf 'prompt p v1.0\nuser:\n  hi\n' >w/fine/p.sd
cp w/fine/p.sd w/listed/p.sd
cp w/fine/p.sd w/closed/p.sd
ln -s nowhere.sd w/fine/dangling.sd
ln -s nowhere.png w/fine/dangling.png
chmod -R a+rX .
chmod 644 w/listed
chmod 311 w/closed
as=
if [ "$(id -u)" = 0 ]; then
	as="setpriv --reuid=65534 --regid=65534 --clear-groups"
	$as test -x "$SEEDC" && $as test -r "$SCRATCH/w/fine/p.sd" || { echo "another user cannot reach the program"; exit 77; }
fi
set +e
$as "$SEEDC" lint --format=concise --select=SD001 w >out 2>err
got=$?
set -e
chmod 755 w/listed w/closed
cat >want <<'END2'
w/closed:1:1: error[SD001] cannot be read: permission denied
w/fine/dangling.sd:1:1: error[SD001] cannot be read: no such file or directory
w/listed/p.sd:1:1: error[SD001] cannot be read: permission denied
1 file checked: 3 errors
END2
diff -u want out
[ ! -s err ] && [ $got = 3 ]
