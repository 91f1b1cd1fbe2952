/* Reading and writing files: what must be refused, what must survive. */
#include "runtime/base/file.h"
#include "tests/unit/check.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef struct Box {
	Arena a;
	char dir[64];
	Str got, why;
} Box;

static Box box_make(void)
{
	Box b = { .dir = "/tmp/seed-file-XXXXXX" };
	if (!mkdtemp(b.dir))
		abort();
	return b;
}

static char *in(Box *b, const char *name)
{
	return str_z(&b->a, str_fmt(&b->a, "%s/%s", b->dir, name));
}

/* Removes everything and returns how many files lay there. */
static int box_drop(Box *b)
{
	int n = 0;
	DIR *d = opendir(b->dir);
	for (struct dirent *e; d && (e = readdir(d));)
		if (strcmp(e->d_name, ".") && strcmp(e->d_name, "..")) {
			n++;
			unlink(in(b, e->d_name));
		}
	if (d)
		closedir(d);
	rmdir(b->dir);
	arena_free(&b->a);
	return n;
}

TEST(refuses_what_is_no_file)
{
	Box b = box_make();
	CHECK(!file_read(&b.a, b.dir, &b.got, &b.why));
	CHECK_STR(b.why, "is a directory");
	CHECK(!file_read(&b.a, in(&b, "absent"), &b.got, &b.why));
	CHECK_STR(b.why, "no such file or directory");
	CHECK(!mkfifo(in(&b, "fifo"), 0600));
	CHECK(!file_read(&b.a, in(&b, "fifo"), &b.got, &b.why));
	CHECK(!file_read(&b.a, "/dev/null", &b.got, &b.why));
	CHECK_STR(b.why, "is not a regular file");
	CHECK(!file_write(&b.a, b.dir, STR("x"), &b.why));
	CHECK_STR(b.why, "is a directory");
	CHECK(!file_write(&b.a, in(&b, "no/x"), STR("x"), &b.why));
	CHECK_INT(box_drop(&b), 1);
}

TEST(reads_what_it_wrote_and_keeps_the_mode)
{
	Box b = box_make();
	char *path = in(&b, "f"), *link = in(&b, "link");
	CHECK(file_write(&b.a, path, STR("one"), &b.why));
	CHECK(!chmod(path, 0640));
	CHECK(!symlink("f", link));
	CHECK(file_write(&b.a, link, STR("two two"), &b.why));
	CHECK(file_read(&b.a, path, &b.got, &b.why));
	CHECK_STR(b.got, "two two");
	struct stat st;
	CHECK(!lstat(link, &st) && S_ISLNK(st.st_mode));
	CHECK(!stat(path, &st) && (st.st_mode & 07777) == 0640);
	CHECK(file_write(&b.a, path, STR(""), &b.why));
	CHECK(file_read(&b.a, path, &b.got, &b.why));
	CHECK_STR(b.got, "");
	CHECK_INT(box_drop(&b), 2);
}

TEST(maps_what_it_wrote)
{
	Box b = box_make();
	char *path = in(&b, "f");
	CHECK(file_write(&b.a, path, STR("one"), &b.why));
	CHECK(file_map(&b.a, path, &b.got, &b.why));
	CHECK_STR(b.got, "one");
	file_unmap(b.got);
	CHECK(file_write(&b.a, path, STR(""), &b.why));
	CHECK(file_map(&b.a, path, &b.got, &b.why) && !b.got.n);
	file_unmap(b.got);
	CHECK(!file_map(&b.a, b.dir, &b.got, &b.why));
	CHECK_STR(b.why, "is a directory");
	CHECK_INT(box_drop(&b), 1);
}

TEST(read_only_output_stays)
{
	Box b = box_make();
	char *path = in(&b, "f");
	CHECK(file_write(&b.a, path, STR("old"), &b.why));
	CHECK(!chmod(path, 0444));
	CHECK(!file_write(&b.a, path, STR("new"), &b.why));
	CHECK_STR(b.why, "is read-only");
	CHECK(file_read(&b.a, path, &b.got, &b.why));
	CHECK_STR(b.got, "old");
	CHECK_INT(box_drop(&b), 1);
}

/* A limit on the file's size stands for the full disk: the write fails half way. */
TEST(full_disk_leaves_the_old_file)
{
	Box b = box_make();
	char *path = in(&b, "f");
	struct rlimit old, small;
	CHECK(file_write(&b.a, path, STR("old"), &b.why));
	signal(SIGXFSZ, SIG_IGN);
	CHECK(!getrlimit(RLIMIT_FSIZE, &old));
	small = (struct rlimit){ 1000, old.rlim_max };
	CHECK(!setrlimit(RLIMIT_FSIZE, &small));
	Str big = { arena_alloc(&b.a, 5000), 5000 };
	CHECK(!file_write(&b.a, path, big, &b.why));
	CHECK(!setrlimit(RLIMIT_FSIZE, &old));
	CHECK(file_read(&b.a, path, &b.got, &b.why));
	CHECK_STR(b.got, "old");
	CHECK(!file_write(&b.a, "/dev/full", STR("x"), &b.why));
	CHECK_STR(b.why, "no space left on device");
	CHECK_INT(box_drop(&b), 1);
}

TEST(reads_a_pipe_whole)
{
	Box b = box_make();
	int fd[2];
	CHECK(!pipe(fd));
	CHECK(file_write_fd(&b.a, fd[1], STR("abc"), &b.why));
	close(fd[1]);
	CHECK(file_read_fd(&b.a, fd[0], &b.got, &b.why));
	CHECK_STR(b.got, "abc");
	close(fd[0]);
	int dir = open(b.dir, O_RDONLY);
	CHECK(!file_read_fd(&b.a, dir, &b.got, &b.why));
	close(dir);
	CHECK_INT(box_drop(&b), 0);
}

TEST(a_link_to_nowhere_stays)
{
	Box b = box_make();
	char *link = in(&b, "link");
	struct stat st;
	CHECK(!symlink("nowhere", link));
	CHECK(!file_write(&b.a, link, STR("x"), &b.why));
	CHECK_STR(b.why, "is a link to a file that is not there");
	CHECK(!lstat(link, &st) && S_ISLNK(st.st_mode));
	CHECK_INT(box_drop(&b), 1);
}

TEST(tells_two_names_of_one_file)
{
	Box b = box_make();
	char *path = in(&b, "f"), *link = in(&b, "link"), *other = in(&b, "other");
	CHECK(file_write(&b.a, path, STR("x"), &b.why));
	CHECK(file_write(&b.a, other, STR("x"), &b.why));
	CHECK(!symlink("f", link));
	CHECK(file_is_same(path, link));
	CHECK(!file_is_same(path, other));
	CHECK(!file_is_same(path, in(&b, "absent")));
	CHECK(!file_is_same("/dev/null", "/dev/null"));
	CHECK_INT(box_drop(&b), 3);
}

/* A child that writes for ever is interrupted at some moment; nothing but a whole file may be left. */
TEST(an_interrupt_leaves_one_whole_file)
{
	static const int ends[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	Box b = box_make();
	char *path = in(&b, "f");
	Str big = { arena_alloc(&b.a, 100000), 100000 };
	for (int i = 0; i < 40; i++) {
		pid_t child = fork();
		if (!child) {
			signal(ends[i % 4], SIG_DFL);  /* nohup and `&` hand it down ignored */
			for (;;)
				file_write(&b.a, path, big, &b.why);
		}
		nanosleep(&(struct timespec){ 0, 2000000 + 700000 * (i % 13) }, NULL);
		kill(child, ends[i % 4]);
		int status;
		CHECK_INT(waitpid(child, &status, 0), child);
		CHECK(WIFSIGNALED(status) && WTERMSIG(status) == ends[i % 4]);
	}
	CHECK(file_read(&b.a, path, &b.got, &b.why) && b.got.n == big.n);
	CHECK_INT(box_drop(&b), 1);
}

CHECK_MAIN(refuses_what_is_no_file, reads_what_it_wrote_and_keeps_the_mode, maps_what_it_wrote, read_only_output_stays,
           full_disk_leaves_the_old_file, reads_a_pipe_whole, a_link_to_nowhere_stays, tells_two_names_of_one_file,
           an_interrupt_leaves_one_whole_file)
