/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The steps of a flame graph one by one: functions of two profiles that are the same, columns of
 * threads, the tree of paths, the frames that are drawn, the table beside it and the texts. Each is
 * held against a plain search that follows the sentences at the head of its source.
 */
#include "flame_helper.h"

#include <stdio.h>

#include "../chance.h"
#include "export/flame/flame.h"
#include "profile/model/model.h"
#include "profile/model/unsized.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- texts ---- */

TEST(markup_is_escaped)
{
	static const struct {
		const char *text, *wanted;
	} cases[] = {
		{ "", "" },
		{ "plain 'text'", "plain 'text'" },
		{ "a<b>&\"c\"", "a&lt;b&gt;&amp;&quot;c&quot;" },
		{ "&amp;", "&amp;amp;" },
		{ "tab\tline\n\x1f!\x7f", "tab line  !\x7f" },
		{ "\xc3\xa9\xff<\xe2\x82", "\xc3\xa9\xef\xbf\xbd&lt;\xef\xbf\xbd\xef\xbf\xbd" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct tl_output *out;
		size_t size;
		char *text;

		assert_int_equal(tl_output_open_memory(&out, NULL), 0);
		tl_flame_put_markup(out, cases[i].text, strlen(cases[i].text));
		text = take_output(out, &size);
		assert_string_equal(text, cases[i].wanted);
		free(text);
	}
}

TEST(numbers_have_groups)
{
	static const struct {
		uint64_t number;
		const char *text;
	} cases[] = {
		{ 0, "0" },
		{ 999, "999" },
		{ 1000, "1,000" },
		{ 12345, "12,345" },
		{ 123456, "123,456" },
		{ 1000000, "1,000,000" },
		{ UINT64_MAX, "18,446,744,073,709,551,615" },
	};
	char text[32];

	for (size_t i = 0; i < COUNT(cases); i++)
		assert_string_equal(tl_flame_grouped(cases[i].number, text), cases[i].text);
}

/* Without a total each cost that is none counts as the whole. */
TEST(shares_have_no_sign)
{
	static const struct {
		int64_t cost, total;
		double share;
	} cases[] = { { 1, 4, 0.25 }, { -1, 4, 0.25 }, { 1, -4, 0.25 },
		      { 0, 4, 0 },    { 12, 4, 3 },    { 0, 0, 0 },
		      { 5, 0, 1 },    { -5, 0, 1 },    { INT64_MIN, INT64_MIN, 1 } };

	for (size_t i = 0; i < COUNT(cases); i++)
		assert_true(tl_flame_share(cases[i].cost, cases[i].total) == cases[i].share);
}

/* ---- functions ---- */

/* The steps up to `last`, of a profile and perhaps a baseline. */
enum last { MATCH, COLUMNS, GROW, PRUNE };

static void begin(struct tl_flame *flame, const struct tl_profile *profile,
		  const struct tl_profile *baseline, enum last last)
{
	const uint32_t events = tl_profile_event_count(profile);

	flame->profile[0] = flame->contexts[0] = profile;
	flame->profile[1] = flame->contexts[1] = baseline;
	flame->event_count = events;
	for (int side = 0; side < 2; side++) {
		flame->events[side] = calloc(events, sizeof(uint32_t));
		assert_non_null(flame->events[side]);
		for (uint32_t e = 0; e < events; e++)
			flame->events[side][e] = e;
	}
	if (!flame->options.most_depth)
		flame->options.most_depth = 100;
	if (!flame->options.most_frames)
		flame->options.most_frames = 10000;
	assert_true(tl_flame_match(flame));
	if (last >= COLUMNS)
		assert_true(tl_flame_assign_columns(flame));
	if (last >= GROW)
		assert_true(tl_flame_grow(flame));
	if (last >= PRUNE)
		assert_true(tl_flame_prune(flame));
}

static void end(struct tl_flame *flame)
{
	void *arrays[] = { flame->events[0],         flame->events[1],
			   flame->functions.all,     flame->functions.of[0],
			   flame->functions.of[1],   flame->columns.of_part,
			   flame->columns.part_of,   flame->tree.nodes,
			   flame->tree.node_of[0],   flame->tree.node_of[1],
			   flame->tree.inclusive[0], flame->tree.inclusive[1],
			   flame->tree.score,        flame->drawn.frames,
			   flame->drawn.cells,       flame->drawn.self };

	for (size_t i = 0; i < COUNT(arrays); i++)
		free(arrays[i]);
	tl_index_free(&flame->tree.index);
}

static struct tl_profile *drawn_functions(uint32_t *seed, uint32_t count)
{
	static const char *const objects[] = { "", "p", "q" }, *const files[] = { "", "a.c" },
				 *const names[] = { "f", "g", "h", "i", "j", "k", "l", "m" };
	struct tl_profile *profile = new_profile(0, 1);

	for (uint32_t i = 0; i < count; i++)
		add_function(profile, objects[chance(seed, COUNT(objects))],
			     files[chance(seed, COUNT(files))], names[chance(seed, COUNT(names))],
			     0);
	finish(profile);
	return profile;
}

static bool is_same(const struct tl_function *f, const struct tl_function *g)
{
	return !strcmp(f->object, g->object) && !strcmp(f->file, g->file) &&
	       !strcmp(f->name, g->name);
}

/* The function of the other profile that is the same in all, TL_NONE: none. */
static uint32_t same_of(const struct tl_profile *other, const struct tl_function *f)
{
	for (uint32_t i = 0; i < tl_profile_function_count(other); i++)
		if (is_same(tl_profile_function(other, i), f))
			return i;
	return TL_NONE;
}

/* How many of a name have no function that is the same; *last: one of them. */
static uint32_t left_of_name(const struct tl_profile *profile, const struct tl_profile *other,
			     const char *name, uint32_t *last)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < tl_profile_function_count(profile); i++) {
		const struct tl_function *f = tl_profile_function(profile, i);

		if (strcmp(f->name, name) || same_of(other, f) != TL_NONE)
			continue;
		*last = i;
		count++;
	}
	return count;
}

/*
 * "A function of the baseline is the one of the profile with the same object, file and name; else
 * with the same name, if each side has one of that name left; else a further one."
 */
TEST(functions_of_two_profiles_are_matched)
{
	uint32_t seed = 1;

	for (uint32_t round = 0; round < 200; round++) {
		struct tl_profile *after = drawn_functions(&seed, 1 + round % 20),
				  *before = drawn_functions(&seed, 1 + round % 17);
		const uint32_t count = tl_profile_function_count(after),
			       theirs = tl_profile_function_count(before);
		uint32_t further = count;
		struct tl_flame flame = { .common = true };

		begin(&flame, after, before, MATCH);
		for (uint32_t i = 0; i < count; i++) {
			assert_int_equal(flame.functions.of[0][i], i);
			assert_ptr_equal(flame.functions.all[i], tl_profile_function(after, i));
		}
		for (uint32_t i = 0; i < theirs; i++) {
			const struct tl_function *f = tl_profile_function(before, i);
			uint32_t wanted = same_of(after, f), ours = TL_NONE, of_them;

			if (wanted == TL_NONE && left_of_name(after, before, f->name, &ours) == 1 &&
			    left_of_name(before, after, f->name, &of_them) == 1)
				wanted = ours;
			if (wanted == TL_NONE) {
				assert_ptr_equal(flame.functions.all[further], f);
				wanted = further++;
			}
			assert_int_equal(flame.functions.of[1][i], wanted);
		}
		assert_int_equal(flame.functions.count, further);
		/* behind those of the profiles stands the one of an estimate */
		assert_int_equal(flame.functions.of[0][count], further + TL_FLAME_OTHER);
		assert_int_equal(flame.functions.of[1][theirs], further + TL_FLAME_OTHER);
		end(&flame);
		tl_profile_free(after);
		tl_profile_free(before);
	}
}

TEST(frames_have_names)
{
	struct tl_profile *profile = new_profile(0, 1);
	struct tl_flame flame = { .options = { .most_depth = 7 } };
	const uint32_t f = add_function(profile, "", "", "f", 0),
		       unknown = add_function(profile, "", "", "", 0);
	char room[64];

	add_part(profile, 1, 5, "");
	add_part(profile, 1, 6, "worker");
	finish(profile);
	begin(&flame, profile, NULL, COLUMNS);
	assert_string_equal(tl_flame_name(&flame, f, room, sizeof(room)), "f");
	assert_string_equal(tl_flame_name(&flame, unknown, room, sizeof(room)), "???");
	assert_string_equal(tl_flame_name(&flame, 2 + TL_FLAME_ALL, room, sizeof(room)), "all");
	assert_string_equal(tl_flame_name(&flame, 2 + TL_FLAME_OTHER, room, sizeof(room)),
			    "(other)");
	assert_string_equal(tl_flame_name(&flame, 2 + TL_FLAME_DEEPER, room, sizeof(room)),
			    "(deeper than 7 frames)");
	assert_string_equal(tl_flame_name(&flame, 2 + TL_FLAME_THREADS, room, sizeof(room)),
			    "thread 5");
	assert_string_equal(tl_flame_name(&flame, 3 + TL_FLAME_THREADS, room, sizeof(room)),
			    "worker (6)");
	assert_false(tl_flame_special(&flame, unknown));
	assert_true(tl_flame_special(&flame, 2));
	end(&flame);
	tl_profile_free(profile);
}

/* ---- columns ---- */

/* Parts with these costs in all, half of each below zero. */
static struct tl_profile *parts_of(const int64_t *costs, uint32_t count)
{
	struct tl_profile *profile = new_profile(0, 1);
	const uint32_t f = add_function(profile, "", "", "f", 0);

	for (uint32_t part = 0; part < count; part++) {
		uint32_t outer;

		add_part(profile, 1, part / 2, "");
		outer = add_context(profile, TL_NONE, f, part, 1, costs[part] - costs[part] / 2);
		add_context(profile, outer, f, part, 1, -(costs[part] / 2));
	}
	finish(profile);
	return profile;
}

/* "The parts with the greatest cost have a column each, in the order of parts"; of 33 one does not
 * have its own. */
TEST(the_largest_parts_have_columns)
{
	uint32_t seed = 3;

	for (uint32_t parts = 1; parts < 90; parts += parts < 31 ? 10 : 1) {
		int64_t costs[90];
		struct tl_flame flame = { .common = true };
		struct tl_profile *profile;
		const bool shared = parts > TL_FLAME_MOST_COLUMNS;
		uint32_t column = 0;

		for (uint32_t i = 0; i < parts; i++)
			costs[i] = chance(&seed, 50);
		profile = parts_of(costs, parts);
		begin(&flame, profile, NULL, COLUMNS);
		assert_int_equal(flame.columns.last_shared, shared);
		assert_int_equal(flame.columns.count, shared ? TL_FLAME_MOST_COLUMNS : parts);
		for (uint32_t i = 0; i < parts; i++) {
			uint32_t larger = 0;

			for (uint32_t j = 0; j < parts; j++)
				larger += costs[j] > costs[i] || (costs[j] == costs[i] && j < i);
			if (shared && larger >= TL_FLAME_MOST_COLUMNS - 1) {
				assert_int_equal(flame.columns.of_part[i],
						 TL_FLAME_MOST_COLUMNS - 1);
				continue;
			}
			assert_int_equal(flame.columns.of_part[i], column);
			assert_int_equal(flame.columns.part_of[column++], i);
		}
		end(&flame);
		tl_profile_free(profile);
	}
}

/* Two parts of one thread are told apart by their numbers, where both have a column. */
TEST(columns_have_titles)
{
	static const int64_t costs[90] = { [3] = 5 };
	struct tl_profile *profile = parts_of(costs, 4), *many = parts_of(costs, 90), *one,
			  *numbered = new_profile(0, 1);
	struct tl_flame flame = { 0 }, large = { 0 }, compared = { 0 }, single = { 0 },
			again = { 0 };
	char title[64];

	begin(&flame, profile, NULL, COLUMNS);
	tl_flame_column_title(&flame, 3, title, sizeof(title));
	assert_string_equal(title, "thread 1, part 4");
	end(&flame);
	/* 3 and 0 to 29: part 30, which is of the thread of 31, is the last one of its own */
	begin(&large, many, NULL, COLUMNS);
	tl_flame_column_title(&large, TL_FLAME_MOST_COLUMNS - 1, title, sizeof(title));
	assert_string_equal(title, "all other threads");
	tl_flame_column_title(&large, TL_FLAME_MOST_COLUMNS - 2, title, sizeof(title));
	assert_string_equal(title, "thread 15");
	tl_flame_column_title(&large, 2, title, 9);
	assert_string_equal(title, "thread 1");
	end(&large);
	begin(&compared, profile, many, COLUMNS);
	assert_int_equal(compared.columns.count, 2);
	tl_flame_column_title(&compared, 0, title, sizeof(title));
	assert_string_equal(title, "after");
	tl_flame_column_title(&compared, 1, title, 4);
	assert_string_equal(title, "bef");
	end(&compared);
	one = parts_of(costs, 1);
	begin(&single, one, NULL, COLUMNS);
	assert_int_equal(single.columns.count, 1);
	tl_flame_column_title(&single, 0, title, sizeof(title));
	assert_string_equal(title, "all");
	end(&single);
	for (uint32_t part = 0; part < 2; part++)
		assert_int_equal(tl_profile_put_part(numbered,
						     &(struct tl_part){ .process = 1,
									.thread = 4,
									.command = "",
									.header = part ? "b" : "a",
									.number = 40 + part },
						     NULL),
				 part);
	finish(numbered);
	begin(&again, numbered, NULL, COLUMNS);
	tl_flame_column_title(&again, 1, title, sizeof(title));
	assert_string_equal(title, "thread 4, part 41");
	end(&again);
	tl_profile_free(numbered);
	tl_profile_free(one);
	tl_profile_free(many);
	tl_profile_free(profile);
}

/* ---- paths and frames ---- */

enum { DRAWN_FUNCTIONS = 6 };

/* Contexts in any tree, of parts in turn, with costs of both events that may be below zero. */
static struct tl_profile *drawn_contexts(uint32_t *seed, uint32_t count, uint32_t parts,
					 int64_t least)
{
	struct tl_profile *profile = new_profile(0, 2);
	uint32_t contexts[200];

	for (uint32_t part = 0; part < parts; part++)
		add_part(profile, 1, part + 1, "");
	for (uint32_t f = 0; f < DRAWN_FUNCTIONS; f++)
		add_function(profile, "", "", (const char[2]){ (char)('f' - f), '\0' }, 0);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t parent = chance(seed, i + 1), part = chance(seed, parts);
		const int64_t costs[2] = { least + chance(seed, 100), chance(seed, 50) };

		if (parent < i)
			part = tl_profile_context(profile, contexts[parent])->part;
		contexts[i] = add_context(profile, parent == i ? TL_NONE : contexts[parent],
					  chance(seed, DRAWN_FUNCTIONS), part, 0, 0);
		tl_profile_add_context_cost(profile, contexts[i], 1 + chance(seed, 5), costs);
	}
	finish(profile);
	return profile;
}

/*
 * The path of a context as numbers of functions; below `most` frames it is one frame more, of what
 * is deeper.
 */
static void context_path(const struct tl_profile *profile, uint32_t context, uint32_t most,
			 char *path)
{
	uint32_t chain[200], depth = 0;

	for (; context != TL_NONE; context = tl_profile_context(profile, context)->parent)
		chain[depth++] = tl_profile_context(profile, context)->function;
	*path = '\0';
	for (uint32_t i = 0; i < depth && i <= most; i++)
		strcat(path,
		       i == most ? "!" : (const char[2]){ (char)('0' + chain[depth - 1 - i]) });
}

static void node_path(const struct tl_flame *flame, uint32_t node, char *path)
{
	const struct tl_flame_node *at = &flame->tree.nodes[node];

	*path = '\0';
	if (!node)
		return;
	node_path(flame, at->parent, path);
	strcat(path, at->function == flame->functions.count + TL_FLAME_DEEPER
			     ? "!"
			     : (const char[2]){ (char)('0' + at->function) });
}

/* Each path is one node, which has what it and all paths below it cost. */
TEST(paths_are_nodes)
{
	uint32_t seed = 5;

	for (uint32_t round = 0; round < 40; round++) {
		struct tl_profile *after = drawn_contexts(&seed, 1 + 2 * round, 1 + round % 3, 1),
				  *before = drawn_contexts(&seed, 1 + round, 1, 1);
		const struct tl_profile *sides[] = { after, round % 2 ? before : NULL };
		const uint32_t most = round % 4 ? 100 : 3;
		struct tl_flame flame = { .options = { .most_depth = most } };
		uint64_t too_deep = 0;

		begin(&flame, after, sides[1], GROW);
		for (int side = 0; side < 2 && sides[side]; side++)
			for (uint32_t n = 0; n < flame.tree.count; n++) {
				char wanted[210], path[210];
				int64_t cost[2] = { 0, 0 };
				uint32_t same = 0;

				node_path(&flame, n, wanted);
				for (uint32_t i = 0; i < tl_profile_context_count(sides[side]);
				     i++) {
					const int64_t *self =
						tl_profile_context_self(sides[side], i);

					context_path(sides[side], i, most, path);
					if (strncmp(path, wanted, strlen(wanted)))
						continue;
					cost[0] += self[0];
					cost[1] += self[1];
					if (strcmp(path, wanted))
						continue;
					assert_int_equal(flame.tree.node_of[side][i], n);
					too_deep += strchr(path, '!') != NULL;
					same++;
				}
				assert_int_equal(flame.tree.inclusive[side][2 * n], cost[0]);
				assert_int_equal(flame.tree.inclusive[side][2 * n + 1], cost[1]);
				assert_int_equal(flame.tree.nodes[n].depth, strlen(wanted));
				assert_true(same || !n || sides[1]);
			}
		assert_int_equal(flame.drawn.too_deep, too_deep);
		end(&flame);
		tl_profile_free(after);
		tl_profile_free(before);
	}
}

static double at_most_so_many(const struct tl_flame *flame, size_t count)
{
	double least = 2;

	for (size_t n = 1; n < flame->tree.count; n++) {
		size_t larger = 0;

		for (size_t other = 1; other < flame->tree.count; other++)
			larger += flame->tree.score[other] > flame->tree.score[n] ||
				  (flame->tree.score[other] == flame->tree.score[n] && other < n);
		if (larger < count && flame->tree.score[n] < least)
			least = flame->tree.score[n];
	}
	return least;
}

/*
 * Frames are drawn depth first, siblings by name, what is left out behind them; the costs of all
 * cells are those of the columns.
 */
TEST(drawn_frames_have_all_costs)
{
	static const struct {
		double threshold;
		uint32_t most;
	} limits[] = { { 0, 10000 }, { 3, 10000 }, { 101, 10000 }, { 0, 9 }, { 0, 1 } };
	uint32_t seed = 6;

	for (uint32_t round = 0; round < 50; round++) {
		const size_t limit = round % COUNT(limits);
		const uint32_t parts = 1 + round % 3;
		struct tl_profile *profile = drawn_contexts(&seed, 20 + 2 * round, parts, 1);
		struct tl_flame flame = { .options = { .threshold = limits[limit].threshold,
						       .most_frames = limits[limit].most } };
		int64_t cells[3][2] = { { 0, 0 } }, wanted[3][2] = { { 0, 0 } };
		uint32_t ordinary = 0;

		begin(&flame, profile, NULL, PRUNE);
		for (uint32_t i = 0; i < flame.drawn.frame_count; i++) {
			const struct tl_flame_node *frame = &flame.drawn.frames[i];
			const bool other =
				frame->function == flame.functions.count + TL_FLAME_OTHER;

			ordinary += i && !other;
			assert_true(frame->parent < i || !i);
			if (!i)
				continue;
			assert_int_equal(frame->depth, flame.drawn.frames[frame->parent].depth + 1);
			for (uint32_t before = frame->parent + 1; before < i; before++) {
				const struct tl_flame_node *sibling = &flame.drawn.frames[before];

				if (sibling->parent != frame->parent)
					continue;
				/* functions are named from f to a, in the order of their numbers */
				assert_true(other || sibling->function > frame->function);
				assert_int_not_equal(sibling->function, frame->function);
			}
		}
		assert_true(ordinary <= limits[limit].most);
		assert_int_equal(flame.drawn.left_out, flame.tree.count - 1 - ordinary);
		if (limits[limit].most < 10000)
			assert_true(flame.drawn.threshold ==
				    at_most_so_many(&flame, limits[limit].most));
		for (size_t n = 1; n < flame.tree.count && limits[limit].most == 10000; n++)
			ordinary -= 100 * flame.tree.score[n] >= limits[limit].threshold;
		if (limits[limit].most == 10000)
			assert_int_equal(ordinary, 0);
		for (size_t i = 0; i < flame.drawn.cell_count; i++)
			for (uint32_t e = 0; e < 2; e++)
				cells[flame.drawn.cells[i].column][e] +=
					flame.drawn.self[2 * i + e];
		for (uint32_t i = 0; i < tl_profile_context_count(profile); i++)
			for (uint32_t e = 0; e < 2; e++)
				wanted[tl_profile_context(profile, i)->part][e] +=
					tl_profile_context_self(profile, i)[e];
		assert_memory_equal(cells, wanted, sizeof(cells));
		end(&flame);
		tl_profile_free(profile);
	}
}

/* ---- the table beside it ---- */

static void assert_row(const struct tl_flame *flame, const struct tl_flame_rows *rows, size_t at,
		       uint32_t part)
{
	const struct tl_flame_row *row = &rows->rows[at];
	struct tl_function_totals totals;

	tl_profile_totals_of(flame->profile[0], row->function, part, &totals);
	assert_int_equal(row->calls, totals.calls);
	assert_memory_equal(rows->costs + 4 * at, totals.self, 2 * sizeof(int64_t));
	assert_memory_equal(rows->costs + 4 * at + 2, totals.inclusive, 2 * sizeof(int64_t));
}

/* "The totals of the profile, for all columns together and for each column." */
TEST(rows_are_totals_of_functions)
{
	uint32_t seed = 7;

	for (uint32_t round = 0; round < 30; round++) {
		const uint32_t parts = 1 + round % 4;
		struct tl_profile *profile = drawn_contexts(&seed, 1 + round, parts, 0);
		struct tl_flame flame = { .common = true };
		struct tl_flame_rows rows = { .count = 0 };
		size_t wanted = 0;

		begin(&flame, profile, NULL, COLUMNS);
		assert_true(tl_flame_rows_collect(&rows, &flame));
		for (size_t i = 0; i < rows.count; i++) {
			assert_row(&flame, &rows, i, parts == 1 ? TL_NONE : rows.rows[i].column);
			for (size_t j = 0; j < i; j++)
				assert_true(rows.rows[i].function != rows.rows[j].function ||
					    rows.rows[i].column != rows.rows[j].column);
		}
		for (uint32_t part = 0; part <= parts; part++)
			for (uint32_t f = 0; f < DRAWN_FUNCTIONS; f++) {
				struct tl_function_totals totals;

				tl_profile_totals_of(profile, f, part == parts ? TL_NONE : part,
						     &totals);
				wanted += (parts > 1 || part == parts) && totals.calls > 0;
			}
		assert_int_equal(rows.count, wanted);
		assert_int_equal(rows.left_out, 0);
		tl_flame_rows_free(&rows);
		end(&flame);
		tl_profile_free(profile);
	}
}

/* The largest 5000 by inclusive cost; those that were called without cost come behind all. */
TEST(many_functions_are_the_largest)
{
	enum { FUNCTIONS = TL_FLAME_MOST_ROWS + 40, CALLED = 30 };
	struct tl_profile *profile = new_profile(0, 1);
	struct tl_flame flame = { .common = true };
	struct tl_flame_rows rows = { .count = 0 };
	bool seen[FUNCTIONS + CALLED] = { false };
	const uint32_t part = add_part(profile, 1, 1, "");

	for (uint32_t i = 0; i < FUNCTIONS + CALLED; i++) {
		char name[16];

		snprintf(name, sizeof(name), "f%u", (unsigned)i);
		add_context(profile, TL_NONE, add_function(profile, "", "", name, 0), part, 1,
			    i < FUNCTIONS ? (int64_t)(i * UINT32_C(7919) % FUNCTIONS) : 0);
	}
	finish(profile);
	begin(&flame, profile, NULL, COLUMNS);
	assert_true(tl_flame_rows_collect(&rows, &flame));
	assert_int_equal(rows.count, TL_FLAME_MOST_ROWS);
	assert_int_equal(rows.left_out, FUNCTIONS + CALLED - TL_FLAME_MOST_ROWS);
	for (size_t i = 0; i < rows.count; i++)
		seen[rows.rows[i].function] = true;
	for (uint32_t i = 0; i < FUNCTIONS + CALLED; i++)
		assert_int_equal(seen[i], i < FUNCTIONS && i * UINT32_C(7919) % FUNCTIONS >= 40);
	tl_flame_rows_free(&rows);
	end(&flame);
	tl_profile_free(profile);
}

/* ---- sentences below it ---- */

static void take_note(void *arg, const char *text)
{
	strcat(strcat(arg, text), "\n");
}

TEST(notes_say_what_is_not_drawn)
{
	static const struct {
		struct tl_losses losses;
		uint64_t left_out, too_deep;
		double threshold;
		bool emulated;
		int64_t least;
		uint32_t columns;
		const char *notes;
	} cases[] = {
		{ .columns = 1, .notes = "" },
		{ .columns = 1,
		  .losses = { .unfinished = 1, .orphan_exits = 1, .skipped_bytes = 1 },
		  .notes = "1 call had not ended when the trace did; its cost is counted, the call "
			   "is not.\n1 exit has no entry in the trace and is left out.\n"
			   "1 byte of the trace is damaged and skipped.\n" },
		{ .columns = 1,
		  .losses = { .unfinished = 1234, .orphan_exits = 2, .skipped_bytes = 3000 },
		  .notes = "1,234 calls had not ended when the trace did; their cost is counted, "
			   "the "
			   "calls are not.\n2 exits have no entry in the trace and are left out.\n"
			   "3,000 bytes of the trace are damaged and skipped.\n" },
		{ .columns = 1,
		  .left_out = 1,
		  .threshold = 0.0525,
		  .notes = "1 stack below 5.2 % of the total is summed into its caller as "
			   "\"(other)\".\n" },
		{ .columns = 2,
		  .left_out = 4321,
		  .threshold = 0.001,
		  .notes = "4,321 stacks below 0.1 % of the total, and of their thread's, are "
			   "summed "
			   "into their callers as \"(other)\".\n" },
		{ .columns = 1,
		  .too_deep = 1,
		  .notes = "Stacks are drawn 9 frames deep; 1 below that is summed.\n" },
		{ .columns = 1,
		  .too_deep = 1000,
		  .emulated = true,
		  .notes = "An emulator ran the program: times are the emulator's.\n"
			   "Stacks are drawn 9 frames deep; 1,000 below that are summed.\n" },
		{ .columns = 1,
		  .least = -1,
		  .notes = "Some costs are below zero: they count in the totals, and have no "
			   "width.\n" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct tl_profile *profile = new_profile(0, 1);
		struct tl_flame_cell cell = { 0, 0, 0 };
		int64_t self = cases[i].least;
		struct tl_flame flame = {
			.profile = { profile },
			.options = { .most_depth = 9 },
			.columns = { .count = cases[i].columns },
			.event_count = 1,
			.drawn = { .left_out = cases[i].left_out,
				   .too_deep = cases[i].too_deep,
				   .threshold = cases[i].threshold,
				   .cells = &cell,
				   .cell_count = 1,
				   .self = &self },
		};
		char text[1024] = "";

		profile->losses = cases[i].losses;
		profile->emulated = cases[i].emulated;
		finish(profile);
		tl_flame_notes(&flame, take_note, text);
		assert_string_equal(text, cases[i].notes);
		tl_profile_free(profile);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(markup_is_escaped),
		cmocka_unit_test(numbers_have_groups),
		cmocka_unit_test(shares_have_no_sign),
		cmocka_unit_test(functions_of_two_profiles_are_matched),
		cmocka_unit_test(frames_have_names),
		cmocka_unit_test(the_largest_parts_have_columns),
		cmocka_unit_test(columns_have_titles),
		cmocka_unit_test(paths_are_nodes),
		cmocka_unit_test(drawn_frames_have_all_costs),
		cmocka_unit_test(rows_are_totals_of_functions),
		cmocka_unit_test(many_functions_are_the_largest),
		cmocka_unit_test(notes_say_what_is_not_drawn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
