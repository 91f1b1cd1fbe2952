/* Revisions: see revision.h. git runs as a child with both outputs on pipes, read until they close. */
#include "compiler/diff/revision.h"

#include <errno.h>
#include <poll.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/buf.h"
#include "runtime/base/vec.h"

extern char **environ;

enum { READ_STEP_BYTES = 64 * 1024 };

static bool fail(Arena *a, Str *why, const char *what, int err)
{
	*why = str_fmt(a, "%s: %s", what, strerror(err));
	return false;
}

/* False when this stream has ended. */
static bool read_some(int fd, Buf *into)
{
	buf_reserve(into, READ_STEP_BYTES);
	ssize_t got = read(fd, into->p + into->n, READ_STEP_BYTES);
	if (got < 0 && errno == EINTR)
		return true;
	if (got <= 0)
		return false;
	into->n += (size_t)got;
	return true;
}

static void read_both(int out_fd, int err_fd, Buf *out, Buf *err)
{
	struct pollfd p[2] = { { out_fd, POLLIN, 0 }, { err_fd, POLLIN, 0 } };
	while (p[0].fd >= 0 || p[1].fd >= 0) {
		if (poll(p, 2, -1) < 0 && errno != EINTR)
			return;
		if (p[0].fd >= 0 && p[0].revents && !read_some(out_fd, out))
			p[0].fd = -1;
		if (p[1].fd >= 0 && p[1].revents && !read_some(err_fd, err))
			p[1].fd = -1;
	}
}

static bool spawn_git(Arena *a, char *const argv[], int out_fd, int err_fd, pid_t *pid, Str *why)
{
	posix_spawn_file_actions_t fa;
	posix_spawn_file_actions_init(&fa);
	posix_spawn_file_actions_addopen(&fa, STDIN_FILENO, "/dev/null", 0, 0);
	posix_spawn_file_actions_adddup2(&fa, out_fd, STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&fa, err_fd, STDERR_FILENO);
	int err = posix_spawnp(pid, "git", &fa, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&fa);
	return err ? fail(a, why, "cannot run git (install it, or compare files)", err) : true;
}

/* Runs git; true with its output when it exits 0, else false with its first line of error. */
static bool run_git(Arena *a, char *const argv[], Str *output, Str *why)
{
	int out[2], err[2];
	if (pipe(out))
		return fail(a, why, "pipe", errno);
	if (pipe(err)) {
		close(out[0]);
		close(out[1]);
		return fail(a, why, "pipe", errno);
	}
	pid_t pid;
	bool ok = spawn_git(a, argv, out[1], err[1], &pid, why);
	close(out[1]);
	close(err[1]);
	Buf so = { 0 }, se = { 0 };
	int status = 0;
	if (ok) {
		read_both(out[0], err[0], &so, &se);
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
		ok = WIFEXITED(status) && WEXITSTATUS(status) == 0;
		Str rest = buf_str(&se), line = STR("git failed");
		if (!ok && str_line(&rest, &line))
			line = str_trim(line);
		if (!ok)
			*why = str_dup(a, line);
	}
	close(out[0]);
	close(err[0]);
	*output = str_dup(a, buf_str(&so));
	buf_free(&so);
	buf_free(&se);
	return ok;
}

static bool is_shallow(Arena *a)
{
	Str out, why;
	char *argv[] = { "git", "rev-parse", "--is-shallow-repository", NULL };
	return run_git(a, argv, &out, &why) && str_starts(out, STR("true"));
}

static bool is_repository(Arena *a)
{
	Str out, why;
	char *argv[] = { "git", "rev-parse", "--git-dir", NULL };
	return run_git(a, argv, &out, &why);
}

/* Adds the way out to what git said. */
static void add_mend(Arena *a, Str rev, Str *why)
{
	if (!is_repository(a))
		return;
	if (is_shallow(a)) {
		*why = str_fmt(a, "%.*s\nthis clone is shallow; fetch its history: git fetch --unshallow", STR_ARG(*why));
		return;
	}
	char *argv[] = { "git", "rev-parse", "--verify", "--quiet", str_z(a, str_fmt(a, "%.*s^{commit}", STR_ARG(rev))), NULL };
	Str out, ignored;
	if (run_git(a, argv, &out, &ignored))
		return;
	size_t slash = str_find(rev, STR("/"), 0);
	if (slash < rev.n)
		*why = str_fmt(a, "%.*s\nfetch it: git fetch %.*s %.*s", STR_ARG(*why), STR_ARG(str_sub(rev, 0, slash)),
			STR_ARG(str_sub(rev, slash + 1, rev.n)));
	else
		*why = str_fmt(a, "%.*s\nfetch it: git fetch origin %.*s", STR_ARG(*why), STR_ARG(rev));
}

bool revision_is_spec(Arena *a, Str operand)
{
	size_t colon = str_find(operand, STR(":"), 0);
	return colon > 0 && colon + 1 < operand.n && access(str_z(a, operand), F_OK) != 0;
}

/* A link's bytes are the path it leads to: one line without its end. */
static bool is_link(Arena *a, Str spec, Str bytes)
{
	size_t colon = str_find(spec, STR(":"), 0);
	if (!bytes.n || str_find(bytes, STR("\n"), 0) < bytes.n)
		return false;
	char *argv[] = { "git", "ls-tree", "--full-tree", "--end-of-options", str_z(a, str_sub(spec, 0, colon)),
		str_z(a, str_sub(spec, colon + 1, spec.n)), NULL };
	Str row, why;
	return run_git(a, argv, &row, &why) && str_starts(row, STR("120000 "));
}

bool revision_read(Arena *a, Str spec, Str *bytes, Str *why)
{
	char *argv[] = { "git", "cat-file", "--end-of-options", "blob", str_z(a, spec), NULL };
	if (run_git(a, argv, bytes, why)) {
		bool link = is_link(a, spec, *bytes);
		if (link)
			*why = STR("is a symbolic link in that revision; name the file it leads to");
		return !link;
	}
	if (str_ends(*why, STR(": bad file")))
		*why = STR("is no file in that revision");
	add_mend(a, str_sub(spec, 0, str_find(spec, STR(":"), 0)), why);
	return false;
}

bool revision_merge_base(Arena *a, Str rev, Str *commit, Str *why)
{
	char *argv[] = { "git", "merge-base", "--end-of-options", str_z(a, rev), "HEAD", NULL };
	*why = (Str){ 0 };
	if (run_git(a, argv, commit, why)) {
		*commit = str_trim(*commit);
		return true;
	}
	if (str_is(*why, "git failed"))
		*why = str_fmt(a, "no common ancestor of %.*s and HEAD", STR_ARG(rev));
	add_mend(a, rev, why);
	return false;
}

/* Takes "." and ".." out; false when it climbs above the top. */
static bool clean_path(Arena *a, Str path, Str *out)
{
	VEC(Str) step = { 0 };
	while (path.n) {
		size_t n = str_find(path, STR("/"), 0);
		Str s = str_sub(path, 0, n);
		path = str_sub(path, n + 1, path.n);
		if (str_is(s, "..")) {
			if (!step.n)
				return false;
			step.n--;
		} else if (s.n && !str_is(s, ".")) {
			vec_push(a, &step, s);
		}
	}
	*out = (Str){ 0 };
	for (uint32_t i = 0; i < step.n; i++)
		*out = i ? str_fmt(a, "%.*s/%.*s", STR_ARG(*out), STR_ARG(step.v[i])) : step.v[i];
	return true;
}

bool revision_path(Arena *a, Str path, Str *from_top, Str *why)
{
	bool absolute = path.n && path.p[0] == '/';
	char *argv[] = { "git", "rev-parse", absolute ? "--show-toplevel" : "--show-prefix", NULL };
	Str base;
	if (!run_git(a, argv, &base, why))
		return false;
	base = str_trim(base);
	bool inside = !absolute || (str_starts(path, base) && str_starts(str_sub(path, base.n, path.n), STR("/")));
	Str rest = !absolute ? str_fmt(a, "%.*s%.*s", STR_ARG(base), STR_ARG(path)) : str_sub(path, base.n, path.n);
	inside = inside && clean_path(a, rest, from_top);
	if (!inside)
		*why = str_fmt(a, "%.*s is outside this repository", STR_ARG(path));
	return inside;
}

bool revision_from_top(Arena *a, Str spec, Str *out, Str *why)
{
	size_t colon = str_find(spec, STR(":"), 0);
	Str path = str_sub(spec, colon + 1, spec.n), top;
	*out = spec;
	if (!str_starts(path, STR("./")) && !str_starts(path, STR("../")))
		return true;
	if (!revision_path(a, path, &top, why))
		return false;
	*out = str_fmt(a, "%.*s:%.*s", STR_ARG(str_sub(spec, 0, colon)), STR_ARG(top));
	return true;
}

bool revision_ignored(Arena *a, const char *folder, Str *paths, Str *why)
{
	char *argv[] = { "git", "-C", str_z(a, str_from(folder)), "ls-files", "-z", "--others", "--ignored", "--exclude-standard", NULL };
	return run_git(a, argv, paths, why);
}
