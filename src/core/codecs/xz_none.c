/* SPDX-License-Identifier: Apache-2.0 */
/* In place of xz.c in a build without liblzma. */
#include "core/codecs/codecs.h"

const struct tl_codec tl_codec_xz = {
	.name = "xz",
	.begins = tl_xz_begins,
	.absent = "compressed with xz, and this tracelathe was built without liblzma",
};
