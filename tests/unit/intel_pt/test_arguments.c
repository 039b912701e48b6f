/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The public functions with arguments that make no sense, and out of their turn: an error that
 * says so, from nothing at all, and from a decoder that is not synchronised or at the end.
 */
#include "pt_trace.h"

#define INVALID(call) assert_int_equal(call, -TL_PT_INVALID)
#define NOSYNC(call) assert_int_equal(call, -TL_PT_NOSYNC)

static const uint8_t trace[] = { START(0x1000), TNT1(1), PSB,         MODE_64,
				 FUP(0x1003),   PSBEND,  TIP(0x1000), PGD_BARE };
enum { SECOND_PSB = START_BYTES + 1 };
/* 1000 je 1003; 1002 nop; 1003 jmp rax */
static const uint8_t code[] = { 0x74, 0x01, 0x90, 0xff, 0xe0 };

static struct tl_pt_config config = { .size = sizeof(config),
				      .begin = trace,
				      .end = trace + sizeof(trace) };
static uint64_t number;
static uint32_t small;
static struct tl_pt_event event;

TEST(packets)
{
	struct tl_pt_packets *packets = NULL;
	struct tl_pt_packet packet;

	assert_int_equal(tl_pt_packets_open(&packets, &config), 0);
	NOSYNC(tl_pt_packets_offset(packets, &number));
	NOSYNC(tl_pt_packets_sync_offset(packets, &number));
	NOSYNC(tl_pt_packets_next(packets, &packet, sizeof(packet)));
	assert_int_equal(tl_pt_packets_sync_set(packets, sizeof(trace) + 1), -TL_PT_EOS);
	assert_int_equal(tl_pt_packets_sync_forward(packets), 0);
	assert_int_equal(tl_pt_packets_sync_forward(packets), 0);
	assert_int_equal(tl_pt_packets_offset(packets, &number), 0);
	assert_int_equal(number, SECOND_PSB);
	assert_int_equal(tl_pt_packets_sync_forward(packets), -TL_PT_EOS);
	assert_int_equal(tl_pt_packets_sync_backward(packets), 0);
	assert_int_equal(tl_pt_packets_sync_offset(packets, &number), 0);
	assert_int_equal(number, 0);
	tl_pt_packets_close(packets);
}

TEST(queries)
{
	struct tl_pt_query *query = NULL;
	int taken;

	assert_int_equal(tl_pt_query_open(&query, &config), 0);
	NOSYNC(tl_pt_query_offset(query, &number));
	NOSYNC(tl_pt_query_sync_offset(query, &number));
	NOSYNC(tl_pt_query_cond_branch(query, &taken));
	NOSYNC(tl_pt_query_indirect_branch(query, &number));
	NOSYNC(tl_pt_query_event(query, &event, sizeof(event)));
	assert_int_equal(tl_pt_query_sync_set(query, &number, 3), -TL_PT_NOSYNC);
	assert_true(tl_pt_query_sync_set(query, &number, SECOND_PSB) >= 0);
	assert_int_equal(number, 0x1003);
	assert_int_equal(tl_pt_query_sync_offset(query, &number), 0);
	assert_int_equal(number, SECOND_PSB);
	assert_true(tl_pt_query_sync_backward(query, &number) >= 0);
	assert_int_equal(number, 0x1000);
	tl_pt_query_close(query);
}

TEST(events)
{
	struct tl_pt_events *events = NULL;

	assert_int_equal(tl_pt_events_open(&events, &config), 0);
	NOSYNC(tl_pt_events_offset(events, &number));
	NOSYNC(tl_pt_events_sync_offset(events, &number));
	NOSYNC(tl_pt_events_next(events, &event, sizeof(event)));
	assert_int_equal(tl_pt_events_sync_set(events, SECOND_PSB), 0);
	assert_int_equal(tl_pt_events_sync_offset(events, &number), 0);
	assert_int_equal(number, SECOND_PSB);
	tl_pt_events_close(events);
}

static void refuse_nothing(void)
{
	struct tl_pt_decoder *decoder;
	struct tl_pt_block block;
	struct tl_pt_insn insn;
	struct tl_pt_asid asid;

	INVALID(tl_pt_decoder_open(NULL, &config, NULL));
	INVALID(tl_pt_decoder_open(&decoder, NULL, NULL));
	tl_pt_decoder_close(NULL);
	INVALID(tl_pt_decoder_set_jobs(NULL, 1));
	INVALID(tl_pt_decoder_sync_forward(NULL));
	INVALID(tl_pt_decoder_sync_backward(NULL));
	INVALID(tl_pt_decoder_sync_set(NULL, 0));
	INVALID(tl_pt_decoder_resync(NULL, &event, sizeof(event)));
	INVALID(tl_pt_decoder_block_next(NULL, &block, sizeof(block)));
	INVALID(tl_pt_decoder_insn_next(NULL, &insn, sizeof(insn)));
	INVALID(tl_pt_decoder_event_next(NULL, &event, sizeof(event)));
	INVALID(tl_pt_decoder_time(NULL, &number, NULL, NULL));
	INVALID(tl_pt_decoder_cycles(NULL, &number));
	INVALID(tl_pt_decoder_core_bus_ratio(NULL, &small));
	INVALID(tl_pt_decoder_asid(NULL, &asid));
	INVALID(tl_pt_decoder_offset(NULL, &number));
	INVALID(tl_pt_decoder_sync_offset(NULL, &number));
	assert_null(tl_pt_decoder_config(NULL));
	assert_null(tl_pt_decoder_image(NULL));
	INVALID(tl_pt_decoder_set_image(NULL, NULL));
	INVALID(tl_pt_decoder_set_end(NULL, 0));
	INVALID(tl_pt_decoder_set_asid(NULL, &asid));
	assert_null(tl_pt_decoder_node_block(NULL, 1));
}

static void refuse_early(struct tl_pt_decoder *decoder)
{
	struct tl_pt_block block;
	struct tl_pt_insn insn;

	NOSYNC(tl_pt_decoder_resync(decoder, &event, sizeof(event)));
	NOSYNC(tl_pt_decoder_block_next(decoder, &block, sizeof(block)));
	NOSYNC(tl_pt_decoder_insn_next(decoder, &insn, sizeof(insn)));
	NOSYNC(tl_pt_decoder_event_next(decoder, &event, sizeof(event)));
	NOSYNC(tl_pt_decoder_time(decoder, &number, NULL, NULL));
	NOSYNC(tl_pt_decoder_cycles(decoder, &number));
	NOSYNC(tl_pt_decoder_core_bus_ratio(decoder, &small));
	NOSYNC(tl_pt_decoder_offset(decoder, &number));
	NOSYNC(tl_pt_decoder_sync_offset(decoder, &number));
	INVALID(tl_pt_decoder_cycles(decoder, NULL));
	INVALID(tl_pt_decoder_core_bus_ratio(decoder, NULL));
	INVALID(tl_pt_decoder_asid(decoder, NULL));
	INVALID(tl_pt_decoder_offset(decoder, NULL));
	INVALID(tl_pt_decoder_sync_offset(decoder, NULL));
	INVALID(tl_pt_decoder_set_asid(decoder, NULL));
	INVALID(tl_pt_decoder_event_next(decoder, NULL, sizeof(event)));
	INVALID(tl_pt_decoder_set_end(decoder, sizeof(trace) + 1));
}

TEST(decoders)
{
	struct tl_pt_image *image = tl_pt_image_open("code");
	struct tl_pt_decoder *decoder;
	struct tl_pt_block block;

	refuse_nothing();
	assert_int_equal(tl_pt_image_add_memory(image, code, sizeof(code), NULL, 0x1000, 0), 0);
	assert_int_equal(tl_pt_decoder_open(&decoder, &config, image), 0);
	refuse_early(decoder);
	assert_ptr_equal(tl_pt_decoder_image(decoder), image);
	assert_ptr_equal(tl_pt_decoder_config(decoder)->begin, trace);
	assert_true(tl_pt_decoder_sync_forward(decoder) >= 0);
	/* The trace has no time and no CBR; the end may not go back behind what was read. */
	assert_int_equal(tl_pt_decoder_time(decoder, NULL, NULL, NULL), -TL_PT_NO_TIME);
	assert_int_equal(tl_pt_decoder_core_bus_ratio(decoder, &small), -TL_PT_NO_CBR);
	assert_int_equal(tl_pt_decoder_cycles(decoder, &number), 0);
	INVALID(tl_pt_decoder_set_end(decoder, 1));
	/* Two events come first: enabled, mode. */
	assert_int_equal(tl_pt_decoder_block_next(decoder, &block, sizeof(block)),
			 -TL_PT_EVENT_IGNORED);
	assert_true(tl_pt_decoder_sync_set(decoder, SECOND_PSB) >= 0);
	assert_true(tl_pt_decoder_sync_backward(decoder) >= 0);
	assert_int_equal(tl_pt_decoder_sync_offset(decoder, &number), 0);
	assert_int_equal(number, 0);
	assert_int_equal(tl_pt_decoder_set_image(decoder, NULL), 0);
	assert_ptr_not_equal(tl_pt_decoder_image(decoder), image);
	tl_pt_decoder_close(decoder);
	tl_pt_image_close(image);
}

TEST(images)
{
	struct tl_pt_image *image = tl_pt_image_open(NULL);
	uint8_t byte;
	int isid = 7;

	assert_null(tl_pt_image_name(NULL));
	assert_null(tl_pt_image_name(image));
	tl_pt_image_close(NULL);
	INVALID(tl_pt_image_add_file(NULL, "x", 0, 1, NULL, 0));
	INVALID(tl_pt_image_add_file(image, NULL, 0, 1, NULL, 0));
	assert_int_equal(tl_pt_image_add_file(image, "/nowhere", 0, 1, NULL, 0), -TL_PT_INVALID);
	INVALID(tl_pt_image_add_memory(NULL, code, 1, NULL, 0, 0));
	INVALID(tl_pt_image_add_memory(image, NULL, 1, NULL, 0, 0));
	INVALID(tl_pt_image_add_memory(image, code, 0, NULL, 0, 0));
	INVALID(tl_pt_image_add_memory(image, code, 1, NULL, 0, -1));
	INVALID(tl_pt_image_add_cached(image, NULL, 1, NULL));
	INVALID(tl_pt_image_copy(NULL, image));
	INVALID(tl_pt_image_copy(image, NULL));
	INVALID(tl_pt_image_remove_by_filename(NULL, "x", NULL));
	INVALID(tl_pt_image_remove_by_filename(image, NULL, NULL));
	INVALID(tl_pt_image_remove_by_asid(NULL, NULL));
	INVALID(tl_pt_image_set_callback(NULL, NULL, NULL));
	INVALID(tl_pt_image_read(NULL, &isid, &byte, 1, NULL, 0));
	INVALID(tl_pt_image_read(image, &isid, NULL, 1, NULL, 0));
	INVALID(tl_pt_image_read(image, &isid, &byte, 0, NULL, 0));
	assert_int_equal(isid, 7);
	assert_int_equal(tl_pt_image_read(image, &isid, &byte, 1, NULL, 0), -TL_PT_NOMAP);
	assert_int_equal(isid, 0);
	tl_pt_image_close(image);
}

/* Code at the end of the address space: what reaches past it is left out. */
TEST(end_of_the_address_space)
{
	struct tl_pt_image *image = tl_pt_image_open("end"), *copy = tl_pt_image_open("copy");
	uint8_t bytes[8];

	assert_int_equal(tl_pt_image_add_memory(image, code, sizeof(code), NULL, UINT64_MAX - 1, 3),
			 0);
	assert_int_equal(tl_pt_image_read(image, NULL, bytes, 8, NULL, UINT64_MAX - 1), 2);
	assert_memory_equal(bytes, code, 2);
	assert_int_equal(tl_pt_image_read(image, NULL, bytes, 8, NULL, UINT64_MAX), 1);
	assert_int_equal(bytes[0], code[1]);
	assert_int_equal(tl_pt_image_read(image, NULL, bytes, 8, NULL, 0), -TL_PT_NOMAP);
	assert_int_equal(tl_pt_image_copy(copy, image), 0);
	assert_int_equal(tl_pt_image_copy(copy, copy), 0);
	assert_int_equal(tl_pt_image_remove_by_asid(image, NULL), 1);
	assert_int_equal(tl_pt_image_read(image, NULL, bytes, 8, NULL, UINT64_MAX), -TL_PT_NOMAP);
	assert_int_equal(tl_pt_image_read(copy, NULL, bytes, 8, NULL, UINT64_MAX), 1);
	tl_pt_image_close(image);
	tl_pt_image_close(copy);
}

TEST(caches)
{
	struct tl_pt_cache *cache = tl_pt_cache_open(NULL);
	struct tl_pt_image *image = tl_pt_image_open(NULL);
	uint8_t byte;

	assert_null(tl_pt_cache_name(NULL));
	assert_null(tl_pt_cache_name(cache));
	tl_pt_cache_close(NULL);
	INVALID(tl_pt_cache_set_limit(NULL, 1));
	INVALID(tl_pt_cache_add_file(NULL, "x", 0, 1, 0));
	INVALID(tl_pt_cache_add_file(cache, NULL, 0, 1, 0));
	assert_int_equal(tl_pt_cache_add_file(cache, "/nowhere", 0, 1, 0), -TL_PT_INVALID);
	INVALID(tl_pt_cache_read(NULL, &byte, 1, 1, 0));
	INVALID(tl_pt_cache_read(cache, NULL, 1, 1, 0));
	INVALID(tl_pt_cache_read(cache, &byte, 0, 1, 0));
	for (int isid = -1; isid < 2; isid++) {
		assert_int_equal(tl_pt_cache_read(cache, &byte, 1, isid, 0), -TL_PT_BAD_IMAGE);
		assert_int_equal(tl_pt_image_add_cached(image, cache, isid, NULL),
				 -TL_PT_BAD_IMAGE);
	}
	INVALID(tl_pt_image_add_cached(NULL, cache, 1, NULL));
	tl_pt_image_close(image);
	tl_pt_cache_close(cache);
}

/* Every error has a text of its own, and a status of the library. */
TEST(errors)
{
	struct tl_error err;

	assert_int_equal(tl_pt_fault(&err, TL_PT_OK, 3), 0);
	for (int error = 1; error < TL_PT_ERROR_COUNT; error++) {
		const char *text = tl_pt_error_text((enum tl_pt_error)error);

		assert_true(tl_pt_fault(&err, (enum tl_pt_error)error, 77) < 0);
		assert_int_equal(err.offset, 77);
		assert_string_equal(err.text, text);
		for (int other = 0; other < error; other++)
			assert_string_not_equal(text, tl_pt_error_text((enum tl_pt_error)other));
	}
	assert_string_equal(tl_pt_error_text(TL_PT_ERROR_COUNT), "internal error.");
	assert_string_equal(tl_pt_error_text((enum tl_pt_error) - 1), "internal error.");
	assert_int_equal(tl_pt_fault(&err, TL_PT_NOMEM, TL_NOWHERE), TL_NO_MEMORY);
	assert_int_equal(tl_pt_fault(&err, TL_PT_INVALID, TL_NOWHERE), TL_BAD_USAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(packets), cmocka_unit_test(queries),
		cmocka_unit_test(events),  cmocka_unit_test(decoders),
		cmocka_unit_test(images),  cmocka_unit_test(end_of_the_address_space),
		cmocka_unit_test(caches),  cmocka_unit_test(errors),
	};

	return cmocka_run_group_tests_name("intel_pt arguments", tests, NULL, NULL);
}
