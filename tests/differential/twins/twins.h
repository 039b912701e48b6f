/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TWINS_H
#define TWINS_H
/*
 * Debian's libipt.so.2 and ours in one process, through the same published calls, side by side:
 * every status and every structure must be the same. What differs is printed, with the seed that
 * leads there.
 */
#include <intel-pt.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
#define FUNCTIONS(F) \
	F(pt_cpu_errata) F(pt_errstr) F(pt_pkt_alloc_decoder) F(pt_pkt_free_decoder) \
	F(pt_pkt_sync_forward) F(pt_pkt_sync_backward) F(pt_pkt_sync_set) F(pt_pkt_get_offset) \
	F(pt_pkt_get_sync_offset) F(pt_pkt_next) F(pt_qry_alloc_decoder) F(pt_qry_free_decoder) \
	F(pt_qry_sync_forward) F(pt_qry_sync_backward) F(pt_qry_sync_set) F(pt_qry_get_offset) \
	F(pt_qry_get_sync_offset) F(pt_qry_cond_branch) F(pt_qry_indirect_branch) \
	F(pt_qry_event) F(pt_qry_time) F(pt_qry_core_bus_ratio) F(pt_insn_alloc_decoder) \
	F(pt_insn_free_decoder) F(pt_insn_sync_forward) F(pt_insn_sync_backward) \
	F(pt_insn_sync_set) F(pt_insn_get_offset) F(pt_insn_get_sync_offset) \
	F(pt_insn_set_image) F(pt_insn_time) F(pt_insn_core_bus_ratio) F(pt_insn_asid) \
	F(pt_insn_next) F(pt_insn_event) F(pt_blk_alloc_decoder) F(pt_blk_free_decoder) \
	F(pt_blk_sync_forward) F(pt_blk_sync_backward) F(pt_blk_sync_set) F(pt_blk_get_offset) \
	F(pt_blk_get_sync_offset) F(pt_blk_set_image) F(pt_blk_time) F(pt_blk_core_bus_ratio) \
	F(pt_blk_asid) F(pt_blk_next) F(pt_blk_event) F(pt_image_alloc) F(pt_image_free) \
	F(pt_image_add_file) F(pt_image_add_cached) F(pt_image_copy) \
	F(pt_image_remove_by_filename) F(pt_image_remove_by_asid) F(pt_image_set_callback) \
	F(pt_iscache_alloc) F(pt_iscache_free) F(pt_iscache_add_file) F(pt_iscache_read) \
	F(pt_iscache_set_limit)
/* clang-format on */

struct api {
#define MEMBER(name) __typeof__(name) *name;
	FUNCTIONS(MEMBER)
#undef MEMBER
};

enum { OURS, THEIRS, BOTH };
extern struct api api[BOTH];

/* The same call to both: `dec` and `image` are pairs. */
#define CALL(name, dec, ...)                                                                       \
	(const int[BOTH])                                                                          \
	{                                                                                          \
		api[OURS].name((dec)[OURS], ##__VA_ARGS__),                                        \
			api[THEIRS].name((dec)[THEIRS], ##__VA_ARGS__)                             \
	}

/* ---- what is run ---- */

struct segment {
	uint64_t vaddr, offset, size;
};

struct scene {
	const char *name, *code; /* the file of code */
	uint8_t *trace;
	size_t size;
	struct segment segments[512];
	size_t segment_count;
	struct pt_config config;
	unsigned long seed;
	bool steady; /* the image stays as it is */
	bool damaged;
};

uint64_t chance(void);
bool one_in(unsigned n);
void begin_chances(unsigned long seed);

/* Print what differs; false if the statuses do. */
bool differ(const struct scene *scene, const char *what, int ours, int theirs);
bool differ_bytes(const struct scene *scene, const char *what, const void *ours, const void *theirs,
		  size_t size);
extern unsigned long compared;

/* ---- images (images.c) ---- */

enum { IMAGES = 3 };

struct images {
	struct pt_image *list[IMAGES][BOTH];
	struct pt_image_section_cache *cache[BOTH];
	struct pt_image *present[BOTH]; /* NULL: the decoder's own */
};

void images_open(struct images *images, const struct scene *scene);
void images_close(struct images *images);
/* Something happens to an image, perhaps the present one. True: another one is to be set. */
bool images_change(struct images *images, const struct scene *scene);

/* ---- what is compared ---- */

bool run_packets(const struct scene *scene);
bool run_queries(const struct scene *scene);
bool run_insns(const struct scene *scene);
bool run_blocks(const struct scene *scene);

#endif
