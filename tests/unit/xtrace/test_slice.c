/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of streams, and the writer (section 7): what is written is read again, and held against
 * bytes written by hand. */
#include "bytes.h"

struct pair {
	struct bytes stream, snapshots;
};

/* 40 instructions, a PCINST every tenth with a snapshot; each loads, so that tokens go with it. */
static struct pair make_pair(void)
{
	struct pair p = { .stream = { .data = NULL } };

	put_header(&p.snapshots);
	p.snapshots.data[17] = 1; /* a core, as it happens */
	for (unsigned i = 0; i < 40; i++) {
		if (i % 10 == 0)
			put_record(&p.snapshots, &(struct record){ .index = p.stream.size,
								   .user = i,
								   .total = i,
								   .first = i });
		if (i % 10)
			put_inst(&p.stream, 0, A64_LDR);
		else
			put_pcinst(&p.stream, 0, 0x1000 + 4 * i, A64_LDR);
		put_access(&p.stream, LOAD, 3, 0x9000 + 8 * i, i);
	}
	return p;
}

static void free_pair(struct pair *p)
{
	free_bytes(&p->stream);
	free_bytes(&p->snapshots);
}

static struct bytes taken(struct tl_output *out)
{
	struct bytes b = { .data = NULL };
	size_t size;
	const char *data = tl_output_bytes(out, &size);

	for (size_t i = 0; i < size; i++)
		put_byte(&b, (uint8_t)data[i]);
	tl_output_discard(out);
	return b;
}

/* Write a part of the only stream; the status, and both files. */
static int cut(const struct pair *whole, const struct tl_xtrace_options *options,
	       struct tl_xtrace_slice slice, struct pair *part)
{
	const struct tl_xtrace_options alone = { .size = sizeof(alone), .alone = true };
	struct tl_output *out, *snapshots;
	struct trace t;
	int status;

	slice.size = sizeof(slice);
	assert_int_equal(try_open(&t, &whole->stream,
				  whole->snapshots.size ? &whole->snapshots : NULL,
				  options ? options : &alone),
			 0);
	assert_int_equal(tl_output_open_memory(&out, &t.err), 0);
	assert_int_equal(tl_output_open_memory(&snapshots, &t.err), 0);
	status = tl_xtrace_slice_write(t.trace, &slice, out, snapshots, &t.err);
	part->stream = taken(out);
	part->snapshots = taken(snapshots);
	close_trace(&t);
	return status;
}

static void assert_same(const struct bytes *got, const struct bytes *want)
{
	assert_int_equal(got->size, want->size);
	assert_memory_equal(got->data, want->data, want->size);
}

static const struct tl_xtrace_slice everything = { .end_snapshot = TL_NONE,
						   .end_instruction = TL_NOWHERE };

/* "Lossless re-encoding: byte-identical when nothing is changed". */
TEST(the_whole_is_the_same)
{
	struct pair whole = make_pair(), part;

	/* Even what is wrong in it: an offset in the middle of a token, another magic, tokens
	 * before the first instruction. */
	whole.snapshots.data[0] ^= 0xff;
	whole.snapshots.data[24 + 1424 + 8]++;
	assert_int_equal(cut(&whole, NULL, everything, &part), 0);
	assert_same(&part.stream, &whole.stream);
	assert_same(&part.snapshots, &whole.snapshots);
	free_pair(&part);
	free_pair(&whole);
	put_value(&whole.stream, SVCRET, 5);
	put_inst(&whole.stream, 0, A64_NOP);
	put_pcinst(&whole.stream, 0, 0x2000, A64_NOP);
	assert_int_equal(cut(&whole, NULL, everything, &part), 0);
	assert_same(&part.stream, &whole.stream);
	assert_int_equal(part.snapshots.size, 24);
	free_pair(&part);
	free_pair(&whole);
}

/* "A slice i..j: bytes [offset_i, offset_j), records i..j-1; counts and offsets rebased (file
 * number 0, first offset 0)". */
TEST(parts_between_snapshots)
{
	struct pair whole = make_pair(), part, want = { .stream = { .data = NULL } };
	struct tl_xtrace_slice slice = everything;

	slice.first_snapshot = 1;
	slice.end_snapshot = 3;
	assert_int_equal(cut(&whole, NULL, slice, &part), 0);
	/* 13 + 9 * 5 + 10 * 17 bytes a tenth */
	struct bytes bytes = { whole.stream.data + 228, 2 * 228, 0 };

	assert_same(&part.stream, &bytes);
	put_header(&want.snapshots);
	want.snapshots.data[17] = 1;
	put_record(&want.snapshots, &(struct record){ .index = 0, .first = 10 });
	put_record(&want.snapshots,
		   &(struct record){ .index = 228, .user = 10, .total = 10, .first = 20 });
	assert_same(&part.snapshots, &want.snapshots);
	free_pair(&part);
	free_pair(&want);
	slice.first_snapshot = 4;
	slice.end_snapshot = TL_NONE;
	assert_int_equal(cut(&whole, NULL, slice, &part), TL_BAD_USAGE);
	free_pair(&part);
	free_pair(&whole);
}

/*
 * "4-byte global snapshot point": it is the same place in the part, where the part has it; a part
 * that is cut elsewhere than at snapshots has no point that others have.
 */
TEST(the_global_snapshot_point_of_a_part)
{
	static const struct {
		uint32_t first_snapshot, end_snapshot;
		uint64_t first, end;
		unsigned point;
	} parts[] = {
		{ 0, TL_NONE, 0, TL_NOWHERE, 2 }, { 1, 3, 0, TL_NOWHERE, 1 },
		{ 2, 3, 0, TL_NOWHERE, 0 },       { 3, TL_NONE, 0, TL_NOWHERE, 0 },
		{ 0, 2, 0, TL_NOWHERE, 0 },       { 0, TL_NONE, 5, TL_NOWHERE, 0 },
		{ 0, TL_NONE, 0, 15, 0 },
	};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		struct tl_xtrace_slice slice = { .first_snapshot = parts[i].first_snapshot,
						 .end_snapshot = parts[i].end_snapshot,
						 .first_instruction = parts[i].first,
						 .end_instruction = parts[i].end };
		struct pair whole = make_pair(), part;

		whole.snapshots.data[4] = 2;
		assert_int_equal(cut(&whole, NULL, slice, &part), 0);
		assert_int_equal(part.snapshots.data[4], parts[i].point);
		assert_memory_equal(part.snapshots.data + 5, whole.snapshots.data + 5, 24 - 5);
		free_pair(&part);
		free_pair(&whole);
	}
}

/* "PCINST at file start": the first instruction of a part is told with its PC. */
TEST(parts_by_instructions)
{
	struct pair whole = make_pair(), part, want = { .stream = { .data = NULL } };
	struct tl_xtrace_slice slice = everything;

	slice.first_instruction = 8;
	slice.end_instruction = 12;
	assert_int_equal(cut(&whole, NULL, slice, &part), 0);
	for (unsigned i = 8; i < 12; i++) {
		if (i == 8 || i == 10)
			put_pcinst(&want.stream, 0, 0x1000 + 4 * i, A64_LDR);
		else
			put_inst(&want.stream, 0, A64_LDR);
		put_access(&want.stream, LOAD, 3, 0x9000 + 8 * i, i);
	}
	assert_same(&part.stream, &want.stream);
	put_header(&want.snapshots);
	want.snapshots.data[17] = 1;
	put_record(&want.snapshots,
		   &(struct record){ .index = 13 + 5 + 34, .user = 2, .total = 2, .first = 10 });
	assert_same(&part.snapshots, &want.snapshots);
	free_pair(&part);
	free_pair(&want);
	slice.first_instruction = 40;
	slice.end_instruction = 50;
	assert_int_equal(cut(&whole, NULL, slice, &part), TL_BAD_USAGE);
	free_pair(&part);
	free_pair(&whole);
}

/*
 * A snapshot that no token begins at, here in the PC of the 11th instruction, is in the part where
 * it was: behind a first instruction that has eight bytes more than before, its PC.
 */
TEST(a_snapshot_inside_a_token_stays_there)
{
	struct pair whole = make_pair(), part;
	struct tl_xtrace_slice slice = everything;

	whole.snapshots.data[24 + 1424 + 8] = 228 + 3;
	slice.first_instruction = 8;
	slice.end_instruction = 12;
	assert_int_equal(cut(&whole, NULL, slice, &part), 0);
	assert_int_equal(part.snapshots.size, 24 + 1424);
	/* PCINST and LOAD, INST and LOAD */
	assert_int_equal(part.snapshots.data[24 + 8], (13 + 17) + (5 + 17) + 3);
	assert_int_equal(part.snapshots.data[24 + 9], 0);
	free_pair(&part);
	free_pair(&whole);
}

/*
 * A snapshot inside the 11th instruction's load, where the address reads as a PCINST: undefined
 * tokens follow, so it is not believed. In a part that ends soon it would be; it is left out.
 */
TEST(a_snapshot_at_what_reads_as_a_token_is_left_out)
{
	struct pair whole = make_pair(), part;
	struct tl_xtrace_slice slice = everything;

	whole.stream.data[228 + 13 + 1] = 0x09;
	whole.stream.data[228 + 13 + 2] = 0;
	whole.snapshots.data[24 + 1424 + 8] = 228 + 13 + 1;
	slice.first_instruction = 8;
	slice.end_instruction = 12;
	assert_int_equal(cut(&whole, NULL, slice, &part), 0);
	assert_int_equal(part.stream.size, 13 + 5 + 13 + 5 + 4 * 17);
	assert_int_equal(part.snapshots.size, 24);
	free_pair(&part);
	/* Of all of the stream the three others are left. */
	assert_int_equal(cut(&whole, NULL, everything, &part), 0);
	assert_int_equal(part.snapshots.size, 24 + 3 * 1424);
	free_pair(&part);
	free_pair(&whole);
}

/* What belongs to the boundary before an instruction (A21) goes with it. */
TEST(boundaries_go_with_what_follows)
{
	struct pair whole = { .stream = { .data = NULL } }, part;
	struct tl_xtrace_slice slice = everything;
	size_t at;

	put_pcinst(&whole.stream, 0, 0x1000, A64_NOP);
	put_value(&whole.stream, FLAGS, 1);
	at = put_value(&whole.stream, SVCRET, 1);
	put_allgpr(&whole.stream, 1);
	put_pcinst(&whole.stream, 1, 0x2000, A64_NOP);
	slice.end_instruction = 1;
	assert_int_equal(cut(&whole, NULL, slice, &part), 0);
	assert_int_equal(part.stream.size, at);
	free_pair(&part);
	slice.first_instruction = 1;
	slice.end_instruction = 2;
	assert_int_equal(cut(&whole, NULL, slice, &part), 0);
	struct bytes rest = { whole.stream.data + at, whole.stream.size - at, 0 };

	assert_same(&part.stream, &rest);
	free_pair(&part);
	free_pair(&whole);
}

/* Damage within a part is left out, and what follows keeps its place. */
TEST(damage_is_left_out)
{
	struct pair whole = make_pair(), part;
	struct tl_xtrace_snapshot s;
	struct trace t;

	whole.stream.data[228 + 13 + 17] = 0xff;
	assert_int_equal(cut(&whole, NULL, everything, &part), 0);
	assert_int_equal(part.stream.size, 3 * 228 + 13 + 17);
	open_trace(&t, &part.stream, &part.snapshots);
	assert_int_equal(tl_xtrace_snapshot_read(t.trace, 0, 2, &s, sizeof(s)), 0);
	assert_int_equal(s.offset, 228 + 13 + 17);
	assert_no_fault(&t);
	close_trace(&t);
	free_pair(&part);
	free_pair(&whole);
}

/* Another dialect is written in ours: TIME of 4 bytes, other numbers of VAL tokens (A11, A14). */
TEST(dialects_are_translated)
{
	const struct tl_xtrace_options options = { .size = sizeof(options),
						   .alone = true,
						   .layout = "time=4,codes=4" };
	struct pair whole = { .stream = { .data = NULL } }, part,
		    want = { .stream = { .data = NULL } };

	put_pcinst(&whole.stream, 0, 0x1000, A64_LDR);
	put_byte(&whole.stream, TIME);
	put_number(&whole.stream, 99, 4);
	put_access(&whole.stream, LOAD, 4 - 1, 0x9000, 1);
	put_value(&whole.stream, 0x13, 7); /* MRS */
	put_value(&whole.stream, 0x44, 1); /* SYSCALL_VEC */
	put_number(&whole.stream, 0x5000, 8);
	put_number(&whole.stream, 3, 8);
	put_byte(&whole.stream, 0x14); /* ALLGPR */
	put_repeat(&whole.stream, 1, 256);
	put_inst(&whole.stream, 1, A64_NOP);

	put_pcinst(&want.stream, 0, 0x1000, A64_LDR);
	put_value(&want.stream, TIME, 99);
	put_access(&want.stream, LOAD, 3, 0x9000, 1);
	put_value(&want.stream, MRS, 7);
	put_value(&want.stream, SYSCALL_VEC, 1);
	put_number(&want.stream, 0x5000, 8);
	put_number(&want.stream, 3, 8);
	put_byte(&want.stream, ALLGPR);
	put_repeat(&want.stream, 1, 256);
	/* "PCINST ... at every EL change" (section 7) */
	put_pcinst(&want.stream, 1, 0x1004, A64_NOP);
	assert_int_equal(cut(&whole, &options, everything, &part), 0);
	assert_same(&part.stream, &want.stream);
	free_pair(&part);
	free_pair(&whole);
	free_pair(&want);
}

/* ---- the writer ---- */

static void put(struct tl_xtrace_writer *w, struct tl_xtrace_token token)
{
	struct tl_error err;

	assert_int_equal(tl_xtrace_writer_put(w, &token, sizeof(token), &err), 0);
}

/* "PCINST at file start, at each snapshot offset, at every non-sequential PC and EL change"
 * (section 7). */
TEST(pcs_where_they_are_needed)
{
	static const uint8_t value[8] = { 1 };
	struct tl_xtrace_writer_options options = { .size = sizeof(options),
						    .vector_bits = 256,
						    .access_order = 1 };
	struct bytes want = { .data = NULL }, records = { .data = NULL };
	struct tl_xtrace_snapshot snapshot = { .total = 999, .x = { 5 } };
	struct tl_xtrace_writer *w;
	struct tl_output *out, *snapshots;
	struct tl_error err;
	struct bytes got;

	assert_int_equal(tl_output_open_memory(&out, &err), 0);
	assert_int_equal(tl_output_open_memory(&snapshots, &err), 0);
	assert_int_equal(tl_xtrace_writer_open(&w, out, snapshots, &options, &err), 0);
	for (unsigned i = 0; i < 6; i++) {
		static const uint64_t pcs[] = { 0x1000, 0x1004, 0x1008, 0x2000, 0x2004, 0x2008 };
		struct tl_xtrace_token token = { .kind = TL_XTRACE_INST,
						 .pc = pcs[i],
						 .pc_known = true,
						 .opcode = i,
						 .el = i > 4 };

		if (i == 2)
			assert_int_equal(
				tl_xtrace_writer_snapshot(w, &snapshot, sizeof(snapshot), &err), 0);
		put(w, token);
		if (i == 1)
			put(w, (struct tl_xtrace_token){ .kind = TL_XTRACE_STORE,
							 .value = 8,
							 .data = value,
							 .data_size = 8 });
	}
	put(w, (struct tl_xtrace_token){ .kind = TL_XTRACE_TIME, .value = 3 });
	assert_int_equal(tl_xtrace_writer_finish(w, &err), 0);
	put_pcinst(&want, 0, 0x1000, 0);
	put_inst(&want, 0, 1);
	put_access(&want, STORE, 3, 8, 1);
	put_pcinst(&want, 0, 0x1008, 2);
	put_pcinst(&want, 0, 0x2000, 3);
	put_inst(&want, 0, 4);
	put_pcinst(&want, 1, 0x2008, 5);
	put_value(&want, TIME, 3);
	got = taken(out);
	assert_same(&got, &want);
	free_bytes(&got);
	got = taken(snapshots);
	put_header(&records);
	records.data[18] = 1;
	assert_int_equal(got.size, 24 + 2704);
	assert_memory_equal(got.data, records.data, 24);
	/* file, index, user, total, X0; VL in bits */
	put_number(&records, 0, 8);
	put_number(&records, 13 + 5 + 17, 8);
	put_number(&records, 2, 8);
	put_number(&records, 2, 8);
	put_number(&records, 5, 8);
	assert_memory_equal(got.data, records.data, records.size);
	assert_int_equal(got.data[24 + 2704 - 8] | got.data[24 + 2704 - 7] << 8, 256);
	free_bytes(&got);
	free_bytes(&want);
	free_bytes(&records);
}

TEST(what_cannot_be_written)
{
	static const struct tl_xtrace_token wrong[] = {
		{ .kind = TL_XTRACE_LOAD, .data_size = 3 },
		{ .kind = TL_XTRACE_LOAD, .data_size = 512 },
		{ .kind = TL_XTRACE_LOAD, .data_size = 0 },
		{ .kind = TL_XTRACE_ALLGPR, .data_size = 255 },
		{ .kind = TL_XTRACE_SYSCALL_VEC, .value = 1ull << 60, .data_size = 0 },
		{ .kind = TL_XTRACE_SYSCALL_VEC, .value = 2, .data_size = 16 },
		{ .kind = TL_XTRACE_UNKNOWN },
		{ .kind = TL_XTRACE_NONE },
	};
	struct tl_xtrace_writer_options options = { .size = sizeof(options) };
	struct tl_xtrace_writer *w;
	struct tl_output *out;
	struct tl_error err;
	size_t size;

	assert_int_equal(tl_output_open_memory(&out, &err), 0);
	assert_int_equal(tl_xtrace_writer_open(&w, out, NULL, &options, &err), 0);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_true(tl_xtrace_writer_put(w, &wrong[i], sizeof(wrong[i]), &err) < 0);
	tl_output_bytes(out, &size);
	assert_int_equal(size, 0);
	assert_int_equal(tl_xtrace_writer_finish(w, &err), 0);
	options.vector_bits = 100;
	assert_int_equal(tl_xtrace_writer_open(&w, out, NULL, &options, &err), TL_BAD_USAGE);
	tl_output_discard(out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_whole_is_the_same),
		cmocka_unit_test(parts_between_snapshots),
		cmocka_unit_test(the_global_snapshot_point_of_a_part),
		cmocka_unit_test(parts_by_instructions),
		cmocka_unit_test(a_snapshot_inside_a_token_stays_there),
		cmocka_unit_test(a_snapshot_at_what_reads_as_a_token_is_left_out),
		cmocka_unit_test(boundaries_go_with_what_follows),
		cmocka_unit_test(damage_is_left_out),
		cmocka_unit_test(dialects_are_translated),
		cmocka_unit_test(pcs_where_they_are_needed),
		cmocka_unit_test(what_cannot_be_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
