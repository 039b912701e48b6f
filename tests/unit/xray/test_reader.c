/* SPDX-License-Identifier: Apache-2.0 */
/*
 * XRay traces to records: every record kind of every version, mode and byte order, and the order
 * they come in. Quotes are from docs/formats/xray.md; damage is test_damage.c's.
 */
#include "bytes.h"

static const struct {
	bool big, high;
} orders[] = { { false, false }, { true, false }, { true, true } };

enum { ORDERS = 3 };

/* A record that is expected; `length` is that in the file. */
struct want {
	enum tl_xray_kind kind;
	uint64_t length, tsc;
	int64_t delta;
	uint64_t value;  /* a function's id, or what the kind says */
	unsigned detail; /* action, microseconds, event type */
	uint16_t cpu;
	uint32_t arg_count;
	const char *payload;
};

static uint64_t value_of(const struct tl_xray_record *r)
{
	return r->kind == TL_XRAY_FUNCTION ? r->function
	       : r->kind == TL_XRAY_PID    ? (uint32_t)r->process
					   : r->value;
}

static unsigned detail_of(const struct tl_xray_record *r)
{
	return r->kind == TL_XRAY_FUNCTION     ? r->action
	       : r->kind == TL_XRAY_WALL_CLOCK ? r->microseconds
					       : r->event_type;
}

static void assert_record(const struct tl_xray_record *r, const struct want *want, uint64_t offset)
{
	assert_int_equal(r->kind, want->kind);
	assert_int_equal(r->offset, offset);
	assert_int_equal(r->length, want->length);
	assert_int_equal(r->tsc, want->tsc);
	assert_int_equal(r->delta, want->delta);
	assert_int_equal(value_of(r), want->value);
	assert_int_equal(detail_of(r), want->detail);
	assert_int_equal(r->cpu, want->cpu);
	assert_int_equal(r->arg_count, want->arg_count);
	assert_int_equal(r->payload_size, want->payload ? strlen(want->payload) : 0);
	if (want->payload)
		assert_memory_equal(r->payload, want->payload, strlen(want->payload));
}

/* ---- FDR ---- */

/*
 * All 28 bits of an id. In LLVM's reading of big endian the first byte has bit 20 of the id where
 * every other file has the discriminant: such ids cannot be told from metadata there.
 */
static uint32_t large_id(const struct bytes *b)
{
	return b->big && !b->high ? 0x0fefffff : 0x0fffffff;
}

/*
 * Every record a version has. Process 7, thread 0x12345 (more than 16 bits), cpu 1 from tsc 1000
 * on.
 */
static void put_every_record(struct bytes *b, unsigned version)
{
	size_t start;

	put_header(b, version, FDR, 2596134000, 0);
	start = begin_block(b, 7, 0x12345, 1000);
	put_function(b, ENTER, 5, 0);
	put_function(b, EXIT, large_id(b), 10);
	put_function(b, ENTER_ARGS, 9, 0xffffffff);
	put_argument(b, 0x1122334455667788);
	put_argument(b, 2);
	put_function(b, TAIL_EXIT, 9, 1);
	put_tsc_wrap(b, 50000000000);
	put_function(b, ENTER, 6, 0);
	put_custom(b, version == 5 ? (uint64_t)-1 : 49999999999, 3, "ab", 2);
	put_function(b, EXIT, 6, 4);
	put_typed(b, 100, 0xbeef, "xyz", 3);
	put_custom(b, version == 5 ? 0 : 49999999998, 4, "", 0);
	put_function(b, EXIT, 5, 0);
	put_new_cpu(b, 513, 60000000000);
	put_function(b, ENTER, 1, 0);
	end_block(b, start);
	set_number(b, 16, b->size - 32, 8);
}

/*
 * "base := absolute TSC of NewCPUId or TSCWrap. Function record: base += u32 delta. Version 5
 * custom and typed events:
 * base += i32 delta. Version <= 4 custom events carry their own absolute TSC and leave base
 * untouched."
 */
static size_t expected_records(struct want *w, const struct bytes *b, unsigned version)
{
	const uint64_t extents = b->size - 48;
	/* the custom event took 1 off, or nothing */
	const uint64_t after = version == 5 ? 50000000003 : 50000000004;
	const uint16_t own_cpu = version == 4 ? 3 : 1, other_cpu = version == 4 ? 4 : 1;
	const struct want head[] = {
		{ TL_XRAY_BUFFER_EXTENTS, 16, 1000, 0, extents, 0, 0, 0, NULL },
		{ TL_XRAY_NEW_BUFFER, 16, 1000, 0, 0, 0, 0, 0, NULL },
		{ TL_XRAY_WALL_CLOCK, 16, 1000, 0, 5, 250, 0, 0, NULL },
		{ TL_XRAY_PID, 16, 1000, 0, 7, 0, 0, 0, NULL },
	};
	/* clang-format off */
	const struct want body[] = {
		{ TL_XRAY_NEW_CPU, 16, 1000, 0, 0, 0, 1, 0, NULL },
		{ TL_XRAY_FUNCTION, 8, 1000, 0, 5, TL_XRAY_ENTER, 1, 0, NULL },
		{ TL_XRAY_FUNCTION, 8, 1010, 10, large_id(b), TL_XRAY_EXIT, 1, 0, NULL },
		{ TL_XRAY_FUNCTION, 8, 4294968305, 0xffffffff, 9, TL_XRAY_ENTER_ARGS, 1, 2, NULL },
		{ TL_XRAY_CALL_ARGUMENT, 16, 4294968305, 0, 0x1122334455667788, 0, 1, 0, NULL },
		{ TL_XRAY_CALL_ARGUMENT, 16, 4294968305, 0, 2, 0, 1, 0, NULL },
		{ TL_XRAY_FUNCTION, 8, 4294968306, 1, 9, TL_XRAY_TAIL_EXIT, 1, 0, NULL },
		{ TL_XRAY_TSC_WRAP, 16, 50000000000, 0, 0, 0, 1, 0, NULL },
		{ TL_XRAY_FUNCTION, 8, 50000000000, 0, 6, TL_XRAY_ENTER, 1, 0, NULL },
		{ TL_XRAY_CUSTOM_EVENT, 18, 49999999999, version == 5 ? -1 : 0, 0, 0, own_cpu, 0,
		  "ab" },
		{ TL_XRAY_FUNCTION, 8, after, 4, 6, TL_XRAY_EXIT, 1, 0, NULL },
		{ TL_XRAY_TYPED_EVENT, 19, after + 100, 100, 0, 0xbeef, 1, 0, "xyz" },
		{ TL_XRAY_CUSTOM_EVENT, 16, version == 5 ? after + 100 : 49999999998, 0, 0, 0,
		  other_cpu, 0, "" },
		{ TL_XRAY_FUNCTION, 8, after + 100, 0, 5, TL_XRAY_EXIT, 1, 0, NULL },
		{ TL_XRAY_NEW_CPU, 16, 60000000000, 0, 0, 0, 513, 0, NULL },
		{ TL_XRAY_FUNCTION, 8, 60000000000, 0, 1, TL_XRAY_ENTER, 513, 0, NULL },
		{ TL_XRAY_END_OF_BUFFER, 16, 60000000000, 0, 0, 0, 513, 0, NULL },
	};
	/* clang-format on */
	size_t count = 0;

	if (version > 1)
		w[count++] = head[0];
	w[count++] = head[1];
	w[count++] = head[2];
	if (version > 2)
		w[count++] = head[3];
	for (size_t i = 0; i < 17; i++)
		if (version == 1 || body[i].kind != TL_XRAY_END_OF_BUFFER)
			w[count++] = body[i];
	return count;
}

/* "version 1: LLVM reports 0; version 2: pid := tid; version >= 3: Pid record" */
static int32_t expected_process(unsigned version)
{
	return version == 1 ? 0 : version == 2 ? 0x12345 : 7;
}

static void assert_info(const struct tl_xray_info *info, unsigned version, unsigned order,
			size_t size)
{
	assert_int_equal(info->mode, TL_XRAY_FDR);
	assert_int_equal(info->version, version);
	assert_int_equal(info->big_endian, orders[order].big);
	assert_int_equal(info->high_bits, orders[order].high);
	assert_true(info->constant_tsc);
	assert_true(info->nonstop_tsc);
	assert_int_equal(info->frequency, 2596134000);
	assert_int_equal(info->buffer_size, size - 32);
	assert_int_equal(info->size, size);
	assert_int_equal(info->blocks, 1);
	assert_int_equal(info->threads, 1);
}

TEST(every_record_of_every_version)
{
	for (unsigned i = 0; i < 5 * ORDERS * 2; i++) {
		unsigned version = i % 5 + 1, order = i / 5 % ORDERS;
		struct bytes b = { .big = orders[order].big, .high = orders[order].high };
		struct tl_xray_options options = { .size = sizeof(options) };
		struct want want[24];
		struct trace t;
		uint64_t offset = 32;
		size_t count;

		/* Bit order once detected, once said. */
		if (i >= 5 * ORDERS)
			options.bit_order = b.high ? TL_XRAY_BITS_HIGH : TL_XRAY_BITS_LOW;
		put_every_record(&b, version);
		count = expected_records(want, &b, version);
		load(&t, &b, &options);
		assert_info(tl_xray_info(t.reader), version, order, b.size);
		assert_int_equal(t.count, count);
		for (size_t r = 0; r < count; offset += want[r++].length) {
			assert_int_equal(t.records[r].thread, 0x12345);
			assert_int_equal(t.records[r].process, expected_process(version));
			assert_record(&t.records[r], &want[r], offset);
		}
		assert_int_equal(offset, b.size);
		close_trace(&t);
		free_bytes(&b);
	}
}

/* "the function record announces them": arguments are attached, and stay to be read as records. */
TEST(arguments_are_attached)
{
	struct bytes b = { 0 };
	struct trace t;
	size_t start;

	put_header(&b, 5, FDR, 0, 16384);
	start = begin_block(&b, 1, 2, 100);
	put_function(&b, ENTER_ARGS, 1, 0);
	for (uint64_t i = 0; i < 20; i++)
		put_argument(&b, UINT64_MAX - i);
	/* "CallArg after a plain enter: accept, count; append to the open record" */
	put_function(&b, ENTER, 2, 1);
	put_argument(&b, 42);
	put_function(&b, EXIT, 2, 1);
	end_block(&b, start);
	load(&t, &b, NULL);
	assert_int_equal(nth(&t, TL_XRAY_FUNCTION, 0)->arg_count, TL_XRAY_MAX_ARGS);
	for (uint64_t i = 0; i < 16; i++)
		assert_true(nth(&t, TL_XRAY_FUNCTION, 0)->args[i] == UINT64_MAX - i);
	assert_int_equal(count_kind(&t, TL_XRAY_CALL_ARGUMENT), 21);
	assert_true(nth(&t, TL_XRAY_CALL_ARGUMENT, 19)->value == UINT64_MAX - 19);
	assert_int_equal(nth(&t, TL_XRAY_FUNCTION, 1)->arg_count, 1);
	assert_int_equal(nth(&t, TL_XRAY_FUNCTION, 1)->args[0], 42);
	assert_int_equal(nth(&t, TL_XRAY_FUNCTION, 2)->arg_count, 0);
	close_trace(&t);
	free_bytes(&b);
}

/*
 * "spec 2 bytes, all real files 4: `--tid16` masks for genuine 2-byte files (bytes +3,+4 undefined
 * there)"
 */
TEST(thread_ids_of_two_bytes)
{
	for (unsigned order = 0; order < ORDERS; order++) {
		struct bytes b = { .big = orders[order].big, .high = orders[order].high };
		struct tl_xray_options options = { .size = sizeof(options), .tid16 = true };
		struct trace t;
		size_t start;

		put_header(&b, 1, FDR, 0, 0);
		start = begin_block(&b, 0, 0, 100);
		set_number(&b, start + 1, 0xfedc, 2);
		set_number(&b, start + 3, 0xaaaa, 2);
		put_function(&b, ENTER, 1, 0);
		end_block(&b, start);
		load(&t, &b, &options);
		assert_int_equal(nth(&t, TL_XRAY_FUNCTION, 0)->thread, 0xfedc);
		assert_int_equal(nth(&t, TL_XRAY_NEW_BUFFER, 0)->thread, 0xfedc);
		close_trace(&t);
		free_bytes(&b);
	}
}

/* A block of version 1 with one function; `filler` bytes of `with` behind its EndOfBuffer. */
static void put_filled(struct bytes *b, uint32_t id, size_t filler, unsigned with)
{
	size_t start = begin_block(b, 0, 3, 100 * id);

	put_function(b, ENTER, id, 0);
	end_block(b, start);
	put_repeat(b, with, filler);
}

static void assert_three(const struct bytes *b)
{
	struct trace t;
	uint64_t faults, skipped;
	size_t listed;

	load(&t, b, NULL);
	assert_int_equal(count_kind(&t, TL_XRAY_FUNCTION), 3);
	for (uint32_t i = 0; i < 3; i++) {
		assert_int_equal(nth(&t, TL_XRAY_FUNCTION, i)->function, i + 1);
		assert_int_equal(nth(&t, TL_XRAY_FUNCTION, i)->tsc, 100 * (i + 1));
	}
	assert_int_equal(tl_xray_info(t.reader)->blocks, 3);
	tl_xray_faults(t.reader, &listed, &faults, &skipped);
	assert_int_equal(faults, 0);
	assert_int_equal(skipped, 0);
	close_trace(&t);
}

/*
 * "seek past the rest of buffer_size and expect another buffer or EOF"; filler "skip by
 * buffer_size, per buffer"
 */
TEST(filler_of_any_length)
{
	static const size_t lengths[] = { 0, 1, 7, 8, 9, 13, 16, 24, 100, 1000 };

	for (size_t i = 0; i < 2 * sizeof(lengths) / sizeof(lengths[0]); i++)
		for (unsigned last = 0; last < 2; last++) {
			size_t filler = lengths[i / 2];
			unsigned with = i % 2 ? 0xaa : 0;
			struct bytes b = { 0 };

			/*
			 * 48 bytes of head, 8 of function, 16 of EndOfBuffer. The last buffer may
			 * be cut at its end.
			 */
			put_header(&b, 1, FDR, 0, 72 + filler);
			put_filled(&b, 1, filler, with);
			put_filled(&b, 2, filler, with);
			put_filled(&b, 3, last ? filler : 0, with);
			assert_three(&b);
			free_bytes(&b);
		}
}

/*
 * Buffer sizes that say nothing, or what the specification says ("the data portion of the trace").
 */
TEST(filler_of_unknown_length)
{
	static const uint64_t sizes[] = {
		0, 8, 15, 40, 76, 80, 1000000, UINT64_MAX, UINT64_MAX - 20
	};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		for (size_t filler = 0; filler < 40; filler += 13) {
			struct bytes b = { 0 };

			put_header(&b, 1, FDR, 0, sizes[i]);
			put_filled(&b, 1, filler, 0);
			put_filled(&b, 2, filler, 0);
			put_filled(&b, 3, filler, 0);
			assert_three(&b);
			set_number(&b, 16, b.size - 32, 8);
			assert_three(&b);
			free_bytes(&b);
		}
}

/* "blocks of length 0" are tolerated, and make no thread of their own. */
TEST(blocks_of_length_0)
{
	struct bytes b = { 0 };
	struct trace t;
	uint64_t faults, skipped;
	size_t start, listed;

	put_header(&b, 5, FDR, 0, 16384);
	put_extents(&b, 0);
	start = begin_block(&b, 1, 2, 100);
	put_function(&b, ENTER, 1, 0);
	end_block(&b, start);
	put_extents(&b, 0);
	put_extents(&b, 0);
	start = begin_block(&b, 1, 3, 200);
	put_function(&b, ENTER, 2, 0);
	end_block(&b, start);
	put_extents(&b, 0);
	load(&t, &b, NULL);
	assert_int_equal(count_kind(&t, TL_XRAY_FUNCTION), 2);
	assert_int_equal(count_kind(&t, TL_XRAY_BUFFER_EXTENTS), 6);
	assert_int_equal(tl_xray_info(t.reader)->blocks, 6);
	assert_int_equal(tl_xray_info(t.reader)->threads, 2);
	tl_xray_faults(t.reader, &listed, &faults, &skipped);
	assert_int_equal(faults, 0);
	close_trace(&t);
	free_bytes(&b);
}

/* ---- basic mode ---- */

TEST(basic_mode)
{
	for (unsigned i = 0; i < 6; i++) {
		unsigned version = i % 3 + 1;
		struct bytes b = { .big = i >= 3 };
		int32_t pid = version == 3 ? 9 : 0;
		struct trace t;

		put_header(&b, version, BASIC, 2000, 0);
		put_basic(&b, 255, ENTER_ARGS, 5, 100, 70000, 9);
		put_basic_argument(&b, 5, 70000, 9, 0x1122334455667788);
		put_basic_argument(&b, 5, 70000, 9, 2);
		put_basic_argument(&b, 6, 70000, 9, 3); /* of another function: not its own */
		put_basic(&b, 3, TAIL_EXIT, 5, UINT64_MAX - 1, 70000, 9);
		put_basic(&b, 4, ENTER, 7, 50, 80000, 9);
		load(&t, &b, NULL);
		assert_int_equal(tl_xray_info(t.reader)->mode, TL_XRAY_BASIC);
		assert_int_equal(tl_xray_info(t.reader)->version, version);
		assert_int_equal(tl_xray_info(t.reader)->big_endian, b.big);
		assert_int_equal(tl_xray_info(t.reader)->frequency, 2000);
		assert_int_equal(tl_xray_info(t.reader)->threads, 2);
		assert_int_equal(t.count, 6);
		/* Time order: the second thread is first. */
		assert_record(
			&t.records[0],
			&(struct want){ TL_XRAY_FUNCTION, 32, 50, 0, 7, TL_XRAY_ENTER, 4, 0, NULL },
			192);
		assert_int_equal(t.records[0].thread, 80000);
		assert_int_equal(t.records[0].process, pid);
		assert_record(&t.records[1],
			      &(struct want){ TL_XRAY_FUNCTION, 32, 100, 0, 5, TL_XRAY_ENTER_ARGS,
					      255, 2, NULL },
			      32);
		assert_true(t.records[1].args[0] == 0x1122334455667788 &&
			    t.records[1].args[1] == 2);
		assert_int_equal(t.records[1].thread, 70000);
		assert_int_equal(t.records[2].kind, TL_XRAY_CALL_ARGUMENT);
		assert_true(t.records[2].value == 0x1122334455667788);
		assert_int_equal(t.records[2].thread, 70000);
		assert_int_equal(t.records[4].value, 3);
		assert_record(&t.records[5],
			      &(struct want){ TL_XRAY_FUNCTION, 32, UINT64_MAX - 1, 0, 5,
					      TL_XRAY_TAIL_EXIT, 3, 0, NULL },
			      160);
		close_trace(&t);
		free_bytes(&b);
	}
}

/* ---- profiling mode ---- */

/*
 * "blocks {u32 size, u32 number, u64 thread} of entries: i32 ids from leaf to root, terminated by
 * 0; u64 calls; ..."
 */
TEST(profiling_mode)
{
	static const int32_t deep[] = { 3, 2, 1, 0 }, root[] = { 1, 0 };

	for (unsigned big = 0; big < 2; big++) {
		struct bytes b = { .big = big };
		struct trace t;
		size_t start;

		put_profiling_header(&b, 1700000000, 4711);
		start = begin_samples(&b, 0, 12);
		put_sample(&b, root, 1, 1000);
		put_sample(&b, deep, 5, 300);
		end_samples(&b, start);
		start = begin_samples(&b, 1, 13);
		put_sample(&b, root, 2, 50);
		end_samples(&b, start);
		load(&t, &b, NULL);
		assert_int_equal(tl_xray_info(t.reader)->mode, TL_XRAY_PROFILING);
		assert_int_equal(tl_xray_info(t.reader)->big_endian, big);
		assert_int_equal(tl_xray_info(t.reader)->timestamp, 1700000000);
		assert_int_equal(tl_xray_info(t.reader)->process, 4711);
		assert_int_equal(tl_xray_info(t.reader)->threads, 2);
		assert_int_equal(count_kind(&t, TL_XRAY_SAMPLE), 3);
		for (size_t i = 0; i < 3; i++)
			assert_int_equal(t.records[i].process, 4711);
		close_trace(&t);
		/* A path lives until the next call. */
		open_trace(&t, &b,
			   &(struct tl_xray_options){ .size = sizeof(struct tl_xray_options),
						      .order = TL_XRAY_FILE_ORDER });
		for (unsigned i = 0; i < 3; i++) {
			struct tl_xray_record r;

			assert_int_equal(tl_xray_next(t.reader, &r, sizeof(r), NULL), 1);
			assert_int_equal(r.thread, i < 2 ? 12 : 13);
			assert_int_equal(r.value, i == 0 ? 1 : i == 1 ? 5 : 2);
			assert_int_equal(r.tsc, i == 0 ? 1000 : i == 1 ? 300 : 50);
			assert_int_equal(r.path_length, i == 1 ? 3 : 1);
			assert_memory_equal(r.path, i == 1 ? deep : root,
					    r.path_length * sizeof(int32_t));
			/*
			 * Header 32 and 16; 8 + 16 bytes of the first entry, 16 + 16 of the second,
			 * 16 of a header.
			 */
			assert_int_equal(r.offset, i == 0 ? 48 : i == 1 ? 72 : 120);
			assert_int_equal(r.length, i == 1 ? 32 : 24);
		}
		close_trace(&t);
		free_bytes(&b);
	}
}

/* ---- order ---- */

static void put_one(struct bytes *b, int32_t process, int32_t thread, uint64_t tsc, uint32_t id)
{
	size_t start = begin_block(b, process, thread, tsc);

	put_function(b, ENTER, id, 0);
	end_block(b, start);
}

static void assert_ids(const struct trace *t, const uint32_t *ids, size_t count)
{
	assert_int_equal(count_kind(t, TL_XRAY_FUNCTION), count);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(nth(t, TL_XRAY_FUNCTION, i)->function, ids[i]);
}

/* "sort by (pid, tid, first absolute TSC), stable": a wrapped ring. */
TEST(blocks_come_in_time_order)
{
	static const uint32_t in_time[] = { 2, 5, 3, 1, 4 }, in_file[] = { 1, 2, 3, 4, 5 };
	static const uint64_t tsc[] = { 300, 100, 200, 300, 100 };
	struct tl_xray_options file = { .size = sizeof(file), .order = TL_XRAY_FILE_ORDER };
	struct bytes b = { 0 };
	struct trace t;

	put_header(&b, 5, FDR, 0, 16384);
	for (uint32_t i = 0; i < 5; i++)
		put_one(&b, 1, 1, tsc[i], i + 1);
	load(&t, &b, NULL);
	assert_ids(&t, in_time, 5);
	close_trace(&t);
	load(&t, &b, &file);
	assert_ids(&t, in_file, 5);
	for (size_t i = 1; i < t.count; i++)
		assert_int_equal(t.records[i].offset,
				 t.records[i - 1].offset + t.records[i - 1].length);
	close_trace(&t);
	free_bytes(&b);
}

/* "ascending TSC, ties by (pid, tid, position in file)" */
TEST(ties_go_by_process_and_thread)
{
	static const uint32_t expected[] = { 4, 2, 1, 3, 5, 6 };
	struct bytes b = { 0 };
	struct trace t;

	put_header(&b, 5, FDR, 0, 16384);
	put_one(&b, 1, 9, 100, 1);
	put_one(&b, 1, 2, 100, 2);
	put_one(&b, 2, 1, 100, 3);
	put_one(&b, 0, 50, 100, 4);
	put_one(&b, 2, 1, 100, 5);
	put_one(&b, -1, 1, 101, 6);
	load(&t, &b, NULL);
	assert_ids(&t, expected, 6);
	assert_int_equal(tl_xray_info(t.reader)->threads, 5);
	close_trace(&t);
	free_bytes(&b);
}

/*
 * Records of two threads interleave by TSC, those of each in the order of its block also where its
 * clock goes back.
 */
TEST(threads_are_merged_by_time)
{
	static const uint32_t expected[] = { 1, 11, 2, 12, 13, 3 };
	struct bytes b = { 0 };
	struct trace t;
	size_t start;

	put_header(&b, 5, FDR, 0, 16384);
	start = begin_block(&b, 1, 1, 100);
	put_function(&b, ENTER, 1, 0);
	put_function(&b, EXIT, 2, 20);
	put_function(&b, EXIT, 3, 80);
	end_block(&b, start);
	start = begin_block(&b, 1, 2, 110);
	put_function(&b, ENTER, 11, 0);
	put_function(&b, EXIT, 12, 20);
	put_tsc_wrap(&b, 10);
	put_function(&b, EXIT, 13, 0);
	end_block(&b, start);
	load(&t, &b, NULL);
	assert_ids(&t, expected, 6);
	close_trace(&t);
	free_bytes(&b);
}

/*
 * "The state (base, cpu, pid) survives across blocks of one thread": a block without NewCPUId goes
 * on from there.
 */
TEST(the_clock_survives_from_block_to_block)
{
	struct bytes b = { 0 };
	struct trace t;
	size_t start;

	put_header(&b, 5, FDR, 0, 16384);
	start = begin_block(&b, 1, 1, 1000);
	put_function(&b, ENTER, 1, 50);
	end_block(&b, start);
	start = b.size;
	put_extents(&b, 0);
	put_new_buffer(&b, 1);
	put_wall_clock(&b, 6, 0);
	put_pid(&b, 1);
	put_function(&b, EXIT, 1, 7);
	end_block(&b, start);
	put_one(&b, 1, 1, 500, 2);
	load(&t, &b, NULL);
	assert_int_equal(tl_xray_info(t.reader)->threads, 1);
	assert_int_equal(nth(&t, TL_XRAY_FUNCTION, 0)->tsc, 500);
	assert_int_equal(nth(&t, TL_XRAY_FUNCTION, 1)->tsc, 1050);
	assert_int_equal(nth(&t, TL_XRAY_FUNCTION, 2)->tsc, 1057);
	assert_int_equal(nth(&t, TL_XRAY_FUNCTION, 2)->cpu, 1);
	close_trace(&t);
	free_bytes(&b);
}

/* The same for the process: "missing Pid" is tolerated, and makes no other thread of it. */
TEST(the_process_survives_from_block_to_block)
{
	struct bytes b = { 0 };
	struct trace t;

	put_header(&b, 5, FDR, 0, 16384);
	for (uint32_t i = 0; i < 5; i++) {
		size_t start = b.size;

		/* Blocks 1 and 3 name processes 7 and 8; block 4 is of a thread that none names. */
		put_extents(&b, 0);
		put_new_buffer(&b, i == 4 ? 6 : 5);
		put_wall_clock(&b, 1, 1);
		if (i == 1 || i == 3)
			put_pid(&b, i == 1 ? 7 : 8);
		put_new_cpu(&b, 1, 100 * i);
		put_function(&b, ENTER, i, 0);
		end_block(&b, start);
	}
	load(&t, &b, NULL);
	for (size_t i = 0; i < t.count; i++)
		if (t.records[i].kind == TL_XRAY_FUNCTION) {
			uint32_t block = t.records[i].function;

			assert_int_equal(t.records[i].process, block <= 2 ? 7 : block == 3 ? 8 : 0);
		}
	assert_int_equal(tl_xray_info(t.reader)->threads, 3);
	close_trace(&t);
	free_bytes(&b);
}

/* ---- recognising ---- */

/* "decide from version/type of the header alone" */
TEST(traces_are_recognised)
{
	static const char *const others[] = { "\177ELF\2\1\1", "%YAML 1.1\n---", "\x28\xb5\x2f\xfd",
					      "events: Ir\n",  "\1\0\2\0",       "\0\0\1\0",
					      "\4\0\0\0",      "\0\0\0\0" };

	for (unsigned i = 0; i < 16; i++) {
		unsigned version = i / 2 % 8 + 1;
		unsigned type = version <= 5 ? FDR : BASIC;
		struct bytes b = { .big = i % 2 };

		put_header(&b, type == FDR ? version : version - 5, type, 0, 0);
		assert_true(tl_xray_probe(b.data, b.size) > (type == FDR ? 50 : 0));
		assert_int_equal(tl_xray_probe(b.data, 3), 0);
		free_bytes(&b);
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		uint8_t data[32] = { 0 };

		memcpy(data, others[i], i < 4 ? strlen(others[i]) : 4);
		assert_int_equal(tl_xray_probe(data, 32), 0);
	}
	for (unsigned big = 0; big < 2; big++) {
		struct bytes b = { .big = big };

		put_profiling_header(&b, 0, 0);
		assert_int_equal(tl_xray_probe(b.data, b.size), 100);
		assert_true(tl_xray_probe(b.data, 8) > 0);
		assert_int_equal(tl_xray_probe(b.data, 7), 0);
		free_bytes(&b);
	}
}

/* A field that a kind of record does not have is 0, also behind a record that has it. */
TEST(fields_of_other_kinds_are_zero)
{
	struct bytes b = { 0 };
	struct trace t;
	size_t start;

	put_header(&b, 5, FDR, 1000, 16384);
	start = begin_block(&b, 1, 2, 100);
	put_function(&b, ENTER_ARGS, 5, 7);
	put_argument(&b, 255);
	put_typed(&b, 3, 77, "plain", 5);
	put_new_cpu(&b, 3, 200);
	end_block(&b, start);
	open_trace(&t, &b, NULL);
	assert_int_equal(read_all(&t), 0);
	assert_true(t.count > 5);
	for (size_t i = 0; i < t.count; i++) {
		const struct tl_xray_record *r = &t.records[i];
		bool event = r->kind == TL_XRAY_TYPED_EVENT;

		assert_int_equal(r->microseconds, r->kind == TL_XRAY_WALL_CLOCK ? 250 : 0);
		assert_int_equal(r->event_type, event ? 77 : 0);
		assert_int_equal(r->payload_size, event ? 5 : 0);
		assert_int_equal(r->function, r->kind == TL_XRAY_FUNCTION ? 5 : 0);
		assert_int_equal(r->arg_count, r->kind == TL_XRAY_FUNCTION ? 1 : 0);
		if (r->kind == TL_XRAY_FUNCTION || event)
			assert_int_equal(r->delta, event ? 3 : 7);
		else
			assert_int_equal(r->delta, 0);
		assert_null(r->text);
		assert_int_equal(r->path_length, 0);
	}
	close_trace(&t);
	free_bytes(&b);
}

/* ---- structs of the caller (docs/abi.md) ---- */

/* What a program sees that was built with a later header, in which the struct ends further on. */
struct later_record {
	struct tl_xray_record known;
	uint64_t later[2];
};

static const struct later_record all_ones = { .later = { UINT64_MAX, UINT64_MAX } };

/* "nothing is written behind the size that the caller gives"; "members ... become zero" */
TEST(records_of_other_sizes)
{
	struct later_record later = all_ones, same = all_ones, none;
	const size_t size = sizeof(struct tl_xray_record);
	struct bytes b = { 0 };
	struct trace t;

	put_header(&b, 1, BASIC, 0, 0);
	put_basic(&b, 1, ENTER, 7, 1000, 3, 0);
	put_basic(&b, 1, EXIT, 7, 1010, 3, 0);
	open_trace(&t, &b, NULL);
	memset(&none, 0x5a, sizeof(none));
	assert_int_equal(tl_xray_next(t.reader, &none.known, size - 1, &t.err), TL_BAD_USAGE);
	assert_int_equal(t.err.status, TL_BAD_USAGE);
	for (size_t i = 0; i < sizeof(none); i++)
		assert_int_equal(((const uint8_t *)&none)[i], 0x5a);
	assert_int_equal(tl_xray_next(t.reader, &same.known, size, NULL), 1);
	assert_int_equal(same.known.tsc, 1000);
	assert_true(same.later[0] == UINT64_MAX && same.later[1] == UINT64_MAX);
	assert_int_equal(tl_xray_next(t.reader, &later.known, size + sizeof(uint64_t), NULL), 1);
	assert_int_equal(later.known.tsc, 1010);
	assert_true(later.later[0] == 0 && later.later[1] == UINT64_MAX);
	close_trace(&t);
	free_bytes(&b);
}

TEST(options_of_other_sizes)
{
	struct {
		struct tl_xray_options known;
		uint64_t later;
	} options = { .known = { .size = sizeof(options), .order = TL_XRAY_FILE_ORDER },
		      .later = UINT64_MAX };
	struct bytes b = { 0 };
	struct trace t;

	put_header(&b, 1, BASIC, 0, 0);
	put_basic(&b, 1, ENTER, 7, 1000, 3, 0);
	open_trace(&t, &b, &options.known);
	close_trace(&t);
	options.known.size = sizeof(options.known) - 1;
	assert_int_equal(try_open(&t, &b, &options.known), TL_BAD_USAGE);
	assert_int_equal(t.err.status, TL_BAD_USAGE);
	assert_null(t.reader);
	close_trace(&t);
	free_bytes(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_record_of_every_version),
		cmocka_unit_test(arguments_are_attached),
		cmocka_unit_test(thread_ids_of_two_bytes),
		cmocka_unit_test(filler_of_any_length),
		cmocka_unit_test(filler_of_unknown_length),
		cmocka_unit_test(blocks_of_length_0),
		cmocka_unit_test(basic_mode),
		cmocka_unit_test(profiling_mode),
		cmocka_unit_test(blocks_come_in_time_order),
		cmocka_unit_test(ties_go_by_process_and_thread),
		cmocka_unit_test(threads_are_merged_by_time),
		cmocka_unit_test(the_clock_survives_from_block_to_block),
		cmocka_unit_test(the_process_survives_from_block_to_block),
		cmocka_unit_test(traces_are_recognised),
		cmocka_unit_test(records_of_other_sizes),
		cmocka_unit_test(options_of_other_sizes),
		cmocka_unit_test(fields_of_other_kinds_are_zero),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
