/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The keeper of a rank, with a true worker: it starts the worker, tells of its death, starts
 * another one, and ends with the last one or with the rank.
 */
#include "../cli/cli_test.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "../temp.h"

#include "mpi/note.h"
#include "mpi/worker.h"

#define TEST(name) static void name(void **state __attribute__((unused)))

static struct temp temp;

/* ---- a rank, played by this process ---- */

struct rank {
	struct keeper keeper;
	struct settings settings;
	const struct command *command;
	char room[512];
};

/* A file of one function that costs as much as is said. */
static const char *write_profile(const char *name, unsigned cost)
{
	char text[128];
	const int size = snprintf(text, sizeof(text), "f %u\n", cost);

	return temp_write(&temp, name, text, (size_t)size);
}

static void begin_rank(struct rank *rank, const struct fleet_options *options)
{
	char *argv[MOST_ARGUMENTS + 1] = { NULL };
	int argc;

	*rank = (struct rank){ .keeper = { .socket = -1 } };
	/* The files of the command line are those of the note, of which rank 0 knows more. */
	strcpy(rank->room, "report --no-sandbox --jobs 1 not-there");
	argc = split(rank->room, argv);
	rank->command = command_find(argv[0]);
	assert_true(settings_parse(&rank->settings, rank->command, argc - 1, argv + 1));
	assert_true(keeper_begin(&rank->keeper, rank->command, &rank->settings, options));
	assert_true(rank->keeper.child > 0);
	assert_true(rank->keeper.socket >= 0);
}

static void send_bytes(const struct rank *rank, struct note note, const void *data, size_t size)
{
	int bytes = bytes_make(data, size);

	note.size = size;
	assert_true(bytes >= 0);
	assert_true(note_send(rank->keeper.socket, &note, bytes));
	close(bytes);
}

/* Files of which each stands behind the '\0' of the one before. */
static void send_files(const struct rank *rank, const char *const *names, size_t count)
{
	const struct note start = { .kind = NOTE_START };
	char text[2048];
	size_t used = 0;

	for (size_t i = 0; i < count; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s",
					 temp_path(&temp, names[i])) +
			1;
	send_bytes(rank, start, text, used);
}

static void fold(const struct rank *rank, uint32_t life, uint32_t file)
{
	const struct note note = { .kind = NOTE_FOLD, .life = life, .number = (int32_t)file };

	send_bytes(rank, note, &file, sizeof(file));
}

static struct note receive(const struct rank *rank, int *bytes)
{
	struct note note;
	int fd;

	assert_int_equal(note_receive(rank->keeper.socket, &note, &fd), 1);
	if (bytes)
		*bytes = fd;
	else if (fd >= 0)
		close(fd);
	return note;
}

/* The cost of all that the worker of a life has added. */
static uint64_t give(const struct rank *rank, uint32_t life)
{
	const struct note asked = { .kind = NOTE_GIVE, .life = life, .number = -1 };
	struct tl_profile *profile = NULL;
	struct tl_input *input = NULL;
	const char *path;
	char text[64];
	uint64_t cost;
	int fd;

	assert_true(note_send(rank->keeper.socket, &asked, -1));
	assert_int_equal(receive(rank, &fd).kind, NOTE_SUM);
	snprintf(text, sizeof(text), "/proc/self/fd/%d", fd);
	path = text;
	assert_int_equal(tl_input_open(&input, &path, 1, NULL, NULL, NULL), 0);
	assert_int_equal(tl_input_fold(input, &profile, NULL), 0);
	cost = (uint64_t)tl_profile_total(profile)[0];
	tl_profile_free(profile);
	tl_input_close(input);
	close(fd);
	assert_int_equal(receive(rank, NULL).kind, NOTE_GAVE);
	return cost;
}

/* A rank whose worker has added the first file. */
static void begin_folding(struct rank *rank, const struct fleet_options *options)
{
	static const char *const two[] = { "a", "b" };

	begin_rank(rank, options);
	send_files(rank, two, 2);
	fold(rank, 0, 0);
	assert_int_equal(receive(rank, NULL).kind, NOTE_FOLDED);
}

static void end_rank(struct rank *rank, bool at_once)
{
	const pid_t keeper = rank->keeper.child;
	const struct note quit = { .kind = NOTE_QUIT };

	if (!at_once)
		assert_true(note_send(rank->keeper.socket, &quit, -1));
	keeper_end(&rank->keeper, at_once);
	/* It was waited for. */
	assert_int_equal(kill(keeper, 0), -1);
	assert_int_equal(rank->keeper.socket, -1);
	assert_int_equal(rank->keeper.child, 0);
	settings_free(&rank->settings);
}

/* The parent and the state of a process, as in proc(5); false: there is none. */
static bool look_at(const char *number, pid_t *parent, char *state)
{
	char path[300], text[512];
	const char *end;
	size_t size;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%s/stat", number);
	file = fopen(path, "re");
	if (!file)
		return false;
	size = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[size] = '\0';
	/* Behind the name, which may have blanks and parentheses. */
	end = strrchr(text, ')');
	return end && sscanf(end + 1, " %c %d", state, parent) == 2;
}

/* The worker of a keeper, which may not have made it yet. */
static pid_t worker_of(const struct keeper *keeper)
{
	for (;;) {
		DIR *processes = opendir("/proc");
		pid_t parent, found = 0;
		char state;

		assert_non_null(processes);
		for (struct dirent *entry; (entry = readdir(processes));)
			if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9' &&
			    look_at(entry->d_name, &parent, &state) && parent == keeper->child &&
			    state != 'Z')
				found = atoi(entry->d_name);
		closedir(processes);
		if (found)
			return found;
		poll(NULL, 0, 1);
	}
}

/* ---- tests ---- */

TEST(files_are_those_of_the_note)
{
	const struct fleet_options options = { .timeout = 0 };
	struct rank rank;
	struct note note;

	begin_folding(&rank, &options);
	assert_int_equal(give(&rank, 0), 3);
	fold(&rank, 0, 1);
	note = receive(&rank, NULL);
	assert_int_equal(note.kind, NOTE_FOLDED);
	assert_int_equal(note.number, 1);
	assert_int_equal(note.status, 0);
	assert_int_equal(note.missing, 0);
	assert_int_equal(give(&rank, 0), 20);
	fold(&rank, 0, 0);
	fold(&rank, 0, 1);
	assert_int_equal(receive(&rank, NULL).kind, NOTE_FOLDED);
	assert_int_equal(receive(&rank, NULL).kind, NOTE_FOLDED);
	assert_int_equal(give(&rank, 0), 23);
	end_rank(&rank, false);
}

/* What it had is lost, and only what is meant for the next one is done by that. */
static void lose_worker(const struct fleet_options *options)
{
	struct rank rank;
	struct note note;

	begin_folding(&rank, options);
	for (uint32_t life = 0; life < 3; life++) {
		assert_int_equal(kill(worker_of(&rank.keeper), SIGKILL), 0);
		note = receive(&rank, NULL);
		assert_int_equal(note.kind, NOTE_LOST);
		assert_int_equal(note.life, life + 1);
		assert_true(WIFSIGNALED(note.status));
		assert_int_equal(WTERMSIG(note.status), SIGKILL);
		fold(&rank, life, 0);
		fold(&rank, life + 1, 1);
		note = receive(&rank, NULL);
		assert_int_equal(note.kind, NOTE_FOLDED);
		assert_int_equal(note.number, 1);
	}
	assert_int_equal(give(&rank, 3), 20);
	end_rank(&rank, false);
}

TEST(a_worker_that_died_has_another_one_behind_it)
{
	const struct fleet_options patient = { .timeout = 0 }, hurried = { .timeout = 100 };

	lose_worker(&patient);
	lose_worker(&hurried);
}

/* Nobody ever writes to it: only its alarm ends the worker. */
TEST(a_file_that_takes_too_long_ends_its_worker)
{
	static const char *const names[] = { "a", "pipe" };
	const struct fleet_options options = { .timeout = 1 };
	struct rank rank;
	struct note note;

	assert_int_equal(mkfifo(temp_path(&temp, "pipe"), 0600), 0);
	begin_rank(&rank, &options);
	send_files(&rank, names, 2);
	fold(&rank, 0, 1);
	note = receive(&rank, NULL);
	assert_int_equal(note.kind, NOTE_LOST);
	assert_int_equal(note.life, 1);
	assert_true(WIFSIGNALED(note.status));
	assert_int_equal(WTERMSIG(note.status), SIGALRM);
	fold(&rank, 1, 0);
	assert_int_equal(receive(&rank, NULL).kind, NOTE_FOLDED);
	assert_int_equal(give(&rank, 1), 3);
	end_rank(&rank, false);
}

TEST(the_keeper_ends_at_once_with_its_worker)
{
	const struct fleet_options options = { .timeout = 0 };
	struct rank rank;
	char number[16], how;
	pid_t worker, parent;

	/* A process that is stopped as it begins could not yet be one that ends with its parent. */
	begin_folding(&rank, &options);
	worker = worker_of(&rank.keeper);
	kill(worker, SIGSTOP);
	end_rank(&rank, true);
	snprintf(number, sizeof(number), "%d", worker);
	while (look_at(number, &parent, &how) && how != 'Z')
		poll(NULL, 0, 1);
}

TEST(a_stopped_keeper_is_not_waited_for)
{
	const struct fleet_options options = { .timeout = 0 };
	struct rank rank;

	begin_folding(&rank, &options);
	kill(rank.keeper.child, SIGSTOP);
	end_rank(&rank, false);
}

/* The rank may end before it knows of any file, and a note may be none of those. */
TEST(without_files_there_is_no_worker)
{
	const struct fleet_options options = { .timeout = 0 };
	const struct note other = { .kind = NOTE_ALIVE };
	struct rank rank;

	begin_rank(&rank, &options);
	end_rank(&rank, false);
	begin_rank(&rank, &options);
	assert_true(note_send(rank.keeper.socket, &other, -1));
	end_rank(&rank, false);
}

/* ---- what cannot be made ---- */

/* How keeper_begin() ends in a process that was harmed, whose descriptors must be as before. */
static void refuse(void (*harm)(void), const char *message)
{
	const struct fleet_options options = { .timeout = 0 };
	struct capture said = capture_begin(stderr);
	pid_t child = fork();
	int status = -1;
	char *text;

	if (!child) {
		struct settings settings = { .input = { .size = 0 } };
		struct keeper keeper = { .child = -7, .socket = -7 };
		const int before = dup(0);

		close(before);
		harm();
		status = keeper_begin(&keeper, command_find("report"), &settings, &options);
		fflush(stderr);
		/* No process is made by it either way. */
		_exit(status || keeper.socket != -1 || keeper.child > 0 ||
		      fcntl(before, F_GETFD) >= 0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	text = capture_end(&said);
	if (!strstr(text, message))
		fail_msg("%s", text);
	free(text);
	assert_int_equal(status, 0);
}

static void refuse_descriptors(void)
{
	const struct rlimit none = { 3, 3 };

	setrlimit(RLIMIT_NOFILE, &none);
}

/* clone(), clone3() and fork() fail with EAGAIN, as where a user has too many processes. */
static void refuse_processes(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
#ifdef SYS_fork
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fork, 2, 0),
#endif
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EAGAIN),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = { .len = sizeof(filter) / sizeof(filter[0]),
					    .filter = filter };

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

TEST(what_cannot_be_made_is_said)
{
	refuse(refuse_descriptors, "cannot make a socket: Too many open files");
	refuse(refuse_processes, "cannot make a process: Resource temporarily unavailable");
}

static int begin(void **state)
{
	(void)state;
	temp_open(&temp);
	write_profile("a", 3);
	write_profile("b", 20);
	return 0;
}

static int end(void **state)
{
	(void)state;
	temp_close(&temp);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_are_those_of_the_note),
		cmocka_unit_test(a_worker_that_died_has_another_one_behind_it),
		cmocka_unit_test(a_file_that_takes_too_long_ends_its_worker),
		cmocka_unit_test(the_keeper_ends_at_once_with_its_worker),
		cmocka_unit_test(a_stopped_keeper_is_not_waited_for),
		cmocka_unit_test(without_files_there_is_no_worker),
		cmocka_unit_test(what_cannot_be_made_is_said),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
