/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/coverage/coverage.h"

#include <string.h>

#include <tracelathe/core.h>

#include "core/arithmetic.h"

const char *tl_branch_name(enum tl_branch_kind kind)
{
	static const char *const names[TL_BRANCH_KINDS] = {
		[TL_BRANCH_NONE] = "none",       [TL_BRANCH_CONDITIONAL] = "conditional",
		[TL_BRANCH_JUMP] = "jump",       [TL_BRANCH_INDIRECT_JUMP] = "indirect-jump",
		[TL_BRANCH_CALL] = "call",       [TL_BRANCH_INDIRECT_CALL] = "indirect-call",
		[TL_BRANCH_RETURN] = "return",   [TL_BRANCH_SYSTEM] = "system",
		[TL_BRANCH_ASYNC] = "interrupt",
	};

	return names[kind];
}

static void add_count(uint64_t *sum, uint64_t count)
{
	if (__builtin_add_overflow(*sum, count, sum))
		*sum = UINT64_MAX;
}

/* ---- objects ---- */

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

uint32_t tl_coverage_object(struct tl_coverage *c, const char *path, const char *file,
			    uint64_t bias, uint64_t base)
{
	struct tl_coverage_object *made;

	for (size_t i = 0; i < c->object_count; i++)
		if (!strcmp(c->objects[i].path, path) && same_text(c->objects[i].file, file))
			return (uint32_t)i;
	if (!tl_grow(&c->objects, &c->object_room, c->object_count + 1, sizeof(*made)))
		return TL_NONE;
	made = &c->objects[c->object_count];
	*made = (struct tl_coverage_object){
		.path = tl_names_text(&c->names, path),
		.file = file ? tl_names_text(&c->names, file) : NULL,
		.bias = bias,
		.base = base,
	};
	if (!made->path || (file && !made->file))
		return TL_NONE;
	return (uint32_t)c->object_count++;
}

/* ---- instructions ---- */

static uint64_t hash_address(uint32_t object, uint64_t address)
{
	return tl_hash_pair(address, object);
}

static bool same_address(const void *context, const void *key, uint32_t number)
{
	const struct tl_coverage_insn *have = context, *wanted = key;

	return have[number].address == wanted->address && have[number].object == wanted->object;
}

uint32_t tl_coverage_find(const struct tl_coverage *c, uint32_t object, uint64_t address)
{
	const struct tl_coverage_insn wanted = { .address = address, .object = object };

	return tl_index_find(&c->by_address, hash_address(object, address), same_address, c->insns,
			     &wanted);
}

bool tl_coverage_add_insn(struct tl_coverage *c, const struct tl_coverage_insn *insn)
{
	uint32_t number = tl_coverage_find(c, insn->object, insn->address);

	if (number != TL_NONE) {
		add_count(&c->insns[number].count, insn->count);
		return true;
	}
	number = (uint32_t)c->insn_count;
	if (!tl_grow(&c->insns, &c->insn_room, c->insn_count + 1, sizeof(*c->insns)) ||
	    !tl_index_add(&c->by_address, hash_address(insn->object, insn->address), number))
		return false;
	c->insns[c->insn_count++] = *insn;
	return true;
}

void tl_coverage_count(struct tl_coverage *c, uint32_t insn, uint64_t count)
{
	add_count(&c->insns[insn].count, count);
}

/* ---- edges ---- */

static uint64_t hash_edge(const struct tl_coverage_edge *edge)
{
	return tl_hash_pair(hash_address(edge->from_object, edge->from),
			    hash_address(edge->to_object, edge->to) + edge->falls);
}

static bool same_edge(const void *context, const void *key, uint32_t number)
{
	const struct tl_coverage_edge *list = context, *have = &list[number], *wanted = key;

	return have->from == wanted->from && have->to == wanted->to &&
	       have->from_object == wanted->from_object && have->to_object == wanted->to_object &&
	       have->kind == wanted->kind && have->falls == wanted->falls;
}

bool tl_coverage_add_edge(struct tl_coverage *c, const struct tl_coverage_edge *edge)
{
	uint64_t hash = hash_edge(edge);
	uint32_t number = tl_index_find(&c->by_edge, hash, same_edge, c->edges, edge);

	if (number != TL_NONE) {
		add_count(&c->edges[number].count, edge->count);
		return true;
	}
	number = (uint32_t)c->edge_count;
	if (!tl_grow(&c->edges, &c->edge_room, c->edge_count + 1, sizeof(*c->edges)) ||
	    !tl_index_add(&c->by_edge, hash, number))
		return false;
	c->edges[c->edge_count++] = *edge;
	return true;
}

/* ---- places and functions: their texts are interned, so they are compared by address ---- */

static bool same_place(const void *context, const void *key, uint32_t number)
{
	const struct tl_coverage_place *list = context, *have = &list[number], *wanted = key;

	return have->function == wanted->function && have->file == wanted->file &&
	       have->line == wanted->line && have->discriminator == wanted->discriminator &&
	       have->declared == wanted->declared && have->caller == wanted->caller;
}

static uint64_t hash_place(const struct tl_coverage_place *place)
{
	return tl_hash_pair(tl_hash_pair((uintptr_t)place->function, (uintptr_t)place->file),
			    tl_hash_pair((uint64_t)place->line << 32 | place->caller,
					 (uint64_t)place->discriminator << 32 | place->declared));
}

uint32_t tl_coverage_place(struct tl_coverage *c, const struct tl_coverage_place *place)
{
	struct tl_coverage_place made = *place;
	uint32_t number;

	made.function = tl_names_text(&c->names, place->function);
	made.file = tl_names_text(&c->names, place->file);
	if (!made.function || !made.file)
		return TL_NONE;
	number = tl_index_find(&c->by_place, hash_place(&made), same_place, c->places, &made);
	if (number != TL_NONE)
		return number;
	if (!tl_grow(&c->places, &c->place_room, c->place_count + 1, sizeof(*c->places)) ||
	    !tl_index_add(&c->by_place, hash_place(&made), (uint32_t)c->place_count))
		return TL_NONE;
	c->places[c->place_count] = made;
	return (uint32_t)c->place_count++;
}

static bool same_function(const void *context, const void *key, uint32_t number)
{
	const struct tl_coverage_function *list = context, *wanted = key;

	return list[number].start == wanted->start && list[number].object == wanted->object;
}

uint32_t tl_coverage_function(struct tl_coverage *c, const struct tl_coverage_function *function)
{
	uint64_t hash = hash_address(function->object, function->start);
	uint32_t number =
		tl_index_find(&c->by_function, hash, same_function, c->functions, function);
	struct tl_coverage_function made = *function;

	if (number != TL_NONE)
		return number;
	made.name = tl_names_text(&c->names, function->name);
	made.file = tl_names_text(&c->names, function->file);
	if (!made.name || !made.file ||
	    !tl_grow(&c->functions, &c->function_room, c->function_count + 1, sizeof(made)) ||
	    !tl_index_add(&c->by_function, hash, (uint32_t)c->function_count))
		return TL_NONE;
	c->functions[c->function_count] = made;
	return (uint32_t)c->function_count++;
}

/* ---- order ---- */

static int compare_insns(const void *left, const void *right)
{
	const struct tl_coverage_insn *a = left, *b = right;
	int order = tl_compare(a->object, b->object);

	return order ? order : tl_compare(a->address, b->address);
}

static int compare_edges(const void *left, const void *right)
{
	const struct tl_coverage_edge *a = left, *b = right;
	int order = tl_compare(a->from_object, b->from_object);

	if (!order)
		order = tl_compare(a->from, b->from);
	if (!order)
		order = tl_compare(a->to_object, b->to_object);
	if (!order)
		order = tl_compare(a->to, b->to);
	if (!order)
		order = tl_compare(a->kind, b->kind);
	return order ? order : a->falls - b->falls;
}

static void sort(void *list, size_t count, size_t element,
		 int (*order)(const void *left, const void *right))
{
	if (count)
		qsort(list, count, element, order);
}

bool tl_coverage_finish(struct tl_coverage *c)
{
	sort(c->insns, c->insn_count, sizeof(*c->insns), compare_insns);
	sort(c->edges, c->edge_count, sizeof(*c->edges), compare_edges);
	tl_index_free(&c->by_edge);
	tl_index_free(&c->by_address);
	c->by_edge = c->by_address = (struct tl_index){ .slots = NULL };
	for (size_t i = 0; i < c->insn_count; i++)
		if (!tl_index_add(&c->by_address,
				  hash_address(c->insns[i].object, c->insns[i].address),
				  (uint32_t)i))
			return false;
	return true;
}

void tl_coverage_free(struct tl_coverage *c)
{
	free(c->objects);
	free(c->insns);
	free(c->edges);
	free(c->places);
	free(c->functions);
	tl_index_free(&c->by_address);
	tl_index_free(&c->by_edge);
	tl_index_free(&c->by_place);
	tl_index_free(&c->by_function);
	tl_names_free(&c->names);
	*c = (struct tl_coverage){ .objects = NULL };
}
