/* SPDX-License-Identifier: Apache-2.0 */
#include "pprof/profile/prune.h"

#include <stdio.h>

#include "core/error.h"
#include "pprof/profile/names.h"

enum { KEPT, DROPPED, DROPPED_BELOW };

struct patterns {
	regex_t drop, keep;
	bool has_drop, has_keep;
};

/* 1; 0: it is not a pattern that can be read here; TL_NO_MEMORY. */
static int compile(const struct tl_pprof_file *p, uint64_t string, regex_t *regex,
		   struct tl_error *err)
{
	const struct tl_pprof_text text = tl_pprof_string(p, string);
	char *whole;
	int failed;

	if (memchr(text.text, 0, text.size))
		return 0;
	if (asprintf(&whole, "^(%.*s)$", (int)text.size, text.text) < 0)
		return tl_error_memory(err);
	failed = regcomp(regex, whole, REG_EXTENDED | REG_NOSUB);
	free(whole);
	if (failed == REG_ESPACE)
		return tl_error_memory(err);
	return failed ? 0 : 1;
}

static int unreadable(struct tl_pprof_file *p, struct tl_error *err)
{
	return tl_pprof_fault(p, "frames", TL_UNSUPPORTED, TL_NOWHERE, 0,
			      "the pattern of the frames to drop or to keep is not one that can be "
			      "read here: all frames are kept",
			      err);
}

/* 1: frames are to be dropped; 0; or negative. */
static int read_patterns(struct patterns *patterns, struct tl_pprof_file *p, struct tl_error *err)
{
	int status =
		p->header.drop_frames ? compile(p, p->header.drop_frames, &patterns->drop, err) : 0;

	patterns->has_drop = status == 1;
	if (status <= 0)
		return status == 0 && p->header.drop_frames ? unreadable(p, err) : status;
	if (!p->header.keep_frames)
		return 1;
	status = compile(p, p->header.keep_frames, &patterns->keep, err);
	patterns->has_keep = status == 1;
	if (status)
		return status;
	return unreadable(p, err);
}

/* The name without its parameters. */
static size_t short_size(const char *name, size_t size)
{
	static const char *const others[] = { "(anonymous namespace)", "operator()" };

	for (size_t i = 0; i < size; i++) {
		if (name[i] != '(')
			continue;
		if (size - i >= strlen(others[0]) &&
		    !memcmp(name + i, others[0], strlen(others[0])))
			i += strlen(others[0]) - 1;
		else if (i >= 8 && !memcmp(name + i - 8, others[1], strlen(others[1])))
			i++;
		else
			return i;
	}
	return size;
}

/* 1: the function is to be dropped; 0; or TL_NO_MEMORY. */
static int matches(const struct patterns *patterns, struct tl_pprof_text name, struct tl_error *err)
{
	char *text;
	int found;

	if (name.size && *name.text == '.')
		name = (struct tl_pprof_text){ name.text + 1, name.size - 1 };
	text = strndup(name.text, short_size(name.text, name.size));
	if (!text)
		return tl_error_memory(err);
	found = !regexec(&patterns->drop, text, 0, NULL, 0) &&
		!(patterns->has_keep && !regexec(&patterns->keep, text, 0, NULL, 0));
	free(text);
	return found;
}

/* By function: whether it is to be dropped. */
static int mark_functions(const struct patterns *patterns, const struct tl_pprof_file *p,
			  bool *dropped, struct tl_error *err)
{
	for (size_t i = 0; i < p->function_count; i++) {
		const struct tl_pprof_text name = tl_pprof_string(p, p->functions[i].name);
		int found = name.size ? matches(patterns, name, err) : 0;

		if (found < 0)
			return found;
		dropped[i] = found == 1;
	}
	return 0;
}

/* The outermost function that matches, and what is inlined in it, leaves the location. */
static uint8_t cut_location(struct tl_pprof_file *p, struct tl_pprof_location *location,
			    const bool *dropped)
{
	for (size_t i = location->line_count; i > 0; i--) {
		uint64_t function = p->lines[location->first_line + i - 1].function;

		if (function == TL_NONE || !dropped[function])
			continue;
		if (i == location->line_count)
			return DROPPED;
		location->first_line += i;
		location->line_count -= (uint32_t)i;
		return DROPPED_BELOW;
	}
	return KEPT;
}

static int mark_locations(struct tl_pprof_prune *prune, const struct patterns *patterns,
			  struct tl_pprof_file *p, struct tl_error *err)
{
	bool *dropped = tl_zeroed(p->function_count, sizeof(*dropped));
	int status;

	/* Locations that are none are kept (names.h). */
	prune->locations = tl_zeroed(p->location_count + TL_PPROF_EXTRA, 1);
	status = dropped && prune->locations ? mark_functions(patterns, p, dropped, err)
					     : tl_error_memory(err);
	for (size_t i = 0; status == 0 && i < p->location_count; i++)
		prune->locations[i] = cut_location(p, &p->locations[i], dropped);
	free(dropped);
	return status;
}

int tl_pprof_prune_begin(struct tl_pprof_prune *prune, struct tl_pprof_file *p,
			 struct tl_error *err)
{
	struct patterns patterns = { .has_drop = false };
	int status = read_patterns(&patterns, p, err);

	*prune = (struct tl_pprof_prune){ .locations = NULL };
	if (status == 1)
		status = mark_locations(prune, &patterns, p, err);
	if (patterns.has_drop)
		regfree(&patterns.drop);
	if (patterns.has_keep)
		regfree(&patterns.keep);
	return status;
}

void tl_pprof_prune_end(struct tl_pprof_prune *prune)
{
	free(prune->locations);
	prune->locations = NULL;
}

void tl_pprof_prune_sample(const struct tl_pprof_prune *prune, const struct tl_pprof_sample *sample,
			   const uint32_t **locations, size_t *count)
{
	bool found = false; /* a function that is kept, further out */

	*locations = sample->locations;
	*count = sample->location_count;
	if (!prune->locations)
		return;
	for (size_t i = sample->location_count; i > 0; i--) {
		uint32_t number = sample->locations[i - 1];
		uint8_t what = prune->locations[number];

		if (what == KEPT) {
			found = true;
		} else if (found) {
			size_t inner = what == DROPPED ? i : i - 1;

			*locations += inner;
			*count -= inner;
			return;
		}
	}
}
