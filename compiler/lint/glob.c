/* Path patterns: see glob.h. Pattern x path steps: a row of reachable offsets per token, no backtracking. */
#include "compiler/lint/glob.h"

enum { GLOB_PATH_MAX = 4096 };

/* Which offsets of the path are reached after the pattern's next token. */
static void glob_step(Str token, Str path, const bool *from, bool *to)
{
	bool star = token.p[0] == '*', deep = token.n >= 2, open = false;
	for (size_t i = 0; i <= path.n; i++) {
		char c = i ? path.p[i - 1] : 0;
		if (star) {
			open = from[i] || (open && (deep || c != '/'));
			to[i] = open;
		} else {
			to[i] = i && from[i - 1] && (token.p[0] == '?' ? c != '/' : token.p[0] == c);
		}
	}
}

static bool glob_run(Str pattern, Str path)
{
	bool row[3][GLOB_PATH_MAX + 1] = { { false } };
	bool *now = row[0], *next = row[1];
	now[0] = true;
	for (size_t i = 0, n; i < pattern.n; i += n) {
		for (n = 1; pattern.p[i] == '*' && i + n < pattern.n && pattern.p[i + n] == '*';)
			n++;
		glob_step(str_sub(pattern, i, i + n), path, now, next);
		if (n >= 2 && i + n < pattern.n && pattern.p[i + n] == '/') {
			/* `**` with its slash may stand for no folder at all. */
			glob_step(STR("/"), path, next, row[2]);
			for (size_t k = 0; k <= path.n; k++)
				next[k] = now[k] || row[2][k];
			n++;
		}
		bool *t = now;
		now = next;
		next = t;
	}
	return now[path.n];
}

bool glob_match(Str pattern, Str path)
{
	if (str_starts(pattern, STR("./")))
		pattern = str_sub(pattern, 2, pattern.n);
	if (path.n > GLOB_PATH_MAX || !pattern.n)
		return false;
	if (pattern.p[pattern.n - 1] == '/')
		return str_starts(path, pattern);
	if (memchr(pattern.p, '/', pattern.n))
		return glob_run(pattern, path);
	size_t name = path.n;
	while (name && path.p[name - 1] != '/')
		name--;
	return glob_run(pattern, str_sub(path, name, path.n));
}
