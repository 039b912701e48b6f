/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The plugin: what QEMU calls. README.md has the whole. */
#include <stdio.h>
#include <string.h>

#include "emulator.h"
#include "qemu.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT int qemu_plugin_version = 1;

struct process process = { .lock = PTHREAD_MUTEX_INITIALIZER };
__thread struct stream *own_stream __attribute__((tls_model("initial-exec")));

/*
 * This interface has no registers. QEMU's generated code for x86-64 keeps the address of the
 * guest's state in %rbp, and calls as functions are called: it is handed on as second argument.
 */
#define WITH_GUEST(name, function)                                                                 \
	void name(unsigned cpu, void *data);                                                       \
	__asm__(".text\n.p2align 4\n.hidden " #name "\n.globl " #name "\n.type " #name             \
		",@function\n" #name ":\n\tmov %rsi, %rdi\n\tmov %rbp, %rsi\n\tjmp " #function     \
		"\n.size " #name ", .-" #name "\n")

WITH_GUEST(on_block, enter_block);
WITH_GUEST(on_calling_block, enter_calling_block);
WITH_GUEST(on_single, enter_single);

static void learn_bias(const struct qemu_plugin_insn *instruction)
{
	if (process.knows_bias)
		return;
	process.bias = (uint64_t)(uintptr_t)qemu_plugin_insn_haddr(instruction) -
		       qemu_plugin_insn_vaddr(instruction);
	process.knows_bias = true;
	signals_wrap();
}

static qemu_execute_fn *callback_of(const struct block *block)
{
	return block->single ? on_single : block->pushes ? on_calling_block : on_block;
}

static void on_translate(qemu_id id, struct qemu_plugin_tb *translated)
{
	struct block *block = block_make(translated);

	(void)id;
	if (!block)
		return;
	learn_bias(qemu_plugin_tb_get_insn(translated, 0));
	for (uint32_t i = 0; i < block->count; i++) {
		const struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(translated, i);

		code_seen(qemu_plugin_insn_vaddr(insn), qemu_plugin_insn_data(insn),
			  block->sizes[i]);
	}
	qemu_plugin_register_vcpu_tb_exec_cb(translated, callback_of(block), QEMU_READS_REGISTERS,
					     block);
}

static void on_system_call(qemu_id id, unsigned cpu, int64_t number, uint64_t a1, uint64_t a2,
			   uint64_t a3, uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7,
			   uint64_t a8)
{
	const uint64_t arguments[4] = { a1, a2, a3, a4 };

	(void)id;
	(void)cpu;
	(void)a5;
	(void)a6;
	(void)a7;
	(void)a8;
	system_call(number, arguments);
}

static void on_system_result(qemu_id id, unsigned cpu, int64_t number, int64_t result)
{
	(void)id;
	(void)cpu;
	system_result(number, result);
}

/* All other threads have stopped. */
static void on_exit_of_process(qemu_id id, void *data)
{
	(void)id;
	(void)data;
	for (struct stream *s = process.streams; s; s = s->next)
		stream_end(s, s->current->kind == BLOCK_SYSCALL);
	event_add(TL_EMULATION_FINISHED, NULL, 0, 0, 0);
}

EXPORT int qemu_plugin_install(qemu_id id, const struct qemu_info *info, int count,
			       char **arguments)
{
	static const char folder[] = "folder=";

	for (int i = 0; i < count; i++)
		if (!strncmp(arguments[i], folder, sizeof(folder) - 1))
			snprintf(process.folder, sizeof(process.folder), "%s",
				 arguments[i] + sizeof(folder) - 1);
	if (!process.folder[0] || strcmp(info->target_name, "x86_64")) {
		fprintf(stderr, "tracelathe-emulate: for x86_64, with folder=FOLDER\n");
		return 1;
	}
	process.files = __rdtsc();
	execute_learn();
	system_begin();
	system_watch_forks();
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translate);
	qemu_plugin_register_vcpu_syscall_cb(id, on_system_call);
	qemu_plugin_register_vcpu_syscall_ret_cb(id, on_system_result);
	qemu_plugin_register_atexit_cb(id, on_exit_of_process, NULL);
	return 0;
}
