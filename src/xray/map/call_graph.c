/* SPDX-License-Identifier: Apache-2.0 */
#include "xray/map/call_graph.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "xray/map/callees.h"
#include "xray/map/map.h"

struct tl_xray_call_graph {
	struct tl_xray_map *map;
	struct tl_xray_code code;
	uint32_t *seen; /* by function: number of the last search that reached it */
	uint32_t search;
	uint32_t *queue;
	pthread_mutex_t lock;
};

/* ---- searching ---- */

struct search {
	struct tl_xray_call_graph *call_graph;
	uint32_t target; /* TL_NONE: none */
	size_t count;
	uint8_t flags;
	bool found;
};

static void come_by(struct search *s, uint32_t function)
{
	if (function == s->target)
		s->found = true;
	if (s->call_graph->seen[function] == s->call_graph->search ||
	    s->call_graph->code.functions[function].sledded)
		return;
	s->call_graph->seen[function] = s->call_graph->search;
	s->call_graph->queue[s->count++] = function;
}

/* Search everything that a function can lead to, through functions without sleds. */
static struct search search_from(struct tl_xray_call_graph *call_graph, uint32_t from,
				 uint32_t target)
{
	struct search s = { .call_graph = call_graph, .target = target };
	uint8_t enough = target == TL_NONE ? TL_XRAY_CALLEES_RESUMES : TL_XRAY_CALLS_ANYTHING;

	if (!++call_graph->search)
		memset(call_graph->seen, 0,
		       call_graph->code.unwind.count * sizeof(*call_graph->seen));
	call_graph->seen[from] = call_graph->search;
	call_graph->queue[s.count++] = from;
	for (size_t i = 0; i < s.count && !s.found && !(s.flags & enough); i++) {
		const struct tl_xray_callees *callees =
			tl_xray_code_callees(&call_graph->code, call_graph->queue[i]);
		bool abroad = callees->flags & TL_XRAY_CALLS_OTHER_OBJECTS &&
			      !(s.flags & TL_XRAY_CALLS_OTHER_OBJECTS) && target != TL_NONE;

		s.flags |= callees->flags;
		for (uint32_t j = 0; j < callees->count; j++)
			come_by(&s, callees->calls[j]);
		if (abroad)
			tl_xray_code_find_taken(&call_graph->code);
		for (size_t j = 0; abroad && j < call_graph->code.taken_count; j++)
			come_by(&s, call_graph->code.taken[j]);
	}
	return s;
}

/* The number of the function with an id, TL_NONE: the map has none. */
static uint32_t number_of(const struct tl_xray_call_graph *call_graph, uint32_t id)
{
	const struct tl_xray_map *map = call_graph->map;
	size_t low = 0, high = map->function_count;
	uint32_t number;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (map->functions[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == map->function_count || map->functions[low].id != id)
		return TL_NONE;
	number = tl_unwind_find(&call_graph->code.unwind, map->functions[low].address);
	return number != TL_NONE && call_graph->code.unwind.functions[number].start ==
					    map->functions[low].address
		       ? number
		       : TL_NONE;
}

bool tl_xray_can_call(struct tl_xray_call_graph *call_graph, uint32_t caller, uint32_t callee)
{
	uint32_t from = number_of(call_graph, caller), to = number_of(call_graph, callee);
	bool can;

	if (from == TL_NONE || to == TL_NONE)
		return true;
	pthread_mutex_lock(&call_graph->lock);
	struct search s = search_from(call_graph, from, to);

	can = s.found || s.flags & TL_XRAY_CALLS_ANYTHING || call_graph->code.no_memory ||
	      (from == to && tl_xray_code_calls_itself(&call_graph->code, from));
	pthread_mutex_unlock(&call_graph->lock);
	return can;
}

bool tl_xray_can_resume(struct tl_xray_call_graph *call_graph, uint32_t function)
{
	uint32_t number = number_of(call_graph, function);
	bool can;

	if (number == TL_NONE)
		return true;
	pthread_mutex_lock(&call_graph->lock);
	can = search_from(call_graph, number, TL_NONE).flags & TL_XRAY_CALLEES_RESUMES ||
	      call_graph->code.no_memory;
	pthread_mutex_unlock(&call_graph->lock);
	return can;
}

bool tl_xray_call_graph_short_of_memory(const struct tl_xray_call_graph *call_graph)
{
	return call_graph->code.no_memory;
}

/* ---- begin and end ---- */

static bool open_graph(struct tl_xray_call_graph *call_graph)
{
	const struct tl_xray_map *map = call_graph->map;
	struct tl_xray_code *code = &call_graph->code;

	if (!tl_xray_code_open(code, map->binary))
		return false;
	call_graph->seen = tl_zeroed(code->unwind.count, sizeof(*call_graph->seen));
	call_graph->queue = tl_zeroed(code->unwind.count, sizeof(*call_graph->queue));
	if (!call_graph->seen || !call_graph->queue)
		return false;
	for (size_t i = 0; i < map->function_count; i++) {
		uint32_t number = tl_unwind_find(&code->unwind, map->functions[i].address);

		if (number != TL_NONE)
			code->functions[number].sledded = true;
	}
	return true;
}

struct tl_xray_call_graph *tl_xray_call_graph_open(struct tl_xray_map *map)
{
	struct tl_xray_call_graph *call_graph = calloc(1, sizeof(*call_graph));

	if (!call_graph)
		return NULL;
	call_graph->map = map;
	pthread_mutex_init(&call_graph->lock, NULL);
	if (open_graph(call_graph))
		return call_graph;
	tl_xray_call_graph_close(call_graph);
	return NULL;
}

void tl_xray_call_graph_close(struct tl_xray_call_graph *call_graph)
{
	if (!call_graph)
		return;
	tl_xray_code_close(&call_graph->code);
	free(call_graph->seen);
	free(call_graph->queue);
	pthread_mutex_destroy(&call_graph->lock);
	free(call_graph);
}
