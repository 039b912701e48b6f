/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Analyses and conversions of any bytes as an instruction stream; what is counted twice must be the
 * same.
 */
#include "fuzz.h"
#include "mutator.h"
#include "xtrace/analyze/analyze.h"
#include "xtrace/convert/convert.h"
#include "xtrace/parts/select.h"

static const unsigned whats[] = {
	TL_XTRACE_ANALYZE_FOOTPRINT | TL_XTRACE_ANALYZE_REUSE | TL_XTRACE_ANALYZE_SYSCALLS |
		TL_XTRACE_ANALYZE_BLOCKS,
	TL_XTRACE_ANALYZE_CACHE,
	TL_XTRACE_ANALYZE_BBV,
	TL_XTRACE_ANALYZE_SYSCALLS,
};

static void analyze(struct tl_xtrace_trace *trace, uint8_t choice)
{
	static struct tl_xtrace_cache_config caches;
	/* clang-format off */
	struct tl_xtrace_analysis_options options = {
		.analyses = whats[choice % 4], .form = (enum tl_xtrace_table_form)(choice / 4 % 3),
		  .thread = TL_NOWHERE,
		.interval = choice & 64 ? 5 : 0, .line = choice & 32 ? 16 : 0, .caches = &caches,
	};
	/* clang-format on */
	static const char text[] = "A size=512 ways=2 line=32 next=B\nB size=4K ways=4 "
				   "inclusive\nT tlb entries=4 ways=4";
	struct tl_output *out;
	struct tl_error err;

	/* One table is all that CSV has room for. */
	if (options.form == TL_XTRACE_CSV)
		options.analyses = TL_XTRACE_ANALYZE_CACHE;
	FUZZ_MUST(tl_xtrace_cache_parse(&caches, text, sizeof(text) - 1, &err) == 0);
	if (tl_output_open_memory(&out, &err))
		return;
	FUZZ_MUST(tl_xtrace_analyze(trace, &options, out, &err) <= 0);
	tl_output_discard(out);
}

static void convert(struct tl_xtrace_trace *trace, uint8_t choice)
{
	struct tl_output *out;
	struct tl_error err;
	uint32_t stream;

	if (tl_xtrace_one_stream(trace, TL_NOWHERE, &stream, &err) ||
	    tl_output_open_memory(&out, &err))
		return;
	if (choice % 3 == 0)
		tl_xtrace_to_tarmac(trace, stream, out, &err);
	else if (choice % 3 == 1)
		tl_xtrace_to_champsim(trace, stream, out, &err);
	else
		tl_xtrace_to_jsonl(trace, stream, out, &err);
	tl_output_discard(out);
}

struct fuzz_range fuzz_units(uint8_t *data, size_t size)
{
	(void)data;
	return (struct fuzz_range){ 0, size ? size - 1 : 0 };
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tl_xtrace_options options = { .size = sizeof(options), .alone = true };
	struct tl_xtrace_file file = { .path = "xtrace.1.0.hint9.xinsndata.bin" };
	struct tl_xtrace_trace *trace;
	struct tl_error err;

	/* The last byte chooses: seeds begin as files do. */
	if (!size || tl_source_open_memory(&file.source, data, size, "fuzz", &err))
		return 0;
	if (!tl_xtrace_open(&trace, &file, 1, &options, NULL, &err)) {
		analyze(trace, data[size - 1]);
		convert(trace, data[size - 1]);
		tl_xtrace_close(trace);
	}
	tl_source_close(file.source);
	return 0;
}
