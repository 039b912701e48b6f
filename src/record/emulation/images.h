/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_RECORD_EMULATION_IMAGES_H
#define TL_RECORD_EMULATION_IMAGES_H
/*
 * Programs that the processes of a recording executed, as emulator/aarch64/ tells of them beside
 * their streams: files KIND.PROCESS.NUMBER, where NUMBER is that of the program's first stream in
 * the process. Streams of a program whose files are at the same addresses are read together.
 */
#include "record/recorder.h"

/* A file with code of the program's processor; `address`: of a position-independent one, or 0. */
struct tl_emulation_file {
	char *path;
	uint64_t address;
};

struct tl_emulation_image {
	char *program;
	struct tl_emulation_file *files;
	size_t count, capacity;
};

/* A file that was looked at, whatever it is. */
struct tl_emulation_looked_at {
	char *path;
	bool has_code, is_pie;
};

/* Zero-filled is an empty one. */
struct tl_emulation_images {
	struct tl_emulation_image *list;
	size_t count, capacity;
	struct tl_emulation_looked_at *files;
	size_t file_count, file_capacity;
};

/*
 * The image that a process began with its stream `number`, its files added to those that are known
 * of it: `*image` is its place in the list. Nothing may be told of it: it has no name and no files
 * then. 0, TL_NO_MEMORY.
 */
int tl_emulation_images_add(struct tl_emulation_images *images, const char *folder, int32_t process,
			    unsigned number, size_t *image, struct tl_error *err);
void tl_emulation_images_free(struct tl_emulation_images *images);

/* Whether `maps`, which each image has, is there for this one. */
bool tl_emulation_image_begins(const char *folder, int32_t process, unsigned number);
/* Say what is missing of the image that began with the stream. */
void tl_emulation_image_tell_end(struct tl_record_session *session, int32_t process,
				 unsigned number);

#endif
