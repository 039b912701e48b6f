/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Perfetto's protobuf trace: a Trace is a sequence of TracePacket, one for each event, written as
 * the event comes.
 *
 * Each thread is a packet sequence of its own (trusted_packet_sequence_id) with its own interned
 * names, so that the part of one thread can be read without the others. Names are interned by their
 * key: iid = key + 1, as 0 means "none". Every event names its track, because readers of single
 * packets do not know the defaults of a sequence.
 */
#include <string.h>

#include "core/output.h"
#include "export/protobuf.h"
#include "export/timeline/timeline_formats.h"

/* Field numbers, by message, as published with Perfetto (protos/perfetto/trace). */
enum { TRACE_PACKET = 1 };
enum {
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE = 10,
	PACKET_TRACK_EVENT = 11,
	PACKET_INTERNED = 12,
	PACKET_FLAGS = 13,
	PACKET_DESCRIPTOR = 60,
};
enum { FLAG_STATE_CLEARED = 1, FLAG_NEEDS_STATE = 2 };
enum {
	DESCRIPTOR_UUID = 1,
	DESCRIPTOR_NAME = 2,
	DESCRIPTOR_PROCESS = 3,
	DESCRIPTOR_THREAD = 4,
	DESCRIPTOR_PARENT = 5,
	DESCRIPTOR_COUNTER = 8,
};
enum { PROCESS_PID = 1, PROCESS_NAME = 6 };
enum { THREAD_PID = 1, THREAD_TID = 2, THREAD_NAME = 5 };
enum {
	EVENT_ANNOTATION = 4,
	EVENT_TYPE = 9,
	EVENT_NAME_IID = 10,
	EVENT_TRACK = 11,
	EVENT_NAME = 23,
	EVENT_SOURCE = 34,
	EVENT_REAL_COUNTER = 44,
};
enum { SLICE_BEGIN = 1, SLICE_END = 2, INSTANT = 3, COUNTER = 4 };
enum {
	ANNOTATION_UINT = 3,
	ANNOTATION_INT = 4,
	ANNOTATION_DOUBLE = 5,
	ANNOTATION_STRING = 6,
	ANNOTATION_POINTER = 7,
	ANNOTATION_NAME = 10
};
enum { INTERNED_EVENT_NAME = 2, INTERNED_SOURCE = 4 };
enum { NAME_IID = 1, NAME_NAME = 2 };
enum { SOURCE_IID = 1, SOURCE_FILE = 2, SOURCE_FUNCTION = 3, SOURCE_LINE = 4 };

struct perfetto_track {
	struct tl_track base;
	uint64_t uuid;
	uint64_t depth;  /* open slices */
	uint64_t *known; /* bit per name key: interned in this sequence */
	size_t known_words, known_capacity;
	char sequence[12]; /* PACKET_SEQUENCE, encoded */
	size_t sequence_size;
	char track[16]; /* EVENT_TRACK, encoded */
	size_t track_size;
};

/* A counter is a track of its own, below that of its thread or process. */
struct perfetto_counter {
	uint32_t track, name;
	uint64_t uuid;
};

struct perfetto {
	struct tl_timeline base;
	struct tl_pb_message packet, event,
		inner;         /* empty between events; reused for their memory */
	struct tl_index uuids; /* the uuids in use, by track number */
	struct perfetto_counter *counters;
	size_t counter_count, counter_capacity;
	struct tl_index counter_index;
	struct tl_names counter_names;
};

/* ---- packets ---- */

static void put_packet(struct perfetto *f, const struct perfetto_track *t)
{
	char key[1 + TL_PB_VARINT_BYTES], *p;

	if (f->packet.failed || f->event.failed || f->inner.failed) {
		f->base.no_memory = true;
		return;
	}
	p = tl_pb_key(key, TRACE_PACKET, TL_PB_BYTES);
	p = tl_pb_varint(p, f->packet.size + t->sequence_size);
	tl_put_bytes(f->base.out, key, (size_t)(p - key));
	tl_put_bytes(f->base.out, f->packet.data, f->packet.size);
	tl_put_bytes(f->base.out, t->sequence, t->sequence_size);
	f->packet.size = 0;
}

static void describe_process(struct perfetto *f, const struct perfetto_track *t, const char *name)
{
	tl_pb_message_number(&f->inner, PROCESS_PID, (uint64_t)t->base.process);
	if (name)
		tl_pb_message_text(&f->inner, PROCESS_NAME, name, strlen(name));
	tl_pb_message_inner(&f->event, DESCRIPTOR_PROCESS, &f->inner);
}

static void describe_thread(struct perfetto *f, const struct perfetto_track *t,
			    uint64_t process_uuid, const char *name)
{
	tl_pb_message_number(&f->event, DESCRIPTOR_PARENT, process_uuid);
	tl_pb_message_number(&f->inner, THREAD_PID, (uint64_t)t->base.process);
	tl_pb_message_number(&f->inner, THREAD_TID, (uint64_t)t->base.thread);
	if (name)
		tl_pb_message_text(&f->inner, THREAD_NAME, name, strlen(name));
	tl_pb_message_inner(&f->event, DESCRIPTOR_THREAD, &f->inner);
}

/* A descriptor may be repeated; the last one with a name counts. The first opens the sequence. */
static void put_descriptor(struct perfetto *f, struct perfetto_track *t, uint64_t process_uuid,
			   const char *name)
{
	tl_pb_message_number(&f->event, DESCRIPTOR_UUID, t->uuid);
	if (t->base.thread < 0)
		describe_process(f, t, name);
	else
		describe_thread(f, t, process_uuid, name);
	if (!t->base.begun)
		tl_pb_message_number(&f->packet, PACKET_FLAGS, FLAG_STATE_CLEARED);
	tl_pb_message_inner(&f->packet, PACKET_DESCRIPTOR, &f->event);
	t->base.begun = true;
	put_packet(f, t);
}

/* ---- tracks ---- */

static bool same_uuid(const void *context, const void *key, uint32_t number)
{
	const struct perfetto *f = context;

	return ((const struct perfetto_track *)f->base.tracks.all[number])->uuid ==
	       *(const uint64_t *)key;
}

/*
 * The uuid of a track is a hash of process and thread, so that traces of several processes can be
 * concatenated. It has 35 bits, which take five bytes in each event. If two tracks have the same
 * hash, the later one takes the next free number.
 */
static bool choose_uuid(struct perfetto *f, struct perfetto_track *t)
{
	uint64_t uuid = tl_hash_pair((uint64_t)t->base.process, (uint64_t)t->base.thread) >> 29;

	while (!uuid || tl_index_find(&f->uuids, tl_hash64(uuid), same_uuid, f, &uuid) != TL_NONE)
		uuid++;
	t->uuid = uuid;
	return tl_index_add(&f->uuids, tl_hash64(uuid), t->base.number);
}

static bool prepare_track(struct perfetto *f, struct perfetto_track *t)
{
	char *p = tl_pb_number(t->sequence, PACKET_SEQUENCE, (uint64_t)t->base.number + 1);

	t->sequence_size = (size_t)(p - t->sequence);
	if (!choose_uuid(f, t)) {
		f->base.no_memory = true;
		return false;
	}
	p = tl_pb_number(t->track, EVENT_TRACK, t->uuid);
	t->track_size = (size_t)(p - t->track);
	return true;
}

/* Announce a track, and before it the process of a thread. False without memory. */
static bool announce(struct perfetto *f, struct perfetto_track *t, const char *name)
{
	struct perfetto_track *process = NULL;
	uint64_t process_uuid = 0;

	if (t->base.thread >= 0) {
		process = (struct perfetto_track *)tl_timeline_track(&f->base, t->base.process, -1);
		if (!process || (!process->base.begun && !announce(f, process, NULL)))
			return false;
	}
	if (!t->base.begun && !prepare_track(f, t))
		return false;
	if (process)
		process_uuid = process->uuid;
	put_descriptor(f, t, process_uuid, name);
	return !f->base.no_memory;
}

static void name_track(struct tl_timeline *timeline, struct tl_track *track, const char *name)
{
	announce((struct perfetto *)timeline, (struct perfetto_track *)track, name);
}

/* ---- interned names ---- */

static bool room_for_key(struct perfetto_track *t, uint32_t key)
{
	size_t want = (size_t)key / 64 + 1;

	if (want <= t->known_words)
		return true;
	if (!tl_grow(&t->known, &t->known_capacity, want, sizeof(*t->known)))
		return false;
	memset(t->known + t->known_words, 0, (want - t->known_words) * sizeof(*t->known));
	t->known_words = want;
	return true;
}

static inline bool knows(const struct perfetto_track *t, uint32_t key)
{
	return key / 64 < t->known_words && (t->known[key / 64] >> key % 64 & 1);
}

/* Put the name into `packet`, which has to be empty; overwrites `event` and `inner`. */
static void intern(struct perfetto *f, uint32_t key, const char *name, const char *file,
		   uint32_t line)
{
	tl_pb_message_number(&f->inner, NAME_IID, (uint64_t)key + 1);
	tl_pb_message_text(&f->inner, NAME_NAME, name, strlen(name));
	tl_pb_message_inner(&f->event, INTERNED_EVENT_NAME, &f->inner);
	if (*file || line) {
		tl_pb_message_number(&f->inner, SOURCE_IID, (uint64_t)key + 1);
		tl_pb_message_text(&f->inner, SOURCE_FILE, file, strlen(file));
		tl_pb_message_text(&f->inner, SOURCE_FUNCTION, name, strlen(name));
		tl_pb_message_number(&f->inner, SOURCE_LINE, line);
		tl_pb_message_inner(&f->event, INTERNED_SOURCE, &f->inner);
	}
	tl_pb_message_inner(&f->packet, PACKET_INTERNED, &f->event);
}

/* ---- events ---- */

static void put_value(struct tl_pb_message *to, const struct tl_timeline_arg *a)
{
	switch (a->kind) {
	case TL_ARG_NUMBER:
		tl_pb_message_number(to, ANNOTATION_UINT, a->number);
		break;
	case TL_ARG_SIGNED:
		tl_pb_message_number(to, ANNOTATION_INT, a->number);
		break;
	case TL_ARG_HEX:
		tl_pb_message_number(to, ANNOTATION_POINTER, a->number);
		break;
	case TL_ARG_REAL:
		tl_pb_message_double(to, ANNOTATION_DOUBLE, a->real);
		break;
	case TL_ARG_TEXT:
		tl_pb_message_text(to, ANNOTATION_STRING, a->data, a->size);
		break;
	case TL_ARG_BYTES:
		tl_pb_message_hex(to, ANNOTATION_STRING, a->data, a->size);
		break;
	}
}

static void annotate(struct perfetto *f, const struct tl_timeline_arg *args, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		tl_pb_message_text(&f->inner, ANNOTATION_NAME, args[i].name, strlen(args[i].name));
		put_value(&f->inner, &args[i]);
		tl_pb_message_inner(&f->event, EVENT_ANNOTATION, &f->inner);
	}
}

/* Finish the event in `event`, which is of the track with a uuid, and write its packet. */
static void put_event_of(struct perfetto *f, const struct perfetto_track *t, uint64_t uuid,
			 uint64_t ticks, uint32_t type)
{
	tl_pb_message_number(&f->event, EVENT_TYPE, type);
	tl_pb_message_number(&f->event, EVENT_TRACK, uuid);
	tl_pb_message_number(&f->packet, PACKET_TIMESTAMP, tl_ticks_ns(f->base.frequency, ticks));
	tl_pb_message_inner(&f->packet, PACKET_TRACK_EVENT, &f->event);
	put_packet(f, t);
}

static void put_event(struct perfetto *f, const struct perfetto_track *t, uint64_t ticks,
		      uint32_t type)
{
	put_event_of(f, t, t->uuid, ticks, type);
}

/* The first call of a name in a sequence, or one with arguments. */
static void enter_slowly(struct perfetto *f, struct perfetto_track *t, uint64_t ticks, uint32_t key,
			 const char *name, const char *file, uint32_t line,
			 const struct tl_timeline_arg *args, size_t arg_count)
{
	if (!room_for_key(t, key)) {
		f->base.no_memory = true;
		return;
	}
	tl_pb_message_number(&f->packet, PACKET_FLAGS, FLAG_NEEDS_STATE);
	if (!knows(t, key))
		intern(f, key, name, file, line);
	t->known[key / 64] |= UINT64_C(1) << key % 64;
	tl_pb_message_number(&f->event, EVENT_NAME_IID, (uint64_t)key + 1);
	if (*file || line)
		tl_pb_message_number(&f->event, EVENT_SOURCE, (uint64_t)key + 1);
	annotate(f, args, arg_count);
	put_event(f, t, ticks, SLICE_BEGIN);
}

/*
 * Fast path of put_event(): the same packet (but for the order of its fields) for an event without
 * arguments, whose names are interned. All lengths are below 128, so each is one byte, which is
 * written when the end is known. `event`: the encoded event without its track; `interned`: the
 * event refers to interned names.
 */
static void put_short(struct perfetto *f, const struct perfetto_track *t, uint64_t ticks,
		      const char *event, size_t event_size, bool interned)
{
	char *start = tl_output_room(f->base.out, 128), *p = start + 2;

	p = tl_pb_number(p, PACKET_TIMESTAMP, tl_ticks_ns(f->base.frequency, ticks));
	memcpy(p, t->sequence, sizeof(t->sequence));
	p += t->sequence_size;
	p = tl_pb_key(p, PACKET_TRACK_EVENT, TL_PB_BYTES);
	*p++ = (char)(event_size + t->track_size);
	memcpy(p, event, event_size);
	p += event_size;
	memcpy(p, t->track, sizeof(t->track));
	p += t->track_size;
	if (interned)
		p = tl_pb_number(p, PACKET_FLAGS, FLAG_NEEDS_STATE);
	start[0] = TRACE_PACKET << 3 | TL_PB_BYTES;
	start[1] = (char)(p - start - 2);
	tl_output_advance(f->base.out, p);
}

static void enter(struct tl_timeline *timeline, struct tl_track *track, uint64_t ticks,
		  uint32_t name_key, const char *name, const char *file, uint32_t line,
		  const struct tl_timeline_arg *args, size_t arg_count)
{
	struct perfetto *f = (struct perfetto *)timeline;
	struct perfetto_track *t = (struct perfetto_track *)track;
	char event[32], *p = event;

	if (!track->begun && !announce(f, t, NULL))
		return;
	t->depth++;
	if (arg_count || !knows(t, name_key)) {
		enter_slowly(f, t, ticks, name_key, name, file, line, args, arg_count);
		return;
	}
	p = tl_pb_number(p, EVENT_TYPE, SLICE_BEGIN);
	p = tl_pb_number(p, EVENT_NAME_IID, (uint64_t)name_key + 1);
	if (*file || line)
		p = tl_pb_number(p, EVENT_SOURCE, (uint64_t)name_key + 1);
	put_short(f, t, ticks, event, (size_t)(p - event), true);
}

static void leave(struct tl_timeline *timeline, struct tl_track *track, uint64_t ticks)
{
	struct perfetto_track *t = (struct perfetto_track *)track;
	char event[4], *p = tl_pb_number(event, EVENT_TYPE, SLICE_END);

	if (!t->depth)
		return;
	t->depth--;
	put_short((struct perfetto *)timeline, t, ticks, event, (size_t)(p - event), false);
}

static void instant(struct tl_timeline *timeline, struct tl_track *track, uint64_t ticks,
		    const char *name, const struct tl_timeline_arg *args, size_t arg_count)
{
	struct perfetto *f = (struct perfetto *)timeline;
	struct perfetto_track *t = (struct perfetto_track *)track;

	if (!track->begun && !announce(f, t, NULL))
		return;
	tl_pb_message_text(&f->event, EVENT_NAME, name, strlen(name));
	annotate(f, args, arg_count);
	put_event(f, t, ticks, INSTANT);
}

/* ---- counters ---- */

static bool same_counter(const void *context, const void *key, uint32_t number)
{
	const struct perfetto_counter *have = &((const struct perfetto_counter *)context)[number];
	const struct perfetto_counter *wanted = key;

	return have->track == wanted->track && have->name == wanted->name;
}

/* No uuid of a thread or process has the first bit. */
static uint64_t counter_uuid(const struct perfetto_track *t, const char *name)
{
	const uint64_t of = tl_hash_pair((uint64_t)t->base.process, (uint64_t)t->base.thread);

	return tl_hash_pair(of, tl_hash_bytes(name, strlen(name))) | UINT64_C(1) << 63;
}

static void describe_counter(struct perfetto *f, const struct perfetto_track *t, uint64_t uuid,
			     const char *name)
{
	tl_pb_message_number(&f->event, DESCRIPTOR_UUID, uuid);
	tl_pb_message_text(&f->event, DESCRIPTOR_NAME, name, strlen(name));
	tl_pb_message_number(&f->event, DESCRIPTOR_PARENT, t->uuid);
	tl_pb_message_bytes(&f->event, DESCRIPTOR_COUNTER, "", 0);
	tl_pb_message_inner(&f->packet, PACKET_DESCRIPTOR, &f->event);
	put_packet(f, t);
}

/* The number of a counter of a track, described if it is new. TL_NONE without memory. */
static uint32_t counter_of(struct perfetto *f, const struct perfetto_track *t, const char *name)
{
	const struct perfetto_counter made = {
		.track = t->base.number,
		.name = tl_names_add(&f->counter_names, name, strlen(name)),
		.uuid = counter_uuid(t, name),
	};
	const uint64_t hash = tl_hash_pair(made.track, made.name);
	uint32_t number;

	if (made.name == TL_NONE)
		return TL_NONE;
	number = tl_index_find(&f->counter_index, hash, same_counter, f->counters, &made);
	if (number != TL_NONE)
		return number;
	number = (uint32_t)f->counter_count;
	if (!tl_grow(&f->counters, &f->counter_capacity, f->counter_count + 1, sizeof(made)) ||
	    !tl_index_add(&f->counter_index, hash, number))
		return TL_NONE;
	f->counters[f->counter_count++] = made;
	describe_counter(f, t, made.uuid, name);
	return number;
}

static void counter(struct tl_timeline *timeline, struct tl_track *track, uint64_t ticks,
		    const char *name, double value)
{
	struct perfetto *f = (struct perfetto *)timeline;
	struct perfetto_track *t = (struct perfetto_track *)track;
	uint32_t number;

	if (!track->begun && !announce(f, t, NULL))
		return;
	number = counter_of(f, t, name);
	if (number == TL_NONE) {
		timeline->no_memory = true;
		return;
	}
	tl_pb_message_double(&f->event, EVENT_REAL_COUNTER, value);
	put_event_of(f, t, f->counters[number].uuid, ticks, COUNTER);
}

static bool begin(struct tl_timeline *timeline)
{
	(void)timeline;
	return true;
}

static void end(struct tl_timeline *timeline)
{
	(void)timeline; /* a trace has no end mark; open slices show as unfinished */
}

static void free_track(struct tl_track *track)
{
	free(((struct perfetto_track *)track)->known);
}

static void free_perfetto(struct tl_timeline *timeline)
{
	struct perfetto *f = (struct perfetto *)timeline;

	tl_pb_message_free(&f->packet);
	tl_pb_message_free(&f->event);
	tl_pb_message_free(&f->inner);
	tl_index_free(&f->uuids);
	tl_index_free(&f->counter_index);
	tl_names_free(&f->counter_names);
	free(f->counters);
}

const struct tl_timeline_ops tl_perfetto_timeline = {
	.format = { .name = "perfetto",
		    .suffix = ".perfetto-trace",
		    .help = "Perfetto trace, protobuf" },
	.size = sizeof(struct perfetto),
	.track_size = sizeof(struct perfetto_track),
	.begin = begin,
	.name = name_track,
	.enter = enter,
	.leave = leave,
	.instant = instant,
	.counter = counter,
	.end = end,
	.free_track = free_track,
	.free = free_perfetto,
};
