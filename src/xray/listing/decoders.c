/* SPDX-License-Identifier: Apache-2.0 */
#include "xray/listing/decoders.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/cursor.h"
#include "core/error.h"

enum type { T_SIGNED, T_UNSIGNED, T_HEX, T_REAL, T_TEXT, T_PAD };

enum { REST = 0 }; /* size of a field that takes all bytes that are left */

struct event_field {
	enum type type;
	uint32_t size; /* bytes */
	char *name;
};

struct tl_xray_decoder {
	enum tl_xray_kind kind;
	bool any_type; /* typed events that no other decoder is for */
	uint16_t event_type;
	char *name;
	struct event_field fields[TL_XRAY_MOST_FIELDS];
	size_t count;
};

/* ---- reading the texts ---- */

struct decoder_word {
	const char *text;
	size_t size;
};

static bool is_word(const struct decoder_word *word, const char *text)
{
	return word->size == strlen(text) && !memcmp(word->text, text, word->size);
}

/* A decimal number that the whole word is. */
static bool number_of(const struct decoder_word *word, uint32_t most, uint32_t *number)
{
	uint32_t value = 0;

	if (!word->size || word->size > 9)
		return false;
	for (size_t i = 0; i < word->size; i++) {
		if (!isdigit((unsigned char)word->text[i]))
			return false;
		value = value * 10 + (uint32_t)(word->text[i] - '0');
	}
	if (value > most)
		return false;
	*number = value;
	return true;
}

/* The letters that types begin with, before their number of bits or bytes. */
static const struct {
	const char *letters;
	enum type type;
	uint32_t least, most; /* bits; 0: bytes are counted, or none, for the rest */
} types[] = {
	{ "i", T_SIGNED, 8, 64 }, { "u", T_UNSIGNED, 8, 64 }, { "x", T_HEX, 8, 64 },
	{ "f", T_REAL, 32, 64 },  { "s", T_TEXT, 0, 0 },      { "pad", T_PAD, 0, 0 },
};

enum { MOST_BYTES = 1 << 20 };

static bool type_of(const struct decoder_word *word, struct event_field *field)
{
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		size_t letters = strlen(types[i].letters);
		struct decoder_word rest = { word->text + letters, word->size - letters };
		uint32_t number = 0;

		if (word->size < letters || memcmp(word->text, types[i].letters, letters))
			continue;
		field->type = types[i].type;
		if (!types[i].most) {
			field->size = REST;
			return !rest.size ||
			       (number_of(&rest, MOST_BYTES, &field->size) && field->size);
		}
		field->size = number_of(&rest, types[i].most, &number) ? number / 8 : 0;
		return number >= types[i].least && !(number & (number - 1));
	}
	return false;
}

static char *copy_of(const char *text, size_t size)
{
	char *copy = malloc(size + 1);

	if (!copy)
		return NULL;
	memcpy(copy, text, size);
	copy[size] = '\0';
	return copy;
}

static int refuse(struct tl_error *err)
{
	return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
			   "a decoder of events is EVENT[:NAME]=text, integer, unsigned, hex, or "
			   "struct:TYPE[ NAME][,...], with custom, typed or the number of a type "
			   "as EVENT");
}

static int add_field(struct tl_xray_decoder *decoder, enum type type, uint32_t size,
		     const char *name, size_t name_size, struct tl_error *err)
{
	struct event_field *field = &decoder->fields[decoder->count++];

	*field = (struct event_field){ .type = type,
				       .size = size,
				       .name = copy_of(name, name_size) };
	return tl_error_unless_made(field->name, err);
}

/* TYPE[ NAME]; without a name it is that of its type. */
static int take_field(struct tl_xray_decoder *decoder, const char *text, size_t size,
		      struct tl_error *err)
{
	struct decoder_word type = { text, 0 };
	struct event_field field;
	size_t begin;

	while (size && text[size - 1] == ' ')
		size--;
	while (type.size < size && text[type.size] != ' ')
		type.size++;
	for (begin = type.size; begin < size && text[begin] == ' ';)
		begin++;
	if (decoder->count == TL_XRAY_MOST_FIELDS || !type_of(&type, &field) ||
	    (decoder->count && decoder->fields[decoder->count - 1].size == REST))
		return refuse(err);
	return begin < size
		       ? add_field(decoder, field.type, field.size, text + begin, size - begin, err)
		       : add_field(decoder, field.type, field.size, text, type.size, err);
}

static int take_struct(struct tl_xray_decoder *decoder, const char *text, struct tl_error *err)
{
	for (;;) {
		size_t size;
		int status;

		text += strspn(text, " ");
		size = strcspn(text, ",");
		status = take_field(decoder, text, size, err);
		if (status < 0 || !text[size])
			return status;
		text += size + 1;
	}
}

static int take_form(struct tl_xray_decoder *decoder, const char *form, struct tl_error *err)
{
	static const struct {
		const char *name;
		enum type type;
	} plain[] = {
		{ "text", T_TEXT },
		{ "integer", T_SIGNED },
		{ "unsigned", T_UNSIGNED },
		{ "hex", T_HEX },
	};

	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
		if (!strcmp(form, plain[i].name))
			return add_field(decoder, plain[i].type, REST, "value", 5, err);
	if (!strncmp(form, "struct:", 7))
		return take_struct(decoder, form + 7, err);
	return refuse(err);
}

static int take_decoder(struct tl_xray_decoder *decoder, const char *text, struct tl_error *err)
{
	size_t left = strcspn(text, "=");
	struct decoder_word event = { text, strcspn(text, ":=") };
	uint32_t number = 0;

	if (!text[left])
		return refuse(err);
	decoder->kind = is_word(&event, "custom") ? TL_XRAY_CUSTOM_EVENT : TL_XRAY_TYPED_EVENT;
	decoder->any_type = is_word(&event, "typed");
	if (decoder->kind == TL_XRAY_TYPED_EVENT && !decoder->any_type &&
	    !number_of(&event, UINT16_MAX, &number))
		return refuse(err);
	decoder->event_type = (uint16_t)number;
	if (event.size + 1 < left) {
		decoder->name = copy_of(text + event.size + 1, left - event.size - 1);
		if (!decoder->name)
			return tl_error_memory(err);
	}
	return take_form(decoder, text + left + 1, err);
}

int tl_xray_decoders_open(struct tl_xray_decoders *decoders, const char *const *texts, size_t count,
			  bool big_endian, struct tl_error *err)
{
	int status = 0;

	*decoders = (struct tl_xray_decoders){ .swap = big_endian != TL_HOST_BIG_ENDIAN };
	if (!count)
		return 0;
	decoders->list = calloc(count, sizeof(*decoders->list));
	if (!decoders->list)
		return tl_error_memory(err);
	for (size_t i = 0; status == 0 && i < count; i++)
		status = take_decoder(&decoders->list[decoders->count++], texts[i], err);
	return status;
}

void tl_xray_decoders_free(struct tl_xray_decoders *decoders)
{
	for (size_t i = 0; i < decoders->count; i++) {
		struct tl_xray_decoder *decoder = &decoders->list[i];

		for (size_t j = 0; j < decoder->count; j++)
			free(decoder->fields[j].name);
		free(decoder->name);
	}
	free(decoders->list);
	*decoders = (struct tl_xray_decoders){ .list = NULL };
}

/* ---- decoding ---- */

/* The last of several decoders for the same events holds, as the last of an option does. */
static const struct tl_xray_decoder *decoder_of(const struct tl_xray_decoders *decoders,
						const struct tl_xray_record *record)
{
	const struct tl_xray_decoder *found = NULL;

	for (size_t i = 0; i < decoders->count; i++) {
		const struct tl_xray_decoder *d = &decoders->list[i];

		if (d->kind != record->kind)
			continue;
		if (d->kind == TL_XRAY_TYPED_EVENT && !d->any_type &&
		    d->event_type != record->event_type)
			continue;
		if (!d->any_type || !found || found->any_type)
			found = d;
	}
	return found;
}

static uint64_t load(const uint8_t *p, size_t size, bool swap)
{
	if (size == 1)
		return *p;
	if (size == 2)
		return tl_get16s(p, swap);
	return size == 4 ? tl_get32s(p, swap) : tl_get64s(p, swap);
}

static double real_of(uint64_t bits, size_t size)
{
	uint32_t half = (uint32_t)bits;
	float narrow;
	double wide;

	memcpy(&narrow, &half, sizeof(narrow));
	memcpy(&wide, &bits, sizeof(wide));
	return size == sizeof(narrow) ? (double)narrow : wide;
}

/* A text of fixed room ends with the first NUL; of one that is all the rest those behind it go. */
static void text_value(struct tl_timeline_arg *value, const uint8_t *p, size_t size, bool rest)
{
	const uint8_t *nul = size && !rest ? memchr(p, '\0', size) : NULL;

	while (rest && size && !p[size - 1])
		size--;
	value->kind = TL_ARG_TEXT;
	value->data = p;
	value->size = nul ? (size_t)(nul - p) : size;
}

/* False: no number has so many bytes. */
static bool number_value(struct tl_timeline_arg *value, enum type type, const uint8_t *p,
			 size_t size, bool swap)
{
	static const enum tl_timeline_arg_kind kinds[] = {
		[T_SIGNED] = TL_ARG_SIGNED,
		[T_UNSIGNED] = TL_ARG_NUMBER,
		[T_HEX] = TL_ARG_HEX,
		[T_REAL] = TL_ARG_REAL,
	};
	unsigned unused;

	if (!size || size > 8 || (size & (size - 1)))
		return false;
	value->kind = kinds[type];
	value->number = load(p, size, swap);
	unused = 64 - 8 * (unsigned)size;
	if (type == T_SIGNED)
		value->number = (uint64_t)((int64_t)(value->number << unused) >> unused);
	if (type == T_REAL)
		value->real = real_of(value->number, size);
	return true;
}

static bool decode(const struct tl_xray_decoder *decoder, bool swap,
		   const struct tl_xray_record *record, struct tl_xray_event *event)
{
	struct tl_cursor cur = tl_cursor_over(record->payload, record->payload_size);

	for (size_t i = 0; i < decoder->count; i++) {
		const struct event_field *field = &decoder->fields[i];
		size_t size = field->size == REST ? tl_cursor_left(&cur) : field->size;
		struct tl_timeline_arg value = { .name = field->name };

		if (!tl_cursor_has(&cur, size))
			return false;
		if (field->type == T_TEXT)
			text_value(&value, cur.pos, size, field->size == REST);
		else if (field->type != T_PAD &&
			 !number_value(&value, field->type, cur.pos, size, swap))
			return false;
		if (field->type != T_PAD)
			event->fields[event->count++] = value;
		if (size)
			cur.pos += size;
	}
	return !tl_cursor_left(&cur);
}

bool tl_xray_decode_event(struct tl_xray_decoders *decoders, const struct tl_xray_record *record,
			  struct tl_xray_event *event)
{
	const struct tl_xray_decoder *decoder = decoders ? decoder_of(decoders, record) : NULL;

	event->name = decoder ? decoder->name : NULL;
	event->count = 0;
	if (!decoder)
		return false;
	if (decode(decoder, decoders->swap, record, event))
		return true;
	if (!decoders->misfits++)
		decoders->first_misfit = record->offset;
	event->count = 0;
	return false;
}
