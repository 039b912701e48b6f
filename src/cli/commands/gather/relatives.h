/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_CLI_COMMANDS_GATHER_RELATIVES_H
#define TL_CLI_COMMANDS_GATHER_RELATIVES_H
/*
 * Logs are open together only where they may depend on each other: those of very many processes
 * would not fit. So each is opened twice, first for its marks.
 */
#include "cli/commands/job.h"

struct relatives {
	struct tl_kin *kin; /* NULL: one of the files is a pipe, so that all logs are kept open */
	LIST_OF(const char *) paths;
};

/* Logs that may depend on each other. 0, or a negative status that ends the command. */
typedef int relatives_fn(void *arg, const char *const *paths, size_t count, struct tl_error *err);

int relatives_open(struct relatives *relatives, const struct settings *settings,
		   struct tl_error *err);
/* Note the marks of job->input, which is closed. */
int relatives_add(struct relatives *relatives, struct command_job *job, const char *path,
		  struct tl_error *err);
/* Each log once, with those that it belongs to. */
int relatives_each(struct relatives *relatives, relatives_fn *fn, void *arg, struct tl_error *err);
void relatives_close(struct relatives *relatives);

#endif
