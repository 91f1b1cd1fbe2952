/*
 * Stability (SD710, SD711, SD712, SD717, SD718): what changes must stand after what does not, or the prefix
 * that could be reused ends where the change begins.
 *
 * A written stability that does not hold is an error. What was inferred is a warning, and only where a
 * stretch of fixed text worth naming (STRETCH_BYTES) stands behind the change.
 */
#include "compiler/sema/budget.h"
#include "compiler/sema/walk.h"
#include "passes/pass_loop.h"

enum { STRETCH_BYTES = 400, VARIANTS_MAX = 16 };

typedef struct Sent {
	const Part *part;
	Role role;
	Dependency dep;
	uint32_t n_byte;       /* fixed text in it */
	uint32_t n_byte_after; /* of that, behind the first thing that is least stable */
	uint64_t n_tok, n_tok_after; /* the same, no more than are certain; 0 without encoder */
	Span last_text;        /* end of its fixed text */
} Sent;

typedef struct Order {
	Compiler *c;
	const Unit *u;
	const Prompt *p;
	VEC(Sent) sent;
	Sent *now;
	Encoder *encoder;      /* NULL: no vocabulary, or nothing to tell yet */
} Order;

static const char *stability_name(Stability s)
{
	static const char *const NAME[STAB_COUNT] = { "@static", "@session", "@turn" };
	return NAME[s];
}

static const char *how_often(Stability s)
{
	return s == STAB_TURN ? "changes with every turn" : "changes with every session";
}

static void on_text(Walk *w, const Node *text, const Scope *s)
{
	Order *k = w->ctx;
	(void)s;
	if (!text->text)
		return;
	uint32_t n = (uint32_t)text->text->s.n;
	uint64_t n_tok = k->encoder ? budget_text(k->encoder, text->text->s).lo : 0;
	k->now->n_byte += n;
	k->now->n_tok += n_tok;
	k->now->last_text = text->span;
	if (k->now->dep.at && k->now->dep.stability > STAB_STATIC && text->span.lo > k->now->dep.at->span.lo) {
		k->now->n_byte_after += n;
		k->now->n_tok_after += n_tok;
	}
}

static void gather(Order *k)
{
	const Prompt *p = k->p;
	for (uint32_t i = 0; i < p->message.n; i++) {
		for (uint32_t j = 0; j < p->message.v[i].part.n; j++) {
			const Part *part = &p->message.v[i].part.v[j];
			Sent *s = vec_add(&k->c->arena, &k->sent);
			*s = (Sent){ .part = part, .role = p->message.v[i].role, .dep = sema_depends(k->u, p, part) };
			k->now = s;
			Walk w = { .u = k->u, .p = p, .ctx = k, .on_text = on_text };
			sema_walk_part(&w, part);
		}
	}
}

static Span part_at(const Order *k, const Part *part)
{
	const Node *n = part->decl ? part->decl : k->p->constraint.n ? k->p->constraint.v[0].decl : k->p->decl;
	const Node *stab = n ? node_clause(n, CL_STABILITY) : NULL;
	if (stab)
		return stab->span;
	if (!n)
		return (Span){ 0, 0 };
	return n->name_span.hi ? n->name_span : (Span){ n->span.lo, n->span.lo + 1 };
}

static const char *part_name(const Part *part)
{
	static const char *const ROLE[] = { "system", "developer", "user", "assistant", "tool" };
	if (!part->decl)
		return "constraints";
	return part->decl->kind == N_MESSAGE ? ROLE[part->decl->op] : node_kind_name(part->decl->kind);
}

static Str cause_name(const Dependency *d)
{
	return d->input ? d->input->name : d->stage ? d->stage->name : (Str){ 0 };
}

/* "lost": what stands behind the change and is read anew each time. */
typedef struct Lost { uint64_t n_byte, n_tok; } Lost;

/* Counts tokens too, now that there is something to tell, where the vocabulary is at hand. The list of what is
 * sent stays where it is. */
static void count_tokens(Order *k)
{
	TokenCounter counter = budget_counter(k->c, k->p);
	if (k->encoder || !(k->encoder = counter_encoder(&counter)))
		return;
	k->sent.n = 0;
	gather(k);
}

static Lost lost_after(Order *k, const Sent *s)
{
	count_tokens(k);
	return (Lost){ s->n_byte_after, s->n_tok_after };
}

static void note_lost(Order *k, Diag *g, Lost lost)
{
	const char *s = lost.n_byte == 1 ? "" : "s", *are = lost.n_byte == 1 ? "is" : "are";
	if (lost.n_byte && k->encoder)
		diag_note(&k->c->diags, g, "%llu byte%s of fixed text behind it, at least %llu tokens, %s read anew each time",
			(unsigned long long)lost.n_byte, s, (unsigned long long)lost.n_tok, are);
	else if (lost.n_byte)
		diag_note(&k->c->diags, g, "%llu byte%s of fixed text behind it %s read anew each time (tokens not counted: no vocabulary)",
			(unsigned long long)lost.n_byte, s, are);
}

static bool ends_sentence(Str line)
{
	Str s = str_trim(line);
	return s.n && strchr(".!?", s.p[s.n - 1]);
}

/* Would mean something else, or nothing, when a line above it went below it. */
static bool closes_something(Str line)
{
	Str s = str_trim(line);
	return str_starts(s, STR("!")) || str_starts(s, STR("</")) || str_starts(s, STR("```")) || str_starts(s, STR("~~~"));
}

/* Whole sentences that stand in no branch, tag or fence: the line means the same in another place. */
static bool is_movable(const Sources *ss, uint32_t lo, Str line, uint32_t last_lo)
{
	uint32_t at;
	Str before = source_line_text(ss, lo - 1, &at);
	bool follows_head = before.n && before.p[0] != ' ' && before.p[0] != '\t';
	if (!ends_sentence(line) || !(follows_head || !str_trim(before).n || ends_sentence(before)))
		return false;
	for (uint32_t next = lo + (uint32_t)line.n + 1; next <= last_lo;) {
		Str s = source_line_text(ss, next, &at);
		if (closes_something(s))
			return false;
		next = at + (uint32_t)s.n + 1;
	}
	return true;
}

/* Moves the line that holds the change behind the last line of the part's text. */
static void fix_line(Order *k, Diag *g, const Sent *s)
{
	Sources *ss = &k->c->sources;
	uint32_t lo, last_lo;
	if (k->u->front != FRONT_SD || !s->last_text.hi || s->last_text.hi <= s->dep.at->span.hi)
		return;
	Str line = source_line_text(ss, s->dep.at->span.lo, &lo);
	Str last = source_line_text(ss, s->last_text.hi - 1, &last_lo);
	Str text = str_trim(line);
	if (last_lo <= lo || !text.n || text.p[0] == '!' || source_of(ss, lo) != source_of(ss, last_lo) || str_find(line, STR(":"), 0) == 0)
		return;
	if (!line.n || (line.p[0] != ' ' && line.p[0] != '\t'))
		return; /* the head's own line */
	if (!is_movable(ss, lo, line, last_lo))
		return;
	diag_help(&k->c->diags, g, "move this line under line %u", source_line(ss, last_lo));
	diag_fix(&k->c->diags, g, FIX_UNSAFE, (Span){ lo, lo + (uint32_t)line.n + 1 }, (Str){ 0 }, "move the line to the end of the part");
	uint32_t end = last_lo + (uint32_t)last.n;
	diag_fix(&k->c->diags, g, FIX_UNSAFE, (Span){ end, end }, str_fmt(&k->c->arena, "\n%.*s", STR_ARG(line)), "move the line to the end of the part");
}

/* @static on a part that holds an input which changes. */
static void check_written(Order *k, const Sent *s)
{
	if (!s->part->stability_written || !s->dep.at || s->dep.stability <= s->part->stability)
		return;
	Str cause = cause_name(&s->dep);
	Diag *g = diag_add(&k->c->diags, SD710, s->dep.at->span, "`%.*s` %s, and this %s is %s", STR_ARG(cause), how_often(s->dep.stability),
		part_name(s->part), stability_name(s->part->stability));
	diag_set_severity(&k->c->diags, g, SEV_ERROR);
	diag_label(&k->c->diags, g, part_at(k, s->part), "promised here");
	if (s->dep.input && s->dep.input->decl)
		diag_label(&k->c->diags, g, s->dep.input->decl->name_span, "declared here");
	note_lost(k, g, lost_after(k, s));
	fix_line(k, g, s);
	if (!g->help.n)
		diag_help(&k->c->diags, g, "move what holds {{%.*s}} to a later message, or declare the input %s", STR_ARG(cause),
			stability_name(s->part->stability));
}

static Lost lost_between(Order *k, uint32_t from, uint32_t to)
{
	Lost n = { 0, 0 };
	count_tokens(k);
	for (uint32_t i = from; i <= to; i++) {
		if (k->sent.v[i].dep.stability >= k->sent.v[from - 1].part->stability)
			continue;
		n.n_byte += k->sent.v[i].n_byte;
		n.n_tok += k->sent.v[i].n_tok;
	}
	return n;
}

static uint32_t line_after(const Order *k, const Sent *s)
{
	uint32_t at = s->last_text.hi ? s->last_text.hi - 1 : s->part->decl ? s->part->decl->span.hi : 0;
	return at ? source_line(&k->c->sources, at) : 0;
}

static void report_drop(Order *k, uint32_t culprit, uint32_t i, Severity severity)
{
	const Sent *early = &k->sent.v[culprit], *late = &k->sent.v[i];
	Str cause = cause_name(&early->dep);
	Span at = part_at(k, severity == SEV_ERROR ? late->part : early->part);
	Diag *g;
	if (severity == SEV_ERROR)
		g = diag_add(&k->c->diags, SD710, at, "%s %s stands after %s, which %s", part_name(late->part),
			stability_name(late->part->stability), part_name(early->part), how_often(early->part->stability));
	else
		g = diag_add(&k->c->diags, SD710, at, "%s %s and stands before %s, which does not", part_name(early->part),
			how_often(early->part->stability), part_name(late->part));
	diag_set_severity(&k->c->diags, g, severity);
	if (early->dep.at && cause.n)
		diag_label(&k->c->diags, g, early->dep.at->span, "`%.*s` %s", STR_ARG(cause), how_often(early->dep.stability));
	else if (severity == SEV_ERROR)
		diag_label(&k->c->diags, g, part_at(k, early->part), "%s is written here", stability_name(early->part->stability));
	note_lost(k, g, lost_between(k, culprit + 1, i));
	uint32_t line = line_after(k, late);
	if (line)
		diag_help(&k->c->diags, g, "move %s under line %u", part_name(early->part), line);
}

/* Fixed text behind a change inside one system part. */
static void check_inside(Order *k, const Sent *s)
{
	if (s->part->stability_written || s->n_byte_after < STRETCH_BYTES || (s->role != ROLE_SYSTEM && s->role != ROLE_DEVELOPER))
		return;
	if (!s->dep.at || s->dep.stability == STAB_STATIC || s->part->kind == PART_CONTEXT)
		return;
	Str cause = cause_name(&s->dep);
	Diag *g = diag_add(&k->c->diags, SD710, s->dep.at->span, "`%.*s` %s and stands before text that does not", STR_ARG(cause),
		how_often(s->dep.stability));
	if (s->dep.input && s->dep.input->decl)
		diag_label(&k->c->diags, g, s->dep.input->decl->name_span, "declared here");
	note_lost(k, g, lost_after(k, s));
	fix_line(k, g, s);
	if (!g->help.n)
		diag_help(&k->c->diags, g, "move what holds it to the end of the part, or to a later message");
}

static void check_order(Order *k)
{
	uint32_t culprit = 0;
	bool dropped = false;
	for (uint32_t i = 0; i < k->sent.n; i++) {
		const Sent *s = &k->sent.v[i], *worst = &k->sent.v[culprit];
		check_written(k, s);
		check_inside(k, s);
		if (i == 0)
			continue;
		Stability own = s->part->stability_written ? s->part->stability : s->dep.stability;
		if (s->part->stability_written && own < worst->part->stability) {
			report_drop(k, culprit, i, SEV_ERROR);
		} else if (!s->part->stability_written && own < worst->part->stability && !dropped && worst->dep.at &&
			   s->n_byte >= STRETCH_BYTES) {
			report_drop(k, culprit, i, SEV_WARNING);
			dropped = true;
		}
		if (s->part->stability > worst->part->stability)
			culprit = i;
	}
}

/* ---- SD718, SD717, SD712 ---- */

static void check_fan_out(Order *k)
{
	double n = 1;
	for (uint32_t i = 0; i < k->sent.n; i++) {
		const Sent *s = &k->sent.v[i];
		if (s->part->stability != STAB_STATIC)
			break;
		n *= s->part->n_variant;
		if (s->part->n_variant <= 1 || n <= VARIANTS_MAX)
			continue;
		Span at = s->dep.at ? s->dep.at->span : part_at(k, s->part);
		Diag *g = diag_add(&k->c->diags, SD718, at, "up to here the fixed part has %.0f variants", n);
		diag_help(&k->c->diags, g, "each is a prefix of its own in the cache: move what has many values behind what has few, or to a `user` message");
		return;
	}
}

static void check_mark(Order *k)
{
	if (!k->p->cache || !k->sent.n || !k->p->cache->decl)
		return;
	const Sent *first = &k->sent.v[0];
	if (first->part->stability != STAB_TURN || first->n_byte_after != first->n_byte)
		return;
	Diag *g = diag_add(&k->c->diags, SD717, k->p->cache->decl->span, "nothing in front of %s stays the same: this cache holds no prefix",
		part_name(first->part));
	if (first->dep.at)
		diag_label(&k->c->diags, g, first->dep.at->span, "%s", how_often(STAB_TURN));
	diag_help(&k->c->diags, g, "put fixed text first, in `role` or `system @static`");
}

/* ---- SD711 ---- */

static void on_fixed(Walk *w, const Node *text, const Scope *s)
{
	(void)s;
	if (text->text)
		buf_put(w->ctx, text->text->s);
}

/* The fixed parts in front of what changes, as they are joined. Parts that have a condition or a hole end it. */
static uint32_t fixed_prefix(Order *k, Buf *text)
{
	uint32_t i = 0;
	for (; i < k->sent.n && k->sent.v[i].part->stability == STAB_STATIC && k->sent.v[i].part->n_variant <= 1; i++) {
		Walk w = { .u = k->u, .p = k->p, .ctx = text, .on_text = on_fixed };
		if (i)
			buf_lit(text, "\n\n");
		sema_walk_part(&w, k->sent.v[i].part);
	}
	return i;
}

static void check_short(Order *k)
{
	const Target *t = k->p->profile.n ? k->p->profile.v[0] : NULL;
	uint32_t least = t && t->cache.kind != CACHE_NONE ? t->cache.min_tok : 0;
	Buf text = { 0 };
	TokenCounter counter = budget_counter(k->c, k->p);
	uint32_t n = least && !k->p->tool.n ? fixed_prefix(k, &text) : 0;
	/* note [bytes first]: what has fewer bytes has fewer tokens. */
	bool may = n && n < k->sent.n && text.n >= least - least / 4;
	Encoder *e = may ? counter_encoder(&counter) : NULL;
	TokenRange r = e ? budget_text(e, buf_str(&text)) : (TokenRange){ 0, 0 };
	buf_free(&text);
	if (!e || r.lo < least - least / 4 || r.hi >= least)
		return;
	Diag *g = diag_add(&k->c->diags, SD711, part_at(k, k->sent.v[0].part), "the fixed prefix takes %llu to %llu tokens; %.*s caches none under %u",
		(unsigned long long)r.lo, (unsigned long long)r.hi, STR_ARG(k->p->target.v[0]), least);
	diag_help(&k->c->diags, g, "put %llu more tokens of fixed text in front of %s: an example, the policy", (unsigned long long)(least - r.lo),
		part_name(k->sent.v[n].part));
}

static void on_hole(Walk *w, const Node *hole, const Scope *s)
{
	Order *k = w->ctx;
	const Node *ref = node_kid(hole, N_REF);
	Ref r;
	Origin o;
	if (!ref || !sema_resolve(k->u, k->p, s, ref, &r) || !r.type || r.type->kind != INPUT_MAP)
		return;
	if (!sema_origin(k->u, k->p, s, ref, &o) || !o.input || o.input->stability == STAB_TURN)
		return;
	Diag *g = diag_add(&k->c->diags, SD712, hole->span, "`%.*s` is a map in a part that is meant to stay the same: its order may move",
		STR_ARG(ref->name));
	diag_help(&k->c->diags, g, "declare a list of key and value, which has an order, or make sure that callers sort the keys");
}

static void check_maps(Order *k)
{
	Walk w = { .u = k->u, .p = k->p, .ctx = k, .on_hole = on_hole };
	sema_walk_prompt(&w);
}

void pass_stability(Compiler *c, Unit *u)
{
	for (uint32_t i = 0; i < u->prompt.n; i++) {
		Order k = { .c = c, .u = u, .p = u->prompt.v[i] };
		gather(&k);
		check_order(&k);
		check_fan_out(&k);
		check_mark(&k);
		check_short(&k);
		check_maps(&k);
	}
}
