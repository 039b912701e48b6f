/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Call frame information that is drawn: a program of instructions from rows that are filled address
 * by address, a step from rules that are each done by hand.
 */
#include "cfi_machine.h"
#include "make_dwarf.h"

#include "../chance.h"

enum { START = 0x401000, SIZE = 160, CODE_AT = 0x5000, MOST_STATES = 400 };

/* A function whose rows are filled by hand. */
struct function {
	uint32_t seed;
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
	const unsigned size = chance(&f->seed, 5);
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
	const unsigned factor = (unsigned)f->cie.code_align, steps = chance(&f->seed, 8);
	const uint64_t target = START + f->location + factor * steps;

	switch (chance(&f->seed, 6)) {
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
	const unsigned number = chance(&f->seed, TL_CFI_REGISTERS), kind = chance(&f->seed, 6);
	const uint64_t size = chance(&f->seed, 300);
	const int64_t offset = (int64_t)size - 150;
	const bool is_plain = f->now.cfa.kind == TL_CFI_REGISTER, padded = chance(&f->seed, 2);

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
		&offset_forms[chance(&f->seed, sizeof(offset_forms) / sizeof(offset_forms[0]))];
	/* Some numbers bear no address, and are left out. */
	const unsigned number = chance(&f->seed, TL_CFI_REGISTERS + 8);
	const int64_t offset = (int64_t)chance(&f->seed, 400) - (form->is_signed ? 200 : 0);

	put(out, form->operation, 1);
	put_uleb(out, number);
	if (form->is_signed)
		put_sleb(out, offset, chance(&f->seed, 2));
	else
		put_uleb(out, (uint64_t)offset);
	*rule_of(f, number) = plain(
		form->kind, form->factor ? offset * f->cie.data_align * form->factor : offset);
}

static void draw_rule(struct function *f, struct made *out)
{
	const unsigned number = chance(&f->seed, TL_CFI_REGISTERS + 8), kind = chance(&f->seed, 8);
	const uint64_t offset = chance(&f->seed, 300);

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
	switch (chance(&f->seed, 4)) {
	case 0:
		put(out, chance(&f->seed, 2) ? 0x2d : 0x2c, 1);
		f->now.is_signed = !f->now.is_signed;
		break;
	case 1: /* the size of arguments says nothing of a row */
		put(out, 0x2e, 1);
		put_uleb(out, chance(&f->seed, 1000));
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
	f->seed = seed;
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

		switch (chance(&f->seed, 5)) {
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
		cmocka_unit_test(each_address_has_the_row_that_was_filled),
		cmocka_unit_test(programs_are_cut_between_instructions_only),
		cmocka_unit_test(drawn_steps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
