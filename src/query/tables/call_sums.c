/* SPDX-License-Identifier: Apache-2.0 */
#include "query/tables/call_sums.h"

#include <string.h>

#include "core/error.h"

uint64_t tl_query_sums_columns(const struct tl_query_aggregates *wanted)
{
	uint64_t columns = 0;

	for (size_t i = 0; i < wanted->key_count; i++)
		columns |= (uint64_t)1 << wanted->keys[i];
	for (size_t i = 0; i < wanted->count; i++)
		if (wanted->list[i].column >= 0)
			columns |= (uint64_t)1 << wanted->list[i].column;
	return columns;
}

/* ---- adding ---- */

static bool is_signed(int column)
{
	return tl_query_call_words[column] == TL_QUERY_SIGNED;
}

/* As SQLite's sum() adds one value. */
static inline void add_integer(struct tl_query_sum *sum, int64_t value)
{
	sum->count++;
	sum->real += (double)value;
	if (!sum->approximate && __builtin_add_overflow(sum->integer, value, &sum->integer))
		sum->approximate = sum->does_not_fit = true;
}

static void add_real(struct tl_query_sum *sum, double value)
{
	sum->count++;
	sum->real += value;
	sum->approximate = true;
}

struct rows {
	const uint64_t *words;   /* of the column */
	const uint32_t *numbers; /* the group of each row */
	size_t count;
	struct tl_query_sum *sums; /* of the first group */
	size_t step;               /* from one group's to the next one's */
};

static void add_rows(const struct rows *rows)
{
	for (size_t i = 0; i < rows->count; i++)
		rows->sums[rows->numbers[i] * rows->step].count++;
}

static void add_known(const struct rows *rows)
{
	for (size_t i = 0; i < rows->count; i++)
		rows->sums[rows->numbers[i] * rows->step].count += rows->words[i] != TL_NOWHERE;
}

static void add_sums(const struct rows *rows, bool with_sign)
{
	for (size_t i = 0; i < rows->count; i++) {
		struct tl_query_sum *sum = &rows->sums[rows->numbers[i] * rows->step];
		const uint64_t word = rows->words[i];

		if (with_sign || word <= INT64_MAX)
			add_integer(sum, (int64_t)word);
		else if (word != TL_NOWHERE)
			add_real(sum, (double)word);
	}
}

/* `up`: tl_query_call_moved_up() */
static void add_extremes(const struct rows *rows, bool greatest, uint64_t up)
{
	for (size_t i = 0; i < rows->count; i++) {
		struct tl_query_sum *sum = &rows->sums[rows->numbers[i] * rows->step];
		const uint64_t word = rows->words[i] + up;

		if (!up && word == TL_NOWHERE)
			continue;
		if (!sum->count++ || (greatest ? word > sum->extreme : word < sum->extreme))
			sum->extreme = word;
	}
}

static void add(const struct rows *rows, const struct tl_query_aggregate *aggregate)
{
	switch (aggregate->kind) {
	case TL_QUERY_COUNT_ROWS:
		add_rows(rows);
		break;
	case TL_QUERY_COUNT:
		if (is_signed(aggregate->column))
			add_rows(rows);
		else
			add_known(rows);
		break;
	case TL_QUERY_SUM:
		add_sums(rows, is_signed(aggregate->column));
		break;
	case TL_QUERY_MIN:
	case TL_QUERY_MAX:
		add_extremes(rows, aggregate->kind == TL_QUERY_MAX,
			     tl_query_call_moved_up(aggregate->column));
		break;
	}
}

/* Sums of all groups up to number `count` - 1. */
static bool have_groups(struct tl_query_sums *sums, size_t count)
{
	const size_t each = sums->wanted->count;

	if (count <= sums->count)
		return true;
	if (!tl_grow(&sums->list, &sums->capacity, count * each + 1, sizeof(*sums->list)))
		return false;
	memset(sums->list + sums->count * each, 0,
	       (count - sums->count) * each * sizeof(*sums->list));
	sums->count = count;
	return true;
}

static bool number_rows(struct tl_query_sums *sums, const uint64_t *const *columns, size_t count)
{
	const struct tl_query_aggregates *wanted = sums->wanted;
	const uint64_t *keys[TL_QUERY_GROUP_COLUMNS];

	for (size_t i = 0; i < wanted->key_count; i++)
		keys[i] = columns[wanted->keys[i]];
	sums->groups.key_count = wanted->key_count;
	if (!tl_grow(&sums->numbers, &sums->number_room, count, sizeof(*sums->numbers)))
		return false;
	if (wanted->key_count)
		return tl_query_groups_number(&sums->groups, keys, count, sums->numbers) &&
		       have_groups(sums, sums->groups.count);
	if (count)
		memset(sums->numbers, 0, count * sizeof(*sums->numbers));
	return have_groups(sums, 1);
}

int tl_query_sums_add(struct tl_query_sums *sums, const uint64_t *const *columns, size_t count)
{
	const struct tl_query_aggregates *wanted = sums->wanted;

	if (!count)
		return 0;
	if (!number_rows(sums, columns, count))
		return TL_NO_MEMORY;
	if (sums->count * wanted->count > TL_QUERY_SUMS_BYTES / sizeof(*sums->list))
		return TL_TOO_LARGE;
	for (size_t i = 0; i < wanted->count; i++) {
		const int column = wanted->list[i].column;
		const struct rows rows = { column < 0 ? NULL : columns[column], sums->numbers,
					   count, sums->list + i, wanted->count };

		add(&rows, &wanted->list[i]);
	}
	return 0;
}

/* ---- telling ---- */

bool tl_query_sums_next(struct tl_query_sums *sums)
{
	const size_t groups = sums->wanted->key_count ? sums->groups.count : 1;

	if (sums->next == groups)
		return false;
	sums->next++;
	return true;
}

uint64_t tl_query_sums_key(const struct tl_query_sums *sums, size_t key)
{
	return sums->groups.list[sums->next - 1].keys[key];
}

static void give_extreme(const struct tl_query_sum *sum, int column, struct tl_query_value *value)
{
	if (!sum->count)
		return;
	if (is_signed(column))
		tl_query_set_integer(value,
				     (int64_t)(sum->extreme + tl_query_call_moved_up(column)));
	else
		tl_query_set_count(value, sum->extreme);
}

static int give_sum(const struct tl_query_sum *sum, struct tl_query_value *value)
{
	if (sum->does_not_fit)
		return TL_TOO_LARGE;
	if (!sum->count)
		return 0;
	if (!sum->approximate) {
		tl_query_set_integer(value, sum->integer);
		return 0;
	}
	value->type = TL_QUERY_REAL;
	value->real = sum->real;
	return 0;
}

int tl_query_sums_value(const struct tl_query_sums *sums, size_t number,
			struct tl_query_value *value)
{
	const struct tl_query_aggregate *aggregate = &sums->wanted->list[number];
	/* Where no row was added there is no memory for it. */
	static const struct tl_query_sum none;
	const size_t group = sums->wanted->key_count ? sums->groups.list[sums->next - 1].number : 0;
	const struct tl_query_sum *sum =
		sums->count ? &sums->list[group * sums->wanted->count + number] : &none;

	switch (aggregate->kind) {
	case TL_QUERY_SUM:
		return give_sum(sum, value);
	case TL_QUERY_MIN:
	case TL_QUERY_MAX:
		give_extreme(sum, aggregate->column, value);
		return 0;
	case TL_QUERY_COUNT:
	case TL_QUERY_COUNT_ROWS:
		break;
	}
	tl_query_set_count(value, sum->count);
	return 0;
}

void tl_query_sums_free(struct tl_query_sums *sums)
{
	tl_query_groups_free(&sums->groups);
	free(sums->list);
	free(sums->numbers);
}
