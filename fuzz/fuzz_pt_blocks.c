/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Intel PT: any trace over any code comes to an end, in bounded memory, and says the same by
 * blocks, nodes and instructions. Six bytes choose the configuration and how many bytes of code
 * follow; the trace is behind them, and gets a beginning, so that most of it is decoded.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "parts.h"
#include "mutator.h"
#include "pt_walk.h"

/* PSB, MODE.Exec for 64-bit code, FUP 1000, PSBEND. */
static const uint8_t beginning[] = { 0x02, 0x82, 0x02, 0x82, 0x02, 0x82, 0x02, 0x82, 0x02,
				     0x82, 0x02, 0x82, 0x02, 0x82, 0x02, 0x82, 0x99, 0x01,
				     0x7d, 0x00, 0x10, 0,    0,    0,    0,    0x02, 0x23 };

struct fuzz_range fuzz_units(uint8_t *data, size_t size)
{
	const size_t head = sizeof(uint32_t) + sizeof(uint16_t);
	size_t code;

	if (size < head + 2)
		return (struct fuzz_range){ 0, 0 };
	code = (data[4] | (size_t)data[5] << 8) % (size - head - 1);
	fuzz_put(data + 4, code, 2);
	return (struct fuzz_range){ head + 1 + code, size };
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint32_t choice;
	uint16_t code_size;
	uint8_t *code, *trace;

	if (size < sizeof(choice) + sizeof(code_size) + 2)
		return 0;
	exercise_chosen_by(data, size);
	memcpy(&choice, data, sizeof(choice));
	memcpy(&code_size, data + sizeof(choice), sizeof(code_size));
	data += sizeof(choice) + sizeof(code_size);
	size -= sizeof(choice) + sizeof(code_size);
	code_size = (uint16_t)(1 + code_size % (size - 1));
	size -= code_size;
	code = malloc(code_size);
	trace = malloc(sizeof(beginning) + size);
	FUZZ_MUST(code && trace);
	memcpy(code, data, code_size);
	memcpy(trace, beginning, sizeof(beginning));
	memcpy(trace + sizeof(beginning), data + code_size, size);
	FUZZ_MUST(
		!exercise_pt_walk(code, code_size, trace, sizeof(beginning) + size, choice, NULL));
	free(code);
	free(trace);
	return 0;
}
