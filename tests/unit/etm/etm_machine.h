/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_ETM_MACHINE_H
#define TESTS_UNIT_ETM_MACHINE_H
/*
 * A machine that executes drawn A64 code, and a trace unit that writes what it does: the ranges of
 * instructions are the truth, by neither reader. Opcodes are made here, and their meaning is the
 * machine's own.
 */
#include <stdlib.h>

#include "../chance.h"
#include "etm_writer.h"

enum {
	M_FUNCTIONS = 24,
	M_SIZE = 20, /* instructions of a function */
	M_INSNS = M_FUNCTIONS * M_SIZE,
	M_BASE = 0x400000,
	M_CALLS = 64,
	M_RETURNS = 15, /* of the return stack of the trace unit */
	M_RANGES = 20000,
};

enum m_kind {
	M_PLAIN,
	M_BRANCH,
	M_CALL,
	M_CONDITIONAL,
	M_JUMP_REGISTER,
	M_CALL_REGISTER,
	M_RETURN,
	M_ISB
};

struct m_insn {
	uint8_t kind;
	uint32_t target; /* number of an instruction */
	uint32_t opcode;
};

struct m_range {
	uint64_t begin, end;
};

/* How the trace is written. */
struct m_unit {
	bool has_return_stack;
	unsigned depth; /* of speculation */
	bool has_ids, traces_el1;
};

struct machine {
	struct m_unit unit;
	struct m_insn code[M_INSNS];
	uint8_t bytes[4 * M_INSNS];
	uint32_t seed;
	/* the machine */
	uint32_t pc, range_begin;
	uint32_t calls[M_CALLS];
	unsigned call_count;
	/* the trace unit */
	struct etm_bytes *out;
	uint32_t atoms;
	unsigned atom_count;
	unsigned waiting; /* P0 elements that are not committed */
	uint64_t returns[M_RETURNS];
	unsigned return_count;
	uint64_t last[3]; /* addresses */
	/* the truth */
	struct m_range ranges[M_RANGES];
	size_t range_count;
	uint64_t executed;
};

static inline uint64_t m_address(uint32_t insn)
{
	return M_BASE + 4 * (uint64_t)insn;
}

/* ---- code ---- */

static inline uint32_t m_opcode(const struct m_insn *insn, uint32_t at, uint32_t *seed)
{
	const int32_t offset = (int32_t)insn->target - (int32_t)at;
	static const uint32_t plain
		[] = { 0xd503201f, 0x8b020020, 0xf9400001, 0xd2800020,
		       0xa9bf7bfd, 0xd4000001 /* SVC: the exception is the machine's to have */ };

	switch (insn->kind) {
	case M_BRANCH:
		return 0x14000000 | ((uint32_t)offset & 0x3ffffff);
	case M_CALL:
		return 0x94000000 | ((uint32_t)offset & 0x3ffffff);
	case M_CONDITIONAL:
		if (chance(seed, 2)) /* B.NE, CBZ X1, TBNZ W3, #5 */
			return 0x54000001 | ((uint32_t)offset & 0x7ffff) << 5;
		if (chance(seed, 2))
			return 0xb4000001 | ((uint32_t)offset & 0x7ffff) << 5;
		return 0x37280003 | ((uint32_t)offset & 0x3fff) << 5;
	case M_JUMP_REGISTER:
		return chance(seed, 2) ? 0xd61f0020 : 0xd71f0823; /* BR X1, BRAA X1, X3 */
	case M_CALL_REGISTER:
		return 0xd63f0040; /* BLR X2 */
	case M_RETURN:
		return chance(seed, 2) ? 0xd65f03c0 : 0xd65f0bff; /* RET, RETAA */
	case M_ISB:
		return 0xd5033fdf;
	default:
		return plain[chance(seed, 6)];
	}
}

static inline void m_draw_code(struct machine *m)
{
	static const uint8_t kinds[] = { M_BRANCH,        M_CALL,        M_CALL,
					 M_CONDITIONAL,   M_CONDITIONAL, M_JUMP_REGISTER,
					 M_CALL_REGISTER, M_ISB };

	for (uint32_t i = 0; i < M_INSNS; i++) {
		struct m_insn *insn = &m->code[i];
		const uint32_t function = i / M_SIZE * M_SIZE;

		insn->kind = chance(&m->seed, 3) ? M_PLAIN : kinds[chance(&m->seed, 8)];
		/* The last one returns, so that no function runs into the next. */
		if (i % M_SIZE == M_SIZE - 1)
			insn->kind = M_RETURN;
		insn->target = function + chance(&m->seed, M_SIZE);
		if (insn->kind == M_CALL)
			insn->target = M_SIZE * chance(&m->seed, M_FUNCTIONS);
		insn->opcode = m_opcode(insn, i, &m->seed);
		for (unsigned b = 0; b < 4; b++)
			m->bytes[4 * i + b] = (uint8_t)(insn->opcode >> 8 * b);
	}
}

/* ---- the trace unit ---- */

static inline void m_put_atoms(struct machine *m)
{
	while (m->atom_count) {
		unsigned count = m->atom_count;

		while (!etm_atoms(m->out, m->atoms & ((UINT32_C(1) << count) - 1), count))
			count--;
		m->atoms >>= count;
		m->atom_count -= count;
	}
}

/* A P0 element: those that are too many are committed by that alone. */
static inline void m_wait(struct machine *m)
{
	m->waiting = m->waiting < m->unit.depth ? m->waiting + 1 : m->unit.depth;
}

static inline void m_atom(struct machine *m, bool taken)
{
	m->atoms |= (uint32_t)taken << m->atom_count;
	m_wait(m);
	if (++m->atom_count == 24 || !chance(&m->seed, 30))
		m_put_atoms(m);
}

static inline void m_keep_address(struct machine *m, uint64_t address)
{
	m->last[2] = m->last[1];
	m->last[1] = m->last[0];
	m->last[0] = address;
}

/* In one of the ways that it can be written. */
static inline void m_put_address(struct machine *m, uint64_t address)
{
	const unsigned way = chance(&m->seed, 4);

	m_put_atoms(m);
	for (unsigned i = 0; i < 3; i++)
		if (way && m->last[i] == address) {
			etm_byte(m->out, 0x90 + i);
			m_keep_address(m, address);
			return;
		}
	if (way == 1 && m->last[0] >> 17 == address >> 17)
		etm_address_short(m->out, address, false, true);
	else if (way < 3 && m->last[0] >> 32 == address >> 32)
		etm_address_32(m->out, address, false);
	else
		etm_address_64(m->out, address, false);
	m_keep_address(m, address);
}

static inline void m_put_context(struct machine *m, uint64_t address, unsigned el, uint32_t id)
{
	const struct etm_context c = { .el = el,
				       .is_64bit = true,
				       .is_nonsecure = true,
				       .id_bytes = m->unit.has_ids ? 4 : 0,
				       .id = id };

	m_put_atoms(m);
	etm_address_context(m->out, address, false, 64, &c);
	m_keep_address(m, address);
}

static inline void m_commit(struct machine *m, unsigned commits)
{
	m_put_atoms(m);
	if (!commits)
		return;
	etm_byte(m->out, 0x2d);
	etm_field(m->out, commits);
	m->waiting -= commits;
}

/* An A-Sync, a Trace Info, and where the machine is: reading may begin here. */
static inline void m_put_sync(struct machine *m)
{
	m_commit(m, m->waiting);
	etm_async(m->out);
	etm_trace_info(m->out, 0, 0, m->waiting, 0);
	memset(m->last, 0, sizeof(m->last));
	m->return_count = 0;
	m_put_context(m, m_address(m->pc), 0, 100);
}

static inline void m_push_return(struct machine *m, uint64_t address)
{
	if (!m->unit.has_return_stack)
		return;
	if (m->return_count == M_RETURNS)
		memmove(m->returns, m->returns + 1, (M_RETURNS - 1) * sizeof(m->returns[0]));
	else
		m->return_count++;
	m->returns[m->return_count - 1] = address;
}

/* Its address, unless it is the return that the unit expects. */
static inline void m_put_target(struct machine *m, uint64_t address, bool is_call)
{
	if (!is_call && m->return_count && m->returns[m->return_count - 1] == address)
		m->return_count--;
	else
		m_put_address(m, address);
}

/* Commits of what waits, and ways that were not taken. */
static inline void m_speculate(struct machine *m)
{
	const unsigned way = chance(&m->seed, 40);
	unsigned wrong;

	if (!m->unit.depth)
		return;
	if (way == 0 && m->waiting) {
		m_commit(m, 1 + chance(&m->seed, m->waiting));
	} else if (way == 1) {
		/* Wrong atoms, a wrong address between, all of them cancelled. */
		wrong = 1 + chance(&m->seed, m->unit.depth < 6 ? m->unit.depth : 6);
		m_put_atoms(m);
		for (unsigned i = 0; i < wrong; i++) {
			etm_atoms(m->out, chance(&m->seed, 2), 1);
			if (!chance(&m->seed, 3))
				m_put_address(m, m_address(chance(&m->seed, M_INSNS)));
		}
		/* What they have pushed out is committed. */
		if (m->waiting + wrong > m->unit.depth)
			m->waiting = m->unit.depth - wrong;
		etm_byte(m->out, 0x2e);
		etm_field(m->out, wrong);
	}
}

/* ---- the machine ---- */

/* The instructions from the begin of the range to behind `last`. */
static inline void m_end_range(struct machine *m, uint32_t last, uint32_t next)
{
	assert(m->range_count < M_RANGES);
	m->ranges[m->range_count++] =
		(struct m_range){ m_address(m->range_begin), m_address(last) + 4 };
	m->executed += last + 1 - m->range_begin;
	m->pc = m->range_begin = next;
}

static inline void m_conditional(struct machine *m, const struct m_insn *insn, uint32_t at)
{
	const bool taken = chance(&m->seed, 2);

	/* Predicted wrongly, and put right; the way that was not taken had an address. */
	if (m->unit.depth && !chance(&m->seed, 8)) {
		m_put_atoms(m);
		etm_atoms(m->out, !taken, 1);
		m_wait(m);
		if (chance(&m->seed, 2))
			m_put_address(m, m_address(chance(&m->seed, M_INSNS)));
		etm_byte(m->out, 0x30);
	} else {
		m_atom(m, taken);
	}
	m_end_range(m, at, taken ? insn->target : at + 1);
}

static inline void m_call(struct machine *m, uint32_t at, uint32_t target)
{
	if (m->call_count == M_CALLS)
		memmove(m->calls, m->calls + 1, (M_CALLS - 1) * sizeof(m->calls[0]));
	else
		m->call_count++;
	m->calls[m->call_count - 1] = at + 1;
	m_atom(m, true);
	m_push_return(m, m_address(at + 1));
	m_end_range(m, at, target);
}

static inline void m_indirect(struct machine *m, const struct m_insn *insn, uint32_t at)
{
	uint32_t target = M_SIZE * chance(&m->seed, M_FUNCTIONS) + chance(&m->seed, 3);

	if (insn->kind == M_CALL_REGISTER) {
		m_call(m, at, target);
		m_put_target(m, m_address(target), true);
		return;
	}
	/* Now and then something else returns: longjmp(). */
	if (insn->kind == M_RETURN && m->call_count && chance(&m->seed, 12))
		target = m->calls[--m->call_count];
	m_atom(m, true);
	m_end_range(m, at, target);
	m_put_target(m, m_address(target), false);
}

/* An exception before the instruction at `pc`: what ran so far has no atom of its own. */
static inline void m_exception(struct machine *m)
{
	const uint32_t back = m->pc, handler = M_SIZE * chance(&m->seed, M_FUNCTIONS);
	const bool is_target = m->range_begin == m->pc && chance(&m->seed, 2);

	m_put_atoms(m);
	if (m->range_begin < m->pc)
		m_end_range(m, m->pc - 1, m->pc);
	etm_byte(m->out, 0x06);
	etm_byte(m->out, is_target ? 0x40 | 0x1c : 0x01 | 0x1c);
	m_put_address(m, m_address(back));
	m_wait(m);
	if (m->unit.traces_el1) {
		/* The handler is a function like others. */
		m->pc = m->range_begin = handler;
		m_put_context(m, m_address(handler), 1, 100);
		return;
	}
	etm_byte(m->out, 0x04);
	m->return_count = 0;
	m_put_context(m, m_address(back), 0, 100);
}

static inline void m_step(struct machine *m)
{
	const uint32_t at = m->pc;
	const struct m_insn *insn = &m->code[at];

	if (!chance(&m->seed, 300)) {
		m_exception(m);
		return;
	}
	switch (insn->kind) {
	case M_PLAIN:
		m->pc++;
		return;
	case M_ISB:
		m_atom(m, true);
		m_end_range(m, at, at + 1);
		break;
	case M_BRANCH:
		m_atom(m, true);
		m_end_range(m, at, insn->target);
		break;
	case M_CALL:
		m_call(m, at, insn->target);
		break;
	case M_CONDITIONAL:
		m_conditional(m, insn, at);
		break;
	default:
		m_indirect(m, insn, at);
	}
	m_speculate(m);
	if (!chance(&m->seed, 400))
		m_put_sync(m);
}

/* A trace of about so many bytes, all of which is committed. */
static inline struct machine *m_run(uint32_t seed, const struct m_unit *unit, size_t bytes,
				    struct etm_bytes *out)
{
	struct machine *m = calloc(1, sizeof(*m));

	m->seed = seed;
	m->unit = *unit;
	m->out = out;
	m_draw_code(m);
	m_put_sync(m);
	while (out->size < bytes && m->range_count + 4 < M_RANGES)
		m_step(m);
	m_commit(m, m->waiting);
	return m;
}

#endif
