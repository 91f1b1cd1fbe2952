/* What count prints: a table with a column for each target, or JSON. */
#include "compiler/count/count.h"

/* ---- cells ------------------------------------------------------------------------------------ */

/* "≈ 12", "12" or "-": at most one byte of it is no column of the terminal's, which cell_width knows. */
static Str cell(Arena *a, const Tally *t)
{
	return t->is_set ? str_fmt(a, "%s%llu", t->is_estimate ? "\xe2\x89\x88 " : "", (unsigned long long)t->n) : STR("-");
}

static size_t cell_width(Str cell)
{
	return str_starts(cell, STR("\xe2\x89\x88")) ? cell.n - 2 : cell.n;
}

static bool is_counted(const CountedFile *f)
{
	return f->kind == COUNT_TEXT || f->kind == COUNT_REQUEST;
}

static void add(Tally *to, const Tally *t)
{
	to->n += t->n;
	to->is_set |= t->is_set;
	to->is_estimate |= t->is_estimate;
	to->is_frame_guessed |= t->is_frame_guessed;
}

static Tally *sums(Arena *a, const CountRun *run, uint32_t *n_counted)
{
	Tally *sum = arena_array(a, Tally, run->set->column.n);
	*n_counted = 0;
	for (uint32_t i = 0; i < run->files.file.n; i++) {
		if (!is_counted(&run->result[i]))
			continue;
		++*n_counted;
		for (uint32_t k = 0; k < run->set->column.n; k++)
			add(&sum[k], &run->result[i].total[k]);
	}
	for (uint32_t k = 0; k < run->set->column.n; k++)
		sum[k].is_set = true;
	return sum;
}

/* ---- the table -------------------------------------------------------------------------------- */

typedef struct Table {
	Buf *out;
	Arena a;
	const CountRun *run;
	size_t *width;
} Table;

static void widen(Table *t, const Tally *tally)
{
	for (uint32_t i = 0; i < t->run->set->column.n; i++) {
		size_t w = cell_width(cell(&t->a, &tally[i]));
		t->width[i] = w > t->width[i] ? w : t->width[i];
	}
}

static void put_cell(Table *t, uint32_t column, Str text)
{
	buf_fill(t->out, ' ', t->width[column] - cell_width(text) + (column ? 2 : 0));
	buf_put(t->out, text);
}

static void put_line(Table *t, const Tally *tally, const char *indent, Str name)
{
	for (uint32_t i = 0; i < t->run->set->column.n; i++)
		put_cell(t, i, tally ? cell(&t->a, &tally[i]) : STR("-"));
	buf_printf(t->out, "  %s", indent);
	render_put_shown(t->out, name);
	buf_byte(t->out, '\n');
}

static void put_head(Table *t)
{
	for (uint32_t i = 0; i < t->run->set->column.n; i++)
		put_cell(t, i, t->run->set->column.v[i].name);
	buf_lit(t->out, "  tokens of\n");
}

static void put_file(Table *t, Str path, const CountedFile *f)
{
	if (f->kind == COUNT_BINARY)
		put_line(t, NULL, "", str_fmt(&t->a, "%.*s (binary, not counted)", STR_ARG(path)));
	if (!is_counted(f))
		return;
	put_line(t, f->total, "", path);
	for (uint32_t i = 0; i < f->row.n; i++)
		put_line(t, f->row.v[i].tally, "  ", f->row.v[i].name);
}

/* What stands behind each mark. */
static void put_marks(Table *t, const Tally *sum)
{
	bool any = false;
	for (uint32_t i = 0; i < t->run->set->column.n; i++) {
		const CountColumn *c = &t->run->set->column.v[i];
		if (!sum[i].is_estimate)
			continue;
		buf_printf(t->out, "%s\xe2\x89\x88 %.*s: ", any ? "" : "\n", STR_ARG(c->name));
		any = true;
		if (c->why.n && c->margin > 0)
			buf_printf(t->out, "an estimate, \xc2\xb1%.0f %%; %.*s\n", c->margin * 100, STR_ARG(c->why));
		else if (c->why.n)
			buf_printf(t->out, "an estimate of unknown error; %.*s\n", STR_ARG(c->why));
		else
			buf_printf(t->out, "texts are exact; how the model reads %s is not public, and estimated\n",
			           sum[i].is_frame_guessed ? "framing, tools and schemas" : "images");
	}
}

void count_print_table(Buf *out, const CountRun *run)
{
	Table t = { .out = out, .run = run };
	uint32_t n_counted;
	Tally *sum = sums(&t.a, run, &n_counted);
	t.width = arena_array(&t.a, size_t, run->set->column.n);
	for (uint32_t i = 0; i < run->set->column.n; i++)
		t.width[i] = run->set->column.v[i].name.n;
	widen(&t, sum);
	for (uint32_t i = 0; i < run->files.file.n; i++) {
		const CountedFile *f = &run->result[i];
		if (f->total)
			widen(&t, f->total);
		for (uint32_t k = 0; k < f->row.n; k++)
			widen(&t, f->row.v[k].tally);
	}
	bool is_empty = true;
	for (uint32_t i = 0; i < run->files.file.n; i++)
		is_empty &= !is_counted(&run->result[i]) && run->result[i].kind != COUNT_BINARY;
	if (is_empty && run->files.file.n) {
		arena_free(&t.a);
		return;
	}
	put_head(&t);
	for (uint32_t i = 0; i < run->files.file.n; i++)
		put_file(&t, run->files.file.v[i].path, &run->result[i]);
	if (n_counted != 1)
		put_line(&t, sum, "", str_fmt(&t.a, "%u files", n_counted));
	put_marks(&t, sum);
	arena_free(&t.a);
}

/* ---- JSON ------------------------------------------------------------------------------------- */

static void json_tallies(Buf *out, const CountRun *run, const Tally *t)
{
	buf_byte(out, '[');
	for (uint32_t i = 0; i < run->set->column.n; i++) {
		if (i)
			buf_byte(out, ',');
		if (t[i].is_set)
			buf_printf(out, "{\"n\":%llu,\"exact\":%s}", (unsigned long long)t[i].n, t[i].is_estimate ? "false" : "true");
		else
			buf_lit(out, "null");
	}
	buf_byte(out, ']');
}

static void json_columns(Buf *out, const CountRun *run)
{
	for (uint32_t i = 0; i < run->set->column.n; i++) {
		const CountColumn *c = &run->set->column.v[i];
		buf_printf(out, "%s{\"name\":", i ? "," : "");
		buf_json_str(out, c->name);
		buf_printf(out, ",\"kind\":\"%s\",\"tokenizer\":", c->target ? "target" : "tokenizer");
		buf_json_str(out, c->tokenizer);
		buf_printf(out, ",\"exact_text\":%s", c->why.n ? "false" : "true");
		if (c->why.n && c->margin > 0)
			buf_printf(out, ",\"margin\":%.2f", c->margin);
		if (c->why.n) {
			buf_lit(out, ",\"why\":");
			buf_json_str(out, c->why);
		}
		buf_byte(out, '}');
	}
}

static void json_file(Buf *out, const CountRun *run, Str path, const CountedFile *f)
{
	static const char *const KIND[] = { "text", "request", "binary", "unreadable", "failed" };
	buf_lit(out, "{\"path\":");
	buf_json_str(out, path);
	buf_printf(out, ",\"kind\":\"%s\",\"bytes\":%llu", KIND[f->kind], (unsigned long long)f->n_bytes);
	if (is_counted(f)) {
		buf_lit(out, ",\"tokens\":");
		json_tallies(out, run, f->total);
	}
	if (f->row.n)
		buf_lit(out, ",\"rows\":[");
	for (uint32_t i = 0; i < f->row.n; i++) {
		buf_printf(out, "%s{\"name\":", i ? "," : "");
		buf_json_str(out, f->row.v[i].name);
		buf_lit(out, ",\"tokens\":");
		json_tallies(out, run, f->row.v[i].tally);
		buf_byte(out, '}');
	}
	buf_printf(out, "%s}", f->row.n ? "]" : "");
}

void count_print_json(Buf *out, const CountRun *run)
{
	Arena a = { 0 };
	uint32_t n_counted;
	const Tally *sum = sums(&a, run, &n_counted);
	buf_lit(out, "{\"columns\":[");
	json_columns(out, run);
	buf_lit(out, "],\"files\":[");
	for (uint32_t i = 0; i < run->files.file.n; i++) {
		buf_printf(out, "%s\n", i ? "," : "");
		json_file(out, run, run->files.file.v[i].path, &run->result[i]);
	}
	buf_lit(out, "\n],\"total\":");
	json_tallies(out, run, sum);
	buf_lit(out, "}\n");
	arena_free(&a);
}
