/* SPDX-License-Identifier: Apache-2.0 */
/* Opening and closing a trace. */
#include "perf_data/auxtrace/pt_info.h"
#include "perf_data/auxtrace/trace.h"

static const struct tl_perf_trace_options defaults = {
	.size = sizeof(defaults),
	.process = TL_NOWHERE,
	.thread = TL_NOWHERE,
	.cpu = TL_NOWHERE,
};

/*
 * The directory in which relative paths are looked for, for free(); NULL: the source has none, or
 * no memory (`*failed`).
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

/* Give the parts of a trace the options and tables of the reader that they use. */
static void link_parts(struct tl_perf_trace *t)
{
	const struct tl_perf_trace_options *o = &t->options;

	t->sys.search = (struct tl_perf_file_search){
		.header = &t->reader->header,
		.build_ids = &t->reader->build_ids,
		.sysroot = o->sysroot,
		.build_id_dirs = o->build_id_dirs,
		.build_id_dir_count = o->build_id_dir_count,
		.programs = o->programs,
		.program_count = o->program_count,
		.directory = t->sys.search.directory,
		.input = tl_source_name(t->source),
		.no_files = o->no_files,
		.guest_root = o->guest_root,
		.debuginfod = o->debuginfod,
	};
	t->spaces.sys = &t->sys;
	t->spaces.guests = true;
	t->aux.reader = t->reader;
	t->aux.info = &t->info;
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
	t->sys.search.directory = directory_of(t, &failed);
	t->spaces.cache = tl_pt_cache_open(NULL);
	if (failed || !t->spaces.cache || tl_names_add(&t->sys.names, "", 0) == TL_NONE)
		return tl_error_memory(err);
	status = tl_perf_open(&t->reader, t->source, &options, err);
	if (status < 0)
		return status;
	link_parts(t);
	status = tl_perf_load_records(t, err);
	if (status < 0)
		return status;
	if (!t->have_info)
		return tl_error_at(
			err, TL_UNSUPPORTED, TL_NOWHERE,
			"a perf.data file without Intel PT: it holds no calls, branches or "
			"instructions one by one; profiles are made of its samples, if it "
			"has any, and `info`, `check` and `dump` read it");
	tl_perf_configure_decoder(t);
	return tl_perf_sort_streams(&t->aux, err);
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
	t->aux.spool.fd = -1;
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
	tl_perf_slice_walks_free(t);
	tl_perf_handovers_free(t);
	tl_perf_address_spaces_free(&t->spaces);
	tl_perf_aux_data_free(&t->aux);
	tl_perf_system_free(&t->sys);
	tl_name_list_free(&t->kernel_names.list);
	for (size_t i = 0; i < t->guest_names.count; i++)
		tl_name_list_free(&t->guest_names.list[i].list);
	free(t->guest_names.list);
	free(t->outputs.list);
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
	*count = t->spaces.missing.count;
	return t->spaces.missing.list;
}

bool tl_perf_trace_ns(const struct tl_perf_trace *t, uint64_t tsc, uint64_t *ns)
{
	return tl_perf_pt_info_ns(&t->info, tsc, ns);
}

bool tl_perf_trace_tsc(const struct tl_perf_trace *t, uint64_t ns, uint64_t *tsc)
{
	return tl_perf_pt_info_tsc(&t->info, ns, tsc);
}
