/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A thread's recorder. QEMU translates one instruction at a time here, so that all registers are in
 * memory when an instruction begins. What an instruction reads is written before it is executed,
 * what it has written when the next one begins.
 */
#include "recorder.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "../execute.h"
#include "a64.h"
#include "atomics.h"
#include "state.h"
#include "sve.h"
#include "tell.h"

enum { FOLDER_BYTES = 3072, MMAP = 222 };

struct recorder {
	struct stream stream;
	struct snapshot snapshot;
	const struct instruction *last;
	uint64_t total, next_snapshot;
	bool ended, in_syscall;
	bool accessed;              /* the last instruction has an access in the stream, or held */
	bool has_turn;              /* of several threads with TIME, it alone executes */
	struct access held;         /* of an atomic or exclusive instruction; shift 0xff: none */
	uint64_t operands[4];       /* of an atomic one: Rs, Rs + 1, Rt, Rt + 1 */
	uint8_t old[16];            /* what was at its address before */
	struct sve_access elements; /* of an access of SVE */
	struct recorder *next;
};

enum { NOTHING_HELD = 0xff };

static struct {
	char folder[FOLDER_BYTES];
	uint64_t bias, snapshot_every;
	unsigned threads; /* of this process, so far */
	unsigned image;   /* number of the first stream of the program that it executes */
	pthread_mutex_t lock;
	struct recorder *recorders;
	/* TIME: the thread that has the turn executes an instruction, and counts its accesses. */
	bool timed;
	pthread_mutex_t turn;
	uint64_t time, turns;
} process = { .lock = PTHREAD_MUTEX_INITIALIZER, .turn = PTHREAD_MUTEX_INITIALIZER };

static __thread struct recorder *own __attribute__((tls_model("initial-exec")));
static __thread bool maps_change; /* the thread's system call maps a file of code */

void recorder_set_bias(uint64_t bias)
{
	process.bias = bias;
}

uint64_t recorder_bias(void)
{
	return process.bias;
}

static struct image this_image(void)
{
	return (struct image){
		.folder = process.folder,
		.number = process.image,
		.program = execute_program(),
		.bias = process.bias,
	};
}

static void tell_our_maps(void)
{
	const struct image image = this_image();

	tell_maps(&image);
}

/* Of any address that the program has; zeros where nothing is mapped. */
static bool read_guest(uint64_t address, void *to, size_t size)
{
	const struct iovec here = { to, size };
	const struct iovec there = { (void *)(uintptr_t)(address + process.bias), size };

	memset(to, 0, size);
	return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == (ssize_t)size;
}

/* Memory that was accessed just now. */
static void read_accessed(const struct access *access, uint8_t bytes[16])
{
	memcpy(bytes, (const void *)(uintptr_t)(access->address + process.bias),
	       (size_t)1 << access->shift);
}

/* ---- the order of threads ---- */

static void leave_turn(struct recorder *r)
{
	if (r->has_turn)
		pthread_mutex_unlock(&process.turn);
	r->has_turn = false;
}

static bool wait_for_turn(void)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec++;
	return !pthread_mutex_clocklock(&process.turn, CLOCK_MONOTONIC, &until);
}

/*
 * QEMU stops all threads for what one has to do alone, and would wait for ever for those that wait
 * here if that one had the turn: when nobody has had a turn for a second they go on without, and
 * the order may be wrong there.
 */
static void take_turn(struct recorder *r)
{
	static bool told;
	uint64_t turns;

	if (!process.timed || r->has_turn)
		return;
	r->has_turn = !pthread_mutex_trylock(&process.turn);
	do {
		turns = __atomic_load_n(&process.turns, __ATOMIC_RELAXED);
		r->has_turn = r->has_turn || wait_for_turn();
	} while (!r->has_turn && turns != __atomic_load_n(&process.turns, __ATOMIC_RELAXED));
	__atomic_add_fetch(&process.turns, 1, __ATOMIC_RELAXED);
	if (r->has_turn || __atomic_exchange_n(&told, true, __ATOMIC_RELAXED))
		return;
	fprintf(stderr, "tracelathe-emulate: a thread waited too long for its turn; the order of "
			"accesses (TIME) may be wrong there\n");
}

/* Before the first access of an instruction. */
static void put_time(struct recorder *r)
{
	if (process.timed)
		put_value(&r->stream, TOKEN_TIME,
			  __atomic_add_fetch(&process.time, 1, __ATOMIC_RELAXED));
}

/* ---- beginning and end ---- */

/* The process may have executed another program before, whose files are there. */
static void open_files(struct recorder *r)
{
	const struct header header = { .core = false, .time = process.timed, .by_total = false };
	char name[FOLDER_BYTES + 64];

	do {
		snprintf(name, sizeof(name), "%s/xtrace.%d.%u.hint9.", process.folder,
			 (int)getpid(), process.threads++);
		if (stream_open(&r->stream, name, &header))
			return;
	} while (errno == EEXIST);
	fprintf(stderr, "tracelathe-emulate: %s: %s\n", name, strerror(errno));
	_exit(EXIT_FAILURE);
}

static struct recorder *begin(void)
{
	struct recorder *r = calloc(1, sizeof(*r));

	if (!r)
		abort();
	r->held.shift = NOTHING_HELD;
	pthread_mutex_lock(&process.lock);
	open_files(r);
	if (!process.recorders) {
		process.image = process.threads - 1;
		tell_our_maps();
	}
	r->next = process.recorders;
	process.recorders = r;
	pthread_mutex_unlock(&process.lock);
	return own = r;
}

static void end(struct recorder *r)
{
	leave_turn(r);
	if (r->ended)
		return;
	r->ended = true;
	if (!stream_close(&r->stream))
		fprintf(stderr, "tracelathe-emulate: a stream could not be written whole\n");
}

void recorder_end(void)
{
	if (own)
		end(own);
}

void recorder_end_all(void)
{
	const struct image image = this_image();

	tell_maps(&image);
	tell_end(&image);
	for (struct recorder *r = process.recorders; r; r = r->next)
		end(r);
}

void recorder_system_call(int64_t number, bool maps_code)
{
	const int kept = errno;

	if (own)
		leave_turn(own);
	if (own && !own->ended)
		stream_flush(&own->stream);
	maps_change = number == MMAP && maps_code;
	errno = kept;
}

void recorder_system_result(void)
{
	if (maps_change)
		tell_our_maps();
	maps_change = false;
}

/* ---- other programs ---- */

static void flush_all(void)
{
	for (struct recorder *r = process.recorders; r; r = r->next)
		if (!r->ended)
			stream_flush(&r->stream);
}

/* All threads of the process end with its program. */
void recorder_leave(const char *path)
{
	const struct image image = this_image();

	recorder_end();
	pthread_mutex_lock(&process.lock);
	flush_all();
	pthread_mutex_unlock(&process.lock);
	if (path)
		tell_left(&image, path);
	else
		tell_end(&image);
}

void recorder_stay(void)
{
	const struct image image = this_image();

	tell_stayed(&image);
	if (own && own->ended)
		own = NULL;
}

/* ---- other processes ---- */

/* Nothing stays in buffers, which both processes would write. */
static void before_fork(void)
{
	pthread_mutex_lock(&process.lock);
	flush_all();
}

static void in_parent(void)
{
	pthread_mutex_unlock(&process.lock);
}

/* Only the thread that forked is there; its stream begins anew, behind the system call. */
static void in_child(void)
{
	for (struct recorder *r = process.recorders; r; r = r->next)
		end(r);
	process.recorders = NULL;
	process.threads = process.image = 0;
	own = NULL;
	pthread_mutex_init(&process.lock, NULL);
	pthread_mutex_init(&process.turn, NULL);
}

void recorder_begin(const char *folder, uint64_t snapshot_every, bool timed)
{
	process.snapshot_every = snapshot_every;
	process.timed = timed;
	snprintf(process.folder, sizeof(process.folder), "%s", folder);
	execute_learn();
	pthread_atfork(before_fork, in_parent, in_child);
}

/* ---- what the last instruction has written ---- */

/*
 * An atomic operation tells its access once, when both are done: what it has loaded is in its
 * register then, or (a store without a result) was read before. The value of an exclusive store
 * and its time count only if it was stored.
 */
static void put_held(struct recorder *r, const struct guest *guest)
{
	const struct access *held = &r->held;
	const uint32_t opcode = r->last->opcode;
	uint8_t bytes[16] = { 0 };

	read_accessed(held, bytes);
	if (r->last->carries & IS_ATOMIC) {
		/* CAS has what it loaded in Rs, all others in Rt. */
		const bool is_compare = (opcode & 0x3f207c00) == 0x08207c00;
		const unsigned to = is_compare ? opcode >> 16 & 31 : opcode & 31;
		const uint64_t loaded[2] = { state_operand(guest, to),
					     state_operand(guest, to < 31 ? to + 1 : 31) };
		const size_t half = (size_t)1 << (held->shift - (held->shift > 0));
		const bool is_pair = (opcode & 0xbfa07c00) == 0x08207c00;

		if (to != 31 && is_pair) {
			memcpy(r->old, &loaded[0], half);
			memcpy(r->old + half, &loaded[1], half);
		} else if (to != 31) {
			memcpy(r->old, &loaded[0], (size_t)1 << held->shift);
		}
		put_time(r);
		put_access(&r->stream, false, held->shift, held->address, r->old);
		atomic_stores(opcode, r->old, r->operands, bytes);
	} else if (state_operand(guest, opcode >> 16 & 31)) {
		return;
	} else {
		put_time(r);
	}
	put_access(&r->stream, true, held->shift, held->address, bytes);
}

/* A load leaves memory as it is: elements are read when they have been loaded or stored. */
static void put_elements(struct recorder *r, const struct guest *guest)
{
	struct sve_access *elements = &r->elements;
	uint8_t bytes[16];

	sve_cut_at_fault(guest, elements);
	if (elements->count)
		put_time(r);
	for (unsigned i = 0; i < elements->count; i++) {
		const struct access access = { .address = elements->addresses[i],
					       .shift = elements->shift };

		read_accessed(&access, bytes);
		put_access(&r->stream, elements->writes, access.shift, access.address, bytes);
	}
}

static void put_results(struct recorder *r, uint64_t pc, const struct guest *guest)
{
	const struct instruction *last = r->last;

	if (r->held.shift != NOTHING_HELD)
		put_held(r, guest);
	r->held.shift = NOTHING_HELD;
	if (last->carries & CARRIES_NEXT)
		put_value(&r->stream, TOKEN_TARGET, pc);
	if (r->in_syscall)
		put_value(&r->stream, TOKEN_RESULT, state_x(guest, 0));
	r->in_syscall = false;
	/* Elsewhere it was interrupted. */
	if (pc != last->pc + 4)
		return;
	if (last->is_sve)
		put_elements(r, guest);
	if (last->carries & CARRIES_STATUS)
		put_value(&r->stream, TOKEN_STATUS, state_operand(guest, last->opcode >> 16 & 31));
	if (last->carries & CARRIES_MRS)
		put_value(&r->stream, TOKEN_MRS, state_operand(guest, last->opcode & 31));
	if (last->carries & CARRIES_FLAGS)
		put_value(&r->stream, TOKEN_FLAGS, state_flags(guest));
}

/* ---- what an instruction is about to read ---- */

/* readv, writev, preadv, pwritev, preadv2, pwritev2 */
static bool takes_vectors(uint64_t number)
{
	return number == 65 || number == 66 || number == 69 || number == 70 || number == 286 ||
	       number == 287;
}

static void put_vectors_of(struct recorder *r, uint64_t number, uint64_t base, uint64_t count)
{
	enum { SENDMSG = 211, RECVMSG = 212, IOV = 2, IOVLEN = 3, MOST = 64 };
	uint64_t message[7], vectors[2 * MOST];

	if (number == SENDMSG || number == RECVMSG) {
		if (!read_guest(base, message, sizeof(message)))
			return;
		base = message[IOV];
		count = message[IOVLEN];
	} else if (!takes_vectors(number)) {
		return;
	}
	if (count && count <= MOST && read_guest(base, vectors, count * 16))
		put_vectors(&r->stream, count, vectors);
}

static void put_syscall(struct recorder *r, const struct guest *guest)
{
	const uint64_t number = state_x(guest, 8);

	put_value(&r->stream, TOKEN_ARGUMENT, number);
	for (unsigned i = 0; i < 6; i++)
		put_value(&r->stream, TOKEN_ARGUMENT, state_x(guest, i));
	put_vectors_of(r, number, state_x(guest, 1), state_x(guest, 2));
	r->in_syscall = true;
}

static void keep_operands(struct recorder *r, uint32_t opcode, const struct guest *guest)
{
	const unsigned rs = opcode >> 16 & 31, rt = opcode & 31, rn = opcode >> 5 & 31;

	r->operands[0] = state_operand(guest, rs);
	r->operands[1] = state_operand(guest, rs < 31 ? rs + 1 : 31);
	r->operands[2] = state_operand(guest, rt);
	r->operands[3] = state_operand(guest, rt < 31 ? rt + 1 : 31);
	if (rt == 31)
		read_guest(state_x(guest, rn), r->old, 1u << (opcode >> 30));
}

static void tell_matrix_once(void)
{
	const struct image image = this_image();
	static bool told;

	if (!__atomic_exchange_n(&told, true, __ATOMIC_RELAXED))
		tell_matrix(&image);
}

static void put_operands(struct recorder *r, const struct instruction *now,
			 const struct guest *guest)
{
	if (now->carries & CARRIES_SVC)
		put_syscall(r, guest);
	if (now->carries & CARRIES_MSR)
		put_value(&r->stream, TOKEN_MRS, state_operand(guest, now->opcode & 31));
	if (now->carries & CARRIES_DC)
		put_value(&r->stream, TOKEN_DC, state_operand(guest, now->opcode & 31));
	if (now->carries & CARRIES_TARGET)
		put_value(&r->stream, TOKEN_TARGET, state_operand(guest, now->opcode >> 5 & 31));
	if (now->carries & IS_ATOMIC)
		keep_operands(r, now->opcode, guest);
	if (now->is_sve)
		sve_compute(now->opcode, guest, &r->elements);
	if (now->is_matrix)
		tell_matrix_once();
}

/* ---- an instruction ---- */

/*
 * QEMU begins an instruction again that it could not finish: one whose store was into a page of
 * code, one that is atomic and has to be done alone, a system call that a signal held up (the end
 * of a handler, too). Nothing else than a branch leads to itself.
 */
static bool begins_again(const struct recorder *r, const struct instruction *now)
{
	return r->last && r->last->pc == now->pc && !r->accessed &&
	       (!now->leaves_block || now->carries & CARRIES_SVC);
}

static bool put_snapshot_if_due(struct recorder *r, const struct guest *guest)
{
	if (r->total < r->next_snapshot)
		return false;
	state_snapshot(guest, &r->snapshot);
	r->snapshot.user = r->snapshot.total = r->total;
	put_snapshot(&r->stream, &r->snapshot);
	r->next_snapshot = r->total + process.snapshot_every;
	return true;
}

void recorder_execute(const struct instruction *now, const struct guest *guest)
{
	struct recorder *r = own ? own : begin();
	bool with_pc = !r->last || r->last->leaves_block || now->pc != r->last->pc + 4;

	if (!r->ended && begins_again(r, now)) {
		take_turn(r);
		return;
	}
	if (r->ended)
		return;
	if (r->last)
		put_results(r, now->pc, guest);
	leave_turn(r);
	take_turn(r);
	with_pc |= put_snapshot_if_due(r, guest);
	if (with_pc)
		put_instruction_at(&r->stream, 0, now->pc, now->opcode);
	else
		put_instruction(&r->stream, 0, now->opcode);
	put_operands(r, now, guest);
	r->total++;
	r->last = now;
	r->accessed = false;
}

/*
 * With one thread QEMU tells a load and a store of an atomic operation, and means the same; a pair
 * of registers is stored by halves.
 */
static void hold(struct access *held, const struct access *access)
{
	if (held->shift == access->shift &&
	    access->address == held->address + (UINT64_C(1) << held->shift))
		held->shift++;
	else
		*held = *access;
}

void recorder_access(const struct access *access)
{
	struct recorder *r = own;
	uint8_t bytes[16];

	/* Of a first-fault gather the first element is told, and computed. */
	if (!r || r->ended || !r->last || r->last->is_sve)
		return;
	if (r->last->carries & (IS_ATOMIC | CARRIES_STATUS)) {
		if (access->writes)
			hold(&r->held, access);
		r->accessed = true;
		return;
	}
	if (!r->accessed)
		put_time(r);
	r->accessed = true;
	read_accessed(access, bytes);
	put_access(&r->stream, access->writes, access->shift, access->address, bytes);
}
