/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tokens as lines: text, or one compact JSON object each. The fields of each kind are one row of a
 * table.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "core/error.h"
#include "core/output.h"
#include "core/text/optional.h"
#include "xtrace/format/time_order.h"
#include "xtrace/format/reader.h"
#include "xtrace/format/walk.h"
#include "xtrace/listing/describe.h"

/* How a kind's payload is shown. */
enum payload { NUMBER, ACCESS, REGISTERS, VECTORS, BYTES };

static const struct {
	enum payload payload;
	const char *name; /* of the field */
			  /* clang-format off */
} payloads[TL_XTRACE_KIND_COUNT] = {
	[TL_XTRACE_LOAD] = { ACCESS, "address" },
	[TL_XTRACE_STORE] = { ACCESS, "address" },
	[TL_XTRACE_STXR] = { NUMBER, "status" },
	[TL_XTRACE_MRS] = { NUMBER, "value" },
	[TL_XTRACE_SVCARG] = { NUMBER, "value" },
	[TL_XTRACE_SVCRET] = { NUMBER, "value" },
	[TL_XTRACE_DC] = { NUMBER, "address" },
	[TL_XTRACE_TARGET_B] = { NUMBER, "target" },
	[TL_XTRACE_ALLGPR] = { REGISTERS, "x" },
	[TL_XTRACE_FLAGS] = { NUMBER, "nzcv" },
	[TL_XTRACE_SYSCALL_VEC] = { VECTORS, "iovecs" },
	[TL_XTRACE_TIME] = { NUMBER, "time" },
	[TL_XTRACE_UNKNOWN] = { BYTES, "bytes" },
};
/* clang-format on */

/* ---- values ---- */

static void put_key(struct tl_output *out, bool json, const char *name)
{
	tl_put_text(out, json ? ",\"" : " ");
	tl_put_text(out, name);
	tl_put_text(out, json ? "\":" : "=");
}

/* In JSON a string: numbers of 64 bits are more than many readers of it have. */
static void put_hex(struct tl_output *out, bool json, uint64_t value)
{
	if (json)
		tl_put_char(out, '"');
	tl_put_hex(out, value);
	if (json)
		tl_put_char(out, '"');
}

/* Bytes of memory as one number, highest byte first; up to 256 of them. */
static void put_wide(struct tl_output *out, bool json, const uint8_t *data, uint64_t size)
{
	static const char digits[] = "0123456789abcdef";

	tl_put_text(out, json ? "\"0x" : "0x");
	while (size-- > 0) {
		tl_put_char(out, digits[data[size] >> 4]);
		tl_put_char(out, digits[data[size] & 15]);
	}
	if (json)
		tl_put_char(out, '"');
}

static void put_registers(struct tl_output *out, bool json, const uint8_t *data)
{
	tl_put_char(out, '[');
	for (size_t i = 0; i < 32; i++) {
		uint64_t value = tl_get64s(data + 8 * i, TL_HOST_BIG_ENDIAN);

		if (i)
			tl_put_char(out, json ? ',' : ' ');
		put_hex(out, json, value);
	}
	tl_put_char(out, ']');
}

static void put_vectors(struct tl_output *out, bool json, const struct tl_xtrace_token *t)
{
	tl_put_char(out, '[');
	for (uint64_t i = 0; i < t->value; i++) {
		const uint8_t *p = t->data + i * TL_XTRACE_IOVEC_BYTES;

		if (i)
			tl_put_char(out, json ? ',' : ' ');
		tl_put_text(out, tl_text_if(json, "{\"base\":"));
		put_hex(out, json, tl_get64s(p, TL_HOST_BIG_ENDIAN));
		tl_put_text(out, json ? ",\"length\":" : "+");
		tl_put_u64(out, tl_get64s(p + 8, TL_HOST_BIG_ENDIAN));
		if (json)
			tl_put_char(out, '}');
	}
	tl_put_char(out, ']');
}

static void put_access(struct tl_output *out, bool json, const struct tl_xtrace_token *t)
{
	put_hex(out, json, t->value);
	put_key(out, json, "size");
	tl_put_u64(out, t->data_size);
	put_key(out, json, "value");
	put_wide(out, json, t->data, t->data_size);
}

static void put_bytes(struct tl_output *out, bool json, const struct tl_xtrace_token *t)
{
	put_wide(out, json, t->data, t->data_size);
	put_key(out, json, "byte");
	tl_put_u64(out, t->byte);
}

static void put_payload(struct tl_output *out, bool json, const struct tl_xtrace_token *t)
{
	put_key(out, json, payloads[t->kind].name);
	switch (payloads[t->kind].payload) {
	case NUMBER:
		put_hex(out, json, t->value);
		break;
	case ACCESS:
		put_access(out, json, t);
		break;
	case REGISTERS:
		put_registers(out, json, t->data);
		break;
	case VECTORS:
		put_vectors(out, json, t);
		break;
	case BYTES:
		put_bytes(out, json, t);
		break;
	}
}

static void put_instruction(struct tl_output *out, bool json, const struct tl_xtrace_token *t)
{
	if (!json) {
		tl_put_text(out, " EL");
		tl_put_char(out, (char)('0' + t->el));
		tl_put_char(out, ' ');
		if (t->pc_known)
			tl_put_hex(out, t->pc);
		else
			tl_put_char(out, '?');
		tl_put_format(out, " %08" PRIx32, t->opcode);
		return;
	}
	put_key(out, true, "el");
	tl_put_u64(out, t->el);
	put_key(out, true, "pc");
	if (t->pc_known)
		put_hex(out, true, t->pc);
	else
		tl_put_text(out, "null");
	put_key(out, true, "opcode");
	put_hex(out, true, t->opcode);
}

/* ---- lines ---- */

struct dump {
	const struct tl_xtrace_select *select;
	struct tl_output *out;
	bool json;
	bool several; /* streams: lines say which */
};

/* A reader with the token it stands on, which may be another stream's turn. */
struct stream_head {
	struct tl_xtrace_reader *reader;
	struct tl_xtrace_token token;
	bool pending;
	uint64_t ordinal; /* of the next instruction */
	bool shown;       /* the present instruction is */
};

static void put_line(const struct dump *d, const struct tl_xtrace_stream *s,
		     const struct tl_xtrace_token *t)
{
	struct tl_output *out = d->out;

	if (d->json) {
		tl_put_text(out, "{\"offset\":");
		tl_put_u64(out, t->offset);
		if (d->several) {
			put_key(out, true, "thread");
			tl_put_u64(out, s->info.id);
		}
		put_key(out, true, "token");
		tl_put_char(out, '"');
		tl_put_text(out, tl_xtrace_kind_name(t->kind));
		tl_put_char(out, '"');
	} else {
		tl_put_format(out, "0x%08" PRIx64 " ", t->offset);
		if (d->several)
			tl_put_format(out, "%4" PRIu64 " ", s->info.id);
		if (!tl_xtrace_is_instruction(t->kind))
			tl_put_text(out, "  ");
		tl_put_text(out, tl_xtrace_kind_name(t->kind));
	}
	if (tl_xtrace_is_instruction(t->kind))
		put_instruction(out, d->json, t);
	else
		put_payload(out, d->json, t);
	tl_put_text(out, d->json ? "}\n" : "\n");
}

/* Tokens at the boundary before an instruction are shown with it. */
static bool is_boundary(enum tl_xtrace_kind kind)
{
	return kind == TL_XTRACE_ALLGPR || kind == TL_XTRACE_SVCRET;
}

static bool is_selected(const struct tl_xtrace_select *select, const struct stream_head *head)
{
	const struct tl_xtrace_token *t = &head->token;

	if (is_boundary(t->kind))
		return head->ordinal >= select->from_ordinal &&
		       head->ordinal < select->to_ordinal && !select->from_pc &&
		       select->to_pc == TL_NOWHERE;
	return head->ordinal >= select->from_ordinal && head->ordinal < select->to_ordinal &&
	       ((t->pc_known && t->pc >= select->from_pc && t->pc < select->to_pc) ||
		(!select->from_pc && select->to_pc == TL_NOWHERE));
}

static void show(const struct dump *d, const struct tl_xtrace_stream *s, struct stream_head *head)
{
	enum tl_xtrace_kind kind = head->token.kind;
	bool instruction = tl_xtrace_is_instruction(kind);

	if (instruction || is_boundary(kind))
		head->shown = is_selected(d->select, head);
	if (head->shown)
		put_line(d, s, &head->token);
	head->ordinal += instruction;
}

/* Tokens of a stream up to an offset. 1: there are more; 0: it is over, or all that is wanted was
 * shown. */
static int dump_until(const struct dump *d, const struct tl_xtrace_stream *s,
		      struct stream_head *head, uint64_t end, struct tl_error *err)
{
	for (;;) {
		int status =
			head->pending ? 1 : tl_xtrace_read_token(head->reader, &head->token, err);

		if (status <= 0)
			return status;
		head->pending = head->token.offset >= end;
		if (head->pending)
			return 1;
		if (tl_output_failed(d->out) || (head->ordinal >= d->select->to_ordinal &&
						 (tl_xtrace_is_instruction(head->token.kind) ||
						  is_boundary(head->token.kind)))) {
			/* The stream stays at its end, however often it is asked in turns. */
			head->pending = true;
			return 0;
		}
		show(d, s, head);
	}
}

/* ---- which part ---- */

/* The bytes between two snapshots, and how many instructions there are before them. */
static int part_of(const struct tl_xtrace_trace *trace, uint32_t stream,
		   const struct tl_xtrace_select *select, uint64_t *end,
		   struct tl_xtrace_snapshot *first, struct tl_error *err)
{
	struct tl_xtrace_snapshot last;

	*end = trace->streams[stream].size;
	*first = (struct tl_xtrace_snapshot){ .offset = 0 };
	if (select->from_snapshot &&
	    tl_xtrace_read_snapshot(trace, stream, select->from_snapshot, first) < 0)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE, "a stream has no such snapshot");
	if (select->to_snapshot < trace->streams[stream].info.snapshots) {
		tl_xtrace_read_snapshot(trace, stream, select->to_snapshot, &last);
		*end = last.offset;
	}
	return 0;
}

static int dump_one(const struct dump *d, struct tl_xtrace_trace *trace, uint32_t stream,
		    struct tl_error *err)
{
	struct tl_xtrace_snapshot first;
	struct stream_head head = { .shown = true };
	uint64_t end;
	int status = part_of(trace, stream, d->select, &end, &first, err);

	if (status == 0)
		status = tl_xtrace_reader_open(&head.reader, trace, stream,
					       d->select->from_snapshot, err);
	if (status < 0)
		return status;
	head.ordinal = first.total;
	status = dump_until(d, &trace->streams[stream], &head, end, err);
	tl_xtrace_reader_close(head.reader);
	return tl_error_or_end(status);
}

static int merge_streams(const struct dump *d, struct tl_xtrace_trace *trace,
			 struct tl_xtrace_time_order *order, struct stream_head *heads,
			 struct tl_error *err)
{
	uint32_t stream;
	uint64_t end;
	int status = 0;

	while (status >= 0 && !tl_output_failed(d->out) &&
	       tl_xtrace_time_order_next(order, &stream, &end)) {
		struct stream_head *head = &heads[stream];

		if (!head->reader)
			status = tl_xtrace_reader_open(&head->reader, trace, stream, TL_NONE, err);
		if (status >= 0)
			status = dump_until(d, &trace->streams[stream], head, end, err);
	}
	return tl_error_or_end(status);
}

static int dump_merged(const struct dump *d, struct tl_xtrace_trace *trace, const bool *wanted,
		       struct tl_error *err)
{
	struct tl_xtrace_time_order order;
	struct stream_head *heads = calloc(trace->stream_count, sizeof(*heads));
	int status;

	if (!heads)
		return tl_error_memory(err);
	status = tl_xtrace_time_order_begin(&order, trace, wanted, err);
	if (status == 0) {
		for (uint32_t i = 0; i < trace->stream_count; i++)
			heads[i].shown = true;
		status = merge_streams(d, trace, &order, heads, err);
		tl_xtrace_time_order_end(&order);
	}
	for (uint32_t i = 0; i < trace->stream_count; i++)
		tl_xtrace_reader_close(heads[i].reader);
	free(heads);
	return status;
}

int tl_xtrace_list_tokens(struct tl_xtrace_trace *trace, const struct tl_xtrace_select *select,
			  bool json, struct tl_output *out, struct tl_error *err)
{
	struct dump d = { select, out, json, trace->stream_count > 1 };
	bool parts = select->from_snapshot || select->to_snapshot != TL_NONE;
	bool *wanted = calloc(trace->stream_count, sizeof(*wanted));
	int status = tl_error_unless_made(wanted, err);

	tl_xtrace_rewind(trace);
	for (uint32_t i = 0; status == 0 && i < trace->stream_count; i++)
		wanted[i] = tl_xtrace_selects_stream(select, &trace->streams[i]);
	if (status == 0 && trace->stream_count > 1 && !select->by_stream && !parts)
		status = dump_merged(&d, trace, wanted, err);
	else
		for (uint32_t i = 0; status == 0 && i < trace->stream_count; i++)
			if (wanted[i])
				status = dump_one(&d, trace, i, err);
	free(wanted);
	return tl_error_format(err, "xtrace", status);
}
