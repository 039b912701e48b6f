/* SPDX-License-Identifier: Apache-2.0 */
/* Options that say how an Intel PT trace was recorded, and what they come to. */
#include "../unit.h"

#include "intel_pt/packets/cpu_model.h"
#include "open/adapters/intel_pt.h"

static struct tl_input_options none(void)
{
	return (struct tl_input_options)TL_INPUT_OPTIONS_DEFAULT;
}

static struct tl_pt_config used(void)
{
	return (struct tl_pt_config){
		.cpu = { .intel = true, .family = 6, .model = 1 },
		.errata = 0xff,
		.mtc_freq = 1,
		.nom_freq = 2,
		.cpuid_15_eax = 3,
		.cpuid_15_ebx = 4,
	};
}

/* "what they do not say stays" */
TEST(options_replace_what_the_trace_says)
{
	struct tl_input_options options = none();
	struct tl_pt_config config = used();

	assert_int_equal(tl_pt_input_configure(&options, &config, NULL), 0);
	assert_int_equal(config.mtc_freq, 1);
	assert_int_equal(config.nom_freq, 2);
	assert_int_equal(config.cpuid_15_eax, 3);
	assert_int_equal(config.cpuid_15_ebx, 4);
	assert_int_equal(config.errata, 0xff);
	options.intel_pt.mtc_freq = 11;
	options.intel_pt.nom_freq = 12;
	options.intel_pt.cpuid_15_eax = 13;
	options.intel_pt.cpuid_15_ebx = 14;
	assert_int_equal(tl_pt_input_configure(&options, &config, NULL), 0);
	assert_int_equal(config.mtc_freq, 11);
	assert_int_equal(config.nom_freq, 12);
	assert_int_equal(config.cpuid_15_eax, 13);
	assert_int_equal(config.cpuid_15_ebx, 14);
}

/* --cpu-model FAMILY/MODEL[/STEPPING], none */
TEST(a_processor_replaces_that_of_the_trace)
{
	struct tl_input_options options = none();
	struct tl_pt_config config = used();

	options.intel_pt.cpu_model = "none";
	assert_int_equal(tl_pt_input_configure(&options, &config, NULL), 0);
	assert_int_equal(config.cpu.family, 0);
	assert_int_equal(config.errata, 0);
	/* BDM70 and others: Broadwell has errata, as its specification update says. */
	options.intel_pt.cpu_model = "6/61/4";
	assert_int_equal(tl_pt_input_configure(&options, &config, NULL), 0);
	assert_int_equal(config.cpu.family, 6);
	assert_int_equal(config.cpu.model, 61);
	assert_int_equal(config.cpu.stepping, 4);
	assert_true(config.errata != 0);
	/* One that nobody has errata of is decoded as if there were none. */
	config.errata = 0xff;
	options.intel_pt.cpu_model = "6/255";
	assert_int_equal(tl_pt_input_configure(&options, &config, NULL), 0);
	assert_int_equal(config.errata, 0);
}

TEST(what_is_no_processor_is_refused)
{
	static const char *const wrong[] = {
		"", "six", "6", "6/", "6/61/", "6/61/4/1", "0/0", "0/7"
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct tl_input_options options = none();
		struct tl_pt_config config = used();
		struct tl_error err;

		options.intel_pt.cpu_model = wrong[i];
		assert_int_equal(tl_pt_input_configure(&options, &config, &err), TL_BAD_USAGE);
		assert_int_equal(err.status, TL_BAD_USAGE);
	}
}

/* CPUID 15H: "TSC frequency = core crystal clock (ECX) * EBX / EAX", to the nearest number. */
TEST(ticks_per_second)
{
	static const struct {
		uint32_t eax, ebx, ecx;
		uint64_t denominator, numerator, told, wanted;
	} cases[] = {
		{ 0, 0, 0, 2, 250, 7, 7 }, /* the crystal is not known */
		{ 2, 250, 24000000, 0, 0, 7, 3000000000 },
		{ 0, 0, 24000000, 2, 250, 7, 3000000000 }, /* the trace has the ratio */
		{ 4, 0, 24000000, 2, 250, 7, 1500000000 },
		{ 0, 500, 24000000, 2, 250, 7, 6000000000 },
		{ 0, 0, 24000000, 0, 250, 7, 7 },
		{ 0, 0, 24000000, 2, 0, 7, 7 },
		{ 3, 1, 100, 0, 0, 7, 33 },
		{ 3, 2, 100, 0, 0, 7, 67 },
		{ 2, 1, 101, 0, 0, 7, 51 },
		{ 1, UINT32_MAX, UINT32_MAX, 0, 0, 7, 7 }, /* more than 63 bits */
		{ 1, 1u << 31, UINT32_MAX, 0, 0, 7, 0x7fffffff80000000 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tl_input_options options = none();

		options.intel_pt.cpuid_15_eax = cases[i].eax;
		options.intel_pt.cpuid_15_ebx = cases[i].ebx;
		options.intel_pt.cpuid_15_ecx = cases[i].ecx;
		assert_true(tl_pt_input_hz(&options, cases[i].denominator, cases[i].numerator,
					   cases[i].told) == cases[i].wanted);
		options.intel_pt.tsc_hz = 99;
		assert_int_equal(tl_pt_input_hz(&options, cases[i].denominator, cases[i].numerator,
						cases[i].told),
				 99);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(options_replace_what_the_trace_says),
		cmocka_unit_test(a_processor_replaces_that_of_the_trace),
		cmocka_unit_test(what_is_no_processor_is_refused),
		cmocka_unit_test(ticks_per_second),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
