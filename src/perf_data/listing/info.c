/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Facts of a file: header, events, number of records of each type, AUX data, damage.
 */
#include "core/arithmetic.h"
#include "core/facts.h"
#include "perf_data/auxtrace/pt_info.h"
#include "perf_data/container/reader.h"
#include "perf_data/listing/describe.h"

enum { DAMAGE_TOLD = 10, BUFFERS_TOLD = 1024 };

int tl_perf_probe(const uint8_t *data, size_t size)
{
	return tl_perf_has_magic(data, size) ? 100 : 0;
}

/* An AUX buffer: of a processor, or of a thread. */
struct buffer {
	uint32_t cpu, tid;
	uint64_t records, bytes;
};

struct survey {
	uint64_t types[TL_PERF_TYPE_COUNT], unknown, records;
	uint64_t first_ns, last_ns;
	uint64_t lost, aux_truncated, aux_bytes, info_type;
	struct tl_perf_pt_info pt;
	struct buffer *buffers;
	size_t count, capacity;
};

static bool note_buffer(struct survey *s, const struct tl_perf_record *rec)
{
	for (size_t i = 0; i < s->count; i++) {
		struct buffer *b = &s->buffers[i];

		if (b->cpu != rec->auxtrace.cpu || b->tid != rec->auxtrace.tid)
			continue;
		b->records++;
		b->bytes += rec->data_size;
		return true;
	}
	if (s->count >= BUFFERS_TOLD)
		return true;
	if (!tl_grow(&s->buffers, &s->capacity, s->count + 1, sizeof(*s->buffers)))
		return false;
	s->buffers[s->count++] =
		(struct buffer){ rec->auxtrace.cpu, rec->auxtrace.tid, 1, rec->data_size };
	return true;
}

static bool note(struct survey *s, const struct tl_perf_record *rec)
{
	const uint64_t time = rec->id.time_ns;

	s->records++;
	if (!tl_perf_type_name(rec->type))
		s->unknown++;
	else
		s->types[rec->type]++;
	if (time && time != TL_NOWHERE) {
		s->first_ns = tl_min(time, s->first_ns);
		s->last_ns = tl_max(time, s->last_ns);
	}
	if (rec->type == TL_PERF_LOST || rec->type == TL_PERF_LOST_SAMPLES)
		s->lost += rec->lost.count;
	if (rec->type == TL_PERF_AUX && rec->aux.flags & TL_PERF_AUX_TRUNCATED)
		s->aux_truncated++;
	if (rec->type == TL_PERF_AUXTRACE_INFO) {
		s->info_type = rec->auxtrace_info.type;
		s->pt = tl_perf_pt_info_of(rec);
	}
	if (rec->type != TL_PERF_AUXTRACE)
		return true;
	s->aux_bytes += rec->data_size;
	return note_buffer(s, rec);
}

static int read_all(struct survey *s, struct tl_perf_reader *r, struct tl_error *err)
{
	struct tl_perf_record rec;
	int status;

	s->first_ns = UINT64_MAX;
	while ((status = tl_perf_record_next(r, &rec, err)) > 0)
		if (!note(s, &rec))
			return tl_error_memory(err);
	return status;
}

/* ---- facts ---- */

static void known_text(struct tl_facts *facts, const char *name, const char *text)
{
	if (*text)
		tl_fact_text(facts, name, text);
}

static void known_number(struct tl_facts *facts, const char *name, uint64_t value)
{
	if (value)
		tl_fact_u64(facts, name, value);
}

static const char *mode_name(const struct tl_perf_reader *r)
{
	if (r->parts.count)
		return "directory";
	return r->header.pipe ? "pipe" : "file";
}

static void header_facts(struct tl_facts *facts, const struct tl_perf_reader *r)
{
	const struct tl_perf_header *h = &r->header;

	tl_fact_text(facts, "format", "perf");
	tl_fact_text(facts, "mode", mode_name(r));
	tl_fact_text(facts, "endianness", h->swapped != TL_HOST_BIG_ENDIAN ? "big" : "little");
	tl_fact_text(facts, "compression", tl_source_compression(r->source));
	tl_fact_bool(facts, "compressed_records", r->decompressor || h->compressed);
	tl_fact_u64(facts, "size", r->map_size);
	tl_fact_u64(facts, "data_offset", h->data_offset);
	tl_fact_u64(facts, "data_size", h->data_size);
	known_number(facts, "data_files", r->parts.count);
	known_text(facts, "hostname", h->hostname);
	known_text(facts, "os_release", h->os_release);
	known_text(facts, "perf_version", h->perf_version);
	known_text(facts, "arch", h->arch);
	known_number(facts, "cpus_online", h->cpus_online);
	known_number(facts, "cpus_available", h->cpus_available);
	known_text(facts, "cpu_description", h->cpu_description);
	known_text(facts, "cpuid", h->cpuid);
	known_number(facts, "memory_kb", h->memory_kb);
	known_text(facts, "command", h->command_line);
	known_number(facts, "build_ids", r->build_ids.count);
}

static void event_facts(struct tl_facts *facts, const struct tl_perf_reader *r)
{
	tl_facts_list(facts, "events");
	for (size_t i = 0; i < r->attrs.count; i++) {
		const struct tl_perf_attr *a = &r->attrs.list[i];

		tl_facts_item(facts);
		known_text(facts, "name", a->name);
		tl_fact_u64(facts, "type", a->type);
		tl_fact_u64(facts, "config", a->config);
		tl_fact_u64(facts, "sample_type", a->sample_type);
		tl_fact_u64(facts, "ids", a->id_count);
		tl_facts_close(facts);
	}
	tl_facts_close_list(facts);
}

static void record_facts(struct tl_facts *facts, const struct survey *s)
{
	tl_fact_u64(facts, "records", s->records);
	tl_facts_object(facts, "records_by_type");
	for (uint32_t i = 0; i < TL_PERF_TYPE_COUNT; i++)
		if (s->types[i])
			tl_fact_u64(facts, tl_perf_type_name(i), s->types[i]);
	known_number(facts, "unknown", s->unknown);
	tl_facts_close(facts);
	if (s->first_ns <= s->last_ns) {
		tl_fact_u64(facts, "first_time_ns", s->first_ns);
		tl_fact_u64(facts, "last_time_ns", s->last_ns);
		tl_fact_double(facts, "seconds", (double)(s->last_ns - s->first_ns) / 1e9);
	}
	known_number(facts, "lost_records", s->lost);
}

/* What the event records (docs/formats/perf-data.md section 6). */
static void pt_facts(struct tl_facts *facts, const struct tl_perf_reader *r, const struct survey *s)
{
	struct tl_perf_pt_info pt = s->pt;

	tl_perf_pt_info_find_event(r, &pt);
	if (s->info_type != TL_PERF_AUXTRACE_TYPE_INTEL_PT || !pt.event_found)
		return;
	tl_fact_bool(facts, "timed", pt.config & pt.tsc_bit);
	tl_fact_bool(facts, "cycles", pt.config & pt.cyc_bit);
	known_number(facts, "ticks_per_second", tl_perf_pt_info_tsc_hz(&pt));
}

static void aux_facts(struct tl_facts *facts, const struct tl_perf_reader *r,
		      const struct survey *s)
{
	if (!s->types[TL_PERF_AUXTRACE_INFO] && !s->count)
		return;
	tl_fact_text(facts, "auxtrace",
		     s->info_type == TL_PERF_AUXTRACE_TYPE_INTEL_PT ? "intel-pt" : "other");
	pt_facts(facts, r, s);
	tl_fact_u64(facts, "auxtrace_bytes", s->aux_bytes);
	known_number(facts, "auxtrace_truncated", s->aux_truncated);
	tl_facts_list(facts, "by_buffer");
	for (size_t i = 0; i < s->count; i++) {
		const struct buffer *b = &s->buffers[i];

		tl_facts_item(facts);
		if (b->cpu != UINT32_MAX)
			tl_fact_u64(facts, "cpu", b->cpu);
		else
			tl_fact_u64(facts, "thread", b->tid);
		tl_fact_u64(facts, "records", b->records);
		tl_fact_u64(facts, "bytes", b->bytes);
		tl_facts_close(facts);
	}
	tl_facts_close_list(facts);
}

static void damage_facts(struct tl_facts *facts, const struct tl_perf_reader *r)
{
	tl_fact_u64(facts, "damaged_places", r->faults.count);
	tl_fact_u64(facts, "skipped_bytes", r->faults.skipped_bytes);
	if (!r->faults.count)
		return;
	tl_facts_list(facts, "damage");
	for (size_t i = 0; i < r->faults.listed && i < DAMAGE_TOLD; i++) {
		tl_facts_item(facts);
		tl_fact_u64(facts, "offset", r->faults.list[i].offset);
		tl_fact_u64(facts, "length", r->faults.list[i].length);
		tl_fact_text(facts, "text", r->faults.list[i].text);
		tl_facts_close(facts);
	}
	tl_facts_close_list(facts);
}

int tl_perf_describe(struct tl_perf_reader *r, bool json, struct tl_output *out,
		     struct tl_error *err)
{
	struct survey s = { .records = 0 };
	struct tl_facts facts;
	int status = read_all(&s, r, err);

	if (status == 0) {
		tl_facts_begin(&facts, out, json);
		header_facts(&facts, r);
		event_facts(&facts, r);
		record_facts(&facts, &s);
		aux_facts(&facts, r, &s);
		damage_facts(&facts, r);
		tl_facts_end(&facts);
	}
	free(s.buffers);
	return status < 0 ? tl_error_format(err, "perf", status) : 0;
}
