/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_CONVERT_H
#define TL_XTRACE_CONVERT_H
/* The instructions of a trace in formats of others. */
#include <tracelathe/xtrace.h>

/* Of one stream each. */
int tl_xtrace_to_tarmac(struct tl_xtrace_trace *trace, uint32_t stream, struct tl_output *out,
			struct tl_error *err);
int tl_xtrace_to_champsim(struct tl_xtrace_trace *trace, uint32_t stream, struct tl_output *out,
			  struct tl_error *err);
int tl_xtrace_to_jsonl(struct tl_xtrace_trace *trace, uint32_t stream, struct tl_output *out,
		       struct tl_error *err);

#endif
