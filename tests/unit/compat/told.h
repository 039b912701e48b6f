/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_COMPAT_TOLD_H
#define TESTS_UNIT_COMPAT_TOLD_H
/*
 * What the decoders of the drop-in say of a trace, as one line of text: each instruction, outcome,
 * target, event and error in the order in which it is given.
 */
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "../unit.h"

#include <intel-pt.h>

enum { TOLD_BYTES = 4096, TOLD_MOST = 200 };

struct told {
	char text[TOLD_BYTES];
	size_t size;
	/* Instructions one behind the other: the first one, the last one, what would be next. */
	unsigned first, last, next;
	bool speculative;
};

static inline void __attribute__((format(printf, 2, 3))) tell(struct told *told, const char *format,
							      ...)
{
	va_list args;
	int size;

	va_start(args, format);
	size = vsnprintf(told->text + told->size, sizeof(told->text) - told->size, format, args);
	va_end(args);
	assert_true(size >= 0 && told->size + (size_t)size < sizeof(told->text));
	told->size += (size_t)size;
}

/* One more instruction; with size 0, none: what has come is told. */
static inline void tell_run(struct told *told, unsigned ip, unsigned size, bool speculative)
{
	const unsigned first = told->first;

	if (size && told->next == ip && told->speculative == speculative) {
		told->last = ip;
		told->next = ip + size;
		return;
	}
	told->first = size ? ip : 0;
	if (first)
		tell(told, "%x", first);
	if (first && first != told->last)
		tell(told, "..%x", told->last);
	if (first)
		tell(told, "%s, ", told->speculative ? "*" : "");
	told->last = ip;
	told->next = size ? ip + size : 0;
	told->speculative = speculative;
}

/* The names of events, and where each has its address (-1: nowhere), in the order of numbers. */
static const struct {
	const char *name;
	int place;
} told_events[] = {
#define AT(variant) offsetof(struct pt_event, variant)
	{ "on", AT(variant.enabled.ip) },
	{ "off", AT(variant.disabled.ip) },
	{ "async-off", AT(variant.async_disabled.at) },
	{ "async", AT(variant.async_branch.from) },
	{ "paging", -1 },
	{ "async-paging", AT(variant.async_paging.ip) },
	{ "overflow", AT(variant.overflow.ip) },
	{ "mode", AT(variant.exec_mode.ip) },
	{ "tsx", AT(variant.tsx.ip) },
	{ "stop", -1 },
	{ "vmcs", -1 },
	{ "async-vmcs", AT(variant.async_vmcs.ip) },
	{ "exstop", AT(variant.exstop.ip) },
	{ "mwait", AT(variant.mwait.ip) },
	{ "pwre", -1 },
	{ "pwrx", -1 },
	{ "ptwrite", AT(variant.ptwrite.ip) },
	{ "tick", AT(variant.tick.ip) },
	{ "cbr", -1 },
	{ "mnt", -1 },
	{ "tip", AT(variant.tip.ip) },
	{ "tnt", -1 },
	{ "iflags", AT(variant.iflags.ip) },
	{ "interrupt", AT(variant.interrupt.ip) },
	{ "iret", AT(variant.iret.ip) },
	{ "smi", AT(variant.smi.ip) },
	{ "rsm", AT(variant.rsm.ip) },
	{ "sipi", -1 },
	{ "init", AT(variant.init.ip) },
	{ "vmentry", AT(variant.vmentry.ip) },
	{ "vmexit", AT(variant.vmexit.ip) },
	{ "shutdown", AT(variant.shutdown.ip) },
	{ "uintr", AT(variant.uintr.ip) },
	{ "uiret", AT(variant.uiret.ip) },
	{ "trig", AT(variant.trig.ip) },
	{ "swintr", AT(variant.swintr.ip) },
	{ "syscall", AT(variant.syscall.ip) },
#undef AT
};

static inline void tell_payload(struct told *told, const struct pt_event *event)
{
	switch (event->type) {
	case ptev_enabled:
		tell(told, "%s", event->variant.enabled.resumed ? ":resumed" : "");
		break;
	case ptev_async_disabled:
		if (!event->ip_suppressed)
			tell(told, ":%x", (unsigned)event->variant.async_disabled.ip);
		break;
	case ptev_async_branch:
		tell(told, ":%x", (unsigned)event->variant.async_branch.to);
		break;
	case ptev_paging:
		tell(told, ":%x", (unsigned)event->variant.paging.cr3);
		break;
	case ptev_async_paging:
		tell(told, ":%x", (unsigned)event->variant.async_paging.cr3);
		break;
	case ptev_vmcs:
		tell(told, ":%x", (unsigned)event->variant.vmcs.base);
		break;
	case ptev_async_vmcs:
		tell(told, ":%x", (unsigned)event->variant.async_vmcs.base);
		break;
	case ptev_exec_mode:
		tell(told, ":%d", (int)event->variant.exec_mode.mode);
		break;
	case ptev_tsx:
		tell(told, "%s%s", event->variant.tsx.speculative ? ":in" : "",
		     event->variant.tsx.aborted ? ":abort" : "");
		break;
	case ptev_cbr:
		tell(told, ":%x", event->variant.cbr.ratio);
		break;
	case ptev_mnt:
		tell(told, ":%x", (unsigned)event->variant.mnt.payload);
		break;
	case ptev_ptwrite:
		tell(told, ":%x", (unsigned)event->variant.ptwrite.payload);
		break;
	case ptev_iflags:
		tell(told, ":%u", event->variant.iflags.iflag);
		break;
	case ptev_vmexit:
		tell(told, ":%x:%x:%x", event->variant.vmexit.vector,
		     (unsigned)event->variant.vmexit.vmxr, (unsigned)event->variant.vmexit.vmxq);
		break;
	default:
		break;
	}
}

/* "=": the present state, told by a PSB+; "-": without an address; "@": its time. */
static inline void tell_event(struct told *told, const struct pt_event *event)
{
	int place = told_events[event->type].place;
	uint64_t ip;

	tell_run(told, 0, 0, false);
	tell(told, "%s%s", event->status_update ? "=" : "", told_events[event->type].name);
	if (place >= 0 && event->ip_suppressed && event->type != ptev_async_disabled) {
		tell(told, "-");
	} else if (place >= 0) {
		memcpy(&ip, (const uint8_t *)event + place, sizeof(ip));
		tell(told, " %x", (unsigned)ip);
	}
	tell_payload(told, event);
	if (event->has_tsc)
		tell(told, "@%x", (unsigned)event->tsc);
	tell(told, ", ");
}

/* An error, or the end. */
static inline void tell_status(struct told *told, int status)
{
	static const char *const names[] = {
		"ok",         "internal",    "invalid",    "nosync",    "bad-opc",
		"bad-packet", "bad-context", "end",        "bad-query", "nomem",
		"bad-config", "noip",        "suppressed", "nomap",     "bad-insn",
		"no-time",    "no-cbr",      "bad-image",  "bad-lock",  "not-supported",
		"retstack",   "retcomp",     "status",     "no-enable", "ignored",
	};

	tell_run(told, 0, 0, false);
	assert_true(status < 0 && -status < (int)(sizeof(names) / sizeof(names[0])));
	tell(told, "%s", names[-status]);
}

/* ---- queries ---- */

static inline int tell_query(struct told *told, struct pt_query_decoder *decoder, int status)
{
	struct pt_event event;
	uint64_t ip = 0;
	int taken;

	if (status & pts_event_pending) {
		memset(&event, 0, sizeof(event));
		status = pt_qry_event(decoder, &event, sizeof(event));
		if (status >= 0)
			tell_event(told, &event);
		return status;
	}
	status = pt_qry_cond_branch(decoder, &taken);
	if (status >= 0)
		tell(told, "%d, ", taken);
	if (status != -pte_bad_query)
		return status;
	status = pt_qry_indirect_branch(decoder, &ip);
	if (status >= 0)
		tell(told, "to %x%s, ", (unsigned)ip, status & pts_ip_suppressed ? "-" : "");
	return status;
}

static inline void tell_queries(struct told *told, const struct pt_config *config)
{
	struct pt_query_decoder *decoder = pt_qry_alloc_decoder(config);
	uint64_t ip = 0;
	int status;

	assert_non_null(decoder);
	memset(told, 0, sizeof(*told));
	status = pt_qry_sync_forward(decoder, &ip);
	if (status >= 0)
		tell(told, "%x%s: ", (unsigned)ip, status & pts_ip_suppressed ? "-" : "");
	for (unsigned i = 0; status >= 0 && i < TOLD_MOST; i++)
		status = tell_query(told, decoder, status);
	tell_status(told, status);
	pt_qry_free_decoder(decoder);
}

/* ---- code ---- */

enum { TOLD_CODE = 0x1000, TOLD_CODE_END = 0x1200, TOLD_PREFIXES = 0x1198 };

/* Elsewhere between these addresses is a nop in each byte; and prefixes without end. */
static const struct {
	uint16_t at;
	uint8_t size, bytes[5];
} told_code[] = {
	{ 0x1010, 2, { 0x74, 0x0e } },                   /* je 1020 */
	{ 0x1020, 2, { 0xeb, 0x0e } },                   /* jmp 1030 */
	{ 0x1030, 5, { 0xe8, 0xcb, 0x00, 0x00, 0x00 } }, /* call 1100 */
	{ 0x1040, 2, { 0xff, 0xe0 } },                   /* jmp *%rax */
	{ 0x1048, 2, { 0xff, 0xd0 } },                   /* call *%rax */
	{ 0x1050, 3, { 0x0f, 0x22, 0xd8 } },             /* mov %rax,%cr3 */
	{ 0x1058, 4, { 0xf3, 0x0f, 0xae, 0xe0 } },       /* ptwrite %eax */
	{ 0x1060, 2, { 0x0f, 0x05 } },                   /* syscall */
	{ 0x1068, 3, { 0x0f, 0x01, 0xc2 } },             /* vmlaunch */
	{ 0x1070, 3, { 0x0f, 0xc7, 0x30 } },             /* vmptrld (%rax) */
	{ 0x1078, 2, { 0x48, 0xcf } },                   /* iretq */
	{ 0x1080, 2, { 0xeb, 0xfe } },                   /* jmp 1080 */
	{ 0x1088, 5, { 0xe8, 0x00, 0x00, 0x00, 0x00 } }, /* call 108d */
	{ 0x108f, 1, { 0xc3 } },                         /* ret */
	{ 0x1102, 1, { 0xc3 } },                         /* ret */
	{ 0x1120, 2, { 0xeb, 0xee } },                   /* jmp 1110 */
};

static inline uint8_t told_byte(uint64_t at)
{
	for (size_t i = 0; i < sizeof(told_code) / sizeof(told_code[0]); i++)
		if (at - told_code[i].at < told_code[i].size)
			return told_code[i].bytes[at - told_code[i].at];
	return at >= TOLD_PREFIXES && at < TOLD_PREFIXES + 16 ? 0x66 : 0x90;
}

static inline int told_read(uint8_t *buffer, size_t size, const struct pt_asid *asid, uint64_t ip,
			    void *context)
{
	(void)asid, (void)context;
	if (ip < TOLD_CODE || ip >= TOLD_CODE_END)
		return -pte_nomap;
	for (size_t i = 0; i < size && ip + i < TOLD_CODE_END; i++)
		buffer[i] = told_byte(ip + i);
	return (int)(size < TOLD_CODE_END - ip ? size : TOLD_CODE_END - ip);
}

/* Instructions: the first and the last one of a run, and "*" in a transaction. */
static inline int tell_insn(struct told *told, struct pt_insn_decoder *decoder, int status)
{
	struct pt_event event;
	struct pt_insn insn;

	memset(&event, 0, sizeof(event));
	memset(&insn, 0, sizeof(insn));
	if (status & pts_event_pending) {
		status = pt_insn_event(decoder, &event, sizeof(event));
		if (status >= 0)
			tell_event(told, &event);
		return status;
	}
	if (status & pts_eos)
		return -pte_eos;
	status = pt_insn_next(decoder, &insn, sizeof(insn));
	if (insn.size && insn.iclass != ptic_error)
		tell_run(told, (unsigned)insn.ip, insn.size, insn.speculative);
	return status;
}

static inline void tell_insns(struct told *told, const struct pt_config *config)
{
	struct pt_insn_decoder *decoder = pt_insn_alloc_decoder(config);
	int status;

	assert_non_null(decoder);
	memset(told, 0, sizeof(*told));
	assert_int_equal(pt_image_set_callback(pt_insn_get_image(decoder), told_read, NULL), 0);
	status = pt_insn_sync_forward(decoder);
	for (unsigned i = 0; status >= 0 && i < TOLD_MOST; i++)
		status = tell_insn(told, decoder, status);
	if (status < 0)
		tell_status(told, status);
	pt_insn_free_decoder(decoder);
}

/* Blocks: first and last address, the number of instructions. */
static inline int tell_block(struct told *told, struct pt_block_decoder *decoder, int status)
{
	struct pt_block block;
	struct pt_event event;

	memset(&event, 0, sizeof(event));
	memset(&block, 0, sizeof(block));
	if (status & pts_event_pending) {
		status = pt_blk_event(decoder, &event, sizeof(event));
		if (status >= 0)
			tell_event(told, &event);
		return status;
	}
	if (status & pts_eos)
		return -pte_eos;
	status = pt_blk_next(decoder, &block, sizeof(block));
	if (block.ninsn)
		tell(told, "%x..%x/%u%s, ", (unsigned)block.ip, (unsigned)block.end_ip, block.ninsn,
		     block.speculative ? "*" : "");
	return status;
}

static inline void tell_blocks(struct told *told, const struct pt_config *config)
{
	struct pt_block_decoder *decoder = pt_blk_alloc_decoder(config);
	int status;

	assert_non_null(decoder);
	memset(told, 0, sizeof(*told));
	assert_int_equal(pt_image_set_callback(pt_blk_get_image(decoder), told_read, NULL), 0);
	status = pt_blk_sync_forward(decoder);
	for (unsigned i = 0; status >= 0 && i < TOLD_MOST; i++)
		status = tell_block(told, decoder, status);
	if (status < 0)
		tell_status(told, status);
	pt_blk_free_decoder(decoder);
}

#endif
