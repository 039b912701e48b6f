/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SimPoint's two files and what becomes of them: lines that are good and those that are not, by the
 * format of SimPoint 3.2 ("interval cluster", "weight cluster"), the intervals that a trace has,
 * and their slices and tables. The trace is one whose intervals the test makes up. /
 */
#include <math.h>

#include "toy.h"

static struct tl_error err;
static const char *failed;

/* Interval n: instructions 100 n .. 100 n + 100 of thread 4, at snapshot n, but for n = 2. */
#define FOUND(n)                                                                                   \
	{ .interval = (n),                                                                         \
	  .first = 100 * (n),                                                                      \
	  .end = 100 * (n) + 100,                                                                  \
	  .begin = 100 * (n) - ((n) ? 30 : 0),                                                     \
	  .snapshot = (n) == 2 ? TL_NOWHERE : (n),                                                 \
	  .end_snapshot = (n) + 1,                                                                 \
	  .thread = 4,                                                                             \
	  .member = "4.hint9" }

static const struct tl_simpoint five[] = { FOUND(0), FOUND(1), FOUND(2), FOUND(3), FOUND(4) };

struct opened {
	struct toy toy;
	struct tl_input *input;
	struct tl_simpoints *points;
};

/* @return the status of reading files of these texts; NULL: no such file */
static int open_files(struct opened *o, const char *simpoints, const char *weights)
{
	static char paths[2][512];
	const char *texts[2] = { simpoints, weights };
	static const char *const names[] = { "points", "weights" };
	struct tl_simpoint_options options = { .size = sizeof(options), .interval = 100 };

	err = (struct tl_error){ .offset = TL_NOWHERE, .record = TL_NOWHERE };
	for (int i = 0; i < 2; i++)
		strcpy(paths[i], texts[i] ? temp_write(&temp, names[i], texts[i], strlen(texts[i]))
					  : temp_path(&temp, "nowhere"));
	options.simpoints = paths[0];
	options.weights = paths[1];
	return tl_input_simpoints(&o->points, o->input, &options, &failed, &err);
}

static void begin(struct opened *o, const struct tl_simpoint *found, size_t count)
{
	*o = (struct opened){ .toy = { .found = found, .found_count = count } };
	o->input = toy_input(&toy_format, &o->toy, "trace");
}

static void end(struct opened *o)
{
	tl_simpoints_close(o->points);
	tl_input_close(o->input);
}

/* ---- files that are good ---- */

struct good_case {
	const char *simpoints, *weights;
	struct {
		uint64_t interval, cluster;
		double weight;
	} points[4];
	size_t count;
};

TEST(lines_go_together_by_clusters)
{
	static const struct good_case cases[] = {
		{ "3 0\n", "1 0\n", { { 3, 0, 1 } }, 1 },
		/* in the order of intervals, whatever that of the lines is */
		{ "4 0\n1 1\n0 2\n",
		  "0.5 0\n0.25 1\n0.25 2\n",
		  { { 0, 2, 0.25 }, { 1, 1, 0.25 }, { 4, 0, 0.5 } },
		  3 },
		{ "4 0\n1 1\n0 2\n",
		  "0.25 2\n0.5 0\n0.25 1\n",
		  { { 0, 2, 0.25 }, { 1, 1, 0.25 }, { 4, 0, 0.5 } },
		  3 },
		/* clusters have any numbers; blanks, tabs and empty lines mean nothing */
		{ "\n  2\t 70 \n\t\n0   9\n\n",
		  " 0.125   9\n0.875\t70\n",
		  { { 0, 9, 0.125 }, { 2, 70, 0.875 } },
		  2 },
		/* no end of line behind the last one; ends of DOS */
		{ "1 0\r\n2 1", "0 0\r\n1 1", { { 1, 0, 0 }, { 2, 1, 1 } }, 2 },
		/* forms of numbers; weights of more digits than are kept */
		{ "01 0\n+2 1\n",
		  "1e-1 0\n.9000000000001 1\n",
		  { { 1, 0, 0.1 }, { 2, 1, 0.9 } },
		  2 },
		/* an interval that two clusters have */
		{ "3 1\n3 0\n", "0.5 0\n0.5 1\n", { { 3, 0, 0.5 }, { 3, 1, 0.5 } }, 2 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct good_case *c = &cases[i];
		struct opened o;
		struct tl_simpoint point;
		double weight, sum = 0;

		begin(&o, five, 5);
		if (open_files(&o, c->simpoints, c->weights))
			fail_msg("case %zu: %s", i, err.text);
		assert_null(failed);
		assert_int_equal(tl_simpoints_count(o.points, &weight), c->count);
		for (size_t n = 0; n < c->count; n++) {
			assert_int_equal(tl_simpoints_at(o.points, n, &point, sizeof(point)), 0);
			assert_int_equal(point.interval, c->points[n].interval);
			assert_int_equal(point.cluster, c->points[n].cluster);
			assert_true(fabs(point.weight - c->points[n].weight) <= 1e-12);
			/* what the trace says of it */
			assert_int_equal(point.first, 100 * point.interval);
			assert_int_equal(point.end, 100 * point.interval + 100);
			assert_int_equal(point.thread, 4);
			assert_string_equal(point.member, "4.hint9");
			sum += c->points[n].weight;
		}
		assert_true(fabs(weight - sum) <= 1e-12);
		assert_int_equal(tl_simpoints_at(o.points, c->count, &point, sizeof(point)),
				 TL_BAD_USAGE);
		end(&o);
	}
}

/* ---- files that are not ---- */

#define NO_POINT "not a line of SimPoint: an interval and its cluster"
#define NO_WEIGHT "not a line of SimPoint: a weight and its cluster"
#define TWICE "the cluster has a line already"
#define EMPTY "no line is in this file of SimPoint"
#define SHARE "a weight is a share, from 0 to 1"
#define OTHER_RUN "has no such cluster: do both files come from one run?"
#define NO_INTERVAL                                                                                \
	"the trace has no interval of this number: is it the trace, the thread and the "           \
	"--interval of the vectors?"

TEST(lines_that_are_wrong)
{
	enum { NONE = 99 };
	static const struct {
		const char *simpoints, *weights;
		const char *file;
		uint64_t line, offset; /* NONE: of no line */
		const char *text;
	} cases[] = {
		{ "1 0\n2\n", "1 0\n", "points", 1, 4, NO_POINT },
		{ "1 0 0\n", "1 0\n", "points", 0, 0, NO_POINT },
		{ "x 0\n", "1 0\n", "points", 0, 0, NO_POINT },
		{ "1 x\n", "1 0\n", "points", 0, 0, NO_POINT },
		{ "1 0.5\n", "1 0\n", "points", 0, 0, NO_POINT },
		{ "1 -1\n", "1 0\n", "points", 0, 0, NO_POINT },
		{ "1 9223372036854775807\n", "1 0\n", "points", 0, 0, NO_POINT },
		{ "1 0\n\n2 1\n3 0\n", "1 0\n", "points", 3, 9, TWICE },
		{ "", "1 0\n", "points", NONE, 0, EMPTY },
		{ "\n \n", "1 0\n", "points", NONE, 0, EMPTY },
		{ "1 0\n", "1 0\n1\n", "weights", 1, 4, NO_WEIGHT },
		{ "1 0\n", "1 0\n0 0\n", "weights", 1, 4, TWICE },
		{ "1 0\n", "", "weights", NONE, 0, EMPTY },
		/* an interval is whole; that is known where it has its weight */
		{ "1.5 0\n", "1 0\n", "points", 0, 0, "an interval is a number from 0 on" },
		{ "0 1\n-1 0\n", "1 0\n0 1\n", "points", 1, 4,
		  "an interval is a number from 0 on" },
		{ "1 0\n", "-0.5 0\n", "weights", 0, 0, SHARE },
		{ "1 0\n", "1.000000001 0\n", "weights", 0, 0, SHARE },
		{ "1 0\n2 1\n", "0.5 0\n7 1\n", "weights", 1, 6, SHARE },
		/* clusters of one of them */
		{ "1 0\n2 1\n", "1 0\n", "points", 1, 4, "the file of weights " OTHER_RUN },
		{ "1 0\n2 5\n3 9\n", "1 0\n1 9\n", "points", 1, 4,
		  "the file of weights " OTHER_RUN },
		{ "1 0\n", "0 0\n1 3\n", "weights", 1, 4,
		  "the file of simulation points " OTHER_RUN },
		{ "1 4\n", "0 2\n1 4\n", "weights", 0, 0,
		  "the file of simulation points " OTHER_RUN },
		/* intervals that the trace has not: the line of the largest one */
		{ "1 0\n5 1\n", "0 0\n1 1\n", "points", 1, 4, NO_INTERVAL },
		{ "5 0\n1 1\n", "0 0\n1 1\n", "points", 0, 0, NO_INTERVAL },
		{ "900 7\n1 0\n", "1 7\n0 0\n", "points", 0, 0, NO_INTERVAL },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct opened o;
		int status;

		begin(&o, five, 5);
		status = open_files(&o, cases[i].simpoints, cases[i].weights);
		if (status != TL_BAD_FORMAT || strcmp(err.text, cases[i].text) ||
		    strcmp(failed, temp_path(&temp, cases[i].file)) ||
		    err.offset != cases[i].offset ||
		    err.record != (cases[i].line == NONE ? TL_NOWHERE : cases[i].line))
			fail_msg("case %zu: status %d, %s in %s, offset %d, line %d", i, status,
				 err.text, failed, (int)err.offset, (int)err.record);
		assert_null(o.points);
		end(&o);
	}
}

/* Weights that were rounded to 1, and shares that the ninth digit makes more than it. */
TEST(a_weight_of_one_may_be_rounded)
{
	static const struct {
		const char *weights;
		int status;
	} cases[] = { { "1.0000000004 0\n", 0 },
		      { "1.000000 0\n", 0 },
		      { "0 0\n", 0 },
		      { "1.0000001 0\n", TL_BAD_FORMAT },
		      { "2 0\n", TL_BAD_FORMAT } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct opened o;

		begin(&o, five, 5);
		assert_int_equal(open_files(&o, "0 0\n", cases[i].weights), cases[i].status);
		end(&o);
	}
}

TEST(files_that_cannot_be_read)
{
	struct tl_simpoint_options options = { .size = sizeof(options) };
	struct opened o;

	begin(&o, five, 5);
	assert_int_equal(open_files(&o, NULL, "1 0\n"), TL_IO);
	assert_string_equal(failed, temp_path(&temp, "nowhere"));
	assert_int_equal(open_files(&o, "1 0\n", NULL), TL_IO);
	assert_string_equal(failed, temp_path(&temp, "nowhere"));
	/* one file is not enough, and none is none of both */
	options.simpoints = temp_path(&temp, "points");
	assert_int_equal(tl_input_simpoints(&o.points, o.input, &options, &failed, &err),
			 TL_BAD_USAGE);
	assert_null(failed);
	options.weights = options.simpoints;
	options.simpoints = NULL;
	assert_int_equal(tl_input_simpoints(&o.points, o.input, &options, &failed, &err),
			 TL_BAD_USAGE);
	options.size--;
	assert_int_equal(tl_input_simpoints(&o.points, o.input, &options, NULL, &err),
			 TL_BAD_USAGE);
	assert_null(o.points);
	end(&o);
}

TEST(traces_without_vectors)
{
	struct tl_format format = toy_format;
	struct opened o;

	begin(&o, five, 5);
	o.toy.answers[TOY_LOCATE] = TL_BAD_RECORD;
	assert_int_equal(open_files(&o, "1 0\n", "1 0\n"), TL_BAD_RECORD);
	/* of the trace, not of the files */
	assert_null(failed);
	format.locate = NULL;
	o.input->format = &format;
	assert_int_equal(open_files(&o, "1 0\n", "1 0\n"), TL_UNSUPPORTED);
	assert_string_equal(err.text, "this format has no basic-block vectors that SimPoint could "
				      "have chosen from");
	assert_string_equal(err.format, "toy");
	end(&o);
}

/* ---- in the trace ---- */

/* "a thread's part of one, of which there are as many in a row as threads executed something" */
TEST(each_thread_of_an_interval_is_a_point)
{
	static const struct tl_simpoint found[] = {
		{ .interval = 0, .thread = 4, .first = 0, .end = 60 },
		{ .interval = 0, .thread = 9, .first = 0, .end = 40 },
		{ .interval = 1, .thread = 4, .first = 60, .end = 160 },
		{ .interval = 2, .thread = 9, .first = 40, .end = 90 },
		{ .interval = 2, .thread = 4, .first = 160, .end = 210 },
		{ .interval = 2, .thread = 7, .first = 0, .end = 1 },
	};
	static const struct {
		uint64_t interval, cluster, thread, first;
	} expected[] = {
		{ 0, 5, 4, 0 }, { 0, 5, 9, 0 }, { 2, 3, 4, 160 }, { 2, 3, 7, 0 }, { 2, 3, 9, 40 }
	};
	struct opened o;
	double weight;

	begin(&o, found, 6);
	assert_int_equal(open_files(&o, "2 3\n0 5\n", "0.75 3\n0.25 5\n"), 0);
	assert_int_equal(tl_simpoints_count(o.points, &weight), 5);
	/* of an interval once, not of each thread */
	assert_true(fabs(weight - 1) <= 1e-12);
	for (size_t i = 0; i < 5; i++) {
		struct tl_simpoint point;

		assert_int_equal(tl_simpoints_at(o.points, i, &point, sizeof(point)), 0);
		assert_int_equal(point.interval, expected[i].interval);
		assert_int_equal(point.cluster, expected[i].cluster);
		assert_int_equal(point.thread, expected[i].thread);
		assert_int_equal(point.first, expected[i].first);
		assert_true(point.weight == (point.cluster == 3 ? 0.75 : 0.25));
	}
	end(&o);
}

/* ---- slices ---- */

static void assert_sliced(const struct opened *o, struct tl_slice expected)
{
	const struct tl_slice *got = &o->toy.sliced;

	assert_int_equal(got->snapshots.from, expected.snapshots.from);
	assert_int_equal(got->snapshots.to, expected.snapshots.to);
	assert_int_equal(got->instructions.from, expected.instructions.from);
	assert_int_equal(got->instructions.to, expected.instructions.to);
	assert_int_equal(got->form, expected.form);
	assert_ptr_equal(got->partner, expected.partner);
}

TEST(slices_begin_at_snapshots)
{
	static const struct tl_simpoint found[] = {
		FOUND(0),
		FOUND(1),
		FOUND(2),
		{ .interval = 3,
		  .first = 300,
		  .end = 400,
		  .begin = 290,
		  .snapshot = 8,
		  .end_snapshot = TL_NOWHERE,
		  .thread = 11 },
	};
	struct tl_output *out, *partner;
	struct opened o;

	begin(&o, found, 4);
	o.input->options.filter.thread = 77;
	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(tl_output_open_memory(&partner, NULL), 0);
	assert_int_equal(open_files(&o, "1 0\n2 1\n3 2\n", "0.5 0\n0.3 1\n0.2 2\n"), 0);
	/* from one snapshot to another, of the point's own thread */
	assert_int_equal(tl_simpoints_slice(o.points, 0, TL_SLICE_TRACE, out, partner, "a", &err),
			 0);
	assert_sliced(&o, (struct tl_slice){ .snapshots = { 1, 2 },
					     .instructions = { 0, TL_NOWHERE },
					     .partner = partner,
					     .form = TL_SLICE_TRACE });
	assert_int_equal(o.toy.sliced_thread, 4);
	assert_int_equal(o.input->options.filter.thread, 77);
	/* where none is so early, from an instruction; no program begins there */
	assert_int_equal(tl_simpoints_slice(o.points, 1, TL_SLICE_TRACE, out, NULL, "b", &err), 0);
	assert_sliced(&o, (struct tl_slice){ .snapshots = { 0, 3 },
					     .instructions = { 170, TL_NOWHERE },
					     .form = TL_SLICE_TRACE });
	assert_int_equal(tl_simpoints_slice(o.points, 1, TL_SLICE_ELF, out, NULL, "c", &err),
			 TL_UNSUPPORTED);
	assert_string_equal(err.text, "a program begins at a snapshot, and there is none so early");
	assert_int_equal(o.toy.calls[TOY_SLICE], 2);
	/* up to an instruction */
	assert_int_equal(tl_simpoints_slice(o.points, 2, TL_SLICE_ELF, out, NULL, NULL, &err), 0);
	assert_sliced(&o, (struct tl_slice){ .snapshots = { 8, TL_NOWHERE },
					     .instructions = { 0, 400 },
					     .form = TL_SLICE_ELF });
	assert_int_equal(o.toy.sliced_thread, 11);
	assert_int_equal(tl_simpoints_slice(o.points, 3, TL_SLICE_ELF, out, NULL, NULL, &err),
			 TL_BAD_USAGE);
	tl_output_discard(out);
	tl_output_discard(partner);
	end(&o);
}

/* ---- tables ---- */

static char *table_of(const struct opened *o, enum tl_report_form form)
{
	struct tl_output *out;
	const char *bytes;
	char *text;
	size_t size;

	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	assert_int_equal(tl_simpoints_table(o->points, form, out, &err), 0);
	bytes = tl_output_bytes(out, &size);
	text = strndup(bytes, size);
	tl_output_discard(out);
	return text;
}

TEST(tables_name_the_files_that_were_written)
{
	static const struct {
		enum tl_report_form form;
		const char *text;
	} cases[] = {
		{ TL_REPORT_TEXT,
		  "   cluster   interval    weight     thread          first   instructions "
		  "     before  snapshot  file\n"
		  "         3          1  0.750000          4            100            100 "
		  "         30         1  one\n"
		  "         7          2  0.250000          4            200            100 "
		  "         30         -  -\n" },
		{ TL_REPORT_CSV,
		  "cluster,interval,weight,thread,first,instructions,before,snapshot,file\n"
		  "3,1,0.75,4,100,100,30,1,one\n"
		  "7,2,0.25,4,200,100,30,,\n" },
		{ TL_REPORT_JSON,
		  "{\"simpoints\":[\n"
		  "{\"cluster\":3,\"interval\":1,\"weight\":0.75,\"thread\":4,\"first\":100,"
		  "\"instructions\":100,\"before\":30,\"snapshot\":1,\"file\":\"one\"},\n"
		  "{\"cluster\":7,\"interval\":2,\"weight\":0.25,\"thread\":4,\"first\":200,"
		  "\"instructions\":100,\"before\":30,\"snapshot\":null,\"file\":null}\n"
		  "],\"weight\":1}\n" },
	};
	struct tl_output *out;
	struct opened o;

	begin(&o, five, 5);
	assert_int_equal(open_files(&o, "1 3\n2 7\n", "0.75 3\n0.25 7\n"), 0);
	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	/* the name of the last one that was written; what failed changes nothing */
	assert_int_equal(tl_simpoints_slice(o.points, 0, TL_SLICE_TRACE, out, NULL, "zero", &err),
			 0);
	assert_int_equal(tl_simpoints_slice(o.points, 0, TL_SLICE_TRACE, out, NULL, "one", &err),
			 0);
	o.toy.answers[TOY_SLICE] = TL_IO;
	assert_int_equal(tl_simpoints_slice(o.points, 0, TL_SLICE_TRACE, out, NULL, "two", &err),
			 TL_IO);
	tl_output_discard(out);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = table_of(&o, cases[i].form);

		assert_string_equal(text, cases[i].text);
		free(text);
	}
	assert_int_equal(tl_simpoints_table(o.points, (enum tl_report_form)99, NULL, &err),
			 TL_BAD_USAGE);
	end(&o);
	tl_simpoints_close(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_go_together_by_clusters),
		cmocka_unit_test(lines_that_are_wrong),
		cmocka_unit_test(a_weight_of_one_may_be_rounded),
		cmocka_unit_test(files_that_cannot_be_read),
		cmocka_unit_test(traces_without_vectors),
		cmocka_unit_test(each_thread_of_an_interval_is_a_point),
		cmocka_unit_test(slices_begin_at_snapshots),
		cmocka_unit_test(tables_name_the_files_that_were_written),
	};

	return cmocka_run_group_tests(tests, temp_setup, temp_teardown);
}
