/* SPDX-License-Identifier: Apache-2.0 */
#include "core/arithmetic.h"
#include "view/web/enclosed.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "core/error.h"
#include "core/output.h"
#include "view/web/answer.h"

/* What a page has room for: the text of all calls is to stay below 20 MB. */
enum { MOST_CALLS = 5000000, MOST_BYTES = 18 << 20, OCTAVES = 65 };

enum column { START, DURATION, DEPTH, FUNCTION, COLUMNS };

/* A function's place in the list of names, by its number. */
struct place {
	uint32_t number, place; /* TL_NONE: free */
};

struct calls {
	struct tl_web_document *document;
	size_t file;
	struct tl_calls *stream;
	struct tl_output *out;
	uint64_t shortest, left_out, written_bytes;
	struct tl_output *columns[COLUMNS]; /* of the track that is written */
	size_t track;
	uint64_t last_start, last_depth;
	struct place *places; /* a power of two, at most half of them filled */
	uint32_t place_room, function_count;
	struct tl_output *names; /* JSON: the functions by place */
};

/* ---- variable-length numbers ---- */

static void put_number(struct tl_output *out, uint64_t number)
{
	for (; number >= 0x80; number >>= 7)
		tl_put_char(out, (char)(number | 0x80));
	tl_put_char(out, (char)number);
}

static uint64_t zigzag(int64_t number)
{
	return (uint64_t)number << 1 ^ (uint64_t)(number >> 63);
}

/* ---- functions ---- */

static struct place *find_place(struct place *places, uint32_t room, uint32_t number)
{
	uint32_t i = number * 2654435761u & (room - 1);

	while (places[i].place != TL_NONE && places[i].number != number)
		i = (i + 1) & (room - 1);
	return &places[i];
}

static bool grow_places(struct calls *c)
{
	uint32_t room = c->place_room ? 2 * c->place_room : 256;
	struct place *places = malloc(room * sizeof(*places));

	if (!places)
		return false;
	memset(places, 0xff, room * sizeof(*places));
	for (uint32_t i = 0; i < c->place_room; i++)
		if (c->places[i].place != TL_NONE)
			*find_place(places, room, c->places[i].number) = c->places[i];
	free(c->places);
	c->places = places;
	c->place_room = room;
	return true;
}

static int put_name(struct calls *c, uint32_t number, struct tl_error *err)
{
	struct tl_call_function f;
	int status = tl_calls_function(c->stream, number, &f, sizeof(f), err);

	if (status < 0)
		return status;
	tl_web_put_text(c->names, c->function_count ? ",{\"name\":" : "{\"name\":", f.name);
	tl_web_put_text(c->names, ",\"object\":", f.object);
	tl_web_put_text(c->names, ",\"file\":", f.file);
	tl_web_put_number(c->names, ",\"line\":", f.line);
	tl_put_char(c->names, '}');
	return 0;
}

/* The place of a function, or negative. */
static int64_t place_of(struct calls *c, uint32_t number, struct tl_error *err)
{
	struct place *place;
	int status;

	if (2 * c->function_count >= c->place_room && !grow_places(c))
		return tl_error_memory(err);
	place = find_place(c->places, c->place_room, number);
	if (place->place == TL_NONE) {
		status = put_name(c, number, err);
		if (status < 0)
			return status;
		*place = (struct place){ number, c->function_count++ };
	}
	return place->place;
}

/* ---- a track ---- */

static void free_columns(struct calls *c)
{
	for (enum column i = START; i < COLUMNS; i++) {
		tl_output_discard(c->columns[i]);
		c->columns[i] = NULL;
	}
}

static int begin_track(struct calls *c, struct tl_error *err)
{
	int status = 0;

	c->last_start = c->last_depth = 0;
	for (enum column i = START; i < COLUMNS && status == 0; i++)
		status = tl_output_open_memory(&c->columns[i], err);
	return status;
}

static int put_call(struct calls *c, const struct tl_call *call, uint64_t origin,
		    struct tl_error *err)
{
	uint64_t start = tl_excess(call->start, origin);
	bool open = call->end == TL_NOWHERE;
	int64_t place;

	if (!open && call->end - call->start < c->shortest) {
		c->left_out++;
		return 0;
	}
	place = place_of(c, call->function, err);
	if (place < 0)
		return (int)place;
	put_number(c->columns[START], start - c->last_start);
	put_number(c->columns[DURATION], open ? 0 : call->end - call->start + 1);
	put_number(c->columns[DEPTH],
		   zigzag((int64_t)(call->depth - c->last_depth)) << 1 | (call->flags & 1));
	put_number(c->columns[FUNCTION], (uint64_t)place);
	c->last_start = start;
	c->last_depth = call->depth;
	return 0;
}

static void put_base64(struct tl_output *out, const uint8_t *data, size_t size)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < size; i += 3) {
		uint32_t bits = (uint32_t)data[i] << 16;

		bits |= i + 1 < size ? (uint32_t)data[i + 1] << 8 : 0;
		bits |= i + 2 < size ? data[i + 2] : 0;
		tl_put_char(out, digits[bits >> 18]);
		tl_put_char(out, digits[bits >> 12 & 63]);
		tl_put_char(out, i + 1 < size ? digits[bits >> 6 & 63] : '=');
		tl_put_char(out, i + 2 < size ? digits[bits & 63] : '=');
	}
}

/* The columns behind their sizes. NULL: no memory. */
static uint8_t *join_columns(struct calls *c, size_t *size)
{
	size_t sizes[COLUMNS], at = 4 * COLUMNS;
	uint8_t *bytes;

	*size = at;
	for (enum column i = START; i < COLUMNS; i++) {
		tl_output_bytes(c->columns[i], &sizes[i]);
		*size += sizes[i];
	}
	bytes = malloc(*size);
	for (enum column i = START; bytes && i < COLUMNS; i++) {
		const char *column = tl_output_bytes(c->columns[i], &sizes[i]);

		for (unsigned n = 0; n < 4; n++)
			bytes[4 * i + n] = (uint8_t)(sizes[i] >> 8 * n);
		if (sizes[i])
			memcpy(bytes + at, column, sizes[i]);
		at += sizes[i];
	}
	return bytes;
}

static int pack(const uint8_t *bytes, size_t size, uint8_t **packed, uLong *packed_size,
		struct tl_error *err)
{
	*packed_size = compressBound(size);
	*packed = malloc(*packed_size);
	if (!*packed || compress2(*packed, packed_size, bytes, size, 9) != Z_OK)
		return tl_error_memory(err);
	return 0;
}

static int end_track(struct calls *c, struct tl_error *err)
{
	size_t size;
	uint8_t *bytes = join_columns(c, &size), *packed = NULL;
	uLong packed_size = 0;
	int status = bytes ? pack(bytes, size, &packed, &packed_size, err) : tl_error_memory(err);

	if (status == 0) {
		tl_put_format(c->out, "<script id=\"calls-%zu-%zu\" type=\"text/plain\">", c->file,
			      c->track);
		put_base64(c->out, packed, packed_size);
		tl_put_text(c->out, "</script>\n");
		c->written_bytes += packed_size / 3 * 4;
	}
	free(packed);
	free(bytes);
	free_columns(c);
	return status;
}

/* ---- which calls ---- */

/* Of a recording of samples there may be marks alone. */
static bool has_calls(const struct calls *c)
{
	struct tl_call_track_info track;

	return tl_call_index_track(c->document->index, 0, &track, sizeof(track)) == 1;
}

/* Without calls there is no stream. */
static int open_stream(struct calls *c, struct tl_input **input, struct tl_error *err)
{
	static const struct tl_web_asker nobody = { NULL, NULL };
	const struct tl_web_window all = { 0 };
	int status =
		tl_web_document_reopen(c->document, &nobody, &all, TL_DETAIL_FUNCTIONS, input, err);

	if (status < 0 || !has_calls(c))
		return status;
	return tl_input_calls(*input, NULL, &c->stream, err);
}

static void close_stream(struct calls *c, struct tl_input *input)
{
	tl_calls_close(c->stream);
	c->stream = NULL;
	tl_input_close(input);
}

/* By the power of two below its duration; an unfinished call is always shown. */
static unsigned octave_of(const struct tl_call *call)
{
	uint64_t duration = call->end - call->start;

	return call->end == TL_NOWHERE || !duration ? (call->end == TL_NOWHERE ? OCTAVES - 1 : 0)
						    : 64 - (unsigned)__builtin_clzll(duration);
}

static int count_octaves(struct calls *c, uint64_t octaves[OCTAVES], struct tl_error *err)
{
	struct tl_input *input = NULL;
	const struct tl_call *call;
	int status = open_stream(c, &input, err);

	while (status >= 0 && c->stream && (status = tl_calls_next(c->stream, &call, err)) == 1)
		octaves[octave_of(call)]++;
	close_stream(c, input);
	return status;
}

/* The shortest duration with which at most so many calls are left. */
static uint64_t shortest_of(const uint64_t octaves[OCTAVES], uint64_t most)
{
	uint64_t count = 0;

	for (unsigned i = OCTAVES; i-- > 0;) {
		count += octaves[i];
		if (count > most)
			return i >= 63 ? UINT64_MAX / 2 : UINT64_C(1) << i;
	}
	return 0;
}

/* ---- all of it ---- */

static bool is_of(const struct tl_call_track_info *track, const struct tl_call *call)
{
	return track->process == call->process && track->thread == call->thread;
}

static size_t track_from(const struct calls *c, const struct tl_call *call, size_t from)
{
	struct tl_call_track_info track;

	for (size_t i = from;
	     tl_call_index_track(c->document->index, i, &track, sizeof(track)) == 1; i++)
		if (is_of(&track, call))
			return i;
	return SIZE_MAX;
}

/*
 * The number of the track that a call is of. The calls of one track come together, and tracks in
 * the order of the index, so that the next one is nearly always the one behind the last.
 */
static size_t track_of(const struct calls *c, const struct tl_call *call)
{
	size_t track = track_from(c, call, c->track + 1);

	return track == SIZE_MAX ? track_from(c, call, 0) : track;
}

static int put_stream(struct calls *c, struct tl_error *err)
{
	struct tl_calls_info info = { 0 };
	struct tl_call last = { .process = -1, .thread = -1 };
	const struct tl_call *call;
	bool any = false;
	int status;

	tl_calls_info(c->stream, &info, sizeof(info));
	while ((status = tl_calls_next(c->stream, &call, err)) == 1) {
		if (!any || call->process != last.process || call->thread != last.thread) {
			status = any ? end_track(c, err) : 0;
			c->track = track_of(c, call);
			if (status == 0)
				status = begin_track(c, err);
		} else {
			status = 0;
		}
		any = true;
		last = *call;
		if (status == 0)
			status = put_call(c, call, info.origin, err);
		if (status < 0)
			return status;
	}
	if (status == 0 && any)
		return end_track(c, err);
	return status;
}

static void put_names(struct calls *c)
{
	size_t size;
	const char *names = tl_output_bytes(c->names, &size);

	tl_put_format(c->out, "<script id=\"calls-%zu\" type=\"application/json\">", c->file);
	tl_web_put_number(c->out, "{\"shortest\":", c->shortest);
	tl_web_put_number(c->out, ",\"left_out\":", c->left_out);
	tl_put_text(c->out, ",\"functions\":[");
	tl_web_put_enclosed(c->out, names, size);
	tl_put_text(c->out, "]}</script>\n");
}

/* The calls that are at least `shortest` long, written to memory. */
static int put_longest(struct calls *c, struct tl_error *err)
{
	struct tl_input *input = NULL;
	int status = tl_output_open_memory(&c->names, err);

	if (status == 0)
		status = tl_output_open_memory(&c->out, err);
	if (status == 0)
		status = open_stream(c, &input, err);
	if (status == 0 && c->stream)
		status = put_stream(c, err);
	if (status == 0)
		put_names(c);
	close_stream(c, input);
	free_columns(c);
	tl_output_discard(c->names);
	free(c->places);
	return status;
}

int tl_web_put_calls(struct tl_web_document *document, size_t file, struct tl_output *out,
		     struct tl_error *err)
{
	uint64_t octaves[OCTAVES] = { 0 }, most = MOST_CALLS;
	struct calls c = { .document = document, .file = file };
	int status = count_octaves(&c, octaves, err);

	for (bool fits = false; status == 0 && !fits; most = most * 2 / 3) {
		c = (struct calls){ .document = document,
				    .file = file,
				    .shortest = shortest_of(octaves, most) };
		status = put_longest(&c, err);
		fits = c.written_bytes <= MOST_BYTES;
		if (status == 0 && fits) {
			size_t size;
			const char *bytes = tl_output_bytes(c.out, &size);

			tl_output_write(out, bytes, size);
		}
		tl_output_discard(c.out);
	}
	return status;
}
