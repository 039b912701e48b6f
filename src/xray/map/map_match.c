/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a program can be the one that ran: it must have every function of the trace, with sleds
 * for its records.
 */
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/memory.h"
#include "xray/format/function_ids.h"
#include "xray/map/map.h"
#include "xray/records/reader.h"

bool tl_xray_note_uses(struct tl_xray_uses *uses, const uint32_t *ids, const uint8_t *actions,
		       size_t count)
{
	if (!tl_grow(&uses->list, &uses->capacity, uses->count + count + 1, sizeof(*uses->list)))
		return false;
	for (size_t i = 0; i < count; i++)
		if (actions[i])
			uses->list[uses->count++] = (struct tl_xray_use){ ids[i], actions[i] };
	return true;
}

#define SLED(kind) (1u << TL_XRAY_SLED_##kind)

/*
 * The sleds that can write each record; one of them must exist. A sled for arguments writes plain
 * entries where no handler for arguments is set, and on some processors a tail exit is a plain
 * exit.
 */
#define NOT_IT "is not the program that ran, its names were not used: the trace has "

static const struct {
	unsigned sleds;
	const char *text;
	/* clang-format off */
} needs[] = {
	[TL_XRAY_ENTER] = { SLED(ENTER) | SLED(ENTER_ARGS),
			    NOT_IT "entries of a function that has no sled for them" },
	[TL_XRAY_EXIT] = { SLED(EXIT) | SLED(TAIL_EXIT),
	  NOT_IT "exits of a function that has no sled for them" },
	[TL_XRAY_TAIL_EXIT] = { SLED(TAIL_EXIT),
	  NOT_IT "tail exits of a function that has no sled for them" },
	[TL_XRAY_ENTER_ARGS] = { SLED(ENTER_ARGS),
	  NOT_IT "arguments of a function that has no sled for them" },
};
/* clang-format on */

static const char *refutes(const struct tl_xray_map *map, const struct tl_xray_use *use)
{
	const uint32_t id = use->id & ((1u << TL_XRAY_OBJECT_SHIFT) - 1);
	const struct tl_xray_map_function *function = tl_xray_map_function(map, id);

	if (!function)
		return NOT_IT "functions that its instrumentation map does not have";
	for (unsigned action = 0; action < sizeof(needs) / sizeof(needs[0]); action++)
		if (use->actions >> action & 1 && !(function->kinds & needs[action].sleds))
			return needs[action].text;
	return NULL;
}

const char *tl_xray_map_refutes(const struct tl_xray_map *map, uint32_t object,
				const struct tl_xray_uses *uses)
{
	const char *text = NULL;

	/* What was written beside the log is of this log. */
	if (map->spans)
		return NULL;
	for (size_t i = 0; !text && i < uses->count; i++)
		if (uses->list[i].id >> TL_XRAY_OBJECT_SHIFT == object)
			text = refutes(map, &uses->list[i]);
	return text;
}

void tl_xray_map_fits(const struct tl_xray_map *map, const struct tl_xray_uses *uses,
		      bool fits[TL_XRAY_OBJECTS])
{
	memset(fits, true, TL_XRAY_OBJECTS * sizeof(*fits));
	for (size_t i = 0; i < uses->count; i++) {
		const uint32_t object = uses->list[i].id >> TL_XRAY_OBJECT_SHIFT;

		if (fits[object])
			fits[object] = !refutes(map, &uses->list[i]);
	}
}

/* ---- functions and records of a trace, without folding it ---- */

struct collection {
	struct tl_xray_ids ids;
	uint8_t *actions;
	size_t capacity;
};

static bool note(struct collection *c, const struct tl_xray_record *record)
{
	uint32_t number = tl_xray_ids_find(&c->ids, record->function);

	if (number == TL_NONE) {
		number = tl_xray_ids_add(&c->ids, record->function);
		if (number == TL_NONE || !tl_grow(&c->actions, &c->capacity, number + (size_t)1, 1))
			return false;
		c->actions[number] = 0;
	}
	c->actions[number] |= (uint8_t)(1u << record->action);
	return true;
}

int tl_xray_collect_uses(struct tl_xray_reader *reader, struct tl_error *err)
{
	struct collection c = { .actions = NULL };
	struct tl_xray_faults unnoted = { 0 };
	struct tl_xray_record record;
	struct tl_xray_stream stream;
	bool ok = true;
	int status = 1;

	reader->uses.count = 0;
	tl_xray_stream_begin(&stream, reader, NULL, 0, (uint32_t)reader->block_count, &unnoted);
	while (ok && status == 1 && (status = tl_xray_stream_next(&stream, &record, NULL)) == 1)
		if (record.kind == TL_XRAY_FUNCTION)
			ok = note(&c, &record);
	tl_xray_stream_end(&stream);
	ok = ok && tl_xray_note_uses(&reader->uses, c.ids.ids, c.actions, c.ids.count);
	tl_xray_ids_free(&c.ids);
	free(c.actions);
	free(unnoted.list);
	if (!ok)
		return tl_error_memory(err);
	return 0;
}
