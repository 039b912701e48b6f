/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_INTEL_PT_LISTING_SCAN_H
#define TL_INTEL_PT_LISTING_SCAN_H
/*
 * Packet by packet from the first PSB on, skipping other bytes: for listings and checks of packets,
 * not of flow.
 */
#include "intel_pt/profile/faults.h"

struct tl_pt_scan {
	const struct tl_pt_config *config;
	struct tl_pt_faults *faults; /* NULL: faults are not collected */
	uint64_t base; /* offset of the configuration's bytes in the file, for faults */
	struct tl_pt_packets *packets;
	uint64_t offset;         /* of the packet given last */
	enum tl_pt_error broken; /* error of the bytes before it, TL_PT_OK: none */
	uint64_t broken_at;
	bool cut_short; /* at the end: the last packet is cut short */
};

/* 0; TL_BAD_FORMAT: there is no PSB. */
int tl_pt_scan_open(struct tl_pt_scan *scan, const struct tl_pt_config *config,
		    struct tl_pt_faults *faults, struct tl_error *err);
void tl_pt_scan_close(struct tl_pt_scan *scan);

/* 1 and a packet, 0 at the end, or no memory. */
int tl_pt_scan_next(struct tl_pt_scan *scan, struct tl_pt_packet *packet, struct tl_error *err);

#endif
