/* Compiler: see compiler.h. */
#include "compiler/source/compiler.h"

void compiler_reset(Compiler *c)
{
	Arena arena = c->arena, scratch = c->scratch;
	shelf_free(&c->own_shelf);
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

TokenShelf *compiler_shelf(Compiler *c)
{
	return c->shelf ? c->shelf : &c->own_shelf;
}

void compiler_free(Compiler *c)
{
	shelf_free(&c->own_shelf);
	arena_free(&c->scratch);
	arena_free(&c->arena);
	memset(c, 0, sizeof *c);
}
