/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_CLI_OPTIONS_INDEX_FILE_H
#define TL_CLI_OPTIONS_INDEX_FILE_H
/* Where view and browse keep the index of an input: --index, --no-index, or below the cache. */
#include "cli/options/settings.h"

/* The file for an input of these paths, for free(). NULL: its index is not kept. */
char *index_file(const struct settings *settings, const char *const *paths, size_t count);
/* Make the folder that it is kept in: before the command confines itself. */
void index_file_prepare(const struct settings *settings);
/* Whether the options can be used for so many inputs. False: that was said. */
bool index_file_fits(const struct command *command, const struct settings *settings, size_t inputs);
/* Say why an index is not kept. */
void warn_index_file(const char *path, const struct tl_error *unkept);

#endif
