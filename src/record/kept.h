/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_RECORD_KEPT_H
#define TL_RECORD_KEPT_H
/* What one recording finds out, and later ones take: files in $XDG_CACHE_HOME or ~/.cache. */
#include <stdbool.h>

#include "record/recorder.h"

/* The name of a file there; false: there is no place for it. */
bool tl_record_kept_name(const char *file, char path[TL_RECORD_PATH]);
/* Make the folder of such a file, whose name is changed meanwhile. What fails shows later. */
void tl_record_kept_folder(char path[TL_RECORD_PATH]);

#endif
