/* SPDX-License-Identifier: Apache-2.0 */
/* The page: its bundled sections, with title and profile data between them. */
#include <string.h>

#include "core/output.h"
#include "export/flame/flame.h"

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

	tl_output_write(out, tl_flame_page_sections[0].text, tl_flame_page_sections[0].size);
	put_title(flame, out);
	tl_output_write(out, tl_flame_page_sections[1].text, tl_flame_page_sections[1].size);
	status = tl_flame_write_data(flame, out, err);
	tl_output_write(out, tl_flame_page_sections[2].text, tl_flame_page_sections[2].size);
	return status;
}
