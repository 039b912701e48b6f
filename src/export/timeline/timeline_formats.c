/* SPDX-License-Identifier: Apache-2.0 */
/* The table of timeline formats. */
#include "export/timeline/timeline_formats.h"

#include <string.h>

#include "core/error.h"

const struct tl_timeline_format *const *tl_timeline_formats(void)
{
	static const struct tl_timeline_format *const formats[] = {
		&tl_perfetto_timeline.format,
		&tl_chrome_timeline.format,
		NULL,
	};

	return formats;
}

/* The operations of a format, NULL when there is none of that name. */
static const struct tl_timeline_ops *find_timeline(const char *name)
{
	/* The format is the first member of its operations. */
	for (const struct tl_timeline_format *const *f = tl_timeline_formats(); *f; f++)
		if (!name || !strcmp((*f)->name, name))
			return (const struct tl_timeline_ops *)*f;
	return NULL;
}

int tl_timeline_open(struct tl_timeline **timeline, const char *format, struct tl_output *out,
		     struct tl_error *err)
{
	const struct tl_timeline_ops *ops = find_timeline(format);

	*timeline = NULL;
	if (!ops)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE, "no such timeline format");
	*timeline = tl_timeline_new(ops, out);
	if (!*timeline)
		return tl_error_memory(err);
	return 0;
}
