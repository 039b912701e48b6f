/* SPDX-License-Identifier: Apache-2.0 */
/* What a handler changes of what it interrupted, by stores to the frame that the kernel made. */
#include "core/cursor.h"
#include "xtrace/elf/collect/collector.h"

/*
 * Linux, struct rt_sigframe: siginfo, ucontext with struct sigcontext at 176, whose registers are
 * behind the address of the fault and whose records are behind those. The first one is struct
 * fpsimd_context: its head, FPSR and FPCR, and V0 to V31.
 */
enum {
	FRAME_REGISTERS = 128 + 176 + 8,
	FRAME_RECORDS = 128 + 176 + 288,
	RECORD_STATUS = 8,
	RECORD_VECTORS = 16,
	RECORD_END = 16 + 16 * 32,
	FRAME_END = FRAME_RECORDS + 4096,
};

static void store_words(struct tl_xtrace_handler *handler, uint64_t at, const uint8_t *data,
			size_t size)
{
	if (at % 8 || size % 8) {
		handler->spoiled = true;
		return;
	}
	for (size_t i = 0; i < size; i += 8) {
		uint64_t word = (at + i) / 8;

		if (word >= TL_XTRACE_FRAME_WORDS) {
			handler->spoiled = true;
			return;
		}
		handler->words[word] = tl_get64s(data + i, TL_HOST_BIG_ENDIAN);
		handler->changed |= UINT64_C(1) << word;
	}
}

static void store_status(struct tl_xtrace_handler *handler, uint64_t at, const uint8_t *data)
{
	unsigned number = at != RECORD_STATUS;

	handler->status[number] = tl_get32s(data, TL_HOST_BIG_ENDIAN);
	handler->changed_status |= 1u << number;
}

/* In the first record, whole words; what is in others, or of them, does not come back. */
static void store_vectors(struct tl_xtrace_handler *handler, uint64_t at, const uint8_t *data,
			  size_t size)
{
	if (at % 4 || size % 4 || at < RECORD_STATUS || at + size > RECORD_END ||
	    (at + size > RECORD_VECTORS && (at % 8 || size % 8))) {
		handler->spoiled = true;
		return;
	}
	for (; size && at < RECORD_VECTORS; at += 4, data += 4, size -= 4)
		store_status(handler, at, data);
	for (; size; at += 8, data += 8, size -= 8) {
		uint64_t half = (at - RECORD_VECTORS) / 8;

		handler->halves[half] = tl_get64s(data, TL_HOST_BIG_ENDIAN);
		handler->changed_halves |= UINT64_C(1) << half;
	}
}

void tl_xtrace_handler_store(struct tl_xtrace_handler *handler,
			     const struct tl_xtrace_seen_access *seen)
{
	uint64_t at = seen->address - handler->frame;

	if (at >= FRAME_END)
		return;
	if (at >= FRAME_RECORDS)
		store_vectors(handler, at - FRAME_RECORDS, seen->data, seen->size);
	else if (at + seen->size > FRAME_REGISTERS)
		store_words(handler, at - FRAME_REGISTERS, seen->data, seen->size);
}
