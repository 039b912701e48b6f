/* SPDX-License-Identifier: Apache-2.0 */
/* The names of a reader as strings and functions of the profile. */
#include "callgrind/profile/fold.h"

/* Writers call an unknown object or file "???"; in a profile it is "". */
static bool is_unknown(const char *text)
{
	return !strcmp(text, "???");
}

const char *tl_callgrind_folded_text(const struct tl_callgrind_folder *f, uint32_t name)
{
	const char *text = name == TL_NONE ? f->empty : f->profile->names.names[name].text;

	return is_unknown(text) ? f->empty : text;
}

static uint32_t add_function(struct tl_callgrind_folder *f, const struct tl_callgrind_owner *owner)
{
	const char *name =
		owner->function == TL_NONE ? "" : f->profile->names.names[owner->function].text;
	struct tl_function function = {
		.name = *name ? name : tl_profile_intern(f->profile, "???", 3),
		.object = tl_callgrind_folded_text(f, owner->object),
		.file = tl_callgrind_folded_text(f, owner->file),
		.id = TL_NOWHERE,
	};

	return function.name ? tl_profile_function_interned(f->profile, &function) : TL_NONE;
}

uint32_t tl_callgrind_folded_function(struct tl_callgrind_folder *f,
				      const struct tl_callgrind_owner *owner)
{
	size_t slot = owner->function == TL_NONE ? 0 : (size_t)owner->function + 1;
	struct tl_callgrind_known_function *known;

	if (slot >= f->known_count) {
		size_t count = f->profile->names.count + 1;

		if (!tl_grow(&f->known, &f->known_capacity, count, sizeof(*f->known)))
			return TL_NONE;
		memset(f->known + f->known_count, 0xff,
		       (count - f->known_count) * sizeof(*f->known));
		f->known_count = count;
	}
	known = &f->known[slot];
	if (known->function == TL_NONE || known->object != owner->object ||
	    known->file != owner->file)
		*known = (struct tl_callgrind_known_function){ owner->object, owner->file,
							       add_function(f, owner) };
	return known->function;
}
