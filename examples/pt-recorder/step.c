/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program, one instruction at a time (PTRACE_SINGLESTEP). What the trace is to say is settled
 * here: an instruction counts when it has retired, a repeated string instruction once, a faulting
 * one not until it is run again.
 */
#include "recorder.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TICKS_SIGNAL = 3000 };

struct step {
	pid_t pid;
	struct trace *trace;
	struct image *image;
	FILE *list;
	struct step_account *account;
	struct insn insn; /* at which the program stands */
	int inject;       /* the signal to be delivered with the next step */
};

static bool instruction_pointer(const struct step *step, uint64_t *ip)
{
	long value;

	errno = 0;
	value = ptrace(PTRACE_PEEKUSER, step->pid, offsetof(struct user, regs.rip), 0);
	*ip = (uint64_t)value;
	return !errno;
}

static void retire(struct step *step, uint64_t next)
{
	struct step_account *account = step->account;

	account->insns++;
	account->hash = ((account->hash << 5 | account->hash >> 59) ^ step->insn.ip) *
			UINT64_C(0x9E3779B97F4A7C15);
	account->syscalls += step->insn.class == INSN_SYSCALL;
	if (step->list)
		fwrite(&step->insn.ip, sizeof(step->insn.ip), 1, step->list);
	image_ran(step->image, &step->insn);
	trace_retired(step->trace, &step->insn, next);
}

/* May control go from this instruction to `next`? Else the trace would not say what happened. */
static bool follows(const struct insn *insn, uint64_t next)
{
	switch (insn->class) {
	case INSN_COND:
		return next == insn->ip + insn->size || next == insn->target;
	case INSN_CALL:
	case INSN_JUMP:
		return next == insn->target;
	case INSN_OTHER:
	case INSN_REPEAT:
	case INSN_CALL_NEXT:
		return next == insn->ip + insn->size;
	default:
		return true;
	}
}

/* Is there a handler? From the mask of caught signals in /proc/PID/status. */
static bool caught(pid_t pid, int number)
{
	char path[64], line[256];
	uint64_t mask = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	file = fopen(path, "r");
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "SigCgt: %" SCNx64, &mask) == 1)
			break;
	if (file)
		fclose(file);
	return mask >> (number - 1) & 1;
}

/* Signals that do nothing by default; and those that stop a program, which nobody would continue.
 */
static bool harmless(int number)
{
	switch (number) {
	case SIGCHLD:
	case SIGURG:
	case SIGWINCH:
	case SIGCONT:
	case SIGSTOP:
	case SIGTSTP:
	case SIGTTIN:
	case SIGTTOU:
		return true;
	default:
		return false;
	}
}

/*
 * A signal is about to be delivered. The instruction has retired if control left it; else it
 * faulted, or was not begun. The handler, if there is one, is where the next step leads, without an
 * instruction being run.
 */
static void on_signal(struct step *step, int number)
{
	uint64_t ip;

	if (!instruction_pointer(step, &ip))
		return;
	if (ip != step->insn.ip)
		retire(step, ip);
	step->inject = harmless(number) && !caught(step->pid, number) ? 0 : number;
	if (!step->inject)
		return;
	step->account->signals++;
	trace_interrupted(step->trace, ip, TICKS_SIGNAL);
}

/* False: a repeated instruction is not done yet. */
static bool on_step(struct step *step)
{
	uint64_t ip;

	if (!instruction_pointer(step, &ip))
		return true;
	if (step->insn.class == INSN_REPEAT && ip == step->insn.ip)
		return false;
	if (!follows(&step->insn, ip))
		step->account->odd++;
	retire(step, ip);
	return true;
}

/* A breakpoint instruction of the program's own is a signal; all else that traps is our doing. */
static bool is_step(const struct step *step, int status)
{
	siginfo_t info;

	if (WSTOPSIG(status) != SIGTRAP)
		return false;
	return ptrace(PTRACE_GETSIGINFO, step->pid, 0, &info) < 0 || info.si_code != SI_KERNEL;
}

static bool fetch(struct step *step)
{
	uint8_t bytes[15];
	uint64_t ip;

	if (!instruction_pointer(step, &ip))
		return false;
	if (!insn_decode(&step->insn, ip, bytes, image_fetch(step->image, ip, bytes))) {
		/* It will fault, and never retire. */
		memset(&step->insn, 0, sizeof(step->insn));
		step->insn.ip = ip;
	}
	return true;
}

enum outcome { GOES_ON, ENDED };

static enum outcome wait_for(struct step *step, int *status)
{
	if (waitpid(step->pid, status, 0) < 0)
		return ENDED;
	if (WIFEXITED(*status) || WIFSIGNALED(*status))
		return ENDED;
	return GOES_ON;
}

/* Deliver a signal: one step into the handler, if the program lives on. */
static enum outcome deliver(struct step *step)
{
	int status, number = step->inject;

	step->inject = 0;
	if (ptrace(PTRACE_SINGLESTEP, step->pid, 0, number) < 0 || wait_for(step, &status) == ENDED)
		return ENDED;
	return status >> 8 == (SIGTRAP | PTRACE_EVENT_EXIT << 8) ? ENDED : GOES_ON;
}

static enum outcome one_step(struct step *step)
{
	int status;

	if (step->inject && deliver(step) == ENDED)
		return ENDED;
	if (!fetch(step))
		return ENDED;
	trace_at(step->trace, step->insn.ip);
	do {
		if (ptrace(PTRACE_SINGLESTEP, step->pid, 0, 0) < 0 ||
		    wait_for(step, &status) == ENDED)
			return ENDED;
		/* The system call that ends the program, or turns it into another one, has retired.
		 */
		if (status >> 16) {
			retire(step, 0);
			return ENDED;
		}
		if (!is_step(step, status)) {
			on_signal(step, WSTOPSIG(status));
			return GOES_ON;
		}
	} while (!on_step(step));
	return GOES_ON;
}

/*
 * The recorder and the program take turns, so that one processor is enough for both, and neither
 * has to wait until another processor wakes up.
 */
static void share_processor(void)
{
	cpu_set_t one;
	int here = sched_getcpu();

	if (here < 0 || here >= CPU_SETSIZE)
		return;
	CPU_ZERO(&one);
	CPU_SET((size_t)here, &one);
	sched_setaffinity(0, sizeof(one), &one);
}

static pid_t launch(char *const *argv)
{
	pid_t pid;
	int status;

	share_processor();
	pid = fork();
	if (pid == 0) {
		personality(ADDR_NO_RANDOMIZE);
		if (ptrace(PTRACE_TRACEME, 0, 0, 0) == 0)
			execvp(argv[0], argv);
		_exit(127);
	}
	if (pid > 0 && (waitpid(pid, &status, 0) < 0 || !WIFSTOPPED(status))) {
		errno = EPERM;
		return -1;
	}
	return pid;
}

/* Enough: tracing is turned off before the next instruction. */
static void stop(struct step *step)
{
	uint64_t ip;

	step->account->end = "the limit was reached";
	if (instruction_pointer(step, &ip))
		trace_interrupted(step->trace, ip, 0);
	kill(step->pid, SIGKILL);
	waitpid(step->pid, NULL, 0);
}

int step_program(char *const *argv, const struct step_options *options, struct trace *trace,
		 struct image **image, FILE *list, struct step_account *account)
{
	struct step step = { .trace = trace, .list = list, .account = account };

	account->hash = UINT64_C(0xcbf29ce484222325);
	account->end = "the program ended";
	step.pid = launch(argv);
	if (step.pid < 0 || ptrace(PTRACE_SETOPTIONS, step.pid, 0,
				   PTRACE_O_EXITKILL | PTRACE_O_TRACEEXIT | PTRACE_O_TRACEEXEC) < 0)
		return -1;
	*image = step.image = image_open(step.pid);
	if (!step.image)
		return -1;
	while (one_step(&step) == GOES_ON)
		if (options->limit && account->insns >= options->limit) {
			stop(&step);
			break;
		}
	trace_end(trace);
	return 0;
}
