/* SPDX-License-Identifier: Apache-2.0 */
/* A function by instruction: the binary that has its code, its CSV and its JSON. */
#include "report/annotate/assembly.h"

#include <elf.h>
#include <string.h>

#include "core/error.h"
#include "core/output.h"
#include "report/annotate/assembly_text.h"
#include "symbols/binary.h"

static const char *last_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return path;
	return slash + 1;
}

/* A binary is recognized by the name of its file; without an object, any binary may have it. */
static bool may_hold(struct tl_binary *binary, const struct tl_function *function)
{
	return !*function->object ||
	       !strcmp(last_name(function->object), last_name(tl_binary_path(binary)));
}

static uint64_t first_address(const struct tl_annotation *a, const struct tl_note_group *group)
{
	size_t at = group->first;

	while (at + 1 < group->end && !a->notes[at].at)
		at++;
	return a->notes[at].at;
}

/* What the input has found by itself. */
static struct tl_binary *found_binary(const struct tl_annotation *a, const char *object,
				      uint64_t address)
{
	struct tl_binary *binary = NULL;
	size_t size;

	if (a->what.binary)
		binary = a->what.binary(a->what.code_arg, object);
	if (binary && tl_isa_known(tl_binary_machine(binary)) &&
	    tl_binary_code(binary, address, &size))
		return binary;
	return NULL;
}

static struct tl_binary *find_binary(const struct tl_annotation *a,
				     const struct tl_note_group *group)
{
	const struct tl_function *function =
		tl_profile_function(a->view.profile, group->owner.function);
	uint64_t address = first_address(a, group);
	size_t size;

	for (size_t i = 0; i < a->what.binary_count; i++) {
		struct tl_binary *binary = a->what.binaries[i];

		if (may_hold(binary, function) && tl_isa_known(tl_binary_machine(binary)) &&
		    tl_binary_code(binary, address, &size))
			return binary;
	}
	return found_binary(a, function->object, address);
}

/* ---- CSV and JSON: a row, or an element, for each remark ---- */

/* The text of the instruction at an address, "" when its code is not there. */
static void decode_at(const struct tl_listing *listing, uint64_t address, struct tl_insn *insn)
{
	uint8_t bytes[15];
	size_t size = 0;
	const uint8_t *code = NULL;

	*insn = (struct tl_insn){ 0 };
	if (address && listing->disassembler)
		code = tl_listing_code(listing, address, bytes, &size);
	if (code)
		tl_disassemble(listing->disassembler, code, size, address, insn);
}

static void put_csv(const struct tl_annotation *a, const struct tl_note_group *group,
		    const struct tl_listing *listing)
{
	const struct tl_function *function =
		tl_profile_function(a->view.profile, group->owner.function);
	struct tl_output *out = a->view.out;

	for (size_t at = group->first; at < group->end && !tl_output_failed(out);) {
		struct tl_remark remark;
		struct tl_insn insn;

		at = tl_remark_take(a, group, at, &remark);
		decode_at(listing, remark.at, &insn);
		tl_put_csv(out, function->name);
		tl_put_char(out, ',');
		tl_put_csv(out, function->object);
		tl_put_char(out, ',');
		if (remark.at)
			tl_put_hex(out, remark.at);
		tl_put_char(out, ',');
		tl_annotate_put_csv_remark(a, &remark);
		tl_put_csv(out, remark.kind == TL_NOTE_SELF ? insn.text : "");
		tl_put_char(out, '\n');
	}
}

static void begin_json_place(struct tl_output *out, const void *context, uint64_t address)
{
	const struct tl_listing *listing = context;
	struct tl_insn insn;

	decode_at(listing, address, &insn);
	tl_put_text(out, "{\"address\":");
	if (address) {
		tl_put_char(out, '"');
		tl_put_hex(out, address);
		tl_put_char(out, '"');
	} else {
		tl_put_text(out, "null");
	}
	tl_put_text(out, ",\"code\":");
	if (*insn.text)
		tl_put_json(out, insn.text, strlen(insn.text));
	else
		tl_put_text(out, "null");
	tl_put_text(out, ",\"remarks\":[");
}

static void put_json(const struct tl_annotation *a, const struct tl_note_group *group,
		     const struct tl_listing *listing)
{
	struct tl_output *out = a->view.out;

	tl_put_char(out, '{');
	tl_view_put_json_function(&a->view, group->owner.function);
	tl_put_text(out, ",\"cost\":");
	tl_view_put_json_cost(&a->view, tl_group_cost(a, group));
	tl_put_text(out, ",\"instructions\":[");
	tl_annotate_put_json_places(a, group, begin_json_place, listing);
}

/* ---- one function ---- */

/* Find the code as it ran, and the binary with its symbols; there may be one of them, or none. */
static void find_code(const struct tl_annotation *a, const struct tl_note_group *group,
		      struct tl_listing *listing)
{
	const struct tl_function *function =
		tl_profile_function(a->view.profile, group->owner.function);
	uint64_t address = first_address(a, group);
	uint8_t byte;

	listing->binary = find_binary(a, group);
	if (a->what.code && address &&
	    a->what.code(a->what.code_arg, function->object, address, &byte, 1))
		listing->ran = (struct tl_executed_code){ a->what.code, a->what.code_arg,
							  function->object };
}

/* Whose instructions these are. There is code that ran, or a binary. */
static unsigned machine_of(const struct tl_annotation *a, const struct tl_listing *listing)
{
	if (!listing->ran.code)
		return tl_binary_machine(listing->binary);
	if (a->what.code_machine)
		return a->what.code_machine;
	return EM_X86_64;
}

int tl_annotate_put_function(const struct tl_annotation *a, struct tl_note_group *group,
			     struct tl_error *err)
{
	struct tl_listing listing = { .binary = NULL };
	int status = 0;

	find_code(a, group, &listing);
	if (listing.binary || listing.ran.code) {
		listing.disassembler = tl_disassembler_open(machine_of(a, &listing));
		if (!listing.disassembler)
			return tl_error_memory(err);
	} else {
		group->outcome = TL_GROUP_UNREADABLE;
	}
	if (a->view.options.form == TL_REPORT_CSV)
		put_csv(a, group, &listing);
	else if (a->view.options.form == TL_REPORT_JSON)
		put_json(a, group, &listing);
	else if (!tl_asm_put_text(a, group, &listing))
		status = tl_error_memory(err);
	/* Without memory, a binary may have given fewer symbols than it has. */
	if (status == 0 && listing.binary && tl_binary_short_of_memory(listing.binary))
		status = tl_error_memory(err);
	tl_listing_free(&listing);
	tl_disassembler_close(listing.disassembler);
	return status;
}
