/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traces whose execution is known (../intel_pt/walked.h), as the drop-in's decoders of
 * instructions, of blocks and of queries give it: from each PSB on, with images of files and of
 * callbacks that take turns, behind damage, and behind code that is missing.
 */
#include "../intel_pt/walked.h"
#include "../temp_fixture.h"

#include <intel-pt.h>

static struct walked walk_made;

static const struct {
	size_t steps;
	unsigned psbs, interrupts;
} shapes[] = {
	{ 1, 0, 0 }, { 40, 9, 0 }, { 300, 0, 20 }, { 2000, 30, 15 }, { 4000, 400, 300 },
};

/* ---- code ---- */

struct hole {
	uint64_t begin, end;
};

static int read_walked(uint8_t *buffer, size_t size, const struct pt_asid *asid, uint64_t ip,
		       void *context)
{
	static uint8_t code[WALKED_END - WALKED_AT];
	const struct hole *hole = context;

	(void)asid;
	if (!code[0])
		walked_code(code);
	if (ip < WALKED_AT || ip >= WALKED_END || (hole && ip >= hole->begin && ip < hole->end))
		return -pte_nomap;
	if (size > WALKED_END - ip)
		size = WALKED_END - ip;
	if (hole && ip < hole->begin && size > hole->begin - ip)
		size = hole->begin - ip;
	memcpy(buffer, code + (ip - WALKED_AT), size);
	return (int)size;
}

/* The code in two sections of one file, cut in the middle of function a. */
static struct pt_image *image_of_file(void)
{
	enum { CUT = 0x44 };
	struct pt_image *image = pt_image_alloc("file");
	uint8_t code[WALKED_END - WALKED_AT];
	const char *path;

	walked_code(code);
	path = temp_write(&temp, "code", code, sizeof(code));
	assert_int_equal(pt_image_add_file(image, path, 0, CUT, NULL, WALKED_AT), 0);
	assert_int_equal(
		pt_image_add_file(image, path, CUT, sizeof(code) - CUT, NULL, WALKED_AT + CUT), 0);
	return image;
}

static struct pt_image *image_of_calls(struct hole *hole)
{
	struct pt_image *image = pt_image_alloc("calls");

	assert_int_equal(pt_image_set_callback(image, read_walked, hole), 0);
	return image;
}

/* ---- a decoder of either kind ---- */

struct side {
	struct pt_insn_decoder *insns; /* or */
	struct pt_block_decoder *blocks;
	struct pt_config config;
	/* what was executed since it was asked for */
	uint16_t steps[MOST_STEPS + 70000];
	size_t count;
	size_t interrupts;
	bool damaged; /* flow may leave the program */
};

static struct side side;

static void open_side(const struct walked *w, bool blocks, unsigned flags)
{
	memset(&side, 0, sizeof(side));
	pt_config_init(&side.config);
	side.config.begin = (uint8_t *)(uintptr_t)w->trace;
	side.config.end = side.config.begin + w->size;
	side.config.flags.variant.block.end_on_call = blocks && flags & 1;
	side.config.flags.variant.block.end_on_jump = blocks && flags & 2;
	if (blocks)
		side.blocks = pt_blk_alloc_decoder(&side.config);
	else
		side.insns = pt_insn_alloc_decoder(&side.config);
	assert_true(side.blocks || side.insns);
}

static void close_side(void)
{
	pt_blk_free_decoder(side.blocks);
	pt_insn_free_decoder(side.insns);
}

static void use_image(struct pt_image *image)
{
	assert_int_equal(side.blocks ? pt_blk_set_image(side.blocks, image)
				     : pt_insn_set_image(side.insns, image),
			 0);
}

static int sync_forward(void)
{
	return side.blocks ? pt_blk_sync_forward(side.blocks) : pt_insn_sync_forward(side.insns);
}

static int sync_set(uint64_t offset)
{
	return side.blocks ? pt_blk_sync_set(side.blocks, offset)
			   : pt_insn_sync_set(side.insns, offset);
}

static int resync(void)
{
	return side.blocks ? pt_blk_resync(side.blocks) : pt_insn_resync(side.insns);
}

static uint64_t sync_offset(void)
{
	uint64_t offset = 0;

	assert_int_equal(side.blocks ? pt_blk_get_sync_offset(side.blocks, &offset)
				     : pt_insn_get_sync_offset(side.insns, &offset),
			 0);
	return offset;
}

static bool is_outside(uint64_t ip)
{
	for (size_t i = 0; i < COUNT(program); i++)
		if (program[i].at == ip)
			return false;
	return side.damaged;
}

/* A block is what is executed from its address on without the help of a trace. */
static void add_block(const struct pt_block *block, unsigned flags)
{
	uint64_t ip = block->ip;

	assert_int_equal(block->mode, ptem_64bit);
	for (unsigned i = 0; i < block->ninsn; i++) {
		const struct walked_insn *insn;

		if (is_outside(ip))
			return;
		insn = walked_insn(ip);
		assert_true(side.count < COUNT(side.steps));
		side.steps[side.count++] = (uint16_t)ip;
		if (i + 1 == block->ninsn) {
			assert_int_equal(ip, block->end_ip);
			continue;
		}
		assert_true(insn->kind == PLAIN || insn->kind == CALL || insn->kind == JUMP);
		assert_false(insn->kind == CALL && flags & 1);
		assert_false(insn->kind == JUMP && flags & 2);
		ip = insn->kind == PLAIN ? ip + insn->size : insn->to;
	}
}

static int take_event(const struct walked *w, size_t first)
{
	struct pt_event event;
	int status = side.blocks ? pt_blk_event(side.blocks, &event, sizeof(event))
				 : pt_insn_event(side.insns, &event, sizeof(event));

	if (status < 0 || side.damaged || event.type == ptev_exec_mode ||
	    event.type == ptev_disabled)
		return status;
	assert_int_equal(event.type, ptev_async_branch);
	side.interrupts++;
	if (!w)
		return status;
	/* It comes where it happened. */
	assert_true(first + side.count > 0 && w->interrupt[first + side.count - 1]);
	assert_int_equal(event.variant.async_branch.from, w->to[first + side.count - 1]);
	assert_int_equal(event.variant.async_branch.to, HANDLER_AT);
	return status;
}

static int take_code(unsigned flags)
{
	struct pt_block block;
	struct pt_insn insn = { .size = 0 };
	int status;

	if (side.blocks) {
		status = pt_blk_next(side.blocks, &block, sizeof(block));
		add_block(&block, flags);
		return status;
	}
	status = pt_insn_next(side.insns, &insn, sizeof(insn));
	/* An error may come with the instruction that it follows; its bytes are known then. */
	if (insn.size && insn.iclass != ptic_error && !is_outside(insn.ip)) {
		const struct walked_insn *wanted = walked_insn(insn.ip);

		assert_int_equal(insn.size, wanted->size);
		assert_int_equal(insn.mode, ptem_64bit);
		assert_true(side.count < COUNT(side.steps));
		side.steps[side.count++] = (uint16_t)insn.ip;
	}
	return status;
}

/*
 * Everything up to an error or the end, which is returned. `w`: what events must be, from step
 * `first` on; NULL: anything. `images`: two that take turns, as it is drawn; NULL: none.
 */
static int take_all(int status, const struct walked *w, size_t first,
		    struct pt_image *const *images, uint32_t *seed, unsigned flags)
{
	side.count = side.interrupts = 0;
	while (status >= 0) {
		if (images && !chance(seed, 7))
			use_image(images[chance(seed, 2)]);
		if (status & pts_event_pending)
			status = take_event(w, first);
		else if (status & pts_eos)
			return -pte_eos;
		else
			status = take_code(flags);
	}
	return status;
}

static void expect_steps(const struct walked *w, size_t first, size_t count)
{
	assert_int_equal(side.count, count);
	for (size_t i = 0; i < count; i++)
		if (side.steps[i] != w->steps[first + i])
			fail_msg("step %u is at %x, not at %x", (unsigned)(first + i),
				 side.steps[i], w->steps[first + i]);
}

/* ---- whole traces ---- */

TEST(code_that_was_executed)
{
	struct walked *w = &walk_made;
	struct pt_image *images[2];

	images[0] = image_of_file();
	images[1] = image_of_calls(NULL);
	for (size_t shape = 0; shape < COUNT(shapes); shape++)
		for (uint32_t seed = 1; seed <= 6; seed++) {
			const bool blocks = seed & 1;
			const unsigned flags = blocks ? seed >> 1 : 0;
			uint32_t draws = seed;
			size_t interrupts = 0;

			walk(w, seed * 31, shapes[shape].steps, shapes[shape].psbs,
			     shapes[shape].interrupts);
			for (size_t i = 0; i < w->count; i++)
				interrupts += w->interrupt[i];
			open_side(w, blocks, flags);
			use_image(images[seed % 2]);
			assert_int_equal(take_all(sync_forward(), w, 0, NULL, &draws, flags),
					 -pte_eos);
			expect_steps(w, 0, w->count);
			assert_int_equal(side.interrupts, interrupts);
			/* Once more, with images that are changed for their like. */
			assert_int_equal(take_all(sync_set(0), w, 0, images, &draws, flags),
					 -pte_eos);
			expect_steps(w, 0, w->count);
			for (size_t psb = 0; psb < w->psb_count; psb += 1 + psb / 3) {
				const size_t first = w->psbs[psb].step;

				assert_int_equal(take_all(sync_set(w->psbs[psb].offset), w, first,
							  NULL, &draws, flags),
						 -pte_eos);
				expect_steps(w, first, w->count - first);
			}
			close_side();
		}
	pt_image_free(images[0]);
	pt_image_free(images[1]);
}

/* ---- queries ---- */

/* Interrupts are told when what was before them has been asked for, in their order. */
struct asked {
	const struct walked *w;
	struct pt_query_decoder *decoder;
	size_t next_interrupt;
	int status;
};

static void pass_events(struct asked *a)
{
	while (a->status >= 0 && a->status & pts_event_pending) {
		struct pt_event event;

		a->status = pt_qry_event(a->decoder, &event, sizeof(event));
		assert_true(a->status >= 0);
		if (event.type != ptev_async_branch) {
			assert_true(event.status_update || event.type == ptev_disabled);
			continue;
		}
		while (!a->w->interrupt[a->next_interrupt])
			assert_true(++a->next_interrupt < a->w->count);
		assert_int_equal(event.variant.async_branch.from, a->w->to[a->next_interrupt++]);
		assert_int_equal(event.variant.async_branch.to, HANDLER_AT);
	}
}

static void ask(struct asked *a, size_t step)
{
	const uint8_t kind = walked_insn(a->w->steps[step])->kind;
	uint64_t ip = 0;
	int taken = 0;

	if (kind == PLAIN || kind == JUMP || kind == CALL)
		return;
	pass_events(a);
	a->status = -pte_bad_query;
	if (kind == JE || kind == RET)
		a->status = pt_qry_cond_branch(a->decoder, &taken);
	if (kind == JE || a->status >= 0) {
		assert_true(a->status >= 0);
		assert_int_equal(taken, a->w->how[step] == STEP_TAKEN);
		return;
	}
	assert_int_equal(a->status, -pte_bad_query);
	a->status = pt_qry_indirect_branch(a->decoder, &ip);
	assert_true(a->status >= 0);
	assert_int_equal(ip, a->w->to[step]);
}

TEST(queries)
{
	struct walked *w = &walk_made;

	for (size_t shape = 0; shape < COUNT(shapes); shape++)
		for (uint32_t seed = 1; seed <= 6; seed++) {
			struct asked a = { .w = w };
			struct pt_config config;
			uint64_t ip;

			walk(w, seed * 77, shapes[shape].steps, shapes[shape].psbs,
			     shapes[shape].interrupts);
			pt_config_init(&config);
			config.begin = w->trace;
			config.end = w->trace + w->size;
			a.decoder = pt_qry_alloc_decoder(&config);
			a.status = pt_qry_sync_forward(a.decoder, &ip);
			assert_true(a.status >= 0);
			assert_int_equal(ip, WALKED_AT);
			for (size_t step = 0; step + 1 < w->count; step++)
				ask(&a, step);
			pass_events(&a);
			assert_int_equal(a.status, pts_eos);
			while (a.next_interrupt < w->count)
				assert_false(w->interrupt[a.next_interrupt++]);
			pt_qry_free_decoder(a.decoder);
		}
}

/* ---- damage ---- */

/* Of the PSB at an offset; `count` if there is none. */
static size_t psb_at(const struct walked *w, uint64_t offset)
{
	size_t psb = 0;

	while (psb < w->psb_count && w->psbs[psb].offset != offset)
		psb++;
	return psb;
}

/*
 * What was executed before the damage is whole, but for what follows the last branch, behind which
 * all is read up to the damage; and so is what was executed from the next PSB on.
 */
TEST(damage_between_two_psbs)
{
	struct walked *w = &walk_made;
	struct pt_image *image = image_of_file();
	unsigned errors = 0;

	for (uint32_t seed = 1; seed <= 200; seed++) {
		uint32_t draws = seed * 40503;
		size_t psb, begin, end, at;
		int status;

		walk(w, seed, 600, 30, 25);
		psb = chance(&draws, (unsigned)w->psb_count);
		begin = w->psbs[psb].offset + START_BYTES;
		end = psb + 1 < w->psb_count ? w->psbs[psb + 1].offset : w->size;
		if (begin == end)
			continue;
		at = begin + chance(&draws, (unsigned)(end - begin));
		w->trace[at] = (uint8_t)chance(&draws, 256);
		open_side(w, seed & 1, 0);
		side.damaged = true;
		use_image(image);
		status = take_all(sync_forward(), NULL, 0, NULL, &draws, 0);
		assert_true(side.count >= w->psbs[psb - !!psb].step);
		if (side.count > w->psbs[psb].step)
			side.count = w->psbs[psb].step;
		expect_steps(w, 0, side.count);
		for (; status != -pte_eos; errors++) {
			size_t found;

			status = sync_forward();
			if (status < 0)
				continue;
			found = psb_at(w, sync_offset());
			assert_true(found < w->psb_count);
			status = take_all(status, NULL, 0, NULL, &draws, 0);
			if (found <= psb)
				continue;
			assert_int_equal(status, -pte_eos);
			expect_steps(w, w->psbs[found].step, w->count - w->psbs[found].step);
		}
		close_side();
	}
	/* Most damage shows. */
	assert_true(errors > 100);
	pt_image_free(image);
}

/* ---- code that is missing ---- */

/* The steps of the side, somewhere from `from` on; where they end. Not there: the test fails. */
static size_t find_steps(const struct walked *w, size_t from)
{
	for (size_t at = from; at + side.count <= w->count; at++)
		if (!memcmp(&w->steps[at], side.steps, side.count * sizeof(side.steps[0])))
			return at + side.count;
	fail_msg("%u steps behind step %u are none of the walk", (unsigned)side.count,
		 (unsigned)from);
	return 0;
}

/*
 * Without the code of a function, flow is lost when it is called, and found again at the next
 * address that the trace tells. All that is given in between was executed, in that order.
 */
TEST(found_again_behind_missing_code)
{
	static struct hole holes[] = { { 0x1060, 0x1068 }, { 0x1080, 0x108d }, { 0x10a1, 0x10a3 } };
	struct walked *w = &walk_made;
	size_t given = 0, walked_steps = 0;

	for (uint32_t seed = 1; seed <= 60; seed++) {
		struct pt_image *image = image_of_calls(&holes[seed % COUNT(holes)]);
		size_t at = 0;
		int status;

		walk(w, seed, 800, seed % 4 ? 60 : 0, 30);
		open_side(w, seed & 1, 0);
		use_image(image);
		status = sync_forward();
		for (unsigned tries = 0; status != -pte_eos; tries++) {
			assert_true(tries < 2 * w->count);
			status = take_all(status, NULL, 0, NULL, NULL, 0);
			at = find_steps(w, at);
			given += side.count;
			for (size_t i = 0; i < side.count; i++)
				assert_false(side.steps[i] >= holes[seed % COUNT(holes)].begin &&
					     side.steps[i] < holes[seed % COUNT(holes)].end);
			if (status != -pte_eos)
				status = resync();
		}
		walked_steps += w->count;
		close_side();
		pt_image_free(image);
	}
	/* Not much of it is lost. */
	assert_true(given > walked_steps / 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(code_that_was_executed),
		cmocka_unit_test(queries),
		cmocka_unit_test(damage_between_two_psbs),
		cmocka_unit_test(found_again_behind_missing_code),
	};

	return cmocka_run_group_tests(tests, temp_setup, temp_teardown);
}
