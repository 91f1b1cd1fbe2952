/*
 * Replay: runs one fuzz target over stored inputs without libFuzzer, so that `make check` repeats what
 * fuzzing found. Arguments are files or folders. Each input is handed over in a buffer of its exact
 * size, so that a read past its end shows under ASan.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static int replay_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	struct stat st;
	if (!f || fstat(fileno(f), &st)) {
		perror(path);
		if (f)
			fclose(f);
		return 0;
	}
	size_t n = (size_t)st.st_size;
	uint8_t *data = malloc(n ? n : 1);
	int ok = data && fread(data, 1, n, f) == n;
	fclose(f);
	if (ok)
		LLVMFuzzerTestOneInput(data, n);
	free(data);
	return ok;
}

static void replay_path(const char *path, int *passed, int *failed)
{
	DIR *dir = opendir(path);
	if (!dir) {
		if (replay_file(path))
			++*passed;
		else
			++*failed;
		return;
	}
	for (struct dirent *e; (e = readdir(dir));) {
		char name[4096];
		if (e->d_name[0] == '.' || snprintf(name, sizeof name, "%s/%s", path, e->d_name) >= (int)sizeof name)
			continue;
		replay_path(name, passed, failed);
	}
	closedir(dir);
}

int main(int argc, char **argv)
{
	int passed = 0, failed = 0;
	LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
	for (int i = 1; i < argc; i++)
		replay_path(argv[i], &passed, &failed);
	/* The empty input counts as one. */
	printf("%d passed, %d failed\n", passed + 1, failed);
	return failed != 0;
}
