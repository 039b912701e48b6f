/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A flame graph as a picture (SVG 1.1) without script: the text that a viewer shows for a frame
 * under the pointer is its <title>. Coordinates are computed in hundredths of a pixel with
 * integers, so that every machine draws the same. A letter is taken to be 0.6 of its size wide, as
 * in fixed-width fonts.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/output.h"
#include "core/wide.h"
#include "export/event_time.h"
#include "export/flame/flame.h"

enum {
	ROW = 18,
	LETTER = 12,
	MARGIN = 10,
	HEAD = 58,
	LINE = 16,
	LEAST_SHOWN = 10 /* hundredths of a pixel */
};

struct picture {
	const struct tl_flame *flame;
	struct tl_output *out;
	int64_t *self, *inclusive, *before; /* by frame; before: inclusive in the baseline */
	uint64_t *calls;
	int64_t *at;   /* by frame: where its next callee begins, as a cost from the left */
	int64_t *left; /* by frame: where it begins */
	uint32_t depth, height, notes;
};

/* ---- text ---- */

static void put_xml_text(struct tl_output *out, const char *text)
{
	tl_flame_put_markup(out, text, strlen(text));
}

static bool begins_letter(char c)
{
	return ((unsigned char)c & 0xc0) != 0x80;
}

/* As many letters as fit, then ".." for the rest; nothing where fewer than two letters fit. */
static void put_fitting(struct tl_output *out, const char *text, size_t room)
{
	size_t letters = 0, cut = 0, seen = 0, size = strlen(text);

	for (size_t i = 0; i < size; i++)
		letters += begins_letter(text[i]);
	if (letters <= room) {
		tl_flame_put_markup(out, text, size);
		return;
	}
	if (room < 4)
		return;
	for (; cut < size; cut++)
		if (begins_letter(text[cut]) && seen++ == room - 2)
			break;
	tl_flame_put_markup(out, text, cut);
	tl_put_text(out, "..");
}

/* "1.23 ms", "12345 bytes" */
static void put_cost(const struct picture *p, int64_t cost)
{
	static const struct {
		double least; /* seconds from which on the unit is used */
		double seconds;
		const char *name;
	} units[] = {
		{ 1, 1, "s" }, { 1e-3, 1e-3, "ms" }, { 1e-6, 1e-6, "µs" }, { 0, 1e-9, "ns" }
	};
	const struct tl_flame *flame = p->flame;
	const struct tl_event *event = tl_profile_event(flame->profile[0], flame->events[0][0]);
	uint64_t frequency = tl_event_frequency(flame->profile[0], flame->events[0][0]);
	double seconds;
	size_t unit = 0;

	if (!frequency) {
		tl_put_i64(p->out, cost);
		tl_put_char(p->out, ' ');
		put_xml_text(p->out, *event->unit ? event->unit : event->name);
		return;
	}
	seconds = (double)cost / (double)frequency;
	while (fabs(seconds) < units[unit].least)
		unit++;
	tl_put_format(p->out, "%.4g %s", seconds / units[unit].seconds, units[unit].name);
}

/* "12.34 %" of the total. */
static void put_share(const struct picture *p, int64_t cost)
{
	double total = (double)p->inclusive[0];

	tl_put_format(p->out, "%.2f %%", total > 0 ? (double)cost * 100 / total : 0.0);
}

/* ---- colours ---- */

struct colour {
	int red, green, blue;
};

/* `part` of 255 of the way from one to the other. */
static struct colour between(struct colour from, struct colour to, int part)
{
	return (struct colour){ from.red + (to.red - from.red) * part / 255,
				from.green + (to.green - from.green) * part / 255,
				from.blue + (to.blue - from.blue) * part / 255 };
}

/* FNV-1a (G. Fowler, L. C. Noll, K.-P. Vo); the page computes the same. */
static uint32_t name_hash(const char *name)
{
	uint32_t hash = 0x811c9dc5;

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 0x01000193;
	return hash ^ hash >> 16;
}

/*
 * From light to dark in one family of hues: neighbours differ in lightness, which colour-blind
 * readers see, too.
 */
static struct colour name_colour(const char *name)
{
	static const struct colour light = { 253, 224, 140 }, middle = { 246, 176, 92 },
				   dark = { 224, 126, 84 };
	int part = (int)(name_hash(name) & 0x1ff);

	if (part < 256)
		return between(light, middle, part);
	return between(middle, dark, part - 256);
}

/*
 * Blue for less, orange for more. The depth of the colour is the square root of the change's share
 * of the total, so that small changes are seen as well.
 */
static struct colour change_colour(const struct picture *p, uint32_t frame)
{
	static const struct colour same = { 214, 216, 222 }, more = { 230, 97, 60 },
				   less = { 74, 144, 217 };
	double total = (double)tl_max(p->inclusive[0], p->before[0]);
	double change = (double)p->inclusive[frame] - (double)p->before[frame];
	double share = total > 0 ? fabs(change) / total : 0;
	int depth = share >= 1 ? 255 : (int)(sqrt(share) * 255);

	return between(same, change > 0 ? more : less, depth);
}

static struct colour colour_of(const struct picture *p, uint32_t frame, const char *name)
{
	static const struct colour grey = { 205, 208, 214 };

	if (p->flame->profile[1])
		return change_colour(p, frame);
	if (tl_flame_special(p->flame, p->flame->drawn.frames[frame].function))
		return grey;
	return name_colour(name);
}

/* ---- layout ---- */

static void sum_frames(struct picture *p)
{
	const struct tl_flame *flame = p->flame;

	for (size_t i = 0; i < flame->drawn.cell_count; i++) {
		const struct tl_flame_cell *cell = &flame->drawn.cells[i];
		int64_t cost = flame->drawn.self[i * flame->event_count];

		if (flame->profile[1] && cell->column == 1) {
			p->before[cell->node] = tl_sum_saturating(p->before[cell->node], cost);
			continue;
		}
		p->self[cell->node] = tl_sum_saturating(p->self[cell->node], cost);
		p->calls[cell->node] += cell->calls;
	}
	/* Costs below zero have no width. */
	for (uint32_t i = flame->drawn.frame_count; i-- > 0;) {
		uint32_t parent = flame->drawn.frames[i].parent;

		if (p->self[i] > 0)
			p->inclusive[i] = tl_sum_saturating(p->inclusive[i], p->self[i]);
		if (!i)
			break;
		p->inclusive[parent] = tl_sum_saturating(p->inclusive[parent], p->inclusive[i]);
		p->before[parent] = tl_sum_saturating(p->before[parent], p->before[i]);
	}
}

/* A cost as hundredths of a pixel. */
static int64_t place(const struct picture *p, int64_t cost)
{
	int64_t width = (int64_t)(p->flame->options.width - 2 * MARGIN) * 100;

	if (!p->inclusive[0])
		return 0;
	return tl_share(cost, width, p->inclusive[0]);
}

static int64_t end_of(const struct picture *p, uint32_t frame)
{
	return place(p, tl_sum_saturating(p->left[frame], p->inclusive[frame]));
}

static bool shown(const struct picture *p, uint32_t frame)
{
	return end_of(p, frame) - place(p, p->left[frame]) >= LEAST_SHOWN;
}

static void lay_out(struct picture *p)
{
	const struct tl_flame *flame = p->flame;

	for (uint32_t i = 0; i < flame->drawn.frame_count; i++) {
		uint32_t parent = flame->drawn.frames[i].parent;

		if (i) {
			p->left[i] = p->at[parent];
			p->at[parent] = tl_sum_saturating(p->at[parent], p->inclusive[i]);
		}
		p->at[i] = p->left[i];
		if (shown(p, i) && flame->drawn.frames[i].depth > p->depth)
			p->depth = flame->drawn.frames[i].depth;
	}
}

/* ---- drawing ---- */

static void put_hundredths(struct tl_output *out, int64_t number)
{
	tl_put_format(out, "%" PRId64 ".%02d", number / 100, (int)(number % 100));
}

static void put_source(const struct picture *p, const struct tl_function *f)
{
	if (*f->file) {
		tl_put_text(p->out, "\n");
		put_xml_text(p->out, f->file);
		if (f->line)
			tl_put_format(p->out, ":%u", (unsigned)f->line);
	}
	if (*f->object) {
		tl_put_text(p->out, "\n");
		put_xml_text(p->out, f->object);
	}
}

static void put_title(const struct picture *p, uint32_t i, const char *name)
{
	uint32_t function = p->flame->drawn.frames[i].function;

	tl_put_text(p->out, "<title>");
	put_xml_text(p->out, name);
	tl_put_text(p->out, "\ntotal ");
	put_cost(p, p->inclusive[i]);
	tl_put_text(p->out, ", ");
	put_share(p, p->inclusive[i]);
	tl_put_text(p->out, "\nself ");
	put_cost(p, p->self[i]);
	tl_put_text(p->out, ", ");
	put_share(p, p->self[i]);
	if (p->flame->profile[1]) {
		tl_put_text(p->out, "\nbefore ");
		put_cost(p, p->before[i]);
	}
	if (p->calls[i])
		tl_put_format(p->out, "\n%" PRIu64 " call%s", p->calls[i],
			      p->calls[i] == 1 ? "" : "s");
	if (!tl_flame_special(p->flame, function))
		put_source(p, p->flame->functions.all[function]);
	tl_put_text(p->out, "</title>");
}

static void put_frame(const struct picture *p, uint32_t i)
{
	const struct tl_flame_node *frame = &p->flame->drawn.frames[i];
	int64_t from = place(p, p->left[i]), to = end_of(p, i);
	uint32_t row = p->flame->options.icicle ? frame->depth : p->depth - frame->depth,
		 y = HEAD + row * ROW;
	char buffer[256];
	const char *name = tl_flame_name(p->flame, frame->function, buffer, sizeof(buffer));
	struct colour colour = colour_of(p, i, name);

	tl_put_text(p->out, "<g>");
	put_title(p, i, name);
	tl_put_text(p->out, "<rect x=\"");
	put_hundredths(p->out, from + MARGIN * 100);
	tl_put_format(p->out, "\" y=\"%u\" width=\"", (unsigned)y);
	put_hundredths(p->out, to - from);
	tl_put_format(p->out, "\" height=\"%d\" fill=\"#%02x%02x%02x\"/>", ROW - 1,
		      (unsigned)colour.red, (unsigned)colour.green, (unsigned)colour.blue);
	/* 0.6 of 12 pixels a letter, 4 pixels beside the text */
	if (to - from >= 3200) {
		tl_put_text(p->out, "<text x=\"");
		put_hundredths(p->out, from + (MARGIN + 4) * 100);
		tl_put_format(p->out, "\" y=\"%u\">", (unsigned)y + 13);
		put_fitting(p->out, name, (size_t)((to - from - 800) / 720));
		tl_put_text(p->out, "</text>");
	}
	tl_put_text(p->out, "</g>\n");
}

static void count_note(void *arg, const char *text)
{
	(void)text;
	++*(uint32_t *)arg;
}

struct noting {
	const struct picture *picture;
	uint32_t y;
};

static void put_note(void *arg, const char *text)
{
	struct noting *n = arg;

	tl_put_format(n->picture->out, "<text class=\"note\" x=\"%d\" y=\"%u\">", MARGIN,
		      (unsigned)n->y);
	put_fitting(n->picture->out, text,
		    (n->picture->flame->options.width - 2 * MARGIN) * 10 / 66);
	tl_put_text(n->picture->out, "</text>\n");
	n->y += LINE;
}

static const char style[] =
	"<style>\n"
	"text { font: 12px ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace; fill: "
	"#1c1c1e }\n"
	".paper { fill: #ffffff } .head { font-size: 16px; font-weight: bold; fill: #1c1c1e }\n"
	".sub, .note { fill: #5b616b } .note { font-size: 11px }\n"
	"g:hover rect { stroke: #1c1c1e; stroke-width: 1 }\n"
	"@media (prefers-color-scheme: dark) {\n"
	".paper { fill: #17181c } .head { fill: #f2f2f4 } .sub, .note { fill: #a3a8b3 }\n"
	"g:hover rect { stroke: #ffffff } }\n"
	"</style>\n";

static void put_name(const struct picture *p)
{
	const struct tl_flame_options *options = &p->flame->options;

	if (options->name && *options->name)
		put_xml_text(p->out, options->name);
	else
		tl_put_text(p->out, "flame graph");
	if (p->flame->profile[1] && options->baseline_name && *options->baseline_name) {
		tl_put_text(p->out, " since ");
		put_xml_text(p->out, options->baseline_name);
	}
}

static void put_head(const struct picture *p)
{
	const struct tl_flame *flame = p->flame;
	const char *when = flame->options.when;

	tl_put_format(p->out,
		      "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"%u\" "
		      "height=\"%u\" viewBox=\"0 0 %u %u\" role=\"img\">\n<title>",
		      (unsigned)flame->options.width, (unsigned)p->height,
		      (unsigned)flame->options.width, (unsigned)p->height);
	put_name(p);
	tl_put_text(p->out, "</title>\n");
	tl_put_text(p->out, style);
	tl_put_text(p->out, "<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n");
	tl_put_format(p->out, "<text class=\"head\" x=\"%d\" y=\"24\">", MARGIN);
	put_name(p);
	tl_put_format(p->out, "</text>\n<text class=\"sub\" x=\"%d\" y=\"44\">", MARGIN);
	put_xml_text(p->out, tl_profile_event(flame->profile[0], flame->events[0][0])->name);
	tl_put_text(p->out, " ");
	put_cost(p, tl_profile_total(flame->profile[0])[flame->events[0][0]]);
	if (flame->profile[1] && flame->events[1][0] != TL_NONE) {
		tl_put_text(p->out, ", before ");
		put_cost(p, tl_flame_cost(flame, 1, tl_profile_total(flame->profile[1]), 0));
	}
	if (when && *when) {
		tl_put_text(p->out, " · ");
		put_xml_text(p->out, when);
	}
	tl_put_text(p->out, "</text>\n");
}

static void draw(struct picture *p)
{
	const struct tl_flame *flame = p->flame;
	struct noting noting = { .picture = p };

	sum_frames(p);
	lay_out(p);
	tl_flame_notes(flame, count_note, &p->notes);
	noting.y = HEAD + (p->depth + 1) * ROW + LINE;
	p->height = noting.y + p->notes * LINE;
	put_head(p);
	for (uint32_t i = 0; i < flame->drawn.frame_count && !tl_output_failed(p->out); i++)
		if (shown(p, i))
			put_frame(p, i);
	tl_flame_notes(flame, put_note, &noting);
	tl_put_text(p->out, "</svg>\n");
}

int tl_flame_write_svg(const struct tl_flame *flame, struct tl_output *out, struct tl_error *err)
{
	size_t count = flame->drawn.frame_count;
	int64_t *numbers = calloc(count * 6, sizeof(*numbers));
	uint64_t *calls = calloc(count, sizeof(*calls));
	struct picture p = { .flame = flame, .out = out, .calls = calls };
	bool ok = numbers && calls;

	if (ok) {
		p.self = numbers;
		p.inclusive = numbers + count;
		p.before = numbers + count * 2;
		p.at = numbers + count * 3;
		p.left = numbers + count * 4;
		draw(&p);
	}
	free(numbers);
	free(calls);
	if (!ok)
		return tl_error_memory(err);
	return 0;
}
