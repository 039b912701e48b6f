/* SPDX-License-Identifier: Apache-2.0 */
/* A file with something of everything, read, folded and listed where memory runs out. */
#include "../refuse.h"
#include "text.h"

#include <tracelathe/export.h>
#include <tracelathe/report.h>

#include "callgrind/listing/describe.h"
#include "callgrind/profile/fold.h"
#include "profile/file/file_read.h"
#include "profile/file/file_write.h"

static const char text[] =
	"# callgrind format\nversion: 1\ncreator: callgrind-3.19.0\npid: 7\ncmd: ./prog -x\n"
	"desc: Trigger: Program termination\npart: 1\nthread: 1\npositions: instr line\n"
	"event: Ir : Instruction Fetch\nevent: Sum = Ir + 2 Dr : Both\nevents: Ir Dr\n"
	"summary: 100 10\n\n"
	"ob=(1) prog\nfl=(1) a.c\nfn=(1) main\n0x10 1 20 2\n+4 +1 30\n"
	"cob=(2) lib.so\ncfi=(2) b.c\ncfn=(4000000000) f'2\ncalls=3 0x40 9\n0x18 2 50 8\n"
	"jcnd=2/3 0x20 4\n0x1c 3\njump=1 0x20 4\n* *\n"
	"ob=(2)\nfl=(2)\nfn=(4000000000)\n0x40 9 30\nfi=(3) c.h\n+4 10 20 8\n"
	"fn=(99999999999999999999) g\n0x80 12 1\nfn=(9) (1)'2'(4000000000)\n0x90 13 1\n"
	"totals: 102 10\n\npart: 2\nthread: 2\nevents: Dr Ir\n\nfn=(1)\n0x10 1 1 2\n"
	"an unknown line\n# a comment\n0x10 1 nonsense\ntotals: 1 2\n";

/* The same without a formula, so that it stays packed. */
static const char plain[] = "part: 1\npositions: instr line\nevents: Ir Dr\n"
			    "ob=(1) prog\nfl=(1) a.c\nfn=(1) main\n0x20 1 20 2\n-8 +1 30\n"
			    "cfi=(2) b.c\ncfn=(2) g\ncalls=3 0x40 9\n0x18 2 50 8\n"
			    "jcnd=2/3 0x20 4\n0x1c 3\npart: 2\nevents: Dr Zz Ir\nfn=(1)\n"
			    "0x10 1 1 2\nfi=(3) c.h\n0x10 1 4\nfn=(3) h\n1 1\n";

static int open_bytes(struct text *t, const char *bytes, size_t size)
{
	const struct tl_callgrind_options options = { .size = sizeof(options) };
	int status;

	*t = (struct text){ .source = NULL };
	status = tl_source_open_memory(&t->source, bytes, size, "text", NULL);
	if (status == 0)
		status = tl_callgrind_open(&t->reader, t->source, &options, NULL);
	return status;
}

static int open_text(struct text *t)
{
	return open_bytes(t, text, sizeof(text) - 1);
}

static void note_profile(const struct tl_profile *profile, uint64_t *digest)
{
	refuse_note(digest, tl_profile_total(profile),
		    tl_profile_event_count(profile) * sizeof(int64_t));
	for (uint32_t i = 0; i < tl_profile_function_count(profile); i++)
		refuse_note_text(digest, tl_profile_function(profile, i)->name);
	refuse_note_number(digest, tl_profile_line_count(profile));
	refuse_note_number(digest, tl_profile_arc_count(profile));
	refuse_note_number(digest, tl_profile_jump_count(profile));
}

static int fold_step(const void *input, uint64_t *digest)
{
	struct tl_profile *profile = NULL;
	struct text t;
	int status = open_text(&t);

	if (status == 0)
		status = tl_callgrind_fold(&t.reader, 1, input, &profile, NULL);
	if (status == 0)
		note_profile(profile, digest);
	else
		assert_null(profile);
	tl_profile_free(profile);
	text_close(&t);
	return status;
}

TEST(folds)
{
	struct tl_callgrind_fold_options options = {
		.size = sizeof(options),
		.part = TL_NOWHERE,
		.thread = TL_NOWHERE,
		.process = TL_NOWHERE,
	};

	for (int variant = 0; variant < 4; variant++) {
		options.detail = variant & 1 ? TL_CALLGRIND_FUNCTIONS : TL_CALLGRIND_LINES;
		options.per_part = variant & 2;
		assert_true(refuse_each(fold_step, &options) > 20);
	}
}

/* Two readers on two threads; without a profile the file would have to be read by one reader. */
static int halves_step(const void *input, uint64_t *digest)
{
	const char *bytes = input;
	struct tl_callgrind_fold_options options = {
		.size = sizeof(options),
		.part = TL_NOWHERE,
		.thread = TL_NOWHERE,
		.process = TL_NOWHERE,
		.detail = TL_CALLGRIND_FUNCTIONS,
	};
	struct tl_profile *profile = NULL;
	struct text first, second = { .source = NULL };
	int status = open_bytes(&first, bytes, strlen(bytes));

	if (status == 0)
		status = open_bytes(&second, bytes, strlen(bytes));
	if (status == 0)
		tl_callgrind_fold_halves(first.reader, second.reader, strlen(bytes) / 2, &options,
					 &profile);
	if (profile)
		note_profile(profile, digest);
	tl_profile_free(profile);
	text_close(&first);
	text_close(&second);
	return profile ? 0 : TL_NO_MEMORY;
}

TEST(folds_by_halves)
{
	assert_true(refuse_each(halves_step, plain) > 20);
}

static int fold_packed(const void *input, struct tl_profile **profile)
{
	const char *bytes = input;
	struct text t;
	int status = open_bytes(&t, bytes, strlen(bytes));

	*profile = NULL;
	if (status == 0)
		status = tl_callgrind_fold_packed(&t.reader, 1, NULL, profile, NULL);
	if (status < 0)
		assert_null(*profile);
	text_close(&t);
	return status;
}

/* Folded packed, and written from that. */
static int rewrite(const void *input, struct tl_output *out)
{
	struct tl_profile *profile;
	int status = fold_packed(input, &profile);

	if (status == 0)
		status = tl_exporter_find("callgrind")->write(profile, NULL, out, NULL);
	tl_profile_free(profile);
	return status;
}

/* Folded packed, and annotated from that. */
static int annotate(const void *input, struct tl_output *out)
{
	const struct tl_report_options options = { .size = sizeof(options), .form = TL_REPORT_CSV };
	struct tl_profile *profile;
	int status = fold_packed(input, &profile);

	if (status == 0)
		status = tl_report_annotate(profile, NULL, &options, out, NULL);
	tl_profile_free(profile);
	return status;
}

static int annotate_step(const void *input, uint64_t *digest)
{
	return refuse_note_output(annotate, input, digest);
}

TEST(annotating)
{
	assert_true(refuse_each(annotate_step, plain) > 20);
}

static int rewrite_step(const void *input, uint64_t *digest)
{
	return refuse_note_output(rewrite, input, digest);
}

TEST(rewriting)
{
	assert_true(refuse_each(rewrite_step, text) > 20);
	assert_true(refuse_each(rewrite_step, plain) > 20);
}

/* Folded packed, and written as a profile file. */
static int file_profile(const void *input, struct tl_output *out)
{
	struct tl_profile *profile;
	int status = fold_packed(input, &profile);

	if (status == 0)
		status = tl_pfile_write(profile, 1, out, NULL);
	tl_profile_free(profile);
	return status;
}

/* The same, of what merging makes of it. */
static int file_merged(const void *input, struct tl_output *out)
{
	struct tl_profile *profile;
	int status = fold_packed(input, &profile);

	if (status == 0)
		status = tl_pfile_write_merged(profile, 1, out, NULL);
	tl_profile_free(profile);
	return status;
}

/* A profile file, read packed, and written from that. */
static int read_and_write(const void *input, struct tl_output *out)
{
	static const struct tl_pfile_read_options options = { .packed = true };
	struct tl_output *file = NULL;
	struct tl_profile *profile = NULL;
	struct tl_pfile_reader reader = { 0 };
	size_t size = 0;
	int status = tl_output_open_memory(&file, NULL);

	if (status == 0)
		status = file_profile(input, file);
	if (status == 0 && tl_output_failed(file))
		status = TL_NO_MEMORY;
	if (status == 0) {
		const char *bytes = tl_output_bytes(file, &size);

		status = tl_pfile_open(&reader, (const uint8_t *)bytes, size, false, NULL);
	}
	if (status == 0)
		status = tl_pfile_read(&profile, &reader, &options, NULL);
	if (status == 0)
		status = tl_exporter_find("callgrind")->write(profile, NULL, out, NULL);
	tl_profile_free(profile);
	tl_pfile_close(&reader);
	tl_output_discard(file);
	return status;
}

static int reading_step(const void *input, uint64_t *digest)
{
	return refuse_note_output(read_and_write, input, digest);
}

static int filing_step(const void *input, uint64_t *digest)
{
	return refuse_note_output(file_profile, input, digest);
}

static int merging_step(const void *input, uint64_t *digest)
{
	return refuse_note_output(file_merged, input, digest);
}

TEST(filing)
{
	assert_true(refuse_each(filing_step, plain) > 40);
	assert_true(refuse_each(merging_step, plain) > 40);
	assert_true(refuse_each(reading_step, plain) > 80);
}

/* ---- texts ---- */

enum { INFO, INFO_JSON, DUMP, DUMP_JSON, LISTINGS };

static int list(const void *input, struct tl_output *out)
{
	int which = *(const int *)input;
	struct text t;
	int status = open_text(&t);

	if (status == 0 && which <= INFO_JSON)
		status = tl_callgrind_describe(t.reader, which == INFO_JSON, out, NULL);
	else if (status == 0)
		status = tl_callgrind_dump(t.reader, which == DUMP_JSON, out, NULL);
	text_close(&t);
	return status;
}

static int list_step(const void *input, uint64_t *digest)
{
	return refuse_note_output(list, input, digest);
}

TEST(listings)
{
	for (int which = 0; which < LISTINGS; which++)
		assert_true(refuse_each(list_step, &which) > 10);
}

static int note_violation(void *arg, const struct tl_callgrind_violation *violation)
{
	refuse_note_text(arg, violation->rule);
	refuse_note_number(arg, (int64_t)violation->offset);
	return 0;
}

static int check_step(const void *input, uint64_t *digest)
{
	struct text t;
	int64_t found = open_text(&t);

	(void)input;
	if (found == 0)
		found = tl_callgrind_check(t.reader, note_violation, digest, NULL);
	text_close(&t);
	return found < 0 ? (int)found : 0;
}

TEST(checks)
{
	assert_true(refuse_each(check_step, NULL) > 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(folds),      cmocka_unit_test(folds_by_halves),
		cmocka_unit_test(rewriting),  cmocka_unit_test(filing),
		cmocka_unit_test(annotating), cmocka_unit_test(listings),
		cmocka_unit_test(checks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
