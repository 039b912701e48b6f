/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profile_file FILE [TEXT]: what it costs to read a table of functions out of a profile file, as
 * `report` does; all its rows, and to write them again, as `convert`, `annotate` and a merge of
 * some files do (packed); the sums of its functions and of the calls between them, as `tree` does;
 * and the whole profile as elements in memory, and to write it. Each by itself, by as many threads
 * as the command takes; in MB/s of the size of TEXT, or of FILE, by the time that passes.
 */
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tracelathe/tracelathe.h>

#include "instant.h"

/* As the command has it by default (src/cli/options/parse.c). */
static unsigned default_jobs(void)
{
	enum { MOST = 16 };
	const long processors = sysconf(_SC_NPROCESSORS_ONLN);

	return processors < 1 ? 1 : processors > MOST ? MOST : (unsigned)processors;
}

static void tell(const char *what, struct instant begin, double bytes)
{
	struct instant end = instant_now();
	double cpu = end.cpu - begin.cpu, wall = end.wall - begin.wall;

	printf("%-17s %7.3f s of processor time, %7.3f s, %5.0f MB/s\n", what, cpu, wall,
	       bytes / wall / 1e6);
}

static int fail(const struct tl_error *err)
{
	fprintf(stderr, "profile_file: %s\n", err->text);
	return 2;
}

static int read_profile(const char *path, enum tl_input_detail detail, bool packed,
			struct tl_profile **profile, struct tl_error *err)
{
	struct tl_input_options options = TL_INPUT_OPTIONS_DEFAULT;
	struct tl_input *input;
	int status;

	options.detail = detail;
	options.per_thread = detail == TL_DETAIL_LINES;
	options.packed = packed;
	options.jobs = default_jobs();
	status = tl_input_open(&input, &path, 1, &options, NULL, err);

	if (status < 0)
		return status;
	status = tl_input_fold(input, profile, err);
	tl_input_close(input);
	return status;
}

static int write_profile(const struct tl_profile *profile, const char *what, double bytes,
			 struct tl_error *err)
{
	const struct tl_exporter *exporter = tl_exporter_find("tracelathe");
	const struct tl_export_options options = { .size = sizeof(options),
						   .jobs = default_jobs() };
	struct tl_output *out;
	struct instant begin = instant_now();
	int status = tl_output_open(&out, "/dev/null", err);

	if (status == 0)
		status = exporter->write(profile, &options, out, err);
	if (status == 0)
		status = tl_output_finish(out, err);
	tell(what, begin, bytes);
	return status;
}

/* Read it whole, as elements or packed, and write it. */
static int whole(const char *path, bool packed, double bytes, struct tl_error *err)
{
	struct tl_profile *profile = NULL;
	struct instant begin = instant_now();
	int status = read_profile(path, TL_DETAIL_LINES, packed, &profile, err);

	tell(packed ? "all rows read" : "elements read", begin, bytes);
	if (status == 0)
		status = write_profile(profile, packed ? "all rows written" : "elements written",
				       bytes, err);
	tl_profile_free(profile);
	return status;
}

int main(int argc, char **argv)
{
	static const struct {
		enum tl_input_detail detail;
		const char *what;
	} sums[] = {
		{ TL_DETAIL_TABLE, "table read" },
		{ TL_DETAIL_FUNCTIONS, "sums read" },
	};
	struct tl_error err;
	struct stat about;

	if (argc < 2 || stat(argv[argc - 1], &about) != 0) {
		fprintf(stderr, "usage: profile_file FILE [TEXT]\n");
		return 2;
	}
	for (size_t i = 0; i < sizeof(sums) / sizeof(sums[0]); i++) {
		struct tl_profile *profile = NULL;
		struct instant begin = instant_now();

		if (read_profile(argv[1], sums[i].detail, false, &profile, &err) < 0)
			return fail(&err);
		tell(sums[i].what, begin, (double)about.st_size);
		tl_profile_free(profile);
	}
	if (whole(argv[1], true, (double)about.st_size, &err) < 0 ||
	    whole(argv[1], false, (double)about.st_size, &err) < 0)
		return fail(&err);
	return 0;
}
