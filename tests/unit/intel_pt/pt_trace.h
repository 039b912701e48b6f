/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PT_TRACE_H
#define PT_TRACE_H
/*
 * Traces written packet by packet, as bytes (docs/formats/intel-pt.md, section 4). Addresses have
 * three bytes at most.
 */
#include <stdlib.h>
#include <string.h>

#include "../unit.h"

#include <tracelathe/intel_pt.h>

#define PSB                                                                                        \
	0x02, 0x82, 0x02, 0x82, 0x02, 0x82, 0x02, 0x82, 0x02, 0x82, 0x02, 0x82, 0x02, 0x82, 0x02,  \
		0x82
#define PSBEND 0x02, 0x23
#define OVF 0x02, 0xf3
#define STOP 0x02, 0x83
#define MODE_64 0x99, 0x01
#define MODE_32 0x99, 0x02
#define MODE_16 0x99, 0x00
#define IN_TX 0x99, 0x21
#define OUT_OF_TX 0x99, 0x20
#define ABORT_TX 0x99, 0x22
#define ADDRESS(a) (uint8_t)(a), (uint8_t)((a) >> 8), (uint8_t)((a) >> 16), 0, 0, 0
#define TIP(a) 0x6d, ADDRESS(a)
#define PGE(a) 0x71, ADDRESS(a)
#define PGD(a) 0x61, ADDRESS(a)
#define PGD_BARE 0x01
#define FUP(a) 0x7d, ADDRESS(a)
/* CR3 is bits 51:5; the value in the packet is shifted by one (4.2). */
#define PIP(cr3) 0x02, 0x43, (cr3) >> 4 & 0xff, (cr3) >> 12 & 0xff, 0, 0, 0, 0
/* Short TNT: a stop bit, then outcomes from the top; bit 0 is 0. */
#define TNT1(a) (0x04 | (a) << 1)
#define TNT2(a, b) (0x08 | (a) << 2 | (b) << 1)
#define TNT3(a, b, c) (0x10 | (a) << 3 | (b) << 2 | (c) << 1)

enum { START_BYTES = 16 + 2 + 7 + 2 };
#define START(a) PSB, MODE_64, FUP(a), PSBEND

struct scene {
	struct tl_pt_config config;
	struct tl_pt_image *image;
	struct tl_pt_decoder *decoder;
	int status;
};

/*
 * Open on a trace and on code at one address, and synchronise. Of `config`, errata and ranges
 * count.
 */
static inline void open_scene_with(struct scene *scene, const uint8_t *trace, size_t size,
				   uint64_t at, const uint8_t *code, size_t code_size,
				   const struct tl_pt_config *config)
{
	memset(scene, 0, sizeof(*scene));
	scene->config = *config;
	scene->config.size = sizeof(scene->config);
	scene->config.begin = trace;
	scene->config.end = trace + size;
	scene->image = tl_pt_image_open("scene");
	assert_non_null(scene->image);
	assert_int_equal(tl_pt_image_add_memory(scene->image, code, code_size, NULL, at, 1), 0);
	assert_int_equal(tl_pt_decoder_open(&scene->decoder, &scene->config, scene->image), 0);
	scene->status = tl_pt_decoder_sync_forward(scene->decoder);
}

static inline void open_scene(struct scene *scene, const uint8_t *trace, size_t size, uint64_t at,
			      const uint8_t *code, size_t code_size, uint32_t flags)
{
	const struct tl_pt_config config = { .flags = flags };

	open_scene_with(scene, trace, size, at, code, code_size, &config);
}

static inline void close_scene(struct scene *scene)
{
	tl_pt_decoder_close(scene->decoder);
	tl_pt_image_close(scene->image);
}

/* The next thing must be this event. */
static inline struct tl_pt_event want_event(struct scene *scene, enum tl_pt_event_kind kind)
{
	struct tl_pt_event event;

	assert_true(scene->status >= 0);
	assert_true(scene->status & TL_PT_EVENT_PENDING);
	scene->status = tl_pt_decoder_event_next(scene->decoder, &event, sizeof(event));
	assert_true(scene->status >= 0);
	assert_int_equal(event.kind, kind);
	return event;
}

/* The next thing must be this block. */
static inline struct tl_pt_block want_block(struct scene *scene, uint64_t ip, uint64_t end_ip,
					    unsigned ninsn)
{
	struct tl_pt_block block;

	assert_true(scene->status >= 0);
	assert_false(scene->status & TL_PT_EVENT_PENDING);
	scene->status = tl_pt_decoder_block_next(scene->decoder, &block, sizeof(block));
	assert_true(scene->status >= 0);
	assert_int_equal(block.ip, ip);
	assert_int_equal(block.end_ip, end_ip);
	assert_int_equal(block.ninsn, ninsn);
	return block;
}

/* Nothing more comes but this error, which stays, at this offset. */
static inline void want_error(struct scene *scene, enum tl_pt_error error, uint64_t offset)
{
	struct tl_pt_block block;
	uint64_t at;

	if (scene->status >= 0) {
		assert_false(scene->status & TL_PT_EVENT_PENDING);
		scene->status = tl_pt_decoder_block_next(scene->decoder, &block, sizeof(block));
	}
	assert_int_equal(scene->status, -(int)error);
	assert_int_equal(tl_pt_decoder_block_next(scene->decoder, &block, sizeof(block)),
			 -(int)error);
	assert_int_equal(tl_pt_decoder_offset(scene->decoder, &at), 0);
	assert_int_equal(at, offset);
}

#endif
