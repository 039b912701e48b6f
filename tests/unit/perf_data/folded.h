/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_PERF_DATA_FOLDED_H
#define TESTS_UNIT_PERF_DATA_FOLDED_H
/* The profile of a file of samples, and the paths of its stacks. */
#include "file.h"

#include "perf_data/samples/fold.h"
#include "profile/model/unsized.h"

static struct tl_perf_sample_options options;
static struct tl_perf_sample_remarks remarks;
static struct tl_profile *profile;
/* What was wrong with the file of the last fold: the first fault, and their number. */
static struct tl_perf_fault fault;
static uint64_t fault_count;

static inline void done(void)
{
	tl_profile_free(profile);
	tl_perf_sample_remarks_free(&remarks);
}

static inline void note_faults(const struct tl_perf_reader *reader)
{
	const struct tl_perf_fault *faults = NULL;
	uint64_t skipped;
	size_t listed = 0;

	fault_count = 0;
	if (reader)
		faults = tl_perf_faults(reader, &listed, &fault_count, &skipped);
	if (listed)
		fault = faults[0];
}

static inline int fold_bytes(struct file *f)
{
	struct tl_perf_options in_order = { .size = sizeof(in_order), .in_order = true };
	int status;

	remarks = (struct tl_perf_sample_remarks){ .list = NULL };
	profile = NULL;
	f->source = NULL;
	f->reader = NULL;
	status = tl_source_open_memory(&f->source, f->bytes, f->size, "test", &f->err);
	if (status == 0)
		status = tl_perf_open(&f->reader, f->source, &in_order, &f->err);
	if (status == 0)
		status = tl_perf_samples_fold(f->reader, &options, &remarks, &profile, &f->err);
	note_faults(f->reader);
	tl_perf_close(f->reader);
	tl_source_close(f->source);
	return status;
}

/* "outer;inner" of a context. */
static void path_of(uint32_t context, char *text)
{
	const struct tl_context *c = tl_profile_context(profile, context);

	*text = '\0';
	if (c->parent != TL_NONE) {
		path_of(c->parent, text);
		strcat(text, ";");
	}
	strcat(text, tl_profile_function(profile, c->function)->name);
}

/* The function of this name in the last profile. */
static inline const struct tl_function *function(const char *name)
{
	for (uint32_t i = 0; i < tl_profile_function_count(profile); i++)
		if (!strcmp(tl_profile_function(profile, i)->name, name))
			return tl_profile_function(profile, i);
	fail_msg("no function is called %s", name);
	return NULL;
}

#endif
