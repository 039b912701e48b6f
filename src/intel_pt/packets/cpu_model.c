/* SPDX-License-Identifier: Apache-2.0 */
#include "intel_pt/packets/cpu_model.h"

#include <stdlib.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

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

bool tl_pt_cpu_parse(const char *text, struct tl_pt_cpu *cpu)
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

/* SDM, CPUID 01H. */
bool tl_pt_cpu_host(struct tl_pt_cpu *cpu)
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
