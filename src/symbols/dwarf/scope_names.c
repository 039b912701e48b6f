/* SPDX-License-Identifier: Apache-2.0 */
/* Names of functions, which may stand elsewhere: at an abstract instance, a declaration, in a
 * shared file. */
#include <stdio.h>
#include <stdlib.h>

#include <tracelathe/core.h>

#include "symbols/dwarf/constants.h"
#include "symbols/dwarf/scopes.h"

/*
 * Links that are followed: an instance, its abstract origin, the declaration of that. Real chains
 * have two or three links; those of a hostile file may form a ring.
 */
enum { MOST_LINKS = 16 };

struct place {
	struct tl_dwarf *dwarf;
	struct tl_dwarf_unit *unit;
	uint64_t entry;
};

/* Set `place` to the entry that a reference names. False: there is no such entry. */
static bool follow(struct place *place, const struct tl_dwarf_value *value)
{
	switch (value->form) {
	case DW_FORM_ref_sup4:
	case DW_FORM_ref_sup8:
	case DW_FORM_GNU_ref_alt:
		place->dwarf = tl_dwarf_supplement(place->dwarf);
		if (!place->dwarf)
			return false;
		place->entry = value->number;
		break;
	default:
		place->entry = tl_dwarf_reference(place->unit, value);
		if (!place->entry)
			return false;
	}
	place->unit = tl_dwarf_unit_of(place->dwarf, place->entry);
	return place->unit != NULL;
}

/* Read the entry at a place. False: no entry begins there. */
static bool read_entry(const struct place *place, struct tl_dwarf_entry *entry)
{
	struct tl_dwarf *dwarf = place->dwarf;
	struct tl_dwarf_unit *unit = place->unit;
	struct tl_dwarf_bytes bytes = tl_dwarf_bytes(&dwarf->sections, TL_DWARF_INFO, place->entry);
	const struct tl_dwarf_abbreviation *abbreviation;
	const struct tl_dwarf_abbreviations *table;

	if (!unit->root_read)
		tl_dwarf_root_read(dwarf, unit, entry);
	tl_cursor_limit(&bytes.cur, unit->end);
	table = tl_dwarf_abbreviations(dwarf, unit);
	abbreviation = table ? tl_dwarf_abbreviation(table, tl_dwarf_take_uleb(&bytes)) : NULL;
	if (place->entry < unit->entries || !abbreviation)
		return false;
	tl_dwarf_entry_read(dwarf, unit, &bytes, table, abbreviation, entry);
	return !bytes.bad;
}

/* The reference to the entry that has the name of this one; form 0: there is no reference. */
static const struct tl_dwarf_value *origin_of(const struct tl_dwarf_entry *entry)
{
	return &entry->values[entry->values[TL_DWARF_SLOT_ORIGIN].form
				      ? TL_DWARF_SLOT_ORIGIN
				      : TL_DWARF_SLOT_SPECIFICATION];
}

/*
 * The mangled name of a function, or that of its source; `place` becomes the entry that has no
 * further origin, where it is declared.
 */
static const char *find_name(struct place *place, const struct tl_dwarf_scope *scope, bool *mangled)
{
	struct tl_dwarf *const dwarf = place->dwarf;
	const char *name = NULL, *linkage;
	struct tl_dwarf_entry entry;

	*mangled = false;
	for (unsigned link = 0; link < MOST_LINKS; link++) {
		bool found = !link || follow(place, origin_of(&entry));

		if (!found || !read_entry(place, &entry)) {
			tl_dwarf_fault(&dwarf->sections, TL_BAD_RECORD, scope->entry,
				       ".debug_info: the origin of a function does not exist; "
				       "names may be missing");
			return name;
		}
		/* The linkage name has the parameters, too; often only the declaration has it. */
		linkage = tl_dwarf_value_text(place->dwarf, place->unit,
					      &entry.values[TL_DWARF_SLOT_LINKAGE_NAME]);
		*mangled = linkage != NULL;
		if (linkage)
			return linkage;
		if (!name)
			name = tl_dwarf_value_text(place->dwarf, place->unit,
						   &entry.values[TL_DWARF_SLOT_NAME]);
		if (!origin_of(&entry)->form)
			return name;
	}
	tl_dwarf_fault(&dwarf->sections, TL_BAD_RECORD, scope->entry,
		       ".debug_info: the chain of origins of a function is too long; names may be "
		       "missing");
	return name;
}

const char *tl_dwarf_scope_name(struct tl_dwarf *dwarf, struct tl_dwarf_unit *unit,
				const struct tl_dwarf_scope *scope)
{
	struct place place = { dwarf, unit, scope->entry };
	bool mangled;

	return find_name(&place, scope, &mangled);
}

/* ---- namespaces and types around a function ---- */

/* The innermost holder of an entry, whose offset counts from the unit; TL_NONE: none. */
static uint32_t holder_of(const struct tl_dwarf_functions *functions, uint64_t entry)
{
	size_t low = 0, high = functions->holder_count;
	uint32_t holder;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (functions->holders[middle].entry < entry)
			low = middle + 1;
		else
			high = middle;
	}
	holder = low ? (uint32_t)low - 1 : TL_NONE;
	while (holder != TL_NONE && functions->holders[holder].end <= entry)
		holder = functions->holders[holder].above;
	return holder;
}

/* The name of a holder; a type without one has "". */
static const char *holder_name(struct place place, uint64_t offset)
{
	struct tl_dwarf_entry entry;
	const char *name;

	place.entry = offset;
	if (!read_entry(&place, &entry))
		return "";
	name = tl_dwarf_value_text(place.dwarf, place.unit, &entry.values[TL_DWARF_SLOT_NAME]);
	if (!name && entry.abbreviation->tag == DW_TAG_namespace)
		return "(anonymous namespace)";
	return name ? name : "";
}

char *tl_dwarf_scope_qualified(struct tl_dwarf *dwarf, struct tl_dwarf_unit *unit,
			       const struct tl_dwarf_scope *scope)
{
	struct place place = { dwarf, unit, scope->entry };
	const struct tl_dwarf_functions *functions;
	char *text = NULL, *longer;
	const char *name;
	uint32_t holder;
	bool mangled;

	name = find_name(&place, scope, &mangled);
	functions = name && !mangled ? tl_dwarf_functions(place.dwarf, place.unit) : NULL;
	holder = functions ? holder_of(functions, place.entry - place.unit->offset) : TL_NONE;
	for (; holder != TL_NONE; holder = functions->holders[holder].above) {
		const char *around =
			holder_name(place, place.unit->offset + functions->holders[holder].entry);

		if (!*around)
			continue;
		if (asprintf(&longer, "%s::%s", around, text ? text : name) < 0) {
			free(text);
			tl_dwarf_no_memory(&dwarf->sections);
			return NULL;
		}
		free(text);
		text = longer;
	}
	return text;
}

static uint32_t line_of(const struct tl_dwarf_value *value)
{
	return value->form && value->number < TL_NONE ? (uint32_t)value->number : 0;
}

struct tl_dwarf_scope_lines tl_dwarf_scope_lines(struct tl_dwarf *dwarf, struct tl_dwarf_unit *unit,
						 const struct tl_dwarf_scope *scope)
{
	struct place place = { dwarf, unit, scope->entry };
	struct tl_dwarf_scope_lines lines = { 0, 0 };
	struct tl_dwarf_entry entry;

	/* Faults of the chain are those that the name met. */
	for (unsigned link = 0; link < MOST_LINKS && !lines.declared; link++) {
		if ((link && !follow(&place, origin_of(&entry))) || !read_entry(&place, &entry))
			break;
		if (!link)
			lines.discriminator = line_of(&entry.values[TL_DWARF_SLOT_DISCRIMINATOR]);
		lines.declared = line_of(&entry.values[TL_DWARF_SLOT_DECL_LINE]);
		if (!origin_of(&entry)->form)
			break;
	}
	return lines;
}
