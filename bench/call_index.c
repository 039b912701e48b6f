/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call_index FILE [WINDOWS]: what the index of a trace's calls costs, and how fast it answers. One
 * line each: the index (seconds, MB/s, bytes), all calls one by one, and WINDOWS random windows of
 * 1,600 pixels, whose widths are spread over six orders of magnitude.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include <tracelathe/tracelathe.h>

enum { PIXELS = 1600, TRACKS = 8, ROWS = 13 };

/* Seconds of processor time: others may work on the machine. */
static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double uniform(unsigned *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return (*seed >> 8) / (double)(1 << 24);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static int fail(const struct tl_error *err)
{
	fprintf(stderr, "call_index: %s\n", err->text);
	return 2;
}

static int list_calls(struct tl_input *input, double bytes)
{
	const struct tl_call *call;
	struct tl_calls *calls;
	struct tl_error err;
	uint64_t count = 0, self = 0;
	double begin = now();
	int status = tl_input_calls(input, NULL, &calls, &err);

	if (status < 0)
		return fail(&err);
	for (; (status = tl_calls_next(calls, &call, &err)) == 1; count++)
		self += call->self;
	tl_calls_close(calls);
	printf("calls: %llu in %.3f s, %.0f MB/s (%llu ticks)\n", (unsigned long long)count,
	       now() - begin, bytes / (now() - begin), (unsigned long long)self);
	return status < 0 ? fail(&err) : 0;
}

/* The first tracks in a window of a random width. */
static int ask(struct tl_call_index *index, struct tl_call_cursor *cursor, unsigned *seed,
	       size_t *items)
{
	struct tl_call_track_info info = { 0 };
	struct tl_call_window window;
	struct tl_error err;
	double share = pow(10, -6 * uniform(seed)), at = uniform(seed) * (1 - share);

	for (size_t i = 0; i < TRACKS; i++) {
		struct tl_call_query query = {
			.size = sizeof(query),
			.track = i,
			.pixels = PIXELS,
			.rows = ROWS,
			.items = 20000 / TRACKS,
		};

		if (tl_call_index_track(index, i, &info, sizeof(info)) != 1)
			break;
		query.from = info.first + (uint64_t)(at * (double)(info.last - info.first));
		query.to = query.from + 1 + (uint64_t)(share * (double)(info.last - info.first));
		if (tl_call_cursor_window(cursor, &query, &window, sizeof(window), &err) < 0)
			return fail(&err);
		*items += window.count;
	}
	return 0;
}

static int ask_windows(struct tl_call_index *index, size_t count)
{
	struct tl_call_cursor *cursor;
	double *times;
	struct tl_error err;
	unsigned seed = 14;
	size_t items = 0;
	int status = 0;

	if (!count)
		return 0;
	times = calloc(count, sizeof(*times));
	if (!times || tl_call_cursor_open(&cursor, index, &err) < 0)
		return 2;
	for (size_t i = 0; status == 0 && i < count; i++) {
		double begin = now();

		status = ask(index, cursor, &seed, &items);
		times[i] = (now() - begin) * 1e3;
	}
	qsort(times, count, sizeof(*times), compare);
	printf("windows: %zu, p50 %.2f ms, p99 %.2f ms, worst %.2f ms, %zu items on average\n",
	       count, times[count / 2], times[count * 99 / 100], times[count - 1], items / count);
	tl_call_cursor_close(cursor);
	free(times);
	return status;
}

static int make_index(struct tl_input *input, double bytes, size_t windows)
{
	struct tl_call_track_info info;
	struct tl_call_index *index;
	struct tl_error err;
	double begin = now(), seconds, kept = 0;
	size_t tracks = 0;
	int status;

	if (tl_input_index(input, &index, &err) < 0)
		return fail(&err);
	seconds = now() - begin;
	for (; tl_call_index_track(index, tracks, &info, sizeof(info)) == 1; tracks++)
		kept += (double)info.index_bytes;
	printf("index: %zu tracks in %.3f s, %.0f MB/s, %.2f %% of the input\n", tracks, seconds,
	       bytes / seconds, kept / (bytes * 1e4));
	status = ask_windows(index, windows);
	tl_call_index_close(index);
	return status;
}

int main(int argc, char **argv)
{
	const struct tl_input_options options = TL_INPUT_OPTIONS_DEFAULT;
	const char *path = argc > 1 ? argv[1] : "";
	struct tl_input *input;
	struct tl_error err;
	struct stat about;
	int status;

	if (argc < 2 || stat(path, &about)) {
		fprintf(stderr, "usage: call_index FILE [WINDOWS]\n");
		return 2;
	}
	if (tl_input_open(&input, &path, 1, &options, NULL, &err) < 0)
		return fail(&err);
	status = make_index(input, (double)about.st_size / 1e6,
			    argc > 2 ? strtoul(argv[2], NULL, 10) : 1000);
	if (!status)
		status = list_calls(input, (double)about.st_size / 1e6);
	tl_input_close(input);
	return status;
}
