/* SPDX-License-Identifier: Apache-2.0 */
/* Which layout a snapshot file has (2.3, "Probing"), and its records. */
#include "xtrace/format/snapshot.h"

#include <string.h>

#include "core/error.h"

static uint64_t get(const uint8_t *p)
{
	return tl_get64s(p, TL_HOST_BIG_ENDIAN);
}

/* ---- trying layouts ---- */

enum { VECTOR_STEP = 128, VECTOR_MOST = 2048, VECTORS = VECTOR_MOST / VECTOR_STEP, LAYOUTS = 1024 };

/* Number 0 .. 1023 of the layouts that are tried; the likely values first, so that they win where
 * several fit. */
static struct tl_xtrace_layout numbered(unsigned number)
{
	static const uint32_t headers[] = { 24, 0, 19, 32 };
	struct tl_xtrace_layout layout = tl_xtrace_own_layout(VECTOR_STEP * (number % VECTORS + 1));

	number /= VECTORS;
	layout.header_bytes = headers[number % 4];
	layout.predicates = number / 4 % 2 ? 17 : 16;
	layout.pad_blocks = number / 8 % 2;
	layout.sysreg_bytes = number / 16 % 2 ? 4 : 8;
	layout.za = !(number / 32 % 2);
	return layout;
}

struct fit {
	struct tl_xtrace_layout layout;
	uint64_t records, matching;
	bool whole;   /* no bytes are left over */
	bool ordered; /* counts never fall */
};

/* "The trailing VL field must equal the VL used for the size in every record". */
static bool count_matching(const uint8_t *data, size_t size, struct fit *fit, uint64_t most)
{
	struct tl_xtrace_record_layout r = tl_xtrace_record_layout(&fit->layout);
	uint64_t user = 0, total = 0;

	if (size < fit->layout.header_bytes + (size_t)r.size)
		return false;
	fit->records = (size - fit->layout.header_bytes) / r.size;
	fit->whole = (size - fit->layout.header_bytes) % r.size == 0;
	fit->ordered = true;
	for (uint64_t i = 0; i < fit->records && i < most; i++) {
		const uint8_t *p = data + fit->layout.header_bytes + i * r.size;

		fit->matching += get(p + r.vector_bits) == fit->layout.vector_bits;
		fit->ordered = fit->ordered && get(p + 16) >= user && get(p + 24) >= total &&
			       get(p + 16) <= get(p + 24);
		user = get(p + 16);
		total = get(p + 24);
		/* Hopeless: a layout is believed with more than half of the records on its side. */
		if (i >= 2 && !fit->matching)
			return false;
	}
	if (fit->records > most)
		fit->records = most;
	return fit->matching * 2 > fit->records;
}

static unsigned quality(const struct fit *fit)
{
	return (unsigned)(fit->matching == fit->records) * 4 + fit->whole * 2u + fit->ordered;
}

/*
 * Records that are looked at while layouts are compared: enough to decide, whatever the length of
 * the file.
 */
enum { COMPARED = 256 };

static bool find_layout(const uint8_t *data, size_t size, struct fit *best, uint32_t *fits)
{
	unsigned best_quality = 0;

	*fits = 0;
	for (unsigned i = 0; i < LAYOUTS; i++) {
		struct fit fit = { .layout = numbered(i) };

		if (!count_matching(data, size, &fit, COMPARED))
			continue;
		*fits += fit.whole && fit.matching == fit.records;
		if (!best_quality || quality(&fit) > best_quality) {
			best_quality = quality(&fit);
			*best = fit;
		}
	}
	if (best_quality && !*fits)
		*fits = 1;
	return best_quality;
}

int tl_xtrace_probe_snapshots(const uint8_t *data, size_t size)
{
	bool magic = size >= TL_XTRACE_HEADER_BYTES &&
		     tl_get32s(data, TL_HOST_BIG_ENDIAN) == TL_XTRACE_MAGIC;

	if (magic)
		return 95;
	for (unsigned i = 0; i < LAYOUTS; i++) {
		struct fit fit = { .layout = numbered(i) };

		/* The first record is at instruction 0, or near it: small counts, which code and
		 * data are not. */
		if (count_matching(data, size, &fit, 1) &&
		    get(data + fit.layout.header_bytes + 24) < UINT32_MAX)
			return 70;
	}
	return 0;
}

/* ---- opening ---- */

static int snapshot_fault(struct tl_xtrace_trace *trace, const struct tl_xtrace_stream *s,
			  enum tl_status status, uint64_t offset, uint64_t length, const char *text,
			  struct tl_error *err)
{
	struct tl_xtrace_fault fault = { status, text,   s->info.snapshot_path,
					 offset, length, TL_NOWHERE };

	if (trace->options.strict)
		return tl_error_at(err, status, offset, text);
	return tl_xtrace_note_fault(&trace->faults, &fault, err);
}

static void read_header(struct tl_xtrace_stream *s)
{
	const uint8_t *p = s->snapshots;

	s->info.has_header =
		s->layout.header_bytes >= 19 && s->snapshots_size >= s->layout.header_bytes;
	if (!s->info.has_header)
		return;
	s->info.magic = tl_get32s(p, TL_HOST_BIG_ENDIAN);
	s->info.global_snapshot = tl_get32s(p + 4, TL_HOST_BIG_ENDIAN);
	s->info.version = get(p + 8);
	s->info.division = p[16];
	s->info.stream_type = p[17];
	s->info.access_order = p[18];
}

/* All records of the chosen layout; bytes left over and other vector lengths are faults. */
static int take_records(struct tl_xtrace_trace *trace, struct tl_xtrace_stream *s,
			struct tl_error *err)
{
	uint32_t header = s->layout.header_bytes, left;
	uint64_t count, bytes = 0;
	int status = 0;

	s->record = tl_xtrace_record_layout(&s->layout);
	read_header(s);
	if (s->snapshots_size > header)
		bytes = s->snapshots_size - header;
	count = bytes / s->record.size;
	left = (uint32_t)(bytes % s->record.size);
	s->info.snapshots = count < TL_NONE ? (uint32_t)count : TL_NONE - 1;
	for (uint32_t i = 0; status == 0 && i < s->info.snapshots; i++) {
		uint64_t at = header + (uint64_t)i * s->record.size + s->record.vector_bits;

		if (get(s->snapshots + at) != s->layout.vector_bits)
			status = snapshot_fault(trace, s, TL_BAD_RECORD, at, 0,
						"a snapshot's vector length is not that of the "
						"others; its registers are "
						"read as theirs",
						err);
	}
	if (status == 0 && left)
		status = snapshot_fault(trace, s, TL_TRUNCATED, s->snapshots_size, left,
					"the file ends inside a snapshot; kept those before it",
					err);
	return status;
}

static bool is_header_alone(size_t size)
{
	return size == 24 || size == 19 || size == 32;
}

/* A vector length no processor has, or none at all, stands where every layout has it: in the last
 * eight bytes. */
static int nothing_fits(struct tl_xtrace_trace *trace, struct tl_xtrace_stream *s,
			struct tl_error *err)
{
	uint64_t at = s->snapshots_size >= 8 ? s->snapshots_size - 8 : 0;
	uint32_t smallest =
		tl_xtrace_own_layout(128).header_bytes +
		(uint32_t)tl_xtrace_record_layout(&(struct tl_xtrace_layout){ .predicates = 16,
									      .sysreg_bytes = 4,
									      .vector_bits = 128 })
			.size;

	s->layout.vector_bits = 0;
	if (s->snapshots_size < smallest)
		return snapshot_fault(
			trace, s, TL_TRUNCATED, s->snapshots_size, s->snapshots_size,
			"the file ends inside its first snapshot; read without snapshots", err);
	return snapshot_fault(
		trace, s, TL_BAD_FORMAT, at, s->snapshots_size,
		"no layout of snapshots fits: none has the vector length at its end that its size "
		"needs; read without snapshots",
		err);
}

int tl_xtrace_given_layout_parse(const char *text, struct tl_xtrace_given_layout *forced,
				 struct tl_error *err)
{
	*forced = (struct tl_xtrace_given_layout){ .layout = tl_xtrace_own_layout(0) };
	if (!text)
		return 0;
	forced->layout.time_bytes = forced->layout.code_bits = UINT32_MAX;
	if (tl_xtrace_layout_take(text, &forced->layout, err) < 0)
		return TL_BAD_USAGE;
	forced->vector = forced->layout.vector_bits != 0;
	forced->time = forced->layout.time_bytes != UINT32_MAX;
	forced->codes = forced->layout.code_bits != UINT32_MAX;
	/* A text of how tokens are written alone leaves the snapshots to be found. */
	forced->given = strncmp(text, "time=", 5) && strncmp(text, "codes=", 6);
	return 0;
}

/* A layout that was given, but for its vector length. */
static bool find_vector(const struct tl_xtrace_stream *s, struct fit *fit)
{
	for (unsigned i = 1; i <= VECTORS; i++) {
		struct fit tried = { .layout = fit->layout };

		tried.layout.vector_bits = i * VECTOR_STEP;
		if (count_matching(s->snapshots, s->snapshots_size, &tried, COMPARED) &&
		    tried.whole) {
			*fit = tried;
			return true;
		}
	}
	return false;
}

static bool choose_layout(struct tl_xtrace_stream *s, const struct tl_xtrace_given_layout *forced)
{
	struct fit best = { .layout = forced->layout };
	bool found;

	if (!forced->given) {
		found = find_layout(s->snapshots, s->snapshots_size, &best,
				    &s->info.layouts_that_fit);
	} else {
		found = forced->vector || find_vector(s, &best);
		s->info.layouts_that_fit = found;
	}
	if (found)
		s->layout = best.layout;
	return found;
}

int tl_xtrace_snapshots_open(struct tl_xtrace_trace *trace, struct tl_xtrace_stream *s,
			     const struct tl_xtrace_given_layout *forced, struct tl_error *err)
{
	int status = 0;

	s->layout = tl_xtrace_own_layout(0);
	if (!s->snapshot_source || !s->snapshots_size)
		return 0;
	if (choose_layout(s, forced)) {
		status = take_records(trace, s, err);
	} else if (is_header_alone(s->snapshots_size)) {
		s->layout.header_bytes = (uint32_t)s->snapshots_size;
		read_header(s);
	} else {
		status = nothing_fits(trace, s, err);
	}
	return status;
}

/* ---- records ---- */

void tl_xtrace_snapshot_decode(const struct tl_xtrace_stream *s, uint32_t number,
			       struct tl_xtrace_snapshot *snapshot)
{
	const struct tl_xtrace_record_layout *r = &s->record;
	uint64_t offset = s->layout.header_bytes + (uint64_t)number * r->size;
	const uint8_t *p = s->snapshots + offset;

	*snapshot = (struct tl_xtrace_snapshot){
		.record_offset = offset,
		.file = get(p),
		.index = get(p + 8),
		.user = get(p + 16),
		.total = get(p + 24),
		.z = p + r->z,
		.p = p + r->p,
		.ffr = p + r->ffr,
		.za = s->layout.za ? p + r->za : NULL,
		.z_stride = r->z_stride,
		.p_stride = r->p_stride,
		.vector_bytes = s->layout.vector_bits / 8,
		.vector_bits = get(p + r->vector_bits),
	};
	snapshot->offset = tl_xtrace_place_in_stream(s, snapshot->file, snapshot->index);
	for (unsigned i = 0; i < 32; i++)
		snapshot->x[i] = get(p + 32 + 8 * (size_t)i);
	for (unsigned i = 0; i < TL_XTRACE_SYSREGS; i++)
		snapshot->sysregs[i] =
			s->layout.sysreg_bytes == 8
				? get(p + r->sysregs + 8 * (size_t)i)
				: tl_get32s(p + r->sysregs + 4 * (size_t)i, TL_HOST_BIG_ENDIAN);
}
