/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The two files that SimPoint 3 writes, and the slices of the intervals that they name. A line of
 * the first is "INTERVAL CLUSTER", of the second "WEIGHT CLUSTER"; lines go together by clusters.
 */
#include "open/simpoints/simpoints.h"

#include <stdlib.h>
#include <string.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/sized.h"
#include "core/text/decimal.h"
#include "core/text/lines.h"
#include "open/format.h"
#include "open/input.h"

/* ---- a file ---- */

/* A line of either file, before they are put together. */
struct entry {
	struct tl_decimal value; /* an interval or a weight */
	uint64_t cluster;
	uint64_t line, offset;
};

struct entries {
	struct entry *list;
	size_t count, room;
};

static bool is_blank(uint8_t c)
{
	return c == ' ' || c == '\t';
}

/* The next word of a line; false: there is none. */
static bool take_word(const uint8_t **at, const uint8_t *stop, const uint8_t **word, size_t *size)
{
	while (*at < stop && is_blank(**at))
		++*at;
	*word = *at;
	while (*at < stop && !is_blank(**at))
		++*at;
	*size = (size_t)(*at - *word);
	return *size;
}

/* A number that is whole, not negative and fits 63 bits. */
static bool whole_number(const struct tl_decimal *number, uint64_t *value)
{
	bool exact = true;
	int64_t scaled = tl_decimal_scaled(number, 0, &exact);

	*value = (uint64_t)scaled;
	return exact && scaled >= 0 && scaled < INT64_MAX;
}

static bool parse_entry(const struct tl_lines *lines, struct entry *entry)
{
	const uint8_t *at = lines->start, *first, *second, *rest;
	struct tl_decimal cluster;
	size_t first_size, second_size, rest_size;

	return !lines->too_long && take_word(&at, lines->stop, &first, &first_size) &&
	       take_word(&at, lines->stop, &second, &second_size) &&
	       !take_word(&at, lines->stop, &rest, &rest_size) &&
	       tl_decimal_parse(first, first_size, &entry->value) &&
	       tl_decimal_parse(second, second_size, &cluster) &&
	       whole_number(&cluster, &entry->cluster);
}

static bool is_empty(const struct tl_lines *lines)
{
	const uint8_t *at = lines->start, *word;
	size_t size;

	return !lines->too_long && !take_word(&at, lines->stop, &word, &size);
}

static int add_line(struct entries *entries, const struct tl_lines *lines, const char *wrong,
		    struct tl_error *err)
{
	struct entry entry = { .line = lines->number - 1,
			       .offset = lines->offset + (uint64_t)(lines->whole - lines->buffer) };

	if (is_empty(lines))
		return 0;
	if (!parse_entry(lines, &entry))
		return tl_error_in(err, TL_BAD_FORMAT, entry.offset, entry.line, wrong);
	if (!tl_grow(&entries->list, &entries->room, entries->count + 1, sizeof(entry)))
		return tl_error_memory(err);
	entries->list[entries->count++] = entry;
	return 0;
}

static int by_cluster(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->cluster != y->cluster)
		return tl_compare(x->cluster, y->cluster);
	return tl_compare(x->line, y->line);
}

static int check_entries(struct entries *entries, struct tl_error *err)
{
	if (!entries->count)
		return tl_error_at(err, TL_BAD_FORMAT, 0, "no line is in this file of SimPoint");
	qsort(entries->list, entries->count, sizeof(*entries->list), by_cluster);
	for (size_t i = 1; i < entries->count; i++)
		if (entries->list[i].cluster == entries->list[i - 1].cluster)
			return tl_error_in(err, TL_BAD_FORMAT, entries->list[i].offset,
					   entries->list[i].line, "the cluster has a line already");
	return 0;
}

/* The entries of a file in the order of their clusters. */
static int read_entries(struct entries *entries, const char *path, const char *wrong,
			struct tl_error *err)
{
	struct tl_source *source = NULL;
	struct tl_lines lines = { 0 };
	int status = tl_source_open(&source, path, NULL, err);

	if (status == 0 && !tl_lines_begin(&lines, source))
		status = tl_error_memory(err);
	while (status == 0) {
		int more = tl_lines_next(&lines, err);

		if (more <= 0) {
			status = more;
			break;
		}
		status = add_line(entries, &lines, wrong, err);
	}
	tl_lines_end(&lines);
	tl_source_close(source);
	return status < 0 ? status : check_entries(entries, err);
}

/* ---- both together ---- */

struct files {
	struct entries simpoints, weights;
};

static int add_point(struct tl_simpoints *points, const struct entry *simpoint,
		     const struct entry *weight, struct tl_error *err)
{
	struct tl_simpoint point = { .cluster = simpoint->cluster };
	bool exact = true; /* digits beyond the twelfth are left out */

	if (!whole_number(&simpoint->value, &point.interval))
		return tl_error_in(err, TL_BAD_FORMAT, simpoint->offset, simpoint->line,
				   "an interval is a number from 0 on");
	point.weight = (double)tl_decimal_scaled(&weight->value, 12, &exact) / 1e12;
	points->weight += point.weight;
	points->list[points->count++] = point;
	return 0;
}

static int check_weight(const struct entry *weight, struct tl_error *err)
{
	bool exact = true;

	/* Also of a cluster whose weight was rounded to it. */
	if (weight->value.negative || tl_decimal_scaled(&weight->value, 9, &exact) > 1000000000)
		return tl_error_in(err, TL_BAD_FORMAT, weight->offset, weight->line,
				   "a weight is a share, from 0 to 1");
	return 0;
}

/* Both files have the same clusters. *failed: the one whose line is wrong. */
static int join(struct tl_simpoints *points, const struct files *files,
		const struct tl_simpoint_options *options, const char **failed,
		struct tl_error *err)
{
	const struct entries *s = &files->simpoints, *w = &files->weights;
	int status = 0;

	for (size_t i = 0; status == 0 && (i < s->count || i < w->count); i++) {
		const struct entry *point = i < s->count ? &s->list[i] : NULL,
				   *weight = i < w->count ? &w->list[i] : NULL;

		*failed = options->simpoints;
		if (point && (!weight || point->cluster < weight->cluster))
			return tl_error_in(err, TL_BAD_FORMAT, point->offset, point->line,
					   "the file of weights has no such cluster: do both files "
					   "come from one run?");
		*failed = options->weights;
		if (!point || weight->cluster < point->cluster)
			return tl_error_in(err, TL_BAD_FORMAT, weight->offset, weight->line,
					   "the file of simulation points has no such cluster: do "
					   "both files come from one run?");
		status = check_weight(weight, err);
		if (status < 0)
			return status;
		*failed = options->simpoints;
		status = add_point(points, point, weight, err);
	}
	return status;
}

static int read_files(struct tl_simpoints *points, struct files *files,
		      const struct tl_simpoint_options *options, const char **failed,
		      struct tl_error *err)
{
	int status;

	*failed = options->simpoints;
	status = read_entries(&files->simpoints, options->simpoints,
			      "not a line of SimPoint: an interval and its cluster", err);
	if (status < 0)
		return status;
	*failed = options->weights;
	status = read_entries(&files->weights, options->weights,
			      "not a line of SimPoint: a weight and its cluster", err);
	if (status < 0)
		return status;
	points->list = tl_zeroed(files->simpoints.count, sizeof(*points->list));
	if (!points->list)
		return tl_error_memory(err);
	points->room = files->simpoints.count;
	return join(points, files, options, failed, err);
}

/* ---- in the trace ---- */

static int by_interval(const void *a, const void *b)
{
	const struct tl_simpoint *x = a, *y = b;

	if (x->interval != y->interval)
		return tl_compare(x->interval, y->interval);
	if (x->cluster != y->cluster)
		return tl_compare(x->cluster, y->cluster);
	return tl_compare(x->thread, y->thread);
}

/* Points whose intervals are looked for: the first `count` of the list, in their order. */
struct search {
	struct tl_simpoints *points;
	size_t count;
	uint64_t found; /* intervals of the trace */
	bool no_memory;
};

static size_t first_of(const struct search *search, uint64_t interval)
{
	size_t low = 0, high = search->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (search->points->list[middle].interval < interval)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* A thread's interval of a point; each further thread's becomes a point of its own. */
static void take_found(void *arg, const struct tl_simpoint *found)
{
	struct search *search = arg;
	struct tl_simpoints *points = search->points;

	if (search->found <= found->interval)
		search->found = found->interval + 1;
	for (size_t i = first_of(search, found->interval);
	     i < search->count && points->list[i].interval == found->interval; i++) {
		struct tl_simpoint point = *found;
		bool other = points->list[i].thread != TL_NOWHERE;

		point.cluster = points->list[i].cluster;
		point.weight = points->list[i].weight;
		if (other && !tl_grow(&points->list, &points->room, points->count + 1,
				      sizeof(*points->list))) {
			search->no_memory = true;
			return;
		}
		points->list[other ? points->count++ : i] = point;
	}
}

static int locate_all(struct tl_simpoints *points, const struct tl_simpoint_options *options,
		      uint64_t *found, struct tl_error *err)
{
	struct search search = { .points = points, .count = points->count };
	int status;

	qsort(points->list, points->count, sizeof(*points->list), by_interval);
	for (size_t i = 0; i < points->count; i++)
		points->list[i].thread = TL_NOWHERE;
	status = points->input->format->locate(points->input, options, take_found, &search, err);
	status = (int)tl_input_unchanged(points->input, status, err);
	*found = search.found;
	if (status < 0)
		return status;
	qsort(points->list, points->count, sizeof(*points->list), by_interval);
	points->names = tl_zeroed(points->count, sizeof(*points->names));
	return search.no_memory ? tl_error_memory(err) : tl_error_unless_made(points->names, err);
}

static const struct entry *entry_of(const struct entries *entries, uint64_t cluster)
{
	const struct entry key = { .cluster = cluster };
	size_t low = 0;

	while (low < entries->count && entries->list[low].cluster != key.cluster)
		low++;
	return &entries->list[low];
}

static int locate(struct tl_simpoints *points, const struct files *files,
		  const struct tl_simpoint_options *options, const char **failed,
		  struct tl_error *err)
{
	const struct entry *entry;
	const struct tl_simpoint *last;
	uint64_t found = 0;
	int status;

	*failed = NULL;
	status = locate_all(points, options, &found, err);
	last = &points->list[points->count - 1];
	if (status < 0 || last->interval < found)
		return status;
	*failed = options->simpoints;
	entry = entry_of(&files->simpoints, last->cluster);
	return tl_error_in(err, TL_BAD_FORMAT, entry->offset, entry->line,
			   "the trace has no interval of this number: is it the trace, the thread "
			   "and the --interval of the vectors?");
}

static int open_points(struct tl_simpoints *points, const struct tl_simpoint_options *options,
		       const char **failed, struct tl_error *err)
{
	struct files files = { 0 };
	int status;

	if (!options->simpoints || !options->weights)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "simulation points are two files: intervals and weights");
	status = read_files(points, &files, options, failed, err);
	if (status == 0)
		status = locate(points, &files, options, failed, err);
	free(files.simpoints.list);
	free(files.weights.list);
	return status;
}

int tl_input_simpoints(struct tl_simpoints **points, struct tl_input *input,
		       const struct tl_simpoint_options *options, const char **failed,
		       struct tl_error *err)
{
	struct tl_simpoint_options taken;
	const char *about = NULL;
	int status = tl_input_check_size(options->size, sizeof(taken), err);

	*points = NULL;
	if (status == 0 && !input->format->locate)
		status = tl_error_format(err, input->format->info.name,
					 tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE,
						     "this format has no basic-block vectors that "
						     "SimPoint could have chosen from"));
	if (status == 0) {
		tl_take(&taken, sizeof(taken), options, options->size);
		*points = tl_zeroed(1, sizeof(**points));
		status = tl_error_unless_made(*points, err);
	}
	if (status == 0) {
		(*points)->input = input;
		status = open_points(*points, &taken, &about, err);
	}
	if (status < 0) {
		tl_simpoints_close(*points);
		*points = NULL;
	}
	if (failed)
		*failed = about;
	return status;
}

/* ---- asked afterwards ---- */

size_t tl_simpoints_count(const struct tl_simpoints *points, double *weight)
{
	if (weight)
		*weight = points->weight;
	return points->count;
}

int tl_simpoints_at(const struct tl_simpoints *points, size_t number, struct tl_simpoint *point,
		    size_t size)
{
	if (number >= points->count)
		return TL_BAD_USAGE;
	return tl_give(point, size, sizeof(*point), &points->list[number], sizeof(*point));
}

/* The slice ends at a snapshot where there is one, which its counts do not matter for. */
static struct tl_slice slice_of(const struct tl_simpoint *point)
{
	struct tl_slice slice = {
		.size = sizeof(slice),
		.snapshots = { 0, TL_NOWHERE },
		.instructions = { 0, TL_NOWHERE },
	};

	if (point->snapshot != TL_NOWHERE)
		slice.snapshots.from = point->snapshot;
	else
		slice.instructions.from = point->begin;
	if (point->end_snapshot != TL_NOWHERE)
		slice.snapshots.to = point->end_snapshot;
	else
		slice.instructions.to = point->end;
	return slice;
}

/* The slice is of the point's own stream, whichever the input's filter leaves. */
static int write_slice(struct tl_input *input, const struct tl_simpoint *point,
		       const struct tl_slice *slice, struct tl_output *out, struct tl_error *err)
{
	const uint64_t chosen = input->options.filter.thread;
	int status;

	input->options.filter.thread = point->thread;
	status = tl_input_slice(input, slice, out, err);
	input->options.filter.thread = chosen;
	return status;
}

int tl_simpoints_slice(struct tl_simpoints *points, size_t number, enum tl_slice_form form,
		       struct tl_output *out, struct tl_output *partner, const char *name,
		       struct tl_error *err)
{
	struct tl_slice slice;
	char *copy = NULL;
	int status;

	if (number >= points->count)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE, "no such simulation point");
	if (name) {
		copy = strdup(name);
		if (!copy)
			return tl_error_memory(err);
	}
	slice = slice_of(&points->list[number]);
	slice.form = form;
	slice.partner = partner;
	if (form == TL_SLICE_ELF && points->list[number].snapshot == TL_NOWHERE)
		status = tl_error_format(
			err, points->input->format->info.name,
			tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE,
				    "a program begins at a snapshot, and there is none so early"));
	else
		status = write_slice(points->input, &points->list[number], &slice, out, err);
	if (status < 0) {
		free(copy);
		return status;
	}
	free(points->names[number]);
	points->names[number] = copy;
	return status;
}

void tl_simpoints_close(struct tl_simpoints *points)
{
	if (!points)
		return;
	for (size_t i = 0; points->names && i < points->count; i++)
		free(points->names[i]);
	free(points->names);
	free(points->list);
	free(points);
}
