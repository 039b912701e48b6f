/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A QEMU plugin that counts the instructions between HINT #9 and HINT #9, or (from=start) all of
 * them, for each thread of each process, or each core: to=FILE gets a line for each, the number of
 * instructions and how many of them are marker=OPCODE.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pthread.h>
#include <unistd.h>

#define API __attribute__((visibility("default")))
typedef uint64_t plugin_id;
struct qemu_plugin_tb;
struct qemu_plugin_insn;

void qemu_plugin_register_vcpu_init_cb(plugin_id id, void (*fn)(plugin_id, unsigned));
void qemu_plugin_register_vcpu_exit_cb(plugin_id id, void (*fn)(plugin_id, unsigned));
void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id id,
					   void (*fn)(plugin_id, struct qemu_plugin_tb *));
void qemu_plugin_register_atexit_cb(plugin_id id, void (*fn)(plugin_id, void *), void *data);
void qemu_plugin_register_vcpu_syscall_cb(plugin_id id,
					  void (*fn)(plugin_id, unsigned, int64_t, uint64_t,
						     uint64_t, uint64_t, uint64_t, uint64_t,
						     uint64_t, uint64_t, uint64_t));
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t i);
size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *to, size_t size);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
					    void (*fn)(unsigned, void *), int flags, void *data);

API int qemu_plugin_version = 4;

enum { MOST = 256, HINT_9 = 0xd503213f, EXECVE = 221 };

static struct {
	bool on, known;
	uint64_t count, markers;
} cpus[MOST];
static const char *path;
static uint32_t marker;
static bool hints = true, cores;

static void write_count(unsigned cpu)
{
	char line[64];
	int size, file;

	if (cpu >= MOST || !cpus[cpu].known)
		return;
	size = snprintf(line, sizeof(line), "%lu %lu\n", cpus[cpu].count, cpus[cpu].markers);
	file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
	if (file < 0 || write(file, line, (size_t)size) != size)
		abort();
	close(file);
	cpus[cpu].known = cpus[cpu].on = false;
	cpus[cpu].count = cpus[cpu].markers = 0;
}

static void executes(unsigned cpu, void *opcode)
{
	if (cpu >= MOST || !cpus[cpu].on)
		return;
	cpus[cpu].known = true;
	cpus[cpu].count++;
	cpus[cpu].markers += (uint32_t)(uintptr_t)opcode == marker;
}

static void hint(unsigned cpu, void *unused)
{
	(void)unused;
	if (cpus[cpu].on && !cores)
		write_count(cpu);
	else
		for (unsigned i = cores ? 0 : cpu; i < (cores ? MOST : cpu + 1); i++)
			cpus[i].on = !cpus[i].on;
}

static void translates(plugin_id id, struct qemu_plugin_tb *tb)
{
	(void)id;
	for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint32_t opcode = 0;

		qemu_plugin_insn_data(insn, &opcode, sizeof(opcode));
		qemu_plugin_register_vcpu_insn_exec_cb(insn,
						       hints && opcode == HINT_9 ? hint : executes,
						       0, (void *)(uintptr_t)opcode);
	}
}

static void starts(plugin_id id, unsigned cpu)
{
	(void)id;
	cpus[cpu].on = !hints;
}

static void exits(plugin_id id, unsigned cpu)
{
	(void)id;
	write_count(cpu);
}

static void ends(plugin_id id, void *unused)
{
	(void)id, (void)unused;
	for (unsigned i = 0; i < MOST; i++)
		write_count(i);
}

/* The programs of the tests execute others from processes of one thread; some calls fail. */
static void calls(plugin_id id, unsigned cpu, int64_t number, uint64_t name, uint64_t a2,
		  uint64_t a3, uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8)
{
	(void)id, (void)name, (void)a3, (void)a4, (void)a5, (void)a6, (void)a7, (void)a8;
	if (number == EXECVE && a2 && cpus[cpu].on)
		write_count(cpu);
}

static void forked(void)
{
	for (unsigned i = 0; i < MOST; i++)
		cpus[i].count = cpus[i].markers = 0;
}

API int qemu_plugin_install(plugin_id id, const void *info, int argc, char **argv)
{
	(void)info;
	for (int i = 0; i < argc; i++) {
		if (!strncmp(argv[i], "to=", 3))
			path = argv[i] + 3;
		else if (!strncmp(argv[i], "marker=", 7))
			marker = (uint32_t)strtoul(argv[i] + 7, NULL, 16);
		else if (!strcmp(argv[i], "from=start"))
			hints = false;
		else if (!strcmp(argv[i], "cores=on"))
			cores = true;
	}
	qemu_plugin_register_vcpu_init_cb(id, starts);
	qemu_plugin_register_vcpu_exit_cb(id, exits);
	qemu_plugin_register_vcpu_tb_trans_cb(id, translates);
	qemu_plugin_register_atexit_cb(id, ends, NULL);
	if (!cores)
		qemu_plugin_register_vcpu_syscall_cb(id, calls);
	pthread_atfork(NULL, NULL, forked);
	return 0;
}
