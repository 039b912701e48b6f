/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_XTRACE_STREAMS_H
#define TESTS_UNIT_XTRACE_STREAMS_H
/*
 * Streams of calls, jumps and returns at EL0 and EL1, instruction by instruction with a PCINST
 * token each; and streams that tell SP as compiled code does, by the addresses of what functions
 * save.
 */
#include "bytes.h"

/* A64 encodings (Arm Architecture Reference Manual, C6.2). */
#define A64_BLR 0xd63f0200u      /* BLR X16 */
#define A64_BR 0xd61f0200u       /* BR X16 */
#define A64_BR_X30 0xd61f03c0u   /* BR X30 */
#define A64_STP 0xa9bf7bfdu      /* STP X29, X30, [SP, #-16]! */
#define A64_LDP 0xa8c17bfdu      /* LDP X29, X30, [SP], #16 */
#define A64_LDR_X5 0xf9400005u   /* LDR X5, [X0] */
#define A64_STR_X5 0xf9000005u   /* STR X5, [X0] */
#define A64_MOV_SP 0x910000bfu   /* MOV SP, X5 */
#define A64_ADD_SP 0x8b2463ffu   /* ADD SP, SP, X4 */
#define A64_STP_KEPT 0xa9007bfdu /* STP X29, X30, [SP] */

/* Bytes that A64_STP takes from the stack. */
enum { FRAME = 16 };

static inline uint32_t branch_offset(uint64_t from, uint64_t to)
{
	return (uint32_t)((to - from) / 4) & 0x3ffffff;
}

static inline uint32_t bl(uint64_t from, uint64_t to)
{
	return 0x94000000u | branch_offset(from, to);
}

static inline uint32_t b(uint64_t from, uint64_t to)
{
	return 0x14000000u | branch_offset(from, to);
}

static inline void nop(struct bytes *s, uint64_t pc)
{
	put_pcinst(s, 0, pc, A64_NOP);
}

static inline void call(struct bytes *s, uint64_t from, uint64_t to)
{
	put_pcinst(s, 0, from, bl(from, to));
}

static inline void jump(struct bytes *s, uint64_t from, uint64_t to)
{
	put_pcinst(s, 0, from, b(from, to));
}

/* An instruction whose TARGET_B says where it leads. */
static inline void go(struct bytes *s, unsigned el, uint64_t from, uint32_t opcode, uint64_t to)
{
	put_pcinst(s, el, from, opcode);
	put_value(s, TARGET_B, to);
}

static inline void ret(struct bytes *s, uint64_t from, uint64_t to)
{
	go(s, 0, from, A64_RET, to);
}

/* As call() and ret(), above EL0. */
static inline void kernel_call(struct bytes *s, uint64_t from, uint64_t to)
{
	put_pcinst(s, 1, from, bl(from, to));
}

static inline void kernel_ret(struct bytes *s, uint64_t from, uint64_t to)
{
	go(s, 1, from, A64_RET, to);
}

static inline void eret(struct bytes *s, uint64_t from, uint64_t to)
{
	go(s, 1, from, A64_ERET, to);
}

/* A system call with its seven tokens; x0 to x5 are 0. */
static inline void svc(struct bytes *s, uint64_t pc, uint64_t number)
{
	put_pcinst(s, 0, pc, A64_SVC);
	put_value(s, SVCARG, number);
	for (unsigned i = 0; i < 6; i++)
		put_value(s, SVCARG, 0);
}

/* An access of 16 bytes. */
static inline void put_pair(struct bytes *s, unsigned token, uint64_t address)
{
	put_byte(s, token | 4 << 4);
	put_number(s, address, 8);
	put_repeat(s, 0, 16);
}

/* A function's first instruction; `sp` is that of its caller. */
static inline void enter(struct bytes *s, uint64_t pc, uint64_t sp)
{
	put_pcinst(s, 0, pc, A64_STP);
	put_pair(s, STORE, sp - FRAME);
}

/* Its last two. */
static inline void leave(struct bytes *s, uint64_t pc, uint64_t sp, uint64_t to)
{
	put_pcinst(s, 0, pc, A64_LDP);
	put_pair(s, LOAD, sp - FRAME);
	put_inst(s, 0, A64_RET);
	put_value(s, TARGET_B, to);
}

/* A function of one instruction that keeps nothing on the stack. */
static inline void leaf(struct bytes *s, uint64_t from, uint64_t pc)
{
	call(s, from, pc);
	ret(s, pc, from + 4);
}

/* LDR X5, [X0]; MOV SP, X5; a branch: what longjmp and switches of stacks come to. */
static inline void set_sp_and_go(struct bytes *s, uint64_t pc, uint64_t sp, uint32_t branch,
				 uint64_t to)
{
	put_pcinst(s, 0, pc, A64_LDR_X5);
	put_access(s, LOAD, 3, 0x100, sp);
	put_inst(s, 0, A64_MOV_SP);
	put_inst(s, 0, branch);
	put_value(s, TARGET_B, to);
}

#endif
