/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_CORE_OUTPUT_H
#define TL_CORE_OUTPUT_H
/* Text and numbers into a buffered output: the part writers use by the million. */
#include <stdarg.h>
#include <string.h>

#include <tracelathe/core.h>

/* The head of struct tl_output; the rest is output.c's own. */
struct tl_output_buffer {
	char *pos, *end;
};

/*
 * Flush so that `size` bytes fit (size at most TL_OUTPUT_ROOM); never fails: after an error bytes
 * go nowhere.
 */
void tl_output_make_room(struct tl_output *out, size_t size);

/* An output to a descriptor of the caller, who closes it afterwards. 0 or TL_NO_MEMORY. */
int tl_output_open_descriptor(struct tl_output **out, int fd, struct tl_error *err);

/* Forget the bytes that an output in memory has gathered. */
void tl_output_clear(struct tl_output *out);

enum { TL_OUTPUT_ROOM = 4096 };

/*
 * Room for `size` <= TL_OUTPUT_ROOM bytes: write them, then call tl_output_advance() with the end.
 */
static inline char *tl_output_room(struct tl_output *out, size_t size)
{
	struct tl_output_buffer *buffer = (struct tl_output_buffer *)out;

	if (size > (size_t)(buffer->end - buffer->pos))
		tl_output_make_room(out, size);
	return buffer->pos;
}

static inline void tl_output_advance(struct tl_output *out, char *end)
{
	((struct tl_output_buffer *)out)->pos = end;
}

static inline void tl_put_char(struct tl_output *out, char c)
{
	char *p = tl_output_room(out, 1);

	*p++ = c;
	tl_output_advance(out, p);
}

static inline void tl_put_bytes(struct tl_output *out, const void *data, size_t size)
{
	if (size > TL_OUTPUT_ROOM) {
		tl_output_write(out, data, size);
		return;
	}
	char *p = tl_output_room(out, size);

	memcpy(p, data, size);
	tl_output_advance(out, p + size);
}

static inline void tl_put_text(struct tl_output *out, const char *text)
{
	tl_put_bytes(out, text, strlen(text));
}

/* As JSON has it. */
static inline void tl_put_boolean(struct tl_output *out, bool value)
{
	tl_put_text(out, value ? "true" : "false");
}

/* Decimal digits of a number at `p` (20 bytes at most); returns the end. */
char *tl_format_u64(char *p, uint64_t value);

void tl_put_u64(struct tl_output *out, uint64_t value);
void tl_put_i64(struct tl_output *out, int64_t value);
/* "0x" and lower-case hexadecimal digits, no leading zeros. */
void tl_put_hex(struct tl_output *out, uint64_t value);
/*
 * The shortest decimal form that reads back as the same double; never locale dependent; JSON-safe
 * for finite values.
 */
void tl_put_double(struct tl_output *out, double value);
/* printf for rare lines. */
void tl_put_format(struct tl_output *out, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * A JSON string with its quotes (RFC 8259): control characters and those that steer a terminal
 * (tl_shown_character()) escaped, bytes that are not UTF-8 become U+FFFD.
 */
void tl_put_json(struct tl_output *out, const char *text, size_t size);
/*
 * Text from an input as people see it, by tl_shown_character(): every name and payload in a text
 * goes through this.
 */
void tl_put_shown(struct tl_output *out, const char *text, size_t size);
/* Bytes of `text` up to the first that is not UTF-8 (RFC 3629). */
size_t tl_utf8_span(const char *text, size_t size);
/* A CSV field (RFC 4180), quoted when it must be, or always. */
void tl_put_csv(struct tl_output *out, const char *text);
void tl_put_csv_bytes(struct tl_output *out, const char *text, size_t size);
void tl_put_csv_quoted(struct tl_output *out, const char *text, size_t size);

#endif
