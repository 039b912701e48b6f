/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_OPEN_ADAPTERS_PROFILE_FILE_H
#define TL_OPEN_ADAPTERS_PROFILE_FILE_H
/* Profile files that are merged without becoming profiles. */
#include "open/format.h"

/*
 * Look an input through and note what is to be said of it. 1: it is a profile file that can be
 * merged as it is; 0: it is not, and is to be folded; a negative status.
 */
int tl_profile_file_streams(struct tl_input *input, struct tl_error *err);

#endif
