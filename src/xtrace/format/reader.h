/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_READER_H
#define TL_XTRACE_READER_H
/*
 * Reading a stream token by token or instruction by instruction, for use inside the library: as the
 * public functions of the same subject, without the size of the caller's struct.
 */
#include "xtrace/format/trace.h"

/* tl_xtrace_next_token() */
int tl_xtrace_read_token(struct tl_xtrace_reader *reader, struct tl_xtrace_token *token,
			 struct tl_error *err);
/* tl_xtrace_next() */
int tl_xtrace_read_instruction(struct tl_xtrace_reader *reader,
			       struct tl_xtrace_instruction *instruction, struct tl_error *err);
/* tl_xtrace_access_next() */
bool tl_xtrace_read_access(const struct tl_xtrace_reader *reader,
			   const struct tl_xtrace_instruction *instruction, uint64_t *at,
			   struct tl_xtrace_access *access);

#endif
