/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PT_RECORDER_H
#define PT_RECORDER_H
/*
 * A recorder of Intel PT traces for machines that cannot record any: it steps through a program,
 * one instruction at a time, and writes what a processor would have. Three parts that know little
 * of each other:
 *
 *   step.c    the program, one retired instruction after the other
 *   trace.c   what each instruction and each change of control is as packets
 *   image.c   the code that ran, page by page
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

/* What an instruction is to the trace. */
enum insn_class {
	INSN_OTHER,
	INSN_CALL,      /* near, direct */
	INSN_CALL_NEXT, /* near, direct, to the instruction behind it */
	INSN_CALL_INDIRECT,
	INSN_RETURN,
	INSN_JUMP, /* near, direct */
	INSN_JUMP_INDIRECT,
	INSN_COND,
	INSN_SYSCALL, /* leaves user code, and tracing with it */
	INSN_FAR,
	INSN_REPEAT, /* a string instruction that retires once, however often it is stepped */
};

struct insn {
	uint64_t ip;
	uint64_t target; /* of a direct branch */
	uint8_t bytes[15];
	uint8_t size;
	enum insn_class class;
};

/* False: the bytes are no instruction. */
bool insn_decode(struct insn *insn, uint64_t ip, const uint8_t *bytes, size_t size);

/* ---- trace.c ---- */

struct trace_options {
	bool compress;      /* returns as outcomes */
	bool long_tnt;      /* up to 47 outcomes a packet */
	bool time;          /* TSC, TMA, CBR, MTC: 1 tick an instruction, 2,000 a system call */
	bool cycles;        /* CYC as well */
	uint32_t psb_bytes; /* a PSB+ after so many bytes */
	/* an interrupt, which user code does not see, every so many instructions; 0: never */
	uint32_t interrupt;
};

enum { TRACE_STACK = 64 };

struct trace {
	struct trace_options options;
	FILE *file;
	bool failed; /* a packet could not be written */
	bool on, begun;
	uint64_t written, psb_end; /* bytes; at the end of the last PSB+ */
	uint64_t last_ip;
	bool full_ip; /* the next address is sent whole: the first one behind a PSB */
	uint64_t outcomes;
	uint8_t outcome_count;
	uint64_t stack[TRACE_STACK];
	uint32_t stack_top, stack_count;
	uint64_t clock, cycle_clock, mtc; /* mtc: number of the last one sent, not cut to 8 bits */
	uint64_t retired;
};

void trace_begin(struct trace *trace, const struct trace_options *options, FILE *file);
/* Control is at `ip` and tracing may go on there. */
void trace_at(struct trace *trace, uint64_t ip);
/* An instruction retired, and control went to `next`. */
void trace_retired(struct trace *trace, const struct insn *insn, uint64_t next);
/* Something took control away before the instruction at `ip` ran; `ticks` pass. */
void trace_interrupted(struct trace *trace, uint64_t ip, uint64_t ticks);
void trace_end(struct trace *trace);

/* ---- image.c ---- */

struct image;

/* Of a process; NULL without memory. */
struct image *image_open(pid_t pid);
void image_close(struct image *image);
/* Read up to 15 bytes of code at `ip` and keep the pages they are in. How many there are. */
size_t image_fetch(struct image *image, uint64_t ip, uint8_t bytes[15]);
/* These bytes ran: they are what the image has for them. Counts bytes that ran before as something
 * else. */
void image_ran(struct image *image, const struct insn *insn);
uint64_t image_changed(const struct image *image);
/* Write both files. False: they could not be written. */
bool image_write(struct image *image, const char *map_path, const char *image_path);

/* ---- step.c ---- */

struct step_options {
	uint64_t limit; /* instructions; 0: none */
};

struct step_account {
	uint64_t insns, hash; /* hash as in the corpus: ((rotl64(h, 5) ^ ip) * 0x9E3779B97F4A7C15 */
	uint64_t syscalls, signals, odd; /* odd: steps that no instruction takes */
	const char *end;                 /* why the recording ended */
};

/* Run a program to its end. 0; -1 and errno: it could not be traced. */
int step_program(char *const *argv, const struct step_options *options, struct trace *trace,
		 struct image **image, FILE *list, struct step_account *account);

#endif
