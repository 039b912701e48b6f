/* SPDX-License-Identifier: Apache-2.0 */
#include "xray/profile/caller_check.h"

#include <stdlib.h>
#include <string.h>

/* Number of records behind a call that are searched for the exit of its caller. */
enum { MOST_RECORDS = 1 << 16 };

enum { RESUMES_YES = 1, RESUMES_NO = 2 };

static bool same_pair(const void *context, const void *key, uint32_t number)
{
	const struct tl_xray_call_pair *a = &((const struct tl_xray_caller_check *)context)
						     ->pairs[number],
				       *b = key;

	return a->caller == b->caller && a->callee == b->callee;
}

static struct tl_xray_call_pair *find_pair(struct tl_xray_caller_check *j, uint32_t caller,
					   uint32_t callee)
{
	struct tl_xray_call_pair key = { .caller = caller, .callee = callee };
	uint32_t found = tl_index_find(&j->index, tl_hash_pair(caller, callee), same_pair, j, &key);

	return found == TL_NONE ? NULL : &j->pairs[found];
}

/* NULL without memory. */
static struct tl_xray_call_pair *add_pair(struct tl_xray_caller_check *j, uint32_t caller,
					  uint32_t callee)
{
	struct tl_xray_call_pair pair = { .caller = caller, .callee = callee };

	pair.possible = tl_xray_can_call(j->call_graph, j->ids->ids[caller], j->ids->ids[callee]);
	if (j->count >= TL_NONE || !tl_grow(&j->pairs, &j->capacity, j->count + 1, sizeof(pair)) ||
	    !tl_index_add(&j->index, tl_hash_pair(caller, callee), (uint32_t)j->count)) {
		j->no_memory = true;
		return NULL;
	}
	j->pairs[j->count] = pair;
	return &j->pairs[j->count++];
}

static bool can_call(struct tl_xray_caller_check *j, uint32_t caller, uint32_t callee)
{
	const struct tl_xray_call_pair *pair = find_pair(j, caller, callee);

	if (!pair)
		pair = add_pair(j, caller, callee);
	return !pair || pair->possible;
}

bool tl_xray_caller_check_can(struct tl_xray_caller_check *caller_check, uint32_t caller,
			      uint32_t callee)
{
	return can_call(caller_check, caller, callee);
}

static bool can_resume(struct tl_xray_caller_check *j, uint32_t function)
{
	size_t had = j->resume_capacity;

	if (!tl_grow(&j->resumes, &j->resume_capacity, (size_t)function + 1, sizeof(*j->resumes))) {
		j->no_memory = true;
		return true;
	}
	memset(j->resumes + had, 0, j->resume_capacity - had);
	if (!j->resumes[function])
		j->resumes[function] = tl_xray_can_resume(j->call_graph, j->ids->ids[function])
					       ? RESUMES_YES
					       : RESUMES_NO;
	return j->resumes[function] == RESUMES_YES;
}

bool tl_xray_caller_check_could(void *caller_check, uint32_t caller, uint32_t callee)
{
	return can_call(caller_check, caller, callee) && can_resume(caller_check, caller);
}

/* Whether the innermost frame exits later. If it does, it made the call, whatever its code says. */
static bool exits_later(struct tl_xray_caller_check *j, uint32_t caller, uint32_t callee,
			const struct tl_xray_stream *stream, tl_xray_number_fn *number, void *arg)
{
	struct tl_xray_ahead ahead = { .first = callee,
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

static size_t caller_below(struct tl_xray_caller_check *j, const struct tl_fold *fold,
			   uint32_t function)
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

size_t tl_xray_frames_kept(struct tl_xray_caller_check *caller_check, const struct tl_fold *fold,
			   uint32_t function, const struct tl_xray_stream *stream,
			   tl_xray_number_fn *number, void *arg)
{
	size_t depth = tl_fold_depth(fold);
	uint32_t caller = tl_fold_top(fold);
	struct tl_xray_call_pair *pair;

	if (!depth || !caller_check->call_graph)
		return depth;
	pair = find_pair(caller_check, caller, function);
	if (!pair)
		pair = add_pair(caller_check, caller, function);
	if (pair && !pair->possible && !pair->looked) {
		bool possible = exits_later(caller_check, caller, function, stream, number, arg);

		pair->possible = possible;
		pair->looked = true;
	}
	return !pair || pair->possible ? depth : caller_below(caller_check, fold, function);
}

void tl_xray_caller_check_end(struct tl_xray_caller_check *caller_check)
{
	tl_index_free(&caller_check->index);
	free(caller_check->pairs);
	free(caller_check->resumes);
	*caller_check = (struct tl_xray_caller_check){ 0 };
}
