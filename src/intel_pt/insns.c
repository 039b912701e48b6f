/* SPDX-License-Identifier: Apache-2.0 */
/* The instructions of nodes: one at a time along the trace, or all of one node. */
#include <string.h>

#include "intel_pt/decoder.h"

int tl_pt_read_node(struct tl_pt_decoder *decoder, const struct tl_pt_node *node)
{
	const struct tl_pt_space *space = &decoder->graph.spaces[node->space];
	const struct tl_pt_reader *reader = &decoder->insns;

	if (reader->image == decoder->graph.image && reader->version == decoder->graph.version &&
	    reader->mode == space->mode && reader->asid.cr3 == space->asid.cr3 && reader->asid.vmcs == space->asid.vmcs)
		return 0;
	return tl_pt_reader_use(&decoder->insns, decoder->graph.image, &space->asid, space->mode);
}

/* Where the block goes on behind an instruction that is not its last. */
static uint64_t behind(const struct tl_pt_reader *reader, const struct tl_pt_code *code, uint64_t ip)
{
	if (code->flow.flags & TL_X86_DIRECT && code->flow.iclass != TL_PT_IC_COND_JUMP)
		return code->flow.target;
	return (ip + code->flow.size) & reader->decoder.mask;
}

/* Enter the next node. */
static int enter(struct tl_pt_decoder *decoder)
{
	const struct tl_pt_node *node;
	uint32_t number = 0;
	int status = tl_pt_next_node(decoder, &number);

	if (status < 0)
		return status;
	node = &decoder->graph.nodes[number];
	status = tl_pt_read_node(decoder, node);
	if (status < 0)
		return status;
	decoder->inside_ip = node->block.ip;
	decoder->inside_left = node->block.ninsn;
	decoder->inside_flags = decoder->ids_speculative ? TL_PT_SPECULATIVE : 0;
	decoder->inside_eos = decoder->ids_eos;
	return 0;
}

static int give(struct tl_pt_decoder *decoder, struct tl_pt_insn *insn)
{
	struct tl_pt_reader *reader = &decoder->insns;
	struct tl_pt_code code;
	int status = tl_pt_reader_insn(reader, decoder->inside_ip, &code);

	if (status < 0)
		return status;
	memset(insn, 0, sizeof(*insn));
	insn->ip = decoder->inside_ip;
	insn->isid = code.isid;
	insn->mode = reader->mode;
	insn->iclass = code.flow.iclass;
	insn->size = code.flow.size;
	insn->flags = decoder->inside_flags | (code.truncated ? TL_PT_TRUNCATED : 0);
	tl_pt_reader_bytes(reader, insn->ip, insn->raw, insn->size);
	decoder->inside_ip = behind(reader, &code, insn->ip);
	decoder->inside_left--;
	return 0;
}

int tl_pt_insn_next(struct tl_pt_decoder *decoder, struct tl_pt_insn *insn)
{
	int status = 0;

	if (!decoder || !insn)
		return -TL_PT_INVALID;
	if (!decoder->inside_left)
		status = enter(decoder);
	if (!status)
		status = give(decoder, insn);
	if (status < 0)
		return status;
	if (decoder->inside_left)
		return decoder->inside_eos ? TL_PT_END_OF_STREAM : 0;
	tl_pt_ahead(decoder);
	return tl_pt_status_now(decoder);
}

int tl_pt_node_steps(struct tl_pt_decoder *decoder, uint32_t number, size_t first, struct tl_pt_step *steps, size_t max)
{
	const struct tl_pt_block *block = tl_pt_node_block(decoder, number);
	struct tl_pt_code code;
	uint64_t ip;
	size_t done = 0;
	int status;

	if (!block || !steps)
		return -TL_PT_INVALID;
	status = tl_pt_read_node(decoder, &decoder->graph.nodes[number]);
	ip = block->ip;
	for (size_t i = 0; i < block->ninsn && done < max && !status; i++) {
		status = tl_pt_reader_insn(&decoder->insns, ip, &code);
		if (status < 0)
			break;
		if (i >= first)
			steps[done++] = (struct tl_pt_step){ ip, code.flow.target, code.flow.size, code.flow.iclass,
							     code.flow.flags & TL_X86_DIRECT };
		ip = behind(&decoder->insns, &code, ip);
	}
	return status < 0 ? status : (int)done;
}
