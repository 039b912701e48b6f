/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of Callgrind profiles as units (docs/formats/callgrind.md). */
#include "mutator.h"

#include <stdio.h>
#include <string.h>

static struct fuzz_range units(uint8_t *data, size_t size)
{
	(void)data;
	return (struct fuzz_range){ 0, size };
}

static size_t length(const uint8_t *data, size_t at, size_t to, unsigned *state)
{
	const uint8_t *end = memchr(data + at, '\n', to - at);

	(void)state;
	return end ? (size_t)(end + 1 - (data + at)) : to - at;
}

static size_t make(uint8_t *unit, struct random *random)
{
	static const char *const names[] = { "fn",  "fl",  "fi",  "fe",  "ob", "cfn",
					     "cfi", "cfl", "cob", "jfn", "jfi" };
	static const char *const lines[] = {
		"calls=%llu +1\n",
		"calls=%llu 0x10 4\n",
		"%llu %llu\n",
		"+%llu 7\n",
		"-%llu 7\n",
		"* %llu\n",
		"jump=%llu 5\n",
		"jcnd=1/%llu 5\n",
		"0x%llx 3 4 5\n",
		"totals: %llu\n",
		"summary: %llu 1\n",
		"part: %llu\n",
		"pid: %llu\n",
		"thread: %llu\n",
		"events: Ir Dr\n",
		"events: Ir\n",
		"positions: line\n",
		"positions: instr line\n",
		"\n",
		"# %llu\n",
		"event: X = Ir + %llu Dr\n",
		"version: 1\n",
		"creator: x\n",
		"cmd: ./a %llu\n",
	};
	unsigned long long number = fuzz_number(random), other = fuzz_number(random);
	const char *name = names[random_below(random, sizeof(names) / sizeof(names[0]))];
	int size;

	switch (random_below(random, 4)) {
	case 0:
		size = snprintf((char *)unit, FUZZ_UNIT_MOST, "%s=(%llu)\n", name, number % 16);
		break;
	case 1:
		size = snprintf((char *)unit, FUZZ_UNIT_MOST, "%s=(%llu) n%llu\n", name,
				number % 16, other);
		break;
	default:
		size = snprintf((char *)unit, FUZZ_UNIT_MOST,
				lines[random_below(random, sizeof(lines) / sizeof(lines[0]))],
				number, other);
	}
	return (size_t)size;
}

const struct fuzz_grammar fuzz_grammar = { .units = units, .length = length, .make = make };
