/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stream_calls TRACE [PROGRAM]: every call of a trace, indented by its depth, in the order of begin
 * within a thread. Memory use does not grow with the length of the trace.
 */
#include <inttypes.h>
#include <stdio.h>

#include <tracelathe/open.h>
#include <tracelathe/timeline.h>

static int fail(const char *path, const struct tl_error *err)
{
	fprintf(stderr, "%s: offset %" PRIu64 ": %s\n", path, err->offset,
		err->text ? err->text : tl_status_name(err->status));
	return 2;
}

static int stream(struct tl_calls *calls, struct tl_error *err)
{
	struct tl_call_function function;
	const struct tl_call *call;
	int status;

	while ((status = tl_calls_next(calls, &call, err)) == 1) {
		status = tl_calls_function(calls, call->function, &function, sizeof(function), err);
		if (status < 0)
			return status;
		printf("%" PRId64 " %" PRIu64 " ", call->thread, call->start);
		if (call->end == TL_NOWHERE)
			printf("unfinished");
		else
			printf("%" PRIu64, call->end - call->start);
		printf(" %*s%s\n", (int)(call->depth < 100 ? call->depth : 100), "", function.name);
	}
	return status;
}

int main(int argc, char **argv)
{
	struct tl_input_options options = TL_INPUT_OPTIONS_DEFAULT;
	const struct tl_binary_spec program = { argv[argc - 1], 0 };
	const char *path = argc > 1 ? argv[1] : "", *failed = path;
	struct tl_calls *calls = NULL;
	struct tl_input *input;
	struct tl_error err;
	int status;

	if (argc < 2 || argc > 3) {
		fprintf(stderr, "stream_calls TRACE [PROGRAM]\n");
		return 2;
	}
	options.programs.binaries = &program;
	options.programs.binary_count = argc == 3;
	if (tl_input_open(&input, &path, 1, &options, &failed, &err) < 0)
		return fail(failed, &err);
	status = tl_input_calls(input, NULL, &calls, &err);
	if (status == 0)
		status = stream(calls, &err);
	if (status < 0)
		status = fail(path, &err);
	tl_calls_close(calls); /* before its input */
	tl_input_close(input);
	return status;
}
