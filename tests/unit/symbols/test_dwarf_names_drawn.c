/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions whose names stand somewhere else: at an abstract instance, a declaration in a namespace
 * or a type, in the same unit or an earlier one. What they are called is found here by following
 * the links of a list; the units that are read have the same links in any form.
 */
#include "draw_entries.h"

#include <stdio.h>

enum {
	ROUNDS = 400,
	UNITS = 3,
	UNIT_CODE = 0x140, /* bytes of code of a unit */
	CODE = 0x10,       /* of a function: an inlined call is in [4, 8) */
	MOST_FUNCTIONS = 120,
	MOST_HOLDERS = 60,
	NONE = 1000,
};

/* A namespace or a type. */
struct holder {
	char name[8]; /* "": it has none */
	bool namespace;
	unsigned above;
};

/* A function, or a call of one that was inlined. */
struct function {
	size_t entry;
	char name[8], linkage[8]; /* "": it has none here */
	unsigned holder, link;
	unsigned line, discriminator; /* 0: not here */
	uint64_t address;             /* 0: it has no code */
	unsigned inlined;             /* the call in it */
};

static struct entries e;
static struct holder holders[MOST_HOLDERS];
static struct function functions[MOST_FUNCTIONS];
static unsigned holder_count, function_count;

/* ---- drawing ---- */

/* The attributes of a function, in any order as far as that is told apart. */
static void put_function(struct function *f, bool inlined)
{
	static const unsigned links[] = { DW_AT_specification, DW_AT_abstract_origin };
	const bool lines_first = chance(&e.seed, 2);

	if (lines_first && f->line)
		put_constant(&e, DW_AT_decl_line, f->line);
	put_others(&e);
	if (*f->name)
		put_string(&e, DW_AT_name, f->name);
	if (*f->linkage)
		put_string(&e,
			   e.parts.shape.version < 4 ? DW_AT_MIPS_linkage_name : DW_AT_linkage_name,
			   f->linkage);
	if (f->link != NONE)
		put_link(&e, links[inlined || chance(&e.seed, 2)], functions[f->link].entry);
	if (!lines_first && f->line)
		put_constant(&e, DW_AT_decl_line, f->line);
	if (f->discriminator)
		put_constant(&e, DW_AT_GNU_discriminator, f->discriminator);
	if (f->address) {
		put_address(&e, DW_AT_low_pc, f->address);
		if (e.parts.shape.version < 4)
			put_address(&e, DW_AT_high_pc, f->address + (inlined ? 4 : CODE));
		else
			put_constant(&e, DW_AT_high_pc, inlined ? 4 : CODE);
	}
	end_entry(&e);
}

/* What a function is called, by chance here, further on, or nowhere. */
static struct function *draw_function(unsigned holder)
{
	struct function *f = &functions[function_count];

	assert_true(function_count < MOST_FUNCTIONS);
	*f = (struct function){ .holder = holder, .link = NONE, .inlined = NONE };
	if (function_count && chance(&e.seed, 4))
		f->link = chance(&e.seed, function_count);
	if (chance(&e.seed, f->link == NONE ? 8 : 3))
		snprintf(f->name, sizeof(f->name), "n%u", function_count);
	/* A link of an inlined call has the name, as compilers write it. */
	if (f->link != NONE && chance(&e.seed, 3))
		*f->name = '\0';
	if (!chance(&e.seed, 4))
		snprintf(f->linkage, sizeof(f->linkage), "_l%u", function_count);
	if (chance(&e.seed, 2))
		f->line = 1 + chance(&e.seed, 30000);
	function_count++;
	return f;
}

static void draw_declaration(unsigned holder)
{
	struct function *f = draw_function(holder);

	f->entry = begin_entry(&e, DW_TAG_subprogram, false);
	put_function(f, false);
}

/* A function with code, and at times a call of another one that was inlined into it. */
static void draw_definition(unsigned holder, uint64_t address)
{
	struct function *f = draw_function(holder), *call;
	const bool inlined = chance(&e.seed, 2);

	f->address = address;
	f->entry = begin_entry(&e, DW_TAG_subprogram, inlined);
	put_function(f, false);
	if (!inlined)
		return;
	f->inlined = function_count;
	call = draw_function(holder);
	call->address = address + 4;
	if (chance(&e.seed, 2))
		call->discriminator = 1 + chance(&e.seed, 40);
	call->entry = begin_entry(&e, DW_TAG_inlined_subroutine, false);
	put_function(call, true);
	put(&e.parts.info, 0, 1);
}

/* Declarations, definitions and further holders are in it. */
static void draw_holder(unsigned above, unsigned depth, uint64_t *code)
{
	static const unsigned tags[] = { DW_TAG_namespace, DW_TAG_class_type, DW_TAG_structure_type,
					 DW_TAG_union_type };
	const unsigned tag = chance(&e.seed, 2) ? 0 : 1 + chance(&e.seed, 3);
	const unsigned number = holder_count++;

	assert_true(number < MOST_HOLDERS);
	holders[number] = (struct holder){ .above = above, .namespace = !tag };
	if (chance(&e.seed, 4))
		snprintf(holders[number].name, sizeof(holders[number].name), "H%u", number);
	begin_entry(&e, tags[tag], true);
	if (*holders[number].name)
		put_string(&e, DW_AT_name, holders[number].name);
	put_others(&e);
	end_entry(&e);
	for (unsigned left = chance(&e.seed, 4); left; left--)
		if (depth && !chance(&e.seed, 3)) {
			draw_holder(number, depth - 1, code);
		} else if (!chance(&e.seed, 4)) {
			draw_definition(number, *code);
			*code += CODE;
		} else {
			draw_declaration(number);
		}
	put(&e.parts.info, 0, 1);
}

/* A type that holds no functions has children, too. */
static void draw_enumeration(void)
{
	enum { ENUMERATOR = 0x28 };

	begin_entry(&e, DW_TAG_enumeration_type, true);
	end_entry(&e);
	begin_entry(&e, ENUMERATOR, false);
	put_string(&e, DW_AT_name, "red");
	end_entry(&e);
	put(&e.parts.info, 0, 1);
}

static void draw_unit(unsigned number)
{
	const uint64_t low = TEXT_AT + number * UNIT_CODE;
	uint64_t code = low;

	begin_drawn_unit(&e, 2 + chance(&e.seed, 4));
	begin_entry(&e, 0x11, true);
	put_address(&e, DW_AT_low_pc, low);
	put_address(&e, DW_AT_high_pc, low + UNIT_CODE);
	end_entry(&e);
	for (unsigned left = 2 + chance(&e.seed, 5); left; left--)
		switch (chance(&e.seed, 4)) {
		case 0:
			draw_holder(NONE, 3, &code);
			break;
		case 1:
			draw_declaration(NONE);
			break;
		case 2:
			draw_enumeration();
			break;
		default:
			draw_definition(NONE, code);
			code += CODE;
			break;
		}
	assert_true(code <= low + UNIT_CODE);
	end_drawn_unit(&e);
}

static void draw_file(uint32_t round)
{
	static const struct shape classes[] = { { .is_64bit = true },
						{ .is_64bit = true, .big = true },
						{ .is_64bit = false },
						{ .is_64bit = false, .big = true } };

	holder_count = function_count = 0;
	begin_entries(&e, classes[round % 4], round * 7919);
	for (unsigned unit = 0; unit < UNITS; unit++)
		draw_unit(unit);
	read_parts(&e.parts);
}

/* ---- what they are called ---- */

/* "": nothing */
static const char *name_of(const struct function *f, bool *mangled)
{
	const char *name = "";

	for (;; f = &functions[f->link]) {
		*mangled = *f->linkage;
		if (*mangled)
			return f->linkage;
		if (!*name)
			name = f->name;
		if (f->link == NONE)
			return name;
	}
}

/* Where the last of the links is, with what is around it. */
static void qualify(const struct function *f, const char *name, char text[128])
{
	char longer[128];
	bool any = false;

	while (f->link != NONE)
		f = &functions[f->link];
	snprintf(text, 128, "%s", name);
	for (unsigned h = f->holder; h != NONE; h = holders[h].above) {
		if (!*holders[h].name && !holders[h].namespace)
			continue;
		snprintf(longer, sizeof(longer), "%s::%s",
			 *holders[h].name ? holders[h].name : "(anonymous namespace)", text);
		memcpy(text, longer, sizeof(longer));
		any = true;
	}
	if (!any)
		*text = '\0';
}

static void expect_names(const struct tl_dwarf_found *found, const struct function *f)
{
	struct tl_dwarf_scope_lines lines;
	const char *name, *given;
	char text[128] = "", *qualified;
	unsigned line = f->line;
	bool mangled;

	assert_non_null(found->scope);
	assert_int_equal(found->scope->entry, f->entry);
	name = name_of(f, &mangled);
	given = tl_dwarf_scope_name(found->dwarf, found->unit, found->scope);
	assert_string_equal(given ? given : "", name);
	qualified = tl_dwarf_scope_qualified(found->dwarf, found->unit, found->scope);
	if (*name && !mangled)
		qualify(f, name, text);
	assert_string_equal(qualified ? qualified : "", text);
	assert_int_equal(qualified == NULL, !*text);
	free(qualified);
	for (const struct function *at = f; !line && at->link != NONE; line = at->line)
		at = &functions[at->link];
	lines = tl_dwarf_scope_lines(found->dwarf, found->unit, found->scope);
	assert_int_equal(lines.declared, line);
	assert_int_equal(lines.discriminator, f->discriminator);
}

TEST(names_are_found_by_their_links)
{
	unsigned qualified = 0;

	for (uint32_t round = 1; round <= ROUNDS; round++) {
		draw_file(round);
		for (unsigned i = 0; i < function_count; i++) {
			const struct function *f = &functions[i];
			struct tl_dwarf_found found;

			if (!f->address || f->address % CODE)
				continue;
			found = tl_dwarf_find(&e.parts.dwarf, f->address);
			expect_names(&found, f);
			found = tl_dwarf_find(&e.parts.dwarf, f->address + 4);
			if (f->inlined != NONE) {
				expect_names(&found, &functions[f->inlined]);
				tl_dwarf_outwards(&found);
			}
			expect_names(&found, f);
			found = tl_dwarf_find(&e.parts.dwarf, f->address + 8);
			expect_names(&found, f);
			qualified += f->holder != NONE;
		}
		assert_int_equal(tl_dwarf_faults(&e.parts.dwarf)->count, 0);
		tl_dwarf_close(&e.parts.dwarf);
	}
	assert_true(qualified > ROUNDS / 4);
}

/* A chain of so many entries, of which the last one has the name. */
static const char *name_at_the_end(unsigned entries)
{
	static char name[16];
	struct tl_dwarf_found found;
	const char *given;
	size_t last;

	begin_entries(&e, (struct shape){ .is_64bit = true }, entries);
	begin_drawn_unit(&e, 4);
	begin_entry(&e, 0x11, true);
	put_address(&e, DW_AT_low_pc, TEXT_AT);
	put_address(&e, DW_AT_high_pc, TEXT_AT + CODE);
	end_entry(&e);
	last = begin_entry(&e, DW_TAG_subprogram, false);
	put_string(&e, DW_AT_name, "last");
	if (entries == 1)
		put_address(&e, DW_AT_low_pc, TEXT_AT);
	if (entries == 1)
		put_address(&e, DW_AT_high_pc, TEXT_AT + CODE);
	end_entry(&e);
	for (unsigned i = 1; i < entries; i++) {
		const size_t next = last;

		last = begin_entry(&e, DW_TAG_subprogram, false);
		put_link(&e, DW_AT_abstract_origin, next);
		if (i + 1 == entries)
			put_address(&e, DW_AT_low_pc, TEXT_AT);
		if (i + 1 == entries)
			put_address(&e, DW_AT_high_pc, TEXT_AT + CODE);
		end_entry(&e);
	}
	end_drawn_unit(&e);
	read_parts(&e.parts);
	found = tl_dwarf_find(&e.parts.dwarf, TEXT_AT);
	given = tl_dwarf_scope_name(found.dwarf, found.unit, found.scope);
	snprintf(name, sizeof(name), "%s", given ? given : "");
	assert_int_equal(found.scope->entry, last);
	assert_int_equal(tl_dwarf_faults(&e.parts.dwarf)->count, given ? 0 : 1);
	if (!given) {
		assert_int_equal(tl_dwarf_faults(&e.parts.dwarf)->first.status, TL_BAD_RECORD);
		assert_int_equal(tl_dwarf_faults(&e.parts.dwarf)->first.offset, last);
	}
	tl_dwarf_close(&e.parts.dwarf);
	return name;
}

/* "Real chains have two or three links": sixteen entries are looked at, and then it is told. */
TEST(chains_have_an_end)
{
	for (unsigned entries = 1; entries <= 20; entries++)
		assert_string_equal(name_at_the_end(entries), entries <= 16 ? "last" : "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_found_by_their_links),
		cmocka_unit_test(chains_have_an_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
