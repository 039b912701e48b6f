/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TL_EMULATOR_EXECUTE_H
#define TL_EMULATOR_EXECUTE_H
/*
 * QEMU runs the program that another executes on the machine itself. To record it too, QEMU is
 * executed in its place: with the same options and plugin, and the program as its argument.
 */
#include <stdbool.h>
#include <stdint.h>

enum { PATH_BYTES = 4096, SCRIPT_LINE = 256 };

/* e_machine of ELF files. */
enum machine { MACHINE_X86_64 = 62, MACHINE_AARCH64 = 183 };

/* An executable file: what QEMU is to be given in its place. */
struct executable {
	char path[PATH_BYTES];      /* of the program, or of the script's interpreter */
	char argument[SCRIPT_LINE]; /* the interpreter's; empty: none */
	bool is_script;
};

/* Read the command line of this QEMU: `qemu OPTION... -0 NAME PROGRAM ARGUMENT...`. */
void execute_learn(void);
/* The program on that line. */
const char *execute_program(void);
/* Whether QEMU can run the file for `machine`, with the rights that the process has. */
bool execute_can(struct executable *executable, const char *path, enum machine machine);
/* The file that execveat() means; false: it has no name. */
bool execute_name_at(char path[PATH_BYTES], int folder, const char *name);
/*
 * Execute QEMU with the file. The lists hold the guest's addresses, of which host addresses are
 * made by adding `bias`. It returns if that did not work.
 */
void execute(const struct executable *executable, const char *path, char **arguments,
	     char **environment, uint64_t bias);

#endif
