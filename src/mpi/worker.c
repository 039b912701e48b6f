/* SPDX-License-Identifier: Apache-2.0 */
/* Files are read and added as the command does it (cli/commands/gather/gather.c, cli/fleet). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/confine/confine.h"
#include "cli/fleet/mapping.h"
#include "mpi/note.h"
#include "mpi/worker.h"

/* Profile files that one worker gives to another: as many as that merges at once, with its own. */
enum { MOST_PIECES = 64 };

struct worker {
	int socket;
	uint32_t life;
	struct command_job job;
	struct settings *settings;
	const struct fleet_options *options;
	const char **paths; /* of all files */
	size_t path_count;
	struct tl_gather *gather;
	bool told_clock;             /* of what is in the gather */
	struct file_version version; /* of the file of the last share */
	bool quit;                   /* asked to, while it waited for other shares */
	/* Profile files that were added, which are read when they are merged. */
	LIST_OF(int) added;
};

static int no_memory(struct tl_error *err)
{
	*err = (struct tl_error){ TL_NO_MEMORY, 0, NULL, "out of memory", TL_NOWHERE, TL_NOWHERE };
	return TL_NO_MEMORY;
}

/* ---- answers ---- */

/* What was written to standard error since the last answer. */
static int take_messages(uint64_t *size)
{
	off_t end = lseek(STDERR_FILENO, 0, SEEK_END);
	char *text = end > 0 ? bytes_read(STDERR_FILENO, (size_t)end) : NULL;
	int fd = text ? bytes_make(text, (size_t)end) : -1;

	free(text);
	*size = fd >= 0 ? (uint64_t)end : 0;
	if (ftruncate(STDERR_FILENO, 0) == 0)
		lseek(STDERR_FILENO, 0, SEEK_SET);
	return fd;
}

/* Whose ticks cannot be added to those of others is seen before sums are, if it is told at once. */
static void tell_clock(struct worker *w, struct note *note)
{
	if (w->told_clock || !tl_gather_clock(w->gather, &note->frequency))
		return;
	note->flags |= NOTE_CLOCK;
	w->told_clock = true;
}

static bool answer(struct worker *w, enum note_kind kind, const struct note *asked, int status)
{
	struct note note = {
		.kind = kind,
		.life = w->life,
		.number = asked->number,
		.status = status,
		.missing = (uint32_t)w->job.missing,
		.flags = w->job.damaged ? NOTE_DAMAGED : 0u,
		.version = w->version,
	};
	int messages = take_messages(&note.size);
	bool sent;

	if (kind == NOTE_FOLDED)
		tell_clock(w, &note);
	sent = note_send(w->socket, &note, messages);

	if (messages >= 0)
		close(messages);
	w->job.damaged = w->job.error_shown = false;
	w->job.missing = 0;
	return sent;
}

/* The error of something that is not a file of the list. */
static int say(struct worker *w, int status, const struct tl_error *err)
{
	if (status < 0 && !w->job.error_shown)
		complain(w->job.command->name, "%s: %s",
			 err->text ? err->text : tl_status_name(status),
			 err->sys_errno ? strerror(err->sys_errno) : tl_status_name(status));
	return status;
}

/* ---- files ---- */

/* What is kept of a file, chosen, computed or told apart is so of a whole file. */
static bool takes_all(const struct worker *w)
{
	static const struct tl_input_options all = TL_INPUT_OPTIONS_DEFAULT;
	const struct tl_input_options *input = &w->settings->input;
	const struct tl_input_filter *filter = &input->filter;

	return !w->options->restart && !by_origin(w->settings) && !input->formula_count &&
	       !input->strict && !filter->function && !filter->object && !filter->part &&
	       filter->from_seconds <= 0 && filter->to_seconds <= 0 &&
	       filter->thread == all.filter.thread && filter->process == all.filter.process &&
	       filter->cpu == all.filter.cpu;
}

static uint32_t count_shares(const struct worker *w)
{
	return takes_all(w) ? tl_input_shares(w->job.input) : 1;
}

static bool answer_kin(struct worker *w, const struct note *asked)
{
	size_t count = tl_input_kinship(w->job.input, NULL, 0);
	uint64_t *marks = malloc((count + 1) * sizeof(*marks));
	struct note note = { .kind = NOTE_KIN,
			     .life = w->life,
			     .number = asked->number,
			     .shares = count_shares(w),
			     .flags = tl_input_chains_shares(w->job.input) ? NOTE_CHAINED : 0u };
	bool sent = false;
	int fd;

	progress_end(w->job.progress);
	tl_input_kinship(w->job.input, marks, marks ? count : 0);
	tl_input_close(w->job.input);
	w->job.input = NULL;
	note.size = count * sizeof(*marks);
	fd = marks ? bytes_make(marks, (size_t)note.size) : -1;
	if (fd >= 0) {
		sent = note_send(w->socket, &note, fd);
		close(fd);
	}
	free(marks);
	return sent;
}

/* Filters choose what each file is folded to; what is kept of that is read as it is. */
static struct tl_input_filter begin_target(struct worker *w)
{
	static const struct tl_input_options all = TL_INPUT_OPTIONS_DEFAULT;
	struct tl_input_filter *filter = &w->settings->input.filter, kept = *filter;

	*filter = all.filter;
	filter->function = kept.function;
	filter->object = kept.object;
	return kept;
}

static int add_target(struct worker *w, const char *path, struct tl_error *err)
{
	struct tl_input_filter kept = begin_target(w);
	char *target = mapping_target(w->options->restart, path);
	int status = target ? 0 : no_memory(err);

	if (status == 0)
		status = open_file(&w->job, target)
				 ? gather_opened(&w->job, w->gather, target, path, err)
				 : TL_BAD_FORMAT;
	w->settings->input.filter = kept;
	free(target);
	return status;
}

/* A profile file of each file, in a directory of --restart. */
static int map_unit(struct worker *w, const char *directory, struct tl_error *err)
{
	struct settings *settings = w->settings;
	struct tl_input_options kept = settings->input;
	int status;

	settings->input.filter.function = settings->input.filter.object = NULL;
	settings->input.formula_count = 0;
	settings->input.per_thread = true;
	status = map_files(&w->job, directory, err);
	settings->input = kept;
	return status;
}

/* What is to be said of a file was said when it was mapped. */
static void unsay(off_t said)
{
	if (ftruncate(STDERR_FILENO, said) == 0)
		lseek(STDERR_FILENO, said, SEEK_SET);
}

static int add_mapped(struct worker *w, struct tl_error *err)
{
	const struct settings *settings = w->settings;
	int status = map_unit(w, w->options->restart, err);
	size_t missing = w->job.missing;
	off_t said = lseek(STDERR_FILENO, 0, SEEK_END);

	for (size_t i = 0; status == 0 && i < settings->paths.list.count; i++) {
		char *target = mapping_target(w->options->restart, settings->paths.items[i]);

		/* What could not be mapped was said, and counted. */
		if (!target)
			status = no_memory(err);
		else if (!missing || !access(target, F_OK))
			status = add_target(w, settings->paths.items[i], err);
		free(target);
	}
	if (status == 0)
		unsay(said);
	return status;
}

static int add_files(struct worker *w, struct tl_error *err)
{
	struct command_job *job = &w->job;
	int status;

	if (w->options->restart)
		status = add_mapped(w, err);
	else
		status = gather_related(job, w->gather, err);
	tl_input_close(job->input);
	job->input = NULL;
	if (status < 0 && !job->error_shown)
		complain_error(w->settings->paths.items[0], err);
	return status;
}

static bool fold_one(struct worker *w, const struct note *asked)
{
	struct tl_error err = { .offset = TL_NOWHERE, .record = TL_NOWHERE };
	const char *path = w->settings->paths.items[0];
	int status;

	if (!open_file(&w->job, path))
		return answer(w, NOTE_FOLDED, asked, TL_BAD_FORMAT);
	if (tl_input_format(w->job.input)->joins_processes ||
	    (asked->flags & NOTE_LARGE && count_shares(w) > 1))
		return answer_kin(w, asked);
	if (w->options->restart) {
		progress_end(w->job.progress);
		tl_input_close(w->job.input);
		w->job.input = NULL;
		status = add_files(w, &err);
	} else {
		status = gather_opened(&w->job, w->gather, path, path, &err);
		tl_input_close(w->job.input);
		w->job.input = NULL;
		if (status < 0 && !w->job.error_shown)
			complain_error(path, &err);
	}
	return answer(w, NOTE_FOLDED, asked, status);
}

/* ---- runs of `diff` ---- */

static int fold_mapped_run(struct worker *w, const char *directory, const char *path,
			   struct tl_profile **profile, struct tl_error *err)
{
	char *target = mapping_target(directory, path);
	int status = target ? map_unit(w, directory, err) : no_memory(err);
	off_t said = lseek(STDERR_FILENO, 0, SEEK_END);

	if (status == 0) {
		struct tl_input_filter kept = begin_target(w);

		status = fold_file(&w->job, target, profile, err);
		w->settings->input.filter = kept;
		if (status == 0)
			unsay(said);
	}
	free(target);
	return status;
}

static int write_run(const struct tl_profile *profile, int fd, struct tl_error *err)
{
	struct tl_output *out = NULL;
	char path[64];
	int status;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	status = output_open(&out, path, err);
	if (status == 0)
		status = tl_exporter_find("tracelathe")->write(profile, NULL, out, err);
	if (status == 0)
		return output_commit(out, err);
	output_discard(out);
	return status;
}

/* The profile goes to the master as it is. */
static int send_run(struct worker *w, const struct tl_profile *profile, struct tl_error *err)
{
	struct note note = { .kind = NOTE_RUN, .life = w->life };
	int fd = bytes_make(NULL, 0), status = fd < 0 ? no_memory(err) : 0;

	if (status == 0)
		status = write_run(profile, fd, err);
	if (status == 0) {
		note.size = (uint64_t)lseek(fd, 0, SEEK_END);
		status = note_send(w->socket, &note, fd) ? 0 : TL_IO;
	}
	if (fd >= 0)
		close(fd);
	return status;
}

/* Answer with a profile, which is freed; negative status: there is none. */
static bool answer_run(struct worker *w, const struct note *asked, int status,
		       struct tl_profile *profile, struct tl_error *err)
{
	if (status == 0)
		status = send_run(w, profile, err);
	tl_profile_free(profile);
	tl_input_close(w->job.input);
	w->job.input = NULL;
	if (status < 0 && !w->job.error_shown)
		complain_error(w->settings->paths.items[0], err);
	return answer(w, NOTE_FOLDED, asked, status);
}

static bool fold_run(struct worker *w, const struct note *asked)
{
	struct tl_error err = { .offset = TL_NOWHERE, .record = TL_NOWHERE };
	struct settings *settings = w->settings;
	const struct tl_input_programs programs = settings->input.programs;
	const char *path = settings->paths.items[0], *directory = w->options->restart;
	struct tl_profile *profile = NULL;
	int status;

	if (asked->flags & NOTE_AFTER) {
		use_programs_after(settings);
		directory = w->options->restart_after;
	}
	status = directory ? fold_mapped_run(w, directory, path, &profile, &err)
			   : fold_file(&w->job, path, &profile, &err);
	settings->input.programs = programs;
	return answer_run(w, asked, status, profile, &err);
}

/* ---- --timeout ---- */

time_t worker_clock(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec;
}

/* A signal ends the worker in time, and the keeper does, should it be stopped. */
static void set_alarm(const struct worker *w)
{
	const unsigned seconds = w->options->timeout;

	alarm(seconds);
	*w->options->until = seconds ? worker_clock() + (time_t)seconds : 0;
}

static void unset_alarm(const struct worker *w)
{
	alarm(0);
	*w->options->until = 0;
}

/* ---- shares ---- */

/* Tell the master; `data` NULL: nothing but that. */
static int tell(struct worker *w, enum note_kind kind, const void *data, size_t size)
{
	const struct note note = { .kind = kind, .life = w->life, .size = size };
	int fd = data ? bytes_make(data, size) : -1, status = data && fd < 0 ? TL_NO_MEMORY : 0;

	if (status == 0 && !note_send(w->socket, &note, fd))
		status = TL_IO;
	if (fd >= 0)
		close(fd);
	return status;
}

/* No note but this one, and that there is no more to do, comes to a worker that waits for it. */
static int wait_for_others(struct worker *w, void **data, size_t *size)
{
	struct note note;
	int bytes = -1, status = TL_IO;

	*data = NULL;
	unset_alarm(w);
	while (note_receive(w->socket, &note, &bytes)) {
		w->quit |= note.kind == NOTE_QUIT;
		if (w->quit || (note.kind == NOTE_CHAIN && note.life == w->life))
			break;
		if (bytes >= 0)
			close(bytes);
		bytes = -1;
	}
	if (!w->quit && note.kind == NOTE_CHAIN && bytes >= 0 && note.status == 0)
		*data = bytes_read(bytes, (size_t)note.size);
	if (*data)
		status = 0;
	*size = (size_t)note.size;
	if (bytes >= 0)
		close(bytes);
	set_alarm(w);
	return status;
}

static int meet_others(void *arg, const void *mine, size_t size, void **all, size_t *all_size)
{
	int status = tell(arg, NOTE_MEET, mine, size);

	return status < 0 ? status : wait_for_others(arg, all, all_size);
}

static int take_before(void *arg, void **state, size_t *size)
{
	int status = tell(arg, NOTE_BEFORE, NULL, 0);

	return status < 0 ? status : wait_for_others(arg, state, size);
}

static int tell_after(void *arg, const void *state, size_t size)
{
	return tell(arg, NOTE_TOLD, state, size);
}

/*
 * Of a file that somebody writes to, shares that were read at different times are of no one file.
 * Where there is none, the size is one that no file has.
 */
static struct file_version version_of(const char *path)
{
	enum { SECOND = 1000000000 };
	struct stat file;

	if (stat(path, &file) < 0)
		return (struct file_version){ UINT64_MAX, 0 };
	return (struct file_version){ (uint64_t)file.st_size,
				      (uint64_t)file.st_mtim.tv_sec * SECOND +
					      (uint64_t)file.st_mtim.tv_nsec };
}

/* Whether somebody has written to the file since its share was begun. */
static bool is_written(const struct worker *w, const char *path)
{
	const struct file_version now = version_of(path);

	return !is_same_version(&now, &w->version);
}

/* A share of a file; whatever there is to be said is said of the whole file. */
static bool fold_share(struct worker *w, const struct note *asked)
{
	struct tl_error err = { .offset = TL_NOWHERE, .record = TL_NOWHERE };
	struct tl_input_options *input = &w->settings->input;
	struct tl_losses losses = { .saturated = 0 };
	const struct tl_share_chain chain = { meet_others, take_before, tell_after, w };
	const char *path = w->settings->paths.items[0];
	struct tl_profile *profile = NULL;
	int status;

	input->share = asked->share;
	input->shares = asked->shares;
	input->chain = &chain;
	w->version = version_of(path);
	status = open_file(&w->job, path) ? tl_input_fold(w->job.input, &profile, &err)
					  : TL_BAD_FORMAT;
	input->share = input->shares = 0;
	input->chain = NULL;
	if (status == 0) {
		tl_profile_losses(profile, &losses, sizeof(losses));
		w->job.damaged = tl_input_damage_count(w->job.input, NULL) || losses.saturated ||
				 is_written(w, path);
	}
	return answer_run(w, asked, status, profile, &err);
}

/* ---- units ---- */

static bool fold_unit(struct worker *w, const struct note *asked, int bytes)
{
	struct tl_error err = { .offset = TL_NOWHERE, .record = TL_NOWHERE };
	size_t count = (size_t)asked->size / sizeof(uint32_t);
	uint32_t *numbers = bytes_read(bytes, (size_t)asked->size);
	const char **paths = malloc((count + 1) * sizeof(*paths));
	struct tl_input_options *input = &w->settings->input;
	const enum tl_input_detail detail = input->detail;
	const unsigned jobs = input->jobs;
	bool sent = false;

	if (asked->flags & NOTE_AWAITED && w->options->large_jobs)
		input->jobs = w->options->large_jobs;
	/* Calls follow from the stacks of the sum, but not from what is kept as a file before. */
	if (w->settings->files.threads_together && !w->options->restart && asked->shares < 2)
		input->detail = TL_DETAIL_CONTEXTS;

	if (numbers && paths && count) {
		for (size_t i = 0; i < count; i++)
			paths[i] = w->paths[numbers[i] < w->path_count ? numbers[i] : 0];
		w->settings->paths.items = paths;
		w->settings->paths.list.count = count;
		set_alarm(w);
		if (asked->shares > 1)
			sent = fold_share(w, asked);
		else if (asked->flags & NOTE_RELATED)
			sent = answer(w, NOTE_FOLDED, asked, add_files(w, &err));
		else if (w->job.command->bit & C_DIFF)
			sent = fold_run(w, asked);
		else
			sent = fold_one(w, asked);
		unset_alarm(w);
		w->settings->paths.items = w->paths;
		w->settings->paths.list.count = w->path_count;
	}
	input->jobs = jobs;
	input->detail = detail;
	free(numbers);
	free(paths);
	return sent;
}

/* ---- sums ---- */

static int open_gather(struct worker *w, struct tl_error *err)
{
	enum { MEMORY = 512 };
	uint64_t megabytes = w->settings->files.memory_megabytes;
	/* The other half is for the file that is folded. */
	const struct tl_gather_options options = {
		.size = sizeof(options),
		.memory = (megabytes ? megabytes : MEMORY) << 19,
		.scratch = w->settings->files.scratch,
		.threads_together = w->settings->files.threads_together,
	};
	int status = tl_gather_open(&w->gather, &options, err);

	if (status == 0)
		tl_gather_threads(w->gather, w->settings->input.jobs);
	return status;
}

static void close_gather(struct worker *w)
{
	tl_gather_close(w->gather);
	w->gather = NULL;
	w->told_clock = false;
	for (size_t i = 0; i < w->added.list.count; i++)
		close(w->added.items[i]);
	w->added.list.count = 0;
}

/* Write to a descriptor, which stays open. */
typedef int write_fn(struct worker *w, struct tl_output *out, struct note *note,
		     struct tl_error *err);

static int write_to(struct worker *w, int fd, write_fn *write, struct note *note,
		    struct tl_error *err)
{
	struct tl_output *out = NULL;
	char path[64];
	int status;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	status = output_open(&out, path, err);
	if (status == 0)
		status = write(w, out, note, err);
	if (status == 0)
		status = output_commit(out, err);
	else if (out)
		output_discard(out);
	return status;
}

/* The sum of all, for which the others wait: their processors are its. */
static int write_all(struct worker *w, struct tl_output *out, struct note *note,
		     struct tl_error *err)
{
	struct tl_gathered gathered = { .size = sizeof(gathered) };
	int status;

	tl_gather_threads(w->gather, w->options->sum_jobs);
	status = tl_gather_write(w->gather, out, &gathered, sizeof(gathered), err);
	note->flags = gathered.flattened ? NOTE_FLATTENED : 0;
	return status;
}

/*
 * What is merged by another worker: profile files, one behind the other, then the size of each, and
 * how many there are.
 */
static int write_pieces(struct worker *w, struct tl_output *out, struct note *note,
			struct tl_error *err)
{
	struct tl_gather_passed passed = { .size = sizeof(passed) };
	uint64_t count;
	int status = tl_gather_reduce(w->gather, MOST_PIECES, err);

	if (status == 0)
		status = tl_gather_pass(w->gather, out, &passed, err);
	if (status < 0)
		return status;
	count = passed.count;
	tl_output_write(out, passed.sizes, passed.count * sizeof(*passed.sizes));
	tl_output_write(out, &count, sizeof(count));
	note->flags = passed.stacks ? NOTE_STACKS : 0;
	free(passed.sizes);
	return 0;
}

static bool give(struct worker *w, const struct note *asked)
{
	struct tl_error err = { .offset = TL_NOWHERE, .record = TL_NOWHERE };
	struct note sum = {
		.kind = asked->number < 0 ? NOTE_SUM : NOTE_ADD,
		.to = asked->number > 0 ? asked->number : 0,
		.life = asked->other_life,
		.transfer = asked->transfer,
	};
	int fd = make_scratch_file(w->settings);
	int status = TL_IO;

	if (fd < 0)
		complain(NULL, "cannot make a temporary file");
	else
		status = say(
			w,
			write_to(w, fd, asked->number < 0 ? write_all : write_pieces, &sum, &err),
			&err);
	close_gather(w);
	if (status == 0) {
		sum.size = (uint64_t)lseek(fd, 0, SEEK_END);
		status = note_send(w->socket, &sum, fd) ? 0 : TL_IO;
	}
	if (fd >= 0)
		close(fd);
	if (open_gather(w, &err) < 0)
		return false;
	return answer(w, NOTE_GAVE, asked, status);
}

static bool reduce(struct worker *w, const struct note *asked)
{
	struct tl_error err = { .offset = TL_NOWHERE, .record = TL_NOWHERE };
	int status = say(w, tl_gather_reduce(w->gather, MOST_PIECES, &err), &err);

	return answer(w, NOTE_REDUCED, asked, status);
}

/* Add an opened profile file; where a stream is not exact, as a profile. */
static int add_sum(struct tl_gather *gather, struct tl_input *input, struct tl_error *err)
{
	struct tl_profile *profile;
	int status = tl_gather_add_input(gather, input, err);

	if (status)
		return status < 0 ? status : 0;
	status = tl_input_fold(input, &profile, err);
	if (status == 0)
		status = tl_gather_add(gather, profile, err);
	tl_profile_free(profile);
	return status;
}

/* Numbers at the end of a file. */
static bool read_end(int fd, uint64_t *numbers, size_t count, uint64_t end)
{
	const size_t size = count * sizeof(*numbers);

	return end >= size && pread(fd, numbers, size, (off_t)(end - size)) == (ssize_t)size;
}

static int add_pieces(struct worker *w, const struct note *asked, int fd, struct tl_error *err)
{
	const unsigned stacks = asked->flags & NOTE_STACKS ? TL_GATHER_STACKS : 0;
	uint64_t count = 0, at = 0, end = asked->size, *sizes = NULL;
	int status = read_end(fd, &count, 1, end) ? 0 : TL_IO;

	end -= sizeof(count);
	if (status == 0 && count <= end / sizeof(*sizes))
		sizes = malloc((size_t)(count + 1) * sizeof(*sizes));
	if (status == 0 && (!sizes || !read_end(fd, sizes, (size_t)count, end)))
		status = no_memory(err);
	for (size_t i = 0; status == 0 && i < count; i++) {
		status = tl_gather_add_written(w->gather, fd, at, sizes[i], stacks, err);
		at += sizes[i];
	}
	free(sizes);
	return status;
}

static bool add_passed(struct worker *w, const struct note *asked, int bytes)
{
	struct tl_error err = { .offset = TL_NOWHERE, .record = TL_NOWHERE };
	int status = say(w, add_pieces(w, asked, bytes, &err), &err);

	return answer(w, NOTE_ADDED, asked, status);
}

/* The profile of a share, of which the bytes are kept. */
static bool add_share(struct worker *w, const struct note *asked, int bytes)
{
	struct tl_error err = { .offset = TL_NOWHERE, .record = TL_NOWHERE };
	int *kept = list_add(&w->added.list, sizeof(*kept));
	struct tl_input *input = NULL;
	char text[64];
	const char *path = text;
	int status = kept ? 0 : no_memory(&err);

	snprintf(text, sizeof(text), "/proc/self/fd/%d", bytes);
	if (status == 0) {
		*kept = bytes;
		status = tl_input_open(&input, &path, 1, NULL, NULL, &err);
	}
	if (status == 0)
		status = add_sum(w->gather, input, &err);
	tl_input_close(input);
	say(w, status, &err);
	return answer(w, NOTE_FOLDED, asked, status);
}

/* ---- a life ---- */

static bool serve(struct worker *w, const struct note *note, int bytes)
{
	bool ok = true;

	/* What was meant for a worker that died is done by another one. */
	if (note->life != w->life) {
		if (bytes >= 0)
			close(bytes);
		return true;
	}
	switch (note->kind) {
	case NOTE_FOLD:
		if (note->flags & NOTE_KEPT)
			return add_share(w, note, bytes);
		ok = fold_unit(w, note, bytes);
		break;
	case NOTE_GIVE:
		ok = give(w, note);
		break;
	case NOTE_ADD:
		ok = add_passed(w, note, bytes);
		break;
	case NOTE_REDUCE:
		ok = reduce(w, note);
		break;
	default:
		break;
	}
	if (bytes >= 0)
		close(bytes);
	return ok;
}

static void prepare(struct worker *w)
{
	struct tl_input_filter kept;

	w->settings->output.progress = WHEN_NEVER;
	/* The one directory, beside that of temporary files, that is written to. */
	w->settings->output.path = w->options->restart;
	w->paths = w->settings->paths.items;
	w->path_count = w->settings->paths.list.count;
	if (w->job.command->files == FILES_TOGETHER)
		settings_of_each(w->settings, &kept);
}

int worker_run(int socket, uint32_t life, const struct command *command, struct settings *settings,
	       const struct fleet_options *options)
{
	struct progress progress = { .enabled = false };
	struct worker w = {
		.socket = socket,
		.life = life,
		.job = { .command = command, .settings = settings, .progress = &progress },
		.settings = settings,
		.options = options,
	};
	struct note note;
	int bytes;
	bool ok;

	prepare(&w);
	ok = confine(settings, CONFINE_ANSWERS) && open_gather(&w, NULL) == 0;
	while (ok && note_receive(socket, &note, &bytes) && note.kind != NOTE_QUIT)
		ok = serve(&w, &note, bytes) && !w.quit;
	close_gather(&w);
	list_free(&w.added.list);
	return ok || w.quit ? EXIT_CLEAN : EXIT_UNUSABLE;
}
