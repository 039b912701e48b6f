/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions as lines, of one stream or of several in the order of TIME. */
#include <stdlib.h>

#include "core/error.h"
#include "core/output.h"
#include "xtrace/format/time_order.h"
#include "xtrace/listing/insn_line.h"

/* ---- lines ---- */

static bool is_selected(const struct tl_xtrace_select *select,
			const struct tl_xtrace_insn_tokens *insn)
{
	if (insn->ordinal < select->from_ordinal || insn->ordinal >= select->to_ordinal)
		return false;
	if (!select->from_pc && select->to_pc == TL_NOWHERE)
		return true;
	return insn->pc_known && insn->pc >= select->from_pc && insn->pc < select->to_pc;
}

enum outcome {
	SEGMENT_ENDS,
	LIMIT_REACHED,
	ALL_SHOWN, /* that is wanted */
};

/* The instructions of a segment up to where `limit` (NULL: no limit) stands, which is where one
 * begins. */
static enum outcome dump_segment(const struct tl_xtrace_insn_lines *d, struct tl_xtrace_walk *walk,
				 uint64_t *ordinal, const uint8_t *limit)
{
	const struct tl_xtrace_stream *s = walk->stream;
	struct tl_xtrace_walk w = *walk;
	struct tl_xtrace_insn_tokens insn = { .at = NULL };
	enum tl_xtrace_kind kind = TL_XTRACE_NONE;
	bool limited = false;

	while (!(limited = limit && w.next >= limit) &&
	       (kind = tl_xtrace_walk_next(&w)) != TL_XTRACE_NONE) {
		bool instruction = tl_xtrace_is_instruction(kind);

		if (!instruction && kind != TL_XTRACE_SVCRET && kind != TL_XTRACE_ALLGPR)
			continue;
		insn.end = w.token;
		if (insn.at && is_selected(d->select, &insn))
			tl_xtrace_put_insn_line(d, s, &insn);
		insn.at = NULL;
		if (!instruction)
			continue;
		if (*ordinal >= d->select->to_ordinal || tl_output_failed(d->out))
			break;
		insn.opcode = tl_xtrace_walk_instruction(&w, kind);
		insn.at = w.token;
		insn.pc = w.pc;
		insn.pc_known = w.pc_known;
		insn.el = (uint8_t)tl_xtrace_walk_el(&w);
		insn.ordinal = (*ordinal)++;
	}
	insn.end = w.next;
	if (insn.at && is_selected(d->select, &insn))
		tl_xtrace_put_insn_line(d, s, &insn);
	*walk = w;
	if (limited)
		return LIMIT_REACHED;
	return kind == TL_XTRACE_NONE ? SEGMENT_ENDS : ALL_SHOWN;
}

/* ---- which part ---- */

/* The segment to begin with: that of the first snapshot, or the last one that begins before the
 * first ordinal. */
static size_t first_segment(const struct tl_xtrace_insn_lines *d, uint32_t stream,
			    uint64_t *ordinal)
{
	const struct tl_xtrace_stream *s = &d->trace->streams[stream];
	size_t first = 0;

	*ordinal = 0;
	for (size_t i = 0; i < s->segment_count; i++) {
		struct tl_xtrace_snapshot snapshot;
		uint32_t number = s->segments[i].snapshot;

		if (number == TL_NONE ||
		    tl_xtrace_read_snapshot(d->trace, stream, number, &snapshot) < 0)
			continue;
		if (number > d->select->from_snapshot && snapshot.total > d->select->from_ordinal)
			break;
		if (number > d->select->from_snapshot && d->select->from_snapshot &&
		    !d->select->from_ordinal)
			break;
		first = i;
		*ordinal = snapshot.total;
	}
	return first;
}

static int dump_stream(const struct tl_xtrace_insn_lines *d, uint32_t stream, struct tl_error *err)
{
	const struct tl_xtrace_stream *s = &d->trace->streams[stream];
	uint64_t ordinal;
	bool more = true;

	if (d->select->from_snapshot && d->select->from_snapshot >= s->info.snapshots)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE, "a stream has no such snapshot");
	for (size_t i = first_segment(d, stream, &ordinal); more && i < s->segment_count; i++) {
		struct tl_xtrace_walk walk;
		int status;

		if (s->segments[i].snapshot != TL_NONE &&
		    s->segments[i].snapshot >= d->select->to_snapshot)
			break;
		tl_xtrace_walk_begin(&walk, d->trace, s, &s->segments[i]);
		more = dump_segment(d, &walk, &ordinal, NULL) == SEGMENT_ENDS;
		status = more ? tl_xtrace_walk_end(&walk, err) : 0;
		if (status < 0)
			return status;
	}
	return 0;
}

/* ---- several streams in the order of TIME ---- */

/* How far a stream is. */
struct stream_position {
	struct tl_xtrace_walk walk;
	size_t segment;
	uint64_t ordinal;
	bool begun; /* the segment is */
	bool over;
};

/* Instructions of a stream up to an offset. */
static int dump_until(const struct tl_xtrace_insn_lines *d, const struct tl_xtrace_stream *s,
		      struct stream_position *head, uint64_t end, struct tl_error *err)
{
	int status = 0;

	while (status == 0 && !head->over) {
		enum outcome outcome;

		if (!head->begun)
			tl_xtrace_walk_begin(&head->walk, d->trace, s, &s->segments[head->segment]);
		head->begun = true;
		outcome = dump_segment(d, &head->walk, &head->ordinal, s->data + end);
		if (outcome == LIMIT_REACHED)
			break;
		if (outcome == SEGMENT_ENDS)
			status = tl_xtrace_walk_end(&head->walk, err);
		head->begun = false;
		head->over = outcome == ALL_SHOWN || ++head->segment == s->segment_count;
	}
	return status;
}

static int dump_merged(const struct tl_xtrace_insn_lines *d, const bool *wanted,
		       struct tl_error *err)
{
	struct stream_position *heads = calloc(d->trace->stream_count, sizeof(*heads));
	struct tl_xtrace_time_order order;
	uint32_t stream;
	uint64_t end;
	int status;

	if (!heads)
		return tl_error_memory(err);
	status = tl_xtrace_time_order_begin(&order, d->trace, wanted, err);
	while (status == 0 && !tl_output_failed(d->out) &&
	       tl_xtrace_time_order_next(&order, &stream, &end))
		status = dump_until(d, &d->trace->streams[stream], &heads[stream], end, err);
	tl_xtrace_time_order_end(&order);
	free(heads);
	return status;
}

/* A part that snapshots name is one of each stream, and shown so. */
static int dump_wanted(const struct tl_xtrace_insn_lines *d, const bool *wanted,
		       struct tl_error *err)
{
	bool parts = d->select->from_snapshot || d->select->to_snapshot != TL_NONE;
	int status = 0;

	if (d->several && !d->select->by_stream && !parts)
		return dump_merged(d, wanted, err);
	for (uint32_t i = 0; status == 0 && i < d->trace->stream_count; i++)
		if (wanted[i])
			status = dump_stream(d, i, err);
	return status;
}

int tl_xtrace_list_instructions(struct tl_xtrace_trace *trace,
				const struct tl_xtrace_select *select,
				const struct tl_xtrace_insn_text_options *shown, bool json,
				struct tl_output *out, struct tl_error *err)
{
	struct tl_xtrace_insn_lines d = { trace, select, shown, out, json, trace->stream_count > 1,
					  NULL,  NULL };
	bool *wanted = calloc(trace->stream_count, sizeof(*wanted));
	int status;

	d.slots = calloc((size_t)1 << TL_XTRACE_INSN_SLOT_BITS, sizeof(*d.slots));
	d.text = shown->no_text ? NULL : tl_a64_text_open();
	status = tl_error_unless_made(wanted && d.slots && (d.text || shown->no_text), err);
	tl_xtrace_rewind(trace);
	for (uint32_t i = 0; status == 0 && i < trace->stream_count; i++)
		wanted[i] = tl_xtrace_selects_stream(select, &trace->streams[i]);
	if (status == 0)
		status = dump_wanted(&d, wanted, err);
	tl_a64_text_close(d.text);
	free(d.slots);
	free(wanted);
	return tl_error_format(err, "xtrace", status);
}
