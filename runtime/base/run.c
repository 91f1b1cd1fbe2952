/* TextRun: see run.h. */
#include "runtime/base/run.h"

uint32_t run_source(const TextRun *run, uint32_t n_run, uint32_t off)
{
	uint32_t lo = 0, hi = n_run;
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		if (run[mid].text_off + run[mid].len <= off)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo < n_run)
		return run[lo].src_off + (off - run[lo].text_off);
	return n_run ? run[n_run - 1].src_off + run[n_run - 1].len : 0;
}
