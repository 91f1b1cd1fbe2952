/*
 * measure N CMD ARG…: runs a command N times with its output discarded and prints one line a run:
 * wall_us user_us sys_us maxrss_kb status. A small launcher, because the kernel counts the pages of the
 * process that starts a program towards the program's peak.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

/* wait4 is in every libc we meet and in no version of POSIX. */
pid_t wait4(pid_t pid, int *status, int options, struct rusage *ru);

static long long now_us(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000LL + t.tv_nsec / 1000;
}

static void become(char **argv)
{
	int null = open("/dev/null", O_RDWR);
	dup2(null, 0);
	dup2(null, 1);
	dup2(null, 2);
	execvp(argv[0], argv);
	_exit(127);
}

int main(int argc, char **argv)
{
	if (argc < 3) {
		fputs("usage: measure N CMD ARG...\n", stderr);
		return 2;
	}
	for (int n = atoi(argv[1]); n > 0; n--) {
		long long from = now_us();
		pid_t pid = fork();
		if (!pid)
			become(argv + 2);
		int status;
		struct rusage ru;
		if (pid < 0 || wait4(pid, &status, 0, &ru) != pid)
			return 3;
		printf("%lld %lld %lld %ld %d\n", now_us() - from,
		       ru.ru_utime.tv_sec * 1000000LL + ru.ru_utime.tv_usec,
		       ru.ru_stime.tv_sec * 1000000LL + ru.ru_stime.tv_usec, ru.ru_maxrss,
		       (status & 0x7f) ? 128 + (status & 0x7f) : (status >> 8) & 0xff);
	}
	return 0;
}
