/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_OPEN_ADAPTERS_XRAY_INPUT_H
#define TL_OPEN_ADAPTERS_XRAY_INPUT_H
/* An XRay trace as an input, shared by what reads it (xray.c) and what writes it (xray_write.c). */
#include "open/adapters/xray_maps.h"
#include "xray/listing/select.h"

struct tl_xray_input {
	struct tl_xray_reader *reader;
	struct tl_xray_maps maps;
	struct tl_xray_fold_options limits;
	struct tl_xray_decoders decoders;
	/* of records that came as YAML: the log that was made of them */
	struct tl_output *log;
	struct tl_source *log_source;
};

/* Names and limits from the input's options. End with tl_xray_names_end(&select->names). */
int tl_xray_input_select(struct tl_input *input, struct tl_xray_select *select,
			 struct tl_error *err);

/* The first log, and those given with it. */
static inline struct tl_input *tl_xray_input_log(struct tl_input *input, size_t i)
{
	return i ? input->others[i - 1] : input;
}

int tl_xray_input_timeline(struct tl_input *input, struct tl_timeline *timeline,
			   struct tl_error *err);
int tl_xray_input_reencode(struct tl_input *input, const char *variant, struct tl_output *out,
			   struct tl_error *err);
int tl_xray_input_slice(struct tl_input *input, const struct tl_slice *what, struct tl_output *out,
			struct tl_error *err);
extern const struct tl_conversion tl_xray_conversions[];

#endif
