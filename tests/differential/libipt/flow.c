/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The code of a trace, walked by the instruction decoder and by the block decoder. Where libipt
 * ends a block depends on what its cache has seen (docs/formats/intel-pt.md, 9.1), so blocks are
 * taken apart into instructions here, and what is compared are these, and the events, each with the
 * number of instructions before it.
 */
#include "peer.h"

#include <Zydis/Zydis.h>

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

typedef unsigned long long ull;

struct account {
	ull count;
	ull hash;
};

static void add(struct account *account, uint64_t value)
{
	account->hash = ((account->hash << 5 | account->hash >> 59) ^ value) * 0x9E3779B97F4A7C15u;
}

static void instruction(struct account *account, uint64_t ip)
{
	add(account, ip);
	/* Enough lines to find the place of a difference. */
	if (++account->count % 1024 == 0)
		printf("%llu %llx %llx\n", account->count, (ull)ip, account->hash);
}

static void say(const struct account *account, const char *what, int status)
{
	printf("%llu %llx ", account->count, account->hash);
	peer_result(what, status);
}

/*
 * What a PSB+ in running flow says, libipt gives at the last place where it used trace, and we at
 * the address that the PSB+ names (9.20), which may be some instructions later.
 */
static void say_event(const struct account *account, const struct pt_event *event)
{
	if (!event->status_update)
		printf("%llu ", account->count);
	peer_event(event);
}

/* ---- instructions ---- */

static int drain_insn(struct pt_insn_decoder *dec, const struct account *account, int status)
{
	struct pt_event event;

	while (status >= 0 && status & pts_event_pending) {
		status = pt_insn_event(dec, &event, sizeof(event));
		if (status < 0)
			break;
		say_event(account, &event);
	}
	return status;
}

static int one_insn(struct pt_insn_decoder *dec, struct account *account)
{
	/* 2.0.5 leaves what it is given as it is when it has nothing to say. */
	struct pt_insn insn = { .iclass = ptic_error };
	int status = pt_insn_next(dec, &insn, sizeof(insn));

	if (status < 0 && insn.iclass == ptic_error)
		return status;
	add(account, (uint64_t)insn.mode << 32 | (uint64_t)insn.iclass << 16 | insn.size);
	add(account, (uint64_t)insn.speculative << 1 | insn.truncated);
	for (unsigned i = 0; i < insn.size; i++)
		add(account, insn.raw[i]);
	if (insn.isid < 0)
		add(account, (uint64_t)insn.isid);
	instruction(account, insn.ip);
	return status;
}

void peer_insns(const struct peer_input *input, enum peer_setup setup)
{
	struct pt_image_section_cache *cache = pt_iscache_alloc("cache");
	struct pt_image *image = peer_image(input, setup, cache);
	struct account account = { 0, 0 };
	struct pt_insn_decoder *dec;
	struct pt_config config;

	peer_config(&config, input);
	dec = pt_insn_alloc_decoder(&config);
	peer_result("set_image", pt_insn_set_image(dec, image));
	for (;;) {
		uint64_t sync = 0;
		int status = pt_insn_sync_forward(dec);

		if (status >= 0)
			pt_insn_get_sync_offset(dec, &sync);
		printf("[%llx] ", (ull)sync);
		say(&account, "sync", status);
		if (status == -pte_eos)
			break;
		status = drain_insn(dec, &account, status);
		while (status >= 0) {
			status = one_insn(dec, &account);
			status = drain_insn(dec, &account, status);
		}
		say(&account, "next", status);
	}
	pt_insn_free_decoder(dec);
	pt_image_free(image);
	pt_iscache_free(cache);
}

/* ---- blocks ---- */

struct walk {
	struct account account;
	const struct peer_input *input;
	ZydisDecoder zydis;
};

/* The address after an instruction of a block, which it is not the last of: a direct branch is
 * followed. */
static bool after(const struct walk *walk, uint64_t ip, uint64_t *next)
{
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction insn;
	uint8_t bytes[30];
	int first = peer_read(bytes, 15, NULL, ip, (void *)(uintptr_t)walk->input);

	if (first < 0)
		return false;
	if (first < 15) {
		int more = peer_read(bytes + first, 15, NULL, ip + (unsigned)first,
				     (void *)(uintptr_t)walk->input);

		first += more > 0 ? more : 0;
	}
	if (!ZYAN_SUCCESS(
		    ZydisDecoderDecodeFull(&walk->zydis, bytes, (size_t)first, &insn, operands)))
		return false;
	*next = ip + insn.length;
	if ((insn.meta.category == ZYDIS_CATEGORY_CALL || insn.mnemonic == ZYDIS_MNEMONIC_JMP) &&
	    operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
	    insn.meta.branch_type != ZYDIS_BRANCH_TYPE_FAR)
		return ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(&insn, &operands[0], ip, next));
	return true;
}

static bool take_apart(struct walk *walk, const struct pt_block *block)
{
	uint64_t ip = block->ip;

	for (unsigned i = 1; i <= block->ninsn; i++) {
		add(&walk->account, (uint64_t)block->mode << 1 | block->speculative);
		instruction(&walk->account, ip);
		if (i == block->ninsn)
			return ip == block->end_ip;
		if (!after(walk, ip, &ip))
			return false;
	}
	return true;
}

static int drain_blk(struct pt_block_decoder *dec, const struct account *account, int status)
{
	struct pt_event event;

	while (status >= 0 && status & pts_event_pending) {
		status = pt_blk_event(dec, &event, sizeof(event));
		if (status < 0)
			break;
		say_event(account, &event);
	}
	return status;
}

static int one_block(struct pt_block_decoder *dec, struct walk *walk)
{
	struct pt_block block = { .ninsn = 0 };
	int status = pt_blk_next(dec, &block, sizeof(block));

	if (status < 0 && !block.ninsn)
		return status;
	if (!take_apart(walk, &block)) {
		printf("cannot walk from %llx to %llx\n", (ull)block.ip, (ull)block.end_ip);
		return -pte_internal;
	}
	/*
	 * It ends a block whatever the cache has seen, and the time is that of its outcome. (Behind
	 * a TIP, 2.0.5 may have read the time of what follows.)
	 */
	if (block.iclass == ptic_cond_jump && !(status & pts_event_pending)) {
		uint64_t time = 0;
		uint32_t lost_mtc = 0, lost_cyc = 0;

		add(&walk->account, (uint64_t)pt_blk_time(dec, &time, &lost_mtc, &lost_cyc));
		add(&walk->account, time ^ lost_mtc ^ lost_cyc);
	}
	return status;
}

void peer_blocks(const struct peer_input *input, enum peer_setup setup)
{
	struct pt_image_section_cache *cache = pt_iscache_alloc("cache");
	struct pt_image *image = peer_image(input, setup, cache);
	struct walk walk = { .input = input };
	struct pt_block_decoder *dec;
	struct pt_config config;

	ZydisDecoderInit(&walk.zydis, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	peer_config(&config, input);
	dec = pt_blk_alloc_decoder(&config);
	peer_result("set_image", pt_blk_set_image(dec, image));
	for (;;) {
		uint64_t sync = 0;
		int status = pt_blk_sync_forward(dec);

		if (status >= 0)
			pt_blk_get_sync_offset(dec, &sync);
		printf("[%llx] ", (ull)sync);
		say(&walk.account, "sync", status);
		if (status == -pte_eos)
			break;
		status = drain_blk(dec, &walk.account, status);
		while (status >= 0) {
			status = one_block(dec, &walk);
			status = drain_blk(dec, &walk.account, status);
		}
		say(&walk.account, "next", status);
	}
	pt_blk_free_decoder(dec);
	pt_image_free(image);
	pt_iscache_free(cache);
}
