/* SPDX-License-Identifier: Apache-2.0 */
/*
 * AUX data: pieces, as AUXTRACE records and samples bring them, become streams, and these stretches
 * without gaps (docs/formats/perf-data.md section 7).
 */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/source.h"
#include "perf_data/trace.h"

/* ---- pieces ---- */

/* The streams are few: one for each buffer, that is, a processor or a thread. */
static struct perf_stream *find_stream(struct tl_perf_trace *t, const struct perf_stream *like)
{
	for (size_t i = t->stream_count; i; i--) {
		struct perf_stream *s = &t->streams[i - 1];

		if (s->idx == like->idx && s->cpu == like->cpu && s->tid == like->tid &&
		    s->sampled == like->sampled)
			return s;
	}
	if (!tl_grow(&t->streams, &t->stream_capacity, t->stream_count + 1, sizeof(*t->streams)))
		return NULL;
	t->streams[t->stream_count] = *like;
	return &t->streams[t->stream_count++];
}

static int add_piece(struct tl_perf_trace *t, const struct perf_stream *like,
		     const struct perf_piece *piece, struct tl_error *err)
{
	struct perf_stream *s = find_stream(t, like);

	if (!s || !tl_grow(&s->pieces, &s->capacity, s->count + 1, sizeof(*s->pieces)))
		return tl_error_memory(err);
	s->pieces[s->count++] = *piece;
	return 0;
}

int tl_perf_add_piece(struct tl_perf_trace *t, const struct tl_perf_record *rec,
		      struct tl_error *err)
{
	const struct perf_stream like = {
		.idx = rec->auxtrace.idx,
		.cpu = rec->auxtrace.cpu,
		.tid = rec->auxtrace.cpu == NO_CPU ? rec->auxtrace.tid : 0,
		.snapshots = t->info.snapshot_mode,
	};
	const struct perf_piece piece = {
		.at = (uint64_t)(rec->data - t->reader->map),
		.size = rec->data_size,
		.offset = rec->auxtrace.offset,
	};

	return piece.size ? add_piece(t, &like, &piece, err) : 0;
}

/* What was expanded is gone with the next record: it is written to a file of our own. */
static int spool(struct tl_perf_trace *t, const uint8_t *data, size_t size, uint64_t *at,
		 struct tl_error *err)
{
	if (t->spool < 0)
		t->spool = tl_open_unlinked(err);
	if (t->spool < 0)
		return t->spool;
	*at = t->spooled;
	t->spooled += size;
	while (size) {
		const ssize_t done = write(t->spool, data, size);

		if (done < 0 && errno != EINTR)
			return tl_error_system(err, "cannot write the temporary file");
		data += done < 0 ? 0 : done;
		size -= done < 0 ? 0 : (size_t)done;
	}
	return 0;
}

int tl_perf_add_sample_piece(struct tl_perf_trace *t, const struct tl_perf_record *rec,
			     struct tl_error *err)
{
	const bool per_cpu = rec->id.cpu != TL_NOWHERE && t->info.per_cpu_mmaps;
	const struct perf_stream like = {
		.cpu = per_cpu ? (uint32_t)rec->id.cpu : NO_CPU,
		.tid = per_cpu || rec->id.thread == TL_NOWHERE ? 0 : (uint32_t)rec->id.thread,
		.snapshots = true,
		.sampled = true,
	};
	struct perf_piece piece = { .size = rec->sample.aux_size,
				    .spooled = rec->inside != TL_NOWHERE };
	int status = 0;

	if (piece.spooled)
		status = spool(t, rec->sample.aux, (size_t)piece.size, &piece.at, err);
	else
		piece.at = (uint64_t)(rec->sample.aux - t->reader->map);
	return status < 0 ? status : add_piece(t, &like, &piece, err);
}

int tl_perf_add_mark(struct tl_perf_trace *t, const struct tl_perf_record *rec, uint64_t time_ns,
		     struct tl_error *err)
{
	const uint64_t told = TL_PERF_AUX_TRUNCATED | TL_PERF_AUX_PARTIAL | TL_PERF_AUX_COLLISION;
	const struct perf_mark mark = {
		.offset = rec->aux.offset + rec->aux.size,
		.time_ns = time_ns,
		.flags = rec->aux.flags,
		.cpu = (uint32_t)rec->id.cpu,
		.tid = (uint32_t)rec->id.thread,
	};

	if (!(rec->aux.flags & told))
		return 0;
	if (!tl_grow(&t->marks, &t->mark_capacity, t->mark_count + 1, sizeof(*t->marks)))
		return tl_error_memory(err);
	t->marks[t->mark_count++] = mark;
	return 0;
}

/* ---- order ---- */

static int by_offset(const void *a, const void *b)
{
	const struct perf_piece *x = a, *y = b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return x->at != y->at ? (x->at < y->at ? -1 : 1) : 0;
}

/*
 * perf fills the last word of a piece: its end may lie up to 7 bytes behind the next one's
 * beginning. Where pieces overlap by more, the bytes are the same, and are taken once.
 */
static void trim_by_offset(struct perf_stream *s)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->count; i++) {
		struct perf_piece *p = &s->pieces[i], *last = kept ? &s->pieces[kept - 1] : NULL;

		if (last && p->offset - last->offset < last->size) {
			if (p->size <= last->offset + last->size - p->offset)
				continue;
			last->size = p->offset - last->offset;
		}
		p->follows = last && p->offset - last->offset == last->size;
		s->pieces[kept++] = *p;
	}
	s->count = kept;
}

static const uint8_t *piece_data(const struct tl_perf_trace *t, const struct perf_piece *p)
{
	return (p->spooled ? (const uint8_t *)t->spool_map : t->reader->map) + p->at;
}

/*
 * Snapshots are what was in the ring when they were taken, the oldest bytes first. What the one
 * before it has, too, is found by a PSB of the later one, with the time behind it: from there to
 * its end the earlier one must be the same. Returns the bytes at the beginning of `b` that are in
 * `a`.
 */
static size_t find_overlap(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size)
{
	enum { TELLING = 32, TRIES = 64 }; /* a PSB, and what follows: TSC, TMA, CBR */
	const uint8_t *psb = tl_pt_psb_forward(b, b + b_size);
	const uint8_t *from = a;

	if (!psb || (size_t)(b + b_size - psb) < TELLING)
		return 0;
	for (int i = 0; i < TRIES && (size_t)(a + a_size - from) >= TELLING; i++) {
		const uint8_t *same = memmem(from, (size_t)(a + a_size - from), psb, TELLING);
		const size_t left = same ? (size_t)(a + a_size - same) : 0;
		const size_t before = (size_t)(psb - b);

		if (!same)
			return 0;
		if (left <= (size_t)(b + b_size - psb) && before <= (size_t)(same - a) &&
		    !memcmp(same, psb, left) && !memcmp(same - before, b, before))
			return before + left;
		from = same + 1;
	}
	return 0;
}

static void trim_snapshots(const struct tl_perf_trace *t, struct perf_stream *s)
{
	const uint8_t *last = NULL;
	size_t last_size = 0;
	uint64_t offset = 0;

	for (size_t i = 0; i < s->count; i++) {
		struct perf_piece *p = &s->pieces[i];
		const uint8_t *data = piece_data(t, p);
		const size_t size = (size_t)p->size;
		const size_t overlap = last ? find_overlap(last, last_size, data, size) : 0;

		p->at += overlap;
		p->size -= overlap;
		p->follows = overlap;
		p->offset = offset;
		offset += p->size;
		last = data;
		last_size = size;
	}
}

static int by_buffer(const void *a, const void *b)
{
	const struct perf_stream *x = a, *y = b;

	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return x->idx != y->idx ? (x->idx < y->idx ? -1 : 1) : (int)x->sampled - (int)y->sampled;
}

static int map_spool(struct tl_perf_trace *t, struct tl_error *err)
{
	void *map;

	if (!t->spooled)
		return 0;
	map = mmap(NULL, (size_t)t->spooled, PROT_READ, MAP_SHARED, t->spool, 0);
	if (map == MAP_FAILED)
		return tl_error_memory(err);
	t->spool_map = map;
	return 0;
}

int tl_perf_finish_streams(struct tl_perf_trace *t, struct tl_error *err)
{
	int status = map_spool(t, err);

	if (status < 0)
		return status;
	if (t->stream_count)
		qsort(t->streams, t->stream_count, sizeof(*t->streams), by_buffer);
	for (size_t i = 0; i < t->stream_count; i++) {
		struct perf_stream *s = &t->streams[i];

		if (s->snapshots) {
			trim_snapshots(t, s);
			continue;
		}
		qsort(s->pieces, s->count, sizeof(*s->pieces), by_offset);
		trim_by_offset(s);
	}
	return 0;
}

void tl_perf_streams_free(struct tl_perf_trace *t)
{
	for (size_t i = 0; i < t->stream_count; i++)
		free(t->streams[i].pieces);
	free(t->streams);
	free(t->marks);
	if (t->spool_map)
		munmap(t->spool_map, (size_t)t->spooled);
	if (t->spool >= 0)
		close(t->spool);
}

/* ---- stretches ---- */

/* Where trace is missing inside a piece, or at its end: the first such place behind `from`;
 * TL_NOWHERE: none. */
static uint64_t next_cut(const struct tl_perf_trace *t, const struct perf_stream *s, uint64_t from,
			 uint64_t to)
{
	uint64_t cut = TL_NOWHERE;

	if (s->snapshots)
		return cut;
	for (size_t i = 0; i < t->mark_count; i++) {
		const struct perf_mark *m = &t->marks[i];
		const bool mine = s->cpu == NO_CPU ? m->tid == s->tid : m->cpu == s->cpu;

		if (mine && m->flags & TL_PERF_AUX_TRUNCATED && m->offset > from &&
		    m->offset < to && m->offset < cut)
			cut = m->offset;
	}
	return cut;
}

/* Pieces at one address: written one after the other. */
static int gather_pieces(const struct tl_perf_trace *t, const struct perf_piece *first,
			 const struct perf_piece *last, struct perf_stretch *out,
			 struct tl_error *err)
{
	uint64_t size = 0, at = 0;
	uint8_t *map;
	int fd;

	for (const struct perf_piece *p = first; p <= last; p++)
		size += p->size;
	fd = tl_open_unlinked(err);
	if (fd < 0)
		return fd;
	if (ftruncate(fd, (off_t)size)) {
		close(fd);
		return tl_error_system(err, "cannot write the temporary file");
	}
	map = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (map == MAP_FAILED)
		return tl_error_memory(err);
	for (const struct perf_piece *p = first; p <= last; p++) {
		memcpy(map + at, piece_data(t, p), (size_t)p->size);
		at += p->size;
	}
	*out = (struct perf_stretch){ map, (size_t)size, first->offset, false, map, (size_t)size };
	return 0;
}

static int open_pieces(const struct tl_perf_trace *t, struct perf_walk *w, struct tl_error *err)
{
	const struct perf_stream *s = w->stream;
	const struct perf_piece *first = &s->pieces[w->piece], *last = first;

	while (last + 1 < s->pieces + s->count && last[1].follows)
		last++;
	tl_perf_stretch_close(&w->whole);
	w->used = 0;
	w->gap = w->piece > 0;
	w->piece = (size_t)(last - s->pieces) + 1;
	if (first != last)
		return gather_pieces(t, first, last, &w->whole, err);
	w->whole = (struct perf_stretch){
		piece_data(t, first), (size_t)first->size, first->offset, false, NULL, 0
	};
	return 0;
}

void tl_perf_stretch_close(struct perf_stretch *s)
{
	if (s->mapped)
		munmap(s->mapped, s->mapped_size);
	*s = (struct perf_stretch){ .data = NULL };
}

/*
 * The part of the gathered pieces up to the next place where the buffer was full. Where tracing had
 * been turned off before that place and is turned on or synchronised behind it, no flow is torn:
 * the stretch goes on.
 */
static void cut_stretch(const struct tl_perf_trace *t, struct perf_walk *w)
{
	const struct perf_stretch *all = &w->whole;
	const uint8_t *begin = all->data + w->used, *end = all->data + all->size, *at;
	uint64_t cut = all->offset + w->used;

	do {
		cut = next_cut(t, w->stream, cut, all->offset + all->size);
		at = cut == TL_NOWHERE ? NULL : all->data + (cut - all->offset);
	} while (at && tl_perf_scan_is_off(t, begin, at, end));
	w->stretch = (struct perf_stretch){
		.data = begin,
		.size = (size_t)((at ? at : end) - begin),
		.offset = all->offset + w->used,
		.gap = w->used || w->gap,
	};
	w->used += w->stretch.size;
}

int tl_perf_stretch_next(const struct tl_perf_trace *t, struct perf_walk *w, struct tl_error *err)
{
	while (w->used >= w->whole.size) {
		int status;

		if (w->piece >= w->stream->count)
			return 0;
		status = open_pieces(t, w, err);
		if (status < 0)
			return status;
	}
	cut_stretch(t, w);
	return 1;
}
