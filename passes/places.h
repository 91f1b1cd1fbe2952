/*
 * Places: what form a hole stands in (JSON, an attribute, between tags), so that the passes know which
 * characters of its value would break that form, and which filter keeps it whole.
 *
 * Decided by what stands around the hole in its part's text, as it is sent: see places.c.
 */
#ifndef SEED_PASSES_PLACES_H
#define SEED_PASSES_PLACES_H

#include "runtime/base/str.h"

typedef enum PlaceKind {
	PLACE_PROSE,        /* nothing that a value could break */
	PLACE_JSON_VALUE,   /* where a JSON value stands, without quotes */
	PLACE_JSON_STRING,  /* in a JSON string */
	PLACE_ATTRIBUTE,    /* the value of an attribute of a tag */
	PLACE_TAGS,         /* between a tag and the one that closes it */
} PlaceKind;

typedef struct Place {
	uint32_t lo, hi;    /* of the hole, in the text: given by the caller */
	PlaceKind kind;
	bool is_whole;      /* PLACE_JSON_STRING: the hole is all that stands between the quotes */
	Str tag;            /* PLACE_ATTRIBUTE, PLACE_TAGS: the tag's name */
} Place;

/* Fills in the kinds. Places are in text order and do not overlap; time is linear in the text. */
void places_find(Arena *scratch, Str text, Place *place, uint32_t n);

#endif
