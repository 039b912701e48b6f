/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_CALLGRIND_TEXT_NAME_COMPRESSION_H
#define TL_CALLGRIND_TEXT_NAME_COMPRESSION_H
/*
 * Tables of "Name Compression". They are kept from part to part, and a definition replaces an
 * earlier one from its line on (rule F).
 */
#include "callgrind/text/layout.h"
#include "core/memory.h"

struct tl_callgrind_ids {
	uint32_t *dense; /* name by id, TL_NONE: undefined */
	size_t count, capacity;
	struct tl_names sparse_keys; /* ids too large for the array, as text */
	uint32_t *sparse;
	size_t sparse_count, sparse_capacity;
};

struct tl_callgrind_names {
	/* `own`, or the names of the profile that is being made; number 0 is "" */
	struct tl_names *pool;
	struct tl_names own;
	struct tl_callgrind_ids ids[TL_CALLGRIND_NAME_KINDS];
};

/* Result of reading "(id) name". */
struct tl_callgrind_reference {
	const char *id; /* NULL: none */
	size_t id_size;
	bool defines, undefined, redefined, has_control;
	uint32_t name;
};

/*
 * Read the value of a position specification, text[0 .. size). `passed` is the number of bytes of
 * the input so far, which limits the size of the array of ids. False without memory.
 */
bool tl_callgrind_names_read(struct tl_callgrind_names *names, enum tl_callgrind_name_kind space,
			     const char *text, size_t size, uint64_t passed,
			     struct tl_callgrind_reference *reference);
void tl_callgrind_names_free(struct tl_callgrind_names *names);

/* What follows is the fast path. */

/*
 * The name of a reference "(id)" to a defined name. TL_NONE: the text has another form; use the
 * plain way, tl_callgrind_names_read(), which gives the same number.
 */
static inline uint32_t tl_callgrind_names_known(const struct tl_callgrind_names *names,
						enum tl_callgrind_name_kind space,
						const uint8_t *text, const uint8_t *stop)
{
	const struct tl_callgrind_ids *ids = &names->ids[space];
	uint64_t id = 0;
	const uint8_t *p = text + 1;

	if (*text != '(')
		return TL_NONE;
	for (; (uint8_t)(*p - '0') < 10 && p < text + 10; p++)
		id = id * 10 + (uint64_t)(*p - '0');
	if (*p != ')' || p + 1 != stop || p == text + 1 || id >= ids->count)
		return TL_NONE;
	return ids->dense[id];
}

#endif
