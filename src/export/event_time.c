/* SPDX-License-Identifier: Apache-2.0 */
#include "export/event_time.h"

#include <string.h>

#include "core/arithmetic.h"
#include "core/wide.h"

uint64_t tl_event_frequency(const struct tl_profile *profile, uint32_t event)
{
	if (strcmp(tl_profile_event(profile, event)->unit, "ticks") != 0)
		return 0;
	return tl_profile_frequency(profile);
}

/* The ticks times 10^9 and the rest of before, without its sign, which goes to carry->negative. */
static struct tl_wide add_rest(struct tl_ns_carry *carry, int64_t ticks)
{
	const struct tl_wide product = tl_wide_product(tl_magnitude(ticks), 1000000000);
	const bool negative = ticks < 0;

	if (negative == carry->negative)
		return tl_wide_sum(product, carry->rest);
	if (!product.high && product.low < carry->rest)
		return (struct tl_wide){ 0, carry->rest - product.low };
	carry->negative = negative;
	return tl_wide_difference(product, carry->rest);
}

int64_t tl_carry_ns(struct tl_ns_carry *carry, int64_t ticks)
{
	struct tl_wide whole;
	uint64_t ns;

	if (!carry->frequency)
		return ticks;
	whole = add_rest(carry, ticks);
	ns = tl_wide_quotient(whole, carry->frequency, &carry->rest);
	if (carry->negative)
		return ns > INT64_MAX ? INT64_MIN : -(int64_t)ns;
	return (int64_t)tl_min(ns, (uint64_t)INT64_MAX);
}
