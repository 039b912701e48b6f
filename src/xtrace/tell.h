/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_TELL_H
#define TL_XTRACE_TELL_H
/* What a trace is and what stands in it, as text or JSON. */
#include "xtrace/reader.h"

/* Which part is meant. */
struct xtrace_select {
	uint64_t id; /* only streams of this thread or core; TL_NOWHERE: any */
	/* instructions by number, the second not among them; TL_NOWHERE: no end */
	uint64_t from_ordinal, to_ordinal;
	uint64_t from_pc, to_pc;
	uint32_t from_snapshot,
		to_snapshot; /* from the first one to before the second; 0, TL_NONE: all */
	bool by_stream;      /* one stream after the other, also where TIME orders them */
	unsigned jobs;
	bool exact; /* info: count distinct PCs, too */
};

/* All of it. */
extern const struct xtrace_select tl_xtrace_everything;

static inline bool xtrace_selects_stream(const struct xtrace_select *select,
					 const struct xtrace_stream *stream)
{
	return select->id == TL_NOWHERE || select->id == stream->info.id;
}

/* info.c: what the files are. */
int tl_xtrace_describe(struct tl_xtrace *trace, const struct xtrace_select *select, bool json,
		       struct tl_output *out, struct tl_error *err);
/* dump.c: every token on a line. */
int tl_xtrace_dump(struct tl_xtrace *trace, const struct xtrace_select *select, bool json,
		   struct tl_output *out, struct tl_error *err);
/* dump_snapshots.c: every snapshot; or, where two are named (not TL_NONE), in what they differ. */
int tl_xtrace_dump_snapshots(struct tl_xtrace *trace, const struct xtrace_select *select,
			     uint32_t one, uint32_t other, bool json, struct tl_output *out,
			     struct tl_error *err);

/* dump_instructions.c: every instruction on a line, with its text and what it touched; several
 * streams in the order of TIME. */
struct tl_binary;
struct xtrace_shown {
	struct tl_binary *const *binaries; /* for symbols */
	size_t binary_count;
	bool no_text;
};
int tl_xtrace_dump_instructions(struct tl_xtrace *trace, const struct xtrace_select *select,
				const struct xtrace_shown *shown, bool json, struct tl_output *out,
				struct tl_error *err);

#endif
