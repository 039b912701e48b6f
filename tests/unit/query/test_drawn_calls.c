/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls of traces that were drawn, asked for with conditions, groups, order and limits that were
 * drawn: rows are those that a loop over all calls finds. Threads call functions at random; some
 * calls never end.
 */
#include "../unit.h"

#include <inttypes.h>
#include <limits.h>

#include <tracelathe/query.h>

#include "../chance.h"
#include "trace.h"

enum { ROUNDS = 40, STATEMENTS = 60, MOST = 600, FUNCTIONS = 6, THREADS = 4, TEXT = 1 << 16 };

/* Columns of a call that are integers, in the order of `names`. */
enum { ID, PARENT, THREAD, DEPTH, FUNCTION, START, END, DURATION, SELF, COLUMNS };

static const char *const names[COLUMNS] = { "id",    "parent",  "thread",   "depth", "function",
					    "start", "\"end\"", "duration", "self" };

struct value {
	bool known;
	int64_t is;
};

struct call {
	struct value columns[COLUMNS];
};

struct drawn {
	struct call calls[MOST];
	unsigned count;
	uint8_t bytes[HEADER + 2 * MOST * RECORD];
	unsigned records;
	uint32_t seed;
	char sql[1024];
	char text[TEXT]; /* what is expected */
	size_t length;
};

/* ---- a trace ---- */

struct thread {
	unsigned open[32]; /* calls */
	unsigned depth;
	uint64_t time;
	unsigned number;
};

static void put_step(struct drawn *d, const struct thread *thread, bool exit, uint32_t function)
{
	uint8_t *at = d->bytes + HEADER + d->records++ * RECORD;

	put_record(at, exit, function, thread->time);
	put(at + 16, 100 + thread->number, 4);
}

static void call(struct drawn *d, struct thread *thread)
{
	struct value *is = d->calls[d->count].columns;
	const uint32_t function = 1 + chance(&d->seed, FUNCTIONS);

	is[ID] = (struct value){ true, d->count };
	is[PARENT].known = thread->depth;
	if (thread->depth)
		is[PARENT].is = thread->open[thread->depth - 1];
	is[THREAD] = (struct value){ true, 100 + thread->number };
	is[DEPTH] = (struct value){ true, thread->depth };
	is[FUNCTION] = (struct value){ true, function };
	is[START] = (struct value){ true, (int64_t)thread->time };
	is[SELF].known = true;
	put_step(d, thread, false, function);
	thread->open[thread->depth++] = d->count++;
}

static void leave(struct drawn *d, struct thread *thread)
{
	struct value *is = d->calls[thread->open[--thread->depth]].columns;

	is[END] = (struct value){ true, (int64_t)thread->time };
	is[DURATION] = (struct value){ true, (int64_t)thread->time - is[START].is };
	put_step(d, thread, true, (uint32_t)is[FUNCTION].is);
}

/* Time passes, and is that of the innermost call. */
static void pass(struct drawn *d, struct thread *thread)
{
	const unsigned ticks = chance(&d->seed, 3) ? chance(&d->seed, 40) : 0;

	if (thread->depth)
		d->calls[thread->open[thread->depth - 1]].columns[SELF].is += ticks;
	thread->time += ticks;
}

/* The file has the threads one after the other, so that calls are numbered in the order of both. */
static const char *draw(struct drawn *d, struct temp *temp, uint32_t seed)
{
	memset(d, 0, sizeof(*d));
	d->seed = seed;
	put(d->bytes, 3, 2);
	put(d->bytes + 4, 3, 4);
	put(d->bytes + 8, 1000000000, 8);
	for (unsigned number = 0; number < THREADS; number++) {
		struct thread thread = { .number = number, .time = 1000 + chance(&d->seed, 500) };

		for (unsigned left = 1 + chance(&d->seed, 2 * MOST / THREADS); left; left--) {
			const bool may_call = thread.depth < 32 && d->count < MOST - 1;

			pass(d, &thread);
			if (may_call && (!thread.depth || chance(&d->seed, 9) < 5))
				call(d, &thread);
			else if (thread.depth)
				leave(d, &thread);
		}
	}
	temp_open(temp);
	return temp_write(temp, "trace", d->bytes, HEADER + d->records * RECORD);
}

/* ---- what is asked ---- */

enum relation {
	EQUAL,
	UNEQUAL,
	LESS,
	AT_MOST,
	MORE,
	AT_LEAST,
	BETWEEN,
	IS_NULL,
	IS_KNOWN,
	RELATIONS
};

struct condition {
	unsigned column;
	enum relation relation;
	int64_t low, high;
};

/* A value that the column has, one beside it, or a bound of the type. */
static int64_t draw_bound(struct drawn *d, unsigned column)
{
	static const int64_t far[] = { INT64_MIN, INT64_MAX, -1, 0 };
	const struct value *is = &d->calls[chance(&d->seed, d->count)].columns[column];

	if (!chance(&d->seed, 8))
		return far[chance(&d->seed, 4)];
	return is->is + (int64_t)chance(&d->seed, 3) - 1;
}

static struct condition draw_condition(struct drawn *d)
{
	struct condition c = { .column = chance(&d->seed, COLUMNS),
			       .relation = chance(&d->seed, RELATIONS) };

	c.low = draw_bound(d, c.column);
	c.high = draw_bound(d, c.column);
	return c;
}

/* Of what is not known nothing is true but that it is not known. */
static bool holds(const struct condition *c, const struct call *call)
{
	const struct value *value = &call->columns[c->column];

	if (c->relation == IS_NULL || c->relation == IS_KNOWN || !value->known)
		return c->relation == (value->known ? IS_KNOWN : IS_NULL);
	switch (c->relation) {
	case EQUAL:
		return value->is == c->low;
	case UNEQUAL:
		return value->is != c->low;
	case LESS:
		return value->is < c->low;
	case AT_MOST:
		return value->is <= c->low;
	case MORE:
		return value->is > c->low;
	case AT_LEAST:
		return value->is >= c->low;
	default:
		return value->is >= c->low && value->is <= c->high;
	}
}

static void add_sql(struct drawn *d, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add_sql(struct drawn *d, const char *format, ...)
{
	const size_t length = strlen(d->sql);
	va_list args;

	va_start(args, format);
	vsnprintf(d->sql + length, sizeof(d->sql) - length, format, args);
	va_end(args);
}

static void add_condition(struct drawn *d, const struct condition *c)
{
	static const char *const signs[] = { "=", "<>", "<", "<=", ">", ">=" };
	const char *name = names[c->column];

	if (c->relation == IS_NULL || c->relation == IS_KNOWN)
		add_sql(d, "%s IS %sNULL", name, c->relation == IS_NULL ? "" : "NOT ");
	else if (c->relation == BETWEEN)
		add_sql(d, "%s BETWEEN %" PRId64 " AND %" PRId64, name, c->low, c->high);
	else if (c->low % 2) /* turned round */
		add_sql(d, "%" PRId64 " %s %s", c->low,
			signs[c->relation < LESS ? c->relation
						 : (c->relation - LESS + 2) % 4 + LESS],
			name);
	else
		add_sql(d, "%s %s %" PRId64, name, signs[c->relation], c->low);
}

enum { CONDITIONS = 3 };

struct filter {
	struct condition list[CONDITIONS];
	unsigned count;
};

static struct filter draw_filter(struct drawn *d)
{
	struct filter filter = { .count = chance(&d->seed, CONDITIONS + 1) };

	for (unsigned i = 0; i < filter.count; i++) {
		filter.list[i] = draw_condition(d);
		add_sql(d, i ? " AND " : " WHERE ");
		add_condition(d, &filter.list[i]);
	}
	return filter;
}

static bool passes(const struct filter *filter, const struct call *call)
{
	for (unsigned i = 0; i < filter->count; i++)
		if (!holds(&filter->list[i], call))
			return false;
	return true;
}

/* ---- what is answered ---- */

static void say(struct drawn *d, const char *before, struct value value)
{
	const size_t room = TEXT - d->length;
	int length = value.known
			     ? snprintf(d->text + d->length, room, "%s%" PRId64, before, value.is)
			     : snprintf(d->text + d->length, room, "%s", before);

	assert_true(length >= 0 && (size_t)length < room);
	d->length += (size_t)length;
}

static void end_line(struct drawn *d)
{
	assert_true(d->length + 1 < TEXT);
	d->text[d->length++] = '\n';
	d->text[d->length] = '\0';
}

/* The rows behind the head of columns. */
static void assert_answer(struct drawn *d, struct tl_query *query, uint32_t seed)
{
	struct tl_output *out;
	struct tl_error err = { 0 };
	const char *text, *rows;
	size_t size;

	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	if (tl_query_print(query, d->sql, TL_REPORT_CSV, out, &err) != 0)
		fail_msg("seed %u: %s: %s", seed, d->sql, err.text);
	text = tl_output_bytes(out, &size);
	rows = memchr(text, '\n', size);
	assert_non_null(rows);
	size -= (size_t)(++rows - text);
	if (size != d->length || memcmp(rows, d->text, size) != 0)
		fail_msg("seed %u: %s:\n%.*s\nand not\n%s", seed, d->sql, (int)size, rows, d->text);
	tl_output_discard(out);
}

static void begin_statement(struct drawn *d)
{
	d->sql[0] = '\0';
	d->text[0] = '\0';
	d->length = 0;
}

/* ---- rows as they come, the first of them, and in another order ---- */

static int order_by(const struct call *a, const struct call *b, unsigned column, bool descending)
{
	const struct value *x = &a->columns[column], *y = &b->columns[column];
	int order = (x->is > y->is) - (x->is < y->is);

	if (x->known != y->known)
		order = x->known ? 1 : -1; /* what is not known is least */
	if (!x->known && !y->known)
		order = 0;
	return descending ? -order : order;
}

static void ask_for_rows(struct drawn *d, struct tl_query *query, uint32_t seed)
{
	const unsigned chosen[] = { chance(&d->seed, COLUMNS), chance(&d->seed, COLUMNS) };
	const unsigned by = chance(&d->seed, COLUMNS + 2), limit = chance(&d->seed, 2 * MOST);
	const bool descending = chance(&d->seed, 2);
	const struct call *rows[MOST];
	struct filter filter;
	unsigned count = 0;

	begin_statement(d);
	add_sql(d, "SELECT %s, %s, id FROM calls", names[chosen[0]], names[chosen[1]]);
	filter = draw_filter(d);
	if (by < COLUMNS)
		add_sql(d, " ORDER BY %s%s, id", names[by], descending ? " DESC" : "");
	add_sql(d, " LIMIT %u", limit);
	for (unsigned i = 0; i < d->count; i++) {
		unsigned at = count;

		if (!passes(&filter, &d->calls[i]))
			continue;
		for (;
		     by < COLUMNS && at && order_by(rows[at - 1], &d->calls[i], by, descending) > 0;
		     at--)
			rows[at] = rows[at - 1];
		rows[at] = &d->calls[i];
		count++;
	}
	for (unsigned i = 0; i < count && i < limit; i++) {
		say(d, "", rows[i]->columns[chosen[0]]);
		say(d, ",", rows[i]->columns[chosen[1]]);
		say(d, ",", rows[i]->columns[ID]);
		end_line(d);
	}
	assert_answer(d, query, seed);
}

/* ---- sums ---- */

struct sums {
	struct value key, sum, least, greatest;
	int64_t rows, known;
};

static void add_call(struct sums *sums, const struct value *value)
{
	sums->rows++;
	if (!value->known)
		return;
	sums->known++;
	if (!sums->least.known || value->is < sums->least.is)
		sums->least = *value;
	if (!sums->greatest.known || value->is > sums->greatest.is)
		sums->greatest = *value;
	sums->sum.known = true;
	sums->sum.is += value->is;
}

static void say_sums(struct drawn *d, const struct sums *sums, bool keyed)
{
	if (keyed)
		say(d, "", sums->key);
	say(d, keyed ? "," : "", (struct value){ true, sums->rows });
	say(d, ",", (struct value){ true, sums->known });
	say(d, ",", sums->sum);
	say(d, ",", sums->least);
	say(d, ",", sums->greatest);
	end_line(d);
}

static void ask_for_sums(struct drawn *d, struct tl_query *query, uint32_t seed)
{
	const unsigned of = chance(&d->seed, COLUMNS);
	struct sums sums = { .rows = 0 };
	struct filter filter;

	begin_statement(d);
	add_sql(d, "SELECT count(*), count(%s), sum(%s), min(%s), max(%s) FROM calls", names[of],
		names[of], names[of], names[of]);
	filter = draw_filter(d);
	for (unsigned i = 0; i < d->count; i++)
		if (passes(&filter, &d->calls[i]))
			add_call(&sums, &d->calls[i].columns[of]);
	say_sums(d, &sums, false);
	assert_answer(d, query, seed);
}

static void add_to_group(struct sums *groups, unsigned *count, const struct value *key,
			 const struct value *value)
{
	unsigned at = 0;

	while (at < *count && (groups[at].key.known != key->known || groups[at].key.is != key->is))
		at++;
	if (at == *count) {
		groups[at] = (struct sums){ .key = *key };
		++*count;
	}
	add_call(&groups[at], value);
}

/* NULL comes before all numbers. */
static void sort_groups(struct sums *groups, unsigned count)
{
	for (unsigned i = 1; i < count; i++)
		for (unsigned j = i; j; j--) {
			const struct value *a = &groups[j - 1].key, *b = &groups[j].key;
			struct sums group = groups[j];

			if (!a->known || (b->known && a->is < b->is))
				break;
			groups[j] = groups[j - 1];
			groups[j - 1] = group;
		}
}

static void ask_for_groups(struct drawn *d, struct tl_query *query, uint32_t seed)
{
	const unsigned by = chance(&d->seed, COLUMNS), of = chance(&d->seed, COLUMNS);
	const unsigned least = chance(&d->seed, 4);
	struct sums groups[MOST];
	struct filter filter;
	unsigned count = 0;

	begin_statement(d);
	add_sql(d, "SELECT %s, count(*), count(%s), sum(%s), min(%s), max(%s) FROM calls",
		names[by], names[of], names[of], names[of], names[of]);
	filter = draw_filter(d);
	add_sql(d, " GROUP BY %s HAVING count(*) >= %u ORDER BY 1", names[by], least);
	for (unsigned i = 0; i < d->count; i++)
		if (passes(&filter, &d->calls[i]))
			add_to_group(groups, &count, &d->calls[i].columns[by],
				     &d->calls[i].columns[of]);
	sort_groups(groups, count);
	for (unsigned i = 0; i < count; i++)
		if (groups[i].rows >= least)
			say_sums(d, &groups[i], true);
	assert_answer(d, query, seed);
}

/* ---- each call beside the one that it was made in ---- */

static void ask_for_parents(struct drawn *d, struct tl_query *query, uint32_t seed)
{
	begin_statement(d);
	add_sql(d, "SELECT c.id, p.id, c.start - p.start, p.depth + 1 - c.depth FROM calls c "
		   "JOIN calls p ON p.id = c.parent");
	for (unsigned i = 0; i < d->count; i++) {
		const struct call *call = &d->calls[i];

		if (!call->columns[PARENT].known)
			continue;
		const struct call *parent = &d->calls[call->columns[PARENT].is];

		say(d, "", call->columns[ID]);
		say(d, ",", parent->columns[ID]);
		say(d, ",",
		    (struct value){ true, call->columns[START].is - parent->columns[START].is });
		say(d, ",", (struct value){ true, 0 });
		end_line(d);
	}
	add_sql(d, " ORDER BY c.id");
	assert_answer(d, query, seed);
}

TEST(rows_sums_and_groups_of_drawn_calls)
{
	struct drawn *d = malloc(sizeof(*d));

	assert_non_null(d);
	for (uint32_t seed = 1; seed <= ROUNDS; seed++) {
		struct temp temp;
		const char *path = draw(d, &temp, seed);
		struct tl_query *query;

		assert_int_equal(tl_query_open(&query, NULL), 0);
		assert_int_equal(tl_query_add(query, &path, 1, NULL, NULL, NULL), 0);
		for (unsigned i = 0; i < STATEMENTS; i++) {
			ask_for_rows(d, query, seed);
			ask_for_sums(d, query, seed);
			ask_for_groups(d, query, seed);
		}
		ask_for_parents(d, query, seed);
		tl_query_close(query);
		temp_close(&temp);
	}
	free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_sums_and_groups_of_drawn_calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
