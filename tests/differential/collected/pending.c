/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signals that wait while a handler runs, or are blocked: their handlers begin where the one before
 * ends, once or several times, with and without changes of what was interrupted, on a stack of
 * their own, and in handlers that leave no trace of their frame.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

static char stack[1 << 16];
static volatile uint64_t sum, rounds;

static void leaf(int number)
{
	sum = sum * 31 + (uint64_t)number;
}

static void again(int number)
{
	sum = sum * 33 + (uint64_t)number;
	if (++rounds % 4)
		raise(number);
}

static void change(int number, siginfo_t *info, void *arg)
{
	mcontext_t *context = &((ucontext_t *)arg)->uc_mcontext;

	/* X20, which the next handler finds, and what is interrupted. */
	context->regs[20] += (uint64_t)info->si_signo;
	sum = sum * 37 + (uint64_t)number;
	raise(SIGUSR1);
	raise(SIGHUP);
}

/* X20 and a vector register over a signal. */
static __attribute__((noinline)) uint64_t send(int number, uint64_t value)
{
	const long own = getpid(), its = gettid();
	register uint64_t x20 __asm__("x20") = value;
	register double d9 __asm__("d9") = (double)value * 0.75;
	register long call __asm__("x8") = SYS_tgkill, process __asm__("x0") = own;
	register long thread __asm__("x1") = its, which __asm__("x2") = number;

	__asm__ volatile("svc #0"
			 : "+r"(x20), "+w"(d9), "+r"(process)
			 : "r"(call), "r"(thread), "r"(which)
			 : "memory");
	return x20 * 7 + (uint64_t)(d9 * 4);
}

static void on(int number, void *handler, int flags)
{
	struct sigaction action = { .sa_sigaction = (void (*)(int, siginfo_t *, void *))handler,
				    .sa_flags = flags };

	sigaddset(&action.sa_mask, SIGUSR1);
	sigaddset(&action.sa_mask, SIGUSR2);
	sigaddset(&action.sa_mask, SIGHUP);
	sigaction(number, &action, NULL);
}

int main(void)
{
	const stack_t own = { .ss_sp = stack, .ss_size = sizeof(stack) };
	sigset_t both;

	sigaltstack(&own, NULL);
	sigemptyset(&both);
	sigaddset(&both, SIGUSR1);
	sigaddset(&both, SIGHUP);
	__asm__ volatile("hint #9");
	on(SIGUSR1, (void *)leaf, 0);
	on(SIGUSR2, (void *)change, SA_SIGINFO);
	on(SIGHUP, (void *)again, SA_ONSTACK);
	for (uint64_t i = 0; i < 3; i++) {
		sum = sum * 31 + send(SIGHUP, i);
		sum = sum * 31 + send(SIGUSR2, i + 100);
		sigprocmask(SIG_BLOCK, &both, NULL);
		raise(SIGHUP);
		raise(SIGUSR1);
		sigprocmask(SIG_UNBLOCK, &both, NULL);
	}
	__asm__ volatile("hint #9");
	printf("%llx\n", (unsigned long long)sum);
	return 0;
}
