/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_INTEL_PT_LISTING_FEED_TEXT_H
#define TL_INTEL_PT_LISTING_FEED_TEXT_H
/* The slices of a feed as text or JSON lines. */
#include "intel_pt/listing/text.h"
#include "intel_pt/listing/window.h"

struct tl_pt_feed_text_options {
	unsigned flags;         /* enum tl_pt_text_flag */
	uint32_t decoder_flags; /* enum tl_pt_flag */
	struct tl_pt_window window;
	uint64_t process, thread, cpu; /* TL_NOWHERE: any */
	const char *function, *object; /* regular expressions, NULL: any */
};

/*
 * Print packets, or blocks, instructions and events, of all slices that the options select. Bytes
 * that could not be decoded are added to `faults`. 0 or negative.
 */
int tl_pt_put_feed(const struct tl_pt_feed *feed, const struct tl_pt_feed_text_options *options,
		   struct tl_pt_faults *faults, struct tl_output *out, struct tl_error *err);

#endif
