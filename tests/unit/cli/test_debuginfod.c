/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The side of the process that reads, of --debuginfod: what it makes of the answers of the other
 * side, which is a script here. Nothing is asked of a server.
 */
#include "cli_test.h"

#include <signal.h>
#include <sys/wait.h>

#include "cli/debuginfod/debuginfod.h"

/* ---- the other side ---- */

struct answer {
	int32_t found;
	const char *text;
	uint32_t claimed; /* 0: the text's own size */
};

/*
 * What the second process does: the first answer is whether there is a library, each of the others
 * is of a request; behind the last one it ends. In `asked` it writes what it was asked.
 */
static struct {
	const struct answer *answers;
	size_t count;
	int asked;
} script;

bool debuginfod_read(int from, void *bytes, size_t size)
{
	char *at = bytes;

	while (size) {
		const ssize_t got = read(from, at, size);

		if (got <= 0)
			return false;
		at += got;
		size -= (size_t)got;
	}
	return true;
}

bool debuginfod_write(int to, const void *bytes, size_t size)
{
	return write(to, bytes, size) == (ssize_t)size;
}

void debuginfod_serve(int requests, int replies)
{
	struct debuginfod_request request;

	for (size_t i = 0; i < script.count; i++) {
		const struct answer *answer = &script.answers[i];
		struct debuginfod_reply reply = { .found = answer->found,
						  .size = (uint32_t)strlen(answer->text) };

		if (i && !debuginfod_read(requests, &request, sizeof(request)))
			_exit(0);
		if (i)
			dprintf(script.asked, "%u:%s;", request.kind, request.build_id);
		if (answer->claimed)
			reply.size = answer->claimed;
		debuginfod_write(replies, &reply, sizeof(reply));
		debuginfod_write(replies, answer->text, strlen(answer->text));
	}
	close(replies);
	/* A request that comes behind the last answer gets none. */
	while (debuginfod_read(requests, &request, sizeof(request)))
		dprintf(script.asked, "%u:%s;", request.kind, request.build_id);
	_exit(0);
}

/* ---- a session ---- */

struct session {
	struct settings settings;
	struct debuginfod d;
	int asked; /* what the second process was asked, to be read when it has ended */
};

static bool begin(struct session *session, const struct answer *answers, size_t count)
{
	int ends[2];

	*session = (struct session){ .settings.programs.debuginfod = true };
	assert_int_equal(pipe(ends), 0);
	script.answers = answers;
	script.count = count;
	script.asked = ends[1];
	session->asked = ends[0];
	setenv("DEBUGINFOD_URLS", "http://nowhere.invalid", 1);
	return debuginfod_begin(&session->d, &session->settings);
}

/* What was asked, in order. */
static const char *end(struct session *session)
{
	static char text[1024];
	ssize_t size;

	debuginfod_end(&session->d);
	assert_int_equal(session->d.child, 0);
	close(script.asked);
	size = read(session->asked, text, sizeof(text) - 1);
	assert_true(size >= 0);
	text[size] = '\0';
	close(session->asked);
	return text;
}

/* The library's question; the path, or "" where there is none; `said` on standard error. */
static void finds(struct session *session, enum tl_debuginfod_kind kind, const char *build_id,
		  const char *wanted, const char *said)
{
	const struct tl_debuginfod *client = session->settings.input.programs.debuginfod;
	struct capture capture = capture_begin(stderr);
	char *path = NULL, *text;
	int status = client->find(client->arg, kind, build_id, &path);

	text = capture_end(&capture);
	assert_string_equal(text, said);
	free(text);
	assert_int_equal(status, *wanted != '\0');
	if (status)
		assert_string_equal(path, wanted);
	if (status)
		free(path);
}

#define READY { 1, "", 0 }
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define FAILED(why) "tracelathe: debuginfod: no server could be asked: " why "\n"

/* ---- questions ---- */

static void a_path_is_found(void **state)
{
	static const struct answer answers[] = { READY,
						 { 1, "/cache/a/executable", 0 },
						 { 1, "/cache/b/debuginfo", 0 } };
	struct session session;

	(void)state;
	assert_true(begin(&session, answers, COUNT(answers)));
	finds(&session, TL_DEBUGINFOD_EXECUTABLE, "00ff", "/cache/a/executable", "");
	finds(&session, TL_DEBUGINFOD_DEBUGINFO, "abcdef", "/cache/b/debuginfo", "");
	assert_false(debuginfod_failed(&session.d));
	{
		char asked[64];

		snprintf(asked, sizeof(asked), "%d:00ff;%d:abcdef;", TL_DEBUGINFOD_EXECUTABLE,
			 TL_DEBUGINFOD_DEBUGINFO);
		assert_string_equal(end(&session), asked);
	}
}

/* "0: no server has it": no failure, and nothing to tell. */
static void no_server_has_it(void **state)
{
	static const struct answer answers[] = { READY,        { 0, "", 0 }, { 0, "", 0 },
						 { 0, "", 0 }, { 0, "", 0 }, { 1, "/x", 0 } };
	struct session session;

	(void)state;
	assert_true(begin(&session, answers, COUNT(answers)));
	for (int i = 0; i < 4; i++)
		finds(&session, TL_DEBUGINFOD_DEBUGINFO, "01", "", "");
	finds(&session, TL_DEBUGINFOD_DEBUGINFO, "01", "/x", "");
	assert_false(debuginfod_failed(&session.d));
	end(&session);
}

/* A server that cannot be reached takes long: after three times nothing more is asked. */
static void three_failures_are_the_last(void **state)
{
	static const struct answer answers[] = { READY,
						 { -1, "no route", 0 },
						 { 1, "/x", 0 },
						 { -1, "timed out", 0 },
						 { -1, "refused", 0 },
						 { 1, "/y", 0 } };
	struct session session;

	(void)state;
	assert_true(begin(&session, answers, COUNT(answers)));
	finds(&session, TL_DEBUGINFOD_DEBUGINFO, "01", "", FAILED("no route"));
	assert_true(debuginfod_failed(&session.d));
	finds(&session, TL_DEBUGINFOD_DEBUGINFO, "02", "/x", "");
	finds(&session, TL_DEBUGINFOD_DEBUGINFO, "03", "", FAILED("timed out"));
	finds(&session, TL_DEBUGINFOD_DEBUGINFO, "04", "",
	      FAILED("refused; nothing more is asked for"));
	finds(&session, TL_DEBUGINFOD_DEBUGINFO, "05", "", "");
	assert_true(debuginfod_failed(&session.d));
	/* the last one did not reach the other side */
	assert_null(strstr(end(&session), "05"));
}

/* The other side may end at any byte of an answer. */
static void the_other_side_ends(void **state)
{
	static const struct answer none[] = { READY }, cut[] = { READY, { 1, "/short", 100 } },
				   failed_cut[] = { READY, { -1, "why", 4 } },
				   large[] = { READY, { 1, "/long", (1 << 14) + 1 } };
	static const struct {
		const struct answer *answers;
		size_t count;
	} cases[] = { { none, 1 }, { cut, 2 }, { failed_cut, 2 }, { large, 2 } };

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct session session;

		assert_true(begin(&session, cases[i].answers, cases[i].count));
		/* once the failure is the last one, whatever number it has */
		finds(&session, TL_DEBUGINFOD_DEBUGINFO, "01", "",
		      FAILED("the process that asks has ended"));
		finds(&session, TL_DEBUGINFOD_DEBUGINFO, "02", "", "");
		assert_true(debuginfod_failed(&session.d));
		assert_null(strstr(end(&session), "02"));
	}
}

/* The longest text that is taken has 2^14 bytes. */
static void long_paths(void **state)
{
	static char path[(1 << 14) + 1];
	struct answer answers[] = { READY, { 1, path, 0 } };
	struct session session;

	(void)state;
	memset(path, 'p', sizeof(path) - 1);
	assert_true(begin(&session, answers, COUNT(answers)));
	finds(&session, TL_DEBUGINFOD_DEBUGINFO, "01", path, "");
	end(&session);
}

/* 64 bytes are the longest hash of which there is an id: 128 digits. */
static void long_ids(void **state)
{
	static const struct answer answers[] = { READY, { 1, "/a", 0 }, { 1, "/b", 0 } };
	char id[130], asked[256];
	struct session session;

	(void)state;
	memset(id, 'e', sizeof(id) - 1);
	id[129] = '\0';
	assert_true(begin(&session, answers, COUNT(answers)));
	finds(&session, TL_DEBUGINFOD_DEBUGINFO, id, "", "");
	id[128] = '\0';
	finds(&session, TL_DEBUGINFOD_DEBUGINFO, id, "/a", "");
	/* no rest of the one before is in the request */
	finds(&session, TL_DEBUGINFOD_DEBUGINFO, "1", "/b", "");
	snprintf(asked, sizeof(asked), "%d:%s;%d:1;", TL_DEBUGINFOD_DEBUGINFO, id,
		 TL_DEBUGINFOD_DEBUGINFO);
	assert_string_equal(end(&session), asked);
}

/* ---- the beginning ---- */

static void not_begun(const struct answer *answers, size_t count, const char *said)
{
	struct capture capture = capture_begin(stderr);
	struct session session;
	const bool begun = begin(&session, answers, count);
	char *text = capture_end(&capture);

	assert_false(begun);
	assert_string_equal(text, said);
	free(text);
	end(&session);
}

static void without_a_library(void **state)
{
	static const struct answer absent[] = { { 0, "libdebuginfod is not here", 0 } },
				   failed[] = { { -1, "no memory", 0 } }, cut[] = { { 1, "", 1 } };

	(void)state;
	not_begun(absent, 1, "tracelathe: --debuginfod: libdebuginfod is not here\n");
	not_begun(failed, 1, "tracelathe: --debuginfod: no memory\n");
	not_begun(cut, 1, "tracelathe: --debuginfod: the process that asks has ended\n");
	not_begun(absent, 0, "tracelathe: --debuginfod: the process that asks has ended\n");
}

static void servers_are_named_by_a_variable(void **state)
{
	static const char *const none[] = { NULL, "", " ", "   " };

	(void)state;
	for (size_t i = 0; i < COUNT(none); i++) {
		struct settings settings = { .programs.debuginfod = true };
		struct debuginfod d = { .child = 0 };
		struct capture capture;
		bool begun;
		char *text;

		unsetenv("DEBUGINFOD_URLS");
		if (none[i])
			setenv("DEBUGINFOD_URLS", none[i], 1);
		capture = capture_begin(stderr);
		begun = debuginfod_begin(&d, &settings);
		text = capture_end(&capture);
		assert_false(begun);
		assert_string_equal(text, "tracelathe: --debuginfod: DEBUGINFOD_URLS names no "
					  "server\n");
		assert_null(settings.input.programs.debuginfod);
		assert_int_equal(d.child, 0);
		free(text);
		debuginfod_end(&d);
	}
}

/* Without the option there is no second process, and the library has nobody to ask. */
static void nobody_is_asked_unasked(void **state)
{
	struct settings settings = { .programs.debuginfod = false };
	struct debuginfod d = { .child = 0 };

	(void)state;
	setenv("DEBUGINFOD_URLS", "http://nowhere.invalid", 1);
	assert_true(debuginfod_begin(&d, &settings));
	assert_null(settings.input.programs.debuginfod);
	assert_int_equal(d.child, 0);
	assert_false(debuginfod_failed(&d));
	debuginfod_end(&d);
}

/* The second process has ended, and was waited for. */
static void the_process_is_waited_for(void **state)
{
	static const struct answer answers[] = { READY };
	struct session session;
	pid_t child;

	(void)state;
	assert_true(begin(&session, answers, COUNT(answers)));
	child = session.d.child;
	assert_true(child > 0);
	assert_int_equal(kill(child, 0), 0);
	end(&session);
	assert_int_equal(waitpid(child, NULL, WNOHANG), -1);
	assert_int_equal(kill(child, 0), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_path_is_found),
		cmocka_unit_test(no_server_has_it),
		cmocka_unit_test(three_failures_are_the_last),
		cmocka_unit_test(the_other_side_ends),
		cmocka_unit_test(long_paths),
		cmocka_unit_test(long_ids),
		cmocka_unit_test(without_a_library),
		cmocka_unit_test(servers_are_named_by_a_variable),
		cmocka_unit_test(nobody_is_asked_unasked),
		cmocka_unit_test(the_process_is_waited_for),
	};

	/* A question to a process that has ended is an error, as process_begin() has it. */
	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
