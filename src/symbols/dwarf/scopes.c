/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols/dwarf/scopes.h"

#include <stdlib.h>

#include <tracelathe/core.h>

#include "core/arithmetic.h"
#include "symbols/dwarf/constants.h"

/* What entries of a level of nesting belong to. */
struct level {
	uint32_t scope, holder; /* TL_NONE: none */
};

/* A walk over the entries of a unit, or of a function, in their order. */
struct walk {
	struct tl_dwarf *dwarf;
	struct tl_dwarf_unit *unit;
	const struct tl_dwarf_abbreviations *table;
	struct tl_dwarf_functions *functions; /* of a unit: what is made */
	struct tl_dwarf_scopes *scopes;       /* of a function; NULL: the walk is over a unit */
	struct tl_dwarf_bytes bytes;
	struct level *open; /* by level of nesting */
	size_t depth, capacity;
	struct tl_index known; /* functions by their first range */
};

/*
 * Levels of a unit in which namespaces and types are noted; names of C++ are in a handful, and a
 * hostile file may have a level for each of its bytes.
 */
enum { HOLDER_LEVELS = 64 };

/*
 * In place of a scope: inside a function whose code an earlier function has already, or inside
 * another function than the one that is walked over. What is inlined there does not count.
 */
enum { OTHERS_CODE = TL_NONE - 1 };

/*
 * Entries whose children have no code. The children are skipped where DW_AT_sibling gives the end.
 */
static bool holds_no_code(uint16_t tag)
{
	switch (tag) {
	case DW_TAG_array_type:
	case DW_TAG_enumeration_type:
	case DW_TAG_subroutine_type:
	case DW_TAG_call_site:
	case DW_TAG_GNU_call_site:
		return true;
	default:
		return false;
	}
}

static bool is_holder(uint16_t tag)
{
	switch (tag) {
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_namespace:
		return true;
	default:
		return false;
	}
}

/* Add the namespace or type at an offset; *holder becomes it. */
static bool add_holder(struct walk *walk, uint64_t offset, uint32_t *holder)
{
	struct tl_dwarf_functions *functions = walk->functions;

	/* No compiler writes a unit that is so long. */
	if (offset - walk->unit->offset >= UINT32_MAX)
		return true;
	if (!tl_grow(&functions->holders, &functions->holder_capacity, functions->holder_count + 1,
		     sizeof(*functions->holders)))
		return tl_dwarf_no_memory(&walk->dwarf->sections);
	functions->holders[functions->holder_count] = (struct tl_dwarf_holder){
		.entry = (uint32_t)(offset - walk->unit->offset),
		.end = UINT32_MAX,
		.above = *holder,
	};
	*holder = (uint32_t)functions->holder_count++;
	return true;
}

static bool enter(struct walk *walk, struct level level)
{
	/* An entry takes a byte, so the levels are bounded by the unit. */
	if (!tl_grow(&walk->open, &walk->capacity, walk->depth + 1, sizeof(*walk->open)))
		return tl_dwarf_no_memory(&walk->dwarf->sections);
	walk->open[walk->depth++] = level;
	return true;
}

/* The end of a level. False: that of the unit. */
static bool leave(struct walk *walk)
{
	uint32_t holder = walk->open[--walk->depth].holder;

	if (walk->depth && holder != walk->open[walk->depth - 1].holder)
		walk->functions->holders[holder].end = (uint32_t)tl_min(
			tl_cursor_offset(&walk->bytes.cur) - walk->unit->offset, UINT32_MAX);
	return walk->depth;
}

static uint32_t number_of(const struct tl_dwarf_value *value)
{
	return value->form && value->number < TL_NONE ? (uint32_t)value->number : 0;
}

/* ---- functions of a unit ---- */

static bool same_code(const void *context, const void *key, uint32_t number)
{
	const struct tl_dwarf_function *list = context, *function = key;

	return list[number].start == function->start && list[number].size == function->size;
}

/*
 * Several functions may have one code (aliases of assembler routines, identical functions that the
 * linker folded): the first one is kept, with its inlined calls.
 */
static bool is_known(struct walk *walk, const struct tl_dwarf_function *function)
{
	uint64_t hash = tl_hash_pair(function->start, function->size);

	if (tl_index_find(&walk->known, hash, same_code, walk->functions->list, function) !=
	    TL_NONE)
		return true;
	if (!tl_index_add(&walk->known, hash, (uint32_t)walk->functions->count))
		tl_dwarf_no_memory(&walk->dwarf->sections);
	return false;
}

static bool keep_function(struct walk *walk, const struct tl_dwarf_function *function)
{
	struct tl_dwarf_functions *functions = walk->functions;

	if (functions->count >= OTHERS_CODE ||
	    !tl_grow(&functions->list, &functions->capacity, functions->count + 1,
		     sizeof(*functions->list)))
		return tl_dwarf_no_memory(&walk->dwarf->sections);
	functions->list[functions->count++] = *function;
	return true;
}

/* Add a function, if it has code; *scope becomes the scope of its children. */
static bool add_function(struct walk *walk, const struct tl_dwarf_abbreviation *abbreviation,
			 uint64_t offset, uint32_t *scope)
{
	size_t ranges = walk->dwarf->ranges.count;
	struct tl_dwarf_function made = { .entry = offset };
	const struct tl_interval *first;
	struct tl_dwarf_entry entry;

	tl_dwarf_entry_read(walk->dwarf, walk->unit, &walk->bytes, walk->table, abbreviation,
			    &entry);
	if (walk->bytes.bad)
		return true;
	if (!tl_dwarf_ranges_add(walk->dwarf, walk->unit, &entry, (uint32_t)walk->functions->count))
		return false;
	/* Without code of its own it may still have nested functions with code. */
	*scope = TL_NONE;
	if (ranges == walk->dwarf->ranges.count)
		return true;
	/* A function's entry is in the first of its parts. */
	first = &walk->dwarf->ranges.list[ranges];
	made.start = first->start;
	made.size = first->end - first->start;
	if (abbreviation->tag == DW_TAG_subprogram && is_known(walk, &made)) {
		walk->dwarf->ranges.count = ranges;
		*scope = OTHERS_CODE;
		return true;
	}
	*scope = (uint32_t)walk->functions->count;
	if (keep_function(walk, &made))
		return true;
	/* No address is of a function that is not there. */
	walk->dwarf->ranges.count = ranges;
	return false;
}

/* ---- what was inlined into a function ---- */

static bool add_scope(struct walk *walk, const struct tl_dwarf_scope *scope)
{
	struct tl_dwarf_scopes *scopes = walk->scopes;

	if (scopes->count >= OTHERS_CODE ||
	    !tl_grow(&scopes->list, &scopes->capacity, scopes->count + 1, sizeof(*scopes->list)))
		return tl_dwarf_no_memory(&walk->dwarf->sections);
	scopes->list[scopes->count++] = *scope;
	return true;
}

/* Add an inlined call; *scope becomes the scope of its children. */
static bool add_inlined(struct walk *walk, const struct tl_dwarf_abbreviation *abbreviation,
			uint64_t offset, uint32_t *scope)
{
	size_t ranges = walk->dwarf->ranges.count;
	struct tl_dwarf_scope made = { .entry = offset, .parent = *scope };
	struct tl_dwarf_entry entry;

	tl_dwarf_entry_read(walk->dwarf, walk->unit, &walk->bytes, walk->table, abbreviation,
			    &entry);
	if (walk->bytes.bad)
		return true;
	if (!tl_dwarf_ranges_add(walk->dwarf, walk->unit, &entry, (uint32_t)walk->scopes->count))
		return false;
	made.origin = tl_dwarf_reference(walk->unit, &entry.values[TL_DWARF_SLOT_ORIGIN]);
	made.call_file = number_of(&entry.values[TL_DWARF_SLOT_CALL_FILE]);
	made.call_line = number_of(&entry.values[TL_DWARF_SLOT_CALL_LINE]);
	made.call_column = number_of(&entry.values[TL_DWARF_SLOT_CALL_COLUMN]);
	*scope = (uint32_t)walk->scopes->count;
	if (add_scope(walk, &made))
		return true;
	walk->dwarf->ranges.count = ranges;
	return false;
}

/* ---- entries ---- */

/* The offset of what follows the children, in the unit; 0: not said. The entry is read. */
static uint64_t other_sibling(struct walk *walk, const struct tl_dwarf_abbreviation *abbreviation)
{
	struct tl_dwarf_entry entry;
	const struct tl_dwarf_value *sibling = &entry.values[TL_DWARF_SLOT_SIBLING];

	tl_dwarf_entry_read(walk->dwarf, walk->unit, &walk->bytes, walk->table, abbreviation,
			    &entry);
	return sibling->form && sibling->form != DW_FORM_ref_addr ? sibling->number : 0;
}

/*
 * Skip an entry that is not read: in one step where its size is fixed; with its children where
 * those have no code.
 */
static void pass_over(struct walk *walk, const struct tl_dwarf_abbreviation *abbreviation,
		      bool *children)
{
	uint64_t target = walk->unit->offset;

	if (!*children || !holds_no_code(abbreviation->tag)) {
		const struct tl_dwarf_attribute *attribute =
			tl_dwarf_attributes(walk->table, abbreviation);

		if (abbreviation->size >= 0) {
			tl_dwarf_skip(&walk->bytes, (uint64_t)abbreviation->size);
			return;
		}
		for (uint32_t i = 0; i < abbreviation->count && !walk->bytes.bad; i++)
			tl_dwarf_form_skip(walk->unit, &walk->bytes, attribute[i].form);
		return;
	}
	if (abbreviation->size >= 0 && abbreviation->sibling_at >= 0) {
		struct tl_dwarf_bytes at = walk->bytes;

		tl_dwarf_skip(&at, (uint64_t)abbreviation->sibling_at);
		target += tl_dwarf_take_word(&at, 4);
		tl_dwarf_skip(&walk->bytes, (uint64_t)abbreviation->size);
	} else {
		target += other_sibling(walk, abbreviation);
	}
	/* Only forwards, so that the walk ends. */
	if (target > tl_cursor_offset(&walk->bytes.cur) && target < walk->unit->end &&
	    !walk->bytes.bad) {
		tl_cursor_seek(&walk->bytes.cur, target);
		*children = false;
	}
}

/*
 * What is to be read of an entry: a unit's functions, and what is inlined where there is none; a
 * function's inlined calls, which are not those of functions inside it.
 */
static bool is_wanted(const struct walk *walk, const struct tl_dwarf_abbreviation *abbreviation,
		      uint32_t scope)
{
	const bool inlined = abbreviation->tag == DW_TAG_inlined_subroutine;

	if (walk->scopes)
		return inlined && scope != OTHERS_CODE;
	return abbreviation->has_code &&
	       (abbreviation->tag == DW_TAG_subprogram || (inlined && scope == TL_NONE));
}

/* Read one entry. False: it was the last one, or damage, or no memory. */
static bool step(struct walk *walk)
{
	uint64_t offset = tl_cursor_offset(&walk->bytes.cur),
		 code = tl_dwarf_take_uleb(&walk->bytes);
	const struct tl_dwarf_abbreviation *abbreviation;
	struct level level;
	bool children;

	if (!code)
		return !walk->bytes.bad && leave(walk);
	abbreviation = tl_dwarf_abbreviation(walk->table, code);
	if (!abbreviation)
		return tl_dwarf_fail(&walk->bytes);
	level = walk->open[walk->depth - 1];
	children = abbreviation->has_children;
	if (!is_wanted(walk, abbreviation, level.scope)) {
		pass_over(walk, abbreviation, &children);
		if (abbreviation->tag == DW_TAG_subprogram)
			level.scope = walk->scopes ? OTHERS_CODE : TL_NONE;
	} else if (!(walk->scopes ? add_inlined : add_function)(walk, abbreviation, offset,
								&level.scope)) {
		return false;
	}
	if (walk->bytes.bad)
		return false;
	if (children && !walk->scopes && is_holder(abbreviation->tag) &&
	    walk->depth <= HOLDER_LEVELS && !add_holder(walk, offset, &level.holder))
		return false;
	return children ? enter(walk, level) : walk->depth > 1;
}

static struct walk walk_from(struct tl_dwarf *dwarf, struct tl_dwarf_unit *unit, uint64_t offset)
{
	struct walk walk = {
		.dwarf = dwarf,
		.unit = unit,
		.table = tl_dwarf_abbreviations(dwarf, unit),
		.bytes = tl_dwarf_bytes(&dwarf->sections, TL_DWARF_INFO, offset),
	};

	tl_cursor_limit(&walk.bytes.cur, unit->end);
	return walk;
}

static void walk_unit(struct tl_dwarf *dwarf, struct tl_dwarf_unit *unit,
		      struct tl_dwarf_functions *functions)
{
	struct walk walk = walk_from(dwarf, unit, unit->entries);

	if (!walk.table)
		return;
	walk.functions = functions;
	/* The root entry is the only one of its level. */
	if (enter(&walk, (struct level){ TL_NONE, TL_NONE }))
		while (step(&walk))
			;
	free(walk.open);
	tl_index_free(&walk.known);
	/* Some producers leave out the null entries that end the last levels. */
	if (walk.bytes.bad && tl_cursor_offset(&walk.bytes.cur) < unit->end)
		tl_dwarf_fault(&dwarf->sections, TL_BAD_RECORD, tl_cursor_offset(&walk.bytes.cur),
			       ".debug_info: an invalid entry; names may be missing");
}

/* What is inlined into the first of `scopes`. Damage was told of when the unit was read. */
static void walk_function(struct tl_dwarf *dwarf, struct tl_dwarf_unit *unit,
			  struct tl_dwarf_scopes *scopes)
{
	struct walk walk = walk_from(dwarf, unit, scopes->list[0].entry);
	const struct tl_dwarf_abbreviation *abbreviation =
		walk.table ? tl_dwarf_abbreviation(walk.table, tl_dwarf_take_uleb(&walk.bytes))
			   : NULL;
	bool children = abbreviation && abbreviation->has_children;

	walk.scopes = scopes;
	if (children)
		pass_over(&walk, abbreviation, &children);
	if (children && enter(&walk, (struct level){ TL_NONE, TL_NONE }) &&
	    enter(&walk, (struct level){ 0, TL_NONE }))
		while (step(&walk) && walk.depth > 1)
			;
	free(walk.open);
}

/* ---- look-ups ---- */

struct tl_dwarf_functions *tl_dwarf_functions(struct tl_dwarf *dwarf, struct tl_dwarf_unit *unit)
{
	struct tl_dwarf_entry root;

	if (unit->functions)
		return unit->functions;
	unit->functions = calloc(1, sizeof(*unit->functions));
	if (!unit->functions) {
		tl_dwarf_no_memory(&dwarf->sections);
		return NULL;
	}
	if (!unit->root_read)
		tl_dwarf_root_read(dwarf, unit, &root);
	dwarf->ranges.count = 0;
	walk_unit(dwarf, unit, unit->functions);
	tl_shrink(&unit->functions->list, &unit->functions->capacity, unit->functions->count,
		  sizeof(*unit->functions->list));
	tl_shrink(&unit->functions->holders, &unit->functions->holder_capacity,
		  unit->functions->holder_count, sizeof(*unit->functions->holders));
	if (!tl_intervals_paint(&unit->functions->by_address, dwarf->ranges.list,
				dwarf->ranges.count))
		tl_dwarf_no_memory(&dwarf->sections);
	return unit->functions;
}

static void free_scopes(struct tl_dwarf_scopes *scopes)
{
	if (!scopes)
		return;
	tl_intervals_free(&scopes->inlined);
	free(scopes->list);
	free(scopes);
}

/* Read what is inlined into a function; NULL: no memory. */
static struct tl_dwarf_scopes *read_scopes(struct tl_dwarf *dwarf, struct tl_dwarf_unit *unit,
					   const struct tl_dwarf_function *function)
{
	struct tl_dwarf_scopes *scopes = calloc(1, sizeof(*scopes));

	if (!scopes || !tl_grow(&scopes->list, &scopes->capacity, 1, sizeof(*scopes->list))) {
		free_scopes(scopes);
		tl_dwarf_no_memory(&dwarf->sections);
		return NULL;
	}
	scopes->list[scopes->count++] = (struct tl_dwarf_scope){ .entry = function->entry,
								 .parent = TL_NONE,
								 .start = function->start,
								 .size = function->size };
	dwarf->ranges.count = 0;
	walk_function(dwarf, unit, scopes);
	tl_shrink(&scopes->list, &scopes->capacity, scopes->count, sizeof(*scopes->list));
	if (!tl_intervals_paint(&scopes->inlined, dwarf->ranges.list, dwarf->ranges.count))
		tl_dwarf_no_memory(&dwarf->sections);
	return scopes;
}

struct tl_dwarf_scopes *tl_dwarf_scopes_at(struct tl_dwarf *dwarf, struct tl_dwarf_unit *unit,
					   uint64_t address)
{
	const struct tl_dwarf_functions *functions = tl_dwarf_functions(dwarf, unit);
	const uint32_t number =
		functions ? tl_intervals_find(&functions->by_address, address) : TL_NONE;
	struct tl_dwarf_function *function;

	if (number == TL_NONE)
		return NULL;
	function = &functions->list[number];
	if (!function->scopes)
		function->scopes = read_scopes(dwarf, unit, function);
	return function->scopes;
}

struct tl_dwarf_scope *tl_dwarf_scope_at(const struct tl_dwarf_scopes *scopes, uint64_t address)
{
	uint32_t number = tl_intervals_find(&scopes->inlined, address);

	return &scopes->list[number == TL_NONE ? 0 : number];
}

void tl_dwarf_functions_free(struct tl_dwarf_functions *functions)
{
	if (!functions)
		return;
	for (size_t i = 0; i < functions->count; i++)
		free_scopes(functions->list[i].scopes);
	tl_intervals_free(&functions->by_address);
	free(functions->holders);
	free(functions->list);
	free(functions);
}
