/* SPDX-License-Identifier: Apache-2.0 */
/* Images and section caches: names, overlaps, copies, removals, address spaces, and what is no
 * section. */
#include "peer.h"

#include <stdio.h>

#define SAY(call) peer_result(#call, call)

static void names(void)
{
	struct pt_image *image = pt_image_alloc(NULL), *named = pt_image_alloc("a name");
	struct pt_image_section_cache *cache = pt_iscache_alloc(NULL),
				      *known = pt_iscache_alloc("b name");

	printf("%s %s %s %s\n", pt_image_name(image) ? "name" : "none", pt_image_name(named),
	       pt_iscache_name(cache) ? "name" : "none", pt_iscache_name(known));
	printf("%d %d\n", !pt_image_name(NULL), !pt_iscache_name(NULL));
	pt_image_free(image);
	pt_image_free(named);
	pt_image_free(NULL);
	pt_iscache_free(cache);
	pt_iscache_free(known);
	pt_iscache_free(NULL);
}

static void misuse(const char *file)
{
	struct pt_image *image = pt_image_alloc("m");
	struct pt_image_section_cache *cache = pt_iscache_alloc("c");
	struct pt_asid asid = { .size = 0 };
	uint8_t byte;

	SAY(pt_image_add_file(NULL, file, 0, 16, NULL, 0x1000));
	SAY(pt_image_add_file(image, NULL, 0, 16, NULL, 0x1000));
	SAY(pt_image_add_file(image, "/nonexistent", 0, 16, NULL, 0x1000));
	SAY(pt_image_add_file(image, file, 0, 0, NULL, 0x1000));
	SAY(pt_image_add_file(image, file, 1ull << 40, 16, NULL, 0x1000));
	SAY(pt_image_add_file(image, file, 0, 16, &asid, 0x1000));
	SAY(pt_image_add_file(image, file, 0, 16, NULL, UINT64_MAX - 8));
	SAY(pt_image_add_cached(NULL, cache, 1, NULL));
	SAY(pt_image_add_cached(image, NULL, 1, NULL));
	SAY(pt_image_add_cached(image, cache, 0, NULL));
	SAY(pt_image_add_cached(image, cache, 1, NULL));
	SAY(pt_image_add_cached(image, cache, -1, NULL));
	SAY(pt_image_copy(NULL, image));
	SAY(pt_image_copy(image, NULL));
	SAY(pt_image_copy(image, image));
	SAY(pt_image_remove_by_filename(NULL, file, NULL));
	SAY(pt_image_remove_by_filename(image, NULL, NULL));
	SAY(pt_image_remove_by_asid(NULL, NULL));
	SAY(pt_image_remove_by_asid(image, NULL));
	SAY(pt_image_set_callback(NULL, NULL, NULL));
	SAY(pt_image_set_callback(image, NULL, NULL));
	SAY(pt_iscache_set_limit(NULL, 0));
	SAY(pt_iscache_set_limit(cache, 4096));
	SAY(pt_iscache_add_file(NULL, file, 0, 16, 0x1000));
	SAY(pt_iscache_add_file(cache, NULL, 0, 16, 0x1000));
	SAY(pt_iscache_add_file(cache, "/nonexistent", 0, 16, 0x1000));
	SAY(pt_iscache_add_file(cache, file, 0, 0, 0x1000));
	SAY(pt_iscache_add_file(cache, file, 1ull << 40, 16, 0x1000));
	SAY(pt_iscache_read(NULL, &byte, 1, 1, 0x1000));
	SAY(pt_iscache_read(cache, NULL, 1, 1, 0x1000));
	SAY(pt_iscache_read(cache, &byte, 0, 1, 0x1000));
	SAY(pt_iscache_read(cache, &byte, 1, 1, 0x1000));
	SAY(pt_iscache_read(cache, &byte, 1, -1, 0x1000));
	pt_image_free(image);
	pt_iscache_free(cache);
}

static void cached(const char *file)
{
	struct pt_image_section_cache *cache = pt_iscache_alloc("c");
	uint8_t bytes[64];
	int isid = pt_iscache_add_file(cache, file, 0, 32, 0x1000);

	peer_result("first", isid);
	SAY(pt_iscache_add_file(cache, file, 0, 32, 0x1000));
	SAY(pt_iscache_add_file(cache, file, 0, 32, 0x2000));
	SAY(pt_iscache_add_file(cache, file, 16, 32, 0x1000));
	SAY(pt_iscache_add_file(cache, file, 0, 1ull << 40, 0x1000));
	SAY(pt_iscache_read(cache, bytes, 8, isid, 0x1000));
	for (int i = 0; i < 8; i++)
		printf("%02x", bytes[i]);
	putchar('\n');
	SAY(pt_iscache_read(cache, bytes, 64, isid, 0x1010));
	SAY(pt_iscache_read(cache, bytes, 8, isid, 0x1020));
	SAY(pt_iscache_read(cache, bytes, 8, isid, 0xfff));
	SAY(pt_iscache_read(cache, bytes, 8, 99, 0x1000));
	pt_iscache_free(cache);
}

static void spaces(const char *file)
{
	struct pt_image *image = pt_image_alloc("i"), *copy = pt_image_alloc("copy");
	struct pt_image_section_cache *cache = pt_iscache_alloc("c");
	struct pt_asid one, two, any;

	pt_asid_init(&one);
	pt_asid_init(&two);
	pt_asid_init(&any);
	one.cr3 = 0x1000;
	two.cr3 = 0x2000;
	two.vmcs = 0x3000;
	SAY(pt_image_add_file(image, file, 0, 32, &one, 0x1000));
	SAY(pt_image_add_file(image, file, 0, 32, &two, 0x1000));
	SAY(pt_image_add_file(image, file, 0, 32, NULL, 0x4000));
	/* Cuts the one before it in three. */
	SAY(pt_image_add_file(image, file, 0, 8, NULL, 0x4008));
	SAY(pt_image_add_cached(image, cache, pt_iscache_add_file(cache, file, 0, 32, 0x8000),
				NULL));
	SAY(pt_image_copy(copy, image));
	SAY(pt_image_remove_by_asid(image, &one));
	SAY(pt_image_remove_by_asid(image, &one));
	SAY(pt_image_remove_by_filename(image, file, &two));
	SAY(pt_image_remove_by_filename(image, "/nonexistent", &any));
	SAY(pt_image_remove_by_filename(image, file, &any));
	SAY(pt_image_remove_by_asid(copy, &two));
	SAY(pt_image_remove_by_asid(copy, &any));
	SAY(pt_image_remove_by_asid(copy, NULL));
	pt_image_free(image);
	pt_image_free(copy);
	pt_iscache_free(cache);
}

void peer_images(const struct peer_input *input)
{
	names();
	misuse(input->image);
	cached(input->image);
	spaces(input->image);
}
