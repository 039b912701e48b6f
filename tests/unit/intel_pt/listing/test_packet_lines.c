/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every kind of packet from its bytes (section 4) to the line of ptdump (12.1) and to JSON, both
 * written by hand.
 */
#include "said.h"

#include "intel_pt/listing/text.h"

struct row {
	uint8_t bytes[16];
	size_t size;
	const char *word, *payload;
	const char *json; /* behind the size */
};

static void want_row(const struct row *row)
{
	struct tl_pt_packet packet;
	char payload[TL_PT_PAYLOAD_TEXT], wanted[512];

	assert_int_equal(
		tl_pt_packet_read(&packet, sizeof(packet), row->bytes, row->bytes + row->size),
		row->size);
	assert_string_equal(tl_pt_packet_word(&packet), row->word);
	tl_pt_payload_text(payload, &packet);
	assert_string_equal(payload, row->payload);
	said_begin();
	tl_pt_put_packet_json(said, &packet, 77);
	snprintf(wanted, sizeof(wanted), "{\"offset\":77,\"packet\":\"%s\",\"size\":%zu%s}\n",
		 row->word, row->size, row->json);
	want_said(wanted);
	said_end();
}

#define WANT_ROWS(rows)                                                                            \
	for (size_t i = 0; i < sizeof(rows) / sizeof((rows)[0]); i++)                              \
	want_row(&(rows)[i])

/* clang-format off */

TEST(addresses_and_outcomes)
{
	static const struct row rows[] = {
		{ { 0x2d, 0x04, 0x10 }, 3, "tip", "1: ????????????1004",
		  ",\"ipc\":1,\"ip\":\"0x1004\"" },
		{ { 0x51, 1, 0x10, 0, 0x80 }, 5, "tip.pge", "2: ????????80001001",
		  ",\"ipc\":2,\"ip\":\"0x80001001\"" },
		{ { 0x61, 0, 0x40, 0xff, 0xff, 0xff, 0xff }, 7, "tip.pgd", "3: ffffffffffff4000",
		  ",\"ipc\":3,\"ip\":\"0xffffffff4000\"" },
		{ { 0x9d, 0, 0x40, 0xff, 0xff, 0xff, 0xff }, 7, "fup", "4: ????ffffffff4000",
		  ",\"ipc\":4,\"ip\":\"0xffffffff4000\"" },
		{ { 0xcd, 0, 0x40, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0x1 }, 9, "tip",
		  "6: 01cccccccccc4000", ",\"ipc\":6,\"ip\":\"0x1cccccccccc4000\"" },
		{ { 0x01 }, 1, "tip.pgd", "0: ????????????????", ",\"ipc\":0" },
		{ { 0xe8 }, 1, "tnt.8", "!!.!..", ",\"outcomes\":\"110100\"" },
		{ { 0x02, 0xa3, 0x16, 0, 0, 0, 0, 0 }, 8, "tnt.64", ".!!.",
		  ",\"outcomes\":\"0110\"" },
	};

	WANT_ROWS(rows);
}

TEST(states)
{
	static const struct row rows[] = {
		{ { 0x99, 0x01 }, 2, "mode.exec", "cs.l",
		  ",\"csl\":true,\"csd\":false,\"if\":false" },
		{ { 0x99, 0x02 }, 2, "mode.exec", "cs.d",
		  ",\"csl\":false,\"csd\":true,\"if\":false" },
		{ { 0x99, 0x06 }, 2, "mode.exec", "cs.d, if",
		  ",\"csl\":false,\"csd\":true,\"if\":true" },
		{ { 0x99, 0x20 }, 2, "mode.tsx", "", ",\"intx\":false,\"abrt\":false" },
		{ { 0x99, 0x21 }, 2, "mode.tsx", "intx", ",\"intx\":true,\"abrt\":false" },
		/* "v: bit 0 NR (non-root), CR3 = (v >> 1) << 5" */
		{ { 0x02, 0x43, 0x00, 0xae, 0, 0, 0, 0 }, 8, "pip", "ae000",
		  ",\"cr3\":\"0xae000\",\"nr\":false" },
		{ { 0x02, 0x43, 0x01, 0xae, 0, 0, 0, 0 }, 8, "pip", "ae000, nr",
		  ",\"cr3\":\"0xae000\",\"nr\":true" },
		{ { 0x02, 0xc8, 0xbc, 0x0a, 0, 0, 0 }, 7, "vmcs", "abc000",
		  ",\"base\":\"0xabc000\"" },
	};

	WANT_ROWS(rows);
}

TEST(times)
{
	static const struct row rows[] = {
		{ { 0x19, 0x9f, 0x86, 1, 0, 0, 0, 0 }, 8, "tsc", "1869f", ",\"tsc\":99999" },
		{ { 0x02, 0x73, 0x34, 0x12, 0, 0xcd, 0x01 }, 7, "tma", "1234, 1cd",
		  ",\"ctc\":4660,\"fc\":461" },
		{ { 0x59, 0xfe }, 2, "mtc", "fe", ",\"ctc\":254" },
		{ { 0x9b }, 1, "cyc", "13", ",\"value\":19" },
		/* bit 2 of the first byte and bit 0 of the next: another byte follows */
		{ { 0x0f, 0x02 }, 2, "cyc", "21", ",\"value\":33" },
		{ { 0x02, 0x03, 0x1b, 0 }, 4, "cbr", "1b", ",\"ratio\":27" },
	};

	WANT_ROWS(rows);
}

TEST(power)
{
	static const struct row rows[] = {
		{ { 0x02, 0x62 }, 2, "exstop", "", ",\"ip\":false" },
		{ { 0x02, 0xe2 }, 2, "exstop", "ip", ",\"ip\":true" },
		{ { 0x02, 0xc2, 0x20, 0, 0, 0, 0x01, 0, 0, 0 }, 10, "mwait", "00000020, 00000001",
		  ",\"hints\":32,\"ext\":1" },
		{ { 0x02, 0x22, 0x80, 0xf2 }, 4, "pwre", "c0.3, hw",
		  ",\"state\":15,\"sub_state\":2,\"hw\":true" },
		{ { 0x02, 0x22, 0x00, 0x2f }, 4, "pwre", "c3.0",
		  ",\"state\":2,\"sub_state\":15,\"hw\":false" },
		{ { 0x02, 0xa2, 0x1f, 0x01, 0, 0, 0 }, 7, "pwrx", "int: c2, c0",
		  ",\"last\":1,\"deepest\":15,\"interrupt\":true,\"store\":false,"
		  "\"autonomous\":false" },
		{ { 0x02, 0xa2, 0xf0, 0x04, 0, 0, 0 }, 7, "pwrx", "st: c0, c1",
		  ",\"last\":15,\"deepest\":0,\"interrupt\":false,\"store\":true,"
		  "\"autonomous\":false" },
		{ { 0x02, 0xa2, 0x00, 0x08, 0, 0, 0 }, 7, "pwrx", "hw: c1, c1",
		  ",\"last\":0,\"deepest\":0,\"interrupt\":false,\"store\":false,"
		  "\"autonomous\":true" },
	};

	WANT_ROWS(rows);
}

TEST(software_and_events)
{
	static const struct row rows[] = {
		{ { 0x02, 0x12, 0xcd, 0xab, 0, 0 }, 6, "ptw", "0: abcd",
		  ",\"payload\":\"0xabcd\",\"plc\":0,\"ip\":false" },
		{ { 0x02, 0xb2, 0xcd, 0xab, 0, 0, 0, 0, 0, 1 }, 10, "ptw", "1: 10000000000abcd, ip",
		  ",\"payload\":\"0x10000000000abcd\",\"plc\":1,\"ip\":true" },
		{ { 0x02, 0xc3, 0x88, 1, 2, 3, 4, 5, 6, 7, 8 }, 11, "mnt", "807060504030201",
		  ",\"payload\":\"0x807060504030201\"" },
		{ { 0x02, 0x13, 0x81, 0x0e }, 4, "cfe", "1: 14, ip type intr",
		  ",\"type\":\"intr\",\"vector\":14,\"ip\":true" },
		{ { 0x02, 0x13, 0x05, 0x1f }, 4, "cfe", "5: 1f type sipi",
		  ",\"type\":\"sipi\",\"vector\":31,\"ip\":false" },
		{ { 0x02, 0x13, 0x02, 0 }, 4, "cfe", "2 type iret",
		  ",\"type\":\"iret\",\"vector\":0,\"ip\":false" },
		{ { 0x02, 0x13, 0x09, 3 }, 4, "cfe", "9: 3 type vmexit_intr",
		  ",\"type\":\"vmexit_intr\",\"vector\":3,\"ip\":false" },
		{ { 0x02, 0x13, 0x0c, 3 }, 4, "cfe", "12: 3 type uintr",
		  ",\"type\":\"uintr\",\"vector\":3,\"ip\":false" },
		{ { 0x02, 0x13, 0x0e, 3 }, 4, "cfe", "14: 3 type swintr",
		  ",\"type\":\"swintr\",\"vector\":3,\"ip\":false" },
		{ { 0x02, 0x53, 0x00, 0x00, 0x20, 0, 0, 0, 0, 0, 0 }, 11, "evd", "0: 2000 type cr2",
		  ",\"type\":\"cr2\",\"payload\":\"0x2000\"" },
		{ { 0x02, 0x53, 0x01, 0x34, 0, 0, 0, 0, 0, 0, 0 }, 11, "evd", "1: 34 type vmxq",
		  ",\"type\":\"vmxq\",\"payload\":\"0x34\"" },
		{ { 0x02, 0x53, 0x02, 0x12, 0, 0, 0, 0, 0, 0, 0 }, 11, "evd", "2: 12 type vmxr",
		  ",\"type\":\"vmxr\",\"payload\":\"0x12\"" },
	};

	WANT_ROWS(rows);
}

TEST(bare)
{
	static const struct row rows[] = {
		{ { 0x00 }, 1, "pad", "", "" },
		{ { 0x02, 0x23 }, 2, "psbend", "", "" },
		{ { 0x02, 0xf3 }, 2, "ovf", "", "" },
		{ { 0x02, 0x83 }, 2, "stop", "", "" },
		{ { 0x02, 0x82, 0x02, 0x82, 0x02, 0x82, 0x02, 0x82, 0x02, 0x82, 0x02, 0x82, 0x02,
		    0x82, 0x02, 0x82 }, 16, "psb", "", "" },
	};

	WANT_ROWS(rows);
}

/* clang-format on */

static void want_packet(const struct tl_pt_packet *packet, const char *payload, const char *json)
{
	char text[TL_PT_PAYLOAD_TEXT];

	tl_pt_payload_text(text, packet);
	assert_string_equal(text, payload);
	said_begin();
	tl_pt_put_packet_json(said, packet, 0);
	want_said(json);
	said_end();
}

/* "CR3[, nr]"; "mode.tsx: intx, abrt or nothing"; "trig `HEX[, ip][, mult][, icnt: N]`" */
TEST(from_fields)
{
	struct tl_pt_packet packet = { .kind = TL_PT_PKT_PIP, .size = 8, .pip = { 0xae0, false } };

	want_packet(&packet, "ae0",
		    "{\"offset\":0,\"packet\":\"pip\",\"size\":8,\"cr3\":\"0xae0\","
		    "\"nr\":false}\n");
	packet.pip.nr = true;
	want_packet(&packet, "ae0, nr",
		    "{\"offset\":0,\"packet\":\"pip\",\"size\":8,\"cr3\":\"0xae0\","
		    "\"nr\":true}\n");
	packet = (struct tl_pt_packet){ .kind = TL_PT_PKT_MODE,
					.mode = { .leaf = TL_PT_MODE_TSX, .intx = 1, .abrt = 1 } };
	want_packet(&packet, "intx, abrt",
		    "{\"offset\":0,\"packet\":\"mode.tsx\",\"size\":0,\"intx\":true,"
		    "\"abrt\":true}\n");
	packet = (struct tl_pt_packet){ .kind = TL_PT_PKT_TRIG, .trig = { .trbv = 0x0c } };
	want_packet(&packet, "0c",
		    "{\"offset\":0,\"packet\":\"trig\",\"size\":0,\"trbv\":\"0xc\",\"ip\":false,"
		    "\"mult\":false}\n");
	packet.trig = (struct tl_pt_packet_trig){ 9, 0x1c, true, true, true };
	want_packet(&packet, "1c, ip, mult, icnt: 9",
		    "{\"offset\":0,\"packet\":\"trig\",\"size\":0,\"trbv\":\"0x1c\",\"icnt\":9,"
		    "\"ip\":true,\"mult\":true}\n");
}

/* Blocks of PEBS: `bbp TYPE, N bytes`, `bip ID: HEX`, `bep[ ip]`. */
TEST(blocks_of_items)
{
	struct tl_pt_packet packet = { .kind = TL_PT_PKT_BBP, .bbp = { 4, false } };

	want_packet(&packet, "4, 8 bytes",
		    "{\"offset\":0,\"packet\":\"bbp\",\"size\":0,\"type\":4,\"item_bytes\":8}\n");
	packet.bbp.short_items = true;
	want_packet(&packet, "4, 4 bytes",
		    "{\"offset\":0,\"packet\":\"bbp\",\"size\":0,\"type\":4,\"item_bytes\":4}\n");
	packet = (struct tl_pt_packet){ .kind = TL_PT_PKT_BIP, .bip = { 0xabc, 0x1f } };
	want_packet(&packet, "1f: abc",
		    "{\"offset\":0,\"packet\":\"bip\",\"size\":0,\"id\":31,"
		    "\"payload\":\"0xabc\"}\n");
	packet = (struct tl_pt_packet){ .kind = TL_PT_PKT_BEP };
	want_packet(&packet, "", "{\"offset\":0,\"packet\":\"bep\",\"size\":0,\"ip\":false}\n");
	packet.bep.ip = true;
	want_packet(&packet, "ip", "{\"offset\":0,\"packet\":\"bep\",\"size\":0,\"ip\":true}\n");
}

/* Types of control flow events (3.3), and numbers outside each list. */
TEST(names)
{
	static const char *const types[] = { "unknown", "intr",        "iret",     "smi",
					     "rsm",     "sipi",        "init",     "vmentry",
					     "vmexit",  "vmexit_intr", "shutdown", "unknown",
					     "uintr",   "uiret",       "swintr",   "syscall",
					     "unknown" };
	static const char *const classes[] = {
		"unknown",  "other",      "call",     "return",  "jump",     "cond_jump",
		"far_call", "far_return", "far_jump", "ptwrite", "indirect", "unknown",
	};
	struct tl_pt_packet packet = { .kind = TL_PT_PKT_INVALID };

	for (unsigned i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		assert_string_equal(tl_pt_cfe_name(i), types[i]);
	for (int i = 0; i < (int)(sizeof(classes) / sizeof(classes[0])); i++)
		assert_string_equal(tl_pt_iclass_name(i), classes[i]);
	assert_string_equal(tl_pt_iclass_name(-1), "unknown");
	assert_string_equal(tl_pt_evd_name(3), "unknown");
	assert_string_equal(tl_pt_mode_name(TL_PT_MODE_UNKNOWN), "unknown");
	assert_string_equal(tl_pt_packet_word(&packet), "<invalid>");
	packet.kind = TL_PT_PKT_COUNT;
	want_packet(&packet, "", "{\"offset\":0,\"packet\":\"invalid\",\"size\":0}\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_and_outcomes),
		cmocka_unit_test(states),
		cmocka_unit_test(times),
		cmocka_unit_test(power),
		cmocka_unit_test(software_and_events),
		cmocka_unit_test(bare),
		cmocka_unit_test(from_fields),
		cmocka_unit_test(blocks_of_items),
		cmocka_unit_test(names),
	};

	return cmocka_run_group_tests_name("intel_pt packet lines", tests, NULL, NULL);
}
