/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_FUZZ_TOKEN_STREAM_H
#define TL_FUZZ_TOKEN_STREAM_H
/*
 * What is read as a stream of tokens: it is whole, has as many instructions as were counted, and
 * folds into a profile.
 */
#include <tracelathe/xtrace.h>

#include "fuzz.h"
#include "xtrace/format/reader.h"
#include "xtrace/profile/fold.h"

static inline uint64_t count_instructions(struct tl_xtrace_trace *trace)
{
	struct tl_xtrace_reader *reader;
	struct tl_xtrace_instruction insn;
	uint64_t count = 0;

	FUZZ_MUST(!tl_xtrace_reader_open(&reader, trace, 0, TL_NONE, NULL));
	while (tl_xtrace_read_instruction(reader, &insn, NULL) > 0)
		count++;
	tl_xtrace_reader_close(reader);
	return count;
}

static inline void use_token_stream(const void *bytes, size_t size, uint64_t instructions)
{
	const struct tl_xtrace_options options = { .size = sizeof(options), .alone = true };
	const struct tl_xtrace_fold_options fold = { .size = sizeof(fold), .id = TL_NOWHERE };
	struct tl_xtrace_file file = { .path = "read.xinsndata.bin" };
	struct tl_xtrace_trace *trace;
	struct tl_profile *profile = NULL;

	FUZZ_MUST(!tl_source_open_memory(&file.source, bytes, size, file.path, NULL));
	FUZZ_MUST(!tl_xtrace_open(&trace, &file, 1, &options, NULL, NULL));
	FUZZ_MUST(count_instructions(trace) == instructions);
	FUZZ_MUST(tl_xtrace_fold(trace, &fold, &profile, NULL) != TL_NO_MEMORY);
	tl_profile_free(profile);
	tl_xtrace_close(trace);
	tl_source_close(file.source);
}

#endif
