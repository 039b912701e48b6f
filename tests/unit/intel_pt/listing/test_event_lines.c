/* SPDX-License-Identifier: Apache-2.0 */
/* Every kind of event as a line of ptxed (12.2), and as JSON, written by hand. */
#include "said.h"

#include "intel_pt/listing/text.h"

struct row {
	struct tl_pt_event event;
	const char *text, *json; /* without the brackets; without offset and event */
};

static void want_row(const struct row *row)
{
	char wanted[512];

	said_begin();
	tl_pt_put_event(said, &row->event, TL_PT_TEXT_EVENT_IP);
	snprintf(wanted, sizeof(wanted), "[%s]\n", row->text);
	want_said(wanted);
	tl_pt_put_event_json(said, &row->event);
	snprintf(wanted, sizeof(wanted), "{\"offset\":%u,\"event\":%s}\n",
		 (unsigned)row->event.offset, row->json);
	want_said(wanted);
	said_end();
}

static void want_rows(const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++)
		want_row(&rows[i]);
}

#define WANT_ROWS(rows) want_rows(rows, sizeof(rows) / sizeof((rows)[0]))
#define IP ", ip: 0000000000001000"
#define AT_IP "\"ip\":\"0x1000\""

/* clang-format off */

/* "resumed, `disabled, at: IP`, overflow, interrupt, `interrupt, from: A, to: B`" */
TEST(flow)
{
	static const struct row rows[] = {
		{ { .kind = TL_PT_EV_ENABLED, .ip = 0x1000, .offset = 3 },
		  "enabled" IP, "\"enabled\"," AT_IP ",\"resumed\":false" },
		{ { .kind = TL_PT_EV_ENABLED, .ip = 0x1000, .enabled = { true } },
		  "resumed" IP, "\"enabled\"," AT_IP ",\"resumed\":true" },
		{ { .kind = TL_PT_EV_DISABLED, .ip = 0x1000 },
		  "disabled" IP, "\"disabled\"," AT_IP },
		{ { .kind = TL_PT_EV_DISABLED, .ip_suppressed = true },
		  "disabled", "\"disabled\"" },
		{ { .kind = TL_PT_EV_ASYNC_DISABLED, .ip = 0x1000, .disabled = { 0x2000 } },
		  "disabled, at: 0000000000001000, ip: 0000000000002000",
		  "\"async_disabled\"," AT_IP ",\"to\":\"0x2000\"" },
		{ { .kind = TL_PT_EV_ASYNC_DISABLED, .ip = 0x1000, .ip_suppressed = true },
		  "disabled, at: 0000000000001000", "\"async_disabled\"," AT_IP },
		{ { .kind = TL_PT_EV_ASYNC_BRANCH, .ip = 0x1000, .branch = { 0x2000 } },
		  "interrupt, from: 0000000000001000, to: 0000000000002000",
		  "\"async_branch\"," AT_IP ",\"to\":\"0x2000\"" },
		{ { .kind = TL_PT_EV_ASYNC_BRANCH, .ip = 0x1000, .ip_suppressed = true },
		  "interrupt, from: 0000000000001000", "\"async_branch\"," AT_IP },
		{ { .kind = TL_PT_EV_OVERFLOW, .ip = 0x1000 },
		  "overflow" IP, "\"overflow\"," AT_IP },
		{ { .kind = TL_PT_EV_STOP, .ip = 0x1000 },
		  "stopped", "\"stop\"," AT_IP },
		{ { .kind = TL_PT_EV_TIP, .ip = 0x1000 }, "tip" IP, "\"tip\"," AT_IP },
		{ { .kind = TL_PT_EV_TNT, .ip_suppressed = true, .tnt = { 0x16, 5 } },
		  "tnt: !.!!.", "\"tnt\",\"outcomes\":\"10110\"" },
		{ { .kind = TL_PT_EV_LOST, .ip_suppressed = true,
		    .lost = { 0x20, 0x31, 4, 9, 0x1000, TL_PT_BAD_OPC } },
		  "lost: bytes 20 to 31: unknown opcode",
		  "\"lost\",\"from\":32,\"to\":49,\"packets\":4,\"outcomes\":9,"
		  "\"why\":\"unknown opcode\",\"at\":\"0x1000\"" },
		{ { .kind = TL_PT_EV_LOST, .lost = { .from = 1, .to = 2, .why = TL_PT_NOMAP } },
		  "lost: bytes 1 to 2: no memory mapped at this address",
		  "\"lost\",\"from\":1,\"to\":2,\"packets\":0,\"outcomes\":0,"
		  "\"why\":\"no memory mapped at this address\"" },
	};

	WANT_ROWS(rows);
}

/* "`paging, cr3: X[, nr]`, `vmcs, base: X`, `exec mode: 64-bit[, ip: X]`, begin transaction" */
TEST(state)
{
	static const struct row rows[] = {
		{ { .kind = TL_PT_EV_PAGING, .ip_suppressed = true, .paging = { 0xabc000, false } },
		  "paging, cr3: 0000000000abc000",
		  "\"paging\",\"cr3\":\"0xabc000\",\"non_root\":false" },
		{ { .kind = TL_PT_EV_ASYNC_PAGING, .ip = 0x1000, .paging = { 0xabc000, true } },
		  "paging, cr3: 0000000000abc000, nr" IP,
		  "\"async_paging\"," AT_IP ",\"cr3\":\"0xabc000\",\"non_root\":true" },
		{ { .kind = TL_PT_EV_VMCS, .ip_suppressed = true, .vmcs = { 0xdef000 } },
		  "vmcs, base: 0000000000def000", "\"vmcs\",\"base\":\"0xdef000\"" },
		{ { .kind = TL_PT_EV_ASYNC_VMCS, .ip = 0x1000, .vmcs = { 0xdef000 } },
		  "vmcs, base: 0000000000def000" IP,
		  "\"async_vmcs\"," AT_IP ",\"base\":\"0xdef000\"" },
		{ { .kind = TL_PT_EV_EXEC_MODE, .ip = 0x1000, .status_update = true,
		    .exec_mode = { TL_PT_MODE_64 } },
		  "exec mode: 64-bit" IP,
		  "\"exec_mode\"," AT_IP ",\"status_update\":true,\"mode\":\"64-bit\"" },
		{ { .kind = TL_PT_EV_EXEC_MODE, .ip_suppressed = true,
		    .exec_mode = { TL_PT_MODE_32 } },
		  "exec mode: 32-bit", "\"exec_mode\",\"mode\":\"32-bit\"" },
		{ { .kind = TL_PT_EV_EXEC_MODE, .ip_suppressed = true,
		    .exec_mode = { TL_PT_MODE_16 } },
		  "exec mode: 16-bit", "\"exec_mode\",\"mode\":\"16-bit\"" },
		{ { .kind = TL_PT_EV_EXEC_MODE, .ip_suppressed = true,
		    .exec_mode = { (enum tl_pt_exec_mode)9 } },
		  "exec mode: unknown", "\"exec_mode\",\"mode\":\"unknown\"" },
		{ { .kind = TL_PT_EV_TSX, .ip = 0x1000, .tsx = { true, false } },
		  "begin transaction" IP,
		  "\"tsx\"," AT_IP ",\"speculative\":true,\"aborted\":false" },
		{ { .kind = TL_PT_EV_TSX, .ip = 0x1000, .tsx = { false, true } },
		  "aborted" IP, "\"tsx\"," AT_IP ",\"speculative\":false,\"aborted\":true" },
		{ { .kind = TL_PT_EV_TSX, .ip = 0x1000 },
		  "committed" IP, "\"tsx\"," AT_IP ",\"speculative\":false,\"aborted\":false" },
		{ { .kind = TL_PT_EV_IFLAGS, .ip = 0x1000, .iflags = { true } },
		  "interrupts enabled" IP, "\"iflags\"," AT_IP ",\"iflag\":true" },
		{ { .kind = TL_PT_EV_IFLAGS, .ip_suppressed = true },
		  "interrupts disabled", "\"iflags\",\"iflag\":false" },
	};

	WANT_ROWS(rows);
}

/* "`exstop[, ip: X]`, `mwait H E[, ip: X]`, `pwre cS.s[ hw]`, `pwrx int|st|hw: cA (cB)`" */
TEST(power)
{
	static const struct row rows[] = {
		{ { .kind = TL_PT_EV_EXSTOP, .ip = 0x1000 }, "exstop" IP, "\"exstop\"," AT_IP },
		{ { .kind = TL_PT_EV_EXSTOP, .ip_suppressed = true }, "exstop", "\"exstop\"" },
		{ { .kind = TL_PT_EV_MWAIT, .ip = 0x1000, .mwait = { 0x20, 0x1 } },
		  "mwait 20 1" IP, "\"mwait\"," AT_IP ",\"hints\":32,\"ext\":1" },
		{ { .kind = TL_PT_EV_PWRE, .ip_suppressed = true, .pwre = { 0xf, 2, false } },
		  "pwre c0.3", "\"pwre\",\"state\":15,\"sub_state\":2,\"hw\":false" },
		{ { .kind = TL_PT_EV_PWRE, .ip_suppressed = true, .pwre = { 2, 0xf, true } },
		  "pwre c3.0 hw", "\"pwre\",\"state\":2,\"sub_state\":15,\"hw\":true" },
		{ { .kind = TL_PT_EV_PWRX, .ip = 0x1000, .pwrx = { .last = 1, .deepest = 0xf,
		    .interrupt = true } },
		  "pwrx int: c2 (c0)",
		  "\"pwrx\"," AT_IP ",\"last\":1,\"deepest\":15,\"interrupt\":true,\"store\":false,"
		  "\"autonomous\":false" },
		{ { .kind = TL_PT_EV_PWRX, .ip_suppressed = true, .pwrx = { .last = 0xf,
		    .store = true } },
		  "pwrx st: c0 (c1)",
		  "\"pwrx\",\"last\":15,\"deepest\":0,\"interrupt\":false,\"store\":true,"
		  "\"autonomous\":false" },
		{ { .kind = TL_PT_EV_PWRX, .ip_suppressed = true, .pwrx = { .autonomous = true } },
		  "pwrx hw: c1 (c1)",
		  "\"pwrx\",\"last\":0,\"deepest\":0,\"interrupt\":false,\"store\":false,"
		  "\"autonomous\":true" },
		{ { .kind = TL_PT_EV_CBR, .ip = 0x1000, .cbr = { 0x2a } },
		  "cbr: 2a", "\"cbr\"," AT_IP ",\"ratio\":42" },
		{ { .kind = TL_PT_EV_TICK, .ip = 0x1000 }, "tick" IP, "\"tick\"," AT_IP },
		{ { .kind = TL_PT_EV_MNT, .ip_suppressed = true, .mnt = { 0xfeed } },
		  "mnt: feed", "\"mnt\",\"payload\":\"0xfeed\"" },
		{ { .kind = TL_PT_EV_PTWRITE, .ip = 0x1000, .ptwrite = { 0xcafe, 4 } },
		  "ptwrite: cafe" IP, "\"ptwrite\"," AT_IP ",\"payload\":\"0xcafe\",\"size\":4" },
	};

	WANT_ROWS(rows);
}

/* "iret, smi, rsm, sipi, init, vmentry, vmexit..., shutdown, uintr, swintr, `trig ..`" */
TEST(event_trace)
{
	static const struct row rows[] = {
		{ { .kind = TL_PT_EV_INTERRUPT, .ip = 0x1000, .interrupt = { 0x2000, 14, true } },
		  "interrupt 14, cr2: 0000000000002000" IP,
		  "\"interrupt\"," AT_IP ",\"vector\":14,\"cr2\":\"0x2000\"" },
		{ { .kind = TL_PT_EV_INTERRUPT, .ip = 0x1000, .interrupt = { 0, 32, false } },
		  "interrupt 32" IP, "\"interrupt\"," AT_IP ",\"vector\":32" },
		{ { .kind = TL_PT_EV_IRET, .ip = 0x1000 }, "iret" IP, "\"iret\"," AT_IP },
		{ { .kind = TL_PT_EV_SMI, .ip = 0x1000 }, "smi" IP, "\"smi\"," AT_IP },
		{ { .kind = TL_PT_EV_RSM, .ip_suppressed = true }, "rsm", "\"rsm\"" },
		{ { .kind = TL_PT_EV_SIPI, .ip_suppressed = true, .interrupt = { .vector = 0x1f } },
		  "sipi: 1f", "\"sipi\",\"vector\":31" },
		{ { .kind = TL_PT_EV_INIT, .ip = 0x1000 }, "init" IP, "\"init\"," AT_IP },
		{ { .kind = TL_PT_EV_VMENTRY, .ip = 0x1000 }, "vmentry" IP, "\"vmentry\"," AT_IP },
		{ { .kind = TL_PT_EV_VMEXIT, .ip = 0x1000 }, "vmexit" IP, "\"vmexit\"," AT_IP },
		{ { .kind = TL_PT_EV_VMEXIT, .ip_suppressed = true,
		    .vmexit = { 0x12, 0x34, 20, true, true, true } },
		  "vmexit, intr: 20, vmxr: 0000000000000012, vmxq: 0000000000000034",
		  "\"vmexit\",\"vector\":20,\"vmxr\":\"0x12\",\"vmxq\":\"0x34\"" },
		{ { .kind = TL_PT_EV_SHUTDOWN, .ip = 0x1000 }, "shutdown" IP,
		  "\"shutdown\"," AT_IP },
		{ { .kind = TL_PT_EV_UINTR, .ip = 0x1000, .interrupt = { 7, 3, true } },
		  "uintr 3" IP, "\"uintr\"," AT_IP ",\"vector\":3" },
		{ { .kind = TL_PT_EV_UIRET, .ip = 0x1000 }, "uiret" IP, "\"uiret\"," AT_IP },
		{ { .kind = TL_PT_EV_SWINTR, .ip = 0x1000, .interrupt = { .vector = 0x80 } },
		  "swintr 128" IP, "\"swintr\"," AT_IP ",\"vector\":128" },
		{ { .kind = TL_PT_EV_SYSCALL, .ip = 0x1000 }, "syscall" IP, "\"syscall\"," AT_IP },
		{ { .kind = TL_PT_EV_TRIG, .ip = 0x1000, .trig = { 9, 0x0a, true, true } },
		  "trig 0a, mult" IP,
		  "\"trig\"," AT_IP ",\"trbv\":\"0xa\",\"icnt\":9,\"mult\":true" },
		{ { .kind = TL_PT_EV_TRIG, .ip_suppressed = true, .trig = { .trbv = 1 } },
		  "trig 01", "\"trig\",\"trbv\":\"0x1\",\"icnt\":0,\"mult\":false" },
		{ { .kind = TL_PT_EV_COUNT, .ip = 0x1000 }, "unknown" IP, "\"unknown\"," AT_IP },
	};

	WANT_ROWS(rows);
}

/* clang-format on */

/* "--event:ip adds `, ip: X`; --event:time puts `%016x  ` (TSC) in front" */
TEST(columns)
{
	const struct tl_pt_event event = {
		.kind = TL_PT_EV_IRET, .ip = 0x1000, .has_tsc = true, .tsc = 0xabc
	};

	said_begin();
	tl_pt_put_event(said, &event, 0);
	tl_pt_put_event(said, &event, TL_PT_TEXT_TIME);
	tl_pt_put_event(said, &event, TL_PT_TEXT_TIME | TL_PT_TEXT_EVENT_IP);
	want_said("[iret]\n[0000000000000abc  iret]\n"
		  "[0000000000000abc  iret, ip: 0000000000001000]\n");
	tl_pt_put_event_json(said, &event);
	want_said("{\"offset\":0,\"event\":\"iret\",\"ip\":\"0x1000\",\"tsc\":2748}\n");
	said_end();
}

/* Each kind has a name of its own, but for the two forms of one event. */
TEST(names)
{
	for (int kind = 0; kind < TL_PT_EV_COUNT; kind++) {
		const char *name = tl_pt_event_name((enum tl_pt_event_kind)kind);

		assert_non_null(name);
		assert_string_not_equal(name, "unknown");
	}
	assert_string_equal(tl_pt_event_name(TL_PT_EV_COUNT), "unknown");
	assert_string_equal(tl_pt_event_name((enum tl_pt_event_kind) - 1), "unknown");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flow),        cmocka_unit_test(state),   cmocka_unit_test(power),
		cmocka_unit_test(event_trace), cmocka_unit_test(columns), cmocka_unit_test(names),
	};

	return cmocka_run_group_tests_name("intel_pt event lines", tests, NULL, NULL);
}
