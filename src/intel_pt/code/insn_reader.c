/* SPDX-License-Identifier: Apache-2.0 */
#include "intel_pt/code/insn_reader.h"

#include <stdlib.h>
#include <string.h>

#include "core/arithmetic.h"
#include "core/memory.h"

enum { CALLBACK_CHUNK = 256 };

static int by_address(const void *a, const void *b)
{
	const struct tl_pt_region *x = a, *y = b;

	return tl_compare(x->begin, y->begin);
}

/*
 * Regions that one address space sees do not overlap (image.c), unless it is TL_PT_ANY: then the
 * one that begins later wins.
 */
static void sort_view(struct tl_pt_reader *reader)
{
	if (!reader->count)
		return;
	qsort(reader->view, reader->count, sizeof(*reader->view), by_address);
	for (size_t i = 0; i + 1 < reader->count; i++)
		if (reader->view[i].last >= reader->view[i + 1].begin &&
		    reader->view[i].begin < reader->view[i + 1].begin)
			reader->view[i].last = reader->view[i + 1].begin - 1;
}

int tl_pt_reader_use(struct tl_pt_reader *reader, const struct tl_pt_image *image,
		     const struct tl_pt_asid *asid, enum tl_pt_exec_mode mode)
{
	reader->size = 0;
	/* At the address of a freed section there may be another one now. */
	if (reader->pages && (reader->image != image || reader->version != image->version))
		memset(reader->pages->tags, 0, sizeof(reader->pages->tags));
	reader->image = image;
	reader->version = image->version;
	reader->asid = *asid;
	if (reader->mode != mode || !reader->decoder.mask)
		tl_x86_flow_open(&reader->decoder, (enum tl_x86_mode)mode);
	reader->mode = mode;
	reader->count = 0;
	if (image->count &&
	    !tl_grow(&reader->view, &reader->capacity, image->count, sizeof(*reader->view)))
		return -TL_PT_NOMEM;
	for (size_t i = 0; i < image->count; i++)
		if (tl_pt_asid_matches(&image->regions[i].asid, asid))
			reader->view[reader->count++] = image->regions[i];
	sort_view(reader);
	return 0;
}

void tl_pt_reader_close(struct tl_pt_reader *reader)
{
	free(reader->view);
	free(reader->pages);
}

/* The first region of the view that ends at or behind `ip`; `count` if none does. */
static size_t find_region(const struct tl_pt_reader *reader, uint64_t ip)
{
	size_t low = 0, high = reader->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (reader->view[middle].last < ip)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * Set `data` to the page of a section that begins at `at`; it is read unless it is in its slot.
 * Returns the number of its bytes.
 */
static size_t load_page(struct tl_pt_reader *reader, const struct tl_pt_section *section,
			uint64_t at)
{
	size_t slot = (size_t)(at / TL_PT_WINDOW % TL_PT_PAGES);

	if (!reader->pages)
		reader->pages = calloc(1, sizeof(*reader->pages));
	if (!reader->pages) {
		reader->data = reader->window;
		return tl_pt_section_read(section, at, reader->window, TL_PT_WINDOW);
	}
	reader->data = reader->pages->bytes[slot];
	if (reader->pages->tags[slot].section != section || reader->pages->tags[slot].at != at) {
		reader->pages->tags[slot].section = section;
		reader->pages->tags[slot].at = at;
		reader->pages->tags[slot].size =
			tl_pt_section_read(section, at, reader->pages->bytes[slot], TL_PT_WINDOW);
	}
	return reader->pages->tags[slot].size;
}

static bool load_unmapped(struct tl_pt_reader *reader, const struct tl_pt_region *region,
			  uint64_t ip)
{
	uint64_t at = region->at + (ip - region->begin), into = at % TL_PT_WINDOW;
	uint64_t before = tl_min(into, ip - region->begin);
	size_t size = load_page(reader, region->section, at - into);

	/*
	 * Bytes before the region in its section may belong to another region at these addresses.
	 */
	reader->section = NULL;
	reader->data += into - before;
	reader->begin = ip - before;
	reader->size = size > into ? size - (into - before) : 0;
	if (reader->size > region->last - reader->begin)
		reader->size = region->last - reader->begin + 1;
	return reader->size != 0;
}

static bool load_section(struct tl_pt_reader *reader, const struct tl_pt_region *region,
			 uint64_t ip)
{
	const struct tl_pt_section *section = region->section;

	reader->isid = region->isid;
	reader->last = region->last;
	reader->region = section;
	if (section->data) {
		reader->section = section;
		reader->mapping = section->data;
		reader->data = section->data + region->at;
		reader->begin = region->begin;
		reader->size = region->last - region->begin + 1;
		return true;
	}
	return load_unmapped(reader, region, ip);
}

/*
 * A callback may refuse a whole chunk because of its last byte: then ask for less, so that no
 * instruction is lost.
 */
static bool load_callback(struct tl_pt_reader *reader, uint64_t last, uint64_t ip)
{
	size_t want = CALLBACK_CHUNK - (size_t)(ip % CALLBACK_CHUNK);
	int got = -1;

	reader->isid = 0;
	reader->last = last;
	reader->region = NULL;
	reader->section = NULL;
	reader->data = reader->window;
	reader->begin = ip;
	reader->size = 0;
	if (want > last - ip)
		want = (size_t)(last - ip) + 1;
	while (want && got <= 0) {
		got = reader->image->read(reader->window, want, &reader->asid, ip,
					  reader->image->read_arg);
		want = want > TL_PT_INSN_BYTES + 1 ? TL_PT_INSN_BYTES : want - 1;
	}
	if (got > 0)
		reader->size = (unsigned)got > sizeof(reader->window) ? sizeof(reader->window)
								      : (unsigned)got;
	return reader->size != 0;
}

/* Set `data` to bytes at `ip`. False: there are none. */
static bool load(struct tl_pt_reader *reader, uint64_t ip)
{
	size_t i = find_region(reader, ip);

	if (i < reader->count && reader->view[i].begin <= ip)
		return load_section(reader, &reader->view[i], ip);
	reader->size = 0;
	if (!reader->image->read)
		return false;
	return load_callback(reader, i < reader->count ? reader->view[i].begin - 1 : UINT64_MAX,
			     ip);
}

static bool at_hand(const struct tl_pt_reader *reader, uint64_t ip)
{
	/* The limit of a cache may have removed the mapping. */
	return ip - reader->begin < reader->size &&
	       (!reader->section || reader->section->data == reader->mapping);
}

size_t tl_pt_reader_bytes(struct tl_pt_reader *reader, uint64_t ip, uint8_t *buffer, size_t size)
{
	size_t have = 0;

	while (have < size && (at_hand(reader, ip + have) || load(reader, ip + have))) {
		uint64_t at = ip + have - reader->begin, left = reader->size - at;
		size_t take = left < size - have ? (size_t)left : size - have;

		memcpy(buffer + have, reader->data + at, take);
		have += take;
	}
	return have;
}

_Static_assert((int)TL_X86_OTHER == TL_PT_IC_OTHER && (int)TL_X86_PTWRITES == TL_PT_IC_PTWRITE &&
		       (int)TL_X86_64 == TL_PT_MODE_64,
	       "classes and modes have the same numbers");

static int decode(const struct tl_pt_reader *reader, const uint8_t *code, size_t size, uint64_t ip,
		  struct tl_x86_flow *flow)
{
	static const int results[] = {
		[TL_X86_CUT] = -TL_PT_NOMAP, [TL_X86_INVALID] = -TL_PT_BAD_INSN
	};

	return results[tl_x86_flow_decode(&reader->decoder, code, size, ip, flow)];
}

/* An instruction that does not end within `data`: gather its bytes, over regions if need be. */
static int gather(struct tl_pt_reader *reader, uint64_t ip, struct tl_pt_code *code)
{
	uint64_t left = reader->last - ip;
	size_t have = tl_pt_reader_bytes(reader, ip, code->raw, sizeof(code->raw));
	int status;

	if (!have)
		return -TL_PT_NOMAP;
	status = decode(reader, code->raw, have, ip, &code->flow);
	if (status < 0)
		return status;
	code->truncated = code->flow.size - 1u > left;
	return 0;
}

int tl_pt_reader_insn(struct tl_pt_reader *reader, uint64_t ip, struct tl_pt_code *code)
{
	uint64_t at, left;
	int status;

	if (!at_hand(reader, ip) && !load(reader, ip))
		return -TL_PT_NOMAP;
	code->isid = reader->isid;
	code->region = reader->region;
	code->truncated = false;
	at = ip - reader->begin;
	left = reader->size - at;
	if (left > TL_PT_INSN_BYTES)
		left = TL_PT_INSN_BYTES;
	status = decode(reader, reader->data + at, (size_t)left, ip, &code->flow);
	return status < 0 && left < TL_PT_INSN_BYTES ? gather(reader, ip, code) : status;
}
