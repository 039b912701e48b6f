/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The drop-in where Debian's 2.0.5 cannot be the judge: what is newer, and sizes other than its
 * own. Bytes and numbers are those of docs/formats/intel-pt.md, sections 3 and 4. (All else is
 * compared with 2.0.5 in tests/differential/libipt.)
 */

#include "../unit.h"

#include <intel-pt.h>

#define PSB 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82
#define PSBEND 2, 0x23

static struct pt_config over(const uint8_t *bytes, size_t size)
{
	struct pt_config config;

	pt_config_init(&config);
	config.begin = (uint8_t *)(uintptr_t)bytes;
	config.end = config.begin + size;
	return config;
}

/* "2.1: cfe 27, evd 28; 2.2: trig 29"; 4.2: CFE 02 13, byte 2 bits 4:0 type, bit 7 IP, byte 3
 * vector; EVD 02 53; 4.1 TRIG d9. */
TEST(newer_packets)
{
	static const uint8_t bytes[] = { 2,    0x13, 0x81, 0x2a, 2,    0x53, 1, 8,
					 7,    6,    5,    4,    3,    2,    1, 0xd9,
					 0xe0, 0x05, 0x34, 0x12, 0x99, 0x05 };
	struct pt_config config = over(bytes, sizeof(bytes)), room;
	struct pt_packet_decoder *decoder = pt_pkt_alloc_decoder(&config);
	struct pt_packet packets[4];
	uint8_t copy[sizeof(bytes)];
	struct pt_encoder *encoder;

	assert_int_equal(pt_pkt_sync_set(decoder, 0), 0);
	for (unsigned i = 0; i < 4; i++)
		assert_true(pt_pkt_next(decoder, &packets[i], sizeof(packets[i])) > 0);
	assert_int_equal(packets[0].type, 27);
	assert_int_equal(packets[0].size, 4);
	assert_int_equal(packets[0].payload.cfe.type, pt_cfe_intr);
	assert_int_equal(packets[0].payload.cfe.vector, 0x2a);
	assert_int_equal(packets[0].payload.cfe.ip, 1);
	assert_int_equal(packets[1].type, 28);
	assert_int_equal(packets[1].payload.evd.type, pt_evd_vmxq);
	assert_int_equal(packets[1].payload.evd.payload, 0x0102030405060708);
	assert_int_equal(packets[2].type, 29);
	assert_int_equal(packets[2].size, 5);
	assert_int_equal(packets[2].payload.trig.trbv, 5);
	assert_int_equal(packets[2].payload.trig.icnt, 0x1234);
	assert_true(packets[2].payload.trig.ip && packets[2].payload.trig.icntv &&
		    packets[2].payload.trig.mult);
	assert_int_equal(packets[3].type, ppt_mode);
	assert_true(packets[3].payload.mode.bits.exec.csl &&
		    packets[3].payload.mode.bits.exec.iflag);

	room = over(copy, sizeof(copy));
	encoder = pt_alloc_encoder(&room);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(pt_enc_next(encoder, &packets[i]), packets[i].size);
	assert_int_equal(pt_enc_next(encoder, &packets[0]), -pte_eos);
	assert_memory_equal(copy, bytes, sizeof(bytes));
	pt_free_encoder(encoder);
	pt_pkt_free_decoder(decoder);
}

/* 9.16: BBP, BIP, BEP have no number of the interface: unknown packets, with the size they have. */
TEST(packets_without_a_number)
{
	static const uint8_t bytes[] = { 2, 0x63, 0x04, 0x0c, 8, 7, 6, 5, 4, 3, 2, 1, 2, 0x33 };
	static const int sizes[] = { 3, 9, 2 };
	struct pt_config config = over(bytes, sizeof(bytes));
	struct pt_packet_decoder *decoder = pt_pkt_alloc_decoder(&config);
	const uint8_t *at = bytes;

	assert_int_equal(pt_pkt_sync_set(decoder, 0), 0);
	for (unsigned i = 0; i < 3; i++) {
		struct pt_packet packet;

		assert_int_equal(pt_pkt_next(decoder, &packet, sizeof(packet)), sizes[i]);
		assert_int_equal(packet.type, ppt_unknown);
		assert_ptr_equal(packet.payload.unknown.packet, at);
		at += sizes[i];
	}
	pt_pkt_free_decoder(decoder);
}

static int two_bytes(struct pt_packet_unknown *unknown, const struct pt_config *config,
		     const uint8_t *pos, void *context)
{
	assert_ptr_equal(unknown->packet, pos);
	assert_ptr_equal(config->decode.context, context);
	unknown->priv = context;
	return pos[1] == 0xfe ? -pte_bad_packet : 2;
}

/* pt_config, decode.callback: asked for bytes that begin no packet; its priv comes back with the
 * packet. */
TEST(unknown_packets)
{
	static const uint8_t bytes[] = { 2, 0xff, 0, 2, 0xfe };
	struct pt_config config = over(bytes, sizeof(bytes));
	struct pt_packet_decoder *decoder;
	struct pt_packet packet;
	int mine;

	config.decode.callback = two_bytes;
	config.decode.context = &mine;
	decoder = pt_pkt_alloc_decoder(&config);
	assert_int_equal(pt_pkt_sync_set(decoder, 0), 0);
	assert_int_equal(pt_pkt_next(decoder, &packet, sizeof(packet)), 2);
	assert_int_equal(packet.type, ppt_unknown);
	assert_int_equal(packet.size, 2);
	assert_ptr_equal(packet.payload.unknown.packet, bytes);
	assert_ptr_equal(packet.payload.unknown.priv, &mine);
	assert_int_equal(pt_pkt_next(decoder, &packet, sizeof(packet)), 1);
	assert_int_equal(packet.type, ppt_pad);
	assert_int_equal(pt_pkt_next(decoder, &packet, sizeof(packet)), -pte_bad_packet);
	pt_pkt_free_decoder(decoder);
}

/* EVD vmxq and vmxr, then CFE vmexit_intr with vector 33, while tracing is off. */
static const uint8_t vmexit[] = {
	PSB,  PSBEND, 2,    0x53, 1, 0x11, 0, 0, 0, 0, 0, 0,    0,    2,
	0x53, 2,      0x22, 0,    0, 0,    0, 0, 0, 0, 2, 0x13, 0x09, 0x21
};

static int next_of(struct pt_event_decoder *decoder, enum pt_event_type type, void *event,
		   size_t size)
{
	struct pt_event each;

	assert_int_equal(pt_evt_sync_set(decoder, 0), 0);
	for (;;) {
		uint64_t offset;
		int status;

		memset(&each, 0, sizeof(each));
		status = pt_evt_next(decoder, &each, sizeof(each));
		if (status < 0)
			return status;
		if (each.type != type)
			continue;
		/* Once more, up to here, with the caller's size. */
		assert_int_equal(pt_evt_get_offset(decoder, &offset), 0);
		assert_int_equal(pt_evt_sync_set(decoder, 0), 0);
		do
			status = pt_evt_next(decoder, event, size);
		while (status >= 0 && *(enum pt_event_type *)event != type);
		return status;
	}
}

/* "struct pt_event, 72 bytes" from 2.1 on; "a smaller one is cut, a larger one zero-filled". */
TEST(events_by_size)
{
	struct pt_config config = over(vmexit, sizeof(vmexit));
	struct pt_event_decoder *decoder = pt_evt_alloc_decoder(&config);
	union {
		struct pt_event event;
		uint8_t bytes[96];
	} u;

	memset(&u, 0x55, sizeof(u));
	assert_true(next_of(decoder, ptev_vmexit, &u, sizeof(u)) >= 0);
	assert_true(u.event.ip_suppressed);
	assert_true(u.event.variant.vmexit.has_vector && u.event.variant.vmexit.has_vmxr &&
		    u.event.variant.vmexit.has_vmxq);
	assert_int_equal(u.event.variant.vmexit.vector, 0x21);
	assert_int_equal(u.event.variant.vmexit.vmxr, 0x22);
	assert_int_equal(u.event.variant.vmexit.vmxq, 0x11);
	for (unsigned i = 72; i < 96; i++)
		assert_int_equal(u.bytes[i], 0);

	memset(&u, 0x55, sizeof(u));
	assert_true(next_of(decoder, ptev_vmexit, &u, 64) >= 0);
	assert_int_equal(u.event.variant.vmexit.vmxq, 0x11);
	for (unsigned i = 64; i < 96; i++)
		assert_int_equal(u.bytes[i], 0x55);
	/* What comes before `reserved` is the least that means something. */
	assert_int_equal(pt_evt_next(decoder, &u.event, 23), -pte_invalid);
	pt_evt_free_decoder(decoder);
}

/* TIP.PGE 1000, TIP.PGD: one block of two instructions, a nop and a system call. */
static const uint8_t one_block[] = { PSB, 0x99, 1, PSBEND, 0x71, 0, 0x10, 0, 0, 0, 0, 1 };

static int code_at_1000(uint8_t *buffer, size_t size, const struct pt_asid *asid, uint64_t ip,
			void *context)
{
	static const uint8_t code[] = { 0x90, 0x0f, 0x05 };

	assert_int_equal(asid->size, sizeof(*asid));
	(*(int *)context)++;
	if (ip < 0x1000 || ip >= 0x1000 + sizeof(code))
		return -pte_nomap;
	if (size > sizeof(code) - (ip - 0x1000))
		size = sizeof(code) - (ip - 0x1000);
	memcpy(buffer, code + (ip - 0x1000), size);
	return (int)size;
}

static int block_of_size(void *block, size_t size)
{
	struct pt_config config = over(one_block, sizeof(one_block));
	struct pt_block_decoder *decoder = pt_blk_alloc_decoder(&config);
	struct pt_event event;
	int status, calls = 0;

	assert_int_equal(pt_image_set_callback(pt_blk_get_image(decoder), code_at_1000, &calls), 0);
	status = pt_blk_sync_forward(decoder);
	while (status & pts_event_pending)
		status = pt_blk_event(decoder, &event, sizeof(event));
	status = pt_blk_next(decoder, block, size);
	assert_true(calls > 0 || status == -pte_invalid);
	pt_blk_free_decoder(decoder);
	return status;
}

/* pt_blk_next(3): "size"; pte_invalid "if size is too small"; 9.5: below 16 bytes. */
TEST(blocks_by_size)
{
	union {
		struct pt_block block;
		uint8_t bytes[64];
	} u;

	memset(&u, 0x55, sizeof(u));
	assert_int_equal(block_of_size(&u, 15), -pte_invalid);
	assert_int_equal(u.bytes[0], 0x55);
	assert_true(block_of_size(&u, 16) >= 0);
	assert_int_equal(u.block.ip, 0x1000);
	assert_int_equal(u.block.end_ip, 0x1001);
	assert_int_equal(u.bytes[16], 0x55);
	assert_true(block_of_size(&u, 30) >= 0);
	assert_int_equal(u.block.ninsn, 2);
	assert_int_equal(u.bytes[30], 0x55);
	assert_true(block_of_size(&u, 64) >= 0);
	assert_int_equal(u.block.mode, ptem_64bit);
	assert_int_equal(u.block.iclass, ptic_far_call);
	for (unsigned i = 48; i < 64; i++)
		assert_int_equal(u.bytes[i], 0);
}

/* "set_image(NULL) restores the decoder's own image; alloc copies the configuration." */
TEST(images_and_configuration)
{
	struct pt_config config = over(one_block, sizeof(one_block));
	struct pt_block_decoder *decoder = pt_blk_alloc_decoder(&config);
	struct pt_image *own = pt_blk_get_image(decoder), *other = pt_image_alloc("other");

	assert_non_null(own);
	assert_int_equal(pt_blk_set_image(decoder, other), 0);
	assert_ptr_equal(pt_blk_get_image(decoder), other);
	assert_int_equal(pt_blk_set_image(decoder, NULL), 0);
	assert_ptr_equal(pt_blk_get_image(decoder), own);
	config.nom_freq = 77;
	assert_ptr_not_equal(pt_blk_get_config(decoder), &config);
	assert_int_equal(pt_blk_get_config(decoder)->nom_freq, 0);
	assert_ptr_equal(pt_blk_get_config(decoder)->begin, one_block);
	pt_blk_free_decoder(decoder);
	pt_image_free(other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(newer_packets),   cmocka_unit_test(packets_without_a_number),
		cmocka_unit_test(unknown_packets), cmocka_unit_test(events_by_size),
		cmocka_unit_test(blocks_by_size),  cmocka_unit_test(images_and_configuration),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
