/* SPDX-License-Identifier: Apache-2.0 */
/* A program in QEMU with the plugin. */
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "record/emulation/emulate.h"
#include "record/emulation/emulation.h"
#include "record/parts.h"
#include "record/process.h"

/* "PLUGIN,folder=FOLDER": QEMU wants commas twice. */
static char *plugin_argument(const char *plugin, const char *folder)
{
	char *text = malloc(2 * strlen(plugin) + 2 * strlen(folder) + 16), *at = text;

	if (!text)
		return NULL;
	for (const char *from = plugin; *from; *at++ = *from++)
		if (*from == ',')
			*at++ = ',';
	at = stpcpy(at, ",folder=");
	for (const char *from = folder; *from; *at++ = *from++)
		if (*from == ',')
			*at++ = ',';
	*at = '\0';
	return text;
}

static int run_qemu(struct tl_record_session *session, const char *qemu, const char *plugin,
		    struct tl_error *err)
{
	static const struct tl_record_variable none[] = { { NULL, NULL } };
	enum { WORDS = 6 };
	const char *const *arguments = session->options->arguments;
	const char *const words[WORDS] = { "qemu-x86_64", "-plugin",    plugin,
					   "-0",          arguments[0], session->program->path };
	const char **all;
	size_t count = 0;
	int status;

	while (arguments[count])
		count++;
	all = calloc(WORDS + count, sizeof(*all));
	if (!all)
		return tl_error_memory(err);
	memcpy(all, words, sizeof(words));
	memcpy(all + WORDS, arguments + 1, (count - 1) * sizeof(*all));
	status = tl_record_process_run(session, qemu, all, none, err);
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
	argument = plugin_argument(emulator->plugin, session->parts);
	status = argument ? run_qemu(session, emulator->qemu, argument, err) : tl_error_memory(err);
	free(argument);
	if (status < 0) {
		tl_record_parts_remove(session->parts);
		return status;
	}
	return tl_emulation_join(session, err);
}
