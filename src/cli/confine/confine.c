/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/confine/confine.h"

#include <string.h>
#include <sys/prctl.h>

#include "cli/terminal/messages.h"

/*
 * The leak checker of a sanitizer attaches to the process and starts a program for names; counters
 * of coverage are written beside the objects.
 */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(TL_COVERAGE)
enum { CAN_CONFINE = false };
#else
enum { CAN_CONFINE = true };
#endif

bool confine(const struct settings *settings, enum confine_need need)
{
	struct confine_places places = { .error = 0 };

	if (!CAN_CONFINE || settings->files.no_sandbox)
		return true;
	places_find(&places, settings);
	if (places.error)
		complain(NULL, "cannot find out what may be opened (--no-sandbox does without): %s",
			 strerror(places.error));
	/* Without it the kernel accepts neither from a program that is not root's. */
	else if (!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) {
		confine_files(&places);
		confine_calls(need);
	}
	places_free(&places);
	return !places.error;
}
