/* SPDX-License-Identifier: Apache-2.0 */
/* Snapshots against the stream: where they are, how many instructions were before, what the
 * registers were (2.3). */
#include "xtrace/check/check.h"

#include <inttypes.h>
#include <string.h>

#include "xtrace/format/snapshot.h"

static void read_snapshot(const struct tl_xtrace_check_stream *s, uint32_t number,
			  struct tl_xtrace_snapshot *snapshot)
{
	tl_xtrace_read_snapshot(s->check->trace, (uint32_t)(s->stream - s->check->trace->streams),
				number, snapshot);
}

static void violate(struct tl_xtrace_check_stream *s, enum tl_xtrace_rule_number rule,
		    uint32_t number, const struct tl_xtrace_snapshot *snapshot)
{
	tl_xtrace_report(s, rule, snapshot->record_offset, number, TL_NOWHERE);
}

/* The next snapshot that has a place behind the walk; those that have none are out of order, or
 * beyond the end. */
static void find_next(struct tl_xtrace_check_stream *s, uint64_t behind, bool first)
{
	struct tl_xtrace_snapshot snapshot;

	s->snapshots.at = NULL;
	for (; s->snapshots.next < s->stream->info.snapshots; s->snapshots.next++) {
		read_snapshot(s, s->snapshots.next, &snapshot);
		if (snapshot.vector_bits != s->stream->layout.vector_bits)
			violate(s, TL_XTRACE_RULE_SNAPSHOT_VECTOR, s->snapshots.next, &snapshot);
		if (snapshot.offset >= s->stream->size) {
			violate(s, TL_XTRACE_RULE_SNAPSHOT_OFFSET, s->snapshots.next, &snapshot);
		} else if (!first && snapshot.offset <= behind) {
			violate(s, TL_XTRACE_RULE_SNAPSHOT_ORDER, s->snapshots.next, &snapshot);
		} else {
			s->snapshots.at = s->stream->data + snapshot.offset;
			return;
		}
	}
}

void tl_xtrace_check_snapshots_begin(struct tl_xtrace_check_stream *s)
{
	struct tl_xtrace_snapshot snapshot;

	if (!s->stream->info.snapshots)
		return;
	read_snapshot(s, 0, &snapshot);
	tl_xtrace_check_space(s, snapshot.sysregs[5]);
	find_next(s, 0, true);
}

/* "Snapshot 0 at the start (0 instructions)". One that is wrong there is told once: from then on
 * counts are held against its own. */
static void check_counts(struct tl_xtrace_check_stream *s,
			 const struct tl_xtrace_snapshot *snapshot)
{
	uint64_t total = snapshot->total - s->counts.ordinal,
		 user = snapshot->user - s->counts.user;

	bool first = !s->snapshots.next,
	     agree = total == s->counts.total_base && user == s->counts.user_base;

	if (s->counts.known && !agree)
		violate(s, TL_XTRACE_RULE_SNAPSHOT_COUNT, s->snapshots.next, snapshot);
	if (!s->counts.known || first) {
		s->counts.total_base = total;
		s->counts.user_base = user;
		s->counts.known = true;
	}
}

/* "0-based part number of the xinsndata stream": another one at the beginning is told once. */
static void check_file(struct tl_xtrace_check_stream *s, const struct tl_xtrace_snapshot *snapshot)
{
	uint64_t expected = s->stream->file_count ? tl_xtrace_file_at(s->stream, snapshot->offset)
						  : s->snapshots.file;

	if (snapshot->file == expected)
		return;
	tl_xtrace_expected(s, "%" PRIu64, expected);
	violate(s, TL_XTRACE_RULE_SNAPSHOT_FILE, s->snapshots.next, snapshot);
	if (!s->snapshots.next)
		s->snapshots.file = snapshot->file;
}

/* NZCV; a zero may be a register that the collector has no way to read. */
static bool same_flags(struct tl_xtrace_registers *r, uint64_t value)
{
	unsigned nzcv = (unsigned)(value >> 28) & 15;
	bool same = !(r->known & TL_XTRACE_KNOWN_FLAGS) || r->nzcv == nzcv;

	if (!nzcv)
		return true;
	r->nzcv = nzcv;
	r->known |= TL_XTRACE_KNOWN_FLAGS;
	return same;
}

/* V0 to V31. All of them are 0 where the collector has no way to read them. */
static bool same_vectors(struct tl_xtrace_vectors *v, const struct tl_xtrace_snapshot *snapshot)
{
	bool same = true, any = false;

	for (unsigned i = 0; i < TL_A64_VECTORS; i++) {
		struct tl_a64_vector value;

		memcpy(value.bytes, snapshot->z + i * (size_t)snapshot->z_stride,
		       sizeof(value.bytes));
		for (unsigned k = 0; k < TL_XTRACE_VECTOR_BYTES; k++)
			any = any || value.bytes[k];
		same = same && !memcmp(value.bytes, v->v[i].bytes, v->known[i]);
	}
	if (!any)
		return true;
	for (unsigned i = 0; i < TL_A64_VECTORS; i++)
		tl_xtrace_vector_load(v, i, 0, snapshot->z + i * (size_t)snapshot->z_stride,
				      TL_XTRACE_VECTOR_BYTES);
	return same;
}

/*
 * What was known is that of the instruction before, or nothing, where a signal's handler begins:
 * the kernel has put other values into registers there, and this snapshot tells where its SP is.
 */
static void check_registers(struct tl_xtrace_check_stream *s,
			    const struct tl_xtrace_snapshot *snapshot)
{
	struct tl_xtrace_registers *r = &s->registers;
	bool agree = true;

	if (tl_xtrace_check_signal_begins(s))
		tl_xtrace_check_signal_sp(s, snapshot->x[TL_XTRACE_REG_SP]);
	for (unsigned i = 0; i < 32; i++) {
		if (tl_xtrace_registers_know(r, i) && r->x[i] != snapshot->x[i])
			agree = false;
		r->x[i] = snapshot->x[i];
	}
	if (!same_flags(r, snapshot->sysregs[2]) || !same_vectors(&s->vectors, snapshot))
		agree = false;
	r->known |= TL_XTRACE_KNOWN_X;
	if (!tl_xtrace_check_sysregs(s, snapshot->sysregs) || !agree)
		violate(s, TL_XTRACE_RULE_SNAPSHOT_REGISTERS, s->snapshots.next, snapshot);
}

bool tl_xtrace_check_snapshot_place(struct tl_xtrace_check_stream *s, enum tl_xtrace_kind kind)
{
	struct tl_xtrace_snapshot snapshot;

	read_snapshot(s, s->snapshots.next, &snapshot);
	/* "Byte offset in xinsndata of the first token after the snapshot", and "a slice start
	 * needs a PCINST". */
	if (s->walk.token != s->snapshots.at || kind != TL_XTRACE_PCINST) {
		violate(s, TL_XTRACE_RULE_SNAPSHOT_OFFSET, s->snapshots.next, &snapshot);
		return false;
	}
	check_file(s, &snapshot);
	check_counts(s, &snapshot);
	return true;
}

void tl_xtrace_check_snapshot_state(struct tl_xtrace_check_stream *s, bool in_place)
{
	struct tl_xtrace_snapshot snapshot;

	read_snapshot(s, s->snapshots.next, &snapshot);
	if (in_place)
		check_registers(s, &snapshot);
	s->snapshots.next++;
	find_next(s, snapshot.offset, false);
}

/* Snapshots behind the last token that could be read. */
void tl_xtrace_check_snapshots_end(struct tl_xtrace_check_stream *s)
{
	struct tl_xtrace_snapshot snapshot;

	while (s->snapshots.at) {
		read_snapshot(s, s->snapshots.next, &snapshot);
		violate(s, TL_XTRACE_RULE_SNAPSHOT_OFFSET, s->snapshots.next++, &snapshot);
		find_next(s, snapshot.offset, false);
	}
}
