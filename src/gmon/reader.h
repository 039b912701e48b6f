/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_GMON_READER_H
#define TL_GMON_READER_H
/*
 * gmon.out: histograms of where the program counter was, counts of calls, counts of blocks
 * (docs/formats/gmon.md). The file says neither its byte order nor the size of its addresses: the
 * version tells the one, what fits the whole file tells the other.
 */
#include "core/cursor.h"
#include "core/faults/fault_list.h"

enum tl_gmon_kind { TL_GMON_HISTOGRAM = 0, TL_GMON_ARC = 1, TL_GMON_BLOCKS = 2 };

enum { TL_GMON_HEADER = 20, TL_GMON_DIMENSION = 15 };

struct tl_gmon_record {
	enum tl_gmon_kind kind;
	uint64_t offset, number;
	/* histogram: bins of the same size from low to high, 16 bits each */
	uint64_t low, high;
	uint32_t bin_count, rate;              /* samples a second */
	char dimension[TL_GMON_DIMENSION + 1]; /* "seconds" */
	char abbreviation;
	/* arc: an address behind the call, and one in the called function */
	uint64_t from, self;
	uint64_t count;        /* of calls; of blocks: how many there are */
	struct tl_cursor data; /* bins, or blocks: an address and a count each */
};

struct tl_gmon_file {
	const uint8_t *data;
	size_t size;
	bool swap;
	unsigned word; /* bytes of an address: 4 or 8 */
	uint32_t version;
	struct tl_cursor cur;
	uint64_t next_number;
	struct tl_fault_list faults;
};

int tl_gmon_probe(const uint8_t *data, size_t size);

/* `word`: 4 or 8, where a binary tells; 0: find out. 0 or negative. */
int tl_gmon_open(struct tl_gmon_file *g, const uint8_t *data, size_t size, unsigned word,
		 struct tl_error *err);
void tl_gmon_close(struct tl_gmon_file *g);
/* The next record: 1; 0 at the end; or negative. Behind a damaged one nothing can be read. */
int tl_gmon_next(struct tl_gmon_file *g, struct tl_gmon_record *record, struct tl_error *err);
/* Begin again at the first record. */
void tl_gmon_rewind(struct tl_gmon_file *g);

/* Bin `number` of a histogram, and the address at which it begins; that of bin_count is `high`. */
uint32_t tl_gmon_bin(const struct tl_gmon_file *g, const struct tl_gmon_record *record,
		     uint32_t number);
uint64_t tl_gmon_bin_address(const struct tl_gmon_record *record, uint32_t number);
/* Block `number`: its address and how often it ran. */
uint64_t tl_gmon_block(const struct tl_gmon_file *g, const struct tl_gmon_record *record,
		       uint64_t number, uint64_t *count);

#endif
