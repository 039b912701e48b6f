/* SPDX-License-Identifier: Apache-2.0 */
#include "record/parts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/file.h"
#include "core/memory.h"
#include "core/output.h"
#include "record/join_logs.h"
#include "record/side_file.h"

/* ---- the folder ---- */

int tl_record_parts_name(const char *output, char parts[TL_RECORD_PATH], struct tl_error *err)
{
	char *folder = tl_file_directory(output), whole[TL_RECORD_PATH];
	bool found = folder && realpath(folder, whole);

	if (!folder || (!found && errno == ENOMEM)) {
		free(folder);
		return tl_error_memory(err);
	}
	free(folder);
	if (found && snprintf(parts, TL_RECORD_PATH, "%s/%s.parts", strcmp(whole, "/") ? whole : "",
			      tl_file_base_name(output)) < TL_RECORD_PATH - 64)
		return 0;
	return tl_error_at(err, TL_TOO_LARGE, TL_NOWHERE,
			   "the name of the recording is too long, or its folder is not there");
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *where)
{
	(void)status;
	(void)kind;
	(void)where;
	return remove(path);
}

void tl_record_parts_remove(const char *parts)
{
	nftw(parts, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

int tl_record_parts_make(const char *parts, struct tl_error *err)
{
	tl_record_parts_remove(parts);
	if (mkdir(parts, 0700))
		return tl_error_system(err, "cannot make the folder of the recording's parts");
	return 0;
}

int tl_record_parts_write(const char *parts, const char *name, const char *text, size_t size,
			  struct tl_error *err)
{
	char path[TL_RECORD_PATH];
	struct tl_output *out;
	int status;

	snprintf(path, sizeof(path), "%.*s/%s", TL_RECORD_PATH - 64, parts, name);
	status = tl_output_open(&out, path, err);
	if (status < 0)
		return status;
	tl_output_write(out, text, size);
	return tl_output_commit(out, err);
}

/* ---- images ---- */

/* PID-N in the order of time, as far as numbers tell: the process that was started comes first. */
struct image_name {
	int32_t process;
	unsigned number;
};

struct images {
	struct image_name *list;
	size_t count, capacity;
};

static int list_images(struct images *images, const char *parts, struct tl_error *err)
{
	DIR *folder = opendir(parts);
	struct dirent *entry;
	bool ok = true;

	if (!folder)
		return tl_error_system(err, "cannot read the folder of the recording's parts");
	while (ok && (entry = readdir(folder))) {
		struct image_name name;
		int used = 0;

		if (sscanf(entry->d_name, "%d-%u%n", &name.process, &name.number, &used) != 2 ||
		    entry->d_name[used])
			continue;
		ok = tl_grow(&images->list, &images->capacity, images->count + 1,
			     sizeof(*images->list));
		if (ok)
			images->list[images->count++] = name;
	}
	closedir(folder);
	if (!ok)
		return tl_error_memory(err);
	return 0;
}

static int by_process(const void *left, const void *right)
{
	const struct image_name *a = left, *b = right;

	if (a->process != b->process)
		return tl_compare(a->process, b->process);
	return tl_compare(a->number, b->number);
}

static void first_come_first(struct images *images, int32_t child)
{
	if (images->count)
		qsort(images->list, images->count, sizeof(*images->list), by_process);
	for (size_t i = 1; i < images->count; i++)
		if (images->list[i].process == child && images->list[0].process != child) {
			struct image_name name = images->list[i];

			memmove(images->list + 1, images->list, i * sizeof(name));
			images->list[0] = name;
			return;
		}
}

static void name_log(const struct tl_record_session *session, const struct image_name *image,
		     bool first, char path[TL_RECORD_PATH])
{
	const int most = TL_RECORD_PATH - 64;

	if (first)
		snprintf(path, TL_RECORD_PATH, "%.*s", most, session->output);
	else if (image->number)
		snprintf(path, TL_RECORD_PATH, "%.*s.%d-%u", most, session->output, image->process,
			 image->number);
	else
		snprintf(path, TL_RECORD_PATH, "%.*s.%d", most, session->output, image->process);
}

int tl_record_parts_join(struct tl_record_session *session, struct tl_error *err)
{
	struct images images = { .list = NULL };
	char path[TL_RECORD_PATH], folder[TL_RECORD_PATH];
	int status = list_images(&images, session->parts, err);
	bool first = true;

	first_come_first(&images, session->child);
	for (size_t i = 0; status >= 0 && i < images.count; i++) {
		const struct image_name *image = &images.list[i];

		name_log(session, image, first, path);
		snprintf(folder, sizeof(folder), "%.*s/%d-%u", TL_RECORD_PATH - 64, session->parts,
			 image->process, image->number);
		status = tl_record_image_join(session, folder, path, err);
		if (status == 1)
			first = false;
	}
	free(images.list);
	if (status < 0)
		return status;
	tl_record_parts_remove(session->parts);
	return 0;
}

/* ---- logs of LLVM's run-time ---- */

static int take_log(struct tl_record_session *session, const char *name, unsigned number,
		    struct tl_error *err)
{
	char from[TL_RECORD_PATH], to[TL_RECORD_PATH];

	snprintf(from, sizeof(from), "%.*s/%.255s", TL_RECORD_PATH - 300, session->parts, name);
	if (number)
		snprintf(to, sizeof(to), "%.*s.%u", TL_RECORD_PATH - 64, session->output, number);
	else
		snprintf(to, sizeof(to), "%.*s", TL_RECORD_PATH - 64, session->output);
	if (rename(from, to))
		return tl_error_system(err, "cannot move the log to its place");
	chmod(to, 0644);
	tl_record_add_file(session, to);
	return tl_record_side_file_sleds(session, to, err);
}

int tl_record_parts_take_llvm(struct tl_record_session *session, struct tl_error *err)
{
	struct dirent **names;
	int count = scandir(session->parts, &names, NULL, alphasort), status = 0;
	unsigned taken = 0;

	if (count < 0)
		return tl_error_system(err, "cannot read the folder of the recording's parts");
	for (int i = 0; i < count; i++) {
		if (status == 0 && !strncmp(names[i]->d_name, "llvm-", 5))
			status = take_log(session, names[i]->d_name, taken++, err);
		free(names[i]);
	}
	free(names);
	if (status < 0)
		return status;
	tl_record_parts_remove(session->parts);
	return 0;
}
