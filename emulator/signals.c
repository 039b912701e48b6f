/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Signals. QEMU tells plugins nothing of them: a handler is known from rt_sigaction, its delivery
 * from the frame that the kernel's interface prescribes, and a block that is left in its middle
 * from the host's own signal.
 */
#include <signal.h>
#include <string.h>

#include "emulator.h"

enum {
	SIGNALS = 64,
	/* in the frame at RSP: return address, then ucontext with the registers */
	FRAME_REGISTERS = 8 + 40,
	FRAME_RDI = FRAME_REGISTERS + 8 * 8,
	FRAME_RSP = FRAME_REGISTERS + 15 * 8,
	FRAME_RIP = FRAME_REGISTERS + 16 * 8,
};

/* What the program has told the kernel. */
static struct {
	uint64_t handlers[SIGNALS + 1], restorers[SIGNALS + 1];
	bool any;
} known;

/* QEMU's own handlers. */
static struct sigaction of_qemu_segv, of_qemu_bus;

void signals_set(uint64_t number, uint64_t handler, uint64_t restorer)
{
	if (number > SIGNALS)
		return;
	known.handlers[number] = handler;
	known.restorers[number] = restorer;
	if (handler > (uint64_t)(uintptr_t)SIG_IGN)
		known.any = true;
}

bool signals_any(void)
{
	return known.any;
}

static uint64_t guest_word(uint64_t address)
{
	uint64_t word;

	memcpy(&word, host_address(address), sizeof(word));
	return word;
}

static bool is_of_instruction(uint64_t number)
{
	return number == SIGSEGV || number == SIGBUS || number == SIGFPE || number == SIGILL ||
	       number == SIGTRAP;
}

/* A handler is about to begin; called as a plain function, it returns to somewhere else. */
static bool begins(uint64_t ip, uint64_t stack, uint64_t number)
{
	return number - 1 < SIGNALS && known.handlers[number] == ip &&
	       guest_word(stack) == known.restorers[number];
}

/*
 * Several signals at once have a frame each, and the last one's handler begins first: the others'
 * are interrupted before their first instruction. The first frame has the program's place.
 */
bool signals_delivered(uint64_t ip, const struct guest *guest, const struct block *before,
		       struct delivery *delivery)
{
	uint64_t stack = guest->registers[RSP], number = guest->registers[RDI];

	if (!known.any || !begins(ip, stack, number))
		return false;
	do {
		delivery->interrupted = ip = guest_word(stack + FRAME_RIP);
		delivery->is_fault = is_of_instruction(number);
		number = guest_word(stack + FRAME_RDI);
		stack = guest_word(stack + FRAME_RSP);
	} while (ip != before->ip && begins(ip, stack, number));
	return true;
}

/* QEMU's handler comes back if it could mend the fault; else it leaves the block by a jump. */
static void on_fault(int number, siginfo_t *info, void *context)
{
	struct stream *s = own_stream;
	const struct block *block = s ? s->current : NULL;
	const bool marks = block && block->kind != BLOCK_NONE && block->kind != BLOCK_LEFT;

	if (marks) {
		s->left = block;
		s->current = &s->interrupted;
	}
	(number == SIGBUS ? &of_qemu_bus : &of_qemu_segv)->sa_sigaction(number, info, context);
	if (marks)
		s->current = block;
}

static void wrap(int number, struct sigaction *before)
{
	struct sigaction action;

	if (sigaction(number, NULL, before))
		return;
	action = *before;
	action.sa_sigaction = on_fault;
	sigaction(number, &action, NULL);
}

/* Once QEMU has set its own. */
void signals_wrap(void)
{
	wrap(SIGSEGV, &of_qemu_segv);
	wrap(SIGBUS, &of_qemu_bus);
}
