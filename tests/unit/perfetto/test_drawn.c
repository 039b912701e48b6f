/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packets that are drawn, of three sequences: their events have the tracks, names and times that a
 * plain model has, which keeps what each packet says in tables and looks everything up in them
 * (docs/formats/perfetto.md, sections 2 and 3).
 */
#include <inttypes.h>
#include <stdlib.h>

#include "../chance.h"
#include "packets.h"

enum { SEQUENCES = 3, TRACKS = 9, IIDS = 5, NAMES = 6, CLOCKS = 6, EVENTS = 120, ROUNDS = 1500 };
enum { NO_NAME = NAMES, NO_PLACE = -1, OLD_TRACK = TRACKS };
enum { SEQUENCE_CLOCK = 3 }; /* from this one on they are of a sequence */

static const char *const names[NAMES + 1] = { "a", "b", "draw()", "", "x y", "f", "[unnamed]" };
static const uint64_t uuids[TRACKS] = {
	0, 1, 7, 64, 65, UINT64_C(1) << 40, UINT64_MAX, 1000, 1001
};
static const struct {
	uint64_t id, multiplier;
	bool incremental;
} kinds[CLOCKS] = {
	{ 6, 1, false },  { 1, 1, false }, { 3, 1000, false },
	{ 64, 1, false }, { 65, 1, true }, { 100, 1000, true },
};

/* ---- the model ---- */

struct place {
	int name, file;
	unsigned line;
};

struct sequence {
	bool cleared;
	int clock, track, thread_track; /* of kinds and uuids, -1: none */
	int64_t us;
	int iid_name[IIDS];
	struct place iid_place[IIDS];
};

/* A time in ns at which the clock showed `at`. */
struct clock {
	bool known;
	int64_t ns;
	uint64_t at, now;
};

struct track {
	bool met, has_parent, has_process, has_thread, incremental, is_counter;
	int parent, name, thread_name;
	int64_t process, thread, multiplier, sum;
	unsigned order; /* among those that were met */
};

struct event {
	int track;
	uint64_t kind; /* TL_FOREIGN_BEGIN, ... */
	struct place place;
	int64_t ns, value;
	bool is_value;
};

struct model {
	struct sequence sequences[SEQUENCES];
	struct clock clocks[CLOCKS][SEQUENCES];
	struct track tracks[TRACKS + SEQUENCES];
	unsigned track_count, count;
	struct event events[EVENTS];
	uint64_t packets, told, values, others, dropped, no_state, no_name, no_clock, untyped;
	bool seen[SEQUENCES];
	uint32_t seed;
};

static unsigned draw(struct model *m, unsigned below)
{
	return chance(&m->seed, below);
}

static struct track *met(struct model *m, int track)
{
	struct track *t = &m->tracks[track];

	if (!t->met) {
		t->met = true;
		t->order = m->track_count++;
		t->name = t->thread_name = -1;
	}
	return t;
}

static struct clock *clock_of(struct model *m, int clock, int sequence)
{
	return &m->clocks[clock][clock < SEQUENCE_CLOCK ? 0 : sequence];
}

/* Units of a clock behind what it showed at `ns`. */
static int64_t clock_ns(const struct clock *c, int clock, uint64_t at)
{
	return c->ns + (int64_t)((at - c->at) * kinds[clock].multiplier);
}

/* ---- parts of packets ---- */

static void put_snapshot(struct model *m, int sequence, struct bytes *inner)
{
	struct bytes snapshot = { .size = 0 }, clock = { .size = 0 };
	unsigned order[CLOCKS], count = 1 + draw(m, CLOCKS);
	uint64_t shown[CLOCKS];
	int base = -1;
	int64_t ns;

	chance_order(&m->seed, order, CLOCKS);
	for (unsigned i = 0; i < count; i++) {
		const unsigned c = order[i];

		shown[i] = 1000 * draw(m, 1000);
		number(&clock, 1, kinds[c].id);
		number(&clock, 2, shown[i]);
		if (kinds[c].incremental)
			number(&clock, 3, 1);
		if (kinds[c].multiplier != 1)
			number(&clock, 4, kinds[c].multiplier);
		/* fields that are not known, before and behind those that are */
		if (draw(m, 3) == 0)
			number(&clock, draw(m, 2) ? 5 : 77, 7);
		message(&snapshot, 1, &clock);
		if (kinds[c].id == 6)
			base = (int)i;
	}
	/* "Without the trace's own clock, one that is known already tells the same." */
	for (unsigned i = 0; base < 0 && i < count; i++)
		if (clock_of(m, (int)order[i], sequence)->known)
			base = (int)i;
	message(inner, 6, &snapshot);
	if (base < 0)
		return;
	ns = kinds[order[base]].id == 6 ? (int64_t)shown[base]
					: clock_ns(clock_of(m, (int)order[base], sequence),
						   (int)order[base], shown[base]);
	for (unsigned i = 0; i < count; i++)
		*clock_of(m, (int)order[i], sequence) =
			(struct clock){ true, ns, shown[i], shown[i] };
}

static void put_defaults(struct model *m, struct sequence *s, struct bytes *inner)
{
	struct bytes defaults = { .size = 0 }, event = { .size = 0 };
	const int clock = draw(m, 2) ? (int)draw(m, CLOCKS) : -1,
		  track = draw(m, 2) ? (int)draw(m, TRACKS) : -1;

	if (clock >= 0)
		number(&defaults, 58, kinds[clock].id);
	if (track >= 0)
		number(&event, 11, uuids[track]);
	/* defaults of events that have no track among them */
	if (track >= 0 || draw(m, 2))
		message(&defaults, 11, &event);
	message(inner, 59, &defaults);
	s->clock = clock;
	s->track = track;
}

static void put_interned(struct model *m, struct sequence *s, struct bytes *inner)
{
	struct bytes texts = { .size = 0 }, text = { .size = 0 };

	for (unsigned i = 1 + draw(m, 3); i > 0; i--) {
		const unsigned iid = draw(m, IIDS);
		const int name = (int)draw(m, NAMES);

		number(&text, 1, iid);
		if (draw(m, 3)) {
			put_text(&text, 2, names[name]);
			message(&texts, 2, &text);
			s->iid_name[iid] = name;
		} else {
			const unsigned line = draw(m, 3);

			put_text(&text, 2, names[name]);
			if (line)
				number(&text, 4, line);
			message(&texts, 4, &text);
			s->iid_place[iid] = (struct place){ 0, name, line };
		}
	}
	message(inner, 12, &texts);
}

static void put_descriptor(struct model *m, struct bytes *inner)
{
	struct bytes track = { .size = 0 }, part = { .size = 0 };
	const int which = (int)draw(m, TRACKS);
	struct track *t = met(m, which);

	/* no uuid is that of track 0 */
	if (uuids[which] || draw(m, 2))
		number(&track, 1, uuids[which]);
	if (draw(m, 3) == 0) {
		t->has_parent = true;
		t->parent = (int)draw(m, TRACKS);
		number(&track, 5, uuids[t->parent]);
	}
	if (draw(m, 3) == 0) {
		t->name = (int)draw(m, NAMES);
		/* both: the name counts; the text of all such tracks does not */
		put_text(&track, draw(m, 2) ? 2 : 10, names[t->name]);
	}
	if (draw(m, 4) == 0) {
		t->is_counter = true;
		t->incremental = draw(m, 2);
		t->multiplier = draw(m, 3);
		if (t->multiplier)
			number(&part, 4, (uint64_t)t->multiplier);
		if (t->incremental || draw(m, 2))
			number(&part, 5, t->incremental);
		message(&track, 8, &part);
	}
	if (draw(m, 4) == 0) {
		t->has_thread = true;
		t->process = (int64_t)(100 + draw(m, 2));
		t->thread = (int64_t)(100 + draw(m, 3));
		/* a number that is 0 need not be there */
		if (draw(m, 4) == 0)
			t->process = 0;
		else
			number(&part, 1, (uint64_t)t->process);
		if (draw(m, 4) == 0)
			t->thread = 0;
		else
			number(&part, 2, (uint64_t)t->thread);
		if (draw(m, 2)) {
			t->thread_name = (int)draw(m, NAMES);
			put_text(&part, 5, names[t->thread_name]);
		}
		message(&track, 4, &part);
	}
	if (draw(m, 4) == 0) {
		int64_t process = (int64_t)(200 + draw(m, 2));
		const bool named = draw(m, 2);
		const int name = (int)draw(m, NAMES);

		if (draw(m, 4) == 0)
			process = 0;
		else
			number(&part, 1, (uint64_t)process);
		if (named)
			put_text(&part, 6, names[name]);
		message(&track, 3, &part);
		/* a thread is more than the process beside it */
		if (!t->has_thread) {
			t->has_process = true;
			t->process = process;
			/* "" is no name */
			if (named && (t->name < 0 || !*names[t->name]))
				t->name = name;
		}
	}
	message(inner, 60, &track);
}

static void put_old_thread(struct model *m, int sequence, struct bytes *inner)
{
	struct bytes part = { .size = 0 };
	struct track *t = met(m, OLD_TRACK + sequence);

	t->has_thread = true;
	t->process = 300;
	t->thread = 300 + sequence;
	number(&part, 1, 300);
	number(&part, 2, (uint64_t)t->thread);
	if (draw(m, 2)) {
		m->sequences[sequence].us = (int64_t)draw(m, 50);
		number(&part, 6, (uint64_t)m->sequences[sequence].us);
	}
	message(inner, 44, &part);
	m->sequences[sequence].thread_track = OLD_TRACK + sequence;
}

/* ---- events ---- */

/* The time of an event, and the clocks that go on with it. */
static int64_t event_time(struct model *m, int sequence, int clock, uint64_t stamp,
			  struct bytes *event)
{
	struct sequence *s = &m->sequences[sequence];
	struct clock *c;

	if (draw(m, 8) == 0) {
		const unsigned us = draw(m, 30);

		if (draw(m, 2)) {
			number(event, 16, us);
			return (int64_t)us * 1000;
		}
		number(event, 1, us);
		s->us += us;
		return s->us * 1000;
	}
	clock = clock >= 0 ? clock : s->clock;
	if (clock < 0)
		return (int64_t)stamp;
	c = clock_of(m, clock, sequence);
	if (!c->known) {
		m->no_clock += kinds[clock].id != 6;
		return (int64_t)stamp;
	}
	if (!kinds[clock].incremental)
		return clock_ns(c, clock, stamp);
	c->now += stamp;
	return clock_ns(c, clock, c->now);
}

static void put_value(struct model *m, struct event *e, struct bytes *event, bool counts)
{
	const int64_t value = (int64_t)draw(m, 100) - 50;
	const unsigned kind = draw(m, 3);
	struct track *t;
	double real = (double)value;
	uint64_t bits;

	m->values += counts;
	if (kind == 0)
		number(event, 30, (uint64_t)value);
	if (kind == 1) {
		/* eight bytes, the least first */
		memcpy(&bits, &real, sizeof(bits));
		put_varint(event, 44 * 8 + 1);
		for (int i = 0; i < 8; i++)
			event->data[event->size++] = (uint8_t)(bits >> 8 * i);
	}
	if (!counts)
		return;
	t = met(m, e->track);
	if (kind == 2)
		return; /* a track of a counter, and no value */
	e->is_value = true;
	e->value = value * (t->multiplier ? t->multiplier : 1);
	if (t->incremental)
		e->value = t->sum += e->value;
	m->count++;
}

static void put_slice(struct model *m, struct sequence *s, struct event *e, struct bytes *event,
		      bool counts)
{
	const unsigned iid = draw(m, IIDS), place = draw(m, IIDS);
	const bool by_iid = draw(m, 2), named = draw(m, 3) == 0, placed = draw(m, 2);
	const int name = (int)draw(m, NAMES);

	if (named)
		put_text(event, 23, names[name]);
	if (by_iid)
		number(event, 10, iid);
	if (placed)
		number(event, 34, place);
	if (!counts)
		return;
	met(m, e->track);
	m->count++;
	e->place = (struct place){ named && *names[name] ? name : NO_NAME, NO_PLACE, 0 };
	if (e->kind == TL_FOREIGN_END)
		return;
	if (by_iid && s->iid_name[iid] >= 0)
		e->place.name = *names[s->iid_name[iid]] ? s->iid_name[iid] : NO_NAME;
	else
		m->no_name += by_iid;
	if (placed && s->iid_place[place].file >= 0) {
		e->place.file = s->iid_place[place].file;
		e->place.line = s->iid_place[place].line;
	}
}

static void put_drawn_event(struct model *m, int sequence, int clock, uint64_t stamp,
			    uint64_t flags, struct bytes *inner)
{
	struct sequence *s = &m->sequences[sequence];
	struct event *e = &m->events[m->count];
	struct bytes event = { .size = 0 };
	const int track = draw(m, 2) ? (int)draw(m, TRACKS) : -1;
	const unsigned type = draw(m, 6);
	const bool counts = s->cleared || !(flags & NEEDS_STATE);

	m->told++;
	*e = (struct event){ .track = track >= 0             ? track
				      : s->track >= 0        ? s->track
				      : s->thread_track >= 0 ? s->thread_track
							     : 0 };
	if (track >= 0)
		number(&event, 11, uuids[track]);
	e->ns = event_time(m, sequence, clock, stamp, &event);
	if (type || draw(m, 2))
		number(&event, 9, type);
	m->no_state += !counts;
	e->kind = type == BEGIN ? TL_FOREIGN_BEGIN
		  : type == END ? TL_FOREIGN_END
				: TL_FOREIGN_INSTANT;
	if (type == COUNTER)
		put_value(m, e, &event, counts);
	else if (type >= BEGIN && type <= INSTANT)
		put_slice(m, s, e, &event, counts);
	else
		m->untyped += counts;
	message(inner, 11, &event);
}

static void put_drawn_packet(struct model *m, struct bytes *b)
{
	struct bytes inner = { .size = 0 };
	const int sequence = (int)draw(m, SEQUENCES),
		  clock = draw(m, 4) == 0 ? (int)draw(m, CLOCKS) : -1;
	struct sequence *s = &m->sequences[sequence];
	uint64_t flags = draw(m, 3) ? 0 : NEEDS_STATE, stamp = draw(m, 5000);
	bool cleared = draw(m, 8) == 0, known = false;

	m->packets++;
	m->seen[sequence] = true;
	if (cleared) {
		if (draw(m, 2))
			flags |= CLEARED;
		else
			number(&inner, 41, 1);
		*s = (struct sequence){ .cleared = true, .us = s->us };
		s->clock = s->track = s->thread_track = -1;
		for (unsigned i = 0; i < IIDS; i++)
			s->iid_name[i] = s->iid_place[i].file = -1;
	}
	if (draw(m, 40) == 0) {
		number(&inner, 42, 1);
		m->dropped++;
	}
	if (clock >= 0)
		number(&inner, 58, kinds[clock].id);
	/* in the order in which they count */
	if (draw(m, 6) == 0 && (known = true))
		put_snapshot(m, sequence, &inner);
	if (draw(m, 8) == 0 && (known = true))
		put_defaults(m, s, &inner);
	if (draw(m, 16) == 0 && (known = true))
		put_old_thread(m, sequence, &inner);
	if (draw(m, 5) == 0 && (known = true))
		put_interned(m, s, &inner);
	if (draw(m, 5) == 0 && (known = true))
		put_descriptor(m, &inner);
	if (draw(m, 2) == 0 && (known = true))
		put_drawn_event(m, sequence, clock, stamp, flags, &inner);
	m->others += !known;
	put_packet(b, (uint64_t)sequence + 1, flags, stamp, &inner);
}

static void draw_trace(struct model *m, struct bytes *b, uint32_t seed)
{
	const unsigned count = 1 + seed % 70;

	*m = (struct model){ .seed = seed };
	b->size = 0;
	for (int i = 0; i < SEQUENCES; i++) {
		struct sequence *s = &m->sequences[i];

		s->clock = s->track = s->thread_track = -1;
		for (unsigned n = 0; n < IIDS; n++)
			s->iid_name[n] = s->iid_place[n].file = -1;
	}
	for (unsigned i = 0; i < count && b->size + 400 < sizeof(b->data); i++)
		put_drawn_packet(m, b);
}

/* ---- comparison ---- */

/* The nearest track around that is of a process or thread; NULL: none. */
static const struct track *around(const struct model *m, const struct track *t)
{
	for (int i = 0; i < TRACKS + 1; i++) {
		if (t->has_process || t->has_thread)
			return t;
		if (!t->has_parent || !m->tracks[t->parent].met)
			return NULL;
		t = &m->tracks[t->parent];
	}
	return NULL;
}

static int64_t process_of(const struct model *m, const struct track *t)
{
	return around(m, t) ? around(m, t)->process : 0;
}

static int64_t thread_of(const struct track *t)
{
	return t->has_thread ? t->thread : (INT64_C(1) << 31) + t->order;
}

static const char *text_of(const struct tl_foreign_file *f, uint32_t name)
{
	return f->stacks.names.names[name].text;
}

static void assert_span(const struct tl_foreign_file *f, const struct tl_foreign_span *span,
			const struct event *e)
{
	const struct tl_foreign_frame *frame;

	assert_int_equal(span->ticks, e->ns);
	assert_true(span->duration == e->kind);
	assert_int_equal(span->frame == TL_NONE, e->kind == TL_FOREIGN_END);
	if (span->frame == TL_NONE)
		return;
	frame = &f->stacks.frames[span->frame];
	assert_string_equal(text_of(f, frame->name), names[e->place.name]);
	assert_string_equal(text_of(f, frame->file), e->place.file < 0 ? "" : names[e->place.file]);
	assert_int_equal(frame->line, e->place.line);
}

/* Tracks in the order of their first spans; those of one thread are one, its spans by track. */
static void assert_threads(const struct model *m, const struct tl_foreign_file *f)
{
	bool done[EVENTS] = { false };
	size_t threads = 0;

	for (unsigned first = 0; first < m->count; first++) {
		const struct track *t = &m->tracks[m->events[first].track];
		const struct tl_foreign_thread *have = &f->spans.threads[threads];
		size_t spans = 0;
		const int name =
			t->thread_name >= 0 && *names[t->thread_name] ? t->thread_name : t->name;

		if (done[first] || m->events[first].is_value)
			continue;
		assert_true(threads < f->spans.count);
		assert_int_equal(have->process, process_of(m, t));
		assert_int_equal(have->thread, thread_of(t));
		assert_string_equal(text_of(f, have->command), name < 0 ? "" : names[name]);
		for (unsigned i = first; i < m->count; i++) {
			const int track = m->events[i].track;

			if (done[i] || m->events[i].is_value ||
			    process_of(m, &m->tracks[track]) != have->process ||
			    thread_of(&m->tracks[track]) != have->thread)
				continue;
			for (unsigned n = i; n < m->count; n++) {
				if (m->events[n].track != track || m->events[n].is_value)
					continue;
				assert_true(spans < have->count);
				assert_span(f, &have->spans[spans++], &m->events[n]);
				done[n] = true;
			}
		}
		assert_int_equal(spans, have->count);
		threads++;
	}
	assert_int_equal(threads, f->spans.count);
}

static void assert_values(const struct model *m, const struct tl_foreign_file *f)
{
	size_t values = 0;

	for (unsigned i = 0; i < m->count; i++) {
		const struct event *e = &m->events[i];
		const struct tl_foreign_value *have = &f->counters.values[values];
		const struct tl_foreign_counter *counter;
		const struct track *t = &m->tracks[e->track];

		if (!e->is_value)
			continue;
		assert_true(values++ < f->counters.value_count);
		counter = &f->counters.list[have->counter];
		assert_int_equal(have->ticks, e->ns);
		assert_true(have->value == (double)e->value);
		assert_int_equal(counter->process, process_of(m, t));
		assert_int_equal(counter->thread, around(m, t) && around(m, t)->has_thread
							  ? around(m, t)->thread
							  : TL_FOREIGN_PROCESS);
		assert_string_equal(text_of(f, counter->name),
				    t->name >= 0 && *names[t->name] ? names[t->name] : "[unnamed]");
	}
	assert_int_equal(values, f->counters.value_count);
}

/* What is said in the end: "COUNT words", in this order, where there is something to say. */
static void assert_sayings(const struct model *m, const struct tl_foreign_file *f)
{
	const struct {
		const char *rule;
		uint64_t count;
		enum tl_status status;
	} wanted[] = {
		{ "dropped", m->dropped, TL_TRUNCATED }, { "state", m->no_state, TL_BAD_RECORD },
		{ "name", m->no_name, TL_BAD_RECORD },   { "clock", m->no_clock, TL_BAD_RECORD },
		{ "type", m->untyped, TL_OK },           { "counter", m->values, TL_OK },
	};
	size_t said = 0;

	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		if (!wanted[i].count)
			continue;
		assert_true(said < f->faults.count);
		assert_string_equal(f->faults.list[said].rule, wanted[i].rule);
		assert_int_equal(f->faults.list[said].status, wanted[i].status);
		assert_true(strtoull(f->faults.list[said].text, NULL, 10) == wanted[i].count);
		said++;
	}
	assert_int_equal(said, f->faults.count);
}

static void assert_fact(const struct tl_foreign_file *f, const char *name, uint64_t value)
{
	for (unsigned i = 0; i < f->fact_count; i++)
		if (strcmp(f->facts[i].name, name) == 0) {
			assert_true(f->facts[i].value == value);
			return;
		}
	fail_msg("no %s", name);
}

TEST(drawn_packets_are_what_they_say)
{
	for (uint32_t seed = 1; seed <= ROUNDS; seed++) {
		struct tl_foreign_file f;
		struct bytes b;
		struct model m;

		draw_trace(&m, &b, seed);
		assert_int_equal(read_with(&f, &b, everything()), 0);
		assert_threads(&m, &f);
		assert_values(&m, &f);
		assert_sayings(&m, &f);
		assert_fact(&f, "packets", m.packets);
		assert_fact(&f, "track_events", m.told);
		assert_fact(&f, "counter_values", m.values);
		assert_fact(&f, "other_packets", m.others);
		assert_fact(&f, "sequences", (uint64_t)m.seen[0] + m.seen[1] + m.seen[2]);
		assert_fact(&f, "tracks", m.track_count);
		assert_int_equal(f.records, m.packets);
		assert_int_equal(f.frequency, 1000000000);
		tl_foreign_end(&f);
	}
}

/* ---- damage ---- */

/* The byte behind the packet that begins at `at`, by its own size. */
static size_t behind_packet(const struct bytes *b, size_t at)
{
	size_t size = 0;
	unsigned shift = 0;

	assert_int_equal(b->data[at++], 0x0a);
	do
		size |= (size_t)(b->data[at] & 0x7f) << shift;
	while ((shift += 7, b->data[at++] & 0x80));
	return at + size;
}

/* Of a trace that is cut the whole packets are read, and the first byte of the rest is told. */
TEST(cut_traces_have_their_whole_packets)
{
	for (uint32_t seed = 1; seed <= 12; seed++) {
		struct bytes b;
		struct model m;

		draw_trace(&m, &b, 40 + seed);
		for (size_t size = 1; size < b.size; size += 1 + seed % 3) {
			struct tl_foreign_file f;
			struct bytes cut = b;
			size_t whole = 0, packets = 0, faults = 0;

			cut.size = size;
			while (whole < size && behind_packet(&b, whole) <= size) {
				whole = behind_packet(&b, whole);
				packets++;
			}
			assert_int_equal(read_with(&f, &cut, everything()),
					 packets ? 0 : TL_BAD_FORMAT);
			assert_int_equal(f.records, packets);
			for (size_t i = 0; i < f.faults.count; i++) {
				if (strcmp(f.faults.list[i].rule, "packet") != 0)
					continue;
				faults++;
				assert_int_equal(f.faults.list[i].status, TL_TRUNCATED);
				assert_int_equal(f.faults.list[i].offset, whole);
				assert_int_equal(f.faults.list[i].length, size - whole);
				assert_int_equal(f.faults.list[i].record, packets);
			}
			assert_int_equal(faults, whole != size);
			tl_foreign_end(&f);
		}
	}
}

/* Sixteen packets are looked at: what is behind them makes no difference, what is in them does. */
TEST(the_first_packets_are_looked_at)
{
	static const struct {
		const char *bytes;
		size_t size;
		const char *why;
	} bad[] = {
		{ "\x0a\x04\x40\x01\x52\x00", 6, "a sequence of bytes" },
		{ "\x0a\x04\x18\x01\x42\x00", 6, "a timestamp of bytes" },
		{ "\x0a\x07\x40\x01\x7d\0\0\0\0", 9, "four bytes" },
		{ "\x12\x02\x40\x01", 4, "another field" },
		{ "\x0a\x03\x40\x01\x48", 5, "cut inside" },
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		for (unsigned before = 0; before < 20; before++) {
			struct bytes b = { .size = 0 }, inner = { .size = 0 };

			for (unsigned n = 0; n < before; n++) {
				number(&inner, 8, n);
				message(&b, 1, &inner);
			}
			memcpy(b.data + b.size, bad[i].bytes, bad[i].size);
			b.size += bad[i].size;
			assert_int_equal(tl_perfetto_probe(b.data, b.size), before < 16 ? 0 : 55);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(drawn_packets_are_what_they_say),
		cmocka_unit_test(cut_traces_have_their_whole_packets),
		cmocka_unit_test(the_first_packets_are_looked_at),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
