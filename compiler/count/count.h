/*
 * Count: how many tokens files take, for one target or several side by side.
 *
 * A prompt file is counted as its target reads the request: the messages with the framing of the chat
 * template round them, one BOS where the model has one, special tokens from the template alone. Any
 * other file is a text. A count is exact, or it is marked as an estimate: there is nothing in between,
 * and the sum of a file with one estimate in it is an estimate.
 *
 * Files are counted side by side, each worker with encoders of its own; what comes out depends on the
 * files and the settings only.
 */
#ifndef SEED_COUNT_H
#define SEED_COUNT_H

#include "compiler/cmd/pipeline.h"
#include "compiler/emit/emit.h"
#include "compiler/lint/walk_files.h"
#include "compiler/source/render.h"

typedef enum CountBy { COUNT_BY_FILE, COUNT_BY_SECTION, COUNT_BY_SEGMENT } CountBy;

/* What is counted for. */
typedef struct CountColumn {
	Str name;              /* as it is shown: a target's, or a vocabulary's */
	const Target *target;  /* NULL: the bare text */
	Str tokenizer;         /* empty: the target names none */
	Str why;               /* empty: its vocabulary is at hand; else why texts are only estimated */
	double margin;         /* of an estimate; 0: not known */
} CountColumn;

typedef struct Tally {
	uint64_t n;
	bool is_set, is_estimate;
	bool is_frame_guessed; /* of a file's sum: framing that is not public is in it */
} Tally;

typedef struct CountRow {
	Str name;
	Tally *tally;          /* by column */
} CountRow;

typedef enum CountKind {
	COUNT_TEXT,
	COUNT_REQUEST,         /* a prompt, as its request is read */
	COUNT_BINARY,          /* holds a NUL byte: not counted */
	COUNT_UNREAD,          /* why says what the system said */
	COUNT_FAILED,          /* a prompt that does not compile or render */
} CountKind;

typedef struct CountedFile {
	CountKind kind;
	Str why;
	uint64_t n_bytes;
	Tally *total;          /* by column */
	VEC(CountRow) row;     /* by section or segment, in the order met */
	Buf said;              /* findings and notes, for standard error */
	uint32_t n_image;      /* images and files, which no text counts */
} CountedFile;

typedef struct CountSettings {
	CountBy by;
	VEC(CountColumn) column;
	FrontEnd as;
	VarStyle vars;
	const Str *set;        /* --set, as written */
	uint32_t n_set;
	uint32_t n_thread;
	Colour colour;         /* of findings */
	bool shows_progress;   /* on standard error, when it takes long */
	Buf *ids;              /* gets the ids, one a line, of one file and one column; or NULL */
} CountSettings;

typedef struct CountRun {
	Arena arena;
	const CountSettings *set;
	WalkedFiles files;
	CountedFile *result;   /* by file */
	struct CountWorker *worker;
	uint32_t n_worker;
	bool has_ids_fault;    /* what was asked for has no ids; said by the file */
} CountRun;

/* files and set are given; the rest is made. */
void count_run(CountRun *run);
void count_free(CountRun *run);

void count_print_table(Buf *out, const CountRun *run);
void count_print_json(Buf *out, const CountRun *run);

#endif
