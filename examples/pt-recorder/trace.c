/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Instructions as packets. The rules are those of docs/formats/intel-pt.md, sections 4 and 5, read
 * from the writing side; the bytes are the library's (tl_pt_packet_write). User code only is
 * traced: a system call turns tracing off.
 */
#include "recorder.h"

#include <tracelathe/intel_pt.h>

#include <string.h>

/* CPUID 15H and MTC frequency of the corpus: TSC = crystal * 88, an MTC every 8 crystal ticks. */
enum { CRYSTAL_TICKS = 88, MTC_SHIFT = 3, CBR = 32 };
enum { TICKS_SYSCALL = 2000 };

void trace_begin(struct trace *trace, const struct trace_options *options, FILE *file)
{
	memset(trace, 0, sizeof(*trace));
	trace->options = *options;
	trace->file = file;
	trace->clock = UINT64_C(1) << 32;
}

/* ---- packets ---- */

static void put(struct trace *trace, const struct tl_pt_packet *packet)
{
	uint8_t bytes[16];
	int size = tl_pt_packet_write(bytes, sizeof(bytes), packet, sizeof(*packet));

	if (size < 0 || fwrite(bytes, 1, (size_t)size, trace->file) != (size_t)size)
		trace->failed = true;
	else
		trace->written += (uint64_t)size;
}

static void put_kind(struct trace *trace, enum tl_pt_packet_kind kind)
{
	put(trace, &(struct tl_pt_packet){ .kind = kind });
}

/* Each CYC stands before the packet it times. */
static void put_cycles(struct trace *trace)
{
	if (!trace->options.cycles || trace->cycle_clock == trace->clock)
		return;
	put(trace, &(struct tl_pt_packet){ .kind = TL_PT_PKT_CYC,
					   .cyc.value = trace->clock - trace->cycle_clock });
	trace->cycle_clock = trace->clock;
}

static void flush_outcomes(struct trace *trace)
{
	if (!trace->outcome_count)
		return;
	put_cycles(trace);
	put(trace, &(struct tl_pt_packet){
			   .kind = trace->outcome_count > 6 ? TL_PT_PKT_TNT_64 : TL_PT_PKT_TNT_8,
			   .tnt = { .bits = trace->outcomes, .count = trace->outcome_count },
		   });
	trace->outcomes = trace->outcome_count = 0;
}

static void outcome(struct trace *trace, bool taken)
{
	trace->outcomes = trace->outcomes << 1 | taken;
	if (++trace->outcome_count == (trace->options.long_tnt ? 47 : 6))
		flush_outcomes(trace);
}

/* 4.3: the shortest form; the first one behind a PSB in full, as processors have it (9.4). */
static enum tl_pt_ipc compression(const struct trace *trace, uint64_t ip)
{
	uint64_t differs = ip ^ trace->last_ip;

	if (!trace->full_ip && !(differs >> 16))
		return TL_PT_IPC_UPDATE_16;
	if (!trace->full_ip && !(differs >> 32))
		return TL_PT_IPC_UPDATE_32;
	if ((uint64_t)((int64_t)(ip << 16) >> 16) == ip)
		return TL_PT_IPC_SEXT_48;
	return TL_PT_IPC_FULL;
}

static void put_ip(struct trace *trace, enum tl_pt_packet_kind kind, uint64_t ip)
{
	struct tl_pt_packet packet = { .kind = kind,
				       .ip = { .ip = ip, .ipc = compression(trace, ip) } };

	put(trace, &packet);
	trace->last_ip = ip;
	trace->full_ip = false;
}

static void put_suppressed(struct trace *trace, enum tl_pt_packet_kind kind)
{
	put(trace, &(struct tl_pt_packet){ .kind = kind, .ip.ipc = TL_PT_IPC_SUPPRESSED });
}

/* ---- time ---- */

static void put_tsc(struct trace *trace)
{
	uint64_t crystal = trace->clock / CRYSTAL_TICKS;

	put(trace, &(struct tl_pt_packet){ .kind = TL_PT_PKT_TSC, .tsc.tsc = trace->clock });
	put(trace, &(struct tl_pt_packet){
			   .kind = TL_PT_PKT_TMA,
			   .tma = { .ctc = (uint16_t)crystal,
				    .fc = (uint16_t)(trace->clock % CRYSTAL_TICKS) },
		   });
	trace->mtc = crystal >> MTC_SHIFT;
	trace->cycle_clock = trace->clock;
}

static void put_mtcs(struct trace *trace)
{
	uint64_t now = trace->clock / CRYSTAL_TICKS >> MTC_SHIFT;

	while (trace->options.time && trace->mtc < now) {
		flush_outcomes(trace);
		put_cycles(trace);
		trace->mtc++;
		put(trace, &(struct tl_pt_packet){ .kind = TL_PT_PKT_MTC,
						   .mtc.ctc = (uint8_t)trace->mtc });
	}
}

/* ---- state ---- */

/* 5.1 */
static void put_psb(struct trace *trace, uint64_t ip)
{
	flush_outcomes(trace);
	put_kind(trace, TL_PT_PKT_PSB);
	trace->full_ip = true;
	trace->last_ip = 0;
	trace->stack_count = 0;
	if (trace->options.time) {
		put_tsc(trace);
		put(trace, &(struct tl_pt_packet){ .kind = TL_PT_PKT_CBR, .cbr.ratio = CBR });
	}
	put(trace, &(struct tl_pt_packet){ .kind = TL_PT_PKT_MODE,
					   .mode = { .leaf = TL_PT_MODE_EXEC, .csl = true } });
	put(trace, &(struct tl_pt_packet){ .kind = TL_PT_PKT_MODE, .mode.leaf = TL_PT_MODE_TSX });
	if (trace->on)
		put_ip(trace, TL_PT_PKT_FUP, ip);
	put_kind(trace, TL_PT_PKT_PSBEND);
	trace->psb_end = trace->written;
	trace->begun = true;
}

static bool psb_is_due(const struct trace *trace)
{
	return !trace->begun || trace->written - trace->psb_end > trace->options.psb_bytes;
}

static void turn_on(struct trace *trace, uint64_t ip)
{
	if (psb_is_due(trace))
		put_psb(trace, ip);
	if (trace->options.time && trace->clock / CRYSTAL_TICKS >> MTC_SHIFT > trace->mtc)
		put_tsc(trace);
	put_ip(trace, TL_PT_PKT_TIP_PGE, ip);
	trace->on = true;
}

static void turn_off(struct trace *trace)
{
	flush_outcomes(trace);
	put_cycles(trace);
	put_suppressed(trace, TL_PT_PKT_TIP_PGD);
	trace->on = false;
}

void trace_at(struct trace *trace, uint64_t ip)
{
	if (!trace->on) {
		turn_on(trace, ip);
		return;
	}
	put_mtcs(trace);
	if (psb_is_due(trace))
		put_psb(trace, ip);
	if (trace->options.interrupt &&
	    trace->retired % trace->options.interrupt == trace->options.interrupt - 1) {
		trace_interrupted(trace, ip, 500);
		turn_on(trace, ip);
	}
}

void trace_interrupted(struct trace *trace, uint64_t ip, uint64_t ticks)
{
	if (trace->on) {
		flush_outcomes(trace);
		put_cycles(trace);
		put_ip(trace, TL_PT_PKT_FUP, ip);
		turn_off(trace);
	}
	trace->clock += ticks;
}

void trace_end(struct trace *trace)
{
	flush_outcomes(trace);
}

/* ---- branches (5.6) ---- */

static void push(struct trace *trace, uint64_t ip)
{
	trace->stack[trace->stack_top++ % TRACE_STACK] = ip;
	if (trace->stack_count < TRACE_STACK)
		trace->stack_count++;
}

/* Compressed if it goes where the stack says; if not, nothing is popped (9.7). */
static bool pop(struct trace *trace, uint64_t next)
{
	if (!trace->options.compress || !trace->stack_count ||
	    trace->stack[(trace->stack_top - 1) % TRACE_STACK] != next)
		return false;
	trace->stack_top--;
	trace->stack_count--;
	return true;
}

static void indirect(struct trace *trace, uint64_t next)
{
	flush_outcomes(trace);
	put_cycles(trace);
	put_ip(trace, TL_PT_PKT_TIP, next);
}

static void branch(struct trace *trace, const struct insn *insn, uint64_t next)
{
	switch (insn->class) {
	case INSN_COND:
		outcome(trace, next != insn->ip + insn->size || insn->target == next);
		break;
	case INSN_CALL:
		push(trace, insn->ip + insn->size);
		break;
	case INSN_CALL_INDIRECT:
		push(trace, insn->ip + insn->size);
		indirect(trace, next);
		break;
	case INSN_RETURN:
		if (pop(trace, next))
			outcome(trace, true);
		else
			indirect(trace, next);
		break;
	case INSN_JUMP_INDIRECT:
	case INSN_FAR:
		indirect(trace, next);
		break;
	case INSN_SYSCALL:
		turn_off(trace);
		trace->clock += TICKS_SYSCALL;
		break;
	default:
		break;
	}
}

void trace_retired(struct trace *trace, const struct insn *insn, uint64_t next)
{
	trace->clock++;
	trace->retired++;
	branch(trace, insn, next);
}
