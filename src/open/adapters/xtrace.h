/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_OPEN_ADAPTERS_XTRACE_H
#define TL_OPEN_ADAPTERS_XTRACE_H
/* The xtrace input, shared by its operations. */
#include "open/format.h"
#include "xtrace/tell.h"

struct tl_xtrace_input {
	struct tl_xtrace *trace;
	struct tl_source **sources; /* of the paths behind the first */
	size_t source_count;
	struct tl_binary **binaries; /* of the options */
	size_t binary_count;
};

/* What the input's options choose. 0 or TL_BAD_USAGE. */
int tl_xtrace_input_select(struct tl_input *input, struct xtrace_select *select,
			   struct tl_error *err);

/* xtrace_analyze.c */
int tl_xtrace_input_analyze(struct tl_input *input, const struct tl_analysis *analysis,
			    struct tl_output *out, const char **failed, struct tl_error *err);
extern const struct tl_conversion tl_xtrace_conversions[];

/* Open the binaries of the options, and close them (xtrace_profile.c). */
int tl_xtrace_input_binaries(struct tl_input *input, const char **failed, struct tl_error *err);
void tl_xtrace_input_close_binaries(struct tl_input *input);

/* The operation "fold". */
int tl_xtrace_input_fold(struct tl_input *input, struct tl_profile **profile, struct tl_error *err);
/* The operation "dump", of instructions. */
int tl_xtrace_input_instructions(struct tl_input *input, const struct xtrace_select *select,
				 bool json, struct tl_output *out, struct tl_error *err);

#endif
