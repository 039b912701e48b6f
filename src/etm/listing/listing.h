/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_ETM_LISTING_LISTING_H
#define TL_ETM_LISTING_LISTING_H
/* Packets as lines of text or JSON, and facts about all of them. */
#include "core/output.h"
#include "etm/packets/file.h"

/* A line for each packet, source after source. 0 or negative. */
int tl_etm_dump(struct tl_etm_file *file, bool json, struct tl_output *out, struct tl_error *err);
/* The description that `info` prints. 0 or negative. */
int tl_etm_describe(struct tl_etm_file *file, bool json, struct tl_output *out,
		    struct tl_error *err);
/* Read all packets for the faults in them. 0 or negative. */
int tl_etm_check(struct tl_etm_file *file, struct tl_error *err);

#endif
