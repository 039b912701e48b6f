/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a trace may be damaged by, and what it costs: status, offset and skipped bytes of every
 * error of docs/formats/xray.md, section 4 (quoted), and the same errors in strict mode.
 */
#include "bytes.h"

/* ---- must reject ---- */

static void assert_rejected(const struct bytes *b, int status, uint64_t offset)
{
	struct trace t;

	assert_int_equal(try_open(&t, b, NULL), status);
	assert_null(t.reader);
	assert_int_equal(t.err.status, status);
	assert_int_equal(t.err.offset, offset);
	assert_string_equal(t.err.format, "xray");
	assert_non_null(t.err.text);
	close_trace(&t);
}

/* "shorter than 32 bytes" */
TEST(shorter_than_a_header)
{
	for (size_t size = 0; size < 32; size++) {
		struct bytes b = { 0 };

		put_header(&b, 5, FDR, 0, 16384);
		b.size = size;
		assert_rejected(&b, TL_TRUNCATED, size);
		free_bytes(&b);
	}
}

/* "An empty log gives "file holds a header and no records", never "Unsupported version 768"" */
TEST(a_header_and_no_records)
{
	for (unsigned i = 0; i < 6; i++) {
		struct bytes b = { .big = i % 2 };
		struct trace t;

		if (i / 2 == 2)
			put_profiling_header(&b, 0, 0);
		else
			put_header(&b, 3, i / 2, 0, 16384);
		assert_int_equal(try_open(&t, &b, NULL), TL_TRUNCATED);
		assert_string_equal(t.err.text, "the file holds a header and no records");
		assert_int_equal(t.err.offset, 32);
		close_trace(&t);
		free_bytes(&b);
	}
}

/* "type other than 0/1; version outside 1..3 / 1..5" */
TEST(types_and_versions_that_are_none)
{
	static const struct {
		unsigned version, type;
		int status;
		uint64_t offset;
		/* clang-format off */
	} cases[] = {
		{ 5, 2, TL_BAD_FORMAT, 2 },  { 1, 0xffff, TL_BAD_FORMAT, 2 }, { 0, FDR,
		  TL_UNSUPPORTED, 0 },
		{ 6, FDR, TL_UNSUPPORTED, 0 }, { 768, FDR, TL_UNSUPPORTED, 0 }, { 0, BASIC,
		  TL_UNSUPPORTED, 0 },
		{ 4, BASIC, TL_UNSUPPORTED, 0 },
	};
	/* clang-format on */

	for (size_t i = 0; i < 2 * sizeof(cases) / sizeof(cases[0]); i++) {
		struct bytes b = { .big = i % 2 };

		put_header(&b, cases[i / 2].version, cases[i / 2].type, 0, 16384);
		put_repeat(&b, 0, 100);
		assert_rejected(&b, cases[i / 2].status, cases[i / 2].offset);
		free_bytes(&b);
	}
}

TEST(another_version_of_profiling_mode)
{
	struct bytes b = { 0 };

	put_profiling_header(&b, 0, 0);
	set_number(&b, 8, 0x20180425, 8);
	put_repeat(&b, 0, 100);
	assert_rejected(&b, TL_UNSUPPORTED, 8);
	free_bytes(&b);
}

/* "nothing decodable at all" */
TEST(nothing_decodable)
{
	for (unsigned version = 1; version <= 5; version++) {
		struct bytes b = { 0 };

		put_header(&b, version, FDR, 0, 16384);
		put_repeat(&b, 0x55, 200);
		assert_rejected(&b, TL_BAD_RECORD, 32);
		free_bytes(&b);
	}
	for (size_t size = 33; size < 64; size++) {
		struct bytes b = { 0 };

		put_header(&b, 3, BASIC, 0, 0);
		put_repeat(&b, 0, size - 32);
		assert_rejected(&b, TL_BAD_RECORD, 32);
		free_bytes(&b);
	}
}

/* A bit order that is forced and wrong makes no record, not wrong ones. */
TEST(a_wrong_bit_order)
{
	for (unsigned high = 0; high < 2; high++) {
		struct bytes b = { .big = true, .high = high };
		struct tl_xray_options options = {
			.size = sizeof(options),
			.bit_order = high ? TL_XRAY_BITS_LOW : TL_XRAY_BITS_HIGH,
		};
		struct trace t;
		size_t start;

		put_header(&b, 5, FDR, 0, 16384);
		start = begin_block(&b, 1, 1, 1);
		put_function(&b, ENTER, 1, 0);
		end_block(&b, start);
		assert_int_equal(try_open(&t, &b, &options), TL_BAD_RECORD);
		assert_int_equal(t.err.offset, 32);
		close_trace(&t);
		free_bytes(&b);
	}
}

/* ---- must recover: one block of three ---- */

/*
 * Three blocks of 112 bytes of one thread: 80 of head, then functions 10 k + 1 .. 10 k + 4. The
 * middle one:
 *   144 extents, 160 NewBuffer, 176 WallClock, 192 Pid, 208 NewCPUId, 224 232 240 248 functions,
 *   256 end
 */
enum { BLOCK = 112, MIDDLE = 144, BODY = 224, MIDDLE_END = 256, END = 368 };

static void put_three_blocks(struct bytes *b)
{
	put_header(b, 5, FDR, 0, 16384);
	for (uint32_t k = 1; k <= 3; k++) {
		size_t start = begin_block(b, 1, 1, 100 * k);

		for (uint32_t i = 1; i <= 4; i++)
			put_function(b, i == 1 ? ENTER : EXIT, 10 * k + i, i);
		end_block(b, start);
	}
	assert_int_equal(b->size, END);
}

static size_t functions_of(const struct trace *t, uint32_t block)
{
	size_t count = 0;

	for (size_t i = 0; i < t->count; i++)
		count += t->records[i].kind == TL_XRAY_FUNCTION &&
			 t->records[i].function / 10 == block;
	return count;
}

struct fault {
	int status;
	uint64_t offset, length;
};

static void assert_faults(const struct trace *t, const struct fault *want, size_t count)
{
	const struct tl_xray_fault *got;
	uint64_t all, skipped, sum = 0;
	size_t listed;

	got = tl_xray_faults(t->reader, &listed, &all, &skipped);
	assert_int_equal(all, count);
	assert_int_equal(listed, count);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(got[i].status, want[i].status);
		assert_int_equal(got[i].offset, want[i].offset);
		assert_int_equal(got[i].length, want[i].length);
		assert_non_null(got[i].text);
		sum += want[i].length;
	}
	assert_int_equal(skipped, sum);
}

/* Every fault shows as a record of its place and length, unless it costs no byte. */
static void assert_lost_records(const struct trace *t, const struct fault *want, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		bool found = !want[i].length;

		for (size_t r = 0; r < t->count; r++)
			found |= t->records[r].kind == TL_XRAY_LOST &&
				 t->records[r].offset == want[i].offset &&
				 t->records[r].length == want[i].length && t->records[r].text;
		assert_true(found);
	}
}

/* In strict mode the first fault in the order of reading ends it. */
static void assert_strict(const struct bytes *b, struct fault want)
{
	struct tl_xray_options options = { .size = sizeof(options), .strict = true };
	struct trace t;
	int status = try_open(&t, b, &options);

	if (status == 0)
		status = read_all(&t);
	assert_int_equal(status, want.status);
	assert_int_equal(t.err.status, want.status);
	assert_int_equal(t.err.offset, want.offset);
	assert_string_equal(t.err.format, "xray");
	close_trace(&t);
}

/* Blocks 1 and 3 are whole; `kept` functions of block 2 are. */
static void assert_damage(const struct bytes *b, size_t kept, const struct fault *want,
			  size_t count)
{
	struct trace t;

	load(&t, b, NULL);
	assert_int_equal(functions_of(&t, 1), 4);
	assert_int_equal(functions_of(&t, 2), kept);
	assert_int_equal(functions_of(&t, 3), 4);
	assert_int_equal(nth(&t, TL_XRAY_FUNCTION, 4 + kept)->tsc, 301);
	assert_faults(&t, want, count);
	assert_lost_records(&t, want, count);
	close_trace(&t);
	assert_strict(b, want[0]);
}

/*
 * `size` bytes of `patch` over the middle block, which then loses what stands from `offset` to its
 * end.
 */
static void damaged_record(size_t offset, const void *patch, size_t size, int status)
{
	const struct fault want = { status, offset, MIDDLE_END - offset };
	struct bytes b = { 0 };

	put_three_blocks(&b);
	memcpy(b.data + offset, patch, size);
	assert_damage(&b, (offset - BODY) / 8, &want, 1);
	free_bytes(&b);
}

/* "unknown kinds 10..127", each with the records kept before it. "it drops to the next block" */
TEST(unknown_kinds)
{
	for (unsigned kind = 10; kind < 128; kind++) {
		uint8_t byte = (uint8_t)(kind << 1 | 1);

		damaged_record(BODY + 8 * (kind % 3), &byte, 1, TL_BAD_RECORD);
	}
}

/* "actions 4..7" */
TEST(unknown_actions)
{
	for (unsigned action = 4; action < 8; action++) {
		uint8_t byte = (uint8_t)(action << 1);

		damaged_record(BODY + 8 * (action - 4), &byte, 1, TL_BAD_RECORD);
	}
}

/* "Function ids start at 1": zeroed bytes, which read as entries of function 0, are no records. */
TEST(zeroed_records)
{
	damaged_record(BODY, "\0\0\0\0\0\0\0", 8, TL_BAD_RECORD);
	damaged_record(BODY + 8, "\2\0\0\0", 4, TL_BAD_RECORD);
}

/*
 * "EndOfBuffer in version >= 2"; "accept as a new block start only where a block may start; else an
 * error record"
 */
TEST(records_of_heads_in_bodies)
{
	damaged_record(BODY, "\x03", 1, TL_BAD_RECORD);
	damaged_record(BODY, "\x01", 1, TL_BAD_RECORD);
	damaged_record(BODY + 8, "\x0f", 1, TL_BAD_RECORD);
}

/* "negative sizes", "over-reads" */
TEST(events_of_wrong_sizes)
{
	damaged_record(BODY, "\x0b\xff\xff\xff\xff", 5, TL_BAD_SIZE);
	damaged_record(BODY, "\x0b\x00\x00\x00\x80", 5, TL_BAD_SIZE);
	damaged_record(BODY, "\x11\xff\xff\xff\xff", 5, TL_BAD_SIZE);
	damaged_record(BODY, "\x0b\x11\x00\x00\x00", 5, TL_TRUNCATED); /* 17, where 16 are left */
	damaged_record(BODY, "\x11\xff\xff\xff\x7f", 5, TL_TRUNCATED);
	damaged_record(BODY + 16, "\x0b\x01\x00\x00\x00", 5, TL_TRUNCATED);
	/* a metadata record in the last 8 bytes */
	damaged_record(BODY + 24, "\x07", 1, TL_TRUNCATED);
}

/* An event that ends with its block is whole. */
TEST(an_event_up_to_the_end)
{
	struct bytes b = { 0 };
	struct trace t;

	put_three_blocks(&b);
	memcpy(b.data + BODY, "\x0b\x10\x00\x00\x00", 5);
	load(&t, &b, NULL);
	assert_faults(&t, NULL, 0);
	assert_int_equal(nth(&t, TL_XRAY_CUSTOM_EVENT, 0)->payload_size, 16);
	assert_ptr_equal(nth(&t, TL_XRAY_CUSTOM_EVENT, 0)->payload, b.data + BODY + 16);
	close_trace(&t);
	free_bytes(&b);
}

/* ---- extents ---- */

static void wrong_extents(uint64_t extents, size_t kept, const struct fault *want, size_t count)
{
	struct bytes b = { 0 };

	put_three_blocks(&b);
	set_number(&b, MIDDLE + 1, extents, 8);
	assert_damage(&b, kept, want, count);
	free_bytes(&b);
}

/*
 * The block is 96 bytes behind its extents. "The file loses the last 16*n bytes of each block"
 * (2.6)
 */
TEST(extents_too_small)
{
	static const struct fault whole_records[] = { { TL_BAD_RECORD, MIDDLE_END - 16, 16 } };
	static const struct fault cut_record[] = { { TL_BAD_RECORD, MIDDLE_END - 12, 12 },
						   { TL_TRUNCATED, MIDDLE_END - 16, 4 } };
	static const struct fault cut_head[] = { { TL_BAD_RECORD, 200, MIDDLE_END - 200 },
						 { TL_TRUNCATED, 192, 8 } };
	/* What follows the extents is known to be a buffer by its head. */
	static const struct fault nothing[] = { { TL_BAD_RECORD, 160, 0 } };

	wrong_extents(80, 2, whole_records, 1);
	wrong_extents(84, 2, cut_record, 2);
	wrong_extents(40, 0, cut_head, 2);
	wrong_extents(0, 4, nothing, 1);
}

/* Too large: the next buffer's head ends the block. Nothing is lost, and that is told. */
TEST(extents_too_large)
{
	static const uint64_t sizes[] = { 97, 104, 112, 200, 207, 1000, INT64_MAX, UINT64_MAX };
	static const struct fault over = { TL_BAD_SIZE, MIDDLE, 0 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		wrong_extents(sizes[i], 4, &over, 1);
}

TEST(extents_past_the_end_of_the_file)
{
	static const uint64_t sizes[] = { 97, 1000, UINT64_MAX };
	static const struct fault past = { TL_TRUNCATED, MIDDLE_END, 0 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct bytes b = { 0 };

		put_three_blocks(&b);
		set_number(&b, MIDDLE_END + 1, sizes[i], 8);
		assert_damage(&b, 4, &past, 1);
		free_bytes(&b);
	}
}

/*
 * A damaged BufferExtents byte costs those 16 bytes: the buffer behind is read from its NewBuffer
 * on.
 */
TEST(the_byte_of_extents_is_damaged)
{
	static const unsigned bytes[] = { 0, 1, 3, 0x0e, 0x8f, 0xff };

	for (size_t i = 0; i < 3 * sizeof(bytes) / sizeof(bytes[0]); i++) {
		const struct fault want = { TL_BAD_RECORD, 32 + BLOCK * (i % 3), 16 };
		struct bytes b = { 0 };

		put_three_blocks(&b);
		b.data[32 + BLOCK * (i % 3)] = (uint8_t)bytes[i / 3];
		assert_damage(&b, 4, &want, 1);
		free_bytes(&b);
	}
}

/* ---- bytes too many and too few ---- */

static void insert(struct bytes *b, size_t at, unsigned value, size_t count)
{
	size_t old = b->size;

	put_repeat(b, value, count);
	memmove(b->data + at + count, b->data + at, old - at);
	memset(b->data + at, (int)value, count);
}

static void delete(struct bytes *b, size_t at, size_t count)
{
	memmove(b->data + at, b->data + at + count, b->size - at - count);
	b->size -= count;
}

/*
 * "junk between blocks", "trailing bytes after the last block": just those are skipped, whatever
 * they look like.
 */
TEST(junk_between_blocks)
{
	static const size_t places[] = { 32, MIDDLE, MIDDLE_END, END };

	for (size_t i = 0; i < 4 * 3 * 40; i++) {
		const struct fault want = { TL_BAD_RECORD, places[i % 4], i / 12 + 1 };
		static const unsigned junk[] = { 0x77, 0x0f, 0x01 };
		struct bytes b = { 0 };

		put_three_blocks(&b);
		insert(&b, places[i % 4], junk[i / 4 % 3], i / 12 + 1);
		assert_damage(&b, 4, &want, 1);
		free_bytes(&b);
	}
}

/* How many function records stand in the block at an offset. */
static size_t functions_in(const struct trace *t, uint64_t block)
{
	size_t count = 0;

	for (size_t i = 0; i < t->count; i++)
		count += t->records[i].kind == TL_XRAY_FUNCTION && t->records[i].offset >= block &&
			 t->records[i].offset < block + BLOCK;
	return count;
}

/* Whatever happens inside a block, the blocks around it are whole. */
TEST(bytes_inserted_and_deleted_in_a_block)
{
	for (size_t at = MIDDLE + 17; at < MIDDLE_END - 24; at++)
		for (size_t count = 1; count <= 24; count++)
			for (unsigned deleted = 0; deleted < 2; deleted++) {
				struct bytes b = { 0 };
				struct trace t;

				put_three_blocks(&b);
				if (deleted)
					delete (&b, at, count);
				else
					insert(&b, at, 0, count);
				load(&t, &b, NULL);
				assert_int_equal(functions_in(&t, 32), 4);
				assert_int_equal(functions_in(&t, b.size - BLOCK), 4);
				close_trace(&t);
				free_bytes(&b);
			}
}

/* Every byte is in a record, or was skipped and said to be. */
static void assert_all_bytes_told(const struct bytes *b)
{
	struct tl_xray_options options = { .size = sizeof(options), .order = TL_XRAY_FILE_ORDER };
	const struct tl_xray_fault *faults;
	uint64_t at = 32, lost = 0, count, skipped;
	struct trace t;
	size_t listed;

	load(&t, b, &options);
	for (size_t i = 0; i < t.count; i++) {
		if (!t.records[i].length)
			continue;
		assert_int_equal(t.records[i].offset, at);
		at += t.records[i].length;
		lost += t.records[i].kind == TL_XRAY_LOST ? t.records[i].length : 0;
	}
	assert_int_equal(at, b->size);
	faults = tl_xray_faults(t.reader, &listed, &count, &skipped);
	assert_true(count == 0 || faults != NULL);
	assert_int_equal(skipped, lost);
	close_trace(&t);
}

/*
 * "truncation at any byte": the functions whose bytes are there are kept, and what is not whole is
 * reported.
 */
TEST(truncated_at_any_byte)
{
	for (size_t size = 33; size < END; size++) {
		size_t block = (size - 32) / BLOCK, rest = (size - 32) % BLOCK;
		size_t functions = 4 * block + (rest > 80 ? (rest - 80) / 8 : 0);
		const struct tl_xray_fault *faults;
		uint64_t count, skipped;
		struct bytes b = { 0 };
		struct trace t;
		size_t listed;

		put_three_blocks(&b);
		b.size = size;
		if (size < 64) {
			assert_rejected(&b, TL_BAD_RECORD, 32);
			free_bytes(&b);
			continue;
		}
		load(&t, &b, NULL);
		assert_int_equal(count_kind(&t, TL_XRAY_FUNCTION), functions);
		faults = tl_xray_faults(t.reader, &listed, &count, &skipped);
		assert_int_equal(count != 0, rest != 0);
		/* Less than a record is lost, or less than the two that a buffer is known by. */
		assert_true(skipped < (rest < 32 ? 32 : 16));
		for (size_t i = 0; i < listed; i++)
			assert_true(faults[i].offset >= 32 + BLOCK * block &&
				    faults[i].offset <= size);
		close_trace(&t);
		assert_all_bytes_told(&b);
		free_bytes(&b);
	}
}

/*
 * The same for every byte changed to something else: no byte is lost without a word, and no block
 * but one.
 */
TEST(any_byte_changed)
{
	static const unsigned changes[] = { 0xff, 0x01, 0x80, 0x0f };

	for (size_t at = 32; at < END; at++)
		for (size_t i = 0; i < 4; i++) {
			size_t whole = 0;
			struct bytes b = { 0 };
			struct trace t;

			put_three_blocks(&b);
			b.data[at] ^= (uint8_t)changes[i];
			load(&t, &b, NULL);
			for (uint32_t block = 1; block <= 3; block++)
				whole += functions_in(&t, 32 + BLOCK * (block - 1)) == 4;
			assert_true(whole >= 2);
			close_trace(&t);
			assert_all_bytes_told(&b);
			free_bytes(&b);
		}
}

/* In file order what lies between blocks stands in its place. */
TEST(gaps_stand_in_their_place)
{
	struct tl_xray_options options = { .size = sizeof(options), .order = TL_XRAY_FILE_ORDER };
	struct bytes b = { 0 };
	struct trace t;

	put_three_blocks(&b);
	insert(&b, MIDDLE, 0x77, 5);
	load(&t, &b, &options);
	/* Nine records of the first block. */
	assert_int_equal(t.records[9].kind, TL_XRAY_LOST);
	assert_int_equal(t.records[9].offset, MIDDLE);
	assert_int_equal(t.records[9].length, 5);
	assert_int_equal(t.records[10].offset, MIDDLE + 5);
	close_trace(&t);
	assert_all_bytes_told(&b);
	free_bytes(&b);
}

/* ---- more faults than are listed ---- */

/* "`*count` of them, of which the first 1000 are listed" */
TEST(very_many_faults)
{
	const struct tl_xray_fault *faults;
	struct bytes b = { 0 };
	uint64_t count, skipped;
	size_t listed;
	struct trace t;

	put_header(&b, 5, FDR, 0, 16384);
	for (uint32_t k = 0; k < 1500; k++) {
		size_t start = begin_block(&b, 1, 1, 100 + k);

		put_function(&b, 7, 1, 0);
		put_function(&b, ENTER, 1, 0);
		end_block(&b, start);
	}
	load(&t, &b, NULL);
	faults = tl_xray_faults(t.reader, &listed, &count, &skipped);
	assert_int_equal(count, 1500);
	assert_int_equal(listed, 1000);
	assert_int_equal(skipped, 1500 * 16);
	assert_int_equal(faults[999].offset, 32 + 999 * 96 + 80);
	assert_int_equal(faults[999].record, 5);
	close_trace(&t);
	free_bytes(&b);
}

/* ---- version 1 ---- */

/* A damaged head in the midst of version 1: the buffer is missed, those around it are not. */
TEST(a_damaged_head_of_version_1)
{
	struct bytes b = { 0 };
	struct trace t;

	put_header(&b, 1, FDR, 0, 100);
	for (uint32_t k = 1; k <= 3; k++) {
		size_t start = begin_block(&b, 0, 1, 100 * k);

		put_function(&b, ENTER, 10 * k, 0);
		end_block(&b, start);
		put_repeat(&b, 0, start + 100 - b.size);
	}
	b.data[132] = 0x55;
	load(&t, &b, NULL);
	assert_int_equal(functions_of(&t, 1), 1);
	assert_int_equal(functions_of(&t, 2), 0);
	assert_int_equal(functions_of(&t, 3), 1);
	assert_faults(&t, &(struct fault){ TL_BAD_RECORD, 132, 100 }, 1);
	close_trace(&t);
	free_bytes(&b);
}

/* ---- basic mode ---- */

static void put_four_basic(struct bytes *b)
{
	put_header(b, 3, BASIC, 0, 0);
	for (int i = 1; i <= 4; i++)
		put_basic(b, 1, ENTER, i, 100, 7, 8);
}

static void assert_basic(const struct bytes *b, size_t functions, struct fault want)
{
	struct trace t;

	load(&t, b, NULL);
	assert_int_equal(count_kind(&t, TL_XRAY_FUNCTION), functions);
	assert_faults(&t, &want, 1);
	assert_lost_records(&t, &want, 1);
	assert_int_equal(tl_xray_info(t.reader)->threads, 1);
	for (size_t i = 0; i < t.count; i++)
		if (t.records[i].kind == TL_XRAY_FUNCTION)
			assert_int_equal(t.records[i].thread, 7);
	close_trace(&t);
	assert_strict(b, want);
	assert_all_bytes_told(b);
}

/* "a basic file whose size is not 32 + 32*n is *recovered* (whole records kept) but reported" */
TEST(a_basic_file_of_odd_size)
{
	for (size_t rest = 1; rest < 32; rest++) {
		struct bytes b = { 0 };

		put_four_basic(&b);
		b.size = 32 + 3 * 32 + rest;
		assert_basic(&b, 3, (struct fault){ TL_TRUNCATED, 128, rest });
		free_bytes(&b);
	}
}

/*
 * A record that cannot be read costs itself, wherever it stands, and makes no thread of what its
 * bytes hold.
 */
TEST(a_basic_record_that_is_none)
{
	static const struct {
		size_t at;
		unsigned value;
	} cases[] = { { 0, 2 }, { 1, 1 }, { 3, 4 }, { 3, 255 } };

	for (size_t i = 0; i < 4 * 4; i++) {
		struct bytes b = { 0 };
		size_t record = 32 + 32 * (i % 4);

		put_four_basic(&b);
		b.data[record + cases[i / 4].at] = (uint8_t)cases[i / 4].value;
		if (cases[i / 4].at < 2)
			memset(b.data + record + 2, 0xcc, 30);
		assert_basic(&b, 3, (struct fault){ TL_BAD_RECORD, record, 32 });
		free_bytes(&b);
	}
}

/* A zeroed record names function 0, which there is not. */
TEST(zeroed_basic_records)
{
	for (size_t record = 32; record < 32 + 4 * 32; record += 32) {
		struct bytes b = { 0 };

		put_four_basic(&b);
		memset(b.data + record + 4, 0, 4);
		assert_basic(&b, 3, (struct fault){ TL_BAD_RECORD, record, 32 });
		free_bytes(&b);
	}
}

/* ---- profiling mode ---- */

static void put_two_threads(struct bytes *b)
{
	static const int32_t path[] = { 2, 1, 0 };

	put_profiling_header(b, 0, 1);
	for (uint32_t k = 0; k < 2; k++) {
		size_t start = begin_samples(b, k, 10 + k); /* 32 and 104 */

		put_sample(b, path, 1, 5);
		put_sample(b, path, 1, 6);
		end_samples(b, start);
	}
}

static void damaged_profile(const struct bytes *b, size_t samples, const struct fault *want,
			    size_t count)
{
	struct trace t;

	load(&t, b, NULL);
	assert_int_equal(count_kind(&t, TL_XRAY_SAMPLE), samples);
	assert_faults(&t, want, count);
	assert_lost_records(&t, want, count);
	close_trace(&t);
	assert_strict(b, want[0]);
}

TEST(damaged_profiles)
{
	struct bytes b = { 0 };

	put_two_threads(&b);
	assert_int_equal(b.size, 176);
	set_number(&b, 104, 15, 4);
	damaged_profile(&b, 2, &(struct fault){ TL_BAD_SIZE, 104, 72 }, 1);
	set_number(&b, 104, 1000, 4);
	damaged_profile(&b, 4, &(struct fault){ TL_TRUNCATED, 104, 0 }, 1);
	set_number(&b, 104, 72, 4);
	/* Cut in the numbers of the last entry, which begins at 148. */
	b.size = 170;
	damaged_profile(
		&b, 3,
		(const struct fault[]){ { TL_TRUNCATED, 104, 0 }, { TL_TRUNCATED, 148, 22 } }, 2);
	b.size = 110; /* cut in the second block's head */
	damaged_profile(&b, 2, &(struct fault){ TL_TRUNCATED, 104, 6 }, 1);
	free_bytes(&b);
	/* A path that does not end. */
	put_two_threads(&b);
	set_number(&b, 76 + 8, 1, 4);
	set_number(&b, 76 + 12, 0x01010101, 4);
	memset(b.data + 76, 1, 28);
	damaged_profile(&b, 3, &(struct fault){ TL_TRUNCATED, 76, 28 }, 1);
	free_bytes(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shorter_than_a_header),
		cmocka_unit_test(a_header_and_no_records),
		cmocka_unit_test(types_and_versions_that_are_none),
		cmocka_unit_test(another_version_of_profiling_mode),
		cmocka_unit_test(nothing_decodable),
		cmocka_unit_test(a_wrong_bit_order),
		cmocka_unit_test(unknown_kinds),
		cmocka_unit_test(unknown_actions),
		cmocka_unit_test(zeroed_records),
		cmocka_unit_test(records_of_heads_in_bodies),
		cmocka_unit_test(events_of_wrong_sizes),
		cmocka_unit_test(an_event_up_to_the_end),
		cmocka_unit_test(extents_too_small),
		cmocka_unit_test(extents_too_large),
		cmocka_unit_test(extents_past_the_end_of_the_file),
		cmocka_unit_test(the_byte_of_extents_is_damaged),
		cmocka_unit_test(junk_between_blocks),
		cmocka_unit_test(bytes_inserted_and_deleted_in_a_block),
		cmocka_unit_test(truncated_at_any_byte),
		cmocka_unit_test(any_byte_changed),
		cmocka_unit_test(gaps_stand_in_their_place),
		cmocka_unit_test(very_many_faults),
		cmocka_unit_test(a_damaged_head_of_version_1),
		cmocka_unit_test(a_basic_file_of_odd_size),
		cmocka_unit_test(a_basic_record_that_is_none),
		cmocka_unit_test(zeroed_basic_records),
		cmocka_unit_test(damaged_profiles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
