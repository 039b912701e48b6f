/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_PROGRAM_H
#define TL_XTRACE_PROGRAM_H
/* A slice as a static ELF program for AArch64 Linux. */
#include <tracelathe/core.h>

#include "xtrace/elf/replay.h"

/* Write the program of what was collected. 0, TL_UNSUPPORTED, TL_NO_MEMORY. */
int tl_xtrace_program_write(struct tl_xtrace_replay *replay, struct tl_output *out,
			    struct tl_error *err);

#endif
