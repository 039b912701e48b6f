/* SPDX-License-Identifier: Apache-2.0 */
/* Calls over time on a timeline, thread by thread. */
#include "core/arithmetic.h"
#include "core/error.h"
#include "foreign/span_calls.h"
#include "timeline/timeline.h"

struct span_draw {
	const struct tl_foreign_file *file;
	struct tl_timeline *timeline;
	struct tl_foreign_filter filter;
	struct tl_foreign_window window;
	struct tl_timeline_point at;
	uint64_t base;
	uint32_t limit; /* calls inside each other that are shown */
	uint32_t depth; /* shown calls that are open */
	bool *shown;    /* of the open calls */
	size_t open, capacity;
	const struct tl_foreign_thread *thread;
	struct tl_timeline_arg *args; /* of one instant */
	size_t arg_capacity;
	bool no_memory;
};

static bool in_window(struct span_draw *d, int64_t ticks)
{
	d->at.ticks = (uint64_t)ticks + d->base;
	return d->at.ticks >= d->window.from && d->at.ticks < d->window.to;
}

static void enter(void *arg, int64_t ticks, uint32_t frame)
{
	struct span_draw *d = arg;
	const struct tl_function f = tl_foreign_function(d->file, frame);
	const bool shown = in_window(d, ticks) && d->depth < d->limit &&
			   tl_foreign_filter_accepts(&d->filter, frame);

	if (d->no_memory || !tl_grow(&d->shown, &d->capacity, d->open + 1, sizeof(*d->shown))) {
		d->no_memory = true;
		return;
	}
	d->shown[d->open++] = shown;
	if (!shown)
		return;
	d->depth++;
	tl_timeline_enter(d->timeline, &d->at, frame, f.name, f.file, f.line, NULL, 0);
}

static void leave(void *arg, int64_t ticks, bool cut)
{
	struct span_draw *d = arg;

	(void)cut;
	if (d->no_memory || !d->open || !d->shown[--d->open])
		return;
	d->depth--;
	d->at.ticks = (uint64_t)ticks + d->base;
	tl_timeline_leave(d->timeline, &d->at);
}

static struct tl_timeline_arg as_arg(const struct span_draw *d,
				     const struct tl_foreign_argument *from)
{
	const struct tl_name *names = d->file->stacks.names.names;
	struct tl_timeline_arg arg = { .name = names[from->name].text };

	switch (from->kind) {
	case TL_FOREIGN_WHOLE:
		arg.kind = TL_ARG_SIGNED;
		arg.number = (uint64_t)from->whole;
		break;
	case TL_FOREIGN_REAL:
		arg.kind = TL_ARG_REAL;
		arg.real = from->real;
		break;
	case TL_FOREIGN_TEXT:
		arg.kind = TL_ARG_TEXT;
		arg.data = names[from->text].text;
		arg.size = names[from->text].size;
		break;
	}
	return arg;
}

static void instant(void *arg, int64_t ticks, uint32_t frame, uint32_t order)
{
	struct span_draw *d = arg;
	const struct tl_foreign_argument *said;
	uint32_t count;

	if (!in_window(d, ticks))
		return;
	said = tl_foreign_payload_of(&d->file->spans, d->thread, order, &count);
	if (!tl_grow(&d->args, &d->arg_capacity, count, sizeof(*d->args))) {
		d->no_memory = true;
		return;
	}
	for (uint32_t i = 0; i < count; i++)
		d->args[i] = as_arg(d, &said[i]);
	tl_timeline_instant(d->timeline, &d->at, tl_foreign_function(d->file, frame).name, d->args,
			    count);
}

static int draw_thread(struct span_draw *d, struct tl_foreign_file *f, uint32_t number,
		       struct tl_foreign_walk *met, struct tl_error *err)
{
	const struct tl_foreign_visitor visitor = { enter, leave, NULL, instant, d };
	const struct tl_foreign_thread *t = &f->spans.threads[number];

	d->at.process = tl_max(0, t->process);
	d->at.thread = tl_max(0, t->thread);
	d->thread = t;
	d->open = d->depth = 0;
	if (t->command)
		tl_timeline_name(d->timeline, d->at.process, d->at.thread,
				 f->stacks.names.names[t->command].text);
	if (!tl_foreign_walk(&f->spans, number, &visitor, met) || d->no_memory)
		return tl_error_memory(err);
	return 0;
}

/* Before the first call of any of them: who draws as it reads names a process once. */
static void name_processes(struct span_draw *d, const struct tl_foreign_file *f)
{
	for (uint32_t i = 0; i < f->spans.count; i++) {
		const struct tl_foreign_thread *t = &f->spans.threads[i];

		if (!t->count && t->command && t->thread == TL_FOREIGN_PROCESS &&
		    tl_foreign_wants(f, (uint64_t)t->process, (uint64_t)t->thread))
			tl_timeline_name(d->timeline, t->process, -1,
					 f->stacks.names.names[t->command].text);
	}
}

static int draw_threads(struct span_draw *d, struct tl_foreign_file *f, struct tl_error *err)
{
	struct tl_foreign_walk met = { 0 };
	int status = 0;

	for (uint32_t i = 0; status == 0 && i < f->spans.count; i++) {
		const struct tl_foreign_thread *t = &f->spans.threads[i];

		if (t->count && tl_foreign_wants(f, (uint64_t)t->process, (uint64_t)t->thread))
			status = draw_thread(d, f, i, &met, err);
	}
	if (status < 0)
		return status;
	return tl_foreign_note_walk(f, &met, err);
}

/* Times before the timeline's begin are its begin. */
static void draw_counters(const struct span_draw *d, struct tl_foreign_file *f)
{
	tl_foreign_counters_sort(&f->counters);
	for (size_t i = 0; i < f->counters.value_count && !tl_timeline_failed(d->timeline); i++) {
		const struct tl_foreign_value *v = &f->counters.values[i];
		const struct tl_foreign_counter *c = &f->counters.list[v->counter];
		const struct tl_timeline_point at = {
			.process = tl_max(0, c->process),
			.thread = c->thread < 0 ? -1 : c->thread,
			.ticks = v->ticks < 0 && d->base < -(uint64_t)v->ticks
					 ? 0
					 : (uint64_t)v->ticks + d->base,
		};

		if (at.ticks < d->window.to &&
		    tl_foreign_wants(f, (uint64_t)c->process, (uint64_t)c->thread))
			tl_timeline_counter(d->timeline, &at, f->stacks.names.names[c->name].text,
					    v->value);
	}
}

int tl_foreign_timeline(struct tl_foreign_file *f, uint32_t depth, struct tl_timeline *timeline,
			struct tl_error *err)
{
	struct span_draw d = { .file = f,
			       .timeline = timeline,
			       .base = tl_foreign_base(f),
			       .limit = depth ? depth : UINT32_MAX };
	int status = tl_foreign_window(f, &d.window, err);

	if (status == 0)
		status = tl_foreign_filter_open(&d.filter, f, err);
	if (status == 0 && !tl_foreign_has_spans(f))
		status = tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE,
				     "this file holds no times, so no timeline can be made of it");
	if (status == 0)
		status = tl_timeline_begin(timeline, f->frequency, err);
	if (status == 0) {
		tl_timeline_origin(timeline, tl_foreign_origin(f));
		name_processes(&d, f);
		status = draw_threads(&d, f, err);
	}
	if (status == 0)
		draw_counters(&d, f);
	free(d.filter.verdicts);
	free(d.shown);
	free(d.args);
	return status;
}
