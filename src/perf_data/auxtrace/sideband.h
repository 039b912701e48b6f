/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PERF_DATA_SIDEBAND_H
#define TL_PERF_DATA_SIDEBAND_H
/*
 * Sideband of a raw trace: streams of kernel records without a perf.data file around them; the
 * caller knows their layout and clock. Records are merged by time and applied when the decoder
 * reaches their time, so that image and address space are right at every moment.
 */
#include <tracelathe/intel_pt.h>
#include <tracelathe/perf_data.h>

struct tl_perf_sideband;

/* One stream. */
struct tl_perf_sideband_stream {
	const char *name;
	const uint8_t *data; /* the caller's */
	size_t size;
	uint64_t sample_type;
	uint64_t time_shift, time_mult, time_zero;
	bool primary; /* of the traced processor: only its switches count */
};

struct tl_perf_sideband_hooks {
	void (*event)(void *arg, const struct tl_pt_event *event); /* the decoder's event; then */
	void (*record)(void *arg, const struct tl_perf_sideband_stream *stream,
		       const struct tl_perf_record *record);
	void (*context)(void *arg, uint32_t pid); /* another process runs */
	void *arg;
};

/*
 * `directory`: where files of maps are looked for. `kernel_start`: code from there on is the
 * kernel's, in all processes.
 */
int tl_perf_sideband_open(struct tl_perf_sideband **sideband, const char *directory,
			  uint64_t kernel_start, struct tl_error *err);
int tl_perf_sideband_add(struct tl_perf_sideband *sideband,
			 const struct tl_perf_sideband_stream *stream, struct tl_error *err);
/* The next record at or before a time, over all streams: 1, 0: none, negative. */
int tl_perf_sideband_next(struct tl_perf_sideband *sideband, uint64_t tsc,
			  struct tl_perf_record *record,
			  const struct tl_perf_sideband_stream **stream, struct tl_error *err);
/*
 * Take the decoder's pending event: report it and the records up to its time to the hooks, apply
 * these records, and give the decoder the image and address space that follow from them. A status
 * of the decoder, or a negative tl_pt_error.
 */
int tl_perf_sideband_event(struct tl_perf_sideband *sideband, struct tl_pt_decoder *decoder,
			   const struct tl_perf_sideband_hooks *hooks);
void tl_perf_sideband_close(struct tl_perf_sideband *sideband);

#endif
