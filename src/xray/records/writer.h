/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XRAY_RECORDS_WRITER_H
#define TL_XRAY_RECORDS_WRITER_H
#include <tracelathe/xray.h>

/*
 * tl_xray_writer_put() of a record of this library's size: a loop over records copies none twice.
 */
int tl_xray_writer_put_unsized(struct tl_xray_writer *writer, const struct tl_xray_record *record,
			       struct tl_error *err);

#endif
