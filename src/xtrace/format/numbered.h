/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_NUMBERED_H
#define TL_XTRACE_NUMBERED_H
/*
 * A stream in several files, "....xinsndata.bin.0", "....xinsndata.bin.1" and so on (2.1): their
 * bytes, one file behind the other, are the stream.
 */
#include "xtrace/format/trace.h"

/*
 * A file of the stream, neither read nor mapped yet. `own`: the stream closes it, also where this
 * fails. 0 or TL_NO_MEMORY.
 */
int tl_xtrace_numbered_add(struct tl_xtrace_stream *stream, struct tl_source *source, bool own,
			   uint32_t number, struct tl_error *err);

/*
 * All files are added, or (without the option `alone`) looked for beside the one that the stream's
 * path names: map them as one. A number that is missing below the last one is a fault. 0 or a
 * negative status, as tl_xtrace_open().
 */
int tl_xtrace_numbered_join(struct tl_xtrace_trace *trace, struct tl_xtrace_stream *stream,
			    struct tl_error *err);

/* Close the files, but for the first one, which is the stream's source. */
void tl_xtrace_numbered_close(struct tl_xtrace_stream *stream);

#endif
