/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_OPEN_TOY_H
#define TESTS_UNIT_OPEN_TOY_H
/*
 * A format of the tests' own, whose operations do what the test says and note how they were called:
 * what `open/` itself does with inputs, without a reader of any format. A copy of `toy_format` may
 * lack operations.
 */
#include <stdio.h>

#include <tracelathe/tracelathe.h>

#include "../temp_fixture.h"

#include "core/error.h"
#include "core/guard.h"
#include "core/output.h"
#include "core/source.h"
#include "open/format.h"
#include "profile/model/model.h"
#include "profile/model/unsized.h"

enum toy_operation {
	TOY_FOLD,
	TOY_DESCRIBE,
	TOY_DUMP,
	TOY_CHECK,
	TOY_RULES,
	TOY_TIMELINE,
	TOY_REENCODE,
	TOY_SLICE,
	TOY_ANALYZE,
	TOY_LOCATE,
	TOY_COVERAGE,
	TOY_WRITE,
	TOY_RELATE,
	TOY_OPERATIONS,
};

/* An input's handle. */
struct toy {
	int64_t answers[TOY_OPERATIONS];
	unsigned calls[TOY_OPERATIONS];
	int64_t cost;
	uint64_t frequency; /* of ticks; 0: the event is no time */
	const char *json;   /* what describe(), check() and rules() write as JSON */
	struct tl_damage damage[3];
	size_t damage_count;
	const char *binary_of; /* the object that it has a binary and code of */
	struct tl_slice sliced;
	uint64_t sliced_thread;
	const struct tl_simpoint *found; /* what locate() finds */
	size_t found_count;
};

static inline struct toy *toy_of(const struct tl_input *input)
{
	return input->handle;
}

static inline int64_t toy_called(const struct tl_input *input, enum toy_operation operation,
				 struct tl_error *err)
{
	struct toy *toy = toy_of(input);
	int64_t answer = toy->answers[operation];

	toy->calls[operation]++;
	return answer < 0 ? tl_error_at(err, (enum tl_status)answer, 7, "as the toy was told")
			  : answer;
}

static inline int toy_fold(struct tl_input *input, struct tl_profile **profile,
			   struct tl_error *err)
{
	const struct toy *toy = toy_of(input);
	const struct tl_event event = { toy->frequency ? "Ticks" : "Ir", "",
					toy->frequency ? "ticks" : "", "" };
	const struct tl_function function = {
		.name = "main", .file = "main.c", .object = "prog", .id = TL_NOWHERE
	};
	const struct tl_cost_line line = {
		.at = { .file = "main.c", .line = 3, .address = 0x1000 }
	};
	const struct tl_part part = { .process = 1, .thread = (uint64_t)toy->cost, .command = "" };
	int status = (int)toy_called(input, TOY_FOLD, err);

	if (status < 0)
		return status;
	assert_int_equal(tl_profile_make(profile, "toy", &event, 1, toy->frequency, NULL), 0);
	assert_int_equal(tl_profile_put_part(*profile, &part, NULL), 0);
	assert_int_equal(tl_profile_put_function(*profile, &function, NULL), 0);
	assert_int_equal(tl_profile_put_line(*profile, &line, &toy->cost, NULL), 0);
	return tl_profile_finish(*profile, err);
}

static inline int toy_describe(struct tl_input *input, bool json, struct tl_output *out,
			       struct tl_error *err)
{
	tl_put_text(out, json ? toy_of(input)->json : "described\n");
	return (int)toy_called(input, TOY_DESCRIBE, err);
}

static inline int toy_dump(struct tl_input *input, bool json, struct tl_output *out,
			   struct tl_error *err)
{
	tl_put_text(out, json ? "dumped as JSON\n" : "dumped\n");
	return (int)toy_called(input, TOY_DUMP, err);
}

static inline int64_t toy_check(struct tl_input *input, bool json, struct tl_output *out,
				struct tl_error *err)
{
	tl_put_text(out, json ? toy_of(input)->json : "checked\n");
	return toy_called(input, TOY_CHECK, err);
}

static inline int64_t toy_rules(struct tl_input *input, bool json, struct tl_output *out,
				struct tl_error *err)
{
	tl_put_text(out, json ? toy_of(input)->json : "rules\n");
	return toy_called(input, TOY_RULES, err);
}

static inline int toy_timeline(struct tl_input *input, struct tl_timeline *timeline,
			       struct tl_error *err)
{
	const struct tl_timeline_point at = { .ticks = 5 };

	assert_int_equal(tl_timeline_begin(timeline, 1000000000, NULL), 0);
	tl_timeline_counter(timeline, &at, "counter", 2);
	return (int)toy_called(input, TOY_TIMELINE, err);
}

static inline int toy_reencode(struct tl_input *input, const char *variant, struct tl_output *out,
			       struct tl_error *err)
{
	tl_put_format(out, "toy again, %s\n", variant ? variant : "-");
	return (int)toy_called(input, TOY_REENCODE, err);
}

static inline int toy_slice(struct tl_input *input, const struct tl_slice *slice,
			    struct tl_output *out, struct tl_error *err)
{
	toy_of(input)->sliced = *slice;
	toy_of(input)->sliced_thread = input->options.filter.thread;
	tl_put_text(out, "sliced\n");
	return (int)toy_called(input, TOY_SLICE, err);
}

static inline int toy_analyze(struct tl_input *input, const struct tl_analysis *analysis,
			      struct tl_output *out, const char **failed, struct tl_error *err)
{
	int status = (int)toy_called(input, TOY_ANALYZE, err);

	tl_put_format(out, "analyzed %u\n", analysis->analyses);
	if (status < 0)
		*failed = "caches.cfg";
	return status;
}

static inline int toy_locate(struct tl_input *input, const struct tl_simpoint_options *options,
			     tl_simpoint_found_fn *fn, void *arg, struct tl_error *err)
{
	const struct toy *toy = toy_of(input);

	(void)options;
	for (size_t i = 0; i < toy->found_count; i++)
		fn(arg, &toy->found[i]);
	return (int)toy_called(input, TOY_LOCATE, err);
}

static inline int toy_coverage(struct tl_input *input, const struct tl_coverage_exporter *exporter,
			       struct tl_output *out, struct tl_error *err)
{
	(void)exporter;
	tl_put_text(out, "covered\n");
	return (int)toy_called(input, TOY_COVERAGE, err);
}

static inline int toy_write(struct tl_input *input, struct tl_output *out, struct tl_error *err)
{
	tl_put_text(out, "written\n");
	return (int)toy_called(input, TOY_WRITE, err);
}

static inline int toy_relate(struct tl_input *input, struct tl_error *err)
{
	return (int)toy_called(input, TOY_RELATE, err);
}

static inline struct tl_binary *toy_binary(struct tl_input *input, const char *object)
{
	const char *own = toy_of(input)->binary_of;

	/* Not a binary: only its address is looked at. */
	return own && !strcmp(own, object) ? (struct tl_binary *)input : NULL;
}

static inline size_t toy_code(struct tl_input *input, const char *object, uint64_t address,
			      uint8_t *bytes, size_t size)
{
	(void)address;
	if (!toy_binary(input, object) || !size)
		return 0;
	bytes[0] = (uint8_t)toy_of(input)->cost;
	return 1;
}

static inline size_t toy_damage(struct tl_input *input, struct tl_damage *places, size_t room,
				uint64_t *count, uint64_t *skipped)
{
	const struct toy *toy = toy_of(input);
	size_t filled = 0;

	for (; filled < toy->damage_count && filled < room; filled++)
		places[filled] = toy->damage[filled];
	*count = toy->damage_count;
	*skipped = 10 * toy->damage_count;
	return filled;
}

static inline void toy_close(struct tl_input *input)
{
	(void)input;
}

static const struct tl_conversion toy_conversions[] = {
	{ { "tarmac", "" }, toy_write },
	{ { NULL, NULL }, NULL },
};

static const struct tl_format toy_format = {
	.info = { .name = "toy", .help = "", .record_word = "record" },
	.close = toy_close,
	.fold = toy_fold,
	.describe = toy_describe,
	.dump = toy_dump,
	.check = toy_check,
	.rules = toy_rules,
	.timeline = toy_timeline,
	.reencode = toy_reencode,
	.slice = toy_slice,
	.analyze = toy_analyze,
	.locate = toy_locate,
	.coverage = toy_coverage,
	.binary = toy_binary,
	.code = toy_code,
	.damage = toy_damage,
	.conversions = toy_conversions,
};

/* An input of the toy, as tl_input_open() would make one; close it. */
static inline struct tl_input *toy_input(const struct tl_format *format, struct toy *toy,
					 const char *name)
{
	struct tl_input *input = calloc(1, sizeof(*input));

	assert_non_null(input);
	input->format = format;
	input->options = (struct tl_input_options)TL_INPUT_OPTIONS_DEFAULT;
	input->handle = toy;
	input->lost_pages = tl_guard_lost_pages();
	assert_int_equal(
		tl_source_open(&input->source, temp_write(&temp, name, "toy", 3), NULL, NULL), 0);
	return input;
}

/* Let the other one be a further file, which the first then owns. */
static inline void toy_join(struct tl_input *input, struct tl_input *other)
{
	input->others = realloc(input->others, (input->other_count + 1) * sizeof(*input->others));
	assert_non_null(input->others);
	other->path = tl_source_name(other->source);
	input->others[input->other_count++] = other;
}

#endif
