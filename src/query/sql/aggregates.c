/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The statements that are written again:
 *
 *   SELECT ... FROM calls [WHERE COLUMN < NUMBER AND ...] [GROUP BY COLUMN, ...] ...
 *
 * where "..." has columns of calls in aggregates or GROUP BY alone, no other function and no other
 * SELECT. count(*), sum(x), min(x) and max(x) become max("tl N"), of a column of the table of sums
 * that has the value: the greatest of one row is that row's. All else stays as it is, so that
 * HAVING, ORDER BY and LIMIT are SQLite's. What is not surely of this kind is left alone.
 */
#include "query/sql/aggregates.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/output.h"
#include "query/tables/call_columns.h"
#include "query/tables/tables.h"

enum { TOKENS = 200, NO_COLUMN = -1 };

enum token_kind {
	TOKEN_END,
	TOKEN_WORD,
	TOKEN_QUOTED, /* "a name" */
	TOKEN_INTEGER,
	TOKEN_NUMBER, /* another one */
	TOKEN_TEXT,
	TOKEN_SIGN,
};

struct token {
	enum token_kind kind;
	int column; /* of calls, that it names; NO_COLUMN: none */
	const char *at;
	size_t size;
};

struct statement {
	struct token tokens[TOKENS]; /* the last one is TOKEN_END */
	size_t count;
	size_t from;      /* the word FROM */
	size_t where_end; /* behind the condition */
	struct tl_query_aggregates *found;
	struct tl_output *out;
};

/* ---- words ---- */

static bool is_word(const struct token *token, const char *word)
{
	return token->kind == TOKEN_WORD && strlen(word) == token->size &&
	       !strncasecmp(token->at, word, token->size);
}

static bool is_sign(const struct token *token, const char *sign)
{
	return token->kind == TOKEN_SIGN && strlen(sign) == token->size &&
	       !strncmp(token->at, sign, token->size);
}

/* The columns of calls, by name. A word of SQL is none: "end" has to be in quotes. */
static int column_named(const char *name, size_t size, bool quoted)
{
	static const char *const names[TL_QUERY_CALL_COLUMNS] = {
		[TL_QUERY_CALL_ID] = "id",           [TL_QUERY_CALL_PARENT] = "parent",
		[TL_QUERY_CALL_PROCESS] = "process", [TL_QUERY_CALL_THREAD] = "thread",
		[TL_QUERY_CALL_DEPTH] = "depth",     [TL_QUERY_CALL_FUNCTION] = "function",
		[TL_QUERY_CALL_NAME] = "name",       [TL_QUERY_CALL_START] = "start",
		[TL_QUERY_CALL_END] = "end",         [TL_QUERY_CALL_DURATION] = "duration",
		[TL_QUERY_CALL_SELF] = "self",       [TL_QUERY_CALL_CUT] = "cut",
		[TL_QUERY_CALL_LATE] = "late",
	};

	for (int i = 0; i < TL_QUERY_CALL_COLUMNS; i++)
		if (strlen(names[i]) == size && !strncasecmp(names[i], name, size) &&
		    (quoted || i != TL_QUERY_CALL_END))
			return i;
	return NO_COLUMN;
}

/* ---- tokens ---- */

static bool is_in_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

/* Behind a text or a name in quotes; NULL: it does not end. */
static const char *behind_quotes(const char *at)
{
	const char quote = *at++;

	for (; *at; at++) {
		if (*at != quote)
			continue;
		if (at[1] != quote)
			return at + 1;
		at++;
	}
	return NULL;
}

static const char *take_quoted(const char *at, struct token *token)
{
	const char *end = behind_quotes(at);

	if (!end)
		return NULL;
	token->kind = *at == '"' ? TOKEN_QUOTED : TOKEN_TEXT;
	if (token->kind == TOKEN_QUOTED)
		token->column = column_named(at + 1, (size_t)(end - at) - 2, true);
	return end;
}

static const char *take_word(const char *at, struct token *token)
{
	const char *end = at;

	while (is_in_word(*end))
		end++;
	token->kind = TOKEN_WORD;
	token->column = column_named(at, (size_t)(end - at), false);
	return end;
}

/* A number that is not surely an integer of 64 bits is another one. */
static const char *take_number(const char *at, struct token *token)
{
	enum { DIGITS = 18 };
	const char *end = at + strspn(at, "0123456789");

	token->kind = end - at <= DIGITS && *end != '.' && !is_in_word(*end) ? TOKEN_INTEGER
									     : TOKEN_NUMBER;
	while (is_in_word(*end) || *end == '.')
		end++;
	return end;
}

/* Signs that are of some other kind of statement are none. */
static const char *take_sign(const char *at, struct token *token)
{
	static const char *const pairs[] = { "<=", ">=", "==", "<>", "!=", "||", "<<", ">>" };

	token->kind = TOKEN_SIGN;
	if (!strncmp(at, "--", 2) || !strncmp(at, "/*", 2))
		return NULL;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		if (!strncmp(at, pairs[i], 2))
			return at + 2;
	return strchr("(),*+-/%<>=&|~", *at) ? at + 1 : NULL;
}

static const char *take_token(const char *at, struct token *token)
{
	const char *end;

	*token = (struct token){ .kind = TOKEN_END, .column = NO_COLUMN, .at = at };
	if (!*at || *at == ';')
		return at;
	if (*at == '"' || *at == '\'')
		end = take_quoted(at, token);
	else if (isdigit((unsigned char)*at))
		end = take_number(at, token);
	else if (is_in_word(*at))
		end = take_word(at, token);
	else
		end = take_sign(at, token);
	token->size = end ? (size_t)(end - at) : 0;
	return end;
}

/* All tokens up to the end of the statement. NULL: there is something that is not known here. */
static const char *take_tokens(struct statement *s, const char *at)
{
	while (s->count < TOKENS) {
		struct token *token = &s->tokens[s->count++];

		at += strspn(at, " \t\n\f\r");
		at = take_token(at, token);
		if (!at)
			return NULL;
		if (token->kind == TOKEN_END)
			return *at ? at + 1 : at;
	}
	return NULL;
}

/* ---- what may stand there ---- */

/* Words of other kinds of statements, or of what SQLite asks a row for. */
static bool is_refused(const struct token *token)
{
	static const char *const words[] = {
		"SELECT",  "FROM",   "DISTINCT", "ALL",     "UNION",  "INTERSECT",
		"EXCEPT",  "OVER",   "FILTER",   "WINDOW",  "EXISTS", "COLLATE",
		"NOTNULL", "ISNULL", "rowid",    "_rowid_", "oid",    "IN",
		"WHERE",   "GROUP",  "MATCH",    "REGEXP",  "RAISE",  "CAST",
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (is_word(token, words[i]))
			return true;
	return false;
}

static bool is_key(const struct statement *s, int column)
{
	for (size_t i = 0; i < s->found->key_count; i++)
		if (s->found->keys[i] == column)
			return true;
	return false;
}

/* Which aggregate begins at a token: count(*) and the like, four tokens. */
static bool find_aggregate(const struct token *token, struct tl_query_aggregate *found)
{
	static const struct {
		const char *name;
		enum tl_query_aggregate_kind kind;
	} kinds[] = { { "count", TL_QUERY_COUNT },
		      { "sum", TL_QUERY_SUM },
		      { "min", TL_QUERY_MIN },
		      { "max", TL_QUERY_MAX } };
	size_t i = 0;

	while (i < sizeof(kinds) / sizeof(kinds[0]) && !is_word(token, kinds[i].name))
		i++;
	if (i == sizeof(kinds) / sizeof(kinds[0]) || !is_sign(token + 1, "(") ||
	    token[2].kind == TOKEN_END || !is_sign(token + 3, ")"))
		return false;
	*found = (struct tl_query_aggregate){ kinds[i].kind, token[2].column };
	if (found->kind == TL_QUERY_COUNT && is_sign(token + 2, "*"))
		found->kind = TL_QUERY_COUNT_ROWS;
	return found->kind == TL_QUERY_COUNT_ROWS ||
	       (found->column != NO_COLUMN && found->column != TL_QUERY_CALL_NAME);
}

/* The number of an aggregate of the statement; TL_QUERY_AGGREGATES: there is no room. */
static size_t number_of(struct tl_query_aggregates *all, const struct tl_query_aggregate *one)
{
	size_t i = 0;

	while (i < all->count &&
	       (all->list[i].kind != one->kind || all->list[i].column != one->column))
		i++;
	if (i == all->count && i < TL_QUERY_AGGREGATES)
		all->list[all->count++] = *one;
	return i;
}

/* ---- the condition and the groups ---- */

/* A number, with a sign or without; *at moves behind it. */
static bool take_integer(const struct statement *s, size_t *at)
{
	*at += is_sign(&s->tokens[*at], "-");
	return s->tokens[(*at)++].kind == TOKEN_INTEGER;
}

static bool is_comparison(const struct token *token)
{
	return is_sign(token, "=") || is_sign(token, "==") || is_sign(token, "<") ||
	       is_sign(token, "<=") || is_sign(token, ">") || is_sign(token, ">=");
}

/* COLUMN < NUMBER, or COLUMN BETWEEN NUMBER AND NUMBER */
static bool take_comparison(const struct statement *s, size_t *at)
{
	const struct token *token = &s->tokens[*at];

	if (token->column == NO_COLUMN || token->column == TL_QUERY_CALL_NAME)
		return false;
	*at += 2;
	if (is_comparison(token + 1))
		return take_integer(s, at);
	return is_word(token + 1, "BETWEEN") && take_integer(s, at) &&
	       is_word(&s->tokens[(*at)++], "AND") && take_integer(s, at);
}

static bool take_where(const struct statement *s, size_t *at)
{
	if (!is_word(&s->tokens[*at], "WHERE"))
		return true;
	do {
		++*at;
		if (!take_comparison(s, at))
			return false;
	} while (is_word(&s->tokens[*at], "AND"));
	return true;
}

static bool take_groups(struct statement *s, size_t *at)
{
	struct tl_query_aggregates *found = s->found;

	if (!is_word(&s->tokens[*at], "GROUP"))
		return true;
	if (!is_word(&s->tokens[++*at], "BY"))
		return false;
	do {
		const int column = s->tokens[++*at].column;

		if (column == NO_COLUMN || found->key_count == TL_QUERY_GROUP_COLUMNS ||
		    !(tl_query_calls.uses[column] & TL_QUERY_GROUP) || is_key(s, column))
			return false;
		found->keys[found->key_count++] = column;
	} while (is_sign(&s->tokens[++*at], ","));
	return true;
}

static bool is_tail(const struct token *token)
{
	return token->kind == TOKEN_END || is_word(token, "HAVING") || is_word(token, "ORDER") ||
	       is_word(token, "LIMIT");
}

/* SELECT ... FROM calls, and what follows it. */
static bool take_clauses(struct statement *s)
{
	size_t at = 1;

	if (!is_word(&s->tokens[0], "SELECT"))
		return false;
	while (s->tokens[at].kind != TOKEN_END && !is_word(&s->tokens[at], "FROM"))
		at++;
	s->from = at++;
	if (s->tokens[s->from].kind == TOKEN_END || !is_word(&s->tokens[at++], "calls") ||
	    !take_where(s, &at))
		return false;
	s->where_end = at;
	return take_groups(s, &at) && is_tail(&s->tokens[at]);
}

/* ---- writing ---- */

static bool may_follow(const struct statement *s, const struct token *token)
{
	const struct token *before = token - 1;

	/* All columns; a function of any other kind. */
	if (is_sign(token, "*") && !is_sign(before, ")") && before->kind != TOKEN_INTEGER &&
	    !is_key(s, before->column))
		return false;
	if (is_sign(token, "(") && before->kind != TOKEN_SIGN)
		return false;
	if (token->kind == TOKEN_QUOTED && token->column == NO_COLUMN && !is_word(before, "AS"))
		return false;
	return !is_refused(token) && (token->column == NO_COLUMN || is_key(s, token->column));
}

/* What stands there, with the blanks before it. */
static void put(const struct statement *s, const struct token *token)
{
	const char *from = token == s->tokens ? token->at : token[-1].at + token[-1].size;

	tl_put_bytes(s->out, from, (size_t)(token->at + token->size - from));
}

/* Without a row there is no sum, but a count of 0: SQLite sees that some conditions never hold. */
static void put_sum(const struct statement *s, const struct tl_query_aggregate *one, size_t number)
{
	const bool counts = one->kind == TL_QUERY_COUNT || one->kind == TL_QUERY_COUNT_ROWS;

	tl_put_text(s->out, counts ? " ifnull(max(" : " max(");
	tl_put_format(s->out, "\"" TL_QUERY_SUM_COLUMN "%zu\")", number);
	tl_put_text(s->out, counts ? ", 0)" : "");
}

/* Tokens as they are, and aggregates as columns of sums. False: something may not stand there. */
static bool put_tokens(const struct statement *s, size_t at, size_t end, bool *aggregates)
{
	while (at < end) {
		const struct token *token = &s->tokens[at];
		struct tl_query_aggregate one;
		size_t number;

		if (!find_aggregate(token, &one)) {
			if (!may_follow(s, token))
				return false;
			put(s, token);
			at++;
			continue;
		}
		number = number_of(s->found, &one);
		if (number == TL_QUERY_AGGREGATES)
			return false;
		put_sum(s, &one, number);
		*aggregates = true;
		at += 4;
	}
	return true;
}

/* Whether a column of the answer has a name of its own. */
static bool is_named(const struct statement *s, size_t begin, size_t end)
{
	const struct token *last = &s->tokens[end - 1], *before = last - 1;

	if (end - begin < 2)
		return false;
	if (is_word(before, "AS"))
		return true;
	if (last->kind != TOKEN_WORD && last->kind != TOKEN_QUOTED && last->kind != TOKEN_TEXT)
		return false;
	return !is_word(last, "END") &&
	       (before->kind != TOKEN_SIGN ? before->kind != TOKEN_WORD || before->column >= 0
					   : is_sign(before, ")"));
}

/* A column of the answer has the name that SQLite gives it: its text. */
static void put_name(const struct statement *s, size_t begin, size_t end)
{
	const char *at = s->tokens[begin].at;
	const char *stop = s->tokens[end - 1].at + s->tokens[end - 1].size;

	tl_put_text(s->out, " AS \"");
	for (; at < stop; at++) {
		if (*at == '"')
			tl_put_char(s->out, '"');
		tl_put_char(s->out, *at);
	}
	tl_put_char(s->out, '"');
}

/* The end of the column of the answer that begins here. */
static size_t item_end(const struct statement *s, size_t at)
{
	int depth = 0;

	for (; at < s->from; at++) {
		if (is_sign(&s->tokens[at], ",") && !depth)
			break;
		depth += is_sign(&s->tokens[at], "(") - is_sign(&s->tokens[at], ")");
	}
	return at;
}

static bool put_answer(const struct statement *s, bool *aggregates)
{
	put(s, &s->tokens[0]);
	for (size_t at = 1, end; at < s->from; at = end + 1) {
		bool here = false;

		end = item_end(s, at);
		if (end == at || !put_tokens(s, at, end, &here))
			return false;
		if (here && !is_named(s, at, end))
			put_name(s, at, end);
		if (end + 1 == s->from)
			return false;
		if (end < s->from)
			put(s, &s->tokens[end]);
		*aggregates |= here;
	}
	return true;
}

static bool put_statement(const struct statement *s)
{
	const size_t end = s->count - 1;
	size_t at = s->where_end;
	bool aggregates = false;

	if (!put_answer(s, &aggregates))
		return false;
	tl_put_text(s->out, " FROM \"" TL_QUERY_SUMS_NAME "\"");
	for (size_t i = s->from + 2; i < s->where_end; i++)
		put(s, &s->tokens[i]);
	for (; at < end && !is_tail(&s->tokens[at]); at++)
		put(s, &s->tokens[at]);
	return put_tokens(s, at, end, &aggregates) && (aggregates || s->found->key_count);
}

char *tl_query_aggregates_rewrite(const char *sql, struct tl_query_aggregates *aggregates,
				  const char **behind)
{
	struct statement s = { .found = aggregates };
	char *text = NULL;
	size_t size;

	*aggregates = (struct tl_query_aggregates){ .count = 0 };
	*behind = take_tokens(&s, sql);
	if (!*behind || !take_clauses(&s) || tl_output_open_memory(&s.out, NULL) < 0)
		return NULL;
	if (put_statement(&s) && tl_output_finish(s.out, NULL) == 0) {
		const char *bytes = tl_output_bytes(s.out, &size);

		text = strndup(bytes, size);
	}
	tl_output_discard(s.out);
	return text;
}
