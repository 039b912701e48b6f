/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `--how emulate`: the program is run by QEMU in user mode, whose plugin (emulator/) writes what it
 * does as Intel PT.
 */
#include "record/emulation/emulate.h"

#include <stdio.h>

#include "core/error.h"

static enum tl_recorder_answer no(char reason[TL_RECORD_TEXT], const char *text)
{
	snprintf(reason, TL_RECORD_TEXT, "%s", text);
	return TL_RECORDER_NO;
}

/* What is missing; NULL: nothing. */
static const char *find(struct tl_emulator *emulator)
{
	if (!tl_record_find("qemu-x86_64", emulator->qemu))
		return "qemu-x86_64 is not installed (qemu-user)";
	if (!tl_record_library("libtracelathe-emulate.so", emulator->plugin) ||
	    !tl_record_library("tracelathe-emulate-check", emulator->check))
		return "libtracelathe-emulate.so and tracelathe-emulate-check are not installed";
	return NULL;
}

/* Why not this program; NULL: nothing speaks against it. */
static const char *cannot_run(const struct tl_record_program *program)
{
	if (!program->is_elf)
		return "the program is no ELF file (a script?): name the program that runs it";
	if (!program->is_native)
		return "the program is not x86-64; AArch64 programs need QEMU 9.2 or newer and the "
		       "collector of examples/qemu-xtrace-plugin, as older ones do not tell "
		       "plugins what accesses read and write";
	return NULL;
}

enum tl_recorder_answer tl_record_probe_emulate(const struct tl_record_program *program,
						char reason[TL_RECORD_TEXT])
{
	struct tl_emulator emulator;
	const char *missing;

#if !defined(__x86_64__)
	return no(reason, "this machine is not x86-64");
#endif
	if (program && cannot_run(program))
		return no(reason, cannot_run(program));
	missing = find(&emulator);
	if (missing)
		return no(reason, missing);
	if (!tl_emulate_is_trusted(&emulator, reason))
		return TL_RECORDER_NO;
	snprintf(reason, TL_RECORD_TEXT,
		 "QEMU runs the program (as a processor without AVX-512, some 20 times slower), "
		 "and our plugin writes Intel PT");
	return TL_RECORDER_YES;
}

int tl_record_run_emulate(struct tl_record_session *session, struct tl_error *err)
{
	struct tl_emulator emulator;

	if (session->options->function)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "functions cannot be chosen with this recorder; `report "
				   "--function` chooses when it reads");
	if (find(&emulator))
		return tl_error_at(err, TL_IO, TL_NOWHERE, find(&emulator));
	return tl_emulate(session, &emulator, err);
}
