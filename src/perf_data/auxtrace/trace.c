/* SPDX-License-Identifier: Apache-2.0 */
/* Opening and closing a trace. */
#include "perf_data/processes/trace.h"

static const struct tl_perf_trace_options defaults = {
	.size = sizeof(defaults),
	.process = TL_NOWHERE,
	.thread = TL_NOWHERE,
	.cpu = TL_NOWHERE,
};

/*
 * The directory of the file, for names that are relative; NULL: it has none, or no memory
 * (`failed`).
 */
static char *directory_of(const struct tl_perf_trace *t, bool *failed)
{
	const char *path = t->options.directory;
	const char *slash = NULL;
	char *directory = NULL;

	if (path) {
		directory = strdup(path);
		*failed = !directory;
		return directory;
	}
	path = tl_source_name(t->source);
	slash = strrchr(path, '/');
	if (slash) {
		directory = strndup(path, slash == path ? 1 : (size_t)(slash - path));
		*failed = !directory;
	}
	return directory;
}

static int open_parts(struct tl_perf_trace *t, struct tl_error *err)
{
	const struct tl_perf_options options = {
		.size = sizeof(options),
		.strict = t->options.strict,
		.in_order = true,
	};
	bool failed = false;
	int status;

	t->info.filter = "";
	t->directory = directory_of(t, &failed);
	t->cache = tl_pt_cache_open(NULL);
	if (failed || !t->cache || tl_names_add(&t->names, "", 0) == TL_NONE)
		return tl_error_memory(err);
	status = tl_perf_open(&t->reader, t->source, &options, err);
	if (status == 0)
		status = tl_perf_load_records(t, err);
	if (status < 0)
		return status;
	if (!t->have_info)
		return tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE,
				   "a perf.data file without Intel PT: `info`, `check` and `dump` "
				   "read it");
	tl_perf_configure_decoder(t);
	return tl_perf_sort_streams(t, err);
}

int tl_perf_trace_open(struct tl_perf_trace **trace, struct tl_source *source,
		       const struct tl_perf_trace_options *options, struct tl_error *err)
{
	struct tl_perf_trace *t = calloc(1, sizeof(*t));
	int status;

	*trace = NULL;
	if (!t)
		return tl_error_memory(err);
	t->options = defaults;
	t->spool = -1;
	t->source = source;
	if (options)
		memcpy(&t->options, options,
		       options->size < sizeof(t->options) ? options->size : sizeof(t->options));
	status = open_parts(t, err);
	if (status < 0) {
		tl_perf_trace_close(t);
		return tl_error_format(err, "perf", status);
	}
	*trace = t;
	return 0;
}

void tl_perf_trace_close(struct tl_perf_trace *t)
{
	if (!t)
		return;
	tl_perf_walks_free(t);
	tl_perf_address_spaces_free(t);
	tl_perf_streams_free(t);
	tl_perf_processes_free(t);
	free(t->objects);
	tl_index_free(&t->object_index);
	tl_names_free(&t->names);
	free(t->directory);
	tl_perf_close(t->reader);
	free(t);
}

const struct tl_perf_pt_info *tl_perf_trace_info(const struct tl_perf_trace *t)
{
	return &t->info;
}

struct tl_perf_reader *tl_perf_trace_reader(struct tl_perf_trace *t)
{
	return t->reader;
}

const struct tl_perf_missing_code *tl_perf_trace_missing(const struct tl_perf_trace *t,
							 size_t *count)
{
	*count = t->missing_count;
	return t->missing;
}
