/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_EMULATOR_EMULATOR_H
#define TL_EMULATOR_EMULATOR_H
/* What the files of the plugin share: a thread's stream of packets, the process. */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <x86intrin.h>

#include "block.h"
#include "execute.h"
#include "record/emulation/folder.h"

enum { RETURNS = 64 };

/* Of one thread; in the first page of its file, so that nothing is lost with the process. */
struct stream {
	struct tl_emulation_thread shared;
	const struct block *current; /* the block that was entered last */
	const struct block *left;    /* with current->kind BLOCK_LEFT: the block itself */
	uint8_t *end;                /* of the window, but for the room that is tested for */
	uint8_t *sync;               /* behind the last PSB+ */
	uint64_t last_ip, window_size;
	uint64_t handler_stack; /* RSP where a signal's handler began last */
	uint32_t code_changed;  /* set by any thread: the time is to be told */
	uint32_t return_top, return_count;
	uint64_t returns[RETURNS];
	bool enabled, full_ip;
	char name[64]; /* of its file */
	struct stream *next;
	struct block interrupted; /* BLOCK_LEFT */
};

/* The state of the CPU as QEMU has it: registers first, in the order of their numbers. */
struct guest {
	uint64_t registers[16];
};

enum { RSP = 4, RDI = 7 };

/* What all threads share. */
struct process {
	char folder[PATH_BYTES / 2];
	pthread_mutex_t lock;
	struct stream *streams;
	uint64_t bias; /* host address of a guest's, less that */
	bool knows_bias;
	uint64_t files; /* numbers of names: no two programs of a process begin with the same */
};

extern struct process process;

/* The thread's own stream; NULL: not begun. */
extern __thread struct stream *own_stream __attribute__((tls_model("initial-exec")));

static inline void *host_address(uint64_t guest)
{
	return (void *)(uintptr_t)(guest + process.bias);
}

/* ---- files.c ---- */

/* Add an event of the thread; `text` may be NULL. False: errno says why, and it is kept. */
bool event_add(enum tl_emulation_kind kind, const char *text, uint64_t address, uint64_t length,
	       uint64_t offset);
/* Map `size` bytes of a file from `offset` on, with room for them; NULL: errno. */
void *file_window(const char *name, uint64_t offset, uint64_t size, bool is_new);
void file_cut(const char *name, uint64_t size);
/* The name of this process's next file of a kind. */
void file_name(char name[64], const char *kind);

/* ---- stream.c ---- */

struct stream *stream_begin(void);
/* Everything that was done is written. */
void stream_end(struct stream *stream, bool disable);
/* A window that is nearly full makes room. */
void stream_window(struct stream *stream);
void stream_sync(struct stream *stream, uint64_t ip);
void stream_disable(struct stream *stream);
void stream_enable(struct stream *stream, uint64_t ip);
/* An interrupt at `ip`, after which `to` goes on. */
void stream_interrupt(struct stream *stream, uint64_t ip, uint64_t to);

/* ---- enter.c ---- */

void enter_block(const struct block *block, const struct guest *guest);
void enter_calling_block(const struct block *block, const struct guest *guest);
void enter_single(const struct block *block, const struct guest *guest);
extern const struct block enter_none;

/* ---- signals.c ---- */

void signals_wrap(void);
void signals_set(uint64_t number, uint64_t handler, uint64_t restorer);
/* What a signal's frame says. */
struct delivery {
	uint64_t interrupted; /* where the program was */
	bool is_fault;        /* of that instruction */
};

/* Whether a signal's handler begins at `ip`, behind a block. */
bool signals_delivered(uint64_t ip, const struct guest *guest, const struct block *before,
		       struct delivery *delivery);
/* Any handler is there at all. */
bool signals_any(void);

/* ---- code.c, maps.c ---- */

/* The bytes of a block, as they are now. */
void code_seen(uint64_t ip, const uint8_t *bytes, size_t size);
/* What is mapped there may be another thing from now on. */
void code_unmapped(uint64_t ip, uint64_t size);
/* The process is a copy: what its parent has written is not to be touched. */
void code_forked(void);

/* A file that is mapped. */
struct mapping {
	uint64_t start, end;  /* guest */
	const uint8_t *bytes; /* as the file has them */
	struct mapping *next;
};

/* The file mapping at an address; NULL: none. `*is_new`: an event has just told of it. */
const struct mapping *maps_find(uint64_t ip, bool *is_new);
/* If a file of a run-time compiler's names is mapped at an address, say so. */
void maps_tell_dump(uint64_t ip);
void maps_forget(uint64_t ip, uint64_t size);

/* ---- follow.c ---- */

/* Instead of the program that is to be executed, QEMU with it; returns if that is impossible. */
void follow(const char *path, char **arguments, char **environment);

/* ---- system.c ---- */

void system_call(int64_t number, const uint64_t arguments[4]);
void system_result(int64_t number, int64_t result);
void system_begin(void);
void system_watch_forks(void);

#endif
