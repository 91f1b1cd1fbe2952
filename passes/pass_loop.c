/* See pass_loop.h. */
#include "passes/pass_loop.h"

#include <assert.h>
#include <time.h>

const PassInfo pass_table[] = {
#define AST_PASS(name, opt, needs, makes, breaks, what) { #name, what, opt, needs, makes, breaks, pass_##name, NULL },
#define IR_PASS(name, opt, needs, makes, breaks, what) { #name, what, opt, needs, makes, breaks, NULL, pass_##name },
#include "passes/passes.def"
#undef AST_PASS
#undef IR_PASS
};

static bool is_name(const char *have, Str name)
{
	for (size_t i = 0; i < name.n; i++)
		if (!have[i] || (have[i] != name.p[i] && !(have[i] == '_' && name.p[i] == '-')))
			return false;
	return !have[name.n];
}

int pass_find(Str name)
{
	for (int i = 0; i < PASS_COUNT; i++)
		if (is_name(pass_table[i].name, name))
			return i;
	return -1;
}

void pass_run_init(PassRun *run, Compiler *c)
{
	*run = (PassRun){ .dump_after = -1, .stop_after = -1, .facts = FACT_UNIT };
	run->remarks.arena = &c->arena;
}

static double now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* Scratch dies with the pass; under ASan a pointer kept into it is found at once. */
static void drop_scratch(Compiler *c)
{
	arena_reset(&c->scratch);
}

/* True if row i is to run now. */
static bool is_due(const PassRun *run, const Compiler *c, int i)
{
	if (run->scope == PASS_COMPILE && !strncmp(pass_table[i].name, "lint_", 5))
		return false;
	return !run->is_stopped && !run->fault && c->opt_level >= pass_table[i].opt;
}

static void begin(PassRun *run, int i)
{
	assert(!(pass_table[i].needs & ~run->facts) && "a pass needs what no earlier pass made");
	run->remarks.pass = pass_table[i].name;
	run->remarks.n_change = 0;
}

static void end(PassRun *run, Compiler *c, int i, double start_ms)
{
	run->time_ms[i] = now_ms() - start_ms;
	run->facts = (run->facts & ~pass_table[i].breaks) | pass_table[i].makes;
	run->is_stopped = i == run->stop_after;
	drop_scratch(c);
}

void pass_run_ast(PassRun *run, Compiler *c, Unit *u)
{
	for (int i = 0; i < PASS_COUNT; i++) {
		if (!pass_table[i].on_ast || !is_due(run, c, i))
			continue;
		begin(run, i);
		double start_ms = now_ms();
		pass_table[i].on_ast(c, u);
		end(run, c, i, start_ms);
		if (i == run->dump_after && run->dump)
			ast_dump(run->dump, u->file, AST_DUMP_PLAIN);
	}
}

static Ir *build(PassRun *run, Compiler *c, const Unit *u)
{
	double start_ms = now_ms();
	Ir *ir = ir_build(c, u);
	run->time_ms[PASS_COUNT] = now_ms() - start_ms;
	run->facts |= FACT_IR | FACT_PROTECTED;
	run->fault = ir_verify(ir, &c->scratch);
	drop_scratch(c);
	return ir;
}

Ir *pass_run_ir(PassRun *run, Compiler *c, const Unit *u)
{
	if (run->is_stopped)
		return NULL;
	Ir *ir = build(run, c, u);
	for (int i = 0; i < PASS_COUNT; i++) {
		if (!pass_table[i].on_ir || !is_due(run, c, i))
			continue;
		begin(run, i);
		double start_ms = now_ms();
		uint64_t was = ir_protected_hash(ir);
		pass_table[i].on_ir(c, ir, &run->remarks);
		run->fault = ir_verify(ir, &c->scratch);
		if (!run->fault && !(pass_table[i].breaks & FACT_PROTECTED) && ir_protected_hash(ir) != was)
			run->fault = "a pass changed a protected text";
		end(run, c, i, start_ms);
		if (i == run->dump_after && run->dump)
			ir_dump(run->dump, ir);
	}
	return ir;
}

static void print_row(Buf *out, const PassInfo *p)
{
	buf_printf(out, "%-15s %-4s -O%d  %s\n", p->name, p->on_ast ? "ast" : "ir", p->opt, p->what);
}

void pass_print_list(Buf *out)
{
	for (int i = 0; i < PASS_COUNT; i++)
		print_row(out, &pass_table[i]);
}

void pass_print_plan(Buf *out, const PassRun *run, const Compiler *c)
{
	for (int i = 0; i < PASS_COUNT; i++)
		if (is_due(run, c, i))
			print_row(out, &pass_table[i]);
}

void pass_print_times(Buf *out, const PassRun *run)
{
	double sum_ms = 0;
	for (int i = 0; i <= PASS_COUNT; i++)
		sum_ms += run->time_ms[i];
	for (int i = 0; i <= PASS_COUNT; i++)
		buf_printf(out, "%9.3f ms  %s\n", run->time_ms[i], i < PASS_COUNT ? pass_table[i].name : "(ir build)");
	buf_printf(out, "%9.3f ms  total\n", sum_ms);
}
