/*
 * Project: the folder that a file belongs to. Includes may not leave its root, and its settings stand
 * in seedc.yaml. Both are found by going up from the file: the nearest seedc.yaml, and the nearest
 * folder with .git (else that of seedc.yaml, else the file's own).
 */
#ifndef SEED_PROJECT_H
#define SEED_PROJECT_H

#include "runtime/base/str.h"

typedef struct Project {
	Str root;    /* real path; empty if the file's folder is not there */
	Str config;  /* path of seedc.yaml; empty if there is none */
} Project;

/* path: a file, or "-" for standard input (the working folder's project). */
Project project_find(Arena *a, const char *path);

#endif
