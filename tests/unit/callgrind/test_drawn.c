/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Profiles that are drawn, and written in every form that the format has for the same: names in
 * full or compressed, positions in full, relative or hexadecimal, counters that are left out,
 * comments between lines. What is read is held against the list of what was drawn.
 */
#include <stdarg.h>
#include <stdio.h>

#include "../chance.h"
#include "text.h"

#include "callgrind/profile/fold.h"
#include "profile/model/model.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { FUNCTIONS = 9, MOST = 900, EVENTS = 3, PARTS = 3 };

static const struct {
	const char *object, *file, *name;
} functions[FUNCTIONS] = {
	{ "/bin/p", "a.c", "main" },     { "/bin/p", "a.c", "f" },
	{ "/bin/p", "b.c", "f" },        { "/lib/q", "b.c", "f" },
	{ "/lib/q", "c c.c", "g<int>" }, { "/lib/q", "", "h(int, char)" },
	{ "", "", "nowhere" },           { "", "d.c", "(1x)" },
	{ "/bin/p", "a.c", "f'2" },
};

static const char *const files[] = { "a.c", "b.c", "in.h" };

struct place {
	unsigned line;
	uint64_t address;
};

static const char *const events[EVENTS] = { "Ir", "Dr", "Dw" };

/* A line, a call or a jump; equal ones are added up. */
struct drawn {
	enum { LINE, CALL, JUMP } kind;
	unsigned function, part, callee;
	const char *file;
	struct place at, to;
	bool conditional;
	uint64_t count, taken;
	int64_t cost[EVENTS];
	bool found;
};

static struct drawn list[MOST];
static size_t count;

static struct drawn *same_of(const struct drawn *wanted)
{
	size_t i = 0;

	while (i < count &&
	       (list[i].kind != wanted->kind || list[i].function != wanted->function ||
		list[i].part != wanted->part || list[i].callee != wanted->callee ||
		strcmp(list[i].file, wanted->file) || list[i].at.line != wanted->at.line ||
		list[i].at.address != wanted->at.address || list[i].to.line != wanted->to.line ||
		list[i].to.address != wanted->to.address ||
		list[i].conditional != wanted->conditional))
		i++;
	return i < count ? &list[i] : NULL;
}

static void add(const struct drawn *d)
{
	struct drawn *have = same_of(d);

	if (!have) {
		assert_true(count < MOST);
		list[count++] = *d;
		return;
	}
	have->count += d->count;
	have->taken += d->taken;
	for (unsigned e = 0; e < EVENTS; e++)
		have->cost[e] += d->cost[e];
}

/* ---- the writer ---- */

struct writer {
	char *text, *at;
	uint32_t seed;
	bool addresses, compressed, relative;
	unsigned turned; /* the first column is this event */
	/* by kind of name (object, file, function) and number: it was defined */
	bool defined[3][64];
	/* "position of the last self-cost line; it survives fn=, fi=, fe=, ob=" (rule A) */
	struct place base;
};

static void put(struct writer *w, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	w->at += vsprintf(w->at, format, args);
	va_end(args);
}

/* `number`: of the name in its table. A name that begins as an id does has to be compressed. */
static void put_name(struct writer *w, const char *key, unsigned table, unsigned number,
		     const char *name)
{
	if (!*name)
		name = "???";
	if ((!w->compressed || !chance(&w->seed, 5)) && *name != '(') {
		put(w, "%s=%s\n", key, name);
		return;
	}
	/* "(ID) name" may stand there again */
	if (!w->defined[table][number] || !chance(&w->seed, 9))
		put(w, "%s=(%u) %s\n", key, number + 1, name);
	else
		put(w, "%s=(%u)\n", key, number + 1);
	w->defined[table][number] = true;
}

static unsigned file_number(const char *file)
{
	unsigned number = 0;

	/* those of functions come first; equal texts have one number */
	while (number < FUNCTIONS && strcmp(functions[number].file, file) != 0)
		number++;
	if (number < FUNCTIONS)
		return number;
	for (number = 0; strcmp(files[number], file) != 0;)
		number++;
	return FUNCTIONS + number;
}

static unsigned object_number(const char *object)
{
	unsigned number = 0;

	while (strcmp(functions[number].object, object) != 0)
		number++;
	return number;
}

static void put_number(struct writer *w, uint64_t number, uint64_t base, bool hexadecimal)
{
	if (w->relative && chance(&w->seed, 3)) {
		const int64_t distance = (int64_t)(number - base);

		if (!distance)
			put(w, "* ");
		else
			put(w, "%c%llu ", distance < 0 ? '-' : '+',
			    (unsigned long long)(distance < 0 ? -distance : distance));
		return;
	}
	put(w, hexadecimal ? "0x%llx " : "%llu ", (unsigned long long)number);
}

static void put_place(struct writer *w, const struct place *at)
{
	if (w->addresses)
		put_number(w, at->address, w->base.address, true);
	put_number(w, at->line, w->base.line, !chance(&w->seed, 9));
}

/*
 * Counters that are 0 at the end may be left out; parts have their events in orders of their own.
 */
static void put_costs(struct writer *w, const int64_t *cost)
{
	unsigned last = EVENTS;

	while (last && !cost[(last - 1 + w->turned) % EVENTS] && chance(&w->seed, 3))
		last--;
	for (unsigned e = 0; e < last; e++)
		put(w, "%s%lld", e ? (chance(&w->seed, 4) ? " " : "\t ") : "",
		    (long long)cost[(e + w->turned) % EVENTS]);
	put(w, "\n");
}

static void draw_place(struct writer *w, struct place *at)
{
	at->line = 1 + chance(&w->seed, 30);
	at->address = w->addresses ? 0x1000 + chance(&w->seed, 40) : 0;
}

static void draw_cost(struct writer *w, int64_t *cost)
{
	for (unsigned e = 0; e < EVENTS; e++)
		cost[e] = chance(&w->seed, 3) ? chance(&w->seed, 1000) : 0;
	cost[0]++;
}

static void put_line(struct writer *w, struct drawn *d)
{
	d->kind = LINE;
	draw_place(w, &d->at);
	draw_cost(w, d->cost);
	put_place(w, &d->at);
	put_costs(w, d->cost);
	w->base = d->at;
}

/* Object, file and name of the callee, and where the line of the call stands. */
static void put_call(struct writer *w, struct drawn *d)
{
	d->kind = CALL;
	d->callee = chance(&w->seed, FUNCTIONS);
	d->count = 1 + chance(&w->seed, 9);
	draw_place(w, &d->at);
	draw_place(w, &d->to);
	draw_cost(w, d->cost);
	put_name(w, "cob", 0, object_number(functions[d->callee].object),
		 functions[d->callee].object);
	put_name(w, chance(&w->seed, 2) ? "cfi" : "cfl", 1, file_number(functions[d->callee].file),
		 functions[d->callee].file);
	put_name(w, "cfn", 2, d->callee, functions[d->callee].name);
	put(w, "calls=%llu ", (unsigned long long)d->count);
	put_place(w, &d->to);
	put(w, "\n");
	put_place(w, &d->at);
	put_costs(w, d->cost);
}

static void put_jump(struct writer *w, struct drawn *d)
{
	d->kind = JUMP;
	d->callee = d->function;
	d->conditional = chance(&w->seed, 2);
	d->taken = 1 + chance(&w->seed, 9);
	d->count = d->conditional ? d->taken + chance(&w->seed, 9) : d->taken;
	draw_place(w, &d->at);
	draw_place(w, &d->to);
	if (d->conditional)
		put(w, "jcnd=%llu/%llu ", (unsigned long long)d->taken,
		    (unsigned long long)d->count);
	else
		put(w, "jump=%llu ", (unsigned long long)d->count);
	put_place(w, &d->to);
	put(w, "\n");
	put_place(w, &d->at);
	put(w, "\n");
}

/* What a function has in one place of the file. */
static void put_block(struct writer *w, unsigned part)
{
	const unsigned function = chance(&w->seed, FUNCTIONS);
	const char *file = functions[function].file;

	put_name(w, "ob", 0, object_number(functions[function].object), functions[function].object);
	put_name(w, "fl", 1, file_number(file), file);
	put_name(w, "fn", 2, function, functions[function].name);
	for (unsigned n = 1 + chance(&w->seed, 12); n; n--) {
		struct drawn d = { .function = function, .part = part, .file = file };

		if (!chance(&w->seed, 8))
			put(w, chance(&w->seed, 2) ? "\n" : "# a comment\n");
		if (!chance(&w->seed, 5)) {
			file = chance(&w->seed, 2) ? functions[function].file
						   : files[chance(&w->seed, COUNT(files))];
			put_name(w, strcmp(file, functions[function].file) ? "fi" : "fe", 1,
				 file_number(file), file);
			d.file = file;
		}
		switch (chance(&w->seed, 5)) {
		case 0:
			put_call(w, &d);
			break;
		case 1:
			put_jump(w, &d);
			break;
		default:
			put_line(w, &d);
			break;
		}
		add(&d);
	}
	put(w, "\n");
}

static char *draw_text(uint32_t seed, unsigned parts)
{
	struct writer w = { .text = malloc(1 << 18),
			    .seed = seed,
			    .addresses = seed % 2,
			    .compressed = seed % 3,
			    .relative = seed % 5 };

	assert_non_null(w.text);
	w.at = w.text;
	count = 0;
	put(&w, "# callgrind format\nversion: 1\ncreator: drawn\n");
	for (unsigned part = 0; part < parts; part++) {
		put(&w, "pid: 7\ncmd: prog\npart: %u\n\n", part + 1);
		put(&w, w.addresses ? "positions: instr line\n" : "positions: line\n");
		w.turned = seed % 4 ? part % EVENTS : 0;
		put(&w, "events: %s %s %s\n", events[w.turned], events[(w.turned + 1) % EVENTS],
		    events[(w.turned + 2) % EVENTS]);
		/* "a new part begins at 0" */
		w.base = (struct place){ 0, 0 };
		for (unsigned block = 0; block < 18; block++)
			put_block(&w, part);
	}
	assert_true(w.at - w.text < 1 << 18);
	return w.text;
}

/* ---- what was read ---- */

static unsigned function_of(const struct tl_profile *profile, uint32_t number)
{
	const struct tl_function *f = tl_profile_function(profile, number);

	for (unsigned i = 0; i < FUNCTIONS; i++)
		if (!strcmp(f->name, functions[i].name) && !strcmp(f->file, functions[i].file) &&
		    !strcmp(f->object, functions[i].object))
			return i;
	fail_msg("no function %s of %s and %s was drawn", f->name, f->file, f->object);
	return 0;
}

static const char *file_of(const struct tl_profile *profile, uint32_t function, const char *file)
{
	return *file ? file : tl_profile_function(profile, function)->file;
}

static struct drawn *take(const struct drawn *seen)
{
	struct drawn *d = same_of(seen);

	if (!d)
		fail_msg("%d of %s at %s:%u, 0x%llx was not drawn", (int)seen->kind,
			 functions[seen->function].name, seen->file, seen->at.line,
			 (unsigned long long)seen->at.address);
	assert_false(d->found);
	d->found = true;
	return d;
}

static void assert_cost(const int64_t *seen, const struct drawn *d)
{
	for (unsigned e = 0; e < EVENTS; e++)
		assert_int_equal(seen[e], d->cost[e]);
}

static struct place place_of(const struct tl_position *at)
{
	return (struct place){ at->line, at->address };
}

static void assert_drawn(const struct tl_profile *profile)
{
	for (size_t i = 0; i < count; i++)
		list[i].found = false;
	for (uint32_t i = 0; i < tl_profile_line_count(profile); i++) {
		const struct tl_cost_line *line = tl_profile_line(profile, i);
		const struct drawn seen = {
			.kind = LINE,
			.function = function_of(profile, line->function),
			.part = line->part,
			.file = file_of(profile, line->function, line->at.file),
			.at = place_of(&line->at),
		};

		assert_cost(tl_profile_line_cost(profile, i), take(&seen));
	}
	for (uint32_t i = 0; i < tl_profile_arc_count(profile); i++) {
		const struct tl_arc *arc = tl_profile_arc(profile, i);
		const struct drawn seen = {
			.kind = CALL,
			.function = function_of(profile, arc->caller),
			.part = arc->part,
			.callee = function_of(profile, arc->callee),
			.file = file_of(profile, arc->caller, arc->from.file),
			.at = place_of(&arc->from),
			.to = place_of(&arc->to),
		};
		const struct drawn *d = take(&seen);

		assert_int_equal(arc->calls, d->count);
		assert_cost(tl_profile_arc_cost(profile, i), d);
	}
	for (uint32_t i = 0; i < tl_profile_jump_count(profile); i++) {
		const struct tl_jump *jump = tl_profile_jump(profile, i);
		const struct drawn seen = {
			.kind = JUMP,
			.function = function_of(profile, jump->function),
			.part = jump->part,
			.callee = function_of(profile, jump->target),
			.file = file_of(profile, jump->function, jump->from.file),
			.at = place_of(&jump->from),
			.to = place_of(&jump->to),
			.conditional = jump->conditional,
		};
		const struct drawn *d = take(&seen);

		assert_int_equal(jump->executed, d->count);
		assert_int_equal(jump->taken, d->taken);
	}
	for (size_t i = 0; i < count; i++)
		assert_true(list[i].found);
}

static const struct tl_callgrind_fold_options options = {
	.size = sizeof(options),
	.part = TL_NOWHERE,
	.thread = TL_NOWHERE,
	.process = TL_NOWHERE,
};

TEST(every_form_says_the_same)
{
	for (uint32_t seed = 1; seed < 41; seed++) {
		const unsigned parts = 1 + seed % PARTS;
		char *text = draw_text(seed, parts);
		struct tl_profile *profile = fold_with(text, &options);
		struct text t;

		assert_int_equal(tl_profile_part_count(profile), parts);
		assert_drawn(profile);
		tl_profile_free(profile);
		expect_clean(text);
		/* packed, and made lines, arcs and jumps of again */
		text_open(&t, text);
		assert_int_equal(tl_callgrind_fold_packed(&t.reader, 1, NULL, &profile, &t.err), 0);
		text_close(&t);
		assert_non_null(profile->pack);
		assert_int_equal(tl_profile_unpack(profile, NULL), 0);
		assert_drawn(profile);
		tl_profile_free(profile);
		free(text);
	}
}

/* For tables: the sums of functions, and one arc for each pair. */
TEST(functions_have_the_sums_of_their_lines)
{
	for (uint32_t seed = 51; seed < 71; seed++) {
		struct tl_callgrind_fold_options sums = options;
		char *text = draw_text(seed, 1 + seed % PARTS);
		int64_t self[FUNCTIONS][EVENTS] = { { 0 } }, all[EVENTS] = { 0 };
		uint64_t calls[FUNCTIONS][FUNCTIONS] = { { 0 } };
		struct tl_profile *profile;

		sums.detail = TL_CALLGRIND_FUNCTIONS;
		profile = fold_with(text, &sums);
		for (size_t i = 0; i < count; i++) {
			for (unsigned e = 0; list[i].kind == LINE && e < EVENTS; e++) {
				self[list[i].function][e] += list[i].cost[e];
				all[e] += list[i].cost[e];
			}
			if (list[i].kind == CALL)
				calls[list[i].function][list[i].callee] += list[i].count;
		}
		assert_memory_equal(tl_profile_total(profile), all, sizeof(all));
		for (uint32_t f = 0; f < tl_profile_function_count(profile); f++) {
			struct tl_function_totals totals;

			tl_profile_totals_of(profile, f, TL_NONE, &totals);
			assert_memory_equal(totals.self, self[function_of(profile, f)],
					    sizeof(all));
		}
		for (uint32_t i = 0; i < tl_profile_arc_count(profile); i++) {
			const struct tl_arc *arc = tl_profile_arc(profile, i);

			calls[function_of(profile, arc->caller)]
			     [function_of(profile, arc->callee)] -= arc->calls;
		}
		for (unsigned i = 0; i < FUNCTIONS * FUNCTIONS; i++)
			assert_int_equal(calls[i / FUNCTIONS][i % FUNCTIONS], 0);
		tl_profile_free(profile);
		free(text);
	}
}

/* One part of several: what the others have is left out. */
TEST(one_part_of_several)
{
	for (uint32_t seed = 81; seed < 91; seed++) {
		char *text = draw_text(seed, PARTS);

		for (unsigned part = 0; part < PARTS; part++) {
			struct tl_callgrind_fold_options chosen = options;
			int64_t all[EVENTS] = { 0 };
			struct tl_profile *profile;

			chosen.part = part + 1;
			profile = fold_with(text, &chosen);
			for (size_t i = 0; i < count; i++)
				for (unsigned e = 0; e < EVENTS; e++)
					if (list[i].kind == LINE && list[i].part == part)
						all[e] += list[i].cost[e];
			assert_memory_equal(tl_profile_total(profile), all, sizeof(all));
			tl_profile_free(profile);
		}
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_form_says_the_same),
		cmocka_unit_test(functions_have_the_sums_of_their_lines),
		cmocka_unit_test(one_part_of_several),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
