/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rate that recordings of one machine have in common (record/clock.h). A machine without a TSC
 * has none.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#include "../temp.h"
#include "../unit.h"

#include "core/recording.h"
#include "record/clock.h"

static struct temp temp;

static int set_up(void **state)
{
	(void)state;
	temp_open(&temp);
	setenv("XDG_CACHE_HOME", temp.directory, 1);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	temp_close(&temp);
	return 0;
}

static const char *common_file(void)
{
	static char path[256];
	char boot[37] = "", name[64];
	FILE *id = fopen("/proc/sys/kernel/random/boot_id", "re");

	if (!id || !fgets(boot, sizeof(boot), id))
		skip();
	fclose(id);
	snprintf(name, sizeof(name), "tracelathe/tsc-%s", boot);
	snprintf(path, sizeof(path), "%s", temp_path(&temp, name));
	return path;
}

static void keep(const char *text)
{
	FILE *file = fopen(common_file(), "we");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static uint64_t kept(void)
{
	FILE *file = fopen(common_file(), "re");
	uint64_t hz = 0;

	assert_non_null(file);
	assert_int_equal(fscanf(file, "%" SCNu64, &hz), 1);
	fclose(file);
	return hz;
}

static void assert_near(uint64_t a, uint64_t b)
{
	assert_in_range(a, b - b / 500, b + b / 500);
}

TEST(the_first_recording_measures_for_all)
{
	const uint64_t measured = tl_record_measure_hz(), first = tl_record_common_hz();
	char near[32];

	if (!measured)
		skip();
	assert_near(first, measured);
	assert_true(kept() == first);
	for (int i = 0; i < 3; i++)
		assert_true(tl_record_common_hz() == first);
	/* whatever it is exactly */
	snprintf(near, sizeof(near), "%" PRIu64, first + first / 100000);
	keep(near);
	assert_true(tl_record_common_hz() == first + first / 100000);
}

TEST(what_cannot_be_the_rate_is_measured_anew)
{
	static const char *const texts[] = { "", "fast", "-5", "1", "18446744073709551615" };
	const uint64_t measured = tl_record_measure_hz();

	if (!measured)
		skip();
	tl_record_common_hz();
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		uint64_t hz;

		keep(texts[i]);
		hz = tl_record_common_hz();
		assert_near(hz, measured);
		assert_true(kept() == hz);
	}
}

TEST(without_a_place_for_it_each_measures)
{
	const uint64_t measured = tl_record_measure_hz();

	if (!measured)
		skip();
	setenv("XDG_CACHE_HOME", "/proc/nowhere", 1);
	assert_near(tl_record_common_hz(), measured);
	unsetenv("XDG_CACHE_HOME");
	unsetenv("HOME");
	assert_near(tl_record_common_hz(), measured);
}

/* "Longer and its rate not the common one": the process began a second ago, at half the rate. */
TEST(a_common_rate_is_not_refined)
{
	struct tl_recording_state began = { .is_tsc = 1 };
	struct timespec time;
	const uint64_t common = tl_record_common_hz();

	if (!common)
		skip();
	clock_gettime(CLOCK_MONOTONIC, &time);
	began.start_ns = (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec - 1000000000u;
#if defined(__x86_64__)
	began.start_ticks = __builtin_ia32_rdtsc() - common / 2;
#endif
	began.hz = common;
	assert_true(tl_record_refine_hz(&began) == common);
	began.hz = common + 1;
	assert_near(tl_record_refine_hz(&began), common / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_first_recording_measures_for_all, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(what_cannot_be_the_rate_is_measured_anew, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(without_a_place_for_it_each_measures, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_common_rate_is_not_refined, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
