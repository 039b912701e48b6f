/* SPDX-License-Identifier: Apache-2.0 */
#include "xtrace/listing/insn_line.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/output.h"
#include "core/text/optional.h"
#include "isa/a64/a64.h"
#include "xtrace/state/function_map.h"

enum {
	NAME_ROOM = 320, /* longer names are cut */
	VALUE_ROOM = 2 * TL_XTRACE_MAX_ACCESS + 96,
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

/* Bytes of memory as one number, highest byte first. */
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
static char *put_name(const struct tl_xtrace_insn_lines *d, char *p, const char *name)
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

static char *put_symbol(const struct tl_xtrace_insn_lines *d, char *p,
			const struct tl_xtrace_insn_tokens *insn)
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
static char *put_target(const struct tl_xtrace_insn_lines *d, char *p,
			const struct tl_xtrace_insn_tokens *insn)
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

static char *middle_json(const struct tl_xtrace_insn_lines *d, char *p,
			 const struct tl_xtrace_insn_tokens *insn)
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
	p = put_text(p, ",\"opcode\":\"");
	p = put_hex(p, insn->opcode);
	*p++ = '"';
	p = put_symbol(d, p, insn);
	if (d->text) {
		p = put_text(p, ",\"text\":\"");
		p = tl_a64_text_put(d->text, insn->opcode, insn->pc, p);
		*p++ = '"';
	}
	return put_target(d, p, insn);
}

static char *middle_text(const struct tl_xtrace_insn_lines *d, char *p,
			 const struct tl_xtrace_insn_tokens *insn)
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

static const struct tl_xtrace_insn_slot *middle(const struct tl_xtrace_insn_lines *d,
						const struct tl_xtrace_insn_tokens *insn)
{
	struct tl_xtrace_insn_slot *slot =
		&d->slots[((insn->pc >> 2) + insn->opcode) * 0x9e3779b97f4a7c15u >>
			  (64 - TL_XTRACE_INSN_SLOT_BITS)];
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

/* Names of the values of tokens that have one. */
static const char *const names[TL_XTRACE_KIND_COUNT] = {
	[TL_XTRACE_STXR] = "status", [TL_XTRACE_MRS] = "value",       [TL_XTRACE_SVCARG] = "x",
	[TL_XTRACE_DC] = "dc",       [TL_XTRACE_TARGET_B] = "target", [TL_XTRACE_FLAGS] = "nzcv",
	[TL_XTRACE_TIME] = "time",
};

/* Bytes of a token that is known to be whole. */
static size_t size_of(const struct tl_xtrace_tokens *tokens, const uint8_t *p)
{
	if (tokens->kind[*p] == TL_XTRACE_SYSCALL_VEC)
		return 9 + TL_XTRACE_IOVEC_BYTES * (size_t)tl_get64s(p + 1, TL_HOST_BIG_ENDIAN);
	return tokens->size[*p];
}

static uint64_t value_of(const struct tl_xtrace_tokens *tokens, const uint8_t *p)
{
	struct tl_xtrace_walk walk = { .token = p, .tokens = tokens };

	if (tokens->kind[*p] == TL_XTRACE_TIME)
		return tl_xtrace_walk_time(&walk);
	return tl_xtrace_walk_value(&walk);
}

static void put_access(const struct tl_xtrace_insn_lines *d, const uint8_t *at, bool store,
		       bool first)
{
	size_t size = tl_xtrace_access_size(*at);
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
	if (!d->shown->is_log) {
		p = put_text(p, d->json ? ",\"value\":\"" : "=");
		p = put_wide(p, at + 9, size);
		p = put_text(p, tl_text_if(d->json, "\""));
	}
	p = put_text(p, tl_text_if(d->json, "}"));
	tl_output_advance(d->out, p);
}

/* `number`: of the argument of a system call, which are x8 and x0 to x5. */
static void put_value(const struct tl_xtrace_insn_lines *d, const struct tl_xtrace_tokens *tokens,
		      const uint8_t *at, unsigned number)
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

static void put_tokens(const struct tl_xtrace_insn_lines *d, const struct tl_xtrace_tokens *tokens,
		       const struct tl_xtrace_insn_tokens *insn)
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

void tl_xtrace_put_insn_line(const struct tl_xtrace_insn_lines *d, const struct tl_xtrace_stream *s,
			     const struct tl_xtrace_insn_tokens *insn)
{
	const struct tl_xtrace_insn_slot *slot = middle(d, insn);
	char *p = tl_output_room(d->out, TL_XTRACE_INSN_SLOT_ROOM + VALUE_ROOM);

	if (d->json && d->shown->is_log) {
		p = put_text(p, "{\"ordinal\":");
	} else if (d->json) {
		p = put_text(p, "{\"offset\":");
		p = tl_format_u64(p, (uint64_t)(insn->at - s->data));
		p = put_text(p, ",\"token\":\"");
		p = put_text(p, tl_xtrace_kind_name(s->tokens.kind[*insn->at]));
		p = put_text(p, "\",\"ordinal\":");
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
