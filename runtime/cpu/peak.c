/* The rate of products when memory is not in the way: every thread multiplies one item's tiles by one panel, again and
 * again, out of its own cache. */
#include "runtime/base/clock.h"
#include "runtime/cpu/forward.h"

enum { PEAK_ITEMS = 64, PEAK_REPEATS = 8 };

typedef struct PeakCall {
	CpuEngine *e;
	const PackedMatrix *w;
	uint32_t n_tile;
} PeakCall;

static void tiles_repeat(void *user, unsigned thread, uint32_t item)
{
	const PeakCall *c = user;
	CpuEngine *e = c->e;
	StepPanel panel = { .width = PANEL_WIDTH };
	(void)item;
	for (int i = 0; i < PEAK_REPEATS; i++)
		e->k->matmul->product(c->w, 0, c->n_tile, cpu_panel_at(&e->in, &panel, c->w), PANEL_WIDTH, e->seat[thread].product[0],
		                      (size_t)c->n_tile * TILE_ROWS, false);
}

static void items_repeat(void *user, unsigned thread)
{
	const PeakCall *c = user;
	cpu_phase(c->e->threads, thread, PEAK_ITEMS, tiles_repeat, user);
}

double cpu_engine_peak(Engine *engine, unsigned rounds)
{
	CpuEngine *e = (CpuEngine *)engine;
	const PackedMatrix *w = &e->w.layer[0].up.w;
	PeakCall c = { e, w, w->n_tile < GROUP_COLS / TILE_ROWS ? w->n_tile : GROUP_COLS / TILE_ROWS };
	double flop = 2.0 * PEAK_ITEMS * PEAK_REPEATS * PANEL_WIDTH * c.n_tile * TILE_ROWS * w->n_col, best = 0;
	for (unsigned i = 0; i < rounds; i++) {
		uint64_t from = clock_now_ns();
		cpu_threads_run(e->threads, items_repeat, &c);
		double rate = flop / ((double)(clock_now_ns() - from) * 1e-9);
		best = rate > best ? rate : best;
	}
	return best;
}
