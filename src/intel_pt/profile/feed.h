/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_INTEL_PT_PROFILE_FEED_H
#define TL_INTEL_PT_PROFILE_FEED_H
/*
 * What is decoded: stretches of trace, each of one thread over one image, and where their code is
 * from. A raw trace is one such piece; a container gives many (open/adapters/). All
 * that shows or folds traces works on this.
 */
#include <tracelathe/intel_pt.h>

#include "intel_pt/code/mapping.h"

/*
 * A stretch: bytes [from, to) of those that `config` spans; what stands before is there for what it
 * leaves behind.
 */
struct tl_pt_trace_slice {
	struct tl_pt_config config;
	uint64_t from, to;
	uint64_t base; /* offset of config.begin in the file, for messages */
	struct tl_pt_image *image;
	struct tl_pt_asid asid;        /* what the code is found under in it */
	uint64_t stream;               /* number of the buffer: pieces of several may alternate */
	uint64_t process, thread, cpu; /* TL_NOWHERE: unknown */
	const char *command;           /* "" */
	/* the stream's piece before goes on here, with another space or thread */
	bool continues;
	bool gap; /* trace is missing before it */
};

struct tl_pt_feed {
	/* 1 and a piece, 0 at the end, negative tl_status. */
	int (*next)(void *arg, struct tl_pt_trace_slice *piece, struct tl_error *err);
	void (*rewind)(void *arg);
	/* Of an address of the piece given last. False: of no mapping known. */
	bool (*place)(void *arg, uint64_t ip, struct tl_pt_mapping *place);
	/*
	 * Files of code that were given and had nothing that ran: their names, by number; NULL: no
	 * more. NULL: not known.
	 */
	const char *(*unused)(void *arg, size_t number);
	/*
	 * Bytes of the piece given last, from config.begin on, will hardly be read again. NULL: no
	 * matter.
	 */
	void (*passed)(void *arg, uint64_t bytes);
	void *arg;
	uint64_t frequency; /* of the TSC, 0: unknown */
	bool timed;         /* there is time in the trace */
	bool raw_names;     /* no demangling */
};

/* ---- decoders of a feed (feed.c): one for each stream ---- */

struct tl_pt_decoders {
	struct tl_pt_decoder **list; /* by stream */
	size_t count, capacity;
	unsigned jobs; /* threads to decode with; 0: 1 */
};

/*
 * The decoder of a piece, at its beginning; it stops at its end. Returns the status of
 * synchronising, 0 when it goes on, or a negative tl_pt_error, -TL_PT_EOS: there is nothing to
 * decode in it. `flags` are added to the configuration's.
 */
int tl_pt_decoders_open(struct tl_pt_decoders *decoders, const struct tl_pt_trace_slice *piece,
			uint32_t flags, struct tl_pt_decoder **decoder);
/* Decode the piece for what it leaves behind. 0, or -TL_PT_NOMEM. */
int tl_pt_pass_over(struct tl_pt_decoder *decoder, int status);
/* Close what the piece was the last of. False: it was not. */
bool tl_pt_decoders_done(struct tl_pt_decoders *decoders, const struct tl_pt_trace_slice *piece);
void tl_pt_decoders_close(struct tl_pt_decoders *decoders);

#endif
