/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of memory: accesses of every size at every place of a page, held against a plain
 * array. */
#include "bytes.h"
#include "xtrace/state/shadow.h"

/* Three pages' worth of addresses around the beginning of a page. */
enum { BASE = 0x7f0000000000 - 700, AROUND = 1500 };

struct plain {
	uint8_t bytes[AROUND + 256];
	bool known[AROUND + 256];
};

/* Numbers that look random, and are the same everywhere. */
static uint32_t next(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

static bool plain_load(struct plain *plain, size_t at, const uint8_t *data, size_t size)
{
	bool agrees = true;

	for (size_t i = 0; i < size; i++) {
		if (plain->known[at + i] && plain->bytes[at + i] != data[i])
			agrees = false;
		plain->known[at + i] = true;
		plain->bytes[at + i] = data[i];
	}
	return agrees;
}

/* "A load differs from what was stored or loaded there last" is decided byte by byte. */
TEST(as_a_plain_array)
{
	struct tl_xtrace_shadow shadow;
	struct plain plain = { .known = { false } };
	uint32_t random = 1;

	tl_xtrace_shadow_begin(&shadow);
	for (unsigned n = 0; n < 200000; n++) {
		size_t size = (size_t)1 << next(&random) % 9, at = next(&random) % AROUND;
		unsigned what = next(&random) % 8;
		uint8_t data[256];

		/* Mostly what is there. */
		for (size_t i = 0; i < size; i++)
			data[i] = what < 6 && plain.known[at + i] ? plain.bytes[at + i]
								  : (uint8_t)next(&random);
		if (what == 7) {
			tl_xtrace_shadow_forget(&shadow, 3, BASE + at, size);
			memset(plain.known + at, 0, size);
		} else if (what & 1) {
			assert_true(tl_xtrace_shadow_store(&shadow, 3, BASE + at, data, size));
			plain_load(&plain, at, data, size);
		} else {
			assert_int_equal(tl_xtrace_shadow_load(&shadow, 3, BASE + at, data, size),
					 plain_load(&plain, at, data, size)
						 ? TL_XTRACE_SHADOW_AGREES
						 : TL_XTRACE_SHADOW_DISAGREES);
		}
	}
	tl_xtrace_shadow_free(&shadow);
}

TEST(spaces_are_apart)
{
	struct tl_xtrace_shadow shadow;

	tl_xtrace_shadow_begin(&shadow);
	for (unsigned space = 0; space < TL_XTRACE_SHADOW_SPACES; space += 73) {
		const uint8_t value = (uint8_t)space;

		assert_int_equal(tl_xtrace_shadow_load(&shadow, space, 0x1000, &value, 1),
				 TL_XTRACE_SHADOW_AGREES);
	}
	for (unsigned space = 0; space < TL_XTRACE_SHADOW_SPACES; space += 73) {
		const uint8_t value = (uint8_t)space, other = (uint8_t)(space + 1);

		assert_int_equal(tl_xtrace_shadow_load(&shadow, space, 0x1000, &value, 1),
				 TL_XTRACE_SHADOW_AGREES);
		if (space == 146)
			tl_xtrace_shadow_forget_all(&shadow, space);
		assert_int_equal(tl_xtrace_shadow_load(&shadow, space, 0x1000, &other, 1),
				 space == 146 ? TL_XTRACE_SHADOW_AGREES
					      : TL_XTRACE_SHADOW_DISAGREES);
	}
	tl_xtrace_shadow_free(&shadow);
}

/* Ranges of any size, to the end of all addresses: nothing hangs, and what is outside stays known.
 */
TEST(large_ranges)
{
	static const uint8_t one = 1, two = 2;
	struct tl_xtrace_shadow shadow;

	tl_xtrace_shadow_begin(&shadow);
	for (unsigned i = 0; i < 1000; i++)
		assert_true(tl_xtrace_shadow_store(&shadow, 0, 0x10000 * (uint64_t)i, &one, 1));
	tl_xtrace_shadow_forget(&shadow, 0, 0x10000 * 500, UINT64_MAX);
	for (unsigned i = 0; i < 1000; i++)
		assert_int_equal(tl_xtrace_shadow_load(&shadow, 0, 0x10000 * (uint64_t)i, &two, 1),
				 i < 500 ? TL_XTRACE_SHADOW_DISAGREES : TL_XTRACE_SHADOW_AGREES);
	tl_xtrace_shadow_forget(&shadow, 0, UINT64_MAX, 5);
	tl_xtrace_shadow_forget(&shadow, 0, 5, 0);
	assert_true(
		tl_xtrace_shadow_store(&shadow, 0, UINT64_MAX - 3, (const uint8_t *)"abcdefgh", 8));
	/* Whoever forgets again and again forgets all. */
	for (unsigned i = 0; i < 1000000; i++)
		tl_xtrace_shadow_forget(&shadow, 0, 1 << 20, UINT64_MAX);
	tl_xtrace_shadow_free(&shadow);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_a_plain_array),
		cmocka_unit_test(spaces_are_apart),
		cmocka_unit_test(large_ranges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
