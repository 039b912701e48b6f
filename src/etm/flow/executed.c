/* SPDX-License-Identifier: Apache-2.0 */
#include "etm/flow/executed.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/error.h"

/* What is at work on one source. */
struct following {
	struct tl_etm_executed *executed;
	struct tl_etm_file file; /* with the faults of `executed` */
	struct tl_etm_blocks blocks;
	struct tl_etm_flow flow;
	struct tl_etm_reader reader;
	struct tl_error *err;
};

static int put_range(void *arg, const struct tl_etm_place *place, const struct tl_etm_range *range)
{
	struct following *f = arg;
	struct tl_etm_stream *stream =
		tl_etm_stream_of(&f->executed->streams, place->has_id ? place->id : f->reader.id);

	if (!stream)
		return tl_error_memory(f->err);
	return tl_etm_stream_put(stream, place->el, range, f->err);
}

/* All packets of a source; bytes that are none end what is known. */
static int follow_source(struct following *f, size_t source)
{
	const struct tl_etm_told told = { put_range, f };
	uint64_t faults = f->file.faults.total;
	struct tl_etm_packet packet;
	int status;

	tl_etm_file_begin(&f->file, &f->reader, source);
	tl_etm_flow_begin(&f->flow, &f->file.config, &f->blocks, &told);
	while ((status = tl_etm_file_next(&f->file, &f->reader, &packet, f->err)) == 1) {
		if (f->file.faults.total != faults)
			tl_etm_flow_lost(&f->flow);
		faults = f->file.faults.total;
		status = tl_etm_flow_packet(&f->flow, &packet);
		if (status < 0)
			break;
	}
	for (unsigned i = 0; i < TL_ETM_GAPS; i++)
		f->executed->gaps[i] += f->flow.gaps[i];
	if (f->flow.gaps[TL_ETM_GAP_CODE] && !f->executed->no_code)
		f->executed->no_code = f->flow.no_code;
	f->executed->lost_atoms += f->flow.lost_atoms;
	tl_etm_flow_end(&f->flow);
	return status == TL_NO_MEMORY ? tl_error_memory(f->err) : status;
}

/* ---- what is said of gaps ---- */

enum { OFTEN = 40 };

static const char *how_often(char text[OFTEN], uint64_t times)
{
	if (times == 1)
		return "once";
	snprintf(text, OFTEN, "%" PRIu64 " times", times);
	return text;
}

static int say(struct tl_etm_executed *e, enum tl_etm_gap gap, enum tl_status status,
	       const char *what, struct tl_error *err)
{
	const struct tl_fault fault = {
		.rule = "etm.flow",
		.status = status,
		.offset = TL_NOWHERE,
		.record = TL_NOWHERE,
	};
	char often[OFTEN];

	if (!e->gaps[gap])
		return 0;
	if (gap != TL_ETM_GAP_CODE)
		return tl_fault_write(&e->faults, &fault, err, "%s %s",
				      how_often(often, e->gaps[gap]), what);
	return tl_fault_write(&e->faults, &fault, err, "%s %s, first at 0x%" PRIx64,
			      how_often(often, e->gaps[gap]), what, e->no_code);
}

/* Atoms of a unit that was built otherwise may be followed along another way without a word. */
static int say_assumed(struct tl_etm_executed *e, struct tl_error *err)
{
	const struct tl_fault fault = {
		.rule = "etm.registers",
		.text = "registers of Cortex-A under Linux are assumed, as not all are given: "
			"--trcidr0, --trcidr1, --trcidr2 and --trcconfigr",
		.status = TL_UNSUPPORTED,
		.offset = TL_NOWHERE,
		.record = TL_NOWHERE,
	};

	return tl_error_format(err, "etm", tl_fault_note(&e->faults, &fault, err));
}

static int say_gaps(struct tl_etm_executed *e, struct tl_error *err)
{
	int status =
		say(e, TL_ETM_GAP_CODE, TL_BAD_USAGE,
		    "what was executed is left out, as its code is in none of the programs", err);

	if (status == 0)
		status = say(e, TL_ETM_GAP_LOST, TL_BAD_RECORD,
			     "the trace lost packets; what was executed then is left out", err);
	if (status == 0)
		status = say(e, TL_ETM_GAP_AARCH32, TL_UNSUPPORTED,
			     "instructions were of A32 or T32, which are not followed", err);
	if (status == 0)
		status = say(e, TL_ETM_GAP_Q, TL_UNSUPPORTED,
			     "a Q packet stands for instructions that are not in the trace", err);
	if (status == 0)
		status = say(e, TL_ETM_GAP_ORDER, TL_BAD_RECORD,
			     "packets contradict each other or the code; went on at the next "
			     "address",
			     err);
	if (status == 0)
		status = say(e, TL_ETM_GAP_ADDRESS, TL_BAD_RECORD,
			     "what was executed is left out, as its address is not in the trace",
			     err);
	return tl_error_format(err, "etm", status);
}

int tl_etm_execute(struct tl_etm_executed *e, const struct tl_etm_file *file, tl_etm_code_fn *code,
		   void *arg, struct tl_error *err)
{
	struct following *f = malloc(sizeof(*f));
	int status = 0;

	if (!f)
		return tl_error_memory(err);
	f->executed = e;
	f->err = err;
	f->file = *file;
	f->file.faults = e->faults;
	tl_etm_blocks_begin(&f->blocks, code, arg, tl_etm_waits_count(&file->config),
			    file->config.is_ete);
	for (size_t i = 0; status == 0 && i < file->source_count; i++)
		status = follow_source(f, i);
	e->faults = f->file.faults;
	free(f);
	if (status == 0 && file->is_assumed)
		status = say_assumed(e, err);
	return status < 0 ? status : say_gaps(e, err);
}

void tl_etm_executed_end(struct tl_etm_executed *e)
{
	tl_etm_streams_free(&e->streams);
	tl_fault_list_free(&e->faults);
}
