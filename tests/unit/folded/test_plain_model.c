/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Folded stacks held against a reading of their rules that goes through a line from its begin,
 * keeps nothing of the line before, and adds up texts: of texts that were drawn, of each of their
 * prefixes, and of texts in which bytes are other ones. Costs, faults and their places agree.
 */
#include "../foreign/chance.h"

#include "folded/folded.h"

enum { MOST_FAULTS = 64, THOUSANDTHS = 1000 };

/* What a text says. */
struct model {
	struct path_sums paths;           /* thousandths */
	struct path_sums self, inclusive; /* by function */
	bool decimals;
	uint64_t stacks;
	struct model_fault {
		size_t offset, length;
		uint64_t line;
		const char *words;
	} faults[MOST_FAULTS];
	unsigned fault_count;
};

static bool blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static bool digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Digits, perhaps with a point behind at least one: thousandths; -1: it is none. */
static int64_t cost_of(const char *word, size_t size, bool *decimals)
{
	int64_t cost = 0, place = 0;
	size_t i = 0;

	while (i < size && digit(word[i]))
		cost = cost * 10 + (word[i++] - '0') * THOUSANDTHS;
	if (!i)
		return -1;
	if (i < size && word[i] == '.') {
		place = THOUSANDTHS / 10;
		for (i++; i < size && digit(word[i]); i++, place /= 10) {
			cost += (word[i] - '0') * place;
			*decimals |= word[i] != '0';
		}
	}
	return i == size ? cost : -1;
}

/* The cost of one function that is inside of itself counts once. */
static void add_functions(struct model *m, const char *path, int64_t cost)
{
	char copy[1024], *save = NULL, *frames[512];
	unsigned count = 0;

	assert_true(strlen(path) < sizeof(copy));
	strcpy(copy, path);
	for (char *f = strtok_r(copy, ";", &save); f; f = strtok_r(NULL, ";", &save))
		frames[count++] = f;
	path_sums_add(&m->self, frames[count - 1], cost);
	for (unsigned i = 0; i < count; i++) {
		bool again = false;

		for (unsigned n = 0; n < i; n++)
			again |= !strcmp(frames[n], frames[i]);
		if (!again)
			path_sums_add(&m->inclusive, frames[i], cost);
	}
}

static void add_stack(struct model *m, const char *stack, size_t size, int64_t cost)
{
	char path[1024];
	size_t used = 0, begin = 0;

	for (size_t i = 0; i <= size; i++) {
		if (i < size && stack[i] != ';')
			continue;
		used += (size_t)snprintf(path + used, sizeof(path) - used, "%s%.*s",
					 begin ? ";" : "", i == begin ? 3 : (int)(i - begin),
					 i == begin ? "???" : stack + begin);
		assert_true(used < sizeof(path));
		begin = i + 1;
	}
	path_sums_add(&m->paths, path, cost);
	add_functions(m, path, cost);
	m->stacks++;
}

static void add_fault(struct model *m, size_t offset, size_t length, uint64_t line,
		      const char *words)
{
	assert_true(m->fault_count < MOST_FAULTS);
	m->faults[m->fault_count++] = (struct model_fault){ offset, length, line, words };
}

/* "A stack, blanks or tabs, a count": the last word of the line is the count. */
static void take_line(struct model *m, const char *text, size_t offset, size_t size, size_t length,
		      uint64_t number)
{
	const char *line = text + offset;
	size_t first = 0, word = 0, end = 0;
	int64_t cost;
	bool decimals = false;

	for (size_t i = 0; i < size; i++) {
		if (blank(line[i]))
			continue;
		if (!i || blank(line[i - 1]))
			word = i;
		end = i + 1;
	}
	while (first < size && blank(line[first]))
		first++;
	cost = cost_of(line + word, end - word, &decimals);
	if (cost < 0) {
		if (first < size && line[first] != '#')
			add_fault(m, offset, length, number, "does not end with a count");
		return;
	}
	while (word && blank(line[word - 1]))
		word--;
	if (!word) {
		add_fault(m, offset, length, number, "a count without a stack");
		return;
	}
	m->decimals |= decimals;
	add_stack(m, line, word, cost);
}

static void model(struct model *m, const char *text, size_t size)
{
	uint64_t number = 0;

	*m = (struct model){ .stacks = 0 };
	for (size_t at = 0; at < size;) {
		const char *end = memchr(text + at, '\n', size - at);
		const size_t length = end ? (size_t)(end - text) - at : size - at;

		take_line(m, text, at, length, length + (end != NULL), ++number);
		at += length + (end != NULL);
	}
}

static void model_free(struct model *m)
{
	path_sums_free(&m->paths);
	path_sums_free(&m->self);
	path_sums_free(&m->inclusive);
}

/* In what the profile counts: where there are decimals these are thousandths. */
static void scale(struct path_sums *sums, const struct model *m)
{
	for (size_t i = 0; !m->decimals && i < sums->count; i++)
		sums->list[i].cost /= THOUSANDTHS;
}

static void expect_functions(const struct text *t, const struct model *m, const char *text)
{
	struct path_sums self = { NULL, 0 }, inclusive = { NULL, 0 };

	for (uint32_t i = 0; i < tl_profile_function_count(t->profile); i++) {
		const char *name = tl_profile_function(t->profile, i)->name;
		struct tl_function_totals totals;

		assert_int_equal(
			tl_profile_function_totals(t->profile, i, TL_NONE, &totals, sizeof(totals)),
			0);
		path_sums_add(&self, name, totals.self[0]);
		path_sums_add(&inclusive, name, totals.inclusive[0]);
	}
	path_sums_expect(&self, &m->self, text);
	path_sums_expect(&inclusive, &m->inclusive, text);
	path_sums_free(&self);
	path_sums_free(&inclusive);
}

static void expect_faults(const struct text *t, const struct model *m, bool table)
{
	uint64_t skipped = 0;

	/* And a remark that there are decimals. */
	assert_int_equal(t->foreign.faults.count, m->fault_count + m->decimals);
	for (unsigned i = 0; i < m->fault_count; i++) {
		text_expect_fault(t, i, TL_BAD_RECORD, m->faults[i].offset, m->faults[i].line,
				  m->faults[i].words);
		assert_int_equal(t->foreign.faults.list[i].length, m->faults[i].length);
		skipped += m->faults[i].length;
	}
	assert_int_equal(t->foreign.faults.skipped_bytes, skipped);
	assert_int_equal(text_fact(t, "stacks"), m->stacks);
	assert_string_equal(tl_profile_event(t->profile, 0)->unit,
			    m->decimals ? "1/1000 samples" : "samples");
	assert_int_equal(tl_profile_flat(t->profile), table);
}

/* The text is of one count: two of its lines are. */
static void expect_as_model(const char *text, size_t size)
{
	struct tl_foreign_options options = text_options();
	char *shown = strndup(text, size);
	struct model m;
	struct text t;

	model(&m, text, size);
	scale(&m.paths, &m);
	scale(&m.self, &m);
	scale(&m.inclusive, &m);
	text_read_sized(&t, &tl_folded_reader, text, size, false, options);
	assert_int_equal(t.status, 0);
	path_sums_expect_profile(&m.paths, t.profile, TL_NONE, 0, shown);
	expect_functions(&t, &m, shown);
	expect_faults(&t, &m, false);
	text_expect_strict(&t, &tl_folded_reader, text, size);
	text_close(&t);
	options.table = true;
	text_read_sized(&t, &tl_folded_reader, text, size, false, options);
	assert_int_equal(t.status, 0);
	expect_functions(&t, &m, shown);
	/* Nothing but damage: no sums, and no tree either. */
	expect_faults(&t, &m, tl_profile_flat(t.profile));
	text_close(&t);
	model_free(&m);
	free(shown);
}

/* ---- texts ---- */

/* A line whose stack begins as the one before does, more often than not. */
static char *put_line(char *to, uint32_t *seed, char *before, bool decimals)
{
	static const char *const names[] = {
		"a",    "ab",       "f x",       "operator()",        "g1", "",
		"main", "aaaaaaaa", "aaaaaaaab", "\303\251t\303\251", "#",  "7"
	};
	char *cut = before;
	unsigned frames = 1 + chance(seed, 4);

	for (unsigned keep = chance(seed, 4); *before && keep && (cut = strchr(cut, ';')); keep--)
		cut++;
	if (!*before || !cut)
		cut = before;
	for (unsigned i = 0; i < frames; i++)
		cut += sprintf(cut, "%s%s", i ? ";" : "", names[chance(seed, 12)]);
	if (strlen(before) > 200)
		strcpy(before, "a");
	to += sprintf(to, "%s %u", before, chance(seed, 900));
	if (decimals && !chance(seed, 3))
		to += sprintf(to, ".%.*s", (int)chance(seed, 4), "125");
	return to + sprintf(to, "%s", chance(seed, 6) ? "\n" : " \r\n");
}

static void draw_text(char *text, uint32_t *seed, unsigned lines, bool decimals)
{
	static const char *const others[] = { "no count\n", " 5\n", "# comment\n", "\n",
					      "x;y -1\n" };
	char before[512] = "";
	char *to = text + sprintf(text, "first 1\n");

	for (unsigned i = 0; i < lines; i++) {
		to = put_line(to, seed, before, decimals);
		if (!chance(seed, 8))
			to += sprintf(to, "%s", others[chance(seed, 5)]);
	}
	sprintf(to, "last 2\n");
}

TEST(texts_that_were_drawn)
{
	static char text[64 * 1024];
	uint32_t seed = 20261128;

	for (unsigned run = 0; run < 120; run++) {
		draw_text(text, &seed, 10 + chance(&seed, 60), run % 2);
		expect_as_model(text, strlen(text));
	}
}

/* The last line of a prefix may say another count than it had. */
TEST(prefixes_of_texts)
{
	static char text[16 * 1024];
	uint32_t seed = 5;

	for (unsigned run = 0; run < 4; run++) {
		draw_text(text, &seed, 12, run % 2);
		for (size_t cut = 9; cut <= strlen(text); cut++)
			expect_as_model(text, cut);
	}
}

/* Bytes that mean something are drawn as often as others; a NUL would end a name. */
static char drawn_byte(uint32_t *seed)
{
	static const char bytes[] = "\n\n \t\r;;#0123456789-+.e:()";

	if (chance(seed, 3))
		return bytes[chance(seed, sizeof(bytes) - 1)];
	return (char)(1 + chance(seed, 255));
}

/* No point and no digit comes near a count: it would have more decimals than the model counts. */
static bool may_be(char was, char is)
{
	return !(digit(was) || was == '.') || !(is == '.' || is == '\n' || blank(is));
}

TEST(bytes_are_other_ones)
{
	static char text[16 * 1024], changed[16 * 1024];
	uint32_t seed = 77;

	for (unsigned run = 0; run < 40; run++) {
		size_t size;

		draw_text(text, &seed, 10, false);
		size = strlen(text);
		for (unsigned change = 0; change < 60; change++) {
			memcpy(changed, text, size);
			for (unsigned n = 1 + chance(&seed, 3); n; n--) {
				char *at = &changed[8 + chance(&seed, (unsigned)size - 16)];
				const char byte = drawn_byte(&seed);

				if (may_be(*at, byte))
					*at = byte;
			}
			expect_as_model(changed, size);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_that_were_drawn),
		cmocka_unit_test(prefixes_of_texts),
		cmocka_unit_test(bytes_are_other_ones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
