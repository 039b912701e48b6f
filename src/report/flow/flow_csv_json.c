/* SPDX-License-Identifier: Apache-2.0 */
/* The comparison of two executions for programs: CSV (RFC 4180), and one JSON object. */
#include <inttypes.h>
#include <string.h>

#include "core/output.h"
#include "core/text/optional.h"
#include "report/flow/flow_table.h"

/* ---- CSV ---- */

static void put_csv_u64(struct tl_output *out, uint64_t number)
{
	tl_put_char(out, ',');
	tl_put_u64(out, number);
}

/* function,object,offset,address: empty where there is none. */
static void put_csv_spot(struct tl_output *out, bool there, const struct tl_flow_spot *spot)
{
	tl_put_char(out, ',');
	if (there)
		tl_put_csv(out, spot->function);
	tl_put_char(out, ',');
	if (there)
		tl_put_csv(out, spot->object);
	if (there)
		tl_put_format(out, ",0x%" PRIx64 ",0x%" PRIx64, spot->offset, spot->address);
	else
		tl_put_text(out, ",,");
}

static void put_csv_stream(const struct tl_flow_table *table, size_t number, uint64_t count)
{
	struct tl_output *out = table->out;
	struct tl_flow_parting p;

	for (uint64_t i = 0; i < count && i < table->rows && !tl_output_failed(out); i++) {
		if (tl_flow_parting(table->flow, number, i, &p, sizeof(p)) < 0)
			return;
		tl_put_u64(out, number);
		put_csv_u64(out, p.times);
		put_csv_u64(out, p.instructions[0]);
		put_csv_u64(out, p.instructions[1]);
		put_csv_u64(out, p.ordinal);
		put_csv_spot(out, p.has_last, &p.last);
		put_csv_spot(out, p.has_next[0], &p.next[0]);
		put_csv_spot(out, p.has_next[1], &p.next[1]);
		tl_put_char(out, '\n');
	}
}

void tl_flow_put_csv(const struct tl_flow_table *table)
{
	struct tl_flow_stream stream;

	tl_put_text(table->out,
		    "stream,times,instructions:before,instructions:after,ordinal,function,"
		    "object,offset,address,function:before,object:before,offset:before,"
		    "address:before,function:after,object:after,offset:after,"
		    "address:after\n");
	for (size_t i = 0; tl_flow_stream(table->flow, i, &stream, sizeof(stream)) == 0; i++)
		put_csv_stream(table, i, stream.partings);
}

/* ---- JSON ---- */

static const char *reason_name(enum tl_flow_reason reason)
{
	static const char *const names[] = {
		[TL_FLOW_OTHER_WAY] = "other-way",     [TL_FLOW_OTHER_CODE] = "other-code",
		[TL_FLOW_BEFORE_ENDS] = "before-ends", [TL_FLOW_AFTER_ENDS] = "after-ends",
		[TL_FLOW_MISSING] = "missing",
	};

	return names[reason];
}

static void put_key(struct tl_output *out, const char *key)
{
	tl_put_format(out, ",\"%s\":", key);
}

static void put_json_text(struct tl_output *out, const char *key, const char *text)
{
	put_key(out, key);
	tl_put_json(out, text, strlen(text));
}

static void put_json_spot(struct tl_output *out, bool there, const struct tl_flow_spot *spot)
{
	if (!there) {
		tl_put_text(out, "null");
		return;
	}
	tl_put_text(out, "{\"function\":");
	tl_put_json(out, spot->function, strlen(spot->function));
	put_json_text(out, "object", spot->object);
	tl_put_format(out,
		      ",\"into\":%" PRIu64 ",\"offset\":\"0x%" PRIx64 "\",\"address\":\"0x%" PRIx64
		      "\"}",
		      spot->into, spot->offset, spot->address);
}

static void put_id(struct tl_output *out, uint64_t id)
{
	if (id == TL_NOWHERE)
		tl_put_text(out, "null");
	else
		tl_put_u64(out, id);
}

static void put_pair(struct tl_output *out, const char *key, const uint64_t numbers[2])
{
	put_key(out, key);
	tl_put_text(out, "{\"before\":");
	put_id(out, numbers[0]);
	tl_put_text(out, ",\"after\":");
	put_id(out, numbers[1]);
	tl_put_char(out, '}');
}

static void put_spots(struct tl_output *out, const char *key, const bool there[2],
		      const struct tl_flow_spot spots[2])
{
	put_key(out, key);
	tl_put_text(out, "{\"before\":");
	put_json_spot(out, there[0], &spots[0]);
	tl_put_text(out, ",\"after\":");
	put_json_spot(out, there[1], &spots[1]);
	tl_put_char(out, '}');
}

static void put_differences(const struct tl_flow_table *table, size_t number, uint64_t listed)
{
	struct tl_output *out = table->out;
	struct tl_flow_difference d;

	put_key(out, "differences");
	tl_put_char(out, '[');
	for (uint64_t i = 0; i < listed && !tl_output_failed(out); i++) {
		if (tl_flow_difference(table->flow, number, i, &d, sizeof(d)) < 0)
			return;
		tl_put_format(out, "%s{\"reason\":\"%s\",\"meets\":%s", tl_text_if(i, ","),
			      reason_name(d.reason), d.meets ? "true" : "false");
		put_pair(out, "ordinal", d.ordinal);
		put_pair(out, "near", d.offset);
		put_pair(out, "instructions", d.instructions);
		put_spots(out, "last", (const bool[]){ d.has_last, d.has_last }, d.last);
		put_spots(out, "next", d.has_next, d.next);
		tl_put_char(out, '}');
	}
	tl_put_char(out, ']');
}

static void put_partings(const struct tl_flow_table *table, size_t number, uint64_t count)
{
	struct tl_output *out = table->out;
	struct tl_flow_parting p;

	put_key(out, "partings");
	tl_put_char(out, '[');
	for (uint64_t i = 0; i < count && i < table->rows && !tl_output_failed(out); i++) {
		if (tl_flow_parting(table->flow, number, i, &p, sizeof(p)) < 0)
			return;
		tl_put_format(out, "%s{\"times\":%" PRIu64 ",\"ordinal\":%" PRIu64,
			      tl_text_if(i, ","), p.times, p.ordinal);
		put_pair(out, "instructions", p.instructions);
		put_key(out, "last");
		put_json_spot(out, p.has_last, &p.last);
		put_spots(out, "next", p.has_next, p.next);
		tl_put_char(out, '}');
	}
	tl_put_char(out, ']');
}

static void put_stack(const struct tl_flow_table *table, size_t number)
{
	struct tl_flow_spot spot;

	put_key(table->out, "stack");
	tl_put_char(table->out, '[');
	for (uint64_t i = 0; tl_flow_stack(table->flow, number, i, &spot, sizeof(spot)) == 0; i++) {
		if (i)
			tl_put_char(table->out, ',');
		put_json_spot(table->out, true, &spot);
	}
	tl_put_char(table->out, ']');
}

void tl_flow_put_json(const struct tl_flow_table *table)
{
	const uint64_t unpaired[2] = { tl_flow_unpaired(table->flow, false),
				       tl_flow_unpaired(table->flow, true) };
	struct tl_output *out = table->out;
	struct tl_flow_stream stream;

	tl_put_text(out, "{\"streams\":[");
	for (size_t i = 0; tl_flow_stream(table->flow, i, &stream, sizeof(stream)) == 0; i++) {
		tl_put_format(out, "%s{\"same\":%" PRIu64, tl_text_if(i, ","), stream.common);
		tl_put_format(out, ",\"parts\":%" PRIu64 ",\"missing\":%" PRIu64 ",\"complete\":%s",
			      stream.differences, stream.missing,
			      stream.complete ? "true" : "false");
		put_pair(out, "instructions", stream.instructions);
		put_pair(out, "process", stream.process);
		put_pair(out, "thread", stream.thread);
		put_stack(table, i);
		put_differences(table, i, stream.listed);
		put_partings(table, i, stream.partings);
		tl_put_char(out, '}');
	}
	tl_put_char(out, ']');
	put_pair(out, "unpaired", unpaired);
	tl_put_text(out, "}\n");
}
