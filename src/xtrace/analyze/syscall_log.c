/* SPDX-License-Identifier: Apache-2.0 */
/*
 * System calls: "A system call is followed by 7 arguments: its number (x8) and x0-x5"; SVCRET comes
 * when EL0 resumes. That may be in a signal's handler, or in another task: then what SVCRET has is
 * no result of this call. It is the call's own where the program goes on behind its SVC, in the
 * same thread of the kernel (SP_EL0 there is the address of the thread, as Linux has it), with the
 * same address space (TTBR0) and registers that no system call changes.
 */
#include <inttypes.h>
#include <string.h>

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
};

void tl_xtrace_syscall_log_begin(struct tl_xtrace_analysis *a)
{
	tl_xtrace_begin_table(a, &a->table, "syscalls", "System calls");
	if (a->options.form == TL_XTRACE_TEXT)
		tl_xtrace_table_columns(&a->table, text_columns,
					sizeof(text_columns) / sizeof(text_columns[0]));
	else
		tl_xtrace_table_columns(&a->table, columns, sizeof(columns) / sizeof(columns[0]));
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

static bool is_error(uint64_t result)
{
	return result > UINT64_MAX - HIGHEST_ERROR;
}

static const char *error_of(uint64_t result)
{
	return is_error(result) ? tl_xtrace_error_name(0 - result) : NULL;
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

static void machine_cells(struct tl_xtrace_table *t, const struct tl_xtrace_syscall *call,
			  bool returned, uint64_t result)
{
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
		tl_xtrace_cell_i64(t, (int64_t)result);
	else
		tl_xtrace_cell_none(t);
	if (error)
		tl_xtrace_cell_text(t, error);
	else
		tl_xtrace_cell_none(t);
	cell_vectors(t, call);
}

void tl_xtrace_syscall_flush(struct tl_xtrace_analysis *a, struct tl_xtrace_stream_analysis *s,
			     bool returned, uint64_t result)
{
	struct tl_xtrace_syscall *call = &s->call;
	struct tl_xtrace_table *t = &a->table;

	if (!call->open)
		return;
	call->open = false;
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
		machine_cells(t, call, returned, result);
	}
}

/* ---- tokens ---- */

void tl_xtrace_syscall_begin(struct tl_xtrace_analysis *a, struct tl_xtrace_stream_analysis *s,
			     uint64_t pc)
{
	/* One that did not return, such as exit, or whose task is not running now. */
	tl_xtrace_syscall_flush(a, s, false, 0);
	s->call = (struct tl_xtrace_syscall){
		.open = true,
		.instruction = s->instructions,
		.between = s->user - s->call_user,
		.pc = pc,
		.space = s->space,
	};
	s->call_user = s->user + (s->el == 0);
}

/* MSR SP_EL0 in the kernel: its present thread, at the entry and where threads are switched; at the
 * exit it is the program's SP, in the other half of addresses. */
static void note_task(struct tl_xtrace_stream_analysis *s, uint64_t value)
{
	enum { MSR_SP_EL0 = 0xd5184100 >> 5, MSR_TTBR0 = 0xd5182000 >> 5 };
	uint32_t what = s->opcode >> 5;

	if (what == MSR_TTBR0)
		s->space = value;
	if (what != MSR_SP_EL0 || !(value >> 63))
		return;
	s->call.task_now = value;
	if (!s->call.task)
		s->call.task = value;
}

void tl_xtrace_syscall_token(struct tl_xtrace_stream_analysis *s, enum tl_xtrace_kind kind,
			     const struct tl_xtrace_walk *walk)
{
	struct tl_xtrace_syscall *call = &s->call;

	if (kind == TL_XTRACE_SVCARG && call->argument_count < 7) {
		call->arguments[call->argument_count++] = tl_xtrace_walk_value(walk);
	} else if (kind == TL_XTRACE_SYSCALL_VEC) {
		call->vectors = walk->token + 9;
		call->vector_count = tl_xtrace_walk_value(walk);
	} else if (kind == TL_XTRACE_SVCRET) {
		call->has_result = call->open;
		call->result = tl_xtrace_walk_value(walk);
	} else if (kind == TL_XTRACE_ALLGPR) {
		call->registers_now = walk->token + 1;
		if (!call->registers)
			call->registers = walk->token + 1;
	} else if (kind == TL_XTRACE_MRS) {
		note_task(s, tl_xtrace_walk_value(walk));
	}
}

/* X19 to X30: what the program finds as it was. */
static bool same_registers(const struct tl_xtrace_syscall *call)
{
	enum { FIRST = 19 * 8, BYTES = 12 * 8 };

	return !call->registers || call->registers == call->registers_now ||
	       !memcmp(call->registers + FIRST, call->registers_now + FIRST, BYTES);
}

void tl_xtrace_syscall_resumed(struct tl_xtrace_analysis *a, struct tl_xtrace_stream_analysis *s,
			       uint64_t pc)
{
	const struct tl_xtrace_syscall *call = &s->call;
	bool own = call->has_result && (pc == call->pc + 4 || pc == TL_NOWHERE) &&
		   call->task == call->task_now && (call->space == s->space || !call->space) &&
		   same_registers(call);

	tl_xtrace_syscall_flush(a, s, own, call->result);
}
