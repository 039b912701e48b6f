/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_INTEL_PT_LISTING_INFO_H
#define TL_INTEL_PT_LISTING_INFO_H
/* What a trace says of itself, without its code. */
#include "intel_pt/profile/faults.h"

/* Packets of each kind, PSBs, time, modes, address spaces, damage: text, or one JSON object. */
int tl_pt_describe(const struct tl_pt_config *config, struct tl_pt_faults *faults, bool json,
		   struct tl_output *out, struct tl_error *err);

/* Every packet written anew; bytes that are none are left out, and are faults. */
int tl_pt_rewrite(const struct tl_pt_config *config, struct tl_pt_faults *faults,
		  struct tl_output *out, struct tl_error *err);

#endif
