/* SPDX-License-Identifier: Apache-2.0 */
/*
 * "Nothing is written behind the size that the caller gives ... members that the library does not
 * know become zero. A size below that of the first release is TL_BAD_USAGE, and nothing is written"
 * (docs/abi.md).
 */
#include "bytes.h"

enum { MORE = 16 };

/* A struct of a program that was built with a newer header. */
#define NEWER(type)                                                                                \
	struct {                                                                                   \
		type own;                                                                          \
		uint8_t more[MORE];                                                                \
		uint8_t behind;                                                                    \
	}

static struct bytes stream(void)
{
	struct bytes b = { .data = NULL };

	put_pcinst(&b, 0, 0x1000, A64_LDR);
	put_access(&b, LOAD, 3, 0x9000, 5);
	put_inst(&b, 0, A64_NOP);
	return b;
}

static void assert_zero_then_kept(const uint8_t *more)
{
	for (size_t i = 0; i < MORE; i++)
		assert_int_equal(more[i], 0);
	assert_int_equal(more[MORE], 0xaa);
}

TEST(tokens)
{
	NEWER(struct tl_xtrace_token) token;
	const size_t size = sizeof(token.own);
	struct tl_xtrace_reader *reader;
	struct bytes b = stream();
	struct trace t;

	memset(&token, 0xaa, sizeof(token));
	open_trace(&t, &b, NULL);
	assert_int_equal(tl_xtrace_reader_open(&reader, t.trace, 0, 0, &t.err), 0);
	assert_int_equal(tl_xtrace_next_token(reader, &token.own, size - 1, &t.err), TL_BAD_USAGE);
	assert_int_equal(token.own.byte, 0xaa);
	assert_int_equal(tl_xtrace_next_token(reader, &token.own, size + MORE, &t.err), 1);
	assert_int_equal(token.own.kind, TL_XTRACE_PCINST);
	assert_int_equal(token.own.pc, 0x1000);
	assert_zero_then_kept(token.more);
	tl_xtrace_reader_close(reader);
	close_trace(&t);
	free_bytes(&b);
}

TEST(instructions_and_accesses)
{
	NEWER(struct tl_xtrace_instruction) insn;
	NEWER(struct tl_xtrace_access) access;
	struct tl_xtrace_reader *reader;
	struct bytes b = stream();
	struct trace t;
	uint64_t at = 0;

	memset(&insn, 0xaa, sizeof(insn));
	memset(&access, 0xaa, sizeof(access));
	open_trace(&t, &b, NULL);
	assert_int_equal(tl_xtrace_reader_open(&reader, t.trace, 0, 0, &t.err), 0);
	assert_int_equal(tl_xtrace_next(reader, &insn.own, sizeof(insn.own) - 1, &t.err),
			 TL_BAD_USAGE);
	assert_int_equal(insn.own.el, 0xaa);
	assert_int_equal(tl_xtrace_next(reader, &insn.own, sizeof(insn.own) + MORE, &t.err), 1);
	assert_int_equal(insn.own.ordinal, 0);
	assert_int_equal(insn.own.loads, 1);
	assert_zero_then_kept(insn.more);
	assert_false(
		tl_xtrace_access_next(reader, &insn.own, &at, &access.own, sizeof(access.own) - 1));
	assert_int_equal(at, 0);
	assert_true(tl_xtrace_access_next(reader, &insn.own, &at, &access.own,
					  sizeof(access.own) + MORE));
	assert_int_equal(access.own.address, 0x9000);
	assert_zero_then_kept(access.more);
	tl_xtrace_reader_close(reader);
	close_trace(&t);
	free_bytes(&b);
}

TEST(snapshots)
{
	NEWER(struct tl_xtrace_snapshot) snapshot;
	struct bytes b = stream(), records = { .data = NULL };
	const size_t size = sizeof(snapshot.own);
	struct trace t;

	memset(&snapshot, 0xaa, sizeof(snapshot));
	put_header(&records);
	put_record(&records, &(struct record){ .first = 7 });
	open_trace(&t, &b, &records);
	assert_int_equal(tl_xtrace_snapshot_read(t.trace, 0, 0, &snapshot.own, size - 1),
			 TL_BAD_USAGE);
	assert_int_equal(snapshot.own.x[0], 0xaaaaaaaaaaaaaaaa);
	assert_int_equal(tl_xtrace_snapshot_read(t.trace, 0, 0, &snapshot.own, size + MORE), 0);
	assert_int_equal(snapshot.own.x[0], 7);
	assert_zero_then_kept(snapshot.more);
	close_trace(&t);
	free_bytes(&b);
	free_bytes(&records);
}

TEST(layouts)
{
	NEWER(struct tl_xtrace_layout) layout;
	const size_t size = sizeof(layout.own);
	char text[TL_XTRACE_LAYOUT_TEXT];

	memset(&layout, 0xaa, sizeof(layout));
	layout.own.pad_blocks = layout.own.za = layout.own.fixed_z = false;
	assert_int_equal(tl_xtrace_layout_parse("vl=256", &layout.own, size - 1, NULL),
			 TL_BAD_USAGE);
	assert_int_equal(layout.own.vector_bits, 0xaaaaaaaa);
	assert_int_equal(tl_xtrace_layout_parse("vl=256", &layout.own, size + MORE, NULL), 0);
	assert_int_equal(layout.own.vector_bits, 256);
	assert_int_equal(layout.own.time_bytes, 0xaaaaaaaa);
	assert_zero_then_kept(layout.more);
	assert_int_equal(tl_xtrace_layout_parse("header=24,predicates=16,sysreg=8,time=8,codes=5",
						&layout.own, size, NULL),
			 0);
	/* Of a header that ends before the last two members: they count as zero. */
	tl_xtrace_layout_text(&layout.own, offsetof(struct tl_xtrace_layout, time_bytes), text);
	assert_string_equal(text, "header=24,predicates=16,pad=register,sysreg=8,za=no,vl=256,"
				  "z=vl,time=0,codes=0");
}

/* What the writer takes ends where the caller's struct does. */
TEST(written_tokens)
{
	const struct tl_xtrace_writer_options options = { .size = sizeof(options) };
	const struct tl_xtrace_token token = {
		.kind = TL_XTRACE_PCINST, .pc_known = true, .pc = 0x1000, .opcode = A64_NOP
	};
	static const uint8_t want[] = { 0x09, 0, 0x10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 };
	struct tl_xtrace_writer *writer;
	struct tl_output *out;
	size_t size;

	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(tl_xtrace_writer_open(&writer, out, NULL, &options, NULL), 0);
	assert_int_equal(tl_xtrace_writer_put(writer, &token,
					      offsetof(struct tl_xtrace_token, opcode), NULL),
			 0);
	assert_int_equal(tl_xtrace_writer_finish(writer, NULL), 0);
	assert_memory_equal(tl_output_bytes(out, &size), want, sizeof(want));
	assert_int_equal(size, sizeof(want));
	tl_output_discard(out);
}

static uint64_t number_at(const char *data, size_t at)
{
	uint64_t value;

	memcpy(&value, data + at, sizeof(value));
	return value;
}

/*
 * A record of 1,424 bytes behind a header of 24 (sections 2.2 and 2.3): X0 at 32, the 11 system
 * registers before the last 8.
 */
TEST(written_snapshots)
{
	enum { HEADER = 24, RECORD = 1424, X = 32, SYSREGS = RECORD - 8 - 11 * 8 };
	const struct tl_xtrace_writer_options options = { .size = sizeof(options) };
	NEWER(struct tl_xtrace_snapshot) snapshot = { .behind = 0xaa };
	const struct tl_xtrace_token token = {
		.kind = TL_XTRACE_PCINST, .pc_known = true, .pc = 0x1000, .opcode = A64_NOP
	};
	const size_t sizes[] = { sizeof(snapshot.own) + MORE, sizeof(snapshot.own),
				 offsetof(struct tl_xtrace_snapshot, sysregs) };
	struct tl_xtrace_writer *writer;
	struct tl_output *out, *records;
	const char *data;
	size_t size;

	snapshot.own.x[0] = 5;
	snapshot.own.x[31] = 0x7000;
	snapshot.own.sysregs[0] = 11;
	snapshot.own.sysregs[10] = 12;
	memset(snapshot.more, 0xff, sizeof(snapshot.more));
	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(tl_output_open_memory(&records, NULL), 0);
	assert_int_equal(tl_xtrace_writer_open(&writer, out, records, &options, NULL), 0);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(tl_xtrace_writer_snapshot(writer, &snapshot.own, sizes[i], NULL),
				 0);
		assert_int_equal(tl_xtrace_writer_put(writer, &token, sizeof(token), NULL), 0);
	}
	assert_int_equal(tl_xtrace_writer_finish(writer, NULL), 0);
	data = tl_output_bytes(records, &size);
	assert_int_equal(size, HEADER + 3 * RECORD);
	for (unsigned i = 0; i < 3; i++) {
		const char *record = data + HEADER + (size_t)i * RECORD;

		/* "index": where the token behind it begins; each has 13 bytes. */
		assert_int_equal(number_at(record, 8), 13 * i);
		assert_int_equal(number_at(record, X), 5);
		assert_int_equal(number_at(record, X + 31 * 8), 0x7000);
		assert_int_equal(number_at(record, SYSREGS), i < 2 ? 11 : 0);
		assert_int_equal(number_at(record, SYSREGS + 10 * 8), i < 2 ? 12 : 0);
		assert_int_equal(number_at(record, RECORD - 8), 128);
	}
	tl_output_discard(out);
	tl_output_discard(records);
}

/* "A `size` below that of the first release is TL_BAD_USAGE", of options, too. */
TEST(options)
{
	struct tl_xtrace_options open = { .size = sizeof(open) - 1, .alone = true };
	struct tl_xtrace_fold_options fold = { .size = sizeof(fold) - 1, .id = TL_NOWHERE };
	struct tl_xtrace_slice slice = { .size = sizeof(slice) - 1 };
	struct tl_xtrace_writer_options write = { .size = sizeof(write) - 1 };
	struct tl_xtrace_writer *writer;
	struct tl_profile *profile;
	struct bytes b = stream();
	struct tl_output *out;
	struct trace t;
	size_t size;

	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(try_open(&t, &b, NULL, &open), TL_BAD_USAGE);
	assert_int_equal(t.err.status, TL_BAD_USAGE);
	assert_null(t.trace);
	close_trace(&t);
	open_trace(&t, &b, NULL);
	assert_int_equal(tl_xtrace_fold(t.trace, &fold, &profile, &t.err), TL_BAD_USAGE);
	assert_null(profile);
	assert_int_equal(tl_xtrace_slice_write(t.trace, &slice, out, NULL, &t.err), TL_BAD_USAGE);
	assert_int_equal(tl_xtrace_writer_open(&writer, out, NULL, &write, &t.err), TL_BAD_USAGE);
	assert_null(writer);
	tl_output_bytes(out, &size);
	assert_int_equal(size, 0);
	fold.size = sizeof(fold);
	assert_int_equal(tl_xtrace_fold(t.trace, &fold, &profile, &t.err), 0);
	tl_profile_free(profile);
	tl_output_discard(out);
	close_trace(&t);
	free_bytes(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tokens),         cmocka_unit_test(instructions_and_accesses),
		cmocka_unit_test(snapshots),      cmocka_unit_test(layouts),
		cmocka_unit_test(written_tokens), cmocka_unit_test(written_snapshots),
		cmocka_unit_test(options),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
