/* SPDX-License-Identifier: Apache-2.0 */
#include "foreign/foreign.h"

#include <inttypes.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/facts.h"

bool tl_foreign_begin(struct tl_foreign_file *f, const struct tl_foreign_reader *reader,
		      const struct tl_foreign_options *options)
{
	*f = (struct tl_foreign_file){ .options = *options, .unit = "" };
	f->faults.format = reader->format;
	return tl_foreign_stacks_begin(&f->stacks);
}

void tl_foreign_end(struct tl_foreign_file *f)
{
	tl_foreign_faults_free(&f->faults);
	tl_foreign_stacks_free(&f->stacks);
	tl_foreign_spans_free(&f->spans);
	tl_foreign_counters_free(&f->counters);
}

void tl_foreign_tell(struct tl_foreign_file *f, const char *name, uint64_t value)
{
	if (f->fact_count < TL_FOREIGN_FACTS)
		f->facts[f->fact_count++] = (struct tl_foreign_fact){ name, value };
}

bool tl_foreign_wants(const struct tl_foreign_file *f, uint64_t process, uint64_t thread)
{
	return (f->options.process == TL_NOWHERE || f->options.process == process) &&
	       (f->options.thread == TL_NOWHERE || f->options.thread == thread);
}

/* ---- times ---- */

static int64_t least_ticks(const struct tl_foreign_file *f)
{
	int64_t least = INT64_MAX;

	for (size_t i = 0; i < f->spans.count; i++) {
		const struct tl_foreign_thread *t = &f->spans.threads[i];

		for (size_t n = 0; n < t->count; n++)
			least = tl_min(t->spans[n].ticks, least);
	}
	return least;
}

uint64_t tl_foreign_base(const struct tl_foreign_file *f)
{
	const int64_t least = least_ticks(f);

	return least < 0 ? -(uint64_t)least : 0;
}

uint64_t tl_foreign_origin(const struct tl_foreign_file *f)
{
	const int64_t least = least_ticks(f);

	return least < 0 || least == INT64_MAX ? 0 : (uint64_t)least;
}

int tl_foreign_note_walk(struct tl_foreign_file *f, const struct tl_foreign_walk *met,
			 struct tl_error *err)
{
	int status = 0;

	if (met->overlaps)
		status = tl_foreign_say(&f->faults, TL_BAD_RECORD, "nesting", err,
					"%" PRIu64 " calls end behind the calls around them: they "
					"were taken to end with these",
					met->overlaps);
	if (status == 0 && met->orphans)
		status = tl_foreign_say(&f->faults, TL_BAD_RECORD, "nesting", err,
					"%" PRIu64 " ends of calls have no begin: left out",
					met->orphans);
	return status;
}

static const char *text_of(const struct tl_foreign_file *f, uint32_t name)
{
	return f->stacks.names.names[name].text;
}

int tl_foreign_note_costs(struct tl_foreign_file *f, struct tl_error *err)
{
	static const char *const parts[] = { "", "1000", "1000000", "1000000000" };
	const struct tl_foreign_stacks *s = &f->stacks;
	int status = 0;

	for (size_t i = 0; status == 0 && i < s->event_count; i++)
		if (s->events[i].places)
			status = tl_foreign_say(&f->faults, TL_OK, "count", err,
						"some costs of %s have decimals: all are counted "
						"in 1/%s of it",
						text_of(f, s->events[i].name),
						parts[s->events[i].places / 3]);
	if (status == 0 && s->rounded)
		status = tl_foreign_say(&f->faults, TL_BAD_RECORD, "count", err,
					"%" PRIu64 " costs have more decimals or digits than are "
					"kept: they were rounded",
					s->rounded);
	return status;
}

/* ---- functions ---- */

struct tl_function tl_foreign_function(const struct tl_foreign_file *f, uint32_t frame)
{
	const struct tl_foreign_frame *have = &f->stacks.frames[frame];

	return (struct tl_function){
		.name = have->name ? text_of(f, have->name) : "???",
		.object = text_of(f, have->object),
		.file = text_of(f, have->file),
		.line = have->line,
		.id = TL_NOWHERE,
	};
}

/* ---- info ---- */

static void describe_events(struct tl_facts *facts, const struct tl_foreign_file *f)
{
	if (!f->stacks.event_count)
		return;
	tl_facts_list(facts, "events");
	for (size_t i = 0; i < f->stacks.event_count; i++) {
		tl_facts_item(facts);
		tl_fact_text(facts, "name", text_of(f, f->stacks.events[i].name));
		tl_fact_text(facts, "unit", text_of(f, f->stacks.events[i].unit));
		tl_facts_close(facts);
	}
	tl_facts_close_list(facts);
}

static void describe_spans(struct tl_facts *facts, const struct tl_foreign_file *f)
{
	uint64_t threads = 0, base = tl_foreign_base(f), first = tl_foreign_origin(f), last = 0;

	for (size_t i = 0; i < f->spans.count; i++) {
		const struct tl_foreign_thread *t = &f->spans.threads[i];

		threads += t->count != 0;
		for (size_t n = 0; n < t->count; n++) {
			uint64_t end = (uint64_t)t->spans[n].ticks + base;

			if (t->spans[n].duration < TL_FOREIGN_INSTANT)
				end += t->spans[n].duration;
			last = tl_max(end, last);
		}
	}
	if (!threads)
		return;
	tl_fact_u64(facts, "threads", threads);
	if (f->frequency)
		tl_fact_double(facts, "seconds", (double)(last - first) / (double)f->frequency);
}

void tl_foreign_describe(const struct tl_foreign_file *f, bool json, struct tl_output *out)
{
	struct tl_facts facts;

	tl_facts_begin(&facts, out, json);
	tl_fact_text(&facts, "format", f->faults.format);
	for (unsigned i = 0; i < f->fact_count; i++)
		tl_fact_u64(&facts, f->facts[i].name, f->facts[i].value);
	tl_fact_u64(&facts, "functions", f->stacks.frame_count);
	if (f->stacks.part_count)
		tl_fact_u64(&facts, "parts", f->stacks.part_count);
	describe_events(&facts, f);
	describe_spans(&facts, f);
	tl_fact_u64(&facts, "damaged", f->faults.count);
	tl_fact_u64(&facts, "skipped_bytes", f->faults.skipped_bytes);
	tl_facts_end(&facts);
}
