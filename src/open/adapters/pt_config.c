/* SPDX-License-Identifier: Apache-2.0 */
/* Options of the input that say how an Intel PT trace was recorded. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/wide.h"
#include "intel_pt/packets/cpu_model.h"
#include "open/adapters/intel_pt.h"

static int usage(struct tl_error *err, const char *text)
{
	return tl_error_format(err, "intel-pt", tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE, text));
}

/* `model` as --cpu-model gives it. */
static int configure_cpu(const char *model, struct tl_pt_config *config, struct tl_error *err)
{
	const bool host = !strcmp(model, "auto");

	config->cpu = (struct tl_pt_cpu){ 0 };
	config->errata = 0;
	if (!strcmp(model, "none"))
		return 0;
	if (host && !tl_pt_cpu_host(&config->cpu))
		return usage(err, "this machine has no such processor");
	if (!host && !tl_pt_cpu_parse(model, &config->cpu))
		return usage(err, "--cpu-model is FAMILY/MODEL[/STEPPING], auto or none");
	/* A processor without known errata is decoded as if it had none; 0/0 is none at all. */
	if (tl_pt_cpu_errata(&config->errata, &config->cpu, false) < 0 && !host &&
	    !(config->cpu.family && config->cpu.model))
		return usage(err, "there is no such processor");
	return 0;
}

/* "FROM..TO" or "stop:FROM..TO", up to a comma. False: something else. */
static bool take_range(const char **text, struct tl_pt_range *range)
{
	const bool stop = !strncmp(*text, "stop:", 5);
	const char *from = *text + (stop ? 5 : 0);
	char *end;

	errno = 0;
	range->use = stop ? TL_PT_RANGE_STOP : TL_PT_RANGE_FILTER;
	range->first = strtoull(from, &end, 0);
	if (!isdigit((unsigned char)*from) || strncmp(end, "..", 2) != 0 ||
	    !isdigit((unsigned char)end[2]))
		return false;
	range->last = strtoull(end + 2, &end, 0);
	*text = end + (*end == ',');
	return !errno && range->first <= range->last && (!*end || (*end == ',' && end[1]));
}

static int configure_ranges(const char *text, struct tl_pt_config *config, struct tl_error *err)
{
	const size_t most = sizeof(config->ranges) / sizeof(config->ranges[0]);
	size_t count = 0;

	memset(config->ranges, 0, sizeof(config->ranges));
	do
		if (count == most || !take_range(&text, &config->ranges[count++]))
			return usage(err, "--address-filter is up to four ranges FROM..TO or "
					  "stop:FROM..TO, with commas between them");
	while (*text);
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
	if (o->address_filter) {
		int status = configure_ranges(o->address_filter, config, err);

		if (status < 0)
			return status;
	}
	if (!o->intel_pt.cpu_model)
		return 0;
	return configure_cpu(o->intel_pt.cpu_model, config, err);
}

/* CPUID 15H: TSC = crystal clock (ECX) * EBX / EAX. */
uint64_t tl_pt_input_hz(const struct tl_input_options *o, uint64_t denominator, uint64_t numerator,
			uint64_t told)
{
	uint64_t ticks;

	if (o->intel_pt.tsc_hz)
		return o->intel_pt.tsc_hz;
	denominator = o->intel_pt.cpuid_15_eax ? o->intel_pt.cpuid_15_eax : denominator;
	numerator = o->intel_pt.cpuid_15_ebx ? o->intel_pt.cpuid_15_ebx : numerator;
	if (!o->intel_pt.cpuid_15_ecx || !denominator || !numerator)
		return told;
	ticks = tl_scale_unsigned_nearest(o->intel_pt.cpuid_15_ecx, numerator, denominator);
	return ticks > INT64_MAX ? told : ticks;
}
