/* SPDX-License-Identifier: Apache-2.0 */
#include "export/profile/callgrind_names.h"

#include <string.h>

#include <tracelathe/core.h>

/*
 * A name ends with its line, so control characters become blanks. Readers do not count blanks
 * before a name as part of it.
 */
static uint32_t add_clean(struct tl_names *names, const char *text)
{
	size_t size = strlen(text);
	char *clean = malloc(size + 1);
	uint32_t number;

	if (!clean)
		return TL_NONE;
	for (size_t i = 0; i < size; i++)
		clean[i] = (unsigned char)text[i] < 0x20 ? ' ' : text[i];
	/* A name of blanks only would read as a reference without a definition. */
	if (strspn(text, " \t\r\n\v\f") == size)
		number = tl_names_add(names, "???", 3);
	else
		number = tl_names_add(names, clean, size);
	free(clean);
	return number;
}

static bool room_for_number(struct tl_callgrind_name_table *table, uint32_t number)
{
	if (number < table->defined_count)
		return true;
	if (!tl_grow(&table->defined, &table->defined_capacity, (size_t)number + 1,
		     sizeof(*table->defined)))
		return false;
	memset(table->defined + table->defined_count, 0,
	       ((size_t)number + 1 - table->defined_count) * sizeof(*table->defined));
	table->defined_count = (size_t)number + 1;
	return true;
}

uint32_t tl_callgrind_name_number(struct tl_callgrind_name_tables *tables,
				  enum tl_callgrind_namespace space, const char *text)
{
	struct tl_callgrind_name_table *table = &tables->tables[space];
	uint32_t number;

	if (text == table->last)
		return table->last_number;
	number = add_clean(&table->names, text);
	if (number == TL_NONE || !room_for_number(table, number)) {
		tables->no_memory = true;
		return 0;
	}
	table->last = text;
	table->last_number = number;
	return number;
}

/* "A name starting with '(' + digit is compressed": such a name has to have a number of its own. */
static bool looks_like_number(const struct tl_name *name)
{
	return name->size > 1 && name->text[0] == '(' && name->text[1] >= '0' &&
	       name->text[1] <= '9';
}

void tl_callgrind_name_put(struct tl_callgrind_name_tables *tables, struct tl_output *out,
			   const char *key, enum tl_callgrind_namespace space, uint32_t number)
{
	struct tl_callgrind_name_table *table = &tables->tables[space];

	if (tables->no_memory)
		return;
	tl_put_text(out, key);
	if (tables->in_full && !looks_like_number(&table->names.names[number])) {
		tl_put_char(out, '=');
		tl_put_bytes(out, table->names.names[number].text, table->names.names[number].size);
		tl_put_char(out, '\n');
		return;
	}
	tl_put_text(out, "=(");
	tl_put_u64(out, number);
	tl_put_char(out, ')');
	if (table->defined[number] != tables->part) {
		table->defined[number] = tables->part;
		tl_put_char(out, ' ');
		tl_put_bytes(out, table->names.names[number].text, table->names.names[number].size);
	}
	tl_put_char(out, '\n');
}

void tl_callgrind_name_tables_free(struct tl_callgrind_name_tables *tables)
{
	for (size_t i = 0; i < TL_NAMESPACE_COUNT; i++) {
		tl_names_free(&tables->tables[i].names);
		free(tables->tables[i].defined);
	}
}
