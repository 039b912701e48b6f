/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `mpirun -np N tracelathe-mpi COMMAND ...`: all ranks read files, and rank 0 is then the command
 * itself, with the sum for its input.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "cli/help/help.h"
#include "cli/options/paths.h"
#include "mpi/run.h"

enum {
	DISTRIBUTED =
		C_REPORT | C_TREE | C_STACKS | C_FLAME | C_DIFF | C_CONVERT | C_MERGE | C_QUERY,
	/* Seconds. What hangs behind the last note is ended. */
	FINALIZE = 60,
};

/* ---- arguments ---- */

/* What is asked of the sum, as `merge` makes it. */
static void take_statement(struct fleet_command *run)
{
	if (!(run->command.bit & C_QUERY) || run->settings.query.list)
		return;
	run->sql = query_statement(&run->settings, &run->sql_text);
	run->settings.input.per_thread = true;
}

static bool parse(struct fleet_command *run, int argc, char **argv)
{
	const struct command *found = argc > 1 ? command_find(argv[1]) : NULL;

	if (!found || !(found->bit & DISTRIBUTED)) {
		complain(NULL,
			 "mpirun -np N tracelathe-mpi report|tree|stacks|flame|diff|convert|merge|"
			 "query [OPTIONS] FILE...|@LIST: the options of `tracelathe`, --restart "
			 "DIR, "
			 "--timeout SECONDS and --silence SECONDS; docs/fleet.md says more");
		return false;
	}
	run->command = *found;
	run->command.bit |= C_OF_RANKS;
	answer_by_ranks(run);
	argc -= 2;
	argv += 2;
	if (!fleet_take_options(run, &argc, argv) ||
	    !settings_parse(&run->settings, &run->command, argc, argv))
		return false;
	if (run->settings.programs.debuginfod) {
		complain(NULL,
			 "--debuginfod: `tracelathe` alone asks servers, as what they give is "
			 "kept on its machine; ranks read what is kept on theirs");
		return false;
	}
	if (!fleet_name_restart(run, argc, argv))
		return false;
	take_statement(run);
	return true;
}

/* ---- messages before it is known which rank this is ---- */

static int catch_begin(int *messages)
{
	int kept = dup(STDERR_FILENO);

	*messages = bytes_make(NULL, 0);
	fflush(stderr);
	if (kept >= 0 && *messages >= 0)
		dup2(*messages, STDERR_FILENO);
	return kept;
}

static void catch_end(int kept)
{
	fflush(stderr);
	if (kept < 0)
		return;
	dup2(kept, STDERR_FILENO);
	close(kept);
}

static void say_caught(int messages)
{
	off_t size = messages < 0 ? 0 : lseek(messages, 0, SEEK_END);
	char *text = size > 0 ? bytes_read(messages, (size_t)size) : NULL;

	if (text)
		fputs(text, stderr);
	free(text);
}

/* ---- the list of files ---- */

/* Each path with its '\0'. NULL without memory. */
static char *join_paths(const struct settings *settings, uint64_t *size)
{
	char *text, *end;

	*size = 0;
	for (size_t i = 0; i < settings->paths.list.count; i++)
		*size += strlen(settings->paths.items[i]) + 1;
	text = end = malloc((size_t)*size + 1);
	for (size_t i = 0; text && i < settings->paths.list.count; i++)
		end = stpcpy(end, settings->paths.items[i]) + 1;
	return text;
}

/*
 * Threads of a worker, where the user has not chosen: the processors, shared by the ranks here. A
 * file for which the others wait has all of them.
 */
static void choose_jobs(const struct fleet_command *run, struct note *start)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	int ranks = 1;
	MPI_Comm here;

	MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
	MPI_Comm_size(here, &ranks);
	MPI_Comm_free(&here);
	start->share = default_jobs(processors);
	if (run->settings.input.jobs != start->share) {
		/* As many as the user lets all ranks here have. */
		if (run->settings.input.jobs * (unsigned)ranks < start->share)
			start->share = run->settings.input.jobs * (unsigned)ranks;
		return;
	}
	start->number = (int32_t)default_jobs(processors / ranks);
	start->shares = default_jobs(processors);
}

/* The list of rank 0 is that of all. False: there is nothing to distribute. */
static bool share_paths(struct fleet_command *run)
{
	const bool first = run->rank == 0;
	uint64_t size = 0;
	char *text = first ? join_paths(&run->settings, &size) : NULL;
	struct note start = { .kind = NOTE_START };
	int bytes;

	MPI_Bcast(&size, sizeof(size), MPI_BYTE, 0, MPI_COMM_WORLD);
	if (!first)
		text = malloc((size_t)size + 1);
	if (!text || size > INT_MAX)
		relay_abort("the list of files does not fit into memory", run->rank);
	MPI_Bcast(text, (int)size, MPI_BYTE, 0, MPI_COMM_WORLD);
	choose_jobs(run, &start);
	start.size = size;
	bytes = bytes_make(text, (size_t)size);
	free(text);
	if (bytes < 0 || !note_send(run->keeper.socket, &start, bytes))
		relay_abort("cannot begin to read files", run->rank);
	close(bytes);
	return size;
}

/* What `merge` writes, and what is asked in SQL, is the sum, also where that is of one file. */
static bool has_sum(const struct settings *settings, const struct command *command)
{
	size_t count = settings->paths.list.count;

	if (command->bit & (C_QUERY | C_MERGE))
		return count;
	if (command->bit & C_DIFF)
		return settings->diff.runs && settings->diff.before &&
		       settings->diff.before < count;
	return count > 1 && !is_database(settings);
}

/* Whether the files are many, which are added up, or compared. */
static bool is_distributed(struct fleet_command *run)
{
	struct settings *settings = &run->settings;
	int many = 0;

	if (!run->rank && settings_expand_paths(settings, &run->command) &&
	    fleet_make_restart(run)) {
		many = has_sum(settings, &run->command);
		if (!many)
			answer_alone(run);
		else
			settings->files.listed = true;
	} else if (!run->rank) {
		many = -1;
	}
	MPI_Bcast(&many, 1, MPI_INT, 0, MPI_COMM_WORLD);
	if (many < 0)
		run->outcome.status = TL_BAD_USAGE;
	return many > 0;
}

/* ---- the beginning ---- */

static void never_met(int signal)
{
	static const char why[] =
		"tracelathe-mpi: a rank ended, or is not heard of, before all ranks "
		"had begun\n";

	(void)signal;
	if (write(STDERR_FILENO, why, sizeof(why) - 1) < 0)
		_exit(EXIT_UNUSABLE);
	_exit(EXIT_UNUSABLE);
}

/* Where mpirun lets ranks live when another one dies, they would wait for it for ever. */
static void await_all(const struct fleet_command *run)
{
	if (!relay_recovers())
		return;
	signal(SIGALRM, never_met);
	alarm(run->silence);
}

static void have_met(void)
{
	if (!relay_recovers())
		return;
	alarm(0);
	signal(SIGALRM, SIG_DFL);
}

/* ---- a rank ---- */

static void distribute(struct fleet_command *run)
{
	share_paths(run);
	if (!relay_open(&run->relay, run->keeper.socket, &run->settings))
		relay_abort("out of memory", run->rank);
	have_met();
	run->relay.silence = run->silence;
	if (run->rank)
		while (!run->relay.quit)
			relay_turn(&run->relay);
	else
		master_run(&run->relay, &run->settings, &run->outcome);
	relay_close(&run->relay);
}

/* With MPI from here to there. */
static void run_ranks(struct fleet_command *run, bool parsed)
{
	bool wanted = parsed && !run->settings.help.wanted && !run->settings.query.list;

	await_all(run);
	MPI_Init(NULL, NULL);
	MPI_Comm_rank(MPI_COMM_WORLD, &run->rank);
	MPI_Comm_size(MPI_COMM_WORLD, &run->size);
	if (wanted && is_distributed(run))
		distribute(run);
	have_met();
	keeper_end(&run->keeper, run->relay.failed);
	/* MPI_Finalize() waits for all ranks, also for those that have died. */
	if (relay_recovers())
		return;
	alarm(FINALIZE);
	MPI_Finalize();
	alarm(0);
}

/* ---- the output ---- */

/*
 * OpenMPI gives a rank a terminal of its own to write to, wherever mpirun writes. What is written
 * is to be what the command writes there, so it goes to a file first. -1: it need not.
 */
static int spool_begin(const struct settings *settings)
{
	int file, output;

	if (!getenv("OMPI_COMM_WORLD_RANK") || !isatty(STDOUT_FILENO))
		return -1;
	file = make_scratch_file(settings);
	if (file < 0)
		return -1;
	output = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	if (output >= 0)
		dup2(file, STDOUT_FILENO);
	close(file);
	return output;
}

static bool write_whole(int fd, const char *data, size_t size)
{
	while (size) {
		ssize_t wrote = write(fd, data, size);

		if (wrote < 0 && errno == EINTR)
			continue;
		if (wrote <= 0)
			return false;
		data += wrote;
		size -= (size_t)wrote;
	}
	return true;
}

/* Copy what was written. @return `status`, or EXIT_UNUSABLE */
static int spool_end(int output, int status)
{
	static char room[1 << 16];
	struct termios raw;
	ssize_t got = 0;
	off_t at = 0;
	bool ok = true;

	if (output < 0)
		return status;
	/* Bytes as they are. */
	if (!tcgetattr(output, &raw)) {
		cfmakeraw(&raw);
		tcsetattr(output, TCSADRAIN, &raw);
	}
	while (ok && (got = pread(STDOUT_FILENO, room, sizeof(room), at)) > 0) {
		ok = write_whole(output, room, (size_t)got);
		at += got;
	}
	close(output);
	if (ok && got == 0)
		return status;
	complain(NULL, "standard output: cannot be written: %s", strerror(errno));
	return EXIT_UNUSABLE;
}

static int finish(struct fleet_command *run, bool parsed)
{
	int output;

	if (!parsed || run->outcome.status < 0)
		return EXIT_UNUSABLE;
	output = spool_begin(&run->settings);
	if (run->settings.query.list)
		answer_alone(run);
	if (!run->settings.help.wanted)
		return spool_end(output, run_command(&run->command, &run->settings));
	help_command(&run->command, run->settings.report.all || run->settings.help.all);
	return spool_end(output, close_stdout(EXIT_CLEAN));
}

/* Told once, and without MPI, as nothing is to be done by ranks. */
static int tell(const char *text)
{
	const char *rank = getenv("OMPI_COMM_WORLD_RANK");

	if (!rank || !strcmp(rank, "0"))
		printf("%s\n", text);
	return close_stdout(EXIT_CLEAN);
}

static const char usage[] =
	"usage: mpirun -np N tracelathe-mpi COMMAND [OPTIONS] FILE...|@LIST\n"
	"\n"
	"The sum of many files, which the ranks of MPI read; its output is that of\n"
	"`tracelathe COMMAND` on the same files.\n"
	"\n"
	"commands: report tree stacks flame diff convert merge query\n"
	"options: those of `tracelathe COMMAND --help`, and\n"
	"      --restart DIR      keep a profile file of each file in DIR, and read again\n"
	"                         only what is not there\n"
	"      --timeout SECONDS  leave out a file that takes longer (default: none)\n"
	"      --silence SECONDS  give up a rank that is silent for so long (default:\n"
	"                         120)";

int main(int argc, char **argv)
{
	struct fleet_command run = { .outcome = { .sum = -1, .runs = { .file = -1 } },
				     .keeper = { .socket = -1 } };
	int messages = -1, kept, status = EXIT_CLEAN;
	bool parsed;

	process_begin();
	if (argc == 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")))
		return tell(usage);
	if (argc == 2 && !strcmp(argv[1], "--version"))
		return tell(tl_version());
	kept = catch_begin(&messages);
	parsed = parse(&run, argc, argv);
	catch_end(kept);
	if (parsed && !run.settings.help.wanted && !run.settings.query.list)
		parsed = keeper_begin(&run.keeper, &run.command, &run.settings, &run.options);
	run_ranks(&run, parsed);
	/* The status of rank 0 is that of all: mpirun ends the others when one of them fails. */
	if (!run.rank) {
		say_caught(messages);
		status = finish(&run, parsed);
		if (status != EXIT_CLEAN && relay_recovers())
			complain(NULL,
				 "ended with status %d, which mpirun does not pass on with "
				 "--enable-recovery",
				 status);
	}
	if (messages >= 0)
		close(messages);
	fleet_outcome_free(&run.outcome);
	settings_free(&run.settings);
	free(run.sql_text);
	free(run.kept);
	free(run.kept_after);
	return status;
}
