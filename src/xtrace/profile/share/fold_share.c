/* SPDX-License-Identifier: Apache-2.0 */
#include "xtrace/profile/share/fold_share.h"

#include <stdlib.h>

#include "core/error.h"
#include "core/wide.h"
#include "xtrace/profile/share/stack_state.h"

/* ---- which segments ---- */

/* Where share `number` begins: by bytes, but each has a segment. */
static size_t border(const struct tl_xtrace_stream *stream, uint32_t number, uint32_t count)
{
	size_t at = 0;

	for (uint32_t i = 1; i <= number; i++) {
		const uint64_t wanted = (uint64_t)tl_share((int64_t)stream->size, i, count);
		const size_t last = stream->segment_count - (count - i);

		for (at++; at < last && stream->segments[at].begin < wanted;)
			at++;
	}
	return at;
}

void tl_xtrace_fold_share_begin(struct tl_xtrace_fold *fold, struct tl_xtrace_stream *stream)
{
	struct tl_xtrace_fold_share *share = &fold->queue.share;
	const struct tl_xtrace_fold_options *o = &fold->options;
	size_t begin, end;

	begin = border(stream, o->share, o->shares);
	end = border(stream, o->share + 1, o->shares);
	share->on = true;
	share->whole = stream->segments;
	share->whole_count = stream->segment_count;
	stream->segments += begin;
	stream->segment_count = end - begin;
}

void tl_xtrace_fold_share_end(struct tl_xtrace_fold *fold, struct tl_xtrace_stream *stream)
{
	stream->segments = fold->queue.share.whole;
	stream->segment_count = fold->queue.share.whole_count;
}

static int refuse(struct tl_error *err, const char *why)
{
	return tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE, why);
}

/* ---- what all shares have to know: entries, and whether there is an event more ---- */

/* From one instruction to the next one that a share, or a segment, begins with. */
struct share_borders {
	struct tl_xtrace_fold *fold;
	struct tl_xtrace_prev_insn last;
	struct tl_xtrace_location first; /* of all */
	bool any;
};

static void learn(struct share_borders *c, uint64_t pc)
{
	if (!tl_xtrace_function_map_learn(&c->fold->functions, pc))
		c->fold->no_memory = true;
}

static void pass_border(struct share_borders *c, const struct tl_xtrace_location *first,
			const struct tl_xtrace_prev_insn *last)
{
	uint64_t entries[2];
	size_t count = c->last.valid ? tl_xtrace_entries_between(&c->last, first, entries) : 0;

	for (size_t i = 0; i < count; i++)
		learn(c, entries[i]);
	if (!c->any)
		c->first = *first;
	c->any = true;
	c->last = *last;
}

/* Entries that show between the segments of the share. */
static void find_borders(struct share_borders *c)
{
	const struct tl_xtrace_fold *fold = c->fold;

	for (size_t i = 0; i < fold->trace->streams[fold->stream].segment_count; i++) {
		const struct tl_xtrace_folded_segment *part = &fold->queue.parts[i];

		if (part->kept_count && part->kept[0].op.kind == TL_XTRACE_OP_BEGIN)
			pass_border(c, &part->kept[0].op.to, &part->last);
	}
}

static void put_insn(const struct tl_xtrace_prev_insn *insn, struct tl_xtrace_words *words)
{
	tl_xtrace_words_put(words, insn->pc);
	tl_xtrace_words_put(words, insn->target);
	tl_xtrace_words_put(words, insn->flow);
	tl_xtrace_words_put(words, insn->el);
	tl_xtrace_words_put(words, insn->has_target);
	tl_xtrace_words_put(words, insn->valid);
}

static void get_insn(struct tl_xtrace_prev_insn *insn, struct tl_xtrace_words_read *words)
{
	insn->pc = tl_xtrace_words_get(words, UINT64_MAX);
	insn->target = tl_xtrace_words_get(words, UINT64_MAX);
	insn->flow = (uint8_t)tl_xtrace_words_get(words, UINT8_MAX);
	insn->el = (uint8_t)tl_xtrace_words_get(words, 3);
	insn->has_target = tl_xtrace_words_get(words, 1);
	insn->valid = tl_xtrace_words_get(words, 1);
}

static void put_entries(struct share_borders *c, struct tl_xtrace_words *words)
{
	const struct tl_xtrace_entry_points *found = &c->fold->functions.entries.found;

	tl_xtrace_words_put(words, found->count);
	for (size_t i = 0; i < found->count; i++)
		tl_xtrace_words_put(words, found->list[i]);
	tl_xtrace_words_put(words, c->fold->queue.share.kernel);
	tl_xtrace_words_put(words, c->any);
	tl_xtrace_words_put(words, c->first.pc);
	tl_xtrace_words_put(words, c->first.el);
	put_insn(&c->last, words);
}

/* What one share found; `c` has come to where it begins. */
static void take_entries(struct share_borders *c, struct tl_xtrace_words_read *words)
{
	struct tl_xtrace_location first = { .pc = 0 };
	struct tl_xtrace_prev_insn last = { .valid = false };
	uint64_t count = tl_xtrace_words_get(words, words->count);
	bool any;

	for (uint64_t i = 0; i < count && !words->bad && !c->fold->no_memory; i++)
		learn(c, tl_xtrace_words_get(words, UINT64_MAX));
	c->fold->queue.share.kernel |= tl_xtrace_words_get(words, 1);
	any = tl_xtrace_words_get(words, 1);
	first.pc = tl_xtrace_words_get(words, UINT64_MAX);
	first.el = (uint8_t)tl_xtrace_words_get(words, 3);
	get_insn(&last, words);
	if (!any || words->bad)
		return;
	/* The stream begins there. */
	if (!c->any)
		learn(c, first.pc);
	pass_border(c, &first, &last);
}

static int meet(struct tl_xtrace_fold *fold, struct tl_error *err)
{
	const struct tl_share_chain *with = fold->options.chain;
	struct share_borders mine = { .fold = fold }, all = { .fold = fold };
	struct tl_xtrace_words words = { .list = NULL };
	struct tl_xtrace_words_read read = { .data = NULL };
	size_t size = 0;
	void *told = NULL;
	int status = 0;

	find_borders(&mine);
	put_entries(&mine, &words);
	if (words.no_memory || fold->no_memory)
		status = tl_error_memory(err);
	if (status == 0)
		status = with->meet(with->arg, words.list, words.count * sizeof(*words.list), &told,
				    &size);
	free(words.list);
	if (status < 0)
		return refuse(err, "another share of the stream could not be folded");
	read.data = told;
	read.count = size / sizeof(uint64_t);
	while (read.next < read.count && !read.bad)
		take_entries(&all, &read);
	free(told);
	if (fold->no_memory)
		return tl_error_memory(err);
	return read.bad ? refuse(err, "another share of the stream told nonsense") : 0;
}

/* ---- the stack before, and behind ---- */

static void put_before(const struct tl_xtrace_fold_before *before, struct tl_xtrace_words *words)
{
	put_insn(&before->insn, words);
	tl_xtrace_words_put(words, before->counted);
	tl_xtrace_words_put(words, before->sp.sp);
	tl_xtrace_words_put(words, before->sp.known);
	tl_xtrace_words_put(words, before->sp.switched);
	tl_xtrace_words_put(words, before->sp.left);
	tl_xtrace_words_put(words, before->any);
}

static void get_before(struct tl_xtrace_fold_before *before, struct tl_xtrace_words_read *words)
{
	get_insn(&before->insn, words);
	before->counted = tl_xtrace_words_get(words, 1);
	before->sp.sp = tl_xtrace_words_get(words, UINT64_MAX);
	before->sp.known = tl_xtrace_words_get(words, 1);
	before->sp.switched = (uint8_t)tl_xtrace_words_get(words, TL_XTRACE_INHERITED);
	before->sp.left = tl_xtrace_words_get(words, UINT64_MAX);
	before->any = tl_xtrace_words_get(words, 1);
}

static int take_state(struct tl_xtrace_fold *fold, struct tl_error *err)
{
	const struct tl_share_chain *with = fold->options.chain;
	struct tl_xtrace_words_read read = { .data = NULL };
	size_t size = 0;
	void *told = NULL;

	if (!fold->options.share)
		return 0;
	if (with->before(with->arg, &told, &size) < 0)
		return refuse(err, "the share before of the stream could not be folded");
	read.data = told;
	read.count = size / sizeof(uint64_t);
	get_before(&fold->before, &read);
	if (!tl_xtrace_stack_restore(&fold->stack, &fold->functions, &read))
		read.bad = true;
	free(told);
	if (fold->stack.no_memory)
		return tl_error_memory(err);
	return read.bad ? refuse(err, "the share before of the stream told nonsense") : 0;
}

static int tell_state(struct tl_xtrace_fold *fold, struct tl_error *err)
{
	const struct tl_share_chain *with = fold->options.chain;
	struct tl_xtrace_words words = { .list = NULL };
	int status = 0;

	if (fold->options.share + 1 == fold->options.shares)
		return 0;
	put_before(&fold->before, &words);
	tl_xtrace_stack_save(&fold->stack, &fold->functions, &words);
	if (words.no_memory)
		status = tl_error_memory(err);
	else if (with->after(with->arg, words.list, words.count * sizeof(*words.list)) < 0)
		status = refuse(err, "the next share of the stream cannot be told the stack");
	free(words.list);
	return status;
}

int tl_xtrace_fold_share_splice(struct tl_xtrace_fold *fold, struct tl_error *err)
{
	int status = 0;

	if (fold->learning.again)
		return 0;
	if (fold->queue.share.full)
		return refuse(err, "the stack of the stream changes too often for shares");
	if (fold->no_memory)
		return tl_error_memory(err);
	if (fold->gather)
		status = meet(fold, err);
	if (status < 0 || tl_xtrace_function_map_stale(&fold->functions))
		return status;
	status = take_state(fold, err);
	if (status < 0)
		return status;
	tl_xtrace_fold_kept(fold);
	if (fold->no_memory || fold->stack.no_memory)
		return tl_error_memory(err);
	/* Calls that go through it have no cost there, and no lines. */
	if (!fold->stack.total.n[TL_XTRACE_IR])
		return refuse(err, "a share of the stream has no instructions");
	return tell_state(fold, err);
}
