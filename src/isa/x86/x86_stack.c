/* SPDX-License-Identifier: Apache-2.0 */
#include "isa/x86/x86_stack.h"

enum { RAX = 0, RSP = 4, RBP = 5, REX_B = 1, REX_R = 4, REX_W = 8, DIRECT = 3 };

/* The two operands of an instruction with a ModRM byte. */
struct operands {
	unsigned mod, reg, rm; /* with the bits of REX */
	bool frame;            /* memory at a distance from the frame pointer */
};

static struct operands operands_of(uint8_t modrm, uint8_t rex)
{
	return (struct operands){
		.mod = modrm >> 6,
		.reg = (modrm >> 3 & 7) | (rex & REX_R ? 8 : 0),
		.rm = (modrm & 7) | (rex & REX_B ? 8 : 0),
		/* Without a displacement this encoding is relative to the instruction. */
		.frame = modrm >> 6 && (modrm & 7) == RBP && !(rex & REX_B),
	};
}

static struct tl_x86_stack from(const struct operands *o, unsigned other)
{
	if (o->mod != DIRECT)
		return (struct tl_x86_stack){ o->frame ? TL_X86_STACK_FRAME : TL_X86_STACK_MEMORY,
					      0 };
	return (struct tl_x86_stack){ other == RBP ? TL_X86_STACK_FRAME : TL_X86_STACK_REGISTER,
				      (uint8_t)other };
}

/* MOV of `source` to `to`, registers or, for the one that is rm, memory. */
static struct tl_x86_stack moved(const struct operands *o, bool to_rm)
{
	unsigned to = to_rm ? o->rm : o->reg, source = to_rm ? o->reg : o->rm;
	bool is_direct = o->mod == DIRECT;

	if (to == RSP && (is_direct || !to_rm) && !(source == RSP && is_direct))
		return from(o, source);
	if (source == RSP && to != RSP && is_direct)
		return (struct tl_x86_stack){ TL_X86_STACK_SAVED, (uint8_t)to };
	return (struct tl_x86_stack){ TL_X86_STACK_KEPT, 0 };
}

static struct tl_x86_stack exchanged(const struct operands *o)
{
	if (o->reg == RSP)
		return from(o, o->rm);
	if (o->rm == RSP && o->mod == DIRECT)
		return from(o, o->reg);
	return (struct tl_x86_stack){ TL_X86_STACK_KEPT, 0 };
}

/* LEA from another register than itself: a stack that was aligned goes back. */
static struct tl_x86_stack computed(const struct operands *o)
{
	bool own = o->rm == RSP; /* a SIB byte, whose base is nearly always RSP then */

	return (struct tl_x86_stack){ o->reg == RSP && !own ? TL_X86_STACK_FRAME
							    : TL_X86_STACK_KEPT,
				      0 };
}

struct tl_x86_stack tl_x86_stack(const uint8_t *code, size_t size, bool wide)
{
	uint8_t rex = wide && size > 1 && (*code & 0xf0) == 0x40 ? *code : 0;
	size_t at = rex != 0;
	struct operands o;

	if (at < size && code[at] == 0xc9)
		return (struct tl_x86_stack){ TL_X86_STACK_FRAME, 0 };
	if (at < size && code[at] == 0x5c && !(rex & REX_B))
		return (struct tl_x86_stack){ TL_X86_STACK_MEMORY, 0 };
	if (at >= size || (wide && !(rex & REX_W)))
		return (struct tl_x86_stack){ TL_X86_STACK_KEPT, 0 };
	/* XCHG with RAX, as assemblers write it. */
	if (code[at] == 0x94 && !(rex & REX_B))
		return (struct tl_x86_stack){ TL_X86_STACK_REGISTER, RAX };
	if (at + 2 > size)
		return (struct tl_x86_stack){ TL_X86_STACK_KEPT, 0 };
	o = operands_of(code[at + 1], rex);
	switch (code[at]) {
	case 0x89:
	case 0x8b:
		return moved(&o, code[at] == 0x89);
	case 0x87:
		return exchanged(&o);
	case 0x8d:
		return computed(&o);
	default:
		return (struct tl_x86_stack){ TL_X86_STACK_KEPT, 0 };
	}
}

bool tl_x86_saves_stack(const uint8_t *code, size_t size, uint8_t reg)
{
	for (size_t i = 0; i + 3 <= size; i++) {
		struct tl_x86_stack s = tl_x86_stack(code + i, 3, true);

		if (s.kind == TL_X86_STACK_SAVED && s.reg == reg)
			return true;
	}
	return false;
}
