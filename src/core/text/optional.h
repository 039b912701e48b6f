/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_CORE_TEXT_OPTIONAL_H
#define TL_CORE_TEXT_OPTIONAL_H
/* Texts that may be missing: an empty text stands for a missing one, as printf() takes no NULL. */
#include <stdbool.h>

/* `text`, or an empty text for NULL. */
static inline const char *tl_text_or_empty(const char *text)
{
	return text ? text : "";
}

/* `text` where `condition` holds, else an empty text. `text` is evaluated in both cases. */
static inline const char *tl_text_if(bool condition, const char *text)
{
	return condition ? text : "";
}

#endif
