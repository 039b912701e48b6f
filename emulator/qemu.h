/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_EMULATOR_QEMU_H
#define TL_EMULATOR_QEMU_H
/*
 * Version 1 of QEMU's plugin interface (QEMU 4.2 to 8.2), as far as it is used here. Debian has no
 * package with its header.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct qemu_plugin_tb;
struct qemu_plugin_insn;

typedef uint64_t qemu_id;
typedef void qemu_translate_fn(qemu_id id, struct qemu_plugin_tb *block);
typedef void qemu_execute_fn(unsigned cpu, void *data);
typedef void qemu_exit_fn(qemu_id id, void *data);
typedef void qemu_syscall_fn(qemu_id id, unsigned cpu, int64_t number, uint64_t a1, uint64_t a2,
			     uint64_t a3, uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7,
			     uint64_t a8);
typedef void qemu_syscall_result_fn(qemu_id id, unsigned cpu, int64_t number, int64_t result);

typedef void qemu_cpu_fn(qemu_id id, unsigned cpu);
typedef uint32_t qemu_access;
typedef void qemu_access_fn(unsigned cpu, qemu_access access, uint64_t address, void *data);

enum { QEMU_READS_REGISTERS = 1, QEMU_ALL_ACCESSES = 3 };

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_id id, qemu_translate_fn *fn);
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *block, qemu_execute_fn *fn,
					  int flags, void *data);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *instruction,
					    qemu_execute_fn *fn, int flags, void *data);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *instruction, qemu_access_fn *fn,
				      int flags, int kinds, void *data);
void qemu_plugin_register_vcpu_exit_cb(qemu_id id, qemu_cpu_fn *fn);
void qemu_plugin_register_atexit_cb(qemu_id id, qemu_exit_fn *fn, void *data);
void qemu_plugin_register_vcpu_syscall_cb(qemu_id id, qemu_syscall_fn *fn);
void qemu_plugin_register_vcpu_syscall_ret_cb(qemu_id id, qemu_syscall_result_fn *fn);

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *block, size_t number);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *instruction);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *instruction);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *instruction);
void *qemu_plugin_insn_haddr(const struct qemu_plugin_insn *instruction);
unsigned qemu_plugin_mem_size_shift(qemu_access access);
bool qemu_plugin_mem_is_store(qemu_access access);

/* What QEMU looks for in a plugin. */
struct qemu_info {
	const char *target_name;
	struct {
		int min, cur;
	} version;
	/* what follows is of system emulation */
};

extern int qemu_plugin_version;
int qemu_plugin_install(qemu_id id, const struct qemu_info *info, int count, char **arguments);

#endif
