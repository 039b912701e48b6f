/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Call frame information that is drawn. An expression is written from a tree whose value is known
 * before, a program of instructions from rows that are filled address by address, a step from
 * rules that are each done by hand.
 */
#include "cfi_machine.h"
#include "make_dwarf.h"

#include "../chance.h"

/* A number with a sign, as SLEB128; one byte more than it needs every now and then. */
static void put_sleb(struct made *made, int64_t value, bool padded)
{
	for (unsigned i = 0; i < 9; i++) {
		const unsigned byte = (unsigned)value & 0x7f;

		value >>= 7;
		if ((value == 0 && !(byte & 0x40)) || (value == -1 && byte & 0x40)) {
			put(made, byte | (padded ? 0x80 : 0), 1);
			if (padded)
				put(made, value & 0x7f, 1);
			return;
		}
		put(made, byte | 0x80, 1);
	}
	put(made, value & 0x7f, 1);
}

/* ---- expressions ---- */

struct drawing {
	uint32_t seed;
	bool is_32bit;
};

static uint64_t word_of(const struct drawing *d, uint64_t value)
{
	return d->is_32bit ? (uint32_t)value : value;
}

static int64_t number_of(const struct drawing *d, uint64_t value)
{
	return d->is_32bit ? (int32_t)value : (int64_t)value;
}

/* Small ones, those around the ends of the types, and any. */
static uint64_t draw_bits(struct drawing *d)
{
	static const uint64_t ends[] = { 0,          1,          0x7f,           0x80,
					 0xff,       0x7fff,     0x8000,         0xffff,
					 0x7fffffff, 0x80000000, 0xffffffff,     INT64_MAX,
					 1ULL << 63, UINT64_MAX, UINT64_MAX - 1, 63 };

	switch (chance(&d->seed, 3)) {
	case 0:
		return ends[chance(&d->seed, sizeof(ends) / sizeof(ends[0]))];
	case 1:
		return chance(&d->seed, 70);
	default:
		return chance_bits(&d->seed);
	}
}

/* The bytes of the stack are 1, 2, 3, ... from 0x7000 on. */
static uint64_t stack_word(uint64_t address, unsigned size)
{
	uint64_t value = 0;

	while (size--)
		value = value << 8 | (address - 0x7000 + size + 1);
	return value;
}

/* Constants of each size, in the order of their operations, DW_OP_const1u being 8. */
static uint64_t draw_constant(struct drawing *d, struct made *out)
{
	const unsigned kind = chance(&d->seed, 10), size = 1U << kind / 2;
	const uint64_t bits = draw_bits(d), sign = kind % 2 && size < 8;

	put(out, 8 + kind, 1);
	if (kind == 8) {
		put_uleb(out, bits);
		return bits;
	}
	if (kind == 9) {
		put_sleb(out, (int64_t)bits, false);
		return bits;
	}
	put(out, bits, size);
	if (size == 8)
		return bits;
	if (sign && bits >> (8 * size - 1) & 1)
		return bits | UINT64_MAX << 8 * size;
	return bits & ((1ULL << 8 * size) - 1);
}

static uint64_t draw_register(struct drawing *d, struct made *out)
{
	const unsigned number = chance(&d->seed, 17);
	const int64_t offset = (int64_t)draw_bits(d);

	if (chance(&d->seed, 2)) {
		put(out, 0x70 + number, 1);
	} else {
		put(out, 0x92, 1);
		put_uleb(out, number);
	}
	put_sleb(out, offset, false);
	/* Number 16 is the address of the instruction. */
	return (number == RA ? frame.pc : frame.registers[number]) + (uint64_t)offset;
}

static uint64_t draw_memory(struct drawing *d, struct made *out)
{
	const bool sized = chance(&d->seed, 2);
	const unsigned size = sized ? 1U << chance(&d->seed, 4) : d->is_32bit ? 4 : 8;
	const uint64_t at = 0x7000 + chance(&d->seed, sizeof(stack) - size + 1);

	put(out, 0x0a, 1);
	put(out, at, 2);
	put(out, sized ? 0x94 : 0x06, 1);
	if (sized)
		put(out, size, 1);
	return stack_word(at, size);
}

static uint64_t draw_leaf(struct drawing *d, struct made *out)
{
	uint64_t bits;

	switch (chance(&d->seed, 6)) {
	case 0:
		bits = chance(&d->seed, 32);
		put(out, 0x30 + bits, 1);
		return bits;
	case 1:
		bits = draw_bits(d);
		put(out, 0x03, 1);
		put(out, bits, d->is_32bit ? 4 : 8);
		return bits + 0x10000;
	case 2:
		return draw_register(d, out);
	case 3:
		return draw_memory(d, out);
	default:
		return draw_constant(d, out);
	}
}

/* Bit by bit, as far as the word goes. */
static uint64_t shift(const struct drawing *d, unsigned operation, uint64_t value, uint64_t by)
{
	const unsigned bits = d->is_32bit ? 32 : 64;
	const uint64_t top = 1ULL << (bits - 1);

	for (uint64_t i = 0; i < by && i < bits; i++) {
		const uint64_t sign = value & top;

		value = operation == 0x24 ? word_of(d, value << 1) : value >> 1;
		value |= operation == 0x26 ? sign : 0;
	}
	return value;
}

/* DW_OP_and, div, minus, mod, mul, or, plus, shl, shr, shra, xor, eq, ge, gt, le, lt, ne. */
static const uint8_t binary[] = { 0x1a, 0x1b, 0x1c, 0x1d, 0x1e, 0x21, 0x22, 0x24, 0x25,
				  0x26, 0x27, 0x29, 0x2a, 0x2b, 0x2c, 0x2d, 0x2e };

static uint64_t value_of(const struct drawing *d, unsigned operation, uint64_t left, uint64_t right)
{
	const int64_t a = number_of(d, left), b = number_of(d, right);

	switch (operation) {
	case 0x1a:
		return left & right;
	case 0x1b:
		return (uint64_t)((__int128)a / b);
	case 0x1c:
		return left - right;
	case 0x1d:
		return left - left / right * right;
	case 0x1e:
		return left * right;
	case 0x21:
		return left | right;
	case 0x22:
		return left + right;
	case 0x27:
		return (left | right) - (left & right);
	case 0x29:
		return a == b;
	case 0x2a:
		return a >= b;
	case 0x2b:
		return a > b;
	case 0x2c:
		return a <= b;
	case 0x2d:
		return a < b;
	case 0x2e:
		return a != b;
	default:
		return shift(d, operation, left, right);
	}
}

/* An operation on two values that are on the stack; nothing is divided by 0. */
static uint64_t draw_operation(struct drawing *d, struct made *out, uint64_t left, uint64_t right)
{
	unsigned operation = binary[chance(&d->seed, sizeof(binary))];

	if (!right && (operation == 0x1b || operation == 0x1d))
		operation = 0x22;
	put(out, operation, 1);
	return word_of(d, value_of(d, operation, left, right));
}

static uint64_t draw_unary(struct drawing *d, struct made *out, uint64_t value)
{
	const uint64_t more = draw_bits(d);

	switch (chance(&d->seed, 4)) {
	case 0:
		put(out, 0x19, 1);
		return number_of(d, value) < 0 ? -value : value;
	case 1:
		put(out, 0x1f, 1);
		return -value;
	case 2:
		put(out, 0x20, 1);
		return value ^ UINT64_MAX;
	default:
		put(out, 0x23, 1);
		put_uleb(out, more);
		return value + more;
	}
}

static uint64_t draw_value(struct drawing *d, struct made *out, unsigned depth);

/* "condition, bra to A, otherwise, skip to B, A: value, B:" */
static uint64_t draw_branch(struct drawing *d, struct made *out, unsigned depth)
{
	struct made taken = { .size = 0 }, other = { .size = 0 };
	const uint64_t condition = draw_value(d, out, depth), a = draw_value(d, &taken, depth),
		       b = draw_value(d, &other, depth);

	put(out, 0x28, 1);
	put(out, other.size + 3, 2);
	put_bytes(out, other.bytes, other.size);
	put(out, 0x2f, 1);
	put(out, taken.size, 2);
	put_bytes(out, taken.bytes, taken.size);
	return condition ? a : b;
}

/* Two or three values in another order. */
static uint64_t draw_order(struct drawing *d, struct made *out, unsigned depth)
{
	const uint64_t x = draw_value(d, out, depth), y = draw_value(d, out, depth);
	uint64_t z;

	switch (chance(&d->seed, 5)) {
	case 0: /* swap */
		put(out, 0x16, 1);
		return draw_operation(d, out, y, x);
	case 1: /* over: x y x */
		put(out, 0x14, 1);
		return draw_operation(d, out, x, draw_operation(d, out, y, x));
	case 2: /* drop */
		put(out, 0x13, 1);
		return x;
	case 3: /* pick 2: x y z x */
		z = draw_value(d, out, depth);
		put(out, 0x15, 1);
		put(out, 2, 1);
		z = draw_operation(d, out, z, x);
		return draw_operation(d, out, x, draw_operation(d, out, y, z));
	default: /* rot: z x y */
		z = draw_value(d, out, depth);
		put(out, 0x17, 1);
		return draw_operation(d, out, z, draw_operation(d, out, x, y));
	}
}

static uint64_t draw_inner(struct drawing *d, struct made *out, unsigned depth)
{
	uint64_t x, y;

	switch (chance(&d->seed, 6)) {
	case 0:
		return draw_unary(d, out, draw_value(d, out, depth));
	case 1:
		return draw_branch(d, out, depth);
	case 2:
		return draw_order(d, out, depth);
	case 3: /* dup */
		x = draw_value(d, out, depth);
		put(out, 0x12, 1);
		return draw_operation(d, out, x, x);
	case 4: /* nop */
		put(out, 0x96, 1);
		return draw_value(d, out, depth);
	default:
		x = draw_value(d, out, depth);
		y = draw_value(d, out, depth);
		return draw_operation(d, out, x, y);
	}
}

/* An expression is appended to `out`, as deep as `depth`; its value. */
static uint64_t draw_value(struct drawing *d, struct made *out, unsigned depth)
{
	return word_of(d, depth ? draw_inner(d, out, depth - 1) : draw_leaf(d, out));
}

static void begin_width(bool is_32bit)
{
	begin();
	row.is_32bit = is_32bit;
}

TEST(expressions_have_the_values_of_their_trees)
{
	for (unsigned wide = 0; wide < 2; wide++) {
		struct drawing d = { 11, !wide };

		begin_width(d.is_32bit);
		for (unsigned round = 0; round < 4000; round++) {
			struct made code = { .size = 0 };
			const uint64_t expected = draw_value(&d, &code, round % 4);
			uint64_t value = ~expected;

			assert_int_equal(evaluate(code.bytes, code.size, &value), TL_CFI_CALLER);
			assert_true(value == expected);
		}
	}
}

/*
 * A cut expression has no value, or that of another tree: one of its own operands. None is read
 * behind the end, which the bytes there, all ones, would change.
 */
TEST(expressions_that_are_cut_read_nothing_behind)
{
	struct drawing d = { 12, false };

	begin_width(false);
	for (unsigned round = 0; round < 150; round++) {
		struct made code = { .size = 0 };

		draw_value(&d, &code, 2);
		for (size_t size = 0; size < code.size; size++) {
			uint8_t *alone = size ? malloc(size) : NULL;
			struct made other = code;
			uint64_t first = 0, second = 0;
			enum tl_cfi_result result;

			if (size)
				memcpy(alone, code.bytes, size);
			memset(other.bytes + size, 0xff, 32);
			result = evaluate(alone, size, &first);
			assert_int_equal(evaluate(other.bytes, size, &second), result);
			assert_true(first == second);
			free(alone);
		}
	}
}

/* Sixty-four words fit, and the first stays below all of them. */
TEST(the_stack_has_64_words)
{
	for (unsigned count = 60; count < 68; count++) {
		struct made code = { .size = 0 };
		uint64_t value = 0;

		begin();
		for (unsigned i = 1; i < count; i++)
			put(&code, 0x30 + i % 32, 1);
		assert_int_equal(evaluate(code.bytes, code.size, &value),
				 count <= 64 ? TL_CFI_CALLER : TL_CFI_BAD);
		if (count > 64)
			continue;
		/* "pick": an entry by its distance from the top */
		for (unsigned back = 0; back < count && count < 64; back++) {
			const size_t size = code.size;

			put(&code, 0x15, 1);
			put(&code, back, 1);
			assert_int_equal(evaluate(code.bytes, code.size, &value), TL_CFI_CALLER);
			assert_int_equal(value,
					 back == count - 1 ? 0x7040 : (count - 1 - back) % 32);
			code.size = size;
		}
		put(&code, 0x15, 1);
		put(&code, count, 1);
		assert_int_equal(evaluate(code.bytes, code.size, &value), TL_CFI_BAD);
	}
}

/*
 * "n = 100; sum = 0; do sum += n; while (--n)" goes back by a distance below 0: nine operations a
 * turn, so that n = 27 still has fewer than 256, and n = 40 has not.
 */
TEST(loops_end_by_themselves_or_are_ended)
{
	static const uint8_t turn[] = {
		0x14, 0x22,       /* over, plus: n sum+n */
		0x16,             /* swap: sum n */
		0x31, 0x1c,       /* lit1, minus: sum n-1 */
		0x16,             /* swap: n-1 sum */
		0x14,             /* over: n-1 sum n-1 */
		0x28, 0xf6, 0xff, /* bra back to the first */
	};

	begin();
	for (unsigned n = 1; n < 45; n++) {
		struct made code = { .size = 0 };
		uint64_t value = 0;

		put(&code, 0x08, 1);
		put(&code, n, 1);
		put(&code, 0x30, 1);
		put_bytes(&code, turn, sizeof(turn));
		if (2 + 8 * n <= 256) {
			assert_int_equal(evaluate(code.bytes, code.size, &value), TL_CFI_CALLER);
			assert_int_equal(value, n * (n + 1) / 2);
		} else {
			assert_int_equal(evaluate(code.bytes, code.size, &value), TL_CFI_BAD);
		}
	}
}

/* ---- instructions ---- */

enum { START = 0x401000, SIZE = 160, CODE_AT = 0x5000, MOST_STATES = 400 };

/* A function whose rows are filled by hand. */
struct function {
	struct drawing d;
	struct made code[2]; /* of the CIE and of the FDE */
	struct tl_eh_cie cie;
	struct tl_cfi_row now, initial, remembered[8], rows[SIZE];
	unsigned depth, location;
	/* What stands behind each instruction of the FDE, and where that ends. */
	struct tl_cfi_row states[MOST_STATES];
	size_t ends[MOST_STATES], count;
};

static struct tl_cfi_rule *rule_of(struct function *f, unsigned number)
{
	static struct tl_cfi_rule nobody;

	return number < TL_CFI_REGISTERS ? &f->now.rules[number] : &nobody;
}

static struct tl_cfi_rule plain(enum tl_cfi_rule_kind kind, int64_t value)
{
	return (struct tl_cfi_rule){ .kind = kind, .value = value };
}

static struct tl_cfi_rule draw_block(struct function *f, struct made *out,
				     enum tl_cfi_rule_kind kind)
{
	const unsigned size = chance(&f->d.seed, 5);
	struct tl_cfi_rule rule = { .kind = kind, .value = size };

	put_uleb(out, size);
	rule.expression = out->bytes + out->size;
	put_fill(out, size);
	return rule;
}

/* The rest of the function up to a place has the present row. */
static void move_to(struct function *f, unsigned location)
{
	for (; f->location < location; f->location++)
		if (f->location + 1 < SIZE)
			f->rows[f->location + 1] = f->now;
}

/* DW_CFA_advance_loc, _loc1, _loc2, _loc4, _loc8 and set_loc. */
static void draw_advance(struct function *f, struct made *out)
{
	const unsigned factor = (unsigned)f->cie.code_align, steps = chance(&f->d.seed, 8);
	const uint64_t target = START + f->location + factor * steps;

	switch (chance(&f->d.seed, 6)) {
	case 0:
		put(out, 0x40 | steps, 1);
		break;
	case 1:
		put(out, 0x02, 1);
		put(out, steps, 1);
		break;
	case 2:
		put(out, 0x03, 1);
		put(out, steps, 2);
		break;
	case 3:
		put(out, 0x04, 1);
		put(out, steps, 4);
		break;
	case 4:
		put(out, 0x1d, 1);
		put(out, steps, 8);
		break;
	default: /* absolute, or the distance from the place of the operand itself */
		put(out, 0x01, 1);
		if (f->cie.pointers)
			put(out, target - CODE_AT - out->size, 4);
		else
			put(out, target, 8);
		break;
	}
	move_to(f, f->location + factor * steps);
}

static void draw_cfa(struct function *f, struct made *out)
{
	const unsigned number = chance(&f->d.seed, TL_CFI_REGISTERS), kind = chance(&f->d.seed, 6);
	const uint64_t size = chance(&f->d.seed, 300);
	const int64_t offset = (int64_t)size - 150;
	const bool is_plain = f->now.cfa.kind == TL_CFI_REGISTER, padded = chance(&f->d.seed, 2);

	if (kind == 0) {
		put(out, 0x0c, 1);
		put_uleb(out, number);
		put_uleb(out, size);
		f->now.cfa = plain(TL_CFI_REGISTER, (int64_t)size);
		f->now.cfa_register = number;
	} else if (kind == 1) {
		put(out, 0x12, 1);
		put_uleb(out, number);
		put_sleb(out, offset, padded);
		f->now.cfa = plain(TL_CFI_REGISTER, offset * f->cie.data_align);
		f->now.cfa_register = number;
	} else if (kind == 2 && is_plain) {
		put(out, 0x0d, 1);
		put_uleb(out, number);
		f->now.cfa_register = number;
	} else if (kind == 3 && is_plain) {
		put(out, 0x0e, 1);
		put_uleb(out, size);
		f->now.cfa.value = (int64_t)size;
	} else if (kind == 4 && is_plain) {
		put(out, 0x13, 1);
		put_sleb(out, offset, padded);
		f->now.cfa.value = offset * f->cie.data_align;
	} else if (kind == 5) {
		put(out, 0x0f, 1);
		f->now.cfa = draw_block(f, out, TL_CFI_VAL_EXPRESSION);
	} else {
		put(out, 0x00, 1);
	}
}

/* Instructions whose operands are a register and an offset. */
static const struct offset_form {
	uint8_t operation;
	enum tl_cfi_rule_kind kind;
	bool is_signed;
	int factor; /* of the offset beside the data's, 0: neither is there */
} offset_forms[] = {
	{ 0x05, TL_CFI_OFFSET, false, 1 },     { 0x11, TL_CFI_OFFSET, true, 1 },
	{ 0x14, TL_CFI_VAL_OFFSET, false, 1 }, { 0x15, TL_CFI_VAL_OFFSET, true, 1 },
	{ 0x2f, TL_CFI_OFFSET, false, -1 },    { 0x09, TL_CFI_REGISTER, false, 0 },
};

static void draw_offset(struct function *f, struct made *out)
{
	const struct offset_form *form =
		&offset_forms[chance(&f->d.seed, sizeof(offset_forms) / sizeof(offset_forms[0]))];
	/* Some numbers bear no address, and are left out. */
	const unsigned number = chance(&f->d.seed, TL_CFI_REGISTERS + 8);
	const int64_t offset = (int64_t)chance(&f->d.seed, 400) - (form->is_signed ? 200 : 0);

	put(out, form->operation, 1);
	put_uleb(out, number);
	if (form->is_signed)
		put_sleb(out, offset, chance(&f->d.seed, 2));
	else
		put_uleb(out, (uint64_t)offset);
	*rule_of(f, number) = plain(
		form->kind, form->factor ? offset * f->cie.data_align * form->factor : offset);
}

static void draw_rule(struct function *f, struct made *out)
{
	const unsigned number = chance(&f->d.seed, TL_CFI_REGISTERS + 8),
		       kind = chance(&f->d.seed, 8);
	const uint64_t offset = chance(&f->d.seed, 300);

	switch (kind) {
	case 0:
		put(out, 0x80 | number, 1);
		put_uleb(out, offset);
		*rule_of(f, number) = plain(TL_CFI_OFFSET, (int64_t)offset * f->cie.data_align);
		break;
	case 1:
	case 2:
		put(out, kind == 1 ? 0x07 : 0x08, 1);
		put_uleb(out, number);
		*rule_of(f, number) = plain(kind == 1 ? TL_CFI_UNDEFINED : TL_CFI_SAME, 0);
		break;
	case 3:
	case 4:
		put(out, kind == 3 ? 0x10 : 0x16, 1);
		put_uleb(out, number);
		*rule_of(f, number) =
			draw_block(f, out, kind == 3 ? TL_CFI_EXPRESSION : TL_CFI_VAL_EXPRESSION);
		break;
	case 5:
		put(out, 0xc0 | number, 1);
		*rule_of(f, number) = f->initial.rules[number % TL_CFI_REGISTERS];
		break;
	case 6:
		put(out, 0x06, 1);
		put_uleb(out, number);
		*rule_of(f, number) = f->initial.rules[number % TL_CFI_REGISTERS];
		break;
	default:
		draw_offset(f, out);
		break;
	}
}

static void draw_state(struct function *f, struct made *out)
{
	switch (chance(&f->d.seed, 4)) {
	case 0:
		put(out, chance(&f->d.seed, 2) ? 0x2d : 0x2c, 1);
		f->now.is_signed = !f->now.is_signed;
		break;
	case 1: /* the size of arguments says nothing of a row */
		put(out, 0x2e, 1);
		put_uleb(out, chance(&f->d.seed, 1000));
		break;
	case 2:
		if (f->depth == 8)
			break;
		put(out, 0x0a, 1);
		f->remembered[f->depth++] = f->now;
		break;
	default:
		if (!f->depth)
			break;
		put(out, 0x0b, 1);
		f->now = f->remembered[--f->depth];
		break;
	}
}

static void draw_function(struct function *f, uint32_t seed)
{
	static const int64_t data[] = { -8, -4, 8, -1, 4 };
	static const uint64_t codes[] = { 1, 2, 4 };

	memset(f, 0, sizeof(*f));
	f->d.seed = seed;
	f->cie = (struct tl_eh_cie){ .code_align = codes[seed % 3],
				     .data_align = data[seed % 5],
				     .pointers = seed % 2 ? 0x1b : 0,
				     .is_signal = seed % 4 == 0,
				     .return_register = seed % TL_CFI_REGISTERS };
	f->now.return_register = f->cie.return_register;
	f->now.is_signal = f->cie.is_signal;
	f->now.cfa = plain(TL_CFI_REGISTER, 8);
	f->now.cfa_register = SP;
	put_bytes(&f->code[0], (const uint8_t[]){ 0x0c, SP, 8 }, 3);
	for (unsigned i = 0; i < 12; i++)
		draw_rule(f, &f->code[0]);
	f->rows[0] = f->initial = f->now;
	while (f->count < MOST_STATES && f->location < SIZE) {
		struct made *out = &f->code[1];

		switch (chance(&f->d.seed, 5)) {
		case 0:
			draw_advance(f, out);
			break;
		case 1:
			draw_cfa(f, out);
			break;
		case 2:
			draw_state(f, out);
			break;
		default:
			draw_rule(f, out);
			break;
		}
		if (f->location < SIZE)
			f->rows[f->location] = f->now;
		f->states[f->count] = f->now;
		f->ends[f->count++] = out->size;
	}
	move_to(f, SIZE);
}

static bool run_function(const struct function *f, size_t size, uint64_t address)
{
	struct tl_eh_cie cie = f->cie;
	const struct tl_eh_fde fde = {
		.start = START,
		.size = SIZE,
		.instructions = { .cur = tl_cursor_over(f->code[1].bytes, size),
				  .address = CODE_AT },
	};

	cie.instructions =
		(struct tl_eh_table){ .cur = tl_cursor_over(f->code[0].bytes, f->code[0].size) };
	return tl_cfi_run(&cie, &fde, address, &row);
}

static void assert_same_rule(const struct tl_cfi_rule *rule, const struct tl_cfi_rule *expected)
{
	assert_int_equal(rule->kind, expected->kind);
	assert_int_equal(rule->value, expected->value);
	assert_ptr_equal(rule->expression, expected->expression);
}

static void assert_same_row(const struct tl_cfi_row *expected)
{
	assert_same_rule(&row.cfa, &expected->cfa);
	if (row.cfa.kind == TL_CFI_REGISTER)
		assert_int_equal(row.cfa_register, expected->cfa_register);
	for (unsigned i = 0; i < TL_CFI_REGISTERS; i++)
		assert_same_rule(&row.rules[i], &expected->rules[i]);
	assert_int_equal(row.return_register, expected->return_register);
	assert_int_equal(row.is_signal, expected->is_signal);
	assert_int_equal(row.is_signed, expected->is_signed);
}

TEST(each_address_has_the_row_that_was_filled)
{
	static struct function f;

	for (uint32_t seed = 1; seed < 150; seed++) {
		draw_function(&f, seed);
		for (unsigned i = 0; i < SIZE; i++) {
			assert_true(run_function(&f, f.code[1].size, START + i));
			assert_same_row(&f.rows[i]);
		}
		/* No advance leads to an address before the function. */
		assert_true(run_function(&f, f.code[1].size, START - 1));
	}
}

/* Cut behind an instruction, a program has the row of that; cut inside one, it is refused. */
TEST(programs_are_cut_between_instructions_only)
{
	static struct function f;

	for (uint32_t seed = 1; seed < 40; seed++) {
		size_t next = 0;

		draw_function(&f, seed);
		assert_true(run_function(&f, 0, START + SIZE + 64));
		assert_same_row(&f.initial);
		for (size_t size = 1; size <= f.code[1].size; size++) {
			/* the last of those that end here: some wrote nothing */
			while (next < f.count && f.ends[next] <= size)
				next++;
			if (next && f.ends[next - 1] == size) {
				assert_true(run_function(&f, size, START + SIZE + 64));
				assert_same_row(&f.states[next - 1]);
			} else {
				assert_false(run_function(&f, size, START + SIZE + 64));
			}
		}
	}
}

/* ---- steps ---- */

/* What a rule of the caller gives, said once more without the frame's own functions. */
static bool naive_value(const struct tl_cfi_rule *rule, unsigned number, uint64_t cfa,
			uint64_t *value)
{
	const unsigned from = rule->kind == TL_CFI_REGISTER ? (unsigned)rule->value : number;
	uint64_t at = cfa + (uint64_t)rule->value;

	switch (rule->kind) {
	case TL_CFI_UNDEFINED:
		return false;
	case TL_CFI_VAL_OFFSET:
		*value = at;
		return true;
	case TL_CFI_VAL_EXPRESSION: /* plus_uconst */
		*value = cfa + rule->expression[1];
		return true;
	case TL_CFI_EXPRESSION:
		at = cfa + rule->expression[1];
		break;
	case TL_CFI_OFFSET:
		break;
	default:
		*value = frame.registers[from];
		return frame.known >> from & 1;
	}
	/* What was popped already is in its register. */
	if (frame.known >> SP & 1 && at < frame.registers[SP]) {
		*value = frame.registers[number];
		return frame.known >> number & 1;
	}
	if (at < memory.start || at + 8 > memory.start + memory.size)
		return false;
	*value = stack_word(at, 8);
	return true;
}

TEST(drawn_steps)
{
	static const uint8_t more[3][2] = { { 0x23, 0 }, { 0x23, 16 }, { 0x23, 100 } };
	unsigned results[TL_CFI_BAD + 1] = { 0 };
	uint32_t seed = 5;

	for (unsigned round = 0; round < 5000; round++) {
		struct tl_cfi_frame before;
		enum tl_cfi_result result;
		uint64_t cfa, pc = 0, value;
		bool found;

		begin();
		frame.known = chance_bits(&seed) & ((1ULL << TL_CFI_REGISTERS) - 1);
		for (unsigned i = 0; i < TL_CFI_REGISTERS; i++)
			frame.registers[i] = chance(&seed, 8) ? chance_bits(&seed) : 0;
		frame.registers[SP] = 0x7000 + chance(&seed, 24);
		frame.registers[BP] = 0x7000 + chance(&seed, 40);
		row.cfa = plain(TL_CFI_REGISTER, (int64_t)chance(&seed, 32));
		row.cfa_register = chance(&seed, 2) ? SP : BP;
		for (unsigned i = 0; i < TL_CFI_REGISTERS; i++) {
			row.rules[i] = plain((enum tl_cfi_rule_kind)chance(&seed, 7),
					     (int64_t)chance(&seed, 100) - 50);
			row.rules[i].expression = more[chance(&seed, 3)];
			if (row.rules[i].kind == TL_CFI_REGISTER)
				row.rules[i].value = chance(&seed, TL_CFI_REGISTERS);
			else if (row.rules[i].kind >= TL_CFI_EXPRESSION)
				row.rules[i].value = 2;
		}
		before = frame;
		cfa = frame.registers[row.cfa_register] + (uint64_t)row.cfa.value;
		found = frame.known >> row.cfa_register & 1 &&
			naive_value(&row.rules[RA], RA, cfa, &pc) && pc;
		result = tl_cfi_step(&row, &memory, 0, &frame);
		results[result]++;
		assert_int_equal(result == TL_CFI_CALLER, found);
		if (!found) {
			assert_memory_equal(&frame, &before, sizeof(frame));
			continue;
		}
		assert_true(frame.pc == pc);
		{
			const struct tl_cfi_frame caller = frame;

			frame = before;
			for (unsigned i = 0; i < TL_CFI_REGISTERS; i++) {
				bool is_known = naive_value(&row.rules[i], i, cfa, &value);

				if (i == SP && row.rules[i].kind == TL_CFI_SAME) {
					is_known = true;
					value = cfa;
				}
				assert_int_equal(caller.known >> i & 1, is_known);
				if (is_known)
					assert_true(caller.registers[i] == value);
			}
		}
	}
	/* Each way that a step of these can end has been gone. */
	for (unsigned i = 0; i < TL_CFI_BAD; i++)
		assert_true(results[i] > 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(expressions_have_the_values_of_their_trees),
		cmocka_unit_test(expressions_that_are_cut_read_nothing_behind),
		cmocka_unit_test(the_stack_has_64_words),
		cmocka_unit_test(loops_end_by_themselves_or_are_ended),
		cmocka_unit_test(each_address_has_the_row_that_was_filled),
		cmocka_unit_test(programs_are_cut_between_instructions_only),
		cmocka_unit_test(drawn_steps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
