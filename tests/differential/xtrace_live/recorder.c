/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plugin of qemu-aarch64 7.2 (plugin interface version 1) that records what a program executes
 * between two `hint #9` as an xtrace instruction stream (docs/formats/xtrace.md, 2.4). That
 * interface tells no values: those of accesses are read from the program's memory, which is the
 * emulator's own; TARGET_B is where the program went. Registers it cannot read, so there are no
 * MRS, STXR and MISC_FLAGS, and snapshots (one every 5000 instructions) have none.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The part of the interface that is used here. */
typedef uint64_t qemu_plugin_id_t;
typedef uint32_t qemu_plugin_meminfo_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
enum { CB_NO_REGS, MEM_RW = 3 };

#define API __attribute__((visibility("default")))

extern void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
						  void (*cb)(qemu_plugin_id_t,
							     struct qemu_plugin_tb *));
extern size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
extern struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb,
							size_t index);
extern const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
extern uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
extern void *qemu_plugin_insn_haddr(const struct qemu_plugin_insn *insn);
extern void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
						   void (*cb)(unsigned, void *), int flags,
						   void *userdata);
extern void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn,
					     void (*cb)(unsigned, qemu_plugin_meminfo_t, uint64_t,
							void *),
					     int flags, int rw, void *userdata);
extern unsigned qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t info);
extern bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t info);
extern void qemu_plugin_register_vcpu_syscall_cb(qemu_plugin_id_t id,
						 void (*cb)(qemu_plugin_id_t, unsigned, int64_t,
							    uint64_t, uint64_t, uint64_t, uint64_t,
							    uint64_t, uint64_t, uint64_t,
							    uint64_t));
extern void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id,
					   void (*cb)(qemu_plugin_id_t, void *), void *userdata);

API int qemu_plugin_version = 1;
API int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc, char **argv);

struct instruction {
	uint64_t pc;
	uint32_t opcode;
	bool first; /* of its block */
};

enum { INTERVAL = 5000, RECORD_BYTES = 1424, VECTOR_BITS = 128 };

static FILE *out, *snapshots;
static uint64_t total;
static uint64_t guest_base;
static bool on, wants_target;
static const struct instruction *last;

static void put(uint8_t token, const void *data, size_t size)
{
	fputc(token, out);
	fwrite(data, 1, size, out);
}

/* 2.3: file number, offset, instructions before; at the end the vector length. */
static void put_snapshot(void)
{
	uint64_t record[RECORD_BYTES / 8] = { 0, (uint64_t)ftell(out), total, total };

	record[RECORD_BYTES / 8 - 1] = VECTOR_BITS;
	fwrite(record, 1, sizeof(record), snapshots);
}

static bool goes_by_register(uint32_t opcode)
{
	return (opcode & 0xff9ffc1f) == 0xd61f0000 && (opcode & 0xffe00000) != 0xd6e00000;
}

static void executes(unsigned vcpu, void *arg)
{
	const struct instruction *now = arg;

	(void)vcpu;
	if (now->opcode == 0xd503213f) {
		on = !on;
		last = NULL;
		wants_target = false;
		return;
	}
	if (!on)
		return;
	if (wants_target)
		put(0x2b, &now->pc, 8);
	wants_target = goes_by_register(now->opcode);
	if (total % INTERVAL == 0)
		put_snapshot();
	if (now->first || total % INTERVAL == 0 || !last || now->pc != last->pc + 4) {
		put(0x09, &now->pc, 8);
		fwrite(&now->opcode, 1, 4, out);
	} else {
		put(0x01, &now->opcode, 4);
	}
	last = now;
	total++;
}

static void accesses(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *arg)
{
	unsigned shift = qemu_plugin_mem_size_shift(info);

	(void)vcpu;
	(void)arg;
	if (!on)
		return;
	put((uint8_t)(shift << 4 | (qemu_plugin_mem_is_store(info) ? 0x0a : 0x02)), &address, 8);
	fwrite((const void *)(uintptr_t)(address + guest_base), 1, (size_t)1 << shift, out);
}

static void calls(qemu_plugin_id_t id, unsigned vcpu, int64_t number, uint64_t a1, uint64_t a2,
		  uint64_t a3, uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8)
{
	const uint64_t values[7] = { (uint64_t)number, a1, a2, a3, a4, a5, a6 };

	(void)id, (void)vcpu, (void)a7, (void)a8;
	for (unsigned i = 0; on && i < 7; i++)
		put(0x13, &values[i], 8);
}

static void translates(qemu_plugin_id_t id, struct qemu_plugin_tb *block)
{
	size_t count = qemu_plugin_tb_n_insns(block);

	(void)id;
	for (size_t i = 0; i < count; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(block, i);
		struct instruction *made = malloc(sizeof(*made));

		*made = (struct instruction){ .pc = qemu_plugin_insn_vaddr(insn), .first = i == 0 };
		memcpy(&made->opcode, qemu_plugin_insn_data(insn), 4);
		guest_base = (uint64_t)(uintptr_t)qemu_plugin_insn_haddr(insn) - made->pc;
		qemu_plugin_register_vcpu_insn_exec_cb(insn, executes, CB_NO_REGS, made);
		qemu_plugin_register_vcpu_mem_cb(insn, accesses, CB_NO_REGS, MEM_RW, NULL);
	}
}

static void ends(qemu_plugin_id_t id, void *arg)
{
	(void)id;
	(void)arg;
	fclose(out);
	fclose(snapshots);
}

int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc, char **argv)
{
	(void)info;
	char path[4096];

	if (argc != 1 || strncmp(argv[0], "out=", 4))
		return -1;
	snprintf(path, sizeof(path), "%sxinsndata.bin", argv[0] + 4);
	out = fopen(path, "wb");
	snprintf(path, sizeof(path), "%sxsnapshot.bin", argv[0] + 4);
	snapshots = fopen(path, "wb");
	if (!out || !snapshots)
		return -1;
	fwrite("XTR1\0\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 1, 24, snapshots);
	qemu_plugin_register_vcpu_tb_trans_cb(id, translates);
	qemu_plugin_register_vcpu_syscall_cb(id, calls);
	qemu_plugin_register_atexit_cb(id, ends, NULL);
	return 0;
}
