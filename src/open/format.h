/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_OPEN_FORMAT_H
#define TL_OPEN_FORMAT_H
/*
 * What a format can do: its adapter fills one struct tl_format, which formats.def names. probe(),
 * open() and close() have to be there. Any other operation may be NULL: input.c then reports that
 * the format does not support it, so no adapter says so itself.
 */
#include <tracelathe/open.h>

#include "core/memory.h"

struct tl_binary;
struct tl_call_source;
struct tl_coverage_exporter;
struct tl_flow_source;

/* Which file an input reads; 0: it is no regular file. */
struct tl_input_file {
	uint64_t device, inode;
};

struct tl_input {
	const struct tl_format *format;
	struct tl_input_options options;
	struct tl_source *source; /* of the first path */
	void *handle;             /* of the format's adapter */
	struct tl_damage *damage; /* as counted by the last tl_input_damage_count() */
	size_t damage_listed;

	/* Further files of a format whose trace is one file: each is an input of its own. */
	struct tl_input **others;
	size_t other_count;
	/* The files of the first `noted` inputs, by which a file is found that is joined twice. */
	struct tl_index files;
	size_t noted;
	struct tl_input_file file;
	const char *path;    /* of one of the others; NULL for the first */
	const char *failed;  /* the path that the last error is about, NULL: the first */
	bool related;        /* relate() was called */
	bool quiet;          /* progress is not told for now */
	unsigned lost_pages; /* of all mapped files (core/guard.h), when the input was opened */
};

typedef void tl_simpoint_found_fn(void *arg, const struct tl_simpoint *found);

/* A form that the records of a trace can be written in. */
struct tl_conversion {
	struct tl_trace_target target;
	int (*write)(struct tl_input *input, struct tl_output *out, struct tl_error *err);
};

enum { TL_SHARES_ANY = 1 << 16 };

struct tl_format {
	struct tl_format_info info;
	bool many_paths; /* open() takes several paths as one input */
	/* fold() itself puts into the profile what is to be said of the input */
	bool keeps_notes;
	/*
	 * dump() and fold() number the instructions of each stream, and can be limited to some by
	 * these
	 */
	bool numbers_instructions;
	/* How sure it is, 0 .. 100, by the first bytes. */
	int (*probe)(const uint8_t *data, size_t size);
	/* Why a file at `path` is empty, if the format's writer leaves such files; else NULL. */
	const char *(*explain_empty)(const char *path);
	/* What a file of no format is, if the format's tools write such files, too; else NULL. */
	const char *(*explain_other)(const uint8_t *data, size_t size);
	/* Make input->handle; on failure *failed may be set to another path than the first. */
	int (*open)(struct tl_input *input, const char *const *paths, size_t path_count,
		    const char **failed, struct tl_error *err);
	void (*close)(struct tl_input *input);
	/*
	 * Compare the input and its others before fold(), where the logs of several processes
	 * depend on each other; on failure input->failed may be set. With this operation, two files
	 * of the same bytes are not an error.
	 */
	int (*relate)(struct tl_input *input, struct tl_error *err);
	/* tl_input_kinship(); with `relate` */
	size_t (*kinship)(const struct tl_input *input, uint64_t *marks, size_t room);
	/* tl_input_shares(); none: 1; TL_SHARES_ANY: as many as one likes */
	uint32_t (*shares)(const struct tl_input *input);
	/* tl_input_chains_shares(); none: as tl_format_info says */
	bool (*chains)(const struct tl_input *input);
	/*
	 * The sources of further paths, by number; NULL behind the last. No such operation: there
	 * are none, or they are streams.
	 */
	const struct tl_source *(*source)(const struct tl_input *input, size_t number);
	int (*fold)(struct tl_input *input, struct tl_profile **profile, struct tl_error *err);
	int (*describe)(struct tl_input *input, bool json, struct tl_output *out,
			struct tl_error *err);
	int (*dump)(struct tl_input *input, bool json, struct tl_output *out, struct tl_error *err);
	int64_t (*check)(struct tl_input *input, bool json, struct tl_output *out,
			 struct tl_error *err);
	/* The rules with their violations; the number of these. */
	int64_t (*rules)(struct tl_input *input, bool json, struct tl_output *out,
			 struct tl_error *err);
	/* Begins the timeline, unless there is an error before, and fills it. */
	int (*timeline)(struct tl_input *input, struct tl_timeline *timeline, struct tl_error *err);
	/*
	 * Make a source of the calls (timeline/calls/tracks.h), and narrow `from` and `to` of the
	 * options to the input's filter by time.
	 */
	int (*calls)(struct tl_input *input, struct tl_call_source *source,
		     struct tl_calls_options *options, struct tl_error *err);
	/* The samples, as tl_input_samples() writes them. */
	int (*samples)(struct tl_input *input, struct tl_output *out, struct tl_error *err);
	int (*reencode)(struct tl_input *input, const char *variant, struct tl_output *out,
			struct tl_error *err);
	int (*slice)(struct tl_input *input, const struct tl_slice *slice, struct tl_output *out,
		     struct tl_error *err);
	int (*analyze)(struct tl_input *input, const struct tl_analysis *analysis,
		       struct tl_output *out, const char **failed, struct tl_error *err);
	/* Each interval of basic-block vectors, in their order; of all threads together each
	 * thread's part of it, thread by thread. Cluster and weight are not known. */
	int (*locate)(struct tl_input *input, const struct tl_simpoint_options *options,
		      tl_simpoint_found_fn *fn, void *arg, struct tl_error *err);
	/* Count what was executed, and write it (open/coverage.h). */
	int (*coverage)(struct tl_input *input, const struct tl_coverage_exporter *exporter,
			struct tl_output *out, struct tl_error *err);
	/*
	 * Make a source of one of the streams (flow/source.h), by number from 0; `salt` is that of
	 * tl_flow_blocks_begin(). 1; 0: there is no such stream; or negative.
	 */
	int (*executed)(struct tl_input *input, size_t number, uint64_t salt,
			struct tl_flow_source *source, struct tl_error *err);
	/* tl_input_binary() */
	struct tl_binary *(*binary)(struct tl_input *input, const char *object);
	/* tl_input_code() */
	size_t (*code)(struct tl_input *input, const char *object, uint64_t address, uint8_t *bytes,
		       size_t size);
	const struct tl_conversion *conversions; /* ends with a NULL name; NULL: none */
	/* Fill at most `room` places; returns how many of them it filled. */
	size_t (*damage)(struct tl_input *input, struct tl_damage *places, size_t room,
			 uint64_t *count, uint64_t *skipped_bytes);
};

/* The row of a format by number from 0; NULL behind the last (registry.c). */
const struct tl_format *tl_format_at(size_t number);

#define TL_FORMAT(row) extern const struct tl_format row;
#include "open/formats.def"
#undef TL_FORMAT

#endif
