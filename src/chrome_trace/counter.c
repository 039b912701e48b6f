/* SPDX-License-Identifier: Apache-2.0 */
/* Counter events: each argument that is a number is a counter of the process. */
#include <string.h>

#include "chrome_trace/chrome_trace.h"
#include "core/arithmetic.h"
#include "core/error.h"

/* The name of a counter: the event's, and the argument's behind it, unless that is "value". */
static uint32_t name_of(struct tl_chrome_read *c, uint32_t event, uint32_t argument)
{
	struct tl_names *names = &c->reader.file->stacks.names;
	const struct tl_name *first = &names->names[event], *second = &names->names[argument];
	uint32_t name;
	char *text;

	if (argument == c->value_name || !argument)
		return event;
	if (!event)
		return argument;
	text = malloc(first->size + 1 + second->size);
	if (!text)
		return TL_NONE;
	memcpy(text, first->text, first->size);
	text[first->size] = ' ';
	memcpy(text + first->size + 1, second->text, second->size);
	name = tl_names_add(names, text, first->size + 1 + second->size);
	free(text);
	return name;
}

int tl_chrome_add_values(struct tl_chrome_read *c, const struct tl_chrome_event *e,
			 struct tl_error *err)
{
	struct tl_foreign_counters *counters = &c->reader.file->counters;
	const unsigned count = tl_min(c->value_count, (unsigned)TL_CHROME_MOST_VALUES);
	bool exact = true;

	c->values_left_out += c->value_count - count;
	if (c->value_count && !e->has_time)
		return tl_foreign_json_bad(&c->reader, "event", e->offset,
					   "an event without a time; left it out", err);
	for (unsigned i = 0; i < count; i++) {
		const uint32_t name = name_of(c, e->name, c->values[i].name);
		const uint32_t counter = name == TL_NONE
						 ? TL_NONE
						 : tl_foreign_counter(counters, e->process,
								      TL_FOREIGN_PROCESS, name);

		if (counter == TL_NONE ||
		    !tl_foreign_counters_add(counters, counter,
					     tl_decimal_scaled(&e->time, 3, &exact),
					     tl_decimal_double(&c->values[i].number)))
			return tl_error_memory(err);
	}
	return 0;
}
