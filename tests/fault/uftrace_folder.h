/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_FAULT_UFTRACE_FOLDER_H
#define TESTS_FAULT_UFTRACE_FOLDER_H
/*
 * A directory of uftrace in memory: files one behind the other, each a byte with the length of its
 * name, the name, two bytes with its size (little-endian), and its bytes. What is cut short is not
 * there.
 */
#include "core/cursor.h"
#include "core/error.h"
#include "uftrace/uftrace.h"

/* The bytes of a file; false: it is not there. */
static inline bool uftrace_folder_find(const struct tl_cursor *all, const char *name,
				       struct tl_cursor *found)
{
	struct tl_cursor c = *all;

	while (tl_cursor_has(&c, 1)) {
		const size_t length = *c.pos++;
		const uint8_t *text = c.pos;
		size_t size;

		if (!tl_cursor_has(&c, length + 2))
			return false;
		size = tl_le16(c.pos + length);
		c.pos += length + 2;
		if (!tl_cursor_has(&c, size))
			return false;
		*found = tl_cursor_over(c.pos, size);
		if (length == strlen(name) && !memcmp(text, name, length))
			return true;
		c.pos += size;
	}
	return false;
}

static inline int uftrace_folder_open(void *arg, const char *name, struct tl_source **source,
				      struct tl_error *err)
{
	struct tl_cursor found;

	if (!uftrace_folder_find(arg, name, &found))
		return tl_error_at(err, TL_IO, TL_NOWHERE, "no such file");
	return tl_source_open_memory(source, found.pos, tl_cursor_left(&found), name, err);
}

/* Read such a directory into a file that has begun. */
static inline int uftrace_folder_read(struct tl_foreign_file *file, const uint8_t *data,
				      size_t size, struct tl_error *err)
{
	struct tl_cursor all = tl_cursor_over(data, size);
	const struct tl_uftrace_folder folder = { uftrace_folder_open, &all };
	struct tl_source *info = NULL;
	int status = uftrace_folder_open(&all, "info", &info, err);

	if (status == 0)
		status = tl_uftrace_read(file, info, &folder, err);
	tl_source_close(info);
	return status;
}

#endif
