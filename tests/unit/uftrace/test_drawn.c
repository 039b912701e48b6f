/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records of threads that are drawn: calls that are left by returns, by jumps and by the next call,
 * data behind records, and bytes that are no record. What becomes of them is what a plain stack
 * makes of the records, and a plain search of what stands between (docs/formats/uftrace.md, 2, 3).
 */
#include "../chance.h"
#include "recording.h"

enum { THREADS = 3, RECORDS = 60, DEEPEST = 7, EVENTS = 500, ROUNDS = 600 };

static const struct {
	uint64_t address;
	const char *name;
} functions[] = { { 0x1010, "main" }, { 0x1028, "a::leaf()" }, { 0x1002, "puts" } };

/* ---- the model ---- */

struct event {
	uint64_t kind, time; /* TL_FOREIGN_BEGIN, ... */
	char name[24];       /* of a begin or an instant */
};

struct thread {
	bool forked;
	bool open[DEEPEST + 2]; /* by depth: its begin is in the file */
	unsigned depth;         /* calls that are open */
	uint64_t time;
	struct event events[EVENTS];
	unsigned count;
};

struct model {
	struct thread threads[THREADS];
	uint64_t entries, exits, events, inherited, orphans, lost;
};

static void note(struct thread *th, uint64_t kind, const char *name)
{
	struct event *e = &th->events[th->count++];

	assert_true(th->count <= EVENTS);
	*e = (struct event){ .kind = kind, .time = th->time };
	snprintf(e->name, sizeof(e->name), "%s", name);
}

/* "An entry at a depth, and an exit, leave all calls that are open inside of it" */
static void leave_inner(struct thread *th, unsigned depth)
{
	while (th->depth > depth)
		if (th->open[--th->depth])
			note(th, TL_FOREIGN_END, "");
}

static void model_record(struct model *m, struct thread *th, uint64_t time, unsigned kind,
			 unsigned depth, uint64_t value)
{
	char name[24];

	th->time = time > th->time ? time : th->time;
	switch (kind) {
	case ENTRY:
		m->entries++;
		leave_inner(th, depth);
		while (th->depth < depth)
			th->open[th->depth++] = false;
		th->open[th->depth++] = true;
		note(th, TL_FOREIGN_BEGIN, functions[value].name);
		break;
	case EXIT:
		m->exits++;
		leave_inner(th, depth + 1);
		if (th->depth == depth + 1 && th->open[depth]) {
			leave_inner(th, depth);
			break;
		}
		th->depth -= th->depth == depth + 1;
		*(th->forked ? &m->inherited : &m->orphans) += 1;
		break;
	case LOST:
		m->lost++;
		break;
	default:
		m->events++;
		snprintf(name, sizeof(name), "event %u", (unsigned)value);
		note(th, TL_FOREIGN_INSTANT, name);
	}
}

/* ---- drawing ---- */

/* Data that no record begins with: the word where the number 5 would be has another one. */
static void put_data(uint32_t *seed)
{
	for (unsigned i = 1 + chance(seed, 5); i > 0; i--)
		put(chance_bits(seed) & ~UINT64_C(0x38), 8);
}

struct record {
	uint64_t time, value;
	unsigned kind, depth;
};

static struct record draw_record(struct thread *th, uint64_t time, uint32_t *seed)
{
	struct record r = { .time = time, .value = chance(seed, 3) };
	const unsigned which = chance(seed, 12);

	if (which < 5) {
		r.kind = ENTRY;
		r.depth = th->depth < DEEPEST ? th->depth : DEEPEST - 1;
	} else if (which < 9) {
		r.kind = EXIT;
		r.depth = th->depth ? th->depth - 1 : 0;
	} else if (which == 9) {
		r.kind = chance(seed, 2) ? LOST : EVENT;
		r.value = 1 + chance(seed, 1000);
	} else {
		/* a jump to an outer call, or calls whose begins are missing */
		r.kind = chance(seed, 2);
		r.depth = chance(seed, DEEPEST);
	}
	return r;
}

static void put_drawn(const struct record *r, bool more)
{
	const uint64_t value = r->kind <= EXIT ? BASE + functions[r->value].address : r->value;

	put_record(r->time, r->kind | (more ? MORE : 0), r->depth, value);
}

/*
 * Data stand behind calls whose next record can be told from them: it is a call that the rules of
 * depth allow, and so is the one behind it.
 */
static bool allows(const struct record *before, const struct record *next)
{
	if (next->kind > EXIT || next->time < before->time)
		return false;
	if (before->kind == ENTRY)
		return next->depth <= before->depth + (next->kind == ENTRY);
	return before->kind == EXIT && next->depth + (next->kind == EXIT) <= before->depth;
}

static void draw_thread(struct model *m, struct thread *th, uint32_t *seed)
{
	struct record records[RECORDS];
	const unsigned count = chance(seed, RECORDS);
	uint64_t time = 1000;

	for (unsigned i = 0; i < count; i++) {
		/* some times are less than the one before */
		const uint64_t back = chance(seed, 15) == 0 ? chance(seed, 50) : 0;

		time += chance(seed, 100);
		records[i] = draw_record(th, time - (back < time ? back : 0), seed);
		model_record(m, th, records[i].time, records[i].kind, records[i].depth,
			     records[i].value);
	}
	for (unsigned i = 0; i < count; i++) {
		const bool last = i + 2 >= count, more = !last && records[i].kind <= EXIT &&
							 allows(&records[i], &records[i + 1]) &&
							 allows(&records[i + 1], &records[i + 2]) &&
							 chance(seed, 2);

		put_drawn(&records[i], more);
		if (more)
			put_data(seed);
	}
}

static const char drawn_tasks[] =
	"SESS timestamp=0.000000000 pid=10 sid=0123456789abcdef exename=\"/bin/prog\"\n"
	"TASK timestamp=0.000000100 tid=10 pid=10\n"
	"TASK timestamp=0.000000200 tid=11 pid=10\n"
	"FORK timestamp=0.000000300 pid=12 ppid=10\n";

static const char *const thread_files[THREADS] = { "10.dat", "11.dat", "12.dat" };

/* ---- comparison ---- */

static void assert_thread(const struct thread *wanted, uint32_t id)
{
	const struct tl_foreign_file *f = &t.foreign;
	const struct tl_foreign_thread *have = NULL;

	for (size_t i = 0; i < f->spans.count; i++)
		if (f->spans.threads[i].thread == id)
			have = &f->spans.threads[i];
	if (!have) {
		assert_int_equal(wanted->count, 0);
		return;
	}
	assert_int_equal(have->process, id == 12 ? 12 : 10);
	assert_string_equal(f->stacks.names.names[have->command].text, "prog");
	assert_int_equal(have->count, wanted->count);
	for (unsigned i = 0; i < wanted->count; i++) {
		const struct event *e = &wanted->events[i];
		const struct tl_foreign_span *span = &have->spans[i];

		assert_true(span->duration == e->kind);
		assert_int_equal(span->ticks, e->time);
		if (e->kind != TL_FOREIGN_END)
			assert_string_equal(tl_foreign_function(f, span->frame).name, e->name);
	}
}

static uint64_t fact(const char *name)
{
	for (unsigned i = 0; i < t.foreign.fact_count; i++)
		if (strcmp(t.foreign.facts[i].name, name) == 0)
			return t.foreign.facts[i].value;
	fail_msg("no %s", name);
	return 0;
}

static uint64_t faults_of(const char *rule)
{
	uint64_t count = 0;

	for (size_t i = 0; i < t.foreign.faults.count; i++)
		count += strcmp(t.foreign.faults.list[i].rule, rule) == 0;
	return count;
}

/* Read without folding, which would put the spans in order. */
static int read_spans(bool strict)
{
	const struct tl_foreign_options options = text_options();

	t = (struct text){ .profile = NULL };
	assert_true(tl_foreign_begin(&t.foreign, &tl_uftrace_reader, &options));
	t.foreign.faults.strict = strict;
	t.status = uftrace_folder_read(&t.foreign, all.bytes, all.size, &t.error);
	return t.status;
}

static void begin_drawn(struct model *m, uint8_t byte_order)
{
	struct recording r = usual(drawn_tasks);

	*m = (struct model){ .entries = 0 };
	m->threads[2].forked = true;
	r.byte_order = byte_order;
	begin_with(&r);
}

TEST(drawn_records_are_calls)
{
	static struct model m;
	uint32_t seed = 1;

	for (unsigned round = 0; round < ROUNDS; round++) {
		begin_drawn(&m, round % 3 == 0 ? BIG_ENDIAN_FILE : 1);
		for (unsigned i = 0; i < THREADS; i++) {
			begin_file(thread_files[i]);
			draw_thread(&m, &m.threads[i], &seed);
			end_file();
		}
		assert_int_equal(read_spans(false), 0);
		for (unsigned i = 0; i < THREADS; i++)
			assert_thread(&m.threads[i], 10 + i);
		assert_int_equal(fact("entries"), m.entries);
		assert_int_equal(fact("exits"), m.exits);
		assert_int_equal(fact("events"), m.events);
		assert_int_equal(fact("inherited_calls"), m.inherited);
		assert_int_equal(t.foreign.records, m.entries + m.exits + m.events + m.lost);
		assert_int_equal(faults_of("lost"), m.lost);
		assert_int_equal(faults_of("nesting"), m.orphans != 0);
		assert_int_equal(faults_of("record"), 0);
		text_close(&t);
	}
}

/* ---- between records ---- */

enum { WORDS = 12 };

/* A word of a record or of what stands between, as the rules have it. */
struct plain {
	uint64_t time, word;
};

static struct plain plain_at(const uint8_t *bytes, size_t at)
{
	struct plain p = { 0, 0 };

	for (unsigned i = 0; i < 8; i++) {
		p.time |= (uint64_t)bytes[at + i] << 8 * i;
		p.word |= (uint64_t)bytes[at + 8 + i] << 8 * i;
	}
	return p;
}

/* Elapsed: two seconds, and one more. */
static const uint64_t latest = 3000000000;

/* "It has the number 5; it is not earlier than the record before, nor later than ..." */
static bool may_follow(const struct plain *before, const struct plain *p)
{
	const unsigned kind = p->word & 3, depth = p->word >> 6 & 1023;
	const unsigned last = before->word & 3, last_depth = before->word >> 6 & 1023;

	if ((p->word >> 3 & 7) != 5 || p->time < before->time || p->time > latest)
		return false;
	if (kind >= LOST || last >= LOST)
		return true;
	if (last == ENTRY)
		return kind == ENTRY ? depth <= last_depth + 1 : depth <= last_depth;
	return kind == ENTRY ? depth <= last_depth : depth < last_depth;
}

/* The first place in whole words where a record can stand; `size`: there is none. */
static size_t place_behind(const uint8_t *bytes, size_t size, size_t at, const struct plain *before)
{
	for (; at < size; at += 8) {
		struct plain here, next;

		if (size - at < 16)
			continue;
		here = plain_at(bytes, at);
		if (!may_follow(before, &here))
			continue;
		if (here.word & MORE || size - at < 32)
			return at;
		next = plain_at(bytes, at + 16);
		if (may_follow(&here, &next))
			return at;
	}
	return size;
}

/*
 * Words of which many could be records, behind an entry that has data: the next call that is read
 * is that of the first place where one can stand. As the records behind it may be any, only it is
 * asked for: the second begin or end of the thread.
 */
TEST(the_first_record_behind_data)
{
	uint32_t seed = 2;
	unsigned found = 0;

	for (unsigned round = 0; round < 4000; round++) {
		struct plain before = { 5000, (uint64_t)BASE + MAIN };
		const struct tl_foreign_file *f = &t.foreign;
		size_t start, place, size;
		struct plain p;

		begin(one_task);
		begin_file("10.dat");
		start = all.size;
		put_record(5000, ENTRY | MORE, 3, BASE + MAIN);
		before.word = before.word << 16 | (3u << 6 | 5u << 3 | ENTRY | MORE);
		for (unsigned i = 0; i < WORDS; i++) {
			/* times that may be, and words with the number 5 */
			const uint64_t depth = chance(&seed, 6), kind = chance(&seed, 2);

			if (chance(&seed, 2))
				put(4990 + chance(&seed, 40), 8);
			else
				put((uint64_t)(BASE + 0x1028) << 16 | depth << 6 |
					    (chance(&seed, 5) ? 5u : 4u) << 3 | kind,
				    8);
		}
		end_file();
		size = all.size - start;
		place = place_behind(all.bytes + start, size, 16, &before);
		assert_int_equal(read_spans(false), 0);
		assert_int_equal(f->spans.count, 1);
		assert_true(f->spans.threads[0].count >= 1);
		if (place == size) {
			assert_int_equal(f->records, 1);
			assert_int_equal(f->spans.threads[0].count, 1);
			text_close(&t);
			continue;
		}
		found++;
		p = plain_at(all.bytes + start, place);
		assert_true(f->records >= 2);
		/* an entry or exit at depth 3 or less ends the call; an entry at 4 does not */
		if (f->spans.threads[0].count > 1) {
			const struct tl_foreign_span *span = &f->spans.threads[0].spans[1];

			if ((p.word & 3) == ENTRY && (p.word >> 6 & 1023) == 4)
				assert_true(span->duration == TL_FOREIGN_BEGIN);
			else
				assert_true(span->duration == TL_FOREIGN_END);
			assert_int_equal(span->ticks, p.time);
		}
		text_close(&t);
	}
	assert_in_range(found, 500, 3900);
}

/* Of a file that is cut, the records that are whole; a rest is told, with its place and bytes. */
TEST(cut_files_have_their_whole_records)
{
	static struct model m;
	uint32_t seed = 3;

	for (unsigned cut = 0; cut < 40; cut++)
		for (unsigned count = 1; count < 6; count++) {
			const uint64_t left = cut < 16 * count ? 16 * count - cut : 0;

			begin_drawn(&m, 1);
			begin_file("10.dat");
			for (unsigned i = 0; i < count; i++)
				put_record(1000 + i, ENTRY, i,
					   BASE + functions[chance(&seed, 3)].address);
			all.size -= cut < 16 * count ? cut : 16 * count;
			end_file();
			assert_int_equal(read_spans(false), 0);
			assert_int_equal(fact("entries"), left / 16);
			assert_int_equal(t.foreign.faults.count, left % 16 != 0);
			if (left % 16) {
				assert_string_equal(t.foreign.faults.list[0].rule, "record");
				assert_int_equal(t.foreign.faults.list[0].status, TL_TRUNCATED);
				assert_int_equal(t.foreign.faults.list[0].offset, left / 16 * 16);
				assert_int_equal(t.foreign.faults.list[0].length, left % 16);
				assert_int_equal(t.foreign.faults.list[0].record, left / 16);
			}
			text_close(&t);
			assert_int_equal(read_spans(true), left % 16 ? TL_TRUNCATED : 0);
			text_close(&t);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(drawn_records_are_calls),
		cmocka_unit_test(the_first_record_behind_data),
		cmocka_unit_test(cut_files_have_their_whole_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
