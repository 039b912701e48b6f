/* SPDX-License-Identifier: Apache-2.0 */
/*
 * COMPRESSED and COMPRESSED2: pieces of one zstd stream of records. A record may begin in one
 * piece and end in the next (docs/formats/perf-data.md section 5).
 */
#include <zstd.h>

#include "perf_data/container/reader.h"
#include "core/error.h"

enum { WINDOW = 4 * TL_PERF_RECORD_MAX_BYTES };
/* Records of perf shrink by a factor of some tens; a larger factor is a decompression bomb. */
enum { MAX_RATIO = 512 };
#define FREE_BYTES (UINT64_C(1) << 30)

struct tl_perf_decompressor {
	ZSTD_DStream *stream;
	const uint8_t *in;
	size_t in_left;
	uint64_t offset; /* of the COMPRESSED record in the file */
	uint8_t *window; /* bytes [from, to) are decompressed and not yet returned */
	size_t from, to;
	uint64_t produced, stored;
	bool more;    /* the window is full: zstd may hold more output without new input */
	bool stopped; /* MAX_RATIO was exceeded */
};

static int open_stream(struct tl_perf_reader *r, struct tl_error *err)
{
	struct tl_perf_decompressor *e = calloc(1, sizeof(*e));

	if (!e)
		return tl_error_memory(err);
	r->decompressor = e;
	e->window = malloc(WINDOW);
	e->stream = e->window ? ZSTD_createDStream() : NULL;
	if (!e->stream) {
		tl_perf_decompress_free(r);
		return tl_error_memory(err);
	}
	return 0;
}

int tl_perf_decompress_feed(struct tl_perf_reader *r, const struct tl_perf_raw_record *raw,
			    struct tl_error *err)
{
	struct tl_perf_view v = tl_perf_view_of(r, raw->at + TL_PERF_RECORD_HEADER_BYTES,
						raw->size - TL_PERF_RECORD_HEADER_BYTES);
	struct tl_perf_decompressor *e;
	uint64_t size = tl_perf_view_left(&v);

	if (!r->decompressor && open_stream(r, err) < 0)
		return TL_NO_MEMORY;
	e = r->decompressor;
	if (raw->type == TL_PERF_COMPRESSED2) {
		if (!tl_perf_view_has(&v, 8))
			return tl_perf_rule_broken(r, TL_PERF_RULE_RECORD_SHORT, raw->offset,
						   raw->size, err);
		size = tl_perf_take64(&v);
		if (!tl_perf_view_has(&v, size))
			return tl_perf_rule_broken(r, TL_PERF_RULE_RECORD_CONTENT, raw->offset,
						   raw->size, err);
	}
	e->in = v.pos;
	e->in_left = (size_t)size;
	e->offset = raw->offset;
	e->stored += size;
	return 0;
}

/* Give the present zstd frame up: drop the partial record, and wait for another frame. */
static int give_up_frame(struct tl_perf_reader *r, enum tl_perf_rule rule, struct tl_error *err)
{
	struct tl_perf_decompressor *e = r->decompressor;
	const uint64_t lost = e->in_left;

	e->from = e->to = 0;
	e->in_left = 0;
	e->more = false;
	ZSTD_DCtx_reset(e->stream, ZSTD_reset_session_only);
	return tl_perf_rule_broken(r, rule, e->offset, lost, err);
}

/* Decompress as much as the window holds. 1: progress; 0: more input is needed; negative. */
static int fill_window(struct tl_perf_reader *r, struct tl_error *err)
{
	struct tl_perf_decompressor *e = r->decompressor;
	ZSTD_inBuffer in = { e->in, e->in_left, 0 };
	ZSTD_outBuffer out;
	size_t result;

	memmove(e->window, e->window + e->from, e->to - e->from);
	e->to -= e->from;
	e->from = 0;
	out = (ZSTD_outBuffer){ e->window + e->to, WINDOW - e->to, 0 };
	result = ZSTD_decompressStream(e->stream, &out, &in);
	if (ZSTD_isError(result))
		return give_up_frame(r, TL_PERF_RULE_ZSTD, err);
	e->in += in.pos;
	e->in_left -= in.pos;
	e->to += out.pos;
	e->produced += out.pos;
	e->more = out.pos == out.size;
	if (e->produced > FREE_BYTES && e->produced / MAX_RATIO > e->stored && !e->stopped) {
		e->stopped = true;
		return give_up_frame(r, TL_PERF_RULE_ZSTD_RATIO, err);
	}
	return out.pos || in.pos;
}

/* Take a whole record out of the window. 1; 0: there is none yet; negative. */
static int take_record(struct tl_perf_reader *r, struct tl_perf_raw_record *raw,
		       struct tl_error *err)
{
	struct tl_perf_decompressor *e = r->decompressor;
	struct tl_perf_view v = tl_perf_view_of(r, e->window + e->from, e->to - e->from);

	if (!tl_perf_view_has(&v, TL_PERF_RECORD_HEADER_BYTES))
		return 0;
	*raw = (struct tl_perf_raw_record){
		.at = v.pos,
		.offset = e->offset,
		.inside = e->produced - (e->to - e->from),
	};
	raw->type = tl_perf_take32(&v);
	tl_perf_take16(&v);
	raw->size = tl_perf_take16(&v);
	if (raw->size < TL_PERF_RECORD_HEADER_BYTES) {
		int status = give_up_frame(r, TL_PERF_RULE_RECORD_SIZE, err);

		return tl_error_or_end(status);
	}
	if (raw->size > e->to - e->from)
		return 0;
	e->from += raw->size;
	return 1;
}

int tl_perf_decompress_next(struct tl_perf_reader *r, struct tl_perf_raw_record *raw,
			    struct tl_error *err)
{
	struct tl_perf_decompressor *e = r->decompressor;

	for (;;) {
		int status = take_record(r, raw, err);

		if (status)
			return status;
		if (e->stopped || (!e->in_left && !e->more))
			return 0;
		status = fill_window(r, err);
		if (status < 0)
			return status;
		if (!status) {
			e->in_left = 0;
			e->more = false;
			return 0;
		}
	}
}

int tl_perf_decompress_end(struct tl_perf_reader *r, struct tl_error *err)
{
	struct tl_perf_decompressor *e = r->decompressor;
	const bool left = e->from != e->to;

	e->from = e->to = 0;
	if (!left)
		return 0;
	return tl_perf_rule_broken(r, TL_PERF_RULE_ZSTD_CUT, e->offset, 0, err);
}

void tl_perf_decompress_rewind(struct tl_perf_reader *r)
{
	struct tl_perf_decompressor *e = r->decompressor;

	if (!e)
		return;
	ZSTD_DCtx_reset(e->stream, ZSTD_reset_session_only);
	e->in_left = e->from = e->to = 0;
	e->produced = e->stored = 0;
	e->more = e->stopped = false;
}

void tl_perf_decompress_free(struct tl_perf_reader *r)
{
	struct tl_perf_decompressor *e = r->decompressor;

	if (!e)
		return;
	ZSTD_freeDStream(e->stream);
	free(e->window);
	free(e);
	r->decompressor = NULL;
}
