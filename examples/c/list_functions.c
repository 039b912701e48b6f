/* SPDX-License-Identifier: Apache-2.0 */
/* list_functions TRACE [PROGRAM]: the functions of a trace or profile, their calls and costs. */
#include <inttypes.h>
#include <stdio.h>

#include <tracelathe/open.h>

static int fail(const char *path, const struct tl_error *err)
{
	fprintf(stderr, "%s: offset %" PRIu64 ": %s\n", path, err->offset,
		err->text ? err->text : tl_status_name(err->status));
	return 2;
}

static void list(const struct tl_profile *profile)
{
	struct tl_function_totals totals;

	printf("%12s %15s %15s  function\n", "calls", "self", "inclusive");
	for (uint32_t i = 0; i < tl_profile_function_count(profile); i++) {
		tl_profile_function_totals(profile, i, TL_NONE, &totals, sizeof(totals));
		printf("%12" PRIu64 " %15" PRId64 " %15" PRId64 "  %s\n", totals.calls,
		       totals.self[0], totals.inclusive[0], tl_profile_function(profile, i)->name);
	}
}

int main(int argc, char **argv)
{
	struct tl_input_options options = TL_INPUT_OPTIONS_DEFAULT;
	const struct tl_binary_spec program = { argv[argc - 1], 0 };
	const char *path = argc > 1 ? argv[1] : "", *failed = path;
	struct tl_profile *profile = NULL;
	struct tl_input *input;
	struct tl_error err;
	int status = 0;

	if (argc < 2 || argc > 3) {
		fprintf(stderr, "list_functions TRACE [PROGRAM]\n");
		return 2;
	}
	options.detail = TL_DETAIL_FUNCTIONS; /* sums are enough */
	options.programs.binaries = &program;
	options.programs.binary_count = argc == 3;
	if (tl_input_open(&input, &path, 1, &options, &failed, &err) < 0)
		return fail(failed, &err);
	if (tl_input_fold(input, &profile, &err) < 0)
		status = fail(path, &err);
	else
		list(profile);
	/* What is damaged was left out, and the sums are those of the rest. */
	if (!status && tl_input_damage_count(input, NULL))
		status = 1;
	tl_profile_free(profile);
	tl_input_close(input);
	return status;
}
