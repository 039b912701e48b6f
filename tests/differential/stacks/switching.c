/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Coroutines of every kind: stacks that take turns, by ways of switching that programs have.
 *
 *	switching HOW ORDER COUNTS
 *
 * HOW: ucontext, ret, jump, tail, inline, call, setjmp, altstack, preempt. ORDER: robin, random,
 * deep.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <ucontext.h>

#include "count.h"

enum { STACKS = 5, SIZE = 1 << 17, ROUNDS = 4 };

struct stack {
	void *sp, *ip;
	ucontext_t context;
	jmp_buf point;
	int started, finished;
};

static struct stack stacks[STACKS + 1]; /* [STACKS] is that of main() */
static char memory[STACKS][SIZE] __attribute__((aligned(64)));
static const char *how, *order;
static int alive;

void switch_ret(void **from, void *to);
void switch_jump(void **from, void *to);
void switch_tail(void **from, void *to);
void note_switch(void **from, void *to);
static void co(int id);
static void run(int to);

/* The registers that a call keeps, and the stack pointer. */
#define SAVE "push %rbp; push %rbx; push %r12; push %r13; push %r14; push %r15; mov %rsp, (%rdi);"
#define LOAD "pop %r15; pop %r14; pop %r13; pop %r12; pop %rbx; pop %rbp;"
__asm__(".text\n"
	".globl switch_ret; .type switch_ret, @function\n"
	"switch_ret:" SAVE "mov %rsi, %rsp;" LOAD "ret; .size switch_ret, . - switch_ret\n"
	".globl switch_jump; .type switch_jump, @function\n"
	"switch_jump:" SAVE "mov %rsi, %rsp;" LOAD
	"pop %r8; jmp *%r8; .size switch_jump, . - switch_jump\n"
	".globl switch_tail; .type switch_tail, @function\n"
	"switch_tail:" SAVE "mov %rsi, %rsp;" LOAD
	"jmp note_switch; .size switch_tail, . - switch_tail\n");

static volatile int switched;
ALONE void note_switch(void **from, void *to)
{
	(void)from;
	(void)to;
	switched++;
}

void begin_co(void);
void begin_co(void)
{
	co(current);
	abort();
}

static void make(struct stack *stack, int id)
{
	void **sp = (void **)(memory[id] + SIZE);

	/* Of the others, makecontext() has written there. */
	if (!strcmp(how, "ucontext") || !strcmp(how, "setjmp") || !strcmp(how, "preempt"))
		return;
	*--sp = 0;
	*--sp = (void *)begin_co;
	sp -= 6;
	memset(sp, 0, 6 * sizeof(*sp));
	stack->sp = sp;
	stack->ip = (void *)begin_co;
}

/* In the middle of a function: from its `sp` and `ip`, to those of the other. */
ALONE static void switch_inline(struct stack *from, struct stack *to)
{
	__asm__ volatile("push %%rbp; push %%rbx; push %%r12; push %%r13; push %%r14; push %%r15\n"
			 "lea 1f(%%rip), %%rax; mov %%rsp, (%0); mov %%rax, 8(%0)\n"
			 "mov (%1), %%rsp; jmp *8(%1)\n"
			 "1: pop %%r15; pop %%r14; pop %%r13; pop %%r12; pop %%rbx; pop %%rbp"
			 : "+D"(from), "+S"(to)
			 :
			 : "memory", "cc", "rax", "rcx", "rdx", "r8", "r9", "r10", "r11");
}

/* As switch_ret(), but a stack that is new begins by a call. */
void switch_call(void **from, void *to);
__asm__(".globl switch_call; .type switch_call, @function\n"
	"switch_call:" SAVE
	"mov %rsi, %rsp; call begin_co; ud2; .size switch_call, . - switch_call\n");

ALONE static void switch_setjmp(struct stack *from, struct stack *to)
{
	if (!_setjmp(from->point)) {
		if (to->started++)
			_longjmp(to->point, 1);
		setcontext(&to->context);
	}
}

static void trampoline(int signal)
{
	int id = current;

	(void)signal;
	if (_setjmp(stacks[id].point)) {
		begin_co();
	}
}

static void run(int to)
{
	struct stack *from = &stacks[current], *next = &stacks[to];

	if (next == from)
		return;
	current = to;
	if (!strcmp(how, "ucontext") || !strcmp(how, "preempt"))
		swapcontext(&from->context, &next->context);
	else if (!strcmp(how, "ret"))
		switch_ret(&from->sp, next->sp);
	else if (!strcmp(how, "jump"))
		switch_jump(&from->sp, next->sp);
	else if (!strcmp(how, "tail"))
		switch_tail(&from->sp, next->sp);
	else if (!strcmp(how, "call"))
		(next->started++ ? switch_ret : switch_call)(&from->sp, next->sp);
	else if (!strcmp(how, "inline"))
		switch_inline(from, next);
	else
		switch_setjmp(from, next);
}

static int next_stack(void)
{
	int to = current;

	if (!strcmp(order, "pair"))
		/* one that has finished comes back at once */
		return current == STACKS ? (int)chance(STACKS) : STACKS;
	do
		to = !strcmp(order, "random") ? (int)chance(STACKS) : (to + 1) % STACKS;
	while (stacks[to].finished);
	return to;
}

static void handler(int signal)
{
	(void)signal;
	count(HANDLER);
	run(next_stack());
	done();
}

ALONE static void yield(void)
{
	count(YIELD);
	if (!strcmp(how, "preempt"))
		raise(SIGUSR1);
	else
		run(next_stack());
	done();
}

ALONE static int work(int depth, int x)
{
	int result;

	count(WORK);
	if (!depth) {
		yield();
		result = leaf(x);
	} else {
		result = work(depth - 1, x + 1);
		if (chance(3) == 0)
			yield();
		result += leaf(x);
	}
	done();
	return result;
}

ALONE static int step(int x)
{
	int result;

	count(STEP);
	result = work(2, x) + leaf(x);
	yield();
	done();
	return result;
}

static void finish(void)
{
	alive--;
	stacks[current].finished = 1;
}

ALONE static void co(int id)
{
	count(CO);
	for (int i = 0; i < ROUNDS; i++) {
		sink += work(1 + id * (strcmp(order, "deep") ? 2 : 9), i);
		if (id & 1)
			sink += step(i);
	}
	finish();
	for (;;)
		run(alive && strcmp(order, "pair") ? next_stack() : STACKS);
}

static void begin_context(struct stack *stack, int id)
{
	getcontext(&stack->context);
	stack->context.uc_stack.ss_sp = memory[id];
	stack->context.uc_stack.ss_size = SIZE;
	stack->context.uc_link = NULL;
	makecontext(&stack->context, (void (*)(void))co, 1, id);
}

static void begin_altstack(int id)
{
	struct sigaction action = { .sa_handler = trampoline, .sa_flags = SA_ONSTACK };
	stack_t stack = { .ss_sp = memory[id], .ss_size = SIZE };

	current = id;
	sigaction(SIGUSR2, &action, NULL);
	sigaltstack(&stack, NULL);
	raise(SIGUSR2);
	stack.ss_flags = SS_DISABLE;
	sigaltstack(&stack, NULL);
	current = STACKS;
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_NODEFER };

	if (argc != 4)
		return 2;
	how = argv[1];
	order = argv[2];
	current = STACKS;
	alive = STACKS;
	stacks[STACKS].started = 1;
	sigaction(SIGUSR1, &action, NULL);
	for (int i = 0; i < STACKS; i++) {
		begin_context(&stacks[i], i);
		make(&stacks[i], i);
		if (!strcmp(how, "altstack"))
			begin_altstack(i);
		stacks[i].started = !strcmp(how, "altstack");
	}
	if (!strcmp(order, "pair"))
		while (alive)
			run(next_stack());
	else
		run(0);
	return write_counts(argv[3]);
}
