/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Costs in other forms than short decimal numbers: signed, hexadecimal, very long, with a fraction
 * or an exponent (rule K).
 */
#include "callgrind/text/parse_number.h"

/* "12.5", "1e3": digits, where the point stands, an exponent. */
struct decimal {
	const uint8_t *digits, *stop; /* digits with at most one point among them */
	int64_t point;                /* digits before the point, exponent included */
};

static const uint8_t *read_exponent(const uint8_t *p, int64_t *exponent)
{
	bool minus = *p == '-';
	int64_t value = 0;

	if (*p == '-' || *p == '+')
		p++;
	if (!tl_callgrind_is_digit(*p))
		return NULL;
	for (; tl_callgrind_is_digit(*p); p++)
		value = value < 100000 ? value * 10 + (*p - '0') : value;
	*exponent = minus ? -value : value;
	return p;
}

static const uint8_t *read_decimal(const uint8_t *p, struct decimal *d)
{
	const uint8_t *point = NULL;
	int64_t exponent = 0;

	d->digits = p;
	for (; tl_callgrind_is_digit(*p) || (*p == '.' && !point); p++)
		if (*p == '.')
			point = p;
	d->stop = p;
	if (p - d->digits - (point != NULL) < 1)
		return NULL;
	if ((*p | 0x20) == 'e')
		p = read_exponent(p + 1, &exponent);
	d->point = (point ? point : d->stop) - d->digits + exponent;
	return p;
}

/* The integer part; *fraction is set if another part is lost. */
static uint64_t truncate_decimal(const struct decimal *d, bool *over, bool *fraction)
{
	uint64_t value = 0;
	int64_t left = d->point;

	for (const uint8_t *p = d->digits; p < d->stop; p++) {
		if (*p == '.')
			continue;
		if (left-- <= 0)
			*fraction |= *p != '0';
		else if (__builtin_mul_overflow(value, 10, &value) ||
			 __builtin_add_overflow(value, (uint64_t)(*p - '0'), &value))
			return *over = true, UINT64_MAX;
	}
	for (; left > 0 && value; left--)
		if (__builtin_mul_overflow(value, 10, &value))
			return *over = true, UINT64_MAX;
	return value;
}

static int64_t with_sign(uint64_t value, bool minus, bool *over)
{
	if (value > INT64_MAX + (uint64_t)minus) {
		*over = true;
		value = INT64_MAX + (uint64_t)minus;
	}
	return minus ? (int64_t)(0 - value) : (int64_t)value;
}

const uint8_t *tl_callgrind_unusual_cost(const uint8_t *p, const uint8_t *stop, int64_t *cost,
					 bool *over, bool *fraction)
{
	bool minus = *p == '-';
	uint64_t value = 0;
	struct decimal decimal;
	const uint8_t *end;

	*cost = 0;
	p += minus;
	end = tl_callgrind_long_number(p, &value, over);
	if (!end || (end < stop && !tl_callgrind_is_blank(*end))) {
		end = read_decimal(p, &decimal);
		if (!end || (end < stop && !tl_callgrind_is_blank(*end)))
			return NULL;
		value = truncate_decimal(&decimal, over, fraction);
	}
	*cost = with_sign(value, minus, over);
	return end;
}
