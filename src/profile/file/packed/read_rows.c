/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of a block that stay as they are in a pack: they are looked at once, for where functions
 * begin and for their sums, and are of the one form that a writer gives them, so that it can copy
 * them. Rows of any other form are packed one by one (packed/read_items.c).
 */
#include <string.h>

#include "core/arithmetic.h"
#include "core/cursor.h"
#include "profile/file/reading.h"
#include "profile/file/rows.h"

/* Rows one behind the other that go to the same run, in the content of a block. */
struct tl_pfile_kept {
	struct tl_pack_rows rows; /* without `data` and `sums` */
	size_t begin;             /* in the content */
	uint64_t function, part;
	uint64_t calls, addresses, blocks;
};

enum {
	MORE = 1 << TL_PFILE_GROUP, /* another group follows */
	GROUP_BITS = MORE - 1,
	ARC_KEYS = 11,
	/* Sums of costs of one byte each, four in a word, of so many groups and rows. */
	LANE_GROUPS = 2,
	LANE_ROWS = 1024,
	LANE_BITS = 16,
	WORDS = 2,
};

struct lanes {
	uint64_t even, odd;
};

struct row_keeping {
	struct tl_pfile_packing *p;
	const uint8_t *begin, *end;
	enum tl_pack_kind kind;
	uint32_t events;
	uint64_t key[ARC_KEYS], before[ARC_KEYS]; /* of the present row; of that before its run */
	struct tl_pfile_kept *open; /* with the present row; NULL: it is not of the range */
	uint64_t *sums;             /* of these */
	uint64_t calls, addresses, blocks;
	struct lanes lanes[LANE_GROUPS];
	uint32_t lane_rows;
	bool ascending; /* the present row is behind the one before */
	bool behind;    /* a row is behind the range */
};

/* ---- numbers ---- */

/* NULL: it is not as short as it may be, or it is 0, which is left out. */
static inline const uint8_t *take_present(const uint8_t *from, uint64_t *value)
{
	uint64_t high;

	from = tl_pfile_take_few(from, value, &high);
	return high ? from : NULL;
}

/* A value, which is not negative. */
static inline const uint8_t *take_value(const uint8_t *from, uint64_t *value)
{
	from = take_present(from, value);
	if (!from || *value & 1 || *value >> (TL_PACK_ROW_BITS + 1))
		return NULL;
	*value >>= 1;
	return from;
}

/* Keys from `at` on, which `bits` say are others than those of the row before. */
static inline const uint8_t *take_keys(struct row_keeping *k, const uint8_t *from, unsigned bits,
				       uint32_t at)
{
	for (; bits && from; bits &= bits - 1) {
		uint64_t *key = &k->key[at + (unsigned)__builtin_ctz(bits)];
		const uint64_t before = *key;
		uint64_t value = 0;

		from = take_present(from, &value);
		*key += tl_unzigzag(value);
		k->ascending |= *key > before;
		if (!k->ascending)
			return NULL;
	}
	return from;
}

/* ---- costs ---- */

/* Costs of one byte each that have none left out among them. NULL: they are others. */
static inline const uint8_t *take_short(const uint8_t *from, unsigned bits, struct lanes *lanes)
{
	const uint64_t ones = UINT64_C(0x0101010101010101), highest = ones << 7;
	const unsigned count = (unsigned)__builtin_ctz(~bits);
	const uint64_t there = (UINT64_C(1) << 8 * count) - 1;
	const uint64_t word = tl_get64s(from, TL_HOST_BIG_ENDIAN) & there;

	if (bits & (bits + 1) || word & (highest | ones) || (word - (ones & there)) & highest)
		return NULL;
	lanes->even += word >> 1 & UINT64_C(0x007f007f007f007f);
	lanes->odd += word >> 9 & UINT64_C(0x007f007f007f007f);
	return from + count;
}

/* Costs from event `at` on. */
static inline const uint8_t *take_costs(struct row_keeping *k, const uint8_t *from, unsigned bits,
					uint32_t at)
{
	for (; bits && from; bits &= bits - 1) {
		uint64_t value = 0;

		from = take_value(from, &value);
		k->sums[at + (unsigned)__builtin_ctz(bits)] += value;
	}
	return from;
}

/* One group of them; costs of one byte each go to `lanes`, if not NULL. */
static inline const uint8_t *take_group(struct row_keeping *k, const uint8_t *from, uint32_t at,
					struct lanes *lanes)
{
	const unsigned head = *from++, bits = head & GROUP_BITS;
	const uint8_t *next = NULL;

	/* A group in which nothing stands is not the last one. */
	if (!head || at >= k->events ||
	    (k->events - at < TL_PFILE_GROUP && bits >> (k->events - at)))
		return NULL;
	if (lanes)
		next = take_short(from, bits, lanes);
	return next ? next : take_costs(k, from, bits, at);
}

/*
 * Groups of costs, the first of which has the event `at` as its first. NULL: some are of another
 * form, and sums have some of their costs.
 */
static inline const uint8_t *take_groups(struct row_keeping *k, const uint8_t *from, uint32_t at)
{
	unsigned head = *from;

	from = take_group(k, from, at, &k->lanes[0]);
	if (!from || !(head & MORE))
		return from;
	head = *from;
	from = take_group(k, from, at += TL_PFILE_GROUP, &k->lanes[1]);
	while (from && head & MORE) {
		head = *from;
		from = take_group(k, from, at += TL_PFILE_GROUP, NULL);
	}
	return from;
}

/* The event that the first whole group of costs begins with. */
static uint32_t first_of_groups(const struct row_keeping *k)
{
	return k->kind == TL_PACK_LINE ? 1 : 2;
}

static void add_lanes(struct row_keeping *k)
{
	for (uint32_t i = 0; i < LANE_GROUPS * TL_PFILE_GROUP; i++) {
		const struct lanes *lanes = &k->lanes[i / TL_PFILE_GROUP];
		const unsigned byte = i % TL_PFILE_GROUP;
		const uint64_t word = byte % WORDS ? lanes->odd : lanes->even;

		if (first_of_groups(k) + i < k->events)
			k->sums[first_of_groups(k) + i] +=
				word >> byte / WORDS * LANE_BITS & ((1u << LANE_BITS) - 1);
	}
	memset(k->lanes, 0, sizeof(k->lanes));
	k->lane_rows = 0;
}

/* ---- runs ---- */

static struct tl_pack_keys keys_of(const struct row_keeping *k, const uint64_t *key)
{
	const uint64_t *at = key + (k->kind == TL_PACK_LINE ? 2 : 3), *to = at + 4;
	struct tl_pack_keys keys = {
		.at = { .file = (uint32_t)at[0],
			.line = (uint32_t)at[1],
			.address = at[2],
			.block = at[3] },
	};

	if (k->kind == TL_PACK_LINE)
		return keys;
	keys.to = (struct tl_pack_place){
		.file = (uint32_t)to[0], .line = (uint32_t)to[1], .address = to[2], .block = to[3]
	};
	keys.target = (uint32_t)key[1];
	return keys;
}

/* The row before, whose keys are in k->before, was the last one of a run; `pos` is behind it. */
static void close_rows(struct row_keeping *k, const uint8_t *pos)
{
	add_lanes(k);
	if (!k->open)
		return;
	k->open->rows.bytes = (uint32_t)((size_t)(pos - k->begin) - k->open->begin);
	k->open->rows.last = keys_of(k, k->before);
	k->open->calls = k->calls;
	k->open->addresses = k->addresses;
	k->open->blocks = k->blocks;
	k->open = NULL;
}

/* The present row is the first one of a run. False without memory. */
static bool open_rows(struct row_keeping *k, const struct tl_pfile_block *block, uint32_t row,
		      const uint8_t *pos)
{
	struct tl_pfile_packing *p = k->p;
	const size_t count = p->kept_count + 1, width = (size_t)k->events + 1;

	if (!tl_grow(&p->kept, &p->kept_room, count, sizeof(*p->kept)) ||
	    !tl_grow(&p->sums, &p->sum_room, count * width, sizeof(*p->sums)))
		return false;
	k->open = &p->kept[p->kept_count];
	k->sums = p->sums + p->kept_count * width;
	p->kept_count = count;
	memset(k->sums, 0, width * sizeof(*k->sums));
	k->calls = k->addresses = k->blocks = 0;
	*k->open = (struct tl_pfile_kept){
		.rows = { .origin = p->origin,
			  .row = (uint32_t)block->first + row,
			  .kind = k->kind,
			  .before = keys_of(k, k->before) },
		.begin = (size_t)(pos - k->begin),
	};
	return true;
}

/* ---- rows ---- */

static inline bool is_whole(const struct tl_pfile_numbers *numbers)
{
	return numbers->count == 1 && !numbers->runs[0].first && !numbers->runs[0].element;
}

static inline bool know_file(const struct row_keeping *k, uint64_t file)
{
	return file < k->p->r->strings.runs[0].count &&
	       tl_pack_know_file(k->p->pack, (uint32_t)file);
}

/* The function or the part is another one than that of the row before, and with it the run. */
static int change_run(struct row_keeping *k, const struct tl_pfile_block *block, uint32_t row,
		      const uint8_t *pos)
{
	const int side = tl_pfile_range_side(k->p, k->key);

	close_rows(k, pos);
	k->behind = side > 0;
	k->sums = k->p->row;
	if (side)
		return 0;
	if (!open_rows(k, block, row, pos))
		return TL_NO_MEMORY;
	k->open->function = k->key[0];
	k->open->part = k->key[k->kind == TL_PACK_LINE ? 1 : 2];
	return 0;
}

/* The bits of the first group of a row. */
enum {
	LINE_RUN = 1 << 0 | 1 << 1,
	LINE_FILE = 1 << 2,
	LINE_LINE = 1 << 3,
	LINE_COST = 1 << 6,
	LINE_KEY_BITS = LINE_COST - 1,
	LINE_ADDRESS = 1 << 4,
	LINE_PLAIN = LINE_ADDRESS | LINE_COST,
	ARC_RUN = 1 << 0 | 1 << 2,
	ARC_CALLEE = 1 << 1,
	ARC_FILE = 1 << 3,
	ARC_LINE = 1 << 4,
	/* And of the second one of an arc. */
	ARC_TO_FILE = 1 << 0,
	ARC_TO_LINE = 1 << 1,
	ARC_CALLS = 1 << 4,
	ARC_COSTS = 5,
	ARC_COST_COUNT = 2,
};

/* Whether a file and a line are what a pack can have, of which `bits` may have changed. */
static inline bool is_place(const struct row_keeping *k, const uint64_t *place, bool file,
			    bool line)
{
	return (!file || know_file(k, place[0])) && (!line || place[1] <= UINT32_MAX);
}

/* Rows without those of their run: `row` is the number in the block, and `pos` in front of it. */
static inline int take_line(struct row_keeping *k, const struct tl_pfile_block *block, uint32_t row,
			    const uint8_t **pos)
{
	const uint8_t *from = *pos;
	const unsigned bits = *from++;
	const bool run = !row || bits & LINE_RUN;
	int status = 0;

	if (run)
		memcpy(k->before, k->key, sizeof(k->before));
	from = take_keys(k, from, bits & LINE_KEY_BITS, 0);
	if (!from || !k->ascending ||
	    !is_place(k, k->key + 2, !row || bits & LINE_FILE, bits & LINE_LINE))
		return TL_PFILE_NOT_KEPT;
	if (run)
		status = change_run(k, block, row, *pos);
	if (status < 0 || k->behind)
		return status;
	k->addresses |= k->key[4];
	k->blocks |= k->key[5];
	if (bits & LINE_COST)
		from = take_costs(k, from, 1, 0);
	if (from && bits & MORE)
		from = take_groups(k, from, 1);
	*pos = from;
	return from ? 0 : TL_PFILE_NOT_KEPT;
}

/*
 * ---- lines of the usual form: behind another one of their run, line, address and first cost with
 * numbers of one byte or two, the other costs with one byte each and none left out among them ----
 */

/* What changes from line to line: registers of a loop. */
struct plain_lines {
	uint64_t line, address, addresses, cost;
	struct lanes lanes[LANE_GROUPS];
	unsigned may[LANE_GROUPS]; /* bits of a group whose events there are */
};

#define ONES UINT64_C(0x0101010101010101)
#define HIGHEST (ONES << 7)

/* Not 0: some byte is 0. */
static inline uint64_t has_zero(uint64_t word)
{
	return (word - ONES) & ~word & HIGHEST;
}

/* The first number of *word, of one byte or two, which is taken from it. */
static inline uint64_t take_few(uint64_t *word)
{
	const uint64_t more = *word >> 7 & 1;
	const uint64_t value = (*word & 0x7f) + (*word >> 1 & 0x3f80 & (0 - more));

	*word >>= 8 + 8 * more;
	return value;
}

/* The costs of a group, as bytes of *word. `bad` is set if they are others. */
static inline const uint8_t *take_short_group(const uint8_t *from, unsigned head, unsigned may,
					      uint64_t *word, uint64_t *bad)
{
	const unsigned bits = head & GROUP_BITS, count = (unsigned)__builtin_ctz(~bits);
	const uint64_t there = (UINT64_C(1) << 8 * count) - 1;

	*word = tl_get64s(from, TL_HOST_BIG_ENDIAN) & there;
	*bad |= (bits & (bits + 1)) | (bits & ~may);
	*bad |= (*word & (HIGHEST | ONES)) | has_zero(*word | ~there);
	return from + count;
}

static inline void add_short(struct lanes *lanes, uint64_t word)
{
	lanes->even += word >> 1 & UINT64_C(0x007f007f007f007f);
	lanes->odd += word >> 9 & UINT64_C(0x007f007f007f007f);
}

/*
 * One line. What is hard to foresee, which numbers are there and which have two bytes, is computed
 * instead of asked. NULL: it is of another form, and nothing was taken.
 */
static inline const uint8_t *take_plain(struct plain_lines *l, const uint8_t *from)
{
	const unsigned head = *from, without_line = ~head / LINE_LINE & 1, more = head / MORE;
	/* Line, which is 0 if it is not there, address and first cost. */
	uint64_t word = tl_get64s(from + 1, TL_HOST_BIG_ENDIAN) << 8 * without_line;
	/* The highest bit of the byte that ends the third number, and all bits up to it. */
	uint64_t ends = ~word & HIGHEST, there, bad, costs, more_costs = 0, line, address, cost;
	unsigned group;

	ends &= ends - 1;
	ends &= ends - 1;
	ends &= 0 - ends;
	there = (ends << 1) - 1;
	if ((head & (GROUP_BITS - LINE_LINE)) != LINE_PLAIN || !ends)
		return NULL;
	from += 2 + (unsigned)__builtin_ctzll(ends) / 8 - without_line;
	/* The last byte of a number is not 0, nor has one three. */
	bad = has_zero(word | ~there | without_line);
	bad |= word & word << 8 & there & HIGHEST;
	line = take_few(&word);
	address = take_few(&word);
	cost = take_few(&word);
	/* Neither of these is less than that before, nor is the address at the same line. */
	bad |= (line | cost | (address & !line)) & 1;
	line = l->line + (line >> 1);
	bad |= line >> 32;
	address = l->address + tl_unzigzag(address);
	group = *from & (0 - more);
	/* A group in which nothing stands is not the last one. */
	bad |= more & !group;
	from = take_short_group(from + more, group, l->may[0], &costs, &bad);
	if (__builtin_expect(group & MORE, 0)) {
		group = *from++;
		bad |= !group || group & MORE;
		from = take_short_group(from, group, l->may[1], &more_costs, &bad);
		add_short(&l->lanes[1], bad ? 0 : more_costs);
	}
	if (bad)
		return NULL;
	l->line = line;
	l->address = address;
	l->addresses |= address;
	l->cost += cost >> 1;
	add_short(&l->lanes[0], costs);
	return from;
}

/* The bits of the group of costs that begins with event `at`. */
static unsigned bits_from(const struct row_keeping *k, uint32_t at)
{
	const uint32_t count = tl_min(tl_excess(k->events, at), (uint32_t)TL_PFILE_GROUP);

	return (1u << count) - 1;
}

/* Lines behind the row before; *pos behind them. How many, at most `most`. */
static uint32_t take_plain_lines(struct row_keeping *k, uint32_t most, const uint8_t **pos)
{
	struct plain_lines l = {
		.line = k->key[3],
		.address = k->key[4],
		.addresses = k->addresses,
		.lanes = { k->lanes[0], k->lanes[1] },
		.may = { bits_from(k, 1), bits_from(k, 1 + TL_PFILE_GROUP) },
	};
	const uint8_t *from = *pos, *next;
	uint32_t count = 0;

	for (; count < most && from < k->end; count++) {
		next = take_plain(&l, from);
		if (!next)
			break;
		from = next;
	}
	k->key[3] = l.line;
	k->key[4] = l.address;
	k->addresses = l.addresses;
	k->sums[0] += l.cost;
	k->lanes[0] = l.lanes[0];
	k->lanes[1] = l.lanes[1];
	*pos = from;
	return count;
}

/* A key of an arc that is another one than that of the row before. */
static inline const uint8_t *take_key(struct row_keeping *k, const uint8_t *from, uint32_t at)
{
	const uint64_t before = k->key[at];
	uint64_t value = 0;

	from = tl_pfile_take_number(from, &value);
	if (!from || !from[-1])
		return NULL;
	k->key[at] = before + tl_unzigzag(value);
	k->ascending |= k->key[at] > before;
	return k->ascending ? from : NULL;
}

/*
 * The keys of an arc that are in its first group, `bits`, without a loop: mostly the same are
 * there, which is foreseen for each by itself.
 */
static inline const uint8_t *take_arc_keys(struct row_keeping *k, const uint8_t *from,
					   unsigned bits)
{
	if (bits & 1 << 0)
		from = take_key(k, from, 0);
	if (from && bits & ARC_CALLEE)
		from = take_key(k, from, 1);
	if (from && bits & 1 << 2)
		from = take_key(k, from, 2);
	if (from && bits & ARC_FILE)
		from = take_key(k, from, 3);
	if (from && bits & ARC_LINE)
		from = take_key(k, from, 4);
	if (from && bits & 1 << 5)
		from = take_key(k, from, 5);
	return from && bits & 1 << 6 ? take_key(k, from, 6) : from;
}

/* The same of those in its second group. */
static inline const uint8_t *take_keys_to(struct row_keeping *k, const uint8_t *from, unsigned bits)
{
	if (bits & ARC_TO_FILE)
		from = take_key(k, from, 7);
	if (from && bits & ARC_TO_LINE)
		from = take_key(k, from, 8);
	if (from && bits & 1 << 2)
		from = take_key(k, from, 9);
	return from && bits & 1 << 3 ? take_key(k, from, 10) : from;
}

/* The second group of an arc and those behind it. */
static inline const uint8_t *take_call(struct row_keeping *k, const uint8_t *from, unsigned bits)
{
	uint64_t calls = 0;

	if (bits & ARC_CALLS)
		from = take_value(from, &calls);
	k->calls += calls;
	if (from && bits >> ARC_COSTS & 3)
		from = take_costs(k, from, bits >> ARC_COSTS & 3, 0);
	return from && bits & MORE ? take_groups(k, from, ARC_COST_COUNT) : from;
}

static inline int take_arc(struct row_keeping *k, const struct tl_pfile_block *block, uint32_t row,
			   const uint8_t **pos)
{
	const uint8_t *from = *pos;
	const unsigned bits = *from++;
	const bool run = !row || bits & ARC_RUN;
	unsigned second = 0;
	int status = 0;

	if (run)
		memcpy(k->before, k->key, sizeof(k->before));
	from = take_arc_keys(k, from, bits);
	if (from && bits & MORE) {
		second = *from++;
		from = second ? take_keys_to(k, from, second) : NULL;
	}
	if (!from || !k->ascending || k->key[1] >= k->p->r->functions.runs[0].count ||
	    (k->events < ARC_COST_COUNT && (second & GROUP_BITS) >> (ARC_COSTS + k->events)) ||
	    !is_place(k, k->key + 3, !row || bits & ARC_FILE, bits & ARC_LINE) ||
	    !is_place(k, k->key + 7, !row || second & ARC_TO_FILE, second & ARC_TO_LINE))
		return TL_PFILE_NOT_KEPT;
	if (run)
		status = change_run(k, block, row, *pos);
	if (status < 0 || k->behind)
		return status;
	k->addresses |= k->key[5] | k->key[9];
	k->blocks |= k->key[6] | k->key[10];
	*pos = from = take_call(k, from, second);
	return from ? 0 : TL_PFILE_NOT_KEPT;
}

static inline int take_row(struct row_keeping *k, const struct tl_pfile_block *block, uint32_t row,
			   const uint8_t **pos)
{
	if (k->lane_rows++ == LANE_ROWS - 1)
		add_lanes(k);
	k->ascending = !row;
	return k->kind == TL_PACK_LINE ? take_line(k, block, row, pos)
				       : take_arc(k, block, row, pos);
}

static int look_at_rows(struct row_keeping *k, const struct tl_pfile_block *block)
{
	const uint8_t *pos = k->begin;
	int status = 0;

	for (uint32_t i = 0; status == 0 && i < block->rows && !k->behind; i++) {
		if (k->open && k->kind == TL_PACK_LINE) {
			const uint32_t most = tl_min(block->rows - i, LANE_ROWS - 1 - k->lane_rows);
			const uint32_t count = take_plain_lines(k, most, &pos);

			k->open->rows.count += count;
			k->lane_rows += count;
			i += count;
			if (i == block->rows)
				break;
		}
		if (pos >= k->end)
			return TL_PFILE_NOT_KEPT;
		status = take_row(k, block, i, &pos);
		if (status == 0 && k->open)
			k->open->rows.count++;
	}
	if (status)
		return status;
	if (!k->behind && pos != k->end)
		return TL_PFILE_NOT_KEPT;
	memcpy(k->before, k->key, sizeof(k->before));
	close_rows(k, pos);
	return k->behind ? TL_PFILE_BEHIND_RANGE : 0;
}

/* ---- the whole ---- */

static bool have_owners(const struct tl_pfile_packing *p)
{
	for (size_t i = 0; i < p->kept_count; i++)
		if (tl_pfile_number_or_none(&p->r->functions, p->kept[i].function) == TL_NONE ||
		    tl_pfile_number_or_none(&p->r->parts, p->kept[i].part) == TL_NONE)
			return false;
	return true;
}

static int add_rows(struct tl_pfile_packing *p, const uint8_t *content, uint32_t events)
{
	const struct tl_pfile_kept *first = p->kept, *last = first + p->kept_count;
	const uint8_t *bytes;

	if (!p->kept_count)
		return 0;
	bytes = tl_pack_keep(p->pack, &p->room, content + first->begin,
			     last[-1].begin + last[-1].rows.bytes - first->begin);
	if (!bytes)
		return TL_NO_MEMORY;
	for (struct tl_pfile_kept *k = p->kept; k < last; k++) {
		const struct tl_pack_rows_sums sums = {
			.costs = p->sums + (size_t)(k - first) * (events + 1),
			.calls = k->calls,
			.addresses = k->addresses,
			.blocks = k->blocks,
		};

		k->rows.data = bytes + (k->begin - first->begin);
		if (!tl_pack_add_rows(p->pack, tl_pfile_number(&p->r->functions, k->function),
				      tl_pfile_number(&p->r->parts, k->part), &k->rows, &sums))
			return TL_NO_MEMORY;
		p->rows += k->rows.count;
	}
	return 0;
}

int tl_pfile_keep_rows(struct tl_pfile_packing *p, const struct tl_pfile_block *block,
		       const uint8_t *content)
{
	const struct tl_profile *profile = p->r->profile;
	struct row_keeping k = {
		.p = p,
		.begin = content,
		.end = content + block->raw_bytes,
		.kind = block->section == TL_PFILE_LINES ? TL_PACK_LINE : TL_PACK_ARC,
		.events = profile->event_count,
		.sums = p->row,
	};
	int status, added;

	/* Arcs of a function are not sorted by part first. */
	if (block->rows > TL_PACK_MOST_ROWS || !is_whole(&p->r->strings) ||
	    !is_whole(&p->r->functions) || (k.kind == TL_PACK_ARC && profile->parts.count > 1))
		return TL_PFILE_NOT_KEPT;
	p->kept_count = 0;
	status = look_at_rows(&k, block);
	if (status < 0 || status == TL_PFILE_NOT_KEPT)
		return status;
	if (!have_owners(p))
		return TL_PFILE_NOT_KEPT;
	added = add_rows(p, content, k.events);
	return added < 0 ? added : status;
}
