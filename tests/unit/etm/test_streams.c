/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What was executed as tokens of xtrace (docs/formats/xtrace.md, 2.4), in memory and in files; a
 * whole file followed, and where memory runs out.
 */
#include "../refuse.h"
#include "etm/flow/executed.h"
#include "etm_follow.h"

#include <tracelathe/xtrace.h>

#include "xtrace/format/reader.h"

#include "../unit.h"

/* NOP, RET, as bytes of little-endian words. */
static const uint8_t code[] = { 0x1f, 0x20, 0x03, 0xd5, 0xc0, 0x03, 0x5f, 0xd6 };

static void has(struct tl_etm_stream *stream, const char *tokens, size_t size)
{
	const void *bytes;
	size_t count;

	assert_int_equal(tl_etm_stream_finish(stream, &bytes, &count, NULL), 0);
	assert_int_equal(count, size);
	assert_memory_equal(bytes, tokens, size);
}

/*
 * 01 is an instruction, 09 one with its address, both with the level in the two highest bits; 2b is
 * the target of an indirect branch.
 */
TEST(ranges_become_tokens)
{
	static const char tokens[] = "\x09\x00\x10\0\0\0\0\0\0\x1f\x20\x03\xd5"
				     "\x01\xc0\x03\x5f\xd6"
				     "\x2b\x08\x10\0\0\0\0\0\0\x01\x1f\x20\x03\xd5"
				     "\x49\x0c\x10\0\0\0\0\0\0\x1f\x20\x03\xd5";
	struct tl_etm_streams streams = { 0 };
	struct tl_etm_stream *s = tl_etm_stream_of(&streams, 7), *other;
	struct tl_etm_range range = { 0x1000, code, 2, true };

	assert_int_equal(tl_etm_stream_put(s, 0, &range, NULL), 0);
	range = (struct tl_etm_range){ 0x1008, code, 1, false };
	assert_int_equal(tl_etm_stream_put(s, 0, &range, NULL), 0);
	/* It follows, but at another level. */
	range.address = 0x100c;
	assert_int_equal(tl_etm_stream_put(s, 1, &range, NULL), 0);
	other = tl_etm_stream_of(&streams, 8);
	assert_int_equal(streams.count, 2);
	assert_int_equal(other->id, 8);
	s = tl_etm_stream_of(&streams, 7);
	assert_int_equal(streams.count, 2);
	assert_int_equal(s->instructions, 4);
	has(s, tokens, sizeof(tokens) - 1);
	has(tl_etm_stream_of(&streams, 8), "", 0);
	tl_etm_streams_free(&streams);
}

/* More than is kept in memory: every token is there, in its order. */
TEST(long_streams_are_in_files)
{
	enum { RANGES = 1200, INSNS = 2000 };
	uint8_t *words = malloc(4 * INSNS);
	struct tl_etm_streams streams = { 0 };
	struct tl_etm_stream *s = tl_etm_stream_of(&streams, 1);
	const uint8_t *at;
	const void *bytes;
	size_t size;

	for (size_t i = 0; i < 4 * INSNS; i++)
		words[i] = (uint8_t)(i * 7 >> 2);
	for (uint64_t i = 0; i < RANGES; i++) {
		const struct tl_etm_range range = { 0x1000 + 16 * i, words, INSNS, false };

		assert_int_equal(tl_etm_stream_put(s, 0, &range, NULL), 0);
	}
	assert_true(s->fd >= 0);
	assert_int_equal(tl_etm_stream_finish(s, &bytes, &size, NULL), 0);
	assert_int_equal(size, RANGES * (13 + 5 * (INSNS - 1)));
	at = bytes;
	for (uint64_t i = 0; i < RANGES; i++) {
		const uint64_t address = 0x1000 + 16 * i;

		assert_int_equal(*at, 0x09);
		for (unsigned b = 0; b < 8; b++)
			assert_int_equal(at[1 + b], address >> 8 * b & 255);
		assert_memory_equal(at + 9, words, 4);
		at += 13;
		for (size_t j = 1; j < INSNS; j++, at += 5)
			if (at[0] != 0x01 || memcmp(at + 1, words + 4 * j, 4))
				fail_msg("instruction %zu of range %u", j, (unsigned)i);
	}
	tl_etm_streams_free(&streams);
	free(words);
}

/* ---- a file ---- */

struct whole {
	struct machine *m;
	struct etm_bytes bytes;
};

static struct whole *draw_whole(uint32_t seed, const struct m_unit *unit, size_t bytes)
{
	struct whole *w = calloc(1, sizeof(*w));

	w->m = m_run(seed, unit, bytes, &w->bytes);
	return w;
}

static void free_whole(struct whole *w)
{
	free(w->m);
	free(w);
}

static int execute(struct tl_etm_executed *e, const struct whole *w, struct tl_error *err)
{
	static const struct tl_etm_registers registers = {
		.idr0 = 0x28000ea1, .idr1 = 0x4100f403, .idr2 = 0x488, .configr = 0x10c1
	};
	struct tl_etm_file file = { .faults.strict = false };
	int status = tl_etm_file_open(&file, w->bytes.data, w->bytes.size, &registers, err);

	if (status == 0)
		status = tl_etm_execute(e, &file, m_code, w->m, err);
	tl_etm_file_close(&file);
	return status;
}

/* A stream read as xtrace's is the machine's instructions, one by one. */
TEST(a_file_is_what_the_machine_executed)
{
	const struct m_unit unit = { .has_return_stack = true,
				     .has_ids = true,
				     .traces_el1 = true };

	for (uint32_t seed = 1; seed < 10; seed++) {
		struct whole *w = draw_whole(seed, &unit, 3000);
		struct tl_etm_executed e = { .no_code = 0 };
		const struct tl_xtrace_options options = { .size = sizeof(options), .alone = true };
		struct tl_xtrace_file file = { .path = "etm.xinsndata.bin" };
		struct tl_xtrace_instruction insn;
		struct tl_xtrace_reader *reader;
		struct tl_xtrace_trace *trace;
		const void *bytes;
		size_t size;

		assert_int_equal(execute(&e, w, NULL), 0);
		assert_int_equal(e.faults.total, 0);
		assert_int_equal(e.streams.count, 1);
		assert_int_equal(e.streams.list[0].id, 100);
		assert_int_equal(e.streams.list[0].instructions, w->m->executed);
		assert_int_equal(tl_etm_stream_finish(&e.streams.list[0], &bytes, &size, NULL), 0);
		assert_int_equal(tl_source_open_memory(&file.source, bytes, size, file.path, NULL),
				 0);
		assert_int_equal(tl_xtrace_open(&trace, &file, 1, &options, NULL, NULL), 0);
		assert_int_equal(tl_xtrace_reader_open(&reader, trace, 0, TL_NONE, NULL), 0);
		for (size_t i = 0; i < w->m->range_count; i++) {
			const struct m_range *range = &w->m->ranges[i];

			for (uint64_t pc = range->begin; pc < range->end; pc += 4) {
				assert_int_equal(tl_xtrace_read_instruction(reader, &insn, NULL),
						 1);
				assert_int_equal(insn.pc, pc);
				assert_int_equal(insn.opcode, w->m->code[(pc - M_BASE) / 4].opcode);
			}
		}
		assert_int_equal(tl_xtrace_read_instruction(reader, &insn, NULL), 0);
		tl_xtrace_reader_close(reader);
		tl_xtrace_close(trace);
		tl_source_close(file.source);
		tl_etm_executed_end(&e);
		free_whole(w);
	}
}

static const char *said(const struct tl_etm_executed *e, size_t number)
{
	assert_true(number < e->faults.count);
	return e->faults.list[number].text;
}

/* "What could not be followed is said, with how often." */
TEST(what_could_not_be_followed_is_said)
{
	struct whole *w = calloc(1, sizeof(*w));
	const struct etm_context a64 = { .is_64bit = true, .id_bytes = 4 }, a32 = { .id_bytes = 4 };
	struct tl_etm_executed e = { .no_code = 0 };

	w->m = calloc(1, sizeof(*w->m));
	etm_async(&w->bytes);
	etm_trace_info(&w->bytes, 0, 0, 0, 0);
	for (unsigned i = 0; i < 2; i++) {
		etm_address_context(&w->bytes, 0x2000 + 0x100 * i, false, 64, &a64);
		etm_byte(&w->bytes, 0xf7);
	}
	etm_address_context(&w->bytes, 0x2000, false, 64, &a32);
	etm_byte(&w->bytes, 0xf7);
	etm_byte(&w->bytes, 0xaf);
	etm_byte(&w->bytes, 0x06);
	etm_byte(&w->bytes, 0x1d);
	etm_byte(&w->bytes, 0xf7);
	etm_async(&w->bytes);
	etm_trace_info(&w->bytes, 0, 0, 0, 0);
	etm_byte(&w->bytes, 0);
	etm_byte(&w->bytes, 5);
	assert_int_equal(execute(&e, w, NULL), 0);
	assert_int_equal(e.faults.count, 5);
	assert_string_equal(said(&e, 0), "2 times what was executed is left out, as its code is in "
					 "none of the programs, first at 0x2000");
	assert_string_equal(said(&e, 1), "once the trace lost packets; what was executed then is "
					 "left out");
	assert_string_equal(said(&e, 2), "once instructions were of A32 or T32, which are not "
					 "followed");
	assert_string_equal(said(&e, 3), "once a Q packet stands for instructions that are not in "
					 "the trace");
	assert_string_equal(said(&e, 4), "once packets contradict each other or the code; went on "
					 "at the next address");
	assert_int_equal(e.lost_atoms, 1);
	tl_etm_executed_end(&e);
	free_whole(w);
}

/* Atoms in front of any address, and behind a Trace On that none follows. */
TEST(atoms_without_an_address_are_said)
{
	const struct etm_context a64 = { .is_64bit = true, .id_bytes = 4 };

	for (unsigned traced = 0; traced < 2; traced++) {
		struct whole *w = calloc(1, sizeof(*w));
		struct tl_etm_executed e = { .no_code = 0 };

		w->m = calloc(1, sizeof(*w->m));
		etm_async(&w->bytes);
		etm_trace_info(&w->bytes, 0, 0, 0, 0);
		if (traced) {
			etm_address_context(&w->bytes, 0x2000, false, 64, &a64);
			etm_byte(&w->bytes, 0x04);
		}
		etm_byte(&w->bytes, 0xf7);
		etm_byte(&w->bytes, 0xf7);
		assert_int_equal(execute(&e, w, NULL), 0);
		assert_int_equal(e.faults.count, 1);
		assert_string_equal(said(&e, 0), "once what was executed is left out, as its "
						 "address is not in the trace");
		assert_int_equal(e.lost_atoms, 2);
		tl_etm_executed_end(&e);
		free_whole(w);
	}
}

static int write_all(const void *input, struct tl_output *out)
{
	struct tl_etm_executed e = { .no_code = 0 };
	int status = execute(&e, input, NULL);

	for (size_t i = 0; status == 0 && i < e.streams.count; i++) {
		const void *bytes;
		size_t size;

		status = tl_etm_stream_finish(&e.streams.list[i], &bytes, &size, NULL);
		if (status == 0)
			tl_output_write(out, bytes, size);
	}
	tl_etm_executed_end(&e);
	return status;
}

static int ask(const void *input, uint64_t *digest)
{
	return refuse_note_output(write_all, input, digest);
}

/* With elements that wait, and a fault. */
TEST(each_allocation_is_refused)
{
	const struct m_unit unit = { .has_ids = true };
	struct whole *w = draw_whole(3, &unit, 500);

	etm_byte(&w->bytes, 0x08);
	assert_true(refuse_each(ask, w) > 4);
	free_whole(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranges_become_tokens),
		cmocka_unit_test(long_streams_are_in_files),
		cmocka_unit_test(a_file_is_what_the_machine_executed),
		cmocka_unit_test(what_could_not_be_followed_is_said),
		cmocka_unit_test(atoms_without_an_address_are_said),
		cmocka_unit_test(each_allocation_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
