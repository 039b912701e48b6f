/* SPDX-License-Identifier: Apache-2.0 */
#include "callgrind/text/name_compression.h"

#include "core/cursor.h"

#include <string.h>

/*
 * Ids up to this limit are kept in an array, whatever the size of the input. Larger ids are, too,
 * as far as the size of the input allows.
 */
enum { DENSE_ANYWAY = 4096 };

/* Length of "(digits" and ")" at text[0]; 0: there is no id. */
static size_t id_digits(const char *text, size_t size)
{
	size_t digits = 0;

	if (!size || text[0] != '(')
		return 0;
	while (digits + 1 < size && text[digits + 1] >= '0' && text[digits + 1] <= '9')
		digits++;
	return digits && digits + 1 < size && text[digits + 1] == ')' ? digits : 0;
}

/* The value of an id; UINT64_MAX: more than 18 digits. */
static uint64_t id_number(const char *digits, size_t size)
{
	uint64_t id = 0;

	if (size > 18)
		return UINT64_MAX;
	for (size_t i = 0; i < size; i++)
		id = id * 10 + (uint64_t)(digits[i] - '0');
	return id;
}

static bool reserve(uint32_t **array, size_t *count, size_t *capacity, size_t want)
{
	if (want <= *count)
		return true;
	if (!tl_grow(array, capacity, want, sizeof(**array)))
		return false;
	memset(*array + *count, 0xff, (want - *count) * sizeof(**array));
	*count = want;
	return true;
}

/* Where the name of an id is kept; NULL without memory. */
static uint32_t *id_slot(struct tl_callgrind_ids *ids, const char *digits, size_t size,
			 uint64_t passed)
{
	uint64_t id = id_number(digits, size);
	uint32_t key;

	/*
	 * A reference to an id takes at least three bytes of the input, so the array stays within a
	 * small multiple of the input's size.
	 */
	if (id < DENSE_ANYWAY || id < passed / 3) {
		if (!reserve(&ids->dense, &ids->count, &ids->capacity, (size_t)id + 1))
			return NULL;
		return &ids->dense[id];
	}
	while (size > 1 && *digits == '0') {
		digits++;
		size--;
	}
	key = tl_names_add(&ids->sparse_keys, digits, size);
	if (key == TL_NONE ||
	    !reserve(&ids->sparse, &ids->sparse_count, &ids->sparse_capacity, (size_t)key + 1))
		return NULL;
	return &ids->sparse[key];
}

/*
 * The slot of an id, also of one that was kept as a large one when less of the input had been read.
 */
static uint32_t *find_slot(struct tl_callgrind_ids *ids, const char *digits, size_t size,
			   uint64_t passed)
{
	uint32_t *slot = id_slot(ids, digits, size, passed), *sparse;

	if (!slot || *slot != TL_NONE || !ids->sparse_count ||
	    slot == &ids->sparse[ids->sparse_count - 1])
		return slot;
	sparse = id_slot(ids, digits, size, 0);
	if (sparse && *sparse != TL_NONE)
		*slot = *sparse;
	return sparse ? slot : NULL;
}

static bool is_control(char c)
{
	return (unsigned char)c < ' ';
}

/*
 * Eight bytes at a time: subtracting a blank from each byte sets the top bit of exactly the bytes
 * below a blank.
 */
static bool has_control(const char *text, size_t size)
{
	uint64_t found = 0;
	size_t i = 0;

	for (; size - i >= 8; i += 8) {
		uint64_t word = tl_get64((const uint8_t *)text + i);

		found |= (word - 0x2020202020202020u) & ~word & 0x8080808080808080u;
	}
	while (i < size && !is_control(text[i]))
		i++;
	return found || i < size;
}

/*
 * Escape control characters of a name. A zero byte is "part of the name, escaped" (rule K); the
 * others are escaped as well, because a writer of this format could not write them.
 */
static uint32_t add_escaped(struct tl_names *pool, const char *text, size_t size)
{
	static const char digits[] = "0123456789abcdef";
	char *escaped = size < PTRDIFF_MAX / 4 ? malloc(size * 4) : NULL, *to = escaped;
	uint32_t name;

	if (!escaped)
		return TL_NONE;
	for (size_t i = 0; i < size; i++) {
		if (is_control(text[i])) {
			*to++ = '\\';
			*to++ = 'x';
			*to++ = digits[text[i] >> 4];
			*to++ = digits[text[i] & 15];
		} else {
			*to++ = text[i];
		}
	}
	name = tl_names_add(pool, escaped, (size_t)(to - escaped));
	free(escaped);
	return name;
}

static uint32_t add_text(struct tl_callgrind_names *names, const char *text, size_t size, bool *odd)
{
	*odd = has_control(text, size);
	return *odd ? add_escaped(names->pool, text, size) : tl_names_add(names->pool, text, size);
}

/* Append the name of an id that is part of a name. False: the text is not an id. */
static bool nested_name(struct tl_callgrind_names *names, const char *digits, size_t size,
			struct tl_name *name)
{
	struct tl_callgrind_ids *ids = &names->ids[TL_CALLGRIND_NAME_FUNCTION];
	uint64_t id = id_number(digits, size);

	if (id >= ids->count || ids->dense[id] == TL_NONE)
		return false;
	*name = names->pool->names[ids->dense[id]];
	/* An id as a name marks a name that was never defined. */
	return !id_digits(name->text, name->size);
}

/* `to` NULL: only measure. */
static size_t put_piece(char *to, size_t length, const char *piece, size_t size)
{
	if (to)
		memcpy(to + length, piece, size);
	return length + size;
}

/*
 * A name made of names, "(5)'2'(3)", as --compress-mangled=yes writes it. An id stands at the
 * beginning or behind an apostrophe; other parentheses belong to the name. An undefined id becomes
 * "[5]", which cannot be confused with an id of another file.
 */
static size_t expand(struct tl_callgrind_names *names, const char *text, size_t size, char *to)
{
	size_t length = 0, digits;
	struct tl_name name;

	for (size_t i = 0; i < size; i += digits ? digits + 2 : 1) {
		digits = !i || text[i - 1] == '\'' ? id_digits(text + i, size - i) : 0;
		if (digits && nested_name(names, text + i + 1, digits, &name)) {
			length = put_piece(to, length, name.text, name.size);
		} else if (digits) {
			length = put_piece(to, length, "[", 1);
			length = put_piece(to, length, text + i + 1, digits);
			length = put_piece(to, length, "]", 1);
		} else {
			length = put_piece(to, length, text + i, 1);
		}
	}
	return length;
}

/* Names of names of names could grow without bound. Real names do not come near this limit. */
enum { LONGEST_NAME = 1 << 20 };

static uint32_t add_nested(struct tl_callgrind_names *names, const char *text, size_t size,
			   bool *odd)
{
	size_t length = expand(names, text, size, NULL);
	char *expanded;
	uint32_t name;

	if (length > LONGEST_NAME && length > size)
		return add_text(names, text, size, odd);
	expanded = malloc(length + 1);
	if (!expanded)
		return TL_NONE;
	expand(names, text, size, expanded);
	name = add_text(names, expanded, length, odd);
	free(expanded);
	return name;
}

static uint32_t add_name(struct tl_callgrind_names *names, enum tl_callgrind_name_kind space,
			 const char *text, size_t size, bool *odd)
{
	/*
	 * A single id is not such a name: that form is used for a function whose id was never
	 * defined.
	 */
	if (space == TL_CALLGRIND_NAME_FUNCTION && id_digits(text, size) &&
	    memchr(text, '\'', size))
		return add_nested(names, text, size, odd);
	return add_text(names, text, size, odd);
}

/*
 * The name in the definition of an id. Many writers define the same id with the same name again in
 * each part.
 */
static uint32_t define_name(struct tl_callgrind_names *names, enum tl_callgrind_name_kind space,
			    const char *text, size_t size, uint32_t before, bool *odd)
{
	bool plain = text[0] != '(' && !has_control(text, size);
	const struct tl_name *old = before == TL_NONE ? NULL : &names->pool->names[before];

	if (plain && old && old->size == size && !memcmp(old->text, text, size))
		return before;
	if (plain)
		return tl_names_add(names->pool, text, size);
	return add_name(names, space, text, size, odd);
}

/*
 * "an undefined id becomes a distinct name "(id)"" (rule F); the id counts as defined from then on.
 */
static bool read_id(struct tl_callgrind_names *names, enum tl_callgrind_name_kind space,
		    const char *text, size_t size, uint64_t passed,
		    struct tl_callgrind_reference *reference)
{
	size_t after = reference->id_size + 2;
	uint32_t *slot = find_slot(&names->ids[space], reference->id, reference->id_size, passed),
		 before;

	if (!slot)
		return false;
	while (after < size && (text[after] == ' ' || text[after] == '\t'))
		after++;
	before = *slot;
	reference->defines = after < size;
	if (reference->defines) {
		*slot = define_name(names, space, text + after, size - after, before,
				    &reference->has_control);
		reference->redefined = before != TL_NONE && *slot != before && *slot != TL_NONE &&
				       strcmp(names->pool->names[before].text,
					      names->pool->names[*slot].text) != 0;
	} else if (before == TL_NONE) {
		reference->undefined = true;
		*slot = tl_names_add(names->pool, text, reference->id_size + 2);
	}
	reference->name = *slot;
	return *slot != TL_NONE;
}

bool tl_callgrind_names_read(struct tl_callgrind_names *names, enum tl_callgrind_name_kind space,
			     const char *text, size_t size, uint64_t passed,
			     struct tl_callgrind_reference *reference)
{
	*reference = (struct tl_callgrind_reference){ .id_size = id_digits(text, size) };
	if (reference->id_size) {
		reference->id = text + 1;
		return read_id(names, space, text, size, passed, reference);
	}
	reference->name = add_text(names, text, size, &reference->has_control);
	return reference->name != TL_NONE;
}

void tl_callgrind_names_free(struct tl_callgrind_names *names)
{
	tl_names_free(&names->own);
	for (size_t i = 0; i < TL_CALLGRIND_NAME_KINDS; i++) {
		free(names->ids[i].dense);
		free(names->ids[i].sparse);
		tl_names_free(&names->ids[i].sparse_keys);
	}
}
