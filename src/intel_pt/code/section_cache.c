/* SPDX-License-Identifier: Apache-2.0 */
/* Sections that images share, by number (3.1, "section cache"). */
#include "intel_pt/code/section_cache.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/arithmetic.h"
#include "core/memory.h"

struct entry {
	struct tl_pt_section *section;
	uint64_t vaddr;
};

struct tl_pt_cache {
	char *name;
	struct entry *entries; /* that of isid 1 first */
	size_t count, capacity;
	uint64_t limit; /* 0: none */
};

struct tl_pt_cache *tl_pt_cache_open(const char *name)
{
	struct tl_pt_cache *cache = calloc(1, sizeof(*cache));

	if (!cache)
		return NULL;
	cache->name = name ? strdup(name) : NULL;
	if (!name || cache->name)
		return cache;
	free(cache);
	return NULL;
}

void tl_pt_cache_close(struct tl_pt_cache *cache)
{
	if (!cache)
		return;
	for (size_t i = 0; i < cache->count; i++)
		tl_pt_section_drop(cache->entries[i].section);
	free(cache->entries);
	free(cache->name);
	free(cache);
}

const char *tl_pt_cache_name(const struct tl_pt_cache *cache)
{
	return cache ? cache->name : NULL;
}

/*
 * Sections added first stay mapped. The others are read page by page; each page is read about once,
 * as decoded code is kept, so a better choice would gain little.
 */
static void apply_limit(struct tl_pt_cache *cache)
{
	uint64_t left = cache->limit ? cache->limit : UINT64_MAX;

	for (size_t i = 0; i < cache->count; i++) {
		struct tl_pt_section *section = cache->entries[i].section;

		if (section->size > left) {
			tl_pt_section_unmap(section);
			continue;
		}
		left -= section->size;
		tl_pt_section_map(section);
	}
}

int tl_pt_cache_set_limit(struct tl_pt_cache *cache, uint64_t bytes)
{
	if (!cache)
		return -TL_PT_INVALID;
	cache->limit = bytes;
	apply_limit(cache);
	return 0;
}

/* The isid of an equal section, 0: none. */
static int find(const struct tl_pt_cache *cache, const struct tl_pt_section *wanted, uint64_t vaddr)
{
	for (size_t i = 0; i < cache->count; i++) {
		const struct entry *entry = &cache->entries[i];

		if (entry->vaddr == vaddr && entry->section->offset == wanted->offset &&
		    entry->section->size == wanted->size &&
		    !strcmp(entry->section->path, wanted->path))
			return (int)i + 1;
	}
	return 0;
}

int tl_pt_cache_add_file(struct tl_pt_cache *cache, const char *path, uint64_t offset,
			 uint64_t size, uint64_t vaddr)
{
	struct tl_pt_section *section;
	int isid, status;

	if (!cache || !path)
		return -TL_PT_INVALID;
	status = tl_pt_section_open(&section, path, offset, size, false);
	if (status < 0)
		return status;
	isid = find(cache, section, vaddr);
	if (isid || cache->count >= INT_MAX ||
	    !tl_grow(&cache->entries, &cache->capacity, cache->count + 1,
		     sizeof(*cache->entries))) {
		tl_pt_section_drop(section);
		return isid ? isid : -TL_PT_NOMEM;
	}
	cache->entries[cache->count++] = (struct entry){ section, vaddr };
	apply_limit(cache);
	return (int)cache->count;
}

struct tl_pt_section *tl_pt_cache_section(const struct tl_pt_cache *cache, int isid,
					  uint64_t *vaddr)
{
	if (isid <= 0 || (size_t)isid > cache->count)
		return NULL;
	*vaddr = cache->entries[isid - 1].vaddr;
	return cache->entries[isid - 1].section;
}

int tl_pt_cache_read(struct tl_pt_cache *cache, uint8_t *buffer, size_t size, int isid,
		     uint64_t vaddr)
{
	const struct tl_pt_section *section;
	uint64_t begin;
	size_t got;

	if (!cache || !buffer || !size)
		return -TL_PT_INVALID;
	section = tl_pt_cache_section(cache, isid, &begin);
	if (!section)
		return -TL_PT_BAD_IMAGE;
	if (vaddr - begin >= section->size)
		return -TL_PT_NOMAP;
	got = tl_pt_section_read(section, vaddr - begin, buffer, tl_min(size, INT_MAX));
	return got ? (int)got : -TL_PT_NOMAP;
}
