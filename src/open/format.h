/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_OPEN_FORMAT_H
#define TL_OPEN_FORMAT_H
/* What a format must be able to do to be opened by content: one table of operations each. */
#include <tracelathe/open.h>

struct tl_input {
	const struct tl_format *format;
	struct tl_input_options options;
	struct tl_source *source; /* of the first path */
	void *handle;             /* the format's own */
	struct tl_damage *damage; /* as last asked for */

	/* A format whose trace is one file takes several, too: each is an input of its own. */
	struct tl_input **others;
	size_t other_count;
	const char *path;    /* of an other */
	const char *failed;  /* what the last error is about, NULL: the first path */
	bool related;        /* what the files know of each other is known */
	unsigned lost_pages; /* of all mapped files (core/guard.h), when the input was opened */
};

/* A form that the records of a trace can be written in. */
struct tl_conversion {
	const char *name;
	int (*write)(struct tl_input *input, struct tl_output *out, struct tl_error *err);
};

struct tl_format {
	struct tl_format_info info;
	bool many_paths; /* open() takes several paths as one input */
	/* How sure it is, 0 .. 100, by the first bytes. */
	int (*probe)(const uint8_t *data, size_t size);
	/* Make input->handle; on failure *failed may be set to another path than the first. */
	int (*open)(struct tl_input *input, const char *const *paths, size_t path_count,
		    const char **failed, struct tl_error *err);
	void (*close)(struct tl_input *input);
	/*
	 * What several inputs of the format, this one and its others, know of each other, before
	 * fold(); on failure input->failed may be set. NULL: nothing. A file that is a copy of
	 * another one is then no mistake by itself.
	 */
	int (*relate)(struct tl_input *input, struct tl_error *err);
	/*
	 * The sources of further paths, by number; NULL behind the last. NULL: there are none, or
	 * they are streams.
	 */
	const struct tl_source *(*source)(const struct tl_input *input, size_t number);
	int (*fold)(struct tl_input *input, struct tl_profile **profile, struct tl_error *err);
	int (*describe)(struct tl_input *input, bool json, struct tl_output *out,
			struct tl_error *err);
	int (*dump)(struct tl_input *input, bool json, struct tl_output *out, struct tl_error *err);
	int64_t (*check)(struct tl_input *input, bool json, struct tl_output *out,
			 struct tl_error *err);
	/* Begins the timeline, unless there is an error before, and fills it. */
	int (*timeline)(struct tl_input *input, struct tl_timeline *timeline, struct tl_error *err);
	int (*reencode)(struct tl_input *input, const char *variant, struct tl_output *out,
			struct tl_error *err);
	/* A part of the trace; NULL: the format cannot be cut. */
	int (*slice)(struct tl_input *input, const struct tl_slice *what, struct tl_output *out,
		     struct tl_error *err);
	/* What was executed; NULL: the format does not tell. */
	int (*analyze)(struct tl_input *input, const struct tl_analysis *analysis,
		       struct tl_output *out, const char **failed, struct tl_error *err);
	/* tl_input_code(); NULL: the format has no code. */
	size_t (*code)(struct tl_input *input, const char *object, uint64_t address, uint8_t *bytes,
		       size_t size);
	const struct tl_conversion *conversions; /* ends with a NULL name; NULL: none */
	/* Fill at most `room` places; returns how many there are listed. */
	size_t (*damage)(struct tl_input *input, struct tl_damage *places, size_t room,
			 uint64_t *count, uint64_t *skipped_bytes);
};

/* registry.c; ends with a NULL. */
extern const struct tl_format *const tl_format_table[];

/* What help says of them. */
#define TL_XRAY_INFO { "xray", "LLVM XRay: flight data recorder (FDR), basic and profiling mode" }
#define TL_CALLGRIND_INFO                                                                          \
	{ "callgrind", "Callgrind and Cachegrind profiles, also of other programs (xdebug, "       \
		       "pprof, xtree, ...)" }
#define TL_INTEL_PT_INFO { "intel-pt", "Intel Processor Trace, as the processor writes it" }
#define TL_PERF_INFO { "perf", "perf.data of Linux perf, with the Intel PT in it" }
#define TL_XTRACE_INFO                                                                             \
	{ "xtrace", "Kunpeng workload traces: instruction streams (xinsndata), register "          \
		    "snapshots (xsnapshot)" }

extern const struct tl_format tl_xray_format;
extern const struct tl_format tl_callgrind_format;
extern const struct tl_format tl_intel_pt_format;
extern const struct tl_format tl_perf_format;
extern const struct tl_format tl_xtrace_format;

#endif
