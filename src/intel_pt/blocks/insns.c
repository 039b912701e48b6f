/* SPDX-License-Identifier: Apache-2.0 */
/* The instructions of nodes: one at a time along the trace, or all of one node. */
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "intel_pt/blocks/decoder.h"

int tl_pt_read_node(struct tl_pt_decoder *decoder, const struct tl_pt_node *node)
{
	const struct tl_pt_graph *graph = &decoder->graph;
	const struct tl_pt_space *space = &graph->code->spaces[node->space];
	const struct tl_pt_reader *reader = &decoder->insns.reader;

	if (reader->image == graph->image && reader->version == graph->version &&
	    reader->mode == space->mode && reader->asid.cr3 == space->asid.cr3 &&
	    reader->asid.vmcs == space->asid.vmcs)
		return 0;
	return tl_pt_reader_use(&decoder->insns.reader, graph->image, &space->asid, space->mode);
}

/* The address of the next instruction of the block, behind one that is not its last. */
static uint64_t behind(const struct tl_pt_reader *reader, const struct tl_pt_code *code,
		       uint64_t ip)
{
	if (code->flow.flags & TL_X86_DIRECT && code->flow.iclass != TL_PT_IC_COND_JUMP)
		return code->flow.target;
	return (ip + code->flow.size) & reader->decoder.mask;
}

static int decode(struct tl_pt_reader *reader, uint64_t ip, struct tl_pt_insn *insn, uint64_t *next)
{
	struct tl_pt_code code;
	int status = tl_pt_reader_insn(reader, ip, &code);

	if (status < 0)
		return status;
	memset(insn, 0, sizeof(*insn));
	insn->ip = ip;
	insn->isid = code.isid;
	insn->mode = reader->mode;
	insn->iclass = code.flow.iclass;
	insn->size = code.flow.size;
	insn->flags = code.truncated ? TL_PT_TRUNCATED : 0;
	tl_pt_reader_bytes(reader, ip, insn->raw, insn->size);
	*next = behind(reader, &code, ip);
	return 0;
}

/* Make room for the instructions of one more node; if there are too many, all are dropped. */
static bool make_room(struct tl_pt_decoder *decoder, uint32_t ninsn)
{
	struct tl_pt_insns *insns = &decoder->insns;
	const struct tl_pt_graph *graph = &decoder->graph;

	if (insns->epoch != graph->epoch || insns->capacity_nodes < graph->capacity) {
		free(insns->first);
		insns->first = tl_zeroed(graph->capacity, sizeof(*insns->first));
		insns->capacity_nodes = insns->first ? graph->capacity : 0;
		insns->epoch = insns->first ? graph->epoch : 0; /* 0 is no valid epoch */
		insns->count = 1;
	} else if (insns->count + ninsn > TL_PT_INSNS_MOST) {
		memset(insns->first, 0, graph->capacity * sizeof(*insns->first));
		insns->count = 1;
	}
	return insns->first &&
	       tl_grow(&insns->list, &insns->capacity, insns->count + ninsn, sizeof(*insns->list));
}

/* Decode the instructions of a node into `list`. */
static int decode_node(struct tl_pt_decoder *decoder, uint32_t number)
{
	struct tl_pt_insns *insns = &decoder->insns;
	const struct tl_pt_node *node = &decoder->graph.nodes[number];
	const struct tl_pt_block *block = &decoder->graph.blocks[number];
	uint64_t ip = block->ip;
	int status = tl_pt_read_node(decoder, node);

	if (status < 0)
		return status;
	if (!make_room(decoder, block->ninsn))
		return -TL_PT_NOMEM;
	for (uint32_t i = 0; i < block->ninsn; i++) {
		status = decode(&insns->reader, ip, &insns->list[insns->count + i], &ip);
		if (status < 0)
			return status;
	}
	insns->first[number] = insns->count;
	insns->count += block->ninsn;
	return 0;
}

/* Begin with the instructions of the next node. */
static int enter(struct tl_pt_decoder *decoder)
{
	struct tl_pt_insns *insns = &decoder->insns;
	uint32_t number = 0;
	int status = tl_pt_next_node(decoder, &number);

	if (status < 0)
		return status;
	if (insns->epoch != decoder->graph.epoch || !insns->first[number])
		status = decode_node(decoder, number);
	if (status < 0)
		return status;
	insns->at = insns->first[number];
	insns->left = decoder->graph.blocks[number].ninsn;
	insns->flags = decoder->ahead.batch.speculative ? TL_PT_SPECULATIVE : 0;
	insns->eos = decoder->ahead.batch.eos;
	return 0;
}

int tl_pt_next_insn(struct tl_pt_decoder *decoder, struct tl_pt_insn *insn)
{
	struct tl_pt_insns *insns;

	if (!decoder || !insn)
		return -TL_PT_INVALID;
	insns = &decoder->insns;
	if (!insns->left) {
		int status;

		/* Instructions one at a time are too little work for several threads. */
		tl_pt_leave_parallel(decoder);
		status = enter(decoder);
		if (status < 0)
			return status;
	}
	*insn = insns->list[insns->at++];
	insn->flags |= insns->flags;
	if (--insns->left)
		return insns->eos ? TL_PT_END_OF_STREAM : 0;
	tl_pt_lookahead_fill(decoder);
	return tl_pt_status_now(decoder);
}

/*
 * A long block is asked for in portions: go on where the last one ended, if it was of the same
 * node.
 */
static size_t resume_from(const struct tl_pt_decoder *decoder, uint32_t number, size_t first,
			  uint64_t *ip)
{
	const struct tl_pt_insns *insns = &decoder->insns;

	if (insns->resume_node != number || insns->resume_epoch != decoder->graph.epoch ||
	    insns->resume_next > first)
		return 0;
	*ip = insns->resume_ip;
	return insns->resume_next;
}

int tl_pt_node_insns(struct tl_pt_decoder *decoder, uint32_t number, size_t first,
		     struct tl_pt_node_insn *list, size_t max)
{
	const struct tl_pt_block *block = tl_pt_decoder_node_block(decoder, number);
	const struct tl_pt_node *node = block ? tl_pt_find_node(decoder, number) : NULL;
	struct tl_pt_code code;
	uint64_t ip;
	size_t at, done = 0;
	int status;

	if (!node || !list)
		return -TL_PT_INVALID;
	status = tl_pt_read_node(decoder, node);
	ip = block->ip;
	for (at = resume_from(decoder, number, first, &ip);
	     at < block->ninsn && done < max && !status; at++) {
		status = tl_pt_reader_insn(&decoder->insns.reader, ip, &code);
		if (status < 0)
			break;
		if (at >= first)
			list[done++] = (struct tl_pt_node_insn){ ip, code.flow.target,
								 code.flow.size, code.flow.iclass,
								 code.flow.flags & TL_X86_DIRECT };
		ip = behind(&decoder->insns.reader, &code, ip);
	}
	decoder->insns.resume_node = number;
	decoder->insns.resume_epoch = decoder->graph.epoch;
	decoder->insns.resume_next = at;
	decoder->insns.resume_ip = ip;
	if (status < 0)
		return status;
	return (int)done;
}
