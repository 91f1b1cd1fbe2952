/* A text file: one text, with a row for each of its sections where it is Markdown. */
#include "compiler/count/worker.h"
#include "compiler/front/front.h"
#include "compiler/text/text_layer.h"

/* Titles, a step to the right for each level. */
static RowStart *section_rows(CountWorker *w, Str text, uint32_t *n)
{
	TextLayer layer = { 0 };
	text_layer_build_shape(&w->scratch, &layer, text);
	RowStart *row = arena_array(&w->scratch, RowStart, layer.section.n + 1);
	*n = 0;
	for (uint32_t i = 0; i < layer.section.n; i++) {
		const TextSection *s = &layer.section.v[i];
		Str title = text_at(&layer, s->title_lo, s->title_hi);
		if (!title.n && !*n && layer.section.n > 1 && layer.section.v[1].lo == s->lo)
			continue;
		row[(*n)++] = (RowStart){ s->lo, title.n ? str_fmt(&w->scratch, "%.*s%.*s", s->level ? (int)(2 * (s->level - 1)) : 0,
		                                                   "            ", STR_ARG(title)) : STR("(before the first heading)") };
	}
	if (*n)
		row[0].lo = 0;
	return row;
}

void count_text_file(CountWorker *w, CountedFile *file, Str path, Str text)
{
	static const RowStart whole;
	FrontDetect why;
	Counting c = { .w = w, .file = file, .path = path };
	const RowStart *row = &whole;
	uint32_t n = 0;
	bool is_prose = front_detect(path, STR(""), &why) == FRONT_MARKDOWN && why == DETECT_EXTENSION;
	if (w->run->set->by == COUNT_BY_SECTION && is_prose && text.n < UINT32_MAX)
		row = section_rows(w, text, &n);
	for (uint32_t i = 0; i < w->run->set->column.n; i++) {
		counting_begin(&c, i);
		counting_text(&c, text, n ? row : &whole, n ? n : 1);
	}
}
