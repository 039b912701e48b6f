/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Instructions to tokens (docs/formats/xtrace.md, 2.4). Logs have no targets of indirect branches:
 * the next instruction's address is one, put before that instruction.
 */
#include "core/arithmetic.h"
#include "core/cursor.h"
#include "isa/a64/a64.h"
#include "insn_log/reading.h"

enum { INST = 0x01, PCINST = 0x09, TARGET = 0x2b, LOAD = 0x02, STORE = 0x0a };
enum { LARGEST_ACCESS = 256, TOKEN_ROOM = 16 };

static bool same_id(const void *context, const void *key, uint32_t number)
{
	const struct tl_insn_log_file *log = context;

	return log->cpus[number].id == *(const uint64_t *)key;
}

uint32_t tl_insn_log_cpu(struct tl_insn_log_reading *r, uint64_t id)
{
	struct tl_insn_log_file *log = r->log;
	const uint64_t hash = tl_hash64(id);
	uint32_t number = tl_index_find(&r->by_id, hash, same_id, log, &id);
	struct tl_insn_log_cpu cpu = { .id = id };

	if (number != TL_NONE)
		return number;
	number = (uint32_t)log->cpu_count;
	if (!tl_grow(&log->cpus, &log->cpu_capacity, log->cpu_count + 1, sizeof(*log->cpus)) ||
	    !tl_index_add(&r->by_id, hash, number) || tl_output_open_memory(&cpu.tokens, NULL) < 0)
		return TL_NONE;
	log->cpus[log->cpu_count++] = cpu;
	return number;
}

const struct tl_a64 *tl_insn_log_look(struct tl_insn_log_reading *r, uint32_t opcode)
{
	return tl_a64_look(r->opcodes, opcode);
}

void tl_insn_log_seen(struct tl_insn_log_reading *r, uint32_t opcode)
{
	r->seen++;
	r->unallocated += tl_insn_log_look(r, opcode)->class == TL_A64_UNALLOCATED;
}

static char *put32(char *p, uint32_t value)
{
	for (unsigned i = 0; i < 4; i++)
		*p++ = (char)(value >> 8 * i);
	return p;
}

static char *put64(char *p, uint64_t value)
{
	return put32(put32(p, (uint32_t)value), (uint32_t)(value >> 32));
}

static bool is_indirect(const struct tl_a64 *insn)
{
	return insn->flow == TL_A64_JUMP_REGISTER || insn->flow == TL_A64_CALL_REGISTER ||
	       insn->flow == TL_A64_RETURN || insn->flow == TL_A64_EXCEPTION_RETURN;
}

/* Whether the last instruction of a processor can lead to an address. */
static bool leads_to(const struct tl_insn_log_cpu *cpu, const struct tl_a64 *last, uint64_t pc)
{
	const uint64_t target = cpu->pc + (uint64_t)(int64_t)last->offset;

	switch (last->flow) {
	case TL_A64_JUMP:
	case TL_A64_CALL:
		return pc == target;
	case TL_A64_CONDITIONAL:
		return pc == target || pc == cpu->pc + 4;
	case TL_A64_NEXT:
		return pc == cpu->pc + 4;
	default:
		return true;
	}
}

void tl_insn_log_put(struct tl_insn_log_reading *r, struct tl_insn_log_cpu *cpu,
		     const struct tl_insn_log_insn *insn)
{
	char *p = tl_output_room(cpu->tokens, 2 * TOKEN_ROOM);
	const bool follows = cpu->instructions && insn->pc == cpu->pc + 4;

	if (cpu->instructions) {
		const struct tl_a64 *last = tl_insn_log_look(r, cpu->opcode);

		r->elsewhere += insn->el == cpu->el && !leads_to(cpu, last, insn->pc);
		if (is_indirect(last)) {
			*p++ = TARGET;
			p = put64(p, insn->pc);
		}
	}
	*p++ = (char)((follows ? INST : PCINST) | insn->el << 6);
	if (!follows)
		p = put64(p, insn->pc);
	tl_output_advance(cpu->tokens, put32(p, insn->opcode));
	cpu->instructions++;
	cpu->pc = insn->pc;
	cpu->opcode = insn->opcode;
	cpu->el = insn->el;
	r->log->instructions++;
}

void tl_insn_log_put_access(struct tl_insn_log_reading *r, struct tl_insn_log_cpu *cpu, bool store,
			    uint64_t address, uint64_t size)
{
	*(store ? &r->log->stores : &r->log->loads) += 1;
	while (size) {
		const unsigned log2 =
			63 - (unsigned)__builtin_clzll(tl_min(size, (uint64_t)LARGEST_ACCESS));
		const size_t part = (size_t)1 << log2;
		char *p = tl_output_room(cpu->tokens, TOKEN_ROOM + LARGEST_ACCESS);

		*p++ = (char)((store ? STORE : LOAD) | log2 << 4);
		p = put64(p, address);
		memset(p, 0, part);
		tl_output_advance(cpu->tokens, p + part);
		address += part;
		size -= part;
	}
}
