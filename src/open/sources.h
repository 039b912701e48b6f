/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_OPEN_SOURCES_H
#define TL_OPEN_SOURCES_H
/* Sources of an input, the first one and those that its adapter opens. */
#include "open/format.h"

/* How the files of an input are opened: it tells the progress of all of them, unless `quiet`. */
struct tl_source_options tl_input_source_options(struct tl_input *input);

#endif
