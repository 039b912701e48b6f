/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_INTEL_PT_PROFILE_FEED_H
#define TL_INTEL_PT_PROFILE_FEED_H
/*
 * A feed: trace slices, each of one thread in one address space, and the mappings of their code. A
 * raw trace is one slice; a container gives many (open/adapters/). Listings and folds work on a
 * feed.
 */
#include <tracelathe/intel_pt.h>

#include "intel_pt/code/mapping.h"

/*
 * Bytes [from, to) of those that `config` spans. Bytes before `from` belong to earlier slices; they
 * are decoded for the state that they leave.
 */
struct tl_pt_trace_slice {
	struct tl_pt_config config;
	uint64_t from, to;
	uint64_t base; /* offset of config.begin in the file, for messages */
	struct tl_pt_image *image;
	struct tl_pt_asid asid;        /* of the slice's code in the image */
	uint64_t stream;               /* number of the buffer: slices of several may alternate */
	uint64_t process, thread, cpu; /* TL_NOWHERE: unknown */
	const char *command;           /* "" */
	/* the slice of this stream before it ends here: another address space or thread */
	bool continues;
	bool gap;   /* trace is missing before it */
	bool guest; /* code of a virtual machine */
	/* of a program that nothing describes: it is only decoded to keep the decoder in step */
	bool foreign;
};

struct tl_pt_feed {
	/* 1 and a slice, 0 at the end, negative tl_status. */
	int (*next)(void *arg, struct tl_pt_trace_slice *slice, struct tl_error *err);
	void (*rewind)(void *arg);
	/* The mapping of an address of the last slice. False: none is known. */
	bool (*mapping)(void *arg, uint64_t ip, struct tl_pt_mapping *mapping);
	/*
	 * Names, by number, of files of code that were given, but of which no instruction was
	 * executed; NULL behind the last. The operation is NULL if that is not known.
	 */
	const char *(*unused)(void *arg, size_t number);
	/*
	 * The first `bytes` bytes from config.begin of the last slice will not be read again: their
	 * memory may be released. NULL: not wanted.
	 */
	void (*passed)(void *arg, uint64_t bytes);
	void *arg;
	uint64_t frequency; /* of the TSC, 0: unknown */
	bool timed;         /* there is time in the trace */
	bool emulated;      /* it is that of an emulator, which ran the program */
	bool raw_names;     /* no demangling */
	/* asked for debug information that is not on this machine; NULL: nobody */
	const struct tl_debuginfod *debuginfod;
};

/* ---- decoders of a feed (feed.c): one for each stream ---- */

struct tl_pt_decoders {
	struct tl_pt_decoder **list; /* by stream */
	size_t count, capacity;
	unsigned jobs;   /* threads to decode with; 0: 1 */
	bool pass_quiet; /* quiet nodes are passed over (blocks/unsized.h), wherever possible */
};

/*
 * The decoder of a slice, at its beginning; it stops at its end. Returns the status of
 * synchronising, 0 for a slice that continues, or a negative tl_pt_error; -TL_PT_EOS: the slice has
 * no PSB. `flags` are added to those of the configuration.
 */
int tl_pt_decoders_open(struct tl_pt_decoders *decoders, const struct tl_pt_trace_slice *slice,
			uint32_t flags, struct tl_pt_decoder **decoder);
/*
 * Decode a slice that was not selected, so that the decoder stands at its end. 0, or -TL_PT_NOMEM.
 */
int tl_pt_pass_over(struct tl_pt_decoder *decoder, int status);
/* Close the decoder if the slice is the last of its bytes. False: it is not. */
bool tl_pt_decoders_done(struct tl_pt_decoders *decoders, const struct tl_pt_trace_slice *slice);
void tl_pt_decoders_close(struct tl_pt_decoders *decoders);

#endif
