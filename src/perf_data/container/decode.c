/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One record from bytes to fields: its event is found, the trailer is cut off the body, and the row
 * of its type (layout.c) decodes what is left (docs/formats/perf-data.md section 4).
 */
#include <string.h>

#include "perf_data/container/reader.h"

static const struct tl_perf_id no_id = {
	TL_NOWHERE, TL_NOWHERE, TL_NOWHERE, TL_NOWHERE, TL_NOWHERE, TL_NOWHERE, TL_NOWHERE,
};

/*
 * The event of a record, by its counter's id. PERF_SAMPLE_IDENTIFIER puts that first in a sample
 * and last in other records; without it, all events have the same layout, and PERF_SAMPLE_ID tells
 * which one it is (UAPI, struct sample_id).
 */
static const struct tl_perf_attr *find_attr(const struct tl_perf_reader *r, uint32_t type,
					    struct tl_perf_view body)
{
	const struct tl_perf_attr_table *a = &r->attrs;
	const struct tl_perf_attr *attr;
	uint64_t id;

	if (a->count <= 1 || !a->identified ||
	    !tl_perf_view_has(&body, type == TL_PERF_SAMPLE ? a->id_at + 8u : a->id_back))
		return a->count ? a->list : NULL;
	body.pos = type == TL_PERF_SAMPLE ? body.pos + a->id_at : body.end - a->id_back;
	id = tl_perf_take64(&body);
	attr = tl_perf_attrs_find(r, id);
	/* Records that perf synthesized have id 0; the layout of any event fits them. */
	return attr || (type == TL_PERF_SAMPLE && id) ? attr : a->list;
}

/* Cut the trailer off the body. False: it does not fit. */
static bool take_trailer(struct tl_perf_record *rec, struct tl_perf_view *body)
{
	const size_t size =
		rec->attr && rec->type != TL_PERF_SAMPLE ? tl_perf_trailer_size(rec->attr) : 0;
	struct tl_perf_view trailer = *body;

	if (!tl_perf_view_has(body, size))
		return false;
	body->end -= size;
	trailer.pos = body->end;
	if (size)
		tl_perf_trailer_decode(&rec->id, rec->attr, &trailer);
	return true;
}

static int refuse(struct tl_perf_reader *r, const struct tl_perf_raw_record *raw,
		  enum tl_perf_rule rule, bool report, struct tl_error *err)
{
	const uint64_t number = r->at.number;
	int status;

	if (!report)
		return 0;
	r->at.number = raw->number;
	status = tl_perf_rule_broken(r, rule, raw->offset,
				     raw->inside == TL_NOWHERE ? raw->size : 0, err);
	r->at.number = number;
	return status;
}

/*
 * Whether a record is of a process of a virtual machine that is not known: only what `perf inject
 * --guest-data` added is of such, by an id of its own.
 */
static bool is_of_unknown_machine(const struct tl_perf_reader *r, const struct tl_perf_record *rec)
{
	switch (rec->type) {
	case TL_PERF_COMM:
	case TL_PERF_FORK:
	case TL_PERF_EXIT:
	case TL_PERF_SWITCH:
	case TL_PERF_SWITCH_CPU_WIDE:
	case TL_PERF_TEXT_POKE:
		return tl_perf_is_of_guest(rec) && !tl_perf_guest_ids_find(r, rec->id.id);
	default:
		return false;
	}
}

int tl_perf_decode(struct tl_perf_reader *r, const struct tl_perf_raw_record *raw,
		   struct tl_perf_record *rec, bool report, struct tl_error *err)
{
	const struct tl_perf_layout *layout = tl_perf_layout_find(raw->type);
	struct tl_perf_view v = tl_perf_view_of(r, raw->at, raw->size);

	tl_perf_take32(&v);
	/*
	 * A call that stays one: the string instruction that compilers make of an assignment took
	 * more than all that follows.
	 */
	explicit_bzero(rec, sizeof(*rec));
	rec->type = raw->type;
	rec->misc = tl_perf_take16(&v);
	rec->swapped = v.swap;
	rec->offset = raw->offset;
	rec->number = raw->number;
	rec->inside = raw->inside;
	rec->body = raw->at + TL_PERF_RECORD_HEADER_BYTES;
	rec->body_size = raw->size - TL_PERF_RECORD_HEADER_BYTES;
	rec->data = raw->data;
	rec->data_size = raw->data_size;
	rec->id = no_id;
	tl_perf_take16(&v);
	if (!layout) {
		int status = refuse(r, raw, TL_PERF_RULE_RECORD_UNKNOWN, report, err);

		if (status < 0)
			return status;
		return 1;
	}
	if (tl_perf_is_kernel_record(raw->type))
		rec->attr = find_attr(r, raw->type, v);
	if (raw->type == TL_PERF_SAMPLE && !rec->attr)
		return refuse(r, raw, TL_PERF_RULE_RECORD_NO_EVENT, report, err);
	if (!take_trailer(rec, &v) || tl_perf_view_left(&v) < layout->least)
		return refuse(r, raw, TL_PERF_RULE_RECORD_SHORT, report, err);
	if (layout->decode && !layout->decode(rec, &v))
		return refuse(r, raw, TL_PERF_RULE_RECORD_CONTENT, report, err);
	if (is_of_unknown_machine(r, rec))
		return refuse(r, raw, TL_PERF_RULE_GUEST_ID, report, err);
	return 1;
}
