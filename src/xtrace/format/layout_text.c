/* SPDX-License-Identifier: Apache-2.0 */
/* A layout as text: the value of --layout, and a line of `info`. */
#include <stdio.h>
#include <string.h>

#include "core/error.h"
#include "core/sized.h"
#include "core/text/optional.h"
#include "xtrace/format/layout.h"

enum { MOST_CHOICES = 5 };

struct choice {
	const char *word;
	uint32_t value;
};

/* A field with the words it may have; without words it is a vector length. */
static const struct field {
	const char *name;
	size_t offset;
	bool is_bool;
	struct choice choices[MOST_CHOICES];
} fields[] = {
	{ "header",
	  offsetof(struct tl_xtrace_layout, header_bytes),
	  false,
	  { { "24", 24 }, { "19", 19 }, { "32", 32 }, { "0", 0 } } },
	{ "predicates",
	  offsetof(struct tl_xtrace_layout, predicates),
	  false,
	  { { "16", 16 }, { "17", 17 } } },
	{ "pad",
	  offsetof(struct tl_xtrace_layout, pad_blocks),
	  true,
	  { { "register", 0 }, { "block", 1 } } },
	{ "sysreg",
	  offsetof(struct tl_xtrace_layout, sysreg_bytes),
	  false,
	  { { "8", 8 }, { "4", 4 } } },
	{ "za", offsetof(struct tl_xtrace_layout, za), true, { { "yes", 1 }, { "no", 0 } } },
	{ "vl", offsetof(struct tl_xtrace_layout, vector_bits), false, { { NULL, 0 } } },
	{ "z", offsetof(struct tl_xtrace_layout, fixed_z), true, { { "vl", 0 }, { "fixed", 1 } } },
	{ "time",
	  offsetof(struct tl_xtrace_layout, time_bytes),
	  false,
	  { { "8", 8 }, { "0", 0 }, { "4", 4 }, { "16", 16 } } },
	{ "codes",
	  offsetof(struct tl_xtrace_layout, code_bits),
	  false,
	  { { "5", 5 }, { "4", 4 } } },
};

enum { FIELDS = sizeof(fields) / sizeof(fields[0]) };

static uint32_t value_of(const struct tl_xtrace_layout *layout, const struct field *field)
{
	const char *at = (const char *)layout + field->offset;

	return field->is_bool ? *(const bool *)at : *(const uint32_t *)at;
}

void tl_xtrace_layout_put(const struct tl_xtrace_layout *layout, char *text)
{
	size_t used = 0;

	for (size_t i = 0; i < FIELDS; i++) {
		uint32_t value = value_of(layout, &fields[i]);
		const struct choice *c = fields[i].choices;

		while (c->word && c->value != value)
			c++;
		used += (size_t)snprintf(text + used, TL_XTRACE_LAYOUT_TEXT - used,
					 c->word ? "%s%s=%s" : "%s%s=%.0s%u", tl_text_if(i, ","),
					 fields[i].name, tl_text_or_empty(c->word), value);
	}
}

/* A vector length is what SVE has: 128 to 2048 in steps of 128. */
static bool take_vector(const char *word, size_t size, uint32_t *value)
{
	*value = 0;
	for (size_t i = 0; i < size; i++) {
		if (word[i] < '0' || word[i] > '9' || *value > 2048)
			return false;
		*value = *value * 10 + (uint32_t)(word[i] - '0');
	}
	return *value >= 128 && *value <= 2048 && *value % 128 == 0;
}

static bool take_value(const struct field *field, const char *word, size_t size, uint32_t *value)
{
	if (!field->choices[0].word)
		return take_vector(word, size, value);
	for (const struct choice *c = field->choices; c->word; c++)
		if (strlen(c->word) == size && !memcmp(c->word, word, size)) {
			*value = c->value;
			return true;
		}
	return false;
}

static bool take_field(struct tl_xtrace_layout *layout, const char *name, size_t size)
{
	const char *equals = memchr(name, '=', size);
	uint32_t value;

	for (size_t i = 0; equals && i < FIELDS; i++) {
		size_t length = (size_t)(equals - name);

		if (strlen(fields[i].name) != length || memcmp(fields[i].name, name, length))
			continue;
		if (!take_value(&fields[i], equals + 1, size - length - 1, &value))
			return false;
		if (fields[i].is_bool)
			*(bool *)((char *)layout + fields[i].offset) = value;
		else
			*(uint32_t *)((char *)layout + fields[i].offset) = value;
		return true;
	}
	return false;
}

int tl_xtrace_layout_take(const char *text, struct tl_xtrace_layout *layout, struct tl_error *err)
{
	for (const char *p = text;;) {
		size_t size = strcspn(p, ",");

		if (!take_field(layout, p, size))
			return tl_error_at(
				err, TL_BAD_USAGE, TL_NOWHERE,
				"a layout is NAME=VALUE[,...] of header=24|19|32|0 "
				"predicates=16|17 "
				"pad=register|block sysreg=8|4 za=yes|no vl=128..2048 z=vl|fixed "
				"time=8|0|4|16 codes=5|4");
		if (!p[size])
			return 0;
		p += size + 1;
	}
}

/* ---- layouts of the caller, by their size ---- */

void tl_xtrace_layout_text(const struct tl_xtrace_layout *layout, size_t size, char *text)
{
	struct tl_xtrace_layout ours;

	tl_take(&ours, sizeof(ours), layout, size);
	tl_xtrace_layout_put(&ours, text);
}

int tl_xtrace_layout_parse(const char *text, struct tl_xtrace_layout *layout, size_t size,
			   struct tl_error *err)
{
	struct tl_xtrace_layout ours;
	int status;

	tl_take(&ours, sizeof(ours), layout, size);
	status = tl_xtrace_layout_take(text, &ours, err);
	if (status < 0)
		return status;
	return tl_give(layout, size, sizeof(ours), &ours, sizeof(ours));
}
