/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The packet reader: synchronising, offsets, blocks of items, unknown packets; and the list of PSB.
 */
#include "../stream.h"

static struct tl_pt_packets *opened(struct stream *s)
{
	struct tl_pt_packets *packets;

	s->config.size = sizeof(s->config);
	s->config.begin = s->data;
	s->config.end = s->data + s->size;
	assert_int_equal(tl_pt_packets_open(&packets, &s->config), 0);
	return packets;
}

static uint64_t offset_of(const struct tl_pt_packets *packets)
{
	uint64_t offset = UINT64_MAX;

	assert_int_equal(tl_pt_packets_offset(packets, &offset), 0);
	return offset;
}

static void want_packet(struct tl_pt_packets *packets, enum tl_pt_packet_kind kind, int size)
{
	struct tl_pt_packet packet;

	assert_int_equal(tl_pt_packets_next(packets, &packet, sizeof(packet)), size);
	assert_int_equal(packet.kind, kind);
	assert_int_equal(packet.size, size);
}

/* "pte_nosync: never synchronized: call ..._sync_forward, _backward or _set first" */
TEST(nothing_before_the_first_sync)
{
	struct stream s = { .size = 0 };
	struct tl_pt_packets *packets;
	struct tl_pt_packet packet;
	uint64_t offset;

	PUT(&s, PSB);
	packets = opened(&s);
	assert_int_equal(tl_pt_packets_next(packets, &packet, sizeof(packet)), -TL_PT_NOSYNC);
	assert_int_equal(tl_pt_packets_offset(packets, &offset), -TL_PT_NOSYNC);
	assert_int_equal(tl_pt_packets_sync_offset(packets, &offset), -TL_PT_NOSYNC);
	tl_pt_packets_close(packets);
}

TEST(from_psb_to_psb)
{
	struct stream s = { .size = 0 };
	struct tl_pt_packets *packets;
	uint64_t offset;

	/* "no PSB at offset 0 (skip ...)": 3 + 16 + 2 + 16 + 2 + 1 */
	PUT(&s, 0x05, 0x82, 0x02, PSB, PSBEND, PSB, PSBEND, TNT_T);
	packets = opened(&s);
	assert_int_equal(tl_pt_packets_sync_forward(packets), 0);
	assert_int_equal(offset_of(packets), 3);
	assert_int_equal(tl_pt_packets_sync_forward(packets), 0);
	assert_int_equal(offset_of(packets), 21);
	want_packet(packets, TL_PT_PKT_PSB, 16);
	want_packet(packets, TL_PT_PKT_PSBEND, 2);
	want_packet(packets, TL_PT_PKT_TNT_8, 1);
	assert_int_equal(tl_pt_packets_sync_offset(packets, &offset), 0);
	assert_int_equal(offset, 21);
	assert_int_equal(tl_pt_packets_next(packets, &(struct tl_pt_packet){ 0 },
					    sizeof((struct tl_pt_packet){ 0 })),
			 -TL_PT_EOS);
	assert_int_equal(tl_pt_packets_sync_forward(packets), -TL_PT_EOS);
	/* From where it stands: once more the PSB it has read. */
	assert_int_equal(tl_pt_packets_sync_backward(packets), 0);
	assert_int_equal(offset_of(packets), 21);
	assert_int_equal(tl_pt_packets_sync_backward(packets), 0);
	assert_int_equal(offset_of(packets), 3);
	assert_int_equal(tl_pt_packets_sync_backward(packets), -TL_PT_EOS);
	assert_int_equal(tl_pt_packets_sync_set(packets, 39), 0);
	want_packet(packets, TL_PT_PKT_TNT_8, 1);
	assert_int_equal(tl_pt_packets_sync_set(packets, 41), -TL_PT_EOS);
	tl_pt_packets_close(packets);
}

TEST(backward_begins_at_the_end)
{
	struct stream s = { .size = 0 };
	struct tl_pt_packets *packets;

	PUT(&s, PSB, PSB, PSBEND);
	packets = opened(&s);
	/* Two PSB side by side are two, not sixteen pairs to choose from. */
	assert_int_equal(tl_pt_packets_sync_backward(packets), 0);
	assert_int_equal(offset_of(packets), 16);
	assert_int_equal(tl_pt_packets_sync_backward(packets), 0);
	assert_int_equal(offset_of(packets), 0);
	assert_int_equal(tl_pt_packets_sync_backward(packets), -TL_PT_EOS);
	tl_pt_packets_close(packets);
}

/*
 * A packet cut short by the PSB behind it is read into that PSB; synchronising finds it all the
 * same.
 */
TEST(a_psb_that_was_partly_swallowed)
{
	struct stream s = { .size = 0 };
	struct tl_pt_packets *packets;
	struct tl_pt_packet packet;

	/*
	 * A TSC of which only 3 bytes are there takes 5 of the PSB at 19; the sixth is TNT to who
	 * comes so; then no PSB.
	 */
	PUT(&s, PSB, 0x19, 1, 2, PSB, PSBEND);
	packets = opened(&s);
	assert_int_equal(tl_pt_packets_sync_forward(packets), 0);
	want_packet(packets, TL_PT_PKT_PSB, 16);
	want_packet(packets, TL_PT_PKT_TSC, 8);
	want_packet(packets, TL_PT_PKT_TNT_8, 1);
	assert_true(tl_pt_packets_next(packets, &packet, sizeof(packet)) < 0);
	assert_int_equal(offset_of(packets), 25);
	assert_int_equal(tl_pt_packets_sync_forward(packets), 0);
	assert_int_equal(offset_of(packets), 19);
	tl_pt_packets_close(packets);
}

/*
 * 4.2: "(in a block) xxxxx100 | BIP (block item) | 5 or 9 | bits 7:3 item id, then 4 or 8 bytes as
 * BBP said"
 */
TEST(items_of_a_block)
{
	struct stream s = { .size = 0 };
	struct tl_pt_packets *packets;
	struct tl_pt_packet packet;

	PUT(&s, 0x02, 0x63, 0x84, 0x0c, 0x12, 0x34, 0x56, 0x78, 0x02, 0x33, 0x0c);
	PUT(&s, 0x02, 0x63, 0x04, 0x14, 1, 2, 3, 4, 5, 6, 7, 8, TIP(0x1000), 0x0c);
	packets = opened(&s);
	assert_int_equal(tl_pt_packets_sync_set(packets, 0), 0);
	want_packet(packets, TL_PT_PKT_BBP, 3);
	assert_int_equal(tl_pt_packets_next(packets, &packet, sizeof(packet)), 5);
	assert_int_equal(packet.kind, TL_PT_PKT_BIP);
	assert_int_equal(packet.bip.id, 1);
	assert_int_equal(packet.bip.payload, 0x78563412);
	want_packet(packets, TL_PT_PKT_BEP, 2);
	/* The same byte is TNT outside. */
	want_packet(packets, TL_PT_PKT_TNT_8, 1);
	want_packet(packets, TL_PT_PKT_BBP, 3);
	assert_int_equal(tl_pt_packets_next(packets, &packet, sizeof(packet)), 9);
	assert_int_equal(packet.bip.id, 2);
	assert_int_equal(packet.bip.payload, 0x0807060504030201);
	/* "ends at BEP or at any of TNT, TIP, ..." */
	want_packet(packets, TL_PT_PKT_TIP, 3);
	want_packet(packets, TL_PT_PKT_TNT_8, 1);
	tl_pt_packets_close(packets);
}

static int three_bytes(void *arg, const uint8_t *pos, const uint8_t *end)
{
	assert_int_equal(*pos, 0x05);
	assert_true(pos < end);
	++*(int *)arg;
	return 3;
}

static int refuse(void *arg, const uint8_t *pos, const uint8_t *end)
{
	(void)arg, (void)pos, (void)end;
	return -TL_PT_NOMEM;
}

TEST(unknown_packets_are_asked_for)
{
	struct stream s = { .size = 0 };
	struct tl_pt_packets *packets;
	struct tl_pt_packet packet;
	int asked = 0;

	PUT(&s, 0x05, 0xaa, 0xbb, TNT_T, 0x05, 0xaa);
	s.config.unknown = three_bytes;
	s.config.unknown_arg = &asked;
	packets = opened(&s);
	assert_int_equal(tl_pt_packets_sync_set(packets, 0), 0);
	want_packet(packets, TL_PT_PKT_UNKNOWN, 3);
	want_packet(packets, TL_PT_PKT_TNT_8, 1);
	/* Longer than what is left. */
	assert_int_equal(tl_pt_packets_next(packets, &packet, sizeof(packet)), -TL_PT_EOS);
	assert_int_equal(offset_of(packets), 4);
	assert_int_equal(asked, 2);
	tl_pt_packets_close(packets);
	s.config.unknown = refuse;
	packets = opened(&s);
	assert_int_equal(tl_pt_packets_sync_set(packets, 0), 0);
	assert_int_equal(tl_pt_packets_next(packets, &packet, sizeof(packet)), -TL_PT_NOMEM);
	tl_pt_packets_close(packets);
}

/*
 * 7: skz84: "TMA is corrupt and followed by one stray byte"; "ignore the TMA values, skip the byte"
 */
TEST(a_corrupt_tma_takes_a_stray_byte)
{
	struct stream s = { .size = 0 };
	struct tl_pt_packets *packets;

	PUT(&s, 0x02, 0x73, 1, 1, 1, 1, 0, 0xed, TNT_T, TMA(5, 6), TNT_T);
	s.config.errata = TL_PT_SKZ84;
	packets = opened(&s);
	assert_int_equal(tl_pt_packets_sync_set(packets, 0), 0);
	want_packet(packets, TL_PT_PKT_INVALID, 8);
	want_packet(packets, TL_PT_PKT_TNT_8, 1);
	want_packet(packets, TL_PT_PKT_TMA, 7);
	want_packet(packets, TL_PT_PKT_TNT_8, 1);
	tl_pt_packets_close(packets);
}

TEST(what_cannot_be_opened)
{
	struct stream s = { .size = 4 };
	struct tl_pt_packets *packets;

	assert_int_equal(tl_pt_packets_open(&packets, NULL), -TL_PT_INVALID);
	assert_null(packets);
	assert_int_equal(tl_pt_packets_open(&packets, &s.config), -TL_PT_BAD_CONFIG);
	s.config.size = sizeof(s.config);
	assert_int_equal(tl_pt_packets_open(&packets, &s.config), -TL_PT_BAD_CONFIG);
	s.config.begin = s.data;
	assert_int_equal(tl_pt_packets_open(&packets, &s.config), -TL_PT_BAD_CONFIG);
	s.config.begin = NULL;
	s.config.end = s.data;
	assert_int_equal(tl_pt_packets_open(&packets, &s.config), -TL_PT_BAD_CONFIG);
	s.config.begin = s.data + 1;
	assert_int_equal(tl_pt_packets_open(&packets, &s.config), -TL_PT_BAD_CONFIG);
	assert_null(packets);
}

/* Offsets at all distances from the sixteen bytes that the search strides by. */
TEST(psbs_are_listed)
{
	static uint8_t data[4096];
	struct tl_pt_config config = { .size = sizeof(config),
				       .begin = data,
				       .end = data + sizeof(data) };
	uint64_t want[64], found[64];
	size_t count = 0;

	memset(data, 0x06, sizeof(data));
	for (size_t at = 0, gap = 16; at + 16 <= sizeof(data);
	     at += gap, gap = gap == 80 ? 17 : gap + 1) {
		memcpy(data + at, (const uint8_t[]){ PSB }, 16);
		want[count++] = at;
		if (count == 64)
			break;
	}
	assert_int_equal(tl_pt_find_psbs(&config, 0, found, 64), count);
	assert_memory_equal(found, want, count * sizeof(want[0]));
	assert_int_equal(tl_pt_find_psbs(&config, 16, found, 2), 2);
	assert_int_equal(found[0], want[1]);
	assert_int_equal(tl_pt_find_psbs(&config, sizeof(data), found, 2), 0);
	assert_int_equal(tl_pt_find_psbs(&config, sizeof(data) + 1, found, 2), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_before_the_first_sync),
		cmocka_unit_test(from_psb_to_psb),
		cmocka_unit_test(backward_begins_at_the_end),
		cmocka_unit_test(a_psb_that_was_partly_swallowed),
		cmocka_unit_test(items_of_a_block),
		cmocka_unit_test(unknown_packets_are_asked_for),
		cmocka_unit_test(a_corrupt_tma_takes_a_stray_byte),
		cmocka_unit_test(what_cannot_be_opened),
		cmocka_unit_test(psbs_are_listed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
