/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Errata by processor (7): the present table, and that of version 2.0.5 of the published interface.
 */
#include <tracelathe/intel_pt.h>

enum { NOW = 1, CLASSIC = 2, BOTH = NOW | CLASSIC };

struct models {
	uint8_t family;
	uint8_t tables; /* which of the two tables the row belongs to */
	uint16_t errata;
	uint8_t list[12]; /* models; 0 ends the list */
};

enum {
	BDM = TL_PT_BDM70 | TL_PT_BDM64,
	PGE = TL_PT_BDM70 | TL_PT_SKD022,
};

static const struct models models[] = {
	{ 6, BOTH, BDM, { 0x3d, 0x47, 0x4f, 0x56 } },
	{ 6,
	  BOTH,
	  TL_PT_BDM70 | TL_PT_SKD007 | TL_PT_SKD022 | TL_PT_SKD010 | TL_PT_SKL014 | TL_PT_SKL168,
	  { 0x4e, 0x5e, 0x8e, 0x9e, 0xa5, 0xa6 } },
	{ 6, BOTH, PGE | TL_PT_SKL014 | TL_PT_SKZ84, { 0x55, 0x6a, 0x6c } },
	{ 6, CLASSIC, PGE | TL_PT_SKL014 | TL_PT_SKZ84, { 0x8f } },
	{ 6, NOW, PGE | TL_PT_SKZ84, { 0x8f, 0xad, 0xae, 0xcf } },
	{ 6, BOTH, PGE | TL_PT_SKL014, { 0x66, 0x7d, 0x7e, 0x8c, 0x8d, 0xa7, 0xa8 } },
	{ 6, CLASSIC, PGE | TL_PT_SKL014 | TL_PT_APL11, { 0x97, 0x9a, 0xbf } },
	{ 6, NOW, PGE | TL_PT_APL11, { 0x97, 0x9a, 0xbf } },
	{ 6,
	  NOW,
	  PGE | TL_PT_APL11,
	  { 0xaa, 0xac, 0xb5, 0xb7, 0xba, 0xbd, 0xc5, 0xc6, 0xcc, 0xd5 } },
	{ 6, BOTH, TL_PT_APL12 | TL_PT_APL11, { 0x5c, 0x5f } },
	{ 6, BOTH, TL_PT_APL11, { 0x7a, 0x86, 0x96, 0x9c } },
	{ 6, NOW, TL_PT_APL11, { 0xaf, 0xb6, 0xdd } },
	{ 0x12, NOW, PGE | TL_PT_APL11, { 0x01, 0x03 } },
	{ 0x13, NOW, PGE | TL_PT_SKZ84, { 0x01 } },
};

static bool listed(const struct models *row, const struct tl_pt_cpu *cpu)
{
	for (size_t i = 0; i < sizeof(row->list) && row->list[i]; i++)
		if (row->list[i] == cpu->model)
			return row->family == cpu->family;
	return false;
}

int tl_pt_cpu_errata(uint32_t *errata, const struct tl_pt_cpu *cpu, bool classic)
{
	unsigned table = classic ? CLASSIC : NOW;

	*errata = 0;
	for (size_t i = 0; cpu->intel && i < sizeof(models) / sizeof(models[0]); i++)
		if (models[i].tables & table && listed(&models[i], cpu)) {
			*errata = models[i].errata;
			return 0;
		}
	return -TL_PT_BAD_CPU;
}
