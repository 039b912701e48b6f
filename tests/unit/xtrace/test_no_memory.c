/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every allocation of an operation is refused once, and then that one with all later ones: the
 * operation says TL_NO_MEMORY, or gives what it gives with memory, and frees what it took. The
 * linker sends allocations of the library to tests/fault/wrap.c.
 */
#include <stdio.h>

#include "profiles.h"
#include "streams.h"

#include "../../fault/wrap.h"
#include "xtrace/analyze/analyze.h"
#include "xtrace/caches/cache.h"
#include "xtrace/convert/convert.h"
#include "xtrace/listing/describe.h"

enum { MAIN = 0x1000, F = 0x2000, G = 0x3000, VECTOR = 0x9000, CALLS = 24 };

/* ---- a trace that has something for each operation ---- */

static void put_system_call(struct bytes *s, uint64_t pc)
{
	put_pcinst(s, 0, pc, A64_SVC);
	put_value(s, SVCARG, 66); /* writev */
	for (unsigned i = 0; i < 6; i++)
		put_value(s, SVCARG, i);
	put_byte(s, SYSCALL_VEC);
	put_number(s, 1, 8);
	put_number(s, 0x6000, 8);
	put_number(s, 12, 8);
	put_value(s, SVCRET, 12);
}

/* The snapshots stand before each eighth call. */
static void make_trace(struct bytes *s, struct bytes *snapshots)
{
	put_header(snapshots);
	for (unsigned i = 0; i < CALLS; i++) {
		uint64_t to = i % 3 ? F : G, at = MAIN + 0x40 * i;

		if (i % 8 == 0)
			put_record(snapshots, &(struct record){ .index = s->size,
								.user = 5 * i,
								.total = 5 * i,
								.first = 0x7000 });
		call(s, at, to);
		put_pcinst(s, 0, to, A64_LDR);
		put_access(s, LOAD, 3, 0x10000 * i, i);
		put_inst(s, 0, A64_STR);
		put_access(s, STORE, 3, 0x1000000 * i, i);
		ret(s, to + 8, at + 4);
		go(s, 0, at + 4, A64_BR, at + 0x40);
	}
	put_system_call(s, MAIN + 0x40 * CALLS);
	put_pcinst(s, 0, MAIN + 0x40 * CALLS + 4, A64_NOP);
	put_pcinst(s, 1, VECTOR, A64_NOP);
	eret(s, VECTOR + 4, G + 4);
	for (unsigned i = 0; i < 6; i++)
		ret(s, G + 4, F + 0x100 * i);
	put_byte(s, 0xff); /* no token */
}

/* ---- operations ---- */

/* FNV-1a. */
static uint64_t digest_of(const void *data, size_t size)
{
	const uint8_t *bytes = data;
	uint64_t digest = 0xcbf29ce484222325u;

	for (size_t i = 0; i < size; i++)
		digest = (digest ^ bytes[i]) * 0x100000001b3u;
	return digest;
}

typedef int64_t operation_fn(struct trace *t, unsigned variant, struct tl_output *out);

static int64_t do_open(struct trace *t, unsigned variant, struct tl_output *out)
{
	(void)t;
	(void)variant;
	(void)out;
	return 0;
}

static int64_t do_fold(struct trace *t, unsigned variant, struct tl_output *out)
{
	/* functions, lines, and functions by interval, level and task; of all, or of a part */
	const struct tl_xtrace_fold_options options = {
		.size = sizeof(options),
		.id = TL_NOWHERE,
		.lines = variant % 5 == 1,
		.interval = variant % 5 == 2 ? 10 : 0,
		.split = variant % 5 > 2 ? (enum tl_xtrace_split)(variant % 5 - 2)
					 : TL_XTRACE_BY_STREAM,
		.part.first = variant < 5 ? 0 : 5,
		.jobs = 1,
	};
	struct tl_profile *profile;
	int64_t status = tl_xtrace_fold(t->trace, &options, &profile, &t->err);

	(void)out;
	if (status == 0)
		status = 1000 * (int64_t)tl_profile_context_count(profile) +
			 tl_profile_total(profile)[0];
	else
		assert_null(profile);
	tl_profile_free(profile);
	return status;
}

static int64_t do_check(struct trace *t, unsigned variant, struct tl_output *out)
{
	(void)variant;
	(void)out;
	return tl_xtrace_check(t->trace, NULL, NULL, &t->err);
}

static int64_t do_analyze(struct trace *t, unsigned variant, struct tl_output *out)
{
	static const char text[] =
		"L1 data size=1K ways=2 line=64 next=L2\nL2 size=4K ways=4 line=64\n";
	struct tl_xtrace_cache_config caches;
	const struct tl_xtrace_analysis_options options = {
		.analyses = 1u << variant % 7,
		.caches = &caches,
		.form = variant < 7 ? TL_XTRACE_TEXT : TL_XTRACE_JSON,
		.thread = TL_NOWHERE,
		.interval = variant % 7 == 5 ? 10 : 0,
	};

	assert_int_equal(tl_xtrace_cache_parse(&caches, text, sizeof(text) - 1, NULL), 0);
	return tl_xtrace_analyze(t->trace, &options, out, &t->err);
}

static int64_t do_list(struct trace *t, unsigned variant, struct tl_output *out)
{
	const struct tl_xtrace_insn_text_options no_text = { .no_text = true };
	struct tl_xtrace_select select = tl_xtrace_everything;
	bool json = variant & 1;

	select.exact = variant / 2 == 4;
	switch (variant / 2) {
	case 0:
		return tl_xtrace_list_tokens(t->trace, &select, json, out, &t->err);
	case 1:
		return tl_xtrace_list_instructions(t->trace, &select, &no_text, json, out, &t->err);
	case 2:
		return tl_xtrace_list_snapshots(t->trace, &select, TL_NONE, TL_NONE, json, out,
						&t->err);
	case 3:
		return tl_xtrace_list_violations(t->trace, &select, json, out, &t->err);
	default:
		return tl_xtrace_describe(t->trace, &select, json, out, &t->err);
	}
}

static int64_t do_convert(struct trace *t, unsigned variant, struct tl_output *out)
{
	if (variant == 0)
		return tl_xtrace_to_champsim(t->trace, 0, out, &t->err);
	return variant == 1 ? tl_xtrace_to_jsonl(t->trace, 0, out, &t->err)
			    : tl_xtrace_to_tarmac(t->trace, 0, out, &t->err);
}

static int64_t do_slice(struct trace *t, unsigned variant, struct tl_output *out)
{
	const struct tl_xtrace_slice slice = {
		.size = sizeof(slice),
		.end_snapshot = TL_NONE,
		.first_instruction = 10 * variant,
		.end_instruction = variant ? 50 : TL_NOWHERE,
	};

	return tl_xtrace_slice_write(t->trace, &slice, out, NULL, &t->err);
}

/* rt_sigaction(10, 0x58000), then a handler with a frame below `sp`, which asks for its number. */
static void put_signal(struct bytes *stream, uint64_t handler, uint64_t sp, uint64_t time)
{
	static const uint64_t arguments[7] = { 134, 10, 0x58000 };

	put_inst(stream, 0, A64_STR_FREE);
	put_value(stream, TIME, time);
	put_access(stream, STORE, 3, 0x58000, handler);
	put_inst(stream, 0, A64_SVC);
	for (unsigned i = 0; i < 7; i++)
		put_value(stream, SVCARG, arguments[i]);
	put_value(stream, SVCRET, 0);
	put_inst(stream, 0, A64_NOP);
	put_pcinst(stream, 0, handler, 0xa9bf7bfd); /* STP X29, X30, [SP, #-16]! */
	put_value(stream, TIME, time + 2);
	put_access(stream, STORE, 3, sp - 0x1270, 29);
	put_access(stream, STORE, 3, sp - 0x1268, 30);
	put_inst(stream, 0, 0x7100281f); /* CMP W0, #10 */
}

/* Two threads that take turns at a word, as one program, and are interrupted. */
static struct bytes threads[4];

static void make_threads(void)
{
	for (unsigned i = 0; i < 2; i++) {
		struct bytes *stream = &threads[2 * i], *snapshots = &threads[2 * i + 1];

		put_header(snapshots);
		put_record(snapshots, &(struct record){ .first = i ? 0x700000 : 0x7000 });
		put_pcinst(stream, 0, MAIN + 0x100 * i, A64_NOP);
		for (unsigned k = 0; k < 6; k++) {
			put_inst(stream, 0, k % 2 ? A64_LDR : A64_STR);
			put_value(stream, TIME, 10 * k + i);
			put_access(stream, k % 2 ? LOAD : STORE, 3, 0x50000, k + i % 2);
		}
		put_signal(stream, MAIN + 0x800, i ? 0x700000 : 0x7000, 100 + i);
		put_inst(stream, 0, A64_NOP);
	}
}

static int64_t do_threads(struct trace *t, unsigned variant, struct tl_output *out)
{
	static const char *const names[4] = { "xtrace.1.0.hint9.xinsndata.bin",
					      "xtrace.1.0.hint9.xsnapshot.bin",
					      "xtrace.1.1.hint9.xinsndata.bin",
					      "xtrace.1.1.hint9.xsnapshot.bin" };
	const struct tl_xtrace_options options = { .size = sizeof(options), .alone = true };
	const struct tl_xtrace_slice slice = { .size = sizeof(slice),
					       .stream = TL_NONE,
					       .end_snapshot = TL_NONE,
					       .end_instruction = TL_NOWHERE };
	struct tl_xtrace_file files[4] = { { 0 } };
	struct tl_xtrace_trace *trace = NULL;
	int status = 0;

	(void)variant;
	for (size_t i = 0; status == 0 && i < 4; i++) {
		files[i].path = names[i];
		status = tl_source_open_memory(&files[i].source, threads[i].data, threads[i].size,
					       names[i], &t->err);
	}
	if (status == 0)
		status = tl_xtrace_open(&trace, files, 4, &options, NULL, &t->err);
	if (status == 0)
		status = tl_xtrace_slice_elf(trace, &slice, out, &t->err);
	/* As its commit would. */
	if (status == 0 && tl_output_failed(out))
		status = t->err.status = TL_NO_MEMORY;
	tl_xtrace_close(trace);
	for (size_t i = 0; i < 4; i++)
		tl_source_close(files[i].source);
	return status;
}

/* A stream of three files in memory, its snapshots beside them; others are looked for, or not. */
static int64_t do_numbered(struct trace *t, unsigned variant, struct tl_output *out)
{
	static const char *const names[4] = { "xtrace.1.0.hint9.xinsndata.bin.2",
					      "xtrace.1.0.hint9.xinsndata.bin.0",
					      "xtrace.1.0.hint9.xinsndata.bin.1",
					      "xtrace.1.0.hint9.xsnapshot.bin" };
	const struct tl_xtrace_options options = { .size = sizeof(options), .alone = variant };
	const struct bytes *stream = &threads[0], *snapshots = &threads[1];
	const size_t end = stream->size, begins[4] = { 40, 0, 18, 0 }, ends[4] = { end, 18, 40, 0 };
	struct tl_xtrace_file files[4] = { { 0 } };
	struct tl_xtrace_trace *trace = NULL;
	int64_t status = 0;

	for (size_t i = 0; status == 0 && i < 4; i++) {
		const uint8_t *data = i < 3 ? stream->data + begins[i] : snapshots->data;
		size_t size = i < 3 ? ends[i] - begins[i] : snapshots->size;

		files[i].path = names[i];
		status = tl_source_open_memory(&files[i].source, data, size, names[i], &t->err);
	}
	if (status == 0)
		status = tl_xtrace_open(&trace, files, 4, &options, NULL, &t->err);
	if (status == 0)
		status = tl_xtrace_list_tokens(trace, &tl_xtrace_everything, false, out, &t->err);
	tl_xtrace_close(trace);
	for (size_t i = 0; i < 4; i++)
		tl_source_close(files[i].source);
	return status;
}

static const struct {
	const char *name;
	operation_fn *run;
	unsigned variants;
} operations[] = {
	{ "open", do_open, 1 },        { "fold", do_fold, 10 },      { "check", do_check, 1 },
	{ "analyze", do_analyze, 14 }, { "list", do_list, 10 },      { "convert", do_convert, 3 },
	{ "slice", do_slice, 2 },      { "threads", do_threads, 1 }, { "numbered", do_numbered, 2 },
};

/* ---- refusals ---- */

struct run {
	int64_t status;
	uint64_t digest, asked;
	int64_t leaked;
};

static struct run run_once(const struct bytes *stream, const struct bytes *snapshots, size_t number,
			   unsigned variant, uint64_t refused, bool onward)
{
	const struct tl_xtrace_options options = { .size = sizeof(options), .alone = true };
	struct run run = { .digest = 0 };
	struct tl_xtrace_file files[2];
	int64_t before = wrap_live();
	struct tl_output *out;
	struct trace t;
	size_t size, count;
	const char *bytes;

	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	count = make_files(&t, files, stream, snapshots);
	wrap_arm(number ? 0 : refused, onward);
	run.status = tl_xtrace_open(&t.trace, files, count, &options, &t.failed, &t.err);
	if (number) {
		assert_int_equal(run.status, 0);
		wrap_arm(refused, onward);
		run.status = operations[number].run(&t, variant, out);
	}
	run.asked = wrap_disarm();
	if (run.status == TL_NO_MEMORY)
		assert_int_equal(t.err.status, TL_NO_MEMORY);
	bytes = tl_output_bytes(out, &size);
	if (bytes)
		run.digest = digest_of(bytes, size);
	tl_output_discard(out);
	close_trace(&t);
	run.leaked = wrap_live() - before;
	return run;
}

static void refuse_each(const struct bytes *stream, const struct bytes *snapshots, size_t number,
			unsigned variant)
{
	const struct run right = run_once(stream, snapshots, number, variant, 0, false);

	assert_true(right.status >= 0);
	assert_int_equal(right.leaked, 0);
	for (uint64_t n = 1; n <= 2 * right.asked; n++) {
		bool onward = n > right.asked;
		struct run run = run_once(stream, snapshots, number, variant,
					  onward ? n - right.asked : n, onward);

		if (run.leaked || (run.status != TL_NO_MEMORY && run.status != right.status) ||
		    (run.status == right.status && run.digest != right.digest))
			fail_msg("%s %u, allocation %llu of %llu: status %lld, %lld not freed",
				 operations[number].name, variant, (unsigned long long)n,
				 (unsigned long long)right.asked, (long long)run.status,
				 (long long)run.leaked);
	}
}

TEST(each_allocation)
{
	struct bytes stream = { 0 }, snapshots = { 0 };

	make_trace(&stream, &snapshots);
	make_threads();
	for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++)
		for (unsigned variant = 0; variant < operations[i].variants; variant++)
			refuse_each(&stream, &snapshots, i, variant);
	free_bytes(&stream);
	free_bytes(&snapshots);
	for (size_t i = 0; i < 4; i++)
		free_bytes(&threads[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_allocation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
