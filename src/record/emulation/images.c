/* SPDX-License-Identifier: Apache-2.0 */
#include "record/emulation/images.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tracelathe/symbols.h>

#include "core/error.h"
#include "core/memory.h"

enum { LINE = TL_RECORD_PATH + 128 };

static void name_file(char path[TL_RECORD_PATH + 64], const char *folder, const char *kind,
		      int32_t process, unsigned number)
{
	snprintf(path, TL_RECORD_PATH + 64, "%.*s/%s.%d.%u", TL_RECORD_PATH - 1, folder, kind,
		 process, number);
}

/* ---- files ---- */

/* False: no memory. A file that cannot be read as one has no code that could be named. */
static bool look_at(struct tl_emulation_looked_at *file)
{
	struct tl_binary *binary;
	struct tl_error err;
	const int status = tl_binary_open(&binary, file->path, 0, false, &err);

	if (status < 0)
		return status != TL_NO_MEMORY;
	file->has_code = tl_binary_machine(binary) == TL_RECORD_AARCH64;
	file->is_pie = tl_binary_is_pie(binary);
	tl_binary_close(binary);
	return true;
}

/* What is known of a file, which is looked at once; NULL: no memory. */
static const struct tl_emulation_looked_at *find_file(struct tl_emulation_images *images,
						      const char *path)
{
	struct tl_emulation_looked_at *file;

	for (size_t i = 0; i < images->file_count; i++)
		if (!strcmp(images->files[i].path, path))
			return &images->files[i];
	if (!tl_grow(&images->files, &images->file_capacity, images->file_count + 1,
		     sizeof(*images->files)))
		return NULL;
	file = &images->files[images->file_count];
	*file = (struct tl_emulation_looked_at){ .path = strdup(path) };
	if (!file->path)
		return NULL;
	images->file_count++;
	return look_at(file) ? file : NULL;
}

static const struct tl_emulation_file *file_of(const struct tl_emulation_image *image,
					       const char *path)
{
	for (size_t i = 0; i < image->count; i++)
		if (!strcmp(image->files[i].path, path))
			return &image->files[i];
	return NULL;
}

/* The first of a file's mappings counts. */
static bool add_file(struct tl_emulation_image *image, const char *path, uint64_t address)
{
	struct tl_emulation_file *file;

	if (file_of(image, path))
		return true;
	if (!tl_grow(&image->files, &image->capacity, image->count + 1, sizeof(*image->files)))
		return false;
	file = &image->files[image->count];
	*file = (struct tl_emulation_file){ .path = strdup(path), .address = address };
	if (!file->path)
		return false;
	image->count++;
	return true;
}

static bool add_mapping(struct tl_emulation_images *images, struct tl_emulation_image *image,
			const char *path, uint64_t address)
{
	const struct tl_emulation_looked_at *file = find_file(images, path);

	if (!file)
		return false;
	return !file->has_code || add_file(image, path, file->is_pie ? address : 0);
}

/* ---- the text of an image ---- */

/* A line of /proc/PID/maps; false: no file is mapped from its beginning there. */
static bool parse_map(const char *line, uint64_t *start, const char **path)
{
	uint64_t offset;
	int at = 0;

	if (sscanf(line, "%" SCNx64 "-%*x %*s %" SCNx64 " %*s %*s %n", start, &offset, &at) < 2 ||
	    !at || line[at] != '/' || offset)
		return false;
	*path = line + at;
	return true;
}

static bool take_line(struct tl_emulation_images *images, struct tl_emulation_image *image,
		      char *line, uint64_t *bias)
{
	static const char program[] = "program ";
	const char *path;
	uint64_t start;

	line[strcspn(line, "\n")] = '\0';
	if (sscanf(line, "bias %" SCNx64, bias) == 1)
		return true;
	if (strncmp(line, program, strlen(program)))
		return !parse_map(line, &start, &path) ||
		       add_mapping(images, image, path, start - *bias);
	free(image->program);
	image->program = strdup(line + strlen(program));
	return image->program;
}

static bool read_image(struct tl_emulation_images *images, struct tl_emulation_image *image,
		       const char *path)
{
	FILE *maps = fopen(path, "re");
	bool ok = maps || errno != ENOMEM;
	char line[LINE];
	uint64_t bias = 0;

	while (ok && maps && fgets(line, sizeof(line), maps))
		ok = take_line(images, image, line, &bias);
	if (maps)
		fclose(maps);
	if (ok && !image->program)
		image->program = strdup("");
	return ok && image->program;
}

static void free_image(struct tl_emulation_image *image)
{
	for (size_t i = 0; i < image->count; i++)
		free(image->files[i].path);
	free(image->files);
	free(image->program);
}

/* ---- images ---- */

/* Whether the file can be one of the image: not at two addresses, nor where another file is. */
static bool has_place(const struct tl_emulation_image *image, const struct tl_emulation_file *file)
{
	for (size_t i = 0; i < image->count; i++)
		if (!strcmp(image->files[i].path, file->path) !=
		    (image->files[i].address == file->address))
			return false;
	return true;
}

/* The same program, with one file at each address. */
static bool is_same(const struct tl_emulation_image *image, const struct tl_emulation_image *other)
{
	if (strcmp(image->program, other->program))
		return false;
	for (size_t i = 0; i < other->count; i++)
		if (!has_place(image, &other->files[i]))
			return false;
	return true;
}

static bool add_files(struct tl_emulation_image *image, const struct tl_emulation_image *other)
{
	bool ok = true;

	for (size_t i = 0; ok && i < other->count; i++)
		ok = add_file(image, other->files[i].path, other->files[i].address);
	return ok;
}

/* `read` belongs to the list, or is freed. */
static bool take(struct tl_emulation_images *images, struct tl_emulation_image *read, size_t *image)
{
	bool ok;

	for (*image = 0; *image < images->count; ++*image)
		if (is_same(&images->list[*image], read)) {
			ok = add_files(&images->list[*image], read);
			free_image(read);
			return ok;
		}
	ok = tl_grow(&images->list, &images->capacity, images->count + 1, sizeof(*images->list));
	if (ok)
		images->list[images->count++] = *read;
	else
		free_image(read);
	return ok;
}

int tl_emulation_images_add(struct tl_emulation_images *images, const char *folder, int32_t process,
			    unsigned number, size_t *image, struct tl_error *err)
{
	struct tl_emulation_image read = { .program = NULL };
	char path[TL_RECORD_PATH + 64];

	name_file(path, folder, "maps", process, number);
	if (!read_image(images, &read, path)) {
		free_image(&read);
		return tl_error_memory(err);
	}
	return take(images, &read, image) ? 0 : tl_error_memory(err);
}

void tl_emulation_images_free(struct tl_emulation_images *images)
{
	for (size_t i = 0; i < images->count; i++)
		free_image(&images->list[i]);
	for (size_t i = 0; i < images->file_count; i++)
		free(images->files[i].path);
	free(images->list);
	free(images->files);
}

bool tl_emulation_image_begins(const char *folder, int32_t process, unsigned number)
{
	char path[TL_RECORD_PATH + 64];

	name_file(path, folder, "maps", process, number);
	return !access(path, F_OK);
}

/* ---- how it ended ---- */

/* The process went on with a program that is not recorded. */
static bool tell_left(struct tl_record_session *session, int32_t process, unsigned number)
{
	char path[TL_RECORD_PATH + 64], line[LINE];
	FILE *left;

	name_file(path, session->parts, "left", process, number);
	left = fopen(path, "re");
	if (!left)
		return false;
	if (!fgets(line, sizeof(line), left))
		line[0] = '\0';
	fclose(left);
	line[strcspn(line, "\n")] = '\0';
	session->result->incomplete = true;
	tl_record_note(session,
		       "process %d: %s is not recorded: no AArch64 program, or one that runs with "
		       "other rights",
		       process, line);
	return true;
}

static void tell_matrix(struct tl_record_session *session, int32_t process, unsigned number)
{
	char path[TL_RECORD_PATH + 64];

	name_file(path, session->parts, "matrix", process, number);
	if (access(path, F_OK))
		return;
	session->result->incomplete = true;
	tl_record_note(session,
		       "process %d: what instructions of SME load into the matrix ZA, and store of "
		       "it, is not recorded",
		       process);
}

void tl_emulation_image_tell_end(struct tl_record_session *session, int32_t process,
				 unsigned number)
{
	char path[TL_RECORD_PATH + 64];

	tell_matrix(session, process, number);
	name_file(path, session->parts, "ended", process, number);
	if (access(path, F_OK) && !tell_left(session, process, number))
		tl_record_note(session,
			       "process %d did not end by exit(): what it did since its last "
			       "system call is missing",
			       process);
}
