/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_COMPAT_TOLD_ROWS_H
#define TESTS_UNIT_COMPAT_TOLD_ROWS_H
/*
 * Tables of short traces over the code of told.h, with all that the decoders of queries, of
 * instructions and of blocks say of them.
 */
#include "told.h"

#define PSB 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82, 2, 0x82
#define PSBEND 2, 0x23
#define MODE64 0x99, 1
#define ADDRESS(a) (a) & 0xff, (a) >> 8, 0, 0, 0, 0
#define FUP(a) 0x7d, ADDRESS(a)
#define TIP(a) 0x6d, ADDRESS(a)
#define PGE(a) 0x71, ADDRESS(a)
#define PGD(a) 0x61, ADDRESS(a)
#define BARE_TIP 0x0d
#define BARE_FUP 0x1d
#define BARE_PGD 0x01
/* "6 bytes v: bit 0 NR, CR3 = (v >> 1) << 5"; "5 bytes: base = v << 12" */
#define PIP(page) 2, 0x43, 0, (page) << 4, 0, 0, 0, 0
#define VMCS(page) 2, 0xc8, (page), 0, 0, 0, 0
#define TSC(t) 0x19, (t) & 0xff, (t) >> 8, 0, 0, 0, 0, 0
#define TMA 2, 0x73, 1, 0, 0, 0, 0
#define CBR(ratio) 2, 3, (ratio), 0
#define MNT(n) 2, 0xc3, 0x88, (n), 0, 0, 0, 0, 0, 0, 0
#define OVF 2, 0xf3
#define STOP 2, 0x83
#define EXSTOP 2, 0x62
#define EXSTOP_IP 2, 0xe2
#define PTW 2, 0x12, 7, 0, 0, 0
#define PTW_IP 2, 0x92, 7, 0, 0, 0
#define MWAIT 2, 0xc2, 0x50, 0, 0, 0, 2, 0, 0, 0
#define PWRE 2, 0x22, 0, 0x10
#define BEGIN_TX 0x99, 0x21
#define END_TX 0x99, 0x20
#define ABORT_TX 0x99, 0x22
#define CFE(type) 2, 0x13, (type), 0x21
#define CFE_IP(type) 2, 0x13, 0x80 | (type), 0x21
#define EVD(type, n) 2, 0x53, (type), (n), 0, 0, 0, 0, 0, 0, 0
/* Outcomes: a stop bit, then the oldest one at the top. */
#define TAKEN 0x06
#define NOT_TAKEN 0x04
#define ON(a) PSB, MODE64, FUP(a), PSBEND
#define OFF PSB, MODE64, PSBEND

enum { BYTES = 120 };

/* Errata, in the order of struct pt_errata. */
enum {
	BDM70 = 1 << 0,
	BDM64 = 1 << 1,
	SKD007 = 1 << 2,
	SKD022 = 1 << 3,
	SKD010 = 1 << 4,
	SKL014 = 1 << 5,
	APL12 = 1 << 6,
	APL11 = 1 << 7,
	FILTER = 1 << 16, /* no erratum: 1000 to 10ff is what is traced */
	STOPS = 1 << 17,  /* none either: at 1100 to 11ff tracing stops */
	IFLAGS = 1 << 18,
	TICKS = 1 << 19,
	ENDS = 1 << 20, /* blocks end at calls and jumps */
};

#define TRACE(...)                                                                                 \
	sizeof((const uint8_t[]){ __VA_ARGS__ }),                                                  \
	{                                                                                          \
		__VA_ARGS__                                                                        \
	}

struct row {
	const char *title, *queries, *insns, *blocks;
	uint32_t with;
	size_t size;
	uint8_t bytes[BYTES];
};

static inline struct pt_config row_config(const struct row *row)
{
	struct pt_config config;

	pt_config_init(&config);
	config.begin = (uint8_t *)(uintptr_t)row->bytes;
	config.end = config.begin + row->size;
	config.errata.bdm70 = !!(row->with & BDM70);
	config.errata.bdm64 = !!(row->with & BDM64);
	config.errata.skd007 = !!(row->with & SKD007);
	config.errata.skd022 = !!(row->with & SKD022);
	config.errata.skd010 = !!(row->with & SKD010);
	config.errata.skl014 = !!(row->with & SKL014);
	config.errata.apl12 = !!(row->with & APL12);
	config.errata.apl11 = !!(row->with & APL11);
	if (row->with & (FILTER | STOPS)) {
		config.addr_filter.config.addr_cfg =
			row->with & FILTER ? pt_addr_cfg_filter << 4 : pt_addr_cfg_stop << 4;
		config.addr_filter.addr1_a = row->with & FILTER ? 0x1000 : 0x1100;
		config.addr_filter.addr1_b = row->with & FILTER ? 0x10ff : 0x11ff;
	}
	return config;
}

static inline void expect_row(const struct row *row, const char *who, const struct told *told,
			      const char *wanted)
{
	if (strcmp(told->text, wanted) != 0)
		fail_msg("%s: %s:\n  said \"%s\"\nwanted \"%s\"", row->title, who, told->text,
			 wanted);
}

/* Each row, by each decoder. */
static inline void expect_rows(const struct row *rows, size_t count)
{
	for (const struct row *row = rows; row < rows + count; row++) {
		struct pt_config config = row_config(row);
		struct pt_conf_flags *flags = &config.flags;
		const bool iflags = row->with & IFLAGS, ticks = row->with & TICKS;
		struct told told;

		flags->variant.query.enable_iflags_events = iflags;
		tell_queries(&told, &config);
		expect_row(row, "queries", &told, row->queries);
		memset(flags, 0, sizeof(*flags));
		flags->variant.insn.enable_iflags_events = iflags;
		flags->variant.insn.enable_tick_events = ticks;
		tell_insns(&told, &config);
		expect_row(row, "instructions", &told, row->insns);
		memset(flags, 0, sizeof(*flags));
		flags->variant.block.enable_iflags_events = iflags;
		flags->variant.block.enable_tick_events = ticks;
		flags->variant.block.end_on_call = !!(row->with & ENDS);
		flags->variant.block.end_on_jump = !!(row->with & ENDS);
		tell_blocks(&told, &config);
		expect_row(row, "blocks", &told, row->blocks);
	}
}

#define EXPECT_ROWS(rows) expect_rows(rows, sizeof(rows) / sizeof((rows)[0]))

#endif
