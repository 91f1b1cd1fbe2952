/*
 * send FILE.bin TARGET NAME=VALUE...: the request body of a compiled prompt, on standard output. All that a
 * service needs of seedc is its runtime library:
 *
 *   seedc triage.sd -o triage.bin
 *   cc send.c -o send $(pkg-config --cflags --libs seedrt)
 *   ./send triage.bin gpt-4o ticket='My parcel never came.'
 */
#include <stdio.h>
#include <string.h>

#include "runtime/base/file.h"
#include "runtime/wire/wire.h"

static int fail(Str why)
{
	fprintf(stderr, "send: %.*s\n", STR_ARG(why));
	return 1;
}

static bool bind(Values *values, const BinPrompt *prompt, const char *pair, ValueError *err)
{
	const char *equals = strchr(pair, '=');
	*err = (ValueError){ .message = STR("a value is written NAME=VALUE") };
	return equals && values_set(values, prompt, (Str){ pair, (size_t)(equals - pair) }, str_from(equals + 1),
	                            VALUE_WRITTEN, err);
}

int main(int argc, char **argv)
{
	Arena arena = { 0 };
	Buf body = { 0 };
	Str bytes, why;
	Bin bin;
	BinError bad;
	if (argc < 3)
		return fail(STR("usage: send FILE.bin TARGET NAME=VALUE..."));
	if (!file_read(&arena, argv[1], &bytes, &why))
		return fail(why);
	if (bin_open(&bin, bytes.p, bytes.n, &bad) != BIN_OK)
		return fail(str_from(bad.message));

	const BinPrompt *prompt = &bin.prompt[0];
	Values values;
	ValueError wrong;
	values_init(&values, &arena, &bin);
	for (int i = 3; i < argc; i++)
		if (!bind(&values, prompt, argv[i], &wrong))
			return fail(wrong.message);

	TargetTable targets;
	targets_init(&targets, &arena);
	const Target *target = target_find(&targets, str_from(argv[2]));
	if (!target)
		return fail(STR("no such target"));
	Rendering rendering;
	RenderOptions options = { .family = target->family };
	if (!render_prompt(&bin, prompt, &values, &options, &arena, &rendering))
		return fail(rendering.error);

	static const WireForm forms[] = { [WIRE_OPENAI] = FORM_OPENAI, [WIRE_ANTHROPIC] = FORM_ANTHROPIC, [WIRE_GEMINI] = FORM_GEMINI };
	WireInput in = { &bin, prompt, &rendering, target, NULL, forms[target->wire], UNBOUND_REFUSE };
	WireReport report = { .arena = &arena };
	if (!wire_write(&body, &in, &report))
		return fail(report.note.v[0].message);
	fwrite(body.p, 1, body.n, stdout);
	buf_free(&body);
	arena_free(&arena);
	return 0;
}
