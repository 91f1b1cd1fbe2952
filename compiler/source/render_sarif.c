/*
 * SARIF 2.1.0 (OASIS, 2020). Columns are UTF-16 units and never below 1. A fingerprint is made of the
 * rule, the path, the line's own text and how many equal ones stood before it: no line number, so that
 * a finding keeps its identity when lines are added above it.
 */
#include "compiler/source/render.h"
#include "runtime/base/map.h"

typedef struct SarifRun {
	Buf *out;
	int rule_index[DIAG_COUNT];  /* -1: not among the rules of this run */
	Arena a;
	Map seen;                    /* fingerprint text -> uint32_t count */
} SarifRun;

static const char *sarif_level(Severity s)
{
	static const char *const level[] = { "none", "note", "warning", "error" };
	return level[s];
}

static void sarif_text(Buf *out, const char *name, const char *text)
{
	buf_printf(out, "\"%s\":{\"text\":", name);
	buf_json_str(out, str_from(text));
	buf_byte(out, '}');
}

/* A relative reference of RFC 3986: what is not plain is percent-encoded; a first segment with a colon
 * would read as a scheme. */
static void sarif_uri(Buf *out, Str path)
{
	static const char plain[] = "/-._~!$&'()*+,;=@";
	buf_byte(out, '"');
	for (size_t i = 0; i < path.n; i++) {
		unsigned char c = (unsigned char)path.p[i];
		bool alnum = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
		if (alnum || (c && strchr(plain, c)))
			buf_byte(out, (char)c);
		else
			buf_printf(out, "%%%02X", c);
	}
	buf_byte(out, '"');
}

static void sarif_rule(Buf *out, const RuleInfo *r)
{
	buf_printf(out, "{\"id\":\"%s\",\"name\":\"%s\",", r->code, r->slug);
	sarif_text(out, "shortDescription", r->title);
	buf_byte(out, ',');
	sarif_text(out, "fullDescription", r->what);
	buf_byte(out, ',');
	sarif_text(out, "help", r->why);
	buf_printf(out, ",\"defaultConfiguration\":{\"level\":\"%s\"", sarif_level(r->severity));
	if (r->severity == SEV_OFF)
		buf_lit(out, ",\"enabled\":false");
	buf_lit(out, "}}");
}

static void sarif_rules(SarifRun *run, const Findings *f)
{
	bool used[DIAG_COUNT] = { false };
	for (uint32_t i = 0; i < f->list.n; i++)
		used[f->list.v[i].diag->id] = true;
	int n = 0;
	buf_lit(run->out, "\"rules\":[");
	for (int id = 0; id < DIAG_COUNT; id++) {
		run->rule_index[id] = -1;
		if (!used[id])
			continue;
		buf_putz(run->out, n ? ",\n" : "\n");
		sarif_rule(run->out, &diag_rules[id]);
		run->rule_index[id] = n++;
	}
	buf_byte(run->out, ']');
}

static void sarif_region(Buf *out, const Sources *ss, Span span)
{
	Position lo = source_position(ss, span.lo), hi = source_position(ss, span.hi);
	buf_printf(out, "{\"startLine\":%u,\"startColumn\":%u,\"endLine\":%u,\"endColumn\":%u}", lo.line, lo.col_utf16,
	           hi.line, hi.col_utf16);
}

static void sarif_location(Buf *out, const Sources *ss, Span span, Str text)
{
	const Source *s = source_of(ss, span.lo);
	buf_lit(out, "{\"physicalLocation\":{\"artifactLocation\":{\"uri\":");
	sarif_uri(out, s ? s->name : STR(""));
	buf_lit(out, "},\"region\":");
	sarif_region(out, ss, span);
	buf_byte(out, '}');
	if (text.n) {
		buf_lit(out, ",\"message\":{\"text\":");
		buf_json_str(out, text);
		buf_byte(out, '}');
	}
	buf_byte(out, '}');
}

static void sarif_fingerprint(SarifRun *run, const Finding *f)
{
	uint32_t line_lo;
	Span span = f->diag->span;
	Str line = str_trim(source_line_text(f->sources, span.lo, &line_lo));
	Str what = str_sub(source_slice(f->sources, span), 0, 200);
	Str key = str_fmt(&run->a, "%s|%.*s|%.*s|%.*s", diag_rules[f->diag->id].code, STR_ARG(f->path), STR_ARG(line),
	                  STR_ARG(what));
	uint32_t *n = map_get(&run->seen, key);
	if (!n)
		map_set(&run->a, &run->seen, key, n = arena_new(&run->a, uint32_t));
	buf_printf(run->out, ",\"partialFingerprints\":{\"seedc/v1\":\"%016llx-%u\"}", (unsigned long long)hash_bytes(key),
	           ++*n);
}

static void sarif_fix(Buf *out, const Finding *f)
{
	const Diag *g = f->diag;
	if (!g->fix)
		return;
	buf_lit(out, ",\"fixes\":[{\"description\":{\"text\":");
	buf_json_str(out, g->fix_title);
	buf_lit(out, "},\"artifactChanges\":[{\"artifactLocation\":{\"uri\":");
	sarif_uri(out, f->path);
	buf_lit(out, "},\"replacements\":[");
	for (const DiagEdit *e = g->fix; e; e = e->next) {
		buf_putz(out, e == g->fix ? "{\"deletedRegion\":" : ",{\"deletedRegion\":");
		sarif_region(out, f->sources, e->span);
		buf_lit(out, ",\"insertedContent\":{\"text\":");
		buf_json_str(out, e->text);
		buf_lit(out, "}}");
	}
	buf_lit(out, "]}]}]");
}

static void sarif_result(SarifRun *run, const Finding *f)
{
	Buf *out = run->out;
	const Diag *g = f->diag;
	buf_printf(out, "{\"ruleId\":\"%s\",\"ruleIndex\":%d,\"level\":\"%s\",\"message\":{\"text\":", diag_rules[g->id].code,
	           run->rule_index[g->id], sarif_level(g->severity));
	Str more = g->help.n ? str_fmt(&run->a, "%.*s\n%.*s", STR_ARG(g->message), STR_ARG(g->help)) : g->message;
	buf_json_str(out, more);
	buf_lit(out, "},\"locations\":[");
	sarif_location(out, f->sources, g->span, STR(""));
	buf_byte(out, ']');
	if (g->label) {
		buf_lit(out, ",\"relatedLocations\":[");
		for (const DiagLabel *l = g->label; l; l = l->next) {
			if (l != g->label)
				buf_byte(out, ',');
			sarif_location(out, f->sources, l->span, l->text);
		}
		buf_byte(out, ']');
	}
	sarif_fingerprint(run, f);
	sarif_fix(out, f);
	if (g->suppressed)
		buf_lit(out, ",\"suppressions\":[{\"kind\":\"inSource\"}]");
	buf_byte(out, '}');
}

void render_sarif(Buf *out, const Findings *f)
{
	SarifRun run = { .out = out };
	buf_lit(out, "{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\",\"version\":\"2.1.0\",\"runs\":[{\n"
	             "\"tool\":{\"driver\":{\"name\":\"seedc\",\"version\":\"" SEED_VERSION "\",");
	sarif_rules(&run, f);
	buf_lit(out, "}},\n\"columnKind\":\"utf16CodeUnits\",\"results\":[");
	bool first = true;
	for (uint32_t i = 0; i < f->list.n; i++) {
		if (f->list.v[i].diag->severity == SEV_OFF)
			continue;
		buf_putz(out, first ? "\n" : ",\n");
		first = false;
		sarif_result(&run, &f->list.v[i]);
	}
	buf_lit(out, "]}]}\n");
	arena_free(&run.a);
}
