/* SPDX-License-Identifier: Apache-2.0 */
/* Opening a trace: which files make a stream, and what each is. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/sized.h"
#include "xtrace/format/file_name.h"
#include "xtrace/format/numbered.h"
#include "xtrace/format/snapshot.h"

/* A file that was given. */
struct given {
	const struct tl_xtrace_file *file;
	struct tl_xtrace_file_name name;
	struct tl_source *source;
	bool own;
	const uint8_t *data;
	size_t size;
};

struct opening {
	struct tl_xtrace_trace *trace;
	struct given *given;
	size_t count;
	const char *failed; /* the path an error is about */
};

/* ---- the given files ---- */

static int open_given(struct opening *o, struct given *g, const struct tl_xtrace_file *file,
		      struct tl_error *err)
{
	int status = 0;

	g->file = file;
	o->failed = file->path;
	tl_xtrace_file_name_parse(file->path, &g->name);
	g->source = file->source;
	g->own = !file->source;
	if (g->own)
		status = tl_source_open(&g->source, file->path, NULL, err);
	/* Numbered files are mapped as one. */
	if (status == 0 && !g->name.numbered)
		status = tl_source_map(g->source, &g->data, &g->size, err);
	if (status < 0 || g->name.kind != TL_XTRACE_FILE_UNKNOWN)
		return status;
	g->name.kind = tl_xtrace_probe_snapshots(g->data, g->size) ? TL_XTRACE_FILE_SNAPSHOTS
								   : TL_XTRACE_FILE_STREAM;
	return 0;
}

/* By start time, then thread or core, then path: the order of streams does not depend on that of
 * the arguments. */
static int compare_given(const void *a, const void *b)
{
	const struct given *x = a, *y = b;
	size_t least = x->name.timestamp_size < y->name.timestamp_size ? x->name.timestamp_size
								       : y->name.timestamp_size;
	int order = memcmp(x->name.timestamp, y->name.timestamp, least);

	if (!order && x->name.timestamp_size != y->name.timestamp_size)
		order = tl_compare(x->name.timestamp_size, y->name.timestamp_size);
	if (!order && x->name.id != y->name.id)
		order = tl_compare(x->name.id, y->name.id);
	if (!order)
		order = strncmp(x->file->path, y->file->path, tl_max(x->name.stem, y->name.stem));
	if (!order)
		order = (int)x->name.kind - (int)y->name.kind;
	return order ? order : tl_compare(x->name.number, y->name.number);
}

static bool same_stem(const struct given *a, const struct given *b)
{
	return a->name.stem && a->name.stem == b->name.stem &&
	       !memcmp(a->file->path, b->file->path, a->name.stem);
}

/* ---- streams ---- */

/* Where a stream keeps one of its two files. */
struct slot {
	char **path;
	struct tl_source **source;
	bool *own;
	const uint8_t **data;
	size_t *size;
};

static struct slot slot_of(struct tl_xtrace_stream *s, bool snapshots)
{
	if (snapshots)
		return (struct slot){ &s->snapshot_path, &s->snapshot_source,
				      &s->own_snapshot_source, &s->snapshots, &s->snapshots_size };
	return (struct slot){ &s->path, &s->source, &s->own_source, &s->data, &s->size };
}

static struct slot given_slot(struct tl_xtrace_stream *s, const struct given *g)
{
	return slot_of(s, g->name.kind == TL_XTRACE_FILE_SNAPSHOTS);
}

static void give_file(struct tl_xtrace_stream *s, struct given *g)
{
	struct slot slot = given_slot(s, g);

	*slot.source = g->source;
	*slot.own = g->own;
	*slot.data = g->data;
	*slot.size = g->size;
	g->source = NULL;
}

/* The numbered files of a stream that were given, by number. */
static int give_numbered(struct tl_xtrace_stream *s, struct given *first, size_t count,
			 struct tl_error *err)
{
	for (struct given *g = first; g < first + count; g++) {
		struct tl_source *source = g->source;

		g->source = NULL;
		if (tl_xtrace_numbered_add(s, source, g->own, g->name.number, err) < 0)
			return TL_NO_MEMORY;
	}
	return 0;
}

static bool name_stream(struct tl_xtrace_stream *s, const struct given *g)
{
	char **path = given_slot(s, g).path;

	if (!*path)
		*path = strdup(g->file->path);
	if (!s->timestamp)
		s->timestamp = strndup(g->name.timestamp, g->name.timestamp_size);
	s->info.id = g->name.hint ? g->name.id : TL_NOWHERE;
	s->info.hint = g->name.hint;
	return *path && s->timestamp;
}

/* The other file of a pair, if it stands beside the given one. One that cannot be read is a fault.
 */
static int open_partner(struct opening *o, struct tl_xtrace_stream *s, const struct given *g,
			struct tl_error *err)
{
	bool no_memory;
	char *path = tl_xtrace_file_name_partner(g->file->path, &g->name, &no_memory);
	struct slot slot = slot_of(s, g->name.kind != TL_XTRACE_FILE_SNAPSHOTS);
	struct tl_xtrace_file_name name;
	struct tl_source *source = NULL;
	struct tl_error why = { .status = TL_OK };
	int status;

	if (no_memory)
		return tl_error_memory(err);
	if (!path)
		return 0;
	*slot.path = path;
	tl_xtrace_file_name_parse(path, &name);
	status = tl_source_open(&source, path, NULL, &why);
	if (status == 0 && name.numbered) {
		status = tl_xtrace_numbered_add(s, source, true, name.number, err);
		return status < 0 ? status : tl_xtrace_numbered_join(o->trace, s, err);
	}
	if (status == 0)
		status = tl_source_map(source, slot.data, slot.size, &why);
	*slot.source = source;
	*slot.own = true;
	if (status == 0 || status == TL_NO_MEMORY || o->trace->options.strict) {
		if (status < 0) {
			o->failed = path;
			if (err)
				*err = why;
		}
		return status;
	}
	struct tl_xtrace_fault fault = { status, "the other file of the pair cannot be read",
					 path,   0,
					 0,      TL_NOWHERE };

	return tl_xtrace_note_fault(&o->trace->faults, &fault, err);
}

/* `first`: `numbered` files of a stream, or one without a number. */
static int add_stream(struct opening *o, struct given *first, size_t numbered, struct given *second,
		      struct tl_error *err)
{
	struct tl_xtrace_stream *s = &o->trace->streams[o->trace->stream_count++];
	int status = 0;

	o->failed = first->file->path;
	if (!name_stream(s, first) || (second && !name_stream(s, second)))
		return tl_error_memory(err);
	if (numbered) {
		status = give_numbered(s, first, numbered, err);
		if (status == 0)
			status = tl_xtrace_numbered_join(o->trace, s, err);
		if (status < 0)
			return status;
	} else {
		give_file(s, first);
	}
	if (second)
		give_file(s, second);
	else if (!o->trace->options.alone)
		status = open_partner(o, s, first, err);
	return status;
}

/* A pair whose names say nothing: one of each. */
static bool is_nameless_pair(const struct opening *o)
{
	return o->count == 2 && !same_stem(&o->given[0], &o->given[1]) &&
	       (!o->given[0].name.stem || !o->given[1].name.stem) &&
	       o->given[0].name.kind != o->given[1].name.kind;
}

/* How many numbered files of one stream stand there, by number. */
static size_t count_numbered(const struct opening *o, size_t at)
{
	const struct given *first = &o->given[at];
	size_t count = first->name.numbered;

	while (count && at + count < o->count && first[count].name.numbered &&
	       same_stem(first, &first[count]) &&
	       first[count].name.number != first[count - 1].name.number)
		count++;
	return count;
}

static int make_streams(struct opening *o, struct tl_error *err)
{
	bool nameless = is_nameless_pair(o);

	qsort(o->given, o->count, sizeof(*o->given), compare_given);
	o->trace->streams = calloc(o->count, sizeof(*o->trace->streams));
	if (!o->trace->streams)
		return tl_error_memory(err);
	for (size_t i = 0; i < o->count;) {
		size_t numbered = count_numbered(o, i), files = numbered ? numbered : 1;
		struct given *first = &o->given[i],
			     *next = i + files < o->count ? first + files : NULL;
		bool pair = next && (nameless || same_stem(first, next));
		int status;

		if (pair && first->name.kind == next->name.kind) {
			o->failed = next->file->path;
			return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
					   "the same part of a trace was given twice");
		}
		status = add_stream(o, first, numbered, pair ? next : NULL, err);
		if (status < 0)
			return status;
		i += files + pair;
	}
	return 0;
}

/* ---- what a stream is ---- */

static const uint8_t no_bytes[1];

static int describe_missing(struct tl_xtrace_trace *trace, const struct tl_xtrace_stream *s,
			    struct tl_error *err)
{
	struct tl_xtrace_fault fault = {
		TL_IO,
		"the instruction stream of these snapshots is missing (....xinsndata.bin beside "
		"it); only "
		"snapshots can be shown",
		s->info.snapshot_path,
		TL_NOWHERE,
		0,
		TL_NOWHERE,
	};

	if (s->source)
		return 0;
	if (trace->options.strict) {
		tl_error_at(err, TL_IO, TL_NOWHERE, fault.text);
		if (err)
			err->sys_errno = ENOENT;
		return TL_IO;
	}
	return tl_xtrace_note_fault(&trace->faults, &fault, err);
}

static int open_stream(struct opening *o, struct tl_xtrace_stream *s,
		       const struct tl_xtrace_given_layout *forced, struct tl_error *err)
{
	int status;

	if (!s->data)
		s->data = no_bytes;
	s->info.path = s->path;
	s->info.snapshot_path = s->snapshot_path;
	s->info.timestamp = s->timestamp;
	s->info.layout = &s->layout;
	s->info.bytes = s->size;
	s->info.snapshot_bytes = s->snapshots_size;
	if (s->info.id == TL_NOWHERE)
		s->info.id = (uint64_t)(s - o->trace->streams);
	o->failed = s->path ? s->path : s->snapshot_path;
	status = describe_missing(o->trace, s, err);
	if (status == 0) {
		o->failed = s->snapshot_path ? s->snapshot_path : s->path;
		status = tl_xtrace_snapshots_open(o->trace, s, forced, err);
	}
	if (status == 0) {
		o->failed = s->path ? s->path : s->snapshot_path;
		status = tl_xtrace_tokens_probe(o->trace, s, forced, err);
	}
	if (status < 0)
		return status;
	return tl_xtrace_segments_make(o->trace, s, err);
}

/* ---- open and close ---- */

static int open_files(struct opening *o, const struct tl_xtrace_file *files, size_t count,
		      struct tl_error *err)
{
	struct tl_xtrace_given_layout forced;
	int status = tl_xtrace_given_layout_parse(o->trace->options.layout, &forced, err);

	if (!count)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE, "no input");
	o->given = calloc(count, sizeof(*o->given));
	if (!o->given)
		return tl_error_memory(err);
	for (; status == 0 && o->count < count; o->count++)
		status = open_given(o, &o->given[o->count], &files[o->count], err);
	if (status == 0)
		status = make_streams(o, err);
	for (uint32_t i = 0; status == 0 && i < o->trace->stream_count; i++)
		status = open_stream(o, &o->trace->streams[i], &forced, err);
	return status;
}

static void close_given(struct opening *o)
{
	for (size_t i = 0; i < o->count; i++)
		if (o->given[i].own)
			tl_source_close(o->given[i].source);
	free(o->given);
}

/* The path of an error, as one of the arguments: strings of the trace go with it. */
static const char *failed_argument(const struct opening *o, const struct tl_xtrace_file *files,
				   size_t count)
{
	for (size_t i = 0; o->failed && i < count; i++)
		if (!strcmp(files[i].path, o->failed))
			return files[i].path;
	return count ? files[0].path : NULL;
}

int tl_xtrace_open(struct tl_xtrace_trace **trace, const struct tl_xtrace_file *files, size_t count,
		   const struct tl_xtrace_options *options, const char **failed,
		   struct tl_error *err)
{
	struct opening o = { .trace = calloc(1, sizeof(*o.trace)) };
	int status = 0;

	*trace = NULL;
	if (!o.trace)
		return tl_error_memory(err);
	o.trace->format = "xtrace";
	pthread_mutex_init(&o.trace->progress, NULL);
	if (options)
		status = tl_take_options(&o.trace->options, sizeof(o.trace->options),
					 sizeof(*options), options, options->size, err);
	if (status == 0)
		status = open_files(&o, files, count, err);
	close_given(&o);
	if (status < 0) {
		if (failed)
			*failed = failed_argument(&o, files, count);
		tl_xtrace_close(o.trace);
		return tl_error_format(err, "xtrace", status);
	}
	o.trace->open_faults = o.trace->faults;
	/* Texts of the options are the caller's and were used up. */
	o.trace->options.layout = o.trace->options.skip_unknown = NULL;
	*trace = o.trace;
	return 0;
}

static void close_stream(struct tl_xtrace_stream *s)
{
	if (s->own_source)
		tl_source_close(s->source);
	if (s->own_snapshot_source)
		tl_source_close(s->snapshot_source);
	tl_xtrace_numbered_close(s);
	free(s->path);
	free(s->snapshot_path);
	free(s->timestamp);
	free(s->segments);
}

const struct tl_source *tl_xtrace_own_source(const struct tl_xtrace_trace *trace, size_t number)
{
	for (uint32_t i = 0; i < trace->stream_count; i++) {
		const struct tl_xtrace_stream *s = &trace->streams[i];

		if (s->own_source && s->source && !number--)
			return s->source;
		if (s->own_snapshot_source && s->snapshot_source && !number--)
			return s->snapshot_source;
		for (size_t k = 1; k < s->file_count; k++)
			if (s->files[k].own && !number--)
				return s->files[k].source;
	}
	return NULL;
}

void tl_xtrace_close(struct tl_xtrace_trace *trace)
{
	if (!trace)
		return;
	for (uint32_t i = 0; i < trace->stream_count; i++)
		close_stream(&trace->streams[i]);
	for (uint32_t i = 0; trace->lengths && i < trace->stream_count; i++)
		free(trace->lengths[i].list);
	free(trace->lengths);
	free(trace->streams);
	free(trace->faults.list);
	pthread_mutex_destroy(&trace->progress);
	free(trace);
}

/* ---- facts about an opened trace ---- */

uint32_t tl_xtrace_stream_count(const struct tl_xtrace_trace *trace)
{
	return trace->stream_count;
}

const struct tl_xtrace_stream_info *tl_xtrace_stream(const struct tl_xtrace_trace *trace,
						     uint32_t stream)
{
	return &trace->streams[stream].info;
}

/* Where a snapshot that has only a number is: its segment. */
static uint64_t located(const struct tl_xtrace_stream *s, uint32_t number)
{
	size_t low = 0, high = s->segment_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (s->segments[middle].snapshot != TL_NONE &&
		    s->segments[middle].snapshot >= number)
			high = middle;
		else
			low = middle + 1;
	}
	return low < s->segment_count && s->segments[low].snapshot == number
		       ? s->segments[low].begin
		       : TL_NOWHERE;
}

int tl_xtrace_read_snapshot(const struct tl_xtrace_trace *trace, uint32_t stream, uint32_t number,
			    struct tl_xtrace_snapshot *snapshot)
{
	const struct tl_xtrace_stream *s;

	if (stream >= trace->stream_count || number >= trace->streams[stream].info.snapshots)
		return TL_BAD_USAGE;
	s = &trace->streams[stream];
	tl_xtrace_snapshot_decode(s, number, snapshot);
	if (s->info.ordinals)
		snapshot->offset = located(s, number);
	return 0;
}

int tl_xtrace_snapshot_read(const struct tl_xtrace_trace *trace, uint32_t stream, uint32_t number,
			    struct tl_xtrace_snapshot *snapshot, size_t size)
{
	struct tl_xtrace_snapshot s;
	int status = tl_xtrace_read_snapshot(trace, stream, number, &s);

	if (status < 0)
		return status;
	return tl_give(snapshot, size, sizeof(s), &s, sizeof(s));
}
