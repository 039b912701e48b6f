/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_INTEL_PT_PROFILE_FAULTS_H
#define TL_INTEL_PT_PROFILE_FAULTS_H
/*
 * What could not be decoded: each lost stretch of trace; but code that is not there once for each
 * object, with all that its absence cost.
 */
#include "intel_pt/profile/feed.h"

enum { TL_PT_FAULTS_LISTED = 1000 };

struct tl_pt_lost {
	enum tl_pt_error why;
	uint64_t from, to; /* bytes of the file that gave no flow; of several places, the first */
	uint64_t places, bytes;
	uint64_t ip;         /* where the walk was, 0: unknown */
	const char *object;  /* missing code: what is known to be there, "" */
	const char *reason;  /* missing code: why it is, NULL: nobody knows */
	uint64_t start, end; /* missing code: the least and the greatest address asked for */
	char *text;
	bool is_said; /* `text` is all that there is to say */
};

struct tl_pt_faults {
	struct tl_pt_lost *list;
	size_t listed, capacity;
	uint64_t count, skipped_bytes;
};

/* False: no memory. `place`: of a missing address, NULL: in no mapping known; its object's name
 * must outlive the list. */
bool tl_pt_fault_add(struct tl_pt_faults *faults, const struct tl_pt_lost *lost,
		     const struct tl_pt_mapping *place);

/* Anything else that made the result worse, in words, for free(); NULL: no memory, as is false.
 * What was said is not said twice. */
bool tl_pt_fault_say(struct tl_pt_faults *faults, char *text);

/* What it says, in words; lives as long as the list. */
const char *tl_pt_fault_text(struct tl_pt_lost *lost);

void tl_pt_faults_free(struct tl_pt_faults *faults);

#endif
