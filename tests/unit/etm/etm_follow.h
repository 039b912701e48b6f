/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_ETM_FOLLOW_H
#define TESTS_UNIT_ETM_FOLLOW_H
/* The ranges that the flow tells of a machine's trace. */
#include "etm/flow/flow.h"
#include "etm/packets/reader.h"
#include "etm_machine.h"

struct followed {
	struct m_range ranges[M_RANGES];
	size_t count;
	uint64_t gaps[TL_ETM_GAPS];
	uint64_t lost_atoms;
};

/* What a machine's unit is, by registers. */
static inline struct tl_etm_config m_config(const struct m_unit *unit)
{
	return (struct tl_etm_config){
		.idr0 = 0x28000ea1,
		.idr1 = 0x4100f403,
		.idr2 = 8 | 4 << 5 | 1 << 10,
		.idr8 = unit->depth,
		.configr = 0xc1 | (unsigned)unit->has_return_stack << 12,
	};
}

static inline const uint8_t *m_code(void *arg, uint64_t address, size_t *size)
{
	const struct machine *m = arg;

	if (address < M_BASE || address >= M_BASE + sizeof(m->bytes) || address % 4)
		return NULL;
	*size = sizeof(m->bytes) - (size_t)(address - M_BASE);
	return m->bytes + (address - M_BASE);
}

static inline int m_take_range(void *arg, const struct tl_etm_place *place,
			       const struct tl_etm_range *range)
{
	struct followed *f = arg;

	(void)place;
	assert(f->count < M_RANGES);
	f->ranges[f->count++] =
		(struct m_range){ range->address, range->address + 4 * (uint64_t)range->count };
	return 0;
}

/* 0 or negative. */
static inline int m_follow(struct machine *m, const struct etm_bytes *b, struct followed *f)
{
	const struct tl_etm_config config = m_config(&m->unit);
	const struct tl_etm_trace trace = { b->data, b->data + b->size, false };
	const struct tl_etm_told told = { m_take_range, f };
	struct tl_etm_reader *reader = malloc(sizeof(*reader));
	struct tl_etm_blocks *blocks = malloc(sizeof(*blocks));
	struct tl_etm_packet packet;
	struct tl_etm_flow flow;
	enum tl_etm_read read;
	int status = 0;

	f->count = 0;
	tl_etm_blocks_begin(blocks, m_code, m, false, false);
	tl_etm_reader_begin(reader, &trace, 0, &config);
	tl_etm_flow_begin(&flow, &config, blocks, &told);
	while (status == 0 && (read = tl_etm_reader_next(reader, &packet)) != TL_ETM_END) {
		if (read == TL_ETM_LOST)
			tl_etm_flow_lost(&flow);
		else
			status = tl_etm_flow_packet(&flow, &packet);
	}
	memcpy(f->gaps, flow.gaps, sizeof(f->gaps));
	f->lost_atoms = flow.lost_atoms;
	tl_etm_flow_end(&flow);
	free(blocks);
	free(reader);
	return status;
}

#endif
