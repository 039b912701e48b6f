/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What packets mean that say what else happened, what was lost, and what errata change of that
 * (docs/formats/intel-pt.md, 5.2, 5.7 and 7). Debian's 2.0.5 says the same of each row.
 */
#include "told_rows.h"

static const struct row rows_of_transactions_and_power[] = {
	{ "a transaction", "1000: =mode 1000:3, tsx 1002:in, tsx 1004, 1, off-, end",
	  "=mode 1000:3, 1000..1001, tsx 1002:in, 1002..1003*, tsx 1004, 1004..1010, 1020, 1030, "
	  "1100..1102, end",
	  "=mode 1000:3, 1000..1001/2, tsx 1002:in, 1002..1003/2*, tsx 1004, 1004..1010/13, "
	  "1020..1102/5, off-, end",
	  0, TRACE(ON(0x1000), BEGIN_TX, FUP(0x1002), END_TX, FUP(0x1004), TAKEN, BARE_PGD) },
	{ "a transaction that is aborted",
	  "1000: =mode 1000:3, tsx 1002:in, tsx 1004:abort, async 1004:1060, off-, end",
	  "=mode 1000:3, 1000..1001, tsx 1002:in, 1002..1003*, tsx 1004:abort, async 1004:1060, "
	  "1060, off-, end",
	  "=mode 1000:3, 1000..1001/2, tsx 1002:in, 1002..1003/2*, tsx 1004:abort, async "
	  "1004:1060, 1060..1060/1, off-, end",
	  0,
	  TRACE(ON(0x1000), BEGIN_TX, FUP(0x1002), ABORT_TX, FUP(0x1004), TIP(0x1060), BARE_PGD) },
	{ "a transaction while tracing is off", "0-: =mode-:3, tsx-:in, on 1060, off-, end",
	  "=mode-:3, tsx-:in, on 1060, 1060*, off-, end",
	  "=mode-:3, tsx-:in, on 1060, 1060..1060/1*, off-, end", 0,
	  TRACE(OFF, BEGIN_TX, PGE(0x1060), BARE_PGD) },
	{ "too many transactions", "1000: =mode 1000:3, nomem", "nomem", "nomem", 0,
	  TRACE(ON(0x1000), END_TX, END_TX, END_TX, END_TX, END_TX, END_TX, END_TX, FUP(0x1002)) },
	{ "sleep with an address",
	  "1000: =mode 1000:3, mwait 1002, exstop 1002, pwre, 1, off-, end",
	  "=mode 1000:3, 1000..1001, mwait 1002, exstop 1002, pwre, 1002..1010, 1020, 1030, "
	  "1100..1102, end",
	  "=mode 1000:3, 1000..1001/2, mwait 1002, exstop 1002, pwre, 1002..1010/15, 1020..1102/5, "
	  "off-, end",
	  0, TRACE(ON(0x1000), MWAIT, EXSTOP_IP, FUP(0x1002), PWRE, TAKEN, BARE_PGD) },
	{ "sleep without one", "1060: =mode 1060:3, pwre, exstop-, pwrx, off-, end",
	  "=mode 1060:3, pwre, exstop-, pwrx, 1060, off-, end",
	  "=mode 1060:3, pwre, exstop-, pwrx, 1060..1060/1, off-, end", 0,
	  TRACE(ON(0x1060), PWRE, EXSTOP, 2, 0xa2, 0x24, 9, 0, 0, 0, BARE_PGD) },
	{ "too much sleep", "1000: =mode 1000:3, internal", "internal", "internal", 0,
	  TRACE(ON(0x1000), EXSTOP_IP, EXSTOP_IP, EXSTOP_IP, EXSTOP_IP, EXSTOP_IP, EXSTOP_IP,
		EXSTOP_IP, FUP(0x1002)) },
	{ "too much sleep: MWAIT", "1000: =mode 1000:3, internal", "internal", "internal", 0,
	  TRACE(ON(0x1000), EXSTOP_IP, EXSTOP_IP, EXSTOP_IP, EXSTOP_IP, EXSTOP_IP, EXSTOP_IP, MWAIT,
		FUP(0x1002)) },
	{ "PTWRITE with and without an address", "1057: =mode 1057:3, ptwrite 1058:7, off-, end",
	  "=mode 1057:3, 1057..1058, ptwrite 1058:7, 105c..1060, off-, end",
	  "=mode 1057:3, 1057..1058/2, ptwrite 1058:7, 105c..1060/5, off-, end", 0,
	  TRACE(ON(0x1057), PTW_IP, FUP(0x1058), BARE_PGD) },
	{ "PTWRITE without an address", "1057: =mode 1057:3, ptwrite-:7, off-, end",
	  "=mode 1057:3, 1057..1058, ptwrite 1058:7, 105c..1060, off-, end",
	  "=mode 1057:3, 1057..1058/2, ptwrite 1058:7, 105c..1060/5, off-, end", 0,
	  TRACE(ON(0x1057), PTW, BARE_PGD) },
	{ "PTWRITE of an address that is suppressed", "1057: =mode 1057:3, ptwrite-:7, off-, end",
	  "=mode 1057:3, 1057..1058, ptwrite 1058:7, 105c..1060, off-, end",
	  "=mode 1057:3, 1057..1058/2, ptwrite 1058:7, 105c..1060/5, off-, end", 0,
	  TRACE(ON(0x1057), PTW_IP, BARE_FUP, BARE_PGD) },
	{ "PTWRITE while tracing is off", "0-: =mode-:3, ptwrite-:7, on 1060, off-, end",
	  "=mode-:3, ptwrite-:7, on 1060, 1060, off-, end",
	  "=mode-:3, ptwrite-:7, on 1060, 1060..1060/1, off-, end", 0,
	  TRACE(OFF, PTW, PGE(0x1060), BARE_PGD) },
	{ "too many PTWRITE", "1000: =mode 1000:3, internal", "internal", "internal", 0,
	  TRACE(ON(0x1000), PTW_IP, PTW_IP, PTW_IP, PTW_IP, PTW_IP, PTW_IP, PTW_IP, FUP(0x1002)) },
};

TEST(transactions_and_power)
{
	EXPECT_ROWS(rows_of_transactions_and_power);
}

static const struct row rows_of_time[] = {
	{ "a time, a ratio, a note",
	  "1010: =mode 1010:3, cbr:8@300, mnt:6@300, 1, 1, to 1060, off-@400, end",
	  "=mode 1010:3, cbr:8@300, mnt:6@300, 1010, 1020, 1030, 1100..1102, tick 1103@400, "
	  "1035..1040, 1060, off-@400, end",
	  "=mode 1010:3, cbr:8@300, mnt:6@300, 1010..1010/1, 1020..1102/5, tick 1102@400, "
	  "1035..1040/12, 1060..1060/1, off-@400, end",
	  TICKS,
	  TRACE(ON(0x1010), TSC(0x300), CBR(8), MNT(6), TAKEN, TSC(0x400), TAKEN, TIP(0x1060),
		BARE_PGD) },
	{ "a TMA without its TSC", "1010: bad-context", "bad-context", "bad-context", 0,
	  TRACE(ON(0x1010), TMA, TAKEN) },
	{ "a second TMA", "1010: bad-context", "bad-context", "bad-context", 0,
	  TRACE(ON(0x1010), TSC(0x300), TMA, TMA, TAKEN) },
	{ "ticks of a return and of a target", "1030: =mode 1030:3, 1, 0, to 1060, off-@400, end",
	  "=mode 1030:3, 1030, 1100..1102, tick 1103@300, 1035..1040, tick 1042@400, 1060, "
	  "bad-query",
	  "=mode 1030:3, 1030..1102/4, tick 1102@300, 1035..1040/12, tick 1040@400, 1060..1060/1, "
	  "bad-query",
	  TICKS,
	  TRACE(ON(0x1030), TSC(0x300), TAKEN, TSC(0x400), NOT_TAKEN, TIP(0x1060), BARE_PGD) },
	{ "ticks of targets", "1040: =mode 1040:3, to 1040, to 1060, off-@400, end",
	  "=mode 1040:3, 1040, tick 1042@300, 1040, tick 1042@400, 1060, off-@400, end",
	  "=mode 1040:3, 1040..1040/1, tick 1040@300, 1040..1040/1, tick 1040@400, 1060..1060/1, "
	  "off-@400, end",
	  TICKS, TRACE(ON(0x1040), TSC(0x300), TIP(0x1040), TSC(0x400), TIP(0x1060), BARE_PGD) },
};

TEST(time)
{
	EXPECT_ROWS(rows_of_time);
}

static const struct row rows_of_no_packets[] = {
	{ "an unknown packet", "1010: bad-opc", "bad-opc", "bad-opc", 0,
	  TRACE(ON(0x1010), 2, 0xff, TAKEN) },
	{ "half an opcode", "1010: =mode 1010:3, end", "=mode 1010:3, end", "=mode 1010:3, end", 0,
	  TRACE(ON(0x1010), 2) },
	{ "half a note", "1010: =mode 1010:3, end", "=mode 1010:3, end", "=mode 1010:3, end", 0,
	  TRACE(ON(0x1010), 2, 0xc3) },
	{ "no note", "1010: bad-opc", "bad-opc", "bad-opc", 0,
	  TRACE(ON(0x1010), 2, 0xc3, 0x77, 0, 0, 0, 0, 0, 0, 0, 0) },
	{ "half a packet", "1010: =mode 1010:3, 1, end",
	  "=mode 1010:3, 1010, 1020, 1030, 1100..1102, end",
	  "=mode 1010:3, 1010..1010/1, 1020..1102/5, end", 0,
	  TRACE(ON(0x1010), TAKEN, 0x6d, 0, 0x10) },
	{ "a longer run of what a PSB is made of", "1060: =mode 1060:3, off-, end",
	  "=mode 1060:3, 1060, off-, end", "=mode 1060:3, 1060..1060/1, off-, end", 0,
	  TRACE(2, 0x82, 2, 0x82, ON(0x1060), BARE_PGD) },
	{ "bytes of a PSB that are not as many", "end", "end", "end", 0,
	  TRACE(2, 0x82, 2, 0x82, 2, 0x82) },
};

TEST(no_packets)
{
	EXPECT_ROWS(rows_of_no_packets);
}

static const struct row rows_of_overflows[] = {
	{ "lost, and on", "1040: =mode 1040:3, overflow 1060, off-, end",
	  "=mode 1040:3, overflow 1060, 1060, off-, end",
	  "=mode 1040:3, overflow 1060, 1060..1060/1, off-, end", 0,
	  TRACE(ON(0x1040), OVF, FUP(0x1060), BARE_PGD) },
	{ "lost, and on at no address", "1040: =mode 1040:3, noip", "noip", "noip", 0,
	  TRACE(ON(0x1040), OVF, BARE_FUP) },
	{ "lost, and off", "1040: =mode 1040:3, overflow-, on 1060, off-, end",
	  "=mode 1040:3, overflow-, on 1060, 1060, off-, end",
	  "=mode 1040:3, overflow-, on 1060, 1060..1060/1, off-, end", 0,
	  TRACE(ON(0x1040), OVF, PGE(0x1060), BARE_PGD) },
	{ "lost, and nothing more", "1040: =mode 1040:3, overflow-, end",
	  "=mode 1040:3, overflow-, end", "=mode 1040:3, overflow-, end", 0,
	  TRACE(ON(0x1040), OVF) },
	{ "lost, and a branch", "1040: =mode 1040:3, bad-context", "bad-context", "bad-context", 0,
	  TRACE(ON(0x1040), OVF, TIP(0x1060), BARE_PGD) },
	{ "lost, and outcomes", "1040: =mode 1040:3, bad-context", "bad-context", "bad-context", 0,
	  TRACE(ON(0x1040), OVF, TAKEN) },
	{ "lost, and off without having been on", "1040: =mode 1040:3, bad-context", "bad-context",
	  "bad-context", 0, TRACE(ON(0x1040), OVF, PGD(0x1060), PGE(0x1060), BARE_PGD) },
	{ "lost, and what is no packet", "1040: =mode 1040:3, bad-opc", "bad-opc", "bad-opc", 0,
	  TRACE(ON(0x1040), OVF, 2, 0xff) },
	{ "lost, and time", "1040: =mode 1040:3, cbr:3@400, overflow 1060@300, off-@400, end",
	  "=mode 1040:3, cbr:3@400, overflow 1060@300, 1060, off-@400, end",
	  "=mode 1040:3, cbr:3@400, overflow 1060@300, 1060..1060/1, off-@400, end", 0,
	  TRACE(ON(0x1040), TSC(0x300), OVF, TSC(0x400), CBR(3), FUP(0x1060), BARE_PGD) },
	{ "lost, a branch", "1040: =mode 1040:3, overflow 1060@400, off-@400, end",
	  "=mode 1040:3, overflow 1060@400, 1060, off-@400, end",
	  "=mode 1040:3, overflow 1060@400, 1060..1060/1, off-@400, end", SKD010,
	  TRACE(ON(0x1040), OVF, MNT(1), CBR(3), TSC(0x400), TIP(0x1060), BARE_PGD) },
	{ "lost, a branch to nowhere", "1040: =mode 1040:3, bad-context", "bad-context",
	  "bad-context", SKD010, TRACE(ON(0x1040), OVF, BARE_TIP) },
	{ "lost, an address behind a mode",
	  "1040: =mode 1040:3, overflow 1060, async 1060:1010, off-, end",
	  "=mode 1040:3, overflow 1060, async 1060:1010, 1010, end",
	  "=mode 1040:3, overflow 1060, async 1060:1010, 1010..1010/1, off-, end", SKD010,
	  TRACE(ON(0x1040), OVF, MODE64, FUP(0x1060), TIP(0x1010), BARE_PGD) },
	{ "lost, an address behind a transaction",
	  "1040: =mode 1040:3, overflow 1060, tsx 1060:in, off-, end",
	  "=mode 1040:3, overflow 1060, tsx 1060:in, 1060*, off-, end",
	  "=mode 1040:3, overflow 1060, tsx 1060:in, 1060..1060/1*, off-, end", SKD010,
	  TRACE(ON(0x1040), OVF, BEGIN_TX, FUP(0x1060), BARE_PGD) },
	{ "lost, two transactions",
	  "1040: =mode 1040:3, overflow-, tsx-:in, tsx-, async-off 1060, end",
	  "=mode 1040:3, overflow-, tsx-:in, tsx-, end",
	  "=mode 1040:3, overflow-, tsx-:in, tsx-, nomap", SKD010,
	  TRACE(ON(0x1040), OVF, BEGIN_TX, END_TX, FUP(0x1060), BARE_PGD) },
	{ "lost, off", "1040: =mode 1040:3, overflow-, on 1060, off-, end",
	  "=mode 1040:3, overflow-, on 1060, 1060, off-, end",
	  "=mode 1040:3, overflow-, on 1060, 1060..1060/1, off-, end", SKD010,
	  TRACE(ON(0x1040), OVF, CBR(3), BARE_PGD, PGE(0x1060), BARE_PGD) },
	{ "lost, a PSB+ that has an address",
	  "1040: =mode 1040:3, overflow 1060, =mode 1060:3, off-, end",
	  "=mode 1040:3, overflow 1060, =mode 1060:3, 1060, off-, end",
	  "=mode 1040:3, overflow 1060, =mode 1060:3, 1060..1060/1, off-, end", SKD010,
	  TRACE(ON(0x1040), OVF, PIP(3), ON(0x1060), BARE_PGD) },
	{ "lost, a PSB+ that has none",
	  "1040: =mode 1040:3, overflow-, =mode-:3, on 1060, off-, end",
	  "=mode 1040:3, overflow-, =mode-:3, on 1060, 1060, off-, end",
	  "=mode 1040:3, overflow-, =mode-:3, on 1060, 1060..1060/1, off-, end", SKD010,
	  TRACE(ON(0x1040), OVF, OFF, PGE(0x1060), BARE_PGD) },
	{ "lost, a PSB+ that is cut short", "1040: =mode 1040:3, overflow-, end",
	  "=mode 1040:3, overflow-, end", "=mode 1040:3, overflow-, end", SKD010,
	  TRACE(ON(0x1040), OVF, PSB, MODE64) },
	{ "lost, an end of no PSB+", "1040: =mode 1040:3, bad-context", "bad-context",
	  "bad-context", SKD010, TRACE(ON(0x1040), OVF, PSBEND, TIP(0x1060)) },
	{ "lost, power and PTWRITE and an address",
	  "1040: =mode 1040:3, overflow 1060, async-off 1060, end",
	  "=mode 1040:3, overflow 1060, async-off 1060, end",
	  "=mode 1040:3, overflow 1060, async-off 1060, end", SKD010,
	  TRACE(ON(0x1040), OVF, EXSTOP, PTW, PWRE, FUP(0x1060), BARE_PGD) },
	{ "lost, power that has an address",
	  "1040: =mode 1040:3, overflow-, exstop 1060, off-, end",
	  "=mode 1040:3, overflow-, exstop 1060, end",
	  "=mode 1040:3, overflow-, exstop 1060, nomap", SKD010,
	  TRACE(ON(0x1040), OVF, EXSTOP_IP, FUP(0x1060), BARE_PGD) },
	{ "lost, PTWRITE that has an address",
	  "1040: =mode 1040:3, overflow-, ptwrite 1060:7, off-, end",
	  "=mode 1040:3, overflow-, ptwrite 1060:7, end",
	  "=mode 1040:3, overflow-, ptwrite 1060:7, nomap", SKD010,
	  TRACE(ON(0x1040), OVF, PTW_IP, FUP(0x1060), BARE_PGD) },
	{ "lost, on", "1040: =mode 1040:3, overflow 1060, off-, end",
	  "=mode 1040:3, overflow 1060, 1060, off-, end",
	  "=mode 1040:3, overflow 1060, 1060..1060/1, off-, end", SKD010,
	  TRACE(ON(0x1040), OVF, FUP(0x1060), BARE_PGD) },
	{ "lost, begins", "1040: =mode 1040:3, overflow-, on 1060, off-, end",
	  "=mode 1040:3, overflow-, on 1060, 1060, off-, end",
	  "=mode 1040:3, overflow-, on 1060, 1060..1060/1, off-, end", SKD010,
	  TRACE(ON(0x1040), OVF, PGE(0x1060), BARE_PGD) },
	{ "lost, outcomes", "1040: =mode 1040:3, bad-context", "bad-context", "bad-context", SKD010,
	  TRACE(ON(0x1040), OVF, TAKEN, TIP(0x1060)) },
	{ "lost, nothing", "1040: =mode 1040:3, overflow-, cbr:3, end",
	  "=mode 1040:3, overflow-, cbr:3, end", "=mode 1040:3, overflow-, cbr:3, end", SKD010,
	  TRACE(ON(0x1040), OVF, CBR(3)) },
	{ "lost, no packet", "1040: =mode 1040:3, bad-opc", "bad-opc", "bad-opc", SKD010,
	  TRACE(ON(0x1040), OVF, 2, 0xff) },
	{ "lost, a TMA without TSC", "1040: =mode 1040:3, bad-context", "bad-context",
	  "bad-context", SKD010, TRACE(ON(0x1040), OVF, PIP(3), TMA, FUP(0x1060)) },
	{ "lost, off at once", "1040: =mode 1040:3, overflow-@400, on 1060@400, off-@400, end",
	  "=mode 1040:3, overflow-@400, on 1060@400, 1060, off-@400, end",
	  "=mode 1040:3, overflow-@400, on 1060@400, 1060..1060/1, off-@400, end", APL11,
	  TRACE(ON(0x1040), TSC(0x300), OVF, TSC(0x400), PGD(0x1060), PGE(0x1060), BARE_PGD) },
	{ "lost, no branch", "1040: =mode 1040:3, bad-context", "bad-context", "bad-context", APL11,
	  TRACE(ON(0x1040), OVF, TIP(0x1060), BARE_PGD) },
	{ "lost, begins at once", "1040: =mode 1040:3, overflow-, on 1060, off-, end",
	  "=mode 1040:3, overflow-, on 1060, 1060, off-, end",
	  "=mode 1040:3, overflow-, on 1060, 1060..1060/1, off-, end", APL11,
	  TRACE(ON(0x1040), OVF, PGE(0x1060), BARE_PGD) },
	{ "lost, off at once, or a branch", "1040: =mode 1040:3, bad-context", "bad-context",
	  "bad-context", SKD010 | APL11, TRACE(ON(0x1040), OVF, TAKEN, BARE_PGD) },
	{ "lost, an address though it is off",
	  "1040: =mode 1040:3, overflow-@400, on 1060@400, off-@400, end",
	  "=mode 1040:3, overflow-@400, on 1060@400, 1060, off-@400, end",
	  "=mode 1040:3, overflow-@400, on 1060@400, 1060..1060/1, off-@400, end", APL12,
	  TRACE(ON(0x1040), TSC(0x300), OVF, TSC(0x400), FUP(0x1060), PGE(0x1060), BARE_PGD) },
	{ "lost, an address though it is stopped", "1040: =mode 1040:3, overflow-, stop, end",
	  "=mode 1040:3, overflow-, stop, end", "=mode 1040:3, overflow-, stop, end", APL12,
	  TRACE(ON(0x1040), OVF, FUP(0x1060), STOP) },
	{ "lost, an address and a branch", "1040: =mode 1040:3, overflow 1060, off-, end",
	  "=mode 1040:3, overflow 1060, 1060, off-, end",
	  "=mode 1040:3, overflow 1060, 1060..1060/1, off-, end", APL12,
	  TRACE(ON(0x1040), OVF, FUP(0x1060), BARE_PGD) },
	{ "lost, an address and nothing", "1040: =mode 1040:3, overflow 1060, end",
	  "=mode 1040:3, overflow 1060, end", "=mode 1040:3, overflow 1060, end", APL12,
	  TRACE(ON(0x1040), OVF, FUP(0x1060)) },
	{ "lost, an address and no packet", "1040: =mode 1040:3, bad-opc", "bad-opc", "bad-opc",
	  APL12, TRACE(ON(0x1040), OVF, FUP(0x1060), 2, 0xff) },
	{ "lost, an address and the end of no PSB+", "1040: =mode 1040:3, bad-context",
	  "bad-context", "bad-context", APL12, TRACE(ON(0x1040), OVF, FUP(0x1060), PSBEND) },
	{ "lost, an address and a PSB+ with one",
	  "1040: =mode 1040:3, overflow 1060, =mode 1060:3, off-, end",
	  "=mode 1040:3, overflow 1060, =mode 1060:3, 1060, off-, end",
	  "=mode 1040:3, overflow 1060, =mode 1060:3, 1060..1060/1, off-, end", APL12,
	  TRACE(ON(0x1040), OVF, FUP(0x1060), ON(0x1060), BARE_PGD) },
	{ "lost, an address and a PSB+ without",
	  "1040: =mode 1040:3, overflow-, =mode-:3, on 1060, off-, end",
	  "=mode 1040:3, overflow-, =mode-:3, on 1060, 1060, off-, end",
	  "=mode 1040:3, overflow-, =mode-:3, on 1060, 1060..1060/1, off-, end", APL12,
	  TRACE(ON(0x1040), OVF, FUP(0x1060), OFF, PGE(0x1060), BARE_PGD) },
	{ "lost, an address and a PSB+ cut short", "1040: =mode 1040:3, overflow 1060, end",
	  "=mode 1040:3, overflow 1060, end", "=mode 1040:3, overflow 1060, end", APL12,
	  TRACE(ON(0x1040), OVF, FUP(0x1060), PSB, MODE64) },
	{ "lost in place of the rest of a CYC", "1040: =mode 1040:3, overflow 1060, off-, end",
	  "=mode 1040:3, overflow 1060, 1060, off-, end",
	  "=mode 1040:3, overflow 1060, 1060..1060/1, off-, end", SKD007,
	  TRACE(ON(0x1040), 0x07, 0x02, 0xf3, FUP(0x1060), BARE_PGD) },
	{ "nothing is lost in a CYC", "1040: =mode 1040:3, to 1060, off-, end",
	  "=mode 1040:3, 1040, 1060, off-, end",
	  "=mode 1040:3, 1040..1040/1, 1060..1060/1, off-, end", 0,
	  TRACE(ON(0x1040), 0x07, 0x02, TIP(0x1060), BARE_PGD) },
	{ "nothing is lost in another CYC", "1040: =mode 1040:3, to 1060, off-, end",
	  "=mode 1040:3, 1040, 1060, off-, end",
	  "=mode 1040:3, 1040..1040/1, 1060..1060/1, off-, end", SKD007,
	  TRACE(ON(0x1040), 0x07, 0x04, TIP(0x1060), BARE_PGD) },
};

TEST(overflows)
{
	EXPECT_ROWS(rows_of_overflows);
}

static const struct row rows_of_other_errata[] = {
	{ "an abort behind a branch",
	  "100f: =mode 100f:3, tsx 1010:in, 1, tsx 1101:abort, async 1101:1060, off-, end",
	  "=mode 100f:3, 100f, tsx 1010:in, 1010*, 1020*, 1030*, 1100*, tsx 1101:abort, async "
	  "1101:1060, 1060, off-, end",
	  "=mode 100f:3, 100f..100f/1, tsx 1010:in, 1010..1010/1*, 1020..1100/3*, tsx 1101:abort, "
	  "async 1101:1060, 1060..1060/1, off-, end",
	  BDM64,
	  TRACE(ON(0x100f), BEGIN_TX, FUP(0x1010), TAKEN, ABORT_TX, FUP(0x1101), TIP(0x1060),
		BARE_PGD) },
	{ "an abort that the branch led to",
	  "100f: =mode 100f:3, tsx 1010:in, 0, tsx 1014:abort, async 1014:1060, off-, end",
	  "=mode 100f:3, 100f, tsx 1010:in, 1010..1013*, tsx 1014:abort, async 1014:1060, 1060, "
	  "off-, end",
	  "=mode 100f:3, 100f..100f/1, tsx 1010:in, 1010..1010/1*, 1012..1013/2*, tsx 1014:abort, "
	  "async 1014:1060, 1060..1060/1, off-, end",
	  BDM64,
	  TRACE(ON(0x100f), BEGIN_TX, FUP(0x1010), NOT_TAKEN, ABORT_TX, FUP(0x1014), TIP(0x1060),
		BARE_PGD) },
	{ "a VM entry that ends tracing", "1067: =mode 1067:3, async-off 1068:106b, end",
	  "=mode 1067:3, 1067..1068, off 106b, end", "=mode 1067:3, 1067..1068/2, off 106b, end",
	  SKD022, TRACE(ON(0x1067), FUP(0x1068), PGD(0x106b)) },
	{ "a VM entry that ends tracing, at once", "1068: =mode 1068:3, async-off 1068, end",
	  "=mode 1068:3, 1068, off-, end", "=mode 1068:3, 1068..1068/1, off-, end", SKD022,
	  TRACE(ON(0x1068), FUP(0x1068), BARE_PGD) },
	{ "no VM entry", "1060: =mode 1060:3, async-off 1061:106b, end", "=mode 1060:3, 1060, end",
	  "=mode 1060:3, 1060..1060/1, bad-query", SKD022,
	  TRACE(ON(0x1060), FUP(0x1061), PGD(0x106b)) },
	{ "a direct branch out of what is traced", "1020: =mode 1020:3, off-, end",
	  "=mode 1020:3, 1020, 1030, off-, end", "=mode 1020:3, 1020..1030/2, off-, end",
	  SKL014 | FILTER, TRACE(ON(0x1020), BARE_PGD) },
	{ "a direct branch to where tracing stops", "1020: =mode 1020:3, off-, end",
	  "=mode 1020:3, 1020, 1030, off-, end", "=mode 1020:3, 1020..1030/2, off-, end",
	  SKL014 | STOPS, TRACE(ON(0x1020), BARE_PGD) },
	{ "a direct branch, and no filter", "1020: =mode 1020:3, off-, end",
	  "=mode 1020:3, 1020, 1030, 1100..1102, end", "=mode 1020:3, 1020..1102/5, off-, end",
	  SKL014, TRACE(ON(0x1020), BARE_PGD) },
	{ "a filter", "1020: =mode 1020:3, off-, end", "=mode 1020:3, 1020, 1030, 1100..1102, end",
	  "=mode 1020:3, 1020..1102/5, off-, end", FILTER, TRACE(ON(0x1020), BARE_PGD) },
};

TEST(other_errata)
{
	EXPECT_ROWS(rows_of_other_errata);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(transactions_and_power),
		cmocka_unit_test(time),
		cmocka_unit_test(no_packets),
		cmocka_unit_test(overflows),
		cmocka_unit_test(other_errata),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
