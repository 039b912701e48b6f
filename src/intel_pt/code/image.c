/* SPDX-License-Identifier: Apache-2.0 */
/* Images (3.1): regions, and cutting those that overlap. */
#include "intel_pt/code/image.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/arithmetic.h"
#include "core/memory.h"
#include "intel_pt/code/section_cache.h"

static const struct tl_pt_asid any_space = { TL_PT_ANY, TL_PT_ANY };

/* The image changed: decoders compare the version with that of the code they decoded. */
static void touch(struct tl_pt_image *image)
{
	image->version++;
	image->by_space = image->read != NULL;
	for (size_t i = 0; i < image->count && !image->by_space; i++)
		image->by_space = image->regions[i].asid.cr3 != TL_PT_ANY ||
				  image->regions[i].asid.vmcs != TL_PT_ANY;
}

struct tl_pt_image *tl_pt_image_open(const char *name)
{
	struct tl_pt_image *image = calloc(1, sizeof(*image));

	if (!image)
		return NULL;
	touch(image);
	image->name = name ? strdup(name) : NULL;
	if (!name || image->name)
		return image;
	free(image);
	return NULL;
}

void tl_pt_image_close(struct tl_pt_image *image)
{
	if (!image)
		return;
	for (size_t i = 0; i < image->count; i++)
		tl_pt_section_drop(image->regions[i].section);
	free(image->regions);
	free(image->name);
	free(image);
}

const char *tl_pt_image_name(const struct tl_pt_image *image)
{
	return image ? image->name : NULL;
}

/* Remove region `i`; the order of the others stays. */
static void remove_region(struct tl_pt_image *image, size_t i)
{
	tl_pt_section_drop(image->regions[i].section);
	memmove(&image->regions[i], &image->regions[i + 1],
		(image->count - i - 1) * sizeof(*image->regions));
	image->count--;
}

/* Append the part of region `i` from address `begin` on as another region. There must be room. */
static void add_rest(struct tl_pt_image *image, size_t i, uint64_t begin)
{
	struct tl_pt_region rest = image->regions[i];

	rest.at += begin - rest.begin;
	rest.begin = begin;
	tl_pt_section_share(rest.section);
	image->regions[image->count++] = rest;
}

/*
 * Cut all that an address space can see out of [begin, last]. A region may become two: there must
 * be room for one more.
 */
static void cut_out(struct tl_pt_image *image, uint64_t begin, uint64_t last,
		    const struct tl_pt_asid *asid)
{
	for (size_t i = image->count; i-- > 0;) {
		struct tl_pt_region *region = &image->regions[i];

		if (last < region->begin || region->last < begin ||
		    !tl_pt_asid_matches(&region->asid, asid))
			continue;
		if (region->last > last)
			add_rest(image, i, last + 1);
		if (region->begin < begin)
			region->last = begin - 1;
		else
			remove_region(image, i);
	}
}

/* The number of regions that reach over both ends of [begin, last]. */
static size_t count_split(const struct tl_pt_image *image, uint64_t begin, uint64_t last)
{
	size_t split = 0;

	for (size_t i = 0; i < image->count; i++)
		split += image->regions[i].begin < begin && image->regions[i].last > last;
	return split;
}

/* Takes over one use of the section, also on failure. */
static int add(struct tl_pt_image *image, struct tl_pt_section *section,
	       const struct tl_pt_asid *asid, uint64_t vaddr, int isid)
{
	/*
	 * What reaches past the end of the address space is left out; no bytes are nothing to add.
	 */
	uint64_t most = section->size - 1;
	uint64_t last = most > UINT64_MAX - vaddr ? UINT64_MAX : vaddr + most;
	size_t want = image->count + 1 + count_split(image, vaddr, last);

	if (!section->size ||
	    !tl_grow(&image->regions, &image->capacity, want, sizeof(*image->regions))) {
		int status = section->size ? -TL_PT_NOMEM : 0;

		tl_pt_section_drop(section);
		return status;
	}
	if (!asid)
		asid = &any_space;
	cut_out(image, vaddr, last, asid);
	image->regions[image->count++] =
		(struct tl_pt_region){ section, 0, vaddr, last, *asid, isid };
	touch(image);
	return 0;
}

int tl_pt_image_add_file(struct tl_pt_image *image, const char *path, uint64_t offset,
			 uint64_t size, const struct tl_pt_asid *asid, uint64_t vaddr)
{
	struct tl_pt_section *section;
	int status;

	if (!image || !path)
		return -TL_PT_INVALID;
	status = tl_pt_section_open(&section, path, offset, size, true);
	if (status < 0)
		return status;
	return add(image, section, asid, vaddr, 0);
}

int tl_pt_image_add_memory(struct tl_pt_image *image, const uint8_t *data, size_t size,
			   const struct tl_pt_asid *asid, uint64_t vaddr, int isid)
{
	struct tl_pt_section *section;

	if (!image || !data || !size || isid < 0)
		return -TL_PT_INVALID;
	section = tl_pt_section_over(data, size);
	return section ? add(image, section, asid, vaddr, isid) : -TL_PT_NOMEM;
}

int tl_pt_image_add_cached(struct tl_pt_image *image, struct tl_pt_cache *cache, int isid,
			   const struct tl_pt_asid *asid)
{
	struct tl_pt_section *section;
	uint64_t vaddr;

	if (!image || !cache)
		return -TL_PT_INVALID;
	section = tl_pt_cache_section(cache, isid, &vaddr);
	if (!section)
		return -TL_PT_BAD_IMAGE;
	tl_pt_section_share(section);
	return add(image, section, asid, vaddr, isid);
}

/* `asid`: of all of them in the copy; NULL: as they have it. How many could not be added. */
static int copy_regions(struct tl_pt_image *image, const struct tl_pt_image *from,
			const struct tl_pt_asid *asid)
{
	int failed = 0;

	for (size_t i = 0; i < from->count; i++) {
		struct tl_pt_region region = from->regions[i];
		size_t want = image->count + 1 + count_split(image, region.begin, region.last);

		if (!tl_grow(&image->regions, &image->capacity, want, sizeof(*image->regions))) {
			failed++;
			continue;
		}
		region.asid = asid ? *asid : region.asid;
		cut_out(image, region.begin, region.last, &region.asid);
		tl_pt_section_share(region.section);
		image->regions[image->count++] = region;
	}
	touch(image);
	return failed;
}

int tl_pt_image_copy(struct tl_pt_image *image, const struct tl_pt_image *from)
{
	if (!image || !from)
		return -TL_PT_INVALID;
	/* Copying an image to itself changes nothing. */
	return image == from ? 0 : copy_regions(image, from, NULL);
}

int tl_pt_image_copy_as(struct tl_pt_image *image, const struct tl_pt_image *from,
			const struct tl_pt_asid *asid)
{
	return copy_regions(image, from, asid);
}

/* Remove all that an address space can see, of a file or (NULL) of all files. */
static int remove_matching(struct tl_pt_image *image, const char *path,
			   const struct tl_pt_asid *asid)
{
	size_t before = image->count;

	if (!asid)
		asid = &any_space;
	for (size_t i = image->count; i-- > 0;) {
		const struct tl_pt_region *region = &image->regions[i];

		if (tl_pt_asid_matches(&region->asid, asid) &&
		    (!path || (region->section->path && !strcmp(region->section->path, path))))
			remove_region(image, i);
	}
	touch(image);
	return (int)(before - image->count);
}

int tl_pt_image_remove_by_filename(struct tl_pt_image *image, const char *path,
				   const struct tl_pt_asid *asid)
{
	return image && path ? remove_matching(image, path, asid) : -TL_PT_INVALID;
}

int tl_pt_image_remove_by_asid(struct tl_pt_image *image, const struct tl_pt_asid *asid)
{
	return image ? remove_matching(image, NULL, asid) : -TL_PT_INVALID;
}

int tl_pt_image_set_callback(struct tl_pt_image *image, tl_pt_read_fn *read, void *arg)
{
	if (!image)
		return -TL_PT_INVALID;
	image->read = read;
	image->read_arg = arg;
	touch(image);
	return 0;
}

/* The last region added wins, if an address space of TL_PT_ANY sees several. */
static const struct tl_pt_region *find(const struct tl_pt_image *image,
				       const struct tl_pt_asid *asid, uint64_t ip)
{
	for (size_t i = image->count; i-- > 0;) {
		const struct tl_pt_region *region = &image->regions[i];

		if (ip >= region->begin && ip <= region->last &&
		    tl_pt_asid_matches(&region->asid, asid))
			return region;
	}
	return NULL;
}

int tl_pt_image_read(const struct tl_pt_image *image, int *isid, uint8_t *buffer, size_t size,
		     const struct tl_pt_asid *asid, uint64_t ip)
{
	const struct tl_pt_region *region;
	uint64_t left;
	size_t got;

	if (!image || !buffer || !size)
		return -TL_PT_INVALID;
	if (!asid)
		asid = &any_space;
	region = find(image, asid, ip);
	if (isid)
		*isid = region ? region->isid : 0;
	if (!region)
		return image->read ? image->read(buffer, size, asid, ip, image->read_arg)
				   : -TL_PT_NOMAP;
	left = region->last - ip;
	if (left < size - 1)
		size = (size_t)left + 1;
	got = tl_pt_section_read(region->section, region->at + (ip - region->begin), buffer,
				 tl_min(size, INT_MAX));
	return got ? (int)got : -TL_PT_NOMAP;
}
