/* SPDX-License-Identifier: Apache-2.0 */
/*
 * By libdeflate, which multiplies polynomials where the processor can: a fifteenth of zlib's
 * instructions.
 */
#include "core/codecs/crc32.h"

#include <libdeflate.h>

uint32_t tl_crc32(uint32_t sum, const void *bytes, size_t size)
{
	return libdeflate_crc32(sum, bytes, size);
}
