/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plans: which conditions of a statement a table uses itself. A plan is a text for xFilter: a
 * "=COLUMN ", "<COLUMN " ... for each value that xFilter gets, then "gCOLUMN " for each column
 * whose values have to come together, the least first, or "GCOLUMN ", the greatest first.
 */
#include <stdlib.h>
#include <string.h>

#include "query/sql/vtab.h"
#include "query/trace/aggregates.h"

/* sqlite3_vtab_in() and sqlite3_vtab_distinct() came with this version. */
enum { WITH_DISTINCT = 3038000 };

/* What a plan costs, in rows, as long as nothing was counted. */
static const double rows_guessed = 1e4, stream_guessed = 1e7;

static bool newer_sqlite(void)
{
	return sqlite3_libversion_number() >= WITH_DISTINCT;
}

static int comparison_of(unsigned char op)
{
	switch (op) {
	case SQLITE_INDEX_CONSTRAINT_EQ:
		return TL_QUERY_EQUAL;
	case SQLITE_INDEX_CONSTRAINT_LT:
		return TL_QUERY_LESS;
	case SQLITE_INDEX_CONSTRAINT_LE:
		return TL_QUERY_LESS_EQUAL;
	case SQLITE_INDEX_CONSTRAINT_GT:
		return TL_QUERY_GREATER;
	case SQLITE_INDEX_CONSTRAINT_GE:
		return TL_QUERY_GREATER_EQUAL;
	}
	return -1;
}

/* As enum tl_query_comparison; the last one is a text that is equal. */
static const char comparison_letters[] = "=<[>]~";
enum { TEXT_EQUAL = TL_QUERY_GREATER_EQUAL + 1 };

struct plan {
	const struct tl_query_table *table;
	const struct tl_query_trace *trace;
	sqlite3_index_info *info;
	char *at; /* the end of the text */
	int values;
	bool unique, keyed, fewer;
	bool several; /* the table is read once for each element of an IN */
};

/* Room for one item of the text: a letter, a number of two digits, a blank. */
enum { ITEM = 4, MOST_ITEMS = TL_QUERY_CONDITIONS + TL_QUERY_GROUP_COLUMNS };

static void put_item(struct plan *plan, char letter, int column)
{
	*plan->at++ = letter;
	*plan->at++ = (char)('0' + column / 10);
	*plan->at++ = (char)('0' + column % 10);
	*plan->at++ = ' ';
	*plan->at = '\0';
}

/* What the table does with a condition, as an index of comparison_letters; -1: nothing. */
static int use_of(const struct plan *plan, int number)
{
	const struct sqlite3_index_constraint *constraint = &plan->info->aConstraint[number];
	int comparison = comparison_of(constraint->op);
	uint8_t use = constraint->iColumn < 0 ? 0 : plan->table->uses[constraint->iColumn];

	if (!constraint->usable || comparison < 0)
		return -1;
	if (comparison == TL_QUERY_EQUAL && use & TL_QUERY_TEXT_KEY)
		return newer_sqlite() &&
				       !strcmp(sqlite3_vtab_collation(plan->info, number), "BINARY")
			       ? TEXT_EQUAL
			       : -1;
	if (use & TL_QUERY_EXACT || (comparison == TL_QUERY_EQUAL && use & TL_QUERY_KEY) ||
	    use & TL_QUERY_RANGE)
		return comparison;
	return -1;
}

/* Whether the value is an integer that stands in the statement. */
static bool is_integer(const struct plan *plan, int number)
{
	sqlite3_value *value = NULL;

	return newer_sqlite() && sqlite3_vtab_rhs_value(plan->info, number, &value) == SQLITE_OK &&
	       sqlite3_value_type(value) == SQLITE_INTEGER;
}

static void take(struct plan *plan, int number, int comparison)
{
	const struct sqlite3_index_constraint *constraint = &plan->info->aConstraint[number];
	uint8_t use = plan->table->uses[constraint->iColumn];

	put_item(plan, comparison_letters[comparison], constraint->iColumn);
	plan->info->aConstraintUsage[number].argvIndex = ++plan->values;
	/* SQLite need not test again what the table has compared with the very same number. */
	plan->info->aConstraintUsage[number].omit =
		use & TL_QUERY_EXACT && is_integer(plan, number);
	plan->fewer = true;
	if (comparison != TL_QUERY_EQUAL)
		return;
	plan->keyed |= (use & TL_QUERY_KEY) != 0;
	plan->unique |= (use & TL_QUERY_UNIQUE) != 0;
}

/* A table of known rows uses one condition, a stream all. */
static void take_conditions(struct plan *plan)
{
	for (int i = 0; i < plan->info->nConstraint; i++) {
		int comparison = use_of(plan, i);

		if (comparison < 0 || plan->values == TL_QUERY_CONDITIONS)
			continue;
		/* A stream would be read once for each element of the list. */
		if (plan->table->stream && newer_sqlite() && sqlite3_vtab_in(plan->info, i, -1))
			continue;
		plan->several |= newer_sqlite() && sqlite3_vtab_in(plan->info, i, -1);
		take(plan, i, comparison);
		if (!plan->table->stream)
			return;
	}
}

/* Whether a column is one of those that have one value in each sum. */
static bool is_key(const struct plan *plan, int column)
{
	const struct tl_query_aggregates *aggregates = plan->trace->aggregates;

	for (size_t i = 0; i < aggregates->key_count; i++)
		if (aggregates->keys[i] == column)
			return true;
	return false;
}

/* What calls are summed is for the table alone to say: SQLite has but their sums to test. */
static bool can_sum(const struct plan *plan)
{
	const sqlite3_index_info *info = plan->info;

	if (!plan->trace->aggregates)
		return false;
	for (int i = 0; i < info->nConstraint; i++)
		if (!info->aConstraintUsage[i].omit && !is_key(plan, info->aConstraint[i].iColumn))
			return false;
	return true;
}

/* Whether rows come in the order that the statement wants. */
static bool has_order(const struct plan *plan)
{
	const sqlite3_index_info *info = plan->info;
	uint8_t use;

	if (info->nOrderBy != 1 || info->aOrderBy[0].desc || info->aOrderBy[0].iColumn < 0 ||
	    plan->several || (plan->table->order_of_one && plan->trace->path_count != 1))
		return false;
	use = plan->table->uses[info->aOrderBy[0].iColumn];
	return use & TL_QUERY_ORDER;
}

/*
 * GROUP BY and DISTINCT need rows of equal values together. Where an ORDER BY has the same columns,
 * SQLite relies on their order, too, which sqlite3_vtab_distinct() does not say before 3.41. An
 * ORDER BY alone (0) is SQLite's: it keeps no more rows than a LIMIT asks for.
 */
static bool take_groups(struct plan *plan)
{
	const sqlite3_index_info *info = plan->info;
	const int wanted = newer_sqlite() ? sqlite3_vtab_distinct(plan->info) : 0;

	if (!wanted || !plan->table->stream || info->nOrderBy > TL_QUERY_GROUP_COLUMNS ||
	    plan->several)
		return false;
	for (int i = 0; i < info->nOrderBy; i++)
		if (info->aOrderBy[i].iColumn < 0 ||
		    !(plan->table->uses[info->aOrderBy[i].iColumn] & TL_QUERY_GROUP) ||
		    (plan->table->of_sums && !is_key(plan, info->aOrderBy[i].iColumn)))
			return false;
	for (int i = 0; i < info->nOrderBy; i++)
		put_item(plan, info->aOrderBy[i].desc ? 'G' : 'g', info->aOrderBy[i].iColumn);
	return true;
}

/*
 * What is told of a stream with conditions is more than half of a whole one: so for an OR of two
 * conditions SQLite does not read it twice, which takes twice as long and needs numbers of rows,
 * which streams refuse (vtab.c).
 */
static void estimate_stream(const struct plan *plan)
{
	static const double with_conditions = 0.75;
	double rows = stream_guessed * (plan->fewer ? with_conditions : 1);

	plan->info->estimatedCost = rows + 2;
	plan->info->estimatedRows = (sqlite3_int64)rows;
}

static void estimate(const struct plan *plan, const struct tl_query_vtab *vtab)
{
	double rows =
		vtab->trace->profile ? (double)vtab->table->rows(vtab->trace) + 1 : rows_guessed;

	if (plan->unique) {
		rows = 1;
		plan->info->idxFlags |= SQLITE_INDEX_SCAN_UNIQUE;
	} else if (plan->keyed) {
		rows = rows / 100 + 1;
	}
	plan->info->estimatedCost = rows + 2;
	plan->info->estimatedRows = (sqlite3_int64)rows;
}

int tl_query_plan(sqlite3_vtab *base, sqlite3_index_info *info)
{
	const struct tl_query_vtab *vtab = (const struct tl_query_vtab *)base;
	struct plan plan = { .table = vtab->table, .trace = vtab->trace, .info = info };

	info->idxStr = sqlite3_malloc(MOST_ITEMS * ITEM + 1);
	if (!info->idxStr)
		return SQLITE_NOMEM;
	info->needToFreeIdxStr = 1;
	plan.at = info->idxStr;
	*plan.at = '\0';
	/* The plan's columns: of the many in a wide table, the last bit stands for the rest. */
	info->idxNum = (int)(info->colUsed & INT32_MAX);
	take_conditions(&plan);
	if (plan.table->of_sums && !can_sum(&plan))
		return SQLITE_CONSTRAINT;
	if (info->nOrderBy && (has_order(&plan) || take_groups(&plan)))
		info->orderByConsumed = 1;
	if (vtab->table->stream)
		estimate_stream(&plan);
	else
		estimate(&plan, vtab);
	return SQLITE_OK;
}

/* ---- xFilter ---- */

/*
 * A value that no integer can be compared with in the same way is no condition: SQLite tests each
 * row itself.
 */
static bool number_of(sqlite3_value *value, int64_t *number)
{
	double real;

	if (sqlite3_value_type(value) == SQLITE_INTEGER) {
		*number = sqlite3_value_int64(value);
		return true;
	}
	if (sqlite3_value_type(value) != SQLITE_FLOAT)
		return false;
	real = sqlite3_value_double(value);
	if (!(real > -9e15 && real < 9e15) || real != (double)(int64_t)real)
		return false;
	*number = (int64_t)real;
	return true;
}

/* A text as C has them, byte by byte. */
static const char *text_of(sqlite3_value *value)
{
	const char *text = NULL;

	if (sqlite3_value_type(value) == SQLITE_TEXT)
		text = (const char *)sqlite3_value_text(value);
	return text && strlen(text) == (size_t)sqlite3_value_bytes(value) ? text : NULL;
}

static bool read_value(sqlite3_value *value, int comparison, struct tl_query_condition *condition)
{
	condition->text = NULL;
	if (comparison != TEXT_EQUAL) {
		condition->comparison = (enum tl_query_comparison)comparison;
		return number_of(value, &condition->value);
	}
	condition->comparison = TL_QUERY_EQUAL;
	condition->text = text_of(value);
	return condition->text;
}

void tl_query_read_plan(const char *text, sqlite3_value *const *values, int count,
			struct tl_query_wish *wish)
{
	int taken = 0;

	for (; text && *text; text += ITEM) {
		const char *letter = strchr(comparison_letters, *text);
		int column = (text[1] - '0') * 10 + text[2] - '0';
		struct tl_query_condition *condition = &wish->conditions[wish->condition_count];

		if (!letter) {
			wish->descending[wish->group_count] = *text == 'G';
			wish->groups[wish->group_count++] = column;
			continue;
		}
		if (taken == count)
			return;
		condition->column = column;
		wish->condition_count +=
			read_value(values[taken++], (int)(letter - comparison_letters), condition);
	}
}
