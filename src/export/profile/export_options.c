/* SPDX-License-Identifier: Apache-2.0 */
/* The options of an export, with their defaults. */
#include "core/error.h"
#include "core/sized.h"
#include "export/profile/exporters.h"
#include "profile/model/model.h"

int tl_export_options_packed(struct tl_export_options *filled, const struct tl_profile *profile,
			     const struct tl_export_options *options, struct tl_error *err)
{
	int status = 0;

	*filled = (struct tl_export_options){ .size = sizeof(*filled) };
	if (options)
		status = tl_take_options(filled, sizeof(*filled), sizeof(*filled), options,
					 options->size, err);
	if (status < 0)
		return status;
	if (filled->event && filled->event >= tl_profile_event_count(profile))
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE, "no such event in this profile");
	return 0;
}

int tl_export_options(struct tl_export_options *filled, const struct tl_profile *profile,
		      const struct tl_export_options *options, struct tl_error *err)
{
	if (profile->pack)
		return tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE,
				   "a profile that is packed is only written in its own format");
	return tl_export_options_packed(filled, profile, options, err);
}
