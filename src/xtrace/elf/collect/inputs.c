/* SPDX-License-Identifier: Apache-2.0 */
#include "xtrace/elf/collect/inputs.h"

#include "core/cursor.h"
#include "core/memory.h"
#include "isa/a64/a64_operands.h"

/* The number of the signal has 31 bits, so that it stays as it is where W0 is read; frames are
 * aligned to 16 bytes, and addresses have no tag. */
static uint64_t bits_of(const struct tl_xtrace_inputs *inputs, unsigned reg)
{
	if (reg == TL_XTRACE_REG_SP || (inputs->handler && reg && reg != TL_XTRACE_REG_LINK))
		return UINT64_C(0x7ffffffffff0);
	if (!inputs->handler)
		return UINT64_MAX;
	return reg ? UINT64_C(0x7ffffffffffc) : (uint64_t)INT32_MAX;
}

/*
 * A value in the place of an input. Both runs have no bit in common, so that what depends on a few
 * of them is never the same by chance.
 */
static uint64_t stand_in(const struct tl_xtrace_inputs *inputs, unsigned run, unsigned reg)
{
	const uint64_t bits = bits_of(inputs, reg), any = tl_hash64(2 * reg + 1);

	return (run ? ~any : any) & bits;
}

static void begin(struct tl_xtrace_inputs *inputs, uint64_t registers)
{
	inputs->left = registers;
	for (; registers; registers &= registers - 1) {
		unsigned reg = (unsigned)__builtin_ctzll(registers);

		for (unsigned run = 0; run < 2; run++)
			tl_xtrace_registers_set(&inputs->runs[run], reg,
						stand_in(inputs, run, reg));
	}
}

void tl_xtrace_inputs_begin(struct tl_xtrace_inputs *inputs)
{
	*inputs = (struct tl_xtrace_inputs){ .handler = true };
	begin(inputs, TL_XTRACE_SET_BY_KERNEL);
}

void tl_xtrace_inputs_begin_any(struct tl_xtrace_inputs *inputs, uint64_t registers)
{
	*inputs = (struct tl_xtrace_inputs){ .handler = false };
	begin(inputs, registers);
}

/* Whether both runs have the same difference to an input, in the bits of `mask`. */
static bool is_sum(const struct tl_xtrace_inputs *inputs, unsigned reg, unsigned input,
		   uint64_t mask)
{
	const struct tl_xtrace_registers *runs = inputs->runs;
	uint64_t one = runs[0].x[reg] - stand_in(inputs, 0, input),
		 other = runs[1].x[reg] - stand_in(inputs, 1, input);

	return tl_xtrace_registers_know(&runs[0], reg) && tl_xtrace_registers_know(&runs[1], reg) &&
	       !((one ^ other) & mask);
}

bool tl_xtrace_inputs_read(const struct tl_xtrace_inputs *inputs, uint32_t opcode, unsigned input)
{
	struct tl_a64_operands operands = tl_a64_operands(opcode);

	for (unsigned i = 0; i < operands.read_count; i++)
		if (operands.reads[i] <= TL_XTRACE_REG_SP &&
		    is_sum(inputs, operands.reads[i], input, UINT64_MAX))
			return true;
	return false;
}

void tl_xtrace_inputs_show(struct tl_xtrace_inputs *inputs, unsigned reg, uint64_t value,
			   uint64_t mask)
{
	for (uint64_t left = inputs->left; left; left &= left - 1) {
		unsigned input = (unsigned)__builtin_ctzll(left);
		uint64_t stood = stand_in(inputs, 0, input);

		/* Of all but the signal's number all bits have to be told. */
		if (((input || !inputs->handler) && mask != UINT64_MAX) ||
		    !is_sum(inputs, reg, input, mask))
			continue;
		inputs->values[input] = (value - inputs->runs[0].x[reg] + stood) & mask;
		inputs->found |= UINT64_C(1) << input;
		inputs->left &= ~(UINT64_C(1) << input);
	}
}

void tl_xtrace_inputs_address(struct tl_xtrace_inputs *inputs, const struct tl_a64_access *access,
			      uint64_t address)
{
	if (access->base == TL_A64_BASE_OFFSET)
		tl_xtrace_inputs_show(inputs, access->rn,
				      address - (uint64_t)(int64_t)access->offset, UINT64_MAX);
}

/* One register of a store. */
static void show_stored(struct tl_xtrace_inputs *inputs, unsigned reg, const uint8_t *bytes,
			uint32_t size)
{
	if (reg == TL_A64_ZERO)
		return;
	if (size == 8)
		tl_xtrace_inputs_show(inputs, reg, tl_get64s(bytes, TL_HOST_BIG_ENDIAN),
				      UINT64_MAX);
	else if (size == 4)
		tl_xtrace_inputs_show(inputs, reg, tl_get32s(bytes, TL_HOST_BIG_ENDIAN),
				      UINT32_MAX);
}

void tl_xtrace_inputs_stored(struct tl_xtrace_inputs *inputs, const struct tl_a64_access *access,
			     uint32_t at, const uint8_t *bytes, uint32_t size)
{
	const uint32_t bytes_in_all = access->bytes;
	const uint32_t of_one = access->registers ? bytes_in_all / access->registers : 0;

	if (access->vector || !of_one || at % of_one)
		return;
	for (; size >= of_one && at < access->bytes; at += of_one) {
		show_stored(inputs, at ? access->rt2 : access->rt, bytes, of_one);
		bytes += of_one;
		size -= of_one;
	}
}

/* Whether a register that is computed with is another one in each run. */
static bool depends(const struct tl_xtrace_inputs *inputs, const struct tl_xtrace_insn_effect *e)
{
	const struct tl_xtrace_registers *runs = inputs->runs;
	uint64_t left = e->needs & runs[0].known & runs[1].known & TL_XTRACE_KNOWN_X;

	for (; e->kind == TL_XTRACE_EFFECT_COMPUTE && left; left &= left - 1)
		if (runs[0].x[__builtin_ctzll(left)] != runs[1].x[__builtin_ctzll(left)])
			return true;
	return false;
}

/*
 * What inputs decide, and does not become another one with them, may still be another one in the
 * trace: flags, and a result that is the same in both runs.
 */
static void forget_decided(struct tl_xtrace_inputs *inputs, const struct tl_xtrace_insn_effect *e)
{
	const struct tl_a64_computation *c = &e->computation;
	uint64_t decided = c->writes_flags ? TL_XTRACE_KNOWN_FLAGS : 0;

	if (c->d != TL_A64_ZERO && inputs->runs[0].x[c->d] == inputs->runs[1].x[c->d])
		decided |= UINT64_C(1) << c->d;
	for (unsigned run = 0; run < 2; run++)
		inputs->runs[run].known &= ~decided;
}

void tl_xtrace_inputs_execute(struct tl_xtrace_inputs *inputs,
			      const struct tl_xtrace_inputs_step *step)
{
	bool decides;
	struct tl_xtrace_insn_effect effect = tl_xtrace_insn_effect(step->opcode);

	if (step->left_out) {
		/* 31 is XZR there, and SP as the base. A store writes neither. */
		if (effect.kind != TL_XTRACE_EFFECT_NONE)
			effect.forget |=
				(UINT64_C(1) << effect.rd | UINT64_C(1) << effect.rt2) & INT32_MAX;
		if (effect.writes_back)
			effect.forget |= UINT64_C(1) << effect.rn;
		effect.writes_back = false;
		effect.kind = TL_XTRACE_EFFECT_NONE;
	}
	/* The result of a system call, which no effect has. */
	if ((step->opcode & 0xffe0001f) == 0xd4000001)
		effect.forget |= 1;
	decides = depends(inputs, &effect);
	for (unsigned run = 0; run < 2; run++)
		tl_xtrace_registers_apply(&inputs->runs[run], &effect, step->pc, step->loaded,
					  step->loaded_size);
	if (decides)
		forget_decided(inputs, &effect);
}
