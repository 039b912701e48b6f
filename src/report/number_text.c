/* SPDX-License-Identifier: Apache-2.0 */
#include "report/number_text.h"

#include <math.h>
#include <string.h>

#include "core/output.h"

size_t tl_format_count(char *text, uint64_t value)
{
	char digits[24];
	size_t length = (size_t)(tl_format_u64(digits, value) - digits);
	char *p = text;

	for (size_t i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0)
			*p++ = ',';
		*p++ = digits[i];
	}
	*p = '\0';
	return (size_t)(p - text);
}

/* A value >= 0 rounded to `decimals` places; values beyond 64 bits are shown as the largest one. */
static char *format_fixed(char *text, double value, unsigned decimals)
{
	static const double scales[] = { 1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9 };
	uint64_t scale = (uint64_t)scales[decimals];
	double rounded = value * scales[decimals] + 0.5;
	uint64_t scaled = UINT64_MAX;
	char *p;

	if (rounded < 0x1p64)
		scaled = (uint64_t)rounded;
	p = text + tl_format_count(text, scaled / scale);
	if (!decimals)
		return p;
	*p++ = '.';
	for (uint64_t rest = scaled % scale, place = scale / 10; place; rest %= place, place /= 10)
		*p++ = (char)('0' + rest / place);
	return p;
}

struct unit {
	double size; /* of the base unit */
	const char *name;
};

/* Four digits, in the largest unit in which the value is at least 1. */
static size_t format_scaled(char *text, double value, const struct unit *units)
{
	double scaled = value / units->size;
	unsigned decimals = 1;
	char *p;

	/* Limits of rounding: 999.95 would be shown as 1000.0, 9.9995 as 10.000. */
	while (scaled >= 999.95 && units[1].name)
		scaled = value / (++units)->size;
	if (scaled < 9.9995)
		decimals = 3;
	else if (scaled < 99.995)
		decimals = 2;
	p = format_fixed(text, scaled, decimals);
	*p++ = ' ';
	strcpy(p, units->name);
	return (size_t)(p - text) + strlen(p);
}

size_t tl_format_time(char *text, uint64_t ticks, uint64_t rate)
{
	static const struct unit units[] = {
		{ 1e-9, "ns" }, { 1e-6, "us" }, { 1e-3, "ms" }, { 1, "s" }, { 0, NULL }
	};

	if (!rate)
		return tl_format_count(text, ticks);
	if (!ticks) {
		strcpy(text, "0");
		return 1;
	}
	return format_scaled(text, (double)ticks / (double)rate, units);
}

size_t tl_format_seconds(char *text, uint64_t ticks, uint64_t rate)
{
	double seconds;
	char *p;

	if (!rate)
		return tl_format_count(text, ticks);
	seconds = (double)ticks / (double)rate;
	/* From 2^63 ns on, nine decimals do not fit 64 bits. */
	p = format_fixed(text, seconds, seconds < 9e9 ? 9 : 0);
	*p = '\0';
	return (size_t)(p - text);
}

size_t tl_format_cost(char *text, int64_t cost, uint64_t rate, bool seconds)
{
	uint64_t magnitude = (uint64_t)cost;
	char *p = text;

	if (cost < 0) {
		*p++ = '-';
		magnitude = -magnitude;
	}
	if (seconds)
		return (size_t)(p - text) + tl_format_seconds(p, magnitude, rate);
	return (size_t)(p - text) + tl_format_time(p, magnitude, rate);
}

size_t tl_format_rate(char *text, uint64_t rate)
{
	static const struct unit units[] = {
		{ 1, "Hz" }, { 1e3, "kHz" }, { 1e6, "MHz" }, { 1e9, "GHz" }, { 0, NULL }
	};

	return format_scaled(text, (double)rate, units);
}

size_t tl_format_share(char *text, int64_t value, int64_t total)
{
	double share = 0;
	char *p = text;

	if (total)
		share = 100.0 * (double)value / (double)total;
	if (!total || fabs(share) > 1e9) {
		strcpy(text, "-");
		return 1;
	}
	if (share <= -0.005)
		*p++ = '-';
	p = format_fixed(p, fabs(share), 2);
	*p++ = '%';
	*p = '\0';
	return (size_t)(p - text);
}

void tl_put_count(struct tl_output *out, uint64_t value)
{
	char text[TL_VALUE_ROOM];

	tl_put_bytes(out, text, tl_format_count(text, value));
}

void tl_put_name(struct tl_output *out, const char *text)
{
	tl_put_shown(out, text, strlen(text));
}

void tl_put_markdown_code(struct tl_output *out, const char *name)
{
	tl_put_char(out, '`');
	for (const char *p = name; *p; p++) {
		if (*p == '|')
			tl_put_char(out, '\\');
		tl_put_char(out, *p == '`' || (unsigned char)*p < ' ' ? '\'' : *p);
	}
	tl_put_char(out, '`');
}

void tl_put_blanks(struct tl_output *out, size_t count)
{
	static const char blanks[64] =
		"                                                               ";

	for (; count > sizeof(blanks) - 1; count -= sizeof(blanks) - 1)
		tl_put_bytes(out, blanks, sizeof(blanks) - 1);
	tl_put_bytes(out, blanks, count);
}

void tl_put_right(struct tl_output *out, const char *text, size_t length, size_t width)
{
	if (length < width)
		tl_put_blanks(out, width - length);
	tl_put_bytes(out, text, length);
}

void tl_put_plural(struct tl_output *out, uint64_t count)
{
	if (count != 1)
		tl_put_char(out, 's');
}
