/* SPDX-License-Identifier: Apache-2.0 */
/* task.txt: which program which process executed when, and whose the threads are. */
#include <string.h>

#include "core/error.h"
#include "core/source.h"
#include "uftrace/uftrace.h"

static bool time_of(const struct tl_uftrace_line *line, uint64_t *time_ns)
{
	struct tl_uftrace_line value;

	return tl_uftrace_text_field(line, "timestamp", &value) &&
	       tl_uftrace_take_time(&value, time_ns);
}

static bool number_of(const struct tl_uftrace_line *line, const char *key, uint32_t *number)
{
	uint64_t value;

	if (!tl_uftrace_field(line, key, &value) || value >= INT32_MAX)
		return false;
	*number = (uint32_t)value;
	return true;
}

/* ---- rows: 0, 1 if the line is damaged, or negative ---- */

static int add_session(struct tl_uftrace_recording *u, const struct tl_uftrace_line *line,
		       struct tl_error *err)
{
	struct tl_uftrace_session session = { .time_ns = 0 };
	struct tl_uftrace_line id, program;

	if (!time_of(line, &session.time_ns) || !number_of(line, "pid", &session.process) ||
	    !tl_uftrace_text_field(line, "sid", &id) ||
	    !tl_uftrace_text_field(line, "exename", &program) ||
	    (size_t)(id.end - id.text) >= sizeof(session.id) ||
	    memchr(id.text, '/', (size_t)(id.end - id.text)))
		return 1;
	memcpy(session.id, id.text, (size_t)(id.end - id.text));
	session.program = tl_names_add(&u->file->stacks.names, program.text,
				       (size_t)(program.end - program.text));
	if (session.program == TL_NONE || !tl_grow(&u->sessions, &u->session_capacity,
						   u->session_count + 1, sizeof(*u->sessions)))
		return tl_error_memory(err);
	u->sessions[u->session_count++] = session;
	return 0;
}

/* A thread that is told twice is that of its process as it was told last. */
static int put_task(struct tl_uftrace_recording *u, const struct tl_uftrace_task *task,
		    struct tl_error *err)
{
	for (size_t i = 0; i < u->task_count; i++)
		if (u->tasks[i].thread == task->thread) {
			u->tasks[i].process = task->process;
			return 0;
		}
	if (!tl_grow(&u->tasks, &u->task_capacity, u->task_count + 1, sizeof(*u->tasks)))
		return tl_error_memory(err);
	u->tasks[u->task_count++] = *task;
	return 0;
}

static int add_task(struct tl_uftrace_recording *u, const struct tl_uftrace_line *line,
		    struct tl_error *err)
{
	struct tl_uftrace_task task = { .thread = 0 };

	if (!number_of(line, "tid", &task.thread) || !number_of(line, "pid", &task.process))
		return 1;
	return put_task(u, &task, err);
}

static int add_fork(struct tl_uftrace_recording *u, const struct tl_uftrace_line *line,
		    struct tl_error *err)
{
	struct tl_uftrace_task task = { .is_forked = true };

	if (!number_of(line, "pid", &task.thread) || !number_of(line, "ppid", &task.parent))
		return 1;
	task.process = task.thread;
	return put_task(u, &task, err);
}

/* A library that was opened by dlopen(). */
static int add_library(struct tl_uftrace_recording *u, const struct tl_uftrace_line *line,
		       struct tl_error *err)
{
	struct tl_uftrace_line id, name, base;
	struct tl_uftrace_module module = { .end = UINT64_MAX };
	struct tl_uftrace_session *session = NULL;

	if (!tl_uftrace_text_field(line, "sid", &id) ||
	    !tl_uftrace_text_field(line, "libname", &name) ||
	    !tl_uftrace_text_field(line, "base", &base) ||
	    !tl_uftrace_take_number(&base, 16, &module.start))
		return 1;
	for (size_t i = 0; i < u->session_count; i++)
		if (strlen(u->sessions[i].id) == (size_t)(id.end - id.text) &&
		    !memcmp(u->sessions[i].id, id.text, (size_t)(id.end - id.text)))
			session = &u->sessions[i];
	if (!session)
		return 1;
	module.path =
		tl_names_add(&u->file->stacks.names, name.text, (size_t)(name.end - name.text));
	if (module.path == TL_NONE || !tl_grow(&session->modules, &session->capacity,
					       session->count + 1, sizeof(*session->modules)))
		return tl_error_memory(err);
	session->modules[session->count++] = module;
	return 0;
}

static const struct {
	const char *word;
	int (*add)(struct tl_uftrace_recording *u, const struct tl_uftrace_line *line,
		   struct tl_error *err);
} rows[] = {
	{ "SESS ", add_session },
	{ "TASK ", add_task },
	{ "FORK ", add_fork },
	{ "DLOP ", add_library },
};

static int read_line(struct tl_uftrace_recording *u, struct tl_uftrace_line *line, uint64_t number,
		     struct tl_error *err)
{
	int status = 1;

	if (line->text == line->end)
		return 0;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (tl_uftrace_take(line, rows[i].word)) {
			status = rows[i].add(u, line, err);
			break;
		}
	if (status != 1)
		return status;
	return tl_foreign_say(&u->file->faults, TL_BAD_RECORD, "task", err,
			      "line %u of task.txt is damaged: left out", (unsigned)number);
}

int tl_uftrace_read_tasks(struct tl_uftrace_recording *u, struct tl_error *err)
{
	struct tl_source *source = NULL;
	struct tl_uftrace_line line;
	struct tl_cursor text;
	const uint8_t *data;
	uint64_t number = 0;
	size_t size;
	int status = tl_uftrace_open(u, "task.txt", &source, &data, &size, err);

	if (status == 1)
		return tl_error_at(err, TL_BAD_FORMAT, TL_NOWHERE,
				   "the directory has no file task.txt, so its threads are "
				   "unknown");
	if (status < 0)
		return status;
	text = tl_cursor_over(data, size);
	while (status == 0 && tl_uftrace_next_line(&text, &line))
		status = read_line(u, &line, ++number, err);
	tl_source_close(source);
	return status;
}

/* ---- look-ups ---- */

static const struct tl_uftrace_task *task_of(const struct tl_uftrace_recording *u, uint32_t process)
{
	for (size_t i = 0; i < u->task_count; i++)
		if (u->tasks[i].thread == process)
			return &u->tasks[i];
	return NULL;
}

/* Until a process executes another program it runs that of its parent. */
struct tl_uftrace_session *tl_uftrace_session_at(struct tl_uftrace_recording *u, uint32_t process,
						 uint64_t time_ns)
{
	struct tl_uftrace_session *found = NULL;

	for (size_t steps = 0; process && steps <= u->task_count; steps++) {
		const struct tl_uftrace_task *task = task_of(u, process);

		for (size_t i = 0; i < u->session_count; i++) {
			struct tl_uftrace_session *s = &u->sessions[i];

			if (s->process == process && s->time_ns <= time_ns &&
			    (!found || found->time_ns <= s->time_ns))
				found = s;
		}
		if (found || !task)
			return found;
		process = task->parent;
	}
	return NULL;
}

void tl_uftrace_free(struct tl_uftrace_recording *u)
{
	for (size_t i = 0; i < u->session_count; i++) {
		for (size_t n = 0; n < u->sessions[i].count; n++)
			free(u->sessions[i].modules[n].symbols);
		free(u->sessions[i].modules);
	}
	free(u->sessions);
	free(u->tasks);
	free(u->places);
	tl_index_free(&u->by_address);
}
