/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_COMPAT_H
#define TL_COMPAT_H
/*
 * What the files of the drop-in share: the published structures on one side, ours on the other.
 * Packets, sections and encoders are copies of fields; the decoders of flow are here (trace.h,
 * flow.h), since what they give after every single call is part of the interface.
 */
#define pt_export __attribute__((visibility("default")))
#include "intel-pt.h"

#include <tracelathe/intel_pt.h>

#include <pthread.h>
#include <stdbool.h>

/* A configuration twice: as the caller may ask for it again, and as our decoders take it. Must not
 * be moved. */
struct tl_compat_config {
	struct pt_config user;
	struct tl_pt_config ours;
	void *priv; /* what the callback for unknown packets left with the last one */
};

/* What a configuration is for: flags stand at places of their own for each kind of decoder. */
enum tl_compat_use { TL_COMPAT_PACKETS, TL_COMPAT_QUERY, TL_COMPAT_INSN, TL_COMPAT_BLOCK };

/* Copy `from` by its own size (3.1). False: no decoder can be made from it. */
bool tl_compat_config(struct tl_compat_config *to, const struct pt_config *from,
		      enum tl_compat_use use);

/* The caller's structure: what it has room for, zeros where it knows more than we do. */
void tl_compat_give(void *to, size_t size, const void *from, size_t known);

/* An address space of the caller; NULL: any. So is what it is too short for. */
void tl_compat_asid(struct tl_pt_asid *to, const struct pt_asid *from);

/* An event: what the caller has room for, and nothing behind it. */
void tl_compat_give_event(struct pt_event *to, size_t size, const struct pt_event *from);

/* A time as a decoder of ours gives it. */
struct tl_compat_time {
	uint64_t tsc;
	uint32_t lost_mtc, lost_cyc;
	int status;
	uint32_t cbr;
	bool have_cbr;
};

/* Give it to the caller, who may not want to know what was lost: also with -pte_no_time. */
int tl_compat_time(const struct tl_compat_time *now, uint64_t *time, uint32_t *lost_mtc,
		   uint32_t *lost_cyc);
int tl_compat_cbr(const struct tl_compat_time *now, uint32_t *cbr);

void tl_compat_packet_out(struct pt_packet *to, const struct tl_pt_packet *from);
/* 0 or -pte_bad_opc. */
int tl_compat_packet_in(struct tl_pt_packet *to, const struct pt_packet *from);
void tl_compat_event(struct pt_event *to, const struct tl_pt_event *from);

/* A file that cannot be read is an invalid argument in 2.0.5. */
int tl_compat_file(int status);

struct pt_image {
	struct tl_pt_image *image;
	read_memory_callback_t *callback;
	void *context;
};

/* Published as safe to use from several threads. */
struct pt_image_section_cache {
	struct tl_pt_cache *cache;
	pthread_mutex_t lock;
};

#endif
