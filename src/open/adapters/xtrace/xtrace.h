/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_OPEN_ADAPTERS_XTRACE_H
#define TL_OPEN_ADAPTERS_XTRACE_H
/* The xtrace input, shared by its operations. */
#include "open/format.h"
#include "xtrace/executed/opcodes.h"
#include "xtrace/listing/describe.h"

struct tl_xtrace_input {
	struct tl_xtrace_trace *trace;
	struct tl_source **sources; /* of the paths behind the first */
	size_t source_count;
	struct tl_binary **binaries; /* of the options */
	size_t binary_count;
	struct tl_xtrace_opcodes opcodes; /* read when they are first asked for */
	bool opcodes_asked;
	struct tl_error opcodes_lack; /* why they are not all there; status 0: they are */
	bool is_log; /* a log as text: tokens are ours, and values of accesses unknown */
	/* what the last analysis could not have from such a log, NULL: nothing */
	const char *lacking;
};

/* xtrace_input.c */
int tl_xtrace_input_open(struct tl_input *input, const char *const *paths, size_t path_count,
			 const char **failed, struct tl_error *err);
/* The binaries that the options name. */
int tl_xtrace_input_open_binaries(struct tl_input *input, const char **failed,
				  struct tl_error *err);
void tl_xtrace_input_close(struct tl_input *input);
const struct tl_source *tl_xtrace_input_source(const struct tl_input *input, size_t number);
/* The part of the trace that the options choose. 0 or TL_BAD_USAGE. */
int tl_xtrace_input_select(struct tl_input *input, struct tl_xtrace_select *select,
			   struct tl_error *err);
/* The same, with a window of TIME in from_time and to_time. */
int tl_xtrace_input_select_timed(struct tl_input *input, struct tl_xtrace_select *select,
				 struct tl_error *err);
/* The part of each stream that these choose, and the window of TIME in `times`. */
struct tl_xtrace_part tl_xtrace_input_part(const struct tl_number_range *instructions,
					   const struct tl_number_range *snapshots,
					   enum tl_analysis_level level,
					   const struct tl_xtrace_select *times);
/* The number of a snapshot of an option; TL_NONE: behind all. */
uint32_t tl_xtrace_input_snapshot(uint64_t number);

/* xtrace_analyze.c */
int tl_xtrace_input_analyze(struct tl_input *input, const struct tl_analysis *analysis,
			    struct tl_output *out, const char **failed, struct tl_error *err);
/* The same of what has no results of system calls, and may have no accesses to memory. */
int tl_xtrace_input_analyze_log(struct tl_input *input, const struct tl_analysis *analysis,
				bool has_accesses, struct tl_output *out, const char **failed,
				struct tl_error *err);
int tl_xtrace_input_locate(struct tl_input *input, const struct tl_simpoint_options *options,
			   tl_simpoint_found_fn *fn, void *arg, struct tl_error *err);
extern const struct tl_conversion tl_xtrace_conversions[];

/*
 * xtrace_profile.c: the operations "fold", "shares", "calls", "executed" and "code", and "dump" of
 * instructions
 */
int tl_xtrace_input_fold(struct tl_input *input, struct tl_profile **profile, struct tl_error *err);
uint32_t tl_xtrace_input_shares(const struct tl_input *input);
int tl_xtrace_input_calls(struct tl_input *input, struct tl_call_source *source,
			  struct tl_calls_options *options, struct tl_error *err);
int tl_xtrace_input_executed(struct tl_input *input, size_t number, uint64_t salt,
			     struct tl_flow_source *source, struct tl_error *err);
size_t tl_xtrace_input_code(struct tl_input *input, const char *object, uint64_t address,
			    uint8_t *bytes, size_t size);
/*
 * What an analysis lacked, why not all of the code could be read, and what of the programs is
 * damaged, as places of damage. Returns how many it filled, and adds to *count.
 */
size_t tl_xtrace_input_damage(const struct tl_xtrace_input *x, struct tl_damage *places,
			      size_t room, uint64_t *count);
int tl_xtrace_input_instructions(struct tl_input *input, const struct tl_xtrace_select *select,
				 bool json, struct tl_output *out, struct tl_error *err);

#endif
