/* SPDX-License-Identifier: Apache-2.0 */
/* In place of curses.c in a build without ncurses. */
#include "core/error.h"
#include "view/terminal/browser.h"

bool tl_browser_has_terminal(void)
{
	return false;
}

int tl_browser_run(struct tl_browser *browser, bool color, struct tl_error *err)
{
	(void)browser, (void)color;
	return tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE,
			   "this program was built without ncurses, so it cannot browse; `report`, "
			   "`tree` and `annotate` print the same");
}
