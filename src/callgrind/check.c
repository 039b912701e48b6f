/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules: those of lines and parts are noticed by the reader as it goes, for which see layout.c; those of the whole
 * profile are looked at here.
 */
#include "callgrind/fold.h"
#include "core/error.h"

struct checking {
	tl_callgrind_violation_fn *fn;
	void *arg;
	int64_t violations;
	bool stopped;
};

static int violate(void *arg, enum callgrind_rule rule, uint64_t offset, uint64_t line, uint32_t part)
{
	struct checking *c = arg;
	const struct tl_callgrind_violation violation = {
		.rule = tl_callgrind_rules[rule].id, .text = tl_callgrind_rules[rule].text,
		.offset = offset, .line = line, .part = part,
	};

	c->violations++;
	c->stopped = c->fn(c->arg, &violation) != 0;
	return c->stopped;
}

/*
 * What the calls of a function cost is what it and its callees cost, if all its calls end where the profile ends. Where
 * the calls cost less there must be another way into it: a caller that is not in the file. Profiles that were dumped
 * while the function ran have such, and those whose threads begin in it; then nothing of the sum is there at all.
 */
static int check_inclusive(struct checking *c, const struct tl_profile *profile)
{
	(void)c;
	(void)profile;
	return 0;
}

int64_t tl_callgrind_check(struct tl_callgrind_reader *reader, tl_callgrind_violation_fn *fn, void *arg,
			   struct tl_error *err)
{
	struct checking c = { .fn = fn, .arg = arg };
	struct tl_callgrind_fold_options options = {
		.size = sizeof(options), .part = TL_NOWHERE, .thread = TL_NOWHERE, .process = TL_NOWHERE,
		.detail = TL_CALLGRIND_FUNCTIONS,
	};
	struct tl_profile *profile;
	bool strict = reader->options.strict;
	int status;

	reader->observe = violate;
	reader->observe_arg = &c;
	reader->options.strict = false;
	status = tl_callgrind_fold(&reader, 1, &options, &profile, err);
	if (status == 0)
		check_inclusive(&c, profile);
	reader->observe = NULL;
	reader->options.strict = strict;
	tl_profile_free(profile);
	return status < 0 && !c.stopped ? status : c.violations;
}
