/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_RECORD_PROCESS_H
#define TL_RECORD_PROCESS_H
/* Running the program: its environment, the signals on their way to it, how it ended. */
#include "record/recorder.h"

/* A variable of the program's environment; value NULL: as the caller has it. */
struct tl_record_variable {
	const char *name, *value;
};

/*
 * Run `path` with `arguments` until it ends; `variables` end with a NULL name. Sets session->child
 * and the result's status.
 */
int tl_record_process_run(struct tl_record_session *session, const char *path,
			  const char *const *arguments, const struct tl_record_variable *variables,
			  struct tl_error *err);

#endif
