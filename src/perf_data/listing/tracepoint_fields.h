/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PERF_DATA_LISTING_TRACEPOINT_FIELDS_H
#define TL_PERF_DATA_LISTING_TRACEPOINT_FIELDS_H
/*
 * What the samples of a tracepoint have in their raw data, by the format files of the kernel that
 * TRACING_DATA holds (docs/formats/perf-data.md, section 3).
 */
#include "perf_data/container/reader.h"

struct tl_output;

struct tl_perf_tracepoint_format {
	uint64_t id;                /* config of the tracepoint's event */
	struct tl_perf_text fields; /* the lines of its fields */
};

/* What TRACING_DATA describes. Zero-filled: nothing was read yet. */
struct tl_perf_tracepoint_formats {
	const uint8_t *data; /* the tracing data that were read; NULL: none yet */
	struct tl_perf_tracepoint_format *list;
	size_t count, capacity;
	struct tl_index by_id;
};

/*
 * Find the fields of a record in the reader's tracing data, which must stay as long as the formats.
 * *fields: their lines; data NULL: the record is no sample of a tracepoint, or one that is not
 * described. False without memory.
 */
bool tl_perf_tracepoint_fields(struct tl_perf_tracepoint_formats *formats,
			       const struct tl_perf_reader *reader,
			       const struct tl_perf_record *rec, struct tl_perf_text *fields);
/*
 * The fields of a sample as a JSON object, without those that all tracepoints have ("common_").
 * Numbers are decimal; pointers, and what is neither a number nor a text, are hexadecimal strings;
 * what lies outside of the sample's data is null.
 */
void tl_perf_put_tracepoint_fields(const struct tl_perf_record *rec, struct tl_perf_text fields,
				   struct tl_output *out);
void tl_perf_tracepoint_formats_free(struct tl_perf_tracepoint_formats *formats);

#endif
