/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_VIEW_WEB_ENCLOSED_H
#define TL_VIEW_WEB_ENCLOSED_H
/* Calls inside a page without a server. */
#include "view/web/document.h"

/*
 * Write the calls of a file: one script element a track, of data that a browser does not run, and
 * one of names. With more calls than a page has room for, short ones are left out.
 *
 * calls-FILE-TRACK holds, in base64, a zlib stream: four u32 (little-endian), the sizes of four
 * columns, then the columns, of variable-length numbers (LEB128) in the order of begin: start less
 * the start before; duration and 1, 0 for an unfinished call; depth less the depth before, and
 * whether the call was left (zigzag, twice, and 1); the place of its function in the list of names.
 * calls-FILE is JSON: {"shortest": ticks below which calls are left out, "left_out", "functions"}.
 *
 * @return 0 or a negative tl_status
 */
int tl_web_put_calls(struct tl_web_document *document, size_t file, struct tl_output *out,
		     struct tl_error *err);

#endif
