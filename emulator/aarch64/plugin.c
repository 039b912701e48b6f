/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What QEMU calls, when it runs AArch64 programs one instruction at a time (-singlestep). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "../qemu.h"
#include "a64.h"
#include "follow.h"
#include "recorder.h"
#include "sve.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT int qemu_plugin_version = 1;

/* As the format has it (docs/formats/xtrace.md). */
enum { SNAPSHOT_EVERY = 1000000 };

/* Generated code has the address of the guest's state in %rbp: handed on as second argument. */
void on_instruction(unsigned cpu, void *data);
__asm__(".text\n.p2align 4\n.hidden on_instruction\n.globl on_instruction\n"
	".type on_instruction,@function\non_instruction:\n\tmov %rsi, %rdi\n\tmov %rbp, %rsi\n"
	"\tjmp recorder_execute\n.size on_instruction, .-on_instruction\n");

static void on_access(unsigned cpu, qemu_access info, uint64_t address, void *data)
{
	const struct access access = {
		.address = address,
		.shift = qemu_plugin_mem_size_shift(info),
		.writes = qemu_plugin_mem_is_store(info),
	};

	(void)cpu;
	(void)data;
	recorder_access(&access);
}

/* "Branches, Exception Generating and System instructions" but hints, barriers and moves. */
static bool leaves_block(uint32_t opcode)
{
	static const struct {
		uint32_t mask, value;
	} rows[] = {
		{ 0x7c000000, 0x14000000 }, /* B, BL */
		{ 0xff000000, 0x54000000 }, /* B.cond */
		{ 0x7c000000, 0x34000000 }, /* CBZ, CBNZ, TBZ, TBNZ */
		{ 0xfe000000, 0xd6000000 }, /* BR, BLR, RET and the like */
		{ 0xff000000, 0xd4000000 }, /* SVC, BRK and the like */
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if ((opcode & rows[i].mask) == rows[i].value)
			return true;
	return false;
}

static void on_translate(qemu_id id, struct qemu_plugin_tb *translated)
{
	struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(translated, 0);
	struct instruction *instruction = calloc(1, sizeof(*instruction));

	(void)id;
	if (!instruction)
		abort();
	instruction->pc = qemu_plugin_insn_vaddr(insn);
	memcpy(&instruction->opcode, qemu_plugin_insn_data(insn), sizeof(instruction->opcode));
	instruction->carries = (uint16_t)a64_carries(instruction->opcode);
	instruction->leaves_block = leaves_block(instruction->opcode);
	instruction->is_sve = sve_is_access(instruction->opcode);
	instruction->is_matrix = sve_is_matrix_access(instruction->opcode);
	recorder_set_bias((uint64_t)(uintptr_t)qemu_plugin_insn_haddr(insn) - instruction->pc);
	qemu_plugin_register_vcpu_insn_exec_cb(insn, on_instruction, QEMU_READS_REGISTERS,
					       instruction);
	qemu_plugin_register_vcpu_mem_cb(insn, on_access, QEMU_READS_REGISTERS, QEMU_ALL_ACCESSES,
					 NULL);
}

static void on_system_call(qemu_id id, unsigned cpu, int64_t number, uint64_t a1, uint64_t a2,
			   uint64_t a3, uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7,
			   uint64_t a8)
{
	const uint64_t arguments[] = { a1, a2, a3, a4 };

	(void)id, (void)cpu, (void)a5, (void)a6, (void)a7, (void)a8;
	recorder_system_call(number, a3 & PROT_EXEC);
	follow_system_call(number, arguments);
}

static void on_system_result(qemu_id id, unsigned cpu, int64_t number, int64_t result)
{
	(void)id, (void)cpu, (void)result;
	recorder_system_result();
	follow_system_result(number);
}

static void on_thread_exit(qemu_id id, unsigned cpu)
{
	(void)id;
	(void)cpu;
	recorder_end();
}

static void on_process_exit(qemu_id id, void *data)
{
	(void)id;
	(void)data;
	recorder_end_all();
}

/* What stands behind `name`; NULL: it is another argument. */
static const char *value_of(const char *argument, const char *name)
{
	return strncmp(argument, name, strlen(name)) ? NULL : argument + strlen(name);
}

EXPORT int qemu_plugin_install(qemu_id id, const struct qemu_info *info, int count,
			       char **arguments)
{
	const char *folder = NULL, *value;
	uint64_t every = SNAPSHOT_EVERY;
	bool timed = false;

	for (int i = 0; i < count; i++) {
		if ((value = value_of(arguments[i], "folder=")))
			folder = value;
		if ((value = value_of(arguments[i], "every=")))
			every = strtoull(value, NULL, 10);
		if ((value = value_of(arguments[i], "time=")))
			timed = !strcmp(value, "on");
	}
	if (!folder || !every || strcmp(info->target_name, "aarch64")) {
		fprintf(stderr, "tracelathe-emulate: for aarch64, with folder=FOLDER\n");
		return 1;
	}
	recorder_begin(folder, every, timed);
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translate);
	qemu_plugin_register_vcpu_syscall_cb(id, on_system_call);
	qemu_plugin_register_vcpu_syscall_ret_cb(id, on_system_result);
	qemu_plugin_register_vcpu_exit_cb(id, on_thread_exit);
	qemu_plugin_register_atexit_cb(id, on_process_exit, NULL);
	return 0;
}
