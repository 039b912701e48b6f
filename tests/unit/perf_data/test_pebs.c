/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples that the processor wrote into a trace (docs/formats/perf-data.md section 15): blocks of
 * items between packets of flow. Which fields a sample has follows from its items;
 * tests/differential/pebs.py holds the same against perf.
 */
#include "trace.h"

#include "core/output.h"
#include "perf_data/listing/pebs_list.h"

enum { REGISTERS = 1, BASIC = 4, MEMORY = 5, SHORT = 0x80, THREAD = 5, FIRST_ID = 77 };
enum { HW_ID = 21, FREQUENCY = 1 << 10 };
#define AUX_OUTPUT (UINT64_C(1) << 31)

static struct stream s;
static char *text;

/* ---- packets ---- */

static void put_block(unsigned kind)
{
	packet(&s, (const uint8_t[]){ 0x02, 0x63, (uint8_t)kind }, 3);
}

static void put_item_sized(unsigned id, uint64_t value, unsigned size)
{
	uint8_t bytes[9] = { (uint8_t)(id << 3 | 4) };

	for (unsigned i = 0; i < size; i++)
		bytes[1 + i] = (uint8_t)(value >> 8 * i);
	packet(&s, bytes, 1 + size);
}

static void put_item(unsigned id, uint64_t value)
{
	put_item_sized(id, value, 8);
}

static void put_end(void)
{
	packet(&s, "\x02\x33", 2);
}

/* Address and counters, and a time where it is not 0. */
static void put_basic(uint64_t ip, uint64_t counters, uint64_t time)
{
	put_block(BASIC);
	put_item(0, ip);
	put_item(1, counters);
	if (time)
		put_item(2, time);
}

/* ---- the file ---- */

static size_t data_at;

/* An event for the trace, and `count` events of hardware whose samples are in it. */
static void begin(unsigned count, const uint64_t *configs, uint64_t flags)
{
	const size_t attrs = 1 + count;

	data_at = 104 + 88 * attrs;
	f.size = s.size = 0;
	put_bytes(&f, "PERFILE2", 8);
	put64(&f, 104);
	put64(&f, 80);
	put64(&f, 104);
	put64(&f, 80 * attrs);
	put64(&f, data_at);
	put64(&f, 0);
	put_zeros(&f, 48);
	for (size_t i = 0; i < attrs; i++) {
		const size_t at = f.size;

		put_attr(&f, i ? 0 : 8, COMMON_TYPE, 1 << 18 | (i ? AUX_OUTPUT | flags : 0));
		if (i) {
			patch64(&f, at + 8, configs[i - 1]);
			patch64(&f, at + 16, 1000 * i);
		}
		put64(&f, 104 + 80 * attrs + 8 * i);
		put64(&f, 8);
	}
	for (size_t i = 0; i < attrs; i++)
		put64(&f, FIRST_ID + i);
	put_info(0, 1, 0, false);
	psb(&s, 1000);
	on(&s, 0x401000);
}

/* From a time on a counter is that of an event. */
static void put_hw_id(uint64_t counter, unsigned event, uint64_t time)
{
	put_header(&f, HW_ID, 0, 8 + 8 + TRAILER);
	put64(&f, counter);
	put32(&f, THREAD);
	put32(&f, THREAD);
	put64(&f, time);
	put32(&f, 0);
	put32(&f, 0);
	put64(&f, FIRST_ID + event);
}

/* List, and leave how many faults there were. */
static int64_t listed(bool json, double from, double to, uint64_t *fault_count)
{
	const struct tl_perf_pebs_window window = { from, to };
	struct tl_output *out;
	const char *bytes;
	uint64_t skipped;
	size_t size;
	int64_t count;

	put_auxtrace(s.bytes, s.size, 0, THREAD, UINT32_MAX);
	patch64(&f, 48, f.size - data_at);
	assert_int_equal(tl_source_open_memory(&f.source, f.bytes, f.size, "test", &f.err), 0);
	assert_int_equal(tl_perf_trace_open(&trace, f.source, NULL, &f.err), 0);
	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	count = tl_perf_pebs_list(trace, &window, json, out, &f.err);
	bytes = tl_output_bytes(out, &size);
	free(text);
	text = strndup(bytes, size);
	tl_perf_faults(trace->reader, &size, fault_count, &skipped);
	tl_output_discard(out);
	trace_close();
	return count;
}

static void expect(bool json, int64_t count, uint64_t fault_count)
{
	uint64_t faults;

	assert_int_equal(listed(json, 0, 0, &faults), count);
	assert_int_equal(faults, fault_count);
}

static void has(const char *words)
{
	if (!strstr(text, words))
		fail_msg("no %s in %s", words, text);
}

static void lacks(const char *words)
{
	if (strstr(text, words))
		fail_msg("%s in %s", words, text);
}

static const uint64_t cycles[] = { 0 }, both[] = { 0, 3 };

/* ---- fields ---- */

static void put_whole(void)
{
	put_basic(0x401008, 1, 2500);
	put_item(7, 99); /* an item that is not known */
	put_block(MEMORY);
	put_item(0, 0xffff888000001234);
	put_item(2, 77);
	put_block(REGISTERS);
	put_item(0, 0x246);
	put_item(2, 7);
	put_item(17, 0xf);
	put_end();
}

TEST(a_sample_with_all_groups)
{
	begin(1, cycles, 0);
	put_whole();
	expect(true, 1, 0);
	has("{\"time\":2500,");
	has("\"thread\":5,");
	has("\"event\":\"cycles\",\"period\":1000,\"ip\":\"0x401008\","
	    "\"address\":\"0xffff888000001234\",\"latency\":77,\"offset\":33,"
	    "\"registers\":{\"flags\":\"0x246\",\"ax\":\"0x7\",\"r15\":\"0xf\"}}\n");
	begin(1, cycles, 0);
	put_whole();
	expect(false, 1, 0);
	has("time 2500  ");
	has("event cycles  period 1000  ip 0x401008  address 0xffff888000001234  latency 77  "
	    "flags:0x246 ax:0x7 r15:0xf\n");
	/* With a frequency the period changes. */
	begin(1, cycles, FREQUENCY);
	put_whole();
	expect(true, 1, 0);
	lacks("period");
}

/* The address: of the basic group, else the register, else of the FUP behind the block. */
TEST(addresses_of_three_kinds)
{
	begin(1, cycles, 0);
	put_block(REGISTERS);
	put_item(1, 0x401009);
	put_end();
	expect(true, 1, 0);
	has("\"ip\":\"0x401009\",\"offset\":33,\"registers\":{\"ip\":\"0x401009\"}}\n");
	begin(1, cycles, 0);
	put_block(BASIC);
	put_item(1, 1);
	packet(&s, "\x02\xb3\x7d\x03\x10\x40\0\0\0", 9);
	expect(true, 1, 0);
	has("\"ip\":\"0x401003\"");
	begin(1, cycles, 0);
	put_block(MEMORY);
	put_item(2, 5);
	put_end();
	expect(true, 1, 0);
	lacks("\"ip\"");
	lacks("registers");
	has("\"latency\":5,\"offset\":33}\n");
	/* The time is that of the packets. */
	has("{\"time\":1000,");
}

/* Items of a block whose type says so have four bytes. */
TEST(items_of_four_bytes)
{
	begin(1, cycles, 0);
	put_block(BASIC | SHORT);
	put_item_sized(0, 0x401234, 4);
	put_item_sized(1, 1, 4);
	put_end();
	put_basic(0x405678, 1, 0);
	put_end();
	expect(true, 2, 0);
	has("\"ip\":\"0x401234\"");
	has("\"ip\":\"0x405678\"");
}

/* ---- events ---- */

TEST(counters_of_several_events)
{
	begin(2, both, 0);
	put_hw_id(0, 1, 1);
	put_hw_id(1, 2, 1);
	put_basic(0x401008, 3, 2700);
	put_end();
	put_basic(0x401009, 2, 2800);
	put_end();
	expect(true, 3, 0);
	has("{\"time\":2700,");
	has("\"event\":\"cycles\",\"period\":1000,\"ip\":\"0x401008\"");
	has("\"event\":\"cache-misses\",\"period\":2000,\"ip\":\"0x401008\"");
	has("\"event\":\"cache-misses\",\"period\":2000,\"ip\":\"0x401009\"");
}

/* Of the last record up to a sample's time; of the first one where all are later. */
TEST(a_counter_changes_its_event)
{
	begin(2, both, 0);
	put_hw_id(0, 1, 2000);
	put_hw_id(0, 2, 5000);
	put_basic(0x401001, 1, 1500);
	put_end();
	put_basic(0x401002, 1, 4999);
	put_end();
	put_basic(0x401003, 1, 5000);
	put_end();
	expect(true, 3, 0);
	has("\"event\":\"cycles\",\"period\":1000,\"ip\":\"0x401001\"");
	has("\"event\":\"cycles\",\"period\":1000,\"ip\":\"0x401002\"");
	has("\"event\":\"cache-misses\",\"period\":2000,\"ip\":\"0x401003\"");
}

TEST(a_counter_without_an_event)
{
	begin(2, both, 0);
	put_hw_id(0, 1, 1);
	put_basic(0x401001, 2, 2700);
	put_end();
	expect(true, 1, 1);
	lacks("event");
	has("\"ip\":\"0x401001\"");
}

/* ---- what is cut or missing ---- */

TEST(samples_that_are_cut)
{
	static const char *const enders[] = { "\x06", "\x2d\x00\x10", "\x99\x01", "\x01" };
	static const size_t sizes[] = { 1, 3, 2, 1 };

	for (size_t i = 0; i < sizeof(enders) / sizeof(enders[0]); i++) {
		begin(1, cycles, 0);
		put_basic(0x401001, 1, 0);
		packet(&s, enders[i], sizes[i]);
		put_whole();
		expect(true, 1, 1);
		lacks("0x401001");
		has("0x401008");
	}
	/* The end of the trace. */
	begin(1, cycles, 0);
	put_whole();
	put_basic(0x401001, 1, 0);
	expect(true, 1, 1);
	lacks("0x401001");
	/* An end without a block is none of a sample. */
	begin(1, cycles, 0);
	put_end();
	expect(true, 0, 0);
}

TEST(no_event_has_samples_in_the_trace)
{
	begin(0, NULL, 0);
	expect(true, TL_UNSUPPORTED, 0);
	assert_non_null(strstr(f.err.text, "no event of this file"));
}

/* Seconds from the first packet with a time on, at tick 1000. */
TEST(a_window_of_time)
{
	static const struct {
		double from, to;
		unsigned first, second;
	} rows[] = {
		{ 0, 1e-6, 1, 0 },
		{ 1e-6, 0, 0, 1 },
		{ 400e-9, 2000e-9, 1, 1 },
		{ 501e-9, 1499e-9, 0, 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t faults;

		begin(1, cycles, 0);
		put_basic(0x401001, 1, 1500);
		put_end();
		put_basic(0x401002, 1, 2500);
		put_end();
		assert_int_equal(listed(true, rows[i].from, rows[i].to, &faults),
				 rows[i].first + rows[i].second);
		assert_int_equal(strstr(text, "0x401001") != NULL, rows[i].first);
		assert_int_equal(strstr(text, "0x401002") != NULL, rows[i].second);
	}
	free(text);
	text = NULL;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sample_with_all_groups),
		cmocka_unit_test(addresses_of_three_kinds),
		cmocka_unit_test(items_of_four_bytes),
		cmocka_unit_test(counters_of_several_events),
		cmocka_unit_test(a_counter_changes_its_event),
		cmocka_unit_test(a_counter_without_an_event),
		cmocka_unit_test(samples_that_are_cut),
		cmocka_unit_test(no_event_has_samples_in_the_trace),
		cmocka_unit_test(a_window_of_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
