/* SPDX-License-Identifier: Apache-2.0 */
/* Call frame instructions to rows (DWARF 5, section 6.4.2). */
#include <elf.h>

#include "symbols/cfi/row.h"

/* A compiler nests at most two; what nests deeper is damaged. */
enum { REMEMBERED_MAX = 8 };
/* A function with more instructions than fit is damaged or hostile. */
enum { PROGRAM_BYTES_MAX = 1 << 20 };

struct program {
	struct tl_eh_table code;
	const struct tl_eh_cie *cie;
	uint64_t location, address; /* present, wanted */
	struct tl_cfi_row *row;
	struct tl_cfi_row initial; /* behind the CIE's instructions */
	struct tl_cfi_row remembered[REMEMBERED_MAX];
	unsigned depth;
	bool done; /* the location is beyond the wanted address */
	bool bad;
};

/* ---- operands ---- */

static uint64_t take(struct program *p, unsigned size)
{
	return tl_eh_take(&p->code, size);
}

static uint64_t take_uleb(struct program *p)
{
	return tl_eh_take_leb(&p->code, false);
}

/* Products that do not fit wrap around: they are of damaged files. */
static int64_t factored(const struct program *p, uint64_t offset)
{
	return (int64_t)(offset * (uint64_t)p->cie->data_align);
}

static struct tl_cfi_rule take_block(struct program *p, enum tl_cfi_rule_kind kind)
{
	const uint64_t size = take_uleb(p);
	struct tl_cfi_rule rule = { kind, (int64_t)size, p->code.cur.pos };

	if (!tl_cursor_has(&p->code.cur, size))
		p->bad = true;
	else
		p->code.cur.pos += size;
	return rule;
}

/* ---- registers ---- */

static void set(struct program *p, uint64_t number, enum tl_cfi_rule_kind kind, int64_t value)
{
	if (number < TL_CFI_REGISTERS)
		p->row->rules[number] = (struct tl_cfi_rule){ kind, value, NULL };
}

static void set_block(struct program *p, enum tl_cfi_rule_kind kind)
{
	const uint64_t number = take_uleb(p);
	const struct tl_cfi_rule rule = take_block(p, kind);

	if (number < TL_CFI_REGISTERS)
		p->row->rules[number] = rule;
}

static void restore(struct program *p, uint64_t number)
{
	if (number < TL_CFI_REGISTERS)
		p->row->rules[number] = p->initial.rules[number];
}

/* A register and an offset. `is_signed`: the offset's sign is its own. */
static void set_offset(struct program *p, enum tl_cfi_rule_kind kind, bool is_signed)
{
	const uint64_t number = take_uleb(p);

	set(p, number, kind, factored(p, tl_eh_take_leb(&p->code, is_signed)));
}

/* ---- the canonical frame address ---- */

static void set_cfa(struct program *p, uint64_t number, int64_t offset)
{
	p->row->cfa = (struct tl_cfi_rule){ TL_CFI_REGISTER, offset, NULL };
	p->row->cfa_register = number;
	p->bad |= number >= TL_CFI_REGISTERS;
}

/* Only where the rule is a register and an offset already may one of them be replaced. */
static void change_cfa(struct program *p, uint64_t number, int64_t offset)
{
	p->bad |= p->row->cfa.kind != TL_CFI_REGISTER;
	set_cfa(p, number, offset);
}

/* ---- states and locations ---- */

static void remember(struct program *p)
{
	p->bad |= p->depth == REMEMBERED_MAX;
	if (!p->bad)
		p->remembered[p->depth++] = *p->row;
}

static void recall(struct program *p)
{
	p->bad |= !p->depth;
	if (!p->bad)
		*p->row = p->remembered[--p->depth];
}

static void go_to(struct program *p, uint64_t location)
{
	p->done = location > p->address || location < p->location;
	if (!p->done)
		p->location = location;
}

static void advance(struct program *p, uint64_t delta)
{
	go_to(p, p->location + delta * p->cie->code_align);
}

/* ---- instructions ---- */

enum {
	ADVANCE_LOC = 0x40, /* the upper two bits; the lower ones are the operand */
	OFFSET = 0x80,
	RESTORE = 0xc0,
	NOP = 0,
	SET_LOC,
	ADVANCE_LOC1,
	ADVANCE_LOC2,
	ADVANCE_LOC4,
	OFFSET_EXTENDED,
	RESTORE_EXTENDED,
	UNDEFINED,
	SAME_VALUE,
	REGISTER,
	REMEMBER_STATE,
	RESTORE_STATE,
	DEF_CFA,
	DEF_CFA_REGISTER,
	DEF_CFA_OFFSET,
	DEF_CFA_EXPRESSION,
	EXPRESSION,
	OFFSET_EXTENDED_SF,
	DEF_CFA_SF,
	DEF_CFA_OFFSET_SF,
	VAL_OFFSET,
	VAL_OFFSET_SF,
	VAL_EXPRESSION,
	ADVANCE_LOC8 = 0x1d,            /* of MIPS, taken by readers in general */
	NEGATE_RA_STATE_WITH_PC = 0x2c, /* DWARF for the Arm 64-bit Architecture, section 4.4.2 */
	NEGATE_RA_STATE = 0x2d,         /* the same; of SPARC: window_save */
	GNU_ARGS_SIZE,
	GNU_NEGATIVE_OFFSET_EXTENDED,
};

static void step_location(struct program *p, unsigned operation)
{
	switch (operation) {
	case SET_LOC:
		go_to(p, tl_eh_take_pointer(&p->code, p->cie->pointers, 0));
		break;
	case ADVANCE_LOC1:
		advance(p, take(p, 1));
		break;
	case ADVANCE_LOC2:
		advance(p, take(p, 2));
		break;
	case ADVANCE_LOC4:
		advance(p, take(p, 4));
		break;
	default:
		advance(p, take(p, 8));
		break;
	}
}

static void step_cfa(struct program *p, unsigned operation)
{
	const uint64_t first = operation == DEF_CFA_EXPRESSION  ? 0
			       : operation == DEF_CFA_OFFSET_SF ? tl_eh_take_leb(&p->code, true)
								: take_uleb(p);

	switch (operation) {
	case DEF_CFA:
		set_cfa(p, first, (int64_t)take_uleb(p));
		break;
	case DEF_CFA_SF:
		set_cfa(p, first, factored(p, tl_eh_take_leb(&p->code, true)));
		break;
	case DEF_CFA_REGISTER:
		change_cfa(p, first, p->row->cfa.value);
		break;
	case DEF_CFA_OFFSET:
		change_cfa(p, p->row->cfa_register, (int64_t)first);
		break;
	case DEF_CFA_OFFSET_SF:
		change_cfa(p, p->row->cfa_register, factored(p, first));
		break;
	default:
		p->row->cfa = take_block(p, TL_CFI_VAL_EXPRESSION);
		break;
	}
}

static void step_register(struct program *p, unsigned operation)
{
	uint64_t number;

	switch (operation) {
	case OFFSET_EXTENDED:
	case OFFSET_EXTENDED_SF:
		set_offset(p, TL_CFI_OFFSET, operation == OFFSET_EXTENDED_SF);
		break;
	case VAL_OFFSET:
	case VAL_OFFSET_SF:
		set_offset(p, TL_CFI_VAL_OFFSET, operation == VAL_OFFSET_SF);
		break;
	case EXPRESSION:
		set_block(p, TL_CFI_EXPRESSION);
		break;
	case VAL_EXPRESSION:
		set_block(p, TL_CFI_VAL_EXPRESSION);
		break;
	case RESTORE_EXTENDED:
		restore(p, take_uleb(p));
		break;
	case UNDEFINED:
		set(p, take_uleb(p), TL_CFI_UNDEFINED, 0);
		break;
	case SAME_VALUE:
		set(p, take_uleb(p), TL_CFI_SAME, 0);
		break;
	case REGISTER:
		number = take_uleb(p);
		set(p, number, TL_CFI_REGISTER, (int64_t)take_uleb(p));
		break;
	default:
		number = take_uleb(p);
		set(p, number, TL_CFI_OFFSET, -factored(p, take_uleb(p)));
		break;
	}
}

static void step_other(struct program *p, unsigned operation)
{
	switch (operation) {
	case NOP:
		break;
	case REMEMBER_STATE:
		remember(p);
		break;
	case RESTORE_STATE:
		recall(p);
		break;
	case GNU_ARGS_SIZE:
		take_uleb(p);
		break;
	case NEGATE_RA_STATE:
	case NEGATE_RA_STATE_WITH_PC:
		p->row->is_signed = !p->row->is_signed;
		break;
	default:
		p->bad = true;
		break;
	}
}

static void step(struct program *p)
{
	static void (*const steps[])(struct program *p, unsigned operation) = {
		[SET_LOC] = step_location,
		[ADVANCE_LOC1] = step_location,
		[ADVANCE_LOC2] = step_location,
		[ADVANCE_LOC4] = step_location,
		[OFFSET_EXTENDED] = step_register,
		[RESTORE_EXTENDED] = step_register,
		[UNDEFINED] = step_register,
		[SAME_VALUE] = step_register,
		[REGISTER] = step_register,
		[DEF_CFA] = step_cfa,
		[DEF_CFA_REGISTER] = step_cfa,
		[DEF_CFA_OFFSET] = step_cfa,
		[DEF_CFA_EXPRESSION] = step_cfa,
		[EXPRESSION] = step_register,
		[OFFSET_EXTENDED_SF] = step_register,
		[DEF_CFA_SF] = step_cfa,
		[DEF_CFA_OFFSET_SF] = step_cfa,
		[VAL_OFFSET] = step_register,
		[VAL_OFFSET_SF] = step_register,
		[VAL_EXPRESSION] = step_register,
		[ADVANCE_LOC8] = step_location,
		[GNU_NEGATIVE_OFFSET_EXTENDED] = step_register,
	};
	const unsigned operation = (unsigned)take(p, 1), operand = operation & 0x3f;

	switch (operation & 0xc0) {
	case ADVANCE_LOC:
		advance(p, operand);
		return;
	case OFFSET:
		set(p, operand, TL_CFI_OFFSET, factored(p, take_uleb(p)));
		return;
	case RESTORE:
		restore(p, operand);
		return;
	default:
		break;
	}
	if (operation < sizeof(steps) / sizeof(steps[0]) && steps[operation])
		steps[operation](p, operation);
	else
		step_other(p, operation);
}

static bool run(struct program *p, const struct tl_eh_table *code)
{
	p->code = *code;
	p->done = p->code.bad || tl_cursor_left(&p->code.cur) > PROGRAM_BYTES_MAX;
	p->bad = p->done;
	while (!p->done && !p->bad && !p->code.bad && tl_cursor_left(&p->code.cur))
		step(p);
	return !p->bad && !p->code.bad;
}

bool tl_cfi_run(const struct tl_eh_cie *cie, const struct tl_eh_fde *fde, uint64_t address,
		struct tl_cfi_row *row)
{
	struct program p;

	/* What is remembered is written before it is read: the large part is left as it is. */
	p.cie = cie;
	p.row = row;
	p.location = fde->start;
	p.address = address;
	p.depth = 0;
	memset(row, 0, sizeof(*row));
	memset(&p.initial, 0, sizeof(p.initial));
	row->return_register = cie->return_register;
	row->is_signal = cie->is_signal;
	if (!run(&p, &cie->instructions))
		return false;
	p.initial = *row;
	return run(&p, &fde->instructions) && row->cfa.kind != TL_CFI_SAME &&
	       row->return_register < TL_CFI_REGISTERS;
}
