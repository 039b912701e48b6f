/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mix: how often each opcode was executed, by exception level, as classes and as mnemonics.
 * Opcodes are counted by the blocks they stand in, so that no instruction is looked at twice.
 */
#include <stdlib.h>
#include <string.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "isa/a64/a64.h"
#include "isa/a64/a64_text.h"
#include "xtrace/parts/lanes.h"
#include "xtrace/profile/token_blocks.h"
#include "xtrace/analyze/stream_analysis.h"

enum { LEVELS = 4, WORD = 40 };

struct opcode_count {
	uint32_t opcode;
	uint64_t counts[LEVELS];
};

struct opcode_counts {
	struct opcode_count *list;
	size_t count, capacity;
	struct tl_index index;
};

struct mix_worker {
	struct tl_xtrace_token_blocks blocks;
	struct mix_worker *next;
};

struct tl_xtrace_mix {
	struct tl_xtrace_function_map functions; /* none: blocks do not care */
	pthread_mutex_t lock;
	struct mix_worker *workers;   /* of the stream that is counted */
	struct opcode_counts singles; /* of that stream, what no block has */
	struct opcode_counts opcodes; /* of the streams before */
	struct tl_a64_text *text;     /* NULL: not open yet, or there is no memory for it */
	bool opening, no_memory;
};

/* Opcodes of one name. */
struct row {
	char word[WORD];
	uint8_t class; /* enum tl_a64_class */
	uint64_t counts[LEVELS], sum;
};

/* ---- counting ---- */

static bool same_opcode(const void *context, const void *key, uint32_t number)
{
	const uint32_t *opcode = key;

	return ((const struct opcode_counts *)context)->list[number].opcode == *opcode;
}

static bool add(struct opcode_counts *counts, uint32_t opcode, unsigned el, uint64_t count)
{
	uint64_t hash = tl_hash64(opcode);
	uint32_t found = tl_index_find(&counts->index, hash, same_opcode, counts, &opcode);

	if (!count)
		return true;
	if (found == TL_NONE) {
		if (!tl_grow(&counts->list, &counts->capacity, counts->count + 1,
			     sizeof(*counts->list)) ||
		    !tl_index_add(&counts->index, hash, (uint32_t)counts->count))
			return false;
		found = (uint32_t)counts->count++;
		counts->list[found] = (struct opcode_count){ .opcode = opcode };
	}
	counts->list[found].counts[el] += count;
	return true;
}

static void free_counts(struct opcode_counts *counts)
{
	free(counts->list);
	tl_index_free(&counts->index);
	*counts = (struct opcode_counts){ .list = NULL };
}

/* An instruction of a block that is not as usual is counted by itself, at once. */
static bool count_one(struct tl_xtrace_mix *mix, struct tl_xtrace_walk *w, enum tl_xtrace_kind kind)
{
	uint32_t opcode = tl_xtrace_walk_instruction(w, kind);
	bool good;

	pthread_mutex_lock(&mix->lock);
	good = add(&mix->singles, opcode, tl_xtrace_walk_el(w), 1);
	pthread_mutex_unlock(&mix->lock);
	return good;
}

static bool count_walk(struct tl_xtrace_mix *mix, struct tl_xtrace_token_blocks *blocks,
		       struct tl_xtrace_walk *w)
{
	struct tl_xtrace_token_block *before = NULL;
	bool good = true;

	while (good && w->next < w->end && !blocks->no_memory) {
		struct tl_xtrace_token_block *b = NULL;
		enum tl_xtrace_kind kind;
		bool whole = false;
		uint64_t pc;

		if (tl_xtrace_token_block_pc(w, &pc))
			b = tl_xtrace_token_block_next(blocks, before, w, pc, &whole);
		before = whole ? b : NULL;
		if (whole) {
			b->times.whole++;
			tl_xtrace_token_block_skip(b, w);
			continue;
		}
		kind = tl_xtrace_walk_next(w);
		if (kind == TL_XTRACE_NONE)
			break;
		if (tl_xtrace_is_instruction(kind))
			good = count_one(mix, w, kind);
	}
	tl_xtrace_walk_next(w); /* how it ends, if it has not yet */
	return good && !blocks->no_memory;
}

/* A thread begins: the blocks that it counts, and whether it is to load the disassembler. */
static struct mix_worker *begin_worker(struct tl_xtrace_mix *mix,
				       const struct tl_xtrace_stream *stream, bool *opens)
{
	struct mix_worker *worker = calloc(1, sizeof(*worker));

	if (worker && !tl_xtrace_token_blocks_begin(&worker->blocks, &mix->functions)) {
		free(worker);
		worker = NULL;
	}
	pthread_mutex_lock(&mix->lock);
	*opens = !mix->opening;
	mix->opening = true;
	if (worker) {
		worker->blocks.kinds = stream->tokens.kind;
		worker->blocks.sizes = stream->tokens.size;
		worker->next = mix->workers;
		mix->workers = worker;
	} else {
		mix->no_memory = true;
	}
	pthread_mutex_unlock(&mix->lock);
	return worker;
}

static void count_pieces(void *arg, struct tl_xtrace_lanes *lanes)
{
	struct tl_xtrace_mix *mix = arg;
	struct mix_worker *worker = NULL;
	bool good = true, opens;

	while (tl_xtrace_lanes_fill(lanes)) {
		if (!worker) {
			worker = begin_worker(mix, lanes->walks[0]->stream, &opens);
			/* Loading takes as long as some pieces, which others count meanwhile. */
			if (opens)
				mix->text = tl_a64_text_open();
		}
		if (!worker)
			tl_xtrace_lanes_stop(lanes);
		else if (good && !count_walk(mix, &worker->blocks, lanes->walks[0])) {
			good = false;
			tl_xtrace_lanes_stop(lanes);
			pthread_mutex_lock(&mix->lock);
			mix->no_memory = true;
			pthread_mutex_unlock(&mix->lock);
		}
		tl_xtrace_lanes_drop(lanes, 0);
	}
}

static bool add_block(struct tl_xtrace_mix *mix, const struct tl_xtrace_token_block *b)
{
	for (size_t i = 0; i < b->insn_count; i++)
		if (!add(&mix->opcodes, b->insns[i].opcode, b->place.el & 3, b->times.whole))
			return false;
	return true;
}

static bool add_worker(struct tl_xtrace_mix *mix, const struct mix_worker *worker)
{
	for (size_t i = 0; i <= worker->blocks.mask; i++)
		for (const struct tl_xtrace_token_block *b = worker->blocks.slots[i]; b;
		     b = b->variant)
			if (!add_block(mix, b))
				return false;
	return true;
}

static bool add_singles(struct tl_xtrace_mix *mix)
{
	for (size_t i = 0; i < mix->singles.count; i++) {
		const struct opcode_count *o = &mix->singles.list[i];

		for (unsigned el = 0; el < LEVELS; el++)
			if (!add(&mix->opcodes, o->opcode, el, o->counts[el]))
				return false;
	}
	return true;
}

static void forget_stream(void *arg)
{
	struct tl_xtrace_mix *mix = arg;
	struct mix_worker *worker;

	while ((worker = mix->workers)) {
		mix->workers = worker->next;
		tl_xtrace_token_blocks_free(&worker->blocks);
		free(worker);
	}
	free_counts(&mix->singles);
}

/* The counts of a stream; another may have other tokens. */
static bool gather(struct tl_xtrace_mix *mix)
{
	bool good = !mix->no_memory && add_singles(mix);

	for (const struct mix_worker *worker = mix->workers; good && worker; worker = worker->next)
		good = add_worker(mix, worker);
	forget_stream(mix);
	return good;
}

static int count_streams(struct tl_xtrace_analysis *a, struct tl_xtrace_mix *mix,
			 struct tl_error *err)
{
	static const struct tl_xtrace_lanes_ops ops = { count_pieces, forget_stream };
	int status = 0;

	for (uint32_t i = 0; status == 0 && i < a->trace->stream_count; i++) {
		const struct tl_xtrace_stream *stream = &a->trace->streams[i];

		if (a->options.thread != TL_NOWHERE && a->options.thread != stream->info.id)
			continue;
		status = tl_xtrace_each_lane(a->trace, i, a->options.jobs, &ops, mix, err);
		if (!gather(mix) && status == 0)
			status = tl_error_memory(err);
	}
	return status;
}

/* ---- names ---- */

/* Without a disassembler an opcode is known by its encoding group. */
static void name_of(struct tl_a64_text *text, uint32_t opcode, struct row *row)
{
	const struct tl_a64 known = tl_a64_classify(opcode);
	const char *word;
	size_t size = tl_a64_mnemonic(text, opcode, &word);

	if (!tl_a64_text_disassembles(text)) {
		word = tl_a64_group(&known);
		size = strlen(word);
	}
	size = tl_min(size, WORD - 1);
	memset(row->word, 0, WORD);
	memcpy(row->word, word, size);
	row->class = known.class;
}

static void add_counts(struct row *row, const uint64_t counts[LEVELS])
{
	for (unsigned el = 0; el < LEVELS; el++) {
		row->counts[el] += counts[el];
		row->sum += counts[el];
	}
}

static int by_name(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	int order = strcmp(x->word, y->word);

	return order ? order : x->class - y->class;
}

static int by_count(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->sum != y->sum)
		return tl_compare(y->sum, x->sum);
	return by_name(a, b);
}

/* One row a name; returns how many. */
static size_t unite(struct row *rows, size_t count)
{
	size_t kept = 0;

	if (count)
		qsort(rows, count, sizeof(*rows), by_name);
	for (size_t i = 0; i < count; i++) {
		if (kept && !by_name(&rows[kept - 1], &rows[i]))
			add_counts(&rows[kept - 1], rows[i].counts);
		else
			rows[kept++] = rows[i];
	}
	if (kept)
		qsort(rows, kept, sizeof(*rows), by_count);
	return kept;
}

/* ---- tables ---- */

static const struct tl_xtrace_table_column class_columns[] = {
	{ "class", TL_XTRACE_LEFT },    { "el0", TL_XTRACE_RIGHT }, { "el1", TL_XTRACE_RIGHT },
	{ "el2", TL_XTRACE_RIGHT },     { "el3", TL_XTRACE_RIGHT }, { "all", TL_XTRACE_RIGHT },
	{ "percent", TL_XTRACE_RIGHT },
};

static const struct tl_xtrace_table_column opcode_columns[] = {
	{ "opcode", TL_XTRACE_LEFT }, { "class", TL_XTRACE_LEFT },    { "el0", TL_XTRACE_RIGHT },
	{ "el1", TL_XTRACE_RIGHT },   { "el2", TL_XTRACE_RIGHT },     { "el3", TL_XTRACE_RIGHT },
	{ "all", TL_XTRACE_RIGHT },   { "percent", TL_XTRACE_RIGHT },
};

static void put_counts(struct tl_xtrace_table *t, const struct row *row, uint64_t total)
{
	for (unsigned el = 0; el < LEVELS; el++)
		tl_xtrace_cell_u64(t, row->counts[el]);
	tl_xtrace_cell_u64(t, row->sum);
	tl_xtrace_cell_percent(t, row->sum, total);
}

static void show_classes(struct tl_xtrace_analysis *a, const struct row *rows, size_t count,
			 uint64_t total)
{
	struct row classes[TL_A64_CLASS_COUNT] = { { .sum = 0 } };
	struct tl_xtrace_table t;

	for (unsigned i = 0; i < TL_A64_CLASS_COUNT; i++) {
		classes[i].class = (uint8_t)i;
		strcpy(classes[i].word, tl_a64_class_name(i));
	}
	for (size_t i = 0; i < count; i++)
		add_counts(&classes[rows[i].class], rows[i].counts);
	qsort(classes, TL_A64_CLASS_COUNT, sizeof(*classes), by_count);
	tl_xtrace_begin_table(a, &t, "classes", "Instructions by class");
	tl_xtrace_table_columns(&t, class_columns,
				sizeof(class_columns) / sizeof(class_columns[0]));
	for (size_t i = 0; i < TL_A64_CLASS_COUNT && classes[i].sum; i++) {
		tl_xtrace_cell_text(&t, classes[i].word);
		put_counts(&t, &classes[i], total);
	}
	tl_xtrace_table_end(&t);
}

static void show_opcodes(struct tl_xtrace_analysis *a, const struct row *rows, size_t count,
			 uint64_t total)
{
	struct tl_xtrace_table t;

	tl_xtrace_begin_table(a, &t, "opcodes", "Instructions by opcode");
	tl_xtrace_table_columns(&t, opcode_columns,
				sizeof(opcode_columns) / sizeof(opcode_columns[0]));
	for (size_t i = 0; i < count && (!a->options.top || i < a->options.top); i++) {
		tl_xtrace_cell_text(&t, rows[i].word);
		tl_xtrace_cell_text(&t, tl_a64_class_name(rows[i].class));
		put_counts(&t, &rows[i], total);
	}
	tl_xtrace_table_end(&t);
}

bool tl_xtrace_mix_tables(struct tl_xtrace_analysis *a, struct tl_xtrace_mix *mix)
{
	struct row *rows = calloc(mix->opcodes.count + 1, sizeof(*rows));
	uint64_t total = 0;
	size_t count;

	if (!mix->text)
		mix->text = tl_a64_text_open();
	for (size_t i = 0; mix->text && rows && i < mix->opcodes.count; i++) {
		name_of(mix->text, mix->opcodes.list[i].opcode, &rows[i]);
		add_counts(&rows[i], mix->opcodes.list[i].counts);
		total += rows[i].sum;
	}
	if (mix->text && rows) {
		count = unite(rows, mix->opcodes.count);
		/* CSV is one table; this one has all columns. */
		if (a->options.form != TL_XTRACE_CSV)
			show_classes(a, rows, count, total);
		show_opcodes(a, rows, count, total);
	}
	free(rows);
	return mix->text && rows;
}

/* ---- the whole ---- */

struct tl_xtrace_mix *tl_xtrace_mix_begin(void)
{
	struct tl_xtrace_mix *mix = calloc(1, sizeof(*mix));

	if (!mix)
		return NULL;
	pthread_mutex_init(&mix->lock, NULL);
	tl_xtrace_function_map_begin(&mix->functions, NULL, 0);
	return mix;
}

bool tl_xtrace_mix_count(struct tl_xtrace_mix *mix, uint32_t opcode, unsigned el)
{
	return add(&mix->opcodes, opcode, el, 1);
}

void tl_xtrace_mix_free(struct tl_xtrace_mix *mix)
{
	if (!mix)
		return;
	free_counts(&mix->opcodes);
	tl_a64_text_close(mix->text);
	tl_xtrace_function_map_free(&mix->functions);
	pthread_mutex_destroy(&mix->lock);
	free(mix);
}

int tl_xtrace_show_mix(struct tl_xtrace_analysis *a, struct tl_error *err)
{
	struct tl_xtrace_mix *mix = tl_xtrace_mix_begin();
	int status;

	if (!mix)
		return tl_error_memory(err);
	tl_xtrace_rewind(a->trace);
	status = count_streams(a, mix, err);
	if (status == 0 && !tl_xtrace_mix_tables(a, mix))
		status = tl_error_memory(err);
	/* The other analyses meet the same damage again: it is counted once. */
	if (a->series.length || a->options.analyses & ~(unsigned)TL_XTRACE_ANALYZE_MIX)
		tl_xtrace_rewind(a->trace);
	tl_xtrace_mix_free(mix);
	return status;
}
