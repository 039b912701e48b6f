/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The x86-64 program that a QEMU is tried with (emulator/check.S): what its recording says is
 * compared with what single steps have shown.
 */
#include <inttypes.h>
#include <stdio.h>

#include <tracelathe/perf_data.h>

#include "core/error.h"
#include "record/emulation/emulate.h"

/*
 * The instructions of check.S, their hash (docs/formats/intel-pt.md) over distances from the first
 * one, and its exit status. A test has a single-stepping recorder say the same.
 */
enum { INSTRUCTIONS = 1678, STATUS = 42 };
static const uint64_t known_hash = UINT64_C(0x26705b1b6a003648);

struct flow {
	uint64_t first, instructions, hash, errors;
	struct tl_pt_decoder *decoder;
};

/* ---- what was recorded ---- */

static void take(struct flow *flow, uint64_t ip)
{
	if (!flow->instructions++)
		flow->first = ip;
	flow->hash = ((flow->hash << 5 | flow->hash >> 59) ^ (ip - flow->first)) *
		     UINT64_C(0x9e3779b97f4a7c15);
}

static int drain(struct tl_pt_decoder *decoder, int status)
{
	struct tl_pt_event event;

	while (status >= 0 && status & TL_PT_EVENT_PENDING)
		status = tl_pt_decoder_event_next(decoder, &event, sizeof(event));
	return status;
}

static void follow(struct flow *flow, int status)
{
	struct tl_pt_insn insn;

	while ((status = drain(flow->decoder, status)) >= 0) {
		status = tl_pt_decoder_insn_next(flow->decoder, &insn, sizeof(insn));
		if (status >= 0)
			take(flow, insn.ip);
	}
	flow->errors += status != -TL_PT_EOS;
}

static void follow_slice(struct flow *flow, const struct tl_perf_sched_slice *slice)
{
	int status = 0;

	if (!slice->continues) {
		tl_pt_decoder_close(flow->decoder);
		flow->decoder = NULL;
		status = tl_pt_decoder_open(&flow->decoder, slice->config, slice->image);
	}
	if (status >= 0)
		status = tl_pt_decoder_set_asid(flow->decoder, &slice->asid);
	if (status >= 0)
		status = tl_pt_decoder_set_end(flow->decoder, slice->to);
	if (status >= 0 && !slice->continues)
		status = tl_pt_decoder_sync_forward(flow->decoder);
	if (flow->decoder)
		follow(flow, status);
}

static int read_flow(const char *path, struct flow *flow, struct tl_error *err)
{
	const struct tl_perf_trace_options options = { .size = sizeof(options),
						       .process = TL_NOWHERE,
						       .thread = TL_NOWHERE,
						       .cpu = TL_NOWHERE };
	struct tl_perf_sched_slice slice;
	struct tl_perf_trace *trace = NULL;
	struct tl_source *source = NULL;
	int status = tl_source_open(&source, path, NULL, err);

	*flow = (struct flow){ .hash = UINT64_C(0xcbf29ce484222325) };
	if (status >= 0)
		status = tl_perf_trace_open(&trace, source, &options, err);
	while (status >= 0 && (status = tl_perf_trace_next(trace, &slice, sizeof(slice), err)) > 0)
		follow_slice(flow, &slice);
	tl_pt_decoder_close(flow->decoder);
	if (trace)
		tl_perf_trace_close(trace);
	tl_source_close(source);
	return status;
}

bool tl_emulate_is_known_x86(const struct tl_emulator *emulator, const char *folder,
			     char reason[TL_RECORD_TEXT])
{
	struct tl_error err = { .text = "" };
	char recording[TL_RECORD_PATH];
	struct flow flow;
	int exit_status;

	snprintf(recording, sizeof(recording), "%.4000s/recording", folder);
	if (tl_emulate_known(emulator, emulator->check, folder, &exit_status, &err) < 0 ||
	    read_flow(recording, &flow, &err) < 0) {
		snprintf(reason, TL_RECORD_TEXT,
			 "the program that QEMU is tried with could not be recorded: %s", err.text);
		return false;
	}
	if (exit_status == STATUS && flow.instructions == INSTRUCTIONS && flow.hash == known_hash &&
	    !flow.errors)
		return true;
	snprintf(reason, TL_RECORD_TEXT,
		 "this QEMU does not behave as version 7.2: of a known program of %d instructions "
		 "that exits with %d, %" PRIu64 " were recorded (hash %016" PRIx64 ", %" PRIu64
		 " errors), and it exited with %d",
		 INSTRUCTIONS, STATUS, flow.instructions, flow.hash, flow.errors, exit_status);
	return false;
}
