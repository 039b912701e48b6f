/* SPDX-License-Identifier: Apache-2.0 */
/* The list of the tables. */
#include <string.h>

#include "query/tables/tables.h"

const struct tl_query_table *const tl_query_tables[] = {
	&tl_query_functions,
	&tl_query_costs,
	&tl_query_events,
	&tl_query_parts,
	&tl_query_threads,
	&tl_query_losses_t,
	&tl_query_damage,
	&tl_query_arcs,
	&tl_query_contexts,
	&tl_query_lines,
	&tl_query_jumps,
	&tl_query_calls,
	&tl_query_instants,
	&tl_query_records,
	&tl_query_instructions,
	&tl_query_accesses,
	&tl_query_samples,
	&tl_query_stacks,
	NULL,
};

enum { TABLES = sizeof(tl_query_tables) / sizeof(tl_query_tables[0]) - 1 };
_Static_assert((int)TABLES <= (int)TL_QUERY_TABLE_COUNT, "each table has room for its indexes");

int tl_query_table_find(const char *name, size_t size)
{
	for (int i = 0; i < TABLES; i++)
		if (strlen(tl_query_tables[i]->info.name) == size &&
		    !memcmp(tl_query_tables[i]->info.name, name, size))
			return i;
	return -1;
}

const struct tl_query_table_info *tl_query_table_info(size_t number)
{
	return number < TABLES ? &tl_query_tables[number]->info : NULL;
}
