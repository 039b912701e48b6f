/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Against libipt, as Debian has it: every instruction, and every event with its place, its fields
 * and its time, must be the same. Blocks are walked again on both sides; where they end is not
 * compared (docs/formats/intel-pt.md, 9.2).
 *
 *   pt_blocks_libipt PT MAP IMG [tick]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <intel-pt.h>

#include <tracelathe/intel_pt.h>

#include "pt_code.h"

/* One event in the numbers of the published interface: equal lines are equal events. */
struct note {
	uint64_t insn; /* how many instructions came before it */
	char text[200];
};

struct notes {
	struct note *list;
	size_t count, capacity;
	uint64_t insns, hash;
	int last;
};

static struct note *note(struct notes *notes)
{
	if (notes->count == notes->capacity) {
		notes->capacity = notes->capacity * 2 + 100;
		notes->list = realloc(notes->list, notes->capacity * sizeof(*notes->list));
		if (!notes->list)
			exit(2);
	}
	notes->list[notes->count].insn = notes->insns;
	return &notes->list[notes->count++];
}

static void retire(struct notes *notes, struct pt_code *code, uint64_t ip, uint64_t end_ip,
		   unsigned ninsn)
{
	uint64_t last = 0;

	for (unsigned i = 0; i < ninsn; i++) {
		const struct tl_pt_node_cache *known = pt_code_know(code, ip);

		notes->hash = ((notes->hash << 5 | notes->hash >> 59) ^ ip) *
			      UINT64_C(0x9e3779b97f4a7c15);
		notes->insns++;
		last = ip;
		if (!known)
			break;
		ip = known->follow ? known->target : ip + known->size;
	}
	if (last != end_ip)
		note(notes)->text[0] = '\0';
}

/* ---- libipt ---- */

static void note_theirs(struct notes *notes, const struct pt_event *e)
{
	char *text = note(notes)->text;
	int n = snprintf(text, 200, "%u s%u u%u ", e->type, e->ip_suppressed, e->status_update);

	if (e->has_tsc)
		n += snprintf(text + n, 100, "tsc %" PRIx64 " lost %u %u ", e->tsc, e->lost_mtc,
			      e->lost_cyc);
	switch (e->type) {
	case ptev_enabled:
		snprintf(text + n, 60, "ip %" PRIx64, e->variant.enabled.ip);
		break;
	case ptev_disabled:
		if (!e->ip_suppressed)
			snprintf(text + n, 60, "ip %" PRIx64, e->variant.disabled.ip);
		break;
	case ptev_async_disabled:
		snprintf(text + n, 90, "at %" PRIx64 " ip %" PRIx64, e->variant.async_disabled.at,
			 e->ip_suppressed ? 0 : e->variant.async_disabled.ip);
		break;
	case ptev_async_branch:
		snprintf(text + n, 60, "from %" PRIx64 " to %" PRIx64, e->variant.async_branch.from,
			 e->variant.async_branch.to);
		break;
	case ptev_paging:
		snprintf(text + n, 60, "cr3 %" PRIx64 " nr %u", e->variant.paging.cr3,
			 e->variant.paging.non_root);
		break;
	case ptev_async_paging:
		snprintf(text + n, 90, "cr3 %" PRIx64 " nr %u ip %" PRIx64,
			 e->variant.async_paging.cr3, e->variant.async_paging.non_root,
			 e->ip_suppressed ? 0 : e->variant.async_paging.ip);
		break;
	case ptev_overflow:
		if (!e->ip_suppressed)
			snprintf(text + n, 60, "ip %" PRIx64, e->variant.overflow.ip);
		break;
	case ptev_exec_mode:
		snprintf(text + n, 60, "mode %u ip %" PRIx64, e->variant.exec_mode.mode,
			 e->ip_suppressed ? 0 : e->variant.exec_mode.ip);
		break;
	case ptev_tsx:
		snprintf(text + n, 60, "spec %u abrt %u ip %" PRIx64, e->variant.tsx.speculative,
			 e->variant.tsx.aborted, e->ip_suppressed ? 0 : e->variant.tsx.ip);
		break;
	case ptev_vmcs:
		snprintf(text + n, 60, "base %" PRIx64, e->variant.vmcs.base);
		break;
	case ptev_async_vmcs:
		snprintf(text + n, 60, "base %" PRIx64 " ip %" PRIx64, e->variant.async_vmcs.base,
			 e->ip_suppressed ? 0 : e->variant.async_vmcs.ip);
		break;
	case ptev_cbr:
		snprintf(text + n, 60, "cbr %u", e->variant.cbr.ratio);
		break;
	case ptev_tick:
		snprintf(text + n, 60, "ip %" PRIx64, e->ip_suppressed ? 0 : e->variant.tick.ip);
		break;
	case ptev_exstop:
		snprintf(text + n, 60, "ip %" PRIx64, e->ip_suppressed ? 0 : e->variant.exstop.ip);
		break;
	case ptev_ptwrite:
		snprintf(text + n, 60, "ip %" PRIx64 " %" PRIx64,
			 e->ip_suppressed ? 0 : e->variant.ptwrite.ip, e->variant.ptwrite.payload);
		break;
	default:
		break;
	}
}

static void decode_theirs(struct notes *notes, struct pt_code *code,
			  const struct tl_pt_config *ours, const char *img)
{
	struct pt_config config;
	struct pt_image_section_cache *cache = pt_iscache_alloc(NULL);
	struct pt_image *image = pt_image_alloc(NULL);
	struct pt_block_decoder *decoder;
	int status;

	pt_config_init(&config);
	config.begin = (uint8_t *)(uintptr_t)ours->begin;
	config.end = (uint8_t *)(uintptr_t)ours->end;
	config.cpuid_0x15_eax = ours->cpuid_15_eax;
	config.cpuid_0x15_ebx = ours->cpuid_15_ebx;
	config.mtc_freq = ours->mtc_freq;
	config.nom_freq = ours->nom_freq;
	if (ours->flags & TL_PT_TICK_EVENTS)
		config.flags.variant.block.enable_tick_events = 1;
	for (size_t i = 0; i < code->count; i++)
		pt_image_add_cached(image, cache,
				    pt_iscache_add_file(cache, img, code->segments[i].offset,
							code->segments[i].size,
							code->segments[i].vaddr),
				    NULL);
	decoder = pt_blk_alloc_decoder(&config);
	pt_blk_set_image(decoder, image);
	status = pt_blk_sync_forward(decoder);
	while (status >= 0) {
		struct pt_block block = { .ninsn = 0 };
		struct pt_event event;

		if (status & pts_event_pending) {
			status = pt_blk_event(decoder, &event, sizeof(event));
			if (status >= 0)
				note_theirs(notes, &event);
			continue;
		}
		status = pt_blk_next(decoder, &block, sizeof(block));
		retire(notes, code, block.ip, block.ninsn ? block.end_ip : 0, block.ninsn);
	}
	notes->last = status;
	pt_blk_free_decoder(decoder);
	pt_image_free(image);
	pt_iscache_free(cache);
}

/* ---- ours ---- */

static void note_ours(struct notes *notes, const struct tl_pt_event *e)
{
	char *text = note(notes)->text;
	int n = snprintf(text, 200, "%u s%u u%u ", e->kind, e->ip_suppressed, e->status_update);
	uint64_t ip = e->ip_suppressed ? 0 : e->ip;

	if (e->has_tsc)
		n += snprintf(text + n, 100, "tsc %" PRIx64 " lost %u %u ", e->tsc, e->lost_mtc,
			      e->lost_cyc);
	switch (e->kind) {
	case TL_PT_EV_ENABLED:
		snprintf(text + n, 60, "ip %" PRIx64, e->ip);
		break;
	case TL_PT_EV_DISABLED:
	case TL_PT_EV_OVERFLOW:
		if (!e->ip_suppressed)
			snprintf(text + n, 60, "ip %" PRIx64, e->ip);
		break;
	case TL_PT_EV_ASYNC_DISABLED:
		snprintf(text + n, 90, "at %" PRIx64 " ip %" PRIx64, e->ip,
			 e->ip_suppressed ? 0 : e->disabled.to);
		break;
	case TL_PT_EV_ASYNC_BRANCH:
		snprintf(text + n, 60, "from %" PRIx64 " to %" PRIx64, e->ip, e->branch.to);
		break;
	case TL_PT_EV_PAGING:
		snprintf(text + n, 60, "cr3 %" PRIx64 " nr %u", e->paging.cr3, e->paging.non_root);
		break;
	case TL_PT_EV_ASYNC_PAGING:
		snprintf(text + n, 90, "cr3 %" PRIx64 " nr %u ip %" PRIx64, e->paging.cr3,
			 e->paging.non_root, ip);
		break;
	case TL_PT_EV_EXEC_MODE:
		snprintf(text + n, 60, "mode %u ip %" PRIx64, e->exec_mode.mode, ip);
		break;
	case TL_PT_EV_TSX:
		snprintf(text + n, 60, "spec %u abrt %u ip %" PRIx64, e->tsx.speculative,
			 e->tsx.aborted, ip);
		break;
	case TL_PT_EV_VMCS:
		snprintf(text + n, 60, "base %" PRIx64, e->vmcs.base);
		break;
	case TL_PT_EV_ASYNC_VMCS:
		snprintf(text + n, 60, "base %" PRIx64 " ip %" PRIx64, e->vmcs.base, ip);
		break;
	case TL_PT_EV_CBR:
		snprintf(text + n, 60, "cbr %u", e->cbr.ratio);
		break;
	case TL_PT_EV_TICK:
	case TL_PT_EV_EXSTOP:
		snprintf(text + n, 60, "ip %" PRIx64, ip);
		break;
	case TL_PT_EV_PTWRITE:
		snprintf(text + n, 60, "ip %" PRIx64 " %" PRIx64, ip, e->ptwrite.payload);
		break;
	default:
		break;
	}
}

static void decode_ours(struct notes *notes, struct pt_code *code,
			const struct tl_pt_config *config, const char *img)
{
	struct tl_pt_image *image = tl_pt_image_open(NULL);
	struct tl_pt_decoder *decoder;
	int status;

	for (size_t i = 0; i < code->count; i++)
		tl_pt_image_add_file(image, img, code->segments[i].offset, code->segments[i].size,
				     NULL, code->segments[i].vaddr);
	if (tl_pt_decoder_open(&decoder, config, image) < 0)
		exit(2);
	status = tl_pt_decoder_sync_forward(decoder);
	while (status >= 0) {
		struct tl_pt_block block;
		struct tl_pt_event event;

		if (status & TL_PT_EVENT_PENDING) {
			status = tl_pt_decoder_event_next(decoder, &event, sizeof(event));
			if (status >= 0)
				note_ours(notes, &event);
			continue;
		}
		status = tl_pt_decoder_block_next(decoder, &block, sizeof(block));
		if (status >= 0)
			retire(notes, code, block.ip, block.end_ip, block.ninsn);
	}
	notes->last = status;
	tl_pt_decoder_close(decoder);
	tl_pt_image_close(image);
}

static int compare(const char *name, const struct notes *theirs, const struct notes *ours)
{
	size_t count = theirs->count < ours->count ? theirs->count : ours->count;
	int different = 0;

	for (size_t i = 0; i < count && different < 5; i++) {
		const struct note *a = &theirs->list[i], *b = &ours->list[i];

		if (a->insn == b->insn && !strcmp(a->text, b->text))
			continue;
		printf("%s: event %zu: libipt %" PRIu64 " %s, ours %" PRIu64 " %s\n", name, i,
		       a->insn, a->text, b->insn, b->text);
		different++;
	}
	different += theirs->count != ours->count || theirs->insns != ours->insns ||
		     theirs->hash != ours->hash || theirs->last != ours->last;
	printf("%s: %s: libipt %" PRIu64 " instructions, %zu events, %d; ours %" PRIu64
	       ", %zu, %d\n",
	       name, different ? "DIFFERENT" : "equal", theirs->insns, theirs->count, theirs->last,
	       ours->insns, ours->count, ours->last);
	return different != 0;
}

int main(int argc, char **argv)
{
	static struct pt_code code;
	struct notes theirs = { .hash = 0 }, ours = { .hash = 0 };
	struct tl_pt_config config = { .size = sizeof(config),
				       .cpuid_15_eax = 2,
				       .cpuid_15_ebx = 176,
				       .mtc_freq = 3,
				       .nom_freq = 32,
				       .flags = TL_PT_CLASSIC };
	char image[] = "/tmp/pt_blocks_XXXXXX";
	struct pt_bytes trace;
	int fd, different;

	if (argc < 4)
		return 2;
	if (argc > 4)
		config.flags |= TL_PT_TICK_EVENTS;
	trace = pt_load(argv[1]);
	config.begin = trace.data;
	config.end = trace.data + trace.size;
	pt_code_open(&code, argv[2], argv[3]);
	/* libipt reads files, as they are; ours may be compressed. */
	fd = mkstemp(image);
	if (fd < 0 || write(fd, code.image.data, code.image.size) != (ssize_t)code.image.size)
		pt_die("cannot be written", image);
	close(fd);
	decode_theirs(&theirs, &code, &config, image);
	decode_ours(&ours, &code, &config, image);
	unlink(image);
	different = compare(argv[1], &theirs, &ours);
	pt_code_close(&code);
	free(trace.data);
	free(theirs.list);
	free(ours.list);
	return different;
}
