/* SPDX-License-Identifier: Apache-2.0 */
/* A pprof profile read, folded and listed where memory runs out. */
#include "../refuse.h"
#include "../wire_bytes.h"

#include <tracelathe/export.h>

#include "pprof/listing/listing.h"
#include "pprof/listing/rewrite.h"

/* Everything that has an allocation of its own: labels, patterns, mappings, names without one. */
static void put_profile(struct bytes *b)
{
	static const char *const texts[] = { "",    "cpu", "ns",  "main", "_Z2inv",
					     "d.*", "tid", "a.c", "k" };
	struct bytes inner = { .size = 0 }, part = { .size = 0 };

	for (unsigned i = 1; i <= 2; i++) {
		number(&inner, 1, 1);
		number(&inner, 2, i);
		message(b, 1, &inner);
	}
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		block(b, 6, texts[i], strlen(texts[i]));
	for (uint64_t i = 1; i <= 2; i++) {
		number(&inner, 1, i);
		number(&inner, 2, 2 + i);
		number(&inner, 4, 7);
		message(b, 5, &inner);
		number(&inner, 1, i << 40);
		number(&inner, 3, i);
		number(&part, 1, i);
		number(&part, 2, 10 * i);
		message(&inner, 4, &part);
		message(b, 4, &inner);
	}
	number(&inner, 1, 3);
	number(&inner, 3, 0x30);
	message(b, 4, &inner);
	number(b, 7, 5);
	number(b, 8, 8);
	number(b, 13, 7);
	for (uint64_t i = 1; i <= 3; i++) {
		number(&inner, 1, 3);
		number(&inner, 1, i << 40);
		number(&inner, 1, 1ull << 40);
		number(&inner, 2, i);
		number(&inner, 2, i);
		number(&part, 1, 6);
		number(&part, 3, i % 2);
		message(&inner, 3, &part);
		message(b, 2, &inner);
	}
}

static const char *const labels[] = { "tid=1" };

static int write_profile(struct tl_pprof_file *p, struct tl_output *out, bool chosen)
{
	const struct tl_pprof_fold_options options = { .thread = TL_NOWHERE,
						       .process = TL_NOWHERE,
						       .labels = labels,
						       .label_count = chosen,
						       .lines = true };
	struct tl_profile *profile = NULL;
	int status = tl_pprof_fold(p, &options, &profile, NULL);

	if (status == 0)
		status = tl_exporter_find("json")->write(profile, NULL, out, NULL);
	tl_profile_free(profile);
	return status;
}

static void put_to(void *arg, const void *data, size_t size)
{
	tl_output_write(arg, data, size);
}

static int rewrite(struct tl_pprof_file *p, struct tl_output *out)
{
	const struct tl_pprof_fold_options options = {
		.thread = TL_NOWHERE, .process = TL_NOWHERE, .labels = labels, .label_count = 1
	};

	return tl_pprof_rewrite(p, &options, put_to, out, NULL);
}

enum what { FOLD, FOLD_CHOSEN, DESCRIBE, REWRITE, COUNT };

static int write_what(struct tl_pprof_file *p, struct tl_output *out, enum what what)
{
	if (what == DESCRIBE)
		return tl_pprof_describe(p, true, out, NULL);
	return what == REWRITE ? rewrite(p, out) : write_profile(p, out, what == FOLD_CHOSEN);
}

struct asked {
	struct bytes b;
	enum what what;
};

static int write_asked(const void *input, struct tl_output *out)
{
	const struct asked *asked = input;
	struct tl_pprof_file p = { .size = 0 };
	int status = tl_pprof_open(&p, asked->b.data, asked->b.size, NULL);

	if (status == 0)
		status = write_what(&p, out, asked->what);
	tl_pprof_close(&p);
	return status;
}

static int ask(const void *input, uint64_t *digest)
{
	return refuse_note_output(write_asked, input, digest);
}

TEST(each_allocation_is_refused)
{
	struct asked asked = { .what = FOLD };

	put_profile(&asked.b);
	for (; asked.what < COUNT; asked.what++)
		assert_true(refuse_each(ask, &asked) > 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_allocation_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
