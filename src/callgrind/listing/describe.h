/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_CALLGRIND_LISTING_DESCRIBE_H
#define TL_CALLGRIND_LISTING_DESCRIBE_H
/* What a file is and what stands in it, as text or JSON. */
#include <tracelathe/callgrind.h>

/* The facts of one file. 0 or negative. */
int tl_callgrind_describe(struct tl_callgrind_reader *reader, bool json, struct tl_output *out,
			  struct tl_error *err);
/* Every item on a line. 0 or negative. */
int tl_callgrind_dump(struct tl_callgrind_reader *reader, bool json, struct tl_output *out,
		      struct tl_error *err);

#endif
