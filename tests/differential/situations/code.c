/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The code that all traces run: one instruction of each kind that packets are bound to, with plain
 * ones between. Its plain instructions are the same in every execution mode.
 */
#include "situations.h"

#include <string.h>

enum { BASE = 0x1000 };

static const struct insn {
	uint8_t size;
	uint8_t bytes[5];
	uint64_t target; /* of a direct jump or call */
} insns[] = {
	{ 1, { 0x90 }, 0 },                     /* 1000 */
	{ 1, { 0x90 }, 0 },                     /* 1001 */
	{ 2, { 0x74, 0x0c }, 0 },               /* 1002 jz 1010 */
	{ 1, { 0x90 }, 0 },                     /* 1004 */
	{ 2, { 0xff, 0xe0 }, 0 },               /* 1005 jmp *rax */
	{ 1, { 0x90 }, 0 },                     /* 1007 */
	{ 5, { 0xe8, 0x33, 0, 0, 0 }, 0x1040 }, /* 1008 call 1040 */
	{ 1, { 0x90 }, 0 },                     /* 100d */
	{ 2, { 0xeb, 0xf0 }, 0x1000 },          /* 100e jmp 1000 */
	{ 1, { 0x90 }, 0 },                     /* 1010 */
	{ 3, { 0x0f, 0x22, 0xd8 }, 0 },         /* 1011 mov %rax, %cr3 */
	{ 1, { 0x90 }, 0 },                     /* 1014 */
	{ 4, { 0xf3, 0x0f, 0xae, 0xe0 }, 0 },   /* 1015 ptwrite %eax */
	{ 1, { 0x90 }, 0 },                     /* 1019 */
	{ 1, { 0x90 }, 0 },                     /* 101a */
	{ 3, { 0x0f, 0x01, 0xc2 }, 0 },         /* 101b vmlaunch */
	{ 1, { 0x90 }, 0 },                     /* 101e */
	{ 2, { 0x0f, 0x05 }, 0 },               /* 101f syscall */
	{ 1, { 0x90 }, 0 },                     /* 1021 */
	{ 2, { 0x75, 0xdc }, 0 },               /* 1022 jnz 1000 */
	{ 1, { 0x90 }, 0 },                     /* 1024 */
	{ 3, { 0x0f, 0xc7, 0x30 }, 0 },         /* 1025 vmptrld (%rax) */
	{ 1, { 0x90 }, 0 },                     /* 1028 */
	{ 2, { 0xeb, 0xd5 }, 0x1000 },          /* 1029 jmp 1000 */
};

enum { SIZE = 0x100, COUNT = sizeof(insns) / sizeof(insns[0]) };

/* Behind the table plain ones, and a return where the call goes. */
static const uint8_t *code(void)
{
	static uint8_t bytes[SIZE];
	size_t at = 0;

	if (bytes[0])
		return bytes;
	memset(bytes, 0x90, sizeof(bytes));
	for (size_t i = 0; i < COUNT; at += insns[i++].size)
		memcpy(bytes + at, insns[i].bytes, insns[i].size);
	bytes[0x44] = 0xc3;
	return bytes;
}

int read_code(uint8_t *buffer, size_t size, const struct pt_asid *asid, uint64_t ip, void *context)
{
	(void)asid, (void)context;
	if (ip < BASE || ip >= BASE + SIZE)
		return -pte_nomap;
	if (size > BASE + SIZE - ip)
		size = (size_t)(BASE + SIZE - ip);
	memcpy(buffer, code() + (ip - BASE), size);
	return (int)size;
}

uint64_t after_insn(uint64_t ip)
{
	uint64_t at = BASE;

	for (size_t i = 0; i < COUNT; at += insns[i++].size)
		if (at == ip)
			return insns[i].target ? insns[i].target : ip + insns[i].size;
	return ip >= at && ip < BASE + SIZE ? ip + 1 : 0;
}
