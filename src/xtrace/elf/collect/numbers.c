/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The numbers of signals by their handlers. rt_sigaction(number, act, ...) tells a handler's
 * address in the memory at `act`, which is stored shortly before the call.
 */
#include <stdlib.h>

#include "core/cursor.h"
#include "core/memory.h"
#include "xtrace/elf/collect/collector.h"

enum { RT_SIGACTION = 134, STORES = 64, SIGSEGV_NUMBER = 11, SIGBUS_NUMBER = 7 };

/* A handler, and the signals that it is for. */
struct handler_numbers {
	uint64_t pc, numbers; /* as bits, from 1 */
};

struct number_scan {
	struct handler_numbers *handlers;
	size_t count, capacity;
	struct {
		uint64_t address, value;
	} stores[STORES]; /* the last ones */
	size_t next;
	uint64_t arguments[3]; /* of the last system call: X8, X0, X1 */
	unsigned argument_count;
};

static void take_store(struct number_scan *scan, const struct tl_xtrace_walk *w)
{
	size_t size = tl_xtrace_access_size(*w->token);

	for (size_t i = 0; i + 8 <= size; i += 8) {
		scan->stores[scan->next].address = tl_xtrace_walk_value(w) + i;
		scan->stores[scan->next].value = tl_get64s(w->token + 9 + i, TL_HOST_BIG_ENDIAN);
		scan->next = (scan->next + 1) % STORES;
	}
}

/* The value that was last stored to an address; 0: not lately. */
static uint64_t stored_at(const struct number_scan *scan, uint64_t address)
{
	for (size_t i = 0; i < STORES; i++) {
		size_t at = (scan->next + STORES - 1 - i) % STORES;

		if (scan->stores[at].address == address)
			return scan->stores[at].value;
	}
	return 0;
}

static struct handler_numbers *numbers_of(const struct number_scan *scan, uint64_t pc)
{
	for (size_t i = 0; i < scan->count; i++)
		if (scan->handlers[i].pc == pc)
			return &scan->handlers[i];
	return NULL;
}

static bool take_call(struct number_scan *scan)
{
	uint64_t number = scan->arguments[1], pc = stored_at(scan, scan->arguments[2]);
	struct handler_numbers *handler;

	if (scan->arguments[0] != RT_SIGACTION || number - 1 >= 63 || !pc)
		return true;
	handler = numbers_of(scan, pc);
	if (!handler) {
		if (!tl_grow(&scan->handlers, &scan->capacity, scan->count + 1,
			     sizeof(*scan->handlers)))
			return false;
		handler = &scan->handlers[scan->count++];
		*handler = (struct handler_numbers){ .pc = pc };
	}
	handler->numbers |= UINT64_C(1) << number;
	return true;
}

static bool take_token(struct number_scan *scan, const struct tl_xtrace_walk *w,
		       enum tl_xtrace_kind kind)
{
	if (kind == TL_XTRACE_STORE) {
		take_store(scan, w);
	} else if (kind == TL_XTRACE_SVCARG && scan->argument_count < 3) {
		scan->arguments[scan->argument_count++] = tl_xtrace_walk_value(w);
		return scan->argument_count < 3 || take_call(scan);
	} else if (tl_xtrace_is_instruction(kind)) {
		scan->argument_count = 0;
	}
	return true;
}

static bool scan_streams(struct number_scan *scan, struct tl_xtrace_trace *trace)
{
	bool good = true;

	for (uint32_t i = 0; i < trace->stream_count; i++) {
		const struct tl_xtrace_stream *stream = &trace->streams[i];

		for (size_t j = 0; j < stream->segment_count; j++) {
			struct tl_xtrace_walk w;
			enum tl_xtrace_kind kind;

			tl_xtrace_walk_begin(&w, trace, stream, &stream->segments[j]);
			while (good && (kind = tl_xtrace_walk_next(&w)) != TL_XTRACE_NONE)
				good = take_token(scan, &w, kind);
		}
	}
	return good;
}

/* The one signal that it can be; 0: there are several, or none. */
static uint64_t only_number(const struct handler_numbers *handler, bool faulted)
{
	const uint64_t faults = UINT64_C(1) << SIGSEGV_NUMBER | UINT64_C(1) << SIGBUS_NUMBER;
	uint64_t numbers = handler->numbers;

	if (faulted && numbers & faults)
		numbers &= faults;
	return numbers & (numbers - 1) ? 0 : (uint64_t)__builtin_ctzll(numbers);
}

static bool is_lacking(const struct tl_xtrace_replay_signal *signal)
{
	return signal->asked && !(signal->known & 1);
}

static void take_numbers(struct tl_xtrace_replay *replay, const struct number_scan *scan)
{
	for (size_t i = 0; i < replay->signal_count; i++) {
		struct tl_xtrace_replay_signal *signal = &replay->signals[i];
		const struct handler_numbers *handler = numbers_of(scan, signal->pc);

		if (!is_lacking(signal) || !handler)
			continue;
		signal->values[0] = only_number(handler, signal->before);
		signal->known |= signal->values[0] != 0;
	}
}

bool tl_xtrace_collect_numbers(struct tl_xtrace_replay *replay, struct tl_xtrace_trace *trace)
{
	struct number_scan scan = { .count = 0 };
	bool lacking = false, good;

	for (size_t i = 0; i < replay->signal_count; i++)
		lacking |= is_lacking(&replay->signals[i]);
	if (!lacking)
		return true;
	good = scan_streams(&scan, trace);
	if (good)
		take_numbers(replay, &scan);
	free(scan.handlers);
	return good;
}
