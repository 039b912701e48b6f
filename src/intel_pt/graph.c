/* SPDX-License-Identifier: Apache-2.0 */
#include "intel_pt/graph.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

enum {
	LEAST_NODES = 1 << 13,
	MOST_NODES = 1 << 21,
	UNKNOWN_NODES = 1 << 19, /* where a callback has the code */
	LEAST_SLOTS = 1 << 12,
	/* Nodes that building one may make: two edges and all links. */
	RESERVE = TL_PT_STACK + 4,
};

int tl_pt_graph_open(struct tl_pt_graph *graph, uint32_t flags)
{
	*graph = (struct tl_pt_graph){ .flags = flags, .asid = { TL_PT_ANY, TL_PT_ANY } };
	graph->reader_space = TL_PT_SPACES;
	graph->slots = calloc(LEAST_SLOTS, sizeof(*graph->slots));
	graph->mask = LEAST_SLOTS - 1;
	graph->targets = calloc(1u << TL_PT_TARGET_BITS, sizeof(*graph->targets));
	return graph->slots && graph->targets ? 0 : -TL_PT_NOMEM;
}

void tl_pt_graph_close(struct tl_pt_graph *graph)
{
	tl_pt_reader_close(&graph->reader);
	free(graph->nodes);
	free(graph->blocks);
	free(graph->slots);
	free(graph->targets);
	free(graph->lists);
}

/* Few bytes of code begin a block; and what is not used of the memory asked for is never touched. */
static uint32_t nodes_for(const struct tl_pt_image *image)
{
	uint64_t want = image->read ? UNKNOWN_NODES : LEAST_NODES;

	for (size_t i = 0; i < image->count; i++)
		want += (image->regions[i].last - image->regions[i].begin) / 2;
	return want < MOST_NODES ? (uint32_t)want : MOST_NODES;
}

static int make_room(struct tl_pt_graph *graph, uint32_t want)
{
	if (graph->nodes && graph->capacity >= want)
		return 0;
	free(graph->nodes);
	free(graph->blocks);
	graph->nodes = NULL;
	graph->blocks = NULL;
	for (; !graph->nodes && want >= LEAST_NODES; want /= 2) {
		graph->capacity = want & ~3u;
		graph->nodes = aligned_alloc(64, graph->capacity * sizeof(*graph->nodes));
		graph->blocks = malloc(graph->capacity * sizeof(*graph->blocks));
		if (graph->nodes && graph->blocks)
			return 0;
		free(graph->nodes);
		free(graph->blocks);
		graph->nodes = NULL;
		graph->blocks = NULL;
	}
	return -TL_PT_NOMEM;
}

int tl_pt_graph_reset(struct tl_pt_graph *graph, const struct tl_pt_image *image)
{
	enum tl_pt_exec_mode mode = tl_pt_graph_mode(graph);
	struct tl_pt_asid asid = graph->asid;

	if (make_room(graph, nodes_for(image)) < 0)
		return -TL_PT_NOMEM;
	memset(graph->slots, 0, ((size_t)graph->mask + 1) * sizeof(*graph->slots));
	memset(graph->targets, 0, sizeof(*graph->targets) << TL_PT_TARGET_BITS);
	memset(graph->nodes, 0, TL_PT_NODE_FIRST * sizeof(*graph->nodes));
	memset(graph->blocks, 0, TL_PT_NODE_FIRST * sizeof(*graph->blocks));
	graph->nodes[TL_PT_NODE_NONE].kind = TL_PT_NODE_EMPTY;
	graph->nodes[TL_PT_NODE_BEHIND].kind = TL_PT_NODE_AWAIT;
	graph->count = TL_PT_NODE_FIRST;
	graph->list_count = 0;
	graph->space_count = 0;
	graph->reader_space = TL_PT_SPACES;
	graph->image = image;
	graph->version = image->version;
	graph->epoch++;
	graph->full = graph->no_memory = false;
	return tl_pt_graph_switch(graph, &asid, mode);
}

int tl_pt_graph_switch(struct tl_pt_graph *graph, const struct tl_pt_asid *asid, enum tl_pt_exec_mode mode)
{
	static const struct tl_pt_asid any = { TL_PT_ANY, TL_PT_ANY };
	const struct tl_pt_asid *seen = graph->image && graph->image->by_space ? asid : &any;
	unsigned i;

	graph->asid = *asid;
	for (i = 0; i < graph->space_count; i++) {
		const struct tl_pt_space *space = &graph->spaces[i];

		if (space->mode == mode && space->asid.cr3 == seen->cr3 && space->asid.vmcs == seen->vmcs)
			break;
	}
	if (i == TL_PT_SPACES) {
		/* The present space is overwritten: nothing is decoded before all is dropped. */
		graph->full = true;
		graph->spaces[graph->space].mode = mode;
		return -TL_PT_NOMEM;
	}
	graph->spaces[i] = (struct tl_pt_space){ *seen, mode };
	if (i == graph->space_count)
		graph->space_count++;
	graph->space = i;
	return 0;
}

/* ---- nodes ---- */

static uint32_t tag_of(const struct tl_pt_node *node, const struct tl_pt_block *block)
{
	return tl_pt_node_tag(block->ip, node->space, node->kind == TL_PT_NODE_PART ? block->ninsn : 0);
}

static void put(struct tl_pt_slot *slots, uint32_t mask, uint32_t tag, uint32_t number)
{
	uint32_t i = tag & mask;

	while (slots[i].node)
		i = (i + 1) & mask;
	slots[i] = (struct tl_pt_slot){ tag, number };
}

static bool grow_slots(struct tl_pt_graph *graph)
{
	uint32_t mask = graph->mask * 2 + 1;
	struct tl_pt_slot *slots = calloc((size_t)mask + 1, sizeof(*slots));

	if (!slots)
		return false;
	for (uint32_t i = TL_PT_NODE_FIRST; i < graph->count; i++)
		put(slots, mask, tag_of(&graph->nodes[i], &graph->blocks[i]), i);
	free(graph->slots);
	graph->slots = slots;
	graph->mask = mask;
	return true;
}

/* A new node, which the caller has filled in. 0: no room. */
static uint32_t add(struct tl_pt_graph *graph, const struct tl_pt_node *node, const struct tl_pt_block *block)
{
	if (graph->count == graph->capacity) {
		graph->full = true;
		return 0;
	}
	if (graph->count >= graph->mask / 2 && !grow_slots(graph)) {
		graph->no_memory = true;
		return 0;
	}
	graph->nodes[graph->count] = *node;
	graph->blocks[graph->count] = *block;
	put(graph->slots, graph->mask, tag_of(node, block), graph->count);
	return graph->count++;
}

uint32_t tl_pt_graph_node(struct tl_pt_graph *graph, uint64_t ip)
{
	uint32_t found = tl_pt_graph_find(graph, ip);
	const struct tl_pt_node stub = { .kind = TL_PT_NODE_STUB, .space = (uint8_t)graph->space };
	const struct tl_pt_block block = { .ip = ip };

	if (found)
		return found;
	return add(graph, &stub, &block);
}

uint32_t tl_pt_graph_target_slow(struct tl_pt_graph *graph, struct tl_pt_target *target, uint64_t ip)
{
	uint32_t step = tl_pt_step(tl_pt_graph_node(graph, ip));

	if (step)
		*target = (struct tl_pt_target){ ip, step, graph->space };
	return step;
}

/* ---- building ---- */

/* The links of a stretch as a node holds them. False without memory. */
static bool set_links(struct tl_pt_graph *graph, const struct tl_pt_stretch *stretch, struct tl_pt_node *node)
{
	uint32_t count = stretch->calls < TL_PT_STACK ? stretch->calls : TL_PT_STACK;
	uint32_t first = stretch->calls - count;

	if (count < 2) {
		node->link = count ? tl_pt_step(tl_pt_graph_node(graph, stretch->links[0])) : 0;
		return node->link || !count;
	}
	if (!tl_grow(&graph->lists, &graph->list_capacity, graph->list_count + count + 1, sizeof(*graph->lists)))
		return false;
	node->link = TL_PT_LINK_LIST | (uint32_t)graph->list_count;
	graph->lists[graph->list_count++] = count;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t link = tl_pt_graph_node(graph, stretch->links[(first + i) % TL_PT_STACK]);

		if (!link)
			return false;
		graph->lists[graph->list_count++] = tl_pt_step(link);
	}
	return true;
}

static bool set_edges(struct tl_pt_graph *graph, const struct tl_pt_stretch *stretch, struct tl_pt_node *node)
{
	node->edge[0] = node->edge[1] = 0;
	if (stretch->kind == TL_PT_NODE_COND || stretch->kind == TL_PT_NODE_NEXT) {
		node->edge[0] = tl_pt_step(tl_pt_graph_node(graph, stretch->next));
		if (!node->edge[0])
			return false;
	}
	if (stretch->kind == TL_PT_NODE_COND)
		node->edge[1] = tl_pt_step(tl_pt_graph_node(graph, stretch->target));
	return stretch->kind != TL_PT_NODE_COND || node->edge[1];
}

static void fill(struct tl_pt_node *node, const struct tl_pt_stretch *stretch)
{
	node->traits = (uint8_t)stretch->traits;
	node->error = (uint8_t)stretch->error;
}

bool tl_pt_graph_build(struct tl_pt_graph *graph, uint32_t number)
{
	struct tl_pt_node *node = &graph->nodes[number];
	struct tl_pt_stretch stretch;

	if (graph->capacity - graph->count < RESERVE) {
		graph->full = true;
		return false;
	}
	tl_pt_graph_stretch(graph, graph->blocks[number].ip, NULL, &stretch);
	if (stretch.error == TL_PT_NOMEM) {
		graph->no_memory = true;
		return false;
	}
	if (!set_links(graph, &stretch, node) || !set_edges(graph, &stretch, node)) {
		graph->no_memory = true;
		return false;
	}
	fill(node, &stretch);
	graph->blocks[number] = stretch.block;
	node->kind = stretch.kind == TL_PT_NODE_COND && node->link ? TL_PT_NODE_COND_CALL : (uint8_t)stretch.kind;
	return true;
}

uint32_t tl_pt_graph_part(struct tl_pt_graph *graph, const struct tl_pt_stretch *stretch)
{
	const struct tl_pt_block *block = &stretch->block;
	uint32_t tag = tl_pt_node_tag(block->ip, graph->space, block->ninsn);
	struct tl_pt_node part = { .kind = TL_PT_NODE_PART, .space = (uint8_t)graph->space };

	for (uint32_t i = tag & graph->mask; graph->slots[i].node; i = (i + 1) & graph->mask) {
		const struct tl_pt_node *node = &graph->nodes[graph->slots[i].node];
		const struct tl_pt_block *other = &graph->blocks[graph->slots[i].node];

		if (graph->slots[i].tag == tag && node->kind == TL_PT_NODE_PART && other->ip == block->ip &&
		    other->ninsn == block->ninsn && node->space == graph->space)
			return graph->slots[i].node;
	}
	fill(&part, stretch);
	return add(graph, &part, block);
}
