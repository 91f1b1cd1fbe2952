/* Files: see file.h. */
#include "runtime/base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { READ_STEP_BYTES = 64 * 1024 };

Str file_why(Arena *a, int err)
{
	char text[128] = "";
	if (strerror_r(err, text, sizeof text) || !text[0])
		snprintf(text, sizeof text, "error %d", err);
	if (text[0] >= 'A' && text[0] <= 'Z' && !(text[1] >= 'A' && text[1] <= 'Z'))
		text[0] = (char)(text[0] - 'A' + 'a');
	return str_dup(a, str_from(text));
}

static bool file_fail(Arena *a, Str *why, int err)
{
	*why = file_why(a, err);
	return false;
}

static bool file_refuse(Str *why, const char *text)
{
	*why = str_from(text);
	return false;
}

/* ---- reading ---------------------------------------------------------------------------------- */

static bool file_read_all(Arena *a, int fd, size_t expect, Str *out, Str *why)
{
	size_t cap = expect + 1, n = 0;
	char *p = arena_alloc(a, cap);
	for (;;) {
		if (n == cap) {
			size_t wide = cap + (cap > READ_STEP_BYTES ? cap : READ_STEP_BYTES);
			p = arena_grow(a, p, cap, wide);
			cap = wide;
		}
		ssize_t got = read(fd, p + n, cap - n);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return file_fail(a, why, errno);
		if (!got)
			break;
		n += (size_t)got;
		if (n > FILE_MAX_BYTES)
			return file_refuse(why, "larger than 4 GiB");
	}
	*out = (Str){ p, n };
	return true;
}

bool file_read_fd(Arena *a, int fd, Str *out, Str *why)
{
	struct stat st;
	if (!fstat(fd, &st) && S_ISDIR(st.st_mode))
		return file_fail(a, why, EISDIR);
	return file_read_all(a, fd, READ_STEP_BYTES - 1, out, why);
}

static bool file_check_readable(Arena *a, const struct stat *st, Str *why)
{
	if (S_ISDIR(st->st_mode))
		return file_fail(a, why, EISDIR);
	if (S_ISFIFO(st->st_mode))
		return file_refuse(why, "is a pipe; write - to read standard input");
	if (!S_ISREG(st->st_mode))
		return file_refuse(why, "is not a regular file");
	return true;
}

/* The descriptor of a regular file, or -1. */
static int file_open(Arena *a, const char *path, struct stat *st, Str *why)
{
	/* O_NONBLOCK: opening a FIFO must not wait for its writer. */
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd >= 0 && (fstat(fd, st) ? file_fail(a, why, errno) : file_check_readable(a, st, why)))
		return fd;
	if (fd < 0)
		file_fail(a, why, errno);
	else
		close(fd);
	return -1;
}

bool file_read(Arena *a, const char *path, Str *out, Str *why)
{
	struct stat st;
	int fd = file_open(a, path, &st, why);
	if (fd < 0)
		return false;
	bool ok = st.st_size <= (off_t)FILE_MAX_BYTES ? file_read_all(a, fd, (size_t)st.st_size, out, why)
		: file_refuse(why, "larger than 4 GiB");
	close(fd);
	return ok;
}

bool file_map(Arena *a, const char *path, Str *out, Str *why)
{
	struct stat st;
	int fd = file_open(a, path, &st, why);
	*out = (Str){ "", 0 };
	if (fd < 0)
		return false;
	void *p = st.st_size ? mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0) : "";
	bool ok = p != MAP_FAILED || file_fail(a, why, errno);
	close(fd);
	if (ok)
		*out = (Str){ p, (size_t)st.st_size };
	return ok;
}

void file_unmap(Str mapped)
{
	if (mapped.n)
		munmap((void *)(uintptr_t)mapped.p, mapped.n);
}

/* ---- writing ---------------------------------------------------------------------------------- */

bool file_write_fd(Arena *a, int fd, Str bytes, Str *why)
{
	for (size_t at = 0; at < bytes.n;) {
		ssize_t put = write(fd, bytes.p + at, bytes.n - at);
		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return file_fail(a, why, errno);
		at += (size_t)put;
	}
	return true;
}

static bool file_write_direct(Arena *a, const char *path, Str bytes, Str *why)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return file_fail(a, why, errno);
	bool ok = file_write_fd(a, fd, bytes, why);
	if (close(fd) && ok)
		return file_fail(a, why, errno);
	return ok;
}

enum { TEMP_TRIES = 100 };

/* A new file beside the one to replace, so that the rename stays on one file system. */
static int file_open_temp(Arena *a, const char *path, char **temp)
{
	const char *slash = strrchr(path, '/');
	int dir = slash ? (int)(slash - path) + 1 : 0;
	int fd = -1;
	for (int i = 0; i < TEMP_TRIES && fd < 0; i++) {
		*temp = str_z(a, str_fmt(a, "%.*s.%.200s.%ld-%d", dir, path, path + dir, (long)getpid(), i));
		fd = open(*temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (fd < 0 && errno != EEXIST)
			break;
	}
	return fd;
}

/* old is NULL for a new file, which gets the mode that the process's mask leaves. */
static bool file_fill_temp(Arena *a, int fd, const struct stat *old, Str bytes, Str *why)
{
	if (!file_write_fd(a, fd, bytes, why))
		return false;
	/* Only root can give a file away; for all others it is theirs already, or becomes theirs. */
	if (old && old->st_uid != geteuid() && fchown(fd, old->st_uid, old->st_gid) && errno != EPERM)
		return file_fail(a, why, errno);
	if (old && fchmod(fd, old->st_mode & 07777))
		return file_fail(a, why, errno);
	if (fsync(fd) && errno != EINVAL)
		return file_fail(a, why, errno);
	return true;
}

static bool file_replace(Arena *a, const char *path, const struct stat *old, Str bytes, Str *why)
{
	char *temp;
	int fd = file_open_temp(a, path, &temp);
	if (fd < 0)
		return file_fail(a, why, errno);
	bool ok = file_fill_temp(a, fd, old, bytes, why);
	if (close(fd) && ok)
		ok = file_fail(a, why, errno);
	if (ok && rename(temp, path))
		ok = file_fail(a, why, errno);
	if (!ok)
		unlink(temp);
	return ok;
}

/* note [held signals]: a signal that ends the process waits while the temporary file lies there. */
static bool file_write_atomic(Arena *a, const char *path, const struct stat *old, Str bytes, Str *why)
{
	sigset_t ends, before;
	sigemptyset(&ends);
	sigaddset(&ends, SIGHUP);
	sigaddset(&ends, SIGINT);
	sigaddset(&ends, SIGQUIT);
	sigaddset(&ends, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &ends, &before);
	bool ok = file_replace(a, path, old, bytes, why);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return ok;
}

bool file_write(Arena *a, const char *path, Str bytes, Str *why)
{
	if (!strcmp(path, "-"))
		return file_write_fd(a, STDOUT_FILENO, bytes, why);
	struct stat st;
	if (stat(path, &st)) {
		if (errno != ENOENT)
			return file_fail(a, why, errno);
		if (!lstat(path, &st))
			return file_refuse(why, "is a link to a file that is not there");
		return file_write_atomic(a, path, NULL, bytes, why);
	}
	if (S_ISDIR(st.st_mode))
		return file_fail(a, why, EISDIR);
	if (!S_ISREG(st.st_mode))
		return file_write_direct(a, path, bytes, why);
	/* A rename would replace a read-only file; for root access() alone would let it pass. */
	if (!(st.st_mode & 0222) || access(path, W_OK))
		return file_refuse(why, "is read-only");
	char *real = realpath(path, NULL);
	if (!real)
		return file_fail(a, why, errno);
	bool ok = file_write_atomic(a, real, &st, bytes, why);
	free(real);
	return ok;
}

bool file_is_same(const char *x, const char *y)
{
	struct stat a, b;
	return !stat(x, &a) && !stat(y, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino && S_ISREG(a.st_mode);
}
