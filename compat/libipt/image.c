/* SPDX-License-Identifier: Apache-2.0 */
/* pt_image_*: sections of code; and what reads it for them. */
#include "compat.h"

#include <stdlib.h>

struct pt_image *pt_image_alloc(const char *name)
{
	struct pt_image *image = calloc(1, sizeof(*image));

	if (image)
		image->image = tl_pt_image_open(name);
	if (!image || !image->image) {
		free(image);
		return NULL;
	}
	return image;
}

void pt_image_free(struct pt_image *image)
{
	if (image)
		tl_pt_image_close(image->image);
	free(image);
}

const char *pt_image_name(const struct pt_image *image)
{
	return image ? tl_pt_image_name(image->image) : NULL;
}

int pt_image_add_file(struct pt_image *image, const char *filename, uint64_t offset, uint64_t size,
		      const struct pt_asid *asid, uint64_t vaddr)
{
	struct tl_pt_asid ours;

	if (!image || !filename)
		return -pte_invalid;
	tl_compat_asid(&ours, asid);
	return tl_compat_file(
		tl_pt_image_add_file(image->image, filename, offset, size, &ours, vaddr));
}

int pt_image_add_cached(struct pt_image *image, struct pt_image_section_cache *iscache, int isid,
			const struct pt_asid *asid)
{
	struct tl_pt_asid ours;
	int status;

	if (!image || !iscache)
		return -pte_invalid;
	tl_compat_asid(&ours, asid);
	pthread_mutex_lock(&iscache->lock);
	status = tl_pt_image_add_cached(image->image, iscache->cache, isid, &ours);
	pthread_mutex_unlock(&iscache->lock);
	return status;
}

int pt_image_copy(struct pt_image *image, const struct pt_image *src)
{
	return image && src ? tl_pt_image_copy(image->image, src->image) : -pte_invalid;
}

int pt_image_remove_by_filename(struct pt_image *image, const char *filename,
				const struct pt_asid *asid)
{
	struct tl_pt_asid ours;

	if (!image || !filename)
		return -pte_invalid;
	tl_compat_asid(&ours, asid);
	return tl_pt_image_remove_by_filename(image->image, filename, &ours);
}

int pt_image_remove_by_asid(struct pt_image *image, const struct pt_asid *asid)
{
	struct tl_pt_asid ours;

	if (!image)
		return -pte_invalid;
	tl_compat_asid(&ours, asid);
	return tl_pt_image_remove_by_asid(image->image, &ours);
}

static int read_code(uint8_t *buffer, size_t size, const struct tl_pt_asid *asid, uint64_t ip,
		     void *arg)
{
	const struct pt_image *image = arg;
	struct pt_asid user = { .size = sizeof(user), .cr3 = asid->cr3, .vmcs = asid->vmcs };

	return image->callback(buffer, size, &user, ip, image->context);
}

int pt_image_set_callback(struct pt_image *image, read_memory_callback_t *callback, void *context)
{
	if (!image)
		return -pte_invalid;
	image->callback = callback;
	image->context = context;
	return tl_pt_image_set_callback(image->image, callback ? read_code : NULL, image);
}
