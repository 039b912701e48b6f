/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_OPEN_ADAPTERS_XRAY_H
#define TL_OPEN_ADAPTERS_XRAY_H
/* The XRay input, shared by its operations. */
#include "open/format.h"
#include "open/adapters/xray_maps.h"
#include "xray/select.h"

struct tl_xray_input {
	struct tl_xray_reader *reader;
	struct tl_xray_maps maps;
	struct tl_xray_fold_options limits;
};

/* What the input's options select. End with tl_xray_names_end(&select->names). */
int tl_xray_input_select(struct tl_input *input, struct xray_select *select, struct tl_error *err);

int tl_xray_input_timeline(struct tl_input *input, struct tl_timeline *timeline,
			   struct tl_error *err);

#endif
