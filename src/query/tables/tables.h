/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_QUERY_TABLES_TABLES_H
#define TL_QUERY_TABLES_TABLES_H
/* The tables, for the list of them, and the parts of their text that several have. */
#include "query/trace/trace.h"

/* profile_tables.c */
extern const struct tl_query_table tl_query_functions, tl_query_costs, tl_query_events,
	tl_query_parts, tl_query_threads, tl_query_losses_t, tl_query_damage;
/* path_tables.c */
extern const struct tl_query_table tl_query_arcs, tl_query_contexts, tl_query_lines, tl_query_jumps;
/* calls_table.c */
extern const struct tl_query_table tl_query_calls;
/*
 * Not in the list of tables: a row has the keys of a group of calls, in the columns of `calls`, and
 * behind these what trace->aggregates wants of the group, by number.
 */
extern const struct tl_query_table tl_query_call_sums;
#define TL_QUERY_SUMS_NAME "tl sums"
#define TL_QUERY_SUM_COLUMN "tl " /* and the number */

/* listing_tables.c */
extern const struct tl_query_table tl_query_instants, tl_query_records, tl_query_instructions,
	tl_query_accesses, tl_query_samples;
/* sample_tables.c */
extern const struct tl_query_table tl_query_stacks;

#define TL_QUERY_TABLE(title, text, use_list, ...)                                                 \
	.info = { .name = (title), .help = (text), .columns = __VA_ARGS__ }, .uses = (use_list),   \
	.column_count = sizeof(use_list)

/* Rows of a thing and an event: all events of the first thing, then of the second one. */
static inline uint32_t tl_query_event_count(const struct tl_query_trace *trace)
{
	return tl_profile_event_count(trace->profile);
}

/* The function as the tables number it; nothing for TL_NONE. */
static inline void tl_query_set_function(const struct tl_query_trace *trace, uint32_t function,
					 struct tl_query_value *value)
{
	if (function != TL_NONE)
		tl_query_set_integer(value, trace->folded.ids[function]);
}

static inline void tl_query_set_part(uint32_t part, struct tl_query_value *value)
{
	if (part != TL_NONE)
		tl_query_set_integer(value, part);
}

#endif
