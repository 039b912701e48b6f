/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_ETM_PACKETS_FILE_H
#define TL_ETM_PACKETS_FILE_H
/* A trace as a file has it: its sources, their registers, and what in it is no packets. */
#include "core/faults/fault_list.h"
#include "etm/packets/reader.h"

/* What a file does not say of itself; zero-filled: what fits its packets best. */
struct tl_etm_registers {
	uint32_t idr0, idr1, idr2, idr8, configr; /* 0: not given */
	uint32_t traceidr;                        /* of frames: this source alone; 0: all */
};

struct tl_etm_file {
	struct tl_etm_trace trace;
	struct tl_etm_config config;
	bool is_assumed; /* not all of the registers were given */
	uint8_t ids[TL_ETM_IDS];
	size_t source_count;
	struct tl_fault_list faults;
};

/*
 * Find the sources; `file` is zero-filled but for `faults.strict`, and `data` lives as long. 0;
 * TL_BAD_FORMAT: nothing in it can be decoded.
 */
int tl_etm_file_open(struct tl_etm_file *file, const uint8_t *data, size_t size,
		     const struct tl_etm_registers *registers, struct tl_error *err);
void tl_etm_file_close(struct tl_etm_file *file);

/* Begin with a source, by its number below source_count. */
void tl_etm_file_begin(const struct tl_etm_file *file, struct tl_etm_reader *reader, size_t source);
/*
 * The next packet; bytes that are no packets are noted as faults. 1; 0: the end; negative: no
 * memory, or in strict mode the first fault.
 */
int tl_etm_file_next(struct tl_etm_file *file, struct tl_etm_reader *reader,
		     struct tl_etm_packet *packet, struct tl_error *err);

#endif
