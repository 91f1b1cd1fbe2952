#!/bin/sh
# embed.sh TABLE PREFIX FILE... : writes C that holds the files' bytes as a table (embed.h).
set -eu
LC_ALL=C
export LC_ALL
table=$1 prefix=$2
shift 2

echo '#include "runtime/base/embed.h"'
i=0
for f; do
	echo "static const unsigned char file_$i[] = {"
	od -An -v -tu1 "$f" | sed 's/\([0-9][0-9]*\)/\1,/g'
	echo '0 };'
	i=$((i + 1))
done

echo "const EmbedFile ${table}[] = {"
i=0
for f; do
	echo "	{ \"${f#"$prefix"}\", (const char *)file_$i, sizeof file_$i - 1 },"
	i=$((i + 1))
done
echo "	{ 0, 0, 0 } };"
echo "const size_t ${table}_n = $i;"
