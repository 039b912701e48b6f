/* SPDX-License-Identifier: Apache-2.0 */
#include "xtrace/profile/bins.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "profile/model/model.h"
#include "xtrace/profile/fold.h"

/* ---- the bins of a stream, and their parts ---- */

static bool same_bin(const void *context, const void *key, uint32_t number)
{
	const struct tl_xtrace_bin *a = &((const struct tl_xtrace_bins *)context)->list[number],
				   *b = key;

	return a->interval == b->interval && a->key == b->key;
}

static void name_stream(const struct tl_xtrace_fold *fold, char *name, size_t size)
{
	const struct tl_xtrace_stream_info *info = &fold->trace->streams[fold->stream].info;

	snprintf(name, size, "%s %" PRIu64, info->stream_type ? "core" : "thread", info->id);
}

static void name_bin(const struct tl_xtrace_fold *fold, char *name, size_t size)
{
	const struct tl_xtrace_bins *bins = &fold->bins;
	const struct tl_xtrace_places *places = &fold->places[fold->stream];

	if (fold->options.interval) {
		const struct tl_xtrace_place *at = &places->list[bins->interval - 1];
		uint64_t end = bins->interval < places->count ? at[1].instruction : 0;

		if (end)
			snprintf(name, size, "instructions %" PRIu64 "..%" PRIu64, at->instruction,
				 end);
		else
			snprintf(name, size, "instructions %" PRIu64 "..", at->instruction);
	} else if (!bins->keyed) {
		name_stream(fold, name, size);
	} else if (fold->options.split == TL_XTRACE_BY_LEVEL) {
		snprintf(name, size, "EL%" PRIu64, bins->key);
	} else {
		snprintf(name, size, "task 0x%" PRIx64, bins->key);
	}
}

static int64_t put_part(struct tl_xtrace_fold *fold, struct tl_error *err)
{
	char name[64];
	const struct tl_part part = {
		.process = TL_NOWHERE,
		.thread = fold->trace->streams[fold->stream].info.id,
		.number = fold->options.interval ? fold->bins.interval : 0,
		.command = name,
		.header = "",
	};

	name_bin(fold, name, sizeof(name));
	return tl_profile_put_part(fold->profile, &part, err);
}

static uint32_t add_bin(struct tl_xtrace_fold *fold, struct tl_error *err)
{
	struct tl_xtrace_bins *bins = &fold->bins;
	int64_t part = put_part(fold, err);

	if (part < 0)
		return TL_NONE;
	if (bins->count >= TL_NONE - 1 ||
	    !tl_grow(&bins->list, &bins->capacity, bins->count + 1, sizeof(*bins->list))) {
		tl_error_memory(err);
		return TL_NONE;
	}
	bins->list[bins->count] =
		(struct tl_xtrace_bin){ bins->interval, bins->key, (uint32_t)part, 0 };
	return (uint32_t)bins->count++;
}

static uint64_t hash_of(const struct tl_xtrace_bins *bins)
{
	return tl_hash_pair(bins->interval, bins->key);
}

/* The number of the present bin; TL_NONE without memory. */
static uint32_t present(struct tl_xtrace_fold *fold, struct tl_error *err)
{
	struct tl_xtrace_bins *bins = &fold->bins;
	const struct tl_xtrace_bin key = { .interval = bins->interval, .key = bins->key };
	uint32_t found = tl_index_find(&bins->index, hash_of(bins), same_bin, bins, &key);

	if (found != TL_NONE)
		return found;
	found = add_bin(fold, err);
	if (found == TL_NONE || tl_index_add(&bins->index, hash_of(bins), found))
		return found;
	tl_error_memory(err);
	return TL_NONE;
}

/* The first task that a stream tells is the one that it began with. */
static bool name_first(struct tl_xtrace_fold *fold)
{
	struct tl_xtrace_bins *bins = &fold->bins;
	struct tl_xtrace_bin *bin = &bins->list[bins->unnamed - 1];
	char name[64];
	const char *kept;

	name_bin(fold, name, sizeof(name));
	kept = tl_profile_intern(fold->profile, name, strlen(name));
	if (!kept || !tl_index_add(&bins->index, hash_of(bins), bins->unnamed - 1))
		return false;
	fold->profile->parts.list[bin->part].command = kept;
	bin->key = bins->key;
	bins->unnamed = 0;
	return true;
}

/* Go to the present bin. Nothing is counted before the level is known, or outside of the part. */
static int enter(struct tl_xtrace_fold *fold, struct tl_error *err)
{
	struct tl_xtrace_bins *bins = &fold->bins;
	uint32_t *now = &fold->stack.bins.now;

	if (!bins->interval || (!bins->keyed && fold->options.split == TL_XTRACE_BY_LEVEL))
		return 0;
	if (bins->keyed || fold->options.split != TL_XTRACE_BY_TASK) {
		*now = present(fold, err);
	} else if (!bins->unnamed) {
		*now = add_bin(fold, err);
		bins->unnamed = *now + 1;
	}
	return *now == TL_NONE ? TL_NO_MEMORY : 0;
}

/* ---- contexts of the stack in the profile ---- */

/* Room for at least so many, of which all new ones are zero. */
static bool grow_zeroed(void *list, size_t *capacity, size_t count, size_t size)
{
	size_t before = *capacity;
	char *bytes;

	if (!tl_grow(list, capacity, count, size))
		return false;
	memcpy(&bytes, list, sizeof(bytes));
	if (*capacity > before)
		memset(bytes + before * size, 0, (*capacity - before) * size);
	return true;
}

static uint32_t function_number(struct tl_xtrace_fold *fold, uint32_t function,
				struct tl_error *err)
{
	struct tl_xtrace_bins *bins = &fold->bins;
	int64_t number;

	if (!grow_zeroed(&bins->functions, &bins->function_capacity, (size_t)function + 1,
			 sizeof(*bins->functions))) {
		tl_error_memory(err);
		return TL_NONE;
	}
	if (bins->functions[function])
		return bins->functions[function] - 1;
	number = tl_xtrace_put_function(&fold->functions, function, fold->profile, err);
	if (number < 0)
		return TL_NONE;
	bins->functions[function] = (uint32_t)number + 1;
	return (uint32_t)number;
}

/* The context under `parent` (TL_NONE: none). */
static uint32_t put_context(struct tl_xtrace_fold *fold, uint32_t node, uint32_t bin,
			    uint32_t parent, struct tl_error *err)
{
	uint32_t function = function_number(fold, fold->stack.contexts.list[node].function, err);
	int64_t number;

	if (function == TL_NONE)
		return TL_NONE;
	number = tl_profile_add_context(fold->profile, parent, function, fold->bins.list[bin].part,
					err);
	if (number < 0)
		return TL_NONE;
	fold->bins.contexts[node] = (struct tl_xtrace_binned_context){ bin + 1, (uint32_t)number };
	return (uint32_t)number;
}

/* The number of a context in the profile, in the part of a bin; TL_NONE without memory. */
static uint32_t context_in(struct tl_xtrace_fold *fold, uint32_t node, uint32_t bin,
			   struct tl_error *err)
{
	const struct tl_xtrace_contexts *contexts = &fold->stack.contexts;
	struct tl_xtrace_bins *bins = &fold->bins;
	size_t length = 0;
	uint32_t number = TL_NONE;

	if (!grow_zeroed(&bins->contexts, &bins->context_capacity, contexts->count,
			 sizeof(*bins->contexts)))
		goto no_memory;
	for (; node && bins->contexts[node].bin != bin + 1; node = contexts->list[node].parent) {
		if (!tl_grow(&bins->path, &bins->path_capacity, length + 1, sizeof(*bins->path)))
			goto no_memory;
		bins->path[length++] = node;
	}
	if (node)
		number = bins->contexts[node].number;
	while (length) {
		number = put_context(fold, bins->path[--length], bin, number, err);
		if (number == TL_NONE)
			return TL_NONE;
	}
	return number;

no_memory:
	tl_error_memory(err);
	return TL_NONE;
}

static bool any_count(const struct tl_xtrace_context *context)
{
	bool any = context->calls || context->unfinished;

	for (unsigned i = 0; i < TL_XTRACE_COSTS; i++)
		any = any || context->self.n[i];
	return any;
}

/* What a context was counted since it was added last. */
static int add_context(struct tl_xtrace_fold *fold, uint32_t node, uint32_t bin,
		       struct tl_error *err)
{
	struct tl_xtrace_context *context = &fold->stack.contexts.list[node];
	uint32_t number;

	context->touched = false;
	if (!node || !any_count(context))
		return 0; /* the outside, or not of the part */
	if (context->self.n[TL_XTRACE_IR_KERNEL] && !fold->trace->no_accesses &&
	    tl_xtrace_put_kernel_event(fold->profile, err) < 0)
		return TL_NO_MEMORY;
	number = context_in(fold, node, bin, err);
	if (number == TL_NONE)
		return TL_NO_MEMORY;
	tl_profile_add_context_cost(fold->profile, number, context->calls, context->self.n);
	tl_profile_add_unfinished(fold->profile, number, context->unfinished);
	fold->bins.list[bin].instructions += context->self.n[TL_XTRACE_IR];
	context->calls = context->unfinished = 0;
	context->self = (struct tl_xtrace_cost){ { 0 } };
	return 0;
}

/* ---- from bin to bin ---- */

static int flush(struct tl_xtrace_fold *fold, struct tl_error *err)
{
	struct tl_xtrace_stack_bins *of = &fold->stack.bins;
	int status = 0;

	for (size_t i = 0; status == 0 && i < of->touched_count; i++)
		status = add_context(fold, of->touched[i], of->now, err);
	of->touched_count = 0;
	return status;
}

int tl_xtrace_bins_mark(struct tl_xtrace_fold *fold, const struct tl_xtrace_stack_mark *mark,
			struct tl_error *err)
{
	struct tl_xtrace_bins *bins = &fold->bins;
	bool same = mark->kind == TL_XTRACE_MARK_KEY && !bins->keyed;
	int status = same ? 0 : flush(fold, err);

	if (status < 0)
		return status;
	if (mark->kind == TL_XTRACE_MARK_INTERVAL) {
		bins->interval = mark->value;
	} else {
		bins->key = mark->value;
		bins->keyed = true;
		if (bins->unnamed && !name_first(fold))
			return tl_error_memory(err);
	}
	return enter(fold, err);
}

static int put_unfinished(struct tl_xtrace_fold *fold, struct tl_error *err)
{
	const struct tl_xtrace_stack_bins *of = &fold->stack.bins;

	for (size_t i = 0; i < of->unfinished_count; i++) {
		uint32_t number =
			context_in(fold, of->unfinished[i].node, of->unfinished[i].bin, err);

		if (number == TL_NONE)
			return TL_NO_MEMORY;
		tl_profile_add_unfinished(fold->profile, number, 1);
	}
	return 0;
}

int tl_xtrace_bins_end(struct tl_xtrace_fold *fold, struct tl_error *err)
{
	const struct tl_xtrace_bins *bins = &fold->bins;
	struct tl_part *parts = fold->profile->parts.list;
	int status = flush(fold, err);

	if (status == 0)
		status = put_unfinished(fold, err);
	for (size_t i = 0; i < bins->count; i++)
		parts[bins->list[i].part].records = (uint64_t)bins->list[i].instructions;
	/* Whose they are is not known. */
	if (bins->count)
		tl_losses_add(&parts[bins->list[0].part].losses, &fold->stack.losses);
	return status;
}

void tl_xtrace_bins_free(struct tl_xtrace_bins *bins)
{
	free(bins->list);
	tl_index_free(&bins->index);
	free(bins->contexts);
	free(bins->functions);
	free(bins->path);
	*bins = (struct tl_xtrace_bins){ 0 };
}
