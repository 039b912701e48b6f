/* SPDX-License-Identifier: Apache-2.0 */
#include "xtrace/parts/select.h"

#include "core/error.h"

const struct tl_xtrace_select tl_xtrace_everything = {
	.id = TL_NOWHERE,
	.to_ordinal = TL_NOWHERE,
	.to_pc = TL_NOWHERE,
	.to_snapshot = TL_NONE,
	.to_time = TL_NOWHERE,
};

int tl_xtrace_one_stream(const struct tl_xtrace_trace *trace, uint64_t id, uint32_t *stream,
			 struct tl_error *err)
{
	*stream = TL_NONE;
	for (uint32_t i = 0; i < tl_xtrace_stream_count(trace); i++) {
		if (id != TL_NOWHERE && tl_xtrace_stream(trace, i)->id != id)
			continue;
		if (*stream != TL_NONE)
			return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
					   "there are several streams: choose one with --thread "
					   "or --cpu");
		*stream = i;
	}
	return *stream == TL_NONE ? tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
						"there is no such thread or core")
				  : 0;
}
