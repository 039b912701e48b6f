/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A finished fold as a profile: its events, functions, contexts and lines, and messages about its
 * files.
 */
#include <stdio.h>

#include "core/error.h"
#include "intel_pt/profile/fold.h"
#include "profile/model/model.h"

int tl_pt_fold_new_profile(const struct tl_pt_folder *f, struct tl_profile **profile,
			   struct tl_error *err)
{
	static const struct tl_event ticks = { "Ticks", "Ticks of the TSC", "ticks", "" };
	static const struct tl_event cycles = { "Cycles", "Cycles of the core", "cycles", "" };
	static const struct tl_event insns = { "Ir", "Instructions", "instructions", "" };
	struct tl_event events[] = { ticks, cycles, insns };
	uint32_t count = tl_pt_event_count(f);
	int status;

	events[count - 1] = insns;
	status = tl_profile_make(profile, "intel-pt", events, count,
				 f->timed ? f->feed->frequency : 0, err);

	if (status < 0)
		return status;
	(*profile)->timed = true;
	(*profile)->emulated = f->feed->emulated;
	(*profile)->sums.only = f->options->table;
	return 0;
}

static int add_thread(struct tl_pt_folder *f, struct tl_pt_fold_thread *t, const uint32_t *numbers,
		      struct tl_profile *profile, struct tl_error *err)
{
	struct tl_part part = {
		.process = t->process, .thread = t->thread, .command = t->command, .header = ""
	};
	uint32_t number = tl_profile_part_count(profile);
	int status = 1;

	if (f->share.ended) {
		tl_fold_pause(&t->stack.fold);
	} else {
		tl_pt_stack_finish(&t->stack);
		tl_fold_end(&t->stack.fold);
	}
	if (f->timed && !f->cycles.seen)
		tl_pt_cycles_drop(&t->stack.fold);
	if (f->sums.wanted)
		status = tl_fold_sums_hold(&t->stack.fold, f->threads.count, numbers,
					   tl_profile_function_count(profile));
	if (status < 0)
		return tl_error_memory(err);
	f->sums.refused |= status == 0;
	status = tl_fold_into(&t->stack.fold, profile, &part, numbers, f->options->per_thread, err);
	if (status == 0 && f->options->lines)
		status = tl_pt_addr_costs_into(f, t, number, numbers, profile, err);
	/* Freed one by one, so that the fold shrinks as the profile grows. */
	tl_pt_stack_end(&t->stack);
	return status;
}

static bool report_nameless(void *arg, const char *object, const char *why)
{
	char *text;

	if (asprintf(&text, "no names for the code of %s: %s", object, why) < 0)
		text = NULL;
	return tl_pt_fault_add_text(arg, text);
}

/* Report code without names, and files that were given but not executed. */
static bool report_files(struct tl_pt_folder *f)
{
	const char *path;
	char *text;

	if (!tl_pt_functions_describe(&f->functions, report_nameless, f->faults))
		return false;
	/*
	 * If no instruction was executed at all, the files are not to blame. Of a share, all of
	 * them are asked (tl_pt_share_meet()).
	 */
	for (size_t i = 0; f->functions.count && !f->share.on && f->feed->unused &&
			   (path = f->feed->unused(f->feed->arg, i));
	     i++) {
		if (asprintf(&text,
			     "no code of %s ran where it was put: is @ADDR of --binary right?",
			     path) < 0)
			text = NULL;
		if (!tl_pt_fault_add_text(f->faults, text))
			return false;
	}
	return true;
}

int tl_pt_fold_add_threads(struct tl_pt_folder *f, struct tl_profile *profile, struct tl_error *err)
{
	uint32_t *numbers = malloc((f->functions.count + 1) * sizeof(*numbers));
	int status = numbers ? tl_pt_functions_put(&f->functions, profile, numbers, err)
			     : tl_error_memory(err);

	for (size_t i = 0; status == 0 && i < f->threads.count; i++)
		status = add_thread(f, &f->threads.list[i], numbers, profile, err);
	free(numbers);
	if (status == 0 && !report_files(f))
		return tl_error_memory(err);
	if (status != 0)
		return status;
	return tl_profile_finish(profile, err);
}
