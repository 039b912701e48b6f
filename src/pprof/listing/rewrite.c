/* SPDX-License-Identifier: Apache-2.0 */
#include "pprof/listing/rewrite.h"

#include "core/error.h"

/* 1: the sample that the cursor is at is written; 0: it is left out; or negative. */
static int is_written(struct tl_pprof_samples *samples, const struct tl_pprof_filter *filter,
		      struct tl_cursor cur, struct tl_error *err)
{
	struct tl_pprof_thread thread;
	int status;

	samples->cur = cur;
	status = tl_pprof_samples_next(samples, err);
	if (status != 1)
		return status;
	thread = tl_pprof_thread_of(samples->p, &samples->sample);
	return tl_pprof_is_wanted(samples->p, filter, &samples->sample, &thread);
}

static int rewrite(struct tl_pprof_samples *samples, const struct tl_pprof_filter *filter,
		   void (*put)(void *arg, const void *data, size_t size), void *arg,
		   struct tl_error *err)
{
	struct tl_cursor cur = tl_cursor_over(samples->p->data, samples->p->size);
	struct tl_wire_field field;
	const char *why;

	while (tl_wire_next(&cur, &field, &why) == 1) {
		int status = 1;

		if (field.number == TL_PPROF_SAMPLE && field.type == TL_WIRE_BYTES)
			status = is_written(samples, filter,
					    (struct tl_cursor){ field.start, cur.pos, cur.base },
					    err);
		if (status < 0)
			return status;
		if (status)
			put(arg, field.start, (size_t)(cur.pos - field.start));
	}
	return 0;
}

int tl_pprof_rewrite(struct tl_pprof_file *p, const struct tl_pprof_fold_options *options,
		     void (*put)(void *arg, const void *data, size_t size), void *arg,
		     struct tl_error *err)
{
	struct tl_pprof_samples samples;
	struct tl_pprof_filter filter;
	int status = tl_pprof_filter_begin(&filter, options->labels, options->label_count, err);

	filter.thread = options->thread;
	filter.process = options->process;
	tl_pprof_samples_begin(&samples, p);
	if (status == 0)
		status = rewrite(&samples, &filter, put, arg, err);
	tl_pprof_samples_end(&samples);
	tl_pprof_filter_end(&filter);
	return tl_error_format(err, "pprof", status);
}
