/* SPDX-License-Identifier: Apache-2.0 */
/* An instruction stream of any bytes, alone: all of it is read or told as skipped, in whatever
 * dialect it seems to be. */
#include "exercise_xtrace.h"
#include "fuzz.h"
#include "parts.h"
#include "mutator.h"

struct fuzz_range fuzz_units(uint8_t *data, size_t size)
{
	(void)data;
	return (struct fuzz_range){ 0, size };
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct pair pair = { data, data + size, size, 0 };

	exercise_chosen_by(data, size);
	FUZZ_MUST(tl_xtrace_probe(data, size) <= 100);
	if (exercise_does(0, 2))
		FUZZ_MUST(!exercise_tokens(&pair));
	if (exercise_does(1, 2))
		FUZZ_MUST(!exercise_tell(&pair));
	return 0;
}
