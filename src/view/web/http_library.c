/* SPDX-License-Identifier: Apache-2.0 */
#include "http_library.h"
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

static const struct {
	const char *name;
	size_t place; /* of its pointer in the struct */
} functions[] = {
	{ "MHD_add_response_header", offsetof(struct tl_http_library, add_response_header) },
	{ "MHD_create_response_from_buffer",
	  offsetof(struct tl_http_library, create_response_from_buffer) },
	{ "MHD_destroy_response", offsetof(struct tl_http_library, destroy_response) },
	{ "MHD_get_connection_info", offsetof(struct tl_http_library, get_connection_info) },
	{ "MHD_get_connection_values", offsetof(struct tl_http_library, get_connection_values) },
	{ "MHD_lookup_connection_value",
	  offsetof(struct tl_http_library, lookup_connection_value) },
	{ "MHD_queue_response", offsetof(struct tl_http_library, queue_response) },
	{ "MHD_start_daemon", offsetof(struct tl_http_library, start_daemon) },
	{ "MHD_stop_daemon", offsetof(struct tl_http_library, stop_daemon) },
};

bool tl_http_library_open(struct tl_http_library *library)
{
	/* The number is that of the interface in the header; without one it is what was installed
	 * for programmers. */
	void *handle = dlopen("libmicrohttpd.so.12", RTLD_NOW | RTLD_LOCAL);

	if (!handle)
		handle = dlopen("libmicrohttpd.so", RTLD_NOW | RTLD_LOCAL);
	if (!handle)
		return false;
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		void *function = dlsym(handle, functions[i].name);

		if (!function)
			return false;
		memcpy((char *)library + functions[i].place, &function, sizeof(function));
	}
	return true;
}
