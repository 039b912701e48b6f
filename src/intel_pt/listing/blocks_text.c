/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks, instructions and events in the order they happened, in the form of ptxed (12.2). */
#include <inttypes.h>
#include <string.h>

#include "core/error.h"
#include "core/output.h"
#include "core/text/optional.h"
#include "intel_pt/blocks/decoder.h"
#include "intel_pt/listing/branches_text.h"
#include "isa/isa.h"

struct dump {
	struct tl_pt_decoder *decoder;
	const struct tl_pt_config *config;
	struct tl_pt_image *image;
	const struct tl_pt_show *show;
	unsigned flags;
	bool outside;      /* of the window of time */
	uint64_t began_at; /* the PSB that was synchronised onto last */
	struct tl_output *out;
	tl_pt_lost_fn *lost;
	void *arg;
	struct tl_pt_flow_counts *counts;

	struct tl_pt_reader reader; /* of the instructions of blocks */
	struct tl_pt_asid asid;
	struct tl_pt_branches branches;
	struct tl_disassembler *text[TL_PT_MODE_64 + 1];
	uint64_t ip; /* address of the last instruction, or of the walk */
	bool no_memory;
};

/* ---- instructions ---- */

static struct tl_disassembler *text_of(struct dump *d, enum tl_pt_exec_mode mode)
{
	enum { EM_OF_386 = 3, EM_OF_X86_64 = 62 };

	if (mode != TL_PT_MODE_32 && mode != TL_PT_MODE_64)
		return NULL;
	if (!d->text[mode]) {
		d->text[mode] =
			tl_disassembler_open(mode == TL_PT_MODE_64 ? EM_OF_X86_64 : EM_OF_386);
		d->no_memory |= !d->text[mode];
	}
	return d->text[mode];
}

static void put_bytes(struct dump *d, const struct tl_pt_insn *insn)
{
	for (unsigned i = 0; i < insn->size; i++)
		tl_put_format(d->out, " %02x", insn->raw[i]);
	for (unsigned i = insn->size; i < TL_PT_INSN_BYTES; i++)
		tl_put_text(d->out, "   ");
}

/* The text stands behind the address: without it the line is that of ptxed --no-inst. */
static void put_insn_text(struct dump *d, const struct tl_pt_insn *insn)
{
	struct tl_disassembler *text =
		d->flags & TL_PT_TEXT_DISASSEMBLE ? text_of(d, insn->mode) : NULL;
	struct tl_insn decoded;

	if (insn->flags & TL_PT_SPECULATIVE)
		tl_put_text(d->out, "? ");
	tl_put_format(d->out, "%016" PRIx64, insn->ip);
	if (d->flags & TL_PT_TEXT_RAW)
		put_bytes(d, insn);
	if (text && insn->size) {
		tl_disassemble(text, insn->raw, insn->size, insn->ip, &decoded);
		tl_put_text(d->out, "  ");
		tl_put_text(d->out, decoded.text);
	}
	tl_put_char(d->out, '\n');
}

static void put_insn_json(struct dump *d, const struct tl_pt_insn *insn)
{
	struct tl_disassembler *text =
		d->flags & TL_PT_TEXT_DISASSEMBLE ? text_of(d, insn->mode) : NULL;
	struct tl_insn decoded;

	tl_put_text(d->out, "{\"ip\":\"");
	tl_put_hex(d->out, insn->ip);
	tl_put_char(d->out, '"');
	tl_pt_json_number(d->out, "isid", (uint64_t)insn->isid);
	tl_pt_json_word(d->out, "mode", tl_pt_mode_name(insn->mode));
	tl_pt_json_word(d->out, "iclass", tl_pt_iclass_name((int)insn->iclass));
	tl_pt_json_number(d->out, "size", insn->size);
	if (insn->flags & TL_PT_SPECULATIVE)
		tl_pt_json_flag(d->out, "speculative", true);
	if (insn->flags & TL_PT_TRUNCATED)
		tl_pt_json_flag(d->out, "truncated", true);
	if (text && insn->size) {
		tl_disassemble(text, insn->raw, insn->size, insn->ip, &decoded);
		tl_pt_json_word(d->out, "text", decoded.text);
	}
	tl_put_text(d->out, "}\n");
}

static bool is_shown(const struct dump *d, uint64_t ip)
{
	return !d->outside && (!d->show->wanted || d->show->wanted(d->show->arg, ip));
}

static void put_insn(struct dump *d, const struct tl_pt_insn *insn)
{
	d->ip = insn->ip;
	if (d->counts)
		d->counts->insns++;
	if (d->flags & TL_PT_TEXT_BRANCHES)
		tl_pt_branches_insn(&d->branches, insn);
	if (!(d->flags & TL_PT_TEXT_INSNS) || !is_shown(d, insn->ip))
		return;
	if (d->flags & TL_PT_TEXT_JSON)
		put_insn_json(d, insn);
	else
		put_insn_text(d, insn);
}

/* ---- blocks ---- */

static void put_block_json(struct dump *d, const struct tl_pt_block *b)
{
	static const struct {
		unsigned flag;
		const char *name;
		/* clang-format off */
	} flags[] = {
		{ TL_PT_SPECULATIVE, "speculative" },
		{ TL_PT_TRUNCATED, "truncated" },
	};
	/* clang-format on */

	tl_put_text(d->out, "{\"ip\":\"");
	tl_put_hex(d->out, b->ip);
	tl_put_char(d->out, '"');
	tl_pt_json_hex(d->out, "end_ip", b->end_ip);
	tl_pt_json_number(d->out, "isid", (uint64_t)b->isid);
	tl_pt_json_word(d->out, "mode", tl_pt_mode_name((enum tl_pt_exec_mode)b->mode));
	tl_pt_json_word(d->out, "iclass", tl_pt_iclass_name(b->iclass));
	tl_pt_json_number(d->out, "ninsn", b->ninsn);
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (b->flags & flags[i].flag)
			tl_pt_json_flag(d->out, flags[i].name, true);
	tl_put_text(d->out, "}\n");
}

static void put_block_head(struct dump *d, const struct tl_pt_block *b)
{
	if (!(d->flags & TL_PT_TEXT_BLOCKS) || !is_shown(d, b->ip))
		return;
	if (d->flags & TL_PT_TEXT_JSON)
		put_block_json(d, b);
	else if (d->flags & TL_PT_TEXT_INSNS)
		tl_put_text(d->out, "[block]\n");
	else
		tl_put_format(d->out, "%s%016" PRIx64 "  %016" PRIx64 "  %5u  %s  %s\n",
			      tl_text_if(b->flags & TL_PT_SPECULATIVE, "? "), b->ip, b->end_ip,
			      b->ninsn, tl_pt_mode_name((enum tl_pt_exec_mode)b->mode),
			      tl_pt_iclass_name(b->iclass));
}

static bool use_reader(struct dump *d, const struct tl_pt_block *b)
{
	struct tl_pt_asid asid = { TL_PT_ANY, TL_PT_ANY };

	tl_pt_decoder_asid(d->decoder, &asid);
	if (d->reader.image && d->reader.mode == (enum tl_pt_exec_mode)b->mode &&
	    asid.cr3 == d->asid.cr3 && asid.vmcs == d->asid.vmcs)
		return true;
	d->asid = asid;
	if (tl_pt_reader_use(&d->reader, d->image, &asid, (enum tl_pt_exec_mode)b->mode) < 0) {
		d->no_memory = true;
		return false;
	}
	return true;
}

/* "The caller follows direct branches itself while rebuilding them, and stops at end_ip" (1.1). */
static void put_block_insns(struct dump *d, const struct tl_pt_block *b)
{
	struct tl_pt_insn insn = { .ip = b->ip,
				   .mode = (enum tl_pt_exec_mode)b->mode,
				   .flags = b->flags };
	struct tl_pt_code code;

	if (!use_reader(d, b))
		return;
	for (unsigned i = 0; i < b->ninsn; i++) {
		bool last = i + 1u == b->ninsn;

		if (last && (b->flags & TL_PT_TRUNCATED)) {
			insn.size = b->size;
			memcpy(insn.raw, b->raw, sizeof(insn.raw));
			insn.iclass = (enum tl_pt_iclass)b->iclass;
		} else {
			if (tl_pt_reader_insn(&d->reader, insn.ip, &code) < 0)
				return;
			insn.size = code.flow.size;
			insn.isid = code.isid;
			insn.iclass = (enum tl_pt_iclass)code.flow.iclass;
			tl_pt_reader_bytes(&d->reader, insn.ip, insn.raw, insn.size);
		}
		insn.flags = last ? b->flags : b->flags & TL_PT_SPECULATIVE;
		put_insn(d, &insn);
		if (!last)
			insn.ip = code.flow.flags & TL_X86_DIRECT &&
						  code.flow.iclass != TL_PT_IC_COND_JUMP
					  ? code.flow.target
					  : insn.ip + insn.size;
	}
}

static void put_block(struct dump *d, const struct tl_pt_block *b)
{
	if (d->counts)
		d->counts->blocks++;
	put_block_head(d, b);
	if (d->flags & (TL_PT_TEXT_INSNS | TL_PT_TEXT_BRANCHES))
		put_block_insns(d, b);
	else if (d->counts)
		d->counts->insns += b->ninsn;
	d->ip = b->end_ip;
}

/* ---- the walk ---- */

/* A PSB+ repeats states: an event for one is printed only if no other line shows that state. */
static bool is_repetition(const struct tl_pt_event *event)
{
	return event->status_update && event->kind != TL_PT_EV_MNT;
}

static void put_event(struct dump *d, const struct tl_pt_event *event)
{
	if (event->ip_suppressed && d->show->wanted ? true : !is_shown(d, event->ip))
		return;
	if (d->flags & TL_PT_TEXT_JSON)
		tl_pt_put_event_json(d->out, event);
	else if (!is_repetition(event))
		tl_pt_put_event(d->out, event, d->flags);
}

static void tell_branches_time(struct dump *d)
{
	const struct tl_pt_node_time *now = tl_pt_time_now(d->decoder);

	d->branches.tsc = now->have_tsc ? now->tsc : 0;
	d->branches.cycles = now->cycles;
	d->branches.outside = d->outside;
}

/* With a window of time, events before the first timestamp are outside. */
static void look_at_clock(struct dump *d)
{
	const struct tl_pt_show *show = d->show;
	uint64_t tsc;

	if (show->from_ticks || show->to_ticks)
		d->outside = tl_pt_decoder_time(d->decoder, &tsc, NULL, NULL) < 0 ||
			     tsc < show->from_ticks || (show->to_ticks && tsc >= show->to_ticks);
	if (d->flags & TL_PT_TEXT_BRANCHES)
		tell_branches_time(d);
}

static int take_events(struct dump *d, int status)
{
	struct tl_pt_event event;

	while (status >= 0 && (status & TL_PT_EVENT_PENDING)) {
		status = tl_pt_next_event(d->decoder, &event);
		look_at_clock(d);
		if (status >= 0 && (d->flags & TL_PT_TEXT_BRANCHES))
			tl_pt_branches_event(&d->branches, &event);
		if (status >= 0 && (d->flags & TL_PT_TEXT_EVENTS))
			put_event(d, &event);
	}
	return status;
}

/*
 * The location of the error: before an instruction that cannot be decoded; else at the last one,
 * whose outcome is missing or behind which the packets are bad.
 */
static void stand(struct dump *d, int error)
{
	const struct tl_pt_decoder *decoder = d->decoder;
	bool code = error == -TL_PT_NOMAP || error == -TL_PT_BAD_INSN;

	if (code && decoder->pos.node >= TL_PT_NODE_FIRST)
		d->ip = decoder->graph.blocks[decoder->pos.node].ip;
}

static int take_code(struct dump *d)
{
	struct tl_pt_block block = { 0 };
	struct tl_pt_insn insn = { 0 };
	int status;

	if (d->flags & TL_PT_TEXT_BY_BLOCK) {
		status = tl_pt_next_block(d->decoder, &block);
		look_at_clock(d);
		if (status >= 0 && block.ninsn)
			put_block(d, &block);
	} else {
		status = tl_pt_next_insn(d->decoder, &insn);
		look_at_clock(d);
		if (status >= 0)
			put_insn(d, &insn);
	}
	if (status < 0)
		stand(d, status);
	return status;
}

static void put_error(struct dump *d, const char *what, int status)
{
	uint64_t offset = 0;

	tl_pt_decoder_offset(d->decoder, &offset);
	if (d->flags & TL_PT_TEXT_JSON) {
		tl_put_text(d->out, "{\"offset\":");
		tl_put_u64(d->out, offset);
		tl_pt_json_word(d->out, "error", tl_pt_error_text((enum tl_pt_error) - status));
		tl_pt_json_hex(d->out, "ip", d->ip);
		tl_put_text(d->out, "}\n");
	} else {
		tl_put_format(d->out, "[%" PRIx64 ", %" PRIx64 ": %s: %s]\n", offset, d->ip, what,
			      tl_pt_error_text((enum tl_pt_error) - status));
	}
}

/* Bytes from an error to where decoding goes on; to the end if it does not. */
static void tell_lost(struct dump *d, enum tl_pt_error why, uint64_t from, bool ends)
{
	struct tl_pt_lost lost = {
		.why = why,
		.from = from,
		.to = ends ? (uint64_t)(d->config->end - d->config->begin) : d->began_at,
		.ip = d->ip,
	};

	if (d->lost)
		d->lost(d->arg, &lost);
}

/*
 * Synchronise onto the next PSB behind an error. The flow may have read on to it already: it then
 * is the PSB that the decoder knows, and the next one would be one too far.
 */
static int sync_behind(struct dump *d, uint64_t error_at)
{
	uint64_t psb = 0;
	int status;

	tl_pt_decoder_sync_offset(d->decoder, &psb);
	if (psb >= error_at && psb != d->began_at)
		status = tl_pt_decoder_sync_set(d->decoder, psb);
	else
		status = tl_pt_decoder_sync_forward(d->decoder);
	tl_pt_decoder_sync_offset(d->decoder, &d->began_at);
	return status;
}

/* Up to the next error; the end of the stream is one. */
static int follow(struct dump *d, int status)
{
	while (!tl_output_failed(d->out)) {
		status = take_events(d, status);
		if (status < 0)
			return status;
		if (status & TL_PT_END_OF_STREAM) {
			if (!(status & TL_PT_STATUS_IP_SUPPRESSED) &&
			    !(d->flags & TL_PT_TEXT_QUIET) && !(d->flags & TL_PT_TEXT_JSON))
				tl_put_text(d->out, "[end of trace]\n");
			return -TL_PT_EOS;
		}
		status = take_code(d);
		if (status < 0)
			return status;
	}
	return -TL_PT_EOS;
}

/* After an error: at the next location that the trace gives, or at the next PSB. */
static int go_on(struct dump *d, int error)
{
	struct tl_pt_event lost;
	uint64_t from = 0;
	int status;

	put_error(d, "error", error);
	tl_pt_branches_gap(&d->branches);
	tl_pt_decoder_offset(d->decoder, &from);
	if (d->flags & TL_PT_TEXT_RESYNC) {
		status = tl_pt_resync(d->decoder, &lost);
		if (status >= 0) {
			if (d->lost)
				d->lost(d->arg,
					&(struct tl_pt_lost){ .why = (enum tl_pt_error) - error,
							      .from = lost.lost.from,
							      .to = lost.lost.to,
							      .ip = d->ip });
			return status;
		}
		if (status != -TL_PT_EOS)
			put_error(d, "resync error", status);
	}
	status = sync_behind(d, from);
	tell_lost(d, (enum tl_pt_error) - error, from, status == -TL_PT_EOS);
	return status;
}

static void dump_from(struct dump *d, int status)
{
	tl_pt_decoder_sync_offset(d->decoder, &d->began_at);
	while (status >= 0 && !tl_output_failed(d->out)) {
		status = follow(d, status);
		d->no_memory |= status == -TL_PT_NOMEM;
		if (status == -TL_PT_EOS || d->no_memory)
			return;
		status = go_on(d, status);
	}
	d->no_memory |= status == -TL_PT_NOMEM;
	if (status < 0 && status != -TL_PT_EOS && status != -TL_PT_NOMEM)
		put_error(d, "sync error", status);
}

static int finish(struct dump *d, struct tl_error *err)
{
	tl_pt_reader_close(&d->reader);
	for (size_t i = 0; i < sizeof(d->text) / sizeof(d->text[0]); i++)
		tl_disassembler_close(d->text[i]);
	if (d->no_memory)
		return tl_error_memory(err);
	return 0;
}

int tl_pt_dump_flow(const struct tl_pt_config *config, struct tl_pt_image *image,
		    const struct tl_pt_show *show, struct tl_output *out, tl_pt_lost_fn *lost,
		    void *arg, struct tl_pt_flow_counts *counts, struct tl_error *err)
{
	struct dump d = { .config = config,
			  .image = image,
			  .show = show,
			  .flags = show->flags,
			  .out = out,
			  .lost = lost,
			  .arg = arg,
			  .counts = counts,
			  .branches = { .out = out, .show = show } };
	int status = tl_pt_decoder_open(&d.decoder, config, image);

	if (status < 0)
		return tl_pt_fault(err, (enum tl_pt_error) - status, TL_NOWHERE);
	dump_from(&d, tl_pt_decoder_sync_forward(d.decoder));
	tl_pt_decoder_close(d.decoder);
	return finish(&d, err);
}

int tl_pt_dump_slice(struct tl_pt_decoders *decoders, const struct tl_pt_trace_slice *slice,
		     const struct tl_pt_show *show, struct tl_output *out, tl_pt_lost_fn *lost,
		     void *arg, struct tl_error *err)
{
	struct dump d = { .config = &slice->config,
			  .image = slice->image,
			  .show = show,
			  .flags = show->flags,
			  .out = out,
			  .lost = lost,
			  .arg = arg,
			  .counts = show->counts,
			  .branches = { .out = out, .show = show } };
	int status = tl_pt_decoders_open(decoders, slice, show->decoder_flags, &d.decoder);

	if (!d.decoder)
		return tl_pt_fault(err, (enum tl_pt_error) - status, TL_NOWHERE);
	if (out)
		dump_from(&d, status);
	else if (tl_pt_pass_over(d.decoder, status) < 0)
		d.no_memory = true;
	tl_pt_decoders_done(decoders, slice);
	return finish(&d, err);
}
