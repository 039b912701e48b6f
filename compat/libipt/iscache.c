/* SPDX-License-Identifier: Apache-2.0 */
/* pt_iscache_*: sections of files by number, for several images and several threads. */
#include "compat.h"

#include <stdlib.h>

struct pt_image_section_cache *pt_iscache_alloc(const char *name)
{
	struct pt_image_section_cache *iscache = calloc(1, sizeof(*iscache));

	if (!iscache)
		return NULL;
	iscache->cache = tl_pt_cache_open(name);
	if (!iscache->cache || pthread_mutex_init(&iscache->lock, NULL)) {
		tl_pt_cache_close(iscache->cache);
		free(iscache);
		return NULL;
	}
	return iscache;
}

void pt_iscache_free(struct pt_image_section_cache *iscache)
{
	if (!iscache)
		return;
	tl_pt_cache_close(iscache->cache);
	pthread_mutex_destroy(&iscache->lock);
	free(iscache);
}

int pt_iscache_set_limit(struct pt_image_section_cache *iscache, uint64_t limit)
{
	int status;

	if (!iscache)
		return -pte_invalid;
	pthread_mutex_lock(&iscache->lock);
	status = tl_pt_cache_set_limit(iscache->cache, limit);
	pthread_mutex_unlock(&iscache->lock);
	return status;
}

const char *pt_iscache_name(const struct pt_image_section_cache *iscache)
{
	return iscache ? tl_pt_cache_name(iscache->cache) : NULL;
}

int pt_iscache_add_file(struct pt_image_section_cache *iscache, const char *filename,
			uint64_t offset, uint64_t size, uint64_t vaddr)
{
	int isid;

	if (!iscache || !filename)
		return -pte_invalid;
	pthread_mutex_lock(&iscache->lock);
	isid = tl_pt_cache_add_file(iscache->cache, filename, offset, size, vaddr);
	pthread_mutex_unlock(&iscache->lock);
	return tl_compat_file(isid);
}

int pt_iscache_read(struct pt_image_section_cache *iscache, uint8_t *buffer, uint64_t size,
		    int isid, uint64_t vaddr)
{
	int count;

	if (!iscache || !buffer || !size)
		return -pte_invalid;
	pthread_mutex_lock(&iscache->lock);
	count = tl_pt_cache_read(iscache->cache, buffer, size, isid, vaddr);
	pthread_mutex_unlock(&iscache->lock);
	return count;
}
