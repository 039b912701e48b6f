/* SPDX-License-Identifier: Apache-2.0 */
/* Packets one after the other, and the events in them. */
#include <inttypes.h>

#include "core/error.h"
#include "core/output.h"
#include "perfetto/expand.h"
#include "perfetto/perfetto.h"
#include "perfetto/reading.h"

/* Field numbers, by message (docs/formats/perfetto.md). */
enum { TRACE_PACKET = 1 };
enum {
	PACKET_SNAPSHOT = 6,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE = 10,
	PACKET_EVENT = 11,
	PACKET_INTERNED = 12,
	PACKET_FLAGS = 13,
	PACKET_CLEARED = 41,
	PACKET_DROPPED = 42,
	PACKET_THREAD = 44,
	PACKET_COMPRESSED = 50,
	PACKET_CLOCK = 58,
	PACKET_DEFAULTS = 59,
	PACKET_DESCRIPTOR = 60,
};
/* ---- packets ---- */

static void read_bytes(struct tl_perfetto_packet *p, const struct tl_wire_field *field)
{
	const struct {
		uint32_t number;
		struct tl_cursor *to;
	} parts[] = {
		{ PACKET_EVENT, &p->event },           { PACKET_INTERNED, &p->interned },
		{ PACKET_SNAPSHOT, &p->snapshot },     { PACKET_DESCRIPTOR, &p->descriptor },
		{ PACKET_DEFAULTS, &p->defaults },     { PACKET_THREAD, &p->thread },
		{ PACKET_COMPRESSED, &p->compressed },
	};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (parts[i].number == field->number) {
			*parts[i].to = field->bytes;
			p->known++;
		}
}

static int read_packet(struct tl_perfetto_packet *p, struct tl_cursor cur, const char **why)
{
	struct tl_wire_field field;
	int status;

	while ((status = tl_wire_next(&cur, &field, why)) == 1) {
		if (field.type == TL_WIRE_BYTES)
			read_bytes(p, &field);
		else if (field.number == PACKET_TIMESTAMP)
			p->timestamp = field.value;
		else if (field.number == PACKET_SEQUENCE)
			p->sequence = (uint32_t)field.value;
		else if (field.number == PACKET_FLAGS)
			p->flags |= field.value;
		else if (field.number == PACKET_CLEARED && field.value)
			p->flags |= TL_PERFETTO_CLEARED;
		else if (field.number == PACKET_DROPPED)
			p->dropped = field.value;
		else if (field.number == PACKET_CLOCK)
			p->clock = field.value;
	}
	return status;
}

/* What a packet is listed as: the first of its parts, in this order, that it has. */
static const char *kind_of(const struct tl_perfetto_packet *p)
{
	const struct {
		const uint8_t *part;
		const char *name;
	} kinds[] = {
		{ p->event.pos, "track_event" },       { p->descriptor.pos, "track_descriptor" },
		{ p->snapshot.pos, "clock_snapshot" }, { p->compressed.pos, "compressed_packets" },
		{ p->interned.pos, "interned_data" },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (kinds[i].part)
			return kinds[i].name;
	}
	return "other";
}

static void dump_packet(struct tl_perfetto_reading *r, const struct tl_perfetto_packet *p)
{
	struct tl_output *out = r->foreign->options.dump;
	const bool json = r->foreign->options.json;
	const char *kind = kind_of(p);

	tl_put_format(out,
		      json ? "{\"offset\":%" PRIu64 ",\"record\":\"%s\",\"timestamp\":%" PRIu64
			     ",\"trusted_packet_sequence_id\":%" PRIu32 "}\n"
			   : "0x%08" PRIx64 " %s timestamp %" PRIu64
			     " trusted_packet_sequence_id %" PRIu32 "\n",
		      p->offset, kind, p->timestamp, p->sequence);
}

static void read_packets(struct tl_perfetto_reading *r, const uint8_t *data, size_t size,
			 bool expanded);

static void expand_packets(struct tl_perfetto_reading *r, const struct tl_perfetto_packet *p)
{
	bool damaged, without;
	size_t size;
	uint8_t *data = tl_perfetto_expand(p->compressed, &size, &damaged, &without);

	if (without) {
		tl_perfetto_no_memory(r);
		return;
	}
	if (damaged)
		tl_perfetto_broken(r, "compressed", TL_BAD_RECORD, p, 0,
				   "compressed packets are damaged: those before were kept");
	if (!r->error && data) {
		r->base_offset = p->offset;
		read_packets(r, data, size, true);
	}
	free(data);
}

static void take_packet(struct tl_perfetto_reading *r, const struct tl_wire_field *field,
			const uint8_t *data, bool expanded)
{
	struct tl_perfetto_packet p = { .offset = expanded ? r->base_offset
							   : (uint64_t)(field->start - data),
					.number = r->packets++ };
	const char *why;
	int status = read_packet(&p, field->bytes, &why);

	if (status < 0) {
		tl_perfetto_broken(r, "packet", status, &p, tl_cursor_left(&field->bytes),
				   "a packet is damaged: passed over");
		return;
	}
	if (r->foreign->options.dump)
		dump_packet(r, &p);
	if (p.compressed.pos && expanded)
		tl_perfetto_broken(r, "compressed", TL_UNSUPPORTED, &p, 0,
				   "compressed packets inside of compressed packets: passed over");
	else if (p.compressed.pos)
		expand_packets(r, &p);
	if (!r->error)
		tl_perfetto_apply(r, &p);
}

static void read_packets(struct tl_perfetto_reading *r, const uint8_t *data, size_t size,
			 bool expanded)
{
	struct tl_cursor cur = tl_cursor_over(data, size);
	struct tl_wire_field field;
	const char *why;
	int status;

	while (!r->error && (status = tl_wire_next(&cur, &field, &why)) != 0) {
		const struct tl_perfetto_packet at = { .offset = expanded ? r->base_offset
									  : tl_cursor_offset(&cur),
						       .number = r->packets };

		if (status < 0) {
			tl_perfetto_broken(
				r, "packet", status, &at, expanded ? 0 : tl_cursor_left(&cur),
				"the trace is damaged or cut: the packets before were kept");
			return;
		}
		if (field.number == TRACE_PACKET && field.type == TL_WIRE_BYTES)
			take_packet(r, &field, data, expanded);
	}
}

/* ---- the whole ---- */

struct saying {
	uint64_t count;
	enum tl_status status;
	const char *rule, *text;
};

static void say_all(struct tl_perfetto_reading *r)
{
	const struct saying sayings[] = {
		{ r->dropped, TL_TRUNCATED, "dropped",
		  "times that the recorder lost packets, and events may be missing" },
		{ r->no_state, TL_BAD_RECORD, "state",
		  "events that depend on packets which are missing: passed over" },
		{ r->no_name, TL_BAD_RECORD, "name",
		  "events whose names are missing: they are [unnamed]" },
		{ r->no_clock, TL_BAD_RECORD, "clock",
		  "events of a clock that no snapshot has: their times are taken as they are" },
		{ r->untyped, TL_OK, "type", "events of other types: passed over" },
		{ r->counters, TL_OK, "counter", "values of counters: no part of calls" },
	};

	for (size_t i = 0; i < sizeof(sayings) / sizeof(sayings[0]) && !r->error; i++)
		if (sayings[i].count)
			tl_perfetto_failed(r,
					   tl_foreign_say(&r->foreign->faults, sayings[i].status,
							  sayings[i].rule, r->err, "%" PRIu64 " %s",
							  sayings[i].count, sayings[i].text));
}

static void tell(struct tl_perfetto_reading *r)
{
	tl_foreign_tell(r->foreign, "packets", r->packets);
	tl_foreign_tell(r->foreign, "track_events", r->events);
	tl_foreign_tell(r->foreign, "counter_values", r->counters);
	tl_foreign_tell(r->foreign, "other_packets", r->others);
	tl_foreign_tell(r->foreign, "sequences", r->s.sequence_count);
	tl_foreign_tell(r->foreign, "tracks", r->s.track_count);
}

static int read_perfetto(struct tl_foreign_file *foreign, struct tl_source *source,
			 struct tl_error *err)
{
	struct tl_perfetto_reading r = { .foreign = foreign,
					 .s = { .foreign = foreign },
					 .err = err };
	const uint8_t *data;
	size_t size;
	int status = tl_source_map(source, &data, &size, err);

	if (status < 0)
		return status;
	foreign->frequency = 1000000000;
	read_packets(&r, data, size, false);
	if (!r.error)
		tl_perfetto_failed(&r, tl_perfetto_settle_tracks(&r.s, err));
	say_all(&r);
	tell(&r);
	foreign->records = r.packets;
	if (!r.error && !r.packets)
		tl_perfetto_failed(
			&r, tl_error_at(err, TL_BAD_FORMAT, 0, "not one packet of Perfetto"));
	tl_perfetto_state_free(&r.s);
	return tl_error_format(err, "perfetto", r.error);
}

const struct tl_foreign_reader tl_perfetto_reader = {
	.format = "perfetto",
	.read = read_perfetto,
};
