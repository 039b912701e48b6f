/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cli.h"

int cmd_slice(struct job *job, struct tl_error *err)
{
	struct tl_slice what = job->settings->slice;
	struct tl_output *partner = NULL;
	int status, committed;

	if (job->settings->partner && tl_output_open(&partner, job->settings->partner, err) < 0) {
		complain_error(job->settings->partner, err);
		job->said = true;
		return err->status;
	}
	what.partner = partner;
	status = tl_input_slice(job->input, &what, job->out, err);
	if (status < 0) {
		tl_output_discard(partner);
		return status;
	}
	committed = partner ? tl_output_commit(partner, err) : 0;
	return committed < 0 ? committed : status;
}
