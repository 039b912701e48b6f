/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PT_CODE_H
#define PT_CODE_H
/*
 * Code of a recorded program (.map, .img), and a walk of the tests' own over it: full decoding by
 * Zydis, no graph.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <Zydis/Zydis.h>

struct pt_bytes {
	uint8_t *data;
	size_t size;
};

struct pt_segment {
	uint64_t vaddr, size, offset;
};

/* What an address holds, decoded once. */
struct tl_pt_node_cache {
	uint64_t ip, target;
	uint8_t size;
	bool follow; /* goes to `target` without trace */
};

enum { PT_SEGMENTS = 8192, PT_KNOWN = 1 << 20 };

struct pt_code {
	struct pt_bytes image;
	struct pt_segment segments[PT_SEGMENTS];
	size_t count;
	struct tl_pt_node_cache *known;
	ZydisDecoder zydis;
};

/* Ends the program with a word. */
void pt_die(const char *what, const char *name);

/* A file, expanded if it is compressed. */
struct pt_bytes pt_load(const char *path);

void pt_code_open(struct pt_code *code, const char *map, const char *img);
void pt_code_close(struct pt_code *code);

size_t pt_code_bytes(const struct pt_code *code, uint64_t ip, uint8_t *buffer, size_t size);
/* NULL: no instruction there. */
const struct tl_pt_node_cache *pt_code_know(struct pt_code *code, uint64_t ip);

#endif
