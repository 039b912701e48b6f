/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_INTEL_PT_QUICK_QUICK_H
#define TL_INTEL_PT_QUICK_QUICK_H
/* Packets to a profile, without code. */
#include "intel_pt/profile/fold.h"

/*
 * A profile of packets alone: which addresses TIP and TIP.PGE packets lead to, and how many
 * outcomes of conditional branches stand behind each. No code is decoded, none need be there.
 * Events: Targets, Taken, NotTaken. An outcome belongs to the address that was known last; behind a
 * return that was compressed that is a place before the call. Of the options `watch`, `jobs`,
 * `exact` and `lines` do not matter.
 */
int tl_pt_quick(const struct tl_pt_feed *feed, const struct tl_pt_fold_options *options,
		struct tl_pt_faults *faults, struct tl_profile **profile, struct tl_error *err);

#endif
