/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_INTEL_PT_PACKETS_CPU_MODEL_H
#define TL_INTEL_PT_PACKETS_CPU_MODEL_H
/* The model of a processor, from its text or from the machine. */
#include <tracelathe/intel_pt.h>

/* "FAMILY/MODEL[/STEPPING]". False: the text is not of that form, or a number is too large. */
bool tl_pt_cpu_parse(const char *text, struct tl_pt_cpu *cpu);
/* The processor that runs this program. False: it is not an x86 processor. */
bool tl_pt_cpu_host(struct tl_pt_cpu *cpu);

#endif
