/* seedc.yaml: see config.h. */
#include "compiler/lint/config.h"

#include "compiler/front/yaml_tree.h"
#include "compiler/lint/glob.h"
#include "runtime/base/file.h"

#include <limits.h>
#include <stdlib.h>

enum { EXTENDS_MAX = 8 };

typedef struct ConfigRead {
	Compiler *c;
	LintConfig *cfg;
	Str folder;  /* of the file being read, real */
	Str shown;   /* the same as people named it, with its slash; may be empty */
	int depth;
} ConfigRead;

void lint_levels_init(LintLevels *l)
{
	memset(l->of, LEVEL_UNSET, sizeof l->of);
}

int lint_level_from_name(Str name)
{
	for (int s = SEV_OFF; s <= SEV_ERROR; s++)
		if (str_is(name, severity_name((Severity)s)))
			return s;
	return LEVEL_UNSET;
}

bool lint_rule_is_fixed(int id)
{
	return diag_rules[id].code[2] == '0';
}

static Diag *config_error(ConfigRead *r, const YNode *at, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

static Diag *config_error(ConfigRead *r, const YNode *at, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	Str text = str_vfmt(&r->c->arena, fmt, ap);
	va_end(ap);
	r->cfg->is_bad = true;
	return diag_add(&r->c->diags, SD903, at->span, "%.*s", STR_ARG(text));
}

static Str config_text(const YNode *y)
{
	return y->kind == Y_SCALAR ? y->text->s : STR("");
}

/* ---- values ----------------------------------------------------------------------------------- */

static int config_level(ConfigRead *r, const YNode *y)
{
	static const Str cand[] = { STR_INIT("off"), STR_INIT("info"), STR_INIT("warning"), STR_INIT("error") };
	Str word = config_text(y);
	int level = lint_level_from_name(word);
	if (level == LEVEL_UNSET) {
		Diag *g = config_error(r, y, "`%.*s` is no severity: off, info, warning, error", STR_ARG(word));
		diag_did_you_mean(&r->c->diags, g, source_unquoted(&r->c->sources, y->span), word, cand, 4);
	}
	return level;
}

static int config_rule(ConfigRead *r, const YNode *y)
{
	Str word = config_text(y);
	int id = diag_find_rule(word);
	if (id < 0) {
		Str cand[2 * DIAG_COUNT];
		for (int i = 0; i < DIAG_COUNT; i++) {
			cand[2 * i] = str_from(diag_rules[i].code);
			cand[2 * i + 1] = str_from(diag_rules[i].slug);
		}
		Diag *g = config_error(r, y, "no rule is called `%.*s`", STR_ARG(word));
		diag_did_you_mean(&r->c->diags, g, source_unquoted(&r->c->sources, y->span), word, cand, 2 * DIAG_COUNT);
	} else if (lint_rule_is_fixed(id)) {
		config_error(r, y, "%s is an error of the language and keeps its severity", diag_rules[id].code);
		id = -1;
	}
	return id;
}

static bool config_is_map(ConfigRead *r, const YNode *y, const char *what)
{
	if (y->kind == Y_MAP || yaml_is_null(y))
		return y->kind == Y_MAP;
	config_error(r, y, "%s is a map", what);
	return false;
}

static void config_levels(ConfigRead *r, const YNode *map, const char *what, LintLevels *out)
{
	if (!config_is_map(r, map, what))
		return;
	for (const YNode *y = map->first; y; y = y->next) {
		int id = config_rule(r, y->key), level = config_level(r, y);
		if (id >= 0 && level != LEVEL_UNSET)
			out->of[id] = (int8_t)level;
	}
}

static LintPathRule *config_add_path(ConfigRead *r, const YNode *glob)
{
	if (!config_text(glob).n)
		config_error(r, glob, "a path pattern is a text");
	LintPathRule *p = vec_add(&r->c->arena, &r->cfg->path);
	p->folder = r->folder;
	p->glob = config_text(glob);
	lint_levels_init(&p->levels);
	return p;
}

/* ---- keys ------------------------------------------------------------------------------------- */

static void config_read_file(ConfigRead *r, Str path, const YNode *from);

static void key_extends(ConfigRead *r, const YNode *y)
{
	const YNode *one = y->kind == Y_LIST ? y->first : y;
	for (; one; one = y->kind == Y_LIST ? one->next : NULL) {
		Str rel = config_text(one);
		if (!rel.n) {
			config_error(r, one, "`extends` takes a path or a list of paths");
			continue;
		}
		Str path = rel.p[0] == '/' ? rel : str_fmt(&r->c->arena, "%.*s%.*s", STR_ARG(r->shown), STR_ARG(rel));
		config_read_file(r, path, one);
	}
}

static void key_fail_on(ConfigRead *r, const YNode *y)
{
	int level = config_level(r, y);
	if (level == SEV_OFF)
		config_error(r, y, "`fail-on` takes error, warning or info");
	r->cfg->fail_on = level;
}

static void key_exclude(ConfigRead *r, const YNode *y)
{
	if (y->kind != Y_LIST) {
		config_error(r, y, "`exclude` is a list of path patterns");
		return;
	}
	for (const YNode *one = y->first; one; one = one->next)
		config_add_path(r, one)->is_excluded = true;
}

static void key_rules(ConfigRead *r, const YNode *y)
{
	config_levels(r, y, "`rules`", &r->cfg->levels);
}

static void key_paths(ConfigRead *r, const YNode *y)
{
	if (!config_is_map(r, y, "`paths`"))
		return;
	for (const YNode *one = y->first; one; one = one->next)
		config_levels(r, one, "what a path sets", &config_add_path(r, one->key)->levels);
}

static void config_ignore_entry(ConfigRead *r, const YNode *y)
{
	static const Str known[] = { STR_INIT("path"), STR_INIT("rules"), STR_INIT("reason") };
	const YNode *path = yaml_get(y, "path"), *rules = yaml_get(y, "rules");
	if (!path || !rules || rules->kind != Y_LIST) {
		config_error(r, y, "an entry of `ignore` has a path, a list of rules and may have a reason");
		return;
	}
	for (const YNode *k = y->first; k; k = k->next) {
		Str key = config_text(k->key);
		if (str_eq(key, known[0]) || str_eq(key, known[1]) || str_eq(key, known[2]))
			continue;
		Diag *g = config_error(r, k->key, "`%.*s` is no key of an `ignore` entry", STR_ARG(key));
		diag_did_you_mean(&r->c->diags, g, source_unquoted(&r->c->sources, k->key->span), key, known, 3);
	}
	LintPathRule *p = config_add_path(r, path);
	for (const YNode *rule = rules->first; rule; rule = rule->next) {
		int id = config_rule(r, rule);
		if (id >= 0)
			p->levels.of[id] = SEV_OFF;
	}
}

static void key_ignore(ConfigRead *r, const YNode *y)
{
	if (y->kind != Y_LIST) {
		config_error(r, y, "`ignore` is a list");
		return;
	}
	for (const YNode *one = y->first; one; one = one->next)
		config_ignore_entry(r, one);
}

typedef struct ConfigKey {
	Str name;
	void (*read)(ConfigRead *r, const YNode *y);
} ConfigKey;

static const ConfigKey config_key[] = {
	{ STR_INIT("extends"), key_extends }, { STR_INIT("fail-on"), key_fail_on }, { STR_INIT("exclude"), key_exclude },
	{ STR_INIT("rules"), key_rules },     { STR_INIT("paths"), key_paths },     { STR_INIT("ignore"), key_ignore },
};

enum { CONFIG_KEYS = sizeof config_key / sizeof *config_key };

static void config_unknown_key(ConfigRead *r, const YNode *key)
{
	Str cand[CONFIG_KEYS], word = config_text(key);
	for (int i = 0; i < CONFIG_KEYS; i++)
		cand[i] = config_key[i].name;
	Diag *g = config_error(r, key, "`%.*s` is no setting", STR_ARG(word));
	diag_help(&r->c->diags, g, "settings are extends, fail-on, exclude, rules, paths, ignore");
	diag_did_you_mean(&r->c->diags, g, source_unquoted(&r->c->sources, key->span), word, cand, CONFIG_KEYS);
}

/* What is extended is read first, wherever the key stands. */
static void config_read_keys(ConfigRead *r, const YNode *root)
{
	const YNode *extends = yaml_get(root, "extends");
	if (extends)
		key_extends(r, extends);
	for (const YNode *y = root->first; y; y = y->next) {
		int i = 0;
		while (i < CONFIG_KEYS && !str_eq(config_key[i].name, config_text(y->key)))
			i++;
		if (i == CONFIG_KEYS)
			config_unknown_key(r, y->key);
		else if (y != extends)
			config_key[i].read(r, y);
	}
}

/* ---- files ------------------------------------------------------------------------------------ */

static Str folder_of_file(Arena *a, Str path)
{
	char real[PATH_MAX];
	Str s = realpath(str_z(a, path), real) ? str_dup(a, str_from(real)) : path;
	while (s.n && s.p[s.n - 1] != '/')
		s.n--;
	if (s.n > 1)
		s.n--;
	return s;
}

static void config_unreadable(ConfigRead *r, Str path, const YNode *from, Str why)
{
	Source *src = from ? NULL : source_add(&r->c->sources, &r->c->diags, path, STR(""));
	Span at = from ? from->span : src ? (Span){ src->base, src->base } : (Span){ 0, 0 };
	diag_add(&r->c->diags, SD001, at, "%.*s: %.*s", STR_ARG(path), STR_ARG(why));
	r->cfg->is_bad = true;
}

/* from: the `extends` that names it, or NULL for the first. */
static void config_read_file(ConfigRead *r, Str path, const YNode *from)
{
	Compiler *c = r->c;
	Str bytes, why;
	if (r->depth == EXTENDS_MAX) {
		config_error(r, from, "`extends` goes in a circle, or more than %d files deep", EXTENDS_MAX);
		return;
	}
	if (!file_read(&c->arena, str_z(&c->arena, path), &bytes, &why)) {
		config_unreadable(r, path, from, why);
		return;
	}
	Source *src = source_add(&c->sources, &c->diags, path, bytes);
	YNode *root = src && src->ok ? yaml_read(c, src) : NULL;
	if (!root) {
		r->cfg->is_bad = true;
		return;
	}
	Str shown = path;
	while (shown.n && shown.p[shown.n - 1] != '/')
		shown.n--;
	ConfigRead inner = { c, r->cfg, folder_of_file(&c->arena, path), shown, r->depth + 1 };
	if (root->kind == Y_MAP)
		config_read_keys(&inner, root);
	else if (!yaml_is_null(root))
		config_error(&inner, root, "seedc.yaml is a map of settings");
}

LintConfig *lint_config_read(Compiler *c, Str path)
{
	LintConfig *cfg = arena_new(&c->arena, LintConfig);
	lint_levels_init(&cfg->levels);
	cfg->fail_on = LEVEL_UNSET;
	ConfigRead r = { .c = c, .cfg = cfg };
	uint32_t n_error = c->diags.n_error;
	config_read_file(&r, path, NULL);
	cfg->is_bad |= c->diags.n_error > n_error;
	return cfg;
}

/* ---- asking ----------------------------------------------------------------------------------- */

static bool path_rule_matches(const LintPathRule *p, Str real)
{
	if (!str_starts(real, p->folder))
		return false;
	Str rel = str_sub(real, p->folder.n, real.n);
	while (rel.n && rel.p[0] == '/')
		rel = str_sub(rel, 1, rel.n);
	return glob_match(p->glob, rel);
}

void lint_config_levels(const LintConfig *cfg, Str real, LintLevels *out)
{
	*out = cfg->levels;
	for (uint32_t i = 0; i < cfg->path.n; i++) {
		const LintPathRule *p = &cfg->path.v[i];
		if (p->is_excluded || !path_rule_matches(p, real))
			continue;
		for (int id = 0; id < DIAG_COUNT; id++)
			if (p->levels.of[id] != LEVEL_UNSET)
				out->of[id] = p->levels.of[id];
	}
}

bool lint_config_excludes(const LintConfig *cfg, Str real)
{
	for (uint32_t i = 0; i < cfg->path.n; i++)
		if (cfg->path.v[i].is_excluded && path_rule_matches(&cfg->path.v[i], real))
			return true;
	return false;
}
