/* SPDX-License-Identifier: Apache-2.0 */
#include "report/name_text.h"

#include <stdbool.h>
#include <string.h>

#include "core/arithmetic.h"
#include "core/output.h"

/* What is left out of a name, in the order of what is missed least. */
enum elision { WHOLE, NO_PARAMETERS, NO_ARGUMENTS, NO_BRACKETS };

static const char dots[] = "...";

enum {
	DOTS = sizeof(dots) - 1,
	LONG_NAME = 40, /* what a table of 80 columns has for names beside a few numbers */
};

/* A reader of a name, piece by piece as it is shown. */
struct name_reader {
	const char *name;
	size_t size, at;
	enum elision elision;
	bool unbalanced; /* a bracket is not closed: nothing behind it is elided */
};

struct name_piece {
	char text[TL_SHOWN_BYTES];
	size_t columns;
};

static struct name_reader read_name(const char *name, enum elision elision)
{
	return (struct name_reader){ .name = name, .size = strlen(name), .elision = elision };
}

/* ---- brackets of C++ and Rust names ---- */

static bool of_identifier(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '$';
}

/* Whether the word `operator` ends before `at`. */
static bool behind_operator(const char *name, size_t at)
{
	static const char word[] = "operator";
	const size_t length = sizeof(word) - 1;

	return at >= length && !memcmp(name + at - length, word, length);
}

/*
 * Whether the bracket at `at` belongs to the name of an operator: operator<, operator<<,
 * operator().
 */
static bool in_operator(const char *name, size_t at)
{
	if (at && name[at] == '<' && name[at - 1] == '<')
		at--;
	return behind_operator(name, at);
}

/* Whether the name of an operator, which is no word, ends before `at`: operator<<, operator==. */
static bool behind_symbols(const char *name, size_t at)
{
	enum { MOST_SYMBOLS = 3 };
	size_t begin = at;

	while (begin && at - begin < MOST_SYMBOLS && strchr("<>=!+-*/%^&|~,()[]", name[begin - 1]))
		begin--;
	return begin < at && behind_operator(name, begin);
}

/* Whether a list of template arguments or of parameters begins: it stands behind its name. */
static bool opens(const struct name_reader *reader, size_t at)
{
	char c = reader->name[at], before;

	if (!at || (c != '<' && c != '(') || in_operator(reader->name, at))
		return false;
	before = reader->name[at - 1];
	return of_identifier(before) ||
	       (c == '(' && (strchr(">])", before) || behind_symbols(reader->name, at)));
}

/* The position behind the bracket that closes the one at `at`; 0: none does. */
static size_t behind_close(const struct name_reader *reader, size_t at)
{
	size_t depth = 0;

	for (; at < reader->size; at++) {
		char c = reader->name[at];

		if (c == '(' || c == '<')
			depth++;
		else if ((c == ')' || (c == '>' && reader->name[at - 1] != '-')) && !--depth)
			return at + 1;
	}
	return 0;
}

/* ---- pieces ---- */

/* Skip a list that is left out. False: none begins here. */
static bool skip_list(struct name_reader *reader, struct name_piece *piece)
{
	char c = reader->name[reader->at];
	size_t behind;

	if (reader->elision == WHOLE || reader->unbalanced || !opens(reader, reader->at) ||
	    (c == '<' && reader->elision < NO_ARGUMENTS))
		return false;
	behind = behind_close(reader, reader->at);
	reader->unbalanced = !behind;
	if (!behind || (reader->elision < NO_BRACKETS && behind - reader->at < 2 + DOTS))
		return false;
	reader->at = behind;
	piece->columns = 0;
	piece->text[0] = '\0';
	if (reader->elision == NO_BRACKETS)
		return true;
	piece->text[0] = c;
	memcpy(piece->text + 1, dots, DOTS);
	piece->text[1 + DOTS] = reader->name[behind - 1];
	piece->text[2 + DOTS] = '\0';
	piece->columns = 2 + DOTS;
	return true;
}

/* The next piece: a character as it is shown, or a list that is left out. False: the end. */
static bool next_piece(struct name_reader *reader, struct name_piece *piece)
{
	if (reader->at >= reader->size)
		return false;
	if (skip_list(reader, piece))
		return true;
	reader->at += tl_shown_character(reader->name + reader->at, reader->size - reader->at,
					 piece->text);
	piece->columns = 0;
	for (const char *p = piece->text; *p; p++)
		piece->columns += ((unsigned char)*p & 0xc0) != 0x80; /* UTF-8: heads only */
	return true;
}

static size_t count_columns(const char *name, enum elision elision)
{
	struct name_reader reader = read_name(name, elision);
	struct name_piece piece;
	size_t columns = 0;

	while (next_piece(&reader, &piece))
		columns += piece.columns;
	return columns;
}

size_t tl_name_columns(const char *name)
{
	return count_columns(name, WHOLE);
}

/* The first `head` and the last `tail` of a name's columns, with dots between if that is less. */
static void put_ends(struct tl_output *out, const char *name, enum elision elision, size_t columns,
		     size_t head, size_t tail)
{
	struct name_reader reader = read_name(name, elision);
	struct name_piece piece;
	bool between = false;

	for (size_t at = 0; next_piece(&reader, &piece); at += piece.columns) {
		if (at + piece.columns <= head || at + tail >= columns) {
			tl_put_text(out, piece.text);
			continue;
		}
		if (!between)
			tl_put_text(out, dots);
		between = true;
	}
}

/*
 * The least elision with which a name fits in `room` columns, and its columns; else the last one.
 */
static enum elision choose(const char *name, size_t room, size_t *columns)
{
	for (enum elision elision = WHOLE; elision < NO_BRACKETS; elision++) {
		*columns = count_columns(name, elision);
		if (*columns <= room)
			return elision;
	}
	*columns = count_columns(name, NO_BRACKETS);
	return NO_BRACKETS;
}

size_t tl_short_name_columns(const char *name, size_t room)
{
	size_t columns;

	if (room == TL_NAME_UNBOUNDED)
		return tl_name_columns(name);
	choose(name, room, &columns);
	return tl_min(columns, room);
}

void tl_put_short_name(struct tl_output *out, const char *name, size_t room)
{
	enum elision elision;
	size_t columns, head;

	if (room == TL_NAME_UNBOUNDED) {
		tl_put_shown(out, name, strlen(name));
		return;
	}
	if (room == TL_NAME_ELIDED) {
		elision = tl_min(choose(name, LONG_NAME, &columns), NO_ARGUMENTS);
		put_ends(out, name, elision, columns, SIZE_MAX, 0);
		return;
	}
	elision = choose(name, room, &columns);
	head = columns;
	if (columns > room)
		head = room > DOTS ? (room - DOTS) / 3 : 0;
	put_ends(out, name, elision, columns, head, room > DOTS + head ? room - DOTS - head : 0);
}
