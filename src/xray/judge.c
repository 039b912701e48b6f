/* SPDX-License-Identifier: Apache-2.0 */
#include "xray/judge.h"

#include <stdlib.h>
#include <string.h>

/* Records behind a call in which the exit of its caller is looked for. */
enum { MOST_RECORDS = 1 << 16 };

enum { RESUMES_YES = 1, RESUMES_NO = 2 };

static bool same_pair(const void *context, const void *key, uint32_t number)
{
	const struct xray_pair *a = &((const struct xray_judge *)context)->pairs[number], *b = key;

	return a->caller == b->caller && a->callee == b->callee;
}

static struct xray_pair *find_pair(struct xray_judge *j, uint32_t caller, uint32_t callee)
{
	struct xray_pair key = { .caller = caller, .callee = callee };
	uint32_t found = tl_index_find(&j->index, tl_hash_pair(caller, callee), same_pair, j, &key);

	return found == TL_NONE ? NULL : &j->pairs[found];
}

/* NULL without memory. */
static struct xray_pair *add_pair(struct xray_judge *j, uint32_t caller, uint32_t callee)
{
	struct xray_pair pair = { .caller = caller, .callee = callee };

	pair.possible = tl_xray_can_call(j->reach, j->ids->ids[caller], j->ids->ids[callee]);
	if (j->count >= TL_NONE || !tl_grow(&j->pairs, &j->capacity, j->count + 1, sizeof(pair)) ||
	    !tl_index_add(&j->index, tl_hash_pair(caller, callee), (uint32_t)j->count)) {
		j->no_memory = true;
		return NULL;
	}
	j->pairs[j->count] = pair;
	return &j->pairs[j->count++];
}

static bool can_call(struct xray_judge *j, uint32_t caller, uint32_t callee)
{
	const struct xray_pair *pair = find_pair(j, caller, callee);

	if (!pair)
		pair = add_pair(j, caller, callee);
	return !pair || pair->possible;
}

static bool can_resume(struct xray_judge *j, uint32_t function)
{
	size_t had = j->resume_capacity;

	if (!tl_grow(&j->resumes, &j->resume_capacity, (size_t)function + 1, sizeof(*j->resumes))) {
		j->no_memory = true;
		return true;
	}
	memset(j->resumes + had, 0, j->resume_capacity - had);
	if (!j->resumes[function])
		j->resumes[function] = tl_xray_can_resume(j->reach, j->ids->ids[function])
					       ? RESUMES_YES
					       : RESUMES_NO;
	return j->resumes[function] == RESUMES_YES;
}

bool tl_xray_judge_could(void *judge, uint32_t caller, uint32_t callee)
{
	return can_call(judge, caller, callee) && can_resume(judge, caller);
}

/* Whether the innermost frame exits later: then it made the call, whatever its code says. */
static bool exits_later(struct xray_judge *j, uint32_t caller, uint32_t callee,
			const struct xray_stream *stream, xray_number_fn *number, void *arg)
{
	struct xray_ahead ahead = { .first = callee,
				    .most_exits = 1,
				    .most_records = MOST_RECORDS };
	bool exits;

	if (tl_xray_look_ahead(stream, number, arg, &ahead, NULL) < 0)
		j->no_memory = true;
	exits = ahead.count && ahead.exits[0] == caller;
	free(ahead.exits);
	return exits;
}

static uint32_t frame(const struct tl_fold *fold, size_t depth)
{
	return fold->frames[depth].function;
}

static size_t caller_below(struct xray_judge *j, const struct tl_fold *fold, uint32_t function)
{
	size_t nearest = 0;

	for (size_t depth = tl_fold_depth(fold) - 1; depth; depth--) {
		if (!can_call(j, frame(fold, depth), function))
			continue;
		if (can_resume(j, frame(fold, depth)))
			return depth;
		nearest = nearest ? nearest : depth;
	}
	return nearest;
}

size_t tl_xray_judge(struct xray_judge *judge, const struct tl_fold *fold, uint32_t function,
		     const struct xray_stream *stream, xray_number_fn *number, void *arg)
{
	size_t depth = tl_fold_depth(fold);
	uint32_t caller = tl_fold_top(fold);
	struct xray_pair *pair;

	if (!depth || !judge->reach)
		return depth;
	pair = find_pair(judge, caller, function);
	if (!pair)
		pair = add_pair(judge, caller, function);
	if (pair && !pair->possible && !pair->looked) {
		bool possible = exits_later(judge, caller, function, stream, number, arg);

		pair->possible = possible;
		pair->looked = true;
	}
	return !pair || pair->possible ? depth : caller_below(judge, fold, function);
}

void tl_xray_judge_end(struct xray_judge *judge)
{
	tl_index_free(&judge->index);
	free(judge->pairs);
	free(judge->resumes);
	*judge = (struct xray_judge){ 0 };
}
