/* SPDX-License-Identifier: Apache-2.0 */
#include "timeline/calls/function_list.h"

#include <string.h>

#include "core/error.h"

bool tl_function_list_add(struct tl_function_list *functions,
			  const struct tl_call_function *function)
{
	struct tl_call_function kept = *function;

	kept.name = tl_names_text(&functions->names, function->name);
	kept.file = tl_names_text(&functions->names, function->file);
	kept.object = tl_names_text(&functions->names, function->object);
	if (!kept.name || !kept.file || !kept.object ||
	    !tl_grow(&functions->list, &functions->capacity, functions->count + 1, sizeof(kept)))
		return false;
	functions->list[functions->count++] = kept;
	return true;
}

int tl_function_list_get(const struct tl_function_list *functions, uint32_t number,
			 struct tl_call_function *function, struct tl_error *err)
{
	if (number >= functions->count)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE, "there is no such function");
	*function = functions->list[number];
	return 0;
}

/* ---- in a file ---- */

static bool pack_function(struct tl_packed *packed, const struct tl_call_function *f)
{
	return tl_pack_text(packed, f->name) && tl_pack_text(packed, f->file) &&
	       tl_pack_text(packed, f->object) && tl_pack_number(packed, f->line) &&
	       tl_pack_number(packed, f->wanted) && tl_pack_number(packed, f->id) &&
	       tl_pack_number(packed, f->address);
}

int tl_function_list_save(const struct tl_function_list *functions, struct tl_packed *packed,
			  struct tl_error *err)
{
	bool kept = tl_pack_number(packed, functions->count);

	for (size_t i = 0; kept && i < functions->count; i++)
		kept = pack_function(packed, &functions->list[i]);
	return kept ? 1 : tl_error_memory(err);
}

/* A text that ends with a zero, of which its number of bytes is told. NULL: it is none. */
static const char *take_text(struct tl_cursor *cur)
{
	const char *text;
	uint64_t size;

	if (!tl_get_varint(cur, &size) || !size || !tl_cursor_has(cur, size))
		return NULL;
	text = (const char *)cur->pos;
	cur->pos += size;
	return text[size - 1] || strlen(text) + 1 != size ? NULL : text;
}

/* False: it is no function. */
static bool take_function(struct tl_cursor *cur, struct tl_call_function *f)
{
	uint64_t line, wanted;

	*f = (struct tl_call_function){ .name = take_text(cur) };
	f->file = f->name ? take_text(cur) : NULL;
	f->object = f->file ? take_text(cur) : NULL;
	if (!f->object || !tl_get_varint(cur, &line) || !tl_get_varint(cur, &wanted) ||
	    !tl_get_varint(cur, &f->id) || !tl_get_varint(cur, &f->address))
		return false;
	f->line = (uint32_t)line;
	f->wanted = wanted != 0;
	return true;
}

int tl_function_list_load(struct tl_function_list *functions, struct tl_cursor *cur,
			  struct tl_error *err)
{
	struct tl_call_function function;
	uint64_t count;
	int status = tl_get_varint(cur, &count);

	tl_function_list_clear(functions);
	for (uint64_t i = 0; status > 0 && i < count; i++) {
		if (!take_function(cur, &function))
			status = 0;
		else if (!tl_function_list_add(functions, &function))
			status = tl_error_memory(err);
	}
	if (status <= 0)
		tl_function_list_clear(functions);
	return status;
}

void tl_function_list_clear(struct tl_function_list *functions)
{
	free(functions->list);
	tl_names_free(&functions->names);
	*functions = (struct tl_function_list){ .count = 0 };
}
