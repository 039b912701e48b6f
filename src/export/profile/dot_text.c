/* SPDX-License-Identifier: Apache-2.0 */
/* Texts, shares and colours of Graphviz. */
#include "export/profile/dot_text.h"

#include "core/arithmetic.h"
#include "core/output.h"
#include "core/wide.h"

/*
 * A byte inside a double-quoted string, where Graphviz takes any backslash for an escape. Control
 * characters become blanks: they show nothing, and cannot stand in the XML that Graphviz may write.
 */
static void put_quoted_byte(struct tl_output *out, char byte)
{
	if (byte == '"' || byte == '\\')
		tl_put_char(out, '\\');
	tl_put_char(out, (unsigned char)byte < 0x20 || byte == 0x7f ? ' ' : byte);
}

/* Graphviz refuses bytes that are not UTF-8: each becomes U+FFFD. */
void tl_dot_put_quoted(struct tl_output *out, const char *text)
{
	while (*text) {
		size_t run = tl_utf8_span(text, strlen(text));

		for (size_t i = 0; i < run; i++)
			put_quoted_byte(out, text[i]);
		text += run;
		if (*text) {
			tl_put_text(out, "\xef\xbf\xbd");
			text++;
		}
	}
}

int64_t tl_dot_hundredths(int64_t cost, int64_t total)
{
	uint64_t hundredths = 0;

	if (total)
		hundredths =
			tl_scale_unsigned_nearest(tl_magnitude(cost), 10000, tl_magnitude(total));
	return (int64_t)tl_min(hundredths, (uint64_t)INT64_MAX);
}

/* Computed in integers, so that every machine writes the same. */
void tl_dot_put_share(struct tl_output *out, int64_t cost, int64_t total)
{
	int64_t hundredths = tl_dot_hundredths(cost, total);

	if (cost < 0 && hundredths)
		tl_put_char(out, '-');
	tl_put_format(out, "%lld.%02d%%", (long long)(hundredths / 100), (int)(hundredths % 100));
}

/* The square root of the share, so that small shares can be told apart. */
void tl_dot_put_color(struct tl_output *out, unsigned hue_permille, int64_t cost, int64_t total)
{
	int64_t share = tl_dot_hundredths(cost, total);
	int saturation = 0; /* permille */

	if (share > 10000)
		share = 10000;
	while ((saturation + 1) * (saturation + 1) <= share * 64)
		saturation++;
	tl_put_format(out, ", fillcolor=\"0.%03u 0.%03d 1\"", hue_permille, saturation);
}
