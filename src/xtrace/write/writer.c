/* SPDX-License-Identifier: Apache-2.0 */
/* Writing a pair of files, token by token, snapshot by snapshot (section 7). */
#include "xtrace/write/writer.h"

#include <stdlib.h>

#include "core/arithmetic.h"
#include "core/cursor.h"
#include "core/error.h"
#include "core/sized.h"

struct tl_xtrace_writer {
	struct tl_output *stream, *snapshots;
	struct tl_xtrace_layout layout;
	uint64_t bytes;       /* of the instruction stream */
	uint64_t user, total; /* instructions */
	uint64_t pc;          /* of the last one */
	uint8_t el;
	bool begun; /* the next instruction may be an INST */
};

/* ---- numbers and records ---- */

void tl_xtrace_put32(struct tl_output *out, uint32_t value)
{
	value = TL_HOST_BIG_ENDIAN ? __builtin_bswap32(value) : value;
	tl_put_bytes(out, &value, sizeof(value));
}

void tl_xtrace_put64(struct tl_output *out, uint64_t value)
{
	value = TL_HOST_BIG_ENDIAN ? __builtin_bswap64(value) : value;
	tl_put_bytes(out, &value, sizeof(value));
}

static void put_zeros(struct tl_output *out, uint64_t count)
{
	for (; count >= 8; count -= 8)
		tl_xtrace_put64(out, 0);
	while (count-- > 0)
		tl_put_char(out, 0);
}

/* `have` bytes where `want` are needed: cut, or filled with zeros. */
static void put_sized(struct tl_output *out, const uint8_t *data, uint64_t have, uint64_t want)
{
	uint64_t size = tl_min(have, want);

	if (size)
		tl_put_bytes(out, data, (size_t)size);
	put_zeros(out, want - size);
}

void tl_xtrace_put_header(struct tl_output *out, const struct tl_xtrace_writer_options *options)
{
	tl_xtrace_put32(out, TL_XTRACE_MAGIC);
	tl_xtrace_put32(out, options->global_snapshot);
	tl_xtrace_put64(out, 1);
	tl_put_char(out, (char)options->division);
	tl_put_char(out, (char)options->stream_type);
	tl_put_char(out, (char)options->access_order);
	put_zeros(out, 5);
}

void tl_xtrace_put_record(struct tl_output *out, const struct tl_xtrace_layout *layout,
			  const struct tl_xtrace_snapshot *s, uint64_t vector_bits)
{
	struct tl_xtrace_record_layout r = tl_xtrace_record_layout(layout);
	uint32_t vector = layout->vector_bits / 8;

	tl_xtrace_put64(out, s->file);
	tl_xtrace_put64(out, s->index);
	tl_xtrace_put64(out, s->user);
	tl_xtrace_put64(out, s->total);
	for (size_t i = 0; i < 32; i++)
		tl_xtrace_put64(out, s->x[i]);
	for (size_t i = 0; i < 32; i++)
		put_sized(out, s->z ? s->z + i * s->z_stride : NULL, s->z ? s->z_stride : 0,
			  r.z_stride);
	for (size_t i = 0; i < 16; i++)
		put_sized(out, s->p ? s->p + i * s->p_stride : NULL, s->p ? s->p_stride : 0,
			  r.p_stride);
	put_sized(out, s->ffr, s->ffr ? s->p_stride : 0, r.za - r.ffr);
	/* A matrix of another vector length is another matrix. */
	put_sized(out, s->za, s->za && s->vector_bytes == vector ? (uint64_t)vector * vector : 0,
		  r.sysregs - r.za);
	for (size_t i = 0; i < TL_XTRACE_SYSREGS; i++)
		tl_xtrace_put64(out, s->sysregs[i]);
	tl_xtrace_put64(out, vector_bits);
}

/* ---- the writer ---- */

int tl_xtrace_writer_open(struct tl_xtrace_writer **writer, struct tl_output *stream,
			  struct tl_output *snapshots,
			  const struct tl_xtrace_writer_options *options, struct tl_error *err)
{
	struct tl_xtrace_writer_options taken;
	uint32_t bits = 128;
	struct tl_xtrace_writer *w;
	int status =
		tl_take_options(&taken, sizeof(taken), sizeof(taken), options, options->size, err);

	*writer = NULL;
	if (status < 0)
		return status;
	if (taken.vector_bits)
		bits = taken.vector_bits;
	if (bits > 2048 || bits % 128)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "a vector length is 128 to 2048 bits in steps of 128");
	w = calloc(1, sizeof(*w));
	if (!w)
		return tl_error_memory(err);
	w->stream = stream;
	w->snapshots = snapshots;
	w->layout = tl_xtrace_own_layout(bits);
	if (snapshots)
		tl_xtrace_put_header(snapshots, &taken);
	*writer = w;
	return 0;
}

static void put_byte(struct tl_xtrace_writer *w, enum tl_xtrace_kind kind, unsigned parameter)
{
	tl_put_char(w->stream, (char)tl_xtrace_token_byte(kind, parameter));
	w->bytes++;
}

static void put_number(struct tl_xtrace_writer *w, uint64_t value)
{
	tl_xtrace_put64(w->stream, value);
	w->bytes += 8;
}

static void put_data(struct tl_xtrace_writer *w, const struct tl_xtrace_token *token)
{
	tl_put_bytes(w->stream, token->data, (size_t)token->data_size);
	w->bytes += token->data_size;
}

/* "PCINST at file start, at each snapshot offset, at every non-sequential PC and EL change"
 * (section 7). */
static int put_instruction(struct tl_xtrace_writer *w, const struct tl_xtrace_token *t)
{
	bool with_pc = t->pc_known && (t->kind == TL_XTRACE_PCINST || !w->begun || t->el != w->el ||
				       t->pc != w->pc + 4);

	put_byte(w, with_pc ? TL_XTRACE_PCINST : TL_XTRACE_INST, t->el & 3u);
	if (with_pc)
		put_number(w, t->pc);
	tl_xtrace_put32(w->stream, t->opcode);
	w->bytes += 4;
	w->pc = t->pc;
	w->el = t->el;
	w->begun = t->pc_known;
	w->total++;
	w->user += !t->el;
	return 0;
}

static int put_access(struct tl_xtrace_writer *w, const struct tl_xtrace_token *t,
		      struct tl_error *err)
{
	unsigned log2 = 0;

	while (log2 < 8 && UINT64_C(1) << log2 < t->data_size)
		log2++;
	if (t->data_size != UINT64_C(1) << log2)
		return tl_error_at(err, TL_BAD_USAGE, w->bytes,
				   "an access has 1, 2, 4 ... 256 bytes");
	put_byte(w, t->kind, log2);
	put_number(w, t->value);
	put_data(w, t);
	return 0;
}

static int put_block(struct tl_xtrace_writer *w, const struct tl_xtrace_token *t,
		     struct tl_error *err)
{
	bool vector = t->kind == TL_XTRACE_SYSCALL_VEC;
	uint64_t size = vector ? t->value * TL_XTRACE_IOVEC_BYTES : TL_XTRACE_GPR_BYTES;

	if ((vector && t->value > UINT64_MAX / TL_XTRACE_IOVEC_BYTES) || t->data_size != size)
		return tl_error_at(err, TL_BAD_USAGE, w->bytes,
				   "a token's data has not the size its kind needs");
	put_byte(w, t->kind, 0);
	if (vector)
		put_number(w, t->value);
	put_data(w, t);
	return 0;
}

int tl_xtrace_write_token(struct tl_xtrace_writer *w, const struct tl_xtrace_token *t,
			  struct tl_error *err)
{
	switch (t->kind) {
	case TL_XTRACE_INST:
	case TL_XTRACE_PCINST:
		return put_instruction(w, t);
	case TL_XTRACE_LOAD:
	case TL_XTRACE_STORE:
		return put_access(w, t, err);
	case TL_XTRACE_ALLGPR:
	case TL_XTRACE_SYSCALL_VEC:
		return put_block(w, t, err);
	default:
		if (!tl_xtrace_token_byte(t->kind, 0))
			return tl_error_at(err, TL_UNSUPPORTED, w->bytes,
					   "a token of no kind that can be written");
		put_byte(w, t->kind, 0);
		put_number(w, t->value);
		return 0;
	}
}

static int write_snapshot(struct tl_xtrace_writer *w, const struct tl_xtrace_snapshot *snapshot,
			  struct tl_error *err)
{
	struct tl_xtrace_snapshot s = *snapshot;

	if (!w->snapshots)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "the writer has no file for snapshots");
	s.file = 0;
	s.index = w->bytes;
	s.user = w->user;
	s.total = w->total;
	tl_xtrace_put_record(w->snapshots, &w->layout, &s, w->layout.vector_bits);
	w->begun = false;
	return 0;
}

uint64_t tl_xtrace_writer_bytes(const struct tl_xtrace_writer *w)
{
	return w->bytes;
}

int tl_xtrace_writer_finish(struct tl_xtrace_writer *w, struct tl_error *err)
{
	bool failed;

	if (!w)
		return 0;
	failed = tl_output_failed(w->stream) || (w->snapshots && tl_output_failed(w->snapshots));
	free(w);
	/* tl_output_commit() reports the cause. */
	return failed ? tl_error_at(err, TL_IO, TL_NOWHERE, "the output could not be written") : 0;
}

/* ---- structs of the caller, by their size ---- */

int tl_xtrace_writer_put(struct tl_xtrace_writer *w, const struct tl_xtrace_token *token,
			 size_t size, struct tl_error *err)
{
	struct tl_xtrace_token t;

	tl_take(&t, sizeof(t), token, size);
	return tl_xtrace_write_token(w, &t, err);
}

int tl_xtrace_writer_snapshot(struct tl_xtrace_writer *w, const struct tl_xtrace_snapshot *snapshot,
			      size_t size, struct tl_error *err)
{
	struct tl_xtrace_snapshot s;

	tl_take(&s, sizeof(s), snapshot, size);
	return write_snapshot(w, &s, err);
}
