/* SPDX-License-Identifier: Apache-2.0 */
/* Opening and closing a reader; the public calls on it. */
#include "core/sized.h"
#include "core/source.h"
#include "perf_data/container/reader.h"

/* The header knows of its own file only. */
static int read_beginning(struct tl_perf_reader *r, struct tl_error *err)
{
	const size_t all = r->map_size;
	int status;

	if (r->source->parts.count)
		r->map_size = (size_t)r->source->stored_size;
	status = tl_perf_read_header(r, err);
	r->map_size = all;
	if (status == 0)
		status = tl_perf_open_parts(r, err);
	return status;
}

int tl_perf_open(struct tl_perf_reader **reader, struct tl_source *source,
		 const struct tl_perf_options *options, struct tl_error *err)
{
	struct tl_perf_reader *r = calloc(1, sizeof(*r));
	int status;

	*reader = NULL;
	if (!r)
		return tl_error_memory(err);
	if (options)
		memcpy(&r->options, options,
		       options->size < sizeof(r->options) ? options->size : sizeof(r->options));
	r->source = source;
	r->header.hostname = r->header.os_release = r->header.perf_version = r->header.arch = "";
	r->header.cpu_description = r->header.cpuid = r->header.command_line = "";
	status = tl_source_map(source, &r->map, &r->map_size, err);
	if (status == 0)
		status = read_beginning(r, err);
	r->attrs.header_count = r->attrs.count;
	r->attrs.header_ids = r->attrs.id_count;
	if (status < 0) {
		tl_perf_close(r);
		return tl_error_format(err, "perf", status);
	}
	*reader = r;
	return 0;
}

void tl_perf_close(struct tl_perf_reader *r)
{
	if (!r)
		return;
	tl_perf_sort_reset(r);
	free(r->sorter.heap);
	free(r->sorter.run.list);
	tl_perf_decompress_free(r);
	tl_perf_parts_free(r);
	free(r->attrs.list);
	free(r->attrs.ids);
	free(r->attrs.owners);
	tl_index_free(&r->attrs.by_id);
	tl_perf_guest_ids_free(r);
	free(r->build_ids.list);
	free(r->faults.list);
	tl_arena_free(&r->arena);
	free(r);
}

void tl_perf_rewind(struct tl_perf_reader *r)
{
	tl_perf_attrs_forget(r);
	tl_perf_guest_ids_forget(r);
	/* A pass that reached the end has read all records: no fault of a later one is new. */
	if (r->at.known < r->at.number)
		r->at.known = r->at.number;
	if (r->at.ended)
		r->at.known = UINT64_MAX;
	r->at.ended = r->at.unaligned = false;
	r->at.number = 0;
	r->at.pos = r->header.data_offset;
	tl_perf_decompress_rewind(r);
	tl_perf_parts_rewind(r);
	tl_perf_sort_reset(r);
}

const struct tl_perf_header *tl_perf_header(const struct tl_perf_reader *r)
{
	return &r->header;
}

size_t tl_perf_attr_count(const struct tl_perf_reader *r)
{
	return r->attrs.count;
}

const struct tl_perf_attr *tl_perf_attr_at(const struct tl_perf_reader *r, size_t number)
{
	return number < r->attrs.count ? &r->attrs.list[number] : NULL;
}

int tl_perf_record_next(struct tl_perf_reader *r, struct tl_perf_record *rec, struct tl_error *err)
{
	int status;

	if (r->options.in_order)
		return tl_perf_sort_next(r, rec, err);
	for (;;) {
		struct tl_perf_raw_record raw;

		status = tl_perf_raw_next(r, &raw, err);
		if (status <= 0)
			return status;
		status = tl_perf_decode(r, &raw, rec, true, err);
		if (status)
			return status;
	}
}

int tl_perf_next(struct tl_perf_reader *r, struct tl_perf_record *record, size_t size,
		 struct tl_error *err)
{
	struct tl_perf_record rec;
	int status;

	if (size < sizeof(rec))
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "the size of a struct tl_perf_record is too small");
	status = tl_perf_record_next(r, &rec, err);
	return status > 0 ? tl_give(record, size, sizeof(rec), &rec, sizeof(rec)) + 1 : status;
}
