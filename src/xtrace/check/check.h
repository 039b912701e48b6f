/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_CHECK_H
#define TL_XTRACE_CHECK_H
/*
 * The parts of the checker. check.c moves one struct tl_xtrace_check_stream along each stream and
 * passes it every token. An instruction is judged when the next one begins, since its tokens stand
 * behind it (A21).
 */
#include "core/memory.h"
#include "core/tables/at_first.h"
#include "isa/a64/a64_access.h"
#include "xtrace/state/vector_registers.h"
#include "xtrace/format/walk.h"
#include "xtrace/state/registers.h"
#include "xtrace/state/shadow.h"
#include "xtrace/state/syscall_writes.h"

/* Kinds of tokens as bits of `seen`: accesses. */
enum { TL_XTRACE_CHECK_ACCESSES = 1 << TL_XTRACE_LOAD | 1 << TL_XTRACE_STORE };

/* The rules, in the order of docs/formats/xtrace.md. */
enum tl_xtrace_rule_number {
	TL_XTRACE_RULE_DIALECT,
	TL_XTRACE_RULE_TOKEN,
	TL_XTRACE_RULE_GRAMMAR_PLACE,
	TL_XTRACE_RULE_GRAMMAR_OWNER,
	TL_XTRACE_RULE_GRAMMAR_MISSING,
	TL_XTRACE_RULE_GRAMMAR_TWICE,
	TL_XTRACE_RULE_GRAMMAR_TIME,
	TL_XTRACE_RULE_OPCODE,
	TL_XTRACE_RULE_OPCODE_CHANGED,
	TL_XTRACE_RULE_PC_ALIGNMENT,
	TL_XTRACE_RULE_PC_CONTINUITY,
	TL_XTRACE_RULE_PC_BRANCH,
	TL_XTRACE_RULE_PC_TARGET,
	TL_XTRACE_RULE_EL_RETURN,
	TL_XTRACE_RULE_EL_VECTOR,
	TL_XTRACE_RULE_EL_REGISTERS,
	TL_XTRACE_RULE_TIME_ORDER,
	TL_XTRACE_RULE_TIME_UNIQUE,
	TL_XTRACE_RULE_ACCESS_DIRECTION,
	TL_XTRACE_RULE_ACCESS_SIZE,
	TL_XTRACE_RULE_ACCESS_ADDRESS,
	TL_XTRACE_RULE_ACCESS_VALUE,
	TL_XTRACE_RULE_ACCESS_MISSING,
	TL_XTRACE_RULE_MEMORY_VALUE,
	TL_XTRACE_RULE_REGISTER_VALUE,
	TL_XTRACE_RULE_NAME_HINT,
	TL_XTRACE_RULE_HEADER_STREAM,
	TL_XTRACE_RULE_HEADER_DIVISION,
	TL_XTRACE_RULE_HEADER_ORDER,
	TL_XTRACE_RULE_HEADER_POINT,
	TL_XTRACE_RULE_HEADER_GROUP,
	TL_XTRACE_RULE_SNAPSHOT_FILE,
	TL_XTRACE_RULE_SNAPSHOT_OFFSET,
	TL_XTRACE_RULE_SNAPSHOT_ORDER,
	TL_XTRACE_RULE_SNAPSHOT_COUNT,
	TL_XTRACE_RULE_SNAPSHOT_VECTOR,
	TL_XTRACE_RULE_SNAPSHOT_REGISTERS,
	TL_XTRACE_RULE_COUNT
};

/* PSTATE.SM, which SME needs for most of its instructions. */
enum tl_xtrace_check_streaming {
	TL_XTRACE_CHECK_ANY_MODE,
	TL_XTRACE_CHECK_NEEDS_STREAMING,
	TL_XTRACE_CHECK_SETS_STREAMING,
};

/*
 * Properties of an opcode, cached. Two lines of a processor's cache, of which the effect on
 * registers is the second: what every instruction is asked for stands together.
 */
struct tl_xtrace_check_opcode {
	struct tl_a64 a64;
	uint32_t belongs; /* kinds of tokens that may stand behind it, as bits */
	uint32_t wants;   /* those that must, if this collector writes them */
	bool simple;      /* goes on behind itself */
	bool inert;       /* needs no tokens, and changes no register */
	bool computes;    /* needs no tokens, and changes registers by what is in them alone */
	struct tl_a64_access access;
	uint32_t vector_writes; /* V0 to V31, as bits */
	bool changes_code;      /* opcodes may be others behind it */
	uint8_t streaming;      /* enum tl_xtrace_check_streaming */
	uint8_t unused[2];
	struct tl_xtrace_insn_effect effect;
};

enum {
	TL_XTRACE_CHECK_CACHE_BITS = TL_AT_FIRST(13, 5),
	TL_XTRACE_CHECK_CACHE_LINE = 64,
	TL_XTRACE_CHECK_SYSREGS = 5,
};

struct tl_xtrace_check_cache {
	struct tl_xtrace_check_opcode slots[1 << TL_XTRACE_CHECK_CACHE_BITS];
};

_Static_assert(sizeof(void *) != 8 ||
		       sizeof(struct tl_xtrace_check_opcode) == 2 * TL_XTRACE_CHECK_CACHE_LINE,
	       "slots are at the beginning of a line");

/*
 * Stores of threads whose streams are not there, or not in an order with the others': loads that
 * differ may have found these, and are told once, with their number.
 */
struct tl_xtrace_check_unseen {
	bool possible;
	uint32_t streams, made; /* of the group; threads that system calls have made */
	uint64_t loads;
	struct tl_xtrace_check_stream *stream; /* of the first of these */
	uint64_t offset, record, pc;
};

/* A memory that one or several streams share, and the address spaces in it. */
struct tl_xtrace_check_memory {
	struct tl_xtrace_shadow shadow;
	uint64_t *spaces; /* TTBR0 values, by number */
	size_t space_count, space_capacity;
	/* Where the kernel writes 0 when a thread ends: addresses. */
	uint64_t *thread_ids;
	size_t thread_id_count, thread_id_capacity;
	/* Mappings whose bytes may change without a store at their addresses. */
	struct tl_xtrace_written_range *shared;
	size_t shared_count, shared_capacity;
	struct tl_xtrace_check_unseen unseen;
};

/* An instruction and what stood behind it. */
struct tl_xtrace_check_insn {
	const struct tl_xtrace_check_opcode *op;
	uint64_t pc, offset, ordinal;
	uint64_t target, result; /* of TARGET_B; of MRS or STXR */
	uint64_t flags;          /* of FLAGS, or an MRS or MSR of NZCV */
	const uint8_t *load;     /* its first load's bytes; NULL: none */
	uint32_t load_size;
	uint32_t seen;  /* kinds of tokens behind it, as bits */
	uint32_t lacks; /* kinds that are missing, unless an exception came between */
	uint8_t el, rank, svcargs;
	bool pc_known, has_flags;
	bool incomplete;  /* accesses are missing, unless it faulted */
	bool misdirected; /* an access of the wrong direction was told */
	/* As long as `seen` says that there were accesses: bytes loaded and stored, and where. */
	uint32_t accessed[2];
	uint64_t first_access;
	/* Of system calls: as long as `svcargs` and `seen` say that they were there. */
	uint64_t args[7];
	const uint8_t *iovecs;
	uint64_t iovec_count;
};

/* A break of the PC that may be a signal, as long as its handler runs. */
struct tl_xtrace_check_signal {
	enum tl_xtrace_rule_number rule; /* that is broken if it is none */
	bool confirmed;
	uint64_t offset, record, pc;
	uint64_t from, target; /* the instruction before, and where it may have gone */
	uint64_t sp;           /* there; 0: unknown */
};
enum { TL_XTRACE_CHECK_SIGNALS = 16, TL_XTRACE_CHECK_HANDLERS = 16 };

/* Signals whose handlers run, and addresses of handlers. */
struct tl_xtrace_check_signals {
	struct tl_xtrace_check_signal list[TL_XTRACE_CHECK_SIGNALS]; /* the innermost is the last */
	size_t count;
	uint64_t handlers[TL_XTRACE_CHECK_HANDLERS]; /* the last ones that were confirmed */
	size_t next_handler;
	bool probes_sp; /* SP of the innermost handler is still to be found */
};

/* Instructions so far, against those that snapshots count. */
struct tl_xtrace_check_counts {
	uint64_t ordinal, user;
	bool known;                     /* no gap since the beginning, or since the last snapshot */
	uint64_t total_base, user_base; /* the counts of a snapshot less ours */
};

/* System registers that only MSR changes. */
struct tl_xtrace_check_sysregs {
	uint64_t values[TL_XTRACE_CHECK_SYSREGS];
	uint32_t known; /* bits */
};

/* The system call that SVCRET ends. */
struct tl_xtrace_check_pending {
	bool pending;
	bool unknown; /* nothing is known of calls before: a beginning, or damage */
	uint64_t args[7];
	uint64_t result, result_at; /* SVCRET before this instruction, and its offset; 0: none */
	uint64_t process, thread;   /* their numbers, as calls have said; 0: none has */
};

/* What is open in the published text, as this collector does it. */
struct tl_xtrace_check_dialect {
	uint32_t required; /* kinds of tokens, as bits */
	uint8_t svcargs;   /* of a system call */
	bool dc_any;       /* DC behind any instruction on caches */
	bool time_behind;  /* TIME behind an access */
	bool time_each;    /* one for each access */
};

/* What the beginning of a stream shows, for headers to be held against. */
struct tl_xtrace_check_content {
	bool kernel;  /* instructions above EL0 */
	bool returns; /* SVCRET */
	bool timed;   /* TIME */
	uint64_t accesses;
	bool late; /* its thread was at work before it begins, which it has not yet */
};

/* The opcode at an address. */
struct tl_xtrace_check_code_slot {
	uint64_t pc;
	uint32_t opcode;
	uint32_t generation; /* 0: a free slot */
	bool told;           /* another one was there since */
};

/* Opcodes by their addresses (code.c). Zero-filled: nothing is known, but for `generation`. */
struct tl_xtrace_check_code {
	struct tl_xtrace_check_code_slot *slots; /* open addressing; NULL: none yet */
	size_t mask, count;
	uint32_t generation; /* of those that nothing has changed since */
	uint64_t edition;    /* counts changes that blocks have to be held against */
	/* One of the last instructions differs, and it is not known yet whether it is the only one;
	 * what was there before, how many behind it were as before, and where the last one that
	 * differed is, if there was any. */
	bool differs, others;
	uint32_t expected, alike;
	uint64_t pc, offset, record;
};

/* The next snapshot. */
struct tl_xtrace_check_next {
	uint32_t next;
	uint64_t file;     /* number of the stream's file, as the first one says */
	const uint8_t *at; /* its place in the stream; NULL: no more snapshots */
};

/* Memory of the running program. */
struct tl_xtrace_check_program {
	uint64_t heap_end;   /* 0: unknown */
	bool not_streaming;  /* PSTATE.SM is known to be 0 */
	unsigned space;      /* number of the value of TTBR0 */
	uint32_t zero_block; /* bytes that DC ZVA clears */
};

/* Instructions at an address, by its PC and the token byte. */
struct tl_xtrace_check_slot {
	uint64_t pc;
	struct tl_xtrace_check_block *blocks;
	uint8_t head; /* 0: a free slot */
	uint8_t visits, made;
};

/* Blocks that were judged (block.h). */
struct tl_xtrace_check_blocks {
	struct tl_xtrace_check_slot *slots; /* open addressing; NULL: there are no blocks */
	size_t mask, count;
	struct tl_arena arena;
	/*
	 * The block that the last instructions were of, and the addresses that it leads to; NULL:
	 * they were judged one by one.
	 */
	struct tl_xtrace_check_block *last;
	uint64_t next, other;
	/* The opcode of the last instruction, once another opcode has its slot of the cache. */
	struct tl_xtrace_check_opcode last_opcode;
};

/* Where the walk over a stream is. */
struct tl_xtrace_check_place {
	size_t segment;
	bool over;   /* behind the last one */
	bool judged; /* the last instruction was: a boundary came behind it */
};

/* The TIME tokens of a stream. */
struct tl_xtrace_check_clock {
	bool any;
	uint64_t last;
};

struct tl_xtrace_check_stream {
	struct tl_xtrace_checker *check;
	struct tl_xtrace_stream *stream;
	struct tl_xtrace_check_memory *memory;
	struct tl_xtrace_walk walk;
	struct tl_xtrace_check_place place;

	struct tl_xtrace_check_insn last; /* op NULL: none before, or it was lost */
	struct tl_xtrace_registers registers;
	struct tl_xtrace_vectors vectors;
	struct tl_xtrace_check_counts counts;
	struct tl_xtrace_check_sysregs sysregs;
	const uint8_t *allgpr; /* at this boundary */
	struct tl_xtrace_check_pending syscall;
	struct tl_xtrace_check_clock clock;
	struct tl_xtrace_check_program program;
	struct tl_xtrace_check_signals signals;
	struct tl_xtrace_check_next snapshots;
	struct tl_xtrace_check_dialect dialect;
	struct tl_xtrace_check_content content;
	struct tl_xtrace_check_blocks blocks;
	struct tl_xtrace_check_code code;
};

struct tl_xtrace_checker {
	struct tl_xtrace_trace *trace;
	tl_xtrace_violation_fn *fn;
	void *arg;
	int64_t violations;
	int status;        /* stopped: negative, or 1 by the caller's wish */
	char expected[80]; /* for the violation that is to be told next; empty: nothing */
	struct tl_xtrace_check_cache *cache;
	struct tl_xtrace_check_stream *streams;
	uint64_t last_time; /* of all streams in their common order */
	uint32_t last_time_stream;
	bool merged;
	bool plainly; /* without blocks */
};

/* tl_xtrace_check(), instruction by instruction: what blocks (block.h) must not change. */
int64_t tl_xtrace_check_plainly(struct tl_xtrace_trace *trace, tl_xtrace_violation_fn *fn,
				void *arg, struct tl_error *err);

/* opcode.c: the cache of opcodes, and another one in a slot. */
struct tl_xtrace_check_cache *tl_xtrace_check_make_cache(void);
void tl_xtrace_check_replace(struct tl_xtrace_checker *c, struct tl_xtrace_check_opcode *op,
			     uint32_t opcode);

/* The properties of an opcode, until the next is looked up. */
static inline const struct tl_xtrace_check_opcode *tl_xtrace_check_look(struct tl_xtrace_checker *c,
									uint32_t opcode)
{
	struct tl_xtrace_check_opcode *op =
		&c->cache->slots[opcode * 0x9e3779b1u >> (32 - TL_XTRACE_CHECK_CACHE_BITS)];

	if (__builtin_expect(op->a64.opcode != opcode, 0))
		tl_xtrace_check_replace(c, op, opcode);
	return op;
}

/* code.c: whether code may be another behind an instruction; behind a system call, of which the
 * number may not be known; behind whatever has changed it. */
bool tl_xtrace_check_changes_code(uint32_t opcode);
void tl_xtrace_check_code_call(struct tl_xtrace_check_stream *s, bool known, uint64_t number);
void tl_xtrace_check_code_forget(struct tl_xtrace_check_code *code);
void tl_xtrace_check_code_free(struct tl_xtrace_check_code *code);

/* header.c: the header and the name of a stream, whose dialect was found; those of a group. */
void tl_xtrace_check_header(struct tl_xtrace_check_stream *s);
void tl_xtrace_check_group_headers(struct tl_xtrace_check_stream *streams, uint32_t count);

/* dialect.c: look at the beginning of the stream, for `dialect` and `content`. */
void tl_xtrace_check_find_dialect(struct tl_xtrace_check_stream *s);

/* violation.c: what should have been there, for the next violation, which tells it. */
__attribute__((format(printf, 2, 3))) void tl_xtrace_expected(struct tl_xtrace_check_stream *s,
							      const char *format, ...);
/* A rule was broken. `record`, `pc`: TL_NOWHERE where there is none. */
void tl_xtrace_report(struct tl_xtrace_check_stream *s, enum tl_xtrace_rule_number rule,
		      uint64_t offset, uint64_t record, uint64_t pc);
/* The same, of an instruction or what belongs to it. */
void tl_xtrace_report_insn(struct tl_xtrace_check_stream *s, enum tl_xtrace_rule_number rule,
			   uint64_t offset);
/* Told, not counted, if the check is not strict: loads that may have found what was not seen. */
void tl_xtrace_report_unseen(const struct tl_xtrace_check_unseen *unseen);
/* How this collector writes: told, not counted. */
void tl_xtrace_report_dialect(struct tl_xtrace_check_stream *s, const char *text);
/* A walk ended at damage; the stream's goes on behind it, or not. */
void tl_xtrace_report_damage(struct tl_xtrace_check_stream *s, const struct tl_xtrace_walk *at,
			     bool goes_on);
/* No memory: stop. */
void tl_xtrace_check_no_memory(struct tl_xtrace_check_stream *s);

/* flow.c: an instruction follows another. */
void tl_xtrace_check_flow(struct tl_xtrace_check_stream *s,
			  const struct tl_xtrace_check_insn *next);

/* Whether a conditional branch leads to its target, or behind itself. Not known: both. */
void tl_xtrace_check_ways(const struct tl_xtrace_registers *registers, uint32_t opcode, bool *taken,
			  bool *not_taken);

/* blocks.c: without memory there are none, and instructions are judged one by one. */
void tl_xtrace_check_blocks_begin(struct tl_xtrace_check_blocks *blocks);
void tl_xtrace_check_blocks_free(struct tl_xtrace_check_blocks *blocks);
/*
 * The instruction before is judged, and the next one stands at w->next. True: it and some behind
 * it were of a block, and the walk is behind them.
 */
bool tl_xtrace_check_take_block(struct tl_xtrace_check_stream *s, struct tl_xtrace_walk *w,
				const uint8_t *limit);

/* signals.c: where only EL0 is traced. A break of the PC that may be a signal; whether the present
 * instruction is behind one, a handler's first; an access while probes_sp; SP when a handler
 * begins; what follows rt_sigreturn; the end of the stream, or damage. */
void tl_xtrace_check_signal(struct tl_xtrace_check_stream *s, enum tl_xtrace_rule_number rule,
			    const struct tl_xtrace_check_insn *next);
bool tl_xtrace_check_signal_begins(const struct tl_xtrace_check_stream *s);
void tl_xtrace_check_signal_access(struct tl_xtrace_check_stream *s, uint64_t address);
void tl_xtrace_check_signal_sp(struct tl_xtrace_check_stream *s, uint64_t sp);
void tl_xtrace_check_signal_return(struct tl_xtrace_check_stream *s, uint64_t pc);
void tl_xtrace_check_signals_end(struct tl_xtrace_check_stream *s);

/* grammar.c: a token behind an instruction, false if it is none of its tokens; an instruction
 * and all of its tokens; the opcode's part of it; what is missing, once the next instruction
 * shows that there was no exception; a token at a boundary; an instruction of EL0, which ends a
 * system call. */
bool tl_xtrace_check_token(struct tl_xtrace_check_stream *s, enum tl_xtrace_kind kind);
void tl_xtrace_check_complete(struct tl_xtrace_check_stream *s, bool cut);
void tl_xtrace_check_classify(struct tl_xtrace_check_opcode *op);
/* Whether a system call has iovecs: its number, and how many there are. */
bool tl_xtrace_check_has_vectors(uint64_t number, uint64_t length);
void tl_xtrace_check_lacking(struct tl_xtrace_check_stream *s);
void tl_xtrace_check_boundary(struct tl_xtrace_check_stream *s, enum tl_xtrace_kind kind);
void tl_xtrace_check_call_over(struct tl_xtrace_check_stream *s,
			       const struct tl_xtrace_check_insn *next);

/* Of loads and stores of vectors and of general registers: how many bytes are of each register, and
 * which one a byte is of. */
static inline uint32_t tl_xtrace_check_of_one(const struct tl_a64_access *a)
{
	return a->bytes / (a->in_a_row ? (uint32_t)a->in_a_row : a->registers);
}

static inline unsigned tl_xtrace_check_register_at(const struct tl_a64_access *a, uint32_t byte)
{
	uint32_t number = byte / tl_xtrace_check_of_one(a);

	if (a->in_a_row)
		return (a->rt + number) % TL_A64_VECTORS;
	return number ? a->rt2 : a->rt;
}

static inline bool tl_xtrace_check_of_vectors(const struct tl_a64_access *a)
{
	return a->vector || a->in_a_row;
}

/* accesses.c: an access of the last instruction, false if it is of another
 * direction or at another place than the instruction's; all of them; some are missing,
 * and the instruction behind shows that it did not fault. */
bool tl_xtrace_check_access_of_insn(struct tl_xtrace_check_stream *s, bool store);
void tl_xtrace_check_accesses_end(struct tl_xtrace_check_stream *s);
void tl_xtrace_check_incomplete(struct tl_xtrace_check_stream *s);

/* memory.c: a stream's memory, which it may have alone in a group of so many streams; its end. */
void tl_xtrace_check_memory_begin(struct tl_xtrace_check_stream *s, uint32_t streams, bool ordered);
void tl_xtrace_check_memory_end(const struct tl_xtrace_check_memory *memory);
void tl_xtrace_check_access(struct tl_xtrace_check_stream *s, enum tl_xtrace_kind kind);
/* The bytes there are unknown from here on. */
void tl_xtrace_check_forget(struct tl_xtrace_check_stream *s, uint64_t address, uint64_t size);
void tl_xtrace_check_forget_all(struct tl_xtrace_check_stream *s);
/* DC ZVA and what a system call wrote. */
void tl_xtrace_check_zero(struct tl_xtrace_check_stream *s, uint64_t address);
void tl_xtrace_check_syscall(struct tl_xtrace_check_stream *s);
void tl_xtrace_check_syscall_done(struct tl_xtrace_check_stream *s, uint64_t result);
void tl_xtrace_check_space(struct tl_xtrace_check_stream *s, uint64_t ttbr0);
/* Damage: stores, and changes of the address space, may be among the tokens that are lost. */
void tl_xtrace_check_memory_lost(struct tl_xtrace_check_stream *s);

/* registers.c */
void tl_xtrace_check_value(struct tl_xtrace_check_stream *s, enum tl_xtrace_kind kind,
			   uint64_t value);
void tl_xtrace_check_all_registers(struct tl_xtrace_check_stream *s, const uint8_t *values,
				   bool sp);
/* `interrupted`: an exception may have kept it from ending. */
void tl_xtrace_check_execute(struct tl_xtrace_check_stream *s, bool interrupted);

/* The system registers of a snapshot; false: they differ from what is known. */
bool tl_xtrace_check_sysregs(struct tl_xtrace_check_stream *s, const uint64_t *values);

/* syscall_results.c: an instruction behind SVCRET. */
void tl_xtrace_check_result(struct tl_xtrace_check_stream *s, uint64_t pc);

/* snapshots.c */
void tl_xtrace_check_snapshots_begin(struct tl_xtrace_check_stream *s);
/*
 * The walk stands on an instruction at or behind the next snapshot's offset: whether that is its
 * place, and the counts, before the instruction is looked at; then, when it is known how it was
 * come to, the registers.
 */
bool tl_xtrace_check_snapshot_place(struct tl_xtrace_check_stream *s, enum tl_xtrace_kind kind);
void tl_xtrace_check_snapshot_state(struct tl_xtrace_check_stream *s, bool in_place);
void tl_xtrace_check_snapshots_end(struct tl_xtrace_check_stream *s);

#endif
