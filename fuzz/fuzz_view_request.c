/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The request reader of `tracelathe view` on any bytes, and the answers to what it takes, from a
 * small profile: lines of the input are the path, then parameters as KEY=VALUE.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "view/web/answer.h"

static const char profile[] = "events: Ir Dr\nfl=a.c\nfn=main\n1 20 3\ncfn=work\ncalls=2 5\n"
			      "2 400 40\n\nfn=work\n5 400 40\n";

/* One file for all inputs of the process. It has no name, so that nothing of it stays. */
static struct tl_web_view *open_once(void)
{
	static struct tl_web_view *view;
	static struct tl_input_options options = TL_INPUT_OPTIONS_DEFAULT;
	static char path[64];
	static const char *const paths[] = { path };
	const struct tl_web_file file = { .paths = paths, .path_count = 1, .options = &options };
	const char *failed;
	struct tl_error err;
	int fd;

	if (view)
		return view;
	fd = memfd_create("profile", 0);
	FUZZ_MUST(fd >= 0 && write(fd, profile, sizeof(profile) - 1) == sizeof(profile) - 1);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	FUZZ_MUST(tl_web_view_open(&view, &file, 1, &failed, &err) == 0);
	return view;
}

static void answer(struct tl_web_view *view, const struct tl_web_request *request)
{
	const struct tl_web_asker nobody = { NULL, NULL };
	struct tl_web_answer made;
	struct tl_error err;
	size_t size;

	FUZZ_MUST(tl_web_answer_make(view, request, &nobody, &made, &err) == 0);
	FUZZ_MUST(made.code >= 200 && made.code < 600 && made.type);
	FUZZ_MUST(tl_output_bytes(made.out, &size) && size);
	tl_output_discard(made.out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tl_web_request request;
	char *text = malloc(size + 1), *line, *rest = NULL;
	bool good = true;

	FUZZ_MUST(text);
	memcpy(text, data, size);
	text[size] = 0;
	line = strtok_r(text, "\n", &rest);
	tl_web_request_begin(&request, line ? line : "/");
	while (line && good && (line = strtok_r(NULL, "\n", &rest))) {
		char *value = strchr(line, '=');

		if (value)
			*value++ = 0;
		good = tl_web_request_take(&request, line, value);
	}
	FUZZ_MUST(request.tracks.count <= TL_WEB_MOST_NUMBERS);
	if (good)
		answer(open_once(), &request);
	free(text);
	return 0;
}
