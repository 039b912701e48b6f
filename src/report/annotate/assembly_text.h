/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_REPORT_ANNOTATE_ASSEMBLY_TEXT_H
#define TL_REPORT_ANNOTATE_ASSEMBLY_TEXT_H
/* A function by instruction, as text. */
#include "report/annotate/annotation.h"
#include "report/annotate/code_listing.h"

/* False without memory. A listing without a binary shows costs by address alone. */
bool tl_asm_put_text(const struct tl_annotation *a, const struct tl_note_group *group,
		     struct tl_listing *listing);

#endif
