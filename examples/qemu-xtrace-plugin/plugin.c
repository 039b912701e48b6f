/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A QEMU plugin that writes what an AArch64 program or system executes as xtrace: see README.md.
 *
 * A stream belongs to a virtual processor, and is written by the processor's own thread. What an
 * instruction has read (arguments, addresses, targets) is written before it is executed, what it
 * has written (status, MRS, flags) when the next one comes.
 *
 * A process that is forked is a copy of all that, open files included: it begins a stream of its
 * own.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <pthread.h>
#include <unistd.h>

#include "a64.h"
#include "atomics.h"
#include "registers.h"

#if QEMU_PLUGIN_VERSION < 4
#error "QEMU 9.2 or newer is needed: older plugins cannot read the values of accesses"
#endif

QEMU_PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_VERSION;

/* An instruction at its place in the code; lives as long as the plugin. */
struct instruction {
	uint64_t pc;
	uint32_t opcode;
	unsigned carries;
};

struct recorder {
	struct stream stream;
	struct registers registers;
	struct snapshot snapshot;
	unsigned vcpu;
	bool ended;
	uint64_t user, total, next_snapshot;
	const struct instruction *last;
	unsigned el, last_el;
	bool with_pc;         /* the next instruction needs its PC */
	bool timed;           /* the present one has its TIME */
	bool in_syscall;      /* EL0 waits for a result */
	uint64_t operands[4]; /* of an atomic access: Rs, Rs + 1, Rt, Rt + 1 */
	uint8_t old[16];      /* what it loaded */
	struct recorder *next;
};

/* Per virtual processor. */
struct processor {
	uint64_t on; /* tested by translated code */
	struct recorder *recorder;
};

/* What the arguments say, and what all processors share. */
static struct {
	char *folder;
	uint64_t stamp, interval, limit;
	bool core, hints, time, by_total, system;
	unsigned main; /* core streams: who began */
	bool begun;
	uint64_t order; /* of accesses */
	struct qemu_plugin_scoreboard *processors;
	qemu_plugin_u64 on;
	GMutex lock; /* instructions, recorders */
	GHashTable *instructions;
	struct recorder *recorders;
} plugin;

static struct processor *processor(unsigned vcpu)
{
	return qemu_plugin_scoreboard_find(plugin.processors, vcpu);
}

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void say(const char *format, ...)
{
	va_list list;
	char *text;

	va_start(list, format);
	text = g_strdup_vprintf(format, list);
	va_end(list);
	fprintf(stderr, "xtrace: %s\n", text);
	g_free(text);
}

/* ---- a recorder's beginning and end ---- */

FILE *stream_create(const char *path)
{
	return fopen(path, "wbx");
}

static bool open_stream(struct recorder *r, unsigned number)
{
	struct header header = { plugin.core, plugin.time, plugin.by_total };
	unsigned hint = plugin.core && r->vcpu != plugin.main ? 13 : 9;
	char *name = g_strdup_printf("%s/xtrace.%" G_GUINT64_FORMAT ".%u.hint%u.", plugin.folder,
				     plugin.stamp, number, hint);
	bool good = stream_open(&r->stream, name, &header);

	if (!good && errno != EEXIST)
		say("%s: %s", name, strerror(errno));
	g_free(name);
	return good;
}

/* Of the processor's number, unless another process has taken it: then of the process's. */
static void open_files(struct recorder *r, bool forked)
{
	if (!forked && open_stream(r, r->vcpu))
		return;
	if (open_stream(r, (unsigned)getpid()))
		return;
	say("no stream for processor %u of process %d", r->vcpu, (int)getpid());
	_exit(EXIT_FAILURE);
}

static struct recorder *begin(unsigned vcpu)
{
	struct recorder *r = g_new0(struct recorder, 1);

	r->vcpu = vcpu;
	r->with_pc = true;
	open_files(r, false);
	registers_find(&r->registers);
	g_mutex_lock(&plugin.lock);
	r->next = plugin.recorders;
	plugin.recorders = r;
	g_mutex_unlock(&plugin.lock);
	return r;
}

static void end(struct recorder *r)
{
	if (r->ended)
		return;
	r->ended = true;
	if (!stream_close(&r->stream))
		say("processor %u: the files could not be written whole", r->vcpu);
	say("processor %u: %" G_GUINT64_FORMAT " instructions, %" G_GUINT64_FORMAT
	    " of them at EL0, %" G_GUINT64_FORMAT " tokens, %" G_GUINT64_FORMAT
	    " bytes, %" G_GUINT64_FORMAT " snapshots",
	    r->vcpu, r->total, r->user, r->stream.tokens, r->stream.bytes,
	    r->stream.snapshot_count);
	registers_free(&r->registers);
}

/* ---- other processes ---- */

/* Who executes in this thread. */
static __thread struct recorder *own;

/* Nothing stays in buffers, which both processes would write. */
static void before_fork(void)
{
	g_mutex_lock(&plugin.lock);
	for (struct recorder *r = plugin.recorders; r; r = r->next)
		if (!r->ended)
			stream_flush(&r->stream);
}

static void after_fork(void)
{
	g_mutex_unlock(&plugin.lock);
}

/* Only the thread that forked is there; its stream begins anew, behind the system call. */
static void after_fork_in_child(void)
{
	for (struct recorder *r = plugin.recorders; r; r = r->next) {
		if (r->ended)
			continue;
		stream_close(&r->stream);
		r->ended = r != own;
	}
	if (own && !own->ended) {
		open_files(own, true);
		own->user = own->total = own->next_snapshot = 0;
		own->last = NULL;
		own->with_pc = true;
		own->in_syscall = own->timed = false;
	}
	g_mutex_unlock(&plugin.lock);
}

/* execve() leaves no time for it later. */
static void calls(qemu_plugin_id_t id, unsigned vcpu, int64_t number, uint64_t a1, uint64_t a2,
		  uint64_t a3, uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8)
{
	enum { EXECVE = 221, EXECVEAT = 281 };

	(void)id, (void)vcpu, (void)a1, (void)a2, (void)a3, (void)a4, (void)a5, (void)a6, (void)a7,
		(void)a8;
	if (number != EXECVE && number != EXECVEAT)
		return;
	before_fork();
	after_fork();
}

/* ---- an instruction ---- */

/* What the last instruction has written, unless it faulted: then another follows it. */
static void put_results(struct recorder *r, const struct instruction *last, uint64_t pc)
{
	struct registers *registers = &r->registers;

	if (last->carries & CARRIES_NEXT)
		put_value(&r->stream, TOKEN_TARGET, pc);
	if (pc != last->pc + 4 || r->el != r->last_el)
		return;
	if (last->carries & CARRIES_STATUS)
		put_value(&r->stream, TOKEN_STATUS,
			  register_operand(registers, last->opcode >> 16 & 31));
	if (last->carries & CARRIES_MRS)
		put_value(&r->stream, TOKEN_MRS, register_operand(registers, last->opcode & 31));
	if (last->carries & CARRIES_FLAGS)
		put_value(&r->stream, TOKEN_FLAGS, register_flags(registers));
}

/* What belongs between two instructions. */
static void put_boundary(struct recorder *r)
{
	uint64_t x[32];

	if (r->in_syscall && r->el == 0) {
		r->in_syscall = false;
		put_value(&r->stream, TOKEN_RESULT, register_x(&r->registers, 0));
	}
	if (r->last && r->el != r->last_el) {
		for (unsigned i = 0; i < 32; i++)
			x[i] = register_x(&r->registers, i);
		put_registers(&r->stream, x);
		r->with_pc = true;
	}
}

/*
 * Snapshot 0 is that of the beginning, wherever this is; the others come before a user instruction.
 */
static void put_snapshot_if_due(struct recorder *r)
{
	uint64_t count = plugin.by_total ? r->total : r->user;

	if (r->total && (count < r->next_snapshot || (!plugin.by_total && r->el)))
		return;
	registers_snapshot(&r->registers, &r->snapshot);
	r->snapshot.user = r->user;
	r->snapshot.total = r->total;
	put_snapshot(&r->stream, &r->snapshot);
	r->next_snapshot = count + plugin.interval;
	r->with_pc = true;
}

/* readv, writev, preadv, pwritev, preadv2, pwritev2; sendmsg, recvmsg (A20). */
static bool takes_vectors(uint64_t number)
{
	return number == 65 || number == 66 || number == 69 || number == 70 || number == 286 ||
	       number == 287;
}

static bool read_guest(uint64_t address, GByteArray *bytes, size_t size)
{
	g_byte_array_set_size(bytes, 0);
	return qemu_plugin_read_memory_vaddr(address, bytes, size) && bytes->len >= size;
}

static uint64_t number_at(const GByteArray *bytes, size_t at)
{
	uint64_t value;

	memcpy(&value, bytes->data + at, sizeof(value));
	return GUINT64_FROM_LE(value);
}

static void put_syscall_vectors(struct recorder *r, uint64_t number, uint64_t base, uint64_t count)
{
	enum {
		SENDMSG = 211,
		RECVMSG = 212,
		MSGHDR = 56,
		MSG_IOV = 16,
		MSG_IOVLEN = 24,
		MOST = 1024
	};
	GByteArray *bytes = g_byte_array_new();

	if (number == SENDMSG || number == RECVMSG) {
		bool good = read_guest(base, bytes, MSGHDR);

		base = good ? number_at(bytes, MSG_IOV) : 0;
		count = good ? number_at(bytes, MSG_IOVLEN) : 0;
	} else if (!takes_vectors(number)) {
		count = 0;
	}
	if (count && count <= MOST && read_guest(base, bytes, count * 16))
		put_vectors(&r->stream, count, bytes->data);
	g_byte_array_free(bytes, TRUE);
}

static void put_syscall(struct recorder *r)
{
	uint64_t number = register_x(&r->registers, 8), arguments[6];

	put_value(&r->stream, TOKEN_ARGUMENT, number);
	for (unsigned i = 0; i < 6; i++) {
		arguments[i] = register_x(&r->registers, i);
		put_value(&r->stream, TOKEN_ARGUMENT, arguments[i]);
	}
	put_syscall_vectors(r, number, arguments[1], arguments[2]);
	r->in_syscall = true;
}

/* What the instruction is about to read. */
static void put_operands(struct recorder *r, const struct instruction *now)
{
	struct registers *registers = &r->registers;

	if (now->carries & CARRIES_SVC && r->el == 0)
		put_syscall(r);
	if (now->carries & CARRIES_MSR)
		put_value(&r->stream, TOKEN_MRS, register_operand(registers, now->opcode & 31));
	if (now->carries & CARRIES_DC)
		put_value(&r->stream, TOKEN_DC, register_operand(registers, now->opcode & 31));
	if (now->carries & CARRIES_TARGET)
		put_value(&r->stream, TOKEN_TARGET,
			  register_operand(registers, now->opcode >> 5 & 31));
	if (now->carries & CARRIES_ERET)
		put_value(&r->stream, TOKEN_TARGET, register_elr(registers));
}

/* What an atomic access is made of: which of it is stored is known when it has loaded. */
static void keep_operands(struct recorder *r, uint32_t opcode)
{
	unsigned rs = opcode >> 16 & 31, rt = opcode & 31;

	r->operands[0] = register_operand(&r->registers, rs);
	r->operands[1] = register_operand(&r->registers, rs < 31 ? rs + 1 : 31);
	r->operands[2] = register_operand(&r->registers, rt);
	r->operands[3] = register_operand(&r->registers, rt < 31 ? rt + 1 : 31);
}

static void put_opcode(struct recorder *r, const struct instruction *now)
{
	/* The PC at the beginning of a block, and wherever it is not the last one plus 4. */
	if (now->carries & IS_FIRST || r->with_pc || now->pc != r->last->pc + 4)
		put_instruction_at(&r->stream, r->el, now->pc, now->opcode);
	else
		put_instruction(&r->stream, r->el, now->opcode);
	r->with_pc = false;
	r->total++;
	r->user += r->el == 0;
}

static void executes(unsigned vcpu, void *arg)
{
	struct processor *p = processor(vcpu);
	const struct instruction *now = arg;
	struct recorder *r = p->recorder;

	if (!r)
		r = p->recorder = begin(vcpu);
	own = r;
	if (r->ended)
		return;
	/* The exception level is that of all of a block. */
	if (plugin.system && (now->carries & IS_FIRST || !r->last))
		r->el = register_el(&r->registers);
	if (r->last)
		put_results(r, r->last, now->pc);
	put_boundary(r);
	put_snapshot_if_due(r);
	put_opcode(r, now);
	put_operands(r, now);
	if (now->carries & IS_ATOMIC)
		keep_operands(r, now->opcode);
	r->last = now;
	r->last_el = r->el;
	r->timed = false;
	if (plugin.limit && r->total >= plugin.limit)
		end(r);
}

static unsigned value_of(qemu_plugin_meminfo_t info, uint8_t bytes[16])
{
	qemu_plugin_mem_value value = qemu_plugin_mem_get_value(info);
	uint64_t words[2] = { 0, 0 };
	unsigned shift = 0;

	switch (value.type) {
	case QEMU_PLUGIN_MEM_VALUE_U8:
		words[0] = value.data.u8;
		break;
	case QEMU_PLUGIN_MEM_VALUE_U16:
		words[0] = value.data.u16;
		shift = 1;
		break;
	case QEMU_PLUGIN_MEM_VALUE_U32:
		words[0] = value.data.u32;
		shift = 2;
		break;
	case QEMU_PLUGIN_MEM_VALUE_U64:
		words[0] = value.data.u64;
		shift = 3;
		break;
	case QEMU_PLUGIN_MEM_VALUE_U128:
		words[0] = value.data.u128.low;
		words[1] = value.data.u128.high;
		shift = 4;
		break;
	}
	words[0] = GUINT64_TO_LE(words[0]);
	words[1] = GUINT64_TO_LE(words[1]);
	memcpy(bytes, words, sizeof(words));
	return shift;
}

static void accesses(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *arg)
{
	struct processor *p = processor(vcpu);
	struct recorder *r = p->recorder;
	uint8_t bytes[16];
	unsigned shift;

	(void)arg;
	if (!p->on || !r || r->ended)
		return;
	if (plugin.time && !r->timed) {
		put_value(&r->stream, TOKEN_TIME,
			  __atomic_fetch_add(&plugin.order, 1, __ATOMIC_SEQ_CST));
		r->timed = true;
	}
	shift = value_of(info, bytes);
	if (r->last->carries & IS_ATOMIC && qemu_plugin_mem_is_store(info))
		atomic_stores(r->last->opcode, r->old, r->operands, bytes);
	else
		memcpy(r->old, bytes, sizeof(bytes));
	put_access(&r->stream, qemu_plugin_mem_is_store(info), shift, address, bytes);
}

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
	end(r);
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

static void starts(qemu_plugin_id_t id, unsigned vcpu)
{
	(void)id;
	qemu_plugin_u64_set(plugin.on, vcpu, !plugin.hints);
	processor(vcpu)->recorder = NULL;
}

static void exits(qemu_plugin_id_t id, unsigned vcpu)
{
	struct recorder *r = processor(vcpu)->recorder;

	(void)id;
	if (r)
		end(r);
}

static void finish(qemu_plugin_id_t id, void *arg)
{
	(void)id;
	(void)arg;
	for (struct recorder *r = plugin.recorders; r; r = r->next)
		end(r);
}

/* ---- translation ---- */

static guint hash_instruction(gconstpointer key)
{
	const struct instruction *i = key;

	return (guint)(i->pc >> 2) * 2654435761u ^ i->opcode ^ i->carries;
}

static gboolean same_instruction(gconstpointer a, gconstpointer b)
{
	const struct instruction *x = a, *y = b;

	return x->pc == y->pc && x->opcode == y->opcode && x->carries == y->carries;
}

/* Blocks are translated again and again: one copy of each instruction is kept. */
static struct instruction *intern(struct qemu_plugin_insn *insn, bool first)
{
	struct instruction key = { .pc = qemu_plugin_insn_vaddr(insn) }, *kept;

	qemu_plugin_insn_data(insn, &key.opcode, sizeof(key.opcode));
	key.opcode = GUINT32_FROM_LE(key.opcode);
	key.carries = a64_carries(key.opcode) | (first ? IS_FIRST : 0);
	g_mutex_lock(&plugin.lock);
	kept = g_hash_table_lookup(plugin.instructions, &key);
	if (!kept) {
		kept = g_new(struct instruction, 1);
		*kept = key;
		g_hash_table_add(plugin.instructions, kept);
	}
	g_mutex_unlock(&plugin.lock);
	return kept;
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
	return g_ascii_string_to_unsigned(value, 10, 1, G_MAXUINT64, to, NULL);
}

static bool parse_argument(const char *argument)
{
	const char *equals = strchr(argument, '=');
	char *name;
	bool good = false;

	if (!equals)
		return false;
	name = g_strndup(argument, (gsize)(equals - argument));
	equals++;
	if (!strcmp(name, "out")) {
		g_free(plugin.folder);
		plugin.folder = g_strdup(equals);
		good = *equals;
	} else if (!strcmp(name, "from")) {
		good = parse_switch(equals, "hint", "start", &plugin.hints);
	} else if (!strcmp(name, "stream")) {
		good = parse_switch(equals, "core", "thread", &plugin.core);
	} else if (!strcmp(name, "division")) {
		good = parse_switch(equals, "total", "user", &plugin.by_total);
	} else if (!strcmp(name, "time")) {
		good = parse_switch(equals, "on", "off", &plugin.time);
	} else if (!strcmp(name, "interval")) {
		good = parse_number(equals, &plugin.interval);
	} else if (!strcmp(name, "limit")) {
		good = parse_number(equals, &plugin.limit);
	} else if (!strcmp(name, "stamp")) {
		good = parse_number(equals, &plugin.stamp);
	}
	g_free(name);
	return good;
}

/* "The time at which collection of the trace started". */
static uint64_t stamp_of_now(void)
{
	GDateTime *now = g_date_time_new_now_utc();
	char *text = g_date_time_format(now, "%Y%m%d%H%M%S");
	uint64_t stamp = g_ascii_strtoull(text, NULL, 10);

	g_free(text);
	g_date_time_unref(now);
	return stamp;
}

QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
					   char **argv)
{
	if (strcmp(info->target_name, "aarch64")) {
		say("QEMU emulates %s here: only aarch64 can be recorded", info->target_name);
		return -1;
	}
	plugin.folder = g_strdup(".");
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
	plugin.instructions = g_hash_table_new(hash_instruction, same_instruction);
	plugin.processors = qemu_plugin_scoreboard_new(sizeof(struct processor));
	plugin.on = qemu_plugin_scoreboard_u64_in_struct(plugin.processors, struct processor, on);
	qemu_plugin_register_vcpu_init_cb(id, starts);
	qemu_plugin_register_vcpu_exit_cb(id, exits);
	qemu_plugin_register_vcpu_tb_trans_cb(id, translates);
	qemu_plugin_register_atexit_cb(id, finish, NULL);
	if (!plugin.system) {
		qemu_plugin_register_vcpu_syscall_cb(id, calls);
		pthread_atfork(before_fork, after_fork, after_fork_in_child);
	}
	return 0;
}
