/* SPDX-License-Identifier: Apache-2.0 */
/* What is to be said with a profile of samples. */
#include "perf_data/samples/remarks.h"

#include <stdarg.h>
#include <stdio.h>

bool tl_perf_sample_remark(struct tl_perf_sample_remarks *r, const char *format, ...)
{
	va_list args;
	char *text;
	int made;

	va_start(args, format);
	made = vasprintf(&text, format, args);
	va_end(args);
	if (made < 0)
		return false;
	if (!tl_grow(&r->list, &r->capacity, r->count + 1, sizeof(*r->list))) {
		free(text);
		return false;
	}
	r->list[r->count++] = text;
	return true;
}

void tl_perf_sample_remarks_free(struct tl_perf_sample_remarks *r)
{
	for (size_t i = 0; i < r->count; i++)
		free(r->list[i]);
	free(r->list);
	*r = (struct tl_perf_sample_remarks){ .list = NULL };
}
