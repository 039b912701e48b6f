/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of a profile file that stay as they are in a pack, against the same file read as elements:
 * of drawn profiles, of files of which one byte is another one, and of files that end early.
 */
#include <stdio.h>

#include <tracelathe/export.h>

#include "../chance.h"
#include "../refuse.h"
#include "file_bytes.h"
#include "profile/file/file_read.h"
#include "profile/file/file_write.h"
#include "profile/file/reading.h"

enum { MOST_EVENTS = 256 };

/* What a profile is drawn with. */
struct shape {
	uint32_t events, functions, parts, lines, arcs, jumps;
	bool negative; /* some costs are */
	bool sorted;   /* lines come as the file has them */
	uint64_t most; /* of costs */
};

/* ---- drawn profiles ---- */

static int64_t draw_cost(uint32_t *seed, const struct shape *shape)
{
	static const unsigned bits[] = { 0, 1, 5, 6, 7, 13, 14, 20 };
	const uint64_t cost = shape->most ? chance_bits(seed) % shape->most
					  : chance_bits(seed) & ((1u << bits[chance(seed, 8)]) - 1);

	return shape->negative && !chance(seed, 50) ? -(int64_t)cost : (int64_t)cost;
}

static void draw_costs(uint32_t *seed, const struct shape *shape, int64_t *row)
{
	const uint32_t count = chance(seed, 3) ? chance(seed, 6) : chance(seed, shape->events + 1);

	assert_non_null(row);
	for (uint32_t e = 0; e < tl_min(count, shape->events); e++)
		row[e] += chance(seed, 6) ? draw_cost(seed, shape) : 0;
}

static const char *const files[] = { "", "a.c", "b.c", "include/c.h", "z.h" };

static struct tl_position draw_place(uint32_t *seed, const struct shape *shape, uint32_t i)
{
	const uint32_t line = shape->sorted ? i * 3 : chance(seed, 300);

	return (struct tl_position){
		.file = files[chance(seed, shape->sorted ? 1 : 5)],
		.line = chance(seed, 200) ? line : UINT32_MAX - line,
		.address = chance(seed, 4) ? line * 4ull + chance(seed, 3) : chance_bits(seed),
		.block = chance(seed, 9) ? 0 : chance(seed, 5),
	};
}

static void draw_elements(struct tl_profile *p, const struct shape *shape, uint32_t *seed)
{
	for (uint32_t i = 0; i < shape->lines; i++) {
		const struct tl_cost_line line = {
			.function = shape->sorted ? i * shape->functions / shape->lines
						  : chance(seed, shape->functions),
			.part = chance(seed, shape->parts),
			.at = draw_place(seed, shape, i),
		};

		draw_costs(seed, shape, tl_profile_line_row(p, &line));
	}
	for (uint32_t i = 0; i < shape->arcs; i++) {
		const struct tl_arc arc = {
			.caller = chance(seed, shape->functions),
			.callee = chance(seed, shape->functions),
			.part = chance(seed, shape->parts),
			.from = draw_place(seed, shape, i),
			.to = draw_place(seed, shape, i),
			.calls = chance(seed, 5) ? chance(seed, 1000) : 0,
		};

		draw_costs(seed, shape, tl_profile_arc_row(p, &arc));
	}
	for (uint32_t i = 0; i < shape->jumps; i++) {
		const struct tl_jump jump = {
			.function = chance(seed, shape->functions),
			.target = chance(seed, shape->functions),
			.part = chance(seed, shape->parts),
			.from = draw_place(seed, shape, i),
			.to = draw_place(seed, shape, i),
			.executed = chance(seed, 50),
			.conditional = chance(seed, 2),
		};

		assert_int_equal(tl_profile_put_jump(p, &jump, NULL), 0);
	}
}

static struct tl_profile *draw_profile(const struct shape *shape, uint32_t seed)
{
	static char names[MOST_EVENTS][8];
	struct tl_event events[MOST_EVENTS] = { { 0 } };
	struct tl_profile *p;

	for (uint32_t e = 0; e < shape->events; e++) {
		snprintf(names[e], sizeof(names[e]), "E%u", (unsigned)e);
		events[e] = (struct tl_event){ .name = names[e], .unit = "" };
	}
	assert_int_equal(tl_profile_make(&p, "callgrind", events, shape->events, 0, NULL), 0);
	for (uint32_t i = 0; i < shape->parts; i++) {
		const struct tl_part part = { .thread = i, .command = "" };

		assert_true(tl_profile_put_part(p, &part, NULL) >= 0);
	}
	/* Names do not come in their order. */
	for (uint32_t i = 0; i < shape->functions; i++) {
		char name[16];
		const struct tl_function function = {
			.name = name, .object = "", .file = files[i % 3], .id = TL_NOWHERE
		};

		snprintf(name, sizeof(name), "f%u", (unsigned)(i * 7919 % 10007));
		assert_true(tl_profile_put_function(p, &function, NULL) >= 0);
	}
	draw_elements(p, shape, &seed);
	assert_int_equal(tl_profile_finish(p, NULL), 0);
	return p;
}

/* ---- files ---- */

struct bytes {
	char *data;
	size_t size;
};

static struct bytes written(const struct tl_profile *p, const char *format, unsigned jobs)
{
	const struct tl_export_options options = { .size = sizeof(options), .jobs = jobs };
	struct tl_output *out;
	struct bytes copy;
	const char *bytes;

	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(tl_exporter_find(format)->write(p, &options, out, NULL), 0);
	bytes = tl_output_bytes(out, &copy.size);
	copy.data = malloc(copy.size + 1);
	assert_non_null(copy.data);
	memcpy(copy.data, bytes, copy.size);
	tl_output_discard(out);
	return copy;
}

static void assert_same(struct bytes a, struct bytes b)
{
	assert_int_equal(a.size, b.size);
	assert_memory_equal(a.data, b.data, a.size);
	free(a.data);
	free(b.data);
}

/* NULL: it cannot be read. */
static struct tl_profile *read_from(const void *data, size_t size, bool packed, unsigned jobs,
				    uint64_t *faults)
{
	const struct tl_pfile_read_options options = { .per_part = true,
						       .packed = packed,
						       .jobs = jobs };
	struct tl_pfile_reader reader;
	struct tl_profile *p = NULL;
	int status = tl_pfile_open(&reader, data, size, false, NULL);

	if (status == 0)
		status = tl_pfile_read(&p, &reader, &options, NULL);
	*faults = reader.fault_count;
	tl_pfile_close(&reader);
	return status < 0 ? NULL : p;
}

/* How many lines and arcs of a pack are rows. */
static size_t kept_rows(const struct tl_profile *p, enum tl_pack_kind kind)
{
	size_t count = 0;

	for (size_t i = 0; p->pack && i < p->pack->run_count; i++)
		for (const struct tl_pack_rows *rows = p->pack->runs[i].rows; rows;
		     rows = rows->next)
			count += rows->kind == kind ? rows->count : 0;
	return count;
}

/*
 * Written again, a packed profile gives what its elements give. A note has a text before all
 * others, so that these have other numbers in the new file and no row can be copied.
 */
static void compare_files(struct tl_profile *packed, struct tl_profile *elements, unsigned jobs)
{
	const struct tl_profile_note note = { TL_BAD_RECORD, "\x01", "profile", 1, 2, 3 };

	assert_same(written(packed, "tracelathe", jobs), written(elements, "tracelathe", 1));
	assert_true(tl_profile_add_note(packed, &note) && tl_profile_add_note(elements, &note));
	assert_same(written(packed, "tracelathe", jobs), written(elements, "tracelathe", 1));
}

/* In another format, too. */
static void compare(struct tl_profile *packed, struct tl_profile *elements, unsigned jobs)
{
	compare_files(packed, elements, jobs);
	assert_same(written(packed, "callgrind", jobs), written(elements, "callgrind", 1));
}

static void read_back(const struct shape *shape, uint32_t seed)
{
	struct tl_profile *drawn = draw_profile(shape, seed);
	const struct bytes file = written(drawn, "tracelathe", 1);

	for (unsigned jobs = 1; jobs < 4; jobs += 2) {
		uint64_t faults, more;
		struct tl_profile *packed = read_from(file.data, file.size, true, jobs, &faults);
		struct tl_profile *elements = read_from(file.data, file.size, false, 1, &more);
		struct bytes again;

		assert_true(!faults && !more && packed && elements);
		/* All rows of a file that was written so stay. */
		assert_int_equal(packed->pack == NULL, shape->negative);
		if (packed->pack)
			assert_int_equal(kept_rows(packed, TL_PACK_LINE),
					 tl_profile_line_count(drawn));
		if (packed->pack && shape->parts == 1)
			assert_int_equal(kept_rows(packed, TL_PACK_ARC),
					 tl_profile_arc_count(drawn));
		again = written(packed, "tracelathe", jobs);
		assert_int_equal(again.size, file.size);
		assert_memory_equal(again.data, file.data, file.size);
		free(again.data);
		compare(packed, elements, jobs);
		tl_profile_free(packed);
		tl_profile_free(elements);
	}
	free(file.data);
	tl_profile_free(drawn);
}

TEST(drawn_profiles_come_back_byte_for_byte)
{
	static const uint32_t events[] = { 1, 2, 3, 7, 8, 9, 13, 15, 16, 17, 120, MOST_EVENTS };
	uint32_t seed = 16;

	for (size_t i = 0; i < 4 * sizeof(events) / sizeof(events[0]); i++) {
		const struct shape shape = {
			.events = events[i / 4],
			.functions = 1 + chance(&seed, 30),
			.parts = i % 2 ? 1 + chance(&seed, 3) : 1,
			.lines = 1 + chance(&seed, 900),
			.arcs = 1 + chance(&seed, 300),
			.jumps = chance(&seed, 40),
			.negative = false,
			.sorted = i % 4 == 2,
		};

		read_back(&shape, (uint32_t)i);
	}
}

/* "131,072 divided by the number of fields": functions whose rows are in several blocks. */
TEST(runs_go_on_in_the_next_block)
{
	const struct shape few = { .events = MOST_EVENTS,
				   .functions = 3,
				   .parts = 1,
				   .lines = 9000,
				   .arcs = 4000,
				   .sorted = true };
	const struct shape many = {
		.events = 100, .functions = 900, .parts = 2, .lines = 20000, .arcs = 9000
	};

	read_back(&few, 1);
	read_back(&many, 2);
}

/* Orders of many elements are read by several threads, blocks are made and put by several. */
TEST(many_rows_come_back)
{
	const struct shape many = { .events = 1,
				    .functions = 50,
				    .parts = 1,
				    .lines = 66000,
				    .arcs = 100,
				    .sorted = true };
	struct tl_profile *drawn = draw_profile(&many, 21), *packed;
	const struct bytes file = written(drawn, "tracelathe", 1);
	uint64_t faults;

	assert_true(tl_profile_line_count(drawn) > TL_PFILE_WORTH_SHARES);
	tl_profile_free(drawn);
	packed = read_from(file.data, file.size, true, 3, &faults);
	assert_true(packed && !faults);
	/* Functions of the file are in another order, and so are its lines. */
	assert_non_null(packed->pack->orders.rows[TL_PACK_LINE]);
	assert_same(written(packed, "tracelathe", 3), file);
	tl_profile_free(packed);
}

/* Negative costs, and such as are too large, are read one by one. */
TEST(what_a_pack_cannot_keep_comes_back)
{
	const struct shape negative = {
		.events = 3, .functions = 9, .parts = 1, .lines = 500, .arcs = 300, .negative = true
	};
	const uint64_t sizes[] = { 43, 44, 45, 61, 63 };

	read_back(&negative, 3);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		const struct shape large = { .events = 2,
					     .functions = 2,
					     .parts = 1,
					     .lines = 3,
					     .arcs = 2,
					     .most = 1ull << sizes[i] };
		struct tl_profile *drawn = draw_profile(&large, 4);
		const struct bytes file = written(drawn, "tracelathe", 1);
		uint64_t faults;
		struct tl_profile *packed = read_from(file.data, file.size, true, 1, &faults);
		struct tl_profile *elements = read_from(file.data, file.size, false, 1, &faults);

		compare(packed, elements, 1);
		tl_profile_free(packed);
		tl_profile_free(elements);
		tl_profile_free(drawn);
		free(file.data);
	}
}

/* ---- damage ---- */

/* The same file in `hand`, with all blocks stored. */
static void store(struct bytes file)
{
	struct tl_pfile_reader reader;

	assert_int_equal(tl_pfile_open(&reader, (uint8_t *)file.data, file.size, true, NULL), 0);
	file_begin_version(&hand, 2);
	for (size_t i = 0; i < reader.count; i++) {
		const struct tl_pfile_block *block = &reader.blocks[i];
		const uint8_t *content;

		assert_int_equal(tl_pfile_content(&reader, block, 0, &content, NULL), 1);
		block_begin(&hand, block->section, block->first, 0, block->fields);
		assert_true(hand.size + block->raw_bytes < sizeof(hand.bytes));
		memcpy(hand.bytes + hand.size, content, block->raw_bytes);
		hand.size += block->raw_bytes;
		hand.rows = block->rows;
		block_end(&hand);
	}
	tl_pfile_close(&reader);
}

/* A small profile of some lines and arcs, as a file in `hand`. */
static void store_drawn(uint32_t events, uint32_t seed)
{
	const struct shape shape = {
		.events = events, .functions = 4, .parts = 1, .lines = 14, .arcs = 8
	};
	struct tl_profile *drawn = draw_profile(&shape, seed);
	const struct bytes file = written(drawn, "tracelathe", 1);

	store(file);
	free(file.data);
	tl_profile_free(drawn);
}

/* Whether any two rows of a section are at the same place: elements stay two, items become one. */
static bool has_equal_elements(const struct tl_profile *p)
{
	for (uint32_t i = 0; i < tl_profile_line_count(p); i++)
		for (uint32_t k = 0; k < i; k++) {
			const struct tl_cost_line *a = tl_profile_line(p, i);
			const struct tl_cost_line *b = tl_profile_line(p, k);

			if (a->function == b->function && a->part == b->part &&
			    a->at.line == b->at.line && a->at.address == b->at.address &&
			    a->at.block == b->at.block && a->at.file == b->at.file)
				return true;
		}
	for (uint32_t i = 0; i < tl_profile_arc_count(p); i++)
		for (uint32_t k = 0; k < i; k++) {
			const struct tl_arc *a = tl_profile_arc(p, i);
			const struct tl_arc *b = tl_profile_arc(p, k);

			if (a->caller == b->caller && a->callee == b->callee &&
			    a->part == b->part && a->from.line == b->from.line &&
			    a->from.address == b->from.address && a->to.line == b->to.line &&
			    a->to.address == b->to.address)
				return true;
		}
	return false;
}

struct outcome {
	size_t kept, packed, read;
};

/* `formats`: without events there are some that cannot be written. */
static void compare_readings(size_t size, bool formats, struct outcome *outcome)
{
	uint64_t faults[2];
	struct tl_profile *packed = read_from(hand.bytes, size, true, 1, &faults[0]);
	struct tl_profile *elements = read_from(hand.bytes, size, false, 1, &faults[1]);

	assert_int_equal(packed == NULL, elements == NULL);
	assert_int_equal(faults[0], faults[1]);
	if (!packed)
		return;
	outcome->read++;
	outcome->packed += packed->pack != NULL;
	outcome->kept += kept_rows(packed, TL_PACK_LINE) && kept_rows(packed, TL_PACK_ARC);
	if (formats && !has_equal_elements(elements))
		compare(packed, elements, 1);
	else if (!has_equal_elements(elements))
		compare_files(packed, elements, 1);
	tl_profile_free(packed);
	tl_profile_free(elements);
}

/* Every byte of the rows is another one, with checksums that are right. */
TEST(changed_rows_are_read_as_elements_are)
{
	static const uint8_t changes[] = { 1, 2, 0x40, 0x80, 0x81, 0xff };
	static struct file whole;
	struct outcome outcome = { 0, 0, 0 };

	store_drawn(10, 5);
	whole = hand;
	for (unsigned section = LINES; section <= ARCS; section++) {
		const size_t block = block_of(section), begin = block + BLOCK_HEADER;
		const size_t size = whole.bytes[block + 24] + 256u * whole.bytes[block + 25];

		assert_true(size > 50);
		for (size_t at = begin; at < begin + size; at++)
			for (size_t i = 0; i < sizeof(changes); i++) {
				hand.bytes[at] ^= changes[i];
				block_seal(&hand, block);
				compare_readings(hand.size, true, &outcome);
				memcpy(hand.bytes, whole.bytes, whole.size);
			}
	}
	/* All of these ways were gone. */
	assert_true(outcome.kept > 100 && outcome.packed > outcome.kept);
	assert_true(outcome.read > outcome.packed);
}

/*
 * One byte of any block is another one, so that its rows are missing: numbers of texts, functions
 * or parts may be others than in the file, and what was kept is written anew.
 */
TEST(files_without_a_block_are_read_as_elements_are)
{
	static struct file whole;
	struct outcome outcome = { 0, 0, 0 };

	store_drawn(3, 8);
	whole = hand;
	for (size_t at = 0; at < whole.size; at++) {
		hand.bytes[at] ^= 0x10;
		compare_readings(hand.size, false, &outcome);
		hand.bytes[at] = whole.bytes[at];
	}
	assert_true(outcome.kept && outcome.read > outcome.kept);
}

/* "A reader that meets a block whose checksum does not match leaves out its rows": of any end. */
TEST(files_that_end_early_are_read_as_elements_are)
{
	struct outcome outcome = { 0, 0, 0 };

	store_drawn(3, 6);
	for (size_t size = 0; size <= hand.size; size++)
		compare_readings(size, true, &outcome);
	assert_true(outcome.kept && outcome.read > outcome.kept);
}

/* ---- memory ---- */

static int write_file(const void *profile, struct tl_output *out)
{
	return tl_pfile_write(profile, 1, out, NULL);
}

static int read_and_write(const void *input, uint64_t *digest)
{
	const struct bytes *file = input;
	const struct tl_pfile_read_options options = { .packed = true };
	struct tl_pfile_reader reader;
	struct tl_profile *p = NULL;
	int status = tl_pfile_open(&reader, (uint8_t *)file->data, file->size, false, NULL);

	if (status == 0)
		status = tl_pfile_read(&p, &reader, &options, NULL);
	if (status == 0)
		status = refuse_note_output(write_file, p, digest);
	tl_profile_free(p);
	tl_pfile_close(&reader);
	return status;
}

TEST(without_memory_nothing_is_written)
{
	const struct shape shape = {
		.events = 3, .functions = 6, .parts = 1, .lines = 60, .arcs = 30, .jumps = 3
	};
	struct tl_profile *drawn = draw_profile(&shape, 7);
	struct bytes file = written(drawn, "tracelathe", 1);

	tl_profile_free(drawn);
	assert_true(refuse_each(read_and_write, &file) > 20);
	free(file.data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(drawn_profiles_come_back_byte_for_byte),
		cmocka_unit_test(runs_go_on_in_the_next_block),
		cmocka_unit_test(many_rows_come_back),
		cmocka_unit_test(what_a_pack_cannot_keep_comes_back),
		cmocka_unit_test(changed_rows_are_read_as_elements_are),
		cmocka_unit_test(files_without_a_block_are_read_as_elements_are),
		cmocka_unit_test(files_that_end_early_are_read_as_elements_are),
		cmocka_unit_test(without_memory_nothing_is_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
