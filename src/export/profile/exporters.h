/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_EXPORT_PROFILE_EXPORTERS_H
#define TL_EXPORT_PROFILE_EXPORTERS_H
/* The profile exporters, one file each. */
#include <tracelathe/export.h>

extern const struct tl_exporter tl_callgrind_exporter;
extern const struct tl_exporter tl_cachegrind_exporter;
extern const struct tl_exporter tl_pprof_exporter;
extern const struct tl_exporter tl_speedscope_exporter;
extern const struct tl_exporter tl_folded_exporter;
extern const struct tl_exporter tl_dot_exporter;
extern const struct tl_exporter tl_json_exporter;
extern const struct tl_exporter tl_csv_exporter;
extern const struct tl_exporter tl_profile_file_exporter;

/*
 * The options with their defaults filled in. TL_BAD_USAGE when the event is not one of the profile;
 * TL_UNSUPPORTED when that is packed (tl_input_options.packed).
 */
int tl_export_options(struct tl_export_options *filled, const struct tl_profile *profile,
		      const struct tl_export_options *options, struct tl_error *err);
/* The same for who can read a packed profile. */
int tl_export_options_packed(struct tl_export_options *filled, const struct tl_profile *profile,
			     const struct tl_export_options *options, struct tl_error *err);

#endif
