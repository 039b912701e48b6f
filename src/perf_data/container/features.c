/* SPDX-License-Identifier: Apache-2.0 */
/* Feature sections: behind the data of a file, in HEADER_FEATURE records of a pipe (section 3). */
#include "perf_data/container/reader.h"
#include "core/arithmetic.h"

/*
 * A string: its length in 32 bits, then that many bytes with a terminated text and padding. NULL:
 * the section is too short, or no memory.
 */
static const char *take_string(struct tl_perf_reader *r, struct tl_perf_view *v)
{
	uint32_t size;
	const char *text;

	if (!tl_perf_view_has(v, 4))
		return NULL;
	size = tl_perf_take32(v);
	if (!tl_perf_view_has(v, size))
		return NULL;
	text = (const char *)tl_perf_take_bytes(v, size);
	return tl_perf_keep_text(r, text, strnlen(text, size));
}

static bool read_text(struct tl_perf_reader *r, struct tl_perf_view *v, const char **to)
{
	const char *text = take_string(r, v);

	if (text)
		*to = text;
	return text;
}

static bool read_hostname(struct tl_perf_reader *r, struct tl_perf_view *v)
{
	return read_text(r, v, &r->header.hostname);
}

static bool read_release(struct tl_perf_reader *r, struct tl_perf_view *v)
{
	return read_text(r, v, &r->header.os_release);
}

static bool read_version(struct tl_perf_reader *r, struct tl_perf_view *v)
{
	return read_text(r, v, &r->header.perf_version);
}

static bool read_arch(struct tl_perf_reader *r, struct tl_perf_view *v)
{
	return read_text(r, v, &r->header.arch);
}

static bool read_cpu_description(struct tl_perf_reader *r, struct tl_perf_view *v)
{
	return read_text(r, v, &r->header.cpu_description);
}

static bool read_cpuid(struct tl_perf_reader *r, struct tl_perf_view *v)
{
	return read_text(r, v, &r->header.cpuid);
}

static bool read_cpus(struct tl_perf_reader *r, struct tl_perf_view *v)
{
	if (!tl_perf_view_has(v, 8))
		return false;
	r->header.cpus_available = tl_perf_take32(v);
	r->header.cpus_online = tl_perf_take32(v);
	return true;
}

static bool read_memory(struct tl_perf_reader *r, struct tl_perf_view *v)
{
	if (!tl_perf_view_has(v, 8))
		return false;
	r->header.memory_kb = tl_perf_take64(v);
	return true;
}

static bool read_times(struct tl_perf_reader *r, struct tl_perf_view *v)
{
	if (!tl_perf_view_has(v, 16))
		return false;
	r->header.first_time_ns = tl_perf_take64(v);
	r->header.last_time_ns = tl_perf_take64(v);
	return true;
}

/* Arguments, joined by blanks; the text is never longer than the section. */
static bool read_command(struct tl_perf_reader *r, struct tl_perf_view *v)
{
	char *line = tl_arena_alloc(&r->arena, tl_perf_view_left(v) + 1);
	uint32_t count;
	size_t at = 0;

	if (!line || !tl_perf_view_has(v, 4))
		return false;
	count = tl_perf_take32(v);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t size;

		if (!tl_perf_view_has(v, 4))
			return false;
		size = tl_perf_take32(v);
		if (!tl_perf_view_has(v, size))
			return false;
		if (at)
			line[at++] = ' ';
		memcpy(line + at, v->pos, size);
		at += strnlen((const char *)tl_perf_take_bytes(v, size), size);
	}
	line[at] = '\0';
	r->header.command_line = line;
	return true;
}

static bool read_tracing(struct tl_perf_reader *r, struct tl_perf_view *v)
{
	r->tracing.data = v->pos;
	r->tracing.size = tl_perf_view_left(v);
	return true;
}

int tl_perf_build_ids_add(struct tl_perf_reader *r, const struct tl_perf_record *rec,
			  struct tl_error *err)
{
	struct tl_perf_build_id_row row = {
		.id = rec->build_id.build_id,
		.pid = rec->build_id.pid,
		.misc = rec->misc,
		.path = tl_perf_keep_text(r, rec->build_id.path.data, rec->build_id.path.size),
	};

	if (!row.path || !tl_grow(&r->build_ids.list, &r->build_ids.capacity,
				  r->build_ids.count + 1, sizeof(*r->build_ids.list)))
		return tl_error_memory(err);
	r->build_ids.list[r->build_ids.count++] = row;
	return 0;
}

/* The section is a list of HEADER_BUILD_ID records. */
static bool read_build_ids(struct tl_perf_reader *r, struct tl_perf_view *v)
{
	struct tl_error ignored;

	while (tl_perf_view_has(v, TL_PERF_RECORD_HEADER_BYTES)) {
		struct tl_perf_raw_record raw = { .at = v->pos };
		struct tl_perf_record rec;
		int status;

		tl_perf_take32(v);
		tl_perf_take16(v);
		raw.size = tl_perf_take16(v);
		/* In a file the type is 0: every record of this section is a build id. */
		raw.type = TL_PERF_HEADER_BUILD_ID;
		if (raw.size < TL_PERF_RECORD_HEADER_BYTES ||
		    !tl_perf_view_has(v, raw.size - TL_PERF_RECORD_HEADER_BYTES) ||
		    raw.size < TL_PERF_RECORD_HEADER_BYTES + tl_perf_layout_find(raw.type)->least)
			return false;
		status = tl_perf_decode(r, &raw, &rec, false, &ignored);
		if (status > 0)
			status = tl_perf_build_ids_add(r, &rec, &ignored);
		if (status < 0)
			return false;
		tl_perf_take_bytes(v, raw.size - TL_PERF_RECORD_HEADER_BYTES);
	}
	return true;
}

/* The attributes again, in the same order, each with its name. */
static bool read_events(struct tl_perf_reader *r, struct tl_perf_view *v)
{
	uint32_t count, size;

	if (!tl_perf_view_has(v, 8))
		return false;
	count = tl_perf_take32(v);
	size = tl_perf_take32(v);
	for (uint32_t i = 0; i < count; i++) {
		const char *name;
		uint32_t ids;

		if (!tl_perf_view_has(v, (uint64_t)size + 4))
			return false;
		tl_perf_take_bytes(v, size);
		ids = tl_perf_take32(v);
		name = take_string(r, v);
		if (!name || !tl_perf_view_has(v, (uint64_t)ids * 8))
			return false;
		tl_perf_take_bytes(v, (size_t)ids * 8);
		if (i < r->attrs.count)
			r->attrs.list[i].name = name;
	}
	return true;
}

static bool (*const readers[])(struct tl_perf_reader *r, struct tl_perf_view *v) = {
	[TL_PERF_FEATURE_TRACING_DATA] = read_tracing,
	[TL_PERF_FEATURE_BUILD_ID] = read_build_ids,
	[TL_PERF_FEATURE_HOSTNAME] = read_hostname,
	[TL_PERF_FEATURE_OS_RELEASE] = read_release,
	[TL_PERF_FEATURE_VERSION] = read_version,
	[TL_PERF_FEATURE_ARCH] = read_arch,
	[TL_PERF_FEATURE_CPUS] = read_cpus,
	[TL_PERF_FEATURE_CPU_DESC] = read_cpu_description,
	[TL_PERF_FEATURE_CPUID] = read_cpuid,
	[TL_PERF_FEATURE_TOTAL_MEM] = read_memory,
	[TL_PERF_FEATURE_CMDLINE] = read_command,
	[TL_PERF_FEATURE_EVENT_DESC] = read_events,
	[TL_PERF_FEATURE_SAMPLE_TIME] = read_times,
};

int tl_perf_read_feature(struct tl_perf_reader *r, unsigned feature, struct tl_perf_view section,
			 struct tl_error *err)
{
	const uint64_t offset = (uint64_t)(section.pos - r->map);

	if (feature == TL_PERF_FEATURE_COMPRESSED)
		r->header.compressed = true;
	if (feature >= sizeof(readers) / sizeof(readers[0]) || !readers[feature])
		return 0;
	if (readers[feature](r, &section))
		return 0;
	return tl_perf_rule_broken(r, TL_PERF_RULE_FEATURE, offset, tl_perf_view_left(&section),
				   err);
}

int tl_perf_read_features(struct tl_perf_reader *r, uint64_t at, struct tl_error *err)
{
	int status = 0;

	for (unsigned i = 0; status == 0 && i < TL_PERF_FEATURE_COUNT; i++) {
		struct tl_perf_view entry;
		uint64_t offset, size;

		if (!tl_perf_has_feature(r, i))
			continue;
		if (at > r->map_size || r->map_size - at < 16)
			return tl_perf_rule_broken(r, TL_PERF_RULE_FEATURE, tl_min(at, r->map_size),
						   0, err);
		entry = tl_perf_view_of(r, r->map + at, 16);
		offset = tl_perf_take64(&entry);
		size = tl_perf_take64(&entry);
		if (offset > r->map_size || size > r->map_size - offset)
			status = tl_perf_rule_broken(r, TL_PERF_RULE_FEATURE, at, 0, err);
		else
			status = tl_perf_read_feature(
				r, i, tl_perf_view_of(r, r->map + offset, (size_t)size), err);
		at += 16;
	}
	return status;
}
