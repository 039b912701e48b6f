/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_SYMBOLS_JITDUMP_H
#define TL_SYMBOLS_JITDUMP_H
/*
 * Code that a run-time compiler wrote down: a jitdump file (jit-PID.dump), as described by
 * tools/perf/Documentation/jitdump-specification.txt of Linux. A function is known by the offset of
 * its code in the file, since one address may have been that of several functions, one after the
 * other.
 */
#include "core/cursor.h"
#include "core/memory.h"
#include "symbols/elf/symtab.h"

#include <tracelathe/symbols.h>

enum { TL_JITDUMP_ARCH_TIME = 1 << 0 }; /* flag: times are ticks of the processor's counter */

/* Code that is at an address from a time on: it was compiled, or moved there. */
struct tl_jitdump_code {
	uint64_t time, address, size;
	uint64_t offset; /* of its bytes in the file */
	/* beginnings of the records: of the code, and of its lines; 0: it has none */
	uint64_t record, lines;
	const char *name; /* in the file's memory */
	uint64_t index;   /* number of the function */
};

struct tl_jitdump {
	const uint8_t *data;
	size_t size;
	bool mapped; /* `data` is, by tl_jitdump_open() */
	struct tl_cursor cursor;
	bool swapped;
	uint32_t machine; /* EM_... */
	uint64_t flags;
	/* What was compiled so far, for moves: by index, the last one counts. */
	struct tl_jitdump_code *codes;
	size_t count, capacity;
	struct tl_index by_index;
	uint64_t lines_at, lines_address; /* the last table of lines, for the next code */
	uint64_t damage; /* offset of the first record that is none, TL_NOWHERE: all was read */
	bool no_memory;
};

/* 0; TL_BAD_FORMAT: it is no jitdump file, TL_IO, TL_NO_MEMORY. */
int tl_jitdump_open(struct tl_jitdump *dump, const char *path, struct tl_error *err);
/* The same on bytes of the caller, which must live as long. */
int tl_jitdump_open_memory(struct tl_jitdump *dump, const uint8_t *data, size_t size,
			   struct tl_error *err);
bool tl_jitdump_is(const char *path);
/* False at the end, at damage, and without memory. */
bool tl_jitdump_next(struct tl_jitdump *dump, struct tl_jitdump_code *code);
void tl_jitdump_close(struct tl_jitdump *dump);

/* ---- its functions, by the offsets of their code ---- */

struct tl_jit_line {
	uint64_t offset, end; /* of code in the file; the end is that of the function */
	const char *file;
	uint32_t line;
};

struct tl_jit_code {
	struct tl_jitdump dump; /* names are in its memory */
	struct tl_jit_line *lines;
	size_t count, capacity;
};

/* Read all; symbols are added, with their offsets as addresses. As tl_jitdump_open(). */
int tl_jit_code_read(struct tl_jit_code *code, const char *path, struct tl_symtab *symbols,
		     struct tl_error *err);
/* The same of a dump that is open; it is closed with the code. */
int tl_jit_code_take(struct tl_jit_code *code, struct tl_symtab *symbols, struct tl_error *err);
/* Set the file and line of an offset, where it has one. */
void tl_jit_code_line(const struct tl_jit_code *code, uint64_t offset, struct tl_symbol *symbol);
void tl_jit_code_free(struct tl_jit_code *code);

#endif
