/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The process that asks servers. libdebuginfod is loaded here alone (as LLVM is elsewhere): it
 * brings libcurl and some twenty libraries of that, which no other command should wait for.
 */
#include "cli/debuginfod/debuginfod.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- pipes ---- */

bool debuginfod_read(int from, void *bytes, size_t size)
{
	while (size) {
		const ssize_t part = read(from, bytes, size);

		if (part == 0 || (part < 0 && errno != EINTR))
			return false;
		if (part > 0) {
			bytes = (char *)bytes + part;
			size -= (size_t)part;
		}
	}
	return true;
}

bool debuginfod_write(int to, const void *bytes, size_t size)
{
	while (size) {
		const ssize_t part = write(to, bytes, size);

		if (part < 0 && errno != EINTR)
			return false;
		if (part > 0) {
			bytes = (const char *)bytes + part;
			size -= (size_t)part;
		}
	}
	return true;
}

static bool send_reply(int to, int32_t found, const char *text)
{
	const struct debuginfod_reply reply = { found, (uint32_t)strnlen(text, PATH_MAX) };

	return debuginfod_write(to, &reply, sizeof(reply)) &&
	       debuginfod_write(to, text, reply.size);
}

/* ---- the library (debuginfod_find_debuginfo(3)) ---- */

/* A build id of length 0 is hexadecimal text. A descriptor and a path for free(), or -errno. */
typedef int find_fn(void *client, const unsigned char *build_id, int length, char **path);

struct library {
	void *client;
	find_fn *find[2]; /* by enum tl_debuginfod_kind */
};

/* ISO C has no conversion from an object's address to a function's: the bytes are copied. */
static bool find_function(void *handle, const char *name, void *function, size_t size)
{
	void *address = dlsym(handle, name);

	memcpy(function, &address, size);
	return address != NULL;
}

/* NULL, or why not. */
static const char *load(struct library *library)
{
	static char text[PATH_MAX];
	void *handle = dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL);
	void *(*begin)(void) = NULL;

	if (!handle) {
		snprintf(text, sizeof(text), "%s (Debian: package libdebuginfod1)", dlerror());
		return text;
	}
	if (!find_function(handle, "debuginfod_begin", &begin, sizeof(begin)) ||
	    !find_function(handle, "debuginfod_find_executable",
			   &library->find[TL_DEBUGINFOD_EXECUTABLE], sizeof(library->find[0])) ||
	    !find_function(handle, "debuginfod_find_debuginfo",
			   &library->find[TL_DEBUGINFOD_DEBUGINFO], sizeof(library->find[0])))
		return "libdebuginfod.so.1 lacks functions";
	library->client = begin();
	return library->client ? NULL : "libdebuginfod.so.1 has no memory";
}

/* ---- the cache ---- */

static void make_folder(const char *folder, const char *below, const char *last)
{
	char path[PATH_MAX];
	const int size = snprintf(path, sizeof(path), "%s%s%s", folder, below, last);

	if (size > 0 && (size_t)size < sizeof(path))
		mkdir(path, 0700);
}

/* The other process can be allowed to read only a folder that is there. */
static void make_cache(void)
{
	static const char name[] = "/debuginfod_client";
	const char *own = getenv("DEBUGINFOD_CACHE_PATH"), *cache = getenv("XDG_CACHE_HOME"),
		   *home = getenv("HOME");

	if (own && *own) {
		make_folder(own, "", "");
	} else if (cache && *cache) {
		make_folder(cache, "", "");
		make_folder(cache, name, "");
	} else if (home) {
		make_folder(home, "/.cache", "");
		make_folder(home, "/.cache", name);
	}
}

/* ---- questions ---- */

static bool is_build_id(const char *text)
{
	const size_t size = strnlen(text, DEBUGINFOD_ID_ROOM);

	return size && size < DEBUGINFOD_ID_ROOM && strspn(text, "0123456789abcdef") == size;
}

static bool answer(const struct library *library, const struct debuginfod_request *request, int to)
{
	char *path = NULL;
	bool sent;
	int file;

	if (request->kind > TL_DEBUGINFOD_DEBUGINFO || !is_build_id(request->build_id))
		return send_reply(to, 0, "");
	file = library->find[request->kind](library->client,
					    (const unsigned char *)request->build_id, 0, &path);
	if (file >= 0)
		close(file);
	if (file >= 0 && path)
		sent = send_reply(to, 1, path);
	else
		sent = send_reply(to, file == -ENOENT ? 0 : -1, file < 0 ? strerror(-file) : "");
	free(path);
	return sent;
}

/* What belongs to the other process: its output, its unfinished files, its end. */
static void stand_apart(void)
{
	static const int ending[] = { SIGINT, SIGTERM, SIGHUP };
	const int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);

	for (size_t i = 0; i < sizeof(ending) / sizeof(*ending); i++)
		signal(ending[i], SIG_DFL);
	if (nothing >= 0)
		dup2(nothing, STDOUT_FILENO);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
}

void debuginfod_serve(int requests, int replies)
{
	struct debuginfod_request request;
	struct library library = { .client = NULL };
	const char *trouble;
	bool going;

	stand_apart();
	make_cache();
	trouble = load(&library);
	going = send_reply(replies, trouble ? -1 : 1, trouble ? trouble : "") && !trouble;
	while (going && debuginfod_read(requests, &request, sizeof(request)))
		going = answer(&library, &request, replies);
	_exit(0);
}
