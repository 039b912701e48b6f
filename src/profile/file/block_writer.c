/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/file/block_writer.h"

#include <stdlib.h>
#include <string.h>

#include "core/arithmetic.h"
#include "core/codecs/crc32.h"
#include "core/error.h"
#include "core/file.h"
#include "core/threads/in_order.h"
#include "core/memory.h"
#include "profile/file/rows.h"

struct tl_pfile_writer {
	struct tl_output *out;
	struct tl_zstd_blocks zstd;
	uint32_t events;
	int status; /* the first error */

	struct tl_pfile_row_block block; /* that is filled */
	struct tl_pfile_row_block sums;  /* the same of the section's sums */
	uint64_t *row;                   /* room for the longest one */
	uint64_t *sum;                   /* that may go on in the next block */
	bool has_sum;

	char *text; /* the string before */
	size_t text_size, text_room;
	size_t text_bytes; /* of all strings of the block */

	struct team *team; /* NULL: none was needed yet */

	uint32_t blocks;
	uint64_t counts[TL_PFILE_SECTIONS]; /* rows written */
	bool follows_contexts;              /* another writer has some */
};

/* ---- bytes ---- */

static void put16(uint8_t *to, uint32_t value)
{
	to[0] = (uint8_t)value;
	to[1] = (uint8_t)(value >> 8);
}

static void put32(uint8_t *to, uint32_t value)
{
	put16(to, value);
	put16(to + 2, value >> 16);
}

static void put64(uint8_t *to, uint64_t value)
{
	put32(to, (uint32_t)value);
	put32(to + 4, (uint32_t)(value >> 32));
}

static void put_file_header(struct tl_pfile_writer *w)
{
	uint8_t header[TL_PFILE_HEADER] = TL_PFILE_MAGIC;

	put32(header + 8, TL_PFILE_VERSION);
	put32(header + 12, tl_crc32(0, header, 12));
	tl_put_bytes(w->out, header, sizeof(header));
}

/* ---- blocks ---- */

static void fail(struct tl_pfile_writer *w, int status)
{
	w->status = w->status ? w->status : status;
}

/* A block that is packed. */
static void put_block(struct tl_pfile_writer *w, const struct tl_pfile_row_block *block)
{
	uint8_t header[TL_PFILE_BLOCK_HEADER] = TL_PFILE_BLOCK;

	header[4] = (uint8_t)block->section;
	header[5] = (uint8_t)block->codec;
	put16(header + 6, tl_min(block->fields, UINT16_MAX));
	put64(header + 8, w->counts[block->section]);
	put32(header + 16, block->rows);
	put32(header + 20, (uint32_t)block->used);
	put32(header + 24, (uint32_t)block->size);
	put32(header + 28, block->checksum);
	put32(header + 32, w->blocks++);
	put32(header + 36, tl_crc32(0, header, 36));
	tl_put_bytes(w->out, header, sizeof(header));
	tl_output_write(w->out, block->data, block->size);
	w->counts[block->section] += block->rows;
}

/* Put a block with rows, and begin the next one. */
static void end_block(struct tl_pfile_writer *w, struct tl_pfile_row_block *block)
{
	if (block->rows && !w->status)
		fail(w, tl_pfile_row_block_pack(block, &w->zstd));
	if (block->rows && !w->status)
		put_block(w, block);
	tl_pfile_row_block_clear(block);
}

static void write_sum(struct tl_pfile_writer *w)
{
	if (!w->has_sum)
		return;
	fail(w, tl_pfile_row_block_add(&w->sums, w->sum, w->sums.fields));
	if (w->sums.rows >= w->sums.most)
		end_block(w, &w->sums);
	w->has_sum = false;
}

/* Sums of a block that was put: the last one may go on in the next block. */
static void take_sums(struct tl_pfile_writer *w, const struct tl_pfile_row_block *block)
{
	for (size_t i = 0; i < block->sum_count; i++) {
		const uint64_t *sum = block->sums + i * block->sum_fields;

		if (w->has_sum && tl_pfile_sum_add(w->sum, sum, block->sum_keys, block->sum_fields,
						   block->section == TL_PFILE_ARCS))
			continue;
		write_sum(w);
		memcpy(w->sum, sum, block->sum_fields * sizeof(*sum));
		w->has_sum = true;
	}
}

/* End the present block; the next one of the section begins without a row before it. */
static void flush(struct tl_pfile_writer *w)
{
	if (w->block.rows && !w->status)
		fail(w, tl_pfile_row_block_pack(&w->block, &w->zstd));
	if (w->block.rows && !w->status) {
		put_block(w, &w->block);
		take_sums(w, &w->block);
	}
	tl_pfile_row_block_clear(&w->block);
	w->text_size = w->text_bytes = 0;
}

static void end_section(struct tl_pfile_writer *w)
{
	flush(w);
	write_sum(w);
	end_block(w, &w->sums);
}

/* ---- the writer ---- */

/* The most fields that a row of any section has. */
static size_t most_fields(uint32_t events)
{
	size_t most = 0;

	for (unsigned section = 1; section < TL_PFILE_SECTIONS; section++)
		if (tl_pfile_fields(section, events) > most)
			most = tl_pfile_fields(section, events);
	return most;
}

int tl_pfile_writer_open(struct tl_pfile_writer **writer, struct tl_output *out, uint32_t events,
			 struct tl_error *err)
{
	struct tl_pfile_writer *w = calloc(1, sizeof(*w));

	*writer = w;
	if (!w)
		return tl_error_memory(err);
	w->out = out;
	w->events = events;
	w->row = calloc(most_fields(events), sizeof(*w->row));
	w->sum = calloc(most_fields(events), sizeof(*w->sum));
	if (!w->row || !w->sum || !tl_pfile_row_block_begin(&w->block, 0, events, false) ||
	    !tl_pfile_row_block_begin(&w->sums, 0, events, false)) {
		tl_pfile_writer_close(w);
		*writer = NULL;
		return tl_error_memory(err);
	}
	put_file_header(w);
	return 0;
}

void tl_pfile_begin(struct tl_pfile_writer *w, enum tl_pfile_section section)
{
	enum tl_pfile_section summed = tl_pfile_sums(section);
	bool sums;

	end_section(w);
	/* Tables of a profile with contexts come from these. */
	sums = summed != TL_PFILE_SECTIONS && !w->counts[TL_PFILE_CONTEXTS] && !w->follows_contexts;
	if (!tl_pfile_row_block_begin(&w->block, section, w->events, sums) ||
	    (sums && !tl_pfile_row_block_begin(&w->sums, summed, w->events, false)))
		fail(w, TL_NO_MEMORY);
}

void tl_pfile_write_row(struct tl_pfile_writer *w, const uint64_t *row)
{
	if (w->status)
		return;
	if (w->block.rows >= w->block.most)
		flush(w);
	fail(w, tl_pfile_row_block_add(&w->block, row, w->block.fields));
}

/* ---- rows made by several threads ---- */

/* Blocks that are made and not put yet: so many for each thread, so that the cache has them. */
enum { TEAM_BLOCKS = 32, TEAM_MOST = 32, BLOCKS_A_THREAD = 3 };

struct worker {
	struct tl_zstd_blocks zstd;
	uint64_t *row;
};

struct team {
	struct tl_pfile_row_block blocks[TEAM_BLOCKS];
	struct worker workers[TEAM_MOST];
	unsigned jobs;
	size_t ahead; /* of the blocks, so many are used */
	struct tl_pfile_writer *writer;
	size_t first; /* row of the first block */
	tl_pfile_fill_fn *fill;
	const void *arg;
};

static int make_block(void *arg, size_t task, unsigned number)
{
	struct team *team = arg;
	struct tl_pfile_row_block *block = &team->blocks[task % team->ahead];
	struct worker *worker = &team->workers[number];
	const size_t first = team->first + task * block->most;
	int status;

	tl_pfile_row_block_clear(block);
	status = team->fill(team->arg, block, first, first + block->most, worker->row);
	return status ? status : tl_pfile_row_block_pack(block, &worker->zstd);
}

static int put_made_block(void *arg, size_t task)
{
	const struct team *team = arg;
	const struct tl_pfile_row_block *block = &team->blocks[task % team->ahead];

	put_block(team->writer, block);
	take_sums(team->writer, block);
	return team->writer->status;
}

static void free_team(struct team *team)
{
	if (!team)
		return;
	for (unsigned i = 0; i < TEAM_MOST; i++) {
		tl_zstd_blocks_free(&team->workers[i].zstd);
		free(team->workers[i].row);
	}
	for (unsigned i = 0; i < TEAM_BLOCKS; i++)
		tl_pfile_row_block_free(&team->blocks[i]);
	free(team);
}

static struct team *make_team(const struct tl_pfile_writer *w, unsigned jobs)
{
	struct team *team = calloc(1, sizeof(*team));
	bool ok = team != NULL;

	if (!ok)
		return NULL;
	team->jobs = tl_min(jobs, TEAM_MOST);
	team->ahead = tl_min((size_t)team->jobs * BLOCKS_A_THREAD, (size_t)TEAM_BLOCKS);
	for (unsigned i = 0; i < team->jobs; i++) {
		team->workers[i].row = calloc(most_fields(w->events), sizeof(uint64_t));
		ok &= team->workers[i].row != NULL;
	}
	if (ok)
		return team;
	free_team(team);
	return NULL;
}

/* The team is kept with the memory of its blocks. False: the rows have to be made without one. */
static bool begin_team(struct tl_pfile_writer *w, unsigned jobs)
{
	bool ok;

	if (!w->team)
		w->team = make_team(w, jobs);
	ok = w->team != NULL;
	for (size_t i = 0; ok && i < w->team->ahead; i++)
		ok = tl_pfile_row_block_begin(&w->team->blocks[i], w->block.section, w->events,
					      w->block.sum_fields);
	return ok;
}

/* Rows from `first` to `end`, whole blocks. */
static void write_by_team(struct tl_pfile_writer *w, struct team *team, size_t first, size_t end)
{
	const struct tl_in_order tasks = {
		.jobs = team->jobs,
		.count = (end - first) / w->block.most,
		.ahead = team->ahead,
		.make = make_block,
		.put = put_made_block,
		.arg = team,
	};

	team->first = first;
	fail(w, tl_in_order_run(&tasks));
}

static void write_here(struct tl_pfile_writer *w, size_t first, size_t end, tl_pfile_fill_fn *fill,
		       const void *arg)
{
	for (size_t next; first < end && !w->status; first = next) {
		if (w->block.rows >= w->block.most)
			flush(w);
		next = tl_min(first + w->block.most - w->block.rows, end);
		if (!w->status)
			fail(w, fill(arg, &w->block, first, next, w->row));
	}
}

void tl_pfile_write_blocks(struct tl_pfile_writer *w, size_t count, tl_pfile_fill_fn *fill,
			   const void *arg, unsigned jobs)
{
	enum { WORTH = 4 }; /* blocks, for which threads are worth their start */
	const size_t most = w->block.most, head = w->block.rows ? most - w->block.rows : 0;
	size_t first = 0;

	if (jobs > 1 && count >= head + WORTH * most && begin_team(w, jobs)) {
		/* The present block becomes full; what is no whole block begins the next one. */
		write_here(w, 0, head, fill, arg);
		flush(w);
		w->team->writer = w;
		w->team->fill = fill;
		w->team->arg = arg;
		first = head + (count - head) / most * most;
		write_by_team(w, w->team, head, first);
	}
	write_here(w, first, count, fill, arg);
}

struct made_rows {
	tl_pfile_make_row_fn *make;
	const void *arg;
};

static int fill_made(const void *arg, struct tl_pfile_row_block *block, size_t first, size_t end,
		     uint64_t *row)
{
	const struct made_rows *rows = arg;
	int status = 0;

	for (size_t i = first; status == 0 && i < end; i++) {
		const uint8_t *costs = NULL;
		const uint32_t used = rows->make(rows->arg, i, row, &costs);

		status = costs ? tl_pfile_row_block_add_coded(block, row, costs, used)
			       : tl_pfile_row_block_add(block, row, used);
	}
	return status;
}

void tl_pfile_write_rows(struct tl_pfile_writer *w, size_t count, tl_pfile_make_row_fn *make,
			 const void *arg, unsigned jobs)
{
	const struct made_rows rows = { make, arg };

	tl_pfile_write_blocks(w, count, fill_made, &rows, jobs);
}

static int fill_order(const void *order, struct tl_pfile_row_block *block, size_t first, size_t end,
		      uint64_t *row)
{
	(void)row;
	return tl_pfile_row_block_add_order(block, order, first, end - first);
}

void tl_pfile_write_order(struct tl_pfile_writer *w, const uint32_t *order, size_t count,
			  unsigned jobs)
{
	tl_pfile_write_blocks(w, count, fill_order, order, jobs);
}

uint32_t tl_pfile_block_rows(const struct tl_pfile_writer *w)
{
	return w->block.most;
}

/* ---- strings ---- */

static size_t shared_prefix(const char *a, size_t a_size, const char *b, size_t b_size)
{
	size_t most = tl_min(a_size, b_size), same = 0;

	while (same < most && a[same] == b[same])
		same++;
	return same;
}

void tl_pfile_write_string(struct tl_pfile_writer *w, const char *text, size_t size)
{
	enum { NUMBERS = 20 }; /* bytes of two numbers */
	uint8_t *to;
	size_t same;

	if (w->status)
		return;
	if (w->text_bytes > TL_PFILE_TEXT_BYTES || w->block.used >= TL_PFILE_BLOCK_BYTES)
		flush(w);
	if (size > TL_PFILE_BLOCK_MOST - TL_PFILE_BLOCK_BYTES - NUMBERS) {
		fail(w, TL_TOO_LARGE);
		return;
	}
	to = tl_pfile_row_block_room(&w->block, size + NUMBERS);
	if (!to || !tl_grow(&w->text, &w->text_room, size + 1, 1)) {
		fail(w, TL_NO_MEMORY);
		return;
	}
	same = shared_prefix(w->text, w->text_size, text, size);
	to = tl_put_varint(to, same);
	to = tl_put_varint(to, size - same);
	memcpy(to, text + same, size - same);
	memcpy(w->text + same, text + same, size - same);
	w->text_size = size;
	w->text_bytes += size + 1;
	w->block.used = (size_t)(to + size - same - w->block.raw);
	w->block.rows++;
}

static int error_of(const struct tl_pfile_writer *w, struct tl_error *err)
{
	if (w->status == TL_NO_MEMORY)
		return tl_error_memory(err);
	return tl_error_at(err, TL_TOO_LARGE, TL_NOWHERE,
			   "a name or header text has more than 15 MiB, which a profile file does "
			   "not hold");
}

int tl_pfile_writer_stop(struct tl_pfile_writer *w, struct tl_error *err)
{
	end_section(w);
	if (w->status)
		return error_of(w, err);
	return 0;
}

int tl_pfile_writer_end(struct tl_pfile_writer *w, struct tl_error *err)
{
	tl_pfile_begin(w, TL_PFILE_END);
	for (unsigned section = 0; section < TL_PFILE_SECTIONS; section++)
		tl_pfile_write_row(w, &w->counts[section]);
	flush(w);
	if (w->status)
		return error_of(w, err);
	return 0;
}

/* ---- sections of another writer ---- */

void tl_pfile_writer_follow(struct tl_pfile_writer *w, bool contexts)
{
	w->follows_contexts = contexts;
}

static uint32_t get32(const uint8_t *from)
{
	return from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 | (uint32_t)from[3] << 24;
}

/* A block as it stands in the other file, but for its number among all blocks. */
static void put_made(struct tl_pfile_writer *w, uint8_t *header, const void *data, size_t size)
{
	w->counts[header[4]] += get32(header + 16);
	put32(header + 32, w->blocks++);
	put32(header + 36, tl_crc32(0, header, 36));
	tl_put_bytes(w->out, header, TL_PFILE_BLOCK_HEADER);
	tl_output_write(w->out, data, size);
}

static int cannot_read(struct tl_error *err)
{
	return tl_error_system(err, "a temporary file cannot be read");
}

int tl_pfile_writer_append(struct tl_pfile_writer *w, int file, struct tl_error *err)
{
	uint8_t header[TL_PFILE_BLOCK_HEADER], *data = NULL;
	off_t at = TL_PFILE_HEADER;
	size_t room = 0;
	ssize_t got;
	int status = tl_pfile_writer_stop(w, err);

	while (status == 0 && (got = tl_file_read_at(file, header, sizeof(header), at)) != 0) {
		const size_t size = get32(header + 24);

		at += (off_t)sizeof(header);
		if (got != (ssize_t)sizeof(header))
			status = cannot_read(err);
		else if (!tl_grow(&data, &room, size, 1))
			status = tl_error_memory(err);
		else if (tl_file_read_at(file, data, size, at) != (ssize_t)size)
			status = cannot_read(err);
		else
			put_made(w, header, data, size);
		at += (off_t)size;
	}
	free(data);
	return status;
}

void tl_pfile_writer_close(struct tl_pfile_writer *w)
{
	if (!w)
		return;
	free_team(w->team);
	tl_zstd_blocks_free(&w->zstd);
	tl_pfile_row_block_free(&w->block);
	tl_pfile_row_block_free(&w->sums);
	free(w->row);
	free(w->sum);
	free(w->text);
	free(w);
}
