/* A model that a command runs: --model's file, its tokenizer, one encoder. */
#ifndef SEED_MODEL_USE_H
#define SEED_MODEL_USE_H

#include "compiler/cmd/cmd.h"
#include "runtime/model/model.h"
#include "runtime/token/token.h"

typedef struct ModelUse {
	const char *path;
	Model model;
	Vocab vocab;
	Encoder *encoder;
} ModelUse;

/* 0, or an exit code with the reason on err. */
int model_use_open(Invocation *iv, ModelUse *u);
void model_use_close(ModelUse *u);

/* A file's bytes, or standard input's for "-". 0 or an exit code. */
int cmd_read_text(Invocation *iv, const char *path, Str *text);

#endif
