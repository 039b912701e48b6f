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

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/memory.h"
#include "record/emulation/images.h"
#include "record/parts.h"

static const char stream_suffix[] = ".xinsndata.bin", snapshot_suffix[] = ".xsnapshot.bin";

/* A thread's files: xtrace.PROCESS.NUMBER.hint9.SUFFIX. */
struct pair {
	int32_t process;
	unsigned number;
	bool begins_image; /* it is the first of the program that the process executes */
	size_t image;
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
	DIR *directory = opendir(folder);
	struct dirent *entry;
	struct pair pair;
	bool found = false;

	while (directory && !found && (entry = readdir(directory)))
		found = parse_name(entry->d_name, &pair);
	if (directory)
		closedir(directory);
	return found;
}

static int by_process(const void *left, const void *right)
{
	const struct pair *a = left, *b = right;

	if (a->process != b->process)
		return tl_compare(a->process, b->process);
	return tl_compare(a->number, b->number);
}

static void sort_pairs(struct pairs *pairs)
{
	if (pairs->count)
		qsort(pairs->list, pairs->count, sizeof(*pairs->list), by_process);
}

/* The first thread of the process that was started comes first, the others in their order. */
static void put_first(struct pairs *pairs, int32_t child)
{
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
		tl_record_add_file(session, to);
	return status;
}

/* ---- programs ---- */

/* A process executes one program after the other; each begins with one of its streams. */
static int find_images(struct pairs *pairs, struct tl_emulation_images *images, const char *folder,
		       struct tl_error *err)
{
	int status = 0;

	for (size_t i = 0; status == 0 && i < pairs->count; i++) {
		struct pair *pair = &pairs->list[i];
		const struct pair *before = i > 0 ? pair - 1 : NULL;

		pair->begins_image = !before || before->process != pair->process ||
				     tl_emulation_image_begins(folder, pair->process, pair->number);
		if (pair->begins_image)
			status = tl_emulation_images_add(images, folder, pair->process,
							 pair->number, &pair->image, err);
		else
			pair->image = before->image;
	}
	return status;
}

static void add_binaries(struct tl_record_session *session, const struct tl_emulation_image *image)
{
	char option[TL_RECORD_PATH + 32];

	for (size_t i = 0; i < image->count; i++) {
		const struct tl_emulation_file *file = &image->files[i];

		snprintf(option, sizeof(option), "%.*s", TL_RECORD_PATH - 1, file->path);
		if (file->address)
			snprintf(option, sizeof(option), "%.*s@0x%" PRIx64, TL_RECORD_PATH - 1,
				 file->path, file->address);
		tl_record_add_binary(session, option);
	}
}

/* The files of the streams of one image; the command that reads them is the session's. */
static int move_image(struct tl_record_session *session, const struct pairs *pairs, size_t image,
		      const char *stem, struct tl_error *err)
{
	int status = 0;

	for (size_t i = 0; status == 0 && i < pairs->count; i++)
		if (pairs->list[i].image == image)
			status = move_pair(session, &pairs->list[i], stem, i == 0, err);
	return status;
}

/*
 * What the first program executed has other code at the same addresses: it is read on its own.
 */
static int add_image(struct tl_record_session *session, const struct pairs *pairs,
		     const struct tl_emulation_images *images, size_t image, const char *stem,
		     struct tl_error *err)
{
	const bool first = image == pairs->list[0].image;
	struct tl_record_result result = { .status = 0 };
	struct tl_record_session other = *session;
	int status;

	if (!first)
		other.result = &result;
	add_binaries(&other, &images->list[image]);
	status = move_image(&other, pairs, image, stem, err);
	session->unnamed = other.unnamed;
	if (status == 0 && !first)
		tl_record_note(session, "%s was executed, too: tracelathe report %s",
			       images->list[image].program, result.command);
	return status;
}

/* ---- all ---- */

static int join(struct tl_record_session *session, struct pairs *pairs,
		struct tl_emulation_images *images, struct tl_error *err)
{
	char stem[TL_RECORD_PATH];
	int status = list_pairs(pairs, session->parts, err);

	name_stem(session, stem);
	sort_pairs(pairs);
	if (status == 0)
		status = find_images(pairs, images, session->parts, err);
	put_first(pairs, session->child);
	for (size_t i = 0; status == 0 && i < pairs->count; i++)
		if (pairs->list[i].begins_image)
			tl_emulation_image_tell_end(session, pairs->list[i].process,
						    pairs->list[i].number);
	for (size_t i = 0; status == 0 && i < images->count; i++)
		status = add_image(session, pairs, images, i, stem, err);
	return status;
}

int tl_emulation_join_pairs(struct tl_record_session *session, struct tl_error *err)
{
	struct tl_emulation_images images = { .list = NULL };
	struct pairs pairs = { .list = NULL };
	const int status = join(session, &pairs, &images, err);

	tl_emulation_images_free(&images);
	free(pairs.list);
	if (status == 0)
		tl_record_parts_remove(session->parts);
	return status;
}
