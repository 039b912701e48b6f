/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_CORE_SIZED_H
#define TL_CORE_SIZED_H
/*
 * Structs whose size caller and library may see differently (docs/abi.md): the program was compiled
 * with the header of an older or a newer library, in which the struct ends earlier or later.
 *
 * For public functions only. Inside the library, call the internal function that fills or reads the
 * struct itself, so that no hot loop copies twice.
 */
#include <stddef.h>
#include <string.h>
#include <tracelathe/core.h>

#include "core/arithmetic.h"
#include "core/error.h"

/*
 * The size of a struct that ends with `member`. `least` of tl_give() is sizeof(the struct) until
 * the struct grows for the first time; from then on it is TL_SIZE_UP_TO(the struct, its last member
 * of the first release).
 */
#define TL_SIZE_UP_TO(type, member) (offsetof(type, member) + sizeof(((type *)NULL)->member))

/* Bytes of a struct that both sides know are copied; those that only `to` has become zero. */
static inline void tl_copy_sized(void *to, size_t to_size, const void *from, size_t from_size)
{
	size_t both = tl_min(to_size, from_size);

	memcpy(to, from, both);
	memset((unsigned char *)to + both, 0, to_size - both);
}

/*
 * Fill a struct of the caller, `size` bytes by the caller's header, from ours of `have` bytes.
 * Nothing is written at or behind to + size.
 * @param least  size of the struct in the first release that had it
 * @return 0, or TL_BAD_USAGE if `size` is less than `least`: `to` is then as before
 */
static inline int tl_give(void *to, size_t size, size_t least, const void *from, size_t have)
{
	if (size < least)
		return TL_BAD_USAGE;
	tl_copy_sized(to, size, from, have);
	return 0;
}

/*
 * Read a struct of the caller, `size` bytes by the caller's header (the argument behind the
 * pointer, or the member `size` the struct begins with), into ours of `have` bytes. Members that
 * the caller does not know become zero, members that the library does not know are not read.
 */
static inline void tl_take(void *to, size_t have, const void *from, size_t size)
{
	tl_copy_sized(to, have, from, size);
}

/*
 * tl_take() of a struct of options, which begins with its size.
 * @return 0, or TL_BAD_USAGE if `size` is less than `least` (as in tl_give()): `to` is then as
 *         before
 */
static inline int tl_take_options(void *to, size_t have, size_t least, const void *from,
				  size_t size, struct tl_error *err)
{
	if (size < least)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "a struct of options is smaller than that of the first release: "
				   "is its size set?");
	tl_take(to, have, from, size);
	return 0;
}

#endif
