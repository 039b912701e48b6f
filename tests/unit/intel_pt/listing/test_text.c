/* SPDX-License-Identifier: Apache-2.0 */
/* Packets and events in words: the forms of section 12, written by hand. */
#include <string.h>

#include "../../unit.h"

#include "core/output.h"
#include "intel_pt/listing/text.h"

static void want_payload(const struct tl_pt_packet *packet, const char *word, const char *payload)
{
	char text[TL_PT_PAYLOAD_TEXT];

	tl_pt_payload_text(text, packet);
	assert_string_equal(tl_pt_packet_word(packet), word);
	assert_string_equal(text, payload);
}

/* "IP packets: CODE: ADDRESS, 16 nibbles, ? for nibbles not sent; 3 and 6 all digits
 * (sign-extended)" */
TEST(addresses)
{
	static const struct {
		enum tl_pt_ipc ipc;
		uint64_t ip;
		const char *text;
		/* clang-format off */
	} rows[] = {
		{ TL_PT_IPC_SUPPRESSED, 0, "0: ????????????????" },
		{ TL_PT_IPC_UPDATE_16, 0x1004, "1: ????????????1004" },
		{ TL_PT_IPC_UPDATE_32, 0x1001, "2: ????????00001001" },
		{ TL_PT_IPC_SEXT_48, 0xffffffff4000, "3: ffffffffffff4000" },
		{ TL_PT_IPC_UPDATE_48, 0xffffffff4000, "4: ????ffffffff4000" },
		{ TL_PT_IPC_FULL, 0xcccccccccc4000, "6: 00cccccccccc4000" },
	};
	/* clang-format on */

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tl_pt_packet packet = { .kind = TL_PT_PKT_FUP,
					       .ip = { rows[i].ip, rows[i].ipc } };

		want_payload(&packet, "fup", rows[i].text);
	}
}

/* "mode.exec: cs.l / cs.d / nothing (16 bit), if. mode.tsx: intx, abrt or nothing" */
TEST(modes)
{
	struct tl_pt_packet packet = { .kind = TL_PT_PKT_MODE };

	want_payload(&packet, "mode.exec", "");
	packet.mode.iflag = true;
	want_payload(&packet, "mode.exec", "if");
	packet.mode.csl = true;
	want_payload(&packet, "mode.exec", "cs.l, if");
	packet = (struct tl_pt_packet){ .kind = TL_PT_PKT_MODE,
					.mode = { .leaf = TL_PT_MODE_TSX, .intx = true } };
	want_payload(&packet, "mode.tsx", "intx");
	packet.mode = (__typeof__(packet.mode)){ .leaf = TL_PT_MODE_TSX, .abrt = true };
	want_payload(&packet, "mode.tsx", "abrt");
}

/* "C-states and sub-states print as (value + 1) modulo 16 (payload f = c0, 0 = c1)"; "mwait %08x,
 * %08x" */
TEST(power)
{
	struct tl_pt_packet packet = { .kind = TL_PT_PKT_PWRE, .pwre = { 0xf, 0, true } };

	want_payload(&packet, "pwre", "c0.1, hw");
	packet = (struct tl_pt_packet){ .kind = TL_PT_PKT_PWRX,
					.pwrx = { .last = 0, .deepest = 5, .interrupt = true } };
	want_payload(&packet, "pwrx", "int: c1, c6");
	packet = (struct tl_pt_packet){ .kind = TL_PT_PKT_MWAIT, .mwait = { 0xb, 1 } };
	want_payload(&packet, "mwait", "0000000b, 00000001");
	packet = (struct tl_pt_packet){ .kind = TL_PT_PKT_PTW,
					.ptw = { .payload = 0xabcd, .plc = 1, .ip = true } };
	want_payload(&packet, "ptw", "1: abcd, ip");
}

/* "cfe T[: V][, ip]  type NAME" */
TEST(control_flow_events)
{
	struct tl_pt_packet packet = { .kind = TL_PT_PKT_CFE, .cfe = { 1, 14, false } };

	want_payload(&packet, "cfe", "1: 14 type intr");
	packet.cfe.type = 3;
	packet.cfe.ip = true;
	want_payload(&packet, "cfe", "3, ip type smi");
	packet.cfe.type = 31;
	want_payload(&packet, "cfe", "31, ip type unknown");
	packet = (struct tl_pt_packet){ .kind = TL_PT_PKT_EVD, .evd = { 2, 0xf00 } };
	want_payload(&packet, "evd", "2: f00 type vmxr");
}

static void want_event(const struct tl_pt_event *event, unsigned flags, const char *wanted)
{
	struct tl_output *out;
	struct tl_error err;
	const char *bytes;
	size_t size;

	assert_int_equal(tl_output_open_memory(&out, &err), 0);
	if (flags & TL_PT_TEXT_JSON)
		tl_pt_put_event_json(out, event);
	else
		tl_pt_put_event(out, event, flags);
	bytes = tl_output_bytes(out, &size);
	assert_int_equal(size, strlen(wanted));
	assert_memory_equal(bytes, wanted, size);
	tl_output_discard(out);
}

/* "Events as [...] lines: disabled, at: IP; interrupt, from: A, to: B; --event:time puts %016x
 * (TSC) in front" */
TEST(events)
{
	struct tl_pt_event event = {
		.kind = TL_PT_EV_ASYNC_BRANCH, .ip = 0x1000, .branch = { 0x2000 }, .offset = 7
	};

	want_event(&event, 0, "[interrupt]\n");
	want_event(&event, TL_PT_TEXT_EVENT_IP,
		   "[interrupt, from: 0000000000001000, to: 0000000000002000]\n");
	want_event(
		&event, TL_PT_TEXT_JSON,
		"{\"offset\":7,\"event\":\"async_branch\",\"ip\":\"0x1000\",\"to\":\"0x2000\"}\n");
	event.kind = TL_PT_EV_ASYNC_DISABLED;
	event.ip_suppressed = true;
	want_event(&event, TL_PT_TEXT_EVENT_IP, "[disabled, at: 0000000000001000]\n");
	event = (struct tl_pt_event){
		.kind = TL_PT_EV_ENABLED, .ip = 0x1000, .has_tsc = true, .tsc = 0xa0
	};
	want_event(&event, TL_PT_TEXT_TIME, "[00000000000000a0  enabled]\n");
	event.enabled.resumed = true;
	want_event(&event, 0, "[resumed]\n");
	event = (struct tl_pt_event){ .kind = TL_PT_EV_TSX,
				      .tsx = { .speculative = false, .aborted = true } };
	want_event(&event, 0, "[aborted]\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses), cmocka_unit_test(modes),
		cmocka_unit_test(power),     cmocka_unit_test(control_flow_events),
		cmocka_unit_test(events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
