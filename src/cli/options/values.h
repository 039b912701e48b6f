/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_CLI_OPTIONS_VALUES_H
#define TL_CLI_OPTIONS_VALUES_H
/*
 * The kinds of options: a macro for the rows of the option table, and the function that stores the
 * value. A macro compiles only with a field of the type that its function writes.
 */
#include "cli/options/option.h"
#include "cli/options/settings.h"

/* The offset of a field in struct settings, if it is of the type; else this does not compile. */
#define FIELD_OF(type, member)                                                                     \
	_Generic(&((struct settings *)NULL)->member, type *: offsetof(struct settings, member))
/* The same for a list of items of the type. */
#define LIST_FIELD_OF(type, member)                                                                \
	_Generic(((struct settings *)NULL)->member.items, type *: offsetof(struct settings, member))
/* Setters of words store enumerations of any type as numbers of this size. */
#define ENUM_FIELD_OF(type, member)                                                                \
	(FIELD_OF(type, member) + 0 * sizeof(char[sizeof(type) == sizeof(int) ? 1 : -1]))

#define OPTION(mask, word, value, text, offset, setter, ...)                                       \
	{ .commands = (mask),                                                                      \
	  .name = (word),                                                                          \
	  .argument = (value),                                                                     \
	  .help = (text),                                                                          \
	  .field = (offset),                                                                       \
	  .set = (setter),                                                                         \
	  __VA_ARGS__ }

/* ---- without a value ---- */

#define OPT_FLAG(mask, name, member, help)                                                         \
	OPTION(mask, name, NULL, help, FIELD_OF(bool, member), set_flag, .choice = true)
#define OPT_CLEAR(mask, name, member, help)                                                        \
	OPTION(mask, name, NULL, help, FIELD_OF(bool, member), set_flag, .choice = false)
#define OPT_FLAG_LETTER(short_name, mask, name, member, help)                                      \
	OPTION(mask, name, NULL, help, FIELD_OF(bool, member), set_flag, .choice = true,           \
	       .letter = (short_name))
/* A field of an enumeration becomes `value`. */
#define OPT_CHOICE(mask, name, type, member, value, help)                                          \
	OPTION(mask, name, NULL, help, ENUM_FIELD_OF(type, member), set_choice, .choice = (value))
/* A bit is added to the field. */
#define OPT_BIT(mask, name, member, bit, help)                                                     \
	OPTION(mask, name, NULL, help, FIELD_OF(unsigned, member), set_bit, .choice = (bit))

/* ---- words and texts ---- */

/* A word of the argument "a|b|c" sets an enumeration that has them in this order from `first`. */
#define OPT_WORD(mask, name, argument, type, member, first, help)                                  \
	OPTION(mask, name, argument, help, ENUM_FIELD_OF(type, member), set_word, .choice = (first))
#define OPT_TEXT(mask, name, argument, member, help)                                               \
	OPTION(mask, name, argument, help, FIELD_OF(const char *, member), set_text, .choice = 0)
#define OPT_TEXT_LETTER(short_name, mask, name, argument, member, help)                            \
	OPTION(mask, name, argument, help, FIELD_OF(const char *, member), set_text,               \
	       .letter = (short_name))
/* A text, for which some names are offered. */
#define OPT_HINTED(mask, name, argument, member, names, help)                                      \
	OPTION(mask, name, argument, help, FIELD_OF(const char *, member), set_text,               \
	       .name_of = (names))
/* One of the names. */
#define OPT_NAME(mask, name, argument, member, names, help)                                        \
	OPTION(mask, name, argument, help, FIELD_OF(const char *, member), set_name,               \
	       .name_of = (names))
#define OPT_REGEX(mask, name, argument, member, help)                                              \
	OPTION(mask, name, argument, help, FIELD_OF(const char *, member), set_regex, .choice = 0)

/* ---- numbers ---- */

#define OPT_NUMBER(mask, name, argument, type, member, setter, help)                               \
	OPTION(mask, name, argument, help, FIELD_OF(type, member), setter, .choice = 0)
#define OPT_ID(mask, name, argument, member, help)                                                 \
	OPT_NUMBER(mask, name, argument, uint64_t, member, set_id, help)
#define OPT_AMOUNT(mask, name, argument, member, help)                                             \
	OPT_NUMBER(mask, name, argument, uint64_t, member, set_amount, help)
#define OPT_PART(mask, name, argument, member, help)                                               \
	OPT_NUMBER(mask, name, argument, uint64_t, member, set_part, help)
#define OPT_COUNT(mask, name, argument, member, help)                                              \
	OPT_NUMBER(mask, name, argument, uint32_t, member, set_count, help)
#define OPT_U32(mask, name, argument, member, help)                                                \
	OPT_NUMBER(mask, name, argument, uint32_t, member, set_u32, help)
#define OPT_BYTE(mask, name, argument, member, help)                                               \
	OPT_NUMBER(mask, name, argument, uint8_t, member, set_byte, help)
#define OPT_LINES(mask, name, argument, member, help)                                              \
	OPT_NUMBER(mask, name, argument, int, member, set_lines, help)
#define OPT_JOBS(mask, name, argument, member, help)                                               \
	OPT_NUMBER(mask, name, argument, unsigned, member, set_jobs, help)
#define OPT_PERCENT(mask, name, argument, member, help)                                            \
	OPT_NUMBER(mask, name, argument, double, member, set_percent, help)
/* A limit in percent, which may be above 100. */
#define OPT_LIMIT(mask, name, argument, member, help)                                              \
	OPT_NUMBER(mask, name, argument, double, member, set_limit, help)
/* A duration in seconds. */
#define OPT_TIME(mask, name, argument, member, help)                                               \
	OPT_NUMBER(mask, name, argument, double, member, set_time, help)
/* Names of events, and formulas. */
#define OPT_EVENTS(mask, name, argument, member, names, help)                                      \
	OPTION(mask, name, argument, help, FIELD_OF(struct event_settings, member), set_events,    \
	       .name_of = (names))
/* Words of the argument between commas: a bit each. */
#define OPT_LABELS(mask, name, argument, member, help)                                             \
	OPT_NUMBER(mask, name, argument, unsigned, member, set_labels, help)
/* FROM..TO of times: the window of a filter. */
#define OPT_WINDOW(mask, name, argument, member, help)                                             \
	OPT_NUMBER(mask, name, argument, struct tl_input_filter, member, set_window, help)
/* FROM..TO of numbers, and two numbers I,J. */
#define OPT_RANGE(mask, name, argument, member, help)                                              \
	OPT_NUMBER(mask, name, argument, struct tl_number_range, member, set_range, help)
#define OPT_PAIR(mask, name, argument, member, help)                                               \
	OPT_NUMBER(mask, name, argument, struct tl_number_range, member, set_pair, help)
/* A bit of an analysis, and a file that describes what it simulates. */
#define OPT_DESCRIBED(mask, name, argument, member, bit, help)                                     \
	OPTION(mask, name, argument, help, FIELD_OF(struct tl_analysis, member), set_described,    \
	       .choice = (bit))

/* ---- lists: options that may be repeated ---- */

#define OPT_LIST(mask, name, argument, type, member, setter, help)                                 \
	OPTION(mask, name, argument, help, LIST_FIELD_OF(type, member), setter, .repeatable = true)
#define OPT_BINARY(mask, name, argument, member, help)                                             \
	OPT_LIST(mask, name, argument, struct tl_binary_spec, member, add_binary, help)
#define OPT_RAW(mask, name, argument, member, help)                                                \
	OPT_LIST(mask, name, argument, struct tl_raw_spec, member, add_raw, help)
#define OPT_RENAME(mask, name, argument, member, help)                                             \
	OPT_LIST(mask, name, argument, struct tl_rename, member, add_rename, help)
#define OPT_DIR(mask, name, argument, member, help)                                                \
	OPT_LIST(mask, name, argument, const char *, member, add_dir, help)
#define OPT_LABEL(mask, name, argument, member, help)                                              \
	OPT_LIST(mask, name, argument, const char *, member, add_label, help)

set_fn set_flag, set_choice, set_bit;
set_fn set_word, set_text, set_name, set_regex;
set_fn set_id, set_amount, set_part, set_count, set_u32, set_byte, set_lines, set_jobs, set_percent,
	set_time;
set_fn set_limit;
set_fn set_labels, set_events, set_window, set_range, set_pair, set_described;
set_fn add_binary, add_raw, add_rename, add_dir, add_label;

/* NULL, or why a text is no POSIX extended regular expression. */
const char *check_pattern(const char *pattern);
/* A decimal number >= 0; *end is where it ends. */
bool parse_decimal(const char *text, char **end, double *number);
/* Decimal, or hexadecimal behind 0x; nothing else before, between or behind. */
bool parse_number(const char *text, uint64_t *number);

#endif
