/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_FOREIGN_TEXT_H
#define TESTS_UNIT_FOREIGN_TEXT_H
/* A text read as a profile of another tool, and what became of it as folded stacks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit.h"

#include <tracelathe/export.h>

#include "foreign/foreign.h"

struct text {
	struct tl_foreign_file foreign;
	struct tl_profile *profile;
	struct tl_error error;
	int status;
};

static inline struct tl_foreign_options text_options(void)
{
	return (struct tl_foreign_options){ .process = TL_NOWHERE, .thread = TL_NOWHERE };
}

static inline int text_fold(struct text *t, const struct tl_foreign_reader *reader,
			    const char *text, size_t size)
{
	struct tl_source *source = NULL;
	int status = tl_source_open_memory(&source, text, size, "text", &t->error);

	if (status == 0)
		status = reader->read(&t->foreign, source, &t->error);
	if (status == 0)
		status = tl_foreign_fold(&t->foreign, &t->profile, &t->error);
	tl_source_close(source);
	return status;
}

static inline void text_read_sized(struct text *t, const struct tl_foreign_reader *reader,
				   const char *text, size_t size, bool strict,
				   struct tl_foreign_options options)
{
	*t = (struct text){ .profile = NULL };
	if (!tl_foreign_begin(&t->foreign, reader, &options)) {
		t->status = TL_NO_MEMORY;
		return;
	}
	t->foreign.faults.strict = strict;
	t->status = text_fold(t, reader, text, size);
}

static inline void text_read(struct text *t, const struct tl_foreign_reader *reader,
			     const char *text)
{
	text_read_sized(t, reader, text, strlen(text), false, text_options());
}

static inline void text_close(struct text *t)
{
	tl_profile_free(t->profile);
	tl_foreign_end(&t->foreign);
}

/* The profile as folded stacks of an event, sorted. */
static inline void text_expect_stacks(struct text *t, uint32_t event, const char *expected)
{
	const struct tl_export_options options = { .size = sizeof(options), .event = event };
	struct tl_output *out;
	const void *bytes;
	size_t size;
	char *have;

	assert_int_equal(t->status, 0);
	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(tl_exporter_find("folded")->write(t->profile, &options, out, NULL), 0);
	bytes = tl_output_bytes(out, &size);
	have = strndup(bytes, size);
	assert_non_null(have);
	assert_string_equal(have, expected);
	free(have);
	tl_output_discard(out);
}

/* A fault or remark of the list. */
static inline void text_expect_fault(const struct text *t, size_t number, enum tl_status status,
				     uint64_t offset, uint64_t record, const char *words)
{
	const struct tl_foreign_fault *fault = &t->foreign.faults.list[number];

	assert_true(number < t->foreign.faults.listed);
	assert_int_equal(fault->status, status);
	assert_int_equal(fault->offset, offset);
	assert_int_equal(fault->record, record);
	assert_non_null(strstr(fault->text, words));
}

/* A number that the reader told for `info`. */
static inline uint64_t text_fact(const struct text *t, const char *name)
{
	for (unsigned i = 0; i < t->foreign.fact_count; i++)
		if (!strcmp(t->foreign.facts[i].name, name))
			return t->foreign.facts[i].value;
	fail_msg("nothing is told of %s", name);
	return 0;
}

/* What is dumped of a text, to the byte; its status. */
static inline int text_expect_dump(const struct tl_foreign_reader *reader, const char *text,
				   bool json, const char *expected)
{
	struct tl_foreign_options options = text_options();
	struct tl_source *source;
	struct text t = { .profile = NULL };
	const void *bytes;
	size_t size;
	char *have;

	assert_int_equal(tl_output_open_memory(&options.dump, NULL), 0);
	options.json = json;
	assert_true(tl_foreign_begin(&t.foreign, reader, &options));
	assert_int_equal(tl_source_open_memory(&source, text, strlen(text), "text", NULL), 0);
	t.status = reader->read(&t.foreign, source, &t.error);
	tl_source_close(source);
	bytes = tl_output_bytes(options.dump, &size);
	have = strndup(bytes, size);
	assert_non_null(have);
	assert_string_equal(have, expected);
	free(have);
	tl_output_discard(options.dump);
	tl_foreign_end(&t.foreign);
	return t.status;
}

/* An output that takes nothing: the first record that is dumped is an error. */
static inline void text_expect_dump_refused(const struct tl_foreign_reader *reader,
					    const char *text)
{
	struct tl_foreign_options options = text_options();
	struct text t = { .profile = NULL };
	struct tl_source *source;

	assert_int_equal(tl_output_open(&options.dump, "/dev/full", NULL), 0);
	/* More than is kept before it is written. */
	for (unsigned i = 0; i < 1 << 16; i++)
		tl_put_text(options.dump, "0123456789abcdef0123456789abcdef");
	assert_true(tl_foreign_begin(&t.foreign, reader, &options));
	assert_int_equal(tl_source_open_memory(&source, text, strlen(text), "text", NULL), 0);
	assert_int_equal(reader->read(&t.foreign, source, &t.error), TL_IO);
	assert_non_null(strstr(t.error.text, "cannot be written"));
	tl_source_close(source);
	tl_output_discard(options.dump);
	tl_foreign_end(&t.foreign);
}

/* The first fault of a place; NULL: there is none. */
static inline const struct tl_foreign_fault *text_first_fault(const struct text *t)
{
	for (size_t i = 0; i < t->foreign.faults.listed; i++)
		if (t->foreign.faults.list[i].offset != TL_NOWHERE)
			return &t->foreign.faults.list[i];
	return NULL;
}

/*
 * "Strict: the first fault is an error": where a text is read with faults the strict reading ends
 * at the first of them, with its place; where it is read without, they agree. `t` is the text as it
 * is read with faults.
 */
static inline void text_expect_strict(const struct text *t, const struct tl_foreign_reader *reader,
				      const char *text, size_t size)
{
	const struct tl_foreign_fault *fault = text_first_fault(t);
	struct text strict;

	text_read_sized(&strict, reader, text, size, true, t->foreign.options);
	if (fault) {
		assert_int_equal(strict.status, fault->status);
		assert_int_equal(strict.error.offset, fault->offset);
		assert_int_equal(strict.error.record, fault->record);
		assert_string_equal(strict.error.text, fault->text);
		assert_null(strict.profile);
	} else {
		assert_int_equal(strict.status, t->status);
	}
	text_close(&strict);
}

/* Every prefix of a text, and changes of each of its bytes: whatever comes, sums agree. */
static inline void text_damage(const struct tl_foreign_reader *reader, const char *text)
{
	static const char changes[] = { '\0', '\n', '"', '{', '}', '[', ']', ',', '9', '-', ' ' };
	const size_t size = strlen(text);
	char *copy = malloc(size + 1);
	struct text t;

	assert_non_null(copy);
	for (size_t i = 0; i <= size; i++) {
		memcpy(copy, text, size);
		text_read_sized(&t, reader, copy, i, false, text_options());
		assert_true(t.status <= 0 && t.status != TL_NO_MEMORY);
		text_close(&t);
		for (size_t n = 0; i < size && n < sizeof(changes); n++) {
			copy[i] = changes[n];
			text_read_sized(&t, reader, copy, size, false, text_options());
			assert_true(t.status <= 0 && t.status != TL_NO_MEMORY);
			text_close(&t);
		}
	}
	free(copy);
}

#endif
