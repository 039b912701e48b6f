/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_XTRACE_MACHINE_H
#define TESTS_UNIT_XTRACE_MACHINE_H
/*
 * A processor that executes A64 instructions one by one and writes what it does as a stream and
 * snapshots, and a kernel that gives it signals (machine_signals.h). Encodings are those of the Arm
 * Architecture Reference Manual, C6.2 and C7.2. Of every register it knows beside the value whether
 * a reader of the stream can know it, too. Nothing of the code under test is used here.
 */
#include "../chance.h"
#include "pairs.h"

enum {
	MAIN = 0x400000,
	HANDLERS = 0x500000,
	HANDLER_BYTES = 0x1000,
	TRAMPOLINE = 0x600000,
	DATA = 0x10000,
	DATA_BYTES = 2048,
	STACK_TOP = 0x7000000,
	STACK_BYTES = 0x10000,
	MOST_DEPTH = 4,
	MOST_STEPS = 4096,
	MOST_RESUMED = 4,
};

/* Bits beside those of X0 to X30. */
enum { SP = 31, NZCV = 32, FPCR = 33, FPSR = 34, REGISTERS = 35, LINK = 30, BASE = 28 };

#define BIT(number) (UINT64_C(1) << (number))
#define ALL_REGISTERS (BIT(REGISTERS) - 1)

struct registers {
	uint64_t x[REGISTERS], v[32][2];
	/* The stream tells enough to compute it; it is still what came back (struct resumed). */
	uint64_t known, same;
	uint32_t known_v, same_v[2];
	/* In a handler: what the instruction wrote that it interrupted, if it was executed. */
	uint64_t uncertain;
	uint32_t uncertain_v;
};

/* What a handler interrupted that began before the slice, when it comes back. */
struct resumed {
	struct registers r;
	/* Read by what runs behind it; told by an address, an argument or a whole store. */
	uint64_t needed, shown;
	uint32_t needed_v[2], shown_v[2];
	bool doubt; /* what a reader of the stream may give up on came between */
};

/* The frame of a handler (machine_signals.h). */
struct frame {
	uint64_t address, return_pc;
	struct registers saved;
	uint64_t interrupted_writes;
	uint32_t interrupted_v;
	bool faulted, before_slice;
	uint8_t stored[0x1250], loaded[0x1250];
	size_t begin; /* number of its beginning in `signals` */
};

struct memory_access {
	uint64_t address;
	unsigned size;
	bool store;
	uint8_t data[16];
};

/* An instruction that was executed, or faulted. */
struct executed_step {
	uint64_t pc, offset;
	size_t first, count; /* of `accesses` */
	bool is_call, has_result, is_read;
	uint64_t result;
};

/* A handler begins or ends behind a step. */
struct delivered {
	bool ends;
	uint64_t pc, step;
	struct registers r;  /* at its first instruction; what came back */
	size_t begin;        /* of one that ends */
	uint64_t changed;    /* registers that it stored into its frame as a whole */
	uint64_t must_show;  /* of those that the kernel sets: shown before anything else comes */
	bool faulted, moved; /* the instruction was not executed; the PC was changed */
	bool before_slice;   /* it began there */
	unsigned number;
};

struct machine {
	struct registers r;
	uint64_t pc;
	uint8_t data[DATA_BYTES], stack[STACK_BYTES];
	struct pair out;
	uint32_t seed;
	bool contiguous; /* the next instruction needs no PC */
	/* Of the present instruction: what it wrote; whether all that it read is known. */
	uint64_t writes;
	uint32_t writes_v;
	bool follows, faulted, interruptible;
	struct frame frames[MOST_DEPTH];
	unsigned depth, handlers;
	struct resumed resumed[MOST_RESUMED];
	unsigned resumed_count;
	bool in_slice;
	/* Inputs of the innermost handler that nothing has written since it began. */
	uint64_t inputs;
	struct executed_step steps[MOST_STEPS];
	struct memory_access accesses[3 * MOST_STEPS];
	struct delivered signals[256];
	size_t step_count, access_count, signal_count, first_step, snapshots;
};

/* ---- registers ---- */

static inline struct resumed *present(struct machine *m)
{
	return m->resumed_count ? &m->resumed[m->resumed_count - 1] : NULL;
}

static inline void need(struct machine *m, uint64_t bits)
{
	if (present(m)) {
		present(m)->needed |= bits & m->r.same;
		present(m)->doubt |= (bits & m->r.uncertain) != 0;
	}
	m->follows = m->follows && (m->r.known & bits) == bits;
}

static inline uint64_t get(struct machine *m, unsigned number)
{
	need(m, BIT(number));
	return m->r.x[number];
}

static inline void put(struct machine *m, unsigned number, uint64_t value, bool known)
{
	m->r.x[number] = value;
	m->r.same &= ~BIT(number);
	m->r.uncertain &= ~BIT(number);
	m->r.known = (m->r.known & ~BIT(number)) | (known ? BIT(number) : 0);
	m->writes |= BIT(number);
	m->inputs &= ~BIT(number);
}

static inline void show_input(struct machine *m, unsigned number)
{
	if (m->depth)
		m->signals[m->frames[m->depth - 1].begin].must_show |= BIT(number) & m->inputs;
}

/* The stream has the value of a register: all of it. */
static inline void show(struct machine *m, unsigned number)
{
	if (present(m))
		present(m)->shown |= BIT(number) & m->r.same;
	show_input(m, number);
}

static inline void put_vector(struct machine *m, unsigned number, uint64_t low, uint64_t high,
			      bool known)
{
	m->r.v[number][0] = low;
	m->r.v[number][1] = high;
	m->r.same_v[0] &= ~(1u << number);
	m->r.same_v[1] &= ~(1u << number);
	m->r.uncertain_v &= ~(1u << number);
	m->r.known_v = (m->r.known_v & ~(1u << number)) | (known ? 1u << number : 0);
	m->writes_v |= 1u << number;
}

static inline uint64_t get_half(struct machine *m, unsigned number, unsigned half)
{
	if (present(m)) {
		present(m)->needed_v[half] |= m->r.same_v[half] & 1u << number;
		present(m)->doubt |= m->r.uncertain_v >> number & 1;
	}
	return m->r.v[number][half];
}

/* Both halves count as read: instructions with vectors work on all of them. */
static inline void get_vector(struct machine *m, unsigned number, uint64_t halves[2])
{
	halves[0] = get_half(m, number, 0);
	halves[1] = get_half(m, number, 1);
}

static inline void show_vector(struct machine *m, unsigned number, unsigned halves)
{
	for (unsigned i = 0; present(m) && i < halves; i++)
		present(m)->shown_v[i] |= m->r.same_v[i] & 1u << number;
}

/* ---- memory ---- */

static inline uint8_t *at(struct machine *m, uint64_t address)
{
	if (address - DATA < DATA_BYTES)
		return m->data + (address - DATA);
	assert_true(address - (STACK_TOP - STACK_BYTES) < STACK_BYTES);
	return m->stack + (address - (STACK_TOP - STACK_BYTES));
}

static inline uint64_t word_at(struct machine *m, uint64_t address, unsigned size)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < size; i++)
		value |= (uint64_t)at(m, address)[i] << 8 * i;
	return value;
}

static inline void set_word(struct machine *m, uint64_t address, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		at(m, address)[i] = (uint8_t)(value >> 8 * i);
}

/* A token of an access, of 1 to 16 bytes, as they are in memory by now. */
static inline void put_memory(struct machine *m, uint64_t address, unsigned size, bool store)
{
	struct memory_access *a = &m->accesses[m->access_count++];
	unsigned log2 = 0;

	assert_true(m->access_count < sizeof(m->accesses) / sizeof(m->accesses[0]));
	*a = (struct memory_access){ .address = address, .size = size, .store = store };
	memcpy(a->data, at(m, address), size);
	while (1u << log2 < size)
		log2++;
	put_byte(&m->out.stream, (store ? STORE : LOAD) | log2 << 4);
	put_number(&m->out.stream, address, 8);
	for (unsigned i = 0; i < size; i++)
		put_byte(&m->out.stream, a->data[i]);
	m->steps[m->step_count - 1].count++;
	for (unsigned i = 0; i < m->depth; i++)
		for (unsigned n = 0; n < size; n++) {
			const uint64_t place = address + n - m->frames[i].address;

			if (place >= sizeof(m->frames[i].stored))
				continue;
			if (store)
				m->frames[i].stored[place] = true;
			else if (!m->frames[i].stored[place])
				m->frames[i].loaded[place] = true;
		}
}

/* ---- instructions ---- */

/* The stream has the instruction, and the PC goes on behind it. */
static inline void emit(struct machine *m, uint32_t opcode)
{
	struct executed_step *s = &m->steps[m->step_count++];

	assert_true(m->step_count < MOST_STEPS);
	*s = (struct executed_step){ .pc = m->pc,
				     .offset = m->out.stream.size,
				     .first = m->access_count };
	if (m->contiguous && chance(&m->seed, 8))
		put_inst(&m->out.stream, 0, opcode);
	else
		put_pcinst(&m->out.stream, 0, m->pc, opcode);
	m->contiguous = true;
	m->pc += 4;
	m->writes = 0;
	m->writes_v = 0;
	m->follows = m->interruptible = true;
	m->faulted = false;
}

static inline void go_to(struct machine *m, uint64_t pc)
{
	m->contiguous = m->contiguous && m->pc == pc;
	m->pc = pc;
}

/* Any of X9 to X17, X19 to X27: none that the code here needs itself. */
static inline unsigned any_register(struct machine *m)
{
	const unsigned number = chance(&m->seed, 18);

	return number < 9 ? 9 + number : 10 + number;
}

/* ... or one that the kernel sets for a handler. */
static inline unsigned any_source(struct machine *m)
{
	static const uint8_t others[] = { 0, 1, 2, 29, 30, BASE };

	return chance(&m->seed, 3) ? any_register(m) : others[chance(&m->seed, sizeof(others))];
}

/* A register with an address of the data; X28 always is one. */
static inline unsigned any_pointer(struct machine *m)
{
	for (unsigned i = 0; i < 8; i++) {
		const unsigned number = any_register(m);

		if (m->r.x[number] >= DATA && m->r.x[number] < DATA + DATA_BYTES / 2 &&
		    m->r.x[number] % 8 == 0)
			return number;
	}
	return BASE;
}

static inline void set_flags_of_difference(struct machine *m, uint64_t a, uint64_t b)
{
	const uint64_t d = a - b;

	put(m, NZCV,
	    (d >> 63) << 31 | (uint64_t)!d << 30 | (uint64_t)(a >= b) << 29 |
		    ((a ^ b) & (a ^ d)) >> 63 << 28,
	    m->follows);
}

/* The condition of B.cond and CSEL: of EQ and NE, CS and CC, MI and PL. */
static inline bool holds(struct machine *m, unsigned condition)
{
	static const uint8_t shifts[] = { 30, 29, 31 };

	return (get(m, NZCV) >> shifts[condition / 2] & 1) != (condition & 1);
}

static inline void do_move_wide(struct machine *m, unsigned d, unsigned value, unsigned part)
{
	emit(m, 0xd2800000 | part << 21 | value << 5 | d); /* movz */
	put(m, d, (uint64_t)value << 16 * part, true);
}

static inline void do_keep_wide(struct machine *m, unsigned d, unsigned value, unsigned part)
{
	emit(m, 0xf2800000 | part << 21 | value << 5 | d); /* movk */
	const uint64_t kept = get(m, d) & ~(UINT64_C(0xffff) << 16 * part);

	put(m, d, kept | (uint64_t)value << 16 * part, m->follows);
}

static inline void do_constant(struct machine *m, unsigned d, uint64_t value)
{
	do_move_wide(m, d, value & 0xffff, 0);
	do_keep_wide(m, d, value >> 16 & 0xffff, 1);
}

static inline void do_sum_with(struct machine *m, unsigned d, unsigned n, unsigned value)
{
	emit(m, 0x91000000 | value << 10 | n << 5 | d); /* add xd, xn, #value */
	const uint64_t sum = get(m, n) + value;

	put(m, d, sum, m->follows);
}

/* LDR and STR of X registers with an offset; one that faults has no access. */
static inline void do_load(struct machine *m, unsigned t, unsigned n, unsigned offset, bool faults)
{
	emit(m, 0xf9400000 | offset / 8 << 10 | n << 5 | t);
	const uint64_t address = get(m, n) + offset;

	m->faulted = faults;
	if (faults)
		return;
	show(m, n);
	put_memory(m, address, 8, false);
	put(m, t, word_at(m, address, 8), true);
}

static inline void do_store(struct machine *m, unsigned t, unsigned n, unsigned offset, bool faults)
{
	emit(m, 0xf9000000 | offset / 8 << 10 | n << 5 | t);
	const uint64_t address = get(m, n) + offset;
	const uint64_t value = get(m, t);

	m->faulted = faults;
	if (faults)
		return;
	show(m, n);
	show(m, t);
	set_word(m, address, value, 8);
	put_memory(m, address, 8, true);
}

/* STP Xt, Xu, [SP, #-16]! and LDP Xt, Xu, [SP], #16; as one access, or two. */
static inline void do_push(struct machine *m, unsigned t, unsigned u)
{
	emit(m, 0xa9bf03e0 | u << 10 | t);
	const uint64_t sp = get(m, SP) - 16;

	show(m, SP);
	show(m, t);
	show(m, u);
	set_word(m, sp, get(m, t), 8);
	set_word(m, sp + 8, get(m, u), 8);
	if (chance(&m->seed, 2)) {
		put_memory(m, sp, 16, true);
	} else {
		put_memory(m, sp, 8, true);
		put_memory(m, sp + 8, 8, true);
	}
	put(m, SP, sp, m->r.known >> SP & 1);
}

static inline void do_pop(struct machine *m, unsigned t, unsigned u)
{
	emit(m, 0xa8c103e0 | u << 10 | t);
	const uint64_t sp = get(m, SP);

	show(m, SP);
	put_memory(m, sp, 8, false);
	put_memory(m, sp + 8, 8, false);
	put(m, t, word_at(m, sp, 8), true);
	put(m, u, word_at(m, sp + 8, 8), true);
	put(m, SP, sp + 16, m->r.known >> SP & 1);
}

/* SVC, whose number is in X8. What it returns is the caller's to say. */
static inline void do_call(struct machine *m)
{
	emit(m, A64_SVC);
	m->steps[m->step_count - 1].is_call = true;
	get(m, 8);
	show(m, 8);
	put_value(&m->out.stream, SVCARG, m->r.x[8]);
	for (unsigned i = 0; i < 6; i++) {
		show(m, i);
		put_value(&m->out.stream, SVCARG, m->r.x[i]);
	}
}

static inline void do_result(struct machine *m, uint64_t value)
{
	m->steps[m->step_count - 1].has_result = true;
	m->steps[m->step_count - 1].result = value;
	put_value(&m->out.stream, SVCRET, value);
}

/* RET and BR. */
static inline void do_branch_to(struct machine *m, uint32_t opcode, unsigned n)
{
	emit(m, opcode | n << 5);
	const uint64_t to = get(m, n);

	show(m, n);
	put_value(&m->out.stream, TARGET_B, to);
	go_to(m, to);
}

/* ---- a machine ---- */

/* All registers, from which everything is known. */
static inline void do_snapshot(struct machine *m)
{
	struct bytes *b = &m->out.snapshots;

	put_number(b, 0, 8);
	put_number(b, m->out.stream.size, 8);
	put_number(b, m->step_count, 8);
	put_number(b, m->step_count, 8);
	for (unsigned i = 0; i < 32; i++)
		put_number(b, m->r.x[i], 8);
	for (unsigned i = 0; i < 32; i++) {
		put_number(b, m->r.v[i][0], 8);
		put_number(b, m->r.v[i][1], 8);
	}
	put_repeat(b, 0xc0, 16 * 16);
	put_repeat(b, 0xff, 16);
	put_repeat(b, 0, 16 * 16);
	put_number(b, m->r.x[FPCR], 8);
	put_number(b, m->r.x[FPSR], 8);
	put_number(b, m->r.x[NZCV], 8);
	put_repeat(b, 0, 8 * 8);
	put_number(b, 128, 8);
	m->contiguous = false;
	m->r.known = ALL_REGISTERS;
	m->r.known_v = UINT32_MAX;
	for (unsigned i = 0; i < 32; i++)
		show_input(m, i);
	m->snapshots++;
}

static inline struct machine *machine_begin(uint32_t seed)
{
	struct machine *m = calloc(1, sizeof(*m));

	assert_non_null(m);
	m->seed = seed * 7919 + 1;
	m->pc = MAIN;
	for (unsigned i = 0; i < 32; i++) {
		m->r.x[i] = chance_bits(&m->seed);
		m->r.v[i][0] = chance_bits(&m->seed);
		m->r.v[i][1] = chance_bits(&m->seed);
	}
	m->r.x[NZCV] = (uint64_t)chance(&m->seed, 16) << 28;
	m->r.x[FPSR] = chance(&m->seed, 256);
	m->r.x[FPCR] = (uint64_t)chance(&m->seed, 4) << 22;
	m->r.x[SP] = STACK_TOP - 0x400;
	m->r.x[BASE] = DATA;
	for (size_t i = 0; i < sizeof(m->data); i++)
		m->data[i] = (uint8_t)chance(&m->seed, 256);
	for (size_t i = 0; i < sizeof(m->stack); i++)
		m->stack[i] = (uint8_t)chance(&m->seed, 256);
	put_header(&m->out.snapshots);
	do_snapshot(m);
	return m;
}

static inline void machine_end(struct machine *m)
{
	free_pair(&m->out);
	free(m);
}

#endif
