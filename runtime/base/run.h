/* A run of text bytes that came unchanged from one run of source bytes. */
#ifndef SEED_BASE_RUN_H
#define SEED_BASE_RUN_H

#include <stdint.h>

typedef struct TextRun {
	uint32_t text_off;  /* byte in the text */
	uint32_t src_off;   /* byte in the source */
	uint32_t len;       /* bytes */
} TextRun;

#endif
