/* SPDX-License-Identifier: Apache-2.0 */
/*
 * AUX data: chunks from AUXTRACE records and samples make streams, streams make ranges without gaps
 * (docs/formats/perf-data.md section 7).
 */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/arithmetic.h"
#include "core/source.h"
#include "perf_data/auxtrace/streams.h"
#include "perf_data/auxtrace/switch_scan.h"

/* ---- chunks ---- */

/* A linear search: there is one stream for each buffer of a processor or thread. */
static struct tl_perf_aux_stream *find_stream(struct tl_perf_aux_data *aux,
					      const struct tl_perf_aux_stream *like)
{
	for (size_t i = aux->stream_count; i; i--) {
		struct tl_perf_aux_stream *s = &aux->streams[i - 1];

		if (s->idx == like->idx && s->cpu == like->cpu && s->tid == like->tid &&
		    s->sampled == like->sampled)
			return s;
	}
	if (!tl_grow(&aux->streams, &aux->stream_capacity, aux->stream_count + 1,
		     sizeof(*aux->streams)))
		return NULL;
	aux->streams[aux->stream_count] = *like;
	return &aux->streams[aux->stream_count++];
}

static int add_piece(struct tl_perf_aux_data *aux, const struct tl_perf_aux_stream *like,
		     const struct tl_perf_aux_chunk *chunk, struct tl_error *err)
{
	struct tl_perf_aux_stream *s = find_stream(aux, like);

	if (!s || !tl_grow(&s->chunks, &s->capacity, s->count + 1, sizeof(*s->chunks)))
		return tl_error_memory(err);
	s->chunks[s->count++] = *chunk;
	return 0;
}

int tl_perf_add_aux_chunk(struct tl_perf_aux_data *aux, const struct tl_perf_record *rec,
			  struct tl_error *err)
{
	const struct tl_perf_aux_stream like = {
		.idx = rec->auxtrace.idx,
		.cpu = rec->auxtrace.cpu,
		.tid = rec->auxtrace.cpu == TL_PERF_NO_CPU ? rec->auxtrace.tid : 0,
		.snapshots = aux->info->snapshot_mode,
	};
	const struct tl_perf_aux_chunk chunk = {
		.at = (uint64_t)(rec->data - aux->reader->map),
		.size = rec->data_size,
		.offset = rec->auxtrace.offset,
	};

	if (!chunk.size)
		return 0;
	return add_piece(aux, &like, &chunk, err);
}

/* Decompressed bytes are gone with the next record: keep them in a temporary file. */
static int spool(struct tl_perf_aux_data *aux, const uint8_t *data, size_t size, uint64_t *at,
		 struct tl_error *err)
{
	if (aux->spool.fd < 0)
		aux->spool.fd = tl_open_unlinked(err);
	if (aux->spool.fd < 0)
		return aux->spool.fd;
	*at = aux->spool.size;
	aux->spool.size += size;
	while (size) {
		const ssize_t done = write(aux->spool.fd, data, size);

		if (done < 0 && errno != EINTR)
			return tl_error_system(err, "cannot write the temporary file");
		data += tl_max(0, done);
		size -= done < 0 ? 0 : (size_t)done;
	}
	return 0;
}

int tl_perf_add_sample_chunk(struct tl_perf_aux_data *aux, const struct tl_perf_record *rec,
			     struct tl_error *err)
{
	const bool per_cpu = rec->id.cpu != TL_NOWHERE && aux->info->per_cpu_mmaps;
	const struct tl_perf_aux_stream like = {
		.cpu = per_cpu ? (uint32_t)rec->id.cpu : TL_PERF_NO_CPU,
		.tid = per_cpu || rec->id.thread == TL_NOWHERE ? 0 : (uint32_t)rec->id.thread,
		.snapshots = true,
		.sampled = true,
	};
	struct tl_perf_aux_chunk chunk = { .size = rec->sample.aux_size,
					   .spooled = rec->inside != TL_NOWHERE };
	int status = 0;

	if (chunk.spooled)
		status = spool(aux, rec->sample.aux, (size_t)chunk.size, &chunk.at, err);
	else
		chunk.at = (uint64_t)(rec->sample.aux - aux->reader->map);
	if (status < 0)
		return status;
	return add_piece(aux, &like, &chunk, err);
}

int tl_perf_add_aux_loss(struct tl_perf_aux_data *aux, const struct tl_perf_record *rec,
			 uint64_t time_ns, struct tl_error *err)
{
	const uint64_t reported =
		TL_PERF_AUX_TRUNCATED | TL_PERF_AUX_PARTIAL | TL_PERF_AUX_COLLISION;
	const struct tl_perf_aux_loss mark = {
		.offset = rec->aux.offset + rec->aux.size,
		.time_ns = time_ns,
		.flags = rec->aux.flags,
		.cpu = (uint32_t)rec->id.cpu,
		.tid = (uint32_t)rec->id.thread,
	};

	if (!(rec->aux.flags & reported))
		return 0;
	if (!tl_grow(&aux->losses, &aux->loss_capacity, aux->loss_count + 1, sizeof(*aux->losses)))
		return tl_error_memory(err);
	aux->losses[aux->loss_count++] = mark;
	return 0;
}

/* ---- order ---- */

static int by_offset(const void *a, const void *b)
{
	const struct tl_perf_aux_chunk *x = a, *y = b;

	if (x->offset != y->offset)
		return tl_compare(x->offset, y->offset);
	return tl_compare(x->at, y->at);
}

/*
 * perf pads a chunk to a multiple of 8 bytes, so its end may be up to 7 bytes behind the beginning
 * of the next one. If chunks overlap by more, both have the same bytes. Either way the bytes of the
 * later chunk are used.
 */
static void trim_by_offset(struct tl_perf_aux_stream *s)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->count; i++) {
		struct tl_perf_aux_chunk *p = &s->chunks[i],
					 *last = kept ? &s->chunks[kept - 1] : NULL;

		if (last && p->offset - last->offset < last->size) {
			if (p->size <= last->offset + last->size - p->offset)
				continue;
			last->size = p->offset - last->offset;
		}
		p->follows = last && p->offset - last->offset == last->size;
		s->chunks[kept++] = *p;
	}
	s->count = kept;
}

static const uint8_t *chunk_data(const struct tl_perf_aux_data *aux,
				 const struct tl_perf_aux_chunk *p)
{
	return (p->spooled ? (const uint8_t *)aux->spool.map : aux->reader->map) + p->at;
}

/*
 * A snapshot is the content of the ring buffer at a time, the oldest byte first; the next one, `b`,
 * may repeat the end of the one before, `a`. The first PSB of `b` with the TSC behind it is
 * searched in `a`; from there to the end of `a` both must be equal. Returns how many bytes at the
 * beginning of `b` are in `a`.
 */
static size_t find_overlap(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size)
{
	enum { PATTERN = 32, TRIES = 64 }; /* a PSB, and TSC, TMA, CBR behind it */
	const uint8_t *psb = tl_pt_psb_forward(b, b + b_size);
	const uint8_t *from = a;

	if (!psb || (size_t)(b + b_size - psb) < PATTERN)
		return 0;
	for (int i = 0; i < TRIES && (size_t)(a + a_size - from) >= PATTERN; i++) {
		const uint8_t *same = memmem(from, (size_t)(a + a_size - from), psb, PATTERN);
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

static void trim_snapshots(const struct tl_perf_aux_data *aux, struct tl_perf_aux_stream *s)
{
	const uint8_t *last = NULL;
	size_t last_size = 0;
	uint64_t offset = 0;

	for (size_t i = 0; i < s->count; i++) {
		struct tl_perf_aux_chunk *p = &s->chunks[i];
		const uint8_t *data = chunk_data(aux, p);
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
	const struct tl_perf_aux_stream *x = a, *y = b;

	if (x->cpu != y->cpu)
		return tl_compare(x->cpu, y->cpu);
	if (x->tid != y->tid)
		return tl_compare(x->tid, y->tid);
	if (x->idx != y->idx)
		return tl_compare(x->idx, y->idx);
	return (int)x->sampled - (int)y->sampled;
}

static int map_spool(struct tl_perf_aux_data *aux, struct tl_error *err)
{
	void *map;

	if (!aux->spool.size)
		return 0;
	map = mmap(NULL, (size_t)aux->spool.size, PROT_READ, MAP_SHARED, aux->spool.fd, 0);
	if (map == MAP_FAILED)
		return tl_error_memory(err);
	aux->spool.map = map;
	return 0;
}

int tl_perf_sort_streams(struct tl_perf_aux_data *aux, struct tl_error *err)
{
	int status = map_spool(aux, err);

	if (status < 0)
		return status;
	if (aux->stream_count)
		qsort(aux->streams, aux->stream_count, sizeof(*aux->streams), by_buffer);
	for (size_t i = 0; i < aux->stream_count; i++) {
		struct tl_perf_aux_stream *s = &aux->streams[i];

		if (s->snapshots) {
			trim_snapshots(aux, s);
			continue;
		}
		if (s->count)
			qsort(s->chunks, s->count, sizeof(*s->chunks), by_offset);
		trim_by_offset(s);
	}
	return 0;
}

void tl_perf_aux_data_free(struct tl_perf_aux_data *aux)
{
	for (size_t i = 0; i < aux->stream_count; i++)
		free(aux->streams[i].chunks);
	free(aux->streams);
	free(aux->losses);
	if (aux->spool.map)
		munmap(aux->spool.map, (size_t)aux->spool.size);
	if (aux->spool.fd >= 0)
		close(aux->spool.fd);
}

/* ---- ranges ---- */

/* The first place in (from, to) where the buffer was full; TL_NOWHERE: none. */
static uint64_t next_cut(const struct tl_perf_aux_data *aux, const struct tl_perf_aux_stream *s,
			 uint64_t from, uint64_t to)
{
	uint64_t cut = TL_NOWHERE;

	if (s->snapshots)
		return cut;
	for (size_t i = 0; i < aux->loss_count; i++) {
		const struct tl_perf_aux_loss *m = &aux->losses[i];
		const bool mine = s->cpu == TL_PERF_NO_CPU ? m->tid == s->tid : m->cpu == s->cpu;

		if (mine && m->flags & TL_PERF_AUX_TRUNCATED && m->offset > from &&
		    m->offset < to && m->offset < cut)
			cut = m->offset;
	}
	return cut;
}

/* Chunks that follow each other, copied to one temporary file, which is mapped. */
static int join_chunks(const struct tl_perf_aux_data *aux, const struct tl_perf_aux_chunk *first,
		       const struct tl_perf_aux_chunk *last, struct tl_perf_aux_range *out,
		       struct tl_error *err)
{
	uint64_t size = 0, at = 0;
	uint8_t *map;
	int fd;

	for (const struct tl_perf_aux_chunk *p = first; p <= last; p++)
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
	for (const struct tl_perf_aux_chunk *p = first; p <= last; p++) {
		memcpy(map + at, chunk_data(aux, p), (size_t)p->size);
		at += p->size;
	}
	*out = (struct tl_perf_aux_range){ map,   (size_t)size, first->offset,
					   false, map,          (size_t)size };
	return 0;
}

void tl_perf_range_walk_close(struct tl_perf_range_walk *w)
{
	if (w->joined.mapped)
		munmap(w->joined.mapped, w->joined.mapped_size);
	w->joined = (struct tl_perf_aux_range){ .data = NULL };
}

static int open_chunks(const struct tl_perf_aux_data *aux, struct tl_perf_range_walk *w,
		       struct tl_error *err)
{
	const struct tl_perf_aux_stream *s = w->stream;
	const struct tl_perf_aux_chunk *first = &s->chunks[w->next_chunk], *last = first;

	while (last + 1 < s->chunks + s->count && last[1].follows)
		last++;
	tl_perf_range_walk_close(w);
	w->used = 0;
	w->gap = w->next_chunk > 0;
	w->next_chunk = (size_t)(last - s->chunks) + 1;
	if (first != last)
		return join_chunks(aux, first, last, &w->joined, err);
	w->joined = (struct tl_perf_aux_range){
		chunk_data(aux, first), (size_t)first->size, first->offset, false, NULL, 0
	};
	return 0;
}

/*
 * The part of the joined chunks up to the next place where the buffer was full. If tracing was off
 * before that place and begins again behind it, no control flow was lost: the range goes on.
 */
static void cut_range(const struct tl_perf_aux_data *aux, const struct tl_pt_config *config,
		      struct tl_perf_range_walk *w)
{
	const struct tl_perf_aux_range *all = &w->joined;
	const uint8_t *begin = all->data + w->used, *end = all->data + all->size, *at;
	uint64_t cut = all->offset + w->used;

	do {
		cut = next_cut(aux, w->stream, cut, all->offset + all->size);
		at = cut == TL_NOWHERE ? NULL : all->data + (cut - all->offset);
	} while (at && tl_perf_tracing_is_off(config, begin, at, end));
	w->range = (struct tl_perf_aux_range){
		.data = begin,
		.size = (size_t)((at ? at : end) - begin),
		.offset = all->offset + w->used,
		.gap = w->used || w->gap,
	};
	w->used += w->range.size;
}

int tl_perf_range_walk_next(const struct tl_perf_aux_data *aux, const struct tl_pt_config *config,
			    struct tl_perf_range_walk *w, struct tl_error *err)
{
	while (w->used >= w->joined.size) {
		int status;

		if (w->next_chunk >= w->stream->count)
			return 0;
		status = open_chunks(aux, w, err);
		if (status < 0)
			return status;
	}
	cut_range(aux, config, w);
	return 1;
}
