/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A profile has no magic. It is a message whose fields all have the types of profile.proto; what
 * tells it from other messages is the inside of its sample types, and its first string, which is
 * empty.
 */
#include <string.h>

#include "pprof/reader/reader.h"

enum {
	NUMBERS_ONLY = 1u << TL_WIRE_VARINT,
	BYTES_ONLY = 1u << TL_WIRE_BYTES,
	FIELDS_LOOKED_AT = 64
};

/* Which wire types a field of the profile may have, as bits. */
static const uint8_t types[TL_PPROF_FIELDS] = {
	[TL_PPROF_SAMPLE_TYPE] = BYTES_ONLY,
	[TL_PPROF_SAMPLE] = BYTES_ONLY,
	[TL_PPROF_MAPPING] = BYTES_ONLY,
	[TL_PPROF_LOCATION] = BYTES_ONLY,
	[TL_PPROF_FUNCTION] = BYTES_ONLY,
	[TL_PPROF_STRING] = BYTES_ONLY,
	[TL_PPROF_DROP_FRAMES] = NUMBERS_ONLY,
	[TL_PPROF_KEEP_FRAMES] = NUMBERS_ONLY,
	[TL_PPROF_TIME_NANOS] = NUMBERS_ONLY,
	[TL_PPROF_DURATION_NANOS] = NUMBERS_ONLY,
	[TL_PPROF_PERIOD_TYPE] = BYTES_ONLY,
	[TL_PPROF_PERIOD] = NUMBERS_ONLY,
	[TL_PPROF_COMMENT] = NUMBERS_ONLY | BYTES_ONLY,
	[TL_PPROF_DEFAULT_TYPE] = NUMBERS_ONLY,
	[TL_PPROF_DOC_URL] = NUMBERS_ONLY,
};

/* The highest field number of the messages inside, and which of their fields are numbers. */
static const struct {
	uint32_t fields, numbers, bytes;
} inside[TL_PPROF_FIELDS] = {
	[TL_PPROF_SAMPLE_TYPE] = { 2, 0x6, 0 }, [TL_PPROF_SAMPLE] = { 3, 0x6, 0xe },
	[TL_PPROF_MAPPING] = { 10, 0x7fe, 0 },  [TL_PPROF_LOCATION] = { 5, 0x2e, 0x10 },
	[TL_PPROF_FUNCTION] = { 5, 0x3e, 0 },   [TL_PPROF_PERIOD_TYPE] = { 2, 0x6, 0 },
};

/* Whether a message has the fields of the one that stands in field `number` of a profile. */
static bool fits(uint32_t number, struct tl_cursor cur)
{
	struct tl_wire_field field;
	const char *why;
	int status;

	while ((status = tl_wire_next(&cur, &field, &why)) == 1) {
		uint32_t allowed =
			field.type == TL_WIRE_BYTES ? inside[number].bytes : inside[number].numbers;

		if (field.number > inside[number].fields || !(allowed >> field.number & 1) ||
		    (field.type != TL_WIRE_VARINT && field.type != TL_WIRE_BYTES))
			return false;
	}
	return status == 0;
}

int tl_pprof_probe(const uint8_t *data, size_t size)
{
	struct tl_cursor cur = tl_cursor_over(data, size);
	struct tl_wire_field field;
	unsigned seen = 0, typed = 0;
	bool empty_first = false, strings = false;
	const char *why;

	for (int i = 0; i < FIELDS_LOOKED_AT && tl_wire_next(&cur, &field, &why) == 1; i++) {
		if (field.number >= TL_PPROF_FIELDS)
			continue;
		if (!(types[field.number] >> field.type & 1))
			return 0;
		if (field.number == TL_PPROF_STRING && !strings) {
			strings = true;
			empty_first = field.bytes.pos == field.bytes.end;
		} else if (inside[field.number].fields) {
			if (!fits(field.number, field.bytes))
				return 0;
			typed += field.bytes.pos < field.bytes.end;
		}
		seen++;
	}
	if (strings && !empty_first)
		return 0;
	if (!typed && !empty_first)
		return 0;
	return seen > 1 || typed ? 60 : 0;
}

/* ---- older forms ---- */

/*
 * Words of a processor's profile before samples: 0, 3, a version 0 or 1, the period, 0. They are
 * of 4 or 8 bytes in the order of the machine that wrote them.
 */
static bool is_older_cpu(const uint8_t *data, size_t size, unsigned width, bool big)
{
	uint64_t words[5] = { 0 };

	if (size < 5 * width)
		return false;
	for (unsigned i = 0; i < 5 * width; i++) {
		const unsigned byte = i % width;

		words[i / width] |= (uint64_t)data[i] << 8 * (big ? width - 1 - byte : byte);
	}
	return !words[0] && words[1] == 3 && words[2] <= 1 && words[3] && !words[4];
}

static bool is_older_text(const uint8_t *data, size_t size)
{
	static const char *const starts[] = {
		"heap profile:", "--- heapz ",      "--- contentionz ",    "--- threadz ",
		"--- mutex:",    "--- contention:", "goroutine profile: ", "threadcreate profile: ",
	};

	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		const size_t length = strlen(starts[i]);

		if (size >= length && !memcmp(data, starts[i], length))
			return true;
	}
	return false;
}

const char *tl_pprof_explain_older(const uint8_t *data, size_t size)
{
	const bool older = is_older_text(data, size) || is_older_cpu(data, size, 8, false) ||
			   is_older_cpu(data, size, 4, false) ||
			   is_older_cpu(data, size, 8, true) || is_older_cpu(data, size, 4, true);

	return older ? "a profile of the form that gperftools and Go before 1.8 write: `go tool "
		       "pprof -proto PROGRAM FILE` makes one that is read"
		     : NULL;
}
