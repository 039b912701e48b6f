/* SPDX-License-Identifier: Apache-2.0 */
/* Damage in Perfetto traces: what is said of which byte, and what is kept. */
#include <string.h>

#include "perfetto/perfetto.h"
#include "unit/unit.h"

/* A slice "a" of 5 ns on track 1, in two packets of 13 and 10 bytes. */
static const uint8_t begin[] = { 0x0a, 11, 0x40, 10, 0x5a, 7, 0x48, 1, 0x58, 1, 0xba, 1, 0 };
static const uint8_t end[] = { 0x0a, 8, 0x40, 15, 0x5a, 4, 0x48, 2, 0x58, 1 };

struct trace {
	uint8_t bytes[256];
	size_t size;
};

static void put(struct trace *t, const void *bytes, size_t size)
{
	memcpy(t->bytes + t->size, bytes, size);
	t->size += size;
}

static int read_trace(struct tl_foreign_file *f, const struct trace *t, bool strict)
{
	const struct tl_foreign_options options = { .process = TL_NOWHERE, .thread = TL_NOWHERE };
	struct tl_source *source;
	int status;

	assert_true(tl_foreign_begin(f, &tl_perfetto_reader, &options));
	f->faults.strict = strict;
	assert_int_equal(tl_source_open_memory(&source, t->bytes, t->size, "t", NULL), 0);
	status = tl_perfetto_reader.read(f, source, NULL);
	tl_source_close(source);
	return status;
}

static void expect_fault(const struct trace *t, const char *rule, enum tl_status status,
			 uint64_t offset, size_t spans)
{
	struct tl_foreign_file f;

	assert_int_equal(read_trace(&f, t, false), 0);
	assert_int_equal(f.faults.count, 1);
	assert_string_equal(f.faults.list[0].rule, rule);
	assert_int_equal(f.faults.list[0].status, status);
	assert_int_equal(f.faults.list[0].offset, offset);
	assert_int_equal(f.spans.count, 1);
	assert_int_equal(f.spans.threads[0].count, spans);
	tl_foreign_end(&f);
	assert_int_equal(read_trace(&f, t, true), status);
	tl_foreign_end(&f);
}

TEST(a_slice)
{
	struct trace t = { .size = 0 };
	struct tl_foreign_file f;

	put(&t, begin, sizeof(begin));
	put(&t, end, sizeof(end));
	assert_true(tl_perfetto_probe(t.bytes, t.size) > 0);
	assert_int_equal(read_trace(&f, &t, true), 0);
	assert_int_equal(f.faults.count, 0);
	assert_int_equal(f.spans.threads[0].count, 2);
	assert_int_equal(f.spans.threads[0].spans[0].ticks, 10);
	assert_int_equal(f.spans.threads[0].spans[1].ticks, 15);
	tl_foreign_end(&f);
}

TEST(a_cut_packet)
{
	struct trace t = { .size = 0 };

	put(&t, begin, sizeof(begin));
	put(&t, end, sizeof(end) - 1);
	expect_fault(&t, "packet", TL_TRUNCATED, 13, 1);
}

/* The event is longer than its packet. */
TEST(a_damaged_packet_among_others)
{
	struct trace t = { .size = 0 };

	put(&t, begin, sizeof(begin));
	put(&t, begin, sizeof(begin));
	put(&t, end, sizeof(end));
	t.bytes[13 + 5] = 9;
	expect_fault(&t, "packet", TL_TRUNCATED, 13, 2);
}

/* Type 6 of a field is none. */
TEST(a_damaged_event)
{
	struct trace t = { .size = 0 };

	put(&t, begin, sizeof(begin));
	put(&t, end, sizeof(end));
	t.bytes[13 + 6] = 0x4e;
	expect_fault(&t, "event", TL_BAD_RECORD, 13, 1);
}

/* A packet's own fields have numbers from 40 on; of small ones the types have to be right. */
TEST(recognised_by_their_packets)
{
	static const struct {
		const char *bytes;
		size_t size;
		bool is_trace;
	} cases[] = {
		{ "\x0a\x02\x40\x01", 4, true },              /* a timestamp */
		{ "\x0a\x02\x50\x01", 4, true },              /* a sequence */
		{ "\x0a\x02\x18\x01", 4, true },              /* the writer's user */
		{ "\x0a\x03\xe2\x03\x00", 5, true },          /* 60: a track */
		{ "\x0a\x02\x20\x01", 4, false },             /* 4: no field of all packets */
		{ "\x0a\x02\x42\x00", 4, false },             /* a timestamp of bytes */
		{ "\x0a\x07\x40\x01\x25\0\0\0\0", 9, false }, /* 4 bytes */
		{ "\x0a\x04\x40\x01\x23\x24", 6, false },     /* a group */
		{ "\x0a\x02\x40\x01\x12\x00", 6, false },     /* field 2 of the trace */
		{ "\x08\x01\x0a\x02\x40\x01", 6, false },     /* a number as packet */
		{ "\x0a\x03\x40\x01\x48", 5, false },         /* a packet that is damaged */
		{ "", 0, false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(tl_perfetto_probe((const uint8_t *)cases[i].bytes, cases[i].size) >
					 0,
				 cases[i].is_trace);
}

TEST(other_bytes_are_no_trace)
{
	assert_int_equal(tl_perfetto_probe((const uint8_t *)"\n\n\n", 3), 0);
	assert_int_equal(tl_perfetto_probe((const uint8_t *)"a;b 1\n", 6), 0);
	/* A sample type of pprof. */
	assert_int_equal(tl_perfetto_probe((const uint8_t *)"\x0a\x04\x08\x01\x10\x02", 6), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_slice),
		cmocka_unit_test(a_cut_packet),
		cmocka_unit_test(a_damaged_packet_among_others),
		cmocka_unit_test(a_damaged_event),
		cmocka_unit_test(recognised_by_their_packets),
		cmocka_unit_test(other_bytes_are_no_trace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
