/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a directory of uftrace (tests/fault/uftrace_folder.h): a profile comes whose total
 * is the sum over its contexts, or a status that is not about memory; a dump ends.
 */
#include "fuzz.h"
#include "uftrace_folder.h"

static void sum_up(const struct tl_profile *profile)
{
	int64_t sum = 0;
	bool fits = true;

	for (uint32_t i = 0; i < tl_profile_context_count(profile); i++)
		fits &= !__builtin_add_overflow(sum, tl_profile_context_self(profile, i)[0], &sum);
	FUZZ_MUST(!fits || tl_profile_total(profile)[0] == sum);
}

static void use(const uint8_t *data, size_t size, bool dump)
{
	struct tl_foreign_options options = { .process = TL_NOWHERE,
					      .thread = TL_NOWHERE,
					      .json = dump };
	struct tl_profile *profile = NULL;
	struct tl_foreign_file file;
	struct tl_output *out;
	int status;

	FUZZ_MUST(!tl_output_open_memory(&out, NULL));
	options.dump = dump ? out : NULL;
	FUZZ_MUST(tl_foreign_begin(&file, &tl_uftrace_reader, &options));
	status = uftrace_folder_read(&file, data, size, NULL);
	FUZZ_MUST(status <= 0 && status != TL_NO_MEMORY);
	if (status == 0 && !tl_foreign_fold(&file, &profile, NULL))
		sum_up(profile);
	tl_profile_free(profile);
	tl_foreign_end(&file);
	tl_output_discard(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	use(data, size, false);
	use(data, size, true);
	return 0;
}
