/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Code that lies in several sections, which begin and end anywhere, also within an instruction
 * (docs/formats/intel-pt.md, 1.2, 3.2 and 9.1): instructions and blocks say of which section they
 * are, whether they reach out of it, and then which bytes they have. Debian's 2.0.5 says the same.
 */
#include "../chance.h"
#include "../temp_fixture.h"

#include <intel-pt.h>

#include <stdbool.h>

enum { AT = 0x1000, MOST_BYTES = 400, MOST_INSNS = 200, MOST_SECTIONS = 30, ROUNDS = 120 };

struct code {
	uint8_t bytes[MOST_BYTES];
	unsigned size;
	unsigned insns[MOST_INSNS + 1]; /* where each begins, and where the last one ends */
	unsigned insn_count;
	unsigned ends[MOST_SECTIONS]; /* of sections, one behind the other */
	int isids[MOST_SECTIONS];
	unsigned section_count;
};

static struct code c;

/* ---- code ---- */

static void put_insn(const char *bytes, unsigned size)
{
	memcpy(c.bytes + c.size, bytes, size);
	c.insns[c.insn_count++] = c.size;
	c.size += size;
	c.insns[c.insn_count] = c.size;
}

/* Instructions that do nothing, of up to nine bytes (SDM, NOP), and "jmp *%rax". */
static void draw_code(uint32_t *seed)
{
	static const struct {
		const char *bytes;
		unsigned size;
	} nops[] = {
		{ "\x90", 1 },
		{ "\x66\x90", 2 },
		{ "\x0f\x1f\x00", 3 },
		{ "\x0f\x1f\x40\x00", 4 },
		{ "\x0f\x1f\x44\x00\x00", 5 },
		{ "\x66\x0f\x1f\x44\x00\x00", 6 },
		{ "\x0f\x1f\x80\x00\x00\x00\x00", 7 },
		{ "\x66\x0f\x1f\x84\x00\x00\x00\x00\x00", 9 },
	};

	memset(&c, 0, sizeof(c));
	for (unsigned left = 1 + chance(seed, 40); left; left--) {
		const unsigned one = chance(seed, 8);

		put_insn(nops[one].bytes, nops[one].size);
	}
	put_insn("\xff\xe0", 2);
}

/* Sections of any size, each a part of one file, with a number of its own. */
static struct pt_image *draw_sections(struct pt_image_section_cache *cache, uint32_t *seed)
{
	const char *path = temp_write(&temp, "code", c.bytes, c.size);
	struct pt_image *image = pt_image_alloc("sections");
	const unsigned widest = 1 + chance(seed, 60);

	for (unsigned at = 0; at < c.size;) {
		unsigned size = 1 + chance(seed, widest);
		const bool last = c.section_count + 1 == MOST_SECTIONS;
		int isid;

		if (size > c.size - at || last)
			size = c.size - at;
		isid = pt_iscache_add_file(cache, path, at, size, AT + at);
		assert_true(isid > 0);
		assert_int_equal(pt_image_add_cached(image, cache, isid, NULL), 0);
		at += size;
		c.ends[c.section_count] = at;
		c.isids[c.section_count++] = isid;
	}
	return image;
}

static unsigned section_of(unsigned at)
{
	unsigned section = 0;

	while (c.ends[section] <= at)
		section++;
	return section;
}

static bool reaches_out(unsigned insn)
{
	return c.insns[insn + 1] > c.ends[section_of(c.insns[insn])];
}

/* ---- traces ---- */

/* PSB+ with MODE.Exec of 64 bits and a FUP: flow is at an address. */
static struct pt_config trace_from(uint8_t trace[28], unsigned at)
{
	static const uint8_t head[] = { 2,    0x82, 2,    0x82, 2,    0x82, 2,    0x82, 2,
					0x82, 2,    0x82, 2,    0x82, 2,    0x82, 0x99, 1,
					0x7d, 0,    0,    0,    0,    0,    0,    2,    0x23 };
	struct pt_config config;

	memcpy(trace, head, sizeof(head));
	trace[19] = (uint8_t)(AT + at);
	trace[20] = (uint8_t)((AT + at) >> 8);
	pt_config_init(&config);
	config.begin = trace;
	config.end = trace + sizeof(head);
	return config;
}

static void expect_insn(const struct pt_insn *insn, unsigned number)
{
	const unsigned at = c.insns[number], size = c.insns[number + 1] - at;

	assert_int_equal(insn->ip, AT + at);
	assert_int_equal(insn->size, size);
	assert_int_equal(insn->isid, c.isids[section_of(at)]);
	assert_int_equal(insn->truncated, reaches_out(number));
	assert_memory_equal(insn->raw, c.bytes + at, size);
	assert_int_equal(insn->mode, ptem_64bit);
	assert_int_equal(insn->iclass, number + 1 == c.insn_count ? ptic_jump : ptic_other);
}

TEST(instructions_of_drawn_sections)
{
	for (uint32_t round = 1; round <= ROUNDS; round++) {
		uint32_t seed = round * 7919;
		struct pt_image_section_cache *cache = pt_iscache_alloc(NULL);
		struct pt_insn_decoder *decoder;
		struct pt_config config;
		struct pt_image *image;
		struct pt_event event;
		uint8_t trace[28];
		unsigned number;
		int status;

		draw_code(&seed);
		image = draw_sections(cache, &seed);
		number = chance(&seed, c.insn_count);
		config = trace_from(trace, c.insns[number]);
		decoder = pt_insn_alloc_decoder(&config);
		assert_int_equal(pt_insn_set_image(decoder, image), 0);
		status = pt_insn_sync_forward(decoder);
		while (status & pts_event_pending)
			status = pt_insn_event(decoder, &event, sizeof(event));
		for (; number < c.insn_count; number++) {
			struct pt_insn insn;

			assert_true(status >= 0);
			status = pt_insn_next(decoder, &insn, sizeof(insn));
			expect_insn(&insn, number);
		}
		/* Where the jump leads is not in the trace. */
		if (status >= 0)
			status = pt_insn_next(decoder, &(struct pt_insn){ 0 },
					      sizeof(struct pt_insn));
		assert_int_equal(status, -pte_eos);
		pt_insn_free_decoder(decoder);
		pt_image_free(image);
		pt_iscache_free(cache);
	}
}

/* The instructions of a block are of one section; but the last one none reaches out of it. */
static void expect_block(const struct pt_block *block, unsigned first)
{
	const unsigned last = first + block->ninsn - 1, at = c.insns[last];
	const unsigned section = section_of(c.insns[first]);

	assert_true(block->ninsn > 0 && last < c.insn_count);
	assert_int_equal(block->ip, AT + c.insns[first]);
	assert_int_equal(block->end_ip, AT + at);
	assert_int_equal(block->isid, c.isids[section]);
	assert_int_equal(section_of(at), section);
	for (unsigned i = first; i < last; i++)
		assert_false(reaches_out(i));
	assert_int_equal(block->truncated, reaches_out(last));
	if (block->truncated) {
		assert_int_equal(block->size, c.insns[last + 1] - at);
		assert_memory_equal(block->raw, c.bytes + at, block->size);
	}
	assert_int_equal(block->iclass, last + 1 == c.insn_count ? ptic_jump : ptic_other);
}

TEST(blocks_of_drawn_sections)
{
	for (uint32_t round = 1; round <= ROUNDS; round++) {
		uint32_t seed = round * 104729;
		struct pt_image_section_cache *cache = pt_iscache_alloc(NULL);
		struct pt_block_decoder *decoder;
		struct pt_config config;
		struct pt_image *image;
		struct pt_event event;
		uint8_t trace[28];
		unsigned number;
		int status;

		draw_code(&seed);
		image = draw_sections(cache, &seed);
		number = chance(&seed, c.insn_count);
		config = trace_from(trace, c.insns[number]);
		decoder = pt_blk_alloc_decoder(&config);
		assert_int_equal(pt_blk_set_image(decoder, image), 0);
		status = pt_blk_sync_forward(decoder);
		while (status & pts_event_pending)
			status = pt_blk_event(decoder, &event, sizeof(event));
		while (number < c.insn_count) {
			struct pt_block block;

			assert_true(status >= 0);
			status = pt_blk_next(decoder, &block, sizeof(block));
			expect_block(&block, number);
			number += block.ninsn;
		}
		if (status >= 0)
			status = pt_blk_next(decoder, &(struct pt_block){ 0 },
					     sizeof(struct pt_block));
		assert_int_equal(status, -pte_eos);
		pt_blk_free_decoder(decoder);
		pt_image_free(image);
		pt_iscache_free(cache);
	}
}

/* ---- as many instructions as a block can count ---- */

enum { MANY = 70000 };

/* Nops, and "jmp *%rax" behind them. */
static int read_many(uint8_t *buffer, size_t size, const struct pt_asid *asid, uint64_t ip,
		     void *context)
{
	const uint64_t end = AT + MANY + 2;

	(void)asid, (void)context;
	if (ip < AT || ip >= end)
		return -pte_nomap;
	size = size < end - ip ? size : end - ip;
	for (size_t i = 0; i < size; i++)
		buffer[i] = ip + i == AT + MANY ? 0xff : ip + i == AT + MANY + 1 ? 0xe0 : 0x90;
	return (int)size;
}

TEST(a_block_counts_65535_instructions_at_most)
{
	uint8_t trace[28];
	struct pt_config config = trace_from(trace, 0);
	struct pt_block_decoder *decoder = pt_blk_alloc_decoder(&config);
	struct pt_event event;
	uint64_t next = AT;
	int status;

	assert_int_equal(pt_image_set_callback(pt_blk_get_image(decoder), read_many, NULL), 0);
	status = pt_blk_sync_forward(decoder);
	while (status & pts_event_pending)
		status = pt_blk_event(decoder, &event, sizeof(event));
	for (unsigned left = MANY + 1; left;) {
		struct pt_block block;

		assert_true(status >= 0);
		status = pt_blk_next(decoder, &block, sizeof(block));
		assert_int_equal(block.ip, next);
		assert_int_equal(block.ninsn, left > UINT16_MAX ? UINT16_MAX : left);
		assert_int_equal(block.end_ip, next + block.ninsn - 1);
		next = block.end_ip + 1;
		left -= block.ninsn;
	}
	assert_int_equal(next, AT + MANY + 1);
	pt_blk_free_decoder(decoder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(instructions_of_drawn_sections),
		cmocka_unit_test(blocks_of_drawn_sections),
		cmocka_unit_test(a_block_counts_65535_instructions_at_most),
	};

	return cmocka_run_group_tests(tests, temp_setup, temp_teardown);
}
