/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streams that are walked in pieces, by several threads: all tokens, each once, as the test wrote
 * them. A piece begins where tokens make sense; data of the program that looks like tokens must not
 * be counted.
 */
#include <pthread.h>

#include "bytes.h"

#include "xtrace/parts/lanes.h"

enum { PIECE = 4 << 20, JOBS = 3 };

struct sum {
	pthread_mutex_t lock;
	uint64_t tokens, bytes, walks, forgotten;
};

static void walk_lanes(void *arg, struct tl_xtrace_lanes *lanes)
{
	struct sum *sum = arg, own = { .tokens = 0 };

	while (tl_xtrace_lanes_fill(lanes)) {
		struct tl_xtrace_walk *walk = lanes->walks[0];

		own.walks++;
		for (; tl_xtrace_walk_next(walk) != TL_XTRACE_NONE; own.tokens++)
			own.bytes += (uint64_t)(walk->next - walk->token);
		tl_xtrace_lanes_drop(lanes, 0);
	}
	pthread_mutex_lock(&sum->lock);
	sum->tokens += own.tokens;
	sum->bytes += own.bytes;
	sum->walks += own.walks;
	pthread_mutex_unlock(&sum->lock);
}

static void forget(void *arg)
{
	struct sum *sum = arg;

	sum->tokens = sum->bytes = sum->walks = 0;
	sum->forgotten++;
}

static struct sum walk(struct trace *t, unsigned jobs)
{
	static const struct tl_xtrace_lanes_ops ops = { walk_lanes, forget };
	struct sum sum = { .lock = PTHREAD_MUTEX_INITIALIZER };

	assert_int_equal(tl_xtrace_each_lane(t->trace, 0, jobs, &ops, &sum, &t->err), 0);
	return sum;
}

/* A run of instructions up to so many bytes of the stream. Returns how many tokens. */
static uint64_t run(struct bytes *b, size_t size)
{
	uint64_t tokens = 0;

	while (b->size < size) {
		put_pcinst(b, 0, 0x1000, A64_LDR);
		put_access(b, LOAD, 3, 0x9000, 5);
		put_inst(b, 0, A64_NOP);
		put_inst(b, 0, A64_STR);
		put_access(b, STORE, 3, 0x9008, tokens);
		tokens += 5;
	}
	return tokens;
}

/* Tokens that make sense, as data of a system call's vector: `entries` of 16 bytes. */
static void vector_like_tokens(struct bytes *b, size_t entries)
{
	size_t end;

	put_pcinst(b, 0, 0x2000, A64_SVC);
	put_value(b, SYSCALL_VEC, entries);
	end = b->size + entries * 16;
	while (b->size + 13 <= end)
		put_pcinst(b, 0, 0x3000, A64_NOP);
	put_repeat(b, 0, end - b->size);
}

TEST(every_token_once)
{
	struct bytes b = { .data = NULL };
	uint64_t tokens = run(&b, 7 * PIECE / 2);
	struct trace t;

	open_trace(&t, &b, NULL);
	for (unsigned jobs = 1; jobs <= JOBS; jobs++) {
		struct sum sum = walk(&t, jobs);

		assert_int_equal(sum.tokens, tokens);
		assert_int_equal(sum.bytes, b.size);
		assert_int_equal(sum.walks, 3);
		assert_int_equal(sum.forgotten, 0);
	}
	assert_int_equal(t.trace->faults.count, 0);
	close_trace(&t);
	free_bytes(&b);
}

TEST(less_than_two_pieces)
{
	struct bytes b = { .data = NULL };
	uint64_t tokens = run(&b, 2 * PIECE - 64);
	struct trace t;
	struct sum sum;

	open_trace(&t, &b, NULL);
	sum = walk(&t, 2);
	assert_int_equal(sum.tokens, tokens);
	assert_int_equal(sum.walks, 1);
	close_trace(&t);
	free_bytes(&b);
}

TEST(pieces_of_segments)
{
	struct bytes b = { .data = NULL }, records = { .data = NULL };
	const struct record first = { .first = 7 };
	struct record second = { .user = 1, .total = 1 };
	uint64_t tokens = run(&b, 5 * PIECE / 2);
	struct trace t;
	struct sum sum;

	second.index = b.size;
	tokens += run(&b, 8 * PIECE);
	put_header(&records);
	put_record(&records, &first);
	put_record(&records, &second);
	open_trace(&t, &b, &records);
	assert_int_equal(t.trace->streams[0].segment_count, 2);
	sum = walk(&t, 2);
	assert_int_equal(sum.tokens, tokens);
	assert_int_equal(sum.bytes, b.size);
	assert_int_equal(sum.walks, 2 + 5);
	close_trace(&t);
	free_bytes(&b);
	free_bytes(&records);
}

/* Data of a program stand where the second piece of three would begin. */
TEST(data_like_tokens)
{
	struct bytes b = { .data = NULL };
	uint64_t tokens = run(&b, PIECE - 4096);
	struct trace t;

	vector_like_tokens(&b, 1024);
	tokens += 2 + run(&b, 7 * PIECE / 2);
	open_trace(&t, &b, NULL);
	for (unsigned jobs = 1; jobs <= JOBS; jobs++) {
		struct sum sum = walk(&t, jobs);

		assert_int_equal(sum.forgotten, 1);
		assert_int_equal(sum.tokens, tokens);
		assert_int_equal(sum.bytes, b.size);
	}
	assert_int_equal(t.trace->faults.count, 0);
	close_trace(&t);
	free_bytes(&b);
}

/* No place for the second piece, one for the third: what is between is not to be counted twice. */
TEST(data_unlike_tokens)
{
	struct bytes b = { .data = NULL };
	uint64_t tokens = run(&b, PIECE - 4096);
	struct trace t;
	struct sum sum;

	put_pcinst(&b, 0, 0x2000, A64_SVC);
	put_value(&b, SYSCALL_VEC, 6000);
	put_repeat(&b, 0, (size_t)6000 * 16);
	tokens += 2 + run(&b, 7 * PIECE / 2);
	open_trace(&t, &b, NULL);
	sum = walk(&t, 2);
	assert_int_equal(sum.forgotten, 1);
	assert_int_equal(sum.tokens, tokens);
	assert_int_equal(sum.bytes, b.size);
	close_trace(&t);
	free_bytes(&b);
}

/* What is wrong in the last piece is so whoever walks it. */
TEST(cut_inside_a_token)
{
	struct bytes b = { .data = NULL };
	uint64_t tokens = run(&b, 7 * PIECE / 2);
	struct trace t;
	struct sum sum;

	put_byte(&b, PCINST);
	open_trace(&t, &b, NULL);
	sum = walk(&t, 2);
	assert_int_equal(sum.forgotten, 0);
	assert_int_equal(sum.tokens, tokens);
	assert_int_equal(sum.walks, 3);
	assert_int_equal(t.trace->faults.count, 1);
	assert_int_equal(t.trace->faults.list[0].offset, b.size - 1);
	assert_int_equal(t.trace->faults.list[0].status, TL_TRUNCATED);
	close_trace(&t);
	free_bytes(&b);
}

/* Behind damage nothing of its segment counts, and the fault is told once. */
TEST(damage)
{
	struct bytes b = { .data = NULL };
	uint64_t tokens = run(&b, 3 * PIECE / 2);
	size_t fault = b.size;
	struct trace t;

	put_byte(&b, 0xff);
	run(&b, 9 * PIECE / 2);
	open_trace(&t, &b, NULL);
	for (unsigned jobs = 1; jobs <= JOBS; jobs++) {
		struct sum sum = walk(&t, jobs);

		assert_int_equal(sum.forgotten, 1);
		assert_int_equal(sum.tokens, tokens);
		assert_int_equal(sum.bytes, fault);
		assert_int_equal(t.trace->faults.count, jobs);
		assert_int_equal(t.trace->faults.list[jobs - 1].offset, fault);
	}
	close_trace(&t);
	free_bytes(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_token_once),
		cmocka_unit_test(less_than_two_pieces),
		cmocka_unit_test(pieces_of_segments),
		cmocka_unit_test(data_like_tokens),
		cmocka_unit_test(data_unlike_tokens),
		cmocka_unit_test(cut_inside_a_token),
		cmocka_unit_test(damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
