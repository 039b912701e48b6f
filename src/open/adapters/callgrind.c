/* SPDX-License-Identifier: Apache-2.0 */
/* Callgrind profiles as an input: several files are parts of one run. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "callgrind/listing/describe.h"
#include "callgrind/profile/fold.h"
#include "core/arithmetic.h"
#include "core/error.h"
#include "core/output.h"
#include "core/source.h"
#include "open/format.h"
#include "open/several.h"

struct callgrind_file {
	char *path;
	struct tl_source *source; /* borrowed from the input: the source of the first file */
	struct tl_callgrind_reader *reader;
};

struct callgrind_input {
	struct callgrind_file *files;
	struct tl_callgrind_reader **readers; /* the sources of the further files */
	size_t count;
	bool used; /* the text was read, and is not held in memory */
};

static void close_readers(struct tl_input *input)
{
	struct callgrind_input *c = input->handle;

	for (size_t i = 0; i < c->count; i++) {
		tl_callgrind_close(c->files[i].reader);
		c->files[i].reader = NULL;
		if (c->files[i].source != input->source)
			tl_source_close(c->files[i].source);
		c->files[i].source = NULL;
	}
}

static void close_callgrind(struct tl_input *input)
{
	struct callgrind_input *c = input->handle;

	close_readers(input);
	for (size_t i = 0; i < c->count; i++)
		free(c->files[i].path);
	free(c->files);
	free(c->readers);
	free(c);
	input->handle = NULL;
}

static int open_file(struct tl_input *input, struct callgrind_file *file, struct tl_error *err)
{
	struct tl_callgrind_options options = { .size = sizeof(options),
						.strict = input->options.strict };
	const struct tl_source_options source = tl_input_source_options(input);
	int status = file->source ? 0 : tl_source_open(&file->source, file->path, &source, err);

	if (status < 0)
		return status;
	return tl_callgrind_open(&file->reader, file->source, &options, err);
}

/* What has failed is one of the caller's paths: the input does not outlive its error. */
static int open_files(struct tl_input *input, const char *const *paths, const char **failed,
		      struct tl_error *err)
{
	struct callgrind_input *c = input->handle;

	for (size_t i = 0; i < c->count; i++) {
		int status = open_file(input, &c->files[i], err);

		if (status < 0) {
			if (failed)
				*failed = paths[i];
			return status;
		}
		c->readers[i] = c->files[i].reader;
	}
	return 0;
}

static int check_options(const struct tl_input_options *o, struct tl_error *err)
{
	if (o->filter.cpu != TL_NOWHERE || o->filter.from_seconds > 0 || o->filter.to_seconds > 0)
		return tl_error_format(
			err, "callgrind",
			tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				    "a profile of sums has no times and no processors to choose "
				    "by"));
	return 0;
}

static int open_callgrind(struct tl_input *input, const char *const *paths, size_t path_count,
			  const char **failed, struct tl_error *err)
{
	struct callgrind_input *c = calloc(1, sizeof(*c));
	int status;

	if (!c)
		return tl_error_memory(err);
	input->handle = c;
	c->files = calloc(path_count, sizeof(*c->files));
	c->readers = calloc(path_count, sizeof(*c->readers));
	if (!c->files || !c->readers)
		return tl_error_memory(err);
	for (; c->count < path_count; c->count++) {
		c->files[c->count].path = strdup(paths[c->count]);
		if (!c->files[c->count].path)
			return tl_error_memory(err);
	}
	c->files[0].source = input->source;
	status = check_options(&input->options, err);
	if (status < 0)
		return status;
	return open_files(input, paths, failed, err);
}

static bool reads_standard_input(const struct callgrind_input *c)
{
	for (size_t i = 0; i < c->count; i++)
		if (!strcmp(c->files[i].path, "-"))
			return true;
	return false;
}

/* Readers at their beginning: the ones just opened, or the files opened again. */
static int begin(struct tl_input *input, struct tl_error *err)
{
	struct callgrind_input *c = input->handle;

	if (!c->used) {
		c->used = true;
		return 0;
	}
	if (reads_standard_input(c))
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "standard input can only be read once");
	close_readers(input);
	return open_files(input, NULL, NULL, err);
}

/* ---- operations ---- */

/* Below this size a second thread gains nothing that can be noticed. */
enum { LEAST_HALVED = 4 << 20, CUT_AT = 58 /* of 100 */ };

static bool can_be_halved(const struct tl_input *input, const struct tl_callgrind_fold_options *how)
{
	const struct callgrind_input *c = input->handle;
	const struct tl_source *source = c->files[0].source;

	return input->options.jobs > 1 && c->count == 1 && strcmp(c->files[0].path, "-") != 0 &&
	       how->detail == TL_CALLGRIND_FUNCTIONS && how->shares < 2 &&
	       tl_source_stored_size(source) >= LEAST_HALVED &&
	       !strcmp(tl_source_compression(source), "none");
}

/*
 * Both halves take as long where skimming the text before the cut takes a quarter of the time that
 * folding it does. What is told of the progress is that of the second reader, which goes to the
 * end. False: the file cannot be opened twice, and nothing was read; true, and no profile: one
 * reader has to read it.
 */
static bool fold_halves(struct tl_input *input, const struct tl_callgrind_fold_options *how,
			struct tl_profile **profile)
{
	struct callgrind_input *c = input->handle;
	const struct tl_callgrind_options options = { .size = sizeof(options),
						      .strict = input->options.strict };
	struct tl_callgrind_reader *first = NULL;
	struct tl_source *source = NULL;

	bool opened = tl_source_open(&source, c->files[0].path, NULL, NULL) == 0 &&
		      tl_callgrind_open(&first, source, &options, NULL) == 0;

	*profile = NULL;
	if (opened)
		tl_callgrind_fold_halves(first, c->readers[0],
					 tl_source_stored_size(source) / 100 * CUT_AT, how,
					 profile);
	tl_callgrind_close(first);
	tl_source_close(source);
	return opened;
}

static int fold_whole(struct tl_input *input, bool packed,
		      const struct tl_callgrind_fold_options *how, struct tl_profile **profile,
		      struct tl_error *err)
{
	const struct callgrind_input *c = input->handle;
	int status = begin(input, err);

	if (status < 0)
		return status;
	if (can_be_halved(input, how) && fold_halves(input, how, profile)) {
		if (*profile)
			return 0;
		status = begin(input, err);
		if (status < 0)
			return status;
	}
	return (packed ? tl_callgrind_fold_packed : tl_callgrind_fold)(c->readers, c->count, how,
								       profile, err);
}

static int fold_with(struct tl_input *input, enum tl_callgrind_detail detail,
		     struct tl_profile **profile, struct tl_error *err)
{
	struct callgrind_input *c = input->handle;
	const struct tl_input_options *o = &input->options;
	size_t failed = 0;
	const struct tl_callgrind_fold_options options = {
		.size = sizeof(options),
		.part = o->filter.part ? o->filter.part : TL_NOWHERE,
		.thread = o->filter.thread,
		.process = o->filter.process,
		.detail = detail,
		.per_part = o->per_thread || o->detail == TL_DETAIL_STACKS,
		.failed = &failed,
		.share = o->share,
		.shares = o->shares,
	};
	bool packed = o->packed && detail == TL_CALLGRIND_LINES;
	int status = fold_whole(input, packed, &options, profile, err);

	input->failed = c->files[failed].path;
	return status;
}

/*
 * Stacks are made of sums of functions, a tenth of the memory of lines; without a call, lines stand
 * in their place. Whether there is a call is known at the end alone, so what can be read only once
 * is read by line.
 */
static int fold_for_stacks(struct tl_input *input, struct tl_profile **profile,
			   struct tl_error *err)
{
	int status;

	if (reads_standard_input(input->handle))
		return fold_with(input, TL_CALLGRIND_LINES, profile, err);
	status = fold_with(input, TL_CALLGRIND_FUNCTIONS, profile, err);
	if (status < 0 || tl_profile_arc_count(*profile))
		return status;
	tl_profile_free(*profile);
	return fold_with(input, TL_CALLGRIND_LINES, profile, err);
}

static int fold_in_detail(struct tl_input *input, struct tl_profile **profile, struct tl_error *err)
{
	switch (input->options.detail) {
	case TL_DETAIL_LINES:
		return fold_with(input, TL_CALLGRIND_LINES, profile, err);
	case TL_DETAIL_STACKS:
		return fold_for_stacks(input, profile, err);
	default:
		return fold_with(input, TL_CALLGRIND_FUNCTIONS, profile, err);
	}
}

static int fold_callgrind(struct tl_input *input, struct tl_profile **profile, struct tl_error *err)
{
	const struct callgrind_input *c = input->handle;
	int status = fold_in_detail(input, profile, err);

	return status < 0 || c->count < 2 ? status : tl_input_order_as_sum(profile, err);
}

/* All lines are read for each share, but only those of some functions are added. */
static uint32_t shares_callgrind(const struct tl_input *input)
{
	const struct callgrind_input *c = input->handle;

	return strcmp(c->files[0].path, "-") ? TL_SHARES_ANY : 1;
}

static int
each_reader(struct tl_input *input, bool json, struct tl_output *out, struct tl_error *err,
	    int (*tell)(struct tl_callgrind_reader *, bool, struct tl_output *, struct tl_error *))
{
	struct callgrind_input *c = input->handle;
	int status = begin(input, err);

	for (size_t i = 0; status == 0 && i < c->count; i++)
		status = tell(c->readers[i], json, out, err);
	return status;
}

static int describe_callgrind(struct tl_input *input, bool json, struct tl_output *out,
			      struct tl_error *err)
{
	return each_reader(input, json, out, err, tl_callgrind_describe);
}

static int dump_callgrind(struct tl_input *input, bool json, struct tl_output *out,
			  struct tl_error *err)
{
	return each_reader(input, json, out, err, tl_callgrind_dump);
}

/* ---- check ---- */

struct callgrind_violations {
	struct tl_output *out;
	const char *path; /* NULL: there is only one */
	bool json;
	/* The file once more, to show lines of it; NULL: it can be read only once. */
	const char *shown;
	struct tl_source *text;
	bool no_memory; /* a line is not shown for want of it */
};

enum { MOST_SHOWN = 80 };

/* The line that a violation is about, as its tool wrote it, up to some bytes; false: unknown. */
static bool line_of(struct callgrind_violations *to, const struct tl_callgrind_violation *v,
		    const char **line, size_t *size)
{
	const uint8_t *data, *begin, *end;
	size_t all = 0;
	int status = 0;

	if (v->offset == TL_NOWHERE || !to->shown)
		return false;
	if (!to->text)
		status = tl_source_open(&to->text, to->shown, NULL, NULL);
	if (status >= 0)
		status = tl_source_map(to->text, &data, &all, NULL);
	to->no_memory |= status == TL_NO_MEMORY;
	if (status < 0)
		to->shown = NULL;
	if (status < 0 || v->offset >= all)
		return false;
	begin = memrchr(data, '\n', (size_t)v->offset);
	begin = begin ? begin + 1 : data;
	end = memchr(begin, '\n', (size_t)(data + all - begin));
	*line = (const char *)begin;
	*size = (size_t)((end ? end : data + all) - begin);
	return true;
}

/* Quoted as in JSON, so that control characters are seen; one that is long is cut. */
static void put_shown_line(struct callgrind_violations *to, const struct tl_callgrind_violation *v,
			   const char *before)
{
	const char *line;
	size_t size;

	if (!line_of(to, v, &line, &size))
		return;
	tl_put_text(to->out, before);
	tl_put_json(to->out, line, tl_min(size, MOST_SHOWN));
	if (size > MOST_SHOWN && !to->json)
		tl_put_text(to->out, "...");
}

static void put_string(const struct callgrind_violations *to, const char *key, const char *text)
{
	tl_put_text(to->out, key);
	tl_put_json(to->out, text, strlen(text));
}

static void put_violation_json(struct callgrind_violations *to,
			       const struct tl_callgrind_violation *v)
{
	put_string(to, "{\"rule\":", v->rule);
	if (v->offset == TL_NOWHERE)
		tl_put_text(to->out, ",\"offset\":null,\"record\":null");
	else
		tl_put_format(to->out, ",\"offset\":%" PRIu64 ",\"record\":%" PRIu64, v->offset,
			      v->line);
	if (v->part != TL_NONE)
		tl_put_format(to->out, ",\"part\":%" PRIu32, v->part);
	if (v->function)
		put_string(to, ",\"function\":", v->function);
	if (to->path)
		put_string(to, ",\"file\":", to->path);
	tl_put_text(to->out, v->damage ? ",\"damage\":true" : ",\"damage\":false");
	put_string(to, ",\"text\":", v->text);
	put_shown_line(to, v, ",\"source\":");
	tl_put_text(to->out, "}\n");
}

static void put_violation_text(struct callgrind_violations *to,
			       const struct tl_callgrind_violation *v)
{
	tl_put_text(to->out, v->rule);
	if (to->path) {
		tl_put_char(to->out, ' ');
		tl_put_shown(to->out, to->path, strlen(to->path));
	}
	if (v->offset != TL_NOWHERE)
		tl_put_format(to->out, " offset 0x%" PRIx64 " line %" PRIu64, v->offset, v->line);
	if (v->function) {
		tl_put_text(to->out, " function ");
		tl_put_shown(to->out, v->function, strlen(v->function));
	}
	tl_put_format(to->out, ": %s%s", v->damage ? "" : "(a remark) ", v->text);
	put_shown_line(to, v, ": ");
	tl_put_char(to->out, '\n');
}

static int put_violation(void *arg, const struct tl_callgrind_violation *v)
{
	struct callgrind_violations *to = arg;

	if (to->json)
		put_violation_json(to, v);
	else
		put_violation_text(to, v);
	return tl_output_failed(to->out);
}

static int64_t check_callgrind(struct tl_input *input, bool json, struct tl_output *out,
			       struct tl_error *err)
{
	struct callgrind_input *c = input->handle;
	int64_t sum = begin(input, err);

	for (size_t i = 0; sum >= 0 && i < c->count; i++) {
		const char *path = c->files[i].path;
		struct callgrind_violations to = {
			.out = out,
			.path = c->count > 1 ? path : NULL,
			.json = json,
			.shown = strcmp(path, "-") ? path : NULL,
		};
		int64_t found = tl_callgrind_check(c->readers[i], put_violation, &to, err);

		tl_source_close(to.text);
		if (found >= 0 && to.no_memory)
			found = tl_error_memory(err);
		/* With --separate-threads the file without a thread number is empty. */
		if (found == TL_TRUNCATED && c->count > 1)
			continue;
		sum = found < 0 ? found : sum + found;
	}
	return sum;
}

/* ---- the rest ---- */

/* What valgrind's heap profilers write is of other forms; the tree that it can write is not. */
static const char *explain_heap(const uint8_t *data, size_t size)
{
	static const char dhat[] = "{\"dhatFileVersion\":";

	if (size >= sizeof(dhat) && !memcmp(data, dhat, sizeof(dhat) - 1))
		return "profiles of DHAT are not read; `valgrind --tool=memcheck "
		       "--xtree-memory=full` writes one that is";
	if (memmem(data, size, "\ntime_unit: ", 12))
		return "snapshots of massif are not read; `valgrind --tool=massif "
		       "--xtree-memory=full` writes a profile that is";
	return NULL;
}

/* Valgrind leaves an empty file beside those of the threads. */
static const char *explain_empty_callgrind(const char *path)
{
	char *thread = NULL;
	bool beside = false;

	if (asprintf(&thread, "%s-01", path) >= 0) {
		beside = !access(thread, F_OK);
		free(thread);
	}
	if (!beside)
		return NULL;
	return "the file is empty (Callgrind with --separate-threads=yes writes FILE-01, FILE-02, "
	       "...)";
}

/* What the filters let pass, as a profile of the same format. */
static int slice_callgrind(struct tl_input *input, const struct tl_slice *what,
			   struct tl_output *out, struct tl_error *err)
{
	const struct tl_input_filter *filter = &input->options.filter;
	const struct tl_exporter *exporter = tl_exporter_find("callgrind");
	struct tl_profile *profile = NULL;
	int status = 0;

	if (what->snapshots.from || what->snapshots.to != TL_NOWHERE || what->instructions.from ||
	    what->instructions.to != TL_NOWHERE || what->trigger || what->form != TL_SLICE_TRACE ||
	    filter->function || filter->object)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "a Callgrind profile is cut by --part, --thread and --pid");
	status = fold_with(input, TL_CALLGRIND_LINES, &profile, err);
	if (status == 0 && !tl_profile_part_count(profile))
		status = tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				     "the profile has no part of what is asked for");
	if (status == 0)
		status = exporter->write(profile, NULL, out, err);
	tl_profile_free(profile);
	return status;
}

static int reencode_callgrind(struct tl_input *input, const char *variant, struct tl_output *out,
			      struct tl_error *err)
{
	const struct tl_exporter *exporter = tl_exporter_find("callgrind");
	struct tl_profile *profile = NULL;
	int status;

	if (variant)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "the Callgrind format has no versions to choose from");
	status = fold_with(input, TL_CALLGRIND_LINES, &profile, err);
	if (status == 0)
		status = exporter->write(profile, NULL, out, err);
	tl_profile_free(profile);
	return status;
}

static size_t damage_callgrind(struct tl_input *input, struct tl_damage *places, size_t room,
			       uint64_t *count, uint64_t *skipped_bytes)
{
	struct callgrind_input *c = input->handle;
	size_t listed = 0;

	*count = *skipped_bytes = 0;
	for (size_t i = 0; i < c->count; i++) {
		size_t here;
		uint64_t faults, skipped;
		const struct tl_callgrind_fault *list =
			tl_callgrind_faults(c->readers[i], &here, &faults, &skipped);

		*count += faults;
		*skipped_bytes += skipped;
		for (size_t n = 0; n < here && listed < room; n++)
			places[listed++] = (struct tl_damage){
				.status = list[n].status,
				.text = list[n].text,
				.offset = list[n].offset,
				.length = list[n].length,
				.record = list[n].line,
				.path = c->files[i].path,
			};
	}
	return listed;
}

const struct tl_format tl_callgrind_format = {
	.info = {
		.name = "callgrind",
		.help = "Callgrind and Cachegrind profiles, also of other programs (xdebug, "
			"pprof, xtree, ...)",
		.record_word = "line",
		.written = true,
	},
	.many_paths = true,
	.probe = tl_callgrind_probe,
	.explain_empty = explain_empty_callgrind,
	.explain_other = explain_heap,
	.open = open_callgrind,
	.close = close_callgrind,
	.shares = shares_callgrind,
	.fold = fold_callgrind,
	.describe = describe_callgrind,
	.dump = dump_callgrind,
	.check = check_callgrind,
	.reencode = reencode_callgrind,
	.slice = slice_callgrind,
	.damage = damage_callgrind,
};
