/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A function by instruction: costs, address, arrows of its jumps, text; calls and recorded jumps
 * below.
 */
#include "report/annotate/assembly_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/output.h"
#include "report/number_text.h"
#include "symbols/binary.h"

struct sheet {
	const struct tl_annotation *a;
	const struct tl_note_group *group;
	struct tl_listing *listing;
	struct tl_note_layout layout;
	size_t at; /* the next note */
};

static const int64_t *no_cost(const struct sheet *sheet)
{
	memset(sheet->a->row, 0,
	       tl_profile_event_count(sheet->a->view.profile) * sizeof(*sheet->a->row));
	return sheet->a->row;
}

static void put_address(const struct sheet *sheet, uint64_t address)
{
	struct tl_output *out = sheet->a->view.out;
	char text[24] = "?";
	int length = 1;

	if (address)
		length = snprintf(text, sizeof(text), "%" PRIx64, address);
	tl_put_right(out, text, (size_t)length, sheet->layout.place);
}

/* ---- remarks below an instruction ---- */

static void put_jump(const struct sheet *sheet, const struct tl_remark *remark)
{
	struct tl_output *out = sheet->a->view.out;

	tl_note_put_costs(sheet->a, &sheet->layout, NULL);
	tl_put_blanks(out, sheet->layout.place + sheet->listing->arrow_columns);
	tl_put_text(out, remark->to.address > remark->at ? "    v jump to " : "    ^ jump to ");
	tl_put_hex(out, remark->to.address);
	tl_put_text(out, "  (");
	if (remark->conditional) {
		tl_put_count(out, remark->taken);
		tl_put_text(out, " of ");
	}
	tl_put_count(out, remark->count);
	tl_put_text(out, " time");
	tl_put_plural(out, remark->count);
	tl_put_text(out, ")\n");
}

/*
 * The cost of an address where no instruction begins: the code shown is not the code that ran, or
 * its instructions begin at other addresses.
 */
static void put_inside(const struct sheet *sheet, const struct tl_remark *remark)
{
	tl_note_put_costs(sheet->a, &sheet->layout, remark->cost);
	put_address(sheet, remark->at);
	tl_put_text(sheet->a->view.out, "  (inside the instruction above)\n");
}

/*
 * The notes up to an address, behind the self cost of the instruction. The end of an instruction
 * is its last byte here, as there may be no address behind that.
 */
static void put_remarks(struct sheet *sheet, uint64_t last)
{
	while (sheet->at < sheet->group->end && sheet->a->notes[sheet->at].at <= last) {
		struct tl_remark remark;

		sheet->at = tl_remark_take(sheet->a, sheet->group, sheet->at, &remark);
		if (remark.kind == TL_NOTE_CALL)
			tl_note_put_call(sheet->a, &sheet->layout,
					 sheet->layout.place + sheet->listing->arrow_columns,
					 &remark);
		else if (remark.kind == TL_NOTE_JUMP)
			put_jump(sheet, &remark);
		else
			put_inside(sheet, &remark);
	}
}

/* ---- instructions ---- */

static char arrow_character(bool turns, bool passes, bool line)
{
	if (turns)
		return '+';
	if (passes)
		return '|';
	return line ? '-' : ' ';
}

/* Arrow column 0 is next to the code. From the corner of an arrow, a line leads to the code. */
static void put_arrows(const struct sheet *sheet, const struct tl_listed_insn *insn)
{
	struct tl_output *out = sheet->a->view.out;
	bool line = false;

	tl_put_text(out, "  ");
	for (unsigned column = sheet->listing->arrow_columns; column-- > 0;) {
		bool turns = insn->corners >> column & 1, passes = insn->passing >> column & 1;

		tl_put_char(out, arrow_character(turns, passes, line));
		line = line || turns;
	}
	if (!sheet->listing->arrow_columns)
		return;
	if (insn->entered)
		tl_put_text(out, "> ");
	else
		tl_put_text(out, line ? "- " : "  ");
}

static void put_target(const struct sheet *sheet, const struct tl_insn *insn)
{
	struct tl_output *out = sheet->a->view.out;
	struct tl_symbol symbol;

	if (!insn->has_target ||
	    (insn->target >= sheet->listing->start && insn->target < sheet->listing->end))
		return;
	if (!sheet->listing->binary ||
	    !tl_binary_symbol_at(sheet->listing->binary, insn->target, &symbol) || !*symbol.name)
		return;
	tl_put_text(out, "  <");
	tl_put_name(out, symbol.name);
	tl_put_char(out, '>');
}

static void put_insn(const struct sheet *sheet, const struct tl_listed_insn *listed,
		     const int64_t *cost)
{
	struct tl_output *out = sheet->a->view.out;
	struct tl_insn insn;

	tl_listing_insn(sheet->listing, listed, &insn);
	tl_note_put_costs(sheet->a, &sheet->layout, cost);
	put_address(sheet, listed->address);
	put_arrows(sheet, listed);
	tl_put_text(out, insn.text);
	put_target(sheet, &insn);
	tl_put_char(out, '\n');
}

/*
 * The self cost of an instruction: the first note at its address, if there is one.
 */
static const int64_t *take_self(struct sheet *sheet, uint64_t last)
{
	struct tl_remark remark;

	if (sheet->at == sheet->group->end || sheet->a->notes[sheet->at].at > last ||
	    sheet->a->notes[sheet->at].kind != TL_NOTE_SELF)
		return no_cost(sheet);
	sheet->at = tl_remark_take(sheet->a, sheet->group, sheet->at, &remark);
	return remark.cost;
}

/* ---- one listing: a symbol, or code without a symbol ---- */

/* Show the instructions that have a note, and those near them. */
static void mark_shown(const struct sheet *sheet)
{
	struct tl_listing *listing = sheet->listing;
	size_t context = (size_t)sheet->a->what.context, note = sheet->at;

	for (size_t i = 0; i < listing->count; i++) {
		uint64_t last = listing->insns[i].address + listing->insns[i].length - 1;
		bool noted = false;

		for (; note < sheet->group->end && sheet->a->notes[note].at <= last; note++)
			noted = true;
		if (!noted)
			continue;
		size_t j = 0;

		if (i > context)
			j = i - context;
		for (; j <= i + context && j < listing->count; j++)
			listing->insns[j].shown = true;
	}
}

static void put_listing(struct sheet *sheet)
{
	struct tl_listing *listing = sheet->listing;

	mark_shown(sheet);
	tl_listing_draw(listing);
	for (size_t i = 0; i < listing->count && !tl_output_failed(sheet->a->view.out); i++) {
		const struct tl_listed_insn *insn = &listing->insns[i];
		uint64_t last = insn->address + insn->length - 1;

		if (!insn->shown) {
			if (i && listing->insns[i - 1].shown)
				tl_put_text(sheet->a->view.out, "...\n");
			continue;
		}
		put_insn(sheet, insn, take_self(sheet, last));
		put_remarks(sheet, last);
	}
}

/* The costs of one address, without code. */
static void put_bare(struct sheet *sheet)
{
	uint64_t address = sheet->a->notes[sheet->at].at;
	const int64_t *cost = take_self(sheet, address);

	tl_note_put_costs(sheet->a, &sheet->layout, cost);
	put_address(sheet, address);
	tl_put_text(sheet->a->view.out, address ? "\n" : "  (address unknown)\n");
	put_remarks(sheet, address);
}

static bool put_all(struct sheet *sheet)
{
	uint64_t last = sheet->a->notes[sheet->group->end - 1].at;

	while (sheet->at < sheet->group->end && !tl_output_failed(sheet->a->view.out)) {
		uint64_t address = sheet->a->notes[sheet->at].at;

		size_t before = sheet->at;

		sheet->listing->count = 0;
		if (sheet->listing->disassembler && address &&
		    !tl_listing_read(sheet->listing, address, last))
			return false;
		if (sheet->listing->count)
			put_listing(sheet);
		if (sheet->at == before)
			put_bare(sheet);
	}
	return true;
}

static void put_title(const struct sheet *sheet)
{
	struct tl_output *out = sheet->a->view.out;

	tl_view_put_function(&sheet->a->view, sheet->group->owner.function,
			     sheet->listing->disassembler ? 0 : strlen("  (no code)"));
	if (!sheet->listing->disassembler)
		tl_put_text(out, "  (no code)");
	tl_put_char(out, '\n');
	tl_note_put_sums(sheet->a, tl_group_cost(sheet->a, sheet->group), 0);
	tl_put_text(out, "\n\n");
}

bool tl_asm_put_text(const struct tl_annotation *a, const struct tl_note_group *group,
		     struct tl_listing *listing)
{
	struct sheet sheet = { .a = a, .group = group, .listing = listing, .at = group->first };
	bool ok = tl_note_layout_make(&sheet.layout, a, group, 16);

	if (ok) {
		put_title(&sheet);
		tl_note_put_heads(a, &sheet.layout, "address");
		ok = put_all(&sheet);
		tl_put_char(a->view.out, '\n');
	}
	tl_note_layout_free(&sheet.layout);
	return ok;
}
