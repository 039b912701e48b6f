/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_INTEL_PT_LISTING_INFO_H
#define TL_INTEL_PT_LISTING_INFO_H
/* Sums over the packets of a trace; its code is not needed. */
#include "intel_pt/profile/faults.h"

/*
 * Print packets of each kind, PSBs, time, modes, address spaces, damage: as text, or as one JSON
 * object.
 */
int tl_pt_describe(const struct tl_pt_config *config, struct tl_pt_faults *faults, bool json,
		   struct tl_output *out, struct tl_error *err);

/* Write every packet encoded again; bytes that are not packets are left out, and are faults. */
int tl_pt_rewrite(const struct tl_pt_config *config, struct tl_pt_faults *faults,
		  struct tl_output *out, struct tl_error *err);

#endif
