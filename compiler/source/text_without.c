/* A text without some of its bytes: what is left still knows where it came from. See source.h. */
#include <string.h>

#include "compiler/source/source.h"

/* Runs of [lo, hi) go to the end of out; *run is the first that may cover it and moves on. */
static void keep_runs(Text *out, const Text *t, size_t lo, size_t hi, uint32_t *run)
{
	for (; *run < t->n_run && t->run[*run].text_off < hi; ++*run) {
		TextRun r = t->run[*run];
		size_t from = r.text_off > lo ? r.text_off : lo, end = (size_t)r.text_off + r.len, to = end < hi ? end : hi;
		if (from < to)
			out->run[out->n_run++] = (TextRun){ (uint32_t)(out->s.n + from - lo), r.src_off + (uint32_t)(from - r.text_off), (uint32_t)(to - from) };
		if (end > hi)
			break;
	}
}

Text text_without(Arena *a, const Text *t, const TextCut *cut, uint32_t n_cut)
{
	char *p = arena_alloc(a, t->s.n + 1);
	Text out = { { p, 0 }, arena_array(a, TextRun, t->n_run + n_cut + 1), 0 };
	uint32_t run = 0;
	for (size_t i = 0, lo = 0; i <= n_cut; i++) {
		size_t hi = i < n_cut ? cut[i].lo : t->s.n;
		memcpy(p + out.s.n, t->s.p + lo, hi - lo);
		keep_runs(&out, t, lo, hi, &run);
		out.s.n += hi - lo;
		lo = i < n_cut ? cut[i].hi : hi;
	}
	return out;
}
