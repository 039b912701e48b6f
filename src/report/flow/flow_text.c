/* SPDX-License-Identifier: Apache-2.0 */
/* The comparison of two executions as text. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/file.h"
#include "core/output.h"
#include "core/text/optional.h"
#include "report/flow/flow_table.h"
#include "report/number_text.h"

enum { STACK_SHOWN = 64, NUMBER_COLUMN = 12 };

/* ---- places ---- */

/* "main+0x1c", "prog+0x1139", "0x401139". */
static void put_place(struct tl_output *out, const struct tl_flow_spot *spot)
{
	if (*spot->function) {
		tl_put_name(out, spot->function);
		if (spot->into)
			tl_put_format(out, "+0x%" PRIx64, spot->into);
		return;
	}
	if (*spot->object) {
		tl_put_name(out, tl_file_base_name(spot->object));
		tl_put_char(out, '+');
	}
	tl_put_format(out, "0x%" PRIx64, spot->offset);
}

/* The same, with the object and the address. */
static void put_whole_place(struct tl_output *out, const struct tl_flow_spot *spot)
{
	put_place(out, spot);
	if (*spot->function && *spot->object) {
		tl_put_text(out, "  [");
		tl_put_name(out, spot->object);
		tl_put_char(out, ']');
	}
	tl_put_format(out, "  0x%" PRIx64, spot->address);
}

static void put_line(struct tl_output *out, const char *head, const struct tl_flow_spot *spot)
{
	tl_put_text(out, head);
	put_whole_place(out, spot);
	tl_put_char(out, '\n');
}

/* ---- a stream ---- */

static void put_id(struct tl_output *out, const char *kind, uint64_t id)
{
	if (id != TL_NOWHERE)
		tl_put_format(out, ", %s %" PRIu64, kind, id);
}

static void put_side(struct tl_output *out, const char *name, const struct tl_flow_stream *stream,
		     int side)
{
	tl_put_text(out, name);
	tl_put_count(out, stream->instructions[side]);
	tl_put_text(out, " instruction");
	tl_put_plural(out, stream->instructions[side]);
	put_id(out, "process", stream->process[side]);
	put_id(out, "thread", stream->thread[side]);
	tl_put_char(out, '\n');
}

static void put_sum(struct tl_output *out, const struct tl_flow_stream *stream)
{
	char share[TL_VALUE_ROOM];
	const uint64_t larger = stream->instructions[0] > stream->instructions[1]
					? stream->instructions[0]
					: stream->instructions[1];

	tl_format_share(share, (int64_t)stream->common, (int64_t)larger);
	tl_put_text(out, "same    ");
	tl_put_count(out, stream->common);
	tl_put_format(out, ", %s of the larger side", share);
	if (stream->differences) {
		tl_put_text(out, "; they part ");
		tl_put_count(out, stream->differences);
		tl_put_text(out, stream->differences == 1 ? " time" : " times");
	}
	if (stream->missing) {
		tl_put_text(out, "; not known at ");
		tl_put_count(out, stream->missing);
		tl_put_text(out, " place");
		tl_put_plural(out, stream->missing);
		tl_put_text(out, ", where trace is missing");
	}
	tl_put_char(out, '\n');
	if (!stream->complete)
		tl_put_text(out, "They do not meet again within the window behind the last "
				 "difference: nothing was compared there.\n");
}

static bool find_first(const struct tl_flow *flow, size_t number, uint64_t listed,
		       struct tl_flow_difference *first)
{
	for (uint64_t i = 0; i < listed; i++)
		if (tl_flow_difference(flow, number, i, first, sizeof(*first)) == 0 &&
		    first->reason != TL_FLOW_MISSING)
			return true;
	return false;
}

static void put_next(struct tl_output *out, const char *head, const struct tl_flow_difference *d,
		     int side)
{
	if (d->has_next[side])
		put_line(out, head, &d->next[side]);
	else
		tl_put_format(out, "%sends here\n", head);
}

static void put_stack(const struct tl_flow_table *table, size_t number)
{
	struct tl_flow_spot spot;
	uint64_t i = 1;

	for (; i <= STACK_SHOWN && tl_flow_stack(table->flow, number, i, &spot, sizeof(spot)) == 0;
	     i++)
		put_line(table->out, i == 1 ? "  called   " : "           ", &spot);
	if (i > STACK_SHOWN && tl_flow_stack(table->flow, number, i, &spot, sizeof(spot)) == 0)
		tl_put_text(table->out, "           ...\n");
}

static void put_count_of(struct tl_output *out, const struct tl_flow_difference *d)
{
	tl_put_text(out, "  until    ");
	tl_put_count(out, d->instructions[0]);
	tl_put_text(out, " before and ");
	tl_put_count(out, d->instructions[1]);
	tl_put_text(out, " after are passed over");
	tl_put_text(out, d->meets ? "\n" : ", up to the end\n");
}

static void put_first(const struct tl_flow_table *table, size_t number,
		      const struct tl_flow_difference *d)
{
	struct tl_output *out = table->out;

	tl_put_text(out, "\nFirst difference, behind ");
	tl_put_count(out, d->ordinal[0]);
	tl_put_text(out, " instruction");
	tl_put_plural(out, d->ordinal[0]);
	if (d->ordinal[1] != d->ordinal[0]) {
		tl_put_text(out, " before and ");
		tl_put_count(out, d->ordinal[1]);
		tl_put_text(out, " after");
	}
	tl_put_format(
		out, " (in the files behind 0x%" PRIx64 " and 0x%" PRIx64 ")%s\n", d->offset[0],
		d->offset[1],
		tl_text_if(d->reason == TL_FLOW_OTHER_CODE, ": other code at the same place"));
	if (d->has_last)
		put_line(out, "  last     ", &d->last[0]);
	put_next(out, "  before   ", d, 0);
	put_next(out, "  after    ", d, 1);
	put_stack(table, number);
	put_count_of(out, d);
}

/* ---- places ---- */

static void put_number(struct tl_output *out, uint64_t number)
{
	char text[TL_VALUE_ROOM];
	const size_t length = tl_format_count(text, number);

	tl_put_right(out, text, length, NUMBER_COLUMN);
	tl_put_text(out, "  ");
}

static void put_target(struct tl_output *out, const char *head, bool there,
		       const struct tl_flow_spot *spot)
{
	tl_put_text(out, head);
	if (there)
		put_place(out, spot);
	else
		tl_put_text(out, "(ends)");
}

static void put_partings(const struct tl_flow_table *table, size_t number, uint64_t count)
{
	static const char *const heads[] = { "times", "before", "after" };
	struct tl_output *out = table->out;
	struct tl_flow_parting p;

	tl_put_char(out, '\n');
	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		tl_put_right(out, heads[i], strlen(heads[i]), NUMBER_COLUMN);
		tl_put_text(out, "  ");
	}
	tl_put_text(out, "parts behind: before | after\n");
	for (uint64_t i = 0; i < count && i < table->rows && !tl_output_failed(out); i++) {
		if (tl_flow_parting(table->flow, number, i, &p, sizeof(p)) < 0)
			return;
		put_number(out, p.times);
		put_number(out, p.instructions[0]);
		put_number(out, p.instructions[1]);
		if (p.has_last)
			put_place(out, &p.last);
		else
			tl_put_text(out, "(begin)");
		put_target(out, ": ", p.has_next[0], &p.next[0]);
		put_target(out, " | ", p.has_next[1], &p.next[1]);
		tl_put_char(out, '\n');
	}
	if (count > table->rows) {
		tl_put_text(out, "... and ");
		tl_put_count(out, count - table->rows);
		tl_put_text(out, " more place");
		tl_put_plural(out, count - table->rows);
		tl_put_char(out, '\n');
	}
}

static void put_stream(const struct tl_flow_table *table, size_t number)
{
	struct tl_flow_difference first;
	struct tl_flow_stream stream;

	if (tl_flow_stream(table->flow, number, &stream, sizeof(stream)) < 0)
		return;
	put_side(table->out, "before  ", &stream, 0);
	put_side(table->out, "after   ", &stream, 1);
	put_sum(table->out, &stream);
	if (find_first(table->flow, number, stream.listed, &first))
		put_first(table, number, &first);
	if (stream.partings)
		put_partings(table, number, stream.partings);
}

void tl_flow_put_text(const struct tl_flow_table *table)
{
	const size_t count = tl_flow_stream_count(table->flow);

	for (size_t i = 0; i < count; i++) {
		if (i)
			tl_put_char(table->out, '\n');
		put_stream(table, i);
	}
}
