/* SPDX-License-Identifier: Apache-2.0 */
/* Images in pairs, filled, emptied and exchanged by chance. */
#include "twins.h"

#include <fcntl.h>
#include <unistd.h>

static void add_all(struct images *images, unsigned i, const struct scene *scene, bool cached)
{
	for (size_t k = 0; k < scene->segment_count; k++) {
		const struct segment *s = &scene->segments[k];

		for (unsigned who = 0; who < BOTH; who++) {
			if (!cached) {
				api[who].pt_image_add_file(images->list[i][who], scene->code,
							   s->offset, s->size, NULL, s->vaddr);
				continue;
			}
			api[who].pt_image_add_cached(
				images->list[i][who], images->cache[who],
				api[who].pt_iscache_add_file(images->cache[who], scene->code,
							     s->offset, s->size, s->vaddr),
				NULL);
		}
	}
}

void images_open(struct images *images, const struct scene *scene)
{
	for (unsigned who = 0; who < BOTH; who++) {
		images->cache[who] = api[who].pt_iscache_alloc("twins");
		for (unsigned i = 0; i < IMAGES; i++)
			images->list[i][who] = api[who].pt_image_alloc("twins");
	}
	add_all(images, 0, scene, !one_in(3));
	memcpy(images->present, images->list[0], sizeof(images->present));
}

void images_close(struct images *images)
{
	for (unsigned who = 0; who < BOTH; who++) {
		for (unsigned i = 0; i < IMAGES; i++)
			api[who].pt_image_free(images->list[i][who]);
		api[who].pt_iscache_free(images->cache[who]);
	}
}

/* Code as a callback gives it: the same to both. */
static int read_code(uint8_t *buffer, size_t size, const struct pt_asid *asid, uint64_t ip,
		     void *context)
{
	const struct scene *scene = context;
	ssize_t got;
	int fd;

	(void)asid;
	for (size_t k = 0; k < scene->segment_count; k++) {
		const struct segment *s = &scene->segments[k];

		if (ip < s->vaddr || ip - s->vaddr >= s->size)
			continue;
		if (size > s->size - (ip - s->vaddr))
			size = (size_t)(s->size - (ip - s->vaddr));
		fd = open(scene->code, O_RDONLY | O_CLOEXEC);
		got = pread(fd, buffer, size, (off_t)(s->offset + (ip - s->vaddr)));
		close(fd);
		return got > 0 ? (int)got : -pte_nomap;
	}
	return -pte_nomap;
}

/* A part of a segment, at its place. */
static struct segment part(const struct scene *scene)
{
	struct segment s = scene->segments[chance() % scene->segment_count];
	uint64_t skip = one_in(2) ? 0 : chance() % s.size, left = s.size - skip;

	return (struct segment){ s.vaddr + skip, s.offset + skip,
				 one_in(2) ? left : 1 + chance() % left };
}

bool images_change(struct images *images, const struct scene *scene)
{
	unsigned i = (unsigned)(chance() % IMAGES), from = (unsigned)(chance() % IMAGES),
		 what = (unsigned)(chance() % 9);
	struct segment s = part(scene);
	int isid[BOTH];

	for (unsigned who = 0; who < BOTH; who++) {
		struct pt_image *image = images->list[i][who];

		switch (what) {
		case 0:
			api[who].pt_image_add_file(image, scene->code, s.offset, s.size, NULL,
						   s.vaddr);
			break;
		case 1:
			isid[who] = api[who].pt_iscache_add_file(images->cache[who], scene->code,
								 s.offset, s.size, s.vaddr);
			api[who].pt_image_add_cached(image, images->cache[who], isid[who], NULL);
			break;
		case 2:
			api[who].pt_image_copy(image, images->list[from][who]);
			break;
		case 3:
			api[who].pt_image_remove_by_filename(image, scene->code, NULL);
			break;
		case 4:
			api[who].pt_image_remove_by_asid(image, NULL);
			break;
		case 5:
			api[who].pt_image_set_callback(image, s.size & 1 ? read_code : NULL,
						       (void *)(uintptr_t)scene);
			break;
		case 6:
			images->present[who] = i ? image : NULL;
			break;
		default:
			images->present[who] = image;
			break;
		}
	}
	if (what >= 7)
		add_all(images, i, scene, what == 7);
	return what >= 6;
}
