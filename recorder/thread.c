/* SPDX-License-Identifier: Apache-2.0 */
/* The slow way of a record: a thread's first one, a new window, frames that were left. */
#include "thread.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

#include "slow.h"

enum {
	HEADER_BYTES = 32,
	FIRST_WINDOW = 1 << 16,
	LARGEST_WINDOW = 1 << 22,
	RING_WINDOWS = 8,
	FRAMES = 1 << 18,
	UNKNOWN_ID = 1,
};

/* Kinds of metadata records: docs/formats/xray.md 2.3. */
enum { NEW_BUFFER = 0, NEW_CPU = 2, TSC_WRAP = 3, WALL_CLOCK = 4, EXTENTS = 7, PID = 9 };

__thread struct rt_thread *rt_self;

/* ---- records ---- */

static uint8_t *put_metadata(uint8_t *at, unsigned kind, const void *data, size_t size)
{
	memset(at, 0, RT_METADATA_BYTES);
	at[0] = (uint8_t)(kind << 1 | 1);
	memcpy(at + 1, data, size);
	return at + RT_METADATA_BYTES;
}

/* "XRay FDR format: header": version 5, a flight data recorder's, constant_tsc and nonstop_tsc. */
static uint8_t *put_header(uint8_t *at, uint64_t window)
{
	const uint16_t version = 5, type = 1;
	const uint32_t flags = 3;

	memset(at, 0, HEADER_BYTES);
	memcpy(at, &version, 2);
	memcpy(at + 2, &type, 2);
	memcpy(at + 4, &flags, 4);
	memcpy(at + 8, &rt.options.hz, 8);
	memcpy(at + 16, &window, 8);
	return at + HEADER_BYTES;
}

/* The records that a buffer begins with, their extents last: only these make it a buffer. */
static void begin_block(struct rt_thread *t, uint8_t *at)
{
	struct rt_log *log = t->log;
	uint64_t now = rt_clock(t->tsc);
	int32_t pid = rt.image_process;
	uint8_t cpu[10], wall[12], *block = at + RT_METADATA_BYTES;
	uint16_t number = (uint16_t)sched_getcpu();
	struct timeval time;
	uint64_t size;

	gettimeofday(&time, NULL);
	memcpy(wall, &(uint64_t){ (uint64_t)time.tv_sec }, 8);
	memcpy(wall + 8, &(uint32_t){ (uint32_t)time.tv_usec }, 4);
	memcpy(cpu, &number, 2);
	memcpy(cpu + 2, &now, 8);
	at = put_metadata(block, NEW_BUFFER, &log->tid, sizeof(log->tid));
	at = put_metadata(at, WALL_CLOCK, wall, sizeof(wall));
	at = put_metadata(at, PID, &pid, sizeof(pid));
	at = put_metadata(at, NEW_CPU, cpu, sizeof(cpu));
	log->block = block;
	log->last = now;
	__atomic_store_n(&log->pos, at, __ATOMIC_RELEASE);
	size = (uint64_t)(at - block);
	put_metadata(block - RT_METADATA_BYTES, EXTENTS, &size, sizeof(size));
}

/* ---- the file ---- */

static void log_name(const struct rt_log *log, char name[48])
{
	rt_two_numbers(name, (uint64_t)log->tid, log->number);
}

static int create_log(struct rt_log *log)
{
	char name[48];
	int fd;

	do {
		log_name(log, name);
		fd = rt_open(rt.image, name, O_RDWR | O_CREAT | O_EXCL);
	} while (fd < 0 && errno == EEXIST && ++log->number);
	return fd;
}

/*
 * Room in the file, so that no store through the mapping can fail. A file beyond RLIMIT_FSIZE would
 * send SIGXFSZ to the program.
 */
static bool make_room(int fd, uint64_t offset, uint64_t size)
{
	struct rlimit limit;

	if (!getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur < offset + size) {
		errno = EFBIG;
		return false;
	}
	if (!fallocate(fd, 0, (off_t)offset, (off_t)size))
		return true;
	return errno == EOPNOTSUPP && !posix_fallocate(fd, (off_t)offset, (off_t)size);
}

/*
 * The part of the file behind `from` is written once before it is mapped: the kernel makes many
 * pages of a file in one step for a write, and one page in each fault for a mapping, which costs
 * more than all else of a record. The room is there, so that what fails only costs time.
 */
static void write_zeros(int fd, uint64_t from, uint64_t end)
{
	enum { PIECE = 1 << 16, PIECES = 1 << 6 };
	static uint8_t zeros[PIECE];
	struct iovec pieces[PIECES];
	ssize_t written = 1;

	for (size_t i = 0; i < PIECES; i++)
		pieces[i] = (struct iovec){ zeros, PIECE };
	for (; from < end && written > 0; from += (uint64_t)written) {
		uint64_t size = end - from;
		int count = (int)(size / PIECE < PIECES ? size / PIECE : PIECES);

		if (count)
			written = pwritev(fd, pieces, count, (off_t)from);
		else
			written = pwrite(fd, zeros, size, (off_t)from);
	}
}

static uint64_t window_bytes(const struct rt_log *log)
{
	uint64_t size = rt.options.ring / RING_WINDOWS / rt.page * rt.page;

	if (!rt.options.ring)
		return log->next_size ? log->next_size : FIRST_WINDOW;
	return size < FIRST_WINDOW ? FIRST_WINDOW : size;
}

/* Map `size` bytes of the file from `offset` on, or less where less fits; NULL and errno. */
static uint8_t *map_window(struct rt_log *log, uint64_t offset, uint64_t *size)
{
	char name[48];
	uint8_t *map = MAP_FAILED;
	struct stat before;
	int fd;

	log_name(log, name);
	fd = log->begun ? rt_open(rt.image, name, O_RDWR) : create_log(log);
	if (fd < 0)
		return NULL;
	if (fstat(fd, &before))
		*size = 0;
	while (*size > rt.page && !make_room(fd, offset, *size))
		*size /= 2;
	if (*size > rt.page) {
		write_zeros(fd, (uint64_t)before.st_size, offset + *size);
		map = mmap(NULL, *size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)offset);
	}
	close(fd);
	return map == MAP_FAILED ? NULL : map;
}

/* ---- windows ---- */

/* The end of what was reserved whole: all that did not fit was function records. */
static uint8_t *used_end(const struct rt_log *log)
{
	uint64_t over = log->pos > log->end ? (uint64_t)(log->pos - log->end) : 0;

	return log->pos - (over + RT_FUNCTION_BYTES - 1) / RT_FUNCTION_BYTES * RT_FUNCTION_BYTES;
}

/* Offset in the file of the next block. */
static uint64_t next_block(struct rt_log *log, uint64_t size)
{
	if (!log->begun)
		return 0;
	if (!rt.options.ring)
		return log->map_offset + (uint64_t)(used_end(log) - log->map);
	log->window = (log->window + 1) % RING_WINDOWS;
	return log->window * size;
}

/* A window of the ring that has been there before loses what it has. */
static void overwrite(uint8_t *at, uint64_t size)
{
	if (at[0] != (EXTENTS << 1 | 1))
		return;
	memset(at + 1, 0, 8);
	memset(at + RT_METADATA_BYTES, 0, size - RT_METADATA_BYTES);
	__atomic_add_fetch(&rt.state->overwritten_bytes, size, __ATOMIC_RELAXED);
}

/* The present window becomes an old one; the oldest is given back. */
static void put_aside(struct rt_log *log)
{
	if (log->old[RT_OLD_WINDOWS - 1].map)
		munmap(log->old[RT_OLD_WINDOWS - 1].map, log->old[RT_OLD_WINDOWS - 1].bytes);
	memmove(log->old + 1, log->old, sizeof(log->old) - sizeof(log->old[0]));
	log->old[0].map = log->map;
	log->old[0].bytes = log->map_bytes;
	log->old[0].block = log->block;
	log->old[0].used = log->block ? (uint64_t)(used_end(log) - log->block) : 0;
	log->map = NULL;
}

void rt_mend_extents(const struct rt_log *log, uint8_t *block)
{
	for (int i = 0; i < RT_OLD_WINDOWS; i++)
		if (log->old[i].map && log->old[i].block == block)
			memcpy(block - 15, &log->old[i].used, sizeof(log->old[i].used));
}

static bool next_window(struct rt_thread *t)
{
	struct rt_log *log = t->log;
	uint64_t size = window_bytes(log), offset = next_block(log, size);
	uint64_t page = offset / rt.page * rt.page;
	uint8_t *map, *at;

	map = map_window(log, page, &size);
	if (!map)
		return false;
	at = map + (offset ? offset - page : HEADER_BYTES);
	if (rt.options.ring) {
		rt.state->window_bytes = window_bytes(log);
		overwrite(at, (uint64_t)(map + size - at));
	}
	if (!offset)
		put_header(map, size);
	put_aside(log);
	log->map = map;
	log->map_bytes = size;
	log->map_offset = page;
	log->end = map + size;
	begin_block(t, at);
	log->begun = true;
	log->next_size = size * 2 > LARGEST_WINDOW ? LARGEST_WINDOW : size * 2;
	return true;
}

/* In a forked process: calls that were open are the parent's. */
static void disown_frames(struct rt_thread *t)
{
	for (struct rt_frame *frame = t->frames + 1; frame < t->top; frame++)
		frame->recorded = false;
	t->disowned = t->top > t->frames + 1;
}

static bool first_window(struct rt_thread *t)
{
	bool ok;

	t->log->tid = (int32_t)syscall(SYS_gettid);
	disown_frames(t);
	while (__atomic_exchange_n(&rt.lock, 1, __ATOMIC_ACQUIRE))
		sched_yield();
	ok = rt_image_begin();
	__atomic_store_n(&rt.lock, 0, __ATOMIC_RELEASE);
	return ok;
}

static bool make_window(struct rt_thread *t, size_t bytes)
{
	struct rt_log *log = t->log;

	if (log->begun && log->pos <= log->end && bytes <= (size_t)(log->end - log->pos))
		return true;
	if (log->full || (!log->begun && !first_window(t)) || !next_window(t)) {
		if (!log->full)
			rt_lost(0, errno);
		log->full = true;
		return false;
	}
	return true;
}

static void block_signals(uint64_t *signals)
{
	uint64_t all = ~(uint64_t)0;

	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, signals, sizeof(all));
}

static void restore_signals(const uint64_t *signals)
{
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, signals, NULL, sizeof(*signals));
}

bool rt_window_slow(struct rt_thread *t, size_t bytes)
{
	int error = errno;
	uint64_t signals;
	bool ok;

	if (t->log->full) {
		rt_lost(1, 0);
		return false;
	}
	block_signals(&signals);
	ok = make_window(t, bytes);
	if (!ok)
		rt_lost(1, 0);
	restore_signals(&signals);
	errno = error;
	return ok;
}

/* ---- other slow steps ---- */

void rt_put_event_slow(struct rt_thread *t, const uint8_t record[RT_METADATA_BYTES],
		       const void *payload, size_t payload_size)
{
	struct rt_log *log = t->log;
	size_t size = RT_METADATA_BYTES + payload_size;
	uint64_t signals;

	block_signals(&signals);
	if (size <= FIRST_WINDOW / 2 && !log->full && make_window(t, size)) {
		uint8_t *at = rt_reserve(log, size);

		memcpy(at, record, RT_METADATA_BYTES);
		memcpy(at + RT_METADATA_BYTES, payload, payload_size);
		rt_extend(log);
	} else {
		rt_lost(1, 0);
	}
	restore_signals(&signals);
}

void rt_step_slow(struct rt_thread *t, uint64_t *now)
{
	uint8_t record[RT_METADATA_BYTES];

	if (!t->log->begun)
		return;
	/* The clock went back, as it may from one processor to the next. */
	if (*now - t->log->last > UINT64_MAX / 2) {
		*now = t->log->last;
		return;
	}
	put_metadata(record, TSC_WRAP, now, sizeof(*now));
	rt_put_event_slow(t, record, NULL, 0);
	t->log->last = *now;
}

bool rt_on_own_stack(const struct rt_thread *t, uint64_t sp)
{
	return sp >= t->stack_low && sp < t->stack_high;
}

void rt_close_left_slow(struct rt_thread *t, uint64_t sp)
{
	uint64_t signals;

	if (!rt_on_own_stack(t, sp))
		return;
	/* A signal handler's call would find the same frames left. */
	block_signals(&signals);
	while (t->top[-1].sp < sp && t->top[-1].sp && rt_on_own_stack(t, t->top[-1].sp)) {
		rt_put_exit(t, &t->top[-1], RT_EXIT);
		rt_pop(t);
	}
	restore_signals(&signals);
}

void rt_leave_other_slow(struct rt_thread *t, uint32_t id, enum rt_action action)
{
	if (t->over) {
		t->over--;
		return;
	}
	for (struct rt_frame *frame = t->top - 1; frame > t->frames; frame--)
		if (frame->id == id && frame->sp) {
			rt_leave_to(t, frame, action);
			return;
		}
	/* The call was made on a stack that waited, or before the recording began. */
	rt_put(t, action, id);
}

uint32_t rt_find_id_slow(struct rt_thread *t, uintptr_t address)
{
	const struct rt_object *object;
	uint32_t generation = rt.generation, id = UNKNOWN_ID;
	int error = errno;
	uint64_t signals;

	rt_lock(&signals);
	if (rt_image_begin()) {
		object = rt_object_of(address);
		if (object) {
			t->object_size = 0;
			t->object_start = object->start;
			t->object_first = object->first;
			t->generation = generation;
			t->object_size = object->size;
			id = object->first + (uint32_t)(address - object->start);
		}
	}
	rt_unlock(&signals);
	errno = error;
	return id;
}

/* ---- beginning and end of a thread ---- */

static pthread_key_t thread_end;

/* A thread's own stack ends at its control block; the first thread's above its environment. */
static void find_stack(struct rt_thread *t)
{
	extern char **environ;
	struct rlimit limit;
	bool first = syscall(SYS_gettid) == getpid();
	uint64_t size = 1 << 26;

	t->stack_high = first ? (uintptr_t)environ : (uintptr_t)pthread_self();
	if (!getrlimit(RLIMIT_STACK, &limit) && limit.rlim_cur < size)
		size = limit.rlim_cur;
	t->stack_low = t->stack_high - size;
}

static size_t thread_bytes(void)
{
	return 2 * rt.page + FRAMES * sizeof(struct rt_frame) + RT_SLOTS * sizeof(struct rt_slot);
}

static struct rt_thread *make_thread(void)
{
	uint8_t *room = mmap(NULL, thread_bytes(), PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	struct rt_thread *t = (struct rt_thread *)room;

	if (room == MAP_FAILED)
		return NULL;
	t->log = (struct rt_log *)(room + rt.page);
	madvise(t->log, rt.page, MADV_WIPEONFORK);
	t->tsc = rt.use_tsc;
	t->threshold = rt.threshold_ticks;
	t->frames = (struct rt_frame *)(room + 2 * rt.page);
	t->slots = (struct rt_slot *)(t->frames + FRAMES);
	t->frames[0].sp = UINT64_MAX;
	t->top = t->frames + 1;
	t->limit = t->frames + FRAMES;
	t->deepest = rt.options.depth && rt.options.depth < FRAMES
			     ? t->frames + 1 + rt.options.depth
			     : t->limit;
	find_stack(t);
	return t;
}

struct rt_thread *rt_thread_begin_slow(void)
{
	struct rt_thread *t;
	int error = errno;
	uint64_t signals;

	rt_begin_once();
	if (rt.mode != RT_ON)
		return NULL;
	block_signals(&signals);
	t = rt_self;
	if (!t) {
		t = make_thread();
		rt_self = t;
		if (t)
			pthread_setspecific(thread_end, t);
	}
	restore_signals(&signals);
	errno = error;
	return t;
}

/* What is behind the last record is given back. */
static void trim(struct rt_log *log)
{
	char name[48];
	int fd;

	if (!log->begun || rt.options.ring || log->full)
		return;
	log_name(log, name);
	fd = rt_open(rt.image, name, O_RDWR);
	if (fd < 0)
		return;
	if (ftruncate(fd, (off_t)(log->map_offset + (uint64_t)(used_end(log) - log->map))))
		rt_lost(0, errno);
	close(fd);
}

/* Other keys' destructors may be recorded functions: this one lets them go first. */
static void end_thread(void *arg)
{
	struct rt_thread *t = arg;
	uint64_t signals;

	if (t->ends++ < 2) {
		pthread_setspecific(thread_end, t);
		return;
	}
	block_signals(&signals);
	rt_self = NULL;
	trim(t->log);
	for (int i = 0; i <= RT_OLD_WINDOWS; i++)
		put_aside(t->log);
	munmap(t, thread_bytes());
	restore_signals(&signals);
}

void rt_thread_key(void)
{
	pthread_key_create(&thread_end, end_thread);
}
