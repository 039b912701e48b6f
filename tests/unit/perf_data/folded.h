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

static void done(void)
{
	tl_profile_free(profile);
	tl_perf_sample_remarks_free(&remarks);
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

#endif
