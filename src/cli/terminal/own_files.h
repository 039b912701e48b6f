/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_CLI_TERMINAL_OWN_FILES_H
#define TL_CLI_TERMINAL_OWN_FILES_H
/* Files that the command keeps for itself, where the XDG Base Directory Specification has them. */

/* A kind of them: the variable that names the folder, and the folder in the home without it. */
struct own_folder {
	const char *variable, *below_home;
};

extern const struct own_folder own_state, own_cache;

/* tracelathe/NAME in such a folder, for free(). NULL: there is no place, or no memory. */
char *own_file(const struct own_folder *folder, const char *name);
/* Make the folders of a file, as far as that is possible. */
void own_file_prepare(char *path);

#endif
