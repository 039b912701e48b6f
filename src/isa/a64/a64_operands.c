/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arm Architecture Reference Manual (DDI 0487), chapter C4: the register fields of each encoding
 * group.
 */
#include "isa/a64/a64_operands.h"

#include <stddef.h>

/* What fields mean. D, T and Pd are bits 4:0, N 9:5, A and T2 14:10, M and S 20:16. */
enum {
	WD = 1 << 0,  /* D is written */
	RD = 1 << 1,  /* D is read */
	DSP = 1 << 2, /* 31 in D is SP */
	DV = 1 << 3,  /* D is a vector register */
	RN = 1 << 4,
	WN = 1 << 5,
	NSP = 1 << 6,
	NV = 1 << 7,
	RM = 1 << 8,
	WM = 1 << 9,
	MV = 1 << 10,
	RA = 1 << 11,
	WA = 1 << 12,
	AV = 1 << 13,
	RF = 1 << 14, /* NZCV */
	WF = 1 << 15,
	LINK = 1 << 16, /* X30 is written */
	DP = 1 << 17,   /* D is a predicate */
	GP = 1 << 18,   /* bits 12:10 name a governing predicate */
	MSP = 1 << 20,  /* 31 in M is SP */
	D2 = 1 << 19,   /* two registers from D on: compare and swap pair */
	BASE = RN | NSP,
	VECTOR = WD | DV | RN | NV,
};

struct row {
	uint32_t mask, bits;
	uint32_t roles;
};

/* "Branches, Exception Generating and System instructions" */
static const struct row branches[] = {
	{ 0xff000000, 0x54000000, RF },                   /* B.cond, BC.cond */
	{ 0x7e000000, 0x34000000, RD },                   /* CBZ, CBNZ */
	{ 0x7e000000, 0x36000000, RD },                   /* TBZ, TBNZ */
	{ 0xfc000000, 0x94000000, LINK },                 /* BL */
	{ 0xfffffc00, 0xd63f0000, RN | LINK },            /* BLR */
	{ 0xfffff800, 0xd63f0800, RN | LINK },            /* BLRAAZ, BLRABZ */
	{ 0xfffff800, 0xd73f0800, RN | RD | DSP | LINK }, /* BLRAA, BLRAB */
	{ 0xfffff800, 0xd71f0800, RN | RD | DSP },        /* BRAA, BRAB */
	{ 0xffe00000, 0xd6000000, RN },                   /* BR */
	{ 0xffe00000, 0xd6400000, RN },                   /* RET */
	{ 0xfff00000, 0xd5300000, WD },                   /* MRS */
	{ 0xfff00000, 0xd5100000, RD },                   /* MSR (register) */
	{ 0xfff80000, 0xd5080000, RD },                   /* SYS */
	{ 0xfff80000, 0xd5280000, WD },                   /* SYSL */
};

/* "Data Processing -- Immediate", "-- Register" */
static const struct row integers[] = {
	{ 0x1f000000, 0x10000000, WD },                  /* ADR, ADRP */
	{ 0x3f800000, 0x31000000, WD | BASE | WF },      /* ADDS, SUBS (immediate) */
	{ 0x1f800000, 0x11000000, WD | DSP | BASE },     /* ADD, SUB (immediate) */
	{ 0x7ff00000, 0x11c00000, WD | RN },             /* SMAX to UMIN (immediate) */
	{ 0x1f800000, 0x11800000, WD | DSP | BASE },     /* ADDG, SUBG */
	{ 0x7f800000, 0x72000000, WD | RN | WF },        /* ANDS (immediate) */
	{ 0x1f800000, 0x12000000, WD | DSP | RN },       /* AND, ORR, EOR (immediate) */
	{ 0x7f800000, 0x72800000, WD | RD },             /* MOVK */
	{ 0x1f800000, 0x12800000, WD },                  /* MOVN, MOVZ */
	{ 0x7f800000, 0x33000000, WD | RD | RN },        /* BFM */
	{ 0x1f800000, 0x13000000, WD | RN },             /* SBFM, UBFM */
	{ 0x1f800000, 0x13800000, WD | RN | RM },        /* EXTR */
	{ 0x7f000000, 0x6a000000, WD | RN | RM | WF },   /* ANDS, BICS */
	{ 0x1f000000, 0x0a000000, WD | RN | RM },        /* logical (shifted register) */
	{ 0x3f200000, 0x2b200000, WD | BASE | RM | WF }, /* ADDS, SUBS (extended register) */
	{ 0x1f200000, 0x0b200000, WD | DSP | BASE | RM },
	{ 0x3f200000, 0x2b000000, WD | RN | RM | WF }, /* (shifted register) */
	{ 0x1f200000, 0x0b000000, WD | RN | RM },
	{ 0x3fe0fc00, 0x3a000000, WD | RN | RM | RF | WF }, /* ADCS, SBCS */
	{ 0x3fe0fc00, 0x1a000000, WD | RN | RM | RF },      /* ADC, SBC */
	{ 0xbfe0e000, 0x9a002000, WD | DSP | BASE | RM },   /* ADDPT, SUBPT */
	{ 0x1fe00000, 0x1a000000, RN | RF | WF },           /* RMIF, SETF8, SETF16 */
	{ 0x1fe00800, 0x1a400800, RN | RF | WF },           /* CCMN, CCMP (immediate) */
	{ 0x1fe00000, 0x1a400000, RN | RM | RF | WF },
	{ 0x1fe00000, 0x1a800000, WD | RN | RM | RF },    /* conditional select */
	{ 0xff600000, 0x9b400000, WD | RN | RM },         /* SMULH, UMULH */
	{ 0x1f000000, 0x1b000000, WD | RN | RM | RA },    /* 3 source */
	{ 0xffe0fc00, 0x9ac00000, WD | BASE | RM | MSP }, /* SUBP */
	{ 0xffe0fc00, 0xbac00000, WD | BASE | RM | MSP | WF },
	{ 0xffe0fc00, 0x9ac01000, WD | DSP | BASE | RM }, /* IRG */
	{ 0x5fe00000, 0x1ac00000, WD | RN | RM },         /* 2 source */
	{ 0x5fe00000, 0x5ac00000, WD | RN },              /* 1 source */
};

/* "Loads and Stores" */
static const struct row memory[] = {
	{ 0xbfe00000, 0x88200000, RD | RA | WM | BASE },      /* STXP, STLXP */
	{ 0xbfe00000, 0x88600000, WD | WA | BASE },           /* LDXP, LDAXP */
	{ 0xbfa00000, 0x08200000, RM | WM | RD | D2 | BASE }, /* CASP */
	{ 0x3fe00000, 0x08000000, RD | WM | BASE },           /* STXR, STLXR */
	{ 0x3fe00000, 0x08400000, WD | BASE },                /* LDXR, LDAXR */
	{ 0x3fe00000, 0x08800000, RD | BASE },                /* STLR, STLLR */
	{ 0x3fe00000, 0x08c00000, WD | BASE },                /* LDAR, LDLAR */
	{ 0x3fa00000, 0x08a00000, RM | WM | RD | BASE },      /* CAS */
	{ 0xff000000, 0xd8000000, 0 },                        /* PRFM (literal) */
	{ 0x3f000000, 0x18000000, WD },                       /* LDR (literal) */
	{ 0x3f000000, 0x1c000000, WD | DV },
	{ 0x3fc00000, 0x28c00000, WD | WA | BASE | WN }, /* LDP, post-indexed */
	{ 0x3fc00000, 0x29c00000, WD | WA | BASE | WN }, /* pre-indexed */
	{ 0x3ec00000, 0x28400000, WD | WA | BASE },      /* LDP, LDNP */
	{ 0x3fc00000, 0x28800000, RD | RA | BASE | WN }, /* STP */
	{ 0x3fc00000, 0x29800000, RD | RA | BASE | WN },
	{ 0x3e400000, 0x28000000, RD | RA | BASE },
	{ 0x3fc00000, 0x2cc00000, WD | DV | WA | AV | BASE | WN },
	{ 0x3fc00000, 0x2dc00000, WD | DV | WA | AV | BASE | WN },
	{ 0x3ec00000, 0x2c400000, WD | DV | WA | AV | BASE },
	{ 0x3fc00000, 0x2c800000, RD | DV | RA | AV | BASE | WN },
	{ 0x3fc00000, 0x2d800000, RD | DV | RA | AV | BASE | WN },
	{ 0x3e400000, 0x2c000000, RD | DV | RA | AV | BASE },
	{ 0xffe00c00, 0xf8a00800, BASE | RM },      /* PRFM (register) */
	{ 0xffc00000, 0xf9800000, BASE },           /* PRFM (immediate) */
	{ 0xffe00c00, 0xf8800000, BASE },           /* PRFUM */
	{ 0x3f200c00, 0x38200000, RM | WD | BASE }, /* atomic memory operations */
	{ 0x3f200400, 0x38200400, WD | BASE },      /* LDRAA, LDRAB */
	{ 0x3fe00c00, 0x38200800, RD | BASE | RM }, /* STR (register) */
	{ 0x3f200c00, 0x38200800, WD | BASE | RM }, /* LDR (register) */
	{ 0x3fe00400, 0x38000400, RD | BASE | WN }, /* STR, post- and pre-indexed */
	{ 0x3f200400, 0x38000400, WD | BASE | WN }, /* LDR, post- and pre-indexed */
	{ 0x3fe00400, 0x38000000, RD | BASE },      /* STUR, STTR */
	{ 0x3f200400, 0x38000000, WD | BASE },      /* LDUR, LDTR */
	{ 0x3fc00000, 0x39000000, RD | BASE },      /* STR (unsigned immediate) */
	{ 0x3f000000, 0x39000000, WD | BASE },      /* LDR (unsigned immediate) */
	{ 0x3f600c00, 0x3c200800, RD | DV | BASE | RM },
	{ 0x3f600c00, 0x3c600800, WD | DV | BASE | RM },
	{ 0x3f600400, 0x3c000400, RD | DV | BASE | WN },
	{ 0x3f600400, 0x3c400400, WD | DV | BASE | WN },
	{ 0x3f600400, 0x3c000000, RD | DV | BASE },
	{ 0x3f600400, 0x3c400000, WD | DV | BASE },
	{ 0x3f400000, 0x3d000000, RD | DV | BASE },
	{ 0x3f400000, 0x3d400000, WD | DV | BASE },
	{ 0xbee00000, 0x0c400000, WD | DV | BASE }, /* structures: load */
	{ 0xbec00000, 0x0cc00000, WD | DV | BASE | RM | WN },
	{ 0xbec00000, 0x0c400000, WD | DV | BASE },
	{ 0xbec00000, 0x0c800000, RD | DV | BASE | RM | WN },
	{ 0xbe400000, 0x0c000000, RD | DV | BASE },
	{ 0x3f600c00, 0x1d000800, RD | DV | BASE }, /* STLUR, LDAPUR of vectors */
	{ 0x3f600c00, 0x1d400800, WD | DV | BASE },
	{ 0xffe00c00, 0xd9600000, RD | WD | BASE },  /* LDG */
	{ 0xff200c00, 0xd9200000, RD | BASE },       /* STGM and the like */
	{ 0xff200c00, 0xd9200800, RD | DSP | BASE }, /* STG and the like */
	{ 0xff200400, 0xd9200400, RD | DSP | BASE | WN },
	{ 0xffffec00, 0xd91f0c00, RD | BASE },      /* GCSSTR, GCSSTTR */
	{ 0xbfe0fc00, 0x99800800, RD | BASE | WN }, /* STLR, LDAPR with write-back */
	{ 0xbfe0fc00, 0x99c00800, WD | BASE | WN },
	{ 0x3fe00c00, 0x19000000, RD | BASE }, /* STLUR */
	{ 0x3f200c00, 0x19000000, WD | BASE }, /* LDAPUR */
};

/* "Data Processing -- Scalar Floating-Point and Advanced SIMD" */
static const struct row vectors[] = {
	{ 0xff20fc0f, 0x1e202008, RN | NV | WF },                /* FCMP with zero */
	{ 0xff20fc07, 0x1e202000, RN | NV | RM | MV | WF },      /* FCMP, FCMPE */
	{ 0xff200c00, 0x1e200400, RN | NV | RM | MV | RF | WF }, /* FCCMP, FCCMPE */
	{ 0xff200c00, 0x1e200c00, VECTOR | RM | MV | RF },       /* FCSEL */
	{ 0xff201fe0, 0x1e201000, WD | DV },                     /* FMOV (immediate) */
	{ 0xff000000, 0x1f000000, VECTOR | RM | MV | RA | AV },  /* 3 source */
	{ 0x7f36fc00, 0x1e220000, WD | DV | RN },                /* SCVTF, UCVTF */
	{ 0x7f27fc00, 0x1e270000, WD | DV | RN },                /* FMOV to vector */
	/* conversions to integer, FMOV from vector */
	{ 0x7f20fc00, 0x1e200000, WD | RN | NV },
	{ 0x7f3e0000, 0x1e020000, WD | DV | RN }, /* fixed point */
	{ 0x7f3e0000, 0x1e180000, WD | RN | NV },
	{ 0xff207c00, 0x1e204000, VECTOR },            /* 1 source */
	{ 0xbfe0fc00, 0x0e000c00, WD | DV | RN },      /* DUP (general) */
	{ 0xffe0fc00, 0x4e001c00, WD | RD | DV | RN }, /* INS (general) */
	{ 0xbfe0ec00, 0x0e002c00, WD | RN | NV },      /* SMOV, UMOV */
	{ 0x9ff80400, 0x0f000400, WD | DV },           /* modified immediate */
	{ 0x9f3e0c00, 0x0e200800, VECTOR },            /* two-register miscellaneous */
	{ 0xdf3e0c00, 0x5e200800, VECTOR },
	{ 0x9f3e0c00, 0x0e300800, VECTOR },                 /* across lanes */
	{ 0xff3e0c00, 0x4e280800, WD | RD | DV | RN | NV }, /* AES */
	{ 0x9f800400, 0x0f000400, VECTOR },                 /* shift by immediate */
	{ 0xdf800400, 0x5f000400, VECTOR },
};

/* "SVE encodings", as far as they name integer registers and predicates. */
static const struct row scalable[] = {
	{ 0xff20fc00, 0x25200000, RN | RM | WF | DP | WD }, /* WHILE */
	{ 0xfe008000, 0x84008000, WD | DV | BASE | GP },    /* loads */
	{ 0xfe000000, 0xa4000000, WD | DV | BASE | RM | GP },
	{ 0xfe000000, 0x84000000, WD | DV | BASE | GP },
	{ 0xfe000000, 0xc4000000, WD | DV | BASE | GP },
	{ 0xfe000000, 0xe4000000, RD | DV | BASE | RM | GP }, /* stores */
};

struct part {
	uint32_t mask, bits;
	const struct row *rows;
	size_t count;
	uint32_t otherwise; /* of what no row names */
};

#define ROWS(rows) rows, sizeof(rows) / sizeof((rows)[0])

/* op0, "A64 instruction set encoding" (C4.1) */
static const struct part parts[] = {
	{ 0x1c000000, 0x14000000, ROWS(branches), 0 },
	{ 0x1c000000, 0x10000000, ROWS(integers), 0 },
	{ 0x0e000000, 0x0a000000, ROWS(integers), 0 },
	{ 0x0a000000, 0x08000000, ROWS(memory), 0 },
	{ 0x0e000000, 0x0e000000, ROWS(vectors), VECTOR | RM | MV },
	{ 0x1e000000, 0x04000000, ROWS(scalable), VECTOR | RM | MV | GP },
};

/* ---- from roles to registers ---- */

enum { ZERO = 31, LINK_REGISTER = 30 };

static void add(uint8_t *list, uint8_t *count, unsigned number)
{
	for (unsigned i = 0; i < *count; i++)
		if (list[i] == number)
			return;
	if (*count < TL_A64_OPERANDS)
		list[(*count)++] = (uint8_t)number;
}

/* A field that is read or written; `first`: which kind of register it names. */
static void add_field(struct tl_a64_operands *o, unsigned field, unsigned first, bool sp, bool read,
		      bool write)
{
	unsigned number = first + field;

	if (first == TL_A64_X0 && field == ZERO) {
		if (!sp)
			return;
		number = TL_A64_SP;
	}
	if (read)
		add(o->reads, &o->read_count, number);
	if (write)
		add(o->writes, &o->write_count, number);
}

static void add_roles(struct tl_a64_operands *o, uint32_t opcode, uint32_t roles)
{
	unsigned d = opcode & 31, n = opcode >> 5 & 31, a = opcode >> 10 & 31,
		 m = opcode >> 16 & 31;
	unsigned kind_of_d = roles & DV ? TL_A64_V0 : roles & DP ? TL_A64_P0 : TL_A64_X0;

	if (roles & DP)
		d &= 15;
	add_field(o, n, roles & NV ? TL_A64_V0 : TL_A64_X0, roles & NSP, roles & RN, roles & WN);
	add_field(o, m, roles & MV ? TL_A64_V0 : TL_A64_X0, roles & MSP, roles & RM, roles & WM);
	add_field(o, a, roles & AV ? TL_A64_V0 : TL_A64_X0, false, roles & RA, roles & WA);
	add_field(o, d, kind_of_d, roles & DSP, roles & RD, roles & WD);
	if (roles & D2) {
		add_field(o, d | 1, TL_A64_X0, false, true, false);
		add_field(o, m | 1, TL_A64_X0, false, true, true);
	}
	if (roles & GP)
		add_field(o, opcode >> 10 & 7, TL_A64_P0, false, true, false);
	if (roles & LINK)
		add_field(o, LINK_REGISTER, TL_A64_X0, false, false, true);
	if (roles & RF)
		add(o->reads, &o->read_count, TL_A64_NZCV);
	if (roles & WF)
		add(o->writes, &o->write_count, TL_A64_NZCV);
}

static uint32_t roles_of(uint32_t opcode)
{
	for (size_t p = 0; p < sizeof(parts) / sizeof(parts[0]); p++) {
		if ((opcode & parts[p].mask) != parts[p].bits)
			continue;
		for (size_t i = 0; i < parts[p].count; i++)
			if ((opcode & parts[p].rows[i].mask) == parts[p].rows[i].bits)
				return parts[p].rows[i].roles;
		return parts[p].otherwise;
	}
	return 0;
}

struct tl_a64_operands tl_a64_operands(uint32_t opcode)
{
	struct tl_a64_operands o = { .read_count = 0 };

	add_roles(&o, opcode, roles_of(opcode));
	return o;
}
