/* SPDX-License-Identifier: Apache-2.0 */
/*
 * DWARF expressions as call frame information uses them: a stack of words; no operation of these
 * names a variable, a frame base or another process (DWARF 5, section 6.4.2, names them).
 */
#include "symbols/cfi/expression.h"

#include <elf.h>

#include "symbols/dwarf/bytes.h"

/* Those of compilers have a dozen operations, and none goes round. */
enum { DEPTH_MAX = 64, OPERATIONS_MAX = 256 };

struct stack_machine {
	const struct tl_cfi_step *step;
	struct tl_dwarf_bytes code;
	uint64_t stack[DEPTH_MAX];
	unsigned depth;
	enum tl_cfi_result result; /* TL_CFI_CALLER as long as nothing failed */
};

static void fail(struct stack_machine *m, enum tl_cfi_result why)
{
	if (m->result == TL_CFI_CALLER)
		m->result = why;
}

static void push(struct stack_machine *m, uint64_t value)
{
	if (m->depth == DEPTH_MAX)
		fail(m, TL_CFI_BAD);
	else
		m->stack[m->depth++] = m->step->row->is_32bit ? (uint32_t)value : value;
}

static uint64_t pop(struct stack_machine *m)
{
	if (!m->depth) {
		fail(m, TL_CFI_BAD);
		return 0;
	}
	return m->stack[--m->depth];
}

/* An entry counted from the top, which is number 0. */
static uint64_t entry(struct stack_machine *m, uint64_t number)
{
	if (number >= m->depth) {
		fail(m, TL_CFI_BAD);
		return 0;
	}
	return m->stack[m->depth - 1 - number];
}

/* A word of the stack as a number with a sign. */
static int64_t signed_of(const struct stack_machine *m, uint64_t value)
{
	return m->step->row->is_32bit ? (int32_t)value : (int64_t)value;
}

/* ---- registers and memory ---- */

/* The number by which the address of the instruction itself goes. */
static unsigned pc_register(uint16_t machine)
{
	return machine == EM_AARCH64 ? 32 : machine == EM_386 ? 8 : 16;
}

static void push_register(struct stack_machine *m, uint64_t number, int64_t offset)
{
	const struct tl_cfi_frame *frame = m->step->frame;

	if (number == pc_register(m->step->row->machine))
		push(m, frame->pc + (uint64_t)offset);
	else if (number < TL_CFI_REGISTERS && frame->known >> number & 1)
		push(m, frame->registers[number] + (uint64_t)offset);
	else
		fail(m, TL_CFI_UNKNOWN);
}

static void dereference(struct stack_machine *m, uint64_t size)
{
	const uint64_t address = pop(m);
	uint64_t value = 0;

	if (size != 1 && size != 2 && size != 4 && size != 8)
		fail(m, TL_CFI_BAD);
	else
		fail(m, tl_cfi_load(m->step->memory, address, (unsigned)size, &value));
	push(m, value);
}

/* ---- operations ---- */

enum {
	ADDR = 0x03,
	DEREF = 0x06,
	CONST1U = 0x08,
	CONST1S,
	CONST2U,
	CONST2S,
	CONST4U,
	CONST4S,
	CONST8U,
	CONST8S,
	CONSTU,
	CONSTS,
	DUP,
	DROP,
	OVER,
	PICK,
	SWAP,
	ROT,
	ABS = 0x19,
	AND,
	DIV,
	MINUS,
	MOD,
	MUL,
	NEG,
	NOT,
	OR,
	PLUS,
	PLUS_UCONST,
	SHL,
	SHR,
	SHRA,
	XOR,
	BRA,
	EQ,
	GE,
	GT,
	LE,
	LT,
	NE,
	SKIP,
	LIT0,
	LIT31 = 0x4f,
	BREG0 = 0x70,
	BREG31 = 0x8f,
	BREGX = 0x92,
	DEREF_SIZE = 0x94,
	NOP = 0x96,
};

static void constant(struct stack_machine *m, unsigned operation)
{
	struct tl_dwarf_bytes *code = &m->code;

	switch (operation) {
	case ADDR:
		push(m, tl_dwarf_take_word(code, tl_cfi_word(m->step->row)) + m->step->bias);
		break;
	case CONST1U:
		push(m, tl_dwarf_take_word(code, 1));
		break;
	case CONST1S:
		push(m, (uint64_t)(int8_t)tl_dwarf_take_word(code, 1));
		break;
	case CONST2U:
		push(m, tl_dwarf_take_word(code, 2));
		break;
	case CONST2S:
		push(m, (uint64_t)(int16_t)tl_dwarf_take_word(code, 2));
		break;
	case CONST4U:
		push(m, tl_dwarf_take_word(code, 4));
		break;
	case CONST4S:
		push(m, (uint64_t)(int32_t)tl_dwarf_take_word(code, 4));
		break;
	case CONSTU:
		push(m, tl_dwarf_take_uleb(code));
		break;
	case CONSTS:
		push(m, (uint64_t)tl_dwarf_take_sleb(code));
		break;
	default:
		push(m, tl_dwarf_take_word(code, 8));
		break;
	}
}

static void arrange(struct stack_machine *m, unsigned operation)
{
	const uint64_t top = operation == PICK ? 0 : pop(m);
	uint64_t second, third;

	switch (operation) {
	case DUP:
		push(m, top);
		push(m, top);
		break;
	case OVER:
		second = entry(m, 0);
		push(m, top);
		push(m, second);
		break;
	case PICK:
		push(m, entry(m, tl_dwarf_take_word(&m->code, 1)));
		break;
	case SWAP:
		second = pop(m);
		push(m, top);
		push(m, second);
		break;
	case ROT:
		second = pop(m);
		third = pop(m);
		push(m, top);
		push(m, third);
		push(m, second);
		break;
	default: /* DROP */
		break;
	}
}

static void change(struct stack_machine *m, unsigned operation)
{
	const uint64_t value = pop(m);

	switch (operation) {
	case ABS:
		push(m, signed_of(m, value) < 0 ? 0 - value : value);
		break;
	case NEG:
		push(m, 0 - value);
		break;
	case NOT:
		push(m, ~value);
		break;
	default: /* PLUS_UCONST */
		push(m, value + tl_dwarf_take_uleb(&m->code));
		break;
	}
}

static uint64_t shifted(const struct stack_machine *m, unsigned operation, uint64_t value,
			uint64_t by)
{
	const unsigned bits = m->step->row->is_32bit ? 32 : 64;

	if (operation == SHRA)
		return (uint64_t)(signed_of(m, value) >> (by < bits ? by : bits - 1));
	if (by >= bits)
		return 0;
	return operation == SHL ? value << by : value >> by;
}

/* Division is signed, the remainder is not (DWARF 5, section 2.5.1.4). */
static uint64_t divided(struct stack_machine *m, unsigned operation, uint64_t value, uint64_t by)
{
	if (!by) {
		fail(m, TL_CFI_BAD);
		return 0;
	}
	if (operation == MOD)
		return value % by;
	/* The quotient of the least number and -1 does not fit. */
	if (signed_of(m, by) == -1)
		return 0 - value;
	return (uint64_t)(signed_of(m, value) / signed_of(m, by));
}

static void combine(struct stack_machine *m, unsigned operation)
{
	const uint64_t right = pop(m), left = pop(m);

	switch (operation) {
	case AND:
		push(m, left & right);
		break;
	case OR:
		push(m, left | right);
		break;
	case XOR:
		push(m, left ^ right);
		break;
	case PLUS:
		push(m, left + right);
		break;
	case MINUS:
		push(m, left - right);
		break;
	case MUL:
		push(m, left * right);
		break;
	case DIV:
	case MOD:
		push(m, divided(m, operation, left, right));
		break;
	default:
		push(m, shifted(m, operation, left, right));
		break;
	}
}

/* Relations are those of numbers with a sign. */
static void compare(struct stack_machine *m, unsigned operation)
{
	const int64_t right = signed_of(m, pop(m)), left = signed_of(m, pop(m));
	const bool results[] = { left == right, left >= right, left > right,
				 left <= right, left < right,  left != right };

	push(m, results[operation - EQ]);
}

static void branch(struct stack_machine *m, unsigned operation)
{
	const int16_t distance = (int16_t)tl_dwarf_take_word(&m->code, 2);
	const uint64_t here = tl_cursor_offset(&m->code.cur);

	if (operation == BRA && !pop(m))
		return;
	if (m->code.bad || (distance < 0 && (uint64_t)-distance > here) ||
	    (distance > 0 && (uint64_t)distance > tl_cursor_left(&m->code.cur)))
		fail(m, TL_CFI_BAD);
	else
		tl_cursor_seek(&m->code.cur, here + (uint64_t)distance);
}

static void perform_one(struct stack_machine *m, unsigned operation)
{
	uint64_t number;

	switch (operation) {
	case DEREF:
		dereference(m, tl_cfi_word(m->step->row));
		break;
	case DEREF_SIZE:
		dereference(m, tl_dwarf_take_word(&m->code, 1));
		break;
	case BREGX:
		number = tl_dwarf_take_uleb(&m->code);
		push_register(m, number, tl_dwarf_take_sleb(&m->code));
		break;
	case ABS:
	case NEG:
	case NOT:
	case PLUS_UCONST:
		change(m, operation);
		break;
	case BRA:
	case SKIP:
		branch(m, operation);
		break;
	case NOP:
		break;
	default:
		fail(m, TL_CFI_BAD);
		break;
	}
}

static void perform(struct stack_machine *m)
{
	const unsigned operation = (unsigned)tl_dwarf_take_word(&m->code, 1);

	if (operation >= LIT0 && operation <= LIT31)
		push(m, operation - LIT0);
	else if (operation >= BREG0 && operation <= BREG31)
		push_register(m, operation - BREG0, tl_dwarf_take_sleb(&m->code));
	else if (operation == ADDR || (operation >= CONST1U && operation <= CONSTS))
		constant(m, operation);
	else if (operation >= DUP && operation <= ROT)
		arrange(m, operation);
	else if (operation >= EQ && operation <= NE)
		compare(m, operation);
	else if ((operation >= AND && operation <= MUL && operation != ABS) || operation == OR ||
		 operation == PLUS || (operation >= SHL && operation <= XOR))
		combine(m, operation);
	else
		perform_one(m, operation);
}

enum tl_cfi_result tl_cfi_evaluate(const struct tl_cfi_step *step, const struct tl_cfi_rule *rule,
				   const uint64_t *start, uint64_t *value)
{
	struct stack_machine m;

	m.step = step;
	m.code = (struct tl_dwarf_bytes){
		.cur = tl_cursor_over(rule->expression, (size_t)rule->value),
		.swap = TL_HOST_BIG_ENDIAN,
	};
	m.depth = 0;
	m.result = TL_CFI_CALLER;
	if (start)
		push(&m, *start);
	for (unsigned i = 0; i < OPERATIONS_MAX && tl_cursor_left(&m.code.cur); i++) {
		perform(&m);
		if (m.result != TL_CFI_CALLER)
			return m.result;
	}
	if (m.code.bad || tl_cursor_left(&m.code.cur) || !m.depth)
		return TL_CFI_BAD;
	*value = m.stack[m.depth - 1];
	return TL_CFI_CALLER;
}
