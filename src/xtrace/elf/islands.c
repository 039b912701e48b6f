/* SPDX-License-Identifier: Apache-2.0 */
#include "xtrace/elf/islands.h"

#include <stdlib.h>
#include <string.h>

#include "core/cursor.h"
#include "core/error.h"
#include "core/memory.h"
#include "xtrace/elf/context.h"
#include "xtrace/elf/words.h"

enum {
	BLOCK_PAGES = 4,
	BLOCK_BYTES = BLOCK_PAGES * TL_XTRACE_IMAGE_BYTES,
	SITE_BYTES = 512,  /* at most, with its constants */
	ENTRY_BYTES = 512, /* the way in */
	LANDING_BYTES = 64,
};

/* Half of what a branch reaches, so that those out of the block reach, too. */
#define REACH (INT64_C(1) << 26)

uint64_t tl_xtrace_site_address(uint64_t context, size_t site)
{
	return context + TL_XTRACE_CONTEXT_BYTES + site * TL_XTRACE_SITE_BYTES;
}

void tl_xtrace_islands_free(struct tl_xtrace_islands *islands)
{
	for (size_t i = 0; i < islands->count; i++)
		tl_xtrace_code_free(&islands->blocks[i]);
	free(islands->blocks);
	*islands = (struct tl_xtrace_islands){ 0 };
}

/* ---- blocks ---- */

static bool serves(const struct tl_xtrace_code *block, uint64_t pc, size_t bytes)
{
	int64_t distance = (int64_t)(block->address - pc);

	return distance > -REACH && distance < REACH && block->count * 4 + bytes <= BLOCK_BYTES;
}

/* A block near a PC with room for some code. */
static int block_near(struct tl_xtrace_islands *islands, struct tl_xtrace_space *space, uint64_t pc,
		      size_t bytes, struct tl_xtrace_code **block, struct tl_error *err)
{
	uint64_t page;

	for (size_t i = islands->count; i-- > 0;)
		if (serves(&islands->blocks[i], pc, bytes)) {
			*block = &islands->blocks[i];
			return 0;
		}
	page = tl_xtrace_space_find(space, pc / TL_XTRACE_IMAGE_BYTES,
				    (uint64_t)REACH / TL_XTRACE_IMAGE_BYTES - BLOCK_PAGES,
				    BLOCK_PAGES);
	if (!page)
		return tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE,
				   "there is no room near the slice's code for what has to be "
				   "rewritten");
	if (!tl_xtrace_space_take(space, page, BLOCK_PAGES) ||
	    !tl_grow(&islands->blocks, &islands->capacity, islands->count + 1,
		     sizeof(*islands->blocks)))
		return tl_error_memory(err);
	*block = &islands->blocks[islands->count++];
	**block = (struct tl_xtrace_code){ .address = page * TL_XTRACE_IMAGE_BYTES };
	return 0;
}

int tl_xtrace_islands_entry(struct tl_xtrace_islands *islands, struct tl_xtrace_space *space,
			    const uint64_t *x, uint64_t first_pc, uint64_t *entry,
			    struct tl_error *err)
{
	struct tl_xtrace_code *code = NULL;
	int status = block_near(islands, space, first_pc, ENTRY_BYTES, &code, err);

	if (status < 0)
		return status;
	*entry = tl_xtrace_code_here(code);
	for (unsigned i = 0; i < 31; i++)
		tl_xtrace_code_load(code, i, x[i]);
	tl_xtrace_code_put(code, tl_xtrace_op_b(tl_xtrace_code_reach(code, first_pc)));
	tl_xtrace_code_literals(code);
	if (code->failed)
		return tl_error_memory(err);
	return 0;
}

/* ---- sites ---- */

/* Count an execution, and leave for the event if it is its turn. Flags are not touched. */
static void put_count(struct tl_xtrace_code *code, const struct tl_xtrace_context_table *contexts,
		      size_t site)
{
	tl_xtrace_put_save(code, contexts);
	tl_xtrace_code_load(code, 1, tl_xtrace_site_address(0, site));
	tl_xtrace_code_put(code, tl_xtrace_op_add_reg(1, 1, 0));
	tl_xtrace_code_put(code, tl_xtrace_op_ldr(2, 1, TL_XTRACE_SITE_LEFT));
	tl_xtrace_code_put(code, tl_xtrace_op_sub(2, 2, 1));
	tl_xtrace_code_put(code, tl_xtrace_op_str(2, 1, TL_XTRACE_SITE_LEFT));
	/* Over four words and this one. */
	tl_xtrace_code_put(code, tl_xtrace_op_cbnz(2, 20));
	tl_xtrace_code_load(code, 2, tl_xtrace_code_here(code) + 16);
	tl_xtrace_code_put(code, tl_xtrace_op_str(2, 0, TL_XTRACE_RESUME));
	tl_xtrace_code_put(code, tl_xtrace_op_ldr(2, 0, TL_XTRACE_DISPATCH));
	tl_xtrace_code_put(code, tl_xtrace_op_br(2));
	tl_xtrace_put_saved(code);
}

static const char *put_site(struct tl_xtrace_code *code, struct tl_xtrace_site *site, size_t number,
			    const struct tl_xtrace_context_table *contexts)
{
	struct tl_xtrace_away away = { .pc = site->pc,
				       .opcode = site->opcode,
				       .rewrite = site->rewrite,
				       .contexts = contexts };
	const char *why;

	site->entry = tl_xtrace_code_here(code);
	if (site->events)
		put_count(code, contexts, number);
	why = tl_xtrace_put_away(code, &away);
	tl_xtrace_code_literals(code);
	if (!why && site->decides) {
		site->other = tl_xtrace_code_here(code);
		why = tl_xtrace_put_decided(code, &away);
		tl_xtrace_code_literals(code);
	}
	if (why || !site->interrupted)
		return why;
	site->before = tl_xtrace_code_here(code);
	tl_xtrace_put_begin_handler(code);
	site->behind = tl_xtrace_code_here(code);
	away.interrupted = true;
	tl_xtrace_put_saved(code);
	why = tl_xtrace_put_away(code, &away);
	tl_xtrace_code_literals(code);
	return why;
}

/* The word that stands in a site's place. */
static int replace(struct tl_xtrace_replay *replay, const struct tl_xtrace_site *site,
		   struct tl_error *err)
{
	struct tl_xtrace_image_page *page = tl_xtrace_image_page(&replay->image, site->pc);
	uint32_t word = site->entry ? tl_xtrace_op_b((int64_t)(site->entry - site->pc))
				    : tl_xtrace_without_signature(site->opcode);

	if (!page)
		return tl_error_memory(err);
	if (tl_xtrace_image_marked(page->loaded, site->pc))
		return tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE,
				   "the slice reads, as data, code of its own that has to be "
				   "rewritten");
	if (tl_xtrace_image_marked(page->stored, site->pc))
		return tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE,
				   "the slice writes to code of its own that has to be rewritten");
	word = TL_HOST_BIG_ENDIAN ? __builtin_bswap32(word) : word;
	memcpy(page->first + site->pc % TL_XTRACE_IMAGE_BYTES, &word, 4);
	return 0;
}

static int make_site(struct tl_xtrace_islands *islands, struct tl_xtrace_replay *replay,
		     struct tl_xtrace_space *space, size_t number, struct tl_error *err)
{
	struct tl_xtrace_site *site = &replay->sites[number];
	struct tl_xtrace_code *code = NULL;
	const char *why;
	int status;

	if (!site->events && tl_xtrace_without_signature(site->opcode))
		return replace(replay, site, err);
	status = block_near(islands, space, site->pc, SITE_BYTES, &code, err);
	if (status < 0)
		return status;
	why = put_site(code, site, number, &islands->contexts);
	if (code->failed)
		return tl_error_memory(err);
	if (why)
		return tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE, why);
	return replace(replay, site, err);
}

/*
 * The way to where a signal leads, to a handler or back: with X30 from the context, as that is the
 * register that leads here.
 */
static int make_landing(struct tl_xtrace_islands *islands, struct tl_xtrace_space *space,
			struct tl_xtrace_replay_signal *signal, struct tl_error *err)
{
	struct tl_xtrace_code *code = NULL;
	int status = block_near(islands, space, signal->pc, LANDING_BYTES, &code, err);

	if (status < 0)
		return status;
	signal->landing = tl_xtrace_code_here(code);
	tl_xtrace_put_context(code, 30, &islands->contexts);
	tl_xtrace_code_put(code, tl_xtrace_op_ldr(30, 30, TL_XTRACE_LINK));
	tl_xtrace_code_put(code, tl_xtrace_op_b(tl_xtrace_code_reach(code, signal->pc)));
	tl_xtrace_code_literals(code);
	return code->failed ? tl_error_memory(err) : 0;
}

static int make_landings(struct tl_xtrace_islands *islands, struct tl_xtrace_replay *replay,
			 struct tl_xtrace_space *space, struct tl_error *err)
{
	int status = 0;

	for (size_t i = 0; status == 0 && i < replay->signal_count; i++) {
		struct tl_xtrace_replay_signal *signal = &replay->signals[i];
		/* Handlers that begin one after the other are mostly the same. */
		const struct tl_xtrace_replay_signal *before = i > 1 ? signal - 2 : NULL;

		if (before && before->pc == signal->pc)
			signal->landing = before->landing;
		else
			status = make_landing(islands, space, signal, err);
	}
	return status;
}

/* The words of a block into the image. */
static int lay(struct tl_xtrace_image *image, const struct tl_xtrace_code *block,
	       struct tl_error *err)
{
	for (size_t i = 0; i < block->count; i++) {
		uint64_t address = block->address + i * 4;
		struct tl_xtrace_image_page *page = tl_xtrace_image_page(image, address);
		uint32_t word =
			TL_HOST_BIG_ENDIAN ? __builtin_bswap32(block->words[i]) : block->words[i];

		if (!page || !tl_xtrace_image_code(image, address))
			return tl_error_memory(err);
		memcpy(page->first + address % TL_XTRACE_IMAGE_BYTES, &word, 4);
	}
	return 0;
}

int tl_xtrace_islands_make(struct tl_xtrace_islands *islands, struct tl_xtrace_replay *replay,
			   struct tl_xtrace_space *space, struct tl_error *err)
{
	int status = 0;

	for (size_t i = 0; status == 0 && i < replay->site_count; i++)
		status = make_site(islands, replay, space, i, err);
	if (status == 0)
		status = make_landings(islands, replay, space, err);
	for (size_t i = 0; status == 0 && i < islands->count; i++)
		status = lay(&replay->image, &islands->blocks[i], err);
	return status;
}
