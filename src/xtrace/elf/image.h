/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_IMAGE_H
#define TL_XTRACE_IMAGE_H
/*
 * The memory that a slice finds when it begins: what its loads saw before its stores, and its
 * instructions. Beside it the memory as it is now, so that a load that finds something else is
 * known: another thread, a device or, since the last system call, the kernel has written there.
 */
#include "xtrace/state/pages.h"

enum {
	TL_XTRACE_IMAGE_BYTES = 4096,
	TL_XTRACE_IMAGE_WORDS = TL_XTRACE_IMAGE_BYTES / 64, /* bitmaps */
	TL_XTRACE_IMAGE_CODE = TL_XTRACE_IMAGE_BYTES / 4,   /* instructions */
	/* A slice that touches more than a GiB is not for one program. */
	TL_XTRACE_IMAGE_MOST_PAGES = 1 << 18,
};

struct tl_xtrace_image_page {
	uint8_t first[TL_XTRACE_IMAGE_BYTES]; /* as the slice finds it */
	uint8_t now[TL_XTRACE_IMAGE_BYTES];
	/* A bit a byte: `now` holds it; it was loaded as data; it was stored. */
	uint64_t known[TL_XTRACE_IMAGE_WORDS], loaded[TL_XTRACE_IMAGE_WORDS],
		stored[TL_XTRACE_IMAGE_WORDS];
	/* `now` has a part of a signature, where the program stores the pointer without one */
	uint64_t bare[TL_XTRACE_IMAGE_WORDS];
	uint64_t touched[TL_XTRACE_IMAGE_WORDS]; /* since the system call number `call` */
	uint64_t call;
};

/* The instructions of a page. */
struct tl_xtrace_image_code {
	uint32_t site[TL_XTRACE_IMAGE_CODE]; /* number of its site + 1, 0: none */
	uint8_t kind[TL_XTRACE_IMAGE_CODE];  /* enum tl_xtrace_rewrite, 0: never executed */
	/* how often each thread executed each */
	uint64_t count[][TL_XTRACE_IMAGE_CODE];
};

/* A byte is not what it was; `by_call`: the last system call may have written it. False: stop. */
typedef bool tl_xtrace_changed_fn(void *arg, uint64_t address, uint8_t value, bool by_call);

struct tl_xtrace_image {
	struct tl_xtrace_pages pages, code;
	/* System calls so far; 0 with several threads, as it is not known of which one is seen. */
	uint64_t calls;
	tl_xtrace_changed_fn *changed;
	void *arg;
};

void tl_xtrace_image_begin(struct tl_xtrace_image *image, size_t threads,
			   tl_xtrace_changed_fn *changed, void *arg);
void tl_xtrace_image_free(struct tl_xtrace_image *image);

/* Addresses of user programs may have a tag in their highest byte. */
static inline uint64_t tl_xtrace_untagged(uint64_t address)
{
	return address >> 55 & 1 ? address : address & UINT64_MAX >> 8;
}

/* False: no memory, or too many pages. */
bool tl_xtrace_image_load(struct tl_xtrace_image *image, uint64_t address, const uint8_t *data,
			  size_t size);
bool tl_xtrace_image_store(struct tl_xtrace_image *image, uint64_t address, const uint8_t *data,
			   size_t size);
/*
 * The 8 bytes that were stored last at this address, a multiple of 8, are a signed pointer, and the
 * program stores it without its signature. A load of all of them needs nothing, as the program
 * takes signatures off; one of a part finds bytes that have changed, whether they are what is left
 * of the pointer or what the kernel wrote there. False: as above.
 */
bool tl_xtrace_image_bare(struct tl_xtrace_image *image, uint64_t address);
/* The page that an address is in; NULL as above. */
struct tl_xtrace_image_page *tl_xtrace_image_page(struct tl_xtrace_image *image, uint64_t address);
struct tl_xtrace_image_code *tl_xtrace_image_code(struct tl_xtrace_image *image, uint64_t address);

/* What an instruction that is executed finds in its four bytes. */
enum tl_xtrace_fetch {
	TL_XTRACE_FETCH_SAME,    /* as the slice found it */
	TL_XTRACE_FETCH_STORED,  /* as the slice stored it */
	TL_XTRACE_FETCH_CHANGED, /* as nobody in the slice stored it */
	TL_XTRACE_FETCH_FAILED,  /* no memory */
};

enum tl_xtrace_fetch tl_xtrace_image_fetch(struct tl_xtrace_image *image, uint64_t pc,
					   const uint8_t *opcode);

/* Whether one of the four bytes of an instruction has its bit in a bitmap of its page. */
static inline bool tl_xtrace_image_marked(const uint64_t *bits, uint64_t pc)
{
	uint64_t at = pc % TL_XTRACE_IMAGE_BYTES;

	return (bits[at / 64] >> at % 64 & 15) != 0;
}

#endif
