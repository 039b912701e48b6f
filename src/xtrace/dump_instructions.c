/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Instructions as lines. What a line says of the instruction alone (PC, symbol, opcode, text) is
 * remembered by PC and opcode and copied the next time: that makes this as fast as writing is.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/output.h"
#include "isa/a64/a64.h"
#include "isa/a64/a64_text.h"
#include "xtrace/functions.h"
#include "xtrace/order.h"
#include "xtrace/tell.h"

enum {
	SLOT_BITS = 12,
	SLOT_ROOM = 1000,
	NAME_ROOM = 320, /* longer names are cut */
	VALUE_ROOM = 2 * XTRACE_MAX_ACCESS + 96,
};

/* The middle of a line. */
struct slot {
	uint64_t pc;
	uint32_t opcode;
	uint16_t size; /* 0: none */
	uint8_t el;
	bool pc_known;
	char text[SLOT_ROOM];
};

struct insns {
	struct tl_xtrace *trace;
	const struct xtrace_select *select;
	const struct xtrace_shown *shown;
	struct tl_output *out;
	bool json, several;
	struct tl_a64_text *text;
	struct slot *slots;
};

/* An instruction and its tokens. */
struct insn {
	const uint8_t *at, *end;
	uint64_t pc, ordinal;
	uint32_t opcode;
	uint8_t el;
	bool pc_known;
};

/* ---- values ---- */

static char *put_hex(char *p, uint64_t value)
{
	unsigned digits = value ? (67 - (unsigned)__builtin_clzll(value)) / 4 : 1;

	*p++ = '0';
	*p++ = 'x';
	for (unsigned i = digits; i-- > 0;)
		*p++ = "0123456789abcdef"[value >> 4 * i & 15];
	return p;
}

static char *put_text(char *p, const char *text)
{
	size_t size = strlen(text);

	memcpy(p, text, size);
	return p + size;
}

/* What stands in memory as one number, highest byte first. */
static char *put_wide(char *p, const uint8_t *data, size_t size)
{
	p = put_text(p, "0x");
	while (size-- > 0) {
		*p++ = "0123456789abcdef"[data[size] >> 4];
		*p++ = "0123456789abcdef"[data[size] & 15];
	}
	return p;
}

/* ---- the middle of a line ---- */

static char *put_shown_name(char *p, const char *name, size_t size)
{
	const char *end = p + NAME_ROOM, *from = name, *past = name + size;
	char shown[TL_SHOWN_BYTES];

	while (from < past && end - p >= TL_SHOWN_BYTES) {
		from += tl_shown_character(from, (size_t)(past - from), shown);
		p = stpcpy(p, shown);
	}
	return p;
}

/* A name, cut to what there is room for; in JSON whole characters, those that must be escaped as
 * \u00xx (RFC 8259). */
static char *put_name(const struct insns *d, char *p, const char *name)
{
	const char *end = p + NAME_ROOM;
	size_t size = strlen(name);

	if (!d->json)
		return put_shown_name(p, name, size);
	*p++ = '"';
	for (size = tl_utf8_span(name, size); size; size--, name++) {
		uint8_t byte = (uint8_t)*name;
		bool odd = byte < 0x20 || byte == '"' || byte == '\\';

		/* Room for one more character and the quote. */
		if (end - p < 12 && (byte & 0xc0) != 0x80)
			break;
		if (odd)
			p += sprintf(p, "\\u%04x", byte);
		else
			*p++ = *name;
	}
	*p++ = '"';
	return p;
}

static char *put_symbol(const struct insns *d, char *p, const struct insn *insn)
{
	struct tl_symbol symbol;

	if (!insn->pc_known ||
	    !tl_xtrace_symbol(d->shown->binaries, d->shown->binary_count, insn->pc, &symbol))
		return p;
	p = put_text(p, d->json ? ",\"symbol\":" : " ");
	p = put_name(d, p, symbol.name);
	if (d->json) {
		p = put_text(p, ",\"symbol_offset\":");
		return tl_format_u64(p, insn->pc - symbol.start);
	}
	if (insn->pc != symbol.start) {
		*p++ = '+';
		p = put_hex(p, insn->pc - symbol.start);
	}
	*p++ = ':';
	return p;
}

/* Where a direct branch to another function goes. */
static char *put_target(const struct insns *d, char *p, const struct insn *insn)
{
	const struct tl_a64 known = tl_a64_classify(insn->opcode);
	uint64_t target = insn->pc + (uint64_t)(int64_t)known.offset;
	struct tl_symbol symbol;

	if (!known.target || !insn->pc_known ||
	    (known.flow != TL_A64_CALL && known.flow != TL_A64_JUMP) ||
	    !tl_xtrace_symbol(d->shown->binaries, d->shown->binary_count, target, &symbol) ||
	    symbol.start != target)
		return p;
	p = put_text(p, d->json ? ",\"target_symbol\":" : " <");
	p = put_name(d, p, symbol.name);
	if (!d->json)
		*p++ = '>';
	return p;
}

static char *middle_json(const struct insns *d, char *p, const struct insn *insn)
{
	p = put_text(p, ",\"el\":");
	*p++ = (char)('0' + insn->el);
	p = put_text(p, ",\"pc\":");
	if (insn->pc_known) {
		*p++ = '"';
		p = put_hex(p, insn->pc);
		*p++ = '"';
	} else {
		p = put_text(p, "null");
	}
	p = put_text(p, ",\"opcode\":");
	p = tl_format_u64(p, insn->opcode);
	p = put_symbol(d, p, insn);
	if (d->text) {
		p = put_text(p, ",\"text\":\"");
		p = tl_a64_text_put(d->text, insn->opcode, insn->pc, p);
		*p++ = '"';
	}
	return put_target(d, p, insn);
}

static char *middle_text(const struct insns *d, char *p, const struct insn *insn)
{
	p = put_text(p, " EL");
	*p++ = (char)('0' + insn->el);
	*p++ = ' ';
	p = insn->pc_known ? put_hex(p, insn->pc) : put_text(p, "?");
	p = put_symbol(d, p, insn);
	p += sprintf(p, " %08" PRIx32, insn->opcode);
	if (!d->text)
		return p;
	*p++ = ' ';
	p = tl_a64_text_put(d->text, insn->opcode, insn->pc, p);
	return put_target(d, p, insn);
}

static const struct slot *middle(const struct insns *d, const struct insn *insn)
{
	struct slot *slot = &d->slots[((insn->pc >> 2) + insn->opcode) * 0x9e3779b97f4a7c15u >>
				      (64 - SLOT_BITS)];
	char *end;

	if (slot->size && slot->pc == insn->pc && slot->opcode == insn->opcode &&
	    slot->el == insn->el && slot->pc_known == insn->pc_known)
		return slot;
	end = d->json ? middle_json(d, slot->text, insn) : middle_text(d, slot->text, insn);
	slot->size = (uint16_t)(end - slot->text);
	slot->pc = insn->pc;
	slot->opcode = insn->opcode;
	slot->el = insn->el;
	slot->pc_known = insn->pc_known;
	return slot;
}

/* ---- tokens ---- */

/* What is shown of those that have one value. */
static const char *const names[TL_XTRACE_KIND_COUNT] = {
	[TL_XTRACE_STXR] = "status", [TL_XTRACE_MRS] = "value",       [TL_XTRACE_SVCARG] = "x",
	[TL_XTRACE_DC] = "dc",       [TL_XTRACE_TARGET_B] = "target", [TL_XTRACE_FLAGS] = "nzcv",
	[TL_XTRACE_TIME] = "time",
};

/* Bytes of a token that is known to be whole. */
static size_t size_of(const struct xtrace_tokens *tokens, const uint8_t *p)
{
	if (tokens->kind[*p] == TL_XTRACE_SYSCALL_VEC)
		return 9 + XTRACE_IOVEC_BYTES * (size_t)tl_get64s(p + 1, TL_HOST_BIG_ENDIAN);
	return tokens->size[*p];
}

static uint64_t value_of(const struct xtrace_tokens *tokens, const uint8_t *p)
{
	struct xtrace_walk walk = { .token = p, .tokens = tokens };

	return tokens->kind[*p] == TL_XTRACE_TIME ? tl_xtrace_walk_time(&walk)
						  : xtrace_walk_value(&walk);
}

static void put_access(const struct insns *d, const uint8_t *at, bool store, bool first)
{
	size_t size = xtrace_access_size(*at);
	char *p = tl_output_room(d->out, VALUE_ROOM);

	if (d->json) {
		p = put_text(p, first ? ",\"accesses\":[{\"store\":" : ",{\"store\":");
		p = put_text(p, store ? "true,\"address\":\"" : "false,\"address\":\"");
	} else {
		p = put_text(p, store ? " S:" : " L:");
	}
	p = put_hex(p, tl_get64s(at + 1, TL_HOST_BIG_ENDIAN));
	p = put_text(p, d->json ? "\",\"size\":" : "/");
	p = tl_format_u64(p, size);
	p = put_text(p, d->json ? ",\"value\":\"" : "=");
	p = put_wide(p, at + 9, size);
	p = put_text(p, d->json ? "\"}" : "");
	tl_output_advance(d->out, p);
}

/* `number`: of the argument of a system call, which are x8 and x0 to x5. */
static void put_value(const struct insns *d, const struct xtrace_tokens *tokens, const uint8_t *at,
		      unsigned number)
{
	uint8_t kind = tokens->kind[*at];
	char *p = tl_output_room(d->out, VALUE_ROOM);

	p = put_text(p, d->json ? ",\"" : " ");
	p = put_text(p, names[kind]);
	if (kind == TL_XTRACE_SVCARG)
		p = tl_format_u64(p, number ? number - 1 : 8);
	p = put_text(p, d->json ? "\":\"" : "=");
	p = put_hex(p, value_of(tokens, at));
	if (d->json)
		*p++ = '"';
	tl_output_advance(d->out, p);
}

static void put_tokens(const struct insns *d, const struct xtrace_tokens *tokens,
		       const struct insn *insn)
{
	unsigned accesses = 0, args = 0;
	const uint8_t *first = insn->at + tokens->size[*insn->at];

	for (const uint8_t *at = first; at < insn->end; at += size_of(tokens, at)) {
		uint8_t kind = tokens->kind[*at];

		if (kind == TL_XTRACE_LOAD || kind == TL_XTRACE_STORE)
			accesses++;
		else if (names[kind])
			put_value(d, tokens, at, kind == TL_XTRACE_SVCARG ? args++ : 0);
	}
	if (!accesses)
		return;
	for (const uint8_t *at = first; at < insn->end; at += size_of(tokens, at)) {
		uint8_t kind = tokens->kind[*at];

		if (kind != TL_XTRACE_LOAD && kind != TL_XTRACE_STORE)
			continue;
		put_access(d, at, kind == TL_XTRACE_STORE, accesses != 0);
		accesses = 0;
	}
	if (d->json)
		tl_put_char(d->out, ']');
}

/* ---- lines ---- */

static void put_line(const struct insns *d, const struct xtrace_stream *s, const struct insn *insn)
{
	const struct slot *slot = middle(d, insn);
	char *p = tl_output_room(d->out, SLOT_ROOM + VALUE_ROOM);

	if (d->json) {
		p = put_text(p, "{\"offset\":");
		p = tl_format_u64(p, (uint64_t)(insn->at - s->data));
		p = put_text(p, s->tokens.kind[*insn->at] == TL_XTRACE_INST
					? ",\"token\":\"INST\",\"ordinal\":"
					: ",\"token\":\"PCINST\",\"ordinal\":");
	}
	p = tl_format_u64(p, insn->ordinal);
	if (d->several) {
		p = put_text(p, d->json ? ",\"thread\":" : " thread ");
		p = tl_format_u64(p, s->info.id);
	}
	memcpy(p, slot->text, slot->size);
	tl_output_advance(d->out, p + slot->size);
	if (insn->end > insn->at + s->tokens.size[*insn->at])
		put_tokens(d, &s->tokens, insn);
	tl_put_text(d->out, d->json ? "}\n" : "\n");
}

static bool is_selected(const struct xtrace_select *select, const struct insn *insn)
{
	if (insn->ordinal < select->from_ordinal || insn->ordinal >= select->to_ordinal)
		return false;
	if (!select->from_pc && select->to_pc == TL_NOWHERE)
		return true;
	return insn->pc_known && insn->pc >= select->from_pc && insn->pc < select->to_pc;
}

enum outcome {
	SEGMENT_ENDS,
	LIMIT_REACHED,
	ALL_SHOWN, /* that is wanted */
};

/* The instructions of a segment up to where `limit` (NULL: no limit) stands, which is where one
 * begins. */
static enum outcome dump_segment(const struct insns *d, struct xtrace_walk *walk, uint64_t *ordinal,
				 const uint8_t *limit)
{
	const struct xtrace_stream *s = walk->stream;
	struct xtrace_walk w = *walk;
	struct insn insn = { .at = NULL };
	enum tl_xtrace_kind kind = TL_XTRACE_NONE;
	bool limited = false;

	while (!(limited = limit && w.next >= limit) &&
	       (kind = xtrace_walk_next(&w)) != TL_XTRACE_NONE) {
		bool instruction = xtrace_is_instruction(kind);

		if (!instruction && kind != TL_XTRACE_SVCRET && kind != TL_XTRACE_ALLGPR)
			continue;
		insn.end = w.token;
		if (insn.at && is_selected(d->select, &insn))
			put_line(d, s, &insn);
		insn.at = NULL;
		if (!instruction)
			continue;
		if (*ordinal >= d->select->to_ordinal || tl_output_failed(d->out))
			break;
		insn.opcode = xtrace_walk_instruction(&w, kind);
		insn.at = w.token;
		insn.pc = w.pc;
		insn.pc_known = w.pc_known;
		insn.el = (uint8_t)xtrace_walk_el(&w);
		insn.ordinal = (*ordinal)++;
	}
	insn.end = w.next;
	if (insn.at && is_selected(d->select, &insn))
		put_line(d, s, &insn);
	*walk = w;
	if (limited)
		return LIMIT_REACHED;
	return kind == TL_XTRACE_NONE ? SEGMENT_ENDS : ALL_SHOWN;
}

/* ---- which part ---- */

/* The segment to begin with: that of the first snapshot, or the last one that begins before the
 * first ordinal. */
static size_t first_segment(const struct insns *d, uint32_t stream, uint64_t *ordinal)
{
	const struct xtrace_stream *s = &d->trace->streams[stream];
	size_t first = 0;

	*ordinal = 0;
	for (size_t i = 0; i < s->segment_count; i++) {
		struct tl_xtrace_snapshot snapshot;
		uint32_t number = s->segments[i].snapshot;

		if (number == TL_NONE ||
		    tl_xtrace_snapshot_read(d->trace, stream, number, &snapshot) < 0)
			continue;
		if (number > d->select->from_snapshot && snapshot.total > d->select->from_ordinal)
			break;
		if (number > d->select->from_snapshot && d->select->from_snapshot &&
		    !d->select->from_ordinal)
			break;
		first = i;
		*ordinal = snapshot.total;
	}
	return first;
}

static int dump_stream(const struct insns *d, uint32_t stream, struct tl_error *err)
{
	const struct xtrace_stream *s = &d->trace->streams[stream];
	uint64_t ordinal;
	bool more = true;

	if (d->select->from_snapshot && d->select->from_snapshot >= s->info.snapshots)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE, "a stream has no such snapshot");
	for (size_t i = first_segment(d, stream, &ordinal); more && i < s->segment_count; i++) {
		struct xtrace_walk walk;
		int status;

		if (s->segments[i].snapshot != TL_NONE &&
		    s->segments[i].snapshot >= d->select->to_snapshot)
			break;
		tl_xtrace_walk_begin(&walk, d->trace, s, &s->segments[i]);
		more = dump_segment(d, &walk, &ordinal, NULL) == SEGMENT_ENDS;
		status = more ? tl_xtrace_walk_end(&walk, err) : 0;
		if (status < 0)
			return status;
	}
	return 0;
}

/* ---- several streams in the order of TIME ---- */

/* How far a stream is. */
struct head {
	struct xtrace_walk walk;
	size_t segment;
	uint64_t ordinal;
	bool begun; /* the segment is */
	bool over;
};

/* Instructions of a stream up to an offset. */
static int dump_until(const struct insns *d, const struct xtrace_stream *s, struct head *head,
		      uint64_t end, struct tl_error *err)
{
	int status = 0;

	while (status == 0 && !head->over) {
		enum outcome outcome;

		if (!head->begun)
			tl_xtrace_walk_begin(&head->walk, d->trace, s, &s->segments[head->segment]);
		head->begun = true;
		outcome = dump_segment(d, &head->walk, &head->ordinal, s->data + end);
		if (outcome == LIMIT_REACHED)
			break;
		if (outcome == SEGMENT_ENDS)
			status = tl_xtrace_walk_end(&head->walk, err);
		head->begun = false;
		head->over = outcome == ALL_SHOWN || ++head->segment == s->segment_count;
	}
	return status;
}

static int dump_merged(const struct insns *d, const bool *wanted, struct tl_error *err)
{
	struct head *heads = calloc(d->trace->stream_count, sizeof(*heads));
	struct xtrace_order order;
	uint32_t stream;
	uint64_t end;
	int status;

	if (!heads)
		return tl_error_memory(err);
	status = tl_xtrace_order_begin(&order, d->trace, wanted, err);
	while (status == 0 && !tl_output_failed(d->out) &&
	       tl_xtrace_order_next(&order, &stream, &end))
		status = dump_until(d, &d->trace->streams[stream], &heads[stream], end, err);
	tl_xtrace_order_end(&order);
	free(heads);
	return status;
}

/* A part that snapshots name is one of each stream, and shown so. */
static int dump_wanted(const struct insns *d, const bool *wanted, struct tl_error *err)
{
	bool parts = d->select->from_snapshot || d->select->to_snapshot != TL_NONE;
	int status = 0;

	if (d->several && !d->select->by_stream && !parts)
		return dump_merged(d, wanted, err);
	for (uint32_t i = 0; status == 0 && i < d->trace->stream_count; i++)
		if (wanted[i])
			status = dump_stream(d, i, err);
	return status;
}

int tl_xtrace_dump_instructions(struct tl_xtrace *trace, const struct xtrace_select *select,
				const struct xtrace_shown *shown, bool json, struct tl_output *out,
				struct tl_error *err)
{
	struct insns d = { trace, select, shown, out, json, trace->stream_count > 1, NULL, NULL };
	bool *wanted = calloc(trace->stream_count, sizeof(*wanted));
	int status;

	d.slots = calloc((size_t)1 << SLOT_BITS, sizeof(*d.slots));
	d.text = shown->no_text ? NULL : tl_a64_text_open();
	status = wanted && d.slots && (d.text || shown->no_text) ? 0 : tl_error_memory(err);
	tl_xtrace_rewind(trace);
	for (uint32_t i = 0; status == 0 && i < trace->stream_count; i++)
		wanted[i] = xtrace_selects_stream(select, &trace->streams[i]);
	if (status == 0)
		status = dump_wanted(&d, wanted, err);
	tl_a64_text_close(d.text);
	free(d.slots);
	free(wanted);
	return tl_error_format(err, "xtrace", status);
}
