/* SPDX-License-Identifier: Apache-2.0 */
#include "xtrace/state/shadow.h"

#include <string.h>

#include "core/arithmetic.h"
#include "core/cursor.h"

void tl_xtrace_shadow_begin(struct tl_xtrace_shadow *shadow)
{
	*shadow = (struct tl_xtrace_shadow){ .pages = { .page_bytes = TL_XTRACE_SHADOW_PAGE } };
}

void tl_xtrace_shadow_free(struct tl_xtrace_shadow *shadow)
{
	tl_xtrace_pages_free(&shadow->pages);
}

/* Bits of the bytes [offset, offset + size), size at most 32, in the 64 bits that begin with byte
 * offset / 8. */
static uint64_t mask_of(size_t offset, size_t size)
{
	return ((UINT64_C(1) << size) - 1) << offset % 8;
}

static uint64_t get_known(const uint8_t *page, size_t offset)
{
	return tl_get64s(page + TL_XTRACE_SHADOW_KNOWN + offset / 8, TL_HOST_BIG_ENDIAN);
}

static void set_known(uint8_t *page, size_t offset, uint64_t bits)
{
	uint64_t known =
		tl_get64s(page + TL_XTRACE_SHADOW_KNOWN + offset / 8, TL_HOST_BIG_ENDIAN) | bits;

	known = TL_HOST_BIG_ENDIAN ? __builtin_bswap64(known) : known;
	memcpy(page + TL_XTRACE_SHADOW_KNOWN + offset / 8, &known, sizeof(known));
}

/* At most 32 bytes of one page. */
enum { CHUNK = 32 };

static void store_chunk(uint8_t *page, size_t offset, const uint8_t *data, size_t size)
{
	memcpy(page + offset, data, size);
	set_known(page, offset, mask_of(offset, size));
}

static bool some_differ(const uint8_t *page, size_t offset, const uint8_t *data, size_t size,
			uint64_t known)
{
	for (size_t i = 0; i < size; i++)
		if (known >> (offset % 8 + i) & 1 && page[offset + i] != data[i])
			return true;
	return false;
}

static bool load_chunk(uint8_t *page, size_t offset, const uint8_t *data, size_t size)
{
	uint64_t mask = mask_of(offset, size), known = get_known(page, offset) & mask;

	if (known == mask && !memcmp(page + offset, data, size))
		return true;
	known = some_differ(page, offset, data, size, known);
	store_chunk(page, offset, data, size);
	return !known;
}

static size_t chunk_size(size_t offset, size_t size)
{
	size_t left = TL_XTRACE_SHADOW_BYTES - offset;

	size = tl_min(size, left);
	return tl_min(size, CHUNK);
}

/* The page of an address, after an access was paid for. NULL without memory. */
static uint8_t *page_of(struct tl_xtrace_shadow *shadow, unsigned space, uint64_t address)
{
	if (__builtin_expect(shadow->pages.count >= TL_XTRACE_SHADOW_MOST_PAGES, 0))
		tl_xtrace_pages_free(&shadow->pages);
	shadow->credit += TL_XTRACE_SHADOW_CREDIT;
	return tl_xtrace_pages_get(&shadow->pages, tl_xtrace_shadow_number(space, address));
}

bool tl_xtrace_shadow_store(struct tl_xtrace_shadow *shadow, unsigned space, uint64_t address,
			    const uint8_t *data, size_t size)
{
	while (size) {
		size_t offset = address % TL_XTRACE_SHADOW_BYTES, part = chunk_size(offset, size);
		uint8_t *page = page_of(shadow, space, address);

		if (!page)
			return false;
		store_chunk(page, offset, data, part);
		address += part;
		data += part;
		size -= part;
	}
	return true;
}

enum tl_xtrace_shadow_result tl_xtrace_shadow_load(struct tl_xtrace_shadow *shadow, unsigned space,
						   uint64_t address, const uint8_t *data,
						   size_t size)
{
	enum tl_xtrace_shadow_result result = TL_XTRACE_SHADOW_AGREES;

	while (size) {
		size_t offset = address % TL_XTRACE_SHADOW_BYTES, part = chunk_size(offset, size);
		uint8_t *page = page_of(shadow, space, address);

		if (!page)
			return TL_XTRACE_SHADOW_NO_MEMORY;
		if (!load_chunk(page, offset, data, part))
			result = TL_XTRACE_SHADOW_DISAGREES;
		address += part;
		data += part;
		size -= part;
	}
	return result;
}

bool tl_xtrace_shadow_differs(const struct tl_xtrace_shadow *shadow, unsigned space,
			      uint64_t address, const uint8_t *data, size_t size)
{
	while (size) {
		size_t offset = address % TL_XTRACE_SHADOW_BYTES, part = chunk_size(offset, size);
		const uint8_t *page = tl_xtrace_pages_known(
			&shadow->pages, tl_xtrace_shadow_number(space, address));

		if (page && some_differ(page, offset, data, part, get_known(page, offset)))
			return true;
		address += part;
		data += part;
		size -= part;
	}
	return false;
}

bool tl_xtrace_shadow_number_at(const struct tl_xtrace_shadow *shadow, unsigned space,
				uint64_t address, uint64_t *value)
{
	size_t offset = address % TL_XTRACE_SHADOW_BYTES;
	const uint8_t *page;

	if (offset + sizeof(*value) > TL_XTRACE_SHADOW_BYTES)
		return false;
	page = tl_xtrace_pages_known(&shadow->pages, tl_xtrace_shadow_number(space, address));
	if (!page || ~get_known(page, offset) & mask_of(offset, sizeof(*value)))
		return false;
	*value = tl_get64s(page + offset, TL_HOST_BIG_ENDIAN);
	return true;
}

/* Of a shadow page's number: the part of a page of 4 KiB, and the half of the addresses. */
static bool may_be_twin(uint64_t number, uint64_t address)
{
	const uint64_t half = UINT64_C(1) << (63 - TL_XTRACE_SHADOW_PAGE_BITS);
	const uint64_t parts = 4096 / TL_XTRACE_SHADOW_BYTES;
	const bool upper = number >= half && number < 2 * half; /* whose space is 0 */

	return upper != address >> 63 && number % parts == address / TL_XTRACE_SHADOW_BYTES % parts;
}

/* The bytes that are known there are the same, and not just some zeros. */
static bool is_twin(const uint8_t *page, size_t offset, const uint8_t *data, size_t size)
{
	uint64_t mask = mask_of(offset, size), known = get_known(page, offset) & mask;
	bool telling = known == mask;

	for (size_t i = 0; i < size; i++) {
		bool is_known = known >> (offset % 8 + i) & 1;

		if (data[i] != (is_known ? page[offset + i] : 0))
			return false;
		telling = telling || (is_known && data[i]);
	}
	return telling;
}

bool tl_xtrace_shadow_has_twin(struct tl_xtrace_shadow *shadow, uint64_t address,
			       const uint8_t *data, size_t size)
{
	const size_t offset = address % TL_XTRACE_SHADOW_BYTES;

	if (offset + size > TL_XTRACE_SHADOW_BYTES || size > CHUNK ||
	    shadow->credit < shadow->pages.mask)
		return false;
	shadow->credit -= shadow->pages.mask;
	for (size_t i = 0; shadow->pages.slots && i <= shadow->pages.mask; i++) {
		const struct tl_xtrace_page *slot = &shadow->pages.slots[i];

		if (slot->bytes && may_be_twin(slot->number, address) &&
		    is_twin(slot->bytes, offset, data, size))
			return true;
	}
	return false;
}

/* ---- forgetting ---- */

static void forget_in_page(uint8_t *page, uint64_t from, uint64_t to)
{
	for (uint64_t i = from; i < to; i++) {
		uint8_t *bits = page + TL_XTRACE_SHADOW_KNOWN + i / 8;

		*bits = (uint8_t)(*bits & ~(1u << i % 8));
	}
}

/* Pages that are there are fewer than those a range may have: walk over these. */
static void forget_in_all(struct tl_xtrace_shadow *shadow, uint64_t first, uint64_t last)
{
	if (shadow->credit < shadow->pages.mask) {
		tl_xtrace_pages_free(&shadow->pages);
		return;
	}
	shadow->credit -= shadow->pages.mask;
	for (size_t i = 0; shadow->pages.slots && i <= shadow->pages.mask; i++) {
		const struct tl_xtrace_page *slot = &shadow->pages.slots[i];

		if (slot->bytes && slot->number >= first && slot->number <= last)
			memset(slot->bytes + TL_XTRACE_SHADOW_KNOWN, 0, TL_XTRACE_SHADOW_BYTES / 8);
	}
}

void tl_xtrace_shadow_forget_all(struct tl_xtrace_shadow *shadow, unsigned space)
{
	forget_in_all(shadow, tl_xtrace_shadow_number(space, 0),
		      tl_xtrace_shadow_number(space, UINT64_MAX));
}

void tl_xtrace_shadow_forget(struct tl_xtrace_shadow *shadow, unsigned space, uint64_t address,
			     uint64_t size)
{
	uint64_t end = size > UINT64_MAX - address ? UINT64_MAX : address + size;

	if (address >= end)
		return;
	if ((end - address) / TL_XTRACE_SHADOW_BYTES > shadow->pages.count + 2) {
		forget_in_all(shadow, tl_xtrace_shadow_number(space, address),
			      tl_xtrace_shadow_number(space, end - 1));
		return;
	}
	if (shadow->credit < (end - address) / TL_XTRACE_SHADOW_BYTES) {
		tl_xtrace_pages_free(&shadow->pages);
		return;
	}
	shadow->credit -= (end - address) / TL_XTRACE_SHADOW_BYTES;
	while (address < end) {
		uint64_t offset = address % TL_XTRACE_SHADOW_BYTES,
			 left = TL_XTRACE_SHADOW_BYTES - offset;
		uint64_t part = tl_min(end - address, left);
		uint8_t *page = tl_xtrace_pages_known(&shadow->pages,
						      tl_xtrace_shadow_number(space, address));

		if (page)
			forget_in_page(page, offset, offset + part);
		address += part;
		if (!address)
			return;
	}
}
