/* SPDX-License-Identifier: Apache-2.0 */
/* Damage in Perfetto traces: what is said of which byte, and what is kept. */
#include <string.h>
#include <zlib.h>

#include "packets.h"

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
		{ "\x0a\x02\x2a\x00", 4, true },              /* 5: the first of its own */
		{ "\x0a\x02\x22\x00", 4, false },             /* 4 is none of them */
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

/* Compressed packets that end inside of one: its fault has the place of the whole, and no bytes. */
TEST(packets_that_are_cut_inside_of_compressed_ones)
{
	struct bytes b = { .size = 0 }, inner = { .size = 0 };
	uint8_t plain[sizeof(begin) + sizeof(end)], packed[256];

	memcpy(plain, begin, sizeof(begin));
	memcpy(plain + sizeof(begin), end, sizeof(end));
	for (size_t cut = 0; cut < sizeof(end); cut++) {
		uLongf size = sizeof(packed);
		struct tl_foreign_file f;

		assert_int_equal(compress(packed, &size, plain, sizeof(plain) - cut), Z_OK);
		b.size = 0;
		number(&inner, 8, 1);
		message(&b, 1, &inner);
		block(&inner, 50, packed, size);
		message(&b, 1, &inner);
		assert_int_equal(read_with(&f, &b, everything()), 0);
		assert_int_equal(f.spans.threads[0].count, cut ? 1 : 2);
		assert_int_equal(f.faults.count, cut != 0);
		if (cut) {
			assert_int_equal(f.faults.list[0].status, TL_TRUNCATED);
			assert_int_equal(f.faults.list[0].offset, 4);
			assert_int_equal(f.faults.list[0].length, 0);
			/* the packet before, the one around, and the one inside */
			assert_int_equal(f.faults.list[0].record, 3);
		}
		tl_foreign_end(&f);
		/* and a stream that is cut has what was in it, and says so */
		if (cut)
			continue;
		b.data[b.size - 1] ^= 0xff;
		assert_int_equal(read_with(&f, &b, everything()), 0);
		assert_int_equal(f.spans.threads[0].count, 2);
		assert_int_equal(f.faults.count, 1);
		assert_string_equal(f.faults.list[0].rule, "compressed");
		tl_foreign_end(&f);
	}
}

/* Compressed packets that are longer than a piece of 64 KiB, and than two. */
TEST(many_packets_in_a_compressed_one)
{
	enum { PACKETS = 12000 };
	static uint8_t plain[PACKETS * 16], packed[PACKETS * 16];

	for (unsigned packets = 1000; packets <= PACKETS; packets += 2200) {
		struct bytes b = { .size = 0 }, inner = { .size = 0 }, packet = { .size = 0 },
			     event = { .size = 0 };
		uLongf packed_size = sizeof(packed);
		struct tl_foreign_file f;
		size_t size = 0;

		for (unsigned i = 0; i < packets; i++) {
			number(&event, 9, INSTANT);
			number(&inner, 8, 1000 + i % 7);
			message(&inner, 11, &event);
			message(&packet, 1, &inner);
			memcpy(plain + size, packet.data, packet.size);
			size += packet.size;
			packet.size = 0;
		}
		assert_int_equal(compress2(packed, &packed_size, plain, size, 9), Z_OK);
		assert_true(packed_size + 16 < sizeof(b.data));
		block(&inner, 50, packed, packed_size);
		message(&b, 1, &inner);
		assert_int_equal(read_with(&f, &b, everything()), 0);
		assert_int_equal(f.faults.count, 0);
		assert_int_equal(f.records, packets + 1);
		assert_int_equal(f.spans.threads[0].count, packets);
		for (unsigned i = 0; i < packets; i++)
			assert_int_equal(f.spans.threads[0].spans[i].ticks, 1000 + i % 7);
		tl_foreign_end(&f);
	}
}

/* What is a message or a text by its number, and is written as a number: passed over. */
TEST(numbers_in_place_of_messages)
{
	/* parts of a packet, and of a description */
	static const unsigned in_packet[] = { 6, 11, 12, 44, 59, 60 },
			      in_track[] = { 2, 3, 4, 8, 10 };
	struct bytes b = { .size = 0 }, inner = { .size = 0 }, part = { .size = 0 },
		     text = { .size = 0 };
	struct tl_foreign_file f;

	for (size_t i = 0; i < sizeof(in_packet) / sizeof(in_packet[0]); i++) {
		number(&inner, in_packet[i], 5);
		put_packet(&b, 1, 0, i, &inner);
	}
	for (size_t i = 0; i < sizeof(in_track) / sizeof(in_track[0]); i++) {
		number(&part, 1, 1 + i);
		number(&part, in_track[i], 5);
		message(&inner, 60, &part);
		put_packet(&b, 1, 0, i, &inner);
		number(&part, 9, INSTANT);
		number(&part, 11, 1 + i);
		number(&part, 23, 5);
		message(&inner, 11, &part);
		put_packet(&b, 1, 0, i, &inner);
	}
	/* defaults whose event is a number, and an interned text that is one */
	number(&part, 11, 3);
	message(&inner, 59, &part);
	number(&text, 1, 2);
	number(&text, 2, 9);
	message(&part, 2, &text);
	number(&part, 4, 7);
	message(&inner, 12, &part);
	put_packet(&b, 1, CLEARED, 9, &inner);
	number(&part, 9, INSTANT);
	number(&part, 10, 2);
	number(&part, 34, 7);
	message(&inner, 11, &part);
	put_packet(&b, 1, NEEDS_STATE, 10, &inner);
	assert_int_equal(read_with(&f, &b, everything()), 0);
	assert_int_equal(f.faults.count, 0);
	assert_int_equal(f.counters.count, 0);
	/* each is a track of its own, without a name, thread or process; the last one is track 0 */
	assert_int_equal(f.spans.count, 6);
	for (size_t i = 0; i < 6; i++) {
		const struct tl_foreign_thread *thread = &f.spans.threads[i];
		const struct tl_foreign_frame *frame = &f.stacks.frames[thread->spans[0].frame];

		assert_int_equal(thread->count, 1);
		assert_int_equal(thread->command, 0);
		assert_int_equal(thread->process, 0);
		assert_int_equal(thread->thread, (INT64_C(1) << 31) + (int64_t)i);
		assert_string_equal(f.stacks.names.names[frame->name].text, "[unnamed]");
		assert_int_equal(frame->file, 0);
	}
	tl_foreign_end(&f);
}

/* "Name of the track": that of its description is more than that of its process. */
TEST(a_name_of_its_own_is_kept)
{
	static const struct {
		const char *own, *process, *wanted;
	} rows[] = {
		{ "own", "process", "own" },
		{ NULL, "process", "process" },
		{ "own", NULL, "own" },
		{ NULL, NULL, "" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (int again = 0; again < 2; again++) {
			struct bytes b = { .size = 0 }, inner = { .size = 0 }, part = { .size = 0 },
				     process = { .size = 0 };
			struct tl_foreign_file f;

			number(&part, 1, 1);
			if (rows[i].own)
				put_text(&part, 2, rows[i].own);
			if (again) { /* the process is told by a description of its own */
				message(&inner, 60, &part);
				message(&b, 1, &inner);
				number(&part, 1, 1);
			}
			number(&process, 1, 77);
			if (rows[i].process)
				put_text(&process, 6, rows[i].process);
			message(&part, 3, &process);
			message(&inner, 60, &part);
			message(&b, 1, &inner);
			number(&part, 9, INSTANT);
			number(&part, 11, 1);
			message(&inner, 11, &part);
			put_packet(&b, 1, 0, 5, &inner);
			assert_int_equal(read_with(&f, &b, everything()), 0);
			assert_int_equal(f.spans.threads[0].process, 77);
			assert_string_equal(f.stacks.names.names[f.spans.threads[0].command].text,
					    rows[i].wanted);
			tl_foreign_end(&f);
		}
}

/* "The first failure": in strict mode that of the first fault, whatever comes behind it. */
TEST(the_first_fault_ends_a_strict_reading)
{
	struct trace t = { .size = 0 };
	struct tl_foreign_file f;

	put(&t, begin, sizeof(begin));
	put(&t, begin, sizeof(begin));
	put(&t, end, sizeof(end));
	/* an event of a wrong type, then a packet that is cut, then a cut trace */
	t.bytes[13 + 6] = 0x4e;
	t.bytes[26 + 5] = 9;
	t.size--;
	assert_int_equal(read_trace(&f, &t, true), TL_BAD_RECORD);
	assert_int_equal(f.records, 2);
	tl_foreign_end(&f);
	assert_int_equal(read_trace(&f, &t, false), 0);
	assert_int_equal(f.faults.count, 2);
	tl_foreign_end(&f);
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
		cmocka_unit_test(packets_that_are_cut_inside_of_compressed_ones),
		cmocka_unit_test(many_packets_in_a_compressed_one),
		cmocka_unit_test(numbers_in_place_of_messages),
		cmocka_unit_test(a_name_of_its_own_is_kept),
		cmocka_unit_test(the_first_fault_ends_a_strict_reading),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
