/* SPDX-License-Identifier: Apache-2.0 */
/* Values of options: each function stores one and says what is wrong with a bad one. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options.h"

const char *set_flag(void *field, const struct option_row *row, const char *value)
{
	(void)row;
	(void)value;
	*(bool *)field = true;
	return NULL;
}

const char *clear_flag(void *field, const struct option_row *row, const char *value)
{
	(void)row;
	(void)value;
	*(bool *)field = false;
	return NULL;
}

const char *set_choice(void *field, const struct option_row *row, const char *value)
{
	(void)value;
	*(enum tl_tree_kind *)field = (enum tl_tree_kind)row->choice;
	return NULL;
}

const char *set_bit(void *field, const struct option_row *row, const char *value)
{
	(void)value;
	*(unsigned *)field |= (unsigned)row->choice;
	return NULL;
}

const char *set_text(void *field, const struct option_row *row, const char *value)
{
	(void)row;
	if (!*value)
		return "a value is missing";
	*(const char **)field = value;
	return NULL;
}

/*
 * NULL, or what is wrong with a pattern: the fault of the option, not of the file that it is used
 * on.
 */
static const char *check_pattern(const char *pattern)
{
	regex_t compiled;

	if (regcomp(&compiled, pattern, REG_EXTENDED | REG_NOSUB))
		return "not a POSIX extended regular expression";
	regfree(&compiled);
	return NULL;
}

const char *set_regex(void *field, const struct option_row *row, const char *value)
{
	const char *wrong = set_text(field, row, value);

	return wrong ? wrong : check_pattern(value);
}

/* Which word of "a|b|c" a value is, -1: none. */
static int word_number(const char *words, const char *value)
{
	size_t length = strlen(value);

	for (int i = 0;; i++) {
		size_t word = strcspn(words, "|");

		if (word == length && !memcmp(words, value, length))
			return i;
		if (!words[word])
			return -1;
		words += word + 1;
	}
}

const char *set_word(void *field, const struct option_row *row, const char *value)
{
	if (word_number(row->argument, value) < 0)
		return row->argument;
	*(const char **)field = value;
	return NULL;
}

const char *set_when(void *field, const struct option_row *row, const char *value)
{
	int number = word_number(row->argument, value);

	if (number < 0)
		return row->argument;
	*(enum when *)field = (enum when)number;
	return NULL;
}

/* Decimal, or hexadecimal after 0x; nothing else before, between or after. */
static bool parse_number(const char *text, uint64_t *number)
{
	bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	const char *digits = hex ? text + 2 : text;
	char *end;

	if (!isxdigit((unsigned char)*digits))
		return false;
	errno = 0;
	*number = strtoull(digits, &end, hex ? 16 : 10);
	return end != digits && !*end && !errno;
}

const char *set_id(void *field, const struct option_row *row, const char *value)
{
	uint64_t number;

	(void)row;
	if (!parse_number(value, &number) || number == TL_NOWHERE)
		return "a number is needed";
	*(uint64_t *)field = number;
	return NULL;
}

const char *set_part(void *field, const struct option_row *row, const char *value)
{
	const char *wrong = set_id(field, row, value);

	return wrong || *(uint64_t *)field ? wrong : "parts are numbered from 1";
}

const char *set_count(void *field, const struct option_row *row, const char *value)
{
	uint64_t number;

	(void)row;
	if (!parse_number(value, &number) || !number || number > UINT32_MAX)
		return "a number from 1 on is needed";
	*(uint32_t *)field = (uint32_t)number;
	return NULL;
}

static const char *set_up_to(uint64_t limit, const char *value, uint64_t *number)
{
	return parse_number(value, number) && *number <= limit ? NULL
							       : "a smaller number is needed";
}

const char *set_byte(void *field, const struct option_row *row, const char *value)
{
	uint64_t number;
	const char *wrong = set_up_to(UINT8_MAX, value, &number);

	(void)row;
	if (!wrong)
		*(uint8_t *)field = (uint8_t)number;
	return wrong;
}

const char *set_u32(void *field, const struct option_row *row, const char *value)
{
	uint64_t number;
	const char *wrong = set_up_to(UINT32_MAX, value, &number);

	(void)row;
	if (!wrong)
		*(uint32_t *)field = (uint32_t)number;
	return wrong;
}

const char *set_lines(void *field, const struct option_row *row, const char *value)
{
	uint64_t number;

	(void)row;
	if (!parse_number(value, &number) || number > 1000000)
		return "a number from 0 to 1000000 is needed";
	*(int *)field = (int)number;
	return NULL;
}

const char *set_jobs(void *field, const struct option_row *row, const char *value)
{
	uint64_t number;

	(void)row;
	if (!parse_number(value, &number) || !number || number > 1024)
		return "a number from 1 to 1024 is needed";
	*(unsigned *)field = (unsigned)number;
	return NULL;
}

/*
 * A decimal number >= 0; *end is where it stops. strtod() also takes signs, "inf", "nan" and
 * hexadecimal.
 */
static bool parse_decimal(const char *text, char **end, double *number)
{
	if (!isdigit((unsigned char)*text) && *text != '.')
		return false;
	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
		return false;
	*number = strtod(text, end);
	return *end != text && isfinite(*number);
}

const char *set_percent(void *field, const struct option_row *row, const char *value)
{
	double number;
	char *end;

	(void)row;
	if (!parse_decimal(value, &end, &number) || (*end && strcmp(end, "%")) || number > 100)
		return "a number from 0 to 100 is needed";
	*(double *)field = number;
	return NULL;
}

/* A time with its unit, `length` bytes; empty is 0. */
static bool parse_time(const char *text, size_t length, double *seconds)
{
	static const struct {
		const char *name;
		double per_second;
	} units[] = { { "", 1 }, { "s", 1 }, { "ms", 1e3 }, { "us", 1e6 }, { "ns", 1e9 } };
	char copy[64], *end;

	*seconds = 0;
	if (!length)
		return true;
	if (length >= sizeof(copy))
		return false;
	memcpy(copy, text, length);
	copy[length] = '\0';
	if (!parse_decimal(copy, &end, seconds))
		return false;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (!strcmp(end, units[i].name)) {
			/* Dividing by the power of ten is exact where the unit's number is. */
			*seconds /= units[i].per_second;
			return true;
		}
	}
	return false;
}

const char *set_window(void *field, const struct option_row *row, const char *value)
{
	struct tl_input_options *input = &((struct settings *)field)->input;
	const char *dots = strstr(value, "..");
	double from, to;

	(void)row;
	if (!dots || !parse_time(value, (size_t)(dots - value), &from) ||
	    !parse_time(dots + 2, strlen(dots + 2), &to))
		return "a window FROM..TO is needed, such as 0.5..2 or 5ms..20ms";
	if (dots[2] && to <= from)
		return "the window ends before it begins";
	input->filter.from_seconds = from;
	input->filter.to_seconds = dots[2] ? to : -1;
	return NULL;
}

const char *set_time(void *field, const struct option_row *row, const char *value)
{
	(void)row;
	return parse_time(value, strlen(value), field) && *value
		       ? NULL
		       : "a time is needed, such as 5ms or 0.2";
}

/* A number of a range, empty: TL_NOWHERE. */
static bool parse_end(const char *text, size_t length, uint64_t *number)
{
	char copy[32];

	*number = TL_NOWHERE;
	if (!length)
		return true;
	if (length >= sizeof(copy))
		return false;
	memcpy(copy, text, length);
	copy[length] = '\0';
	return parse_number(copy, number) && *number != TL_NOWHERE;
}

const char *set_range(void *field, const struct option_row *row, const char *value)
{
	struct tl_number_range *range = field;
	const char *dots = strstr(value, "..");

	(void)row;
	if (!dots || !parse_end(value, (size_t)(dots - value), &range->from) ||
	    !parse_end(dots + 2, strlen(dots + 2), &range->to))
		return "a range such as 3..7, 3.. or ..7 is needed";
	if (range->from == TL_NOWHERE)
		range->from = 0;
	return range->to > range->from ? NULL : "the range ends before it begins";
}

/* Two numbers that are not a range: the second may be the lower one. */
const char *set_two(void *field, const struct option_row *row, const char *value)
{
	struct tl_number_range *two = field;
	const char *comma = strchr(value, ',');

	(void)row;
	if (!comma || comma == value || !comma[1] ||
	    !parse_end(value, (size_t)(comma - value), &two->from) ||
	    !parse_end(comma + 1, strlen(comma + 1), &two->to))
		return "two numbers such as 3,4 are needed";
	return two->from != two->to ? NULL : "the two are the same";
}

const char *set_format(void *field, const struct option_row *row, const char *value)
{
	(void)row;
	if (tl_format_find(value)) {
		*(const char **)field = value;
		return NULL;
	}
	return "this format cannot be read; `tracelathe help` lists those that can";
}

const char *set_timeline(void *field, const struct option_row *row, const char *value)
{
	for (const struct tl_timeline_format *const *format = tl_timeline_formats(); *format;
	     format++) {
		if (!strcmp((*format)->name, value)) {
			*(const char **)field = (*format)->name;
			return NULL;
		}
	}
	return row->argument;
}

bool target_known(const char *name)
{
	const struct tl_trace_target *target;

	if (tl_exporter_find(name) || !strcmp(name, "json") || !strcmp(name, "csv"))
		return true;
	if (tl_format_find(name))
		return true;
	for (size_t i = 0; (target = tl_trace_target(i)); i++)
		if (!strcmp(target->name, name))
			return true;
	return false;
}

const char *set_positions(void *field, const struct option_row *row, const char *value)
{
	bool instr = !strcmp(value, "instr");

	if (!instr && strcmp(value, "line"))
		return row->argument;
	*(enum tl_export_positions *)field = instr ? TL_POSITIONS_INSTR : TL_POSITIONS_LINE;
	return NULL;
}

const char *set_caches(void *field, const struct option_row *row, const char *value)
{
	struct settings *settings = field;

	(void)row;
	if (value && !*value)
		return "a file name is missing";
	settings->analysis.analyses |= TL_ANALYZE_CACHE;
	settings->analysis.caches = value ? value : settings->analysis.caches;
	return NULL;
}

const char *set_target(void *field, const struct option_row *row, const char *value)
{
	(void)row;
	if (!target_known(value))
		return "this cannot be written; `tracelathe convert --help` lists what can";
	*(const char **)field = value;
	return NULL;
}

/* A name may have an @ in it: only what looks like an address after the last one is an address. */
static const char *add_binary(struct settings *settings, struct tl_binary_spec *specs,
			      size_t *count, const char *value)
{
	struct tl_binary_spec *spec = &specs[*count];
	const char *at = strrchr(value, '@');
	bool address = at && parse_number(at + 1, &spec->address);
	char *path = address ? strndup(value, (size_t)(at - value)) : strdup(value);

	if (!path)
		return "out of memory";
	settings->binary_paths[settings->binary_path_count++] = path;
	++*count;
	spec->path = path;
	if (!address)
		spec->address = 0;
	return *path ? NULL : "a file name is missing";
}

const char *set_binary(void *field, const struct option_row *row, const char *value)
{
	struct settings *settings = field;

	(void)row;
	return add_binary(settings, settings->binaries, &settings->binary_count, value);
}

/*
 * FILE[:OFF[-END]]@ADDR, as ptxed has it; the file's name may have all of these characters in it.
 */
const char *set_raw(void *field, const struct option_row *row, const char *value)
{
	struct settings *settings = field;
	struct tl_raw_spec *spec = &settings->raws[settings->raw_count];
	char *path = strdup(value), *at, *colon, *dash;

	if (!path)
		return "out of memory";
	settings->binary_paths[settings->binary_path_count++] = path;
	*spec = (struct tl_raw_spec){ .path = path };
	at = strrchr(path, '@');
	if (!at || !parse_number(at + 1, &spec->address))
		return row->argument;
	*at = '\0';
	colon = strrchr(path, ':');
	if (colon) {
		dash = strchr(colon, '-');
		if (dash)
			*dash = '\0';
		if (!parse_number(colon + 1, &spec->offset) ||
		    (dash && !parse_number(dash + 1, &spec->end)))
			return row->argument;
		*colon = '\0';
	}
	settings->raw_count++;
	return *path ? NULL : "a file name is missing";
}

const char *set_after_binary(void *field, const struct option_row *row, const char *value)
{
	struct settings *settings = field;

	(void)row;
	return add_binary(settings, settings->after_binaries, &settings->after_count, value);
}

/* The text is rarely as wild as the expression: the last "=" is between them. */
const char *set_rename(void *field, const struct option_row *row, const char *value)
{
	struct settings *settings = field;
	const char *equals = strrchr(value, '=');
	char *pattern;

	if (!equals || equals == value)
		return row->argument;
	pattern = strndup(value, (size_t)(equals - value));
	if (!pattern)
		return "out of memory";
	settings->rename_patterns[settings->rename_count] = pattern;
	settings->renames[settings->rename_count++] = (struct tl_rename){ pattern, equals + 1 };
	return check_pattern(pattern);
}

const char *set_source_dir(void *field, const struct option_row *row, const char *value)
{
	struct settings *settings = field;

	(void)row;
	if (!*value)
		return "a directory is missing";
	settings->source_dirs[settings->source_dir_count++] = value;
	return NULL;
}
