/* SPDX-License-Identifier: Apache-2.0 */
/* In place of lz4.c in a build without liblz4. */
#include "core/codecs/codecs.h"

const struct tl_codec tl_codec_lz4 = {
	.name = "lz4",
	.begins = tl_lz4_begins,
	.absent = "compressed with lz4, and this tracelathe was built without liblz4",
};
