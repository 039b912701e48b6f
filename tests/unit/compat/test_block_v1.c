/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TL_PT_BLOCK_V1: the ten flags of the published page pt_blk_next(3), where the page has them: in
 * the half-word at byte 46, from bit 0 on speculative, aborted, committed, disabled, enabled,
 * resumed, interrupted, resynced, stopped, truncated.
 */
#define TL_PT_BLOCK_V1

#include "../unit.h"

#include <intel-pt.h>

enum {
	SPECULATIVE = 1 << 0,
	ABORTED = 1 << 1,
	COMMITTED = 1 << 2,
	DISABLED = 1 << 3,
	ENABLED = 1 << 4,
	RESUMED = 1 << 5,
	INTERRUPTED = 1 << 6,
	RESYNCED = 1 << 7,
	STOPPED = 1 << 8,
};

/* From 1000 on: nop; syscall; nop, nop, nop ... */
static int code(uint8_t *buffer, size_t size, const struct pt_asid *asid, uint64_t ip,
		void *context)
{
	(void)asid, (void)context;
	if (ip < 0x1000 || ip > 0x10ff)
		return -pte_nomap;
	for (size_t i = 0; i < size; i++)
		buffer[i] = ip + i == 0x1001 ? 0x0f : ip + i == 0x1002 ? 0x05 : 0x90;
	return (int)size;
}

/* clang-format off */
static const uint8_t trace[] = {
	2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 0x99, 1, 2, 0x23,
	/* 1000, 1001: on, and off at the system call */
	0x71, 0x00, 0x10, 0, 0, 0, 0, 0x01,
	/* On again behind it: 1003, 1004; at 1005 an interrupt takes control to 1010. */
	0x31, 0x03, 0x10, 0x3d, 0x05, 0x10, 0x2d, 0x10, 0x10,
	/* 1010, 1011; at 1012 a transaction begins: 1012, 1013; committed at 1014: 1014 */
	0x99, 0x21, 0x3d, 0x12, 0x10, 0x99, 0x20, 0x3d, 0x14, 0x10,
	/* at 1015 another one: 1015; aborted at 1016, which goes on at 1020: 1020 */
	0x99, 0x21, 0x3d, 0x15, 0x10, 0x99, 0x22, 0x3d, 0x16, 0x10, 0x2d, 0x20, 0x10,
	/* at 1021 packets were lost; it goes on at 1030: 1030 */
	0x3d, 0x21, 0x10, 0x01, 2, 0xf3, 0x3d, 0x30, 0x10,
	/* Off before 1032, and stopped. */
	0x3d, 0x32, 0x10, 0x01, 2, 0x83,
};
/* clang-format on */

static const struct {
	uint64_t ip, end_ip;
	uint16_t ninsn, flags;
} expected[] = {
	{ 0x1000, 0x1001, 2, ENABLED | DISABLED },
	{ 0x1003, 0x1004, 2, ENABLED | RESUMED | INTERRUPTED },
	{ 0x1010, 0x1011, 2, 0 },
	{ 0x1012, 0x1013, 2, SPECULATIVE | COMMITTED },
	{ 0x1014, 0x1014, 1, 0 },
	/*
	 * An abort is a tsx event, and an asynchronous branch to where it goes on: a flag each
	 * (section 2).
	 */
	{ 0x1015, 0x1015, 1, SPECULATIVE | ABORTED | INTERRUPTED },
	{ 0x1020, 0x1020, 1, DISABLED },
	{ 0x1030, 0x1031, 2, RESYNCED | DISABLED | STOPPED },
};
enum { BLOCKS = sizeof(expected) / sizeof(expected[0]) };

static uint16_t flags_of(const struct pt_block *block)
{
	uint16_t flags;

	memcpy(&flags, (const uint8_t *)block + 46, sizeof(flags));
	return flags;
}

static struct pt_block_decoder *open_decoder(void)
{
	struct pt_block_decoder *decoder;
	struct pt_config config;

	pt_config_init(&config);
	config.begin = (uint8_t *)(uintptr_t)trace;
	config.end = config.begin + sizeof(trace);
	decoder = pt_blk_alloc_decoder(&config);
	assert_non_null(decoder);
	assert_int_equal(pt_image_set_callback(pt_blk_get_image(decoder), code, NULL), 0);
	return decoder;
}

TEST(flags_stand_where_the_page_has_them)
{
	struct pt_block_decoder *decoder = open_decoder();
	int status = pt_blk_sync_forward(decoder);

	for (unsigned i = 0; i < BLOCKS; i++) {
		struct pt_block block;

		/* "pts_event_pending" is of version 2. */
		assert_false(status & pts_event_pending);
		status = pt_blk_next(decoder, &block, sizeof(block));
		assert_true(status >= 0);
		assert_int_equal(block.ip, expected[i].ip);
		assert_int_equal(block.end_ip, expected[i].end_ip);
		assert_int_equal(block.ninsn, expected[i].ninsn);
		/* A program takes them by name; RESYNCED: flow may have been off before. */
		assert_int_equal(flags_of(&block) & (expected[i].flags & RESYNCED ? ~ENABLED : ~0),
				 expected[i].flags);
		assert_int_equal(block.enabled, !!(flags_of(&block) & ENABLED));
		assert_int_equal(block.stopped, !!(flags_of(&block) & STOPPED));
		assert_int_equal(block.aborted, !!(flags_of(&block) & ABORTED));
	}
	assert_int_equal(pt_blk_next(decoder, &(struct pt_block){ 0 }, sizeof(struct pt_block)),
			 -pte_eos);
	pt_blk_free_decoder(decoder);
}

/* A structure too short for the flags is not written behind its end. */
TEST(short_structures)
{
	struct pt_block_decoder *decoder = open_decoder();
	uint8_t bytes[48];

	memset(bytes, 0x55, sizeof(bytes));
	assert_true(pt_blk_sync_forward(decoder) >= 0);
	assert_true(pt_blk_next(decoder, (struct pt_block *)(void *)bytes, 46) >= 0);
	assert_int_equal(bytes[46], 0x55);
	assert_int_equal(bytes[47], 0x55);
	pt_blk_free_decoder(decoder);
	assert_null(pt_blk_alloc_decoder(NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flags_stand_where_the_page_has_them),
		cmocka_unit_test(short_structures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
