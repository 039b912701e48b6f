/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a log of instructions: what is read is a whole stream of tokens, which has as many
 * instructions as the log has counted, and folds into a profile.
 */
#include <tracelathe/xtrace.h>

#include "fuzz.h"
#include "insn_log/insn_log.h"
#include "xtrace/format/reader.h"
#include "xtrace/profile/fold.h"

static uint64_t count_instructions(struct tl_xtrace_trace *trace)
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

static void use_stream(const struct tl_insn_log_cpu *cpu)
{
	const struct tl_xtrace_options options = { .size = sizeof(options), .alone = true };
	const struct tl_xtrace_fold_options fold = { .size = sizeof(fold), .id = TL_NOWHERE };
	struct tl_xtrace_file file = { .path = "log.xinsndata.bin" };
	struct tl_xtrace_trace *trace;
	struct tl_profile *profile = NULL;
	size_t size;
	const char *bytes = tl_output_bytes(cpu->tokens, &size);

	FUZZ_MUST(!tl_source_open_memory(&file.source, bytes, size, file.path, NULL));
	FUZZ_MUST(!tl_xtrace_open(&trace, &file, 1, &options, NULL, NULL));
	FUZZ_MUST(count_instructions(trace) == cpu->instructions);
	FUZZ_MUST(tl_xtrace_fold(trace, &fold, &profile, NULL) != TL_NO_MEMORY);
	tl_profile_free(profile);
	tl_xtrace_close(trace);
	tl_source_close(file.source);
}

static void use(const uint8_t *data, size_t size, bool strict)
{
	struct tl_insn_log_file log = { .faults.strict = strict };
	struct tl_source *source;
	uint64_t sum = 0;
	int status;

	FUZZ_MUST(!tl_source_open_memory(&source, data, size, "log", NULL));
	status = tl_insn_log_read(&log, source, NULL);
	FUZZ_MUST(status <= 0 && status != TL_NO_MEMORY);
	for (size_t i = 0; status == 0 && i < log.cpu_count; i++) {
		sum += log.cpus[i].instructions;
		if (log.cpus[i].instructions)
			use_stream(&log.cpus[i]);
	}
	FUZZ_MUST(status < 0 || (sum && sum == log.instructions));
	tl_source_close(source);
	tl_insn_log_end(&log);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	use(data, size, false);
	use(data, size, true);
	return 0;
}
