/* The binary reader: whatever it accepts must be safe to hash, to print, to render with nothing bound
 * and to compare, and differs in nothing from itself. */
#include <stdlib.h>

#include "compiler/diff/diff.h"
#include "compiler/emit/emit.h"
#include "runtime/bin/bin_dump.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void try_render(const Bin *b, const BinPrompt *p, Buf *out)
{
	Arena a = { 0 };
	Values values;
	Rendering r;
	RenderOptions options = { .user = STR("hello"), .has_user = true };
	values_init(&values, &a, b);
	if (render_prompt(b, p, &values, &options, &a, &r))
		emit_text(out, &a, &r);
	else if (!r.error.n)
		abort();
	arena_free(&a);
}

static void try_diff(const Bin *b, Buf *out)
{
	Arena a = { 0 };
	Diff d;
	DiffNames names = { STR("old"), STR("new") };
	diff_run(&d, &a, b, b);
	if (d.change.n)
		abort();
	diff_report_text(&d, names, DIFF_PLAIN, out);
	diff_report_json(&d, names, out);
	arena_free(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	uint8_t *bytes = malloc(n ? n : 1);  /* aligned, and exactly as long */
	if (n)
		memcpy(bytes, data, n);
	Bin b;
	BinError err;
	if (bin_open(&b, bytes, n, &err) == BIN_OK) {
		Buf out = { 0 };
		bin_dump(&b, &out);
		bin_verify(&b, &err);
		for (uint32_t i = 0; i < b.n_prompt; i++)
			try_render(&b, &b.prompt[i], &out);
		try_diff(&b, &out);
		buf_free(&out);
	}
	free(bytes);
	return 0;
}
