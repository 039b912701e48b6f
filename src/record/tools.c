/* SPDX-License-Identifier: Apache-2.0 */
/* Recorders that are programs of their own: perf with Intel PT, valgrind. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/error.h"
#include "core/file.h"
#include "core/memory.h"
#include "record/process.h"

static enum tl_recorder_answer answer(enum tl_recorder_answer answer, char reason[TL_RECORD_TEXT],
				      const char *text)
{
	snprintf(reason, TL_RECORD_TEXT, "%s", text);
	return answer;
}

/* ---- running a tool ---- */

static const struct tl_record_variable no_variables[] = { { NULL, NULL } };

/* Run `words`, the program and its arguments behind them. */
static int run_tool(struct tl_record_session *session, const char *const *words,
		    struct tl_error *err)
{
	const char *const *arguments = session->options->arguments;
	const char **all;
	char path[TL_RECORD_PATH];
	size_t count = 0, more = 0;
	int status;

	while (words[count])
		count++;
	while (arguments[more])
		more++;
	all = calloc(count + more + 1, sizeof(*all));
	if (!all)
		return tl_error_memory(err);
	memcpy(all, words, count * sizeof(*all));
	memcpy(all + count, arguments, more * sizeof(*all));
	all[count] = session->program->path;
	if (tl_record_find(words[0], path))
		status = tl_record_process_run(session, path, all, no_variables, err);
	else
		status = tl_error_at(err, TL_IO, TL_NOWHERE, "the recorder's program is gone");
	free(all);
	return status;
}

/* The programs, as PATH has them. */
static const struct {
	const char *name;
} perf_tool = { .name = "perf" }, valgrind_tool = { .name = "valgrind" };

/* ---- perf ---- */

static bool file_has(const char *path, const char *text)
{
	FILE *file = fopen(path, "rbe");
	char line[4096];
	bool found = false;

	while (file && !found && fgets(line, sizeof(line), file))
		found = strstr(line, text) != NULL;
	if (file)
		fclose(file);
	return found;
}

static int paranoid_level(void)
{
	FILE *file = fopen("/proc/sys/kernel/perf_event_paranoid", "rbe");
	int level = 2;

	if (file && fscanf(file, "%d", &level) != 1)
		level = 2;
	if (file)
		fclose(file);
	return level;
}

enum tl_recorder_answer tl_record_probe_pt(const struct tl_record_program *program,
					   char reason[TL_RECORD_TEXT])
{
	char path[TL_RECORD_PATH];

	(void)program;
	if (access("/sys/bus/event_source/devices/intel_pt", F_OK)) {
		bool intel = file_has("/proc/cpuinfo", "GenuineIntel");

		snprintf(reason, TL_RECORD_TEXT, "the kernel has no intel_pt events: %s",
			 !intel ? "the processor is not Intel's"
			 : file_has("/proc/cpuinfo", "hypervisor")
				 ? "a virtual machine that does not pass them on"
				 : "a processor without Intel PT, or it is switched off");
		return TL_RECORDER_NO;
	}
	if (!tl_record_find(perf_tool.name, path))
		return answer(TL_RECORDER_NO, reason, "perf is not installed (linux-perf)");
	if (paranoid_level() > 2 && geteuid() != 0) {
		snprintf(reason, TL_RECORD_TEXT,
			 "/proc/sys/kernel/perf_event_paranoid is %d, and must be 2 at most",
			 paranoid_level());
		return TL_RECORDER_NO;
	}
	return answer(TL_RECORDER_YES, reason, "the processor has Intel PT, and perf is here");
}

int tl_record_run_pt(struct tl_record_session *session, struct tl_error *err)
{
	const char *const words[] = { perf_tool.name, "record",        "-q", "-e", "intel_pt//u",
				      "-o",           session->output, "--", NULL };
	int status = run_tool(session, words, err);

	if (status == 0 && !access(session->output, R_OK))
		tl_record_add_file(session, session->output);
	return status;
}

/* ---- valgrind ---- */

enum tl_recorder_answer tl_record_probe_callgrind(const struct tl_record_program *program,
						  char reason[TL_RECORD_TEXT])
{
	char path[TL_RECORD_PATH];

	if (!tl_record_find(valgrind_tool.name, path))
		return answer(TL_RECORDER_NO, reason, "valgrind is not installed");
	if (program && program->is_elf && !program->is_native)
		return answer(TL_RECORDER_NO, reason, "the program is for another processor");
	return answer(TL_RECORDER_YES, reason,
		      "valgrind is here, and runs any program (not AVX-512)");
}

/* Whether a profile has the last line of valgrind's, the sums. */
static bool is_whole(const char *path)
{
	enum { LAST_LINE = 1024 };
	FILE *file = fopen(path, "rbe");
	char end[LAST_LINE + 1], *line;
	size_t size;

	if (!file)
		return true; /* whoever reads it says why it cannot */
	/* A shorter file is read from its beginning. */
	if (fseek(file, -LAST_LINE, SEEK_END))
		clearerr(file);
	size = fread(end, 1, LAST_LINE, file);
	fclose(file);
	if (!size || end[size - 1] != '\n')
		return false;
	end[size - 1] = '\0';
	line = strrchr(end, '\n');
	return !strncmp(line ? line + 1 : end, "totals:", 7);
}

/* A profile is written at the end of a process: its file is there from the beginning, empty. */
static void take_profile(struct tl_record_session *session, const char *path,
			 const struct timespec *begun)
{
	struct stat status;

	/* An older one is that of another recording. */
	if (stat(path, &status) || tl_record_is_older(&status, begun))
		return;
	if (status.st_size) {
		tl_record_add_file(session, path);
		if (is_whole(path))
			return;
		session->result->incomplete = true;
		tl_record_note(session,
			       "%s: the end of the profile is missing: it could not be written",
			       path);
		return;
	}
	unlink(path);
	session->result->incomplete = true;
	tl_record_note(session,
		       "a process has no profile: it was killed, or executed another program, "
		       "before it could write one");
}

/* Each process writes OUTPUT.PID; that of the program itself becomes OUTPUT. */
static int take_profiles(struct tl_record_session *session, const struct timespec *begun,
			 struct tl_error *err)
{
	char own[TL_RECORD_PATH], path[TL_RECORD_PATH + 256], *folder;
	const char *name = tl_file_base_name(session->output);
	struct dirent **names;
	int count;

	snprintf(own, sizeof(own), "%.4000s.callgrind-%d", session->output, session->child);
	if (!access(own, R_OK)) {
		if (rename(own, session->output))
			return tl_error_system(err, "cannot move the profile to its place");
		take_profile(session, session->output, begun);
	}
	folder = tl_file_directory(session->output);
	if (!folder)
		return tl_error_memory(err);
	count = scandir(folder, &names, NULL, alphasort);
	free(folder);
	for (int i = 0; i < count; i++) {
		size_t size = strlen(name);

		if (!strncmp(names[i]->d_name, name, size) &&
		    !strncmp(names[i]->d_name + size, ".callgrind-", 11)) {
			snprintf(path, sizeof(path), "%.*s%s", (int)(name - session->output),
				 session->output, names[i]->d_name);
			take_profile(session, path, begun);
		}
		free(names[i]);
	}
	if (count >= 0)
		free(names);
	return 0;
}

int tl_record_run_callgrind(struct tl_record_session *session, struct tl_error *err)
{
	char file[TL_RECORD_PATH + 64];
	const char *const words[] = {
		valgrind_tool.name, "--tool=callgrind", "-q", "--dump-instr=yes", file, NULL
	};
	struct timespec begun;
	int status;

	snprintf(file, sizeof(file), "--callgrind-out-file=%s.callgrind-%%p", session->output);
	/* The clock that files get their times by. */
	clock_gettime(CLOCK_REALTIME_COARSE, &begun);
	status = run_tool(session, words, err);
	if (status < 0)
		return status;
	return take_profiles(session, &begun, err);
}
