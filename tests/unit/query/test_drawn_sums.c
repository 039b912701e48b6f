/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables of sums (docs/query.md) of Callgrind files that were drawn: parts of several threads,
 * functions of several files and objects, costs by place, calls and jumps. Beside the text of a
 * file stand lists of its sums, made by adding one line after the other; each table is asked for as
 * a whole, and by each value of its keys.
 */
#include <inttypes.h>

#include "asked.h"

#include "../chance.h"
#include "../temp_fixture.h"

enum {
	ROUNDS = 25,
	FUNCTIONS = 7,
	MOST_PARTS = 4,
	MOST_EVENTS = 3,
	MOST = 600, /* lines, arcs, jumps */
	TEXT = 1 << 16,
	ANY = -1,
};

/* A place of code: `inlined` is in a header, else it is in the file of its function. */
struct place {
	bool inlined;
	unsigned line, address;
};

struct line {
	int function, part;
	struct place at;
	int64_t costs[MOST_EVENTS];
};

struct arc {
	int caller, callee, part;
	struct place from;
	unsigned calls;
	int64_t costs[MOST_EVENTS];
};

struct jump {
	int function, part;
	struct place from, to;
	unsigned executed, taken;
};

struct part {
	unsigned process, thread;
	bool described;
};

struct drawn {
	uint32_t seed;
	bool addresses;
	unsigned events, parts, lines, arcs, jumps;
	struct part part[MOST_PARTS];
	struct line line[MOST];
	struct arc arc[MOST];
	struct jump jump[MOST];
	int64_t ids[FUNCTIONS]; /* what the tables call them; -1: no row */
	char text[TEXT];
	size_t size;
};

static struct drawn d;
static struct rows wanted;

static const char *const names[FUNCTIONS] = { "main", "a", "b", "c", "d", "e", "f" };
static const char *const files[FUNCTIONS] = { "m.c", "a.c", "a.c", "", "d.c", "", "a.c" };
static const char *const objects[FUNCTIONS] = { "/p", "/p", "/l", "/l", "", "", "/p" };
static const char *const event_names[MOST_EVENTS] = { "Ir", "Dr", "Dw" };
static const char inlined_file[] = "i.h";

/* "Where a writer has `???` as object or file, it is unknown." */
static const char *written(const char *name)
{
	return *name ? name : "???";
}

static unsigned entry_line(int function)
{
	return 100 + (unsigned)function;
}

static unsigned entry_address(int function)
{
	return d.addresses ? 0x1000 * (unsigned)(function + 1) : 0;
}

/* ---- the text ---- */

static void __attribute__((format(printf, 1, 2))) put(const char *format, ...)
{
	va_list args;
	int size;

	va_start(args, format);
	size = vsnprintf(d.text + d.size, sizeof(d.text) - d.size, format, args);
	va_end(args);
	assert_true(size >= 0 && (size_t)size < sizeof(d.text) - d.size);
	d.size += (size_t)size;
}

static void put_position(unsigned line, unsigned address)
{
	if (d.addresses)
		put("0x%x ", address);
	put("%u", line);
}

/* "fewer costs than events: zeros" */
static void draw_costs(int64_t costs[MOST_EVENTS])
{
	const unsigned given = 1 + chance(&d.seed, d.events);

	for (unsigned e = 0; e < given; e++) {
		const unsigned cost = (e == 0) + chance(&d.seed, 5000);

		put(" %u", cost);
		costs[e] += cost;
	}
	put("\n");
}

static bool same_place(const struct place *one, const struct place *other)
{
	return one->inlined == other->inlined && one->line == other->line &&
	       one->address == other->address;
}

/* Few places, so that some come twice, in other parts and in the same one. */
static struct place draw_place(int function)
{
	struct place place = { .inlined = !chance(&d.seed, 4),
			       .line = 10 * (unsigned)function + chance(&d.seed, 6) };

	if (d.addresses)
		place.address = entry_address(function) + 4 * place.line + 0x100 * place.inlined;
	put("%s=%s\n", place.inlined ? "fi" : "fe",
	    place.inlined ? inlined_file : written(files[function]));
	return place;
}

static void draw_line(int function, int part)
{
	const struct place at = draw_place(function);
	struct line *line = d.line;

	while (line < d.line + d.lines &&
	       (line->function != function || line->part != part || !same_place(&line->at, &at)))
		line++;
	if (line == d.line + d.lines) {
		assert_true(++d.lines <= MOST);
		*line = (struct line){ .function = function, .part = part, .at = at };
	}
	put_position(at.line, at.address);
	draw_costs(line->costs);
}

/* Functions call those behind them, so that none is in a cycle. */
static void draw_call(int caller, int part)
{
	const int callee = caller + 1 + (int)chance(&d.seed, (unsigned)(FUNCTIONS - 1 - caller));
	const struct place from = draw_place(caller);
	const unsigned calls = 1 + chance(&d.seed, 50);
	struct arc *arc = d.arc;

	while (arc < d.arc + d.arcs && (arc->caller != caller || arc->callee != callee ||
					arc->part != part || !same_place(&arc->from, &from)))
		arc++;
	if (arc == d.arc + d.arcs) {
		assert_true(++d.arcs <= MOST);
		*arc = (struct arc){ caller, callee, part, from, 0, { 0 } };
	}
	arc->calls += calls;
	put("cob=%s\ncfi=%s\ncfn=%s\ncalls=%u ", written(objects[callee]), written(files[callee]),
	    names[callee], calls);
	put_position(entry_line(callee), entry_address(callee));
	put("\n");
	put_position(from.line, from.address);
	draw_costs(arc->costs);
}

/* "jcnd=followed/executed dest", "jump=executed dest", then the source */
static void draw_jump(int function, int part)
{
	const struct place from = draw_place(function);
	struct jump *jump = &d.jump[d.jumps];

	for (unsigned i = 0; i < d.jumps; i++)
		if (d.jump[i].function == function && d.jump[i].part == part &&
		    same_place(&d.jump[i].from, &from))
			return;
	assert_true(++d.jumps <= MOST);
	*jump = (struct jump){ .function = function, .part = part, .from = from };
	jump->to.line = from.line + 1 + chance(&d.seed, 9);
	jump->to.address = d.addresses ? from.address + 8 : 0;
	jump->executed = jump->taken = 1 + chance(&d.seed, 900);
	if (chance(&d.seed, 2)) {
		jump->taken = chance(&d.seed, jump->executed);
		put("jcnd=%u/%u ", jump->taken, jump->executed);
	} else {
		put("jump=%u ", jump->executed);
	}
	put_position(jump->to.line, jump->to.address);
	put("\n");
	put_position(from.line, from.address);
	put("\n");
}

static void draw_part(unsigned number)
{
	struct part *part = &d.part[number];
	int64_t totals[MOST_EVENTS] = { 0 };

	*part = (struct part){ 5 + chance(&d.seed, 2), 1 + chance(&d.seed, 2), chance(&d.seed, 2) };
	put("%spid: %u\ncmd: of %u\npart: %u\nthread: %u\n%s", number ? "\n" : "version: 1\n",
	    part->process, part->process, number + 1, part->thread,
	    part->described ? "desc: Trigger: a timer\n" : "");
	put("positions: %sline\nevents: %s", d.addresses ? "instr " : "", event_names[0]);
	for (unsigned e = 1; e < d.events; e++)
		put(" %s", event_names[e]);
	put("\n");
	for (unsigned left = 2 + chance(&d.seed, 6); left; left--) {
		const int function = (int)chance(&d.seed, FUNCTIONS);

		put("ob=%s\nfl=%s\nfn=%s\n", written(objects[function]), written(files[function]),
		    names[function]);
		for (unsigned n = 1 + chance(&d.seed, 8); n; n--) {
			const unsigned kind = chance(&d.seed, 8);

			if (kind < 5)
				draw_line(function, (int)number);
			else if (kind == 5)
				draw_jump(function, (int)number);
			else if (function < FUNCTIONS - 1)
				draw_call(function, (int)number);
		}
	}
	for (unsigned i = 0; i < d.lines; i++)
		for (unsigned e = 0; e < d.events && d.line[i].part == (int)number; e++)
			totals[e] += d.line[i].costs[e];
	put("totals:");
	for (unsigned e = 0; e < d.events; e++)
		put(" %" PRId64, totals[e]);
	put("\n");
}

static struct tl_query *draw(uint32_t seed)
{
	struct tl_query *query;

	memset(&d, 0, sizeof(d));
	d.seed = seed * 7919;
	d.addresses = chance(&d.seed, 2);
	d.events = 1 + chance(&d.seed, MOST_EVENTS);
	d.parts = 1 + chance(&d.seed, MOST_PARTS);
	for (unsigned i = 0; i < d.parts; i++)
		draw_part(i);
	query = ask_file(temp_write(&temp, "drawn", d.text, d.size));
	for (unsigned i = 0; i < FUNCTIONS; i++) {
		static struct rows ids;
		char sql[80];

		snprintf(sql, sizeof(sql), "SELECT id FROM functions WHERE name = '%s'", names[i]);
		ask_rows(query, sql, &ids);
		d.ids[i] = ids.count ? strtoll(ids.list[0], NULL, 10) : -1;
	}
	return query;
}

/* ---- sums of functions ---- */

struct sums {
	int64_t self[MOST_EVENTS], inclusive[MOST_EVENTS];
	unsigned calls;
	bool any;
};

static struct sums sums_of(int function)
{
	struct sums sums = { .any = false };

	for (unsigned i = 0; i < d.lines; i++)
		for (unsigned e = 0; e < d.events && d.line[i].function == function; e++) {
			sums.self[e] += d.line[i].costs[e];
			sums.inclusive[e] += d.line[i].costs[e];
			sums.any = true;
		}
	for (unsigned i = 0; i < d.arcs; i++) {
		if (d.arc[i].callee == function) {
			sums.calls += d.arc[i].calls;
			sums.any = true;
		}
		for (unsigned e = 0; e < d.events && d.arc[i].caller == function; e++) {
			sums.inclusive[e] += d.arc[i].costs[e];
			sums.any = true;
		}
	}
	return sums;
}

/* A number that is not known, 0, is an empty value. */
static const char *known(unsigned number, char text[16])
{
	snprintf(text, 16, "%u", number);
	return number ? text : "";
}

static const char *file_of(int function, const struct place *place)
{
	return place->inlined ? inlined_file : files[function];
}

/* ---- what the tables hold ---- */

static void want_functions(void)
{
	clear_rows(&wanted);
	for (int f = 0; f < FUNCTIONS; f++) {
		const struct sums sums = sums_of(f);

		assert_int_equal(sums.any, d.ids[f] >= 0);
		if (sums.any)
			add_row(&wanted, "%" PRId64 ",%s,%s,%s,%u,0,%" PRId64 ",%" PRId64 ",,,,,,",
				d.ids[f], names[f], objects[f], files[f], sums.calls, sums.self[0],
				sums.inclusive[0]);
	}
}

static void want_costs(int function)
{
	clear_rows(&wanted);
	for (int f = 0; f < FUNCTIONS; f++) {
		const struct sums sums = sums_of(f);

		for (unsigned e = 0; e < d.events && sums.any; e++)
			if (function == ANY || function == f)
				add_row(&wanted, "%" PRId64 ",%s,%" PRId64 ",%" PRId64, d.ids[f],
					event_names[e], sums.self[e], sums.inclusive[e]);
	}
}

static void want_events(void)
{
	clear_rows(&wanted);
	for (unsigned e = 0; e < d.events; e++) {
		int64_t total = 0;

		for (int f = 0; f < FUNCTIONS; f++)
			total += sums_of(f).self[e];
		add_row(&wanted, "%u,%s,%" PRId64 ",", e, event_names[e], total);
	}
}

static void want_arcs(int caller, int callee)
{
	char line[16], address[16];

	clear_rows(&wanted);
	for (unsigned i = 0; i < d.arcs; i++) {
		const struct arc *arc = &d.arc[i];

		if ((caller != ANY && arc->caller != caller) ||
		    (callee != ANY && arc->callee != callee))
			continue;
		for (unsigned e = 0; e < d.events; e++)
			add_row(&wanted, "%" PRId64 ",%" PRId64 ",%d,%s,%s,%s,%u,%u,%s,%" PRId64,
				d.ids[arc->caller], d.ids[arc->callee], arc->part,
				file_of(arc->caller, &arc->from), known(arc->from.line, line),
				known(arc->from.address, address), entry_line(arc->callee),
				arc->calls, event_names[e], arc->costs[e]);
	}
}

static void want_lines(int function, unsigned address)
{
	char text[16], number[16];

	clear_rows(&wanted);
	for (unsigned i = 0; i < d.lines; i++) {
		const struct line *line = &d.line[i];

		if ((function != ANY && line->function != function) ||
		    (address && line->at.address != address))
			continue;
		for (unsigned e = 0; e < d.events; e++)
			add_row(&wanted, "%" PRId64 ",%d,%s,%s,%s,%s,%" PRId64,
				d.ids[line->function], line->part,
				file_of(line->function, &line->at), known(line->at.line, text),
				known(line->at.address, number), event_names[e], line->costs[e]);
	}
}

static void want_jumps(int function)
{
	char texts[4][16];

	clear_rows(&wanted);
	for (unsigned i = 0; i < d.jumps; i++) {
		const struct jump *jump = &d.jump[i];

		if (function == ANY || jump->function == function)
			add_row(&wanted, "%" PRId64 ",%s,%s,%s,%s,%u,%u", d.ids[jump->function],
				known(jump->from.line, texts[0]),
				known(jump->from.address, texts[1]), known(jump->to.line, texts[2]),
				known(jump->to.address, texts[3]), jump->executed, jump->taken);
	}
}

static void want_parts(int number)
{
	clear_rows(&wanted);
	for (int i = 0; i < (int)d.parts; i++)
		if (number == ANY || number == i)
			add_row(&wanted, "%d,%u,%u,%d,of %u,%d,,", i, d.part[i].process,
				d.part[i].thread, i + 1, d.part[i].process, d.part[i].described);
}

/* A thread is a process and a number, of all parts. */
static void want_threads(unsigned number)
{
	clear_rows(&wanted);
	for (unsigned process = 5; process < 7; process++)
		for (unsigned thread = 1; thread < 3; thread++) {
			unsigned parts = 0;

			for (unsigned i = 0; i < d.parts; i++)
				parts += d.part[i].process == process && d.part[i].thread == thread;
			if (parts && (!number || number == thread))
				add_row(&wanted, "%u,%u,of %u,,,%u", process, thread, process,
					parts);
		}
}

/* ---- the tests ---- */

#define FUNCTION_COLUMNS                                                                           \
	"id, name, object, file, calls, unfinished, self, inclusive, min, median, p90, p99, max, " \
	"sum"
#define PART_COLUMNS                                                                               \
	"id, process, thread, number, command, header IS NOT NULL AND instr(header, 'a timer') > " \
	"0, "                                                                                      \
	"first, last"

TEST(whole_tables_of_drawn_sums)
{
	for (uint32_t seed = 1; seed <= ROUNDS; seed++) {
		struct tl_query *query = draw(seed);

		want_functions();
		expect_asked(query, "SELECT " FUNCTION_COLUMNS " FROM functions", &wanted);
		want_costs(ANY);
		expect_asked(query, "SELECT * FROM costs", &wanted);
		want_events();
		expect_asked(query, "SELECT id, name, total, frequency FROM events", &wanted);
		want_arcs(ANY, ANY);
		expect_asked(query, "SELECT * FROM arcs", &wanted);
		want_lines(ANY, 0);
		expect_asked(query, "SELECT * FROM lines", &wanted);
		want_jumps(ANY);
		expect_asked(query, "SELECT * FROM jumps", &wanted);
		want_parts(ANY);
		expect_asked(query, "SELECT " PART_COLUMNS " FROM parts", &wanted);
		want_threads(0);
		expect_asked(query, "SELECT process, thread, name, first, last, parts FROM threads",
			     &wanted);
		clear_rows(&wanted);
		expect_asked(query, "SELECT * FROM losses", &wanted);
		expect_asked(query, "SELECT * FROM contexts", &wanted);
		tl_query_close(query);
	}
}

static void expect_keys_of(struct tl_query *query, int f)
{
	char sql[200];

	want_costs(f);
	snprintf(sql, sizeof(sql), "SELECT * FROM costs WHERE function = %" PRId64, d.ids[f]);
	expect_asked(query, sql, &wanted);
	want_arcs(f, ANY);
	snprintf(sql, sizeof(sql), "SELECT * FROM arcs WHERE caller = %" PRId64, d.ids[f]);
	expect_asked(query, sql, &wanted);
	want_arcs(ANY, f);
	snprintf(sql, sizeof(sql), "SELECT * FROM arcs WHERE callee = %" PRId64, d.ids[f]);
	expect_asked(query, sql, &wanted);
	want_arcs(0, f);
	snprintf(sql, sizeof(sql),
		 "SELECT * FROM arcs WHERE callee = %" PRId64 " AND caller = %" PRId64, d.ids[f],
		 d.ids[0]);
	expect_asked(query, sql, &wanted);
	want_lines(f, 0);
	snprintf(sql, sizeof(sql), "SELECT * FROM lines WHERE function = %" PRId64, d.ids[f]);
	expect_asked(query, sql, &wanted);
	want_jumps(f);
	snprintf(sql, sizeof(sql), "SELECT * FROM jumps WHERE function = %" PRId64, d.ids[f]);
	expect_asked(query, sql, &wanted);
}

/* By each function, and by numbers that no row has. */
TEST(rows_of_a_function)
{
	static const char *const none[] = {
		"costs WHERE function = -2",    "arcs WHERE caller = 1000000",
		"arcs WHERE callee = -2",       "lines WHERE function = 1000000",
		"jumps WHERE function = -2",    "lines WHERE address = 3",
		"functions WHERE id = 1000000", "parts WHERE id = 4",
		"threads WHERE thread = 3",     "functions WHERE id IS NULL",
	};

	for (uint32_t seed = 1; seed <= ROUNDS; seed++) {
		struct tl_query *query = draw(seed);

		for (int f = 0; f < FUNCTIONS; f++)
			if (d.ids[f] >= 0 && d.ids[0] >= 0)
				expect_keys_of(query, f);
		clear_rows(&wanted);
		for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
			char sql[80];

			snprintf(sql, sizeof(sql), "SELECT * FROM %s", none[i]);
			expect_asked(query, sql, &wanted);
		}
		tl_query_close(query);
	}
}

TEST(rows_of_an_address_a_part_and_a_thread)
{
	for (uint32_t seed = 1; seed <= ROUNDS; seed++) {
		struct tl_query *query = draw(seed);
		char sql[160];

		for (unsigned i = 0; i < d.lines && d.addresses; i += 3) {
			want_lines(ANY, d.line[i].at.address);
			snprintf(sql, sizeof(sql), "SELECT * FROM lines WHERE address = %u",
				 d.line[i].at.address);
			expect_asked(query, sql, &wanted);
		}
		for (int i = 0; i < (int)d.parts; i++) {
			want_parts(i);
			snprintf(sql, sizeof(sql),
				 "SELECT " PART_COLUMNS " FROM parts WHERE id = %d", i);
			expect_asked(query, sql, &wanted);
		}
		for (unsigned thread = 1; thread < 3; thread++) {
			want_threads(thread);
			snprintf(sql, sizeof(sql),
				 "SELECT process, thread, name, first, last, parts FROM threads "
				 "WHERE thread = %u",
				 thread);
			expect_asked(query, sql, &wanted);
		}
		tl_query_close(query);
	}
}

/* Names are found by the numbers that other tables have, one by one. */
TEST(tables_that_are_joined)
{
	for (uint32_t seed = 1; seed <= ROUNDS; seed++) {
		struct tl_query *query = draw(seed);

		clear_rows(&wanted);
		for (unsigned i = 0; i < d.arcs; i++)
			add_row(&wanted, "%s,%s,%u", names[d.arc[i].caller], names[d.arc[i].callee],
				d.part[d.arc[i].part].thread);
		expect_asked(
			query,
			"SELECT f.name, g.name, p.thread FROM arcs a JOIN functions f ON f.id = "
			"a.caller JOIN functions g ON g.id = a.callee JOIN parts p ON p.id = "
			"a.part WHERE a.event = 'Ir'",
			&wanted);
		tl_query_close(query);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_tables_of_drawn_sums),
		cmocka_unit_test(rows_of_a_function),
		cmocka_unit_test(rows_of_an_address_a_part_and_a_thread),
		cmocka_unit_test(tables_that_are_joined),
	};

	return cmocka_run_group_tests(tests, temp_setup, temp_teardown);
}
