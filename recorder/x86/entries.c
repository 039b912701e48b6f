/* SPDX-License-Identifier: Apache-2.0 */
/* x86-64: -fpatchable-function-entry=5 or more has room for `call`. */
#include "entries.h"

#include <string.h>

#include "fentry.h"

enum { CALL_BYTES = 5 };

/* NOPs as compilers write them: single bytes, or the long forms of the Intel SDM, "NOP". */
static size_t nop_size(const uint8_t *at)
{
	static const struct {
		uint8_t size, bytes[4];
	} forms[] = {
		{ 1, { 0x90 } },
		{ 2, { 0x66, 0x90 } },
		{ 3, { 0x0f, 0x1f, 0x00 } },
		{ 4, { 0x0f, 0x1f, 0x40, 0x00 } },
		{ 5, { 0x0f, 0x1f, 0x44, 0x00 } },
		{ 6, { 0x66, 0x0f, 0x1f, 0x44 } },
		{ 7, { 0x0f, 0x1f, 0x80, 0x00 } },
		{ 8, { 0x0f, 0x1f, 0x84, 0x00 } },
		{ 9, { 0x66, 0x0f, 0x1f, 0x84 } },
	};

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		if (!memcmp(at, forms[i].bytes, forms[i].size < 4 ? forms[i].size : 4))
			return forms[i].size;
	return 0;
}

static size_t room_at(const uint8_t *at)
{
	size_t size = 0, next;

	while (size < CALL_BYTES && (next = nop_size(at + size)) != 0)
		size += next;
	return size >= CALL_BYTES ? size : 0;
}

static void write_call(uint8_t *at, size_t room, const uint8_t *jump)
{
	int32_t distance = (int32_t)(jump - (at + CALL_BYTES));

	memset(at, 0x90, room);
	at[0] = 0xe8;
	memcpy(at + 1, &distance, sizeof(distance));
}

/* `jmp *0(%rip)` and the address. */
static void write_jump(uint8_t *at)
{
	static const uint8_t jump[] = { 0xff, 0x25, 0, 0, 0, 0 };
	uint64_t target = (uintptr_t)__fentry__;

	memcpy(at, jump, sizeof(jump));
	memcpy(at + sizeof(jump), &target, sizeof(target));
}

const struct rt_entries rt_entries = {
	.room_at = room_at,
	.write_call = write_call,
	.write_jump = write_jump,
	.landing_pad = { 0xf3, 0x0f, 0x1e, 0xfa }, /* endbr64: -fcf-protection */
	.reach = 1 << 30,
};
