/* SPDX-License-Identifier: Apache-2.0 */
#include "gmon/symbols.h"

#include <inttypes.h>
#include <stdio.h>

#include "core/error.h"
#include "profile/model/model.h"
#include "symbols/binary.h"

/* Functions are aligned to so many bytes at most. */
enum { PADDING = 64 };

static int put_function(struct tl_gmon_symbols *s, const struct tl_function *function,
			uint32_t *number, struct tl_error *err)
{
	const int64_t put = tl_profile_put_function(s->profile, function, err);

	if (put < 0)
		return (int)put;
	*number = (uint32_t)put;
	return 0;
}

static int put_unknown(struct tl_gmon_symbols *s, uint64_t address, struct tl_gmon_place *place,
		       struct tl_error *err)
{
	struct tl_function function = {
		.name = "[unknown]", .object = "", .file = "", .id = TL_NOWHERE
	};
	char name[32];

	if (!s->binary) {
		snprintf(name, sizeof(name), "0x%" PRIx64, address);
		function.name = name;
		function.address = address;
	}
	s->nameless++;
	return put_function(s, &function, &place->function, err);
}

/* The symbol at an address, or the one whose padding it is in. */
static bool find_symbol(struct tl_gmon_symbols *s, uint64_t address, struct tl_symbol *symbol)
{
	for (uint64_t back = 0; back <= PADDING && back <= address; back++)
		if (tl_binary_symbol_at(s->binary, address - back, symbol) && *symbol->name)
			return true;
	return false;
}

int tl_gmon_place(struct tl_gmon_symbols *s, uint64_t address, struct tl_gmon_place *place,
		  struct tl_error *err)
{
	struct tl_symbol symbol, start;
	struct tl_function function = { .file = "", .id = TL_NOWHERE };

	*place = (struct tl_gmon_place){ .file = "" };
	if (!s->binary || !find_symbol(s, address, &symbol)) {
		if (s->binary && tl_binary_short_of_memory(s->binary))
			return tl_error_memory(err);
		return put_unknown(s, address, place, err);
	}
	place->file = symbol.file;
	place->line = symbol.line;
	function.name = symbol.name;
	function.object = tl_binary_path(s->binary);
	function.address = symbol.start;
	if (tl_binary_symbol_at(s->binary, symbol.start, &start)) {
		function.file = start.file;
		function.line = start.line;
	}
	return put_function(s, &function, &place->function, err);
}
