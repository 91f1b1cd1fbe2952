/* `seedc dump`: a compiled prompt as text, or with --verify only what is wrong with it. */
#include "compiler/cmd/cmd.h"
#include "runtime/base/file.h"
#include "runtime/bin/bin_dump.h"

static int dump_fault(Invocation *iv, const char *path, const BinError *err)
{
	buf_printf(&iv->err, "seedc: %s: byte %llu: %s\n", path, (unsigned long long)err->off, err->message);
	return EXIT_FAILED;
}

static int dump_one(Invocation *iv, Arena *a, const char *path)
{
	Str bytes, why;
	if (!file_read(a, path, &bytes, &why))
		return cmd_io_error(iv, path, why);
	Bin bin;
	BinError err = { 0 };
	if (bin_open(&bin, bytes.p, bytes.n, &err) != BIN_OK)
		return dump_fault(iv, path, &err);
	if (!args_has(iv->args, FLAG_VERIFY)) {
		bin_dump(&bin, &iv->out);
		return EXIT_DONE;
	}
	if (bin_verify(&bin, &err) != BIN_OK)
		return dump_fault(iv, path, &err);
	buf_printf(&iv->out, "%s: ok\n", path);
	return EXIT_DONE;
}

int cmd_dump(Invocation *iv)
{
	const Args *args = iv->args;
	if (!args->operand.n)
		return cmd_usage_error(iv, "`dump` needs a .bin file");
	int status = EXIT_DONE;
	for (uint32_t i = 0; i < args->operand.n; i++) {
		Arena a = { 0 };
		int one = dump_one(iv, &a, args->operand.v[i]);
		status = one > status ? one : status;
		arena_free(&a);
	}
	return status;
}
