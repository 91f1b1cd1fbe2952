/*
 * Text written as the body of a `.sd` head so that compiling it gives the same bytes. One place
 * decides what a text needs: `exact` for what a body would trim, `raw` for what would be live.
 * YAML texts (which are live) and `seedc import` (whose texts are not) both write through here.
 */
#ifndef SEED_FRONT_SDTEXT_H
#define SEED_FRONT_SDTEXT_H

#include "compiler/front/textbuf.h"

typedef struct SdNeeds {
	bool exact;      /* starts or ends with blank lines, starts indented, ends in LF, or is empty */
	bool live;       /* something in it is a hole, an escape, a directive or a comment, or nearly */
	bool directive;  /* a line of it is a directive or a comment */
	size_t directive_at;
} SdNeeds;

SdNeeds sd_text_needs(Str message);

/* The body after a head's `:`, indented below `indent` columns of the head; ends with LF. */
void sd_put_body(TextBuf *out, const Text *message, bool exact, int indent);

/* "a ""quoted"" word". The text must be one line. */
void sd_put_string(TextBuf *out, const Text *t);

#endif
