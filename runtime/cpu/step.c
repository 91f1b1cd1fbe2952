/* step.h: runs into spans, spans into groups, groups into panels. */
#include "runtime/cpu/step.h"

enum { GROUP_TOKENS = KV_BLOCK };

void step_init(Arena *a, uint32_t max_tok, Step *s)
{
	*s = (Step){
		.token = arena_array(a, StepToken, max_tok),
		.span = arena_array(a, StepSpan, max_tok),
		.panel = arena_array(a, StepPanel, max_tok),
		.group = arena_array(a, StepGroup, max_tok),
	};
}

static void run_cut(const EngineRun *r, Step *s)
{
	uint32_t first = r->sequence->n_token, end = first + r->n;
	bool in_tail = first / KV_BLOCK == (end - 1) / KV_BLOCK;
	for (uint32_t at = first; at < end;) {
		uint32_t next = (at / KV_BLOCK + 1) * KV_BLOCK, stop = next < end ? next : end;
		s->span[s->n_span++] = (StepSpan){
			.sequence = r->sequence, .token = s->n_token + (at - first), .n = stop - at, .position = at,
			.block = at / KV_BLOCK, .slot = in_tail ? STEP_NO_SLOT : s->n_slot++, .is_full = stop == next,
		};
		at = stop;
	}
	for (uint32_t i = 0; i < r->n; i++)
		s->token[s->n_token++] = (StepToken){ r->ids[i], first + i };
	uint32_t n_part = (end - 1) / KV_PARTITION + 1;
	s->n_part = n_part > s->n_part ? n_part : s->n_part;
}

static void panels_cut(uint32_t token, uint32_t n, Step *s)
{
	while (n) {
		uint32_t take = n < PANEL_WIDTH ? n : PANEL_WIDTH, width = panel_width(take);
		s->panel[s->n_panel++] = (StepPanel){ token, take, width, s->n_row };
		s->n_row += width;
		token += take;
		n -= take;
	}
}

static void groups_cut(Step *s)
{
	for (uint32_t i = 0; i < s->n_span;) {
		StepGroup *g = &s->group[s->n_group++];
		*g = (StepGroup){ .span = i, .panel = s->n_panel };
		uint32_t n = 0;
		for (; i < s->n_span && (!n || n + s->span[i].n <= GROUP_TOKENS); i++)
			n += s->span[i].n;
		g->n_span = i - g->span;
		panels_cut(s->span[g->span].token, n, s);
		g->n_panel = s->n_panel - g->panel;
	}
}

void step_cut(const EngineBatch *b, Step *s)
{
	s->n_token = s->n_span = s->n_panel = s->n_group = s->n_slot = s->n_row = s->n_part = 0;
	for (uint32_t i = 0; i < b->n_run; i++)
		run_cut(&b->run[i], s);
	groups_cut(s);
}
