/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Structs of the caller that have another size than ours: docs/abi.md, "nothing is written behind
 * the size that the caller gives", "members that the library does not know become zero", "a size
 * below that of the first release ...: nothing is written".
 */
#include "../pt_trace.h"

/* 1000 je 1003; 1002 nop; 1003 jmp rax */
enum { AT = 0x1000, MARK = 0xa5, MORE = 24 };
static const uint8_t code[] = { 0x74, 0x01, 0x90, 0xff, 0xe0 };
static const uint8_t trace[] = { START(AT), TNT1(1), TIP(AT), TNT1(0), TIP(AT), PGD_BARE };

/* A struct of a later header: ours, and some members behind it. */
struct later {
	union {
		struct tl_pt_packet packet;
		struct tl_pt_event event;
		struct tl_pt_block block;
		struct tl_pt_insn insn;
		struct tl_pt_node_batch batch;
		struct tl_pt_node_insn node_insn;
		unsigned char bytes[512];
	};
};

static void mark(struct later *later)
{
	memset(later, MARK, sizeof(*later));
}

static bool is_marked(const struct later *later, size_t from)
{
	for (size_t i = from; i < sizeof(*later); i++)
		if (later->bytes[i] != MARK)
			return false;
	return true;
}

static bool is_zero(const struct later *later, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		if (later->bytes[i])
			return false;
	return true;
}

/* One call in three sizes: one byte too few, more than ours, and ours. */
#define THREE_SIZES(call, type, refused, given)                                                    \
	do {                                                                                       \
		struct later to;                                                                   \
		size_t size = sizeof(type) - 1;                                                    \
                                                                                                   \
		mark(&to);                                                                         \
		assert_int_equal(call, refused);                                                   \
		assert_true(is_marked(&to, 0));                                                    \
		size = sizeof(type) + MORE;                                                        \
		assert_int_equal(call, given);                                                     \
		assert_false(is_marked(&to, 0));                                                   \
		assert_true(is_zero(&to, sizeof(type), size));                                     \
		assert_true(is_marked(&to, size));                                                 \
	} while (0)

TEST(packets)
{
	struct tl_pt_config config = { .size = sizeof(config),
				       .begin = trace,
				       .end = trace + sizeof(trace) };
	struct tl_pt_packets *packets;

	THREE_SIZES(tl_pt_packet_read(&to.packet, size, trace, trace + sizeof(trace)),
		    struct tl_pt_packet, -TL_PT_INVALID, 16);
	assert_int_equal(tl_pt_packets_open(&packets, &config), 0);
	assert_int_equal(tl_pt_packets_sync_forward(packets), 0);
	THREE_SIZES(tl_pt_packets_next(packets, &to.packet, size), struct tl_pt_packet,
		    -TL_PT_INVALID, 16);
	tl_pt_packets_close(packets);
}

TEST(packets_to_write)
{
	struct later from = { .packet = { .kind = TL_PT_PKT_MTC, .mtc = { 7 } } };
	uint8_t bytes[2] = { 0 };

	assert_int_equal(tl_pt_packet_write(bytes, sizeof(bytes), &from.packet,
					    sizeof(struct tl_pt_packet) - 1),
			 -TL_PT_INVALID);
	assert_int_equal(bytes[0], 0);
	assert_int_equal(tl_pt_packet_write(bytes, sizeof(bytes), &from.packet, sizeof(from)), 2);
	assert_int_equal(bytes[0], 0x59);
	assert_int_equal(bytes[1], 7);
}

TEST(events_and_queries)
{
	struct tl_pt_config config = { .size = sizeof(config),
				       .begin = trace,
				       .end = trace + sizeof(trace) };
	struct tl_pt_events *events;
	struct tl_pt_query *query;

	assert_int_equal(tl_pt_events_open(&events, &config), 0);
	assert_int_equal(tl_pt_events_sync_forward(events), 0);
	THREE_SIZES(tl_pt_events_next(events, &to.event, size), struct tl_pt_event, -TL_PT_INVALID,
		    0);
	tl_pt_events_close(events);
	assert_int_equal(tl_pt_query_open(&query, &config), 0);
	assert_int_equal(tl_pt_query_sync_forward(query, NULL), TL_PT_EVENT_PENDING);
	THREE_SIZES(tl_pt_query_event(query, &to.event, size), struct tl_pt_event, -TL_PT_INVALID,
		    0);
	tl_pt_query_close(query);
}

TEST(blocks_and_instructions)
{
	struct scene s;

	open_scene(&s, trace, sizeof(trace), AT, code, sizeof(code), TL_PT_CLASSIC);
	THREE_SIZES(tl_pt_decoder_event_next(s.decoder, &to.event, size), struct tl_pt_event,
		    -TL_PT_INVALID, 0);
	THREE_SIZES(tl_pt_decoder_block_next(s.decoder, &to.block, size), struct tl_pt_block,
		    -TL_PT_INVALID, 0);
	close_scene(&s);
	open_scene(&s, trace, sizeof(trace), AT, code, sizeof(code), TL_PT_CLASSIC);
	want_event(&s, TL_PT_EV_EXEC_MODE);
	THREE_SIZES(tl_pt_decoder_insn_next(s.decoder, &to.insn, size), struct tl_pt_insn,
		    -TL_PT_INVALID, 0);
	close_scene(&s);
}

/*
 * "an array ...: the sizeof of one element": the second one begins `size` bytes behind the first.
 */
TEST(arrays_of_blocks)
{
	const size_t size = sizeof(struct tl_pt_block) + MORE;
	struct later to;
	const struct tl_pt_block *second = (const void *)(to.bytes + size);
	struct scene s;
	int status;

	open_scene(&s, trace, sizeof(trace), AT, code, sizeof(code), TL_PT_CLASSIC);
	want_event(&s, TL_PT_EV_EXEC_MODE);
	mark(&to);
	assert_int_equal(
		tl_pt_decoder_blocks(s.decoder, &to.block, sizeof(to.block) - 1, 2, &status),
		-TL_PT_INVALID);
	assert_true(is_marked(&to, 0));
	assert_int_equal(tl_pt_decoder_blocks(s.decoder, &to.block, size, 3, &status), 3);
	assert_int_equal(to.block.ip, AT);
	assert_true(is_zero(&to, sizeof(to.block), size));
	assert_int_equal(second->ip, AT + 3);
	assert_true(is_marked(&to, 3 * size));
	/* 1002 with the jump behind it, and 1000, behind which tracing is turned off. */
	assert_int_equal(tl_pt_decoder_blocks(s.decoder, &to.block, size, 3, &status), 2);
	assert_int_equal(to.block.ip, AT + 2);
	assert_true(status & TL_PT_EVENT_PENDING);
	close_scene(&s);
}

TEST(nodes_and_their_instructions)
{
	const size_t size = sizeof(struct tl_pt_node_insn) + MORE;
	uint32_t nodes[4];
	struct later to = { .batch = { .nodes = nodes, .max = 4 } };
	const struct tl_pt_node_insn *second = (const void *)(to.bytes + size);
	struct scene s;

	open_scene(&s, trace, sizeof(trace), AT, code, sizeof(code), TL_PT_CLASSIC);
	want_event(&s, TL_PT_EV_EXEC_MODE);
	assert_int_equal(tl_pt_decoder_nodes(s.decoder, &to.batch, sizeof(to.batch) - 1),
			 -TL_PT_INVALID);
	assert_int_equal(to.batch.count, 0);
	memset(to.bytes + sizeof(to.batch), MARK, sizeof(to) - sizeof(to.batch));
	assert_int_equal(tl_pt_decoder_nodes(s.decoder, &to.batch, sizeof(to.batch) + MORE), 0);
	assert_int_equal(to.batch.count, 4);
	assert_true(is_zero(&to, sizeof(to.batch), sizeof(to.batch) + MORE));
	assert_true(is_marked(&to, sizeof(to.batch) + MORE));
	mark(&to);
	assert_int_equal(tl_pt_decoder_node_insns(s.decoder, nodes[3], 0, &to.node_insn,
						  sizeof(to.node_insn) - 1, 2),
			 -TL_PT_INVALID);
	assert_true(is_marked(&to, 0));
	assert_int_equal(tl_pt_decoder_node_insns(s.decoder, nodes[3], 0, &to.node_insn, size, 2),
			 2);
	assert_int_equal(to.node_insn.ip, AT + 2);
	assert_true(is_zero(&to, sizeof(to.node_insn), size));
	assert_int_equal(second->ip, AT + 3);
	assert_true(is_marked(&to, 2 * size));
	close_scene(&s);
}

/* `lost` is filled after an error only; NULL, with any size, where it is not wanted. */
TEST(what_was_lost)
{
	static const uint8_t bad[] = { START(AT), 0x02, 0xff, TIP(AT), PGD_BARE };
	struct later to;
	struct scene s;

	open_scene(&s, bad, sizeof(bad), AT, code, sizeof(code), TL_PT_CLASSIC);
	want_event(&s, TL_PT_EV_EXEC_MODE);
	want_error(&s, TL_PT_BAD_OPC, START_BYTES);
	mark(&to);
	assert_int_equal(tl_pt_decoder_resync(s.decoder, &to.event, sizeof(to.event) - 1),
			 -TL_PT_INVALID);
	assert_true(is_marked(&to, 0));
	assert_true(tl_pt_decoder_resync(s.decoder, &to.event, sizeof(to.event) + MORE) !=
		    -TL_PT_INVALID);
	assert_int_equal(to.event.kind, TL_PT_EV_LOST);
	assert_int_equal(to.event.lost.from, START_BYTES);
	assert_true(is_zero(&to, sizeof(to.event), sizeof(to.event) + MORE));
	assert_true(is_marked(&to, sizeof(to.event) + MORE));
	assert_true(tl_pt_decoder_resync(s.decoder, NULL, 0) != -TL_PT_INVALID);
	close_scene(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(packets),
		cmocka_unit_test(packets_to_write),
		cmocka_unit_test(events_and_queries),
		cmocka_unit_test(blocks_and_instructions),
		cmocka_unit_test(arrays_of_blocks),
		cmocka_unit_test(nodes_and_their_instructions),
		cmocka_unit_test(what_was_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
