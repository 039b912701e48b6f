/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plugin of qemu-aarch64 (plugin interface version 1) that holds the addresses that the threads
 * of a program execute against a list each: follow.so,expect=FILE[,expect=FILE...] in the order in
 * which they are made, where FILE has 64-bit numbers. Addresses in pages of which no list has any
 * are not the slice's. It prints a line for each thread.
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

enum { MOST = 64 };

static struct {
	uint64_t *expected, count, at, behind, differing;
} threads[MOST];
static int thread_count;
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

	if (vcpu >= MOST || threads[vcpu].differing)
		return;
	if (threads[vcpu].at == threads[vcpu].count)
		threads[vcpu].behind++;
	else if (pc == threads[vcpu].expected[threads[vcpu].at])
		threads[vcpu].at++;
	else
		threads[vcpu].differing = pc;
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
	for (int i = 0; i < thread_count; i++) {
		printf("equal %lu of %lu", threads[i].at, threads[i].count);
		if (threads[i].differing)
			printf(", then 0x%lx", threads[i].differing);
		printf(", %lu behind\n", threads[i].behind);
	}
	fflush(stdout);
}

static int read_list(const char *arg)
{
	FILE *file = !strncmp(arg, "expect=", 7) ? fopen(arg + 7, "rb") : NULL;
	uint64_t *expected, count;

	if (!file || thread_count == MOST || fseek(file, 0, SEEK_END))
		return -1;
	count = (uint64_t)ftell(file) / 8;
	rewind(file);
	expected = malloc((count + 1) * 8);
	if (fread(expected, 8, count, file) != count)
		return -1;
	fclose(file);
	for (uint64_t i = 0; i < count; i++)
		*slot(expected[i] >> 12) = expected[i] >> 12;
	threads[thread_count].expected = expected;
	threads[thread_count++].count = count;
	return 0;
}

int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc, char **argv)
{
	(void)info;
	for (int i = 0; i < argc; i++)
		if (read_list(argv[i]))
			return -1;
	qemu_plugin_register_vcpu_tb_trans_cb(id, translates);
	qemu_plugin_register_atexit_cb(id, ends, NULL);
	return 0;
}
