/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_XTRACE_ELF_SLICES_H
#define TESTS_UNIT_XTRACE_ELF_SLICES_H
/* Pairs of files that become programs, or are refused. */
#include "pairs.h"

enum { CODE = 0x400000, DATA = 0x9000 };

static inline int make(const struct pair *pair, struct tl_xtrace_slice slice,
		       struct tl_output **out, struct tl_error *err)
{
	struct trace t;
	int status;

	slice.size = sizeof(slice);
	open_trace(&t, &pair->stream, &pair->snapshots);
	assert_int_equal(tl_output_open_memory(out, NULL), 0);
	status = tl_xtrace_slice_elf(t.trace, &slice, *out, err);
	close_trace(&t);
	return status;
}

static const struct tl_xtrace_slice everything = { .end_snapshot = TL_NONE,
						   .end_instruction = TL_NOWHERE };

/* It is refused with a text that has these words, at this offset and instruction. */
static inline void assert_refused(const struct pair *pair, const char *words, uint64_t offset,
				  uint64_t record)
{
	struct tl_error err = { .offset = 1 };
	struct tl_output *out;

	assert_int_equal(make(pair, everything, &out, &err), TL_UNSUPPORTED);
	if (!strstr(err.text, words))
		fail_msg("\"%s\" instead of \"%s\"", err.text, words);
	assert_string_equal(err.format, "xtrace");
	assert_int_equal(err.offset, offset);
	assert_int_equal(err.record, record);
	tl_output_discard(out);
}

#endif
