/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file that two readers read, each a part of it, becomes the profile that one reader makes of it,
 * whatever the offset at which it is cut; or none, where something in it is not as it mostly is.
 */
#include <inttypes.h>
#include <stdio.h>

#include <tracelathe/export.h>

#include "text.h"

#include "callgrind/profile/fold.h"

struct way {
	uint64_t part;
	bool per_part;
};

static struct tl_callgrind_fold_options options_of(const struct way *way)
{
	return (struct tl_callgrind_fold_options){
		.size = sizeof(struct tl_callgrind_fold_options),
		.part = way->part,
		.thread = TL_NOWHERE,
		.process = TL_NOWHERE,
		.detail = TL_CALLGRIND_FUNCTIONS,
		.per_part = way->per_part,
	};
}

static struct tl_profile *fold_whole(const char *text, const struct way *way)
{
	const struct tl_callgrind_fold_options options = options_of(way);
	struct tl_profile *profile;
	struct text t;

	text_open(&t, text);
	assert_int_equal(tl_callgrind_fold(&t.reader, 1, &options, &profile, NULL), 0);
	text_close(&t);
	return profile;
}

static struct tl_profile *fold_halves(const char *text, uint64_t offset, const struct way *way)
{
	const struct tl_callgrind_fold_options options = options_of(way);
	struct tl_profile *profile;
	struct text first, second;

	text_open(&first, text);
	text_open(&second, text);
	tl_callgrind_fold_halves(first.reader, second.reader, offset, &options, &profile);
	text_close(&first);
	text_close(&second);
	return profile;
}

static char *written(const struct tl_profile *profile)
{
	struct tl_output *out;
	const char *bytes;
	size_t size;
	char *copy;

	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(tl_exporter_find("callgrind")->write(profile, NULL, out, NULL), 0);
	bytes = tl_output_bytes(out, &size);
	copy = strndup(bytes, size);
	assert_non_null(copy);
	tl_output_discard(out);
	return copy;
}

static void expect_same(const struct tl_profile *half, const struct tl_profile *whole)
{
	char *a = written(whole), *b = written(half);

	assert_string_equal(b, a);
	free(a);
	free(b);
	assert_int_equal(tl_profile_part_count(half), tl_profile_part_count(whole));
	for (uint32_t i = 0; i < tl_profile_part_count(whole); i++)
		assert_int_equal(tl_profile_part(half, i)->records,
				 tl_profile_part(whole, i)->records);
	/* The order is that of the file, in which other exports write them. */
	assert_int_equal(tl_profile_function_count(half), tl_profile_function_count(whole));
	for (uint32_t i = 0; i < tl_profile_function_count(whole); i++)
		assert_string_equal(tl_profile_function(half, i)->name,
				    tl_profile_function(whole, i)->name);
	assert_int_equal(tl_profile_arc_count(half), tl_profile_arc_count(whole));
	for (uint32_t i = 0; i < tl_profile_arc_count(whole); i++) {
		assert_int_equal(tl_profile_arc(half, i)->caller, tl_profile_arc(whole, i)->caller);
		assert_int_equal(tl_profile_arc(half, i)->callee, tl_profile_arc(whole, i)->callee);
		assert_int_equal(tl_profile_arc(half, i)->calls, tl_profile_arc(whole, i)->calls);
	}
}

/* Cut at each offset. Returns how many times there was a profile. */
static unsigned cut_everywhere(const char *text, const struct way *way)
{
	struct tl_profile *whole = fold_whole(text, way);
	unsigned made = 0;

	for (uint64_t offset = 0; offset <= strlen(text); offset++) {
		struct tl_profile *half = fold_halves(text, offset, way);

		if (!half)
			continue;
		made++;
		expect_same(half, whole);
		tl_profile_free(half);
	}
	tl_profile_free(whole);
	return made;
}

static const struct way ways[] = {
	{ TL_NOWHERE, false },
	{ TL_NOWHERE, true },
	{ 2, true },
};

/* Names that are defined in any place, relative positions, calls, jumps, files of inlined code. */
static const char one_part[] =
	"# callgrind format\nversion: 1\ncreator: callgrind-3.19.0\npid: 7\ncmd: ./prog -x\npart: "
	"1\n"
	"positions: instr line\nevents: Ir Dr\nsummary: 244 12\n\n"
	"ob=(1) prog\nfl=(1) a.c\nfn=(1) main\n0x10 1 20 2\n+4 +1 30\n"
	"cob=(2) lib.so\ncfi=(2) b.c\ncfn=(2) f'2\ncalls=3 0x40 9\n0x18 2 50 8\n"
	"cfn=(3) unheard of\ncalls=1 +4 3\n* * 7\n"
	"jcnd=2/3 0x20 4\n0x1c 3\njump=1 0x20 4\n* *\n"
	"ob=(2)\nfl=(2)\nfn=(2)\n0x40 9 30\nfi=(3) c.h\n+4 10 20 8\ncfn=(3)\ncalls=2 0 0\n+1 * 9 "
	"9\n"
	"fn=(3)\n+3 -2 1\n-1 +1 2\nfn=plain\n* * 40\ncfn=(1)\ncalls=1 0x10 1\n+2 +3 4 4\n"
	"ob=(1)\nfl=(1)\nfn=(1)\n+6 -1 1 1\ncob=(2)\ncfi=(2)\ncfn=(2)\ncalls=4 0x40 9\n* * 5 5\n"
	"ob=(4) other\nfl=(4) d.c\nfn=(4) last\n0x900 9 100 1\n\ntotals: 244 12\n";

/* Parts with other events, and one without costs. */
static const char many_parts[] =
	"version: 1\ncreator: callgrind-3.19.0\npid: 7\ncmd: p\npart: 1\npositions: line\nevents: "
	"Ir Dr\n"
	"fl=(1) a.c\nfn=(1) main\n1 20 2\ncfn=(2) f\ncalls=1 3\n1 5\nfn=(2)\n+2 5\ntotals: 25 2\n"
	"part: 2\nthread: 2\nevents: Dr Zz\nfl=(1)\nfn=(2)\n3 4 5\nfn=(3) g\n4 1\ncfn=(2)\ncalls=9 "
	"3\n"
	"4 1 2\nfn=(1)\n+1 5\ntotals: 10 5\n"
	"part: 3\nthread: 1\nevents: Ir\ntotals: 0\n"
	"part: 4\nevents: Ir Dr\nfl=(1)\nfn=(1)\n7 1 1\nfn=(3)\n8 2\ntotals: 3 1\n";

static const char formulas[] = "event: Ir : Instructions\nevent: Sum = Ir + 2 Dr : Both\n"
			       "events: Ir Dr\nfn=(1) f\n1 1 2\ncfn=(2) g\ncalls=2 1\n1 3 4\n"
			       "fn=(2)\n2 5 6\nfn=(1)\n3 7 8\n";

TEST(cut_at_each_offset)
{
	static const char *const texts[] = { one_part, many_parts, formulas };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		for (size_t w = 0; w < sizeof(ways) / sizeof(ways[0]); w++) {
			if (ways[w].part == 2 && texts[i] != many_parts)
				continue;
			/* None where nothing but headers is before or behind the cut. */
			assert_true(cut_everywhere(texts[i], &ways[w]) > strlen(texts[i]) / 3);
		}
}

/* A cut at the second "fn=" of the text is one that works, and that is as good as the whole. */
static uint64_t behind_the_first(const char *text)
{
	return (uint64_t)(strstr(text, "fn=") - text) + 1;
}

TEST(halves_are_made)
{
	static const char *const texts[] = { one_part, many_parts, formulas };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct tl_profile *half =
			fold_halves(texts[i], behind_the_first(texts[i]), &ways[0]);

		assert_non_null(half);
		tl_profile_free(half);
	}
}

/* What is wrong in a file is told by one reader, which has its places and counts them. */
TEST(what_is_unusual_has_no_halves)
{
	static const char *const texts[] = {
		HEAD "fn=(1) f\n1 x\nfn=(2) g\n1 1\n",
		HEAD "fn=(1) f\n1 1\nfn=(2) g\n1 x\n",
		HEAD "fn=(1) f\n1 1\nfn=(7)\n1 1\n",
		HEAD "fn=(1) f\n1 1\nfn=(2) g\n1 1\ntotals: 3\n",
		HEAD "fn=(1) f\n1 1\ncalls=1 1\nfn=(2) g\n1 1\n",
		HEAD "fn=(1) f\n1 1\nan unknown line\nfn=(2) g\n1 1\n",
		HEAD "fn=(1) f\n1 1\nfn=(2) g\n-2 1\n",
		HEAD "fn=(1) f\n4294967295 1\nfn=(2) g\n+1 1\n",
		HEAD "fn=(1) f\n1 9223372036854775807\nfn=(1)\n1 1\n",
		HEAD "fn=(1) f\n1 1\nfn=(2) g\n1 1",
		"event: X = Y\n" HEAD "fn=(1) f\n1 1\nfn=(2) g\n1 1\n",
		HEAD "fn=(1) f\n 1 1\nfn=(2) g\n1 1\n",
		HEAD "1 1\nfn=(1) f\n1 1\nfn=(2) g\n1 1\n",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		const char *second = strstr(strstr(texts[i], "fn=(") + 1, "fn=(");
		uint64_t offset = (uint64_t)(second - texts[i]);

		if (fold_halves(texts[i], offset, &ways[0]))
			fail_msg("text %zu has halves", i);
		assert_true(cut_everywhere(texts[i], &ways[0]) <= strlen(texts[i]));
	}
}

/* Sums of a function and of a call that fit in either half, but not together. */
TEST(sums_that_fit_in_either_half)
{
	static const char *const texts[] = {
		HEAD "fn=(1) f\n1 9223372036854775807\nfn=(2) g\n1 1\nfn=(1)\n1 5\n",
		HEAD "fn=(1) f\n1 1\ncfn=(2) g\ncalls=1 1\n1 9223372036854775807\nfn=(2)\n1 1\n"
		     "fn=(1)\n1 1\ncfn=(2)\ncalls=1 1\n1 9\n",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_null(fold_halves(texts[i], behind_the_first(texts[i]), &ways[0]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cut_at_each_offset),
		cmocka_unit_test(halves_are_made),
		cmocka_unit_test(what_is_unusual_has_no_halves),
		cmocka_unit_test(sums_that_fit_in_either_half),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
