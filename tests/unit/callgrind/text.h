/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_CALLGRIND_TEXT_H
#define TESTS_UNIT_CALLGRIND_TEXT_H
/* Texts as profiles: what the tests of this room share. */
#include <stdlib.h>
#include <string.h>

#include "../unit.h"

#include <tracelathe/callgrind.h>

#include "profile/model/unsized.h"

#define HEAD "# callgrind format\nevents: Ir\n"

struct text {
	struct tl_source *source;
	struct tl_callgrind_reader *reader;
	struct tl_callgrind_item item;
	struct tl_error err;
};

static inline void text_open_bytes(struct text *t, const void *bytes, size_t size, bool strict)
{
	const struct tl_callgrind_options options = { .size = sizeof(options), .strict = strict };

	memset(t, 0, sizeof(*t));
	assert_int_equal(tl_source_open_memory(&t->source, bytes, size, "text", NULL), 0);
	assert_int_equal(tl_callgrind_open(&t->reader, t->source, &options, NULL), 0);
}

static inline void text_open(struct text *t, const char *text)
{
	text_open_bytes(t, text, strlen(text), false);
}

static inline void text_close(struct text *t)
{
	tl_callgrind_close(t->reader);
	tl_source_close(t->source);
}

/* The next item of a kind; fails the test at the end. */
static inline const struct tl_callgrind_item *next_of(struct text *t, enum tl_callgrind_kind kind)
{
	do
		assert_int_equal(tl_callgrind_next(t->reader, &t->item, sizeof(t->item), &t->err),
				 1);
	while (t->item.kind != kind);
	return &t->item;
}

/* Read to the end. */
static inline void read_rest(struct text *t)
{
	int status;

	while ((status = tl_callgrind_next(t->reader, &t->item, sizeof(t->item), &t->err)) > 0)
		;
	assert_int_equal(status, 0);
}

static inline const char *name_of(const struct text *t, uint32_t name)
{
	return tl_callgrind_name(t->reader, name);
}

/*
 * All of a text was read with exactly this many faults. The first is at `offset` and `line` with
 * `status`.
 */
static inline void expect_fault(const char *text, uint64_t count, enum tl_status status,
				uint64_t offset, uint64_t line)
{
	const struct tl_callgrind_fault *faults;
	struct text t;
	uint64_t found, skipped;
	size_t listed;

	text_open(&t, text);
	read_rest(&t);
	faults = tl_callgrind_faults(t.reader, &listed, &found, &skipped);
	assert_int_equal(found, count);
	assert_int_equal(listed, count);
	if (count) {
		assert_int_equal(faults[0].status, status);
		assert_int_equal(faults[0].offset, offset);
		assert_int_equal(faults[0].line, line);
		assert_non_null(faults[0].text);
	}
	text_close(&t);
	/* "--strict stops at the first fault", and nowhere else. */
	text_open_bytes(&t, text, strlen(text), true);
	int got;

	while ((got = tl_callgrind_next(t.reader, &t.item, sizeof(t.item), &t.err)) > 0)
		;
	assert_int_equal(got, count ? (int)status : 0);
	if (count) {
		assert_int_equal(t.err.offset, offset);
		assert_int_equal(t.err.record, line);
		assert_string_equal(t.err.format, "callgrind");
	}
	text_close(&t);
}

static inline void expect_clean(const char *text)
{
	expect_fault(text, 0, TL_OK, 0, 0);
}

static inline struct tl_profile *fold_with(const char *text,
					   const struct tl_callgrind_fold_options *options)
{
	struct tl_profile *profile;
	struct text t;

	text_open(&t, text);
	assert_int_equal(tl_callgrind_fold(&t.reader, 1, options, &profile, &t.err), 0);
	text_close(&t);
	return profile;
}

static inline struct tl_profile *fold_text(const char *text)
{
	return fold_with(text, NULL);
}

/* The function of a name and, unless NULL, a file. */
static inline uint32_t find_function(const struct tl_profile *profile, const char *name,
				     const char *file)
{
	for (uint32_t i = 0; i < tl_profile_function_count(profile); i++)
		if (!strcmp(tl_profile_function(profile, i)->name, name) &&
		    (!file || !strcmp(tl_profile_function(profile, i)->file, file)))
			return i;
	fail_msg("no function %s", name);
	return TL_NONE;
}

static inline struct tl_function_totals totals_of(const struct tl_profile *profile,
						  const char *name)
{
	struct tl_function_totals totals;

	tl_profile_totals_of(profile, find_function(profile, name, NULL), TL_NONE, &totals);
	return totals;
}

#endif
