/* SPDX-License-Identifier: Apache-2.0 */
#include "exercise.h"

#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "profile/model/unsized.h"

struct bytes {
	const uint8_t *data;
	size_t size;
};

/* "Errors are values: status, offset, text, filled once, at the failing byte." */
static const char *bad_error(int status, const struct tl_error *err, size_t size)
{
	if ((int)err->status != status)
		return "the error object and the returned status differ";
	if (!err->text || !*err->text)
		return "an error without a text";
	if (err->offset != TL_NOWHERE && err->offset > size)
		return "an error behind the end of the input";
	return NULL;
}

/*
 * "Recovery never invents records": each lies in the file, and in file order they do not share
 * bytes.
 */
static const char *bad_record(const struct tl_xray_record *record, size_t size, bool file_order,
			      uint64_t *end)
{
	if (record->kind >= TL_XRAY_KIND_COUNT)
		return "a record of no kind";
	if (record->offset > size || record->length > size - record->offset)
		return "a record reaches past the end of the input";
	if (record->payload_size > record->length)
		return "a payload longer than its record";
	if (record->arg_count > TL_XRAY_MAX_ARGS)
		return "more arguments than a record holds";
	if (file_order && record->offset < *end)
		return "a record overlaps the one before it";
	if (file_order)
		*end = record->offset + record->length;
	return NULL;
}

static void count_record(struct walk *walk, const struct tl_xray_record *record)
{
	if (record->kind != TL_XRAY_FUNCTION)
		return;
	walk->functions++;
	walk->entries += record->action == TL_XRAY_ENTER || record->action == TL_XRAY_ENTER_ARGS;
}

static void walk_records(struct walk *walk, struct tl_xray_reader *reader, size_t size,
			 bool file_order, visit_fn *visit, void *arg)
{
	struct tl_xray_record record;
	uint64_t end = 0;

	while ((walk->status = tl_xray_next(reader, &record, sizeof(record), &walk->err)) > 0 &&
	       !walk->broken) {
		walk->broken = bad_record(&record, size, file_order, &end);
		count_record(walk, &record);
		if (visit)
			visit(arg, &record);
	}
	/* "0 at the end": also when asked again. */
	if (!walk->broken && !walk->status &&
	    tl_xray_next(reader, &record, sizeof(record), &walk->err))
		walk->broken = "the end of the records did not stay";
}

static const char *bad_faults(struct tl_xray_reader *reader, size_t size, uint64_t *count)
{
	size_t listed;
	uint64_t skipped;
	const struct tl_xray_fault *faults = tl_xray_faults(reader, &listed, count, &skipped);

	if (listed > *count || listed > 1000)
		return "more faults listed than counted, or than 1000";
	if (skipped > size)
		return "more bytes skipped than there are";
	for (size_t i = 0; i < listed; i++)
		if (faults[i].offset > size || faults[i].length > size - faults[i].offset ||
		    !faults[i].text)
			return "a fault without a text or behind the end";
	return NULL;
}

void walk_trace(struct walk *walk, const uint8_t *data, size_t size,
		const struct tl_xray_options *options, visit_fn *visit, void *arg)
{
	struct tl_source *source = NULL;
	struct tl_xray_reader *reader = NULL;

	*walk = (struct walk){ .status = tl_source_open_memory(&source, data, size, "memory",
							       &walk->err) };
	if (!walk->status)
		walk->status = tl_xray_open(&reader, source, options, &walk->err);
	if (!walk->status) {
		walk_records(walk, reader, size, options->order == TL_XRAY_FILE_ORDER, visit, arg);
		if (!walk->broken)
			walk->broken = bad_faults(reader, size, &walk->faults);
	}
	if (!walk->broken && walk->status < 0)
		walk->broken = bad_error(walk->status, &walk->err, size);
	tl_xray_close(reader);
	tl_source_close(source);
}

/* Every entry is a finished call or an unfinished one: no call is lost, none invented. */
static const char *bad_profile(const struct tl_profile *profile, uint64_t entries)
{
	uint64_t calls = 0;
	struct tl_function_totals totals;

	for (uint32_t i = 0; i < tl_profile_function_count(profile); i++) {
		tl_profile_totals_of(profile, i, TL_NONE, &totals);
		calls += totals.calls + totals.unfinished;
	}
	return calls == entries ? NULL : "calls and unfinished calls do not add up to the entries";
}

static const char *fold_trace(struct bytes in, uint64_t entries, unsigned jobs)
{
	struct tl_source *source = NULL;
	struct tl_xray_reader *reader = NULL;
	struct tl_profile *profile = NULL;
	struct tl_error err;
	const struct tl_xray_fold_options options = {
		.size = sizeof(options),
		.thread = TL_NOWHERE,
		.process = TL_NOWHERE,
		.cpu = TL_NOWHERE,
		.jobs = jobs,
		.flat = in.size % 2, /* both ways, of one mutant or another */
	};
	const char *broken = "a trace that can be walked cannot be folded";

	if (!tl_source_open_memory(&source, in.data, in.size, "memory", &err) &&
	    !tl_xray_open(&reader, source, NULL, &err) &&
	    !tl_xray_fold(reader, NULL, &options, &profile, &err))
		broken = tl_xray_info(reader)->mode == TL_XRAY_PROFILING
				 ? NULL
				 : bad_profile(profile, entries);
	tl_profile_free(profile);
	tl_xray_close(reader);
	tl_source_close(source);
	return broken;
}

struct tally {
	uint64_t violations;
	size_t size;
	const char *broken;
};

static int tally_violation(void *arg, const struct tl_xray_violation *violation)
{
	struct tally *tally = arg;

	tally->violations++;
	if (!violation->rule || !violation->text)
		tally->broken = "a violation without a rule or a text";
	if (violation->offset != TL_NOWHERE && violation->offset > tally->size)
		tally->broken = "a violation behind the end of the input";
	return 0;
}

static const char *check_trace(struct bytes in, uint64_t faults)
{
	struct tl_source *source = NULL;
	struct tl_xray_reader *reader = NULL;
	struct tl_error err;
	struct tally tally = { .size = in.size };
	int64_t found = -1;

	if (!tl_source_open_memory(&source, in.data, in.size, "memory", &err) &&
	    !tl_xray_open(&reader, source, NULL, &err))
		found = tl_xray_check(reader, tally_violation, &tally, &err);
	tl_xray_close(reader);
	tl_source_close(source);
	if (found < 0)
		return "a trace that can be walked cannot be checked";
	if ((uint64_t)found != tally.violations)
		return "the number of violations is not that of the calls";
	if (faults && !found)
		return "damage that breaks no rule";
	return tally.broken;
}

/* "--strict stops at the first fault", and only there. */
static const char *walk_strictly(struct bytes in, uint64_t faults)
{
	struct walk walk;
	const struct tl_xray_options options = { .size = sizeof(options), .strict = true };

	walk_trace(&walk, in.data, in.size, &options, NULL, NULL);
	if (walk.broken)
		return walk.broken;
	if (faults && walk.status >= 0)
		return "strict reading passes over a fault";
	if (!faults && walk.status < 0)
		return "strict reading stops where there is no fault";
	return NULL;
}

const char *exercise(const uint8_t *data, size_t size)
{
	const struct bytes in = { data, size };
	const struct tl_xray_options in_file = { .size = sizeof(in_file),
						 .order = TL_XRAY_FILE_ORDER };
	const struct tl_xray_options in_time = { .size = sizeof(in_time) };
	struct walk by_file, by_time;
	const char *broken;

	walk_trace(&by_file, data, size, &in_file, NULL, NULL);
	walk_trace(&by_time, data, size, &in_time, NULL, NULL);
	if (by_file.broken || by_time.broken)
		return by_file.broken ? by_file.broken : by_time.broken;
	if (by_file.status != by_time.status)
		return "the order of reading changes the status";
	if (by_file.status < 0)
		return NULL;
	if (by_file.functions != by_time.functions || by_file.entries != by_time.entries ||
	    by_file.faults != by_time.faults)
		return "the order of reading changes the records";
	broken = walk_strictly(in, by_file.faults);
	if (!broken)
		broken = fold_trace(in, by_file.entries, 1);
	if (!broken)
		broken = check_trace(in, by_file.faults);
	return broken;
}

static const char *volatile watched;

static void too_long(int signal)
{
	static const char text[] = ": took too long\n";

	(void)signal;
	/* The results only tell how well the message got out. */
	if (write(2, watched, strlen(watched)) < 0 || write(2, text, sizeof(text) - 1) < 0)
		_exit(2);
	_exit(1);
}

void watch(unsigned seconds, const char *what)
{
	watched = what;
	signal(SIGALRM, too_long);
	alarm(seconds);
}
