/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Units of functions and inlined calls that are drawn, written in each shape of DWARF and with
 * ranges, names and references in any form. Which calls an address is of is known before: each
 * entry has painted its addresses, inner ones over outer ones.
 */
#include "../unit.h"

#include <stdio.h>

#include "../chance.h"
#include "make_dwarf.h"

enum { SHAPES = sizeof(shapes) / sizeof(shapes[0]), UNITS = 3, MOST_NODES = 60, ABSTRACT = 4 };
enum { NOBODY = MOST_NODES };

struct range {
	uint64_t start, end;
};

/* A function, or a call that was inlined into `outer`. */
struct node {
	unsigned unit, outer; /* NOBODY: a function */
	struct range ranges[3];
	unsigned range_count;
	unsigned name; /* of an inlined call: which abstract function */
	unsigned line, column;
};

static struct node nodes[MOST_NODES];
static unsigned node_count, owner[TEXT_SIZE];
static struct parts parts;

/* ---- drawing ---- */

static unsigned add_node(unsigned unit, unsigned outer, uint32_t *seed)
{
	nodes[node_count] = (struct node){ .unit = unit,
					   .outer = outer,
					   .name = chance(seed, ABSTRACT),
					   .line = chance(seed, 60000),
					   .column = chance(seed, 300) };
	return node_count++;
}

static void add_range(unsigned node, uint64_t start, uint64_t end)
{
	nodes[node].ranges[nodes[node].range_count++] = (struct range){ start, end };
	for (uint64_t at = start; at < end; at++)
		owner[at - TEXT_AT] = node;
}

/* Calls inside [start, end) of a node, one behind the other, and calls inside of these. */
static void draw_inlined(unsigned outer, uint64_t start, uint64_t end, unsigned depth,
			 uint32_t *seed)
{
	while (depth && end - start > 6 && node_count < MOST_NODES && chance(seed, 3)) {
		const uint64_t first = start + chance(seed, 3),
			       last = first + 2 + chance(seed, (unsigned)(end - first - 2));
		const unsigned node = add_node(nodes[outer].unit, outer, seed);

		/* in two parts, with some of the caller between them */
		if (last - first > 8 && chance(seed, 2)) {
			const uint64_t middle = first + 2 + chance(seed, 3);

			add_range(node, first, middle);
			add_range(node, middle + 2, last);
			draw_inlined(node, middle + 2, last, depth - 1, seed);
		} else {
			add_range(node, first, last);
			draw_inlined(node, first, last, depth - 1, seed);
		}
		start = last;
	}
}

/* The code of a unit is one piece behind the other, of a function or of none. */
static void draw_unit(unsigned unit, uint64_t start, uint64_t end, uint32_t *seed)
{
	const unsigned first = node_count, functions = 1 + chance(seed, 6);

	for (unsigned i = 0; i < functions; i++)
		add_node(unit, NOBODY, seed);
	while (start < end) {
		const uint64_t left = end - start,
			       size = 1 + chance(seed, left < 80 ? (unsigned)left : 80);
		const unsigned node = first + chance(seed, functions + 1);

		if (node < first + functions && nodes[node].range_count < 3) {
			add_range(node, start, start + size);
			draw_inlined(node, start, start + size, 4, seed);
		}
		start += size;
	}
}

static void draw_nodes(uint32_t *seed)
{
	node_count = 0;
	for (unsigned i = 0; i < TEXT_SIZE; i++)
		owner[i] = NOBODY;
	for (unsigned unit = 0; unit < UNITS; unit++)
		draw_unit(unit, TEXT_AT + unit * 0x140, TEXT_AT + unit * 0x140 + 0x120, seed);
}

/* ---- writing ---- */

enum { RANGE_ADDRESSES, RANGE_SIZE, RANGE_LIST, RANGE_FORMS };
enum { NAME_HERE, NAME_STR, NAME_LINE_STR, NAME_FORMS };

static const unsigned reference_forms[] = { DW_FORM_ref2, DW_FORM_ref4, DW_FORM_ref8,
					    DW_FORM_ref_udata, DW_FORM_ref_addr };

enum { REFERENCES = sizeof(reference_forms) / sizeof(reference_forms[0]) };

/* Codes of abbreviations. */
enum {
	ROOT = 1,
	ABSTRACT_FUNCTION,
	BLOCK,
	VARIABLE,
	SITE_WITH_END,
	SITE,
	PARAMETER,
	FUNCTION = 20,
	INLINED = FUNCTION + RANGE_FORMS * NAME_FORMS,
};

/* Pairs of attribute and form for a way to say ranges. */
static unsigned put_range_pairs(unsigned *pairs, unsigned form)
{
	const bool old = parts.shape.version < 4;

	if (form == RANGE_LIST) {
		pairs[0] = DW_AT_ranges;
		pairs[1] = !old               ? DW_FORM_sec_offset
			   : parts.shape.wide ? DW_FORM_data8
					      : DW_FORM_data4;
		return 2;
	}
	pairs[0] = DW_AT_low_pc;
	pairs[1] = DW_FORM_addr;
	pairs[2] = DW_AT_high_pc;
	/* "of class constant": since version 4 */
	pairs[3] = form == RANGE_ADDRESSES || old ? DW_FORM_addr : DW_FORM_udata;
	return 4;
}

static void put_abbreviations(void)
{
	static const unsigned name_forms[] = { DW_FORM_string, DW_FORM_strp, DW_FORM_line_strp };
	static const unsigned root[] = { DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_addr,
					 0 },
			      named[] = { DW_AT_name, DW_FORM_string, 0 }, none[] = { 0 },
			      block[] = { DW_AT_name, DW_FORM_string, 0x02, DW_FORM_block1, 0 },
			      sibling[] = { DW_AT_sibling, DW_FORM_ref4, 0 };

	put_abbreviation(&parts, ROOT, 0x11, true, root);
	put_abbreviation(&parts, ABSTRACT_FUNCTION, DW_TAG_subprogram, false, named);
	put_abbreviation(&parts, BLOCK, 0x0b, true, none);
	put_abbreviation(&parts, VARIABLE, 0x34, false, block);
	put_abbreviation(&parts, SITE_WITH_END, DW_TAG_call_site, true, sibling);
	put_abbreviation(&parts, SITE, DW_TAG_call_site, true, none);
	put_abbreviation(&parts, PARAMETER, 0x49, false, named);
	for (unsigned range = 0; range < RANGE_FORMS; range++) {
		for (unsigned name = 0; name < NAME_FORMS; name++) {
			unsigned pairs[8] = { DW_AT_name, name_forms[name] };

			pairs[2 + put_range_pairs(pairs + 2, range)] = 0;
			put_abbreviation(&parts, FUNCTION + range * NAME_FORMS + name,
					 DW_TAG_subprogram, true, pairs);
		}
		for (unsigned i = 0; i < REFERENCES; i++) {
			unsigned pairs[16] = { DW_AT_abstract_origin, reference_forms[i],
					       DW_AT_call_line,       DW_FORM_data2,
					       DW_AT_call_column,     DW_FORM_udata };

			pairs[6 + put_range_pairs(pairs + 6, range)] = 0;
			put_abbreviation(&parts, INLINED + range * REFERENCES + i,
					 DW_TAG_inlined_subroutine, true, pairs);
		}
	}
	put(&parts.abbrev, 0, 1);
}

/* A list of ranges: from the unit's low address on, in either section; its offset. */
static size_t put_list(const struct node *node, uint64_t low, uint32_t *seed)
{
	const bool is_new = parts.shape.version >= 5;
	struct made *list = is_new ? &parts.rnglists : &parts.ranges;
	const size_t at = list->size;

	for (unsigned i = 0; i < node->range_count; i++) {
		const struct range *range = &node->ranges[i];

		if (!is_new) {
			put_word(list, range->start - low);
			put_word(list, range->end - low);
		} else if (chance(seed, 2)) {
			put(list, DW_RLE_offset_pair, 1);
			put_uleb(list, range->start - low);
			put_uleb(list, range->end - low);
		} else {
			put(list, DW_RLE_start_length, 1);
			put_word(list, range->start);
			put_uleb(list, range->end - range->start);
		}
	}
	if (is_new) {
		put(list, DW_RLE_end_of_list, 1);
	} else {
		put_word(list, 0);
		put_word(list, 0);
	}
	return at;
}

/* A node of several ranges has a list. */
static unsigned draw_range_form(const struct node *node, uint32_t *seed)
{
	return node->range_count > 1 ? RANGE_LIST : chance(seed, RANGE_FORMS);
}

static void put_ranges(const struct node *node, unsigned form, uint64_t low, uint32_t *seed)
{
	const struct range *range = &node->ranges[0];

	if (form == RANGE_LIST) {
		put_offset(&parts, &parts.info, put_list(node, low, seed));
		return;
	}
	put_word(&parts.info, range->start);
	if (form == RANGE_ADDRESSES || parts.shape.version < 4)
		put_word(&parts.info, range->end);
	else
		put_uleb(&parts.info, range->end - range->start);
}

static void put_name(unsigned form, const char *name)
{
	struct made *texts = form == NAME_STR ? &parts.str : &parts.line_str;

	if (form == NAME_HERE) {
		put_text(&parts.info, name);
		return;
	}
	put_offset(&parts, &parts.info, texts->size);
	put_text(texts, name);
}

/* To an entry of the unit that begins at `unit`. */
static void put_reference(unsigned form, size_t unit, size_t entry)
{
	switch (form) {
	case DW_FORM_ref_addr:
		/* version 2: as an address */
		if (parts.shape.version == 2)
			put_word(&parts.info, entry);
		else
			put_offset(&parts, &parts.info, entry);
		break;
	case DW_FORM_ref_udata:
		put_uleb(&parts.info, entry - unit);
		break;
	default:
		put(&parts.info, entry - unit,
		    form == DW_FORM_ref2   ? 2
		    : form == DW_FORM_ref4 ? 4
					   : 8);
		break;
	}
}

/* Entries without code, which stand anywhere. */
static void put_other(size_t unit, uint32_t *seed)
{
	size_t end;

	switch (chance(seed, 4)) {
	case 0:
		put_uleb(&parts.info, VARIABLE);
		put_text(&parts.info, "variable");
		put_bytes(&parts.info, "\3abc", 4);
		break;
	case 1: /* its children are jumped over: they are no entries at all */
		put_uleb(&parts.info, SITE_WITH_END);
		end = parts.info.size + 4 + 5;
		put(&parts.info, end - unit, 4);
		put_fill(&parts.info, 5);
		break;
	case 2:
		put_uleb(&parts.info, SITE);
		put_uleb(&parts.info, PARAMETER);
		put_text(&parts.info, "parameter");
		put(&parts.info, 0, 1);
		break;
	default:
		break;
	}
}

static size_t abstract_at[ABSTRACT];

static void put_node(unsigned number, size_t unit, uint64_t low, uint32_t *seed)
{
	const struct node *node = &nodes[number];
	const unsigned range = draw_range_form(node, seed), reference = chance(seed, REFERENCES),
		       name_form = chance(seed, parts.shape.version >= 5 ? 3 : 2);
	const bool in_block = chance(seed, 3) == 0;
	char name[16];

	if (!node->range_count)
		return;
	put_other(unit, seed);
	if (in_block)
		put_uleb(&parts.info, BLOCK);
	if (node->outer == NOBODY) {
		snprintf(name, sizeof(name), "f%u", number);
		put_uleb(&parts.info, FUNCTION + range * NAME_FORMS + name_form);
		put_name(name_form, name);
	} else {
		put_uleb(&parts.info, INLINED + range * REFERENCES + reference);
		put_reference(reference_forms[reference], unit, abstract_at[node->name]);
		put(&parts.info, node->line, 2);
		put_uleb(&parts.info, node->column);
	}
	put_ranges(node, range, low, seed);
	for (unsigned i = number + 1; i < node_count; i++)
		if (nodes[i].outer == number)
			put_node(i, unit, low, seed);
	put_other(unit, seed);
	put(&parts.info, 0, 1);
	if (in_block)
		put(&parts.info, 0, 1);
}

static void put_unit(unsigned number, uint32_t *seed)
{
	const size_t unit = parts.info.size, begun = begin_unit(&parts);
	const uint64_t low = TEXT_AT + number * 0x140;
	char name[16];

	put_uleb(&parts.info, ROOT);
	put_word(&parts.info, low);
	put_word(&parts.info, low + 0x140);
	for (unsigned i = 0; i < ABSTRACT; i++) {
		abstract_at[i] = parts.info.size;
		snprintf(name, sizeof(name), "u%u_%u", number, i);
		put_uleb(&parts.info, ABSTRACT_FUNCTION);
		put_text(&parts.info, name);
	}
	for (unsigned i = 0; i < node_count; i++)
		if (nodes[i].unit == number && nodes[i].outer == NOBODY)
			put_node(i, unit, low, seed);
	put(&parts.info, 0, 1);
	end_length(&parts, &parts.info, begun);
}

/* ---- reading ---- */

/* From the innermost call outwards, each with its name and where it was inlined. */
static void assert_chain(uint64_t address)
{
	struct tl_dwarf_found found = tl_dwarf_find(&parts.dwarf, address);
	unsigned node = owner[address - TEXT_AT];

	for (; node != NOBODY; node = nodes[node].outer) {
		const bool is_inlined = nodes[node].outer != NOBODY;
		char name[16];

		assert_non_null(found.scope);
		if (is_inlined)
			snprintf(name, sizeof(name), "u%u_%u", nodes[node].unit, nodes[node].name);
		else
			snprintf(name, sizeof(name), "f%u", node);
		assert_string_equal(tl_dwarf_scope_name(found.dwarf, found.unit, found.scope),
				    name);
		if (is_inlined) {
			assert_int_equal(found.scope->call_line, nodes[node].line);
			assert_int_equal(found.scope->call_column, nodes[node].column);
		} else {
			assert_int_equal(found.scope->start, nodes[node].ranges[0].start);
			assert_int_equal(found.scope->size,
					 nodes[node].ranges[0].end - nodes[node].ranges[0].start);
		}
		tl_dwarf_outwards(&found);
	}
	assert_null(found.scope);
}

static void draw_file(unsigned round, uint32_t *seed)
{
	begin_parts(&parts, shapes[round % SHAPES]);
	draw_nodes(seed);
	put_abbreviations();
	put_bytes(&parts.str, "no name", 8);
	put_bytes(&parts.line_str, "nor this", 9);
	put_fill(&parts.ranges, 16);
	put_fill(&parts.rnglists, 16);
	for (unsigned unit = 0; unit < UNITS; unit++)
		put_unit(unit, seed);
}

TEST(each_address_has_the_calls_that_painted_it)
{
	static unsigned order[TEXT_SIZE];
	uint32_t seed = 1;

	for (unsigned round = 0; round < 40 * SHAPES; round++) {
		draw_file(round, &seed);
		read_parts(&parts);
		/* units are read when an address of theirs is asked for */
		chance_order(&seed, order, TEXT_SIZE);
		for (unsigned i = 0; i < TEXT_SIZE; i++)
			assert_chain(TEXT_AT + order[i]);
		assert_null(tl_dwarf_find(&parts.dwarf, TEXT_AT - 1).scope);
		assert_null(tl_dwarf_find(&parts.dwarf, TEXT_AT + TEXT_SIZE).scope);
		assert_int_equal(tl_dwarf_faults(&parts.dwarf)->count, 0);
		tl_dwarf_close(&parts.dwarf);
	}
}

/* Where a unit is cut, or a byte of it is another one, what is told stays within the file. */
TEST(damaged_units_are_told_or_read)
{
	uint32_t seed = 2;

	for (unsigned round = 0; round < 60 * SHAPES; round++) {
		const uint64_t step = 1 + chance(&seed, 7);

		draw_file(round, &seed);
		for (unsigned i = 0; i < 4; i++)
			parts.info.bytes[chance(&seed, (unsigned)parts.info.size)] =
				(uint8_t)chance(&seed, 256);
		if (round % 3 == 0)
			parts.info.size -= chance(&seed, (unsigned)parts.info.size);
		read_parts(&parts);
		for (uint64_t at = TEXT_AT; at < TEXT_AT + TEXT_SIZE; at += step) {
			struct tl_dwarf_found found = tl_dwarf_find(&parts.dwarf, at);
			unsigned depth = 0;

			for (; found.scope; tl_dwarf_outwards(&found)) {
				const char *name =
					tl_dwarf_scope_name(found.dwarf, found.unit, found.scope);

				assert_true(!name || strlen(name) < sizeof(parts.info.bytes));
				assert_true(++depth <= MOST_NODES);
			}
		}
		tl_dwarf_close(&parts.dwarf);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_address_has_the_calls_that_painted_it),
		cmocka_unit_test(damaged_units_are_told_or_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
