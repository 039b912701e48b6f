/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A QEMU plugin that writes what an AArch64 program or system executes as xtrace: see README.md.
 */
#include <endian.h>
#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "a64.h"
#include "recorder.h"

QEMU_PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_VERSION;

/* ---- beginning and end ---- */

static void switch_all(uint64_t on)
{
	int count = qemu_plugin_num_vcpus();

	for (int i = 0; i < count; i++)
		qemu_plugin_u64_set(plugin.on, (unsigned)i, on);
}

/* The results of the last instruction are there now; other processors' streams end with QEMU. */
static void stop(unsigned vcpu, const struct instruction *now, bool all)
{
	struct recorder *r = processor(vcpu)->recorder;

	if (all)
		switch_all(0);
	else
		qemu_plugin_u64_set(plugin.on, vcpu, 0);
	if (!r || r->ended)
		return;
	if (r->last)
		put_results(r, r->last, now->pc);
	put_boundary(r);
	recorder_end(r);
}

/*
 * HINT #9: this thread, or all cores; HINT #13: this core. The second one ends what the first
 * began.
 */
static void hints(unsigned vcpu, void *arg)
{
	const struct instruction *now = arg;
	bool all = plugin.core && now->carries & IS_HINT_9;

	if (qemu_plugin_u64_get(plugin.on, vcpu)) {
		stop(vcpu, now, all);
		return;
	}
	if (processor(vcpu)->recorder || (all && plugin.begun))
		return;
	if (all) {
		plugin.begun = true;
		plugin.main = vcpu;
		switch_all(1);
	} else {
		qemu_plugin_u64_set(plugin.on, vcpu, 1);
	}
}

/*
 * Cores that take turns in one thread share translated code, in which QEMU (10.0) keeps the number
 * of the core that came first: plugins are told the wrong one.
 */
static void refuse_turns(void)
{
	pid_t thread = gettid();

	pthread_mutex_lock(&plugin.lock);
	if (plugin.system && plugin.thread == thread) {
		say("cores that take turns in one thread cannot be told apart: -accel "
		    "tcg,thread=multi is needed");
		_exit(EXIT_FAILURE);
	}
	plugin.thread = thread;
	pthread_mutex_unlock(&plugin.lock);
}

static void starts(qemu_plugin_id_t id, unsigned vcpu)
{
	(void)id;
	refuse_turns();
	qemu_plugin_u64_set(plugin.on, vcpu, !plugin.hints);
	processor(vcpu)->recorder = NULL;
}

static void exits(qemu_plugin_id_t id, unsigned vcpu)
{
	struct recorder *r = processor(vcpu)->recorder;

	(void)id;
	if (r)
		recorder_end(r);
}

static void finish(qemu_plugin_id_t id, void *arg)
{
	(void)id;
	(void)arg;
	for (struct recorder *r = plugin.recorders; r; r = r->next)
		recorder_end(r);
	if (plugin.hints && !plugin.recorded && !plugin.forked)
		say("nothing was recorded, as no HINT #9 was executed; from=start records "
		    "everything");
}

/* ---- translation ---- */

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_instructions(const void *a, const void *b)
{
	const struct instruction *x = a, *y = b;
	int order = compare_numbers(x->pc, y->pc);

	if (!order)
		order = compare_numbers(x->opcode, y->opcode);
	return order ? order : compare_numbers(x->carries, y->carries);
}

/* Blocks are translated again and again: one copy of each instruction is kept. */
static struct instruction *intern(struct qemu_plugin_insn *insn, bool first)
{
	struct instruction *key = allocate(sizeof(*key)), **kept;

	key->pc = qemu_plugin_insn_vaddr(insn);
	qemu_plugin_insn_data(insn, &key->opcode, sizeof(key->opcode));
	key->opcode = le32toh(key->opcode);
	key->carries = a64_carries(key->opcode) | (first ? IS_FIRST : 0);
	pthread_mutex_lock(&plugin.lock);
	kept = tsearch(key, &plugin.instructions, compare_instructions);
	pthread_mutex_unlock(&plugin.lock);
	if (!kept) {
		say("out of memory");
		_exit(EXIT_FAILURE);
	}
	if (*kept != key)
		free(key);
	return *kept;
}

static void translates(qemu_plugin_id_t id, struct qemu_plugin_tb *block)
{
	size_t count = qemu_plugin_tb_n_insns(block);
	unsigned markers = plugin.core ? IS_HINT_9 | IS_HINT_13 : IS_HINT_9;

	(void)id;
	for (size_t i = 0; i < count; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(block, i);
		struct instruction *instruction = intern(insn, i == 0);

		/* The markers themselves are not in the stream (2.1). */
		if (plugin.hints && instruction->carries & markers) {
			qemu_plugin_register_vcpu_insn_exec_cb(insn, hints, QEMU_PLUGIN_CB_R_REGS,
							       instruction);
			continue;
		}
		qemu_plugin_register_vcpu_insn_exec_cond_cb(insn, executes, QEMU_PLUGIN_CB_R_REGS,
							    QEMU_PLUGIN_COND_NE, plugin.on, 0,
							    instruction);
		if (!plugin.system && instruction->carries & IS_TILE)
			continue;
		qemu_plugin_register_vcpu_mem_cb(insn, accesses, QEMU_PLUGIN_CB_NO_REGS,
						 QEMU_PLUGIN_MEM_RW, NULL);
	}
}

/* ---- arguments ---- */

static bool parse_switch(const char *value, const char *on, const char *off, bool *to)
{
	*to = !strcmp(value, on);
	return *to || !strcmp(value, off);
}

static bool parse_number(const char *value, uint64_t *to)
{
	char *end;

	errno = 0;
	*to = strtoull(value, &end, 10);
	return *value >= '0' && *value <= '9' && !*end && !errno && *to;
}

/* The value, if the argument has this name. */
static const char *value_if(const char *argument, const char *name)
{
	size_t length = strlen(name);

	return strncmp(argument, name, length) || argument[length] != '=' ? NULL
									  : argument + length + 1;
}

static bool parse_argument(const char *argument)
{
	const char *value;

	if ((value = value_if(argument, "out"))) {
		plugin.folder = value;
		return *value;
	}
	if ((value = value_if(argument, "from")))
		return parse_switch(value, "hint", "start", &plugin.hints);
	if ((value = value_if(argument, "stream")))
		return parse_switch(value, "core", "thread", &plugin.core);
	if ((value = value_if(argument, "division")))
		return parse_switch(value, "total", "user", &plugin.by_total);
	if ((value = value_if(argument, "time")))
		return parse_switch(value, "on", "off", &plugin.time);
	if ((value = value_if(argument, "interval")))
		return parse_number(value, &plugin.interval);
	if ((value = value_if(argument, "limit")))
		return parse_number(value, &plugin.limit);
	if ((value = value_if(argument, "stamp")))
		return parse_number(value, &plugin.stamp);
	return false;
}

/* "The time at which collection of the trace started". */
static uint64_t stamp_of_now(void)
{
	time_t now = time(NULL);
	struct tm parts;
	char text[32];

	gmtime_r(&now, &parts);
	strftime(text, sizeof(text), "%Y%m%d%H%M%S", &parts);
	return strtoull(text, NULL, 10);
}

/* It is made where it is not there. A program may go to another folder before its threads begin. */
static bool find_folder(void)
{
	const char *named = plugin.folder;

	if (mkdir(named, 0777) && errno != EEXIST)
		plugin.folder = NULL;
	else
		plugin.folder = realpath(named, NULL);
	if (!plugin.folder)
		say("%s: %s", named, strerror(errno));
	return plugin.folder != NULL;
}

QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
					   char **argv)
{
	if (strcmp(info->target_name, "aarch64")) {
		say("QEMU emulates %s here: only aarch64 can be recorded", info->target_name);
		return -1;
	}
	plugin.folder = ".";
	plugin.interval = 1000000;
	plugin.system = info->system_emulation;
	plugin.core = plugin.system;
	plugin.hints = true;
	plugin.stamp = stamp_of_now();
	for (int i = 0; i < argc; i++)
		if (!parse_argument(argv[i])) {
			say("%s: not an argument of this plugin; see its README.md", argv[i]);
			return -1;
		}
	if (!find_folder())
		return -1;
	plugin.order = mmap(NULL, sizeof(*plugin.order), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (plugin.order == MAP_FAILED) {
		say("%s", strerror(errno));
		return -1;
	}
	plugin.processors = qemu_plugin_scoreboard_new(sizeof(struct processor));
	plugin.on = qemu_plugin_scoreboard_u64_in_struct(plugin.processors, struct processor, on);
	qemu_plugin_register_vcpu_init_cb(id, starts);
	qemu_plugin_register_vcpu_exit_cb(id, exits);
	qemu_plugin_register_vcpu_tb_trans_cb(id, translates);
	qemu_plugin_register_atexit_cb(id, finish, NULL);
	if (!plugin.system)
		recorder_follow_processes(id);
	return 0;
}
