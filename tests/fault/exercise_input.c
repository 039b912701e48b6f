/* SPDX-License-Identifier: Apache-2.0 */
#include "exercise_input.h"

#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include <tracelathe/open.h>

#include "parts.h"

/* Parts of an exercise (parts.h), and of the first of them. */
enum { PARTS = 6, EXPORTS = 7 };

/* The first failure is kept. */
static void note(int *status, int64_t now)
{
	if (*status == 0 && now < 0)
		*status = (int)now;
}

/* "Self sums to the total", whatever the bytes; saturated sums are no sums. */
static const char *check_sums(const struct tl_profile *profile)
{
	uint32_t functions = tl_profile_function_count(profile);
	struct tl_losses losses;

	if (tl_profile_losses(profile, &losses, sizeof(losses)) < 0 || losses.saturated)
		return NULL;
	for (uint32_t e = 0; e < tl_profile_event_count(profile); e++) {
		uint64_t sum = 0;

		for (uint32_t f = 0; f < functions; f++) {
			struct tl_function_totals totals;

			if (tl_profile_function_totals(profile, f, TL_NONE, &totals,
						       sizeof(totals)) < 0)
				return "a function has no totals";
			sum += (uint64_t)totals.self[e];
		}
		if (sum != (uint64_t)tl_profile_total(profile)[e])
			return "self costs are not the total";
	}
	return NULL;
}

/* Recursive functions of a profile with its idle time apart. */
static int exercise_idle(const struct tl_profile *profile, struct tl_output *out)
{
	const struct tl_report_options options = { .size = sizeof(options), .recursive = true };
	struct tl_profile *apart;
	int status = tl_profile_idle_apart(&apart, profile, "a", NULL);

	if (status < 0)
		return status == TL_UNSUPPORTED ? 0 : status;
	status = tl_report_functions(apart, &options, out, NULL);
	tl_profile_free(apart);
	return status;
}

static const char *exercise_profile_of(struct tl_input *input, struct tl_output *out, int *status)
{
	struct tl_profile *profile = NULL;
	struct tl_error err = { .status = TL_OK };
	int folded = tl_input_fold(input, &profile, &err);
	const char *broken = NULL;

	if (folded < 0 && (int)err.status != folded)
		return "the error has another status";
	note(status, folded == TL_UNSUPPORTED ? 0 : folded);
	if (folded == 0)
		broken = check_sums(profile);
	for (unsigned i = 0; folded == 0 && tl_exporters()[i]; i++)
		if (exercise_does(i % EXPORTS, EXPORTS))
			note(status, tl_exporters()[i]->write(profile, NULL, out, &err));
	note(status, profile && exercise_does(0, EXPORTS) ? exercise_idle(profile, out) : 0);
	tl_profile_free(profile);
	return broken;
}

/* As the Arrow C data interface has them. */
struct ArrowArray {
	int64_t numbers[5];
	void *pointers[3];
	void (*release)(struct ArrowArray *);
	void *private_data;
};

struct ArrowArrayStream {
	int (*get_schema)(struct ArrowArrayStream *, void *);
	int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *);
	const char *(*get_last_error)(struct ArrowArrayStream *);
	void (*release)(struct ArrowArrayStream *);
	void *private_data;
};

/* The calls by columns, then as a stream of Arrow, which closes them. */
static const char *exercise_columns(struct tl_calls *calls, int *status)
{
	struct tl_call_columns columns;
	struct ArrowArrayStream stream;
	struct ArrowArray batch = { .release = NULL };
	int next = tl_calls_restart(calls, NULL, NULL), failed;

	while (next >= 0 &&
	       (next = tl_calls_columns(calls, TL_CALL_IDS, &columns, sizeof(columns), NULL)) == 1)
		;
	note(status, next);
	note(status, tl_calls_restart(calls, NULL, NULL));
	next = tl_calls_arrow(calls, &stream, NULL);
	note(status, next);
	if (next < 0)
		return NULL;
	while (!(failed = stream.get_next(&stream, &batch)) && batch.release)
		batch.release(&batch);
	note(status, failed == ENOMEM ? TL_NO_MEMORY : failed ? TL_IO : 0);
	next = failed && !stream.get_last_error(&stream);
	stream.release(&stream);
	return next ? "an Arrow stream fails without a word" : NULL;
}

static const char *exercise_calls(struct tl_input *input, int *status)
{
	struct tl_calls *calls = NULL;
	const struct tl_call *call;
	int opened = tl_input_calls(input, NULL, &calls, NULL), next = 0;
	const char *broken = NULL;

	while (opened == 0 && (next = tl_calls_next(calls, &call, NULL)) == 1) {
		struct tl_call_function function;

		if (call->end < call->start)
			broken = "a call ends before it begins";
		note(status,
		     tl_calls_function(calls, call->function, &function, sizeof(function), NULL));
	}
	note(status, next);
	note(status, opened == TL_UNSUPPORTED ? 0 : opened);
	if (opened == 0 && !broken)
		broken = exercise_columns(calls, status);
	else
		tl_calls_close(calls);
	return broken;
}

/* What a format may not be able to do. */
static void note_memory(int *status, int now)
{
	note(status, now == TL_NO_MEMORY ? now : 0);
}

static const char *exercise(struct tl_input *input, struct tl_output *out, int *status)
{
	static const struct tl_slice everything = {
		.size = sizeof(everything),
		.snapshots = { 0, TL_NOWHERE },
		.instructions = { 0, TL_NOWHERE },
	};
	const char *broken =
		exercise_does(0, PARTS) ? exercise_profile_of(input, out, status) : NULL;

	if (exercise_does(1, PARTS)) {
		note(status, tl_input_info(input, TL_REPORT_TEXT, out, NULL));
		note(status, tl_input_info(input, TL_REPORT_JSON, out, NULL));
		note(status, tl_input_info(input, TL_REPORT_CSV, out, NULL));
	}
	if (exercise_does(2, PARTS)) {
		note(status, tl_input_check(input, TL_REPORT_CSV, out, NULL));
		note(status, tl_input_check(input, TL_REPORT_JSON, out, NULL));
	}
	if (exercise_does(3, PARTS)) {
		note_memory(status, tl_input_slice(input, &everything, out, NULL));
		note_memory(status, tl_input_reencode(input, "yaml", NULL, out, NULL));
		note(status, tl_input_dump(input, TL_REPORT_TEXT, out, NULL));
		note(status, tl_input_dump(input, TL_REPORT_JSON, out, NULL));
	}
	if (exercise_does(4, PARTS)) {
		int drawn = tl_input_timeline(input, NULL, out, NULL);

		note(status, drawn == TL_UNSUPPORTED ? 0 : drawn);
	}
	if (!broken && exercise_does(5, PARTS))
		broken = exercise_calls(input, status);
	return broken;
}

const char *exercise_input(const char *format, const uint8_t *data, size_t size, int *status)
{
	struct tl_input_options options = TL_INPUT_OPTIONS_DEFAULT;
	struct tl_output *out = NULL;
	struct tl_input *input = NULL;
	const char *broken = NULL;
	char path[64];
	const char *paths[] = { path };
	int fd = memfd_create("input", 0);

	*status = 0;
	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		return "no file in memory can be made";
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	options.format = format;
	note(status, tl_output_open_memory(&out, NULL));
	note(status, out ? tl_input_open(&input, paths, 1, &options, NULL, NULL) : 0);
	if (input && out)
		broken = exercise(input, out, status);
	tl_input_close(input);
	tl_output_discard(out);
	close(fd);
	return broken;
}
