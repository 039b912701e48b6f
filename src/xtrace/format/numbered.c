/* SPDX-License-Identifier: Apache-2.0 */
#include "xtrace/format/numbered.h"

#include <stdlib.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/source.h"
#include "xtrace/format/file_name.h"
#include "xtrace/format/snapshot.h"

int tl_xtrace_numbered_add(struct tl_xtrace_stream *s, struct tl_source *source, bool own,
			   uint32_t number, struct tl_error *err)
{
	if (!tl_grow(&s->files, &s->file_capacity, s->file_count + 1, sizeof(*s->files))) {
		if (own)
			tl_source_close(source);
		return tl_error_memory(err);
	}
	s->files[s->file_count++] =
		(struct tl_xtrace_numbered){ .source = source, .own = own, .number = number };
	return 0;
}

static bool has(const struct tl_xtrace_stream *s, size_t count, uint32_t number)
{
	for (size_t i = 0; i < count; i++)
		if (s->files[i].number == number)
			return true;
	return false;
}

/* File `number`, if it stands beside the given ones. 1: it does; 0; or a negative status. */
static int look_for(struct tl_xtrace_stream *s, const struct tl_xtrace_file_name *name,
		    uint32_t number, struct tl_error *err)
{
	struct tl_source *source;
	bool no_memory;
	char *path = tl_xtrace_file_name_numbered(s->path, name, number, &no_memory);
	int status;

	if (!path)
		return no_memory ? tl_error_memory(err) : 0;
	status = tl_source_open(&source, path, NULL, err);
	free(path);
	if (status == 0)
		status = tl_xtrace_numbered_add(s, source, true, number, err);
	return status < 0 ? status : 1;
}

/* Files that are missing one behind the other before no others are looked for. */
enum { MOST_MISSING = 16 };

static int look_for_others(struct tl_xtrace_stream *s, struct tl_error *err)
{
	const size_t given = s->file_count;
	const uint32_t last = s->files[given - 1].number;
	struct tl_xtrace_file_name name;
	uint32_t missing = 0;
	int status = 0;

	tl_xtrace_file_name_parse(s->path, &name);
	for (uint32_t number = 0; status >= 0 && (missing < MOST_MISSING || number <= last);
	     number++) {
		status = has(s, given, number) ? 1 : look_for(s, &name, number, err);
		missing = status ? 0 : missing + 1;
	}
	return status < 0 ? status : 0;
}

static int compare_numbers(const void *a, const void *b)
{
	const struct tl_xtrace_numbered *x = a, *y = b;

	return tl_compare(x->number, y->number);
}

static int tell_missing(struct tl_xtrace_trace *trace, const struct tl_xtrace_stream *s,
			struct tl_error *err)
{
	struct tl_xtrace_fault fault = {
		TL_IO,   "a numbered file of the stream is missing; read without it",
		s->path, TL_NOWHERE,
		0,       TL_NOWHERE,
	};

	if ((size_t)s->files[s->file_count - 1].number + 1 == s->file_count)
		return 0;
	if (trace->options.strict)
		return tl_error_at(err, TL_IO, TL_NOWHERE, fault.text);
	return tl_xtrace_note_fault(&trace->faults, &fault, err);
}

/* The first file is the stream's source from here on; the others follow it. */
static int map_files(struct tl_xtrace_stream *s, struct tl_error *err)
{
	int status = 0;

	s->source = s->files[0].source;
	s->own_source = s->files[0].own;
	for (size_t i = 1; status == 0 && i < s->file_count; i++)
		status = tl_source_follow(s->source, s->files[i].source, err);
	if (status == 0)
		status = tl_source_map(s->source, &s->data, &s->size, err);
	for (size_t i = 1; status == 0 && i < s->file_count; i++)
		s->files[i].begin = tl_source_following_begin(s->source, i - 1);
	return status;
}

int tl_xtrace_numbered_join(struct tl_xtrace_trace *trace, struct tl_xtrace_stream *s,
			    struct tl_error *err)
{
	int found = trace->options.alone ? 0 : look_for_others(s, err), status;

	qsort(s->files, s->file_count, sizeof(*s->files), compare_numbers);
	status = found < 0 ? found : tell_missing(trace, s, err);
	if (status == 0)
		return map_files(s, err);
	/* All of them are closed with the stream. */
	s->source = s->files[0].source;
	s->own_source = s->files[0].own;
	return status;
}

void tl_xtrace_numbered_close(struct tl_xtrace_stream *s)
{
	for (size_t i = 1; i < s->file_count; i++)
		if (s->files[i].own)
			tl_source_close(s->files[i].source);
	free(s->files);
}

/* ---- places ---- */

uint64_t tl_xtrace_place_in_stream(const struct tl_xtrace_stream *s, uint64_t file, uint64_t index)
{
	if (!s->file_count)
		return index;
	for (size_t i = 0; i < s->file_count; i++)
		if (s->files[i].number == file && index <= s->size - s->files[i].begin)
			return s->files[i].begin + index;
	return TL_NOWHERE;
}

uint64_t tl_xtrace_file_at(const struct tl_xtrace_stream *s, uint64_t offset)
{
	size_t i = s->file_count;

	while (i > 1 && s->files[i - 1].begin > offset)
		i--;
	return i ? s->files[i - 1].number : 0;
}
