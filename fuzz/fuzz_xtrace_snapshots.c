/* SPDX-License-Identifier: Apache-2.0 */
/* A snapshot file of any bytes beside a small stream: layouts are tried, and what is found can be
 * told. */
#include "exercise_xtrace.h"
#include "fuzz.h"
#include "parts.h"

/* A NOP with its PC, and three more. */
static const uint8_t stream[] = {
	0x09, 0,    0x10, 0,    0,    0,    0,    0,    0,    0x1f, 0x20, 0x03, 0xd5, 0x01,
	0x1f, 0x20, 0x03, 0xd5, 0x01, 0x1f, 0x20, 0x03, 0xd5, 0x01, 0x1f, 0x20, 0x03, 0xd5,
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct pair pair = { stream, data, sizeof(stream), size };

	exercise_chosen_by(data, size);
	FUZZ_MUST(tl_xtrace_probe(data, size) <= 100);
	if (exercise_does(0, 4))
		FUZZ_MUST(!exercise_tokens(&pair));
	if (exercise_does(1, 4))
		FUZZ_MUST(!exercise_tell(&pair));
	if (exercise_does(2, 4))
		FUZZ_MUST(!exercise_check(&pair));
	if (exercise_does(3, 4))
		FUZZ_MUST(!exercise_slice(&pair));
	return 0;
}
