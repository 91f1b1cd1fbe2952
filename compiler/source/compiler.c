/* Compiler: see compiler.h. */
#include "compiler/source/compiler.h"

void compiler_reset(Compiler *c)
{
	Arena arena = c->arena, scratch = c->scratch;
	arena_reset(&arena);
	arena_reset(&scratch);
	compiler_init(c);
	c->arena = arena;
	c->scratch = scratch;
}

void compiler_init(Compiler *c)
{
	memset(c, 0, sizeof *c);
	c->sources.arena = &c->arena;
	c->diags.arena = &c->arena;
	c->diags.sources = &c->sources;
	c->opt_level = 1;
}

void compiler_free(Compiler *c)
{
	arena_free(&c->scratch);
	arena_free(&c->arena);
	memset(c, 0, sizeof *c);
}
