/*
 * Tokens' bytes on their way to a reader: a character is shown whole or not at all, and nothing of a
 * stop string is ever shown, wherever tokens cut either of them. Bytes that are no UTF-8, and NUL, become U+FFFD.
 */
#ifndef SEED_DECODE_STREAM_H
#define SEED_DECODE_STREAM_H

#include "runtime/base/buf.h"

typedef struct TextStream {
	const Str *stop;   /* none of them empty */
	uint32_t n_stop;
	Buf text;          /* all that was shown or is held back; valid UTF-8 */
	size_t n_shown;
	char part[4];      /* the beginning of a character */
	uint32_t n_part;
	bool is_stopped;   /* a stop string came: text ends before it */
} TextStream;

void stream_free(TextStream *s);
/* Adds a token's bytes. What can be shown now; good until the next call. Nothing once it is stopped. */
Str stream_put(TextStream *s, Str bytes);
/* The rest, held back or cut short, when no more tokens come. */
Str stream_end(TextStream *s);

#endif
