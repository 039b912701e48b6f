/* SPDX-License-Identifier: Apache-2.0 */
#include "helper.h"

#include <stdio.h>
#include <sys/wait.h>

#include "../temp.h"
#include "profile/model/unsized.h"

struct tl_profile *new_profile(uint64_t frequency, uint32_t events)
{
	static const struct tl_event known[] = {
		{ "Ticks", "Clock Ticks", "ticks", "" },
		{ "Bytes", "", "bytes", "" },
	};
	struct tl_profile *profile;

	assert_int_equal(tl_profile_make(&profile, "test", known, events, frequency, NULL), 0);
	return profile;
}

uint32_t add_part(struct tl_profile *profile, uint64_t process, uint64_t thread,
		  const char *command)
{
	struct tl_part part = {
		.process = process, .thread = thread, .command = command, .header = ""
	};
	int64_t number = tl_profile_put_part(profile, &part, NULL);

	assert_true(number >= 0);
	return (uint32_t)number;
}

uint32_t add_function(struct tl_profile *profile, const char *object, const char *file,
		      const char *name, uint32_t line)
{
	struct tl_function function = {
		.name = name, .object = object, .file = file, .id = TL_NOWHERE, .line = line
	};
	int64_t number = tl_profile_put_function(profile, &function, NULL);

	assert_true(number >= 0);
	return (uint32_t)number;
}

uint32_t add_context(struct tl_profile *profile, uint32_t parent, uint32_t function, uint32_t part,
		     uint64_t calls, int64_t self)
{
	int64_t cost[2] = { self, 0 };
	int64_t number = tl_profile_add_context(profile, parent, function, part, NULL);

	assert_true(number >= 0);
	tl_profile_add_context_cost(profile, (uint32_t)number, calls, cost);
	return (uint32_t)number;
}

void add_line(struct tl_profile *profile, uint32_t function, uint32_t part, struct tl_position at,
	      int64_t cost)
{
	struct tl_cost_line line = { .function = function, .part = part, .at = at };
	int64_t costs[2] = { cost, 0 };

	assert_int_equal(tl_profile_put_line(profile, &line, costs, NULL), 0);
}

void add_arc(struct tl_profile *profile, struct tl_arc arc, int64_t cost)
{
	int64_t costs[2] = { cost, 0 };

	assert_int_equal(tl_profile_put_arc(profile, &arc, costs, NULL), 0);
}

void finish(struct tl_profile *profile)
{
	assert_int_equal(tl_profile_finish(profile, NULL), 0);
}

struct tl_profile *small_profile(uint64_t frequency)
{
	struct tl_profile *profile = new_profile(frequency, 1);
	uint32_t part = add_part(profile, 1, 2, "prog");
	uint32_t main_function = add_function(profile, "prog", "main.c", "main", 10);
	uint32_t a = add_function(profile, "prog", "a.c", "a", 20);
	uint32_t b = add_function(profile, "lib.so", "b.c", "b", 30);
	uint32_t top = add_context(profile, TL_NONE, main_function, part, 1, 10);
	uint32_t middle = add_context(profile, top, a, part, 2, 20);

	add_context(profile, middle, b, part, 3, 30);
	add_context(profile, top, b, part, 1, 5);
	finish(profile);
	return profile;
}

char *take_output(struct tl_output *out, size_t *size)
{
	const char *bytes = tl_output_bytes(out, size);
	char *copy = calloc(1, *size + 1);

	assert_false(tl_output_failed(out));
	assert_non_null(copy);
	memcpy(copy, bytes, *size);
	tl_output_discard(out);
	return copy;
}

char *export_with(const char *exporter, const struct tl_profile *profile,
		  const struct tl_export_options *options, size_t *size)
{
	const struct tl_exporter *e = tl_exporter_find(exporter);
	struct tl_output *out;

	assert_non_null(e);
	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(e->write(profile, options, out, NULL), 0);
	return take_output(out, size);
}

char *export_text(const char *exporter, const struct tl_profile *profile)
{
	size_t size;
	char *text = export_with(exporter, profile, NULL, &size);

	assert_int_equal(strlen(text), size);
	return text;
}

/* ---- timelines ---- */

void begin_timeline(struct timeline_fixture *t, const char *format, uint64_t frequency)
{
	assert_int_equal(tl_output_open_memory(&t->out, NULL), 0);
	assert_int_equal(tl_timeline_open(&t->timeline, format, t->out, NULL), 0);
	assert_int_equal(tl_timeline_begin(t->timeline, frequency, NULL), 0);
}

void enter_at(const struct timeline_fixture *t, int64_t thread, uint64_t ticks, uint32_t key,
	      const char *name, const char *file, uint32_t line)
{
	struct tl_timeline_point at = { t->process, thread, ticks };

	tl_timeline_enter(t->timeline, &at, key, name, file, line, NULL, 0);
}

void leave_at(const struct timeline_fixture *t, int64_t thread, uint64_t ticks)
{
	struct tl_timeline_point at = { t->process, thread, ticks };

	tl_timeline_leave(t->timeline, &at);
}

/* ---- other tools ---- */

void need_program(const char *program)
{
	char command[128];

	snprintf(command, sizeof(command), "command -v %s >/dev/null", program);
	if (system(command) != 0) {
		print_message("skipped: %s is not installed\n", program);
		skip();
	}
}

static char *read_all(const char *command)
{
	FILE *output = popen(command, "r");
	size_t size = 0, got;
	char *text = NULL;
	int status;

	assert_non_null(output);
	do {
		text = realloc(text, size + 65537);
		assert_non_null(text);
		got = fread(text + size, 1, 65536, output);
		size += got;
	} while (got);
	text[size] = '\0';
	status = pclose(output);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		fail_msg("%s: status %d: %s", command, status, text);
	return text;
}

char *pipe_through(const char *command, const char *data, size_t size)
{
	struct temp temp;
	char line[1024], *text;

	temp_open(&temp);
	snprintf(line, sizeof(line), "exec <%s 2>&1; %s", temp_write(&temp, "export", data, size),
		 command);
	text = read_all(line);
	temp_close(&temp);
	return text;
}

const char *here(void)
{
	static char path[1024];
	const char *root = getenv("TL_SOURCE_ROOT");

	snprintf(path, sizeof(path), "%s/tests/unit/export", root ? root : ".");
	return path;
}

void assert_contains(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("\"%s\" is not in:\n%.4000s", part, text);
}

void assert_lacks(const char *text, const char *part)
{
	if (strstr(text, part))
		fail_msg("\"%s\" is in:\n%.4000s", part, text);
}
