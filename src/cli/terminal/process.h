/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_CLI_TERMINAL_PROCESS_H
#define TL_CLI_TERMINAL_PROCESS_H
/* State of the whole process: standard streams, signals, and the output files they clean up. */
#include <tracelathe/core.h>

/*
 * Call first in main(). A standard stream that is closed stays closed; a signal that ends the
 * process removes unfinished output files first.
 */
void process_begin(void);

/*
 * As tl_output_open(), tl_output_commit() and tl_output_discard(), but the file is known to the
 * signal handler meanwhile.
 */
int output_open(struct tl_output **out, const char *path, struct tl_error *err);
int output_commit(struct tl_output *out, struct tl_error *err);
void output_discard(struct tl_output *out);

#endif
