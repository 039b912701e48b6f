/* SPDX-License-Identifier: Apache-2.0 */
/* ask TRACE SQL: the rows of a statement (docs/query.md), with tabs in between; Ctrl-C ends it. */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>

#include <tracelathe/query.h>

static struct tl_query *asked; /* for the handler */

static void interrupt(int number)
{
	(void)number;
	tl_query_interrupt(asked);
}

static void print_row(const struct tl_query *query)
{
	struct tl_query_value value;

	for (size_t i = 0; i < tl_query_column_count(query); i++) {
		tl_query_column(query, i, &value, sizeof(value));
		if (i)
			putchar('\t');
		if (value.type == TL_QUERY_INTEGER)
			printf("%" PRId64, value.integer);
		else if (value.type == TL_QUERY_REAL)
			printf("%.17g", value.real);
		else if (value.type == TL_QUERY_TEXT)
			fwrite(value.text, 1, value.size, stdout);
	}
	putchar('\n');
}

static int ask(struct tl_query *query, const char *sql, struct tl_error *err)
{
	int status = tl_query_start(query, sql, NULL, err);

	while (status > 0 && (status = tl_query_next(query, err)) > 0)
		print_row(query);
	return status;
}

int main(int argc, char **argv)
{
	const char *path = argc > 1 ? argv[1] : "";
	struct tl_error err;
	int status;

	if (argc != 3) {
		fprintf(stderr, "ask TRACE SQL\n");
		return 2;
	}
	status = tl_query_open(&asked, &err);
	if (status < 0) {
		fprintf(stderr, "%s\n", err.text);
		return 2;
	}
	signal(SIGINT, interrupt);
	status = tl_query_add(asked, &path, 1, NULL, NULL, &err);
	if (status == 0)
		status = ask(asked, argv[2], &err);
	if (status < 0)
		fprintf(stderr, "%s: %s\n", path, tl_query_message(asked));
	/* What is damaged was left out, and the rows are those of the rest. */
	else if (tl_input_damage_count(tl_query_input(asked, 0), NULL))
		status = 1;
	signal(SIGINT, SIG_DFL);
	tl_query_close(asked);
	return status < 0 ? 2 : status;
}
