/* The size of the attention kernels' scratch. */
#include "runtime/cpu/isa/attend_call.h"

size_t attend_scratch_bytes(uint32_t head_len, uint32_t n_query)
{
	AttendCall c;
	return attend_call_init(&c, head_len, n_query, 0);
}
