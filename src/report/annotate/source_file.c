/* SPDX-License-Identifier: Apache-2.0 */
#include "report/annotate/source_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.h"
#include "core/file.h"
#include "core/memory.h"
#include "core/output.h"

/* A larger file is not taken for source text. */
enum { MOST_BYTES = 64 << 20 };

/* ---- reading ---- */

typedef int open_fn(const char *path);

/* A file descriptor; -1: no such file, or one that is too large. */
static int open_source(const char *path, open_fn *open_it, size_t *size)
{
	int fd = open_it(path);
	struct stat st;

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) != 0 || st.st_size < 0 || st.st_size > MOST_BYTES) {
		close(fd);
		return -1;
	}
	*size = (size_t)st.st_size;
	return fd;
}

static bool find_lines(struct tl_source_file *text, size_t size)
{
	size_t capacity = 0;

	for (size_t at = 0; at < size;) {
		const char *end = memchr(text->data + at, '\n', size - at);

		if (!tl_grow(&text->starts, &capacity, text->lines + 2, sizeof(*text->starts)))
			return false;
		text->starts[text->lines++] = at;
		at = end ? (size_t)(end - text->data) + 1 : size;
		text->starts[text->lines] = at;
	}
	return true;
}

/*
 * @return 1: read; 0: there is no such file, or it cannot be read as a whole; TL_NO_MEMORY
 */
static int read_file(struct tl_source_file *text, const char *path, open_fn *open_it,
		     struct tl_error *err)
{
	size_t size;
	ssize_t got = -1;
	int fd = open_source(path, open_it, &size);

	if (fd < 0)
		return 0;
	text->path = strdup(path);
	text->data = malloc(size + 1);
	if (text->data)
		got = tl_file_read_at(fd, text->data, size, 0);
	close(fd);
	if (text->path && text->data && got != (ssize_t)size) {
		tl_source_file_free(text);
		return 0;
	}
	if (!text->path || !text->data || !find_lines(text, size))
		return tl_error_memory(err);
	return 1;
}

static int read_below(struct tl_source_file *text, const char *dir, const char *name,
		      struct tl_error *err)
{
	char *path;
	int found;

	if (asprintf(&path, "%s/%s", dir, name) < 0)
		return tl_error_memory(err);
	found = read_file(text, path, tl_file_open_regular, err);
	free(path);
	return found;
}

/* ---- names ---- */

/* The size of a path of `size` bytes without its last component and the slash before it. */
static size_t leave_directory(const char *path, size_t size)
{
	while (size && path[size - 1] != '/')
		size--;
	if (size)
		size--;
	return size;
}

/*
 * The components of a recorded path, with "." and ".." resolved, joined by slashes, without one in
 * front: put below a directory, the result cannot leave it. *leaves: the recorded path leads out of
 * the directory it begins in.
 */
static char *plain_path(const char *recorded, bool *leaves)
{
	char *plain = malloc(strlen(recorded) + 1);
	size_t size = 0, length;

	*leaves = false;
	for (const char *at = recorded; plain && *at; at += length) {
		at += strspn(at, "/");
		length = strcspn(at, "/");
		if (length == 2 && !memcmp(at, "..", 2)) {
			*leaves = *leaves || !size;
			size = leave_directory(plain, size);
		} else if (length && !(length == 1 && *at == '.')) {
			if (size)
				plain[size++] = '/';
			memcpy(plain + size, at, length);
			size += length;
		}
	}
	if (plain)
		plain[size] = '\0';
	return plain;
}

/* Below each directory, with more and more of the leading components left out. */
static int read_below_each(struct tl_source_file *text, const char *plain, const char *const *dirs,
			   size_t dir_count, struct tl_error *err)
{
	int found = 0;

	for (size_t i = 0; found == 0 && i < dir_count; i++)
		for (const char *name = plain; name && *name && found == 0;) {
			found = read_below(text, dirs[i], name, err);
			name = strchr(name, '/');
			name += name != NULL;
		}
	return found;
}

/* "C:\\src\\a.c", "\\\\host\\src\\a.c", or "src\\a.c": a writer on Windows. */
static bool is_windows_path(const char *path)
{
	return strchr(path, '\\') && (path[1] == ':' || *path == '\\' || !strchr(path, '/'));
}

/* A recorded path with slashes between its components. NULL without memory. */
static char *with_slashes(const char *recorded)
{
	char *path = strdup(recorded);

	if (path && is_windows_path(path))
		for (char *at = path; (at = strchr(at, '\\'));)
			*at = '/';
	return path;
}

int tl_source_file_read(struct tl_source_file *text, const char *recorded, const char *const *dirs,
			size_t dir_count, struct tl_error *err)
{
	bool leaves;
	char *path = with_slashes(recorded);
	char *plain = path ? plain_path(path, &leaves) : NULL;
	int found;

	*text = (struct tl_source_file){ 0 };
	free(path);
	if (!plain)
		return tl_error_memory(err);
	found = read_below_each(text, plain, dirs, dir_count, err);
	if (found == 0 && *recorded == '/')
		found = read_file(text, recorded, tl_file_open_named, err);
	else if (found == 0 && !dir_count && !leaves && *plain)
		found = read_file(text, plain, tl_file_open_named, err);
	free(plain);
	return tl_error_or_end(found);
}

void tl_source_file_free(struct tl_source_file *text)
{
	free(text->path);
	free(text->data);
	free(text->starts);
	*text = (struct tl_source_file){ 0 };
}

const char *tl_source_file_line(const struct tl_source_file *text, uint64_t number, size_t *size)
{
	size_t end;

	if (!number || number > text->lines)
		return NULL;
	end = text->starts[number];
	*size = end - text->starts[number - 1];
	for (const char *line = text->data + text->starts[number - 1]; *size;) {
		char last = line[*size - 1];

		if (last != '\n' && last != '\r')
			break;
		--*size;
	}
	return text->data + text->starts[number - 1];
}

void tl_put_source_line(struct tl_output *out, const char *text, size_t size)
{
	char shown[TL_SHOWN_BYTES];
	unsigned column = 0;

	for (size_t i = 0; i < size;) {
		if (text[i] == '\t') {
			do
				tl_put_char(out, ' ');
			while (++column % 8);
			i++;
			continue;
		}
		i += tl_shown_character(text + i, size - i, shown);
		tl_put_text(out, shown);
		/* A character of several bytes takes one column, an escape as many as it has. */
		column += (unsigned)((unsigned char)*shown < 0x80 ? strlen(shown) : 1);
	}
}
