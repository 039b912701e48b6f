/* SPDX-License-Identifier: Apache-2.0 */
/* Snapshots as text or one JSON object each, and in what two of them differ. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/output.h"
#include "xtrace/listing/describe.h"

/* A register as it stands in a record. */
struct value {
	char name[16];
	const uint8_t *bytes; /* little-endian; NULL: `number` */
	uint32_t size;
	uint64_t number;
};

enum { REGISTERS = 32 + TL_XTRACE_SYSREGS + 32 + 17 + 1 };

/* Register number `i` of a snapshot; ZA is left out here, as it is a matrix. */
static struct value register_of(const struct tl_xtrace_snapshot *s, uint32_t predicates, unsigned i)
{
	struct value v = { .size = 8 };

	if (i < 32) {
		snprintf(v.name, sizeof(v.name), i == 31 ? "sp" : "x%u", i);
		v.number = s->x[i];
		return v;
	}
	i -= 32;
	if (i < TL_XTRACE_SYSREGS) {
		snprintf(v.name, sizeof(v.name), "%s", tl_xtrace_sysreg_name(i));
		v.number = s->sysregs[i];
		return v;
	}
	i -= TL_XTRACE_SYSREGS;
	if (i < 32) {
		snprintf(v.name, sizeof(v.name), "z%u", i);
		v.bytes = s->z + (size_t)i * s->z_stride;
		v.size = s->vector_bytes;
		return v;
	}
	i -= 32;
	v.size = i <= predicates ? s->vector_bytes / 8 : 0;
	v.bytes = i < predicates ? s->p + (size_t)i * s->p_stride : s->ffr;
	if (i < predicates)
		snprintf(v.name, sizeof(v.name), "p%u", i);
	else
		snprintf(v.name, sizeof(v.name), "ffr");
	return v;
}

static void put_wide(struct tl_output *out, const struct value *v)
{
	static const char digits[] = "0123456789abcdef";

	if (!v->bytes) {
		tl_put_hex(out, v->number);
		return;
	}
	tl_put_text(out, "0x");
	for (uint32_t i = v->size; i-- > 0;) {
		tl_put_char(out, digits[v->bytes[i] >> 4]);
		tl_put_char(out, digits[v->bytes[i] & 15]);
	}
}

static bool is_zero(const struct value *v)
{
	uint64_t any = v->number;

	for (uint32_t i = 0; v->bytes && i < v->size; i++)
		any |= v->bytes[i];
	return !any;
}

static bool is_same(const struct value *a, const struct value *b)
{
	if (a->bytes && b->bytes)
		return !memcmp(a->bytes, b->bytes, a->size);
	return a->number == b->number;
}

static uint64_t za_bytes(const struct tl_xtrace_snapshot *s)
{
	return s->za ? (uint64_t)s->vector_bytes * s->vector_bytes : 0;
}

/* Bytes of ZA that are not zero, or not those of another snapshot. */
static uint64_t count_za(const struct tl_xtrace_snapshot *s, const struct tl_xtrace_snapshot *other)
{
	uint64_t count = 0;

	for (uint64_t i = 0; i < za_bytes(s); i++)
		count += s->za[i] != (other ? other->za[i] : 0);
	return count;
}

/* ---- text ---- */

static void text_head(struct tl_output *out, const struct tl_xtrace_stream *s, uint32_t number,
		      const struct tl_xtrace_snapshot *snapshot)
{
	tl_put_format(out,
		      "snapshot %" PRIu32 " thread %" PRIu64 " record 0x%" PRIx64 " file %" PRIu64
		      " offset 0x%" PRIx64 " user %" PRIu64 " total %" PRIu64 " vl %" PRIu64 "\n",
		      number, s->info.id, snapshot->record_offset, snapshot->file, snapshot->offset,
		      snapshot->user, snapshot->total, snapshot->vector_bits);
}

static void text_snapshot(struct tl_output *out, const struct tl_xtrace_stream *s, uint32_t number,
			  const struct tl_xtrace_snapshot *snapshot)
{
	text_head(out, s, number, snapshot);
	for (unsigned i = 0; i < REGISTERS; i++) {
		struct value v = register_of(snapshot, s->layout.predicates, i);

		/* Vectors are long, and mostly not in use. */
		if (!v.size || (v.bytes && is_zero(&v)))
			continue;
		tl_put_format(out, "  %-12s ", v.name);
		put_wide(out, &v);
		tl_put_char(out, '\n');
	}
	if (count_za(snapshot, NULL))
		tl_put_format(out, "  za           %" PRIu64 " of %" PRIu64 " bytes are not zero\n",
			      count_za(snapshot, NULL), za_bytes(snapshot));
}

/* ---- JSON ---- */

static void json_group(struct tl_output *out, const struct tl_xtrace_stream *s,
		       const struct tl_xtrace_snapshot *snapshot, const char *name, unsigned from,
		       unsigned to)
{
	tl_put_format(out, ",\"%s\":[", name);
	for (unsigned i = from; i < to; i++) {
		struct value v = register_of(snapshot, s->layout.predicates, i);

		if (i > from)
			tl_put_char(out, ',');
		tl_put_char(out, '"');
		if (v.bytes)
			put_wide(out, &v);
		else
			tl_put_hex(out, v.number);
		tl_put_char(out, '"');
	}
	tl_put_char(out, ']');
}

static void json_snapshot(struct tl_output *out, const struct tl_xtrace_stream *s, uint32_t number,
			  const struct tl_xtrace_snapshot *snapshot)
{
	unsigned vectors = 32 + TL_XTRACE_SYSREGS, predicates = vectors + 32;
	struct value ffr =
		register_of(snapshot, s->layout.predicates, predicates + s->layout.predicates);

	tl_put_format(out,
		      "{\"offset\":%" PRIu64 ",\"snapshot\":%" PRIu32 ",\"thread\":%" PRIu64
		      ",\"file\":%" PRIu64 ",\"stream_offset\":%" PRIu64 ",\"user\":%" PRIu64
		      ",\"total\":%" PRIu64 ",\"vl\":%" PRIu64,
		      snapshot->record_offset, number, s->info.id, snapshot->file, snapshot->offset,
		      snapshot->user, snapshot->total, snapshot->vector_bits);
	json_group(out, s, snapshot, "x", 0, 32);
	for (unsigned i = 0; i < TL_XTRACE_SYSREGS; i++)
		tl_put_format(out, ",\"%s\":\"0x%" PRIx64 "\"", tl_xtrace_sysreg_name(i),
			      snapshot->sysregs[i]);
	json_group(out, s, snapshot, "z", vectors, predicates);
	json_group(out, s, snapshot, "p", predicates, predicates + s->layout.predicates);
	tl_put_text(out, ",\"ffr\":\"");
	put_wide(out, &ffr);
	tl_put_format(out, "\",\"za_bytes\":%" PRIu64 ",\"za_nonzero\":%" PRIu64 "}\n",
		      za_bytes(snapshot), count_za(snapshot, NULL));
}

/* ---- difference ---- */

static void put_difference(struct tl_output *out, bool json, const struct value *a,
			   const struct value *b)
{
	tl_put_format(out, json ? "{\"register\":\"%s\",\"before\":\"" : "  %-12s ", a->name);
	put_wide(out, a);
	tl_put_text(out, json ? "\",\"after\":\"" : " -> ");
	put_wide(out, b);
	tl_put_text(out, json ? "\"}\n" : "\n");
}

static void put_counts(struct tl_output *out, bool json, const struct tl_xtrace_snapshot *a,
		       const struct tl_xtrace_snapshot *b)
{
	tl_put_format(
		out,
		json ? "{\"instructions\":%" PRId64 ",\"user\":%" PRId64 ",\"bytes\":%" PRId64 "}\n"
		     : "  %" PRId64 " instructions, %" PRId64 " of them user, %" PRId64 " bytes\n",
		(int64_t)(b->total - a->total), (int64_t)(b->user - a->user),
		(int64_t)(b->offset - a->offset));
}

static int dump_difference(const struct tl_xtrace_trace *trace, uint32_t stream, uint32_t one,
			   uint32_t other, bool json, struct tl_output *out, struct tl_error *err)
{
	const struct tl_xtrace_stream *s = &trace->streams[stream];
	struct tl_xtrace_snapshot a, b;

	if (tl_xtrace_read_snapshot(trace, stream, one, &a) < 0 ||
	    tl_xtrace_read_snapshot(trace, stream, other, &b) < 0)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE, "a stream has no such snapshot");
	if (!json) {
		text_head(out, s, one, &a);
		text_head(out, s, other, &b);
	}
	put_counts(out, json, &a, &b);
	for (unsigned i = 0; i < REGISTERS; i++) {
		struct value x = register_of(&a, s->layout.predicates, i);
		struct value y = register_of(&b, s->layout.predicates, i);

		if (x.size && !is_same(&x, &y))
			put_difference(out, json, &x, &y);
	}
	if (count_za(&a, &b))
		tl_put_format(out,
			      json ? "{\"register\":\"za\",\"bytes\":%" PRIu64 "}\n"
				   : "  za           %" PRIu64 " bytes differ\n",
			      count_za(&a, &b));
	return 0;
}

int tl_xtrace_list_snapshots(struct tl_xtrace_trace *trace, const struct tl_xtrace_select *select,
			     uint32_t one, uint32_t other, bool json, struct tl_output *out,
			     struct tl_error *err)
{
	int status = 0;

	tl_xtrace_rewind(trace);
	for (uint32_t i = 0; status == 0 && i < trace->stream_count; i++) {
		const struct tl_xtrace_stream *s = &trace->streams[i];

		if (!tl_xtrace_selects_stream(select, s))
			continue;
		if (one != TL_NONE) {
			status = dump_difference(trace, i, one, other, json, out, err);
			continue;
		}
		for (uint32_t n = select->from_snapshot;
		     n < s->info.snapshots && n < select->to_snapshot; n++) {
			struct tl_xtrace_snapshot snapshot;

			if (tl_output_failed(out))
				return 0;
			tl_xtrace_read_snapshot(trace, i, n, &snapshot);
			(json ? json_snapshot : text_snapshot)(out, s, n, &snapshot);
		}
	}
	return tl_error_format(err, "xtrace", status);
}
