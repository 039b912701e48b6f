/* SPDX-License-Identifier: Apache-2.0 */
/* Flame graphs: options, errors, the page. */
#include "flame_helper.h"

static void assert_refused(const struct tl_profile *profile, const struct tl_flame_options *options,
			   int status)
{
	struct tl_output *out;
	struct tl_error err;

	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(tl_flame_write(profile, NULL, options, out, &err), status);
	assert_int_equal(err.status, status);
	assert_true(err.offset == TL_NOWHERE);
	tl_output_discard(out);
}

/* "0, TL_BAD_USAGE (no such event), TL_UNSUPPORTED (no page in this build)"; none is at a byte */
TEST(what_is_refused)
{
	struct tl_profile *profile = small_profile(0);
	struct tl_flame_options options = flame_data_options();
	const uint32_t event = 1;

	options.events = &event;
	options.event_count = 1;
	assert_refused(profile, &options, TL_BAD_USAGE);
	options.event_count = 0;
	assert_refused(profile, &options, TL_BAD_USAGE);
	options = flame_data_options();
	options.size--;
	assert_refused(profile, &options, TL_BAD_USAGE);
	options = flame_data_options();
	options.form = TL_FLAME_DATA + 1;
	assert_refused(profile, &options, TL_BAD_USAGE);
	options.form = TL_FLAME_PAGE;
	if (!tl_flame_has_page())
		assert_refused(profile, &options, TL_UNSUPPORTED);
	tl_profile_free(profile);
}

/* The page holds the same data; title and data are where they belong, and nothing can end the
 * data's element early. */
TEST(page_holds_the_data)
{
	struct tl_flame_options options = flame_data_options();
	struct tl_profile *profile;
	uint32_t part;
	char *data, *page;

	if (!tl_flame_has_page()) {
		print_message("skipped: built without the page\n");
		skip();
	}
	profile = new_profile(0, 1);
	part = add_part(profile, 1, 1, "");
	add_context(profile, TL_NONE, add_function(profile, "", "", "</script><!--", 0), part, 1,
		    1);
	finish(profile);
	options.name = "</title>";
	data = flame_text(profile, NULL, &options);
	options.form = TL_FLAME_PAGE;
	page = flame_text(profile, NULL, &options);
	assert_contains(page, data);
	assert_contains(page, "<title>&lt;/title&gt; \xe2\x80\x93 flame graph</title>");
	assert_lacks(page, "</script><!--");
	/* The licences of the parts come along. */
	assert_contains(page, "Apache License");
	assert_contains(page, "Mike Bostock");
	free(data);
	free(page);
	tl_profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_refused),
		cmocka_unit_test(page_holds_the_data),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
