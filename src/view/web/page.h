/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_VIEW_WEB_PAGE_H
#define TL_VIEW_WEB_PAGE_H
/* The page, which scripts/view_bundle.py makes of web/view/. */
#include <stddef.h>

struct tl_web_page {
	const char *text;
	size_t size;
	/* Places in it where a page without a server has its policy, and its data. */
	size_t meta, data;
	/* Content security policies, which say what may run: as served, and of a file. */
	const char *policy, *file_policy;
};

extern const struct tl_web_page tl_web_page;

#endif
