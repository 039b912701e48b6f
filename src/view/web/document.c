/* SPDX-License-Identifier: Apache-2.0 */
#include "view/web/document.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "core/error.h"

/* ---- the index, made on a thread of its own ---- */

static int index_progress(void *arg, uint64_t done, uint64_t total)
{
	struct tl_web_document *d = arg;

	/* Only once the index is there is anybody let near its input. */
	if (d->asker)
		return d->asker->gone && d->asker->gone(d->asker->arg);
	atomic_store(&d->done, done);
	atomic_store(&d->total, total);
	return atomic_load(&d->closing);
}

/* Files of fewer bytes are indexed, and their windows summed, in a moment. */
enum { LARGE_BYTES = 16 << 20, SUMS_NICENESS = 10 };

static bool is_large(const struct tl_web_document *document)
{
	return document->file.path_count == 1 && document->opened.bytes >= LARGE_BYTES;
}

static int close_progress(void *arg, uint64_t done, uint64_t total)
{
	(void)done, (void)total;
	return atomic_load(&((struct tl_web_document *)arg)->closing);
}

/*
 * Have the sums of all tiles made, which stay with the index: the first table of a long window
 * would wait for them. Pictures and tables that are asked for meanwhile go first.
 */
static void sum_tiles(struct tl_web_document *d, struct tl_call_index *index)
{
	const struct tl_call_span all = { .size = sizeof(all), .flat = true, .table = true };
	struct tl_input_options options = *d->file.options;
	struct tl_profile *profile = NULL;
	struct tl_calls_info info = { 0 };
	struct tl_input *input = NULL;
	struct tl_error err;

	tl_call_index_info(index, &info, sizeof(info));
	/* Of windows in seconds that are made of the file, nobody asks for sums of tiles. */
	if (options.per_thread || options.exact || (info.frequency && !info.profiled))
		return;
	options.progress = close_progress;
	options.progress_arg = d;
	setpriority(PRIO_PROCESS, 0, SUMS_NICENESS);
	if (tl_input_open(&input, d->file.paths, 1, &options, NULL, &err) == 0)
		tl_input_window(input, index, &all, &profile, &err);
	tl_profile_free(profile);
	tl_input_close(input);
}

static void *make_index(void *arg)
{
	struct tl_web_document *d = arg;
	struct tl_call_index *index = NULL;
	struct tl_error err = { 0 }, unkept = { 0 };
	int status = d->file.index_path ? tl_input_index_kept(d->input, d->file.index_path, &index,
							      &unkept, &err)
					: tl_input_index(d->input, &index, &err);

	if (unkept.status < 0)
		d->file.unkept(d->file.index_path, &unkept);

	pthread_mutex_lock(&d->lock);
	d->index = index;
	d->index_error = err;
	d->index_error.status = status;
	d->index_state = status < 0 ? TL_WEB_INDEX_NONE : TL_WEB_INDEX_READY;
	pthread_mutex_unlock(&d->lock);
	if (index && is_large(d))
		sum_tiles(d, index);
	return NULL;
}

/* ---- a sample of it, for the first picture ---- */

/* Without one, whoever looks waits for the index. */
static void *make_sample(void *arg)
{
	struct tl_web_document *d = arg;
	struct tl_input_options options = *d->file.options;
	struct tl_call_index *sample = NULL;
	struct tl_error err;

	options.progress = close_progress;
	options.progress_arg = d;
	if (tl_input_open(&d->sample_input, d->file.paths, 1, &options, NULL, &err) == 0)
		tl_input_index_sample(d->sample_input, &sample, &err);
	pthread_mutex_lock(&d->lock);
	d->sample = sample;
	pthread_mutex_unlock(&d->lock);
	return NULL;
}

struct tl_call_index *tl_web_document_picture(struct tl_web_document *document, bool *sampled,
					      struct tl_error *err)
{
	struct tl_call_index *index;

	pthread_mutex_lock(&document->lock);
	*sampled = document->index_state == TL_WEB_INDEX_BUSY && document->sample;
	index = document->sample;
	pthread_mutex_unlock(&document->lock);
	return *sampled ? index : tl_web_document_index(document, err);
}

struct tl_call_index *tl_web_document_index(struct tl_web_document *document, struct tl_error *err)
{
	struct tl_call_index *index;

	pthread_mutex_lock(&document->lock);
	index = document->index;
	if (document->index_state == TL_WEB_INDEX_BUSY)
		tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE, "the index is not made yet");
	else if (!index)
		*err = document->index_error;
	pthread_mutex_unlock(&document->lock);
	return index;
}

/* ---- the file ---- */

static int look_at_files(struct tl_web_document *document, const char **failed,
			 struct tl_error *err)
{
	const struct tl_web_file *file = &document->file;
	struct stat st;

	for (size_t i = 0; i < file->path_count; i++) {
		if (stat(file->paths[i], &st)) {
			*failed = file->paths[i];
			return tl_error_system(err, "cannot open");
		}
		document->opened.bytes += (uint64_t)st.st_size;
		if (!i && S_ISREG(st.st_mode))
			document->opened.written = st.st_mtime;
	}
	return 0;
}

int tl_web_document_open(struct tl_web_document *document, const struct tl_web_file *file,
			 const char **failed, struct tl_error *err)
{
	struct tl_input_options options = *file->options;
	int status;

	document->file = *file;
	pthread_mutex_init(&document->lock, NULL);
	pthread_mutex_init(&document->folding, NULL);
	pthread_mutex_init(&document->noting, NULL);
	options.progress = index_progress;
	options.progress_arg = document;
	status = tl_view_stamps_take(&document->opened.stamps, file->paths, file->path_count, err);
	if (status == 0)
		status = tl_input_open(&document->input, file->paths, file->path_count, &options,
				       failed, err);
	if (status == 0)
		status = look_at_files(document, failed, err);
	if (status < 0)
		return status;
	if (is_large(document))
		document->sampling =
			!pthread_create(&document->sampler, NULL, make_sample, document);
	document->indexing = !pthread_create(&document->indexer, NULL, make_index, document);
	if (!document->indexing)
		return tl_error_memory(err);
	return 0;
}

void tl_web_document_close(struct tl_web_document *document)
{
	atomic_store(&document->closing, true);
	if (document->indexing)
		pthread_join(document->indexer, NULL);
	if (document->sampling)
		pthread_join(document->sampler, NULL);
	tl_web_profiles_free(document);
	tl_view_points_free(document->points);
	tl_call_index_close(document->index);
	tl_input_close(document->input);
	tl_call_index_close(document->sample);
	tl_input_close(document->sample_input);
	tl_view_stamps_free(&document->opened.stamps);
	pthread_mutex_destroy(&document->lock);
	pthread_mutex_destroy(&document->folding);
	pthread_mutex_destroy(&document->noting);
}

static int asker_progress(void *arg, uint64_t done, uint64_t total)
{
	const struct tl_web_asker *asker = arg;

	(void)done, (void)total;
	return asker->gone && asker->gone(asker->arg);
}

/* A window has ticks alone, which only the index knows. */
static int no_seconds(struct tl_web_document *document, struct tl_error *err)
{
	struct tl_error why = { .status = TL_OK };

	if (!tl_web_document_index(document, &why)) {
		*err = why;
		return why.status;
	}
	return tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE,
			   "the rate of the trace's clock is not known, so that this is told "
			   "of all of it only");
}

int tl_web_document_reopen(struct tl_web_document *document, const struct tl_web_asker *asker,
			   const struct tl_web_window *window, enum tl_input_detail detail,
			   struct tl_input **input, struct tl_error *err)
{
	struct tl_input_options options = *document->file.options;

	options.progress = asker_progress;
	options.progress_arg = (void *)asker;
	options.detail = detail;
	if (window->to_ticks && !(window->to > 0))
		return no_seconds(document, err);
	if (window->from > 0 || window->to > 0) {
		options.filter.from_seconds = window->from;
		options.filter.to_seconds = window->to;
	}
	return tl_input_open(input, document->file.paths, document->file.path_count, &options, NULL,
			     err);
}

int tl_web_document_part(struct tl_web_document *document, const struct tl_web_asker *asker,
			 const struct tl_web_part *part, struct tl_input **input,
			 struct tl_error *err)
{
	struct tl_input_options options = *document->file.options;

	options.progress = asker_progress;
	options.progress_arg = (void *)asker;
	options.dump.flags = TL_DUMP_INSTRUCTIONS;
	options.dump.ordinals = part->ordinals;
	options.filter.thread = part->thread;
	options.filter.from_seconds = part->from;
	options.filter.to_seconds = part->to;
	return tl_input_open(input, document->file.paths, document->file.path_count, &options, NULL,
			     err);
}

/* ---- events and counters ---- */

static int gather_points(struct tl_web_document *document, const struct tl_web_asker *asker,
			 uint64_t origin, struct tl_error *err)
{
	const struct tl_web_window all = { 0 };
	struct tl_input *input = NULL;
	int status =
		tl_web_document_reopen(document, asker, &all, TL_DETAIL_FUNCTIONS, &input, err);

	if (status == 0)
		status = tl_view_points_gather(input, origin, &document->points, err);
	tl_input_close(input);
	return status;
}

int tl_web_document_points(struct tl_web_document *document, const struct tl_web_asker *asker,
			   const struct tl_view_points **points, struct tl_error *err)
{
	struct tl_call_index *index = tl_web_document_index(document, err);
	struct tl_calls_info info = { 0 };
	int status = 0;

	if (!index)
		return err->status;
	tl_call_index_info(index, &info, sizeof(info));
	pthread_mutex_lock(&document->noting);
	if (!document->points)
		status = gather_points(document, asker, info.origin, err);
	*points = document->points;
	pthread_mutex_unlock(&document->noting);
	return status;
}

/* ---- all files ---- */

int tl_web_view_open(struct tl_web_view **view, const struct tl_web_file *files, size_t count,
		     const char **failed, struct tl_error *err)
{
	struct tl_web_view *v = calloc(1, sizeof(*v));
	int status = 0;

	*view = NULL;
	if (!v)
		return tl_error_memory(err);
	for (; v->count < count && status == 0; v->count++) {
		*failed = files[v->count].paths[0];
		status = tl_web_document_open(&v->documents[v->count], &files[v->count], failed,
					      err);
	}
	if (status < 0)
		tl_web_view_close(v);
	else
		*view = v;
	return status;
}

void tl_web_view_close(struct tl_web_view *view)
{
	if (!view)
		return;
	for (size_t i = 0; i < view->count; i++)
		tl_web_document_close(&view->documents[i]);
	free(view);
}

void tl_web_look_for_sources(struct tl_web_view *view, const char *const *folders, size_t count)
{
	view->source_dirs = folders;
	view->source_dir_count = count;
}
