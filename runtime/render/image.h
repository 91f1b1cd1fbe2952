/*
 * Images and files as values: a list of {"url": …} objects. A file's bytes become a data URI whose
 * media type is read from its first bytes; a written text is a URL or a data URI, or a JSON list.
 */
#ifndef SEED_RENDER_IMAGE_H
#define SEED_RENDER_IMAGE_H

#include "runtime/base/json.h"

/* Where a value's bytes came from: a file's are sent as data, a written text is a URL. */
typedef enum ValueSource { VALUE_WRITTEN, VALUE_FILE } ValueSource;

/* NULL and *why on failure. */
JsonNode *image_value(Arena *arena, Str bytes, ValueSource source, Str *why);
JsonNode *image_value_join(Arena *arena, const JsonNode *first, const JsonNode *then);

/* The two halves of `data:TYPE;base64,DATA`; false for any other URL. */
bool data_uri_split(Str uri, Str *media_type, Str *data);
/* "image/png" by the first bytes; "application/octet-stream" when unknown, "text/plain" for UTF-8. */
Str media_type_of(Str bytes);

#endif
