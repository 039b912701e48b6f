/* SPDX-License-Identifier: Apache-2.0 */
#include "xtrace/elf/image.h"

#include <string.h>

#include "core/arithmetic.h"

void tl_xtrace_image_begin(struct tl_xtrace_image *image, size_t threads,
			   tl_xtrace_changed_fn *changed, void *arg)
{
	*image = (struct tl_xtrace_image){
		.pages.page_bytes = sizeof(struct tl_xtrace_image_page),
		.code.page_bytes = sizeof(struct tl_xtrace_image_code) +
				   threads * TL_XTRACE_IMAGE_CODE * sizeof(uint64_t),
		.changed = changed,
		.arg = arg,
	};
}

void tl_xtrace_image_free(struct tl_xtrace_image *image)
{
	tl_xtrace_pages_free(&image->pages);
	tl_xtrace_pages_free(&image->code);
}

struct tl_xtrace_image_page *tl_xtrace_image_page(struct tl_xtrace_image *image, uint64_t address)
{
	if (__builtin_expect(image->pages.count > TL_XTRACE_IMAGE_MOST_PAGES, 0))
		return NULL;
	return (void *)tl_xtrace_pages_get(&image->pages, address / TL_XTRACE_IMAGE_BYTES);
}

struct tl_xtrace_image_code *tl_xtrace_image_code(struct tl_xtrace_image *image, uint64_t address)
{
	if (__builtin_expect(image->code.count > TL_XTRACE_IMAGE_MOST_PAGES, 0))
		return NULL;
	return (void *)tl_xtrace_pages_get(&image->code, address / TL_XTRACE_IMAGE_BYTES);
}

/* The bytes [at, at + size) of a page, which lie in one word of the bitmaps. */
struct part {
	struct tl_xtrace_image_page *page;
	uint64_t address;
	size_t at, word, size;
	uint64_t mask;
};

static bool next_part(struct tl_xtrace_image *image, uint64_t address, size_t size, struct part *p)
{
	size_t left;

	p->address = tl_xtrace_untagged(address);
	p->at = p->address % TL_XTRACE_IMAGE_BYTES;
	p->word = p->at / 64;
	left = 64 - p->at % 64;
	p->size = tl_min(size, left);
	p->mask = (p->size == 64 ? UINT64_MAX : (UINT64_C(1) << p->size) - 1) << p->at % 64;
	p->page = tl_xtrace_image_page(image, p->address);
	if (!p->page)
		return false;
	if (p->page->call != image->calls) {
		memset(p->page->touched, 0, sizeof(p->page->touched));
		p->page->call = image->calls;
	}
	return true;
}

/* A byte that is not known, or that is another than it was. */
static bool load_byte(struct tl_xtrace_image *image, const struct part *p, size_t i, uint8_t value)
{
	struct tl_xtrace_image_page *page = p->page;
	uint64_t bit = UINT64_C(1) << (p->at + i) % 64;

	if (!(page->known[p->word] & bit)) {
		page->first[p->at + i] = page->now[p->at + i] = value;
		page->known[p->word] |= bit;
		return true;
	}
	if (page->now[p->at + i] == value && !(page->bare[p->word] & bit))
		return true;
	page->now[p->at + i] = value;
	page->bare[p->word] &= ~bit;
	return image->changed(image->arg, p->address + i, value,
			      image->calls && !(page->touched[p->word] & bit));
}

/* The bits of all bytes of a part that lie in whole words of 8 bytes. */
static uint64_t whole_words(const struct part *p)
{
	uint64_t whole = p->mask;

	for (unsigned i = 1; i < 8; i++)
		whole &= p->mask >> i;
	whole &= UINT64_C(0x0101010101010101);
	return whole * 0xff;
}

/* Whether a part of a pointer is loaded that the program has without the signature of the trace. */
static bool meets_bare(const struct part *p)
{
	const uint64_t bare = p->page->bare[p->word] & p->mask;

	return bare && bare & ~whole_words(p);
}

bool tl_xtrace_image_load(struct tl_xtrace_image *image, uint64_t address, const uint8_t *data,
			  size_t size)
{
	struct part p;

	for (; size; address += p.size, data += p.size, size -= p.size) {
		if (!next_part(image, address, size, &p))
			return false;
		if ((p.page->known[p.word] & p.mask) != p.mask ||
		    memcmp(p.page->now + p.at, data, p.size) || meets_bare(&p))
			for (size_t i = 0; i < p.size; i++)
				if (!load_byte(image, &p, i, data[i]))
					return false;
		p.page->loaded[p.word] |= p.mask;
		p.page->touched[p.word] |= p.mask;
	}
	return true;
}

bool tl_xtrace_image_store(struct tl_xtrace_image *image, uint64_t address, const uint8_t *data,
			   size_t size)
{
	struct part p;

	for (; size; address += p.size, data += p.size, size -= p.size) {
		if (!next_part(image, address, size, &p))
			return false;
		memcpy(p.page->now + p.at, data, p.size);
		p.page->known[p.word] |= p.mask;
		p.page->stored[p.word] |= p.mask;
		p.page->touched[p.word] |= p.mask;
		p.page->bare[p.word] &= ~p.mask;
	}
	return true;
}

bool tl_xtrace_image_bare(struct tl_xtrace_image *image, uint64_t address)
{
	struct part p;

	if (!next_part(image, address, 8, &p))
		return false;
	for (size_t i = 6; i < 8; i++)
		if (p.page->now[p.at + i])
			p.page->bare[p.word] |= UINT64_C(1) << (p.at + i) % 64;
	return true;
}

enum tl_xtrace_fetch tl_xtrace_image_fetch(struct tl_xtrace_image *image, uint64_t pc,
					   const uint8_t *opcode)
{
	struct part p;

	if (!next_part(image, pc, 4, &p))
		return TL_XTRACE_FETCH_FAILED;
	if ((p.page->known[p.word] & p.mask) == p.mask && !memcmp(p.page->now + p.at, opcode, 4))
		return memcmp(p.page->first + p.at, opcode, 4) ? TL_XTRACE_FETCH_STORED
							       : TL_XTRACE_FETCH_SAME;
	for (size_t i = 0; i < 4; i++) {
		uint64_t bit = UINT64_C(1) << (p.at + i) % 64;

		if (p.page->known[p.word] & bit && p.page->now[p.at + i] != opcode[i])
			return TL_XTRACE_FETCH_CHANGED;
		if (!(p.page->known[p.word] & bit))
			p.page->first[p.at + i] = p.page->now[p.at + i] = opcode[i];
	}
	p.page->known[p.word] |= p.mask;
	/* Some bytes may have been stored before. */
	return memcmp(p.page->first + p.at, opcode, 4) ? TL_XTRACE_FETCH_STORED
						       : TL_XTRACE_FETCH_SAME;
}
