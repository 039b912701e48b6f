/* SPDX-License-Identifier: Apache-2.0 */
#include "open/binaries.h"

size_t tl_binary_damage(const struct tl_binary *binary, struct tl_damage *places, size_t room,
			uint64_t *count)
{
	struct tl_error first;
	const char *path;

	/* Only the first fault: further ones of a file mostly follow from it. */
	if (!binary || !tl_binary_faults(binary, &first, &path))
		return 0;
	++*count;
	if (!room)
		return 0;
	places[0] = (struct tl_damage){
		.status = first.status,
		.text = first.text,
		.offset = first.offset,
		.record = TL_NOWHERE,
		.path = path,
	};
	return 1;
}
