/* SPDX-License-Identifier: Apache-2.0 */
/* In place of zstd.c in a build without libzstd. */
#include "core/codecs/codecs.h"

const struct tl_codec tl_codec_zstd = {
	.name = "zstd",
	.begins = tl_zstd_begins,
	.absent = "compressed with zstd, and this tracelathe was built without libzstd",
};
