/* Alignment of text units: see align.h. mate_a[i] is the partner in b of unit i of a, and back. */
#include "compiler/diff/align.h"

#include <stdlib.h>

enum { LCS_CELLS_MAX = 4 * 1000 * 1000, NEAR_CELLS_MAX = 250 * 1000, NEAR_WINDOW = 48, DEPTH_MAX = 64 };
static const double REWORDED_MIN = 0.7;

typedef struct Aligner {
	Arena *arena;
	const AlignUnit *a, *b;
	uint32_t *mate_a, *mate_b;
	bool *reworded_a;
	uint32_t n_coarse;
} Aligner;

typedef struct Gap { uint32_t a_lo, a_hi, b_lo, b_hi; } Gap;
typedef struct HashAt { uint64_t hash; uint32_t at; } HashAt;

double align_similarity(const AlignUnit *x, const AlignUnit *y)
{
	if (!x->n_word && !y->n_word)
		return 1;
	uint32_t i = 0, j = 0, common = 0;
	while (i < x->n_word && j < y->n_word) {
		if (x->word[i] == y->word[j])
			common++, i++, j++;
		else if (x->word[i] < y->word[j])
			i++;
		else
			j++;
	}
	return 2.0 * common / (x->n_word + y->n_word);
}

static void pair_up(Aligner *al, uint32_t i, uint32_t j)
{
	al->mate_a[i] = j;
	al->mate_b[j] = i;
}

static bool same(const Aligner *al, uint32_t i, uint32_t j)
{
	return al->a[i].hash == al->b[j].hash;
}

static void trim_ends(Aligner *al, Gap *g)
{
	while (g->a_lo < g->a_hi && g->b_lo < g->b_hi && same(al, g->a_lo, g->b_lo))
		pair_up(al, g->a_lo++, g->b_lo++);
	while (g->a_lo < g->a_hi && g->b_lo < g->b_hi && same(al, g->a_hi - 1, g->b_hi - 1))
		pair_up(al, --g->a_hi, --g->b_hi);
}

static int by_hash(const void *x, const void *y)
{
	const HashAt *p = x, *q = y;
	if (p->hash != q->hash)
		return p->hash < q->hash ? -1 : 1;
	return p->at < q->at ? -1 : p->at > q->at;
}

static HashAt *sorted_hashes(Arena *arena, const AlignUnit *u, uint32_t lo, uint32_t hi)
{
	HashAt *h = arena_array(arena, HashAt, hi - lo);
	for (uint32_t i = lo; i < hi; i++)
		h[i - lo] = (HashAt){ u[i].hash, i };
	qsort(h, hi - lo, sizeof *h, by_hash);
	return h;
}

static bool is_single(const HashAt *h, uint32_t n, uint32_t i)
{
	return (i == 0 || h[i - 1].hash != h[i].hash) && (i + 1 == n || h[i + 1].hash != h[i].hash);
}

/* Units that occur once in both ranges, as pairs sorted by a; returns how many. */
static uint32_t common_singles(Aligner *al, Gap g, AlignPair *out)
{
	uint32_t n_a = g.a_hi - g.a_lo, n_b = g.b_hi - g.b_lo, n = 0;
	HashAt *ha = sorted_hashes(al->arena, al->a, g.a_lo, g.a_hi);
	HashAt *hb = sorted_hashes(al->arena, al->b, g.b_lo, g.b_hi);
	for (uint32_t i = 0, j = 0; i < n_a && j < n_b;) {
		if (ha[i].hash < hb[j].hash) {
			i++;
		} else if (ha[i].hash > hb[j].hash) {
			j++;
		} else {
			if (is_single(ha, n_a, i) && is_single(hb, n_b, j))
				out[n++] = (AlignPair){ ALIGN_SAME, ha[i].at, hb[j].at };
			i++, j++;
		}
	}
	return n;
}

static int by_a(const void *x, const void *y)
{
	const AlignPair *p = x, *q = y;
	return p->a < q->a ? -1 : p->a > q->a;
}

/* Longest chain of pairs rising on both sides (patience); marks op ALIGN_SAME in, others ALIGN_MOVED. */
static void longest_rising(Arena *arena, AlignPair *p, uint32_t n)
{
	uint32_t *tail = arena_array(arena, uint32_t, n), *prev = arena_array(arena, uint32_t, n), len = 0;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t lo = 0, hi = len;
		while (lo < hi) {
			uint32_t mid = (lo + hi) / 2;
			if (p[tail[mid]].b < p[i].b)
				lo = mid + 1;
			else
				hi = mid;
		}
		prev[i] = lo ? tail[lo - 1] : ALIGN_NONE;
		tail[lo] = i;
		if (lo == len)
			len++;
		p[i].op = ALIGN_MOVED;
	}
	for (uint32_t i = len ? tail[len - 1] : ALIGN_NONE; i != ALIGN_NONE; i = prev[i])
		p[i].op = ALIGN_SAME;
}

/* Exact LCS of a small gap, by the table. */
static void lcs_small(Aligner *al, Gap g)
{
	uint32_t n = g.a_hi - g.a_lo, m = g.b_hi - g.b_lo, w = m + 1;
	uint32_t *len = arena_array(al->arena, uint32_t, (size_t)(n + 1) * w);
	for (uint32_t i = n; i-- > 0;)
		for (uint32_t j = m; j-- > 0;) {
			uint32_t down = len[(i + 1) * w + j], right = len[i * w + j + 1];
			len[i * w + j] = same(al, g.a_lo + i, g.b_lo + j) ? len[(i + 1) * w + j + 1] + 1
				: down > right ? down : right;
		}
	for (uint32_t i = 0, j = 0; i < n && j < m;) {
		if (same(al, g.a_lo + i, g.b_lo + j))
			pair_up(al, g.a_lo + i++, g.b_lo + j++);
		else if (len[(i + 1) * w + j] >= len[i * w + j + 1])
			i++;
		else
			j++;
	}
}

static bool still_free(const Aligner *al, uint32_t i, uint32_t j)
{
	return al->mate_a[i] == ALIGN_NONE && al->mate_b[j] == ALIGN_NONE;
}

/* Pairs what is left of a gap with the nearest wording, best first within the reach of each unit. */
static void pair_reworded(Aligner *al, Gap g)
{
	uint64_t cells = (uint64_t)(g.a_hi - g.a_lo) * (g.b_hi - g.b_lo);
	bool all = cells <= NEAR_CELLS_MAX;
	if (!all)
		al->n_coarse++;
	for (uint32_t i = g.a_lo; i < g.a_hi; i++) {
		if (al->mate_a[i] != ALIGN_NONE)
			continue;
		uint32_t at = g.b_lo + (i - g.a_lo), lo = g.b_lo, hi = g.b_hi, best = ALIGN_NONE;
		if (!all) {
			lo = at > g.b_lo + NEAR_WINDOW ? at - NEAR_WINDOW : g.b_lo;
			hi = at + NEAR_WINDOW < g.b_hi ? at + NEAR_WINDOW : g.b_hi;
		}
		double best_sim = REWORDED_MIN;
		for (uint32_t j = lo; j < hi; j++) {
			if (!still_free(al, i, j))
				continue;
			double sim = align_similarity(&al->a[i], &al->b[j]);
			if (sim >= best_sim && (best == ALIGN_NONE || sim > best_sim))
				best = j, best_sim = sim;
		}
		if (best != ALIGN_NONE) {
			pair_up(al, i, best);
			al->reworded_a[i] = true;
		}
	}
}

static void align_gap(Aligner *al, Gap g, int depth)
{
	trim_ends(al, &g);
	if (g.a_lo == g.a_hi || g.b_lo == g.b_hi)
		return;
	uint32_t n_a = g.a_hi - g.a_lo, n_b = g.b_hi - g.b_lo;
	if ((uint64_t)n_a * n_b <= LCS_CELLS_MAX / 64) {
		lcs_small(al, g);
		return;
	}
	AlignPair *single = arena_array(al->arena, AlignPair, n_a < n_b ? n_a : n_b);
	uint32_t n = common_singles(al, g, single);
	if (!n || depth >= DEPTH_MAX) {
		if ((uint64_t)n_a * n_b <= LCS_CELLS_MAX)
			lcs_small(al, g);
		else
			al->n_coarse++;
		return;
	}
	qsort(single, n, sizeof *single, by_a);
	longest_rising(al->arena, single, n);
	uint32_t a_lo = g.a_lo, b_lo = g.b_lo;
	for (uint32_t k = 0; k < n; k++) {
		if (single[k].op != ALIGN_SAME)
			continue;
		align_gap(al, (Gap){ a_lo, single[k].a, b_lo, single[k].b }, depth + 1);
		pair_up(al, single[k].a, single[k].b);
		a_lo = single[k].a + 1;
		b_lo = single[k].b + 1;
	}
	align_gap(al, (Gap){ a_lo, g.a_hi, b_lo, g.b_hi }, depth + 1);
}

/* Every maximal stretch between units that are the same on both sides. */
static void reword_gaps(Aligner *al, uint32_t n_a, uint32_t n_b)
{
	uint32_t a_lo = 0, b_lo = 0;
	for (uint32_t i = 0; i <= n_a; i++) {
		uint32_t mate = i < n_a ? al->mate_a[i] : n_b;
		if (mate == ALIGN_NONE || (i < n_a && al->reworded_a[i]))
			continue;
		if (a_lo < i && b_lo < mate)
			pair_reworded(al, (Gap){ a_lo, i, b_lo, mate });
		a_lo = i + 1;
		b_lo = mate + 1;
	}
}

static void pair_moved(Aligner *al, uint32_t n_a, uint32_t n_b, bool *moved_a)
{
	HashAt *hb = sorted_hashes(al->arena, al->b, 0, n_b);
	HashAt *ha = sorted_hashes(al->arena, al->a, 0, n_a);
	for (uint32_t i = 0, j = 0; i < n_a && j < n_b;) {
		if (ha[i].hash < hb[j].hash || al->mate_a[ha[i].at] != ALIGN_NONE) {
			i++;
		} else if (ha[i].hash > hb[j].hash || al->mate_b[hb[j].at] != ALIGN_NONE) {
			j++;
		} else {
			pair_up(al, ha[i].at, hb[j].at);
			moved_a[ha[i].at] = true;
			i++, j++;
		}
	}
}

static void list_pairs(Aligner *al, Alignment *out, uint32_t n_a, uint32_t n_b, const bool *moved_a)
{
	uint32_t i = 0;
	for (uint32_t j = 0; j <= n_b; j++) {
		uint32_t mate = j < n_b ? al->mate_b[j] : n_a;
		bool in_order = mate != ALIGN_NONE && (j == n_b || !moved_a[mate]);
		for (; in_order && i < mate && i < n_a; i++)
			if (al->mate_a[i] == ALIGN_NONE)
				vec_push(al->arena, &out->pair, (AlignPair){ ALIGN_REMOVED, i, ALIGN_NONE });
		if (j == n_b)
			break;
		AlignOp op = mate == ALIGN_NONE ? ALIGN_ADDED
			: moved_a[mate] ? ALIGN_MOVED : al->reworded_a[mate] ? ALIGN_REWORDED : ALIGN_SAME;
		vec_push(al->arena, &out->pair, (AlignPair){ op, mate, j });
		if (in_order && i <= mate)
			i = mate + 1;
	}
}

void align_run(Arena *arena, Alignment *out, const AlignUnit *a, uint32_t n_a, const AlignUnit *b, uint32_t n_b)
{
	Aligner al = { .arena = arena, .a = a, .b = b };
	al.mate_a = arena_array(arena, uint32_t, n_a);
	al.mate_b = arena_array(arena, uint32_t, n_b);
	al.reworded_a = arena_array(arena, bool, n_a);
	bool *moved_a = arena_array(arena, bool, n_a);
	memset(al.mate_a, 0xff, sizeof(uint32_t) * n_a);
	memset(al.mate_b, 0xff, sizeof(uint32_t) * n_b);
	*out = (Alignment){ 0 };
	align_gap(&al, (Gap){ 0, n_a, 0, n_b }, 0);
	reword_gaps(&al, n_a, n_b);
	pair_moved(&al, n_a, n_b, moved_a);
	list_pairs(&al, out, n_a, n_b, moved_a);
	out->n_coarse = al.n_coarse;
}
