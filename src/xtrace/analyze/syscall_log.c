/* SPDX-License-Identifier: Apache-2.0 */
/* System calls as a table, a line each, written as they return; and how often each was made. */
#include <inttypes.h>
#include <stdlib.h>

#include "core/arithmetic.h"
#include "core/cursor.h"
#include "core/output.h"
#include "xtrace/analyze/stream_analysis.h"
#include "xtrace/state/syscall_names.h"

enum { ALL_ARGUMENTS = 6, HIGHEST_ERROR = 4095, SMALL = 65535 };

/* clang-format off */
static const struct tl_xtrace_table_column text_columns[] = {
	{ "thread", TL_XTRACE_RIGHT }, { "instruction", TL_XTRACE_RIGHT },
	{ "between", TL_XTRACE_RIGHT }, { "call", TL_XTRACE_REST },
};
/* clang-format on */

static const struct tl_xtrace_table_column columns[] = {
	{ "thread", TL_XTRACE_REST },    { "instruction", TL_XTRACE_REST },
	{ "between", TL_XTRACE_REST },   { "pc", TL_XTRACE_REST },
	{ "number", TL_XTRACE_REST },    { "name", TL_XTRACE_REST },
	{ "arguments", TL_XTRACE_REST }, { "result", TL_XTRACE_REST },
	{ "error", TL_XTRACE_REST },     { "vectors", TL_XTRACE_REST },
	{ "task", TL_XTRACE_REST },
};

void tl_xtrace_syscall_log_begin(struct tl_xtrace_analysis *a)
{
	tl_xtrace_begin_table(a, &a->tables.table, "syscalls", "System calls");
	if (a->options.form == TL_XTRACE_TEXT)
		tl_xtrace_table_columns(&a->tables.table, text_columns,
					sizeof(text_columns) / sizeof(text_columns[0]));
	else
		tl_xtrace_table_columns(&a->tables.table, columns,
					sizeof(columns) / sizeof(columns[0]));
}

/* ---- one call ---- */

static const struct tl_xtrace_syscall_name *name_of(const struct tl_xtrace_syscall *call)
{
	return call->argument_count ? tl_xtrace_syscall_name(call->arguments[0]) : NULL;
}

static unsigned shown_arguments(const struct tl_xtrace_syscall *call)
{
	const struct tl_xtrace_syscall_name *name = name_of(call);
	unsigned there = call->argument_count ? call->argument_count - 1 : 0;
	unsigned want = name ? name->arguments : ALL_ARGUMENTS;

	return tl_min(there, want);
}

/* Small numbers in decimal, also negative ones of 32 bits; others in hexadecimal. */
static void put_argument(struct tl_output *out, uint64_t value)
{
	int64_t wide = (int64_t)value;
	int32_t narrow = (int32_t)(uint32_t)value;

	if (value >> 32 == 0 && narrow < 0 && narrow >= -HIGHEST_ERROR)
		tl_put_i64(out, narrow);
	else if (wide >= -HIGHEST_ERROR && wide <= SMALL)
		tl_put_i64(out, wide);
	else
		tl_put_hex(out, value);
}

bool tl_xtrace_syscall_is_error(uint64_t result)
{
	return result > UINT64_MAX - HIGHEST_ERROR;
}

static const char *error_of(uint64_t result)
{
	return tl_xtrace_syscall_is_error(result) ? tl_xtrace_error_name(0 - result) : NULL;
}

static void put_vectors(struct tl_output *out, const struct tl_xtrace_syscall *call)
{
	for (uint64_t i = 0; i < call->vector_count; i++)
		tl_put_format(out, "%s{0x%" PRIx64 ", %" PRIu64 "}", i ? ", " : " [",
			      tl_get64s(call->vectors + 16 * i, TL_HOST_BIG_ENDIAN),
			      tl_get64s(call->vectors + 16 * i + 8, TL_HOST_BIG_ENDIAN));
	if (call->vector_count)
		tl_put_char(out, ']');
}

static void put_text(struct tl_output *out, const struct tl_xtrace_syscall *call, bool returned,
		     uint64_t result)
{
	const struct tl_xtrace_syscall_name *name = name_of(call);
	const char *error = error_of(result);
	unsigned count = shown_arguments(call);

	if (name)
		tl_put_text(out, name->name);
	else if (call->argument_count)
		tl_put_format(out, "syscall_%" PRIu64, call->arguments[0]);
	else
		tl_put_text(out, "?");
	for (unsigned i = 0; i < count; i++) {
		tl_put_text(out, i ? ", " : "(");
		put_argument(out, call->arguments[1 + i]);
	}
	tl_put_text(out, count ? ") = " : "() = ");
	if (returned)
		put_argument(out, result);
	else
		tl_put_char(out, '?');
	if (returned && error)
		tl_put_format(out, " %s", error);
	put_vectors(out, call);
}

/* ---- machine forms: lists are arrays in JSON, separated by blanks in CSV ---- */

static void put_item(struct tl_xtrace_table *t, struct tl_output *out, unsigned at, uint64_t value)
{
	bool json = t->form == TL_XTRACE_JSON;

	if (at)
		tl_put_char(out, json ? ',' : ' ');
	tl_put_format(out, json ? "\"0x%" PRIx64 "\"" : "0x%" PRIx64, value);
}

static void cell_arguments(struct tl_xtrace_table *t, const struct tl_xtrace_syscall *call)
{
	struct tl_output *out = tl_xtrace_cell_begin(t);
	unsigned count = shown_arguments(call);

	if (t->form == TL_XTRACE_JSON)
		tl_put_char(out, '[');
	for (unsigned i = 0; i < count; i++)
		put_item(t, out, i, call->arguments[1 + i]);
	if (t->form == TL_XTRACE_JSON)
		tl_put_char(out, ']');
	tl_xtrace_cell_end(t);
}

static void cell_vectors(struct tl_xtrace_table *t, const struct tl_xtrace_syscall *call)
{
	struct tl_output *out = tl_xtrace_cell_begin(t);
	bool json = t->form == TL_XTRACE_JSON;

	if (json)
		tl_put_char(out, '[');
	for (uint64_t i = 0; i < call->vector_count; i++) {
		uint64_t base = tl_get64s(call->vectors + 16 * i, TL_HOST_BIG_ENDIAN);
		uint64_t length = tl_get64s(call->vectors + 16 * i + 8, TL_HOST_BIG_ENDIAN);

		if (i)
			tl_put_char(out, json ? ',' : ' ');
		tl_put_format(out,
			      json ? "{\"base\":\"0x%" PRIx64 "\",\"length\":%" PRIu64 "}"
				   : "0x%" PRIx64 ":%" PRIu64,
			      base, length);
	}
	if (json)
		tl_put_char(out, ']');
	tl_xtrace_cell_end(t);
}

static void cell_task(struct tl_xtrace_table *t, uint64_t task)
{
	if (task)
		tl_xtrace_cell_hex(t, task);
	else
		tl_xtrace_cell_none(t);
}

/* A whole number of 64 bits: in JSON as text, in CSV with its sign. */
static void cell_result(struct tl_xtrace_table *t, uint64_t result)
{
	if (t->form == TL_XTRACE_JSON)
		tl_xtrace_cell_hex(t, result);
	else
		tl_xtrace_cell_i64(t, (int64_t)result);
}

static void machine_cells(struct tl_xtrace_table *t, const struct tl_xtrace_task *task,
			  bool returned, uint64_t result)
{
	const struct tl_xtrace_syscall *call = &task->call;
	const struct tl_xtrace_syscall_name *name = name_of(call);
	const char *error = returned ? error_of(result) : NULL;

	tl_xtrace_cell_hex(t, call->pc);
	if (call->argument_count)
		tl_xtrace_cell_u64(t, call->arguments[0]);
	else
		tl_xtrace_cell_none(t);
	if (name)
		tl_xtrace_cell_text(t, name->name);
	else
		tl_xtrace_cell_none(t);
	cell_arguments(t, call);
	if (returned)
		cell_result(t, result);
	else
		tl_xtrace_cell_none(t);
	if (error)
		tl_xtrace_cell_text(t, error);
	else
		tl_xtrace_cell_none(t);
	cell_vectors(t, call);
	cell_task(t, task->id);
}

void tl_xtrace_syscall_log(struct tl_xtrace_analysis *a, const struct tl_xtrace_stream_analysis *s,
			   const struct tl_xtrace_task *task, bool returned, uint64_t result)
{
	const struct tl_xtrace_syscall *call = &task->call;
	struct tl_xtrace_table *t = &a->tables.table;

	/* Only intervals are written. */
	if (!t->out)
		return;
	tl_xtrace_cell_u64(t, s->stream->info.id);
	tl_xtrace_cell_u64(t, call->instruction);
	tl_xtrace_cell_u64(t, call->between);
	if (t->form == TL_XTRACE_TEXT) {
		put_text(tl_xtrace_cell_begin(t), call, returned, result);
		tl_xtrace_cell_end(t);
	} else {
		machine_cells(t, task, returned, result);
	}
}

/* ---- how often ---- */

static const struct tl_xtrace_table_column count_columns[] = {
	{ "thread", TL_XTRACE_LEFT },   { "task", TL_XTRACE_RIGHT },
	{ "number", TL_XTRACE_RIGHT },  { "calls", TL_XTRACE_RIGHT },
	{ "errors", TL_XTRACE_RIGHT },  { "unknown", TL_XTRACE_RIGHT },
	{ "between", TL_XTRACE_RIGHT }, { "least", TL_XTRACE_RIGHT },
	{ "most", TL_XTRACE_RIGHT },    { "name", TL_XTRACE_REST },
};

/* By thread and task, those that were called most first. */
static int by_calls(const void *x, const void *y)
{
	const struct tl_xtrace_syscall_count *a = x, *b = y;

	if (a->stream != b->stream)
		return tl_compare(a->stream, b->stream);
	if (a->task != b->task)
		return tl_compare(a->task, b->task);
	if (a->calls != b->calls)
		return tl_compare(b->calls, a->calls);
	return tl_compare(a->number, b->number);
}

static void cell_name(struct tl_xtrace_table *t, uint64_t number)
{
	const struct tl_xtrace_syscall_name *name =
		number == TL_NOWHERE ? NULL : tl_xtrace_syscall_name(number);

	if (name)
		tl_xtrace_cell_text(t, name->name);
	else
		tl_xtrace_cell_none(t);
}

static void put_count(struct tl_xtrace_analysis *a, struct tl_xtrace_table *t,
		      const struct tl_xtrace_syscall_count *count)
{
	const uint64_t cells[] = { count->calls,   count->errors, count->unknown,
				   count->between, count->least,  count->most };

	tl_xtrace_cell_stream(a, t, count->stream);
	cell_task(t, count->task);
	if (count->number == TL_NOWHERE)
		tl_xtrace_cell_none(t);
	else
		tl_xtrace_cell_u64(t, count->number);
	for (size_t i = 0; i < sizeof(cells) / sizeof(cells[0]); i++)
		tl_xtrace_cell_u64(t, cells[i]);
	cell_name(t, count->number);
}

bool tl_xtrace_show_syscalls(struct tl_xtrace_analysis *a)
{
	struct tl_xtrace_syscall_counts *counts = &a->syscalls;
	struct tl_xtrace_table t;

	tl_xtrace_table_end(&a->tables.table);
	/* CSV is one table: that of single calls. */
	if (a->options.form == TL_XTRACE_CSV)
		return true;
	if (counts->count)
		qsort(counts->list, counts->count, sizeof(*counts->list), by_calls);
	tl_xtrace_begin_table(
		a, &t, "syscall_counts",
		"System calls by task; between: user instructions since its call before");
	tl_xtrace_table_columns(&t, count_columns,
				sizeof(count_columns) / sizeof(count_columns[0]));
	for (size_t i = 0; i < counts->count; i++)
		put_count(a, &t, &counts->list[i]);
	tl_xtrace_table_end(&t);
	return true;
}
