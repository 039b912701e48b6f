/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_OPEN_WINDOW_H
#define TL_OPEN_WINDOW_H
/* What questions about a window of calls share. */
#include <tracelathe/open.h>

#include "timeline/index/index.h"

/* A checked copy of a span, with an end. 0 or TL_BAD_USAGE. */
int tl_call_span_take(const struct tl_call_index *index, const struct tl_call_span *span,
		      struct tl_call_span *taken, struct tl_error *err);

/* Tell the input's progress function. 0, or TL_IO: it cancels. */
int tl_call_span_progress(const struct tl_input *input, size_t done, size_t total,
			  struct tl_error *err);

#endif
