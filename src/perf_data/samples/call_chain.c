/* SPDX-License-Identifier: Apache-2.0 */
#include "perf_data/samples/call_chain.h"

#include "core/arithmetic.h"
#include "perf_data/container/branch.h"

/* kernel.perf_event_max_stack where nobody changed it, and the attribute does not say. */
enum { DEFAULT_MAX_STACK = 127 };

/* Values of the processor mode in `misc` (UAPI, PERF_RECORD_MISC_CPUMODE_MASK). */
enum { MODE_HYPERVISOR = 3, MODE_GUEST_KERNEL = 4, MODE_GUEST_USER = 5 };

/* The marker of code that is none of this machine's processes', 0: it is. */
static uint64_t foreign_mode(const struct tl_perf_record *rec)
{
	switch (rec->misc & TL_PERF_MISC_CPUMODE) {
	case MODE_HYPERVISOR:
		return TL_PERF_CONTEXT_HV;
	case MODE_GUEST_KERNEL:
		return TL_PERF_CONTEXT_GUEST_KERNEL;
	case MODE_GUEST_USER:
		return TL_PERF_CONTEXT_GUEST_USER;
	default:
		return 0;
	}
}

static bool is_of_machine(uint64_t marker)
{
	return marker == TL_PERF_CONTEXT_GUEST || marker == TL_PERF_CONTEXT_GUEST_KERNEL ||
	       marker == TL_PERF_CONTEXT_GUEST_USER;
}

/* Whether the addresses behind a marker are in other maps than those of the stack. */
static bool is_foreign(uint64_t marker, bool in_machine)
{
	if (in_machine)
		return !is_of_machine(marker);
	return marker != TL_PERF_CONTEXT_KERNEL && marker != TL_PERF_CONTEXT_USER;
}

/* UAPI, PERF_SAMPLE_BRANCH_CALL_STACK. */
#define BRANCH_CALL_STACK (1u << 11)

uint64_t tl_perf_recorded_calls(const struct tl_perf_record *rec)
{
	return rec->attr->branch_type & BRANCH_CALL_STACK ? rec->sample.branch_count : 0;
}

/* The instructions that made the calls, the latest first. */
static void take_calls(struct tl_perf_call_chain *chain, const struct tl_perf_record *rec)
{
	for (uint64_t i = 0; i < tl_perf_recorded_calls(rec); i++) {
		const uint64_t from = tl_perf_branch_at(rec, i).from;

		if (from && from < TL_PERF_CONTEXT_MARKER)
			chain->list[chain->count++] = from;
	}
	chain->has_user = true;
}

/*
 * Callers of this machine's processes, up to a marker or a null word: nearly all words of a chain.
 * The number of them.
 */
static uint64_t take_callers(uint64_t *to, const uint8_t *at, uint64_t words, bool swapped,
			     bool *has_user)
{
	uint64_t least = UINT64_MAX, i;

	for (i = 0; i < words; i++) {
		const uint64_t word = tl_get64s(at + 8 * i, swapped);

		/* 0 becomes the largest number. */
		if (word - 1 >= TL_PERF_CONTEXT_MARKER - 1)
			break;
		to[i] = word - 1;
		least = tl_min(word, least);
	}
	*has_user |= i && !tl_perf_is_kernel_address(least);
	return i;
}

/* The words of a chain with its markers; `chain` has room for all of them. */
static void take_words(struct tl_perf_call_chain *chain, const struct tl_perf_record *rec,
		       bool in_machine)
{
	bool foreign = false, exact = true, has_user = chain->has_user;
	const bool has_calls = !in_machine && tl_perf_recorded_calls(rec) > 0;
	const uint64_t words = rec->sample.callchain_count;
	const uint8_t *at = rec->sample.callchain;
	uint64_t frames = 0, *to = chain->list + chain->count;
	const uint64_t limit = rec->attr->max_stack ? rec->attr->max_stack : DEFAULT_MAX_STACK;

	for (uint64_t i = 0; i < words; i++) {
		uint64_t word;

		if (!foreign && !exact && !has_calls) {
			const uint64_t callers =
				take_callers(to, at + 8 * i, words - i, rec->swapped, &has_user);

			to += callers;
			frames += callers;
			i += callers;
			if (i == words)
				break;
		}
		word = tl_get64s(at + 8 * i, rec->swapped);
		if (word >= TL_PERF_CONTEXT_MARKER) {
			foreign = is_foreign(word, in_machine);
			exact = true;
			if (foreign && !in_machine)
				*to++ = word;
			continue;
		}
		/* Callers of the process are known better. */
		if (!exact && has_calls && !tl_perf_is_kernel_address(word))
			continue;
		frames++;
		chain->left_out += foreign && in_machine;
		/*
		 * A frame pointer chain ends with a null word where the outermost function set it.
		 */
		if (!foreign && word) {
			*to++ = exact ? word : word - 1;
			has_user |= !tl_perf_is_kernel_address(word);
		}
		exact = false;
	}
	chain->count = (size_t)(to - chain->list);
	chain->has_user = has_user;
	chain->is_cut = frames >= limit;
}

bool tl_perf_call_chain_of(struct tl_perf_call_chain *chain, const struct tl_perf_record *rec,
			   bool in_machine)
{
	const uint64_t count = rec->sample.callchain_count, foreign = foreign_mode(rec);

	chain->count = 0;
	chain->has_user = foreign != 0;
	chain->is_cut = false;
	chain->left_out = 0;
	if (!tl_grow(&chain->list, &chain->capacity,
		     (size_t)(count + tl_perf_recorded_calls(rec)) + 1, sizeof(*chain->list)))
		return false;
	if (count)
		take_words(chain, rec, in_machine);
	if (!chain->count)
		chain->list[chain->count++] = foreign && !in_machine ? foreign : rec->sample.ip;
	if (!foreign && tl_perf_recorded_calls(rec) &&
	    !tl_perf_is_kernel_address(chain->list[chain->count - 1]))
		take_calls(chain, rec);
	return true;
}
