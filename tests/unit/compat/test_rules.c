/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What packets mean that say where code ran (docs/formats/intel-pt.md, 5.1, 5.3 to 5.6). Debian's
 * 2.0.5 says the same of each row.
 */
#include "told_rows.h"

static const struct row rows_of_synchronisation[] = {
	{ "a PSB+ in full",
	  "1000: =mode 1000:3@500, =tsx 1000:in@500, =async-paging 1000:30000@500, =async-vmcs "
	  "1000:7000@500, =cbr:9@500, mnt:5@500, off-@500, end",
	  "=mode 1000:3@500, =tsx 1000:in@500, =async-paging 1000:30000@500, =async-vmcs "
	  "1000:7000@500, =cbr:9@500, mnt:5@500, 1000..1010*, end",
	  "=mode 1000:3@500, =tsx 1000:in@500, =async-paging 1000:30000@500, =async-vmcs "
	  "1000:7000@500, =cbr:9@500, mnt:5@500, 1000..1010/17*, off-@500, end",
	  0,
	  TRACE(PSB, TSC(0x500), MODE64, BEGIN_TX, PIP(3), VMCS(7), CBR(9), MNT(5), FUP(0x1000),
		PSBEND, BARE_PGD) },
	{ "a PSB+ in full while tracing is off",
	  "0-: =mode-:3@500, =tsx-:in@500, =async-paging-:30000@500, =async-vmcs-:7000@500, "
	  "=cbr:9@500, mnt:5@500, on 1060@500, off-@500, end",
	  "=mode-:3@500, =tsx-:in@500, =async-paging-:30000@500, =async-vmcs-:7000@500, "
	  "=cbr:9@500, mnt:5@500, on 1060@500, 1060*, off-@500, end",
	  "=mode-:3@500, =tsx-:in@500, =async-paging-:30000@500, =async-vmcs-:7000@500, "
	  "=cbr:9@500, mnt:5@500, on 1060@500, 1060..1060/1*, off-@500, end",
	  0,
	  TRACE(PSB, TSC(0x500), MODE64, BEGIN_TX, PIP(3), VMCS(7), CBR(9), MNT(5), PSBEND,
		PGE(0x1060), BARE_PGD) },
	{ "as much in a PSB+ as can wait",
	  "0-: =cbr:1, =cbr:2, =cbr:3, =cbr:4, =cbr:5, =cbr:6, on 1000, end",
	  "=cbr:1, =cbr:2, =cbr:3, =cbr:4, =cbr:5, =cbr:6, on 1000, end",
	  "=cbr:1, =cbr:2, =cbr:3, =cbr:4, =cbr:5, =cbr:6, on 1000, end", 0,
	  TRACE(PSB, CBR(1), CBR(2), CBR(3), CBR(4), CBR(5), CBR(6), PSBEND, PGE(0x1000)) },
	{ "more in a PSB+ than can wait: modes", "nomem", "nomem", "nomem", 0,
	  TRACE(PSB, CBR(1), CBR(2), CBR(3), CBR(4), CBR(5), CBR(6), MODE64, PSBEND) },
	{ "more in a PSB+ than can wait: spaces", "nomem", "nomem", "nomem", 0,
	  TRACE(PSB, CBR(1), CBR(2), CBR(3), CBR(4), CBR(5), CBR(6), PIP(3), PSBEND) },
	{ "more in a PSB+ than can wait: guests", "nomem", "nomem", "nomem", 0,
	  TRACE(PSB, CBR(1), CBR(2), CBR(3), CBR(4), CBR(5), CBR(6), VMCS(3), PSBEND) },
	{ "more in a PSB+ than can wait: notes", "nomem", "nomem", "nomem", 0,
	  TRACE(PSB, CBR(1), CBR(2), CBR(3), CBR(4), CBR(5), CBR(6), MNT(3), PSBEND) },
	{ "more in a PSB+ than can wait: ratios", "nomem", "nomem", "nomem", 0,
	  TRACE(PSB, CBR(1), CBR(2), CBR(3), CBR(4), CBR(5), CBR(6), CBR(7), PSBEND) },
	{ "a branch in a PSB+", "bad-context", "bad-context", "bad-context", 0,
	  TRACE(PSB, MODE64, TIP(0x1000), PSBEND) },
	{ "outcomes in a PSB+", "bad-context", "bad-context", "bad-context", 0,
	  TRACE(PSB, MODE64, TAKEN, PSBEND) },
	{ "a PSB+ that is cut short", "end", "end", "end", 0, TRACE(PSB, MODE64, FUP(0x1000)) },
	{ "a PSB+ that OVF ends", "0-: =mode-:3, overflow 1000, off-, end",
	  "=mode-:3, overflow 1000, 1000..1010, end",
	  "=mode-:3, overflow 1000, 1000..1010/17, off-, end", 0,
	  TRACE(PSB, MODE64, OVF, FUP(0x1000), BARE_PGD) },
	{ "a PSB+ with an address that is suppressed", "0-: =mode-:3, on 1060, off-, end",
	  "=mode-:3, on 1060, 1060, off-, end", "=mode-:3, on 1060, 1060..1060/1, off-, end", 0,
	  TRACE(PSB, MODE64, BARE_FUP, PSBEND, PGE(0x1060), BARE_PGD) },
	{ "another mode in a later PSB+", "1010: =mode 1010:3, =mode 1010:2, 1, end",
	  "=mode 1010:3, status", "=mode 1010:3, status", 0,
	  TRACE(ON(0x1010), PSB, 0x99, 2, FUP(0x1010), PSBEND, TAKEN) },
	{ "another PSB+ while tracing is on",
	  "1010: =mode 1010:3, 1, =mode 1020:3, =async-paging 1020:40000, off-, end",
	  "=mode 1010:3, 1010, =mode 1020:3, =async-paging 1020:40000, 1020, 1030, 1100..1102, end",
	  "=mode 1010:3, 1010..1010/1, =mode 1020:3, =async-paging 1020:40000, 1020..1102/5, off-, "
	  "end",
	  0, TRACE(ON(0x1010), TAKEN, PSB, MODE64, FUP(0x1020), PIP(4), PSBEND, BARE_PGD) },
	{ "PSBEND without a PSB", "1010: =mode 1010:3, 1, off 1020, end",
	  "=mode 1010:3, 1010, 1020, 1030, 1100..1102, off 1020, end",
	  "=mode 1010:3, 1010..1010/1, off 1020, end", 0,
	  TRACE(ON(0x1010), PSBEND, TAKEN, PGD(0x1020)) },
	{ "a PSB+ where tracing begins at once", "1000: =mode 1000:3, on 1060, off-, end",
	  "=mode 1000:3, bad-context", "=mode 1000:3, bad-context", 0,
	  TRACE(PSB, MODE64, FUP(0x1000), PSBEND, PGE(0x1060), BARE_PGD) },
	{ "a PSB+ where tracing begins at once", "0-: =mode-:3, cbr:3, on 1060, off-, end",
	  "=mode-:3, cbr:3, on 1060, 1060, off-, end",
	  "=mode-:3, cbr:3, on 1060, 1060..1060/1, off-, end", BDM70,
	  TRACE(PSB, MODE64, FUP(0x1000), PSBEND, CBR(3), PGE(0x1060), BARE_PGD) },
	{ "a PSB+ of which that cannot be said", "1010: =mode 1010:3, 1, off 1020, end",
	  "=mode 1010:3, 1010, 1020, 1030, 1100..1102, off 1020, end",
	  "=mode 1010:3, 1010..1010/1, off 1020, end", BDM70,
	  TRACE(ON(0x1010), TAKEN, PGD(0x1020)) },
	{ "a PSB+ before nothing", "1010: =mode 1010:3, end", "=mode 1010:3, end",
	  "=mode 1010:3, end", BDM70, TRACE(ON(0x1010)) },
	{ "a PSB+ before what is no packet", "bad-opc", "bad-opc", "bad-opc", BDM70,
	  TRACE(ON(0x1010), 2, 0xff) },
};

TEST(synchronisation)
{
	EXPECT_ROWS(rows_of_synchronisation);
}

static const struct row rows_of_on_and_off[] = {
	{ "on again behind a call", "0-: =mode-:3, on 1030, off 1100, on 1035, off-, end",
	  "=mode-:3, on 1030, 1030, off 1100, on 1035, 1035..1040, end",
	  "=mode-:3, on 1030, 1030..1030/1, off 1100, on 1035, 1035..1040/12, off-, end", 0,
	  TRACE(OFF, PGE(0x1030), PGD(0x1100), PGE(0x1035), BARE_PGD) },
	{ "on again elsewhere", "0-: =mode-:3, on 1048, off 1100, on 1036, off-, end",
	  "=mode-:3, on 1048, 1048, off 1100, on 1036, 1036..1040, end",
	  "=mode-:3, on 1048, 1048..1048/1, off 1100, on 1036, 1036..1040/11, off-, end", 0,
	  TRACE(OFF, PGE(0x1048), PGD(0x1100), PGE(0x1036), BARE_PGD) },
	{ "on while it is on", "1010: =mode 1010:3, on 1000, off-, end",
	  "=mode 1010:3, bad-context", "=mode 1010:3, bad-context", 0,
	  TRACE(ON(0x1010), PGE(0x1000), BARE_PGD) },
	{ "on without an address", "0-: =mode-:3, bad-packet", "bad-packet", "bad-packet", 0,
	  TRACE(OFF, 0x11, TAKEN) },
	{ "off while it is off", "0-: =mode-:3, off-, on 1060, off-, end", "=mode-:3, no-enable",
	  "=mode-:3, nomap", 0, TRACE(OFF, BARE_PGD, PGE(0x1060), BARE_PGD) },
	{ "off at a MOV to CR3", "104f: =mode 104f:3, off-, end",
	  "=mode 104f:3, 104f..1050, off-, end", "=mode 104f:3, 104f..1050/2, off-, end", 0,
	  TRACE(ON(0x104f), BARE_PGD) },
	{ "off at a MOV to CR3 that a paging event is bound to",
	  "104f: =mode 104f:3, paging:30000, off-, end",
	  "=mode 104f:3, 104f..1050, paging:30000, off-, end",
	  "=mode 104f:3, 104f..1050/2, paging:30000, off-, end", 0,
	  TRACE(ON(0x104f), PIP(3), BARE_PGD) },
	{ "off at a system call that a paging event is bound to",
	  "105f: =mode 105f:3, paging:30000, off-, end",
	  "=mode 105f:3, 105f..1060, paging:30000, off-, end",
	  "=mode 105f:3, 105f..1060/2, paging:30000, off-, end", 0,
	  TRACE(ON(0x105f), PIP(3), BARE_PGD) },
	{ "off behind a MOV to CR3 that a paging event is bound to",
	  "104f: =mode 104f:3, paging:30000, off 1053, end",
	  "=mode 104f:3, 104f..1050, paging:30000, 1053..1060, off 1053, end",
	  "=mode 104f:3, 104f..1050/2, paging:30000, off 1053, end", 0,
	  TRACE(ON(0x104f), PIP(3), PGD(0x1053)) },
	{ "off at a direct jump, by its address", "101f: =mode 101f:3, off 1030, end",
	  "=mode 101f:3, 101f..1020, off 1030, end", "=mode 101f:3, 101f..1020/2, off 1030, end", 0,
	  TRACE(ON(0x101f), PGD(0x1030)) },
	{ "off at a jump, by an address that was not reached", "103f: =mode 103f:3, off 1001, end",
	  "=mode 103f:3, 103f..1040, off 1001, end", "=mode 103f:3, 103f..1040/2, off 1001, end", 0,
	  TRACE(ON(0x103f), PGD(0x1001)) },
	{ "off at a conditional jump", "100f: =mode 100f:3, off-, end",
	  "=mode 100f:3, 100f..1010, end", "=mode 100f:3, 100f..1010/2, off-, end", 0,
	  TRACE(ON(0x100f), BARE_PGD) },
	{ "off by an interrupt",
	  "1000: =mode 1000:3, async-off 1002:9000, on 1002, async-off 1003, end",
	  "=mode 1000:3, 1000..1001, async-off 1002:9000, on 1002:resumed, 1002, async-off 1003, "
	  "end",
	  "=mode 1000:3, 1000..1001/2, async-off 1002:9000, on 1002:resumed, 1002..1002/1, "
	  "async-off 1003, end",
	  0, TRACE(ON(0x1000), FUP(0x1002), PGD(0x9000), PGE(0x1002), FUP(0x1003), BARE_PGD) },
	{ "off by an interrupt at a place that is not reached",
	  "103e: =mode 103e:3, async-off 1002:9000, end", "=mode 103e:3, 103e..1040, end",
	  "=mode 103e:3, 103e..1040/3, bad-query", 0, TRACE(ON(0x103e), FUP(0x1002), PGD(0x9000)) },
	{ "stopped", "1060: =mode 1060:3, off-, stop, end", "=mode 1060:3, 1060, off-, stop, end",
	  "=mode 1060:3, 1060..1060/1, off-, stop, end", 0, TRACE(ON(0x1060), BARE_PGD, STOP) },
	{ "stopped while tracing is on", "1060: =mode 1060:3, stop, off-, end",
	  "=mode 1060:3, bad-context", "=mode 1060:3, bad-context", 0,
	  TRACE(ON(0x1060), STOP, BARE_PGD) },
	{ "mode with the address where tracing begins", "0-: on 1060, mode 1060:3, off-, end",
	  "on 1060, mode 1060:3, 1060, off-, end", "on 1060, mode 1060:3, 1060..1060/1, off-, end",
	  0, TRACE(PSB, PSBEND, MODE64, PGE(0x1060), BARE_PGD) },
	{ "address spaces of branches where tracing begins",
	  "0-: on 1060, mode 1060:3, bad-context", "on 1060, bad-context", "on 1060, bad-context",
	  0, TRACE(PSB, PSBEND, MODE64, FUP(0x1000), PGE(0x1060), BARE_PGD) },
};

TEST(on_and_off)
{
	EXPECT_ROWS(rows_of_on_and_off);
}

static const struct row rows_of_branches[] = {
	{ "outcomes, targets, a return", "100f: =mode 100f:3, 1, 1, to 1010, 0, off-, end",
	  "=mode 100f:3, 100f..1010, 1020, 1030, 1100..1102, 1035..1040, 1010..1020, 1030, "
	  "1100..1102, end",
	  "=mode 100f:3, 100f..1010/2, 1020..1102/5, 1035..1040/12, 1010..1010/1, 1012..1102/19, "
	  "off-, end",
	  0, TRACE(ON(0x100f), TAKEN, TAKEN, TIP(0x1010), NOT_TAKEN, BARE_PGD) },
	{ "an interrupt where a jump leads, and one where a call does",
	  "101f: =mode 101f:3, async 1030:1030, async 1100:1060, off-, end",
	  "=mode 101f:3, 101f..1020, async 1030:1030, 1030, async 1100:1060, 1060, off-, end",
	  "=mode 101f:3, 101f..1020/2, async 1030:1030, 1030..1030/1, async 1100:1060, "
	  "1060..1060/1, off-, end",
	  ENDS, TRACE(ON(0x101f), FUP(0x1030), TIP(0x1030), FUP(0x1100), TIP(0x1060), BARE_PGD) },
	{ "blocks that end at a jump and at a call", "101f: =mode 101f:3, 1, to 1060, off-, end",
	  "=mode 101f:3, 101f..1020, 1030, 1100..1102, 1035..1040, 1060, off-, end",
	  "=mode 101f:3, 101f..1020/2, 1030..1030/1, 1100..1102/3, 1035..1040/12, "
	  "1060..1060/1, off-, end",
	  ENDS, TRACE(ON(0x101f), TAKEN, TIP(0x1060), BARE_PGD) },
	{ "a return whose call is not known", "1101: =mode 1101:3, 1, end",
	  "=mode 1101:3, 1101..1102, retstack", "=mode 1101:3, 1101..1102/2, retstack", 0,
	  TRACE(ON(0x1101), TAKEN) },
	{ "a return whose target is told", "1101: =mode 1101:3, to 1060, off-, end",
	  "=mode 1101:3, 1101..1102, 1060, off-, end",
	  "=mode 1101:3, 1101..1102/2, 1060..1060/1, off-, end", 0,
	  TRACE(ON(0x1101), TIP(0x1060), BARE_PGD) },
	{ "a return that was not taken", "1030: =mode 1030:3, 0, 1, end",
	  "=mode 1030:3, 1030, 1100..1102, retcomp", "=mode 1030:3, 1030..1102/4, retcomp", 0,
	  TRACE(ON(0x1030), NOT_TAKEN, TAKEN) },
	{ "a target without an address", "103f: =mode 103f:3, to 0-, end",
	  "=mode 103f:3, 103f..1040, noip", "=mode 103f:3, 103f..1040/2, noip", 0,
	  TRACE(ON(0x103f), BARE_TIP) },
	{ "a target before its outcomes", "1040: =mode 1040:3, 1, 0, to 1010, off-, end",
	  "=mode 1040:3, 1040, 1010, 1020, 1030, 1100..1102, retcomp",
	  "=mode 1040:3, 1040..1040/1, 1010..1010/1, 1020..1102/5, retcomp", 0,
	  TRACE(ON(0x1040), 0x0c, TIP(0x1010), BARE_PGD) },
	{ "outcomes behind outcomes at a target", "1040: =mode 1040:3, 1, 0, 1, to 1010, off-, end",
	  "=mode 1040:3, 1040, bad-query", "=mode 1040:3, 1040..1040/1, bad-query", 0,
	  TRACE(ON(0x1040), 0x0c, TAKEN, TIP(0x1010), BARE_PGD) },
	{ "a call of the next instruction", "1088: =mode 1088:3, 1, end",
	  "=mode 1088:3, 1088..108f, retstack", "=mode 1088:3, 1088..108f/4, retstack", 0,
	  TRACE(ON(0x1088), TAKEN) },
	{ "outcomes of nothing", "1040: =mode 1040:3, 1, end", "=mode 1040:3, 1040, end",
	  "=mode 1040:3, 1040..1040/1, end", 0, TRACE(ON(0x1040), TAKEN) },
	{ "what nobody asks for", "1010: =mode 1010:3, to 1000, end",
	  "=mode 1010:3, 1010, bad-query", "=mode 1010:3, 1010..1010/1, bad-query", 0,
	  TRACE(ON(0x1010), TIP(0x1000)) },
	{ "no code", "ffe: =mode ffe:3, to 1000, end", "=mode ffe:3, nomap", "=mode ffe:3, nomap",
	  0, TRACE(ON(0x0ffe), TIP(0x1000)) },
	{ "code that ends", "11fe: =mode 11fe:3, 1, end", "=mode 11fe:3, 11fe..11ff, nomap",
	  "=mode 11fe:3, 11fe..11ff/2, nomap", 0, TRACE(ON(0x11fe), TAKEN) },
	{ "no instruction", "1197: =mode 1197:3, 1, end", "=mode 1197:3, 1197, bad-insn",
	  "=mode 1197:3, 1197..1197/1, bad-insn", 0, TRACE(ON(0x1197), TAKEN) },
	{ "no mode", "1000: 1, end", "bad-insn", "bad-insn", 0,
	  TRACE(PSB, FUP(0x1000), PSBEND, TAKEN) },
	{ "16 bits", "1010: =mode 1010:1, 1, off-, end",
	  "=mode 1010:1, 1010, 1020, 1030, 10fe..1102, end",
	  "=mode 1010:1, 1010..1010/1, 1020..1102/7, off-, end", 0,
	  TRACE(PSB, 0x99, 0, FUP(0x1010), PSBEND, TAKEN, BARE_PGD) },
	{ "a mode that there is not", "1010: =mode 1010:0, 1, end", "=mode 1010:0, bad-insn",
	  "=mode 1010:0, bad-insn", 0, TRACE(PSB, 0x99, 3, FUP(0x1010), PSBEND, TAKEN) },
	{ "a mode from a branch on", "103f: =mode 103f:3, mode 1010:2, to 1010, 1, off-, end",
	  "=mode 103f:3, 103f..1040, mode 1010:2, 1010, 1020, 1030, 1100..1102, end",
	  "=mode 103f:3, 103f..1040/2, mode 1010:2, 1010..1010/1, 1020..1102/5, off-, end", 0,
	  TRACE(ON(0x103f), 0x99, 2, TIP(0x1010), TAKEN, BARE_PGD) },
};

TEST(branches)
{
	EXPECT_ROWS(rows_of_branches);
}

static const struct row rows_of_interrupts_and_spaces[] = {
	{ "an interrupt", "1000: =mode 1000:3, async 1002:1060, off-, end",
	  "=mode 1000:3, 1000..1001, async 1002:1060, 1060, off-, end",
	  "=mode 1000:3, 1000..1001/2, async 1002:1060, 1060..1060/1, off-, end", 0,
	  TRACE(ON(0x1000), FUP(0x1002), TIP(0x1060), BARE_PGD) },
	{ "an interrupt to nowhere", "1000: =mode 1000:3, async-:0, end",
	  "=mode 1000:3, 1000..1001, async-:0, end", "=mode 1000:3, 1000..1001/2, async-:0, end", 0,
	  TRACE(ON(0x1000), FUP(0x1002), BARE_TIP) },
	{ "an interrupt from nowhere", "1000: suppressed", "suppressed", "suppressed", 0,
	  TRACE(ON(0x1000), BARE_FUP, TIP(0x1060)) },
	{ "another space at an interrupt",
	  "1000: =mode 1000:3, async 1002:1060, async-paging 1060:30000, off-, end",
	  "=mode 1000:3, 1000..1001, async 1002:1060, async-paging 1060:30000, 1060, off-, end",
	  "=mode 1000:3, 1000..1001/2, async 1002:1060, async-paging 1060:30000, 1060..1060/1, "
	  "off-, end",
	  0, TRACE(ON(0x1000), FUP(0x1002), PIP(3), TIP(0x1060), BARE_PGD) },
	{ "another space and guest at an interrupt",
	  "1000: =mode 1000:3, async 1002:1060, async-vmcs 1060:7000, async-paging 1060:30000, "
	  "off-, end",
	  "=mode 1000:3, 1000..1001, async 1002:1060, async-vmcs 1060:7000, async-paging "
	  "1060:30000, 1060, off-, end",
	  "=mode 1000:3, 1000..1001/2, async 1002:1060, async-vmcs 1060:7000, async-paging "
	  "1060:30000, 1060..1060/1, off-, end",
	  0, TRACE(ON(0x1000), FUP(0x1002), PIP(3), VMCS(7), TIP(0x1060), BARE_PGD) },
	{ "another guest and space at an interrupt",
	  "1000: =mode 1000:3, async 1002:1060, async-vmcs 1060:7000, async-paging 1060:30000, "
	  "off-, end",
	  "=mode 1000:3, 1000..1001, async 1002:1060, async-vmcs 1060:7000, async-paging "
	  "1060:30000, 1060, off-, end",
	  "=mode 1000:3, 1000..1001/2, async 1002:1060, async-vmcs 1060:7000, async-paging "
	  "1060:30000, 1060..1060/1, off-, end",
	  0, TRACE(ON(0x1000), FUP(0x1002), VMCS(7), PIP(3), TIP(0x1060), BARE_PGD) },
	{ "another guest at an interrupt, with which tracing ends",
	  "1000: =mode 1000:3, async-off 1002:9000, async-vmcs-:7000, end",
	  "=mode 1000:3, 1000..1001, async-off 1002:9000, async-vmcs-:7000, end",
	  "=mode 1000:3, 1000..1001/2, async-off 1002:9000, async-vmcs-:7000, end", 0,
	  TRACE(ON(0x1000), FUP(0x1002), VMCS(7), PGD(0x9000)) },
	{ "a mode at an interrupt", "1000: =mode 1000:3, async 1002:1060, mode 1060:2, off-, end",
	  "=mode 1000:3, 1000..1001, async 1002:1060, mode 1060:2, 1060, off-, end",
	  "=mode 1000:3, 1000..1001/2, async 1002:1060, mode 1060:2, 1060..1060/1, off-, end", 0,
	  TRACE(ON(0x1000), FUP(0x1002), 0x99, 2, TIP(0x1060), BARE_PGD) },
	{ "another space at MOV to CR3", "104f: =mode 104f:3, paging:30000, 1, off-, end",
	  "=mode 104f:3, 104f..1050, paging:30000, 1053..1060, bad-query",
	  "=mode 104f:3, 104f..1050/2, paging:30000, 1053..1060/11, bad-query", 0,
	  TRACE(ON(0x104f), PIP(3), TAKEN, BARE_PGD) },
	{ "another space twice", "104f: =mode 104f:3, paging:30000, paging:40000, to 1000, 1, end",
	  "=mode 104f:3, 104f..1050, paging:30000, 1053..1060, paging:40000, 1000..1010, end",
	  "=mode 104f:3, 104f..1050/2, paging:30000, 1053..1060/11, paging:40000, 1000..1010/17, "
	  "end",
	  0, TRACE(ON(0x104f), PIP(3), PIP(4), TIP(0x1000), TAKEN) },
	{ "another space and guest at VMLAUNCH",
	  "1067: =mode 1067:3, vmcs:7000, paging:30000, to 1060, off-, end",
	  "=mode 1067:3, 1067..1068, vmcs:7000, paging:30000, 1060, off-, end",
	  "=mode 1067:3, 1067..1068/2, vmcs:7000, paging:30000, 1060..1060/1, off-, end", 0,
	  TRACE(ON(0x1067), VMCS(7), PIP(3), TIP(0x1060), BARE_PGD) },
	{ "another guest at VMPTRLD", "106f: =mode 106f:3, vmcs:7000, to 1060, off-, end",
	  "=mode 106f:3, 106f..1070, vmcs:7000, 1073..1078, 1060, off-, end",
	  "=mode 106f:3, 106f..1070/2, vmcs:7000, 1073..1078/6, 1060..1060/1, off-, end", 0,
	  TRACE(ON(0x106f), VMCS(7), TIP(0x1060), BARE_PGD) },
	{ "another space at IRET", "1077: =mode 1077:3, paging:30000, to 1060, off-, end",
	  "=mode 1077:3, 1077..1078, paging:30000, 1060, off-, end",
	  "=mode 1077:3, 1077..1078/2, paging:30000, 1060..1060/1, off-, end", 0,
	  TRACE(ON(0x1077), PIP(3), TIP(0x1060), BARE_PGD) },
	{ "another space and no instruction for it", "1000: =mode 1000:3, paging:30000, 1, end",
	  "=mode 1000:3, 1000..1010, 1020, 1030, 1100..1102, end",
	  "=mode 1000:3, 1000..1010/17, bad-query", 0, TRACE(ON(0x1000), PIP(3), TAKEN) },
	{ "another space while tracing is off",
	  "0-: =mode-:3, paging:30000, vmcs:7000, on 1060, off-, end",
	  "=mode-:3, paging:30000, vmcs:7000, on 1060, 1060, off-, end",
	  "=mode-:3, paging:30000, vmcs:7000, on 1060, 1060..1060/1, off-, end", 0,
	  TRACE(OFF, PIP(3), VMCS(7), PGE(0x1060), BARE_PGD) },
	{ "too much at one interrupt", "1000: =mode 1000:3, nomem", "nomem", "nomem", 0,
	  TRACE(ON(0x1000), FUP(0x1002), PIP(1), PIP(2), PIP(3), PIP(4), PIP(5), PIP(6),
		TIP(0x1060)) },
	{ "too many guests at one interrupt", "1000: =mode 1000:3, nomem", "nomem", "nomem", 0,
	  TRACE(ON(0x1000), FUP(0x1002), VMCS(1), VMCS(2), VMCS(3), VMCS(4), VMCS(5), VMCS(6),
		TIP(0x1060)) },
	{ "too many guests of one space", "1000: =mode 1000:3, nomem", "nomem", "nomem", 0,
	  TRACE(ON(0x1000), FUP(0x1002), PIP(1), VMCS(2), VMCS(3), VMCS(4), VMCS(5), VMCS(6),
		VMCS(7), TIP(0x1060)) },
	{ "too many modes", "1040: =mode 1040:3, nomem", "nomem", "nomem", 0,
	  TRACE(ON(0x1040), MODE64, MODE64, MODE64, MODE64, MODE64, MODE64, MODE64, TIP(0x1060)) },
	{ "too many sources", "1000: nomem", "nomem", "nomem", 0,
	  TRACE(ON(0x1000), FUP(0x1001), FUP(0x1001), FUP(0x1001), FUP(0x1001), FUP(0x1001),
		FUP(0x1001), FUP(0x1001), TIP(0x1060)) },
};

TEST(interrupts_and_spaces)
{
	EXPECT_ROWS(rows_of_interrupts_and_spaces);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(synchronisation),
		cmocka_unit_test(on_and_off),
		cmocka_unit_test(branches),
		cmocka_unit_test(interrupts_and_spaces),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
