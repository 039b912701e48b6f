/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_CLI_FLEET_MAPPING_H
#define TL_CLI_FLEET_MAPPING_H
#include "cli/commands/job.h"

/*
 * The profile file of a file: its name, and a hash of its whole path, as files of one name in
 * several directories have different ones, and the same each time. For free(); NULL without memory.
 */
char *mapping_target(const char *directory, const char *path);
/*
 * Write a profile file of each file, but for those that are there and whole; job->missing counts
 * those that cannot be. @return 0, or a negative status that ends the command
 */
int map_files(struct command_job *job, const char *directory, struct tl_error *err);

#endif
