/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The process that asks servers of debuginfod, with a libdebuginfod that is played: what it
 * answers to drawn requests is told by a table here; what it says where the library is not
 * installed, lacks a function or has no memory; and the folder that it makes for the library.
 */
#include "../unit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "../chance.h"
#include "../temp_fixture.h"

#include "cli/debuginfod/debuginfod.h"

/* ---- the library that is played ---- */

/* What is known of a build id: a number of an error, or a path that is then opened. */
static const struct known {
	const char *build_id;
	int error;        /* 0: found */
	const char *path; /* NULL: found, and nowhere */
} known[] = {
	{ "0123456789abcdef0123456789abcdef01234567", 0, "/cache/one" },
	{ "abcdef", 0, "/cache/a long name, with blanks/debuginfo" },
	{ "00", ENOENT, NULL },
	{ "0e0e", EHOSTUNREACH, NULL },
	{ "ff", 0, NULL },
};
enum { KNOWN = sizeof(known) / sizeof(known[0]) };

static struct {
	bool installed, has_memory;
	const char *lacks;
} library;

static const struct known *find_known(const char *build_id)
{
	for (size_t i = 0; i < KNOWN; i++)
		if (!strcmp(known[i].build_id, build_id))
			return &known[i];
	return NULL;
}

/* Debug information is beside its program. */
static int find(void *client, const unsigned char *build_id, int length, char **path,
		const char *behind)
{
	const struct known *found = find_known((const char *)build_id);

	/* debuginfod_find_debuginfo(3): "if build_id_len is 0, it is a hexadecimal string" */
	if (client != &library || length)
		abort();
	if (!found)
		return -ENOENT;
	if (found->error)
		return -found->error;
	if (found->path && asprintf(path, "%s%s", found->path, behind) < 0)
		abort();
	return open("/dev/null", O_RDONLY);
}

static int find_executable(void *client, const unsigned char *build_id, int length, char **path)
{
	return find(client, build_id, length, path, "");
}

static int find_debuginfo(void *client, const unsigned char *build_id, int length, char **path)
{
	return find(client, build_id, length, path, ".debug");
}

static void *begin(void)
{
	return library.has_memory ? &library : NULL;
}

void *__wrap_dlopen(const char *name, int flags);
void *__wrap_dlsym(void *handle, const char *name);
char *__wrap_dlerror(void);

void *__wrap_dlopen(const char *name, int flags)
{
	(void)flags;
	return library.installed && !strcmp(name, "libdebuginfod.so.1") ? &library : NULL;
}

void *__wrap_dlsym(void *handle, const char *name)
{
	if (handle != &library)
		abort();
	if (library.lacks && !strcmp(library.lacks, name))
		return NULL;
	if (!strcmp(name, "debuginfod_begin"))
		return (void *)(uintptr_t)begin;
	if (!strcmp(name, "debuginfod_find_executable"))
		return (void *)(uintptr_t)find_executable;
	return strcmp(name, "debuginfod_find_debuginfo") ? NULL : (void *)(uintptr_t)find_debuginfo;
}

char *__wrap_dlerror(void)
{
	static char text[] = "no such library";

	return text;
}

/* ---- the process ---- */

struct asker {
	pid_t child;
	int requests, replies;
};

/* The signals that end a command are ignored here, as the asking process must not. */
static struct asker begin_asker(void)
{
	struct asker asker;
	int requests[2], replies[2];

	assert_int_equal(pipe2(requests, O_CLOEXEC), 0);
	assert_int_equal(pipe2(replies, O_CLOEXEC), 0);
	fflush(NULL);
	asker.child = fork();
	assert_true(asker.child >= 0);
	if (!asker.child) {
		close(requests[1]);
		close(replies[0]);
		signal(SIGTERM, SIG_IGN);
		setrlimit(RLIMIT_NOFILE, &(struct rlimit){ 64, 64 });
		debuginfod_serve(requests[0], replies[1]);
	}
	close(requests[0]);
	close(replies[1]);
	asker.requests = requests[1];
	asker.replies = replies[0];
	return asker;
}

/* Its exit status; below 0: the signal that ended it. */
static int end_asker(struct asker *asker)
{
	int status;

	close(asker->requests);
	close(asker->replies);
	assert_int_equal(waitpid(asker->child, &status, 0), asker->child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static void expect_reply(const struct asker *asker, int found, const char *text)
{
	struct debuginfod_reply reply;
	char room[512];

	assert_true(debuginfod_read(asker->replies, &reply, sizeof(reply)));
	assert_true(reply.size < sizeof(room));
	assert_true(debuginfod_read(asker->replies, room, reply.size));
	room[reply.size] = '\0';
	assert_string_equal(room, text);
	assert_int_equal(reply.found, found);
}

static int set_up(void **state)
{
	(void)state;
	memset(&library, 0, sizeof(library));
	library.installed = library.has_memory = true;
	setenv("DEBUGINFOD_CACHE_PATH", temp_path(&temp, "own"), 1);
	return 0;
}

TEST(without_the_library)
{
	static const char *const functions[] = { "debuginfod_begin", "debuginfod_find_executable",
						 "debuginfod_find_debuginfo" };

	for (int i = -2; i < 3; i++) {
		struct asker asker;

		library.installed = i != -2;
		library.has_memory = i != -1;
		library.lacks = i < 0 ? NULL : functions[i];
		asker = begin_asker();
		expect_reply(&asker, -1,
			     i == -2   ? "no such library (Debian: package libdebuginfod1)"
			     : i == -1 ? "libdebuginfod.so.1 has no memory"
				       : "libdebuginfod.so.1 lacks functions");
		/* Nothing more comes: it ends by itself. */
		assert_false(debuginfod_read(asker.replies, &(char){ 0 }, 1));
		assert_int_equal(end_asker(&asker), 0);
	}
}

/* A build id that is known, one that is not, and what is none. */
static void draw_id(uint32_t *seed, char id[DEBUGINFOD_ID_ROOM], bool *good)
{
	const unsigned kind = chance(seed, 8);
	const size_t size = 1 + chance(seed, DEBUGINFOD_ID_ROOM - 1);

	*good = kind < 6;
	memset(id, 0, DEBUGINFOD_ID_ROOM);
	if (kind < 4) {
		strcpy(id, known[chance(seed, KNOWN)].build_id);
		return;
	}
	for (size_t i = 0; i < size; i++)
		id[i] = "0123456789abcdef"[chance(seed, 16)];
	if (kind == 6)
		id[chance(seed, (unsigned)size)] = "gA/.-x"[chance(seed, 6)];
	if (kind == 7 && chance(seed, 2))
		memset(id, '1', DEBUGINFOD_ID_ROOM); /* it has no end */
	else if (kind == 7)
		id[0] = '\0';
}

TEST(drawn_requests)
{
	struct asker asker = begin_asker();
	uint32_t seed = 17;

	expect_reply(&asker, 1, "");
	for (unsigned n = 0; n < 600; n++) {
		struct debuginfod_request request = { .kind = chance(&seed, 3) };
		const struct known *found = NULL;
		char wanted[256] = "";
		bool good;

		draw_id(&seed, request.build_id, &good);
		good &= request.kind <= TL_DEBUGINFOD_DEBUGINFO;
		if (good)
			found = find_known(request.build_id);
		assert_true(debuginfod_write(asker.requests, &request, sizeof(request)));
		if (found && found->path)
			snprintf(wanted, sizeof(wanted), "%s%s", found->path,
				 request.kind == TL_DEBUGINFOD_DEBUGINFO ? ".debug" : "");
		if (!found)
			expect_reply(&asker, 0, good ? strerror(ENOENT) : "");
		else if (found->error)
			expect_reply(&asker, found->error == ENOENT ? 0 : -1,
				     strerror(found->error));
		else
			expect_reply(&asker, found->path ? 1 : -1, wanted);
	}
	assert_int_equal(end_asker(&asker), 0);
}

/* Descriptors that the library gave are closed: there are more questions than may be open. */
TEST(more_questions_than_descriptors)
{
	struct debuginfod_request request = { .kind = TL_DEBUGINFOD_EXECUTABLE };
	struct asker asker = begin_asker();

	strcpy(request.build_id, known[1].build_id);
	expect_reply(&asker, 1, "");
	for (int i = 0; i < 200; i++) {
		assert_true(debuginfod_write(asker.requests, &request, sizeof(request)));
		expect_reply(&asker, 1, known[1].path);
	}
	assert_int_equal(end_asker(&asker), 0);
}

/* Ctrl-C ends it, though the command ignores it; half a request is none. */
TEST(its_end)
{
	struct asker asker = begin_asker();

	expect_reply(&asker, 1, "");
	kill(asker.child, SIGTERM);
	assert_int_equal(end_asker(&asker), -SIGTERM);
	asker = begin_asker();
	expect_reply(&asker, 1, "");
	assert_true(debuginfod_write(asker.requests, "half", 4));
	assert_int_equal(end_asker(&asker), 0);
}

static bool is_folder(const char *name)
{
	struct stat st;

	return !stat(temp_path(&temp, name), &st) && S_ISDIR(st.st_mode) &&
	       (st.st_mode & 0777) == 0700;
}

/*
 * debuginfod-find(1), "CACHE": $DEBUGINFOD_CACHE_PATH, else $XDG_CACHE_HOME/debuginfod_client,
 * else $HOME/.cache/debuginfod_client.
 */
TEST(folders_of_the_cache)
{
	static const char *const wanted[] = { "cache1", "cache2/debuginfod_client",
					      "home/.cache/debuginfod_client" };

	assert_int_equal(mkdir(temp_path(&temp, "home"), 0700), 0);
	for (int i = 0; i < 3; i++) {
		struct asker asker;

		unsetenv("DEBUGINFOD_CACHE_PATH");
		setenv("XDG_CACHE_HOME", "", 1);
		setenv("HOME", temp_path(&temp, "home"), 1);
		if (i < 2)
			setenv("XDG_CACHE_HOME", temp_path(&temp, "cache2"), 1);
		if (i < 1)
			setenv("DEBUGINFOD_CACHE_PATH", temp_path(&temp, "cache1"), 1);
		asker = begin_asker();
		expect_reply(&asker, 1, "");
		assert_int_equal(end_asker(&asker), 0);
		for (int n = 0; n < 3; n++)
			assert_int_equal(is_folder(wanted[n]), n <= i);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(without_the_library, set_up),
		cmocka_unit_test_setup(drawn_requests, set_up),
		cmocka_unit_test_setup(more_questions_than_descriptors, set_up),
		cmocka_unit_test_setup(its_end, set_up),
		cmocka_unit_test_setup(folders_of_the_cache, set_up),
	};

	return cmocka_run_group_tests(tests, temp_setup, temp_teardown);
}
