/* SPDX-License-Identifier: Apache-2.0 */
/* AArch64: -fpatchable-function-entry=2 or more has room for `mov x9, x30` and `bl`. */
#include "entries.h"

#include <string.h>

#include "fentry.h"

enum { CALL_BYTES = 8 };

/* Arm ARM C6.2: NOP; MOV (register); BL; LDR (literal), of the word 8 bytes further on; BR. */
static const uint32_t nop = 0xd503201f, keep_return = 0xaa1e03e9, branch_with_link = 0x94000000;
static const uint32_t load_target = 0x58000050, branch = 0xd61f0200;

static size_t room_at(const uint8_t *at)
{
	const uint32_t room[] = { nop, nop };

	return memcmp(at, room, CALL_BYTES) ? 0 : CALL_BYTES;
}

static void write_call(uint8_t *at, size_t room, const uint8_t *jump)
{
	int64_t distance = (jump - (at + 4)) / 4;
	const uint32_t call[] = { keep_return,
				  branch_with_link | ((uint32_t)distance & 0x3ffffff) };

	memcpy(at, call, room);
	__builtin___clear_cache((char *)at, (char *)at + room);
}

static void write_jump(uint8_t *at)
{
	const uint32_t jump[] = { load_target, branch };
	uint64_t target = (uintptr_t)__fentry__;

	memcpy(at, jump, sizeof(jump));
	memcpy(at + sizeof(jump), &target, sizeof(target));
	__builtin___clear_cache((char *)at, (char *)at + sizeof(jump));
}

const struct rt_entries rt_entries = {
	.room_at = room_at,
	.write_call = write_call,
	.write_jump = write_jump,
	.landing_pad = { 0x5f, 0x24, 0x03, 0xd5 }, /* bti c: -mbranch-protection */
	.reach = 1 << 26, /* half of what `bl` reaches, as the object's code has its own size */
};
