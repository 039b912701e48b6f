/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_VIEW_FILES_STAMPS_H
#define TL_VIEW_FILES_STAMPS_H
/*
 * Files as they were when a view opened them. A view stays for hours, in which a trace may go on to
 * be written, be cut, or be recorded anew: the view then shows what is no longer there, which it
 * says.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tracelathe/core.h>

struct tl_view_stamp {
	bool known; /* false: it is no regular file, and never seen to change */
	uint64_t device, inode, size;
	int64_t seconds, nanoseconds; /* when it was last written */
};

struct tl_view_stamps {
	const char *const *paths;
	struct tl_view_stamp *list;
	size_t count;
};

/* Before the files are opened; `paths` live as long. 0 or TL_NO_MEMORY. */
int tl_view_stamps_take(struct tl_view_stamps *stamps, const char *const *paths, size_t count,
			struct tl_error *err);
/* Allowed where the stamps are zero-filled, or could not be taken. */
void tl_view_stamps_free(struct tl_view_stamps *stamps);

/* What has happened to a file since, as the end of a sentence ("has grown"). NULL: nothing. */
const char *tl_view_stamps_change(const struct tl_view_stamps *stamps, size_t file);

#endif
