/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_CALLGRIND_TEXT_NAME_COMPRESSION_H
#define TL_CALLGRIND_TEXT_NAME_COMPRESSION_H
/*
 * "Name Compression": what the numbers of names stand for. Tables are never cleared between parts;
 * a definition overrides an earlier one from there on (rule F).
 */
#include "callgrind/text/layout.h"
#include "core/memory.h"

struct tl_callgrind_ids {
	uint32_t *dense; /* by id: a name, TL_NONE: not defined */
	size_t count, capacity;
	struct tl_names sparse_keys; /* ids too large for that, as text */
	uint32_t *sparse;
	size_t sparse_count, sparse_capacity;
};

struct tl_callgrind_names {
	/* number 0 is ""; `own`, or those of the profile that is being made */
	struct tl_names *pool;
	struct tl_names own;
	struct tl_callgrind_ids ids[TL_CALLGRIND_NAME_KINDS];
};

/* What "(id) name" was. */
struct tl_callgrind_reference {
	const char *id; /* NULL: none */
	size_t id_size;
	bool defines, undefined, redefined, has_control;
	uint32_t name;
};

/*
 * Read the value of a position specification, text[0 .. size). `passed`: bytes of the input so far,
 * which bound the ids that are kept by number. False without memory.
 */
bool tl_callgrind_names_read(struct tl_callgrind_names *names, enum tl_callgrind_name_kind space,
			     const char *text, size_t size, uint64_t passed,
			     struct tl_callgrind_reference *reference);
void tl_callgrind_names_free(struct tl_callgrind_names *names);

/* The rest is for the fast path of tl_callgrind_names_known(). */

/* A reference "(id)" to a name that is defined: its number; else TL_NONE, and all is to be done the
 * long way.
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
