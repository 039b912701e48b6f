/* SPDX-License-Identifier: Apache-2.0 */
/* Feature sections: behind the data of a file, in HEADER_FEATURE records of a pipe (section 3). */
#include "perf_data/reader.h"

/*
 * A length in 32 bits, and so many bytes with a terminated text in them. NULL: it does not fit, or
 * no memory.
 */
static const char *take_string(struct tl_perf_reader *r, struct perf_view *v)
{
	uint32_t size;
	const char *text;

	if (!view_has(v, 4))
		return NULL;
	size = take32(v);
	if (!view_has(v, size))
		return NULL;
	text = (const char *)take_bytes(v, size);
	return tl_perf_keep(r, text, strnlen(text, size));
}

static bool read_text(struct tl_perf_reader *r, struct perf_view *v, const char **to)
{
	const char *text = take_string(r, v);

	if (text)
		*to = text;
	return text;
}

static bool read_hostname(struct tl_perf_reader *r, struct perf_view *v)
{
	return read_text(r, v, &r->header.hostname);
}

static bool read_release(struct tl_perf_reader *r, struct perf_view *v)
{
	return read_text(r, v, &r->header.os_release);
}

static bool read_version(struct tl_perf_reader *r, struct perf_view *v)
{
	return read_text(r, v, &r->header.perf_version);
}

static bool read_arch(struct tl_perf_reader *r, struct perf_view *v)
{
	return read_text(r, v, &r->header.arch);
}

static bool read_cpu_description(struct tl_perf_reader *r, struct perf_view *v)
{
	return read_text(r, v, &r->header.cpu_description);
}

static bool read_cpuid(struct tl_perf_reader *r, struct perf_view *v)
{
	return read_text(r, v, &r->header.cpuid);
}

static bool read_cpus(struct tl_perf_reader *r, struct perf_view *v)
{
	if (!view_has(v, 8))
		return false;
	r->header.cpus_available = take32(v);
	r->header.cpus_online = take32(v);
	return true;
}

static bool read_memory(struct tl_perf_reader *r, struct perf_view *v)
{
	if (!view_has(v, 8))
		return false;
	r->header.memory_kb = take64(v);
	return true;
}

static bool read_times(struct tl_perf_reader *r, struct perf_view *v)
{
	if (!view_has(v, 16))
		return false;
	r->header.first_time_ns = take64(v);
	r->header.last_time_ns = take64(v);
	return true;
}

/* Arguments, joined by blanks: the text is never longer than the section. */
static bool read_command(struct tl_perf_reader *r, struct perf_view *v)
{
	char *line = tl_arena_alloc(&r->arena, view_left(v) + 1);
	uint32_t count;
	size_t at = 0;

	if (!line || !view_has(v, 4))
		return false;
	count = take32(v);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t size;

		if (!view_has(v, 4))
			return false;
		size = take32(v);
		if (!view_has(v, size))
			return false;
		if (at)
			line[at++] = ' ';
		memcpy(line + at, v->pos, size);
		at += strnlen((const char *)take_bytes(v, size), size);
	}
	line[at] = '\0';
	r->header.command_line = line;
	return true;
}

static bool read_tracing(struct tl_perf_reader *r, struct perf_view *v)
{
	r->tracing = v->pos;
	r->tracing_size = view_left(v);
	return true;
}

/* Each is a HEADER_BUILD_ID record. */
static bool read_build_ids(struct tl_perf_reader *r, struct perf_view *v)
{
	struct tl_error ignored;

	while (view_has(v, RECORD_HEADER_BYTES)) {
		struct perf_raw raw = { .at = v->pos };

		take32(v);
		take16(v);
		raw.size = take16(v);
		/* In a file the type is 0; their place tells what they are. */
		raw.type = TL_PERF_HEADER_BUILD_ID;
		if (raw.size < RECORD_HEADER_BYTES ||
		    !view_has(v, raw.size - RECORD_HEADER_BYTES) ||
		    raw.size < RECORD_HEADER_BYTES + tl_perf_layout(raw.type)->least)
			return false;
		if (tl_perf_absorb(r, &raw, &ignored) < 0)
			return false;
		take_bytes(v, raw.size - RECORD_HEADER_BYTES);
	}
	return true;
}

/* Attributes once more, each with its name: they come in the order of the attributes. */
static bool read_events(struct tl_perf_reader *r, struct perf_view *v)
{
	uint32_t count, size;

	if (!view_has(v, 8))
		return false;
	count = take32(v);
	size = take32(v);
	for (uint32_t i = 0; i < count; i++) {
		const char *name;
		uint32_t ids;

		if (!view_has(v, (uint64_t)size + 4))
			return false;
		take_bytes(v, size);
		ids = take32(v);
		name = take_string(r, v);
		if (!name || !view_has(v, (uint64_t)ids * 8))
			return false;
		take_bytes(v, (size_t)ids * 8);
		if (i < r->attrs.count)
			r->attrs.list[i].name = name;
	}
	return true;
}

static bool (*const readers[])(struct tl_perf_reader *r, struct perf_view *v) = {
	[FEATURE_TRACING_DATA] = read_tracing,
	[FEATURE_BUILD_ID] = read_build_ids,
	[FEATURE_HOSTNAME] = read_hostname,
	[FEATURE_OS_RELEASE] = read_release,
	[FEATURE_VERSION] = read_version,
	[FEATURE_ARCH] = read_arch,
	[FEATURE_CPUS] = read_cpus,
	[FEATURE_CPU_DESC] = read_cpu_description,
	[FEATURE_CPUID] = read_cpuid,
	[FEATURE_TOTAL_MEM] = read_memory,
	[FEATURE_CMDLINE] = read_command,
	[FEATURE_EVENT_DESC] = read_events,
	[FEATURE_SAMPLE_TIME] = read_times,
};

int tl_perf_read_feature(struct tl_perf_reader *r, unsigned feature, struct perf_view section,
			 struct tl_error *err)
{
	const uint64_t offset = (uint64_t)(section.pos - r->map);

	if (feature == FEATURE_COMPRESSED)
		r->header.compressed = true;
	if (feature >= sizeof(readers) / sizeof(readers[0]) || !readers[feature])
		return 0;
	if (readers[feature](r, &section))
		return 0;
	return tl_perf_broken(r, RULE_FEATURE, offset, view_left(&section), err);
}

static bool has_feature(const struct tl_perf_reader *r, unsigned feature)
{
	return r->header.features[feature / 64] >> feature % 64 & 1;
}

int tl_perf_read_features(struct tl_perf_reader *r, uint64_t at, struct tl_error *err)
{
	int status = 0;

	for (unsigned i = 0; status == 0 && i < FEATURE_COUNT; i++) {
		struct perf_view entry;
		uint64_t offset, size;

		if (!has_feature(r, i))
			continue;
		if (at > r->map_size || r->map_size - at < 16)
			return tl_perf_broken(r, RULE_FEATURE, at < r->map_size ? at : r->map_size,
					      0, err);
		entry = view_of(r, r->map + at, 16);
		offset = take64(&entry);
		size = take64(&entry);
		if (offset > r->map_size || size > r->map_size - offset)
			status = tl_perf_broken(r, RULE_FEATURE, at, 0, err);
		else
			status = tl_perf_read_feature(
				r, i, view_of(r, r->map + offset, (size_t)size), err);
		at += 16;
	}
	return status;
}
