/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_RECORD_SESSION_H
#define TESTS_UNIT_RECORD_SESSION_H
/* A recording in a folder of its own, and what is said about it. */
#include "../temp.h"
#include "../unit.h"

#include "record/recorder.h"

struct told {
	char lines[4096];
};

/* A session that writes FOLDER/out of FOLDER/out.parts. */
struct recording {
	struct temp temp;
	struct told told;
	struct tl_record_options options;
	struct tl_record_program program;
	struct tl_record_result result;
	struct tl_record_session session;
	char output[TL_RECORD_PATH], parts[TL_RECORD_PATH];
};

static inline void take_line(void *arg, const char *line)
{
	struct told *told = arg;

	assert_true(strlen(told->lines) + strlen(line) + 2 < sizeof(told->lines));
	strcat(strcat(told->lines, line), "\n");
}

static inline void recording_open(struct recording *r)
{
	*r = (struct recording){ .options = { .size = sizeof(r->options) } };
	temp_open(&r->temp);
	snprintf(r->output, sizeof(r->output), "%s/out", r->temp.directory);
	snprintf(r->parts, sizeof(r->parts), "%s/out.parts", r->temp.directory);
	assert_int_equal(mkdir(r->parts, 0700), 0);
	r->session = (struct tl_record_session){
		.options = &r->options,
		.program = &r->program,
		.output = r->output,
		.parts = r->parts,
		.note = take_line,
		.note_arg = &r->told,
		.result = &r->result,
		.hz = 1000000000,
	};
}

static inline void recording_close(struct recording *r)
{
	temp_close(&r->temp);
}

/* A file of the folder, whole and terminated, for free(). */
static inline char *recording_read(struct recording *r, const char *name, size_t *size)
{
	char *data = temp_read(temp_path(&r->temp, name), size);

	if (!data)
		fail_msg("%s is not there", name);
	return data;
}

static inline void expect_text(struct recording *r, const char *name, const char *expected)
{
	size_t size;
	char *text = recording_read(r, name, &size);

	assert_string_equal(text, expected);
	free(text);
}

static inline bool is_there(struct recording *r, const char *name)
{
	return !access(temp_path(&r->temp, name), F_OK);
}

#endif
