/* SPDX-License-Identifier: Apache-2.0 */
/* In the place of crc32.c in a build without libdeflate. */
#include "core/codecs/crc32.h"

#include <zlib.h>

uint32_t tl_crc32(uint32_t sum, const void *bytes, size_t size)
{
	return (uint32_t)crc32_z(sum, bytes, size);
}
