/* SPDX-License-Identifier: Apache-2.0 */
/* What of the calls is wanted: by function, object, time and thread. */
#include <regex.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "foreign/span_calls.h"

static bool matches(const regex_t *pattern, const char *text)
{
	return !pattern || !regexec(pattern, text, 0, NULL, 0);
}

static void judge(struct tl_foreign_filter *filter, const regex_t *function, const regex_t *object)
{
	for (uint32_t i = 0; i < filter->file->stacks.frame_count; i++) {
		const struct tl_function f = tl_foreign_function(filter->file, i);

		filter->verdicts[i] = matches(function, f.name) && matches(object, f.object);
	}
}

static int judge_function(struct tl_foreign_filter *filter, const regex_t *function,
			  struct tl_error *err)
{
	const char *object = filter->file->options.object;
	regex_t pattern;

	if (object && regcomp(&pattern, object, REG_EXTENDED | REG_NOSUB))
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "the pattern for objects is no regular expression");
	judge(filter, function, object ? &pattern : NULL);
	if (object)
		regfree(&pattern);
	return 0;
}

int tl_foreign_filter_open(struct tl_foreign_filter *filter, const struct tl_foreign_file *file,
			   struct tl_error *err)
{
	const char *function = file->options.function;
	regex_t pattern;
	int status;

	*filter = (struct tl_foreign_filter){ .file = file };
	if (!function && !file->options.object)
		return 0;
	filter->verdicts = tl_zeroed(file->stacks.frame_count, 1);
	if (!filter->verdicts)
		return tl_error_memory(err);
	if (function && regcomp(&pattern, function, REG_EXTENDED | REG_NOSUB))
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "the pattern for functions is no regular expression");
	status = judge_function(filter, function ? &pattern : NULL, err);
	if (function)
		regfree(&pattern);
	return status;
}

static uint64_t ticks_at(const struct tl_foreign_file *f, double seconds)
{
	return tl_ticks_behind(tl_foreign_origin(f), seconds, f->frequency);
}

int tl_foreign_window(const struct tl_foreign_file *f, struct tl_foreign_window *window,
		      struct tl_error *err)
{
	const struct tl_foreign_options *o = &f->options;

	*window = (struct tl_foreign_window){ 0, UINT64_MAX };
	if (!tl_foreign_wants_window(f))
		return 0;
	if (!f->frequency)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "these calls have no times to choose by");
	if (o->from_seconds > 0)
		window->from = ticks_at(f, o->from_seconds);
	if (o->to_seconds > 0)
		window->to = ticks_at(f, o->to_seconds);
	return 0;
}

/* ---- threads ---- */

struct tl_part tl_foreign_span_part(const struct tl_foreign_file *f, uint32_t thread)
{
	const struct tl_foreign_thread *t = &f->spans.threads[thread];

	return (struct tl_part){
		.process = (uint64_t)t->process,
		.thread = (uint64_t)t->thread,
		.command = f->stacks.names.names[t->command].text,
		.header = "",
	};
}

bool tl_foreign_wants_spans(const struct tl_foreign_file *f, uint32_t thread)
{
	const struct tl_foreign_thread *t = &f->spans.threads[thread];

	return t->count && tl_foreign_wants(f, (uint64_t)t->process, (uint64_t)t->thread);
}
