/* SPDX-License-Identifier: Apache-2.0 */
/* The table of profile formats. */
#include <string.h>

#include "export/profile/exporters.h"

const struct tl_exporter *const *tl_exporters(void)
{
	static const struct tl_exporter *const exporters[] = {
		&tl_callgrind_exporter,    &tl_cachegrind_exporter,
		&tl_pprof_exporter,        &tl_speedscope_exporter,
		&tl_folded_exporter,       &tl_dot_exporter,
		&tl_json_exporter,         &tl_csv_exporter,
		&tl_profile_file_exporter, NULL,
	};

	return exporters;
}

const struct tl_exporter *tl_exporter_find(const char *name)
{
	for (const struct tl_exporter *const *e = tl_exporters(); *e; e++)
		if (!strcmp((*e)->name, name))
			return *e;
	return NULL;
}
