/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TEST_CALLGRIND_PACKED_H
#define TEST_CALLGRIND_PACKED_H
/* Profiles of Callgrind text that are packed, through profile files, and annotated. */
#include <stdio.h>

#include <tracelathe/report.h>

#include "text.h"

#include "callgrind/profile/fold.h"
#include "profile/file/file_read.h"
#include "profile/file/file_write.h"

static char *copy_of(struct tl_output *out, size_t *size)
{
	const char *bytes = tl_output_bytes(out, size);
	char *copy;

	copy = malloc(*size + 1);
	assert_non_null(copy);
	memcpy(copy, bytes, *size);
	copy[*size] = '\0';
	tl_output_discard(out);
	return copy;
}

/* Of one event alone, the second one if there is one: lines that have none of it are left out. */
static char *annotated(const struct tl_profile *profile, enum tl_report_form form, bool assembly,
		       bool one)
{
	const char *const dirs[] = { "/nonexistent" };
	const uint32_t events[] = { tl_profile_event_count(profile) > 1 };
	const struct tl_report_options options = { .size = sizeof(options),
						   .form = form,
						   .threshold = -1,
						   .events = one ? events : NULL,
						   .event_count = one };
	const struct tl_annotate_options what = { .size = sizeof(what),
						  .threshold = -1,
						  .context = -1,
						  .source_dirs = dirs,
						  .source_dir_count = 1,
						  .assembly = assembly };
	struct tl_output *out;
	size_t size;

	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(tl_report_annotate(profile, &what, &options, out, NULL), 0);
	return copy_of(out, &size);
}

/* Annotated in each form, by line and by instruction. */
static void expect_same_annotations(const struct tl_profile *whole, const struct tl_profile *small)
{
	static const enum tl_report_form forms[] = { TL_REPORT_TEXT, TL_REPORT_CSV,
						     TL_REPORT_JSON };

	for (unsigned i = 0; i < 12; i++) {
		char *a = annotated(whole, forms[i % 3], i % 2, i >= 6),
		     *b = annotated(small, forms[i % 3], i % 2, i >= 6);

		assert_string_equal(b, a);
		free(a);
		free(b);
	}
}

static struct tl_profile *fold_packed(const char *text)
{
	struct tl_profile *profile;
	struct text t;

	text_open(&t, text);
	assert_int_equal(tl_callgrind_fold_packed(&t.reader, 1, NULL, &profile, &t.err), 0);
	text_close(&t);
	return profile;
}

static char *filed(const struct tl_profile *profile, size_t *size)
{
	struct tl_output *out;

	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(tl_pfile_write(profile, 1, out, NULL), 0);
	return copy_of(out, size);
}

/* Read packed out of a profile file. `packed`: whether it is. */
static struct tl_profile *read_again(const char *bytes, size_t size, bool packed)
{
	static const struct tl_pfile_read_options options = { .packed = true };
	struct tl_pfile_reader reader;
	struct tl_profile *profile;

	assert_int_equal(tl_pfile_open(&reader, (const uint8_t *)bytes, size, true, NULL), 0);
	assert_int_equal(tl_pfile_read(&profile, &reader, &options, NULL), 0);
	assert_int_equal(profile->pack != NULL, packed);
	tl_pfile_close(&reader);
	return profile;
}

#endif
