/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PERF_SCRIPT_PERF_SCRIPT_H
#define TL_PERF_SCRIPT_PERF_SCRIPT_H
/* The text of `perf script` (docs/formats/perf-script.md): samples with their call chains. */
#include "foreign/foreign.h"

extern const struct tl_foreign_reader tl_perf_script_reader;

/* How sure it is that this is such a text, 0 .. 100. */
int tl_perf_script_probe(const uint8_t *data, size_t size);

/* A piece of a line. */
struct tl_perf_script_text {
	const uint8_t *start, *end;
};

/* The line that a sample begins with; what `-F` left out is empty or TL_NOWHERE. */
struct tl_perf_script_sample {
	struct tl_perf_script_text comm, event;
	struct tl_perf_script_text rest; /* behind the event: an address with its symbol, fields */
	uint64_t process, thread;
	uint64_t time_ns, period;
	bool is_record; /* no sample, but another record of perf.data */
};
/* False: the line is none. */
bool tl_perf_script_cut_sample(const uint8_t *line, const uint8_t *end,
			       struct tl_perf_script_sample *sample);

/* A line of a call chain: "ADDRESS SYMBOL+0xOFFSET (OBJECT)". */
struct tl_perf_script_frame {
	struct tl_perf_script_text name, object;
};
/* False: the line is none. */
bool tl_perf_script_cut_frame(const uint8_t *line, const uint8_t *end,
			      struct tl_perf_script_frame *frame);
/* A line behind a frame: "FILE:LINE". */
bool tl_perf_script_cut_place(const uint8_t *line, const uint8_t *end,
			      struct tl_perf_script_text *file, uint32_t *number);

static inline bool tl_perf_script_is_blank(uint8_t c)
{
	return c == ' ' || c == '\t';
}

#endif
