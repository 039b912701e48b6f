/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions with everything that belongs to them (A21), a JSON object a line. */
#include <inttypes.h>

#include "core/arithmetic.h"
#include "core/cursor.h"
#include "core/error.h"
#include "core/output.h"
#include "xtrace/convert/convert.h"
#include "xtrace/format/reader.h"

static void hex(struct tl_output *out, const char *key, uint64_t value)
{
	tl_put_text(out, key);
	tl_put_char(out, '"');
	tl_put_hex(out, value);
	tl_put_char(out, '"');
}

static void number(struct tl_output *out, const char *key, uint64_t value)
{
	tl_put_text(out, key);
	tl_put_u64(out, value);
}

static void put_bytes(struct tl_output *out, const uint8_t *data, uint32_t size)
{
	static const char digits[] = "0123456789abcdef";

	tl_put_text(out, ",\"value\":\"0x");
	for (uint32_t i = size; i--;) {
		tl_put_char(out, digits[data[i] >> 4]);
		tl_put_char(out, digits[data[i] & 15]);
	}
	tl_put_char(out, '"');
}

static void put_accesses(struct tl_output *out, const struct tl_xtrace_reader *reader,
			 const struct tl_xtrace_instruction *insn)
{
	struct tl_xtrace_access access;
	uint64_t at = 0;
	bool any = false;

	while (tl_xtrace_read_access(reader, insn, &at, &access)) {
		tl_put_text(out, any ? "," : ",\"accesses\":[");
		hex(out,
		    access.store ? "{\"access\":\"store\",\"address\":"
				 : "{\"access\":\"load\",\"address\":",
		    access.address);
		number(out, ",\"size\":", access.size);
		put_bytes(out, access.data, access.size);
		tl_put_char(out, '}');
		any = true;
	}
	if (any)
		tl_put_char(out, ']');
}

static void put_syscall(struct tl_output *out, const struct tl_xtrace_instruction *insn)
{
	uint32_t count = tl_min(insn->syscall.arg_count, 7);

	for (uint32_t i = 0; i < count; i++)
		hex(out, i ? "," : ",\"svcargs\":[", insn->syscall.args[i]);
	if (count)
		tl_put_char(out, ']');
	for (uint64_t i = 0; insn->syscall.iovecs && i < insn->syscall.iovec_count; i++) {
		hex(out, i ? ",{\"base\":" : ",\"iovecs\":[{\"base\":",
		    tl_get64s(insn->syscall.iovecs + 16 * i, TL_HOST_BIG_ENDIAN));
		number(out, ",\"length\":",
		       tl_get64s(insn->syscall.iovecs + 16 * i + 8, TL_HOST_BIG_ENDIAN));
		tl_put_char(out, '}');
	}
	if (insn->syscall.iovecs && insn->syscall.iovec_count)
		tl_put_char(out, ']');
}

/* ALLGPR and SVCRET belong to the boundary before the instruction. */
static void put_boundary(struct tl_output *out, const struct tl_xtrace_instruction *insn)
{
	if (insn->before.snapshot != TL_NONE)
		number(out, ",\"snapshot\":", insn->before.snapshot);
	if (insn->before.after_gap)
		tl_put_text(out, ",\"after_gap\":true");
	if (insn->before.has_svcret)
		hex(out, ",\"svcret\":", insn->before.svcret);
	for (unsigned i = 0; insn->before.allgpr && i < 32; i++)
		hex(out, i ? "," : ",\"allgpr\":[",
		    tl_get64s(insn->before.allgpr + 8 * i, TL_HOST_BIG_ENDIAN));
	if (insn->before.allgpr)
		tl_put_char(out, ']');
}

static void put_values(struct tl_output *out, const struct tl_xtrace_instruction *insn)
{
	if (insn->values.has_time)
		number(out, ",\"time\":", insn->values.time);
	if (insn->values.has_stxr)
		hex(out, ",\"stxr\":", insn->values.stxr);
	if (insn->values.has_mrs)
		hex(out, ",\"mrs\":", insn->values.mrs);
	if (insn->values.has_dc)
		hex(out, ",\"dc\":", insn->values.dc);
	if (insn->values.has_target)
		hex(out, ",\"target\":", insn->values.target);
	if (insn->values.has_flags)
		hex(out, ",\"flags\":", insn->values.flags);
}

static void put_instruction(struct tl_output *out, const struct tl_xtrace_reader *reader,
			    uint64_t thread, const struct tl_xtrace_instruction *insn)
{
	number(out, "{\"instruction\":", insn->ordinal);
	number(out, ",\"thread\":", thread);
	number(out, ",\"offset\":", insn->offset);
	number(out, ",\"el\":", insn->el);
	if (insn->pc_known)
		hex(out, ",\"pc\":", insn->pc);
	else
		tl_put_text(out, ",\"pc\":null");
	tl_put_format(out, ",\"opcode\":\"0x%08" PRIx32 "\"", insn->opcode);
	put_boundary(out, insn);
	put_syscall(out, insn);
	put_values(out, insn);
	put_accesses(out, reader, insn);
	tl_put_text(out, "}\n");
}

int tl_xtrace_to_jsonl(struct tl_xtrace_trace *trace, uint32_t stream, struct tl_output *out,
		       struct tl_error *err)
{
	uint64_t thread = tl_xtrace_stream(trace, stream)->id;
	struct tl_xtrace_instruction insn;
	struct tl_xtrace_reader *reader;
	int status = tl_xtrace_reader_open(&reader, trace, stream, TL_NONE, err);

	if (status < 0)
		return status;
	while ((status = tl_xtrace_read_instruction(reader, &insn, err)) == 1 &&
	       !tl_output_failed(out))
		put_instruction(out, reader, thread, &insn);
	tl_xtrace_reader_close(reader);
	return tl_error_or_end(status);
}
