/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pprof's profile.proto, gzip-compressed. Fields may come in any order, and repeated fields need
 * not be together, so samples are written first, as they are read, and the tables they refer to
 * behind them: locations, functions, mappings, strings.
 *
 * With call stacks a frame is a function, so locations and pprof functions are numbered as
 * functions of the profile are. Without call stacks, each cost line is a stack of one frame, with a
 * location of its own.
 */
#include <stdlib.h>
#include <string.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/output.h"
#include "export/event_time.h"
#include "export/gzip.h"
#include "export/profile/depth.h"
#include "export/profile/exporters.h"
#include "export/profile_stacks.h"
#include "export/protobuf.h"

/* Field numbers, by message, as published with pprof (profile.proto). */
enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_MAPPING = 3,
	PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5,
	PROFILE_STRING = 6,
	PROFILE_DURATION_NS = 10,
	PROFILE_PERIOD_TYPE = 11,
	PROFILE_PERIOD = 12,
	PROFILE_COMMENT = 13,
	PROFILE_DEFAULT_TYPE = 14,
};
enum { TYPE_TYPE = 1, TYPE_UNIT = 2 };
enum { SAMPLE_LOCATION = 1, SAMPLE_VALUE = 2, SAMPLE_LABEL = 3 };
enum { LABEL_KEY = 1, LABEL_NUMBER = 3 };
enum {
	MAPPING_ID = 1,
	MAPPING_FILE = 5,
	MAPPING_HAS_FUNCTIONS = 7,
	MAPPING_HAS_FILES = 8,
	MAPPING_HAS_LINES = 9
};
enum { LOCATION_ID = 1, LOCATION_MAPPING = 2, LOCATION_ADDRESS = 3, LOCATION_LINE = 4 };
enum { LINE_FUNCTION = 1, LINE_LINE = 2 };
enum {
	FUNCTION_ID = 1,
	FUNCTION_NAME = 2,
	FUNCTION_SYSTEM_NAME = 3,
	FUNCTION_FILE = 4,
	FUNCTION_START = 5
};

struct pprof {
	const struct tl_profile *profile;
	struct tl_export_options options;
	struct tl_gzip gzip;
	struct tl_names strings; /* the string table; its first string has to be "" */
	struct tl_names objects; /* number n is mapping n; "" is none */
	struct tl_pb_message message, inner;
	struct tl_pb_message labels; /* of part `labelled` */
	uint32_t labelled;
	struct tl_ns_carry *carries; /* by event */
	int64_t *values; /* of one sample: calls, if any context has some, then the events */
	uint32_t value_count;
	bool contexts, calls;
	bool no_memory;
};

static uint64_t string(struct pprof *p, const char *text)
{
	uint32_t number = tl_names_add(&p->strings, text, strlen(text));

	p->no_memory = p->no_memory || number == TL_NONE;
	return number;
}

/* Write `message` as a field of the profile; it is empty afterwards. */
static void put_message(struct pprof *p, uint32_t field)
{
	char head[2 * TL_PB_VARINT_BYTES];
	char *end = tl_pb_varint(tl_pb_key(head, field, TL_PB_BYTES), p->message.size);

	p->no_memory = p->no_memory || p->message.failed || p->inner.failed;
	if (p->no_memory)
		return;
	tl_gzip_put(&p->gzip, head, (size_t)(end - head));
	tl_gzip_put(&p->gzip, p->message.data, p->message.size);
	p->message.size = 0;
}

static void put_number(struct pprof *p, uint32_t field, uint64_t value)
{
	char number[2 * TL_PB_VARINT_BYTES], *end = tl_pb_number(number, field, value);

	tl_gzip_put(&p->gzip, number, (size_t)(end - number));
}

/* ---- sample types ---- */

/* The units that pprof can scale; all other events are counts. */
static void type_of(struct pprof *p, uint32_t event, const char **type, const char **unit)
{
	const struct tl_event *e = tl_profile_event(p->profile, event);

	*type = e->name;
	*unit = *e->unit ? e->unit : "count";
	if (tl_event_frequency(p->profile, event)) {
		*type = "time";
		*unit = "nanoseconds";
	} else if (!strcmp(e->unit, "ns")) {
		*unit = "nanoseconds";
	}
}

static void put_type(struct pprof *p, uint32_t field, const char *type, const char *unit)
{
	tl_pb_message_number(&p->message, TYPE_TYPE, string(p, type));
	tl_pb_message_number(&p->message, TYPE_UNIT, string(p, unit));
	put_message(p, field);
}

static void put_types(struct pprof *p)
{
	uint32_t events = tl_profile_event_count(p->profile);
	const char *type, *unit;

	if (p->calls)
		put_type(p, PROFILE_SAMPLE_TYPE, "calls", "count");
	for (uint32_t e = 0; e < events; e++) {
		type_of(p, e, &type, &unit);
		put_type(p, PROFILE_SAMPLE_TYPE, type, unit);
	}
	if (!events)
		return;
	type_of(p, p->options.event, &type, &unit);
	put_type(p, PROFILE_PERIOD_TYPE, type, unit);
	put_number(p, PROFILE_PERIOD, 1);
	put_number(p, PROFILE_DEFAULT_TYPE, string(p, type));
}

/* ---- samples ---- */

static void put_label(struct pprof *p, const char *key, uint64_t number)
{
	if (number == TL_NOWHERE)
		return;
	tl_pb_message_number(&p->inner, LABEL_KEY, string(p, key));
	tl_pb_message_number(&p->inner, LABEL_NUMBER, number);
	tl_pb_message_inner(&p->labels, SAMPLE_LABEL, &p->inner);
}

static void prepare_labels(struct pprof *p, uint32_t part)
{
	if (part == p->labelled)
		return;
	p->labelled = part;
	p->labels.size = 0;
	if (part < tl_profile_part_count(p->profile)) {
		put_label(p, "process", tl_profile_part(p->profile, part)->process);
		put_label(p, "thread", tl_profile_part(p->profile, part)->thread);
	}
	p->no_memory = p->no_memory || p->labels.failed;
}

/* The values of a sample. @return false if all are zero */
static bool set_values(struct pprof *p, const struct tl_stack *stack)
{
	uint32_t events = tl_profile_event_count(p->profile), at = 0;
	bool some = false;

	if (p->calls)
		p->values[at++] = (int64_t)tl_min(stack->calls, (uint64_t)INT64_MAX);
	some = p->calls && stack->calls;
	for (uint32_t e = 0; e < events; e++) {
		p->values[at++] = tl_carry_ns(&p->carries[e], stack->self[e]);
		some = some || stack->self[e];
	}
	return some;
}

static uint64_t location_of(const struct pprof *p, uint32_t number, const struct tl_stack *stack)
{
	if (p->contexts)
		number = stack->function;
	return (uint64_t)number + 1;
}

/*
 * Location numbers of a stack, from the leaf to the root, as one packed field. The field begins
 * with its size, so the path is walked twice.
 */
static void add_locations(struct pprof *p, uint32_t number)
{
	struct tl_stack stack;
	size_t size = 0;

	for (uint32_t at = number; at != TL_NONE; at = stack.parent) {
		stack = tl_stack_at(p->profile, at);
		size += tl_pb_varint_size(location_of(p, at, &stack));
	}
	char *end = tl_pb_message_room(&p->message, SAMPLE_LOCATION, size);

	for (uint32_t at = number; end && at != TL_NONE; at = stack.parent) {
		stack = tl_stack_at(p->profile, at);
		end = tl_pb_varint(end, location_of(p, at, &stack));
	}
	if (end)
		tl_pb_message_end(&p->message, end);
}

static void add_values(struct pprof *p)
{
	size_t size = 0;
	char *end;

	for (uint32_t i = 0; i < p->value_count; i++)
		size += tl_pb_varint_size((uint64_t)p->values[i]);
	end = tl_pb_message_room(&p->message, SAMPLE_VALUE, size);
	for (uint32_t i = 0; end && i < p->value_count; i++)
		end = tl_pb_varint(end, (uint64_t)p->values[i]);
	if (end)
		tl_pb_message_end(&p->message, end);
}

static void put_samples(struct pprof *p)
{
	uint32_t count = tl_stack_count(p->profile);

	for (uint32_t i = 0; i < count && !p->no_memory && !tl_output_failed(p->gzip.out); i++) {
		struct tl_stack stack = tl_stack_at(p->profile, i);

		if (!set_values(p, &stack))
			continue;
		prepare_labels(p, stack.part);
		add_locations(p, i);
		add_values(p);
		tl_pb_message_append(&p->message, &p->labels);
		put_message(p, PROFILE_SAMPLE);
	}
}

/* ---- tables ---- */

static void put_location(struct pprof *p, uint64_t id, const struct tl_function *function,
			 uint64_t function_id, uint64_t address, uint32_t line)
{
	uint32_t mapping = tl_names_add(&p->objects, function->object, strlen(function->object));

	p->no_memory = p->no_memory || mapping == TL_NONE;
	tl_pb_message_number(&p->message, LOCATION_ID, id);
	if (mapping)
		tl_pb_message_number(&p->message, LOCATION_MAPPING, mapping);
	if (address)
		tl_pb_message_number(&p->message, LOCATION_ADDRESS, address);
	tl_pb_message_number(&p->inner, LINE_FUNCTION, function_id);
	if (line)
		tl_pb_message_number(&p->inner, LINE_LINE, line);
	tl_pb_message_inner(&p->message, LOCATION_LINE, &p->inner);
	put_message(p, PROFILE_LOCATION);
}

static void put_function(struct pprof *p, uint64_t id, const struct tl_function *function,
			 const char *file)
{
	uint64_t name = string(p, function->name);

	tl_pb_message_number(&p->message, FUNCTION_ID, id);
	tl_pb_message_number(&p->message, FUNCTION_NAME, name);
	tl_pb_message_number(&p->message, FUNCTION_SYSTEM_NAME, name);
	if (*file)
		tl_pb_message_number(&p->message, FUNCTION_FILE, string(p, file));
	if (function->line && !strcmp(file, function->file))
		tl_pb_message_number(&p->message, FUNCTION_START, function->line);
	put_message(p, PROFILE_FUNCTION);
}

static void put_functions(struct pprof *p)
{
	uint32_t count = tl_profile_function_count(p->profile);

	for (uint32_t i = 0; i < count && !p->no_memory && !tl_output_failed(p->gzip.out); i++) {
		const struct tl_function *function = tl_profile_function(p->profile, i);

		put_function(p, (uint64_t)i + 1, function, function->file);
		if (p->contexts)
			put_location(p, (uint64_t)i + 1, function, (uint64_t)i + 1,
				     function->address, function->line);
	}
}

/*
 * A cost line in another file than its function's is inlined code. A pprof function has one file,
 * so such a line gets a pprof function of its own.
 */
static void put_lines(struct pprof *p)
{
	uint32_t count = tl_profile_line_count(p->profile);
	uint32_t functions = tl_profile_function_count(p->profile);

	for (uint32_t i = 0; i < count && !p->no_memory && !tl_output_failed(p->gzip.out); i++) {
		const struct tl_cost_line *line = tl_profile_line(p->profile, i);
		const struct tl_function *function =
			tl_profile_function(p->profile, line->function);
		uint64_t id = (uint64_t)line->function + 1;

		if (*line->at.file && strcmp(line->at.file, function->file)) {
			id = (uint64_t)functions + 1 + i;
			put_function(p, id, function, line->at.file);
		}
		put_location(p, (uint64_t)i + 1, function, id, line->at.address, line->at.line);
	}
}

/* Names and lines are in the profile: a reader need not look for the object. */
static void put_mappings(struct pprof *p)
{
	for (size_t i = 1; i < p->objects.count; i++) {
		tl_pb_message_number(&p->message, MAPPING_ID, i);
		tl_pb_message_number(&p->message, MAPPING_FILE,
				     string(p, p->objects.names[i].text));
		tl_pb_message_number(&p->message, MAPPING_HAS_FUNCTIONS, 1);
		tl_pb_message_number(&p->message, MAPPING_HAS_FILES, 1);
		tl_pb_message_number(&p->message, MAPPING_HAS_LINES, 1);
		put_message(p, PROFILE_MAPPING);
	}
}

static void put_strings(struct pprof *p)
{
	for (size_t i = 0; i < p->strings.count && !p->no_memory; i++) {
		tl_pb_message_text(&p->message, PROFILE_STRING, p->strings.names[i].text,
				   p->strings.names[i].size);
		p->no_memory = p->message.failed;
		tl_gzip_put(&p->gzip, p->message.data, p->message.size);
		p->message.size = 0;
	}
}

/* ---- the document ---- */

/* From the first record of any part to the last. */
static void put_duration(struct pprof *p)
{
	struct tl_ns_carry carry = { .frequency = tl_profile_frequency(p->profile) };
	uint32_t parts = tl_profile_part_count(p->profile);
	uint64_t first = UINT64_MAX, last = 0;

	for (uint32_t i = 0; i < parts; i++) {
		const struct tl_part *part = tl_profile_part(p->profile, i);

		if (!part->last_ticks)
			continue;
		if (part->first_ticks < first)
			first = part->first_ticks;
		if (part->last_ticks > last)
			last = part->last_ticks;
	}
	if (carry.frequency && last > first && last - first <= INT64_MAX)
		put_number(p, PROFILE_DURATION_NS,
			   (uint64_t)tl_carry_ns(&carry, (int64_t)(last - first)));
}

static bool prepare(struct pprof *p)
{
	uint32_t events = tl_profile_event_count(p->profile);
	uint32_t contexts = tl_profile_context_count(p->profile);

	p->contexts = contexts > 0;
	for (uint32_t i = 0; i < contexts && !p->calls; i++)
		p->calls = tl_profile_context(p->profile, i)->calls > 0;
	p->value_count = events + p->calls;
	p->values = calloc((size_t)p->value_count + 1, sizeof(*p->values));
	p->carries = calloc((size_t)events + 1, sizeof(*p->carries));
	for (uint32_t e = 0; p->carries && e < events; e++)
		p->carries[e].frequency = tl_event_frequency(p->profile, e);
	string(p, "");
	return p->values && p->carries && !p->no_memory;
}

static void put_all(struct pprof *p)
{
	put_types(p);
	put_duration(p);
	if (p->options.command)
		put_number(p, PROFILE_COMMENT, string(p, p->options.command));
	if (tl_profile_estimated(p->profile))
		put_number(p, PROFILE_COMMENT, string(p, tl_estimated_text));
	put_samples(p);
	put_functions(p);
	if (!p->contexts)
		put_lines(p);
	put_mappings(p);
	put_strings(p);
}

static int write_stacks(const struct tl_profile *profile, const struct tl_export_options *options,
			struct tl_output *out, struct tl_error *err)
{
	struct pprof p = { .profile = profile, .labelled = TL_NONE };
	int status = tl_export_options(&p.options, profile, options, err);

	if (status < 0)
		return status;
	if (prepare(&p) && tl_gzip_begin(&p.gzip, out)) {
		put_all(&p);
		tl_gzip_end(&p.gzip);
	} else {
		p.no_memory = true;
	}
	tl_names_free(&p.strings);
	tl_names_free(&p.objects);
	tl_pb_message_free(&p.message);
	tl_pb_message_free(&p.inner);
	tl_pb_message_free(&p.labels);
	free(p.carries);
	free(p.values);
	if (p.no_memory)
		return tl_error_memory(err);
	return 0;
}

static int write_pprof(const struct tl_profile *profile, const struct tl_export_options *options,
		       struct tl_output *out, struct tl_error *err)
{
	return tl_export_in_depth(profile, options, out, write_stacks, err);
}

const struct tl_exporter tl_pprof_exporter = {
	.name = "pprof",
	.suffix = ".pb.gz",
	.help = "pprof profile, protobuf",
	.write = write_pprof,
	.stacks = true,
};
