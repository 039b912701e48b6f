/* SPDX-License-Identifier: Apache-2.0 */
/* Opening, decoding, the way of a record. */
#include "perf_data/reader.h"

static const struct tl_perf_id no_id = {
	TL_NOWHERE, TL_NOWHERE, TL_NOWHERE, TL_NOWHERE, TL_NOWHERE, TL_NOWHERE, TL_NOWHERE,
};

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
		status = tl_perf_read_header(r, err);
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
	tl_perf_order_reset(r);
	free(r->order.heap);
	tl_perf_expand_free(r);
	free(r->attrs.list);
	free(r->attrs.ids);
	free(r->attrs.owners);
	tl_index_free(&r->attrs.by_id);
	free(r->build_ids);
	free(r->faults);
	tl_arena_free(&r->arena);
	free(r);
}

void tl_perf_rewind(struct tl_perf_reader *r)
{
	tl_perf_forget_attrs(r);
	/* At the end nothing is left that was not met. */
	if (r->known < r->number)
		r->known = r->number;
	if (r->ended)
		r->known = UINT64_MAX;
	r->ended = r->unaligned = false;
	r->number = 0;
	r->pos = r->header.data_offset;
	tl_perf_expand_rewind(r);
	tl_perf_order_reset(r);
}

const struct tl_perf_header *tl_perf_header(const struct tl_perf_reader *r)
{
	return &r->header;
}

const struct tl_perf_attr *tl_perf_attrs(const struct tl_perf_reader *r, size_t *count)
{
	*count = r->attrs.count;
	return r->attrs.list;
}

/*
 * Whose record it is: with one event, its. With several, PERF_SAMPLE_IDENTIFIER puts the id first
 * in a sample and last in other records; without it, all events must have been recorded alike
 * (UAPI, struct sample_id).
 */
static const struct tl_perf_attr *find_attr(const struct tl_perf_reader *r, uint32_t type,
					    struct perf_view body)
{
	const struct perf_attrs *a = &r->attrs;
	const struct tl_perf_attr *attr;
	uint64_t id;

	if (a->count <= 1 || !a->identified || !view_has(&body, 8))
		return a->count ? a->list : NULL;
	if (type != TL_PERF_SAMPLE)
		body.pos = body.end - 8;
	id = take64(&body);
	attr = tl_perf_attr_of(r, id);
	/* What perf made itself, of no event, has id 0: any event's layout is right. */
	return attr || (type == TL_PERF_SAMPLE && id) ? attr : a->list;
}

/* Cut the trailer off the body. False: it does not fit. */
static bool take_trailer(struct tl_perf_record *rec, struct perf_view *body)
{
	const size_t size =
		rec->attr && rec->type != TL_PERF_SAMPLE ? tl_perf_trailer_size(rec->attr) : 0;
	struct perf_view trailer = *body;

	if (!view_has(body, size))
		return false;
	body->end -= size;
	trailer.pos = body->end;
	if (size)
		tl_perf_trailer_decode(&rec->id, rec->attr, &trailer);
	return true;
}

static int refuse(struct tl_perf_reader *r, const struct perf_raw *raw, enum perf_rule rule,
		  bool tell, struct tl_error *err)
{
	const uint64_t number = r->number;
	int status;

	if (!tell)
		return 0;
	r->number = raw->number;
	status = tl_perf_broken(r, rule, raw->offset, raw->inside == TL_NOWHERE ? raw->size : 0,
				err);
	r->number = number;
	return status;
}

int tl_perf_decode(struct tl_perf_reader *r, const struct perf_raw *raw, struct tl_perf_record *rec,
		   bool tell, struct tl_error *err)
{
	const struct perf_layout *layout = tl_perf_layout(raw->type);
	struct perf_view v = view_of(r, raw->at, raw->size);

	take32(&v);
	*rec = (struct tl_perf_record){
		.type = raw->type,
		.misc = take16(&v),
		.swapped = v.swap,
		.offset = raw->offset,
		.number = raw->number,
		.inside = raw->inside,
		.body = raw->at + RECORD_HEADER_BYTES,
		.body_size = raw->size - RECORD_HEADER_BYTES,
		.data = raw->data,
		.data_size = raw->data_size,
		.id = no_id,
	};
	take16(&v);
	if (!layout) {
		int status = refuse(r, raw, RULE_RECORD_UNKNOWN, tell, err);

		return status < 0 ? status : 1;
	}
	if (is_kernel_record(raw->type))
		rec->attr = find_attr(r, raw->type, v);
	if (raw->type == TL_PERF_SAMPLE && !rec->attr)
		return refuse(r, raw, RULE_RECORD_NO_EVENT, tell, err);
	if (!take_trailer(rec, &v) || view_left(&v) < layout->least)
		return refuse(r, raw, RULE_RECORD_SHORT, tell, err);
	if (layout->decode && !layout->decode(rec, &v))
		return refuse(r, raw, RULE_RECORD_CONTENT, tell, err);
	return 1;
}

int tl_perf_next(struct tl_perf_reader *r, struct tl_perf_record *rec, struct tl_error *err)
{
	int status;

	if (r->options.in_order)
		return tl_perf_order_next(r, rec, err);
	for (;;) {
		struct perf_raw raw;

		status = tl_perf_raw_next(r, &raw, err);
		if (status <= 0)
			return status;
		status = tl_perf_decode(r, &raw, rec, true, err);
		if (status)
			return status;
	}
}
