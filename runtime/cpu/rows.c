/* What goes into a product: a token's row, normed, into its place in a panel. */
#include <string.h>

#include "runtime/cpu/forward.h"

static void norm(const CpuEngine *e, const float *x, const float *weight, float *out)
{
	const ModelShape *s = &e->engine.model->shape;
	e->k->op->rms_norm(x, weight, s->n_embd, s->norm_eps, out);
}

const float *cpu_row_make(CpuEngine *e, unsigned thread, const CpuRows *r, uint32_t token)
{
	const OpKernels *op = e->k->op;
	const ModelShape *s = &e->engine.model->shape;
	float *x = e->x + (size_t)token * s->n_embd, *row = e->seat[thread].row;
	if (r->post_norm) {
		norm(e, e->y + (size_t)token * s->n_embd, r->post_norm, row);
		op->add(row, s->n_embd, x);
	}
	if (r->sum_norm)
		op->layer_norm(x, r->sum_norm, r->sum_bias, s->n_embd, s->norm_eps, x);
	if (!r->norm)
		return r->from + (size_t)token * r->n_col;
	norm(e, x, r->norm, row);
	return row;
}

void cpu_row_put(const CpuEngine *e, const CpuPanels *to, const StepPanel *panel, uint32_t t, unsigned forms, const float *x,
                 uint32_t first, uint32_t n_col, uint32_t n_all)
{
	size_t at = (size_t)panel->at * (n_all / GROUP_COLS) + (size_t)first / GROUP_COLS * panel->width + t;
	if (forms & 1)
		e->k->matmul->quantise(x, n_col, panel->width, 1, (PanelGroup *)(void *)to->of[0] + at);
	if (forms & 2)
		for (uint32_t g = 0; g < n_col / GROUP_COLS; g++)
			memcpy(to->of[1] + (at + (size_t)g * panel->width) * PANEL_FLOAT_BYTES, x + g * GROUP_COLS, PANEL_FLOAT_BYTES);
}

typedef struct RowsCall {
	CpuEngine *e;
	const CpuRows *rows;
	const CpuPanels *to;
} RowsCall;

static void panel_make(void *user, unsigned thread, uint32_t item)
{
	const RowsCall *c = user;
	const StepPanel *panel = &c->e->step.panel[item];
	for (uint32_t t = 0; t < panel->n; t++) {
		const float *row = cpu_row_make(c->e, thread, c->rows, panel->token + t);
		cpu_row_put(c->e, c->to, panel, t, c->rows->forms, row, 0, c->rows->n_col, c->rows->n_col);
	}
}

const CpuPanels *cpu_rows_make(CpuEngine *e, unsigned thread, const CpuRows *r)
{
	RowsCall c = { e, r, &e->in };
	if (e->step.n_token <= OWN_TOKENS && !r->post_norm && !r->sum_norm) {
		c.to = &e->seat[thread].own;
		for (uint32_t i = 0; i < e->step.n_panel; i++)
			panel_make(&c, thread, i);
	} else {
		cpu_phase(e->threads, thread, e->step.n_panel, panel_make, &c);
	}
	return c.to;
}
