/* SPDX-License-Identifier: Apache-2.0 */
/* Values of options: switches, words, texts and numbers. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options/values.h"
#include "cli/options/words.h"

/* ---- switches ---- */

const char *set_flag(struct settings *settings, void *field, const struct option_row *row,
		     const char *value)
{
	(void)settings;
	(void)value;
	*(bool *)field = row->choice;
	return NULL;
}

/* Enumerations are of several types, but all of the size of an int (ENUM_FIELD_OF). */
static void store_enum(void *field, int value)
{
	memcpy(field, &value, sizeof(value));
}

const char *set_choice(struct settings *settings, void *field, const struct option_row *row,
		       const char *value)
{
	(void)settings;
	(void)value;
	store_enum(field, row->choice);
	return NULL;
}

const char *set_bit(struct settings *settings, void *field, const struct option_row *row,
		    const char *value)
{
	(void)settings;
	(void)value;
	*(unsigned *)field |= (unsigned)row->choice;
	return NULL;
}

/* ---- words and texts ---- */

const char *set_word(struct settings *settings, void *field, const struct option_row *row,
		     const char *value)
{
	int number = option_word_number(row, value);

	(void)settings;
	if (number < 0)
		return row->argument;
	store_enum(field, row->choice + number);
	return NULL;
}

const char *set_text(struct settings *settings, void *field, const struct option_row *row,
		     const char *value)
{
	(void)settings;
	(void)row;
	if (!*value)
		return "a value is missing";
	*(const char **)field = value;
	return NULL;
}

const char *set_name(struct settings *settings, void *field, const struct option_row *row,
		     const char *value)
{
	if (option_word_number(row, value) < 0)
		return row->argument;
	return set_text(settings, field, row, value);
}

const char *check_pattern(const char *pattern)
{
	regex_t compiled;

	if (regcomp(&compiled, pattern, REG_EXTENDED | REG_NOSUB))
		return "not a POSIX extended regular expression";
	regfree(&compiled);
	return NULL;
}

/* A bad pattern is reported here, as a fault of the option and not of the file it is used on. */
const char *set_regex(struct settings *settings, void *field, const struct option_row *row,
		      const char *value)
{
	const char *wrong = set_text(settings, field, row, value);

	if (wrong)
		return wrong;
	return check_pattern(value);
}

/* ---- numbers ---- */

bool parse_number(const char *text, uint64_t *number)
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

/* A number from `least` to `most`. */
static bool in_range(const char *value, uint64_t least, uint64_t most, uint64_t *number)
{
	return parse_number(value, number) && *number >= least && *number <= most;
}

const char *set_id(struct settings *settings, void *field, const struct option_row *row,
		   const char *value)
{
	uint64_t number;

	(void)settings;
	(void)row;
	if (!in_range(value, 0, TL_NOWHERE - 1, &number))
		return "a number is needed";
	*(uint64_t *)field = number;
	return NULL;
}

const char *set_amount(struct settings *settings, void *field, const struct option_row *row,
		       const char *value)
{
	if (set_id(settings, field, row, value) || !*(uint64_t *)field)
		return "a number from 1 on is needed";
	return NULL;
}

const char *set_part(struct settings *settings, void *field, const struct option_row *row,
		     const char *value)
{
	const char *wrong = set_id(settings, field, row, value);

	if (!wrong && !*(uint64_t *)field)
		return "parts are numbered from 1";
	return wrong;
}

const char *set_count(struct settings *settings, void *field, const struct option_row *row,
		      const char *value)
{
	uint64_t number;

	(void)settings;
	(void)row;
	if (!in_range(value, 1, UINT32_MAX, &number))
		return "a number from 1 to 4294967295 is needed";
	*(uint32_t *)field = (uint32_t)number;
	return NULL;
}

const char *set_byte(struct settings *settings, void *field, const struct option_row *row,
		     const char *value)
{
	uint64_t number;

	(void)settings;
	(void)row;
	if (!in_range(value, 0, UINT8_MAX, &number))
		return "a number from 0 to 255 is needed";
	*(uint8_t *)field = (uint8_t)number;
	return NULL;
}

const char *set_u32(struct settings *settings, void *field, const struct option_row *row,
		    const char *value)
{
	uint64_t number;

	(void)settings;
	(void)row;
	if (!in_range(value, 0, UINT32_MAX, &number))
		return "a number from 0 to 4294967295 is needed";
	*(uint32_t *)field = (uint32_t)number;
	return NULL;
}

const char *set_lines(struct settings *settings, void *field, const struct option_row *row,
		      const char *value)
{
	uint64_t number;

	(void)settings;
	(void)row;
	if (!in_range(value, 0, 1000000, &number))
		return "a number from 0 to 1000000 is needed";
	*(int *)field = (int)number;
	return NULL;
}

const char *set_jobs(struct settings *settings, void *field, const struct option_row *row,
		     const char *value)
{
	uint64_t number;

	(void)settings;
	(void)row;
	if (!in_range(value, 1, 1024, &number))
		return "a number from 1 to 1024 is needed";
	*(unsigned *)field = (unsigned)number;
	return NULL;
}

/* strtod() also takes signs, "inf", "nan" and hexadecimal, which are no values here. */
bool parse_decimal(const char *text, char **end, double *number)
{
	if (!isdigit((unsigned char)*text) && *text != '.')
		return false;
	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
		return false;
	*number = strtod(text, end);
	return *end != text && isfinite(*number);
}

const char *set_limit(struct settings *settings, void *field, const struct option_row *row,
		      const char *value)
{
	double number;
	char *end;

	(void)settings;
	(void)row;
	if (!parse_decimal(value, &end, &number) || (*end && strcmp(end, "%")))
		return "a number of percent is needed";
	*(double *)field = number;
	return NULL;
}

const char *set_percent(struct settings *settings, void *field, const struct option_row *row,
			const char *value)
{
	double number;
	char *end;

	(void)settings;
	(void)row;
	if (!parse_decimal(value, &end, &number) || (*end && strcmp(end, "%")) || number > 100)
		return "a number from 0 to 100 is needed";
	*(double *)field = number;
	return NULL;
}
