/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packets and events that are newer than Debian's 2.0.5 (docs/formats/intel-pt.md, 5.7 and 9.16).
 */
#include "told_rows.h"

static const struct row rows_of_newer_packets[] = {
	{ "an interrupt with its cause",
	  "1000: =mode 1000:3, interrupt 1002, async 1002:1060, off-, end",
	  "=mode 1000:3, 1000..1001, interrupt 1002, async 1002:1060, 1060, off-, end",
	  "=mode 1000:3, 1000..1001/2, interrupt 1002, async 1002:1060, 1060..1060/1, off-, end", 0,
	  TRACE(ON(0x1000), EVD(0, 9), CFE(1), FUP(0x1002), TIP(0x1060), BARE_PGD) },
	{ "an interrupt with its cause, at a place",
	  "1000: =mode 1000:3, interrupt 1002, 1, off-, end",
	  "=mode 1000:3, 1000..1001, interrupt 1002, 1002..1010, 1020, 1030, 1100..1102, end",
	  "=mode 1000:3, 1000..1001/2, interrupt 1002, 1002..1010/15, 1020..1102/5, off-, end", 0,
	  TRACE(ON(0x1000), CFE_IP(1), FUP(0x1002), TAKEN, BARE_PGD) },
	{ "a return from one", "1077: =mode 1077:3, iret-, to 1060, off-, end",
	  "=mode 1077:3, 1077..1078, iret 1078, 1060, off-, end",
	  "=mode 1077:3, 1077..1078/2, iret 1078, 1060..1060/1, off-, end", 0,
	  TRACE(ON(0x1077), CFE(2), TIP(0x1060), BARE_PGD) },
	{ "causes of no interrupt", "1000: =mode 1000:3, bad-context", "bad-context", "bad-context",
	  0, TRACE(ON(0x1000), EVD(0, 9), CFE(2)) },
	{ "causes of no VM exit", "1000: =mode 1000:3, bad-context", "bad-context", "bad-context",
	  0, TRACE(ON(0x1000), EVD(1, 9), CFE(1)) },
	{ "further causes of no VM exit", "1000: =mode 1000:3, bad-context", "bad-context",
	  "bad-context", 0, TRACE(ON(0x1000), EVD(2, 9), CFE(1)) },
	{ "a cause twice", "1000: bad-context", "bad-context", "bad-context", 0,
	  TRACE(ON(0x1000), EVD(0, 9), EVD(0, 9)) },
	{ "a cause that there is not",
	  "1000: =mode 1000:3, interrupt 1002, async 1002:1060, off-, end",
	  "=mode 1000:3, 1000..1001, interrupt 1002, async 1002:1060, 1060, off-, end",
	  "=mode 1000:3, 1000..1001/2, interrupt 1002, async 1002:1060, 1060..1060/1, off-, end", 0,
	  TRACE(ON(0x1000), EVD(7, 9), CFE(1), FUP(0x1002), TIP(0x1060), BARE_PGD) },
	{ "a VM exit", "1000: =mode 1000:3, vmexit 1002:0:8:9, async-off 1002:9000, end",
	  "=mode 1000:3, 1000..1001, vmexit 1002:0:8:9, async-off 1002:9000, end",
	  "=mode 1000:3, 1000..1001/2, vmexit 1002:0:8:9, async-off 1002:9000, end", 0,
	  TRACE(ON(0x1000), EVD(1, 9), EVD(2, 8), CFE(8), FUP(0x1002), PGD(0x9000)) },
	{ "a VM exit by an interrupt",
	  "1000: =mode 1000:3, vmexit 1002:21:0:0, async-off 1002:9000, end",
	  "=mode 1000:3, 1000..1001, vmexit 1002:21:0:0, async-off 1002:9000, end",
	  "=mode 1000:3, 1000..1001/2, vmexit 1002:21:0:0, async-off 1002:9000, end", 0,
	  TRACE(ON(0x1000), CFE(9), FUP(0x1002), PGD(0x9000)) },
	{ "an event that there is not", "1000: =mode 1000:3, async 1002:1060, off-, end",
	  "=mode 1000:3, 1000..1001, async 1002:1060, 1060, off-, end",
	  "=mode 1000:3, 1000..1001/2, async 1002:1060, 1060..1060/1, off-, end", 0,
	  TRACE(ON(0x1000), CFE(0), CFE(11), CFE(31), FUP(0x1002), TIP(0x1060), BARE_PGD) },
	{ "events while tracing is off",
	  "0-: =mode-:3, smi-, rsm-, sipi, init-, vmentry-, shutdown-, on 1060, off-, end",
	  "=mode-:3, smi-, rsm-, sipi, init-, vmentry-, shutdown-, on 1060, 1060, off-, end",
	  "=mode-:3, smi-, rsm-, sipi, init-, vmentry-, shutdown-, on 1060, 1060..1060/1, off-, "
	  "end",
	  0, TRACE(OFF, CFE(3), CFE(4), CFE(5), CFE(6), CFE(7), CFE(10), PGE(0x1060), BARE_PGD) },
	{ "system calls and their like",
	  "1060: =mode 1060:3, syscall 1060, async 1060:1000, swintr 1001, async 1001:1060, uintr "
	  "1060, async-off 1060:9000, end",
	  "=mode 1060:3, syscall 1060, async 1060:1000, 1000, swintr 1001, async 1001:1060, uintr "
	  "1060, async-off 1060:9000, end",
	  "=mode 1060:3, syscall 1060, async 1060:1000, 1000..1000/1, swintr 1001, async "
	  "1001:1060, uintr 1060, async-off 1060:9000, end",
	  0,
	  TRACE(ON(0x1060), CFE(15), FUP(0x1060), TIP(0x1000), CFE(14), FUP(0x1001), TIP(0x1060),
		CFE(12), FUP(0x1060), PGD(0x9000)) },
	{ "a return from a user's interrupt", "1077: =mode 1077:3, uiret-, to 1060, off-, end",
	  "=mode 1077:3, 1077..1078, uiret 1078, 1060, off-, end",
	  "=mode 1077:3, 1077..1078/2, uiret 1078, 1060..1060/1, off-, end", 0,
	  TRACE(ON(0x1077), CFE(13), TIP(0x1060), BARE_PGD) },
	{ "too many events", "1000: =mode 1000:3, internal", "internal", "internal", 0,
	  TRACE(ON(0x1000), CFE(1), CFE(1), CFE(1), CFE(1), CFE(1), CFE(1), CFE(1)) },
	{ "triggers", "1000: =mode 1000:3, trig 1002, trig-, 1, off-, end",
	  "=mode 1000:3, 1000..1001, trig 1002, trig-, 1002..1010, 1020, 1030, 1100..1102, end",
	  "=mode 1000:3, 1000..1001/2, trig 1002, trig-, 1002..1010/15, 1020..1102/5, off-, end", 0,
	  TRACE(ON(0x1000), 0xd9, 0xa0, 5, FUP(0x1002), 0xd9, 0, 6, TAKEN, BARE_PGD) },
	{ "too many triggers", "1000: =mode 1000:3, internal", "internal", "internal", 0,
	  TRACE(ON(0x1000), 0xd9, 0xa0, 5, 0xd9, 0xa0, 5, 0xd9, 0xa0, 5, 0xd9, 0xa0, 5, 0xd9, 0xa0,
		5, 0xd9, 0xa0, 5, 0xd9, 0xa0, 5) },
	{ "a block of PEBS", "100f: =mode 100f:3, 1, off-, end",
	  "=mode 100f:3, 100f..1010, 1020, 1030, 1100..1102, end",
	  "=mode 100f:3, 100f..1010/2, 1020..1102/5, off-, end", 0,
	  TRACE(ON(0x100f), 2, 0x63, 4, 0x0c, 1, 2, 3, 4, 5, 6, 7, 8, 2, 0x33, TAKEN, BARE_PGD) },
	{ "a block of PEBS with an address", "100f: =mode 100f:3, 1, off-, end",
	  "=mode 100f:3, 100f..1010, 1020, 1030, 1100..1102, end",
	  "=mode 100f:3, 100f..1010/2, 1020..1102/5, off-, end", 0,
	  TRACE(ON(0x100f), 2, 0x63, 4, 2, 0xb3, FUP(0x1001), TAKEN, BARE_PGD) },
	{ "modes, and interrupts, with the address where tracing begins",
	  "0-: on 1060, mode 1060:3, iflags 1060:1, off-, end",
	  "on 1060, mode 1060:3, iflags 1060:1, 1060, off-, end",
	  "on 1060, mode 1060:3, iflags 1060:1, 1060..1060/1, off-, end", IFLAGS,
	  TRACE(PSB, PSBEND, 0x99, 5, PGE(0x1060), BARE_PGD) },
	{ "a mode where tracing ends",
	  "1060: =mode 1060:3, =iflags 1060:0, mode-:3, iflags-:1, end",
	  "=mode 1060:3, =iflags 1060:0, mode-:3, iflags-:1, end",
	  "=mode 1060:3, =iflags 1060:0, mode-:3, iflags-:1, end", IFLAGS,
	  TRACE(ON(0x1060), 0x99, 5, BARE_PGD) },
	{ "modes, and interrupts, from a branch on",
	  "103f: =mode 103f:3, =iflags 103f:0, mode 1040:3, iflags 1040:1, to 1040, mode 1060:3, "
	  "to 1060, off-, end",
	  "=mode 103f:3, =iflags 103f:0, 103f, mode 1040:3, iflags 1040:1, 1040, 1040, mode "
	  "1060:3, 1060, off-, end",
	  "=mode 103f:3, =iflags 103f:0, 103f..103f/1, mode 1040:3, iflags 1040:1, 1040..1040/1, "
	  "1040..1040/1, mode 1060:3, 1060..1060/1, off-, end",
	  IFLAGS, TRACE(ON(0x103f), 0x99, 5, TIP(0x1040), 0x99, 5, TIP(0x1060), BARE_PGD) },
};

TEST(newer_packets)
{
	EXPECT_ROWS(rows_of_newer_packets);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(newer_packets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
