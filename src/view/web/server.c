/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The server: HTTP on the loopback device by libmicrohttpd, a thread a connection. Who asks must
 * know the token, which is in the address that is printed, and must have asked for this host: a
 * page of elsewhere that a browser shows can do neither.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/error.h"
#include "view/web/answer.h"
#include "view/web/http_library.h"
#include "view/web/page.h"

enum { TOKEN_BYTES = 16, MOST_CONNECTIONS = 128, IDLE_SECONDS = 30 };

struct tl_web_server {
	struct MHD_Daemon *daemon;
	struct tl_web_view *view;
	char token[2 * TOKEN_BYTES + 1];
	char host[32]; /* "127.0.0.1:PORT" */
	char url[96];
};

/* Opened once, before the first request; the threads of requests read it. */
static struct tl_http_library http;
static bool http_is_open;

const char *tl_web_why_no_server(void)
{
	if (!http_is_open)
		http_is_open = tl_http_library_open(&http);
	return http_is_open ? NULL : "libmicrohttpd is not installed";
}

/* ---- who asks ---- */

/* Takes the same time wherever the texts differ. */
static bool is_token(const struct tl_web_server *server, const char *token)
{
	unsigned char difference = 0;

	if (!token || strlen(token) != 2 * TOKEN_BYTES)
		return false;
	for (size_t i = 0; i < 2 * TOKEN_BYTES; i++)
		difference |= (unsigned char)(server->token[i] ^ token[i]);
	return !difference;
}

static bool is_allowed(const struct tl_web_server *server, struct MHD_Connection *connection)
{
	const char *host =
		http.lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST);
	const char *token =
		http.lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "token");

	return host && !strcmp(host, server->host) && is_token(server, token);
}

static bool has_gone(void *arg)
{
	struct pollfd poller = { .fd = *(const int *)arg, .events = POLLRDHUP };

	return poll(&poller, 1, 0) == 1 && poller.revents;
}

/* ---- what is asked ---- */

struct taken {
	struct tl_web_request request;
	bool good;
};

static enum MHD_Result take(void *arg, enum MHD_ValueKind kind, const char *key, const char *value)
{
	struct taken *taken = arg;

	(void)kind;
	if (strcmp(key, "token") && !tl_web_request_take(&taken->request, key, value))
		taken->good = false;
	return taken->good ? MHD_YES : MHD_NO;
}

/* ---- answers ---- */

static const struct {
	const char *name, *value;
} headers[] = {
	{ "X-Content-Type-Options", "nosniff" },
	{ "X-Frame-Options", "DENY" },
	{ "Referrer-Policy", "no-referrer" },
	{ "Cross-Origin-Resource-Policy", "same-origin" },
	{ "Cross-Origin-Opener-Policy", "same-origin" },
	{ "Cache-Control", "no-store" },
};

static enum MHD_Result send_bytes(struct MHD_Connection *connection, unsigned code,
				  const char *type, const void *bytes, size_t size)
{
	struct MHD_Response *response =
		http.create_response_from_buffer(size, (void *)bytes, MHD_RESPMEM_MUST_COPY);
	enum MHD_Result result;

	if (!response)
		return MHD_NO;
	for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++)
		http.add_response_header(response, headers[i].name, headers[i].value);
	http.add_response_header(response, "Content-Type", type);
	http.add_response_header(response, "Content-Security-Policy", tl_web_page.policy);
	if (code == MHD_HTTP_METHOD_NOT_ALLOWED)
		http.add_response_header(response, "Allow", "GET, HEAD");
	result = http.queue_response(connection, code, response);
	http.destroy_response(response);
	return result;
}

static enum MHD_Result send_word(struct MHD_Connection *connection, unsigned code, const char *word)
{
	return send_bytes(connection, code, "text/plain; charset=utf-8", word, strlen(word));
}

static enum MHD_Result send_answer(struct tl_web_server *server, struct MHD_Connection *connection,
				   const struct tl_web_request *request)
{
	const union MHD_ConnectionInfo *info =
		http.get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	int fd = info ? info->connect_fd : -1;
	const struct tl_web_asker asker = { has_gone, &fd };
	struct tl_web_answer answer;
	enum MHD_Result result = MHD_NO;
	struct tl_error err;

	if (tl_web_answer_make(server->view, request, &asker, &answer, &err) == 0) {
		size_t size;
		const char *bytes = tl_output_bytes(answer.out, &size);

		result = send_bytes(connection, answer.code, answer.type, bytes, size);
	}
	tl_output_discard(answer.out);
	return result;
}

static bool is_question(const char *method)
{
	return !strcmp(method, MHD_HTTP_METHOD_GET) || !strcmp(method, MHD_HTTP_METHOD_HEAD);
}

static enum MHD_Result refuse(struct tl_web_server *server, struct MHD_Connection *connection)
{
	if (!is_allowed(server, connection))
		return send_word(connection, MHD_HTTP_FORBIDDEN,
				 "This address lacks the token that tracelathe has printed.\n");
	return send_word(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "Only GET is answered here.\n");
}

static enum MHD_Result answer_question(struct tl_web_server *server,
				       struct MHD_Connection *connection, const char *path)
{
	struct taken taken = { .good = true };

	tl_web_request_begin(&taken.request, path);
	http.get_connection_values(connection, MHD_GET_ARGUMENT_KIND, take, &taken);
	if (!taken.good)
		return send_word(connection, MHD_HTTP_BAD_REQUEST,
				 "A parameter is not known, or is not a number.\n");
	return send_answer(server, connection, &taken.request);
}

/* Called when the head has come, for each piece of a body, and when all has come. */
static enum MHD_Result handle(void *arg, struct MHD_Connection *connection, const char *path,
			      const char *method, const char *version, const char *upload,
			      size_t *upload_size, void **state)
{
	bool first = !*state;

	(void)version, (void)upload;
	*state = arg;
	if (first && (!is_question(method) || !is_allowed(arg, connection)))
		return refuse(arg, connection);
	if (first || *upload_size) {
		*upload_size = 0;
		return MHD_YES;
	}
	return answer_question(arg, connection, path);
}

/* ---- begin and end ---- */

static int make_token(struct tl_web_server *server, struct tl_error *err)
{
	unsigned char bytes[TOKEN_BYTES];

	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
		return tl_error_system(err, "no random numbers for the token");
	for (size_t i = 0; i < sizeof(bytes); i++)
		snprintf(server->token + 2 * i, 3, "%02x", bytes[i]);
	return 0;
}

static void ignore(void *arg, const char *format, va_list arguments)
{
	(void)arg, (void)format, (void)arguments;
}

/* A socket of the loopback address that listens at the port, which is told; below 0 with errno. */
static int listen_at(uint16_t *port)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(*port) };
	socklen_t size = sizeof(address);
	int socket_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	const int again = 1; /* a port whose last server ended a moment ago */

	if (socket_fd < 0)
		return socket_fd;
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (setsockopt(socket_fd, SOL_SOCKET, SO_REUSEADDR, &again, sizeof(again)) ||
	    bind(socket_fd, (const struct sockaddr *)&address, size) ||
	    listen(socket_fd, SOMAXCONN) ||
	    getsockname(socket_fd, (struct sockaddr *)&address, &size)) {
		const int cause = errno;

		close(socket_fd);
		errno = cause;
		return -1;
	}
	*port = ntohs(address.sin_port);
	return socket_fd;
}

/* The threads of requests read the names of the server, which stand before the first of them. */
static int start(struct tl_web_server *server, uint16_t port, struct tl_error *err)
{
	const int socket_fd = listen_at(&port);

	if (socket_fd < 0)
		return tl_error_system(err, "the port of the server cannot be opened");
	snprintf(server->host, sizeof(server->host), "127.0.0.1:%u", (unsigned)port);
	snprintf(server->url, sizeof(server->url), "http://%s/?token=%s", server->host,
		 server->token);
	errno = 0;
	server->daemon = http.start_daemon(
		MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION | MHD_USE_POLL |
			MHD_USE_ITC, /* wakes it, so that what has ended is closed at once */
		0, NULL, NULL, handle, server, MHD_OPTION_EXTERNAL_LOGGER, ignore, NULL,
		MHD_OPTION_LISTEN_SOCKET, socket_fd, MHD_OPTION_CONNECTION_LIMIT,
		(unsigned)MOST_CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_SECONDS,
		MHD_OPTION_END);
	if (server->daemon)
		return 0;
	close(socket_fd);
	return tl_error_system(err, "the server cannot be started");
}

int tl_web_server_open(struct tl_web_server **server, struct tl_web_view *view, uint16_t port,
		       struct tl_error *err)
{
	struct tl_web_server *s = calloc(1, sizeof(*s));
	int status;

	*server = NULL;
	if (!s)
		return tl_error_memory(err);
	if (tl_web_why_no_server()) {
		free(s);
		return tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE, tl_web_why_no_server());
	}
	s->view = view;
	status = make_token(s, err);
	if (status == 0)
		status = start(s, port, err);
	if (status < 0)
		tl_web_server_close(s);
	else
		*server = s;
	return status;
}

const char *tl_web_server_url(const struct tl_web_server *server)
{
	return server->url;
}

void tl_web_server_close(struct tl_web_server *server)
{
	if (!server)
		return;
	if (server->daemon)
		http.stop_daemon(server->daemon);
	free(server);
}
