/* SPDX-License-Identifier: Apache-2.0 */
/* Sideband of a raw trace: streams of kernel records, merged by time, and their text. */
#include "file.h"

#include "../temp.h"

#include "core/output.h"
#include "perf_data/auxtrace/sideband.h"
#include "perf_data/listing/sideband_text.h"

static struct file first, second;
static struct tl_perf_sideband *sideband;
static struct tl_perf_record rec;
static const struct tl_perf_sideband_stream *stream;
static struct tl_error err;

/* TID, TIME: the trailers of the streams. */
static void put_record(struct file *to, uint32_t type, uint16_t misc, const uint64_t *words,
		       size_t count, uint64_t time)
{
	put_header(to, type, misc, 8 + 8 * count + 16);
	for (size_t i = 0; i < count; i++)
		put64(to, words[i]);
	put64(to, (uint64_t)0x22 << 32 | 0x11);
	put64(to, time);
}

static void put_start(struct file *to, uint32_t pid, uint64_t time)
{
	const uint64_t thread = (uint64_t)pid << 32 | pid;

	put_record(to, TL_PERF_ITRACE_START, 0, &thread, 1, time);
}

static void add(const struct file *from, const char *name, uint64_t mult)
{
	const struct tl_perf_sideband_stream about = {
		.name = name,
		.data = from->bytes,
		.size = from->size,
		.sample_type = 2 | 4,
		.time_mult = mult,
	};

	assert_int_equal(tl_perf_sideband_add(sideband, &about, &err), 0);
}

static int begin(void **state)
{
	(void)state;
	first.size = second.size = 0;
	return tl_perf_sideband_open(&sideband, "/nowhere", UINT64_C(1) << 63, &err);
}

static int end(void **state)
{
	(void)state;
	tl_perf_sideband_close(sideband);
	return 0;
}

static int next_until(uint64_t tsc)
{
	return tl_perf_sideband_next(sideband, tsc, &rec, &stream, &err);
}

static void assert_next(uint64_t tsc, const char *name, uint32_t pid)
{
	assert_int_equal(next_until(tsc), 1);
	assert_string_equal(stream->name, name);
	assert_int_equal(rec.thread.pid, pid);
}

/* Each stream has its clock: times of 2 nanoseconds a tick are half as many ticks. */
TEST(merged_by_time)
{
	put_start(&first, 1, 10);
	put_start(&first, 2, 30);
	put_start(&second, 3, 40);
	put_start(&second, 4, 62);
	add(&first, "first", 1);
	add(&second, "second", 2);
	assert_int_equal(next_until(9), 0);
	assert_next(10, "first", 1);
	assert_int_equal(next_until(19), 0);
	assert_next(100, "second", 3);
	assert_next(100, "first", 2);
	assert_int_equal(next_until(30), 0);
	assert_next(31, "second", 4);
	assert_int_equal(next_until(UINT64_MAX), 0);
}

/* Records of one stream stay in their order, whatever their times; so do equal times. */
TEST(the_order_of_a_stream)
{
	put_start(&first, 1, 50);
	put_start(&first, 2, 10);
	put_start(&second, 3, 50);
	add(&first, "first", 1);
	add(&second, "second", 1);
	assert_int_equal(next_until(49), 0);
	assert_next(50, "first", 1);
	assert_next(50, "first", 2);
	assert_next(50, "second", 3);
}

TEST(too_many_streams)
{
	for (int i = 0; i < 16; i++)
		add(&first, "first", 1);
	assert_int_equal(tl_perf_sideband_add(
				 sideband, &(struct tl_perf_sideband_stream){ .name = "" }, &err),
			 TL_TOO_LARGE);
}

/* ---- text ---- */

static const struct {
	uint32_t type;
	uint16_t misc;
	uint64_t words[5];
	size_t count;
	const char *line, *fields;
} rows[] = {
	{ TL_PERF_MMAP,
	  2,
	  { 0x200000001, 0x1000, 0x20, 0x30, 0x612f },
	  5,
	  "PERF_RECORD_MMAP 1/2, 1000, 20, 30, /a  { 11/22 5 }\n",
	  "PERF_RECORD_MMAP\n pid: 1\n tid: 2\n addr: 1000\n len: 20\n pgoff: 30\n filename: /a\n"
	  " pid: 11\n tid: 22\n time: 5\n" },
	{ TL_PERF_LOST,
	  0,
	  { 0x1a, 3 },
	  2,
	  "PERF_RECORD_LOST 1a, 3  { 11/22 5 }\n",
	  "PERF_RECORD_LOST\n id: 1a\n lost: 3\n pid: 11\n tid: 22\n time: 5\n" },
	{ TL_PERF_COMM,
	  1 << 13,
	  { 0x200000001, 0x62 },
	  2,
	  "PERF_RECORD_COMM.EXEC 1/2, b  { 11/22 5 }\n",
	  "PERF_RECORD_COMM.EXEC\n pid: 1\n tid: 2\n comm: b\n pid: 11\n tid: 22\n time: 5\n" },
	{ TL_PERF_COMM,
	  0,
	  { 0x200000001, 0x62 },
	  2,
	  "PERF_RECORD_COMM 1/2, b  { 11/22 5 }\n",
	  "PERF_RECORD_COMM\n pid: 1\n tid: 2\n comm: b\n pid: 11\n tid: 22\n time: 5\n" },
	{ TL_PERF_FORK,
	  0,
	  { 0x200000001, 0x400000003, 7 },
	  3,
	  "PERF_RECORD_FORK 1/3, 2/4, 7  { 11/22 5 }\n",
	  "PERF_RECORD_FORK\n pid: 1\n ppid: 2\n tid: 3\n ptid: 4\n time: 7\n pid: 11\n tid: 22\n"
	  " time: 5\n" },
	{ TL_PERF_EXIT,
	  0,
	  { 0x200000001, 0x400000003, 7 },
	  3,
	  "PERF_RECORD_EXIT 1/3, 2/4, 7  { 11/22 5 }\n",
	  "PERF_RECORD_EXIT\n pid: 1\n ppid: 2\n tid: 3\n ptid: 4\n time: 7\n pid: 11\n tid: 22\n"
	  " time: 5\n" },
	{ TL_PERF_AUX,
	  0,
	  { 0x10, 0x20, 1 },
	  3,
	  "PERF_RECORD_AUX.TRUNCATED 10, 20, 1  { 11/22 5 }\n",
	  "PERF_RECORD_AUX.TRUNCATED\n aux offset: 10\n aux size: 20\n flags: 1\n pid: 11\n"
	  " tid: 22\n time: 5\n" },
	{ TL_PERF_AUX,
	  0,
	  { 0x10, 0x20, 2 },
	  3,
	  "PERF_RECORD_AUX 10, 20, 2  { 11/22 5 }\n",
	  "PERF_RECORD_AUX\n aux offset: 10\n aux size: 20\n flags: 2\n pid: 11\n tid: 22\n"
	  " time: 5\n" },
	{ TL_PERF_ITRACE_START,
	  0,
	  { 0x200000001 },
	  1,
	  "PERF_RECORD_ITRACE_START 1/2  { 11/22 5 }\n",
	  "PERF_RECORD_ITRACE_START\n pid: 1\n tid: 2\n pid: 11\n tid: 22\n time: 5\n" },
	{ TL_PERF_LOST_SAMPLES,
	  0,
	  { 6 },
	  1,
	  "PERF_RECORD_LOST_SAMPLES 6  { 11/22 5 }\n",
	  "PERF_RECORD_LOST_SAMPLES\n lost: 6\n pid: 11\n tid: 22\n time: 5\n" },
	{ TL_PERF_SWITCH,
	  0,
	  { 0 },
	  0,
	  "PERF_RECORD_SWITCH.IN  { 11/22 5 }\n",
	  "PERF_RECORD_SWITCH.IN\n pid: 11\n tid: 22\n time: 5\n" },
	{ TL_PERF_SWITCH,
	  1 << 13,
	  { 0 },
	  0,
	  "PERF_RECORD_SWITCH.OUT  { 11/22 5 }\n",
	  "PERF_RECORD_SWITCH.OUT\n pid: 11\n tid: 22\n time: 5\n" },
	{ TL_PERF_SWITCH_CPU_WIDE,
	  1 << 13,
	  { 0x200000001 },
	  1,
	  "PERF_RECORD_SWITCH_CPU_WIDE.OUT 1/2  { 11/22 5 }\n",
	  "PERF_RECORD_SWITCH_CPU_WIDE.OUT\n next pid: 1\n next tid: 2\n pid: 11\n tid: 22\n"
	  " time: 5\n" },
	{ TL_PERF_SWITCH_CPU_WIDE,
	  0,
	  { 0x200000001 },
	  1,
	  "PERF_RECORD_SWITCH_CPU_WIDE.IN 1/2  { 11/22 5 }\n",
	  "PERF_RECORD_SWITCH_CPU_WIDE.IN\n prev pid: 1\n prev tid: 2\n pid: 11\n tid: 22\n"
	  " time: 5\n" },
	{ 99, 0, { 0 }, 0, "PERF_RECORD_63  { }\n", "PERF_RECORD_63\n" },
};

static void assert_text_of(bool verbose, const char *wanted)
{
	struct tl_output *out;
	const char *text;
	size_t size;

	assert_int_equal(tl_output_open_memory(&out, &err), 0);
	tl_perf_put_record_name(out, &rec);
	tl_perf_put_record(out, &rec, verbose);
	text = tl_output_bytes(out, &size);
	if (size != strlen(wanted) || memcmp(text, wanted, size))
		fail_msg("%.*s", (int)size, text);
	tl_output_discard(out);
}

/* "numbers are hexadecimal": on a line, and a line for each field. */
TEST(records_as_text)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		put_record(&first, rows[i].type, rows[i].misc, rows[i].words, rows[i].count, 5);
	add(&first, "first", 1);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(next_until(UINT64_MAX), 1);
		assert_text_of(false, rows[i].line);
		assert_text_of(true, rows[i].fields);
	}
}

/* ---- along a trace ---- */

static struct tl_perf_sideband *open_sideband(struct temp *temp)
{
	temp_open(temp);
	/* NOP and JMP *RAX; the other file has the jump alone. */
	temp_write(temp, "a", "\x90\xff\xe0", 3);
	temp_write(temp, "b", "\xff\xe0", 2);
	tl_perf_sideband_close(sideband);
	assert_int_equal(tl_perf_sideband_open(&sideband, temp->directory, UINT64_C(1) << 63, &err),
			 0);
	return sideband;
}

/* Each process has its file at 0x401000. */
static void put_file_map(struct file *to, uint64_t pid, char name, uint64_t time)
{
	put_record(to, TL_PERF_MMAP, 2,
		   (uint64_t[]){ pid << 32 | pid, 0x401000, 0x1000, 0, (uint64_t)name }, 5, time);
}

static void put_tsc(struct file *to, uint64_t tsc)
{
	put(to, 0x19, 1);
	put(to, tsc, 7);
}

/* TIP.PGE to 0x401000, and TIP.PGD without an address at the jump there. */
static void put_visit(struct file *trace, uint64_t tsc)
{
	put_tsc(trace, tsc);
	put(trace, 0x71, 1);
	put(trace, 0x401000, 6);
	put(trace, 0x01, 1);
}

static void put_psb(struct file *trace)
{
	for (int i = 0; i < 8; i++)
		put16(trace, 0x8202);
	put_tsc(trace, 0);
	put16(trace, 0x2302);
}

struct seen {
	uint32_t contexts[8];
	size_t context_count, records, events;
	uint64_t last;
};

static void see_event(void *arg, const struct tl_pt_event *event)
{
	struct seen *seen = arg;

	assert_true(event->has_tsc);
	assert_true(event->tsc >= seen->last);
	seen->last = event->tsc;
	seen->events++;
}

/* Records come no earlier than their time. */
static void see_record(void *arg, const struct tl_perf_sideband_stream *from,
		       const struct tl_perf_record *record)
{
	struct seen *seen = arg;

	assert_string_equal(from->name, from->primary ? "first" : "second");
	assert_true(record->id.time_ns <= seen->last);
	seen->records++;
}

static void see_context(void *arg, uint32_t pid)
{
	struct seen *seen = arg;

	assert_true(seen->context_count < 8);
	seen->contexts[seen->context_count++] = pid;
}

/* Decode the trace; the addresses of its instructions, closed by 0. */
static struct seen follow(const struct file *trace, uint64_t *ips, size_t room)
{
	struct seen seen = { .records = 0 };
	const struct tl_perf_sideband_hooks hooks = { see_event, see_record, see_context, &seen };
	const struct tl_pt_config config = { .size = sizeof(config),
					     .begin = trace->bytes,
					     .end = trace->bytes + trace->size };
	struct tl_pt_decoder *decoder;
	struct tl_pt_insn insn;
	int status;

	assert_int_equal(tl_pt_decoder_open(&decoder, &config, NULL), 0);
	status = tl_pt_decoder_sync_forward(decoder);
	for (size_t count = 0; status >= 0 && count + 1 < room;) {
		while (status >= 0 && status & TL_PT_EVENT_PENDING)
			status = tl_perf_sideband_event(sideband, decoder, &hooks);
		if (status >= 0)
			status = tl_pt_decoder_insn_next(decoder, &insn, sizeof(insn));
		if (status >= 0)
			ips[count++] = insn.ip;
	}
	assert_int_equal(status, -TL_PT_EOS);
	tl_pt_decoder_close(decoder);
	return seen;
}

static void add_primary(const struct file *from, const char *name, bool primary)
{
	const struct tl_perf_sideband_stream about = { .name = name,
						       .data = from->bytes,
						       .size = from->size,
						       .sample_type = 2 | 4,
						       .time_mult = 1,
						       .primary = primary };

	assert_int_equal(tl_perf_sideband_add(sideband, &about, &err), 0);
}

/*
 * "Only the traced processor's switches count"; the image is that of the process that runs.
 * Trailers name process 0x11, which SWITCH refers to; SWITCH_CPU_WIDE.OUT names the next one.
 */
TEST(the_image_follows_the_switches)
{
	static const uint64_t five = UINT64_C(0x500000005), nine = UINT64_C(0x900000009);
	static struct file trace;
	uint64_t ips[16] = { 0 };
	struct temp temp;
	struct seen seen;

	open_sideband(&temp);
	put_file_map(&first, 0x11, 'a', 10);
	put_file_map(&first, 5, 'b', 20);
	put_start(&first, 0x11, 50);
	put_record(&first, TL_PERF_SWITCH_CPU_WIDE, 1 << 13, &five, 1, 150);
	put_record(&first, TL_PERF_SWITCH, 1 << 13, NULL, 0,
		   240); /* out: says nothing of who is next */
	put_record(&first, TL_PERF_SWITCH, 0, NULL, 0, 250);
	put_record(&second, TL_PERF_SWITCH_CPU_WIDE, 1 << 13, &nine, 1, 160);
	put_record(&second, TL_PERF_SWITCH_CPU_WIDE, 0, &nine, 1, 290);
	add_primary(&first, "first", true);
	add_primary(&second, "second", false);
	trace.size = 0;
	put_psb(&trace);
	put_visit(&trace, 100);
	put_visit(&trace, 200);
	put_visit(&trace, 300);
	seen = follow(&trace, ips, 16);
	assert_int_equal(seen.context_count, 3);
	assert_int_equal(seen.contexts[0], 0x11);
	assert_int_equal(seen.contexts[1], 5);
	assert_int_equal(seen.contexts[2], 0x11);
	assert_int_equal(seen.records, 8);
	assert_int_equal(ips[0], 0x401000);
	assert_int_equal(ips[1], 0x401001);
	assert_int_equal(ips[2], 0x401000); /* b */
	assert_int_equal(ips[3], 0x401000); /* a again */
	assert_int_equal(ips[4], 0x401001);
	assert_int_equal(ips[5], 0);
	temp_close(&temp);
}

/*
 * A map that comes while its process runs is in effect from then on; an exec takes all maps away.
 */
TEST(maps_change_on_the_way)
{
	static struct file trace;
	uint64_t ips[16] = { 0 };
	struct temp temp;
	struct seen seen;

	open_sideband(&temp);
	put_file_map(&first, 0x11, 'a', 10);
	put_start(&first, 0x11, 50);
	put_file_map(&first, 0x11, 'b', 150);
	put_record(&first, TL_PERF_COMM, 1 << 13, (uint64_t[]){ UINT64_C(0x1100000011), 'n' }, 2,
		   220);
	put_file_map(&first, 0x11, 'a', 250);
	add_primary(&first, "first", true);
	trace.size = 0;
	put_psb(&trace);
	put_visit(&trace, 100);
	put_visit(&trace, 200);
	put_visit(&trace, 300);
	seen = follow(&trace, ips, 16);
	assert_int_equal(seen.context_count, 1);
	assert_int_equal(seen.records, 5);
	assert_int_equal(ips[1], 0x401001);
	assert_int_equal(ips[2], 0x401000);
	assert_int_equal(ips[3], 0x401000);
	assert_int_equal(ips[4], 0x401001);
	assert_int_equal(ips[5], 0);
	temp_close(&temp);
}

/* A child has the maps that its parent had. */
TEST(a_fork_on_the_way)
{
	static struct file trace;
	uint64_t ips[16] = { 0 };
	const uint64_t fork[] = { UINT64_C(0x1100000005), UINT64_C(0x1100000005), 110 };
	const uint64_t child = UINT64_C(0x500000005);
	struct temp temp;
	struct seen seen;

	open_sideband(&temp);
	put_file_map(&first, 0x11, 'a', 10);
	put_start(&first, 0x11, 50);
	/* pid 5, parent 0x11; tid 5, parent 0x11 */
	put_record(&first, TL_PERF_FORK, 0, fork, 3, 110);
	put_record(&first, TL_PERF_SWITCH_CPU_WIDE, 1 << 13, &child, 1, 150);
	add_primary(&first, "first", true);
	trace.size = 0;
	put_psb(&trace);
	put_visit(&trace, 100);
	put_visit(&trace, 200);
	seen = follow(&trace, ips, 16);
	assert_int_equal(seen.context_count, 2);
	assert_int_equal(seen.contexts[1], 5);
	assert_int_equal(ips[2], 0x401000);
	assert_int_equal(ips[3], 0x401001);
	assert_int_equal(ips[4], 0);
	temp_close(&temp);
}

/*
 * "Switches happen in the kernel: they take effect where the flow enters or leaves it": not at an
 * event within user code, such as a change of the core's frequency (CBR), though it is later.
 */
TEST(no_switch_within_user_code)
{
	static const uint64_t five = UINT64_C(0x500000005);
	static struct file trace;
	uint64_t ips[16] = { 0 };
	struct temp temp;
	struct seen seen;

	open_sideband(&temp);
	put_file_map(&first, 0x11, 'a', 10);
	put_file_map(&first, 5, 'b', 20);
	put_start(&first, 0x11, 50);
	put_record(&first, TL_PERF_SWITCH_CPU_WIDE, 1 << 13, &five, 1, 150);
	add_primary(&first, "first", true);
	trace.size = 0;
	put_psb(&trace);
	put_tsc(&trace, 100);
	put(&trace, 0x71, 1); /* TIP.PGE */
	put(&trace, 0x401000, 6);
	put_tsc(&trace, 170);
	put(&trace, 0x190302, 4); /* CBR */
	put(&trace, 0x01, 1);     /* TIP.PGD */
	put_visit(&trace, 200);
	seen = follow(&trace, ips, 16);
	assert_int_equal(seen.records, 4);
	assert_int_equal(seen.context_count, 2);
	assert_int_equal(ips[0], 0x401000);
	assert_int_equal(ips[1], 0x401001); /* still a */
	assert_int_equal(ips[2], 0x401000); /* b */
	assert_int_equal(ips[3], 0);
	temp_close(&temp);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(merged_by_time),
		CASE(the_order_of_a_stream),
		CASE(too_many_streams),
		CASE(records_as_text),
		CASE(the_image_follows_the_switches),
		CASE(maps_change_on_the_way),
		CASE(a_fork_on_the_way),
		CASE(no_switch_within_user_code),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
