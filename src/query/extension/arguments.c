/* SPDX-License-Identifier: Apache-2.0 */
#include "query/extension/arguments.h"

#include <errno.h>

/* ---- one argument ---- */

/* Without the quotes of SQL, of which two inside stand for one. NULL without memory. */
static char *unquoted(struct tl_arena *arena, const char *text)
{
	char quote = *text == '\'' || *text == '"' ? *text++ : '\0';
	char *copy = tl_arena_copy(arena, text, strlen(text)), *to = copy;

	if (!copy || !quote)
		return copy;
	for (const char *at = copy; *at; at++) {
		if (*at == quote && *++at != quote)
			break;
		*to++ = *at;
	}
	*to = '\0';
	return copy;
}

static bool take_id(uint64_t *id, const char *value)
{
	char *end;

	errno = 0;
	*id = strtoull(value, &end, 0);
	return end != value && !*end && !errno && *value != '-';
}

static bool take_seconds(double *seconds, const char *value)
{
	char *end;

	*seconds = strtod(value, &end);
	return end != value && !*end && *seconds >= 0;
}

static bool add_binary(struct tl_query_arguments *to, const char *value)
{
	struct tl_input_programs *programs = &to->options.programs;

	if (programs->binary_count == TL_QUERY_MOST_BINARIES)
		return false;
	to->binaries[programs->binary_count++] = (struct tl_binary_spec){ .path = value };
	return true;
}

static bool add_decoder(struct tl_query_arguments *to, const char *value)
{
	struct tl_input_xray *xray = &to->options.xray;

	if (xray->decoder_count == TL_QUERY_MOST_DECODERS)
		return false;
	to->decoders[xray->decoder_count++] = value;
	return true;
}

static bool take_text(const char **text, const char *value)
{
	*text = value;
	return true;
}

static bool take_named(struct tl_query_arguments *to, const char *name, const char *value)
{
	struct tl_input_options *o = &to->options;

	if (!strcmp(name, "binary"))
		return add_binary(to, value);
	if (!strcmp(name, "decode"))
		return add_decoder(to, value);
	if (!strcmp(name, "table"))
		return take_text(&to->table, value);
	if (!strcmp(name, "format"))
		return take_text(&o->format, value);
	if (!strcmp(name, "map"))
		return take_text(&o->programs.map, value);
	if (!strcmp(name, "sysroot"))
		return take_text(&o->programs.sysroot, value);
	if (!strcmp(name, "function"))
		return take_text(&o->filter.function, value);
	if (!strcmp(name, "object"))
		return take_text(&o->filter.object, value);
	if (!strcmp(name, "thread"))
		return take_id(&o->filter.thread, value);
	if (!strcmp(name, "pid"))
		return take_id(&o->filter.process, value);
	if (!strcmp(name, "cpu"))
		return take_id(&o->filter.cpu, value);
	if (!strcmp(name, "from"))
		return take_seconds(&o->filter.from_seconds, value);
	if (!strcmp(name, "to"))
		return take_seconds(&o->filter.to_seconds, value);
	return false;
}

/* ---- all of them ---- */

/* The first one is the file, whatever characters its name has. */
static bool take_argument(struct tl_query_arguments *to, char *text)
{
	char *equals = strchr(text, '=');

	if (!to->path)
		return *text && take_text(&to->path, text);
	if (!equals)
		return false;
	*equals = '\0';
	return take_named(to, text, equals + 1);
}

bool tl_query_arguments_read(struct tl_query_arguments *to, int count, const char *const *arguments,
			     const char **wrong)
{
	const struct tl_input_options all = TL_INPUT_OPTIONS_DEFAULT;

	*to = (struct tl_query_arguments){ .options = all };
	*wrong = NULL;
	to->binaries = tl_arena_alloc(&to->texts, TL_QUERY_MOST_BINARIES * sizeof(*to->binaries));
	to->decoders = tl_arena_alloc(&to->texts, TL_QUERY_MOST_DECODERS * sizeof(*to->decoders));
	if (!to->binaries || !to->decoders)
		return false;
	to->options.programs.binaries = to->binaries;
	to->options.xray.decoders = to->decoders;
	for (int i = 0; i < count; i++) {
		char *text = unquoted(&to->texts, arguments[i]);

		if (!text)
			return false;
		if (take_argument(to, text))
			continue;
		*wrong = arguments[i];
		return false;
	}
	return true;
}
