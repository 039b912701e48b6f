/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of a program before it runs: ELF files made here, and what recorders say. */
#include "../symbols/make_elf.h"
#include "session.h"

#include <errno.h>

#if defined(__aarch64__)
enum { NATIVE = EM_AARCH64, FOREIGN = EM_X86_64 };
#else
enum { NATIVE = EM_X86_64, FOREIGN = EM_AARCH64 };
#endif

/* ---- finding ---- */

static const char *put_program(struct recording *r, const char *name, unsigned mode)
{
	const char *path = temp_write(&r->temp, name, "#!/bin/sh\n", 10);

	assert_int_equal(chmod(path, mode), 0);
	return path;
}

static void set_path(struct recording *r, const char *format)
{
	char path[TL_RECORD_PATH];

	snprintf(path, sizeof(path), format, r->temp.directory, r->temp.directory);
	setenv("PATH", path, 1);
}

TEST(programs_are_found_as_the_shell_finds_them)
{
	const char *before = getenv("PATH");
	char path[TL_RECORD_PATH], expected[TL_RECORD_PATH], *kept = strdup(before ? before : "");
	struct recording r;

	recording_open(&r);
	assert_int_equal(mkdir(temp_path(&r.temp, "a"), 0700), 0);
	assert_int_equal(mkdir(temp_path(&r.temp, "b"), 0700), 0);
	assert_int_equal(mkdir(temp_path(&r.temp, "a/folder"), 0700), 0);
	put_program(&r, "a/plain", 0600);
	put_program(&r, "b/plain", 0700);
	put_program(&r, "b/both", 0700);
	put_program(&r, "a/both", 0700);
	set_path(&r, "%s/a:%s/b");
	/* the first in PATH, if it can be executed */
	assert_true(tl_record_find("both", path));
	snprintf(expected, sizeof(expected), "%s/a/both", r.temp.directory);
	assert_string_equal(path, expected);
	assert_true(tl_record_find("plain", path));
	snprintf(expected, sizeof(expected), "%s/b/plain", r.temp.directory);
	assert_string_equal(path, expected);
	assert_false(tl_record_find("folder", path));
	assert_false(tl_record_find("neither", path));
	/* a name with a slash is a path, and an empty folder is this one */
	assert_false(tl_record_find("./both", path));
	assert_int_equal(chdir(temp_path(&r.temp, "b")), 0);
	assert_true(tl_record_find("./both", path));
	assert_string_equal(path, "./both");
	set_path(&r, "%s/none::%s/a");
	assert_true(tl_record_find("both", path));
	assert_string_equal(path, "./both");
	unsetenv("PATH");
	assert_true(tl_record_find("sh", path));
	setenv("PATH", kept, 1);
	free(kept);
	assert_int_equal(chdir("/"), 0);
	recording_close(&r);
}

TEST(a_program_that_cannot_be_run_says_why)
{
	struct tl_record_program program;
	struct tl_error err;
	struct recording r;

	recording_open(&r);
	assert_int_equal(tl_record_program_open(&program, temp_path(&r.temp, "none"), &err), TL_IO);
	assert_int_equal(err.sys_errno, ENOENT);
	assert_int_equal(tl_record_program_open(&program, put_program(&r, "plain", 0600), &err),
			 TL_IO);
	assert_int_equal(err.sys_errno, EACCES);
	recording_close(&r);
}

TEST(a_script_is_no_elf_file_and_rights_of_others_are_refused)
{
	struct tl_record_program program;
	struct tl_error err;
	struct recording r;
	const char *path;

	recording_open(&r);
	path = put_program(&r, "script", 0755);
	assert_int_equal(tl_record_program_open(&program, path, &err), 0);
	assert_false(program.is_elf);
	assert_null(program.refused);
	assert_string_equal(program.path, path);
	assert_int_equal(chmod(path, 04755), 0);
	assert_int_equal(tl_record_program_open(&program, path, &err), 0);
	assert_non_null(strstr(program.refused, "set-user-id"));
	assert_int_equal(chmod(path, 02755), 0);
	assert_int_equal(tl_record_program_open(&program, path, &err), 0);
	assert_non_null(strstr(program.refused, "set-group-id"));
	/* This bit without the right to execute is another thing (mandatory locking). */
	assert_int_equal(chmod(path, 02745), 0);
	assert_int_equal(tl_record_program_open(&program, path, &err), 0);
	assert_null(program.refused);
	recording_close(&r);
}

/* ---- looking into it ---- */

/* Names lie behind each other, each with a zero before and behind it. */
struct kind {
	uint16_t machine;
	const char *strtab, *dynstr;
	size_t strtab_size, dynstr_size;
	const char *section; /* one more */
	bool is_dynamic;
};

#define NAMES(text) (text), sizeof(text)

static struct tl_record_program look(const struct kind *kind)
{
	static struct made made;
	struct made_section sections[4] = { { .name = ".strtab",
					      .type = SHT_STRTAB,
					      .data = (const uint8_t *)kind->strtab,
					      .size = kind->strtab_size },
					    { .name = ".dynstr",
					      .type = SHT_STRTAB,
					      .data = (const uint8_t *)kind->dynstr,
					      .size = kind->dynstr_size } };
	struct tl_record_program program;
	struct tl_error err;
	struct recording r;
	size_t count = 2;

	if (kind->is_dynamic)
		sections[count++] = (struct made_section){
			".interp", SHT_PROGBITS, SHF_ALLOC, 0, (const uint8_t *)"/ld", 4, 0, 0
		};
	if (kind->section)
		sections[count++] = (struct made_section){ kind->section,
							   SHT_PROGBITS,
							   SHF_ALLOC,
							   0,
							   (const uint8_t *)"12345678",
							   8,
							   0,
							   0 };
	made = (struct made){ .is_64bit = true };
	make_elf(&made, ET_DYN, kind->machine, sections, count);
	recording_open(&r);
	temp_write(&r.temp, "program", made.bytes, made.size);
	assert_int_equal(chmod(temp_path(&r.temp, "program"), 0755), 0);
	assert_int_equal(tl_record_program_open(&program, temp_path(&r.temp, "program"), &err), 0);
	recording_close(&r);
	assert_true(program.is_elf);
	return program;
}

TEST(a_program_has_what_its_sections_say)
{
	struct kind kind = { NATIVE, "\0", "\0", 2, 2, NULL, false };
	struct tl_record_program program = look(&kind);

	assert_true(program.is_native && program.is_static);
	assert_false(program.has_sleds || program.has_xray_api || program.has_flight_recorder ||
		     program.has_calls || program.has_fentry || program.has_patchable ||
		     program.has_runtime || program.has_unwinder);
	kind.is_dynamic = true;
	assert_false(look(&kind).is_static);
	kind.machine = FOREIGN;
	assert_false(look(&kind).is_native);
	kind.section = "xray_instr_map";
	program = look(&kind);
	assert_true(program.has_sleds && !program.has_patchable);
	kind.section = "__patchable_function_entries";
	program = look(&kind);
	assert_true(program.has_patchable && !program.has_sleds);
}

static struct tl_record_program named(const char *strtab, size_t strtab_size, const char *dynstr,
				      size_t dynstr_size)
{
	const struct kind kind = { NATIVE, strtab, dynstr, strtab_size, dynstr_size, NULL, true };

	return look(&kind);
}

TEST(a_program_has_what_it_names)
{
	struct tl_record_program program =
		named(NAMES("\0main\0__cyg_profile_func_enter\0"), NAMES("\0"));

	assert_true(program.has_calls && !program.has_fentry && !program.has_runtime);
	assert_true(named(NAMES("\0"), NAMES("\0__cyg_profile_func_enter\0")).has_calls);
	assert_true(named(NAMES("\0"), NAMES("\0__fentry__\0")).has_fentry);
	assert_true(named(NAMES("\0rt_begin_once\0"), NAMES("\0")).has_runtime);
	/* Part of a name is another name. */
	assert_false(named(NAMES("\0__fentry__x\0"), NAMES("\0x__fentry__\0")).has_fentry);
	program = named(NAMES("\0__xray_set_handler\0__xray_log_init_mode\0"), NAMES("\0"));
	assert_true(program.has_xray_api && !program.has_flight_recorder);
	program = named(NAMES("\0_ZN6__xray24fdrLogDynamicInitializerEv\0"), NAMES("\0"));
	assert_false(program.has_flight_recorder);
	program = named(NAMES("\0_ZN6__xray24fdrLogDynamicInitializerEv\0__xray_log_init_mode\0"),
			NAMES("\0"));
	assert_true(program.has_flight_recorder && !program.has_xray_api);
}

/* The unwinder is its own where no library is asked for it. */
TEST(a_program_has_an_unwinder_where_it_asks_for_none)
{
	assert_true(named(NAMES("\0_Unwind_RaiseException\0"), NAMES("\0")).has_unwinder);
	assert_false(named(NAMES("\0_Unwind_RaiseException\0"), NAMES("\0_Unwind_RaiseException\0"))
			     .has_unwinder);
	assert_false(named(NAMES("\0_Unwind_RaiseException\0"), NAMES("\0_Unwind_Resume\0"))
			     .has_unwinder);
	assert_false(named(NAMES("\0"), NAMES("\0")).has_unwinder);
}

/* ---- what recorders say ---- */

static void expect_no(tl_recorder_probe_fn *probe, const struct tl_record_program *program,
		      const char *reason)
{
	char text[TL_RECORD_TEXT] = "";

	assert_int_equal(probe(program, text), TL_RECORDER_NO);
	if (!strstr(text, reason))
		fail_msg("\"%s\" is not in \"%s\"", reason, text);
}

TEST(recorders_say_why_they_cannot)
{
	struct tl_record_program p = { .has_sleds = true };

	expect_no(tl_record_probe_xray, &p, "no ELF file");
	expect_no(tl_record_probe_xray_fdr, &p, "no ELF file");
	expect_no(tl_record_probe_calls, &p, "no ELF file");
#if defined(__x86_64__)
	expect_no(tl_record_probe_emulate, &p, "no ELF file");
#endif
	p.is_elf = true;
	expect_no(tl_record_probe_xray, &p, "another processor");
	expect_no(tl_record_probe_calls, &p, "another processor");
#if defined(__x86_64__)
	p.machine = 243; /* EM_RISCV */
	expect_no(tl_record_probe_emulate, &p, "neither x86-64 nor AArch64");
#endif
	p.is_native = p.is_static = true;
	expect_no(tl_record_probe_xray, &p, "linked statically");
	expect_no(tl_record_probe_calls, &p, "linked statically");
	p.has_sleds = false;
	expect_no(tl_record_probe_xray, &p, "no XRay sleds");
	expect_no(tl_record_probe_xray_basic, &p, "no XRay sleds");
	expect_no(tl_record_probe_xray_fdr, &p, "no XRay sleds");
#if defined(__x86_64__)
	expect_no(tl_record_probe_patch, &p, "linked statically");
#endif
}

TEST(without_a_program_recorders_say_what_they_are_for)
{
	static tl_recorder_probe_fn *const probes[] = { tl_record_probe_xray,
							tl_record_probe_xray_fdr,
							tl_record_probe_xray_basic,
							tl_record_probe_calls };
	char text[TL_RECORD_TEXT];

	for (size_t i = 0; i < sizeof(probes) / sizeof(probes[0]); i++) {
		text[0] = '\0';
		assert_int_equal(probes[i](NULL, text), TL_RECORDER_YES);
		assert_memory_equal(text, "programs built with ", 20);
	}
}

TEST(basic_mode_needs_nothing_but_sleds)
{
	const struct tl_record_program p = { .has_sleds = true };
	char text[TL_RECORD_TEXT];

	assert_int_equal(tl_record_probe_xray_basic(&p, text), TL_RECORDER_YES);
	assert_non_null(strstr(text, "basic mode"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(programs_are_found_as_the_shell_finds_them),
		cmocka_unit_test(a_program_that_cannot_be_run_says_why),
		cmocka_unit_test(a_script_is_no_elf_file_and_rights_of_others_are_refused),
		cmocka_unit_test(a_program_has_what_its_sections_say),
		cmocka_unit_test(a_program_has_what_it_names),
		cmocka_unit_test(a_program_has_an_unwinder_where_it_asks_for_none),
		cmocka_unit_test(recorders_say_why_they_cannot),
		cmocka_unit_test(without_a_program_recorders_say_what_they_are_for),
		cmocka_unit_test(basic_mode_needs_nothing_but_sleds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
