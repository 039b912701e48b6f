/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_EMULATOR_BLOCK_H
#define TL_EMULATOR_BLOCK_H
/* A block of code as QEMU translates it: how it is left. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum block_kind {
	BLOCK_PLAIN, /* no branch at its end */
	BLOCK_CONDITIONAL,
	BLOCK_CALL,
	BLOCK_JUMP,
	BLOCK_RETURN,
	BLOCK_INDIRECT_CALL,
	BLOCK_INDIRECT_JUMP,
	BLOCK_FAR,
	BLOCK_REPEATED, /* a string instruction, one iteration an execution */
	BLOCK_SYSCALL,  /* and software interrupts */
	BLOCK_NONE,     /* nothing was executed yet */
	BLOCK_LEFT,     /* the block was left in its middle, or may have been */
};

/* No instruction is there. */
#define BLOCK_NOWHERE UINT64_MAX

enum { BLOCK_LINE = 64 };

/*
 * `target` is the one address behind the block if there is only one (`next` as well if it is
 * conditional). Lives as long as the process: QEMU does not say when a block is gone. A cache line,
 * as each execution reads of two blocks, and of nothing else that is not in the cache already.
 */
struct block {
	_Alignas(BLOCK_LINE) uint64_t ip;
	uint64_t target, next;
	uint64_t conditional; /* 1 or 0 */
	uint64_t last;        /* address of the last instruction */
	uint32_t count;       /* of instructions */
	uint8_t kind;         /* enum block_kind */
	bool pushes;          /* a call that a return comes back to */
	bool single;          /* one atomic instruction: QEMU may be doing it again alone */
	uint8_t *sizes;       /* of the instructions */
};

_Static_assert(sizeof(struct block) == BLOCK_LINE, "a block is a cache line");

struct qemu_plugin_tb;

/* NULL: no memory, or an empty block. */
struct block *block_make(const struct qemu_plugin_tb *translated);
/* The number of the instruction at an address; `count`: none begins there. */
uint32_t block_find(const struct block *block, uint64_t ip);
/* The bytes of all its instructions. */
static inline size_t block_bytes(const struct block *block)
{
	return (size_t)(block->last + block->sizes[block->count - 1] - block->ip);
}

#endif
