/* SPDX-License-Identifier: Apache-2.0 */
/* The functions and lines of an address as a compiler reads them back from a profile. */
#include "core/text/optional.h"
#include "symbols/binary.h"
#include "symbols/dwarf/dwarf.h"
#include "symbols/dwarf/line_table.h"

size_t tl_binary_frames_at(struct tl_binary *binary, uint64_t address, struct tl_code_frame *frames,
			   size_t room)
{
	struct tl_dwarf *dwarf = tl_binary_dwarf(binary, &address);
	struct tl_dwarf_found found = { .scope = NULL };
	const struct tl_dwarf_row *row = NULL;
	struct tl_code_frame next = { .file = "" };
	const char *text = NULL;
	size_t count = 0;

	if (dwarf) {
		row = tl_dwarf_row(dwarf, address, &text);
		found = tl_dwarf_find(dwarf, address);
	}
	if (row)
		next = (struct tl_code_frame){ .file = tl_text_or_empty(text),
					       .line = row->line,
					       .discriminator = row->discriminator };
	for (; found.scope && count < room; tl_dwarf_outwards(&found)) {
		struct tl_dwarf_scope_lines lines =
			tl_dwarf_scope_lines(found.dwarf, found.unit, found.scope);

		text = tl_dwarf_scope_name(found.dwarf, found.unit, found.scope);
		next.function = tl_text_or_empty(text);
		next.declared = lines.declared;
		frames[count++] = next;
		if (found.scope->parent == TL_NONE)
			break;
		next = (struct tl_code_frame){ .file = tl_dwarf_call_file(&found),
					       .line = found.scope->call_line,
					       .discriminator = lines.discriminator };
	}
	return count;
}

/* Rows have the file's addresses; whoever asks has those with the bias. */
struct row_call {
	bool (*each)(void *arg, uint64_t address);
	void *arg;
	uint64_t bias;
};

static bool add_bias(void *arg, uint64_t address)
{
	const struct row_call *call = arg;

	return call->each(call->arg, address + call->bias);
}

bool tl_binary_each_row(struct tl_binary *binary, bool (*each)(void *arg, uint64_t address),
			void *arg)
{
	uint64_t zero = 0;
	struct tl_dwarf *dwarf = tl_binary_dwarf(binary, &zero);
	struct row_call call = { each, arg, 0 - zero };

	return !dwarf || tl_dwarf_each_row(dwarf, add_bias, &call);
}
