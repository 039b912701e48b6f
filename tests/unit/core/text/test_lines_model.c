/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines of drawn texts, against the text cut by a plain loop. The texts come out of gzip, whose few
 * bytes make the buffer a small one, so that lines cross its end and are longer than it.
 */
#include <stdlib.h>
#include <string.h>

#include "../../chance.h"
#include "../../unit.h"

#include "../../temp.h"
#include "../packers.h"

#include "core/text/lines.h"

enum { MOST_TEXT = 60000, LINES = 400, ROUNDS = 150 };

struct wanted_line {
	size_t start, stop, next;
	bool ended;
};

struct drawn {
	char *text;
	size_t size, count;
	struct wanted_line lines[LINES];
};

/* Lines of lengths on both sides of the buffer's, few bytes of each kind so that they compress. */
static void draw(struct drawn *d, uint32_t *seed)
{
	static const unsigned lengths[] = { 0, 1, 2, 80, 1000, 1024, 1100, 2100, 5000 };
	const unsigned count = chance(seed, LINES);

	d->size = 0;
	for (unsigned i = 0; i < count && d->size < MOST_TEXT - 6000; i++) {
		unsigned length = lengths[chance(seed, chance(seed, 4) ? 4 : 9)];

		if (length > 1)
			length += chance(seed, 3);
		memset(d->text + d->size, "ab\t\r"[chance(seed, 4)], length);
		d->size += length;
		/* some end as they do elsewhere */
		for (unsigned more = chance(seed, 12); more > 9; more--)
			d->text[d->size++] = '\r';
		if (i + 1 < count || chance(seed, 2))
			d->text[d->size++] = '\n';
	}
}

/* Byte by byte; "CRLF: accept" takes all of them from the end. */
static void cut_plainly(struct drawn *d)
{
	d->count = 0;
	for (size_t at = 0; at < d->size; d->count++) {
		struct wanted_line *line = &d->lines[d->count];

		line->start = at;
		while (at < d->size && d->text[at] != '\n')
			at++;
		line->stop = at;
		while (line->stop > line->start && d->text[line->stop - 1] == '\r')
			line->stop--;
		line->ended = at < d->size;
		at += line->ended;
		line->next = at;
	}
}

struct reading {
	struct tl_source *source;
	struct tl_lines lines;
	struct packed packed;
};

static void begin(struct reading *r, const struct drawn *d, bool packed)
{
	*r = (struct reading){ .source = NULL };
	if (packed)
		r->packed = pack_gzip((const uint8_t *)d->text, d->size);
	assert_int_equal(tl_source_open_memory(&r->source,
					       packed ? (void *)r->packed.data : d->text,
					       packed ? r->packed.size : d->size, "text", NULL),
			 0);
	assert_true(tl_lines_begin(&r->lines, r->source));
}

static void end(struct reading *r)
{
	tl_lines_end(&r->lines);
	tl_source_close(r->source);
	free(r->packed.data);
}

static void assert_line(const struct reading *r, const struct drawn *d, size_t number)
{
	const struct wanted_line *line = &d->lines[number];

	assert_int_equal(r->lines.number, number + 1);
	assert_int_equal(tl_lines_offset(&r->lines), line->start);
	assert_int_equal(tl_lines_passed(&r->lines), line->next);
	assert_int_equal(r->lines.stop - r->lines.start, line->stop - line->start);
	assert_memory_equal(r->lines.start, d->text + line->start, line->stop - line->start);
	assert_int_equal(r->lines.unended, !line->ended);
	assert_int_equal(r->lines.too_long, 0);
	/* numbers and names are read without a bound */
	assert_true(*r->lines.stop == '\n' || *r->lines.stop == '\r');
	for (int i = 0; i < TL_LINES_SLACK; i++)
		assert_true(*(volatile const uint8_t *)(r->lines.stop + i) <= 0xff);
}

/* Lines one by one, some of them twice: "Make the next call give the present line again." */
TEST(drawn_texts_are_cut_into_lines)
{
	struct drawn d = { .text = malloc(MOST_TEXT) };
	uint32_t seed = 1;

	assert_non_null(d.text);
	for (unsigned round = 0; round < ROUNDS; round++) {
		draw(&d, &seed);
		cut_plainly(&d);
		for (int packed = 0; packed < 2; packed++) {
			struct reading r;

			begin(&r, &d, packed);
			for (size_t i = 0; i < d.count; i++) {
				assert_int_equal(tl_lines_next(&r.lines, NULL), 1);
				assert_line(&r, &d, i);
				if (chance(&seed, 5))
					continue;
				/* as a reader that has passed some bytes of the line */
				if (r.lines.stop > r.lines.start)
					r.lines.start++;
				tl_lines_again(&r.lines);
				assert_int_equal(tl_lines_next(&r.lines, NULL), 1);
				assert_line(&r, &d, i);
			}
			assert_int_equal(tl_lines_next(&r.lines, NULL), 0);
			assert_int_equal(tl_lines_next(&r.lines, NULL), 0);
			end(&r);
		}
	}
	free(d.text);
}

/* "Replace control characters of the present line, from `from` on, by blanks." */
TEST(control_characters_of_drawn_lines)
{
	uint32_t seed = 2;

	for (unsigned round = 0; round < 2000; round++) {
		char text[64];
		struct drawn d = { .text = text, .size = 1 + chance(&seed, 63) };
		const size_t from = chance(&seed, (unsigned)d.size);
		struct reading r;

		for (size_t i = 0; i < d.size; i++)
			text[i] = (char)chance(&seed, chance(&seed, 2) ? 40 : 256);
		/* one line of them all */
		for (size_t i = 0; i < d.size; i++)
			text[i] = text[i] == '\n' || text[i] == '\r' ? '\t' : text[i];
		/* what looks packed is not what this is about */
		text[0] = 'x';
		begin(&r, &d, false);
		assert_int_equal(tl_lines_next(&r.lines, NULL), 1);
		tl_lines_blank(&r.lines, r.lines.start + from);
		for (size_t i = 0; i < d.size; i++) {
			const bool control = (unsigned char)text[i] < ' ' && i >= from;

			assert_int_equal(r.lines.start[i], (uint8_t)(control ? ' ' : text[i]));
		}
		end(&r);
	}
}

/* A source that fails in the middle gives the lines before, and then its own status. */
TEST(lines_before_damage_are_given)
{
	uint32_t seed = 3;

	for (unsigned round = 0; round < 60; round++) {
		struct drawn d = { .text = malloc(MOST_TEXT) };
		struct reading r;
		size_t lines = 0;
		int status;

		assert_non_null(d.text);
		do
			draw(&d, &seed);
		while (d.size < 10000);
		cut_plainly(&d);
		begin(&r, &d, true);
		end(&r);
		/* the stream ends early: what was expanded is delivered, the rest is a fault */
		begin(&r, &d, true);
		tl_lines_end(&r.lines);
		tl_source_close(r.source);
		assert_int_equal(tl_source_open_memory(&r.source, r.packed.data,
						       r.packed.size - 9 - chance(&seed, 20), "cut",
						       NULL),
				 0);
		assert_true(tl_lines_begin(&r.lines, r.source));
		while ((status = tl_lines_next(&r.lines, NULL)) == 1) {
			const struct wanted_line *line = &d.lines[lines];

			if (!r.lines.unended) {
				assert_line(&r, &d, lines);
			} else {
				assert_true(tl_lines_passed(&r.lines) <= line->next);
				assert_memory_equal(r.lines.start, d.text + line->start,
						    (size_t)(r.lines.stop - r.lines.start));
			}
			lines++;
		}
		assert_int_equal(status, 0);
		assert_true(lines <= d.count);
		assert_non_null(tl_source_fault(r.source));
		end(&r);
		free(d.text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(drawn_texts_are_cut_into_lines),
		cmocka_unit_test(control_characters_of_drawn_lines),
		cmocka_unit_test(lines_before_damage_are_given),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
