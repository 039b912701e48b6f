/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PERF_DATA_SAMPLES_FOLD_H
#define TL_PERF_DATA_SAMPLES_FOLD_H
/*
 * Samples to a profile: one pass over the records in the order of time counts each sample in the
 * tree of stacks (stacks.h); then each address is looked up (sample_names.h), and the tree becomes
 * calling contexts, a part for each thread.
 *
 * A profile of samples counts no calls. Each recorded event is an event of the profile, by its
 * periods; its samples are another one.
 */
#include "perf_data/processes/system.h"
#include "perf_data/samples/stacks.h"

struct tl_binary;
struct tl_profile;

/* The files in which names of objects were looked up. Zero-filled are none. */
struct tl_perf_sample_binaries {
	struct tl_perf_sample_binary {
		char *object; /* as the profile names it */
		struct tl_binary *binary;
	} *list;
	size_t count, capacity;
};

void tl_perf_sample_binaries_free(struct tl_perf_sample_binaries *binaries);
/* That of an object; NULL: there is none, or several of this name. */
struct tl_binary *tl_perf_sample_binary(const struct tl_perf_sample_binaries *binaries,
					const char *object);

struct tl_perf_sample_options {
	uint64_t thread, process, cpu;   /* TL_NOWHERE: any */
	double from_seconds, to_seconds; /* from the first sample on; to <= 0: no end */
	const char *sysroot;
	const char *const *build_id_dirs;
	size_t build_id_dir_count;
	/* files of programs and lists of the kernel's names that were given: they come first */
	const char *const *programs;
	size_t program_count;
	const struct tl_debuginfod *debuginfod; /* asked for what is not found; NULL: nobody */
	const char *guest_root;                 /* for files of virtual machines; NULL: none */
	bool no_files;                          /* look for no code and no lists of names at all */
	bool raw_names;                         /* no demangling */
	bool lines;                             /* costs of lines and calls by position, too */
	bool sums_alone; /* no calls between functions, and sums of parts only if */
	bool per_thread; /* functions are wanted by part */
	bool inlined;    /* functions that the compiler inlined are frames, too */
	/*
	 * what is counted are the branches that the processor recorded before each sample, where
	 * they come from and go to
	 */
	bool branches;
	/*
	 * Only one share of the samples; `shares` below 2: all. Events are those of all samples.
	 * Costs that begin at the sample before cannot be shared out (TL_UNSUPPORTED): times off
	 * the processors, and counters of a group.
	 */
	uint32_t share, shares;
	struct tl_perf_sample_binaries *binaries; /* to be filled; NULL: not wanted */
};

/* What the profile lacks, to be said with it. Texts are owned. */
struct tl_perf_sample_remarks {
	char **list;
	size_t count, capacity;
};

void tl_perf_sample_remarks_free(struct tl_perf_sample_remarks *remarks);

/* The context of the profile that a stack is, by number of its node; zero-filled is none. */
struct tl_perf_sample_contexts {
	uint32_t *list;
	size_t count;
};

/*
 * Fold the samples of a reader that is at its first record and gives records in the order of time.
 * @return 0; 1 and no profile: the file has Intel PT, so that its samples are not what it is about;
 *         TL_UNSUPPORTED: it has no samples; or another negative status
 */
int tl_perf_samples_fold(struct tl_perf_reader *reader,
			 const struct tl_perf_sample_options *options,
			 struct tl_perf_sample_remarks *remarks, struct tl_profile **profile,
			 struct tl_error *err);
/* The same; *contexts is filled, and its list the caller's to free, also after a failure. */
int tl_perf_samples_fold_stacks(struct tl_perf_reader *reader,
				const struct tl_perf_sample_options *options,
				struct tl_perf_sample_remarks *remarks,
				struct tl_perf_sample_contexts *contexts,
				struct tl_profile **profile, struct tl_error *err);

#endif
