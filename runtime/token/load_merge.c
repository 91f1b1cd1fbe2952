/* Merge lists: pieces by name to ids, each pair once; and the scores that stand for a merge list. */
#include "runtime/base/map.h"
#include "runtime/token/load_each.h"

void load_merge_room(Load *l, uint32_t n)
{
	uint32_t n_slot = 16;
	while (n_slot / 2 < n)
		n_slot *= 2;
	l->out->merge = arena_array(l->a, VocabMerge, n);
	l->pair = arena_array(l->a, uint64_t, n_slot);
	l->pair_mask = n_slot - 1;
}

static bool pair_once(Load *l, uint32_t left, uint32_t right)
{
	uint64_t key = ((uint64_t)left << 32 | right) + 1;
	uint32_t at = (uint32_t)hash_bytes((Str){ (const char *)&key, sizeof key }) & l->pair_mask;
	for (; l->pair[at]; at = (at + 1) & l->pair_mask)
		if (l->pair[at] == key)
			return false;
	l->pair[at] = key;
	return true;
}

static bool fail_merge(Load *l, size_t offset, Str piece, const char *what)
{
	Str shown = load_shown(l, piece);
	return load_fail(l, offset, "merge %u: %.*s %s", l->out->n_merge, STR_ARG(shown), what);
}

bool load_merge(Load *l, size_t offset, Str left, Str right)
{
	l->join.n = 0;
	buf_put(&l->join, left);
	buf_put(&l->join, right);
	Str both = buf_str(&l->join);
	VocabMerge m = { load_id_of(l, left), load_id_of(l, right), load_id_of(l, both) };
	if (m.left == TOKEN_NONE || m.right == TOKEN_NONE)
		return fail_merge(l, offset, m.left == TOKEN_NONE ? left : right, "is no token");
	if (m.joined == TOKEN_NONE)
		return fail_merge(l, offset, both, "is no token");
	if (!pair_once(l, m.left, m.right))
		return fail_merge(l, offset, both, "is joined so twice");
	l->out->merge[l->out->n_merge++] = m;
	return true;
}

bool load_split_merge(Str s, Str *left, Str *right)
{
	size_t gap = str_find(s, STR(" "), 1);
	*left = str_sub(s, 0, gap);
	*right = str_sub(s, gap + 1, s.n);
	return left->n && right->n && str_find(*right, STR(" "), 0) == right->n;
}

static bool is_normal(const VocabSource *v, uint32_t id)
{
	return id != TOKEN_NONE && v->type[id] == TOKEN_NORMAL;
}

/* In how many ways two normal pieces join to a third. */
static uint64_t count_joins(const Load *l)
{
	const VocabSource *v = l->out;
	uint64_t n = 0;
	for (uint32_t id = 0; id < v->n_token; id++)
		for (size_t cut = 1; is_normal(v, id) && cut < v->token[id].n; cut++)
			n += is_normal(v, load_id_of(l, str_sub(v->token[id], 0, cut)))
				&& is_normal(v, load_id_of(l, str_sub(v->token[id], cut, v->token[id].n)));
	return n;
}

/* U+2581 and nothing else. */
static bool is_spaces(Str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] != "\u2581"[i % 3])
			return false;
	return s.n && s.n % 3 == 0;
}

/* Merges i .. *end-1 have one score: all ways to join one piece, or, where runs of spaces begin, all
 * that join a run. False where a piece is joined outside of them too. */
static bool take_level(Load *l, size_t offset, uint32_t i, uint32_t *end, float score)
{
	VocabSource *v = l->out;
	bool runs = is_spaces(v->token[v->merge[i].joined]);
	for (*end = i; *end < v->n_merge; ++*end) {
		uint32_t joined = v->merge[*end].joined;
		if (runs ? !is_spaces(v->token[joined]) : joined != v->merge[i].joined)
			break;
		if (v->score[joined] > -1 - (float)v->n_merge && v->score[joined] != score) {
			Str shown = load_shown(l, v->token[joined]);
			return load_fail(l, offset, "merge %u: the ways to join %.*s do not stand together", *end, STR_ARG(shown));
		}
		v->score[joined] = score;
	}
	return true;
}

/*
 * A converter from SentencePiece lists every pair whose join is a piece, by falling score, so all ways
 * to join one piece stand together. Where the list has that form its order gives the scores back. Only
 * runs of spaces share a score in the models that are published, and theirs stand mixed.
 * Pairs that give the same piece then have one rank, and the leftmost is joined first, as in
 * SentencePiece itself; tokenizers would follow their order in the list.
 */
bool load_scores(Load *l, size_t offset)
{
	VocabSource *v = l->out;
	uint64_t n_normal = 0;
	float score = -1;
	v->score = arena_array(l->a, float, v->n_token);
	for (uint32_t i = 0; i < v->n_token; i++)
		v->score[i] = -1 - (float)v->n_merge;
	for (uint32_t i = 0, end; i < v->n_merge; i = end, score -= 1)
		if (!take_level(l, offset, i, &end, score))
			return false;
	for (uint32_t i = 0; i < v->n_merge; i++)
		n_normal += is_normal(v, v->merge[i].left) && is_normal(v, v->merge[i].right) && is_normal(v, v->merge[i].joined);
	if (n_normal != count_joins(l))
		return load_fail(l, offset, "the merges are not all that the pieces allow: no SentencePiece model converts to these");
	v->merge = NULL;
	v->n_merge = 0;
	return true;
}
