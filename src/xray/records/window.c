/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bytes of a trace that is too large to be mapped: a window, through which the index looks at
 * them, and views of the blocks that streams decode. The bytes of any other are where they are.
 */
#include <string.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "xray/records/reader.h"

/* What a window shows at least, so that few views are made. */
enum { WINDOW_BYTES = 1 << 20 };

static bool shows(const struct tl_source_view *view, uint64_t at, size_t size)
{
	return view->data && at >= view->offset && size <= view->size &&
	       at - view->offset <= view->size - size;
}

const uint8_t *tl_xray_look(const struct tl_xray_reader *reader, uint64_t at, size_t size)
{
	struct tl_xray_window *window = reader->window;
	size_t shown;

	if (!window)
		return reader->data + at;
	if (shows(&window->view, at, size))
		return window->view.data + (at - window->view.offset);
	shown = (size_t)tl_min(reader->size - at, tl_max(size, (size_t)WINDOW_BYTES));
	if (tl_source_view(reader->source, &window->view, at, shown, NULL) < 0) {
		window->no_memory = true;
		return NULL;
	}
	return window->view.data;
}

const uint8_t *tl_xray_look_on(const struct tl_xray_reader *reader, uint64_t at, size_t *size)
{
	const uint8_t *p = tl_xray_look(reader, at, 1);
	uint64_t seen = reader->size - at;

	if (p && reader->window)
		seen = reader->window->view.offset + reader->window->view.size - at;
	*size = (size_t)tl_min(seen, (uint64_t)*size);
	return p;
}

int tl_xray_compare_bytes(const struct tl_xray_reader *a, const struct tl_xray_reader *b)
{
	int order = 0;

	for (uint64_t at = 0; !order && at < a->size; at += WINDOW_BYTES) {
		const size_t size = (size_t)tl_min(a->size - at, (uint64_t)WINDOW_BYTES);
		const uint8_t *x = tl_xray_look(a, at, size), *y = tl_xray_look(b, at, size);

		if (!x || !y)
			return 0;
		order = memcmp(x, y, size);
	}
	return order;
}

int tl_xray_window_end(const struct tl_xray_reader *reader, struct tl_error *err)
{
	if (!reader->window)
		return 0;
	tl_source_view_end(&reader->window->view);
	return reader->window->no_memory ? tl_error_memory(err) : 0;
}

/* ---- the bytes of a block ---- */

/* A view shows so much of a block of basic mode, which may be all of the file. */
enum { SHOWN_BYTES = 1 << 20 };

/* Show bytes [start, end), or what a view shows of them. Offsets are those of the file. */
static void show(struct tl_xray_stream *stream, uint64_t start, uint64_t end)
{
	struct tl_source_view *view = &stream->view;
	uint64_t size = end - start;

	if (stream->reader->info.mode == TL_XRAY_BASIC)
		size = tl_min(size, (uint64_t)SHOWN_BYTES);
	stream->cur = (struct tl_cursor){ NULL, NULL, NULL };
	stream->no_view =
		size && tl_source_view(stream->reader->source, view, start, (size_t)size, NULL) < 0;
	if (!size || stream->no_view)
		return;
	stream->cur.pos = view->data;
	stream->cur.end = view->data + view->size;
	/* An address that is only good for differences. */
	stream->cur.base = (const uint8_t *)((uintptr_t)view->data - (uintptr_t)start);
}

void tl_xray_stream_place(struct tl_xray_stream *stream, uint64_t start, uint64_t end)
{
	const struct tl_xray_reader *reader = stream->reader;
	const uint64_t from = tl_min(start, (uint64_t)reader->size);

	if (reader->window) {
		show(stream, from, tl_min(tl_max(end, from), (uint64_t)reader->size));
		return;
	}
	stream->cur = tl_cursor_over(reader->data, reader->size);
	tl_cursor_limit(&stream->cur, end);
	tl_cursor_seek(&stream->cur, start);
}

bool tl_xray_stream_extend(struct tl_xray_stream *stream, size_t bytes)
{
	const uint64_t at = tl_cursor_offset(&stream->cur);

	if (stream->no_view)
		return false;
	if (!stream->reader->window || tl_cursor_has(&stream->cur, bytes) ||
	    at + tl_cursor_left(&stream->cur) >= stream->block->end)
		return true;
	show(stream, at, stream->block->end);
	return !stream->no_view;
}

void tl_xray_stream_seek(struct tl_xray_stream *stream, uint64_t offset)
{
	if (stream->reader->window)
		show(stream, tl_min(offset, stream->block->end), stream->block->end);
	else
		tl_cursor_seek(&stream->cur, offset);
}

int tl_xray_stream_over(const struct tl_xray_stream *stream, struct tl_error *err)
{
	return stream->no_view ? tl_error_memory(err) : 0;
}
