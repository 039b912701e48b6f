/* SPDX-License-Identifier: Apache-2.0 */
/* Loads find what was stored (section 5), except what the kernel wrote and where the trace says
 * so. */
#include <string.h>

#include "core/memory.h"
#include "xtrace/check/check.h"

/* Linux: <asm-generic/unistd.h>, <linux/sched.h>. */
enum {
	SET_TID_ADDRESS = 96,
	CLONE = 220,
	CLONE3 = 435,
	CLEAR_THREAD_ID = 0x200000, /* CLONE_CHILD_CLEARTID */
	SHARED_MEMORY = 0x100,      /* CLONE_VM */
	MUNMAP = 215,
	MMAP = 222,
	MAP_SHARED = 1, /* also a bit of MAP_SHARED_VALIDATE */
	MOST_SHARED = 256,
	CLONE3_CHILD_TID = 16, /* offset in struct clone_args */
	MOST_THREAD_IDS = 1024,
};

/* The upper half of the addresses is the same in all address spaces. */
static unsigned space_of(const struct tl_xtrace_check_stream *s, uint64_t address)
{
	return address >> 63 ? 0 : s->program.space;
}

/*
 * "CLONE_CHILD_CLEARTID: clear (zero) the child thread ID at the location pointed to by child_tid
 * in child memory when the child exits" (clone(2)): others find it so. It is an int.
 */
static bool is_of_ended_thread(const struct tl_xtrace_check_memory *m, uint64_t address,
			       const uint8_t *data, size_t size)
{
	for (size_t i = 0; i < m->thread_id_count; i++)
		if (m->thread_ids[i] == address)
			return size == 4 && !tl_get32s(data, TL_HOST_BIG_ENDIAN);
	return false;
}

/*
 * One stream of several: TIME orders accesses among those of other threads, and numbers are counted
 * from 0. `ordered`: all streams of the group have TIME.
 */
void tl_xtrace_check_memory_begin(struct tl_xtrace_check_stream *s, uint32_t streams, bool ordered)
{
	const struct tl_xtrace_stream_info *info = &s->stream->info;
	struct tl_xtrace_check_unseen *unseen = &s->memory->unseen;
	const bool of_several = s->content.timed || info->hint == 13 || (info->hint && info->id);

	unseen->streams = streams;
	unseen->possible = streams > 1 ? !ordered : of_several;
}

void tl_xtrace_check_memory_end(const struct tl_xtrace_check_memory *memory)
{
	if (memory->unseen.loads)
		tl_xtrace_report_unseen(&memory->unseen);
}

/*
 * "Updates to the mapping are visible to other processes mapping the same region, and (in the case
 * of file-backed mappings) are carried through to the underlying file" (mmap(2)). So are theirs,
 * and those of other mappings and of write().
 */
static bool is_shared(const struct tl_xtrace_check_memory *m, uint64_t address)
{
	for (size_t i = 0; i < m->shared_count; i++)
		if (address - m->shared[i].address < m->shared[i].size)
			return true;
	return false;
}

/* Ranges that begin in one that is mapped anew, or no longer, are not shared any more. */
static void drop_shared(struct tl_xtrace_check_memory *m, uint64_t address, uint64_t size)
{
	size_t kept = 0;

	for (size_t i = 0; i < m->shared_count; i++)
		if (m->shared[i].address - address >= size)
			m->shared[kept++] = m->shared[i];
	m->shared_count = kept;
}

/* More mappings than are noted: the oldest is held to what is stored there. */
static void note_shared(struct tl_xtrace_check_stream *s, uint64_t address, uint64_t size)
{
	struct tl_xtrace_check_memory *m = s->memory;

	if (m->shared_count == MOST_SHARED) {
		memmove(m->shared, m->shared + 1, (MOST_SHARED - 1) * sizeof(*m->shared));
		m->shared_count--;
	}
	if (tl_grow(&m->shared, &m->shared_capacity, m->shared_count + 1, sizeof(*m->shared)))
		m->shared[m->shared_count++] = (struct tl_xtrace_written_range){ address, size };
	else
		tl_xtrace_check_no_memory(s);
}

static void find_shared(struct tl_xtrace_check_stream *s, const uint64_t *args, uint64_t result)
{
	if (result > UINT64_MAX - 4095)
		return;
	if (args[0] == MUNMAP)
		drop_shared(s->memory, args[1], args[2]);
	if (args[0] != MMAP)
		return;
	drop_shared(s->memory, result, args[2]);
	if (args[4] & MAP_SHARED)
		note_shared(s, result, args[2]);
}

/* A load that differs. */
static void report_load(struct tl_xtrace_check_stream *s)
{
	struct tl_xtrace_check_unseen *unseen = &s->memory->unseen;
	const uint64_t offset = tl_xtrace_walk_offset(&s->walk);

	if (s->check->trace->options.strict ||
	    !(unseen->possible || unseen->made >= unseen->streams)) {
		tl_xtrace_report_insn(s, TL_XTRACE_RULE_MEMORY_VALUE, offset);
		return;
	}
	if (unseen->loads++)
		return;
	unseen->stream = s;
	unseen->offset = offset;
	unseen->record = s->last.ordinal;
	unseen->pc = s->last.pc_known ? s->last.pc : TL_NOWHERE;
}

void tl_xtrace_check_access(struct tl_xtrace_check_stream *s, enum tl_xtrace_kind kind)
{
	uint64_t address = tl_xtrace_walk_value(&s->walk);
	const uint8_t *data = s->walk.token + 9;
	size_t size = tl_xtrace_access_size(*s->walk.token);
	struct tl_xtrace_shadow *shadow = &s->memory->shadow;
	enum tl_xtrace_shadow_result found;

	if (kind == TL_XTRACE_STORE) {
		if (!tl_xtrace_shadow_store(shadow, space_of(s, address), address, data, size))
			tl_xtrace_check_no_memory(s);
		return;
	}
	found = tl_xtrace_shadow_load(shadow, space_of(s, address), address, data, size);
	/* In a handler whose SP is not known yet it may be of the frame that the kernel made. */
	if (found == TL_XTRACE_SHADOW_DISAGREES && !s->signals.probes_sp &&
	    !is_shared(s->memory, address) && !is_of_ended_thread(s->memory, address, data, size) &&
	    !(s->content.kernel && tl_xtrace_shadow_has_twin(shadow, address, data, size)))
		report_load(s);
	else if (found == TL_XTRACE_SHADOW_NO_MEMORY)
		tl_xtrace_check_no_memory(s);
}

/* "DC ZVA zeroes a block with no STORE token (4 << DCZID.BS bytes, 64 in QEMU)". */
void tl_xtrace_check_zero(struct tl_xtrace_check_stream *s, uint64_t address)
{
	static const uint8_t zeros[64];

	address -= address % s->program.zero_block;
	for (uint32_t done = 0; done < s->program.zero_block; done += (uint32_t)sizeof(zeros)) {
		size_t size = s->program.zero_block < sizeof(zeros) ? s->program.zero_block
								    : sizeof(zeros);

		if (!tl_xtrace_shadow_store(&s->memory->shadow, space_of(s, address),
					    address + done, zeros, size)) {
			tl_xtrace_check_no_memory(s);
			return;
		}
	}
}

/* Bytes that the call may have written are unknown from here on. */
static void forget_written(struct tl_xtrace_check_stream *s, const uint64_t *args, uint64_t result)
{
	struct tl_xtrace_written_range written[TL_XTRACE_MOST_WRITTEN];
	bool everything;
	unsigned count = tl_xtrace_syscall_writes(args, result, written, &everything);

	for (unsigned i = 0; i < count; i++)
		tl_xtrace_shadow_forget(&s->memory->shadow, space_of(s, written[i].address),
					written[i].address, written[i].size);
	if (everything)
		tl_xtrace_shadow_forget_all(&s->memory->shadow, s->program.space);
}

void tl_xtrace_check_forget_all(struct tl_xtrace_check_stream *s)
{
	tl_xtrace_shadow_forget_all(&s->memory->shadow, s->program.space);
}

void tl_xtrace_check_forget(struct tl_xtrace_check_stream *s, uint64_t address, uint64_t size)
{
	tl_xtrace_shadow_forget(&s->memory->shadow, space_of(s, address), address, size);
}

/* The places that iovecs name: read into, or only written from. */
static void forget_vectors(struct tl_xtrace_check_stream *s)
{
	const struct tl_xtrace_check_insn *i = &s->last;

	/* Counts of a file are bounded by its bytes, but one call may not cost more than Linux
	 * allows: IOV_MAX. */
	for (uint64_t n = 0; n < i->iovec_count && n < 1024; n++) {
		const uint8_t *p = i->iovecs + n * TL_XTRACE_IOVEC_BYTES;
		uint64_t base = tl_get64s(p, TL_HOST_BIG_ENDIAN);

		tl_xtrace_shadow_forget(&s->memory->shadow, space_of(s, base), base,
					tl_get64s(p + 8, TL_HOST_BIG_ENDIAN));
	}
}

static void note_thread_id(struct tl_xtrace_check_stream *s, uint64_t address)
{
	struct tl_xtrace_check_memory *m = s->memory;

	for (size_t i = 0; i < m->thread_id_count; i++)
		if (m->thread_ids[i] == address)
			return;
	/* Many threads, and their stacks, come one after the other: the oldest is of no use. */
	if (m->thread_id_count == MOST_THREAD_IDS) {
		memmove(m->thread_ids, m->thread_ids + 1,
			(MOST_THREAD_IDS - 1) * sizeof(*m->thread_ids));
		m->thread_ids[MOST_THREAD_IDS - 1] = address;
	} else if (tl_grow(&m->thread_ids, &m->thread_id_capacity, m->thread_id_count + 1,
			   sizeof(*m->thread_ids))) {
		m->thread_ids[m->thread_id_count++] = address;
	} else {
		tl_xtrace_check_no_memory(s);
	}
}

/* The place of clone's argument, of the member `child_tid` of clone3's structure, or of
 * set_tid_address. */
static void find_thread_id(struct tl_xtrace_check_stream *s, const uint64_t *args)
{
	uint64_t flags, place;

	if (args[0] == SET_TID_ADDRESS)
		note_thread_id(s, args[1]);
	if (args[0] == CLONE && args[1] & CLEAR_THREAD_ID)
		note_thread_id(s, args[5]);
	s->memory->unseen.made += args[0] == CLONE && args[1] & SHARED_MEMORY;
	if (args[0] != CLONE3 ||
	    !tl_xtrace_shadow_number_at(&s->memory->shadow, space_of(s, args[1]), args[1], &flags))
		return;
	s->memory->unseen.made += !!(flags & SHARED_MEMORY);
	if (tl_xtrace_shadow_number_at(&s->memory->shadow, space_of(s, args[1]),
				       args[1] + CLONE3_CHILD_TID, &place) &&
	    flags & CLEAR_THREAD_ID)
		note_thread_id(s, place);
}

enum { READV = 65, PREADV = 69, RECVMSG = 212, PREADV2 = 286 };

/* The SVC is whole: from here to SVCRET the kernel is at work. */
void tl_xtrace_check_syscall(struct tl_xtrace_check_stream *s)
{
	const struct tl_xtrace_check_insn *i = &s->last;
	uint64_t number = i->args[0];

	s->syscall.pending = i->svcargs && i->svcargs >= s->dialect.svcargs;
	s->syscall.unknown = !s->syscall.pending;
	tl_xtrace_check_code_call(s, s->syscall.pending, number);
	if (!s->syscall.pending)
		return;
	for (unsigned n = 0; n < 7; n++)
		s->syscall.args[n] = n < i->svcargs ? i->args[n] : 0;
	find_thread_id(s, s->syscall.args);
	if (!(i->seen >> TL_XTRACE_SYSCALL_VEC & 1))
		number = 0;
	if (number == READV || number == PREADV || number == RECVMSG || number == PREADV2)
		forget_vectors(s);
	/* Its result may never follow: ranges that do not depend on it are forgotten now. */
	forget_written(s, s->syscall.args, 0);
}

/* Memory above the end of the heap is unmapped; pages that are mapped there later are zero. */
static void move_heap(struct tl_xtrace_check_stream *s, uint64_t end)
{
	if (s->program.heap_end > end)
		tl_xtrace_shadow_forget(&s->memory->shadow, space_of(s, end), end,
					s->program.heap_end - end);
	s->program.heap_end = end;
}

void tl_xtrace_check_syscall_done(struct tl_xtrace_check_stream *s, uint64_t result)
{
	if (s->syscall.pending && tl_xtrace_syscall_is_brk(s->syscall.args[0]))
		move_heap(s, result);
	if (s->syscall.pending) {
		forget_written(s, s->syscall.args, result);
		find_shared(s, s->syscall.args, result);
	}
	s->syscall.pending = false;
}

/* Numbers of address spaces are few; if not, the last one is several. */
enum { MOST_SPACES = TL_XTRACE_SHADOW_SPACES - 1 };

void tl_xtrace_check_space(struct tl_xtrace_check_stream *s, uint64_t ttbr0)
{
	struct tl_xtrace_check_memory *m = s->memory;
	size_t at = 0;

	while (at < m->space_count && m->spaces[at] != ttbr0)
		at++;
	if (at == m->space_count && at < MOST_SPACES) {
		if (!tl_grow(&m->spaces, &m->space_capacity, at + 1, sizeof(*m->spaces))) {
			tl_xtrace_check_no_memory(s);
			return;
		}
		m->spaces[m->space_count++] = ttbr0;
	}
	s->program.space = (unsigned)(at < MOST_SPACES ? at + 1 : MOST_SPACES);
}

void tl_xtrace_check_memory_lost(struct tl_xtrace_check_stream *s)
{
	tl_xtrace_shadow_free(&s->memory->shadow);
	tl_xtrace_shadow_begin(&s->memory->shadow);
	s->program.space = 0; /* as at the beginning of a stream */
}
