/* SPDX-License-Identifier: Apache-2.0 */
/* The page: what the build bundled of it, with the title and the profile in their places. */
#include <string.h>

#include "core/output.h"
#include "export/flame.h"

/* What stands for a character of markup, NULL: itself. */
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

static void put_title(const struct tl_flame *flame, struct tl_output *out)
{
	const char *name = flame->options.name, *baseline = flame->options.baseline_name;

	if (name && *name) {
		tl_flame_put_markup(out, name, strlen(name));
		if (flame->profile[1] && baseline && *baseline) {
			tl_put_text(out, " since ");
			tl_flame_put_markup(out, baseline, strlen(baseline));
		}
		tl_put_text(out, " – ");
	}
	tl_put_text(out, flame->profile[1] ? "what changed" : "flame graph");
}

int tl_flame_write_page(const struct tl_flame *flame, struct tl_output *out, struct tl_error *err)
{
	int status;

	tl_output_write(out, tl_flame_pieces[0].text, tl_flame_pieces[0].size);
	put_title(flame, out);
	tl_output_write(out, tl_flame_pieces[1].text, tl_flame_pieces[1].size);
	status = tl_flame_write_data(flame, out, err);
	tl_output_write(out, tl_flame_pieces[2].text, tl_flame_pieces[2].size);
	return status;
}
