/* SPDX-License-Identifier: Apache-2.0 */
#include "report/source_text.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.h"
#include "core/memory.h"
#include "core/output.h"

/* A source of more bytes is not one that people annotate. */
enum { MOST_BYTES = 64 << 20 };

/* ---- reading ---- */

/* The profile names the file, so it may be anything: a pipe or a device must neither block nor fill the memory. */
static int open_regular(const char *path, size_t *size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size < 0 || st.st_size > MOST_BYTES) {
		close(fd);
		return -1;
	}
	*size = (size_t)st.st_size;
	return fd;
}

static size_t read_all(int fd, char *data, size_t size)
{
	size_t at = 0;

	while (at < size) {
		ssize_t got = read(fd, data + at, size - at);

		if (got <= 0)
			break;
		at += (size_t)got;
	}
	return at;
}

static bool find_lines(struct tl_source_text *text, size_t size)
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

/* 1: read, 0: not there or not readable, or TL_NO_MEMORY. */
static int read_file(struct tl_source_text *text, const char *path, struct tl_error *err)
{
	size_t size;
	int fd = open_regular(path, &size);

	if (fd < 0)
		return 0;
	text->path = strdup(path);
	text->data = malloc(size + 1);
	if (text->data)
		size = read_all(fd, text->data, size);
	close(fd);
	if (!text->path || !text->data || !find_lines(text, size))
		return tl_error_memory(err);
	return 1;
}

static int read_below(struct tl_source_text *text, const char *dir, const char *name, struct tl_error *err)
{
	size_t dir_size = strlen(dir), name_size = strlen(name);
	char *path = malloc(dir_size + name_size + 2);
	int found;

	if (!path)
		return tl_error_memory(err);
	memcpy(path, dir, dir_size);
	path[dir_size] = '/';
	memcpy(path + dir_size + 1, name, name_size + 1);
	found = read_file(text, path, err);
	free(path);
	return found;
}

int tl_source_text_read(struct tl_source_text *text, const char *recorded, const char *const *dirs, size_t dir_count,
			struct tl_error *err)
{
	int found = 0;

	*text = (struct tl_source_text){ 0 };
	for (size_t i = 0; found == 0 && i < dir_count; i++) {
		const char *name = recorded;

		for (; name && found == 0; name = strchr(name, '/')) {
			name += strspn(name, "/");
			found = *name ? read_below(text, dirs[i], name, err) : 0;
		}
	}
	if (found == 0)
		found = read_file(text, recorded, err);
	return found < 0 ? found : 0;
}

void tl_source_text_free(struct tl_source_text *text)
{
	free(text->path);
	free(text->data);
	free(text->starts);
	*text = (struct tl_source_text){ 0 };
}

const char *tl_source_text_line(const struct tl_source_text *text, uint64_t number, size_t *size)
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

void tl_put_source(struct tl_output *out, const char *text, size_t size)
{
	unsigned column = 0;

	for (size_t i = 0; i < size; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c == '\t') {
			do
				tl_put_char(out, ' ');
			while (++column % 8);
			continue;
		}
		tl_put_char(out, c < ' ' || c == 0x7f ? '?' : (char)c);
		/* Further bytes of a character (RFC 3629) take no column. */
		column += (c & 0xc0) != 0x80;
	}
}
