/* SPDX-License-Identifier: Apache-2.0 */
#include "core/text/decimal.h"

enum { MOST_DIGITS = 19, MOST_EXPONENT = 100000 };

const uint64_t tl_powers_of_ten[TL_POWERS_OF_TEN] = {
	1u,
	10u,
	100u,
	1000u,
	10000u,
	100000u,
	1000000u,
	10000000u,
	100000000u,
	1000000000u,
	10000000000u,
	100000000000u,
	1000000000000u,
	10000000000000u,
	100000000000000u,
	1000000000000000u,
	10000000000000000u,
	100000000000000000u,
	1000000000000000000u,
	10000000000000000000u,
};

struct scan {
	const uint8_t *p, *end;
	unsigned kept; /* digits in `digits`, without zeros in front */
	bool any;
};

static inline bool is_digit(uint8_t c)
{
	return (uint8_t)(c - '0') < 10;
}

/* Digits before or behind the point, where each makes the exponent less. */
static inline void take_digits(struct scan *s, struct tl_decimal *n, bool behind_point)
{
	for (; s->p < s->end && is_digit(*s->p); s->p++) {
		s->any = true;
		if (s->kept < MOST_DIGITS) {
			n->digits = n->digits * 10 + (uint64_t)(*s->p - '0');
			s->kept += n->digits != 0;
			n->exponent -= behind_point;
		} else {
			n->rounded |= *s->p != '0';
			n->exponent += !behind_point;
		}
	}
}

static bool take_exponent(struct scan *s, struct tl_decimal *n)
{
	int32_t exponent = 0;
	bool negative = false, any = false;

	s->p++;
	if (s->p < s->end && (*s->p == '-' || *s->p == '+'))
		negative = *s->p++ == '-';
	for (; s->p < s->end && is_digit(*s->p); s->p++, any = true)
		if (exponent < MOST_EXPONENT)
			exponent = exponent * 10 + (*s->p - '0');
	n->exponent += negative ? -exponent : exponent;
	return any;
}

const uint8_t *tl_decimal_take(const uint8_t *text, struct tl_decimal *number)
{
	const uint8_t *p = text + (*text == '-'), *first = p;
	uint64_t digits = 0;
	ptrdiff_t places = 0;

	for (; is_digit(*p); p++)
		digits = digits * 10 + (uint64_t)(*p - '0');
	places = p - first;
	if (*p == '.' && places) {
		const uint8_t *point = p++;

		for (; is_digit(*p); p++)
			digits = digits * 10 + (uint64_t)(*p - '0');
		places = p - first - 1;
		number->exponent = (int32_t)(point + 1 - p);
	} else {
		number->exponent = 0;
	}
	number->digits = digits;
	number->negative = *text == '-';
	number->rounded = false;
	return places && places <= MOST_DIGITS ? p : NULL;
}

bool tl_decimal_parse(const uint8_t *text, size_t size, struct tl_decimal *number)
{
	struct scan s = { .p = text, .end = text + size };

	*number = (struct tl_decimal){ .digits = 0 };
	/* A size that no digits can be left out of costs nothing; a longer one bounds the sums. */
	if (size > INT32_MAX / 2)
		return false;
	if (s.p < s.end && (*s.p == '-' || *s.p == '+'))
		number->negative = *s.p++ == '-';
	take_digits(&s, number, false);
	if (s.p < s.end && *s.p == '.') {
		s.p++;
		take_digits(&s, number, true);
	}
	if (!s.any)
		return false;
	if (s.p < s.end && (*s.p == 'e' || *s.p == 'E') && !take_exponent(&s, number))
		return false;
	return s.p == s.end;
}

static uint64_t divide(uint64_t digits, int32_t places, bool *exact)
{
	uint64_t power, rest;

	if (places > MOST_DIGITS) {
		*exact &= !digits;
		return 0;
	}
	power = tl_powers_of_ten[places];
	rest = digits % power;
	*exact &= !rest;
	return digits / power + (rest >= power - rest && rest);
}

static uint64_t multiply(uint64_t digits, int32_t places, bool *exact)
{
	uint64_t product;

	if (!digits)
		return 0;
	if (places <= MOST_DIGITS &&
	    !__builtin_mul_overflow(digits, tl_powers_of_ten[places], &product))
		return product;
	*exact = false;
	return UINT64_MAX;
}

int64_t tl_decimal_scaled_any(const struct tl_decimal *number, int scale, bool *exact)
{
	const int32_t places = number->exponent + scale;
	uint64_t value = places < 0 ? divide(number->digits, -places, exact)
				    : multiply(number->digits, places, exact);

	*exact &= !number->rounded;
	/* There is one negative number more. */
	if (value > (uint64_t)INT64_MAX + number->negative) {
		*exact = false;
		return number->negative ? INT64_MIN : INT64_MAX;
	}
	return (int64_t)(number->negative ? 0 - value : value);
}

double tl_decimal_double(const struct tl_decimal *number)
{
	/* Beyond these, 19 digits are zero or infinite. */
	enum { LEAST = -400, MOST = 400 };
	const int32_t exponent = number->exponent < LEAST  ? LEAST
				 : number->exponent > MOST ? MOST
							   : number->exponent;
	double value = (double)number->digits, power = 1;

	/* Powers of ten up to the 22nd are exact, so that usual numbers are rounded once. */
	for (int32_t i = exponent < 0 ? -exponent : exponent; i > 0; i--) {
		power *= 10;
		if (power < 1e22 && i > 1)
			continue;
		value = exponent < 0 ? value / power : value * power;
		power = 1;
	}
	return number->negative ? -value : value;
}

unsigned tl_decimal_places(const struct tl_decimal *number)
{
	uint64_t digits = number->digits;
	int32_t exponent = number->exponent;

	if (!digits)
		return 0;
	for (; exponent < 0 && digits % 10 == 0; exponent++)
		digits /= 10;
	return exponent < 0 ? (unsigned)-exponent : 0;
}
