/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces that are written once and read in any order, in memory and behind it in a file. */
#include "../unit.h"

#include <stdlib.h>

#include "timeline/calls/spool.h"

enum { PIECES = 300, PIECE = 100000 }; /* 30 MB: more than is kept in memory */

static void fill(uint8_t *bytes, size_t number)
{
	for (size_t i = 0; i < PIECE; i++)
		bytes[i] = (uint8_t)(number * 7 + i / 1000);
}

TEST(pieces_are_read_back_from_memory_and_from_the_file)
{
	uint8_t *wanted = malloc(PIECE), *got = malloc(PIECE);
	uint64_t offsets[PIECES];
	struct tl_spool spool;
	struct tl_error err;

	tl_spool_begin(&spool);
	for (size_t i = 0; i < PIECES; i++) {
		fill(wanted, i);
		assert_int_equal(tl_spool_add(&spool, wanted, PIECE, &offsets[i], &err), 0);
	}
	assert_true(spool.written > 0 && spool.used > 0);
	for (size_t i = PIECES; i-- > 0;) {
		fill(wanted, i);
		assert_int_equal(tl_spool_read(&spool, offsets[i], got, PIECE, &err), 0);
		assert_memory_equal(got, wanted, PIECE);
	}
	/* The end of what was written is that of the part in memory. */
	assert_int_equal(tl_spool_read(&spool, (uint64_t)PIECES * PIECE - 1, got, 1, &err), 0);
	assert_int_equal(tl_spool_read(&spool, (uint64_t)PIECES * PIECE - 1, got, 2, &err),
			 TL_BAD_SIZE);
	assert_int_equal(tl_spool_read(&spool, (uint64_t)PIECES * PIECE, got, 1, &err),
			 TL_BAD_SIZE);
	tl_spool_free(&spool);
	free(wanted);
	free(got);
}

TEST(what_was_not_written_is_not_read)
{
	uint8_t bytes[4] = { 1, 2, 3, 4 };
	struct tl_spool spool;
	struct tl_error err;
	uint64_t offset;

	tl_spool_begin(&spool);
	assert_int_equal(tl_spool_read(&spool, 0, bytes, 1, &err), TL_BAD_SIZE);
	assert_int_equal(tl_spool_add(&spool, bytes, sizeof(bytes), &offset, &err), 0);
	assert_int_equal(tl_spool_read(&spool, 1, bytes, 4, &err), TL_BAD_SIZE);
	assert_int_equal(tl_spool_read(&spool, UINT64_MAX, bytes, 1, &err), TL_BAD_SIZE);
	assert_int_equal(tl_spool_read(&spool, 1, bytes, 3, &err), 0);
	assert_int_equal(bytes[0], 2);
	tl_spool_free(&spool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pieces_are_read_back_from_memory_and_from_the_file),
		cmocka_unit_test(what_was_not_written_is_not_read),
	};

	return cmocka_run_group_tests_name("timeline spool", tests, NULL, NULL);
}
