/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_CLI_OPTIONS_PARTNERS_H
#define TL_CLI_OPTIONS_PARTNERS_H
#include "cli/options/settings.h"

/*
 * Take out of the paths from `begin` on the second files of traces of two files
 * (tl_format_info.partner_suffix) whose first file is there, too: the first one is read with its
 * second, so that a sum of all files would have the trace twice. False without memory.
 */
bool settings_drop_partners(struct list *paths, size_t begin);

#endif
