/* SPDX-License-Identifier: Apache-2.0 */
/* What the options say of how a trace was recorded. */
#include <stdlib.h>
#include <string.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "core/error.h"
#include "open/adapters/intel_pt.h"

static bool number(const char **text, unsigned limit, unsigned *value)
{
	char *end;
	unsigned long n;

	if (**text < '0' || **text > '9')
		return false;
	n = strtoul(*text, &end, 0);
	if (n > limit)
		return false;
	*text = end;
	*value = (unsigned)n;
	return true;
}

static int usage(struct tl_error *err, const char *text)
{
	return tl_error_format(err, "intel-pt", tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE, text));
}

/* FAMILY/MODEL[/STEPPING] */
static bool parse_model(const char *text, struct tl_pt_cpu *cpu)
{
	unsigned family, model, stepping = 0;

	if (!number(&text, UINT16_MAX, &family) || *text++ != '/' ||
	    !number(&text, UINT8_MAX, &model))
		return false;
	if (*text == '/') {
		text++;
		if (!number(&text, UINT8_MAX, &stepping))
			return false;
	}
	*cpu = (struct tl_pt_cpu){ true, (uint16_t)family, (uint8_t)model, (uint8_t)stepping };
	return !*text;
}

/* The processor this runs on: SDM, CPUID 01H. */
static bool this_cpu(struct tl_pt_cpu *cpu)
{
#if defined(__x86_64__) || defined(__i386__)
	unsigned a, b, c, d;

	if (!__get_cpuid(0, &a, &b, &c, &d))
		return false;
	cpu->intel =
		b == signature_INTEL_ebx && c == signature_INTEL_ecx && d == signature_INTEL_edx;
	if (!__get_cpuid(1, &a, &b, &c, &d))
		return false;
	cpu->family = (uint16_t)(a >> 8 & 0xf);
	cpu->model = (uint8_t)(a >> 4 & 0xf);
	cpu->stepping = (uint8_t)(a & 0xf);
	if (cpu->family == 6 || cpu->family == 0xf)
		cpu->model = (uint8_t)(cpu->model | (a >> 12 & 0xf0));
	if (cpu->family == 0xf)
		cpu->family = (uint16_t)(cpu->family + (a >> 20 & 0xff));
	return true;
#else
	(void)cpu;
	return false;
#endif
}

static int configure_cpu(const char *model, struct tl_pt_config *config, struct tl_error *err)
{
	bool automatic = !strcmp(model, "auto");

	config->cpu = (struct tl_pt_cpu){ 0 };
	config->errata = 0;
	if (!strcmp(model, "none"))
		return 0;
	if (automatic ? !this_cpu(&config->cpu) : !parse_model(model, &config->cpu))
		return usage(err, automatic
					  ? "this machine has no such processor"
					  : "--cpu-model is FAMILY/MODEL[/STEPPING], auto or none");
	/* One without errata that are known is as good as any: only asked for by name it must be
	 * known. */
	if (tl_pt_cpu_errata(&config->errata, &config->cpu, false) < 0 && !automatic &&
	    !(config->cpu.family && config->cpu.model))
		return usage(err, "there is no such processor");
	return 0;
}

int tl_pt_input_configure(const struct tl_input_options *o, struct tl_pt_config *config,
			  struct tl_error *err)
{
	if (o->intel_pt.mtc_freq)
		config->mtc_freq = o->intel_pt.mtc_freq;
	if (o->intel_pt.nom_freq)
		config->nom_freq = o->intel_pt.nom_freq;
	if (o->intel_pt.cpuid_15_eax)
		config->cpuid_15_eax = o->intel_pt.cpuid_15_eax;
	if (o->intel_pt.cpuid_15_ebx)
		config->cpuid_15_ebx = o->intel_pt.cpuid_15_ebx;
	return o->intel_pt.cpu_model ? configure_cpu(o->intel_pt.cpu_model, config, err) : 0;
}

/* CPUID 15H: TSC = crystal clock (ECX) * EBX / EAX. */
uint64_t tl_pt_input_hz(const struct tl_input_options *o, uint64_t denominator, uint64_t numerator,
			uint64_t told)
{
	unsigned __int128 ticks;

	if (o->intel_pt.tsc_hz)
		return o->intel_pt.tsc_hz;
	denominator = o->intel_pt.cpuid_15_eax ? o->intel_pt.cpuid_15_eax : denominator;
	numerator = o->intel_pt.cpuid_15_ebx ? o->intel_pt.cpuid_15_ebx : numerator;
	if (!o->intel_pt.cpuid_15_ecx || !denominator || !numerator)
		return told;
	ticks = ((unsigned __int128)o->intel_pt.cpuid_15_ecx * numerator + denominator / 2) /
		denominator;
	return ticks > INT64_MAX ? told : (uint64_t)ticks;
}
