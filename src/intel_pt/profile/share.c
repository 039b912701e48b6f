/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A share of a trace: a run of its bytes, or some of its threads (below). Of a run: where a call
 * stands depends on all calls before it, and the time of a node on the packets around it. So what
 * is before the share is decoded, too, and followed for the stack alone, which takes about two
 * fifths of the time that costs of addresses and calls take: the shares are the smaller the further
 * behind they are. The decoder, the clock and the call stack go on over the border as if there were
 * none; what begins there are the contexts and the costs.
 *
 * A border is behind the first batch of nodes that ends at its offset or behind, and is left by a
 * plain transfer: the fold of the share before it comes to the same one, since it decodes the same
 * batches. What cannot be cut like that is refused, and the trace is read as a whole.
 */
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/memory.h"
#include "intel_pt/blocks/start_psb.h"
#include "intel_pt/profile/fold.h"

enum { BORDER_LATE = 1 << 20 }; /* bytes behind a wanted border after which none is looked for */

/* ---- borders ---- */

/* What is before a share takes this part of the time that the share itself takes, byte by byte. */
#define BEFORE_COSTS 0.4

/* A border, as an offset: all shares take the same time, with what is before them. */
static uint64_t border(uint64_t size, uint32_t number, uint32_t count)
{
	double before = 0, whole = 0, part = 1;

	if (number == count)
		return UINT64_MAX;
	for (uint32_t i = 0; i < count; i++, part *= 1 - BEFORE_COSTS) {
		before += i < number ? part : 0;
		whole += part;
	}
	return (uint64_t)((double)size * before / whole);
}

static int refuse(struct tl_error *err)
{
	return tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE, "the trace cannot be shared out");
}

int tl_pt_share_begin(struct tl_pt_folder *f, struct tl_error *err)
{
	const struct tl_pt_fold_options *o = f->options;
	struct tl_pt_trace_slice slice;
	uint64_t size;
	int status = f->feed->next(f->feed->arg, &slice, err);

	f->feed->rewind(f->feed->arg);
	if (status < 0)
		return status;
	if (!status || o->watch || o->from_ticks || o->to_ticks)
		return refuse(err);
	size = (uint64_t)(slice.config.end - slice.config.begin);
	f->share = (struct tl_pt_fold_share){
		.on = true,
		.counting = !o->share,
		.begin = border(size, o->share, o->shares),
		.end = border(size, o->share + 1, o->shares),
		.options = *o,
	};
	/* With several threads batches are others. */
	f->share.options.jobs = 1;
	f->share.options.lines = o->lines && f->share.counting;
	f->options = &f->share.options;
	f->share.lines = o->lines;
	return 0;
}

/* ---- from the stack alone to costs ---- */

void tl_pt_share_opened(void *arg, struct tl_pt_frame *frame)
{
	const struct tl_pt_folder *f = arg;

	frame->call = f->pos.last == &f->pos.outside ? TL_NONE
						     : (uint32_t)(f->pos.last - f->cache->nodes);
}

/* The calls that are open go on, as calls that began earlier. */
static bool take_stack(struct tl_fold *to, const struct tl_fold *from)
{
	for (size_t i = 0; i < from->function_count && !to->no_memory; i++)
		tl_fold_add_function(to);
	to->hot.clock = from->hot.clock;
	for (const struct tl_fold_frame *frame = from->frames + 1;
	     frame <= from->hot.top && !to->no_memory; frame++)
		if (frame->gate == TL_FOLD_NO_ENTRY)
			tl_fold_enter_late(to, frame->function);
		else
			tl_fold_resume(to, frame->function, from->hot.clock - frame->start);
	to->started = from->started;
	to->last = from->last;
	to->first_ticks = from->first_ticks;
	return !to->no_memory;
}

/* Contexts are counted from here on. */
static bool renew_fold(struct tl_pt_folder *f)
{
	struct tl_fold *fold = &f->thread->stack.fold;
	struct tl_fold fresh;

	if (!tl_fold_begin(&fresh, fold->event_count, fold->exact))
		return false;
	if (!take_stack(&fresh, fold)) {
		tl_fold_free(&fresh);
		return false;
	}
	tl_fold_free(fold);
	*fold = fresh;
	return true;
}

/* The last node is the next branch's; it is not executed in this share. */
static void take_last_visit(struct tl_pt_folder *f)
{
	const uint32_t number = (uint32_t)(f->pos.last - f->cache->nodes);
	const struct tl_pt_node_addrs *l = &f->visits.nodes[number];

	if (!l->count)
		tl_pt_node_facts_scan(f, number);
	f->visits.last = tl_pt_visits_first(f, number, tl_fold_top(&f->thread->stack.fold), l->tail,
					    l->count - l->tail);
}

/* Costs of addresses and calls are counted from here on. */
static bool begin_lines(struct tl_pt_folder *f)
{
	struct tl_pt_stack *stack = &f->thread->stack;

	f->share.options.lines = true;
	if (!tl_pt_node_facts_room(f, (uint32_t)f->cache->count))
		return false;
	f->cache->scanned = 0;
	for (size_t i = 1; i <= tl_fold_depth(&stack->fold); i++) {
		const uint32_t node = stack->frames.list[i].call;

		tl_pt_addr_costs_resumed(f, i, node == TL_NONE ? 0 : tl_pt_node_last_ip(f, node));
	}
	stack->callbacks.opened = tl_pt_addr_costs_opened;
	stack->callbacks.closing = tl_pt_addr_costs_closing;
	stack->callbacks.reopened = tl_pt_addr_costs_reopened;
	take_last_visit(f);
	return !f->thread->costs.no_memory && !f->functions.no_memory;
}

/* Between two nodes, of which one follows the other, and on the only stack. */
static bool can_cut(const struct tl_pt_folder *f)
{
	return f->pos.last != &f->pos.outside && f->pos.key == f->pos.last->exit &&
	       !f->pos.aborted && !f->pos.called && !f->thread->stack.parked.count;
}

/* 1: a border that was wanted at this offset is here; 0: not yet; negative: it will not come. */
static int find_border(const struct tl_pt_folder *f, uint64_t at, struct tl_error *err)
{
	uint64_t offset;

	if (at == UINT64_MAX || tl_pt_decoder_offset(f->decoder, &offset) < 0 || offset < at)
		return 0;
	if (can_cut(f))
		return 1;
	return offset - at > BORDER_LATE ? refuse(err) : 0;
}

static int begin_counting(struct tl_pt_folder *f, struct tl_error *err)
{
	tl_pt_fold_settle(f);
	if (!renew_fold(f) || (f->share.lines && !begin_lines(f)))
		return tl_error_memory(err);
	f->share.counting = true;
	return 0;
}

int tl_pt_share_pass(struct tl_pt_folder *f, struct tl_error *err)
{
	int status;

	/* What is said of objects without names is said of the whole. */
	if (f->share.refused || f->cycles.seen || f->faults->count || f->functions.nameless_count)
		return refuse(err);
	if (!f->share.counting) {
		status = find_border(f, f->share.begin, err);
		if (status == 1)
			status = begin_counting(f, err);
		if (status < 0 || !f->share.counting)
			return status;
	}
	status = find_border(f, f->share.end, err);
	f->share.ended = status == 1;
	return status < 0 ? status : 0;
}

/* ---- what all shares have to know ---- */

/*
 * The target of a conditional jump that is never taken is named only if it runs. A function is
 * marked by its address and name, as each fold numbers them as it meets them.
 */
static uint64_t mark_of(const struct tl_pt_folder *f, uint32_t number)
{
	const struct tl_pt_function *function = &f->functions.list[number];

	return tl_hash_pair(function->address,
			    tl_hash_bytes(function->name, strlen(function->name)));
}

struct marks {
	uint64_t *list;
	size_t count, capacity;
};

static bool add_mark(struct marks *m, uint64_t mark)
{
	if (!tl_grow(&m->list, &m->capacity, m->count + 1, sizeof(*m->list)))
		return false;
	m->list[m->count++] = mark;
	return true;
}

/* Calls that go through a share in which nothing is executed have no cost there, and no lines. */
static bool has_executed(const struct tl_pt_folder *f)
{
	const struct tl_pt_addr_costs *l = &f->threads.list[0].costs;

	for (size_t i = 0; i < l->cost_count; i++)
		if (l->costs[i].executed)
			return true;
	return false;
}

static bool mark_ran(const struct tl_pt_folder *f, struct marks *m)
{
	const struct tl_pt_addr_costs *l = &f->threads.list[0].costs;
	bool *ran = tl_zeroed(f->functions.count, sizeof(*ran));
	bool ok = ran;

	for (size_t i = 0; ok && i < l->cost_count; i++)
		if (l->costs[i].function != TL_NONE)
			ran[l->costs[i].function] = true;
	for (size_t i = 0; ok && i < f->functions.count; i++)
		if (ran[i])
			ok = add_mark(m, mark_of(f, (uint32_t)i));
	free(ran);
	return ok;
}

static bool mark_unused(const struct tl_pt_folder *f, struct marks *m)
{
	const char *path;

	for (size_t i = 0; f->feed->unused && (path = f->feed->unused(f->feed->arg, i)); i++)
		if (!add_mark(m, tl_hash_bytes(path, strlen(path))))
			return false;
	return true;
}

/* How many functions ran, how many files did not, then the marks of both. */
static bool put_marks(const struct tl_pt_folder *f, struct marks *m)
{
	size_t ran;

	if (!add_mark(m, 0) || !add_mark(m, 0) || !mark_ran(f, m))
		return false;
	ran = m->count - 2;
	if (!mark_unused(f, m))
		return false;
	m->list[0] = ran;
	m->list[1] = m->count - 2 - ran;
	return true;
}

static int compare_marks(const void *left, const void *right)
{
	uint64_t a, b;

	memcpy(&a, left, sizeof(a));
	memcpy(&b, right, sizeof(b));
	return (a > b) - (a < b);
}

/* How often a mark is in a list. */
static uint64_t count_mark(const uint64_t *list, size_t count, uint64_t mark)
{
	uint64_t found = 0;

	for (size_t i = 0; i < count; i++)
		found += list[i] == mark;
	return found;
}

/* Whether what was told by this share is there, from `at` on. */
static bool has_marks(const struct marks *all, size_t at, const struct marks *mine)
{
	return mine->count <= all->count - at &&
	       !memcmp(all->list + at, mine->list, mine->count * sizeof(*mine->list));
}

/* Take what all shares told. False: it is nonsense, or there is no memory. */
static bool take_marks(const struct tl_pt_folder *f, const struct marks *all,
		       const struct marks *mine, struct marks *ran, struct marks *unused)
{
	uint32_t shares = 0;
	size_t at = 0;

	for (; at < all->count; shares++) {
		uint64_t ran_count, unused_count;

		if (all->count - at < 2 ||
		    (shares == f->options->share && !has_marks(all, at, mine)))
			return false;
		ran_count = all->list[at];
		unused_count = all->list[at + 1];
		at += 2;
		if (ran_count > all->count - at || unused_count > all->count - at - ran_count)
			return false;
		for (uint64_t i = 0; i < ran_count + unused_count; i++)
			if (!add_mark(i < ran_count ? ran : unused, all->list[at++]))
				return false;
	}
	return shares == f->options->shares;
}

/* A file of which no share ran anything. */
static bool is_any_unused(const struct tl_pt_folder *f, const struct marks *unused)
{
	for (size_t i = 0; i < unused->count; i++)
		if (count_mark(unused->list, unused->count, unused->list[i]) >= f->options->shares)
			return true;
	return false;
}

/* `ran`: sorted. Functions of jumps' targets may have run in another share alone. */
static void find_ran(struct tl_pt_folder *f, const struct marks *ran)
{
	const size_t had = f->functions.count;

	tl_pt_addr_costs_find_targets(f, &f->threads.list[0].costs);
	for (size_t i = 0; i < f->functions.count; i++) {
		const uint64_t mark = mark_of(f, (uint32_t)i);

		f->functions.list[i].ran =
			bsearch(&mark, ran->list, ran->count, sizeof(mark), compare_marks);
		f->functions.list[i].left_out = i >= had && !f->functions.list[i].ran;
	}
}

int tl_pt_share_meet(struct tl_pt_folder *f, struct tl_error *err)
{
	const struct tl_share_chain *with = f->options->chain;
	struct marks mine = { .list = NULL }, all = { .list = NULL }, ran = { .list = NULL },
		     unused = { .list = NULL };
	void *told = NULL;
	size_t size = 0;
	int status = tl_pt_share_check(f, err);

	if (status == 0 && !has_executed(f))
		status = refuse(err);
	if (status == 0 && !put_marks(f, &mine))
		status = tl_error_memory(err);
	if (status == 0 &&
	    with->meet(with->arg, mine.list, mine.count * sizeof(*mine.list), &told, &size) < 0)
		status = refuse(err);
	if (status == 0 && size % sizeof(*mine.list))
		status = refuse(err);
	/* For its alignment. */
	for (size_t i = 0; status == 0 && i < size / sizeof(*mine.list); i++) {
		uint64_t word;

		memcpy(&word, (const uint8_t *)told + i * sizeof(word), sizeof(word));
		if (!add_mark(&all, word))
			status = tl_error_memory(err);
	}
	if (status == 0 &&
	    (!take_marks(f, &all, &mine, &ran, &unused) || is_any_unused(f, &unused)))
		status = refuse(err);
	if (status == 0 && ran.count) {
		qsort(ran.list, ran.count, sizeof(*ran.list), compare_marks);
		find_ran(f, &ran);
	}
	free(told);
	free(mine.list);
	free(all.list);
	free(ran.list);
	free(unused.list);
	return status;
}

int tl_pt_share_check(const struct tl_pt_folder *f, struct tl_error *err)
{
	if (!f->share.on)
		return 0;
	if (f->share.refused || f->cycles.seen || f->faults->count || !f->share.counting ||
	    f->threads.count != 1 || f->share.ended != (f->share.end != UINT64_MAX))
		return refuse(err);
	return 0;
}

/* ---- shares of threads ---- */

/*
 * Each thread has a call stack of its own, so that shares of threads add up; the threads are dealt
 * out by the bytes of trace that they ran, the largest first, each to the share that has least. Who
 * folds a share sees all slices of the feed, and so deals alike.
 *
 * Where threads take turns on a stream, a share needs the decoder's state where its threads begin,
 * which follows from what ran before. With a chain its decoders begin at the last start PSB before
 * that (blocks/start_psb.h), and all shares tell each other the states that they had at the last
 * PSB of each slice. As each slice is some share's, each start PSB is passed by one of them; from
 * the first of a stream on, each state is proven by that of the one before.
 */

static bool same_id(const void *context, const void *key, uint32_t number)
{
	const struct tl_pt_deal *deal = context;

	return deal->list[number].id == *(const uint64_t *)key;
}

static uint32_t find_thread(const struct tl_pt_deal *deal, uint64_t id)
{
	return tl_index_find(&deal->index, tl_hash_pair(id, 0), same_id, deal, &id);
}

static bool add_bytes(struct tl_pt_deal *deal, uint64_t id, uint64_t bytes)
{
	uint32_t number = find_thread(deal, id);

	if (number == TL_NONE) {
		number = (uint32_t)deal->count;
		if (deal->count >= TL_NONE ||
		    !tl_grow(&deal->list, &deal->capacity, deal->count + 1, sizeof(*deal->list)) ||
		    !tl_index_add(&deal->index, tl_hash_pair(id, 0), number))
			return false;
		deal->list[deal->count++] = (struct tl_pt_dealt_thread){ .id = id };
	}
	deal->list[number].bytes += bytes;
	return true;
}

static int weigh_threads(struct tl_pt_folder *f, struct tl_error *err)
{
	struct tl_pt_trace_slice slice;
	int status;

	while ((status = f->feed->next(f->feed->arg, &slice, err)) == 1)
		if (!add_bytes(&f->threads.deal, slice.thread, slice.to - slice.from))
			return tl_error_memory(err);
	f->feed->rewind(f->feed->arg);
	return status;
}

static int compare_bytes(const void *left, const void *right)
{
	const struct tl_pt_dealt_thread *a = *(struct tl_pt_dealt_thread *const *)left,
					*b = *(struct tl_pt_dealt_thread *const *)right;

	if (a->bytes != b->bytes)
		return a->bytes < b->bytes ? 1 : -1;
	return (a > b) - (a < b);
}

static uint32_t find_least(const uint64_t *bytes, uint32_t shares)
{
	uint32_t least = 0;

	for (uint32_t i = 1; i < shares; i++)
		if (bytes[i] < bytes[least])
			least = i;
	return least;
}

static bool deal_out(struct tl_pt_deal *deal, uint32_t shares)
{
	struct tl_pt_dealt_thread **order =
		malloc((deal->count + 1) * sizeof(struct tl_pt_dealt_thread *));
	uint64_t *bytes = tl_alloc_zeroed(shares, sizeof(*bytes));
	const bool ok = order && bytes;

	for (size_t i = 0; ok && i < deal->count; i++)
		order[i] = &deal->list[i];
	if (ok)
		qsort(order, deal->count, sizeof(struct tl_pt_dealt_thread *), compare_bytes);
	for (size_t i = 0; ok && i < deal->count; i++) {
		order[i]->share = find_least(bytes, shares);
		bytes[order[i]->share] += order[i]->bytes;
	}
	free(bytes);
	free(order);
	return ok;
}

int tl_pt_deal_begin(struct tl_pt_folder *f, struct tl_error *err)
{
	const struct tl_pt_fold_options *o = f->options;
	int status = weigh_threads(f, err);

	if (status == 0 && !deal_out(&f->threads.deal, o->shares))
		return tl_error_memory(err);
	f->threads.deal.from_psbs = o->chain && o->by_threads;
	return status;
}

bool tl_pt_deal_is_mine(const struct tl_pt_folder *f, uint64_t thread)
{
	uint32_t number;

	if (!f->threads.deal.count)
		return true;
	number = find_thread(&f->threads.deal, thread);
	return number != TL_NONE && f->threads.deal.list[number].share == f->options->share;
}

/* ---- what shares of threads tell each other ---- */

static uint64_t place_of(const struct tl_pt_trace_slice *slice, uint64_t offset)
{
	return tl_hash_pair(tl_hash_pair(slice->stream, slice->base), offset);
}

static bool add_word(struct tl_pt_marks *m, uint64_t word)
{
	if (!tl_grow(&m->list, &m->capacity, m->count + 1, sizeof(*m->list)))
		return false;
	m->list[m->count++] = word;
	return true;
}

static int add_state(struct tl_pt_marks *m, const struct tl_pt_trace_slice *slice, uint64_t offset,
		     uint64_t state, struct tl_error *err)
{
	if (!add_word(m, place_of(slice, offset)) || !add_word(m, state))
		return tl_error_memory(err);
	return 0;
}

int tl_pt_deal_begun(struct tl_pt_folder *f, const struct tl_pt_trace_slice *slice, uint64_t offset,
		     struct tl_error *err)
{
	uint64_t state;

	if (tl_pt_started_state(f->decoder, &state))
		return add_state(&f->threads.deal.begun, slice, offset, state, err);
	f->threads.deal.refused = true;
	return 0;
}

int tl_pt_deal_passed(struct tl_pt_folder *f, const struct tl_pt_trace_slice *slice,
		      struct tl_error *err)
{
	uint64_t offset, state;

	if (!f->threads.deal.from_psbs || !tl_pt_take_passed(f->decoder, &offset, &state))
		return 0;
	return add_state(&f->threads.deal.passed, slice, offset, state, err);
}

static int compare_passed(const void *left, const void *right)
{
	uint64_t a[2], b[2];

	memcpy(a, left, sizeof(a));
	memcpy(b, right, sizeof(b));
	if (a[0] != b[0])
		return a[0] < b[0] ? -1 : 1;
	return (a[1] > b[1]) - (a[1] < b[1]);
}

/* How many words follow, then those of the PSBs that were passed: nobody needs the start PSBs. */
static bool put_passed(const struct tl_pt_deal *deal, struct tl_pt_marks *mine)
{
	if (!add_word(mine, deal->passed.count) ||
	    !tl_grow(&mine->list, &mine->capacity, mine->count + deal->passed.count,
		     sizeof(*mine->list)))
		return false;
	if (deal->passed.count)
		memcpy(mine->list + mine->count, deal->passed.list,
		       deal->passed.count * sizeof(*mine->list));
	mine->count += deal->passed.count;
	return true;
}

/* What all shares passed, sorted. False: it is nonsense. */
static bool take_passed(const struct tl_pt_marks *told, uint32_t shares, struct tl_pt_marks *all)
{
	uint32_t number = 0;

	for (size_t at = 0; at < told->count; number++) {
		const uint64_t count = told->list[at++];

		if (count > told->count - at || count % 2)
			return false;
		memmove(all->list + all->count, told->list + at,
			(size_t)count * sizeof(*all->list));
		all->count += (size_t)count;
		at += (size_t)count;
	}
	if (all->count)
		qsort(all->list, all->count / 2, 2 * sizeof(*all->list), compare_passed);
	return number == shares;
}

static bool are_proven(const struct tl_pt_marks *begun, const struct tl_pt_marks *all)
{
	for (size_t i = 0; i < begun->count; i += 2)
		if (!all->count || !bsearch(begun->list + i, all->list, all->count / 2,
					    2 * sizeof(*all->list), compare_passed))
			return false;
	return true;
}

/* Meet the other shares; `told` is aligned, as the caller of the fold need not be. */
static int exchange(struct tl_pt_folder *f, struct tl_pt_marks *told, struct tl_error *err)
{
	const struct tl_share_chain *with = f->options->chain;
	struct tl_pt_marks mine = { .list = NULL };
	void *bytes = NULL;
	size_t size = 0;
	int status = put_passed(&f->threads.deal, &mine) ? 0 : tl_error_memory(err);

	if (status == 0 &&
	    with->meet(with->arg, mine.list, mine.count * sizeof(*mine.list), &bytes, &size) < 0)
		status = refuse(err);
	if (status == 0 && size % sizeof(*told->list))
		status = refuse(err);
	told->count = size / sizeof(*told->list);
	told->list = status == 0 ? malloc(size + 1) : NULL;
	if (status == 0 && !told->list)
		status = tl_error_memory(err);
	if (status == 0 && size)
		memcpy(told->list, bytes, size);
	free(bytes);
	free(mine.list);
	return status;
}

int tl_pt_deal_meet(struct tl_pt_folder *f, struct tl_error *err)
{
	struct tl_pt_marks told = { .list = NULL }, all = { .list = NULL };
	int status = 0;

	if (!f->threads.deal.from_psbs)
		return 0;
	if (f->threads.deal.refused || f->cycles.seen)
		status = refuse(err);
	if (status == 0)
		status = exchange(f, &told, err);
	if (status == 0) {
		all.list = malloc((told.count + 1) * sizeof(*all.list));
		if (!all.list)
			status = tl_error_memory(err);
	}
	if (status == 0 && (!take_passed(&told, f->options->shares, &all) ||
			    !are_proven(&f->threads.deal.begun, &all)))
		status = refuse(err);
	free(told.list);
	free(all.list);
	return status;
}

void tl_pt_deal_free(struct tl_pt_deal *deal)
{
	free(deal->list);
	tl_index_free(&deal->index);
	free(deal->begun.list);
	free(deal->passed.list);
	*deal = (struct tl_pt_deal){ .list = NULL };
}
