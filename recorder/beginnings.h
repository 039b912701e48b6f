/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RECORDER_BEGINNINGS_H
#define RECORDER_BEGINNINGS_H
/* Where the functions of a loaded object begin, by what it has to say: call frames, symbols. */
#include <link.h>

#include "elf_file.h"

struct rt_beginnings {
	const struct dl_phdr_info *info;
	const uint8_t *table; /* of .eh_frame_hdr; NULL: there is none */
	uint32_t table_count;
	uint8_t *marks; /* a bit for each address from `first` on; NULL: no symbols */
	uint64_t first, count;
};

void rt_beginnings_open(struct rt_beginnings *begin, const struct dl_phdr_info *info,
			const struct rt_elf *file);
void rt_beginnings_close(struct rt_beginnings *begin);
/* Whether a function begins at an address of the process. */
bool rt_begins(const struct rt_beginnings *begin, uint64_t address);

#endif
