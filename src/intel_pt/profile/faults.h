/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_INTEL_PT_PROFILE_FAULTS_H
#define TL_INTEL_PT_PROFILE_FAULTS_H
/*
 * Faults of a decode: each range of bytes that could not be decoded. Missing code is one fault for
 * each object, with the sum of the bytes lost for it.
 */
#include "intel_pt/profile/feed.h"

enum { TL_PT_FAULTS_LISTED = 1000 };

struct tl_pt_lost {
	enum tl_pt_error why;
	uint64_t from,
		to; /* bytes of the file that were not decoded; of several ranges, the first */
	uint64_t places, bytes;
	uint64_t ip;         /* address of the decoder, 0: unknown */
	const char *object;  /* missing code: its object, "" */
	const char *reason;  /* missing code: the reason, NULL: unknown */
	uint64_t start, end; /* missing code: lowest and highest address that was read */
	char *text;
	bool is_text; /* `text` is the whole message */
};

struct tl_pt_faults {
	struct tl_pt_lost *list;
	size_t listed, capacity;
	uint64_t count, skipped_bytes;
};

/*
 * Add a fault. `mapping`: the mapping of a missing address, NULL: none is known; the name of its
 * object must outlive the list. False: no memory.
 */
bool tl_pt_fault_add(struct tl_pt_faults *faults, const struct tl_pt_lost *lost,
		     const struct tl_pt_mapping *mapping);

/* Add the loss of an event TL_PT_EV_LOST in the feed's present slice. False: no memory. */
bool tl_pt_fault_add_event(struct tl_pt_faults *faults, const struct tl_pt_feed *feed,
			   const struct tl_pt_trace_slice *slice, const struct tl_pt_event *event);

/*
 * Add another message, which the list frees; one that is in the list is not added again. False: no
 * memory, also if `text` is NULL.
 */
bool tl_pt_fault_add_text(struct tl_pt_faults *faults, char *text);

/* The message of a fault; it lives as long as the list. */
const char *tl_pt_fault_text(struct tl_pt_lost *lost);

void tl_pt_faults_free(struct tl_pt_faults *faults);

#endif
