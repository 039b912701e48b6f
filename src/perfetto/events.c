/* SPDX-License-Identifier: Apache-2.0 */
/* What packets tell: tracks, interned texts, events. */
#include <string.h>

#include "core/error.h"
#include "perfetto/reading.h"

/* Field numbers, by message (docs/formats/perfetto.md). */
enum { DEFAULTS_EVENT = 11, DEFAULTS_CLOCK = 58 };
enum {
	DESCRIPTOR_UUID = 1,
	DESCRIPTOR_NAME = 2,
	DESCRIPTOR_PROCESS = 3,
	DESCRIPTOR_THREAD = 4,
	DESCRIPTOR_PARENT = 5,
	DESCRIPTOR_COUNTER = 8,
	DESCRIPTOR_STATIC_NAME = 10,
};
enum { PROCESS_PID = 1, PROCESS_NAME = 6 };
enum { THREAD_PID = 1, THREAD_TID = 2, THREAD_NAME = 5, THREAD_REFERENCE_US = 6 };
enum {
	EVENT_DELTA_US = 1,
	EVENT_TYPE = 9,
	EVENT_NAME_IID = 10,
	EVENT_TRACK = 11,
	EVENT_ABSOLUTE_US = 16,
	EVENT_NAME = 23,
	EVENT_COUNTER = 30,
	EVENT_SOURCE = 34,
	EVENT_REAL_COUNTER = 44,
};
enum { COUNTER_MULTIPLIER = 4, COUNTER_INCREMENTAL = 5 };
enum { TYPE_BEGIN = 1, TYPE_END = 2, TYPE_INSTANT = 3, TYPE_COUNTER = 4 };
enum { INTERNED_EVENT_NAME = 2, INTERNED_SOURCE = 4 };
enum { NAME_IID = 1, NAME_NAME = 2 };
enum { SOURCE_IID = 1, SOURCE_FILE = 2, SOURCE_LINE = 4 };

bool tl_perfetto_failed(struct tl_perfetto_reading *r, int status)
{
	if (status < 0 && !r->error)
		r->error = status;
	return r->error < 0;
}

void tl_perfetto_no_memory(struct tl_perfetto_reading *r)
{
	tl_perfetto_failed(r, tl_error_memory(r->err));
}

void tl_perfetto_broken(struct tl_perfetto_reading *r, const char *rule, int status,
			const struct tl_perfetto_packet *p, uint64_t length, const char *text)
{
	const struct tl_foreign_fault fault = { rule,   (enum tl_status)status,
						text,   p->offset,
						length, p->number };

	tl_perfetto_failed(r, tl_foreign_broken(&r->foreign->faults, &fault, r->err));
}

static uint32_t name(struct tl_perfetto_reading *r, struct tl_cursor text)
{
	uint32_t number = tl_names_add(&r->foreign->stacks.names, (const char *)text.pos,
				       tl_cursor_left(&text));

	if (number == TL_NONE)
		tl_perfetto_no_memory(r);
	return number == TL_NONE ? 0 : number;
}

/* ---- fields of a message of numbers and texts ---- */

enum { FIELDS = 64 };

/* The last value of each field below FIELDS. */
struct message {
	uint64_t has; /* bits by field number */
	uint64_t number[FIELDS];
	struct tl_cursor bytes[FIELDS];
};

static bool has(const struct message *m, unsigned field)
{
	return m->has >> field & 1;
}

/* False: the message is damaged; its fields before are kept. */
static bool read_message(struct message *m, struct tl_cursor cur)
{
	struct tl_wire_field field;
	const char *why;
	int status;

	m->has = 0;
	while ((status = tl_wire_next(&cur, &field, &why)) == 1) {
		if (field.number >= FIELDS)
			continue;
		m->has |= UINT64_C(1) << field.number;
		m->number[field.number] = field.type == TL_WIRE_BYTES ? 0 : field.value;
		m->bytes[field.number] = field.bytes;
	}
	return status == 0;
}

static uint32_t name_in(struct tl_perfetto_reading *r, const struct message *m, unsigned field)
{
	return has(m, field) && m->bytes[field].pos ? name(r, m->bytes[field]) : 0;
}

/* ---- interned texts and defaults ---- */

static void intern(struct tl_perfetto_reading *r, const struct tl_perfetto_sequence *sequence,
		   const struct tl_wire_field *field)
{
	struct tl_perfetto_interned made = { .sequence = sequence->id,
					     .generation = sequence->generation };
	struct message m;

	read_message(&m, field->bytes);
	made.iid = has(&m, NAME_IID) ? m.number[NAME_IID] : 0;
	if (field->number == INTERNED_EVENT_NAME) {
		made.kind = TL_PERFETTO_EVENT_NAME;
		made.name = name_in(r, &m, NAME_NAME);
	} else {
		made.kind = TL_PERFETTO_SOURCE;
		made.file = name_in(r, &m, SOURCE_FILE);
		made.line = has(&m, SOURCE_LINE) ? (uint32_t)m.number[SOURCE_LINE] : 0;
	}
	if (!tl_perfetto_intern(&r->s, &made))
		tl_perfetto_no_memory(r);
}

static void take_interned(struct tl_perfetto_reading *r,
			  const struct tl_perfetto_sequence *sequence,
			  const struct tl_perfetto_packet *p)
{
	struct tl_cursor cur = p->interned;
	struct tl_wire_field field;
	const char *why;
	int status;

	while (!r->error && (status = tl_wire_next(&cur, &field, &why)) != 0) {
		if (status < 0) {
			tl_perfetto_broken(r, "interned", status, p, tl_cursor_left(&cur),
					   "interned texts are damaged: those before were kept");
			return;
		}
		if (field.type == TL_WIRE_BYTES &&
		    (field.number == INTERNED_EVENT_NAME || field.number == INTERNED_SOURCE))
			intern(r, sequence, &field);
	}
}

/* New defaults take the place of all that were before. */
static void take_defaults(struct tl_perfetto_sequence *sequence, struct tl_cursor cur)
{
	struct message m, event;

	read_message(&m, cur);
	sequence->clock = has(&m, DEFAULTS_CLOCK) ? m.number[DEFAULTS_CLOCK] : 0;
	sequence->has_track = false;
	if (!has(&m, DEFAULTS_EVENT) || !m.bytes[DEFAULTS_EVENT].pos)
		return;
	read_message(&event, m.bytes[DEFAULTS_EVENT]);
	sequence->has_track = has(&event, EVENT_TRACK);
	if (sequence->has_track)
		sequence->track = event.number[EVENT_TRACK];
}

static uint64_t track_of(const struct tl_perfetto_sequence *sequence, const struct message *m)
{
	if (has(m, EVENT_TRACK))
		return m->number[EVENT_TRACK];
	return sequence->has_track ? sequence->track : sequence->thread_track;
}

/* ---- tracks ---- */

static void take_thread(struct tl_perfetto_reading *r, struct tl_perfetto_track *track,
			struct tl_cursor cur)
{
	struct message m;

	read_message(&m, cur);
	track->has_thread = true;
	track->process = has(&m, THREAD_PID) ? (int32_t)m.number[THREAD_PID] : 0;
	track->thread = has(&m, THREAD_TID) ? (int64_t)m.number[THREAD_TID] : 0;
	if (has(&m, THREAD_NAME))
		track->thread_name = name_in(r, &m, THREAD_NAME);
}

static void take_process(struct tl_perfetto_reading *r, struct tl_perfetto_track *track,
			 struct tl_cursor cur)
{
	struct message m;

	read_message(&m, cur);
	if (track->has_thread)
		return;
	track->has_process = true;
	track->process = has(&m, PROCESS_PID) ? (int32_t)m.number[PROCESS_PID] : 0;
	if (has(&m, PROCESS_NAME) && !track->name)
		track->name = name_in(r, &m, PROCESS_NAME);
}

static void take_counter(struct tl_perfetto_track *track, struct tl_cursor cur)
{
	struct message m;

	read_message(&m, cur);
	track->is_incremental = has(&m, COUNTER_INCREMENTAL) && m.number[COUNTER_INCREMENTAL];
	track->multiplier = has(&m, COUNTER_MULTIPLIER) ? (int64_t)m.number[COUNTER_MULTIPLIER] : 0;
}

static void take_descriptor(struct tl_perfetto_reading *r, const struct tl_perfetto_packet *p)
{
	struct tl_perfetto_track *track;
	struct message m;

	if (!read_message(&m, p->descriptor))
		tl_perfetto_broken(
			r, "descriptor", TL_BAD_RECORD, p, 0,
			"the description of a track is damaged: its fields before were kept");
	track = tl_perfetto_track(&r->s, has(&m, DESCRIPTOR_UUID) ? m.number[DESCRIPTOR_UUID] : 0);
	if (!track) {
		tl_perfetto_no_memory(r);
		return;
	}
	track->is_counter = track->is_counter || has(&m, DESCRIPTOR_COUNTER);
	if (has(&m, DESCRIPTOR_COUNTER) && m.bytes[DESCRIPTOR_COUNTER].pos)
		take_counter(track, m.bytes[DESCRIPTOR_COUNTER]);
	if (has(&m, DESCRIPTOR_PARENT)) {
		track->has_parent = true;
		track->parent = m.number[DESCRIPTOR_PARENT];
	}
	if (has(&m, DESCRIPTOR_NAME))
		track->name = name_in(r, &m, DESCRIPTOR_NAME);
	else if (has(&m, DESCRIPTOR_STATIC_NAME))
		track->name = name_in(r, &m, DESCRIPTOR_STATIC_NAME);
	if (has(&m, DESCRIPTOR_THREAD) && m.bytes[DESCRIPTOR_THREAD].pos)
		take_thread(r, track, m.bytes[DESCRIPTOR_THREAD]);
	if (has(&m, DESCRIPTOR_PROCESS) && m.bytes[DESCRIPTOR_PROCESS].pos)
		take_process(r, track, m.bytes[DESCRIPTOR_PROCESS]);
}

/* ---- events ---- */

static uint32_t frame_of(struct tl_perfetto_reading *r, const struct tl_perfetto_sequence *sequence,
			 const struct message *m)
{
	struct tl_foreign_frame frame = { .name = name_in(r, m, EVENT_NAME) };
	const struct tl_perfetto_interned *known = NULL;
	uint32_t number;

	if (has(m, EVENT_NAME_IID)) {
		known = tl_perfetto_known(&r->s, sequence, TL_PERFETTO_EVENT_NAME,
					  m->number[EVENT_NAME_IID]);
		r->no_name += !known;
	}
	if (known)
		frame.name = known->name;
	known = has(m, EVENT_SOURCE) ? tl_perfetto_known(&r->s, sequence, TL_PERFETTO_SOURCE,
							 m->number[EVENT_SOURCE])
				     : NULL;
	if (known) {
		frame.file = known->file;
		frame.line = known->line;
	}
	if (!frame.name)
		frame.name = tl_names_add(&r->foreign->stacks.names, "[unnamed]", 9);
	number = frame.name == TL_NONE ? TL_NONE
				       : tl_foreign_stacks_frame(&r->foreign->stacks, &frame);
	if (number == TL_NONE)
		tl_perfetto_no_memory(r);
	return number;
}

/* The thread of the spans in which events of a track are gathered; NULL without memory. */
static struct tl_foreign_thread *gathered(struct tl_perfetto_reading *r, uint64_t uuid)
{
	struct tl_perfetto_track *track = tl_perfetto_track(&r->s, uuid);

	/* The thread gets its ids in the end; until then it is called by the track's number. */
	if (track && track->spans == TL_NONE)
		track->spans =
			tl_foreign_spans_thread(&r->foreign->spans, track - r->s.tracks, INT64_MIN);
	if (!track || track->spans == TL_NONE) {
		tl_perfetto_no_memory(r);
		return NULL;
	}
	return &r->foreign->spans.threads[track->spans];
}

static int64_t time_of(struct tl_perfetto_reading *r, struct tl_perfetto_sequence *sequence,
		       const struct tl_perfetto_packet *p, const struct message *m)
{
	uint64_t clock = p->clock ? p->clock : sequence->clock;
	int64_t ns;

	if (has(m, EVENT_ABSOLUTE_US) || has(m, EVENT_DELTA_US)) {
		if (has(m, EVENT_ABSOLUTE_US))
			return (int64_t)(m->number[EVENT_ABSOLUTE_US] * 1000);
		sequence->thread_us =
			(int64_t)((uint64_t)sequence->thread_us + m->number[EVENT_DELTA_US]);
		return (int64_t)((uint64_t)sequence->thread_us * 1000);
	}
	if (!tl_perfetto_time(&r->s, sequence->id, clock, p->timestamp, &ns))
		r->no_clock++;
	return ns;
}

static void add_span(struct tl_perfetto_reading *r, struct tl_perfetto_sequence *sequence,
		     const struct message *m, int64_t ns)
{
	static const uint64_t kinds[] = { [TYPE_BEGIN] = TL_FOREIGN_BEGIN,
					  [TYPE_END] = TL_FOREIGN_END,
					  [TYPE_INSTANT] = TL_FOREIGN_INSTANT };
	uint64_t type = m->number[EVENT_TYPE];
	struct tl_foreign_thread *thread = gathered(r, track_of(sequence, m));
	uint32_t frame = type == TYPE_END ? TL_NONE : frame_of(r, sequence, m);

	if (!r->error && thread && !tl_foreign_spans_add(thread, ns, kinds[type], frame))
		tl_perfetto_no_memory(r);
}

/* The counter gets its name and ids in the end; until then it is called by the track's number. */
static void add_value(struct tl_perfetto_reading *r, const struct tl_perfetto_sequence *sequence,
		      const struct message *m, int64_t ns)
{
	struct tl_foreign_counters *counters = &r->foreign->counters;
	struct tl_perfetto_track *track = tl_perfetto_track(&r->s, track_of(sequence, m));
	uint32_t counter;
	double value;

	r->counters++;
	if (!has(m, EVENT_COUNTER) && !has(m, EVENT_REAL_COUNTER))
		return;
	if (has(m, EVENT_REAL_COUNTER))
		memcpy(&value, &m->number[EVENT_REAL_COUNTER], sizeof(value));
	else
		value = (double)(int64_t)m->number[EVENT_COUNTER];
	counter = track ? tl_foreign_counter(counters, track - r->s.tracks, INT64_MIN, 0) : TL_NONE;
	if (counter == TL_NONE) {
		tl_perfetto_no_memory(r);
		return;
	}
	if (track->multiplier)
		value *= (double)track->multiplier;
	if (track->is_incremental)
		value = track->sum += value;
	if (!tl_foreign_counters_add(counters, counter, ns, value))
		tl_perfetto_no_memory(r);
}

static void take_event(struct tl_perfetto_reading *r, struct tl_perfetto_sequence *sequence,
		       const struct tl_perfetto_packet *p)
{
	struct message m;
	int64_t ns;

	r->events++;
	if (!read_message(&m, p->event)) {
		tl_perfetto_broken(r, "event", TL_BAD_RECORD, p, tl_cursor_left(&p->event),
				   "a track event is damaged: passed over");
		return;
	}
	ns = time_of(r, sequence, p, &m);
	if (p->flags & TL_PERFETTO_NEEDS_STATE && !sequence->generation) {
		r->no_state++;
		return;
	}
	if (!has(&m, EVENT_TYPE) || !m.number[EVENT_TYPE] || m.number[EVENT_TYPE] > TYPE_COUNTER)
		r->untyped++;
	else if (m.number[EVENT_TYPE] == TYPE_COUNTER)
		add_value(r, sequence, &m, ns);
	else
		add_span(r, sequence, &m, ns);
}

/* Old traces describe a thread beside its events, which have no track then. */
static void take_old_thread(struct tl_perfetto_reading *r, struct tl_perfetto_sequence *sequence,
			    const struct tl_perfetto_packet *p)
{
	/* No uuid of a writer: those are random numbers or pointers. */
	uint64_t uuid = UINT64_C(0x7468726561640000) + sequence->id;
	struct tl_perfetto_track *track = tl_perfetto_track(&r->s, uuid);
	struct message m;

	if (!track) {
		tl_perfetto_no_memory(r);
		return;
	}
	take_thread(r, track, p->thread);
	read_message(&m, p->thread);
	sequence->thread_track = uuid;
	if (has(&m, THREAD_REFERENCE_US))
		sequence->thread_us = (int64_t)m.number[THREAD_REFERENCE_US];
}

void tl_perfetto_apply(struct tl_perfetto_reading *r, const struct tl_perfetto_packet *p)
{
	struct tl_perfetto_sequence *sequence = tl_perfetto_sequence(&r->s, p->sequence);

	if (!sequence) {
		tl_perfetto_no_memory(r);
		return;
	}
	r->dropped += p->dropped;
	if (p->flags & TL_PERFETTO_CLEARED) {
		sequence->generation++;
		sequence->clock = 0;
		sequence->has_track = false;
		sequence->thread_track = 0;
	}
	if (p->snapshot.pos && !tl_perfetto_snapshot(&r->s, p->sequence, p->snapshot))
		tl_perfetto_no_memory(r);
	if (p->defaults.pos)
		take_defaults(sequence, p->defaults);
	if (p->thread.pos)
		take_old_thread(r, sequence, p);
	if (p->interned.pos)
		take_interned(r, sequence, p);
	if (p->descriptor.pos)
		take_descriptor(r, p);
	if (p->event.pos)
		take_event(r, sequence, p);
	r->others += !p->known;
}
