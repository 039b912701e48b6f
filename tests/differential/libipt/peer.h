/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_TEST_PEER_H
#define TL_TEST_PEER_H
/*
 * A program for libipt, compiled against the header of Debian's libipt-dev and run twice: with
 * Debian's libipt.so.2 and with ours. What it prints must be the same
 * (tests/differential/libipt.py).
 */
#include <intel-pt.h>

/* What a run works on: a trace, and the code it ran as NAME.map and NAME.img of the shared corpus,
 * or raw files. */
struct peer_input {
	uint8_t *trace;
	size_t size;
	const char *image; /* file; NULL: none */
	struct peer_section {
		uint64_t vaddr, size, offset;
	} sections[256];
	size_t sections_count;
	uint8_t *bytes; /* of the image file */
	size_t bytes_size;
};

/* How the image is given. */
enum peer_setup { PEER_CACHED, PEER_LIMITED, PEER_FILES, PEER_CALLBACK };

void peer_config(struct pt_config *config, const struct peer_input *input);
struct pt_image *peer_image(const struct peer_input *input, enum peer_setup setup,
			    struct pt_image_section_cache *cache);
int peer_read(uint8_t *buffer, size_t size, const struct pt_asid *asid, uint64_t ip, void *context);

/* A result: a number, or the name of an error. */
void peer_result(const char *what, int status);
void peer_event(const struct pt_event *event);

void peer_misuse(void);
void peer_errata(void);
void peer_images(const struct peer_input *input);
void peer_packets(const struct peer_input *input);
void peer_encode(const struct peer_input *input);
void peer_query(const struct peer_input *input);
void peer_insns(const struct peer_input *input, enum peer_setup setup);
void peer_blocks(const struct peer_input *input, enum peer_setup setup);

#endif
