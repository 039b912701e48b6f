/* SPDX-License-Identifier: Apache-2.0 */
/* Records to a profile: what the numbers of a profile owe each other holds for any bytes. */
#include <tracelathe/xray.h>

#include "fuzz.h"

#include "profile/model/unsized.h"

static void look(const struct tl_profile *profile)
{
	int64_t self = 0;

	for (uint32_t i = 0; i < tl_profile_function_count(profile); i++) {
		struct tl_function_totals totals;
		struct tl_latency latency;

		tl_profile_totals_of(profile, i, TL_NONE, &totals);
		if (tl_profile_latency_of(profile, i, TL_NONE, &latency) && latency.calls)
			FUZZ_MUST(latency.min <= latency.max &&
				  latency.calls + totals.cut == totals.calls);
		if (__builtin_add_overflow(self, totals.self[0], &self))
			return;
	}
	/* "Self cost sums to the total", unless a sum did not fit. */
	if (!tl_profile_losses_of(profile).saturated)
		FUZZ_MUST(self == tl_profile_total(profile)[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tl_source *source;
	struct tl_xray_reader *reader;
	struct tl_profile *profile;
	struct tl_error err;
	unsigned steer = size > 31 ? data[31] : 0;
	const struct tl_xray_fold_options options = {
		.size = sizeof(options),
		.thread = TL_NOWHERE,
		.process = TL_NOWHERE,
		.cpu = TL_NOWHERE,
		.exact = steer & 1,
		.per_thread = steer & 2,
	};

	if (tl_source_open_memory(&source, data, size, "fuzz", &err))
		return 0;
	if (!tl_xray_open(&reader, source, NULL, &err)) {
		if (!tl_xray_fold(reader, NULL, &options, &profile, &err)) {
			look(profile);
			tl_profile_free(profile);
		}
		tl_xray_close(reader);
	}
	tl_source_close(source);
	return 0;
}
