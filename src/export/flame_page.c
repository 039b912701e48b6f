/* SPDX-License-Identifier: Apache-2.0 */
/* The page: what the build bundled of it, with the title and the profile in their places. */
#include <string.h>

#include "core/output.h"
#include "export/flame.h"

/* Text between tags, or a double-quoted attribute. */
static void put_escaped(struct tl_output *out, const char *text)
{
	static const struct {
		char what;
		const char *as;
	} entities[] = { { '&', "&amp;" }, { '<', "&lt;" }, { '>', "&gt;" }, { '"', "&quot;" } };

	for (; *text; text++) {
		const char *as = NULL;

		for (size_t i = 0; i < sizeof(entities) / sizeof(entities[0]); i++)
			if (entities[i].what == *text)
				as = entities[i].as;
		if (as)
			tl_put_text(out, as);
		else
			tl_put_char(out, *text);
	}
}

static void put_title(const struct tl_flame *flame, struct tl_output *out)
{
	const char *name = flame->options.name, *baseline = flame->options.baseline_name;

	if (name && *name) {
		put_escaped(out, name);
		if (flame->profile[1] && baseline && *baseline) {
			tl_put_text(out, " since ");
			put_escaped(out, baseline);
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
