/* Reading one file of profiles into the table; shared by the files of this folder only. */
#ifndef SEED_TARGET_READ_H
#define SEED_TARGET_READ_H

#include "runtime/target/target.h"

/* False and err on the first thing wrong. Templates must be in the table before the models that name them. */
bool target_read_file(TargetTable *table, Str file, Str text, TargetError *err);

#endif
