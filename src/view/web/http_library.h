/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
#include <stdbool.h>
#include <microhttpd.h>

/*
 * The functions of libmicrohttpd, by their names without "MHD_". The library is opened when a
 * server is wanted: it brings nine others (GnuTLS and what that needs), whose loading was half of
 * the start of every other command.
 */
struct tl_http_library {
	__typeof__(MHD_add_response_header) *add_response_header;
	__typeof__(MHD_create_response_from_buffer) *create_response_from_buffer;
	__typeof__(MHD_destroy_response) *destroy_response;
	__typeof__(MHD_get_connection_info) *get_connection_info;
	__typeof__(MHD_get_connection_values) *get_connection_values;
	__typeof__(MHD_lookup_connection_value) *lookup_connection_value;
	__typeof__(MHD_queue_response) *queue_response;
	__typeof__(MHD_start_daemon) *start_daemon;
	__typeof__(MHD_stop_daemon) *stop_daemon;
};

/*
 * Opens the library, which stays open to the end of the process, and finds its functions. False: it
 * is not installed, or is one that lacks a function.
 */
bool tl_http_library_open(struct tl_http_library *library);
