/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pprof profiles, field by field as profile.proto and the wire format of protocol buffers say; each
 * test writes its bytes itself.
 */
#include <string.h>

#include <tracelathe/profile.h>

#include "../wire_bytes.h"
#include "core/protobuf/wire.h"
#include "pprof/profile/fold.h"
#include "unit/unit.h"

/* ---- bytes ---- */

static void strings(struct bytes *b)
{
	static const char *const texts[] = { "",     "samples", "count",  "cpu",  "nanoseconds",
					     "main", "inner",   "main.c", "prog", "worker",
					     "red",  "thread",  "inn.*" };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		block(b, 6, texts[i], strlen(texts[i]));
}

static void type(struct bytes *b, uint64_t name, uint64_t unit)
{
	struct bytes inner = { .size = 0 };

	number(&inner, 1, name);
	number(&inner, 2, unit);
	message(b, 1, &inner);
}

/* Function 1 is main (line 10), 2 is inner. */
static void functions(struct bytes *b)
{
	struct bytes inner = { .size = 0 };

	number(&inner, 1, 1);
	number(&inner, 2, 5);
	number(&inner, 4, 7);
	number(&inner, 5, 10);
	message(b, 5, &inner);
	number(&inner, 1, 2);
	number(&inner, 2, 6);
	number(&inner, 4, 7);
	message(b, 5, &inner);
}

static void line(struct bytes *b, uint64_t function, uint64_t at)
{
	struct bytes inner = { .size = 0 };

	number(&inner, 1, function);
	number(&inner, 2, at);
	message(b, 4, &inner);
}

/* Location 1: main, line 11; 2: inner, line 21, inlined into main, line 12. */
static void locations(struct bytes *b)
{
	struct bytes inner = { .size = 0 };

	number(&inner, 1, 1);
	number(&inner, 3, 0x1000);
	line(&inner, 1, 11);
	message(b, 4, &inner);
	number(&inner, 1, 2);
	number(&inner, 3, 0x2000);
	line(&inner, 2, 21);
	line(&inner, 1, 12);
	message(b, 4, &inner);
}

/* ---- profiles ---- */

static struct tl_profile *fold_with(const struct bytes *b, const char *const *labels,
				    size_t label_count, bool lines, uint64_t *faults)
{
	const struct tl_pprof_fold_options options = { .thread = TL_NOWHERE,
						       .process = TL_NOWHERE,
						       .labels = labels,
						       .label_count = label_count,
						       .lines = lines };
	struct tl_pprof_file p = { .size = 0 };
	struct tl_profile *profile = NULL;
	struct tl_error err;

	assert_int_equal(tl_pprof_open(&p, b->data, b->size, &err), 0);
	assert_int_equal(tl_pprof_fold(&p, &options, &profile, &err), 0);
	*faults = p.faults.total;
	tl_pprof_close(&p);
	return profile;
}

static struct tl_profile *fold(const struct bytes *b, uint64_t *faults)
{
	return fold_with(b, NULL, 0, true, faults);
}

static struct tl_function_totals totals_of(const struct tl_profile *profile, const char *name)
{
	struct tl_function_totals totals = { .calls = 0 };

	for (uint32_t i = 0; i < tl_profile_function_count(profile); i++)
		if (!strcmp(tl_profile_function(profile, i)->name, name)) {
			tl_profile_function_totals(profile, i, TL_NONE, &totals, sizeof(totals));
			return totals;
		}
	fail_msg("no function %s", name);
	return totals;
}

/* "Fields may come in any order": samples first, strings last; numbers not packed. */
TEST(samples_before_tables_and_strings)
{
	struct bytes b = { .size = 0 }, sample = { .size = 0 };
	struct tl_profile *profile;
	uint64_t faults;

	number(&sample, 1, 1);
	number(&sample, 2, 3);
	number(&sample, 2, 30);
	message(&b, 2, &sample);
	functions(&b);
	locations(&b);
	type(&b, 1, 2);
	type(&b, 3, 4);
	strings(&b);
	profile = fold(&b, &faults);
	assert_int_equal(faults, 0);
	/* Without a default type pprof shows the last one, which is then the first event. */
	assert_string_equal(tl_profile_event(profile, 0)->name, "cpu");
	assert_string_equal(tl_profile_event(profile, 0)->unit, "ns");
	assert_string_equal(tl_profile_event(profile, 1)->name, "samples");
	assert_int_equal(totals_of(profile, "main").self[0], 30);
	assert_int_equal(totals_of(profile, "main").self[1], 3);
	tl_profile_free(profile);
}

/* "Line: multiple line indicates this location has inlined functions ... the last entry represents
 * the caller into which the preceding entries were inlined." */
TEST(inlined_functions_are_callees)
{
	struct bytes b = { .size = 0 }, sample = { .size = 0 };
	struct tl_profile *profile;
	uint64_t faults;

	type(&b, 1, 2);
	strings(&b);
	functions(&b);
	locations(&b);
	block(&sample, 1, "\x02", 1);
	block(&sample, 2, "\x05", 1);
	message(&b, 2, &sample);
	profile = fold(&b, &faults);
	assert_int_equal(faults, 0);
	assert_int_equal(totals_of(profile, "inner").self[0], 5);
	assert_int_equal(totals_of(profile, "main").self[0], 0);
	assert_int_equal(totals_of(profile, "main").inclusive[0], 5);
	assert_int_equal(tl_profile_line_count(profile), 1);
	assert_int_equal(tl_profile_line(profile, 0)->at.line, 21);
	assert_int_equal(tl_profile_arc_count(profile), 1);
	assert_int_equal(tl_profile_arc(profile, 0)->from.line, 12);
	assert_int_equal(tl_profile_arc_cost(profile, 0)[0], 5);
	tl_profile_free(profile);
}

/* The cost of an arc counts a stack once, however often the call is on it. */
TEST(recursion_counts_once)
{
	struct bytes b = { .size = 0 }, sample = { .size = 0 };
	struct tl_profile *profile;
	uint64_t faults;

	type(&b, 1, 2);
	strings(&b);
	functions(&b);
	locations(&b);
	block(&sample, 1, "\x01\x01\x01", 3);
	block(&sample, 2, "\x07", 1);
	message(&b, 2, &sample);
	profile = fold(&b, &faults);
	assert_int_equal(tl_profile_arc_count(profile), 1);
	assert_int_equal(tl_profile_arc_cost(profile, 0)[0], 7);
	assert_int_equal(totals_of(profile, "main").inclusive[0], 7);
	tl_profile_free(profile);
}

static void labelled(struct bytes *b, uint64_t key, uint64_t text, uint64_t num, uint8_t value)
{
	struct bytes sample = { .size = 0 }, label = { .size = 0 };

	block(&sample, 1, "\x01", 1);
	block(&sample, 2, &value, 1);
	number(&label, 1, key);
	number(&label, text ? 2 : 3, text ? text : num);
	message(&sample, 3, &label);
	message(b, 2, &sample);
}

TEST(labels_choose_samples_and_make_threads)
{
	static const char *const red[] = { "worker=red" }, *const seven[] = { "thread=7" },
				 *const both[] = { "worker=red", "thread=7" };
	struct bytes b = { .size = 0 };
	struct tl_profile *profile;
	uint64_t faults;

	type(&b, 1, 2);
	strings(&b);
	functions(&b);
	locations(&b);
	labelled(&b, 9, 10, 0, 1);
	labelled(&b, 11, 0, 7, 2);
	labelled(&b, 11, 0, 8, 4);
	profile = fold(&b, &faults);
	assert_int_equal(tl_profile_part_count(profile), 3);
	assert_int_equal(tl_profile_part(profile, 1)->thread, 7);
	assert_int_equal(tl_profile_total(profile)[0], 7);
	tl_profile_free(profile);
	profile = fold_with(&b, red, 1, false, &faults);
	assert_int_equal(tl_profile_total(profile)[0], 1);
	tl_profile_free(profile);
	profile = fold_with(&b, seven, 1, false, &faults);
	assert_int_equal(tl_profile_total(profile)[0], 2);
	tl_profile_free(profile);
	profile = fold_with(&b, both, 2, false, &faults);
	assert_int_equal(tl_profile_total(profile)[0], 0);
	tl_profile_free(profile);
}

/* "drop_frames: frames with Function.function_name fully matching the following regexp will be
 * dropped from the samples, along with their successors." */
TEST(dropped_frames_give_their_cost_to_the_caller)
{
	struct bytes b = { .size = 0 }, sample = { .size = 0 };
	struct tl_profile *profile;
	uint64_t faults;

	type(&b, 1, 2);
	strings(&b);
	functions(&b);
	locations(&b);
	number(&b, 7, 12);
	block(&sample, 1, "\x01\x02\x01", 3);
	block(&sample, 2, "\x09", 1);
	message(&b, 2, &sample);
	profile = fold(&b, &faults);
	assert_int_equal(faults, 0);
	assert_int_equal(tl_profile_context_count(profile), 2);
	assert_int_equal(totals_of(profile, "main").self[0], 9);
	tl_profile_free(profile);
}

/* ---- damage ---- */

static void expect_fault(const struct bytes *b, const char *rule, enum tl_status status,
			 uint64_t offset)
{
	const struct tl_pprof_fold_options options = { .thread = TL_NOWHERE,
						       .process = TL_NOWHERE };
	struct tl_pprof_file p = { .size = 0 };
	struct tl_profile *profile = NULL;

	assert_int_equal(tl_pprof_open(&p, b->data, b->size, NULL), 0);
	assert_int_equal(tl_pprof_fold(&p, &options, &profile, NULL), 0);
	assert_int_equal(p.faults.total, 1);
	assert_string_equal(p.faults.list[0].rule, rule);
	assert_int_equal(p.faults.list[0].status, status);
	assert_int_equal(p.faults.list[0].offset, offset);
	/* The whole sample counts in any case. */
	assert_int_equal(tl_profile_total(profile)[0], 5);
	tl_profile_free(profile);
	tl_pprof_close(&p);
	p.faults.strict = true;
	profile = NULL;
	if (tl_pprof_open(&p, b->data, b->size, NULL) == 0)
		assert_int_equal(tl_pprof_fold(&p, &options, &profile, NULL), status);
	assert_null(profile);
	tl_pprof_close(&p);
}

static void whole(struct bytes *b)
{
	struct bytes sample = { .size = 0 };

	type(b, 1, 2);
	strings(b);
	functions(b);
	locations(b);
	block(&sample, 1, "\x01", 1);
	block(&sample, 2, "\x05", 1);
	message(b, 2, &sample);
}

TEST(a_cut_field_keeps_those_before)
{
	struct bytes b = { .size = 0 };
	size_t at;

	whole(&b);
	at = b.size;
	block(&b, 2, "\x0a\x01\x01", 3);
	b.size--;
	expect_fault(&b, "field", TL_TRUNCATED, at);
}

TEST(a_damaged_sample_is_passed_over)
{
	struct bytes b = { .size = 0 };
	size_t at;

	whole(&b);
	at = b.size;
	block(&b, 2, "\x0a\x09\x01", 3);
	expect_fault(&b, "message", TL_BAD_RECORD, at);
}

TEST(a_location_that_is_not_there_keeps_its_cost)
{
	struct bytes b = { .size = 0 }, sample = { .size = 0 };
	size_t at;

	type(&b, 1, 2);
	strings(&b);
	functions(&b);
	locations(&b);
	at = b.size;
	block(&sample, 1, "\x63", 1);
	block(&sample, 2, "\x05", 1);
	message(&b, 2, &sample);
	expect_fault(&b, "location", TL_BAD_RECORD, at);
}

TEST(a_string_that_is_not_there)
{
	struct bytes b = { .size = 0 }, inner = { .size = 0 };
	size_t at;

	whole(&b);
	at = b.size;
	number(&inner, 1, 3);
	number(&inner, 2, UINT64_MAX);
	message(&b, 5, &inner);
	expect_fault(&b, "string", TL_BAD_RECORD, at);
}

/* "A field has another wire type than the format says: the other fields." */
TEST(fields_of_other_types)
{
	static const struct {
		unsigned outer, inner;
	} cases[] = { { 1, 1 }, { 3, 2 }, { 4, 3 }, { 5, 2 } };
	struct bytes b = { .size = 0 }, inner = { .size = 0 };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tl_pprof_file p = { .size = 0 };

		b.size = 0;
		whole(&b);
		number(&inner, 1, 9);
		block(&inner, cases[i].inner, "abc", 3);
		message(&b, cases[i].outer, &inner);
		assert_int_equal(tl_pprof_open(&p, b.data, b.size, NULL), 0);
		assert_int_equal(p.faults.list[0].status, TL_BAD_RECORD);
		assert_string_equal(p.faults.list[0].rule, "type");
		tl_pprof_close(&p);
	}
	/* A number as the lines of a location. */
	b.size = 0;
	whole(&b);
	number(&inner, 1, 9);
	number(&inner, 4, 3);
	message(&b, 4, &inner);
	expect_fault(&b, "type", TL_BAD_RECORD, b.size - 2);
}

TEST(an_id_twice)
{
	struct bytes b = { .size = 0 }, inner = { .size = 0 };
	size_t at;

	whole(&b);
	at = b.size;
	number(&inner, 1, 2);
	number(&inner, 2, 5);
	message(&b, 5, &inner);
	expect_fault(&b, "id", TL_BAD_RECORD, at);
}

TEST(more_values_than_types)
{
	struct bytes b = { .size = 0 }, sample = { .size = 0 };
	size_t at;

	type(&b, 1, 2);
	strings(&b);
	functions(&b);
	locations(&b);
	at = b.size;
	block(&sample, 1, "\x01", 1);
	block(&sample, 2, "\x05\x06", 2);
	message(&b, 2, &sample);
	expect_fault(&b, "values", TL_BAD_RECORD, at);
}

/* Unknown fields of any type, groups among them, are passed over. */
TEST(unknown_fields)
{
	struct bytes b = { .size = 0 };
	struct tl_profile *profile;
	uint64_t faults;

	whole(&b);
	number(&b, 100, 7);
	block(&b, 101, "abc", 3);
	put_varint(&b, 102 * 8 + 5);
	b.size += 4;
	put_varint(&b, 103 * 8 + 1);
	b.size += 8;
	put_varint(&b, 104 * 8 + 3);
	number(&b, 1, 1);
	put_varint(&b, 104 * 8 + 4);
	profile = fold(&b, &faults);
	assert_int_equal(faults, 0);
	assert_int_equal(tl_profile_total(profile)[0], 5);
	tl_profile_free(profile);
}

TEST(no_sample_type_is_no_profile)
{
	struct bytes b = { .size = 0 };
	struct tl_pprof_file p = { .size = 0 };
	struct tl_error err;

	strings(&b);
	functions(&b);
	assert_int_equal(tl_pprof_open(&p, b.data, b.size, &err), TL_BAD_FORMAT);
	tl_pprof_close(&p);
}

TEST(recognised_by_content)
{
	struct bytes b = { .size = 0 };

	whole(&b);
	assert_true(tl_pprof_probe(b.data, b.size) > 0);
	assert_int_equal(tl_pprof_probe((const uint8_t *)"\n\n\n", 3), 0);
	assert_int_equal(tl_pprof_probe((const uint8_t *)"main;a 1\n", 9), 0);
	/* A Perfetto packet: field 1 with a timestamp (8) inside. */
	assert_int_equal(tl_pprof_probe((const uint8_t *)"\x0a\x04\x40\x01\x50\x01", 6), 0);
	b.size = 0;
	strings(&b);
	assert_true(tl_pprof_probe(b.data, b.size) > 0);
}

/* ---- the wire format ---- */

/* cpuprofile-fileformat.html of gperftools; heads of text as legacy_profile.go of pprof has. */
TEST(older_forms_are_explained)
{
	static const char *const texts[] = { "heap profile:    144:  8498176 [",
					     "--- heapz 1 ---\n",
					     "--- contentionz 1 ---\n",
					     "--- threadz 1 ---\n",
					     "--- mutex:\n",
					     "goroutine profile: total 7\n",
					     "threadcreate profile: total 7\n" };
	static const uint32_t narrow[] = { 0, 3, 1, 10000, 0, 1, 11 };
	static const uint64_t wide[] = { 0, 3, 0, 10000, 0, 1, 11 };
	static const uint64_t other[] = { 0, 3, 2, 10000, 0, 1, 11 };
	uint8_t big[sizeof(wide)] = { [15] = 3, [30] = 0x27, [31] = 0x10, [47] = 1 };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_non_null(
			tl_pprof_explain_older((const uint8_t *)texts[i], strlen(texts[i])));
	assert_non_null(tl_pprof_explain_older((const uint8_t *)narrow, sizeof(narrow)));
	assert_non_null(tl_pprof_explain_older((const uint8_t *)wide, sizeof(wide)));
	assert_non_null(tl_pprof_explain_older((const uint8_t *)wide, 40));
	assert_non_null(tl_pprof_explain_older(big, sizeof(big)));
	assert_null(tl_pprof_explain_older((const uint8_t *)wide, 39));
	assert_null(tl_pprof_explain_older((const uint8_t *)other, sizeof(other)));
	assert_null(tl_pprof_explain_older((const uint8_t *)"heap profile", 12));
}

TEST(varints)
{
	static const uint8_t most[] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1 };
	static const uint8_t endless[] = { 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
					   0x80, 0x80, 0x80, 0x80, 1 };
	struct tl_cursor cur = tl_cursor_over(most, sizeof(most));
	uint64_t value;

	assert_true(tl_wire_varint(&cur, &value));
	assert_true(value == UINT64_MAX && cur.pos == cur.end);
	for (size_t cut = 0; cut < sizeof(most); cut++) {
		cur = tl_cursor_over(most, cut);
		assert_false(tl_wire_varint(&cur, &value));
	}
	cur = tl_cursor_over(endless, sizeof(endless));
	assert_false(tl_wire_varint(&cur, &value));
}

TEST(fields_that_cannot_be)
{
	static const struct {
		const char *bytes;
		size_t size;
		int status;
	} cases[] = {
		{ "\x02\x00", 2, TL_BAD_RECORD },    /* number 0 */
		{ "\x0e\x00", 2, TL_BAD_RECORD },    /* type 6 */
		{ "\x0a\x02\x00", 3, TL_TRUNCATED }, /* two bytes, of which one is there */
		{ "\x09\x00\x00", 3, TL_TRUNCATED }, /* eight bytes */
		{ "\x0d\x00\x00", 3, TL_TRUNCATED }, /* four bytes */
		{ "\x0b\x08\x01", 3, TL_TRUNCATED }, /* a group without an end */
		{ "\x0c", 1, TL_BAD_RECORD },        /* an end without a group */
		{ "\x0b\x14", 2, TL_BAD_RECORD },    /* the end of another group */
		{ "\x80", 1, TL_TRUNCATED },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tl_cursor cur =
			tl_cursor_over((const uint8_t *)cases[i].bytes, cases[i].size);
		struct tl_wire_field field;
		const char *why = NULL;

		assert_int_equal(tl_wire_next(&cur, &field, &why), cases[i].status);
		assert_non_null(why);
		assert_int_equal(tl_cursor_offset(&cur), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_before_tables_and_strings),
		cmocka_unit_test(inlined_functions_are_callees),
		cmocka_unit_test(recursion_counts_once),
		cmocka_unit_test(labels_choose_samples_and_make_threads),
		cmocka_unit_test(dropped_frames_give_their_cost_to_the_caller),
		cmocka_unit_test(a_cut_field_keeps_those_before),
		cmocka_unit_test(a_damaged_sample_is_passed_over),
		cmocka_unit_test(a_location_that_is_not_there_keeps_its_cost),
		cmocka_unit_test(a_string_that_is_not_there),
		cmocka_unit_test(fields_of_other_types),
		cmocka_unit_test(an_id_twice),
		cmocka_unit_test(more_values_than_types),
		cmocka_unit_test(unknown_fields),
		cmocka_unit_test(no_sample_type_is_no_profile),
		cmocka_unit_test(recognised_by_content),
		cmocka_unit_test(older_forms_are_explained),
		cmocka_unit_test(varints),
		cmocka_unit_test(fields_that_cannot_be),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
