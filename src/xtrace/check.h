/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_CHECK_H
#define TL_XTRACE_CHECK_H
/*
 * The checker's parts. One struct check_stream goes along each stream (check.c) and is told of
 * every token; instructions are judged when the next one begins, since what belongs to them stands
 * behind them (A21).
 */
#include "isa/a64/a64.h"
#include "xtrace/reader.h"
#include "xtrace/registers.h"
#include "xtrace/shadow.h"

/* The rules, in the order of docs/formats/xtrace.md. */
enum check_rule {
	RULE_TOKEN,
	RULE_GRAMMAR_PLACE,
	RULE_GRAMMAR_OWNER,
	RULE_GRAMMAR_MISSING,
	RULE_GRAMMAR_TIME,
	RULE_PC_ALIGNMENT,
	RULE_PC_CONTINUITY,
	RULE_PC_BRANCH,
	RULE_PC_TARGET,
	RULE_EL_RETURN,
	RULE_EL_VECTOR,
	RULE_EL_REGISTERS,
	RULE_TIME_ORDER,
	RULE_TIME_UNIQUE,
	RULE_MEMORY_VALUE,
	RULE_REGISTER_VALUE,
	RULE_SNAPSHOT_OFFSET,
	RULE_SNAPSHOT_ORDER,
	RULE_SNAPSHOT_COUNT,
	RULE_SNAPSHOT_VECTOR,
	RULE_SNAPSHOT_REGISTERS,
	RULE_COUNT
};

/* What an opcode means, remembered. */
struct check_opcode {
	struct tl_a64 a64;
	struct xtrace_effect effect;
	uint32_t belongs; /* kinds of tokens that may stand behind it, as bits */
	bool simple;      /* goes on behind itself */
	bool inert;       /* needs no tokens, and changes no register */
};

enum { CHECK_CACHE_BITS = 12, CHECK_SYSREGS = 5 };

struct check_cache {
	struct check_opcode slots[1 << CHECK_CACHE_BITS];
};

/* A memory that one or several streams share, and the address spaces in it. */
struct check_memory {
	struct xtrace_shadow shadow;
	uint64_t *spaces; /* TTBR0 values, by number */
	size_t space_count, space_capacity;
};

/* An instruction and what stood behind it. */
struct check_instruction {
	const struct check_opcode *op;
	uint64_t pc, offset, ordinal;
	uint64_t target, result; /* of TARGET_B; of MRS or STXR */
	const uint8_t *load;     /* its first load's bytes; NULL: none */
	uint32_t load_size;
	uint32_t seen; /* kinds of tokens behind it, as bits */
	uint8_t el, rank, svcargs;
	bool pc_known;
	/* Of system calls: as long as `svcargs` and `seen` say that they were there. */
	uint64_t args[7];
	const uint8_t *iovecs;
	uint64_t iovec_count;
};

/* A break of the PC that may be a signal, as long as its handler runs. */
struct check_signal {
	enum check_rule rule; /* that is broken if it is none */
	bool confirmed;
	uint64_t offset, record, pc;
	uint64_t from, target; /* the instruction before, and where it may have gone */
	uint64_t sp;           /* there; 0: unknown */
};
enum { CHECK_SIGNALS = 16, CHECK_HANDLERS = 16 };

struct check_stream {
	struct check *check;
	struct xtrace_stream *stream;
	struct check_memory *memory;
	struct xtrace_walk walk;
	size_t segment;
	bool over;

	struct check_instruction last; /* op NULL: none before, or it was lost */
	struct check_opcode kept; /* its opcode's, when another one took the place in the cache */
	bool ended;               /* it was judged: a boundary came behind it */
	struct xtrace_registers registers;
	uint64_t ordinal, user;         /* instructions so far */
	bool counts_known;              /* no gap since the beginning, or since the last snapshot */
	uint64_t count_base, user_base; /* a snapshot's counts less ours */
	uint64_t heap_end;              /* 0: unknown */
	uint64_t sysregs[CHECK_SYSREGS]; /* those that only MSR changes */
	uint32_t sysregs_known;          /* bits */
	const uint8_t *allgpr;           /* at this boundary */
	bool waits_for_svcret;
	uint64_t pending_args[7]; /* of the call that SVCRET ends */
	bool timed;               /* there was a TIME */
	uint64_t time;
	unsigned space;      /* number of TTBR0's value */
	uint32_t zero_block; /* bytes that DC ZVA clears */

	struct check_signal signals[CHECK_SIGNALS]; /* the innermost one is the last */
	size_t signal_count;
	uint64_t handlers[CHECK_HANDLERS]; /* places that were known for handlers last */
	size_t next_handler;
	bool probes_sp; /* the innermost one's SP is to be found */

	uint32_t next_snapshot;
	const uint8_t *snapshot_at; /* where it is; NULL: no more */
};

struct check {
	struct tl_xtrace *trace;
	tl_xtrace_violation_fn *fn;
	void *arg;
	int64_t violations;
	int status; /* stopped: negative, or 1 by the caller's wish */
	struct check_cache *cache;
	struct check_stream *streams;
	uint64_t last_time; /* of all streams in their common order */
	uint32_t last_time_stream;
	bool merged;
};

/* check.c: a rule was broken. `record`, `pc`: TL_NOWHERE where there is none. */
void tl_xtrace_violate(struct check_stream *s, enum check_rule rule, uint64_t offset,
		       uint64_t record, uint64_t pc);
/* The same, of an instruction or what belongs to it. */
void tl_xtrace_violate_at(struct check_stream *s, enum check_rule rule, uint64_t offset);
/* No memory: stop. */
void tl_xtrace_check_no_memory(struct check_stream *s);

/* check_flow.c: an instruction follows another. */
void tl_xtrace_check_flow(struct check_stream *s, const struct check_instruction *next);

/* check_signals.c: where only EL0 is traced. A break of the PC that may be a signal; an access
 * while probes_sp; what follows rt_sigreturn; the end of the stream, or damage. */
void tl_xtrace_check_signal(struct check_stream *s, enum check_rule rule,
			    const struct check_instruction *next);
void tl_xtrace_check_signal_access(struct check_stream *s, uint64_t address);
void tl_xtrace_check_signal_return(struct check_stream *s, uint64_t pc);
void tl_xtrace_check_signals_end(struct check_stream *s);

/* check_grammar.c: a token behind an instruction; an instruction and all of its tokens; the
 * opcode's part of it. */
void tl_xtrace_check_token(struct check_stream *s, enum tl_xtrace_kind kind);
void tl_xtrace_check_whole(struct check_stream *s, bool cut);
void tl_xtrace_check_opcode(struct check_opcode *op);

/* check_memory.c */
void tl_xtrace_check_access(struct check_stream *s, enum tl_xtrace_kind kind);
/* What is there now is not known. */
void tl_xtrace_check_forget(struct check_stream *s, uint64_t address, uint64_t size);
/* DC ZVA and what a system call wrote. */
void tl_xtrace_check_zero(struct check_stream *s, uint64_t address);
void tl_xtrace_check_call(struct check_stream *s);
void tl_xtrace_check_call_done(struct check_stream *s, uint64_t result);
void tl_xtrace_check_space(struct check_stream *s, uint64_t ttbr0);

/* check_registers.c */
void tl_xtrace_check_value(struct check_stream *s, enum tl_xtrace_kind kind, uint64_t value);
void tl_xtrace_check_all_registers(struct check_stream *s, const uint8_t *values, bool sp);
/* `interrupted`: an exception may have kept it from ending. */
void tl_xtrace_check_execute(struct check_stream *s, bool interrupted);

/* The system registers of a snapshot; false: they differ from what is known. */
bool tl_xtrace_check_sysregs(struct check_stream *s, const uint64_t *values);

/* check_snapshots.c */
void tl_xtrace_check_snapshots_begin(struct check_stream *s);
/* The walk stands on a token at or behind the next snapshot's offset. */
void tl_xtrace_check_snapshot(struct check_stream *s, enum tl_xtrace_kind kind);
void tl_xtrace_check_snapshots_end(struct check_stream *s);

/* syscalls.c: what a system call may have written, by its arguments (x8, x0 to x5) and its result.
 */
struct xtrace_written {
	uint64_t address, size;
};
enum { XTRACE_MOST_WRITTEN = 4 };
/* Returns how many ranges there are. `*everything`: the whole memory is another. */
unsigned tl_xtrace_syscall_writes(const uint64_t *args, uint64_t result,
				  struct xtrace_written written[XTRACE_MOST_WRITTEN],
				  bool *everything);
/* Whether a call may go on somewhere else than behind it: sigreturn, execve. */
bool tl_xtrace_syscall_jumps(uint64_t number);
/* Whether it is rt_sigreturn. */
bool tl_xtrace_syscall_ends_signal(uint64_t number);
/* Whether its result is the end of the heap. */
bool tl_xtrace_syscall_is_brk(uint64_t number);

#endif
