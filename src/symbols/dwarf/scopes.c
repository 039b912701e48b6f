/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols/dwarf/scopes.h"

#include <stdlib.h>

#include <tracelathe/core.h>

#include "symbols/dwarf/constants.h"

/* What entries of a level of nesting belong to. */
struct level {
	uint32_t scope, holder; /* TL_NONE: none */
};

/* A walk over the entries of a unit, in their order. */
struct walk {
	struct tl_dwarf *dwarf;
	struct tl_dwarf_unit *unit;
	const struct tl_dwarf_abbreviations *table;
	struct tl_dwarf_scopes *scopes;
	struct tl_dwarf_bytes bytes;
	struct level *open; /* by level of nesting */
	size_t depth, capacity;
	struct tl_index functions; /* by their first range */
};

/*
 * Levels of a unit in which namespaces and types are noted; names of C++ are in a handful, and a
 * hostile file may have a level for each of its bytes.
 */
enum { HOLDER_LEVELS = 64 };

/* In place of a scope: inside a function whose code an earlier function has already. */
enum { SAME_CODE = TL_NONE - 1 };

static bool has_function(uint16_t tag)
{
	return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
}

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
	struct tl_dwarf_scopes *scopes = walk->scopes;

	if (!tl_grow(&scopes->holders, &scopes->holder_capacity, scopes->holder_count + 1,
		     sizeof(*scopes->holders)))
		return tl_dwarf_no_memory(&walk->dwarf->sections);
	scopes->holders[scopes->holder_count] = (struct tl_dwarf_holder){
		.entry = offset,
		.end = UINT64_MAX,
		.above = *holder,
	};
	*holder = (uint32_t)scopes->holder_count++;
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
		walk->scopes->holders[holder].end = tl_cursor_offset(&walk->bytes.cur);
	return walk->depth;
}

static uint32_t number_of(const struct tl_dwarf_value *value)
{
	return value->form && value->number < TL_NONE ? (uint32_t)value->number : 0;
}

static struct tl_dwarf_scope scope_of(const struct walk *walk, const struct tl_dwarf_entry *entry,
				      uint64_t offset, size_t ranges)
{
	struct tl_dwarf_scope scope = { .entry = offset, .parent = TL_NONE };

	if (entry->abbreviation->tag == DW_TAG_inlined_subroutine) {
		scope.parent = walk->open[walk->depth - 1].scope;
		scope.call_file = number_of(&entry->values[TL_DWARF_SLOT_CALL_FILE]);
		scope.call_line = number_of(&entry->values[TL_DWARF_SLOT_CALL_LINE]);
		scope.call_column = number_of(&entry->values[TL_DWARF_SLOT_CALL_COLUMN]);
	} else if (ranges < walk->dwarf->ranges.count) {
		/* A function's entry is in the first of its parts. */
		const struct tl_interval *first = &walk->dwarf->ranges.list[ranges];

		scope.start = first->start;
		scope.size = first->end - first->start;
	}
	return scope;
}

static bool same_code(const void *context, const void *key, uint32_t number)
{
	const struct tl_dwarf_scope *list = context, *function = key;

	return list[number].start == function->start && list[number].size == function->size;
}

/*
 * Several functions may have one code (aliases of assembler routines, identical functions that the
 * linker folded): the first one is kept, with its inlined calls.
 */
static bool is_known(struct walk *walk, const struct tl_dwarf_scope *function)
{
	uint64_t hash = tl_hash_pair(function->start, function->size);

	if (tl_index_find(&walk->functions, hash, same_code, walk->scopes->list, function) !=
	    TL_NONE)
		return true;
	if (!tl_index_add(&walk->functions, hash, (uint32_t)walk->scopes->count))
		tl_dwarf_no_memory(&walk->dwarf->sections);
	return false;
}

static bool add_scope(struct walk *walk, const struct tl_dwarf_scope *scope)
{
	struct tl_dwarf_scopes *scopes = walk->scopes;

	if (scopes->count >= SAME_CODE ||
	    !tl_grow(&scopes->list, &scopes->capacity, scopes->count + 1, sizeof(*scopes->list)))
		return tl_dwarf_no_memory(&walk->dwarf->sections);
	scopes->list[scopes->count++] = *scope;
	return true;
}

/* Add a function or an inlined call; *scope becomes the scope of its children. */
static bool add_function(struct walk *walk, const struct tl_dwarf_abbreviation *abbreviation,
			 uint64_t offset, uint32_t *scope)
{
	bool is_function = abbreviation->tag == DW_TAG_subprogram;
	size_t ranges = walk->dwarf->ranges.count;
	struct tl_dwarf_scope made;
	struct tl_dwarf_entry entry;

	tl_dwarf_entry_read(walk->dwarf, walk->unit, &walk->bytes, walk->table, abbreviation,
			    &entry);
	if (walk->bytes.bad)
		return true;
	if (!tl_dwarf_ranges_add(walk->dwarf, walk->unit, &entry, (uint32_t)walk->scopes->count))
		return false;
	/* A function without code may still have nested functions with code. */
	if (is_function)
		*scope = TL_NONE;
	if (is_function && ranges == walk->dwarf->ranges.count)
		return true;
	made = scope_of(walk, &entry, offset, ranges);
	if (is_function ? is_known(walk, &made) : *scope == SAME_CODE) {
		walk->dwarf->ranges.count = ranges;
		*scope = SAME_CODE;
		return true;
	}
	*scope = (uint32_t)walk->scopes->count;
	return add_scope(walk, &made);
}

/*
 * Skip an entry that is no function: in one step where its size is fixed; with its children where
 * those have no code.
 */
static void pass_over(struct walk *walk, const struct tl_dwarf_abbreviation *abbreviation,
		      bool *children)
{
	struct tl_dwarf_entry entry;

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
	tl_dwarf_entry_read(walk->dwarf, walk->unit, &walk->bytes, walk->table, abbreviation,
			    &entry);
	const struct tl_dwarf_value *sibling = &entry.values[TL_DWARF_SLOT_SIBLING];
	uint64_t target = sibling->number + walk->unit->offset;

	/* Only forwards, so that the walk ends. */
	if (sibling->form && sibling->form != DW_FORM_ref_addr &&
	    target > tl_cursor_offset(&walk->bytes.cur) && target < walk->unit->end &&
	    !walk->bytes.bad) {
		tl_cursor_seek(&walk->bytes.cur, target);
		*children = false;
	}
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
	if (!has_function(abbreviation->tag))
		pass_over(walk, abbreviation, &children);
	else if (!add_function(walk, abbreviation, offset, &level.scope))
		return false;
	if (walk->bytes.bad)
		return false;
	if (children && is_holder(abbreviation->tag) && walk->depth <= HOLDER_LEVELS &&
	    !add_holder(walk, offset, &level.holder))
		return false;
	return children ? enter(walk, level) : walk->depth > 1;
}

static void walk_unit(struct tl_dwarf *dwarf, struct tl_dwarf_unit *unit,
		      struct tl_dwarf_scopes *scopes)
{
	struct walk walk = {
		.dwarf = dwarf,
		.unit = unit,
		.table = tl_dwarf_abbreviations(dwarf, unit),
		.scopes = scopes,
		.bytes = tl_dwarf_bytes(&dwarf->sections, TL_DWARF_INFO, unit->entries),
	};

	if (!walk.table)
		return;
	tl_cursor_limit(&walk.bytes.cur, unit->end);
	/* The root entry is the only one of its level. */
	if (enter(&walk, (struct level){ TL_NONE, TL_NONE }))
		while (step(&walk))
			;
	free(walk.open);
	tl_index_free(&walk.functions);
	/* Some producers leave out the null entries that end the last levels. */
	if (walk.bytes.bad && tl_cursor_offset(&walk.bytes.cur) < unit->end)
		tl_dwarf_fault(&dwarf->sections, TL_BAD_RECORD, tl_cursor_offset(&walk.bytes.cur),
			       ".debug_info: an invalid entry; names may be missing");
}

struct tl_dwarf_scopes *tl_dwarf_scopes(struct tl_dwarf *dwarf, struct tl_dwarf_unit *unit)
{
	struct tl_dwarf_entry root;

	if (unit->scopes)
		return unit->scopes;
	unit->scopes = calloc(1, sizeof(*unit->scopes));
	if (!unit->scopes) {
		tl_dwarf_no_memory(&dwarf->sections);
		return NULL;
	}
	if (!unit->root_read)
		tl_dwarf_root_read(dwarf, unit, &root);
	dwarf->ranges.count = 0;
	walk_unit(dwarf, unit, unit->scopes);
	tl_shrink(&unit->scopes->list, &unit->scopes->capacity, unit->scopes->count,
		  sizeof(*unit->scopes->list));
	if (!tl_intervals_paint(&unit->scopes->innermost, dwarf->ranges.list, dwarf->ranges.count))
		tl_dwarf_no_memory(&dwarf->sections);
	return unit->scopes;
}

struct tl_dwarf_scope *tl_dwarf_scope_at(const struct tl_dwarf_scopes *scopes, uint64_t address)
{
	uint32_t number = tl_intervals_find(&scopes->innermost, address);

	return number == TL_NONE ? NULL : &scopes->list[number];
}

void tl_dwarf_scopes_free(struct tl_dwarf_scopes *scopes)
{
	if (!scopes)
		return;
	tl_intervals_free(&scopes->innermost);
	free(scopes->holders);
	free(scopes->list);
	free(scopes);
}
