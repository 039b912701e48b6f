/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_CLI_TERMINAL_PROGRESS_H
#define TL_CLI_TERMINAL_PROGRESS_H
#include <tracelathe/core.h>

#include "cli/terminal/tty.h"

/* The progress bar on standard error. */
struct progress {
	bool enabled, drawn;
	double started, last; /* seconds of a monotonic clock */
};

void progress_begin(struct progress *progress, enum when when);
/* For tl_input_options.progress; the argument is the struct progress. */
tl_progress_fn progress_tick;
/* Erase the bar. Call it before anything else is written to standard error. */
void progress_end(struct progress *progress);

#endif
