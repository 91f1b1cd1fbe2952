/* sema_dump FILE: what sema makes of a file (prompts, inputs, messages with their parts, stages, routes)
 * on standard output, findings of the tree passes on standard error, one a line. `--lint FILE` prints
 * findings only, `--full FILE` prints them as people see them. */
#include <stdio.h>

#include "compiler/front/front.h"
#include "compiler/sema/sema.h"
#include "compiler/source/render.h"
#include "passes/pass_loop.h"
#include "runtime/base/file.h"

static const char *const STABILITY[] = { "@static", "@session", "@turn" };
static const char *const ROLE[] = { "system", "developer", "user", "assistant", "tool" };
static const char *const PART[] = { "role", "message", "include", "constraints", "context", "history", "example" };

static void print_inputs(const Prompt *p)
{
	for (uint32_t i = 0; i < p->input.n; i++) {
		const Input *in = &p->input.v[i];
		printf("  in %.*s%s: %.*s %s %s", STR_ARG(in->name), in->is_optional ? "?" : "", STR_ARG(in->type ? in->type->spelled : STR("?")),
			in->trust_unknown ? "unknown" : in->is_trusted ? "trusted" : "untrusted", STABILITY[in->stability]);
		if (in->max_tok)
			printf(" max %u", in->max_tok);
		if (in->default_value) {
			Buf b = { 0 };
			sema_value_json(&b, in->type, in->default_value);
			printf(" = %.*s", STR_ARG(buf_str(&b)));
			buf_free(&b);
		}
		printf("%s\n", in->is_key ? " key" : "");
	}
}

static void print_messages(const Prompt *p)
{
	for (uint32_t i = 0; i < p->message.n; i++) {
		const MessagePlan *m = &p->message.v[i];
		printf("  message %s%s\n", ROLE[m->role], m->is_exact ? " exact" : "");
		for (uint32_t j = 0; j < m->part.n; j++) {
			const Part *part = &m->part.v[j];
			printf("    %s%s%.*s %s%s variants %.0f\n", PART[part->kind], part->name.n ? " " : "", STR_ARG(part->name),
				STABILITY[part->stability], part->stability_written ? " written" : "", part->n_variant);
		}
	}
}

static void print_reply(const char *indent, const Reply *r)
{
	static const char *const KIND[] = { "text", "json", "schema", "bare" };
	if (!r->decl)
		return;
	printf("%sreply %s", indent, KIND[r->kind]);
	if (r->type)
		printf(" %.*s", STR_ARG(r->type->spelled));
	if (r->max_tok)
		printf(" max %u", r->max_tok);
	printf("\n");
}

static void print_schemas(const Prompt *p)
{
	for (uint32_t i = 0; i < p->schema.n; i++) {
		Buf b = { 0 };
		schema_write_minified(&b, p->schema.v[i].node);
		printf("  schema %.*s %.*s\n", STR_ARG(p->schema.v[i].name), STR_ARG(buf_str(&b)));
		b.n = 0;
		buf_free(&b);
	}
	for (uint32_t i = 0; i < p->tool.n; i++) {
		Buf b = { 0 };
		schema_write_minified(&b, p->tool.v[i].params);
		printf("  tool %.*s %.*s\n", STR_ARG(p->tool.v[i].name), STR_ARG(buf_str(&b)));
		buf_free(&b);
	}
}

static void print_stages(const Prompt *p)
{
	for (uint32_t i = 0; i < p->stage.n; i++) {
		const Stage *s = &p->stage.v[i];
		printf("  stage %.*s order %d from", STR_ARG(s->name), s->order);
		for (uint32_t j = 0; j < s->from.n; j++)
			printf(" %.*s", STR_ARG(s->from.v[j]));
		printf(s->weight >= 0 ? " weight %g\n" : "\n", s->weight);
		print_reply("    ", &s->reply);
	}
}

static void print_prompt(const Prompt *p)
{
	printf("prompt %.*s\n", STR_ARG(p->name));
	print_inputs(p);
	print_messages(p);
	print_schemas(p);
	print_stages(p);
	print_reply("  ", &p->reply);
	for (uint32_t i = 0; i < p->cut.n; i++)
		printf("  cut %.*s how %d keep %u weight %g mark \"%.*s\"\n", STR_ARG(p->cut.v[i].name), p->cut.v[i].how, p->cut.v[i].keep,
			p->cut.v[i].weight, STR_ARG(p->cut.v[i].mark));
	if (p->cache)
		printf("  cache %.*s slots %u-%u ttl %llu %.*s\n", STR_ARG(p->cache->group), p->cache->slot_lo, p->cache->slot_hi,
			(unsigned long long)p->cache->ttl_s, STR_ARG(p->cache->evict));
}

static void print_route(const Route *r)
{
	printf("route %.*s:", STR_ARG(r->name));
	for (uint32_t i = 0; i < r->input.n; i++)
		printf(" %.*s", STR_ARG(r->input.v[i].name));
	printf("\n");
}

static void run_passes(Compiler *c, Unit *u)
{
#define AST_PASS(name, opt, needs, makes, breaks, what) pass_##name(c, u);
#define IR_PASS(name, opt, needs, makes, breaks, what)
#include "passes/passes.def"
#undef AST_PASS
#undef IR_PASS
}

static void print_findings(Compiler *c, RenderFormat format)
{
	Findings f = { 0 };
	Buf b = { 0 };
	findings_add(&c->arena, &f, &c->diags);
	findings_finish(&f);
	render_findings(&b, &f, format, COLOUR_OFF);
	if (b.n)
		fwrite(b.p, 1, b.n, stderr);
	buf_free(&b);
}

int main(int argc, char **argv)
{
	bool full = argc == 3 && !strcmp(argv[1], "--full"), lint = full || (argc == 3 && !strcmp(argv[1], "--lint"));
	Compiler c;
	Str bytes, why;
	compiler_init(&c);
	if (argc != 2 + lint || !file_read(&c.arena, argv[1 + lint], &bytes, &why)) {
		fputs("usage: sema_dump [--lint | --full] FILE\n", stderr);
		return 2;
	}
	Source *src = source_add(&c.sources, &c.diags, str_from(argv[1 + lint]), bytes);
	FrontEnd front = front_detect(src->name, bytes, NULL);
	Unit *u = sema_build(&c, front_parse(&c, src, front), front);
	for (uint32_t i = 0; !lint && i < u->prompt.n; i++)
		print_prompt(u->prompt.v[i]);
	for (uint32_t i = 0; !lint && i < u->route.n; i++)
		print_route(u->route.v[i]);
	run_passes(&c, u);
	print_findings(&c, full ? RENDER_FULL : RENDER_CONCISE);
	int rc = c.diags.n_error ? 1 : 0;
	compiler_free(&c);
	return rc;
}
