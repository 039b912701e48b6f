/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a log of instructions: what is read is a whole stream of tokens, which has as many
 * instructions as the log has counted, and folds into a profile.
 */
#include "fuzz.h"
#include "insn_log/insn_log.h"
#include "token_stream.h"

static void use(const uint8_t *data, size_t size, bool strict)
{
	struct tl_insn_log_file log = { .faults.strict = strict };
	struct tl_source *source;
	uint64_t sum = 0;
	const char *bytes;
	size_t length;
	int status;

	FUZZ_MUST(!tl_source_open_memory(&source, data, size, "log", NULL));
	status = tl_insn_log_read(&log, source, NULL);
	FUZZ_MUST(status <= 0 && status != TL_NO_MEMORY);
	for (size_t i = 0; status == 0 && i < log.cpu_count; i++) {
		sum += log.cpus[i].instructions;
		if (!log.cpus[i].instructions)
			continue;
		bytes = tl_output_bytes(log.cpus[i].tokens, &length);
		use_token_stream(bytes, length, log.cpus[i].instructions);
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
