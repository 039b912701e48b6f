/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_INTEL_PT_CODE_INSN_READER_H
#define TL_INTEL_PT_CODE_INSN_READER_H
/*
 * Instructions of an image, as one address space sees it. Mapped sections are decoded in place; of
 * others some pages are kept, for callbacks a window of bytes. Each decoder has its own reader, so
 * that an image may be read by several.
 */
#include "intel_pt/code/image.h"
#include "isa/x86/x86_flow.h"

enum { TL_PT_INSN_BYTES = 15, TL_PT_WINDOW = 4096, TL_PT_PAGES = 256 };

/* Pages of sections that a cache's limit keeps from being mapped: each at its place by number. */
struct tl_pt_pages {
	struct {
		const struct tl_pt_section *section; /* NULL: empty */
		uint64_t at;
		size_t size;
	} tags[TL_PT_PAGES];
	uint8_t bytes[TL_PT_PAGES][TL_PT_WINDOW];
};

struct tl_pt_reader {
	const struct tl_pt_image *image;
	uint64_t version;
	struct tl_pt_asid asid;
	struct tl_x86_flow_decoder decoder;
	enum tl_pt_exec_mode mode;

	struct tl_pt_region *view; /* by address, none over another */
	size_t count, capacity;

	/*
	 * What is at hand: bytes [begin, begin + size) of one region, which goes on up to `last`.
	 */
	const uint8_t *data;
	uint64_t begin, size, last;
	const struct tl_pt_section *region; /* NULL: the callback's */
	int isid;
	const struct tl_pt_section *section; /* whose mapping `data` is; NULL: the window */
	const uint8_t *mapping;
	uint8_t window[TL_PT_WINDOW];
	struct tl_pt_pages *pages; /* made when they are needed first */
};

/* One instruction and where it stands. */
struct tl_pt_code {
	struct tl_x86_flow flow;
	int isid;
	const struct tl_pt_section *region;
	bool truncated; /* it goes on in another region: `raw` */
	uint8_t raw[TL_PT_INSN_BYTES];
};

/* Read this image in this address space and mode from here on. 0, or -TL_PT_NOMEM. */
int tl_pt_reader_use(struct tl_pt_reader *reader, const struct tl_pt_image *image,
		     const struct tl_pt_asid *asid, enum tl_pt_exec_mode mode);
void tl_pt_reader_close(struct tl_pt_reader *reader);

/* The instruction at `ip`. 0; -TL_PT_NOMAP, -TL_PT_BAD_INSN. */
int tl_pt_reader_insn(struct tl_pt_reader *reader, uint64_t ip, struct tl_pt_code *code);

/* Up to `size` bytes at `ip`, over regions. How many. */
size_t tl_pt_reader_bytes(struct tl_pt_reader *reader, uint64_t ip, uint8_t *buffer, size_t size);

#endif
