/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trees and tables of contexts that were drawn, as CSV, each against a model: every path of
 * functions is a word with a letter for each function, and what a report has to say is found by
 * comparing words. "main calls f, f calls itself" is the words m, mf, mff.
 */
#include <math.h>

#include "../chance.h"
#include "profiles.h"

#include "profile/model/unsized.h"

enum { FUNCTIONS = 7, PARTS = 3, WORDS = 400, LENGTH = 24, EVENTS = 2, TEXT = 1 << 16 };
enum { ROUNDS = 150 };

/* One path, the parts together. */
struct word {
	char letters[LENGTH];
	uint64_t calls;
	int64_t self[EVENTS];
};

struct model {
	struct word words[WORDS];
	unsigned count;
	int64_t total[EVENTS];
	char text[TEXT]; /* what is expected */
	size_t length;
	unsigned rows;
	double threshold;
};

/*
 * The names of functions, by letter: the order of letters is not that of names, and two functions
 * have a name in common; of those the object decides.
 */
static const char *const names[FUNCTIONS] = {
	"main", "read", "twin", "call", "zero", "twin", "a,b"
};
static const char *const objects[FUNCTIONS] = { "prog", "prog", "z.so", "prog",
						"prog", "a.so", "prog" };
static const char *const quoted[FUNCTIONS] = { "main", "read", "twin",   "call",
					       "zero", "twin", "\"a,b\"" };

static unsigned function_of(const char *word)
{
	return (unsigned)(word[strlen(word) - 1] - 'a');
}

/* ---- drawing ---- */

static struct word *find_word(struct model *m, const char *letters)
{
	for (unsigned i = 0; i < m->count; i++)
		if (!strcmp(m->words[i].letters, letters))
			return &m->words[i];
	assert_true(m->count < WORDS);
	strcpy(m->words[m->count].letters, letters);
	return &m->words[m->count++];
}

struct drawing {
	struct tl_profile *profile;
	uint32_t numbers[FUNCTIONS];
	uint32_t seed;
	char letters[WORDS][LENGTH]; /* of the contexts of a part */
	uint32_t contexts[WORDS];
	unsigned count;
};

/* A context below one that is there, or a root; the same one may be drawn again. */
static void draw_context(struct drawing *d, struct model *m, uint32_t part)
{
	const unsigned kinds = 1 + chance(&d->seed, FUNCTIONS);
	unsigned from = chance(&d->seed, d->count + 1);
	char letters[LENGTH] = "";
	uint32_t parent = TL_NONE;
	struct word *word;
	int64_t cost[EVENTS], context;
	uint64_t calls = chance(&d->seed, 4);
	size_t length;

	if (from < d->count && strlen(d->letters[from]) < LENGTH - 1) {
		strcpy(letters, d->letters[from]);
		parent = d->contexts[from];
	}
	length = strlen(letters);
	letters[length] = (char)('a' + chance(&d->seed, kinds));
	letters[length + 1] = '\0';
	word = find_word(m, letters);
	context = tl_profile_add_context(d->profile, parent, d->numbers[function_of(letters)], part,
					 NULL);
	assert_true(context >= 0);
	for (unsigned e = 0; e < EVENTS; e++) {
		cost[e] = chance(&d->seed, 3) ? chance(&d->seed, 50) : 0;
		word->self[e] += cost[e];
		m->total[e] += cost[e];
	}
	word->calls += calls;
	tl_profile_add_context_cost(d->profile, (uint32_t)context, calls, cost);
	if (d->count < WORDS) {
		strcpy(d->letters[d->count], letters);
		d->contexts[d->count++] = (uint32_t)context;
	}
}

static struct tl_profile *draw(struct model *m, uint32_t seed)
{
	static const struct tl_event events[EVENTS] = { { "Ir", "", "", "" },
							{ "Dr", "", "", "" } };
	struct drawing *d = calloc(1, sizeof(*d));
	struct tl_profile *profile;
	unsigned order[FUNCTIONS];

	assert_non_null(d);
	memset(m, 0, sizeof(*m));
	d->seed = seed;
	assert_int_equal(tl_profile_make(&d->profile, "callgrind", events, EVENTS, 0, NULL), 0);
	chance_order(&d->seed, order, FUNCTIONS);
	for (unsigned i = 0; i < FUNCTIONS; i++)
		d->numbers[order[i]] = add_function(d->profile, names[order[i]], objects[order[i]]);
	for (uint32_t part = 0; part < PARTS; part++) {
		struct tl_part is = { .process = TL_NOWHERE,
				      .thread = part / 2,
				      .number = part + 1,
				      .command = "",
				      .header = "" };

		assert_int_equal(tl_profile_put_part(d->profile, &is, NULL), part);
		d->count = 0;
		for (unsigned left = chance(&d->seed, 40); left; left--)
			draw_context(d, m, part);
	}
	profile = d->profile;
	free(d);
	assert_int_equal(tl_profile_finish(profile, NULL), 0);
	return profile;
}

/* ---- what words say ---- */

static bool begins_with(const char *word, const char *with)
{
	return !strncmp(word, with, strlen(with));
}

static bool ends_with(const char *word, const char *with)
{
	size_t length = strlen(word), size = strlen(with);

	return length >= size && !strcmp(word + length - size, with);
}

/* The cost of a path and of all below it. */
static int64_t inclusive(const struct model *m, const char *letters, unsigned event)
{
	int64_t sum = 0;

	for (unsigned i = 0; i < m->count; i++)
		if (begins_with(m->words[i].letters, letters))
			sum += m->words[i].self[event];
	return sum;
}

/* The cost of all paths that have these letters one after the other, wherever. */
static int64_t cost_with(const struct model *m, const char *part, unsigned event)
{
	int64_t sum = 0;

	for (unsigned i = 0; i < m->count; i++)
		if (strstr(m->words[i].letters, part))
			sum += m->words[i].self[event];
	return sum;
}

/* Self cost, and calls, of all paths that end with these letters. */
static int64_t cost_of_ends(const struct model *m, const char *end, unsigned event)
{
	int64_t sum = 0;

	for (unsigned i = 0; i < m->count; i++)
		if (ends_with(m->words[i].letters, end))
			sum += m->words[i].self[event];
	return sum;
}

static uint64_t calls_of_ends(const struct model *m, const char *end)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < m->count; i++)
		if (ends_with(m->words[i].letters, end))
			sum += m->words[i].calls;
	return sum;
}

static bool any_ends(const struct model *m, const char *end)
{
	for (unsigned i = 0; i < m->count; i++)
		if (ends_with(m->words[i].letters, end))
			return true;
	return false;
}

/* "twin" of a.so is before that of z.so. */
static int compare_names(unsigned a, unsigned b)
{
	int order = strcmp(names[a], names[b]);

	return order ? order : strcmp(objects[a], objects[b]);
}

static bool below_floor(const struct model *m, int64_t cost)
{
	return (double)cost < (double)m->total[0] * m->threshold / 100;
}

/* Letters in the order of a report: the largest number first, of equal ones the name decides. */
static void order_letters(const int64_t *numbers, unsigned *order)
{
	for (unsigned i = 0; i < FUNCTIONS; i++)
		order[i] = i;
	for (unsigned i = 1; i < FUNCTIONS; i++)
		for (unsigned j = i; j; j--) {
			unsigned a = order[j - 1], b = order[j];

			if (numbers[a] > numbers[b] ||
			    (numbers[a] == numbers[b] && compare_names(a, b) < 0))
				break;
			order[j - 1] = b;
			order[j] = a;
		}
}

static void say(struct model *m, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(struct model *m, const char *format, ...)
{
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(m->text + m->length, TEXT - m->length, format, args);
	va_end(args);
	assert_true(length >= 0 && m->length + (size_t)length < TEXT);
	m->length += (size_t)length;
}

static void assert_said(struct model *m, const struct tl_profile *profile, enum tl_tree_kind kind,
			uint32_t seed)
{
	char *text = tree_text(
		profile, kind,
		(struct tl_report_options){ .form = TL_REPORT_CSV, .threshold = m->threshold });

	if (strcmp(text, m->text) != 0)
		fail_msg("seed %u, kind %d: \n%s\nand not\n%s", seed, (int)kind, text, m->text);
	free(text);
	m->length = 0;
	m->rows = 0;
}

/* ---- the four trees ---- */

static void put_number_or_nothing(struct model *m, bool is_there, unsigned number)
{
	if (is_there)
		say(m, "%u", number);
	say(m, ",");
}

static void put_below(struct model *m, const char *above, unsigned parent)
{
	const size_t length = strlen(above);
	int64_t sums[FUNCTIONS];
	unsigned order[FUNCTIONS];
	char letters[LENGTH + 1] = "";

	strcpy(letters, above);
	for (unsigned i = 0; i < FUNCTIONS; i++) {
		letters[length] = (char)('a' + i);
		sums[i] = inclusive(m, letters, 0);
	}
	order_letters(sums, order);
	for (unsigned i = 0; i < FUNCTIONS; i++) {
		const struct word *word = NULL;

		letters[length] = (char)('a' + order[i]);
		for (unsigned w = 0; w < m->count; w++)
			if (!strcmp(m->words[w].letters, letters))
				word = &m->words[w];
		if (!word || below_floor(m, sums[order[i]]))
			continue;
		say(m, "%zu,", length);
		put_number_or_nothing(m, length, parent);
		say(m, "%s,%ju,%jd,%jd,%jd,%jd\n", quoted[order[i]], (uintmax_t)word->calls,
		    (intmax_t)word->self[0], (intmax_t)sums[order[i]], (intmax_t)word->self[1],
		    (intmax_t)inclusive(m, letters, 1));
		put_below(m, letters, m->rows++);
	}
}

TEST(trees_from_above)
{
	static const double thresholds[] = { 0, 3.125, 12.5, 50 };
	struct model *m = malloc(sizeof(*m));

	assert_non_null(m);
	for (uint32_t seed = 1; seed <= ROUNDS; seed++) {
		struct tl_profile *profile = draw(m, seed);

		m->threshold = thresholds[seed % 4];
		say(m, "depth,parent,function,calls,Ir:self,Ir:inclusive,Dr:self,Dr:inclusive\n");
		put_below(m, "", 0);
		assert_said(m, profile, TL_TREE_TOP_DOWN, seed);
		tl_profile_free(profile);
	}
	free(m);
}

/* All callers of paths that end with these letters, one more letter before them. */
static void put_above(struct model *m, const char *end, unsigned parent)
{
	const size_t depth = strlen(end);
	int64_t sums[FUNCTIONS];
	unsigned order[FUNCTIONS];
	char letters[LENGTH + 1] = "?";

	strcpy(letters + 1, end);
	for (unsigned i = 0; i < FUNCTIONS; i++) {
		letters[0] = (char)('a' + i);
		sums[i] = cost_of_ends(m, letters, 0);
	}
	order_letters(sums, order);
	for (unsigned i = 0; i < FUNCTIONS; i++) {
		letters[0] = (char)('a' + order[i]);
		if (!any_ends(m, letters) || below_floor(m, sums[order[i]]))
			continue;
		say(m, "%zu,", depth);
		put_number_or_nothing(m, depth, parent);
		say(m, "%s,%ju,%jd,%jd\n", quoted[order[i]], (uintmax_t)calls_of_ends(m, letters),
		    (intmax_t)sums[order[i]], (intmax_t)cost_of_ends(m, letters, 1));
		put_above(m, letters, m->rows++);
	}
}

TEST(trees_from_below)
{
	static const double thresholds[] = { 0, 6.25, 25, 100 };
	struct model *m = malloc(sizeof(*m));

	assert_non_null(m);
	for (uint32_t seed = 1; seed <= ROUNDS; seed++) {
		struct tl_profile *profile = draw(m, seed);

		m->threshold = thresholds[seed % 4];
		say(m, "depth,parent,function,calls,Ir:self,Dr:self\n");
		put_above(m, "", 0);
		assert_said(m, profile, TL_TREE_BOTTOM_UP, seed);
		tl_profile_free(profile);
	}
	free(m);
}

static void put_edge(struct model *m, unsigned caller, unsigned callee)
{
	const char letters[] = { (char)('a' + caller), (char)('a' + callee), '\0' };

	if (any_ends(m, letters))
		say(m, "%s,%s,%ju,%jd,%jd\n", quoted[caller], quoted[callee],
		    (uintmax_t)calls_of_ends(m, letters), (intmax_t)cost_with(m, letters, 0),
		    (intmax_t)cost_with(m, letters, 1));
}

/*
 * The edges of one function, those to callers or to callees: what an edge has is the cost of all
 * paths that have it, each once, however often it is on the path.
 */
static void put_edges_of(struct model *m, unsigned function, bool callers)
{
	int64_t sums[FUNCTIONS];
	unsigned order[FUNCTIONS];

	for (unsigned i = 0; i < FUNCTIONS; i++) {
		const char down[] = { (char)('a' + function), (char)('a' + i), '\0' };
		const char up[] = { (char)('a' + i), (char)('a' + function), '\0' };

		sums[i] = cost_with(m, callers ? up : down, 0);
	}
	order_letters(sums, order);
	for (unsigned i = 0; i < FUNCTIONS; i++)
		put_edge(m, callers ? order[i] : function, callers ? function : order[i]);
}

/* The letter of a function of the profile. */
static unsigned letter_of(const struct tl_profile *profile, uint32_t number)
{
	const struct tl_function *is = tl_profile_function(profile, number);
	unsigned letter = 0;

	while (strcmp(is->name, names[letter]) != 0 || strcmp(is->object, objects[letter]) != 0)
		letter++;
	return letter;
}

TEST(edges_of_callers_and_callees)
{
	struct model *m = malloc(sizeof(*m));

	assert_non_null(m);
	for (uint32_t seed = 1; seed <= ROUNDS; seed++) {
		struct tl_profile *profile = draw(m, seed);

		for (int callers = 0; callers < 2; callers++) {
			say(m, "caller,callee,calls,Ir:inclusive,Dr:inclusive\n");
			for (uint32_t i = 0; i < FUNCTIONS; i++)
				put_edges_of(m, letter_of(profile, i), callers);
			assert_said(m, profile, callers ? TL_TREE_CALLERS : TL_TREE_CALLEES, seed);
		}
		tl_profile_free(profile);
	}
	free(m);
}

/* ---- the function table, sorted by each of its columns ---- */

struct row {
	unsigned letter;
	int64_t self[EVENTS], inclusive[EVENTS];
	uint64_t calls;
};

static const struct sorting {
	const char *name;
	bool text; /* ascending without being asked */
} sortings[] = {
	{ NULL, false },           { "self", false },    { "inclusive", false },
	{ "calls", false },        { "function", true }, { "object", true },
	{ "Dr:self", false },      { "count", false },   { "Dr:inclusive", false },
	{ "Ir:inclusive", false },
};

static int64_t compare_values(const struct row *a, const struct row *b, const char *name)
{
	if (!name || !strcmp(name, "self"))
		return a->self[0] - b->self[0];
	if (!strcmp(name, "inclusive") || !strcmp(name, "Ir:inclusive"))
		return a->inclusive[0] - b->inclusive[0];
	if (!strcmp(name, "Dr:self"))
		return a->self[1] - b->self[1];
	if (!strcmp(name, "Dr:inclusive"))
		return a->inclusive[1] - b->inclusive[1];
	if (!strcmp(name, "function"))
		return strcmp(names[a->letter], names[b->letter]);
	if (!strcmp(name, "object"))
		return strcmp(objects[a->letter], objects[b->letter]);
	return (int64_t)a->calls - (int64_t)b->calls;
}

/* Whether row `a` belongs before row `b`. */
static bool is_before(const struct row *a, const struct row *b, const struct sorting *by,
		      bool ascending)
{
	int64_t order = compare_values(a, b, by->name);

	if (order)
		return (order < 0) == (by->text || ascending);
	if (a->inclusive[0] != b->inclusive[0])
		return a->inclusive[0] > b->inclusive[0];
	return compare_names(a->letter, b->letter) < 0;
}

static unsigned make_rows(const struct model *m, struct row *rows)
{
	unsigned count = 0;

	for (unsigned i = 0; i < FUNCTIONS; i++) {
		const char letter[] = { (char)('a' + i), '\0' };
		struct row row = { .letter = i, .calls = calls_of_ends(m, letter) };

		for (unsigned e = 0; e < EVENTS; e++) {
			row.self[e] = cost_of_ends(m, letter, e);
			row.inclusive[e] = cost_with(m, letter, e);
		}
		if (row.calls || row.inclusive[0] || row.inclusive[1])
			rows[count++] = row;
	}
	return count;
}

static void sort_rows(struct row *rows, unsigned count, const struct sorting *by, bool ascending)
{
	for (unsigned i = 1; i < count; i++)
		for (unsigned j = i; j && is_before(&rows[j], &rows[j - 1], by, ascending); j--) {
			struct row row = rows[j];

			rows[j] = rows[j - 1];
			rows[j - 1] = row;
		}
}

static void check_sorting(struct model *m, const struct tl_profile *profile,
			  const struct sorting *by, uint32_t seed)
{
	const bool ascending = seed % 3 == 0;
	struct row rows[FUNCTIONS];
	unsigned count = make_rows(m, rows), top = seed % (FUNCTIONS + 2);
	char *text;

	sort_rows(rows, count, by, ascending);
	say(m, "function,object,file,line,id,Ir:self,Ir:inclusive,Dr:self,Dr:inclusive,calls\n");
	for (unsigned i = 0; i < count && (!top || i < top); i++)
		say(m, "%s,%s,,,,%jd,%jd,%jd,%jd,%ju\n", quoted[rows[i].letter],
		    objects[rows[i].letter], (intmax_t)rows[i].self[0],
		    (intmax_t)rows[i].inclusive[0], (intmax_t)rows[i].self[1],
		    (intmax_t)rows[i].inclusive[1], (uintmax_t)rows[i].calls);
	text = functions_text(profile, (struct tl_report_options){ .form = TL_REPORT_CSV,
								   .sort = by->name,
								   .ascending = ascending,
								   .top = top });
	if (strcmp(text, m->text) != 0)
		fail_msg("seed %u, by %s: \n%s\nand not\n%s", seed, by->name ? by->name : "(none)",
			 text, m->text);
	free(text);
	m->length = 0;
}

TEST(tables_by_each_column)
{
	struct model *m = malloc(sizeof(*m));

	assert_non_null(m);
	for (uint32_t seed = 1; seed <= ROUNDS; seed++) {
		struct tl_profile *profile = draw(m, seed);

		for (size_t i = 0; i < sizeof(sortings) / sizeof(sortings[0]); i++)
			check_sorting(m, profile, &sortings[i], seed);
		tl_profile_free(profile);
	}
	free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(trees_from_above),
		cmocka_unit_test(trees_from_below),
		cmocka_unit_test(edges_of_callers_and_callees),
		cmocka_unit_test(tables_by_each_column),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
