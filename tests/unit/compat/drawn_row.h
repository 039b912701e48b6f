/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_COMPAT_DRAWN_ROW_H
#define TESTS_UNIT_COMPAT_DRAWN_ROW_H
/*
 * Traces over the code of told.h that are drawn, packet by packet: what may follow what is left to
 * chance, so that much of it is what no processor writes.
 */
#include "../chance.h"
#include "told_rows.h"

#define PIECE(...) { TRACE(__VA_ARGS__) }

/* Interrupts are at places that are reached, most of the time. */
static const struct piece {
	size_t size;
	uint8_t bytes[32];
} drawn_pieces[] = {
	PIECE(TAKEN),
	PIECE(NOT_TAKEN),
	PIECE(0x0e), /* taken, taken */
	PIECE(0x14), /* not, taken, not */
	PIECE(0x0c), /* taken, not */
	PIECE(TIP(0x1000)),
	PIECE(TIP(0x1010)),
	PIECE(TIP(0x1035)),
	PIECE(TIP(0x1040)),
	PIECE(TIP(0x1060)),
	PIECE(TIP(0x1102)),
	PIECE(BARE_TIP),
	PIECE(BARE_PGD),
	PIECE(PGD(0x1020)),
	PIECE(PGD(0x1035)),
	PIECE(PGD(0x1100)),
	PIECE(PGD(0x9000)),
	PIECE(PGE(0x1000)),
	PIECE(PGE(0x1035)),
	PIECE(PGE(0x104f)),
	PIECE(PGE(0x1078)),
	PIECE(BARE_PGD, PGE(0x1010)),
	PIECE(PGD(0x1030), PGE(0x1030)),
	PIECE(FUP(0x1002)),
	PIECE(FUP(0x1001), TIP(0x1060)),
	PIECE(FUP(0x1010), TIP(0x1050)),
	PIECE(FUP(0x1030), TIP(0x1030)),
	PIECE(FUP(0x1053), TIP(0x1000)),
	PIECE(FUP(0x1100), TIP(0x1010)),
	PIECE(FUP(0x1012), PGD(0x9000)),
	PIECE(FUP(0x1035), BARE_PGD),
	PIECE(FUP(0x1101), PGD(0x1000)),
	PIECE(PIP(3)),
	PIECE(PIP(4)),
	PIECE(VMCS(7)),
	PIECE(TSC(0x300)),
	PIECE(TSC(0x450)),
	PIECE(CBR(8)),
	PIECE(MNT(6)),
	PIECE(0x59, 0x20), /* MTC */
	PIECE(0x1b),       /* CYC */
	PIECE(OVF),
	PIECE(OVF, FUP(0x1000)),
	PIECE(OVF, FUP(0x1101)),
	PIECE(OVF, PGE(0x1010)),
	PIECE(STOP),
	PIECE(BARE_PGD, STOP),
	PIECE(EXSTOP),
	PIECE(EXSTOP_IP, FUP(0x1011)),
	PIECE(EXSTOP_IP),
	PIECE(PTW),
	PIECE(PTW_IP, FUP(0x1058)),
	PIECE(PTW_IP, FUP(0x1002)),
	PIECE(MWAIT, FUP(0x1012)),
	PIECE(MWAIT),
	PIECE(PWRE),
	PIECE(2, 0xa2, 0x31, 0, 0, 0, 0), /* PWRX */
	PIECE(BEGIN_TX, FUP(0x1001)),
	PIECE(BEGIN_TX, FUP(0x1040)),
	PIECE(END_TX, FUP(0x1003)),
	PIECE(END_TX, FUP(0x1010)),
	PIECE(ABORT_TX, FUP(0x1004), TIP(0x1060)),
	PIECE(ABORT_TX, FUP(0x1020), TIP(0x1000)),
	PIECE(ABORT_TX, FUP(0x1012), PGD(0x9000)),
	PIECE(BEGIN_TX),
	PIECE(MODE64),
	PIECE(0x99, 2), /* 32 bits */
	PIECE(0x99, 2, TIP(0x1000)),
	PIECE(0x99, 0, PGE(0x1010)),
	PIECE(ON(0x1010)),
	PIECE(ON(0x1000)),
	PIECE(OFF),
	PIECE(0),
};

static inline void draw_piece(struct row *row, const struct piece *piece)
{
	if (row->size + piece->size > BYTES)
		return;
	memcpy(row->bytes + row->size, piece->bytes, piece->size);
	row->size += piece->size;
}

/* Tracing is on in front of an instruction that something is bound to, or off. */
static inline void draw_row(struct row *row, uint32_t number)
{
	enum { PIECES = sizeof(drawn_pieces) / sizeof(drawn_pieces[0]) };
	static const uint8_t begin[] = { 0x00, 0x0f, 0x1f, 0x2f, 0x3f, 0x47, 0x4f,
					 0x57, 0x5f, 0x67, 0x6f, 0x77, 0x80, 0x87 };
	static const uint32_t errata[] = { BDM70,  BDM64,  SKD007, SKD022,
					   SKD010, SKL014, APL12,  APL11 };
	struct piece on = PIECE(ON(0x1000)), off = PIECE(OFF);
	uint32_t seed = number * 2654435761u;

	*row = (struct row){ .title = "a drawn trace" };
	if (!chance(&seed, 3))
		row->with |= errata[chance(&seed, 8)];
	if (!chance(&seed, 4))
		row->with |= errata[chance(&seed, 8)];
	row->with |= chance(&seed, 4) ? 0 : ENDS;
	row->with |= chance(&seed, 5) ? 0 : TICKS;
	if (!chance(&seed, 8))
		row->with |= chance(&seed, 2) ? FILTER : STOPS;
	on.bytes[19] = begin[chance(&seed, sizeof(begin))];
	draw_piece(row, chance(&seed, 5) ? &on : &off);
	for (unsigned left = 2 + chance(&seed, 6); left; left--)
		draw_piece(row, &drawn_pieces[chance(&seed, PIECES)]);
}

#endif
