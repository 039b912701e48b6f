/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PROFILE_UNSIZED_H
#define TL_PROFILE_UNSIZED_H
/*
 * The functions of <tracelathe/profile.h> that fill or read a struct of the caller, for callers
 * inside the library: the struct is the library's own, so that its size is not passed
 * (core/sized.h). Everything else is as the public header says.
 */
#include <tracelathe/profile.h>

/* ---- reading ---- */

void tl_profile_totals_of(const struct tl_profile *profile, uint32_t function, uint32_t part,
			  struct tl_function_totals *totals);
bool tl_profile_latency_of(const struct tl_profile *profile, uint32_t function, uint32_t part,
			   struct tl_latency *latency);
struct tl_losses tl_profile_losses_of(const struct tl_profile *profile);

/* ---- building ---- */

int tl_profile_make(struct tl_profile **profile, const char *format, const struct tl_event *events,
		    uint32_t event_count, uint64_t frequency, struct tl_error *err);
int64_t tl_profile_put_part(struct tl_profile *profile, const struct tl_part *part,
			    struct tl_error *err);
int64_t tl_profile_put_function(struct tl_profile *profile, const struct tl_function *function,
				struct tl_error *err);
int tl_profile_put_line(struct tl_profile *profile, const struct tl_cost_line *line,
			const int64_t *cost, struct tl_error *err);
int tl_profile_put_arc(struct tl_profile *profile, const struct tl_arc *arc,
		       const int64_t *inclusive, struct tl_error *err);
int tl_profile_put_jump(struct tl_profile *profile, const struct tl_jump *jump,
			struct tl_error *err);

#endif
