/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Many files as one sum: which logs are open together, what `map` makes of each file and leaves as
 * it is, and that `merge` of either gives the same. /
 */
#include "run_line.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "cli/commands/gather/relatives.h"
#include "cli/fleet/mapping.h"

static int set_up(void **state)
{
	temp_setup(state);
	run_file("a.folded", "main;work 3\nmain 2\n");
	run_file("b.folded", "main;work 6\nmain;rest 1\n");
	run_file("flat.out", "events: samples\nfn=main\n1 10\nfn=alone\n2 5\n");
	run_file("junk", "junk\n");
	return 0;
}

/* ---- which logs belong together ---- */

static bool keeps_marks(const char *line)
{
	struct relatives relatives;
	char room[512], whole[RUN_ROOM];
	struct settings settings;
	bool kept;

	run_expand(line, whole);
	assert_true(parse_into(&settings, room, whole));
	assert_int_equal(relatives_open(&relatives, &settings, NULL), 0);
	kept = relatives.kin;
	relatives_close(&relatives);
	settings_free(&settings);
	return kept;
}

/* Each log is opened twice, but where one of the files can be read only once. */
TEST(a_pipe_is_read_once)
{
	assert_int_equal(mkfifo(temp_path(&temp, "pipe"), 0600), 0);
	assert_true(keeps_marks("merge ^a.folded"));
	assert_true(keeps_marks("merge ^a.folded ^b.folded ^junk"));
	assert_false(keeps_marks("merge ^pipe"));
	assert_false(keeps_marks("merge ^a.folded ^pipe ^b.folded"));
	assert_false(keeps_marks("merge -"));
	assert_false(keeps_marks("merge ^a.folded -"));
	/* what is not there is no pipe: it is said later that it cannot be opened */
	assert_true(keeps_marks("merge ^nowhere ^a.folded"));
}

struct groups {
	char text[256];
	int status, after; /* what the visit answers from the call of this number on */
	int calls;
};

static int note_group(void *arg, const char *const *paths, size_t count, struct tl_error *err)
{
	struct groups *groups = arg;

	(void)err;
	for (size_t i = 0; i < count; i++)
		strcat(groups->text, paths[i]);
	strcat(groups->text, "|");
	return ++groups->calls >= groups->after ? groups->status : 0;
}

/* Logs "a", "b", ... of which each has these marks; 0 ends a list. */
static int visit_logs(struct groups *groups, const uint64_t (*marks)[4], size_t count)
{
	static const char *const names[] = { "a", "b", "c", "d", "e", "f" };
	struct relatives relatives = { .kin = NULL };
	int status;

	assert_int_equal(tl_kin_open(&relatives.kin, NULL), 0);
	for (size_t i = 0; i < count; i++) {
		const char **item = list_add(&relatives.paths.list, sizeof(*item));
		size_t of = 0;

		while (of < 4 && marks[i][of])
			of++;
		*item = names[i];
		assert_int_equal(tl_kin_add(relatives.kin, (uint32_t)i, marks[i], of, NULL), 0);
	}
	status = relatives_each(&relatives, note_group, groups, NULL);
	relatives_close(&relatives);
	return status;
}

TEST(logs_with_a_mark_in_common_are_together)
{
	static const struct {
		size_t count;
		uint64_t marks[6][4];
		const char *groups;
	} cases[] = {
		{ 0, { { 0 } }, "" },
		{ 1, { { 7 } }, "a|" },
		{ 3, { { 1 }, { 2 }, { 3 } }, "a|b|c|" },
		{ 3, { { 1 }, { 1 }, { 1 } }, "abc|" },
		/* each where the first of its group is, in the order of the files */
		{ 5, { { 1 }, { 2 }, { 1 }, { 3 }, { 2 } }, "ac|be|d|" },
		/* by way of a third */
		{ 4, { { 1 }, { 2 }, { 3, 1 }, { 2, 3 } }, "abcd|" },
		{ 6, { { 1, 9 }, { 2 }, { 8 }, { 2, 7 }, { 9, 8 }, { 7 } }, "ace|bdf|" },
		/* without marks, a log is by itself */
		{ 3, { { 0 }, { 4 }, { 0 } }, "a|b|c|" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct groups groups = { .after = 100 };

		assert_int_equal(visit_logs(&groups, cases[i].marks, cases[i].count), 0);
		assert_string_equal(groups.text, cases[i].groups);
	}
}

TEST(a_status_ends_the_visit)
{
	static const uint64_t marks[][4] = { { 1 }, { 2 }, { 1 }, { 3 } };
	struct groups groups = { .after = 2, .status = TL_IO };

	assert_int_equal(visit_logs(&groups, marks, 4), TL_IO);
	assert_string_equal(groups.text, "ac|b|");
}

/* ---- files without a name ---- */

static int scratch_of(const char *directory)
{
	struct settings settings = { .files.scratch = directory };

	return make_scratch_file(&settings);
}

static bool is_nameless(int fd)
{
	struct stat st;

	return fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && !st.st_nlink && !st.st_size &&
	       (st.st_mode & 0777) == 0600 && write(fd, "x", 1) == 1 &&
	       (fcntl(fd, F_GETFD) & FD_CLOEXEC);
}

TEST(a_scratch_file_has_no_name)
{
	int before = temp_count(&temp), fd;
	char directory[512];

	strcpy(directory, temp.directory);
	/* an interruption of long ago is none of this call */
	errno = EINTR;
	fd = scratch_of(directory);
	assert_true(is_nameless(fd));
	close(fd);
	assert_int_equal(temp_count(&temp), before);
	/* a folder that is not there */
	strcpy(directory, temp_path(&temp, "nowhere"));
	assert_int_equal(scratch_of(directory), -1);
	/* nor one in which nobody makes files */
	assert_int_equal(scratch_of("/proc/self"), -1);
}

/* --scratch, else TMPDIR, else /var/tmp */
TEST(where_scratch_files_are)
{
	char *kept = getenv("TMPDIR") ? strdup(getenv("TMPDIR")) : NULL;
	struct stat of, expected;
	int fd;

	assert_int_equal(mkdir(temp_path(&temp, "scratch"), 0700), 0);
	setenv("TMPDIR", temp_path(&temp, "nowhere"), 1);
	assert_int_equal(scratch_of(NULL), -1);
	fd = scratch_of(temp_path(&temp, "scratch"));
	assert_true(is_nameless(fd));
	close(fd);
	setenv("TMPDIR", temp_path(&temp, "scratch"), 1);
	fd = scratch_of(NULL);
	assert_true(is_nameless(fd));
	close(fd);
	setenv("TMPDIR", "", 1);
	fd = scratch_of(NULL);
	assert_true(is_nameless(fd));
	assert_int_equal(fstat(fd, &of), 0);
	assert_int_equal(stat("/var/tmp", &expected), 0);
	assert_true(of.st_dev == expected.st_dev);
	close(fd);
	if (kept)
		setenv("TMPDIR", kept, 1);
	else
		unsetenv("TMPDIR");
	free(kept);
}

/* ---- names of profile files ---- */

/* FNV-1a of 32 bits: "hash = offset basis; for each octet: hash ^= octet; hash *= prime" */
static uint32_t fnv(const char *text)
{
	uint64_t hash = 2166136261u;

	for (; *text; text++)
		hash = ((hash ^ (unsigned char)*text) * 16777619u) & 0xffffffffu;
	return (uint32_t)hash;
}

static void assert_target(const char *path, const char *whole, const char *name)
{
	char expected[1024], *target = mapping_target("dir", path);

	snprintf(expected, sizeof(expected), "dir/%s.%08x.tlp", name, fnv(whole));
	assert_string_equal(target, expected);
	free(target);
}

TEST(a_profile_file_is_called_by_its_files_whole_path)
{
	char path[600], real[600], link[600], name[300];

	/* 0x811c9dc5 is what the hash begins with, 0xe40c292c that of "a" (the published test) */
	assert_int_equal(fnv(""), 0x811c9dc5u);
	assert_int_equal(fnv("a"), 0xe40c292cu);
	/* what is not there is called by the path that is given */
	assert_target("x.out", "x.out", "x.out");
	assert_target("/no/where/x.out", "/no/where/x.out", "x.out");
	/* what is there, by its real path, however it is given */
	assert_non_null(realpath(temp_path(&temp, "a.folded"), real));
	assert_target(real, real, "a.folded");
	snprintf(path, sizeof(path), "%s/../%s/./a.folded", temp.directory,
		 strrchr(temp.directory, '/') + 1);
	assert_target(path, real, "a.folded");
	strcpy(link, temp_path(&temp, "linked"));
	assert_int_equal(symlink(real, link), 0);
	assert_target(link, real, "linked");
	unlink(link);
	/* of long names, the first 200 bytes */
	memset(name, 'n', 250);
	name[250] = '\0';
	snprintf(path, sizeof(path), "/no/%s", name);
	name[200] = '\0';
	assert_target(path, path, name);
}

/* ---- map ---- */

/* The profile file of a name; to be freed. */
static char *mapped(const char *name)
{
	char path[600];

	strcpy(path, temp_path(&temp, name));
	return mapping_target(temp_path(&temp, "maps"), path);
}

/* The time of its last write, in nanoseconds. */
static uint64_t written_at(const char *name)
{
	char *target = mapped(name);
	struct stat st;

	assert_int_equal(stat(target, &st), 0);
	free(target);
	return (uint64_t)st.st_mtim.tv_sec * 1000000000u + (uint64_t)st.st_mtim.tv_nsec;
}

static void set_time(const char *path, time_t seconds, long nanoseconds)
{
	const struct timespec times[2] = { { seconds, nanoseconds }, { seconds, nanoseconds } };

	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

/* Let the profile file of a name be of a time, by which it can be known again. */
static void set_written(const char *name, time_t seconds, long nanoseconds)
{
	char *target = mapped(name);

	set_time(target, seconds, nanoseconds);
	free(target);
}

static void set_changed(const char *name, time_t seconds, long nanoseconds)
{
	set_time(temp_path(&temp, name), seconds, nanoseconds);
}

static void cut_short(const char *name)
{
	char *target = mapped(name);
	struct stat st;

	assert_int_equal(stat(target, &st), 0);
	assert_int_equal(truncate(target, st.st_size / 2), 0);
	free(target);
}

#define MAP_FOLDED "map -o ^maps ^a.folded ^b.folded"

/* "What is there, whole and newer than its file is not done again." */
TEST(what_is_done_is_not_done_again)
{
	static const struct run_case map = { MAP_FOLDED, 0, "", "" };
	const uint64_t then = 5000ull * 1000000000u;

	assert_run(&map);
	set_changed("a.folded", 4000, 500);
	set_changed("b.folded", 4000, 500);
	/* newer by a nanosecond, of the same time, older by a nanosecond, by a second */
	set_written("a.folded", 4000, 501);
	set_written("b.folded", 4000, 500);
	assert_run(&map);
	assert_true(written_at("a.folded") < then && written_at("b.folded") < then);
	set_written("a.folded", 4000, 499);
	set_written("b.folded", 3999, 900);
	assert_run(&map);
	assert_true(written_at("a.folded") > then && written_at("b.folded") > then);
	/* newer by a second, though its nanoseconds are fewer */
	set_written("a.folded", 4001, 0);
	assert_run(&map);
	assert_true(written_at("a.folded") < then);
	/* one that is cut short is made anew, however new it is */
	set_written("b.folded", 6000, 0);
	cut_short("b.folded");
	set_written("b.folded", 6000, 1);
	assert_run(&map);
	assert_true(written_at("b.folded") != 6000ull * 1000000000u + 1);
}

/* "both together give the bytes of a merge of the files" */
TEST(a_merge_of_profile_files_is_that_of_the_files)
{
	static const struct run_case cases[] = {
		{ "map -o ^all ^a.folded ^b.folded ^flat.out", 0, "", "" },
		{ "merge --to tracelathe -o ^one ^a.folded ^b.folded ^flat.out", 1, "",
		  "tracelathe: the merged profile: some files have no call stacks, so those of the "
		  "other files are left out; costs and calls are complete\n" },
		{ "merge --to tracelathe -o ^two ^all --glob *.tlp", 1, "", NULL },
		{ "merge --to folded ^a.folded ^b.folded", 0, "main 2\nmain;rest 1\nmain;work 9\n",
		  "" },
		/* a sum of sums */
		{ "merge --to tracelathe -o ^half ^b.folded", 0, "", "" },
		{ "merge --to folded ^half ^a.folded", 0, "main 2\nmain;rest 1\nmain;work 9\n",
		  "" },
		/* nothing of what is missing, which is told as for a merge */
		{ "map -o ^all ^a.folded ^junk ^nowhere", 1, "",
		  "tracelathe: ^junk: offset 0x0: not a trace of any format that this build reads\n"
		  "tracelathe: ^nowhere: cannot open: No such file or directory\n"
		  "tracelathe: 2 of 3 files could not be read and are missing in the result\n" },
		{ "map -o ^all ^junk", 2, "",
		  "tracelathe: ^junk: offset 0x0: not a trace of any format that this build "
		  "reads\n" },
		{ "map -o ^junk ^a.folded", 2, "", NULL },
	};
	size_t one_size, two_size;
	char *one, *two;

	ASSERT_RUNS(cases);
	one = temp_read(temp_path(&temp, "one"), &one_size);
	two = temp_read(temp_path(&temp, "two"), &two_size);
	assert_true(one_size > 0);
	assert_int_equal(one_size, two_size);
	assert_memory_equal(one, two, one_size);
	free(one);
	free(two);
}

/* ---- the sum of a list as an input ---- */

TEST(a_list_is_one_input)
{
	static const struct run_case cases[] = {
		{ "stacks @^list", 0, "main 2\nmain;rest 1\nmain;work 9\n", "" },
		/* what is chosen, is chosen of the sum */
		{ "stacks --function work @^list", 0, "main;work 9\n", "" },
		{ "report --csv --function work @^list", 0,
		  "function,object,file,line,id,samples:self,samples:inclusive,calls\n"
		  "work,,,,,9,9,0\n",
		  "" },
		{ "stacks --function nope @^list", 1, "",
		  "tracelathe: ^a.folded: nothing matches --function nope\n" },
		{ "stacks --scratch ^nowhere @^list", 2, "",
		  "tracelathe stacks: cannot make a temporary file\n" },
		{ "stacks @^half", 1, "main 2\nmain;work 3\n", NULL },
		{ "stacks @^bad", 2, "", NULL },
	};
	char text[1500];

	snprintf(text, sizeof(text), "%s/a.folded\n%s/b.folded\n", temp.directory, temp.directory);
	run_file("list", text);
	snprintf(text, sizeof(text), "%s/a.folded\n%s/junk\n", temp.directory, temp.directory);
	run_file("half", text);
	snprintf(text, sizeof(text), "%s/nowhere\n%s/junk\n", temp.directory, temp.directory);
	run_file("bad", text);
	ASSERT_RUNS(cases);
}

/* ---- logs of the processes of one program ---- */

/* The rows of a table, in alphabetical order, so that tables of the same rows are the same text. */
static char *sorted_rows(const char *line)
{
	struct capture out = capture_begin(stdout), err = capture_begin(stderr);
	int status = run_line(line);
	char *said = capture_end(&err), *text = capture_end(&out), *rows[64];
	size_t count = 0, length = strlen(text);
	char *sorted = calloc(1, length + 2);

	assert_in_range(status, 0, 1);
	for (char *row = strtok(text, "\n"); row; row = strtok(NULL, "\n")) {
		size_t at = count++;

		for (; at && strcmp(rows[at - 1], row) > 0; at--)
			rows[at] = rows[at - 1];
		rows[at] = row;
	}
	for (size_t i = 0; i < count; i++) {
		strcat(sorted, rows[i]);
		strcat(sorted, "\n");
	}
	free(said);
	free(text);
	return sorted;
}

/*
 * "XRay logs of the processes of one program count once what a process inherited by fork": read
 * together, merged, and merged of profile files made in one go, they have the same calls.
 */
TEST(logs_of_related_processes)
{
	char line[2048], logs[1600] = "";
	char *together, *merged, *mapped;

	for (int i = 0; i < 4; i++)
		snprintf(logs + strlen(logs), sizeof(logs) - strlen(logs),
			 " %s/tests/golden/xray/forky-%d.xray", getenv("TL_SOURCE_ROOT"), i);
	snprintf(line, sizeof(line), "report --csv%s", logs);
	together = sorted_rows(line);
	assert_non_null(strstr(together, "#1,"));
	snprintf(line, sizeof(line), "merge --to tracelathe -o ^merged%s", logs);
	free(sorted_rows(line));
	merged = sorted_rows("report --csv ^merged");
	assert_string_equal(merged, together);
	snprintf(line, sizeof(line), "map -o ^logs%s", logs);
	free(sorted_rows(line));
	mapped = sorted_rows("merge --to tracelathe -o ^sum ^logs --glob *.tlp");
	free(mapped);
	mapped = sorted_rows("report --csv ^sum");
	assert_string_equal(mapped, together);
	free(mapped);
	free(merged);
	free(together);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pipe_is_read_once),
		cmocka_unit_test(logs_with_a_mark_in_common_are_together),
		cmocka_unit_test(a_status_ends_the_visit),
		cmocka_unit_test(a_scratch_file_has_no_name),
		cmocka_unit_test(where_scratch_files_are),
		cmocka_unit_test(a_profile_file_is_called_by_its_files_whole_path),
		cmocka_unit_test(what_is_done_is_not_done_again),
		cmocka_unit_test(a_merge_of_profile_files_is_that_of_the_files),
		cmocka_unit_test(a_list_is_one_input),
		cmocka_unit_test(logs_of_related_processes),
	};

	return cmocka_run_group_tests(tests, set_up, temp_teardown);
}
