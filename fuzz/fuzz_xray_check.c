/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of the format on any bytes: bounded work, violations inside the file. */
#include <tracelathe/xray.h>

#include "fuzz.h"

static int note(void *arg, const struct tl_xray_violation *violation)
{
	const uint64_t *size = arg;

	FUZZ_MUST(violation->rule && violation->text);
	FUZZ_MUST(violation->offset == TL_NOWHERE || violation->offset <= *size);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tl_source *source;
	struct tl_xray_reader *reader;
	struct tl_error err;

	if (tl_source_open_memory(&source, data, size, "fuzz", &err))
		return 0;
	if (!tl_xray_open(&reader, source, NULL, &err)) {
		uint64_t bytes = tl_xray_info(reader)->size;

		tl_xray_check(reader, note, &bytes, &err);
		tl_xray_close(reader);
	}
	tl_source_close(source);
	return 0;
}
