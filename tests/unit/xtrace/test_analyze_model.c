/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Analyses of streams that are drawn: the tables are held against a list of what was executed and
 * accessed, which is searched for each number by the sentences of docs/analyze.md.
 */
#include <stdio.h>

#include "drawn_stream.h"

#include "core/output.h"
#include "xtrace/analyze/analyze.h"

static char *analyze(const struct tl_xtrace_analysis_options *options)
{
	struct bytes b = written();
	struct tl_output *out;
	struct trace t;
	char *copy;
	size_t size;

	open_trace(&t, &b, NULL);
	assert_int_equal(tl_output_open_memory(&out, &t.err), 0);
	assert_int_equal(tl_xtrace_analyze(t.trace, options, out, &t.err), 0);
	assert_non_null(tl_output_bytes(out, &size));
	copy = strndup(tl_output_bytes(out, &size), size);
	assert_non_null(copy);
	tl_output_discard(out);
	close_trace(&t);
	free_bytes(&b);
	return copy;
}

/* ---- tables ---- */

/* A table of CSV, taken apart. */
struct table {
	char *text, *cells[40000];
	size_t columns, rows;
};

/* The text is the table's from here on. */
static void take_table(struct table *t, char *text)
{
	char *rest = text, *line;
	size_t count = 0;

	t->text = text;
	t->rows = 0;
	while ((line = strsep(&rest, "\n")) && *line) {
		size_t columns = 0;

		for (char *cell; (cell = strsep(&line, ",")); columns++) {
			assert_true(count < COUNT(t->cells));
			t->cells[count++] = cell;
		}
		if (!t->rows)
			t->columns = columns;
		assert_int_equal(columns, t->columns);
		t->rows++;
	}
}

static void read_table(struct table *t, unsigned analyses, const struct tl_xtrace_part *part,
		       uint64_t interval, unsigned jobs)
{
	const struct tl_xtrace_analysis_options options = {
		.analyses = analyses,
		.form = TL_XTRACE_CSV,
		.thread = TL_NOWHERE,
		.interval = interval,
		.jobs = jobs,
		.part = part ? *part : (struct tl_xtrace_part){ .first = 0 },
	};

	take_table(t, analyze(&options));
}
static const char *cell(const struct table *t, size_t row, const char *column)
{
	for (size_t i = 0; i < t->columns; i++)
		if (!strcmp(t->cells[i], column))
			return t->cells[(row + 1) * t->columns + i];
	fail_msg("no column %s", column);
	return NULL;
}

static uint64_t number(const struct table *t, size_t row, const char *column)
{
	return strtoull(cell(t, row, column), NULL, 0);
}

static bool of_part(const struct tl_xtrace_part *part, size_t step)
{
	return !part || (step >= part->first && (!part->end || step < part->end) &&
			 (!part->levels || part->levels >> e.steps[step].el & 1));
}

/* ---- the mix ---- */

static void assert_mix(const struct tl_xtrace_part *part, unsigned jobs)
{
	static struct table t;
	uint64_t all = 0, rows = 0;

	read_table(&t, TL_XTRACE_ANALYZE_MIX, part, 0, jobs);
	for (size_t what = 0; what < COUNT(opcodes); what++) {
		uint64_t by_level[4] = { 0 }, seen[5] = { 0 };

		for (size_t i = 0; i < e.count; i++)
			if (e.steps[i].what == what && of_part(part, i))
				by_level[e.steps[i].el]++;
		for (size_t row = 0; row + 1 < t.rows; row++)
			if (!strcmp(cell(&t, row, "class"), classes[what])) {
				seen[0] += number(&t, row, "el0");
				seen[1] += number(&t, row, "el1");
				seen[2] += number(&t, row, "el2");
				seen[3] += number(&t, row, "el3");
				seen[4] += number(&t, row, "all");
			}
		for (unsigned el = 0; el < 4; el++)
			assert_int_equal(seen[el], by_level[el]);
		assert_int_equal(seen[4], by_level[0] + by_level[1]);
		all += seen[4];
	}
	for (size_t row = 0; row + 1 < t.rows; row++)
		rows += number(&t, row, "all");
	assert_int_equal(rows, all);
	free(t.text);
}

static const struct tl_xtrace_part parts[] = {
	{ .first = 0 },
	{ .first = 100 },
	{ .first = 0, .end = 701 },
	{ .first = 333, .end = 334 },
	{ .first = 7, .end = 1400 },
	{ .first = 50, .end = 1200, .levels = 1 },
	{ .levels = 2 },
};

TEST(instructions_by_class_and_level)
{
	for (uint32_t seed = 1; seed < 9; seed++) {
		draw(seed, true);
		assert_mix(NULL, 1);
		assert_mix(NULL, 3);
		assert_mix(&parts[seed % COUNT(parts)], 1);
	}
}

/* ---- blocks ---- */

enum { MOST_BLOCKS = STEPS };

struct block {
	uint64_t address, executions, instructions, length, in_interval;
	unsigned el;
};

static struct block blocks[MOST_BLOCKS];
static size_t block_count, block_of[STEPS];

/*
 * "A basic block is what was executed from where control arrived (behind a branch, taken or not; at
 * a change of the exception level; behind a break of the PC) to the next branch."
 */
static void find_blocks(void)
{
	uint64_t length = 0;

	block_count = 0;
	for (size_t i = 0; i < e.count; i++) {
		const struct step *s = &e.steps[i], *before = i ? s - 1 : NULL;
		size_t b = 0;

		if (before && before->what != 3 && before->pc + 4 == s->pc && before->el == s->el) {
			b = block_of[i - 1];
			length++;
		} else {
			while (b < block_count &&
			       (blocks[b].address != s->pc || blocks[b].el != s->el))
				b++;
			if (b == block_count)
				blocks[block_count++] =
					(struct block){ .address = s->pc, .el = s->el };
			blocks[b].executions++;
			length = 1;
		}
		block_of[i] = b;
		blocks[b].instructions++;
		blocks[b].length = length > blocks[b].length ? length : blocks[b].length;
	}
}

/* "Under the same numbers: in the order of their first execution"; the table by instructions. */
TEST(blocks_are_what_was_executed_between_branches)
{
	for (uint32_t seed = 1; seed < 7; seed++) {
		static struct table t;
		uint64_t before = UINT64_MAX;

		draw(seed, seed % 2);
		find_blocks();
		read_table(&t, TL_XTRACE_ANALYZE_BLOCKS, NULL, 0, 1);
		assert_int_equal(t.rows - 1, block_count);
		for (size_t row = 0; row + 1 < t.rows; row++) {
			const struct block *b = &blocks[number(&t, row, "block") - 1];

			assert_true(b < blocks + block_count);
			assert_int_equal(number(&t, row, "address"), b->address);
			assert_int_equal(number(&t, row, "el"), b->el);
			assert_int_equal(number(&t, row, "length"), b->length);
			assert_int_equal(number(&t, row, "executions"), b->executions);
			assert_int_equal(number(&t, row, "instructions"), b->instructions);
			assert_true(number(&t, row, "instructions") <= before);
			before = number(&t, row, "instructions");
		}
		free(t.text);
	}
}

/* "A block over the end of an interval counts in both, by its instructions." */
TEST(vectors_have_the_instructions_of_their_blocks)
{
	static const uint64_t intervals[] = { 1, 7, 100, 499, 1500, 5000 };

	for (size_t n = 0; n < 2 * COUNT(intervals); n++) {
		const uint64_t interval = intervals[n / 2];
		const struct tl_xtrace_analysis_options options = {
			.analyses = TL_XTRACE_ANALYZE_BBV,
			.thread = TL_NOWHERE,
			.interval = interval,
			.form = n % 2 ? TL_XTRACE_CSV : TL_XTRACE_TEXT,
		};
		char *seen, *wanted = NULL;
		size_t size;
		FILE *file = open_memstream(&wanted, &size);

		assert_non_null(file);
		draw((uint32_t)n + 1, false);
		find_blocks();
		if (n % 2)
			fputs("interval,thread,block,address,instructions\n", file);
		for (size_t first = 0; first < e.count; first += interval) {
			bool any = false;

			for (size_t b = 0; b < block_count; b++)
				blocks[b].in_interval = 0;
			for (size_t i = first; i < e.count && i < first + interval; i++)
				blocks[block_of[i]].in_interval++;
			for (size_t b = 0; b < block_count; b++) {
				const unsigned long long count = blocks[b].in_interval;

				if (!count)
					continue;
				if (n % 2)
					fprintf(file, "%zu,0,%zu,0x%llx,%llu\n",
						(size_t)(first / interval), b + 1,
						(unsigned long long)blocks[b].address, count);
				else
					fprintf(file, "%s%zu:%llu", any ? " :" : "T:", b + 1,
						count);
				any = true;
			}
			if (n % 2 == 0)
				fputc('\n', file);
		}
		fclose(file);
		seen = analyze(&options);
		assert_string_equal(seen, wanted);
		free(seen);
		free(wanted);
	}
}

/* ---- where intervals are ---- */

struct found {
	uint64_t interval, warmup, count;
	unsigned snapshots;
};

/*
 * "The last snapshot that is as much before `first` as was asked for", and the one that is right at
 * the end: snapshots are numbered, the first one is at the beginning.
 */
static void take_interval(void *arg, const struct tl_xtrace_interval *interval)
{
	struct found *f = arg;
	const uint64_t first = f->count * f->interval;
	const uint64_t end = first + f->interval < e.count ? first + f->interval : e.count;
	const uint64_t wanted = first > f->warmup ? first - f->warmup : 0;

	assert_int_equal(interval->number, f->count++);
	assert_int_equal(interval->first, first);
	assert_int_equal(interval->end, end);
	if (!f->snapshots) {
		assert_int_equal(interval->begin, wanted);
		assert_int_equal(interval->snapshot, TL_NONE);
		assert_int_equal(interval->end_snapshot, TL_NONE);
		return;
	}
	assert_int_equal(interval->begin, wanted / f->snapshots * f->snapshots);
	assert_int_equal(interval->snapshot, wanted / f->snapshots);
	assert_int_equal(interval->end_snapshot,
			 end < e.count && end % f->snapshots == 0 ? end / f->snapshots : TL_NONE);
}

TEST(intervals_are_those_of_vectors)
{
	static const uint64_t intervals[] = { 10, 333, 1500, 100 }, warmups[] = { 0, 5, 260, 2000 };
	static const unsigned snapshots[] = { 0, 50, 170 };

	draw(5, false);
	for (size_t i = 0; i < COUNT(intervals) * COUNT(warmups) * COUNT(snapshots); i++) {
		struct found found = {
			intervals[i % COUNT(intervals)],
			warmups[i / COUNT(intervals) % COUNT(warmups)],
			0,
			snapshots[i / COUNT(intervals) / COUNT(warmups)],
		};
		const struct tl_xtrace_analysis_options options = { .thread = TL_NOWHERE,
								    .interval = found.interval };
		struct pair p = drawn_pair(found.snapshots);
		struct trace t;

		open_trace(&t, &p.stream, found.snapshots ? &p.snapshots : NULL);
		assert_int_equal(tl_xtrace_each_interval(t.trace, &options, found.warmup,
							 take_interval, &found, &t.err),
				 0);
		assert_int_equal(found.count, (STEPS + found.interval - 1) / found.interval);
		close_trace(&t);
		free_pair(&p);
	}
}

/* ---- intervals of counters ---- */

/* Lines or pages of a kind that are touched by the steps of an interval, each once. */
static uint64_t different(const struct tl_xtrace_part *part, size_t from, size_t to, bool data,
			  uint64_t bytes)
{
	static uint64_t seen[COUNT(e.accesses)];
	uint64_t count = 0;

	for (size_t i = from; i < to; i++)
		for (unsigned n = 0; of_part(part, i) && n < (data ? e.steps[i].count : 1); n++) {
			const uint64_t unit =
				(data ? e.steps[i].accesses[n].address : e.steps[i].pc) / bytes;
			uint64_t at = 0;

			while (at < count && seen[at] != unit)
				at++;
			seen[at] = unit;
			count += at == count;
		}
	return count;
}

/* The last touches of all lines, the most recent first: a distance is a place in this list. */
struct recent {
	uint64_t lines[4000];
	size_t count;
	uint64_t touches, cold, distances;
};

static void touch(struct recent *r, uint64_t line)
{
	size_t at = 0;

	while (at < r->count && r->lines[at] != line)
		at++;
	r->touches++;
	if (at == r->count) {
		r->cold++;
		assert_true(r->count++ < COUNT(r->lines));
	} else {
		r->distances += at;
	}
	memmove(r->lines + 1, r->lines, at * sizeof(*r->lines));
	r->lines[0] = line;
}

static void touch_step(struct recent *fetches, struct recent *data, const struct step *s)
{
	touch(fetches, s->pc / LINE);
	for (unsigned n = 0; n < s->count; n++)
		touch(data, s->accesses[n].address / LINE);
}

/* What grew in an interval, which was so much before. */
static void assert_reuse(const struct table *t, size_t row, const char *what,
			 const struct recent *now, const struct recent *before)
{
	char column[32];

	snprintf(column, sizeof(column), "%s:touches", what);
	assert_int_equal(number(t, row, column), now->touches - before->touches);
	snprintf(column, sizeof(column), "%s:cold", what);
	assert_int_equal(number(t, row, column), now->cold - before->cold);
	snprintf(column, sizeof(column), "%s:distances", what);
	assert_int_equal(number(t, row, column), now->distances - before->distances);
}

static void assert_intervals(const struct tl_xtrace_part *part, uint64_t interval)
{
	const size_t begin = part ? part->first : 0, end = part && part->end ? part->end : e.count;
	static struct recent fetches, data, fetched_before, data_before;
	static struct table t;
	size_t row = 0;

	memset(&fetches, 0, sizeof(fetches));
	memset(&data, 0, sizeof(data));
	read_table(&t,
		   TL_XTRACE_ANALYZE_MIX | TL_XTRACE_ANALYZE_REUSE | TL_XTRACE_ANALYZE_FOOTPRINT,
		   part, interval, 1);
	for (size_t from = begin; from < end; from += interval, row++) {
		const size_t to = from + interval < end ? from + interval : end;
		uint64_t counts[COUNT(opcodes)] = { 0 }, user = 0, loads = 0, stores = 0, all = 0;

		fetched_before = fetches;
		data_before = data;
		for (size_t i = from; i < to; i++) {
			const struct step *s = &e.steps[i];

			if (!of_part(part, i))
				continue;
			all++;
			user += s->el == 0;
			counts[s->what]++;
			loads += s->what == 1 ? s->count : 0;
			stores += s->what == 2 ? s->count : 0;
			touch_step(&fetches, &data, s);
		}
		assert_int_equal(number(&t, row, "interval"), row);
		assert_int_equal(number(&t, row, "first"), from);
		assert_int_equal(number(&t, row, "instructions"), all);
		assert_int_equal(number(&t, row, "user"), user);
		assert_int_equal(number(&t, row, "loads"), loads);
		assert_int_equal(number(&t, row, "stores"), stores);
		for (size_t what = 0; what < COUNT(opcodes); what++) {
			char column[32];

			snprintf(column, sizeof(column), "class:%s", classes[what]);
			assert_int_equal(number(&t, row, column), counts[what]);
		}
		assert_reuse(&t, row, "fetch", &fetches, &fetched_before);
		assert_reuse(&t, row, "data", &data, &data_before);
		assert_int_equal(number(&t, row, "lines:fetched"),
				 different(part, from, to, false, LINE));
		assert_int_equal(number(&t, row, "lines:data"),
				 different(part, from, to, true, LINE));
		assert_int_equal(number(&t, row, "pages:fetched"),
				 different(part, from, to, false, PAGE));
		assert_int_equal(number(&t, row, "pages:data"),
				 different(part, from, to, true, PAGE));
	}
	assert_int_equal(t.rows - 1, row);
	free(t.text);
}

TEST(intervals_have_what_grew_in_them)
{
	static const uint64_t intervals[] = { 100, 499, 1500, 4000 };

	for (uint32_t seed = 1; seed < 9; seed++) {
		draw(seed, seed % 2);
		assert_intervals(NULL, intervals[seed % COUNT(intervals)]);
		/* of levels that do not count caches and the like are still filled */
		if (!parts[seed % COUNT(parts)].levels)
			assert_intervals(&parts[seed % COUNT(parts)], 100);
	}
}

/* ---- streams together ---- */

enum { EACH = 700 };

/* "At most one access an instruction", whose TIME is drawn; 0: it has none. */
static uint64_t times[2][EACH];

static void draw_times(uint32_t seed, struct pair *pairs)
{
	for (int stream = 0; stream < 2; stream++) {
		uint64_t time = 10 + chance(&seed, 10);

		pairs[stream] = begin_pair();
		for (size_t i = 0; i < EACH; i++) {
			const bool accesses = !i || chance(&seed, 3);

			times[stream][i] = 0;
			if (i)
				put_inst(&pairs[stream].stream, 0, accesses ? A64_LDR : A64_NOP);
			else
				put_pcinst(&pairs[stream].stream, 0, 0x1000, A64_LDR);
			if (!accesses)
				continue;
			/* no two are at the same time */
			time += 2 * (1 + chance(&seed, stream ? 30 : 20));
			times[stream][i] = 2 * (time / 2) + (uint64_t)stream;
			put_value(&pairs[stream].stream, TIME, times[stream][i]);
			put_access(&pairs[stream].stream, LOAD, 3, 0x9000, 1);
		}
	}
}

/* Instructions before the first access behind a time. */
static uint64_t before_next_access(int stream, uint64_t time)
{
	uint64_t n = 0;

	while (n < EACH && times[stream][n] <= time)
		n++;
	return n;
}

/* The time of the first access behind a time; UINT64_MAX: there is none. */
static uint64_t next_access(uint64_t time)
{
	uint64_t next = UINT64_MAX;

	for (int stream = 0; stream < 2; stream++)
		for (size_t n = 0; n < EACH; n++)
			if (times[stream][n] > time && times[stream][n] < next)
				next = times[stream][n];
	return next;
}

/* What was executed at the ends of all intervals but the last one; their number. */
static size_t find_ends(uint64_t interval, uint64_t *ends)
{
	uint64_t end = interval;
	size_t count = 0;

	for (uint64_t t = next_access(0); next_access(t) != UINT64_MAX; t = next_access(t)) {
		const uint64_t done = before_next_access(0, t) + before_next_access(1, t);

		if (done < end)
			continue;
		ends[count++] = done;
		while (end <= done)
			end += interval;
	}
	return count;
}

/*
 * "One ends when all of them have executed N instructions together since the one before, at the
 * next access in the order of TIME"; "no access in an interval is later than one of the next".
 */
TEST(intervals_of_streams_together)
{
	static const uint64_t intervals[] = { 1, 10, 64, 333, 2000 };

	for (size_t i = 0; i < 4 * COUNT(intervals); i++) {
		const struct tl_xtrace_analysis_options options = {
			.analyses = TL_XTRACE_ANALYZE_FOOTPRINT,
			.form = TL_XTRACE_CSV,
			.thread = TL_NOWHERE,
			.interval = intervals[i % COUNT(intervals)],
			.together = true,
		};
		uint64_t done[2] = { 0, 0 }, latest = 0, all = 0;
		static uint64_t cut_at[2 * EACH];
		struct pair pairs[2];
		static struct table t;
		struct tl_output *out;
		struct trace trace;
		size_t size, rows, ends[2], cuts;
		char *text;

		draw_times((uint32_t)i + 1, pairs);
		open_pairs(&trace, pairs);
		assert_int_equal(tl_output_open_memory(&out, NULL), 0);
		assert_int_equal(tl_xtrace_analyze(trace.trace, &options, out, &trace.err), 0);
		assert_non_null(tl_output_bytes(out, &size));
		text = strndup(tl_output_bytes(out, &size), size);
		assert_non_null(text);
		tl_output_discard(out);
		close_trace(&trace);
		free_pairs(pairs);
		take_table(&t, text);
		/* those of a stream are together; one may have none in the last interval */
		for (rows = 1; rows + 1 < t.rows && number(&t, rows, "interval"); rows++)
			;
		ends[0] = rows;
		ends[1] = t.rows - 1 - rows;
		cuts = find_ends(options.interval, cut_at);
		assert_int_equal(ends[0] > ends[1] ? ends[0] : ends[1], cuts + 1);
		for (size_t interval = 0; interval < ends[0] || interval < ends[1]; interval++) {
			uint64_t now = 0;

			for (int stream = 0; stream < 2; stream++) {
				const size_t row = (stream ? ends[0] : 0) + interval;
				const uint64_t first = done[stream];
				uint64_t count;

				if (interval >= ends[stream])
					continue;
				count = number(&t, row, "instructions");
				assert_int_equal(number(&t, row, "interval"), interval);
				assert_int_equal(number(&t, row, "first"), first);
				for (uint64_t n = first; n < first + count; n++) {
					assert_true(!times[stream][n] || times[stream][n] > latest);
					now = times[stream][n] > now ? times[stream][n] : now;
				}
				done[stream] += count;
				all += count;
			}
			latest = now > latest ? now : latest;
			if (interval < cuts)
				assert_int_equal(all, cut_at[interval]);
		}
		assert_int_equal(done[0], EACH);
		assert_int_equal(done[1], EACH);
		free(t.text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(instructions_by_class_and_level),
		cmocka_unit_test(blocks_are_what_was_executed_between_branches),
		cmocka_unit_test(vectors_have_the_instructions_of_their_blocks),
		cmocka_unit_test(intervals_are_those_of_vectors),
		cmocka_unit_test(intervals_have_what_grew_in_them),
		cmocka_unit_test(intervals_of_streams_together),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
