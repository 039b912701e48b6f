/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_EXPORT_PROTOBUF_H
#define TL_EXPORT_PROTOBUF_H
/*
 * The wire format of protocol buffers, written: keys, varints, and messages built from the inside
 * out.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { TL_PB_VARINT = 0, TL_PB_64 = 1, TL_PB_BYTES = 2 };
enum { TL_PB_VARINT_BYTES = 10 }; /* the most a varint takes */

/* Base 128, least significant group first. Returns the end. */
static inline char *tl_pb_varint(char *p, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		*p++ = (char)(value | 0x80);
	*p++ = (char)value;
	return p;
}

static inline size_t tl_pb_varint_size(uint64_t value)
{
	return (size_t)(70 - __builtin_clzll(value | 1)) / 7;
}

static inline char *tl_pb_key(char *p, uint32_t field, uint32_t type)
{
	return tl_pb_varint(p, (uint64_t)field << 3 | type);
}

/* A field of type uint64, int64, int32, enum. */
static inline char *tl_pb_number(char *p, uint32_t field, uint64_t value)
{
	return tl_pb_varint(tl_pb_key(p, field, TL_PB_VARINT), value);
}

/*
 * A message under construction. After a failed allocation it stays empty and `failed`. Zero-filled
 * is empty.
 */
struct tl_pb_message {
	char *data;
	size_t size, capacity;
	bool failed;
};

void tl_pb_message_number(struct tl_pb_message *message, uint32_t field, uint64_t value);
void tl_pb_message_double(struct tl_pb_message *message, uint32_t field, double value);
void tl_pb_message_bytes(struct tl_pb_message *message, uint32_t field, const void *data,
			 size_t size);
/* A string field: bytes that are not UTF-8 become U+FFFD, as decoders insist on. */
void tl_pb_message_text(struct tl_pb_message *message, uint32_t field, const char *text,
			size_t size);
/* A string field of lower-case hexadecimal digits. */
void tl_pb_message_hex(struct tl_pb_message *message, uint32_t field, const void *data,
		       size_t size);
/* A message inside; it is empty afterwards, for the next use. */
void tl_pb_message_inner(struct tl_pb_message *message, uint32_t field,
			 struct tl_pb_message *inner);
/* All bytes of another message, as they are. */
void tl_pb_message_append(struct tl_pb_message *message, const struct tl_pb_message *other);
/*
 * Key and length of a field of `size` bytes, which the caller writes at the place returned, then
 * tells their end. NULL without memory.
 */
char *tl_pb_message_room(struct tl_pb_message *message, uint32_t field, size_t size);
void tl_pb_message_end(struct tl_pb_message *message, const char *end);
void tl_pb_message_free(struct tl_pb_message *message);

#endif
