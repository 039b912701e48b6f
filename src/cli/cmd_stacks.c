/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cli.h"

int cmd_stacks(struct job *job, struct tl_error *err)
{
	return export_input(job, "folded", err);
}
