/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code as it was at its time. What a mapped file has is not kept. A page of other code is kept
 * once, and its copy completed as more of the page is met; where bytes change that were met before,
 * the page is kept anew, and all threads tell their time, so that a reader knows which copy is
 * meant.
 */
#include <stdlib.h>
#include <string.h>

#include "emulator.h"

enum { PAGE = TL_EMULATION_PAGE, BUCKETS = 1 << 14, WINDOW = 64 * PAGE, FEW_PAGES = 64 };

struct page {
	uint64_t address;
	const struct mapping *mapping; /* NULL: not of a file */
	uint8_t *copy;                 /* NULL: as the file has it */
	uint64_t offset;               /* of the copy in its file */
	char name[64];                 /* of that file */
	bool known;                    /* what is mapped here was looked up */
	bool frozen;                   /* the copy is the parent process's */
	uint8_t met[PAGE / 8];         /* a bit a byte that was ever met as code */
	struct page *next;
};

static struct {
	struct page *buckets[BUCKETS];
	char name[64]; /* of the file of copies */
	uint8_t *window;
	uint64_t window_offset, used; /* bytes of the window */
} pages;

static struct page **bucket_of(uint64_t address)
{
	return &pages.buckets[(address / PAGE) % BUCKETS];
}

static struct page *find(uint64_t address)
{
	struct page *page = *bucket_of(address);

	while (page && page->address != address)
		page = page->next;
	return page;
}

static struct page *need(uint64_t address)
{
	struct page **bucket = bucket_of(address), *page = find(address);

	if (page)
		return page;
	page = calloc(1, sizeof(*page));
	if (!page)
		abort();
	page->address = address;
	page->next = *bucket;
	*bucket = page;
	return page;
}

static void all_tell_time(void)
{
	for (struct stream *s = process.streams; s; s = s->next)
		__atomic_store_n(&s->code_changed, 1, __ATOMIC_RELAXED);
}

/* ---- copies ---- */

static bool next_window(void)
{
	if (!pages.name[0])
		file_name(pages.name, "code");
	else
		pages.window_offset += WINDOW;
	pages.window = file_window(pages.name, pages.window_offset, WINDOW, !pages.window_offset);
	pages.used = 0;
	return pages.window != NULL;
}

static void tell_copy(const struct page *page)
{
	event_add(TL_EMULATION_CODE, page->name, page->address, PAGE, page->offset);
	all_tell_time();
}

static void copy_page(struct page *page)
{
	if ((!pages.window || pages.used == WINDOW) && !next_window()) {
		/* The disk is full; the event's reader finds no bytes there, and says so. */
		pages.used = WINDOW;
		return;
	}
	page->copy = pages.window + pages.used;
	page->offset = pages.window_offset + pages.used;
	page->frozen = false;
	pages.used += PAGE;
	memcpy(page->name, pages.name, sizeof(page->name));
	memcpy(page->copy, host_address(page->address), PAGE);
	tell_copy(page);
}

/* The copies of pages in a mapping that was told behind them. */
static void tell_copies(const struct mapping *mapping)
{
	for (uint64_t at = mapping->start; at < mapping->end; at += PAGE) {
		const struct page *page = find(at);

		if (page && page->copy && page->known)
			tell_copy(page);
	}
}

/* ---- bytes ---- */

static bool was_met(const struct page *page, size_t at)
{
	return page->met[at / 8] >> at % 8 & 1;
}

/* Whether the copy can take the bytes that differ: none of them was executed as it was. */
static bool can_complete(const struct page *page, size_t at, const uint8_t *bytes, size_t size)
{
	if (page->frozen)
		return !memcmp(page->copy + at, bytes, size);
	for (size_t i = 0; i < size; i++)
		if (page->copy[at + i] != bytes[i] && was_met(page, at + i))
			return false;
	return true;
}

static void complete(struct page *page, size_t at, const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size && !page->frozen; i++)
		if (page->copy[at + i] != bytes[i])
			page->copy[at + i] = bytes[i];
}

/*
 * Also where the file has them, and for all copies to come: what was translated is executed from
 * later copies, too, without being met again.
 */
static void mark_met(struct page *page, size_t at, size_t size)
{
	for (size_t i = at; i < at + size; i++)
		page->met[i / 8] |= (uint8_t)(1u << i % 8);
}

static void look_up(struct page *page)
{
	bool is_new;

	page->mapping = maps_find(page->address, &is_new);
	/* A file that was mapped over what was copied. */
	if (page->mapping)
		page->copy = NULL;
	page->known = true;
	if (is_new) {
		tell_copies(page->mapping);
		all_tell_time();
	}
}

static bool is_of_file(const struct page *page, size_t at, const uint8_t *bytes, size_t size)
{
	return page->mapping &&
	       !memcmp(page->mapping->bytes + (page->address - page->mapping->start) + at, bytes,
		       size);
}

static void seen_in_page(struct page *page, size_t at, const uint8_t *bytes, size_t size)
{
	if (!page->known)
		look_up(page);
	if (page->copy || !is_of_file(page, at, bytes, size)) {
		if (!page->copy || !can_complete(page, at, bytes, size))
			copy_page(page);
		if (page->copy)
			complete(page, at, bytes, size);
	}
	mark_met(page, at, size);
}

void code_seen(uint64_t ip, const uint8_t *bytes, size_t size)
{
	pthread_mutex_lock(&process.lock);
	while (size) {
		size_t at = ip % PAGE, part = PAGE - at < size ? PAGE - at : size;

		seen_in_page(need(ip - at), at, bytes, part);
		ip += part;
		bytes += part;
		size -= part;
	}
	pthread_mutex_unlock(&process.lock);
}

/* ---- changes of maps ---- */

static void forget_all(uint64_t from, uint64_t to)
{
	for (size_t i = 0; i < BUCKETS; i++)
		for (struct page *page = pages.buckets[i]; page; page = page->next)
			if (page->address >= from && page->address < to)
				page->known = false;
}

void code_unmapped(uint64_t ip, uint64_t size)
{
	const uint64_t from = ip & ~(uint64_t)(PAGE - 1), to = ip + size;

	pthread_mutex_lock(&process.lock);
	maps_forget(ip, size);
	if ((to - from) / PAGE > FEW_PAGES)
		forget_all(from, to);
	for (uint64_t at = from; at < to && (to - from) / PAGE <= FEW_PAGES; at += PAGE) {
		struct page *page = find(at);

		if (page)
			page->known = false;
	}
	pthread_mutex_unlock(&process.lock);
}

void code_forked(void)
{
	for (size_t i = 0; i < BUCKETS; i++)
		for (struct page *page = pages.buckets[i]; page; page = page->next)
			page->frozen = true;
	pages.name[0] = '\0';
	pages.window = NULL;
	pages.window_offset = pages.used = 0;
}
