/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The master over a fleet that is played: workers and ranks die wherever they can, and in the end
 * each file that can be read must be in the sum once.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "unit/mpi/played.h"
#include "unit/unit.h"

/* ---- a run ---- */

static void begin(uint32_t seed, int ranks, int files)
{
	fleet = (struct fleet){ .ranks = ranks, .files = files, .random = seed };
	fleet.workers = calloc((size_t)ranks, sizeof(*fleet.workers));
	assert_non_null(fleet.workers);
}

static void end(void)
{
	for (int i = 0; i < fleet.ranks; i++) {
		forget(&fleet.workers[i].to_worker);
		forget(&fleet.workers[i].to_master);
	}
	free(fleet.workers);
}

/* What the master says goes to `said`, terminated. */
static struct fleet_outcome run_on(const char *name, struct settings *settings, char *said,
				   size_t room)
{
	const char *paths[MOST_FILES];
	struct relay relay = { .size = fleet.ranks };
	struct fleet_outcome outcome;
	FILE *file = fdopen(memfd_create("said", 0), "w+");
	int kept = dup(STDERR_FILENO);
	size_t got;

	for (int i = 0; i < fleet.files; i++)
		paths[i] = fleet.last && i + 1 == fleet.files ? fleet.last : name;
	settings->paths.items = paths;
	settings->paths.list.count = (size_t)fleet.files;
	settings->output.progress = WHEN_NEVER;
	if (!settings->files.scratch)
		settings->files.scratch = "/dev/shm"; /* as disks are slow to forget files */
	assert_non_null(file);
	fflush(stderr);
	dup2(fileno(file), STDERR_FILENO);
	master_run(&relay, settings, &outcome);
	fflush(stderr);
	dup2(kept, STDERR_FILENO);
	close(kept);
	rewind(file);
	got = fread(said, 1, room - 1, file);
	said[got] = '\0';
	fclose(file);
	settings->paths.items = NULL;
	settings->paths.list.count = 0;
	assert_int_equal(fleet.quits, fleet.ranks);
	return outcome;
}

static struct fleet_outcome run(struct settings *settings, char *said, size_t room)
{
	return run_on("/nowhere/file", settings, said, room);
}

static bool is_left_out(enum fate fate)
{
	return fate == IS_UNKNOWN || fate == ENDS_ALL || fate == LOG_ENDS_ALL || fate == TAKES_LONG;
}

/* The sum has each file that can be read once, and the outcome tells of the others. */
static void assert_whole(const struct fleet_outcome *outcome)
{
	size_t missing = 0, there = 0, damaged = 0;
	struct sum sum = { .times = { 0 } };

	assert_int_equal(outcome->status, 0);
	if (outcome->sum >= 0)
		assert_int_equal(pread(outcome->sum, &sum, sizeof(sum), 0), sizeof(sum));
	for (int i = 0; i < fleet.files; i++) {
		bool out = is_left_out(fleet.fates[i]);

		assert_int_equal(sum.times[i], !out);
		missing += out;
		there += !out;
		damaged += fleet.fates[i] == IS_DAMAGED;
	}
	assert_int_equal(outcome->missing, missing);
	assert_int_equal(outcome->sum >= 0, there > 0);
	assert_int_equal(outcome->damaged, missing || damaged);
	if (outcome->sum >= 0)
		close(outcome->sum);
}

static void play(uint32_t seed, int ranks, int files, unsigned death_in)
{
	/* More of what is read than of what is not. */
	static const enum fate fates[] = { IS_READ, IS_READ,  IS_READ,    IS_READ,
					   IS_LOG,  IS_LOG,   IS_UNKNOWN, IS_DAMAGED,
					   IS_READ, ENDS_ONE, ENDS_ALL,   TAKES_LONG };
	struct settings settings = { 0 };
	struct fleet_outcome outcome;
	char said[1 << 14];

	begin(seed, ranks, files);
	for (int i = 0; i < files; i++) {
		fleet.fates[i] = fates[draw(sizeof(fates) / sizeof(*fates))];
		fleet.families[i] = draw(4);
	}
	outcome = run(&settings, said, sizeof(said));
	assert_whole(&outcome);
	end();
	if (!death_in)
		return;
	/* One death by chance: a file that ends two workers is left out. */
	begin(seed, ranks, files);
	for (int i = 0; i < files; i++) {
		fleet.fates[i] = draw(3) ? IS_READ : IS_LOG;
		fleet.families[i] = draw(4);
	}
	fleet.death_in = death_in;
	fleet.deaths_left = 1;
	outcome = run(&settings, said, sizeof(said));
	assert_whole(&outcome);
	end();
}

TEST(each_file_is_in_the_sum_once)
{
	for (uint32_t seed = 1; seed <= 200; seed++)
		play(seed, 1 + (int)(seed % MOST_RANKS), 2 + (int)(seed * 7 % (MOST_FILES - 1)), 0);
}

TEST(wherever_a_worker_dies)
{
	for (uint32_t seed = 1; seed <= 400; seed++)
		play(seed, 1 + (int)(seed % MOST_RANKS), 2 + (int)(seed * 5 % 23), 3 + seed % 40);
}

/* Whatever dies while sums are added up, all of it is done again, and counted once. */
TEST(many_deaths_in_sums)
{
	struct settings settings = { 0 };
	char said[1 << 14];

	for (uint32_t seed = 1; seed <= 300; seed++) {
		struct fleet_outcome outcome;
		struct sum sum;
		size_t missing = 0;

		begin(seed, 2 + (int)(seed % (MOST_RANKS - 1)), 8 + (int)(seed % 20));
		fleet.death_in = 6;
		fleet.deaths_left = 30;
		outcome = run(&settings, said, sizeof(said));
		assert_int_equal(outcome.status, 0);
		memset(&sum, 0, sizeof(sum));
		if (outcome.sum >= 0)
			assert_int_equal(pread(outcome.sum, &sum, sizeof(sum), 0), sizeof(sum));
		for (int i = 0; i < fleet.files; i++) {
			assert_in_range(sum.times[i], 0, 1);
			missing += !sum.times[i];
		}
		/* What two workers died on by chance is left out, and told; nothing else is. */
		assert_int_equal(outcome.missing, missing);
		assert_int_equal(outcome.damaged, missing > 0);
		if (outcome.sum >= 0)
			close(outcome.sum);
		end();
	}
}

/* Ranks die wherever they can, with workers of others: others do their work, nothing is missing. */
TEST(ranks_that_are_given_up)
{
	struct settings settings = { 0 };
	struct fleet_outcome outcome;
	char said[1 << 14];
	unsigned lost = 0;

	for (uint32_t seed = 1; seed <= 500; seed++) {
		begin(seed, 2 + (int)(seed % (MOST_RANKS - 1)), 2 + (int)(seed * 5 % 23));
		for (int i = 0; i < fleet.files; i++) {
			fleet.fates[i] = draw(3) ? IS_READ : IS_LOG;
			fleet.families[i] = draw(4);
		}
		fleet.loss_in = 2 + seed % 30;
		fleet.losses_left = (unsigned)fleet.ranks - 1;
		fleet.death_in = seed % 2 ? 3 + seed % 40 : 0;
		fleet.deaths_left = 1;
		outcome = run(&settings, said, sizeof(said));
		assert_whole(&outcome);
		assert_string_equal(said, "");
		lost += (unsigned)fleet.ranks - 1 - fleet.losses_left;
		end();
	}
	assert_true(lost > 500);
}

/* Each log is in the sum as a whole, or by all of its shares, never by both. */
static void join_shares(const struct fleet_outcome *outcome)
{
	struct sum sum = { .times = { 0 } };

	if (outcome->sum < 0)
		return;
	assert_int_equal(pread(outcome->sum, &sum, sizeof(sum), 0), sizeof(sum));
	for (int i = 0; i < fleet.files; i++) {
		if (!sum.of[i])
			continue;
		assert_int_equal(sum.times[i], 0);
		assert_false(fleet.damaged[i]);
		assert_int_equal(sum.shares[i], (1u << sum.of[i]) - 1);
		sum.times[i] = 1;
	}
	assert_int_equal(pwrite(outcome->sum, &sum, sizeof(sum), 0), sizeof(sum));
}

/* Logs of few families, of which one may end all that read it. */
static void make_logs(bool one_ends)
{
	for (int i = 0; i < fleet.files; i++) {
		fleet.fates[i] = IS_LOG;
		fleet.families[i] = i ? 1 + draw(4) : 0;
		fleet.damaged[i] = draw(4) == 0;
	}
	fleet.fates[0] = one_ends ? LOG_ENDS_ALL : IS_LOG;
}

TEST(the_shares_of_large_logs)
{
	struct settings settings = { 0 };
	struct fleet_outcome outcome;
	char said[1 << 14], name[32];
	FILE *file = tmpfile();
	unsigned cut = 0;

	assert_non_null(file);
	assert_int_equal(ftruncate(fileno(file), 1000), 0);
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fileno(file));
	for (uint32_t seed = 1; seed <= 120; seed++) {
		/* One rank cuts nothing. */
		begin(seed, seed % 8 ? MOST_RANKS : 1, 2 + (int)(seed % (MOST_RANKS - 2)));
		fleet.shares = seed % 7;
		fleet.written = seed % 2;
		make_logs(seed % 3 == 0);
		fleet.death_in = seed % 3 ? 2 + seed % 20 : 0;
		fleet.deaths_left = 1;
		fleet.loss_in = 5;
		fleet.losses_left = seed % 5 ? 0 : 3;
		outcome = run_on(name, &settings, said, sizeof(said));
		join_shares(&outcome);
		assert_whole(&outcome);
		cut += fleet.cut;
		if (outcome.runs.file >= 0)
			close(outcome.runs.file);
		end();
	}
	assert_true(cut > 120);
	fclose(file);
}

/* The profile of each file that can be read is kept, however often it was read. */
static void assert_runs(const struct fleet_outcome *outcome, const struct settings *settings)
{
	size_t missing = 0;

	assert_int_equal(outcome->status, 0);
	assert_int_equal(outcome->sum, -1);
	for (int i = 0; i < fleet.files; i++) {
		const struct run_place *place = &outcome->runs.places[i];
		char text[32], *kept;
		int fd;

		missing += !place->size;
		if (is_left_out(fleet.fates[i]))
			assert_int_equal(place->size, 0);
		if (!place->size)
			continue;
		snprintf(text, sizeof(text), "file %d\n", i);
		fd = fleet_run(&outcome->runs, (size_t)i, settings);
		kept = bytes_read(fd, (size_t)place->size);
		assert_string_equal(kept, text);
		free(kept);
		close(fd);
	}
	assert_int_equal(outcome->missing, missing);
	assert_int_equal(outcome->damaged, missing > 0);
}

TEST(the_runs_of_two_sides)
{
	static const enum fate fates[] = { IS_READ, IS_READ, IS_UNKNOWN, ENDS_ONE, ENDS_ALL };
	struct settings settings = { .diff = { .runs = true } };
	struct fleet_outcome outcome;
	char said[1 << 14];

	for (uint32_t seed = 1; seed <= 100; seed++) {
		begin(seed, 1 + (int)(seed % MOST_RANKS), 2 + (int)(seed * 5 % 23));
		for (int i = 0; seed % 2 && i < fleet.files; i++)
			fleet.fates[i] = fates[draw(sizeof(fates) / sizeof(*fates))];
		fleet.death_in = seed % 2 ? 0 : 5;
		fleet.deaths_left = 1;
		fleet.loss_in = 5;
		fleet.losses_left = seed % 3 ? 0 : 2;
		fleet.before = 1 + draw((unsigned)fleet.files - 1);
		settings.diff.before = fleet.before;
		outcome = run(&settings, said, sizeof(said));
		assert_runs(&outcome, &settings);
		if (seed % 2 == 0)
			assert_int_equal(outcome.missing, 0);
		fleet_outcome_free(&outcome);
		end();
	}
}

TEST(a_file_that_ends_workers_is_read_twice_and_named)
{
	struct settings settings = { 0 };
	struct fleet_outcome outcome;
	char said[4096];

	begin(1, 2, 3);
	fleet.fates[1] = ENDS_ALL;
	outcome = run(&settings, said, sizeof(said));
	assert_whole(&outcome);
	assert_int_equal(fleet.read[1], 2);
	assert_string_equal(said,
			    "tracelathe: /nowhere/file: the process that read it was ended by "
			    "signal 11 (Segmentation fault), 2 times\n");
	end();
	/* A file that takes long would do so again. */
	begin(1, 2, 3);
	fleet.fates[1] = TAKES_LONG;
	outcome = run(&settings, said, sizeof(said));
	assert_whole(&outcome);
	assert_int_equal(fleet.read[1], 1);
	assert_string_equal(said,
			    "tracelathe: /nowhere/file: reading takes longer than --timeout\n");
	end();
	begin(1, 2, 3);
	fleet.fates[1] = EXITS_ALL;
	outcome = run(&settings, said, sizeof(said));
	assert_int_equal(outcome.status, 0);
	assert_int_equal(outcome.missing, 1);
	assert_int_equal(fleet.read[1], 2);
	assert_string_equal(said, "tracelathe: /nowhere/file: the process that read it ended, 2 "
				  "times\n");
	close(outcome.sum);
	end();
}

/* All of its logs are missing, and the file that is named is the first one. */
TEST(a_family_that_ends_workers)
{
	struct settings settings = { 0 };
	struct fleet_outcome outcome;
	char said[4096];

	for (uint32_t seed = 1; seed <= 20; seed++) {
		begin(seed, 1 + (int)(seed % 3), 7);
		for (unsigned i = 1; i < 6; i++) {
			fleet.fates[i] = i % 2 ? LOG_ENDS_ALL : IS_LOG;
			fleet.families[i] = i % 2;
		}
		outcome = run(&settings, said, sizeof(said));
		assert_whole(&outcome);
		assert_int_equal(outcome.missing, 3);
		end();
	}
}

/* Small files wait at the workers, so that these need not wait; not behind large ones. */
TEST(what_is_handed_out_ahead)
{
	static const struct {
		long size;
		size_t ahead;
	} cases[] = { { 100, 4 }, { (4 << 20) - 1, 4 }, { 4 << 20, 1 }, { 9 << 20, 1 } };
	struct settings settings = { 0 };
	struct fleet_outcome outcome;
	char said[4096], name[32];
	FILE *file = tmpfile();

	assert_non_null(file);
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fileno(file));
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(ftruncate(fileno(file), cases[i].size), 0);
		begin(1, 3, 20);
		outcome = run_on(name, &settings, said, sizeof(said));
		assert_whole(&outcome);
		for (int rank = 0; rank < 3; rank++)
			assert_int_equal(fleet.handed[rank], cases[i].ahead);
		end();
	}
	fclose(file);
}

/* What there is to be said comes in the order of the files, whoever read them first. */
TEST(words_come_in_the_order_of_the_files)
{
	struct settings settings = { 0 };
	struct fleet_outcome outcome;
	char said[4096];

	for (uint32_t seed = 1; seed <= 20; seed++) {
		begin(seed, 3, 9);
		fleet.fates[2] = IS_DAMAGED;
		fleet.fates[5] = IS_UNKNOWN;
		fleet.fates[8] = IS_DAMAGED;
		outcome = run(&settings, said, sizeof(said));
		assert_whole(&outcome);
		assert_string_equal(said, "file 2\nfile 5\nfile 8\n");
		end();
	}
}

/* Without memory there is no right answer; --strict and --no-keep-going want all files. */
TEST(a_run_that_cannot_go_on)
{
	static const struct {
		enum fate fate;
		bool strict, no_keep_going;
		int status;
	} cases[] = {
		{ NO_MEMORY, false, false, TL_NO_MEMORY },
		{ IS_UNKNOWN, true, false, TL_BAD_FORMAT },
		{ IS_UNKNOWN, false, true, TL_BAD_FORMAT },
		{ ENDS_ALL, false, true, TL_IO },
	};
	char said[4096];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct settings settings = { 0 };
		struct fleet_outcome outcome;

		settings.input.strict = cases[i].strict;
		settings.files.no_keep_going = cases[i].no_keep_going;
		begin(1, 2, 4);
		fleet.fates[2] = cases[i].fate;
		outcome = run(&settings, said, sizeof(said));
		assert_int_equal(outcome.status, cases[i].status);
		assert_int_equal(outcome.sum, -1);
		assert_int_equal(
			strncmp(said, cases[i].fate == ENDS_ALL ? "tracelathe: " : "file 2\n", 7),
			0);
		end();
	}
}

/* Of two files whose ticks have no sum the later one is named, whichever was read first. */
TEST(files_of_two_clocks)
{
	struct settings settings = { 0 };
	struct fleet_outcome outcome;
	char said[4096];

	for (uint32_t seed = 1; seed <= 20; seed++) {
		begin(seed, 2, 2);
		fleet.last = "/nowhere/last";
		fleet.fates[seed % 2] = OTHER_CLOCK;
		outcome = run(&settings, said, sizeof(said));
		assert_int_equal(outcome.status, TL_BAD_USAGE);
		assert_int_equal(outcome.sum, -1);
		assert_string_equal(said, "tracelathe: /nowhere/last: the profiles count ticks of "
					  "different clocks, which have no exact sum; "
					  "--nanoseconds makes nanoseconds of them\n");
		end();
	}
}

/* A sum that cannot be made ends the run with what was said of it. */
TEST(sums_that_fail)
{
	static const enum note_kind kinds[] = { NOTE_GAVE, NOTE_ADDED, NOTE_REDUCED };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		for (uint32_t seed = 1; seed <= 10; seed++) {
			struct settings settings = { 0 };
			struct fleet_outcome outcome;
			char said[4096];

			begin(seed, 3, 9);
			fleet.fails = kinds[i];
			outcome = run(&settings, said, sizeof(said));
			assert_int_equal(fleet.fails, 0);
			assert_int_equal(outcome.status, TL_TOO_LARGE);
			assert_int_equal(outcome.sum, -1);
			assert_string_equal(said, "no room\n");
			end();
		}
}

/* Each file ends two workers and is left out, until that is too much of a rank. */
TEST(workers_that_end_again_and_again)
{
	struct settings settings = { 0 };
	struct fleet_outcome outcome;
	char said[1 << 14];

	for (int files = 32; files <= 33; files++) {
		begin(1, 1, files);
		for (int i = 0; i < files; i++)
			fleet.fates[i] = ENDS_ALL;
		outcome = run(&settings, said, sizeof(said));
		assert_int_equal(outcome.sum, -1);
		assert_int_equal(outcome.status, files > 32 ? TL_IO : 0);
		assert_int_equal(strstr(said, "tracelathe-mpi: the processes that read files end "
					      "again and again\n") != NULL,
				 files > 32);
		end();
	}
}

/* Notes that are of nobody, of another life, or come when all is done change nothing. */
TEST(notes_that_are_not_expected)
{
	struct settings settings = { 0 };
	struct fleet_outcome outcome;
	char said[4096];

	for (uint32_t seed = 1; seed <= 10; seed++) {
		begin(seed, 1 + (int)(seed % 3), 7);
		fleet.strays = true;
		outcome = run(&settings, said, sizeof(said));
		assert_whole(&outcome);
		assert_string_equal(said, "");
		end();
	}
}

/* The runs of `diff` are kept in a file, which cannot be made, or not be written. */
TEST(runs_that_cannot_be_kept)
{
	struct settings settings = { .files = { .scratch = "/nowhere" },
				     .diff = { .runs = true, .before = 1 } };
	struct fleet_outcome outcome;
	char said[4096];

	begin(1, 2, 2);
	fleet.before = 1;
	outcome = run(&settings, said, sizeof(said));
	assert_int_equal(outcome.status, TL_IO);
	assert_string_equal(said, "tracelathe-mpi: cannot make a temporary file\n");
	fleet_outcome_free(&outcome);
	end();
}

/* A profile of which the bytes are not there. */
TEST(a_run_that_is_not_there)
{
	const struct settings settings = { .files = { .scratch = "/dev/shm" } };
	struct run_place places[] = { { 0, 4 }, { 2, 4 }, { 1, NOTE_IN_MEMORY + 1 } };
	struct fleet_runs runs = { .file = bytes_make("profile", 5), .places = places };
	char text[4];
	int fd = fleet_run(&runs, 0, &settings);

	assert_int_equal(pread(fd, text, sizeof(text), 0), sizeof(text));
	assert_memory_equal(text, "prof", sizeof(text));
	close(fd);
	assert_int_equal(fleet_run(&runs, 1, &settings), -1);
	assert_int_equal(fleet_run(&runs, 2, &settings), -1);
	/* What was opened for it is closed. */
	assert_int_equal(dup(0), fd);
	close(fd);
	close(runs.file);
}

/* The only file is all there is. */
TEST(one_file_that_cannot_be_read)
{
	struct settings settings = { 0 };
	struct fleet_outcome outcome;
	char said[4096];

	begin(1, 2, 1);
	fleet.fates[0] = IS_UNKNOWN;
	outcome = run(&settings, said, sizeof(said));
	assert_int_equal(outcome.status, TL_BAD_FORMAT);
	assert_string_equal(said, "file 0\n");
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_file_is_in_the_sum_once),
		cmocka_unit_test(wherever_a_worker_dies),
		cmocka_unit_test(many_deaths_in_sums),
		cmocka_unit_test(ranks_that_are_given_up),
		cmocka_unit_test(the_shares_of_large_logs),
		cmocka_unit_test(the_runs_of_two_sides),
		cmocka_unit_test(a_file_that_ends_workers_is_read_twice_and_named),
		cmocka_unit_test(a_family_that_ends_workers),
		cmocka_unit_test(what_is_handed_out_ahead),
		cmocka_unit_test(words_come_in_the_order_of_the_files),
		cmocka_unit_test(a_run_that_cannot_go_on),
		cmocka_unit_test(files_of_two_clocks),
		cmocka_unit_test(sums_that_fail),
		cmocka_unit_test(workers_that_end_again_and_again),
		cmocka_unit_test(notes_that_are_not_expected),
		cmocka_unit_test(runs_that_cannot_be_kept),
		cmocka_unit_test(a_run_that_is_not_there),
		cmocka_unit_test(one_file_that_cannot_be_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
