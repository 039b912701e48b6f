/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The server of the browser's view, asked over its socket in plain HTTP/1.1 (RFC 9112): who is
 * answered, what each answer says of itself, and what is refused. "A question needs the token,
 * which is in the address that the command prints, and the Host header of that address." /
 */
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

#include "web_files.h"

#include "view/web/page.h"

static struct looked_at looked;
static struct tl_web_server *server;
static unsigned port;
static char token[64];

static int set_up(void **state)
{
	static char path[512];
	char host[64];
	struct tl_error err;

	const char *why = tl_web_why_no_server();

	temp_setup(state);
	if (why) {
		/* true of a build that has a server only where there is no such library */
		assert_true(strcmp(why, "libmicrohttpd is not installed") ||
			    !dlopen("libmicrohttpd.so.12", RTLD_NOW | RTLD_LOCAL));
		return 0;
	}
	strcpy(path, temp_write(&temp, "spans.json", spans, sizeof(spans) - 1));
	look_at(&looked, path, NULL);
	wait_for_index(&looked);
	assert_int_equal(tl_web_server_open(&server, looked.view, 0, &err), 0);
	/* "http://127.0.0.1:PORT/?token=TOKEN" */
	assert_int_equal(sscanf(tl_web_server_url(server), "http://%31[0-9.]:%u/?token=%63s", host,
				&port, token),
			 3);
	assert_string_equal(host, "127.0.0.1");
	assert_in_range(port, 1, 65535);
	return 0;
}

static int tear_down(void **state)
{
	tl_web_server_close(server);
	if (server)
		look_away(&looked);
	return temp_teardown(state);
}

/* ---- a client ---- */

static int reach(unsigned at)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons((uint16_t)at) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (!connect(fd, (const struct sockaddr *)&address, sizeof(address)))
		return fd;
	close(fd);
	return -1;
}

static void send_all(int fd, const char *text)
{
	for (size_t left = strlen(text); left;) {
		ssize_t sent = send(fd, text, left, MSG_NOSIGNAL);

		assert_true(sent > 0);
		text += sent;
		left -= (size_t)sent;
	}
}

struct response {
	unsigned code;
	char *text, *body; /* the whole, and its part behind the empty line */
	size_t body_size;
};

/* Up to the end of the connection. */
static struct response receive(int fd)
{
	struct response response = { .code = 0 };
	size_t size = 0, room = 1 << 22;
	struct pollfd poller = { .fd = fd, .events = POLLIN };
	ssize_t got = 1;

	response.text = malloc(room);
	assert_non_null(response.text);
	while (got > 0) {
		assert_int_equal(poll(&poller, 1, 20000), 1);
		got = read(fd, response.text + size, room - 1 - size);
		size += got > 0 ? (size_t)got : 0;
	}
	close(fd);
	response.text[size] = '\0';
	assert_int_equal(sscanf(response.text, "HTTP/1.1 %u ", &response.code), 1);
	response.body = strstr(response.text, "\r\n\r\n");
	assert_non_null(response.body);
	response.body[2] = '\0';
	response.body += 4;
	response.body_size = size - (size_t)(response.body - response.text);
	return response;
}

/* Of a whole message. */
static struct response exchange(const char *message)
{
	int fd = reach(port);

	assert_true(fd >= 0);
	send_all(fd, message);
	return receive(fd);
}

/* A question; "TOKEN" and "PORT" in it stand for the server's. `rest`: header lines. */
static struct response ask(const char *method, const char *target, const char *rest)
{
	char message[2048] = "";
	const char *const texts[] = { method, " ",   target, " HTTP/1.1\r\nConnection: close\r\n",
				      rest,   "\r\n" };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		for (const char *c = texts[i]; *c; c++) {
			size_t used = strlen(message);

			assert_true(used + 80 < sizeof(message));
			if (!strncmp(c, "TOKEN", 5)) {
				strcat(message, token);
				c += 4;
			} else if (!strncmp(c, "PORT", 4)) {
				sprintf(message + used, "%u", port);
				c += 3;
			} else {
				message[used] = *c;
				message[used + 1] = '\0';
			}
		}
	return exchange(message);
}

/* Whether a header line is there; names are the same in whatever case. */
static bool has_header(const struct response *response, const char *line)
{
	char with_ends[1024];

	snprintf(with_ends, sizeof(with_ends), "\r\n%s\r\n", line);
	return strcasestr(response->text, with_ends);
}

#define HOST "Host: 127.0.0.1:PORT\r\n"
#define NO_TOKEN "This address lacks the token that tracelathe has printed.\n"

#define NEED_SERVER()                                                                              \
	do {                                                                                       \
		if (!server)                                                                       \
			skip();                                                                    \
	} while (0)

/* ---- who is answered ---- */

struct who_case {
	const char *method, *target, *rest;
	unsigned code;
	const char *body; /* NULL: any */
};

static void assert_who(const struct who_case *cases, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct who_case *c = &cases[i];
		struct response response = ask(c->method, c->target, c->rest);

		if (response.code != c->code || (c->body && strcmp(response.body, c->body)))
			fail_msg("%s %s, %s: %u %s", c->method, c->target, c->rest, response.code,
				 response.body);
		free(response.text);
	}
}

#define ASSERT_WHO(cases) assert_who(cases, sizeof(cases) / sizeof((cases)[0]))

TEST(the_token_is_of_thirty_two_digits)
{
	NEED_SERVER();
	assert_int_equal(strlen(token), 32);
	assert_int_equal(strspn(token, "0123456789abcdef"), 32);
	/* and another one each time */
	struct tl_web_server *other;
	struct tl_error err;

	assert_int_equal(tl_web_server_open(&other, looked.view, 0, &err), 0);
	assert_null(strstr(tl_web_server_url(other), token));
	tl_web_server_close(other);
}

TEST(questions_with_the_token_of_this_host)
{
	static const struct who_case cases[] = {
		{ "GET", "/?token=TOKEN", HOST, 200, NULL },
		{ "GET", "/api/state?token=TOKEN", HOST, 200, NULL },
		{ "GET", "/api/state?file=0&token=TOKEN", HOST, 200, NULL },
		/* none, another one, a part of it, more than it */
		{ "GET", "/", HOST, 403, NO_TOKEN },
		{ "GET", "/?token=", HOST, 403, NO_TOKEN },
		{ "GET", "/?token", HOST, 403, NO_TOKEN },
		{ "GET", "/?token=0123456789abcdef0123456789abcdef", HOST, 403, NO_TOKEN },
		{ "GET", "/?token=xTOKEN", HOST, 403, NO_TOKEN },
		{ "GET", "/?token=TOKEN0", HOST, 403, NO_TOKEN },
		{ "GET", "/api/state", HOST, 403, NO_TOKEN },
		{ "GET", "/nowhere", HOST, 403, NO_TOKEN },
		/* a name that another page made to lead here */
		{ "GET", "/?token=TOKEN", "Host: localhost:PORT\r\n", 403, NO_TOKEN },
		{ "GET", "/?token=TOKEN", "Host: 127.0.0.1\r\n", 403, NO_TOKEN },
		{ "GET", "/?token=TOKEN", "Host: example.org:PORT\r\n", 403, NO_TOKEN },
		{ "GET", "/?token=TOKEN", "Host: 127.0.0.1:PORT.example.org\r\n", 403, NO_TOKEN },
		{ "HEAD", "/?token=x", HOST, 403, "" },
		{ "POST", "/", HOST "Content-Length: 0\r\n", 403, NO_TOKEN },
	};

	NEED_SERVER();
	ASSERT_WHO(cases);
}

/* One digit that is another one, wherever it stands. */
TEST(each_digit_of_the_token_counts)
{
	char target[96];

	NEED_SERVER();
	for (size_t i = 0; i < 32; i++) {
		struct response response;

		snprintf(target, sizeof(target), "/?token=%s", token);
		target[8 + i] = target[8 + i] == '0' ? '1' : '0';
		response = ask("GET", target, HOST);
		assert_int_equal(response.code, 403);
		free(response.text);
	}
}

TEST(only_questions_are_answered)
{
	static const char *const others[] = { "POST", "PUT", "DELETE", "OPTIONS", "PATCH" };

	NEED_SERVER();
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		struct response response =
			ask(others[i], "/?token=TOKEN", HOST "Content-Length: 0\r\n");

		assert_int_equal(response.code, 405);
		assert_string_equal(response.body, "Only GET is answered here.\n");
		assert_true(has_header(&response, "Allow: GET, HEAD"));
		free(response.text);
	}
}

/* ---- answers ---- */

/* The page, byte for byte; without a body where the head alone is asked for. */
TEST(the_page)
{
	struct response whole, head;
	char length[64];

	NEED_SERVER();
	whole = ask("GET", "/?token=TOKEN", HOST);
	assert_int_equal(whole.code, 200);
	assert_int_equal(whole.body_size, tl_web_page.size);
	assert_memory_equal(whole.body, tl_web_page.text, tl_web_page.size);
	assert_true(has_header(&whole, "Content-Type: text/html; charset=utf-8"));
	head = ask("HEAD", "/?token=TOKEN", HOST);
	assert_int_equal(head.code, 200);
	assert_int_equal(head.body_size, 0);
	snprintf(length, sizeof(length), "Content-Length: %zu", tl_web_page.size);
	assert_true(has_header(&head, length));
	free(whole.text);
	free(head.text);
}

/* Whatever the answer is, no other page may show or read it, and nothing of it is kept. */
TEST(headers_of_every_answer)
{
	static const char *const lines[] = {
		"X-Content-Type-Options: nosniff",
		"X-Frame-Options: DENY",
		"Referrer-Policy: no-referrer",
		"Cross-Origin-Resource-Policy: same-origin",
		"Cross-Origin-Opener-Policy: same-origin",
		"Cache-Control: no-store",
	};
	static const struct who_case cases[] = {
		{ "GET", "/?token=TOKEN", HOST, 200, NULL },
		{ "GET", "/api/state?token=TOKEN", HOST, 200, NULL },
		{ "GET", "/nowhere?token=TOKEN", HOST, 404, NULL },
		{ "GET", "/", HOST, 403, NULL },
		{ "POST", "/?token=TOKEN", HOST "Content-Length: 0\r\n", 405, NULL },
	};
	char policy[4096];

	NEED_SERVER();
	snprintf(policy, sizeof(policy), "Content-Security-Policy: %s", tl_web_page.policy);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct response response = ask(cases[i].method, cases[i].target, cases[i].rest);

		assert_int_equal(response.code, cases[i].code);
		for (size_t n = 0; n < sizeof(lines) / sizeof(lines[0]); n++)
			if (!has_header(&response, lines[n]))
				fail_msg("%s: no %s", cases[i].target, lines[n]);
		assert_non_null(strcasestr(response.text, policy));
		free(response.text);
	}
}

TEST(answers_say_what_they_are)
{
	static const struct {
		const char *target;
		unsigned code;
		const char *type, *body; /* NULL: any */
	} cases[] = {
		{ "/api/state?token=TOKEN", 200, "application/json", NULL },
		{ "/api/info?token=TOKEN", 200, "application/json", NULL },
		{ "/api/nothing?token=TOKEN", 404, "application/json",
		  "{\"error\":\"there is no such page\"}\n" },
		{ "/api/?token=TOKEN", 404, "application/json",
		  "{\"error\":\"there is no such page\"}\n" },
		{ "/api/state?token=TOKEN&file=1", 400, "application/json",
		  "{\"error\":\"there is no such file\"}\n" },
		{ "/api/state?token=TOKEN&file=x", 400, "text/plain; charset=utf-8",
		  "A parameter is not known, or is not a number.\n" },
		{ "/api/state?token=TOKEN&other=1", 400, "text/plain; charset=utf-8",
		  "A parameter is not known, or is not a number.\n" },
		{ "/api/state?other&token=TOKEN", 400, "text/plain; charset=utf-8",
		  "A parameter is not known, or is not a number.\n" },
		/* the first that is not good is the end, whatever is behind it */
		{ "/api/state?file=x&file=0&token=TOKEN", 400, "text/plain; charset=utf-8",
		  "A parameter is not known, or is not a number.\n" },
	};
	char line[128];

	NEED_SERVER();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct response response = ask("GET", cases[i].target, HOST);

		snprintf(line, sizeof(line), "Content-Type: %s", cases[i].type);
		if (response.code != cases[i].code || !has_header(&response, line))
			fail_msg("%s: %s", cases[i].target, response.text);
		if (cases[i].body)
			assert_string_equal(response.body, cases[i].body);
		free(response.text);
	}
}

/* What is asked over the socket has the answer that the view gives itself. */
TEST(questions_reach_the_view_as_they_are)
{
	struct tl_web_answer own;
	struct response response;
	size_t size;

	NEED_SERVER();
	own = ASK(&looked, "/api/profile", "file", "0", "table", "1", NULL);
	response = ask("GET", "/api/profile?token=TOKEN&file=0&table=1", HOST);
	assert_int_equal(response.code, 200);
	assert_string_equal(response.body, tl_output_bytes(own.out, &size) ? text_of(&own) : "");
	tl_output_discard(own.out);
	free(response.text);
	own = ASK(&looked, "/api/find", "name", "work & leaf", "at", "5", NULL);
	response = ask("GET", "/api/find?token=TOKEN&name=work%20%26%20leaf&at=5", HOST);
	assert_int_equal(response.code, own.code);
	assert_string_equal(response.body, text_of(&own));
	tl_output_discard(own.out);
	free(response.text);
}

/* A body is nothing that is read, and the next question of the connection is answered. */
TEST(a_connection_has_several_questions)
{
	char message[1024];
	struct response response;

	NEED_SERVER();
	snprintf(message, sizeof(message),
		 "GET /api/none?token=%s HTTP/1.1\r\nHost: 127.0.0.1:%u\r\nContent-Length: "
		 "11\r\n\r\n"
		 "hello=world"
		 "GET /api/state?token=%s HTTP/1.1\r\nHost: 127.0.0.1:%u\r\n"
		 "Connection: close\r\n\r\n",
		 token, port, token, port);
	response = exchange(message);
	assert_int_equal(response.code, 404);
	assert_non_null(strstr(response.body, "{\"error\":\"there is no such page\"}\n"));
	assert_non_null(strstr(response.body, "HTTP/1.1 200 "));
	assert_non_null(strstr(response.body, "\"index\":\"ready\""));
	free(response.text);
}

/* ---- begin and end ---- */

TEST(a_port_that_is_taken)
{
	struct tl_web_server *second;
	struct tl_error err;

	NEED_SERVER();
	assert_int_equal(tl_web_server_open(&second, looked.view, (uint16_t)port, &err), TL_IO);
	assert_null(second);
	assert_string_equal(err.text, "the port of the server cannot be opened");
	assert_int_equal(err.sys_errno, EADDRINUSE);
}

/* The port that is asked for; once it is closed, at once again. */
TEST(a_port_is_free_behind_its_server)
{
	unsigned asked, got = 0;

	NEED_SERVER();
	for (int round = 0; round < 3; round++) {
		struct tl_web_server *own;
		struct tl_error err;

		assert_int_equal(tl_web_server_open(&own, looked.view, (uint16_t)got, &err), 0);
		asked = got;
		assert_int_equal(sscanf(tl_web_server_url(own), "http://127.0.0.1:%u/", &got), 1);
		if (asked)
			assert_int_equal(got, asked);
		int fd = reach(got);

		assert_true(fd >= 0);
		tl_web_server_close(own);
		close(fd);
		assert_int_equal(reach(got), -1);
		assert_int_equal(errno, ECONNREFUSED);
	}
	tl_web_server_close(NULL);
}

/* On the loopback device only: no other address of this machine answers. */
TEST(the_socket_is_of_the_loopback_device)
{
	struct sockaddr_in other = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	NEED_SERVER();
	/* 127.0.0.2 is of this machine, too, and a server of any address would be there */
	assert_int_equal(inet_pton(AF_INET, "127.0.0.2", &other.sin_addr), 1);
	assert_int_equal(connect(fd, (const struct sockaddr *)&other, sizeof(other)), -1);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_token_is_of_thirty_two_digits),
		cmocka_unit_test(questions_with_the_token_of_this_host),
		cmocka_unit_test(each_digit_of_the_token_counts),
		cmocka_unit_test(only_questions_are_answered),
		cmocka_unit_test(the_page),
		cmocka_unit_test(headers_of_every_answer),
		cmocka_unit_test(answers_say_what_they_are),
		cmocka_unit_test(questions_reach_the_view_as_they_are),
		cmocka_unit_test(a_connection_has_several_questions),
		cmocka_unit_test(a_port_that_is_taken),
		cmocka_unit_test(a_port_is_free_behind_its_server),
		cmocka_unit_test(the_socket_is_of_the_loopback_device),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
