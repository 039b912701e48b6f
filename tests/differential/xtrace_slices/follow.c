/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plugin of qemu-aarch64 (plugin interface version 1) that holds the addresses that a program
 * executes against a list: follow.so,expect=FILE, where FILE has 64-bit numbers. Addresses in pages
 * of which the list has none are not the slice's. It prints one line.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;

#define API __attribute__((visibility("default")))

extern void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
						  void (*cb)(qemu_plugin_id_t,
							     struct qemu_plugin_tb *));
extern size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
extern struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb,
							size_t index);
extern uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
extern void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
						   void (*cb)(unsigned, void *), int flags,
						   void *userdata);
extern void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id,
					   void (*cb)(qemu_plugin_id_t, void *), void *userdata);

API int qemu_plugin_version = 1;
API int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc, char **argv);

static uint64_t *expected, count, at, behind, differing;
static uint64_t pages[1 << 16]; /* by hash; 0: free */

static uint64_t *slot(uint64_t page)
{
	uint64_t i = page * 0x9e3779b97f4a7c15u >> 48;

	while (pages[i] && pages[i] != page)
		i = (i + 1) & 0xffff;
	return &pages[i];
}

static void executes(unsigned vcpu, void *arg)
{
	uint64_t pc = (uint64_t)(uintptr_t)arg;

	(void)vcpu;
	if (differing)
		return;
	if (at == count)
		behind++;
	else if (pc == expected[at])
		at++;
	else
		differing = pc;
}

static void translates(qemu_plugin_id_t id, struct qemu_plugin_tb *block)
{
	(void)id;
	for (size_t i = 0; i < qemu_plugin_tb_n_insns(block); i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(block, i);
		uint64_t pc = qemu_plugin_insn_vaddr(insn);

		if (*slot(pc >> 12))
			qemu_plugin_register_vcpu_insn_exec_cb(insn, executes, 0,
							       (void *)(uintptr_t)pc);
	}
}

static void ends(qemu_plugin_id_t id, void *arg)
{
	(void)id;
	(void)arg;
	printf("equal %lu of %lu", at, count);
	if (differing)
		printf(", then 0x%lx", differing);
	printf(", %lu behind\n", behind);
	fflush(stdout);
}

int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc, char **argv)
{
	FILE *file = argc == 1 && !strncmp(argv[0], "expect=", 7) ? fopen(argv[0] + 7, "rb") : NULL;

	(void)info;
	if (!file || fseek(file, 0, SEEK_END))
		return -1;
	count = (uint64_t)ftell(file) / 8;
	rewind(file);
	expected = malloc((count + 1) * 8);
	if (fread(expected, 8, count, file) != count)
		return -1;
	fclose(file);
	for (uint64_t i = 0; i < count; i++)
		*slot(expected[i] >> 12) = expected[i] >> 12;
	qemu_plugin_register_vcpu_tb_trans_cb(id, translates);
	qemu_plugin_register_atexit_cb(id, ends, NULL);
	return 0;
}
