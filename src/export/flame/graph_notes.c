/* SPDX-License-Identifier: Apache-2.0 */
/* The sentences below a flame graph: what was estimated, summed, lost. */
#include "core/text/optional.h"
#include "export/flame/flame.h"
#include "profile/model/unsized.h"

#include <stdio.h>

static bool has_negative(const struct tl_flame *flame)
{
	for (size_t i = 0; i < flame->drawn.cell_count * flame->event_count; i++)
		if (flame->drawn.self[i] < 0)
			return true;
	return false;
}

struct noted {
	uint64_t (*count)(const struct tl_losses *losses);
	const char *one, *many;
};

static uint64_t unfinished(const struct tl_losses *losses)
{
	return losses->unfinished;
}

static uint64_t orphans(const struct tl_losses *losses)
{
	return losses->orphan_exits;
}

static uint64_t skipped(const struct tl_losses *losses)
{
	return losses->skipped_bytes;
}

static void note_losses(const struct tl_flame *flame, tl_flame_note_fn *note, void *arg)
{
	static const struct noted losses[] = {
		{ unfinished,
		  "call had not ended when the trace did; its cost is counted, the call is not.",
		  "calls had not ended when the trace did; their cost is counted, the calls are "
		  "not." },
		{ orphans, "exit has no entry in the trace and is left out.",
		  "exits have no entry in the trace and are left out." },
		{ skipped, "byte of the trace is damaged and skipped.",
		  "bytes of the trace are damaged and skipped." },
	};
	struct tl_losses lost = tl_profile_losses_of(flame->profile[0]);

	for (size_t i = 0; i < sizeof(losses) / sizeof(losses[0]); i++) {
		uint64_t count = losses[i].count(&lost);
		char number[32], text[160];

		if (!count)
			continue;
		snprintf(text, sizeof(text), "%s %s", tl_flame_grouped(count, number),
			 count == 1 ? losses[i].one : losses[i].many);
		note(arg, text);
	}
}

#define ESTIMATED                                                                                  \
	"The profile has no call stacks: paths are estimated from callers and callees, dividing "  \
	"each "                                                                                    \
	"function's cost as it is divided in the profile as a whole. "

static void note_left_out(const struct tl_flame *flame, tl_flame_note_fn *note, void *arg)
{
	static const char one[] = "stack below %.2g %% of the total%s is summed into its caller";
	static const char many[] =
		"stacks below %.2g %% of the total%s are summed into their callers";
	bool by_thread = flame->columns.count > 1 && !flame->profile[1];
	char number[32], stacks[192], text[256];

	snprintf(stacks, sizeof(stacks), flame->drawn.left_out == 1 ? one : many,
		 flame->drawn.threshold * 100, tl_text_if(by_thread, ", and of their thread's,"));
	snprintf(text, sizeof(text), "%s %s as \"(other)\".",
		 tl_flame_grouped(flame->drawn.left_out, number), stacks);
	note(arg, text);
}

void tl_flame_notes(const struct tl_flame *flame, tl_flame_note_fn *note, void *arg)
{
	char number[32], text[256];

	if (flame->estimated && tl_profile_estimated(flame->profile[0]))
		note(arg, ESTIMATED "Totals are exact.");
	else if (flame->estimated)
		note(arg, ESTIMATED "Totals and the table are exact.");
	if (tl_profile_emulated(flame->profile[0]))
		note(arg, "An emulator ran the program: times are the emulator's.");
	if (flame->drawn.left_out)
		note_left_out(flame, note, arg);
	if (flame->drawn.too_deep) {
		snprintf(text, sizeof(text),
			 "Stacks are drawn %u frames deep; %s below that %s summed.",
			 (unsigned)flame->options.most_depth,
			 tl_flame_grouped(flame->drawn.too_deep, number),
			 flame->drawn.too_deep == 1 ? "is" : "are");
		note(arg, text);
	}
	if (has_negative(flame))
		note(arg,
		     "Some costs are below zero: they count in the totals, and have no width.");
	note_losses(flame, note, arg);
}
