/*
 * Stability (SD710, SD712, SD717, SD718): what changes must stand after what does not, or the prefix
 * that could be reused ends where the change begins.
 *
 * A written stability that does not hold is an error. What was inferred is a warning, and only where a
 * stretch of fixed text worth naming (STRETCH_BYTES) stands behind the change.
 */
#include "compiler/sema/walk.h"
#include "passes/pass_loop.h"

enum { STRETCH_BYTES = 400, VARIANTS_MAX = 16 };

typedef struct Sent {
	const Part *part;
	Role role;
	Dependency dep;
	uint32_t n_byte;       /* fixed text in it */
	uint32_t n_byte_after; /* of that, behind the first thing that is least stable */
	Span last_text;        /* end of its fixed text */
} Sent;

typedef struct Order {
	Compiler *c;
	const Unit *u;
	const Prompt *p;
	VEC(Sent) sent;
	Sent *now;
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
	k->now->n_byte += n;
	k->now->last_text = text->span;
	if (k->now->dep.at && k->now->dep.stability > STAB_STATIC && text->span.lo > k->now->dep.at->span.lo)
		k->now->n_byte_after += n;
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
static void note_lost(Order *k, Diag *g, uint64_t bytes)
{
	if (bytes)
		diag_note(&k->c->diags, g, "%llu byte%s of fixed text behind it %s read anew each time (tokens not counted: no vocabulary)",
			(unsigned long long)bytes, bytes == 1 ? "" : "s", bytes == 1 ? "is" : "are");
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
	note_lost(k, g, s->n_byte_after);
	fix_line(k, g, s);
	if (!g->help.n)
		diag_help(&k->c->diags, g, "move what holds {{%.*s}} to a later message, or declare the input %s", STR_ARG(cause),
			stability_name(s->part->stability));
}

static uint64_t bytes_between(const Order *k, uint32_t from, uint32_t to)
{
	uint64_t n = 0;
	for (uint32_t i = from; i <= to; i++)
		if (k->sent.v[i].dep.stability < k->sent.v[from - 1].part->stability)
			n += k->sent.v[i].n_byte;
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
	note_lost(k, g, bytes_between(k, culprit + 1, i));
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
	note_lost(k, g, s->n_byte_after);
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
		check_maps(&k);
	}
}
