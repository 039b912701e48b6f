/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XRAY_LISTING_DECODERS_H
#define TL_XRAY_LISTING_DECODERS_H
/*
 * What the bytes of custom and typed events mean. The runtime writes them as they come, and a log
 * names neither an event nor its fields: whoever wrote the program says it, one text a kind of
 * event,
 *
 *   EVENT[:NAME]=FORM
 *
 * EVENT: "custom", the number of a type of typed events, or "typed", all others of them. NAME: what
 * the event is called. FORM: "text"; "integer", "unsigned", "hex", of 1, 2, 4 or 8 bytes;
 * "struct:TYPE[ NAME][,...]" with TYPE i8 to i64, u8 to u64, x8 to x64 (in hexadecimal), f32, f64,
 * sN (a text of N bytes, which may end before with a NUL), padN (N bytes that mean nothing), and s
 * and pad, the last one, for all that is left. Numbers have the byte order of the log, and nothing
 * between them that is not told.
 */
#include <tracelathe/timeline.h>

#include "xray/records/reader.h"

enum { TL_XRAY_MOST_FIELDS = 64 };

struct tl_xray_decoder;

struct tl_xray_decoders {
	struct tl_xray_decoder *list;
	size_t count;
	bool swap; /* the byte order of the log is not the host's */
	/* Events whose bytes were not of the form of their decoder, and where the first one is. */
	uint64_t misfits, first_misfit;
};

/* An event with its meaning. */
struct tl_xray_event {
	const char *name; /* NULL: the decoder gives none */
	size_t count;
	struct tl_timeline_arg fields[TL_XRAY_MOST_FIELDS];
};

/* 0, TL_BAD_USAGE or TL_NO_MEMORY; tl_xray_decoders_free() after either. */
int tl_xray_decoders_open(struct tl_xray_decoders *decoders, const char *const *texts, size_t count,
			  bool big_endian, struct tl_error *err);
void tl_xray_decoders_free(struct tl_xray_decoders *decoders);

/*
 * The fields of a record, which live as long as its payload. False: it is no event, has no decoder,
 * or is not of its form, which is counted; event->name is set where there is one. NULL decoders
 * are none.
 */
bool tl_xray_decode_event(struct tl_xray_decoders *decoders, const struct tl_xray_record *record,
			  struct tl_xray_event *event);

#endif
