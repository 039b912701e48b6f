/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PPROF_PROFILE_FOLD_H
#define TL_PPROF_PROFILE_FOLD_H
/*
 * Samples to a profile: one pass counts them in the tree of stacks (stacks.h); then the tree
 * becomes calling contexts, a part for each thread that labels tell of.
 */
#include "pprof/reader/labels.h"
#include "pprof/profile/objects.h"

struct tl_profile;
struct tl_source;

struct tl_pprof_fold_options {
	uint64_t thread, process;  /* TL_NOWHERE: any */
	const char *const *labels; /* KEY=VALUE, all of which a sample must have */
	size_t label_count;
	const struct tl_pprof_binary *binaries;
	size_t binary_count;
	const char *sysroot;
	const struct tl_debuginfod *debuginfod; /* asked for what is not found; NULL: nobody */
	bool raw_names;
	bool lines;               /* costs of lines and calls by position, too */
	bool sums_alone;          /* no calls between functions, and sums of parts only if */
	bool per_thread;          /* functions are wanted by part */
	struct tl_source *source; /* told how far the pass is; NULL: nobody */
};

/* Of a profile that was just opened. 0 or negative. */
int tl_pprof_fold(struct tl_pprof_file *p, const struct tl_pprof_fold_options *options,
		  struct tl_profile **profile, struct tl_error *err);

#endif
