/* SPDX-License-Identifier: Apache-2.0 */
#include "intel_pt/listing/feed_text.h"

#include <inttypes.h>
#include <string.h>

#include "core/error.h"
#include "core/output.h"
#include "core/text/optional.h"
#include "intel_pt/listing/branches_text.h"
#include "intel_pt/listing/function_filter.h"

/* What lists the flow of instructions, line by line. */
enum {
	LISTED = TL_PT_TEXT_BLOCKS | TL_PT_TEXT_INSNS | TL_PT_TEXT_EVENTS | TL_PT_TEXT_BRANCHES,
};

/* Where losses of one slice are added. */
struct loss_sink {
	const struct tl_pt_feed *feed;
	struct tl_pt_faults *faults;
	uint64_t base; /* of the slice in the file */
	bool no_memory;
};

static void note_loss(void *arg, const struct tl_pt_lost *lost)
{
	struct loss_sink *sink = arg;
	struct tl_pt_lost in_file = *lost;
	struct tl_pt_mapping mapping;
	bool known = lost->why == TL_PT_NOMAP &&
		     sink->feed->mapping(sink->feed->arg, lost->ip, &mapping);

	in_file.from += sink->base;
	in_file.to += sink->base;
	if (!tl_pt_fault_add(sink->faults, &in_file, known ? &mapping : NULL))
		sink->no_memory = true;
}

static bool is_chosen(const struct tl_pt_feed_text_options *o,
		      const struct tl_pt_trace_slice *slice)
{
	return !slice->foreign && (o->thread == TL_NOWHERE || o->thread == slice->thread) &&
	       (o->process == TL_NOWHERE || o->process == slice->process) &&
	       (o->cpu == TL_NOWHERE || o->cpu == slice->cpu);
}

/* A head line with the thread of a slice; a raw trace has none. */
static void put_thread(const struct tl_pt_trace_slice *slice, bool json, struct tl_output *out)
{
	if (json || slice->thread == TL_NOWHERE)
		return;
	tl_put_format(out, "[process %" PRId64 ", thread %" PRId64, (int64_t)slice->process,
		      (int64_t)slice->thread);
	if (slice->cpu != TL_NOWHERE)
		tl_put_format(out, ", cpu %" PRIu64, slice->cpu);
	tl_put_text(out, tl_text_if(*slice->command, ": "));
	tl_put_shown(out, slice->command, strlen(slice->command));
	tl_put_text(out, "]\n");
}

/* ---- functions that are selected ---- */

struct wanted {
	struct tl_pt_functions functions;
	struct tl_pt_function_filter filter;
	struct tl_pt_places places;
};

static bool is_wanted(void *arg, uint64_t ip)
{
	struct wanted *w = arg;
	uint32_t function = tl_pt_functions_name(&w->functions, ip).function;

	if (function == TL_NONE)
		return false;
	return tl_pt_function_filter_accepts(&w->filter, &w->functions, function);
}

/* ---- slices ---- */

/* Packets of a range are printed once: switches between threads inside it do not concern them. */
static int put_packets(const struct tl_pt_trace_slice *slice, const struct tl_pt_show *show,
		       struct loss_sink *sink, struct tl_output *out, struct tl_error *err)
{
	if (slice->continues)
		return 0;
	put_thread(slice, show->flags & TL_PT_TEXT_JSON, out);
	return tl_pt_dump_packets(&slice->config, show, out, note_loss, sink, err);
}

/* `out` NULL: the slice is not selected, and only decoded so that the decoder stands at its end. */
static int put_flow(struct tl_pt_decoders *decoders, const struct tl_pt_trace_slice *slice,
		    const struct tl_pt_show *show, struct loss_sink *sink, struct tl_output *out,
		    struct tl_error *err)
{
	if (out && show->flags & LISTED)
		put_thread(slice, show->flags & TL_PT_TEXT_JSON, out);
	if (show->places)
		show->places->slice++;
	return tl_pt_dump_slice(decoders, slice, show, out, note_loss, sink, err);
}

static int put_slices(const struct tl_pt_feed *feed, const struct tl_pt_feed_text_options *options,
		      const struct tl_pt_show *show, struct loss_sink *sink, struct tl_output *out,
		      struct tl_error *err)
{
	const bool flow = show->flags & (LISTED | TL_PT_TEXT_STAT);
	struct tl_pt_decoders decoders = { .list = NULL };
	struct tl_pt_trace_slice slice;
	int status;

	feed->rewind(feed->arg);
	while ((status = feed->next(feed->arg, &slice, err)) == 1 && !tl_output_failed(out)) {
		struct tl_output *to = is_chosen(options, &slice) ? out : NULL;

		sink->base = slice.base;
		status = 0;
		if (flow)
			status = put_flow(&decoders, &slice, show, sink, to, err);
		else if (to)
			status = put_packets(&slice, show, sink, to, err);
		if (status == 0 && sink->no_memory)
			status = tl_error_memory(err);
		if (status < 0)
			break;
	}
	tl_pt_decoders_close(&decoders);
	return tl_error_or_end(status);
}

/* In the words of ptxed. */
static void put_counts(const struct tl_pt_flow_counts *counts, bool json, struct tl_output *out)
{
	tl_put_format(out,
		      json ? "{\"instructions\":%" PRIu64 ",\"blocks\":%" PRIu64 "}\n"
			   : "insn: %" PRIu64 ".\nblocks: %" PRIu64 ".\n",
		      counts->insns, counts->blocks);
}

int tl_pt_put_feed(const struct tl_pt_feed *feed, const struct tl_pt_feed_text_options *options,
		   struct tl_pt_faults *faults, struct tl_output *out, struct tl_error *err)
{
	struct tl_pt_flow_counts counts = { 0 };
	struct tl_pt_show show = { .flags = options->flags,
				   .decoder_flags = options->decoder_flags,
				   .counts = &counts,
				   .from_ticks = options->window.from,
				   .to_ticks = options->window.to };
	struct loss_sink sink = { .feed = feed, .faults = faults };
	struct wanted wanted = { .places = { .functions = &wanted.functions } };
	int status;

	tl_pt_functions_begin(&wanted.functions, feed);
	if (!(show.flags & LISTED))
		show.flags |= TL_PT_TEXT_QUIET;
	if (show.flags & TL_PT_TEXT_BRANCHES)
		show.places = &wanted.places;
	status =
		tl_pt_function_filter_open(&wanted.filter, options->function, options->object, err);
	if (options->function || options->object) {
		show.wanted = is_wanted;
		show.arg = &wanted;
	}
	if (status == 0)
		status = put_slices(feed, options, &show, &sink, out, err);
	if (status == 0 && show.flags & TL_PT_TEXT_STAT)
		put_counts(&counts, show.flags & TL_PT_TEXT_JSON, out);
	if (status == 0 && (!tl_pt_functions_damage(&wanted.functions, faults) ||
			    wanted.filter.no_memory || wanted.functions.no_memory))
		status = tl_error_memory(err);
	tl_pt_function_filter_close(&wanted.filter);
	tl_pt_functions_end(&wanted.functions);
	return status;
}
