/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of one stream: segment after segment, token by token or instruction by instruction. */
#include "xtrace/format/reader.h"

#include <stdlib.h>

#include "core/error.h"
#include "core/sized.h"
#include "xtrace/format/walk.h"

struct tl_xtrace_reader {
	struct tl_xtrace_trace *trace;
	const struct tl_xtrace_stream *stream;
	size_t segment; /* of the walk */
	struct tl_xtrace_walk walk;
	uint64_t ordinal;
	bool gap; /* bytes were skipped since the last instruction */
	enum tl_xtrace_kind
		ahead; /* instructions: the walk stands on this token, which is still to be used */
};

int tl_xtrace_reader_open(struct tl_xtrace_reader **reader, struct tl_xtrace_trace *trace,
			  uint32_t stream, uint32_t snapshot, struct tl_error *err)
{
	struct tl_xtrace_reader *r = NULL;
	const struct tl_xtrace_stream *s;
	size_t first = 0;

	*reader = NULL;
	if (stream >= trace->stream_count)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE, "no such stream");
	s = &trace->streams[stream];
	if (snapshot && snapshot != TL_NONE)
		while (first < s->segment_count && s->segments[first].snapshot != snapshot)
			first++;
	if (first == s->segment_count)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "no such snapshot, or reading cannot begin at it");
	r = calloc(1, sizeof(*r));
	if (!r)
		return tl_error_memory(err);
	r->trace = trace;
	r->stream = s;
	r->segment = first;
	tl_xtrace_walk_begin(&r->walk, trace, s, &s->segments[first]);
	*reader = r;
	return 0;
}

void tl_xtrace_reader_close(struct tl_xtrace_reader *reader)
{
	free(reader);
}

/* The next token, of this segment or a later one: 1 and *kind, 0, or negative. */
static int advance(struct tl_xtrace_reader *r, enum tl_xtrace_kind *kind, struct tl_error *err)
{
	for (;;) {
		int status;

		*kind = tl_xtrace_walk_next(&r->walk);
		if (*kind != TL_XTRACE_NONE)
			return 1;
		r->gap = r->gap || r->walk.status != TL_OK;
		status = tl_xtrace_walk_end(&r->walk, err);
		if (status < 0 || r->segment + 1 >= r->stream->segment_count)
			return tl_error_format(err, "xtrace", status);
		tl_xtrace_walk_begin(&r->walk, r->trace, r->stream,
				     &r->stream->segments[++r->segment]);
	}
}

/* ---- tokens ---- */

static void fill_payload(const struct tl_xtrace_walk *w, struct tl_xtrace_token *t)
{
	switch (t->kind) {
	case TL_XTRACE_LOAD:
	case TL_XTRACE_STORE:
		t->value = tl_xtrace_walk_value(w);
		t->data = w->token + 9;
		t->data_size = tl_xtrace_access_size(t->byte);
		break;
	case TL_XTRACE_SYSCALL_VEC:
		t->value = tl_xtrace_walk_value(w);
		t->data = w->token + 9;
		t->data_size = t->length - 9;
		break;
	case TL_XTRACE_ALLGPR:
	case TL_XTRACE_UNKNOWN:
		t->data = w->token + 1;
		t->data_size = t->length - 1;
		break;
	case TL_XTRACE_TIME:
		t->value = tl_xtrace_walk_time(w);
		break;
	default:
		t->value = tl_xtrace_walk_value(w);
	}
}

int tl_xtrace_read_token(struct tl_xtrace_reader *r, struct tl_xtrace_token *token,
			 struct tl_error *err)
{
	enum tl_xtrace_kind kind;
	int status = advance(r, &kind, err);

	if (status <= 0)
		return status;
	*token = (struct tl_xtrace_token){ .kind = kind, .byte = *r->walk.token };
	token->offset = tl_xtrace_walk_offset(&r->walk);
	token->length = (uint64_t)(r->walk.next - r->walk.token);
	if (tl_xtrace_is_instruction(kind)) {
		token->opcode = tl_xtrace_walk_instruction(&r->walk, kind);
		token->el = (uint8_t)tl_xtrace_walk_el(&r->walk);
	} else {
		fill_payload(&r->walk, token);
	}
	token->pc = r->walk.pc;
	token->pc_known = r->walk.pc_known;
	return 1;
}

/* ---- instructions ---- */

static void take_before(const struct tl_xtrace_walk *w, enum tl_xtrace_kind kind,
			struct tl_xtrace_instruction *i)
{
	if (kind == TL_XTRACE_ALLGPR) {
		i->before.allgpr = w->token + 1;
	} else if (kind == TL_XTRACE_SVCRET) {
		i->before.has_svcret = true;
		i->before.svcret = tl_xtrace_walk_value(w);
	}
}

static void take_after(const struct tl_xtrace_walk *w, enum tl_xtrace_kind kind,
		       struct tl_xtrace_instruction *i)
{
	static const struct {
		size_t has, value;
		/* clang-format off */
	} fields[TL_XTRACE_KIND_COUNT] = {
#define FIELD(name)                                                                                \
	{ offsetof(struct tl_xtrace_instruction, values.has_##name),                               \
	  offsetof(struct tl_xtrace_instruction, values.name) }
		[TL_XTRACE_STXR] = FIELD(stxr),	  [TL_XTRACE_MRS] = FIELD(mrs),
		[TL_XTRACE_DC] = FIELD(dc),	  [TL_XTRACE_TARGET_B] = FIELD(target),
		[TL_XTRACE_FLAGS] = FIELD(flags), [TL_XTRACE_TIME] = FIELD(time),
#undef FIELD
	};
	/* clang-format on */

	if (fields[kind].has) {
		*(bool *)((char *)i + fields[kind].has) = true;
		*(uint64_t *)((char *)i + fields[kind].value) =
			kind == TL_XTRACE_TIME ? tl_xtrace_walk_time(w) : tl_xtrace_walk_value(w);
	} else if (kind == TL_XTRACE_SVCARG) {
		if (i->syscall.arg_count < 7)
			i->syscall.args[i->syscall.arg_count] = tl_xtrace_walk_value(w);
		i->syscall.arg_count++;
	} else if (kind == TL_XTRACE_SYSCALL_VEC) {
		i->syscall.iovecs = w->token + 9;
		i->syscall.iovec_count = tl_xtrace_walk_value(w);
	} else {
		i->loads += kind == TL_XTRACE_LOAD;
		i->stores += kind == TL_XTRACE_STORE;
	}
}

static void begin_instruction(struct tl_xtrace_reader *r, enum tl_xtrace_kind kind,
			      struct tl_xtrace_instruction *i)
{
	const struct tl_xtrace_walk *w = &r->walk;

	i->opcode = tl_xtrace_walk_instruction(&r->walk, kind);
	i->el = (uint8_t)tl_xtrace_walk_el(w);
	i->with_pc = kind == TL_XTRACE_PCINST;
	i->pc = w->pc;
	i->pc_known = w->pc_known;
	i->ordinal = r->ordinal++;
	i->before.after_gap = r->gap;
	r->gap = false;
	if (w->token == w->begin)
		i->before.snapshot = w->segment->snapshot;
	i->tokens = w->next;
}

/*
 * Tokens that belong to an instruction, up to the first that does not, which is kept for the next.
 * Tokens before the first instruction of a segment belong to no instruction and are skipped.
 */
int tl_xtrace_read_instruction(struct tl_xtrace_reader *r, struct tl_xtrace_instruction *i,
			       struct tl_error *err)
{
	enum tl_xtrace_kind kind = r->ahead;
	int status = 1;
	bool begun = false, first = true;

	*i = (struct tl_xtrace_instruction){ .before.snapshot = TL_NONE };
	if (kind == TL_XTRACE_NONE)
		status = advance(r, &kind, err);
	r->ahead = TL_XTRACE_NONE;
	for (; status == 1; first = false, status = advance(r, &kind, err)) {
		bool boundary = kind == TL_XTRACE_ALLGPR || kind == TL_XTRACE_SVCRET;

		if (begun && (boundary || tl_xtrace_is_instruction(kind)))
			break;
		if (first)
			i->offset = tl_xtrace_walk_offset(&r->walk);
		if (tl_xtrace_is_instruction(kind)) {
			begin_instruction(r, kind, i);
			begun = true;
		} else if (boundary) {
			take_before(&r->walk, kind, i);
		} else if (begun) {
			take_after(&r->walk, kind, i);
		}
		i->length = tl_xtrace_walk_offset(&r->walk) +
			    (uint64_t)(r->walk.next - r->walk.token) - i->offset;
		if (begun)
			i->token_bytes = (uint64_t)(r->walk.next - i->tokens);
	}
	if (status == 1)
		r->ahead = kind;
	return begun ? 1 : status;
}

bool tl_xtrace_read_access(const struct tl_xtrace_reader *r, const struct tl_xtrace_instruction *i,
			   uint64_t *at, struct tl_xtrace_access *access)
{
	const struct tl_xtrace_tokens *tokens = &r->stream->tokens;

	while (*at < i->token_bytes) {
		const uint8_t *p = i->tokens + *at;
		enum tl_xtrace_kind kind = (enum tl_xtrace_kind)tokens->kind[*p];

		if (kind == TL_XTRACE_SYSCALL_VEC)
			*at += 9 + TL_XTRACE_IOVEC_BYTES * tl_get64s(p + 1, TL_HOST_BIG_ENDIAN);
		else
			*at += tokens->size[*p];
		if (kind != TL_XTRACE_LOAD && kind != TL_XTRACE_STORE)
			continue;
		*access = (struct tl_xtrace_access){
			.store = kind == TL_XTRACE_STORE,
			.address = tl_get64s(p + 1, TL_HOST_BIG_ENDIAN),
			.size = (uint32_t)tl_xtrace_access_size(*p),
			.data = p + 9,
		};
		return true;
	}
	return false;
}

/* ---- structs of the caller, by their size ---- */

static int wrong_size(struct tl_error *err)
{
	return tl_error_format(
		err, "xtrace",
		tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
			    "the size of a struct is less than that of version 0.2"));
}

int tl_xtrace_next_token(struct tl_xtrace_reader *r, struct tl_xtrace_token *token, size_t size,
			 struct tl_error *err)
{
	struct tl_xtrace_token t;
	int status;

	if (size < sizeof(t))
		return wrong_size(err);
	status = tl_xtrace_read_token(r, &t, err);
	if (status == 1)
		tl_give(token, size, sizeof(t), &t, sizeof(t));
	return status;
}

int tl_xtrace_next(struct tl_xtrace_reader *r, struct tl_xtrace_instruction *instruction,
		   size_t size, struct tl_error *err)
{
	struct tl_xtrace_instruction i;
	int status;

	if (size < sizeof(i))
		return wrong_size(err);
	status = tl_xtrace_read_instruction(r, &i, err);
	if (status == 1)
		tl_give(instruction, size, sizeof(i), &i, sizeof(i));
	return status;
}

bool tl_xtrace_access_next(const struct tl_xtrace_reader *r,
			   const struct tl_xtrace_instruction *instruction, uint64_t *at,
			   struct tl_xtrace_access *access, size_t size)
{
	struct tl_xtrace_access a;

	return size >= sizeof(a) && tl_xtrace_read_access(r, instruction, at, &a) &&
	       tl_give(access, size, sizeof(a), &a, sizeof(a)) == 0;
}
