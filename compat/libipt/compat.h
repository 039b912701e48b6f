/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_COMPAT_H
#define TL_COMPAT_H
/*
 * What the files of the drop-in share: the published structures on one side, ours on the other.
 * Everything between is a copy of fields; whatever decides anything is behind
 * <tracelathe/intel_pt.h>.
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

/* A time as a decoder of ours gives it. */
struct tl_compat_time {
	uint64_t tsc;
	uint32_t lost_mtc, lost_cyc;
	int status;
};

/*
 * Give it to the caller, who may not want to know what was lost. What is known is given with
 * -pte_no_time, too; and a decoder that is not synchronised has no time, and no ratio, rather than
 * no synchronisation (as 2.0.5).
 */
int tl_compat_time(const struct tl_compat_time *now, uint64_t *time, uint32_t *lost_mtc,
		   uint32_t *lost_cyc);
int tl_compat_cbr(int status, uint32_t ratio, uint32_t *cbr);

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

/* What is behind pt_insn_decoder and pt_block_decoder. */
struct tl_compat_decoder {
	struct tl_pt_decoder *decoder;
	struct pt_image own, *current;
	bool pending; /* the last result said that an event is */
	struct tl_compat_config config;
};

struct tl_compat_decoder *tl_compat_decoder_open(const struct pt_config *config,
						 enum tl_compat_use use);
void tl_compat_decoder_close(struct tl_compat_decoder *dec);
int tl_compat_decoder_time(struct tl_compat_decoder *dec, uint64_t *time, uint32_t *lost_mtc,
			   uint32_t *lost_cyc);
int tl_compat_decoder_asid(const struct tl_compat_decoder *dec, struct pt_asid *asid, size_t size);
int tl_compat_decoder_event(struct tl_compat_decoder *dec, struct pt_event *event, size_t size);
/* A result, and what is to be remembered of it. */
int tl_compat_decoder_status(struct tl_compat_decoder *dec, int status);
/* What a sync function of ours gave, as those of 2.0.5 give it. */
int tl_compat_decoder_synced(struct tl_compat_decoder *dec, int status);
int tl_compat_decoder_set_image(struct tl_compat_decoder *dec, struct pt_image *image);

#endif
