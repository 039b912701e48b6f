/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_INTEL_PT_CODE_INSN_READER_H
#define TL_INTEL_PT_CODE_INSN_READER_H
/*
 * Instructions of an image, as one address space sees it. Mapped sections are decoded in place; of
 * others some pages are kept, of callbacks a window of bytes. Each decoder has its own reader, so
 * that several can read one image.
 */
#include "core/tables/at_first.h"
#include "intel_pt/code/image.h"
#include "isa/x86/x86_flow.h"

enum { TL_PT_INSN_BYTES = 15, TL_PT_WINDOW = 4096, TL_PT_PAGES = 256 };
/* How many instructions a user of a reader keeps, by address; as a power of two. */
enum { TL_PT_REMEMBERED_BITS = TL_AT_FIRST(15, 6) };

/*
 * Pages of sections that are not mapped because of a cache's limit; each has one slot, by its
 * number.
 */
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

	struct tl_pt_region *view; /* by address, without overlaps */
	size_t count, capacity;

	/* `data`: bytes [begin, begin + size) of one region, which ends at `last`. */
	const uint8_t *data;
	uint64_t begin, size, last;
	const struct tl_pt_section *region; /* NULL: a callback's bytes */
	int isid;
	const struct tl_pt_section
		*section; /* the section that `data` maps; NULL: `data` is `window` or a page */
	const uint8_t *mapping;
	uint8_t window[TL_PT_WINDOW];
	struct tl_pt_pages *pages; /* allocated when first needed */
};

/* One instruction, and the section it is in. */
struct tl_pt_code {
	struct tl_x86_flow flow;
	int isid;
	const struct tl_pt_section *region;
	bool truncated; /* it ends in another region: its bytes are in `raw` */
	uint8_t raw[TL_PT_INSN_BYTES];
};

/* Read this image in this address space and mode from here on. 0, or -TL_PT_NOMEM. */
int tl_pt_reader_use(struct tl_pt_reader *reader, const struct tl_pt_image *image,
		     const struct tl_pt_asid *asid, enum tl_pt_exec_mode mode);
void tl_pt_reader_close(struct tl_pt_reader *reader);

/* Decode the instruction at `ip`. 0; -TL_PT_NOMAP, -TL_PT_BAD_INSN. */
int tl_pt_reader_insn(struct tl_pt_reader *reader, uint64_t ip, struct tl_pt_code *code);

/* Copy up to `size` bytes at `ip`, over regions. Returns their number. */
size_t tl_pt_reader_bytes(struct tl_pt_reader *reader, uint64_t ip, uint8_t *buffer, size_t size);

#endif
