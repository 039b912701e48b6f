/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A process that executes another program: its streams end, and what goes on is told. */
#include <string.h>
#include <unistd.h>

#include "emulator.h"
#include "execute.h"

void follow(const char *path, char **arguments, char **environment)
{
	struct executable executable;

	if (!strcmp(path, "/proc/self/exe"))
		path = execute_program();
	if (access(path, X_OK))
		return; /* QEMU finds the error, and tells the program */
	if (!execute_can(&executable, path, MACHINE_X86_64)) {
		event_add(TL_EMULATION_LEFT, path, 0, 0, 0);
		return;
	}
	if (own_stream)
		stream_end(own_stream, true);
	event_add(TL_EMULATION_END, NULL, 0, 0, 0);
	execute(&executable, path, arguments, environment, process.bias);
	/* It did not work: the program goes on, with another stream. */
	event_add(TL_EMULATION_LEFT, path, 0, 0, 0);
	own_stream = NULL;
}
