/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_PROGRAM_H
#define TL_XTRACE_PROGRAM_H
/* A slice as a static ELF program for AArch64 Linux. */
#include <tracelathe/core.h>

#include "xtrace/elf/replay.h"

/* Write the program that begins with a snapshot. 0, TL_UNSUPPORTED, TL_NO_MEMORY. */
int tl_xtrace_program_write(struct tl_xtrace_replay *replay,
			    const struct tl_xtrace_snapshot *snapshot, struct tl_output *out,
			    struct tl_error *err);

#endif
