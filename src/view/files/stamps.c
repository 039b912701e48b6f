/* SPDX-License-Identifier: Apache-2.0 */
#include "view/files/stamps.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "core/error.h"

static struct tl_view_stamp stamp_of(const char *path)
{
	struct stat st;

	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return (struct tl_view_stamp){ .known = false };
	return (struct tl_view_stamp){
		.known = true,
		.device = (uint64_t)st.st_dev,
		.inode = (uint64_t)st.st_ino,
		.size = (uint64_t)st.st_size,
		.seconds = (int64_t)st.st_mtim.tv_sec,
		.nanoseconds = (int64_t)st.st_mtim.tv_nsec,
	};
}

int tl_view_stamps_take(struct tl_view_stamps *stamps, const char *const *paths, size_t count,
			struct tl_error *err)
{
	*stamps = (struct tl_view_stamps){ .list = calloc(count, sizeof(*stamps->list)) };
	if (!stamps->list)
		return tl_error_memory(err);
	stamps->paths = paths;
	stamps->count = count;
	for (size_t i = 0; i < count; i++)
		stamps->list[i] = stamp_of(paths[i]);
	return 0;
}

void tl_view_stamps_free(struct tl_view_stamps *stamps)
{
	free(stamps->list);
	*stamps = (struct tl_view_stamps){ .count = 0 };
}

const char *tl_view_stamps_change(const struct tl_view_stamps *stamps, size_t file)
{
	const struct tl_view_stamp *before = &stamps->list[file];
	struct tl_view_stamp now;

	if (!before->known)
		return NULL;
	now = stamp_of(stamps->paths[file]);
	if (!now.known)
		return "is no longer there";
	if (now.device != before->device || now.inode != before->inode)
		return "was replaced by another file";
	if (now.size != before->size)
		return now.size > before->size ? "has grown" : "has become shorter";
	if (now.seconds != before->seconds || now.nanoseconds != before->nanoseconds)
		return "was written to";
	return NULL;
}
