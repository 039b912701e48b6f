/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_TEST_SITUATIONS_H
#define TL_TEST_SITUATIONS_H
/*
 * Small traces made up packet by packet, decoded by Debian's libipt and by ours in one process,
 * through the same published functions. What each says is written down as text; the texts must be
 * the same (docs/libipt.md has what differs).
 *
 * A situation is a line of words, so that one can be tried by hand:
 *
 *   [cpu=F/M | errata=MASK] [mtc_freq=N] [nom_freq=N] [eax=N] [ebx=N] [filter=A-B] PACKET...
 *
 * packets.c says which words there are for packets.
 */
#include <intel-pt.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- the two libraries ---- */

#define LIBRARY_FUNCTIONS(X)                                                                       \
	X(pt_library_version)                                                                      \
	X(pt_cpu_errata)                                                                           \
	X(pt_qry_alloc_decoder)                                                                    \
	X(pt_qry_free_decoder)                                                                     \
	X(pt_qry_sync_forward)                                                                     \
	X(pt_qry_cond_branch)                                                                      \
	X(pt_qry_indirect_branch)                                                                  \
	X(pt_qry_event)                                                                            \
	X(pt_qry_time)                                                                             \
	X(pt_qry_core_bus_ratio)                                                                   \
	X(pt_insn_alloc_decoder)                                                                   \
	X(pt_insn_free_decoder)                                                                    \
	X(pt_insn_sync_forward)                                                                    \
	X(pt_insn_set_image)                                                                       \
	X(pt_insn_next)                                                                            \
	X(pt_insn_event)                                                                           \
	X(pt_insn_time)                                                                            \
	X(pt_insn_core_bus_ratio)                                                                  \
	X(pt_blk_alloc_decoder)                                                                    \
	X(pt_blk_free_decoder)                                                                     \
	X(pt_blk_sync_forward)                                                                     \
	X(pt_blk_set_image)                                                                        \
	X(pt_blk_next)                                                                             \
	X(pt_blk_event)                                                                            \
	X(pt_blk_time)                                                                             \
	X(pt_blk_core_bus_ratio)                                                                   \
	X(pt_image_alloc)                                                                          \
	X(pt_image_free)                                                                           \
	X(pt_image_set_callback)

struct library {
#define LIBRARY_MEMBER(name) __typeof__(name) *name;
	LIBRARY_FUNCTIONS(LIBRARY_MEMBER)
#undef LIBRARY_MEMBER
	struct pt_image *image; /* of code.c */
};

/* ---- what is said ---- */

typedef unsigned long long ull;

struct text {
	char bytes[1 << 16];
	size_t size;
};

/*
 * What a PSB+ in running flow says, libipt gives at the last place where it used trace, and we at
 * the address that the PSB+ names (docs/libipt.md), so that it stands apart.
 */
struct answer {
	struct text flow, status;
	bool less; /* leave out what differs on purpose */
};

__attribute__((format(printf, 2, 3))) void say(struct text *text, const char *format, ...);
void clear_answer(struct answer *answer);

/* An event, whosever it is. */
struct head {
	int type;
	bool suppressed, status, has_tsc;
	uint64_t tsc;
	uint32_t lost_mtc, lost_cyc;
	uint64_t words[3]; /* what the published structure has behind that */
};

/* Time and ratio; a positive status of the ratio: not asked. */
struct now {
	int status, cbr_status;
	uint64_t tsc;
	uint32_t lost_mtc, lost_cyc, cbr;
};

void say_event(struct answer *answer, const struct head *event);
void say_time(struct text *text, const struct now *now);
void say_insn(struct text *text, uint64_t ip, int mode, bool speculative);
/* A block, taken apart. */
void say_block(struct text *text, uint64_t ip, uint64_t end_ip, unsigned count, int mode,
	       bool speculative);
/* A synchronisation, and the status that decoding from there ends with. */
void say_sync(struct answer *answer, int status);
void say_end(struct answer *answer, int status);

/* ---- a situation ---- */

struct situation {
	uint16_t family;
	uint8_t model;
	bool by_cpu; /* errata from pt_cpu_errata(), else those below */
	struct pt_errata errata;
	uint8_t mtc_freq, nom_freq;
	uint64_t filter_first, filter_last; /* 0: no filter */
	uint32_t eax, ebx;
	uint8_t trace[4096];
	size_t size;
};

/* False: a word that means nothing, which is printed. */
bool read_situation(struct situation *situation, const char *line);

/* ---- the code that all traces run ---- */

int read_code(uint8_t *buffer, size_t size, const struct pt_asid *asid, uint64_t ip, void *context);
/* The address behind an instruction in the middle of a block; 0: it is none of that code. */
uint64_t after_insn(uint64_t ip);

/* ---- decoding ---- */

enum face { QUERY, INSNS, BLOCKS, FACES };

enum {
	SYNCS_MOST = 4,
	CALLS_MOST = 400, /* an endless loop of code ends somewhere */
};

void decode(const struct library *library, enum face face, const struct situation *situation,
	    struct answer *answer);
/* By tl_pt_*, as 2.0.5 gives events (TL_PT_CLASSIC). */
void decode_native(enum face face, const struct situation *situation, struct answer *answer);

/* ---- comparing ---- */

/* What 2.0.5 and tl_pt_* answer differently on purpose. */
bool is_known(enum face face, const char *line);

enum sameness {
	SAME,
	SAME_TO_ERROR, /* up to an error of both */
	SAME_TO_STOP,  /* of one */
	DIFFERENT,
	SAMENESSES
};

enum sameness how_same(enum face face, const struct answer *theirs, const struct answer *ours);

/* ---- many of them ---- */

typedef void situation_fn(void *context, const char *line);

/* Every `every`th of them. */
void all_overflows(unsigned long every, situation_fn *fn, void *context);
void all_errata(unsigned long every, situation_fn *fn, void *context);
void all_clocks(unsigned long count, situation_fn *fn, void *context);

#endif
