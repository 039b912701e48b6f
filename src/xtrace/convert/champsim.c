/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ChampSim's records of 64 bytes (its inc/trace_instruction.h): ip, is_branch, branch_taken, 2
 * destination and 4 source registers, 2 destination and 4 source addresses; no header. It tells
 * kinds of branches by which of three special registers they read and write (inc/instruction.h).
 *
 * A conditional branch was taken if the next instruction is not the one behind it. What has no
 * place in a record is left out: further registers and accesses, sizes, address 0.
 */
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/output.h"
#include "isa/a64/a64.h"
#include "isa/a64/a64_operands.h"
#include "xtrace/convert/convert.h"
#include "xtrace/format/reader.h"

enum {
	RECORD = 64,
	DESTINATIONS = 2,
	SOURCES = 4,
	STACK_POINTER = 6,
	FLAGS = 25,
	INSTRUCTION_POINTER = 26, /* ChampSim's */
	OTHERS = 32,              /* our registers follow its own ones: 0 is none */
};

struct record {
	uint64_t ip;
	uint8_t is_branch, taken;
	uint8_t destinations[DESTINATIONS], sources[SOURCES];
	uint64_t stores[DESTINATIONS], loads[SOURCES];
};

struct champsim {
	struct tl_xtrace_reader *reader;
	struct tl_output *out;
	struct tl_a64_cache cache;
	struct record record; /* of the instruction before, whose successor is looked for */
	struct tl_a64 insn;
	bool any;
};

static uint8_t number_of(unsigned reg)
{
	if (reg == TL_A64_SP)
		return STACK_POINTER;
	return reg == TL_A64_NZCV ? FLAGS : (uint8_t)(OTHERS + reg);
}

static void add_register(uint8_t *list, unsigned room, uint8_t number)
{
	for (unsigned i = 0; i < room; i++)
		if (!list[i] || list[i] == number) {
			list[i] = number;
			return;
		}
}

static void add_address(uint64_t *list, unsigned room, uint64_t address)
{
	for (unsigned i = 0; i < room; i++)
		if (!list[i]) {
			list[i] = address;
			return;
		}
}

/* ---- branches ---- */

/* The special registers by which ChampSim distinguishes kinds of branches. */
static const struct {
	enum tl_a64_flow flow;
	bool writes_sp, reads_ip, reads_sp, reads_registers, reads_flags;
} kinds[] = {
	{ TL_A64_JUMP, false, false, false, false, false },
	{ TL_A64_CONDITIONAL, false, true, false, true, false },
	{ TL_A64_JUMP_REGISTER, false, false, false, true, false },
	{ TL_A64_CALL, true, true, true, false, false },
	{ TL_A64_CALL_REGISTER, true, true, true, true, false },
	{ TL_A64_RETURN, true, false, true, true, false },
	/* Neither of its kinds: "some other branch type". */
	{ TL_A64_EXCEPTION_RETURN, false, false, false, false, true },
	{ TL_A64_EXCEPTION_CALL, false, false, false, false, true },
	{ TL_A64_TRAP, false, false, false, false, true },
};

static void put_branch(struct record *r, const struct tl_a64 *insn,
		       const struct tl_a64_operands *operands)
{
	size_t k = 0;

	while (kinds[k].flow != insn->flow)
		k++;
	add_register(r->destinations, DESTINATIONS, INSTRUCTION_POINTER);
	if (kinds[k].writes_sp)
		add_register(r->destinations, DESTINATIONS, STACK_POINTER);
	if (kinds[k].reads_ip)
		add_register(r->sources, SOURCES, INSTRUCTION_POINTER);
	if (kinds[k].reads_sp)
		add_register(r->sources, SOURCES, STACK_POINTER);
	if (kinds[k].reads_flags)
		add_register(r->sources, SOURCES, FLAGS);
	for (unsigned i = 0; kinds[k].reads_registers && i < operands->read_count; i++)
		add_register(r->sources, SOURCES, number_of(operands->reads[i]));
	r->is_branch = 1;
}

/* Exceptions that a trace of a thread does not follow are no branches. */
static bool is_branch(const struct tl_a64 *insn, bool goes_on)
{
	if (insn->flow == TL_A64_NEXT)
		return false;
	return !goes_on || (insn->flow != TL_A64_EXCEPTION_CALL && insn->flow != TL_A64_TRAP);
}

/* The record of the instruction before, now that it is known where it led. */
static void flush(struct champsim *c, bool known, uint64_t next)
{
	struct record *r = &c->record;
	bool goes_on = !known || next == r->ip + 4;
	struct tl_a64_operands operands = tl_a64_operands(c->insn.opcode);

	if (is_branch(&c->insn, goes_on)) {
		bool target = c->insn.target && known &&
			      next == r->ip + (uint64_t)(int64_t)c->insn.offset;

		put_branch(r, &c->insn, &operands);
		r->taken = c->insn.flow != TL_A64_CONDITIONAL || target;
	} else {
		for (unsigned i = 0; i < operands.write_count; i++)
			add_register(r->destinations, DESTINATIONS, number_of(operands.writes[i]));
		for (unsigned i = 0; i < operands.read_count; i++)
			add_register(r->sources, SOURCES, number_of(operands.reads[i]));
	}
}

static char *put64(char *p, uint64_t value)
{
	for (unsigned i = 0; i < 8; i++)
		*p++ = (char)(value >> 8 * i);
	return p;
}

static void put_record(struct champsim *c, bool known, uint64_t next)
{
	const struct record *r = &c->record;
	char *p;

	if (!c->any)
		return;
	flush(c, known, next);
	p = put64(tl_output_room(c->out, RECORD), r->ip);
	*p++ = (char)r->is_branch;
	*p++ = (char)r->taken;
	memcpy(p, r->destinations, DESTINATIONS);
	memcpy(p + DESTINATIONS, r->sources, SOURCES);
	p += DESTINATIONS + SOURCES;
	for (unsigned i = 0; i < DESTINATIONS; i++)
		p = put64(p, r->stores[i]);
	for (unsigned i = 0; i < SOURCES; i++)
		p = put64(p, r->loads[i]);
	tl_output_advance(c->out, p);
}

static void begin_record(struct champsim *c, const struct tl_xtrace_instruction *insn)
{
	struct tl_xtrace_access access;
	uint64_t at = 0;

	c->any = true;
	c->record = (struct record){ .ip = insn->pc };
	c->insn = *tl_a64_look(&c->cache, insn->opcode);
	while (tl_xtrace_read_access(c->reader, insn, &at, &access))
		add_address(access.store ? c->record.stores : c->record.loads,
			    access.store ? DESTINATIONS : SOURCES, access.address);
	/* It zeroes a block and has no access of its own. */
	if (insn->values.has_dc)
		add_address(c->record.stores, DESTINATIONS, insn->values.dc);
}

static int put_all(struct champsim *c, struct tl_error *err)
{
	struct tl_xtrace_instruction insn;
	int status;

	while ((status = tl_xtrace_read_instruction(c->reader, &insn, err)) == 1 &&
	       !tl_output_failed(c->out)) {
		put_record(c, !insn.before.after_gap, insn.pc);
		begin_record(c, &insn);
	}
	put_record(c, false, 0);
	return tl_error_or_end(status);
}

int tl_xtrace_to_champsim(struct tl_xtrace_trace *trace, uint32_t stream, struct tl_output *out,
			  struct tl_error *err)
{
	struct champsim *c = calloc(1, sizeof(*c));
	int status;

	if (!c)
		return tl_error_memory(err);
	c->out = out;
	tl_a64_cache_begin(&c->cache);
	status = tl_xtrace_reader_open(&c->reader, trace, stream, TL_NONE, err);
	if (status == 0) {
		status = put_all(c, err);
		tl_xtrace_reader_close(c->reader);
	}
	free(c);
	return status;
}
