/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_SYMBOLS_EH_FRAME_H
#define TL_SYMBOLS_EH_FRAME_H
/*
 * The records of the exception tables of a little-endian file: CIEs and FDEs of .eh_frame (Linux
 * Standard Base, "Exception Frames") and the call sites in the language-specific data area of a
 * function (LSDA, in .gcc_except_table; Itanium C++ ABI, "Exception Handling Tables"); also those
 * of .debug_frame (DWARF 5, section 6.4.1). landing_pads.c and cfi/ look up one function, unwind.c
 * reads all.
 */
#include <tracelathe/symbols.h>

#include "core/cursor.h"

/* A cursor over a part of a section. Numbers that do not fit are 0 and make it bad. */
struct tl_eh_table {
	struct tl_cursor cur;
	uint64_t address; /* of the section's first byte */
	bool bad;
	bool is_32bit;    /* addresses have 4 bytes, else 8 */
	bool debug_frame; /* else .eh_frame: how a record names its CIE differs */
	bool is_wide;     /* a record of .debug_frame in the 64-bit format */
};

/* "DWARF Exception Header Encoding": a form, an origin, and whether the value is elsewhere. */
enum {
	TL_EH_SDATA4 = 0x0b,
	TL_EH_FORM = 0x0f,
	TL_EH_PCREL = 0x10,
	TL_EH_DATAREL = 0x30,
	TL_EH_ORIGIN = 0x70,
	TL_EH_INDIRECT = 0x80,
	TL_EH_OMIT = 0xff,
};

/*
 * The bytes of a section from an address on, in a file whose addresses have 4 bytes or 8; bad where
 * the section does not hold it.
 */
struct tl_eh_table tl_eh_table_at(const struct tl_section *section, uint64_t address,
				  bool is_32bit);

/* A number of 1, 2, 4 or 8 bytes. */
uint64_t tl_eh_take(struct tl_eh_table *table, unsigned size);
uint64_t tl_eh_take_leb(struct tl_eh_table *table, bool is_signed);
/* A number in the form of an encoding. */
uint64_t tl_eh_take_form(struct tl_eh_table *table, unsigned encoding);
/*
 * A pointer, 0: none. `data` is the origin of TL_EH_DATAREL, 0: there is none. Pointers to pointers
 * are none: the loader fills the place they lead to.
 */
uint64_t tl_eh_take_pointer(struct tl_eh_table *table, unsigned encoding, uint64_t data);

/* Common information entry: what the FDEs naming it have in common. */
struct tl_eh_cie {
	uint8_t pointers, lsda; /* encodings */
	bool is_augmented;      /* FDEs have augmentation data */
	bool is_signal;         /* what it describes was not called, but interrupted */
	uint64_t code_align;
	int64_t data_align;
	uint64_t return_register;
	struct tl_eh_table instructions;
};

/* Frame description entry: one function. */
struct tl_eh_fde {
	uint64_t start, size;
	uint64_t lsda; /* 0: none */
	struct tl_eh_table instructions;
};

/*
 * The address of the FDE of the last function that begins at an address or before it, of those in
 * the table of .eh_frame_hdr, which `index` is at the beginning of. False: there is none, or the
 * table is not one of pairs in order.
 */
bool tl_eh_find(const struct tl_eh_table *index, uint64_t ip, uint64_t *found);
/* Whether .eh_frame_hdr has such a table. */
bool tl_eh_is_index(const struct tl_eh_table *index);

/* The record at an offset of `frames`, behind its length. False: the last one, or cut short. */
bool tl_eh_record_at(const struct tl_eh_table *frames, uint64_t offset, struct tl_eh_table *record);
/* Whether a record is an FDE: `cie` is then the offset of its CIE, `record` behind that field. */
bool tl_eh_is_fde(struct tl_eh_table *record, uint64_t *cie);
/* The CIE at an offset. False: it is none, or of a kind that is not known. */
bool tl_eh_read_cie(const struct tl_eh_table *frames, uint64_t offset, struct tl_eh_cie *cie);
/* False: cut short. `record` is as tl_eh_is_fde() left it. */
bool tl_eh_read_fde(struct tl_eh_table *record, const struct tl_eh_cie *cie, struct tl_eh_fde *fde);

/* One call, or row of calls, of a function, by its LSDA. */
struct tl_eh_call {
	uint64_t start, size;
	uint64_t pad;    /* where an exception goes on, 0: in the caller */
	uint64_t action; /* 1 + offset of an action record, 0: cleaning up */
};

struct tl_eh_calls {
	struct tl_eh_table table; /* call sites that are left */
	struct tl_eh_table actions;
	uint8_t encoding;
	uint64_t function, pads; /* origins of calls and of landing pads */
};

/* False: the function has no LSDA, or none that can be read. */
bool tl_eh_calls_begin(struct tl_eh_calls *calls, const struct tl_section *lsdas,
		       const struct tl_eh_fde *fde);
/* The next call; false at the end and at damage. */
bool tl_eh_calls_next(struct tl_eh_calls *calls, struct tl_eh_call *call);

#endif
