/* SPDX-License-Identifier: Apache-2.0 */
#include "flame_helper.h"

#include <stdio.h>

char *flame_text(const struct tl_profile *profile, const struct tl_profile *baseline,
		 const struct tl_flame_options *options)
{
	struct tl_output *out;
	struct tl_error err;
	size_t size;
	char *text;

	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	if (tl_flame_write(profile, baseline, options, out, &err) < 0)
		fail_msg("tl_flame_write: %s", err.text);
	text = take_output(out, &size);
	assert_int_equal(strlen(text), size);
	return text;
}

struct tl_flame_options flame_data_options(void)
{
	return (struct tl_flame_options){ .size = sizeof(struct tl_flame_options),
					  .form = TL_FLAME_DATA,
					  .threshold = -1 };
}

void assert_jq(const char *text, const char *filter, const char *expected)
{
	char command[1536], *seen;

	need_program("jq");
	snprintf(command, sizeof(command), "jq -c '%s'", filter);
	seen = pipe_through(command, text, strlen(text));
	assert_string_equal(seen, expected);
	free(seen);
}

void assert_frames(const char *text, int column, const char *expected)
{
	static const char filter[] =
		". as $d | def path(f): (if f == 0 then \"\" else path($d.frames.parent[f]) + "
		"\";\" end) + $d.texts[$d.functions.name[$d.frames.function[f]]]; "
		"[range($d.cells.frame | length) | select($d.cells.column[.] == %d) | "
		"[$d.cells.frame[.], path($d.cells.frame[.]), $d.cells.calls[.], "
		"$d.cells.self[0][.]]] | sort | map(.[1:])";
	char text_filter[1024];

	snprintf(text_filter, sizeof(text_filter), filter, column);
	assert_jq(text, text_filter, expected);
}

struct tl_flame_options flame_svg_options(void)
{
	struct tl_flame_options options = flame_data_options();

	options.form = TL_FLAME_SVG;
	return options;
}

struct tl_position no_position(void)
{
	return (struct tl_position){ .file = "" };
}

void add_sums(struct tl_profile *profile, uint32_t function, int64_t self)
{
	add_line(profile, function, TL_NONE, no_position(), self);
}

void add_call(struct tl_profile *profile, uint32_t caller, uint32_t callee, uint64_t calls,
	      int64_t cost)
{
	add_arc(profile,
		(struct tl_arc){ .caller = caller,
				 .callee = callee,
				 .part = TL_NONE,
				 .from = no_position(),
				 .to = no_position(),
				 .calls = calls },
		cost);
}

void assert_xml(const char *text)
{
	need_program("python3");
	free(pipe_through("python3 -c \"import sys, xml.dom.minidom; "
			  "xml.dom.minidom.parse(sys.stdin.buffer)\"",
			  text, strlen(text)));
}
