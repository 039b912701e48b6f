/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/file/row_block.h"

#include <stdlib.h>
#include <string.h>

#include "core/arithmetic.h"
#include "core/codecs/crc32.h"
#include "core/memory.h"
#include "profile/file/rows.h"

/* ---- sums ---- */

enum tl_pfile_section tl_pfile_sums(unsigned section)
{
	switch (section) {
	case TL_PFILE_LINES:
		return TL_PFILE_LINE_SUMS;
	case TL_PFILE_ARCS:
		return TL_PFILE_ARC_SUMS;
	default:
		return TL_PFILE_SECTIONS;
	}
}

/* The highest bit is set where a sum does not fit: a loop without branches, 13 events are usual. */
static uint64_t add_costs(uint64_t *to, const uint64_t *costs, uint32_t count)
{
	uint64_t over = 0;

	for (uint32_t i = 0; i < count; i++) {
		uint64_t sum = to[i] + costs[i];

		over |= (to[i] ^ sum) & (costs[i] ^ sum);
		to[i] = sum;
	}
	return over;
}

static void subtract(uint64_t *from, const uint64_t *values, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		from[i] -= values[i];
}

/* Add values, the first of which are calls where there are some. False: nothing was added. */
static bool add_values(uint64_t *to, const uint64_t *values, uint32_t count, bool calls)
{
	uint64_t over = add_costs(to + calls, values + calls, count - calls) >> 63;

	if (calls)
		over |= __builtin_add_overflow(to[0], values[0], &to[0]);
	if (over)
		subtract(to, values, count);
	return !over;
}

bool tl_pfile_sum_add(uint64_t *to, const uint64_t *sum, uint32_t keys, uint32_t fields, bool calls)
{
	if (memcmp(to, sum, keys * sizeof(*to)) != 0 ||
	    !add_values(to + keys + 1, sum + keys + 1, fields - keys - 1, calls))
		return false;
	to[keys] += sum[keys];
	return true;
}

static bool has_keys(const uint64_t *sum, const uint64_t *row, uint32_t keys)
{
	uint64_t differences = 0;

	for (uint32_t i = 0; i < keys; i++)
		differences |= sum[i] ^ row[i];
	return !differences;
}

static bool add_sum(struct tl_pfile_row_block *b, const uint64_t *row, uint32_t used)
{
	const uint32_t keys = b->sum_keys;
	uint64_t *sum = b->sums + b->sum_count * b->sum_fields;

	if (b->sum_count && has_keys(sum - b->sum_fields, row, keys) &&
	    add_values(sum - b->sum_fields + keys + 1, row + b->keys, used - b->keys,
		       b->section == TL_PFILE_ARCS)) {
		sum[(int64_t)keys - b->sum_fields]++;
		return true;
	}
	if (!tl_grow(&b->sums, &b->sum_room, (b->sum_count + 1) * b->sum_fields, sizeof(*b->sums)))
		return false;
	sum = b->sums + b->sum_count++ * b->sum_fields;
	memcpy(sum, row, keys * sizeof(*row));
	sum[keys] = 1;
	memcpy(sum + keys + 1, row + b->keys, (used - b->keys) * sizeof(*row));
	memset(sum + 1 + keys + used - b->keys, 0, (b->fields - used) * sizeof(*row));
	return true;
}

/* The sum that a row is added to, as another one of its rows: its costs. NULL without memory. */
static uint64_t *sum_of(struct tl_pfile_row_block *b, const uint64_t *row)
{
	const uint32_t keys = b->sum_keys;
	uint64_t *sum = b->sums + b->sum_count * b->sum_fields;

	if (b->sum_count && has_keys(sum - b->sum_fields, row, keys)) {
		sum -= b->sum_fields;
		sum[keys]++;
		return sum + keys + 1;
	}
	if (!tl_grow(&b->sums, &b->sum_room, (b->sum_count + 1) * b->sum_fields, sizeof(*b->sums)))
		return NULL;
	sum = b->sums + b->sum_count++ * b->sum_fields;
	memset(sum, 0, b->sum_fields * sizeof(*sum));
	memcpy(sum, row, keys * sizeof(*row));
	sum[keys] = 1;
	return sum + keys + 1;
}

/* ---- rows ---- */

bool tl_pfile_row_block_begin(struct tl_pfile_row_block *b, unsigned section, uint32_t events,
			      bool sums)
{
	enum tl_pfile_section summed = sums ? tl_pfile_sums(section) : TL_PFILE_SECTIONS;
	uint32_t fields = tl_pfile_fields(section, events);

	if (!tl_grow(&b->last, &b->last_room, (size_t)fields + 1, sizeof(*b->last)))
		return false;
	b->section = section;
	b->keys = tl_pfile_layouts[section].keys;
	b->fields = fields;
	b->most = fields ? tl_max(TL_PFILE_BLOCK_FIELDS / fields, 1u) : TL_PFILE_BLOCK_FIELDS;
	b->sum_fields = 0;
	if (summed != TL_PFILE_SECTIONS) {
		b->sum_fields = tl_pfile_fields(summed, events);
		b->sum_keys = tl_pfile_layouts[summed].keys;
	}
	tl_pfile_row_block_clear(b);
	return true;
}

void tl_pfile_row_block_clear(struct tl_pfile_row_block *b)
{
	b->rows = 0;
	b->used = 0;
	b->sum_count = 0;
	memset(b->last, 0, b->fields * sizeof(*b->last));
}

uint8_t *tl_pfile_row_block_room(struct tl_pfile_row_block *b, size_t size)
{
	if (b->capacity - b->used >= size)
		return b->raw + b->used;
	return tl_grow(&b->raw, &b->capacity, b->used + size, 1) ? b->raw + b->used : NULL;
}

int tl_pfile_row_block_add(struct tl_pfile_row_block *b, const uint64_t *row, uint32_t used)
{
	size_t size = tl_pfile_row_bytes(b->fields);
	uint8_t *to;

	if (size > TL_PFILE_BLOCK_MOST)
		return TL_TOO_LARGE;
	to = tl_pfile_row_block_room(b, size);
	if (!to || (b->sum_fields && !add_sum(b, row, used)))
		return TL_NO_MEMORY;
	b->used = (size_t)(tl_pfile_put_row(to, b->keys, used, b->last, row) - b->raw);
	b->rows++;
	return 0;
}

int tl_pfile_row_block_add_coded(struct tl_pfile_row_block *b, const uint64_t *row,
				 const uint8_t *costs, uint32_t count)
{
	size_t size = tl_pfile_row_bytes(b->fields);
	uint8_t *to;
	uint64_t *sums;

	if (size > TL_PFILE_BLOCK_MOST)
		return TL_TOO_LARGE;
	to = tl_pfile_row_block_room(b, size + TL_PFILE_SLACK);
	/* Where there are no sums, that of the row before is nobody's. */
	sums = b->sum_fields ? sum_of(b, row) : b->last + b->keys;
	if (!to || !sums)
		return TL_NO_MEMORY;
	b->used = (size_t)(tl_pfile_put_coded(to, b->last, row, costs, count, sums) - b->raw);
	b->rows++;
	return 0;
}

static bool copy_bytes(struct tl_pfile_row_block *b, const uint8_t *bytes, size_t size)
{
	uint8_t *to = tl_pfile_row_block_room(b, size);

	if (!to)
		return false;
	memcpy(to, bytes, size);
	b->used += size;
	return true;
}

int tl_pfile_row_block_copy(struct tl_pfile_row_block *b, const uint64_t *row, uint32_t used,
			    const uint8_t *bytes, size_t size)
{
	if (!copy_bytes(b, bytes, size) || (b->sum_fields && !add_sum(b, row, used)))
		return TL_NO_MEMORY;
	memcpy(b->last, row, b->keys * sizeof(*row));
	b->rows++;
	return 0;
}

int tl_pfile_row_block_copy_lines(struct tl_pfile_row_block *b, const uint64_t *last,
				  uint32_t count, const uint8_t *bytes, size_t size,
				  const uint64_t *costs)
{
	const uint32_t events = b->fields - b->keys;
	uint64_t *sum;

	if (!copy_bytes(b, bytes, size))
		return TL_NO_MEMORY;
	if (b->sum_fields) {
		sum = b->sums + (b->sum_count - 1) * b->sum_fields + b->sum_keys;
		sum[0] += count;
		for (uint32_t e = 0; e < events; e++)
			sum[1 + e] += costs[e];
	}
	memcpy(b->last, last, b->keys * sizeof(*last));
	b->rows += count;
	return 0;
}

int tl_pfile_row_block_add_order(struct tl_pfile_row_block *b, const uint32_t *order, size_t first,
				 size_t count)
{
	enum { ROWS = 1024 }; /* for which room is made at once */
	const size_t end = first + count;

	for (size_t next; first < end; first = next) {
		uint8_t *to = tl_pfile_row_block_room(b, (size_t)ROWS * TL_PFILE_ORDER_BYTES);

		if (!to)
			return TL_NO_MEMORY;
		next = tl_min(first + ROWS, end);
		to = tl_pfile_put_order(to, b->last, order, first, next - first);
		b->used = (size_t)(to - b->raw);
	}
	b->rows += (uint32_t)count;
	return 0;
}

int tl_pfile_row_block_pack(struct tl_pfile_row_block *b, struct tl_zstd_blocks *zstd)
{
	int status = TL_NO_MEMORY;

	b->data = b->raw;
	b->size = b->used;
	b->codec = TL_PFILE_STORED;
	if (tl_grow(&b->packed, &b->packed_room, tl_zstd_bound(b->used), 1))
		status = tl_zstd_pack(zstd, b->raw, b->used, b->packed, b->packed_room, &b->size);
	if (status < 0)
		return status;
	if (status) {
		b->data = b->packed;
		b->codec = TL_PFILE_ZSTD;
	} else {
		b->size = b->used;
	}
	b->checksum = tl_crc32(0, b->data, b->size);
	return 0;
}

void tl_pfile_row_block_free(struct tl_pfile_row_block *b)
{
	free(b->raw);
	free(b->last);
	free(b->sums);
	free(b->packed);
	*b = (struct tl_pfile_row_block){ 0 };
}
