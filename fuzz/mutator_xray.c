/* SPDX-License-Identifier: Apache-2.0 */
/* Records of XRay logs as units (docs/formats/xray.md, 1 and 2), in the byte order of x86. */
#include "mutator.h"

#include "xray/format/layout.h"

enum { TYPE_AT = 2, FUNCTIONS = 6, PAYLOAD_MOST = 24 };

static struct fuzz_range units(uint8_t *data, size_t size)
{
	(void)data;
	return (struct fuzz_range){ TL_XRAY_HEADER_BYTES, size };
}

static size_t fdr_length(const uint8_t *record, size_t left)
{
	unsigned kind = record[0] >> 1;
	uint32_t payload = 0;

	if (!(record[0] & 1))
		return TL_XRAY_FUNCTION_BYTES;
	if (left >= TL_XRAY_METADATA_BYTES &&
	    (kind == TL_XRAY_MD_CUSTOM_EVENT || kind == TL_XRAY_MD_TYPED_EVENT))
		for (unsigned i = 0; i < 4; i++)
			payload |= (uint32_t)record[1 + i] << 8 * i;
	return payload < left ? TL_XRAY_METADATA_BYTES + payload : TL_XRAY_METADATA_BYTES;
}

static size_t length(const uint8_t *data, size_t at, size_t to, unsigned *state)
{
	size_t size = data[TYPE_AT] == TL_XRAY_TYPE_BASIC ? TL_XRAY_BASIC_BYTES
							  : fdr_length(data + at, to - at);

	(void)state;
	return size < to - at ? size : to - at;
}

/* Type of entry, id and time since the last record ("Function Records"). */
static size_t make_function(uint8_t *unit, struct random *random)
{
	uint64_t id = 1 + random_below(random, FUNCTIONS), kind = random_below(random, 8);

	fuzz_put(unit, (id << 4 | (kind < 6 ? kind % 2 : kind - 4) << 1) & 0xffffffff, 4);
	fuzz_put(unit + 4,
		 random_below(random, 4) ? random_below(random, 1000) : fuzz_number(random), 4);
	return TL_XRAY_FUNCTION_BYTES;
}

static size_t make_metadata(uint8_t *unit, struct random *random)
{
	size_t kind = random_below(random, TL_XRAY_MD_COUNT), payload = 0;

	unit[0] = (uint8_t)(kind << 1 | 1);
	for (size_t i = 1; i < TL_XRAY_METADATA_BYTES; i++)
		unit[i] = 0;
	fuzz_put(unit + 1, fuzz_number(random), 8);
	if (kind == TL_XRAY_MD_NEW_CPU)
		fuzz_put(unit + 3, 1000 * random_below(random, 100), 8);
	if (kind == TL_XRAY_MD_CUSTOM_EVENT || kind == TL_XRAY_MD_TYPED_EVENT) {
		payload = random_below(random, PAYLOAD_MOST);
		fuzz_put(unit + 1, payload, 4);
		for (size_t i = 0; i < payload; i++)
			unit[TL_XRAY_METADATA_BYTES + i] = (uint8_t)random_next(random);
	}
	return TL_XRAY_METADATA_BYTES + payload;
}

static size_t make(uint8_t *unit, struct random *random)
{
	return random_below(random, 3) ? make_function(unit, random) : make_metadata(unit, random);
}

const struct fuzz_grammar fuzz_grammar = { .units = units, .length = length, .make = make };
