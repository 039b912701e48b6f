/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Profiles that are drawn, and written in every form that docs/formats/pprof.md has for the same:
 * fields in any order, numbers packed or not, ids dense or not. What is read is held against the
 * list of what was drawn.
 */
#include "../chance.h"
#include "../foreign/path_sums.h"
#include "../wire_bytes.h"
#include "pprof/profile/fold.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum {
	FUNCTIONS = 10,
	MAPPINGS = 2,
	LOCATIONS = 14,
	SAMPLES = 48,
	TYPES = 3,
	LINES = 3,
	DEPTH = 7,
	MOST_TEXTS = 64,
	MOST_PIECES = 192,
	SEEDS = 120
};

/* "patterns for whole names, without parameters in parentheses" */
static const char drop_pattern[] =
	"gc.*|mutex\\.lock|alloc<int>|operator\\(\\)|\\(anonymous namespace\\)::f";
static const char keep_pattern[] = "gc_.*|lock";

static const struct {
	const char *name, *file;
	unsigned start;
	bool dropped, kept;
} functions[FUNCTIONS] = {
	{ "main", "m.c", 3, false, false },
	{ "run", "m.c", 0, false, false },
	{ "run", "r.c", 9, false, false },
	{ "gc", "gc.c", 1, true, false },
	{ "gc_sweep", "gc.c", 7, true, true },
	{ "mutex.lock", "", 0, true, false },
	{ "mutex_lock", "", 0, false, false },
	{ "alloc<int>(int, char, unsigned long)", "", 4, true, false },
	{ "operator()(int)", "o.c", 0, true, false },
	{ "(anonymous namespace)::f(int)", "o.c", 0, true, false },
};

static const char *const mappings[MAPPINGS] = { "/no/bin/p", "/no/lib/q" };
static const struct {
	const char *name, *unit, *event;
} types[TYPES] = { { "samples", "count", "samples" },
		   { "cpu", "nanoseconds", "cpu" },
		   { "space", "bytes", "space" } };
static const char *const colours[] = { "", "red", "blue" };

struct location {
	uint64_t id, address;
	unsigned mapping; /* from 1; 0: none */
	unsigned line_count;
	struct {
		unsigned function, line;
	} lines[LINES]; /* the innermost first */
};

struct sample {
	unsigned depth, locations[DEPTH]; /* the innermost first */
	uint64_t values[TYPES];
	unsigned thread, colour; /* 0: no such label */
};

struct piece {
	unsigned field;
	struct bytes bytes;
};

static struct drawn {
	uint32_t seed;
	bool drop, keep;
	unsigned preferred; /* type, from 1; 0: none */
	uint64_t function_ids[FUNCTIONS], mapping_ids[MAPPINGS];
	struct location locations[LOCATIONS];
	struct sample samples[SAMPLES];
	const char *texts[MOST_TEXTS];
	unsigned text_count;
	struct piece pieces[MOST_PIECES];
	unsigned piece_count;
	uint8_t file[1 << 16];
	size_t size;
} drawn;

/* ---- drawing ---- */

/* Ids that are dense, in any order, or any numbers but 0. */
static void draw_ids(struct drawn *d, uint64_t *ids, unsigned count, size_t stride)
{
	const bool dense = chance(&d->seed, 2);
	unsigned order[LOCATIONS];

	chance_order(&d->seed, order, count);
	for (unsigned i = 0; i < count; i++)
		*(uint64_t *)(void *)((char *)ids + i * stride) =
			dense ? order[i] + 1 : chance_bits(&d->seed) << 4 | (order[i] + 1);
}

static void draw(struct drawn *d, uint32_t seed)
{
	*d = (struct drawn){ .seed = seed };
	d->drop = chance(&d->seed, 2);
	d->keep = d->drop && chance(&d->seed, 2);
	d->preferred = chance(&d->seed, TYPES + 1);
	draw_ids(d, d->function_ids, FUNCTIONS, sizeof(uint64_t));
	draw_ids(d, d->mapping_ids, MAPPINGS, sizeof(uint64_t));
	draw_ids(d, &d->locations[0].id, LOCATIONS, sizeof(d->locations[0]));
	for (unsigned i = 0; i < LOCATIONS; i++) {
		struct location *l = &d->locations[i];

		l->address = 0x1000 + i * 16;
		l->mapping = chance(&d->seed, MAPPINGS + 1);
		l->line_count = 1 + chance(&d->seed, LINES);
		for (unsigned n = 0; n < l->line_count; n++) {
			l->lines[n].function = chance(&d->seed, FUNCTIONS);
			l->lines[n].line = chance(&d->seed, 40);
		}
	}
	for (unsigned i = 0; i < SAMPLES; i++) {
		struct sample *s = &d->samples[i];

		s->depth = 1 + chance(&d->seed, DEPTH);
		for (unsigned n = 0; n < s->depth; n++)
			s->locations[n] = chance(&d->seed, LOCATIONS);
		for (unsigned t = 0; t < TYPES; t++)
			s->values[t] = chance(&d->seed, 3) ? chance(&d->seed, 60000) : 0;
		s->thread = chance(&d->seed, 4);
		s->colour = chance(&d->seed, COUNT(colours));
	}
}

/* ---- writing ---- */

static uint64_t text_of(struct drawn *d, const char *text)
{
	unsigned i = 0;

	while (i < d->text_count && strcmp(d->texts[i], text) != 0)
		i++;
	if (i == d->text_count) {
		assert_true(i < MOST_TEXTS);
		d->texts[d->text_count++] = text;
	}
	return i;
}

/* A number that is 0 is left out or not; one that comes twice is what the last one says. */
static void put_once(struct drawn *d, struct bytes *b, unsigned field, uint64_t value)
{
	if (!value && chance(&d->seed, 2))
		return;
	if (!chance(&d->seed, 8))
		number(b, field, chance(&d->seed, 300));
	number(b, field, value);
}

/* "repeated numbers are packed or not, or both" */
static void put_list(struct drawn *d, struct bytes *b, unsigned field, const uint64_t *values,
		     unsigned count)
{
	const unsigned form = chance(&d->seed, 3);

	for (unsigned i = 0; i < count;) {
		struct bytes packed = { .size = 0 };
		unsigned more = form == 0 ? 0 : form == 1 ? count : chance(&d->seed, count + 1);

		if (!more) {
			number(b, field, values[i++]);
			continue;
		}
		while (more-- && i < count)
			put_varint(&packed, values[i++]);
		message(b, field, &packed);
	}
}

/* Fields of one message in any order, and with some that nobody knows. */
static void put_shuffled(struct drawn *d, struct bytes *to, const struct bytes *fields,
			 unsigned count)
{
	unsigned order[8];

	chance_order(&d->seed, order, count);
	for (unsigned i = 0; i < count; i++) {
		if (!chance(&d->seed, 12))
			number(to, 21, chance_bits(&d->seed));
		memcpy(to->data + to->size, fields[order[i]].data, fields[order[i]].size);
		to->size += fields[order[i]].size;
	}
}

static struct bytes *add_piece(struct drawn *d, unsigned field)
{
	assert_true(d->piece_count < MOST_PIECES);
	d->pieces[d->piece_count].field = field;
	return &d->pieces[d->piece_count++].bytes;
}

static void put_record(struct drawn *d, unsigned field, const struct bytes *fields, unsigned count)
{
	struct bytes inner = { .size = 0 };

	put_shuffled(d, &inner, fields, count);
	message(add_piece(d, field), field, &inner);
}

/* Numbers of a record, as pairs of field and value. */
static void put_numbers(struct drawn *d, unsigned field, const uint64_t (*pairs)[2], unsigned count)
{
	struct bytes fields[8] = { { .size = 0 } };

	for (unsigned i = 0; i < count; i++)
		put_once(d, &fields[i], (unsigned)pairs[i][0], pairs[i][1]);
	put_record(d, field, fields, count);
}

static void put_location(struct drawn *d, const struct location *l)
{
	struct bytes fields[4] = { { .size = 0 } }, line = { .size = 0 };

	put_once(d, &fields[0], 1, l->id);
	put_once(d, &fields[1], 2, l->mapping ? d->mapping_ids[l->mapping - 1] : 0);
	put_once(d, &fields[2], 3, l->address);
	for (unsigned i = 0; i < l->line_count; i++) {
		put_once(d, &line, 1, d->function_ids[l->lines[i].function]);
		put_once(d, &line, 2, l->lines[i].line);
		message(&fields[3], 4, &line);
	}
	put_record(d, 4, fields, 4);
}

static void put_sample(struct drawn *d, const struct sample *s)
{
	struct bytes fields[4] = { { .size = 0 } }, label = { .size = 0 };
	uint64_t ids[DEPTH];

	for (unsigned i = 0; i < s->depth; i++)
		ids[i] = d->locations[s->locations[i]].id;
	put_list(d, &fields[0], 1, ids, s->depth);
	put_list(d, &fields[1], 2, s->values, TYPES);
	if (s->thread) {
		number(&label, 1, text_of(d, "tid"));
		number(&label, 3, 100 + s->thread);
		message(&fields[2], 3, &label);
	}
	if (s->colour) {
		number(&label, 2, text_of(d, colours[s->colour]));
		number(&label, 1, text_of(d, "colour"));
		message(&fields[3], 3, &label);
	}
	put_record(d, 2, fields, 4);
}

static void put_tables(struct drawn *d)
{
	text_of(d, "");
	for (unsigned i = 0; i < TYPES; i++) {
		const uint64_t pairs[][2] = { { 1, text_of(d, types[i].name) },
					      { 2, text_of(d, types[i].unit) } };

		put_numbers(d, 1, pairs, 2);
	}
	for (unsigned i = 0; i < MAPPINGS; i++) {
		const uint64_t pairs[][2] = { { 1, d->mapping_ids[i] },
					      { 2, 0x1000 },
					      { 3, 0x9000 },
					      { 5, text_of(d, mappings[i]) } };

		put_numbers(d, 3, pairs, 4);
	}
	for (unsigned i = 0; i < FUNCTIONS; i++) {
		const uint64_t pairs[][2] = { { 1, d->function_ids[i] },
					      { 2, text_of(d, functions[i].name) },
					      { 4, text_of(d, functions[i].file) },
					      { 5, functions[i].start } };

		put_numbers(d, 5, pairs, 4);
	}
}

/* Records in any order, but those of one field in theirs. */
static void merge_pieces(struct drawn *d)
{
	bool put[MOST_PIECES] = { false };

	for (unsigned left = d->piece_count; left; left--) {
		unsigned i = chance(&d->seed, d->piece_count), first = 0;

		while (put[i])
			i = (i + 1) % d->piece_count;
		while (put[first] || d->pieces[first].field != d->pieces[i].field)
			first++;
		put[first] = true;
		assert_true(d->size + d->pieces[first].bytes.size <= sizeof(d->file));
		memcpy(d->file + d->size, d->pieces[first].bytes.data, d->pieces[first].bytes.size);
		d->size += d->pieces[first].bytes.size;
	}
}

static void write_drawn(struct drawn *d)
{
	put_tables(d);
	for (unsigned i = 0; i < LOCATIONS; i++)
		put_location(d, &d->locations[i]);
	for (unsigned i = 0; i < SAMPLES; i++)
		put_sample(d, &d->samples[i]);
	if (d->drop)
		put_once(d, add_piece(d, 7), 7, text_of(d, drop_pattern));
	if (d->keep)
		put_once(d, add_piece(d, 8), 8, text_of(d, keep_pattern));
	if (d->preferred)
		put_once(d, add_piece(d, 14), 14, text_of(d, types[d->preferred - 1].name));
	number(add_piece(d, 22), 22, 1);
	for (unsigned i = 0; i < d->text_count; i++)
		block(add_piece(d, 6), 6, d->texts[i], strlen(d->texts[i]));
	merge_pieces(d);
}

/* ---- what it means ---- */

/* A function on a stack, with its place. */
struct frame {
	const struct location *location;
	unsigned function, line;
};

static bool is_dropped(const struct drawn *d, unsigned function)
{
	return d->drop && functions[function].dropped && !(d->keep && functions[function].kept);
}

/* What `go tool pprof` does with a location: lines from `first` on are left. */
static unsigned first_left(const struct drawn *d, const struct location *l, bool *whole)
{
	unsigned i = l->line_count;

	*whole = false;
	while (i && !is_dropped(d, l->lines[i - 1].function))
		i--;
	if (i == l->line_count) {
		*whole = true;
		return 0;
	}
	return i;
}

/* The frames of a sample, the outermost first; their number. */
static unsigned frames_of(const struct drawn *d, const struct sample *s, struct frame *frames)
{
	bool user = false; /* a location further out from which nothing is dropped */
	unsigned count = 0;

	for (unsigned i = s->depth; i-- > 0;) {
		const struct location *l = &d->locations[s->locations[i]];
		bool whole;
		const unsigned first = first_left(d, l, &whole);

		if (whole && user)
			break;
		for (unsigned n = l->line_count; n-- > first;)
			frames[count++] =
				(struct frame){ l, l->lines[n].function, l->lines[n].line };
		if (first && user)
			break;
		user = user || !(whole || first);
	}
	return count;
}

enum { PATHS, TOTALS, OWN_LINES, ARCS, KINDS };

/* A text of what costs; equal ones are added up. */
static void cost_of(struct path_sums *sums, int64_t cost, const char *format, ...)
{
	char text[1024];
	va_list args;

	va_start(args, format);
	assert_true(vsnprintf(text, sizeof(text), format, args) < (int)sizeof(text));
	va_end(args);
	path_sums_add(sums, text, cost);
}

static const char *object_of(const struct frame *frame)
{
	return frame->location->mapping ? mappings[frame->location->mapping - 1] : "";
}

/* That two frames are of the same function: objects and files tell equal names apart. */
static void name_frame(char *to, size_t size, const struct frame *frame)
{
	snprintf(to, size, "%s|%s|%s", object_of(frame), functions[frame->function].file,
		 functions[frame->function].name);
}

/* "A call costs what the stacks cost that it is on, once each" */
static void count_arcs(struct path_sums *sums, const struct frame *frames, unsigned count,
		       uint64_t thread, int64_t cost)
{
	struct path_sums once = { NULL, 0 };
	char from[160], to[160];

	for (unsigned i = 0; i + 1 < count; i++) {
		name_frame(from, sizeof(from), &frames[i]);
		name_frame(to, sizeof(to), &frames[i + 1]);
		cost_of(&once, 1, "%" PRIx64 " %s:%u@%" PRIx64 " > %s:%u", thread, from,
			frames[i].line, frames[i].location->address, to,
			functions[frames[i + 1].function].start);
	}
	for (size_t i = 0; i < once.count; i++)
		path_sums_add(sums, once.list[i].path, cost);
	path_sums_free(&once);
}

static void count_sample(const struct drawn *d, const struct sample *s, unsigned type,
			 struct path_sums *sums)
{
	const uint64_t thread = s->thread ? 100 + s->thread : TL_NOWHERE;
	struct path_sums once = { NULL, 0 };
	struct frame frames[DEPTH * LINES];
	const unsigned count = frames_of(d, s, frames);
	char name[160], path[4096];
	size_t size;

	size = (size_t)sprintf(path, "%" PRIx64, thread);
	for (unsigned i = 0; i < count; i++) {
		name_frame(name, sizeof(name), &frames[i]);
		size += (size_t)sprintf(path + size, ";%s", name);
		path_sums_add(&once, name, 1);
	}
	path_sums_add(&sums[PATHS], path, (int64_t)s->values[type]);
	for (size_t i = 0; i < once.count; i++)
		cost_of(&sums[TOTALS], (int64_t)s->values[type], "on %s", once.list[i].path);
	cost_of(&sums[TOTALS], (int64_t)s->values[type], "in %s", name);
	cost_of(&sums[OWN_LINES], (int64_t)s->values[type], "%" PRIx64 " %s:%u@%" PRIx64, thread,
		name, frames[count - 1].line, frames[count - 1].location->address);
	count_arcs(&sums[ARCS], frames, count, thread, (int64_t)s->values[type]);
	path_sums_free(&once);
}

/* ---- what was read ---- */

static void name_function(char *to, size_t size, const struct tl_profile *profile, uint32_t number)
{
	const struct tl_function *f = tl_profile_function(profile, number);

	snprintf(to, size, "%s|%s|%s", f->object, f->file, f->name);
}

static void read_paths(const struct tl_profile *profile, uint32_t event, struct path_sums *sums)
{
	const uint32_t count = tl_profile_context_count(profile);
	char **paths = calloc(count + 1, sizeof(*paths)), name[160], thread[32];

	assert_non_null(paths);
	for (uint32_t i = 0; i < count; i++) {
		const struct tl_context *c = tl_profile_context(profile, i);

		name_function(name, sizeof(name), profile, c->function);
		snprintf(thread, sizeof(thread), "%" PRIx64,
			 tl_profile_part(profile, c->part)->thread);
		assert_true(asprintf(&paths[i], "%s;%s",
				     c->parent == TL_NONE ? thread : paths[c->parent], name) >= 0);
		path_sums_add(sums, paths[i], tl_profile_context_self(profile, i)[event]);
	}
	for (uint32_t i = 0; i < count; i++)
		free(paths[i]);
	free(paths);
}

static void read_totals(const struct tl_profile *profile, uint32_t event, struct path_sums *sums)
{
	char name[160];

	for (uint32_t i = 0; i < tl_profile_function_count(profile); i++) {
		struct tl_function_totals totals;

		name_function(name, sizeof(name), profile, i);
		assert_int_equal(
			tl_profile_function_totals(profile, i, TL_NONE, &totals, sizeof(totals)),
			0);
		cost_of(sums, totals.inclusive[event], "on %s", name);
		cost_of(sums, totals.self[event], "in %s", name);
	}
}

static void read_lines(const struct tl_profile *profile, uint32_t event, struct path_sums *lines,
		       struct path_sums *arcs)
{
	char name[160], callee[160];

	for (uint32_t i = 0; i < tl_profile_line_count(profile); i++) {
		const struct tl_cost_line *l = tl_profile_line(profile, i);

		name_function(name, sizeof(name), profile, l->function);
		assert_string_equal(l->at.file, tl_profile_function(profile, l->function)->file);
		cost_of(lines, tl_profile_line_cost(profile, i)[event],
			"%" PRIx64 " %s:%u@%" PRIx64, tl_profile_part(profile, l->part)->thread,
			name, (unsigned)l->at.line, l->at.address);
	}
	for (uint32_t i = 0; i < tl_profile_arc_count(profile); i++) {
		const struct tl_arc *a = tl_profile_arc(profile, i);

		name_function(name, sizeof(name), profile, a->caller);
		name_function(callee, sizeof(callee), profile, a->callee);
		assert_string_equal(a->from.file, tl_profile_function(profile, a->caller)->file);
		cost_of(arcs, tl_profile_arc_cost(profile, i)[event],
			"%" PRIx64 " %s:%u@%" PRIx64 " > %s:%u",
			tl_profile_part(profile, a->part)->thread, name, (unsigned)a->from.line,
			a->from.address, callee, (unsigned)a->to.line);
	}
}

/* ---- both ---- */

static uint32_t event_of(const struct tl_profile *profile, unsigned type)
{
	uint32_t event = 0;

	while (strcmp(tl_profile_event(profile, event)->name, types[type].event) != 0)
		assert_true(++event < tl_profile_event_count(profile));
	return event;
}

static void check_type(const struct drawn *d, const struct tl_profile *profile,
		       const struct tl_pprof_fold_options *options, unsigned colour, unsigned type)
{
	static const char *const about[KINDS] = { "paths", "totals", "lines", "calls" };
	struct path_sums wanted[KINDS] = { { NULL, 0 } }, have[KINDS] = { { NULL, 0 } };
	const uint32_t event = event_of(profile, type);

	for (unsigned i = 0; i < SAMPLES; i++) {
		const struct sample *s = &d->samples[i];

		if ((options->thread == TL_NOWHERE || options->thread == 100 + s->thread) &&
		    (!colour || s->colour == colour))
			count_sample(d, s, type, wanted);
	}
	read_paths(profile, event, &have[PATHS]);
	read_totals(profile, event, &have[TOTALS]);
	/* without lines, calls and costs have no places of their own */
	if (options->lines)
		read_lines(profile, event, &have[OWN_LINES], &have[ARCS]);
	for (unsigned kind = PATHS; kind < (options->lines ? KINDS : OWN_LINES); kind++)
		path_sums_expect(&have[kind], &wanted[kind], about[kind]);
	for (unsigned kind = PATHS; kind < KINDS; kind++) {
		path_sums_free(&wanted[kind]);
		path_sums_free(&have[kind]);
	}
}

/* As was drawn, of the samples that are chosen. */
static void check(const struct drawn *d, struct tl_pprof_fold_options options, unsigned colour)
{
	static const char *const labels[] = { "", "colour=red", "colour=blue" };
	struct tl_pprof_file p = { .size = 0 };
	struct tl_profile *profile = NULL;
	struct tl_error err;

	options.labels = &labels[colour];
	options.label_count = colour ? 1 : 0;
	assert_int_equal(tl_pprof_open(&p, d->file, d->size, &err), 0);
	assert_int_equal(p.counts.samples, SAMPLES);
	assert_int_equal(tl_pprof_fold(&p, &options, &profile, &err), 0);
	assert_int_equal(p.faults.total, 0);
	/* "the event that comes first; without it the last sample type does, as in pprof" */
	assert_string_equal(tl_profile_event(profile, 0)->name,
			    types[d->preferred ? d->preferred - 1 : TYPES - 1].event);
	assert_int_equal(tl_profile_event_count(profile), TYPES);
	for (unsigned type = 0; type < TYPES; type++)
		check_type(d, profile, &options, colour, type);
	tl_profile_free(profile);
	tl_pprof_close(&p);
}

TEST(profiles_are_read_as_they_were_drawn)
{
	for (uint32_t seed = 1; seed <= SEEDS; seed++) {
		struct tl_pprof_fold_options options = { .thread = TL_NOWHERE,
							 .process = TL_NOWHERE,
							 .lines = true };

		draw(&drawn, seed);
		write_drawn(&drawn);
		check(&drawn, options, 0);
		options.lines = seed % 2;
		check(&drawn, options, 1 + seed % 2);
		options.thread = 101 + seed % 3;
		check(&drawn, options, seed % 3);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(profiles_are_read_as_they_were_drawn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
