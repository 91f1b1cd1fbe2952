/* The command line's entry: the only place that ends the process. */
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "--version")) {
		puts("seedc " SEED_VERSION);
		return 0;
	}
	fputs("seedc: not built yet\n", stderr);
	return 2;
}
