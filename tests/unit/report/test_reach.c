/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All functions that calls lead from or to, and how far they are: small graphs by hand, and graphs
 * at random whose distances are worked out by trying every function between any two. /
 */
#include "profiles.h"

/* A call graph: one event, one part, each function with its self cost. */
struct graph {
	const char *names[8]; /* NULL behind the last one */
	int64_t self[8];
	struct {
		uint32_t caller, callee;
		uint64_t calls;
		int64_t cost;
	} calls[12]; /* no calls: behind the last one */
};

static struct tl_profile *graph_begin(void)
{
	const struct tl_event event = { "Ir", "", "instructions", "" };
	struct tl_profile *p;

	assert_int_equal(tl_profile_make(&p, "callgrind", &event, 1, 0, NULL), 0);
	assert_int_equal(tl_profile_put_part(p, &(struct tl_part){ .command = "" }, NULL), 0);
	return p;
}

static struct tl_profile *graph_profile(const struct graph *graph)
{
	struct tl_profile *p = graph_begin();

	for (uint32_t i = 0; graph->names[i]; i++) {
		assert_int_equal(add_function(p, graph->names[i], "prog"), i);
		if (graph->self[i])
			add_line(p, i, 0, graph->self[i], 0);
	}
	for (size_t i = 0; graph->calls[i].calls; i++)
		add_arc(p, graph->calls[i].caller, graph->calls[i].callee, 0, graph->calls[i].calls,
			graph->calls[i].cost, 0);
	assert_int_equal(tl_profile_finish(p, NULL), 0);
	return p;
}

/*
 * main (self 1) calls parse (2) and run (4); both call step (8), and run calls leaf (16) itself, to
 * which step leads, too. Inclusive: leaf 16, step 8 + 10 of leaf, parse 2 + 6, run 4 + 12 + 6.
 */
static const struct graph diamond = {
	.names = { "main", "parse", "run", "step", "leaf" },
	.self = { 1, 2, 4, 8, 16 },
	.calls = { { 0, 1, 1, 8 },
		   { 0, 2, 1, 22 },
		   { 1, 3, 3, 6 },
		   { 2, 3, 1, 12 },
		   { 2, 4, 1, 6 },
		   { 3, 4, 2, 10 } },
};

#define REACH_CSV(direction) "function," direction ",distance,calls,Ir:inclusive\n"

/* "the calls of the shortest way": leaf is two calls from main by run, three by step. */
TEST(distances_are_those_of_the_shortest_way)
{
	struct tl_profile *p = graph_profile(&diamond);

	assert_tree(p, TL_TREE_ALL_CALLEES,
		    REACH_CSV("callee") "main,run,1,1,22\n"
					"main,parse,1,1,8\n"
					"main,step,2,4,18\n"
					"main,leaf,2,3,16\n"
					"parse,step,1,4,18\n"
					"parse,leaf,2,3,16\n"
					"run,step,1,4,18\n"
					"run,leaf,1,3,16\n"
					"step,leaf,1,3,16\n",
		    .form = TL_REPORT_CSV);
	assert_tree(p, TL_TREE_ALL_CALLERS,
		    REACH_CSV("caller") "parse,main,1,0,31\n"
					"run,main,1,0,31\n"
					"step,run,1,1,22\n"
					"step,parse,1,1,8\n"
					"step,main,2,0,31\n"
					"leaf,run,1,1,22\n"
					"leaf,step,1,4,18\n"
					"leaf,main,2,0,31\n"
					"leaf,parse,2,1,8\n",
		    .form = TL_REPORT_CSV);
	tl_profile_free(p);
}

TEST(text_has_the_function_itself_first)
{
	struct tl_profile *p = graph_profile(&diamond);
	const struct tl_profile_filter step = { .size = sizeof(step), .function = "^(step|leaf)$" };

	assert_int_equal(tl_profile_choose(p, &step, NULL), 0);
	assert_tree(p, TL_TREE_ALL_CALLEES,
		    "callgrind, 1 part\n"
		    "\n"
		    "  distance   inclusive       %        self       calls  function\n"
		    "         0          18  58.06%           8           4  step\n"
		    "         1          16  51.61%          16           3  leaf\n"
		    "\n"
		    "         0          16  51.61%          16           3  leaf\n",
		    .form = TL_REPORT_TEXT);
	assert_tree(p, TL_TREE_ALL_CALLERS,
		    "callgrind, 1 part\n"
		    "\n"
		    "  distance   inclusive       %        self       calls  function\n"
		    "         0          18  58.06%           8           4  step\n"
		    "         1          22  70.97%           4           1  run\n"
		    "         1           8  25.81%           2           1  parse\n"
		    "         2          31 100.00%           1           0  main\n"
		    "\n"
		    "         0          16  51.61%          16           3  leaf\n"
		    "         1          22  70.97%           4           1  run\n"
		    "         1          18  58.06%           8           4  step\n"
		    "         2          31 100.00%           1           0  main\n"
		    "         2           8  25.81%           2           1  parse\n",
		    .form = TL_REPORT_TEXT);
	tl_profile_free(p);
}

TEST(json_has_the_way_in_its_name)
{
	struct tl_profile *p = graph_profile(&diamond);
	const struct tl_profile_filter chosen = { .size = sizeof(chosen), .function = "^step$" };
	char *text;

	assert_int_equal(tl_profile_choose(p, &chosen, NULL), 0);
	text = tree_text(p, TL_TREE_ALL_CALLERS,
			 (struct tl_report_options){ .form = TL_REPORT_JSON });
	IN_ORDER(text, "\"functions\":[{\"function\":\"step\"",
		 ",\"callers\":[{\"function\":\"run\"",
		 ",\"distance\":1,\"calls\":1,\"self\":{\"Ir\":4},\"inclusive\":{\"Ir\":22}},"
		 "{\"function\":\"parse\"",
		 ",\"distance\":1,\"calls\":1,\"self\":{\"Ir\":2},\"inclusive\":{\"Ir\":8}},"
		 "{\"function\":\"main\"",
		 ",\"distance\":2,\"calls\":0,\"self\":{\"Ir\":1},\"inclusive\":{\"Ir\":31}}]}],");
	assert_null(strstr(text, "callees"));
	free(text);
	text = tree_text(p, TL_TREE_ALL_CALLEES,
			 (struct tl_report_options){ .form = TL_REPORT_JSON });
	IN_ORDER(text, "\"functions\":[{\"function\":\"step\"",
		 ",\"callees\":[{\"function\":\"leaf\"",
		 "\"distance\":1,\"calls\":3,\"self\":{\"Ir\":16},\"inclusive\":{\"Ir\":16}}]}],");
	assert_null(strstr(text, "callers"));
	free(text);
	/* a comma between functions, too */
	assert_int_equal(
		tl_profile_choose(p,
				  &(struct tl_profile_filter){ .size = sizeof(chosen),
							       .function = "^(step|leaf)$" },
				  NULL),
		0);
	text = tree_text(p, TL_TREE_ALL_CALLEES,
			 (struct tl_report_options){ .form = TL_REPORT_JSON });
	IN_ORDER(text, "\"callees\":[{\"function\":\"leaf\"", "}]},{\"function\":\"leaf\"",
		 "\"callees\":[]}],");
	free(text);
	tl_profile_free(p);
}

/* A function that calls itself, and two that call each other, are not further from themselves. */
TEST(circles_are_gone_round_once)
{
	static const struct graph circles = {
		.names = { "main", "self", "ping", "pong", "alone" },
		.self = { 1, 1, 1, 1, 5 },
		.calls = { { 0, 1, 1, 3 },
			   { 1, 1, 7, 1 },
			   { 1, 2, 1, 2 },
			   { 2, 3, 5, 1 },
			   { 3, 2, 4, 1 } },
	};
	struct tl_profile *p = graph_profile(&circles);
	char *text = tree_text(p, TL_TREE_ALL_CALLEES,
			       (struct tl_report_options){ .form = TL_REPORT_CSV });

	IN_ORDER(text, "main,self,1,", "main,ping,2,", "main,pong,3,", "self,ping,1,",
		 "self,pong,2,", "ping,pong,1,", "pong,ping,1,");
	assert_null(strstr(text, "self,self"));
	assert_null(strstr(text, "ping,ping"));
	assert_null(strstr(text, "alone"));
	free(text);
	tl_profile_free(p);
}

/* No call was counted: the column is left out, and names stand where it stood. */
TEST(profiles_without_calls)
{
	struct tl_profile *p = graph_begin();
	int64_t top, below;

	tl_profile_set_call_count(p, TL_CALLS_NONE);
	top = tl_profile_add_context(p, TL_NONE, add_function(p, "main", "prog"), 0, NULL);
	below = tl_profile_add_context(p, (uint32_t)top, add_function(p, "work", "prog"), 0, NULL);
	tl_profile_add_context_cost(p, (uint32_t)top, 0, &(const int64_t){ 25 });
	tl_profile_add_context_cost(p, (uint32_t)below, 0, &(const int64_t){ 75 });
	assert_int_equal(tl_profile_finish(p, NULL), 0);
	assert_tree(p, TL_TREE_ALL_CALLEES,
		    "callgrind, 1 part\n"
		    "\n"
		    "  distance   inclusive       %        self  function\n"
		    "         0         100 100.00%          25  main\n"
		    "         1          75  75.00%          75  work\n"
		    "\n"
		    "         0          75  75.00%          75  work\n",
		    .form = TL_REPORT_TEXT);
	tl_profile_free(p);
}

/* Each event has a column, and names are made to fit the width. */
TEST(columns_and_the_width_of_the_terminal)
{
	const struct tl_event events[] = { { "Ir", "", "instructions", "" }, { "Dr", "", "", "" } };
	static const char name[] = "a::very::long::name<of, a, function>::operator()(int) const";
	struct tl_profile *p;
	uint32_t caller, callee;
	unsigned full = 0;

	assert_int_equal(tl_profile_make(&p, "callgrind", events, 2, 0, NULL), 0);
	assert_int_equal(tl_profile_put_part(p, &(struct tl_part){ .command = "" }, NULL), 0);
	caller = add_function(p, "main", "prog");
	callee = add_function(p, name, "prog");
	add_line(p, caller, 0, 10, 1);
	add_line(p, callee, 0, 30, 3);
	add_arc(p, caller, callee, 0, 2, 30, 3);
	assert_int_equal(tl_profile_finish(p, NULL), 0);
	assert_tree(
		p, TL_TREE_ALL_CALLEES,
		"function,callee,distance,calls,Ir:inclusive,Dr:inclusive\n"
		"main,\"a::very::long::name<of, a, function>::operator()(int) const\",1,2,30,3\n",
		.form = TL_REPORT_CSV);
	for (unsigned width = 70; width < 120; width++) {
		char *text = tree_text(
			p, TL_TREE_ALL_CALLEES,
			(struct tl_report_options){ .form = TL_REPORT_TEXT, .width = width });
		size_t longest = 0;

		for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
			if (strcspn(line, "\n") > longest)
				longest = strcspn(line, "\n");
		/* as much of the name as there is room for, which is at times all of it */
		assert_true(longest <= width);
		full += longest == width;
		free(text);
	}
	assert_true(full > 10);
	tl_profile_free(p);
}

/* ---- at random ---- */

enum { FUNCTIONS = 14, FAR = 1000 };

struct model {
	uint32_t distance[FUNCTIONS][FUNCTIONS]; /* from a caller to a callee */
	int64_t inclusive[FUNCTIONS];
	uint64_t calls[FUNCTIONS];
};

static uint32_t draw(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

static struct tl_profile *random_graph(struct model *model, uint32_t seed)
{
	struct tl_profile *p = graph_begin();
	char name[16];

	for (uint32_t f = 0; f < FUNCTIONS; f++) {
		for (uint32_t to = 0; to < FUNCTIONS; to++)
			model->distance[f][to] = f == to ? 0 : FAR;
		/* not in the order of their numbers, and few costs, so that many are alike */
		snprintf(name, sizeof(name), "f%02u", (f * 5 + 3) % FUNCTIONS);
		assert_int_equal(add_function(p, name, "prog"), f);
		add_line(p, f, 0, 1 + draw(&seed) % 3, 0);
	}
	/* Forwards, but for a few. */
	for (uint32_t i = 0; i < FUNCTIONS + draw(&seed) % FUNCTIONS; i++) {
		uint32_t a = draw(&seed) % FUNCTIONS, b = draw(&seed) % FUNCTIONS;
		bool back = draw(&seed) % 8 == 0;
		uint32_t caller = (a < b) != back ? a : b, callee = caller == a ? b : a;

		add_arc(p, caller, callee, 0, 1 + draw(&seed) % 4, draw(&seed) % 5, 0);
		if (caller != callee)
			model->distance[caller][callee] = 1;
	}
	for (uint32_t by = 0; by < FUNCTIONS; by++)
		for (uint32_t from = 0; from < FUNCTIONS; from++)
			for (uint32_t to = 0; to < FUNCTIONS; to++) {
				uint32_t way = model->distance[from][by] + model->distance[by][to];

				if (way < model->distance[from][to])
					model->distance[from][to] = way;
			}
	assert_int_equal(tl_profile_finish(p, NULL), 0);
	for (uint32_t f = 0; f < FUNCTIONS; f++) {
		struct tl_function_totals totals;

		tl_profile_function_totals(p, f, TL_NONE, &totals, sizeof(totals));
		model->inclusive[f] = totals.inclusive[0];
		model->calls[f] = totals.calls;
	}
	return p;
}

/* Whether a row stands before another one. */
static bool is_before(const struct tl_profile *p, const struct model *model,
		      const uint32_t *distance, uint32_t a, uint32_t b)
{
	if (distance[a] != distance[b])
		return distance[a] < distance[b];
	if (model->inclusive[a] != model->inclusive[b])
		return model->inclusive[a] > model->inclusive[b];
	return strcmp(tl_profile_function(p, a)->name, tl_profile_function(p, b)->name) < 0;
}

static void expect_rows(char *text, const struct tl_profile *p, const struct model *model,
			uint32_t function, bool callers)
{
	uint32_t distance[FUNCTIONS], order[FUNCTIONS];
	size_t count = 0;

	for (uint32_t f = 0; f < FUNCTIONS; f++) {
		size_t at = count;

		distance[f] = callers ? model->distance[f][function] : model->distance[function][f];
		if (!distance[f] || distance[f] >= FAR)
			continue;
		for (; at && is_before(p, model, distance, f, order[at - 1]); at--)
			order[at] = order[at - 1];
		order[at] = f;
		count++;
	}
	for (size_t i = 0; i < count; i++)
		sprintf(text + strlen(text), "%s,%s,%u,%u,%d\n",
			tl_profile_function(p, function)->name,
			tl_profile_function(p, order[i])->name, distance[order[i]],
			(unsigned)model->calls[order[i]], (int)model->inclusive[order[i]]);
}

TEST(graphs_at_random)
{
	static char expected[1 << 16];
	static struct model model;

	for (uint32_t seed = 1; seed <= 60; seed++)
		for (int callers = 0; callers < 2; callers++) {
			struct tl_profile *p = random_graph(&model, seed);

			strcpy(expected, callers ? REACH_CSV("caller") : REACH_CSV("callee"));
			for (uint32_t f = 0; f < FUNCTIONS; f++)
				expect_rows(expected, p, &model, f, callers);
			assert_tree(p, callers ? TL_TREE_ALL_CALLERS : TL_TREE_ALL_CALLEES,
				    expected, .form = TL_REPORT_CSV);
			tl_profile_free(p);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(distances_are_those_of_the_shortest_way),
		cmocka_unit_test(text_has_the_function_itself_first),
		cmocka_unit_test(json_has_the_way_in_its_name),
		cmocka_unit_test(circles_are_gone_round_once),
		cmocka_unit_test(profiles_without_calls),
		cmocka_unit_test(columns_and_the_width_of_the_terminal),
		cmocka_unit_test(graphs_at_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
