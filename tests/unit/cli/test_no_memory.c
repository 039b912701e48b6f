/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that runs out anywhere in a command: its answer is the right one, or there is an error in
 * words and another exit status than 0; nothing is left allocated.
 */
#include "cli_test.h"

#include <fcntl.h>
#include <sys/mman.h>

#include "../refuse.h"
#include "../temp.h"

#include "cli/commands/job.h"

enum { ROOM = 2048 };

static struct temp temp;
static const char *golden;
static int said; /* a file without a name that has what is printed */

/* "+x" is a file of tests/golden, "^x" one of the folder of the test. */
static size_t expand(const char *line, char room[ROOM])
{
	size_t used = 0;

	for (; *line; line++) {
		if (*line == '+')
			used += (size_t)snprintf(room + used, ROOM - used, "%s/", golden);
		else if (*line == '^')
			used += (size_t)snprintf(room + used, ROOM - used, "%s/", temp.directory);
		else
			room[used++] = *line;
		assert_true(used + 1 < ROOM);
	}
	room[used] = '\0';
	return used;
}

/* The exit status of a command line. */
static int run_line(const char *line)
{
	char *argv[MOST_ARGUMENTS + 1] = { NULL }, room[ROOM];
	const struct command *command;
	struct settings settings;
	int argc, status = EXIT_UNUSABLE;

	expand(line, room);
	argc = split(room, argv);
	command = command_find(argv[0]);
	assert_non_null(command);
	if (settings_parse(&settings, command, argc - 1, argv + 1))
		status = run_command(command, &settings);
	settings_free(&settings);
	return status;
}

static const char *text_said(void)
{
	static char text[1024];
	ssize_t got = pread(said, text, sizeof(text) - 1, 0);

	text[got > 0 ? got : 0] = '\0';
	return text;
}

static void note_output(uint64_t *digest)
{
	const char *path = temp_path(&temp, "out");
	char room[4096];
	ssize_t got = -1;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	/* Without an allocation, which might be refused. */
	while (fd >= 0 && (got = read(fd, room, sizeof(room))) > 0)
		refuse_note(digest, room, (size_t)got);
	refuse_note_number(digest, got);
	if (fd >= 0)
		close(fd);
	unlink(path);
}

/* What `map` made, in any order; it is to be made again the next time. */
static void note_maps(uint64_t *digest)
{
	static char path[ROOM];
	DIR *folder = opendir(temp_path(&temp, "maps"));
	uint64_t sum = 0;

	for (struct dirent *entry; folder && (entry = readdir(folder));) {
		uint64_t one = 0;
		char room[4096];
		ssize_t got;
		int fd;

		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/maps/%s", temp.directory, entry->d_name);
		refuse_note_text(&one, entry->d_name);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		while ((got = read(fd, room, sizeof(room))) > 0)
			refuse_note(&one, room, (size_t)got);
		close(fd);
		unlink(path);
		sum += one;
	}
	if (folder)
		closedir(folder);
	refuse_note_number(digest, (int64_t)sum);
}

/* A command that answers has status 0; one that has not says why. */
static int step(const void *line, uint64_t *digest)
{
	int out = dup(STDOUT_FILENO), err = dup(STDERR_FILENO), status;

	fflush(stdout);
	fflush(stderr);
	assert_int_equal(ftruncate(said, 0), 0);
	lseek(said, 0, SEEK_SET);
	dup2(said, STDOUT_FILENO);
	dup2(said, STDERR_FILENO);
	status = run_line(line);
	fflush(stdout);
	fflush(stderr);
	dup2(out, STDOUT_FILENO);
	dup2(err, STDERR_FILENO);
	close(out);
	close(err);
	note_output(digest);
	note_maps(digest);
	if (status && lseek(said, 0, SEEK_END) == 0)
		fail_msg("%s: status %d without a word", (const char *)line, status);
	return status ? TL_NO_MEMORY : 0;
}

/* Options that keep the process as it is. */
#define QUIETLY " --no-sandbox --progress never --jobs 1 -o ^out "

#define SMALL "xtrace.20260101000000.0.hint9.xinsndata.bin"

TEST(commands_without_memory)
{
	static const char *const lines[] = {
		("info" QUIETLY "+xray/gap-full.xray"),
		("stacks" QUIETLY "--function . +xray/fib-basic.xray"),
		("report" QUIETLY "--csv --event Ir --sort Ir:inclusive +callgrind/threads.out-02"),
		("convert" QUIETLY "--to json +callgrind/threads.out-01"),
		("diff" QUIETLY "--event Ir --fail-above 1000% +callgrind/threads.out-01 "
		 "+callgrind/threads.out-01"),
		("flame" QUIETLY "--svg +intel_pt/tiny.pt --raw +intel_pt/tiny.img@0x401000"),
		("timeline" QUIETLY
		 "--to chrome +xray/tail-fdr.xray --map +xray/tail.instrmap-sym.yaml"),
		("merge" QUIETLY "+callgrind/threads.out-01 +callgrind/threads.out-02"),
		("report" QUIETLY "--by file +callgrind/threads.out-01 +callgrind/threads.out-02"),
		("merge" QUIETLY "--to folded +xray/forky-0.xray +xray/fib-basic.xray"),
		("slice" QUIETLY "--time 0..1 +xray/tail-fdr.xray"),
		("dump" QUIETLY "--calls --json +xray/forky-0.xray"),
		("check" QUIETLY "--json +callgrind/threads.out-01"),
		("tree" QUIETLY "--top-down +xray/forky-0.xray"),
		"help --completion bash",
		"help --man report",
		("report" QUIETLY "--json --threads --event Ir --top 3 +callgrind/threads.out-01 "
		 "+callgrind/threads.out-02"),
		("report" QUIETLY "--idle .* --seconds --exact +xray/fib-basic.xray"),
		("report" QUIETLY "--spread +callgrind/threads.out-01 +callgrind/threads.out-02"),
		("report" QUIETLY "--interval 2 +xtrace/" SMALL),
		("tree" QUIETLY "--callers --function main +callgrind/threads.out-01"),
		("annotate" QUIETLY "--source-dir +callgrind +callgrind/threads.out-01"),
		("annotate" QUIETLY "--asm +xtrace/" SMALL " --binary +xtrace/small.elf"),
		("flame" QUIETLY "--icicle --width 500 --svg +xray/fib-basic.xray"),
		("diff" QUIETLY
		 "--markdown --sort change +callgrind/threads.out-01 +callgrind/threads.out-02"),
		("diff" QUIETLY "--to dot +callgrind/threads.out-01 +callgrind/threads.out-02"),
		("diff" QUIETLY "--by line +callgrind/threads.out-01 +callgrind/threads.out-02"),
		("diff" QUIETLY "--flow +intel_pt/tiny.pt +intel_pt/tiny.pt --raw "
		 "+intel_pt/tiny.img@0x401000"),
		("diff" QUIETLY "--runs +callgrind/threads.out-01 +callgrind/threads.out-01 -- "
		 "+callgrind/threads.out-01 +callgrind/threads.out-01"),
		("convert" QUIETLY "--to pprof +xray/fib-basic.xray"),
		("convert" QUIETLY "--to dot --threshold 1 --focus fib --cluster object "
		 "+xray/fib-basic.xray --map +xray/fib.instrmap-sym.yaml"),
		("convert" QUIETLY "--to tracelathe +callgrind/threads.out-01"),
		("convert" QUIETLY "--to xray +xray/fib-basic.xray"),
		("convert" QUIETLY "--to tarmac +xtrace/" SMALL),
		("analyze" QUIETLY "--mix --cache --level 0 +xtrace/" SMALL),
		("analyze" QUIETLY "--bbv --interval 4 +xtrace/" SMALL),
		("slice" QUIETLY "--instructions 5..20 +xtrace/" SMALL),
		("slice" QUIETLY "--part 1 +callgrind/threads.out-01"),
		("dump" QUIETLY "--instructions +xtrace/" SMALL),
		("dump" QUIETLY "--packets +intel_pt/tiny.pt"),
		("check" QUIETLY "--csv +xray/fib-basic.xray"),
		("check" QUIETLY "--strict +xtrace/" SMALL),
		"extract --no-sandbox -o ^out --json +xray/fib.instrmap-sym.yaml",
		("query" QUIETLY "--csv +xray/fib-basic.xray SELECT\tcount(*)\tFROM\tcalls"),
		("slice --no-sandbox --progress never --simpoints ^points --weights ^weights "
		 "--interval 5 "
		 "-o ^slices +xtrace/" SMALL),
		("diff" QUIETLY
		 "--rename f.*=x +callgrind/threads.out-01 +callgrind/threads.out-02"),
		("report" QUIETLY "--config ^config +callgrind/threads.out-01"),
		("stacks" QUIETLY "@^list"),
		("map --no-sandbox --progress never -o ^maps +callgrind/threads.out-01 "
		 "+callgrind/threads.out-02"),
		("map --no-sandbox --progress never --jobs 1 -o ^maps +xray/forky-0.xray "
		 "+xray/forky-1.xray"),
		("map --no-sandbox --progress never --jobs 1 -o ^maps +xray/forky-0.xray "
		 "+callgrind/threads.out-02"),
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		uint64_t digest = 0, asked;

		/* What is made once and kept, as tables of the C library are. */
		if (step(lines[i], &digest))
			fail_msg("%s: %s", lines[i], text_said());
		asked = refuse_each(step, lines[i]);
		print_message("%5u %s\n", (unsigned)asked, lines[i]);
	}
}

static int begin(void **state)
{
	static char path[1024], list[1100];

	(void)state;
	snprintf(path, sizeof(path), "%s/tests/golden", getenv("TL_SOURCE_ROOT"));
	golden = path;
	temp_open(&temp);
	temp_write(&temp, "points", "1 0\n", 4);
	temp_write(&temp, "weights", "1 0\n", 4);
	temp_write(&temp, "config", "top = 3\nsource-dir = /nowhere\n", 31);
	snprintf(list, sizeof(list), "%s/xray/fib-basic.xray\n", golden);
	temp_write(&temp, "list", list, strlen(list));
	said = memfd_create("said", MFD_CLOEXEC);
	return said < 0;
}

static int end(void **state)
{
	(void)state;
	close(said);
	temp_close(&temp);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(commands_without_memory),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
