/* SPDX-License-Identifier: Apache-2.0 */
#include "foreign/foreign.h"

bool tl_foreign_has_spans(const struct tl_foreign_file *f)
{
	for (size_t i = 0; i < f->spans.count; i++)
		if (f->spans.threads[i].count)
			return true;
	return false;
}

int tl_foreign_fold(struct tl_foreign_file *f, struct tl_profile **profile, struct tl_error *err)
{
	/* A file without anything is a trace without calls. */
	if (tl_foreign_has_spans(f) || !f->stacks.event_count)
		return tl_foreign_fold_spans(f, profile, err);
	return tl_foreign_fold_stacks(f, profile, err);
}
