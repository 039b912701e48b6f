/* SPDX-License-Identifier: Apache-2.0 */
/* Records that say how to read later ones: attributes, names, features and build ids of a pipe. */
#include "perf_data/reader.h"

enum { UPDATE_NAME = 2 };

static int absorb_attr(struct tl_perf_reader *r, struct tl_perf_record *rec, struct tl_error *err)
{
	struct perf_view v = { rec->body, rec->body + rec->body_size, rec->swapped };
	struct perf_view size = { v.pos + 4, v.end, v.swap };
	const uint32_t bytes = take32(&size);
	const size_t number = r->attrs.count;
	struct perf_view ids;
	int status;

	if (bytes < ATTR_LEAST_BYTES || !view_has(&v, bytes))
		return tl_perf_broken(r, RULE_ATTR_SIZE, rec->offset, 0, err);
	ids = v;
	v.end = take_bytes(&ids, bytes) + bytes;
	status = tl_perf_add_attr(r, v, err);
	return status < 0 ? status : tl_perf_add_ids(r, number, ids, err);
}

static int absorb_update(struct tl_perf_reader *r, struct tl_perf_record *rec, struct tl_error *err)
{
	const struct tl_perf_text data = rec->update.data;
	const struct tl_perf_attr *attr = tl_perf_attr_of(r, rec->update.id);
	const char *name;

	if (rec->update.what != UPDATE_NAME || !attr)
		return 0;
	name = tl_perf_keep(r, data.data, strnlen(data.data, data.size));
	if (!name)
		return tl_error_memory(err);
	r->attrs.list[attr - r->attrs.list].name = name;
	return 0;
}

static int absorb_feature(struct tl_perf_reader *r, struct tl_perf_record *rec,
			  struct tl_error *err)
{
	const struct tl_perf_text data = rec->feature.data;

	if (rec->feature.id >= FEATURE_COUNT)
		return 0;
	r->header.features[rec->feature.id / 64] |= UINT64_C(1) << rec->feature.id % 64;
	/* Tracing data of a pipe have a record of their own. */
	if (rec->feature.id == FEATURE_TRACING_DATA)
		return 0;
	return tl_perf_read_feature(r, (unsigned)rec->feature.id,
				    view_of(r, (const uint8_t *)data.data, data.size), err);
}

static int absorb_build_id(struct tl_perf_reader *r, struct tl_perf_record *rec,
			   struct tl_error *err)
{
	struct perf_build_id_row row = {
		.id = rec->build_id.build_id,
		.pid = rec->build_id.pid,
		.misc = rec->misc,
		.path = tl_perf_keep(r, rec->build_id.path.data, rec->build_id.path.size),
	};

	if (!row.path || !tl_grow(&r->build_ids, &r->build_id_capacity, r->build_id_count + 1,
				  sizeof(*r->build_ids)))
		return tl_error_memory(err);
	r->build_ids[r->build_id_count++] = row;
	return 0;
}

static int absorb_tracing(struct tl_perf_reader *r, struct tl_perf_record *rec,
			  struct tl_error *err)
{
	(void)err;
	r->tracing = rec->data;
	r->tracing_size = rec->data_size;
	return 0;
}

static const struct {
	uint32_t type;
	int (*absorb)(struct tl_perf_reader *r, struct tl_perf_record *rec, struct tl_error *err);
} rows[] = {
	{ TL_PERF_HEADER_ATTR, absorb_attr },
	{ TL_PERF_EVENT_UPDATE, absorb_update },
	{ TL_PERF_HEADER_FEATURE, absorb_feature },
	{ TL_PERF_HEADER_BUILD_ID, absorb_build_id },
	{ TL_PERF_HEADER_TRACING_DATA, absorb_tracing },
};

int tl_perf_absorb(struct tl_perf_reader *r, const struct perf_raw *raw, struct tl_error *err)
{
	struct tl_perf_record rec;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int status;

		if (rows[i].type != raw->type)
			continue;
		/* Whoever asks for the record is told what is wrong with it. */
		status = tl_perf_decode(r, raw, &rec, false, err);
		return status <= 0 ? status : rows[i].absorb(r, &rec, err);
	}
	return 0;
}
