/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Expressions of call frame information that are drawn as trees, whose values are known before, and
 * written as DWARF 5, section 2.5.1, has them: operands, then their operation.
 */
#include "cfi_machine.h"
#include "make_dwarf.h"

#include "../chance.h"

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
		/* The least number by -1 is beyond the range, and is itself again. */
		return b == -1 ? 0 - (uint64_t)a : (uint64_t)(a / b);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(expressions_have_the_values_of_their_trees),
		cmocka_unit_test(expressions_that_are_cut_read_nothing_behind),
		cmocka_unit_test(the_stack_has_64_words),
		cmocka_unit_test(loops_end_by_themselves_or_are_ended),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
