/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tokens of an instruction. What it has read (arguments, addresses, targets) is written before
 * it is executed, what it has written (status, MRS, flags) when the next one comes.
 */
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "a64.h"
#include "atomics.h"
#include "recorder.h"

static bool read_guest(uint64_t address, GByteArray *bytes, size_t size)
{
	g_byte_array_set_size(bytes, 0);
	return qemu_plugin_read_memory_vaddr(address, bytes, size) && bytes->len >= size;
}

static void put_time(struct recorder *r)
{
	if (plugin.time && !r->timed)
		put_value(&r->stream, TOKEN_TIME,
			  __atomic_fetch_add(plugin.order, 1, __ATOMIC_SEQ_CST));
	r->timed = true;
}

/*
 * LD1, ST1 of a slice of ZA. QEMU's user mode ends at such an instruction if it has to tell of its
 * accesses (10.0: "code should not be reached"), so that they are taken from memory behind it.
 */
static void put_tile(struct recorder *r, uint32_t opcode)
{
	unsigned shift = opcode >> 24 & 1 ? 4 : opcode >> 22 & 3, size = 1u << shift;
	GByteArray *bytes = g_byte_array_new();
	uint8_t active[MAX_PREDICATE_BYTES];

	register_predicate(&r->registers, opcode >> 10 & 7, active);
	for (unsigned at = 0; at < MAX_VECTOR_BYTES; at += size) {
		if (!(active[at / 8] >> at % 8 & 1) || !read_guest(r->tile + at, bytes, size))
			continue;
		put_time(r);
		put_access(&r->stream, opcode >> 21 & 1, shift, r->tile + at, bytes->data);
	}
	g_byte_array_free(bytes, true);
}

/* What the last instruction has written, unless it faulted: then another follows it. */
void put_results(struct recorder *r, const struct instruction *last, uint64_t pc)
{
	struct registers *registers = &r->registers;

	if (last->carries & CARRIES_NEXT)
		put_value(&r->stream, TOKEN_TARGET, pc);
	if (pc != last->pc + 4 || r->el != r->last_el)
		return;
	if (last->carries & IS_TILE && !plugin.system)
		put_tile(r, last->opcode);
	if (last->carries & CARRIES_STATUS)
		put_value(&r->stream, TOKEN_STATUS,
			  register_operand(registers, last->opcode >> 16 & 31));
	if (last->carries & CARRIES_MRS)
		put_value(&r->stream, TOKEN_MRS, register_operand(registers, last->opcode & 31));
	if (last->carries & CARRIES_FLAGS)
		put_value(&r->stream, TOKEN_FLAGS, register_flags(registers));
}

/* What belongs between two instructions. */
void put_boundary(struct recorder *r)
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

/* The records of a file have one length: that of the vectors when it begins. */
static void keep_length(struct recorder *r)
{
	if (!r->stream.snapshot_count)
		r->stream.vector_bytes = r->snapshot.vector_bytes;
	if (r->snapshot.vector_bytes != r->stream.vector_bytes &&
	    !__atomic_exchange_n(&plugin.told_length, true, __ATOMIC_RELAXED))
		say("the length of vectors changes; snapshots have them at the first one");
	r->snapshot.vector_bytes = r->stream.vector_bytes;
}

/*
 * Snapshot 0 is that of the beginning, wherever this is; the others come before a user instruction.
 */
static void put_snapshot_if_due(struct recorder *r)
{
	uint64_t count = plugin.by_total ? r->total : r->user;

	if (r->total && (count < r->next_snapshot || (!plugin.by_total && r->el)))
		return;
	registers_snapshot(&r->registers, &r->snapshot, !plugin.system);
	keep_length(r);
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

static uint64_t number_at(const GByteArray *bytes, size_t at)
{
	uint64_t value;

	memcpy(&value, bytes->data + at, sizeof(value));
	return le64toh(value);
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
	g_byte_array_free(bytes, true);
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
		put_value(&r->stream, TOKEN_TARGET, register_elr(registers, r->el));
}

static void keep_tile(struct recorder *r, uint32_t opcode)
{
	unsigned shift = opcode >> 24 & 1 ? 4 : opcode >> 22 & 3;

	r->tile = register_x(&r->registers, opcode >> 5 & 31) +
		  (register_operand(&r->registers, opcode >> 16 & 31) << shift);
}

/* Nothing that a reader of the trace could see says so. */
static void say_sme(void)
{
	if (__atomic_exchange_n(&plugin.told_sme, true, __ATOMIC_RELAXED))
		return;
	say("this program uses SME, of which QEMU tells plugins nothing: ZA and ZT0 are zero in "
	    "snapshots, and vector registers of streaming mode are those that QEMU's SVE has room "
	    "for");
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

void executes(unsigned vcpu, void *arg)
{
	struct processor *p = processor(vcpu);
	const struct instruction *now = arg;
	struct recorder *r = p->recorder;

	if (!r)
		r = p->recorder = recorder_begin(vcpu);
	recorder_executes(r);
	if (r->ended)
		return;
	/* The exception level is that of all of a block. */
	if (plugin.system && (now->carries & IS_FIRST || !r->last))
		r->el = register_el(&r->registers);
	if (r->last)
		put_results(r, r->last, now->pc);
	recorder_leave_turn(r);
	put_boundary(r);
	put_snapshot_if_due(r);
	put_opcode(r, now);
	put_operands(r, now);
	if (now->carries & IS_ATOMIC)
		keep_operands(r, now->opcode);
	if (now->carries & IS_TILE)
		keep_tile(r, now->opcode);
	if (now->carries & IS_SME && !plugin.told_sme)
		say_sme();
	r->last = now;
	r->last_el = r->el;
	r->timed = false;
	if (plugin.limit && r->total >= plugin.limit)
		recorder_end(r);
	else if (plugin.time && now->carries & IS_ACCESS)
		recorder_take_turn(r);
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
	words[0] = htole64(words[0]);
	words[1] = htole64(words[1]);
	memcpy(bytes, words, sizeof(words));
	return shift;
}

static void loads(struct recorder *r, const uint8_t bytes[16])
{
	if (r->last->carries & IS_LOAD_EXCLUSIVE) {
		memcpy(r->reservation, bytes, sizeof(r->reservation));
		r->reserved = true;
	} else {
		memcpy(r->old, bytes, sizeof(r->old));
	}
}

/*
 * QEMU tells of a compare-and-swap what it would have stored. False: it has stored nothing. A store
 * exclusive is one in QEMU: it loads what is there, and stores if that is what the load exclusive
 * has found.
 */
static bool stores(struct recorder *r, size_t size, uint8_t bytes[16])
{
	if (r->last->carries & CARRIES_STATUS)
		return !r->reserved || !memcmp(r->old, r->reservation, size);
	if (r->last->carries & IS_ATOMIC)
		atomic_stores(r->last->opcode, r->old, r->operands, bytes);
	return true;
}

void accesses(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *arg)
{
	struct processor *p = processor(vcpu);
	struct recorder *r = p->recorder;
	uint8_t bytes[16];
	unsigned shift;

	(void)arg;
	if (!p->on || !r || r->ended)
		return;
	put_time(r);
	recorder_leave_turn(r);
	shift = value_of(info, bytes);
	if (!qemu_plugin_mem_is_store(info))
		loads(r, bytes);
	else if (!stores(r, (size_t)1 << shift, bytes))
		return;
	put_access(&r->stream, qemu_plugin_mem_is_store(info), shift, address, bytes);
}
