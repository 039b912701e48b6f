/* SPDX-License-Identifier: Apache-2.0 */
/* What has to be known of a file before it is merged: one pass over all of its rows. */
#include "profile/kway/kway_piece.h"

#include <string.h>

#include "core/error.h"
#include "core/memory.h"
#include "profile/file/reading.h"

#define P TL_KWAY_PLAIN
#define PLACE TL_KWAY_STRING, TL_KWAY_LINE, P, P
const struct tl_kway_keys tl_kway_keys[TL_PFILE_SECTIONS] = {
	[TL_PFILE_FUNCTIONS] = { 3,
				 true,
				 { TL_KWAY_STRING, TL_KWAY_STRING, TL_KWAY_STRING, P, TL_KWAY_LINE,
				   P } },
	[TL_PFILE_PARTS] = { 5, true, { P, P, P, TL_KWAY_STRING, TL_KWAY_STRING } },
	[TL_PFILE_CONTEXTS] = { 3, true, { TL_KWAY_ABOVE, TL_KWAY_PART, TL_KWAY_FUNCTION } },
	[TL_PFILE_LINES] = { 6, true, { TL_KWAY_FUNCTION, TL_KWAY_PART, PLACE } },
	[TL_PFILE_ARCS] = { 11,
			    true,
			    { TL_KWAY_CALLER, TL_KWAY_FUNCTION, TL_KWAY_PART, PLACE, PLACE } },
	[TL_PFILE_JUMPS] = { 12,
			     true,
			     { TL_KWAY_FUNCTION, TL_KWAY_FUNCTION, TL_KWAY_PART, PLACE, PLACE,
			       TL_KWAY_FLAG } },
	[TL_PFILE_DURATIONS] = { 2, true, { TL_KWAY_FUNCTION, TL_KWAY_PART } },
	[TL_PFILE_SAMPLES] = { 3, true, { TL_KWAY_FUNCTION, TL_KWAY_PART, P } },
};
#undef P
#undef PLACE

/* ---- one row ---- */

struct survey {
	struct tl_kway_piece *piece;
	unsigned section;
	uint32_t events;
	uint64_t last[12], *sums; /* the row before; sums of columns */
	bool begun;
};

static bool key_is_sound(const struct survey *s, enum tl_kway_key kind, uint64_t key,
			 uint64_t number)
{
	const uint64_t *rows = s->piece->rows;

	switch (kind) {
	case TL_KWAY_LINE:
		return key <= UINT32_MAX;
	case TL_KWAY_FLAG:
		return key <= 1;
	case TL_KWAY_STRING:
		if (key >= rows[TL_PFILE_STRINGS])
			return false;
		s->piece->used[key] = true;
		return true;
	case TL_KWAY_CALLER:
		return key == TL_NONE || key < rows[TL_PFILE_FUNCTIONS];
	case TL_KWAY_FUNCTION:
		return key < rows[TL_PFILE_FUNCTIONS];
	case TL_KWAY_PART:
		return key == TL_NONE || key < rows[TL_PFILE_PARTS];
	case TL_KWAY_ABOVE:
		return key <= number;
	default:
		return true;
	}
}

/* Elements are sorted by what says who they are, and none is there twice. */
static bool row_follows(struct survey *s, const uint64_t *row)
{
	unsigned identity = tl_kway_keys[s->section].identity, i = 0;
	bool follows = true;

	while (i < identity && row[i] == s->last[i])
		i++;
	if (s->begun)
		follows = i < identity && row[i] > s->last[i];
	memcpy(s->last, row, identity * sizeof(*row));
	s->begun = true;
	return follows;
}

/* Costs may be negative: what counts is how far from 0 they lead. */
static void add_bounds(struct survey *s, const uint64_t *row)
{
	const struct tl_pfile_layout *layout = &tl_pfile_layouts[s->section];
	uint32_t fields = tl_pfile_fields(s->section, s->events);
	struct tl_kway_bound *bound = &s->piece->bounds[s->section];

	for (uint32_t i = layout->keys; i < fields; i++) {
		bool is_cost = i >= (uint32_t)layout->keys + layout->values;
		uint64_t size = is_cost && row[i] >> 63 ? 0 - row[i] : row[i];

		if (__builtin_add_overflow(s->sums[i], size, &s->sums[i]))
			s->sums[i] = UINT64_MAX;
		if (s->sums[i] > bound->sum)
			bound->sum = s->sums[i];
		if (size > bound->peak)
			bound->peak = size;
	}
}

static int survey_row(void *arg, uint64_t number, const uint64_t *row)
{
	struct survey *s = arg;
	const struct tl_kway_keys *keys = &tl_kway_keys[s->section];

	if (number != s->piece->rows[s->section] || !row_follows(s, row))
		return TL_BAD_RECORD;
	for (unsigned i = 0; i < tl_pfile_layouts[s->section].keys; i++)
		if (!key_is_sound(s, (enum tl_kway_key)keys->kinds[i], row[i], number))
			return TL_BAD_RECORD;
	add_bounds(s, row);
	s->piece->rows[s->section]++;
	return 0;
}

static int survey_section(struct tl_kway_piece *piece, unsigned section, struct tl_error *err)
{
	struct survey s = { .piece = piece, .section = section };
	int status;

	s.events = piece->whole->event_count;
	s.sums = calloc((size_t)tl_pfile_fields(section, s.events) + 1, sizeof(*s.sums));
	if (!s.sums)
		return tl_error_memory(err);
	status = tl_pfile_each_row(&piece->reader, (enum tl_pfile_section)section, s.events,
				   survey_row, &s, err);
	free(s.sums);
	return status;
}

/* ---- what is said once ---- */

struct said {
	struct tl_kway_piece *piece;
	const char **texts; /* by string */
	struct tl_arena arena;
	uint64_t head[4 + TL_PFILE_LOSSES];
	struct tl_event *events;
	size_t count, capacity;
	bool has_head;
	bool unsorted; /* some string is not greater than the one before */
};

static int take_strings(void *arg, const struct tl_pfile_block *block, const uint8_t *content,
			size_t bytes)
{
	struct said *said = arg;
	uint64_t *rows = &said->piece->rows[TL_PFILE_STRINGS];
	size_t room = (size_t)*rows, size = 0;
	char *text = tl_arena_alloc(&said->arena, bytes);
	const char *before = text;
	uint64_t most = *rows + block->rows + 1;
	const char **grown = NULL;

	if (most <= SIZE_MAX / sizeof(*grown))
		grown = realloc(said->texts, (size_t)most * sizeof(*grown));
	if (grown)
		said->texts = grown;
	if (!text || !grown)
		return TL_NO_MEMORY;
	/* Behind rows that are lost the others are of no use here. */
	for (uint32_t i = 0; i < block->rows && block->first == room; i++) {
		tl_pfile_take_string(&content, text, before, &size);
		said->unsorted |= *rows && strcmp(said->texts[*rows - 1], text) >= 0;
		said->texts[(*rows)++] = before = text;
		text += size + 1;
	}
	return 0;
}

static const char *text_of(const struct said *said, uint64_t number)
{
	return number < said->piece->rows[TL_PFILE_STRINGS] ? said->texts[number] : NULL;
}

static int take_head(void *arg, uint64_t number, const uint64_t *row)
{
	struct said *said = arg;

	if (number || row[TL_PFILE_HEAD_CALL_COUNT] > TL_CALLS_NONE ||
	    !text_of(said, row[TL_PFILE_HEAD_FORMAT]))
		return TL_BAD_RECORD;
	memcpy(said->head, row, sizeof(said->head));
	said->has_head = true;
	return 0;
}

/* Costs of inherited events follow from others: such a profile is derived as a whole. */
static int take_event(void *arg, uint64_t number, const uint64_t *row)
{
	struct said *said = arg;
	struct tl_event event = {
		.name = text_of(said, row[0]),
		.long_name = text_of(said, row[1]),
		.unit = text_of(said, row[2]),
		.formula = text_of(said, row[3]),
	};

	if (number != said->count || !event.name || !event.long_name || !event.unit ||
	    !event.formula || *event.formula)
		return TL_BAD_RECORD;
	for (size_t i = 0; i < said->count; i++)
		if (!strcmp(said->events[i].name, event.name))
			return TL_BAD_RECORD;
	if (!tl_grow(&said->events, &said->capacity, said->count + 1, sizeof(event)))
		return TL_NO_MEMORY;
	said->events[said->count++] = event;
	return 0;
}

static int take_note(void *arg, uint64_t number, const uint64_t *row)
{
	struct said *said = arg;
	const struct tl_profile_note note = {
		.status = (enum tl_status) - (int64_t)row[0],
		.offset = row[1],
		.length = row[2],
		.record = row[3],
		.text = text_of(said, row[4]),
		.format = text_of(said, row[5]),
	};

	(void)number;
	if (row[0] > -TL_TOO_LARGE || !note.text || !note.format)
		return TL_BAD_RECORD;
	return tl_profile_add_note(said->piece->whole, &note) ? 0 : TL_NO_MEMORY;
}

static int make_whole(struct said *said, bool *usable, struct tl_error *err)
{
	struct tl_kway_piece *piece = said->piece;
	const uint64_t *head = said->head;
	int status;

	*usable = said->has_head && said->count && !said->unsorted && !piece->reader.fault_count;
	if (!*usable)
		return 0;
	status = tl_profile_make(&piece->whole, text_of(said, head[TL_PFILE_HEAD_FORMAT]),
				 said->events, (uint32_t)said->count, head[TL_PFILE_HEAD_FREQUENCY],
				 err);
	if (status < 0)
		return status;
	piece->whole->timed = head[TL_PFILE_HEAD_FLAGS] & TL_PFILE_TIMED;
	piece->whole->emulated = head[TL_PFILE_HEAD_FLAGS] & TL_PFILE_EMULATED;
	piece->whole->call_count = (enum tl_call_count)head[TL_PFILE_HEAD_CALL_COUNT];
	piece->exact = head[TL_PFILE_HEAD_FLAGS] & TL_PFILE_EXACT;
	tl_pfile_take_losses(&piece->whole->losses, head + TL_PFILE_HEAD_LOSSES);
	/* Nothing is derived of a profile without elements. */
	piece->whole->finished = true;
	return tl_pfile_each_row(&piece->reader, TL_PFILE_NOTES, 0, take_note, said, err);
}

static int read_said(struct tl_kway_piece *piece, bool *usable, struct tl_error *err)
{
	struct said said = { .piece = piece };
	int status = tl_pfile_each_strings(&piece->reader, take_strings, &said, err);

	if (status == 0)
		status = tl_pfile_each_row(&piece->reader, TL_PFILE_HEAD, 0, take_head, &said, err);
	if (status == 0)
		status = tl_pfile_each_row(&piece->reader, TL_PFILE_EVENTS, 0, take_event, &said,
					   err);
	if (status == 0)
		status = make_whole(&said, usable, err);
	free(said.texts);
	free(said.events);
	tl_arena_free(&said.arena);
	return status;
}

/* ---- durations ---- */

/* Durations of which some are missing would give wrong quantiles. */
struct whole_durations {
	struct tl_kway_cursor sums;
	struct tl_pfile_reader reader; /* of these, beside that of the samples */
	uint64_t row[8];
	uint64_t missing;
	struct tl_error *err;
};

static int next_sums(struct whole_durations *d)
{
	int status = tl_kway_cursor_next(&d->sums, d->err);

	d->missing = status == 1 ? d->row[2] : 0;
	return status;
}

static int take_sample(void *arg, uint64_t number, const uint64_t *row)
{
	struct whole_durations *d = arg;

	(void)number;
	if (!d->missing && next_sums(d) != 1)
		return TL_BAD_RECORD;
	if (d->row[0] != row[0] || d->row[1] != row[1] || row[3] > d->missing)
		return TL_BAD_RECORD;
	d->missing -= row[3];
	return 0;
}

static int check_durations(struct tl_kway_piece *piece, struct tl_error *err)
{
	struct whole_durations d = { .err = err };
	int status;

	d.reader = (struct tl_pfile_reader){
		.data = piece->reader.data,
		.size = piece->reader.size,
		.blocks = piece->reader.blocks,
		.count = piece->reader.count,
	};
	tl_kway_cursor_begin(&d.sums, &d.reader, TL_PFILE_DURATIONS, 0, d.row);
	status = tl_pfile_each_row(&piece->reader, TL_PFILE_SAMPLES, 0, take_sample, &d, err);
	if (status == 0 && (d.missing || next_sums(&d) != 0))
		piece->reader.fault_count++;
	d.reader.blocks = NULL; /* they are the other reader's */
	tl_pfile_close(&d.reader);
	return status;
}

/* ---- the whole ---- */

static int survey(struct tl_kway_piece *piece, bool *usable, struct tl_error *err)
{
	int status = read_said(piece, usable, err);

	if (status < 0 || !*usable)
		return status;
	piece->used = tl_alloc_zeroed(piece->rows[TL_PFILE_STRINGS] + 1, sizeof(*piece->used));
	if (!piece->used)
		return tl_error_memory(err);
	for (unsigned section = TL_PFILE_FUNCTIONS; status == 0 && section <= TL_PFILE_SAMPLES;
	     section++)
		status = survey_section(piece, section, err);
	if (status == 0)
		status = check_durations(piece, err);
	if (status == 0)
		status = tl_pfile_verify(&piece->reader, 1, err);
	*usable = !piece->reader.fault_count;
	return status;
}

int tl_kway_piece_open(struct tl_kway_piece *piece, const uint8_t *data, size_t size, bool *usable,
		       struct tl_error *err)
{
	int status;

	*piece = (struct tl_kway_piece){ .exact = false };
	*usable = false;
	status = tl_pfile_open(&piece->reader, data, size, false, err);
	if (status == 0 && !piece->reader.fault_count)
		status = survey(piece, usable, err);
	/* Bytes of a block are needed only while it is merged. */
	free(piece->reader.raw);
	piece->reader.raw = NULL;
	piece->reader.raw_capacity = 0;
	return status;
}

void tl_kway_piece_close(struct tl_kway_piece *piece)
{
	tl_pfile_close(&piece->reader);
	tl_profile_free(piece->whole);
	free(piece->used);
	free(piece->cursor.text);
	free(piece->strings);
	free(piece->functions);
	free(piece->parts);
	free(piece->contexts);
	free(piece->events);
	free(piece->row);
	free(piece->key);
	*piece = (struct tl_kway_piece){ .exact = false };
}

uint64_t tl_kway_piece_memory(const struct tl_kway_piece *piece)
{
	/* a block, its decompressor, and texts */
	enum { FIXED = 2 * TL_PFILE_BLOCK_BYTES + 256 * 1024 };
	const uint64_t *rows = piece->rows;

	return FIXED + piece->reader.count * sizeof(*piece->reader.blocks) +
	       rows[TL_PFILE_STRINGS] * (sizeof(uint32_t) + 1) +
	       (rows[TL_PFILE_FUNCTIONS] + rows[TL_PFILE_PARTS] + rows[TL_PFILE_CONTEXTS]) *
		       sizeof(uint32_t);
}
