/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_REPORT_ANNOTATE_ASSEMBLY_H
#define TL_REPORT_ANNOTATE_ASSEMBLY_H
/* A function by instruction. */
#include "report/annotate/annotation.h"

/* Write a function in the form of the report; sets the group's outcome if there is no code. */
int tl_annotate_put_function(const struct tl_annotation *a, struct tl_note_group *group,
			     struct tl_error *err);

#endif
