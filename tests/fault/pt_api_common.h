/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_FAULT_PT_API_COMMON_H
#define TESTS_FAULT_PT_API_COMMON_H
/* What both ways of driving the drop-in have in common. */
#include <intel-pt.h>

#include "pt_api.h"

int pt_api_read(uint8_t *buffer, size_t size, const struct pt_asid *asid, uint64_t ip,
		void *context);
/* Of the file, if there is one: a decoder then knows how much code there can be, and asks for far
 * less memory. */
struct pt_image *pt_api_image(const struct pt_api_input *input);
struct pt_config pt_api_config(const struct pt_api_input *input);
/* What is wrong with a result; NULL: nothing. */
const char *pt_api_status(int status);
const char *pt_api_block(int status, const struct pt_block *block);
const char *pt_api_insn(int status, const struct pt_insn *insn);

#endif
