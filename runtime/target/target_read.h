/* Reading one file of profiles into the table; shared by the files of this folder only. */
#ifndef SEED_TARGET_READ_H
#define SEED_TARGET_READ_H

#include "runtime/target/target.h"

/* Into one of the table's lists. False and err on the first thing wrong. */
bool target_read_file(TargetTable *table, TargetList *into, Str file, Str text, TargetError *err);

#endif
