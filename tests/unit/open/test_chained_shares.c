/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shares of raw Intel PT, which are folded at the same time, by threads in the place of ranks: what
 * their profiles are together is the whole.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "../temp_fixture.h"
#include "../unit.h"

#include <tracelathe/tracelathe.h>

enum { MOST = 6, MORE = 16 };

/* ---- a chain ---- */

/* What the shares told so far; each waits until all have, or one cannot. */
struct table {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	void *told[MOST];
	size_t sizes[MOST];
	uint32_t shares, count;
	bool broken;
	bool nonsense; /* what the shares get is cut by a byte of the first count */
	bool keeps;    /* what was told is the caller's */
	const char *sysroot;
};

struct seat {
	struct table *table;
	const char *path;
	uint32_t share;
	int status;
	bool done;
	uint64_t damaged;
	struct tl_profile *profile;
};

static int join_told(struct table *t, void **all, size_t *size)
{
	char *bytes, *end;

	*size = 0;
	for (uint32_t i = 0; i < t->shares; i++)
		*size += t->sizes[i];
	bytes = end = malloc(*size + 1);
	for (uint32_t i = 0; bytes && i < t->shares; i++)
		end = mempcpy(end, t->told[i], t->sizes[i]);
	if (bytes && t->nonsense)
		bytes[3] = 1;
	*all = bytes;
	return bytes ? 0 : TL_NO_MEMORY;
}

static int meet(void *arg, const void *mine, size_t size, void **all, size_t *all_size)
{
	struct seat *seat = arg;
	struct table *t = seat->table;
	int status;

	pthread_mutex_lock(&t->lock);
	t->told[seat->share] = malloc(size + 1);
	memcpy(t->told[seat->share], mine, size);
	t->sizes[seat->share] = size;
	t->count++;
	pthread_cond_broadcast(&t->changed);
	while (t->count < t->shares && !t->broken)
		pthread_cond_wait(&t->changed, &t->lock);
	status = t->broken ? TL_UNSUPPORTED : join_told(t, all, all_size);
	pthread_mutex_unlock(&t->lock);
	return status;
}

static void *fold(void *arg)
{
	struct seat *seat = arg;
	const struct tl_share_chain chain = { .meet = meet, .arg = seat };
	struct tl_input_options options = TL_INPUT_OPTIONS_DEFAULT;
	struct tl_input *input;

	options.share = seat->share;
	options.shares = seat->table->shares;
	options.chain = &chain;
	options.jobs = seat->share; /* does not matter */
	options.programs.sysroot = seat->table->sysroot;
	seat->status = tl_input_open(&input, &seat->path, 1, &options, NULL, NULL);
	if (seat->status == 0) {
		seat->status = tl_input_fold(input, &seat->profile, NULL);
		seat->damaged = tl_input_damage_count(input, NULL);
		tl_input_close(input);
	}
	pthread_mutex_lock(&seat->table->lock);
	seat->table->broken |= seat->status < 0;
	pthread_cond_broadcast(&seat->table->changed);
	pthread_mutex_unlock(&seat->table->lock);
	return NULL;
}

/* All shares of a trace at the same time. */
static void fold_shares(struct table *t, struct seat *seats, const char *path, uint32_t shares)
{
	pthread_t threads[MOST];

	t->shares = shares;
	pthread_mutex_init(&t->lock, NULL);
	pthread_cond_init(&t->changed, NULL);
	for (uint32_t i = 0; i < shares; i++) {
		seats[i] = (struct seat){ .table = t, .path = path, .share = i };
		assert_int_equal(pthread_create(&threads[i], NULL, fold, &seats[i]), 0);
	}
	for (uint32_t i = 0; i < shares; i++)
		pthread_join(threads[i], NULL);
	for (uint32_t i = 0; i < shares && !t->keeps; i++)
		free(t->told[i]);
	pthread_mutex_destroy(&t->lock);
	pthread_cond_destroy(&t->changed);
}

/* ---- traces ---- */

static uint8_t bytes[1 << 20];

static size_t read_file(const char *name)
{
	char path[512];
	FILE *file;
	size_t size;

	snprintf(path, sizeof(path), "%s/tests/%s", getenv("TL_SOURCE_ROOT"), name);
	file = fopen(path, "rb");
	assert_non_null(file);
	size = fread(bytes, 1, sizeof(bytes), file);
	fclose(file);
	assert_in_range(size, 1, sizeof(bytes) - 1);
	return size;
}

static size_t read_corpus(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "corpus/intel-pt/%s", name);
	return read_file(path);
}

/*
 * A trace with its code, all of which has names: that of libraries is taken for code without a
 * file, since those here are others.
 */
static const char *put_trace(const char *name, bool damaged)
{
	static char path[512];
	char map[4096], *line, *rest = map;
	size_t size = read_corpus("rec.img");
	FILE *file;

	temp_write(&temp, "rec.img", bytes, size);
	size = read_corpus("bin/rec");
	snprintf(path, sizeof(path), "%s", temp_write(&temp, "rec", bytes, size));
	size = read_corpus("rec.map");
	assert_in_range(size, 1, sizeof(map) - 1);
	memcpy(map, bytes, size);
	map[size] = '\0';
	file = fopen(temp_path(&temp, "rec.map"), "w");
	assert_non_null(file);
	while ((line = strsep(&rest, "\n")) && *line) {
		unsigned long at, length, from, origin;
		char object[200];

		if (sscanf(line, "%lx %lx %lx %199s %lx", &at, &length, &from, object, &origin) ==
		    5)
			fprintf(file, "%lx %lx %lx %s %lx\n", at, length, from,
				strcmp(object, "bin/rec") ? "[anon]" : path, origin);
	}
	assert_int_equal(fclose(file), 0);
	size = read_corpus(name);
	if (damaged)
		memset(bytes + size / 3, 0xff, 40);
	snprintf(path, sizeof(path), "%s", temp_write(&temp, name, bytes, size));
	return path;
}

/* One that is decoded at once. */
static const char *put_small_trace(void)
{
	static const char map[] = "401000 283 0 [anon] 1000\n";
	static char path[512];

	temp_write(&temp, "tiny.img", bytes, read_file("golden/intel_pt/tiny.img"));
	temp_write(&temp, "tiny.map", map, sizeof(map) - 1);
	snprintf(path, sizeof(path), "%s",
		 temp_write(&temp, "tiny.pt", bytes, read_file("golden/intel_pt/tiny.pt")));
	return path;
}

static struct tl_output *written(struct seat *seats, uint32_t count)
{
	struct tl_gather *gather;
	struct tl_output *out;

	assert_int_equal(tl_gather_open(&gather, NULL, NULL), 0);
	for (uint32_t i = count; i-- > 0;) {
		assert_int_equal(tl_gather_add(gather, seats[i].profile, NULL), 0);
		tl_profile_free(seats[i].profile);
	}
	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(tl_gather_write(gather, out, NULL, 0, NULL), 0);
	tl_gather_close(gather);
	return out;
}

static struct tl_output *fold_whole(const char *path, const char *sysroot)
{
	struct tl_input_options options = TL_INPUT_OPTIONS_DEFAULT;
	struct seat seat = { .path = path };
	struct tl_input *input;

	options.programs.sysroot = sysroot;
	assert_int_equal(tl_input_open(&input, &path, 1, &options, NULL, NULL), 0);
	assert_int_equal(tl_input_fold(input, &seat.profile, NULL), 0);
	assert_int_equal(tl_input_damage_count(input, NULL), 0);
	tl_input_close(input);
	return written(&seat, 1);
}

static void assert_same_below(const char *path, uint32_t shares, const char *sysroot)
{
	struct tl_output *whole = fold_whole(path, sysroot), *sum;
	struct table table = { .sysroot = sysroot };
	struct seat seats[MOST];
	size_t size, sum_size;
	const void *wanted = tl_output_bytes(whole, &size), *got;

	fold_shares(&table, seats, path, shares);
	for (uint32_t i = 0; i < shares; i++)
		assert_int_equal(seats[i].status, 0);
	for (uint32_t i = 0; i < shares; i++) {
		assert_int_equal(seats[i].damaged, 0);
		/* None of them has all. */
		assert_true(tl_profile_total(seats[i].profile)[0] > 0);
	}
	sum = written(seats, shares);
	got = tl_output_bytes(sum, &sum_size);
	assert_int_equal(sum_size, size);
	assert_memory_equal(got, wanted, size);
	tl_output_discard(whole);
	tl_output_discard(sum);
}

static void assert_same(const char *path, uint32_t shares)
{
	assert_same_below(path, shares, NULL);
}

/* ---- tests ---- */

TEST(a_trace_of_instructions_is_shared_out)
{
	assert_same(put_trace("rec.ret.pt", false), 2);
	assert_same(put_trace("rec.noret.pt", false), 2);
	assert_same(put_trace("rec.noret.pt", false), 3);
}

TEST(a_trace_with_time_is_shared_out)
{
	assert_same(put_trace("rec.time.pt", false), 2);
	/* Interrupts. */
	assert_same(put_trace("rec.irq.pt", false), 2);
}

static void assert_refused(struct table *table, const char *path, uint32_t shares)
{
	struct seat seats[MOST];

	fold_shares(table, seats, path, shares);
	for (uint32_t i = 0; i < shares; i++) {
		assert_int_equal(seats[i].status, TL_UNSUPPORTED);
		assert_null(seats[i].profile);
	}
}

/* Where one of them cannot go on, none does, and none waits. */
TEST(what_cannot_be_cut_is_refused)
{
	struct table table = { .broken = false };

	/* Cycles. */
	assert_refused(&table, put_trace("rec.cyc.pt", false), 2);
	table = (struct table){ .broken = false };
	assert_refused(&table, put_trace("rec.time.pt", true), 3);
	/* Frames that were jumped out of: they may go on. */
	table = (struct table){ .broken = false };
	assert_refused(&table, put_trace("rec.time.pt", false), 4);
}

TEST(nonsense_of_other_shares_is_refused)
{
	struct table table = { .nonsense = true };

	assert_refused(&table, put_trace("rec.ret.pt", false), 2);
}

/* ---- what another process told, in each of its words ---- */

struct message {
	uint64_t *words;
	size_t count; /* how many are told, in bytes of `size` */
	size_t size;
	/* by word: a count of marks; told by the share that reads it */
	bool *counts, *own;
};

static int hear(void *arg, const void *mine, size_t size, void **all, size_t *all_size)
{
	const struct message *m = arg;

	(void)mine;
	(void)size;
	*all = malloc(m->size + 1);
	memcpy(*all, m->words, m->size);
	*all_size = m->size;
	return 0;
}

/* What two shares tell, and which words of it are what. */
static struct message record(const char *path)
{
	struct table table = { .shares = 0, .keeps = true };
	struct message m = { .words = NULL };
	struct seat seats[MOST];
	size_t at = 0;
	void *all;

	fold_shares(&table, seats, path, 2);
	assert_int_equal(join_told(&table, &all, &m.size), 0);
	m.words = realloc(all, m.size + MORE);
	assert_non_null(m.words);
	memset((char *)m.words + m.size, 0, MORE);
	m.count = m.size / sizeof(*m.words);
	m.counts = calloc(m.count + 1, sizeof(*m.counts));
	m.own = calloc(m.count + 1, sizeof(*m.own));
	for (size_t i = 0; i < 2; i++) {
		const size_t words = table.sizes[i] / sizeof(*m.words);

		/* "How many functions ran, how many files did not, then the marks of both" */
		assert_int_equal(2 + m.words[at] + m.words[at + 1], words);
		assert_true(m.words[at] > 2);
		m.counts[at] = m.counts[at + 1] = true;
		for (size_t w = 0; w < words; w++)
			m.own[at + w] = !i;
		at += words;
		free(table.told[i]);
		tl_profile_free(seats[i].profile);
	}
	return m;
}

static int fold_first_below(const char *path, struct message *m, const char *sysroot)
{
	const struct tl_share_chain chain = { .meet = hear, .arg = m };
	struct tl_input_options options = TL_INPUT_OPTIONS_DEFAULT;
	struct tl_profile *profile = NULL;
	struct tl_input *input;
	int status;

	options.shares = 2;
	options.chain = &chain;
	options.programs.sysroot = sysroot;
	assert_int_equal(tl_input_open(&input, &path, 1, &options, NULL, NULL), 0);
	status = tl_input_fold(input, &profile, NULL);
	assert_int_equal(profile != NULL, status == 0);
	tl_profile_free(profile);
	tl_input_close(input);
	return status;
}

static int fold_first(const char *path, struct message *m)
{
	return fold_first_below(path, m, NULL);
}

/*
 * Counts, and what the share itself told, are refused where they are others; a mark of another
 * share that is none of a function is that of no function here.
 */
static void assert_word(const char *path, struct message *m, size_t word)
{
	const uint64_t was = m->words[word];
	const uint64_t nonsense[] = { 0,        1,          was - 1,   was + 1,   2 * was,
				      m->count, UINT32_MAX, INT64_MAX, UINT64_MAX };

	for (size_t i = 0; i < sizeof(nonsense) / sizeof(nonsense[0]); i++) {
		int status;

		if (nonsense[i] == was)
			continue;
		m->words[word] = nonsense[i];
		status = fold_first(path, m);
		if (m->counts[word] || m->own[word])
			assert_int_equal(status, TL_UNSUPPORTED);
		else
			assert_true(status == 0 || status == TL_UNSUPPORTED);
	}
	m->words[word] = was;
}

TEST(nonsense_in_each_word_is_refused)
{
	const char *path = put_small_trace();
	struct message m = record(path);
	const size_t size = m.size;

	assert_int_equal(fold_first(path, &m), 0);
	for (size_t word = 0; word < m.count; word++)
		assert_word(path, &m, word);
	/* Cut, and with more behind it, in words and in bytes of them. */
	for (m.size = 0; m.size <= size + MORE; m.size++)
		assert_int_equal(fold_first(path, &m), m.size == size ? 0 : TL_UNSUPPORTED);
	m.size = size;
	assert_int_equal(fold_first(path, &m), 0);
	free(m.words);
	free(m.counts);
	free(m.own);
}

/* ---- threads that take turns on processors ---- */

static char processors[512], image[512];

static void find_processors(void)
{
	snprintf(processors, sizeof(processors), "%s/tests/golden/perf/processors.perf.data",
		 getenv("TL_SOURCE_ROOT"));
	snprintf(image, sizeof(image), "%s/tests/golden/intel_pt", getenv("TL_SOURCE_ROOT"));
}

/* Three threads that ran, and one that was only there for a moment; others' were before theirs. */
TEST(threads_on_processors_are_shared_out)
{
	const char *path = processors;
	struct tl_input *input;

	find_processors();
	assert_int_equal(tl_input_open(&input, &path, 1, NULL, NULL, NULL), 0);
	assert_int_equal(tl_input_shares(input), 4);
	assert_true(tl_input_chains_shares(input));
	tl_input_close(input);
	assert_same_below(processors, 2, image);
	assert_same_below(processors, 3, image);
}

/* What two shares tell of the PSBs that they passed: how many words, then places and states. */
static void tell_others(struct message *m, struct table *t)
{
	struct seat seats[MOST];
	void *all;

	t->keeps = true;
	t->sysroot = image;
	fold_shares(t, seats, processors, 2);
	assert_int_equal(join_told(t, &all, &m->size), 0);
	m->words = all;
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(seats[i].status, 0);
		tl_profile_free(seats[i].profile);
		free(t->told[i]);
	}
}

/* Each state that a decoder begins with has to be the one that another one passed. */
TEST(a_state_that_nobody_passed_is_refused)
{
	struct table table = { .shares = 0 };
	struct message m;
	size_t refused = 0, first;

	find_processors();
	tell_others(&m, &table);
	first = 1 + (size_t)m.words[0];
	assert_int_equal(fold_first_below(processors, &m, image), 0);
	/* Those of the other share prove what this one began with; not all of them do. */
	for (size_t word = 0; word < m.size / sizeof(*m.words); word++) {
		const bool is_count = !word || word == first;
		int status;

		m.words[word] ^= 1;
		status = fold_first_below(processors, &m, image);
		m.words[word] ^= 1;
		if (is_count)
			assert_int_equal(status, TL_UNSUPPORTED);
		else
			assert_true(status == 0 || status == TL_UNSUPPORTED);
		refused += !is_count && word > first && status == TL_UNSUPPORTED;
	}
	assert_true(refused >= 4);
	for (m.size -= 8; m.size; m.size -= 8)
		assert_int_equal(fold_first_below(processors, &m, image), TL_UNSUPPORTED);
	assert_int_equal(fold_first_below(processors, &m, image), TL_UNSUPPORTED);
	free(m.words);
}

/* A share opens the code anew, so a small trace has one. */
TEST(a_small_trace_is_one_share)
{
	const char *path = put_trace("rec.ret.pt", false);
	struct tl_input *input;

	assert_int_equal(tl_input_open(&input, &path, 1, NULL, NULL, NULL), 0);
	assert_int_equal(tl_input_shares(input), 1);
	tl_input_close(input);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_trace_of_instructions_is_shared_out),
		cmocka_unit_test(a_trace_with_time_is_shared_out),
		cmocka_unit_test(what_cannot_be_cut_is_refused),
		cmocka_unit_test(nonsense_of_other_shares_is_refused),
		cmocka_unit_test(nonsense_in_each_word_is_refused),
		cmocka_unit_test(threads_on_processors_are_shared_out),
		cmocka_unit_test(a_state_that_nobody_passed_is_refused),
		cmocka_unit_test(a_small_trace_is_one_share),
	};

	return cmocka_run_group_tests(tests, temp_setup, temp_teardown);
}
