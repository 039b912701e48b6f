/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The server with a library of HTTP that is played here, so that what it asks of the library is
 * seen, and what it does where the library is not installed, lacks a function or fails; and files
 * so large that there is a sample of them before their index. (test_server.c asks over a socket,
 * where there is libmicrohttpd.)
 */
#include <arpa/inet.h>
#include <errno.h>
#include <sys/socket.h>

#include "web_files.h"

#include "../chance.h"

#include "view/web/http_library.h"
#include "view/web/page.h"

/* ---- the library that is played ---- */

enum { MOST_PAIRS = 12 };

struct pair {
	const char *key, *value;
};

struct MHD_Response {
	char *bytes;
	size_t size;
	struct pair headers[MOST_PAIRS];
	size_t count;
};

struct MHD_Connection {
	const char *host; /* its only header */
	struct pair arguments[MOST_PAIRS];
	int fd; /* below -1: it has none */
	/* what was answered */
	unsigned code;
	struct MHD_Response response;
	unsigned queued;
};

struct MHD_Daemon {
	MHD_AccessHandlerCallback handler;
	void *arg;
};

static struct {
	bool installed;
	const char *lacks;  /* this function; NULL: none */
	bool starts, makes; /* daemons, responses */
	unsigned started, stopped, live;
	struct MHD_Daemon daemon;
	int socket;
} library;

enum MHD_Result MHD_add_response_header(struct MHD_Response *response, const char *header,
					const char *content)
{
	assert_true(response->count < MOST_PAIRS);
	response->headers[response->count++] = (struct pair){ header, content };
	return MHD_YES;
}

struct MHD_Response *MHD_create_response_from_buffer(size_t size, void *buffer,
						     enum MHD_ResponseMemoryMode mode)
{
	struct MHD_Response *response;

	assert_int_equal(mode, MHD_RESPMEM_MUST_COPY);
	if (!library.makes)
		return NULL;
	response = calloc(1, sizeof(*response));
	assert_non_null(response);
	response->bytes = malloc(size + 1);
	assert_non_null(response->bytes);
	memcpy(response->bytes, buffer, size);
	response->bytes[size] = '\0';
	response->size = size;
	library.live++;
	return response;
}

void MHD_destroy_response(struct MHD_Response *response)
{
	library.live--;
	free(response);
}

const union MHD_ConnectionInfo *MHD_get_connection_info(struct MHD_Connection *connection,
							enum MHD_ConnectionInfoType info, ...)
{
	static union MHD_ConnectionInfo about;

	assert_int_equal(info, MHD_CONNECTION_INFO_CONNECTION_FD);
	about.connect_fd = connection->fd;
	return connection->fd < -1 ? NULL : &about;
}

int MHD_get_connection_values(struct MHD_Connection *connection, enum MHD_ValueKind kind,
			      MHD_KeyValueIterator iterator, void *arg)
{
	int count = 0;

	assert_int_equal(kind, MHD_GET_ARGUMENT_KIND);
	for (const struct pair *pair = connection->arguments; pair->key; pair++, count++)
		if (iterator(arg, kind, pair->key, pair->value) == MHD_NO)
			break;
	return count;
}

const char *MHD_lookup_connection_value(struct MHD_Connection *connection, enum MHD_ValueKind kind,
					const char *key)
{
	if (kind == MHD_HEADER_KIND)
		return strcmp(key, "Host") ? NULL : connection->host;
	for (const struct pair *pair = connection->arguments; pair->key; pair++)
		if (!strcmp(pair->key, key))
			return pair->value;
	return NULL;
}

/* The connection keeps what it has been given. */
enum MHD_Result MHD_queue_response(struct MHD_Connection *connection, unsigned code,
				   struct MHD_Response *response)
{
	assert_int_equal(connection->queued++, 0);
	connection->code = code;
	connection->response = *response;
	return MHD_YES;
}

struct MHD_Daemon *MHD_start_daemon(unsigned flags, uint16_t port, MHD_AcceptPolicyCallback policy,
				    void *policy_arg, MHD_AccessHandlerCallback handler, void *arg,
				    ...)
{
	va_list options;

	/* Its own socket is the only place where it listens. */
	assert_int_equal(port, 0);
	assert_true(!policy && !policy_arg);
	assert_true(flags & MHD_USE_INTERNAL_POLLING_THREAD &&
		    flags & MHD_USE_THREAD_PER_CONNECTION);
	va_start(options, arg);
	for (int option; (option = va_arg(options, int)) != MHD_OPTION_END;) {
		if (option == MHD_OPTION_EXTERNAL_LOGGER) {
			assert_non_null(va_arg(options, void *));
			assert_null(va_arg(options, void *));
		} else if (option == MHD_OPTION_LISTEN_SOCKET) {
			library.socket = va_arg(options, int);
		} else {
			assert_true(option == MHD_OPTION_CONNECTION_LIMIT ||
				    option == MHD_OPTION_CONNECTION_TIMEOUT);
			assert_true(va_arg(options, unsigned) > 0);
		}
	}
	va_end(options);
	errno = 0;
	if (!library.starts)
		return NULL;
	library.started++;
	library.daemon = (struct MHD_Daemon){ handler, arg };
	return &library.daemon;
}

void MHD_stop_daemon(struct MHD_Daemon *daemon)
{
	assert_ptr_equal(daemon, &library.daemon);
	library.stopped++;
	close(library.socket);
}

#define FUNCTION(name) { #name, (void *)(uintptr_t)name }
static const struct {
	const char *name;
	void *function;
} functions[] = {
	FUNCTION(MHD_add_response_header),   FUNCTION(MHD_create_response_from_buffer),
	FUNCTION(MHD_destroy_response),      FUNCTION(MHD_get_connection_info),
	FUNCTION(MHD_get_connection_values), FUNCTION(MHD_lookup_connection_value),
	FUNCTION(MHD_queue_response),        FUNCTION(MHD_start_daemon),
	FUNCTION(MHD_stop_daemon),
};
enum { FUNCTIONS = sizeof(functions) / sizeof(functions[0]) };

/* By the linker (--wrap), in the place of those of the C library. */
void *__wrap_dlopen(const char *name, int flags);
void *__wrap_dlsym(void *handle, const char *name);

void *__wrap_dlopen(const char *name, int flags)
{
	(void)flags;
	return library.installed && !strcmp(name, "libmicrohttpd.so.12") ? &library : NULL;
}

void *__wrap_dlsym(void *handle, const char *name)
{
	assert_ptr_equal(handle, &library);
	for (size_t i = 0; i < FUNCTIONS; i++)
		if (!strcmp(functions[i].name, name))
			return library.lacks && !strcmp(library.lacks, name)
				       ? NULL
				       : functions[i].function;
	fail_msg("%s is not played", name);
	return NULL;
}

/* ---- without it ---- */

TEST(no_library)
{
	struct tl_web_server *server = NULL;
	struct tl_error err;

	/* It is looked for as long as it has not been found. */
	for (size_t i = 0; i <= FUNCTIONS; i++) {
		library.installed = i > 0;
		library.lacks = i ? functions[i - 1].name : NULL;
		assert_string_equal(tl_web_why_no_server(), "libmicrohttpd is not installed");
		assert_int_equal(tl_web_server_open(&server, NULL, 0, &err), TL_UNSUPPORTED);
		assert_string_equal(err.text, "libmicrohttpd is not installed");
		assert_null(server);
	}
	library.lacks = NULL;
	assert_null(tl_web_why_no_server());
	tl_web_server_close(NULL);
}

TEST(no_server)
{
	struct sockaddr_in address = { .sin_family = AF_INET };
	socklen_t size = sizeof(address);
	struct tl_web_server *server = NULL;
	struct tl_error err;
	int taken = socket(AF_INET, SOCK_STREAM, 0);

	/* The daemon that does not begin; a port that somebody else has. */
	assert_int_equal(tl_web_server_open(&server, NULL, 0, &err), TL_IO);
	assert_non_null(strstr(err.text, "the server cannot be started"));
	assert_null(server);
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(bind(taken, (const struct sockaddr *)&address, size), 0);
	assert_int_equal(listen(taken, 1), 0);
	assert_int_equal(getsockname(taken, (struct sockaddr *)&address, &size), 0);
	library.starts = true;
	assert_int_equal(tl_web_server_open(&server, NULL, ntohs(address.sin_port), &err), TL_IO);
	assert_non_null(strstr(err.text, "the port of the server cannot be opened"));
	assert_null(server);
	assert_int_equal(library.started, 0);
	close(taken);
}

/* ---- questions ---- */

static struct looked_at looked;
static struct tl_web_server *server;
static char host[40], token[64];

static int open_server(void **state)
{
	static char path[512];
	struct tl_error err;
	unsigned port;

	(void)state;
	library.installed = library.starts = library.makes = true;
	strcpy(path, temp_write(&temp, "spans.json", spans, sizeof(spans) - 1));
	look_at(&looked, path, NULL);
	wait_for_index(&looked);
	assert_int_equal(tl_web_server_open(&server, looked.view, 0, &err), 0);
	assert_int_equal(
		sscanf(tl_web_server_url(server), "http://127.0.0.1:%u/?token=%63s", &port, token),
		2);
	snprintf(host, sizeof(host), "127.0.0.1:%u", port);
	assert_int_equal(strlen(token), 32);
	assert_int_equal(strspn(token, "0123456789abcdef"), 32);
	return 0;
}

static int close_server(void **state)
{
	const unsigned stopped = library.stopped;

	(void)state;
	tl_web_server_close(server);
	assert_int_equal(library.stopped, stopped + 1);
	look_away(&looked);
	return 0;
}

/* The question of a connection, as the library asks it: the head, the pieces of a body, the end. */
static enum MHD_Result put(struct MHD_Connection *connection, const char *method, const char *path,
			   size_t body)
{
	void *state = NULL;
	size_t none = 0, piece;
	enum MHD_Result result = library.daemon.handler(library.daemon.arg, connection, path,
							method, "HTTP/1.1", NULL, &none, &state);

	while (result == MHD_YES && !connection->queued && body) {
		piece = body < 100 ? body : 100;
		body -= piece;
		result = library.daemon.handler(library.daemon.arg, connection, path, method,
						"HTTP/1.1", "", &piece, &state);
		/* All of it was taken, and nothing of it is looked at. */
		assert_int_equal(piece, 0);
	}
	if (result == MHD_YES && !connection->queued)
		result = library.daemon.handler(library.daemon.arg, connection, path, method,
						"HTTP/1.1", NULL, &none, &state);
	assert_int_equal(library.live, 0);
	return result;
}

static struct MHD_Connection from_here(const char *key, const char *value)
{
	return (struct MHD_Connection){ .host = host,
					.arguments = { { "token", token }, { key, value } },
					.fd = -1 };
}

static const char *header_of(const struct MHD_Connection *connection, const char *key)
{
	for (size_t i = 0; i < connection->response.count; i++)
		if (!strcmp(connection->response.headers[i].key, key))
			return connection->response.headers[i].value;
	return NULL;
}

static void expect(const struct MHD_Connection *connection, unsigned code, const char *type)
{
	static const struct pair always[] = {
		{ "X-Content-Type-Options", "nosniff" },
		{ "X-Frame-Options", "DENY" },
		{ "Referrer-Policy", "no-referrer" },
		{ "Cross-Origin-Resource-Policy", "same-origin" },
		{ "Cross-Origin-Opener-Policy", "same-origin" },
		{ "Cache-Control", "no-store" },
	};

	assert_int_equal(connection->queued, 1);
	if (connection->code != code)
		fail_msg("%u instead of %u: %s", connection->code, code,
			 connection->response.bytes);
	for (size_t i = 0; i < sizeof(always) / sizeof(always[0]); i++)
		assert_string_equal(header_of(connection, always[i].key), always[i].value);
	assert_string_equal(header_of(connection, "Content-Type"), type);
	assert_string_equal(header_of(connection, "Content-Security-Policy"), tl_web_page.policy);
	/* "405: the server MUST generate an Allow header field" */
	if (code == 405)
		assert_string_equal(header_of(connection, "Allow"), "GET, HEAD");
	else
		assert_null(header_of(connection, "Allow"));
}

#define TEXT "text/plain; charset=utf-8"

/* Tokens and hosts that are drawn: only the right ones are let in, with any method. */
TEST(who_is_answered)
{
	uint32_t seed = 3;

	for (unsigned n = 0; n < 400; n++) {
		static const char *const methods[] = { "GET", "HEAD", "POST", "PUT", "get", "" };
		const char *method = methods[chance(&seed, 6)];
		const bool question = !strcmp(method, "GET") || !strcmp(method, "HEAD");
		char drawn[72], other[48];
		struct MHD_Connection connection = { .host = host, .fd = -1 };
		bool right = true;

		snprintf(drawn, sizeof(drawn), "%s", token);
		switch (chance(&seed, 6)) {
		case 0:
			drawn[chance(&seed, 32)] ^= (char)(1 << chance(&seed, 7));
			right = false;
			break;
		case 1:
			drawn[chance(&seed, 32)] = '\0';
			right = false;
			break;
		case 2:
			strcat(drawn, "0");
			right = false;
			break;
		default:
			break;
		}
		if (chance(&seed, 8))
			connection.arguments[0] = (struct pair){ "token", drawn };
		else
			right = false;
		snprintf(other, sizeof(other), "%s%s", host, chance(&seed, 2) ? "" : ".org");
		if (!chance(&seed, 4)) {
			connection.host = chance(&seed, 3) ? other : NULL;
			right &= connection.host && !strcmp(other, host);
		}
		assert_int_equal(put(&connection, method, "/api/state", 0), MHD_YES);
		if (!right)
			expect(&connection, 403, TEXT);
		else if (!question)
			expect(&connection, 405, TEXT);
		else
			expect(&connection, 200, "application/json");
		free(connection.response.bytes);
	}
}

TEST(what_is_answered)
{
	static const struct {
		const char *path, *key, *value;
		unsigned code;
		const char *type, *bytes; /* in the answer */
	} cases[] = {
		{ "/", NULL, NULL, 200, "text/html; charset=utf-8", "<!DOCTYPE html>" },
		{ "/api/state", "file", "0", 200, "application/json", "\"index\":\"ready\"" },
		{ "/api/state", "file", "x", 400, TEXT, "is not a number" },
		{ "/api/state", "nothing", "1", 400, TEXT, "A parameter is not known" },
		{ "/nowhere", NULL, NULL, 404, "application/json", "" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (size_t body = 0; body < 300; body += 150) {
			struct MHD_Connection connection = from_here(cases[i].key, cases[i].value);

			assert_int_equal(put(&connection, "GET", cases[i].path, body), MHD_YES);
			expect(&connection, cases[i].code, cases[i].type);
			if (!strcasestr(connection.response.bytes, cases[i].bytes))
				fail_msg("%s: %s", cases[i].path, connection.response.bytes);
			free(connection.response.bytes);
		}
}

/* The answer is that of the view, byte for byte, whoever still waits for it. */
TEST(answers_are_those_of_the_view)
{
	static const char *const paths[] = { "/api/state", "/api/info", "/" };
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	for (size_t i = 0; i < 3; i++)
		for (int fd = -2; fd < 1; fd++) {
			struct MHD_Connection connection = from_here(NULL, NULL);
			struct tl_web_answer wanted = ASK(&looked, paths[i], NULL);
			size_t size;
			const char *bytes = tl_output_bytes(wanted.out, &size);

			connection.fd = fd < 0 ? fd : ends[0];
			assert_int_equal(put(&connection, "GET", paths[i], 0), MHD_YES);
			assert_int_equal(connection.response.size, size);
			assert_memory_equal(connection.response.bytes, bytes, size);
			tl_output_discard(wanted.out);
			free(connection.response.bytes);
		}
	close(ends[0]);
	close(ends[1]);
}

TEST(no_memory_for_an_answer)
{
	struct MHD_Connection connection = from_here(NULL, NULL);

	library.makes = false;
	assert_int_equal(put(&connection, "GET", "/", 0), MHD_NO);
	assert_int_equal(connection.queued, 0);
	connection.host = NULL;
	assert_int_equal(put(&connection, "GET", "/", 0), MHD_NO);
	library.makes = true;
}

/* ---- a large file ---- */

enum { LARGE = 17 << 20 };

/* The same calls with blanks behind the first: what the small file answers, the large one does. */
TEST(a_large_file)
{
	char *text = malloc(LARGE);
	struct looked_at large;
	char path[512];
	const size_t head = (size_t)(strchr(spans, '\n') - spans) + 1;

	assert_non_null(text);
	memset(text, ' ', LARGE);
	memcpy(text, spans, head);
	memcpy(text + LARGE - (sizeof(spans) - 1 - head), spans + head, sizeof(spans) - 1 - head);
	strcpy(path, temp_write(&temp, "large.json", text, LARGE));
	free(text);
	look_at(&large, path, NULL);
	wait_for_index(&large);
	for (int track = 0; track < 2; track++) {
		char number[4];
		struct tl_web_answer small, same;
		char *wanted;

		snprintf(number, sizeof(number), "%d", track);
		small = ASK(&looked, "/api/stack", "tracks", number, "at", "46000", NULL);
		wanted = strdup(text_of(&small));
		same = ASK(&large, "/api/stack", "tracks", number, "at", "46000", NULL);
		assert_int_equal(same.code, 200);
		assert_string_equal(text_of(&same), wanted);
		free(wanted);
		tl_output_discard(small.out);
		tl_output_discard(same.out);
	}
	look_away(&large);
	/* One that is looked away from while all of that is made. */
	look_at(&large, path, NULL);
	look_away(&large);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_library),
		cmocka_unit_test(no_server),
		cmocka_unit_test_setup_teardown(who_is_answered, open_server, close_server),
		cmocka_unit_test_setup_teardown(what_is_answered, open_server, close_server),
		cmocka_unit_test_setup_teardown(answers_are_those_of_the_view, open_server,
						close_server),
		cmocka_unit_test_setup_teardown(no_memory_for_an_answer, open_server, close_server),
		cmocka_unit_test_setup_teardown(a_large_file, open_server, close_server),
	};

	return cmocka_run_group_tests(tests, temp_setup, temp_teardown);
}
