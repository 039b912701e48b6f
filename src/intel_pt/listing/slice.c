/* SPDX-License-Identifier: Apache-2.0 */
#include "intel_pt/listing/slice.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/output.h"
#include "intel_pt/blocks/unsized.h"
#include "intel_pt/flow/clock.h"
#include "intel_pt/listing/scan.h"

uint64_t tl_pt_psb_behind(const struct tl_pt_config *config, uint64_t offset)
{
	uint64_t found;

	return tl_pt_find_psbs(config, offset, &found, 1) ? found
							  : (uint64_t)(config->end - config->begin);
}

/* ---- by time ---- */

/* The time in a PSB+ holds from its PSB on. */
struct cut {
	struct tl_pt_byte_range part;
	uint64_t from, to, psb;
	bool begun, ended, inside;
};

static void cut_at(struct cut *cut, uint64_t tsc)
{
	if (tsc <= cut->from || !cut->begun) {
		cut->part.from = cut->psb;
		cut->begun = true;
	}
	if (!cut->ended && cut->to && tsc >= cut->to && cut->psb > cut->part.from) {
		cut->part.to = cut->psb;
		cut->ended = true;
	}
}

int tl_pt_slice_time(const struct tl_pt_config *config, uint64_t from_ticks, uint64_t to_ticks,
		     struct tl_pt_byte_range *part, struct tl_error *err)
{
	struct cut cut = { .part.to = (uint64_t)(config->end - config->begin),
			   .from = from_ticks,
			   .to = to_ticks };
	struct tl_pt_packet packet;
	struct tl_pt_scan scan;
	struct tl_pt_clock time;
	int status = tl_pt_scan_open(&scan, config, NULL, err);

	if (status < 0)
		return status;
	tl_pt_clock_reset(&time);
	while (!cut.ended && (status = tl_pt_scan_next(&scan, &packet, err)) == 1) {
		tl_pt_clock_packet(&time, &packet, config);
		if (packet.kind == TL_PT_PKT_PSB) {
			cut.inside = true;
			cut.psb = scan.offset;
		} else if (cut.inside &&
			   (packet.kind == TL_PT_PKT_PSBEND || packet.kind == TL_PT_PKT_OVF)) {
			cut.inside = false;
			cut_at(&cut, time.have_tsc ? time.tsc : 0);
		}
	}
	tl_pt_scan_close(&scan);
	*part = cut.part;
	return tl_error_or_end(status);
}

enum { PACKETS_SEARCHED = 1 << 16 };

int tl_pt_first_time(const struct tl_pt_config *config, uint64_t *tsc, struct tl_error *err)
{
	struct tl_pt_packet packet;
	struct tl_pt_scan scan;
	int status = tl_pt_scan_open(&scan, config, NULL, err);
	bool found = false;

	if (status < 0)
		return tl_error_if_memory(status);
	for (unsigned i = 0;
	     !found && i < PACKETS_SEARCHED && tl_pt_scan_next(&scan, &packet, err) == 1; i++) {
		found = packet.kind == TL_PT_PKT_TSC;
		if (found)
			*tsc = packet.tsc.tsc;
	}
	tl_pt_scan_close(&scan);
	return found;
}

/* ---- by function ---- */

enum { NODES = 4096, TIMESTAMPS = 1024 };
enum { NOT_TESTED, NO_MATCH, MATCH };

struct trigger_search {
	struct tl_pt_decoder *decoder;
	struct tl_pt_functions *functions;
	regex_t pattern;
	uint8_t *seen; /* by node */
	size_t capacity;
	uint32_t nodes[NODES], epoch;
	struct tl_pt_timestamp timestamps[TIMESTAMPS];
	struct tl_pt_trigger found; /* in the present slice */
};

static bool is_trigger(struct trigger_search *h, uint32_t number)
{
	const struct tl_pt_block *block = tl_pt_decoder_node_block(h->decoder, number);
	struct tl_pt_name name;

	if (!block)
		return false;
	name = tl_pt_functions_name(h->functions, block->ip);
	return name.function != TL_NONE && name.is_entry &&
	       !regexec(&h->pattern, h->functions->list[name.function].name, 0, NULL, 0);
}

static bool make_room(struct trigger_search *h, const struct tl_pt_node_batch *batch)
{
	size_t had = h->capacity;

	if (batch->limit > h->capacity) {
		if (!tl_grow(&h->seen, &h->capacity, batch->limit, 1))
			return false;
		memset(h->seen + had, NOT_TESTED, h->capacity - had);
	}
	if (batch->epoch != h->epoch && h->capacity)
		memset(h->seen, NOT_TESTED, h->capacity);
	h->epoch = batch->epoch;
	return true;
}

static bool search_batch(struct trigger_search *h, const struct tl_pt_node_batch *batch)
{
	size_t mark = 0;

	for (size_t i = 0; i < batch->count; i++) {
		uint8_t *seen = &h->seen[batch->nodes[i]];

		for (; mark < batch->timestamp_count && batch->timestamps[mark].index <= i;
		     mark++) {
			h->found.tsc = batch->timestamps[mark].tsc;
			h->found.timed = true;
		}
		if (*seen == NOT_TESTED)
			*seen = is_trigger(h, batch->nodes[i]) ? MATCH : NO_MATCH;
		if (*seen == MATCH)
			return true;
	}
	for (; mark < batch->timestamp_count; mark++) {
		h->found.tsc = batch->timestamps[mark].tsc;
		h->found.timed = true;
	}
	return false;
}

/*
 * Decode to the end of the slice, or to the first node of a matching function. 1: found; `at`:
 * status of the decoder.
 */
static int search_on(struct trigger_search *h, int *at, struct tl_error *err)
{
	while (*at >= 0) {
		struct tl_pt_node_batch batch = { .nodes = h->nodes,
						  .max = NODES,
						  .timestamps = h->timestamps,
						  .max_timestamps = TIMESTAMPS };
		struct tl_pt_event event;

		if (*at & TL_PT_EVENT_PENDING) {
			*at = tl_pt_next_event(h->decoder, &event);
			continue;
		}
		*at = tl_pt_next_nodes(h->decoder, &batch);
		if (*at < 0)
			break;
		*at = batch.status;
		if (!make_room(h, &batch))
			return tl_error_memory(err);
		if (search_batch(h, &batch)) {
			tl_pt_decoder_offset(h->decoder, &h->found.offset);
			return 1;
		}
	}
	if (*at == -TL_PT_NOMEM)
		return tl_error_memory(err);
	return 0;
}

/*
 * Threads and processors come one after the other: the first match found may not be the earliest.
 */
static void note_found(struct trigger_search *h, struct tl_pt_trigger *trigger, bool *any)
{
	if (!*any || (h->found.timed && trigger->timed && h->found.tsc < trigger->tsc))
		*trigger = h->found;
	*any = true;
}

static int search_slice(struct trigger_search *h, struct tl_pt_decoders *decoders,
			const struct tl_pt_trace_slice *slice, struct tl_pt_trigger *trigger,
			bool *any, struct tl_error *err)
{
	const uint32_t flags = TL_PT_SALVAGE | TL_PT_END_ON_CALL | TL_PT_END_ON_JUMP;
	int at = tl_pt_decoders_open(decoders, slice, flags, &h->decoder), status;

	if (!h->decoder)
		return tl_pt_fault(err, (enum tl_pt_error) - at, TL_NOWHERE);
	if (h->capacity)
		memset(h->seen, NOT_TESTED, h->capacity);
	h->found = (struct tl_pt_trigger){ 0 };
	status = search_on(h, &at, err);
	if (status > 0)
		note_found(h, trigger, any);
	if (status >= 0)
		status = tl_pt_pass_over(h->decoder, at) < 0 ? tl_error_memory(err) : 0;
	tl_pt_decoders_done(decoders, slice);
	return status;
}

int tl_pt_find_trigger(const struct tl_pt_feed *feed, struct tl_pt_functions *functions,
		       const char *pattern, struct tl_pt_trigger *trigger, struct tl_error *err)
{
	struct trigger_search *h = calloc(1, sizeof(*h));
	struct tl_pt_decoders decoders = { .jobs = 1 };
	struct tl_pt_trace_slice slice;
	bool any = false;
	int status;

	*trigger = (struct tl_pt_trigger){ 0 };
	if (!h)
		return tl_error_memory(err);
	h->functions = functions;
	if (regcomp(&h->pattern, pattern, REG_EXTENDED | REG_NOSUB)) {
		free(h);
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "not a POSIX extended regular expression");
	}
	feed->rewind(feed->arg);
	while ((status = feed->next(feed->arg, &slice, err)) == 1) {
		status = search_slice(h, &decoders, &slice, trigger, &any, err);
		if (status < 0)
			break;
	}
	tl_pt_decoders_close(&decoders);
	regfree(&h->pattern);
	free(h->seen);
	free(h);
	if (status < 0)
		return status;
	return any;
}

/* ---- of a feed ---- */

static int usage(struct tl_error *err, const char *text)
{
	return tl_error_format(err, "intel-pt", tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE, text));
}

int tl_pt_slice_before_call(const struct tl_pt_feed *feed, const char *pattern,
			    double before_seconds, struct tl_pt_window *window,
			    struct tl_pt_trigger *trigger, struct tl_error *err)
{
	struct tl_pt_functions functions;
	uint64_t ticks;
	int status;

	if (!feed->timed)
		return usage(err, "there is no time in the trace, so no time before the call");
	if (!feed->frequency)
		return usage(err, "the trace does not say how long a tick is; give --tsc-hz");
	tl_pt_functions_begin(&functions, feed);
	status = tl_pt_find_trigger(feed, &functions, pattern, trigger, err);
	tl_pt_functions_end(&functions);
	if (status < 0)
		return status;
	if (!status)
		return usage(err, "no function of such a name was reached");
	ticks = (uint64_t)(before_seconds * (double)feed->frequency + 0.5);
	window->from = tl_excess(trigger->tsc, ticks);
	window->to = trigger->tsc + 1;
	return 0;
}

int tl_pt_slice_raw(const struct tl_pt_feed *feed, const struct tl_pt_window *window,
		    const struct tl_pt_trigger *trigger, struct tl_output *out,
		    struct tl_error *err)
{
	struct tl_pt_trace_slice slice;
	struct tl_pt_byte_range range;
	int status;

	feed->rewind(feed->arg);
	status = feed->next(feed->arg, &slice, err);
	if (status <= 0)
		return status;
	status = tl_pt_slice_time(&slice.config, window->from, trigger ? 0 : window->to, &range,
				  err);
	if (status < 0)
		return status;
	if (trigger) {
		range.to = tl_pt_psb_behind(&slice.config, trigger->offset);
		if (range.from >= range.to)
			range.from = 0;
	}
	tl_output_write(out, slice.config.begin + range.from, (size_t)(range.to - range.from));
	return 0;
}
