/* SPDX-License-Identifier: Apache-2.0 */
/* Processors by name, "FAMILY/MODEL[/STEPPING]", and the one that this is. */
#include "../stream.h"

#include <stdio.h>
#include <stdlib.h>

#include "intel_pt/packets/cpu_model.h"

TEST(a_processor_is_family_model_and_stepping)
{
	static const struct {
		const char *text;
		uint16_t family;
		uint8_t model, stepping;
	} rows[] = {
		{ "6/142/10", 6, 142, 10 }, { "6/0x9e", 6, 0x9e, 0 },
		{ "0x12/1", 0x12, 1, 0 },   { "65535/255/255", 65535, 255, 255 },
		{ "0/0/0", 0, 0, 0 },
	};
	static const char *const wrong[] = {
		"",      "6",       "6/",   "/6",   "6/1/", "6/1/1/1", "65536/1",
		"6/256", "6/1/256", "6/-1", "6 /1", "6/1x", "x/1",     "6,1",
	};
	struct tl_pt_cpu cpu;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_true(tl_pt_cpu_parse(rows[i].text, &cpu));
		assert_true(cpu.intel);
		assert_int_equal(cpu.family, rows[i].family);
		assert_int_equal(cpu.model, rows[i].model);
		assert_int_equal(cpu.stepping, rows[i].stepping);
	}
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		if (tl_pt_cpu_parse(wrong[i], &cpu))
			fail_msg("\"%s\" is taken", wrong[i]);
}

/* What the kernel says of the first processor; -1: nothing. */
static int kernel_says(const char *key, char vendor[64])
{
	FILE *file = fopen("/proc/cpuinfo", "re");
	int value = -1;
	char line[512];

	while (file && value < 0 && fgets(line, sizeof(line), file)) {
		sscanf(line, "vendor_id : %63s", vendor);
		if (!strncmp(line, key, strlen(key)) && strspn(line + strlen(key), "\t :"))
			value = atoi(line + strlen(key) + strspn(line + strlen(key), "\t :"));
	}
	if (file)
		fclose(file);
	return value;
}

TEST(this_processor_is_the_one_that_the_kernel_names)
{
	char vendor[64] = "";
	struct tl_pt_cpu cpu;
	int family = kernel_says("cpu family", vendor);

#if !defined(__x86_64__) && !defined(__i386__)
	assert_false(tl_pt_cpu_host(&cpu));
	skip();
#endif
	if (family < 0)
		skip();
	assert_true(tl_pt_cpu_host(&cpu));
	assert_int_equal(cpu.intel, !strcmp(vendor, "GenuineIntel"));
	assert_int_equal(cpu.family, family);
	assert_int_equal(cpu.model, kernel_says("model", vendor));
	assert_int_equal(cpu.stepping, kernel_says("stepping", vendor));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_processor_is_family_model_and_stepping),
		cmocka_unit_test(this_processor_is_the_one_that_the_kernel_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
