/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_INTEL_PT_LISTING_CHECK_H
#define TL_INTEL_PT_LISTING_CHECK_H
/* Check every rule of packets, of the flow between them, and, with code, of both together. */
#include "intel_pt/profile/feed.h"

struct tl_pt_violation {
	const char *rule, *text; /* static */
	uint64_t offset;         /* offset in the configuration's bytes */
	uint64_t ip;             /* address in the code, 0: not known */
};

/* Called for each violation; not 0: stop. */
typedef int tl_pt_violation_fn(void *arg, const struct tl_pt_violation *violation);

/*
 * Packets and the flow between them, without code.
 * @return number of violations, or a negative tl_status
 */
int64_t tl_pt_check_packets(const struct tl_pt_config *config, tl_pt_violation_fn *put, void *arg,
			    struct tl_error *err);

/* Packets of a slice of a feed, and its flow along the code, by the decoder of its stream. */
int64_t tl_pt_check_slice(struct tl_pt_decoders *decoders, const struct tl_pt_trace_slice *slice,
			  tl_pt_violation_fn *put, void *arg, struct tl_error *err);

/*
 * Check all slices of a feed; packets and flow alone unless `has_code`. Each violation is a line of
 * text or JSON. The number of violations, or a negative tl_status.
 */
int64_t tl_pt_check_feed(const struct tl_pt_feed *feed, bool has_code, bool json,
			 struct tl_output *out, struct tl_error *err);

#endif
