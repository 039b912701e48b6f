/* SPDX-License-Identifier: Apache-2.0 */
#include "export/coverage/llvm_samples.h"

#include <string.h>

#include <tracelathe/core.h>

#include "core/arithmetic.h"

enum { INLINED_MOST = 64, LINE_MOST = UINT16_MAX };

/* ---- discriminators (llvm/IR/DebugInfoMetadata.h, "DWARF discriminators") ---- */

static unsigned prefix_decoded(unsigned bits)
{
	if (bits & 1)
		return 0;
	bits >>= 1;
	return bits & 0x20 ? ((bits >> 1) & 0xfe0) | (bits & 0x1f) : bits & 0x1f;
}

static unsigned copies_of(unsigned discriminator)
{
	/* Behind the base discriminator, which takes a bit, or 7, or 14. */
	unsigned base_bits = 7, copies;

	if (discriminator & 1)
		base_bits = 1;
	else if (discriminator & 0x40)
		base_bits = 14;
	copies = prefix_decoded(discriminator >> base_bits);
	return copies ? copies : 1;
}

/* ---- bodies and samples ---- */

static bool same_body(const void *context, const void *key, uint32_t number)
{
	const struct tl_llvm_body *list = context, *have = &list[number], *wanted = key;

	return have->name == wanted->name && have->parent == wanted->parent &&
	       have->line == wanted->line && have->discriminator == wanted->discriminator;
}

static uint32_t body_of(struct tl_llvm_samples *p, const struct tl_llvm_body *body)
{
	uint64_t hash = tl_hash_pair(tl_hash_pair((uintptr_t)body->name, body->parent),
				     tl_hash_pair(body->line, body->discriminator));
	uint32_t number = tl_index_find(&p->by_body, hash, same_body, p->bodies, body);

	if (number != TL_NONE)
		return number;
	if (!tl_grow(&p->bodies, &p->body_room, p->body_count + 1, sizeof(*p->bodies)) ||
	    !tl_index_add(&p->by_body, hash, (uint32_t)p->body_count)) {
		p->no_memory = true;
		return TL_NONE;
	}
	p->bodies[p->body_count] = *body;
	return (uint32_t)p->body_count++;
}

static bool same_sample(const void *context, const void *key, uint32_t number)
{
	const struct tl_llvm_sample *list = context, *have = &list[number], *wanted = key;

	return have->body == wanted->body && have->line == wanted->line &&
	       have->discriminator == wanted->discriminator;
}

static uint32_t sample_of(struct tl_llvm_samples *p, const struct tl_llvm_sample *sample)
{
	uint64_t hash =
		tl_hash_pair(sample->body, tl_hash_pair(sample->line, sample->discriminator));
	uint32_t number = tl_index_find(&p->by_sample, hash, same_sample, p->samples, sample);

	if (number != TL_NONE)
		return number;
	if (!tl_grow(&p->samples, &p->sample_room, p->sample_count + 1, sizeof(*p->samples)) ||
	    !tl_index_add(&p->by_sample, hash, (uint32_t)p->sample_count)) {
		p->no_memory = true;
		return TL_NONE;
	}
	p->samples[p->sample_count] = *sample;
	return (uint32_t)p->sample_count++;
}

/*
 * A line counted from the declaration, modulo 2^16 as in the compiler: lines in front of it, which
 * come from macros and other files, and line 0 are large numbers. False: it is not known.
 */
static bool line_of(const struct tl_coverage_place *place, uint32_t *line)
{
	*line = (place->line - place->declared) & LINE_MOST;
	return place->declared && *place->function;
}

/* The sample of a place, with the bodies it is inlined in. TL_NONE: it has none. */
static uint32_t place_sample(struct tl_llvm_samples *p, uint32_t number)
{
	const struct tl_coverage_place *chain[INLINED_MOST], *place;
	uint32_t parent = TL_NONE, line = 0, discriminator = 0;
	size_t depth = 0;

	for (; number != TL_NONE && depth < INLINED_MOST; number = place->caller) {
		place = &p->coverage->places[number];
		chain[depth++] = place;
	}
	while (depth && number == TL_NONE) {
		struct tl_llvm_body body = { .name = chain[--depth]->function,
					     .parent = parent,
					     .line = line,
					     .discriminator = discriminator };

		if (!line_of(chain[depth], &line))
			return TL_NONE;
		parent = body_of(p, &body);
		discriminator = prefix_decoded(chain[depth]->discriminator);
		if (parent == TL_NONE)
			return TL_NONE;
	}
	if (parent == TL_NONE)
		return TL_NONE;
	return sample_of(p, &(struct tl_llvm_sample){ parent, line, discriminator, 0 });
}

static void add_insn(struct tl_llvm_samples *p, const struct tl_coverage_insn *insn)
{
	uint32_t number = place_sample(p, insn->place);
	uint64_t count;

	if (number == TL_NONE)
		return;
	if (__builtin_mul_overflow(
		    insn->count, copies_of(p->coverage->places[insn->place].discriminator), &count))
		count = UINT64_MAX;
	if (count > p->samples[number].count)
		p->samples[number].count = count;
	/* Totals, by which the compiler finds hot calls, count bytes, as llvm-profgen does. */
	if (!__builtin_mul_overflow(insn->count, insn->size, &count))
		p->bodies[p->samples[number].body].total += count;
}

/* ---- calls ---- */

/* The function that begins at an address. NULL: none. */
static const struct tl_coverage_function *entered(const struct tl_coverage *c, uint32_t object,
						  uint64_t address)
{
	uint32_t insn = tl_coverage_find(c, object, address);
	uint32_t function = insn == TL_NONE ? TL_NONE : c->insns[insn].function;

	if (function == TL_NONE || c->functions[function].start != address)
		return NULL;
	return &c->functions[function];
}

static bool is_call(const struct tl_coverage *c, const struct tl_coverage_edge *edge,
		    const struct tl_coverage_function *to)
{
	uint32_t from;

	if (edge->kind == TL_BRANCH_CALL || edge->kind == TL_BRANCH_INDIRECT_CALL)
		return true;
	if (edge->falls || edge->kind == TL_BRANCH_RETURN || edge->kind == TL_BRANCH_ASYNC ||
	    edge->kind == TL_BRANCH_SYSTEM)
		return false;
	/* A jump to the entry of another function is a tail call. */
	from = tl_coverage_find(c, edge->from_object, edge->from);
	return from == TL_NONE || c->insns[from].function == TL_NONE ||
	       &c->functions[c->insns[from].function] != to;
}

static void add_target(struct tl_llvm_samples *p, const struct tl_coverage_edge *edge,
		       const char *name)
{
	uint32_t insn = tl_coverage_find(p->coverage, edge->from_object, edge->from);
	uint32_t sample;

	if (insn == TL_NONE || p->coverage->insns[insn].place == TL_NONE)
		return;
	sample = place_sample(p, p->coverage->insns[insn].place);
	if (sample == TL_NONE)
		return;
	if (!tl_grow(&p->targets, &p->target_room, p->target_count + 1, sizeof(*p->targets))) {
		p->no_memory = true;
		return;
	}
	p->targets[p->target_count++] = (struct tl_llvm_target){ sample, name, edge->count };
}

static void add_edge(struct tl_llvm_samples *p, const struct tl_coverage_edge *edge)
{
	const struct tl_coverage_function *to = entered(p->coverage, edge->to_object, edge->to);
	struct tl_llvm_body body = { .parent = TL_NONE };
	uint32_t entry, number;

	if (!to || !is_call(p->coverage, edge, to))
		return;
	if (edge->from_object == p->object)
		add_target(p, edge, to->name);
	entry = tl_coverage_find(p->coverage, edge->to_object, edge->to);
	if (edge->to_object != p->object || p->coverage->insns[entry].place == TL_NONE)
		return;
	number = p->coverage->insns[entry].place;
	while (p->coverage->places[number].caller != TL_NONE)
		number = p->coverage->places[number].caller;
	body.name = p->coverage->places[number].function;
	number = *body.name ? body_of(p, &body) : TL_NONE;
	if (number != TL_NONE)
		p->bodies[number].head += edge->count;
}

/* ---- sums and order ---- */

static int compare_samples(const void *left, const void *right)
{
	const struct tl_llvm_sample *a = left, *b = right;
	int order = tl_compare(a->body, b->body);

	if (!order)
		order = tl_compare(a->line, b->line);
	return order ? order : tl_compare(a->discriminator, b->discriminator);
}

static int compare_targets(const void *left, const void *right)
{
	const struct tl_llvm_target *a = left, *b = right;
	int order = tl_compare(a->sample, b->sample);

	return order ? order : strcmp(a->name, b->name);
}

/* One target for each function called at a sample; then the most frequent first. */
static int compare_counts(const void *left, const void *right)
{
	const struct tl_llvm_target *a = left, *b = right;
	int order = tl_compare(a->sample, b->sample);

	if (!order)
		order = tl_compare(b->count, a->count);
	return order ? order : strcmp(a->name, b->name);
}

static void sum_targets(struct tl_llvm_samples *p)
{
	size_t kept = 0;

	if (!p->target_count)
		return;
	qsort(p->targets, p->target_count, sizeof(*p->targets), compare_targets);
	for (size_t i = 1; i < p->target_count; i++) {
		struct tl_llvm_target *last = &p->targets[kept];

		if (compare_targets(last, &p->targets[i]) == 0)
			last->count += p->targets[i].count;
		else
			p->targets[++kept] = p->targets[i];
	}
	p->target_count = kept + 1;
	qsort(p->targets, p->target_count, sizeof(*p->targets), compare_counts);
}

/* A body is behind the one that it is inlined in, so totals are complete when they are passed on.
 */
static void add_totals(struct tl_llvm_samples *p)
{
	for (size_t i = p->body_count; i-- > 0;)
		if (p->bodies[i].parent != TL_NONE)
			p->bodies[p->bodies[i].parent].total += p->bodies[i].total;
}

/* Targets refer to samples by number, so samples keep their places: an order of numbers. */
uint32_t *tl_llvm_sample_order(const struct tl_llvm_samples *p)
{
	struct tl_llvm_sample *sorted = tl_zeroed(p->sample_count, sizeof(*sorted));
	uint32_t *order = tl_zeroed(p->sample_count, sizeof(*order));

	for (size_t i = 0; sorted && order && i < p->sample_count; i++)
		sorted[i] = p->samples[i];
	if (sorted && order && p->sample_count)
		qsort(sorted, p->sample_count, sizeof(*sorted), compare_samples);
	for (size_t i = 0; sorted && order && i < p->sample_count; i++) {
		uint64_t hash = tl_hash_pair(sorted[i].body,
					     tl_hash_pair(sorted[i].line, sorted[i].discriminator));

		order[i] = tl_index_find(&p->by_sample, hash, same_sample, p->samples, &sorted[i]);
	}
	if (!sorted || !order) {
		free(order);
		order = NULL;
	}
	free(sorted);
	return order;
}

bool tl_llvm_samples(struct tl_llvm_samples *p)
{
	const struct tl_coverage *c = p->coverage;

	for (size_t i = 0; i < c->insn_count && !p->no_memory; i++)
		if (c->insns[i].object == p->object && c->insns[i].place != TL_NONE)
			add_insn(p, &c->insns[i]);
	for (size_t i = 0; i < c->edge_count && !p->no_memory; i++)
		add_edge(p, &c->edges[i]);
	sum_targets(p);
	add_totals(p);
	return !p->no_memory;
}

void tl_llvm_samples_free(struct tl_llvm_samples *p)
{
	free(p->bodies);
	free(p->samples);
	free(p->targets);
	tl_index_free(&p->by_body);
	tl_index_free(&p->by_sample);
}
