/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_XTRACE_MACHINE_SIGNALS_H
#define TESTS_UNIT_XTRACE_MACHINE_SIGNALS_H
/*
 * Signals of the machine, as Linux delivers them (arch/arm64/kernel/signal.c), and programs that
 * are drawn: straight code, and handlers that begin anywhere in it.
 *
 * struct rt_sigframe: siginfo has 128 bytes, struct sigcontext is 176 behind it; behind the address
 * of the fault it has X0 to X30, SP, PC and PSTATE, and from 288 on records, of which the first is
 * struct fpsimd_context: 8 bytes of head, FPSR, FPCR, V0 to V31. The room for records has 4096
 * bytes; a frame record of 16 bytes is behind it.
 */
#include "machine.h"

enum {
	CONTEXT = 128,
	FRAME_WORDS = CONTEXT + 176 + 8,
	FRAME_PC = 32,
	FRAME_PSTATE = 33,
	FRAME_RECORDS = CONTEXT + 176 + 288,
	FRAME_STATUS = FRAME_RECORDS + 8,
	FRAME_CONTROL = FRAME_RECORDS + 12,
	FRAME_VECTORS = FRAME_RECORDS + 16,
	FRAME_SIZE = FRAME_RECORDS + 4096,
	FRAME_RECORD = 16,
	RT_SIGRETURN = 139,
};

#define SET_BY_KERNEL (7 | BIT(29) | BIT(LINK) | BIT(SP))

static inline void save_registers(struct machine *m, uint64_t frame, uint64_t pc)
{
	for (unsigned i = 0; i < 32; i++)
		set_word(m, frame + FRAME_WORDS + 8 * i, m->r.x[i], 8);
	set_word(m, frame + FRAME_WORDS + 8 * FRAME_PC, pc, 8);
	set_word(m, frame + FRAME_WORDS + 8 * FRAME_PSTATE, m->r.x[NZCV], 8);
	set_word(m, frame + FRAME_RECORDS, 0x46508001, 4);
	set_word(m, frame + FRAME_RECORDS + 4, 528, 4);
	set_word(m, frame + FRAME_STATUS, m->r.x[FPSR], 4);
	set_word(m, frame + FRAME_CONTROL, m->r.x[FPCR], 4);
	for (unsigned i = 0; i < 64; i++)
		set_word(m, frame + FRAME_VECTORS + 8 * i, m->r.v[i / 2][i % 2], 8);
	set_word(m, frame + FRAME_VECTORS + 512, 0, 8);
}

/* A signal comes behind the present instruction, which is not executed if it faulted. */
static inline void deliver(struct machine *m, unsigned number)
{
	struct frame *f = &m->frames[m->depth++];
	struct delivered *s = &m->signals[m->signal_count];
	const uint64_t pc = m->faulted ? m->pc - 4 : m->pc;

	memset(f, 0, sizeof(*f));
	f->address = (m->r.x[SP] - FRAME_SIZE - FRAME_RECORD) & ~UINT64_C(15);
	f->return_pc = pc;
	f->saved = m->r;
	f->interrupted_writes = m->writes;
	f->interrupted_v = m->writes_v;
	f->faulted = m->faulted;
	f->before_slice = !m->in_slice;
	f->begin = m->signal_count++;
	save_registers(m, f->address, pc);
	set_word(m, f->address, number, 4);
	set_word(m, f->address + FRAME_SIZE, m->r.x[29], 8);
	set_word(m, f->address + FRAME_SIZE + 8, m->r.x[LINK], 8);
	m->r.x[0] = number;
	m->r.x[1] = f->address;
	m->r.x[2] = f->address + CONTEXT;
	m->r.x[29] = f->address + FRAME_SIZE;
	m->r.x[LINK] = TRAMPOLINE;
	m->r.x[SP] = f->address;
	/* Whether what it interrupts was executed is not told before it returns. */
	m->r.known &= ~(SET_BY_KERNEL | m->writes);
	m->r.known_v &= ~m->writes_v;
	m->r.uncertain |= m->writes;
	m->r.uncertain_v |= m->writes_v;
	m->r.same &= ~SET_BY_KERNEL;
	m->inputs = SET_BY_KERNEL;
	go_to(m, HANDLERS + (uint64_t)HANDLER_BYTES * m->handlers++);
	m->contiguous = false;
	*s = (struct delivered){ .pc = m->pc,
				 .step = m->step_count - 1,
				 .r = m->r,
				 .faulted = f->faulted,
				 .before_slice = f->before_slice,
				 .number = number };
}

static inline bool any_stored(const struct frame *f, unsigned place, unsigned size)
{
	bool any = false;

	for (unsigned i = 0; i < size; i++)
		any |= f->stored[place + i];
	return any;
}

static inline bool all_stored(const struct frame *f, unsigned place, unsigned size)
{
	bool all = true;

	for (unsigned i = 0; i < size; i++)
		all &= f->stored[place + i];
	return all;
}

static inline bool all_loaded(const struct frame *f, unsigned place, unsigned size)
{
	bool all = true;

	for (unsigned i = 0; i < size; i++)
		all &= f->loaded[place + i];
	return all;
}

/*
 * The value of a register is the frame's. What is known of it: as it was, or what the handler put
 * there; where it put a part, nothing is; what it found there counts at the end of one whose
 * beginning the slice has not.
 */
static inline void bring_back(struct machine *m, const struct frame *f, unsigned number,
			      unsigned place, unsigned size)
{
	bool known = m->r.known >> number & 1;

	m->r.x[number] = word_at(m, f->address + place, size);
	if (any_stored(f, place, size)) {
		known = all_stored(f, place, size) && number < 32;
		m->r.same &= ~BIT(number);
	} else if (m->in_slice && f->before_slice && all_loaded(f, place, size) && number < FPCR) {
		known = true;
	}
	m->r.known = (m->r.known & ~BIT(number)) | (known ? BIT(number) : 0);
}

static inline void bring_back_vector(struct machine *m, const struct frame *f, unsigned number)
{
	for (unsigned half = 0; half < 2; half++) {
		const unsigned place = FRAME_VECTORS + 16 * number + 8 * half;

		m->r.v[number][half] = word_at(m, f->address + place, 8);
		if (!any_stored(f, place, 8))
			continue;
		m->r.known_v &= ~(1u << number);
		m->r.same_v[half] &= ~(1u << number);
	}
}

/* The instruction at which a handler began may have been executed, or not. */
static inline void doubt_interrupted(struct machine *m, const struct frame *f)
{
	m->r.known &= ~(f->interrupted_writes | BIT(SP));
	m->r.known_v &= ~f->interrupted_v;
}

static inline void begin_resumed(struct machine *m)
{
	struct resumed *r = &m->resumed[m->resumed_count++];

	assert_true(m->resumed_count <= MOST_RESUMED);
	*r = (struct resumed){ .r = m->r };
	m->r.uncertain = 0;
	m->r.uncertain_v = 0;
	r->r.same = m->r.same = ALL_REGISTERS & ~BIT(0);
	m->r.same_v[0] = m->r.same_v[1] = UINT32_MAX;
}

/* Halves of vectors that a handler found in its frame. */
static inline void show_loaded(struct machine *m, const struct frame *f)
{
	for (unsigned half = 0; half < 64; half++)
		if (all_loaded(f, FRAME_VECTORS + 8 * half, 8))
			present(m)->shown_v[half % 2] |= 1u << half / 2;
}

/* rt_sigreturn: all registers come from the frame. SVCRET has X0 of them. */
static inline void restore(struct machine *m)
{
	struct frame *f = &m->frames[--m->depth];
	const bool moved = any_stored(f, FRAME_WORDS + 8 * FRAME_PC, 8);
	struct delivered *s = &m->signals[m->signal_count++];
	bool changes = moved;

	/* What another signal finds here is the subject of test_elf_signals.c. */
	m->interruptible = false;
	*s = (struct delivered){ .ends = true,
				 .step = m->step_count - 1,
				 .begin = f->begin,
				 .moved = moved,
				 .before_slice = f->before_slice };
	m->r.known = f->saved.known;
	m->r.known_v = f->saved.known_v;
	m->r.same = f->saved.same;
	m->r.uncertain = f->saved.uncertain;
	m->r.uncertain_v = f->saved.uncertain_v;
	memcpy(m->r.same_v, f->saved.same_v, sizeof(m->r.same_v));
	if (moved && !f->faulted)
		doubt_interrupted(m, f);
	for (unsigned i = 0; i < 32; i++) {
		bring_back(m, f, i, FRAME_WORDS + 8 * i, 8);
		if (all_stored(f, FRAME_WORDS + 8 * i, 8))
			s->changed |= BIT(i);
		bring_back_vector(m, f, i);
	}
	bring_back(m, f, NZCV, FRAME_WORDS + 8 * FRAME_PSTATE, 8);
	bring_back(m, f, FPSR, FRAME_STATUS, 4);
	bring_back(m, f, FPCR, FRAME_CONTROL, 4);
	changes |= any_stored(f, FRAME_WORDS, FRAME_SIZE - FRAME_WORDS);
	m->faulted = false;
	if (present(m))
		present(m)->doubt |= changes;
	do_result(m, m->r.x[0]);
	m->r.known |= 1;
	go_to(m, word_at(m, f->address + FRAME_WORDS + 8 * FRAME_PC, 8));
	m->contiguous = false;
	m->inputs = 0;
	s->pc = m->pc;
	s->r = m->r;
	if (m->in_slice && f->before_slice) {
		begin_resumed(m);
		show_loaded(m, f);
	}
}

/* ---- programs ---- */

/* One instruction, or a few that belong together. `hard`: also those that cannot be followed. */
static inline void draw_hard(struct machine *m)
{
	const unsigned d = any_register(m), v = chance(&m->seed, 32), w = chance(&m->seed, 32);
	uint64_t halves[2], others[2];

	switch (chance(&m->seed, 11)) {
	case 0:
		emit(m, 0x9e660000 | v << 5 | d); /* fmov xd, dv */
		put(m, d, get_half(m, v, 0), false);
		get_half(m, v, 1);
		m->r.known &= ~BIT(FPSR);
		break;
	case 1:
		emit(m, 0x9e670000 | d << 5 | v); /* fmov dv, xd */
		put_vector(m, v, get(m, d), 0, false);
		m->r.known &= ~BIT(FPSR);
		break;
	case 2:
		emit(m, 0x6e201c00 | w << 16 | v << 5 | (v ^ 1)); /* eor */
		get_vector(m, v, halves);
		get_vector(m, w, others);
		put_vector(m, v ^ 1, halves[0] ^ others[0], halves[1] ^ others[1], false);
		m->r.known &= ~BIT(FPSR);
		break;
	case 3:
		emit(m, 0x9eaf0000 | d << 5 | v); /* fmov vv.d[1], xd */
		get_vector(m, v, halves);
		put_vector(m, v, halves[0], get(m, d), false);
		m->r.known &= ~BIT(FPSR);
		break;
	case 4:
	case 9:
		emit(m, 0xd53b4420 | d); /* mrs xd, fpsr */
		put_value(&m->out.stream, MRS, m->r.x[FPSR]);
		put(m, d, get(m, FPSR), true);
		break;
	case 5:
		emit(m, 0xd51b4420 | d); /* msr fpsr, xd */
		show(m, d);
		put_value(&m->out.stream, MRS, m->r.x[d]);
		put(m, FPSR, get(m, d) & 0xffffffff, true);
		break;
	case 6:
		emit(m, 0xd51b4400 | d); /* msr fpcr, xd */
		show(m, d);
		put_value(&m->out.stream, MRS, m->r.x[d]);
		put(m, FPCR, get(m, d) & 0xffffffff, true);
		break;
	case 7:
		emit(m, 0xd53be040 | d); /* mrs xd, cntvct_el0 */
		put(m, d, chance_bits(&m->seed), true);
		m->steps[m->step_count - 1].is_read = true;
		m->steps[m->step_count - 1].result = m->r.x[d];
		put_value(&m->out.stream, MRS, m->r.x[d]);
		m->interruptible = false;
		break;
	default:
		emit(m, 0x6f00e400 | v); /* movi vv.2d, #0 */
		put_vector(m, v, 0, 0, false);
		m->r.known &= ~BIT(FPSR);
		break;
	}
}

static inline void draw_vector_access(struct machine *m)
{
	const unsigned n = any_pointer(m), v = chance(&m->seed, 32), offset = chance(&m->seed, 30);
	const bool whole = chance(&m->seed, 2), store = chance(&m->seed, 2);
	const unsigned size = whole ? 16 : 8;

	emit(m, (whole ? 0x3d800000 : 0xfd000000) | (store ? 0u : 1u << 22) | offset << 10 |
			n << 5 | v);
	const uint64_t address = get(m, n) + (uint64_t)size * offset;

	show(m, n);
	if (store) {
		show_vector(m, v, whole ? 2 : 1);
		set_word(m, address, get_half(m, v, 0), 8);
		if (whole)
			set_word(m, address + 8, get_half(m, v, 1), 8);
		put_memory(m, address, size, true);
		return;
	}
	put_memory(m, address, size, false);
	put_vector(m, v, word_at(m, address, 8), whole ? word_at(m, address + 8, 8) : 0, true);
}

static inline void draw_branch(struct machine *m)
{
	const unsigned n = any_source(m), condition = chance(&m->seed, 6);
	static const uint8_t codes[] = { 0, 1, 2, 3, 4, 5 };
	bool taken = true;

	switch (chance(&m->seed, 4)) {
	case 0:
		emit(m, 0xb4000040 | n); /* cbz xn, .+8 */
		taken = !get(m, n);
		break;
	case 1:
		emit(m, 0x54000040 | codes[condition]); /* b.cond .+8 */
		taken = holds(m, condition);
		break;
	case 2:
		emit(m, 0x94000002); /* bl .+8 */
		put(m, LINK, m->pc, true);
		break;
	default:
		emit(m, 0x10000040 | 9); /* adr x9, .+8 */
		put(m, 9, m->pc + 4, true);
		do_branch_to(m, 0xd61f0000, 9);
		return;
	}
	if (taken)
		m->pc += 4;
	m->contiguous = m->contiguous && !taken;
}

static inline void draw_sum(struct machine *m)
{
	static const uint32_t opcodes[] = { 0x8b000000, 0xca000000, 0x8a000000, 0xcb000000 };
	const unsigned d = any_register(m), a = any_source(m), b = any_source(m),
		       which = chance(&m->seed, 4);

	emit(m, opcodes[which] | b << 16 | a << 5 | d); /* add, eor, and, sub */
	const uint64_t x = get(m, a), y = get(m, b);

	put(m, d,
	    which == 0   ? x + y
	    : which == 1 ? x ^ y
	    : which == 2 ? (x & y)
			 : x - y,
	    m->follows);
}

static inline void draw_flags(struct machine *m)
{
	const unsigned d = any_register(m), a = any_source(m), b = any_source(m),
		       condition = chance(&m->seed, 6);

	switch (chance(&m->seed, 4)) {
	case 0:
		emit(m, 0x9a800000 | b << 16 | condition << 12 | a << 5 | d); /* csel */
		put(m, d, holds(m, condition) ? get(m, a) : get(m, b), true);
		get(m, a);
		get(m, b);
		m->r.known = m->follows ? m->r.known : m->r.known & ~BIT(d);
		break;
	case 1:
		emit(m, 0xd53b4200 | d); /* mrs xd, nzcv */
		put_value(&m->out.stream, MRS, m->r.x[NZCV]);
		put(m, d, get(m, NZCV), true);
		break;
	default:
		emit(m, 0xeb00001f | b << 16 | a << 5); /* cmp xa, xb */
		set_flags_of_difference(m, get(m, a), get(m, b));
		if (chance(&m->seed, 2))
			break;
		put_value(&m->out.stream, FLAGS, m->r.x[NZCV]);
		m->r.known |= BIT(NZCV);
		break;
	}
}

/* getpid(), or one during which the kernel writes: read(0, X1, X2), wherever X1 leads. */
static inline void draw_call(struct machine *m)
{
	const bool writes = chance(&m->seed, 2);

	do_move_wide(m, 8, writes ? 63 : 172, 0);
	do_call(m);
	for (unsigned i = 0; writes && i < 4; i++)
		*at(m, DATA + chance(&m->seed, DATA_BYTES)) = (uint8_t)chance(&m->seed, 256);
	put(m, 0, 1000 + chance(&m->seed, 5), true);
	do_result(m, m->r.x[0]);
}

static inline void draw_narrow(struct machine *m)
{
	const unsigned n = any_pointer(m), t = any_register(m), offset = chance(&m->seed, 100);
	const unsigned size = 1u << chance(&m->seed, 3);
	const uint32_t opcode = 0x39000000 | (size == 1 ? 0 : size == 2 ? 1u : 2u) << 30;
	const bool store = chance(&m->seed, 2);

	emit(m, opcode | (store ? 0u : 1u << 22) | offset << 10 | n << 5 | t);
	const uint64_t address = get(m, n) + (uint64_t)size * offset;

	show(m, n);
	if (store)
		set_word(m, address, get(m, t), size);
	put_memory(m, address, size, store);
	if (!store)
		put(m, t, word_at(m, address, size), true);
}

/* LDXR and STXR, which stores, or does not. */
static inline void draw_exclusive(struct machine *m)
{
	const unsigned n = any_pointer(m);
	const bool fails = !chance(&m->seed, 3);

	emit(m, 0xc85f7c00 | n << 5 | 10);
	const uint64_t address = get(m, n);

	show(m, n);
	put_memory(m, address, 8, false);
	put(m, 10, word_at(m, address, 8), true);
	emit(m, 0xc8007c00 | 12 << 16 | (n == 10 ? BASE : n) << 5 | 11); /* stxr w12, x11, [xn] */
	const uint64_t place = get(m, n == 10 ? BASE : n);

	get(m, 11);
	if (!fails) {
		show(m, n == 10 ? BASE : n);
		show(m, 11);
		set_word(m, place, m->r.x[11], 8);
		put_memory(m, place, 8, true);
	}
	put_value(&m->out.stream, STXR, fails);
	put(m, 12, fails, true);
	m->interruptible = false;
}

static inline void draw_instruction(struct machine *m, bool hard)
{
	const unsigned d = any_register(m);

	switch (chance(&m->seed, hard ? 16 : 13)) {
	case 0:
		do_move_wide(m, d, chance(&m->seed, 65536), chance(&m->seed, 4));
		break;
	case 1:
		do_keep_wide(m, d, chance(&m->seed, 65536), chance(&m->seed, 4));
		break;
	case 2:
		do_sum_with(m, d, chance(&m->seed, 3) ? any_source(m) : SP, chance(&m->seed, 4096));
		break;
	case 3:
		do_sum_with(m, d, BASE, 8 * chance(&m->seed, 100));
		break;
	case 4:
		do_load(m, d, any_pointer(m), 8 * chance(&m->seed, 60), false);
		break;
	case 5:
		do_store(m, any_source(m), any_pointer(m), 8 * chance(&m->seed, 60), false);
		break;
	case 6:
		draw_sum(m);
		break;
	case 7:
		draw_flags(m);
		break;
	case 8:
		draw_branch(m);
		break;
	case 9:
		draw_call(m);
		break;
	case 10:
		draw_narrow(m);
		break;
	case 11:
		/* above what a handler has pushed */
		do_store(m, any_source(m), SP, 16 + 8 * chance(&m->seed, 8), false);
		break;
	case 12:
		draw_vector_access(m);
		break;
	case 13:
		draw_exclusive(m);
		break;
	default:
		draw_hard(m);
		break;
	}
}

/* ---- handlers ---- */

/* SP is 16 below the frame in a handler's body. */
enum { PUSHED = 16 };

static inline void begin_handler(struct machine *m)
{
	do_push(m, 29, LINK);
}

/* The handler puts a register, the flags, a vector or the PC into its frame, or loads one. */
static inline void touch_frame(struct machine *m, bool change)
{
	const unsigned number = any_register(m), half = chance(&m->seed, 64);

	if (!change) {
		do_load(m, 9, SP, PUSHED + FRAME_WORDS + 8 * chance(&m->seed, 31), false);
		do_load(m, 9, SP, PUSHED + FRAME_VECTORS + 8 * half, false);
		if (chance(&m->seed, 2))
			do_load(m, 9, SP, PUSHED + FRAME_WORDS + 8 * FRAME_PSTATE, false);
		return;
	}
	switch (chance(&m->seed, 4)) {
	case 0:
		do_move_wide(m, 9, 0x6000, 1);
		do_store(m, 9, SP, PUSHED + FRAME_WORDS + 8 * FRAME_PSTATE, false);
		break;
	case 1:
		do_store(m, any_source(m), SP, PUSHED + FRAME_VECTORS + 8 * half, false);
		break;
	default:
		do_store(m, any_source(m), SP, PUSHED + FRAME_WORDS + 8 * number, false);
		break;
	}
}

/* ... goes on so many instructions further. */
static inline void move_return(struct machine *m, unsigned instructions)
{
	const struct frame *f = &m->frames[m->depth - 1];

	do_constant(m, 9, f->return_pc + 4 * (uint64_t)instructions);
	do_store(m, 9, SP, PUSHED + FRAME_WORDS + 8 * FRAME_PC, false);
}

static inline void end_handler(struct machine *m)
{
	do_pop(m, 29, LINK);
	do_branch_to(m, A64_RET & ~(31u << 5), LINK);
	do_move_wide(m, 8, RT_SIGRETURN, 0);
	do_call(m);
	restore(m);
}

static inline void draw_handler(struct machine *m, bool hard);

/* So many instructions, and handlers among them that come back. */
static inline void draw_program(struct machine *m, unsigned count, bool hard)
{
	while (count--) {
		draw_instruction(m, hard);
		if (m->depth + 1 < MOST_DEPTH && m->interruptible && !chance(&m->seed, 15))
			draw_handler(m, hard);
	}
}

/* One handler from its beginning to its end; at an instruction that was executed, or faulted. */
static inline void draw_handler(struct machine *m, bool hard)
{
	const unsigned t = any_register(m), offset = 8 * chance(&m->seed, 60);
	const bool faults = !chance(&m->seed, 4), changes = !chance(&m->seed, 3),
		   moves = !chance(&m->seed, 6);

	if (faults)
		do_load(m, t, BASE, offset, true);
	deliver(m, 1 + chance(&m->seed, 31));
	begin_handler(m);
	draw_program(m, chance(&m->seed, 8), hard);
	if (!chance(&m->seed, 3))
		touch_frame(m, false);
	for (unsigned i = changes ? 1 + chance(&m->seed, 3) : 0; i; i--)
		touch_frame(m, true);
	if (moves)
		move_return(m, 1 + chance(&m->seed, 3));
	draw_program(m, chance(&m->seed, 4), hard);
	end_handler(m);
	if (faults && !moves)
		do_load(m, t, BASE, offset, false);
}

#endif
