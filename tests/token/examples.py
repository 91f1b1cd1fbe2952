#!/usr/bin/env python3
"""The examples in the headers of runtime/token: compiled, run over a small vocabulary, and what they print."""
import os
import re
import subprocess
import sys

ROOT, BUILD = os.environ["ROOT"], os.environ["BUILD"]
HEADERS = ["runtime/token/token.h", "runtime/token/index.h"]

# What the examples take as given.
PRELUDE = """
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "runtime/token/index.h"
static int fail(Str why) { printf("%.*s\\n", STR_ARG(why)); return 1; }
static size_t n_used;
static void use(const uint32_t *ids, size_t n) { n_used += n ? n + 0 * ids[0] : 0; }
"""
EXAMPLE = """
static int example_%d(Arena *arena, const char *path, Encoder *e, Str text, Str edited, int fd)
{
	char piece[5];
	ssize_t n_read;
	(void)arena, (void)path, (void)e, (void)text, (void)edited, (void)fd, (void)piece, (void)n_read;
	{
%s	}
	return 0;
}
"""
MAIN = """
int main(int argc, char **argv)
{
	(void)argc;
	Arena arena = { 0 };
	Vocab v;
	Str why, text = str_from(argv[2]), edited = str_from(argv[3]);
	if (!vocab_open(&arena, argv[1], &v, &why))
		return fail(why);
	Encoder *e = encoder_new(&v);
	int status = 0;
%s	printf("%%zu used\\n", n_used);
	return status;
}
"""
TEXT = "the thing the thing's the the in the end"
EDITED = TEXT[:4] + "the" + TEXT[9:]
PRINTED = """17 tokens of "the thing the thing's the the in the end"
17 tokens
17
3 tokens in bytes 3 to 9
15 tokens after the edit
17 used
"""


def blocks(header):
    """The indented blocks of the header's first comment."""
    with open(os.path.join(ROOT, header), encoding="utf-8") as f:
        comment = f.read().split("*/")[0]
    found, block = [], ""
    for line in comment.splitlines():
        code = re.match(r" \* {5}(.*)", line)
        if code:
            block += "\t\t" + code.group(1) + "\n"
        elif block:
            found.append(block)
            block = ""
    return found


def main():
    if re.search(r"/(san|stress|fuzz)$", BUILD):
        print("the library of a sanitizer's build links with its own flags only")
        return 77
    seedc, tiny = os.environ["SEEDC"], os.path.join(ROOT, "tests/count/data/tiny.tiktoken")
    subprocess.run([seedc, "vocab", "add", "tiny", tiny, "--split", "o200k"], check=True, stdout=subprocess.DEVNULL,
                   env=dict(os.environ, SEEDC_VOCAB_DIR="."))
    source = [b for h in HEADERS for b in blocks(h)]
    calls = ["\tstatus |= example_%d(&arena, argv[1], e, text, edited, 0);\n" % i for i in range(len(source))]
    with open("examples.c", "w", encoding="utf-8") as f:
        f.write(PRELUDE + "".join(EXAMPLE % row for row in enumerate(source)) + MAIN % "".join(calls))
    subprocess.run([os.environ.get("CC", "cc"), "-std=c11", "-D_XOPEN_SOURCE=700", "-Wall", "-Wextra", "-Werror", "-I" + ROOT,
                    "examples.c", "-o", "examples", os.path.join(BUILD, "libseedrt.a"), "-lutf8proc", "-lcrypto", "-lm",
                    "-lpthread"], check=True)
    got = subprocess.run(["./examples", "tiny.vocab", TEXT, EDITED], input=TEXT, stdout=subprocess.PIPE, text=True)
    if got.returncode or got.stdout != PRINTED:
        print("exit %d, printed:\n%s" % (got.returncode, got.stdout))
    print("%d examples" % len(source))
    return got.returncode or got.stdout != PRINTED


sys.exit(main())
