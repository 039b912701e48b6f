/* SPDX-License-Identifier: Apache-2.0 */
/*
 * System calls: "A system call is followed by 7 arguments: its number (x8) and x0-x5"; SVCRET comes
 * when EL0 resumes. That may be in a signal's handler, or in another task: then what SVCRET has is
 * no result of this call. Tasks are told apart by the threads of the kernel (SP_EL0 there is the
 * address of the thread, as Linux has it): each has its own call. SVCRET is the result of the call
 * of the task that resumes, where the program goes on behind its SVC, with the same address space
 * (TTBR0) and registers that no system call changes.
 */
#include <stdlib.h>
#include <string.h>

#include "core/arithmetic.h"
#include "xtrace/analyze/stream_analysis.h"
#include "xtrace/state/registers.h"

/* ---- counts ---- */

static bool same_count(const void *context, const void *key, uint32_t number)
{
	const struct tl_xtrace_syscall_counts *counts = context;
	const struct tl_xtrace_syscall_count *a = key, *b = &counts->list[number];

	return a->stream == b->stream && a->task == b->task && a->number == b->number;
}

static struct tl_xtrace_syscall_count *count_of(struct tl_xtrace_syscall_counts *counts,
						const struct tl_xtrace_syscall_count *key)
{
	uint64_t hash = tl_hash_pair(key->task + key->stream, key->number);
	uint32_t found = tl_index_find(&counts->index, hash, same_count, counts, key);

	if (found != TL_NONE)
		return &counts->list[found];
	if (!tl_grow(&counts->list, &counts->room, counts->count + 1, sizeof(*counts->list)) ||
	    !tl_index_add(&counts->index, hash, (uint32_t)counts->count))
		return NULL;
	counts->list[counts->count] = *key;
	return &counts->list[counts->count++];
}

static bool count_call(struct tl_xtrace_analysis *a, const struct tl_xtrace_stream_analysis *s,
		       const struct tl_xtrace_task *task, bool returned, uint64_t result)
{
	const struct tl_xtrace_syscall *call = &task->call;
	const struct tl_xtrace_syscall_count key = {
		.stream = (size_t)(s - a->streams),
		.task = task->id,
		.number = call->argument_count ? call->arguments[0] : TL_NOWHERE,
		.least = UINT64_MAX,
	};
	struct tl_xtrace_syscall_count *count = count_of(&a->syscalls, &key);

	if (!count)
		return false;
	count->calls++;
	count->errors += returned && tl_xtrace_syscall_is_error(result);
	count->unknown += !returned;
	count->between += call->between;
	count->least = tl_min(count->least, call->between);
	count->most = tl_max(count->most, call->between);
	return true;
}

/* ---- calls ---- */

/* The task's call is over, or was not seen to return. */
static bool flush(struct tl_xtrace_analysis *a, struct tl_xtrace_stream_analysis *s,
		  struct tl_xtrace_task *task, bool returned, uint64_t result)
{
	if (!task->call.open)
		return true;
	task->call.open = false;
	tl_xtrace_syscall_log(a, s, task, returned, result);
	return count_call(a, s, task, returned, result);
}

bool tl_xtrace_syscalls_begin(struct tl_xtrace_stream_analysis *s)
{
	struct tl_xtrace_tasks *tasks = &s->tasks;

	if (!tl_grow(&tasks->list, &tasks->room, 1, sizeof(*tasks->list)))
		return false;
	tasks->list[0] = (struct tl_xtrace_task){ 0 };
	tasks->count = 1;
	return true;
}

bool tl_xtrace_syscall_begin(struct tl_xtrace_analysis *a, struct tl_xtrace_stream_analysis *s,
			     uint64_t pc, bool counted)
{
	struct tl_xtrace_task *task = &s->tasks.list[s->tasks.now];

	/* One that did not return, such as exit. */
	if (!flush(a, s, task, false, 0))
		return false;
	task->call = (struct tl_xtrace_syscall){
		.open = counted,
		.instruction = s->instructions,
		.between = task->user - task->call_user,
		.pc = pc,
		.space = s->tasks.space,
	};
	task->call_user = task->user + (s->el == 0);
	s->tasks.has_result = false;
	return true;
}

/*
 * The first thread of the kernel that the trace tells is that of the program before: the kernel
 * sets SP_EL0 when it is entered.
 */
static bool switch_task(struct tl_xtrace_tasks *tasks, uint64_t id)
{
	size_t at = 0;

	if (tasks->count == 1 && !tasks->list[0].id)
		tasks->list[0].id = id;
	while (at < tasks->count && tasks->list[at].id != id)
		at++;
	if (at == tasks->count) {
		if (!tl_grow(&tasks->list, &tasks->room, at + 1, sizeof(*tasks->list)))
			return false;
		tasks->list[tasks->count++] = (struct tl_xtrace_task){ .id = id };
	}
	tasks->now = at;
	return true;
}

static bool note_register(struct tl_xtrace_stream_analysis *s, uint64_t value)
{
	enum { MSR_TTBR0 = 0xd5182000 >> 5 };

	if (s->opcode >> 5 == MSR_TTBR0)
		s->tasks.space = value;
	if (tl_xtrace_writes_task(s->opcode) && tl_xtrace_is_task(value))
		return switch_task(&s->tasks, value);
	return true;
}

bool tl_xtrace_syscall_token(struct tl_xtrace_stream_analysis *s, enum tl_xtrace_kind kind,
			     const struct tl_xtrace_walk *walk)
{
	struct tl_xtrace_syscall *call = &s->tasks.list[s->tasks.now].call;

	if (kind == TL_XTRACE_SVCARG && call->argument_count < 7) {
		call->arguments[call->argument_count++] = tl_xtrace_walk_value(walk);
	} else if (kind == TL_XTRACE_SYSCALL_VEC) {
		call->vectors = walk->token + 9;
		call->vector_count = tl_xtrace_walk_value(walk);
	} else if (kind == TL_XTRACE_SVCRET) {
		s->tasks.has_result = true;
		s->tasks.result = tl_xtrace_walk_value(walk);
	} else if (kind == TL_XTRACE_ALLGPR) {
		s->tasks.registers = walk->token + 1;
		if (!call->registers)
			call->registers = walk->token + 1;
	} else if (kind == TL_XTRACE_MRS) {
		return note_register(s, tl_xtrace_walk_value(walk));
	}
	return true;
}

/* X19 to X30: what the program finds as it was. */
static bool same_registers(const struct tl_xtrace_syscall *call, const uint8_t *now)
{
	enum { FIRST = 19 * 8, BYTES = 12 * 8 };

	return !call->registers || call->registers == now ||
	       !memcmp(call->registers + FIRST, now + FIRST, BYTES);
}

bool tl_xtrace_syscall_resumed(struct tl_xtrace_analysis *a, struct tl_xtrace_stream_analysis *s,
			       uint64_t pc)
{
	struct tl_xtrace_tasks *tasks = &s->tasks;
	struct tl_xtrace_task *task = &tasks->list[tasks->now];
	const struct tl_xtrace_syscall *call = &task->call;
	bool own = (pc == call->pc + 4 || pc == TL_NOWHERE) &&
		   (call->space == tasks->space || !call->space) &&
		   same_registers(call, tasks->registers);

	tasks->has_result = false;
	return flush(a, s, task, own, tasks->result);
}

bool tl_xtrace_syscalls_end(struct tl_xtrace_analysis *a, struct tl_xtrace_stream_analysis *s)
{
	bool good = !s->tasks.has_result || tl_xtrace_syscall_resumed(a, s, TL_NOWHERE);

	for (size_t i = 0; good && i < s->tasks.count; i++)
		good = flush(a, s, &s->tasks.list[i], false, 0);
	return good;
}

void tl_xtrace_syscalls_free(struct tl_xtrace_analysis *a)
{
	for (size_t i = 0; i < a->stream_count; i++)
		free(a->streams[i].tasks.list);
	free(a->syscalls.list);
	tl_index_free(&a->syscalls.index);
}
