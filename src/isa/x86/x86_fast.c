/* SPDX-License-Identifier: Apache-2.0 */
#include "isa/x86/x86_fast.h"

#include "core/cursor.h"

enum { MOST_BYTES = 15 };

/*
 * The opcode maps of Intel's Software Developer's Manual, volume 2, appendix A; a letter is a form.
 */
static const char one_byte[16][17] = {
	/*  0123456789abcdef */
	"mmmm1z..mmmm1z..", /* 00 ADD, OR */
	"mmmm1z..mmmm1z..", /* 10 ADC, SBB */
	"mmmm1z..mmmm1z..", /* 20 AND, SUB */
	"mmmm1z..mmmm1z..", /* 30 XOR, CMP */
	"................", /* 40 REX */
	"nnnnnnnnnnnnnnnn", /* 50 PUSH, POP */
	"...m....zd1bnnnn", /* 60 MOVSXD, PUSH, IMUL */
	"jjjjjjjjjjjjjjjj", /* 70 Jcc */
	"bd.bmmmmmmmm.l..", /* 80 group 1, TEST, XCHG, MOV, LEA */
	"nnnnnnnnnn.nnnnn", /* 90 XCHG, NOP, CBW, CWD */
	"....nnnn1znnnnnn", /* a0 string instructions, TEST */
	"11111111qqqqqqqq", /* b0 MOV */
	"bb.R..BD.n......", /* c0 group 2, RET, MOV, LEAVE */
	"mmmm....m...m...", /* d0 group 2, x87 */
	"........CJ.k....", /* e0 CALL, JMP */
	"....nnTUnnnnnn.X", /* f0 groups 3 and 5 */
};

static const char two_bytes[16][17] = {
	/*  0123456789abcdef */
	"..aa.........a..", /* 00 */
	"aavvppvvaa..aaaa", /* 10 moves, NOP, ENDBR64 */
	"........ppavaapp", /* 20 moves, conversions */
	"................", /* 30 */
	"aaaaaaaaaaaaaaaa", /* 40 CMOVcc */
	"ga..ppppaaafaaaa", /* 50 arithmetic of SSE */
	"ppppppppppppoopf", /* 60 */
	"i...ppp.......ff", /* 70 */
	"KKKKKKKKKKKKKKKK", /* 80 Jcc */
	"aaaaaaaaaaaaaaaa", /* 90 SETcc */
	"...aia.....aia.a", /* a0 BT, SHLD, IMUL */
	"aa.a..aa...aaaaa", /* b0 CMPXCHG, MOVZX, BSF, MOVSX */
	"aai.c.c.nnnnnnnn", /* c0 XADD, BSWAP */
	".pppppogpppppppp", /* d0 */
	"pppppp.vpppppppp", /* e0 */
	".ppppppgppppppp.", /* f0 */
};

/* Prefixes that change nothing of a form but, 66, the size of an immediate. */
enum { ALONE = 1, P66 = 2, PF3 = 4, PF2 = 8, SEGMENT = 16, PLAIN = ALONE | P66 | SEGMENT };

enum check {
	ANY,
	MEMORY,   /* no register as r/m */
	REGISTER, /* no memory */
	REG_0,    /* the reg field must be 0 */
	TEST,     /* an immediate only with a reg field of 0 or 1 */
	GROUP_5,  /* INC, DEC, PUSH; near CALL and JMP */
};

enum immediate {
	NOTHING,
	BYTE,
	WORD_OR_DWORD, /* by operand size, never eight bytes */
	ANY_WORD,      /* by operand size */
	REL8,
	REL32,
};

static const struct form {
	uint8_t prefixes; /* 0: decoded by Zydis */
	bool modrm;
	uint8_t check, immediate, iclass;
} forms[128] = {
	['m'] = { PLAIN, true, ANY, NOTHING, TL_X86_OTHER },
	['b'] = { PLAIN, true, ANY, BYTE, TL_X86_OTHER },
	['d'] = { PLAIN, true, ANY, WORD_OR_DWORD, TL_X86_OTHER },
	['l'] = { PLAIN, true, MEMORY, NOTHING, TL_X86_OTHER },
	['B'] = { PLAIN, true, REG_0, BYTE, TL_X86_OTHER },
	['D'] = { PLAIN, true, REG_0, WORD_OR_DWORD, TL_X86_OTHER },
	['T'] = { PLAIN, true, TEST, BYTE, TL_X86_OTHER },
	['U'] = { PLAIN, true, TEST, WORD_OR_DWORD, TL_X86_OTHER },
	['X'] = { ALONE, true, GROUP_5, NOTHING, TL_X86_OTHER },
	['n'] = { ALONE | P66, false, ANY, NOTHING, TL_X86_OTHER },
	['1'] = { ALONE | P66, false, ANY, BYTE, TL_X86_OTHER },
	['z'] = { ALONE | P66, false, ANY, WORD_OR_DWORD, TL_X86_OTHER },
	['q'] = { ALONE | P66, false, ANY, ANY_WORD, TL_X86_OTHER },
	['j'] = { ALONE, false, ANY, REL8, TL_X86_COND_JUMP },
	['k'] = { ALONE, false, ANY, REL8, TL_X86_JUMP },
	['K'] = { ALONE, false, ANY, REL32, TL_X86_COND_JUMP },
	['J'] = { ALONE, false, ANY, REL32, TL_X86_JUMP },
	['C'] = { ALONE, false, ANY, REL32, TL_X86_CALL },
	['R'] = { ALONE, false, ANY, NOTHING, TL_X86_RETURN },

	['a'] = { PLAIN | PF3 | PF2, true, ANY, NOTHING, TL_X86_OTHER },
	['i'] = { PLAIN | PF3 | PF2, true, ANY, BYTE, TL_X86_OTHER },
	['p'] = { PLAIN, true, ANY, NOTHING, TL_X86_OTHER },
	['c'] = { PLAIN, true, ANY, BYTE, TL_X86_OTHER },
	['v'] = { PLAIN, true, MEMORY, NOTHING, TL_X86_OTHER },
	['g'] = { PLAIN, true, REGISTER, NOTHING, TL_X86_OTHER },
	['o'] = { P66, true, ANY, NOTHING, TL_X86_OTHER },
	['f'] = { PLAIN | PF3, true, ANY, NOTHING, TL_X86_OTHER },
};

static unsigned prefix_of(uint8_t byte)
{
	switch (byte) {
	case 0x66:
		return P66;
	case 0xf3:
		return PF3;
	case 0xf2:
		return PF2;
	case 0x64:
	case 0x65:
		return SEGMENT;
	default:
		return ALONE;
	}
}

/* Bytes of ModRM, SIB and displacement (volume 2, tables 2-2 and 2-3). */
static unsigned modrm_bytes(const uint8_t *p)
{
	unsigned mod = p[0] >> 6, rm = p[0] & 7;
	unsigned sib = mod != 3 && rm == 4;
	static const uint8_t displacement[4] = { 0, 1, 4, 0 };

	if (mod == 0 && (sib ? p[1] & 7 : rm) == 5)
		return 1 + sib + 4;
	return 1 + sib + displacement[mod];
}

static bool group_5(unsigned reg, struct tl_x86_flow *flow)
{
	if (reg == 2 || reg == 4) {
		flow->iclass = reg == 2 ? TL_X86_CALL : TL_X86_JUMP;
		flow->flags = TL_X86_BRANCH;
	}
	return reg != 3 && reg != 5 && reg != 7;
}

/* False: left to Zydis. */
static bool allowed(enum check check, uint8_t modrm, struct tl_x86_flow *flow)
{
	unsigned reg = modrm >> 3 & 7;

	switch (check) {
	case MEMORY:
		return modrm < 0xc0;
	case REGISTER:
		return modrm >= 0xc0;
	case REG_0:
		return reg == 0;
	case GROUP_5:
		return group_5(reg, flow);
	default:
		return true;
	}
}

static unsigned immediate_bytes(enum immediate immediate, bool wide, bool word)
{
	switch (immediate) {
	case BYTE:
	case REL8:
		return 1;
	case WORD_OR_DWORD:
		return word && !wide ? 2 : 4;
	case ANY_WORD:
		return wide ? 8 : word ? 2 : 4;
	case REL32:
		return 4;
	default:
		return 0;
	}
}

static void set_branch(struct tl_x86_flow *flow, enum immediate immediate, const uint8_t *p,
		       uint64_t next)
{
	int64_t relative = immediate == REL8 ? (int8_t)p[0] : (int32_t)tl_le32(p);

	flow->flags = TL_X86_BRANCH | TL_X86_DIRECT;
	flow->target = next + (uint64_t)relative;
	if (flow->iclass == TL_X86_CALL && !relative)
		flow->flags |= TL_X86_CALL_NEXT;
}

bool tl_x86_fast(const uint8_t *code, size_t size, uint64_t ip, struct tl_x86_flow *flow)
{
	const struct form *form;
	const uint8_t *p = code;
	unsigned prefix, immediate;
	uint8_t rex = 0;

	if (size < MOST_BYTES)
		return false;
	prefix = prefix_of(*p);
	p += prefix != ALONE;
	if ((*p & 0xf0) == 0x40)
		rex = *p++;
	if (*p != 0x0f) {
		form = &forms[(unsigned char)one_byte[*p >> 4][*p & 15]];
	} else {
		p++;
		form = &forms[(unsigned char)two_bytes[*p >> 4][*p & 15]];
	}
	p++;
	if (!(form->prefixes & prefix))
		return false;
	*flow = (struct tl_x86_flow){ .iclass = form->iclass };
	immediate = form->immediate;
	if (form->modrm) {
		if (!allowed(form->check, *p, flow))
			return false;
		if (form->check == TEST && *p & 0x30)
			immediate = NOTHING;
		p += modrm_bytes(p);
	}
	flow->size = (uint8_t)((unsigned)(p - code) +
			       immediate_bytes(immediate, rex & 8, prefix == P66));
	if (immediate >= REL8)
		set_branch(flow, immediate, p, ip + flow->size);
	else if (form->iclass == TL_X86_RETURN)
		flow->flags = TL_X86_BRANCH;
	return true;
}
