/* automaton_texts FILE: FILE holds [{schema, texts: [string…]}]. One JSON line each: why the schema is refused, or for
 * each text whether the schema's automaton reads it to the end. tests/automaton/corpus.py judges. */
#include "runtime/automaton/automaton.h"
#include "tests/tool/groups.h"

static bool reads(const Automaton *m, Str text)
{
	AutomatonState s;
	automaton_start(&s, m);
	return automaton_accept_bytes(&s, text) && automaton_is_complete(&s);
}

static void put_refusal(Arena *a, Buf *out, const char *by, const SchemaErrors *errs)
{
	buf_printf(out, "{\"%s\":", by);
	buf_json_str(out, str_fmt(a, "%.*s: %.*s", STR_ARG(errs->v[0].pointer), STR_ARG(errs->v[0].message)));
	buf_lit(out, "}\n");
}

static void run_group(Arena *a, Buf *out, const JsonNode *group)
{
	SchemaErrors errs = { 0 };
	Automaton m;
	Buf flat = { 0 };
	Str why;
	const JsonNode *texts = json_get(group, "texts");
	const SchemaNode *s = schema_import(a, json_get(group, "schema"), &errs);
	if (!s) {
		put_refusal(a, out, "import", &errs);
	} else if (!automaton_compile(a, s, (AutomatonOptions){ AUTOMATON_JSON, AUTOMATON_COMPACT }, &flat, &errs)) {
		put_refusal(a, out, "refused", &errs);
	} else if (!automaton_open(buf_str(&flat), &m, &why)) {
		buf_printf(out, "{\"wrong\":\"%.*s\"}\n", STR_ARG(why));
	} else {
		buf_printf(out, "{\"states\":%u,\"bytes\":%zu,\"reads\":[", m.n_state, flat.n);
		for (uint32_t i = 0; i < texts->n; i++)
			buf_putz(out, reads(&m, texts->item[i]->text) ? i ? ",true" : "true" : i ? ",false" : "false");
		buf_lit(out, "]}\n");
	}
	buf_free(&flat);
}

int main(int argc, char **argv) { return groups_main(argc, argv, run_group); }
