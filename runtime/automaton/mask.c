/* Masks: the walk over a vocabulary's sorted tokens. */
#include "runtime/automaton/mask.h"

#include <stdlib.h>

#include "runtime/automaton/step.h"

struct AutomatonMasks {
	const Automaton *m;
	const TokenTrie *trie;
	uint32_t *end, n_end;
	uint64_t *mask;              /* what automaton_mask returns */
	AutomatonCursor *cursor;     /* by depth, while a list is walked */
	AutomatonFrame *frame;       /* a copy of the state's, with room for a token's */
	AutomatonName *name;
	uint32_t n_frame, n_name;
};

static void set_bit(uint64_t *mask, uint32_t id) { mask[id >> 6] |= (uint64_t)1 << (id & 63); }

AutomatonMasks *automaton_masks_new(const Automaton *m, const TokenTrie *trie, const uint32_t *end, uint32_t n_end)
{
	AutomatonMasks *x = mem_must_alloc(sizeof *x);
	*x = (AutomatonMasks){ .m = m, .trie = trie, .n_end = n_end };
	x->n_frame = AUTOMATON_DEPTH_MAX + trie->max_bytes + 1;
	x->n_name = AUTOMATON_NAMES_MAX + trie->max_bytes + 1;
	x->end = mem_must_alloc((n_end + 1) * sizeof *x->end);
	if (n_end)
		memcpy(x->end, end, n_end * sizeof *end);
	x->mask = mem_must_alloc(trie->n_word * sizeof *x->mask);
	x->cursor = mem_must_alloc((trie->max_bytes + 1) * sizeof *x->cursor);
	x->frame = mem_must_alloc(x->n_frame * sizeof *x->frame);
	x->name = mem_must_alloc(x->n_name * sizeof *x->name);
	return x;
}

void automaton_masks_free(AutomatonMasks *x)
{
	if (!x)
		return;
	free(x->end);
	free(x->mask);
	free(x->cursor);
	free(x->frame);
	free(x->name);
	free(x);
}

/* cursor[0] is where the tokens begin. */
static void walk_list(AutomatonMasks *x, StepPlace *p, const TokenList *l, uint32_t left)
{
	uint32_t alive = 0;
	for (uint32_t i = 0; i < l->n; i++) {
		uint32_t at = l->shared[i], n = l->off[i + 1] - l->off[i];
		const char *text = l->text + l->off[i];
		if (at > alive)
			continue;
		for (; at < n; at++) {
			x->cursor[at + 1] = x->cursor[at];
			if (!step_byte(p, &x->cursor[at + 1], (uint8_t)text[at]))
				break;
		}
		alive = at;
		if (at == n && (left == AUTOMATON_NO_LIMIT || step_closing(p, &x->cursor[n]) < left))
			set_bit(x->mask, l->id[i]);
	}
}

const uint64_t *automaton_mask(AutomatonMasks *x, const AutomatonState *s, uint32_t left)
{
	StepPlace p = { x->m, x->frame, x->name, x->n_frame, x->n_name, 0, 0, false };
	memcpy(x->frame, s->frame, s->cursor.top * sizeof *x->frame);
	memcpy(x->name, s->name, s->cursor.n_name * sizeof *x->name);
	memset(x->mask, 0, x->trie->n_word * sizeof *x->mask);
	x->cursor[0] = s->cursor;
	walk_list(x, &p, &x->trie->plain, left);
	walk_list(x, &p, &x->trie->other, left);
	if (automaton_is_complete(s))
		for (uint32_t i = 0; i < x->n_end; i++)
			if (x->end[i] < x->trie->vocab->n_token)
				set_bit(x->mask, x->end[i]);
	return x->mask;
}

bool automaton_accept(AutomatonMasks *x, AutomatonState *s, uint32_t token)
{
	Str text = token_trie_text(x->trie, token);
	return text.n && automaton_accept_bytes(s, text);
}
