/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tarmac: a line is a time with its unit, perhaps the name of a processor, a word that says what
 * the line is, and its fields. Instructions: "IT (7) PC OPCODE O EL0t_n : TEXT", "IS" where a
 * condition did not hold, or "ES (PC:OPCODE) O el3h_s: TEXT". Accesses: "MR8 ADDRESS VALUE", "MW8
 * ...". Others are left out.
 */
#include "core/error.h"
#include "insn_log/reading.h"

static bool is_insn(const struct tl_insn_log_text *word)
{
	return tl_insn_log_is(word, "IT") || tl_insn_log_is(word, "IS") ||
	       tl_insn_log_is(word, "ES");
}

/* "MR8", "MW4X": the size in bytes; 0: the word is another. */
static uint64_t access_size(const struct tl_insn_log_text *word, bool *store)
{
	struct tl_insn_log_text rest = *word;
	uint64_t size;

	*store = tl_insn_log_take(&rest, "MW");
	if ((!*store && !tl_insn_log_take(&rest, "MR")) || !tl_insn_log_take_decimal(&rest, &size))
		return 0;
	return size;
}

/* The word that says what the line is: the third, or the fourth behind a processor's name. */
static bool find_kind(struct tl_insn_log_text *text, struct tl_insn_log_text *processor,
		      struct tl_insn_log_text *kind)
{
	struct tl_insn_log_text word, unit;
	uint64_t time;
	bool store;

	if (!tl_insn_log_take_word(text, &word) || !tl_insn_log_take_decimal(&word, &time) ||
	    !tl_insn_log_take_word(text, &unit) || !tl_insn_log_take_word(text, kind))
		return false;
	*processor = (struct tl_insn_log_text){ kind->end, kind->end };
	if (is_insn(kind) || access_size(kind, &store))
		return true;
	*processor = *kind;
	return tl_insn_log_take_word(text, kind);
}

/* An address, behind which the physical one or the kind of memory may stand: "80:0080_NS". */
static bool take_address(struct tl_insn_log_text *text, uint64_t *address)
{
	struct tl_insn_log_text rest;

	return tl_insn_log_take_word(text, &rest) && tl_insn_log_take_hex(&rest, address, NULL) &&
	       (rest.at == rest.end || *rest.at == ':' || *rest.at == '_');
}

/* "O" is the state of A64; "EL1h_n" says the level. */
static bool take_state(struct tl_insn_log_text *text, unsigned *el, bool *is_a64)
{
	struct tl_insn_log_text state, mode;

	if (!tl_insn_log_take_word(text, &state))
		return false;
	*is_a64 = tl_insn_log_is(&state, "O");
	*el = 0;
	if (!*is_a64)
		return true;
	if (!tl_insn_log_take_word(text, &mode) ||
	    (!tl_insn_log_take(&mode, "EL") && !tl_insn_log_take(&mode, "el")) ||
	    mode.at == mode.end || *mode.at < '0' || *mode.at > '3')
		return false;
	*el = (unsigned)(*mode.at - '0');
	return true;
}

/* "(7) PC OPCODE", "PC OPCODE" and "(PC:OPCODE)" */
static bool take_code(struct tl_insn_log_text *text, struct tl_insn_log_insn *insn)
{
	struct tl_insn_log_text number = *text;
	uint64_t opcode, ordinal;

	if (tl_insn_log_take(&number, "(") && tl_insn_log_take_hex(&number, &insn->pc, NULL) &&
	    tl_insn_log_take(&number, ":")) {
		if (!tl_insn_log_take_hex(&number, &opcode, NULL) ||
		    !tl_insn_log_take(&number, ")"))
			return false;
		*text = number;
	} else {
		number = *text;
		if (tl_insn_log_take(&number, "(")) {
			if (!tl_insn_log_take_decimal(&number, &ordinal) ||
			    !tl_insn_log_take(&number, ")"))
				return false;
			*text = number;
		}
		if (!take_address(text, &insn->pc) || !tl_insn_log_take_hex(text, &opcode, NULL))
			return false;
	}
	insn->opcode = (uint32_t)opcode;
	return opcode <= UINT32_MAX;
}

/*
 * The stream of a processor by its name, which may be none: numbers are in the order of first
 * lines.
 */
static uint32_t find_cpu(struct tl_insn_log_reading *r, const struct tl_insn_log_text *processor)
{
	const uint32_t name = tl_names_add(&r->names, (const char *)processor->at,
					   (size_t)(processor->end - processor->at));

	return name == TL_NONE ? TL_NONE : tl_insn_log_cpu(r, name ? name - 1 : 0);
}

static int take_insn(struct tl_insn_log_reading *r, struct tl_insn_log_text text,
		     const struct tl_insn_log_text *processor, struct tl_error *err)
{
	struct tl_insn_log_insn insn;
	bool is_a64;
	uint32_t cpu;

	if (!take_code(&text, &insn) || !take_state(&text, &insn.el, &is_a64))
		return tl_insn_log_broken(
			r, "an instruction without address, opcode and level; left it out", err);
	if (!is_a64) {
		r->other_machine++;
		return 0;
	}
	cpu = find_cpu(r, processor);
	if (cpu == TL_NONE)
		return tl_error_memory(err);
	tl_insn_log_seen(r, insn.opcode);
	tl_insn_log_put(r, &r->log->cpus[cpu], &insn);
	return 0;
}

static int take_access(struct tl_insn_log_reading *r, struct tl_insn_log_text text,
		       const struct tl_insn_log_text *processor,
		       const struct tl_insn_log_text *kind, struct tl_error *err)
{
	enum { LARGEST = 4096 };
	uint64_t address, size;
	uint32_t cpu;
	bool store;

	size = access_size(kind, &store);
	if (!size)
		return 0;

	if (!take_address(&text, &address) || size > LARGEST)
		return tl_insn_log_broken(r, "an access without address and size; left it out",
					  err);
	/* Before the first instruction there is none that it could be of. */
	cpu = find_cpu(r, processor);
	if (cpu == TL_NONE)
		return tl_error_memory(err);
	if (r->log->cpus[cpu].instructions)
		tl_insn_log_put_access(r, &r->log->cpus[cpu], store, address, size);
	r->log->has_accesses = true;
	return 0;
}

int tl_insn_log_tarmac_line(struct tl_insn_log_reading *r, struct tl_error *err)
{
	struct tl_insn_log_text text = { r->lines.start, r->lines.stop }, processor, kind;

	if (!find_kind(&text, &processor, &kind))
		return 0;
	if (is_insn(&kind))
		return take_insn(r, text, &processor, err);
	return take_access(r, text, &processor, &kind, err);
}
