/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A thread's stream of packets: windows of its file, and what is written seldom. */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "packets.h"

/* Windows grow, so that a thousand threads need no gigabytes. */
enum { FIRST_WINDOW = 64 << 10, LAST_WINDOW = 4 << 20, PAGE = TL_EMULATION_PAGE };

_Static_assert(sizeof(struct stream) <= PAGE, "a stream is in the first page of its file");

/* ---- windows ---- */

static void use_window(struct stream *s, uint8_t *window, uint64_t offset, uint64_t size,
		       uint64_t used)
{
	/* A killed process's reader finds `at` by its distance from `window`. */
	s->shared.window_offset = offset;
	s->shared.window = (uintptr_t)window;
	s->shared.at = (uintptr_t)window + used;
	s->window_size = size;
	s->end = window + size - ROOM;
}

/* From now on packets go to memory that nobody reads. */
static void lose(struct stream *s, int error)
{
	uint8_t *nowhere = mmap(NULL, FIRST_WINDOW, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (nowhere == MAP_FAILED)
		abort();
	s->shared.lost_offset = s->shared.window_offset + s->shared.at - s->shared.window;
	s->shared.lost_errno = (uint32_t)error;
	if (s->window_size)
		munmap((void *)(uintptr_t)s->shared.window, s->window_size);
	use_window(s, nowhere, 0, FIRST_WINDOW, 0);
	s->sync = nowhere;
}

static void next_window(struct stream *s)
{
	const uint64_t used = s->shared.at - s->shared.window, whole = used & ~(uint64_t)(PAGE - 1);
	const uint64_t offset = s->shared.window_offset + whole;
	const uint64_t size = s->window_size < LAST_WINDOW ? 2 * s->window_size : LAST_WINDOW;
	const ptrdiff_t behind = packet_place(s) - s->sync;
	uint8_t *window = file_window(s->name, offset, size, false);

	if (!window) {
		lose(s, errno);
		return;
	}
	munmap((void *)(uintptr_t)s->shared.window, s->window_size);
	use_window(s, window, offset, size, used - whole);
	s->sync = packet_place(s) - behind;
}

void stream_window(struct stream *s)
{
	const int kept = errno;

	if (s->shared.lost_errno) {
		s->shared.at = s->shared.window;
		s->sync = packet_place(s);
	} else {
		next_window(s);
	}
	errno = kept;
}

/* ---- beginning, end ---- */

static struct stream *map_stream(void)
{
	char name[64];
	struct stream *s;
	uint8_t *window;

	file_name(name, "thread");
	s = file_window(name, 0, PAGE, true);
	window = s ? file_window(name, PAGE, FIRST_WINDOW, false) : NULL;
	if (!s) {
		s = aligned_alloc(PAGE, PAGE);
		if (!s)
			abort();
		memset(s, 0, PAGE);
	}
	memcpy(s->name, name, sizeof(name));
	if (window)
		use_window(s, window, PAGE, FIRST_WINDOW, 0);
	else
		lose(s, errno);
	s->sync = packet_place(s) - PSB_EVERY - 1;
	return s;
}

struct stream *stream_begin(void)
{
	const int kept = errno;
	struct stream *s = map_stream();

	s->shared.process = (uint32_t)getpid();
	s->shared.thread = (uint32_t)syscall(SYS_gettid);
	s->shared.outcomes = 1;
	s->shared.magic = TL_EMULATION_MAGIC;
	s->current = &enter_none;
	s->interrupted = (struct block){ .kind = BLOCK_LEFT, .target = BLOCK_NOWHERE };
	own_stream = s;
	event_add(TL_EMULATION_THREAD, s->name, 0, 0, 0);
	pthread_mutex_lock(&process.lock);
	s->next = process.streams;
	process.streams = s;
	pthread_mutex_unlock(&process.lock);
	errno = kept;
	return s;
}

void stream_end(struct stream *s, bool disable)
{
	if (s->shared.ended || s->current == &enter_none)
		return;
	if (disable)
		stream_disable(s);
	packet_outcomes(s);
	s->shared.ended = 1;
	if (!s->shared.lost_errno)
		file_cut(s->name, s->shared.window_offset + s->shared.at - s->shared.window);
}

/* ---- packets that are written seldom ---- */

/* A place where decoding can begin. */
void stream_sync(struct stream *s, uint64_t ip)
{
	enum { MODES = 0x20990199, PSB_END = 0x2302, PSB = 0x8202 };

	packet_outcomes(s);
	for (unsigned i = 0; i < 2; i++)
		packet_put(s, PSB * UINT64_C(0x0001000100010001), 8);
	packet_time(s);
	packet_put(s, MODES, 4);
	s->last_ip = 0;
	s->full_ip = true;
	if (s->enabled)
		packet_ip(s, FUP, ip);
	packet_put(s, PSB_END, 2);
	s->sync = packet_place(s);
	s->return_count = 0;
}

void stream_disable(struct stream *s)
{
	if (!s->enabled)
		return;
	packet_outcomes(s);
	packet_put(s, PGD_WITHOUT_IP, 1);
	s->enabled = false;
}

void stream_enable(struct stream *s, uint64_t ip)
{
	packet_check(s, 0);
	packet_time(s);
	packet_ip(s, TIP_PGE, ip);
	s->enabled = true;
}

void stream_interrupt(struct stream *s, uint64_t ip, uint64_t to)
{
	packet_outcomes(s);
	packet_ip(s, FUP, ip);
	stream_disable(s);
	stream_enable(s, to);
}
