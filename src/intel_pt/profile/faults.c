/* SPDX-License-Identifier: Apache-2.0 */
#include "intel_pt/profile/faults.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/arithmetic.h"
#include "core/memory.h"
#include "core/text/optional.h"

/* Unmapped addresses within this distance are one fault, as those of one file. */
enum { NEAR = 1 << 20 };

static bool near_to(uint64_t begin, uint64_t end)
{
	return begin <= end || begin - end <= NEAR;
}

static bool is_same(const struct tl_pt_lost *have, const struct tl_pt_lost *wanted)
{
	if (have->why != TL_PT_NOMAP)
		return false;
	if (*have->object || *wanted->object)
		return !strcmp(have->object, wanted->object);
	return near_to(wanted->start, have->end) && near_to(have->start, wanted->end);
}

/* The fault of an object, or of near unmapped addresses; missing code is listed once. */
static struct tl_pt_lost *find_missing(struct tl_pt_faults *f, const struct tl_pt_lost *wanted)
{
	for (size_t i = 0; i < f->listed; i++) {
		struct tl_pt_lost *have = &f->list[i];

		if (!is_same(have, wanted))
			continue;
		if (wanted->start < have->start)
			have->start = wanted->start;
		if (wanted->end > have->end)
			have->end = wanted->end;
		return have;
	}
	return NULL;
}

bool tl_pt_fault_add(struct tl_pt_faults *f, const struct tl_pt_lost *lost,
		     const struct tl_pt_mapping *mapping)
{
	uint64_t bytes = tl_excess(lost->to, lost->from);
	struct tl_pt_lost *have = NULL, made = *lost;

	made.object = mapping ? mapping->object : "";
	made.start = made.end = lost->ip;
	if (lost->why == TL_PT_NOMAP)
		have = find_missing(f, &made);
	f->skipped_bytes += bytes;
	if (have) {
		have->places++;
		have->bytes += bytes;
		return true;
	}
	f->count++;
	if (f->listed == TL_PT_FAULTS_LISTED)
		return true;
	if (!tl_grow(&f->list, &f->capacity, f->listed + 1, sizeof(*f->list)))
		return false;
	made.places = 1;
	made.bytes = bytes;
	made.reason = mapping ? mapping->why : NULL;
	made.text = NULL;
	f->list[f->listed++] = made;
	return true;
}

bool tl_pt_fault_add_event(struct tl_pt_faults *f, const struct tl_pt_feed *feed,
			   const struct tl_pt_trace_slice *slice, const struct tl_pt_event *event)
{
	const struct tl_pt_lost lost = {
		.why = event->lost.why,
		.from = slice->base + event->lost.from,
		.to = slice->base + event->lost.to,
		.ip = event->lost.at,
	};
	struct tl_pt_mapping mapping;
	bool known = feed->mapping(feed->arg, event->lost.at, &mapping);

	return tl_pt_fault_add(f, &lost, known ? &mapping : NULL);
}

bool tl_pt_fault_add_text(struct tl_pt_faults *f, char *text)
{
	bool known = false;

	for (size_t i = 0; text && !known && i < f->listed; i++)
		known = f->list[i].is_text && !strcmp(f->list[i].text, text);
	if (!text || known || f->listed == TL_PT_FAULTS_LISTED) {
		f->count += text && !known;
		free(text);
		return text != NULL;
	}
	if (!tl_grow(&f->list, &f->capacity, f->listed + 1, sizeof(*f->list))) {
		free(text);
		return false;
	}
	f->count++;
	f->list[f->listed++] = (struct tl_pt_lost){ .why = TL_PT_BAD_FILE,
						    .from = TL_NOWHERE,
						    .object = "",
						    .text = text,
						    .is_text = true };
	return true;
}

static int format_missing(struct tl_pt_lost *lost)
{
	return asprintf(&lost->text,
			"no code at 0x%" PRIx64 "%s%s (%s): %" PRIu64 " time%s, %" PRIu64
			" bytes of trace without flow; went on behind them",
			lost->ip, tl_text_if(*lost->object, " of "), lost->object,
			lost->reason ? lost->reason : "give it with --binary or --raw",
			lost->places, lost->places == 1 ? "" : "s", lost->bytes);
}

const char *tl_pt_fault_text(struct tl_pt_lost *lost)
{
	int made;

	if (lost->is_text)
		return lost->text;
	free(lost->text);
	if (lost->why == TL_PT_NOMAP)
		made = format_missing(lost);
	else
		made = asprintf(&lost->text,
				"%s; %" PRIu64 " bytes of trace gave no flow, went on behind them",
				tl_pt_error_text(lost->why), lost->bytes);
	if (made < 0)
		lost->text = NULL;
	return lost->text ? lost->text : tl_pt_error_text(lost->why);
}

void tl_pt_faults_free(struct tl_pt_faults *f)
{
	for (size_t i = 0; i < f->listed; i++)
		free(f->list[i].text);
	free(f->list);
}
