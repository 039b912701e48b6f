/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tarmac as Arm's Fast Models write it and tarmac-trace-utilities read it: a line for each
 * instruction (IT), register (R) and access (MR, MW). The time is the number of the instruction,
 * from 1. Registers are shown where the trace has their values (register_writes.h).
 */
#include <inttypes.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/output.h"
#include "isa/a64/a64_text.h"
#include "xtrace/convert/convert.h"
#include "xtrace/format/reader.h"
#include "xtrace/convert/register_writes.h"

enum { NZCV = 2, X_REGISTERS = 31, PIECE = 8, LINE = 128 };

struct tarmac {
	struct tl_xtrace_trace *trace;
	struct tl_xtrace_reader *reader;
	uint32_t stream;
	struct tl_output *out;
	struct tl_a64_text *text;
	struct tl_xtrace_sp stack;
	unsigned el;
	uint64_t time;
};

static char *put_word(char *p, const char *word)
{
	while (*word)
		*p++ = *word++;
	return p;
}

static char *put_digits(char *p, uint64_t value, unsigned digits)
{
	while (digits--)
		*p++ = "0123456789abcdef"[value >> 4 * digits & 15];
	return p;
}

static char *put_time(const struct tarmac *t, char *p)
{
	return put_word(tl_format_u64(p, t->time), " clk ");
}

static void put_register(struct tarmac *t, unsigned reg, uint64_t value)
{
	char *p = put_word(put_time(t, tl_output_room(t->out, LINE)), "R ");

	if (reg == TL_XTRACE_REG_NZCV) {
		p = put_digits(put_word(p, "cpsr "), value, 8);
	} else if (reg == TL_XTRACE_REG_SP) {
		p = put_word(p, "SP_EL");
		*p++ = (char)('0' + t->el);
		*p++ = ' ';
		p = put_digits(p, value, 16);
	} else {
		*p++ = 'X';
		p = tl_format_u64(p, reg);
		*p++ = ' ';
		p = put_digits(p, value, 16);
	}
	*p++ = '\n';
	tl_output_advance(t->out, p);
}

/* All of them, as a snapshot or ALLGPR has them; X31 is SP (A9). */
static void put_registers(struct tarmac *t, const uint64_t x[32])
{
	for (unsigned i = 0; i < X_REGISTERS; i++)
		put_register(t, i, x[i]);
	put_register(t, TL_XTRACE_REG_SP, x[31]);
	t->stack = (struct tl_xtrace_sp){ true, x[31] };
}

static int put_snapshot(struct tarmac *t, uint32_t number, struct tl_error *err)
{
	struct tl_xtrace_snapshot snapshot;
	int status = tl_xtrace_read_snapshot(t->trace, t->stream, number, &snapshot);

	if (status < 0)
		return tl_error_at(err, (enum tl_status)status, TL_NOWHERE,
				   "a snapshot cannot be read");
	put_registers(t, snapshot.x);
	put_register(t, TL_XTRACE_REG_NZCV, snapshot.sysregs[NZCV]);
	return 0;
}

static void put_all_registers(struct tarmac *t, const uint8_t *data)
{
	uint64_t x[32] = { 0 };

	for (unsigned i = 0; i < 256; i++)
		x[i / 8] |= (uint64_t)data[i] << 8 * (i % 8);
	put_registers(t, x);
}

static void put_instruction(struct tarmac *t, const struct tl_xtrace_instruction *insn)
{
	char *p = put_word(put_time(t, tl_output_room(t->out, LINE + TL_A64_TEXT)), "IT (");

	p = put_word(tl_format_u64(p, t->time), ") ");
	p = put_digits(p, insn->pc, 16);
	*p++ = ' ';
	p = put_digits(p, insn->opcode, 8);
	p = put_word(p, " O EL");
	*p++ = (char)('0' + insn->el);
	/*
	 * A handler's stack is that of its level ("h"), a program's that of EL0 ("t"); "_n": not
	 * secure.
	 */
	p = put_word(p, insn->el ? "h_n : " : "t_n : ");
	p = tl_a64_text_put(t->text, insn->opcode, insn->pc, p);
	*p++ = '\n';
	tl_output_advance(t->out, p);
}

/* At most 8 bytes a line: readers keep the value in 64 bits. */
static void put_access(struct tarmac *t, const struct tl_xtrace_access *access)
{
	for (uint32_t at = 0; at < access->size; at += PIECE) {
		uint32_t size = tl_min(access->size, PIECE);
		char *p = put_word(put_time(t, tl_output_room(t->out, LINE)),
				   access->store ? "MW" : "MR");

		*p++ = (char)('0' + size);
		*p++ = ' ';
		p = put_digits(p, access->address + at, 16);
		*p++ = ' ';
		for (uint32_t i = size; i--;)
			p = put_digits(p, access->data[at + i], 2);
		*p++ = '\n';
		tl_output_advance(t->out, p);
	}
}

static int put_one(struct tarmac *t, const struct tl_xtrace_instruction *insn, struct tl_error *err)
{
	struct tl_xtrace_access access;
	struct tl_xtrace_register_writes effects;
	uint64_t at = 0;
	int status = 0;

	/* Another level has another SP. */
	if (insn->el != t->el || insn->before.after_gap)
		t->stack.known = false;
	t->el = insn->el;
	if (insn->before.allgpr)
		put_all_registers(t, insn->before.allgpr);
	if (insn->before.snapshot != TL_NONE)
		status = put_snapshot(t, insn->before.snapshot, err);
	t->time++;
	put_instruction(t, insn);
	while (tl_xtrace_read_access(t->reader, insn, &at, &access))
		put_access(t, &access);
	tl_xtrace_collect_register_writes(t->reader, insn, &t->stack, &effects);
	for (unsigned i = 0; i < effects.count; i++)
		put_register(t, effects.list[i].reg, effects.list[i].value);
	return status;
}

static int put_all(struct tarmac *t, struct tl_error *err)
{
	struct tl_xtrace_instruction insn;
	int status;

	while ((status = tl_xtrace_read_instruction(t->reader, &insn, err)) == 1 &&
	       !tl_output_failed(t->out)) {
		status = put_one(t, &insn, err);
		if (status < 0)
			return status;
	}
	return tl_error_or_end(status);
}

int tl_xtrace_to_tarmac(struct tl_xtrace_trace *trace, uint32_t stream, struct tl_output *out,
			struct tl_error *err)
{
	struct tarmac t = {
		.trace = trace, .stream = stream, .out = out, .text = tl_a64_text_open()
	};
	int status = t.text ? tl_xtrace_reader_open(&t.reader, trace, stream, TL_NONE, err)
			    : tl_error_memory(err);

	if (status == 0) {
		status = put_all(&t, err);
		tl_xtrace_reader_close(t.reader);
	}
	tl_a64_text_close(t.text);
	return status;
}
