/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_MAKE_ELF_H
#define TESTS_MAKE_ELF_H
/* Small ELF files made byte by byte, of either class and byte order, after the System V gABI. */
#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct made {
	uint8_t bytes[16384];
	size_t size;
	bool is_64bit, big;
};

static inline void put_at(struct made *made, size_t at, uint64_t value, unsigned bytes)
{
	if (at > sizeof(made->bytes) - bytes)
		abort();
	for (unsigned i = 0; i < bytes; i++)
		made->bytes[at + i] = (uint8_t)(value >> 8 * (made->big ? bytes - 1 - i : i));
	if (at + bytes > made->size)
		made->size = at + bytes;
}

static inline void put(struct made *made, uint64_t value, unsigned bytes)
{
	put_at(made, made->size, value, bytes);
}

/* Bytes that are no number of anything. */
static inline void put_fill(struct made *made, size_t bytes)
{
	while (bytes--)
		put(made, 0xff, 1);
}

/* A word of the class: 4 or 8 bytes. */
static inline void put_word(struct made *made, uint64_t value)
{
	put(made, value, made->is_64bit ? 8 : 4);
}

static inline struct made made_like(const struct made *other)
{
	return (struct made){ .is_64bit = other->is_64bit, .big = other->big };
}

static inline void put_symbol(struct made *made, uint32_t name, uint8_t info, uint16_t section,
			      uint64_t value, uint64_t size)
{
	put(made, name, 4);
	if (made->is_64bit) {
		put(made, info, 1);
		put(made, 0, 1);
		put(made, section, 2);
		put(made, value, 8);
		put(made, size, 8);
		return;
	}
	put(made, value, 4);
	put(made, size, 4);
	put(made, info, 1);
	put(made, 0, 1);
	put(made, section, 2);
}

/* Section number i + 1 of the file; number `count` + 1 is the table of names. */
struct made_section {
	const char *name;
	uint32_t type;
	uint64_t flags, address;
	const uint8_t *data;
	size_t size;
	uint32_t link;
	uint64_t entry;
};

static inline void put_header(struct made *made, uint32_t name, const struct made_section *section,
			      size_t offset)
{
	put(made, name, 4);
	put(made, section->type, 4);
	put_word(made, section->flags);
	put_word(made, section->address);
	put_word(made, offset);
	put_word(made, section->size);
	put(made, section->link, 4);
	put(made, 0, 4);
	put_word(made, 1);
	put_word(made, section->entry);
}

static inline void put_bytes(struct made *made, const void *data, size_t size)
{
	memcpy(made->bytes + made->size, data, size);
	made->size += size;
}

/* Where the headers of sections begin, for tests that damage them. */
static inline size_t made_shoff_field(const struct made *made)
{
	return made->is_64bit ? 0x28 : 0x20;
}

static inline void make_elf(struct made *made, uint16_t type, uint16_t machine,
			    const struct made_section *sections, size_t count)
{
	size_t offsets[16] = { 0 }, header = made->is_64bit ? 64 : 52;
	struct made names = { .size = 1 };
	uint32_t name_at[16] = { 0 };

	made->size = header;
	for (size_t i = 0; i < count; i++) {
		name_at[i] = (uint32_t)names.size;
		put_bytes(&names, sections[i].name, strlen(sections[i].name) + 1);
		offsets[i] = made->size;
		if (sections[i].type != SHT_NOBITS)
			put_bytes(made, sections[i].data, sections[i].size);
		made->size = (made->size + 7) / 8 * 8;
	}
	struct made_section strings = { .type = SHT_STRTAB, .size = names.size };
	size_t strings_at = made->size;

	put_bytes(made, names.bytes, names.size);
	made->size = (made->size + 7) / 8 * 8;
	size_t shoff = made->size;

	put_header(made, 0, &(struct made_section){ .type = SHT_NULL }, 0);
	for (size_t i = 0; i < count; i++)
		put_header(made, name_at[i], &sections[i], offsets[i]);
	put_header(made, 0, &strings, strings_at);
	memcpy(made->bytes,
	       (uint8_t[]){ 0x7f, 'E', 'L', 'F', made->is_64bit ? 2 : 1, made->big ? 2 : 1, 1 }, 7);
	put_at(made, 16, type, 2);
	put_at(made, 18, machine, 2);
	put_at(made, 20, 1, 4);
	put_at(made, made_shoff_field(made), shoff, made->is_64bit ? 8 : 4);
	put_at(made, header - 12, header, 2);
	put_at(made, header - 6, made->is_64bit ? 64 : 40, 2);
	put_at(made, header - 4, count + 2, 2);
	put_at(made, header - 2, count + 1, 2);
}

/* A reproducible sequence (xorshift, Marsaglia 2003). */
static inline uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

#endif
