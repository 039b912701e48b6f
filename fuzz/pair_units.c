/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens of an xtrace pair in one piece (tests/fault/exercise_xtrace.h): its stream's. */
#include "exercise_xtrace.h"
#include "mutator.h"

enum { HEAD = 4 };

struct fuzz_range fuzz_units(uint8_t *data, size_t size)
{
	size_t stream = pair_of(data, size).stream_size;

	if (size < HEAD)
		return (struct fuzz_range){ 0, 0 };
	fuzz_put(data, stream, HEAD);
	return (struct fuzz_range){ HEAD, HEAD + stream };
}

void fuzz_resized(uint8_t *data, struct fuzz_range range)
{
	fuzz_put(data, range.to - range.from, HEAD);
}
