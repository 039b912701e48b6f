/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_OPEN_ADAPTERS_INTEL_PT_H
#define TL_OPEN_ADAPTERS_INTEL_PT_H
/* What raw Intel PT and perf.data do alike: all that works on a feed. */
#include "intel_pt/listing/slice.h"
#include "intel_pt/profile/faults.h"
#include "open/format.h"

/* The head of both formats' handles. */
struct tl_pt_input {
	struct tl_pt_feed feed;
	struct tl_pt_faults faults;
	bool has_code;   /* some code was given */
	bool by_threads; /* shares are of threads, not runs of bytes */
};

int tl_pt_input_fold(struct tl_input *input, struct tl_profile **profile, struct tl_error *err);
int tl_pt_input_dump(struct tl_input *input, bool json, struct tl_output *out,
		     struct tl_error *err);
int tl_pt_input_timeline(struct tl_input *input, struct tl_timeline *timeline,
			 struct tl_error *err);
int tl_pt_input_calls(struct tl_input *input, struct tl_call_source *source,
		      struct tl_calls_options *options, struct tl_error *err);
/* pt_coverage.c */
int tl_pt_input_coverage(struct tl_input *input, const struct tl_coverage_exporter *exporter,
			 struct tl_output *out, struct tl_error *err);
int tl_pt_input_executed(struct tl_input *input, size_t number, uint64_t salt,
			 struct tl_flow_source *source, struct tl_error *err);
int64_t tl_pt_input_check(struct tl_input *input, bool json, struct tl_output *out,
			  struct tl_error *err);
/* The window of time of a slice; with a trigger its place, else that is untouched. */
int tl_pt_input_slice_window(struct tl_input *input, const struct tl_slice *what,
			     struct tl_pt_window *window, struct tl_pt_trigger *trigger,
			     struct tl_error *err);
int tl_pt_input_slice(struct tl_input *input, const struct tl_slice *what, struct tl_output *out,
		      struct tl_error *err);
size_t tl_pt_input_damage(struct tl_input *input, struct tl_damage *places, size_t room,
			  uint64_t *count, uint64_t *skipped_bytes);

/* What the options say of the recording, into a configuration; what they do not say stays. */
int tl_pt_input_configure(const struct tl_input_options *options, struct tl_pt_config *config,
			  struct tl_error *err);

/* Ticks of the TSC per second, 0: unknown: as the options say, or CPUID 15H (of the trace:
 * denominator and numerator), or what the trace itself tells. */
uint64_t tl_pt_input_hz(const struct tl_input_options *options, uint64_t denominator,
			uint64_t numerator, uint64_t told);

#endif
