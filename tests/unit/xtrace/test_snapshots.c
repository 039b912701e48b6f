/* SPDX-License-Identifier: Apache-2.0 */
/* Snapshot files: layouts found by trying, records, damage; and the segments that snapshots cut a
 * stream into. */
#include "bytes.h"

static const struct tl_xtrace_stream_info *info_of(const struct trace *t)
{
	return tl_xtrace_stream(t->trace, 0);
}

/* Some instructions, a PCINST every tenth. */
static struct bytes instructions(unsigned count)
{
	struct bytes b = { .data = NULL };

	for (unsigned i = 0; i < count; i++)
		if (i % 10)
			put_inst(&b, 0, A64_NOP);
		else
			put_pcinst(&b, 0, 0x1000 + 4 * i, A64_NOP);
	return b;
}

/* Where the tenths are: 13 + 9 * 5 bytes each. */
enum { TENTH = 58 };

static struct bytes snapshots_at_tenths(unsigned count, unsigned bits)
{
	struct bytes b = { .data = NULL };

	put_header(&b);
	for (unsigned i = 0; i < count; i++)
		put_record(&b, &(struct record){ .index = TENTH * i,
						 .user = 10 * i,
						 .total = 10 * i,
						 .first = 100 * i,
						 .bits = bits });
	return b;
}

/* "Record sizes: VL128 1424, VL256 2704, VL512 6800, VL2048 74656 (measured from file sizes)". */
TEST(records_of_every_vector_length)
{
	struct bytes stream = instructions(30);

	for (unsigned bits = 128; bits <= 2048; bits += 128) {
		struct bytes snapshots = snapshots_at_tenths(3, bits);
		struct tl_xtrace_snapshot s;
		struct trace t;

		if (bits == 128)
			assert_int_equal(snapshots.size, 24 + 3 * 1424);
		if (bits == 256)
			assert_int_equal(snapshots.size, 24 + 3 * 2704);
		if (bits == 2048)
			assert_int_equal(snapshots.size, 24 + 3 * 74656);
		open_trace(&t, &stream, &snapshots);
		assert_int_equal(info_of(&t)->snapshots, 3);
		assert_int_equal(info_of(&t)->layout->vector_bits, bits);
		assert_int_equal(info_of(&t)->layout->header_bytes, 24);
		assert_true(info_of(&t)->has_header);
		assert_int_equal(info_of(&t)->magic, 0x31525458);
		assert_int_equal(tl_xtrace_snapshot_read(t.trace, 0, 2, &s, sizeof(s)), 0);
		assert_int_equal(s.offset, 2 * TENTH);
		assert_int_equal(s.user, 20);
		assert_int_equal(s.total, 20);
		assert_int_equal(s.x[31], 231);
		assert_int_equal(s.z[31 * s.z_stride], 0x80 + 31);
		assert_int_equal(s.p[15 * s.p_stride], 0xc0 + 15);
		assert_int_equal(s.ffr[0], 0xff);
		assert_int_equal(s.za[0], 0);
		assert_int_equal(s.sysregs[0], 0x1000);
		assert_int_equal(s.sysregs[10], 0x100a);
		assert_int_equal(s.vector_bits, bits);
		assert_int_equal(tl_xtrace_snapshot_read(t.trace, 0, 3, &s, sizeof(s)),
				 TL_BAD_USAGE);
		assert_no_fault(&t);
		close_trace(&t);
		free_bytes(&snapshots);
	}
	free_bytes(&stream);
}

/* One record of whatever layout of 2.3 and section 6: sizes of the parts are written out here. */
static void put_odd_record(struct bytes *b, unsigned index, unsigned bits, unsigned predicates,
			   bool blocks, unsigned sysreg, bool za)
{
	unsigned length = bits / 8, predicate = blocks ? length / 8 : (length / 8 + 15) / 16 * 16;
	unsigned all = (predicates * predicate + 15) / 16 * 16;

	put_number(b, 0, 8);
	put_number(b, TENTH * index, 8);
	put_number(b, 10 * index, 8);
	put_number(b, 10 * index, 8);
	put_repeat(b, 0x11, 256);
	put_repeat(b, 0x22, 32 * length);
	put_repeat(b, 0x33, all);
	put_repeat(b, 0x44, (length / 8 + 15) / 16 * 16);
	put_repeat(b, 0x55, za ? length * length : 0);
	for (unsigned i = 0; i < 11; i++)
		put_number(b, 7 + i, sysreg);
	put_repeat(b, 0, sysreg == 4 ? 4 : 0);
	put_number(b, bits, 8);
}

/* "1,024 combinations (H 24/19/32/0 x 16/17 predicates x per-register or block padding x 8/4-byte
 * system registers x ZA x 16 VLs)". */
TEST(layouts_are_found)
{
	static const unsigned headers[] = { 24, 19, 32, 0 };
	struct bytes stream = instructions(60);

	for (unsigned n = 0; n < 64; n++) {
		struct bytes b = { .data = NULL };
		struct tl_xtrace_snapshot s;
		struct trace t;

		put_repeat(&b, 0x77, headers[n % 4]);
		for (unsigned i = 0; i < 5; i++)
			put_odd_record(&b, i, 256, n & 4 ? 17 : 16, n & 8, n & 16 ? 4 : 8,
				       !(n & 32));
		open_trace(&t, &stream, &b);
		assert_no_fault(&t);
		assert_int_equal(info_of(&t)->snapshots, 5);
		assert_int_equal(info_of(&t)->layout->vector_bits, 256);
		assert_int_equal(info_of(&t)->layout->header_bytes, headers[n % 4]);
		assert_int_equal(info_of(&t)->layout->sysreg_bytes, n & 16 ? 4 : 8);
		assert_int_equal(info_of(&t)->layout->za, !(n & 32));
		assert_int_equal(info_of(&t)->has_header, headers[n % 4] != 0);
		assert_true(info_of(&t)->layouts_that_fit >= 1);
		assert_int_equal(tl_xtrace_snapshot_read(t.trace, 0, 4, &s, sizeof(s)), 0);
		assert_int_equal(s.sysregs[10], 17);
		assert_int_equal(s.offset, 4 * TENTH);
		close_trace(&t);
		free_bytes(&b);
	}
	free_bytes(&stream);
}

/* "`--layout` overrides". */
TEST(layouts_can_be_given)
{
	struct tl_xtrace_options options = { .size = sizeof(options), .alone = true };
	struct bytes stream = instructions(20), b = { .data = NULL };
	struct tl_xtrace_snapshot s;
	struct trace t;
	char text[TL_XTRACE_LAYOUT_TEXT];

	/* "Z slot = current maximum VL or fixed 256 bytes: `--layout fixed` only if ever seen"
	 * (A7). */
	put_repeat(&b, 0, 32 + 256);
	put_repeat(&b, 0x22, 32 * 256);
	put_repeat(&b, 0, 16 * 16 + 16 + 16 * 16 + 88);
	put_number(&b, 128, 8);
	options.layout = "z=fixed,header=0";
	assert_int_equal(try_open(&t, &stream, &b, &options), 0);
	assert_no_fault(&t);
	assert_int_equal(info_of(&t)->snapshots, 1);
	tl_xtrace_layout_text(info_of(&t)->layout, sizeof(struct tl_xtrace_layout), text);
	assert_string_equal(text, "header=0,predicates=16,pad=register,sysreg=8,za=yes,vl=128,z="
				  "fixed,time=8,codes=5");
	assert_int_equal(tl_xtrace_snapshot_read(t.trace, 0, 0, &s, sizeof(s)), 0);
	assert_int_equal(s.z_stride, 256);
	close_trace(&t);
	options.layout = "header=0,vl=100";
	assert_int_equal(try_open(&t, &stream, &b, &options), TL_BAD_USAGE);
	close_trace(&t);
	free_bytes(&stream);
	free_bytes(&b);
}

TEST(layout_texts)
{
	static const char *const wrong[] = { "",        "header",    "header=", "header=23",
					     "vl=0",    "vl=127",    "vl=2176", "vl=99999999999",
					     "vl=-128", "za=maybe",  "x=1",     "za=yes,",
					     ",",       "header=24 " };
	struct tl_xtrace_layout layout = { .predicates = 16 };
	struct tl_error err;
	char text[TL_XTRACE_LAYOUT_TEXT];

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(tl_xtrace_layout_parse(wrong[i], &layout, sizeof(layout), &err),
				 TL_BAD_USAGE);
	assert_int_equal(tl_xtrace_layout_parse("header=19,predicates=17,pad=block,sysreg=4,za=no,"
						"vl=2048,z=fixed,time=16,codes=4",
						&layout, sizeof(layout), &err),
			 0);
	tl_xtrace_layout_text(&layout, sizeof(layout), text);
	assert_string_equal(
		text,
		"header=19,predicates=17,pad=block,sysreg=4,za=no,vl=2048,z=fixed,time=16,codes=4");
}

/* "Absurd sizes: VL 0 or 10^9". The last eight bytes say so; the stream is read all the same. */
TEST(no_such_vector_length)
{
	static const uint64_t absurd[] = { 1000000000, 100, 4096, UINT64_MAX };
	struct bytes stream = instructions(20);

	for (size_t i = 0; i < sizeof(absurd) / sizeof(absurd[0]); i++) {
		struct bytes b = { .data = NULL };
		struct trace t;

		put_header(&b);
		put_record(&b, &(struct record){ .says = absurd[i] });
		open_trace(&t, &stream, &b);
		assert_int_equal(info_of(&t)->snapshots, 0);
		assert_int_equal(info_of(&t)->layouts_that_fit, 0);
		assert_fault(&t, TL_BAD_FORMAT, 24 + 1424 - 8, b.size);
		close_trace(&t);
		free_bytes(&b);
	}
	free_bytes(&stream);
}

/* "A truncated tail in either file". */
TEST(truncated_snapshots)
{
	struct bytes stream = instructions(30), b = snapshots_at_tenths(3, 0);
	struct trace t;

	for (size_t cut = 1; cut < 1424; cut += 89) {
		struct bytes shorter = { b.data, b.size - cut, b.room };

		open_trace(&t, &stream, &shorter);
		assert_int_equal(info_of(&t)->snapshots, 2);
		assert_fault(&t, TL_TRUNCATED, b.size - cut, 1424 - cut);
		close_trace(&t);
	}
	struct bytes header = { b.data, 24, b.room };

	open_trace(&t, &stream, &header);
	assert_int_equal(info_of(&t)->snapshots, 0);
	assert_true(info_of(&t)->has_header);
	assert_no_fault(&t);
	close_trace(&t);
	free_bytes(&stream);
	free_bytes(&b);
}

/* One record of several says another length: it is told at that byte, and the others are read. */
TEST(one_wrong_length)
{
	struct bytes stream = instructions(40), b = snapshots_at_tenths(4, 0);
	struct trace t;

	b.data[24 + 2 * 1424 - 8] ^= 1;
	open_trace(&t, &stream, &b);
	assert_int_equal(info_of(&t)->snapshots, 4);
	assert_fault(&t, TL_BAD_RECORD, 24 + 2 * 1424 - 8, 0);
	close_trace(&t);
	free_bytes(&stream);
	free_bytes(&b);
}

/* "Recover: resume from the next snapshot's byte offset, report the gap". */
TEST(damage_costs_a_segment)
{
	struct bytes stream = instructions(40), b = snapshots_at_tenths(4, 0);
	struct tl_xtrace_reader *reader;
	struct tl_xtrace_instruction i;
	struct trace t;
	unsigned count = 0;

	stream.data[TENTH + 13] = 0xff; /* the second token of the second tenth */
	open_trace(&t, &stream, &b);
	assert_int_equal(tl_xtrace_reader_open(&reader, t.trace, 0, TL_NONE, &t.err), 0);
	for (; tl_xtrace_next(reader, &i, sizeof(i), &t.err) == 1; count++) {
		assert_int_equal(i.pc, count < 11 ? 0x1000 + 4 * count : 0x1000 + 4 * (count + 9));
		assert_int_equal(i.before.after_gap, count == 11);
		assert_int_equal(i.before.snapshot,
				 i.pc % 40 == 0x1000 % 40 ? (i.pc - 0x1000) / 40 : TL_NONE);
	}
	assert_int_equal(count, 31);
	assert_fault(&t, TL_BAD_RECORD, TENTH + 13, TENTH - 13);
	tl_xtrace_reader_close(reader);
	close_trace(&t);
	free_bytes(&stream);
	free_bytes(&b);
}

/* Reading may begin at each snapshot; a PC, and everything else, is known there. */
TEST(reading_begins_at_a_snapshot)
{
	struct bytes stream = instructions(40), b = snapshots_at_tenths(4, 0);
	struct tl_xtrace_reader *reader;
	struct tl_xtrace_instruction i;
	struct trace t;

	open_trace(&t, &stream, &b);
	assert_int_equal(tl_xtrace_reader_open(&reader, t.trace, 0, 3, &t.err), 0);
	assert_int_equal(tl_xtrace_next(reader, &i, sizeof(i), &t.err), 1);
	assert_int_equal(i.pc, 0x1000 + 120);
	assert_int_equal(i.before.snapshot, 3);
	assert_int_equal(i.offset, 3 * TENTH);
	tl_xtrace_reader_close(reader);
	assert_int_equal(tl_xtrace_reader_open(&reader, t.trace, 0, 4, &t.err), TL_BAD_USAGE);
	assert_int_equal(tl_xtrace_reader_open(&reader, t.trace, 1, 0, &t.err), TL_BAD_USAGE);
	close_trace(&t);
	free_bytes(&stream);
	free_bytes(&b);
}

/* Offsets that are nobody's beginning do not cut the stream: it is read as if they were not there.
 * One behind its end may be that of a stream that was cut, so it is told. */
TEST(wrong_offsets_are_harmless)
{
	static const uint64_t wrong[] = { TENTH + 1, TENTH + 13, TENTH - 5, 100000, UINT64_MAX };
	struct bytes stream = instructions(40);

	for (size_t n = 0; n < sizeof(wrong) / sizeof(wrong[0]); n++) {
		struct bytes b = { .data = NULL };
		struct tl_xtrace_reader *reader;
		struct tl_xtrace_instruction i;
		struct trace t;
		unsigned count = 0;

		put_header(&b);
		put_record(&b, &(struct record){ .index = 0 });
		put_record(&b, &(struct record){ .index = wrong[n], .user = 10, .total = 10 });
		open_trace(&t, &stream, &b);
		assert_int_equal(tl_xtrace_reader_open(&reader, t.trace, 0, TL_NONE, &t.err), 0);
		while (tl_xtrace_next(reader, &i, sizeof(i), &t.err) == 1)
			count++;
		assert_int_equal(count, 40);
		if (wrong[n] <= stream.size)
			assert_no_fault(&t);
		else
			assert_fault(&t, TL_TRUNCATED, stream.size, 0);
		tl_xtrace_reader_close(reader);
		close_trace(&t);
		free_bytes(&b);
	}
	free_bytes(&stream);
}

/* "If every value equals the record's ordinal, treat it as an ordinal and locate by counting
 * instructions" (2.3). */
TEST(offsets_that_are_numbers)
{
	struct bytes stream = instructions(40), b = { .data = NULL };
	struct tl_xtrace_snapshot s;
	struct tl_xtrace_reader *reader;
	struct tl_xtrace_instruction i;
	struct trace t;

	put_header(&b);
	for (unsigned n = 0; n < 4; n++)
		put_record(&b, &(struct record){ .index = n, .user = 10 * n, .total = 10 * n });
	open_trace(&t, &stream, &b);
	assert_true(info_of(&t)->ordinals);
	for (unsigned n = 0; n < 4; n++) {
		assert_int_equal(tl_xtrace_snapshot_read(t.trace, 0, n, &s, sizeof(s)), 0);
		assert_int_equal(s.index, n);
		assert_int_equal(s.offset, TENTH * n);
	}
	assert_int_equal(tl_xtrace_reader_open(&reader, t.trace, 0, 2, &t.err), 0);
	assert_int_equal(tl_xtrace_next(reader, &i, sizeof(i), &t.err), 1);
	assert_int_equal(i.pc, 0x1000 + 80);
	tl_xtrace_reader_close(reader);
	close_trace(&t);
	free_bytes(&stream);
	free_bytes(&b);
}

/* "Missing partner file": snapshots alone can be shown, and it is told that there is more. */
TEST(snapshots_alone)
{
	struct bytes b = snapshots_at_tenths(2, 0);
	struct tl_xtrace_snapshot s;
	struct tl_xtrace_reader *reader;
	struct tl_xtrace_instruction i;
	struct trace t;

	open_trace(&t, NULL, &b);
	assert_null(info_of(&t)->path);
	assert_fault(&t, TL_IO, TL_NOWHERE, 0);
	assert_int_equal(tl_xtrace_snapshot_read(t.trace, 0, 1, &s, sizeof(s)), 0);
	assert_int_equal(s.user, 10);
	assert_int_equal(tl_xtrace_reader_open(&reader, t.trace, 0, TL_NONE, &t.err), 0);
	assert_int_equal(tl_xtrace_next(reader, &i, sizeof(i), &t.err), 0);
	tl_xtrace_reader_close(reader);
	close_trace(&t);
	free_bytes(&b);
}

TEST(snapshots_are_recognised)
{
	struct bytes b = snapshots_at_tenths(1, 0), old = { .data = NULL };

	assert_int_equal(tl_xtrace_probe(b.data, b.size), 95);
	put_odd_record(&old, 0, 512, 16, false, 8, true); /* "some old traces have no Header" */
	assert_int_equal(tl_xtrace_probe(old.data, old.size), 70);
	free_bytes(&b);
	free_bytes(&old);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_of_every_vector_length),
		cmocka_unit_test(layouts_are_found),
		cmocka_unit_test(layouts_can_be_given),
		cmocka_unit_test(layout_texts),
		cmocka_unit_test(no_such_vector_length),
		cmocka_unit_test(truncated_snapshots),
		cmocka_unit_test(one_wrong_length),
		cmocka_unit_test(damage_costs_a_segment),
		cmocka_unit_test(reading_begins_at_a_snapshot),
		cmocka_unit_test(wrong_offsets_are_harmless),
		cmocka_unit_test(offsets_that_are_numbers),
		cmocka_unit_test(snapshots_alone),
		cmocka_unit_test(snapshots_are_recognised),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
