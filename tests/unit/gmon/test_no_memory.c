/* SPDX-License-Identifier: Apache-2.0 */
/* A gmon.out read and folded where memory runs out. */
#include "../refuse.h"
#include "gmon_bytes.h"

#include <tracelathe/export.h>

#include "gmon/fold.h"
#include "gmon/listing.h"

static int write_profile(struct tl_gmon_file *g, struct tl_output *out)
{
	struct tl_profile *profile = NULL;
	int status = tl_gmon_fold(g, NULL, &profile, NULL);

	if (status == 0)
		status = tl_exporter_find("json")->write(profile, NULL, out, NULL);
	tl_profile_free(profile);
	return status;
}

static int write_all(const void *input, struct tl_output *out)
{
	const struct bytes *b = input;
	struct tl_gmon_file g = { .size = 0 };
	int status = tl_gmon_open(&g, b->data, b->size, 0, NULL);

	if (status == 0)
		status = tl_gmon_describe(&g, true, out, NULL);
	if (status == 0)
		status = write_profile(&g, out);
	tl_gmon_close(&g);
	return status;
}

static int ask(const void *input, uint64_t *digest)
{
	return refuse_note_output(write_all, input, digest);
}

TEST(each_allocation_is_refused)
{
	static const uint16_t bins[] = { 3, 0, 5 };
	struct bytes b = file(false, 8);

	histogram(&b, 0x1000, 0x100c, bins, 3);
	arc(&b, 0x1005, 0x1008, 10);
	arc(&b, 0x1009, 0x1000, 2);
	arc(&b, 0, 0x2000, 1);
	b.data[b.size++] = 9; /* of no kind: a fault is kept, too */
	assert_true(refuse_each(ask, &b) > 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_allocation_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
