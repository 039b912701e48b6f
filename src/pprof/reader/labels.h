/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PPROF_READER_LABELS_H
#define TL_PPROF_READER_LABELS_H
/* What labels say of a sample: its thread and process, and whether a filter lets it pass. */
#include "pprof/reader/sample.h"

/* KEY=VALUE: samples with a label of this key and value. */
struct tl_pprof_wish {
	const char *key, *value;
	size_t key_size;
	uint64_t number; /* the value as a number */
	bool is_number;
};

struct tl_pprof_filter {
	uint64_t thread, process; /* TL_NOWHERE: any */
	struct tl_pprof_wish *wishes;
	size_t count;
};

/* The ids of a sample; TL_NOWHERE: not told. */
struct tl_pprof_thread {
	uint64_t process, thread;
	uint64_t name; /* a number of a string, 0: none */
};

/* `labels`: texts KEY=VALUE, which must live as long. 0, TL_BAD_USAGE or TL_NO_MEMORY. */
int tl_pprof_filter_begin(struct tl_pprof_filter *filter, const char *const *labels, size_t count,
			  struct tl_error *err);
void tl_pprof_filter_end(struct tl_pprof_filter *filter);

struct tl_pprof_thread tl_pprof_thread_of(const struct tl_pprof_file *p,
					  const struct tl_pprof_sample *sample);
/* All wishes must be met. */
bool tl_pprof_is_wanted(const struct tl_pprof_file *p, const struct tl_pprof_filter *filter,
			const struct tl_pprof_sample *sample, const struct tl_pprof_thread *thread);

#endif
