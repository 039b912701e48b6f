/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/terminal/browser.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ADDRESS_BYTES = 512 };

static _Noreturn void wait_for_address(int from)
{
	char address[ADDRESS_BYTES] = "";
	ssize_t size = read(from, address, sizeof(address) - 1);

	if (size > 0)
		execlp("xdg-open", "xdg-open", address, (char *)NULL);
	_exit(size > 0);
}

void browser_begin(struct browser *browser)
{
	int ends[2];

	*browser = (struct browser){ .child = 0 };
	if ((!getenv("DISPLAY") && !getenv("WAYLAND_DISPLAY")) || pipe2(ends, O_CLOEXEC))
		return;
	browser->child = fork();
	if (!browser->child) {
		close(ends[1]);
		wait_for_address(ends[0]);
	}
	close(ends[0]);
	browser->address = ends[1];
	if (browser->child < 0) {
		close(ends[1]);
		browser->child = 0;
	}
}

void browser_open(struct browser *browser, const char *url)
{
	/* No browser opens where the child has ended: the address has been printed. */
	if (browser->child && write(browser->address, url, strlen(url)) < 0)
		return;
}

void browser_end(struct browser *browser)
{
	if (!browser->child)
		return;
	close(browser->address);
	waitpid(browser->child, NULL, WNOHANG);
}
