/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_XTRACE_STACKS_H
#define TESTS_UNIT_XTRACE_STACKS_H
/*
 * Call stacks made by hand. A function has the addresses of one page: its number is that of the
 * page, and its first address that of the page's first byte.
 */
#include "bytes.h"

#include "xtrace/profile/frames.h"

/* The end of a list of addresses; no instruction has it. */
enum { END = 1 };

static inline struct tl_xtrace_location place(unsigned el, uint64_t pc)
{
	return (struct tl_xtrace_location){
		.pc = pc,
		.function = (uint32_t)(pc >> 12 & 0xffff),
		.el = (uint8_t)el,
		.entry = !(pc & 0xfff),
	};
}

static inline uint8_t known_if(uint64_t sp)
{
	return sp ? TL_XTRACE_SP_KNOWN : TL_XTRACE_SP_UNKNOWN;
}

/* A frame of a call; `sp` 0: unknown. */
static inline struct tl_xtrace_frame called(unsigned el, uint64_t pc, uint64_t back, uint64_t sp)
{
	return (struct tl_xtrace_frame){ .function = place(el, pc).function,
					 .site = TL_NONE,
					 .called = true,
					 .el = (uint8_t)el,
					 .from = back - 4,
					 .back = back,
					 .sp = sp,
					 .sp_state = known_if(sp) };
}

/* One that nobody called. */
static inline struct tl_xtrace_frame found_at(unsigned el, uint64_t pc, uint64_t sp)
{
	struct tl_xtrace_frame frame = called(el, pc, 0, sp);

	frame.called = false;
	frame.found = true;
	frame.from = frame.back = TL_NOWHERE;
	return frame;
}

/* One of an exception that interrupted `from`; `back` is the address behind that. */
static inline struct tl_xtrace_frame handler_of(unsigned el, uint64_t pc, uint64_t from,
						uint64_t sp)
{
	struct tl_xtrace_frame frame = called(el, pc, from + 4, sp);

	frame.handler = true;
	return frame;
}

static inline void begin_stack(struct tl_xtrace_call_stack *stack, bool local)
{
	assert_true(tl_xtrace_stack_begin(stack, local, true));
	stack->sp.switched = TL_XTRACE_SAME_STACK;
}

static inline void push(struct tl_xtrace_call_stack *stack, struct tl_xtrace_frame frame)
{
	tl_xtrace_frame_push(stack, &frame);
	assert_false(stack->no_memory);
}

static inline void set_sp(struct tl_xtrace_call_stack *stack, uint64_t sp)
{
	stack->sp.value = sp;
	stack->sp.state = known_if(sp);
}

static inline struct tl_xtrace_stack_op operation(enum tl_xtrace_stack_op_kind kind, unsigned el,
						  uint64_t to, uint64_t sp)
{
	return (struct tl_xtrace_stack_op){
		.kind = kind, .to = place(el, to), .sp = sp, .sp_state = known_if(sp)
	};
}

static inline void apply(struct tl_xtrace_call_stack *stack, struct tl_xtrace_stack_op op)
{
	tl_xtrace_stack_apply(stack, &op);
	assert_false(stack->no_memory);
}

/* As behind an instruction that set SP to something else. */
static inline void land(struct tl_xtrace_call_stack *stack, struct tl_xtrace_stack_op op)
{
	op.switched = TL_XTRACE_SWITCHED_STACK;
	apply(stack, op);
}

/* The functions of the frames, from the bottom. */
static inline void assert_stack(const struct tl_xtrace_call_stack *stack, const uint64_t *functions)
{
	size_t depth = 0;

	for (; functions[depth] != END; depth++) {
		assert_true(depth < stack->depth);
		assert_int_equal(stack->frames[depth].function,
				 place(0, functions[depth]).function);
	}
	assert_int_equal(stack->depth, depth);
}

#define STACK(...) ((const uint64_t[]){ __VA_ARGS__, END })

/* Calls of a function, on all paths. */
static inline uint64_t calls_of(const struct tl_xtrace_call_stack *stack, uint64_t pc)
{
	uint64_t calls = 0;

	for (size_t i = 0; i < stack->contexts.count; i++)
		if (stack->contexts.list[i].function == place(0, pc).function)
			calls += stack->contexts.list[i].calls;
	return calls;
}

#endif
