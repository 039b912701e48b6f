/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perf_runs [-l] FILE: what each thread of a perf.data file ran, by the public interface alone. A
 * line for each thread, in the order of their first runs: "PROCESS THREAD COMMAND INSTRUCTIONS HASH
 * ERRORS", the hash being that of the corpus (corpus/intel-pt/README.md); with -l instead every
 * instruction, "THREAD ADDRESS". Then a line for each missing object, "missing PATH: REASON", and
 * each fault.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tracelathe/perf_data.h>

enum { MOST = 4096 };

struct thread {
	uint64_t process, thread, instructions, hash, errors;
	char command[32];
};

struct decode {
	struct tl_pt_decoder *decoders[MOST];
	struct thread threads[MOST];
	size_t count;
	bool list;
};

static struct thread *find_thread(struct decode *d, const struct tl_perf_sched_slice *run)
{
	for (size_t i = 0; i < d->count; i++)
		if (d->threads[i].thread == run->thread && d->threads[i].process == run->process)
			return &d->threads[i];
	if (d->count == MOST)
		exit(99);
	d->threads[d->count] = (struct thread){
		run->process, run->thread, 0, UINT64_C(0xcbf29ce484222325), 0, ""
	};
	return &d->threads[d->count++];
}

static void take(struct decode *d, struct thread *t, uint64_t ip)
{
	t->hash = ((t->hash << 5 | t->hash >> 59) ^ ip) * UINT64_C(0x9e3779b97f4a7c15);
	t->instructions++;
	if (d->list)
		printf("%" PRIu64 " %" PRIx64 "\n", t->thread, ip);
}

static int drain(struct tl_pt_decoder *decoder, int status)
{
	struct tl_pt_event event;

	while (status >= 0 && status & TL_PT_EVENT_PENDING)
		status = tl_pt_decoder_event_next(decoder, &event, sizeof(event));
	return status;
}

static void decode_run(struct decode *d, struct thread *t, struct tl_pt_decoder *decoder,
		       int status)
{
	struct tl_pt_insn insn;

	for (;;) {
		status = drain(decoder, status);
		if (status >= 0)
			status = tl_pt_decoder_insn_next(decoder, &insn, sizeof(insn));
		if (status >= 0) {
			take(d, t, insn.ip);
			continue;
		}
		if (status == -TL_PT_EOS)
			return;
		t->errors++;
		status = tl_pt_decoder_resync(decoder, NULL, 0);
		if (status < 0)
			return;
	}
}

static int run_one(struct decode *d, const struct tl_perf_sched_slice *run)
{
	struct tl_pt_decoder **decoder = &d->decoders[run->stream % MOST];
	struct thread *t = find_thread(d, run);
	int status;

	if (run->stream >= MOST)
		return 1;
	snprintf(t->command, sizeof(t->command), "%s", run->command);
	if (!run->continues) {
		tl_pt_decoder_close(*decoder);
		if (tl_pt_decoder_open(decoder, run->config, run->image) < 0)
			return 1;
	}
	if (tl_pt_decoder_set_asid(*decoder, &run->asid) < 0)
		return 1;
	status = tl_pt_decoder_set_end(*decoder, run->to);
	if (status >= 0 && !run->continues)
		status = tl_pt_decoder_sync_forward(*decoder);
	decode_run(d, t, *decoder, status);
	return 0;
}

static void tell(const struct decode *d, struct tl_perf_trace *trace)
{
	size_t count, listed;
	uint64_t faults, skipped;
	const struct tl_perf_missing_code *missing = tl_perf_trace_missing(trace, &count);
	const struct tl_perf_fault *fault =
		tl_perf_faults(tl_perf_trace_reader(trace), &listed, &faults, &skipped);

	for (size_t i = 0; !d->list && i < d->count; i++)
		printf("%" PRId64 " %" PRId64 " %s %" PRIu64 " %016" PRIx64 " %" PRIu64 "\n",
		       (int64_t)d->threads[i].process, (int64_t)d->threads[i].thread,
		       d->threads[i].command, d->threads[i].instructions, d->threads[i].hash,
		       d->threads[i].errors);
	for (size_t i = 0; i < count; i++)
		fprintf(stderr, "missing %s: %s\n", missing[i].path, missing[i].reason);
	for (size_t i = 0; i < listed; i++)
		fprintf(stderr, "fault at %" PRIu64 ": %s\n", fault[i].offset, fault[i].text);
}

int main(int argc, char **argv)
{
	struct decode *d = calloc(1, sizeof(*d));
	struct tl_source *source = NULL;
	struct tl_perf_trace *trace = NULL;
	struct tl_perf_sched_slice run;
	struct tl_error err;
	int status;

	if (!d || argc < 2)
		return 99;
	d->list = !strcmp(argv[1], "-l");
	status = tl_source_open(&source, argv[argc - 1], NULL, &err);
	if (status == 0)
		status = tl_perf_trace_open(&trace, source, NULL, &err);
	while (status >= 0 && (status = tl_perf_trace_next(trace, &run, sizeof(run), &err)) > 0)
		if (run_one(d, &run))
			status = TL_NO_MEMORY;
	if (trace)
		tell(d, trace);
	if (status < 0)
		printf("error: %s\n", err.text);
	for (size_t i = 0; i < MOST; i++)
		tl_pt_decoder_close(d->decoders[i]);
	tl_perf_trace_close(trace);
	tl_source_close(source);
	free(d);
	return status < 0;
}
