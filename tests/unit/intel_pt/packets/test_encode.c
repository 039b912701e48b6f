/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packets as bytes, each put together by hand from the tables of the Intel SDM, volume 3, "Packet
 * Definitions", and what cannot be written.
 */
#include <string.h>

#include "unit/unit.h"

#include "intel_pt/packets/layout.h"
#include "intel_pt/packets/packet.h"

static void expect(struct tl_pt_packet packet, const char *bytes, size_t size)
{
	struct tl_pt_context context = { .config = NULL };
	struct tl_pt_packet back;
	uint8_t room[TL_PT_MAX_BYTES + 1];

	memset(room, 0xee, sizeof(room));
	assert_int_equal(tl_pt_encode(room, sizeof(room), &packet), size);
	assert_memory_equal(room, bytes, size);
	assert_int_equal(room[size], 0xee);
	assert_int_equal(tl_pt_encode(room, size, &packet), size);
	assert_int_equal(tl_pt_encode(room, size - 1, &packet), -TL_PT_EOS);
	/* A BIP is one inside of a block alone. */
	if (packet.kind == TL_PT_PKT_BIP)
		context.items = packet.size == 9 ? TL_PT_ITEMS_8 : TL_PT_ITEMS_4;
	assert_int_equal(tl_pt_decode(&back, room, room + size, &context), size);
	assert_int_equal(back.kind, packet.kind);
}

#define EXPECT(bytes, ...) expect((struct tl_pt_packet){ __VA_ARGS__ }, bytes, sizeof(bytes) - 1)

TEST(packets_without_a_payload)
{
	EXPECT("\x00", .kind = TL_PT_PKT_PAD);
	EXPECT("\x02\x82\x02\x82\x02\x82\x02\x82\x02\x82\x02\x82\x02\x82\x02\x82",
	       .kind = TL_PT_PKT_PSB);
	EXPECT("\x02\x23", .kind = TL_PT_PKT_PSBEND);
	EXPECT("\x02\x83", .kind = TL_PT_PKT_STOP);
	EXPECT("\x02\xf3", .kind = TL_PT_PKT_OVF);
}

/* IPBytes in bits 7:5, the IP behind, low byte first. */
TEST(addresses)
{
	const uint64_t ip = 0x8877665544332211;

	EXPECT("\x1d", .kind = TL_PT_PKT_FUP, .ip = { ip, TL_PT_IPC_SUPPRESSED });
	EXPECT("\x2d\x11\x22", .kind = TL_PT_PKT_TIP, .ip = { ip, TL_PT_IPC_UPDATE_16 });
	EXPECT("\x51\x11\x22\x33\x44", .kind = TL_PT_PKT_TIP_PGE,
	       .ip = { ip, TL_PT_IPC_UPDATE_32 });
	EXPECT("\x61\x11\x22\x33\x44\x55\x66", .kind = TL_PT_PKT_TIP_PGD,
	       .ip = { ip, TL_PT_IPC_SEXT_48 });
	EXPECT("\x8d\x11\x22\x33\x44\x55\x66", .kind = TL_PT_PKT_TIP,
	       .ip = { ip, TL_PT_IPC_UPDATE_48 });
	EXPECT("\xdd\x11\x22\x33\x44\x55\x66\x77\x88", .kind = TL_PT_PKT_FUP,
	       .ip = { ip, TL_PT_IPC_FULL });
}

/* A stop bit above the oldest outcome. */
TEST(outcomes)
{
	EXPECT("\x04", .kind = TL_PT_PKT_TNT_8, .tnt = { 0, 1 });
	EXPECT("\x06", .kind = TL_PT_PKT_TNT_8, .tnt = { 1, 1 });
	EXPECT("\xda", .kind = TL_PT_PKT_TNT_8, .tnt = { 0x2d, 6 });
	EXPECT("\x02\xa3\x03\x00\x00\x00\x00\x00", .kind = TL_PT_PKT_TNT_64, .tnt = { 1, 1 });
	EXPECT("\x02\xa3\x01\x00\x00\x00\x00\xc0", .kind = TL_PT_PKT_TNT_64,
	       .tnt = { UINT64_C(1) << 46 | 1, 47 });
}

TEST(modes_and_address_spaces)
{
	EXPECT("\x99\x01", .kind = TL_PT_PKT_MODE, .mode = { TL_PT_MODE_EXEC, .csl = true });
	EXPECT("\x99\x02", .kind = TL_PT_PKT_MODE, .mode = { TL_PT_MODE_EXEC, .csd = true });
	EXPECT("\x99\x05", .kind = TL_PT_PKT_MODE,
	       .mode = { TL_PT_MODE_EXEC, .csl = true, .iflag = true });
	EXPECT("\x99\x21", .kind = TL_PT_PKT_MODE, .mode = { TL_PT_MODE_TSX, .intx = true });
	EXPECT("\x99\x22", .kind = TL_PT_PKT_MODE, .mode = { TL_PT_MODE_TSX, .abrt = true });
	EXPECT("\x02\x43\x01\x09\x1a\x2b\x00\x00", .kind = TL_PT_PKT_PIP,
	       .pip = { UINT64_C(0x2b1a0900) << 4, true });
	EXPECT("\x02\xc8\x45\x23\x01\x00\x00", .kind = TL_PT_PKT_VMCS, .vmcs = { 0x12345000 });
}

TEST(times)
{
	EXPECT("\x19\x77\x66\x55\x44\x33\x22\x11", .kind = TL_PT_PKT_TSC,
	       .tsc = { 0x11223344556677 });
	EXPECT("\x02\x03\x1b\x00", .kind = TL_PT_PKT_CBR, .cbr = { 27 });
	EXPECT("\x02\x73\x34\x12\x00\xab\x01", .kind = TL_PT_PKT_TMA, .tma = { 0x1234, 0x1ab });
	EXPECT("\x59\x9c", .kind = TL_PT_PKT_MTC, .mtc = { 0x9c });
	/* Five bits, then seven a byte; "exp" is set where another byte follows. */
	EXPECT("\xfb", .kind = TL_PT_PKT_CYC, .cyc = { 31 });
	EXPECT("\x07\x02", .kind = TL_PT_PKT_CYC, .cyc = { 32 });
	EXPECT("\xff\xfe", .kind = TL_PT_PKT_CYC, .cyc = { 0xfff });
	EXPECT("\x07\x01\x02", .kind = TL_PT_PKT_CYC, .cyc = { 0x1000 });
}

TEST(power_and_events)
{
	EXPECT("\x02\x62", .kind = TL_PT_PKT_EXSTOP, .exstop = { false });
	EXPECT("\x02\xe2", .kind = TL_PT_PKT_EXSTOP, .exstop = { true });
	EXPECT("\x02\xc2\x51\x00\x00\x00\x01\x00\x00\x00", .kind = TL_PT_PKT_MWAIT,
	       .mwait = { 0x51, 1 });
	EXPECT("\x02\xa2\x52\x09\x00\x00\x00", .kind = TL_PT_PKT_PWRX,
	       .pwrx = { .last = 5, .deepest = 2, .interrupt = true, .autonomous = true });
	EXPECT("\x02\x12\x44\x33\x22\x11", .kind = TL_PT_PKT_PTW, .ptw = { 0x11223344, 0, false });
	EXPECT("\x02\xb2\x44\x33\x22\x11\x00\x00\x00\x00", .kind = TL_PT_PKT_PTW,
	       .ptw = { 0x11223344, 1, true });
	EXPECT("\x02\x13\x81\x0e", .kind = TL_PT_PKT_CFE, .cfe = { 1, 14, true });
	EXPECT("\x02\x53\x01\x08\x07\x06\x05\x04\x03\x02\x01", .kind = TL_PT_PKT_EVD,
	       .evd = { 1, 0x0102030405060708 });
	EXPECT("\x02\xc3\x88\x08\x07\x06\x05\x04\x03\x02\x01", .kind = TL_PT_PKT_MNT,
	       .mnt = { 0x0102030405060708 });
}

/* BBP: "SZ" in bit 7, the type in 4:0. BIP: the number in 7:3 over 100b. */
TEST(blocks_of_items)
{
	EXPECT("\x02\x63\x04", .kind = TL_PT_PKT_BBP, .bbp = { 4, false });
	EXPECT("\x02\x63\x9f", .kind = TL_PT_PKT_BBP, .bbp = { 31, true });
	EXPECT("\x2c\x44\x33\x22\x11", .kind = TL_PT_PKT_BIP, .size = 5, .bip = { 0x11223344, 5 });
	EXPECT("\xfc\x08\x07\x06\x05\x04\x03\x02\x01", .kind = TL_PT_PKT_BIP, .size = 9,
	       .bip = { 0x0102030405060708, 31 });
	EXPECT("\x02\x33", .kind = TL_PT_PKT_BEP, .bep = { false });
	EXPECT("\x02\xb3", .kind = TL_PT_PKT_BEP, .bep = { true });
}

TEST(what_has_no_bytes)
{
	static const struct {
		struct tl_pt_packet packet;
		int status;
	} rows[] = {
		{ { .kind = TL_PT_PKT_INVALID }, -TL_PT_BAD_OPC },
		{ { .kind = TL_PT_PKT_UNKNOWN }, -TL_PT_BAD_OPC },
		{ { .kind = TL_PT_PKT_COUNT }, -TL_PT_BAD_OPC },
		{ { .kind = TL_PT_PKT_TIP, .ip = { 0, (enum tl_pt_ipc)5 } }, -TL_PT_INVALID },
		{ { .kind = TL_PT_PKT_TIP, .ip = { 0, (enum tl_pt_ipc)7 } }, -TL_PT_INVALID },
		{ { .kind = TL_PT_PKT_TIP, .ip = { 0, (enum tl_pt_ipc)8 } }, -TL_PT_INVALID },
		{ { .kind = TL_PT_PKT_TNT_8, .tnt = { 0, 0 } }, -TL_PT_BAD_PACKET },
		{ { .kind = TL_PT_PKT_TNT_8, .tnt = { 0, 7 } }, -TL_PT_BAD_PACKET },
		{ { .kind = TL_PT_PKT_TNT_64, .tnt = { 0, 0 } }, -TL_PT_INVALID },
		{ { .kind = TL_PT_PKT_TNT_64, .tnt = { 0, 48 } }, -TL_PT_INVALID },
		{ { .kind = TL_PT_PKT_MODE, .mode = { .leaf = (enum tl_pt_mode_leaf)0x40 } },
		  -TL_PT_INVALID },
		{ { .kind = TL_PT_PKT_TMA, .tma = { 0, 0x200 } }, -TL_PT_BAD_PACKET },
		{ { .kind = TL_PT_PKT_PTW, .ptw = { .plc = 2 } }, -TL_PT_BAD_PACKET },
		{ { .kind = TL_PT_PKT_BIP, .size = 6 }, -TL_PT_BAD_PACKET },
	};
	uint8_t room[TL_PT_MAX_BYTES];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(tl_pt_encode(room, sizeof(room), &rows[i].packet), rows[i].status);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(packets_without_a_payload),
		cmocka_unit_test(addresses),
		cmocka_unit_test(outcomes),
		cmocka_unit_test(modes_and_address_spaces),
		cmocka_unit_test(times),
		cmocka_unit_test(power_and_events),
		cmocka_unit_test(blocks_of_items),
		cmocka_unit_test(what_has_no_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
