/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fields of samples by sample_type (UAPI, PERF_RECORD_SAMPLE), which event a record is of, and
 * the order of time (docs/formats/perf-data.md sections 4 and 5).
 */
#include "file.h"

#include <zstd.h>

#include "core/cursor.h"
#include "perf_data/listing/describe.h"

static struct file f;

/* An event of type `type`, sample_type `bits`; sets read_format and branch_type, too. */
static void begin(uint64_t bits, uint64_t read_format)
{
	file_begin(&f, bits);
	patch64(&f, 104 + 32, read_format);
}

/* A sample of these words. */
static void put_sample(const uint64_t *words, size_t count)
{
	put_header(&f, TL_PERF_SAMPLE, 1, 8 + 8 * count);
	for (size_t i = 0; i < count; i++)
		put64(&f, words[i]);
}

static int read_one(void)
{
	file_end(&f);
	reader_open(&f, NULL);
	return next(&f);
}

static void close_whole(void)
{
	assert_no_fault(&f);
	reader_close(&f);
}

/* ---- fields ---- */

/* Fields of one word each, in the order of UAPI; then one behind them all. */
TEST(fields_of_one_word)
{
	const uint64_t bits = 1 | 2 | 4 | 8 | 64 | 128 | 256 | 512 | 16384 | 32768 | 131072 |
			      1 << 19 | 1 << 21 | 1 << 22 | 1 << 23;
	const uint64_t words[] = {
		0x10, (uint64_t)3 << 32 | 2, 4, 5, 6, 7, 8, 9, 20, 21, 22, 23, 24, 25, 26
	};

	begin(bits, 0);
	put_sample(words, 15);
	assert_int_equal(read_one(), 1);
	assert_int_equal(f.rec.sample.ip, 0x10);
	assert_int_equal(f.rec.id.process, 2);
	assert_int_equal(f.rec.id.thread, 3);
	assert_int_equal(f.rec.id.time_ns, 4);
	assert_int_equal(f.rec.sample.address, 5);
	assert_int_equal(f.rec.id.sample_id, 6);
	assert_int_equal(f.rec.id.id, 6);
	assert_int_equal(f.rec.id.stream, 7);
	assert_int_equal(f.rec.id.cpu, 8);
	assert_int_equal(f.rec.sample.period, 9);
	assert_int_equal(f.rec.sample.weight, 20);
	assert_int_equal(f.rec.sample.data_source, 21);
	assert_int_equal(f.rec.sample.transaction, 22);
	assert_int_equal(f.rec.sample.physical, 23);
	assert_int_equal(f.rec.sample.cgroup, 24);
	assert_int_equal(f.rec.sample.data_page, 25);
	assert_int_equal(f.rec.sample.code_page, 26);
	close_whole();
}

/* The same record with a word less than its fields need is refused, for each such field. */
TEST(each_field_needs_its_word)
{
	static const unsigned bits[] = { 0, 1, 2, 3, 6, 7, 8, 9, 14, 15, 17, 19, 21, 22, 23 };

	for (size_t i = 0; i < sizeof(bits) / sizeof(bits[0]); i++) {
		const uint64_t word = 5;

		begin(UINT64_C(1) << bits[i], 0);
		put_sample(&word, 1);
		assert_int_equal(read_one(), 1);
		close_whole();
		begin(UINT64_C(1) << bits[i], 0);
		put_sample(NULL, 0);
		assert_int_equal(read_one(), 0);
		assert_fault(&f, TL_BAD_RECORD, DATA_AT, 8);
		reader_close(&f);
	}
}

/*
 * What stands between the first words and AUX data, which are found only if each part has its
 * right size: `count` words that PERF_SAMPLE bit `bit` brings.
 */
static void assert_size(unsigned bit, uint64_t read_format, const uint64_t *words, size_t count)
{
	begin(UINT64_C(1) << bit | 1 << 20, read_format);
	put_header(&f, TL_PERF_SAMPLE, 1, 8 + 8 * count + 8 + 8);
	for (size_t i = 0; i < count; i++)
		put64(&f, words[i]);
	put64(&f, 8);
	put_bytes(&f, "auxdata!", 8);
	assert_int_equal(read_one(), 1);
	assert_int_equal(f.rec.sample.aux_size, 8);
	assert_memory_equal(f.rec.sample.aux, "auxdata!", 8);
	close_whole();
}

/* UAPI, struct read_format: value, times, id, lost; in a group the number of values first. */
TEST(values_of_counters)
{
	const uint64_t group[] = { 2, 1, 1, 1, 1, 1, 1, 1, 1 };
	const uint64_t words[8] = { 0 };

	assert_size(4, 0, words, 1);
	assert_size(4, 1, words, 2);
	assert_size(4, 1 | 2, words, 3);
	assert_size(4, 1 | 2 | 4, words, 4);
	assert_size(4, 1 | 2 | 4 | 16, words, 5);
	assert_size(4, 8, group, 3);
	assert_size(4, 8 | 1, group, 4);
	assert_size(4, 8 | 1 | 2 | 4 | 16, group, 9);
}

TEST(parts_of_any_size)
{
	const uint64_t chain[] = { 3, 1, 2, 3 };
	/* the size is 32 bits: 4 + 12 bytes are two words */
	const uint64_t raw[] = { 12, 0 };
	const uint64_t branches[] = { 2, 1, 2, 3, 4, 5, 6 };
	/* no registers: PERF_SAMPLE_REGS_ABI_NONE */
	const uint64_t registers[] = { 0 };
	const uint64_t stack[] = { 16, 1, 2, 16 };
	const uint64_t no_stack[] = { 0 };

	assert_size(5, 0, chain, 4);
	assert_size(10, 0, raw, 2);
	assert_size(11, 0, branches, 7);
	assert_size(12, 0, registers, 1);
	assert_size(18, 0, registers, 1);
	assert_size(13, 0, stack, 4);
	assert_size(13, 0, no_stack, 1);
}

/* A count or size that exceeds the record is refused, for each such part. */
TEST(parts_beyond_the_record)
{
	static const struct {
		unsigned bit;
		uint64_t count;
	} rows[] = { { 5, 2 }, { 10, 13 }, { 11, 1 }, { 13, 9 }, { 20, 9 }, { 13, 8 } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const uint64_t words[] = { rows[i].count, 0 };

		begin(UINT64_C(1) << rows[i].bit, 0);
		put_sample(words, 2);
		assert_int_equal(read_one(), 0);
		assert_fault(&f, TL_BAD_RECORD, DATA_AT, 24);
		reader_close(&f);
	}
}

/* ---- all fields at once ---- */

enum { HW_INDEX = 1 << 17, BRANCH_COUNTERS = 1 << 19, READ_ALL = 31 };

/* Each field of a sample, in the order of UAPI; those of any size hold two entries. */
static const uint64_t all_words[] = {
	77,                    /* IDENTIFIER */
	0x10,                  /* IP */
	(uint64_t)3 << 32 | 2, /* TID */
	4,                     /* TIME */
	5,                     /* ADDR */
	77,                    /* ID */
	7,                     /* STREAM_ID */
	8,                     /* CPU */
	9,                     /* PERIOD */
	2,
	500,
	400, /* READ of a group: count, times */
	11,
	77,
	1, /* value, id, lost */
	22,
	78,
	2, /* the other */
	2,
	0x100,
	0x200, /* CALLCHAIN */
	(uint64_t)0x5a5a5a5a << 32 | 12,
	0, /* RAW: 4 bytes of size, 12 of data */
	2,
	1, /* BRANCH_STACK, HW_INDEX */
	31,
	32,
	33,
	34,
	35,
	36, /* from, to, flags */
	41,
	42, /* counters */
	2,
	51,
	52, /* REGS_USER: the ABI, two registers */
	16,
	61,
	62,
	9,  /* STACK_USER: size, bytes, how many were read */
	20, /* WEIGHT */
	21, /* DATA_SRC */
	22, /* TRANSACTION */
	2,
	71, /* REGS_INTR */
	23, /* PHYS_ADDR */
	24, /* CGROUP */
	25, /* DATA_PAGE_SIZE */
	26, /* CODE_PAGE_SIZE */
	16,
	81,
	82, /* AUX */
};
enum { ALL_WORDS = sizeof(all_words) / sizeof(all_words[0]) };

/* PERF_SAMPLE_MAX is 1 << 25; WEIGHT_STRUCT is another form of WEIGHT. */
#define ALL_FIELDS ((UINT64_C(1) << 25) - 1 - (1 << 24))

static const struct wide_attr all_fields = {
	.sample_type = ALL_FIELDS,
	.read_format = READ_ALL,
	.branch_type = HW_INDEX | BRANCH_COUNTERS,
	.regs_user = 1 << 3 | 1 << 8,
	.regs_intr = 1 << 8,
};

static void assert_words(const uint8_t *words, uint64_t first, uint64_t second)
{
	assert_int_equal(tl_le64(words), first);
	assert_int_equal(tl_le64(words + 8), second);
}

TEST(all_fields_at_once)
{
	struct tl_perf_read read;

	file_begin_wide(&f, &all_fields);
	put_sample(all_words, ALL_WORDS);
	file_end_wide(&f);
	reader_open(&f, NULL);
	assert_int_equal(next(&f), 1);
	assert_int_equal(f.rec.sample.read_count, 2);
	assert_int_equal(tl_perf_sample_read(&f.rec, 1, &read, sizeof(read)), 0);
	assert_int_equal(read.value, 22);
	assert_int_equal(read.id, 78);
	assert_int_equal(read.lost, 2);
	assert_int_equal(tl_perf_sample_read(&f.rec, 2, &read, sizeof(read)), TL_BAD_USAGE);
	assert_int_equal(f.rec.sample.callchain_count, 2);
	assert_words(f.rec.sample.callchain, 0x100, 0x200);
	assert_int_equal(f.rec.sample.raw_size, 12);
	assert_memory_equal(f.rec.sample.raw, "ZZZZ", 4);
	assert_int_equal(f.rec.sample.branch_count, 2);
	assert_words(f.rec.sample.branches, 31, 32);
	assert_int_equal(f.rec.sample.user_abi, 2);
	assert_words(f.rec.sample.user_registers, 51, 52);
	assert_int_equal(f.rec.sample.stack_size, 16);
	assert_int_equal(f.rec.sample.stack_used, 9);
	assert_int_equal(f.rec.sample.intr_abi, 2);
	assert_int_equal(tl_le64(f.rec.sample.intr_registers), 71);
	assert_int_equal(f.rec.sample.physical, 23);
	assert_int_equal(f.rec.sample.aux_size, 16);
	assert_words(f.rec.sample.aux, 81, 82);
	assert_no_fault(&f);
	reader_close(&f);
}

/* A sample that ends within its fields is refused, wherever that is. */
TEST(all_fields_cut_short)
{
	for (size_t count = 0; count < ALL_WORDS; count++) {
		file_begin_wide(&f, &all_fields);
		put_sample(all_words, count);
		file_end_wide(&f);
		reader_open(&f, NULL);
		assert_int_equal(next(&f), 0);
		assert_fault(&f, TL_BAD_RECORD, WIDE_DATA_AT, 8 + 8 * count);
		reader_close(&f);
	}
}

/* struct sample_id: TID, TIME, ID, STREAM_ID, CPU, IDENTIFIER, behind any other record. */
TEST(all_fields_of_a_trailer)
{
	const uint64_t trailer[] = { (uint64_t)3 << 32 | 2, 4, 78, 7, 8, 77 };

	file_begin(&f, ALL_FIELDS);
	put_header(&f, TL_PERF_LOST_SAMPLES, 0, 8 + 8 + sizeof(trailer));
	put64(&f, 1);
	for (size_t i = 0; i < 6; i++)
		put64(&f, trailer[i]);
	assert_int_equal(read_one(), 1);
	assert_int_equal(f.rec.id.process, 2);
	assert_int_equal(f.rec.id.thread, 3);
	assert_int_equal(f.rec.id.time_ns, 4);
	assert_int_equal(f.rec.id.sample_id, 78);
	assert_int_equal(f.rec.id.stream, 7);
	assert_int_equal(f.rec.id.cpu, 8);
	assert_int_equal(f.rec.id.id, 77);
	close_whole();
	file_begin(&f, 2 | 64); /* TID, ID */
	put_header(&f, TL_PERF_LOST_SAMPLES, 0, 8 + 8 + 16);
	put64(&f, 1);
	put64(&f, trailer[0]);
	put64(&f, 77);
	assert_int_equal(read_one(), 1);
	assert_int_equal(f.rec.id.id, 77);
	assert_int_equal(f.rec.id.time_ns, TL_NOWHERE);
	assert_int_equal(f.rec.id.stream, TL_NOWHERE);
	assert_int_equal(f.rec.id.cpu, TL_NOWHERE);
	close_whole();
}

/* Counters are of samples alone. */
TEST(records_without_counters)
{
	struct tl_perf_read read;

	begin(COMMON_TYPE, 0);
	put_comm(&f, 1, 1, "x", 0, 5);
	assert_int_equal(read_one(), 1);
	assert_int_equal(tl_perf_sample_read(&f.rec, 0, &read, sizeof(read)), TL_BAD_USAGE);
	close_whole();
}

/* ---- which event a record is of ---- */

/* A pipe with two events, whose sample_types are these; their ids are 77 and 78. */
static void two_events(uint64_t first, uint64_t second)
{
	f.size = 0;
	put_bytes(&f, "PERFILE2", 8);
	put64(&f, 16);
	for (int i = 0; i < 2; i++) {
		put_header(&f, TL_PERF_HEADER_ATTR, 0, 8 + 64 + 8);
		put_attr(&f, 8 + (uint32_t)i, i ? second : first, 1 << 18);
		put64(&f, 77 + (uint64_t)i);
	}
}

/* The identifier is the first word of a sample, and the last one of other records. */
TEST(the_event_by_its_identifier)
{
	const uint64_t sample[] = { 78, 0x10, 0x20 };

	two_events(1 << 16 | 4, 1 << 16 | 1 | 8);
	put_sample(sample, 3);
	put_header(&f, TL_PERF_LOST_SAMPLES, 0, 8 + 8 + 16);
	put64(&f, 1);
	put64(&f, 55); /* time */
	put64(&f, 77);
	reader_open(&f, NULL);
	assert_int_equal(next(&f), 1);
	assert_int_equal(next(&f), 1);
	assert_int_equal(next(&f), 1);
	assert_int_equal(f.rec.attr->type, 9);
	assert_int_equal(f.rec.sample.ip, 0x10);
	assert_int_equal(f.rec.sample.address, 0x20);
	assert_int_equal(next(&f), 1);
	assert_int_equal(f.rec.attr->type, 8);
	assert_int_equal(f.rec.id.time_ns, 55);
	assert_int_equal(f.rec.id.id, 77);
	close_whole();
}

/* A sample of no event that is known is a fault; id 0 is perf's own, of any layout. */
TEST(a_sample_of_no_event)
{
	const uint64_t unknown[] = { 99, 4 }, own[] = { 0, 4 };

	two_events(1 << 16 | 4, 1 << 16 | 4);
	put_sample(unknown, 2);
	put_sample(own, 2);
	reader_open(&f, NULL);
	assert_int_equal(next(&f), 1);
	assert_int_equal(next(&f), 1);
	assert_int_equal(next(&f), 1);
	assert_int_equal(f.rec.id.id, 0);
	assert_int_equal(next(&f), 0);
	assert_fault(&f, TL_BAD_RECORD, 16 + 2 * 80, 24);
	reader_close(&f);
}

/*
 * ID is behind IP, TID, TIME and ADDR of a sample, and in front of STREAM_ID and CPU of other
 * records; events that differ in what is behind it are told apart, too.
 */
TEST(the_event_by_its_id)
{
	const uint64_t sample[] = { 0x10, 1 | 2ull << 32, 55, 78, 0, 9 }, own[] = { 1, 2, 3, 0, 0 };

	two_events(1 | 2 | 4 | 64 | 128, 1 | 2 | 4 | 64 | 128 | 256);
	put_sample(sample, 6);
	put_header(&f, TL_PERF_LOST_SAMPLES, 0, 8 + 8 + 32);
	put64(&f, 1);
	put64(&f, 1 | 2ull << 32);
	put64(&f, 66); /* time */
	put64(&f, 78);
	put64(&f, 3); /* cpu */
	put_sample(own, 5);
	reader_open(&f, NULL);
	assert_int_equal(next(&f), 1);
	assert_int_equal(next(&f), 1);
	assert_int_equal(next(&f), 1);
	assert_int_equal(f.rec.attr->type, 9);
	assert_int_equal(f.rec.id.id, 78);
	assert_int_equal(f.rec.sample.period, 9);
	assert_int_equal(next(&f), 1);
	assert_int_equal(f.rec.attr->type, 9);
	assert_int_equal(f.rec.id.time_ns, 66);
	assert_int_equal(next(&f), 1);
	assert_int_equal(f.rec.attr->type, 8);
	close_whole();
}

/* Places of ID that differ tell nothing: the first event's layout is that of all. */
TEST(events_with_ids_at_several_places)
{
	const uint64_t sample[] = { 0x10, 78 };

	two_events(1 | 64, 1 | 8 | 64);
	put_sample(sample, 2);
	reader_open(&f, NULL);
	assert_int_equal(next(&f), 1);
	assert_int_equal(next(&f), 1);
	assert_int_equal(next(&f), 1);
	assert_int_equal(f.rec.attr->type, 8);
	close_whole();
}

/* Without identifiers in all events, the first one's layout is that of all. */
TEST(events_without_identifiers)
{
	const uint64_t sample[] = { 0x10 };

	two_events(1, 1 << 16 | 1);
	put_sample(sample, 1);
	reader_open(&f, NULL);
	assert_int_equal(next(&f), 1);
	assert_int_equal(next(&f), 1);
	assert_int_equal(next(&f), 1);
	assert_int_equal(f.rec.attr->type, 8);
	assert_int_equal(f.rec.sample.ip, 0x10);
	close_whole();
}

/* EVENT_UPDATE names an event; attributes of records are forgotten before a second pass. */
TEST(an_event_gets_a_name)
{

	two_events(1 << 16, 1 << 16);
	put_header(&f, TL_PERF_EVENT_UPDATE, 0, 8 + 16 + 8);
	put64(&f, 2);
	put64(&f, 78);
	put_bytes(&f, "cycles\0\0", 8);
	put_header(&f, TL_PERF_EVENT_UPDATE, 0, 8 + 16 + 8);
	put64(&f, 1); /* a unit: no name */
	put64(&f, 77);
	put_bytes(&f, "seconds\0", 8);
	reader_open(&f, NULL);
	for (int pass = 0; pass < 2; pass++) {
		assert_int_equal(tl_perf_attr_count(f.reader), 0);
		for (int i = 0; i < 4; i++)
			assert_int_equal(next(&f), 1);
		assert_int_equal(next(&f), 0);
		assert_int_equal(tl_perf_attr_count(f.reader), 2);
		assert_string_equal(tl_perf_attr_at(f.reader, 0)->name, "");
		assert_string_equal(tl_perf_attr_at(f.reader, 1)->name, "cycles");
		tl_perf_rewind(f.reader);
	}
	close_whole();
}

/* ---- the order of time ---- */

/* Records in the order of time_of(i), in rounds of `round` records. */
static void put_times(unsigned count, unsigned round, uint64_t (*time_of)(unsigned i))
{
	for (unsigned i = 0; i < count; i++) {
		put_comm(&f, i, i, "x", 0, time_of(i));
		if (i % round == round - 1)
			put_header(&f, TL_PERF_FINISHED_ROUND, 0, 8);
	}
}

/* Times 1 to 500, each once: 271 is coprime to 500. */
static uint64_t shuffled(unsigned i)
{
	return i * 271 % 500 + 1;
}

/* The same times, as two processors write them in rounds of 20: odd ones, then even ones. */
static uint64_t of_two_processors(unsigned i)
{
	return i / 20 * 20 + (i % 20 < 10 ? i % 10 * 2 + 1 : i % 10 * 2 + 2);
}

static void assert_by_time(unsigned count, uint64_t (*time_of)(unsigned i))
{
	uint64_t last = 0;
	unsigned met = 0;

	while (next(&f) == 1) {
		if (f.rec.type != TL_PERF_COMM)
			continue;
		assert_int_equal(f.rec.id.time_ns, last + 1);
		assert_int_equal(f.rec.id.time_ns, time_of(f.rec.comm.pid));
		last = f.rec.id.time_ns;
		met++;
	}
	assert_int_equal(met, count);
}

static const struct tl_perf_options by_time = { .size = sizeof(by_time), .in_order = true };

TEST(many_records_by_time)
{
	file_begin(&f, COMMON_TYPE);
	put_times(500, 600, shuffled);
	file_end(&f);
	reader_open(&f, &by_time);
	assert_by_time(500, shuffled);
	tl_perf_rewind(f.reader);
	assert_by_time(500, shuffled);
	close_whole();
}

/* Few records wait at a time, for whose places those of others are used again. */
TEST(records_of_two_processors_by_time)
{
	static const unsigned rounds[] = { 20, 40, 100, 600 };

	for (size_t i = 0; i < sizeof(rounds) / sizeof(rounds[0]); i++) {
		file_begin(&f, COMMON_TYPE);
		put_times(500, rounds[i], of_two_processors);
		file_end(&f);
		reader_open(&f, &by_time);
		assert_by_time(500, of_two_processors);
		tl_perf_rewind(f.reader);
		assert_by_time(500, of_two_processors);
		close_whole();
	}
}

/* Records that were compressed are gone when the next ones come: those that wait are copies. */
TEST(compressed_records_by_time)
{
	static struct file plain;
	static uint8_t packed[FILE_ROOM];
	size_t size, at = 0;

	f.size = 0;
	put_times(500, 600, shuffled);
	plain = f;
	size = ZSTD_compress(packed, sizeof(packed), plain.bytes, plain.size, 1);
	assert_false(ZSTD_isError(size));
	file_begin(&f, COMMON_TYPE);
	while (at < size) {
		const size_t part = size - at < 1000 ? size - at : 1000;

		put_header(&f, TL_PERF_COMPRESSED, 0, 8 + part);
		put_bytes(&f, packed + at, part);
		at += part;
	}
	file_end(&f);
	reader_open(&f, &by_time);
	assert_by_time(500, shuffled);
	tl_perf_rewind(f.reader);
	assert_by_time(500, shuffled);
	close_whole();
}

static uint64_t in_rounds(unsigned i)
{
	static const uint64_t times[] = { 10, 20, 15, 30, 25, 40 };

	return times[i];
}

/*
 * "What is older than the end of the round before the last can no longer be overtaken": rounds of
 * two end at 20, 30 and 40. FINISHED_ROUND itself goes at once.
 */
TEST(rounds)
{
	/* type, time: what comes out, in order */
	static const uint64_t wanted[][2] = {
		{ TL_PERF_FINISHED_ROUND, 0 }, { TL_PERF_FINISHED_ROUND, 0 },
		{ TL_PERF_COMM, 10 },          { TL_PERF_COMM, 15 },
		{ TL_PERF_COMM, 20 },          { TL_PERF_FINISHED_ROUND, 0 },
		{ TL_PERF_COMM, 25 },          { TL_PERF_COMM, 30 },
		{ TL_PERF_COMM, 40 },
	};

	file_begin(&f, COMMON_TYPE);
	put_times(6, 2, in_rounds);
	file_end(&f);
	reader_open(&f, &by_time);
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		assert_int_equal(next(&f), 1);
		assert_int_equal(f.rec.type, wanted[i][0]);
		if (wanted[i][1])
			assert_int_equal(f.rec.id.time_ns, wanted[i][1]);
	}
	assert_int_equal(next(&f), 0);
	close_whole();
}

/* Of the same time the first in the file comes first; time 0 is none. */
TEST(the_same_time)
{
	file_begin(&f, COMMON_TYPE);
	put_comm(&f, 1, 1, "x", 0, 7);
	put_comm(&f, 2, 2, "x", 0, 7);
	put_comm(&f, 3, 3, "x", 0, 0);
	put_comm(&f, 4, 4, "x", 0, 7);
	file_end(&f);
	reader_open(&f, &by_time);
	for (uint32_t i = 0; i < 4; i++) {
		static const uint32_t order[] = { 3, 1, 2, 4 };

		assert_int_equal(next(&f), 1);
		assert_int_equal(f.rec.comm.pid, order[i]);
	}
	close_whole();
}

/* ---- decompression ---- */

/* More than the window holds, in one frame: 6000 records of 56 bytes; and cut short. */
TEST(more_than_the_window)
{
	enum { RECORDS = 6000, RECORD = 56 };
	uint8_t *plain = malloc(RECORDS * RECORD), *packed = malloc(RECORDS * RECORD);
	size_t size;

	for (unsigned i = 0; i < RECORDS; i++) {
		f.size = 0;
		put_comm(&f, i, i, "x", 0, i + 1);
		memcpy(plain + (size_t)i * RECORD, f.bytes, RECORD);
	}
	size = ZSTD_compress(packed, RECORDS * RECORD, plain, RECORDS * RECORD - 20, 3);
	assert_false(ZSTD_isError(size));
	assert_true(size < 60000);
	file_begin(&f, COMMON_TYPE);
	put_header(&f, TL_PERF_COMPRESSED, 0, 8 + size);
	put_bytes(&f, packed, size);
	file_end(&f);
	reader_open(&f, NULL);
	for (unsigned i = 0; i < RECORDS - 1; i++) {
		assert_int_equal(next(&f), 1);
		assert_int_equal(f.rec.comm.pid, i);
		assert_int_equal(f.rec.inside, (uint64_t)i * RECORD);
		assert_int_equal(f.rec.offset, DATA_AT);
		assert_int_equal(f.rec.number, i);
	}
	assert_int_equal(next(&f), 0);
	assert_fault(&f, TL_TRUNCATED, DATA_AT, 0);
	reader_close(&f);
	free(plain);
	free(packed);
}

/* ---- the lists of a sample, as JSON ---- */

static void assert_json(const char *wanted)
{
	struct tl_output *out;
	const char *line;
	char text[1024];
	size_t size;

	assert_int_equal(tl_output_open_memory(&out, &f.err), 0);
	tl_perf_rewind(f.reader);
	assert_int_equal(tl_perf_dump(f.reader, true, out, &f.err), 0);
	line = tl_output_bytes(out, &size);
	assert_true(size < sizeof(text));
	memcpy(text, line, size);
	text[size] = '\0';
	assert_non_null(strstr(text, wanted));
	tl_output_discard(out);
}

/* CALLCHAIN; READ of a group with times and ids; STACK_USER. */
TEST(lists_as_json)
{
	const uint64_t words[] = { 2,        500,
				   400,      11,
				   77,       22,
				   78, /* counters */
				   2,        (uint64_t)-512,
				   0x401000, /* chain */
				   16,       1,
				   2,        8 /* stack */ };

	begin(16 | 32 | 8192, 1 | 2 | 4 | 8);
	put_sample(words, 14);
	assert_int_equal(read_one(), 1);
	assert_json(",\"chain\":[\"0xfffffffffffffe00\",\"0x401000\"]"
		    ",\"counters\":[{\"value\":11,\"id\":77},{\"value\":22,\"id\":78}]"
		    ",\"stack_used\":8}");
	close_whole();
}

/* A single counter stands in front of its times. */
TEST(single_counter_as_json)
{
	const uint64_t words[] = { 11, 500, 400, 77 };

	begin(16, 1 | 2 | 4);
	put_sample(words, 4);
	assert_int_equal(read_one(), 1);
	assert_json(",\"counters\":[{\"value\":11,\"id\":77}]}");
	close_whole();
}

/* struct perf_branch_entry: bit 0 mispredicted, bit 1 predicted, 16 bits of cycles from bit 4. */
TEST(branches_as_json)
{
	const uint64_t words[] = { 3, 0x10, 0x20, 1 | 7 << 4, 0x30, 0x40, 2, 0x50, 0x60, 0 };

	begin(2048, 0);
	put_sample(words, 10);
	assert_int_equal(read_one(), 1);
	assert_json(",\"branch_stack\":["
		    "{\"from\":\"0x10\",\"to\":\"0x20\",\"mispredicted\":true,\"cycles\":7},"
		    "{\"from\":\"0x30\",\"to\":\"0x40\",\"mispredicted\":false},"
		    "{\"from\":\"0x50\",\"to\":\"0x60\"}]}");
	close_whole();
}

/* More bytes of the stack are used than were copied: the record is damaged. */
TEST(stack_that_is_used_beyond_its_copy)
{
	const uint64_t words[] = { 16, 1, 2, 17 };

	begin(8192, 0);
	put_sample(words, 4);
	assert_int_equal(read_one(), 0);
	reader_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_of_one_word),
		cmocka_unit_test(each_field_needs_its_word),
		cmocka_unit_test(values_of_counters),
		cmocka_unit_test(parts_of_any_size),
		cmocka_unit_test(parts_beyond_the_record),
		cmocka_unit_test(all_fields_at_once),
		cmocka_unit_test(all_fields_cut_short),
		cmocka_unit_test(all_fields_of_a_trailer),
		cmocka_unit_test(records_without_counters),
		cmocka_unit_test(branches_as_json),
		cmocka_unit_test(the_event_by_its_identifier),
		cmocka_unit_test(the_event_by_its_id),
		cmocka_unit_test(events_with_ids_at_several_places),
		cmocka_unit_test(a_sample_of_no_event),
		cmocka_unit_test(events_without_identifiers),
		cmocka_unit_test(an_event_gets_a_name),
		cmocka_unit_test(many_records_by_time),
		cmocka_unit_test(records_of_two_processors_by_time),
		cmocka_unit_test(compressed_records_by_time),
		cmocka_unit_test(rounds),
		cmocka_unit_test(the_same_time),
		cmocka_unit_test(more_than_the_window),
		cmocka_unit_test(lists_as_json),
		cmocka_unit_test(single_counter_as_json),
		cmocka_unit_test(stack_that_is_used_beyond_its_copy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
