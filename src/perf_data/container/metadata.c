/* SPDX-License-Identifier: Apache-2.0 */
/* Records that later ones depend on: attributes, event names, features and build ids of a pipe. */
#include "perf_data/container/reader.h"

enum { UPDATE_NAME = 2 };

static int load_attr(struct tl_perf_reader *r, const struct tl_perf_record *rec,
		     struct tl_error *err)
{
	struct tl_perf_view v = { rec->body, rec->body + rec->body_size, rec->swapped };
	struct tl_perf_view size = { v.pos + 4, v.end, v.swap };
	const uint32_t bytes = tl_perf_take32(&size);
	const size_t number = r->attrs.count;
	struct tl_perf_view ids;
	int status;

	if (bytes < TL_PERF_ATTR_MIN_BYTES || !tl_perf_view_has(&v, bytes))
		return tl_perf_rule_broken(r, TL_PERF_RULE_ATTR_SIZE, rec->offset, 0, err);
	ids = v;
	v.end = tl_perf_take_bytes(&ids, bytes) + bytes;
	status = tl_perf_attrs_add(r, v, err);
	if (status < 0)
		return status;
	return tl_perf_attrs_add_ids(r, number, ids, err);
}

static int load_event_update(struct tl_perf_reader *r, const struct tl_perf_record *rec,
			     struct tl_error *err)
{
	const struct tl_perf_text data = rec->update.data;
	const struct tl_perf_attr *attr = tl_perf_attrs_find(r, rec->update.id);
	const char *name;

	if (rec->update.what != UPDATE_NAME || !attr)
		return 0;
	name = tl_perf_keep_text(r, data.data, strnlen(data.data, data.size));
	if (!name)
		return tl_error_memory(err);
	r->attrs.list[attr - r->attrs.list].name = name;
	return 0;
}

static int load_feature(struct tl_perf_reader *r, const struct tl_perf_record *rec,
			struct tl_error *err)
{
	const struct tl_perf_text data = rec->feature.data;

	if (rec->feature.id >= TL_PERF_FEATURE_COUNT)
		return 0;
	r->header.features[rec->feature.id / 64] |= UINT64_C(1) << rec->feature.id % 64;
	/* In a pipe the tracing data are in a HEADER_TRACING_DATA record. */
	if (rec->feature.id == TL_PERF_FEATURE_TRACING_DATA)
		return 0;
	return tl_perf_read_feature(r, (unsigned)rec->feature.id,
				    tl_perf_view_of(r, (const uint8_t *)data.data, data.size), err);
}

static int load_tracing_data(struct tl_perf_reader *r, const struct tl_perf_record *rec,
			     struct tl_error *err)
{
	(void)err;
	r->tracing.data = rec->data;
	r->tracing.size = rec->data_size;
	return 0;
}

static const struct {
	uint32_t type;
	int (*load)(struct tl_perf_reader *r, const struct tl_perf_record *rec,
		    struct tl_error *err);
} rows[] = {
	{ TL_PERF_HEADER_ATTR, load_attr },
	{ TL_PERF_EVENT_UPDATE, load_event_update },
	{ TL_PERF_HEADER_FEATURE, load_feature },
	{ TL_PERF_HEADER_BUILD_ID, tl_perf_build_ids_add },
	{ TL_PERF_HEADER_TRACING_DATA, load_tracing_data },
	{ TL_PERF_ID_INDEX, tl_perf_guest_ids_load },
};

int tl_perf_load_metadata(struct tl_perf_reader *r, const struct tl_perf_raw_record *raw,
			  struct tl_error *err)
{
	struct tl_perf_record rec;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int status;

		if (rows[i].type != raw->type)
			continue;
		/* Faults of the record are reported when the caller reads it. */
		status = tl_perf_decode(r, raw, &rec, false, err);
		if (status <= 0)
			return status;
		return rows[i].load(r, &rec, err);
	}
	return 0;
}
