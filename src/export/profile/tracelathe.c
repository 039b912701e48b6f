/* SPDX-License-Identifier: Apache-2.0 */
/* The profile file of the profile room, as an export. */
#include "export/profile/exporters.h"
#include "profile/file/file_write.h"

static int write_profile_file(const struct tl_profile *profile,
			      const struct tl_export_options *options, struct tl_output *out,
			      struct tl_error *err)
{
	struct tl_export_options filled;
	int status = tl_export_options_packed(&filled, profile, options, err);

	if (status < 0)
		return status;
	return tl_pfile_write(profile, filled.jobs, out, err);
}

const struct tl_exporter tl_profile_file_exporter = {
	.name = "tracelathe",
	.suffix = ".tlp",
	.help = "the whole profile without loss, to be read again by any command",
	.write = write_profile_file,
	.contexts = true,
	.whole = true,
	.packed = true,
};
