/* SPDX-License-Identifier: Apache-2.0 */
/* In place of server.c in a build without libmicrohttpd. */
#include "core/error.h"
#include "view/web/view.h"

const char *tl_web_why_no_server(void)
{
	return "this tracelathe was built without libmicrohttpd";
}

int tl_web_server_open(struct tl_web_server **server, struct tl_web_view *view, uint16_t port,
		       struct tl_error *err)
{
	(void)view, (void)port;
	*server = NULL;
	return tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE, tl_web_why_no_server());
}

const char *tl_web_server_url(const struct tl_web_server *server)
{
	(void)server;
	return "";
}

void tl_web_server_close(struct tl_web_server *server)
{
	(void)server;
}
