/* SPDX-License-Identifier: Apache-2.0 */
#include "intel_pt/blocks/graph.h"

#include <stdlib.h>
#include <string.h>

#include "core/arithmetic.h"
#include "core/tables/at_first.h"

enum {
	LEAST_NODES = 1 << TL_AT_FIRST(13, 9),
	MOST_NODES = 1 << 21,
	UNKNOWN_NODES =
		1 << TL_AT_FIRST(19, 9), /* where a callback has the code, of unknown size */
	LEAST_SLOTS = 1 << TL_AT_FIRST(12, 6),
	/* nodes that building one node may add: two edges and all links */
	RESERVE = TL_PT_STACK + 4,
};

static struct tl_pt_code_graph *open_code(void)
{
	struct tl_pt_code_graph *code = calloc(1, sizeof(*code));

	if (!code)
		return NULL;
	code->slots = calloc(LEAST_SLOTS, sizeof(*code->slots));
	code->mask = LEAST_SLOTS - 1;
	pthread_mutex_init(&code->lock, NULL);
	return code;
}

static void close_code(struct tl_pt_code_graph *code)
{
	if (!code)
		return;
	pthread_mutex_destroy(&code->lock);
	free(code->nodes);
	free(code->blocks);
	free(code->lists);
	free(code->slots);
	free(code);
}

int tl_pt_graph_open(struct tl_pt_graph *graph, uint32_t flags, struct tl_pt_code_graph *code)
{
	*graph = (struct tl_pt_graph){ .flags = flags, .asid = { TL_PT_ANY, TL_PT_ANY } };
	if (!tl_x86_flow_whole())
		return -TL_PT_NOT_SUPPORTED;
	graph->reader_space = TL_PT_SPACES;
	graph->is_guest = code != NULL;
	graph->code = code ? code : open_code();
	graph->targets = calloc(1u << TL_PT_TARGET_BITS, sizeof(*graph->targets));
	if (!graph->code || !graph->code->slots || !graph->targets)
		return -TL_PT_NOMEM;
	if (code)
		tl_pt_graph_follow(graph);
	return 0;
}

void tl_pt_graph_close(struct tl_pt_graph *graph)
{
	tl_pt_reader_close(&graph->reader);
	if (!graph->is_guest)
		close_code(graph->code);
	free(graph->targets);
}

static void lock(const struct tl_pt_graph *graph)
{
	if (graph->code->threads)
		pthread_mutex_lock(&graph->code->lock);
}

static void unlock(const struct tl_pt_graph *graph)
{
	if (graph->code->threads)
		pthread_mutex_unlock(&graph->code->lock);
}

/* Blocks begin at a small part of all bytes of code; memory that is not touched costs nothing. */
static uint32_t nodes_for(const struct tl_pt_code_graph *code, const struct tl_pt_image *image)
{
	uint64_t want = image->read ? UNKNOWN_NODES : LEAST_NODES,
		 most = code->most ? code->most : MOST_NODES;

	for (size_t i = 0; i < image->count; i++)
		want += (image->regions[i].last - image->regions[i].begin) / 2;
	return (uint32_t)tl_min(want, most);
}

static void free_nodes(struct tl_pt_code_graph *code)
{
	free(code->nodes);
	free(code->blocks);
	free(code->lists);
	code->nodes = NULL;
	code->blocks = NULL;
	code->lists = NULL;
}

static int make_room(struct tl_pt_code_graph *code, uint32_t want)
{
	if (code->nodes && code->capacity >= want)
		return 0;
	free_nodes(code);
	for (uint32_t least = tl_min(want, LEAST_NODES); want >= least; want /= 2) {
		code->capacity = want & ~3u;
		code->nodes = aligned_alloc(64, code->capacity * sizeof(*code->nodes));
		code->blocks = malloc(code->capacity * sizeof(*code->blocks));
		code->lists = malloc(code->capacity * sizeof(*code->lists));
		if (code->nodes && code->blocks && code->lists)
			return 0;
		free_nodes(code);
	}
	return -TL_PT_NOMEM;
}

/* Update the copies of the members of `code`, and forget caches of the nodes before. */
static void see(struct tl_pt_graph *graph)
{
	const struct tl_pt_code_graph *code = graph->code;

	graph->nodes = code->nodes;
	graph->blocks = code->blocks;
	graph->lists = code->lists;
	graph->capacity = code->capacity;
	graph->image = code->image;
	graph->version = code->version;
	graph->epoch = code->epoch;
	graph->reader_space = TL_PT_SPACES;
	graph->full = graph->no_memory = false;
	memset(graph->targets, 0, sizeof(*graph->targets) << TL_PT_TARGET_BITS);
}

void tl_pt_graph_follow(struct tl_pt_graph *graph)
{
	struct tl_pt_asid asid = graph->asid;

	if (graph->epoch == graph->code->epoch)
		return;
	see(graph);
	tl_pt_graph_switch(graph, &asid, graph->mode);
}

int tl_pt_graph_reset(struct tl_pt_graph *graph, const struct tl_pt_image *image)
{
	struct tl_pt_code_graph *code = graph->code;
	struct tl_pt_asid asid = graph->asid;
	int status = make_room(code, nodes_for(code, image));

	if (status < 0) {
		see(graph);
		return status;
	}
	memset(code->slots, 0, ((size_t)code->mask + 1) * sizeof(*code->slots));
	memset(code->nodes, 0, TL_PT_NODE_FIRST * sizeof(*code->nodes));
	memset(code->blocks, 0, TL_PT_NODE_FIRST * sizeof(*code->blocks));
	code->nodes[TL_PT_NODE_NONE].kind = TL_PT_NODE_EMPTY;
	code->nodes[TL_PT_NODE_BEHIND].kind = TL_PT_NODE_AWAIT;
	code->count = TL_PT_NODE_FIRST;
	code->block_count = code->list_count = 0;
	code->space_count = 0;
	code->image = image;
	code->version = image->version;
	code->epoch++;
	see(graph);
	return tl_pt_graph_switch(graph, &asid, graph->mode);
}

/* The number of an address space and mode; TL_PT_SPACES: there are too many. */
static unsigned number_space(struct tl_pt_code_graph *code, const struct tl_pt_asid *asid,
			     enum tl_pt_exec_mode mode)
{
	unsigned i;

	for (i = 0; i < code->space_count; i++) {
		const struct tl_pt_space *space = &code->spaces[i];

		if (space->mode == mode && space->asid.cr3 == asid->cr3 &&
		    space->asid.vmcs == asid->vmcs)
			return i;
	}
	if (i < TL_PT_SPACES) {
		code->spaces[i] = (struct tl_pt_space){ *asid, mode };
		__atomic_store_n(&code->space_count, i + 1, __ATOMIC_RELAXED);
	}
	return i;
}

int tl_pt_graph_switch(struct tl_pt_graph *graph, const struct tl_pt_asid *asid,
		       enum tl_pt_exec_mode mode)
{
	static const struct tl_pt_asid any = { TL_PT_ANY, TL_PT_ANY };
	const struct tl_pt_asid *seen = graph->image && graph->image->by_space ? asid : &any;
	unsigned number;

	graph->asid = *asid;
	graph->mode = mode;
	lock(graph);
	number = number_space(graph->code, seen, mode);
	unlock(graph);
	if (number == TL_PT_SPACES) {
		/* No node is built in it: all are dropped first. */
		graph->full = true;
		return -TL_PT_NOMEM;
	}
	graph->space = number;
	return 0;
}

/* ---- nodes: under the lock ---- */

static uint32_t tag_of(uint64_t ip, unsigned space, unsigned part)
{
	uint64_t h =
		(ip ^ (uint64_t)space << 56 ^ (uint64_t)part << 40) * UINT64_C(0x9e3779b97f4a7c15);

	return (uint32_t)(h >> 32);
}

static uint32_t tag_of_node(const struct tl_pt_node *node, const struct tl_pt_block *block)
{
	return tag_of(block->ip, node->space, node->kind == TL_PT_NODE_PARTIAL ? block->ninsn : 0);
}

static void put(struct tl_pt_slot *slots, uint32_t mask, uint32_t tag, uint32_t number)
{
	uint32_t i = tag & mask;

	while (slots[i].node)
		i = (i + 1) & mask;
	slots[i] = (struct tl_pt_slot){ tag, number };
}

static bool grow_slots(struct tl_pt_code_graph *code)
{
	uint32_t mask = code->mask * 2 + 1;
	struct tl_pt_slot *slots = calloc((size_t)mask + 1, sizeof(*slots));

	if (!slots)
		return false;
	for (size_t i = 0; i <= code->mask; i++)
		if (code->slots[i].node)
			put(slots, mask, code->slots[i].tag, code->slots[i].node);
	free(code->slots);
	code->slots = slots;
	code->mask = mask;
	return true;
}

/* Add a node. 0: no room. */
static uint32_t add(struct tl_pt_graph *graph, const struct tl_pt_node *node,
		    const struct tl_pt_block *block)
{
	struct tl_pt_code_graph *code = graph->code;
	uint32_t number = code->count;

	if (number == code->capacity) {
		graph->full = true;
		return 0;
	}
	if (number >= code->mask / 2 && !grow_slots(code)) {
		graph->no_memory = true;
		return 0;
	}
	code->nodes[number] = *node;
	code->blocks[number] = *block;
	put(code->slots, code->mask, tag_of_node(node, block), number);
	__atomic_store_n(&code->count, number + 1, __ATOMIC_RELAXED);
	return number;
}

/* Prefetch the slot of an address that find() will search for. */
static void prepare_to_find(const struct tl_pt_graph *graph, uint64_t ip)
{
	const struct tl_pt_code_graph *code = graph->code;

	__builtin_prefetch(&code->slots[tag_of(ip, graph->space, 0) & code->mask]);
}

/* The node of a block, or of a partial block of `ninsn` instructions. 0: there is none. */
static uint32_t find(const struct tl_pt_graph *graph, uint64_t ip, bool is_part, unsigned ninsn)
{
	const struct tl_pt_code_graph *code = graph->code;
	uint32_t tag = tag_of(ip, graph->space, is_part ? ninsn : 0);

	for (uint32_t i = tag & code->mask;; i = (i + 1) & code->mask) {
		uint32_t number = code->slots[i].node;
		const struct tl_pt_node *node = &code->nodes[number];

		if (!number)
			return 0;
		if (code->slots[i].tag == tag && code->blocks[number].ip == ip &&
		    node->space == graph->space && is_part == (node->kind == TL_PT_NODE_PARTIAL) &&
		    (!is_part || code->blocks[number].ninsn == ninsn))
			return number;
	}
}

static uint32_t node_at(struct tl_pt_graph *graph, uint64_t ip)
{
	const struct tl_pt_node stub = { .kind = TL_PT_NODE_STUB, .space = (uint8_t)graph->space };
	const struct tl_pt_block block = { .ip = ip };
	uint32_t found = find(graph, ip, false, 0);

	return found ? found : add(graph, &stub, &block);
}

uint32_t tl_pt_graph_node(struct tl_pt_graph *graph, uint64_t ip)
{
	uint32_t number;

	lock(graph);
	number = node_at(graph, ip);
	unlock(graph);
	return number;
}

uint32_t tl_pt_graph_target_slow(struct tl_pt_graph *graph, struct tl_pt_target *target,
				 uint64_t ip)
{
	uint32_t edge = tl_pt_edge_offset(tl_pt_graph_node(graph, ip));

	if (edge)
		*target = (struct tl_pt_target){ ip, edge, graph->space };
	return edge;
}

/* ---- building ---- */

/* Set the links of a node to the return addresses of its calls. False: no room. */
static bool set_links(struct tl_pt_graph *graph, const struct tl_pt_decoded_block *decoded,
		      struct tl_pt_node *node)
{
	struct tl_pt_code_graph *code = graph->code;
	uint32_t count = tl_min(decoded->calls, TL_PT_STACK);
	uint32_t first = decoded->calls - count;

	if (count < 2) {
		node->link = count ? tl_pt_edge_offset(node_at(graph, decoded->links[0])) : 0;
		return node->link || !count;
	}
	if (code->capacity - code->list_count <= count) {
		graph->full = true;
		return false;
	}
	node->link = TL_PT_LINK_LIST | code->list_count;
	code->lists[code->list_count++] = count;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t link = node_at(graph, decoded->links[(first + i) % TL_PT_STACK]);

		if (!link)
			return false;
		code->lists[code->list_count++] = tl_pt_edge_offset(link);
	}
	return true;
}

static bool set_edges(struct tl_pt_graph *graph, const struct tl_pt_decoded_block *decoded,
		      struct tl_pt_node *node)
{
	node->edge[0] = node->edge[1] = 0;
	if (decoded->kind == TL_PT_NODE_COND || decoded->kind == TL_PT_NODE_NEXT) {
		node->edge[0] = tl_pt_edge_offset(node_at(graph, decoded->next));
		if (!node->edge[0])
			return false;
	}
	if (decoded->kind == TL_PT_NODE_NEXT)
		node->edge[1] = decoded->block.ninsn;
	if (decoded->kind == TL_PT_NODE_COND)
		node->edge[1] = tl_pt_edge_offset(node_at(graph, decoded->target));
	return decoded->kind != TL_PT_NODE_COND || node->edge[1];
}

static void fill(struct tl_pt_node *node, const struct tl_pt_decoded_block *decoded)
{
	node->traits = (uint8_t)(decoded->error ? decoded->error : decoded->traits);
}

/*
 * Copy all of the block but its address, which is the same, and which other threads may be reading.
 */
static void fill_block(struct tl_pt_block *block, const struct tl_pt_block *from)
{
	const size_t ip = sizeof(block->ip);

	_Static_assert(offsetof(struct tl_pt_block, ip) == 0, "the address comes first");
	memcpy((char *)block + ip, (const char *)from + ip, sizeof(*block) - ip);
}

/* Counted before the node can be given. Under the lock. */
static void count_block(struct tl_pt_code_graph *code)
{
	__atomic_store_n(&code->block_count, code->block_count + 1, __ATOMIC_RELAXED);
}

/*
 * Make the stub a block. Its kind is stored last: from then on other threads go through the node.
 */
static bool finish(struct tl_pt_graph *graph, uint32_t number,
		   const struct tl_pt_decoded_block *decoded)
{
	struct tl_pt_node *node = &graph->nodes[number];
	uint8_t kind = (uint8_t)decoded->kind;

	if (graph->capacity - graph->code->count < RESERVE) {
		graph->full = true;
		return false;
	}
	/* These slots are anywhere in memory: start all loads at once. */
	prepare_to_find(graph, decoded->next);
	prepare_to_find(graph, decoded->target);
	if (decoded->calls)
		prepare_to_find(graph, decoded->links[0]);
	if (!set_links(graph, decoded, node) || !set_edges(graph, decoded, node))
		return false;
	if (kind == TL_PT_NODE_COND && node->link)
		kind = TL_PT_NODE_COND_CALL;
	fill(node, decoded);
	fill_block(&graph->blocks[number], &decoded->block);
	if (kind < TL_PT_NODE_STUB)
		count_block(graph->code);
	__atomic_store_n(&node->kind, kind, __ATOMIC_RELEASE);
	return true;
}

bool tl_pt_graph_build(struct tl_pt_graph *graph, uint32_t number)
{
	struct tl_pt_decoded_block decoded;
	bool ok = true;

	tl_pt_graph_decode(graph, graph->blocks[number].ip, NULL, &decoded);
	if (decoded.error == TL_PT_NOMEM)
		return false;
	lock(graph);
	/* Another thread may have built it first. */
	if (graph->nodes[number].kind == TL_PT_NODE_STUB)
		ok = finish(graph, number, &decoded);
	unlock(graph);
	return ok;
}

uint32_t tl_pt_graph_partial(struct tl_pt_graph *graph, const struct tl_pt_decoded_block *decoded)
{
	struct tl_pt_node part = { .kind = TL_PT_NODE_PARTIAL, .space = (uint8_t)graph->space };
	uint32_t number;

	fill(&part, decoded);
	lock(graph);
	number = find(graph, decoded->block.ip, true, decoded->block.ninsn);
	if (!number) {
		number = add(graph, &part, &decoded->block);
		if (number)
			count_block(graph->code);
	}
	unlock(graph);
	return number;
}
