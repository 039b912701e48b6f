/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_REWRITE_H
#define TL_XTRACE_REWRITE_H
/*
 * What has to be done with an instruction so that it does in a slice's program what it did in the
 * trace, and an instruction at another place than its own.
 */
#include "isa/a64/a64.h"
#include "xtrace/elf/code.h"

struct tl_xtrace_context_table;

enum tl_xtrace_rewrite {
	TL_XTRACE_UNSEEN,
	TL_XTRACE_AS_IT_IS,
	TL_XTRACE_CALL,      /* SVC: result and written bytes come back */
	TL_XTRACE_READ,      /* MRS of what the machine decides: the recorded value */
	TL_XTRACE_THREAD,    /* MSR TPIDR_EL0: sites keep a register there, so the value is noted */
	TL_XTRACE_EXCLUSIVE, /* as it is, but where another thread came in between */
	TL_XTRACE_SOME,      /* LDFF1: as many elements as the machine loaded */
	TL_XTRACE_SIGNED,    /* pointer authentication: keys are others, signatures are taken off */
	TL_XTRACE_REFUSED,
};

/* What an instruction needs; `*why` of what cannot run in a slice. Static. */
enum tl_xtrace_rewrite tl_xtrace_rewrite_of(const struct tl_a64 *insn, const char **why);

/*
 * Whether tl_xtrace_put_away() can do the instruction elsewhere: what needs a register that it has
 * not stays in its place. Static.
 */
bool tl_xtrace_can_move(const struct tl_a64 *insn);

/* An instruction of pointer authentication as one without. 0: that takes more than one. */
uint32_t tl_xtrace_without_signature(uint32_t opcode);

/* Where the code of a site finds what it shares with all others. */
struct tl_xtrace_away {
	uint64_t pc; /* the instruction's own place */
	uint32_t opcode;
	enum tl_xtrace_rewrite rewrite;
	const struct tl_xtrace_context_table *contexts;
	bool interrupted; /* a signal's handler begins behind it, wherever it leads */
};

/*
 * Code that does the same as the instruction at `away->pc`, and goes on where that would. NULL, or
 * why that cannot be done. Static.
 */
const char *tl_xtrace_put_away(struct tl_xtrace_code *code, const struct tl_xtrace_away *away);
/* A handler begins (handlers.c). X0 is the context, X0 to X2 are saved in it. */
void tl_xtrace_put_begin_handler(struct tl_xtrace_code *code);
/*
 * What the machine decided as it did: the status of STXR, the number of elements of LDFF1, which is
 * the result in the context. X0 is the context, X1 and X2 are saved in it.
 */
const char *tl_xtrace_put_decided(struct tl_xtrace_code *code, const struct tl_xtrace_away *away);

/* Whether a branch reaches so far. */
static inline bool tl_xtrace_branch_reaches(int64_t offset)
{
	return offset >= -(INT64_C(1) << 27) && offset < INT64_C(1) << 27;
}

#endif
