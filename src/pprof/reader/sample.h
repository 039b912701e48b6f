/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PPROF_READER_SAMPLE_H
#define TL_PPROF_READER_SAMPLE_H
/* The samples of a profile, one after the other. */
#include "pprof/reader/reader.h"

struct tl_pprof_label {
	uint64_t key, text, number, unit; /* texts are numbers of strings */
};

/* Arrays are valid until the next sample. */
struct tl_pprof_sample {
	uint32_t *locations; /* numbers, the innermost first; TL_NONE: unknown */
	size_t location_count;
	size_t common; /* outermost ones that are known to be those of the sample before */
	bool has_unknown;
	int64_t *values; /* of each type; those that the record lacks are 0 */
	struct tl_pprof_label *labels;
	size_t label_count;
	uint64_t place, number;
};

struct tl_pprof_samples {
	struct tl_pprof_file *p;
	struct tl_cursor cur; /* among the fields of the profile */
	struct tl_pprof_sample sample;
	uint32_t *numbers; /* the locations, which are the last of this array */
	size_t number_capacity, value_capacity, label_capacity;
	size_t value_count;    /* of the present record */
	struct tl_cursor list; /* the one list of locations of the sample before; empty: none */
	uint64_t next_number;
};

/* Begin before the first sample. */
void tl_pprof_samples_begin(struct tl_pprof_samples *s, struct tl_pprof_file *p);
/* The next sample, in s->sample: 1; 0 at the end; or negative. A damaged one is passed over. */
int tl_pprof_samples_next(struct tl_pprof_samples *s, struct tl_error *err);
void tl_pprof_samples_end(struct tl_pprof_samples *s);

#endif
