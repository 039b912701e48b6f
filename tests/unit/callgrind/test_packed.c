/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Profiles that are packed: written or annotated, they give the bytes of the same profile with its
 * lines, arcs and jumps one by one.
 */
#include <inttypes.h>
#include <stdio.h>

#include <tracelathe/export.h>

#include "packed.h"

#include "profile/merge/merge.h"

static char *written(const struct tl_profile *profile, const struct tl_export_options *options,
		     size_t *size)
{
	const struct tl_exporter *exporter = tl_exporter_find("callgrind");
	struct tl_output *out;

	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(exporter->write(profile, options, out, NULL), 0);
	return copy_of(out, size);
}

static char *filed_merged(const struct tl_profile *profile, size_t *size)
{
	struct tl_output *out;

	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(tl_pfile_write_merged(profile, 1, out, NULL), 0);
	return copy_of(out, size);
}

/* As a profile file, with the order that the elements had. */
static void expect_same_whole_file(const struct tl_profile *whole, const struct tl_profile *small)
{
	size_t size, other;
	char *a = filed(whole, &size), *b = filed(small, &other);

	assert_int_equal(other, size);
	assert_memory_equal(b, a, size);
	free(a);
	free(b);
}

/* What is read packed is written as the profile that the file was made of. */
static void expect_written(const char *bytes, size_t size, bool packed,
			   const struct tl_profile *profile)
{
	const struct tl_export_options options = { .size = sizeof(options) };
	struct tl_profile *again = read_again(bytes, size, packed);
	size_t length, other;
	char *a = written(profile, &options, &length), *b = written(again, &options, &other);

	assert_string_equal(b, a);
	free(a);
	free(b);
	tl_profile_free(again);
}

/* Merged alone it is the profile file that merging makes of the profile. */
static void expect_same_merged_file(const struct tl_profile *whole, const struct tl_profile *small)
{
	struct tl_profile *merged;
	size_t size, other;
	char *a, *b;

	assert_int_equal(tl_profile_merge(&merged, &whole, 1, NULL), 0);
	a = filed(merged, &size);
	b = filed_merged(small, &other);
	assert_int_equal(other, size);
	assert_memory_equal(b, a, size);
	expect_written(a, size, true, merged);
	free(a);
	free(b);
	tl_profile_free(merged);
}

/* Merged with another profile, which has other names, events and parts, and some of the same. */
static void expect_same_sum(const char *text)
{
	static const char other[] = "part: 7\npositions: instr line\nevents: Zz Ir\nfl=y.c\nfn=f\n"
				    "0x10 9 1 2\n0x10 4 0 7\ncfi=a.c\ncfn=g\ncalls=3 0x40 7\n"
				    "0x14 9 8\nfl=a.c\nfn=g\n0x40 7 5 5\njump=2 0x40 7\n0x44 8\n";
	const struct tl_export_options options = { .size = sizeof(options) };
	struct tl_profile *whole[] = { fold_text(text), fold_text(other) }, *merged;
	struct tl_profile *small[] = { fold_packed(text), fold_packed(other) }, *sum;
	size_t size, length;
	char *a, *b;

	assert_int_equal(
		tl_profile_merge(&merged, (const struct tl_profile *const *)whole, 2, NULL), 0);
	assert_int_equal(tl_merge_packs(&sum, small, 2, NULL), 0);
	assert_true(sum->pack && !small[0]->pack && !small[1]->pack);
	a = written(merged, &options, &size);
	b = written(sum, &options, &length);
	assert_string_equal(b, a);
	free(a);
	free(b);
	a = filed(merged, &size);
	b = filed_merged(sum, &length);
	assert_int_equal(length, size);
	assert_memory_equal(b, a, size);
	free(a);
	free(b);
	for (size_t i = 0; i < 2; i++) {
		tl_profile_free(whole[i]);
		tl_profile_free(small[i]);
	}
	tl_profile_free(merged);
	tl_profile_free(sum);
}

/* Profiles of files that are read with their lines, arcs and jumps one by one. */
TEST(files_that_are_not_packed)
{
	static const char *const texts[] = {
		HEAD "fn=f\n1 9223372036854775807\n1 -5\n2 -7\n",
		"event: Ir\nevent: Twice = 2 Ir\nevents: Ir\nfn=f\n1 1\n",
		HEAD "fn=f\n1 1\n",
	};

	for (size_t i = 0; i < 3; i++) {
		struct tl_profile *whole = fold_text(texts[i]);
		size_t size;
		char *bytes;

		/* A line of no part, as profiles of other formats have. */
		whole->lines.list[0].part = i == 2 ? TL_NONE : whole->lines.list[0].part;
		bytes = filed(whole, &size);
		expect_written(bytes, size, false, whole);
		free(bytes);
		tl_profile_free(whole);
	}
}

/* How much each part had, and what of it could not be read. */
static void expect_same_parts(const struct tl_profile *whole, const struct tl_profile *small)
{
	assert_int_equal(tl_profile_part_count(small), tl_profile_part_count(whole));
	for (uint32_t i = 0; i < tl_profile_part_count(whole); i++) {
		const struct tl_part *a = tl_profile_part(whole, i), *b = tl_profile_part(small, i);

		assert_int_equal(b->records, a->records);
		assert_int_equal(b->losses.skipped_records, a->losses.skipped_records);
		assert_int_equal(b->losses.skipped_bytes, a->losses.skipped_bytes);
	}
}

/* Both ways, with all options of the writer. `packed`: whether the profile stays so. */
static void expect_same(const char *text, bool packed)
{
	static const struct tl_export_options options[] = {
		{ .size = sizeof(options[0]) },
		{ .size = sizeof(options[0]), .compression = TL_COMPRESS_ALL },
		{ .size = sizeof(options[0]), .compression = TL_COMPRESS_NONE },
		{ .size = sizeof(options[0]), .positions = TL_POSITIONS_LINE },
		{ .size = sizeof(options[0]), .positions = TL_POSITIONS_INSTR },
	};
	struct tl_profile *whole = fold_text(text), *small = fold_packed(text);

	assert_int_equal(small->pack != NULL, packed);
	assert_int_equal(tl_profile_function_count(small), tl_profile_function_count(whole));
	assert_int_equal(tl_profile_losses_of(small).saturated,
			 tl_profile_losses_of(whole).saturated);
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		size_t size, other;
		char *a = written(whole, &options[i], &size),
		     *b = written(small, &options[i], &other);

		assert_string_equal(b, a);
		assert_int_equal(other, size);
		free(a);
		free(b);
	}
	expect_same_parts(whole, small);
	expect_same_annotations(whole, small);
	expect_same_whole_file(whole, small);
	if (packed)
		expect_same_merged_file(whole, small);
	/* One whose sums are nearly too large is not merged packed: tl_gather_packs_fit(). */
	if (packed && tl_pack_weight(small->pack) < TL_PACK_LARGE / 2)
		expect_same_sum(text);
	tl_profile_free(whole);
	tl_profile_free(small);
}

/* ---- forms of lines ---- */

static const char *const forms_of_lines[] = {
	"7 1 2 3\n",
	"+3 5\n",
	"-1 123 45 6\n",
	"* 9999 10000 1\n",
	"*\n",
	"+1\n",
	"12\n",
	"+2 0\n",
	"+2 0 0 7\n",
	"+1 7 0 0\n",
	"+1 1234567\n",
	"+1 12345678 1\n",
	"+1  1\n",
	"+1\t1 2\n",
	"+1 1 2 \n",
	"+1 1 2  \n",
	"+1 3 4\r\n",
	"0x1f 3\n",
	"0x1fg 3\n",
	"+0x3 1\n",
	"10-20 1\n",
	"10+5 2\n",
	"-99999 1\n",
	"5000000000 1\n",
	"+1 1x\n",
	"+1 0x10\n",
	"+1 -5\n",
	"+1 1.5\n",
	"+ 1\n",
	"*3 1\n",
	"+1 1 2 3 4\n",
	" +1 8\n",
	"+1 007 00\n",
	"12345678901 1\n",
	"99999999999999999999999 1\n",
	"+1 1 -\n",
	"\n",
	"fi=b.c\n",
	"fe=a.c\n",
	"fn=g\n",
	"fn=f\n",
	"cfn=f\ncalls=1 3\n+1 5\n",
	"jump=1 3\n4\n",
	"cfn=g\ncalls=x\n+1 5\n",
	"# 1 2\n",
	"1e3 4\n",
	"+1 1 2 3 4 5 6 7 8 9 1 2 3 4\n",
	"+1 1 2 3 4 5 6 7 8 9 1 2 3 4 5\n",
	"+1 1 2 3 4 5 6 7 8 9 1 2 3 4 0 0\n",
	"+1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1\n",
	"+1 5 4 3 2 1 9 8 7 6 5 4 3 2 1 1 8\n",
};

enum { FORMS = sizeof(forms_of_lines) / sizeof(forms_of_lines[0]) };

/* Each form behind each other one. `head` names positions and events. */
static void expect_same_forms(const char *head, bool packed)
{
	enum { ROOM = FORMS * FORMS * 100 };
	char *text = malloc(ROOM);
	size_t used;

	assert_non_null(text);
	used = (size_t)snprintf(text, ROOM, "%sfl=a.c\nfn=f\n", head);
	for (size_t i = 0; i < FORMS; i++)
		for (size_t j = 0; j < FORMS; j++)
			used += (size_t)snprintf(text + used, ROOM - used, "%s%s",
						 forms_of_lines[i], forms_of_lines[j]);
	assert_true(used < ROOM);
	expect_same(text, packed);
	free(text);
}

/* Where "-5" is a cost, it is negative, and sums are made one by one behind the lines. */
TEST(forms_of_cost_lines)
{
	expect_same_forms("events: A B C\n", false);
	expect_same_forms("positions: instr line\nevents: A B C\n", true);
	expect_same_forms("positions: instr bb line\nevents: A\n", true);
	expect_same_forms("events: A B C D E F G H I J K L M N O P\n", false);
}

/* The same where they stay packed: each form between lines of the plain one, but for that one. */
TEST(forms_of_packed_lines)
{
	for (size_t i = 0; i < FORMS; i++) {
		char text[1000];

		if (strstr(forms_of_lines[i], " -5"))
			continue;
		snprintf(text, sizeof(text),
			 "events: A B C D E F G H I J K L M N O P\nfl=a.c\nfn=f\n3 1\n+1 5 6\n"
			 "%s+2 7\n%s-2 1 0 4\n* 2\n+1 1",
			 forms_of_lines[i], forms_of_lines[i]);
		expect_same(text, true);
	}
}

/* Faults are at the lines where they are, also behind lines that are packed at once. */
TEST(faults)
{
	static const char text[] = HEAD "fl=a.c\nfn=f\n1 1\n2 2\n3 3\n4 x\n5 5\n6 6\nbad\n7 7\n"
					"8 8\ntotals: 4\n";
	const struct tl_callgrind_fault *a, *b;
	uint64_t count[2], skipped[2];
	struct tl_profile *profile;
	size_t listed[2];
	struct text one, all;

	text_open(&one, text);
	text_open(&all, text);
	read_rest(&one);
	assert_int_equal(tl_callgrind_fold_packed(&all.reader, 1, NULL, &profile, NULL), 0);
	a = tl_callgrind_faults(one.reader, &listed[0], &count[0], &skipped[0]);
	b = tl_callgrind_faults(all.reader, &listed[1], &count[1], &skipped[1]);
	assert_true(count[0] == 3 && count[1] == 3);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(b[i].offset, a[i].offset);
		assert_int_equal(b[i].line, a[i].line);
		assert_int_equal(b[i].status, a[i].status);
	}
	assert_int_equal(a[0].line, 8);
	assert_int_equal(a[1].line, 11);
	assert_int_equal(a[2].line, 14);
	tl_profile_free(profile);
	text_close(&one);
	text_close(&all);
}

TEST(lines_calls_and_jumps)
{
	expect_same("pid: 3\ncmd: x y\npart: 1\npositions: instr bb line\nevents: Ir Dr Dw\n"
		    "ob=a.so\nfl=a.c\nfn=f\n0x10 0x10 9 1 0 5\n0x8 0x8 4 2\n0x10 0x10 9 7\n"
		    "fi=in.h\n0x8 0x8 2 1\nfe=a.c\n0x8 0x4 4 1 1 1\ncob=b.so\ncfi=b.c\ncfn=g\n"
		    "calls=3 0x40 0x40 7\n0x8 0x8 4 30 1\ncfn=g\ncalls=2 0x40 0x40 7\n0x8 0x8 4 9\n"
		    "cfn=f\ncalls=0 0x8 0x8 4\n0x10 0x10 9 1\njcnd=2/9 0x10 0x10 9\n0x8 0x8 4\n"
		    "jump=4 0x8 0x8 4\n0x10 0x10 9\njfi=b.c\njfn=g\njump=1 0x40 0x40 7\n0x8 0x8 4\n"
		    "fn=g\n0x40 0x40 7 3\n0x3f 0x40 6 4 0 0\nfn=none\n1 1 1\n",
		    true);
}

/* Items of a function that come in any order, and more than once, are sorted and summed. */
TEST(any_order)
{
	char text[40000] = HEAD "fl=a.c\n";
	size_t used = strlen(text);
	uint32_t random = 1;

	for (int i = 0; i < 1500; i++) {
		random = random * 1664525 + 1013904223;
		used += (size_t)snprintf(text + used, sizeof(text) - used,
					 i % 100 ? "%u %u\n" : "fn=f%u\n1 %u\n",
					 (random >> 16) % (i % 100 ? 300 : 3), i + 1);
	}
	expect_same(text, true);
}

/*
 * Jumps and calls of few places lead to few others, in any order. `wide`: addresses are so far from
 * each other that they are no part of a number of 64 bits beside anything else.
 */
static void expect_same_jumps(const char *wide)
{
	enum { ROOM = 60000 };
	char *text = malloc(ROOM);
	uint32_t random = 3;
	size_t used;

	assert_non_null(text);
	used = (size_t)snprintf(text, ROOM,
				"positions: instr line\nevents: Ir Dr\nfl=a.c\nfn=f0\n%s", wide);
	for (int i = 0; i < 900; i++) {
		unsigned from, to, kind;

		random = random * 1664525 + 1013904223;
		from = 1 + (random >> 10) % 5;
		to = 1 + (random >> 13) % 6;
		kind = (random >> 16) % 5;
		if (kind == 0)
			used += (size_t)snprintf(text + used, ROOM - used,
						 "cfn=f%u\ncalls=%u 0x%x %u\n", to % 3, to, to, to);
		else if (kind == 1)
			used += (size_t)snprintf(text + used, ROOM - used, "jump=%u 0x%x %u\n", to,
						 to, to);
		else if (kind == 2)
			used += (size_t)snprintf(text + used, ROOM - used,
						 "jfn=f%u\njcnd=1/%u 0x%x %u\n", to % 3, to, to,
						 to);
		used += (size_t)snprintf(text + used, ROOM - used, "0x%x %u %u\n", from, from, i);
		if (i % 100 == 99)
			used += (size_t)snprintf(text + used, ROOM - used, "fn=f%u\n", to % 3);
	}
	expect_same(text, true);
	free(text);
}

TEST(jumps_in_any_order)
{
	expect_same_jumps("");
	expect_same_jumps("0x8000000000000000 4294967295 1\n0x0 0 1\n");
}

/* Parts have functions, events in other orders, and sums of their own. */
TEST(parts)
{
	expect_same("part: 1\nevents: Ir Dr\nfl=a.c\nfn=f\n1 1 2\n2 5\ncfn=g\ncalls=1 9\n2 8 8\n"
		    "part: 2\nthread: 4\nevents: Dr Bc Ir\nfn=g\n9 10 20 30\nfl=\?\?\?\nfn=f\n1 1\n"
		    "part: 3\nevents: Ir\nfl=a.c\nfn=g\n9 1\nfn=f\n2 1\n1 1\nfn=g\n8 1\n",
		    true);
}

/*
 * Parts with one number are one part of a merged file: their lines, arcs and jumps are added up.
 * The order of names is not that of the functions.
 */
TEST(parts_that_become_one)
{
	static const char part[] =
		"part: 7\npositions: instr line\nevents: Ir Dr\nfl=z.c\nfn=z\n0x10 1 2 3\n"
		"0x8 9 4\nfi=a.c\n0x10 1 5\nfl=b.c\nfn=b\n0x20 2 1\ncfi=z.c\ncfn=z\n"
		"calls=2 0x10 1\n0x24 3 11 3\ncfi=a.c\ncfn=a\ncalls=1 0x40 1\n0x24 3 7\n"
		"jcnd=1/4 0x20 2\n0x28 4\njump=3 0x20 2\n0x28 4\nfl=a.c\nfn=a\n0x40 1 7\n";
	char text[4096];

	static const char other[] = "part: 3\nevents: Ir\nfl=b.c\nfn=b\n0x20 2 9\ncfi=z.c\ncfn=z\n"
				    "calls=5 0x10 1\n0x24 3 4\ncfi=a.c\ncfn=a\ncalls=6 0x40 1\n"
				    "0x24 3 8\njump=2 0x20 2\n0x28 4\n";

	snprintf(text, sizeof(text), "%s%s%s%s", part, other, part, part);
	expect_same(text, true);
}

/* Groups are of a file that several functions have code of; one of no cost at all is no group. */
TEST(files_of_several_functions)
{
	expect_same("positions: instr line\nevents: Ir Dr\nfl=a.c\nfn=f\n0x10 9 1 0\nfi=in.h\n"
		    "0x14 4 2 7\nfe=a.c\n0x18 9 0 3\nfi=idle.h\n0x1c 1\nfe=in.h\n0x20 4 1\n"
		    "cfi=a.c\ncfn=g\ncalls=2 0x40 7\n0x24 4 9 1\nfl=a.c\nfn=g\n0x40 7 1 1\n"
		    "fi=in.h\n0x44 4 5 5\n0x48 2\nfl=idle.h\nfn=idle\n0x60 3\n"
		    "fl=calls.c\nfn=only\ncfi=a.c\ncfn=g\ncalls=1 0x40 7\n0x80 1 1 1\n",
		    true);
}

/* Functions, files and parts take turns, and lines come again. */
TEST(order_of_elements)
{
	expect_same(
		HEAD
		"fl=z.c\nfn=f\n9 5\n3 1\nfl=a.c\nfn=g\n9 1\ncfi=z.c\ncfn=f\ncalls=1 9\n9 3\n"
		"jump=1 8\n9\nfl=z.c\nfn=f\n1 5\n9 1\nfi=b.c\n3 1\nfe=z.c\n3 1\n2 1\n"
		"cfi=a.c\ncfn=g\ncalls=1 9\n1 3\ncfn=g\ncalls=1 9\n0 3\nfl=a.c\nfn=g\n8 1\n9 1\n"
		"cfi=z.c\ncfn=f\ncalls=4 9\n9 3\njump=4 8\n9\njump=4 8\n7\nfl=b.c\nfn=f\n4 1\n",
		true);
}

TEST(wide_numbers)
{
	expect_same("positions: instr line\nevents: Ir\nfl=a.c\nfn=f\n"
		    "0xffffffffffffffff 4294967295 4611686018427387000\n0x0 0 1\n"
		    "cfn=g\ncalls=4611686018427387000 0xfffffffffffffff0 4294967295\n"
		    "0x8000000000000000 2147483648 5\n",
		    true);
}

/* Where sums may not fit, or cancel, they are made one by one; so are those of formulas. */
TEST(sums_that_need_care)
{
	expect_same(HEAD "fn=f\n1 9223372036854775807\n1 5\n2 -7\n", false);
	expect_same(HEAD "fn=f\n1 5\n1 -9223372036854775808\n1 -1\n", false);
	expect_same(HEAD "fn=f\n1 1\ncfn=g\ncalls=9223372036854775807 1\n1 1\ncfn=g\n"
			 "calls=9223372036854775807 1\n1 1\ncfn=g\ncalls=9 1\n1 1\n",
		    false);
	/* These two lines are none together, but the pack has both. */
	expect_same(HEAD "fl=a.c\nfn=f\n1 5\n2 1\n1 -5\n", false);
	/* Elements keep their order also where those of two functions take turns. */
	expect_same(HEAD
		    "fn=f\n2 5\nfn=g\n9 1\ncfn=f\ncalls=1 2\n9 3\njump=1 8\n9\nfn=f\n1 -5\n2 1\n"
		    "cfn=g\ncalls=1 9\n1 3\nfn=g\n8 1\n9 1\nfn=f\n4 1\njump=2 1\n4\n",
		    false);
	expect_same("event: Ir\nevent: Twice = 2 Ir\nevents: Ir\nfn=f\n1 1\n", false);
}

/* ---- by several threads ---- */

static char *filed_by(const struct tl_profile *profile, unsigned jobs, size_t *size)
{
	struct tl_output *out;

	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(tl_pfile_write(profile, jobs, out, NULL), 0);
	return copy_of(out, size);
}

static void expect_filed(const struct tl_profile *profile, unsigned jobs, const char *bytes,
			 size_t size)
{
	size_t other;
	char *made = filed_by(profile, jobs, &other);

	assert_int_equal(other, size);
	assert_memory_equal(made, bytes, size);
	free(made);
}

static void expect_read_by(const char *bytes, size_t size, unsigned jobs)
{
	const struct tl_pfile_read_options options = { .packed = true, .jobs = jobs };
	struct tl_pfile_reader reader;
	struct tl_profile *profile;

	assert_int_equal(tl_pfile_open(&reader, (const uint8_t *)bytes, size, true, NULL), 0);
	assert_int_equal(tl_pfile_read(&profile, &reader, &options, NULL), 0);
	assert_non_null(profile->pack);
	expect_filed(profile, 1, bytes, size);
	tl_pfile_close(&reader);
	tl_profile_free(profile);
}

/*
 * So many lines that they are a dozen blocks, of functions of which one has a fifth of them, and
 * two hundred files, of which some have a few lines.
 */
static char *large_text(void)
{
	enum { LINES = 84000, ROOM = LINES * 64 };
	char *text = malloc(ROOM);
	uint32_t random = 7;
	size_t used;

	assert_non_null(text);
	used = (size_t)snprintf(text, ROOM,
				"positions: instr line\nevents: A B C D E F G H I J K L M\n");
	for (unsigned i = 0; i < LINES; i++) {
		random = random * 1664525 + 1013904223;
		if (i % 60 == 0) {
			const unsigned function = (random >> 10) % 5 ? (random >> 16) % 300 : 77;

			used += (size_t)snprintf(text + used, ROOM - used, "fl=%u.c\nfn=f%u\n",
						 function % 100, function);
		}
		if (i % 300 == 30)
			used += (size_t)snprintf(text + used, ROOM - used, "fi=%u.h\n",
						 (random >> 10) % 100);
		if (i % 7 == 0)
			used += (size_t)snprintf(text + used, ROOM - used,
						 "cfn=f%u\ncalls=%u 0x%x 3\n", (random >> 8) % 300,
						 i % 9, random >> 4);
		if (i % 1000 == 0)
			used += (size_t)snprintf(text + used, ROOM - used,
						 "jump=3 0x%x 2\n0x%x 1\n", random >> 5, i);
		used += (size_t)snprintf(text + used, ROOM - used, "0x%x %u %u 0 %u\n",
					 (random >> 12) % 9000 * 16, (random >> 20) % 99, i,
					 random >> 30);
	}
	return text;
}

/* However many threads write or read it, and packed or not: the same bytes. The text is freed. */
static void expect_filed_by_threads(char *text)
{
	struct tl_profile *whole = fold_text(text), *small = fold_packed(text);
	size_t size;
	char *bytes = filed_by(whole, 1, &size);

	assert_non_null(small->pack);
	for (unsigned jobs = 1; jobs <= 5; jobs += 2) {
		expect_filed(whole, jobs, bytes, size);
		expect_filed(small, jobs, bytes, size);
		expect_read_by(bytes, size, jobs);
	}
	free(bytes);
	free(text);
	tl_profile_free(whole);
	tl_profile_free(small);
}

TEST(large_files)
{
	expect_filed_by_threads(large_text());
}

/*
 * Many items that are few rows, then rows of an item each: of 200 events, as blocks have few rows
 * then.
 */
static char *repeated_text(void)
{
	enum { REPEATED = 40000, ONCE = 9000, ROOM = (REPEATED + ONCE) * 20 + 4000 };
	char *text = malloc(ROOM);
	size_t used;

	assert_non_null(text);
	used = (size_t)snprintf(text, ROOM, "events:");
	for (unsigned i = 0; i < 200; i++)
		used += (size_t)snprintf(text + used, ROOM - used, " E%u", i);
	for (unsigned i = 0; i < REPEATED; i++)
		used += (size_t)snprintf(text + used, ROOM - used, i % 50 ? "%u 3\n" : "\nfn=a%u\n",
					 i % 50 ? i % 41 : i / 50 % 9);
	for (unsigned i = 0; i < ONCE; i++)
		used += (size_t)snprintf(text + used, ROOM - used, i % 90 ? "%u 5\n" : "fn=z%u\n",
					 i % 90 ? i : i / 90 % 50);
	return text;
}

/* A wave of items may have fewer rows than a block. */
TEST(few_rows_of_many_items)
{
	expect_filed_by_threads(repeated_text());
}

TEST(many_events)
{
	char text[4000] = "events:";
	size_t used = strlen(text);

	for (int e = 0; e < 200; e++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, " E%d", e);
	used += (size_t)snprintf(text + used, sizeof(text) - used, "\nfn=f\n1");
	for (int e = 0; e < 200; e++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, " %d", e * 97);
	snprintf(text + used, sizeof(text) - used, "\n1 3\n2\n");
	expect_same(text, true);
}

/* Lines are a few bytes: five of a place and its cost beside what a run has once. */
TEST(small)
{
	struct tl_pack *pack = calloc(1, sizeof(*pack));
	struct tl_pack_item item = { .kind = TL_PACK_LINE, .cost_count = 2 };
	static const int64_t costs[] = { 60, 0 };

	assert_true(pack && tl_pack_part(pack, 0, 2));
	for (uint32_t i = 1; i <= 1000; i++) {
		item.at.line = i;
		item.at.address = i * UINT64_C(4);
		assert_true(tl_pack_add(pack, 0, 0, &item, costs));
	}
	assert_int_equal(pack->run_count, 1);
	assert_int_equal(pack->runs[0].counts[TL_PACK_LINE], 1000);
	/* head, line, address, one cost */
	assert_int_equal(pack->runs[0].bytes, 4000);
	assert_int_equal(pack->sums[0].costs[0], 60000);
	tl_pack_free(pack);
}

/* Numbers that do not follow each other are those that were set, whatever the run. */
TEST(numbers)
{
	static const uint32_t given[] = { 7, 8, 2, 4000000000u, 0, 1, 300, 301, 5 };
	static const int64_t cost = 1;
	struct tl_pack *pack = calloc(1, sizeof(*pack));
	struct tl_pack_item item = { .kind = TL_PACK_LINE, .cost_count = 1 };
	struct tl_pack_cursor cursors[2];

	assert_true(pack && tl_pack_part(pack, 0, 1));
	for (uint32_t i = 0; i < 9; i++) {
		pack->next = given[i];
		item.at.file = i / 3;
		assert_true(tl_pack_add(pack, i % 2, 0, &item, &cost));
	}
	assert_int_equal(pack->run_count, 2);
	assert_int_equal(pack->end, 4000000001u);
	cursors[0] = tl_pack_read(&pack->runs[0]);
	cursors[1] = tl_pack_read(&pack->runs[1]);
	for (uint32_t i = 0; i < 9; i++) {
		assert_true(tl_pack_next(&cursors[i % 2], &item));
		assert_int_equal(item.number, given[i]);
		assert_int_equal(item.at.file, i / 3);
	}
	tl_pack_free(pack);
}

/* What cannot read a packed profile says so. */
TEST(other_exporters_refuse)
{
	struct tl_profile *profile = fold_packed(HEAD "fn=f\n1 1\n");
	struct tl_output *out;

	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	for (size_t i = 0; tl_exporters()[i]; i++) {
		struct tl_error err = { 0 };
		int expected = tl_exporters()[i]->packed ? TL_OK : TL_UNSUPPORTED;

		assert_int_equal(tl_exporters()[i]->write(profile, NULL, out, &err), expected);
		assert_true(expected == TL_OK || err.text);
	}
	tl_output_discard(out);
	tl_profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(forms_of_cost_lines),
		cmocka_unit_test(forms_of_packed_lines),
		cmocka_unit_test(faults),
		cmocka_unit_test(lines_calls_and_jumps),
		cmocka_unit_test(any_order),
		cmocka_unit_test(jumps_in_any_order),
		cmocka_unit_test(parts),
		cmocka_unit_test(parts_that_become_one),
		cmocka_unit_test(files_that_are_not_packed),
		cmocka_unit_test(files_of_several_functions),
		cmocka_unit_test(order_of_elements),
		cmocka_unit_test(wide_numbers),
		cmocka_unit_test(sums_that_need_care),
		cmocka_unit_test(large_files),
		cmocka_unit_test(few_rows_of_many_items),
		cmocka_unit_test(many_events),
		cmocka_unit_test(small),
		cmocka_unit_test(numbers),
		cmocka_unit_test(other_exporters_refuse),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
