/* SPDX-License-Identifier: Apache-2.0 */
/* Packets as lines, facts about a trace, and both where memory runs out. */
#include "../refuse.h"
#include "etm/listing/listing.h"
#include "etm_writer.h"

#include <stdlib.h>

#include "../unit.h"

/* A trace that has each group of fields once; 08 is no packet, and behind it an A-Sync follows. */
static void put_trace(struct etm_bytes *b)
{
	const struct etm_context context = { 1, true, true, 1, 4, 0x12, 0x345 };

	etm_async(b);
	etm_trace_info(b, 1, 2, 0, 16);
	etm_byte(b, 0x04);
	etm_address_context(b, 0x400580, false, 64, &context);
	etm_atoms(b, 6, 3);
	etm_timestamp(b, 0x1234, true, 70);
	etm_byte(b, 0x13);
	etm_byte(b, 0x06);
	etm_byte(b, 0x1d);
	etm_address_short(b, 0x400590, false, false);
	etm_byte(b, 0x92);
	etm_byte(b, 0x80);
	etm_byte(b, 0x37);
	etm_byte(b, 0x2d);
	etm_byte(b, 0x03);
	etm_byte(b, 0xac);
	etm_byte(b, 0x09);
	etm_byte(b, 0x73);
	etm_byte(b, 0x08);
	etm_byte(b, 0xf7);
	etm_async(b);
	etm_byte(b, 0x6c);
	etm_byte(b, 0x05);
	/* Cut short. */
	etm_byte(b, 0x9d);
}

static const char text[] =
	"0x00000000 async\n"
	"0x0000000c trace-info info 0x1 p0_key 2 depth 0 threshold 16\n"
	"0x00000012 trace-on\n"
	"0x00000013 address-context address 0x400580 is 0 updated el 1 bits 64 nonsecure vmid 0x12 "
	"context_id 0x345\n"
	"0x00000022 atom-3 atoms NEE\n"
	"0x00000023 timestamp timestamp 0x1234 cycles 70\n"
	"0x00000027 cycle-count-3 cycles 19\n"
	"0x00000028 exception type 14 interpretation 1\n"
	"0x0000002a address-short address 0x400590 is 0\n"
	"0x0000002c address-match number 2 address 0x0 is 0\n"
	"0x0000002d context\n"
	"0x0000002e cancel-2 atoms N mispredicted cancels 1\n"
	"0x0000002f commit commits 3\n"
	"0x00000031 q type 12 count 9\n"
	"0x00000033 event number 3\n"
	"0x00000036 async\n"
	"0x00000042 conditional-instruction-1 key 5\n";

static const char json[] =
	"{\"offset\":0,\"packet\":\"async\"}\n"
	"{\"offset\":12,\"packet\":\"trace-info\",\"info\":\"0x1\",\"p0_key\":2,\"depth\":0,"
	"\"threshold\":16}\n"
	"{\"offset\":18,\"packet\":\"trace-on\"}\n"
	"{\"offset\":19,\"packet\":\"address-context\",\"address\":\"0x400580\",\"is\":0,"
	"\"updated\":true,\"el\":1,\"bits\":64,\"nonsecure\":true,\"vmid\":\"0x12\","
	"\"context_id\":\"0x345\"}\n"
	"{\"offset\":34,\"packet\":\"atom-3\",\"atoms\":\"NEE\"}\n"
	"{\"offset\":35,\"packet\":\"timestamp\",\"timestamp\":\"0x1234\",\"cycles\":70}\n"
	"{\"offset\":39,\"packet\":\"cycle-count-3\",\"cycles\":19}\n"
	"{\"offset\":40,\"packet\":\"exception\",\"type\":14,\"interpretation\":1,"
	"\"fault_pending\":false}\n"
	"{\"offset\":42,\"packet\":\"address-short\",\"address\":\"0x400590\",\"is\":0}\n"
	"{\"offset\":44,\"packet\":\"address-match\",\"number\":2,\"address\":\"0x0\",\"is\":0}\n"
	"{\"offset\":45,\"packet\":\"context\",\"updated\":false}\n"
	"{\"offset\":46,\"packet\":\"cancel-2\",\"atoms\":\"N\",\"mispredicted\":true,"
	"\"cancels\":1}\n"
	"{\"offset\":47,\"packet\":\"commit\",\"commits\":3}\n"
	"{\"offset\":49,\"packet\":\"q\",\"type\":12,\"count\":9}\n"
	"{\"offset\":51,\"packet\":\"event\",\"number\":3}\n"
	"{\"offset\":54,\"packet\":\"async\"}\n"
	"{\"offset\":66,\"packet\":\"conditional-instruction-1\",\"key\":5}\n";

static const char facts[] =
	"{\"format\":\"etm\",\"trace_unit\":\"etmv4\",\"registers_assumed\":true,\"framed\":false,"
	"\"bytes\":69,\"sources\":"
	"[{\"bytes_before_the_first_async\":0,\"packet_bytes\":66,"
	"\"last_packet_is_cut_short\":true,\"atoms\":4,\"cycles\":89,\"timed\":true,"
	"\"first_timestamp\":4660,\"last_timestamp\":4660,\"packets\":17,\"kinds\":{\"async\":2,"
	"\"trace-info\":1,\"timestamp\":1,\"trace-on\":1,\"exception\":1,\"cycle-count-3\":1,"
	"\"commit\":1,\"cancel-2\":1,\"conditional-instruction-1\":1,\"event\":1,\"context\":1,"
	"\"address-context\":1,\"address-match\":1,\"address-short\":1,\"q\":1,\"atom-3\":1}}],"
	"\"damaged_places\":1,\"damaged_bytes\":2}\n";

/* With what is usual, whatever fits the packets better: it has conditional ones. */
static int open_trace(struct tl_etm_file *file, const struct etm_bytes *b, bool strict)
{
	static const struct tl_etm_registers v4 = { .idr1 = 0x4100f403 };

	*file = (struct tl_etm_file){ .faults.strict = strict };
	return tl_etm_file_open(file, b->data, b->size, &v4, NULL);
}

typedef int listing_fn(struct tl_etm_file *file, bool json, struct tl_output *out,
		       struct tl_error *err);

static void lists(listing_fn *listing, bool as_json, const char *expected)
{
	struct etm_bytes *b = calloc(1, sizeof(*b));
	struct tl_etm_file file;
	struct tl_output *out;
	const char *bytes;
	size_t size;

	put_trace(b);
	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(open_trace(&file, b, false), 0);
	assert_int_equal(listing(&file, as_json, out, NULL), 0);
	tl_put_char(out, 0);
	bytes = tl_output_bytes(out, &size);
	assert_string_equal(bytes, expected);
	assert_int_equal(file.faults.total, 1);
	assert_int_equal(file.faults.list[0].offset, 0x34);
	assert_int_equal(file.faults.list[0].length, 2);
	assert_int_equal(file.faults.list[0].status, TL_BAD_RECORD);
	tl_etm_file_close(&file);
	tl_output_discard(out);
	free(b);
}

TEST(packets_are_lines)
{
	lists(tl_etm_dump, false, text);
	lists(tl_etm_dump, true, json);
}

TEST(a_trace_has_facts)
{
	lists(tl_etm_describe, true, facts);
}

/* Strict: the first fault is the error, with its place. */
TEST(a_fault_ends_a_strict_reading)
{
	struct etm_bytes *b = calloc(1, sizeof(*b));
	struct tl_etm_file file;
	struct tl_error err = { 0 };

	put_trace(b);
	assert_int_equal(open_trace(&file, b, true), 0);
	assert_int_equal(tl_etm_check(&file, &err), TL_BAD_RECORD);
	assert_int_equal(err.offset, 0x34);
	assert_string_equal(err.format, "etm");
	assert_string_equal(err.text,
			    "no packet begins with this byte; went on at the next A-Sync");
	tl_etm_file_close(&file);
	free(b);
}

static int write_all(const void *input, struct tl_output *out)
{
	struct tl_etm_file file;
	int status = open_trace(&file, input, false);

	if (status == 0)
		status = tl_etm_describe(&file, true, out, NULL);
	if (status == 0)
		status = tl_etm_dump(&file, false, out, NULL);
	if (status == 0)
		status = tl_etm_check(&file, NULL);
	tl_etm_file_close(&file);
	return status;
}

static int ask(const void *input, uint64_t *digest)
{
	return refuse_note_output(write_all, input, digest);
}

TEST(each_allocation_is_refused)
{
	struct etm_bytes *b = calloc(1, sizeof(*b));

	put_trace(b);
	assert_true(refuse_each(ask, b) > 0);
	free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(packets_are_lines),
		cmocka_unit_test(a_trace_has_facts),
		cmocka_unit_test(a_fault_ends_a_strict_reading),
		cmocka_unit_test(each_allocation_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
