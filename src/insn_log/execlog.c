/* SPDX-License-Identifier: Apache-2.0 */
/*
 * QEMU's plugin execlog: `CPU, 0xPC, 0xOPCODE, "TEXT"` and for each access `, load, 0xADDRESS` or
 * `, store, 0xADDRESS`, behind which the device may stand. How large an access is the instruction
 * says.
 */
#include "core/error.h"
#include "insn_log/reading.h"
#include "isa/a64/a64.h"

enum { KINDS = 2 };

static bool take_field(struct tl_insn_log_text *text)
{
	if (!tl_insn_log_take(text, ","))
		return false;
	tl_insn_log_skip_blanks(text);
	return true;
}

static bool take_number(struct tl_insn_log_text *text, uint64_t *number, unsigned *digits)
{
	return take_field(text) && tl_insn_log_take(text, "0x") &&
	       tl_insn_log_take_hex(text, number, digits);
}

static bool cut_head(struct tl_insn_log_text *text, uint64_t *cpu, struct tl_insn_log_insn *insn)
{
	uint64_t opcode;

	if (!tl_insn_log_take_decimal(text, cpu) || !take_number(text, &insn->pc, NULL) ||
	    !take_number(text, &opcode, NULL) || opcode > UINT32_MAX || !take_field(text))
		return false;
	insn->opcode = (uint32_t)opcode;
	return tl_insn_log_take(text, "\"") && tl_insn_log_go_behind(text, '"');
}

/* Go to the next access. */
static bool next_access(struct tl_insn_log_text *text, bool *store, uint64_t *address)
{
	while (tl_insn_log_go_behind(text, ',')) {
		tl_insn_log_skip_blanks(text);
		*store = tl_insn_log_take(text, "store");
		if ((*store || tl_insn_log_take(text, "load")) && take_number(text, address, NULL))
			return true;
	}
	return false;
}

static void put_accesses(struct tl_insn_log_reading *r, struct tl_insn_log_cpu *cpu,
			 const struct tl_insn_log_text *accesses)
{
	struct tl_insn_log_text text = *accesses;
	const struct tl_a64 *insn = tl_insn_log_look(r, cpu->opcode);
	unsigned counts[KINDS] = { 0 };
	uint64_t address;
	bool store;

	while (next_access(&text, &store, &address))
		counts[store]++;
	for (text = *accesses; next_access(&text, &store, &address);) {
		if (insn->bytes && insn->bytes % counts[store] == 0)
			tl_insn_log_put_access(r, cpu, store, address, insn->bytes / counts[store]);
		else
			r->unsized++;
	}
	r->log->has_accesses |= counts[0] || counts[1];
}

int tl_insn_log_execlog_line(struct tl_insn_log_reading *r, struct tl_error *err)
{
	struct tl_insn_log_text text = { r->lines.start, r->lines.stop };
	struct tl_insn_log_insn insn = { 0 };
	uint32_t number;
	uint64_t id;

	/* The plugin writes among what else QEMU logs. */
	if (text.at == text.end || *text.at < '0' || *text.at > '9')
		return 0;
	if (!cut_head(&text, &id, &insn))
		return tl_insn_log_broken(
			r, "an instruction without address and opcode; left it out", err);
	number = tl_insn_log_cpu(r, id);
	if (number == TL_NONE)
		return tl_error_memory(err);
	tl_insn_log_seen(r, insn.opcode);
	tl_insn_log_put(r, &r->log->cpus[number], &insn);
	put_accesses(r, &r->log->cpus[number], &text);
	return 0;
}
