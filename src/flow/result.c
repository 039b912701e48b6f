/* SPDX-License-Identifier: Apache-2.0 */
/* What a comparison found: kept while it goes on, read afterwards. */
#include <string.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/sized.h"
#include "flow/compare.h"

enum { WINDOW = 1 << 20, MEET = 8, LISTED = 1000 };

int tl_flow_open(struct tl_flow **flow, const struct tl_flow_options *options, struct tl_error *err)
{
	struct tl_flow_options taken = { .size = sizeof(taken) };
	int status = options ? tl_take_options(&taken, sizeof(taken), sizeof(taken), options,
					       options->size, err)
			     : 0;

	*flow = NULL;
	if (status < 0)
		return status;
	if (taken.window > 1u << 28 || taken.meet > 1u << 10)
		return tl_error_at(
			err, TL_BAD_USAGE, TL_NOWHERE,
			"a window has at most 268,435,456 blocks, of which at most 1,024 "
			"have to be the same where executions meet again");
	*flow = calloc(1, sizeof(**flow));
	if (!*flow)
		return tl_error_memory(err);
	taken.window = taken.window ? taken.window : WINDOW;
	taken.meet = taken.meet ? taken.meet : MEET;
	taken.listed = taken.listed ? taken.listed : LISTED;
	(*flow)->options = taken;
	return 0;
}

void tl_flow_free(struct tl_flow *flow)
{
	if (!flow)
		return;
	for (size_t i = 0; i < flow->count; i++) {
		free(flow->pairs[i].list);
		free(flow->pairs[i].partings);
		tl_index_free(&flow->pairs[i].by_place);
		free(flow->pairs[i].stack);
	}
	free(flow->pairs);
	tl_names_free(&flow->names);
	free(flow);
}

/* ---- keeping ---- */

bool tl_flow_spot_of(struct tl_flow *flow, const struct tl_flow_source *source,
		     const struct tl_flow_block *block, uint32_t instruction,
		     struct tl_flow_spot *spot)
{
	const uint32_t into = block->starts[instruction];
	struct tl_flow_place place = block->place;

	if (!place.function && !source->name(source->arg, block->address, &place))
		return false;
	*spot = (struct tl_flow_spot){
		.function = tl_names_text(&flow->names, place.function),
		.object = tl_names_text(&flow->names, place.object),
		.into = *place.function ? place.into + into : 0,
		.offset = place.offset + into,
		.address = block->address + into,
	};
	return spot->function && spot->object;
}

static bool same_parting(const void *context, const void *key, uint32_t number)
{
	const struct tl_flow_counted *counted =
		&((const struct tl_flow_pair *)context)->partings[number];

	return !memcmp(counted->hash, key, sizeof(counted->hash));
}

/* The counter of the place; NULL: no memory. */
static struct tl_flow_parting *
parting_of(struct tl_flow_pair *pair, const struct tl_flow_difference *d, const uint64_t hashes[2])
{
	const uint64_t hash = tl_hash_pair(hashes[0], hashes[1]);
	uint32_t found = tl_index_find(&pair->by_place, hash, same_parting, pair, hashes);

	if (found != TL_NONE)
		return &pair->partings[found].parting;
	if (pair->parting_count >= TL_NONE - 1 ||
	    !tl_grow(&pair->partings, &pair->parting_room, pair->parting_count + 1,
		     sizeof(*pair->partings)) ||
	    !tl_index_add(&pair->by_place, hash, (uint32_t)pair->parting_count))
		return NULL;
	found = (uint32_t)pair->parting_count++;
	pair->partings[found] = (struct tl_flow_counted){
		.hash = { hashes[0], hashes[1] },
		.parting = { .has_last = d->has_last,
			     .last = d->last[0],
			     .next = { d->next[0], d->next[1] },
			     .has_next = { d->has_next[0], d->has_next[1] },
			     .ordinal = d->ordinal[0] },
	};
	return &pair->partings[found].parting;
}

bool tl_flow_note(struct tl_flow *flow, struct tl_flow_pair *pair,
		  const struct tl_flow_difference *d, const uint64_t hashes[2])
{
	struct tl_flow_parting *parting = parting_of(pair, d, hashes);

	if (!parting)
		return false;
	parting->times++;
	for (int side = 0; side < TL_FLOW_SIDES; side++)
		parting->instructions[side] += d->instructions[side];
	if (d->reason == TL_FLOW_MISSING)
		pair->stream.missing++;
	else
		pair->stream.differences++;
	if (pair->listed >= flow->options.listed)
		return true;
	if (!tl_grow(&pair->list, &pair->list_room, pair->listed + 1, sizeof(*pair->list)))
		return false;
	pair->list[pair->listed++] = *d;
	return true;
}

static int by_cost(const void *left, const void *right)
{
	const struct tl_flow_parting *a = &((const struct tl_flow_counted *)left)->parting,
				     *b = &((const struct tl_flow_counted *)right)->parting;
	const uint64_t x = a->instructions[0] + a->instructions[1],
		       y = b->instructions[0] + b->instructions[1];

	if (x != y)
		return tl_compare(y, x);
	return tl_compare(a->ordinal, b->ordinal);
}

void tl_flow_finish(struct tl_flow_pair *pair)
{
	if (pair->parting_count)
		qsort(pair->partings, pair->parting_count, sizeof(*pair->partings), by_cost);
	tl_index_free(&pair->by_place);
	pair->by_place = (struct tl_index){ 0 };
	pair->stream.listed = pair->listed;
	pair->stream.partings = pair->parting_count;
}

/* ---- reading ---- */

size_t tl_flow_stream_count(const struct tl_flow *flow)
{
	return flow->count;
}

size_t tl_flow_unpaired(const struct tl_flow *flow, bool after)
{
	return flow->unpaired[after];
}

static const struct tl_flow_pair *pair_at(const struct tl_flow *flow, size_t stream)
{
	return stream < flow->count ? &flow->pairs[stream] : NULL;
}

int tl_flow_stream(const struct tl_flow *flow, size_t stream, struct tl_flow_stream *to,
		   size_t size)
{
	const struct tl_flow_pair *pair = pair_at(flow, stream);

	return pair ? tl_give(to, size, sizeof(*to), &pair->stream, sizeof(*to)) : TL_BAD_USAGE;
}

int tl_flow_difference(const struct tl_flow *flow, size_t stream, uint64_t number,
		       struct tl_flow_difference *to, size_t size)
{
	const struct tl_flow_pair *pair = pair_at(flow, stream);

	if (!pair || number >= pair->listed)
		return TL_BAD_USAGE;
	return tl_give(to, size, sizeof(*to), &pair->list[number], sizeof(*to));
}

int tl_flow_parting(const struct tl_flow *flow, size_t stream, uint64_t number,
		    struct tl_flow_parting *to, size_t size)
{
	const struct tl_flow_pair *pair = pair_at(flow, stream);

	if (!pair || number >= pair->parting_count)
		return TL_BAD_USAGE;
	return tl_give(to, size, sizeof(*to), &pair->partings[number].parting, sizeof(*to));
}

int tl_flow_stack(const struct tl_flow *flow, size_t stream, uint64_t number,
		  struct tl_flow_spot *to, size_t size)
{
	const struct tl_flow_pair *pair = pair_at(flow, stream);

	if (!pair || number >= pair->stack_count)
		return TL_BAD_USAGE;
	return tl_give(to, size, sizeof(*to), &pair->stack[number], sizeof(*to));
}
