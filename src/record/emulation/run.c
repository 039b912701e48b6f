/* SPDX-License-Identifier: Apache-2.0 */
/* A program in QEMU with the plugin. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/error.h"
#include "record/emulation/emulate.h"
#include "record/parts.h"
#include "record/process.h"

/* "PLUGIN,folder=FOLDER", options: QEMU wants commas of names twice. */
static char *plugin_argument(const struct tl_emulator *emulator, const char *folder)
{
	const char *plugin = emulator->plugin;
	char *text = malloc(2 * strlen(plugin) + 2 * strlen(folder) +
			    strlen(emulator->plugin_options) + 16);
	char *at = text;

	if (!text)
		return NULL;
	for (const char *from = plugin; *from; *at++ = *from++)
		if (*from == ',')
			*at++ = ',';
	at = stpcpy(at, ",folder=");
	for (const char *from = folder; *from; *at++ = *from++)
		if (*from == ',')
			*at++ = ',';
	strcpy(at, emulator->plugin_options);
	return text;
}

/*
 * What QEMU is told by its environment, unless the caller has told it already. A processor without
 * SVE is the default, as a program's library takes other ways with it; what is recorded of SVE is
 * tried. Debian has the libraries of AArch64 programs there on other machines.
 */
static void set_defaults(const struct tl_emulator *emulator, struct tl_record_variable variables[3])
{
	static const char libraries[] = "/usr/aarch64-linux-gnu";
	const char *cpu = emulator->is_trial ? "max,sme=off,sve-default-vector-length=32"
					     : "max,sve=off,sme=off";
	size_t count = 0;

	if (emulator->machine == TL_RECORD_AARCH64 && (emulator->is_trial || !getenv("QEMU_CPU")))
		variables[count++] = (struct tl_record_variable){ "QEMU_CPU", cpu };
	if (emulator->machine == TL_RECORD_AARCH64 && !getenv("QEMU_LD_PREFIX") &&
	    !access(libraries, F_OK))
		variables[count++] = (struct tl_record_variable){ "QEMU_LD_PREFIX", libraries };
	variables[count] = (struct tl_record_variable){ NULL, NULL };
}

static int run_qemu(struct tl_record_session *session, const struct tl_emulator *emulator,
		    const char *plugin, struct tl_error *err)
{
	struct tl_record_variable variables[3];
	const char *const *arguments = session->options->arguments;
	const char *const words[] = { "-plugin", plugin, "-0", arguments[0],
				      session->program->path };
	const size_t own = sizeof(words) / sizeof(words[0]);
	const char **all;
	size_t first = 0, count = 0;
	int status;

	while (emulator->words[first])
		first++;
	while (arguments[count])
		count++;
	all = calloc(first + own + count, sizeof(*all));
	if (!all)
		return tl_error_memory(err);
	memcpy(all, emulator->words, first * sizeof(*all));
	memcpy(all + first, words, sizeof(words));
	memcpy(all + first + own, arguments + 1, (count - 1) * sizeof(*all));
	set_defaults(emulator, variables);
	status = tl_record_process_run(session, emulator->qemu, all, variables, err);
	free(all);
	return status;
}

int tl_emulate(struct tl_record_session *session, const struct tl_emulator *emulator,
	       struct tl_error *err)
{
	char *argument;
	int status = tl_record_parts_make(session->parts, err);

	if (status < 0)
		return status;
	argument = plugin_argument(emulator, session->parts);
	status = argument ? run_qemu(session, emulator, argument, err) : tl_error_memory(err);
	free(argument);
	if (status < 0) {
		tl_record_parts_remove(session->parts);
		return status;
	}
	return emulator->join(session, err);
}
