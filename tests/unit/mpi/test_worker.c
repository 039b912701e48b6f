/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A worker by the notes that it gets and sends, without MPI: what it adds, gives away and says; and
 * memory that runs out in it: an answer that says so, or the end of the worker, or the same sum.
 */
#include "../cli/cli_test.h"

#include <sys/mman.h>
#include <sys/socket.h>

#include "../refuse.h"
#include "../temp.h"

#include "mpi/note.h"
#include "mpi/worker.h"

enum { MOST_NOTES = 8, ROOM = 64 * 1024, RANK_OF_ALL = -1 };

struct asked {
	struct note note;
	uint32_t files[2]; /* of NOTE_FOLD */
	unsigned count;
};

struct script {
	const char *line; /* of the command; "+" stands for tests/golden/ */
	bool restart;     /* profile files are kept */
	unsigned missing; /* 0: none; the answer, from 1 on, that says that a file is */
	struct asked asked[MOST_NOTES];
	enum note_kind answers[MOST_NOTES]; /* the notes that come back, in this order */
};

static struct temp temp;
static const char *golden;
static int said, letters[MOST_NOTES]; /* files of asked notes */
static _Atomic time_t until;
static bool is_refused = true; /* memory may be */

/* ---- a life ---- */

static bool parse_line(const char *line, char room[ROOM], struct settings *settings,
		       const struct command **command)
{
	char *argv[MOST_ARGUMENTS + 1] = { NULL };
	size_t used = 0;
	int argc;

	for (; *line; line++)
		if (*line == '+')
			used += (size_t)snprintf(room + used, ROOM - used, "%s/", golden);
		else
			room[used++] = *line;
	room[used] = '\0';
	argc = split(room, argv);
	*command = command_find(argv[0]);
	assert_non_null(*command);
	return settings_parse(settings, *command, argc - 1, argv + 1);
}

static void put_letters(const struct script *script)
{
	for (unsigned i = 0; i < MOST_NOTES; i++) {
		const struct asked *asked = &script->asked[i];

		letters[i] = -1;
		if (!asked->count)
			continue;
		letters[i] = memfd_create("letter", MFD_CLOEXEC);
		assert_true(letters[i] >= 0);
		assert_int_equal(write(letters[i], asked->files, asked->count * sizeof(uint32_t)),
				 asked->count * sizeof(uint32_t));
	}
}

static void drop_letters(void)
{
	for (unsigned i = 0; i < MOST_NOTES; i++)
		if (letters[i] >= 0)
			close(letters[i]);
}

/* A descriptor is sent again each time; where it stands goes with it. */
static void send_all(int socket, const struct script *script)
{
	const struct note quit = { .kind = NOTE_QUIT };

	for (unsigned i = 0; i < MOST_NOTES && script->asked[i].note.kind; i++) {
		struct note note = script->asked[i].note;

		if (letters[i] >= 0) {
			note.size = script->asked[i].count * sizeof(uint32_t);
			lseek(letters[i], 0, SEEK_SET);
		}
		assert_true(note_send(socket, &note, letters[i]));
	}
	assert_true(note_send(socket, &quit, -1));
}

static uint64_t cost_of(const char *path)
{
	struct tl_profile *profile = NULL;
	struct tl_input *input = NULL;
	uint64_t cost;

	assert_int_equal(tl_input_open(&input, &path, 1, NULL, NULL, NULL), 0);
	assert_int_equal(tl_input_fold(input, &profile, NULL), 0);
	cost = (uint64_t)tl_profile_total(profile)[0];
	tl_profile_free(profile);
	tl_input_close(input);
	return cost;
}

/* The cost of the first event in the last profile that was given. */
static uint64_t cost;

static void note_cost(int fd)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	cost = cost_of(path);
}

/* The bytes of a profile; what there is to be said may be lost with the memory. */
static void note_bytes(const struct note *note, int fd, uint64_t *digest)
{
	char room[4096];
	ssize_t got = 0;

	if (note->kind != NOTE_SUM && note->kind != NOTE_RUN)
		return;
	if (!is_refused)
		note_cost(fd);
	for (off_t at = 0; fd >= 0 && (got = pread(fd, room, sizeof(room), at)) > 0; at += got)
		refuse_note(digest, room, (size_t)got);
}

/* TL_NO_MEMORY where an answer says that something failed or is missing, or the worker ended. */
static int receive_all(int socket, const struct script *script, uint64_t *digest)
{
	struct note note;
	int fd, status = 0;
	unsigned i = 0;

	for (; note_receive(socket, &note, &fd); i++) {
		note_bytes(&note, fd, digest);
		if (fd >= 0)
			close(fd);
		if (note.status < 0 || (note.missing && !script->missing))
			status = TL_NO_MEMORY;
		if (script->missing)
			assert_int_equal(note.missing, i + 1 == script->missing);
		if (!status && note.kind != script->answers[i])
			fail_msg("%s: note %u is %u", script->line, i, note.kind);
	}
	if (i < MOST_NOTES && script->answers[i])
		return TL_NO_MEMORY;
	return status;
}

static int live(const void *input, uint64_t *digest)
{
	const struct script *script = input;
	struct fleet_options options = { .until = &until };
	int sockets[2], kept = dup(STDERR_FILENO), ended = EXIT_UNUSABLE, status;
	const struct command *command;
	struct settings settings;
	char room[ROOM], folders[2][512];

	snprintf(folders[0], sizeof(folders[0]), "%s", temp_path(&temp, "kept"));
	snprintf(folders[1], sizeof(folders[1]), "%s", temp_path(&temp, "kept/after"));
	options.restart = script->restart ? folders[0] : NULL;
	options.restart_after = script->restart ? folders[1] : NULL;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets), 0);
	fflush(stderr);
	assert_int_equal(ftruncate(said, 0), 0);
	dup2(said, STDERR_FILENO);
	send_all(sockets[0], script);
	if (parse_line(script->line, room, &settings, &command))
		ended = worker_run(sockets[1], 0, command, &settings, &options);
	settings_free(&settings);
	close(sockets[1]);
	fflush(stderr);
	dup2(kept, STDERR_FILENO);
	close(kept);
	status = receive_all(sockets[0], script, digest);
	close(sockets[0]);
	return ended == EXIT_CLEAN ? status : TL_NO_MEMORY;
}

/* ---- scripts ---- */

#define FOLD(...) { .kind = NOTE_FOLD, __VA_ARGS__ }
#define GIVE                                                                                       \
	{                                                                                          \
		.note = {.kind = NOTE_GIVE, .number = RANK_OF_ALL }                                \
	}
#define QUIETLY " --no-sandbox --jobs 1 "
#define TWO QUIETLY "+callgrind/threads.out-01 +callgrind/threads.out-02"
#define LOGS QUIETLY "+xray/forky-0.xray +xray/forky-1.xray"

TEST(a_life_of_a_worker)
{
	static const struct script scripts[] = {
		{ .line = "report" TWO,
		  .asked = { { .note = FOLD(), .files = { 0 }, .count = 1 },
			     { .note = FOLD(), .files = { 1 }, .count = 1 },
			     GIVE },
		  .answers = { NOTE_FOLDED, NOTE_FOLDED, NOTE_SUM, NOTE_GAVE } },
		/* Logs of processes go together, once the master knows which. */
		{ .line = "stacks" LOGS,
		  .asked = { { .note = FOLD(), .files = { 0 }, .count = 1 },
			     { .note = FOLD(.flags = NOTE_RELATED), .files = { 0, 1 }, .count = 2 },
			     GIVE },
		  .answers = { NOTE_KIN, NOTE_FOLDED, NOTE_SUM, NOTE_GAVE } },
		/* What it has goes to another worker. */
		{ .line = "report" TWO,
		  .asked = { { .note = FOLD(), .files = { 0 }, .count = 1 },
			     { .note = FOLD(), .files = { 1 }, .count = 1 },
			     { .note = { .kind = NOTE_REDUCE } },
			     { .note = { .kind = NOTE_GIVE, .number = 1 } } },
		  .answers = { NOTE_FOLDED, NOTE_FOLDED, NOTE_REDUCED, NOTE_ADD, NOTE_GAVE } },
		{ .line = "diff" TWO,
		  .asked = { { .note = FOLD(), .files = { 0 }, .count = 1 },
			     { .note = FOLD(.flags = NOTE_AFTER), .files = { 1 }, .count = 1 } },
		  .answers = { NOTE_RUN, NOTE_FOLDED, NOTE_RUN, NOTE_FOLDED } },
		{ .line = "report" TWO,
		  .asked = { { .note = FOLD(.share = 1, .shares = 2),
			       .files = { 0 },
			       .count = 1 } },
		  .answers = { NOTE_RUN, NOTE_FOLDED } },
		/* What was meant for an earlier life is not done. */
		{ .line = "report" TWO,
		  .asked = { { .note = FOLD(.life = 1), .files = { 0 }, .count = 1 },
			     { .note = FOLD(), .files = { 1 }, .count = 1 },
			     GIVE },
		  .answers = { NOTE_FOLDED, NOTE_SUM, NOTE_GAVE } },
		{ .line = "report" TWO,
		  .restart = true,
		  .asked = { { .note = FOLD(), .files = { 0 }, .count = 1 },
			     { .note = FOLD(), .files = { 0 }, .count = 1 },
			     GIVE },
		  .answers = { NOTE_FOLDED, NOTE_FOLDED, NOTE_SUM, NOTE_GAVE } },
	};

	mkdir(temp_path(&temp, "kept"), 0700);
	for (size_t i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++) {
		uint64_t digest = 0;

		put_letters(&scripts[i]);
		if (live(&scripts[i], &digest))
			fail_msg("script %u is not played to its end", (unsigned)i);
		print_message("%5u %s\n", (unsigned)refuse_each(live, &scripts[i]),
			      scripts[i].line);
		drop_letters();
	}
}

static uint64_t cost_of_share(uint32_t share, uint32_t shares)
{
	const struct script script = {
		.line = "report" TWO,
		.asked = { { .note = FOLD(.share = share, .shares = shares), .count = 1 } },
		.answers = { NOTE_RUN, NOTE_FOLDED },
	};
	uint64_t digest = 0;

	put_letters(&script);
	is_refused = false;
	assert_int_equal(live(&script, &digest), 0);
	is_refused = true;
	drop_letters();
	return cost;
}

/* "summary: 332" of threads.out-01, "summary: 774" of threads.out-02. */
enum { SUMMARY = 332, SUMMARY_AFTER = 774 };

TEST(shares_of_a_file)
{
	const uint64_t first = cost_of_share(0, 2), second = cost_of_share(1, 2);

	assert_true(first && second && first != second);
	assert_int_equal(first + second, SUMMARY);
}

/* The cost of the only profile file in a directory, which may have directories. */
static uint64_t cost_in(const char *folder)
{
	char directory[512], path[1024];
	uint64_t found = 0;
	DIR *entries;
	unsigned files = 0;

	snprintf(directory, sizeof(directory), "%s", temp_path(&temp, folder));
	entries = opendir(directory);
	assert_non_null(entries);
	for (struct dirent *entry; (entry = readdir(entries));) {
		struct stat st;

		snprintf(path, sizeof(path), "%s/%s", directory, entry->d_name);
		assert_int_equal(stat(path, &st), 0);
		if (!S_ISREG(st.st_mode))
			continue;
		files++;
		found = cost_of(path);
	}
	closedir(entries);
	assert_int_equal(files, 1);
	return found;
}

/* The same file may stand on both sides of `diff`, with other programs. */
TEST(sides_have_directories_of_their_own)
{
	static const struct script script = {
		.line = "diff" TWO,
		.restart = true,
		.asked = { { .note = FOLD(), .files = { 0 }, .count = 1 },
			   { .note = FOLD(.flags = NOTE_AFTER), .files = { 1 }, .count = 1 } },
		.answers = { NOTE_RUN, NOTE_FOLDED, NOTE_RUN, NOTE_FOLDED },
	};
	uint64_t digest = 0;

	temp_close(&temp);
	temp_open(&temp);
	assert_int_equal(mkdir(temp_path(&temp, "kept"), 0700), 0);
	assert_int_equal(mkdir(temp_path(&temp, "kept/after"), 0700), 0);
	put_letters(&script);
	assert_int_equal(live(&script, &digest), 0);
	drop_letters();
	assert_int_equal(cost_in("kept"), SUMMARY);
	assert_int_equal(cost_in("kept/after"), SUMMARY_AFTER);
}

/* A file that is not there is missing in its unit, and in no later one. */
TEST(missing_files_of_units)
{
	static const struct script script = {
		.line = "report" QUIETLY "+xray/forky-0.xray +xray/none.xray",
		.missing = 1,
		.asked = { { .note = FOLD(.flags = NOTE_RELATED), .files = { 0, 1 }, .count = 2 },
			   { .note = FOLD(.flags = NOTE_RELATED), .files = { 0 }, .count = 1 } },
		.answers = { NOTE_FOLDED, NOTE_FOLDED },
	};
	uint64_t digest = 0;

	put_letters(&script);
	assert_int_equal(live(&script, &digest), 0);
	drop_letters();
}

static int begin(void **state)
{
	static char path[1024];

	(void)state;
	snprintf(path, sizeof(path), "%s/tests/golden", getenv("TL_SOURCE_ROOT"));
	golden = path;
	temp_open(&temp);
	said = memfd_create("said", MFD_CLOEXEC);
	return said < 0;
}

static int end(void **state)
{
	(void)state;
	close(said);
	temp_close(&temp);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_life_of_a_worker),
		cmocka_unit_test(shares_of_a_file),
		cmocka_unit_test(sides_have_directories_of_their_own),
		cmocka_unit_test(missing_files_of_units),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
