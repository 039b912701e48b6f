/* SPDX-License-Identifier: Apache-2.0 */
#include "export/protobuf.h"

#include <stdlib.h>

#include "core/memory.h"
#include "core/output.h"

/* Room for `size` more bytes, NULL without memory. */
static char *room(struct tl_pb_message *message, size_t size)
{
	if (message->failed || size > PTRDIFF_MAX - message->size ||
	    !tl_grow(&message->data, &message->capacity, message->size + size, 1)) {
		message->failed = true;
		message->size = 0;
		return NULL;
	}
	return message->data + message->size;
}

void tl_pb_message_end(struct tl_pb_message *message, const char *end)
{
	message->size = (size_t)(end - message->data);
}

void tl_pb_message_number(struct tl_pb_message *message, uint32_t field, uint64_t value)
{
	char *p = room(message, 2 * TL_PB_VARINT_BYTES);

	if (p)
		tl_pb_message_end(message, tl_pb_number(p, field, value));
}

/* Eight bytes, the least significant one first. */
void tl_pb_message_double(struct tl_pb_message *message, uint32_t field, double value)
{
	char *p = room(message, TL_PB_VARINT_BYTES + sizeof(value));
	uint64_t bits;

	if (!p)
		return;
	memcpy(&bits, &value, sizeof(bits));
	p = tl_pb_key(p, field, TL_PB_64);
	for (unsigned i = 0; i < sizeof(bits); i++)
		*p++ = (char)(bits >> 8 * i);
	tl_pb_message_end(message, p);
}

char *tl_pb_message_room(struct tl_pb_message *message, uint32_t field, size_t size)
{
	/* What no memory can hold is refused by room(). */
	char *p = room(message, size < PTRDIFF_MAX / 2 ? 2 * TL_PB_VARINT_BYTES + size : SIZE_MAX);

	if (!p)
		return NULL;
	return tl_pb_varint(tl_pb_key(p, field, TL_PB_BYTES), size);
}

void tl_pb_message_bytes(struct tl_pb_message *message, uint32_t field, const void *data,
			 size_t size)
{
	char *p = tl_pb_message_room(message, field, size);

	if (!p)
		return;
	if (size)
		memcpy(p, data, size);
	tl_pb_message_end(message, p + size);
}

/* The size with U+FFFD in place of each byte that is not part of a character. */
static size_t clean_size(const char *text, size_t size)
{
	size_t clean = 0;

	for (size_t at = 0; at < size; at++) {
		size_t run = tl_utf8_span(text + at, size - at);

		at += run;
		clean += run;
		if (at < size)
			clean += 3;
	}
	return clean;
}

static char *copy_clean(char *p, const char *text, size_t size)
{
	for (size_t at = 0; at < size; at++) {
		size_t run = tl_utf8_span(text + at, size - at);

		memcpy(p, text + at, run);
		p += run;
		at += run;
		if (at < size) {
			memcpy(p, "\xef\xbf\xbd", 3);
			p += 3;
		}
	}
	return p;
}

void tl_pb_message_text(struct tl_pb_message *message, uint32_t field, const char *text,
			size_t size)
{
	char *p = tl_pb_message_room(message, field, clean_size(text, size));

	if (p)
		tl_pb_message_end(message, copy_clean(p, text, size));
}

void tl_pb_message_hex(struct tl_pb_message *message, uint32_t field, const void *data, size_t size)
{
	const unsigned char *bytes = data;
	char *p = tl_pb_message_room(message, field, size < PTRDIFF_MAX / 4 ? 2 * size : SIZE_MAX);

	if (!p)
		return;
	for (size_t i = 0; i < size; i++) {
		*p++ = "0123456789abcdef"[bytes[i] >> 4];
		*p++ = "0123456789abcdef"[bytes[i] & 15];
	}
	tl_pb_message_end(message, p);
}

void tl_pb_message_inner(struct tl_pb_message *message, uint32_t field, struct tl_pb_message *inner)
{
	tl_pb_message_bytes(message, field, inner->data, inner->size);
	message->failed = message->failed || inner->failed;
	inner->size = 0;
}

void tl_pb_message_append(struct tl_pb_message *message, const struct tl_pb_message *other)
{
	char *p = NULL;

	if (other->size)
		p = room(message, other->size);
	if (!p)
		return;
	memcpy(p, other->data, other->size);
	tl_pb_message_end(message, p + other->size);
}

void tl_pb_message_free(struct tl_pb_message *message)
{
	free(message->data);
	*message = (struct tl_pb_message){ 0 };
}
