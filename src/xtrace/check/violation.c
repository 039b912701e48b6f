/* SPDX-License-Identifier: Apache-2.0 */
/* The rules by name, and how a violation of one reaches the caller. */
#include "xtrace/check/check.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

/* clang-format off */
#define RULE(name) [TL_XTRACE_RULE_##name]

static const struct tl_xtrace_rule rules[TL_XTRACE_RULE_COUNT] = {
	RULE(DIALECT) = { "xtrace.dialect",
		"a collector that writes otherwise than the published text says", "6" },
	RULE(TOKEN) = { "xtrace.token",
		"bytes are not a token", "2.4, 4" },
	RULE(GRAMMAR_PLACE) = { "xtrace.grammar.place",
		"a token stands in the wrong order behind its instruction", "A21" },
	RULE(GRAMMAR_OWNER) = { "xtrace.grammar.owner",
		"a token that the instruction before it does not have", "2.4, A21" },
	RULE(GRAMMAR_MISSING) = { "xtrace.grammar.missing",
		"an instruction without the tokens that it must have", "1.4, 2.4" },
	RULE(GRAMMAR_TWICE) = { "xtrace.grammar.twice",
		"a token that an instruction has once at most", "1.4, A21" },
	RULE(GRAMMAR_TIME) = { "xtrace.grammar.time",
		"TIME twice, or without an access", "A12" },
	RULE(OPCODE) = { "xtrace.opcode",
		"an encoding that is not allocated, and no exception behind it", "5" },
	RULE(OPCODE_CHANGED) = { "xtrace.opcode.changed",
		"another opcode than before at this PC, and nothing changed the code", "5" },
	RULE(PC_ALIGNMENT) = { "xtrace.pc.alignment",
		"a PC is not a multiple of 4", "5" },
	RULE(PC_CONTINUITY) = { "xtrace.pc.continuity",
		"the PC breaks without a branch or an exception", "1.4, 5" },
	RULE(PC_BRANCH) = { "xtrace.pc.branch",
		"not where the branch before it leads", "5" },
	RULE(PC_TARGET) = { "xtrace.pc.target",
		"not at the TARGET_B of the branch before it", "1.4, A18" },
	RULE(EL_RETURN) = { "xtrace.el.return",
		"a lower exception level without an exception return", "5" },
	RULE(EL_VECTOR) = { "xtrace.el.vector",
		"a higher exception level, but not at an exception vector", "5" },
	RULE(EL_REGISTERS) = { "xtrace.el.registers",
		"ALLGPR and changes of the exception level do not go together", "2.4, 5" },
	RULE(TIME_ORDER) = { "xtrace.time.order",
		"TIME does not increase", "1.4, A11" },
	RULE(TIME_UNIQUE) = { "xtrace.time.unique",
		"two streams have the same TIME", "1.4, 5" },
	RULE(ACCESS_DIRECTION) = { "xtrace.access.direction",
		"a load of what only stores, or a store of what only loads", "1.4, 5" },
	RULE(ACCESS_SIZE) = { "xtrace.access.size",
		"accesses of more or fewer bytes than the instruction has", "1.4, 5" },
	RULE(ACCESS_ADDRESS) = { "xtrace.access.address",
		"not where the registers say, or not behind the access before", "1.4, 5" },
	RULE(ACCESS_VALUE) = { "xtrace.access.value",
		"a store does not hold what the register did", "1.4, 5" },
	RULE(ACCESS_MISSING) = { "xtrace.access.missing",
		"a load or store without an access, and without a fault", "5" },
	RULE(MEMORY_VALUE) = { "xtrace.memory.value",
		"a load differs from what was stored or loaded there last", "5" },
	RULE(REGISTER_VALUE) = { "xtrace.register.value",
		"a register's value differs from what the trace said of it", "1.4, 5" },
	RULE(NAME_HINT) = { "xtrace.name.hint",
		"hint 13 of a thread, or hint 9 of a second core", "1.2, 2.1" },
	RULE(HEADER_STREAM) = { "xtrace.header.stream",
		"the header says thread where the kernel is traced, or the reverse", "2.2, A19" },
	RULE(HEADER_DIVISION) = { "xtrace.header.division",
		"snapshots do not divide the stream as the header says", "2.2" },
	RULE(HEADER_ORDER) = { "xtrace.header.order",
		"there is TIME, or none, other than the header says", "2.2" },
	RULE(HEADER_POINT) = { "xtrace.header.point",
		"the global snapshot point is none of the snapshots", "2.2" },
	RULE(HEADER_GROUP) = { "xtrace.header.group",
		"a header is not that of the other streams of the group", "2.2" },
	RULE(SNAPSHOT_FILE) = { "xtrace.snapshot.file",
		"a snapshot's file number is not that of the file its place is in", "2.3" },
	RULE(SNAPSHOT_OFFSET) = { "xtrace.snapshot.offset",
		"a snapshot's offset is not that of a PCINST", "2.3" },
	RULE(SNAPSHOT_ORDER) = { "xtrace.snapshot.order",
		"a snapshot is not behind the one before it", "2.3" },
	RULE(SNAPSHOT_COUNT) = { "xtrace.snapshot.count",
		"a snapshot's number of instructions is not that of the stream", "2.3" },
	RULE(SNAPSHOT_VECTOR) = { "xtrace.snapshot.vector-length",
		"a snapshot's vector length is not that of the others", "2.3" },
	RULE(SNAPSHOT_REGISTERS) = { "xtrace.snapshot.registers",
		"a snapshot's registers differ from what the trace said of them", "2.3" },
};
/* clang-format on */

void tl_xtrace_expected(struct tl_xtrace_check_stream *s, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(s->check->expected, sizeof(s->check->expected), format, args);
	va_end(args);
}

const struct tl_xtrace_rule *tl_xtrace_check_rule(size_t number)
{
	return number < TL_XTRACE_RULE_COUNT ? &rules[number] : NULL;
}

static void report(struct tl_xtrace_check_stream *s, struct tl_xtrace_violation *violation)
{
	struct tl_xtrace_checker *c = s->check;

	if (c->status)
		return;
	c->violations += !violation->note;
	violation->expected = c->expected[0] ? c->expected : NULL;
	if (c->fn && c->fn(c->arg, violation))
		c->status = 1;
	c->expected[0] = '\0';
}

void tl_xtrace_report(struct tl_xtrace_check_stream *s, enum tl_xtrace_rule_number rule,
		      uint64_t offset, uint64_t record, uint64_t pc)
{
	bool of_snapshots = rule >= TL_XTRACE_RULE_HEADER_STREAM;
	struct tl_xtrace_violation violation = {
		.rule = rules[rule].rule,
		.text = rules[rule].text,
		.path = of_snapshots ? s->stream->info.snapshot_path : s->stream->info.path,
		.offset = offset,
		.record = record,
		.pc = pc,
		.id = s->stream->info.id,
	};

	report(s, &violation);
}

void tl_xtrace_report_insn(struct tl_xtrace_check_stream *s, enum tl_xtrace_rule_number rule,
			   uint64_t offset)
{
	const struct tl_xtrace_check_insn *i = &s->last;

	tl_xtrace_report(s, rule, offset, i->ordinal, i->pc_known ? i->pc : TL_NOWHERE);
}

void tl_xtrace_report_dialect(struct tl_xtrace_check_stream *s, const char *text)
{
	struct tl_xtrace_violation note = {
		.rule = rules[TL_XTRACE_RULE_DIALECT].rule,
		.text = text,
		.path = s->stream->info.path,
		.offset = TL_NOWHERE,
		.record = TL_NOWHERE,
		.pc = TL_NOWHERE,
		.id = s->stream->info.id,
		.note = !s->check->trace->options.strict,
	};

	report(s, &note);
}

void tl_xtrace_report_unseen(const struct tl_xtrace_check_unseen *unseen)
{
	struct tl_xtrace_check_stream *s = unseen->stream;
	struct tl_xtrace_violation note = {
		.rule = rules[TL_XTRACE_RULE_MEMORY_VALUE].rule,
		.text = "loads differ from what was stored; they may have found what another "
			"thread stored",
		.path = s->stream->info.path,
		.offset = unseen->offset,
		.record = unseen->record,
		.pc = unseen->pc,
		.id = s->stream->info.id,
		.note = true,
	};

	tl_xtrace_expected(s, "the streams of all threads, with TIME: %" PRIu64 " such loads",
			   unseen->loads);
	report(s, &note);
}

void tl_xtrace_report_damage(struct tl_xtrace_check_stream *s, const struct tl_xtrace_walk *at,
			     bool goes_on)
{
	struct tl_xtrace_violation violation = {
		.rule = rules[TL_XTRACE_RULE_TOKEN].rule,
		.text = at->text,
		.path = s->stream->info.path,
		.offset = at->fault,
		.record = s->counts.ordinal,
		.pc = TL_NOWHERE,
		.id = s->stream->info.id,
	};

	if (goes_on)
		tl_xtrace_expected(s, "a token; reading goes on at 0x%" PRIx64,
				   (uint64_t)(s->walk.next - s->stream->data));
	report(s, &violation);
}

void tl_xtrace_check_no_memory(struct tl_xtrace_check_stream *s)
{
	s->check->status = TL_NO_MEMORY;
}
