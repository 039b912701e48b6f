/* SPDX-License-Identifier: Apache-2.0 */
/* A profile whose "functions" are the parts of another: what a thread, process or dump cost. */
#include "profile/transform/by_part.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/text/optional.h"

enum { LONGEST_LABEL = 128 };

/* What the parts of a profile differ in has to be in their names. */
struct part_names {
	bool numbers, threads, processes, commands;
};

static struct part_names what_differs(const struct tl_profile *profile)
{
	struct part_names differs = { 0 };
	const struct tl_part *first = profile->parts.list;

	for (size_t i = 0; i < profile->parts.count; i++) {
		const struct tl_part *part = &profile->parts.list[i];

		differs.numbers |= part->number != first->number;
		differs.threads |= part->thread != first->thread;
		differs.processes |= part->process != first->process;
		differs.commands |= strcmp(part->command, first->command) != 0;
	}
	return differs;
}

static size_t put_id(char *label, size_t at, const char *what, uint64_t id, bool wanted)
{
	int size;

	if (!wanted || id == TL_NOWHERE)
		return at;
	size = snprintf(label + at, LONGEST_LABEL - at, "%s%s %" PRIu64, tl_text_if(at, ", "), what,
			id);
	return at + (size > 0 ? (size_t)size : 0);
}

/* "part 2, thread 3"; a single part has at least its number or its thread. */
static void put_label(char label[LONGEST_LABEL], const struct tl_part *part, size_t index,
		      const struct part_names *differs)
{
	size_t at = put_id(label, 0, "part", part->number, differs->numbers && part->number);

	at = put_id(label, at, "process", part->process, differs->processes);
	at = put_id(label, at, "thread", part->thread, differs->threads);
	if (!at && part->number)
		at = put_id(label, at, "part", part->number, true);
	if (!at)
		at = put_id(label, at, "thread", part->thread, true);
	if (!at)
		put_id(label, at, "part", index + 1, true);
}

static int64_t add_named(struct tl_profile *to, const char *name, struct tl_error *err)
{
	const struct tl_function unit = { .name = name, .id = TL_NOWHERE };

	return tl_profile_put_function(to, &unit, err);
}

static int64_t add_unit(struct tl_profile *to, const char *label, const char *command,
			struct tl_error *err)
{
	char *text = NULL;
	int64_t number;

	if (*command && asprintf(&text, "%s: %s", label, command) < 0)
		return tl_error_memory(err);
	number = add_named(to, text ? text : label, err);
	free(text);
	return number;
}

/* `unit` by part, and behind the last for costs of no part. */
static int add_units(struct tl_profile *to, const struct tl_profile *from, bool by_number,
		     uint32_t *unit, struct tl_error *err)
{
	const struct part_names differs = what_differs(from);
	char label[LONGEST_LABEL];
	int64_t number;

	for (size_t i = 0; i < from->parts.count; i++) {
		const struct tl_part *part = &from->parts.list[i];

		number = tl_profile_put_part(to, part, err);
		if (number < 0)
			return (int)number;
		put_label(label, part, i, &differs);
		number = by_number ? add_unit(to, label, differs.commands ? part->command : "", err)
				   : add_named(to, part->command, err);
		if (number < 0)
			return (int)number;
		unit[i] = (uint32_t)number;
	}
	number = add_named(to, "(no part)", err);
	unit[from->parts.count] = (uint32_t)number;
	return tl_profile_status(number);
}

static uint32_t unit_of(const struct tl_profile *from, const uint32_t *unit, uint32_t part)
{
	return unit[tl_min(part, from->parts.count)];
}

static int add_self(struct tl_profile *to, const uint32_t *unit, const struct tl_profile *from,
		    uint32_t part, const int64_t *cost, struct tl_error *err)
{
	const struct tl_cost_line line = { .function = unit_of(from, unit, part), .part = part };

	return tl_profile_put_line(to, &line, cost, err);
}

/* Calls of a part come from outside of it. */
static int add_calls(struct tl_profile *to, const uint32_t *unit, const struct tl_profile *from,
		     uint32_t part, uint64_t calls, struct tl_error *err)
{
	const struct tl_arc arc = {
		.caller = TL_NONE, .callee = unit_of(from, unit, part), .part = part, .calls = calls
	};

	if (!calls)
		return 0;
	return tl_profile_put_arc(to, &arc, from->sums.zeros, err);
}

static int add_costs(struct tl_profile *to, const struct tl_profile *from, const uint32_t *unit,
		     struct tl_error *err)
{
	bool contexts = from->contexts.table.count;
	int status = 0;

	for (uint32_t i = 0; status == 0 && i < from->contexts.table.count; i++) {
		const struct tl_context *c = &from->contexts.list[i];

		status = add_self(to, unit, from, c->part, tl_profile_context_self(from, i), err);
		if (status == 0)
			status = add_calls(to, unit, from, c->part, c->calls, err);
	}
	for (uint32_t i = 0; status == 0 && !contexts && i < from->lines.table.count; i++)
		status = add_self(to, unit, from, from->lines.list[i].part,
				  tl_profile_line_cost(from, i), err);
	for (uint32_t i = 0; status == 0 && !contexts && i < from->arcs.table.count; i++)
		status = add_calls(to, unit, from, from->arcs.list[i].part,
				   from->arcs.list[i].calls, err);
	return status;
}

/* A part is chosen when a chosen function ran in it. */
static int take_choice(struct tl_profile *to, const struct tl_profile *from, const uint32_t *unit,
		       struct tl_error *err)
{
	bool *chosen;

	if (!from->functions.chosen)
		return 0;
	chosen = calloc(to->functions.table.count + 1, sizeof(*chosen));
	if (!chosen)
		return tl_error_memory(err);
	for (uint32_t i = 0; i < from->contexts.table.count; i++)
		if (from->functions.chosen[from->contexts.list[i].function])
			chosen[unit_of(from, unit, from->contexts.list[i].part)] = true;
	for (uint32_t i = 0; i < from->lines.table.count; i++)
		if (from->functions.chosen[from->lines.list[i].function])
			chosen[unit_of(from, unit, from->lines.list[i].part)] = true;
	to->functions.chosen = chosen;
	return 0;
}

int tl_profile_fill_by_part(struct tl_profile *to, const struct tl_profile *from, bool by_number,
			    struct tl_error *err)
{
	uint32_t *unit = malloc((from->parts.count + 1) * sizeof(*unit));
	int status = unit ? add_units(to, from, by_number, unit, err) : tl_error_memory(err);

	if (status == 0)
		status = add_costs(to, from, unit, err);
	if (status == 0)
		status = tl_profile_finish(to, err);
	if (status == 0)
		status = take_choice(to, from, unit, err);
	free(unit);
	return status;
}
