/* SPDX-License-Identifier: Apache-2.0 */
/* Opening a trace: its header, its dialect, the index of its blocks. */
#include "xray/records/reader.h"

#include <stdlib.h>

#include "core/error.h"
#include "core/sized.h"

/* ---- header ---- */

enum { LATER_VERSIONS = 32 };

static bool known_version(uint16_t version, uint16_t type)
{
	return version >= 1 && ((type == TL_XRAY_TYPE_FDR && version <= 5) ||
				(type == TL_XRAY_TYPE_BASIC && version <= 3));
}

/* The byte order follows from version and type alone (3.5). 1: little, 2: big, 0: neither. */
static int byte_order(const uint8_t *data)
{
	if (known_version(tl_get16s(data, TL_HOST_BIG_ENDIAN),
			  tl_get16s(data + 2, TL_HOST_BIG_ENDIAN)))
		return 1;
	if (known_version(tl_get16s(data, !TL_HOST_BIG_ENDIAN),
			  tl_get16s(data + 2, !TL_HOST_BIG_ENDIAN)))
		return 2;
	return 0;
}

static bool is_profiling(const uint8_t *data, bool *swap)
{
	*swap = tl_get64(data) == __builtin_bswap64(TL_XRAY_PROFILING_MAGIC);
	return *swap || tl_get64(data) == TL_XRAY_PROFILING_MAGIC;
}

/* Whether the header is of a later FDR version, so that the error can say so. */
static bool is_later_version(const uint8_t *data)
{
	for (int swap = 0; swap < 2; swap++)
		if (tl_get16s(data + 2, swap) == TL_XRAY_TYPE_FDR && tl_get16s(data, swap) > 5 &&
		    tl_get16s(data, swap) < LATER_VERSIONS)
			return true;
	return false;
}

int tl_xray_probe(const uint8_t *data, size_t size)
{
	bool swap;
	int order;

	if (size >= 8 && is_profiling(data, &swap))
		return 100;
	if (size < 4)
		return 0;
	order = byte_order(data);
	if (!order)
		return size >= TL_XRAY_HEADER_BYTES && is_later_version(data) ? 10 : 0;
	/*
	 * A basic-mode header has only four bytes to recognise it by, which other files may have as
	 * well.
	 */
	if (tl_get16s(data + 2, (order == 2) != TL_HOST_BIG_ENDIAN) == TL_XRAY_TYPE_FDR)
		return 90;
	return size >= TL_XRAY_HEADER_BYTES ? 50 : 20;
}

/* The first record shows where a big-endian producer begins its bit fields (3.4). */
static bool detect_high_bits(const struct tl_xray_reader *r)
{
	const uint8_t *p =
		r->size > TL_XRAY_HEADER_BYTES ? tl_xray_look(r, TL_XRAY_HEADER_BYTES, 1) : NULL;
	uint8_t first = p ? *p : 0;

	if (r->options.bit_order != TL_XRAY_BITS_DETECT)
		return r->options.bit_order == TL_XRAY_BITS_HIGH;
	return r->info.big_endian && (first == (0x80 | TL_XRAY_MD_BUFFER_EXTENTS) ||
				      first == (0x80 | TL_XRAY_MD_NEW_BUFFER));
}

static int profiling_header(struct tl_xray_reader *r, const uint8_t *p, bool swap,
			    struct tl_error *err)
{
	r->dialect = (struct tl_xray_dialect){ .mode = TL_XRAY_PROFILING, .swap = swap };
	r->info.mode = TL_XRAY_PROFILING;
	r->info.big_endian = swap != TL_HOST_BIG_ENDIAN;
	r->info.version = 1;
	r->info.timestamp = tl_get64s(p + 16, swap);
	r->info.process = (int32_t)tl_get64s(p + 24, swap);
	if (tl_get64s(p + 8, swap) != TL_XRAY_PROFILING_VERSION)
		return tl_error_at(err, TL_UNSUPPORTED, 8,
				   "an XRay profile of a version other than 0x20180424");
	return 0;
}

static int trace_header(struct tl_xray_reader *r, const uint8_t *p, struct tl_error *err)
{
	int order = byte_order(p);
	bool swap = (order == 2) != TL_HOST_BIG_ENDIAN;
	uint32_t flags;

	if (!order) {
		if (tl_get16s(p + 2, TL_HOST_BIG_ENDIAN) <= 1 ||
		    tl_get16s(p + 2, !TL_HOST_BIG_ENDIAN) <= 1)
			return tl_error_at(err, TL_UNSUPPORTED, 0,
					   "XRay version other than 1 to 5 (flight data recorder) "
					   "or 1 to 3 (basic mode)");
		return tl_error_at(err, TL_BAD_FORMAT, 2,
				   "not an XRay trace: its type is neither basic nor FDR");
	}
	flags = tl_get32s(p + 4, swap);
	r->info.version = tl_get16s(p, swap);
	r->info.mode = tl_get16s(p + 2, swap) == TL_XRAY_TYPE_FDR ? TL_XRAY_FDR : TL_XRAY_BASIC;
	r->info.big_endian = order == 2;
	r->info.constant_tsc = flags & 1;
	r->info.nonstop_tsc = flags & 2;
	r->info.frequency = tl_get64s(p + 8, swap);
	if (r->info.mode == TL_XRAY_FDR)
		r->info.buffer_size = tl_get64s(p + 16, swap);
	r->info.high_bits = r->info.mode == TL_XRAY_FDR && detect_high_bits(r);
	r->dialect = (struct tl_xray_dialect){
		.mode = r->info.mode,
		.version = r->info.version,
		.swap = swap,
		.high_bits = r->info.high_bits,
		.tid16 = r->options.tid16,
	};
	return 0;
}

static int read_header(struct tl_xray_reader *r, struct tl_error *err)
{
	const uint8_t *p;
	bool swap;
	int status;

	r->info.size = r->size;
	if (!r->size)
		return tl_error_at(err, TL_TRUNCATED, 0, "the file is empty");
	if (r->size < TL_XRAY_HEADER_BYTES)
		return tl_error_at(err, TL_TRUNCATED, r->size,
				   "the file ends inside its 32-byte header");
	p = tl_xray_look(r, 0, TL_XRAY_HEADER_BYTES);
	if (!p)
		return tl_error_memory(err);
	if (is_profiling(p, &swap))
		status = profiling_header(r, p, swap, err);
	else
		status = trace_header(r, p, err);
	if (status == 0 && r->size == TL_XRAY_HEADER_BYTES)
		return tl_error_at(err, TL_TRUNCATED, r->size,
				   "the file holds a header and no records");
	return status;
}

/* ---- opening ---- */

static int index_blocks(struct tl_xray_reader *r, struct tl_error *err)
{
	int status;

	if (r->info.mode == TL_XRAY_FDR)
		status = tl_xray_index_fdr(r, err);
	else if (r->info.mode == TL_XRAY_BASIC)
		status = tl_xray_index_basic(r, err);
	else
		status = tl_xray_index_profiling(r, err);
	if (status == 0 && !r->block_count)
		status = tl_error_at(err, TL_BAD_RECORD, TL_XRAY_HEADER_BYTES,
				     "no record could be found behind the header");
	if (status == 0)
		status = tl_xray_order_blocks(r, err);
	if (tl_xray_window_end(r, NULL) < 0)
		status = tl_error_memory(err);
	r->index_faults = r->faults;
	return status;
}

static int see_bytes(struct tl_xray_reader *r, struct tl_source *source, struct tl_error *err)
{
	int status = tl_source_map_or_view(source, &r->data, &r->size, err);

	if (status < 0 || r->data)
		return status;
	r->window = calloc(1, sizeof(*r->window));
	return r->window ? 0 : tl_error_memory(err);
}

int tl_xray_open(struct tl_xray_reader **reader, struct tl_source *source,
		 const struct tl_xray_options *options, struct tl_error *err)
{
	struct tl_xray_reader *r;
	int status;

	*reader = NULL;
	if (options && options->size < sizeof(*options))
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "the size of a struct tl_xray_options is too small");
	r = calloc(1, sizeof(*r));
	if (!r)
		return tl_error_memory(err);
	r->source = source;
	r->progress.source = source;
	if (options)
		tl_take(&r->options, sizeof(r->options), options, options->size);
	status = see_bytes(r, source, err);
	if (status == 0)
		status = read_header(r, err);
	if (status == 0)
		status = index_blocks(r, err);
	if (status < 0) {
		tl_xray_close(r);
		return tl_error_format(err, "xray", status);
	}
	*reader = r;
	return 0;
}

const struct tl_xray_info *tl_xray_info(const struct tl_xray_reader *reader)
{
	return &reader->info;
}

const struct tl_xray_fault *tl_xray_faults(const struct tl_xray_reader *reader, size_t *listed,
					   uint64_t *count, uint64_t *skipped_bytes)
{
	*listed = reader->faults.listed;
	*count = reader->faults.count;
	*skipped_bytes = reader->faults.skipped_bytes;
	return reader->faults.list;
}

void tl_xray_rewind(struct tl_xray_reader *reader)
{
	tl_xray_merge_free(reader->merge);
	reader->merge = NULL;
	reader->uses.count = 0;
	atomic_store(&reader->progress.done, 0);
	reader->faults.listed = reader->index_faults.listed;
	reader->faults.count = reader->index_faults.count;
	reader->faults.skipped_bytes = reader->index_faults.skipped_bytes;
}

void tl_xray_close(struct tl_xray_reader *reader)
{
	if (!reader)
		return;
	tl_xray_merge_free(reader->merge);
	if (reader->window)
		tl_source_view_end(&reader->window->view);
	free(reader->window);
	free(reader->blocks);
	free(reader->gaps.list);
	free(reader->order);
	free(reader->threads);
	free(reader->faults.list);
	free(reader->uses.list);
	free(reader);
}
