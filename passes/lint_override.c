/*
 * SD606: data that tells the model to ignore its instructions. Looked for only where data stands: few-shot
 * examples, contexts, tool results, what the assistant is made to say, and bodies of files that are used.
 * Instructions may describe attacks as they like.
 *
 * A phrase is a verb, up to three small words, and an object, in that order; quoted text and code are silent.
 */
#include "compiler/text/text_layer.h"
#include "passes/lint_view.h"
#include "passes/pass_loop.h"

typedef struct Words {
	const char *const *word;
	size_t n;
} Words;

#define WORDS(...) { (const char *const[]){ __VA_ARGS__ }, sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *) }

/* verb … qualifier … object; small words may stand between. */
static const Words override_verb = WORDS("ignore", "disregard", "forget", "override", "bypass");
static const Words override_scope = WORDS("previous", "prior", "above", "earlier", "preceding", "foregoing", "system", "original");
static const Words override_object = WORDS("instructions", "instruction", "prompt", "prompts", "rules", "directions", "guidelines",
                                           "messages", "context");
static const Words override_small = WORDS("all", "any", "the", "your", "my", "of", "those", "these", "every", "and");

static const char *const override_literal[] = {
	"\xe5\xbf\xbd\xe7\x95\xa5\xe4\xb9\x8b\xe5\x89\x8d\xe7\x9a\x84", /* ignore the earlier … */
	"\xe5\xbf\xbd\xe7\x95\xa5\xe4\xbb\xa5\xe4\xb8\x8a",             /* ignore the above … */
	"\xe5\xbf\xbd\xe7\x95\xa5\xe4\xb8\x8a\xe8\xbf\xb0",
};

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool is_word_byte(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool word_is(Str w, const char *z)
{
	size_t i = 0;
	while (i < w.n && z[i] && lower(w.p[i]) == z[i])
		i++;
	return i == w.n && !z[i];
}

static bool word_among(Str w, const Words *set)
{
	for (size_t i = 0; i < set->n; i++)
		if (word_is(w, set->word[i]))
			return true;
	return false;
}

/* The next word within the line, behind blanks only. */
static Str next_word(Str text, size_t *at)
{
	while (*at < text.n && text.p[*at] == ' ')
		++*at;
	size_t lo = *at;
	while (*at < text.n && is_word_byte(text.p[*at]))
		++*at;
	return str_sub(text, lo, *at);
}

/* End of the phrase that starts with the verb at lo; 0 if there is none. */
static size_t phrase_end(Str text, size_t lo)
{
	enum { WORDS_MAX = 7 };
	size_t at = lo;
	bool scope = false;
	if (!word_among(next_word(text, &at), &override_verb))
		return 0;
	for (int i = 0; i < WORDS_MAX; i++) {
		Str w = next_word(text, &at);
		if (word_among(w, &override_scope))
			scope = true;
		else if (word_among(w, &override_object) && scope)
			return at;
		else if (!word_among(w, &override_small))
			return 0;
	}
	return 0;
}

static void report_override(Compiler *c, const LintBody *b, size_t lo, size_t hi)
{
	static const char *const where[] = {
		[BODY_INSTRUCTION] = "text of another file",
		[BODY_SAID] = "what the assistant is made to say",
		[BODY_EXAMPLE] = "an example",
		[BODY_DATA] = "data",
		[BODY_TEST] = "a test",
	};
	Str what = str_sub(b->text.s, lo, hi);
	Diag *g = diag_add(&c->diags, SD606, text_span(&b->text, lo, hi), "%s says `%.*s`", where[b->use], STR_ARG(what));
	diag_help(&c->diags, g, "take it out, or quote it if the model shall learn to refuse it");
}

static bool is_quiet(const TextLayer *t, size_t lo)
{
	uint32_t r = text_region_at(t, (uint32_t)lo);
	return text_is_code(t, (uint32_t)lo) || (r != TEXT_NONE && t->region.v[r].kind == REGION_LITERAL);
}

static void see_body(Compiler *c, Unit *u, const LintBody *b)
{
	(void)u;
	if (b->use == BODY_TEST || (b->use == BODY_INSTRUCTION && b->is_own))
		return;
	Str text = b->text.s;
	TextLayer t = { 0 };
	text_layer_build_shape(&c->scratch, &t, text);
	for (size_t lo = 0; lo < text.n; lo++) {
		bool starts = is_word_byte(text.p[lo]) && (!lo || !is_word_byte(text.p[lo - 1]));
		size_t hi = starts ? phrase_end(text, lo) : 0;
		for (size_t i = 0; !hi && (unsigned char)text.p[lo] == 0xe5 && i < sizeof override_literal / sizeof *override_literal; i++)
			if (str_starts(str_sub(text, lo, text.n), str_from(override_literal[i])))
				hi = lo + strlen(override_literal[i]);
		if (hi && !is_quiet(&t, lo))
			report_override(c, b, lo, hi);
	}
}

void pass_lint_override(Compiler *c, Unit *u)
{
	lint_each_body(c, u, see_body);
}
