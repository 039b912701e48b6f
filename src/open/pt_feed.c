/* SPDX-License-Identifier: Apache-2.0 */
/* Operations on a feed, whatever gives it. */
#include <inttypes.h>
#include <stdlib.h>

#include "core/error.h"
#include "core/output.h"
#include "intel_pt/fold.h"
#include "intel_pt/slice.h"
#include "intel_pt/text.h"
#include "open/intel_pt.h"

/* ---- windows ---- */

static uint64_t ticks(double seconds, uint64_t frequency, uint64_t first)
{
	double ticks = seconds * (double)frequency;

	return ticks >= (double)(UINT64_MAX - first) ? UINT64_MAX : first + (uint64_t)(ticks + 0.5);
}

/* The least of the pieces' first times. */
static int first_time(const struct tl_pt_feed *feed, uint64_t *first, struct tl_error *err)
{
	struct tl_pt_piece piece;
	int status;

	*first = UINT64_MAX;
	feed->rewind(feed->arg);
	while ((status = feed->next(feed->arg, &piece, err)) == 1) {
		uint64_t tsc = UINT64_MAX;
		int found = piece.continues ? 0 : tl_pt_first_time(&piece.config, &tsc, err);

		if (found < 0)
			return found;
		if (found && tsc < *first)
			*first = tsc;
	}
	return status;
}

int tl_pt_input_window(struct tl_input *input, struct tl_number_range *window, struct tl_error *err)
{
	const struct tl_input_options *o = &input->options;
	struct pt_input *pt = input->handle;
	uint64_t first = 0;
	int status;

	*window = (struct tl_number_range){ 0, 0 };
	if (o->from_seconds <= 0 && o->to_seconds <= 0)
		return 0;
	if (!pt->feed.timed)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE, "there is no time in the trace, so no time window");
	if (!pt->feed.frequency)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "the trace does not say how long a tick is; give --tsc-hz for a time window");
	status = first_time(&pt->feed, &first, err);
	if (status < 0)
		return status;
	if (o->from_seconds > 0)
		window->from = ticks(o->from_seconds, pt->feed.frequency, first);
	if (o->to_seconds > 0)
		window->to = ticks(o->to_seconds, pt->feed.frequency, first);
	return 0;
}

/* ---- folding ---- */

int tl_pt_input_fold(struct tl_input *input, struct tl_profile **profile, struct tl_error *err)
{
	struct pt_input *pt = input->handle;
	const struct tl_input_options *o = &input->options;
	struct tl_pt_fold_options options = {
		.thread = o->thread, .process = o->process, .cpu = o->cpu, .jobs = o->jobs, .exact = o->exact,
		.per_thread = o->per_thread, .lines = o->detail == TL_DETAIL_LINES, .strict = o->strict,
	};
	struct tl_number_range window;
	int status = tl_pt_input_window(input, &window, err);

	if (status < 0)
		return status;
	options.from_ticks = window.from;
	options.to_ticks = window.to;
	return tl_pt_fold(&pt->feed, &options, &pt->faults, profile, err);
}

/* ---- dumping ---- */

static unsigned text_wishes(unsigned dump, bool json)
{
	static const struct {
		unsigned from, to;
	} wishes[] = {
		{ TL_DUMP_RAW, TL_PT_TEXT_RAW },	     { TL_DUMP_NO_OFFSET, TL_PT_TEXT_NO_OFFSET },
		{ TL_DUMP_NO_PAD, TL_PT_TEXT_NO_PAD },	     { TL_DUMP_NO_TIMING, TL_PT_TEXT_NO_TIMING },
		{ TL_DUMP_NO_CYC, TL_PT_TEXT_NO_CYC },	     { TL_DUMP_NO_SYNC, TL_PT_TEXT_NO_SYNC },
		{ TL_DUMP_LAST_IP, TL_PT_TEXT_LAST_IP },     { TL_DUMP_EXEC_MODE, TL_PT_TEXT_EXEC_MODE },
		{ TL_DUMP_TIME, TL_PT_TEXT_TIME },	     { TL_DUMP_TIME_DELTA, TL_PT_TEXT_TIME | TL_PT_TEXT_TIME_DELTA },
		{ TL_DUMP_BLOCKS, TL_PT_TEXT_BLOCKS },	     { TL_DUMP_INSTRUCTIONS, TL_PT_TEXT_INSNS },
		{ TL_DUMP_EVENTS, TL_PT_TEXT_EVENTS },
	};
	unsigned made = TL_PT_TEXT_EVENT_IP | TL_PT_TEXT_BY_BLOCK | TL_PT_TEXT_RESYNC | (json ? TL_PT_TEXT_JSON : 0);

	for (size_t i = 0; i < sizeof(wishes) / sizeof(wishes[0]); i++)
		if (dump & wishes[i].from)
			made |= wishes[i].to;
	return dump & TL_DUMP_NO_TEXT ? made : made | TL_PT_TEXT_DISASSEMBLE;
}

struct damage {
	struct pt_input *pt;
	uint64_t base;
	bool no_memory;
};

static void note(void *arg, const struct tl_pt_lost *lost)
{
	struct damage *damage = arg;
	struct tl_pt_lost made = *lost;
	struct tl_pt_place place;
	bool known = lost->why == TL_PT_NOMAP && damage->pt->feed.place(damage->pt->feed.arg, lost->ip, &place);

	made.from += damage->base;
	made.to += damage->base;
	if (!tl_pt_fault_add(&damage->pt->faults, &made, known ? &place : NULL))
		damage->no_memory = true;
}

static bool wanted(const struct tl_input_options *o, const struct tl_pt_piece *piece)
{
	return (o->thread == TL_NOWHERE || o->thread == piece->thread) &&
	       (o->process == TL_NOWHERE || o->process == piece->process) &&
	       (o->cpu == TL_NOWHERE || o->cpu == piece->cpu);
}

/* Whose the piece is, where there are several. */
static void put_owner(const struct tl_pt_piece *piece, bool json, struct tl_output *out)
{
	if (json || piece->thread == TL_NOWHERE)
		return;
	tl_put_format(out, "[process %" PRId64 ", thread %" PRId64, (int64_t)piece->process, (int64_t)piece->thread);
	if (piece->cpu != TL_NOWHERE)
		tl_put_format(out, ", cpu %" PRIu64, piece->cpu);
	tl_put_format(out, "%s%s]\n", *piece->command ? ": " : "", piece->command);
}

/* Packets are those of whole stretches: who takes over inside is of no matter to them. */
static int dump_packets(const struct tl_pt_piece *piece, unsigned wishes, struct damage *damage, struct tl_output *out,
			struct tl_error *err)
{
	if (piece->continues)
		return 0;
	put_owner(piece, wishes & TL_PT_TEXT_JSON, out);
	return tl_pt_dump_packets(&piece->config, wishes, out, note, damage, err);
}

static int dump_piece(struct tl_input *input, struct tl_pt_decoders *decoders, const struct tl_pt_piece *piece,
		      unsigned wishes, struct tl_output *out, struct tl_error *err)
{
	struct damage damage = { input->handle, piece->base, false };
	bool flow = wishes & (TL_PT_TEXT_BLOCKS | TL_PT_TEXT_INSNS | TL_PT_TEXT_EVENTS);
	struct tl_output *to = wanted(&input->options, piece) ? out : NULL;
	int status;

	if (flow) {
		if (to)
			put_owner(piece, wishes & TL_PT_TEXT_JSON, to);
		status = tl_pt_dump_piece(decoders, piece, wishes, to, note, &damage, err);
	} else {
		status = to ? dump_packets(piece, wishes, &damage, to, err) : 0;
	}
	return status == 0 && damage.no_memory ? tl_error_memory(err) : status;
}

int tl_pt_input_dump(struct tl_input *input, bool json, struct tl_output *out, struct tl_error *err)
{
	struct pt_input *pt = input->handle;
	unsigned wishes = text_wishes(input->options.dump, json);
	struct tl_pt_decoders decoders = { .list = NULL };
	struct tl_pt_piece piece;
	int status;

	pt->feed.rewind(pt->feed.arg);
	while ((status = pt->feed.next(pt->feed.arg, &piece, err)) == 1 && !tl_output_failed(out)) {
		status = dump_piece(input, &decoders, &piece, wishes, out, err);
		if (status < 0)
			break;
	}
	tl_pt_decoders_close(&decoders);
	return status < 0 ? status : 0;
}

/* ---- damage ---- */

static enum tl_status status_of(enum tl_pt_error error)
{
	struct tl_error err;

	return (enum tl_status)tl_pt_fault(&err, error, 0);
}

size_t tl_pt_input_damage(struct tl_input *input, struct tl_damage *places, size_t room, uint64_t *count,
			  uint64_t *skipped_bytes)
{
	struct pt_input *pt = input->handle;
	size_t listed = pt->faults.listed < room ? pt->faults.listed : room;

	*count = pt->faults.count;
	*skipped_bytes = pt->faults.skipped_bytes;
	for (size_t i = 0; i < listed; i++) {
		struct tl_pt_lost *lost = &pt->faults.list[i];

		places[i] = (struct tl_damage){
			.status = status_of(lost->why), .text = tl_pt_fault_text(lost), .offset = lost->from,
			.length = lost->bytes, .record = TL_NOWHERE,
		};
	}
	return listed;
}
