/* SPDX-License-Identifier: Apache-2.0 */
/* Profile files as profiles. Quotes are from docs/formats/profile.md. */
#include <tracelathe/profile.h>

#include "../whole_profile.h"
#include "file_bytes.h"
#include "profile/file/file_read.h"
#include "profile/file/file_write.h"
#include "profile/file/rows.h"

static const struct tl_pfile_read_options each_part = { .per_part = true }, all_parts;

/* Read `hand`: a status, and what the reader met. */
static int try_read(struct tl_pfile_reader *reader, struct tl_profile **profile,
		    const struct tl_pfile_read_options *options, bool strict, struct tl_error *err)
{
	int status = tl_pfile_open(reader, hand.bytes, hand.size, strict, err);

	*profile = NULL;
	return status < 0 ? status : tl_pfile_read(profile, reader, options, err);
}

static struct tl_profile *read_file(const struct tl_pfile_read_options *options)
{
	struct tl_pfile_reader reader;
	struct tl_profile *profile;

	assert_int_equal(try_read(&reader, &profile, options, false, NULL), 0);
	assert_int_equal(reader.fault_count, 0);
	tl_pfile_close(&reader);
	return profile;
}

/* The first fault is at `offset`, with these words in its text. */
static struct tl_profile *expect_fault(size_t offset, const char *words)
{
	struct tl_pfile_reader reader;
	struct tl_profile *profile;

	assert_int_equal(try_read(&reader, &profile, &each_part, false, NULL), 0);
	assert_true(reader.fault_count > 0);
	assert_non_null(strstr(reader.faults[0].text, words));
	assert_int_equal(reader.faults[0].offset, offset);
	tl_pfile_close(&reader);
	return profile;
}

/* Each number where the document has it. */
TEST(a_file_written_by_hand_is_read)
{
	struct tl_profile *p;

	put_sums();
	p = read_file(&each_part);
	assert_string_equal(tl_profile_format(p), "xray");
	assert_int_equal(tl_profile_event_count(p), 1);
	assert_string_equal(tl_profile_event(p, 0)->name, "Ir");
	assert_string_equal(tl_profile_event(p, 0)->long_name, "alpha");
	assert_string_equal(tl_profile_event(p, 0)->unit, "alps");
	assert_int_equal(tl_profile_function_count(p), 2);
	assert_string_equal(tl_profile_function(p, 0)->name, "alpha");
	assert_string_equal(tl_profile_function(p, 1)->name, "alps");
	assert_string_equal(tl_profile_function(p, 1)->file, "arg");
	assert_string_equal(tl_profile_function(p, 1)->object, "");
	assert_true(tl_profile_function(p, 0)->id == UINT64_MAX);
	assert_int_equal(tl_profile_function(p, 1)->id, 5);
	assert_int_equal(tl_profile_function(p, 0)->line, 12);
	assert_int_equal(tl_profile_function(p, 1)->address, 0x2000);
	assert_int_equal(tl_profile_part_count(p), 2);
	assert_int_equal(tl_profile_part(p, 0)->thread, 71);
	assert_int_equal(tl_profile_part(p, 1)->thread, 72);
	assert_string_equal(tl_profile_part(p, 1)->command, "alps");
	assert_int_equal(tl_profile_part(p, 0)->first_ticks, 10);
	assert_int_equal(tl_profile_part(p, 1)->last_ticks, 21);
	assert_int_equal(tl_profile_part(p, 0)->records, 30);
	assert_int_equal(tl_profile_part(p, 0)->losses.orphan_exits, 1);
	assert_int_equal(tl_profile_part(p, 0)->losses.deduced_exits, 2);
	assert_int_equal(tl_profile_line_count(p), 3);
	assert_int_equal(tl_profile_line(p, 1)->at.line, 13);
	assert_int_equal(tl_profile_line(p, 1)->part, 1);
	assert_int_equal(tl_profile_line_cost(p, 1)[0], -20);
	assert_int_equal(tl_profile_arc_count(p), 2);
	assert_int_equal(tl_profile_arc(p, 0)->calls, 4);
	assert_int_equal(tl_profile_arc(p, 0)->from.address, 0x1002);
	assert_int_equal(tl_profile_arc(p, 0)->to.line, 20);
	assert_int_equal(tl_profile_arc_cost(p, 0)[0], 5);
	assert_int_equal(tl_profile_arc(p, 1)->caller, TL_NONE);
	assert_int_equal(tl_profile_arc(p, 1)->part, TL_NONE);
	assert_int_equal(tl_profile_jump_count(p), 1);
	assert_int_equal(tl_profile_jump(p, 0)->executed, 9);
	assert_int_equal(tl_profile_jump(p, 0)->taken, 8);
	assert_true(tl_profile_jump(p, 0)->conditional);
	assert_int_equal(tl_profile_total(p)[0], 85);
	tl_profile_free(p);
}

/* Tables need one line a function and one arc a pair: of the parts together, or each by itself. */
/* Seven bits a byte, the low ones first; what stands behind a number is none of it. */
TEST(numbers_of_any_length_are_read)
{
	for (unsigned bits = 0; bits <= 64; bits++) {
		const uint64_t most = bits ? UINT64_MAX >> (64 - bits) : 0;
		const uint64_t values[] = { most, most - most / 3, most / 2 + 1 };

		for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
			uint8_t bytes[TL_VARINT_BYTES + 10];
			uint64_t value = 1;
			const uint8_t *end;

			memset(bytes, i == 1 ? 0x55 : 0xff, sizeof(bytes));
			end = tl_put_varint(bytes, values[i]);
			assert_ptr_equal(tl_pfile_take_number(bytes, &value), end);
			assert_true(value == values[i]);
		}
	}
}

TEST(numbers_of_more_than_64_bits_are_none)
{
	uint8_t bytes[20];
	uint64_t value;

	memset(bytes, 0xff, sizeof(bytes));
	assert_null(tl_pfile_take_number(bytes, &value));
	bytes[9] = 2;
	assert_null(tl_pfile_take_number(bytes, &value));
	bytes[9] = 1;
	assert_ptr_equal(tl_pfile_take_number(bytes, &value), bytes + 10);
	assert_true(value == UINT64_MAX);
}

TEST(sums_of_functions_are_those_of_the_lines)
{
	for (int parts = 0; parts < 2; parts++) {
		const struct tl_pfile_read_options options = { .functions_only = true,
							       .per_part = parts };
		struct tl_function_totals totals;
		struct tl_profile *p;

		put_sums();
		p = read_file(&options);
		assert_int_equal(tl_profile_line_count(p), parts ? 3 : 2);
		assert_int_equal(tl_profile_jump_count(p), 0);
		assert_int_equal(tl_profile_function_totals(p, 0, TL_NONE, &totals, sizeof(totals)),
				 0);
		assert_int_equal(totals.self[0], 80);
		assert_int_equal(totals.inclusive[0], 85);
		assert_int_equal(tl_profile_function_totals(p, 1, TL_NONE, &totals, sizeof(totals)),
				 0);
		assert_int_equal(totals.self[0], 5);
		assert_int_equal(totals.calls, 4);
		tl_profile_free(p);
	}
}

/* "Order: the number that each element had" */
TEST(functions_come_in_the_order_that_they_had)
{
	struct tl_profile *p;

	for (int wrong = 0; wrong < 2; wrong++) {
		file_begin(&hand);
		put_strings();
		put_head();
		put_functions_and_parts();
		put_costs();
		block_begin(&hand, FUNCTION_ORDER, 0, 1, 1);
		ROW(&hand, 1);                      /* 0 was 1 */
		ROW(&hand, wrong ? 0 : UINT64_MAX); /* 1 was 0; or 1 again */
		block_end(&hand);
		file_end(&hand);
		if (wrong) {
			p = expect_fault(block_of(FUNCTION_ORDER), "a row of this block");
		} else {
			p = read_file(&each_part);
		}
		assert_string_equal(tl_profile_function(p, wrong ? 0 : 1)->name, "alpha");
		assert_int_equal(tl_profile_line(p, 0)->function, wrong ? 0 : 1);
		assert_int_equal(tl_profile_arc(p, 1)->callee, wrong ? 0 : 1);
		tl_profile_free(p);
	}
}

/* Three functions in the order 2, 0, 1, of which the last row has a line of 33 bits. */
TEST(functions_stay_in_the_order_of_the_file_where_some_are_lost)
{
	struct tl_profile *p;
	size_t block;

	file_begin(&hand);
	put_strings();
	put_head();
	block_begin(&hand, FUNCTIONS, 0, 6, 6);
	block = hand.block;
	ROW(&hand, 0, 0, ALPHA, UINT64_MAX, 0, 0);
	ROW(&hand, 0, 0, ALPS, UINT64_MAX, 0, 0);
	ROW(&hand, 0, 0, ARG, UINT64_MAX, 1ull << 32, 0);
	block_end(&hand);
	block_begin(&hand, LINES, 0, 6, 7);
	ROW(&hand, 0, NONE, 0, 1, 0, 0, 5);
	ROW(&hand, 1, NONE, 0, 1, 0, 0, 6);
	ROW(&hand, 2, NONE, 0, 1, 0, 0, 7);
	block_end(&hand);
	block_begin(&hand, FUNCTION_ORDER, 0, 1, 1);
	ROW(&hand, 2);
	ROW(&hand, UINT64_MAX);
	ROW(&hand, UINT64_MAX);
	block_end(&hand);
	file_end(&hand);
	p = expect_fault(block, "a row of this block");
	assert_int_equal(tl_profile_function_count(p), 3);
	assert_string_equal(tl_profile_function(p, 0)->name, "alpha");
	assert_string_equal(tl_profile_function(p, 1)->name, "alps");
	assert_string_equal(tl_profile_function(p, 2)->name, "[lost]");
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal(tl_profile_line(p, i)->function, i);
	tl_profile_free(p);
}

static void expect_lines(struct tl_profile *p, uint32_t count, const uint32_t *lines,
			 const int64_t *costs)
{
	assert_int_equal(tl_profile_line_count(p), count);
	for (uint32_t i = 0; i < count; i++) {
		assert_int_equal(tl_profile_line(p, i)->at.line, lines[i]);
		assert_int_equal(tl_profile_line_cost(p, i)[0], costs[i]);
	}
	tl_profile_free(p);
}

/* "the number that each element had"; where some are lost, the others are as in the file. */
TEST(lines_come_in_the_order_that_they_had_unless_some_are_lost)
{
	size_t blocks[2];

	put_lines_with_order(blocks, (uint64_t)-20);
	expect_lines(read_file(&each_part), 3, (const uint32_t[]){ 13, 20, 12 },
		     (const int64_t[]){ -20, 5, 100 });
	hand.bytes[blocks[1] + BLOCK_HEADER] ^= 4;
	expect_lines(expect_fault(blocks[1], "checksum of this block"), 2,
		     (const uint32_t[]){ 12, 13 }, (const int64_t[]){ 100, -20 });
	put_lines_with_order(blocks, (uint64_t)-20);
	hand.bytes[blocks[0] + BLOCK_HEADER] ^= 4;
	expect_lines(expect_fault(blocks[0], "checksum of this block"), 1, (const uint32_t[]){ 20 },
		     (const int64_t[]){ 5 });
}

/* Write a profile into `hand`. */
static void export_to_file(const struct tl_profile *profile)
{
	struct tl_output *out;
	const char *bytes;

	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(tl_pfile_write(profile, 1, out, NULL), 0);
	bytes = tl_output_bytes(out, &hand.size);
	assert_true(hand.size < sizeof(hand.bytes));
	memcpy(hand.bytes, bytes, hand.size);
	tl_output_discard(out);
}

/* "The whole profile of an input": everything that the interface gives is the same. */
TEST(profiles_come_back_as_they_were)
{
	for (uint32_t salt = 0; salt < 4; salt++) {
		uint64_t before = 0, after = 0;
		struct tl_profile *profile, *again;
		struct tl_error err;

		assert_int_equal(salt % 2 ? whole_sums(&profile, salt, &err)
					  : whole_trace(&profile, salt, &err),
				 0);
		export_to_file(profile);
		again = read_file(&each_part);
		whole_note(profile, &before);
		whole_note(again, &after);
		assert_true(before == after);
		tl_profile_free(profile);
		tl_profile_free(again);
	}
}

/* "A reader that meets a block whose checksum does not match leaves out its rows" */
TEST(a_damaged_block_costs_its_rows)
{
	struct tl_profile *p;
	size_t at;

	put_sums();
	at = block_of(LINES);
	hand.bytes[at + BLOCK_HEADER + 3] ^= 4;
	p = expect_fault(at, "checksum of this block");
	assert_int_equal(tl_profile_line_count(p), 0);
	assert_int_equal(tl_profile_arc_count(p), 2);
	tl_profile_free(p);

	put_sums();
	at = block_of(ARCS);
	hand.bytes[at + 10] ^= 1; /* the header: its end is not known either */
	p = expect_fault(at, "no block begins here");
	assert_int_equal(tl_profile_arc_count(p), 0);
	assert_int_equal(tl_profile_jump_count(p), 1);
	tl_profile_free(p);
}

/* Names of what is lost are "[lost]"; one function stands for all that are. */
TEST(what_is_lost_is_called_so)
{
	struct tl_profile *p;
	size_t at;

	put_sums();
	at = block_of(FUNCTIONS);
	hand.bytes[at + BLOCK_HEADER] ^= 4;
	p = expect_fault(at, "checksum of this block");
	assert_int_equal(tl_profile_function_count(p), 1);
	assert_string_equal(tl_profile_function(p, 0)->name, "[lost]");
	assert_int_equal(tl_profile_total(p)[0], 85);
	tl_profile_free(p);

	put_sums();
	at = block_of(PARTS);
	hand.bytes[at + BLOCK_HEADER] ^= 4;
	p = expect_fault(at, "checksum of this block");
	assert_int_equal(tl_profile_part_count(p), 0);
	assert_int_equal(tl_profile_line(p, 0)->part, TL_NONE);
	tl_profile_free(p);

	put_sums();
	at = block_of(STRINGS);
	hand.bytes[at + BLOCK_HEADER] ^= 1;
	p = expect_fault(at, "checksum of this block");
	assert_string_equal(tl_profile_function(p, 1)->name, "[lost]");
	assert_int_equal(tl_profile_total(p)[0], 85);
	tl_profile_free(p);
}

/* Right checksums around rows that cannot be: a change of `byte`, and what is said of it. */
TEST(rows_that_make_no_sense_are_left_out)
{
	static const struct {
		unsigned section;
		size_t at; /* in the block */
		uint8_t value;
		const char *words;
	} cases[] = {
		{ LINES, BLOCK_HEADER, 0xff, "a row of this block makes no sense" },
		{ LINES, 16, 9,
		  "a row of this block makes no sense" }, /* more rows than there are */
		{ LINES, 16, 2, "a row of this block makes no sense" },
		{ LINES, 6, 8, "rows of this block have other fields" },
		{ STRINGS, BLOCK_HEADER, 1, "strings of this block make no sense" },
		{ STRINGS, 16, 6, "strings of this block make no sense" },
		{ ARCS, 4, 20, "of a kind or size that this version does not know" },
		{ ARCS, 5, 2, "of a kind or size that this version does not know" },
		{ ARCS, 16, 0, "of a kind or size that this version does not know" },
		{ ARCS, 20, 1, "of a kind or size that this version does not know" },
		{ ARCS, 23, 1, "of a kind or size that this version does not know" },
		{ ARCS, 12, 1, "of a kind or size that this version does not know" },
		{ JUMPS, 5, 1, "the zstd data of this block is damaged" },
		{ JUMPS, 32, 20, "blocks before this one are missing" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t at;

		put_sums();
		at = block_of(cases[i].section);
		hand.bytes[at + cases[i].at] = cases[i].value;
		block_seal(&hand, at);
		tl_profile_free(expect_fault(at, cases[i].words));
	}
}

/* The parts of the head that everything else rests on. */
TEST(without_events_nothing_is_read)
{
	static const unsigned sections[] = { HEAD, EVENTS };

	for (size_t i = 0; i < 2; i++) {
		struct tl_profile *p = (struct tl_profile *)1;
		struct tl_pfile_reader reader;
		struct tl_error err;
		size_t at;

		put_sums();
		at = block_of(sections[i]);
		hand.bytes[at + BLOCK_HEADER + 1] ^= 1;
		assert_int_equal(try_read(&reader, &p, &each_part, false, &err), TL_BAD_FORMAT);
		tl_pfile_close(&reader);
		assert_null(p);
		assert_int_equal(err.offset, at);
		assert_non_null(strstr(err.text, "what is counted are lost"));
	}
}

TEST(the_header_is_checked)
{
	struct tl_pfile_reader reader;
	struct tl_profile *p;
	struct tl_error err;

	put_sums();
	hand.bytes[8] = 3;
	p = expect_fault(0, "the header of the file is damaged");
	assert_int_equal(tl_profile_line_count(p), 3);
	tl_profile_free(p);
	file_set(&hand, 12, (uint32_t)crc32(0, hand.bytes, 12));
	assert_int_equal(try_read(&reader, &p, &each_part, false, &err), TL_UNSUPPORTED);
	tl_pfile_close(&reader);
	assert_int_equal(err.offset, 8);
}

TEST(strict_reading_ends_at_a_fault)
{
	static const unsigned sections[] = { STRINGS, LINES, JUMPS, END };

	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
		struct tl_pfile_reader reader;
		struct tl_profile *p;
		struct tl_error err;
		size_t at;

		put_sums();
		at = block_of(sections[i]);
		hand.bytes[at + BLOCK_HEADER] ^= 1;
		assert_int_equal(try_read(&reader, &p, &each_part, true, &err), TL_BAD_RECORD);
		tl_pfile_close(&reader);
		assert_null(p);
		assert_int_equal(err.offset, at);
	}
}

TEST(durations_are_those_of_the_rows)
{
	struct tl_latency latency;
	struct tl_profile *p;

	put_durations(5, 2);
	for (int parts = 0; parts < 2; parts++) {
		p = read_file(parts ? &each_part : &all_parts);
		assert_int_equal(tl_profile_context_count(p), 2);
		assert_int_equal(tl_profile_context(p, 1)->parent, 0);
		assert_int_equal(tl_profile_context(p, 1)->cut, 1);
		assert_int_equal(tl_profile_context_inclusive(p, 0)[0], 23);
		assert_int_equal(tl_profile_latency(p, 1, TL_NONE, &latency, sizeof(latency)), 1);
		assert_int_equal(latency.sum, 23);
		assert_int_equal(latency.min, 5);
		assert_int_equal(latency.max, 9);
		assert_int_equal(latency.p90, 9);
		assert_int_equal(tl_profile_latency(p, 0, TL_NONE, &latency, sizeof(latency)), 0);
		tl_profile_free(p);
	}
	/* "Durations that are not whole would give wrong quantiles": left out. */
	put_durations(5, 1);
	p = read_file(&all_parts);
	assert_int_equal(tl_profile_latency(p, 1, TL_NONE, &latency, sizeof(latency)), 0);
	tl_profile_free(p);
	put_durations(5, 3);
	tl_profile_free(expect_fault(block_of(SAMPLES), "a row of this block"));
}

/* "above is less than the context's own number" */
TEST(a_context_below_itself_is_none)
{
	struct tl_profile *p;
	size_t at;

	put_durations(5, 2);
	at = block_of(CONTEXTS);
	/* The second row begins behind the seven bytes and the bits of the first. */
	assert_int_equal(hand.bytes[at + BLOCK_HEADER + 9], 1 << 1);
	hand.bytes[at + BLOCK_HEADER + 9] = 2 << 1;
	block_seal(&hand, at);
	p = expect_fault(at, "a row of this block");
	assert_int_equal(tl_profile_context_count(p), 1);
	tl_profile_free(p);
}

/* "Sorted by keys": threads that read some functions each miss none where a file is not. */
TEST(rows_that_are_not_sorted_are_all_read)
{
	enum { BLOCKS = 16 }; /* more than there are ranges */
	static const struct tl_pfile_read_options packed[] = { { .packed = true },
							       { .packed = true, .jobs = 2 } };
	struct tl_profile *p;

	for (size_t k = 0; k < 2 * 2; k++) {
		const bool sorted = k / 2;
		int64_t sums[2] = { 0, 0 };

		file_begin(&hand);
		put_strings();
		put_head();
		put_functions_and_parts();
		for (uint64_t i = 0; i < BLOCKS; i++) {
			block_begin(&hand, LINES, i, 6, 7);
			ROW(&hand, sorted ? i / (BLOCKS / 2) : 1 - i / 2 % 2, i % 2, ARG, i, 0, 0,
			    1ull << i);
			block_end(&hand);
		}
		file_end(&hand);
		p = read_file(&packed[k % 2]);
		assert_true(p->pack != NULL || !sorted);
		assert_int_equal(p->pack ? tl_profile_unpack(p, NULL) : 0, 0);
		assert_int_equal(tl_profile_line_count(p), BLOCKS);
		for (uint32_t i = 0; i < BLOCKS; i++)
			sums[tl_profile_line(p, i)->function] += tl_profile_line_cost(p, i)[0];
		assert_int_equal(sums[0], sorted ? 0x00ff : 0xcccc);
		assert_int_equal(sums[1], sorted ? 0xff00 : 0x3333);
		tl_profile_free(p);
	}
}

/* What stands before the lines of a file with so many events. */
static void begin_lines(unsigned events)
{
	file_begin(&hand);
	put_strings();
	block_begin(&hand, HEAD, 0, 0, 16);
	ROW(&hand, 0, 0, 2, XRAY);
	block_end(&hand);
	block_begin(&hand, EVENTS, 0, 0, 4);
	for (unsigned e = 0; e < events; e++)
		ROW(&hand, IR, ALPHA, ALPS, 0);
	block_end(&hand);
	put_functions_and_parts();
}

/*
 * Costs of every form in lines that follow each other: of one byte and of several, none between
 * others, negative ones, none at the end, more than a pack keeps without a search, and lines beyond
 * 32 bits; of each event count around those of the groups of a row. Written packed they are the
 * same bytes as written of elements.
 */
TEST(lines_of_any_form_are_packed)
{
	enum { LINES_EACH = 40, MOST_EVENTS = 17, KEYS = 6 };
	static const uint64_t forms[] = { 1, 63, 64, 0, 8191, 8192, 1 << 23, 1 << 24, 4, 40 };
	static const unsigned event_counts[] = { 1, 2, 7, 8, 9, 13, 14, 15, MOST_EVENTS };
	static const struct tl_pfile_read_options packed = { .packed = true };
	static struct file before;

	for (size_t k = 0; k < 2 * sizeof(event_counts) / sizeof(event_counts[0]); k++) {
		const unsigned events = event_counts[k / 2];
		const bool negative = k % 2;
		uint64_t rows[LINES_EACH][32] = { { 0 } };
		struct tl_profile *p;

		begin_lines(events);
		block_begin(&hand, LINES, 0, KEYS, KEYS + events);
		for (unsigned i = 0; i < LINES_EACH; i++) {
			uint64_t *row = rows[i];

			memcpy(row, (const uint64_t[]){ i / 30, 0, ARG, i * 100, i * i, 0 },
			       KEYS * sizeof(*row));
			/* A third of the lines has short costs alone. */
			for (unsigned e = 0; e < events; e++)
				row[KEYS + e] = i % 3 ? forms[(i * 7 + e * e) % 10] : e + 1;
			if (negative && i == 17)
				row[KEYS + events - 1] = -5ull;
			if (i == LINES_EACH - 1)
				row[3] = 1ull << 40;
			block_row(&hand, row);
		}
		block_end(&hand);
		file_end(&hand);
		p = read_file(&packed);
		/* Sums of negative costs are not those of a pack. */
		assert_true(negative == (p->pack == NULL));
		if (p->pack) {
			export_to_file(p);
			before = hand;
			assert_int_equal(tl_profile_unpack(p, NULL), 0);
			export_to_file(p);
			assert_int_equal(hand.size, before.size);
			assert_memory_equal(hand.bytes, before.bytes, hand.size);
		}
		assert_int_equal(tl_profile_line_count(p), LINES_EACH);
		for (unsigned i = 0; i < LINES_EACH; i++) {
			const struct tl_cost_line *line = tl_profile_line(p, i);

			assert_int_equal(line->function, rows[i][0]);
			assert_int_equal(line->at.line,
					 i == LINES_EACH - 1 ? UINT32_MAX : rows[i][3]);
			assert_int_equal(line->at.address, rows[i][4]);
			for (unsigned e = 0; e < events; e++)
				assert_int_equal(tl_profile_line_cost(p, i)[e], rows[i][KEYS + e]);
		}
		tl_profile_free(p);
	}
}

/* "The number of its first row in the section": an order has no place for rows that are far off. */
TEST(blocks_with_rows_between_them_are_not_packed)
{
	static const struct tl_pfile_read_options packed = { .packed = true };
	struct tl_profile *p;

	begin_lines(1);
	for (uint64_t i = 0; i < 2; i++) {
		block_begin(&hand, LINES, i * 100000, 6, 7);
		ROW(&hand, 0, 0, ARG, i, 0, 0, 5);
		block_end(&hand);
	}
	block_begin(&hand, LINE_ORDER, 0, 1, 1);
	ROW(&hand, 1);
	ROW(&hand, UINT64_MAX);
	block_end(&hand);
	file_end(&hand);
	p = read_file(&packed);
	assert_null(p->pack);
	assert_int_equal(tl_profile_line_count(p), 2);
	tl_profile_free(p);
}

/*
 * "A file that expands to more than 1 GiB and 512 times its own size is refused": what its blocks
 * say together, however many threads read it.
 */
TEST(a_file_that_expands_without_end_is_refused)
{
	enum { MOST = 16 << 20, FIT = 64 }; /* bytes of a block; blocks of 1 GiB */

	for (unsigned count = FIT; count < FIT + 2; count++) {
		struct tl_pfile_reader reader;
		struct tl_error err;
		int status;

		put_sums();
		hand.size = block_of(END);
		for (unsigned i = 0; i < count; i++) {
			block_begin(&hand, NOTES, i, 0, 6);
			ROW(&hand, 0);
			block_end(&hand);
			hand.bytes[hand.block + 5] = 1;
			file_set(&hand, hand.block + 20, MOST);
			block_seal(&hand, hand.block);
		}
		/* The other blocks fit what is allowed for the file's own size. */
		status = tl_pfile_open(&reader, hand.bytes, hand.size, false, &err);
		tl_pfile_close(&reader);
		assert_int_equal(status, count > FIT ? TL_TOO_LARGE : 0);
		if (status < 0)
			assert_int_equal(err.offset, hand.block);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_written_by_hand_is_read),
		cmocka_unit_test(numbers_of_any_length_are_read),
		cmocka_unit_test(numbers_of_more_than_64_bits_are_none),
		cmocka_unit_test(sums_of_functions_are_those_of_the_lines),
		cmocka_unit_test(functions_come_in_the_order_that_they_had),
		cmocka_unit_test(functions_stay_in_the_order_of_the_file_where_some_are_lost),
		cmocka_unit_test(lines_come_in_the_order_that_they_had_unless_some_are_lost),
		cmocka_unit_test(profiles_come_back_as_they_were),
		cmocka_unit_test(a_damaged_block_costs_its_rows),
		cmocka_unit_test(what_is_lost_is_called_so),
		cmocka_unit_test(rows_that_make_no_sense_are_left_out),
		cmocka_unit_test(without_events_nothing_is_read),
		cmocka_unit_test(the_header_is_checked),
		cmocka_unit_test(strict_reading_ends_at_a_fault),
		cmocka_unit_test(durations_are_those_of_the_rows),
		cmocka_unit_test(a_context_below_itself_is_none),
		cmocka_unit_test(rows_that_are_not_sorted_are_all_read),
		cmocka_unit_test(lines_of_any_form_are_packed),
		cmocka_unit_test(blocks_with_rows_between_them_are_not_packed),
		cmocka_unit_test(a_file_that_expands_without_end_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
