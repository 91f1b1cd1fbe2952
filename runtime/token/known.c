/* See known.h. */
#include "runtime/token/known.h"

#include "runtime/token/load.h"

typedef struct Known { const char *name; VocabSplit split; uint32_t least, most; } Known;

static const Known known[] = {
#define KNOWN(name, split, least, most) { name, SPLIT_##split, least, most },
#include "runtime/token/known.def"
#undef KNOWN
};

static const Known *find(Str name)
{
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (str_is(name, known[i].name))
			return &known[i];
	return NULL;
}

bool known_has(Str name)
{
	return find(name) != NULL;
}

bool known_allows(Arena *a, Str name, const VocabHeader *h, Str *why)
{
	const Known *k = find(name);
	if (!k || (h->split == k->split && h->n_token >= k->least && h->n_token <= k->most))
		return true;
	Str n = k->least == k->most ? str_fmt(a, "%u", k->most) : str_fmt(a, "%u to %u", k->least, k->most);
	*why = str_fmt(a, "not the vocabulary %s: that has %.*s tokens, split as %s; this one has %u, split as %s", k->name, STR_ARG(n),
	               vocab_split_name(k->split), h->n_token, vocab_split_name(h->split));
	return false;
}
