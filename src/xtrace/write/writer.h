/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XTRACE_WRITER_H
#define TL_XTRACE_WRITER_H
/* Writing in our own layout: what the writer of tokens and the cutter of streams share. */
#include "core/output.h"
#include "xtrace/format/layout.h"

/* A header of 24 bytes (2.2). */
void tl_xtrace_put_header(struct tl_output *out, const struct tl_xtrace_writer_options *options);

/* A record (2.3) for the vector length of `layout`, with the numbers of `snapshot`: file, index,
 * user, total. */
void tl_xtrace_put_record(struct tl_output *out, const struct tl_xtrace_layout *layout,
			  const struct tl_xtrace_snapshot *snapshot, uint64_t vector_bits);

/* Bytes of the instruction stream so far. */
uint64_t tl_xtrace_writer_bytes(const struct tl_xtrace_writer *writer);

/* tl_xtrace_writer_put(), for use inside the library. */
int tl_xtrace_write_token(struct tl_xtrace_writer *writer, const struct tl_xtrace_token *token,
			  struct tl_error *err);

/* Numbers as they stand in the files. */
void tl_xtrace_put32(struct tl_output *out, uint32_t value);
void tl_xtrace_put64(struct tl_output *out, uint64_t value);

#endif
