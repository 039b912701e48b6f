/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `--how emulate`: the program is run by QEMU in user mode, whose plugin (emulator/) writes what an
 * x86-64 program does as Intel PT, what an AArch64 program does as xtrace.
 */
#include "record/emulation/emulate.h"

#include <stdio.h>

#include "core/error.h"

static enum tl_recorder_answer no(char reason[TL_RECORD_TEXT], const char *text)
{
	snprintf(reason, TL_RECORD_TEXT, "%s", text);
	return TL_RECORDER_NO;
}

static enum tl_recorder_answer yes(char reason[TL_RECORD_TEXT], const char *text)
{
	snprintf(reason, TL_RECORD_TEXT, "%s", text);
	return TL_RECORDER_YES;
}

/* ---- what there is for each processor ---- */

static const char *const words_x86[] = { "qemu-x86_64", NULL };

const char *tl_emulator_find_x86(struct tl_emulator *emulator)
{
	*emulator = (struct tl_emulator){
		.machine = TL_RECORD_X86_64,
		.words = words_x86,
		.plugin_options = "",
		.is_as_known = tl_emulate_is_known_x86,
		.join = tl_emulation_join,
	};
	if (!tl_record_find("qemu-x86_64", emulator->qemu))
		return "qemu-x86_64 is not installed (qemu-user)";
	if (!tl_record_library("libtracelathe-emulate.so", emulator->plugin))
		return "libtracelathe-emulate.so is not installed";
	if (!tl_record_library("tracelathe-emulate-check", emulator->check))
		return "tracelathe-emulate-check, the program of the self-test, is not installed";
	return NULL;
}

/*
 * Registers can be read at the beginning of what QEMU translates: it translates one instruction at
 * a time.
 */
static const char *const words_aarch64[] = { "qemu-aarch64", "-singlestep", NULL };

const char *tl_emulator_find_aarch64(struct tl_emulator *emulator)
{
	*emulator = (struct tl_emulator){
		.machine = TL_RECORD_AARCH64,
		.words = words_aarch64,
		.plugin_options = "",
		.is_as_known = tl_emulate_is_known_aarch64,
		.join = tl_emulation_join_pairs,
	};
	if (!tl_record_find("qemu-aarch64", emulator->qemu))
		return "qemu-aarch64 is not installed (qemu-user)";
	if (!tl_record_library("libtracelathe-emulate-aarch64.so", emulator->plugin))
		return "libtracelathe-emulate-aarch64.so is not installed";
	return NULL;
}

/* The one for a program's processor. */
static const char *find(struct tl_emulator *emulator, const struct tl_record_program *program)
{
	if (program && program->machine == TL_RECORD_AARCH64)
		return tl_emulator_find_aarch64(emulator);
	return tl_emulator_find_x86(emulator);
}

/* ---- asking and running ---- */

/* Why not this program; NULL: nothing speaks against it. */
static const char *cannot_run(const struct tl_record_program *program)
{
	if (!program->is_elf)
		return "the program is no ELF file (a script?): name the program that runs it";
	if (program->machine != TL_RECORD_X86_64 && program->machine != TL_RECORD_AARCH64)
		return "the program is for neither x86-64 nor AArch64";
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
	missing = find(&emulator, program);
	if (missing)
		return no(reason, missing);
	if (!tl_emulate_is_trusted(&emulator, reason))
		return TL_RECORDER_NO;
	if (program && program->machine == TL_RECORD_AARCH64)
		return yes(reason,
			   "QEMU runs the AArch64 program (without SVE, unless QEMU_CPU names a "
			   "processor that has it), and our plugin writes xtrace");
	return yes(reason, "QEMU runs the program (as a processor without AVX-512, some 20 times "
			   "slower), and our plugin writes Intel PT; times are those of QEMU, "
			   "instructions (Ir) those of the program");
}

int tl_record_run_emulate(struct tl_record_session *session, struct tl_error *err)
{
	struct tl_emulator emulator;
	const char *missing;

	if (session->options->function)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "functions cannot be chosen with this recorder; `report "
				   "--function` chooses when it reads");
	missing = find(&emulator, session->program);
	if (missing)
		return tl_error_at(err, TL_IO, TL_NOWHERE, missing);
	return tl_emulate(session, &emulator, err);
}
