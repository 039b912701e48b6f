/* SPDX-License-Identifier: Apache-2.0 */
/* Items as lines: text in columns, or one compact JSON object each. */
#include "callgrind/listing/describe.h"

#include <stdio.h>

#include "callgrind/reader/reader.h"
#include "core/output.h"
#include "core/text/optional.h"

struct dump {
	const struct tl_callgrind_reader *reader;
	const struct tl_callgrind_item *item;
	struct tl_output *out;
	bool json;
};

static const char *const kind_names[TL_CALLGRIND_KIND_COUNT] = {
	[TL_CALLGRIND_COMMENT] = "comment", [TL_CALLGRIND_HEADER] = "header",
	[TL_CALLGRIND_NAME] = "name",       [TL_CALLGRIND_COST] = "cost",
	[TL_CALLGRIND_CALL] = "call",       [TL_CALLGRIND_JUMP] = "jump",
	[TL_CALLGRIND_OTHER] = "other",     [TL_CALLGRIND_LOST] = "lost",
	[TL_CALLGRIND_PART_END] = "part",
};

/* ---- values with their names ---- */

static void put_key(const struct dump *d, const char *name)
{
	if (d->json) {
		tl_put_text(d->out, ",\"");
		tl_put_text(d->out, name);
		tl_put_text(d->out, "\":");
	} else {
		tl_put_char(d->out, ' ');
		tl_put_text(d->out, name);
		tl_put_char(d->out, ' ');
	}
}

static void put_number(const struct dump *d, const char *name, uint64_t value)
{
	put_key(d, name);
	tl_put_u64(d->out, value);
}

static void put_string(const struct dump *d, const char *name, const char *text, size_t size)
{
	put_key(d, name);
	tl_put_json(d->out, text, size);
}

static void put_name(const struct dump *d, const char *name, uint32_t number)
{
	const char *text = tl_callgrind_name(d->reader, number);

	if (number != TL_NONE)
		put_string(d, name, text, strlen(text));
}

static void put_address(const struct dump *d, const char *name, uint64_t address)
{
	put_key(d, name);
	if (d->json)
		tl_put_char(d->out, '"');
	tl_put_hex(d->out, address);
	if (d->json)
		tl_put_char(d->out, '"');
}

static const char *const at_names[TL_CALLGRIND_COLUMNS] = { "instr", "bb", "line_number" };
static const char *const to_names[TL_CALLGRIND_COLUMNS] = { "to_instr", "to_bb", "to_line" };

/* "position_" and the word of "positions:", which may be any text. */
static void put_further(const struct dump *d, const char *prefix, const char *word, uint64_t value)
{
	char key[64];
	int size = snprintf(key, sizeof(key), "%sposition_%s", prefix, word);

	tl_put_char(d->out, d->json ? ',' : ' ');
	tl_put_json(d->out, key, size < (int)sizeof(key) ? (size_t)size : sizeof(key) - 1);
	tl_put_char(d->out, d->json ? ':' : ' ');
	tl_put_u64(d->out, value);
}

/* Only the columns that the part has, with the names of its "positions:" line. */
static void put_place(const struct dump *d, const struct tl_callgrind_position *place,
		      const uint64_t *further, const char *const names[TL_CALLGRIND_COLUMNS])
{
	for (unsigned i = 0; i < d->reader->positions.count; i++) {
		unsigned column = d->reader->positions.columns[i];

		if (column >= TL_CALLGRIND_COLUMNS)
			put_further(d, tl_text_if(names == to_names, "to_"),
				    d->reader->positions.names[i],
				    further[column - TL_CALLGRIND_COLUMNS]);
		else if (column == TL_CALLGRIND_COLUMN_LINE)
			put_number(d, names[column], place->line);
		else
			put_address(d, names[column],
				    column == TL_CALLGRIND_COLUMN_INSTR ? place->address
									: place->block);
	}
}

static void put_list(const struct dump *d, const char *name, const int64_t *values, size_t count)
{
	put_key(d, name);
	tl_put_char(d->out, '[');
	for (size_t i = 0; i < count; i++) {
		if (i)
			tl_put_char(d->out, d->json ? ',' : ' ');
		tl_put_i64(d->out, values[i]);
	}
	tl_put_char(d->out, ']');
}

static void put_costs(const struct dump *d)
{
	put_list(d, "costs", d->item->costs, d->item->cost_count);
}

static void put_owner(const struct dump *d)
{
	put_name(d, "object", d->item->owner.object);
	put_name(d, "owner_file", d->item->owner.file);
	put_name(d, "file", d->item->file);
	put_name(d, "function", d->item->owner.function);
}

static void put_target(const struct dump *d)
{
	put_name(d, "to_object", d->item->target.object);
	put_name(d, "to_file", d->item->target.file);
	put_name(d, "to_function", d->item->target.function);
	put_place(d, &d->item->to, d->item->further.to, to_names);
}

/* ---- kinds ---- */

static void dump_text(const struct dump *d)
{
	if (d->item->kind == TL_CALLGRIND_HEADER || d->item->kind == TL_CALLGRIND_OTHER)
		put_string(d, "key", d->item->key, strlen(d->item->key));
	put_string(d, "text", d->item->text, d->item->text_size);
}

static void dump_lost(const struct dump *d)
{
	put_number(d, "length", d->item->length);
	dump_text(d);
}

static void dump_name(const struct dump *d)
{
	put_string(d, "key", d->item->key, strlen(d->item->key));
	if (d->item->name.has_id)
		put_string(d, "id", d->item->name.id, d->item->name.id_size);
	put_name(d, "name", d->item->name.number);
}

static void dump_cost(const struct dump *d)
{
	put_owner(d);
	put_place(d, &d->item->at, d->item->further.at, at_names);
	put_costs(d);
}

static void dump_call(const struct dump *d)
{
	put_owner(d);
	put_place(d, &d->item->at, d->item->further.at, at_names);
	put_number(d, "calls", d->item->count);
	put_target(d);
	put_costs(d);
}

static void dump_jump(const struct dump *d)
{
	put_owner(d);
	put_place(d, &d->item->at, d->item->further.at, at_names);
	put_number(d, "executed", d->item->count);
	if (d->item->conditional)
		put_number(d, "followed", d->item->taken);
	put_target(d);
}

static void put_sums(const struct dump *d, const char *name, const struct tl_callgrind_sums *sums)
{
	if (sums->line)
		put_list(d, name, sums->values, sums->count);
}

static void dump_part(const struct dump *d)
{
	put_number(d, "length", d->item->length);
	put_costs(d);
	put_sums(d, "totals", &d->reader->part.totals);
	put_sums(d, "summary", &d->reader->part.summary);
}

static void (*const dump_kind[TL_CALLGRIND_KIND_COUNT])(const struct dump *d) = {
	[TL_CALLGRIND_COMMENT] = dump_text,  [TL_CALLGRIND_HEADER] = dump_text,
	[TL_CALLGRIND_NAME] = dump_name,     [TL_CALLGRIND_COST] = dump_cost,
	[TL_CALLGRIND_CALL] = dump_call,     [TL_CALLGRIND_JUMP] = dump_jump,
	[TL_CALLGRIND_OTHER] = dump_text,    [TL_CALLGRIND_LOST] = dump_lost,
	[TL_CALLGRIND_PART_END] = dump_part,
};

static void begin_line(const struct dump *d)
{
	const struct tl_callgrind_item *item = d->item;

	if (d->json) {
		tl_put_text(d->out, "{\"offset\":");
		tl_put_u64(d->out, item->offset);
		tl_put_text(d->out, ",\"record\":\"");
		tl_put_text(d->out, kind_names[item->kind]);
		tl_put_char(d->out, '"');
	} else {
		tl_put_hex(d->out, item->offset);
		tl_put_char(d->out, ' ');
		tl_put_text(d->out, kind_names[item->kind]);
	}
	put_number(d, "line", item->line);
	put_number(d, "part", item->part);
}

int tl_callgrind_dump(struct tl_callgrind_reader *reader, bool json, struct tl_output *out,
		      struct tl_error *err)
{
	struct dump d = { reader, &reader->item, out, json };
	int status;

	while ((status = tl_callgrind_step(reader, err)) > 0 && !tl_output_failed(out)) {
		begin_line(&d);
		dump_kind[reader->item.kind](&d);
		tl_put_text(out, json ? "}\n" : "\n");
	}
	return status < 0 ? tl_error_format(err, "callgrind", status) : 0;
}
