/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_DESCRIBE_H
#define TL_XTRACE_DESCRIBE_H
/* The contents of a trace as text or JSON. */
#include "xtrace/parts/select.h"

/* describe.c: names, headers, layouts and counts of the files. */
int tl_xtrace_describe(struct tl_xtrace_trace *trace, const struct tl_xtrace_select *select,
		       bool json, struct tl_output *out, struct tl_error *err);
/* tokens_text.c: every token on a line. */
int tl_xtrace_list_tokens(struct tl_xtrace_trace *trace, const struct tl_xtrace_select *select,
			  bool json, struct tl_output *out, struct tl_error *err);
/* snapshots_text.c: every snapshot; or, where two are named (not TL_NONE), in what they differ. */
int tl_xtrace_list_snapshots(struct tl_xtrace_trace *trace, const struct tl_xtrace_select *select,
			     uint32_t one, uint32_t other, bool json, struct tl_output *out,
			     struct tl_error *err);

/* insns_text.c: every instruction on a line, with its text and what it touched; several
 * streams in the order of TIME. */
struct tl_binary;
struct tl_xtrace_insn_text_options {
	struct tl_binary *const *binaries; /* for symbols */
	size_t binary_count;
	bool no_text;
	bool is_log; /* tokens are made of a log: without offsets and values of accesses */
};
int tl_xtrace_list_instructions(struct tl_xtrace_trace *trace,
				const struct tl_xtrace_select *select,
				const struct tl_xtrace_insn_text_options *shown, bool json,
				struct tl_output *out, struct tl_error *err);

/*
 * violations_text.c: every violation of a selected stream. All streams are checked, since streams
 * with TIME share one memory. The number of violations, or a negative status.
 */
int64_t tl_xtrace_list_violations(struct tl_xtrace_trace *trace,
				  const struct tl_xtrace_select *select, bool json,
				  struct tl_output *out, struct tl_error *err);
/* Every rule with its number of violations; the same result. */
int64_t tl_xtrace_list_rules(struct tl_xtrace_trace *trace, const struct tl_xtrace_select *select,
			     bool json, struct tl_output *out, struct tl_error *err);

#endif
