/* SPDX-License-Identifier: Apache-2.0 */
/* Text in HTML and XML. */
#include "core/output.h"
#include "export/flame/flame.h"

/* The entity for a character of markup; NULL: the character itself. */
static const char *entity(char c)
{
	static const struct {
		char what;
		const char *as;
	} entities[] = { { '&', "&amp;" }, { '<', "&lt;" }, { '>', "&gt;" }, { '"', "&quot;" } };

	for (size_t i = 0; i < sizeof(entities) / sizeof(entities[0]); i++)
		if (entities[i].what == c)
			return entities[i].as;
	/* XML 1.0, 2.2: control characters cannot stand in a document, not even escaped. */
	return (unsigned char)c < 0x20 ? " " : NULL;
}

void tl_flame_put_markup(struct tl_output *out, const char *text, size_t size)
{
	while (size) {
		size_t run = tl_utf8_span(text, size);

		for (size_t i = 0; i < run; i++) {
			const char *as = entity(text[i]);

			if (as)
				tl_put_text(out, as);
			else
				tl_put_char(out, text[i]);
		}
		text += run;
		size -= run;
		if (size) {
			tl_put_text(out, "\xef\xbf\xbd"); /* U+FFFD */
			text++;
			size--;
		}
	}
}
