/* SPDX-License-Identifier: Apache-2.0 */
/*
 * speedscope's own JSON format: functions as shared frames, then a "sampled" profile per part, a
 * sample for each stack with self cost. The file has all samples before all weights, so the stacks
 * are walked twice. The format has no weights below zero; stacks with such a cost are left out.
 */
#include <stdlib.h>
#include <string.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/output.h"
#include "export/event_time.h"
#include "profile/model/groups.h"
#include "export/profile/depth.h"
#include "export/profile/exporters.h"
#include "export/profile_stacks.h"

struct scope {
	const struct tl_profile *profile;
	struct tl_export_options options;
	struct tl_groups groups; /* stacks by part; those of no part last */
	uint32_t *path;          /* functions from leaf to root */
	size_t path_capacity;
	struct tl_output *out;
};

static void put_frames(const struct scope *s)
{
	uint32_t count = tl_profile_function_count(s->profile);

	tl_put_text(s->out, "\"shared\":{\"frames\":[");
	for (uint32_t i = 0; i < count && !tl_output_failed(s->out); i++) {
		const struct tl_function *function = tl_profile_function(s->profile, i);

		if (i)
			tl_put_char(s->out, ',');
		tl_put_text(s->out, "\n{\"name\":");
		tl_put_json(s->out, function->name, strlen(function->name));
		if (*function->file) {
			tl_put_text(s->out, ",\"file\":");
			tl_put_json(s->out, function->file, strlen(function->file));
		}
		if (function->line)
			tl_put_format(s->out, ",\"line\":%u", (unsigned)function->line);
		tl_put_char(s->out, '}');
	}
	tl_put_text(s->out, "]}");
}

/* The event's unit by its name in the schema of the format. */
static const char *unit_of(const struct scope *s)
{
	const char *unit = tl_profile_event(s->profile, s->options.event)->unit;

	if (tl_event_frequency(s->profile, s->options.event) || !strcmp(unit, "ns"))
		return "nanoseconds";
	return strcmp(unit, "bytes") ? "none" : "bytes";
}

static uint32_t part_key(const void *context, uint32_t stack)
{
	const struct scope *s = context;
	uint32_t part = tl_stack_at(s->profile, stack).part,
		 parts = tl_profile_part_count(s->profile);

	return tl_min(part, parts);
}

static bool has_weight(const struct scope *s, const struct tl_stack *stack)
{
	return stack->self[s->options.event] > 0;
}

static void count_below_zero(const struct scope *s)
{
	const uint32_t stacks = tl_stack_count(s->profile);
	uint64_t count = 0;

	for (uint32_t i = 0; i < stacks; i++)
		count += tl_stack_at(s->profile, i).self[s->options.event] < 0;
	if (count && s->options.below_zero)
		*s->options.below_zero = count;
}

/* The frames of a stack, from the root. */
static bool put_sample(struct scope *s, struct tl_stack stack)
{
	size_t depth = 0;

	for (;; stack = tl_stack_at(s->profile, stack.parent)) {
		if (!tl_grow(&s->path, &s->path_capacity, depth + 1, sizeof(*s->path)))
			return false;
		s->path[depth++] = stack.function;
		if (stack.parent == TL_NONE)
			break;
	}
	tl_put_char(s->out, '[');
	while (depth--) {
		tl_put_u64(s->out, s->path[depth]);
		if (depth)
			tl_put_char(s->out, ',');
	}
	tl_put_char(s->out, ']');
	return true;
}

static bool put_samples(struct scope *s, uint32_t group)
{
	const char *separator = "\n";

	for (uint32_t i = s->groups.start[group]; i < s->groups.start[group + 1]; i++) {
		struct tl_stack stack = tl_stack_at(s->profile, s->groups.order[i]);

		if (!has_weight(s, &stack))
			continue;
		tl_put_text(s->out, separator);
		separator = ",\n";
		if (!put_sample(s, stack) || tl_output_failed(s->out))
			return false;
	}
	return true;
}

/* The weights of the samples of a group. @return their sum */
static int64_t put_weights(const struct scope *s, uint32_t group)
{
	struct tl_ns_carry carry = { .frequency =
					     tl_event_frequency(s->profile, s->options.event) };
	const char *separator = "";
	int64_t sum = 0;

	for (uint32_t i = s->groups.start[group]; i < s->groups.start[group + 1]; i++) {
		struct tl_stack stack = tl_stack_at(s->profile, s->groups.order[i]);
		int64_t weight;

		if (!has_weight(s, &stack))
			continue;
		weight = tl_carry_ns(&carry, stack.self[s->options.event]);
		tl_put_text(s->out, separator);
		separator = ",";
		tl_put_i64(s->out, weight);
		sum = tl_sum_saturating(sum, weight);
	}
	return sum;
}

static bool put_profile(struct scope *s, uint32_t part)
{
	char title[256];
	int64_t sum;

	tl_part_title(s->profile, part, title, sizeof(title));
	if (tl_profile_estimated(s->profile))
		strncat(title, " (estimated paths)", sizeof(title) - strlen(title) - 1);
	tl_put_text(s->out, "{\"type\":\"sampled\",\"name\":");
	tl_put_json(s->out, title, strlen(title));
	tl_put_format(s->out, ",\"unit\":\"%s\",\"startValue\":0,\n\"samples\":[", unit_of(s));
	if (!put_samples(s, part))
		return false;
	tl_put_text(s->out, "],\n\"weights\":[");
	sum = put_weights(s, part);
	tl_put_text(s->out, "],\n\"endValue\":");
	tl_put_i64(s->out, sum);
	tl_put_char(s->out, '}');
	return true;
}

/* A profile per part, and one for the stacks without a part, if there are some. */
static bool put_profiles(struct scope *s)
{
	uint32_t parts = tl_profile_part_count(s->profile);
	bool rest = !parts || s->groups.start[parts] < s->groups.start[parts + 1], ok = true;

	tl_put_text(s->out, ",\n\"profiles\":[");
	for (uint32_t part = 0; ok && part < parts + rest; part++) {
		if (part)
			tl_put_char(s->out, ',');
		tl_put_char(s->out, '\n');
		ok = put_profile(s, part);
	}
	tl_put_text(s->out, "]}\n");
	return ok || tl_output_failed(s->out);
}

static int write_stacks(const struct tl_profile *profile, const struct tl_export_options *options,
			struct tl_output *out, struct tl_error *err)
{
	struct scope s = { .profile = profile, .out = out };
	int status = tl_export_options(&s.options, profile, options, err);
	const char *name = "tracelathe";
	bool ok;

	if (status < 0)
		return status;
	if (!tl_profile_event_count(profile))
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "the profile has no event to weigh stacks with");
	if (s.options.command)
		name = s.options.command;
	ok = tl_groups_make(&s.groups, tl_stack_count(profile), tl_profile_part_count(profile) + 1,
			    part_key, &s);
	if (ok) {
		tl_put_text(out,
			    "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",");
		tl_put_text(out, "\"exporter\":\"tracelathe " TL_VERSION "\",\"name\":");
		tl_put_json(out, name, strlen(name));
		tl_put_text(out, ",\"activeProfileIndex\":0,\n");
		put_frames(&s);
		count_below_zero(&s);
		ok = put_profiles(&s);
	}
	tl_groups_free(&s.groups);
	free(s.path);
	if (!ok)
		return tl_error_memory(err);
	return 0;
}

static int write_speedscope(const struct tl_profile *profile,
			    const struct tl_export_options *options, struct tl_output *out,
			    struct tl_error *err)
{
	return tl_export_in_depth(profile, options, out, write_stacks, err);
}

const struct tl_exporter tl_speedscope_exporter = {
	.name = "speedscope",
	.suffix = ".speedscope.json",
	.help = "stacks for speedscope, JSON",
	.write = write_speedscope,
	.stacks = true,
};
