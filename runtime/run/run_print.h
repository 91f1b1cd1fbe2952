/* What a run came to: a few lines for people, one line of JSON for programs. */
#ifndef SEED_RUN_PRINT_H
#define SEED_RUN_PRINT_H

#include "runtime/run/run_prompt.h"

void run_print_stats(Buf *out, const RunSession *s, const RunStages *stages);
/* {"text":…,"end":"model","stages":[…]}: text is the last stage's. */
void run_print_json(Buf *out, const RunSession *s, const RunStages *stages);

#endif
