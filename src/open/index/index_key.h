/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_OPEN_INDEX_INDEX_KEY_H
#define TL_OPEN_INDEX_INDEX_KEY_H
/*
 * What an index of calls was made of, as bytes: the key of its file (timeline/index/index_file.h).
 */
#include "open/format.h"
#include "timeline/calls/tracks.h"

/*
 * Append the key: this version, the options that change calls, size, time and a sample of the bytes
 * of each file of the input, and path, size and time of each program. 1; 0: a file of the input can
 * be read only once, so that there is none; or negative.
 */
int tl_index_key_make(struct tl_input *input, const struct tl_call_source *source,
		      struct tl_packed *key, struct tl_error *err);

#endif
