/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records to XRay files: bytes against bytes written by hand, and what is read back against what
 * was put. Quotes are from docs/formats/xray.md, section 6, unless another is named.
 */
#include "bytes.h"

static struct tl_xray_writer_options fdr(unsigned version)
{
	return (struct tl_xray_writer_options){
		.size = sizeof(struct tl_xray_writer_options),
		.mode = TL_XRAY_FDR,
		.version = (uint16_t)version,
		.constant_tsc = true,
		.frequency = 1000000000,
		.buffer_size = 16384,
	};
}

static struct tl_xray_writer_options basic(unsigned version)
{
	struct tl_xray_writer_options options = fdr(version);

	options.mode = TL_XRAY_BASIC;
	return options;
}

/* ---- records to put ---- */

static struct tl_xray_record of_kind(enum tl_xray_kind kind, uint64_t value)
{
	return (struct tl_xray_record){ .kind = kind, .value = value, .thread = 258, .process = 7 };
}

static struct tl_xray_record function_at(enum tl_xray_action action, uint32_t id, uint64_t tsc,
					 uint16_t cpu)
{
	struct tl_xray_record r = of_kind(TL_XRAY_FUNCTION, 0);

	r.action = action;
	r.function = id;
	r.tsc = tsc;
	r.cpu = cpu;
	return r;
}

static struct tl_xray_record event_at(enum tl_xray_kind kind, const char *text, uint64_t tsc,
				      uint16_t cpu, uint16_t type)
{
	struct tl_xray_record r = of_kind(kind, 0);

	r.payload = (const uint8_t *)text;
	r.payload_size = (uint32_t)strlen(text);
	r.tsc = tsc;
	r.cpu = cpu;
	r.event_type = type;
	return r;
}

/* Write records; the bytes are copied to `to`. */
static void write_all(struct bytes *to, const struct tl_xray_writer_options *options,
		      const struct tl_xray_record *records, size_t count)
{
	struct tl_xray_writer *writer;
	struct tl_output *out;
	const char *written;
	size_t size;

	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(tl_xray_writer_open(&writer, out, options, NULL), 0);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(tl_xray_writer_put(writer, &records[i], sizeof(records[i]), NULL),
				 0);
	assert_int_equal(tl_xray_writer_finish(writer, NULL), 0);
	written = tl_output_bytes(out, &size);
	to->size = 0;
	put_payload(to, written, size);
	tl_output_discard(out);
}

static int convert(struct bytes *to, const struct bytes *from,
		   const struct tl_xray_writer_options *options, struct tl_error *err)
{
	struct tl_output *out;
	const char *written;
	struct trace t;
	size_t size;
	int status;

	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	open_trace(&t, from, NULL);
	status = tl_xray_convert(t.reader, out, options, err);
	written = tl_output_bytes(out, &size);
	to->size = 0;
	put_payload(to, written, size);
	close_trace(&t);
	tl_output_discard(out);
	return status;
}

/* ---- bytes ---- */

/* A call of function 5 in thread 258 of process 7. */
static size_t a_call(struct tl_xray_record *r)
{
	r[0] = of_kind(TL_XRAY_NEW_BUFFER, 0);
	r[1] = of_kind(TL_XRAY_WALL_CLOCK, 5);
	r[1].microseconds = 250;
	r[2] = of_kind(TL_XRAY_PID, 0);
	r[3] = function_at(TL_XRAY_ENTER, 5, 1000, 1);
	r[4] = function_at(TL_XRAY_EXIT, 5, 1010, 1);
	return 5;
}

TEST(version_5_by_hand)
{
	/* clang-format off */
	static const uint8_t expected[] = {
		5, 0, 1, 0, 1, 0, 0, 0, 0x00, 0xca, 0x9a, 0x3b, 0, 0, 0, 0,
		0x00, 0x40, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
		0x0f, 80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,		    /* extents */
		0x01, 0x02, 0x01, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,	    /* NewBuffer */
		0x09, 5, 0, 0, 0, 0, 0, 0, 0, 0xfa, 0, 0, 0, 0, 0, 0,		    /* WallClock */
		0x13, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,		    /* Pid */
		0x05, 1, 0, 0xe8, 0x03, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,	    /* NewCPUId */
		/* enter, exit */
		0x50, 0, 0, 0, 0, 0, 0, 0, 0x52, 0, 0, 0, 10, 0, 0, 0,
	};
	/* clang-format on */
	struct tl_xray_writer_options options = fdr(5);
	struct tl_xray_record records[8];
	struct bytes b = { 0 };

	write_all(&b, &options, records, a_call(records));
	assert_int_equal(b.size, sizeof(expected));
	assert_memory_equal(b.data, expected, sizeof(expected));
	free_bytes(&b);
}

/*
 * Version 1 for a big-endian platform as published: fields from the top bit, EndOfBuffer, filler to
 * the buffer size.
 */
TEST(version_1_by_hand)
{
	/* clang-format off */
	static const uint8_t expected[32 + 96] = {
		0, 1, 0, 1, 0, 0, 0, 3, 0, 0, 0, 0, 0x3b, 0x9a, 0xca, 0x00,
		0, 0, 0, 0, 0, 0, 0, 96, 0, 0, 0, 0, 0, 0, 0, 0,
		0x80, 0, 0, 0x01, 0x02, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,	    /* NewBuffer */
		0x84, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0xfa, 0, 0, 0,		    /* WallClock */
		0x82, 0, 1, 0, 0, 0, 0, 0, 0, 0x03, 0xe8, 0, 0, 0, 0, 0,	    /* NewCPUId */
		/* enter, exit */
		0x00, 0, 0, 5, 0, 0, 0, 0, 0x10, 0, 0, 5, 0, 0, 0, 10,
		/* EndOfBuffer, 16 of filler */
		0x81, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	};
	/* clang-format on */
	struct tl_xray_writer_options options = fdr(1);
	struct tl_xray_record records[8];
	struct bytes b = { 0 };

	options.big_endian = options.high_bits = options.nonstop_tsc = true;
	options.buffer_size = 96;
	write_all(&b, &options, records, a_call(records));
	assert_int_equal(b.size, sizeof(expected));
	assert_memory_equal(b.data, expected, sizeof(expected));
	free_bytes(&b);
}

TEST(basic_by_hand)
{
	/* clang-format off */
	static const uint8_t expected[] = {
		3, 0, 0, 0, 1, 0, 0, 0, 0x00, 0xca, 0x9a, 0x3b, 0, 0, 0, 0,
		0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
		/* cpu 1, enter with arguments */
		0, 0, 1, 3, 5, 0, 0, 0, 0xe8, 0x03, 0, 0, 0, 0, 0, 0,
		0x02, 0x01, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
		/* argument 66 of function 5 */
		1, 0, 0, 0, 5, 0, 0, 0, 0x02, 0x01, 0, 0, 7, 0, 0, 0,
		66, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	};
	/* clang-format on */
	const struct tl_xray_record records[] = { of_kind(TL_XRAY_NEW_BUFFER, 0),
						  function_at(TL_XRAY_ENTER_ARGS, 5, 1000, 1),
						  of_kind(TL_XRAY_CALL_ARGUMENT, 66) };
	struct tl_xray_writer_options options = basic(3);
	struct bytes b = { 0 };

	write_all(&b, &options, records, 3);
	assert_int_equal(b.size, sizeof(expected));
	assert_memory_equal(b.data, expected, sizeof(expected));
	free_bytes(&b);
}

/*
 * "TSCWrap when a delta exceeds 2^31-1 (what the runtime does) or time goes back"; "First record
 * after ...: delta 0"
 */
TEST(time_that_needs_a_wrap)
{
	const uint64_t most = INT32_MAX;
	struct tl_xray_writer_options options = fdr(5);
	const struct tl_xray_record records[] = {
		of_kind(TL_XRAY_NEW_BUFFER, 0),
		function_at(TL_XRAY_ENTER, 1, 1000, 0),
		function_at(TL_XRAY_ENTER, 2, 1000 + most, 0),
		function_at(TL_XRAY_ENTER, 3, 1000 + 2 * most + 1, 0),
		event_at(TL_XRAY_TYPED_EVENT, "x", 500, 0, 1),
		function_at(TL_XRAY_ENTER, 4, 499, 0),
	};
	struct bytes b = { 0 };
	struct trace t;

	write_all(&b, &options, records, 6);
	load(&t, &b, NULL);
	assert_int_equal(nth(&t, TL_XRAY_FUNCTION, 1)->delta, most);
	assert_int_equal(count_kind(&t, TL_XRAY_TSC_WRAP), 3);
	assert_int_equal(nth(&t, TL_XRAY_FUNCTION, 2)->delta, 0);
	assert_int_equal(nth(&t, TL_XRAY_TYPED_EVENT, 0)->delta, 0);
	assert_int_equal(nth(&t, TL_XRAY_TYPED_EVENT, 0)->tsc, 500);
	assert_int_equal(nth(&t, TL_XRAY_FUNCTION, 3)->delta, 0);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(nth(&t, TL_XRAY_FUNCTION, i)->tsc, records[i < 3 ? i + 1 : 5].tsc);
	close_trace(&t);
	free_bytes(&b);
}

/*
 * "Function and event records are placed by their absolute `tsc`: ... NewCPUId are written as
 * needed" (xray.h)
 */
TEST(a_new_cpu_is_told)
{
	const struct tl_xray_record records[] = {
		of_kind(TL_XRAY_NEW_BUFFER, 0),
		function_at(TL_XRAY_ENTER, 1, 100, 1),
		function_at(TL_XRAY_EXIT, 1, 110, 2),
		event_at(TL_XRAY_CUSTOM_EVENT, "a", 120, 3, 0),
		event_at(TL_XRAY_TYPED_EVENT, "b", 130, 4, 9),
		function_at(TL_XRAY_EXIT, 1, 140, 4),
	};

	for (unsigned version = 1; version <= 5; version++) {
		struct tl_xray_writer_options options = fdr(version);
		struct bytes b = { 0 };
		struct trace t;
		size_t at = 1;

		write_all(&b, &options, records, 6);
		load(&t, &b, NULL);
		for (size_t i = 0; i < t.count; i++) {
			const struct tl_xray_record *r = &t.records[i];

			if (r->kind != TL_XRAY_FUNCTION && r->kind != TL_XRAY_CUSTOM_EVENT &&
			    r->kind != TL_XRAY_TYPED_EVENT)
				continue;
			assert_int_equal(r->kind, records[at].kind);
			assert_int_equal(r->cpu, records[at].cpu);
			assert_int_equal(r->tsc, records[at].tsc);
			at++;
		}
		assert_int_equal(at, 6);
		close_trace(&t);
		free_bytes(&b);
	}
}

/*
 * "extents = exact number of bytes that follow (typed events counted with their 16-byte marker
 * ...)"
 */
TEST(extents_are_exact)
{
	struct tl_xray_writer_options options = fdr(5);
	/* clang-format off */
	struct tl_xray_record records[] = {
		of_kind(TL_XRAY_NEW_BUFFER, 0),	      of_kind(TL_XRAY_PID, 0),
		function_at(TL_XRAY_ENTER, 1, 1, 1),  event_at(TL_XRAY_TYPED_EVENT, "0123456789", 2,
		  1, 7),
		event_at(TL_XRAY_TYPED_EVENT, "", 3, 1, 7), of_kind(TL_XRAY_NEW_BUFFER, 0),
		function_at(TL_XRAY_EXIT, 1, 4, 1),
	};
	/* clang-format on */
	struct bytes b = { 0 };
	struct trace t;

	write_all(&b, &options, records, 7);
	load(&t, &b, NULL);
	/* NewBuffer, WallClock, Pid, NewCPUId, 8, 16 + 10, 16 */
	assert_int_equal(nth(&t, TL_XRAY_BUFFER_EXTENTS, 0)->value, 64 + 8 + 26 + 16);
	assert_int_equal(nth(&t, TL_XRAY_BUFFER_EXTENTS, 1)->offset, 32 + 16 + 114);
	assert_int_equal(nth(&t, TL_XRAY_BUFFER_EXTENTS, 1)->value, 64 + 8);
	assert_int_equal(b.size, 32 + 16 + 114 + 16 + 72);
	assert_int_equal(nth(&t, TL_XRAY_TYPED_EVENT, 0)->event_type, 7);
	close_trace(&t);
	free_bytes(&b);
}

/*
 * "A NEW_BUFFER record begins a block; BUFFER_EXTENTS, END_OF_BUFFER and LOST records are ignored"
 * (xray.h)
 */
TEST(its_own_records_are_ignored)
{
	struct tl_xray_writer_options options = fdr(5);
	struct tl_xray_record records[16], call[8] = { 0 };
	struct bytes with = { 0 }, without = { 0 };
	size_t count = 0, calls = a_call(call);

	records[count++] = of_kind(TL_XRAY_BUFFER_EXTENTS, 999);
	for (size_t i = 0; i < calls; i++) {
		records[count++] = call[i];
		records[count++] = of_kind(i % 2 ? TL_XRAY_LOST : TL_XRAY_END_OF_BUFFER, 0);
	}
	/* A block that never got to its body says nothing. */
	records[count++] = of_kind(TL_XRAY_NEW_BUFFER, 0);
	records[count++] = of_kind(TL_XRAY_WALL_CLOCK, 0);
	write_all(&with, &options, records, count);
	write_all(&without, &options, call, calls);
	assert_int_equal(with.size, without.size);
	assert_memory_equal(with.data, without.data, with.size);
	free_bytes(&with);
	free_bytes(&without);
}

/* ---- refusals ---- */

static int put_one(const struct tl_xray_writer_options *options, struct tl_xray_record record,
		   struct tl_error *err)
{
	struct tl_xray_writer *writer;
	struct tl_output *out;
	int status;

	record.offset = 4711;
	*err = (struct tl_error){ .status = TL_OK };
	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(tl_xray_writer_open(&writer, out, options, NULL), 0);
	status = tl_xray_writer_put(writer, &record, sizeof(record), err);
	assert_int_equal(tl_xray_writer_finish(writer, NULL), 0);
	tl_output_discard(out);
	return status;
}

/* docs/abi.md: structs that end earlier than in the first release. */
TEST(structs_that_are_too_small_are_refused)
{
	struct tl_xray_writer_options options = fdr(5);
	struct tl_xray_record record = of_kind(TL_XRAY_NEW_BUFFER, 0);
	struct tl_error err = { .status = TL_OK };
	struct tl_xray_writer *writer;
	struct tl_output *out;

	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(tl_xray_writer_open(&writer, out, &options, NULL), 0);
	assert_int_equal(tl_xray_writer_put(writer, &record, sizeof(record) - 1, &err),
			 TL_BAD_USAGE);
	assert_int_equal(err.status, TL_BAD_USAGE);
	assert_int_equal(tl_xray_writer_finish(writer, NULL), 0);
	options.size--;
	assert_int_equal(tl_xray_writer_open(&writer, out, &options, &err), TL_BAD_USAGE);
	assert_null(writer);
	tl_output_discard(out);
}

TEST(what_a_format_cannot_say_is_refused)
{
	struct tl_xray_writer_options to_basic = basic(3), to_fdr = fdr(5), to_big = fdr(5);
	const struct {
		const struct tl_xray_writer_options *options;
		struct tl_xray_record record;
		int status;
		/* clang-format off */
	} cases[] = {
		{ &to_basic, event_at(TL_XRAY_CUSTOM_EVENT, "x", 1, 1, 0), TL_UNSUPPORTED },
		{ &to_basic, event_at(TL_XRAY_TYPED_EVENT, "x", 1, 1, 0), TL_UNSUPPORTED },
		{ &to_basic, function_at(TL_XRAY_ENTER, 1, 1, 256), TL_UNSUPPORTED },
		{ &to_basic, function_at(TL_XRAY_ENTER, 1, 1, 255), 0 },
		{ &to_basic, function_at(TL_XRAY_ENTER, 0x7fffffff, 1, 1), 0 },
		{ &to_basic, of_kind(TL_XRAY_SAMPLE, 1), TL_UNSUPPORTED },
		{ &to_fdr, of_kind(TL_XRAY_SAMPLE, 1), TL_UNSUPPORTED },
		{ &to_fdr, function_at(TL_XRAY_ENTER, 0x0fffffff, 1, 65535), 0 },
		/* "function_id 28" bits: a longer one must not become another function's. */
		{ &to_fdr, function_at(TL_XRAY_ENTER, 0x10000001, 1, 1), TL_UNSUPPORTED },
		/* With low bits a big-endian reader would take it for metadata (3.4). */
		{ &to_big, function_at(TL_XRAY_ENTER, 0x00100000, 1, 1), TL_UNSUPPORTED },
		{ &to_big, function_at(TL_XRAY_ENTER, 0x0fefffff, 1, 1), 0 },
	};
	/* clang-format on */

	to_big.big_endian = true;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tl_error err;

		assert_int_equal(put_one(cases[i].options, cases[i].record, &err), cases[i].status);
		assert_int_equal(err.status, cases[i].status);
		if (cases[i].status)
			assert_int_equal(err.offset, 4711);
	}
}

TEST(versions_that_are_none_are_refused)
{
	struct tl_xray_writer_options bad[] = { fdr(0), fdr(6), basic(0), basic(4), fdr(5) };
	struct tl_xray_writer *writer;
	struct tl_output *out;

	bad[4].mode = TL_XRAY_PROFILING;
	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	for (size_t i = 0; i < 5; i++) {
		struct tl_error err = { .status = TL_OK };

		assert_int_equal(tl_xray_writer_open(&writer, out, &bad[i], &err), TL_BAD_USAGE);
		assert_int_equal(err.status, TL_BAD_USAGE);
		assert_null(writer);
	}
	tl_output_discard(out);
}

/* ---- whole traces ---- */

static const struct tl_xray_record *next_kept(const struct trace *t, size_t *at, bool arguments)
{
	for (; *at < t->count; ++*at) {
		enum tl_xray_kind kind = t->records[*at].kind;

		if (kind == TL_XRAY_FUNCTION || kind == TL_XRAY_CUSTOM_EVENT ||
		    kind == TL_XRAY_TYPED_EVENT || (arguments && kind == TL_XRAY_CALL_ARGUMENT))
			return &t->records[(*at)++];
	}
	return NULL;
}

/* `process`: 0 the same, 1 none, 2 the thread's. */
static void assert_same(const struct tl_xray_record *a, const struct tl_xray_record *b, int process)
{
	assert_int_equal(a->kind, b->kind);
	assert_int_equal(a->tsc, b->tsc);
	assert_int_equal(a->thread, b->thread);
	assert_int_equal(b->process, process == 0 ? a->process : process == 1 ? 0 : a->thread);
	/* Of an argument only basic mode says the function, and none the cpu. */
	if (a->kind != TL_XRAY_CALL_ARGUMENT) {
		assert_int_equal(a->cpu, b->cpu);
		assert_int_equal(a->function, b->function);
	}
	assert_int_equal(a->action, b->action);
	assert_int_equal(a->value, b->value);
	assert_int_equal(a->event_type, b->event_type);
	assert_int_equal(a->arg_count, b->arg_count);
	assert_memory_equal(a->args, b->args, a->arg_count * sizeof(a->args[0]));
	assert_int_equal(a->payload_size, b->payload_size);
	if (a->payload_size)
		assert_memory_equal(a->payload, b->payload, a->payload_size);
}

/* "A decode of the result must equal the decode of the source record for record." */
static void assert_same_trace(const struct bytes *source, const struct bytes *result, int process)
{
	const struct tl_xray_record *x, *y;
	uint64_t faults, skipped;
	size_t i = 0, j = 0, listed;
	struct trace a, b;

	load(&a, source, NULL);
	load(&b, result, NULL);
	do {
		x = next_kept(&a, &i, true);
		y = next_kept(&b, &j, true);
		assert_int_equal(x == NULL, y == NULL);
		if (x)
			assert_same(x, y, process);
	} while (x);
	tl_xray_faults(b.reader, &listed, &faults, &skipped);
	assert_int_equal(faults, 0);
	close_trace(&a);
	close_trace(&b);
}

/* Two threads of one process, a wrapped ring, every record kind. `events`: basic mode has none. */
static void put_source(struct bytes *b, unsigned version, bool events)
{
	size_t start;

	put_header(b, version, FDR, 2596134000, 16384);
	start = begin_block(b, 7, 0x12345, 90000000000);
	put_function(b, EXIT, 5, 3);
	put_function(b, TAIL_EXIT, 4, 0xffffffff);
	put_new_cpu(b, 200, 95000000000);
	put_function(b, ENTER, 0x0fffffff, 0);
	put_tsc_wrap(b, 1);
	put_function(b, EXIT, 0x0fffffff, 0x7fffffff);
	end_block(b, start);
	start = begin_block(b, 7, 0x12345, 1000);
	put_function(b, ENTER_ARGS, 5, 0);
	put_argument(b, UINT64_MAX);
	put_argument(b, 3);
	put_function(b, ENTER, 4, 7);
	if (events) {
		put_custom(b, version == 5 ? 100 : 1050, 9, "pay\0load", 8);
		put_custom(b, version == 5 ? (uint64_t)-90 : 900, 9, "", 0);
		put_typed(b, -5, 0xffff, "\xff\xfe\xfd", 3);
	}
	put_function(b, ENTER, 3, 90);
	end_block(b, start);
	start = begin_block(b, 7, 2, 1001);
	put_function(b, ENTER, 1, 0);
	end_block(b, start);
}

TEST(fdr_to_every_version)
{
	for (unsigned i = 0; i < 5 * 5 * 2; i++) {
		unsigned from = i % 5 + 1, to = i / 5 % 5 + 1;
		struct tl_xray_writer_options options = fdr(to);
		struct bytes source = { 0 }, result = { 0 };
		int process = to == 1 ? 1 : to == 2 ? 2 : 0;

		options.big_endian = options.high_bits = i / 25;
		put_source(&source, from, true);
		if (from == 1)
			set_number(&source, 16, 0, 8);
		assert_int_equal(convert(&result, &source, &options, NULL), 0);
		assert_same_trace(&source, &result, process);
		free_bytes(&source);
		free_bytes(&result);
	}
}

TEST(fdr_to_basic_and_back)
{
	for (unsigned version = 2; version <= 3; version++) {
		struct tl_xray_writer_options options = basic(version), back = fdr(5);
		struct bytes source = { 0 }, result = { 0 }, again = { 0 };

		put_source(&source, 5, false);
		assert_int_equal(convert(&result, &source, &options, NULL), 0);
		assert_int_equal(result.size, 32 + 32 * 10);
		assert_same_trace(&source, &result, version < 3);
		assert_int_equal(convert(&again, &result, &back, NULL), 0);
		assert_same_trace(&result, &again, 0);
		free_bytes(&source);
		free_bytes(&result);
		free_bytes(&again);
	}
}

/*
 * "Version 1: no tail exits" (2.7): there is no way to write the second function record of the
 * file.
 */
TEST(basic_1_refuses_tail_exits)
{
	struct tl_xray_writer_options options = basic(1);
	struct bytes source = { 0 }, result = { 0 };
	struct tl_error err = { .status = TL_OK };

	put_source(&source, 5, false);
	assert_int_equal(convert(&result, &source, &options, &err), TL_UNSUPPORTED);
	assert_int_equal(err.offset, 32 + 80 + 8);
	free_bytes(&source);
	free_bytes(&result);
}

TEST(basic_refuses_a_trace_with_events)
{
	struct tl_xray_writer_options options = basic(3);
	struct bytes source = { 0 }, result = { 0 };
	struct tl_error err = { .status = TL_OK };

	put_source(&source, 5, true);
	assert_int_equal(convert(&result, &source, &options, &err), TL_UNSUPPORTED);
	/* The first block: 80 of head, 2 functions, NewCPUId, function, TSCWrap, function: 144. The
	 * second: 80, 8 and two arguments, 8. */
	assert_int_equal(err.offset, 32 + 144 + 80 + 8 + 32 + 8);
	assert_string_equal(err.format, "xray");
	free_bytes(&source);
	free_bytes(&result);
}

/* Basic mode has no buffers: they are made, whatever their number and size, and none is lost. */
TEST(long_basic_traces_get_buffers)
{
	for (unsigned version = 1; version <= 5; version++) {
		struct tl_xray_writer_options options = fdr(version);
		struct bytes source = { 0 }, result = { 0 };

		/*
		 * Each record on another cpu: 24 bytes each, so that 1024 of them are more than a
		 * buffer of version 1.
		 */
		put_header(&source, 3, BASIC, 1000, 0);
		for (int i = 0; i < 5000; i++)
			put_basic(&source, (uint8_t)(i % 5), (unsigned)i % 2, i / 2 % 100 + 1,
				  1000000 + 257 * (uint64_t)i, 5, 6);
		assert_int_equal(convert(&result, &source, &options, NULL), 0);
		assert_same_trace(&source, &result, version == 1 ? 1 : version == 2 ? 2 : 0);
		free_bytes(&source);
		free_bytes(&result);
	}
}

/* "Blocks in (pid, tid, TSC) order; output is a function of the input alone" */
TEST(blocks_are_put_in_order)
{
	struct tl_xray_options file = { .size = sizeof(file), .order = TL_XRAY_FILE_ORDER };
	struct tl_xray_writer_options options = fdr(5);
	struct bytes source = { 0 }, result = { 0 }, twice = { 0 };
	struct trace t;

	put_source(&source, 5, true);
	assert_int_equal(convert(&result, &source, &options, NULL), 0);
	load(&t, &result, &file);
	assert_int_equal(count_kind(&t, TL_XRAY_NEW_BUFFER), 3);
	assert_int_equal(nth(&t, TL_XRAY_NEW_BUFFER, 0)->thread, 2);
	assert_int_equal(nth(&t, TL_XRAY_NEW_BUFFER, 1)->thread, 0x12345);
	assert_int_equal(nth(&t, TL_XRAY_NEW_CPU, 1)->tsc, 1000);
	assert_int_equal(nth(&t, TL_XRAY_NEW_CPU, 2)->tsc, 90000000000);
	close_trace(&t);
	/* What is in order already stays as it is, byte for byte. */
	assert_int_equal(convert(&twice, &result, &options, NULL), 0);
	assert_int_equal(twice.size, result.size);
	assert_memory_equal(twice.data, result.data, result.size);
	free_bytes(&source);
	free_bytes(&result);
	free_bytes(&twice);
}

/* Where a kind's fields end; "unused bytes zero". */
static size_t used_bytes(enum tl_xray_kind kind)
{
	switch (kind) {
	case TL_XRAY_NEW_BUFFER:
	case TL_XRAY_PID:
		return 5;
	case TL_XRAY_NEW_CPU:
	case TL_XRAY_TYPED_EVENT:
		return 11;
	case TL_XRAY_WALL_CLOCK:
		return 13;
	default:
		return 9;
	}
}

TEST(unused_bytes_are_zero)
{
	struct tl_xray_writer_options options = fdr(5);
	struct bytes source = { 0 }, result = { 0 };
	struct trace t;

	put_source(&source, 5, true); /* all 0xaa there */
	assert_int_equal(convert(&result, &source, &options, NULL), 0);
	load(&t, &result, NULL);
	for (size_t i = 0; i < t.count; i++) {
		const struct tl_xray_record *r = &t.records[i];

		for (size_t at = used_bytes(r->kind); r->kind != TL_XRAY_FUNCTION && at < 16; at++)
			assert_int_equal(result.data[r->offset + at], 0);
	}
	/* "flags copied with bits 2..31 zero" */
	assert_int_equal(result.data[4], 1);
	assert_int_equal(result.data[5] | result.data[6] | result.data[7], 0);
	close_trace(&t);
	free_bytes(&source);
	free_bytes(&result);
}

/* ---- random records ---- */

static uint32_t random_below(uint64_t *seed, uint32_t bound)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*seed >> 33) % bound;
}

static struct tl_xray_record random_record(uint64_t *seed, uint64_t *tsc, uint16_t *cpu)
{
	static const char text[] = "some bytes of an event";
	struct tl_xray_record r = of_kind(TL_XRAY_FUNCTION, 0);
	uint32_t dice = random_below(seed, 20);

	*tsc += dice == 0   ? UINT64_C(5000000000)
		: dice == 1 ? -(uint64_t)random_below(seed, 1000000)
			    : random_below(seed, 1000);
	if (dice == 2)
		*cpu = (uint16_t)random_below(seed, 300);
	r.tsc = *tsc;
	r.cpu = *cpu;
	r.action = (enum tl_xray_action)random_below(seed, 3);
	r.function = random_below(seed, 1 << 20);
	if (dice == 3 || dice == 4) {
		r.kind = dice == 3 ? TL_XRAY_CUSTOM_EVENT : TL_XRAY_TYPED_EVENT;
		r.action = TL_XRAY_ENTER;
		r.function = 0;
		r.event_type = dice == 4 ? (uint16_t)random_below(seed, 65536) : 0;
		r.payload = (const uint8_t *)text;
		r.payload_size = random_below(seed, sizeof(text));
	} else if (dice == 5) {
		r = of_kind(TL_XRAY_NEW_BUFFER, 0);
	}
	return r;
}

/* What is put comes back, in the order it was put. */
TEST(random_records_come_back)
{
	enum { RECORDS = 400 };
	struct tl_xray_options file = { .size = sizeof(file), .order = TL_XRAY_FILE_ORDER };
	uint64_t seed = 5;

	for (unsigned run = 0; run < 150; run++) {
		struct tl_xray_writer_options options = fdr(run % 5 + 1);
		struct tl_xray_record records[RECORDS];
		uint64_t tsc = UINT64_C(1) << 40;
		struct bytes b = { 0 };
		const struct tl_xray_record *got;
		struct trace t;
		uint16_t cpu = 0;
		size_t at = 0;

		options.big_endian = run / 5 % 3 != 0;
		options.high_bits = run / 5 % 3 == 2;
		options.buffer_size = 65536;
		for (size_t i = 0; i < RECORDS; i++)
			records[i] = random_record(&seed, &tsc, &cpu);
		write_all(&b, &options, records, RECORDS);
		load(&t, &b, &file);
		for (size_t i = 0; i < RECORDS; i++) {
			if (records[i].kind == TL_XRAY_NEW_BUFFER)
				continue;
			got = next_kept(&t, &at, false);
			assert_non_null(got);
			assert_same(&records[i], got,
				    options.version == 1   ? 1
				    : options.version == 2 ? 2
							   : 0);
		}
		assert_null(next_kept(&t, &at, false));
		assert_int_equal(count_kind(&t, TL_XRAY_LOST), 0);
		close_trace(&t);
		free_bytes(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(version_5_by_hand),
		cmocka_unit_test(version_1_by_hand),
		cmocka_unit_test(basic_by_hand),
		cmocka_unit_test(time_that_needs_a_wrap),
		cmocka_unit_test(a_new_cpu_is_told),
		cmocka_unit_test(extents_are_exact),
		cmocka_unit_test(its_own_records_are_ignored),
		cmocka_unit_test(what_a_format_cannot_say_is_refused),
		cmocka_unit_test(versions_that_are_none_are_refused),
		cmocka_unit_test(fdr_to_every_version),
		cmocka_unit_test(fdr_to_basic_and_back),
		cmocka_unit_test(basic_1_refuses_tail_exits),
		cmocka_unit_test(basic_refuses_a_trace_with_events),
		cmocka_unit_test(long_basic_traces_get_buffers),
		cmocka_unit_test(blocks_are_put_in_order),
		cmocka_unit_test(unused_bytes_are_zero),
		cmocka_unit_test(random_records_come_back),
		cmocka_unit_test(structs_that_are_too_small_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
