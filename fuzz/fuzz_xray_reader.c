/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes to records: in time order; the first byte chooses the options when it is not that of a
 * trace.
 */
#include <tracelathe/xray.h>

#include "fuzz.h"

static void read_all(struct tl_xray_reader *reader, uint64_t size)
{
	struct tl_xray_record record;
	struct tl_error err;

	while (tl_xray_next(reader, &record, sizeof(record), &err) > 0) {
		FUZZ_MUST(record.offset <= size && record.length <= size - record.offset);
		FUZZ_MUST(record.payload_size <= record.length);
		/* The whole payload is readable. */
		if (record.payload_size) {
			volatile uint8_t last = record.payload[record.payload_size - 1];

			(void)last;
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tl_source *source;
	struct tl_xray_reader *reader;
	struct tl_error err;
	/* Byte 31 is padding in every header, so that it can steer without a format of its own. */
	unsigned steer = size > 31 ? data[31] : 0;
	const struct tl_xray_options options = {
		.size = sizeof(options),
		.order = steer & 1 ? TL_XRAY_FILE_ORDER : TL_XRAY_TIME_ORDER,
		.strict = steer & 2,
		.tid16 = steer & 4,
		.bit_order = (enum tl_xray_bit_order)((steer >> 3) % 3),
	};

	if (tl_source_open_memory(&source, data, size, "fuzz", &err))
		return 0;
	if (!tl_xray_open(&reader, source, &options, &err)) {
		read_all(reader, tl_xray_info(reader)->size);
		tl_xray_close(reader);
	}
	tl_source_close(source);
	return 0;
}
