/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XRAY_MAP_LOG_MAP_H
#define TL_XRAY_MAP_LOG_MAP_H
/*
 * LOG.map, which `tracelathe record` writes beside a log: what the ids of the log are, and what it
 * lacks (docs/formats/xray.md, 10).
 */
#include "core/memory.h"
#include "xray/map/map.h"

/* Zero-filled is "there is none". */
struct tl_xray_recorded {
	struct tl_arena arena;
	/* ids are of the sleds of this file; NULL: they are not */
	const char *program, *program_id;
	struct tl_xray_map *map; /* ids are those of objects; NULL: they are not */
	/* records that could not be written, and why; NULL: none */
	const char *lost_reason;
	bool overwritten; /* a ring kept the last records only */
	bool cut;         /* the process did not come to its end by exit() */
};

/*
 * Read the file, with names in their source form if `demangle`. TL_BAD_FORMAT at the line that is
 * wrong. End with tl_xray_recorded_close().
 */
int tl_xray_recorded_open(struct tl_xray_recorded *recorded, const char *path, bool demangle,
			  struct tl_error *err);
/* The same over bytes that the caller keeps. */
int tl_xray_recorded_read(struct tl_xray_recorded *recorded, const uint8_t *data, size_t size,
			  bool demangle, struct tl_error *err);
void tl_xray_recorded_close(struct tl_xray_recorded *recorded);

#endif
