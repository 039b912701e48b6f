/* SPDX-License-Identifier: Apache-2.0 */
/* The file: the array form, or the object form; then what was left out is told. */
#include <inttypes.h>
#include <string.h>

#include "chrome_trace/chrome_trace.h"
#include "core/error.h"

static int take_events(struct tl_chrome_read *c, bool may_end, struct tl_error *err)
{
	int status;

	c->has_events = true;
	c->reader.open_end = may_end;
	status = tl_foreign_json_elements(&c->reader, '{', tl_chrome_take_event, c, err);
	c->reader.open_end = false;
	return status;
}

static int take_member(void *arg, struct tl_error *err)
{
	struct tl_chrome_read *c = arg;
	int status;

	c->stacks += tl_json_is(&c->reader.json, "stackFrames");
	if (!tl_json_is(&c->reader.json, "traceEvents"))
		return tl_foreign_json_skip(&c->reader, err);
	status = tl_json_next(&c->reader.json, err);
	if (status < 0)
		return status;
	if (c->reader.json.token.kind == TL_JSON_OBJECT)
		return tl_foreign_json_skip(&c->reader, err);
	if (c->reader.json.token.kind != TL_JSON_ARRAY)
		return 0;
	return take_events(c, false, err);
}

static int take_file(void *arg, struct tl_error *err)
{
	struct tl_chrome_read *c = arg;

	if (c->reader.json.token.kind == TL_JSON_ARRAY)
		return take_events(c, true, err);
	if (c->reader.json.token.kind == TL_JSON_OBJECT)
		return tl_foreign_json_members(&c->reader, take_member, c, err);
	return tl_error_at(err, TL_BAD_FORMAT, c->reader.json.token.offset,
			   "trace events are an array, or an object with one");
}

/* ---- the end ---- */

/* Threads without a name of their own have that of their process. */
static void name_threads(struct tl_foreign_spans *spans)
{
	for (size_t i = 0; i < spans->count; i++) {
		struct tl_foreign_thread *t = &spans->threads[i];
		uint32_t process;

		if (t->command || t->thread == TL_FOREIGN_PROCESS)
			continue;
		process = tl_foreign_spans_find(spans, t->process, TL_FOREIGN_PROCESS);
		if (process != TL_NONE)
			t->command = spans->threads[process].command;
	}
}

static const struct {
	enum tl_chrome_kind kind;
	const char *fact, *text; /* NULL: nothing is left out */
} kinds[] = {
	{ TL_CHROME_COMPLETE, "complete_events", NULL },
	{ TL_CHROME_BEGIN, "begin_events", NULL },
	{ TL_CHROME_END, "end_events", NULL },
	{ TL_CHROME_INSTANT, "instants", NULL },
	{ TL_CHROME_METADATA, "metadata", NULL },
	{ TL_CHROME_COUNTER, "counters", "values of counters: no part of calls" },
	{ TL_CHROME_ASYNC, "asynchronous_events",
	  "asynchronous events are left out: they are no calls of a thread" },
	{ TL_CHROME_FLOW, "flow_events", "events of flows between calls are left out" },
	{ TL_CHROME_OTHER, "other_events",
	  "events of objects, samples, memory and clocks are left out" },
};

static int tell(struct tl_chrome_read *c, struct tl_error *err)
{
	struct tl_foreign_file *f = c->reader.file;
	int status = 0;

	for (size_t i = 0; status == 0 && i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const uint64_t count = c->counts[kinds[i].kind];

		tl_foreign_tell(f, kinds[i].fact, count);
		f->records += count;
		if (count && kinds[i].text)
			status = tl_foreign_say(&f->faults, TL_OK, kinds[i].fact, err,
						"%" PRIu64 " %s", count, kinds[i].text);
	}
	if (status == 0 && c->values_left_out)
		status = tl_foreign_say(&f->faults, TL_BAD_RECORD, "counters", err,
					"%" PRIu64 " values of counter events that have more than "
					"%d are left out",
					c->values_left_out, TL_CHROME_MOST_VALUES);
	if (status == 0 && c->stacks)
		status = tl_foreign_say(&f->faults, TL_OK, "stacks", err,
					"stack frames of events are left out");
	if (status == 0 && !c->has_events && !c->reader.ended)
		status = tl_error_at(err, TL_BAD_FORMAT, 0, "there is no list of trace events");
	return status;
}

static int read_chrome(struct tl_foreign_file *file, struct tl_source *source, struct tl_error *err)
{
	struct tl_chrome_read c = { .reader.file = file };
	int status = 0;

	c.thread_name = tl_names_add(&file->stacks.names, "thread_name", 11);
	c.process_name = tl_names_add(&file->stacks.names, "process_name", 12);
	c.value_name = tl_names_add(&file->stacks.names, "value", 5);
	if (c.thread_name == TL_NONE || c.process_name == TL_NONE || c.value_name == TL_NONE)
		status = tl_error_memory(err);
	if (status == 0)
		status = tl_foreign_json_text(&c.reader, source, take_file, &c, err);
	file->frequency = 1000000000;
	if (status == 0) {
		name_threads(&file->spans);
		status = tell(&c, err);
	}
	return status;
}

const struct tl_foreign_reader tl_chrome_reader = {
	.format = "chrome-trace",
	.read = read_chrome,
};

/* ---- recognising ---- */

static bool has(const uint8_t *data, size_t size, const char *text)
{
	return memmem(data, size, text, strlen(text)) != NULL;
}

int tl_chrome_probe(const uint8_t *data, size_t size)
{
	size_t at = 0;

	while (at < size && memchr(" \t\r\n\xef\xbb\xbf", data[at], 7))
		at++;
	if (at == size || (data[at] != '{' && data[at] != '['))
		return 0;
	if (data[at] == '{' && has(data, size, "\"traceEvents\""))
		return 90;
	if (!has(data, size, "\"ph\""))
		return data[at] == '{' && has(data, size, "\"displayTimeUnit\"") ? 50 : 0;
	return data[at] == '[' ? 80 : 40;
}
