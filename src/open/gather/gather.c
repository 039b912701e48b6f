/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Profiles are kept as profile files: in memory while they are small, then in files without names.
 * When all are there, some at a time are merged into one, until one is left. That the result does
 * not depend on what was merged with what is a promise of tl_profile_merge(). Packed profiles are
 * kept as they are while that is possible (gather_packs.h), and what is wanted for all threads
 * together is added up before it is kept (gather_sums.h).
 */
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/file.h"
#include "core/memory.h"
#include "core/output.h"
#include "core/pool.h"
#include "core/sized.h"
#include "core/source.h"
#include "open/adapters/profile_file.h"
#include "open/gather/gather_packs.h"
#include "open/gather/gather_piece.h"
#include "open/gather/gather_sums.h"
#include "profile/file/file_read.h"
#include "profile/file/file_write.h"
#include "profile/kway/kway.h"
#include "profile/merge/merge.h"

/* Files that are merged at once, at most: each has a descriptor and a decompressor. */
enum { MOST_FILES = 128 };

struct tl_gather {
	struct tl_gather_options options;
	char *scratch;
	unsigned threads;
	struct tl_gather_piece *pieces; /* those before `first` were merged */
	size_t first, count, capacity;
	struct tl_gather_packs packs; /* while there are some, there are no pieces */
	struct tl_gather_sums sums;   /* not in pieces yet */
	size_t added;                 /* profiles */
	uint64_t held;                /* bytes of pieces in memory */
	bool has_clock;               /* some profile counts ticks, of this frequency */
	uint64_t frequency;
	bool had_contexts; /* some profile has call stacks */
	bool broken;       /* a merge failed, and what it was of is gone */
	struct tl_kway_result result;
};

/* ---- pieces ---- */

static int add_piece(struct tl_gather *g, struct tl_gather_piece piece, struct tl_error *err)
{
	if (!tl_grow(&g->pieces, &g->capacity, g->count + 1, sizeof(piece))) {
		tl_gather_piece_free(&piece);
		return tl_error_memory(err);
	}
	g->pieces[g->count++] = piece;
	g->held += piece.data ? piece.size : 0;
	return 0;
}

static int add_bytes(struct tl_gather *g, const void *data, size_t size, struct tl_error *err)
{
	struct tl_gather_piece piece = { .data = malloc(size + 1), .fd = -1, .size = size };

	if (!piece.data)
		return tl_error_memory(err);
	memcpy(piece.data, data, size);
	return add_piece(g, piece, err);
}

static void drop_pieces(struct tl_gather *g, size_t count)
{
	while (count--) {
		struct tl_gather_piece *piece = &g->pieces[g->first++];

		g->held -= piece->data ? piece->size : 0;
		tl_gather_piece_free(piece);
	}
}

/* ---- some into one ---- */

/* Pieces that are merged now. */
struct round {
	struct tl_gather_mapping mappings[MOST_FILES];
	struct tl_kway_piece files[MOST_FILES];
	struct tl_kway_piece *list[MOST_FILES];
	size_t count;
	bool stream; /* none of them has to be merged as a profile */

	/* Those that are opened at the same time, behind the others. */
	const struct tl_gather_piece *opening;
	bool usable[MOST_FILES];
	struct tl_error errors[MOST_FILES];
};

static void close_round(struct round *r)
{
	while (r->count--) {
		tl_kway_piece_close(&r->files[r->count]);
		tl_gather_unmap(&r->mappings[r->count]);
	}
	free(r);
}

static int open_one(void *arg, size_t task)
{
	struct round *r = arg;
	const size_t at = r->count + task;
	int status = tl_gather_map(&r->opening[task], &r->mappings[at], &r->errors[at]);

	r->list[at] = &r->files[at];
	if (status == 0)
		status = tl_kway_piece_open(&r->files[at], r->mappings[at].data,
					    r->mappings[at].size, &r->usable[at], &r->errors[at]);
	r->errors[at].status = status < 0 ? r->errors[at].status : 0;
	return status;
}

/* Some more, each by a thread. *memory: what merging them takes, about, on two threads twice. */
static int open_some(struct tl_gather *g, struct round *r, size_t count, uint64_t *memory,
		     struct tl_error *err)
{
	int status;

	r->opening = &g->pieces[g->first + r->count];
	status = tl_pool_run(g->threads, count, open_one, r);
	for (size_t end = r->count + count; r->count < end; r->count++) {
		const struct tl_error *error = &r->errors[r->count];

		if (status < 0 && error->status && err)
			*err = *error;
		if (status < 0 && error->status)
			err = NULL;
		r->stream = r->stream && r->usable[r->count];
		*memory += (g->threads > 1 ? 2 : 1) * tl_kway_piece_memory(&r->files[r->count]) +
			   r->mappings[r->count].size;
	}
	return status;
}

/*
 * As many of the waiting pieces as there is room for, two at least, and no more than it takes to
 * have `most` of them afterwards: what was merged before, behind the others, is better merged with
 * more of its kind.
 */
static int open_round(struct tl_gather *g, size_t most, struct round **round, struct tl_error *err)
{
	const size_t waiting = g->count - g->first;
	const size_t end = tl_min(waiting <= most ? waiting : waiting - most + 1, MOST_FILES);
	struct round *r = calloc(1, sizeof(*r));
	uint64_t memory = 0;
	int status = 0;

	*round = r;
	if (!r)
		return tl_error_memory(err);
	r->stream = true;
	while (status == 0 && r->count < end && (r->count < 2 || memory < g->options.memory))
		status = open_some(g, r, tl_min(g->threads, end - r->count), &memory, err);
	return status;
}

static int read_piece(const struct tl_gather_mapping *mapping,
		      const struct tl_pfile_read_options *options, struct tl_profile **profile,
		      struct tl_error *err)
{
	struct tl_pfile_reader reader;
	int status = tl_pfile_open(&reader, mapping->data, mapping->size, false, err);

	*profile = NULL;
	if (status == 0)
		status = tl_pfile_read(profile, &reader, options, err);
	tl_pfile_close(&reader);
	return status;
}

/* The same as profiles, where a stream is not exact: sums that may not fit, inherited events. */
static int merge_profiles(struct tl_gather *g, const struct round *r, struct tl_output *out,
			  struct tl_error *err)
{
	static const struct tl_pfile_read_options each_part = { .per_part = true };
	struct tl_profile *profiles[MOST_FILES] = { NULL }, *merged = NULL;
	int status = 0;

	for (size_t i = 0; status == 0 && i < r->count; i++) {
		status = read_piece(&r->mappings[i], &each_part, &profiles[i], err);
		if (status == 0)
			g->result.had_contexts |= tl_profile_context_count(profiles[i]) != 0;
	}
	if (status == 0)
		status = tl_profile_merge(&merged, (const struct tl_profile *const *)profiles,
					  r->count, err);
	if (status == 0)
		status = tl_pfile_write(merged, 1, out, err);
	if (status == 0) {
		g->result.losses = merged->losses;
		g->result.has_contexts = tl_profile_context_count(merged) != 0;
	}
	for (size_t i = 0; i < r->count; i++)
		tl_profile_free(profiles[i]);
	tl_profile_free(merged);
	return status;
}

static bool has_room(int fd, uint64_t size)
{
	struct statvfs disk;

	return fstatvfs(fd, &disk) || !disk.f_frsize || size / disk.f_frsize < disk.f_bavail;
}

/*
 * Where a second thread writes first: what is small needs no room on a disk. Negative: there is no
 * room, and one thread, which needs none, does all.
 */
static int make_spare(const struct tl_gather *g, const struct round *r)
{
	enum { IN_MEMORY = 32 << 20 };
	uint64_t size = 0;
	int spare;

	for (size_t i = 0; i < r->count; i++)
		size += r->mappings[i].size;
	if (size <= IN_MEMORY)
		return tl_file_make_in_memory();
	spare = tl_gather_make_file(g->scratch, NULL);
	if (spare < 0 || has_room(spare, size))
		return spare;
	close(spare);
	return -1;
}

static int merge_stream(struct tl_gather *g, const struct round *r, struct tl_output *out,
			struct tl_error *err)
{
	int spare = g->threads > 1 ? make_spare(g, r) : -1;
	int status = tl_kway_merge(r->list, r->count, spare, out, &g->result, err);

	if (spare >= 0)
		close(spare);
	return status;
}

static int merge_round(struct tl_gather *g, struct round *r, struct tl_output *out,
		       struct tl_error *err)
{
	int status;

	g->result = (struct tl_kway_result){ .has_contexts = false };
	if (r->stream && tl_kway_fits(r->list, r->count))
		status = merge_stream(g, r, out, err);
	else
		status = merge_profiles(g, r, out, err);
	g->had_contexts |= g->result.had_contexts;
	return status;
}

static int tell_broken(struct tl_error *err)
{
	return tl_error_at(err, TL_IO, TL_NOWHERE,
			   "what was gathered before is lost, as it could not be merged");
}

/* A round's result becomes a piece in a file without a name. */
static int spill_round(struct tl_gather *g, struct round *r, struct tl_error *err)
{
	struct tl_gather_piece piece = { .fd = tl_gather_make_file(g->scratch, err),
					 .merged = true };
	struct tl_output *out = NULL;
	int status = piece.fd < 0 ? piece.fd : tl_output_open_descriptor(&out, piece.fd, err);

	if (status == 0)
		status = merge_round(g, r, out, err);
	if (out) {
		int written = tl_output_commit(out, status < 0 ? NULL : err);

		status = status < 0 ? status : written;
	}
	if (status == 0)
		piece.size = (uint64_t)lseek(piece.fd, 0, SEEK_END);
	if (status == 0)
		return add_piece(g, piece, err);
	tl_gather_piece_free(&piece);
	return status;
}

/*
 * Merge some of the waiting pieces, so that not many more than `most` are left. Where these are
 * all, the result goes to `out` and *done is set; without `out` it becomes a piece.
 */
static int merge_some(struct tl_gather *g, size_t most, struct tl_output *out, bool *done,
		      struct tl_error *err)
{
	struct round *r = NULL;
	size_t count = 0;
	int status = g->broken ? tell_broken(err) : open_round(g, most, &r, err);

	if (g->broken || !r)
		return status;
	*done = g->first + r->count == g->count;
	if (status == 0)
		status = *done && out ? merge_round(g, r, out, err) : spill_round(g, r, err);
	count = r->count;
	close_round(r);
	drop_pieces(g, count);
	g->broken = status < 0;
	return status;
}

/* More in memory than there is room for: what waits becomes less. */
static int make_room(struct tl_gather *g, struct tl_error *err)
{
	bool done = false;
	int status = 0;

	while (status == 0 && !done && g->held > g->options.memory / 4)
		status = merge_some(g, 1, NULL, &done, err);
	return status;
}

/* ---- adding ---- */

/* What cannot be in the sum is refused at once, so that the caller knows which profile it is. */
static int check_clock(struct tl_gather *g, const struct tl_profile *profile, struct tl_error *err)
{
	if (!tl_profile_has_ticks(profile))
		return 0;
	if (g->has_clock && g->frequency != profile->frequency)
		return tl_merge_refuse_clock(err);
	g->has_clock = true;
	g->frequency = profile->frequency;
	return 0;
}

int tl_gather_clock(const struct tl_gather *g, uint64_t *frequency)
{
	if (g->has_clock)
		*frequency = g->frequency;
	return g->has_clock;
}

static int add_profile(struct tl_gather *g, const struct tl_profile *profile, struct tl_error *err)
{
	struct tl_output *out;
	const char *data;
	size_t size = 0;
	int status = make_room(g, err);

	if (status == 0)
		status = tl_output_open_memory(&out, err);
	if (status < 0)
		return status;
	status = tl_pfile_write_merged(profile, 1, out, err);
	if (status == 0 && tl_output_failed(out))
		status = tl_error_memory(err);
	data = tl_output_bytes(out, &size);
	if (status == 0)
		status = add_bytes(g, data, size, err);
	tl_output_discard(out);
	return status;
}

/* Packed profiles that were kept become pieces, since they cannot be merged with what comes. */
static int leave_packs(struct tl_gather *g, struct tl_error *err)
{
	int status = 0;

	for (size_t i = 0; status == 0 && i < g->packs.count; i++)
		status = add_profile(g, g->packs.list[i], err);
	g->broken |= status < 0;
	tl_gather_packs_free(&g->packs);
	return status;
}

/* A sum becomes a piece. What was in it is lost after a failure. */
static int leave_sum(struct tl_gather *g, struct tl_gather_sum *sum, struct tl_error *err)
{
	struct tl_profile *profile;
	int status = tl_gather_sum_take(sum, &profile, err);

	if (status == 0 && profile)
		status = add_profile(g, profile, err);
	tl_profile_free(profile);
	g->broken |= status < 0;
	return status;
}

static int leave_sums(struct tl_gather *g, struct tl_error *err)
{
	int status = 0;

	for (size_t i = 0; status == 0 && i < TL_GATHER_KINDS; i++)
		status = leave_sum(g, &g->sums.list[i], err);
	return status;
}

/* A sum may take half of the memory, so that it can be written in the other half. */
static int add_to_sum(struct tl_gather *g, const struct tl_profile *profile, struct tl_error *err)
{
	bool full;
	struct tl_gather_sum *sum =
		tl_gather_sums_choose(&g->sums, profile, g->options.memory / 2, &full);
	int status = full ? leave_sum(g, sum, err) : 0;

	if (status < 0)
		return status;
	status = tl_gather_sum_add(sum, profile, err);
	g->broken |= status < 0;
	return status;
}

int tl_gather_add(struct tl_gather *g, const struct tl_profile *profile, struct tl_error *err)
{
	int status = check_clock(g, profile, err);

	if (status == 0)
		status = leave_packs(g, err);
	if (status == 0)
		status = g->options.threads_together && tl_merge_has_sum(profile)
				 ? add_to_sum(g, profile, err)
				 : add_profile(g, profile, err);
	g->added += status == 0;
	g->had_contexts |= tl_profile_context_count(profile) != 0;
	return status;
}

int tl_gather_take(struct tl_gather *g, struct tl_profile **profile, struct tl_error *err)
{
	const uint64_t memory = g->options.memory + g->options.memory / 8;
	int status;

	if (!g->options.packed || g->first != g->count ||
	    !tl_gather_packs_fit(&g->packs, *profile, memory))
		return tl_gather_add(g, *profile, err);
	status = check_clock(g, *profile, err);
	if (status < 0)
		return status;
	if (!tl_gather_packs_keep(&g->packs, *profile))
		return tl_error_memory(err);
	*profile = NULL;
	g->added++;
	return 0;
}

int tl_gather_add_input(struct tl_gather *g, struct tl_input *input, struct tl_error *err)
{
	struct tl_gather_piece piece = { .fd = -1 };
	int status = tl_profile_file_streams(input, err);

	if (status > 0 && g->packs.count) {
		int left = leave_packs(g, err);

		status = left < 0 ? left : status;
	}
	if (status <= 0)
		return status;
	if (!input->source->mappable) { /* a pipe, which is read once */
		const uint8_t *data;
		size_t size;

		status = tl_source_map(input->source, &data, &size, err);
		if (status == 0)
			status = tl_gather_add_bytes(g, data, size, err);
		if (status < 0)
			return status;
		return 1;
	}
	piece.path = strdup(tl_source_name(input->source));
	if (!piece.path)
		return tl_error_memory(err);
	status = add_piece(g, piece, err);
	g->added += status == 0;
	if (status < 0)
		return status;
	return 1;
}

int tl_gather_add_bytes(struct tl_gather *g, const void *data, size_t size, struct tl_error *err)
{
	int status = leave_packs(g, err);

	if (status == 0)
		status = make_room(g, err);
	if (status == 0)
		status = add_bytes(g, data, size, err);
	g->added += status == 0;
	return status;
}

int tl_gather_add_written(struct tl_gather *g, int file, uint64_t offset, uint64_t size,
			  unsigned flags, struct tl_error *err)
{
	struct tl_gather_piece piece = { .offset = offset,
					 .size = size,
					 .merged = flags & TL_GATHER_SUM };
	int status = leave_packs(g, err);

	if (status < 0)
		return status;
	piece.fd = tl_file_copy(file);
	if (piece.fd < 0)
		return tl_error_system(err, "a descriptor cannot be copied");
	status = add_piece(g, piece, err);
	g->added += status == 0;
	g->had_contexts |= (flags & TL_GATHER_STACKS) != 0;
	return status;
}

size_t tl_gather_count(const struct tl_gather *g)
{
	return g->added;
}

/* ---- the sum ---- */

static int nothing_gathered(struct tl_error *err)
{
	return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE, "nothing to merge");
}

static void give_result(const struct tl_gather *g, struct tl_gathered *gathered, size_t size)
{
	const struct tl_gathered result = {
		.size = sizeof(result),
		.losses = g->result.losses,
		.flattened = g->had_contexts && !g->result.has_contexts,
	};

	tl_give(gathered, size, sizeof(result), &result, sizeof(result));
}

/* The sum of the packed profiles that were kept. */
static int sum_packs(struct tl_gather *g, struct tl_profile **profile, struct tl_gathered *gathered,
		     size_t size, struct tl_error *err)
{
	int status = tl_gather_packs_sum(&g->packs, profile, err);

	if (status < 0)
		return status;
	g->result = (struct tl_kway_result){ .losses = (*profile)->losses };
	give_result(g, gathered, size);
	return 0;
}

static int write_packs(struct tl_gather *g, struct tl_output *out, struct tl_gathered *gathered,
		       size_t size, struct tl_error *err)
{
	struct tl_profile *sum = NULL;
	int status = sum_packs(g, &sum, gathered, size, err);

	if (status == 0)
		status = tl_pfile_write_merged(sum, 1, out, err);
	tl_profile_free(sum);
	return status;
}

/* A sum that is all there is. */
static int write_sum(struct tl_gather *g, struct tl_gather_sum *sum, struct tl_output *out,
		     struct tl_gathered *gathered, size_t size, struct tl_error *err)
{
	struct tl_profile *profile;
	int status = tl_gather_sum_take(sum, &profile, err);

	if (status == 0)
		status = tl_pfile_write_merged(profile, 1, out, err);
	if (status == 0) {
		g->result =
			(struct tl_kway_result){ .losses = profile->losses, .has_contexts = true };
		give_result(g, gathered, size);
	}
	g->broken |= status < 0;
	tl_profile_free(profile);
	return status;
}

/* ---- one piece that is the sum ---- */

static bool is_single(const struct tl_gather *g)
{
	return g->count - g->first == 1 && g->pieces[g->first].merged && !g->broken;
}

/* What a merge of the one piece would tell. Its bytes have to be as they were written. */
static int take_result_of(struct tl_gather *g, const struct tl_gather_mapping *mapping,
			  struct tl_error *err)
{
	struct tl_pfile_reader reader;
	int status = tl_pfile_open(&reader, mapping->data, mapping->size, false, err);

	g->result = (struct tl_kway_result){ .has_contexts = false };
	if (status == 0)
		status = tl_pfile_read_losses(&reader, &g->result.losses, err);
	if (status == 0)
		status = tl_pfile_verify(&reader, g->threads, err);
	g->result.has_contexts = tl_pfile_has(&reader, TL_PFILE_CONTEXTS);
	g->had_contexts |= g->result.has_contexts;
	if (status == 0 && reader.fault_count)
		status = tl_error_at(err, TL_IO, TL_NOWHERE,
				     "a sum in a temporary file is not as it was written");
	tl_pfile_close(&reader);
	return status;
}

static int take_result(struct tl_gather *g, struct tl_error *err)
{
	struct tl_gather_mapping mapping;
	int status = tl_gather_map(&g->pieces[g->first], &mapping, err);

	if (status == 0)
		status = take_result_of(g, &mapping, err);
	tl_gather_unmap(&mapping);
	return status;
}

/* *size: of the bytes, if it is wanted. */
static int copy_piece(const struct tl_gather_piece *piece, struct tl_output *out, uint64_t *size,
		      struct tl_error *err)
{
	struct tl_gather_mapping mapping;
	int status = tl_gather_map(piece, &mapping, err);

	if (status == 0)
		tl_output_write(out, mapping.data, mapping.size);
	if (status == 0 && size)
		*size = mapping.size;
	tl_gather_unmap(&mapping);
	return status;
}

static int write_single(struct tl_gather *g, struct tl_output *out, struct tl_gathered *gathered,
			size_t size, struct tl_error *err)
{
	int status = take_result(g, err);

	if (status == 0)
		status = copy_piece(&g->pieces[g->first], out, NULL, err);
	if (status < 0)
		return status;
	drop_pieces(g, 1);
	give_result(g, gathered, size);
	return 0;
}

/* ---- for another gather ---- */

int tl_gather_reduce(struct tl_gather *g, size_t most, struct tl_error *err)
{
	int status = leave_packs(g, err);
	bool done = false;

	if (status == 0)
		status = leave_sums(g, err);
	while (status == 0 && g->count - g->first > most)
		status = merge_some(g, most, NULL, &done, err);
	return status;
}

static int write_pieces(const struct tl_gather *g, struct tl_output *out, uint64_t *sizes,
			struct tl_error *err)
{
	int status = 0;

	for (size_t i = g->first; status == 0 && i < g->count; i++)
		status = copy_piece(&g->pieces[i], out, &sizes[i - g->first], err);
	return status;
}

int tl_gather_pass(struct tl_gather *g, struct tl_output *out, struct tl_gather_passed *passed,
		   struct tl_error *err)
{
	int status = g->broken ? tell_broken(err) : tl_gather_reduce(g, SIZE_MAX, err);
	uint64_t *sizes = NULL;

	if (status < 0)
		return status;
	if (g->first == g->count)
		return nothing_gathered(err);
	sizes = tl_alloc_many(g->count - g->first, sizeof(*sizes));
	status = sizes ? write_pieces(g, out, sizes, err) : tl_error_memory(err);
	if (status < 0) {
		free(sizes);
		return status;
	}
	*passed = (struct tl_gather_passed){ sizeof(*passed), sizes, g->count - g->first,
					     g->had_contexts };
	drop_pieces(g, passed->count);
	return 0;
}

void tl_gather_threads(struct tl_gather *g, unsigned threads)
{
	g->threads = threads ? threads : 1;
}

/* ---- the sum of all ---- */

int tl_gather_write(struct tl_gather *g, struct tl_output *out, struct tl_gathered *gathered,
		    size_t size, struct tl_error *err)
{
	struct tl_gather_sum *only = tl_gather_sums_only(&g->sums);
	bool done = false;
	int status = 0;

	if (g->packs.count)
		return write_packs(g, out, gathered, size, err);
	if (only && g->first == g->count && !g->broken)
		return write_sum(g, only, out, gathered, size, err);
	status = leave_sums(g, err);
	if (status == 0 && g->first == g->count && !g->broken)
		return nothing_gathered(err);
	if (status == 0 && is_single(g))
		return write_single(g, out, gathered, size, err);
	while (status == 0 && !done)
		status = merge_some(g, MOST_FILES, out, &done, err);
	if (status == 0)
		give_result(g, gathered, size);
	return status;
}

int tl_gather_profile(struct tl_gather *g, struct tl_profile **profile,
		      struct tl_gathered *gathered, size_t size, struct tl_error *err)
{
	const struct tl_pfile_read_options options = { .per_part = g->options.per_thread,
						       .packed = g->options.packed };
	struct tl_gather_mapping mapping;
	bool done = false;
	int status = 0;

	*profile = NULL;
	if (g->packs.count)
		return sum_packs(g, profile, gathered, size, err);
	status = leave_sums(g, err);
	if (status == 0 && g->first == g->count && !g->broken)
		return nothing_gathered(err);
	done = status == 0 && is_single(g);
	if (done)
		status = take_result(g, err);
	while (status == 0 && !done)
		status = merge_some(g, MOST_FILES, NULL, &done, err);
	if (status < 0)
		return status;
	status = tl_gather_map(&g->pieces[g->first], &mapping, err);
	if (status == 0)
		status = read_piece(&mapping, &options, profile, err);
	tl_gather_unmap(&mapping);
	drop_pieces(g, 1);
	if (status == 0)
		give_result(g, gathered, size);
	return status;
}

/* ---- opening and closing ---- */

static const struct tl_gather_options defaults = { .size = sizeof(defaults) };

int tl_gather_open(struct tl_gather **gather, const struct tl_gather_options *options,
		   struct tl_error *err)
{
	enum { MEMORY = 256 << 20 };
	struct tl_gather *g = calloc(1, sizeof(*g));
	int status = tl_error_unless_made(g, err);

	*gather = NULL;
	if (!options)
		options = &defaults;
	if (status == 0)
		status = tl_take_options(&g->options, sizeof(g->options), sizeof(g->options),
					 options, options->size, err);
	if (status == 0 && g->options.scratch && !(g->scratch = strdup(g->options.scratch)))
		status = tl_error_memory(err);
	if (status < 0) {
		free(g);
		return status;
	}
	if (!g->options.memory)
		g->options.memory = MEMORY;
	g->threads = 1;
	*gather = g;
	return 0;
}

void tl_gather_close(struct tl_gather *g)
{
	if (!g)
		return;
	drop_pieces(g, g->count - g->first);
	tl_gather_packs_free(&g->packs);
	tl_gather_sums_free(&g->sums);
	free(g->pieces);
	free(g->scratch);
	free(g);
}
