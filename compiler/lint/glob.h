/* Paths by pattern: `*` and `?` within a folder, `**` across folders; a pattern without `/` is a name
 * anywhere; one that ends in `/` is everything under that folder. */
#ifndef SEED_GLOB_H
#define SEED_GLOB_H

#include "runtime/base/str.h"

bool glob_match(Str pattern, Str path);

#endif
