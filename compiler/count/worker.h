/* What counts one file after the other, and how a file's counts are put; for the files of this folder only. */
#ifndef SEED_COUNT_WORKER_H
#define SEED_COUNT_WORKER_H

#include "compiler/count/count.h"

typedef struct CountWorker {
	CountRun *run;
	struct CountWork *work;
	Arena keep;            /* what results hold */
	Arena scratch;         /* of the file at hand */
	TokenShelf shelf;
	uint32_t *ids;
	size_t ids_cap;
} CountWorker;

/* A file and a column at hand. */
typedef struct Counting {
	CountWorker *w;
	CountedFile *file;
	Str path;
	const CountColumn *column;
	uint32_t at;           /* the column's index */
	Encoder *encoder;      /* NULL: no vocabulary, token_estimate counts */
	const Vocab *vocab;
	bool is_exact;         /* the encoder is the model's own */
} Counting;

void counting_begin(Counting *c, uint32_t column);
/* To the file's sum, and to the row of that name where rows are wanted and it is not empty. */
void counting_add(Counting *c, Str row, uint64_t n, bool is_estimate);

/* One text, cut into rows: row i begins at lo[i] and ends where the next one does. Tokens that stand across a
 * border count once: a row has what the text up to its end takes above the text up to its start. */
typedef struct RowStart {
	size_t lo;
	Str row;
} RowStart;
void counting_text(Counting *c, Str text, const RowStart *row, uint32_t n);

/* A text file, by sections where it has some. */
void count_text_file(CountWorker *w, CountedFile *file, Str path, Str text);
/* A compiled file: every prompt, every request; its source, where a column has no target. */
void count_prompts(CountWorker *w, CountedFile *file, Str path, const Bin *bin, Str source);

#endif
