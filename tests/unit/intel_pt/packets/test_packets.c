/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every packet read and written, against bytes put together by hand from the tables of section 4.
 */
#include "../stream.h"

struct row {
	const char *name;
	struct tl_pt_packet packet;
	uint8_t bytes[16];
};

#define P(k, n) .kind = TL_PT_PKT_##k, .size = n

/* clang-format off */
static const struct row rows[] = {
	/* 4.1: "00 | PAD | 1" */
	{ "pad", { P(PAD, 1) }, { 0x00 } },
	/*
	 * "a stop bit (highest 1), below it 1..6 outcomes, oldest first from the top": 1.110100 ->
	 * 1 1101 00 0
	 */
	{ "tnt.8", { P(TNT_8, 1), .tnt = { 0x34, 6 } }, { 0xe8 } },
	{ "tnt.8", { P(TNT_8, 1), .tnt = { 1, 1 } }, { 0x06 } },
	{ "tnt.8", { P(TNT_8, 1), .tnt = { 0, 1 } }, { 0x04 } },
	{ "tnt.8", { P(TNT_8, 1), .tnt = { 2, 2 } }, { 0x0c } },
	/*
	 * "low 5 bits 0d / 11 / 01 / 1d | TIP / TIP.PGE / TIP.PGD / FUP", 4.3: codes 0, 1, 2, 3, 4,
	 * 6
	 */
	{ "tip", { P(TIP, 1), .ip = { 0, TL_PT_IPC_SUPPRESSED } }, { 0x0d } },
	{ "tip", { P(TIP, 3), .ip = { 0x3412, TL_PT_IPC_UPDATE_16 } }, { 0x2d, 0x12, 0x34 } },
	{ "tip.pge", { P(TIP_PGE, 5), .ip = { 0x78563412, TL_PT_IPC_UPDATE_32 } }, { 0x51, 0x12,
	  0x34, 0x56, 0x78 } },
	{ "fup", { P(FUP, 7), .ip = { 0xbc9a78563412, TL_PT_IPC_SEXT_48 } },
	  { 0x7d, 0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc } },
	{ "tip.pgd", { P(TIP_PGD, 7), .ip = { 0xbc9a78563412, TL_PT_IPC_UPDATE_48 } },
	  { 0x81, 0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc } },
	{ "tip", { P(TIP, 9), .ip = { 0xf0debc9a78563412, TL_PT_IPC_FULL } },
	  { 0xcd, 0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc, 0xde, 0xf0 } },
	/*
	 * "99 | MODE | 2 | bits 7:5 leaf": leaf 0 Exec "bit 0 CS.L, bit 1 CS.D, bit 2 IF"; 1 TSX
	 * "bit 0 InTX, bit 1 Abort"
	 */
	{ "mode", { P(MODE, 2), .mode = { .leaf = TL_PT_MODE_EXEC, .csl = true } }, { 0x99,
	  0x01 } },
	{ "mode", { P(MODE, 2), .mode = { .leaf = TL_PT_MODE_EXEC, .csd = true, .iflag = true } },
	  { 0x99, 0x06 } },
	{ "mode", { P(MODE, 2), .mode = { .leaf = TL_PT_MODE_EXEC } }, { 0x99, 0x00 } },
	{ "mode", { P(MODE, 2), .mode = { .leaf = TL_PT_MODE_TSX, .intx = true } }, { 0x99,
	  0x21 } },
	{ "mode", { P(MODE, 2), .mode = { .leaf = TL_PT_MODE_TSX, .abrt = true } }, { 0x99,
	  0x22 } },
	/* "19 | TSC | 8 | 7 bytes" */
	{ "tsc", { P(TSC, 8), .tsc = { 0xdebc9a78563412 } }, { 0x19, 0x12, 0x34, 0x56, 0x78, 0x9a,
	  0xbc, 0xde } },
	/* "59 | MTC | 2" */
	{ "mtc", { P(MTC, 2), .mtc = { 0xa5 } }, { 0x59, 0xa5 } },
	/*
	 * "bits 7:3 = cycles[4:0], bit 2 = more; each further byte: bits 7:1 = next 7 bits, bit 0 =
	 * more"
	 */
	{ "cyc", { P(CYC, 1), .cyc = { 31 } }, { 0xfb } },
	{ "cyc", { P(CYC, 2), .cyc = { 32 } }, { 0x07, 0x02 } },
	/* 0x12345 = 1001 0001101 00101: 00101.1.11, 0011010.1, 1001000.0 shifted by one */
	{ "cyc", { P(CYC, 3), .cyc = { 0x12345 } }, { 0x2f, 0x35, 0x24 } },
	/* "(value must fit 64 bits ...)": 5 + 8 * 7 = 61 bits in 9 bytes, three more in a tenth */
	{ "cyc", { P(CYC, 10), .cyc = { UINT64_MAX } },
	  { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0e } },
	/*
	 * "d9 | TRIG | 3 or 5 | byte 1: bit 7 IP, bit 6 ICNTV, bit 5 MULT; byte 2: TRBV ... with
	 * ICNTV 2 more bytes"
	 */
	{ "trig", { P(TRIG, 3), .trig = { .trbv = 0x1a, .ip = true, .mult = true } }, { 0xd9, 0xa0,
	  0x1a } },
	{ "trig", { P(TRIG, 5), .trig = { .trbv = 0x1a, .icntv = true, .icnt = 0x1234 } },
	  { 0xd9, 0x40, 0x1a, 0x34, 0x12 } },
	/* 4.2, in its order */
	{ "psb", { P(PSB, 16) }, { PSB } },
	{ "psbend", { P(PSBEND, 2) }, { 0x02, 0x23 } },
	/* "6 bytes; stop bit = highest 1; up to 47 outcomes below it" */
	{ "tnt.64", { P(TNT_64, 8), .tnt = { 0x5a5a5a5a5a5a, 47 } }, { 0x02, 0xa3, 0x5a, 0x5a, 0x5a,
	  0x5a, 0x5a, 0xda } },
	{ "tnt.64", { P(TNT_64, 8), .tnt = { 5, 3 } }, { 0x02, 0xa3, 0x0d, 0, 0, 0, 0, 0 } },
	/*
	 * "6 bytes v: bit 0 NR (non-root), CR3 = (v >> 1) << 5": v = 0x246813579bdf -> cr3
	 * 0x246813579bde << 4
	 */
	{ "pip", { P(PIP, 8), .pip = { 0x246813579bde0, true } }, { 0x02, 0x43, 0xdf, 0x9b, 0x57,
	  0x13, 0x68, 0x24 } },
	{ "ovf", { P(OVF, 2) }, { 0x02, 0xf3 } },
	{ "cbr", { P(CBR, 4), .cbr = { 0x2a } }, { 0x02, 0x03, 0x2a, 0x00 } },
	/* "CTC[15:0] 2 bytes, reserved 1, FastCounter[8:0]: 1 byte + bit 0 of the next" */
	{ "tma", { P(TMA, 7), .tma = { 0x1234, 0x1ab } }, { 0x02, 0x73, 0x34, 0x12, 0x00, 0xab,
	  0x01 } },
	{ "stop", { P(STOP, 2) }, { 0x02, 0x83 } },
	/* "5 bytes: base = v << 12" */
	{ "vmcs", { P(VMCS, 7), .vmcs = { 0x9a78563412000 } }, { 0x02, 0xc8, 0x12, 0x34, 0x56, 0x78,
	  0x9a } },
	{ "mnt", { P(MNT, 11), .mnt = { 0xf0debc9a78563412 } },
	  { 0x02, 0xc3, 0x88, 0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc, 0xde, 0xf0 } },
	{ "exstop", { P(EXSTOP, 2) }, { 0x02, 0x62 } },
	{ "exstop", { P(EXSTOP, 2), .exstop = { true } }, { 0x02, 0xe2 } },
	{ "mwait", { P(MWAIT, 10), .mwait = { 0x51, 3 } }, { 0x02, 0xc2, 0x51, 0, 0, 0, 3, 0, 0,
	  0 } },
	/* "16 bits v: state = v[15:12], sub-state = v[11:8], HW"; written as bit 3 (9.17) */
	{ "pwre", { P(PWRE, 4), .pwre = { 3, 4, true } }, { 0x02, 0x22, 0x08, 0x34 } },
	{ "pwre", { P(PWRE, 4), .pwre = { 15, 0, false } }, { 0x02, 0x22, 0x00, 0xf0 } },
	/*
	 * "deepest core state v[3:0], last core state v[7:4], wake reason v[11:8]: bit 0 interrupt,
	 * bit 2 store ..."
	 */
	{ "pwrx", { P(PWRX, 7), .pwrx = { .last = 6, .deepest = 7, .interrupt = true } }, { 0x02,
	  0xa2, 0x67, 0x01, 0, 0, 0 } },
	{ "pwrx", { P(PWRX, 7), .pwrx = { .last = 1, .deepest = 2, .store = true } }, { 0x02, 0xa2,
	  0x12, 0x04, 0, 0, 0 } },
	{ "pwrx", { P(PWRX, 7), .pwrx = { .last = 1, .deepest = 2, .autonomous = true } }, { 0x02,
	  0xa2, 0x12, 0x08, 0, 0, 0 } },
	/*
	 * "low 5 bits 12, bits 6:5 size (0 = 4 bytes, 1 = 8 ...), bit 7 = a FUP with the IP
	 * follows"
	 */
	{ "ptw", { P(PTW, 6), .ptw = { .payload = 0x78563412 } }, { 0x02, 0x12, 0x12, 0x34, 0x56,
	  0x78 } },
	{ "ptw", { P(PTW, 10), .ptw = { .payload = 0xf0debc9a78563412, .plc = 1, .ip = true } },
	  { 0x02, 0xb2, 0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc, 0xde, 0xf0 } },
	/* "byte 2: bits 4:0 type, bit 7 IP; byte 3: vector" */
	{ "cfe", { P(CFE, 4), .cfe = { .type = 1, .vector = 14, .ip = true } }, { 0x02, 0x13, 0x81,
	  0x0e } },
	{ "evd", { P(EVD, 11), .evd = { .type = 2, .payload = 0xf00baa } },
	  { 0x02, 0x53, 0x02, 0xaa, 0x0b, 0xf0, 0, 0, 0, 0, 0 } },
	/* "byte 2: bits 4:0 type (PEBS group), bit 7: 1 = items of 4 bytes" */
	{ "bbp", { P(BBP, 3), .bbp = { .type = 5, .short_items = true } }, { 0x02, 0x63, 0x85 } },
	{ "bep", { P(BEP, 2) }, { 0x02, 0x33 } },
	{ "bep", { P(BEP, 2), .bep = { true } }, { 0x02, 0xb3 } },
};
/* clang-format on */

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

TEST(read_every_packet)
{
	for (size_t i = 0; i < ROWS; i++) {
		struct tl_pt_packet packet;
		int size = tl_pt_packet_read(&packet, sizeof(packet), rows[i].bytes,
					     rows[i].bytes + sizeof(rows[i].bytes));

		assert_int_equal(size, rows[i].packet.size);
		assert_memory_equal(&packet, &rows[i].packet, sizeof(packet));
		assert_string_equal(tl_pt_packet_name(packet.kind), rows[i].name);
	}
}

TEST(write_every_packet)
{
	for (size_t i = 0; i < ROWS; i++) {
		uint8_t bytes[16] = { 0 };
		int size = tl_pt_packet_write(bytes, sizeof(bytes), &rows[i].packet,
					      sizeof(rows[i].packet));

		assert_int_equal(size, rows[i].packet.size);
		assert_memory_equal(bytes, rows[i].bytes, sizeof(bytes));
	}
}

/*
 * 10: "trailing partial packet (pte_eos at its offset)"; nothing behind the end is read (the bytes
 * are exactly sized).
 */
TEST(every_prefix_is_the_end)
{
	for (size_t i = 0; i < ROWS; i++)
		for (unsigned cut = 0; cut < rows[i].packet.size; cut++) {
			uint8_t *exact = test_malloc(cut + 1);
			struct tl_pt_packet packet;

			memcpy(exact + 1, rows[i].bytes, cut);
			assert_int_equal(tl_pt_packet_read(&packet, sizeof(packet), exact + 1,
							   exact + 1 + cut),
					 -TL_PT_EOS);
			test_free(exact);
		}
}

TEST(too_little_room_writes_nothing)
{
	for (size_t i = 0; i < ROWS; i++) {
		uint8_t bytes[16] = { 0x55 };

		assert_int_equal(tl_pt_packet_write(bytes, rows[i].packet.size - 1u,
						    &rows[i].packet, sizeof(rows[i].packet)),
				 -TL_PT_EOS);
		assert_int_equal(bytes[0], 0x55);
	}
}

/*
 * 10: "Reject with offset and name: reserved IP codes, ... TNT without stop bit, PTWRITE sizes 2/3,
 * ..."
 */
TEST(reserved_codes_are_rejected)
{
	static const struct {
		uint8_t bytes[16];
		enum tl_pt_error error;
		/* clang-format off */
	} bad[] = {
		/* "anything else | unknown opcode" */
		{ { 0x05 }, TL_PT_BAD_OPC }, { { 0x09 }, TL_PT_BAD_OPC }, { { 0x15 },
		  TL_PT_BAD_OPC },
		{ { 0x39 }, TL_PT_BAD_OPC }, { { 0x79 }, TL_PT_BAD_OPC }, { { 0xf9 },
		  TL_PT_BAD_OPC },
		{ { 0x02, 0x00 }, TL_PT_BAD_OPC }, { { 0x02, 0xff }, TL_PT_BAD_OPC },
		/* "other third bytes: unknown opcode" */
		{ { 0x02, 0xc3, 0x87 }, TL_PT_BAD_OPC },
		/* "5, 7 | reserved: bad packet" */
		{ { 0xad }, TL_PT_BAD_PACKET }, { { 0xed }, TL_PT_BAD_PACKET }, { { 0xbd },
		  TL_PT_BAD_PACKET },
		{ { 0xa1 }, TL_PT_BAD_PACKET }, { { 0xf1 }, TL_PT_BAD_PACKET },
		/* "Other leaves: bad packet" */
		{ { 0x99, 0x40 }, TL_PT_BAD_PACKET }, { { 0x99, 0xe0 }, TL_PT_BAD_PACKET },
		/* "all zero = bad packet"; a stop bit alone has no outcome */
		{ { 0x02, 0xa3 }, TL_PT_BAD_PACKET }, { { 0x02, 0xa3, 0x01 }, TL_PT_BAD_PACKET },
		{ { 0x02, 0x52 }, TL_PT_BAD_PACKET }, { { 0x02, 0xf2 }, TL_PT_BAD_PACKET },
		/* the pair 02 82 must come eight times */
		{ { 0x02, 0x82, 0x02, 0x82, 0x02, 0x83 }, TL_PT_BAD_PACKET },
		/* "reserved 1 ... 1 byte + bit 0 of the next" */
		{ { 0x02, 0x73, 0, 0, 1, 0, 0 }, TL_PT_BAD_PACKET }, { { 0x02, 0x73, 0, 0, 0, 0,
		  2 }, TL_PT_BAD_PACKET },
		/* "accepted to 15 while the value fits 64 bits, else pte_bad_packet" (9.18) */
		{ { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x10 },
		  TL_PT_BAD_PACKET },
		{ { 7, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0 }, TL_PT_BAD_PACKET },
	};
	/* clang-format on */
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct tl_pt_packet packet;

		assert_int_equal(
			tl_pt_packet_read(&packet, sizeof(packet), bad[i].bytes, bad[i].bytes + 16),
			-(int)bad[i].error);
	}
}

/* 9.18: "accepted to 15": fourteen bytes of more, none of them with a value. */
TEST(the_longest_cyc)
{
	static const uint8_t bytes[15] = { 0x0f, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0 };
	struct tl_pt_packet packet;

	assert_int_equal(tl_pt_packet_read(&packet, sizeof(packet), bytes, bytes + 15), 15);
	assert_int_equal(packet.cyc.value, 1);
}

/* 9.17: "set when bit 3 or bit 7 of the first payload byte is set" */
TEST(either_hardware_bit_of_pwre)
{
	static const uint8_t bytes[4] = { 0x02, 0x22, 0x80, 0x34 };
	struct tl_pt_packet packet;

	assert_int_equal(tl_pt_packet_read(&packet, sizeof(packet), bytes, bytes + 4), 4);
	assert_true(packet.pwre.hw);
}

TEST(what_cannot_be_written)
{
	static const struct {
		struct tl_pt_packet packet;
		enum tl_pt_error error;
		/* clang-format off */
	} bad[] = {
		{ { P(TNT_8, 0), .tnt = { 0, 7 } }, TL_PT_BAD_PACKET }, { { P(TNT_8, 0), .tnt = { 0,
		  0 } }, TL_PT_BAD_PACKET },
		{ { P(TNT_64, 0), .tnt = { 0, 48 } }, TL_PT_INVALID },  { { P(TIP, 0), .ip = { 0,
		  5 } }, TL_PT_INVALID },
		{ { P(FUP, 0), .ip = { 0, 7 } }, TL_PT_INVALID },       { { P(PTW, 0),
		  .ptw = { .plc = 2 } }, TL_PT_BAD_PACKET },
		{ { P(TMA, 0), .tma = { 0, 0x200 } }, TL_PT_BAD_PACKET }, { { P(BIP, 4), .bip = { 0,
		  0 } }, TL_PT_BAD_PACKET },
		{ { P(UNKNOWN, 0) }, TL_PT_BAD_OPC },                   { { P(INVALID, 0) },
		  TL_PT_BAD_OPC },
		{ { P(COUNT, 0) }, TL_PT_BAD_OPC },
	};
	/* clang-format on */
	uint8_t bytes[16];

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(tl_pt_packet_write(bytes, sizeof(bytes), &bad[i].packet,
						    sizeof(bad[i].packet)),
				 -(int)bad[i].error);
}

/* 3.3: the texts of the errors; "Any other number gives 'internal error.' (with a full stop)" */
TEST(errors_have_their_texts)
{
	struct tl_error err = { 0 };

	assert_string_equal(tl_pt_error_text(TL_PT_OK), "OK");
	assert_string_equal(tl_pt_error_text(TL_PT_BAD_OPC), "unknown opcode");
	assert_string_equal(tl_pt_error_text(TL_PT_BAD_CPU), "unknown cpu");
	assert_string_equal(tl_pt_error_text((enum tl_pt_error)28), "internal error.");
	assert_int_equal(tl_pt_fault(&err, TL_PT_BAD_PACKET, 0x123), TL_BAD_RECORD);
	assert_int_equal(err.offset, 0x123);
	assert_string_equal(err.text, "unknown packet");
	assert_string_equal(err.format, "intel-pt");
	assert_int_equal(tl_pt_fault(&err, TL_PT_OK, 0), 0);
}

/*
 * 7, model by model: "2.0.5: 3d 47 4f 56: 003; ..."; "HEAD: as 2.0.5 except 8f: 209; 97 9a bf: 089;
 * new: ...". All others: "it clears the flags".
 */
TEST(errata_of_every_model)
{
	enum { BOTH = 3, NOW = 2, CLASSIC = 1 };
	static const struct {
		uint32_t errata;
		unsigned tables;
		const char *models;
	} lists[] = {
		{ 0x003, BOTH, "\x3d\x47\x4f\x56" },
		{ 0x13d, BOTH, "\x4e\x5e\x8e\x9e\xa5\xa6" },
		{ 0x229, BOTH, "\x55\x6a\x6c" },
		{ 0x229, CLASSIC, "\x8f" },
		{ 0x029, BOTH, "\x66\x7d\x7e\x8c\x8d\xa7\xa8" },
		{ 0x0a9, CLASSIC, "\x97\x9a\xbf" },
		{ 0x0c0, BOTH, "\x5c\x5f" },
		{ 0x080, BOTH, "\x7a\x86\x96\x9c" },
		{ 0x209, NOW, "\x8f\xad\xae\xcf" },
		{ 0x089, NOW, "\x97\x9a\xbf\xaa\xac\xb5\xb7\xba\xbd\xc5\xc6\xcc\xd5" },
		{ 0x080, NOW, "\xaf\xb6\xdd" },
	};

	for (unsigned model = 0; model < 256; model++)
		for (unsigned classic = 0; classic < 2; classic++) {
			const struct tl_pt_cpu cpu = { true, 6, (uint8_t)model, 0 };
			uint32_t wanted = 0, errata = 7;

			for (size_t i = 0; model && i < sizeof(lists) / sizeof(lists[0]); i++)
				if (lists[i].tables & (classic ? CLASSIC : NOW) &&
				    strchr(lists[i].models, (int)model))
					wanted = lists[i].errata;
			assert_int_equal(tl_pt_cpu_errata(&errata, &cpu, classic),
					 wanted ? 0 : -TL_PT_BAD_CPU);
			assert_int_equal(errata, wanted);
		}
}

/*
 * 7: "Model tables, both measured for family 6 (model: flag mask in hex; ...)", and the families 12
 * and 13
 */
TEST(errata_by_processor)
{
	static const struct {
		uint8_t family, model;
		bool classic;
		int status;
		uint32_t errata;
		/* clang-format off */
	} cpus[] = {
		{ 6, 0x3d, true, 0, 0x003 },  { 6, 0x3d, false, 0, 0x003 }, { 6, 0x4e, true, 0,
		  0x13d },
		{ 6, 0x55, true, 0, 0x229 },  { 6, 0x8f, true, 0, 0x229 },  { 6, 0x8f, false, 0,
		  0x209 },
		{ 6, 0x97, true, 0, 0x0a9 },  { 6, 0x97, false, 0, 0x089 }, { 6, 0x66, false, 0,
		  0x029 },
		{ 6, 0x5c, false, 0, 0x0c0 }, { 6, 0x86, false, 0, 0x080 }, { 6, 0xaa, false, 0,
		  0x089 },
		{ 6, 0xaf, false, 0, 0x080 }, { 6, 0xcf, false, 0, 0x209 }, { 0x12, 1, false, 0,
		  0x089 },
		{ 0x13, 1, false, 0, 0x209 }, { 6, 0xaa, true, -27, 0 },    { 6, 1, false, -27, 0 },
		{ 0, 0, false, -27, 0 },      { 5, 0x3d, false, -27, 0 },   { 0x12, 1, true, -27,
		  0 },
	};
	/* clang-format on */
	uint32_t errata = 7;

	for (size_t i = 0; i < sizeof(cpus) / sizeof(cpus[0]); i++) {
		struct tl_pt_cpu cpu = { true, cpus[i].family, cpus[i].model, 0 };

		assert_int_equal(tl_pt_cpu_errata(&errata, &cpu, cpus[i].classic), cpus[i].status);
		assert_int_equal(errata, cpus[i].errata);
	}
	/*
	 * "returns -pte_bad_cpu (27) for any vendor other than Intel ...; it clears the flags
	 * first"
	 */
	errata = 7;
	assert_int_equal(tl_pt_cpu_errata(&errata, &(struct tl_pt_cpu){ false, 6, 0x3d, 0 }, false),
			 -TL_PT_BAD_CPU);
	assert_int_equal(errata, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(read_every_packet),
		cmocka_unit_test(write_every_packet),
		cmocka_unit_test(every_prefix_is_the_end),
		cmocka_unit_test(too_little_room_writes_nothing),
		cmocka_unit_test(reserved_codes_are_rejected),
		cmocka_unit_test(the_longest_cyc),
		cmocka_unit_test(either_hardware_bit_of_pwre),
		cmocka_unit_test(what_cannot_be_written),
		cmocka_unit_test(errors_have_their_texts),
		cmocka_unit_test(errata_by_processor),
		cmocka_unit_test(errata_of_every_model),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
