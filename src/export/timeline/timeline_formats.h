/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_EXPORT_TIMELINE_TIMELINE_FORMATS_H
#define TL_EXPORT_TIMELINE_TIMELINE_FORMATS_H
/* The timeline formats, one file each. */
#include <tracelathe/export.h>

#include "timeline/timeline.h"

extern const struct tl_timeline_ops tl_perfetto_timeline;
extern const struct tl_timeline_ops tl_chrome_timeline;

#endif
