/* SPDX-License-Identifier: Apache-2.0 */
#include "intel_pt/listing/branches_text.h"

#include <inttypes.h>
#include <string.h>

#include "core/file.h"
#include "core/output.h"
#include "isa/x86/x86_flow.h"
#include "profile/coverage/coverage.h"

/* ---- places ---- */

static const struct tl_pt_place *place_of(struct tl_pt_places *places, uint64_t ip)
{
	struct tl_pt_place *place = &places->list[tl_hash64(ip) % TL_PT_PLACES];
	const struct tl_pt_feed *feed = places->functions->feed;
	struct tl_pt_mapping mapping;

	if (place->ip == ip && place->slice == places->slice)
		return place;
	*place = (struct tl_pt_place){ .ip = ip, .slice = places->slice };
	place->function = tl_pt_functions_name(places->functions, ip).function;
	if (place->function == TL_NONE && feed->mapping(feed->arg, ip, &mapping))
		place->offset = mapping.offset + (ip - mapping.start);
	else if (place->function != TL_NONE)
		place->offset = ip - places->functions->list[place->function].address;
	return place;
}

/* The function of a place and the offset in it; of a part that was split off, or without a symbol,
 * there is no offset. */
static bool has_offset(const struct tl_pt_function *function, const struct tl_pt_place *place)
{
	return function->address && place->ip >= function->address;
}

static void put_object(struct tl_output *out, const char *path)
{
	const char *name = tl_file_base_name(path);

	tl_put_shown(out, name, strlen(name));
}

static void put_place(struct tl_output *out, struct tl_pt_places *places, uint64_t ip)
{
	const struct tl_pt_place *place = place_of(places, ip);
	const struct tl_pt_feed *feed = places->functions->feed;
	const struct tl_pt_function *function;
	struct tl_pt_mapping mapping;

	if (place->function != TL_NONE) {
		function = &places->functions->list[place->function];
		tl_put_shown(out, function->name, strlen(function->name));
		if (has_offset(function, place))
			tl_put_format(out, "+0x%" PRIx64, place->offset);
	} else if (feed->mapping(feed->arg, ip, &mapping) && *mapping.object) {
		tl_put_char(out, '[');
		put_object(out, mapping.object);
		tl_put_format(out, "+0x%" PRIx64 "]", place->offset);
	} else {
		tl_put_char(out, '?');
	}
}

static void put_place_json(struct tl_output *out, struct tl_pt_places *places, const char *key,
			   const char *offset_key, uint64_t ip)
{
	const struct tl_pt_place *place = place_of(places, ip);
	const struct tl_pt_function *function;

	if (place->function == TL_NONE)
		return;
	function = &places->functions->list[place->function];
	tl_pt_json_word(out, key, function->name);
	if (has_offset(function, place))
		tl_pt_json_number(out, offset_key, place->offset);
}

/* ---- lines ---- */

struct branch_line {
	const char *kind;
	uint64_t from, to;
	bool has_from, has_to;
};

/*
 * Instructions and cycles since the last line that had them. False: the count did not move, or it
 * is not known since which instruction it counts.
 */
static bool take_cycles(struct tl_pt_branches *b, uint64_t *insns, uint64_t *cycles)
{
	const bool counting = b->counting;

	if (b->reached_cycles == b->told_cycles)
		return false;
	*insns = b->insns;
	*cycles = b->reached_cycles - b->told_cycles;
	b->told_cycles = b->reached_cycles;
	b->insns = 0;
	b->counting = true;
	return counting;
}

static void put_address(struct tl_output *out, bool known, uint64_t ip)
{
	if (known)
		tl_put_format(out, "%016" PRIx64 "  ", ip);
	else
		tl_put_format(out, "%16s  ", "-");
}

static void put_text(struct tl_pt_branches *b, const struct branch_line *line)
{
	struct tl_pt_places *places = b->show->places;
	uint64_t insns, cycles;

	if (b->show->flags & TL_PT_TEXT_TIME && b->tsc)
		tl_put_format(b->out, "%016" PRIx64 "  ", b->tsc);
	put_address(b->out, line->has_from, line->from);
	put_address(b->out, line->has_to, line->to);
	tl_put_format(b->out, places ? "%-13s" : "%s", line->kind);
	if (places && line->has_from) {
		tl_put_text(b->out, "  ");
		put_place(b->out, places, line->from);
	}
	if (places && line->has_to) {
		tl_put_text(b->out, line->has_from ? " => " : "  => ");
		put_place(b->out, places, line->to);
	}
	if (take_cycles(b, &insns, &cycles))
		tl_put_format(b->out, "  IPC %.2f (%" PRIu64 "/%" PRIu64 ")",
			      (double)insns / (double)cycles, insns, cycles);
	tl_put_char(b->out, '\n');
}

static void put_json(struct tl_pt_branches *b, const struct branch_line *line)
{
	struct tl_pt_places *places = b->show->places;
	uint64_t insns, cycles;

	tl_put_text(b->out, "{\"branch\":\"");
	tl_put_text(b->out, line->kind);
	tl_put_char(b->out, '"');
	if (line->has_from)
		tl_pt_json_hex(b->out, "from", line->from);
	if (line->has_to)
		tl_pt_json_hex(b->out, "to", line->to);
	if (places && line->has_from)
		put_place_json(b->out, places, "from_function", "from_offset", line->from);
	if (places && line->has_to)
		put_place_json(b->out, places, "to_function", "to_offset", line->to);
	if (b->tsc)
		tl_pt_json_number(b->out, "tsc", b->tsc);
	if (take_cycles(b, &insns, &cycles)) {
		tl_pt_json_number(b->out, "instructions", insns);
		tl_pt_json_number(b->out, "cycles", cycles);
	}
	tl_put_text(b->out, "}\n");
}

static bool is_wanted(const struct tl_pt_branches *b, const struct branch_line *line)
{
	const struct tl_pt_show *show = b->show;

	if (b->outside)
		return false;
	return !show->wanted || (line->has_from && show->wanted(show->arg, line->from)) ||
	       (line->has_to && show->wanted(show->arg, line->to));
}

static void put_line(struct tl_pt_branches *b, const struct branch_line *line)
{
	if (!is_wanted(b, line))
		return;
	if (b->show->flags & TL_PT_TEXT_JSON)
		put_json(b, line);
	else
		put_text(b, line);
}

/* ---- what a branch is ---- */

static bool is_direct(const struct tl_pt_insn *insn)
{
	struct tl_x86_flow_decoder decoder;
	struct tl_x86_flow flow;

	tl_x86_flow_open(&decoder, (enum tl_x86_mode)insn->mode);
	return tl_x86_flow_decode(&decoder, insn->raw, insn->size, insn->ip, &flow) ==
		       TL_X86_DECODED &&
	       flow.flags & TL_X86_DIRECT;
}

static enum tl_branch_kind kind_of(const struct tl_pt_insn *insn)
{
	switch (insn->iclass) {
	case TL_PT_IC_CALL:
		return is_direct(insn) ? TL_BRANCH_CALL : TL_BRANCH_INDIRECT_CALL;
	case TL_PT_IC_RETURN:
		return TL_BRANCH_RETURN;
	case TL_PT_IC_JUMP:
	case TL_PT_IC_INDIRECT:
		return is_direct(insn) ? TL_BRANCH_JUMP : TL_BRANCH_INDIRECT_JUMP;
	case TL_PT_IC_COND_JUMP:
		return TL_BRANCH_CONDITIONAL;
	case TL_PT_IC_FAR_CALL:
	case TL_PT_IC_FAR_RETURN:
	case TL_PT_IC_FAR_JUMP:
		return TL_BRANCH_SYSTEM;
	default:
		return TL_BRANCH_NONE;
	}
}

/* The pending branch led to `to`; a conditional one that led to what is behind it was not taken. */
static void led_to(struct tl_pt_branches *b, uint64_t to, bool known)
{
	struct branch_line line = {
		.from = b->last.ip, .to = to, .has_from = true, .has_to = known
	};
	enum tl_branch_kind kind;

	if (!b->pending)
		return;
	b->pending = false;
	kind = kind_of(&b->last);
	if (kind == TL_BRANCH_NONE ||
	    (kind == TL_BRANCH_CONDITIONAL && known && to == b->last.ip + b->last.size))
		return;
	line.kind = tl_branch_name(kind);
	put_line(b, &line);
}

void tl_pt_branches_insn(struct tl_pt_branches *b, const struct tl_pt_insn *insn)
{
	/* A CYC stands before the packet of the first branch behind it. */
	led_to(b, insn->ip, true);
	b->reached_cycles = b->cycles;
	b->last = *insn;
	b->pending = insn->iclass != TL_PT_IC_OTHER && insn->iclass != TL_PT_IC_PTWRITE;
	b->insns++;
}

static void put_begin(struct tl_pt_branches *b, uint64_t ip)
{
	put_line(b, &(struct branch_line){ .kind = "begin", .to = ip, .has_to = true });
}

static void put_interrupt(struct tl_pt_branches *b, uint64_t from, uint64_t to, bool known)
{
	put_line(b, &(struct branch_line){ .kind = tl_branch_name(TL_BRANCH_ASYNC),
					   .from = from,
					   .to = to,
					   .has_from = true,
					   .has_to = known });
}

void tl_pt_branches_event(struct tl_pt_branches *b, const struct tl_pt_event *event)
{
	b->reached_cycles = b->cycles;
	switch (event->kind) {
	case TL_PT_EV_ENABLED:
		b->pending = false;
		if (!event->ip_suppressed)
			put_begin(b, event->ip);
		return;
	case TL_PT_EV_DISABLED:
		led_to(b, event->ip, !event->ip_suppressed);
		return;
	case TL_PT_EV_ASYNC_DISABLED:
		led_to(b, event->ip, true);
		put_interrupt(b, event->ip, event->disabled.to, !event->ip_suppressed);
		return;
	case TL_PT_EV_ASYNC_BRANCH:
		led_to(b, event->ip, true);
		put_interrupt(b, event->ip, event->branch.to, !event->ip_suppressed);
		return;
	case TL_PT_EV_OVERFLOW:
	case TL_PT_EV_LOST:
		tl_pt_branches_gap(b);
		return;
	default:
		return;
	}
}

void tl_pt_branches_gap(struct tl_pt_branches *b)
{
	b->pending = b->counting = false;
	b->insns = 0;
}
