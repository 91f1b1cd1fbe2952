/* YAML events made into a tree with byte places. See yaml_tree.h. */
#include "compiler/front/yaml_tree.h"

#include <yaml.h>

#include "runtime/base/map.h"
#include "runtime/base/utf8.h"

enum { INDEX_STEP = 64 };

typedef struct YReader {
	Compiler *c;
	Source *src;
	yaml_parser_t parser;
	uint32_t *index;   /* byte offset of every INDEX_STEP-th code point; NULL: all is ASCII, bytes are code points */
	size_t n_index, n_code_point;
	struct { YNode *node; YNode *key; int col; } stack[FRONT_DEPTH_MAX];
	uint32_t depth, n_node, n_document;
	YNode *root;
	bool failed;
} YReader;

static bool has_break(Str s)
{
	static const Str breaks[] = { STR_INIT("\xC2\x85"), STR_INIT("\xE2\x80\xA8"), STR_INIT("\xE2\x80\xA9") };
	for (size_t i = 0; i < sizeof breaks / sizeof *breaks; i++)
		if (str_find(s, breaks[i], 0) < s.n)
			return true;
	return false;
}

/* NEL, U+2028 and U+2029 masked by a character that means nothing to libyaml: as many code points, so
 * marks stay right; bytes may differ, since only marks are used. */
static Str masked(Arena *a, Str s)
{
	if (!has_break(s))
		return s;
	char *p = arena_alloc(a, s.n + 1);
	size_t n = 0;
	for (size_t i = 0; i < s.n; i++) {
		bool nel = i + 1 < s.n && !memcmp(s.p + i, "\xC2\x85", 2);
		bool sep = i + 2 < s.n && (!memcmp(s.p + i, "\xE2\x80\xA8", 3) || !memcmp(s.p + i, "\xE2\x80\xA9", 3));
		if (nel || sep) {
			p[n++] = '\xC2';
			p[n++] = '\xA0';
			i += nel ? 1 : 2;
		} else {
			p[n++] = s.p[i];
		}
	}
	return (Str){ p, n };
}

static void make_index(YReader *r)
{
	Str s = r->src->text;
	if (utf8_skip_ascii(s, 0) == s.n)
		return;
	r->index = arena_array(&r->c->arena, uint32_t, s.n / INDEX_STEP + 2);
	for (size_t i = 0; i < s.n; i++) {
		if (((unsigned char)s.p[i] & 0xC0) == 0x80)
			continue;
		if (r->n_code_point++ % INDEX_STEP == 0)
			r->index[r->n_index++] = (uint32_t)i;
	}
}

static size_t byte_of(const YReader *r, size_t code_point)
{
	Str s = r->src->text;
	if (!r->index)
		return code_point < s.n ? code_point : s.n;
	if (code_point >= r->n_code_point)
		return s.n;
	size_t at = r->index[code_point / INDEX_STEP];
	for (size_t left = code_point % INDEX_STEP; left; left--) {
		at++;
		while (at < s.n && ((unsigned char)s.p[at] & 0xC0) == 0x80)
			at++;
	}
	return at;
}

static Span event_span(const YReader *r, const yaml_event_t *e)
{
	return front_span(r->src, byte_of(r, e->start_mark.index), byte_of(r, e->end_mark.index));
}

static void refuse(YReader *r, DiagId id, Span at, const char *what, const char *help)
{
	Diag *g = diag_add(&r->c->diags, id, at, "%s", what);
	if (help)
		diag_help(&r->c->diags, g, "%s", help);
	r->failed = true;
}

static void add_duplicate_error(YReader *r, const YNode *first, const YNode *again)
{
	Diag *g = diag_add(&r->c->diags, SD051, again->span, "`%.*s` stands twice in this map", STR_ARG(again->text->s));
	diag_label(&r->c->diags, g, first->span, "first here");
}

/* Keys of one map must differ. A map's size is bounded by FRONT_NODES_MAX, so big ones hash. */
static void check_duplicates(YReader *r, const YNode *map)
{
	Map seen = { 0 };
	for (YNode *v = map->first; v; v = v->next) {
		YNode *first = map_add(&r->c->arena, &seen, v->key->text->s, v->key);
		if (first)
			add_duplicate_error(r, first, v->key);
	}
}

static void add_node(YReader *r, YNode *n)
{
	if (!r->depth) {
		r->root = n;
		return;
	}
	YNode *parent = r->stack[r->depth - 1].node;
	if (parent->kind == Y_MAP && !r->stack[r->depth - 1].key) {
		if (n->kind != Y_SCALAR)
			refuse(r, SD053, n->span, "a key must be a word or a string", NULL);
		else
			r->stack[r->depth - 1].key = n;
		return;
	}
	n->key = r->stack[r->depth - 1].key;
	r->stack[r->depth - 1].key = NULL;
	*(parent->last ? &parent->last->next : &parent->first) = n;
	parent->last = n;
	parent->n++;
}

static YNode *node_of(YReader *r, YKind kind, Span span)
{
	YNode *n = arena_new(&r->c->arena, YNode);
	n->kind = kind;
	n->span = span;
	if (++r->n_node > FRONT_NODES_MAX)
		refuse(r, SD059, span, "more than a million values in one file", "split the file");
	return n;
}

static void open_collection(YReader *r, YKind kind, const yaml_event_t *e, bool flow)
{
	YNode *n = node_of(r, kind, event_span(r, e));
	add_node(r, n);
	if (r->failed)
		return;
	if (r->depth == FRONT_DEPTH_MAX) {
		refuse(r, SD059, n->span, "nested more than 64 deep", NULL);
		return;
	}
	int outer = r->depth ? r->stack[r->depth - 1].col : -1;
	r->stack[r->depth].node = n;
	r->stack[r->depth].key = NULL;
	r->stack[r->depth++].col = flow ? outer : (int)e->start_mark.column;
}

static void close_collection(YReader *r, const yaml_event_t *e)
{
	YNode *n = r->stack[--r->depth].node;
	Span end = event_span(r, e);
	n->span = n->last ? span_join(n->span, n->last->span) : n->span;
	n->span = end.hi > end.lo ? span_join(n->span, end) : n->span;
	if (n->kind == Y_MAP)
		check_duplicates(r, n);
}

static void read_scalar(YReader *r, const yaml_event_t *e)
{
	static const YStyle styles[] = {
		[YAML_PLAIN_SCALAR_STYLE] = Y_PLAIN, [YAML_SINGLE_QUOTED_SCALAR_STYLE] = Y_SINGLE,
		[YAML_DOUBLE_QUOTED_SCALAR_STYLE] = Y_DOUBLE, [YAML_LITERAL_SCALAR_STYLE] = Y_LITERAL,
		[YAML_FOLDED_SCALAR_STYLE] = Y_FOLDED,
	};
	YNode *n = node_of(r, Y_SCALAR, event_span(r, e));
	n->style = styles[e->data.scalar.style];
	Str bytes = str_sub(r->src->text, n->span.lo - r->src->base, n->span.hi - r->src->base);
	int col = r->depth ? r->stack[r->depth - 1].col : -1;
	Text *t = yaml_scalar_text(&r->c->arena, bytes, n->span.lo, n->style, col);
	n->text = front_checked_text(r->c, t, n->span, CR_REFUSE);
	add_node(r, n);
}

static bool has_properties(const yaml_event_t *e)
{
	switch (e->type) {
	case YAML_SCALAR_EVENT:         return e->data.scalar.anchor || e->data.scalar.tag;
	case YAML_SEQUENCE_START_EVENT: return e->data.sequence_start.anchor || e->data.sequence_start.tag;
	case YAML_MAPPING_START_EVENT:  return e->data.mapping_start.anchor || e->data.mapping_start.tag;
	default:                        return false;
	}
}

static void read_document_start(YReader *r, const yaml_event_t *e)
{
	if (r->n_document++)
		refuse(r, SD053, event_span(r, e), "a second document in one file", "put it into a file of its own");
	else if (e->data.document_start.version_directive ||
	         e->data.document_start.tag_directives.start != e->data.document_start.tag_directives.end)
		refuse(r, SD053, event_span(r, e), "YAML directives are not read", "take the line that starts with % out");
}

static void read_event(YReader *r, const yaml_event_t *e)
{
	if (has_properties(e)) {
		refuse(r, SD053, event_span(r, e), "anchors (`&name`) and tags (`!name`) are not read",
		       "write the value where it is used; quote a text that starts with `!` or `&`");
		return;
	}
	switch (e->type) {
	case YAML_ALIAS_EVENT:
		refuse(r, SD053, event_span(r, e), "aliases (`*name`) are not read",
		       "write the value out; text that stands twice goes into `blocks` and `!INCLUDE`");
		break;
	case YAML_DOCUMENT_START_EVENT: read_document_start(r, e); break;
	case YAML_SCALAR_EVENT:         read_scalar(r, e); break;
	case YAML_SEQUENCE_START_EVENT:
		open_collection(r, Y_LIST, e, e->data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE);
		break;
	case YAML_MAPPING_START_EVENT:
		open_collection(r, Y_MAP, e, e->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE);
		break;
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT:    close_collection(r, e); break;
	default:                        break;
	}
}

/* libyaml's message and place: code points for the scanner and parser, masked bytes for the reader. */
static void report_syntax(YReader *r)
{
	const yaml_parser_t *p = &r->parser;
	size_t at = byte_of(r, p->problem_mark.index);
	if (p->error == YAML_READER_ERROR)
		at = p->problem_offset < r->src->text.n ? p->problem_offset : r->src->text.n;
	Span span = front_span(r->src, at, at + (at < r->src->text.n && r->src->text.p[at] != '\n'));
	Diag *g = diag_add(&r->c->diags, SD052, span, "not valid YAML: %s", p->problem ? p->problem : "the reader gave up");
	if (p->context && p->error != YAML_READER_ERROR) {
		size_t from = byte_of(r, p->context_mark.index);
		diag_label(&r->c->diags, g, front_span(r->src, from, from), "%s", p->context);
		if (strstr(p->context, "a tag") || strstr(p->context, "an anchor"))
			diag_help(&r->c->diags, g, "a text that starts with `!` or `&` needs quotes");
	}
	r->failed = true;
}

static void read_events(YReader *r)
{
	yaml_event_type_t type = YAML_NO_EVENT;
	while (!r->failed && type != YAML_STREAM_END_EVENT) {
		yaml_event_t e;
		if (!yaml_parser_parse(&r->parser, &e)) {
			report_syntax(r);
			return;
		}
		type = e.type;
		read_event(r, &e);
		yaml_event_delete(&e);
	}
}

YNode *yaml_read(Compiler *c, Source *src)
{
	YReader r = { .c = c, .src = src };
	make_index(&r);
	Str text = masked(&c->arena, src->text);
	if (!yaml_parser_initialize(&r.parser)) {
		diag_add(&c->diags, SD052, front_span(src, 0, 0), "not valid YAML: no memory for the reader");
		return NULL;
	}
	yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&r.parser, (const unsigned char *)text.p, text.n);
	read_events(&r);
	yaml_parser_delete(&r.parser);
	if (r.failed)
		return NULL;
	return r.root ? r.root : node_of(&r, Y_MAP, front_span(src, 0, 0));
}

YNode *yaml_get(const YNode *y, const char *key)
{
	if (y && y->kind == Y_MAP)
		for (YNode *v = y->first; v; v = v->next)
			if (str_is(v->key->text->s, key))
				return v;
	return NULL;
}

bool yaml_is_null(const YNode *y)
{
	static const char *const words[] = { "", "~", "null", "Null", "NULL" };
	for (size_t i = 0; y->kind == Y_SCALAR && y->style == Y_PLAIN && i < 5; i++)
		if (str_is(y->text->s, words[i]))
			return true;
	return false;
}
