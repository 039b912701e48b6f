/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PROFILE_COVERAGE_COVERAGE_H
#define TL_PROFILE_COVERAGE_COVERAGE_H
/*
 * Coverage: how often each instruction of a program was executed, and how often each branch led
 * from where to where. Counts are exact; they saturate. A format that lists what was executed fills
 * one, names and lines are added from the program's files, and exporters write it.
 *
 * An address is that of the object's file: where it was mapped is subtracted.
 */
#include "core/memory.h"

enum tl_branch_kind {
	TL_BRANCH_NONE, /* of an instruction: it is no branch */
	TL_BRANCH_CONDITIONAL,
	TL_BRANCH_JUMP,
	TL_BRANCH_INDIRECT_JUMP,
	TL_BRANCH_CALL,
	TL_BRANCH_INDIRECT_CALL,
	TL_BRANCH_RETURN,
	TL_BRANCH_SYSTEM, /* system calls, software interrupts, and returns from them */
	TL_BRANCH_ASYNC,  /* an interrupt, a signal: from no branch */
	TL_BRANCH_KINDS,
};

struct tl_coverage_object {
	const char *path;
	const char *file; /* an ELF file, for names and lines; NULL: none */
	uint64_t bias;    /* added to its addresses where it was mapped first */
	uint64_t base;    /* where the beginning of the file was mapped then */
};

/* Where code comes from: a line of a function, which may have been inlined into another place. */
struct tl_coverage_place {
	const char *function; /* linkage name; "" */
	const char *file;     /* "" */
	uint32_t line, discriminator;
	uint32_t declared; /* line of the function's declaration, 0: unknown */
	uint32_t caller;   /* the place that it was inlined at, TL_NONE: it was not */
};

struct tl_coverage_insn {
	uint64_t address, count;
	uint32_t object;
	uint32_t place;    /* TL_NONE: unknown */
	uint32_t function; /* number of the symbol, TL_NONE: unknown */
	uint8_t size;      /* 0: only a line of code begins here, which was not executed */
	uint8_t kind;      /* enum tl_branch_kind */
};

struct tl_coverage_function {
	const char *name; /* linkage name */
	const char *file; /* of its first line */
	uint64_t start, size;
	uint32_t object, line;
};

struct tl_coverage_edge {
	uint64_t from, to, count;
	uint32_t from_object, to_object;
	uint8_t kind;
	bool falls; /* a conditional branch that was not taken */
};

struct tl_coverage {
	struct tl_coverage_object *objects;
	struct tl_coverage_insn *insns;
	struct tl_coverage_edge *edges;
	struct tl_coverage_place *places;
	struct tl_coverage_function *functions;
	size_t object_count, insn_count, edge_count, place_count, function_count;
	size_t object_room, insn_room, edge_room, place_room, function_room;
	struct tl_index by_address, by_edge, by_place, by_function;
	struct tl_names names;
};

/* The number of an object; added if it is new. TL_NONE: no memory. */
uint32_t tl_coverage_object(struct tl_coverage *coverage, const char *path, const char *file,
			    uint64_t bias, uint64_t base);
/* Add to the count of an instruction or an edge. False: no memory. */
bool tl_coverage_add_insn(struct tl_coverage *coverage, const struct tl_coverage_insn *insn);
void tl_coverage_count(struct tl_coverage *coverage, uint32_t insn, uint64_t count);
bool tl_coverage_add_edge(struct tl_coverage *coverage, const struct tl_coverage_edge *edge);
/* The number of an instruction, TL_NONE: it is not there. */
uint32_t tl_coverage_find(const struct tl_coverage *coverage, uint32_t object, uint64_t address);
/* The number of an equal place or function, added if it is new. TL_NONE: no memory. */
uint32_t tl_coverage_place(struct tl_coverage *coverage, const struct tl_coverage_place *place);
uint32_t tl_coverage_function(struct tl_coverage *coverage,
			      const struct tl_coverage_function *function);
/*
 * Put instructions, edges and functions in the order of object and address. Nothing can be added
 * afterwards.
 */
bool tl_coverage_finish(struct tl_coverage *coverage);
void tl_coverage_free(struct tl_coverage *coverage);

/* The word for a kind of branch. */
const char *tl_branch_name(enum tl_branch_kind kind);

#endif
