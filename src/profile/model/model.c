/* SPDX-License-Identifier: Apache-2.0 */
/* The model: adding to it and reading it. What follows from the rest is derived in derive.c. */
#include "profile/model/model.h"

#include <string.h>

#include "core/error.h"

/* ---- events, parts ---- */

static bool copy_event(struct tl_profile *profile, struct tl_event *event,
		       const struct tl_event *from)
{
	event->name = tl_names_text(&profile->names, from->name ? from->name : "");
	event->long_name = tl_names_text(&profile->names, from->long_name ? from->long_name : "");
	event->unit = tl_names_text(&profile->names, from->unit ? from->unit : "");
	event->formula = tl_names_text(&profile->names, from->formula ? from->formula : "");
	return event->name && event->long_name && event->unit && event->formula;
}

int tl_profile_new(struct tl_profile **profile, const char *format, const struct tl_event *events,
		   uint32_t event_count, uint64_t frequency, struct tl_error *err)
{
	struct tl_profile *made = calloc(1, sizeof(*made));
	bool ok = made != NULL;

	*profile = NULL;
	if (!event_count) {
		free(made);
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE, "a profile needs an event");
	}
	if (ok) {
		made->format = format;
		made->frequency = frequency;
		made->events = calloc(event_count, sizeof(*made->events));
		made->total = calloc(event_count, sizeof(*made->total));
		made->zeros = calloc(event_count, sizeof(*made->zeros));
		made->event_count = event_count;
		ok = made->events && made->total && made->zeros;
	}
	for (uint32_t i = 0; ok && i < event_count; i++)
		ok = copy_event(made, &made->events[i], &events[i]);
	if (!ok) {
		tl_profile_free(made);
		return tl_error_memory(err);
	}
	*profile = made;
	return 0;
}

/* Every row of a table gets one more number, 0. */
static bool widen_table(struct tl_cost_table *table, uint32_t events)
{
	size_t old = events, new = events + 1u;

	if (!table->count)
		return true;
	if (!tl_grow(&table->cost, &table->cost_capacity, table->count * new, sizeof(*table->cost)))
		return false;
	for (size_t i = table->count; i-- > 0;) {
		memmove(table->cost + i * new, table->cost + i * old, old * sizeof(*table->cost));
		table->cost[i * new + old] = 0;
	}
	return true;
}

static bool widen_vector(int64_t **vector, uint32_t events)
{
	int64_t *wider = realloc(*vector, ((size_t)events + 1) * sizeof(*wider));

	if (!wider)
		return false;
	wider[events] = 0;
	*vector = wider;
	return true;
}

int64_t tl_profile_add_event(struct tl_profile *profile, const struct tl_event *event,
			     struct tl_error *err)
{
	uint32_t count = profile->event_count;
	struct tl_event *events;

	for (uint32_t i = 0; i < count; i++)
		if (!strcmp(profile->events[i].name, event->name))
			return i;
	events = count < TL_NONE - 1
			 ? realloc(profile->events, ((size_t)count + 1) * sizeof(*events))
			 : NULL;
	if (!events)
		return tl_error_memory(err);
	profile->events = events;
	/* Tables that were widened before a failure only have rows that are longer than need be:
	 * the profile is dropped. */
	if (!copy_event(profile, &events[count], event) || !widen_vector(&profile->total, count) ||
	    !widen_vector(&profile->zeros, count) || !widen_table(&profile->line_table, count) ||
	    !widen_table(&profile->arc_table, count) ||
	    !widen_table(&profile->context_table, count) ||
	    !widen_table(&profile->local_table, count))
		return tl_error_memory(err);
	profile->event_count++;
	return count;
}

int64_t tl_profile_add_part(struct tl_profile *profile, const struct tl_part *part,
			    struct tl_error *err)
{
	struct tl_part copy = *part;

	copy.command = tl_names_text(&profile->names, part->command ? part->command : "");
	copy.header = tl_names_text(&profile->names, part->header ? part->header : "");
	if (!copy.command || !copy.header || profile->part_count >= TL_NONE ||
	    !tl_grow(&profile->parts, &profile->part_capacity, profile->part_count + 1,
		     sizeof(*profile->parts)))
		return tl_error_memory(err);
	profile->parts[profile->part_count] = copy;
	return (int64_t)profile->part_count++;
}

/* ---- tables with an index ---- */

/* A cost row of zeros for the element that is about to be added. */
static bool table_cost(struct tl_cost_table *table, uint32_t event_count)
{
	size_t want = (table->count + 1) * event_count;

	if (!tl_grow(&table->cost, &table->cost_capacity, want, sizeof(*table->cost)))
		return false;
	memset(table->cost + table->count * event_count, 0, event_count * sizeof(*table->cost));
	return true;
}

/* Append to array *elements, with a cost row if there are events. TL_NONE without memory. */
static uint32_t table_add(struct tl_cost_table *table, void *elements, const void *element,
			  size_t size, uint32_t event_count)
{
	char *base;

	if (table->count >= TL_NONE || !tl_grow(elements, &table->capacity, table->count + 1, size))
		return TL_NONE;
	if (event_count && !table_cost(table, event_count))
		return TL_NONE;
	memcpy(&base, elements, sizeof(base));
	memcpy(base + table->count * size, element, size);
	return (uint32_t)table->count++;
}

/* The same, to be found by its hash. */
static uint32_t table_append(struct tl_cost_table *table, void *elements, const void *element,
			     size_t size, uint32_t event_count, uint64_t hash)
{
	uint32_t number = table_add(table, elements, element, size, event_count);

	if (number == TL_NONE || tl_index_add(&table->index, hash, number))
		return number;
	table->count--;
	return TL_NONE;
}

static void add_costs(struct tl_profile *profile, int64_t *to, const int64_t *cost)
{
	for (uint32_t e = 0; e < profile->event_count; e++)
		tl_add_cost(&to[e], cost[e], &profile->losses.saturated);
}

const char *tl_profile_intern(struct tl_profile *profile, const char *text, size_t size)
{
	uint32_t number = tl_names_add(&profile->names, text, size);

	return number == TL_NONE ? NULL : profile->names.names[number].text;
}

bool tl_profile_take_names(struct tl_profile *profile, struct tl_names *names)
{
	struct tl_names old = profile->names;
	bool ok = true;

	profile->names = *names;
	*names = (struct tl_names){ 0 };
	for (uint32_t i = 0; ok && i < profile->event_count; i++)
		ok = copy_event(profile, &profile->events[i], &profile->events[i]);
	tl_names_free(&old);
	return ok;
}

/* ---- functions ---- */

static bool same_function(const void *context, const void *key, uint32_t number)
{
	const struct tl_function *a = &((const struct tl_profile *)context)->functions[number],
				 *b = key;

	/* Interned strings: equal when their addresses are. */
	return a->name == b->name && a->file == b->file && a->object == b->object && a->id == b->id;
}

uint32_t tl_profile_function_interned(struct tl_profile *profile,
				      const struct tl_function *function)
{
	uint64_t hash =
		tl_hash_pair(tl_hash_pair((uintptr_t)function->name, (uintptr_t)function->file),
			     tl_hash_pair((uintptr_t)function->object, function->id));
	uint32_t found = tl_index_find(&profile->function_table.index, hash, same_function, profile,
				       function);

	if (found == TL_NONE)
		found = table_append(&profile->function_table, &profile->functions, function,
				     sizeof(*function), 0, hash);
	return found;
}

int64_t tl_profile_add_function(struct tl_profile *profile, const struct tl_function *function,
				struct tl_error *err)
{
	struct tl_function key = *function;
	uint32_t found;

	key.name = tl_names_text(&profile->names, function->name ? function->name : "");
	key.file = tl_names_text(&profile->names, function->file ? function->file : "");
	key.object = tl_names_text(&profile->names, function->object ? function->object : "");
	if (!key.name || !key.file || !key.object)
		return tl_error_memory(err);
	found = tl_profile_function_interned(profile, &key);
	return found == TL_NONE ? tl_error_memory(err) : (int64_t)found;
}

/* ---- lines, arcs, jumps ---- */

static bool intern_position(struct tl_profile *profile, struct tl_position *at)
{
	at->file = tl_names_text(&profile->names, at->file ? at->file : "");
	return at->file != NULL;
}

static uint64_t hash_position(const struct tl_position *at)
{
	return tl_hash_pair(tl_hash_pair((uintptr_t)at->file, at->line),
			    tl_hash_pair(at->address, at->block));
}

static bool same_position(const struct tl_position *a, const struct tl_position *b)
{
	return a->file == b->file && a->line == b->line && a->address == b->address &&
	       a->block == b->block;
}

static bool same_line(const void *context, const void *key, uint32_t number)
{
	const struct tl_cost_line *a = &((const struct tl_profile *)context)->lines[number],
				  *b = key;

	return a->function == b->function && a->part == b->part && same_position(&a->at, &b->at);
}

int64_t *tl_profile_line_row(struct tl_profile *profile, const struct tl_cost_line *line)
{
	uint64_t hash =
		tl_hash_pair(hash_position(&line->at), (uint64_t)line->function << 32 | line->part);
	uint32_t found = tl_index_find(&profile->line_table.index, hash, same_line, profile, line);

	if (found == TL_NONE)
		found = table_append(&profile->line_table, &profile->lines, line, sizeof(*line),
				     profile->event_count, hash);
	return found == TL_NONE ? NULL
				: profile->line_table.cost + (size_t)found * profile->event_count;
}

bool tl_profile_line_each(struct tl_profile *profile)
{
	struct tl_cost_table *table = &profile->line_table;

	while (table->count < profile->function_table.count) {
		struct tl_cost_line line = { .function = (uint32_t)table->count, .part = TL_NONE };

		line.at.file = profile->functions[table->count].file;
		if (!tl_grow(&profile->lines, &table->capacity, table->count + 1,
			     sizeof(*profile->lines)) ||
		    !table_cost(table, profile->event_count))
			return false;
		profile->lines[table->count++] = line;
	}
	return true;
}

/* ---- indices that callers give ---- */

static bool has_function(const struct tl_profile *profile, uint32_t function)
{
	return function < profile->function_table.count;
}

/* A profile without parts is one that nobody has named. */
static bool has_part(const struct tl_profile *profile, uint32_t part)
{
	return part < (profile->part_count ? profile->part_count : 1) || part == TL_NONE;
}

static int bad_index(struct tl_error *err)
{
	return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
			   "a number of a function, context or part that is not there");
}

int tl_profile_add_line(struct tl_profile *profile, const struct tl_cost_line *line,
			const int64_t *cost, struct tl_error *err)
{
	struct tl_cost_line key = *line;
	int64_t *row;

	if (!has_function(profile, line->function) || !has_part(profile, line->part))
		return bad_index(err);
	if (!intern_position(profile, &key.at))
		return tl_error_memory(err);
	row = tl_profile_line_row(profile, &key);
	if (!row)
		return tl_error_memory(err);
	add_costs(profile, row, cost);
	return 0;
}

static bool same_arc(const void *context, const void *key, uint32_t number)
{
	const struct tl_arc *a = &((const struct tl_profile *)context)->arcs[number], *b = key;

	return a->caller == b->caller && a->callee == b->callee && a->part == b->part &&
	       same_position(&a->from, &b->from) && same_position(&a->to, &b->to);
}

static void add_count(struct tl_profile *profile, uint64_t *to, uint64_t count)
{
	tl_add_count(to, count, &profile->losses.saturated);
}

/* The number of an arc whose strings are interned; TL_NONE without memory. */
static uint32_t count_arc(struct tl_profile *profile, const struct tl_arc *arc)
{
	uint64_t hash =
		tl_hash_pair(tl_hash_pair(hash_position(&arc->from), hash_position(&arc->to)),
			     tl_hash_pair((uint64_t)arc->caller << 32 | arc->callee, arc->part));
	uint32_t found = tl_index_find(&profile->arc_table.index, hash, same_arc, profile, arc);

	if (found == TL_NONE) {
		struct tl_arc fresh = *arc;

		fresh.calls = 0;
		found = table_append(&profile->arc_table, &profile->arcs, &fresh, sizeof(fresh),
				     profile->event_count, hash);
	}
	if (found != TL_NONE)
		add_count(profile, &profile->arcs[found].calls, arc->calls);
	return found;
}

int64_t *tl_profile_arc_row(struct tl_profile *profile, const struct tl_arc *arc)
{
	uint32_t number = count_arc(profile, arc);

	return number == TL_NONE ? NULL
				 : profile->arc_table.cost + (size_t)number * profile->event_count;
}

int64_t tl_profile_arc_number(struct tl_profile *profile, const struct tl_arc *arc,
			      struct tl_error *err)
{
	struct tl_arc key = *arc;
	uint32_t number;

	if (!intern_position(profile, &key.from) || !intern_position(profile, &key.to))
		return tl_error_memory(err);
	number = count_arc(profile, &key);
	return number == TL_NONE ? tl_error_memory(err) : (int64_t)number;
}

int tl_profile_add_arc(struct tl_profile *profile, const struct tl_arc *arc,
		       const int64_t *inclusive, struct tl_error *err)
{
	int64_t number;

	if (!has_function(profile, arc->callee) || !has_part(profile, arc->part) ||
	    (arc->caller != TL_NONE && !has_function(profile, arc->caller)))
		return bad_index(err);
	number = tl_profile_arc_number(profile, arc, err);
	if (number < 0)
		return (int)number;
	add_costs(profile, profile->arc_table.cost + (size_t)number * profile->event_count,
		  inclusive);
	return 0;
}

static bool same_jump(const void *context, const void *key, uint32_t number)
{
	const struct tl_jump *a = &((const struct tl_profile *)context)->jumps[number], *b = key;

	return a->function == b->function && a->target == b->target && a->part == b->part &&
	       a->conditional == b->conditional && same_position(&a->from, &b->from) &&
	       same_position(&a->to, &b->to);
}

int tl_profile_add_jump(struct tl_profile *profile, const struct tl_jump *jump,
			struct tl_error *err)
{
	struct tl_jump key = *jump;
	uint64_t hash;
	uint32_t found;

	if (!has_function(profile, jump->function) || !has_function(profile, jump->target) ||
	    !has_part(profile, jump->part))
		return bad_index(err);
	if (!intern_position(profile, &key.from) || !intern_position(profile, &key.to))
		return tl_error_memory(err);
	hash = tl_hash_pair(tl_hash_pair(hash_position(&key.from), hash_position(&key.to)),
			    tl_hash_pair((uint64_t)key.function << 32 | key.target,
					 key.part * 2ull + key.conditional));
	found = tl_index_find(&profile->jump_table.index, hash, same_jump, profile, &key);
	if (found == TL_NONE) {
		key.executed = key.taken = 0;
		found = table_append(&profile->jump_table, &profile->jumps, &key, sizeof(key), 0,
				     hash);
	}
	if (found == TL_NONE)
		return tl_error_memory(err);
	add_count(profile, &profile->jumps[found].executed, jump->executed);
	add_count(profile, &profile->jumps[found].taken, jump->taken);
	return 0;
}

/* ---- contexts ---- */

static bool same_context(const void *context, const void *key, uint32_t number)
{
	const struct tl_context *a = &((const struct tl_profile *)context)->contexts[number],
				*b = key;

	return a->parent == b->parent && a->function == b->function && a->part == b->part;
}

static uint64_t hash_context(const struct tl_context *c)
{
	return tl_hash_pair((uint64_t)c->parent << 32 | c->function, c->part);
}

/* Contexts that were appended are in no index before one is looked for. */
static bool index_contexts(struct tl_profile *profile)
{
	struct tl_cost_table *table = &profile->context_table;

	while (table->index.count < table->count) {
		uint32_t number = (uint32_t)table->index.count;

		if (!tl_index_add(&table->index, hash_context(&profile->contexts[number]), number))
			return false;
	}
	return true;
}

int64_t tl_profile_append_context(struct tl_profile *profile, uint32_t parent, uint32_t function,
				  uint32_t part, struct tl_error *err)
{
	struct tl_context context = { .parent = parent, .function = function, .part = part };
	uint32_t number = table_add(&profile->context_table, &profile->contexts, &context,
				    sizeof(context), profile->event_count);

	return number == TL_NONE ? tl_error_memory(err) : (int64_t)number;
}

int64_t tl_profile_context_number(struct tl_profile *profile, uint32_t parent, uint32_t function,
				  uint32_t part, struct tl_error *err)
{
	struct tl_context key = { .parent = parent, .function = function, .part = part };
	uint64_t hash = hash_context(&key);
	uint32_t found;

	if (!index_contexts(profile))
		return tl_error_memory(err);
	found = tl_index_find(&profile->context_table.index, hash, same_context, profile, &key);
	if (found == TL_NONE)
		found = table_append(&profile->context_table, &profile->contexts, &key, sizeof(key),
				     profile->event_count, hash);
	return found == TL_NONE ? tl_error_memory(err) : (int64_t)found;
}

int64_t tl_profile_add_context(struct tl_profile *profile, uint32_t parent, uint32_t function,
			       uint32_t part, struct tl_error *err)
{
	if (!has_function(profile, function) || !has_part(profile, part) ||
	    (parent != TL_NONE && parent >= profile->context_table.count))
		return bad_index(err);
	return tl_profile_context_number(profile, parent, function, part, err);
}

void tl_profile_add_context_cost(struct tl_profile *profile, uint32_t context, uint64_t calls,
				 const int64_t *self)
{
	if (context >= profile->context_table.count)
		return;
	add_count(profile, &profile->contexts[context].calls, calls);
	add_costs(profile, profile->context_table.cost + (size_t)context * profile->event_count,
		  self);
}

void tl_profile_add_unfinished(struct tl_profile *profile, uint32_t context, uint64_t unfinished)
{
	add_count(profile, &profile->contexts[context].unfinished, unfinished);
}

void tl_profile_add_cut(struct tl_profile *profile, uint32_t context, uint64_t cut)
{
	add_count(profile, &profile->contexts[context].cut, cut);
}

/* ---- functions in parts, durations ---- */

static bool same_local(const void *context, const void *key, uint32_t number)
{
	const struct tl_part_function *a = &((const struct tl_profile *)context)->locals[number],
				      *b = key;

	return a->function == b->function && a->part == b->part;
}

static uint64_t hash_local(uint32_t function, uint32_t part)
{
	return tl_hash64((uint64_t)function << 32 | part);
}

uint32_t tl_profile_find_part_function(const struct tl_profile *profile, uint32_t function,
				       uint32_t part)
{
	struct tl_part_function key = { .function = function, .part = part };

	return tl_index_find(&profile->local_table.index, hash_local(function, part), same_local,
			     profile, &key);
}

uint32_t tl_profile_part_function(struct tl_profile *profile, uint32_t function, uint32_t part)
{
	struct tl_part_function key = { .function = function,
					.part = part,
					.latency = TL_LATENCIES_NONE };
	uint32_t found = tl_profile_find_part_function(profile, function, part);

	return found != TL_NONE
		       ? found
		       : table_append(&profile->local_table, &profile->locals, &key, sizeof(key),
				      profile->event_count, hash_local(function, part));
}

/* Room for the function's durations, and what the part has of them. */
static bool begin_latency(struct tl_profile *profile, uint32_t function, uint32_t part,
			  const struct tl_latencies *latencies)
{
	size_t had = profile->latency_capacity;
	uint32_t local;

	if (function >= had) {
		if (!tl_grow(&profile->latency, &profile->latency_capacity, (size_t)function + 1,
			     sizeof(*profile->latency)))
			return false;
		for (size_t i = had; i < profile->latency_capacity; i++)
			profile->latency[i] = TL_LATENCIES_NONE;
	}
	if (part == TL_NONE)
		return true;
	local = tl_profile_part_function(profile, function, part);
	return local != TL_NONE &&
	       tl_latency_merge(&profile->locals[local].latency, latencies, profile->exact);
}

/* Sums that did not fit before are in the losses of their parts. */
static void count_saturated(struct tl_profile *profile, uint32_t function, uint64_t counted)
{
	profile->losses.saturated += profile->latency[function].saturated - counted;
}

bool tl_profile_add_latency(struct tl_profile *profile, uint32_t function, uint32_t part,
			    const struct tl_latencies *latencies)
{
	uint64_t counted;

	if (!begin_latency(profile, function, part, latencies))
		return false;
	counted = profile->latency[function].saturated + latencies->saturated;
	if (!tl_latency_merge(&profile->latency[function], latencies, profile->exact))
		return false;
	count_saturated(profile, function, counted);
	return true;
}

bool tl_profile_move_latency(struct tl_profile *profile, uint32_t function, uint32_t part,
			     struct tl_latencies *latencies)
{
	uint64_t counted;

	if (!begin_latency(profile, function, part, latencies))
		return false;
	counted = profile->latency[function].saturated + latencies->saturated;
	if (!tl_latency_move(&profile->latency[function], latencies, profile->exact))
		return false;
	count_saturated(profile, function, counted);
	return true;
}

void tl_losses_add(struct tl_losses *a, const struct tl_losses *b)
{
	a->orphan_exits += b->orphan_exits;
	a->deduced_exits += b->deduced_exits;
	a->unfinished += b->unfinished;
	a->time_reversals += b->time_reversals;
	a->gaps += b->gaps;
	a->skipped_bytes += b->skipped_bytes;
	a->skipped_records += b->skipped_records;
	a->saturated += b->saturated;
	a->left_calls += b->left_calls;
	a->gap_ends += b->gap_ends;
	a->bridged += b->bridged;
	a->uncertain += b->uncertain;
}

/* ---- freeing ---- */

static void table_free(struct tl_cost_table *table)
{
	free(table->cost);
	tl_index_free(&table->index);
}

void tl_profile_free(struct tl_profile *profile)
{
	if (!profile)
		return;
	for (size_t i = 0; i < profile->latency_capacity; i++)
		tl_latency_free(&profile->latency[i]);
	for (size_t i = 0; i < profile->local_table.count; i++)
		tl_latency_free(&profile->locals[i].latency);
	if (profile->function_self == profile->line_table.cost)
		profile->function_self = NULL;
	table_free(&profile->function_table);
	table_free(&profile->context_table);
	table_free(&profile->line_table);
	table_free(&profile->arc_table);
	table_free(&profile->jump_table);
	table_free(&profile->local_table);
	void *const owned[] = {
		profile->events,
		profile->parts,
		profile->functions,
		profile->contexts,
		profile->context_inclusive,
		profile->lines,
		profile->arcs,
		profile->jumps,
		profile->total,
		profile->zeros,
		profile->function_self,
		profile->function_inclusive,
		profile->function_calls,
		profile->function_unfinished,
		profile->function_cut,
		profile->locals,
		profile->local_inclusive,
		profile->latency,
		profile->chosen,
	};
	for (size_t i = 0; i < sizeof(owned) / sizeof(owned[0]); i++)
		free(owned[i]);
	tl_names_free(&profile->names);
	free(profile);
}
