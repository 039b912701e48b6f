/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_FRAME_H
#define TL_XTRACE_FRAME_H
/*
 * The frame of a signal's handler (Linux, struct rt_sigframe), as far as accesses show it, and what
 * the handler changes there of what it interrupted: siginfo, ucontext with struct sigcontext at
 * 176, whose registers are behind the address of the fault and whose records are behind those.
 */
#include "xtrace/elf/replay.h"

enum {
	TL_XTRACE_FRAME_CONTEXT = 128,
	TL_XTRACE_FRAME_REGISTERS = TL_XTRACE_FRAME_CONTEXT + 176 + 8,
	TL_XTRACE_FRAME_RECORDS = TL_XTRACE_FRAME_CONTEXT + 176 + 288,
	/* The first record, struct fpsimd_context: its head, FPSR, FPCR, V0 to V31. */
	TL_XTRACE_FRAME_STATUS = TL_XTRACE_FRAME_RECORDS + 8,
	TL_XTRACE_FRAME_CONTROL = TL_XTRACE_FRAME_RECORDS + 12,
	TL_XTRACE_FRAME_VECTORS = TL_XTRACE_FRAME_RECORDS + 16,
	TL_XTRACE_FRAME_OTHERS = TL_XTRACE_FRAME_VECTORS + 16 * 32,
	TL_XTRACE_FRAME_END = TL_XTRACE_FRAME_RECORDS + 4096,
};

/* The head of EXTRA, which tells where more records are. */
#define TL_XTRACE_FRAME_MORE UINT32_C(0x45585401)

/* Words of the registers: X0 to X30, SP, PC, PSTATE. */
enum { TL_XTRACE_FRAME_PC = 32, TL_XTRACE_FRAME_PSTATE = 33, TL_XTRACE_FRAME_WORDS = 34 };

struct tl_xtrace_seen_access {
	uint64_t address;
	const uint8_t *data;
	size_t size;
	bool store;
};

/* What is known of a byte: the handler stored it; it was there when the handler loaded it. */
enum { TL_XTRACE_FRAME_STORED = 1, TL_XTRACE_FRAME_SHOWN = 2 };

/* Zero-filled: no byte is known. */
struct tl_xtrace_signal_frame {
	uint8_t *bytes, *marks;
	size_t size, capacity; /* bytes up to the last one that is known */
	bool extended;         /* there are records behind the room that each frame has for them */
};

/* An access that may be to the frame at this address. False without memory. */
bool tl_xtrace_frame_access(struct tl_xtrace_signal_frame *frame, uint64_t address,
			    const struct tl_xtrace_seen_access *seen);
/* A handler begins: no byte is known any more. */
void tl_xtrace_frame_begin(struct tl_xtrace_signal_frame *frame, uint32_t vector_bytes);
void tl_xtrace_frame_free(struct tl_xtrace_signal_frame *frame);

/* Whether all of these bytes have one of the marks; whether any has. */
bool tl_xtrace_frame_all(const struct tl_xtrace_signal_frame *frame, size_t at, size_t size,
			 unsigned marks);
bool tl_xtrace_frame_any(const struct tl_xtrace_signal_frame *frame, size_t at, size_t size,
			 unsigned marks);
/* Up to 8 bytes as a number; those that are not known are zero. */
uint64_t tl_xtrace_frame_value(const struct tl_xtrace_signal_frame *frame, size_t at, size_t size);

/* X0 to X30 and SP that were stored as a whole, as bits; in part. */
uint64_t tl_xtrace_frame_changed(const struct tl_xtrace_signal_frame *frame);
uint64_t tl_xtrace_frame_touched(const struct tl_xtrace_signal_frame *frame);
/* PC was stored; NZCV was. */
bool tl_xtrace_frame_moves(const struct tl_xtrace_signal_frame *frame);
bool tl_xtrace_frame_has_flags(const struct tl_xtrace_signal_frame *frame);
/* The word of a register. */
uint64_t tl_xtrace_frame_word(const struct tl_xtrace_signal_frame *frame, unsigned number);

/*
 * records.c: what the handler whose frame is at this address changed of registers in records,
 * and of parts of others, as changes of the replay, behind those that it has. NULL; else why it is
 * not known what comes back. `failed`: there is no memory.
 */
const char *tl_xtrace_frame_take(const struct tl_xtrace_signal_frame *frame, uint64_t address,
				 uint32_t vector_bytes, struct tl_xtrace_replay *replay,
				 bool *failed);

#endif
