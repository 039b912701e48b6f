/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recordings of AArch64 programs: what the plugin (emulator/aarch64/) left in a folder becomes
 * pairs of files, NAME.xinsndata.bin and NAME.xsnapshot.bin, one a thread.
 */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tracelathe/symbols.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/memory.h"
#include "record/emulation/emulate.h"
#include "record/parts.h"

static const char stream_suffix[] = ".xinsndata.bin", snapshot_suffix[] = ".xsnapshot.bin";

/* A thread's files: xtrace.PROCESS.NUMBER.hint9.SUFFIX. */
struct pair {
	int32_t process;
	unsigned number;
};

struct pairs {
	struct pair *list;
	size_t count, capacity;
};

static bool parse_name(const char *name, struct pair *pair)
{
	int used = 0;

	return sscanf(name, "xtrace.%d.%u.hint9%n", &pair->process, &pair->number, &used) == 2 &&
	       used && !strcmp(name + used, stream_suffix);
}

static int list_pairs(struct pairs *pairs, const char *folder, struct tl_error *err)
{
	DIR *directory = opendir(folder);
	struct dirent *entry;
	struct pair pair;
	bool ok = true;

	if (!directory)
		return tl_error_system(err, "cannot read the folder of the recording's parts");
	while (ok && (entry = readdir(directory))) {
		if (!parse_name(entry->d_name, &pair))
			continue;
		ok = tl_grow(&pairs->list, &pairs->capacity, pairs->count + 1,
			     sizeof(*pairs->list));
		if (ok)
			pairs->list[pairs->count++] = pair;
	}
	closedir(directory);
	if (!ok)
		return tl_error_memory(err);
	return 0;
}

bool tl_emulation_has_pairs(const char *folder)
{
	struct pairs pairs = { .list = NULL };
	bool found = !list_pairs(&pairs, folder, NULL) && pairs.count;

	free(pairs.list);
	return found;
}

static int by_process(const void *left, const void *right)
{
	const struct pair *a = left, *b = right;

	if (a->process != b->process)
		return tl_compare(a->process, b->process);
	return tl_compare(a->number, b->number);
}

/* The first thread of the process that was started comes first, the others in their order. */
static void sort_pairs(struct pairs *pairs, int32_t child)
{
	if (pairs->count)
		qsort(pairs->list, pairs->count, sizeof(*pairs->list), by_process);
	for (size_t i = 1; i < pairs->count; i++)
		if (pairs->list[i].process == child && pairs->list[0].process != child) {
			struct pair pair = pairs->list[i];

			memmove(pairs->list + 1, pairs->list, i * sizeof(pair));
			pairs->list[0] = pair;
		}
}

/* ---- names ---- */

/* The output's name, less what the pair's own names add. */
static void name_stem(const struct tl_record_session *session, char stem[TL_RECORD_PATH])
{
	static const char of_table[] = ".perf"; /* the recorder's suffix, where no name was given */
	const size_t length = strlen(session->output);
	const char *suffix = stream_suffix;

	snprintf(stem, TL_RECORD_PATH, "%.*s", TL_RECORD_PATH - 128, session->output);
	if (!session->options->output && length > strlen(of_table) &&
	    !strcmp(session->output + length - strlen(of_table), of_table))
		suffix = of_table;
	if (length > strlen(suffix) && length < TL_RECORD_PATH - 128 &&
	    !strcmp(stem + length - strlen(suffix), suffix))
		stem[length - strlen(suffix)] = '\0';
}

static int move_file(const struct tl_record_session *session, const struct pair *pair,
		     const char *suffix, const char *stem, char to[TL_RECORD_PATH],
		     struct tl_error *err)
{
	char from[TL_RECORD_PATH + 128];

	snprintf(from, sizeof(from), "%s/xtrace.%d.%u.hint9%s", session->parts, pair->process,
		 pair->number, suffix);
	snprintf(to, TL_RECORD_PATH, "%.*s%s", TL_RECORD_PATH - 32, stem, suffix);
	if (rename(from, to))
		return tl_error_system(err, "cannot move the recording to its place");
	return 0;
}

static int move_pair(struct tl_record_session *session, const struct pair *pair, const char *stem,
		     bool first, struct tl_error *err)
{
	char own[TL_RECORD_PATH], to[TL_RECORD_PATH];
	int status;

	if (first)
		snprintf(own, sizeof(own), "%s", stem);
	else
		snprintf(own, sizeof(own), "%.*s.%d-%u", TL_RECORD_PATH - 64, stem, pair->process,
			 pair->number);
	status = move_file(session, pair, snapshot_suffix, own, to, err);
	if (status == 0)
		status = move_file(session, pair, stream_suffix, own, to, err);
	if (status == 0)
		tl_record_add_file(session->result, to);
	return status;
}

/* ---- where the code was ---- */

/* A file that is mapped from its beginning: `--binary FILE@ADDR`. */
static void add_binary(struct tl_record_session *session, const char *path, uint64_t address)
{
	char option[TL_RECORD_PATH + 32];
	struct tl_binary *binary;
	struct tl_error err;

	if (tl_binary_open(&binary, path, 0, false, &err) < 0)
		return;
	snprintf(option, sizeof(option), "%s", path);
	if (tl_binary_is_pie(binary))
		snprintf(option, sizeof(option), "%.*s@0x%" PRIx64, TL_RECORD_PATH - 1, path,
			 address);
	if (tl_binary_machine(binary) == TL_RECORD_AARCH64) {
		tl_record_add_file(session->result, "--binary");
		tl_record_add_file(session->result, option);
	}
	tl_binary_close(binary);
}

/* A line of /proc/PID/maps; false: no file is mapped from its beginning there. */
static bool parse_map(char *line, uint64_t *start, const char **path)
{
	uint64_t offset;
	int at = 0;

	if (sscanf(line, "%" SCNx64 "-%*x %*s %" SCNx64 " %*s %*s %n", start, &offset, &at) < 2 ||
	    !at || line[at] != '/' || offset)
		return false;
	line[strcspn(line, "\n")] = '\0';
	*path = line + at;
	return true;
}

static void add_binaries(struct tl_record_session *session, int32_t process)
{
	char path[TL_RECORD_PATH + 32], line[TL_RECORD_PATH + 128];
	uint64_t bias = 0, start;
	const char *mapped;
	FILE *maps;

	snprintf(path, sizeof(path), "%s/maps.%d", session->parts, process);
	maps = fopen(path, "re");
	while (maps && fgets(line, sizeof(line), maps))
		if (sscanf(line, "bias %" SCNx64, &bias) != 1 && parse_map(line, &start, &mapped))
			add_binary(session, mapped, start - bias);
	if (maps)
		fclose(maps);
}

/* ---- all ---- */

static void tell_unfinished(struct tl_record_session *session, const struct pair *pair)
{
	char path[TL_RECORD_PATH + 32];

	snprintf(path, sizeof(path), "%s/ended.%d", session->parts, pair->process);
	if (!pair->number && access(path, F_OK))
		tl_record_note(session,
			       "process %d did not end by exit(): what it did since its last "
			       "system call is missing",
			       pair->process);
}

int tl_emulation_join_pairs(struct tl_record_session *session, struct tl_error *err)
{
	struct pairs pairs = { .list = NULL };
	char stem[TL_RECORD_PATH];
	int status = list_pairs(&pairs, session->parts, err);

	name_stem(session, stem);
	sort_pairs(&pairs, session->child);
	if (status == 0 && pairs.count)
		add_binaries(session, pairs.list[0].process);
	for (size_t i = 0; status == 0 && i < pairs.count; i++) {
		tell_unfinished(session, &pairs.list[i]);
		status = move_pair(session, &pairs.list[i], stem, i == 0, err);
	}
	free(pairs.list);
	if (status == 0)
		tl_record_parts_remove(session->parts);
	return status;
}
