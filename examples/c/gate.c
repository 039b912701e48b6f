/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gate PERCENT BEFORE... -- AFTER...: functions whose cost grew by more than so much between the
 * runs before and after, and by more than chance. Exit status 3 if there is one.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tracelathe/open.h>

/* A run is the profile of a file; what is needed of it is kept. 0, 1 with damage, or negative. */
static int add_run(struct tl_runs *runs, bool after, const char *path, struct tl_error *err)
{
	struct tl_input_options options = TL_INPUT_OPTIONS_DEFAULT;
	struct tl_profile *profile = NULL;
	struct tl_input *input;
	int status, damaged;

	options.detail = TL_DETAIL_FUNCTIONS;
	status = tl_input_open(&input, &path, 1, &options, NULL, err);
	if (status < 0)
		return status;
	status = tl_input_fold(input, &profile, err);
	if (status == 0)
		status = tl_runs_add(runs, after, profile, false, err);
	damaged = tl_input_damage_count(input, NULL) != 0;
	tl_profile_free(profile);
	tl_input_close(input);
	return status < 0 ? status : damaged;
}

/* The first row is the total, which has no function. */
static int judge(const struct tl_runs *runs, double percent)
{
	struct tl_run_row row;
	int status = 0;

	for (size_t i = 1; i < tl_runs_row_count(runs); i++) {
		tl_runs_row(runs, i, &row, sizeof(row));
		if (!row.significant || !(row.percent > percent))
			continue;
		printf("%+.1f %% (%+.1f to %+.1f)  %s\n", row.percent, row.low_percent,
		       row.high_percent, row.function->name);
		status = 3;
	}
	return status;
}

static int compare(struct tl_runs *runs, char **paths, double percent)
{
	bool after = false;
	struct tl_error err;
	int damaged = 0, status = 0;

	for (; *paths && status >= 0; paths++) {
		if (!strcmp(*paths, "--")) {
			after = true;
			continue;
		}
		status = add_run(runs, after, *paths, &err);
		damaged |= status == 1;
		if (status < 0)
			fprintf(stderr, "%s: offset %" PRIu64 ": %s\n", *paths, err.offset,
				err.text);
	}
	if (status < 0)
		return 2;
	if (tl_runs_compare(runs, NULL, &err) < 0) {
		fprintf(stderr, "gate: %s\n", err.text);
		return 2;
	}
	status = judge(runs, percent);
	return status ? status : damaged;
}

int main(int argc, char **argv)
{
	struct tl_runs *runs;
	struct tl_error err;
	int status;

	if (argc < 4) {
		fprintf(stderr, "gate PERCENT BEFORE... -- AFTER...\n");
		return 2;
	}
	if (tl_runs_open(&runs, &err) < 0) {
		fprintf(stderr, "gate: %s\n", err.text);
		return 2;
	}
	status = compare(runs, argv + 2, atof(argv[1]));
	tl_runs_free(runs);
	return status;
}
