/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XRAY_LISTING_SELECT_H
#define TL_XRAY_LISTING_SELECT_H
/* Which records a dump or a timeline shows, and how they are named. */
#include "xray/listing/decoders.h"
#include "xray/map/function_names.h"
#include "xray/records/reader.h"

struct tl_xray_select {
	struct tl_xray_fold_options limits;  /* thread, process, cpu, time window */
	struct tl_xray_function_names names; /* names of functions, and the filter by name */
	struct tl_xray_decoders *decoders;   /* of events; NULL: none */
};

bool tl_xray_selected(struct tl_xray_select *select, const struct tl_xray_record *record);

/* dump.c: every selected record, one line each. 0 or a negative tl_status. */
int tl_xray_dump(struct tl_xray_reader *reader, struct tl_xray_select *select, bool json,
		 unsigned jobs, struct tl_output *out, struct tl_error *err);

/* info.c: the facts of the file. */
int tl_xray_describe(struct tl_xray_reader *reader, bool json, struct tl_output *out,
		     struct tl_error *err);

#endif
