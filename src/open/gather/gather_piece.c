/* SPDX-License-Identifier: Apache-2.0 */
#include "open/gather/gather_piece.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/error.h"
#include "core/file.h"
#include "core/source.h"

int tl_gather_make_file(const char *scratch, struct tl_error *err)
{
	char *name;
	int fd;

	if (!scratch)
		return tl_open_unlinked(err);
	fd = tl_file_open(scratch, O_TMPFILE | O_RDWR | O_EXCL, 0600);
	if (fd >= 0)
		return fd;
	if (asprintf(&name, "%s/tracelathe.XXXXXX", scratch) < 0)
		return tl_error_memory(err);
	fd = tl_file_make_temporary(name);
	if (fd >= 0)
		unlink(name);
	else
		tl_error_system(err, "cannot make a file in the directory of --scratch");
	free(name);
	return fd < 0 ? TL_IO : fd;
}

static int map_file(const struct tl_gather_piece *piece, struct tl_gather_mapping *mapping,
		    struct tl_error *err)
{
	int status = tl_source_open(&mapping->source, piece->path, NULL, err);

	if (status < 0)
		return status;
	return tl_source_map(mapping->source, &mapping->data, &mapping->size, err);
}

/* Bytes of a file without a name, which may begin anywhere in it. */
static int map_part(const struct tl_gather_piece *piece, struct tl_gather_mapping *mapping,
		    struct tl_error *err)
{
	const uint64_t before = piece->offset % (uint64_t)sysconf(_SC_PAGESIZE);
	void *mapped;

	mapping->mapped_size = (size_t)(before + piece->size);
	mapped = mmap(NULL, mapping->mapped_size, PROT_READ, MAP_SHARED, piece->fd,
		      (off_t)(piece->offset - before));
	if (mapped != MAP_FAILED) {
		mapping->mapped = mapped;
		mapping->data = (const uint8_t *)mapped + before;
		return 0;
	}
	if (errno == ENOMEM)
		return tl_error_memory(err);
	return tl_error_system(err, "cannot map");
}

int tl_gather_map(const struct tl_gather_piece *piece, struct tl_gather_mapping *mapping,
		  struct tl_error *err)
{
	*mapping = (struct tl_gather_mapping){ .data = piece->data, .size = (size_t)piece->size };
	if (piece->path)
		return map_file(piece, mapping, err);
	if (piece->data)
		return 0;
	return map_part(piece, mapping, err);
}

void tl_gather_unmap(struct tl_gather_mapping *mapping)
{
	tl_source_close(mapping->source);
	if (mapping->mapped)
		munmap(mapping->mapped, mapping->mapped_size);
	*mapping = (struct tl_gather_mapping){ .size = 0 };
}

void tl_gather_piece_free(struct tl_gather_piece *piece)
{
	free(piece->path);
	free(piece->data);
	if (piece->fd >= 0)
		close(piece->fd);
	*piece = (struct tl_gather_piece){ .fd = -1 };
}
