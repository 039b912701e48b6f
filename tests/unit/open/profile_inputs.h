/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_OPEN_PROFILE_INPUTS_H
#define TESTS_UNIT_OPEN_PROFILE_INPUTS_H
/* A profile file written by hand, as an input. Quotes are from docs/formats/profile.md. */
#include <tracelathe/open.h>

#include "../temp_fixture.h"
#include "profile_bytes.h"

static struct file file;

/* ---- a profile of sums by hand: two functions, two parts, one arc, one jump ---- */

enum { NO_STRING, AFTER, ALPHA, ALPS, ARG, IR, XRAY, STRING_COUNT };

static inline void put_strings(void)
{
	block_begin(&file, STRINGS, 0, 0, 0);
	block_string(&file, 0, "");
	block_string(&file, 0, "after a gap");
	block_string(&file, 1, "lpha"); /* "alpha" */
	block_string(&file, 3, "s");    /* "alps" */
	block_string(&file, 1, "rg");
	block_string(&file, 0, "Ir");
	block_string(&file, 0, "xray");
	block_end(&file);
}

static inline void put_head(void)
{
	block_begin(&file, HEAD, 0, 0, 16);
	/* 1000 ticks a second; estimated; calls as given; 3 gaps, 20 skipped bytes */
	ROW(&file, 1000, 2, 2, XRAY, 0, 0, 0, 0, 3, 20);
	block_end(&file);
	block_begin(&file, EVENTS, 0, 0, 4);
	ROW(&file, IR, ALPHA, ALPS, 0);
	block_end(&file);
}

static inline void put_notes(void)
{
	block_begin(&file, NOTES, 0, 0, 6);
	ROW(&file, 0, UINT64_MAX, 0, UINT64_MAX, AFTER, XRAY);
	ROW(&file, 3, 0x40, 8, UINT64_MAX, AFTER, XRAY);
	ROW(&file, 3, 0x40, 8, 7, AFTER, 0);
	ROW(&file, 3, UINT64_MAX, 0, 7, AFTER, XRAY);
	ROW(&file, 99, UINT64_MAX, 0, UINT64_MAX, AFTER, XRAY); /* of a later version */
	block_end(&file);
}

static inline void put_functions_and_parts(void)
{
	block_begin(&file, FUNCTIONS, 0, 6, 6);
	ROW(&file, 0, ARG, ALPHA, UINT64_MAX, 12, 0x1000);
	ROW(&file, 0, ARG, ALPS, 5, 0, 0x2000);
	block_end(&file);
	block_begin(&file, PARTS, 0, 5, 20);
	ROW(&file, 7, 0, 71, ALPS, 0, 10, 20, 30, 1, 2);
	ROW(&file, 7, 0, 72, ALPS, 0, 11, 21, 31);
	block_end(&file);
}

static inline void put_costs(void)
{
	block_begin(&file, LINES, 0, 6, 7);
	ROW(&file, 0, 0, ARG, 12, 0x1000, 0, 100);
	ROW(&file, 0, 1, ARG, 13, 0x1004, 0, (uint64_t)-20);
	ROW(&file, 1, 0, ARG, 20, 0x2000, 0, 5);
	block_end(&file);
	block_begin(&file, ARCS, 0, 11, 13);
	ROW(&file, 0, 1, 0, ARG, 12, 0x1002, 0, ARG, 20, 0x2000, 0, 4, 5);
	ROW(&file, NONE, 0, NONE, 0, 0, 0, 0, 0, 0, 0, 0, 1, 85);
	block_end(&file);
	block_begin(&file, JUMPS, 0, 12, 14);
	ROW(&file, 0, 1, 0, ARG, 12, 0x1002, 0, ARG, 20, 0x2000, 0, 1, 9, 8);
	block_end(&file);
}

static inline void put_sums(void)
{
	file_begin(&file);
	put_strings();
	put_head();
	put_notes();
	put_functions_and_parts();
	put_costs();
	file_end(&file);
}

/* Where a block of a section begins. */
static inline size_t block_of(unsigned section)
{
	size_t at = 16;

	while (file.bytes[at + 4] != section) {
		at += BLOCK_HEADER + file.bytes[at + 24] + 256u * file.bytes[at + 25];
		assert_true(at < file.size);
	}
	return at;
}

/* ---- opening ---- */

static inline struct tl_input *open_with(struct tl_input_options options)
{
	const char *path = temp_write(&temp, "hand.tlp", file.bytes, file.size);
	struct tl_input *input;

	assert_int_equal(tl_input_open(&input, &path, 1, &options, NULL, NULL), 0);
	assert_string_equal(tl_input_format(input)->name, "profile");
	return input;
}

static inline struct tl_input *open_file(void)
{
	return open_with((struct tl_input_options)TL_INPUT_OPTIONS_DEFAULT);
}

static inline struct tl_input *open_parts(void)
{
	struct tl_input_options options = TL_INPUT_OPTIONS_DEFAULT;

	options.per_thread = true;
	return open_with(options);
}

static inline struct tl_profile *fold(struct tl_input *input)
{
	struct tl_profile *profile;

	assert_int_equal(tl_input_fold(input, &profile, NULL), 0);
	return profile;
}

/* The text that an operation puts, for free(). */
static inline char *text_of(struct tl_input *input,
			    int64_t (*put)(struct tl_input *, struct tl_output *))
{
	struct tl_output *out;
	size_t size;
	const char *bytes;
	char *text;

	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_true(put(input, out) >= 0);
	bytes = tl_output_bytes(out, &size);
	text = strndup(bytes, size);
	tl_output_discard(out);
	return text;
}

static inline int64_t put_info(struct tl_input *input, struct tl_output *out)
{
	return tl_input_info(input, TL_REPORT_JSON, out, NULL);
}

static inline int64_t put_dump(struct tl_input *input, struct tl_output *out)
{
	return tl_input_dump(input, TL_REPORT_TEXT, out, NULL);
}

static inline int64_t put_dump_json(struct tl_input *input, struct tl_output *out)
{
	return tl_input_dump(input, TL_REPORT_JSON, out, NULL);
}

static inline int64_t put_check(struct tl_input *input, struct tl_output *out)
{
	return tl_input_check(input, TL_REPORT_TEXT, out, NULL);
}

static inline int64_t put_check_json(struct tl_input *input, struct tl_output *out)
{
	return tl_input_check(input, TL_REPORT_JSON, out, NULL);
}

/* The fault that comes before the notes, of one place; `words` are in its text. */
static inline struct tl_profile *expect_fault(size_t offset, const char *words)
{
	struct tl_input *input = open_parts();
	struct tl_damage place;
	struct tl_profile *p;
	char *text, wanted[80];

	p = fold(input);
	assert_true(tl_input_damage_count(input, NULL) > 0);
	assert_int_equal(tl_input_damage(input, 0, &place, sizeof(place)), 1);
	assert_non_null(strstr(place.text, words));
	assert_int_equal(place.offset, offset);
	text = text_of(input, put_check);
	snprintf(wanted, sizeof(wanted), "damage offset 0x%zx: ", offset);
	assert_memory_equal(text, wanted, strlen(wanted));
	assert_non_null(strstr(text, words));
	free(text);
	text = text_of(input, put_check_json);
	snprintf(wanted, sizeof(wanted), "{\"rule\":\"damage\",\"offset\":%zu,\"text\":\"", offset);
	assert_memory_equal(text, wanted, strlen(wanted));
	free(text);
	tl_input_close(input);
	return p;
}

#endif
