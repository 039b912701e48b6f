/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is known of programs before they are recorded: which of their functions an expression
 * chooses, and whether an emulator has passed its trial, which is remembered until one of its files
 * changes. /
 */
#include <stdio.h>

#include "../symbols/make_elf.h"
#include "../temp_fixture.h"
#include "../xray/program.h"

#include "record/chosen.h"
#include "record/emulation/emulate.h"
#include "record/kept.h"

/* ---- functions by their names ---- */

enum { TEXT_AT = 0x1000, ENTRIES_AT = 0x4000 };

static void put_string(struct made *made, const char *text)
{
	put_bytes(made, text, strlen(text) + 1);
}

/* Functions each 16 bytes from TEXT_AT on; their entries, in an order of their own. */
static const char *make_patchable(bool with_entries)
{
	static const char *const names[] = { "parse", "parse_line", "run", "main" };
	static const unsigned order[] = { 2, 0, 3, 1 };
	static const uint8_t text[64];
	static struct made made;
	struct made symbols = { .is_64bit = true }, strings = symbols, entries = symbols;

	strings.size = 1;
	put_symbol(&symbols, 0, 0, 0, 0, 0);
	for (unsigned i = 0; i < 4; i++) {
		put_symbol(&symbols, (uint32_t)strings.size, STB_GLOBAL << 4 | STT_FUNC, 1,
			   TEXT_AT + 16 * i, 16);
		put_string(&strings, names[i]);
		put(&entries, TEXT_AT + 16 * order[i], 8);
	}
	/* a place of no function, and a word that is cut short */
	put(&entries, 0x9000, 8);
	put(&entries, 0, 4);

	const struct made_section sections[] = {
		{ ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, TEXT_AT, text, sizeof(text), 0,
		  0 },
		{ ".symtab", SHT_SYMTAB, 0, 0, symbols.bytes, symbols.size, 3, 24 },
		{ ".strtab", SHT_STRTAB, 0, 0, strings.bytes, strings.size, 0, 0 },
		{ "__patchable_function_entries", SHT_PROGBITS, SHF_ALLOC, ENTRIES_AT,
		  entries.bytes, entries.size, 0, 0 },
	};

	made = (struct made){ .is_64bit = true };
	make_elf(&made, ET_EXEC, EM_X86_64, sections, with_entries ? 4 : 3);
	return temp_write(&temp, "program", made.bytes, made.size);
}

struct chosen_case {
	const char *expression, *numbers; /* NULL: refused */
	const char *words;
};

static void assert_chosen(const char *path, bool sleds, const struct chosen_case *c)
{
	struct tl_error err = { .text = "" };
	char *numbers = NULL;
	size_t size = 0;
	int status = tl_record_chosen(path, c->expression, sleds, &numbers, &size, &err);

	if (!c->numbers) {
		assert_int_equal(status, TL_BAD_USAGE);
		assert_string_equal(err.text, c->words);
		return;
	}
	if (status)
		fail_msg("%s: %s", c->expression, err.text);
	assert_int_equal(size, strlen(c->numbers));
	assert_memory_equal(numbers, c->numbers, size);
	free(numbers);
}

#define NONE_MATCHES "no function of the program matches"

/* "the addresses of their patchable entries, in decimal, a line each, ascending": 4096 and on */
TEST(entries_by_the_names_of_their_functions)
{
	static const struct chosen_case cases[] = {
		{ ".", "4096\n4112\n4128\n4144\n", NULL },
		{ "parse", "4096\n4112\n", NULL },
		{ "^parse$", "4096\n", NULL },
		{ "line|main", "4112\n4144\n", NULL },
		{ "^run$", "4128\n", NULL },
		{ "nothing", NULL, NONE_MATCHES },
		{ "(", NULL, "not a POSIX extended regular expression" },
	};
	char path[512];

	strcpy(path, make_patchable(true));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_chosen(path, false, &cases[i]);
	/* a program without any */
	strcpy(path, make_patchable(false));
	assert_chosen(path, false, &(const struct chosen_case){ ".", NULL, NONE_MATCHES });
}

/* "Their ids in the XRay instrumentation map" */
TEST(sleds_by_the_names_of_their_functions)
{
	static const struct chosen_case cases[] = {
		{ "^exported$", "15\n", NULL },
		{ "export", "15\n", NULL },
		{ "zzz", NULL, NONE_MATCHES },
		{ "[", NULL, "not a POSIX extended regular expression" },
	};

	assert_int_equal(EXPORTED, 15);
	make_program(&temp, "sleds", EM_X86_64);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_chosen(temp_path(&temp, "sleds"), true, &cases[i]);
}

/* ---- what is kept ---- */

TEST(where_things_are_kept)
{
	char path[TL_RECORD_PATH], expected[600],
		*home = strdup(getenv("HOME") ? getenv("HOME") : "");

	setenv("XDG_CACHE_HOME", "/cache", 1);
	assert_true(tl_record_kept_name("x", path));
	assert_string_equal(path, "/cache/tracelathe/x");
	unsetenv("XDG_CACHE_HOME");
	setenv("HOME", temp.directory, 1);
	assert_true(tl_record_kept_name("x", path));
	snprintf(expected, sizeof(expected), "%s/.cache/tracelathe/x", temp.directory);
	assert_string_equal(path, expected);
	/* both folders are made, and the path is as it was */
	tl_record_kept_folder(path);
	assert_string_equal(path, expected);
	assert_int_equal(access(temp_path(&temp, ".cache/tracelathe"), W_OK), 0);
	tl_record_kept_folder(path);
	assert_string_equal(path, expected);
	setenv("XDG_CACHE_HOME", "", 1);
	assert_true(tl_record_kept_name("x", path));
	assert_string_equal(path, expected);
	unsetenv("HOME");
	assert_false(tl_record_kept_name("x", path));
	setenv("HOME", "", 1);
	assert_false(tl_record_kept_name("x", path));
	/* a path that is longer than there is room for */
	static char far[TL_RECORD_PATH];

	memset(far, 'f', sizeof(far) - 1);
	setenv("HOME", far, 1);
	assert_false(tl_record_kept_name("x", path));
	setenv("HOME", home, 1);
	free(home);
}

/* ---- the trial of an emulator ---- */

static unsigned trials;
static bool trial_passes;
static char tried_in[TL_RECORD_PATH];

static bool trial(const struct tl_emulator *emulator, const char *folder,
		  char reason[TL_RECORD_TEXT])
{
	char inside[TL_RECORD_PATH + 16];
	FILE *file;

	(void)emulator;
	trials++;
	snprintf(tried_in, sizeof(tried_in), "%s", folder);
	/* what a trial leaves goes with its folder */
	snprintf(inside, sizeof(inside), "%s/recording", folder);
	file = fopen(inside, "wb");
	assert_non_null(file);
	fclose(file);
	if (!trial_passes)
		snprintf(reason, TL_RECORD_TEXT, "it behaves otherwise");
	return trial_passes;
}

static void assert_trial(const struct tl_emulator *emulator, bool trusted, unsigned expected)
{
	char reason[TL_RECORD_TEXT] = "";
	const unsigned before = trials;

	assert_int_equal(tl_emulate_is_trusted(emulator, reason), trusted);
	assert_int_equal(trials - before, expected);
	assert_string_equal(reason, trusted ? "" : "it behaves otherwise");
	if (expected)
		assert_int_equal(access(tried_in, F_OK), -1);
}

/* "that a QEMU has passed is remembered", of these files and no others */
TEST(a_trial_that_was_passed_is_remembered)
{
	char *home = getenv("HOME") ? strdup(getenv("HOME")) : NULL;
	struct tl_emulator emulator = { .is_as_known = trial };

	setenv("XDG_CACHE_HOME", temp_path(&temp, "cache"), 1);
	strcpy(emulator.qemu, temp_write(&temp, "qemu", "1", 1));
	strcpy(emulator.plugin, temp_write(&temp, "plugin", "1", 1));
	strcpy(emulator.check, temp_write(&temp, "check", "1", 1));
	/* what fails is tried each time */
	trial_passes = false;
	assert_trial(&emulator, false, 1);
	assert_trial(&emulator, false, 1);
	trial_passes = true;
	assert_trial(&emulator, true, 1);
	assert_trial(&emulator, true, 0);
	/* whatever it would say now */
	trial_passes = false;
	assert_trial(&emulator, true, 0);
	/* each of the files makes another emulator of it */
	temp_write(&temp, "qemu", "12", 2);
	assert_trial(&emulator, false, 1);
	temp_write(&temp, "qemu", "1", 1);
	trial_passes = true;
	assert_trial(&emulator, true, 1);
	temp_write(&temp, "plugin", "12", 2);
	assert_trial(&emulator, true, 1);
	assert_trial(&emulator, true, 0);
	temp_write(&temp, "check", "12", 2);
	assert_trial(&emulator, true, 1);
	assert_trial(&emulator, true, 0);
	/* nowhere to remember it: tried each time */
	unsetenv("XDG_CACHE_HOME");
	unsetenv("HOME");
	assert_trial(&emulator, true, 1);
	assert_trial(&emulator, true, 1);
	if (home)
		setenv("HOME", home, 1);
	free(home);
}

TEST(no_folder_to_try_it_in)
{
	char *kept = getenv("TMPDIR") ? strdup(getenv("TMPDIR")) : NULL;
	struct tl_emulator emulator = { .is_as_known = trial };
	char reason[TL_RECORD_TEXT] = "";

	setenv("XDG_CACHE_HOME", temp_path(&temp, "none"), 1);
	setenv("TMPDIR", temp_path(&temp, "nowhere"), 1);
	trial_passes = true;
	assert_false(tl_emulate_is_trusted(&emulator, reason));
	assert_string_equal(reason, "no folder to try QEMU in: No such file or directory");
	/* an empty name is none: the usual folder */
	setenv("TMPDIR", "", 1);
	assert_trial(&emulator, true, 1);
	assert_int_equal(strncmp(tried_in, "/tmp/tracelathe-", 16), 0);
	unsetenv("XDG_CACHE_HOME");
	if (kept)
		setenv("TMPDIR", kept, 1);
	else
		unsetenv("TMPDIR");
	free(kept);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(entries_by_the_names_of_their_functions),
		cmocka_unit_test(sleds_by_the_names_of_their_functions),
		cmocka_unit_test(where_things_are_kept),
		cmocka_unit_test(a_trial_that_was_passed_is_remembered),
		cmocka_unit_test(no_folder_to_try_it_in),
	};

	return cmocka_run_group_tests(tests, temp_setup, temp_teardown);
}
