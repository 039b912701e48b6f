/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_CALLGRIND_LISTING_DESCRIBE_H
#define TL_CALLGRIND_LISTING_DESCRIBE_H
/* Description and dump of a file, as text or JSON. */
#include <tracelathe/callgrind.h>

/* The facts of one file: writer, events, parts, numbers of lines. 0 or negative. */
int tl_callgrind_describe(struct tl_callgrind_reader *reader, bool json, struct tl_output *out,
			  struct tl_error *err);
/* Every item on a line of its own. 0 or negative. */
int tl_callgrind_dump(struct tl_callgrind_reader *reader, bool json, struct tl_output *out,
		      struct tl_error *err);

#endif
