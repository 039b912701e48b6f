/* SPDX-License-Identifier: Apache-2.0 */
/* Names of the input by the number that they have in the pool of names. */
#include "callgrind/reader/reader.h"

const char *tl_callgrind_name(const struct tl_callgrind_reader *reader, uint32_t name)
{
	const struct tl_names *pool = reader->names.pool;

	return name >= pool->count ? "" : pool->names[name].text;
}

uint32_t tl_callgrind_intern(struct tl_callgrind_reader *reader, const char *text, size_t size)
{
	return tl_names_add(reader->names.pool, text, size);
}
